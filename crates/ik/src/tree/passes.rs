//! The two reaching passes of FABRIK on a skeleton.
//!
//! Backward, leaves to root: each body moves to where the points that it carries should be. The desired frames may
//! break joints apart and violate limits. Forward, root to leaves: each joint takes the coordinate inside its limits
//! that brings its body nearest to the desired frames. Lengths and limits then hold again.
//!
//! Based on A. Aristidou, J. Lasenby, "FABRIK" (2011), sections 4 and 5. A sub-base is fitted to its branches as a
//! rigid body rather than only moved to their centroid, because its children keep their distances.

use crate::layout::{Body, BodyPull, Layout, Source, make_room};
use crate::model::{Axes, Coordinates, Isometry, Kind, Problem, resisted};
use crate::tasks::Objective;
use crate::tree::joint_fit::{Pull, fit_joint, fit_rotation};
use glam::{DQuat, DVec3};

/// Weight of the present position of a sub-base's origin, as a ratio of the total weight of its pulls.
const SUB_BASE_INERTIA: f64 = 0.3;

/// Weight of the desired orientation of a hinge's body, as a ratio of the total weight of its points.
const HINGE_ROTATION_RATIO: f64 = 0.2;

/// Buffers of the passes, one entry per joint.
#[derive(Clone, Debug, Default)]
pub(crate) struct Passes {
    /// The desired frames of the last backward pass.
    pub desired: Vec<Isometry>,
    /// Frames before the forward pass: the positions of the two ends of each loop.
    before: Vec<Isometry>,
    /// Weight with which each body pulls on its parent: the sum of the weights of its own pulls.
    weights: Vec<f64>,
    pulls: Vec<Pull>,
    centered: Vec<Pull>,
}

impl Passes {
    /// Makes room for the passes of a layout of this number of joints.
    pub fn reserve(&mut self, layout: &Layout, joints: usize) {
        make_room(&mut self.desired, joints);
        make_room(&mut self.before, joints);
        make_room(&mut self.weights, joints);
        // Besides its pulls, a body has three for its orientation, or one that holds its origin.
        let most = layout.bodies.iter().map(|body| body.pulls.len() + 3).max().unwrap_or_default();
        make_room(&mut self.pulls, most);
        make_room(&mut self.centered, most);
    }

    /// Backward reaching, leaves to root, from the pose whose frames are `frames`: fills `desired`.
    pub fn backward(&mut self, objective: &Objective, pose: &[Coordinates], frames: &[Isometry]) {
        let Objective { skeleton, problem, layout, .. } = *objective;
        frames.clone_into(&mut self.desired);
        self.weights.clear();
        self.weights.resize(skeleton.len(), 0.0);
        for body in layout.bodies.iter().rev() {
            self.collect_pulls(objective, body, pose, frames);
            self.weights[body.joint] = layout.pulls[body.pulls.clone()]
                .iter()
                .map(|pull| self.weight(objective, pull.source))
                .fold(0.0, |sum, weight| sum + weight);
            let desired = self.fit_body(objective, body, pose, frames);
            self.desired[body.joint] = pushed_out(problem, desired);
        }
        // Fixed joints and joints without pulls move along with their parents.
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

    /// Forward reaching, root to leaves: moves `pose` and `frames` toward the desired frames of the last backward pass.
    pub fn forward(&mut self, objective: &Objective, pose: &mut [Coordinates], frames: &mut [Isometry]) {
        let Objective { skeleton, problem, layout, .. } = *objective;
        frames.clone_into(&mut self.before);
        let mut bodies = layout.bodies.iter().peekable();
        for &i in &layout.order {
            let rest = skeleton.rest_frame_in(i, problem.base, frames);
            if let Some(body) = bodies.next_if(|body| body.joint == i) {
                pose[i] = match (skeleton.joints()[i].mimic, skeleton.kind(i)) {
                    (Some(mimic), _) => mimic.follow(pose[mimic.joint]),
                    (None, Kind::Free) => resisted(skeleton, i, &pose[i], free_coordinates(rest, self.desired[i]), 1),
                    (None, kind) => {
                        let fitted = self.fit_body_joint(objective, body, rest, kind, pose);
                        resisted(skeleton, i, &pose[i], fitted, 1)
                    }
                };
            }
            frames[i] = skeleton.kind(i).frame(rest, &pose[i]);
        }
        if layout.has_followers {
            skeleton.follow(pose);
            objective.update_frames(pose, frames);
        }
    }

    /// The coordinate of a joint that fits its body best to what pulls on it.
    fn fit_body_joint(
        &mut self,
        objective: &Objective,
        body: &Body,
        rest: Isometry,
        kind: &Kind,
        pose: &[Coordinates],
    ) -> Coordinates {
        let before = std::mem::take(&mut self.before);
        self.collect_pulls(objective, body, pose, &before);
        self.before = before;
        let now = &pose[body.joint];
        // A ball starts from the desired orientation of its body. A hinge is pulled toward it as far as the points
        // leave freedom.
        let requested = requested_rotation(objective, body, &self.before);
        let desired = self.desired[body.joint].rotation;
        let orientation = match (kind, requested) {
            (Kind::Slide { .. }, _) | (Kind::Ball { .. }, None) => None,
            (_, Some(rotation)) => Some((rotation, 1.0)),
            (_, None) => Some((desired, HINGE_ROTATION_RATIO)),
        };
        let start = requested.unwrap_or(desired);
        if let Some((rotation, ratio)) = orientation {
            let squared = self.pulls.iter().map(|pull| pull.point.length_squared()).fold(0.0, f64::max);
            let arm = squared.max(1e-6 * objective.layout.length * objective.layout.length).sqrt();
            let weight = self.pulls.iter().map(|pull| pull.weight).sum::<f64>().max(1e-9) * ratio;
            for axis in DVec3::AXES {
                let goal = rest.position + rotation * (axis * arm);
                self.pulls.push(Pull { point: axis * arm, goal, weight });
            }
        }
        if self.pulls.is_empty() { *now } else { fit_joint(kind, rest, now, start, &self.pulls) }
    }

    /// Collects the pulls on a body: goals, the desired positions of its children, and the midpoints of open loops.
    fn collect_pulls(&mut self, objective: &Objective, body: &Body, pose: &[Coordinates], frames: &[Isometry]) {
        let Objective { skeleton, problem, layout, .. } = *objective;
        self.pulls.clear();
        for pull in &layout.pulls[body.pulls.clone()] {
            let weight = self.weight(objective, pull.source);
            let (point, goal) = match pull.source {
                Source::Goal(k) => {
                    let goal = &problem.goals[layout.goals[k].index];
                    let Some(position) = goal.nearest_position(frames[goal.effector.joint]) else { continue };
                    (pull.local.point(goal.effector.tip), position)
                }
                Source::LoopEnd(k, side) => {
                    let [a, b] = [0, 1].map(|side| layout.loops[k].ends[side].end);
                    let middle = (frames[a.joint].point(a.point) + frames[b.joint].point(b.point)) * 0.5;
                    (pull.local.point(layout.loops[k].ends[side].end.point), middle)
                }
                Source::Body(child) => {
                    let point = match skeleton.kind(child) {
                        Kind::Slide { axis, .. } => pull.local.point(*axis * pose[child].value()),
                        _ => pull.local.position,
                    };
                    (point, self.desired[child].position)
                }
            };
            if weight > 0.0 {
                self.pulls.push(Pull { point, goal, weight });
            }
        }
    }

    fn weight(&self, objective: &Objective, source: Source) -> f64 {
        match source {
            Source::Goal(k) => {
                let goal = &objective.problem.goals[objective.layout.goals[k].index];
                if goal.requested_position().is_some() { goal.weight } else { goal.rotation_weight }
            }
            Source::LoopEnd(..) => 1.0,
            Source::Body(child) => self.weights[child],
        }
    }

    /// The desired frame of a body, given its collected pulls and the present frames.
    fn fit_body(&mut self, objective: &Objective, body: &Body, pose: &[Coordinates], frames: &[Isometry]) -> Isometry {
        let frame = frames[body.joint];
        let pulls = &self.pulls[..];
        let total: f64 = pulls.iter().map(|pull| pull.weight).sum();
        if let Some(rotation) = requested_rotation(objective, body, frames) {
            let sum = pulls.iter().map(|pull| (pull.goal - rotation * pull.point) * pull.weight).sum::<DVec3>();
            let position = if total > 0.0 { sum / total } else { frame.position };
            return Isometry::new(position, rotation);
        }
        match pulls {
            [] => frame,
            [pull] => {
                // The pulled point goes to its goal; the origin follows it like a point on a rope.
                let origin = Pull { point: -pull.point, goal: frame.position, weight: 1.0 };
                let rotation = fit_rotation(frame.rotation, pull.goal, &[origin]);
                let rotation = self.fit_to_child(objective, body, pose, frame, rotation).unwrap_or(rotation);
                Isometry::new(pull.goal - rotation * pull.point, rotation)
            }
            _ => fit_rigid_body(frame, pulls, total, &mut self.centered),
        }
    }

    /// The orientation nearest to `rotation` that the joint to the only child allows if the child has its desired
    /// frame. `None` if the body has other pulls, or if that joint allows all orientations.
    fn fit_to_child(
        &self,
        objective: &Objective,
        body: &Body,
        pose: &[Coordinates],
        frame: Isometry,
        rotation: DQuat,
    ) -> Option<DQuat> {
        let Objective { skeleton, layout, .. } = *objective;
        let [BodyPull { source: Source::Body(child), local }] = layout.pulls[body.pulls.clone()] else { return None };
        if skeleton.joints()[child].axes == Axes::World {
            return None;
        }
        let desired = self.desired[child];
        let relative = ((rotation * local.rotation).conjugate() * desired.rotation).normalize();
        let kind = skeleton.kind(child);
        let coordinates = match *kind {
            // The position of a child at the origin does not determine a coordinate: it keeps its value and the body
            // turns with it.
            _ if local.position.length_squared() < 1e-18 * layout.length * layout.length => pose[child],
            Kind::Hinge { axis, range } => {
                // Seen from the child, the body turns the other way round. The best angle brings its origin nearest to
                // where it is.
                let mirrored = Kind::Hinge { axis: -axis, range };
                let origin = Pull { point: local.local(DVec3::ZERO), goal: frame.position, weight: 1.0 };
                if origin.point.cross(axis).length_squared() > 1e-12 * layout.length * layout.length {
                    fit_joint(&mirrored, desired, &pose[child], desired.rotation, &[origin])
                } else {
                    kind.coordinates_of(relative)
                }
            }
            Kind::Ball { swing: None, twist: None } => return None,
            Kind::Ball { .. } => kind.coordinates_of(relative),
            Kind::Slide { .. } | Kind::Fixed => Coordinates::default(),
            Kind::Free => return None,
        };
        let turn = local.rotation * kind.rotation(&coordinates);
        Some((desired.rotation * turn.conjugate()).normalize())
    }
}

/// The frame of a sub-base as a rigid body: its points near their goals, its origin lightly held where it is.
pub(crate) fn fit_rigid_body(frame: Isometry, pulls: &[Pull], total: f64, centered: &mut Vec<Pull>) -> Isometry {
    let origin = Pull { point: DVec3::ZERO, goal: frame.position, weight: SUB_BASE_INERTIA * total };
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

/// The orientation of the body that a goal requests, if one does: of all that it accepts, the nearest one.
fn requested_rotation(objective: &Objective, body: &Body, frames: &[Isometry]) -> Option<DQuat> {
    let Objective { problem, layout, .. } = *objective;
    layout.pulls[body.pulls.clone()].iter().find_map(|pull| {
        let Source::Goal(k) = pull.source else { return None };
        let goal = &problem.goals[layout.goals[k].index];
        let rotation = goal.nearest_rotation(frames[goal.effector.joint])?;
        Some((rotation * pull.local.rotation.conjugate()).normalize())
    })
}

/// The coordinates of a free joint with the frame `desired`.
pub(crate) fn free_coordinates(rest: Isometry, desired: Isometry) -> Coordinates {
    Coordinates::free(rest.local(desired.position), (rest.rotation.conjugate() * desired.rotation).normalize())
}

/// The frame moved out of the obstacles that contain its origin.
fn pushed_out(problem: &Problem, frame: Isometry) -> Isometry {
    let mut position = frame.position;
    for obstacle in problem.obstacles.iter() {
        let contact = obstacle.contact(position, position);
        position += contact.normal * (contact.depth + problem.link_radius).max(0.0);
    }
    Isometry { position, ..frame }
}
