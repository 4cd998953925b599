//! A scene as plain data: skeleton, start pose, effectors, constraints, solver settings.

use crate::assets::Assets;
use crate::joint_values::{JointValue, joint_values};
use crate::options::Up;
use crate::printable::listed;
use crate::syntax_tree::fault::{did_you_mean, suggestion};
use fabrik3d_ik::collision::{KeepClear, LinkCapsule, Obstacle};
use fabrik3d_ik::goals::{Attachment, Freedom, GoalRank, Orientation, PointMass, Pole, Posture};
use fabrik3d_ik::queries::goal_errors;
use fabrik3d_ik::{Coordinates, Effector, Goal, Isometry, Kind, Pose, Problem, Settings, Skeleton, Target};
use glam::DVec3;
use std::collections::HashSet;
use std::num::NonZeroU32;
use std::sync::Arc;

/// Whether an effector is a goal while nobody moves its target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EffectorMode {
    /// It is: its target stays fixed in the world.
    #[default]
    Pinned,
    /// It is not: the effector and its target move with the figure.
    Free,
}

/// The ranks by the words that scene files and commands have for them.
pub const RANKS: &[(&str, GoalRank)] =
    &[("firm", GoalRank::Firm), ("wanted", GoalRank::Wanted), ("preferred", GoalRank::Preferred)];

/// An effector as a scene describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneEffector {
    /// Name, unique among the effectors.
    pub name: String,
    /// The joint and the point on it.
    pub effector: Effector,
    /// Target when the scene opens.
    pub target: Target,
    /// Weight of the position; 0: the position is no goal.
    pub weight: f64,
    /// Weight of the orientation; 0: the orientation is no goal.
    pub rotation_weight: f64,
    /// What the goal leaves open.
    pub freedom: Freedom,
    /// Whether it is a goal when the scene opens.
    pub hold: EffectorMode,
    /// The rank of its goal, if the file says so. Otherwise it follows from what else is asked: [`SceneEffector::rank`].
    pub rank: Option<GoalRank>,
    /// Places that keys 1..9 jump to.
    pub presets: Vec<DVec3>,
}

impl SceneEffector {
    /// A pinned effector with weights 1 and no presets.
    pub fn new(name: impl Into<String>, effector: Effector, target: Target) -> Self {
        SceneEffector {
            name: name.into(),
            effector,
            target,
            weight: 1.0,
            rotation_weight: 1.0,
            freedom: Freedom::default(),
            hold: EffectorMode::default(),
            rank: None,
            presets: Vec::new(),
        }
    }

    /// The rank of its goal while nothing moves its target: a pinned effector stays where it is, and what is moved misses if
    /// both cannot be met. A weight below 1 says that it may give way.
    pub fn rank(&self) -> GoalRank {
        let stays = self.hold == EffectorMode::Pinned && !self.is_soft();
        self.rank.unwrap_or(if stays { GoalRank::Firm } else { GoalRank::Wanted })
    }

    /// Whether it is pinned with a weight below 1, and so gives way to the others.
    pub fn is_soft(&self) -> bool {
        self.hold == EffectorMode::Pinned && self.weight < 1.0
    }

    /// The axis in the frame of its joint that points in a direction or looks at a point: its spin axis, or z; unit length.
    pub fn pointing_axis(&self) -> DVec3 {
        self.freedom.spin_axis.and_then(DVec3::try_normalize).unwrap_or(DVec3::Z)
    }

    /// A target moved to the effector, whose joint has this `frame`. Unset parts stay unset, a point to look at as far away.
    #[must_use]
    pub fn at_tip(&self, target: Target, frame: Isometry) -> Target {
        let tip = frame.point(self.effector.tip);
        let orientation = target.orientation.map(|orientation| match orientation {
            Orientation::Rotation(_) => Orientation::Rotation(frame.rotation),
            Orientation::LookAt(point) => {
                Orientation::LookAt(tip + frame.rotation * self.pointing_axis() * point.distance(tip))
            }
        });
        Target { position: target.position.map(|_| tip), orientation }
    }
}

/// How the display is smoothed. The default is one second for jumps, and 0.15 seconds for keys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Smoothing {
    /// Seconds of an ease from one solved pose to the next.
    pub duration: f64,
    /// Seconds in which a held key brings a target up to speed, and in which it comes to rest again.
    pub keys: f64,
}

impl Default for Smoothing {
    fn default() -> Self {
        Smoothing { duration: 1.0, keys: 0.15 }
    }
}

/// The camera when the scene opens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CameraSpec {
    /// Position of the eye, world space.
    pub position: DVec3,
    /// Point at the centre of the picture, world space.
    pub look_at: DVec3,
}

/// Everything that a scene file holds, as plain data. One skeleton holds the joints of all trees.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// Name, for titles.
    pub name: String,
    /// Up axis.
    pub up: Up,
    /// The joints of all trees. Solvers and copies of the scene share them.
    pub skeleton: Arc<Skeleton>,
    /// For each joint, the largest speed of its hinge or slide: radians or lengths per second. Empty if no joint has one.
    pub velocity_limits: Vec<Option<f64>>,
    /// For each joint, with which weight it keeps to its start coordinates as far as goals leave freedom: [`Posture::weights`]. Empty
    /// if no joint has one.
    pub posture_weights: Vec<f64>,
    /// The pose when the scene opens, inside the limits.
    pub start: Pose,
    /// Effectors with their targets.
    pub effectors: Vec<SceneEffector>,
    /// Poles: points that joints bend toward.
    pub poles: Vec<Pole>,
    /// Closed loops: pairs of points that coincide.
    pub loops: Vec<(Attachment, Attachment)>,
    /// Obstacles that links avoid.
    pub obstacles: Vec<Obstacle>,
    /// Distance that links keep from obstacles.
    pub link_radius: f64,
    /// The bodies of links, as the file gives them, or fitted to meshes when keep clear was turned on.
    pub capsules: Vec<LinkCapsule>,
    /// Pairs of joints whose bodies may touch each other while links keep clear, such as those of an SRDF beside a robot.
    pub disabled_collisions: Vec<[usize; 2]>,
    /// The distance that links keep where the goals leave the freedom to; none: [`Scene::margin`] chooses one.
    pub margin: Option<f64>,
    /// The masses of the links, if the file has them: [`Scene::body_masses`].
    pub masses: Vec<PointMass>,
    /// What keeps clear of what; none: links may touch each other. [`Scene::set_keep_clear`] fills it.
    pub keep_clear: Option<Arc<KeepClear>>,
    /// Pairs of joints of which parts overlap in the start pose and do not keep clear; ascending. [`Scene::set_keep_clear`] fills it.
    pub overlapping: Vec<[usize; 2]>,
    /// Whether the body of a person keeps its balance: see [`Scene::center_of_mass`].
    pub balance: bool,
    /// Tolerances, limits and method of the solver.
    pub settings: Settings,
    /// Solver iterations that a viewer runs per frame.
    pub iterations_per_frame: NonZeroU32,
    /// How the display is smoothed.
    pub smoothing: Smoothing,
    /// The camera; none: the viewer frames the whole scene.
    pub camera: Option<CameraSpec>,
    /// The weights of the morphs of all surfaces and skins now; empty: those of the file.
    pub morph_weights: Vec<f32>,
    /// Motion and surfaces of the file.
    pub assets: Arc<Assets>,
}

impl Scene {
    /// The name for titles, also of a scene without one.
    pub fn title(&self) -> &str {
        if self.name.is_empty() { "Untitled scene" } else { &self.name }
    }

    /// The name of the limits file beside a character or a recorded motion; none for files that hold limits themselves.
    pub fn limits_file_name(&self) -> Option<String> {
        self.assets.limits_text.is_some().then(|| format!("{}.limits.toml", self.name))
    }

    /// The weights of the morphs of a mesh now; those of the surface or skin begin at `first_weight`.
    pub fn weights(&self, mesh: usize, first_weight: usize) -> &[f32] {
        let all = if self.morph_weights.is_empty() { &self.assets.morph_weights } else { &self.morph_weights };
        all.get(first_weight..first_weight + self.assets.meshes[mesh].morphs.len()).unwrap_or_default()
    }

    /// The unit of length, if the file has one.
    pub fn length_unit(&self) -> Option<&'static str> {
        self.assets.in_metres.then_some("m")
    }

    /// The problem when the scene opens: one goal per effector, in order. The goal of a free effector is empty until it gets a
    /// target.
    pub fn problem(&self) -> Problem {
        let mut problem = self.open_problem();
        self.soles().complete(&mut problem, |_| false);
        problem
    }

    /// The same before [its feet](Scene::soles) complete it, for callers that change its goals first.
    pub fn open_problem(&self) -> Problem {
        let goals = self.effectors.iter().map(|effector| Goal {
            effector: effector.effector,
            target: match effector.hold {
                EffectorMode::Pinned => effector.target,
                EffectorMode::Free => Target::default(),
            },
            weight: effector.weight,
            rotation_weight: effector.rotation_weight,
            freedom: effector.freedom,
            rank: effector.rank(),
        });
        let mut problem = Problem {
            goals: goals.collect(),
            loops: self.loops.clone(),
            poles: self.poles.clone(),
            centers_of_mass: self.center_of_mass().filter(|_| self.balance).into_iter().collect(),
            obstacles: self.obstacles.clone(),
            link_radius: self.link_radius,
            keep_clear: self.keep_clear.as_deref().cloned().unwrap_or_default(),
            home: if self.is_stiff() { self.start.clone() } else { Pose::new() },
            posture: match self.posture_weights.as_slice() {
                [] => Posture::default(),
                weights => Posture { pose: self.start.clone(), weights: weights.to_vec() },
            },
            ..Problem::default()
        };
        self.rank(&mut problem);
        problem
    }

    /// Whether joints resist, as those of known bodies do: the figure then has a home.
    pub(crate) fn is_stiff(&self) -> bool {
        self.skeleton.joints().iter().any(|joint| joint.stiffness > 0.0)
    }

    /// Of the goals of the scene, those that the start pose misses are to move: they are wanted.
    fn rank(&self, problem: &mut Problem) {
        if problem.goals.len() < 2 {
            return;
        }
        let errors = goal_errors(&self.skeleton, problem, &self.start);
        let errors = errors.into_iter().zip(&self.effectors);
        for (goal, (error, _)) in problem.goals.iter_mut().zip(errors).filter(|(_, (_, own))| own.rank.is_none()) {
            if error.position > self.settings.tolerance || error.angle > self.settings.rotation_tolerance {
                goal.rank = GoalRank::Wanted;
            }
        }
    }

    /// The effector with this name.
    pub fn effector(&self, name: &str) -> Option<&SceneEffector> {
        self.effectors.iter().find(|effector| effector.name == name)
    }

    /// The joint with this name, or the joint whose frame is that of the link with this name. `link:NAME` and `joint:NAME`
    /// choose where a link has the name of another joint. For what moves; [`Scene::find_place`] is for frames.
    pub fn find_joint(&self, name: &str) -> Option<usize> {
        self.skeleton.find(name).or_else(|| self.find_link(name)).or_else(|| self.find_explicit(name))
    }

    /// The point with this name, as a joint and a point in its frame: the tip of an effector, else the origin of a link, else
    /// that of a joint, else an End Site. `link:NAME` and `joint:NAME` choose between those two. In ROS, too, frames have the
    /// names of links.
    pub fn find_place(&self, name: &str) -> Option<(usize, DVec3)> {
        let tip = self.effector(name).map(|effector| (effector.effector.joint, effector.effector.tip));
        let joint = || self.find_link(name).or_else(|| self.find_joint(name)).map(|joint| (joint, DVec3::ZERO));
        let end_site = || self.assets.end_sites.iter().find(|end| end.name == name).map(|end| (end.joint, end.tip));
        tip.or_else(joint).or_else(end_site)
    }

    fn find_link(&self, name: &str) -> Option<usize> {
        self.assets.links.iter().find(|(link, _)| link == name).map(|(_, joint)| *joint)
    }

    /// The joint that `link:NAME` or `joint:NAME` means.
    fn find_explicit(&self, name: &str) -> Option<usize> {
        match name.split_once(':')? {
            ("link", link) => self.find_link(link),
            ("joint", joint) => self.skeleton.find(joint),
            _ => None,
        }
    }

    /// Where links end besides at joints, as a joint and a point in its frame: at End Sites and at the tips of effectors.
    pub fn link_ends(&self) -> impl Iterator<Item = (usize, DVec3)> + '_ {
        let end_sites = self.assets.end_sites.iter().map(|end| (end.joint, end.tip));
        end_sites.chain(self.effectors_at_tips().map(|effector| (effector.effector.joint, effector.effector.tip)))
    }

    /// The effectors that are neither at the origin of a joint nor at an End Site.
    pub(crate) fn effectors_at_tips(&self) -> impl Iterator<Item = &SceneEffector> {
        let all = &self.assets.end_sites;
        let is_end_site = |Effector { joint, tip, .. }: Effector| {
            let first = all.partition_point(|end| end.joint < joint);
            all[first..].iter().take_while(|end| end.joint == joint).any(|end| end.tip == tip)
        };
        let is_tip = move |effector: Effector| effector.tip != DVec3::ZERO && !is_end_site(effector);
        self.effectors.iter().filter(move |effector| is_tip(effector.effector))
    }

    /// The names of links, and those of joints and End Sites.
    fn frame_names(&self) -> [Vec<&str>; 2] {
        let end_sites = self.assets.end_sites.iter().map(|end| end.name.as_str());
        let joints = self.skeleton.joints().iter().map(|joint| joint.name.as_str());
        [self.assets.links.iter().map(|(link, _)| link.as_str()).collect(), joints.chain(end_sites).collect()]
    }

    /// The joint or link that may be meant by a name that [`Scene::find_joint`] does not know, as a sentence.
    pub fn joint_hint(&self, name: &str) -> Option<String> {
        let [links, joints] = self.frame_names();
        // A list of joints and links together would name many bodies twice.
        suggestion(name, joints.iter().copied().chain(links)).or_else(|| did_you_mean(name, joints))
    }

    /// What may be meant by a name that [`Scene::find_place`] does not know, as a sentence. Effectors come first, then links.
    pub fn place_hint(&self, name: &str) -> Option<String> {
        let effectors = self.effectors.iter().map(|effector| effector.name.as_str());
        let mut seen = HashSet::new();
        let known: Vec<&str> = effectors.chain(self.frame_names().concat()).filter(|name| seen.insert(*name)).collect();
        let list = || (!known.is_empty()).then(|| format!("known: {}", listed(&known)));
        suggestion(name, known.iter().copied()).or_else(list)
    }

    /// The length that tolerances and errors of an effector are relative to: the sum of the link lengths from its base to its
    /// tip, whatever slides add. An effector on a free joint has no links above it; it counts with the largest effector of
    /// its tree.
    pub fn effector_size(&self, effector: &SceneEffector) -> f64 {
        effector.effector.error_scale(&self.skeleton, self.effectors.iter().map(|other| &other.effector))
    }

    /// The largest size of an effector.
    pub fn largest_effector_size(&self) -> f64 {
        self.effectors.iter().map(|effector| self.effector_size(effector)).fold(0.0, f64::max)
    }

    /// Sets the tolerance so that every effector ends within `distance` of its target, scene units.
    pub fn set_distance_tolerance(&mut self, distance: f64) {
        let largest = self.largest_effector_size();
        if largest > 0.0 {
            self.settings.tolerance = distance / largest;
        }
    }

    /// The coordinates of a joint in a pose, as values for people.
    pub fn joint_values(&self, joint: usize, pose: &[Coordinates]) -> Vec<JointValue> {
        joint_values(self.skeleton.kind(joint), &pose[joint])
    }

    /// All joints, in the order of the file.
    pub fn joints_in_file_order(&self) -> impl Iterator<Item = usize> + '_ {
        let order = Some(&self.assets.file_order).filter(|order| order.len() == self.skeleton.len());
        (0..self.skeleton.len()).map(move |at| order.map_or(at, |order| order[at]))
    }

    /// All coordinates of a pose, joint by joint in the order of the file, as a row of an array.
    pub fn pose_numbers<'a>(&'a self, pose: &'a [Coordinates]) -> impl Iterator<Item = f64> + 'a {
        let of = |at: usize| pose[at].values(&self.skeleton.joints()[at].kind).iter().copied();
        self.joints_in_file_order().flat_map(of)
    }

    /// The joints that can be set, in the order of the file: those that move and do not follow another joint.
    pub fn settable_joints(&self) -> impl Iterator<Item = usize> + '_ {
        let joints = self.skeleton.joints();
        self.joints_in_file_order().filter(|&at| joints[at].kind != Kind::Fixed && joints[at].mimic.is_none())
    }
}
