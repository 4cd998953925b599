//! Building a scene from joints and effectors, with unique names.

use crate::{Scene, SceneEffector, Smoothing, Up};
use fabrik3d_ik::errors::SkeletonError;
use fabrik3d_ik::{Effector, Joint, Kind, Settings, Skeleton, Target};
use glam::DVec3;
use std::collections::{HashMap, HashSet};
use std::num::NonZeroU32;
use std::sync::Arc;

/// Most joints that a file may have: far more than any figure needs, and few enough for repeated walks along the tree.
pub(crate) const MAX_JOINTS: usize = 10_000;
/// Iterations that the viewer runs per frame, unless the file says otherwise.
pub(crate) const ITERATIONS_PER_FRAME: NonZeroU32 = NonZeroU32::new(10).unwrap();

/// A serial chain of unlimited joints, defined by its points.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainSpec {
    /// Name of the chain and of its effector.
    pub name: String,
    /// Joint positions, base first: at least two, neighbours distinct.
    pub points: Vec<DVec3>,
    /// Whether the base can move, as with a rope.
    pub free_base: bool,
    /// Target of the end effector; none: its current position.
    pub target: Option<DVec3>,
    /// Target positions that the keys 1 to 9 jump to.
    pub presets: Vec<DVec3>,
}

/// Joints and effectors collected so far.
#[derive(Clone, Debug, Default)]
pub struct SceneBuilder {
    /// Joints, parents first.
    pub joints: Vec<Joint>,
    /// Effectors on these joints.
    pub effectors: Vec<SceneEffector>,
}

impl SceneBuilder {
    /// Adds a chain: a ball joint at each point, a fixed joint with an effector at the last point.
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
        let effector = Effector::new(self.joints.len() - 1, DVec3::ZERO);
        let target = Target::from(chain.target.unwrap_or(chain.points[last]));
        self.effectors
            .push(SceneEffector { presets: chain.presets, ..SceneEffector::new(chain.name, effector, target) });
    }

    /// The scene, everything else at its defaults.
    pub fn build(self, name: impl Into<String>) -> Result<Scene, SkeletonError> {
        let skeleton = Skeleton::new(self.joints)?;
        Ok(Scene {
            name: name.into(),
            up: Up::Y,
            velocity_limits: Vec::new(),
            posture_weights: Vec::new(),
            start: skeleton.rest_pose(),
            skeleton: Arc::new(skeleton),
            effectors: self.effectors,
            poles: Vec::new(),
            balance: true,
            loops: Vec::new(),
            obstacles: Vec::new(),
            link_radius: 0.0,
            capsules: Vec::new(),
            disabled_collisions: Vec::new(),
            margin: None,
            masses: Vec::new(),
            keep_clear: None,
            overlapping: Vec::new(),
            settings: Settings::default(),
            iterations_per_frame: ITERATIONS_PER_FRAME,
            smoothing: Smoothing::default(),
            camera: None,
            morph_weights: Vec::new(),
            assets: Arc::default(),
        })
    }
}

/// Indices in an order with parents before children, otherwise unchanged. The error is a cycle.
pub(crate) fn parents_first(parents: &[Option<usize>]) -> Result<Vec<usize>, Vec<usize>> {
    let mut order = Vec::with_capacity(parents.len());
    let mut placed = vec![false; parents.len()];
    let mut waiting = vec![false; parents.len()];
    let mut ancestors = Vec::new();
    for start in 0..parents.len() {
        let mut at = Some(start).filter(|&at| !placed[at]);
        while let Some(joint) = at {
            if waiting[joint] {
                let first = ancestors.iter().position(|&other| other == joint).unwrap_or(0);
                return Err(ancestors.split_off(first));
            }
            waiting[joint] = true;
            ancestors.push(joint);
            at = parents[joint].filter(|&parent| !placed[parent]);
        }
        while let Some(joint) = ancestors.pop() {
            placed[joint] = true;
            order.push(joint);
        }
    }
    Ok(order)
}

/// The names in use.
#[derive(Default)]
pub(crate) struct UniqueNames {
    taken: HashSet<String>,
    /// For each requested name, the next number to append.
    next: HashMap<String, usize>,
}

impl UniqueNames {
    /// With these names in use.
    pub fn of<'a>(used: impl IntoIterator<Item = &'a str>) -> Self {
        UniqueNames { taken: used.into_iter().map(str::to_owned).collect(), next: HashMap::new() }
    }

    /// Reserves a name: the requested one, or with a number appended if it is taken: `hand`, `hand.2`.
    pub fn claim(&mut self, requested: &str) -> String {
        let mut name = requested.to_owned();
        while !self.taken.insert(name.clone()) {
            let next = self.next.entry(requested.to_owned()).or_insert(2);
            name = format!("{requested}.{next}");
            *next += 1;
        }
        name
    }
}

#[cfg(test)]
mod tests {
    use super::{UniqueNames, parents_first};

    #[test]
    fn equal_names_get_numbers() {
        let mut names = UniqueNames::default();
        assert_eq!(["a", "a", "b", "a"].map(|name| names.claim(name)), ["a", "a.2", "b", "a.3"]);
    }

    #[test]
    fn sorted_joints_keep_their_order() {
        assert_eq!(parents_first(&[None, Some(0), None, Some(1), Some(0)]), Ok(vec![0, 1, 2, 3, 4]));
    }

    #[test]
    fn parents_move_before_their_children() {
        assert_eq!(parents_first(&[Some(2), None, Some(1), Some(0)]), Ok(vec![1, 2, 0, 3]));
    }

    #[test]
    fn a_cycle_is_reported_without_the_joints_leading_to_it() {
        assert_eq!(parents_first(&[Some(1), Some(2), Some(1)]), Err(vec![1, 2]));
        assert_eq!(parents_first(&[Some(0)]), Err(vec![0]));
    }
}
