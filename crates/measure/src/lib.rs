//! Problems with known answers, and the measurements that the program prints. Used by `fabrik3d bench` and the tests.

pub mod adversarial;
pub mod convergence;
pub mod families;
pub mod growth;
mod machine;
pub mod methods;

pub mod mocap;
pub mod motion;
pub mod paper;

pub mod robots;
mod sample;
pub mod single;
pub mod skeletons;
mod table;
pub mod throughput;
mod timing;
pub mod yardstick;

pub use machine::Machine;
pub use sample::Sample;
pub use table::{Measurements, Ratio, Row, Table};
pub use timing::{Clock, Timing, paired, paired_by};
