//! Lists of the poses that meet goals: what they hold, and what they say that they are.
#![allow(clippy::unwrap_used)]

use fabrik3d_ik::arms::{AllSolutions, Coverage};
use fabrik3d_ik::goals::Freedom;
use fabrik3d_ik::queries::{goal_errors, worst_violation};
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Effector, Goal, Interval, Joint, Kind, Problem, Skeleton, Solver, Target};
use glam::DVec3;

/// Which joints a limb has.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Build {
    /// Hinges about axes and with offsets of any direction.
    Hinges,
    /// Hinges about the z axis with offsets in the plane.
    Planar,
    /// Hinges and slides.
    Slides,
    /// Balls without limits.
    Balls,
}

/// What is asked of the tip of a limb, and how many coordinates that takes in space.
const ASKED: [(&str, usize); 4] = [("position", 3), ("position and orientation", 6), ("spin", 5), ("plane", 1)];

fn joint(build: Build, at: usize, random: &mut Random) -> Joint {
    let limits = Interval::new(-random.range(1.5, 3.0), random.range(1.5, 3.0)).ok();
    let kind = match build {
        Build::Planar => Kind::Hinge { axis: DVec3::Z, range: limits },
        Build::Balls => Kind::UNLIMITED_BALL,
        Build::Slides if random.index(2) == 0 => {
            Kind::Slide { axis: random.direction(), range: Interval::new(-0.5, 0.5).ok() }
        }
        _ => Kind::Hinge { axis: random.direction(), range: limits },
    };
    let offset = match build {
        Build::Planar => DVec3::new(random.range(-1.0, 1.0), random.range(-1.0, 1.0), 0.0),
        _ => random.direction() * random.range(0.3, 0.8),
    };
    Joint::new(at.to_string(), at.checked_sub(1), offset, kind)
}

/// Adds a goal that a random pose meets.
fn ask(asked: &str, effector: Effector, frame: fabrik3d_ik::Isometry, problem: &mut Problem) {
    let place = frame.point(effector.tip);
    let goal = match asked {
        "position" => Goal::new(effector, place),
        "position and orientation" => Goal::new(effector, (place, frame.rotation)),
        "spin" => Goal { freedom: Freedom::spin(DVec3::Z), ..Goal::new(effector, (place, frame.rotation)) },
        _ => {
            let freedom = Freedom { slack: DVec3::new(1.0, 1.0, 0.0), ..Freedom::default() };
            Goal { freedom, ..Goal::new(effector, Target::from(place)) }
        }
    };
    problem.goals.push(goal);
}

/// The laws of every list, and whether it is one of infinitely many poses.
fn check(skeleton: &Skeleton, problem: &Problem, context: &str) -> bool {
    let start = skeleton.rest_pose();
    let mut solver = Solver::new(skeleton).problem(problem.clone());
    let AllSolutions { poses, coverage } = solver.all_solutions(&start);
    assert_eq!(poses, solver.solutions(&start, 16), "{context}");
    assert!(poses.len() <= 16, "{context}: {}", poses.len());
    let mut pose = start.clone();
    assert!(!poses.is_empty() || !solver.solve(&mut pose).stop.is_reached(), "{context}: a solve finds more");
    for (at, pose) in poses.iter().enumerate() {
        assert!(worst_violation(skeleton, pose) <= 1e-12, "{context}");
        for error in goal_errors(skeleton, problem, pose) {
            assert!(error.position <= solver.settings.tolerance, "{context}: {error:?}");
            assert!(error.angle <= solver.settings.rotation_tolerance, "{context}: {error:?}");
        }
        assert!(poses[..at].iter().all(|other| other != pose), "{context}");
    }
    assert!(solver.solutions(&start, 3).len() <= 3, "{context}");
    matches!(coverage, Coverage::Some(_))
}

/// A limb has infinitely many poses if its joints have more freedom than the target takes, and lists some of them.
#[test]
fn every_figure_lists_poses_and_knows_whether_there_are_infinitely_many() {
    let mut random = Random::new(91);
    let mut endless = [0; 2];
    for case in 0..160 {
        let build = [Build::Hinges, Build::Planar, Build::Slides, Build::Balls][case % 4];
        let count = if build == Build::Balls { 1 + random.index(3) } else { 1 + random.index(9) };
        let skeleton = Skeleton::new((0..count).map(|at| joint(build, at, &mut random)).collect()).unwrap();
        let effector = Effector::new(count - 1, random.direction() * 0.4);
        let frame = skeleton.frames(&skeleton.random_pose(&mut random))[count - 1];
        let (asked, taken) = ASKED[random.index(if build == Build::Hinges || build == Build::Slides { 4 } else { 2 })];
        let mut problem = Problem::default();
        ask(asked, effector, frame, &mut problem);
        let (freedoms, taken) = match (build, asked) {
            (Build::Planar, "position") => (count, 2),
            (Build::Planar, _) => (count, 3),
            // The distance from its center is none of the choices of a ball.
            (Build::Balls, "position") if count == 1 => (3, 2),
            (Build::Balls, "position and orientation") if count == 1 => (3, 3),
            // Nor is that of the second ball from the first one.
            (Build::Balls, "position and orientation") if count == 2 => (6, 5),
            (Build::Balls, _) => (3 * count, taken),
            _ => (count, taken),
        };
        let slides = skeleton.joints().iter().filter(|joint| matches!(joint.kind, Kind::Slide { .. })).count();
        // More than three slides have turns to take less than a whole orientation.
        let turns = if build == Build::Slides { count - slides } else { 3 };
        let expected = freedoms > taken || turns < 3 && slides > 3;
        let context = format!("case {case}: {build:?} {count}, {asked}");
        let is_endless = check(&skeleton, &problem, &context);
        if build != Build::Slides || slides == 0 || freedoms > taken {
            assert_eq!(is_endless, expected, "{context}");
        }
        endless[usize::from(is_endless)] += 1;
    }
    assert!(endless.iter().all(|count| *count > 30), "{endless:?}");
}

/// The figures of a problem are judged one by one: that another one has too few joints does not hide that one has too many.
#[test]
fn figures_with_several_effectors_and_independent_ones_are_judged_too() {
    let mut random = Random::new(92);
    for case in 0..40 {
        // A trunk of `trunk` hinges carries two arms of `arm` hinges, or two arms stand apart.
        let (trunk, arm) = (random.index(3), 2 + random.index(4));
        let mut joints: Vec<Joint> = (0..trunk).map(|at| joint(Build::Hinges, at, &mut random)).collect();
        let mut ends = Vec::new();
        for _ in 0..2 {
            let mut parent = trunk.checked_sub(1);
            for _ in 0..arm {
                let at = joints.len();
                joints.push(Joint { parent, ..joint(Build::Hinges, at, &mut random) });
                parent = Some(at);
            }
            ends.push(joints.len() - 1);
        }
        let skeleton = Skeleton::new(joints).unwrap();
        let frames = skeleton.frames(&skeleton.random_pose(&mut random));
        let mut problem = Problem::default();
        let asked = [ASKED[random.index(2)], ASKED[random.index(2)]];
        for (&end, (asked, _)) in ends.iter().zip(asked) {
            ask(asked, Effector::new(end, random.direction() * 0.3), frames[end], &mut problem);
        }
        let taken = asked.map(|(_, taken)| taken);
        let expected = taken.iter().any(|taken| arm > *taken) || trunk > 0 && trunk + 2 * arm > taken.iter().sum();
        let context = format!("case {case}: {trunk} {arm} {asked:?}");
        assert_eq!(check(&skeleton, &problem, &context), expected, "{context}");
    }
}
