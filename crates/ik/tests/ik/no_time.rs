//! Solves whose time is over at once: each takes a step, and calls that repeat come to the target.

use crate::arm_cases::{Wanted, random_arm};
use crate::balance;
use fabrik3d_ik::goals::GoalRank;
use fabrik3d_ik::queries::{goal_errors, worst_violation};
use fabrik3d_ik::random::Random;
use fabrik3d_ik::settings::{Interrupt, Method};
use fabrik3d_ik::{Effector, Goal, Joint, Kind, Pose, Problem, Report, Settings, Skeleton, Solver, Stop, Target};
use glam::DVec3;
use std::time::{Duration, Instant};

const FIGURES: u64 = 100;
/// Most calls for one target.
const CALLS: u32 = 300;
/// Most iterations and refinement steps of one solve, in all its parts.
const FEW: u32 = 10;
/// The same for a solve that meets its target, whose body then comes to its balance.
const TO_MEET: u32 = 40;

/// How a pose is found.
type Verb = fn(&mut Solver, &mut Pose) -> Report;

const VERBS: [(&str, Verb); 3] = [
    ("solve", |solver, pose| solver.solve(pose)),
    ("track", |solver, pose| solver.track(pose)),
    ("solve_nearest", |solver, pose| solver.solve_nearest(pose)),
];

/// A random figure with a problem, and its pose.
type Figure = fn(&mut Random) -> (Skeleton, Problem, Pose);

/// The kinds of figures, and how many of each may miss their target in the end.
const FIGURE_KINDS: [(&str, Figure, usize); 3] = [("chain", chain, 0), ("arm", arm, 30), ("body", body, 0)];

/// Settings by which the time of a solve is over as soon as it begins.
fn no_time(method: Method) -> Settings {
    Settings { method, time_limit: Some(Duration::ZERO), ..Settings::default() }
}

/// A chain of balls whose tip has a target.
fn chain(random: &mut Random) -> (Skeleton, Problem, Pose) {
    let links = 3 + random.index(6);
    let joint = |at: usize| {
        let offset = if at == 0 { DVec3::ZERO } else { random.direction() * random.range(0.5, 1.5) };
        Joint::new(format!("{at}"), at.checked_sub(1), offset, Kind::UNLIMITED_BALL)
    };
    let skeleton = Skeleton::new((0..links).map(joint).collect::<Vec<Joint>>()).expect("a chain");
    let effector = Effector::new(links - 1, DVec3::X);
    let target = Wanted::Position.target(&skeleton, &effector, &skeleton.random_pose(random));
    let start = skeleton.random_pose(random);
    (skeleton, Problem { goals: vec![Goal::new(effector, target)], ..Problem::default() }, start)
}

/// An arm with limits whose effector has a target.
fn arm(random: &mut Random) -> (Skeleton, Problem, Pose) {
    let (skeleton, effector) = random_arm(3 + random.index(5), random);
    let target = Wanted::Position.target(&skeleton, &effector, &skeleton.random_pose(random));
    let start = skeleton.random_pose(random);
    (skeleton, Problem { goals: vec![Goal::new(effector, target)], ..Problem::default() }, start)
}

/// A body that stands, with a target for its hand.
fn body(random: &mut Random) -> (Skeleton, Problem, Pose) {
    let skeleton = balance::body(random);
    let (pose, frames) = (skeleton.rest_pose(), skeleton.frames(&skeleton.rest_pose()));
    let at = |joint: usize| Goal::new(Effector::new(joint, DVec3::ZERO), frames[joint].position);
    let mut hand = at(balance::HAND);
    hand.target = Target::from(frames[balance::HAND].position + random.direction() * random.range(0.1, 0.5));
    let feet = balance::FEET.map(|foot| Goal { rank: GoalRank::Firm, ..at(foot) });
    let home = if skeleton.joints()[0].stiffness > 0.0 { pose.clone() } else { Pose::new() };
    let goals = [hand].into_iter().chain(feet).collect();
    let masses = vec![balance::masses(&skeleton, &frames)];
    (skeleton, Problem { goals, home, centers_of_mass: masses, ..Problem::default() }, pose)
}

/// How far the first effector is from its target, in its sizes.
fn error(skeleton: &Skeleton, problem: &Problem, pose: &Pose) -> f64 {
    goal_errors(skeleton, problem, pose)[0].position
}

/// What solves without time do from one call to the next, until one meets the target.
#[derive(Debug, Default)]
struct Seen {
    /// First calls that bring the effector no nearer.
    stuck: usize,
    /// Figures that miss their target after all calls.
    missed: usize,
}

fn repeat(figure: Figure, verb: Verb) -> Seen {
    let mut seen = Seen::default();
    for seed in 0..FIGURES {
        let (skeleton, problem, mut pose) = figure(&mut Random::new(seed));
        let mut solver = Solver::new(&skeleton).problem(problem.clone()).settings(no_time(Method::Accelerated));
        let start = error(&skeleton, &problem, &pose);
        let mut is_met = false;
        for call in 0..CALLS {
            let report = verb(&mut solver, &mut pose);
            is_met = report.stop.is_reached();
            let (steps, most) = (report.iterations + report.refine_steps, if is_met { TO_MEET } else { FEW });
            assert!(steps <= most, "seed {seed}, call {call}: {report:?}");
            assert_eq!(worst_violation(&skeleton, &pose), 0.0, "seed {seed}, call {call}");
            seen.stuck += usize::from(call == 0 && !is_met && error(&skeleton, &problem, &pose) >= start);
            if is_met {
                break;
            }
        }
        seen.missed += usize::from(!is_met);
    }
    seen
}

/// Arms with limits end in poses from which no step leads on: only a search with time leaves these.
#[test]
fn a_solve_without_time_takes_a_step_and_repeated_calls_come_to_the_target() {
    for (verb_name, verb) in VERBS {
        for (name, figure, most_missed) in FIGURE_KINDS {
            let seen = repeat(figure, verb);
            assert_eq!(seen.stuck, 0, "{verb_name}, {name}");
            assert!(seen.missed <= most_missed, "{verb_name}, {name}: {seen:?}");
        }
    }
}

#[test]
fn a_method_without_time_iterates_once() {
    for method in Method::ALL.into_iter().filter(|&method| method != Method::Accelerated) {
        for seed in 0..FIGURES {
            let (skeleton, problem, mut pose) = chain(&mut Random::new(seed));
            let mut solver = Solver::new(&skeleton).problem(problem).settings(no_time(method));
            let report = solver.solve(&mut pose);
            let is_met = report.stop.is_reached();
            assert!(report.iterations == 1 || is_met && report.iterations == 0, "{method:?}, seed {seed}: {report}");
        }
    }
}

/// The end of a round in a loop: the solve that may begin late takes a step, any other one stays.
#[test]
fn a_solve_that_begins_after_the_end_of_all_takes_a_step_if_it_may() {
    for seed in 0..FIGURES {
        let (skeleton, problem, start) = body(&mut Random::new(seed));
        let over = Interrupt::NONE.until(Instant::now());
        let [stays, moves] = [over, over.after_a_step()].map(|interrupt| {
            let settings = Settings { interrupt, ..Settings::default() };
            let mut pose = start.clone();
            let report = Solver::new(&skeleton).problem(problem.clone()).settings(settings).solve(&mut pose);
            (report, pose)
        });
        assert_eq!((stays.0.stop, stays.0.attempts, &stays.1), (Stop::Interrupted, 0, &start), "seed {seed}");
        let [before, after] = [&start, &moves.1].map(|pose| error(&skeleton, &problem, pose));
        assert!(after < before, "seed {seed}: {before}, {after}");
    }
}
