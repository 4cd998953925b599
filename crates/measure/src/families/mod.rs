//! Families of problems on skeletons that have a solution by construction: the targets are where the effectors are in a
//! random pose inside the limits, the witness.

mod bodies;
mod loops;
mod robots;
mod serial;
mod trees;

use fabrik3d_ik::random::Random;
use fabrik3d_ik::{
    Attachment, Coordinates, Effector, Goal, Interval, Joint, Kind, Pose, Problem, Skeleton, Solver, Swing, Target,
};
use glam::{DQuat, DVec3};

/// One problem with a known solution.
#[derive(Clone, Debug)]
pub struct Case {
    /// The joints.
    pub skeleton: Skeleton,
    /// What is asked.
    pub problem: Problem,
    /// The pose to start from: at rest, or near for mechanisms whose loops must begin closed.
    pub start: Pose,
    /// A pose inside all limits that meets everything that is asked.
    pub witness: Pose,
}

impl Case {
    /// The same problem, to be started from a random pose; free joints stay at rest, closed loops closed.
    #[must_use]
    pub fn from_anywhere(mut self, random: &mut Random) -> Self {
        if self.problem.loops.is_empty() {
            let rest = self.skeleton.rest_pose();
            self.start = self.skeleton.random_pose(random);
            for (i, joint) in self.skeleton.joints().iter().enumerate() {
                if joint.kind == Kind::Free {
                    self.start[i] = rest[i];
                }
            }
        }
        self
    }

    /// A solver for the problem.
    pub fn solver(&self) -> Solver {
        Solver::new(&self.skeleton).problem(self.problem.clone())
    }

    /// The problem whose targets are where the effectors are in `pose`.
    pub fn problem_at(&self, pose: &[Coordinates]) -> Problem {
        let frames = self.skeleton.frames_at(self.problem.base, pose);
        let mut problem = self.problem.clone();
        for goal in &mut problem.goals {
            let frame = frames[goal.effector.joint];
            let target = &mut goal.target;
            target.position = target.position.map(|_| frame.point(goal.effector.tip));
            target.rotation = target.rotation.map(|_| frame.rotation);
        }
        problem
    }
}

/// What the families are made of: joints, effectors with what is asked of each, loops.
#[derive(Clone, Debug, Default)]
struct Parts {
    joints: Vec<Joint>,
    effectors: Vec<(Effector, Asked)>,
    loops: Vec<(Attachment, Attachment)>,
}

/// What of an effector is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    Position,
    Rotation,
    Both,
}

impl Parts {
    /// Adds a joint, not turned at rest; returns its index.
    fn add(&mut self, parent: Option<usize>, offset: DVec3, kind: Kind) -> usize {
        self.add_turned(parent, offset, DQuat::IDENTITY, kind)
    }

    fn add_turned(&mut self, parent: Option<usize>, offset: DVec3, rest: DQuat, kind: Kind) -> usize {
        let at = self.joints.len();
        self.joints.push(Joint { rest, ..Joint::new(format!("joint {at}"), parent, offset, kind) });
        at
    }

    fn effector(&mut self, joint: usize, tip: DVec3, asked: Asked) {
        self.effectors.push((Effector::new(joint, tip), asked));
    }

    fn skeleton(&self) -> Skeleton {
        Skeleton::new(self.joints.clone()).expect("the families' parts are sound, each is built in the tests")
    }

    /// The case whose targets are the effectors' frames in `witness`.
    fn case(&self, skeleton: Skeleton, witness: Pose, start: Pose) -> Case {
        let frames = skeleton.frames(&witness);
        let goals = self.effectors.iter().map(|&(effector, asked)| {
            let frame = frames[effector.joint];
            let position = (asked != Asked::Rotation).then(|| frame.point(effector.tip));
            let rotation = (asked != Asked::Position).then_some(frame.rotation);
            Goal::new(effector, Target { position, rotation })
        });
        let problem = Problem { goals: goals.collect(), loops: self.loops.clone(), ..Problem::default() };
        Case { skeleton, problem, start, witness }
    }

    /// A case with a random witness, started at rest.
    fn random_case(&self, random: &mut Random) -> Case {
        let skeleton = self.skeleton();
        let witness = skeleton.random_pose(random);
        let start = skeleton.rest_pose();
        self.case(skeleton, witness, start)
    }
}

/// A family of problems.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// Name, for tables.
    pub name: &'static str,
    make: fn(&mut Random) -> Case,
}

impl Family {
    /// The next problem of the stream `random`.
    pub fn case(&self, random: &mut Random) -> Case {
        (self.make)(random)
    }

    /// The family of this name.
    pub fn named(name: &str) -> Option<Family> {
        FAMILIES.iter().copied().find(|family| family.name == name)
    }
}

/// All families.
pub const FAMILIES: &[Family] = &[
    Family { name: "chain of 10, unlimited", make: |r| serial::unlimited(10).random_case(r) },
    Family { name: "chain of 10, cones 90", make: |r| serial::chain(10, 0.1, [90.0; 4], 30.0).random_case(r) },
    Family { name: "chain of 10, cones 45", make: |r| serial::chain(10, 0.1, [45.0; 4], 30.0).random_case(r) },
    Family { name: "chain of 10, cones 30", make: |r| serial::chain(10, 0.1, [30.0; 4], 30.0).random_case(r) },
    Family {
        name: "chain of 10, ellipses",
        make: |r| serial::chain(10, 0.1, [60.0, 20.0, 35.0, 10.0], 20.0).random_case(r),
    },
    Family {
        name: "chain of 10, wide ellipses",
        make: |r| serial::chain(10, 0.1, [120.0, 40.0, 100.0, 20.0], 20.0).random_case(r),
    },
    Family { name: "chain, upper half only", make: |r| serial::cut_short().random_case(r) },
    Family { name: "rope, both ends", make: |r| serial::rope().random_case(r) },
    Family { name: "iiwa, position", make: |r| robots::iiwa(Asked::Position).random_case(r) },
    Family { name: "iiwa, pose", make: |r| robots::iiwa(Asked::Both).random_case(r) },
    Family { name: "panda, position", make: |r| robots::panda(Asked::Position).random_case(r) },
    Family { name: "panda, pose", make: |r| robots::panda(Asked::Both).random_case(r) },
    Family { name: "scara, pose", make: |r| robots::scara().random_case(r) },
    Family { name: "crane", make: |r| robots::crane().random_case(r) },
    Family { name: "global hinge", make: |r| robots::global_hinge().random_case(r) },
    Family { name: "gripper that mimics", make: |r| robots::gripper().random_case(r) },
    Family { name: "human arm, position", make: |r| bodies::arm(Asked::Position).random_case(r) },
    Family { name: "human arm, pose", make: |r| bodies::arm(Asked::Both).random_case(r) },
    Family { name: "human arm with forearm, pose", make: |r| bodies::arm_with_forearm().random_case(r) },
    Family { name: "body, 5 positions", make: |r| bodies::body(Kind::Free, Asked::Position).random_case(r) },
    Family { name: "body pinned, 5 positions", make: |r| bodies::body(Kind::Fixed, Asked::Position).random_case(r) },
    Family { name: "body, 5 poses", make: |r| bodies::body(Kind::Free, Asked::Both).random_case(r) },
    Family { name: "hand, 5 fingertips", make: |r| bodies::hand().random_case(r) },
    Family { name: "hexapod, free", make: |r| trees::walker(6, Kind::Free, true).random_case(r) },
    Family { name: "hexapod, pinned", make: |r| trees::walker(6, Kind::Fixed, false).random_case(r) },
    Family { name: "spider, free", make: |r| trees::walker(8, Kind::Free, true).random_case(r) },
    Family { name: "tree with nested sub-bases", make: |r| trees::nested().random_case(r) },
    Family { name: "random trees", make: |r| trees::random(r).random_case(r) },
    Family { name: "loop: four-bar", make: loops::four_bar },
    Family { name: "loop: Stewart platform", make: loops::stewart },
    Family { name: "loop: two arms, one bar", make: loops::two_arms },
    Family { name: "obstacles: chain of 10", make: |r| serial::among_obstacles(10, 0.1, 60.0, r) },
    Family { name: "obstacles: chain of 5", make: |r| serial::among_obstacles(5, 0.2, 90.0, r) },
];

/// A ball: swing in degrees toward +x, +y, -x, -y, twist from -`twist` to `twist`.
fn ball(swing: [f64; 4], twist: f64) -> Kind {
    let swing = Swing::new(swing.map(f64::to_radians)).ok();
    Kind::Ball { swing, twist: interval(-twist.to_radians(), twist.to_radians()) }
}

/// A hinge with its range in degrees.
fn hinge(axis: DVec3, low: f64, high: f64) -> Kind {
    Kind::Hinge { axis, range: interval(low.to_radians(), high.to_radians()) }
}

fn slide(axis: DVec3, low: f64, high: f64) -> Kind {
    Kind::Slide { axis, range: interval(low, high) }
}

fn interval(low: f64, high: f64) -> Option<Interval> {
    Interval::new(low, high).ok()
}

/// The rotation whose z axis is along `z` and whose x axis is near `x`.
fn looking(z: DVec3, x: DVec3) -> DQuat {
    let z = z.normalize();
    let y = z.cross(x).normalize();
    DQuat::from_mat3(&glam::DMat3::from_cols(y.cross(z), y, z))
}
