//! Serial arms at random: hinges and slides with and without limits, fixed joints, mimic joints, crooked links.
#![allow(clippy::unwrap_used)]

use fabrik3d_ik::goals::{Freedom, Orientation};
use fabrik3d_ik::joints::Mimic;
use fabrik3d_ik::maths::pow;
use fabrik3d_ik::queries::angle_between;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::simd::Level;
use fabrik3d_ik::{
    Coordinates, Effector, Goal, Interval, Isometry, Joint, Kind, Pose, Problem, Report, Settings, Skeleton, Solver,
    Target,
};
use glam::DVec3;
use std::f64::consts::PI;

/// A skeleton with one arm, and targets that it can reach.
pub struct ArmCase {
    pub skeleton: Skeleton,
    pub effector: Effector,
    pub targets: Vec<Target>,
    /// What the targets leave open.
    pub freedom: Freedom,
}

impl ArmCase {
    pub fn goal(&self, target: Target) -> Goal {
        Goal { freedom: self.freedom, ..Goal::new(self.effector, target) }
    }
}

/// The parts of a target that a case has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wanted {
    Position,
    Orientation,
    Both,
}

impl Wanted {
    pub const ALL: [Wanted; 3] = [Wanted::Position, Wanted::Orientation, Wanted::Both];

    /// The target that the effector meets in `pose`.
    pub fn target(self, skeleton: &Skeleton, effector: &Effector, pose: &[Coordinates]) -> Target {
        let frame = skeleton.frame_of(Isometry::IDENTITY, pose, effector.joint);
        Target {
            position: (self != Wanted::Orientation).then(|| frame.point(effector.tip)),
            orientation: (self != Wanted::Position).then_some(Orientation::Rotation(frame.rotation)),
        }
    }
}

/// An arm of `moving` joints, and a branch that does not belong to it. The size differs from arm to arm by orders of
/// magnitude.
pub fn random_arm(moving: usize, random: &mut Random) -> (Skeleton, Effector) {
    let size = pow(10.0, random.range(-2.0, 2.0));
    let mut joints = vec![Joint::new("base", None, random.direction() * size, Kind::Fixed)];
    let mut leaders: Vec<usize> = Vec::new();
    while leaders.len() < moving {
        let at = joints.len();
        let slides = random.index(5) == 0;
        let kind = match random.index(8) {
            0 => Kind::Fixed,
            _ if slides => Kind::Slide {
                axis: random.direction(),
                range: Interval::new(-0.2 * size * random.unit(), 0.5 * size * random.unit()).ok(),
            },
            1 => Kind::Hinge { axis: random.direction(), range: None },
            _ => {
                let middle = random.range(-1.0, 1.0);
                let half = random.range(0.5, PI);
                Kind::Hinge { axis: random.direction(), range: Interval::new(middle - half, middle + half).ok() }
            }
        };
        let offset =
            if random.index(4) == 0 { DVec3::ZERO } else { random.direction() * size * random.range(0.1, 1.0) };
        let mut joint = Joint { rest: random.rotation(), ..Joint::new(format!("{at}"), Some(at - 1), offset, kind) };
        if let (Kind::Hinge { axis, .. }, Some(&leader), 0) = (kind, leaders.last(), random.index(8))
            && let Kind::Hinge { .. } = joints[leader].kind
        {
            joint.kind = Kind::Hinge { axis, range: None };
            joint.mimic = Some(Mimic { joint: leader, scale: random.range(-1.0, 1.0), offset: 0.3 });
        } else if kind != Kind::Fixed {
            leaders.push(at);
        }
        joints.push(joint);
    }
    let last = joints.len() - 1;
    let side = Joint::new("side", Some(last / 2), DVec3::X * size, Kind::UNLIMITED_BALL);
    joints.push(side);
    (Skeleton::new(joints).unwrap(), Effector::new(last, random.direction() * size * random.unit()))
}

/// A random arm with `count` targets from poses inside its limits.
pub fn random_case(moving: usize, wanted: Wanted, count: usize, seed: u64) -> ArmCase {
    let mut random = Random::new(seed);
    let (skeleton, effector) = random_arm(moving, &mut random);
    let targets = (0..count).map(|_| wanted.target(&skeleton, &effector, &skeleton.random_pose(&mut random)));
    let targets = targets.collect();
    ArmCase { skeleton, effector, targets, freedom: Freedom::default() }
}

/// The coordinates of these joints.
pub fn coordinates(pose: &Pose, joints: &[usize]) -> Vec<f64> {
    joints.iter().map(|&joint| pose[joint].value()).collect()
}

/// The pose at `share` of the way from one pose to the other.
pub fn mix(skeleton: &Skeleton, from: &Pose, to: &Pose, share: f64) -> Pose {
    let mix = |(a, b): (&Coordinates, &Coordinates)| Coordinates::scalar(a.value() + share * (b.value() - a.value()));
    let mut pose: Pose = from.iter().zip(to).map(mix).collect();
    for (joint, own) in pose.iter_mut().enumerate() {
        if *skeleton.kind(joint) == Kind::UNLIMITED_BALL {
            *own = from[joint];
        }
    }
    skeleton.follow(&mut pose);
    pose
}

/// Settings with this tolerance for distances and angles.
pub fn fine(tolerance: f64) -> Settings {
    Settings { tolerance, rotation_tolerance: tolerance, ..Settings::default() }
}

/// The arm of a case in lanes of one level: rows of its variables, the joints that move the effector and follow no other.
pub struct Lanes {
    pub solver: Solver,
    pub level: Level,
    /// Base first.
    pub variables: Vec<usize>,
}

impl Lanes {
    pub fn new(case: &ArmCase, level: Level) -> Self {
        let joints = case.skeleton.joints();
        let varies = |joint: &usize| joints[*joint].kind != Kind::Fixed && joints[*joint].mimic.is_none();
        let mut variables: Vec<usize> = case.effector.chain_joints(&case.skeleton).filter(varies).collect();
        variables.reverse();
        let problem = Problem { goals: vec![case.goal(case.targets[0])], ..Problem::default() };
        let mut solver = Solver::new(&case.skeleton).problem(problem.clone()).with_level(level).unwrap();
        assert!(solver.runs_in_lanes(&problem));
        Lanes { solver, level, variables }
    }

    /// The coordinates of the variables at rest.
    pub fn start(&self) -> Vec<f64> {
        coordinates(&self.solver.skeleton().rest_pose(), &self.variables)
    }

    /// The pose with these coordinates of the variables, and all other joints at rest.
    pub fn pose(&self, answer: &[f64]) -> Pose {
        let mut pose = self.solver.skeleton().rest_pose();
        self.variables.iter().zip(answer).for_each(|(&joint, &value)| pose[joint] = Coordinates::scalar(value));
        self.solver.skeleton().follow(&mut pose);
        pose
    }

    /// Solves all targets, from the `coordinates` that become the answers.
    pub fn solve(&mut self, targets: &[Target], settings: &Settings, coordinates: &mut [f64]) -> Vec<Report> {
        self.solver.settings = *settings;
        let rest = self.solver.skeleton().rest_pose();
        self.solver.solve_rows(targets, &rest, &self.variables, coordinates)
    }
}

/// The arm of a case in lanes of every level of this machine.
pub fn lanes(case: &ArmCase) -> Vec<Lanes> {
    Level::available().map(|level| Lanes::new(case, level)).collect()
}

/// The coordinates of all answers, and the reports. All problems start from the rest pose.
pub fn solve(lanes: &mut Lanes, targets: &[Target], settings: &Settings) -> (Vec<f64>, Vec<Report>) {
    let mut answers = lanes.start().repeat(targets.len());
    let reports = lanes.solve(targets, settings, &mut answers);
    (answers, reports)
}

/// Distance in scene units and angle in radians of the effector from its target, by the skeleton's own kinematics.
pub fn errors(case: &ArmCase, lanes: &Lanes, answer: &[f64], target: &Target) -> [f64; 2] {
    let frame = case.skeleton.frame_of(Isometry::IDENTITY, &lanes.pose(answer), case.effector.joint);
    let goal = case.goal(*target);
    let position = goal.nearest_position(frame);
    let distance = position.map_or(0.0, |position| frame.point(case.effector.tip).distance(position));
    let angle = goal.nearest_rotation(frame).map_or(0.0, |rotation| angle_between(frame.rotation, rotation));
    [distance, angle]
}

/// Whether the scalar solver reaches each target.
pub fn scalar_reports(case: &ArmCase, settings: &Settings) -> Vec<Report> {
    let report = |target: &Target| {
        let problem = Problem { goals: vec![case.goal(*target)], ..Problem::default() };
        let mut pose = case.skeleton.rest_pose();
        Solver::new(&case.skeleton).problem(problem).settings(*settings).solve(&mut pose)
    };
    case.targets.iter().map(report).collect()
}
