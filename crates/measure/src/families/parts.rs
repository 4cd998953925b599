//! A problem with a known solution, and the building blocks of the families.

use fabrik3d_ik::goals::{Attachment, Orientation};
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Coordinates, Effector, Goal, Interval, Joint, Kind, Pose, Problem, Skeleton, Solver, Swing, Target};
use glam::{DQuat, DVec3};

/// One problem with a known solution.
#[derive(Clone, Debug)]
pub struct FamilyCase {
    /// The skeleton.
    pub skeleton: Skeleton,
    /// The problem.
    pub problem: Problem,
    /// The start pose: the rest pose, or a pose with closed loops for mechanisms.
    pub start: Pose,
    /// A solution inside all limits.
    pub witness: Pose,
}

impl FamilyCase {
    /// The same problem with a random start pose. Free joints stay at rest; problems with loops keep their start pose.
    #[must_use]
    pub fn with_random_start(mut self, random: &mut Random) -> Self {
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

    /// The same problem with the effector frames of `pose` as targets.
    pub fn problem_at(&self, pose: &[Coordinates]) -> Problem {
        let frames = self.skeleton.frames_at(self.problem.base, pose);
        let mut problem = self.problem.clone();
        for goal in &mut problem.goals {
            let frame = frames[goal.effector.joint];
            let target = &mut goal.target;
            target.position = target.position.map(|_| frame.point(goal.effector.tip));
            if let Some(Orientation::Rotation(rotation)) = &mut target.orientation {
                *rotation = frame.rotation;
            }
        }
        problem
    }
}

/// A problem under construction: joints, effectors with their kind of target, loops.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    pub joints: Vec<Joint>,
    pub effectors: Vec<(Effector, TargetKind)>,
    pub loops: Vec<(Attachment, Attachment)>,
}

/// The kind of target of an effector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TargetKind {
    Position,
    Rotation,
    Both,
}

impl Parts {
    /// Adds a joint without a rest rotation; returns its index.
    pub fn add(&mut self, parent: Option<usize>, offset: DVec3, kind: Kind) -> usize {
        self.add_turned(parent, offset, DQuat::IDENTITY, kind)
    }

    /// Adds a joint with a rest rotation; returns its index.
    pub fn add_turned(&mut self, parent: Option<usize>, offset: DVec3, rest: DQuat, kind: Kind) -> usize {
        let at = self.joints.len();
        self.joints.push(Joint { rest, ..Joint::new(format!("joint {at}"), parent, offset, kind) });
        at
    }

    pub fn effector(&mut self, joint: usize, tip: DVec3, target: TargetKind) {
        self.effectors.push((Effector::new(joint, tip), target));
    }

    pub fn skeleton(&self) -> Skeleton {
        Skeleton::new(self.joints.clone()).expect("the parts are valid: the tests build each family")
    }

    /// A case with the effector frames in `witness` as targets.
    pub fn case(&self, skeleton: Skeleton, witness: Pose, start: Pose) -> FamilyCase {
        let frames = skeleton.frames(&witness);
        let goals = self.effectors.iter().map(|&(effector, target)| {
            let frame = frames[effector.joint];
            let position = (target != TargetKind::Rotation).then(|| frame.point(effector.tip));
            let rotation = (target != TargetKind::Position).then_some(frame.rotation);
            Goal::new(effector, Target { position, orientation: rotation.map(Orientation::Rotation) })
        });
        let problem = Problem { goals: goals.collect(), loops: self.loops.clone(), ..Problem::default() };
        FamilyCase { skeleton, problem, start, witness }
    }

    /// A case with a random witness that starts at rest.
    pub fn random_case(&self, random: &mut Random) -> FamilyCase {
        let skeleton = self.skeleton();
        let witness = skeleton.random_pose(random);
        let start = skeleton.rest_pose();
        self.case(skeleton, witness, start)
    }
}

/// A ball joint: swing in degrees toward +x, +y, -x, -y; twist from -`twist` to `twist` degrees.
pub(super) fn ball(swing: [f64; 4], twist: f64) -> Kind {
    let swing = Swing::new(swing.map(f64::to_radians)).ok();
    Kind::Ball { swing, twist: interval(-twist.to_radians(), twist.to_radians()) }
}

/// A hinge with a range in degrees.
pub(super) fn hinge(axis: DVec3, low: f64, high: f64) -> Kind {
    Kind::Hinge { axis, range: interval(low.to_radians(), high.to_radians()) }
}

pub(super) fn slide(axis: DVec3, low: f64, high: f64) -> Kind {
    Kind::Slide { axis, range: interval(low, high) }
}

pub(super) fn interval(low: f64, high: f64) -> Option<Interval> {
    Interval::new(low, high).ok()
}

/// The rotation with its z axis along `z` and its x axis near `x`.
pub(super) fn looking(z: DVec3, x: DVec3) -> DQuat {
    let z = z.normalize();
    let y = z.cross(x).normalize();
    DQuat::from_mat3(&glam::DMat3::from_cols(y.cross(z), y, z))
}
