//! Saves and restores the state of a session.

use super::history::{Gliding, Snapshot};
use super::island_state::IslandState;
use super::poses::convert;
use super::session::Session;
use fabrik3d_ik::Pose;
use std::sync::Arc;

impl Session {
    pub(super) fn undo(&mut self) {
        if let Some(state) = self.history.undo(self.snapshot()) {
            self.restore(state);
        }
    }

    pub(super) fn redo(&mut self) {
        if let Some(state) = self.history.redo(self.snapshot()) {
            self.restore(state);
        }
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        Snapshot {
            scene: self.scene.clone(),
            effectors: self.effectors.clone(),
            solved: self.poses.solved.clone(),
            home: self.poses.home.clone(),
            is_reached: self.islands.states.iter().all(IslandState::is_reached),
            playback: self.playback.clone(),
            freed_bases: self.freed_bases.clone(),
            selected: self.selection.effector,
            lesson_method: self.lesson_options.method,
            pose_is_given: self.pose_is_given,
        }
    }

    /// Saves the state before a continuous change, unless it is going on already.
    pub(super) fn save_before(&mut self, gliding: Gliding) {
        if self.history.starts(gliding) {
            self.history.push_glide(gliding, self.snapshot());
        }
    }

    fn restore(&mut self, state: Snapshot) {
        let same_scene = Arc::ptr_eq(&state.scene, &self.scene);
        let same_joints = same_scene || state.scene.skeleton.has_joints_of(&self.scene.skeleton);
        let same_effectors = same_scene || self.scene.has_effectors_of(&state.scene);
        let same_bodies = same_scene || self.scene.has_bodies_of(&state.scene);
        // Undoing a choice of method undoes it for lessons too.
        if state.scene.settings.method != self.scene.settings.method {
            self.lesson_options.method = state.lesson_method;
        }
        let scene = std::mem::replace(&mut self.scene, state.scene);
        self.playback = state.playback;
        self.freed_bases = state.freed_bases;
        self.pose_is_given = state.pose_is_given;
        let before = std::mem::replace(&mut self.effectors, state.effectors);
        // Which effectors are free follows from the rest of the state; the islands still have the present answer.
        for (at, effector) in self.effectors.iter_mut().enumerate() {
            effector.free = before.get(at).is_some_and(|before| before.free);
        }
        if !same_effectors {
            self.selection.effector = state.selected;
        }
        if !same_joints {
            // What was displayed so far has coordinates of other kinds, and so have the eases.
            convert(&mut self.poses.displayed, &scene.skeleton, &self.scene.skeleton);
            self.poses.shown = std::array::from_fn(|_| self.poses.displayed.clone());
            self.rebuild_islands();
        } else if !(same_effectors && same_bodies) {
            self.rebuild_islands_keeping_eases();
        }
        self.poses.home = state.home;
        self.restore_pose(state.solved);
        if state.is_reached {
            self.update_free_effectors();
            // Solving again would change the last digits of the pose.
            self.islands.states.iter_mut().for_each(IslandState::keep_reached);
        }
    }

    /// Sets the solved pose and eases the display to it.
    pub(super) fn restore_pose(&mut self, solved: Pose) {
        self.poses.solved = solved;
        self.islands.refresh(&self.scene, &self.effectors, &self.poses);
        self.start_eases();
    }
}
