//! Robots by the protocol that TRAC-IK is measured with.
//!
//! For each of many random poses inside the limits, the place and orientation of the tip are asked for, starting from
//! the middle of all ranges, to 1e-5 metres and radians, in at most 5 ms. Source: P. Beeson and B. Ames, *TRAC-IK: an
//! open-source library for improved solving of generic inverse kinematics*, Humanoids 2015, and the table of its `README`.

use crate::sample::Sample;
use crate::table::{Row, Table};
use crate::timing::Clock;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{
    Coordinates, Effector, Goal, Kind, Pose, Problem, Settings, Skeleton, Target, Workspace, goal_errors,
    worst_violation,
};
use fabrik3d_scene::Scene;
use std::num::NonZeroU32;
use std::time::Duration;

/// The protocol.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Protocol {
    /// Number of poses.
    pub problems: usize,
    /// Seed of the poses.
    pub seed: u64,
    /// Distance and angle that count as solved, in the robot's unit of length and radians.
    pub tolerance: f64,
    /// Time after which an answer comes too late.
    pub cap: Duration,
}

impl Default for Protocol {
    fn default() -> Self {
        Protocol { problems: 10_000, seed: 1, tolerance: 1e-5, cap: Duration::from_millis(5) }
    }
}

/// What a robot's arm came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Solved {
    /// Joints that move the tip.
    pub joints: usize,
    /// Problems solved in time.
    pub solved: usize,
    /// Problems solved too late.
    pub late: usize,
    /// Problems not solved.
    pub missed: usize,
    /// Time of each problem that was solved in time, and the cap for each other one; microseconds.
    pub micros: Sample,
    /// Starting poses tried, all problems together.
    pub attempts: u64,
    /// Largest distance of a tip said to be there.
    pub distance: f64,
    /// Largest angle of a tip said to be turned right, radians.
    pub angle: f64,
    /// Worst violation of a limit in any pose returned.
    pub violation: f64,
}

/// Attempts that take longer than any cap that makes sense.
const ATTEMPTS: NonZeroU32 = NonZeroU32::new(1000).unwrap();

/// The percentages that TRAC-IK's `README` prints for robots that are known by their names.
const PRINTED: [(&str, f64); 2] = [("ur5", 99.17), ("panda", 99.88)];

/// What TRAC-IK's authors print for a robot of this name.
pub fn printed_by_trac_ik(name: &str) -> Option<f64> {
    let name = name.to_lowercase();
    PRINTED.iter().find(|(known, _)| name.contains(known)).map(|(_, percent)| *percent)
}

/// The arms of a robot: effectors that are asked for when the scene opens, or the one of this name.
pub fn arms(scene: &Scene, tip: Option<&str>) -> Vec<(String, Effector)> {
    let named = |effector: &fabrik3d_scene::SceneEffector| (effector.name.clone(), effector.effector);
    match tip {
        Some(tip) => {
            let effector = scene.effector(tip).map(named);
            let joint = || Some((tip.to_owned(), Effector::new(scene.skeleton.find(tip)?, glam::DVec3::ZERO)));
            effector.or_else(joint).into_iter().collect()
        }
        None => scene.effectors.iter().filter(|effector| effector.target.position.is_some()).map(named).collect(),
    }
}

/// Runs the protocol on one arm; `progress` is told how many problems are done.
pub fn run(skeleton: &Skeleton, effector: Effector, protocol: &Protocol, progress: &mut dyn FnMut(usize)) -> Solved {
    let reach = effector.reach(skeleton);
    let settings = Settings {
        tolerance: protocol.tolerance / reach.max(f64::MIN_POSITIVE),
        rotation_tolerance: protocol.tolerance,
        max_attempts: ATTEMPTS,
        ..Settings::default()
    };
    let moving = skeleton.ancestors(effector.joint).filter(|&joint| skeleton.kind(joint).coordinate_count() > 0);
    let start = mid_range(skeleton);
    let mut random = Random::new(protocol.seed);
    let mut problem = Problem { goals: vec![Goal::new(effector, Target::default())], ..Problem::default() };
    let islands = skeleton.islands([]);
    let of_tip = islands.iter().find(|island| island.joints.contains(&effector.joint));
    let Some(mut workspace) = of_tip.map(|island| Workspace::new(skeleton, &problem, island)) else {
        return Solved::nothing();
    };
    let mut result = Solved { joints: moving.count(), ..Solved::nothing() };
    let mut micros = Vec::with_capacity(protocol.problems);
    let mut pose = start.clone();
    for done in 0..protocol.problems {
        let there = skeleton.frame_of(problem.base, &skeleton.random_pose(&mut random), effector.joint);
        problem.goals[0].target = Target { position: Some(there.point(effector.tip)), rotation: Some(there.rotation) };
        pose.clone_from(&start);
        let mut report = None;
        let time = Clock::Thread.time(|| report = Some(workspace.solve(skeleton, &problem, &settings, &mut pose)));
        let reached = report.is_some_and(|report| report.stop.is_reached());
        result.attempts += report.map_or(0, |report| u64::from(report.attempts));
        if reached {
            // What the report says is not taken on trust.
            for error in goal_errors(skeleton, &problem, &pose) {
                result.distance = result.distance.max(error.position * reach);
                result.angle = result.angle.max(error.angle);
            }
        }
        result.violation = result.violation.max(worst_violation(skeleton, &pose));
        let in_time = time <= protocol.cap;
        *(match (reached, in_time) {
            (true, true) => &mut result.solved,
            (true, false) => &mut result.late,
            (false, _) => &mut result.missed,
        }) += 1;
        micros.push(if reached && in_time { time } else { protocol.cap }.as_secs_f64() * 1e6);
        progress(done + 1);
    }
    Solved { micros: Sample::new(micros), ..result }
}

/// The table of some robots: their names, tips and results.
pub fn table(protocol: &Protocol, rows: &[(String, Solved)]) -> Table {
    let mut table = Table::new("robots")
        .note(format!(
            "{} random poses inside the limits each; place and orientation to {:.0e}; from mid-range; at most {} ms.",
            protocol.problems,
            protocol.tolerance,
            protocol.cap.as_millis()
        ))
        .note("late: solved after that time; missed: not solved. Times are of the thread, the limit for what failed.")
        .note("TRAC-IK: the percentage that its authors print for this robot, on their machine.");
    for (name, result) in rows {
        let percent = 100.0 * result.solved as f64 / protocol.problems.max(1) as f64;
        let mut push = |quantity: &str, value: f64, unit: &str| {
            table.push(Row::new(name, value, unit).quantity(quantity));
        };
        push("joints", result.joints as f64, "");
        push("solved", percent, "%");
        push("TRAC-IK", printed_by_trac_ik(name).unwrap_or(f64::NAN), "%");
        push("late", result.late as f64, "");
        push("missed", result.missed as f64, "");
        push("mean", result.micros.mean(), "us");
        push("median", result.micros.median(), "us");
        push("95 %", result.micros.percentile(95.0), "us");
        push("99 %", result.micros.percentile(99.0), "us");
        push("99.9 %", result.micros.percentile(99.9), "us");
        push("attempts", result.attempts as f64 / protocol.problems.max(1) as f64, "");
        push("distance", result.distance, "");
        push("angle", result.angle, "rad");
        push("violation", result.violation, "");
    }
    table
}

impl Solved {
    fn nothing() -> Self {
        Solved {
            joints: 0,
            solved: 0,
            late: 0,
            missed: 0,
            micros: Sample::new([]),
            attempts: 0,
            distance: 0.0,
            angle: 0.0,
            violation: 0.0,
        }
    }
}

/// Every joint in the middle of its range; at rest where it has none.
fn mid_range(skeleton: &Skeleton) -> Pose {
    let mut pose = skeleton.rest_pose();
    for (coordinates, joint) in pose.iter_mut().zip(skeleton.joints()) {
        if let Kind::Hinge { range: Some(range), .. } | Kind::Slide { range: Some(range), .. } = joint.kind {
            *coordinates = Coordinates::scalar(0.5 * (range.low() + range.high()));
        }
    }
    skeleton.follow(&mut pose);
    pose
}
