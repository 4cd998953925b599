//! What a picture consists of: one file per thing drawn. Each adds to a [`Frame`](super::Frame); `picture.rs` calls them
//! all, and `primitives.rs` holds the shapes that they share.

mod balance;
pub(super) mod bodies;
pub(super) mod constraints;
mod joints_and_links;
mod keep_clear;
pub(super) mod lesson;
pub(super) mod limits;
mod obstacles;
mod open_goals;
mod passes;
mod picture;
pub(super) mod primitives;
pub(super) mod race;
pub(super) mod reach;
mod recorded;
mod selection;
mod solutions;
mod targets;
mod trails;
