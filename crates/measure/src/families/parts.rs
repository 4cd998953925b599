//! What the families build their skeletons from.

use super::case::Case;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Attachment, Effector, Goal, Interval, Joint, Kind, Pose, Problem, Skeleton, Swing, Target};
use glam::{DQuat, DVec3};

/// What the families are made of: joints, effectors with what is asked of each, loops.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    pub joints: Vec<Joint>,
    pub effectors: Vec<(Effector, Asked)>,
    pub loops: Vec<(Attachment, Attachment)>,
}

/// What of an effector is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    Position,
    Rotation,
    Both,
}

impl Parts {
    /// Adds a joint, not turned at rest; returns its index.
    pub fn add(&mut self, parent: Option<usize>, offset: DVec3, kind: Kind) -> usize {
        self.add_turned(parent, offset, DQuat::IDENTITY, kind)
    }

    pub fn add_turned(&mut self, parent: Option<usize>, offset: DVec3, rest: DQuat, kind: Kind) -> usize {
        let at = self.joints.len();
        self.joints.push(Joint { rest, ..Joint::new(format!("joint {at}"), parent, offset, kind) });
        at
    }

    pub fn effector(&mut self, joint: usize, tip: DVec3, asked: Asked) {
        self.effectors.push((Effector::new(joint, tip), asked));
    }

    pub fn skeleton(&self) -> Skeleton {
        Skeleton::new(self.joints.clone()).expect("the families' parts are sound, each is built in the tests")
    }

    /// The case whose targets are the effectors' frames in `witness`.
    pub fn case(&self, skeleton: Skeleton, witness: Pose, start: Pose) -> Case {
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
    pub fn random_case(&self, random: &mut Random) -> Case {
        let skeleton = self.skeleton();
        let witness = skeleton.random_pose(random);
        let start = skeleton.rest_pose();
        self.case(skeleton, witness, start)
    }
}

/// A ball: swing in degrees toward +x, +y, -x, -y, twist from -`twist` to `twist`.
pub(super) fn ball(swing: [f64; 4], twist: f64) -> Kind {
    let swing = Swing::new(swing.map(f64::to_radians)).ok();
    Kind::Ball { swing, twist: interval(-twist.to_radians(), twist.to_radians()) }
}

/// A hinge with its range in degrees.
pub(super) fn hinge(axis: DVec3, low: f64, high: f64) -> Kind {
    Kind::Hinge { axis, range: interval(low.to_radians(), high.to_radians()) }
}

pub(super) fn slide(axis: DVec3, low: f64, high: f64) -> Kind {
    Kind::Slide { axis, range: interval(low, high) }
}

pub(super) fn interval(low: f64, high: f64) -> Option<Interval> {
    Interval::new(low, high).ok()
}

/// The rotation whose z axis is along `z` and whose x axis is near `x`.
pub(super) fn looking(z: DVec3, x: DVec3) -> DQuat {
    let z = z.normalize();
    let y = z.cross(x).normalize();
    DQuat::from_mat3(&glam::DMat3::from_cols(y.cross(z), y, z))
}
