//! Robot arms, by TRAC-IK's benchmark protocol.
//!
//! The targets are the positions and orientations of the tip in random poses inside the limits. Each solve starts in
//! the middle of all ranges and must reach 1e-5 metres and radians within 5 ms. Source: P. Beeson and B. Ames,
//! *TRAC-IK: an open-source library for improved solving of generic inverse kinematics*, Humanoids 2015, and the table
//! in its `README`.

use crate::table::Table;
use crate::timing::{Clock, Sample};
use fabrik3d_ik::errors::SkeletonError;
use fabrik3d_ik::queries::{goal_errors, worst_violation};
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Coordinates, Effector, Isometry, Joint, Kind, Pose, Settings, Skeleton, Solver, Target};
use fabrik3d_scene::Scene;
use std::num::NonZeroU32;
use std::time::Duration;

/// Parameters of the protocol.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Protocol {
    /// Number of poses.
    pub problems: usize,
    /// Seed of the poses.
    pub seed: u64,
    /// Distance (in the robot's unit of length) and angle (radians) that count as solved.
    pub tolerance: f64,
    /// Time limit of a solve.
    pub time_limit: Duration,
}

impl Default for Protocol {
    fn default() -> Self {
        Protocol { problems: 10_000, seed: 1, tolerance: 1e-5, time_limit: Duration::from_millis(5) }
    }
}

/// The result of one arm.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ArmResult {
    /// Joints that move the tip.
    pub joints: usize,
    /// Problems solved within the time limit.
    pub solved: usize,
    /// Problems solved after the time limit.
    pub late: usize,
    /// Problems not solved.
    pub missed: usize,
    /// Time of each problem, microseconds. Problems not solved in time count with the time limit.
    pub micros: Sample,
    /// Start poses tried, over all problems.
    pub attempts: u64,
    /// Largest position error of a solve that reported success.
    pub distance: f64,
    /// Largest orientation error of a solve that reported success, radians.
    pub angle: f64,
    /// Worst limit violation in any returned pose.
    pub violation: f64,
}

/// Large enough to exhaust any sensible time limit.
const ATTEMPTS: NonZeroU32 = NonZeroU32::new(1000).unwrap();

/// The table in TRAC-IK's `README`, version 1.5.1: parts of robot names, problems solved (percent), mean time
/// (milliseconds).
const PRINTED: [(&[&str], f64, f64); 8] = [
    (&["ur5"], 99.17, 0.37),
    (&["ur10"], 99.33, 0.36),
    (&["panda"], 99.88, 0.37),
    (&["pr2"], 99.96, 0.31),
    (&["baxter"], 99.83, 0.37),
    (&["jaco", "j2s6s", "kinova"], 99.92, 0.35),
    (&["iiwa"], 99.92, 0.28),
    (&["fetch"], 99.98, 0.24),
];

/// What TRAC-IK's authors report for a robot with this name, on their machine: problems solved (percent), mean time of a
/// solve (microseconds).
fn printed_by_trac_ik(name: &str) -> Option<[f64; 2]> {
    let name = name.to_lowercase();
    let row = PRINTED.iter().find(|(known, ..)| known.iter().any(|known| name.contains(known)));
    row.map(|&(_, solved, millis)| [solved, 1e3 * millis])
}

/// The arms of a robot: those of the given tips that it has. No tips: all effectors with a target when the scene opens.
pub fn arms(scene: &Scene, tips: &[String]) -> Vec<(String, Effector)> {
    let named = |effector: &fabrik3d_scene::SceneEffector| (effector.name.clone(), effector.effector);
    if tips.is_empty() {
        return scene.effectors.iter().filter(|effector| effector.target.position.is_some()).map(named).collect();
    }
    let arm = |tip: &String| {
        let joint = || Some((tip.clone(), Effector::new(scene.find_joint(tip)?, glam::DVec3::ZERO)));
        scene.effector(tip).map(named).or_else(joint)
    };
    tips.iter().filter_map(arm).collect()
}

/// The same robot with all joints up to `base` fixed, so that the arms beyond it are measured alone: TRAC-IK's table counts
/// the arms of PR2 and Fetch without the torso that lifts them.
///
/// # Errors
/// Those of [`Skeleton::new`].
pub fn from_base(skeleton: &Skeleton, base: usize) -> Result<Skeleton, SkeletonError> {
    let still: Vec<usize> = skeleton.ancestors(base).collect();
    let is_still = |at: usize| still.contains(&at);
    let joint = |(at, joint): (usize, &Joint)| match joint.mimic {
        _ if is_still(at) => Joint { kind: Kind::Fixed, mimic: None, ..joint.clone() },
        Some(mimic) if is_still(mimic.joint) => Joint { kind: Kind::Fixed, mimic: None, ..joint.clone() },
        _ => joint.clone(),
    };
    Skeleton::new(skeleton.joints().iter().enumerate().map(joint).collect())
}

/// Runs the protocol on one arm. Calls `progress` with the number of finished problems.
pub fn run(skeleton: &Skeleton, effector: Effector, protocol: &Protocol, progress: &mut dyn FnMut(usize)) -> ArmResult {
    let reach = effector.error_scale(skeleton, []);
    let settings = settings(skeleton, &effector, protocol);
    let moving = skeleton.ancestors(effector.joint).filter(|&joint| skeleton.kind(joint).coordinate_count() > 0);
    let start = mid_range(skeleton);
    let mut solver = Solver::new(skeleton).goal(effector, Target::default()).settings(settings);
    let mut result = ArmResult { joints: moving.count(), ..ArmResult::default() };
    let mut micros = Vec::with_capacity(protocol.problems);
    let mut pose = start.clone();
    for (done, target) in targets(skeleton, &effector, protocol).into_iter().enumerate() {
        solver.set_target(0, target);
        pose.clone_from(&start);
        let mut report = None;
        let time = Clock::Thread.time(|| report = Some(solver.solve(&mut pose)));
        let reached = report.is_some_and(|report| report.stop.is_reached());
        result.attempts += report.map_or(0, |report| u64::from(report.attempts));
        if reached {
            // Measured independently of the report.
            for error in goal_errors(skeleton, &solver.problem, &pose) {
                result.distance = result.distance.max(error.position * reach);
                result.angle = result.angle.max(error.angle);
            }
        }
        result.violation = result.violation.max(worst_violation(skeleton, &pose));
        let in_time = time <= protocol.time_limit;
        *(match (reached, in_time) {
            (true, true) => &mut result.solved,
            (true, false) => &mut result.late,
            (false, _) => &mut result.missed,
        }) += 1;
        micros.push(if reached && in_time { time } else { protocol.time_limit }.as_secs_f64() * 1e6);
        progress(done + 1);
    }
    ArmResult { micros: Sample::new(micros), ..result }
}

/// The settings of the protocol.
pub(crate) fn settings(skeleton: &Skeleton, effector: &Effector, protocol: &Protocol) -> Settings {
    Settings {
        tolerance: protocol.tolerance / effector.error_scale(skeleton, []),
        rotation_tolerance: protocol.tolerance,
        max_attempts: ATTEMPTS,
        ..Settings::default()
    }
}

/// The targets of the protocol: the frames of the tip in random poses inside the limits.
pub(crate) fn targets(skeleton: &Skeleton, effector: &Effector, protocol: &Protocol) -> Vec<Target> {
    let mut random = Random::new(protocol.seed);
    let target = |_| {
        let there = skeleton.frame_of(Isometry::IDENTITY, &skeleton.random_pose(&mut random), effector.joint);
        Target::from((there.point(effector.tip), there.rotation))
    };
    (0..protocol.problems).map(target).collect()
}

/// The table of several arms: names and results.
pub fn table(protocol: &Protocol, rows: &[(String, ArmResult)]) -> Table {
    let mut table = Table::new("robots")
        .note(format!(
            "{} random poses inside the limits each; position and orientation to {:.0e}; start in mid-range; time limit {} ms.",
            protocol.problems,
            protocol.tolerance,
            protocol.time_limit.as_millis()
        ))
        .note("late: solved after the time limit; missed: not solved. Thread times; failures count as the time limit.")
        .note("TRAC-IK: the percentage and the mean time that its authors report for this robot on their machine.");
    for (name, result) in rows {
        let percent = 100.0 * result.solved as f64 / protocol.problems.max(1) as f64;
        let [solved_there, micros_there] = printed_by_trac_ik(name).unwrap_or([f64::NAN; 2]);
        let cells = [
            ("joints", result.joints as f64, ""),
            ("solved", percent, "%"),
            ("TRAC-IK", solved_there, "%"),
            ("late", result.late as f64, ""),
            ("missed", result.missed as f64, ""),
            ("mean", result.micros.mean(), "us"),
            ("TRAC-IK mean", micros_there, "us"),
            ("median", result.micros.median(), "us"),
            ("95 %", result.micros.percentile(95.0), "us"),
            ("99 %", result.micros.percentile(99.0), "us"),
            ("99.9 %", result.micros.percentile(99.9), "us"),
            ("attempts", result.attempts as f64 / protocol.problems.max(1) as f64, ""),
            ("distance", result.distance, ""),
            ("angle", result.angle, "rad"),
            ("violation", result.violation, ""),
        ];
        table.push_line(name, &cells);
    }
    table
}

/// Every joint in the middle of its range, or at rest if it has no range.
pub fn mid_range(skeleton: &Skeleton) -> Pose {
    let mut pose = skeleton.rest_pose();
    for (coordinates, joint) in pose.iter_mut().zip(skeleton.joints()) {
        if let Kind::Hinge { range: Some(range), .. } | Kind::Slide { range: Some(range), .. } = joint.kind {
            *coordinates = Coordinates::scalar(0.5 * (range.low() + range.high()));
        }
    }
    skeleton.follow(&mut pose);
    pose
}
