//! The two reaching passes of FABRIK on a skeleton.
//!
//! Backward, leaves to root: every body is drawn to where the points that it bears want to be; the frames desired may break
//! joints apart and leave limits. Forward, root to leaves: every joint takes, inside its limits, the coordinate that
//! carries it best toward the frames desired, so that lengths and limits hold again.
//!
//! Based on A. Aristidou, J. Lasenby, "FABRIK" (2011), sections 4 and 5; a sub-base is fitted as a rigid body to what its
//! branches want rather than put at their centroid only, because its children keep their distances.

use super::joint_fit::{Pull, fit_joint, fit_rotation};
use super::layout::{Body, BodyPull, Layout, Source};
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
pub(crate) struct Passes {
    /// Frames that the last backward pass wants.
    pub desired: Vec<Isometry>,
    /// Frames before the forward pass: where the two ends of a loop were.
    before: Vec<Isometry>,
    weights: Vec<f64>,
    pulls: Vec<Pull>,
    centered: Vec<Pull>,
}

impl Passes {
    /// Backward reaching, leaves to root, from the pose whose frames are `frames`: fills `desired`.
    pub fn backward(
        &mut self,
        skeleton: &Skeleton,
        problem: &Problem,
        layout: &Layout,
        pose: &[Coordinates],
        frames: &[Isometry],
    ) {
        self.desired.clear();
        self.desired.extend_from_slice(frames);
        self.weights.clear();
        self.weights.resize(skeleton.len(), 0.0);
        for body in layout.bodies.iter().rev() {
            self.gather(skeleton, problem, layout, body, pose, frames);
            self.weights[body.joint] = layout.pulls[body.pulls.clone()]
                .iter()
                .map(|pull| self.weight(problem, layout, pull.source))
                .fold(0.0, |sum, weight| sum + weight);
            let desired = self.want(skeleton, problem, layout, body, pose, frames[body.joint]);
            self.desired[body.joint] = pushed_out(problem, desired);
        }
        // Joints that are carried along: fixed ones, and those that nothing pulls.
        let mut bodies = layout.bodies.iter().map(|body| body.joint).peekable();
        for &i in &layout.order {
            if bodies.next_if_eq(&i).is_some() {
                continue;
            }
            if let Some(parent) = skeleton.joints()[i].parent {
                self.desired[i] = skeleton.kind(i).frame(skeleton.rest_frame(i, self.desired[parent]), &pose[i]);
            }
        }
    }

    /// Forward reaching, root to leaves, toward the frames of the last backward pass: changes `pose` and `frames`.
    pub fn forward(
        &mut self,
        skeleton: &Skeleton,
        problem: &Problem,
        layout: &Layout,
        pose: &mut [Coordinates],
        frames: &mut [Isometry],
    ) {
        self.before.clear();
        self.before.extend_from_slice(frames);
        let mut bodies = layout.bodies.iter().peekable();
        for &i in &layout.order {
            let parent = skeleton.joints()[i].parent.map_or(problem.base, |parent| frames[parent]);
            let rest = skeleton.rest_frame(i, parent);
            if let Some(body) = bodies.next_if(|body| body.joint == i) {
                pose[i] = match (skeleton.joints()[i].mimic, skeleton.kind(i)) {
                    (Some(mimic), _) => mimic.coordinate(pose),
                    (None, Kind::Free) => free(rest, self.desired[i]),
                    (None, kind) => self.fit_body_joint(skeleton, problem, layout, body, rest, kind, pose),
                };
            }
            frames[i] = skeleton.kind(i).frame(rest, &pose[i]);
        }
        if layout.has_followers {
            skeleton.follow(pose);
            skeleton.update_frames(problem.base, &layout.order, pose, frames);
        }
    }

    /// The coordinate of a joint that suits its body best.
    #[allow(clippy::too_many_arguments, reason = "one step of the pass above, split off to be read alone")]
    fn fit_body_joint(
        &mut self,
        skeleton: &Skeleton,
        problem: &Problem,
        layout: &Layout,
        body: &Body,
        rest: Isometry,
        kind: &Kind,
        pose: &[Coordinates],
    ) -> Coordinates {
        let before = std::mem::take(&mut self.before);
        self.gather(skeleton, problem, layout, body, pose, &before);
        self.before = before;
        let now = &pose[body.joint];
        // A ball turns from the orientation that its body wants, a hinge toward it, as far as the points leave a choice.
        let asked = requested_rotation(problem, layout, body);
        let desired = self.desired[body.joint].rotation;
        let oriented = match (kind, asked) {
            (Kind::Slide { .. }, _) | (Kind::Ball { .. }, None) => None,
            (_, Some(rotation)) => Some((rotation, 1.0)),
            (_, None) => Some((desired, ORIENTATION)),
        };
        let start = asked.unwrap_or(desired);
        if let Some((rotation, share)) = oriented {
            let squared = self.pulls.iter().map(|pull| pull.point.length_squared()).fold(0.0, f64::max);
            let arm = squared.max(1e-6 * layout.length * layout.length).sqrt();
            let weight = self.pulls.iter().map(|pull| pull.weight).sum::<f64>().max(1e-9) * share;
            for axis in DVec3::AXES {
                let goal = rest.position + rotation * (axis * arm);
                self.pulls.push(Pull { point: axis * arm, goal, weight });
            }
        }
        if self.pulls.is_empty() { *now } else { fit_joint(kind, rest, now, start, &self.pulls) }
    }

    /// Collects what pulls on a body: goals, children's desired places, and the middles of open loops.
    fn gather(
        &mut self,
        skeleton: &Skeleton,
        problem: &Problem,
        layout: &Layout,
        body: &Body,
        pose: &[Coordinates],
        frames: &[Isometry],
    ) {
        self.pulls.clear();
        for pull in &layout.pulls[body.pulls.clone()] {
            let weight = self.weight(problem, layout, pull.source);
            let (point, goal) = match pull.source {
                Source::Goal(k) => {
                    let goal = &problem.goals[layout.goals[k].index];
                    let Some(position) = goal.target.position else { continue };
                    (pull.local.point(goal.effector.tip), position)
                }
                Source::LoopEnd(k, side) => {
                    let [a, b] = [0, 1].map(|side| layout.loops[k].ends[side].end);
                    let middle = (frames[a.joint].point(a.point) + frames[b.joint].point(b.point)) * 0.5;
                    (pull.local.point(layout.loops[k].ends[side].end.point), middle)
                }
                Source::Body(child) => {
                    let place = match skeleton.kind(child) {
                        Kind::Slide { axis, .. } => pull.local.point(*axis * pose[child].value()),
                        _ => pull.local.position,
                    };
                    (place, self.desired[child].position)
                }
            };
            if weight > 0.0 {
                self.pulls.push(Pull { point, goal, weight });
            }
        }
    }

    fn weight(&self, problem: &Problem, layout: &Layout, source: Source) -> f64 {
        match source {
            Source::Goal(k) => {
                let goal = &problem.goals[layout.goals[k].index];
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
        layout: &Layout,
        body: &Body,
        pose: &[Coordinates],
        frame: Isometry,
    ) -> Isometry {
        let pulls = &self.pulls[..];
        let total: f64 = pulls.iter().map(|pull| pull.weight).sum();
        if let Some(rotation) = requested_rotation(problem, layout, body) {
            let sum = pulls.iter().map(|pull| (pull.goal - rotation * pull.point) * pull.weight).sum::<DVec3>();
            let position = if total > 0.0 { sum / total } else { frame.position };
            return Isometry::new(position, rotation);
        }
        match pulls {
            [] => frame,
            [pull] => {
                // About the point that is put in place, the origin follows as it would on a rope.
                let origin = Pull { point: -pull.point, goal: frame.position, weight: 1.0 };
                let rotation = fit_rotation(frame.rotation, pull.goal, &[origin]);
                let rotation = self.joined(skeleton, layout, body, pose, frame, rotation).unwrap_or(rotation);
                Isometry::new(pull.goal - rotation * pull.point, rotation)
            }
            _ => fit(frame, pulls, total, &mut self.centered),
        }
    }

    /// The orientation nearest to `rotation` that the joint to the only child allows, the child being where it wants.
    fn joined(
        &self,
        skeleton: &Skeleton,
        layout: &Layout,
        body: &Body,
        pose: &[Coordinates],
        frame: Isometry,
        rotation: DQuat,
    ) -> Option<DQuat> {
        let [BodyPull { source: Source::Body(child), local }] = layout.pulls[body.pulls.clone()] else { return None };
        if skeleton.joints()[child].axes == Axes::World {
            return None;
        }
        let desired = self.desired[child];
        let relative = ((rotation * local.rotation).conjugate() * desired.rotation).normalize();
        let kind = skeleton.kind(child);
        let coordinates = match *kind {
            // A child at the origin says nothing about the place: its coordinate stays, the body turns with it.
            _ if local.position.length_squared() < 1e-18 * layout.length * layout.length => pose[child],
            Kind::Hinge { axis, range } => {
                // Seen from the child the body turns the other way round: the best angle brings its origin nearest.
                let mirrored = Kind::Hinge { axis: -axis, range };
                let origin = Pull { point: local.local(DVec3::ZERO), goal: frame.position, weight: 1.0 };
                if origin.point.cross(axis).length_squared() > 1e-12 * layout.length * layout.length {
                    fit_joint(&mirrored, desired, &pose[child], desired.rotation, &[origin])
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
        Some((desired.rotation * turn.conjugate()).normalize())
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
    let rotation = fit_rotation(frame.rotation, DVec3::ZERO, centered);
    Isometry::new(goal - rotation * point, rotation)
}

/// The orientation that a goal asks of the body, if one does.
fn requested_rotation(problem: &Problem, layout: &Layout, body: &Body) -> Option<DQuat> {
    layout.pulls[body.pulls.clone()].iter().find_map(|pull| {
        let Source::Goal(k) = pull.source else { return None };
        let goal = &problem.goals[layout.goals[k].index];
        let rotation = goal.asked_rotation()?;
        Some((rotation * pull.local.rotation.conjugate()).normalize())
    })
}

/// Coordinates of a free joint whose frame should be `desired`.
pub(crate) fn free(rest: Isometry, desired: Isometry) -> Coordinates {
    Coordinates::free(rest.local(desired.position), (rest.rotation.conjugate() * desired.rotation).normalize())
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
