//! The cost of a pose: a weighted sum of squared residuals over goals, loops, poles, obstacles and close links. Every
//! stage of a solve is judged by it; the refiner minimizes it with the derivatives of `residual_jacobian`.

use super::layout::Layout;
use crate::model::keep_clear::{Body, Separation};
use crate::model::obstacle::Contact;
use crate::model::pose::Coordinates;
use crate::model::problem::Problem;
use crate::model::queries::{excess, link_ends};
use crate::model::settings::Settings;
use crate::model::skeleton::Skeleton;
use crate::model::transform::{Isometry, ShortLog};
use glam::DVec3;

/// Residual of an orientation error of one radian; a position error of one reach has the residual 1. A hand turned by
/// one radian counts about as much as a third of the arm's length.
pub(crate) const REACHES_PER_RADIAN: f64 = 0.3;
/// Residual of a loop that is open by one length, if goals and loops can both be met.
pub(crate) const LOOP_SCALE: f64 = 2.0;
/// The same if the goals have to give way.
const FIRM_LOOP_SCALE: f64 = 100.0;
/// Largest gap of a closed loop, as a fraction of the layout's length.
pub(crate) const MAX_LOOP_GAP: f64 = 1e-6;

/// Largest number of entries of all matrices of a refinement: a gigabyte.
const MAX_ENTRIES: usize = 1 << 27;

/// What a solve minimizes, and by which settings it is judged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Objective<'a> {
    pub skeleton: &'a Skeleton,
    pub problem: &'a Problem,
    pub layout: &'a Layout,
    pub settings: &'a Settings,
    /// Goals of low weight for the origins of the poles' joints.
    pub pole_pulls: &'a [PolePull],
    /// Residual of a loop that is open by one length.
    pub loop_scale: f64,
    /// How far capsules are to keep clear.
    pub keep_clear: ClearanceGoal,
}

/// The distance that capsules keep from each other and from obstacles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClearanceGoal {
    /// The distance, in units of the scene. Nearer capsules have a residual.
    pub distance: f64,
    /// Residual of a pair that is one length closer than this.
    pub scale: f64,
}

impl<'a> Objective<'a> {
    /// An objective without pole pulls.
    pub fn new(skeleton: &'a Skeleton, problem: &'a Problem, layout: &'a Layout, settings: &'a Settings) -> Self {
        // Aiming past the surface leaves no overlap when the steps become small.
        let keep_clear = ClearanceGoal { distance: 0.5 * settings.tolerance * layout.length, scale: 1.0 };
        Objective { skeleton, problem, layout, settings, pole_pulls: &[], loop_scale: LOOP_SCALE, keep_clear }
    }

    /// The same objective with loops and clearances that outweigh the goals, for goals that cannot be met.
    pub fn with_firm_constraints(&self) -> Self {
        let keep_clear = ClearanceGoal { scale: FIRM_CLEARANCE_SCALE, ..self.keep_clear };
        Objective { loop_scale: FIRM_LOOP_SCALE, keep_clear, ..*self }
    }

    /// Whether the matrices of a refinement would not fit into memory. Such problems have only the reaching passes, whose
    /// work grows with the number of joints and goals.
    pub fn is_too_large(&self) -> bool {
        let rows = 6 * self.layout.goals.len() + 3 * self.layout.loops.len();
        let smaller = rows.min(self.layout.columns);
        rows.saturating_mul(self.layout.columns).saturating_add(smaller.saturating_mul(smaller)) > MAX_ENTRIES
    }

    /// The same objective with the margin of the problem as a soft goal.
    pub fn with_margin(&self) -> Self {
        let distance = self.problem.keep_clear.margin.max(self.keep_clear.distance);
        Objective { keep_clear: ClearanceGoal { distance, scale: SOFT_CLEARANCE_SCALE }, ..*self }
    }

    /// The same objective with residuals for all links that touch something.
    pub fn with_touching_links(&self) -> Self {
        let keep_clear = ClearanceGoal { distance: TOUCHING * self.layout.length, ..self.keep_clear };
        Objective { keep_clear, ..*self }
    }

    /// Whether refinement goes on after the goals are met, for poles or for the margin.
    pub fn wants_more(&self) -> bool {
        self.keep_clear.scale < 1.0 || !self.pole_pulls.is_empty()
    }

    /// Updates the frames that the residuals depend on to those of `pose`.
    pub fn update_frames(&self, pose: &[Coordinates], frames: &mut [Isometry]) {
        self.skeleton.update_frames(self.problem.base, &self.layout.order, pose, frames);
    }
}

/// A goal of low weight for the origin of a pole's joint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PolePull {
    /// Index of the pole in the layout.
    pub pole: usize,
    /// Desired position of the joint, world.
    pub goal: DVec3,
}

/// Residual of a pole's joint that is one length away from its desired position.
pub(crate) const POLE_SCALE: f64 = 0.2;

/// Residual of a pair that is one length closer than the margin, which must not cost a goal.
const SOFT_CLEARANCE_SCALE: f64 = 0.2;
/// Largest distance, as a fraction of the layout's length, of links that count as touching.
const TOUCHING: f64 = 2e-3;
/// Residual of a pair that overlaps by one length, if the goals have to give way.
const FIRM_CLEARANCE_SCALE: f64 = 100.0;

/// The cost of a pose, and the worst error of each kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Score {
    /// Sum of the squared residuals.
    pub cost: f64,
    /// Largest distance of a goal from its target, as a fraction of its reach.
    pub position: f64,
    /// Largest angle of a goal from its target, radians.
    pub angle: f64,
    /// Largest gap of a loop, as a fraction of the layout's length.
    pub gap: f64,
    /// Largest depth in an obstacle, as a fraction of the layout's length.
    pub depth: f64,
    /// Smallest distance of a capsule from another one or from an obstacle, in units of the scene; infinite unless one is
    /// below that of the objective.
    pub clearance: f64,
}

impl Score {
    /// The root of the cost: of the order of the largest error.
    pub fn error(&self) -> f64 {
        self.cost.sqrt()
    }

    /// Whether everything is met to within the tolerances.
    pub fn reached(&self, settings: &Settings) -> bool {
        self.position <= settings.tolerance
            && self.angle <= settings.rotation_tolerance
            && self.gap <= MAX_LOOP_GAP
            && self.depth <= settings.tolerance
            && self.clearance >= 0.0
    }
}

/// A gap that is smaller than the objective aims at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClosePair {
    /// The two capsules; none for an obstacle.
    pub capsules: [Option<usize>; 2],
    /// The points that the gap depends on, world.
    pub points: [DVec3; 2],
    /// Unit vector from the second point toward the first one.
    pub normal: DVec3,
}

/// A point of a link inside an obstacle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContactPoint {
    pub segment: usize,
    pub point: DVec3,
    pub normal: DVec3,
    /// Position on the link: 0 at its first end, 1 at its second.
    pub along: f64,
}

/// The frames and residuals of a pose.
#[derive(Clone, Debug, Default)]
pub(crate) struct Evaluation {
    pub frames: Vec<Isometry>,
    /// Three per requested position, requested orientation, loop and pole; one per close pair and per contact.
    pub residuals: Vec<f64>,
    pub close_pairs: Vec<ClosePair>,
    pub contacts: Vec<ContactPoint>,
    /// The capsules in the world.
    pub bodies: Vec<Body>,
}

impl Evaluation {
    /// Computes the frames of `pose`, its residuals and its score.
    pub fn evaluate(&mut self, objective: &Objective, pose: &[Coordinates]) -> Score {
        objective.update_frames(pose, &mut self.frames);
        self.score(objective)
    }

    /// Computes the residuals and the score of the present frames.
    pub fn score(&mut self, objective: &Objective) -> Score {
        let (problem, layout) = (objective.problem, objective.layout);
        self.residuals.clear();
        self.contacts.clear();
        let mut score = Score { cost: 0.0, position: 0.0, angle: 0.0, gap: 0.0, depth: 0.0, clearance: f64::INFINITY };
        for goal in &layout.goals {
            let request = &problem.goals[goal.index];
            let frame = self.frames[request.effector.joint];
            if let Some(target) = request.nearest_position(frame) {
                let error = (frame.point(request.effector.tip) - target) / goal.size;
                score.position = score.position.max(error.length());
                push(&mut self.residuals, error * request.weight.sqrt());
            }
            if let Some(target) = request.nearest_rotation(frame) {
                let error = (frame.rotation * target.conjugate()).to_scaled_axis_short();
                score.angle = score.angle.max(error.length());
                push(&mut self.residuals, error * (REACHES_PER_RADIAN * request.rotation_weight.sqrt()));
            }
        }
        for closure in &layout.loops {
            let [a, b] = [0, 1].map(|side| {
                let end = closure.ends[side].end;
                self.frames[end.joint].point(end.point)
            });
            let error = (a - b) / layout.length;
            score.gap = score.gap.max(error.length());
            push(&mut self.residuals, error * objective.loop_scale);
        }
        for pole in objective.pole_pulls {
            let joint = layout.poles[pole.pole].path.end.joint;
            push(&mut self.residuals, (self.frames[joint].position - pole.goal) * (POLE_SCALE / layout.length));
        }
        self.find_close_pairs(objective, &mut score);
        for (at, segment) in layout.segments.iter().enumerate() {
            let (a, b) = link_ends(problem, segment.joint, segment.end, &self.frames);
            for obstacle in &problem.obstacles {
                let contact = obstacle.contact(a, b);
                let depth = excess(&contact, || obstacle.depth(a), segment.anchored, problem.link_radius);
                if depth > 0.0 {
                    score.depth = score.depth.max(depth / layout.length);
                    self.residuals.push(depth / layout.length);
                    let Contact { normal, along, .. } = contact;
                    self.contacts.push(ContactPoint { segment: at, point: a.lerp(b, along), normal, along });
                }
            }
        }
        score.cost = self.residuals.iter().map(|row| row * row).sum();
        score
    }

    /// Adds the residuals of all capsules that are nearer to something than they should be.
    fn find_close_pairs(&mut self, objective: &Objective, score: &mut Score) {
        let Objective { problem, layout, keep_clear: goal, .. } = *objective;
        self.close_pairs.clear();
        if layout.capsules.is_empty() {
            return;
        }
        let (frames, residuals, pairs) = (&self.frames, &mut self.residuals, &mut self.close_pairs);
        let mut add = |capsules, Separation { distance, normal, points }| {
            if distance < goal.distance {
                score.clearance = score.clearance.min(distance);
                residuals.push((goal.distance - distance) * (goal.scale / layout.length));
                pairs.push(ClosePair { capsules, points, normal });
            }
        };
        self.bodies.clear();
        self.bodies.extend(problem.keep_clear.capsules.iter().map(|capsule| capsule.at(frames[capsule.joint])));
        for &[a, b] in &layout.pairs {
            let [first, second] = [&self.bodies[a], &self.bodies[b]];
            let [(center, radius), (other, other_radius)] = [first.ball(), second.ball()];
            let near = radius + other_radius + goal.distance;
            if center.distance_squared(other) < near * near {
                add([Some(a), Some(b)], first.separation(second));
            }
        }
        for (at, _) in layout.capsules.iter().enumerate().filter(|(_, path)| !path.joints.is_empty()) {
            for obstacle in &problem.obstacles {
                add([Some(at), None], self.bodies[at].separation_from(obstacle));
            }
        }
    }
}

fn push(rows: &mut Vec<f64>, residual: DVec3) {
    rows.extend_from_slice(&residual.to_array());
}
