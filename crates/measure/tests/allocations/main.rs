//! Repeated solves allocate no memory, and large scenes only in proportion to their size.

mod chains;
mod counting;
mod growth;
mod later;
