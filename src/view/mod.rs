//! The viewer without a window and without OpenGL: camera, input, and [`Frame`], everything there is to draw.
//!
//! [`Viewer`] is plain data in `viewer.rs`. `update.rs` (commands and time), `framing.rs` (camera) and
//! `draw/picture.rs` (the picture) hold its behaviour.

mod bodies;
mod camera;
mod display;
mod draw;
mod following;
pub mod frame;
mod framing;
mod ground;
mod handle;
pub mod input;
pub mod labels;
mod landmarks;
mod lens;
mod race_layout;
mod reach;
mod residuals;
pub(crate) mod sizes;
mod space;
pub mod theme;
pub mod trace;
mod trails;
mod transitions;
mod update;
mod viewer;

pub use crate::session::command::Theme;
pub use bodies::LoadedMeshes;
pub use camera::{Camera, Projection, Ray};
pub use display::{Display, LinkStyle, MeshStyle, MotionAxes};
pub use draw::constraints::OPEN_LOOP_GAP;
pub use frame::Frame;
pub use ground::Ground;
pub use handle::{Grip, Handle, Hover};
pub use input::bindings::{Action, Bindings, HelpLine};
pub use input::direction::Direction;
pub use input::held_keys::{HeldKeys, Modifiers};
pub use input::key_names::Chords;
pub use input::pointer::{Button, Pointer};
pub use lens::{Area, Insets, Lens};
pub use residuals::{Convergence, Residuals};
pub use space::Space;
pub use theme::Palette;
pub use viewer::Viewer;
