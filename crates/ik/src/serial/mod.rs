//! Serial arms in joint coordinates: kinematics, corrections toward a target, nearest poses.
//!
//! `arm` brings a chain of hinges, slides and fixed joints into the form of axes in space. `correct` moves coordinates onto
//! a target.

mod arm;
mod correct;

pub(crate) use arm::{Axis, SerialArm, turn_about};
pub(crate) use correct::{Corrector, Request};
