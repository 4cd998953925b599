//! The mathematics of looking and pointing, without a window and without OpenGL; and [`Frame`], all there is to draw.

pub mod bindings;
mod camera;
mod display;
pub mod frame;
pub mod gizmo;
mod ground;
mod keys;
pub mod lesson;
mod limits;
pub mod look;
mod marks;
mod motion;
mod obstacles;
mod picture;
mod pointer;
pub mod race;
pub mod reach;
mod residuals;
mod space;
mod stage;
mod surfaces;
pub mod trace;
pub mod wishes;

pub use crate::session::command::Theme;
pub use bindings::{Action, Bindings, HelpLine};
pub use camera::{Camera, Projection, Ray};
pub use display::{Display, LinkStyle, MotionAxes};
pub use frame::Frame;
pub use ground::Ground;
pub use look::Palette;
pub use motion::{Direction, HeldKeys, Modifiers};
pub use pointer::{Button, Pointer};
pub use residuals::Residuals;
pub use space::Space;
pub use stage::Stage;
pub use surfaces::HeldMeshes;
