//! Recorded motion: poses over time, as clips of characters and motion capture provide them.

pub(crate) mod channels;
pub(crate) mod clip;
pub(crate) mod keys;
pub(crate) mod steps;
pub(crate) mod transform;
pub(crate) mod values;

pub use clip::{Motion, Recording};
pub use values::Values;
