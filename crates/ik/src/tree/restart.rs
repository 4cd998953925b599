//! Other poses to start from: random ones inside the limits, and moves toward the middle of the limits.

use super::objective::{Score, Task};
use crate::model::joint::Kind;
use crate::model::limits::{Interval, Swing};
use crate::model::pose::{Coordinates, Pose};
use crate::model::skeleton::Skeleton;
use crate::model::transform::Isometry;
use crate::model::transform::angle_between;
use crate::random::Random;
use glam::DQuat;
use std::f64::consts::{FRAC_PI_2, PI};

impl Skeleton {
    /// A pose inside all limits, uniform over them; free joints stay near their rest.
    pub fn random_pose(&self, random: &mut Random) -> Pose {
        let extent = self.extent();
        let length = if extent > 0.0 { extent } else { 1.0 };
        let mut pose: Pose = (0..self.len()).map(|i| random_coordinates(self.kind(i), random, length)).collect();
        self.follow(&mut pose);
        pose
    }
}

/// Coordinates inside the limits of a joint, uniform over them; distances without limits are of the order of `length`.
fn random_coordinates(kind: &Kind, random: &mut Random, length: f64) -> Coordinates {
    match kind {
        Kind::Ball { swing: None, twist: None } => Coordinates::rotation(random.rotation()),
        Kind::Ball { swing, twist } => {
            let tilt = match swing {
                Some(swing) => random_tilt(*swing, random),
                None => {
                    let angle = random.range(-PI, PI);
                    let tilt = random.unit().sqrt() * PI;
                    [tilt * angle.cos(), tilt * angle.sin()]
                }
            };
            let twist = random_inside(*twist, PI, random);
            kind.project(Coordinates::ball(tilt, twist))
        }
        Kind::Hinge { range: Some(range), .. } if range.high().min(-range.low()) > FEW_TURNS => {
            Coordinates::scalar(random.range(-FEW_TURNS, FEW_TURNS))
        }
        Kind::Hinge { range, .. } => Coordinates::scalar(random_inside(*range, PI, random)),
        Kind::Slide { range, .. } => Coordinates::scalar(random_inside(*range, length, random)),
        Kind::Fixed => Coordinates::default(),
        Kind::Free => {
            let turn = random.direction() * random.range(0.0, 1.2);
            Coordinates::free(random.direction() * (0.4 * length * random.unit()), DQuat::from_scaled_axis(turn))
        }
    }
}

/// Turns that are enough to try all poses of hinges that follow one another, to either side, radians.
const FEW_TURNS: f64 = 8.0 * PI;

/// Uniform in a range; where there is none, in `[-most, most)`.
fn random_inside(range: Option<Interval>, most: f64, random: &mut Random) -> f64 {
    match range {
        Some(range) => range.clamp(random.range(range.low(), range.high())),
        None => random.range(-most, most),
    }
}

/// Uniform over the four quarter-ellipses: a quadrant by its area, then a point of it.
fn random_tilt(swing: Swing, random: &mut Random) -> [f64; 2] {
    let [right, up, left, down] = swing.tilts();
    let quadrants = [[right, up], [-left, up], [-left, -down], [right, -down]];
    let area = |[x, y]: [f64; 2]| (x * y).abs();
    let mut at = random.unit() * quadrants.map(area).iter().sum::<f64>();
    let (angle, radius) = (random.range(0.0, FRAC_PI_2), random.unit().sqrt());
    let mut chosen = None;
    for quadrant in quadrants {
        if chosen.is_none() && at < area(quadrant) {
            chosen = Some(quadrant);
        }
        at -= area(quadrant);
    }
    match chosen {
        Some([x, y]) => [x * radius * angle.cos(), y * radius * angle.sin()],
        // No area: at most one axis is free.
        None => [random.range(-left, right.max(1e-300)), random.range(-down, up.max(1e-300))],
    }
}

/// What restarts draw on.
pub(crate) struct Restart<'a> {
    /// The pose that the solve began with.
    pub start: &'a [Coordinates],
    /// The best pose so far.
    pub best: &'a [Coordinates],
    /// Which attempt comes, from 1.
    pub attempt: u32,
}

/// Attempts that belong together: a pose all random, then its failing branches anew.
pub(crate) const EPOCH: u32 = 3;

/// Writes into `pose` a random one: all moving joints but free ones, which alternate between the best pose and the start
/// with a turn that grows.
pub(crate) fn random_start(task: &Task, random: &mut Random, from: &Restart, pose: &mut [Coordinates]) {
    let Task { skeleton, layout, .. } = *task;
    for mover in &layout.movers {
        let joint = mover.joint;
        pose[joint] = match skeleton.kind(joint) {
            Kind::Free if (from.attempt / EPOCH) % 2 == 1 => from.best[joint],
            Kind::Free => {
                let start = from.start[joint];
                let most = (0.2 * f64::from(from.attempt)).min(PI);
                let turn = DQuat::from_scaled_axis(random.direction() * (random.unit() * most));
                Coordinates::free(start.free_position(), (turn * start.free_rotation()).normalize())
            }
            kind => random_coordinates(kind, random, layout.length),
        };
    }
    skeleton.follow(pose);
}

/// Randomises the branches of `pose` (whose frames are given) whose goals are not met or whose loops are open; where there
/// are none, moves all joints some way toward a random pose.
pub(crate) fn randomize_branches(task: &Task, random: &mut Random, frames: &[Isometry], pose: &mut [Coordinates]) {
    let Task { skeleton, problem, layout, settings, .. } = *task;
    let mut any = false;
    let mut renew = |branch: &[usize]| {
        for &joint in branch.iter().filter(|&&joint| skeleton.joints()[joint].mimic.is_none()) {
            pose[joint] = random_coordinates(skeleton.kind(joint), random, layout.length);
            any = true;
        }
    };
    for goal in &layout.goals {
        let asked = &problem.goals[goal.index];
        let frame = frames[asked.effector.joint];
        let off = |target| frame.point(asked.effector.tip).distance(target) > settings.tolerance * goal.reach;
        let turned = |target| angle_between(frame.rotation, target) > settings.rotation_tolerance;
        if asked.target.position.is_some_and(off) || asked.target.rotation.is_some_and(turned) {
            renew(&goal.branch);
        }
    }
    for closure in &layout.loops {
        let [a, b] = [0, 1].map(|side| frames[closure.ends[side].end.joint].point(closure.ends[side].end.point));
        if a.distance(b) > super::objective::CLOSED * layout.length {
            closure.branches.iter().for_each(|branch| renew(branch));
        }
    }
    if any {
        skeleton.follow(pose);
    } else {
        perturb(task, random, pose);
    }
}

/// Moves all joints of `pose` some way, by chance, toward a random pose; what is free moves a little.
pub(crate) fn perturb(task: &Task, random: &mut Random, pose: &mut [Coordinates]) {
    let Task { skeleton, layout, .. } = *task;
    let share = 0.6 * random.unit();
    for mover in &layout.movers {
        let now = pose[mover.joint];
        let kind = skeleton.kind(mover.joint);
        pose[mover.joint] = if *kind == Kind::Free {
            let shift = random.ball() * (0.2 * share * layout.length);
            let turn = DQuat::from_scaled_axis(random.ball() * share);
            Coordinates::free(now.free_position() + shift, (turn * now.free_rotation()).normalize())
        } else {
            crate::blend::mix_joint(kind, &now, &random_coordinates(kind, random, layout.length), share)
        };
    }
    skeleton.follow(pose);
}

/// How far a cold pose is moved toward the middle of its limits before it is refined.
const NUDGE: f64 = 0.4;

/// Moves all limited joints toward the middle of their limits: away from rims and from straight branches.
pub(crate) fn center(task: &Task, pose: &mut [Coordinates]) {
    let toward = |value: f64, middle: f64| value + NUDGE * (middle - value);
    for mover in &task.layout.movers {
        let now = pose[mover.joint];
        let center = |range: &Option<Interval>, value: f64| range.map_or(value, |range| toward(value, range.middle()));
        pose[mover.joint] = match task.skeleton.kind(mover.joint) {
            // Whole turns have no rim.
            Kind::Hinge { range: Some(range), .. } if range.is_whole_turn() => now,
            Kind::Hinge { range, .. } | Kind::Slide { range, .. } => Coordinates::scalar(center(range, now.value())),
            Kind::Ball { swing: None, twist: None } | Kind::Fixed | Kind::Free => now,
            Kind::Ball { swing, twist } => {
                let tilt = swing.map_or(now.tilt(), |swing| {
                    let [right, up, left, down] = swing.tilts();
                    [toward(now.tilt()[0], 0.5 * (right - left)), toward(now.tilt()[1], 0.5 * (up - down))]
                });
                Coordinates::ball(tilt, center(twist, now.twist()))
            }
        };
    }
    task.skeleton.follow(pose);
}

/// Whether `score` beats `best` so clearly that leaving a neighbouring pose for it is worth it.
pub(crate) fn clearly_better(score: &Score, best: &Score) -> bool {
    score.error() < 0.99 * best.error()
}
