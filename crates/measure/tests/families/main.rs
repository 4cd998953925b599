//! The solver on problem families with known answers.

mod adversarial_chains;
mod blocked;
mod branches;
mod complaints;
mod divided_search;
mod doors;
mod eases;
mod families;
mod goals;
mod largest_steps;
mod laws;
mod methods;
mod preferred;
mod reachable_arms;
mod serde;
mod slow_targets;
mod staying;

#[path = "../../../../tests/support/sample_files.rs"]
mod gathered;
