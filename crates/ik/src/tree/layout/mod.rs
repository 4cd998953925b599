//! What of a skeleton and a problem stays the same from solve to solve: which joints move, which column of the Jacobian
//! and which row each of them has to do with, what pulls on which body.

mod build;

use crate::model::joint::Kind;
use crate::model::problem::Attachment;
use crate::model::queries::LinkEnd;
use crate::model::skeleton::Skeleton;
use crate::model::transform::Isometry;
use std::ops::Range;

/// Everything about one island that depends on the topology alone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    /// Joints whose frames a solve needs, parents first.
    pub order: Vec<usize>,
    /// Goals that count.
    pub goals: Vec<GoalLayout>,
    /// Loops to close.
    pub loops: Vec<LoopLayout>,
    /// Poles to pole toward.
    pub poles: Vec<PoleLayout>,
    /// For each joint of the skeleton whether it may move.
    pub moving: Vec<bool>,
    /// The joints that move by themselves, with their columns.
    pub movers: Vec<Mover>,
    /// For each joint of the skeleton the columns that it moves by: its own, or those of the joint that it follows.
    pub shares: Vec<Option<Share>>,
    /// Number of columns.
    pub columns: usize,
    /// Rigid bodies that the reaching passes fit_rotation, parents first.
    pub bodies: Vec<Body>,
    /// What pulls on them; each body knows its part.
    pub pulls: Vec<BodyPull>,
    /// Links that can get into obstacles.
    pub segments: Vec<Segment>,
    /// The largest reach: the unit of lengths.
    pub length: f64,
    /// Whether some joints follow others.
    pub has_followers: bool,
}

/// A goal of the problem.
#[derive(Clone, Debug)]
pub(crate) struct GoalLayout {
    /// Index in the problem.
    pub index: usize,
    /// Link lengths from the first joint that moves for it to its tip.
    pub reach: f64,
    /// How its tip moves.
    pub path: Path,
    /// Joints to start anew when the goal fails: up to the nearest sub-base.
    pub branch: Vec<usize>,
    /// Exact bounds of its tip's distance from a point that cannot move, where there is one.
    pub shell: Option<Shell>,
}

/// The tip's distance from the origin of joint `center`'s rest frame lies between the bounds, whatever the pose.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shell {
    pub center: usize,
    pub inner: f64,
    pub outer: f64,
}

/// Two points that coincide.
#[derive(Clone, Debug)]
pub(crate) struct LoopLayout {
    pub ends: [Path; 2],
    pub branches: [Vec<usize>; 2],
}

/// A pole for one joint.
#[derive(Clone, Debug)]
pub(crate) struct PoleLayout {
    pub index: usize,
    pub path: Path,
    /// First joint of the branch: where the line to the tip starts.
    pub base: usize,
    /// The goal at whose tip it ends, as an index of `goals`.
    pub goal: usize,
}

/// A point fixed to a joint's frame, and the joints that move it, from its own up.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    pub end: Attachment,
    pub steps: Vec<Step>,
}

/// One moving joint above a point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub joint: usize,
    /// The joint whose origin stands in for the point: a joint that keeps the world's axes passes on where it is, not
    /// how its ancestors turn.
    pub lever: Option<usize>,
}

/// A joint with coordinates of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mover {
    pub joint: usize,
    pub column: usize,
}

/// Columns of a joint, and how much its coordinate changes per unit of them: distances are counted in the layout's
/// length.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share {
    pub column: usize,
    pub factor: f64,
}

/// A moving joint together with the fixed ones that it carries.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub joint: usize,
    pub pulls: Range<usize>,
}

/// Something that pulls on a body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyPull {
    pub source: Source,
    /// For a child body its rest frame, otherwise the frame of the joint that bears the point; in the body's frame.
    pub local: Isometry,
}

/// Where a pull comes from; goals and loops by their index in the layout.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Source {
    Goal(usize),
    LoopEnd(usize, usize),
    Body(usize),
}

/// A link that obstacles may touch: from a joint's origin to a child's, or to an effector's tip.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    pub joint: usize,
    pub end: LinkEnd,
    pub path: Path,
    /// Whether its first end cannot move: how deep that lies is not the solver's fault.
    pub anchored: bool,
}

impl Layout {
    /// Whether something free moves: a body that walks, a rope.
    pub fn floats(&self, skeleton: &Skeleton) -> bool {
        self.movers.iter().any(|mover| *skeleton.kind(mover.joint) == Kind::Free)
    }
}
