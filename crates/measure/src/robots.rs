//! Robot arms, by TRAC-IK's benchmark protocol.
//!
//! The targets are the positions and orientations of the tip in random poses inside the limits. Each solve starts in
//! the middle of all ranges and must reach 1e-5 metres and radians within 5 ms. Source: P. Beeson and B. Ames,
//! *TRAC-IK: an open-source library for improved solving of generic inverse kinematics*, Humanoids 2015, and the table
//! in its `README`.

use crate::table::Table;
use crate::timing::{Clock, Sample};
use fabrik3d_ik::errors::SkeletonError;
use fabrik3d_ik::goals::Freedom;
use fabrik3d_ik::queries::{goal_errors, worst_violation};
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{
    Coordinates, Effector, Goal, Interval, Isometry, Joint, Kind, Pose, Problem, Report, Settings, Skeleton, Solver,
    Target,
};
use fabrik3d_scene::{Scene, SceneEffector};
use glam::DVec3;
use std::num::NonZeroU32;
use std::sync::Arc;
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

/// Large enough to exhaust any sensible time limit.
const ATTEMPTS: NonZeroU32 = NonZeroU32::new(1000).unwrap();

/// The table in TRAC-IK's `README`, version 1.5.1: parts of robot names, joints of the arm, problems solved (percent), mean
/// time (milliseconds). Its iiwa is the larger one, iiwa 14.
const PRINTED: [(&[&str], usize, f64, f64); 8] = [
    (&["ur5"], 6, 99.17, 0.37),
    (&["ur10"], 6, 99.33, 0.36),
    (&["panda"], 7, 99.88, 0.37),
    (&["pr2"], 7, 99.96, 0.31),
    (&["baxter"], 7, 99.83, 0.37),
    (&["jaco", "j2s6s", "kinova"], 6, 99.92, 0.35),
    (&["iiwa14", "iiwa_14"], 7, 99.92, 0.28),
    (&["fetch"], 7, 99.98, 0.24),
];

/// What TRAC-IK's authors report for an arm with this name and number of joints, on their machine: problems solved (percent),
/// mean time of a solve (microseconds).
fn printed_by_trac_ik(name: &str, joints: usize) -> Option<[f64; 2]> {
    let name = name.to_lowercase();
    let mut rows = PRINTED.iter().filter(|(_, count, ..)| *count == joints);
    let row = rows.find(|(known, ..)| known.iter().any(|known| name.contains(known)));
    row.map(|&(_, _, solved, millis)| [solved, 1e3 * millis])
}

/// An arm to measure.
#[derive(Clone, Debug)]
pub struct Arm {
    /// The name in tables.
    pub name: String,
    /// The robot.
    pub skeleton: Arc<Skeleton>,
    /// The end of the arm.
    pub effector: Effector,
}

impl Arm {
    /// The arms of a robot: those of the given tips that it has. No tips: all effectors with a target when the scene opens.
    pub fn all_of(robot: &str, scene: &Scene, tips: &[String]) -> Vec<Arm> {
        let arm = |tip: &str, effector: Effector| {
            let skeleton = Arc::clone(&scene.skeleton);
            Arm { name: format!("{robot}, {tip}"), skeleton, effector }
        };
        let named = |effector: &SceneEffector| arm(&effector.name, effector.effector);
        if tips.is_empty() {
            return scene.effectors.iter().filter(|effector| effector.target.position.is_some()).map(named).collect();
        }
        let of_tip = |tip: &String| {
            let joint = || Some(arm(tip, Effector::new(scene.find_joint(tip)?, DVec3::ZERO)));
            scene.effector(tip).map(named).or_else(joint)
        };
        tips.iter().filter_map(of_tip).collect()
    }

    pub(crate) fn settings(&self, protocol: &Protocol) -> Settings {
        Settings {
            tolerance: protocol.tolerance / self.effector.error_scale(&self.skeleton, []),
            rotation_tolerance: protocol.tolerance,
            max_attempts: ATTEMPTS,
            ..Settings::default()
        }
    }

    /// The targets of the protocol: the frames of the tip in random poses inside the limits.
    pub(crate) fn targets(&self, protocol: &Protocol) -> Vec<Target> {
        let mut random = Random::new(protocol.seed);
        (0..protocol.problems).map(|_| self.target_at(&self.skeleton.random_pose(&mut random))).collect()
    }

    /// The frame of the tip in a pose.
    pub(crate) fn target_at(&self, pose: &[Coordinates]) -> Target {
        let frame = self.skeleton.frame_of(Isometry::IDENTITY, pose, self.effector.joint);
        Target::from((frame.point(self.effector.tip), frame.rotation))
    }

    pub(crate) fn problem(&self, target: Target, freedom: Freedom) -> Problem {
        let goal = Goal { freedom, ..Goal::new(self.effector, target) };
        Problem { goals: vec![goal], ..Problem::default() }
    }

    /// Whether a joint is a hinge or a slide that follows no other.
    pub(crate) fn leads(&self, joint: usize) -> bool {
        let own = &self.skeleton.joints()[joint];
        own.mimic.is_none() && matches!(own.kind, Kind::Hinge { .. } | Kind::Slide { .. })
    }
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

/// The table of several arms, without lines.
pub fn table(protocol: &Protocol) -> Table {
    Table::new("robots")
        .note(format!(
            "{} random poses inside the limits each; position and orientation to {:.0e}; start in mid-range; time limit {} ms.",
            protocol.problems,
            protocol.tolerance,
            protocol.time_limit.as_millis()
        ))
        .note("late: solved after the time limit; missed: not solved. Thread times; failures count as the time limit.")
        .note("TRAC-IK: the percentage and the mean time that its authors report for this arm on their machine; none if it has other joints.")
}

/// Runs the protocol on one arm and adds its line. Calls `progress` with the number of finished problems.
pub fn push(table: &mut Table, arm: &Arm, protocol: &Protocol, progress: &mut dyn FnMut(usize)) {
    let Arm { name, skeleton, effector } = arm;
    let reach = effector.error_scale(skeleton, []);
    let moving = skeleton.ancestors(effector.joint).filter(|&joint| skeleton.kind(joint).coordinate_count() > 0);
    let start = mid_range(skeleton);
    let solver = Solver::new(skeleton.clone()).goal(*effector, Target::default());
    let mut solver = solver.settings(arm.settings(protocol));
    let (mut solved, mut late, mut missed, mut attempts) = (0, 0, 0, 0);
    // The largest errors of solves that report success, and the worst limit violation of all.
    let (mut distance, mut angle, mut violation) = (0.0_f64, 0.0_f64, 0.0_f64);
    let mut micros = Vec::with_capacity(protocol.problems);
    for (done, target) in arm.targets(protocol).into_iter().enumerate() {
        solver.set_target(0, target);
        let (mut pose, mut report) = (start.clone(), Report::REFUSED);
        let time = Clock::Thread.time(|| report = solver.solve(&mut pose));
        let reached = report.stop.is_reached();
        attempts += report.attempts;
        if reached {
            // Measured independently of the report.
            for error in goal_errors(skeleton, &solver.problem, &pose) {
                distance = distance.max(error.position * reach);
                angle = angle.max(error.angle);
            }
        }
        violation = violation.max(worst_violation(skeleton, &pose));
        let in_time = time <= protocol.time_limit;
        solved += u32::from(reached && in_time);
        late += u32::from(reached && !in_time);
        missed += u32::from(!reached);
        micros.push(if reached && in_time { time } else { protocol.time_limit }.as_secs_f64() * 1e6);
        progress(done + 1);
    }
    let joints = moving.count();
    let [solved_there, micros_there] = printed_by_trac_ik(name, joints).unwrap_or([f64::NAN; 2]);
    let (micros, all) = (Sample::new(micros), protocol.problems.max(1) as f64);
    let cells = [
        ("joints", joints as f64, ""),
        ("solved", 100.0 * f64::from(solved) / all, "%"),
        ("TRAC-IK", solved_there, "%"),
        ("late", f64::from(late), ""),
        ("missed", f64::from(missed), ""),
        ("mean", micros.mean(), "us"),
        ("TRAC-IK mean", micros_there, "us"),
    ];
    table.push_line(name, &cells);
    let percentiles = [("median", 50.0), ("95 %", 95.0), ("99 %", 99.0), ("99.9 %", 99.9)];
    table.push_line(name, &percentiles.map(|(quantity, percent)| (quantity, micros.percentile(percent), "us")));
    let cells = [
        ("attempts", f64::from(attempts) / all, ""),
        ("distance", distance, ""),
        ("angle", angle, "rad"),
        ("violation", violation, ""),
    ];
    table.push_line(name, &cells);
}

/// The range of a hinge or a slide.
pub(crate) fn range_of(kind: &Kind) -> Option<Interval> {
    match *kind {
        Kind::Hinge { range, .. } | Kind::Slide { range, .. } => range,
        _ => None,
    }
}

/// Every joint in the middle of its range, or at rest if it has no range.
pub fn mid_range(skeleton: &Skeleton) -> Pose {
    let mut pose = skeleton.rest_pose();
    for (coordinates, joint) in pose.iter_mut().zip(skeleton.joints()) {
        if let Some(range) = range_of(&joint.kind) {
            *coordinates = Coordinates::scalar(range.middle());
        }
    }
    skeleton.follow(&mut pose);
    pose
}
