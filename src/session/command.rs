//! Commands: the one way to change anything. Keys, mouse, panels and scripts all speak them; this is their grammar.

use super::file::FileCommand;
use super::joint::JointCommand;
use super::lesson::StepCommand;
use super::path::PathShape;
use super::race::RaceCommand;
use super::rotation::RotationCommand;
use super::words::{quoted, split};
use crate::ik::Method;
use glam::DVec3;
use std::fmt;
use std::path::PathBuf;

/// One change, as a key gives it or a script line spells it.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// To targets, solver and clock.
    Session(SessionCommand),
    /// To the camera.
    Camera(CameraCommand),
    /// To what is drawn and how.
    Display(DisplayCommand),
    /// To the program around the scene.
    App(AppCommand),
}

/// A change to targets, solver or clock.
#[derive(Clone, Debug, PartialEq)]
pub enum SessionCommand {
    /// `target.move DX DY DZ`: the selected target glides, world axes.
    TargetMove(DVec3),
    /// `target.set [NAME] X Y Z`: a target jumps.
    TargetSet(Option<String>, DVec3),
    /// `target.preset N`: the selected target jumps to its preset, from 1.
    TargetPreset(usize),
    /// `target.random`: the selected target jumps to a random place within reach.
    TargetRandom,
    /// `target.path circle|figure8|line|none`: the selected target runs along a curve.
    TargetPath(Option<PathShape>),
    /// `target.grab`: what is moved from now on is undone apart from what was moved before.
    TargetGrab,
    /// `target.turn ..` and `target.rotation ..`.
    Rotation(RotationCommand),
    /// `effector.next` (1) and `effector.previous` (-1).
    EffectorNext(i32),
    /// `effector.select NAME`.
    EffectorSelect(String),
    /// `joint.next`, `joint.select NAME` and the like.
    Joint(JointCommand),
    /// `pause` (true) and `resume` (false).
    Pause(bool),
    /// `pause.toggle`.
    TogglePause,
    /// `speed F`: session time runs F times faster than it did.
    Speed(f64),
    /// `reset`: the scene's own pose and targets.
    Reset,
    /// `method NAME`.
    Method(Method),
    /// `method.next`: the next of the methods.
    NextMethod,
    /// `set KEY VALUE`.
    Set(String, String),
    /// `base.toggle`: fixes or frees the base of the selected tree.
    ToggleBase,
    /// `step.next`, `step.back` and the other commands of a lesson.
    Step(StepCommand),
    /// `race METHOD METHOD ..`, `race off` and `race.layout`.
    Race(RaceCommand),
    /// `undo`.
    Undo,
    /// `redo`.
    Redo,
}

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

/// A change to what is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DisplayCommand {
    /// `show WHAT on|off`.
    Show(Show, bool),
    /// `toggle WHAT`.
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

/// A change to the program around the scene.
#[derive(Clone, Debug, PartialEq)]
pub enum AppCommand {
    /// `screenshot FILE`; without a file a name with date and time is made.
    Screenshot(Option<PathBuf>),
    /// `open`, `save` and `record`.
    File(FileCommand),
    /// `reload`: the file again, the pose kept.
    Reload,
    /// `fullscreen`.
    Fullscreen,
    /// `cancel`: what Esc does.
    Cancel,
    /// `quit`.
    Quit,
}

/// Why a script line is no command.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ParseError {
    /// A quotation mark without its partner.
    #[error("a quotation mark is not closed")]
    Quote,
    /// The first word is not known.
    #[error("unknown command `{0}`")]
    Unknown(String),
    /// Too few, too many or unsuitable words after it.
    #[error("`{command}` takes {expected}")]
    Arguments {
        /// The command.
        command: String,
        /// What should follow it.
        expected: &'static str,
    },
}

impl std::str::FromStr for Command {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        use CameraCommand as Cam;
        use DisplayCommand as Dis;
        use SessionCommand as Ses;
        let words = split(text).ok_or(ParseError::Quote)?;
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let (&name, rest) = words.split_first().ok_or_else(|| ParseError::Unknown(String::new()))?;
        let fail = |expected| ParseError::Arguments { command: name.to_owned(), expected };
        let none = |command: Command| if rest.is_empty() { Ok(command) } else { Err(fail("nothing after it")) };
        let word = |expected| match rest {
            [one] => Ok(*one),
            _ => Err(fail(expected)),
        };
        Ok(match name {
            "target.move" => Command::Session(Ses::TargetMove(vector(rest).ok_or(fail("three numbers: DX DY DZ"))?)),
            "target.set" => {
                let expected = "an optional effector name and three numbers: [NAME] X Y Z";
                let (name, place) = match rest.len() {
                    3 => (None, vector(rest)),
                    4 => (Some(rest[0].to_owned()), vector(&rest[1..])),
                    _ => (None, None),
                };
                Command::Session(Ses::TargetSet(name, place.ok_or(fail(expected))?))
            }
            "target.preset" => {
                let number = word("a number from 1")?.parse().ok().filter(|number| *number > 0);
                Command::Session(Ses::TargetPreset(number.ok_or(fail("a number from 1"))?))
            }
            "target.random" => none(Command::Session(Ses::TargetRandom))?,
            "target.path" => {
                let expected = "circle, figure8, line or none";
                let shape = match word(expected)? {
                    "none" => None,
                    other => Some(named(&PathShape::NAMES, other).ok_or(fail(expected))?),
                };
                Command::Session(Ses::TargetPath(shape))
            }
            "target.grab" => none(Command::Session(Ses::TargetGrab))?,
            "target.turn" | "target.rotation" => {
                Command::Session(Ses::Rotation(RotationCommand::parse(name, rest).map_err(fail)?))
            }
            "effector.next" => none(Command::Session(Ses::EffectorNext(1)))?,
            "effector.previous" => none(Command::Session(Ses::EffectorNext(-1)))?,
            "effector.select" => Command::Session(Ses::EffectorSelect(word("an effector's name")?.to_owned())),
            "joint.next" | "joint.previous" | "joint.select" | "joint.none" => {
                Command::Session(Ses::Joint(JointCommand::parse(name, rest).map_err(fail)?))
            }
            "pause" => none(Command::Session(Ses::Pause(true)))?,
            "resume" => none(Command::Session(Ses::Pause(false)))?,
            "pause.toggle" => none(Command::Session(Ses::TogglePause))?,
            "speed" => {
                let factor = number(word("a positive factor")?).filter(|factor| *factor > 0.0);
                Command::Session(Ses::Speed(factor.ok_or(fail("a positive factor"))?))
            }
            "reset" => none(Command::Session(Ses::Reset))?,
            "method" => {
                let expected = "accelerated, textbook, ccd, jacobian-transpose, dls, svd-dls, triangulation or ftl";
                let wanted = word(expected)?;
                let method = Method::ALL.into_iter().find(|method| method.name() == wanted);
                Command::Session(Ses::Method(method.ok_or(fail(expected))?))
            }
            "method.next" => none(Command::Session(Ses::NextMethod))?,
            "set" => match rest {
                [key, value] => Command::Session(Ses::Set((*key).to_owned(), (*value).to_owned())),
                _ => return Err(fail("a key and a value: KEY VALUE")),
            },
            "base.toggle" => none(Command::Session(Ses::ToggleBase))?,
            "undo" => none(Command::Session(Ses::Undo))?,
            "redo" => none(Command::Session(Ses::Redo))?,
            "camera.orbit" => {
                let [yaw, pitch] = numbers(rest).ok_or(fail("two angles in degrees: DYAW DPITCH"))?;
                Command::Camera(Cam::Orbit(yaw, pitch))
            }
            "camera.pan" => {
                let [x, y] = numbers(rest).ok_or(fail("two fractions of the picture's height: DX DY"))?;
                Command::Camera(Cam::Pan(x, y))
            }
            "camera.zoom" => {
                let expected = "a positive factor and, optionally, a point of the picture: F [X Y]";
                let factor = rest.first().and_then(|word| number(word)).filter(|factor| *factor > 0.0);
                let at = if rest.len() > 1 { Some(numbers(&rest[1..]).ok_or(fail(expected))?) } else { None };
                Command::Camera(Cam::Zoom(factor.ok_or(fail(expected))?, at))
            }
            "camera.view" => {
                let expected = "front, back, right, left, top, bottom or iso";
                let side = named(&ViewPreset::NAMES, word(expected)?);
                Command::Camera(Cam::View(side.ok_or(fail(expected))?))
            }
            "camera.frame" => match rest {
                [] => Command::Camera(Cam::Frame),
                ["selected"] => Command::Camera(Cam::FrameSelected),
                _ => return Err(fail("nothing, or `selected`")),
            },
            "camera.focus" => Command::Camera(Cam::Focus(vector(rest).ok_or(fail("three numbers: X Y Z"))?)),
            "camera.reset" => none(Command::Camera(Cam::Reset))?,
            "camera.projection" => none(Command::Camera(Cam::ToggleProjection))?,
            "show" => {
                let expected = "what to show (grid, axes, names, meshes, limits, shadows, trails, reach, hud, \
                                panel, help, profiler) and on or off";
                let [what, state] = rest else { return Err(fail(expected)) };
                let on = named(&[("on", true), ("off", false)], state).ok_or(fail(expected))?;
                Command::Display(Dis::Show(named(&Show::NAMES, what).ok_or(fail(expected))?, on))
            }
            "toggle" => {
                let expected =
                    "grid, axes, names, meshes, limits, shadows, trails, reach, hud, panel, help or profiler";
                Command::Display(Dis::Toggle(named(&Show::NAMES, word(expected)?).ok_or(fail(expected))?))
            }
            "theme" => {
                let theme = named(&Theme::NAMES, word("dark or light")?);
                Command::Display(Dis::Theme(theme.ok_or(fail("dark or light"))?))
            }
            "links.next" => none(Command::Display(Dis::NextLinkStyle))?,
            "axes.next" => none(Command::Display(Dis::NextMotionAxes))?,
            "font.scale" => {
                let expected = "a factor from 0.5 to 4";
                let scale = number(word(expected)?).filter(|scale| (0.5..=4.0).contains(scale));
                Command::Display(Dis::FontScale(scale.ok_or(fail(expected))? as f32))
            }
            "screenshot" => match rest {
                [] => Command::App(AppCommand::Screenshot(None)),
                [file] => Command::App(AppCommand::Screenshot(Some(PathBuf::from(file)))),
                _ => return Err(fail("a file name")),
            },
            "open" | "save" | "record" => Command::App(AppCommand::File(FileCommand::parse(name, rest).map_err(fail)?)),
            "reload" => none(Command::App(AppCommand::Reload))?,
            "fullscreen" => none(Command::App(AppCommand::Fullscreen))?,
            "cancel" => none(Command::App(AppCommand::Cancel))?,
            "quit" => none(Command::App(AppCommand::Quit))?,
            _ => match (StepCommand::parse(name, rest), RaceCommand::parse(name, rest)) {
                (Some(step), _) => Command::Session(Ses::Step(step.map_err(fail)?)),
                (_, Some(race)) => Command::Session(Ses::Race(race.map_err(fail)?)),
                _ => return Err(ParseError::Unknown(name.to_owned())),
            },
        })
    }
}

/// The words of a command; what they parse to is the command again.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Command::Session(command) => match command {
                SessionCommand::TargetMove(v) => write!(f, "target.move {} {} {}", v.x, v.y, v.z),
                SessionCommand::TargetSet(None, v) => write!(f, "target.set {} {} {}", v.x, v.y, v.z),
                SessionCommand::TargetSet(Some(name), v) => {
                    write!(f, "target.set {} {} {} {}", quoted(name), v.x, v.y, v.z)
                }
                SessionCommand::TargetPreset(number) => write!(f, "target.preset {number}"),
                SessionCommand::TargetRandom => write!(f, "target.random"),
                SessionCommand::TargetPath(shape) => {
                    write!(f, "target.path {}", shape.map_or("none", |shape| name_of(&PathShape::NAMES, shape)))
                }
                SessionCommand::TargetGrab => write!(f, "target.grab"),
                SessionCommand::Rotation(command) => write!(f, "{command}"),
                SessionCommand::EffectorNext(step) => {
                    write!(f, "effector.{}", if *step < 0 { "previous" } else { "next" })
                }
                SessionCommand::EffectorSelect(name) => write!(f, "effector.select {}", quoted(name)),
                SessionCommand::Joint(command) => write!(f, "{command}"),
                SessionCommand::Pause(paused) => write!(f, "{}", if *paused { "pause" } else { "resume" }),
                SessionCommand::TogglePause => write!(f, "pause.toggle"),
                SessionCommand::Speed(factor) => write!(f, "speed {factor}"),
                SessionCommand::Reset => write!(f, "reset"),
                SessionCommand::Method(method) => write!(f, "method {}", method.name()),
                SessionCommand::NextMethod => write!(f, "method.next"),
                SessionCommand::Set(key, value) => write!(f, "set {} {}", quoted(key), quoted(value)),
                SessionCommand::ToggleBase => write!(f, "base.toggle"),
                SessionCommand::Step(step) => write!(f, "{step}"),
                SessionCommand::Race(race) => write!(f, "{race}"),
                SessionCommand::Undo => write!(f, "undo"),
                SessionCommand::Redo => write!(f, "redo"),
            },
            Command::Camera(command) => match command {
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
            },
            Command::Display(command) => match command {
                DisplayCommand::Show(what, on) => {
                    write!(f, "show {} {}", name_of(&Show::NAMES, *what), if *on { "on" } else { "off" })
                }
                DisplayCommand::Toggle(what) => write!(f, "toggle {}", name_of(&Show::NAMES, *what)),
                DisplayCommand::Theme(theme) => write!(f, "theme {}", name_of(&Theme::NAMES, *theme)),
                DisplayCommand::NextLinkStyle => write!(f, "links.next"),
                DisplayCommand::NextMotionAxes => write!(f, "axes.next"),
                DisplayCommand::FontScale(scale) => write!(f, "font.scale {scale}"),
            },
            Command::App(command) => match command {
                AppCommand::Screenshot(None) => write!(f, "screenshot"),
                AppCommand::Screenshot(Some(file)) => {
                    write!(f, "screenshot {}", quoted(&file.display().to_string()))
                }
                AppCommand::File(command) => write!(f, "{command}"),
                AppCommand::Reload => write!(f, "reload"),
                AppCommand::Fullscreen => write!(f, "fullscreen"),
                AppCommand::Cancel => write!(f, "cancel"),
                AppCommand::Quit => write!(f, "quit"),
            },
        }
    }
}

fn number(word: &str) -> Option<f64> {
    word.parse().ok().filter(|number: &f64| number.is_finite())
}

fn numbers<const N: usize>(words: &[&str]) -> Option<[f64; N]> {
    let words: &[&str; N] = words.try_into().ok()?;
    let mut out = [0.0; N];
    for (slot, word) in out.iter_mut().zip(words) {
        *slot = number(word)?;
    }
    Some(out)
}

fn vector(words: &[&str]) -> Option<DVec3> {
    numbers(words).map(DVec3::from_array)
}

fn named<T: Copy>(names: &[(&str, T)], word: &str) -> Option<T> {
    names.iter().find(|(name, _)| *name == word).map(|(_, value)| *value)
}

fn name_of<T: Copy + PartialEq>(names: &'static [(&'static str, T)], value: T) -> &'static str {
    names.iter().find(|(_, other)| *other == value).map_or("", |(name, _)| name)
}
