//! Commands to the camera.

use super::argument::{Expected, alone, name_of, named, number, numbers, vector, word};
use glam::DVec3;
use std::fmt;

/// A change to the camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CameraCommand {
    /// `camera.orbit DYAW DPITCH`, degrees.
    Orbit(f64, f64),
    /// `camera.pan DX DY`, fractions of the picture's height.
    Pan(f64, f64),
    /// `camera.zoom F [X Y]`: F times nearer; with a point of the picture (x right, y up, -1..1): toward it.
    Zoom(f64, Option<[f64; 2]>),
    /// `camera.view front|back|right|left|top|bottom|iso`.
    View(ViewPreset),
    /// `camera.frame`: everything into the picture.
    Frame,
    /// `camera.frame selected`: the selected figure into the picture.
    FrameSelected,
    /// `camera.focus X Y Z`: turn around this point.
    Focus(DVec3),
    /// `camera.reset`: as the scene opened.
    Reset,
    /// `camera.projection`: perspective or orthographic, whichever it is not.
    ToggleProjection,
}

/// Sides to look from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewPreset {
    /// From +z.
    Front,
    /// From -z.
    Back,
    /// From +x.
    Right,
    /// From -x.
    Left,
    /// From above.
    Top,
    /// From below.
    Bottom,
    /// From above a corner.
    Iso,
}

impl ViewPreset {
    /// All with their names.
    pub const NAMES: [(&'static str, ViewPreset); 7] = [
        ("front", ViewPreset::Front),
        ("back", ViewPreset::Back),
        ("right", ViewPreset::Right),
        ("left", ViewPreset::Left),
        ("top", ViewPreset::Top),
        ("bottom", ViewPreset::Bottom),
        ("iso", ViewPreset::Iso),
    ];
}

impl CameraCommand {
    /// The command of these words, if it is one of these; an error says what should follow the name.
    pub(super) fn parse(name: &str, rest: &[&str]) -> Result<Option<Self>, Expected> {
        use CameraCommand as Cam;
        Ok(Some(match name {
            "camera.orbit" => {
                let [yaw, pitch] = numbers(rest).ok_or("two angles in degrees: DYAW DPITCH")?;
                Cam::Orbit(yaw, pitch)
            }
            "camera.pan" => {
                let [x, y] = numbers(rest).ok_or("two fractions of the picture's height: DX DY")?;
                Cam::Pan(x, y)
            }
            "camera.zoom" => {
                let expected = "a positive factor and, optionally, a point of the picture: F [X Y]";
                let factor = rest.first().and_then(|word| number(word)).filter(|factor| *factor > 0.0);
                let at = if rest.len() > 1 { Some(numbers(&rest[1..]).ok_or(expected)?) } else { None };
                Cam::Zoom(factor.ok_or(expected)?, at)
            }
            "camera.view" => {
                let expected = "front, back, right, left, top, bottom or iso";
                Cam::View(named(&ViewPreset::NAMES, word(rest, expected)?).ok_or(expected)?)
            }
            "camera.frame" => match rest {
                [] => Cam::Frame,
                ["selected"] => Cam::FrameSelected,
                _ => return Err("nothing, or `selected`"),
            },
            "camera.focus" => Cam::Focus(vector(rest).ok_or("three numbers: X Y Z")?),
            "camera.reset" => alone(Cam::Reset, rest)?,
            "camera.projection" => alone(Cam::ToggleProjection, rest)?,
            _ => return Ok(None),
        }))
    }
}

/// The words of the command.
impl fmt::Display for CameraCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CameraCommand::Orbit(yaw, pitch) => write!(f, "camera.orbit {yaw} {pitch}"),
            CameraCommand::Pan(x, y) => write!(f, "camera.pan {x} {y}"),
            CameraCommand::Zoom(factor, None) => write!(f, "camera.zoom {factor}"),
            CameraCommand::Zoom(factor, Some([x, y])) => write!(f, "camera.zoom {factor} {x} {y}"),
            CameraCommand::View(side) => write!(f, "camera.view {}", name_of(&ViewPreset::NAMES, *side)),
            CameraCommand::Frame => write!(f, "camera.frame"),
            CameraCommand::FrameSelected => write!(f, "camera.frame selected"),
            CameraCommand::Focus(v) => write!(f, "camera.focus {} {} {}", v.x, v.y, v.z),
            CameraCommand::Reset => write!(f, "camera.reset"),
            CameraCommand::ToggleProjection => write!(f, "camera.projection"),
        }
    }
}
