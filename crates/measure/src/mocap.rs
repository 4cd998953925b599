//! Motion capture put together again from few markers: the experiment of the 2011 paper's table 2.
//!
//! Of each frame only the ends are told: head, hands and feet, and where the root is if it can be anywhere. The pose is solved from those, and
//! every joint is compared with where it was recorded.

use crate::sample::Sample;
use crate::table::{Row, Table};
use fabrik3d_ik::{Coordinates, Effector, Goal, Kind, Pose, Problem, Settings, Skeleton, Solver};
use fabrik3d_scene::body_part;
use fabrik3d_scene::{Motion, Scene};
use glam::DVec3;

/// From which pose each frame is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// The rest pose, at the recorded place of the root.
    Rest,
    /// The solved pose of the frame before.
    Previous,
}

impl Start {
    /// In words, for titles.
    pub fn words(self) -> &'static str {
        match self {
            Start::Rest => "each frame from rest",
            Start::Previous => "each frame from the one before",
        }
    }
}

/// How the experiment is run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Experiment {
    /// Every how many frames one is taken; at least 1.
    pub step: usize,
    /// Where each solve starts.
    pub start: Start,
    /// Metres that one unit of the file is, where that is known; errors are in millimetres then.
    pub unit: Option<f64>,
    /// Tolerances and bounds.
    pub settings: Settings,
}

/// Runs the experiment on a recorded motion: a row for each joint that is asked for, the median over all of them last.
/// Errors are distances; without a known unit also fractions of the figure's height.
pub fn reconstruct(scene: &Scene, motion: &Motion, experiment: &Experiment) -> Table {
    let skeleton = &scene.skeleton;
    let ends = ends(scene);
    let told: Vec<usize> = ends.iter().map(|end| end.joint).collect();
    let height = height(scene);
    let mut errors: Vec<Vec<f64>> = vec![Vec::new(); skeleton.len()];
    let mut of_ends = Vec::new();
    let mut pose = skeleton.rest_pose();
    for frame in (0..motion.len()).step_by(experiment.step.max(1)) {
        let recorded = motion.pose(skeleton, frame);
        if experiment.start == Start::Rest {
            pose = skeleton.rest_pose();
        }
        keep_roots(skeleton, &recorded, &mut pose);
        let there = skeleton.frames(&recorded);
        let goals = ends.iter().map(|&end| Goal::new(end, there[end.joint].point(end.tip))).collect();
        let problem = Problem { goals, ..Problem::default() };
        let _report = Solver::new(skeleton).problem(problem).settings(experiment.settings).solve(&mut pose);
        keep_roots(skeleton, &recorded, &mut pose);
        let here = skeleton.frames(&pose);
        for (joint, list) in errors.iter_mut().enumerate() {
            list.push(here[joint].position.distance(there[joint].position));
        }
        of_ends.extend(ends.iter().map(|end| here[end.joint].point(end.tip).distance(there[end.joint].point(end.tip))));
    }
    let mut table = Table::new(format!("{}: poses from {} ends", scene.name, ends.len()))
        .note("Distance of each joint between the root and the ends from its recorded place; root and ends are given.")
        .note("Joints that rest at one point count once, and none that rests at the root or an end.");
    let mut push = |subject: &str, numbers: Vec<f64>| {
        let sample = Sample::new(numbers);
        for (quantity, value) in [("median", sample.median()), ("95 %", sample.percentile(95.0))] {
            let (shown, unit) = match experiment.unit {
                Some(unit) => (value * unit * 1000.0, "mm"),
                None => (value, "units"),
            };
            table.push(Row::new(subject, shown, unit).quantity(quantity));
            if experiment.unit.is_none() {
                table.push(Row::new(subject, 100.0 * value / height, "% of height").quantity(quantity));
            }
        }
    };
    let inner = asked(skeleton, &told, 1e-6 * height);
    inner.iter().for_each(|&joint| push(&skeleton.joints()[joint].name, errors[joint].clone()));
    push("the ends", of_ends);
    push("all joints", inner.iter().flat_map(|&joint| errors[joint].iter().copied()).collect());
    table
}

/// The joints whose places are asked for: those between the root and the ends, each point once.
fn asked(skeleton: &Skeleton, told: &[usize], same: f64) -> Vec<usize> {
    let frames = skeleton.frames(&skeleton.rest_pose());
    let parent = |joint: usize| skeleton.joints()[joint].parent;
    let above = |joint: usize| skeleton.ancestors(joint).skip(1);
    let roots = (0..skeleton.len()).filter(|&joint| parent(joint).is_none());
    let given: Vec<usize> = roots.chain(told.iter().copied()).collect();
    let mut asked: Vec<usize> = Vec::new();
    for joint in 0..skeleton.len() {
        let between = told.iter().any(|&end| above(end).any(|at| at == joint));
        let here = frames[joint].position;
        let known = |&other: &usize| frames[other].position.distance(here) <= same;
        // What hangs on a free root is given with it.
        let rigid = parent(joint).is_some_and(|root| skeleton.joints()[root].kind == Kind::Free);
        if between && !rigid && !given.iter().any(known) && !asked.iter().any(known) {
            asked.push(joint);
        }
    }
    asked
}

/// The joints that are told: head, hands and feet, by their names; all effectors where the names do not say.
fn ends(scene: &Scene) -> Vec<Effector> {
    const ENDS: [&str; 5] = ["head", "left hand", "right hand", "left foot", "right foot"];
    let joints = scene.skeleton.joints();
    let named = |end: &str| joints.iter().position(|joint| body_part(&joint.name) == end);
    let found: Vec<usize> = ENDS.iter().filter_map(|end| named(end)).collect();
    let end = |joint: usize, tip: DVec3| {
        // A free root is given; everything below it moves.
        let chain: Vec<usize> = scene.skeleton.ancestors(joint).collect();
        let free = chain.last().is_some_and(|&root| joints[root].kind == Kind::Free);
        Effector { joint, tip, chain_length: (free && chain.len() > 1).then(|| chain.len() - 1) }
    };
    match found.len() {
        5 => found.into_iter().map(|joint| end(joint, DVec3::ZERO)).collect(),
        _ => scene.effectors.iter().map(|effector| end(effector.effector.joint, effector.effector.tip)).collect(),
    }
}

/// Puts the roots that are free where they were recorded.
fn keep_roots(skeleton: &Skeleton, recorded: &Pose, pose: &mut [Coordinates]) {
    let roots =
        skeleton.joints().iter().enumerate().filter(|(_, joint)| joint.parent.is_none() && joint.kind == Kind::Free);
    roots.for_each(|(at, _)| pose[at] = recorded[at]);
}

/// Extent of the figure at rest along its up axis; of a figure without height, its largest extent.
fn height(scene: &Scene) -> f64 {
    let frames = scene.skeleton.frames(&scene.skeleton.rest_pose());
    let (mut low, mut high) = (frames[0].position, frames[0].position);
    for effector in &scene.effectors {
        let tip = frames[effector.effector.joint].point(effector.effector.tip);
        (low, high) = (low.min(tip), high.max(tip));
    }
    for frame in &frames {
        (low, high) = (low.min(frame.position), high.max(frame.position));
    }
    let extent = high - low;
    let height = extent.dot(scene.up.axis());
    if height > 0.0 { height } else { extent.max_element().max(f64::MIN_POSITIVE) }
}
