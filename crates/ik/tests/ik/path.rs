//! Poses for whole paths: every row is reached, limits hold, and no joint jumps where that can be avoided.
#![allow(clippy::unwrap_used)]

use crate::arm_cases::{Wanted, random_arm};
use crate::six_axis_cases::{LAYOUTS, Ranges};
use fabrik3d_ik::paths::{Jump, Way, Ways};
use fabrik3d_ik::queries::{angle_between, goal_errors, worst_violation};
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Coordinates, Effector, Goal, Kind, Pose, Problem, Settings, Skeleton, Solver, Stop};
use glam::DVec3;
use std::f64::consts::{FRAC_PI_3, TAU};

/// A path recomputed from the motion of joints, so that a continuous answer exists.
struct Case {
    skeleton: Skeleton,
    problems: Vec<Problem>,
    start: Pose,
}

impl Case {
    /// Every joint swings through up to nine tenths of its range, or a turn.
    fn new(skeleton: Skeleton, effector: Effector, rows: usize, random: &mut Random) -> Self {
        let wave = |kind: &Kind, random: &mut Random| {
            let (low, high) = match kind {
                Kind::Hinge { range: Some(range), .. } | Kind::Slide { range: Some(range), .. } => {
                    (range.low().max(-9.0), range.high().min(9.0))
                }
                Kind::Hinge { .. } => (-3.0, 3.0),
                _ => (0.0, 0.0),
            };
            let middle = 0.5 * (low + high);
            (
                middle,
                random.range(0.1, 0.9) * (high - middle),
                f64::from(1 + random.index(2) as u32),
                random.range(0.0, TAU),
            )
        };
        let waves: Vec<_> = (0..skeleton.len()).map(|joint| wave(skeleton.kind(joint), random)).collect();
        let pose = |row: usize| {
            let angle = TAU * row as f64 / rows as f64;
            let mut pose = skeleton.rest_pose();
            for (joint, &(middle, half, turns, phase)) in waves.iter().enumerate() {
                if matches!(skeleton.kind(joint), Kind::Hinge { .. } | Kind::Slide { .. }) {
                    pose[joint] = Coordinates::scalar(middle + half * (turns * angle + phase).sin());
                }
            }
            skeleton.project(&mut pose);
            pose
        };
        let problem = |row| {
            let goal = Goal::new(effector, Wanted::Both.target(&skeleton, &effector, &pose(row)));
            Problem { goals: vec![goal], ..Problem::default() }
        };
        Case { problems: (0..rows).map(problem).collect(), start: skeleton.rest_pose(), skeleton }
    }

    /// The number of rows with a hinge that turns by more than a sixth of a turn from the row before.
    fn jumps(&self, poses: &[Pose]) -> usize {
        let moved = |pair: &[Pose]| {
            let hinges =
                (0..self.skeleton.len()).filter(|&joint| matches!(self.skeleton.kind(joint), Kind::Hinge { .. }));
            hinges.map(|joint| (pair[1][joint].value() - pair[0][joint].value()).abs()).fold(0.0, f64::max)
        };
        poses.windows(2).filter(|pair| moved(pair) > FRAC_PI_3).count()
    }

    /// The poses, and the number of rows that are not reached.
    fn solve(&self) -> (Vec<Pose>, usize) {
        let settings = Settings { tolerance: 1e-6, rotation_tolerance: 1e-6, ..Settings::default() };
        let solved = Solver::new(&self.skeleton).settings(settings).solve_path(&self.problems, &self.start);
        assert_eq!(solved.len(), self.problems.len());
        let mut missed = 0;
        for ((pose, report), problem) in solved.iter().zip(&self.problems) {
            assert_eq!(worst_violation(&self.skeleton, pose), 0.0);
            let error = goal_errors(&self.skeleton, problem, pose)[0];
            let is_reached = error.position <= 1.001e-6 && error.angle <= 1.001e-6;
            assert_eq!(report.stop.is_reached(), is_reached, "{report} {error:?}");
            missed += usize::from(!is_reached);
        }
        (solved.into_iter().map(|(pose, _)| pose).collect(), missed)
    }
}

#[test]
fn six_hinges_do_not_jump() {
    let mut random = Random::new(51);
    for layout in &LAYOUTS {
        for ranges in [Ranges::None, Ranges::Mixed] {
            for _ in 0..5 {
                let (skeleton, effector) = layout.arm(ranges, &mut random);
                let case = Case::new(skeleton, effector, 500, &mut random);
                let (poses, missed) = case.solve();
                assert_eq!((case.jumps(&poses), missed), (0, 0), "{}, {ranges:?}", layout.name);
            }
        }
    }
}

#[test]
fn redundant_arms_hardly_jump() {
    let mut random = Random::new(52);
    let mut jumps = [0, 0];
    for joints in [7, 8] {
        for _ in 0..10 {
            let (skeleton, effector) = random_arm(joints, &mut random);
            let case = Case::new(skeleton, effector, 500, &mut random);
            let (poses, missed) = case.solve();
            assert!(missed <= 1);
            jumps[0] += case.jumps(&poses);
            let mut solver = Solver::new(&case.skeleton);
            let mut pose = case.start.clone();
            let track = |problem: &Problem| {
                solver.problem.clone_from(problem);
                let _ = solver.track(&mut pose);
                pose.clone()
            };
            let tracked: Vec<Pose> = case.problems.iter().map(track).collect();
            jumps[1] += case.jumps(&tracked);
        }
    }
    assert!(jumps[0] <= 3 && jumps[0] < jumps[1], "{jumps:?}");
}

#[test]
fn rows_out_of_reach_stay_next_to_their_neighbors() {
    let mut random = Random::new(53);
    let (skeleton, effector) = LAYOUTS[1].arm(Ranges::Mixed, &mut random);
    let mut case = Case::new(skeleton, effector, 60, &mut random);
    for row in 20..30 {
        case.problems[row].goals[0].target.position = Some(DVec3::X * 1e5);
    }
    case.problems[40].goals[0].target.position = Some(DVec3::NAN);
    let solved = Solver::new(&case.skeleton).solve_path(&case.problems, &case.start);
    for (row, (pose, report)) in solved.iter().enumerate() {
        match row {
            20..30 => assert!(!report.stop.is_reached()),
            40 => assert_eq!((report.stop, pose), (Stop::Refused, &solved[39].0)),
            _ => assert_eq!(report.stop, Stop::Reached, "row {row}"),
        }
    }
}

#[test]
fn other_figures_are_tracked() {
    let joints = (0..4_usize)
        .map(|at| fabrik3d_ik::Joint::new(format!("{at}"), at.checked_sub(1), DVec3::X, Kind::UNLIMITED_BALL));
    let skeleton = Skeleton::new(joints.collect()).unwrap();
    let effector = Effector::new(3, DVec3::X);
    let problem = |row: u32| {
        let goal = Goal::new(effector, DVec3::new(2.0, 0.01 * f64::from(row), 1.0));
        Problem { goals: vec![goal], ..Problem::default() }
    };
    let problems: Vec<Problem> = (0..50).map(problem).collect();
    let mut solver = Solver::new(&skeleton);
    let solved = solver.solve_path(&problems, &skeleton.rest_pose());
    assert!(solved.iter().all(|(_, report)| report.stop.is_reached()));
    assert!(solver.problem.goals.is_empty());
    assert!(solver.solve_path(&[], &skeleton.rest_pose()).is_empty());
    let refused = solver.solve_path(&problems[..2], &[]);
    assert!(refused.iter().all(|(_, report)| report.stop == Stop::Refused));
}

/// Rows that ask for different things are solved as by calls, one after the other: the first by `solve`, others by `track`.
#[test]
fn rows_that_ask_for_different_things_are_solved_one_by_one() {
    let mut random = Random::new(21);
    let kind = |at: usize| match at {
        0 => Kind::UNLIMITED_BALL,
        _ => Kind::Hinge { axis: DVec3::Y, range: fabrik3d_ik::Interval::new(-2.0, 0.5).ok() },
    };
    let joint = |at: usize| fabrik3d_ik::Joint::new(format!("{at}"), at.checked_sub(1), DVec3::X, kind(at));
    let skeleton = Skeleton::new((0..5).map(joint).collect::<Vec<_>>()).unwrap();
    for _ in 0..20 {
        let ends = [Effector::new(4, DVec3::X), Effector::new(2, DVec3::X)];
        let mut row = |count: usize| {
            let frames = skeleton.frames(&skeleton.random_pose(&mut random));
            let goals = ends[..count].iter().map(|&end| Goal::new(end, frames[end.joint].point(end.tip)));
            Problem { goals: goals.collect(), ..Problem::default() }
        };
        let problems: Vec<Problem> = [1, 2, 1, 2].map(&mut row).to_vec();
        let mut solver = Solver::new(&skeleton);
        let rows = solver.solve_path(&problems, &skeleton.rest_pose());
        let may_jump = Settings { may_jump: true, ..Settings::default() };
        let (mut alone, mut pose) = (Solver::new(&skeleton).settings(may_jump), skeleton.rest_pose());
        for (at, (problem, (own, report))) in problems.iter().zip(&rows).enumerate() {
            alone.problem.clone_from(problem);
            let expected = if at == 0 { alone.solve(&mut pose) } else { alone.track(&mut pose) };
            assert_eq!((own, report.stop), (&pose, expected.stop), "row {at}");
        }
    }
}

/// The largest departures of the even ways through these poses from the path between two rows, finely sampled: the distance from
/// the nearest point of the line, and the angle to the nearest orientation between those of the rows.
fn departure(case: &Case, row: usize, through: &[&Pose]) -> [f64; 2] {
    let goal = case.problems[row].goals[0];
    let ends = [row, row + 1].map(|row| case.problems[row].goals[0].target);
    let (places, turns) = (ends.map(|end| end.position.unwrap()), ends.map(|end| end.rotation().unwrap()));
    let off = |pose: &Pose| {
        let frame = case.skeleton.frames(pose)[goal.effector.joint];
        let (point, line) = (frame.point(goal.effector.tip), places[1] - places[0]);
        let share = ((point - places[0]).dot(line) / line.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        let between = (0..=64).map(|at| turns[0].slerp(turns[1], f64::from(at) / 64.0));
        let angle = between.map(|turn| angle_between(frame.rotation, turn)).fold(f64::INFINITY, f64::min);
        [point.distance(places[0] + share * line), angle]
    };
    let samples = through.windows(2).flat_map(|pair| {
        (0..=16).map(|at| {
            let mut pose = pair[0].clone();
            for (joint, own) in pose.iter_mut().enumerate() {
                let [from, to] = [pair[0][joint].value(), pair[1][joint].value()];
                *own = Coordinates::scalar(from + f64::from(at) / 16.0 * (to - from));
            }
            off(&pose)
        })
    });
    samples.fold([0.0; 2], |[distance, angle]: [f64; 2], [own, turn]| [distance.max(own), angle.max(turn)])
}

/// Checks that a way keeps to the path as far as it says.
fn check(case: &Case, row: usize, ends: [&Pose; 2], way: &Way, tolerance: f64, label: &str) {
    let through: Vec<&Pose> = [ends[0]].into_iter().chain(&way.poses).chain([ends[1]]).collect();
    let [distance, angle] = departure(case, row, &through);
    let own = way.departure;
    assert!(distance <= 1.2 * tolerance.max(own.distance), "{label}, row {row}: {distance} {own:?}");
    // Orientations between the rows are sampled, too.
    let turn = [row, row + 1].map(|row| case.problems[row].goals[0].target.rotation().unwrap());
    let sampled = angle_between(turn[0], turn[1]) / 64.0;
    assert!(angle <= 1.2 * tolerance.max(own.angle) + sampled, "{label}, row {row}: {angle} {own:?}");
    assert!(way.poses.iter().all(|pose| worst_violation(&case.skeleton, pose) == 0.0), "{label}");
}

/// The ways of a path and its jumps.
fn ways_of(case: &Case, poses: &[Pose], tolerance: f64) -> (Vec<Option<Way>>, Vec<Jump>) {
    let mut ways = Ways::new(case.skeleton.clone(), Settings::default(), tolerance);
    case.problems.iter().zip(poses).for_each(|(problem, pose)| ways.push(problem, pose));
    ways.finish()
}

#[test]
fn ways_keep_to_straight_lines_and_a_row_in_another_branch_is_between_jumps() {
    let mut random = Random::new(57);
    let [mut rows_in_all, mut bent, mut off, mut none, mut flips, mut kept] = [0; 6];
    for layout in &LAYOUTS {
        let (skeleton, effector) = layout.arm(Ranges::Mixed, &mut random);
        let tolerance = 1e-3 * skeleton.extent();
        for rows in [30, 500] {
            let case = Case::new(skeleton.clone(), effector, rows, &mut random);
            let (poses, _) = case.solve();
            let (ways, jumps) = ways_of(&case, &poses, tolerance);
            assert_eq!(ways.iter().filter(|way| way.is_none()).count(), jumps.len());
            rows_in_all += rows;
            none += jumps.len();
            for (row, way) in ways.iter().enumerate() {
                let Some(way) = way else { continue };
                check(&case, row, [&poses[row], &poses[row + 1]], way, tolerance, layout.name);
                bent += usize::from(!way.poses.is_empty());
                off += usize::from(way.departure.distance > tolerance);
            }
            let mut solver = Solver::new(&skeleton);
            for _ in 0..if rows == 500 { 20 } else { 0 } {
                let row = 1 + random.index(rows - 2);
                solver.problem.clone_from(&case.problems[row]);
                let others = solver.solutions(&poses[row], 8);
                let is_far = |far: &&Pose| case.jumps(&[poses[row].clone(), far.to_vec()]) > 0;
                let Some(far) = others.last().filter(is_far) else { continue };
                let mut poses = poses.clone();
                poses[row].clone_from(far);
                let (ways, jumps) = ways_of(&case, &poses, tolerance);
                for at in [row, row + 1] {
                    flips += 1;
                    let is_told = jumps.iter().any(|jump| jump.row == at);
                    assert_eq!(ways[at - 1].is_none(), is_told);
                    // A wrist can turn over on the spot.
                    let Some(way) = &ways[at - 1] else { continue };
                    check(&case, at - 1, [&poses[at - 1], &poses[at]], way, tolerance, layout.name);
                    assert!(way.departure.distance <= tolerance, "{}, row {at}: {:?}", layout.name, way.departure);
                    kept += 1;
                }
            }
        }
    }
    println!(
        "{rows_in_all} rows: {bent} ways with poses, {off} off the line, {none} jumps; {flips} flips, {kept} kept to"
    );
    assert!(bent > 100 && none < rows_in_all / 200, "{bent} {none}");
    assert!(flips > 200 && kept < flips / 50, "{flips} {kept}");
}

#[test]
fn paths_that_begin_at_the_start_jump_to_their_first_row_only_where_its_branch_ends() {
    let mut random = Random::new(58);
    let [mut stays, mut leaves, mut free] = [0; 3];
    for layout in &LAYOUTS {
        let (skeleton, effector) = layout.arm(Ranges::Mixed, &mut random);
        let case = Case::new(skeleton, effector, 200, &mut random);
        let (planned, _) = case.solve();
        let mut solver = Solver::new(&case.skeleton);
        solver.problem.clone_from(&case.problems[0]);
        // All poses of the first row, also those of branches in which the path cannot be followed.
        for start in solver.solutions(&case.start, 8) {
            let solved = solver.solve_path_from(&case.problems, &start);
            assert_eq!(solved.len(), case.problems.len());
            let jumps_to = |first: &Pose| case.jumps(&[start.clone(), first.clone()]) > 0;
            free += usize::from(jumps_to(&planned[0]));
            if !jumps_to(&solved[0].0) {
                stays += 1;
                continue;
            }
            leaves += 1;
            let mut pose = start.clone();
            let follows = |problem: &Problem| {
                solver.problem.clone_from(problem);
                let before = pose.clone();
                solver.track(&mut pose).stop.is_reached() && case.jumps(&[before, pose.clone()]) == 0
            };
            assert!(!case.problems.iter().all(follows), "{}: it could have gone on from its start", layout.name);
        }
    }
    println!("{stays} begin in the branch of their start, {leaves} have to leave it; {free} of the free plans do");
    assert!(stays > 20 && free > leaves, "{stays} {leaves} {free}");
}
