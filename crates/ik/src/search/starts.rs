//! The start poses of attempts: random poses inside the limits, poses next to others, poses with some limbs randomized, and
//! poses moved toward the center of the limits.

use crate::maths;
use crate::model::{Coordinates, Interval, Isometry, Kind, Pose, Skeleton, Swing, mix_joint, resisted};
use crate::random::Random;
use crate::search::policy::{MAX_RANDOM_ANGLE, Policy, SPREAD, Source};
use crate::search::workspace::{Poses, Workspace};
use crate::tasks::Objective;
use crate::tasks::closure::MAX_GAP;
use glam::DVec3;
use std::f64::consts::{FRAC_PI_2, PI};

impl Skeleton {
    /// A random pose, uniform inside all limits. Free joints stay near their rest pose.
    pub fn random_pose(&self, random: &mut Random) -> Pose {
        let extent = self.extent();
        let length = if extent > 0.0 { extent } else { 1.0 };
        let mut pose: Pose = (0..self.len()).map(|i| random_coordinates(self.kind(i), random, length)).collect();
        self.follow(&mut pose);
        pose
    }
}

/// Random coordinates, uniform inside the limits of a joint. Distances without limits are of the order of `length`.
fn random_coordinates(kind: &Kind, random: &mut Random, length: f64) -> Coordinates {
    match kind {
        Kind::Ball { swing: None, twist: None } => Coordinates::rotation(random.rotation()),
        Kind::Ball { swing, twist } => {
            let tilt = match swing {
                Some(swing) => random_tilt(*swing, random),
                None => {
                    let angle = random.range(-PI, PI);
                    let tilt = random.unit().sqrt() * PI;
                    [tilt * maths::cos(angle), tilt * maths::sin(angle)]
                }
            };
            let twist = random_inside(*twist, PI, random);
            kind.project(Coordinates::ball(tilt, twist))
        }
        Kind::Hinge { range: Some(range), .. } if range.high().min(-range.low()) > MAX_RANDOM_ANGLE => {
            Coordinates::scalar(random.range(-MAX_RANDOM_ANGLE, MAX_RANDOM_ANGLE))
        }
        Kind::Hinge { range, .. } => Coordinates::scalar(random_inside(*range, PI, random)),
        Kind::Slide { range, .. } => Coordinates::scalar(random_inside(*range, length, random)),
        Kind::Fixed => Coordinates::default(),
        Kind::Free => {
            let turn = random.direction() * random.range(0.0, 1.2);
            Coordinates::free(random.direction() * (0.4 * length * random.unit()), maths::turn_by(turn))
        }
    }
}

/// Uniform in `range`; without one, in `[-most, most)`.
fn random_inside(range: Option<Interval>, most: f64, random: &mut Random) -> f64 {
    match range {
        Some(range) => range.clamp(random.range(range.low(), range.high())),
        None => random.range(-most, most),
    }
}

/// Uniform over the four quarter ellipses: selects a quadrant by its area, then a point in it.
fn random_tilt(swing: Swing, random: &mut Random) -> [f64; 2] {
    let [right, up, left, down] = swing.tilts();
    let quadrants = [[right, up], [-left, up], [-left, -down], [right, -down]];
    let area = |[x, y]: [f64; 2]| (x * y).abs();
    let mut at = random.unit() * quadrants.map(area).iter().sum::<f64>();
    let (angle, radius) = (random.range(0.0, FRAC_PI_2), random.unit().sqrt());
    let mut is_here = |quadrant: &[f64; 2]| {
        at -= area(*quadrant);
        at < 0.0
    };
    match quadrants.into_iter().find(|quadrant| is_here(quadrant)) {
        Some([x, y]) => [x * radius * maths::cos(angle), y * radius * maths::sin(angle)],
        // All areas are zero: at most one axis is free.
        None => [random.range(-left, right.max(1e-300)), random.range(-down, up.max(1e-300))],
    }
}

/// Random coordinates of a joint for attempt number `attempt`. A stiff joint stays near `from`; the more attempts fail, the
/// farther it goes.
fn random_beside(
    objective: &Objective,
    joint: usize,
    from: &Coordinates,
    random: &mut Random,
    attempt: u32,
) -> Coordinates {
    let anywhere = random_coordinates(objective.skeleton.kind(joint), random, objective.layout.length);
    resisted(objective.skeleton, joint, from, anywhere, attempt)
}

impl Workspace {
    /// Writes the start pose of attempt `number` to `pose`.
    pub(super) fn write_start(
        &mut self,
        source: Source,
        (policy, number): (&Policy, u32),
        objective: &Objective,
        random: &mut Random,
        pose: &mut [Coordinates],
    ) {
        let Poses { start, near, epoch, best, .. } = &self.poses;
        match source {
            Source::Start => pose.copy_from_slice(start),
            Source::Around => around(objective, random, start, SPREAD * f64::from(number).sqrt(), pose),
            Source::Anywhere => anywhere(objective, random, [start, best], policy.round(number), pose),
            Source::Limbs | Source::LimbsOfBest => {
                pose.copy_from_slice(if source == Source::Limbs { near } else { epoch });
                let frames = &mut self.refiner.evaluation.frames;
                objective.update_frames(pose, frames);
                randomize_limbs(objective, random, frames, number, pose);
            }
        }
    }
}

/// Writes a pose in a circle round `start`: `spread` is the standard deviation of each coordinate, radians or fractions of
/// the layout's length.
fn around(objective: &Objective, random: &mut Random, start: &[Coordinates], spread: f64, pose: &mut [Coordinates]) {
    let Objective { skeleton, layout, .. } = *objective;
    let mut vector = |size: f64| DVec3::new(random.normal(), random.normal(), random.normal()) * (spread * size);
    pose.copy_from_slice(start);
    for active in &layout.active_joints {
        let (kind, now) = (skeleton.kind(active.joint), start[active.joint]);
        let moved = match kind {
            Kind::Hinge { .. } => Coordinates::scalar(now.value() + vector(1.0).x),
            Kind::Slide { .. } => Coordinates::scalar(now.value() + vector(layout.length).x),
            Kind::Ball { swing: None, twist: None } => {
                Coordinates::rotation(maths::turn_by(vector(1.0)) * now.ball_rotation())
            }
            Kind::Ball { .. } => {
                let DVec3 { x, y, z } = vector(1.0);
                Coordinates::ball([now.tilt()[0] + x, now.tilt()[1] + y], now.twist() + z)
            }
            Kind::Fixed => now,
            Kind::Free => {
                let turn = maths::turn_by(vector(1.0));
                Coordinates::free(now.free_position() + vector(layout.length), turn * now.free_rotation())
            }
        };
        pose[active.joint] = kind.project(moved);
    }
    skeleton.follow(pose);
}

/// Stiff joints, and turns of free ones, go as far in a round as in this number of attempts.
const ATTEMPTS_PER_ROUND: u32 = 3;

/// Writes a random pose. Free joints alternate between the best pose and the start pose, the latter with a turn that grows
/// from round to round.
fn anywhere(
    objective: &Objective,
    random: &mut Random,
    [start, best]: [&[Coordinates]; 2],
    round: u32,
    pose: &mut [Coordinates],
) {
    let Objective { skeleton, layout, .. } = *objective;
    let attempt = ATTEMPTS_PER_ROUND * round;
    for active in &layout.active_joints {
        let joint = active.joint;
        pose[joint] = match skeleton.kind(joint) {
            Kind::Free if round % 2 == 1 => best[joint],
            Kind::Free => {
                let start = start[joint];
                let max_angle = (0.2 * f64::from(attempt)).min(PI);
                let turn = maths::turn_by(random.direction() * (random.unit() * max_angle));
                let turned = Coordinates::free(start.free_position(), (turn * start.free_rotation()).normalize());
                resisted(skeleton, joint, &start, turned, attempt)
            }
            _ => random_beside(objective, joint, &start[joint], random, attempt),
        };
    }
    skeleton.follow(pose);
}

/// Randomizes the limbs of `pose` (with the frames `frames`) whose goals are not met or whose loops are open, for attempt
/// number `attempt`. If there are none, perturbs all joints.
fn randomize_limbs(
    objective: &Objective,
    random: &mut Random,
    frames: &[Isometry],
    attempt: u32,
    pose: &mut [Coordinates],
) {
    let Objective { skeleton, problem, layout, settings, .. } = *objective;
    let mut any = false;
    let mut randomize = |limb: &[usize]| {
        for &joint in limb.iter().filter(|&&joint| skeleton.joints()[joint].mimic.is_none()) {
            pose[joint] = random_beside(objective, joint, &pose[joint], random, attempt);
            any = true;
        }
    };
    for goal in &layout.goals {
        let request = &problem.goals[goal.index];
        let (distance, angle) = request.error(frames[request.effector.joint]);
        if distance > settings.tolerance * goal.size || angle > settings.rotation_tolerance {
            randomize(&goal.limb);
        }
    }
    for closure in &layout.loops {
        let [a, b] = [0, 1].map(|side| frames[closure.ends[side].end.joint].point(closure.ends[side].end.point));
        if a.distance(b) > MAX_GAP * layout.length {
            closure.limbs.iter().for_each(|limb| randomize(limb));
        }
    }
    if any {
        skeleton.follow(pose);
    } else {
        perturb(objective, random, pose);
    }
}

/// Moves all joints of `pose` part of the way toward a random pose; free joints move a little.
fn perturb(objective: &Objective, random: &mut Random, pose: &mut [Coordinates]) {
    let Objective { skeleton, layout, .. } = *objective;
    let weight = 0.6 * random.unit();
    for active in &layout.active_joints {
        let now = pose[active.joint];
        let kind = skeleton.kind(active.joint);
        pose[active.joint] = if *kind == Kind::Free {
            let shift = random.ball() * (0.2 * weight * layout.length);
            let turn = maths::turn_by(random.ball() * weight);
            Coordinates::free(now.free_position() + shift, (turn * now.free_rotation()).normalize())
        } else {
            mix_joint(kind, &now, &random_coordinates(kind, random, layout.length), weight)
        };
    }
    skeleton.follow(pose);
}

/// Moves all limited joints toward the center of their limits, by this fraction of the way, stiff ones less: away from rims
/// and from straight limbs, where refinement gets stuck.
pub(super) fn center(objective: &Objective, ratio: f64, pose: &mut [Coordinates]) {
    for active in &objective.layout.active_joints {
        let ratio = ratio * (1.0 - objective.skeleton.joints()[active.joint].stiffness);
        let toward = |value: f64, middle: f64| value + ratio * (middle - value);
        let now = pose[active.joint];
        let center = |range: &Option<Interval>, value: f64| range.map_or(value, |range| toward(value, range.middle()));
        pose[active.joint] = match objective.skeleton.kind(active.joint) {
            // A full circle has no bound to stay away from.
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
    objective.skeleton.follow(pose);
}
