//! Recorded motion in a session: the clips of the scene itself, the clips of another figure, or a table of targets.
//!
//! There are two modes. In `show` the pose is the recorded one, and targets move with their effectors, so that a target
//! can be dragged from the present pose at any time. In `follow` targets follow recorded joints, and the solver finds the
//! pose. Either way only one thing moves a target: after a drag or on a path, it no longer follows the recording.

mod apply;
mod figure_match;
mod places;
mod planted_feet;
mod playback;
mod source;

pub use figure_match::Drive;
pub use places::{Reconstruction, RecordedFigure};
pub use playback::Playback;
pub use source::MotionSource;
