//! Forward kinematics, ancestors and reach: everything that follows from the topology of a skeleton and a pose.
//! Solvers, queries and the viewer all use these functions.

use super::{Axes, Coordinates, Effector, Isometry, Kind, Skeleton};
use glam::DQuat;

impl Skeleton {
    /// A joint and all its ancestors, from the joint up to its root.
    pub fn ancestors(&self, joint: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(joint), |&at| self.joints()[at].parent)
    }

    /// A joint and its ancestors up to the root or the first free joint: the joints that can move it within its body.
    pub(crate) fn ancestors_within_body(&self, joint: usize) -> impl Iterator<Item = usize> + use<'_> {
        std::iter::successors(Some(joint), |&at| match self.kind(at) {
            Kind::Free => None,
            _ => self.joints()[at].parent,
        })
    }

    /// The root of the tree that `joint` belongs to.
    pub fn root(&self, joint: usize) -> usize {
        self.ancestors(joint).last().unwrap_or(joint)
    }

    /// For each joint, the root of its tree.
    pub fn roots(&self) -> Vec<usize> {
        let mut roots: Vec<usize> = Vec::with_capacity(self.len());
        for (joint, own) in self.joints().iter().enumerate() {
            roots.push(own.parent.map_or(joint, |parent| roots[parent]));
        }
        roots
    }

    /// The rest frame of a joint, given the frame of its parent. The parent of a root is the world or a moving base.
    #[inline]
    pub fn rest_frame(&self, joint: usize, parent: Isometry) -> Isometry {
        let own = &self.joints()[joint];
        let rotation = match own.axes {
            Axes::Parent => parent.rotation * own.rest,
            Axes::World => own.rest,
        };
        Isometry::new(parent.point(own.offset), rotation)
    }

    /// The rest frame of a joint whose parent's frame is in `frames` (one per joint), or is `base` for a root.
    #[inline]
    pub(crate) fn rest_frame_in(&self, joint: usize, base: Isometry, frames: &[Isometry]) -> Isometry {
        self.rest_frame(joint, self.joints()[joint].parent.map_or(base, |parent| frames[parent]))
    }

    /// Writes the frames of all joints in `pose` to `frames`, one per joint; `base` is the parent frame of the roots.
    pub fn forward_kinematics(&self, base: Isometry, pose: &[Coordinates], frames: &mut Vec<Isometry>) {
        frames.clear();
        frames.reserve_exact(self.len());
        for (at, (joint, coordinates)) in self.joints().iter().zip(pose).enumerate() {
            frames.push(joint.kind.frame(self.rest_frame_in(at, base, frames), coordinates));
        }
    }

    /// Updates the frames of the joints in `order` (parents first) only; the other frames stay as they are.
    pub(crate) fn update_frames(&self, base: Isometry, order: &[usize], pose: &[Coordinates], frames: &mut [Isometry]) {
        for &at in order {
            frames[at] = self.kind(at).frame(self.rest_frame_in(at, base, frames), &pose[at]);
        }
    }

    /// Frames of all joints in `pose`, with the roots in the world.
    pub fn frames(&self, pose: &[Coordinates]) -> Vec<Isometry> {
        self.frames_at(Isometry::IDENTITY, pose)
    }

    /// Frames of all joints in `pose`; `base` is the parent frame of the roots.
    pub fn frames_at(&self, base: Isometry, pose: &[Coordinates]) -> Vec<Isometry> {
        let mut frames = Vec::with_capacity(self.len());
        self.forward_kinematics(base, pose, &mut frames);
        frames
    }

    /// Frame of one joint in `pose`; `base` is the parent frame of the roots.
    pub fn frame_of(&self, base: Isometry, pose: &[Coordinates], joint: usize) -> Isometry {
        let mut path: Vec<usize> = self.ancestors(joint).collect();
        path.reverse();
        let frame = |parent, at: usize| self.joints()[at].kind.frame(self.rest_frame(at, parent), &pose[at]);
        path.into_iter().fold(base, frame)
    }

    /// The rotation of a joint's frame relative to that of its parent (to the world, for a root): what engines store for a bone.
    ///
    /// ```
    /// # use fabrik3d_ik::{Coordinates, Joint, Kind, Skeleton};
    /// # use glam::{DQuat, DVec3};
    /// let arm = Skeleton::new(vec![
    ///     Joint::new("shoulder", None, DVec3::ZERO, Kind::UNLIMITED_BALL),
    ///     Joint::new("elbow", Some(0), DVec3::Z, Kind::Hinge { axis: DVec3::Y, range: None }).along(DVec3::X),
    /// ])?;
    /// let mut pose = arm.rest_pose();
    /// pose[1] = Coordinates::scalar(0.4);
    /// let frames = arm.frames(&pose);
    /// let elbow = arm.local_rotation(&pose, 1);
    /// assert!((frames[0].rotation * elbow).angle_between(frames[1].rotation) < 1e-6);
    /// # Ok::<(), fabrik3d_ik::errors::SkeletonError>(())
    /// ```
    pub fn local_rotation(&self, pose: &[Coordinates], joint: usize) -> DQuat {
        let own = &self.joints()[joint];
        let turn = own.rest * self.kind(joint).rotation(&pose[joint]);
        match (own.axes, own.parent) {
            (Axes::World, Some(parent)) => self.frame_of(Isometry::IDENTITY, pose, parent).rotation.conjugate() * turn,
            _ => turn,
        }
    }

    /// The largest reach of the origin of any joint: the size of the skeleton. 0 if all joints coincide.
    pub fn extent(&self) -> f64 {
        // From parent to child: the reach of every joint by itself would take the square of their number.
        let mut reaches: Vec<(f64, f64)> = Vec::with_capacity(self.len());
        for (joint, own) in self.joints().iter().enumerate() {
            let kind = self.kind(joint);
            let (links, slides) = match own.parent.filter(|_| *kind != Kind::Free) {
                Some(parent) => (reaches[parent].0 + own.offset.length(), reaches[parent].1),
                None => (0.0, 0.0),
            };
            reaches.push((links, slides + travel(kind)));
        }
        reaches.iter().map(|(links, slides)| links + slides).fold(0.0, f64::max)
    }
}

impl Effector {
    /// The joints that may move for this effector, from its own joint up: [`Effector::chain_length`] joints, or all up
    /// to the root or a free joint.
    pub fn chain_joints<'a>(&self, skeleton: &'a Skeleton) -> impl Iterator<Item = usize> + use<'a> {
        skeleton.ancestors_within_body(self.joint).take(self.chain_length.unwrap_or(usize::MAX))
    }

    /// The sum of the link lengths from the first joint that may move for the effector to its tip. A slide counts with
    /// its largest distance from rest. 0 on a free joint, because no link carries it.
    pub fn reach(&self, skeleton: &Skeleton) -> f64 {
        let [rigid, travel] = self.lengths(skeleton);
        rigid + travel
    }

    /// The sum of the link lengths from the first joint that may move for the effector to its tip, whatever slides on the
    /// way can add; where there are no links, what the slides add. 0 on a free joint.
    ///
    /// This is the length that tolerances and errors are relative to. Slides do not count because their travel says
    /// nothing about the size of the machine: a mobile base is often a slide of a million metres.
    pub fn size(&self, skeleton: &Skeleton) -> f64 {
        let [rigid, travel] = self.lengths(skeleton);
        if rigid > 0.0 { rigid } else { travel }
    }

    /// The sum of the link lengths, and that of the largest distances of the slides from rest.
    fn lengths(&self, skeleton: &Skeleton) -> [f64; 2] {
        if *skeleton.kind(self.joint) == Kind::Free {
            return [0.0; 2];
        }
        let chain: Vec<usize> = self.chain_joints(skeleton).collect();
        let links = chain.iter().rev().skip(1).map(|&at| skeleton.joints()[at].offset.length());
        let travels = chain.iter().map(|&at| travel(skeleton.kind(at)));
        [links.sum::<f64>() + self.tip.length(), travels.sum()]
    }

    /// The length by which position errors of this effector are divided: its size. If that is zero, the largest size
    /// among `others` on the same tree, else the extent of the skeleton, else 1.
    pub fn error_scale<'a>(&self, skeleton: &Skeleton, others: impl IntoIterator<Item = &'a Effector>) -> f64 {
        let own = self.size(skeleton);
        if own > 0.0 {
            return own;
        }
        let root = skeleton.root(self.joint);
        let same_tree = others.into_iter().filter(|other| skeleton.root(other.joint) == root);
        let largest = same_tree.map(|other| other.size(skeleton)).fold(0.0, f64::max);
        let scale = if largest > 0.0 { largest } else { skeleton.extent() };
        if scale > 0.0 { scale } else { 1.0 }
    }
}

/// The largest distance of a slide from its rest position; 0 for other joints.
pub(crate) fn travel(kind: &Kind) -> f64 {
    match kind {
        Kind::Slide { range: Some(range), .. } => range.low().abs().max(range.high().abs()),
        _ => 0.0,
    }
}
