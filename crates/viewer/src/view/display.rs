//! What is shown and how.

use crate::session::command::{DisplayCommand, PictureSize, Section, Show, Theme};

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
    /// How large pictures are that the window saves.
    pub picture_size: PictureSize,
    /// Whether they have a transparent background.
    pub transparent: bool,
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
            picture_size: PictureSize::default(),
            transparent: false,
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
    pub fn after(mut self, command: &DisplayCommand) -> Self {
        use {LinkStyle as Links, MeshStyle as Meshes, MotionAxes as Axes};
        match *command {
            DisplayCommand::Show(what, on) => return self.with(what, on),
            DisplayCommand::XRay => self.meshes = Meshes::XRay,
            DisplayCommand::Toggle(Show::Meshes) => {
                self.meshes = next([Meshes::Solid, Meshes::XRay, Meshes::Hidden], self.meshes);
            }
            DisplayCommand::Toggle(what) => return self.with(what, !self.shows(what)),
            DisplayCommand::Theme(theme) => self.theme = theme,
            DisplayCommand::NextLinkStyle => self.links = next([Links::Bone, Links::Capsule, Links::Line], self.links),
            DisplayCommand::NextMotionAxes => {
                self.motion_axes = next([Axes::View, Axes::World, Axes::Local], self.motion_axes);
            }
            DisplayCommand::FontScale(scale) => self.font_scale = scale,
            DisplayCommand::PanelWidth(width) => self.panel_width = width,
            DisplayCommand::PictureSize(size) => self.picture_size = size,
            DisplayCommand::PictureTransparent(on) => self.transparent = on,
            DisplayCommand::Section(section, on) => self.sections[section as usize] = Some(on),
        }
        self
    }
}

/// What comes after `now`, round and round.
fn next<T: Copy + PartialEq>(all: [T; 3], now: T) -> T {
    all[(all.iter().position(|one| *one == now).unwrap_or(0) + 1) % all.len()]
}
