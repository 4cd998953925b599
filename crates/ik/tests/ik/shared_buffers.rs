//! Figures that share buffers, and the obstacles that are near each of them.

use fabrik3d_ik::collision::Obstacle;
use fabrik3d_ik::goals::Pole;
use fabrik3d_ik::joints::Axes;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Effector, Goal, Interval, Isometry, Joint, Kind, Pose, Problem, Settings, Skeleton, Solver, Target};
use glam::{DQuat, DVec3};
use std::num::NonZeroU32;

/// A few attempts only: most targets are missed.
fn settings() -> Settings {
    Settings { max_attempts: NonZeroU32::new(3).expect("not 0"), ..Settings::default() }
}

/// An arm of random kinds, with a goal and perhaps a pole.
struct Arm {
    joints: Vec<Joint>,
    goal: Goal,
    pole: Option<Pole>,
}

impl Arm {
    fn random(at: usize, random: &mut Random) -> Arm {
        let count = 2 + random.index(4);
        let base = 6.0 * random.ball();
        let joint = |i: usize, random: &mut Random| {
            let kind = match random.index(6) {
                0 if i == 0 => Kind::Fixed,
                0 => Kind::Slide { axis: random.direction(), range: Interval::new(-0.5, 0.5).ok() },
                1 if random.unit() < 0.2 => Kind::Free,
                1 | 2 => Kind::UNLIMITED_BALL,
                _ => Kind::Hinge { axis: random.direction(), range: Interval::new(-2.0, 2.0).ok() },
            };
            let offset = if i == 0 { base } else { random.direction() };
            let mut joint = Joint::new(format!("{at}.{i}"), i.checked_sub(1), offset, kind);
            joint.stiffness = if random.unit() < 0.3 { 0.5 } else { 0.0 };
            joint.axes = if random.unit() < 0.2 { Axes::World } else { Axes::Parent };
            joint
        };
        let joints: Vec<Joint> = (0..count).map(|i| joint(i, random)).collect();
        let place = base + random.range(0.5, 1.5) * count as f64 * random.ball();
        let target = match random.index(3) {
            0 => Target::from((place, random.rotation())),
            _ => Target::from(place),
        };
        let goal = Goal::new(Effector::new(count - 1, random.direction()), target);
        let pole = (random.unit() < 0.3).then(|| Pole { joint: 1, toward: base + 3.0 * random.direction() });
        Arm { joints, goal, pole }
    }

    /// The arm with its joints numbered from `first` on.
    fn from(&self, first: usize) -> Arm {
        let joint = |joint: &Joint| Joint { parent: joint.parent.map(|parent| parent + first), ..joint.clone() };
        let mut goal = self.goal;
        goal.effector.joint += first;
        let pole = self.pole.map(|pole| Pole { joint: pole.joint + first, ..pole });
        Arm { joints: self.joints.iter().map(joint).collect(), goal, pole }
    }
}

fn obstacle(random: &mut Random) -> Obstacle {
    let (center, size) = (8.0 * random.ball(), random.range(0.05, 0.3));
    match random.index(20) {
        0 => Obstacle::HalfSpace { normal: DVec3::Y, offset: -random.range(2.0, 20.0) },
        1..=6 => Obstacle::Capsule { ends: [center, center + 2.0 * random.ball()], radius: size },
        7..=12 => Obstacle::Box { center, rotation: random.rotation(), half: DVec3::splat(size) },
        _ => Obstacle::Sphere { center, radius: size },
    }
}

/// A skeleton of some arms and its problem.
fn together(arms: &[Arm], obstacles: &[Obstacle], base: Isometry) -> (Skeleton, Problem) {
    let mut joints: Vec<Joint> = Vec::new();
    let mut problem = Problem { obstacles: obstacles.to_vec(), link_radius: 0.05, base, ..Problem::default() };
    for arm in arms {
        let Arm { joints: own, goal, pole } = arm.from(joints.len());
        joints.extend(own);
        problem.goals.push(goal);
        problem.poles.extend(pole);
    }
    let skeleton = Skeleton::new(joints).expect("arms");
    problem.home = skeleton.rest_pose();
    (skeleton, problem)
}

/// A skeleton that is a single arm takes all obstacles. An arm among others takes those that it is near. Both give the same
/// bits.
#[test]
fn obstacles_out_of_range_change_nothing() {
    let mut touched = 0;
    for seed in 0..30 {
        let mut random = Random::new(seed);
        let arms: Vec<Arm> = (0..4).map(|at| Arm::random(at, &mut random)).collect();
        let obstacles: Vec<Obstacle> = (0..300).map(|_| obstacle(&mut random)).collect();
        let base = Isometry::new(random.direction(), if seed % 2 == 0 { DQuat::IDENTITY } else { random.rotation() });
        let (skeleton, problem) = together(&arms, &obstacles, base);
        let mut whole = skeleton.rest_pose();
        let _ = Solver::new(&skeleton).problem(problem).settings(settings()).solve(&mut whole);
        let mut first = 0;
        for (at, arm) in arms.iter().enumerate() {
            let [own, free] = [&obstacles[..], &[]].map(|obstacles| {
                let (alone, problem) = together(std::slice::from_ref(arm), obstacles, base);
                let mut own = alone.rest_pose();
                let _ = Solver::new(alone).problem(problem).settings(settings()).solve(&mut own);
                own
            });
            assert_eq!(whole[first..first + own.len()], own, "seed {seed}, arm {at}");
            touched += usize::from(own != free);
            first += own.len();
        }
    }
    assert!(touched > 20, "only {touched} arms met an obstacle");
}

/// One set of buffers for many figures in any order, solve after solve, gives the same bits as a set for each figure.
#[test]
fn buffers_hold_nothing() {
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let arms: Vec<Arm> = (0..6).map(|at| Arm::random(at, &mut random)).collect();
        let obstacles: Vec<Obstacle> = (0..20 * random.index(5)).map(|_| obstacle(&mut random)).collect();
        let (skeleton, problem) = together(&arms, &obstacles, Isometry::IDENTITY);
        let mut shared = Solver::new(&skeleton).problem(problem);
        let count = shared.figures().expect("fits").len();
        let mut own: Vec<Solver> = vec![shared.clone(); count];
        let (mut expected, mut found): (Pose, Pose) = (skeleton.rest_pose(), skeleton.rest_pose());
        for step in 0..12 {
            let at = random.index(count);
            for goal in &mut shared.problem.goals {
                goal.target.position = goal.target.position.map(|place| place + 0.1 * random.direction());
            }
            own[at].problem.clone_from(&shared.problem);
            let solve = |solver: &mut Solver, pose: &mut Pose| {
                let mut figures = solver.figures().expect("fits");
                match step % 3 {
                    0 => figures.solve(at, &settings(), pose),
                    _ => figures.track(at, &settings(), pose),
                }
            };
            let alone = solve(&mut own[at], &mut expected);
            assert_eq!((solve(&mut shared, &mut found), &found), (alone, &expected), "seed {seed}, step {step}, {at}");
        }
    }
}
