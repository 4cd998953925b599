//! Putting a scene together, whatever it is read from.

use crate::{Hold, Scene, SceneEffector, Up};
use fabrik3d_ik::{Effector, Joint, Kind, Settings, Skeleton, SkeletonError, Target};
use glam::DVec3;
use std::num::NonZeroU32;
use std::sync::Arc;

/// A serial chain of unlimited joints, given by its points.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainSpec {
    /// Name of the chain and of its effector.
    pub name: String,
    /// Joint positions, base first; at least two, no two neighbours alike.
    pub points: Vec<DVec3>,
    /// Whether the base may move: a rope.
    pub free_base: bool,
    /// Where the end effector should go; none: where it is.
    pub target: Option<DVec3>,
    /// Places that keys 1..9 jump to.
    pub presets: Vec<DVec3>,
}

/// Joints and effectors gathered so far.
#[derive(Clone, Debug, Default)]
pub struct SceneBuilder {
    /// Joints, parents first.
    pub joints: Vec<Joint>,
    /// Effectors on them.
    pub effectors: Vec<SceneEffector>,
}

impl SceneBuilder {
    /// Adds a chain: a ball joint at each of its points but the last, a fixed joint at the last, an effector on that.
    pub fn chain(&mut self, chain: ChainSpec) {
        let last = chain.points.len() - 1;
        for (at, &point) in chain.points.iter().enumerate() {
            let parent = (at > 0).then(|| self.joints.len() - 1);
            let offset = if at > 0 { point - chain.points[at - 1] } else { point };
            let kind = match at {
                0 if chain.free_base => Kind::Free,
                _ if at == last => Kind::Fixed,
                _ => Kind::UNLIMITED_BALL,
            };
            self.joints.push(Joint::new(format!("{}.{at}", chain.name), parent, offset, kind));
        }
        self.effectors.push(SceneEffector {
            name: chain.name,
            effector: Effector::new(self.joints.len() - 1, DVec3::ZERO),
            target: Target::from(chain.target.unwrap_or(chain.points[last])),
            weight: 1.0,
            rotation_weight: 1.0,
            hold: Hold::default(),
            presets: chain.presets,
        });
    }

    /// The scene, with everything else at its defaults.
    pub fn build(self, name: impl Into<String>) -> Result<Scene, SkeletonError> {
        const TEN: NonZeroU32 = NonZeroU32::new(10).unwrap();
        let skeleton = Skeleton::new(self.joints)?;
        Ok(Scene {
            name: name.into(),
            up: Up::Y,
            start: skeleton.rest_pose(),
            skeleton,
            effectors: self.effectors,
            poles: Vec::new(),
            loops: Vec::new(),
            obstacles: Vec::new(),
            link_radius: 0.0,
            settings: Settings::default(),
            iterations_per_frame: TEN,
            smoothing: 1.0,
            camera: None,
            assets: Arc::default(),
        })
    }
}
