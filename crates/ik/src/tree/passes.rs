//! The two reaching passes of FABRIK on a skeleton.
//!
//! Backward, leaves to root: every body is drawn to where the points that it bears want to be; the frames wanted may break
//! joints apart and leave limits. Forward, root to leaves: every joint takes, inside its limits, the coordinate that
//! carries it best toward the frames wanted, so that lengths and limits hold again.
//!
//! Based on A. Aristidou, J. Lasenby, "FABRIK" (2011), sections 4 and 5; a sub-base is fitted as a rigid body to what its
//! limbs want rather than put at their centroid only, because its children keep their distances.

use super::joint_fit::{Pull, aim, carry};
use super::layout::{Body, BodyPull, Plan, Source};
use crate::model::joint::{Axes, Kind};
use crate::model::limits::wrap;
use crate::model::pose::Coordinates;
use crate::model::problem::Problem;
use crate::model::skeleton::Skeleton;
use crate::model::transform::Isometry;
use glam::{DQuat, DVec3};

/// How much a sub-base is held where it is, against all that pulls on it.
const INERTIA: f64 = 0.3;

/// How much the orientation that a hinge's body wants counts against the places of its points.
const ORIENTATION: f64 = 0.2;

/// Buffers of the passes, one entry a joint.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reach {
    /// Frames that the last backward pass wants.
    pub wanted: Vec<Isometry>,
    /// Frames before the forward pass: where the two ends of a loop were.
    before: Vec<Isometry>,
    weights: Vec<f64>,
    pulls: Vec<Pull>,
    centered: Vec<Pull>,
}

impl Reach {
    /// Backward reaching, leaves to root, from the pose whose frames are `frames`: fills `wanted`.
    pub fn backward(
        &mut self,
        skeleton: &Skeleton,
        problem: &Problem,
        plan: &Plan,
        pose: &[Coordinates],
        frames: &[Isometry],
    ) {
        self.wanted.clear();
        self.wanted.extend_from_slice(frames);
        self.weights.clear();
        self.weights.resize(skeleton.len(), 0.0);
        for body in plan.bodies.iter().rev() {
            self.gather(skeleton, problem, plan, body, pose, frames);
            self.weights[body.joint] = plan.pulls[body.pulls.clone()]
                .iter()
                .map(|pull| self.weight(problem, plan, pull.source))
                .fold(0.0, |sum, weight| sum + weight);
            let wanted = self.want(skeleton, problem, plan, body, pose, frames[body.joint]);
            self.wanted[body.joint] = pushed_out(problem, wanted);
        }
        // Joints that are carried along: fixed ones, and those that nothing pulls.
        let mut bodies = plan.bodies.iter().map(|body| body.joint).peekable();
        for &i in &plan.order {
            if bodies.next_if_eq(&i).is_some() {
                continue;
            }
            if let Some(parent) = skeleton.joints()[i].parent {
                self.wanted[i] = skeleton.kind(i).frame(skeleton.rest_frame(i, self.wanted[parent]), &pose[i]);
            }
        }
    }

    /// Forward reaching, root to leaves, toward the frames of the last backward pass: changes `pose` and `frames`.
    pub fn forward(
        &mut self,
        skeleton: &Skeleton,
        problem: &Problem,
        plan: &Plan,
        pose: &mut [Coordinates],
        frames: &mut [Isometry],
    ) {
        self.before.clear();
        self.before.extend_from_slice(frames);
        let mut bodies = plan.bodies.iter().peekable();
        for &i in &plan.order {
            let parent = skeleton.joints()[i].parent.map_or(problem.base, |parent| frames[parent]);
            let rest = skeleton.rest_frame(i, parent);
            if let Some(body) = bodies.next_if(|body| body.joint == i) {
                pose[i] = match (skeleton.joints()[i].mimic, skeleton.kind(i)) {
                    (Some(mimic), _) => mimic.coordinate(pose),
                    (None, Kind::Free) => free(rest, self.wanted[i]),
                    (None, kind) => self.aim(skeleton, problem, plan, body, rest, kind, pose),
                };
            }
            frames[i] = skeleton.kind(i).frame(rest, &pose[i]);
        }
        if plan.has_followers {
            skeleton.follow(pose);
            skeleton.update_frames(problem.base, &plan.order, pose, frames);
        }
    }

    /// The coordinate of a joint that suits its body best.
    #[allow(clippy::too_many_arguments, reason = "one step of the pass above, split off to be read alone")]
    fn aim(
        &mut self,
        skeleton: &Skeleton,
        problem: &Problem,
        plan: &Plan,
        body: &Body,
        rest: Isometry,
        kind: &Kind,
        pose: &[Coordinates],
    ) -> Coordinates {
        let before = std::mem::take(&mut self.before);
        self.gather(skeleton, problem, plan, body, pose, &before);
        self.before = before;
        let now = &pose[body.joint];
        // A ball turns from the orientation that its body wants, a hinge toward it, as far as the points leave a choice.
        let asked = wanted_rotation(problem, plan, body);
        let wanted = self.wanted[body.joint].rotation;
        let oriented = match (kind, asked) {
            (Kind::Slide { .. }, _) | (Kind::Ball { .. }, None) => None,
            (_, Some(rotation)) => Some((rotation, 1.0)),
            (_, None) => Some((wanted, ORIENTATION)),
        };
        let start = asked.unwrap_or(wanted);
        if let Some((rotation, share)) = oriented {
            let squared = self.pulls.iter().map(|pull| pull.point.length_squared()).fold(0.0, f64::max);
            let arm = squared.max(1e-6 * plan.length * plan.length).sqrt();
            let weight = self.pulls.iter().map(|pull| pull.weight).sum::<f64>().max(1e-9) * share;
            for axis in DVec3::AXES {
                let goal = rest.position + rotation * (axis * arm);
                self.pulls.push(Pull { point: axis * arm, goal, weight });
            }
        }
        if self.pulls.is_empty() { *now } else { aim(kind, rest, now, start, &self.pulls) }
    }

    /// Collects what pulls on a body: goals, children's wanted places, and the middles of open loops.
    fn gather(
        &mut self,
        skeleton: &Skeleton,
        problem: &Problem,
        plan: &Plan,
        body: &Body,
        pose: &[Coordinates],
        frames: &[Isometry],
    ) {
        self.pulls.clear();
        for pull in &plan.pulls[body.pulls.clone()] {
            let weight = self.weight(problem, plan, pull.source);
            let (point, goal) = match pull.source {
                Source::Goal(k) => {
                    let goal = &problem.goals[plan.goals[k].index];
                    let Some(position) = goal.target.position else { continue };
                    (pull.local.point(goal.effector.tip), position)
                }
                Source::LoopEnd(k, side) => {
                    let [a, b] = [0, 1].map(|side| plan.loops[k].ends[side].end);
                    let middle = (frames[a.joint].point(a.point) + frames[b.joint].point(b.point)) * 0.5;
                    (pull.local.point(plan.loops[k].ends[side].end.point), middle)
                }
                Source::Body(child) => {
                    let place = match skeleton.kind(child) {
                        Kind::Slide { axis, .. } => pull.local.point(*axis * pose[child].value()),
                        _ => pull.local.position,
                    };
                    (place, self.wanted[child].position)
                }
            };
            if weight > 0.0 {
                self.pulls.push(Pull { point, goal, weight });
            }
        }
    }

    fn weight(&self, problem: &Problem, plan: &Plan, source: Source) -> f64 {
        match source {
            Source::Goal(k) => {
                let goal = &problem.goals[plan.goals[k].index];
                if goal.target.position.is_some() { goal.weight } else { goal.rotation_weight }
            }
            Source::LoopEnd(..) => 1.0,
            Source::Body(child) => self.weights[child],
        }
    }

    /// Where a body wants to be, for what pulls on it (gathered before); its frame is now `frame`.
    fn want(
        &mut self,
        skeleton: &Skeleton,
        problem: &Problem,
        plan: &Plan,
        body: &Body,
        pose: &[Coordinates],
        frame: Isometry,
    ) -> Isometry {
        let pulls = &self.pulls[..];
        let total: f64 = pulls.iter().map(|pull| pull.weight).sum();
        if let Some(rotation) = wanted_rotation(problem, plan, body) {
            let sum = pulls.iter().map(|pull| (pull.goal - rotation * pull.point) * pull.weight).sum::<DVec3>();
            let position = if total > 0.0 { sum / total } else { frame.position };
            return Isometry::new(position, rotation);
        }
        match pulls {
            [] => frame,
            [pull] => {
                // About the point that is put in place, the origin follows as it would on a rope.
                let origin = Pull { point: -pull.point, goal: frame.position, weight: 1.0 };
                let rotation = carry(frame.rotation, pull.goal, &[origin]);
                let rotation = self.joined(skeleton, plan, body, pose, frame, rotation).unwrap_or(rotation);
                Isometry::new(pull.goal - rotation * pull.point, rotation)
            }
            _ => fit(frame, pulls, total, &mut self.centered),
        }
    }

    /// The orientation nearest to `rotation` that the joint to the only child allows, the child being where it wants.
    fn joined(
        &self,
        skeleton: &Skeleton,
        plan: &Plan,
        body: &Body,
        pose: &[Coordinates],
        frame: Isometry,
        rotation: DQuat,
    ) -> Option<DQuat> {
        let [BodyPull { source: Source::Body(child), local }] = plan.pulls[body.pulls.clone()] else { return None };
        if skeleton.joints()[child].axes == Axes::World {
            return None;
        }
        let wanted = self.wanted[child];
        let relative = ((rotation * local.rotation).conjugate() * wanted.rotation).normalize();
        let kind = skeleton.kind(child);
        let coordinates = match *kind {
            // A child at the origin says nothing about the place: its coordinate stays, the body turns with it.
            _ if local.position.length_squared() < 1e-18 * plan.length * plan.length => pose[child],
            Kind::Hinge { axis, range } => {
                // Seen from the child the body turns the other way round: the best angle brings its origin nearest.
                let mirrored = Kind::Hinge { axis: -axis, range };
                let origin = Pull { point: local.local(DVec3::ZERO), goal: frame.position, weight: 1.0 };
                if origin.point.cross(axis).length_squared() > 1e-12 * plan.length * plan.length {
                    aim(&mirrored, wanted, &pose[child], wanted.rotation, &[origin])
                } else {
                    let angle = 2.0 * relative.xyz().dot(axis).atan2(relative.w);
                    kind.project(Coordinates::scalar(wrap(angle)))
                }
            }
            Kind::Ball { swing: None, twist: None } => return None,
            Kind::Ball { .. } => kind.project(Kind::ball_coordinates(relative)),
            Kind::Slide { .. } | Kind::Fixed => Coordinates::default(),
            Kind::Free => return None,
        };
        let turn = local.rotation * kind.rotation(&coordinates);
        Some((wanted.rotation * turn.conjugate()).normalize())
    }
}

/// Rigid fit of a sub-base: its points to their goals, its origin lightly to where it is.
pub(crate) fn fit(frame: Isometry, pulls: &[Pull], total: f64, centered: &mut Vec<Pull>) -> Isometry {
    let origin = Pull { point: DVec3::ZERO, goal: frame.position, weight: INERTIA * total };
    centered.clear();
    centered.extend(pulls.iter().chain([&origin]));
    let weight = total + origin.weight;
    let point = centered.iter().map(|pull| pull.point * pull.weight).sum::<DVec3>() / weight;
    let goal = centered.iter().map(|pull| pull.goal * pull.weight).sum::<DVec3>() / weight;
    for pull in centered.iter_mut() {
        pull.point -= point;
        pull.goal -= goal;
    }
    let rotation = carry(frame.rotation, DVec3::ZERO, centered);
    Isometry::new(goal - rotation * point, rotation)
}

/// The orientation that a goal asks of the body, if one does.
fn wanted_rotation(problem: &Problem, plan: &Plan, body: &Body) -> Option<DQuat> {
    plan.pulls[body.pulls.clone()].iter().find_map(|pull| {
        let Source::Goal(k) = pull.source else { return None };
        let goal = &problem.goals[plan.goals[k].index];
        let rotation = goal.asked_rotation()?;
        Some((rotation * pull.local.rotation.conjugate()).normalize())
    })
}

/// Coordinates of a free joint whose frame should be `wanted`.
pub(crate) fn free(rest: Isometry, wanted: Isometry) -> Coordinates {
    Coordinates::free(rest.local(wanted.position), (rest.rotation.conjugate() * wanted.rotation).normalize())
}

/// A frame moved out of the obstacles that its origin lies in.
fn pushed_out(problem: &Problem, frame: Isometry) -> Isometry {
    let mut position = frame.position;
    for obstacle in &problem.obstacles {
        let contact = obstacle.contact(position, position);
        position += contact.normal * (contact.depth + problem.link_radius).max(0.0);
    }
    Isometry { position, ..frame }
}
