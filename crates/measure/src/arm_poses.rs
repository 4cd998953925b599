//! Which pose an arm takes if there are several: all branches, and a path without jumps.
//!
//! The targets are positions and orientations of random poses inside the limits. Paths are recomputed from joints that swing
//! along sine curves, so that a continuous answer exists.

use crate::robots::{Arm, Protocol, range_of};
use crate::table::Table;
use crate::timing::Clock;
use fabrik3d_ik::goals::Freedom;
use fabrik3d_ik::paths::{DEFAULT_TOLERANCE, Ways};
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Coordinates, Interval, Pose, Problem, Settings, SixAxisArm, Solver};
use std::f64::consts::TAU;

/// Most paths per arm: fewer for fewer than a thousand problems.
const PATHS: usize = 12;
/// Most rows per path.
const PATH_ROWS: usize = 2000;

/// The tables of several arms.
#[derive(Clone, Debug, PartialEq)]
pub struct PoseTables {
    protocol: Protocol,
    branches: Table,
    paths: Table,
}

impl PoseTables {
    /// The tables without rows.
    pub fn new(protocol: &Protocol) -> Self {
        let Protocol { problems, .. } = *protocol;
        let branches = Table::new("branches of robots")
            .note(format!(
                "{problems} random poses inside the limits each; arms with a closed form. One thread, thread time."
            ))
            .note("poses: mean number of poses per target; known: the pose that made the target is among them.");
        let paths = Table::new("paths of robots")
            .note(format!(
                "Paths: {}, of {} rows each, recomputed from swinging joints.",
                paths(protocol),
                rows(protocol)
            ))
            .note("jumps: rows to which a joint jumps; time: per path. tracked: each row from the one before.");
        PoseTables { protocol: *protocol, branches, paths }
    }

    /// Adds the rows of one arm.
    pub fn push(&mut self, arm: &Arm) {
        let (protocol, name) = (self.protocol, arm.name.as_str());
        let work = Work { arm, settings: arm.settings(&protocol) };
        if let Ok(six_axes) = SixAxisArm::new(&arm.skeleton, &arm.effector) {
            let (count, known, micros) = work.solutions(&six_axes, &protocol);
            self.branches.push_line(name, &[("poses", count, ""), ("known", known, "%"), ("time", micros, "us")]);
        }
        for (way, followed) in ["planned", "tracked"].into_iter().zip(work.paths(&protocol)) {
            let [jumps, missed] = [followed.jumps, followed.missed].map(|count| count as f64);
            let cells = [("jumps", jumps, ""), ("missed", missed, ""), ("time", followed.millis, "ms")];
            self.paths.push_line(&format!("{name}, {way}"), &cells);
        }
    }

    /// The tables that have rows.
    pub fn finish(self) -> impl Iterator<Item = Table> {
        [self.branches, self.paths].into_iter().filter(|table| !table.rows.is_empty())
    }
}

fn paths(protocol: &Protocol) -> usize {
    PATHS.min(1 + protocol.problems / 90)
}

fn rows(protocol: &Protocol) -> usize {
    PATH_ROWS.min(10 * protocol.problems)
}

/// Jumps and missed rows of all paths, and the mean time of a path.
struct Followed {
    jumps: usize,
    missed: usize,
    millis: f64,
}

/// An arm with the settings of the protocol.
struct Work<'a> {
    arm: &'a Arm,
    settings: Settings,
}

impl Work<'_> {
    /// The problem that a pose solves.
    fn problem_at(&self, pose: &[Coordinates]) -> Problem {
        self.arm.problem(self.arm.target_at(pose), Freedom::default())
    }

    /// The joints that move the tip on their own.
    fn joints(&self) -> Vec<usize> {
        self.arm.skeleton.ancestors(self.arm.effector.joint).filter(|&joint| self.arm.leads(joint)).collect()
    }

    fn range(&self, joint: usize) -> Option<Interval> {
        range_of(self.arm.skeleton.kind(joint))
    }

    /// The mean number of branches, the percentage of targets with the pose that made them, and the mean time.
    fn solutions(&self, arm: &SixAxisArm, protocol: &Protocol) -> (f64, f64, f64) {
        let mut random = Random::new(protocol.seed);
        let poses: Vec<Pose> = (0..protocol.problems).map(|_| self.arm.skeleton.random_pose(&mut random)).collect();
        let targets = self.arm.targets(protocol);
        let mut found = Vec::with_capacity(targets.len());
        let time = Clock::Thread.time(|| {
            for target in &targets {
                let both = target.position.zip(target.rotation());
                found.push(both.map_or_else(Vec::new, |(p, r)| arm.solutions(p, r, &[0.0; 6])));
            }
        });
        let is_known = |(pose, branches): (&Pose, &Vec<[f64; 6]>)| {
            let same = |branch: &[f64; 6]| {
                let apart = |(&joint, angle): (&usize, &f64)| {
                    let turns = (pose[joint].value() - angle) / TAU;
                    TAU * (turns - turns.round()).abs()
                };
                arm.joints().iter().zip(branch).map(apart).fold(0.0, f64::max) < 1e-3
            };
            branches.iter().any(same)
        };
        let count = targets.len().max(1) as f64;
        let known = poses.iter().zip(&found).filter(|case| is_known(*case)).count() as f64;
        let branches: usize = found.iter().map(Vec::len).sum();
        (branches as f64 / count, 100.0 * known / count, time.as_secs_f64() * 1e6 / count)
    }

    /// Paths planned as a whole, and tracked row by row.
    fn paths(&self, protocol: &Protocol) -> [Followed; 2] {
        let mut random = Random::new(protocol.seed);
        let count = paths(protocol);
        let tolerance = DEFAULT_TOLERANCE * self.arm.effector.size(&self.arm.skeleton);
        let mut followed = [(); 2].map(|()| Followed { jumps: 0, missed: 0, millis: 0.0 });
        for _ in 0..count {
            let motion = self.swinging(rows(protocol), &mut random);
            let problems: Vec<Problem> = motion.iter().map(|pose| self.problem_at(pose)).collect();
            let mut solver = Solver::new(self.arm.skeleton.clone()).settings(self.settings);
            let start = self.arm.skeleton.rest_pose();
            let mut planned = Vec::new();
            let time = Clock::Thread.time(|| planned = solver.solve_path(&problems, &start));
            let mut tracked = Vec::new();
            let tracking = Clock::Thread.time(|| {
                let mut pose = start.clone();
                for problem in &problems {
                    solver.problem.clone_from(problem);
                    let report = if tracked.is_empty() { solver.solve(&mut pose) } else { solver.track(&mut pose) };
                    tracked.push((pose.clone(), report));
                }
            });
            for (followed, (time, poses)) in followed.iter_mut().zip([(time, planned), (tracking, tracked)]) {
                followed.millis += time.as_secs_f64() * 1e3 / count as f64;
                followed.missed += poses.iter().filter(|(_, report)| !report.stop.is_reached()).count();
                let mut ways = Ways::new(self.arm.skeleton.clone(), self.settings, tolerance);
                problems.iter().zip(&poses).for_each(|(problem, (pose, _))| ways.push(problem, pose));
                followed.jumps += ways.finish().1.len();
            }
        }
        followed
    }

    /// A motion in which every joint swings around a point in its range.
    fn swinging(&self, rows: usize, random: &mut Random) -> Vec<Pose> {
        let skeleton = &self.arm.skeleton;
        let rest = skeleton.rest_pose();
        let waves: Vec<_> = self
            .joints()
            .into_iter()
            .map(|joint| {
                let (low, high) = self.range(joint).map_or((-3.0, 3.0), |range| (range.low(), range.high()));
                let half = 0.5 * (high - low) * random.range(0.2, 0.95);
                let middle = random.range(low + half, high - half);
                (joint, middle, half, (1 + random.index(3)) as f64, random.range(0.0, TAU))
            })
            .collect();
        let pose = |row: usize| {
            let angle = TAU * row as f64 / rows as f64;
            let mut pose = rest.clone();
            for &(joint, middle, half, turns, phase) in &waves {
                pose[joint] = Coordinates::scalar(middle + half * (turns * angle + phase).sin());
            }
            skeleton.project(&mut pose);
            pose
        };
        (0..rows).map(pose).collect()
    }
}
