//! What is shown and how.

use crate::session::command::{DisplayCommand, Section, Show, Theme};

/// How links are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LinkStyle {
    /// Tapered bones.
    #[default]
    Bone,
    /// Rods of one thickness.
    Capsule,
    /// Thin lines.
    Line,
}

/// Reference axes of the keys that move the target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MotionAxes {
    /// The camera, snapped to the nearest horizontal world axis.
    #[default]
    View,
    /// The world's axes.
    World,
    /// The effector's own axes.
    Local,
}

impl MotionAxes {
    /// Name for the HUD.
    pub fn name(self) -> &'static str {
        match self {
            MotionAxes::View => "view",
            MotionAxes::World => "world",
            MotionAxes::Local => "local",
        }
    }
}

/// How meshes and skins are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MeshStyle {
    /// Solid; they hide the bones.
    #[default]
    Solid,
    /// Like glass, with the bones inside.
    XRay,
    /// Not drawn: bones only.
    Hidden,
}

/// Everything about the picture except scene, pose and camera.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Display {
    /// Light or dark.
    pub theme: Theme,
    /// How links are drawn.
    pub links: LinkStyle,
    /// Reference axes of the keys that move the target.
    pub motion_axes: MotionAxes,
    /// Text size; 1 is normal.
    pub font_scale: f32,
    /// Width of the side panel's content, points.
    pub panel_width: f32,
    /// How meshes are drawn.
    pub meshes: MeshStyle,
    shown: [bool; Show::NAMES.len()],
    /// Whether the user has opened or closed a section of the side panel.
    sections: [Option<bool>; Section::NAMES.len()],
}

impl Default for Display {
    fn default() -> Self {
        let mut display = Display {
            theme: Theme::default(),
            links: LinkStyle::default(),
            motion_axes: MotionAxes::default(),
            font_scale: 1.0,
            panel_width: 258.0,
            meshes: MeshStyle::default(),
            shown: [false; Show::NAMES.len()],
            sections: [None; Section::NAMES.len()],
        };
        for what in [Show::Grid, Show::Axes, Show::Limits, Show::Shadows, Show::Trails, Show::Marks, Show::Hud] {
            display.shown[what as usize] = true;
        }
        display
    }
}

impl Display {
    /// Whether this is shown.
    pub fn shows(&self, what: Show) -> bool {
        match what {
            Show::Meshes => self.meshes != MeshStyle::Hidden,
            _ => self.shown[what as usize],
        }
    }

    /// Whether the user has opened (true) or closed a section of the side panel; none if neither.
    pub fn section(&self, section: Section) -> Option<bool> {
        self.sections[section as usize]
    }

    /// With this shown or hidden.
    pub fn with(mut self, what: Show, on: bool) -> Self {
        match what {
            Show::Meshes => self.meshes = if on { MeshStyle::Solid } else { MeshStyle::Hidden },
            _ => self.shown[what as usize] = on,
        }
        self
    }

    /// After one command.
    pub fn after(self, command: &DisplayCommand) -> Self {
        match *command {
            DisplayCommand::Show(what, on) => self.with(what, on),
            DisplayCommand::XRay => Display { meshes: MeshStyle::XRay, ..self },
            DisplayCommand::Toggle(Show::Meshes) => {
                let styles = [MeshStyle::Solid, MeshStyle::XRay, MeshStyle::Hidden];
                Display { meshes: next(styles, self.meshes), ..self }
            }
            DisplayCommand::Toggle(what) => self.with(what, !self.shows(what)),
            DisplayCommand::Theme(theme) => Display { theme, ..self },
            DisplayCommand::NextLinkStyle => {
                let styles = [LinkStyle::Bone, LinkStyle::Capsule, LinkStyle::Line];
                Display { links: next(styles, self.links), ..self }
            }
            DisplayCommand::NextMotionAxes => {
                let axes = [MotionAxes::View, MotionAxes::World, MotionAxes::Local];
                Display { motion_axes: next(axes, self.motion_axes), ..self }
            }
            DisplayCommand::FontScale(font_scale) => Display { font_scale, ..self },
            DisplayCommand::PanelWidth(panel_width) => Display { panel_width, ..self },
            DisplayCommand::Section(section, on) => {
                let mut sections = self.sections;
                sections[section as usize] = Some(on);
                Display { sections, ..self }
            }
        }
    }
}

/// What comes after `now`, round and round.
fn next<T: Copy + PartialEq>(all: [T; 3], now: T) -> T {
    all[(all.iter().position(|one| *one == now).unwrap_or(0) + 1) % all.len()]
}
