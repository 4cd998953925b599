//! Key labels of the user's keyboard, for the help.

use std::collections::HashMap;
use winit::keyboard::KeyCode;

/// Key labels by key code (`KeyW`: `Z` on a French keyboard). X11 provides all of them at the start. On other systems
/// each one is learnt when the key is first pressed: only winit has access to the keyboard, and it reports a key only
/// with its press.
#[derive(Clone, Debug, Default)]
pub(super) struct Letters(HashMap<String, String>);

impl Letters {
    /// The labels that the window system provides.
    pub fn of_keyboard() -> Self {
        #[cfg(target_os = "linux")]
        let signs = x11::signs().unwrap_or_default();
        #[cfg(not(target_os = "linux"))]
        let signs: [(KeyCode, char); 0] = [];
        let mut letters = Letters::default();
        for (code, sign) in signs {
            letters.learn(code, &sign.to_string());
        }
        letters
    }

    /// Stores the text that a key types without modifiers.
    pub fn learn(&mut self, code: KeyCode, text: &str) {
        let name = format!("{code:?}");
        // Digit keys keep their numbers, although some keyboards type them only with Shift.
        let is_digit = name.starts_with("Digit") || name.starts_with("Numpad");
        let mut signs = text.chars().filter(|sign| !sign.is_whitespace() && !sign.is_control());
        if let (Some(_), None, false) = (signs.next(), signs.next(), is_digit) {
            self.0.insert(name, text.trim().to_uppercase());
        }
    }

    /// The label of a key, if known.
    pub fn get(&self, code: &str) -> Option<String> {
        self.0.get(code).cloned()
    }
}

/// The code of the key with this letter on a US keyboard.
pub(super) fn code_of(letter: &str) -> Option<String> {
    let is_letter = letter.len() == 1 && letter.starts_with(|sign: char| sign.is_ascii_alphabetic());
    is_letter.then(|| format!("Key{}", letter.to_ascii_uppercase()))
}

#[cfg(target_os = "linux")]
mod x11 {
    use winit::keyboard::{KeyCode, PhysicalKey};
    use winit::platform::scancode::PhysicalKeyExtScancode;
    use x11rb::connection::Connection;
    use x11rb::protocol::xkb::{self, ConnectionExt as _};
    use x11rb::protocol::xproto::ConnectionExt as _;
    use xkeysym::Keysym;

    /// Difference between X and kernel key codes.
    const X_OFFSET: u32 = 8;

    /// All keys that type a character, with that character in the current layout. `None` without an X server.
    pub fn signs() -> Option<Vec<(KeyCode, char)>> {
        let (connection, _) = x11rb::connect(None).ok()?;
        let (low, high) = (connection.setup().min_keycode, connection.setup().max_keycode);
        let map = connection.get_keyboard_mapping(low, high - low + 1).ok()?.reply().ok()?;
        Some(read(u32::from(low), usize::from(map.keysyms_per_keycode), &map.keysyms, group(&connection).unwrap_or(0)))
    }

    /// Index of the current layout among the configured ones.
    fn group(connection: &impl Connection) -> Option<usize> {
        connection.xkb_use_extension(1, 0).ok()?.reply().ok()?;
        let state = connection.xkb_get_state(xkb::ID::USE_CORE_KBD.into()).ok()?.reply().ok()?;
        Some(u8::from(state.group).into())
    }

    /// Reads the server's table of `per` symbols per key: two (plain and with Shift) for each of the first two layouts.
    fn read(low: u32, per: usize, symbols: &[u32], group: usize) -> Vec<(KeyCode, char)> {
        let keys = symbols.chunks_exact(per.max(1)).zip(low..);
        let sign = |(symbols, code): (&[u32], u32)| {
            let PhysicalKey::Code(code) = PhysicalKey::from_scancode(code.checked_sub(X_OFFSET)?) else { return None };
            let sign = |at: usize| symbols.get(at).and_then(|&symbol| Keysym::from(symbol).key_char());
            Some((code, sign(2 * group.min(1)).or_else(|| sign(0))?))
        };
        keys.filter_map(sign).collect()
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn the_table_is_read_by_places_in_the_layout_that_is_in_use() {
            // KeyQ, KeyW, KeyE of a keyboard with a French and a Greek layout, and a key that types nothing.
            let symbols = [0x61, 0x41, 0x7d1, 0x7d1, 0x7a, 0x5a, 0x7f2, 0x7d2, 0x65, 0x45, 0, 0, 0xffe1, 0, 0, 0];
            let french = read(24, 4, &symbols, 0);
            assert_eq!(french, [(KeyCode::KeyQ, 'a'), (KeyCode::KeyW, 'z'), (KeyCode::KeyE, 'e')]);
            let greek: Vec<char> = read(24, 4, &symbols, 1).into_iter().map(|(_, sign)| sign).collect();
            assert_eq!(greek, ['\u{3a1}', '\u{3c3}', 'e'], "the first layout provides what Greek lacks");
            assert!(read(8, 0, &[], 0).is_empty());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_have_codes() {
        let codes = ["z", "Q", "é", "", "zz", ";"].map(code_of);
        assert_eq!(codes, [Some("KeyZ".to_owned()), Some("KeyQ".to_owned()), None, None, None, None]);
    }

    #[test]
    fn signs_are_learnt_digits_and_blanks_are_not() {
        let mut letters = Letters::default();
        for (code, text) in [
            (KeyCode::KeyW, "z"),
            (KeyCode::Semicolon, "ö"),
            (KeyCode::Slash, "-"),
            (KeyCode::Digit1, "&"),
            (KeyCode::Numpad1, "1"),
            (KeyCode::Space, " "),
            (KeyCode::Enter, "\r"),
            (KeyCode::KeyA, ""),
        ] {
            letters.learn(code, text);
        }
        let known = ["KeyW", "Semicolon", "Slash", "Digit1", "Numpad1", "Space", "Enter", "KeyA"];
        let signs: Vec<Option<String>> = known.iter().map(|code| letters.get(code)).collect();
        let sign = |text: &str| Some(text.to_owned());
        assert_eq!(signs, [sign("Z"), sign("Ö"), sign("-"), None, None, None, None, None]);
    }
}
