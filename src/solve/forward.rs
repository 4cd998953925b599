//! Forward kinematics: joints are told where to stand, and effectors go where that takes them.

use fabrik3d_ik::{Coordinates, Interval, Isometry, Joint, Kind, Pose, Problem, Skeleton, Solver, Target, loop_gaps};
use fabrik3d_scene::dial_names;
use fabrik3d_scene::{Dial, dials, from_dials};
use fabrik3d_scene::{Scene, did_you_mean};
use glam::{DQuat, DVec3};
use std::fmt;

/// Why a joint cannot be told where to stand.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JointError {
    /// No joint bears this name.
    #[error("there is no joint `{joint}`{}", hint.as_ref().map(|hint| format!(": {hint}")).unwrap_or_default())]
    Unknown {
        /// As given.
        joint: String,
        /// What was perhaps meant.
        hint: Option<String>,
    },
    /// Too many values, or too few.
    #[error("joint `{joint}` takes {expected}")]
    Values {
        /// The joint.
        joint: String,
        /// What it takes: `one number: angle`.
        expected: String,
    },
    /// A value that is not finite.
    #[error("joint `{0}` takes finite numbers")]
    NotFinite(String),
    /// The joint does not move.
    #[error("joint `{0}` is fixed: it does not move")]
    Fixed(String),
    /// Another joint says where this one stands.
    #[error("joint `{joint}` follows `{leader}`: set that one")]
    Follows {
        /// The joint.
        joint: String,
        /// The one that leads.
        leader: String,
    },
    /// The loops that the joint is part of leave it no way there.
    #[error("joint `{0}` cannot go there: a loop holds it")]
    Held(String),
}

/// Why a joint does not stand where it was told to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// Its limits end before.
    ByLimits,
    /// The loops that it is part of let it go no farther.
    ByLoop,
}

/// A joint that does not stand where it was told to, but as near to it as it can.
#[derive(Clone, Debug, PartialEq)]
pub struct Clamped {
    /// The joint.
    pub joint: String,
    /// The first of its dials that stands elsewhere.
    pub dial: Dial,
    /// What that was told.
    pub asked: f64,
    /// What stood in the way.
    pub stopped: Stopped,
}

impl fmt::Display for Clamped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Clamped { joint, dial, asked, stopped } = self;
        let (asked, stands) = (dial.unit.text(*asked), dial.unit.text(dial.value));
        let why = match stopped {
            Stopped::ByLimits => "is beyond the limits of",
            Stopped::ByLoop => "is farther than a loop lets",
        };
        write!(f, "{} {asked} {why} joint `{joint}`: it stands at {stands}", dial.name)
    }
}

/// Gap of a loop that counts as closed, of its figure's reach.
const CLOSED: f64 = 1e-6;
/// Largest step in which a joint inside a loop goes on, radians or shares of the reach.
const STEP: f64 = 0.05;
/// Most such steps.
const MOST_STEPS: f64 = 200.0;
/// How often the step that opens a loop is halved, to find where that ends.
const HALVINGS: usize = 12;

/// Index of the joint of this name.
///
/// # Errors
/// No joint has this name; the error carries the nearest name, if one is near.
pub fn find_joint(scene: &Scene, name: &str) -> Result<usize, JointError> {
    scene.skeleton.find(name).ok_or_else(|| JointError::Unknown {
        joint: name.to_owned(),
        hint: did_you_mean(name, scene.skeleton.joints().iter().map(|joint| joint.name.as_str())),
    })
}

/// `pose` with one joint told where to stand by the values of its dials ([`Dial`]: degrees, the scene's lengths). It
/// stands as near as its limits allow; that is told where it is not there. Joints that follow it do, and loops stay
/// closed: the joints around them give way, and where they cannot it goes no farther.
pub fn pose_with(
    scene: &Scene,
    pose: &[Coordinates],
    joint: usize,
    values: &[f64],
) -> Result<(Pose, Option<Clamped>), JointError> {
    let described = &scene.skeleton.joints()[joint];
    let kind = scene.skeleton.kind(joint);
    let name = || described.name.clone();
    if let Some(mimic) = described.mimic {
        return Err(JointError::Follows { joint: name(), leader: scene.skeleton.joints()[mimic.joint].name.clone() });
    }
    let names = dial_names(kind);
    let wanted = match from_dials(kind, values) {
        _ if names.is_empty() => return Err(JointError::Fixed(name())),
        Some(wanted) => wanted,
        None if values.len() == names.len() => return Err(JointError::NotFinite(name())),
        None => {
            let count = if names.len() == 1 { "one number".to_owned() } else { format!("{} numbers", names.len()) };
            return Err(JointError::Values { joint: name(), expected: format!("{count}: {}", names.join(", ")) });
        }
    };
    let (turned, stopped) = turned(scene, pose, joint, wanted).ok_or_else(|| JointError::Held(name()))?;
    let stands = dials(kind, &turned[joint]);
    let elsewhere = stands.iter().zip(values).find(|(dial, asked)| !stands_at(kind, dial, **asked));
    let elsewhere = elsewhere.filter(|_| !is_same_turn(kind, &turned[joint], values));
    let clamped = elsewhere.map(|(&dial, &asked)| Clamped { joint: name(), dial, asked, stopped });
    Ok((turned, clamped))
}

/// Tells a joint where to stand when the scene opens, as [`pose_with`] does. The targets of the effectors that
/// this moves go along, so that nothing pulls it back.
pub fn set_joint(scene: &mut Scene, joint: usize, values: &[f64]) -> Result<Option<Clamped>, JointError> {
    let (pose, clamped) = pose_with(scene, &scene.start, joint, values)?;
    let (before, after) = (scene.skeleton.frames(&scene.start), scene.skeleton.frames(&pose));
    for described in &mut scene.effectors {
        let effector = described.effector;
        if before[effector.joint] != after[effector.joint] {
            carry(&mut described.target, after[effector.joint], effector.tip);
        }
    }
    scene.start = pose;
    Ok(clamped)
}

/// `pose` with one joint in `wanted`, or as far on the way there as the loops stay closed, and what stopped it if
/// something has. None where they let it go nowhere.
fn turned(scene: &Scene, pose: &[Coordinates], joint: usize, wanted: Coordinates) -> Option<(Pose, Stopped)> {
    let kind = scene.skeleton.kind(joint);
    let with = |pose: &[Coordinates], at: Coordinates| {
        let mut next = pose.to_vec();
        next[joint] = at;
        scene.skeleton.follow(&mut next);
        next
    };
    let direct = with(pose, wanted);
    let problem = Problem { loops: scene.loops.clone(), ..Problem::default() };
    let scale = scene.skeleton.extent();
    if stays_closed(scene, &problem, pose, &direct, scale) {
        return Some((direct, Stopped::ByLimits));
    }
    let from = pose[joint];
    let steps = (distance(kind, &from, &wanted, scale) / STEP).ceil().clamp(1.0, MOST_STEPS);
    let (mut done, mut step, mut here) = (0.0, 1.0 / steps, pose.to_vec());
    for _ in 0..HALVINGS {
        while done < 1.0 {
            let share = f64::min(done + step, 1.0);
            let mut next = with(&here, between(kind, &from, &wanted, share));
            if !close_around(scene, &problem, joint, &mut next) {
                break;
            }
            (here, done) = (next, share);
        }
        step *= 0.5;
    }
    (done > 0.0).then_some((here, Stopped::ByLoop))
}

/// Whether no loop gapes in `after` that did not in `before`.
fn stays_closed(scene: &Scene, problem: &Problem, before: &[Coordinates], after: &[Coordinates], scale: f64) -> bool {
    let gaps = |pose| loop_gaps(&scene.skeleton, problem, pose).into_iter();
    gaps(before).zip(gaps(after)).all(|(before, after)| after <= before.max(CLOSED * scale))
}

/// Closes the loops of a pose in which one joint stays where it is; whether they are closed then.
fn close_around(scene: &Scene, problem: &Problem, joint: usize, pose: &mut [Coordinates]) -> bool {
    let mut joints = scene.skeleton.joints().to_vec();
    let mut locked = pose.to_vec();
    locked[joint] = lock(&mut joints[joint], pose[joint]);
    let Ok(skeleton) = Skeleton::new(joints) else { return false };
    if Solver::new(skeleton).problem(problem.clone()).close_loops(&mut locked) > CLOSED {
        return false;
    }
    locked[joint] = pose[joint];
    pose.copy_from_slice(&locked);
    scene.skeleton.follow(pose);
    true
}

/// A target where an effector is, as far as it asks for anything; `tip` is the effector's, `frame` its joint's.
pub fn carry(target: &mut Target, frame: Isometry, tip: DVec3) {
    target.position = target.position.map(|_| frame.point(tip));
    target.rotation = target.rotation.map(|_| frame.rotation);
}

/// Holds a joint in its coordinates; those that it has then.
fn lock(joint: &mut Joint, at: Coordinates) -> Coordinates {
    match &mut joint.kind {
        Kind::Hinge { range, .. } | Kind::Slide { range, .. } => {
            *range = Interval::new(at.value(), at.value()).ok();
            at
        }
        kind => {
            let held = kind.frame(Isometry::new(joint.offset, joint.rest), &at);
            (joint.offset, joint.rest, joint.kind) = (held.position, held.rotation, Kind::Fixed);
            Coordinates::default()
        }
    }
}

/// Coordinates on the way from one place to another.
fn between(kind: &Kind, from: &Coordinates, to: &Coordinates, share: f64) -> Coordinates {
    if share >= 1.0 {
        return *to;
    }
    let mixed = |from: f64, to: f64| from + share * (to - from);
    match kind {
        Kind::Ball { swing: None, twist: None } => {
            Coordinates::rotation(from.ball_rotation().slerp(to.ball_rotation(), share))
        }
        Kind::Ball { .. } => {
            let ([a, b], [c, d]) = (from.tilt(), to.tilt());
            Coordinates::ball([mixed(a, c), mixed(b, d)], mixed(from.twist(), to.twist()))
        }
        Kind::Hinge { .. } | Kind::Slide { .. } => Coordinates::scalar(mixed(from.value(), to.value())),
        Kind::Fixed => *to,
        Kind::Free => Coordinates::free(
            from.free_position().lerp(to.free_position(), share),
            from.free_rotation().slerp(to.free_rotation(), share),
        ),
    }
}

/// How far it is from one place of a joint to another: radians, or of a figure of this size.
fn distance(kind: &Kind, from: &Coordinates, to: &Coordinates, scale: f64) -> f64 {
    let angle = |from: DQuat, to: DQuat| from.angle_between(to);
    let scale = if scale > 0.0 { scale } else { 1.0 };
    match kind {
        Kind::Slide { .. } => (to.value() - from.value()).abs() / scale,
        Kind::Hinge { .. } => (to.value() - from.value()).abs(),
        Kind::Free => {
            let way = from.free_position().distance(to.free_position()) / scale;
            way.max(angle(from.free_rotation(), to.free_rotation()))
        }
        _ => angle(kind.rotation(from), kind.rotation(to)),
    }
}

/// Largest difference between what a dial was told and shows that is none, degrees or lengths.
const SAME: f64 = 1e-6;

/// Whether a dial shows what it was told; whole turns of a joint without limits do not count.
fn stands_at(kind: &Kind, dial: &Dial, asked: f64) -> bool {
    let off = (dial.value - asked).abs();
    let turns = matches!(kind, Kind::Hinge { range: None, .. } | Kind::Ball { twist: None, .. })
        && dial.unit == fabrik3d_scene::Unit::Degrees;
    off <= SAME || (turns && (off % 360.0).min(360.0 - off % 360.0) <= SAME)
}

/// Whether a rotation without limits is the one that was told: a vector of more than half a turn reads as another one.
fn is_same_turn(kind: &Kind, stands: &Coordinates, values: &[f64]) -> bool {
    match kind {
        Kind::Ball { swing: None, twist: None } | Kind::Free => {
            from_dials(kind, values).is_some_and(|told| distance(kind, stands, &told, 1.0) < 1e-6)
        }
        _ => false,
    }
}
