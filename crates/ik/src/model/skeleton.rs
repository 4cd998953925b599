//! Skeletons: trees of joints with limits.

use super::joint::{Joint, Kind, unit, unit_axis};
use super::limits::Interval;
use super::pose::{Coordinates, Pose};
use glam::DVec3;
use std::collections::HashMap;
use std::sync::Arc;

/// Why a skeleton cannot be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
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
    /// An offset or a rotation is not finite, or a rotation is zero.
    #[error("joint `{0}`: offset and rest rotation must be finite, and the rotation must not be zero")]
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
}

/// Joints, parents first; there may be several trees. Once built, only offsets change ([`Skeleton::set_offset`]); rest
/// rotations and axes have unit length.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "Vec<Joint>", into = "Vec<Joint>")
)]
pub struct Skeleton {
    joints: Vec<Joint>,
    children: Vec<Vec<usize>>,
    /// The kinds of the joints. The ranges of joints that others follow are narrowed; see [`Skeleton::kind`].
    kinds: Vec<Kind>,
}

/// Joints that must be solved together: a tree, or several trees that loops or mimic joints connect. Islands are
/// independent of each other.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Island {
    /// Indices of its joints, parents first.
    pub joints: Vec<usize>,
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
        let mut names = HashMap::new();
        let mut children = vec![Vec::new(); joints.len()];
        for i in 0..joints.len() {
            let name = joints[i].name.clone();
            if let Some(parent) = joints[i].parent {
                if parent >= i {
                    return Err(SkeletonError::ParentOrder(name));
                }
                children[parent].push(i);
            }
            if let Some(mimic) = joints[i].mimic {
                let is_scalar = |kind: &Kind| matches!(kind, Kind::Hinge { .. } | Kind::Slide { .. });
                let leader = joints.get(mimic.joint);
                let is_valid = mimic.joint != i
                    && mimic.scale.is_finite()
                    && mimic.offset.is_finite()
                    && is_scalar(&joints[i].kind)
                    && leader.is_some_and(|leader| leader.mimic.is_none() && is_scalar(&leader.kind));
                if !is_valid {
                    return Err(SkeletonError::Mimic(name));
                }
            }
            let joint = &mut joints[i];
            if !joint.offset.is_finite() || !joint.rest.is_finite() || joint.rest.length_squared() < 1e-12 {
                return Err(SkeletonError::NotFinite(name));
            }
            if !(0.0..=1.0).contains(&joint.stiffness) {
                return Err(SkeletonError::Stiffness(name));
            }
            joint.rest = unit(joint.rest);
            if let Kind::Hinge { axis, .. } | Kind::Slide { axis, .. } = &mut joint.kind {
                *axis = unit_axis(*axis).ok_or_else(|| SkeletonError::Axis(name.clone()))?;
            }
            if names.insert(name.clone(), i).is_some() {
                return Err(SkeletonError::DuplicateName(name));
            }
        }
        let kinds = narrowed(&joints);
        Ok(Skeleton { joints, children, kinds })
    }

    /// The joints, parents first.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// Moves the origin of a joint to `offset` in its parent's frame (for a root: in the world). Solvers notice it in their
    /// next solve.
    ///
    /// # Errors
    /// [`SkeletonError::NotFinite`]; the joint then keeps its offset.
    pub fn set_offset(&mut self, joint: usize, offset: DVec3) -> Result<(), SkeletonError> {
        let joint = &mut self.joints[joint];
        if !offset.is_finite() {
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

    /// How a joint moves. If other joints follow it, its range is narrowed to the values that keep their ranges too; if
    /// there are no such values, it keeps its own range. A hinge without limits that others follow gets a range of ten
    /// thousand turns each way, because whole turns count: half a turn of a joint that follows at half the speed is not
    /// zero.
    pub fn kind(&self, joint: usize) -> &Kind {
        &self.kinds[joint]
    }

    /// Number of joints.
    pub fn len(&self) -> usize {
        self.joints.len()
    }

    /// Always false: a skeleton has at least one joint.
    pub fn is_empty(&self) -> bool {
        self.joints.is_empty()
    }

    /// The children of a joint.
    pub fn children(&self, joint: usize) -> &[usize] {
        &self.children[joint]
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
        for (i, joint) in self.joints.iter().enumerate() {
            if let Some(mimic) = joint.mimic {
                pose[i] = mimic.coordinate(pose);
            }
        }
    }

    /// Projects all coordinates onto the limits.
    pub fn project(&self, pose: &mut [Coordinates]) {
        for (kind, coordinates) in self.kinds.iter().zip(pose.iter_mut()) {
            *coordinates = kind.project(*coordinates);
        }
        self.follow(pose);
    }

    /// The islands of the skeleton, in the order of their first joints. Each pair of `ties` connects the trees of two
    /// joints; so does a mimic joint and the joint that it follows.
    pub fn islands(&self, ties: impl IntoIterator<Item = (usize, usize)>) -> Vec<Island> {
        let mut roots: Vec<usize> = Vec::with_capacity(self.len());
        for (i, joint) in self.joints.iter().enumerate() {
            roots.push(joint.parent.map_or(i, |parent| roots[parent]));
        }
        let mimics = self.joints.iter().enumerate().filter_map(|(i, joint)| joint.mimic.map(|mimic| (i, mimic.joint)));
        for (a, b) in mimics.chain(ties) {
            let (from, to) = (roots[a].max(roots[b]), roots[a].min(roots[b]));
            if from != to {
                roots.iter_mut().filter(|root| **root == from).for_each(|root| *root = to);
            }
        }
        let mut islands: Vec<Island> = Vec::new();
        let mut index_of_root = HashMap::new();
        for (i, root) in roots.into_iter().enumerate() {
            let at = *index_of_root.entry(root).or_insert_with(|| {
                islands.push(Island { joints: Vec::new() });
                islands.len() - 1
            });
            islands[at].joints.push(i);
        }
        islands
    }

    /// Whether `joints` (of one island) form a single line of unlimited balls without stiffness. The first joint may be
    /// free and the last ones fixed. Such islands are solved by the fast path for chains and mixed by link directions.
    pub fn is_simple_chain(&self, joints: &[usize]) -> bool {
        let mut turning = true;
        joints.iter().enumerate().all(|(at, &i)| {
            let joint = &self.joints[i];
            let linked = at == 0 || (joint.parent == Some(joints[at - 1]) && joint.offset.length_squared() > 0.0);
            let allowed = match joint.kind {
                Kind::Ball { swing: None, twist: None } => turning,
                Kind::Free => at == 0,
                Kind::Fixed => {
                    turning = false;
                    at > 0
                }
                _ => false,
            };
            linked && allowed && joint.stiffness == 0.0 && self.children[i].len() <= 1
        }) && joints.first().is_some_and(|&root| self.joints[root].parent.is_none())
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
fn narrowed(joints: &[Joint]) -> Vec<Kind> {
    let mut kinds: Vec<Kind> = joints.iter().map(|joint| joint.kind).collect();
    for joint in joints {
        let (Some(mimic), Some(allowed)) = (joint.mimic, range_of(&joint.kind)) else { continue };
        if mimic.scale == 0.0 {
            continue;
        }
        let ends = [allowed.low(), allowed.high()].map(|end| (end - mimic.offset) / mimic.scale);
        let own = range_of(&kinds[mimic.joint]);
        let low = own.map_or(f64::NEG_INFINITY, Interval::low).max(ends[0].min(ends[1]));
        let high = own.map_or(f64::INFINITY, Interval::high).min(ends[0].max(ends[1]));
        if let (Ok(cut), Kind::Hinge { range, .. } | Kind::Slide { range, .. }) =
            (Interval::new(low, high), &mut kinds[mimic.joint])
        {
            *range = Some(cut);
        }
    }
    for mimic in joints.iter().filter_map(|joint| joint.mimic) {
        if let Kind::Hinge { range: range @ None, .. } = &mut kinds[mimic.joint] {
            *range = Interval::new(-MAX_LEADER_ANGLE, MAX_LEADER_ANGLE).ok();
        }
    }
    kinds
}

/// Range to either side of a hinge without limits that others follow, radians.
const MAX_LEADER_ANGLE: f64 = 1e4 * std::f64::consts::TAU;

/// The range of a hinge or a slide; `None` for other kinds.
fn range_of(kind: &Kind) -> Option<Interval> {
    match kind {
        Kind::Hinge { range, .. } | Kind::Slide { range, .. } => *range,
        _ => None,
    }
}
