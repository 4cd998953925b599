//! Undo and redo.

use super::island_state::IslandState;
use super::poses::convert;
use super::session::{Gliding, History, Session, Snapshot, Version};
use fabrik3d_ik::Pose;
use fabrik3d_scene::Scene;
use std::sync::Arc;

/// Most changes that can be undone; in large scenes fewer, so that their poses together have at most this number of joints,
/// about 300 MB.
const MAX_DEPTH: usize = 200;
const MAX_JOINTS: usize = 4_000_000;
/// That many changes can be undone in any scene.
const MIN_DEPTH: usize = 10;

impl Session {
    /// Whether the scene has changed since it was opened or saved. Whether moved targets count is the caller's choice.
    pub fn has_changes(&self, targets_count: bool) -> bool {
        let History { version, saved, .. } = &self.history;
        version[0] != saved[0] || (targets_count && version[1] != saved[1])
    }

    /// Whether the scene has changes that reading its file again would undo, unlike pose, targets and pins: effectors, settings.
    pub fn is_edited_scene(&self) -> bool {
        if Arc::ptr_eq(&self.scene, &self.read) {
            return false;
        }
        let mut read = Scene::clone(&self.read);
        for (read, now) in read.effectors.iter_mut().zip(&self.scene.effectors) {
            (read.hold, read.target) = (now.hold, now.target);
        }
        read != *self.scene_at_rest()
    }

    /// The scene goes on as that of another file, which has all of it, and with this name if there is one. That is not undone.
    pub fn go_on_as(&mut self, name: Option<&str>) {
        if let Some(name) = name {
            name.clone_into(&mut Arc::make_mut(&mut self.scene).name);
        }
        self.read = self.scene_at_rest();
    }

    /// The present state is saved, and only this one: states with the same numbers, which differ in what is not worth saving,
    /// such as the time of a recording, have other poses. What changes continuously now changes it again.
    pub fn mark_saved(&mut self) {
        let History { past, future, version, newest, .. } = &mut self.history;
        *newest += 1;
        let others = past.iter_mut().chain(future).filter(|(_, other)| other == version);
        others.for_each(|(_, other)| other[1] = *newest);
        self.history.saved = self.history.version;
        self.history.gliding = None;
    }

    /// Whether there is a change to undo.
    pub fn can_undo(&self) -> bool {
        !self.history.past.is_empty()
    }

    /// Numbers of the present state: equal ones mean equal states.
    pub fn version(&self) -> Version {
        self.history.version
    }

    pub(super) fn undo(&mut self) {
        self.history.gliding = None;
        if let Some((before, version)) = self.history.past.pop() {
            let now = (self.snapshot(), std::mem::replace(&mut self.history.version, version));
            self.history.future.push(now);
            self.restore(before);
        }
    }

    pub(super) fn redo(&mut self) {
        self.history.gliding = None;
        if let Some((after, version)) = self.history.future.pop() {
            let now = (self.snapshot(), std::mem::replace(&mut self.history.version, version));
            self.history.past.push(now);
            self.restore(after);
        }
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        Snapshot {
            scene: self.scene.clone(),
            effectors: self.effectors.clone(),
            solved: self.poses.solved.clone(),
            home: self.poses.home.clone(),
            is_reached: self.islands.states.iter().all(IslandState::is_reached),
            is_recorded: self.islands.states.iter().all(IslandState::is_given),
            playback: self.playback.clone(),
            freed_bases: self.freed_bases.clone(),
            selected: self.selection.effector,
            lesson_method: self.lesson_options.method,
            pose_is_given: self.pose_is_given,
        }
    }

    /// Saves the state before a change.
    pub(super) fn save(&mut self) {
        self.push(self.snapshot());
    }

    /// Undo returns to this state from now on.
    pub(super) fn push(&mut self, before: Snapshot) {
        let most = (MAX_JOINTS / before.solved.len().max(1)).clamp(MIN_DEPTH, MAX_DEPTH);
        let history = &mut self.history;
        history.gliding = None;
        history.future.clear();
        history.past.push((before, history.version));
        history.newest += 1;
        history.version = [history.newest; 2];
        if history.past.len() > most {
            history.past.remove(0);
        }
    }

    /// Saves the state before a continuous change, unless it is going on already.
    pub(super) fn save_before(&mut self, gliding: Gliding) {
        if self.history.gliding != Some(gliding) {
            self.save();
            self.history.gliding = Some(gliding);
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
        if self.scene.name != scene.name {
            Arc::make_mut(&mut self.scene).name.clone_from(&scene.name);
        }
        self.clock.solve_seconds = 0.0;
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
        } else if state.is_recorded {
            self.update_free_effectors();
            let skeleton = &self.scene.skeleton;
            self.islands.states.iter_mut().for_each(|island| island.settle(skeleton, &self.poses));
        }
    }

    /// Sets the solved pose and eases the display to it.
    pub(super) fn restore_pose(&mut self, solved: Pose) {
        self.poses.grabbed.clone_from(&solved);
        self.poses.solved = solved;
        self.islands.refresh(&self.scene, &self.effectors, &self.poses);
        self.start_eases();
        // A lesson does not start from the pose that was undone.
        self.poses.before_jump.clone_from(&self.poses.solved);
    }
}
