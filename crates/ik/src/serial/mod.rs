//! Serial arms in joint coordinates: kinematics, corrections toward a target, nearest poses.
//!
//! `arm` brings a chain of hinges, slides and fixed joints into the form of axes in space. `correct` moves coordinates onto
//! a target. `nearest` looks for those with the smallest move from given ones.

mod arm;
mod correct;
mod nearest;

pub(crate) use arm::{Axis, SerialArm, turn_about};
pub(crate) use correct::{Corrector, Request};
pub(crate) use nearest::NearestSearch;
