//! Serial arms in joint coordinates: kinematics, corrections toward a target, nearest poses.
//!
//! `arm` brings a chain of hinges, slides and fixed joints into the form of axes in space. `correct` moves coordinates onto
//! a target. `nearest` looks for those with the smallest move from given ones. `candidates` and `path` choose coordinates
//! for a whole path of targets.

mod arm;
mod candidates;
mod correct;
mod nearest;
mod path;

pub(crate) use arm::{Axis, SerialArm, turn_about};
pub(crate) use candidates::Candidates;
pub(crate) use correct::{Corrector, Request};
pub(crate) use nearest::NearestSearch;
pub(crate) use path::{choose, jumps};
