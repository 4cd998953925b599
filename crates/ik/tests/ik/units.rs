//! What a solve does not depend on: the unit of length, and how many chains are solved at once.

use fabrik3d_ik::collision::{KeepClear, LinkCapsule, Obstacle};
use fabrik3d_ik::display::mix_poses;
use fabrik3d_ik::goals::Attachment;
use fabrik3d_ik::queries::angle_between;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::settings::Method;
use fabrik3d_ik::{Effector, Goal, Interval, Joint, Kind, Pose, Problem, Settings, Skeleton, Solver, Swing};
use glam::DVec3;

/// A tree of limited and unlimited joints, with goals for its ends, and an obstacle, in units of `unit`.
fn tree(seed: u64, unit: f64) -> (Skeleton, Problem, Pose) {
    let random = &mut Random::new(seed);
    let count = 4 + random.index(6);
    let mut joints = Vec::new();
    for at in 0..count {
        let parent = (at > 0).then(|| if random.unit() < 0.7 { at - 1 } else { random.index(at) });
        let kind = match random.index(4) {
            0 => Kind::Hinge { axis: random.direction(), range: Interval::new(-2.0, 1.5).ok() },
            1 => Kind::Ball { swing: Swing::new([1.2, 0.8, 0.7, 1.0]).ok(), twist: Interval::new(-0.6, 0.9).ok() },
            _ => Kind::UNLIMITED_BALL,
        };
        joints.push(Joint::new(at.to_string(), parent, random.direction() * unit, kind));
    }
    let skeleton = Skeleton::new(joints).expect("a tree");
    let (start, wanted) = (skeleton.random_pose(random), skeleton.random_pose(random));
    let frames = skeleton.frames(&wanted);
    let tip = random.direction() * unit;
    let effectors = [Effector::new(count - 1, tip), Effector::new(random.index(count), tip)];
    let goals = effectors.map(|effector| Goal::new(effector, frames[effector.joint].point(tip)));
    let mut problem = Problem { goals: goals.to_vec(), ..Problem::default() };
    match seed % 3 {
        0 => {
            let center = random.direction() * (0.8 * unit);
            problem.obstacles = vec![Obstacle::Sphere { center, radius: 0.3 * unit }];
            let ends = [DVec3::ZERO, tip * 0.5];
            let capsule = |joint| LinkCapsule { joint, ends, radius: 0.05 * unit, hull: None };
            let capsules = vec![capsule(count - 1), capsule(1)];
            problem.keep_clear = KeepClear { capsules, pairs: Vec::new(), margin: 0.02 * unit };
        }
        1 => {
            let mut at = |joint: usize| Attachment { joint, point: random.direction() * unit };
            problem.goals.truncate(1);
            problem.loops = vec![(at(1), at(count - 1))];
        }
        _ => {}
    }
    (skeleton, problem, start)
}

/// A power of two changes no digit, so the joints move by the same bits.
#[test]
fn the_unit_of_length_changes_no_answer() {
    for seed in 0..240 {
        let method = [Method::Accelerated, Method::Textbook, Method::Ccd, Method::Dls][seed as usize / 3 % 4];
        let answers = [1.0, 1024.0].map(|unit| {
            let (skeleton, problem, mut pose) = tree(seed, unit);
            let settings = Settings { method, ..Settings::default() };
            let mut solver = Solver::new(skeleton).problem(problem).settings(settings);
            let report = solver.solve(&mut pose);
            (report.stop, report.iterations, report.attempts, pose)
        });
        assert_eq!(answers[0], answers[1], "seed {seed}, {method:?}");
    }
}

/// A mix begins and ends with its poses, and all that moves is on its way between them.
#[test]
fn mixes_begin_and_end_with_their_poses() {
    for seed in 0..300 {
        let random = &mut Random::new(seed);
        let kinds = [
            Kind::UNLIMITED_BALL,
            Kind::Ball { swing: Swing::new([1.2, 0.8, 0.7, 1.0]).ok(), twist: None },
            Kind::Ball { swing: None, twist: Interval::new(-0.6, 0.9).ok() },
            Kind::Hinge { axis: random.direction(), range: None },
            Kind::Hinge { axis: random.direction(), range: Interval::new(-2.0, 1.5).ok() },
            Kind::Slide { axis: random.direction(), range: Interval::new(-1.0, 1.0).ok() },
        ];
        for kind in kinds {
            let skeleton =
                Skeleton::new(vec![Joint::new("a", None, DVec3::X, kind), Joint::new("b", Some(0), DVec3::X, kind)]);
            let skeleton = skeleton.expect("a chain");
            let [from, to] = [0; 2].map(|_| skeleton.random_pose(random));
            let mixed = |weight: f64| {
                let mut out = from.clone();
                mix_poses(&skeleton, &[0, 1], &from, &to, weight, &mut out);
                skeleton.frames(&out)
            };
            let turn = |a: &[fabrik3d_ik::Isometry], b: &[fabrik3d_ik::Isometry]| {
                a.iter().zip(b).map(|(a, b)| angle_between(a.rotation, b.rotation)).fold(0.0, f64::max)
            };
            let (ends, whole) = ([&from, &to].map(|pose| skeleton.frames(pose)), |weight: f64| mixed(weight));
            assert!(turn(&whole(0.0), &ends[0]) < 1e-6 && turn(&whole(1.0), &ends[1]) < 1e-6, "seed {seed}, {kind:?}");
            // No jump on the way.
            let steps = (0..200).map(|at| turn(&mixed(f64::from(at) / 200.0), &mixed(f64::from(at + 1) / 200.0)));
            assert!(steps.fold(0.0, f64::max) < 0.2, "seed {seed}, {kind:?}");
        }
    }
}

#[test]
fn many_equal_chains_are_solved_in_lanes() {
    let random = &mut Random::new(3);
    let (links, chains) = (5, 40);
    let mut joints = Vec::new();
    for chain in 0..chains {
        for at in 0..links {
            let parent = (at > 0).then(|| joints.len() - 1);
            joints.push(Joint::new(format!("{chain}.{at}"), parent, DVec3::X, Kind::UNLIMITED_BALL));
        }
    }
    let skeleton = Skeleton::new(joints).expect("chains");
    let effector = |chain: usize| Effector::new((chain + 1) * links - 1, DVec3::X);
    let goals = (0..chains).map(|chain| Goal::new(effector(chain), DVec3::X + random.direction() * 3.0));
    let problem = Problem { goals: goals.collect(), ..Problem::default() };
    let mut solver = Solver::new(skeleton.clone()).problem(problem.clone());
    let mut pose = skeleton.random_pose(random);
    let mut solved = Vec::new();
    let mut figures = solver.figures().expect("a problem");
    figures.solve_chains(&Settings::default(), &mut pose, |_| true, |at, report| solved.push((at, report)));
    solved.sort_by_key(|(at, _)| *at);
    assert_eq!(solved.len(), chains);
    let frames = skeleton.frames(&pose);
    for (at, report) in solved {
        let effector = effector(at);
        let miss = frames[effector.joint].point(effector.tip).distance(problem.goals[at].target.position.expect("one"));
        assert!(report.stop.is_reached() && miss < 5e-4, "{at}: {miss}");
    }
}
