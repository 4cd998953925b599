//! The side panel. Every action in it is a command.

mod effectors;
mod freedom;
mod joint_limits;
mod joints;
mod motion;
mod plot;
mod section;
mod selected_row;
mod side_panel;
mod solver;
mod target;
mod view;

/// Most joints and effectors that a list shows. It scrolls with the panel.
const LIST: usize = 100;
/// A list of more has a field that filters it.
const MANY: usize = 30;
/// Change of a length per point of dragging, as a fraction of the size of what it belongs to.
const LENGTH_SPEED: f64 = 0.002;

pub(super) use motion::place_in;
pub(super) use section::SceneKind;
pub(super) use side_panel::{is_alone, panel, span};
