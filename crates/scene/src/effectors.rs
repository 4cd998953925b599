//! Adding effectors to a scene.

use crate::syntax_tree::fault::did_you_mean;
use crate::unique_names::UniqueNames;
use crate::{EffectorMode, Scene, SceneEffector};
use fabrik3d_ik::{Effector, Isometry, Kind, Skeleton, Target};
use glam::DVec3;

/// Why an effector cannot be added to a joint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EffectorError {
    /// No joint has this name.
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
    #[error("nothing can move `{0}`: it has the same position as its base")]
    Immovable(String),
}

impl Scene {
    /// Adds an effector at the origin of a joint and returns its index. The effector is free: it is no goal until it gets a
    /// target or is pinned. Without a name it gets the name of the joint. Its chain starts at the same joint as those of the
    /// other effectors of its tree.
    ///
    /// # Errors
    /// There is no such joint, the joint cannot move, or another effector has the name.
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
                let mut names = UniqueNames::default();
                self.effectors.iter().for_each(|effector| drop(names.claim(&effector.name)));
                names.claim(joint)
            }
        };
        let place = self.skeleton.frame_of(Isometry::IDENTITY, &self.start, at).position;
        let effector = Effector { joint: at, tip: DVec3::ZERO, chain_length: self.chain_length(at) };
        let effector = SceneEffector::new(name, effector, Target::from(place));
        self.effectors.push(SceneEffector { hold: EffectorMode::Free, ..effector });
        Ok(self.effectors.len() - 1)
    }

    /// Whether both scenes have the same effectors, whatever their targets.
    pub fn has_effectors_of(&self, other: &Scene) -> bool {
        let bare = |scene: &'_ Scene| {
            scene.effectors.iter().map(|effector| (effector.name.clone(), effector.effector)).collect::<Vec<_>>()
        };
        bare(self) == bare(other)
    }

    /// Chain length of an effector on `joint` that moves the same joints as the other effectors of its tree.
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

/// Whether no joint can move a point of `joint`: all links up to the root have no length, and no joint slides.
pub(crate) fn is_immovable(skeleton: &Skeleton, joint: usize, tip: DVec3) -> bool {
    let slides = |at: usize| matches!(skeleton.joints()[at].kind, Kind::Free | Kind::Slide { .. });
    Effector::new(joint, tip).reach(skeleton) == 0.0 && !skeleton.ancestors(joint).any(slides)
}
