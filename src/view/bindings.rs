//! The table that binds keys to commands; the help overlay and the README print it.
//!
//! Keys are named by their place on the keyboard as in the W3C's UI Events code values (`KeyW`, `ArrowUp`), so that
//! WASD lies under the same fingers on every layout.

use super::motion::Direction;
use crate::session::Command;

/// What a key does.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// One command a press.
    Do(Command),
    /// Moves the target for as long as it is held.
    Move(Direction),
}

/// Modifier keys that are held down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modifiers {
    /// Shift.
    pub shift: bool,
    /// Control.
    pub ctrl: bool,
    /// Alt.
    pub alt: bool,
}

/// One row of the table: keys that do the same.
struct Row {
    group: &'static str,
    what: &'static str,
    /// Keys and the text of what each does: a command, or `move DIRECTION`.
    keys: &'static [(&'static str, &'static str)],
}

const fn row(group: &'static str, what: &'static str, keys: &'static [(&'static str, &'static str)]) -> Row {
    Row { group, what, keys }
}

const TARGET: &str = "Target";
const CAMERA: &str = "Camera";
const TIME: &str = "Time";
const SHOW: &str = "Show";
const FILE: &str = "Program";

/// The default bindings, in the order of the help.
const TABLE: &[Row] = &[
    row(
        TARGET,
        "move on the ground",
        &[
            ("ArrowUp", "move forward"),
            ("ArrowDown", "move back"),
            ("ArrowLeft", "move left"),
            ("ArrowRight", "move right"),
            ("KeyW", "move forward"),
            ("KeyS", "move back"),
            ("KeyA", "move left"),
            ("KeyD", "move right"),
        ],
    ),
    row(
        TARGET,
        "move up, down",
        &[("PageUp", "move up"), ("PageDown", "move down"), ("KeyE", "move up"), ("KeyQ", "move down")],
    ),
    row(TARGET, "axes of its motion", &[("KeyT", "axes.next")]),
    row(
        TARGET,
        "jump to a preset",
        &[
            ("Digit1", "target.preset 1"),
            ("Digit2", "target.preset 2"),
            ("Digit3", "target.preset 3"),
            ("Digit4", "target.preset 4"),
            ("Digit5", "target.preset 5"),
            ("Digit6", "target.preset 6"),
            ("Digit7", "target.preset 7"),
            ("Digit8", "target.preset 8"),
            ("Digit9", "target.preset 9"),
        ],
    ),
    row(TARGET, "jump anywhere in reach", &[("KeyR", "target.random")]),
    row(TARGET, "next, previous effector", &[("Tab", "effector.next"), ("Shift+Tab", "effector.previous")]),
    row(TARGET, "fixed base or rope", &[("KeyB", "base.toggle")]),
    row(CAMERA, "frame selected, all", &[("KeyF", "camera.frame selected"), ("Home", "camera.frame")]),
    row(CAMERA, "reset", &[("Enter", "camera.reset")]),
    row(
        CAMERA,
        "front, right, top, iso",
        &[
            ("Numpad1", "camera.view front"),
            ("Numpad3", "camera.view right"),
            ("Numpad7", "camera.view top"),
            ("Numpad9", "camera.view iso"),
            ("Ctrl+Numpad1", "camera.view back"),
            ("Ctrl+Numpad3", "camera.view left"),
            ("Ctrl+Numpad7", "camera.view bottom"),
        ],
    ),
    row(CAMERA, "perspective, orthographic", &[("Numpad5", "camera.projection")]),
    row(TIME, "pause", &[("Space", "pause.toggle")]),
    row(TIME, "one step back, on", &[("Comma", "step.back"), ("Period", "step.next")]),
    row(TIME, "steps: joints or passes", &[("Semicolon", "step.unit")]),
    row(TIME, "race of four methods", &[("Shift+KeyC", "race accelerated textbook ccd dls")]),
    row(
        TIME,
        "faster, slower",
        &[
            ("Equal", "speed 2"),
            ("NumpadAdd", "speed 2"),
            ("Shift+Equal", "speed 2"),
            ("Minus", "speed 0.5"),
            ("NumpadSubtract", "speed 0.5"),
        ],
    ),
    row(TIME, "reset the pose", &[("Backspace", "reset")]),
    row(TIME, "next method", &[("KeyC", "method.next")]),
    row(
        SHOW,
        "help, panels, profiler",
        &[("F1", "toggle help"), ("Shift+Slash", "toggle help"), ("F2", "toggle hud"), ("F3", "toggle profiler")],
    ),
    row(
        SHOW,
        "grid, axes, names, meshes",
        &[("KeyG", "toggle grid"), ("KeyX", "toggle axes"), ("KeyN", "toggle names"), ("KeyM", "toggle meshes")],
    ),
    row(SHOW, "limits, link style", &[("KeyL", "toggle limits"), ("KeyV", "links.next")]),
    row(FILE, "undo, redo", &[("Ctrl+KeyZ", "undo"), ("Ctrl+Shift+KeyZ", "redo"), ("Ctrl+KeyY", "redo")]),
    row(FILE, "reload the file", &[("F5", "reload")]),
    row(FILE, "screenshot", &[("F12", "screenshot")]),
    row(FILE, "full screen", &[("F11", "fullscreen")]),
    row(FILE, "cancel, close an overlay", &[("Escape", "cancel")]),
    row(FILE, "quit", &[("Ctrl+KeyQ", "quit")]),
];

/// What the mouse does, for the help; handled in [`super::pointer`].
const MOUSE: &[(&str, &str, &str)] = &[
    (TARGET, "drag the target", "left drag on it"),
    (TARGET, "faster, slower", "Shift, Alt with the keys"),
    (CAMERA, "orbit", "left drag, middle drag"),
    (CAMERA, "pan", "right drag, Shift + left drag"),
    (CAMERA, "zoom; to the pointer", "wheel; Ctrl + wheel"),
    (CAMERA, "focus a point", "double click"),
];

/// One line of the help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HelpLine {
    /// Heading that it belongs under.
    pub group: &'static str,
    /// What happens.
    pub what: &'static str,
    /// Keys or mouse actions that do it.
    pub keys: String,
}

/// The keys as they are bound.
#[derive(Clone, Debug)]
pub struct Bindings {
    keys: Vec<(Modifiers, &'static str, Action)>,
}

impl Default for Bindings {
    fn default() -> Self {
        let keys = TABLE.iter().flat_map(|row| row.keys);
        Bindings {
            keys: keys
                .filter_map(|(chord, text)| {
                    let (modifiers, key) = parse_chord(chord);
                    Some((modifiers, key, parse_action(text)?))
                })
                .collect(),
        }
    }
}

fn parse_action(text: &str) -> Option<Action> {
    match text.strip_prefix("move ") {
        Some(direction) => Direction::named(direction).map(Action::Move),
        None => text.parse().ok().map(Action::Do),
    }
}

fn parse_chord(chord: &'static str) -> (Modifiers, &'static str) {
    let mut modifiers = Modifiers::default();
    let mut rest = chord;
    while let Some((modifier, after)) = rest.split_once('+') {
        match modifier {
            "Shift" => modifiers.shift = true,
            "Ctrl" => modifiers.ctrl = true,
            _ => modifiers.alt = true,
        }
        rest = after;
    }
    (modifiers, rest)
}

impl Bindings {
    /// What the key of this code does with these modifiers. Keys that move the target take Shift and Alt as well: they
    /// change its speed.
    pub fn action(&self, code: &str, modifiers: Modifiers) -> Option<&Action> {
        let exact = self.keys.iter().find(|(held, key, _)| *key == code && *held == modifiers);
        let moving = || {
            let found = self.keys.iter().find(|(_, key, action)| *key == code && matches!(action, Action::Move(_)));
            found.filter(|_| !modifiers.ctrl)
        };
        exact.or_else(moving).map(|(_, _, action)| action)
    }

    /// The help, group by group. `label` gives the letter that a key bears on the user's keyboard, where it is known.
    pub fn help(label: impl Fn(&str) -> Option<String>) -> Vec<HelpLine> {
        let mut lines: Vec<HelpLine> = Vec::new();
        for group in [TARGET, CAMERA, TIME, SHOW, FILE] {
            let mouse = MOUSE.iter().filter(|(of, ..)| *of == group);
            lines.extend(mouse.map(|(group, what, keys)| HelpLine { group, what, keys: (*keys).to_owned() }));
            for row in TABLE.iter().filter(|row| row.group == group) {
                lines.push(HelpLine { group, what: row.what, keys: key_names(row.keys, &label) });
            }
        }
        lines
    }
}

/// Short names of a row's keys: `W S A D`, `1 .. 9`, `Ctrl+Z`.
fn key_names(keys: &[(&'static str, &'static str)], label: &impl Fn(&str) -> Option<String>) -> String {
    let names: Vec<String> = keys
        .iter()
        .map(|(chord, _)| {
            let (modifiers, key) = parse_chord(chord);
            let mut name = String::new();
            for (held, word) in [(modifiers.ctrl, "Ctrl+"), (modifiers.shift, "Shift+"), (modifiers.alt, "Alt+")] {
                if held {
                    name.push_str(word);
                }
            }
            name + &label(key).unwrap_or_else(|| key_name(key))
        })
        .collect();
    match names.as_slice() {
        [first, .., last] if names.len() > 8 => format!("{first} .. {last}"),
        _ => names.join("  "),
    }
}

/// Name of a key on a US keyboard.
pub fn key_name(code: &str) -> String {
    let plain = match code {
        "ArrowUp" => "Up",
        "ArrowDown" => "Down",
        "ArrowLeft" => "Left",
        "ArrowRight" => "Right",
        "PageUp" => "PgUp",
        "PageDown" => "PgDn",
        "Escape" => "Esc",
        "Equal" => "=",
        "Minus" => "-",
        "NumpadAdd" => "Num +",
        "NumpadSubtract" => "Num -",
        "Slash" => "/",
        "BracketLeft" => "[",
        "BracketRight" => "]",
        "Comma" => ",",
        "Period" => ".",
        "Semicolon" => ";",
        _ => "",
    };
    if !plain.is_empty() {
        return plain.to_owned();
    }
    match code.strip_prefix("Key").or(code.strip_prefix("Digit")) {
        Some(letter) => letter.to_owned(),
        None => code.replace("Numpad", "Num "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_row_is_understood_and_no_chord_is_bound_twice() {
        let rows = TABLE.iter().map(|row| row.keys.len()).sum::<usize>();
        let bindings = Bindings::default();
        assert_eq!(bindings.keys.len(), rows, "a row of the table is no action");
        let chords: HashSet<String> = bindings.keys.iter().map(|(held, key, _)| format!("{held:?} {key}")).collect();
        assert_eq!(chords.len(), rows, "a chord is bound twice");
    }

    #[test]
    fn alt_is_never_bound_to_a_command() {
        assert!(Bindings::default().keys.iter().all(|(held, ..)| !held.alt));
    }

    #[test]
    fn moving_keys_take_speed_modifiers_but_not_control() {
        let bindings = Bindings::default();
        let fast = Modifiers { shift: true, ..Default::default() };
        let ctrl = Modifiers { ctrl: true, ..Default::default() };
        assert!(matches!(bindings.action("KeyW", fast), Some(Action::Move(_))));
        assert_eq!(bindings.action("KeyA", ctrl), None);
    }
}
