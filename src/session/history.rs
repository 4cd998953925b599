//! Undo and redo.

use super::base::Freed;
use super::{Playback, Session, TargetPath};
use fabrik3d_ik::{Method, Pose, Target};
use fabrik3d_scene::Scene;
use std::sync::Arc;

/// What undo brings back.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Snapshot {
    pub targets: Vec<Target>,
    pub solved: Pose,
    pub scene: Arc<Scene>,
    pub paths: Vec<Option<TargetPath>>,
    pub playback: Option<Playback>,
    pub held: Vec<bool>,
    pub freed: Vec<Freed>,
    pub selected: usize,
    pub lesson_method: Option<Method>,
}

/// How many changes can be undone.
const DEPTH: usize = 200;

/// What glides, and is undone as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gliding {
    /// The target of an effector.
    Target(usize),
    /// The time of a recording.
    Motion,
    /// The weight of an effector.
    Weight(usize),
    /// The coordinates of a joint.
    Joint(usize),
}

/// The states before each change, and those that were undone.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    past: Vec<Snapshot>,
    future: Vec<Snapshot>,
    /// What is gliding: all its moves until the next other change are undone as one.
    gliding: Option<Gliding>,
}

impl History {
    /// Remembers the state before a change.
    pub fn push(&mut self, before: Snapshot) {
        self.gliding = None;
        self.future.clear();
        self.past.push(before);
        if self.past.len() > DEPTH {
            self.past.remove(0);
        }
    }

    /// The next move begins a glide of its own.
    pub fn end_glide(&mut self) {
        self.gliding = None;
    }

    /// Whether a move of `effector` is the first of a glide, before which the state has to be remembered.
    pub fn begins_glide(&self, effector: usize) -> bool {
        self.gliding != Some(Gliding::Target(effector))
    }

    /// Remembers the state before a glide of `effector`.
    pub fn glide(&mut self, effector: usize, before: Snapshot) {
        self.push(before);
        self.gliding = Some(Gliding::Target(effector));
    }

    /// Whether the time of a recording begins to glide, before which the state has to be remembered.
    pub fn begins_scrub(&self) -> bool {
        self.gliding != Some(Gliding::Motion)
    }

    /// Remembers the state before the time of a recording glides.
    pub fn scrub(&mut self, before: Snapshot) {
        self.push(before);
        self.gliding = Some(Gliding::Motion);
    }

    /// Whether the weight of `effector` begins to change, before which the state has to be remembered.
    pub fn begins_weighing(&self, effector: usize) -> bool {
        self.gliding != Some(Gliding::Weight(effector))
    }

    /// Remembers the state before the weight of `effector` changes.
    pub fn weigh(&mut self, effector: usize, before: Snapshot) {
        self.push(before);
        self.gliding = Some(Gliding::Weight(effector));
    }

    /// Whether `joint` begins to turn, before which the state has to be remembered.
    pub fn begins_turning(&self, joint: usize) -> bool {
        self.gliding != Some(Gliding::Joint(joint))
    }

    /// Remembers the state before `joint` turns.
    pub fn turn(&mut self, joint: usize, before: Snapshot) {
        self.push(before);
        self.gliding = Some(Gliding::Joint(joint));
    }

    /// The state to go back to; `now` becomes what redo brings.
    pub fn undo(&mut self, now: Snapshot) -> Option<Snapshot> {
        self.gliding = None;
        let before = self.past.pop()?;
        self.future.push(now);
        Some(before)
    }

    /// The state that the last undo left.
    pub fn redo(&mut self, now: Snapshot) -> Option<Snapshot> {
        self.gliding = None;
        let after = self.future.pop()?;
        self.past.push(now);
        Some(after)
    }
}

impl Session {
    pub(super) fn restore(&mut self, targets: Vec<Target>, solved: Pose) {
        self.targets = targets;
        self.solved = solved;
        self.paths.iter_mut().for_each(|path| *path = None);
        for at in 0..self.islands.len() {
            self.islands[at].ask(&self.scene, &self.targets, &self.rides);
            self.islands[at].glide();
            self.start_blend(at);
        }
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        Snapshot {
            targets: self.targets.clone(),
            solved: self.solved.clone(),
            scene: self.scene.clone(),
            paths: self.paths.clone(),
            playback: self.playback.clone(),
            held: self.held.clone(),
            freed: self.freed.clone(),
            selected: self.selected,
            lesson_method: self.lesson_method,
        }
    }

    pub(super) fn recall(&mut self, state: Snapshot) {
        let same_scene = Arc::ptr_eq(&state.scene, &self.scene);
        let same_joints = same_scene || state.scene.skeleton == self.scene.skeleton;
        let same_effectors = same_scene || self.scene.has_effectors_of(&state.scene);
        // A choice of method that is taken back is none for lessons either.
        if state.scene.settings.method != self.scene.settings.method {
            self.lesson_method = state.lesson_method;
        }
        self.scene = state.scene;
        (self.held, self.paths, self.playback) = (state.held, state.paths, state.playback);
        self.freed = state.freed;
        self.targets.clone_from(&state.targets);
        if !same_effectors {
            self.selected = state.selected;
        }
        if !same_joints {
            self.divide();
            self.displayed.clone_from(&state.solved);
        } else if !same_effectors {
            self.redivide();
        }
        let paths = std::mem::take(&mut self.paths);
        self.paths = vec![None; self.targets.len()];
        self.restore(state.targets, state.solved);
        self.paths = paths;
    }
}
