//! Skeletons that track moving targets, and skeletons whose targets are out of reach.

use crate::families::{Family, FamilyCase, push_lines};
use crate::table::{Cell, Table};
use fabrik3d_ik::display::{ease, mix_poses, pose_distance};
use fabrik3d_ik::queries::goal_errors;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Coordinates, Kind, Problem, Settings, Skeleton};
use std::time::Instant;

/// Frames per path.
const FRAMES: usize = 120;

/// Whether the skeleton may take any pose: it has no loops and no obstacles.
fn moves_freely(case: &FamilyCase) -> bool {
    case.problem.loops.is_empty() && case.problem.obstacles.is_empty()
}

/// Tracks `paths` paths, each from one known solution to a random pose in 120 eased frames: the frames, the percentage in which
/// all goals are reached, the `pops` in which a joint turns by more than 0.1 rad plus five times the largest turn of the
/// known solution, and the mean time per frame. None if the skeleton cannot take any pose.
pub fn track(family: &Family, paths: usize, seed: u64, settings: &Settings) -> Option<[Cell<'static>; 4]> {
    let mut random = Random::new(seed);
    let (mut frames, mut reached, mut pops, mut micros) = (0, 0, 0, 0.0);
    for _ in 0..paths {
        let case = family.case(&mut random);
        if !moves_freely(&case) {
            continue;
        }
        let end = case.skeleton.random_pose(&mut random);
        let joints: Vec<usize> = (0..case.skeleton.len()).collect();
        let (mut before, mut witness) = (case.witness.clone(), case.witness.clone());
        let mut solver = case.solver().settings(*settings);
        let mut pose = case.witness.clone();
        for frame in 1..=FRAMES {
            let weight = ease(frame as f64 / FRAMES as f64);
            mix_poses(&case.skeleton, &joints, &case.witness, &end, weight, &mut witness);
            solver.problem = case.problem_at(&witness);
            let shown = pose.clone();
            let begin = Instant::now();
            let report = solver.track(&mut pose);
            micros += begin.elapsed().as_secs_f64() * 1e6;
            reached += usize::from(report.stop.is_reached());
            let pace = largest_turn(&case.skeleton, &before, &witness);
            pops += usize::from(largest_turn(&case.skeleton, &shown, &pose) > 5.0 * pace + 0.1);
            frames += 1;
            before.clone_from(&witness);
        }
    }
    let all = f64::from(frames);
    let reached = 100.0 * reached as f64 / all;
    (frames > 0).then_some([
        ("frames", all, ""),
        ("reached", reached, "%"),
        ("pops", pops as f64, ""),
        ("mean", micros / all, "us"),
    ])
}

/// The largest rotation of any joint between two poses, radians.
pub fn largest_turn(skeleton: &Skeleton, from: &[Coordinates], to: &[Coordinates]) -> f64 {
    let joints: Vec<usize> = (0..skeleton.len()).collect();
    // Relative to an infinite length, translations do not count.
    pose_distance(skeleton, &joints, from, to, f64::INFINITY)
}

/// Solves `count` problems with all targets moved to 2.5 times their distance from the origin. Compares each residual
/// with the best of 30 solves from random poses: the percentage of residuals at most 5 % above it (`near best`), and the
/// largest one as a multiple of it. None if the skeleton cannot take any pose.
pub fn out_of_reach(family: &Family, count: usize, seed: u64, settings: &Settings) -> Option<[Cell<'static>; 3]> {
    let mut random = Random::new(seed);
    let (mut near, mut worst, mut micros): (usize, f64, f64) = (0, 1.0, 0.0);
    let mut solved = 0;
    for _ in 0..count {
        let mut case = family.case(&mut random);
        if !moves_freely(&case) {
            continue;
        }
        case.problem.goals.retain(|goal| goal.target.position.is_some());
        for goal in &mut case.problem.goals {
            goal.target.position = goal.target.position.map(|position| position * 2.5);
            goal.target.orientation = None;
        }
        let mut solver = case.solver();
        let mut solve = |start: &[Coordinates], settings: &Settings| {
            solver.settings = *settings;
            let mut pose = start.to_vec();
            let _ = solver.solve(&mut pose);
            total_residual(&case.skeleton, &case.problem, &pose)
        };
        let begin = Instant::now();
        let residual = solve(&case.start, settings);
        micros += begin.elapsed().as_secs_f64() * 1e6;
        let mut best = residual;
        for seed in 0..30 {
            let mut start = case.skeleton.random_pose(&mut random);
            for (i, joint) in case.skeleton.joints().iter().enumerate() {
                if joint.kind == Kind::Free {
                    start[i] = case.start[i];
                }
            }
            best = best.min(solve(&start, &Settings { seed, ..*settings }));
        }
        solved += 1;
        // The solver stops at the tolerance: smaller residuals are equal.
        let ratio = residual.max(settings.tolerance) / best.max(settings.tolerance);
        near += usize::from(ratio <= 1.05);
        worst = worst.max(ratio);
    }
    let all = f64::from(solved);
    let near_best = 100.0 * near as f64 / all;
    (solved > 0).then_some([("near best", near_best, "%"), ("worst", worst, "x"), ("mean", micros / all, "us")])
}

/// Euclidean norm of the position errors, each as a fraction of its reach.
fn total_residual(skeleton: &Skeleton, problem: &Problem, pose: &[Coordinates]) -> f64 {
    goal_errors(skeleton, problem, pose).iter().map(|error| error.position.powi(2)).sum::<f64>().sqrt()
}

/// Tracking of `paths` paths per family. Calls `progress` with a line of text before each family.
pub fn tracking_table(paths: usize, seed: u64, progress: &mut dyn FnMut(&str)) -> Table {
    let settings = Settings { may_jump: true, ..Settings::default() };
    let mut table = Table::new("tracking")
        .note(format!(
            "{paths} smooth paths of each family without loops and obstacles, 120 frames each; each frame starts from the previous one."
        ))
        .note("pops: frames in which a joint turned by more than 0.1 rad plus five times the largest necessary turn.");
    push_lines(&mut table, progress, |family| track(family, paths, seed, &settings));
    table
}

/// Results of `count` problems per family with targets out of reach. Calls `progress` with a line of text before each
/// family.
pub fn out_of_reach_table(count: usize, seed: u64, progress: &mut dyn FnMut(&str)) -> Table {
    let settings = Settings::default();
    let mut table = Table::new("out of reach")
        .note(format!("{count} problems of each family without loops and obstacles, with targets 2.5 times as far from the origin."))
        .note("near best: residual at most 5 % above the best of 30 solves from random poses.");
    push_lines(&mut table, progress, |family| out_of_reach(family, count, seed, &settings));
    table
}
