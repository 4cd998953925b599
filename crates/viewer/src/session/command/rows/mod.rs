//! The rows of the table of commands.

mod figure;
mod motion;
mod session;
mod view;

use super::row::Row;

pub(super) const FAMILIES: [&[Row]; 11] = [
    figure::TARGETS,
    figure::EFFECTORS,
    figure::JOINTS,
    session::SESSION,
    session::LESSONS,
    session::PASSES,
    session::RACES,
    motion::MOTION,
    view::CAMERA,
    view::DISPLAY,
    view::APP,
];
