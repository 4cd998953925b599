//! Problems with known answers and measurements of solvers, as tables. `fabrik3d bench` prints them.
//!
//! Each module measures one thing and returns a [`Table`] or several.
//!
//! ```
//! use fabrik3d_measure::{Machine, Measurements, convergence};
//!
//! let tables = vec![convergence::table(10, 1)];
//! println!("{}", Measurements { machine: Machine::here(), tables }.text());
//! ```

pub mod adversarial;
pub mod arm_poses;
pub mod arms;
pub mod convergence;
pub mod families;
mod machine;
pub mod mocap;
pub mod motion;
pub mod paper;
pub mod robots;
pub mod single_chain;
pub mod skeletons;
mod table;
pub mod throughput;
mod timing;

pub use machine::Machine;
pub use table::{Cell, Measurements, Ratio, Row, Table, value_of};
pub use timing::{Clock, Sample, Timing, paired, paired_by};
