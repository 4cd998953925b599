//! The layout of a figure: everything about a skeleton and a problem that stays the same from solve to solve. It says
//! which joints move, which columns and rows of the Jacobian belong to what, and what pulls on which body.

mod build;
pub mod elbow;
pub mod shell;

use crate::layout::elbow::Elbow;
use crate::layout::shell::Shell;
use crate::model::{Attachment, Isometry, LinkEnd, Problem, Skeleton};
use std::ops::Range;

/// Everything about one figure that depends on the topology of the problem alone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    /// The joints whose frames a solve needs, parents first.
    pub order: Vec<usize>,
    /// The goals with a positive weight that are not only preferred.
    pub goals: Vec<GoalLayout>,
    /// The preferred goals with a positive weight, in the layout for [preferences](Layouts::preferences).
    pub preferred: Vec<GoalLayout>,
    /// The loops to close.
    pub loops: Vec<LoopLayout>,
    /// The poles that count.
    pub poles: Vec<PoleLayout>,
    /// The custom goals of the problem that count, ascending.
    pub custom_goals: Vec<CustomLayout>,
    /// One for each of [`Problem::measured_joints`], by their joints: ascending.
    pub measured: Vec<Path>,
    /// For each joint of the skeleton, whether it may move.
    pub moving: Vec<bool>,
    /// The joints with columns of their own: they move and do not follow another joint.
    pub active_joints: Vec<ActiveJoint>,
    /// For each joint of the skeleton, the columns that move it: its own, or those of the joint that it follows.
    pub joint_columns: Vec<Option<JointColumns>>,
    /// Number of columns.
    pub columns: usize,
    /// For each column, the compliance of its joint: 1 without stiffness.
    pub compliance: Vec<f64>,
    /// The columns that move without turning anything: those of slides that no hinge follows. Ascending.
    pub slides: Vec<usize>,
    /// The columns of joints that hang on a goal and move none: those below goals that have no other goal below them.
    pub hanging: Vec<usize>,
    /// The joints of a skeleton with stiff joints that bend to one side.
    pub elbows: Vec<Elbow>,
    /// The rigid bodies that the reaching passes fit, parents first.
    pub bodies: Vec<Body>,
    /// The pulls on the bodies; each body refers to a range.
    pub pulls: Vec<BodyPull>,
    /// The links that may get into obstacles, if they have no capsules.
    pub segments: Vec<Segment>,
    /// For each capsule of the problem, the moving joints above it.
    pub capsules: Vec<Path>,
    /// The pairs of capsules that a solve can move against each other, by the joints that carry them.
    pub pairs: Vec<([usize; 2], Vec<[usize; 2]>)>,
    /// The largest size of a goal: the unit of length.
    pub length: f64,
    /// Whether some moving joints follow others.
    pub has_followers: bool,
    /// Whether some moving joints are stiff.
    pub has_stiffness: bool,
}

/// A goal of the problem.
#[derive(Clone, Debug)]
pub(crate) struct GoalLayout {
    /// Index in the problem.
    pub index: usize,
    /// The size of its effector, by which its errors are divided.
    pub size: f64,
    /// The tip and the joints that move it.
    pub path: Path,
    /// Joints to randomize if the goal fails: up to the nearest sub-base, or farther if that gives too little freedom.
    pub limb: Vec<usize>,
    /// Bounds of what the effector can reach.
    pub shells: Vec<Shell>,
}

/// Two points that must coincide.
#[derive(Clone, Debug)]
pub(crate) struct LoopLayout {
    pub ends: [Path; 2],
    pub limbs: [Vec<usize>; 2],
}

/// A custom goal of the problem.
#[derive(Clone, Debug)]
pub(crate) struct CustomLayout {
    /// Index in the problem.
    pub index: usize,
    /// Its points and the joints that move them.
    pub points: Vec<Path>,
}

/// The pole of a joint.
#[derive(Clone, Debug)]
pub(crate) struct PoleLayout {
    pub index: usize,
    pub path: Path,
    /// First joint of the limb: the line to the tip starts there.
    pub base: usize,
    /// Index in `goals` of the goal at whose tip the line ends.
    pub goal: usize,
}

/// A point fixed to a joint's frame, and the moving joints above it, from its own joint up.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    pub end: Attachment,
    pub joints: Vec<PathJoint>,
}

/// One moving joint above the point of a path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PathJoint {
    pub joint: usize,
    /// If a joint in between keeps the world's axes: that joint, whose origin replaces the point. Such a joint passes
    /// on the translation of its ancestors, not their rotation.
    pub lever: Option<usize>,
}

/// A joint with columns of its own, and the first of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ActiveJoint {
    pub joint: usize,
    pub column: usize,
}

impl ActiveJoint {
    /// All of its columns.
    pub fn columns(&self, skeleton: &Skeleton) -> Range<usize> {
        self.column..self.column + skeleton.kind(self.joint).degrees_of_freedom()
    }
}

/// The columns that move a joint, and the change of its coordinate per unit of them. Distances are in units of the
/// layout's length.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JointColumns {
    pub first: usize,
    pub scale: f64,
}

/// A moving joint and the fixed joints that it carries; a range of `Layout::pulls`.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub joint: usize,
    pub pulls: Range<usize>,
}

/// A pull on a body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyPull {
    pub source: Source,
    /// The frame, relative to the body, of what pulls: the rest frame of a child body, otherwise the frame of the joint
    /// that carries the point.
    pub local: Isometry,
}

/// The origin of a pull; goals and loops by their index in the layout.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Source {
    Goal(usize),
    /// Index of the loop, then 0 or 1 for its first or second end.
    LoopEnd(usize, usize),
    /// The moving joint of a child body.
    Body(usize),
}

/// A link that may touch obstacles: from the origin of a joint to that of a child, or to the tip of an effector.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    pub joint: usize,
    pub end: LinkEnd,
    pub path: Path,
    /// Whether its first end cannot move: the solver cannot change the depth of that end.
    pub anchored: bool,
}

/// The layouts of a figure.
#[derive(Clone, Debug)]
pub(crate) struct Layouts {
    /// Those of the stages, which are solved in order; at least one.
    pub stages: Vec<Layout>,
    /// A layout without goals, for closing loops alone; none without loops.
    pub loops: Option<Layout>,
    /// A layout in which joints move for what is preferred too; none if nothing is. Searches do not know it, so that no preference
    /// costs a solution.
    pub preferences: Option<Layout>,
}

impl Layouts {
    /// The layouts of a figure: its own skeleton and problem.
    pub fn new(skeleton: &Skeleton, problem: &Problem) -> Self {
        let loops = (!problem.loops.is_empty()).then(|| Layout::new(skeleton, problem, &[], |_| false));
        let preferences = problem.has_preferences().then(|| Layout::with_preferences(skeleton, problem));
        Layouts { stages: Layout::stages(skeleton, problem), loops, preferences }
    }

    /// That of the last stage, in which all goals count.
    pub fn last(&self) -> &Layout {
        &self.stages[self.stages.len() - 1]
    }
}

impl Layout {
    /// The moving joints above one of the [measured joints](Problem::measured_joints), from itself up.
    pub fn above_measured(&self, joint: usize) -> &[PathJoint] {
        let found = self.measured.binary_search_by_key(&joint, |path| path.end.joint);
        found.map_or(&[], |at| &self.measured[at].joints)
    }
}

/// Makes room for this number of entries in all. The list keeps those that it has.
pub(crate) fn make_room<T>(list: &mut Vec<T>, entries: usize) {
    list.reserve_exact(entries.saturating_sub(list.len()));
}
