//! Keys that move or turn something for as long as they are held, as one movement per frame.

use super::key_motion::{Change, KeyMotion};
use glam::DVec3;

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

impl Modifiers {
    /// These and others.
    #[must_use]
    pub fn and(self, others: Self) -> Self {
        Modifiers { shift: self.shift || others.shift, ctrl: self.ctrl || others.ctrl, alt: self.alt || others.alt }
    }
}

/// A direction in which a key moves or turns something, from the user's point of view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Direction {
    kind: Kind,
    /// The way, or the axis that it turns about: right, up, forward; the value of the joint; or where the camera goes: right, up,
    /// closer.
    axis: DVec3,
}

/// The names of all directions.
const TABLE: [(&str, Kind, DVec3); 24] = [
    ("forward", Kind::Moves, DVec3::Z),
    ("back", Kind::Moves, DVec3::NEG_Z),
    ("left", Kind::Moves, DVec3::NEG_X),
    ("right", Kind::Moves, DVec3::X),
    ("up", Kind::Moves, DVec3::Y),
    ("down", Kind::Moves, DVec3::NEG_Y),
    ("yaw-left", Kind::Turns, DVec3::Y),
    ("yaw-right", Kind::Turns, DVec3::NEG_Y),
    ("pitch-up", Kind::Turns, DVec3::X),
    ("pitch-down", Kind::Turns, DVec3::NEG_X),
    ("roll-left", Kind::Turns, DVec3::NEG_Z),
    ("roll-right", Kind::Turns, DVec3::Z),
    ("joint-on", Kind::Joints, DVec3::X),
    ("joint-back", Kind::Joints, DVec3::NEG_X),
    ("joint-2-on", Kind::Joints, DVec3::Y),
    ("joint-2-back", Kind::Joints, DVec3::NEG_Y),
    ("joint-3-on", Kind::Joints, DVec3::Z),
    ("joint-3-back", Kind::Joints, DVec3::NEG_Z),
    ("camera-left", Kind::Orbits, DVec3::NEG_X),
    ("camera-right", Kind::Orbits, DVec3::X),
    ("camera-up", Kind::Orbits, DVec3::Y),
    ("camera-down", Kind::Orbits, DVec3::NEG_Y),
    ("camera-closer", Kind::Orbits, DVec3::Z),
    ("camera-back", Kind::Orbits, DVec3::NEG_Z),
];

impl Direction {
    /// The direction of this name.
    pub fn named(name: &str) -> Option<Self> {
        TABLE.iter().find(|(known, ..)| *known == name).map(|&(_, kind, axis)| Direction { kind, axis })
    }

    /// Whether it moves the camera, and not the scene.
    fn moves_camera(self) -> bool {
        self.kind == Kind::Orbits
    }
}

/// What a direction moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The target.
    Moves,
    /// The orientation of the target.
    Turns,
    /// The first three values of the selected joint.
    Joints,
    /// The camera around what it looks at, and closer to it.
    Orbits,
}

/// Distance of a tap, in units of the reach.
const TAP_SHIFT: f64 = 0.01;
/// Speed of a held key, in units of the reach per second.
const HOLD_SHIFT: f64 = 0.5;
/// Angle of a tap, degrees.
const TAP_TURN: f64 = 1.0;
/// Angular speed of a held key, degrees per second.
const HOLD_TURN: f64 = 45.0;
/// Seconds after which a pressed key counts as held.
const HOLD_AFTER: f64 = 0.18;
/// Duration of a tap, as a multiple of the time in which a held key gets up to speed. A tap that goes on as a held key
/// then never slows down in between.
const TAP_RAMPS: f64 = 2.0;

/// The keys that are down, and the motion that keys have caused. The system's key repeat has no effect.
///
/// A held key brings its motion up to speed along a cosine, and a released one lets it run out in the same way. A tap moves
/// by a fixed amount. All changes add up, so reversing a motion goes through zero.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeldKeys {
    keys: Vec<HeldKey>,
    /// Taps since the last frame.
    taps: Vec<Direction>,
    /// One per [`Kind`].
    motions: [KeyMotion; 4],
}

/// A key that is down.
#[derive(Clone, Debug, PartialEq)]
struct HeldKey {
    code: String,
    direction: Direction,
    /// How far it is pushed, up to 1, which all keys of a keyboard are.
    pushed: f64,
    /// Seconds since it went down.
    held: f64,
    /// The velocity that it contributes.
    velocity: DVec3,
}

impl HeldKeys {
    /// A key went down (repeats are ignored).
    pub fn press(&mut self, code: &str, direction: Direction) {
        if !self.keys.iter().any(|key| key.code == code) {
            self.add(code, direction, 0.0);
            self.taps.push(direction);
        }
    }

    /// What is pushed gradually, such as a stick, is pushed this far now, up to 1. It moves at this share of the speed, from the
    /// beginning on and without a tap.
    pub fn push(&mut self, code: &str, direction: Direction, pushed: f64) {
        if !self.holds(code, direction) {
            self.release(code);
            self.add(code, direction, HOLD_AFTER);
        }
        self.keys.iter_mut().filter(|key| key.code == code).for_each(|key| key.pushed = pushed);
    }

    fn add(&mut self, code: &str, direction: Direction, held: f64) {
        self.keys.push(HeldKey { code: code.to_owned(), direction, pushed: 1.0, held, velocity: DVec3::ZERO });
    }

    /// Whether this key is down and moves something in this direction.
    fn holds(&self, code: &str, direction: Direction) -> bool {
        self.keys.iter().any(|key| key.code == code && key.direction == direction)
    }

    /// A key went up.
    pub fn release(&mut self, code: &str) {
        self.release_where(|key| key.code == code);
    }

    /// The window lost the keyboard: all keys are up.
    pub fn clear(&mut self) {
        self.release_where(|_| true);
        self.taps.clear();
    }

    fn release_where(&mut self, is_released: impl Fn(&HeldKey) -> bool) {
        for key in self.keys.extract_if(.., |key| is_released(key)) {
            self.motions[key.direction.kind as usize].released -= key.velocity;
        }
    }

    /// Ends all motion of the scene. Keys that are down start again.
    pub fn stop(&mut self) {
        for kind in [Kind::Moves, Kind::Turns, Kind::Joints] {
            self.motions[kind as usize] = KeyMotion::default();
        }
        let of_scene = self.keys.iter_mut().filter(|key| !key.direction.moves_camera());
        of_scene.for_each(|key| (key.held, key.velocity) = (0.0, DVec3::ZERO));
    }

    /// The directions of all keys that are down or were tapped.
    fn directions(&self) -> impl Iterator<Item = Direction> + '_ {
        self.keys.iter().map(|key| key.direction).chain(self.taps.iter().copied())
    }

    /// Whether a key is down that changes the scene.
    pub fn changes_scene(&self) -> bool {
        self.directions().any(|direction| !direction.moves_camera())
    }

    /// Whether no key is down and all motion has run out.
    pub fn is_empty(&self) -> bool {
        self.directions().next().is_none() && self.motions.iter().all(KeyMotion::is_over)
    }

    /// The movement of one kind in `dt` seconds: to the right, up and forward, in units of the reach; about these axes, in degrees;
    /// of the values of the joint, in degrees (for slides, hundredths of the reach); or of the camera to the right, up and closer,
    /// in degrees. None if no key causes it. Speeds change in `ramp` seconds.
    pub fn advance(&mut self, kind: Kind, dt: f64, ramp: f64, modifiers: Modifiers) -> Option<DVec3> {
        let (motion, speed) = (&mut self.motions[kind as usize], speed(modifiers));
        let (tap, hold) = match kind {
            Kind::Moves => (TAP_SHIFT * speed, HOLD_SHIFT * speed),
            Kind::Turns | Kind::Joints | Kind::Orbits => (TAP_TURN * speed, HOLD_TURN * speed),
        };
        for direction in self.taps.extract_if(.., |direction| direction.kind == kind) {
            motion.taps.push(Change { amount: direction.axis * tap, age: 0.0, duration: TAP_RAMPS * ramp });
        }
        let released = std::mem::take(&mut motion.released);
        motion.accelerate(released, 0.0, ramp);
        for key in self.keys.iter_mut().filter(|key| key.direction.kind == kind) {
            let wait = (HOLD_AFTER - key.held).max(0.0);
            key.held += dt;
            if key.held > HOLD_AFTER {
                let velocity = key.direction.axis * hold * key.pushed;
                motion.accelerate(velocity - std::mem::replace(&mut key.velocity, velocity), wait, ramp);
            }
        }
        let shift = motion.advance(dt);
        (shift != DVec3::ZERO).then_some(shift)
    }
}

/// Shift speeds up, Alt slows down.
fn speed(modifiers: Modifiers) -> f64 {
    match (modifiers.shift, modifiers.alt) {
        (true, false) => 10.0,
        (false, true) => 0.1,
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RAMP: f64 = 0.15;

    fn way(name: &str) -> Direction {
        Direction::named(name).expect("a direction")
    }

    /// The way in each frame of `seconds`, while keys for these directions are down between these times.
    fn steps(
        (fps, seconds, ramp): (f64, f64, f64),
        held: &[(&str, [f64; 2])],
        modifiers: impl Fn(f64) -> Modifiers,
    ) -> Vec<DVec3> {
        let mut keys = HeldKeys::default();
        let frames = (0..(seconds * fps).round() as usize).map(|frame| {
            let time = frame as f64 / fps;
            for (name, [down, up]) in held {
                match (*down..*up).contains(&(time + 1e-9)) {
                    true => keys.press(name, way(name)),
                    false => keys.release(name),
                }
            }
            keys.advance(Kind::Moves, 1.0 / fps, ramp, modifiers(time)).unwrap_or_default()
        });
        let steps = frames.collect();
        assert_eq!(keys.is_empty(), !keys.changes_scene(), "all motion has run out");
        steps
    }

    #[test]
    fn a_tap_moves_one_hundredth_of_the_reach_at_any_frame_rate() {
        for (fps, ramp) in [30.0, 60.0, 144.0].into_iter().flat_map(|fps| [(fps, RAMP), (fps, 0.0)]) {
            for length in [0.04, 0.1, 0.16] {
                let moved = steps((fps, 1.0, ramp), &[("right", [0.0, length])], |_| Modifiers::default());
                let sum: DVec3 = moved.iter().sum();
                assert!((sum - DVec3::X * 0.01).length() < 1e-12, "{sum}");
                if ramp == 0.0 {
                    assert!((moved[0] - sum).length() < 1e-12, "without a ramp it moves at once");
                }
            }
        }
    }

    #[test]
    fn the_way_of_a_held_key_does_not_depend_on_the_frame_rate() {
        for fps in [30.0, 60.0, 144.0, 1000.0] {
            for ramp in [0.0, RAMP] {
                let moved = steps((fps, 2.0, ramp), &[("forward", [0.0, 1.0])], |_| Modifiers::default());
                let sum = moved.iter().sum::<DVec3>().length();
                assert!((sum - (TAP_SHIFT + HOLD_SHIFT * (1.0 - HOLD_AFTER))).abs() < 1e-9, "{sum} at {fps}");
            }
        }
    }

    #[test]
    fn no_key_and_no_modifier_changes_the_speed_abruptly() {
        let mut random = fabrik3d_ik::random::Random::new(8);
        for _ in 0..50 {
            let mut times = [0.0; 6].map(|_| 2.0 * random.unit());
            times.sort_by(f64::total_cmp);
            let held = [("right", [times[0], times[2]]), ("left", [times[1], times[5]])];
            let fast = |time| Modifiers { shift: (times[3]..times[4]).contains(&time), ..Default::default() };
            let moved = steps((60.0, 3.0, RAMP), &held, fast);
            let most = moved.iter().map(|step| step.length()).fold(0.0, f64::max);
            let change = moved.windows(2).map(|pair| pair[0].distance(pair[1])).fold(moved[0].length(), f64::max);
            // A ramp of nine frames changes the speed by at most pi/18 of it in one of them. The change of speed from a tap
            // may coincide, and so may those of both keys.
            let top = HOLD_SHIFT / 60.0 * if most > 0.6 * HOLD_SHIFT / 60.0 { 20.0 } else { 1.0 };
            assert!(change < 0.18 * top, "{change} of {top}");
        }
    }

    #[test]
    fn opposite_keys_cancel_and_modifiers_scale() {
        let moved_by = |modifiers: Modifiers| {
            let held = ["left", "right", "up"].map(|name| (name, [0.0, 1.0]));
            steps((60.0, 2.0, RAMP), &held, |_| modifiers).iter().sum::<DVec3>()
        };
        let slow = moved_by(Modifiers { alt: true, ..Default::default() });
        let fast = moved_by(Modifiers { shift: true, ..Default::default() });
        assert!(fast.x.abs() < 1e-12 && fast.z.abs() < 1e-12, "{fast}");
        assert!((fast.y / slow.y - 100.0).abs() < 1e-9);
    }

    #[test]
    fn turning_keys_turn_and_do_not_move() {
        let mut keys = HeldKeys::default();
        keys.press("ArrowUp", way("pitch-up"));
        keys.press("KeyE", way("up"));
        let shift = keys.advance(Kind::Moves, 0.0, 0.0, Modifiers::default()).expect("a tap");
        let turn = keys.advance(Kind::Turns, 0.0, 0.0, Modifiers::default()).expect("a tap");
        assert!((shift - DVec3::Y * 0.01).length() < 1e-12, "{shift}");
        assert!((turn - DVec3::X).length() < 1e-12, "{turn}");
        // Pitching up, about the axis to the right, lifts what points forward.
        assert!((glam::DQuat::from_scaled_axis(turn * 1_f64.to_radians()) * DVec3::NEG_Z).y > 0.0);
        keys.release("ArrowUp");
        keys.release("KeyE");
        assert!(!keys.changes_scene());
    }

    #[test]
    fn a_stop_ends_all_motion_at_once() {
        let mut keys = HeldKeys::default();
        keys.press("KeyD", way("right"));
        for _ in 0..60 {
            keys.advance(Kind::Moves, 1.0 / 60.0, RAMP, Modifiers::default());
        }
        keys.release("KeyD");
        keys.stop();
        assert!(keys.is_empty());
        assert_eq!(keys.advance(Kind::Moves, 1.0 / 60.0, RAMP, Modifiers::default()), None);
    }
}
