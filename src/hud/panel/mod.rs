//! The side panel. Every action in it is a command.

mod freedom;
mod joint;
mod motion;
mod plot;
mod side_panel;
mod solver;
mod target;
mod tree;
mod view;

pub(super) use side_panel::{is_alone, panel, span};
