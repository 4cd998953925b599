//! Keys and their actions: the default table with the user's changes. The help overlay and `docs/viewer.md` print it.

use super::held_keys::{Direction, Modifiers};
use super::key_names::{Chords, chords, plain};
use super::keys::{CAMERA, FILE, MOTION, MOUSE, SHOW, TABLE, TARGET, TIME, is_of_device};
use crate::session::Command;
use std::collections::BTreeMap;

/// What a key does.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// One command per press.
    Do(Command),
    /// Moves or turns something for as long as it is held.
    Move(Direction),
}

/// One line of the help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HelpLine {
    /// Heading.
    pub group: &'static str,
    /// What happens.
    pub what: String,
    /// The actions of the mouse that do it.
    pub actions: Vec<&'static str>,
    /// The keys one by one.
    pub chords: Vec<Chords>,
}

impl HelpLine {
    /// All that does it, as text.
    pub fn keys(&self) -> String {
        let parts = [self.actions.join("; "), plain(&self.chords)];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("  ")
    }

    /// What is searched besides its description.
    pub(crate) fn searched(&self) -> String {
        format!("{} {}", self.group, self.keys())
    }
}

/// The bound keys.
#[derive(Clone, Debug)]
pub struct Bindings {
    rows: Vec<BoundRow>,
}

/// One row of the table with the user's changes.
#[derive(Clone, Debug)]
struct BoundRow {
    group: &'static str,
    what: String,
    keys: Vec<BoundKey>,
}

/// One key with its modifiers and its action.
#[derive(Clone, Debug, PartialEq)]
struct BoundKey {
    modifiers: Modifiers,
    code: String,
    action: Action,
}

impl BoundKey {
    /// Modifiers and code.
    fn place(&self) -> (Modifiers, &str) {
        (self.modifiers, &self.code)
    }
}

impl Default for Bindings {
    fn default() -> Self {
        let bound = |(chord, text): &(&str, &str)| {
            let (modifiers, code) = parse_chord(chord)?;
            Some(BoundKey { modifiers, code, action: parse_action(text).ok()? })
        };
        let rows = TABLE.iter().map(|(group, what, keys)| BoundRow {
            group,
            what: (*what).to_owned(),
            keys: keys.iter().filter_map(bound).collect(),
        });
        Bindings { rows: rows.collect() }
    }
}

/// Parses an action: a command, or `move` or `turn` with a direction.
fn parse_action(text: &str) -> Result<Action, String> {
    match text.split_once(' ') {
        Some(("move" | "turn", direction)) => Direction::named(direction.trim())
            .map(Action::Move)
            .ok_or_else(|| format!("`{direction}` is not a direction")),
        _ => text.parse().map(Action::Do).map_err(|error: crate::session::command::ParseError| error.to_string()),
    }
}

/// Modifiers and code of a chord such as `Ctrl+Shift+KeyZ`; none if a modifier is unknown.
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
    /// The default keys with changes from chords such as `"Ctrl+KeyP"` to actions or `none`; and what cannot be read of them.
    pub fn with_changes(changes: &BTreeMap<String, String>) -> (Self, Vec<String>) {
        let mut bindings = Bindings::default();
        let mut complaints = Vec::new();
        for (chord, text) in changes {
            complaints.extend(bindings.change(chord, text).err());
        }
        (bindings, complaints)
    }

    /// Takes a key from the row that has it, and adds it to the row of its new action, or as a row of its own.
    fn change(&mut self, chord: &str, text: &str) -> Result<(), String> {
        let (modifiers, code) = parse_chord(chord)
            .ok_or_else(|| format!("`{chord}` is not a key: write Ctrl, Shift or Alt, + and a code such as KeyP"))?;
        let action = match text {
            "none" => None,
            _ => Some(parse_action(text).map_err(|reason| format!("{chord}: {reason}"))?),
        };
        for row in &mut self.rows {
            row.keys.retain(|key| key.modifiers != modifiers || key.code != code);
        }
        let Some(action) = action else { return Ok(()) };
        let key = BoundKey { modifiers, code, action };
        match self.rows.iter_mut().find(|row| row.keys.iter().any(|other| other.action == key.action)) {
            Some(row) => row.keys.push(key),
            None => self.rows.push(BoundRow { group: FILE, what: text.to_owned(), keys: vec![key] }),
        }
        Ok(())
    }

    /// The action of a key with these modifiers. Keys that move something also take Shift and Alt, which change the speed.
    pub fn action(&self, code: &str, modifiers: Modifiers) -> Option<&Action> {
        let keys = || self.rows.iter().flat_map(|row| &row.keys).filter(|key| key.code == code);
        let exact = keys().find(|key| key.modifiers == modifiers);
        let moving =
            || keys().find(|key| matches!(key.action, Action::Move(_)) && key.modifiers.ctrl == modifiers.ctrl);
        exact.or_else(moving).map(|key| &key.action)
    }

    /// The help, group by group, with one line for what can be done, by whatever does it. `label` gives the label of a key on the
    /// user's keyboard, if known; gamepads and 3D mice are part of it if there is one.
    pub fn help(&self, label: impl Fn(&str) -> Option<String>, has_device: bool) -> Vec<HelpLine> {
        let is_there = |name: &str| has_device || !is_of_device(name);
        let mouse = MOUSE.iter().filter(|(.., action)| is_there(action));
        let mouse = mouse.map(|(group, what, action)| (*group, *what, Some(*action), Vec::new()));
        let keys = self.rows.iter().map(|row| {
            let keys = row.keys.iter().filter(|key| is_there(&key.code)).map(BoundKey::place);
            (row.group, &row.what[..], None, chords(keys, &label))
        });
        let parts: Vec<_> = mouse.chain(keys.filter(|(.., chords)| !chords.is_empty())).collect();
        let mut lines: Vec<HelpLine> = Vec::new();
        for order in [TARGET, CAMERA, TIME, MOTION, SHOW, FILE] {
            for (group, what, action, chords) in parts.iter().filter(|(group, ..)| *group == order) {
                let known = lines.iter().position(|line| line.group == *group && line.what == *what);
                let at = known.unwrap_or(lines.len());
                if known.is_none() {
                    lines.push(HelpLine { group, what: (*what).to_owned(), actions: Vec::new(), chords: Vec::new() });
                }
                lines[at].actions.extend(action);
                lines[at].chords.extend_from_slice(chords);
            }
        }
        lines
    }

    /// The codes of all bound keys.
    pub fn codes(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().flat_map(|row| &row.keys).map(|key| &key.code[..])
    }

    /// Name of the first key of a keyboard for this command, if any.
    pub fn key_for(&self, command: &Command, label: impl Fn(&str) -> Option<String>) -> Option<String> {
        let keys = self.rows.iter().flat_map(|row| &row.keys);
        let keys = keys.filter(|key| !is_of_device(&key.code));
        let mut keys = keys.filter(|key| matches!(&key.action, Action::Do(bound) if bound == command));
        keys.next().map(|key| plain(&chords([key.place()].into_iter(), &label)))
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
    fn every_row_is_understood_no_chord_is_bound_twice_and_alt_is_free() {
        let rows = TABLE.iter().map(|(.., keys)| keys.len()).sum::<usize>();
        let bindings = Bindings::default();
        assert_eq!(keys(&bindings).len(), rows, "a row of the table has no valid action");
        let chords: HashSet<String> =
            keys(&bindings).iter().map(|key| format!("{:?} {}", key.modifiers, key.code)).collect();
        assert_eq!(chords.len(), rows, "a chord is bound twice");
        assert!(keys(&bindings).iter().all(|key| !key.modifiers.alt), "Alt slows motions down");
    }

    #[test]
    fn keys_are_named_as_on_the_keyboard_except_letters_with_control() {
        let labels = [("KeyW", "Z"), ("KeyA", "Q"), ("KeyQ", "A"), ("KeyZ", "W"), ("Comma", ";")];
        let french = |code: &str| labels.iter().find(|known| known.0 == code).map(|known| known.1.to_owned());
        let help = Bindings::default().help(french, false);
        let keys = |what: &str| help.iter().find(|line| line.what == what).expect("a line").keys();
        assert_eq!(keys("move horizontally"), "Up  Down  Left  Right  Z  S  Q  D");
        assert_eq!(keys("lesson: one step back, forward"), ";  .");
        assert_eq!(keys("quit"), "Ctrl+Q");
        assert!(keys("undo, redo").starts_with("Ctrl+Z"));
    }

    #[test]
    fn moving_keys_take_speed_modifiers_and_control_turns() {
        let bindings = Bindings::default();
        let fast = Modifiers { shift: true, ..Default::default() };
        let ctrl = Modifiers { ctrl: true, ..Default::default() };
        let moving = |name: &str| Action::Move(Direction::named(name).expect("a direction"));
        assert_eq!(bindings.action("KeyW", fast), Some(&moving("forward")));
        assert_eq!(bindings.action("KeyD", ctrl), None);
        let fast_turn = Modifiers { shift: true, ..ctrl };
        assert_eq!(bindings.action("ArrowUp", fast_turn), Some(&moving("pitch-up")));
    }

    #[test]
    fn changed_keys_have_the_new_action_and_appear_in_the_help() {
        let changes = [
            ("Ctrl+KeyP", "pause.toggle"),
            ("Space", "none"),
            ("KeyW", "move back"),
            ("KeyY", "camera.orbit 10 0"),
            ("Super+KeyA", "pause"),
            ("KeyU", "fly"),
        ];
        let changes = changes.map(|(chord, text)| (chord.to_owned(), text.to_owned())).into();
        let (bindings, complaints) = Bindings::with_changes(&changes);
        let plain = Modifiers::default();
        let ctrl = Modifiers { ctrl: true, ..plain };
        assert_eq!(bindings.action("KeyP", ctrl), Some(&parse_action("pause.toggle").expect("a command")));
        assert_eq!(bindings.action("Space", plain), None);
        assert_eq!(bindings.action("KeyW", plain), Direction::named("back").map(Action::Move).as_ref());
        assert_eq!(complaints.len(), 2, "{complaints:?}");
        let help = bindings.help(|_| None, false);
        assert!(help.iter().any(|line| line.what == "pause" && line.keys() == "Ctrl+P"));
        assert!(help.iter().any(|line| line.what == "camera.orbit 10 0" && line.keys() == "Y"));
    }
}
