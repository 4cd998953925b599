//! Names of keys, as the help and the panels show them.

use super::held_keys::Modifiers;
use super::keys::{PAD, PUCK};

/// Most names of one row. Of more, only the first and the last are shown.
const MAX_NAMES: usize = 8;

/// Most keys of a row each of which has its modifiers beside it.
const MAX_REPEATED: usize = 3;

/// Keys that share what is held or named once before them: `Ctrl+` with `[` and `]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chords {
    /// The modifiers, with the block of keys if it is the numpad: `Ctrl+Num `. Often empty.
    pub prefix: String,
    /// Names of the keys.
    pub names: Vec<String>,
}

/// The chords of a row's keys, given by modifiers and code. `label` names a key of the user's keyboard.
pub(super) fn chords<'a>(
    keys: impl Iterator<Item = (Modifiers, &'a str)>,
    label: &impl Fn(&str) -> Option<String>,
) -> Vec<Chords> {
    let mut all: Vec<Chords> = Vec::new();
    for (modifiers, code) in keys {
        let device = DEVICES.iter().find(|(device, ..)| code.starts_with(device));
        let [ctrl, shift] = device.map_or(["Ctrl+", "Shift+"], |(.., modifiers)| *modifiers);
        let held = [(modifiers.ctrl, ctrl), (modifiers.shift, shift), (modifiers.alt, "Alt+")];
        let held = held.into_iter().filter(|(is_held, _)| *is_held).map(|(_, word)| word);
        let mut prefix: String = device.map(|(_, name, _)| *name).into_iter().chain(held).collect();
        // Keys with Ctrl are bound by letter, not by position.
        let is_letter = modifiers.ctrl && code.starts_with("Key");
        let label = (!is_letter).then(|| label(code)).flatten();
        let mut name = label.unwrap_or_else(|| {
            device.map_or_else(|| key_name(code), |(device, ..)| control_name(device, &code[device.len()..]))
        });
        if let Some(short) = name.strip_prefix(NUMPAD) {
            prefix += NUMPAD;
            name = short.to_owned();
        }
        match all.last_mut().filter(|last| last.prefix == prefix) {
            // All ways of a stick have its name.
            Some(last) if last.names.last() == Some(&name) => {}
            Some(last) => last.names.push(name),
            None => all.push(Chords { prefix, names: vec![name] }),
        }
    }
    if let [only] = all.as_mut_slice()
        && only.names.len() > MAX_NAMES
    {
        only.names = vec![format!("{} .. {}", only.names[0], only.names[only.names.len() - 1])];
    }
    all.into_iter().flat_map(Chords::repeated).collect()
}

impl Chords {
    /// One chord per key if few keys have modifiers, so that no key seems to go without them. The numpad and the gamepad are
    /// named once.
    fn repeated(self) -> Vec<Chords> {
        if !self.prefix.ends_with('+') || self.names.len() > MAX_REPEATED {
            return vec![self];
        }
        let Chords { prefix, names } = self;
        names.into_iter().map(|name| Chords { prefix: prefix.clone(), names: vec![name] }).collect()
    }
}

/// Chords as plain text: `W  S  A  D`, `1 .. 9`, `Ctrl+Z`.
pub(super) fn plain(chords: &[Chords]) -> String {
    let texts = chords.iter().map(|chords| chords.prefix.clone() + &chords.names.join("  "));
    texts.collect::<Vec<_>>().join("  ")
}

/// How names of numpad keys begin.
const NUMPAD: &str = "Num ";

/// The devices whose keys have names of their own: how their codes and names begin, and what is held for Ctrl and for Shift.
const DEVICES: [(&str, &str, [&str; 2]); 2] =
    [(PAD, "Pad ", ["LB+", "RB+"]), (PUCK, "Puck ", ["1st button+", "2nd button+"])];

/// Name of a control of a gamepad or a 3D mouse.
fn control_name(device: &str, code: &str) -> String {
    let turns = ["Pitch", "Yaw", "Roll"].iter().any(|turn| code.starts_with(turn));
    match code {
        _ if device == PUCK => if turns { "turned" } else { "pushed" }.to_owned(),
        "Up" | "Down" | "Left" | "Right" => code.to_lowercase(),
        _ if code.starts_with("LeftStick") => "left stick".to_owned(),
        _ if code.starts_with("RightStick") => "right stick".to_owned(),
        _ => code.to_owned(),
    }
}

/// Name of a key on a US keyboard.
fn key_name(code: &str) -> String {
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
        "Quote" => "'",
        _ => match code.strip_prefix("Key").or(code.strip_prefix("Digit")) {
            Some(letter) => letter,
            None => return code.replace("Numpad", NUMPAD),
        },
    };
    plain.to_owned()
}
