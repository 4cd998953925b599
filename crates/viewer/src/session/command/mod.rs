//! Commands: the only way to change anything. Keys, mouse, panels and scripts all use them.
//!
//! A command is a variant of a type in `command` or `view`, and a row in `rows`. The row states how the command is read and
//! explained. The whole syntax and the help are derived from the rows.

/// An enum whose variants have names in scripts.
macro_rules! named {
    ($(#[$meta:meta])* pub enum $Type:ident { $($(#[$note:meta])* $Variant:ident = $name:literal,)* }) => {
        $(#[$meta])*
        pub enum $Type { $($(#[$note])* $Variant,)* }

        impl $Type {
            /// All of them with their names.
            pub const NAMES: [(&'static str, Self); [$($name),*].len()] = [$(($name, Self::$Variant)),*];

            /// Its name.
            pub fn name(self) -> &'static str {
                Self::NAMES[self as usize].0
            }
        }
    };
}

mod catalog;
#[expect(clippy::module_inception, reason = "the folder holds the syntax, the file the commands")]
mod command;
mod row;
mod rows;
mod table;
mod view;

pub use catalog::{Choice, choices, fit};
pub use command::{
    Command, EffectorCommand, JointCommand, LessonCommand, MotionCommand, MotionMode, Pace, PassesCommand, PathShape,
    PoseCommand, RaceCommand, RotationCommand, SessionCommand, StepUnit,
};
pub use row::Row;
pub use table::{ParseError, help_text, rows};
pub use view::{
    AppCommand, CameraCommand, Content, DisplayCommand, FONT_SCALES, FileCommand, PANEL_WIDTHS, PictureSize, Section,
    Show, Theme, ViewPreset,
};

pub(super) use table::without_comment;
