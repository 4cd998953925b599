//! Skeletons: trees of joints with limits.

use super::{
    Coordinates, Interval, Joint, Kind, LARGEST, MAX_ANGLE, Mimic, Pose, check_number, check_point, check_rotation,
    nearest_turn, unit, unit_axis,
};
use glam::DVec3;
use std::collections::HashSet;
use std::f64::consts::TAU;
use std::sync::Arc;

/// Why a skeleton cannot be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SkeletonError {
    /// There is no joint at all.
    #[error("a skeleton needs at least one joint")]
    Empty,
    /// Two joints have the same name.
    #[error("two joints are named `{0}`; names must be unique")]
    DuplicateName(String),
    /// The index of a parent is not smaller than that of its child.
    #[error("joint `{0}` must come after its parent")]
    ParentOrder(String),
    /// An offset or a rotation is not finite or has a number beyond 1e75, or a rotation is zero.
    #[error(
        "joint `{0}`: offset and rest rotation must be finite, with no number above 1e75, and the rotation must not be zero"
    )]
    NotFinite(String),
    /// The axis of a hinge or slide is zero or not finite.
    #[error("joint `{0}`: the axis must be finite and must not be zero")]
    Axis(String),
    /// The stiffness of a joint is not from 0 to 1.
    #[error("joint `{0}`: the stiffness must be from 0 to 1")]
    Stiffness(String),
    /// A mimic joint follows itself, another mimic joint, or a joint that is neither a hinge nor a slide.
    #[error(
        "joint `{0}`: only hinges and slides can be mimic joints, and they must follow a hinge or slide that is not one"
    )]
    Mimic(String),
    /// No angle or distance of a joint keeps the ranges of those that follow it.
    #[error(
        "joint `{leader}` cannot keep both its range and that of `{follower}`, which follows it: widen one of them"
    )]
    NoCommonRange {
        /// The joint that is followed.
        leader: String,
        /// The first joint whose range leaves nothing.
        follower: String,
    },
}

/// Joints, parents first; there may be several trees. Rest rotations and axes have unit length. Once built, only offsets
/// ([`Skeleton::set_offset`]) and stiffness ([`Skeleton::set_stiffness`]) change.
///
/// Methods panic if a joint that they are given does not exist, or if a pose has no entry for a joint that they need.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "Vec<Joint>", into = "Vec<Joint>")
)]
pub struct Skeleton {
    joints: Vec<Joint>,
    /// The joints that have a parent, in the order of their parents.
    children: Vec<usize>,
    /// The kinds of the joints. The ranges of joints that others follow are narrowed; see [`Skeleton::kind`].
    kinds: Vec<Kind>,
    /// For each joint, whether it and all its ancestors are fixed.
    anchored: Vec<bool>,
    /// The joints that follow others, in ascending order.
    pub(crate) followers: Vec<usize>,
    /// The hinges that reach the same pose after a whole turn too, in ascending order: their range is a turn or more, if any.
    pub(crate) circles: Vec<usize>,
}

impl Skeleton {
    /// A skeleton of these joints; every parent comes before its children.
    ///
    /// # Errors
    /// [`SkeletonError`] if there is no joint or one is not valid.
    pub fn new(mut joints: Vec<Joint>) -> Result<Self, SkeletonError> {
        if joints.is_empty() {
            return Err(SkeletonError::Empty);
        }
        for i in 0..joints.len() {
            let name = |joints: &[Joint]| joints[i].name.clone();
            if joints[i].parent.is_some_and(|parent| parent >= i) {
                return Err(SkeletonError::ParentOrder(name(&joints)));
            }
            if let Some(mimic) = joints[i].mimic {
                let leader = joints.get(mimic.joint);
                let is_valid = mimic.joint != i
                    && check_number(mimic.scale).is_ok()
                    && check_number(mimic.offset).is_ok()
                    && joints[i].kind.is_scalar()
                    && leader.is_some_and(|leader| leader.mimic.is_none() && leader.kind.is_scalar());
                if !is_valid {
                    return Err(SkeletonError::Mimic(name(&joints)));
                }
            }
            let joint = &mut joints[i];
            if check_point(joint.offset).and_then(|()| check_rotation(joint.rest)).is_err() {
                return Err(SkeletonError::NotFinite(joint.name.clone()));
            }
            if [joint.stiffness, joint.twist_stiffness].iter().any(|stiffness| !(0.0..=1.0).contains(stiffness)) {
                return Err(SkeletonError::Stiffness(joint.name.clone()));
            }
            joint.rest = unit(joint.rest);
            if let Kind::Hinge { axis, .. } | Kind::Slide { axis, .. } = &mut joint.kind {
                *axis = unit_axis(*axis).ok_or_else(|| SkeletonError::Axis(joint.name.clone()))?;
            }
        }
        let mut names = HashSet::with_capacity(joints.len());
        if let Some(joint) = joints.iter().find(|joint| !names.insert(joint.name.as_str())) {
            return Err(SkeletonError::DuplicateName(joint.name.clone()));
        }
        Ok(Skeleton::assemble(narrowed(&joints)?, joints))
    }

    /// A skeleton of valid joints, parents first.
    fn assemble(kinds: Vec<Kind>, joints: Vec<Joint>) -> Self {
        let mut anchored = Vec::with_capacity(joints.len());
        for joint in &joints {
            anchored.push(joint.kind == Kind::Fixed && joint.parent.is_none_or(|parent| anchored[parent]));
        }
        let followers = (0..joints.len()).filter(|&i| joints[i].mimic.is_some()).collect();
        let circles = circles(&kinds, &joints);
        let mut children: Vec<usize> = (0..joints.len()).filter(|&i| joints[i].parent.is_some()).collect();
        children.sort_by_key(|&child| joints[child].parent);
        Skeleton { children, joints, kinds, anchored, followers, circles }
    }

    /// A skeleton of some joints (ascending) without names. With each of its joints, `joints` has the parent and the leader.
    pub(crate) fn part(&self, joints: &[usize]) -> Skeleton {
        let number = |joint: usize| joints.binary_search(&joint).ok();
        let own = |&joint: &usize| {
            let Joint { parent, offset, rest, axes, kind, mimic, stiffness, twist_stiffness, .. } = self.joints[joint];
            let (name, parent) = (String::new(), parent.and_then(number));
            let mimic = mimic.and_then(|mimic| Some(Mimic { joint: number(mimic.joint)?, ..mimic }));
            Joint { name, parent, offset, rest, axes, kind, mimic, stiffness, twist_stiffness }
        };
        let kinds = joints.iter().map(|&joint| self.kinds[joint]).collect();
        Skeleton::assemble(kinds, joints.iter().map(own).collect())
    }

    /// The joints, parents first.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// Moves the origin of a joint to `offset` in its parent's frame, or in the world. Solvers notice it in their next solve.
    ///
    /// # Errors
    /// [`SkeletonError::NotFinite`]; the joint then keeps its offset.
    pub fn set_offset(&mut self, joint: usize, offset: DVec3) -> Result<(), SkeletonError> {
        let joint = &mut self.joints[joint];
        if check_point(offset).is_err() {
            return Err(SkeletonError::NotFinite(joint.name.clone()));
        }
        joint.offset = offset;
        Ok(())
    }

    /// Sets how much a joint resists: [`Joint::stiffness`]. Solvers notice it in their next solve.
    ///
    /// # Errors
    /// [`SkeletonError::Stiffness`] if it is not from 0 to 1; the joint then keeps its stiffness.
    pub fn set_stiffness(&mut self, joint: usize, stiffness: f64) -> Result<(), SkeletonError> {
        let joint = &mut self.joints[joint];
        if !(0.0..=1.0).contains(&stiffness) {
            return Err(SkeletonError::Stiffness(joint.name.clone()));
        }
        joint.stiffness = stiffness;
        Ok(())
    }

    /// Whether both skeletons have the same joints, whatever their offsets and stiffness.
    pub fn has_joints_of(&self, other: &Skeleton) -> bool {
        let same = |(a, b): (&Joint, &Joint)| {
            (&a.name, a.parent, a.rest, a.axes, a.kind, a.mimic) == (&b.name, b.parent, b.rest, b.axes, b.kind, b.mimic)
        };
        self.len() == other.len() && self.joints.iter().zip(&other.joints).all(same)
    }

    /// How a joint moves. If other joints follow it, its range is narrowed to the values that keep their ranges too. A hinge
    /// without limits that others follow gets a range of ten thousand turns each way, because whole turns count: half a turn
    /// of a joint that follows at half the speed is not zero.
    pub fn kind(&self, joint: usize) -> &Kind {
        &self.kinds[joint]
    }

    /// Whether a joint cannot move: it and all its ancestors are fixed.
    pub fn is_anchored(&self, joint: usize) -> bool {
        self.anchored[joint]
    }

    /// Number of joints.
    pub fn len(&self) -> usize {
        self.joints.len()
    }

    /// Always false: a skeleton has at least one joint.
    pub fn is_empty(&self) -> bool {
        self.joints.is_empty()
    }

    /// The children of a joint, in ascending order.
    pub fn children(&self, joint: usize) -> &[usize] {
        let start = |parent| self.children.partition_point(|&child| self.joints[child].parent < Some(parent));
        &self.children[start(joint)..start(joint + 1)]
    }

    /// The index of the joint with this name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|joint| joint.name == name)
    }

    /// The rest pose: all coordinates zero, or the nearest allowed values if limits exclude zero.
    pub fn rest_pose(&self) -> Pose {
        let mut pose: Pose = self.kinds.iter().map(Kind::rest).collect();
        self.follow(&mut pose);
        pose
    }

    /// Sets the coordinates of all mimic joints from those of the joints that they follow.
    pub fn follow(&self, pose: &mut [Coordinates]) {
        for &follower in &self.followers {
            if let Some(mimic) = self.joints[follower].mimic {
                pose[follower] = mimic.follow(pose[mimic.joint]);
            }
        }
    }

    /// Shifts hinges of `pose` by whole turns, as near to `start` as their ranges allow. All frames stay.
    ///
    /// # Panics
    /// A pose has fewer entries than there are joints.
    pub fn turn_near(&self, start: &[Coordinates], pose: &mut [Coordinates]) {
        for &hinge in &self.circles {
            let turned = nearest_turn(self.kinds[hinge].range(), pose[hinge].value(), start[hinge].value());
            pose[hinge] = turned.map_or(pose[hinge], Coordinates::scalar);
        }
        if !self.circles.is_empty() {
            self.follow(pose);
        }
    }

    /// Projects all coordinates onto the limits.
    pub fn project(&self, pose: &mut [Coordinates]) {
        for (kind, coordinates) in self.kinds.iter().zip(pose.iter_mut()) {
            *coordinates = kind.project(*coordinates);
        }
        self.follow(pose);
    }
}

impl TryFrom<Vec<Joint>> for Skeleton {
    type Error = SkeletonError;

    fn try_from(joints: Vec<Joint>) -> Result<Self, SkeletonError> {
        Skeleton::new(joints)
    }
}

/// The joints to build the skeleton from again.
impl From<Skeleton> for Vec<Joint> {
    fn from(skeleton: Skeleton) -> Self {
        skeleton.joints
    }
}

/// A shared copy, so that [`Solver::new`](crate::Solver::new) takes a reference.
impl From<&Skeleton> for Arc<Skeleton> {
    fn from(skeleton: &Skeleton) -> Self {
        Arc::new(skeleton.clone())
    }
}

/// The kinds of `joints`. The ranges of joints that others follow are narrowed to what those allow.
fn narrowed(joints: &[Joint]) -> Result<Vec<Kind>, SkeletonError> {
    let mut kinds: Vec<Kind> = joints.iter().map(|joint| joint.kind).collect();
    for joint in joints {
        let (Some(mimic), Some(allowed)) = (joint.mimic, joint.kind.range()) else { continue };
        let nothing = || {
            let leader = joints[mimic.joint].name.clone();
            SkeletonError::NoCommonRange { leader, follower: joint.name.clone() }
        };
        if mimic.scale == 0.0 {
            match (allowed.clamp(mimic.offset) - mimic.offset).abs() <= ROUNDING {
                true => continue,
                false => return Err(nothing()),
            }
        }
        let ends = [allowed.low(), allowed.high()].map(|end| (end - mimic.offset) / mimic.scale);
        let (first, last) = (ends[0].min(ends[1]).max(-LARGEST), ends[0].max(ends[1]).min(LARGEST));
        let own = kinds[mimic.joint].range();
        let (low, high) = own.map_or((first, last), |own| (own.low().max(first), own.high().min(last)));
        // Ranges that meet in one value may miss each other by rounding.
        let (low, high) = if low - high <= ROUNDING { (low.min(high), high) } else { (low, high) };
        if let Kind::Hinge { range, .. } | Kind::Slide { range, .. } = &mut kinds[mimic.joint] {
            *range = Some(Interval::new(low, high).map_err(|_| nothing())?);
        }
    }
    for mimic in joints.iter().filter_map(|joint| joint.mimic) {
        if let Kind::Hinge { range: range @ None, .. } = &mut kinds[mimic.joint] {
            *range = Interval::new(-MAX_ANGLE, MAX_ANGLE).ok();
        }
    }
    Ok(kinds)
}

/// Difference of two ends of ranges that is rounding: radians or lengths.
const ROUNDING: f64 = 1e-12;

/// A whole turn of a hinge that others follow need not be one of theirs.
fn circles(kinds: &[Kind], joints: &[Joint]) -> Vec<usize> {
    let turns = |kind: &Kind| match kind {
        Kind::Hinge { range, .. } => range.is_none_or(|range| range.width() >= TAU),
        _ => false,
    };
    let mut circles: Vec<bool> =
        kinds.iter().zip(joints).map(|(kind, joint)| turns(kind) && joint.mimic.is_none()).collect();
    for (joint, mimic) in joints.iter().filter_map(|joint| Some((joint, joint.mimic?))) {
        circles[mimic.joint] &= matches!(joint.kind, Kind::Hinge { .. }) && mimic.scale.fract() == 0.0;
    }
    (0..joints.len()).filter(|&joint| circles[joint]).collect()
}
