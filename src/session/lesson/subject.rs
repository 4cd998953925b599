//! What a lesson or a race solves.

use super::chain::PlainChain;
use super::recording::{LessonRecording, LessonStart};
use fabrik3d_ik::{Attachment, Figure, Pose, Problem, Settings, Skeleton};
use glam::DVec3;

/// What a lesson or a race solves: the figure of the selected effector.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    /// The figure.
    pub figure: Figure,
    /// The pose in which the solve starts, one entry per joint of the skeleton.
    pub start: Pose,
    /// Where that pose comes from.
    pub origin: LessonStart,
    /// Its problem, in the numbers of its own joints.
    pub problem: Problem,
    /// Names of the effectors of the goals.
    pub names: Vec<String>,
    /// The figure as a plain chain, if it is one.
    pub chain: Option<PlainChain>,
}

impl Subject {
    /// Records the solve; none if there is no target position.
    pub fn record(&self, skeleton: &Skeleton, settings: &Settings) -> Option<LessonRecording> {
        let Subject { figure: own, problem, names, start, origin, .. } = self;
        let Some(chain) = &self.chain else {
            let recording = LessonRecording::of_skeleton(skeleton, own, problem, names, settings, start)?;
            return Some(LessonRecording { start: *origin, ..recording });
        };
        let mut recording = LessonRecording::of_chain(chain, settings)?;
        recording.start = *origin;
        let figure = &mut recording.figure;
        let (last, tip) = (figure.len() - 1, problem.goals[0].effector);
        // The nodes of the chain are the joints that turn, and the tip. Fixed joints before the tip share its node.
        figure.joints = own.joints().iter().enumerate().map(|(k, &joint)| (joint, k.min(last))).collect();
        figure.points =
            figure.joints.iter().take(last).map(|&(joint, _)| Attachment { joint, point: DVec3::ZERO }).collect();
        figure.points.push(Attachment { joint: own.number(tip.joint), point: tip.tip });
        Some(recording)
    }
}
