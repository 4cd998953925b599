//! Adding effectors to a scene.

use crate::builder::UniqueNames;
use crate::{EffectorMode, Scene, SceneEffector};
use fabrik3d_ik::{Coordinates, Effector, Isometry, Kind, Skeleton, Target};
use glam::DVec3;

/// Why an effector cannot be added to a joint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EffectorError {
    /// No joint and no link has this name.
    #[error("there is no joint `{joint}`{}", hint.as_ref().map(|hint| format!(": {hint}")).unwrap_or_default())]
    UnknownJoint {
        /// The requested name.
        joint: String,
        /// A suggestion.
        hint: Option<String>,
    },
    /// Another effector has the name.
    #[error("an effector named `{0}` exists already")]
    Taken(String),
    /// No joint can move this one.
    #[error("`{0}` is fixed in place: no joint above it moves it")]
    Immovable(String),
    /// The joint or link carries no effector.
    #[error("`{0}` carries no effector, so no chain can start there")]
    NotBelow(String),
}

impl Scene {
    /// Adds an effector at a place that [`Scene::find_place`] knows: the origin of a link or a joint, the tip of another
    /// effector, or an End Site. Returns its index. The effector is free: it is no goal until it gets a target or is pinned.
    /// Without a name it gets that of the place. Its chain starts at the same joint as those of the other effectors of its
    /// tree.
    ///
    /// # Errors
    /// There is no such place, it cannot move, or another effector has the name.
    pub fn add_effector(&mut self, place: &str, name: Option<&str>) -> Result<usize, EffectorError> {
        let (joint, tip) = self
            .find_place(place)
            .ok_or_else(|| EffectorError::UnknownJoint { joint: place.to_owned(), hint: self.place_hint(place) })?;
        self.add_effector_at(joint, tip, place, name)
    }

    /// Adds an effector at a point in the frame of a joint, which messages call `place`, as [`Scene::add_effector`] does.
    ///
    /// # Errors
    /// The point cannot move, or another effector has the name.
    pub fn add_effector_at(
        &mut self,
        at: usize,
        tip: DVec3,
        place: &str,
        name: Option<&str>,
    ) -> Result<usize, EffectorError> {
        if is_immovable(&self.skeleton, at, tip) {
            return Err(EffectorError::Immovable(place.to_owned()));
        }
        let name = match name {
            Some(name) if self.effector(name).is_some() => return Err(EffectorError::Taken(name.to_owned())),
            Some(name) => name.to_owned(),
            None => self.free_name(place),
        };
        let target = self.skeleton.frame_of(Isometry::IDENTITY, &self.start, at).point(tip);
        let effector = Effector { joint: at, tip, chain_length: self.chain_length(at) };
        let effector = SceneEffector::new(name, effector, Target::from(target));
        self.effectors.push(SceneEffector { hold: EffectorMode::Free, ..effector });
        Ok(self.effectors.len() - 1)
    }

    /// Frees the effectors of a robot description (URDF). It contains no targets: the initial ones only keep the tips in place,
    /// which would hamper effectors with a given target.
    pub fn free_robot_effectors(&mut self) {
        if !self.assets.links.is_empty() {
            self.effectors.iter_mut().for_each(|effector| effector.hold = EffectorMode::Free);
        }
    }

    /// Whether a place is farther from the base of an effector, in `pose`, than its links and slides can stretch. A base that
    /// floats comes along anywhere.
    pub fn is_out_of_reach(&self, effector: &Effector, place: DVec3, pose: &[Coordinates]) -> bool {
        let base = effector.chain_joints(&self.skeleton).last().filter(|&base| *self.skeleton.kind(base) != Kind::Free);
        let base = base.map(|base| self.skeleton.frame_of(Isometry::IDENTITY, pose, base).position);
        base.is_some_and(|base| base.distance(place) > effector.reach(&self.skeleton))
    }

    /// The largest distance between two effectors: the length of the links and slides between them. None if no joint that
    /// both can move carries them both.
    pub fn largest_distance(&self, effectors: [&Effector; 2]) -> Option<f64> {
        let [a, b] = effectors.map(|effector| effector.chain_joints(&self.skeleton).collect::<Vec<usize>>());
        let fork = *a.iter().find(|joint| b.contains(joint))?;
        let beyond_fork = |effector: &Effector, chain: &[usize]| {
            let count = chain.iter().position(|joint| *joint == fork).map(|at| at + 1);
            // No link carries a free joint.
            match self.skeleton.kind(effector.joint) {
                Kind::Free => effector.tip.length(),
                _ => Effector { chain_length: count, ..*effector }.reach(&self.skeleton),
            }
        };
        Some(beyond_fork(effectors[0], &a) + beyond_fork(effectors[1], &b))
    }

    /// A name for a new effector: the requested one, or with a number appended if it is taken.
    pub(crate) fn free_name(&self, requested: &str) -> String {
        UniqueNames::of(self.effectors.iter().map(|effector| effector.name.as_str())).claim(requested)
    }

    /// Moves the targets of all effectors to their tips in the start pose.
    pub(crate) fn reset_targets(&mut self) {
        let frames = self.skeleton.frames(&self.start);
        for effector in &mut self.effectors {
            effector.target.position.get_or_insert_default();
            effector.target = effector.at_tip(effector.target, frames[effector.effector.joint]);
        }
    }

    /// Limits the chains of the effectors to the joints beyond the frame of a joint or a link: `base` and everything up to
    /// the root keeps still. Effectors that `base` does not carry are not affected.
    ///
    /// # Errors
    /// There is no such joint or link, or no effector is beyond it.
    pub fn set_base(&mut self, base: &str) -> Result<(), EffectorError> {
        let at = self
            .find_joint(base)
            .ok_or_else(|| EffectorError::UnknownJoint { joint: base.to_owned(), hint: self.joint_hint(base) })?;
        let mut carries_any = false;
        for effector in &mut self.effectors {
            let above = self.skeleton.ancestors(effector.effector.joint).position(|joint| joint == at);
            if let Some(length) = above.filter(|&length| length > 0) {
                effector.effector.chain_length = Some(length);
                carries_any = true;
            }
        }
        if carries_any { Ok(()) } else { Err(EffectorError::NotBelow(base.to_owned())) }
    }

    /// Whether both scenes have joints of the same names, in the same order.
    pub fn has_joint_names_of(&self, other: &Scene) -> bool {
        let [own, others] = [self, other].map(|scene| scene.skeleton.joints().iter().map(|joint| &joint.name));
        own.eq(others)
    }

    /// Whether both scenes have the same effectors, whatever their targets.
    pub fn has_effectors_of(&self, other: &Scene) -> bool {
        let bare = |effector: &SceneEffector| (effector.name.clone(), effector.effector);
        self.effectors.iter().map(bare).eq(other.effectors.iter().map(bare))
    }

    /// Chain length of an effector on `joint` that moves the same joints as the other effectors of its tree.
    pub fn chain_length(&self, joint: usize) -> Option<usize> {
        let root = self.skeleton.root(joint);
        let same = self.effectors.iter().filter(|other| self.skeleton.root(other.effector.joint) == root);
        let still = same.map(|other| {
            let depth = self.skeleton.ancestors(other.effector.joint).count();
            depth.saturating_sub(other.effector.chain_length.unwrap_or(depth))
        });
        let still = still.min().unwrap_or(0);
        let length = self.skeleton.ancestors(joint).count().saturating_sub(still);
        (still > 0 && length > 0).then_some(length)
    }
}

/// Whether a point of `joint` is at its base: all links up to the root have no length, and no joint slides.
pub(crate) fn is_at_base(skeleton: &Skeleton, joint: usize, tip: DVec3) -> bool {
    let slides = |at: usize| matches!(skeleton.joints()[at].kind, Kind::Free | Kind::Slide { .. });
    Effector::new(joint, tip).reach(skeleton) == 0.0 && !skeleton.ancestors(joint).any(slides)
}

/// Whether no joint can move a point of `joint`: it is at its base, or nothing above it can move.
pub(crate) fn is_immovable(skeleton: &Skeleton, joint: usize, tip: DVec3) -> bool {
    let leader = |at: usize| skeleton.joints()[at].mimic.map_or(at, |mimic| mimic.joint);
    let can_move = |at: usize| skeleton.kind(leader(at)).can_move();
    is_at_base(skeleton, joint, tip) || !skeleton.ancestors(joint).any(can_move)
}
