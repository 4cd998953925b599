//! Serial arms in joint coordinates, for the closed forms.
//!
//! `arm` brings a chain of hinges, slides and fixed joints into the form of axes in space. `correct` takes the last steps to
//! a target.

mod arm;
mod correct;

pub(crate) use arm::{Axis, SerialArm, turn_about};
pub(crate) use correct::Corrector;
