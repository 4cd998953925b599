//! Effectors that are put on a scene's joints on request.

use crate::formats::character::names::Names;
use crate::syntax_tree::fault::did_you_mean;
use crate::{Hold, Scene, SceneEffector};
use fabrik3d_ik::{Effector, Isometry, Kind, Skeleton, Target};
use glam::DVec3;

/// Why an effector cannot be put on a joint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EffectorError {
    /// No joint bears this name.
    #[error("there is no joint `{joint}`{}", hint.as_ref().map(|hint| format!(": {hint}")).unwrap_or_default())]
    UnknownJoint {
        /// As given.
        joint: String,
        /// What was perhaps meant.
        hint: Option<String>,
    },
    /// Another effector bears the name.
    #[error("an effector named `{0}` exists already")]
    Taken(String),
    /// The joint stays where it is, whatever the others do.
    #[error("`{0}` is where its base is: nothing can move it")]
    Immovable(String),
}

impl Scene {
    /// Puts an effector in the origin of a joint; its index. It is free: until it is given a target, or pinned, nothing is
    /// asked of it. Without a name it gets that of the joint. As many joints above it may move as for the other effectors
    /// of its tree.
    ///
    /// An error where there is no such joint, where it cannot move or where another effector bears the name.
    pub fn add_effector(&mut self, joint: &str, name: Option<&str>) -> Result<usize, EffectorError> {
        let joints = self.skeleton.joints();
        let at = self.skeleton.find(joint).ok_or_else(|| EffectorError::UnknownJoint {
            joint: joint.to_owned(),
            hint: did_you_mean(joint, joints.iter().map(|joint| joint.name.as_str())),
        })?;
        if is_immovable(&self.skeleton, at, DVec3::ZERO) {
            return Err(EffectorError::Immovable(joint.to_owned()));
        }
        let name = match name {
            Some(name) if self.effector(name).is_some() => return Err(EffectorError::Taken(name.to_owned())),
            Some(name) => name.to_owned(),
            None => {
                let mut names = Names::default();
                self.effectors.iter().for_each(|effector| drop(names.claim(&effector.name)));
                names.claim(joint)
            }
        };
        let place = self.skeleton.frame_of(Isometry::IDENTITY, &self.start, at).position;
        self.effectors.push(SceneEffector {
            name,
            effector: Effector { joint: at, tip: DVec3::ZERO, chain_length: self.chain_length(at) },
            target: Target::from(place),
            weight: 1.0,
            rotation_weight: 1.0,
            hold: Hold::Free,
            presets: Vec::new(),
        });
        Ok(self.effectors.len() - 1)
    }

    /// Whether its effectors are those of another scene, whatever they ask for.
    pub fn has_effectors_of(&self, other: &Scene) -> bool {
        let bare = |scene: &'_ Scene| {
            scene.effectors.iter().map(|effector| (effector.name.clone(), effector.effector)).collect::<Vec<_>>()
        };
        bare(self) == bare(other)
    }

    /// How many joints may move for an effector on `joint`, so that it moves what those of the same tree move.
    fn chain_length(&self, joint: usize) -> Option<usize> {
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

/// Whether no joint can carry a point of this one anywhere: there is no link on the way to the root, and none slides.
pub(crate) fn is_immovable(skeleton: &Skeleton, joint: usize, tip: DVec3) -> bool {
    let slides = |at: usize| matches!(skeleton.joints()[at].kind, Kind::Free | Kind::Slide { .. });
    Effector::new(joint, tip).reach(skeleton) == 0.0 && !skeleton.ancestors(joint).any(slides)
}
