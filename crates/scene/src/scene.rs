//! A scene as plain data: skeleton, start pose, effectors, constraints, solver settings.

use crate::assets::Assets;
use crate::joint_values::{Dial, dials};
use fabrik3d_ik::{
    Attachment, Coordinates, Effector, Goal, Isometry, Kind, Obstacle, Pole, Pose, Problem, Settings, Skeleton, Target,
};

use glam::DVec3;
use std::num::NonZeroU32;
use std::sync::Arc;

/// Which world axis points up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Up {
    /// +Y, the default.
    #[default]
    Y,
    /// +Z, as in robotics.
    Z,
}

impl Up {
    /// The axis, unit length.
    pub fn axis(self) -> DVec3 {
        match self {
            Up::Y => DVec3::Y,
            Up::Z => DVec3::Z,
        }
    }
}

/// What an effector asks of the pose while nobody moves its target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hold {
    /// Its target stays in the world and pulls at it.
    #[default]
    Pinned,
    /// Nothing: it goes where the figure goes, and its target with it.
    Free,
}

/// An effector as a scene describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneEffector {
    /// Name, unique among the effectors.
    pub name: String,
    /// The point that moves.
    pub effector: Effector,
    /// Where it should go when the scene opens.
    pub target: Target,
    /// Weight of its position; 0: its position does not matter.
    pub weight: f64,
    /// Weight of its orientation; 0: that does not matter.
    pub rotation_weight: f64,
    /// Whether it is a goal before anyone moves its target.
    pub hold: Hold,
    /// Places that keys 1..9 jump to.
    pub presets: Vec<DVec3>,
}

/// Where the camera stands when the scene opens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CameraSpec {
    /// Eye, world.
    pub position: DVec3,
    /// Point in the middle of the picture, world.
    pub look_at: DVec3,
}

/// Everything that a scene file holds. Plain data; one skeleton holds all trees.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// Name, for titles.
    pub name: String,
    /// Axis that points up.
    pub up: Up,
    /// The joints of all trees.
    pub skeleton: Skeleton,
    /// The pose the scene opens in, inside the limits.
    pub start: Pose,
    /// Effectors with their targets.
    pub effectors: Vec<SceneEffector>,
    /// Points to bend toward.
    pub poles: Vec<Pole>,
    /// Pairs of points that coincide.
    pub loops: Vec<(Attachment, Attachment)>,
    /// Things to stay out of.
    pub obstacles: Vec<Obstacle>,
    /// Distance that links keep from obstacles.
    pub link_radius: f64,
    /// Tolerances, bounds and method of the solver.
    pub settings: Settings,
    /// How many backward and forward passes a viewer runs each frame.
    pub iterations_per_frame: NonZeroU32,
    /// Seconds that the displayed pose takes from one solved pose to the next.
    pub smoothing: f64,
    /// Where to look from; none: the whole scene is framed.
    pub camera: Option<CameraSpec>,
    /// Motion and surfaces that the file brought along.
    pub assets: Arc<Assets>,
}

impl Scene {
    /// Everything asked of the skeleton when the scene opens: a goal for each effector, in order. That of a free one asks
    /// for nothing until it is given a target.
    pub fn problem(&self) -> Problem {
        let goals = self.effectors.iter().map(|effector| Goal {
            effector: effector.effector,
            target: match effector.hold {
                Hold::Pinned => effector.target,
                Hold::Free => Target::default(),
            },
            weight: effector.weight,
            rotation_weight: effector.rotation_weight,
        });
        Problem {
            goals: goals.collect(),
            loops: self.loops.clone(),
            poles: self.poles.clone(),
            obstacles: self.obstacles.clone(),
            link_radius: self.link_radius,
            base: Isometry::IDENTITY,
        }
    }

    /// The effector of this name.
    pub fn effector(&self, name: &str) -> Option<&SceneEffector> {
        self.effectors.iter().find(|effector| effector.name == name)
    }

    /// The length by which errors of an effector are divided; see [`Effector::error_scale`].
    pub fn reach(&self, effector: &SceneEffector) -> f64 {
        effector.effector.error_scale(&self.skeleton, self.effectors.iter().map(|other| &other.effector))
    }

    /// The coordinates of a joint in a pose, as people read them.
    pub fn dials(&self, joint: usize, pose: &[Coordinates]) -> Vec<Dial> {
        dials(self.skeleton.kind(joint), &pose[joint])
    }

    /// The joints whose coordinates can be set, in the skeleton's order: those that move and follow no other joint.
    pub fn settable_joints(&self) -> impl Iterator<Item = usize> + '_ {
        let joints = self.skeleton.joints().iter().enumerate();
        joints.filter(|(_, joint)| joint.kind != Kind::Fixed && joint.mimic.is_none()).map(|(at, _)| at)
    }
}
