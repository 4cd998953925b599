//! The joints that lead a body: hips, head, hands and feet. A body that follows a recording has effectors there.

use super::playback::{Playback, Transition};
use crate::session::command::MotionMode;
use crate::session::command_error::CommandError;
use crate::session::session::Session;
use fabrik3d_ik::{Effector, Kind};
use fabrik3d_scene::leads_body;
use glam::DVec3;

/// Fewest matched joints that lead a whole body.
const LEADERS: usize = 6;

impl Session {
    /// Adds effectors to matched joints that lead the body and have none.
    pub(super) fn add_driven_effectors(&mut self) -> Result<(), CommandError> {
        if self.playback.is_none() {
            return Err(CommandError::NoMotion);
        }
        self.history.push(self.snapshot());
        self.insert_effectors(&self.undriven_leaders(0))?;
        self.update_free_effectors();
        if self.follows_recording() {
            self.take_recorded(Transition::Jump, 0.0);
        }
        Ok(())
    }

    /// Whether targets start to follow the recording of a figure.
    pub(super) fn begins_to_follow(&self, next: Option<&Playback>) -> bool {
        let follows = |playback: &Playback| playback.mode == MotionMode::Follow && playback.can_show();
        next.is_some_and(follows) && !self.playback.as_ref().is_some_and(follows)
    }

    /// The matched joints that lead the body and have no effector; none if fewer than `least` joints lead it.
    fn undriven_leaders(&self, least: usize) -> Vec<usize> {
        let Some(matched) = self.playback.as_ref().and_then(|playback| playback.figure_match.as_ref()) else {
            return Vec::new();
        };
        let joints = self.scene.skeleton.joints();
        let moves = |joint: usize| Effector::new(joint, DVec3::ZERO).reach(&self.scene.skeleton) > 0.0;
        let leads = |joint: &usize| {
            let is_matched = matched.partner(*joint).is_some() && leads_body(&joints[*joint].name);
            is_matched && (joints[*joint].kind == Kind::Free || moves(*joint))
        };
        let leaders: Vec<usize> = (0..joints.len()).filter(leads).collect();
        let has_effector = |joint: usize| self.scene.effectors.iter().any(|end| end.effector.joint == joint);
        let is_body = leaders.len() >= least;
        leaders.into_iter().filter(|&joint| is_body && !has_effector(joint)).collect()
    }

    /// Gives a body that follows a recording effectors on hips, head, hands and feet, where neither they nor what is below
    /// them follow it: on a body of other proportions, an ankle and its toes cannot both be where they were recorded.
    pub(super) fn insert_leaders(&mut self) -> Result<(), CommandError> {
        let Some(playback) = &self.playback else { return Ok(()) };
        let skeleton = &self.scene.skeleton;
        let ends = self.scene.effectors.iter().zip(&playback.drives).filter(|(_, drive)| drive.is_some());
        let driven: Vec<usize> = ends.map(|(end, _)| end.effector.joint).collect();
        let is_led = |joint: usize| {
            let below = |&end: &usize| skeleton.ancestors(end).any(|at| at == joint);
            skeleton.joints()[joint].kind != Kind::Free && driven.iter().any(below)
        };
        let joints = self.undriven_leaders(LEADERS);
        self.insert_effectors(&joints.into_iter().filter(|&joint| !is_led(joint)).collect::<Vec<_>>())
    }
}
