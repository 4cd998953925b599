//! All solutions of an arm with six hinges in closed form.
//!
//! Two families of arms have one: those whose last (or first) three axes meet in a point, and those whose second to fourth
//! (or third to fifth) axes are parallel. Nearly all industrial arms belong to one of them. The position of the other
//! joints does not matter.
//!
//! `subproblems` has the parts of which closed forms consist. `hinges` brings an arm into the form of axes in
//! space, and corrects solutions by Newton steps. `lines` finds points and directions that make them simple.
//! `spherical_wrist` and `parallel_axes` are the two families. `six_axis` recognizes them and keeps the limits.
//!
//! Sources: A. J. Elias and J. T. Wen, *IK-Geo: unified robot inverse kinematics using subproblem decomposition*, 2022;
//! D. Ostermeier, J. Külz and M. Althoff, *Automatic geometric decomposition for analytical inverse kinematics*, 2024
//! (EAIK).

mod hinges;
mod lines;
mod parallel_axes;
mod quartic;
mod six_axis;
mod spherical_wrist;
mod subproblems;

pub use hinges::NoClosedForm;
pub use six_axis::{ArmFamily, SixAxisArm};
