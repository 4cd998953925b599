//! Retargeting: one figure's motion on another. Joints are matched by name, sizes by reach, and both figures stand and
//! face the same way.

mod body;
pub(crate) mod body_mass;
mod course;
mod fingers;
mod ground;
pub(crate) mod human_limits;
pub(crate) mod known_body;
mod matching;

pub(crate) use body::{NAMED_PARTS, NamedPart, is_named_as_helper, tokens};
pub use matching::{Misfit, Retarget, TurnedLimb};
