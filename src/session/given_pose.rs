//! Poses that another program sets, one after another.

use super::command::PoseCommand;
use super::command_error::CommandError;
use super::history::Gliding;
use super::session::Session;
use crate::solve::forward::{move_target_to_tip, pose_from_values};

impl Session {
    /// Carries out a command to the whole pose.
    pub(super) fn apply_pose(&mut self, command: &PoseCommand) -> Result<(), CommandError> {
        match command {
            PoseCommand::Glide(values) => self.glide_pose(values)?,
            PoseCommand::Release => self.release_pose(),
        }
        Ok(())
    }

    /// Shows a pose at once. From now on the pose comes from outside and the solver is suspended. Targets that were moved by hand
    /// stay where they are, since they tell the other program where to go; all others move with the figure.
    fn glide_pose(&mut self, values: &[f64]) -> Result<(), CommandError> {
        let pose = pose_from_values(&self.scene, &self.poses.solved, values)?;
        self.save_before(Gliding::Pose);
        self.pause_shown_recording();
        let frames = self.scene.skeleton.frames(&pose);
        self.poses.solved = pose;
        self.pose_is_given = true;
        for at in 0..self.effectors.len() {
            self.effectors[at].path = None;
            self.detach_from_recording(at);
            let described = &self.scene.effectors[at];
            if !self.effectors[at].dragged {
                move_target_to_tip(&mut self.effectors[at].target, described, frames[described.effector.joint]);
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

    /// Lets the solver find the pose again.
    pub(super) fn release_pose(&mut self) {
        if std::mem::take(&mut self.pose_is_given) {
            for island in 0..self.islands.states.len() {
                self.start_ease(island);
            }
            self.islands.wake();
        }
    }
}
