//! Problems with known answers, and the measurements that the program prints. Used by `fabrik3d bench` and the tests.

pub mod families;
pub mod motion;
pub mod skeletons;
