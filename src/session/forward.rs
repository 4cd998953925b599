//! Forward kinematics: a joint is told where to stand, and the targets of the effectors that it moves go along.

use super::{CommandError, Session};
use crate::solve::forward;
use crate::solve::forward::{Clamped, carry};
use std::fmt;

/// What a command that was carried out has to say.
#[derive(Clone, Debug, PartialEq)]
pub enum Remark {
    /// A joint does not stand where it was told to.
    Clamped(Clamped),
    /// A base goes freely now.
    Freed(String),
    /// A base stands where it is.
    Fixed(String),
    /// An effector's reach is shown for as long as a joint that could go anywhere stays where it is.
    ReachFrom {
        /// The effector.
        effector: String,
        /// The joint.
        joint: String,
    },
    /// An effector's reach cannot be shown: it has none that ends.
    Anywhere {
        /// The effector.
        effector: String,
        /// The joint that takes it anywhere.
        joint: String,
    },
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Remark::Clamped(clamped) => write!(f, "{clamped}"),
            Remark::Freed(base) => {
                write!(f, "The base `{base}` floats now: what is not pinned goes along.")
            }
            Remark::ReachFrom { effector, joint } => {
                write!(f, "`{joint}` may go anywhere: shown is what `{effector}` reaches while `{joint}` stays here.")
            }
            Remark::Anywhere { effector, joint } => {
                write!(f, "`{effector}` reaches every place: `{joint}` takes it there.")
            }
            Remark::Fixed(base) => write!(f, "The base `{base}` stands where it is now."),
        }
    }
}

/// How a joint gets to where it is told to stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// It is told once: the display eases after it.
    Jump,
    /// Somebody turns it: it is shown there at once.
    Glide,
}

impl Session {
    /// What the last command had to say besides being carried out, if anything.
    pub fn remark(&self) -> Option<&Remark> {
        self.remark.as_ref()
    }

    /// Tells a joint where to stand.
    pub(super) fn turn_joint(&mut self, name: &str, values: &[f64], way: Way) -> Result<(), CommandError> {
        let joint = forward::find_joint(&self.scene, name)?;
        let Some(at) = self.islands.iter().position(|state| state.island.joints.contains(&joint)) else {
            return Ok(());
        };
        let mut pose = self.solved.clone();
        if way == Way::Glide {
            // What is turned by hand is what is seen, also amid a blend.
            self.islands[at].island.joints.iter().for_each(|&joint| pose[joint] = self.displayed[joint]);
        }
        let (pose, clamped) = forward::pose_with(&self.scene, &pose, joint, values)?;
        match way {
            Way::Jump => self.history.push(self.snapshot()),
            Way::Glide if self.history.begins_turning(joint) => self.history.turn(joint, self.snapshot()),
            Way::Glide => {}
        }
        self.remark = clamped.filter(|_| way == Way::Jump).map(Remark::Clamped);
        self.stand(at, &pose);
        match way {
            Way::Jump => self.start_blend(at),
            Way::Glide => {
                let Session { islands, displayed, solved, .. } = self;
                islands[at].island.joints.iter().for_each(|&joint| displayed[joint] = solved[joint]);
            }
        }
        Ok(())
    }

    /// Takes a pose over for an island, and its effectors' targets along; nothing is left to be solved. What moved those
    /// targets no longer does.
    fn stand(&mut self, at: usize, pose: &[fabrik3d_ik::Coordinates]) {
        let before = self.scene.skeleton.frames(&self.solved);
        self.islands[at].island.joints.iter().for_each(|&joint| self.solved[joint] = pose[joint]);
        let after = self.scene.skeleton.frames(&self.solved);
        let was_met = self.islands[at].report.is_some_and(|report| report.stop.is_reached());
        for effector in self.islands[at].effectors.clone() {
            let described = self.scene.effectors[effector].effector;
            if was_met && before[described.joint] == after[described.joint] {
                continue;
            }
            carry(&mut self.targets[effector], after[described.joint], described.tip);
            self.paths[effector] = None;
            self.take_over(effector);
        }
        self.hold_motion();
        self.settle_grips();
        self.islands[at].ask(&self.scene, &self.targets, &self.rides);
        self.islands[at].stand();
    }
}
