//! All solutions of an arm with six hinges.
//!
//! Two families of arms have a closed form: those with three neighboring axes that meet in a point, and those with three that
//! are parallel. Nearly all industrial arms belong to one of them. The position of the other axes does not matter. For any
//! other arm, the solutions are the eigenvalues of a matrix.
//!
//! `hinges` brings an arm into the form of axes in space, and corrects solutions by Newton steps. `lines` finds points and
//! directions that make closed forms simple, and cuts the loop of the arm and its target where they need it.
//! `spherical_wrist` and `parallel_axes` are the two families, and `subproblems` has the parts of which they
//! consist. `any_axes` solves all others, with `dual_quaternion` and `eigenvalues`. `six_axis` recognizes the families and
//! keeps the limits; in singular poses, `self_motion` says which joints are free.
//!
//! Sources: A. J. Elias and J. T. Wen, *IK-Geo: unified robot inverse kinematics using subproblem decomposition*, 2022;
//! D. Ostermeier, J. Külz and M. Althoff, *Automatic geometric decomposition for analytical inverse kinematics*, 2024
//! (EAIK).

mod any_axes;
mod dual_quaternion;
mod eigenvalues;
mod hinges;
mod lines;
mod parallel_axes;
mod quartic;
mod self_motion;
mod six_axis;
mod spherical_wrist;
mod subproblems;

pub use hinges::NoClosedForm;
pub use six_axis::{ArmFamily, SixAxisArm};
