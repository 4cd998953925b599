//! Keys that move or turn something for as long as they are held, as one movement per frame.

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

/// A direction of movement from the user's point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Away from the camera.
    Forward,
    /// Toward the camera.
    Back,
    /// To the left.
    Left,
    /// To the right.
    Right,
    /// Up.
    Up,
    /// Down.
    Down,
    /// Turns to the left, about the up axis.
    YawLeft,
    /// Turns to the right.
    YawRight,
    /// Turns the front up, about the right axis.
    PitchUp,
    /// Turns the front down.
    PitchDown,
    /// Rolls to the left, about the forward axis.
    RollLeft,
    /// Rolls to the right.
    RollRight,
    /// Increases a value (0, 1 or 2) of the selected joint.
    JointForward(usize),
    /// Decreases it.
    JointBack(usize),
}

impl Direction {
    /// The direction of this name.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "forward" => Direction::Forward,
            "back" => Direction::Back,
            "left" => Direction::Left,
            "right" => Direction::Right,
            "up" => Direction::Up,
            "down" => Direction::Down,
            "yaw-left" => Direction::YawLeft,
            "yaw-right" => Direction::YawRight,
            "pitch-up" => Direction::PitchUp,
            "pitch-down" => Direction::PitchDown,
            "roll-left" => Direction::RollLeft,
            "roll-right" => Direction::RollRight,
            "joint-on" => Direction::JointForward(0),
            "joint-back" => Direction::JointBack(0),
            "joint-2-on" => Direction::JointForward(1),
            "joint-2-back" => Direction::JointBack(1),
            "joint-3-on" => Direction::JointForward(2),
            "joint-3-back" => Direction::JointBack(2),
            _ => return None,
        })
    }

    /// What it moves.
    fn kind(self) -> Kind {
        use Direction::{JointBack, JointForward, PitchDown, PitchUp, RollLeft, RollRight, YawLeft, YawRight};
        match self {
            YawLeft | YawRight | PitchUp | PitchDown | RollLeft | RollRight => Kind::Turns,
            JointForward(_) | JointBack(_) => Kind::Joints,
            _ => Kind::Moves,
        }
    }
}

/// Axes of movement: unit vectors in the scene's world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MotionBasis {
    /// Right.
    pub right: DVec3,
    /// Up.
    pub up: DVec3,
    /// Forward.
    pub forward: DVec3,
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

/// The keys that are down, with the time since. The system's key repeat has no effect.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeldKeys {
    keys: Vec<(String, Direction, f64)>,
    /// Taps since the last frame.
    taps: Vec<Direction>,
}

impl HeldKeys {
    /// A key went down (repeats are ignored).
    pub fn press(&mut self, code: &str, direction: Direction) {
        if !self.keys.iter().any(|(key, ..)| key == code) {
            self.keys.push((code.to_owned(), direction, 0.0));
            self.taps.push(direction);
        }
    }

    /// A key went up.
    pub fn release(&mut self, code: &str) {
        self.keys.retain(|(key, ..)| key != code);
    }

    /// The window lost the keyboard: all keys are up.
    pub fn clear(&mut self) {
        self.keys.clear();
        self.taps.clear();
    }

    /// Whether any key is down.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty() && self.taps.is_empty()
    }

    /// Displacement of the target in this frame of `dt` seconds; none if no key moves it.
    pub fn shift(&mut self, dt: f64, basis: MotionBasis, reach: f64, modifiers: Modifiers) -> Option<DVec3> {
        let shift = self.advance(dt, basis, Kind::Moves, (TAP_SHIFT, HOLD_SHIFT)) * (reach * speed(modifiers));
        (shift != DVec3::ZERO).then_some(shift)
    }

    /// Rotation of the target in this frame of `dt` seconds, as a rotation vector in degrees; none if no key turns it.
    pub fn turn(&mut self, dt: f64, basis: MotionBasis, modifiers: Modifiers) -> Option<DVec3> {
        let turn = self.advance(dt, basis, Kind::Turns, (TAP_TURN, HOLD_TURN)) * speed(modifiers);
        (turn != DVec3::ZERO).then_some(turn)
    }

    /// Changes of the first three values of the selected joint in this frame of `dt` seconds, degrees (for slides, hundredths
    /// of the reach); none if no key changes them.
    pub fn joint(&mut self, dt: f64, basis: MotionBasis, modifiers: Modifiers) -> Option<DVec3> {
        let turn = self.advance(dt, basis, Kind::Joints, (TAP_TURN, HOLD_TURN)) * speed(modifiers);
        (turn != DVec3::ZERO).then_some(turn)
    }

    /// Sum of the movements of one kind in `dt` seconds: `tap` per press, and `hold` per second of a held key.
    fn advance(&mut self, dt: f64, basis: MotionBasis, kind: Kind, (tap, hold): (f64, f64)) -> DVec3 {
        let of_kind = |direction: Direction| direction.kind() == kind;
        let mut sum = DVec3::ZERO;
        self.taps.retain(|&direction| {
            if of_kind(direction) {
                sum += basis.along(direction) * tap;
            }
            !of_kind(direction)
        });
        for (_, direction, held) in self.keys.iter_mut().filter(|(_, direction, _)| of_kind(*direction)) {
            let before = (*held - HOLD_AFTER).max(0.0);
            *held += dt;
            sum += basis.along(*direction) * (hold * ((*held - HOLD_AFTER).max(0.0) - before));
        }
        sum
    }
}

/// What a direction moves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Moves,
    Turns,
    Joints,
}

/// Shift speeds up, Alt slows down.
fn speed(modifiers: Modifiers) -> f64 {
    match (modifiers.shift, modifiers.alt) {
        (true, false) => 10.0,
        (false, true) => 0.1,
        _ => 1.0,
    }
}

impl MotionBasis {
    /// The vector of a direction, or the axis that it turns about.
    fn along(&self, direction: Direction) -> DVec3 {
        match direction {
            Direction::Forward | Direction::RollRight => self.forward,
            Direction::Back | Direction::RollLeft => -self.forward,
            Direction::Left | Direction::PitchDown => -self.right,
            Direction::Right | Direction::PitchUp => self.right,
            Direction::Up | Direction::YawLeft => self.up,
            Direction::Down | Direction::YawRight => -self.up,
            Direction::JointForward(value) => DVec3::AXES[value % 3],
            Direction::JointBack(value) => -DVec3::AXES[value % 3],
        }
    }
}

/// The horizontal axis (of the two that are not `up`) nearest to `direction`, with its sign.
pub fn snap_to_axis(direction: DVec3, up: DVec3) -> DVec3 {
    let axes = [DVec3::X, DVec3::Y, DVec3::Z];
    let horizontal = axes.into_iter().filter(|axis| axis.dot(up).abs() < 0.5);
    let nearest = horizontal.max_by(|a, b| a.dot(direction).abs().total_cmp(&b.dot(direction).abs()));
    nearest.map_or(DVec3::X, |axis| axis * axis.dot(direction).signum())
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASIS: MotionBasis = MotionBasis { right: DVec3::X, up: DVec3::Y, forward: DVec3::NEG_Z };

    #[test]
    fn a_tap_moves_one_hundredth_of_the_reach_at_any_frame_rate() {
        for fps in [30.0, 60.0, 144.0] {
            let mut keys = HeldKeys::default();
            keys.press("KeyD", Direction::Right);
            let mut sum = DVec3::ZERO;
            for _ in 0..(0.1 * fps) as usize {
                sum += keys.shift(1.0 / fps, BASIS, 2.0, Modifiers::default()).unwrap_or_default();
            }
            keys.release("KeyD");
            assert!(keys.shift(1.0 / fps, BASIS, 2.0, Modifiers::default()).is_none());
            assert!((sum - DVec3::X * 0.02).length() < 1e-12, "{sum}");
        }
    }

    #[test]
    fn a_second_of_holding_moves_the_same_at_any_frame_rate() {
        let travel = |fps: f64| {
            let mut keys = HeldKeys::default();
            keys.press("ArrowUp", Direction::Forward);
            keys.press("ArrowUp", Direction::Forward);
            (0..fps as usize)
                .filter_map(|_| keys.shift(1.0 / fps, BASIS, 1.0, Modifiers::default()))
                .sum::<DVec3>()
                .length()
        };
        for fps in [30.0, 60.0, 144.0, 1000.0] {
            assert!((travel(fps) - (TAP_SHIFT + HOLD_SHIFT * (1.0 - HOLD_AFTER))).abs() < 1e-9);
        }
    }

    #[test]
    fn opposite_keys_cancel_and_modifiers_scale() {
        let mut keys = HeldKeys::default();
        keys.press("KeyA", Direction::Left);
        keys.press("KeyD", Direction::Right);
        assert_eq!(keys.shift(0.5, BASIS, 1.0, Modifiers::default()), None);
        keys.release("KeyA");
        keys.press("KeyE", Direction::Up);
        let slow = keys.clone().shift(0.5, BASIS, 1.0, Modifiers { alt: true, ..Default::default() });
        let fast = keys.shift(0.5, BASIS, 1.0, Modifiers { shift: true, ..Default::default() });
        let ratio = fast.expect("a shift").length() / slow.expect("a shift").length();
        assert!((ratio - 100.0).abs() < 1e-9);
    }

    #[test]
    fn turning_keys_turn_and_do_not_move() {
        let mut keys = HeldKeys::default();
        keys.press("ArrowUp", Direction::PitchUp);
        keys.press("KeyE", Direction::Up);
        let shift = keys.shift(0.0, BASIS, 2.0, Modifiers::default()).expect("a tap");
        let turn = keys.turn(0.0, BASIS, Modifiers::default()).expect("a tap");
        assert!((shift - DVec3::Y * 0.02).length() < 1e-12, "{shift}");
        assert!((turn - DVec3::X).length() < 1e-12, "{turn}");
        // Pitching up lifts what points forward.
        assert!((glam::DQuat::from_scaled_axis(turn * 1_f64.to_radians()) * BASIS.forward).y > 0.0);
        keys.release("ArrowUp");
        keys.release("KeyE");
        assert!(keys.is_empty());
    }

    #[test]
    fn snapping_picks_the_nearest_horizontal_axis() {
        assert_eq!(snap_to_axis(DVec3::new(0.3, 5.0, -0.9), DVec3::Y), DVec3::NEG_Z);
        assert_eq!(snap_to_axis(DVec3::new(0.9, 0.1, 0.3), DVec3::Z), DVec3::X);
    }
}
