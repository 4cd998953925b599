//! The project's own scene files, TOML or JSON: from a syntax tree to a [`Scene`](crate::Scene) and back.
//!
//! Angles are degrees in files (or strings such as `"1.57 rad"`) and radians in a scene. A file lists joints in any order.
//! The skeleton stores parents first, otherwise in file order; the joints of each `[[chain]]` come last. Poses use the same
//! order. A scene that is written and read again is the same, bit for bit.

pub(crate) mod chains;
pub(crate) mod goals;
pub(crate) mod joints;
pub(crate) mod kinds;
pub(crate) mod read;
pub(crate) mod write;
