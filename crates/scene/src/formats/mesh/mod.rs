//! Readers of mesh files: STL, OBJ and COLLADA (DAE).
//!
//! The readers are the project's own: they check every index, keep memory within a small multiple of the file size, and
//! report the position of an error. The crate `mesh-loader` (0.1) panics on one damaged COLLADA file in two hundred, leaves
//! out instances of nodes, and takes a binary STL file that starts with `solid` for a text.

pub(crate) mod collada;
pub(crate) mod corners;
pub(crate) mod materials;
pub(crate) mod obj;
pub(crate) mod stl;

/// Most geometries that a file shows; each of them can be shown many times.
pub(crate) const MAX_INSTANCES: usize = 10_000;
