//! Solving again and again allocates nothing.

mod chains;
mod counting;
mod skeletons;
