//! Readers of mesh files: STL, OBJ and COLLADA (DAE).
//!
//! The readers are the project's own: they check every index, keep memory within a small multiple of the file size, and
//! report the position of an error.

pub(crate) mod collada;
pub(crate) mod companions;
pub(crate) mod corners;
pub(crate) mod materials;
pub(crate) mod numbers;
pub(crate) mod obj;
pub(crate) mod polygon;
pub(crate) mod stl;
