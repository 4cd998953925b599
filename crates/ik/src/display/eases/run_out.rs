//! What is left of the motion of a pose that was replaced: it runs out along a cosine, and earlier at limits.

use super::curve::eased_way;
use crate::model::{Coordinates, Kind, Skeleton, angle_between, mix_joint, pose_distance};

/// Largest angle by which a joint turns while its motion runs out, radians.
const MAX_TURN: f64 = 1.5;
/// Largest deviation from a straight way along a limit, as a fraction of the way. Test: `no_motion_starts_or_stops_dead`, which finds
/// changes of 0.83 of the speed on the human arm without this constant and the next one, and 0.19 with them.
const BEND: f64 = 0.15;
/// A joint whose way is cut shorter than to this share by its limit glides along it.
const GLIDING: f64 = 0.1;

/// The motion of one joint after its pose was replaced.
#[derive(Clone, Debug)]
pub(super) struct RunOut {
    /// Where it comes to rest.
    end: Coordinates,
    /// Seconds that this takes.
    duration: f64,
    /// The same for the twist of a limited ball, which has a limit of its own.
    twist_duration: f64,
}

impl RunOut {
    /// A joint that moves on from `before` and `now`, `step` seconds later, and rests within `seconds`, or earlier at a limit.
    pub fn new(kind: &Kind, before: &Coordinates, now: &Coordinates, step: f64, seconds: f64) -> Self {
        // A rotation must run out within half a turn, or it would take the other way around.
        let turn = angle_between(kind.rotation(before), kind.rotation(now));
        let seconds = seconds.min(2.0 * MAX_TURN * step / turn.max(f64::MIN_POSITIVE));
        let distance = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
        // A speed that falls along a cosine covers half of what a constant speed would.
        let ends = |seconds: f64| {
            let free = mix_joint(kind, before, now, 1.0 + 0.5 * seconds / step);
            (seconds, free, within_limits(kind, free))
        };
        // A ball that glides along its limit runs out on a curve, of which only a short piece is almost straight.
        let is_straight = |free: &Coordinates, end: &Coordinates| {
            !matches!(kind, Kind::Ball { .. })
                || distance(&free.0[..2], &end.0[..2]) <= BEND * distance(&free.0[..2], &now.0[..2])
        };
        let pieces = [1.0, 0.5, 0.25, 0.125].map(|share| ends(share * seconds));
        let straight = pieces.iter().find(|(_, free, end)| is_straight(free, end));
        let (seconds, free, end) = *straight.unwrap_or(&pieces[0]);
        // A joint that glides along its limit keeps its speed. One that arrives there keeps it too, and stops earlier.
        let covered = |part: std::ops::Range<usize>| {
            let [now, free, end] = [now, &free, &end].map(|it| &it.0[part.clone()]);
            let share = distance(now, end) / distance(now, free);
            if share > GLIDING && end != free { share.min(1.0) } else { 1.0 }
        };
        match kind {
            Kind::Ball { .. } if !kind.is_unlimited_ball() => {
                let [tilt, twist] = [covered(0..2), covered(2..3)].map(|share| share * seconds);
                RunOut { end, duration: tilt, twist_duration: twist }
            }
            Kind::Hinge { .. } | Kind::Slide { .. } => {
                RunOut { end, duration: covered(0..1) * seconds, twist_duration: seconds }
            }
            _ => RunOut { end, duration: seconds, twist_duration: seconds },
        }
    }

    /// Coordinates of the joint on its way from `from`, after `elapsed` seconds.
    pub fn at(&self, kind: &Kind, from: &Coordinates, elapsed: f64) -> Coordinates {
        let mixed = mix_joint(kind, from, &self.end, run_out(elapsed / self.duration));
        match kind {
            Kind::Ball { .. } if !kind.is_unlimited_ball() => {
                let twisted = mix_joint(kind, from, &self.end, run_out(elapsed / self.twist_duration));
                Coordinates::ball(mixed.tilt(), twisted.twist())
            }
            _ => mixed,
        }
    }
}

/// Share of the way that is covered after a share of the time: the integral of a speed that falls along a cosine.
fn run_out(time: f64) -> f64 {
    let time = time.min(1.0);
    2.0 * (time - eased_way(time))
}

/// Highest speed of a joint that will reach a limit within `horizon` seconds if it moves on from `before` and `now`, `step`
/// seconds later: radians per second, and for slides lengths per second, divided by `length`.
pub fn speed_toward_limits(
    skeleton: &Skeleton,
    joints: &[usize],
    [before, now]: [&[Coordinates]; 2],
    step: f64,
    horizon: f64,
    length: f64,
) -> f64 {
    let speeds = joints.iter().map(|&joint| {
        let kind = skeleton.kind(joint);
        let ahead = mix_joint(kind, &before[joint], &now[joint], 1.0 + horizon / step);
        let arrives = within_limits(kind, ahead) != ahead;
        if arrives { pose_distance(skeleton, &[joint], before, now, length) / step } else { 0.0 }
    });
    speeds.fold(0.0, f64::max)
}

/// The nearest coordinates within the limits. Angles stay as they are otherwise: no whole turns are added.
fn within_limits(kind: &Kind, coordinates: Coordinates) -> Coordinates {
    match kind {
        Kind::Ball { swing, twist } if !kind.is_unlimited_ball() => {
            let tilt = swing.map_or(coordinates.tilt(), |swing| swing.clamp(coordinates.tilt()));
            Coordinates::ball(tilt, twist.map_or(coordinates.twist(), |range| range.clamp(coordinates.twist())))
        }
        _ => kind.range().map_or(coordinates, |range| Coordinates::scalar(range.clamp(coordinates.value()))),
    }
}
