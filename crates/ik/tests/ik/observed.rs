//! An observed solve is the solve, and its steps are what the solver did.
#![allow(clippy::unwrap_used)]

use fabrik3d_ik::fabrik::observer::SolveEvent;
use fabrik3d_ik::fabrik::passes;
use fabrik3d_ik::figures::split;
use fabrik3d_ik::goals::Pole;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::settings::Method;
use fabrik3d_ik::{
    Chain, Coordinates, Effector, Goal, Isometry, Joint, Kind, Pose, Problem, Settings, Skeleton, Solver,
};
use glam::DVec3;
use std::sync::Arc;

/// A random line of unlimited balls, at times on a free base or with a fixed last joint, and a target for its end.
fn line(random: &mut Random) -> (Arc<Skeleton>, Problem, Pose) {
    let links = 1 + random.index(9);
    let mut joints: Vec<Joint> = Vec::new();
    for at in 0..links {
        let kind = if at == 0 && random.index(6) == 0 { Kind::Free } else { Kind::UNLIMITED_BALL };
        let offset = random.direction() * random.range(0.3, 2.0);
        joints.push(Joint::new(at.to_string(), at.checked_sub(1), offset, kind));
    }
    if random.index(3) == 0 {
        joints.push(Joint::new("end", Some(links - 1), random.direction(), Kind::Fixed));
    }
    let skeleton = Arc::new(Skeleton::new(joints).unwrap());
    let tip = Effector::new(skeleton.len() - 1, random.direction());
    let reach = tip.reach(&skeleton).max(1.0);
    let pose = skeleton.random_pose(random);
    let base = skeleton.frames(&pose)[0].position;
    let mut problem =
        Problem { goals: vec![Goal::new(tip, base + random.ball() * (1.2 * reach))], ..Problem::default() };
    if links > 1 && random.index(3) == 0 {
        problem.poles.push(Pole { joint: 1 + random.index(links - 1), toward: random.direction() * 9.0 });
    }
    (skeleton, problem, pose)
}

/// One step of an observed solve.
struct Step {
    event: SolveEvent,
    frames: Vec<Isometry>,
    pose: Vec<Coordinates>,
}

/// The steps of a solve. Asserts that observing it changes nothing.
fn observed(skeleton: &Arc<Skeleton>, problem: &Problem, settings: Settings, pose: &[Coordinates]) -> Vec<Step> {
    let solver = || Solver::new(Arc::clone(skeleton)).problem(problem.clone()).settings(settings);
    let (mut alone, mut seen) = (pose.to_vec(), pose.to_vec());
    let report = solver().solve(&mut alone);
    let mut steps = Vec::new();
    let observed = solver().solve_observed(&mut seen, |event, frames, pose| {
        steps.push(Step { event, frames: frames.to_vec(), pose: pose.to_vec() });
    });
    assert_eq!(observed, report);
    assert_eq!(seen, alone);
    steps
}

#[test]
fn observing_a_plain_chain_changes_nothing_and_reports_the_steps_of_the_chain() {
    let mut random = Random::new(31);
    let mut backward = 0;
    for case in 0..1000 {
        let (skeleton, problem, pose) = line(&mut random);
        let settings = Settings { method: Method::ALL[case % Method::ALL.len()], ..Settings::default() };
        let steps = observed(&skeleton, &problem, settings, &pose);
        let figure = split(&skeleton, &problem).next().unwrap();
        let points = figure.chain_points(&problem, &pose).unwrap();
        if *skeleton.kind(0) == Kind::Free {
            continue;
        }
        let mut chain = Chain::new(&points).unwrap();
        chain.set_pole(problem.poles.first().copied());
        let target = problem.goals[0].target.position.unwrap();
        let mut expected: Vec<(SolveEvent, Vec<DVec3>)> = Vec::new();
        let _ = chain.solve_observed(target, &settings, |event, points| {
            expected.push((event, points.points().collect()));
        });
        assert_eq!(steps.len(), expected.len(), "case {case}");
        let rounding = 1e-12 * chain.reach();
        let tip = problem.goals[0].effector;
        for (step, (event, points)) in steps.iter().zip(&expected) {
            assert_eq!(step.event, *event, "case {case}");
            // The chain may leave its base in place during a backward pass.
            let is_backward = matches!(event, SolveEvent::Backward { .. });
            let inner = points.len() - 1;
            let first = usize::from(is_backward);
            let places = step.frames.iter().map(|frame| frame.position).zip(&points[..inner]).skip(first);
            places.for_each(|(place, point)| assert_eq!(place, *point, "case {case} {event:?}"));
            assert!(step.frames[tip.joint].point(tip.tip).distance(points[inner]) < rounding, "case {case} {event:?}");
            let shown = skeleton.frames(&step.pose);
            let off = shown.iter().zip(&step.frames).map(|(a, b)| a.position.distance(b.position)).fold(0.0, f64::max);
            assert!(is_backward || off < rounding, "case {case} {event:?}: {off:e}");
            backward += usize::from(is_backward);
        }
    }
    assert!(backward > 500, "only {backward} backward passes");
}

#[test]
fn the_observed_passes_of_a_plain_chain_are_fabrik_bit_by_bit() {
    let mut random = Random::new(32);
    let mut count = 0;
    for case in 0..200 {
        let (skeleton, problem, pose) = line(&mut random);
        let settings = Settings { method: Method::Textbook, ..Settings::default() };
        let steps = observed(&skeleton, &problem, settings, &pose);
        let figure = split(&skeleton, &problem).next().unwrap();
        let mut points = figure.chain_points(&problem, &pose).unwrap();
        let (base, lengths) = (points[0], Chain::new(&points).unwrap().lengths().to_vec());
        for step in steps {
            match step.event {
                SolveEvent::Backward { target } => passes::backward(&mut points, &lengths, target),
                SolveEvent::Forward => passes::forward(&mut points, &lengths, base),
                _ => break,
            }
            count += 1;
            let places = step.frames.iter().map(|frame| frame.position);
            assert!(places.zip(&points[..points.len() - 1]).all(|(place, point)| place == *point), "case {case}");
        }
    }
    assert!(count > 500, "only {count} passes");
}

#[test]
fn a_rope_follows_its_tip_in_one_observed_pass() {
    let mut random = Random::new(33);
    let mut ropes = 0;
    while ropes < 40 {
        let (skeleton, problem, pose) = line(&mut random);
        if *skeleton.kind(0) != Kind::Free {
            continue;
        }
        ropes += 1;
        let steps = observed(&skeleton, &problem, Settings::default(), &pose);
        let target = problem.goals[0].target.position.unwrap();
        assert_eq!(steps[0].event, SolveEvent::Backward { target });
        let tip = problem.goals[0].effector;
        assert!(steps[0].frames[tip.joint].point(tip.tip).distance(target) < 1e-12 * (1.0 + target.length()));
        assert!(steps[1..].iter().all(|step| step.event == SolveEvent::TurnToPole));
    }
}
