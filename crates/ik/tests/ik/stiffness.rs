//! Stiff joints turn less: a small motion is the one with the least turning weighted by stiffness.

use fabrik3d_ik::display::pose_distance;
use fabrik3d_ik::errors::SkeletonError;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{
    Coordinates, Effector, Goal, Interval, Isometry, Joint, Kind, Pose, Problem, Settings, Skeleton, Solver, Stop,
    Target,
};
use glam::{DMat3, DQuat, DVec3};

const JOINTS: usize = 6;

/// An arm of hinges.
fn arm(random: &mut Random, stiffness: [f64; JOINTS]) -> Skeleton {
    let joint = |at: usize| {
        let kind = Kind::Hinge { axis: random.direction(), range: None };
        let offset = if at == 0 { DVec3::ZERO } else { DVec3::Z };
        Joint { stiffness: stiffness[at], ..Joint::new(format!("{at}"), at.checked_sub(1), offset, kind) }
    };
    Skeleton::new((0..JOINTS).map(joint).collect()).expect("a skeleton")
}

/// The weighted pseudo-inverse, with derivatives by finite differences, says how far each joint turns.
#[test]
fn small_motions_have_the_least_weighted_turning() {
    let mut compared = 0;
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let stiffness: [f64; JOINTS] = std::array::from_fn(|_| (random.unit() * 10.0).floor() / 10.0);
        let skeleton = arm(&mut random, stiffness);
        let effector = Effector::new(JOINTS - 1, DVec3::Z);
        let pose: Pose = (0..JOINTS).map(|_| Coordinates::scalar(random.unit() * 2.0 - 1.0)).collect();
        let tip = |pose: &Pose| skeleton.frames(pose)[JOINTS - 1].point(effector.tip);
        let column = |joint: usize| {
            let moved = |by: f64| {
                let mut pose = pose.clone();
                pose[joint] = Coordinates::scalar(pose[joint].value() + by);
                tip(&pose)
            };
            (moved(1e-5) - moved(-1e-5)) / 2e-5
        };
        let columns: [DVec3; JOINTS] = std::array::from_fn(column);
        let share = |joint: usize| (1.0 - stiffness[joint]).powi(2);
        let outer = |v: DVec3| DMat3::from_cols(v * v.x, v * v.y, v * v.z);
        let square = (0..JOINTS).fold(DMat3::ZERO, |sum, joint| sum + outer(columns[joint]) * share(joint));
        // Near a singular pose, the derivatives change on the way.
        if square.determinant() < 1e-3 {
            continue;
        }
        let way = random.direction() * 1e-4;
        let due: [f64; JOINTS] = std::array::from_fn(|at| share(at) * columns[at].dot(square.inverse() * way));
        let settings = Settings { tolerance: 1e-10, ..Settings::default() };
        let mut solver = Solver::new(&skeleton).goal(effector, tip(&pose) + way).settings(settings);
        let mut found = pose.clone();
        assert!(solver.track(&mut found).stop.is_reached(), "seed {seed}");
        let longest = due.iter().fold(0.0, |longest: f64, part| longest.max(part.abs()));
        for joint in 0..JOINTS {
            let turned = found[joint].value() - pose[joint].value();
            let due = due[joint];
            assert!((turned - due).abs() < 0.02 * longest, "seed {seed}, joint {joint}: {turned} is not {due}");
        }
        compared += 1;
    }
    assert!(compared > 50, "{compared}");
}

#[test]
fn stiffness_is_from_0_to_1() {
    for stiffness in [-0.1, 1.1, f64::NAN] {
        let joint = Joint { stiffness, ..Joint::new("a", None, DVec3::ZERO, Kind::UNLIMITED_BALL) };
        assert_eq!(Skeleton::new(vec![joint]), Err(SkeletonError::Stiffness("a".to_owned())));
    }
}

/// Length of a thigh and of a shin.
const LEG: f64 = 0.4;

/// A body that stands on straight legs: pelvis, spine, and for each side thigh, shin and foot. Knees bend the way of `side`,
/// and by up to `back` radians the other way.
fn standing(side: f64, back: f64) -> Skeleton {
    let joint =
        |name: &str, parent, offset, kind, stiffness| Joint { stiffness, ..Joint::new(name, parent, offset, kind) };
    let range = if side > 0.0 { Interval::new(-back, 2.4) } else { Interval::new(-2.4, back) };
    let knee = Kind::Hinge { axis: DVec3::X, range: range.ok() };
    let ball = Kind::UNLIMITED_BALL;
    let mut joints = vec![
        joint("pelvis", None, DVec3::Y * 2.0 * LEG, Kind::Free, 0.95),
        joint("spine", Some(0), DVec3::Y * 0.1, ball, 0.9),
    ];
    for x in [-0.1, 0.1] {
        let first = joints.len();
        joints.push(joint(&format!("thigh {x}"), Some(0), DVec3::X * x, ball, 0.3));
        joints.push(joint(&format!("shin {x}"), Some(first), -DVec3::Y * LEG, knee, 0.0));
        joints.push(joint(&format!("foot {x}"), Some(first + 1), -DVec3::Y * LEG, ball, 0.3));
    }
    Skeleton::new(joints).expect("a skeleton")
}

/// A straight leg does not get shorter to first order. Its knee bends the way that its limits allow, by the angle that
/// trigonometry gives, and the back stays upright. Limits that a recording has widened let it bend a little the other way,
/// and it does not.
#[test]
fn straight_legs_bend_to_lower_the_head() {
    for seed in 0..100 {
        let mut random = Random::new(seed);
        let side = if seed % 2 == 0 { 1.0 } else { -1.0 };
        let widened = if seed % 4 < 2 { 0.0 } else { random.range(0.0, 0.6) };
        let skeleton = standing(side, widened);
        let mut pose = skeleton.rest_pose();
        let frames = skeleton.frames(&pose);
        let head = Effector::new(1, DVec3::Y * 0.5);
        let (lower, steps) = (random.range(0.03, 0.35), 1 + random.index(40));
        let top = frames[1].point(head.tip);
        let may_jump = Settings { may_jump: true, ..Settings::default() };
        let mut solver = Solver::new(&skeleton).settings(may_jump).goal(head, top);
        for foot in [4, 7] {
            solver = solver.goal(Effector::new(foot, DVec3::ZERO), frames[foot].position);
        }
        for step in 1..=steps {
            solver.set_target(0, Target::from(top - DVec3::Y * (lower * step as f64 / steps as f64)));
            assert!(solver.track(&mut pose).stop.is_reached(), "seed {seed}");
        }
        let due = 2.0 * (1.0 - lower / (2.0 * LEG)).acos();
        for knee in [3, 6] {
            let bend = side * pose[knee].value();
            // With widened limits other joints may do a part of it.
            let least = if widened > 0.0 { 0.25 * due } else { 0.7 * due };
            assert!(bend > least && bend < 1.3 * due, "seed {seed}: {bend} is not {due}");
        }
        let back = skeleton.frames(&pose)[1].rotation.angle_between(frames[1].rotation).to_degrees();
        assert!(back < 20.0, "seed {seed}: {back}");
    }
}

/// What a skeleton with a home does, over seeds: a standing body whose feet are pinned follows its head down and up again.
struct Bow {
    skeleton: Skeleton,
    solver: Solver,
    pose: Pose,
    top: DVec3,
    lower: f64,
    seed: u64,
}

impl Bow {
    fn new(seed: u64, home: Pose) -> Self {
        let mut random = Random::new(seed);
        let skeleton = standing(if seed.is_multiple_of(2) { 1.0 } else { -1.0 }, 0.0);
        let pose = skeleton.rest_pose();
        let frames = skeleton.frames(&pose);
        let head = Effector::new(1, DVec3::Y * 0.5);
        let top = frames[1].point(head.tip);
        let goal = |joint: usize| Goal::new(Effector::new(joint, DVec3::ZERO), frames[joint].position);
        let goals = vec![Goal::new(head, top), goal(4), goal(7)];
        let solver = Solver::new(&skeleton).problem(Problem { goals, home, ..Problem::default() });
        // A little lower than upright, so that straight legs leave room for the way forward.
        let (lower, forward) = (random.range(0.1, 0.3), random.direction() * random.range(0.05, 0.15));
        let top = top + DVec3::new(forward.x, -0.06, forward.z);
        let mut bow = Bow { skeleton, solver, pose, top, lower, seed };
        bow.glide(0.0, 0.0, 20);
        bow
    }

    /// Moves the head between two depths, in this number of steps.
    fn glide(&mut self, from: f64, to: f64, steps: u32) {
        for step in 1..=steps {
            let depth = from + (to - from) * f64::from(step) / f64::from(steps);
            self.solver.set_target(0, Target::from(self.top - DVec3::Y * depth));
            assert!(self.solver.track(&mut self.pose).stop.is_reached(), "seed {}", self.seed);
        }
    }

    /// Down and up again, three times.
    fn bow(&mut self, steps: u32) {
        for _ in 0..3 {
            self.glide(0.0, self.lower, steps);
            self.glide(self.lower, 0.0, steps);
        }
    }

    /// How far two poses are apart in the farthest joint, radians.
    fn apart(&self, other: &Pose) -> f64 {
        let all: Vec<usize> = (0..self.skeleton.len()).collect();
        pose_distance(&self.skeleton, &all, &self.pose, other, 1.0)
    }

    /// The sum of the squared angles from the rest pose, weighted by stiffness.
    fn turning(&self) -> f64 {
        let [now, rest] = [&self.pose, &self.skeleton.rest_pose()].map(|pose| self.skeleton.frames(pose));
        let joints = self.skeleton.joints().iter().enumerate();
        let turn = |(at, joint): (usize, &Joint)| {
            let local = |frames: &[Isometry]| {
                let above = joint.parent.map_or(DQuat::IDENTITY, |parent| frames[parent].rotation);
                above.conjugate() * frames[at].rotation
            };
            (local(&now).angle_between(local(&rest)) / (1.0 - joint.stiffness)).powi(2)
        };
        joints.map(turn).sum()
    }
}

/// With a home, a body that went down and came up again is nearer to it than without.
#[test]
fn bodies_come_back_home() {
    let (mut with, mut without) = (0.0, 0.0);
    for seed in 0..60 {
        let rest = standing(1.0, 0.0).rest_pose();
        let [home, none] = [rest, Pose::new()].map(|home| {
            let mut bow = Bow::new(seed, home);
            bow.bow(10);
            bow.turning()
        });
        assert!(home <= none + 1e-3, "seed {seed}: {home} is more than {none}");
        (with, without) = (with + home, without + none);
    }
    assert!(with < 0.8 * without, "{with} is not clearly less than {without}");
}

#[test]
fn the_way_home_does_not_depend_on_the_number_of_steps() {
    let mut same = 0;
    for seed in 0..60 {
        let [coarse, fine] = [5, 100].map(|steps| {
            let mut bow = Bow::new(seed, standing(1.0, 0.0).rest_pose());
            bow.bow(steps);
            bow
        });
        same += u32::from(coarse.apart(&fine.pose).to_degrees() < 5.0);
    }
    assert!(same >= 57, "{same} of 60");
}

/// A body whose targets rest keeps still, bit for bit, wherever its home is.
#[test]
fn nothing_moves_while_the_targets_rest() {
    for seed in 0..60 {
        let mut bow = Bow::new(seed, standing(1.0, 0.0).rest_pose());
        bow.glide(0.0, bow.lower, 10);
        let before = bow.pose.clone();
        for _ in 0..10 {
            let _ = bow.solver.track(&mut bow.pose);
            let _ = bow.solver.solve(&mut bow.pose);
        }
        assert_eq!(bow.pose, before, "seed {seed}");
    }
}

/// Without stiff joints, a home changes no bit.
#[test]
fn only_stiff_bodies_have_a_home() {
    for seed in 0..100 {
        let mut random = Random::new(seed);
        let skeleton = arm(&mut random, [0.0; JOINTS]);
        let effector = Effector::new(JOINTS - 1, DVec3::Z);
        let target = skeleton.frames(&skeleton.random_pose(&mut random))[JOINTS - 1].point(effector.tip);
        let start = skeleton.random_pose(&mut random);
        let [without, with] = [Pose::new(), skeleton.rest_pose()].map(|home| {
            let problem = Problem { goals: vec![Goal::new(effector, target)], home, ..Problem::default() };
            let mut pose = start.clone();
            let report = Solver::new(&skeleton).problem(problem).track(&mut pose);
            (pose, report)
        });
        assert_eq!(without, with, "seed {seed}");
    }
}

#[test]
fn a_home_has_one_entry_per_joint() {
    let skeleton = standing(1.0, 0.0);
    let mut pose = skeleton.rest_pose();
    let goals = vec![Goal::new(Effector::new(1, DVec3::Y * 0.5), DVec3::Y)];
    for home in [skeleton.rest_pose()[1..].to_vec(), vec![Coordinates::scalar(f64::NAN); skeleton.len()]] {
        let problem = Problem { goals: goals.clone(), home, ..Problem::default() };
        assert_eq!(Solver::new(&skeleton).problem(problem).solve(&mut pose).stop, Stop::Refused);
        assert_eq!(pose, skeleton.rest_pose());
    }
}
