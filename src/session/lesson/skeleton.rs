//! Records the solve of a skeleton: the reaching passes, one by one, and the refinement.

use super::figure::{Freedom, LessonFigure};
use super::recorder::Recorder;
use super::recording::LessonRecording;
use fabrik3d_ik::fabrik::observer::SolveEvent;
use fabrik3d_ik::figures::Figure;
use fabrik3d_ik::goals::Attachment;
use fabrik3d_ik::queries::at_limits;
use fabrik3d_ik::settings::Method;
use fabrik3d_ik::{Coordinates, Isometry, Kind, Problem, Settings, Skeleton, Solver};
use glam::DVec3;
use std::collections::HashSet;
use std::num::NonZeroU32;
use std::sync::Arc;

/// Most iterations of a lesson.
const MAX_ITERATIONS: NonZeroU32 = NonZeroU32::new(100).unwrap();
/// Joints that are closer than this fraction of the reach share a node.
const SAME_PLACE: f64 = 1e-9;
/// What an obstacle has pushed out is at the clearance of the links from its surface, to within this fraction of the reach.
const TOUCHING: f64 = 1e-9;
/// Largest distance from its limit at which a joint counts as being at the limit, radians or lengths.
const AT_LIMIT: f64 = 1e-6;

impl LessonFigure {
    /// The figure that is solved, as a lesson shows it. Joints at the same position share a node. Tips and loop ends have their own nodes.
    fn of_solved(
        skeleton: &Skeleton,
        solved: &Figure,
        problem: &Problem,
        names: &[String],
        start: &[Isometry],
    ) -> Self {
        let problem = &in_whole(solved, problem);
        let effectors = || problem.goals.iter().map(|goal| &goal.effector);
        let scales = effectors().map(|effector| effector.error_scale(skeleton, effectors()));
        let mut figure = LessonFigure { reach: scales.fold(0.0, f64::max), ..LessonFigure::default() };
        let least = SAME_PLACE * figure.reach;
        let mut of_joint = vec![None; skeleton.len()];
        // The immovable joints that it depends on are shown too: they are its ground.
        let ties = problem.loops.iter().flat_map(|(a, b)| [a.joint, b.joint]);
        for joint in skeleton.joints_with_supports(solved.joints(), ties) {
            let parent = skeleton.joints()[joint].parent.and_then(|parent| of_joint[parent]);
            of_joint[joint] = Some(figure.add(skeleton, joint, parent, start));
        }
        let mut taken: HashSet<String> = figure.names.iter().cloned().collect();
        for (a, b) in &problem.loops {
            let [a, b] = [a, b].map(|end| {
                let name = format!("tied point of {}", skeleton.joints()[end.joint].name);
                figure.node_at(*end, &of_joint, least, &name, &mut taken)
            });
            if let (Some(a), Some(b)) = (a, b) {
                figure.ties.push((a, b));
            }
        }
        for goal in problem.goals.iter().filter(|goal| goal.requests_orientation()) {
            let carrier = skeleton.ancestors(goal.effector.joint).find(|&joint| skeleton.kind(joint).can_move());
            figure.oriented.extend(carrier.and_then(|joint| of_joint[joint]));
        }
        for (goal, name) in problem.goals.iter().zip(names) {
            let Some(target) = goal.target.position else { continue };
            let tip = Attachment { joint: goal.effector.joint, point: goal.effector.tip };
            if let Some(node) = figure.node_at(tip, &of_joint, least, name, &mut taken) {
                figure.goals.push((node, target));
                figure.rename(node, name, &mut taken);
            }
        }
        figure
    }

    /// Adds a joint, with a node of its own unless it is at the place of its parent's. Returns its node.
    fn add(&mut self, skeleton: &Skeleton, joint: usize, parent: Option<usize>, start: &[Isometry]) -> usize {
        let (own, kind) = (&skeleton.joints()[joint], skeleton.kind(joint));
        let length = parent.map_or(0.0, |parent: usize| {
            let parent = self.points[parent];
            start[joint].position.distance(start[parent.joint].point(parent.point))
        });
        let is_slide = matches!(kind, Kind::Slide { .. });
        let node = match parent.filter(|_| length <= SAME_PLACE * self.reach && !is_slide) {
            Some(shared) => {
                self.join(shared, &own.name, kind);
                shared
            }
            None => {
                let node = self.len();
                self.push(own.name.clone(), parent, length, Freedom::of(kind));
                self.points.push(Attachment { joint, point: DVec3::ZERO });
                self.immovable[node] = *kind == Kind::Fixed && parent.is_none_or(|parent| self.immovable[parent]);
                if *kind == Kind::Free {
                    self.floating.push(node);
                }
                if is_slide {
                    self.sliding.push(node);
                }
                node
            }
        };
        self.joints.push((joint, node));
        if own.stiffness > 0.0 && !self.stiff.contains(&node) {
            self.stiff.push(node);
        }
        node
    }

    /// Adds a joint to the node at the same position. The node has the name of the joint that can turn.
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

    /// Gives a fixed joint at the end of a branch the name of its effector: robots have many with technical names.
    fn rename(&mut self, node: usize, effector: &str, taken: &mut HashSet<String>) {
        let is_end = self.children(node).next().is_none() && self.freedoms[node] == Freedom::Rigid;
        if is_end && !self.sliding.contains(&node) && taken.insert(effector.to_owned()) {
            taken.remove(&std::mem::replace(&mut self.names[node], effector.to_owned()));
        }
    }

    /// The node of a point on a joint: that of the joint, or a new one.
    fn node_at(
        &mut self,
        at: Attachment,
        of_joint: &[Option<usize>],
        least: f64,
        name: &str,
        taken: &mut HashSet<String>,
    ) -> Option<usize> {
        let joint = of_joint[at.joint]?;
        if at.point.length() <= least {
            return Some(joint);
        }
        // An effector may have the name of a joint.
        let name = if taken.contains(name) { format!("{name} tip") } else { name.to_owned() };
        taken.insert(name.clone());
        self.push(name, Some(joint), at.point.length(), Freedom::Rigid);
        self.points.push(at);
        Some(self.len() - 1)
    }

    /// Its joints that are at a limit.
    fn limited(&self, skeleton: &Skeleton, pose: &[Coordinates]) -> Vec<usize> {
        let joints = self.joints.iter().map(|&(joint, _)| joint);
        let at_limits: Vec<usize> = at_limits(skeleton, pose, AT_LIMIT).into_iter().map(|limit| limit.joint).collect();
        joints.filter(|joint| at_limits.binary_search(joint).is_ok()).collect()
    }

    /// Its nodes that the obstacles have pushed out in a backward pass: those at the clearance from a surface.
    fn pushed(&self, problem: &Problem, points: &[DVec3]) -> Vec<usize> {
        let slack = TOUCHING * self.reach;
        let touches = |point: DVec3| {
            problem.obstacles.iter().any(|obstacle| (obstacle.depth(point) + problem.link_radius).abs() <= slack)
        };
        (0..self.len()).filter(|&node| !self.immovable[node] && touches(points[node])).collect()
    }

    /// The frames of its joints, from those of the whole skeleton.
    fn own(&self, frames: &[Isometry]) -> Vec<Isometry> {
        self.joints.iter().map(|&(joint, _)| frames[joint]).collect()
    }
}

/// The problem of a figure, with the numbers that its joints have in the whole skeleton.
fn in_whole(figure: &Figure, own: &Problem) -> Problem {
    let mut problem = own.clone();
    problem.goals.iter_mut().for_each(|goal| goal.effector.joint = figure.number(goal.effector.joint));
    let ends = problem.loops.iter_mut().flat_map(|(a, b)| [a, b]);
    ends.for_each(|end| end.joint = figure.number(end.joint));
    problem
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

impl LessonRecording {
    /// Solves a figure of a skeleton from `start`, a pose of that skeleton, and records it. `problem` is in the numbers of
    /// the figure; `names` are the effectors of its goals. None if there is no target position.
    ///
    /// The solver itself reports its moves. The last phase is the solver's result.
    pub fn of_skeleton(
        skeleton: &Skeleton,
        solved: &Figure,
        problem: &Problem,
        names: &[String],
        settings: &Settings,
        start: &[Coordinates],
    ) -> Option<LessonRecording> {
        let first = skeleton.frames_at(problem.base, start);
        let figure = LessonFigure::of_solved(skeleton, solved, problem, names, &first);
        if figure.goals.is_empty() || figure.reach <= 0.0 {
            return None;
        }
        // Methods for chains do not apply to skeletons.
        let method = if settings.method.is_for_chains_only() { Method::Accelerated } else { settings.method };
        let max_iterations = settings.max_iterations.min(MAX_ITERATIONS);
        let settings = &Settings { method, max_iterations, ..*settings };
        let mut recorder = Recorder::new(figure.clone(), &figure.places(&first));
        recorder.last().frames = figure.own(&first);
        recorder.last().limited = figure.limited(skeleton, start);
        let mut whole = start.to_vec();
        let mut solver = Solver::new(Arc::clone(solved.skeleton())).problem(problem.clone()).settings(*settings);
        let report = solver.solve_observed(&mut solved.pose(start), |step, frames, pose| {
            solved.write(pose, &mut whole);
            let mut all = skeleton.frames_at(problem.base, &whole);
            solved.write(frames, &mut all);
            let points = figure.places(&all);
            if step == SolveEvent::Refine && recorder.last().points == points {
                return;
            }
            recorder.add(Some(step), points);
            let phase = recorder.last();
            phase.frames = figure.own(&all);
            // After a backward pass the joints are disconnected and have no valid coordinates.
            match phase.is_backward() {
                true => phase.pushed = figure.pushed(problem, &phase.points),
                false => phase.limited = figure.limited(skeleton, &whole),
            }
        });
        Some(recorder.finish(report, settings))
    }
}
