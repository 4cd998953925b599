//! Commands to what is drawn and how.

use super::argument::{Expected, alone, name_of, named, number, word};
use std::fmt;

/// A change to what is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DisplayCommand {
    /// `show WHAT on|off`.
    Show(Show, bool),
    /// `show meshes xray`: meshes as thin as glass, with the bones in them.
    XRay,
    /// `toggle WHAT`; meshes: solid, then as thin as glass, then none.
    Toggle(Show),
    /// `theme dark|light`.
    Theme(Theme),
    /// `links.next`: the next link style.
    NextLinkStyle,
    /// `axes.next`: the next reference for moving the target by keys.
    NextMotionAxes,
    /// `font.scale F`.
    FontScale(f32),
}

/// The two themes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Theme {
    /// Light figures on a dark floor.
    #[default]
    Dark,
    /// For slides and daylight.
    Light,
}

impl Theme {
    /// Both with their names.
    pub const NAMES: [(&'static str, Theme); 2] = [("dark", Theme::Dark), ("light", Theme::Light)];
}

/// Things that can be shown or hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Show {
    /// Lines on the floor.
    Grid,
    /// World axes.
    Axes,
    /// Names of joints and effectors.
    Names,
    /// Meshes and skins.
    Meshes,
    /// Limits of the selected joint.
    Limits,
    /// Shadows.
    Shadows,
    /// Trails of the effectors.
    Trails,
    /// Reachable shell and dead zone of the selected effector.
    Reach,
    /// The panels, all of them.
    Hud,
    /// The side panel.
    Panel,
    /// The help overlay.
    Help,
    /// Times of the parts of a frame.
    Profiler,
}

impl Show {
    /// All with their names.
    pub const NAMES: [(&'static str, Show); 12] = [
        ("grid", Show::Grid),
        ("axes", Show::Axes),
        ("names", Show::Names),
        ("meshes", Show::Meshes),
        ("limits", Show::Limits),
        ("shadows", Show::Shadows),
        ("trails", Show::Trails),
        ("reach", Show::Reach),
        ("hud", Show::Hud),
        ("panel", Show::Panel),
        ("help", Show::Help),
        ("profiler", Show::Profiler),
    ];
}

impl DisplayCommand {
    /// The command of these words, if it is one of these; an error says what should follow the name.
    pub(super) fn parse(name: &str, rest: &[&str]) -> Result<Option<Self>, Expected> {
        use DisplayCommand as Dis;
        Ok(Some(match name {
            "show" => {
                let expected = "what to show (grid, axes, names, meshes, limits, shadows, trails, reach, hud, \
                                panel, help, profiler) and on or off; meshes also xray";
                let [what, state] = rest else { return Err(expected) };
                if (*what, *state) == ("meshes", "xray") {
                    return Ok(Some(Dis::XRay));
                }
                let on = named(&[("on", true), ("off", false)], state).ok_or(expected)?;
                Dis::Show(named(&Show::NAMES, what).ok_or(expected)?, on)
            }
            "toggle" => {
                let expected =
                    "grid, axes, names, meshes, limits, shadows, trails, reach, hud, panel, help or profiler";
                Dis::Toggle(named(&Show::NAMES, word(rest, expected)?).ok_or(expected)?)
            }
            "theme" => {
                let expected = "dark or light";
                Dis::Theme(named(&Theme::NAMES, word(rest, expected)?).ok_or(expected)?)
            }
            "links.next" => alone(Dis::NextLinkStyle, rest)?,
            "axes.next" => alone(Dis::NextMotionAxes, rest)?,
            "font.scale" => {
                let expected = "a factor from 0.5 to 4";
                let scale = number(word(rest, expected)?).filter(|scale| (0.5..=4.0).contains(scale));
                Dis::FontScale(scale.ok_or(expected)? as f32)
            }
            _ => return Ok(None),
        }))
    }
}

/// The words of the command.
impl fmt::Display for DisplayCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DisplayCommand::Show(what, on) => {
                write!(f, "show {} {}", name_of(&Show::NAMES, *what), if *on { "on" } else { "off" })
            }
            DisplayCommand::XRay => write!(f, "show meshes xray"),
            DisplayCommand::Toggle(what) => write!(f, "toggle {}", name_of(&Show::NAMES, *what)),
            DisplayCommand::Theme(theme) => write!(f, "theme {}", name_of(&Theme::NAMES, *theme)),
            DisplayCommand::NextLinkStyle => write!(f, "links.next"),
            DisplayCommand::NextMotionAxes => write!(f, "axes.next"),
            DisplayCommand::FontScale(scale) => write!(f, "font.scale {scale}"),
        }
    }
}
