//! Repeated solves allocate no memory.

mod chains;
mod counting;
mod skeletons;
