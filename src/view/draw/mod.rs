//! What a picture consists of: one file per thing drawn. Each adds to a [`Frame`](super::Frame); `picture.rs` calls them
//! all, and `primitives.rs` holds the shapes that they share.

mod balance;
mod bodies;
pub(super) mod constraints;
mod floor;
mod joints_and_links;
mod keep_clear;
pub(super) mod lesson;
mod limits;
mod obstacles;
mod open_goals;
mod picture;
mod primitives;
pub(super) mod race;
mod reach;
mod recorded;
mod selection;
mod targets;
mod trails;
