//! The viewer without a window and without OpenGL: camera, input, and [`Frame`], everything there is to draw.
//!
//! [`Viewer`] is plain data in `viewer.rs`. `update.rs` (commands and time), `framing.rs` (camera) and
//! `draw/picture.rs` (the picture) hold its behaviour.

mod camera;
mod display;
mod draw;
mod following;
pub mod frame;
mod framing;
pub mod input;
pub mod labels;
mod landmarks;
mod lens;
mod race_layout;
mod records;
pub(crate) mod sizes;
mod stage;
pub mod theme;
pub mod trace;
mod transitions;
mod update;
mod viewer;

pub use crate::session::command::Theme;
pub use camera::{Camera, Projection, Ray};
pub use display::{Display, LinkStyle, MeshStyle, MotionAxes};
pub use draw::bodies::LoadedMeshes;
pub use draw::constraints::OPEN_LOOP_GAP;
pub use frame::{Frame, Space};
pub use input::bindings::{Action, Bindings, HelpLine};
pub use input::gamepad::{Control, DeviceReport, Gamepads, Heard};
pub use input::held_keys::{Direction, HeldKeys, Modifiers};
pub use input::key_names::Chords;
pub use input::pointer::{Button, Pointer};
pub use lens::{Area, Insets, Lens};
pub use records::{Convergence, Residuals};
pub use theme::Palette;
pub use update::Reloaded;
pub use viewer::{Grip, Ground, Handle, Hover, Viewer};
