//! The one cost of a pose: weighted least squares over everything that is asked, and what is left of each part.

use super::layout::Layout;
use crate::model::obstacle::Contact;
use crate::model::pose::Coordinates;
use crate::model::problem::Problem;
use crate::model::queries::{excess, link_ends};
use crate::model::settings::Settings;
use crate::model::skeleton::Skeleton;
use crate::model::transform::Isometry;
use crate::model::transform::ShortLog;
use glam::DVec3;

/// What a radian of orientation counts against a position error of one reach: a wrong turn of a hand by one radian is
/// about as bad as a third of the arm's length.
pub(crate) const RADIAN: f64 = 0.3;
/// How much an open loop counts against a goal: where both can be had, and where the goals have to give way.
pub(crate) const CLOSURE: f64 = 2.0;
const FIRM_CLOSURE: f64 = 100.0;
/// Widest gap of a closed loop, as a fraction of the reach.
pub(crate) const CLOSED: f64 = 1e-6;

/// What a solve works on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task<'a> {
    pub skeleton: &'a Skeleton,
    pub problem: &'a Problem,
    pub layout: &'a Layout,
    pub settings: &'a Settings,
    /// Light goals for the origins of joints, that stand for poles.
    pub pole_pulls: &'a [PolePull],
    /// How much an open loop counts against a goal.
    pub closure: f64,
}

impl<'a> Task<'a> {
    /// A task without poles.
    pub fn new(skeleton: &'a Skeleton, problem: &'a Problem, layout: &'a Layout, settings: &'a Settings) -> Self {
        Task { skeleton, problem, layout, settings, pole_pulls: &[], closure: CLOSURE }
    }

    /// The same where goals give way rather than loops.
    pub fn firm(&self) -> Self {
        Task { closure: FIRM_CLOSURE, ..*self }
    }
}

/// A light goal for the origin of a pole's joint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PolePull {
    /// Index among the poles of the layout.
    pub pole: usize,
    /// Where its joint should be, world.
    pub goal: DVec3,
}

/// Root of the weight of a pole.
pub(crate) const POLE_WEIGHT_ROOT: f64 = 0.2;

/// How far a pose is from what is asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Score {
    /// Sum of the squared residuals.
    pub cost: f64,
    /// Worst distance of a goal, as a fraction of its reach.
    pub position: f64,
    /// Worst angle of a goal.
    pub angle: f64,
    /// Widest gap of a loop, as a fraction of the length.
    pub gap: f64,
    /// Deepest penetration, as a fraction of the length.
    pub depth: f64,
}

impl Score {
    /// Root of the cost: of the order of the worst error.
    pub fn error(&self) -> f64 {
        self.cost.sqrt()
    }

    /// Whether all is met.
    pub fn reached(&self, settings: &Settings) -> bool {
        self.position <= settings.tolerance
            && self.angle <= settings.rotation_tolerance
            && self.gap <= CLOSED
            && self.depth <= settings.tolerance
    }
}

/// A point of a link that is in an obstacle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    pub segment: usize,
    pub point: DVec3,
    pub normal: DVec3,
    /// Where on the link the point is: 0 at its first end, 1 at its second.
    pub along: f64,
}

/// A pose's frames and residuals.
#[derive(Clone, Debug, Default)]
pub(crate) struct Evaluation {
    pub frames: Vec<Isometry>,
    /// Residuals: three a position, orientation, loop and pole, one a touch.
    pub rows: Vec<f64>,
    pub touches: Vec<Touch>,
}

impl Evaluation {
    /// Places `pose` and reads how far it is from what is asked.
    pub fn read(&mut self, task: &Task, pose: &[Coordinates]) -> Score {
        task.skeleton.update_frames(task.problem.base, &task.layout.order, pose, &mut self.frames);
        self.score(task)
    }

    /// The score of the frames as they are.
    pub fn score(&mut self, task: &Task) -> Score {
        let (problem, layout) = (task.problem, task.layout);
        self.rows.clear();
        self.touches.clear();
        let mut score = Score { cost: 0.0, position: 0.0, angle: 0.0, gap: 0.0, depth: 0.0 };
        for goal in &layout.goals {
            let asked = &problem.goals[goal.index];
            let frame = self.frames[asked.effector.joint];
            if let Some(target) = asked.asked_position() {
                let off = (frame.point(asked.effector.tip) - target) / goal.reach;
                score.position = score.position.max(off.length());
                push(&mut self.rows, off * asked.weight.sqrt());
            }
            if let Some(target) = asked.asked_rotation() {
                let off = (frame.rotation * target.conjugate()).to_scaled_axis_short();
                score.angle = score.angle.max(off.length());
                push(&mut self.rows, off * (RADIAN * asked.rotation_weight.sqrt()));
            }
        }
        for closure in &layout.loops {
            let [a, b] = [0, 1].map(|side| {
                let end = closure.ends[side].end;
                self.frames[end.joint].point(end.point)
            });
            let off = (a - b) / layout.length;
            score.gap = score.gap.max(off.length());
            push(&mut self.rows, off * task.closure);
        }
        for pole in task.pole_pulls {
            let joint = layout.poles[pole.pole].path.end.joint;
            push(&mut self.rows, (self.frames[joint].position - pole.goal) * (POLE_WEIGHT_ROOT / layout.length));
        }
        for (at, segment) in layout.segments.iter().enumerate() {
            let (a, b) = link_ends(problem, segment.joint, segment.end, &self.frames);
            for obstacle in &problem.obstacles {
                let contact = obstacle.contact(a, b);
                let depth = excess(&contact, || obstacle.depth(a), segment.anchored, problem.link_radius);
                if depth > 0.0 {
                    score.depth = score.depth.max(depth / layout.length);
                    self.rows.push(depth / layout.length);
                    let Contact { normal, along, .. } = contact;
                    self.touches.push(Touch { segment: at, point: a.lerp(b, along), normal, along });
                }
            }
        }
        score.cost = self.rows.iter().map(|row| row * row).sum();
        score
    }
}

fn push(rows: &mut Vec<f64>, residual: DVec3) {
    rows.extend_from_slice(&residual.to_array());
}
