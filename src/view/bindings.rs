//! The table that binds keys to commands; the help overlay and the README print it.
//!
//! Keys are named by their place on the keyboard as in the W3C's UI Events code values (`KeyW`, `ArrowUp`), so that
//! WASD lies under the same fingers on every layout.

use super::motion::Direction;
use crate::session::Command;
use std::collections::BTreeMap;

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

/// One row of the default table: keys that do the same.
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
const MOTION: &str = "Motion";
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
        "turn left, right, up, down",
        &[
            ("Ctrl+ArrowLeft", "turn yaw-left"),
            ("Ctrl+ArrowRight", "turn yaw-right"),
            ("Ctrl+ArrowUp", "turn pitch-up"),
            ("Ctrl+ArrowDown", "turn pitch-down"),
        ],
    ),
    row(TARGET, "lean left, right", &[("Ctrl+PageUp", "turn roll-left"), ("Ctrl+PageDown", "turn roll-right")]),
    row(TARGET, "want this orientation, or any", &[("KeyO", "target.rotation toggle")]),
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
    row(TARGET, "previous, next joint", &[("BracketLeft", "joint.previous"), ("BracketRight", "joint.next")]),
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
    row(MOTION, "play, stop", &[("KeyP", "motion.toggle")]),
    row(MOTION, "next, previous clip", &[("KeyK", "motion.clip next"), ("Shift+KeyK", "motion.clip previous")]),
    row(MOTION, "show it, or follow it", &[("KeyU", "motion.mode")]),
    row(MOTION, "one frame back, on", &[("Shift+Comma", "motion.step -1"), ("Shift+Period", "motion.step 1")]),
    row(SHOW, "help", &[("F1", "toggle help"), ("Shift+Slash", "toggle help")]),
    row(
        SHOW,
        "all panels, profiler, side panel",
        &[("F2", "toggle hud"), ("F3", "toggle profiler"), ("F4", "toggle panel")],
    ),
    row(
        SHOW,
        "grid, axes, names, meshes",
        &[("KeyG", "toggle grid"), ("KeyX", "toggle axes"), ("KeyN", "toggle names"), ("KeyM", "toggle meshes")],
    ),
    row(SHOW, "limits, link style", &[("KeyL", "toggle limits"), ("KeyV", "links.next")]),
    row(SHOW, "reach, trails", &[("KeyH", "toggle reach"), ("KeyJ", "toggle trails")]),
    row(
        FILE,
        "open, save, open a motion",
        &[("Ctrl+KeyO", "open"), ("Ctrl+KeyS", "save"), ("Ctrl+KeyM", "motion.open")],
    ),
    row(FILE, "undo, redo", &[("Ctrl+KeyZ", "undo"), ("Ctrl+Shift+KeyZ", "redo"), ("Ctrl+KeyY", "redo")]),
    row(FILE, "reload the file", &[("F5", "reload")]),
    row(FILE, "screenshot, film on and off", &[("F12", "screenshot"), ("Ctrl+KeyR", "record")]),
    row(FILE, "full screen", &[("F11", "fullscreen")]),
    row(FILE, "cancel, close an overlay", &[("Escape", "cancel")]),
    row(FILE, "quit", &[("Ctrl+KeyQ", "quit")]),
];

/// What the mouse does, for the help; handled in [`super::pointer`].
const MOUSE: &[(&str, &str, &str)] = &[
    (TARGET, "drag", "left drag on it or its handles"),
    (TARGET, "... along an axis, on the grid", "X Y Z, Ctrl while dragging"),
    (TARGET, "select a joint", "click on it"),
    (TARGET, "faster, slower", "Shift, Alt with the keys"),
    (CAMERA, "orbit", "left drag, middle drag"),
    (CAMERA, "pan", "right drag, Shift + left drag"),
    (CAMERA, "zoom; to the pointer", "wheel; Ctrl + wheel"),
    (CAMERA, "focus a point", "double click"),
    (FILE, "open a file", "drop it on the window"),
];

/// One line of the help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HelpLine {
    /// Heading that it belongs under.
    pub group: &'static str,
    /// What happens.
    pub what: String,
    /// Keys or mouse actions that do it.
    pub keys: String,
}

/// The keys as they are bound.
#[derive(Clone, Debug)]
pub struct Bindings {
    rows: Vec<BoundRow>,
}

/// One row of the table as it stands.
#[derive(Clone, Debug)]
struct BoundRow {
    group: &'static str,
    what: String,
    keys: Vec<BoundKey>,
}

/// One key with its modifiers, and what it does.
#[derive(Clone, Debug, PartialEq)]
struct BoundKey {
    modifiers: Modifiers,
    code: String,
    action: Action,
}

impl Default for Bindings {
    fn default() -> Self {
        let bound = |(chord, text): &(&str, &str)| {
            let (modifiers, code) = parse_chord(chord)?;
            Some(BoundKey { modifiers, code, action: parse_action(text).ok()? })
        };
        let rows = TABLE.iter().map(|row| BoundRow {
            group: row.group,
            what: row.what.to_owned(),
            keys: row.keys.iter().filter_map(bound).collect(),
        });
        Bindings { rows: rows.collect() }
    }
}

/// The action that a text stands for: a command, or `move` or `turn` with a direction.
fn parse_action(text: &str) -> Result<Action, String> {
    match text.split_once(' ') {
        Some(("move" | "turn", direction)) => {
            Direction::named(direction.trim()).map(Action::Move).ok_or_else(|| format!("`{direction}` is no direction"))
        }
        _ => text.parse().map(Action::Do).map_err(|error: crate::session::command::ParseError| error.to_string()),
    }
}

/// Modifiers and code of a chord such as `Ctrl+Shift+KeyZ`; none where a modifier is not known.
fn parse_chord(chord: &str) -> Option<(Modifiers, String)> {
    let mut modifiers = Modifiers::default();
    let mut rest = chord;
    while let Some((modifier, after)) = rest.split_once('+') {
        match modifier {
            "Shift" => modifiers.shift = true,
            "Ctrl" => modifiers.ctrl = true,
            "Alt" => modifiers.alt = true,
            _ => return None,
        }
        rest = after;
    }
    (!rest.is_empty()).then(|| (modifiers, rest.to_owned()))
}

impl Bindings {
    /// The default keys with changes: what a chord (`"Ctrl+KeyP"`) does instead, a command or `none`. What cannot be
    /// understood is left out and told.
    pub fn with_changes(changes: &BTreeMap<String, String>) -> (Self, Vec<String>) {
        let mut bindings = Bindings::default();
        let mut complaints = Vec::new();
        for (chord, text) in changes {
            let Some((modifiers, code)) = parse_chord(chord) else {
                complaints.push(format!("`{chord}` is no key: write Ctrl, Shift or Alt, + and a code such as KeyP"));
                continue;
            };
            let action = match text.as_str() {
                "none" => None,
                text => match parse_action(text) {
                    Ok(action) => Some(action),
                    Err(reason) => {
                        complaints.push(format!("{chord}: {reason}"));
                        continue;
                    }
                },
            };
            for row in &mut bindings.rows {
                row.keys.retain(|key| key.modifiers != modifiers || key.code != code);
            }
            if let Some(action) = action {
                bindings.bind(BoundKey { modifiers, code, action }, text);
            }
        }
        (bindings, complaints)
    }

    /// Adds a key to the row of its action, or a row for it.
    fn bind(&mut self, key: BoundKey, text: &str) {
        let row = self.rows.iter_mut().find(|row| row.keys.iter().any(|other| other.action == key.action));
        match row {
            Some(row) => row.keys.push(key),
            None => self.rows.push(BoundRow { group: FILE, what: text.to_owned(), keys: vec![key] }),
        }
    }

    /// What the key of this code does with these modifiers. Keys that move or turn the target take Shift and Alt as
    /// well: they change its speed.
    pub fn action(&self, code: &str, modifiers: Modifiers) -> Option<&Action> {
        let keys = || self.rows.iter().flat_map(|row| &row.keys).filter(|key| key.code == code);
        let exact = keys().find(|key| key.modifiers == modifiers);
        let moving =
            || keys().find(|key| matches!(key.action, Action::Move(_)) && key.modifiers.ctrl == modifiers.ctrl);
        exact.or_else(moving).map(|key| &key.action)
    }

    /// The help, group by group. `label` gives the letter that a key bears on the user's keyboard, where it is known.
    pub fn help(&self, label: impl Fn(&str) -> Option<String>) -> Vec<HelpLine> {
        let mut lines: Vec<HelpLine> = Vec::new();
        for group in [TARGET, CAMERA, TIME, MOTION, SHOW, FILE] {
            let mouse = MOUSE.iter().filter(|(of, ..)| *of == group);
            lines.extend(mouse.map(|(group, what, keys)| HelpLine {
                group,
                what: (*what).to_owned(),
                keys: (*keys).to_owned(),
            }));
            for row in self.rows.iter().filter(|row| row.group == group && !row.keys.is_empty()) {
                lines.push(HelpLine { group, what: row.what.clone(), keys: key_names(&row.keys, &label) });
            }
        }
        lines
    }
}

/// Short names of a row's keys: `W S A D`, `1 .. 9`, `Ctrl+Z`. Keys that share their modifiers name them once.
fn key_names(keys: &[BoundKey], label: &impl Fn(&str) -> Option<String>) -> String {
    let mut names: Vec<String> = Vec::new();
    for (at, key) in keys.iter().enumerate() {
        let mut name = String::new();
        let before = at.checked_sub(1).map(|at| &keys[at]).filter(|before| before.modifiers == key.modifiers);
        if before.is_none() {
            for (held, word) in
                [(key.modifiers.ctrl, "Ctrl+"), (key.modifiers.shift, "Shift+"), (key.modifiers.alt, "Alt+")]
            {
                if held {
                    name.push_str(word);
                }
            }
        }
        let plain = label(&key.code).unwrap_or_else(|| key_name(&key.code));
        // A row of numpad keys names the numpad once.
        let short = plain.strip_prefix("Num ").filter(|_| before.is_some_and(|key| key.code.starts_with("Numpad")));
        names.push(name + short.unwrap_or(&plain));
    }
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

    fn keys(bindings: &Bindings) -> Vec<&BoundKey> {
        bindings.rows.iter().flat_map(|row| &row.keys).collect()
    }

    #[test]
    fn every_row_is_understood_and_no_chord_is_bound_twice() {
        let rows = TABLE.iter().map(|row| row.keys.len()).sum::<usize>();
        let bindings = Bindings::default();
        assert_eq!(keys(&bindings).len(), rows, "a row of the table is no action");
        let chords: HashSet<String> =
            keys(&bindings).iter().map(|key| format!("{:?} {}", key.modifiers, key.code)).collect();
        assert_eq!(chords.len(), rows, "a chord is bound twice");
    }

    #[test]
    fn alt_is_never_bound_to_a_command() {
        assert!(keys(&Bindings::default()).iter().all(|key| !key.modifiers.alt));
    }

    #[test]
    fn moving_keys_take_speed_modifiers_and_control_turns() {
        let bindings = Bindings::default();
        let fast = Modifiers { shift: true, ..Default::default() };
        let ctrl = Modifiers { ctrl: true, ..Default::default() };
        assert!(matches!(bindings.action("KeyW", fast), Some(Action::Move(Direction::Forward))));
        assert_eq!(bindings.action("KeyA", ctrl), None);
        let fast_turn = Modifiers { shift: true, ..ctrl };
        assert_eq!(bindings.action("ArrowUp", fast_turn), Some(&Action::Move(Direction::PitchUp)));
    }

    #[test]
    fn changed_keys_do_what_the_change_says_and_the_help_knows() {
        let changes = [
            ("Ctrl+KeyP", "pause.toggle"),
            ("Space", "none"),
            ("KeyW", "move back"),
            ("KeyI", "camera.orbit 10 0"),
            ("Super+KeyA", "pause"),
            ("KeyU", "fly"),
        ];
        let changes = changes.map(|(chord, text)| (chord.to_owned(), text.to_owned())).into();
        let (bindings, complaints) = Bindings::with_changes(&changes);
        let plain = Modifiers::default();
        let ctrl = Modifiers { ctrl: true, ..plain };
        assert_eq!(bindings.action("KeyP", ctrl), Some(&parse_action("pause.toggle").expect("a command")));
        assert_eq!(bindings.action("Space", plain), None);
        assert_eq!(bindings.action("KeyW", plain), Some(&Action::Move(Direction::Back)));
        assert_eq!(complaints.len(), 2, "{complaints:?}");
        let help = bindings.help(|_| None);
        assert!(help.iter().any(|line| line.what == "pause" && line.keys == "Ctrl+P"));
        assert!(help.iter().any(|line| line.what == "camera.orbit 10 0" && line.keys == "I"));
    }
}
