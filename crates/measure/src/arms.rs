//! Robot arms in SIMD lanes: solves per second at every level, on the problems of [`robots`](crate::robots), and of the
//! scalar solver in the same rounds.

use crate::robots::{Arm, Protocol, mid_range};
use crate::table::{Row, Table};
use crate::timing::{Clock, paired_by};
use fabrik3d_ik::goals::Freedom;
use fabrik3d_ik::queries::{goal_errors, worst_violation};
use fabrik3d_ik::simd::Level;
use fabrik3d_ik::{Coordinates, Pose, Problem, Report, Solver, Target};
use glam::DVec3;
use std::time::Duration;

const ROUNDS: usize = 5;
/// Problems that the scalar solver solves in a round: enough for a ratio.
const SCALAR_PROBLEMS: usize = 500;

/// The table of several arms, without rows.
pub fn table(protocol: &Protocol) -> Table {
    Table::new("robots in lanes")
        .note(format!(
            "{} random poses inside the limits each, to {:.0e}; start in mid-range; one thread, thread time. (x): ratio to the scalar solver.",
            protocol.problems, protocol.tolerance
        ))
        .note("direction: position and the direction of the tool's z axis, with any turn about it.")
        .note("solved: the error of the returned pose is within the tolerance, measured independently.")
        .note("steps: of the lane per problem; restarts: from random poses, per problem; fine: steps in double precision, per problem.")
}

/// Adds rows for one arm: positions with orientations, positions with a direction of the z axis about which the effector may
/// turn, and positions alone, by the scalar solver and in lanes of every level that the processor supports.
/// Returns false, and adds none, if the arm does not fit the lanes.
pub fn push_rows(table: &mut Table, arm: &Arm, protocol: &Protocol) -> bool {
    let (poses, start) = (arm.targets(protocol), mid_range(&arm.skeleton));
    let points = poses.iter().map(|pose| Target { orientation: None, ..*pose }).collect();
    let (fixed, spin) = (Freedom::default(), Freedom::spin(DVec3::Z));
    let kinds = [("pose", poses.clone(), fixed), ("direction", poses, spin), ("position", points, fixed)];
    for (kind, targets, freedom) in kinds {
        let work = Work { arm, protocol, targets, freedom, start: &start };
        let mut contenders = vec![Contender::scalar(&work)];
        contenders.extend(Level::available().filter_map(|level| Contender::lanes(&work, level)));
        if contenders.len() == 1 {
            return false;
        }
        let timings = paired_by(
            ROUNDS,
            contenders.iter_mut().map(|contender| {
                let name = contender.name.clone();
                (name, || contender.run(&work))
            }),
        );
        for (contender, timing) in contenders.iter().zip(&timings) {
            let subject = format!("{}, {kind}, {}", arm.name, contender.name);
            let per_problem = |sum: f64| sum / contender.problems as f64;
            let solved = 100.0 * per_problem(contender.solved(&work) as f64);
            table.push_line(&subject, &[("solved", solved, "%"), ("violation", contender.violation(&work), "")]);
            if contender.lanes.is_some() {
                let mean = |count: fn(&Report) -> u32| {
                    per_problem(contender.reports.iter().map(|report| f64::from(count(report))).sum())
                };
                let (steps, fine) = (mean(|report| report.iterations), mean(|report| report.refine_steps));
                let restarts = mean(|report| report.attempts.saturating_sub(1));
                table.push_line(&subject, &[("steps", steps, ""), ("restarts", restarts, ""), ("fine", fine, "")]);
            }
            let ratio = timing.ratio_to(&timings[0]) * contenders[0].problems as f64 / contender.problems as f64;
            let rate = Row::new(&subject, 1e-3 / per_problem(timing.median()), "k/s").quantity("rate");
            let scalar = format!("{}, {kind}, {}", arm.name, contenders[0].name);
            table.push(rate.ratio_to(scalar, 1.0 / ratio));
        }
    }
    true
}

/// What all contenders solve.
struct Work<'a> {
    arm: &'a Arm,
    protocol: &'a Protocol,
    targets: Vec<Target>,
    /// What the targets leave open.
    freedom: Freedom,
    start: &'a Pose,
}

impl Work<'_> {
    fn problem(&self, target: Target) -> Problem {
        self.arm.problem(target, self.freedom)
    }

    fn solver(&self) -> Solver {
        Solver::new(self.arm.skeleton.clone()).settings(self.arm.settings(self.protocol))
    }
}

/// A solver, and its answers of the last round.
struct Contender {
    name: String,
    problems: usize,
    solver: Box<Solver>,
    /// In lanes: the joints of a row of coordinates, the hinges and slides that follow no other.
    lanes: Option<Vec<usize>>,
    poses: Vec<Pose>,
    reports: Vec<Report>,
}

impl Contender {
    fn scalar(work: &Work<'_>) -> Self {
        let solver = Box::new(work.solver());
        let problems = work.targets.len().min(SCALAR_PROBLEMS);
        Contender { name: "scalar".into(), problems, solver, lanes: None, poses: Vec::new(), reports: Vec::new() }
    }

    /// `None` if the arm does not fit the lanes.
    fn lanes(work: &Work<'_>, level: Level) -> Option<Self> {
        let problem = work.problem(work.targets.first().copied().unwrap_or_default());
        let mut solver = Box::new(work.solver().problem(problem.clone()).with_level(level).ok()?);
        let joints = work.arm.effector.chain_joints(&work.arm.skeleton);
        let lanes = Some(joints.filter(|&joint| work.arm.leads(joint)).collect());
        let (name, problems, fits) = (level.name().into(), work.targets.len(), solver.runs_in_lanes(&problem));
        fits.then_some(Contender { name, problems, solver, lanes, poses: Vec::new(), reports: Vec::new() })
    }

    /// Solves all problems, and returns the time that it took.
    fn run(&mut self, work: &Work<'_>) -> Duration {
        let Contender { problems, solver, lanes, poses, reports, .. } = self;
        let targets = &work.targets[..*problems];
        *poses = vec![work.start.clone(); *problems];
        let Some(joints) = lanes else {
            solver.problem = work.problem(Target::default());
            return Clock::Thread.time(|| {
                for (&target, pose) in targets.iter().zip(poses) {
                    solver.set_target(0, target);
                    // The answers are judged by their errors.
                    let _ = solver.solve(pose);
                }
            });
        };
        let start: Vec<f64> = joints.iter().map(|&joint| work.start[joint].value()).collect();
        let mut coordinates = start.repeat(targets.len());
        let time = Clock::Thread.time(|| *reports = solver.solve_rows(targets, work.start, joints, &mut coordinates));
        for (pose, own) in poses.iter_mut().zip(coordinates.chunks(joints.len().max(1))) {
            joints.iter().zip(own).for_each(|(&joint, &value)| pose[joint] = Coordinates::scalar(value));
            work.arm.skeleton.follow(pose);
        }
        time
    }

    /// The number of answers within the tolerance.
    fn solved(&self, work: &Work<'_>) -> usize {
        let Arm { skeleton, effector, .. } = work.arm;
        let reach = effector.error_scale(skeleton, []);
        // A little more than the tolerance, for the rounding of another formula.
        let most = work.protocol.tolerance * (1.0 + 1e-6);
        let meets = |(pose, target): &(&Pose, &Target)| {
            let errors = goal_errors(skeleton, &work.problem(**target), pose);
            errors.iter().all(|error| error.position * reach <= most && error.angle <= most)
        };
        self.poses.iter().zip(&work.targets).filter(meets).count()
    }

    /// The worst limit violation in an answer.
    fn violation(&self, work: &Work<'_>) -> f64 {
        self.poses.iter().map(|pose| worst_violation(&work.arm.skeleton, pose)).fold(0.0, f64::max)
    }
}
