//! The reaching passes on a skeleton, as the solver makes them, and what finishes them.

use super::recording::{Act, ActKind, Figure, Recording, Tape};
use crate::ik::{Coordinates, Island, Isometry, Kind, Method, Move, Problem, Settings, Skeleton, Workspace};
use glam::DVec3;

/// Passes of one lesson at most, unless the settings ask for fewer.
const MOST_ITERATIONS: u32 = 100;
/// The default method makes at most this many before its polish, and only while each halves the error.
const MOST_BEFORE_POLISH: u32 = 20;
/// Links shorter than this fraction of the reach join two joints in one node.
const SHORT: f64 = 1e-9;
/// How near to its limit a joint counts as being at it, radians (or lengths of a slide).
const AT_LIMIT: f64 = 1e-6;

/// A point of the figure: a joint's origin, or a point in its frame.
struct Node {
    joint: usize,
    tip: DVec3,
}

/// The nodes of an island: joints that stand in the same place are one.
struct Nodes {
    nodes: Vec<Node>,
    /// Node of each joint of the island, by its index in the skeleton.
    of_joint: Vec<Option<usize>>,
    figure: Figure,
}

impl Nodes {
    fn of(skeleton: &Skeleton, island: &Island, problem: &Problem, names: &[String], start: &[Isometry]) -> Self {
        let goals = problem.goals.iter().map(|goal| skeleton.reach(goal.effector.joint, goal.effector.tip));
        let reach = goals.fold(0.0, f64::max);
        let mut nodes = Vec::new();
        let mut of_joint = vec![None; skeleton.len()];
        let mut figure = Figure {
            names: Vec::new(),
            parents: Vec::new(),
            lengths: Vec::new(),
            sliding: Vec::new(),
            goals: Vec::new(),
            reach,
        };
        for &joint in &island.joints {
            let parent = skeleton.joints()[joint].parent.and_then(|parent| of_joint[parent]);
            let length = parent.map_or(0.0, |parent: usize| {
                let parent: &Node = &nodes[parent];
                start[joint].position.distance(start[parent.joint].point(parent.tip))
            });
            let is_slide = matches!(skeleton.kind(joint), Kind::Slide { .. });
            of_joint[joint] = parent.filter(|_| length <= SHORT * reach && !is_slide).or_else(|| {
                figure.push(skeleton.joints()[joint].name.clone(), parent, length);
                if is_slide {
                    figure.sliding.push(nodes.len());
                }
                nodes.push(Node { joint, tip: DVec3::ZERO });
                Some(nodes.len() - 1)
            });
        }
        for (goal, name) in problem.goals.iter().zip(names) {
            let (joint, tip) = (goal.effector.joint, goal.effector.tip);
            let (Some(target), Some(mut node)) = (goal.target.position, of_joint[joint]) else { continue };
            if tip.length() > SHORT * reach {
                figure.push(name.clone(), Some(node), tip.length());
                nodes.push(Node { joint, tip });
                node = nodes.len() - 1;
            }
            figure.goals.push((node, target));
        }
        Nodes { nodes, of_joint, figure }
    }

    fn points(&self, frames: &[Isometry]) -> Vec<DVec3> {
        self.nodes.iter().map(|node| frames[node.joint].point(node.tip)).collect()
    }

    /// Nodes with a joint that rests at its limit.
    fn limited(&self, skeleton: &Skeleton, pose: &[Coordinates]) -> Vec<usize> {
        let at_limit = |joint: usize| is_at_limit(skeleton.kind(joint), &pose[joint]);
        let joints = self.of_joint.iter().enumerate().filter(|(joint, node)| node.is_some() && at_limit(*joint));
        joints.filter_map(|(_, node)| *node).collect()
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
    /// The passes are the solver's own, made one by one: as many as its textbook method makes, or as pay before the
    /// polish of the others. The last act of those others is the pose that the whole solve ends in.
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
        let nodes = Nodes::of(skeleton, island, problem, names, &frames(&pose));
        if nodes.figure.goals.is_empty() || nodes.figure.reach <= 0.0 {
            return None;
        }
        let mut tape = Tape::new(nodes.figure.clone(), &nodes.points(&frames(&pose)));
        tape.limits(nodes.limited(skeleton, &pose));
        let mut workspace = Workspace::new(skeleton, problem, island);
        let textbook = settings.method == Method::Textbook;
        let most = if textbook { MOST_ITERATIONS } else { MOST_BEFORE_POLISH }.min(settings.max_iterations.get());
        let mut error = tape.error();
        for _ in 0..most {
            if error <= settings.tolerance {
                break;
            }
            let wanted = nodes.points(workspace.backward(skeleton, problem, &pose));
            tape.add(Move::Backward { aim: nodes.figure.goals[0].1 }, wanted);
            workspace.forward(skeleton, problem, &mut pose);
            tape.add(Move::Forward, nodes.points(&frames(&pose)));
            tape.limits(nodes.limited(skeleton, &pose));
            let before = std::mem::replace(&mut error, tape.error());
            if !textbook && error > 0.5 * before {
                break;
            }
        }
        let mut solved = start.to_vec();
        let report = workspace.solve(skeleton, problem, settings, &mut solved);
        let points = nodes.points(&frames(&solved));
        if !textbook && tape.last() != points {
            tape.finish(points);
            tape.limits(nodes.limited(skeleton, &solved));
        }
        Some(Recording { figure: tape.figure, acts: tape.acts, report, tolerance: settings.tolerance })
    }
}

impl Act {
    /// Whether the solver's polish made it.
    pub fn is_polish(&self) -> bool {
        self.kind == ActKind::Polish
    }
}
