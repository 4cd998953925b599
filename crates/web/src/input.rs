//! What happens on the page, as events, and the same events for egui.

use egui::{Key, MouseWheelUnit, PointerButton, Pos2, pos2, vec2};
use fabrik3d_viewer::view::{Button, Control, DeviceReport, Modifiers};

/// Something that happened on the page. Positions are in pixels of the page from the top left of the canvas.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The pointer, or the only finger, moved.
    Moved([f64; 2]),
    /// A button, or the only finger, went down or up there.
    Button { at: [f64; 2], button: Button, is_down: bool },
    /// The pointer left the canvas, or the finger was lifted.
    Left,
    /// The wheel turned; positive: away from the user.
    Wheel { lines: f64 },
    /// Two fingers moved: the factor of their distance, and the way of their middle.
    Pinch { factor: f64, way: [f64; 2] },
    /// A key went down or up: its code by position, and what it types.
    Key { code: String, key: String, is_down: bool, repeat: bool },
    /// The canvas has another size now, or another number of pixels for a pixel of the page.
    Resized { size: [f64; 2], pixels_per_point: f64 },
    /// The page lost the keyboard.
    Blurred,
    /// A text was pasted.
    Pasted(String),
    /// Files are being dragged over the page; empty: no longer.
    Hovered(Vec<String>),
    /// A gamepad reports something. Whether the page has the keyboard.
    Gamepad(DeviceReport, bool),
}

/// Separates texts that the page passes together.
const SEPARATOR: char = '\0';

/// Texts that the page passes together.
pub fn texts(text: &str) -> impl Iterator<Item = &str> {
    text.split(SEPARATOR).filter(|part| !part.is_empty())
}

impl Event {
    /// An event as the page passes it: a number for its kind, three numbers, and a text.
    pub fn read(kind: u32, [a, b, c]: [f64; 3], text: String) -> Option<Self> {
        let button = |is_down| {
            let button = match c as u32 {
                0 => Button::Left,
                1 => Button::Middle,
                2 => Button::Right,
                _ => return None,
            };
            Some(Event::Button { at: [a, b], button, is_down })
        };
        let key = |is_down| {
            let (code, key) = text.split_once(SEPARATOR)?;
            Some(Event::Key { code: code.to_owned(), key: key.to_owned(), is_down, repeat: a != 0.0 })
        };
        match kind {
            0 => Some(Event::Moved([a, b])),
            1 => button(true),
            2 => button(false),
            3 => Some(Event::Left),
            4 => Some(Event::Wheel { lines: a }),
            5 => Some(Event::Pinch { factor: a, way: [b, c] }),
            6 => key(true),
            7 => key(false),
            8 => Some(Event::Resized { size: [a, b], pixels_per_point: c }),
            9 => Some(Event::Blurred),
            10 => Some(Event::Pasted(text)),
            11 => Some(Event::Hovered(texts(&text).map(str::to_owned).collect())),
            12 => Some(Event::Gamepad(DeviceReport::Plugged(a as usize, text), true)),
            13 => Some(Event::Gamepad(DeviceReport::Unplugged(a as usize, text), true)),
            // The number of the control comes as a text.
            14 => {
                let (control, value) = Control::standard(text.parse().ok()?, b)?;
                Some(Event::Gamepad(DeviceReport::Pushed(a as usize, control, value), c != 0.0))
            }
            _ => None,
        }
    }
}

/// The modifier keys that are down: Shift 1, Ctrl (or Command) 2, Alt 4.
pub fn modifiers(bits: u32) -> Modifiers {
    Modifiers { shift: bits & 1 != 0, ctrl: bits & 2 != 0, alt: bits & 4 != 0 }
}

/// The same for egui.
pub fn egui_modifiers(Modifiers { shift, ctrl, alt }: Modifiers) -> egui::Modifiers {
    egui::Modifiers { alt, ctrl, shift, mac_cmd: false, command: ctrl }
}

/// What egui learns of an event. `zoom` is the size of its points in pixels of the page. `takes_keys`: whether a text field has
/// the keyboard.
pub fn for_egui(event: &Event, modifiers: Modifiers, zoom: f32, takes_keys: bool) -> Vec<egui::Event> {
    let modifiers = egui_modifiers(modifiers);
    let place = |[x, y]: [f64; 2]| -> Pos2 { pos2(x as f32 / zoom, y as f32 / zoom) };
    match event {
        Event::Moved(at) => vec![egui::Event::PointerMoved(place(*at))],
        Event::Button { at, button, is_down } => {
            let button = match button {
                Button::Left => PointerButton::Primary,
                Button::Middle => PointerButton::Middle,
                Button::Right => PointerButton::Secondary,
            };
            vec![egui::Event::PointerButton { pos: place(*at), button, pressed: *is_down, modifiers }]
        }
        Event::Left => vec![egui::Event::PointerGone],
        Event::Wheel { lines } => {
            let delta = vec2(0.0, *lines as f32);
            vec![egui::Event::MouseWheel { unit: MouseWheelUnit::Line, delta, modifiers }]
        }
        Event::Key { key, is_down, repeat, .. } if takes_keys => {
            let known = Key::from_name(key).map(|key| egui::Event::Key {
                key,
                physical_key: None,
                pressed: *is_down,
                repeat: *repeat,
                modifiers,
            });
            let is_letter = *is_down && key.chars().count() == 1 && !modifiers.ctrl;
            let command = match (*is_down && modifiers.ctrl, key.as_str()) {
                (true, "c") => Some(egui::Event::Copy),
                (true, "x") => Some(egui::Event::Cut),
                _ => is_letter.then(|| egui::Event::Text(key.clone())),
            };
            known.into_iter().chain(command).collect()
        }
        Event::Pasted(text) => vec![egui::Event::Paste(text.clone())],
        _ => Vec::new(),
    }
}
