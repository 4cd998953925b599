//! Robot arms in SIMD lanes: solves per second at every level, on the problems of [`robots`](crate::robots), and of the
//! scalar solver in the same rounds.

use crate::robots::{Protocol, mid_range, settings, targets};
use crate::table::{Row, Table};
use crate::timing::{Clock, paired_by};
use fabrik3d_ik::simd::{ArmBatch, ArmCounts, Level, Starts, Threads, UnsupportedArm};
use fabrik3d_ik::{
    Coordinates, DVec3, Effector, Freedom, Goal, IslandSolver, Problem, Report, Settings, Skeleton, Target,
    goal_errors, worst_violation,
};
use std::time::Duration;

/// Timed rounds.
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
        .note("solved: the error of the returned pose is within the tolerance, measured independently. alone: left to the scalar solver.")
        .note("steps: lane steps per problem; waiting: the share of lanes without a problem, because none was left; fine: steps in double precision.")
}

/// Adds rows for one arm: positions with orientations, positions with a direction of the z axis about which the effector may
/// turn, and positions alone, by the scalar solver and in lanes of every level that the processor supports.
///
/// # Errors
/// The arm does not fit the lanes.
pub fn push_rows(
    table: &mut Table,
    name: &str,
    skeleton: &Skeleton,
    effector: Effector,
    protocol: &Protocol,
) -> Result<(), UnsupportedArm> {
    let poses = targets(skeleton, &effector, protocol);
    let points = poses.iter().map(|pose| Target { orientation: None, ..*pose }).collect();
    let (fixed, spin) = (Freedom::default(), Freedom::spin(DVec3::Z));
    let kinds = [("pose", poses.clone(), fixed), ("direction", poses, spin), ("position", points, fixed)];
    for (kind, targets, freedom) in kinds {
        let work = Work::new(skeleton, effector, protocol, targets, freedom);
        let mut contenders = vec![Contender::scalar(&work)];
        for level in Level::available() {
            contenders.extend(Contender::lanes(&work, level)?);
        }
        let timings = paired_by(
            ROUNDS,
            contenders.iter_mut().map(|contender| {
                let name = contender.name.clone();
                (name, || contender.run(&work))
            }),
        );
        for (contender, timing) in contenders.iter().zip(&timings) {
            let subject = format!("{name}, {kind}, {}", contender.name);
            let mut push = |quantity: &str, value: f64, unit: &str| {
                table.push(Row::new(&subject, value, unit).quantity(quantity));
            };
            let per_problem = |time: f64| time / contender.problems as f64;
            push("solved", 100.0 * contender.solved(&work) as f64 / contender.problems as f64, "%");
            push("violation", contender.violation(&work), "");
            if let Solver::Lanes { counts, .. } = &contender.solver {
                let steps = counts.lane_steps as f64;
                push("steps", per_problem(steps), "");
                push("waiting", 100.0 * counts.idle_steps as f64 / steps.max(1.0), "%");
                push("restarts", per_problem(counts.restarts as f64), "");
                push("fine", per_problem(counts.fine_steps as f64), "");
                push("alone", counts.unsolved as f64, "");
            }
            let ratio = timing.ratio_to(&timings[0]) * contenders[0].problems as f64 / contender.problems as f64;
            let rate = Row::new(&subject, 1e-3 / per_problem(timing.median()), "k/s").quantity("rate");
            table.push(rate.ratio_to("scalar", 1.0 / ratio));
        }
    }
    Ok(())
}

/// What all contenders solve.
struct Work<'a> {
    skeleton: &'a Skeleton,
    effector: Effector,
    settings: Settings,
    tolerance: f64,
    targets: Vec<Target>,
    /// What the targets leave open.
    freedom: Freedom,
    start: Vec<Coordinates>,
}

impl<'a> Work<'a> {
    fn new(
        skeleton: &'a Skeleton,
        effector: Effector,
        protocol: &Protocol,
        targets: Vec<Target>,
        freedom: Freedom,
    ) -> Self {
        Work {
            skeleton,
            effector,
            settings: settings(skeleton, &effector, protocol),
            tolerance: protocol.tolerance,
            targets,
            freedom,
            start: mid_range(skeleton),
        }
    }

    fn problem(&self, target: Target) -> Problem {
        let goal = Goal { freedom: self.freedom, ..Goal::new(self.effector, target) };
        Problem { goals: vec![goal], ..Problem::default() }
    }
}

/// A solver, and its answers of the last round.
struct Contender {
    name: String,
    problems: usize,
    poses: Vec<Vec<Coordinates>>,
    solver: Solver,
}

enum Solver {
    Scalar(Option<Box<IslandSolver>>),
    Lanes { batch: Box<ArmBatch>, coordinates: Vec<f64>, reports: Vec<Report>, counts: ArmCounts },
}

impl Contender {
    fn scalar(work: &Work<'_>) -> Self {
        let islands = work.skeleton.islands([]);
        let of_tip = islands.iter().find(|island| island.joints.contains(&work.effector.joint));
        let problem = work.problem(work.targets.first().copied().unwrap_or_default());
        let solver = of_tip.map(|island| Box::new(IslandSolver::new(work.skeleton, &problem, island)));
        let problems = work.targets.len().min(SCALAR_PROBLEMS);
        Contender { name: "scalar".into(), problems, poses: Vec::new(), solver: Solver::Scalar(solver) }
    }

    fn lanes(work: &Work<'_>, level: Level) -> Result<Option<Self>, UnsupportedArm> {
        let batch = ArmBatch::new(work.skeleton, work.effector)?.with_threads(Threads::One).with_freedom(work.freedom);
        // Only an absent level fails.
        let Ok(batch) = batch.with_level(level) else { return Ok(None) };
        let problems = work.targets.len();
        let solver = Solver::Lanes {
            coordinates: vec![0.0; problems * batch.variables().len()],
            reports: vec![Report::REFUSED; problems],
            counts: ArmCounts::default(),
            batch: Box::new(batch),
        };
        Ok(Some(Contender { name: level.name().into(), problems, poses: Vec::new(), solver }))
    }

    /// Solves all problems, and returns the time that it took.
    fn run(&mut self, work: &Work<'_>) -> Duration {
        match &mut self.solver {
            Solver::Scalar(None) => Duration::MAX,
            Solver::Scalar(Some(solver)) => {
                let problems: Vec<Problem> =
                    work.targets[..self.problems].iter().map(|&target| work.problem(target)).collect();
                self.poses = vec![work.start.clone(); self.problems];
                Clock::Thread.time(|| {
                    for (problem, pose) in problems.iter().zip(&mut self.poses) {
                        // The answers are judged by their errors.
                        let _ = solver.solve(work.skeleton, problem, &work.settings, pose);
                    }
                })
            }
            Solver::Lanes { batch, coordinates, reports, counts } => {
                let start: Vec<f64> = batch.variables().iter().map(|&joint| work.start[joint].value()).collect();
                let starts = Starts::Shared(&start);
                Clock::Thread.time(|| {
                    // The slices have the right lengths.
                    *counts =
                        batch.solve(&work.targets, starts, &work.settings, coordinates, reports).unwrap_or_default();
                })
            }
        }
    }

    /// The poses of the last round.
    fn answers(&self) -> Vec<Vec<Coordinates>> {
        match &self.solver {
            Solver::Scalar(_) => self.poses.clone(),
            Solver::Lanes { batch, coordinates, .. } => {
                coordinates.chunks(batch.variables().len()).map(|own| batch.pose(own)).collect()
            }
        }
    }

    /// The number of answers within the tolerance.
    fn solved(&self, work: &Work<'_>) -> usize {
        let reach = work.effector.error_scale(work.skeleton, []);
        let meets = |(pose, target): &(Vec<Coordinates>, &Target)| {
            let errors = goal_errors(work.skeleton, &work.problem(**target), pose);
            // A little more than the tolerance, for the rounding of another formula.
            let most = work.tolerance * (1.0 + 1e-6);
            errors.iter().all(|error| error.position * reach <= most && error.angle <= most)
        };
        self.answers().into_iter().zip(&work.targets).filter(meets).count()
    }

    /// The worst limit violation in an answer.
    fn violation(&self, work: &Work<'_>) -> f64 {
        self.answers().iter().map(|pose| worst_violation(work.skeleton, pose)).fold(0.0, f64::max)
    }
}
