//! Forward kinematics: sets the values of a joint and moves the effectors with it.

use fabrik3d_ik::display::{mix_poses, pose_distance};
use fabrik3d_ik::queries::loop_gaps;
use fabrik3d_ik::{Coordinates, Interval, Isometry, Joint, Kind, Pose, Problem, Skeleton, Solver};
use fabrik3d_scene::{JointValue, Scene, Unit, coordinates_from_values, joint_value_names, joint_values};
use std::fmt;

/// Why a joint cannot be set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JointError {
    /// No joint has this name.
    #[error("there is no joint `{joint}`{}", hint.as_ref().map(|hint| format!(": {hint}")).unwrap_or_default())]
    Unknown {
        /// Name as given.
        joint: String,
        /// A similar name.
        hint: Option<String>,
    },
    /// The number of values is wrong: the joint and what it takes, as in `one number: angle`.
    #[error("joint `{0}` takes {1}")]
    Values(String, String),
    /// The number of values for the whole pose is wrong: how many are needed, how many were given, and the joints.
    #[error("{0} values are needed, found {1}\n  the joints are: {2}")]
    PoseValues(usize, usize, String),
    /// A value is not finite.
    #[error("joint `{0}` takes finite numbers")]
    NotFinite(String),
    /// The joint does not move.
    #[error("joint `{0}` is fixed and does not move")]
    Fixed(String),
    /// Another joint, the second one, determines the value of this one.
    #[error("joint `{0}` follows `{1}`: set that joint instead")]
    Follows(String, String),
    /// The loops through the joint prevent the motion.
    #[error("joint `{0}` cannot move there: a closed loop blocks it")]
    BlockedByLoop(String),
}

/// What kept a joint from its requested value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClampCause {
    /// Its own limits.
    Limits,
    /// A loop that it is part of.
    Loop,
}

/// A joint that stopped short of its requested value.
#[derive(Clone, Debug, PartialEq)]
pub struct ClampedJoint {
    /// Name of the joint.
    pub joint: String,
    /// The first of its values that differs, as it is now.
    pub joint_value: JointValue,
    /// The requested value.
    pub requested: f64,
    /// What stopped the joint.
    pub cause: ClampCause,
}

impl fmt::Display for ClampedJoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ClampedJoint { joint, joint_value, requested, cause } = self;
        let (requested, actual) = (joint_value.unit.text(*requested), joint_value.unit.text(joint_value.value));
        let why = match cause {
            ClampCause::Limits => "is beyond the limits of",
            ClampCause::Loop => "is farther than a closed loop allows for",
        };
        write!(f, "{} {requested} {why} joint `{joint}`: it stops at {actual}", joint_value.name)
    }
}

/// Difference that counts as none: of values, in radians, and of the ends of a closed loop as a fraction of the reach.
const SAME: f64 = 1e-6;
/// Largest step of a joint inside a loop, radians or fractions of the reach.
const MAX_STEP: f64 = 0.05;
/// Most steps on the way to the requested value.
const MAX_STEPS: f64 = 200.0;
/// How often a step that opens a loop is halved to find the farthest possible value.
const MAX_HALVINGS: usize = 12;

/// Index of the joint with this name, or of the joint that has the frame of the link with this name.
///
/// # Errors
/// No joint and no link has this name. The error suggests the most similar name.
pub fn find_joint(scene: &Scene, name: &str) -> Result<usize, JointError> {
    scene.find_joint(name).ok_or_else(|| JointError::Unknown { joint: name.to_owned(), hint: scene.joint_hint(name) })
}

/// The values of each joint that can be set, in the order of the file: `values` holds those of all joints.
///
/// # Errors
/// The number of values is wrong.
pub fn values_by_joint<'a>(scene: &Scene, values: &'a [f64]) -> Result<Vec<(usize, &'a [f64])>, JointError> {
    let count = |joint: usize| joint_value_names(scene.skeleton.kind(joint)).len();
    let needed = scene.settable_joints().map(count).sum();
    if values.len() != needed {
        let names = scene.settable_joints().map(|joint| scene.skeleton.joints()[joint].name.as_str());
        let joints = names.collect::<Vec<_>>().join(", ");
        return Err(JointError::PoseValues(needed, values.len(), joints));
    }
    let mut rest = values;
    let next = |joint: usize| {
        let (own, others) = rest.split_at(count(joint));
        rest = others;
        (joint, own)
    };
    Ok(scene.settable_joints().map(next).collect())
}

/// `pose` with all joints that can be set at `values`, in the order of the file, inside the limits. Loops may open.
///
/// # Errors
/// The number of values is wrong, or one is not finite.
pub fn pose_from_values(scene: &Scene, pose: &[Coordinates], values: &[f64]) -> Result<Pose, JointError> {
    let mut pose = pose.to_vec();
    for (joint, values) in values_by_joint(scene, values)? {
        let coordinates = coordinates_from_values(scene.skeleton.kind(joint), values);
        let name = || scene.skeleton.joints()[joint].name.clone();
        pose[joint] = coordinates.ok_or_else(|| JointError::NotFinite(name()))?;
    }
    scene.skeleton.follow(&mut pose);
    Ok(pose)
}

/// `pose` with one joint set to `values` ([`JointValue`]: degrees and scene lengths).
///
/// The joint stops at its limits; the second result reports this. Mimic joints move with it. Loops stay closed: their other
/// joints adapt, and the joint stops where they cannot.
///
/// # Errors
/// The joint is fixed, follows another one or takes other values, or a loop prevents any motion.
pub fn pose_with_joint(
    scene: &Scene,
    pose: &[Coordinates],
    joint: usize,
    values: &[f64],
) -> Result<(Pose, Option<ClampedJoint>), JointError> {
    let described = &scene.skeleton.joints()[joint];
    let kind = scene.skeleton.kind(joint);
    let name = || described.name.clone();
    if let Some(mimic) = described.mimic {
        return Err(JointError::Follows(name(), scene.skeleton.joints()[mimic.joint].name.clone()));
    }
    let names = joint_value_names(kind);
    let requested = match coordinates_from_values(kind, values) {
        _ if names.is_empty() => return Err(JointError::Fixed(name())),
        Some(requested) => requested,
        None if values.len() == names.len() => return Err(JointError::NotFinite(name())),
        None => {
            let count = if names.len() == 1 { "one number".to_owned() } else { format!("{} numbers", names.len()) };
            return Err(JointError::Values(name(), format!("{count}: {}", names.join(", "))));
        }
    };
    let (moved, cause) = move_joint(scene, pose, joint, requested).ok_or_else(|| JointError::BlockedByLoop(name()))?;
    let actual = joint_values(kind, &moved[joint]);
    let differing =
        actual.iter().zip(values).find(|(joint_value, requested)| !has_value(kind, joint_value, **requested));
    let differing = differing.filter(|_| !is_same_rotation(scene, &moved, joint, values));
    let clamped =
        differing.map(|(&joint_value, &requested)| ClampedJoint { joint: name(), joint_value, requested, cause });
    Ok((moved, clamped))
}

/// Sets a joint in the opening pose of the scene, as [`pose_with_joint`] does. The targets of the effectors that move
/// are set to their new positions, so that the solver does not change the pose.
pub fn set_joint(scene: &mut Scene, joint: usize, values: &[f64]) -> Result<Option<ClampedJoint>, JointError> {
    let (pose, clamped) = pose_with_joint(scene, &scene.start, joint, values)?;
    let (before, after) = (scene.skeleton.frames(&scene.start), scene.skeleton.frames(&pose));
    for described in &mut scene.effectors {
        let joint = described.effector.joint;
        if before[joint] != after[joint] {
            described.target = described.at_tip(described.target, after[joint]);
        }
    }
    scene.start = pose;
    Ok(clamped)
}

/// `pose` with one joint as close to the requested coordinates as the loops allow; none if they prevent any motion.
fn move_joint(scene: &Scene, pose: &[Coordinates], joint: usize, requested: Coordinates) -> Option<(Pose, ClampCause)> {
    let skeleton = &scene.skeleton;
    let mut direct = pose.to_vec();
    direct[joint] = requested;
    skeleton.follow(&mut direct);
    let problem = Problem { loops: scene.loops.clone(), ..Problem::default() };
    let reach = skeleton.extent();
    if keeps_loops_closed(scene, &problem, pose, &direct, reach) {
        return Some((direct, ClampCause::Limits));
    }
    let mix = |share: f64, out: &mut Pose| mix_poses(skeleton, &[joint], pose, &direct, share, out);
    let mut middle = pose.to_vec();
    mix(0.5, &mut middle);
    // In two parts, since a limited hinge may turn by more than half a turn.
    let length = if reach > 0.0 { reach } else { 1.0 };
    let distance = |from: &[Coordinates], to: &[Coordinates]| pose_distance(skeleton, &[joint], from, to, length);
    let distance = distance(pose, &middle) + distance(&middle, &direct);
    let steps = (distance / MAX_STEP).ceil().clamp(1.0, MAX_STEPS);
    let (mut done, mut step, mut here) = (0.0, 1.0 / steps, pose.to_vec());
    for _ in 0..MAX_HALVINGS {
        while done < 1.0 {
            let share = f64::min(done + step, 1.0);
            let mut next = here.clone();
            if share < 1.0 {
                mix(share, &mut next);
            } else {
                next[joint] = requested;
            }
            skeleton.follow(&mut next);
            if !close_loops_around(scene, &problem, joint, &mut next) {
                break;
            }
            (here, done) = (next, share);
        }
        step *= 0.5;
    }
    (done > 0.0).then_some((here, ClampCause::Loop))
}

/// Whether `after` opens no loop that is closed in `before`.
fn keeps_loops_closed(
    scene: &Scene,
    problem: &Problem,
    before: &[Coordinates],
    after: &[Coordinates],
    reach: f64,
) -> bool {
    let gaps = |pose| loop_gaps(&scene.skeleton, problem, pose).into_iter();
    gaps(before).zip(gaps(after)).all(|(before, after)| after <= before.max(SAME * reach))
}

/// Closes the loops of a pose with one joint locked. Returns whether they are closed.
fn close_loops_around(scene: &Scene, problem: &Problem, joint: usize, pose: &mut [Coordinates]) -> bool {
    let mut joints = scene.skeleton.joints().to_vec();
    let mut locked = pose.to_vec();
    locked[joint] = lock(&mut joints[joint], pose[joint]);
    let Ok(skeleton) = Skeleton::new(joints) else { return false };
    if Solver::new(skeleton).problem(problem.clone()).close_loops(&mut locked) > SAME {
        return false;
    }
    locked[joint] = pose[joint];
    pose.copy_from_slice(&locked);
    scene.skeleton.follow(pose);
    true
}

/// Locks a joint at `at` and returns the coordinates of the locked joint.
fn lock(joint: &mut Joint, at: Coordinates) -> Coordinates {
    match &mut joint.kind {
        Kind::Hinge { range, .. } | Kind::Slide { range, .. } => {
            *range = Interval::new(at.value(), at.value()).ok();
            at
        }
        kind => {
            let frame = kind.frame(Isometry::new(joint.offset, joint.rest), &at);
            (joint.offset, joint.rest, joint.kind) = (frame.position, frame.rotation, Kind::Fixed);
            Coordinates::default()
        }
    }
}

/// Whether a value is the requested one. Full turns of an unlimited joint do not matter.
fn has_value(kind: &Kind, joint_value: &JointValue, requested: f64) -> bool {
    let off = (joint_value.value - requested).abs();
    let is_cyclic = matches!(kind, Kind::Hinge { range: None, .. } | Kind::Ball { twist: None, .. })
        && joint_value.unit == Unit::Degrees;
    off <= SAME || (is_cyclic && (off % 360.0).min(360.0 - off % 360.0) <= SAME)
}

/// Whether an unlimited rotation is the requested one: a rotation vector longer than half a turn reads back differently.
fn is_same_rotation(scene: &Scene, pose: &[Coordinates], joint: usize, values: &[f64]) -> bool {
    let kind = scene.skeleton.kind(joint);
    let (Kind::Ball { swing: None, twist: None } | Kind::Free) = kind else { return false };
    coordinates_from_values(kind, values).is_some_and(|requested| {
        let mut other = pose.to_vec();
        other[joint] = requested;
        pose_distance(&scene.skeleton, &[joint], pose, &other, 1.0) < SAME
    })
}
