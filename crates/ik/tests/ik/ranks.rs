//! Ranks of goals: where not all can be met, firm goals are met and wanted ones miss.

use fabrik3d_ik::collision::Obstacle;
use fabrik3d_ik::goals::GoalRank;
use fabrik3d_ik::queries::{goal_errors, worst_violation};
use fabrik3d_ik::random::Random;
use fabrik3d_ik::settings::Interrupt;
use fabrik3d_ik::{Coordinates, Effector, Goal, Joint, Kind, Pose, Problem, Report, Skeleton, Solver, Swing};
use glam::DVec3;

/// A rope of balls whose first joint is free.
fn rope(random: &mut Random, links: usize) -> Skeleton {
    let joints = (0..links).map(|at| {
        let offset = if at == 0 { DVec3::ZERO } else { random.direction() * random.range(0.5, 1.5) };
        let kind = if at == 0 { Kind::Free } else { Kind::UNLIMITED_BALL };
        Joint::new(format!("{at}"), at.checked_sub(1), offset, kind)
    });
    Skeleton::new(joints.collect::<Vec<Joint>>()).expect("a skeleton")
}

fn goal(joint: usize, tip: DVec3, target: DVec3, rank: GoalRank) -> Goal {
    Goal { rank, ..Goal::new(Effector::new(joint, tip), target) }
}

/// How a pose is found.
type Verb = fn(&mut Solver, &mut Pose) -> Report;

const VERBS: [Verb; 3] = [
    |solver, pose| solver.solve(pose),
    |solver, pose| solver.solve_nearest(pose),
    |solver, pose| {
        let reports = (0..30).map(|_| solver.track(pose));
        reports.last().expect("a frame")
    },
];

/// One end of a rope is held and the other one pulled too far: the rope is straight between them, whatever the weights.
#[test]
fn a_rope_that_is_held_is_straight_toward_what_pulls_it() {
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let links = 3 + random.index(5);
        let skeleton = rope(&mut random, links);
        let tip = random.direction();
        let length: f64 = skeleton.joints().iter().skip(1).map(|joint| joint.offset.length()).sum::<f64>() + 1.0;
        let held = random.direction() * 3.0;
        let far = random.range(1.05, 12.0);
        let pulled = held + random.direction() * (length * far);
        let pull = Goal { weight: random.range(0.2, 5.0), ..goal(links - 1, tip, pulled, GoalRank::Wanted) };
        let goals = vec![goal(0, DVec3::ZERO, held, GoalRank::Firm), pull];
        for verb in VERBS {
            let mut solver =
                Solver::new(skeleton.clone()).problem(Problem { goals: goals.clone(), ..Problem::default() });
            let mut pose = skeleton.random_pose(&mut random);
            let report = verb(&mut solver, &mut pose);
            assert!(!report.stop.is_reached(), "seed {seed}");
            let errors = goal_errors(&skeleton, &solver.problem, &pose);
            assert!(errors[0].distance < 1e-4 * length, "seed {seed}: the end that is held is off by {:?}", errors[0]);
            let least = length * (far - 1.0);
            let excess = errors[1].distance / least - 1.0;
            assert!(excess.abs() < 0.02, "seed {seed}: {} in place of {least}", errors[1].distance);
        }
    }
}

/// A body with two feet and a hand.
fn body() -> Skeleton {
    let limb = Kind::Ball { swing: Swing::new([1.2; 4]).ok(), twist: None };
    let joints = [
        ("hips", None, DVec3::ZERO, Kind::Free),
        ("chest", Some(0), DVec3::Y * 0.1, limb),
        ("arm", Some(1), DVec3::Y * 0.5, limb),
        ("forearm", Some(2), DVec3::Y * 0.3, limb),
        ("left thigh", Some(0), DVec3::new(0.1, -0.05, 0.0), Kind::UNLIMITED_BALL),
        ("left shin", Some(4), DVec3::Y * -0.4, Kind::UNLIMITED_BALL),
        ("right thigh", Some(0), DVec3::new(-0.1, -0.05, 0.0), Kind::UNLIMITED_BALL),
        ("right shin", Some(6), DVec3::Y * -0.4, Kind::UNLIMITED_BALL),
    ];
    let joints = joints.map(|(name, parent, offset, kind)| Joint::new(name, parent, offset, kind));
    Skeleton::new(joints.to_vec()).expect("a skeleton")
}

fn standing(target: DVec3, ranks: [GoalRank; 3]) -> Problem {
    let foot = |joint, x, rank| goal(joint, DVec3::Y * -0.4, DVec3::new(x, -0.85, 0.0), rank);
    let hand = goal(3, DVec3::Y * 0.3, target, ranks[2]);
    Problem { goals: vec![foot(5, 0.1, ranks[0]), foot(7, -0.1, ranks[1]), hand], ..Problem::default() }
}

const FEET_FIRST: [GoalRank; 3] = [GoalRank::Firm, GoalRank::Firm, GoalRank::Wanted];
const ALIKE: [GoalRank; 3] = [GoalRank::Wanted; 3];

/// In every frame of a drag far out of reach and back.
#[test]
fn feet_stay_while_a_hand_is_dragged_out_of_reach() {
    let skeleton = body();
    for seed in 0..10 {
        let mut random = Random::new(seed);
        let start = DVec3::new(0.0, 1.0, 0.3);
        let way = random.direction() * random.range(2.0, 8.0);
        let mut solver = Solver::new(skeleton.clone()).problem(standing(start, FEET_FIRST));
        let mut pose: Pose = skeleton.rest_pose();
        let _ = solver.solve(&mut pose);
        for frame in 0..60 {
            let share = f64::from(30 - (frame - 30_i32).abs()) / 30.0;
            solver.set_target(2, start + way * share);
            let _ = solver.track(&mut pose);
            let errors = goal_errors(&skeleton, &solver.problem, &pose);
            let slip = errors[0].distance.max(errors[1].distance);
            assert!(slip < 1e-3, "seed {seed}, frame {frame}: a foot slips by {slip}");
            assert!(worst_violation(&skeleton, &pose) < 1e-12, "seed {seed}, frame {frame}");
        }
        let report = solver.solve(&mut pose);
        assert!(report.stop.is_reached(), "seed {seed}: it does not come back");
    }
}

/// Ranks matter only on a miss.
#[test]
fn ranks_change_no_answer_that_meets_all_goals() {
    let skeleton = body();
    let mut reached = 0;
    for seed in 0..100 {
        let mut random = Random::new(seed);
        let target = DVec3::new(0.0, 0.6, 0.2) + random.ball() * 0.4;
        let start = skeleton.random_pose(&mut random);
        let solved = |ranks| {
            let mut pose = start.clone();
            let report = Solver::new(skeleton.clone()).problem(standing(target, ranks)).solve(&mut pose);
            (report.stop.is_reached(), pose)
        };
        let (alike, ranked) = (solved(ALIKE), solved(FEET_FIRST));
        if alike.0 {
            reached += 1;
            assert!(alike == ranked, "seed {seed}");
        }
    }
    assert!(reached > 80, "{reached}");
}

/// What must hold comes before firm goals: a foot whose place is in an obstacle stays out of it.
#[test]
fn firm_goals_give_way_to_obstacles() {
    let skeleton = body();
    for seed in 0..20 {
        let mut random = Random::new(seed);
        let mut problem = standing(random.direction() * 6.0, FEET_FIRST);
        let ground = Obstacle::HalfSpace { normal: DVec3::Y, offset: -0.8 };
        problem.obstacles = vec![ground];
        let mut solver = Solver::new(skeleton.clone()).problem(problem);
        let mut pose = skeleton.rest_pose();
        pose[0] = Coordinates::free(DVec3::Y * 0.3, glam::DQuat::IDENTITY);
        let _ = solver.solve(&mut pose);
        let depth = fabrik3d_ik::queries::penetration(&skeleton, &solver.problem, &pose);
        // The places of the feet are five hundredths deep.
        assert!(depth < 5e-3, "seed {seed}: {depth} deep");
    }
}

/// Both ends of a rope are held farther apart than it is long: the firm one stays, as in a solve.
#[test]
fn what_is_held_keeps_its_rank() {
    for seed in 0..100 {
        let mut random = Random::new(seed);
        let links = 3 + random.index(5);
        let skeleton = rope(&mut random, links);
        let mut pose = skeleton.random_pose(&mut random);
        let (at, tip) = (skeleton.frames(&pose), random.direction());
        let ends = [at[0].position, at[links - 1].point(tip)];
        let goals =
            vec![goal(0, DVec3::ZERO, ends[0], GoalRank::Firm), goal(links - 1, tip, ends[1], GoalRank::Wanted)];
        let mut solver = Solver::new(skeleton.clone()).problem(Problem { goals, ..Problem::default() });
        let far = ends[0] + random.direction() * (2.0 * links as f64);
        let held = [Some(ends[0].into()), Some(far.into())];
        solver.figures().expect("a problem").hold(0, &held, Interrupt::NONE, &mut pose);
        let moved = skeleton.frames(&pose)[0].position.distance(ends[0]);
        assert!(moved < 1e-2, "seed {seed}: the firm end has moved by {moved}");
    }
}
