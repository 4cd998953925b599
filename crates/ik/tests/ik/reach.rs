//! Where an effector can get.
#![allow(clippy::unwrap_used)]

use fabrik3d_ik::display::{WorkspaceShell, WorkspaceSurface};
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Effector, Interval, Joint, Kind, Skeleton, Solver, Stop, Target};
use glam::DVec3;

#[test]
fn exactly_the_targets_inside_the_shell_are_reached() {
    let mut random = Random::new(11);
    for _ in 0..200 {
        let links = 2 + random.index(4);
        let mut step = || random.direction() * (0.1 + random.unit() * random.unit() * 3.0);
        let joint = |at: usize| Joint::new(format!("{at}"), at.checked_sub(1), step(), Kind::UNLIMITED_BALL);
        let skeleton = Skeleton::new((0..links).map(joint).collect::<Vec<_>>()).unwrap();
        let effector = Effector::new(links - 1, step());
        let start = skeleton.rest_pose();
        let shell = WorkspaceShell::of(&skeleton, &effector, &start).unwrap();
        // A larger distance from the boundary than the solver's tolerance.
        let margin = 0.01 * shell.outer;
        for (radius, inside) in [
            (shell.outer - margin, shell.outer - margin > shell.inner),
            (shell.outer + margin, false),
            (shell.inner + margin, shell.inner + margin < shell.outer),
            (shell.inner - margin, false),
        ] {
            if radius > 0.0 {
                let target = shell.center + random.direction() * radius;
                let report = Solver::new(skeleton.clone()).goal(effector, target).solve(&mut start.clone());
                assert_eq!(report.stop == Stop::Reached, inside, "{shell:?} {radius} {report:?}");
            }
        }
    }
}

/// The base turns about its own link, so that the reach of an arm begins at its shoulder.
#[test]
fn what_is_too_far_from_the_shoulder_is_too_far() {
    let mut random = Random::new(13);
    for seed in 0..200 {
        let up = random.direction();
        let mut joints =
            vec![Joint::new("base", None, DVec3::ZERO, Kind::hinge(up)), Joint::new("0", Some(0), up, Kind::Fixed)];
        for at in 1..2 + random.index(5) {
            let offset = if at == 1 { DVec3::ZERO } else { random.direction() * random.range(0.1, 1.0) };
            let kind = Kind::limited_hinge(random.direction(), -random.unit(), 2.0 * random.unit()).unwrap();
            joints.push(Joint::new(format!("{at}"), Some(at), offset, kind));
        }
        let skeleton = Skeleton::new(joints).unwrap();
        let effector = Effector::new(skeleton.len() - 1, random.direction());
        let reach = effector.reach(&skeleton) - 1.0;
        let target = up + random.direction() * reach * random.range(1.01, 3.0);
        for rotation in [None, Some(random.rotation())] {
            let target = match rotation {
                Some(rotation) => (target, rotation).into(),
                None => Target::from(target),
            };
            let mut solver = Solver::new(&skeleton).goal(effector, target);
            let mut pose = skeleton.rest_pose();
            assert_eq!(solver.solve(&mut pose).stop, Stop::TooFar, "seed {seed}, {rotation:?}");
            assert_eq!(solver.track(&mut pose).stop, Stop::TooFar, "seed {seed}, {rotation:?}");
            assert_eq!(solver.solve_nearest(&mut pose).stop, Stop::TooFar, "seed {seed}, {rotation:?}");
        }
    }
}

#[test]
fn what_has_no_size_takes_that_of_its_tree() {
    let mut random = Random::new(12);
    for _ in 0..200 {
        let lengths = [0; 4].map(|_| random.range(0.1, 3.0));
        let mut joint = |name: &str, parent, length: f64| {
            Joint::new(name, parent, random.direction() * length, Kind::UNLIMITED_BALL)
        };
        let [a, b, c, alone] =
            [("a", None, 9.0), ("b", Some(0), lengths[0]), ("c", Some(1), lengths[1]), ("d", None, 1.0)]
                .map(|(name, parent, length)| joint(name, parent, length));
        let skeleton = Skeleton::new(vec![a, b, c, alone]).unwrap();
        let [root, elbow, hand, other] =
            [(0, 0.0), (1, 0.0), (2, lengths[2]), (3, lengths[3])].map(|(at, tip)| Effector::new(at, DVec3::X * tip));
        let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found}, not {expected}");
        near(hand.error_scale(&skeleton, []), lengths[..3].iter().sum());
        near(root.error_scale(&skeleton, [&elbow, &hand, &other]), lengths[..3].iter().sum());
        near(root.error_scale(&skeleton, [&elbow, &other]), lengths[0]);
        near(root.error_scale(&skeleton, [&other]), lengths[0] + lengths[1]);
    }
    let alone = Skeleton::new(vec![Joint::new("a", None, DVec3::ZERO, Kind::UNLIMITED_BALL)]).unwrap();
    assert_eq!(Effector::new(0, DVec3::ZERO).error_scale(&alone, []), 1.0);
}

/// Other samples of the same poses lie inside the surface, up to its resolution.
#[test]
fn a_sampled_surface_encloses_what_limits_allow() {
    let mut random = Random::new(13);
    for _ in 0..10 {
        let range = Interval::new(-random.range(0.2, 1.5), random.range(0.2, 1.5)).ok();
        let kind = |at: usize| Kind::Hinge { axis: [DVec3::Z, DVec3::Y, DVec3::X][at], range };
        let joint = |at: usize| Joint::new(format!("{at}"), at.checked_sub(1), DVec3::X, kind(at));
        let skeleton = Skeleton::new((0..3).map(joint).collect::<Vec<_>>()).unwrap();
        let effector = Effector::new(2, DVec3::new(0.5, 0.3, 0.0));
        let surface = WorkspaceSurface::sample(&skeleton, effector).unwrap();
        assert!(surface.is_of(&skeleton, effector) && !surface.is_of(&skeleton, Effector::new(1, DVec3::X)));
        let corners = || surface.corners.iter().map(|(corner, _)| corner.as_dvec3());
        let [low, high] = [corners().reduce(DVec3::min).unwrap(), corners().reduce(DVec3::max).unwrap()];
        let resolution = 0.1 * (high - low).max_element();
        for _ in 0..200 {
            let tip = skeleton.frames(&skeleton.random_pose(&mut random))[2].point(effector.tip);
            assert!((low - tip).max(tip - high).max_element() < resolution, "{tip} outside of {low} to {high}");
        }
        let free = |at: usize| Joint::new(format!("{at}"), at.checked_sub(1), DVec3::X, Kind::UNLIMITED_BALL);
        let rope = Skeleton::new((0..3).map(free).collect::<Vec<_>>()).unwrap();
        assert!(WorkspaceSurface::sample(&rope, effector).is_none());
    }
}
