//! The solver on problem families with known answers.

mod adversarial_chains;
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
mod reachable_arms;
mod serde;
mod slow_targets;
mod staying;

#[path = "../../../../tests/support/sample_files.rs"]
mod gathered;
