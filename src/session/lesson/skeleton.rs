//! The reaching passes on a skeleton, as the solver makes them, and what finishes them.

use super::recording::{Act, ActKind, Recording, Tape};
use super::{Figure, Freedom};
use fabrik3d_ik::{
    Attachment, Coordinates, Island, Isometry, Kind, Method, Problem, Settings, Skeleton, SolveEvent as Move, Workspace,
};
use glam::DVec3;

/// Passes of one lesson at most, unless the settings ask for fewer.
const MOST_ITERATIONS: u32 = 100;
/// The default method makes at most this many before its polish, and only while each halves the error.
const MOST_BEFORE_POLISH: u32 = 20;
/// Links shorter than this fraction of the reach join two joints in one node.
const SHORT: f64 = 1e-9;
/// How near to its limit a joint counts as being at it, radians (or lengths of a slide).
const AT_LIMIT: f64 = 1e-6;

impl Figure {
    /// The figure of an island: joints that stand in the same place are one node; tips and tied points have their own.
    fn of_island(
        skeleton: &Skeleton,
        island: &Island,
        problem: &Problem,
        names: &[String],
        start: &[Isometry],
    ) -> Self {
        let goals = problem.goals.iter().map(|goal| goal.effector.reach(skeleton));
        let mut figure = Figure::new(goals.fold(0.0, f64::max));
        let least = SHORT * figure.reach;
        let mut of_joint = vec![None; skeleton.len()];
        for &joint in &island.joints {
            let parent = skeleton.joints()[joint].parent.and_then(|parent| of_joint[parent]);
            let place = start[joint].position;
            let length = parent.map_or(0.0, |parent: usize| {
                let parent = figure.points[parent];
                place.distance(start[parent.joint].point(parent.point))
            });
            let kind = skeleton.kind(joint);
            let is_slide = matches!(kind, Kind::Slide { .. });
            let node = match parent.filter(|_| length <= least && !is_slide) {
                Some(shared) => {
                    figure.join(shared, &skeleton.joints()[joint].name, kind);
                    shared
                }
                None => {
                    let node = figure.len();
                    figure.push(skeleton.joints()[joint].name.clone(), parent, length, Freedom::of(kind));
                    figure.points.push(Attachment { joint, point: DVec3::ZERO });
                    figure.pinned[node] = *kind == Kind::Fixed && parent.is_none_or(|parent| figure.pinned[parent]);
                    if *kind == Kind::Free {
                        figure.floating.push(node);
                    }
                    if is_slide {
                        figure.sliding.push(node);
                    }
                    node
                }
            };
            figure.joints.push((joint, node));
            of_joint[joint] = Some(node);
        }
        for (a, b) in &problem.loops {
            let [a, b] = [a, b].map(|end| {
                let name = format!("tied point of {}", skeleton.joints()[end.joint].name);
                figure.node_at(*end, &of_joint, least, &name)
            });
            if let (Some(a), Some(b)) = (a, b) {
                figure.ties.push((a, b));
            }
        }
        for (goal, name) in problem.goals.iter().zip(names) {
            let Some(target) = goal.target.position else { continue };
            let tip = Attachment { joint: goal.effector.joint, point: goal.effector.tip };
            if let Some(node) = figure.node_at(tip, &of_joint, least, name) {
                figure.goals.push((node, target));
                figure.rename(node, name);
            }
        }
        figure
    }

    /// A joint stands in the same place as a node: what is fixed there lets the other one speak for both.
    fn join(&mut self, node: usize, name: &str, kind: &Kind) {
        let was = self.freedoms[node];
        self.freedoms[node] = match kind {
            Kind::Fixed => was,
            _ if was == Freedom::Rigid && !self.sliding.contains(&node) => {
                self.names[node] = name.to_owned();
                Freedom::of(kind)
            }
            _ => Freedom::Several,
        };
    }

    /// The fixed joint at the end of a limb is its effector, as people know it: robots have many fixed joints, with names
    /// that nobody reads.
    fn rename(&mut self, node: usize, effector: &str) {
        let is_end = self.children(node).next().is_none() && self.freedoms[node] == Freedom::Rigid;
        if is_end && !self.sliding.contains(&node) && !self.names.iter().any(|other| other == effector) {
            self.names[node] = effector.to_owned();
        }
    }

    /// The node of a point on a joint: the joint's own, or a new one.
    fn node_at(&mut self, at: Attachment, of_joint: &[Option<usize>], least: f64, name: &str) -> Option<usize> {
        let joint = of_joint[at.joint]?;
        if at.point.length() <= least {
            return Some(joint);
        }
        // An effector may bear the name of a joint.
        let is_taken = self.names.iter().any(|other| other == name);
        let name = if is_taken { format!("{name} tip") } else { name.to_owned() };
        self.push(name, Some(joint), at.point.length(), Freedom::Rigid);
        self.points.push(at);
        Some(self.len() - 1)
    }

    /// Its joints that rest at a limit.
    fn limited(&self, skeleton: &Skeleton, pose: &[Coordinates]) -> Vec<usize> {
        let joints = self.joints.iter().map(|&(joint, _)| joint);
        joints.filter(|&joint| is_at_limit(skeleton.kind(joint), &pose[joint])).collect()
    }

    /// The frames of its joints among those of the whole skeleton.
    fn own(&self, frames: &[Isometry]) -> Vec<Isometry> {
        self.joints.iter().map(|&(joint, _)| frames[joint]).collect()
    }
}

impl Freedom {
    fn of(kind: &Kind) -> Self {
        match kind {
            Kind::Ball { swing: None, twist: None } | Kind::Free => Freedom::Ball,
            Kind::Ball { .. } => Freedom::Limited,
            Kind::Hinge { .. } => Freedom::Hinge,
            Kind::Slide { .. } | Kind::Fixed => Freedom::Rigid,
        }
    }
}

/// Whether a coordinate lies on the edge of what its joint allows.
fn is_at_limit(kind: &Kind, coordinates: &Coordinates) -> bool {
    let on_edge =
        |value: f64, low: f64, high: f64| low < high && (value - low).abs().min((value - high).abs()) <= AT_LIMIT;
    match kind {
        Kind::Hinge { range: Some(range), .. } | Kind::Slide { range: Some(range), .. } => {
            on_edge(coordinates.value(), range.low(), range.high())
        }
        Kind::Ball { swing, twist } => {
            swing.is_some_and(|swing| swing.fraction(coordinates.tilt()) >= 1.0 - AT_LIMIT)
                || twist.is_some_and(|range| on_edge(coordinates.twist(), range.low(), range.high()))
        }
        _ => false,
    }
}

impl Recording {
    /// Solves an island of a skeleton from `start` and keeps what happened; `names` are those of the problem's goals.
    /// None when nothing asks for a place.
    ///
    /// The passes, or the iterations of another method, are the solver's own, made one by one; by the accelerated method
    /// as many passes as pay before its polish, whose last act is the pose that the whole solve ends in.
    pub fn of_skeleton(
        skeleton: &Skeleton,
        island: &Island,
        problem: &Problem,
        names: &[String],
        settings: &Settings,
        start: &[Coordinates],
    ) -> Option<Recording> {
        let mut pose = start.to_vec();
        let frames = |pose: &[Coordinates]| skeleton.frames_at(problem.base, pose);
        let first = frames(&pose);
        let figure = Figure::of_island(skeleton, island, problem, names, &first);
        if figure.goals.is_empty() || figure.reach <= 0.0 {
            return None;
        }
        // What is made for chains only cannot do anything here.
        let method = if settings.method.is_for_chains_only() { Method::Accelerated } else { settings.method };
        let settings = &Settings { method, ..*settings };
        let mut tape = Tape::new(figure.clone(), &figure.places(&first));
        tape.note(figure.own(&first), figure.limited(skeleton, &pose));
        let mut workspace = Workspace::new(skeleton, problem, island);
        let iterated = settings.method.iterates_skeletons();
        let by_passes = settings.method.has_passes();
        let most = if iterated { MOST_ITERATIONS } else { MOST_BEFORE_POLISH }.min(settings.max_iterations.get());
        let mut error = tape.error();
        for _ in 0..most {
            if error <= settings.tolerance {
                break;
            }
            if !by_passes {
                workspace.iterate_once(skeleton, problem, settings, &mut pose);
                let reached = frames(&pose);
                tape.add(Move::Iteration, figure.places(&reached));
                tape.note(figure.own(&reached), figure.limited(skeleton, &pose));
                error = tape.error();
                continue;
            }
            let wanted = workspace.backward(skeleton, problem, &pose);
            tape.add(Move::Backward { target: figure.goals[0].1 }, figure.places(wanted));
            tape.note(figure.own(wanted), Vec::new());
            workspace.forward(skeleton, problem, &mut pose);
            let reached = frames(&pose);
            tape.add(Move::Forward, figure.places(&reached));
            tape.note(figure.own(&reached), figure.limited(skeleton, &pose));
            let before = std::mem::replace(&mut error, tape.error());
            if !iterated && error > 0.5 * before {
                break;
            }
        }
        let mut solved = start.to_vec();
        let report = workspace.solve(skeleton, problem, settings, &mut solved);
        let last = frames(&solved);
        let points = figure.places(&last);
        if !iterated && tape.last() != points {
            tape.finish(points);
            tape.note(figure.own(&last), figure.limited(skeleton, &solved));
        }
        Some(tape.finished(report, settings))
    }
}

impl Act {
    /// Whether the solver's polish made it.
    pub fn is_polish(&self) -> bool {
        self.kind == ActKind::Polish
    }
}
