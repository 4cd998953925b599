//! Gamepads and 3D mice: sticks, triggers, buttons and pucks are keys of the table of keys, whose names begin with `Pad` or `Puck`.
//!
//! The window or the page reads the devices and passes what they report to [`Gamepads::hear`].

use super::bindings::{Action, Bindings};
use super::held_keys::{HeldKeys, Modifiers};
use crate::session::{Command, ramp};
use std::collections::{BTreeMap, BTreeSet};

/// A stick's axis, a trigger or a button, where the W3C's standard gamepad has it; or what the puck of a 3D mouse can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Control {
    /// The left stick, -1 to the left and 1 to the right.
    LeftX,
    /// The left stick, -1 down and 1 up.
    LeftY,
    /// The right stick, -1 to the left and 1 to the right.
    RightX,
    /// The right stick, -1 down and 1 up.
    RightY,
    /// The puck of a 3D mouse, -1 to the left and 1 to the right.
    PuckX,
    /// The puck, -1 down and 1 up.
    PuckY,
    /// The puck, -1 closer and 1 away.
    PuckZ,
    /// The puck, turned about the axis to the right: -1 down and 1 up.
    PuckPitch,
    /// The puck, turned about the axis upward: -1 to the right and 1 to the left.
    PuckYaw,
    /// The puck, turned about the axis away: -1 to the left and 1 to the right.
    PuckRoll,
    /// The left trigger, 0 to 1, as are all that follow.
    LeftTrigger,
    /// The right trigger.
    RightTrigger,
    /// The button above the left trigger, and the first one of a 3D mouse: their Ctrl.
    LeftBumper,
    /// The button above the right trigger, and the second one of a 3D mouse: their Shift.
    RightBumper,
    /// The lowest of the four buttons at the right.
    A,
    /// The right one of them.
    B,
    /// The left one of them.
    X,
    /// The uppermost of them.
    Y,
    /// The left button in the middle.
    Back,
    /// The right button in the middle.
    Start,
    /// A press on the left stick.
    LeftStick,
    /// A press on the right stick.
    RightStick,
    /// The directional pad, up.
    Up,
    /// The directional pad, down.
    Down,
    /// The directional pad, to the left.
    Left,
    /// The directional pad, to the right.
    Right,
}

/// The axes of the W3C's standard gamepad, in its order, and its buttons. The sticks' second axes are positive downward there.
const AXES: [Control; 4] = [Control::LeftX, Control::LeftY, Control::RightX, Control::RightY];
const BUTTONS: [Control; 16] = [
    Control::A,
    Control::B,
    Control::X,
    Control::Y,
    Control::LeftBumper,
    Control::RightBumper,
    Control::LeftTrigger,
    Control::RightTrigger,
    Control::Back,
    Control::Start,
    Control::LeftStick,
    Control::RightStick,
    Control::Up,
    Control::Down,
    Control::Left,
    Control::Right,
];

/// Number of controls.
const CONTROLS: usize = Control::Right as usize + 1;

/// The keys that controls are: the name, and the way of a stick.
const KEYS: [(&str, Control, f64); 34] = [
    ("PadLeftStickLeft", Control::LeftX, -1.0),
    ("PadLeftStickRight", Control::LeftX, 1.0),
    ("PadLeftStickDown", Control::LeftY, -1.0),
    ("PadLeftStickUp", Control::LeftY, 1.0),
    ("PadRightStickLeft", Control::RightX, -1.0),
    ("PadRightStickRight", Control::RightX, 1.0),
    ("PadRightStickDown", Control::RightY, -1.0),
    ("PadRightStickUp", Control::RightY, 1.0),
    ("PuckLeft", Control::PuckX, -1.0),
    ("PuckRight", Control::PuckX, 1.0),
    ("PuckDown", Control::PuckY, -1.0),
    ("PuckUp", Control::PuckY, 1.0),
    ("PuckBack", Control::PuckZ, -1.0),
    ("PuckForward", Control::PuckZ, 1.0),
    ("PuckPitchDown", Control::PuckPitch, -1.0),
    ("PuckPitchUp", Control::PuckPitch, 1.0),
    ("PuckYawRight", Control::PuckYaw, -1.0),
    ("PuckYawLeft", Control::PuckYaw, 1.0),
    ("PuckRollLeft", Control::PuckRoll, -1.0),
    ("PuckRollRight", Control::PuckRoll, 1.0),
    ("PadLT", Control::LeftTrigger, 1.0),
    ("PadRT", Control::RightTrigger, 1.0),
    ("PadA", Control::A, 1.0),
    ("PadB", Control::B, 1.0),
    ("PadX", Control::X, 1.0),
    ("PadY", Control::Y, 1.0),
    ("PadBack", Control::Back, 1.0),
    ("PadStart", Control::Start, 1.0),
    ("PadLS", Control::LeftStick, 1.0),
    ("PadRS", Control::RightStick, 1.0),
    ("PadUp", Control::Up, 1.0),
    ("PadDown", Control::Down, 1.0),
    ("PadLeft", Control::Left, 1.0),
    ("PadRight", Control::Right, 1.0),
];

impl Control {
    /// What a number of the W3C's standard gamepad is, with its value: its axes first, then its buttons.
    pub fn standard(number: usize, value: f64) -> Option<(Self, f64)> {
        match number.checked_sub(AXES.len()) {
            None => Some((AXES[number], if number % 2 == 1 { -value } else { value })),
            Some(button) => Some((*BUTTONS.get(button)?, value)),
        }
    }

    /// Whether it is pushed gradually.
    fn is_gradual(self) -> bool {
        self as usize <= Control::RightTrigger as usize
    }

    /// The other axis of its stick.
    fn across(self) -> Option<Control> {
        match self {
            Control::LeftX => Some(Control::LeftY),
            Control::LeftY => Some(Control::LeftX),
            Control::RightX => Some(Control::RightY),
            Control::RightY => Some(Control::RightX),
            _ => None,
        }
    }
}

/// What a stick or a trigger may report that nobody touches.
const AT_REST: f64 = 0.1;
/// What presses a button, or a stick or a trigger that does a command. It is released at rest.
const PRESSED: f64 = 0.5;

/// What a gamepad or a 3D mouse reports, with its number.
#[derive(Clone, Debug, PartialEq)]
pub enum DeviceReport {
    /// It is there.
    There(usize),
    /// It was plugged in while the program was open; its name.
    Plugged(usize, String),
    /// A control is pushed this far now.
    Pushed(usize, Control, f64),
    /// It was unplugged.
    Unplugged(usize, String),
}

/// What follows from a report.
#[derive(Clone, Debug, PartialEq)]
pub enum Heard {
    /// The commands of what has been pressed.
    Commands(Vec<Command>),
    /// The user may want to know this.
    News(String),
    /// The user should know this.
    Warning(String),
}

/// All gamepads and 3D mice, each with a number.
#[derive(Clone, Debug, Default)]
pub struct Gamepads(BTreeMap<usize, Gamepad>);

/// What a gamepad has reported.
#[derive(Clone, Debug, Default)]
struct Gamepad {
    values: [f64; CONTROLS],
    /// Names of the keys that are pressed.
    pressed: BTreeSet<&'static str>,
}

impl Gamepads {
    /// Takes a report. Without bindings nothing moves, and what is pressed does nothing.
    pub fn hear(&mut self, report: DeviceReport, bindings: Option<&Bindings>, held: &mut HeldKeys) -> Heard {
        match report {
            DeviceReport::There(number) => self.plug(number),
            DeviceReport::Plugged(number, name) => {
                self.plug(number);
                return Heard::News(format!("`{name}` is plugged in. F1 shows what it does."));
            }
            DeviceReport::Unplugged(number, name) if self.unplug(number, held) => {
                return Heard::Warning(format!("`{name}` was unplugged."));
            }
            DeviceReport::Unplugged(..) => {}
            DeviceReport::Pushed(number, control, value) => {
                return Heard::Commands(self.take(number, (control, value), bindings, held));
            }
        }
        Heard::Commands(Vec::new())
    }

    /// A control of a gamepad is pushed this far now. Moves and turns `held` by what is pushed, and returns the commands of what
    /// has been pressed.
    fn take(
        &mut self,
        number: usize,
        (control, value): (Control, f64),
        bindings: Option<&Bindings>,
        held: &mut HeldKeys,
    ) -> Vec<Command> {
        let pad = self.0.entry(number).or_default();
        pad.values[control as usize] = if value.is_finite() { value.clamp(-1.0, 1.0) } else { 0.0 };
        let modifiers = pad.modifiers();
        let mut commands = Vec::new();
        for (name, control, way) in KEYS {
            let (key, pushed) = (held_name(number, name), pad.pushed(control, way));
            let is_pressed = pushed >= PRESSED || (pushed > 0.0 && pad.pressed.contains(name));
            let is_new = is_pressed && !pad.pressed.contains(name);
            match is_pressed {
                true => pad.pressed.insert(name),
                false => pad.pressed.remove(name),
            };
            match bindings.and_then(|bindings| bindings.action(name, modifiers)) {
                Some(Action::Move(direction)) if pushed > 0.0 => match control.is_gradual() {
                    true => held.push(&key, *direction, pushed),
                    false => held.press(&key, *direction),
                },
                Some(Action::Do(command)) if is_new => {
                    held.release(&key);
                    commands.push(command.clone());
                }
                _ => held.release(&key),
            }
        }
        commands
    }

    /// A gamepad is gone: what it held is released. Returns whether it was there.
    fn unplug(&mut self, number: usize, held: &mut HeldKeys) -> bool {
        KEYS.iter().for_each(|(name, ..)| held.release(&held_name(number, name)));
        self.0.remove(&number).is_some()
    }

    /// Whether there is any. One that is silent counts from its first report on, or from [`DeviceReport::There`] on.
    pub fn is_any(&self) -> bool {
        !self.0.is_empty()
    }

    /// A gamepad is there.
    fn plug(&mut self, number: usize) {
        self.0.entry(number).or_default();
    }

    /// The modifiers that are held on any gamepad.
    pub fn modifiers(&self) -> Modifiers {
        self.0.values().map(Gamepad::modifiers).fold(Modifiers::default(), Modifiers::and)
    }
}

impl Gamepad {
    /// How far a control is pushed one way, 0 to 1. It begins as slowly as motions do, so that a light touch moves little.
    fn pushed(&self, control: Control, way: f64) -> f64 {
        let value = self.values[control as usize];
        if !control.is_gradual() {
            return value.max(0.0);
        }
        let across = control.across().map_or(0.0, |across| self.values[across as usize]);
        let far = value.hypot(across);
        let share = ramp((far - AT_REST).max(0.0), 1.0 - AT_REST);
        if far > 0.0 { (way * value / far).max(0.0) * share } else { 0.0 }
    }

    /// The bumpers are the modifiers of a gamepad.
    fn modifiers(&self) -> Modifiers {
        let is_held = |control: Control| self.values[control as usize] >= PRESSED;
        Modifiers { shift: is_held(Control::RightBumper), ctrl: is_held(Control::LeftBumper), alt: false }
    }
}

/// What a key of a gamepad is called among the keys that are held.
fn held_name(number: usize, name: &str) -> String {
    format!("{number} {name}")
}

#[cfg(test)]
mod tests {
    use super::super::held_keys::{Direction, Kind};
    use super::super::keys::{TABLE, is_of_device};
    use super::*;
    use fabrik3d_ik::random::Random;
    use glam::DVec3;

    const RAMP: f64 = 0.15;
    const KINDS: [Kind; 4] = [Kind::Moves, Kind::Turns, Kind::Joints, Kind::Orbits];

    /// Gamepads and what they hold.
    #[derive(Clone, Default)]
    struct Desk {
        pads: Gamepads,
        held: HeldKeys,
        bindings: Bindings,
    }

    impl Desk {
        fn push(&mut self, control: Control, value: f64) -> Vec<Command> {
            self.pads.take(0, (control, value), Some(&self.bindings), &mut self.held)
        }

        /// The ways of all kinds in one frame.
        fn step(&mut self, dt: f64) -> [DVec3; 4] {
            let modifiers = self.pads.modifiers();
            KINDS.map(|kind| self.held.advance(kind, dt, RAMP, modifiers).unwrap_or_default())
        }

        /// The ways in each frame until everything is at rest.
        fn run_out(&mut self, dt: f64) -> Vec<[DVec3; 4]> {
            let frames = (RAMP / dt).ceil() as usize + 1;
            let ways = (0..frames).map(|_| self.step(dt)).collect();
            assert!(self.held.is_empty(), "{:?}", self.held);
            ways
        }
    }

    fn any_control(random: &mut Random) -> (Control, f64) {
        const ALL: [Control; 10] = [
            Control::PuckY,
            Control::PuckRoll,
            Control::LeftX,
            Control::LeftY,
            Control::RightX,
            Control::RightY,
            Control::LeftTrigger,
            Control::RightTrigger,
            Control::LeftBumper,
            Control::RightBumper,
        ];
        let control = ALL[(random.unit() * ALL.len() as f64) as usize % ALL.len()];
        let value = if control.is_gradual() { random.range(-1.2, 1.2) } else { random.unit().round() };
        (control, if random.unit() < 0.2 { 0.0 } else { value })
    }

    #[test]
    fn every_key_of_a_gamepad_in_the_table_is_one() {
        let keys =
            TABLE.iter().flat_map(|(.., keys)| *keys).map(|(chord, _)| chord.rsplit('+').next().unwrap_or(chord));
        let bound: BTreeSet<&str> = keys.filter(|key| is_of_device(key)).collect();
        let known: BTreeSet<&str> = KEYS.iter().map(|(name, ..)| *name).collect();
        assert_eq!(bound, known);
    }

    #[test]
    fn whatever_came_before_what_is_released_or_unplugged_comes_to_rest() {
        let mut random = Random::new(3);
        for trial in 0..200 {
            let mut desk = Desk::default();
            for _ in 0..60 {
                let (number, listens) = ((2.0 * random.unit()) as usize, random.unit() < 0.9);
                let pushed = any_control(&mut random);
                desk.pads.take(number, pushed, listens.then_some(&desk.bindings), &mut desk.held);
                if random.unit() < 0.5 {
                    desk.step(random.range(0.0, 0.05));
                }
                if random.unit() < 0.05 {
                    desk.held.stop();
                }
            }
            if trial % 2 == 0 {
                for number in 0..2 {
                    for (_, control, _) in KEYS {
                        desk.pads.take(number, (control, 0.0), Some(&desk.bindings), &mut desk.held);
                    }
                }
            } else {
                assert!((0..2).all(|number| desk.pads.unplug(number, &mut desk.held)));
                assert_eq!(desk.pads.modifiers(), Modifiers::default());
            }
            desk.run_out(1.0 / 60.0);
        }
    }

    #[test]
    fn unplugging_is_releasing() {
        let mut random = Random::new(4);
        for _ in 0..50 {
            let mut desk = Desk::default();
            for _ in 0..20 {
                // Bumpers change the speed of what runs out.
                let (control, value) = any_control(&mut random);
                if control.is_gradual() {
                    desk.push(control, value);
                }
                desk.step(1.0 / 60.0);
            }
            let (mut released, mut unplugged) = (desk.clone(), desk);
            KEYS.iter().for_each(|(_, control, _)| drop(released.push(*control, 0.0)));
            unplugged.pads.unplug(0, &mut unplugged.held);
            assert_eq!(released.run_out(1.0 / 60.0), unplugged.run_out(1.0 / 60.0));
        }
    }

    #[test]
    fn a_motion_is_the_same_at_every_frame_rate() {
        let mut random = Random::new(5);
        for _ in 0..20 {
            // The sticks change six times a second, when frames of all rates begin.
            let pushes: Vec<(Control, f64)> = (0..12).map(|_| any_control(&mut random)).collect();
            let way = |rate: usize| {
                let (mut desk, dt) = (Desk::default(), 1.0 / rate as f64);
                let mut sum = [DVec3::ZERO; 4];
                for (control, value) in &pushes {
                    desk.push(*control, *value);
                    for _ in 0..rate / 6 {
                        let ways = desk.step(dt);
                        sum.iter_mut().zip(ways).for_each(|(sum, way)| *sum += way);
                    }
                }
                sum
            };
            let first = way(30);
            for rate in [60, 144] {
                let other = way(rate);
                let apart = first.iter().zip(other).map(|(a, b)| a.distance(b)).fold(0.0, f64::max);
                assert!(apart < 1e-9, "{rate}: {first:?} {other:?}");
            }
        }
    }

    #[test]
    fn a_stick_moves_where_it_is_pushed_no_faster_than_a_key_and_gradually() {
        let dt = 1.0 / 60.0;
        let mut key = HeldKeys::default();
        key.press("key", Direction::named("right").expect("a direction"));
        let top = (0..60).filter_map(|_| key.advance(Kind::Moves, dt, RAMP, Modifiers::default())).last();
        let top = top.expect("it moves").length();
        let mut random = Random::new(6);
        for _ in 0..100 {
            let (angle, far) = (random.range(-4.0, 4.0), random.range(0.0, 1.4));
            let (y, x) = angle.sin_cos();
            let mut desk = Desk::default();
            desk.push(Control::LeftX, x * far);
            desk.push(Control::LeftY, y * far);
            let mut steps: Vec<DVec3> = (0..30).map(|_| desk.step(dt)[0]).collect();
            let full = steps[29];
            let expected = ramp((far - AT_REST).max(0.0), 1.0 - AT_REST) * top;
            if far < 1.0 {
                assert!((full - DVec3::new(x, 0.0, y) * expected).length() < 1e-9, "{far}: {full}");
            }
            assert!(full.length() <= top + 1e-9, "{far}: {full}");
            desk.push(Control::LeftX, 0.0);
            desk.push(Control::LeftY, 0.0);
            steps.extend(desk.run_out(dt).into_iter().map(|ways| ways[0]));
            let change = steps.windows(2).map(|pair| pair[0].distance(pair[1])).fold(steps[0].length(), f64::max);
            assert!(change < 0.18 * top, "as a key does, in nine frames along a cosine: {change}");
        }
    }

    #[test]
    fn a_button_does_its_command_once_a_press_and_bumpers_change_what_is_held() {
        let mut desk = Desk::default();
        let random: Command = "target.random".parse().expect("a command");
        for _ in 0..3 {
            assert_eq!(desk.push(Control::A, 1.0), std::slice::from_ref(&random));
            assert_eq!(desk.push(Control::A, 1.0), []);
            assert_eq!(desk.push(Control::LeftX, 0.5), [], "moves");
            assert!(desk.held.changes_scene());
            assert_eq!([desk.push(Control::LeftX, 0.0), desk.push(Control::A, 0.0)], [[], []]);
        }
        desk.run_out(1.0 / 60.0);
        desk.push(Control::LeftX, 1.0);
        let run = |desk: &mut Desk| (0..30).map(|_| desk.step(1.0 / 60.0)).last();
        run(&mut desk);
        desk.push(Control::LeftBumper, 1.0);
        let [moves, turns, ..] = run(&mut desk).expect("a frame");
        assert!(moves == DVec3::ZERO && turns.y < 0.0, "{moves} {turns}");
        // Behind a dialog nothing moves, and what is pressed there does nothing afterwards.
        let press = |desk: &mut Desk, listens: bool| {
            desk.pads.take(0, (Control::B, 1.0), listens.then_some(&desk.bindings), &mut desk.held)
        };
        assert_eq!(press(&mut desk, false), []);
        assert!(!desk.held.changes_scene());
        assert_eq!(press(&mut desk, true), []);
    }
}
