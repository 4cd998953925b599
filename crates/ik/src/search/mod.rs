//! The search: attempts from one start after the other. [`policy`] is its table: what each verb tries and when it gives up.
//! ARCHITECTURE.md says what the other files do.

mod approach;
mod attempts;
mod blocked;
pub mod candidates;
mod closed_form;
mod moves;
pub mod policy;
mod scout;
mod sequence;
pub mod starts;
mod verbs;
pub mod walk;
pub mod workspace;

pub(crate) use policy::Verb;
