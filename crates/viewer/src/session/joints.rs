//! Selects joints and sets their values, and poses that another program sets, one after another. The targets of the
//! effectors that move are set to their new places.

use super::command::JointCommand;
use super::command_error::CommandError;
use super::effector_state::EffectorState;
use super::remark::Remark;
use super::session::{Gliding, Session};
use crate::forward::{find_joint, pose_from_values, pose_with_joint};
use fabrik3d_ik::{Coordinates, Skeleton};
use std::sync::Arc;

impl Session {
    /// Without a selected joint, a step forward selects the first joint and a step back the last.
    pub(super) fn apply_joint(&mut self, command: &JointCommand) -> Result<(), CommandError> {
        let count = self.scene.skeleton.len() as i64;
        self.selection.joint = match command {
            JointCommand::Step(step) => {
                let step = i64::from(*step);
                let from = self.selection.joint.map_or(if step > 0 { -1 } else { 0 }, |joint| joint as i64);
                Some((from + step).rem_euclid(count) as usize)
            }
            JointCommand::Select(name) => Some(find_joint(&self.scene, name)?),
            JointCommand::Clear => None,
            JointCommand::Set(name, values) => return self.set_joint(name, values),
            JointCommand::Glide(name, values) => return self.turn_joint(name, values),
            JointCommand::Stiffness(name, stiffness) => return self.stiffen_joint(name, *stiffness),
        };
        Ok(())
    }

    /// Sets a joint. The display eases to the new pose.
    fn set_joint(&mut self, name: &str, values: &[f64]) -> Result<(), CommandError> {
        let joint = find_joint(&self.scene, name)?;
        let Some(island) = self.island_of_joint(joint) else { return Ok(()) };
        let (pose, clamped) = pose_with_joint(&self.scene, &self.poses.solved, joint, values)?;
        self.save();
        self.remark = clamped.map(Remark::Clamped);
        self.take_pose(island, &pose);
        self.start_ease(island);
        Ok(())
    }

    /// Sets a joint that is being turned: the new pose is shown at once.
    fn turn_joint(&mut self, name: &str, values: &[f64]) -> Result<(), CommandError> {
        let joint = find_joint(&self.scene, name)?;
        let Some(island) = self.island_of_joint(joint) else { return Ok(()) };
        let mut pose = self.poses.solved.clone();
        // During an ease, turning starts from the displayed pose.
        self.islands.states[island].figure.joints().iter().for_each(|&joint| pose[joint] = self.poses.displayed[joint]);
        let (pose, _) = pose_with_joint(&self.scene, &pose, joint, values)?;
        self.save_before(Gliding::Joint(joint));
        self.take_pose(island, &pose);
        self.islands.states[island].eases.clear();
        self.poses.display_solved(self.islands.states[island].figure.joints());
        Ok(())
    }

    /// Sets how much a joint resists. The pose stays; the next motion of a target shows the difference.
    fn stiffen_joint(&mut self, name: &str, stiffness: f64) -> Result<(), CommandError> {
        let joint = find_joint(&self.scene, name)?;
        let mut skeleton = Skeleton::clone(&self.scene.skeleton);
        skeleton
            .set_stiffness(joint, stiffness)
            .map_err(|error| CommandError::Setting("stiffness".to_owned(), stiffness.to_string(), error.to_string()))?;
        self.save_before(Gliding::Stiffness(joint));
        Arc::make_mut(&mut self.scene).skeleton = skeleton.into();
        self.islands.set_skeleton(&self.scene.skeleton);
        Ok(())
    }

    fn island_of_joint(&self, joint: usize) -> Option<usize> {
        self.islands.states.iter().position(|island| island.figure.has(joint))
    }

    /// Sets the solved pose of an island, and the targets of its effectors to their new places, so that nothing is left
    /// to solve. Paths and recordings stop moving these targets.
    pub(super) fn take_pose(&mut self, island: usize, pose: &[Coordinates]) {
        self.effectors.iter_mut().for_each(EffectorState::leave_sole);
        let before = self.scene.skeleton.frames(&self.poses.solved);
        let state = &self.islands.states[island];
        for &joint in state.figure.joints() {
            if self.poses.solved[joint] != pose[joint] {
                (self.poses.solved[joint], self.poses.home[joint]) = (pose[joint], pose[joint]);
            }
        }
        self.poses.grab(state.figure.joints());
        let after = self.scene.skeleton.frames(&self.poses.solved);
        let was_reached = state.report.is_some_and(|report| report.stop.is_reached());
        for effector in state.figure.goals().to_vec() {
            let described = &self.scene.effectors[effector];
            let joint = described.effector.joint;
            if was_reached && before[joint] == after[joint] {
                continue;
            }
            self.effectors[effector].target = described.at_tip(self.effectors[effector].target, after[joint]);
            self.effectors[effector].path = None;
            self.detach_from_recording(effector);
        }
        self.pause_shown_recording();
        self.update_free_effectors();
        self.islands.set_goals(island, &self.scene, &self.effectors);
        self.islands.states[island].settle(&self.scene.skeleton, &self.poses);
        self.islands.states[island].keep_reached();
    }

    /// Shows a pose at once. From now on the pose comes from outside and the solver is suspended. Targets that were moved by hand
    /// stay where they are, since they tell the other program where to go; all others move with the figure.
    pub(super) fn glide_pose(&mut self, values: &[f64]) -> Result<(), CommandError> {
        let pose = pose_from_values(&self.scene, &self.poses.solved, values)?;
        self.save_before(Gliding::Pose);
        self.pause_shown_recording();
        let frames = self.scene.skeleton.frames(&pose);
        self.poses.solved = pose;
        self.pose_is_given = true;
        for at in 0..self.effectors.len() {
            self.effectors[at].leave_sole();
            self.effectors[at].path = None;
            self.detach_from_recording(at);
            let described = &self.scene.effectors[at];
            if !self.effectors[at].dragged {
                self.effectors[at].target =
                    described.at_tip(self.effectors[at].target, frames[described.effector.joint]);
            }
        }
        for at in 0..self.islands.states.len() {
            self.islands.set_goals(at, &self.scene, &self.effectors);
            let island = &mut self.islands.states[at];
            island.settle(&self.scene.skeleton, &self.poses);
            island.eases.clear();
            self.poses.settle_home(island.figure.joints());
            self.poses.display_solved(island.figure.joints());
        }
        Ok(())
    }

    pub(super) fn release_pose(&mut self) {
        if std::mem::take(&mut self.pose_is_given) {
            self.start_eases();
            self.islands.wake();
        }
    }
}
