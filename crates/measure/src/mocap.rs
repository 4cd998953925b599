//! Reconstruction of motion capture from few markers: the experiment of table 2 of the 2011 paper.
//!
//! The solver is given only the end effectors of each frame (head, hands and feet) and the root if it moves freely.
//! Every other joint is compared with its recorded position.

use crate::table::{Row, Table};
use crate::timing::Sample;
use fabrik3d_ik::{Coordinates, Effector, Goal, Kind, Pose, Skeleton, Solver};
use fabrik3d_scene::{Motion, Scene};
use glam::DVec3;

/// The pose from which each frame is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameStart {
    /// The rest pose, with the root at its recorded position.
    Rest,
    /// The solved pose of the previous frame.
    Previous,
}

impl FrameStart {
    /// Description for titles.
    pub fn words(self) -> &'static str {
        match self {
            FrameStart::Rest => "each frame from rest",
            FrameStart::Previous => "each frame from the one before",
        }
    }
}

/// How the experiment is run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Experiment {
    /// Solve every `step`-th frame; at least 1.
    pub step: usize,
    /// The pose from which each frame is solved.
    pub start: FrameStart,
    /// Metres per unit of the file, if known. Errors are then in millimetres.
    pub unit: Option<f64>,
}

/// Runs the experiment on a recorded motion. The table has a row per compared joint, then one for the ends and one for
/// all joints. Errors are distances; if the unit is unknown, also percentages of the figure's height.
pub fn reconstruct(scene: &Scene, motion: &Motion, experiment: &Experiment) -> Table {
    let skeleton = &scene.skeleton;
    let ends = ends(scene);
    let given: Vec<usize> = ends.iter().map(|end| end.joint).collect();
    let height = height(scene);
    let mut errors: Vec<Vec<f64>> = vec![Vec::new(); skeleton.len()];
    let mut of_ends = Vec::new();
    let mut solver = Solver::new(skeleton.clone());
    let mut pose = skeleton.rest_pose();
    for frame in (0..motion.len()).step_by(experiment.step.max(1)) {
        let recorded = motion.pose(skeleton, frame);
        if experiment.start == FrameStart::Rest {
            pose = skeleton.rest_pose();
        }
        keep_roots(skeleton, &recorded, &mut pose);
        let there = skeleton.frames(&recorded);
        solver.problem.goals = ends.iter().map(|&end| Goal::new(end, there[end.joint].point(end.tip))).collect();
        let _report = solver.solve(&mut pose);
        keep_roots(skeleton, &recorded, &mut pose);
        let here = skeleton.frames(&pose);
        for (joint, list) in errors.iter_mut().enumerate() {
            list.push(here[joint].position.distance(there[joint].position));
        }
        of_ends.extend(ends.iter().map(|end| here[end.joint].point(end.tip).distance(there[end.joint].point(end.tip))));
    }
    let mut table = Table::new(format!("{}, {}", motion.name, experiment.start.words()))
        .note("Distance of each joint between the root and the ends from its recorded position. The root and the ends are given.")
        .note("Joints that coincide at rest count once; joints that rest at the root or an end do not count.");
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
    let inner = compared_joints(skeleton, &given, 1e-6 * height);
    inner.iter().for_each(|&joint| push(&skeleton.joints()[joint].name, errors[joint].clone()));
    push("the ends", of_ends);
    push("all joints", inner.iter().flat_map(|&joint| errors[joint].iter().copied()).collect());
    table
}

/// The joints that are compared: those between the root and the ends. Of joints that rest within `same` of each other,
/// only the first one counts.
fn compared_joints(skeleton: &Skeleton, ends: &[usize], same: f64) -> Vec<usize> {
    let frames = skeleton.frames(&skeleton.rest_pose());
    let parent = |joint: usize| skeleton.joints()[joint].parent;
    let above = |joint: usize| skeleton.ancestors(joint).skip(1);
    let roots = (0..skeleton.len()).filter(|&joint| parent(joint).is_none());
    let given: Vec<usize> = roots.chain(ends.iter().copied()).collect();
    let mut compared: Vec<usize> = Vec::new();
    for joint in 0..skeleton.len() {
        let between = ends.iter().any(|&end| above(end).any(|at| at == joint));
        let here = frames[joint].position;
        let known = |&other: &usize| frames[other].position.distance(here) <= same;
        // A joint attached to a free root is given together with the root.
        let rigid = parent(joint).is_some_and(|root| skeleton.joints()[root].kind == Kind::Free);
        if between && !rigid && !given.iter().any(known) && !compared.iter().any(known) {
            compared.push(joint);
        }
    }
    compared
}

/// The end effectors that the solver is given: head, hands and feet by their names, or all effectors of the scene if
/// names do not identify them.
fn ends(scene: &Scene) -> Vec<Effector> {
    const ENDS: [&str; 5] = ["head", "left hand", "right hand", "left foot", "right foot"];
    let joints = scene.skeleton.joints();
    let named = |end: &str| (0..joints.len()).find(|&joint| scene.body_part(joint) == end);
    let found: Vec<usize> = ENDS.iter().filter_map(|end| named(end)).collect();
    let end = |joint: usize, tip: DVec3| {
        // A free root is given: only the joints below it are solved.
        let chain: Vec<usize> = scene.skeleton.ancestors(joint).collect();
        let free = chain.last().is_some_and(|&root| joints[root].kind == Kind::Free);
        Effector { joint, tip, chain_length: (free && chain.len() > 1).then(|| chain.len() - 1) }
    };
    match found.len() {
        5 => found.into_iter().map(|joint| end(joint, DVec3::ZERO)).collect(),
        _ => scene.effectors.iter().map(|effector| end(effector.effector.joint, effector.effector.tip)).collect(),
    }
}

/// Copies the recorded coordinates of free roots.
fn keep_roots(skeleton: &Skeleton, recorded: &Pose, pose: &mut [Coordinates]) {
    let roots =
        skeleton.joints().iter().enumerate().filter(|(_, joint)| joint.parent.is_none() && joint.kind == Kind::Free);
    roots.for_each(|(at, _)| pose[at] = recorded[at]);
}

/// Extent of the figure at rest along its up axis, or its largest extent if it is flat.
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
