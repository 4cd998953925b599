//! Undo and redo: the states before each change.

use super::effector_state::EffectorState;
use super::motion::Playback;
use super::poses::FreedBase;
use fabrik3d_ik::Pose;
use fabrik3d_ik::settings::Method;
use fabrik3d_scene::Scene;
use std::sync::Arc;

/// The state that undo restores.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Snapshot {
    pub scene: Arc<Scene>,
    pub effectors: Vec<EffectorState>,
    pub solved: Pose,
    pub home: Pose,
    /// Whether that pose meets all targets and nothing was left to solve.
    pub is_reached: bool,
    pub playback: Option<Playback>,
    pub freed_bases: Vec<FreedBase>,
    pub selected: usize,
    pub lesson_method: Option<Method>,
    pub pose_is_given: bool,
}

/// Most changes that can be undone; in large scenes fewer, so that their poses together have at most this number of joints,
/// about 300 MB.
const MAX_DEPTH: usize = 200;
const MAX_JOINTS: usize = 4_000_000;
/// That many changes can be undone in any scene.
const MIN_DEPTH: usize = 10;

/// What changes continuously and is undone in one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gliding {
    /// The target of an effector.
    Target(usize),
    /// The time of a recording.
    Motion,
    /// The weight of an effector.
    Weight(usize),
    /// The slack of an effector.
    Slack(usize),
    /// The values of a joint.
    Joint(usize),
    /// The whole pose.
    Pose,
    /// The stiffness of a joint.
    Stiffness(usize),
}

/// Numbers of a state of the scene: of everything but its targets, and of everything. Equal numbers mean equal states.
pub type Version = [u64; 2];

/// The states before each change, and the states that were undone.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    past: Vec<(Snapshot, Version)>,
    future: Vec<(Snapshot, Version)>,
    /// Of the present state, of the newest one, and of the saved one.
    pub version: Version,
    newest: u64,
    saved: Version,
    /// What changes continuously now. Its changes are undone in one step until something else changes.
    gliding: Option<Gliding>,
}

impl History {
    /// Saves the state before a change.
    pub fn push(&mut self, before: Snapshot) {
        self.gliding = None;
        self.future.clear();
        let most = (MAX_JOINTS / before.solved.len().max(1)).clamp(MIN_DEPTH, MAX_DEPTH);
        self.past.push((before, self.version));
        self.newest += 1;
        self.version = [self.newest; 2];
        if self.past.len() > most {
            self.past.remove(0);
        }
    }

    /// Whether a continuous change starts now, so that the state before it has to be saved.
    pub fn starts(&self, gliding: Gliding) -> bool {
        self.gliding != Some(gliding)
    }

    /// Saves the state before a continuous change.
    pub fn push_glide(&mut self, gliding: Gliding, before: Snapshot) {
        self.push(before);
        self.gliding = Some(gliding);
    }

    /// Ends a continuous change. The next one is undone separately.
    pub fn end_glide(&mut self) {
        self.gliding = None;
    }

    /// The state to return to. Redo will restore `now`.
    pub fn undo(&mut self, now: Snapshot) -> Option<Snapshot> {
        self.gliding = None;
        let (before, version) = self.past.pop()?;
        self.future.push((now, std::mem::replace(&mut self.version, version)));
        Some(before)
    }

    /// The state that was undone last. Undo will restore `now`.
    pub fn redo(&mut self, now: Snapshot) -> Option<Snapshot> {
        self.gliding = None;
        let (after, version) = self.future.pop()?;
        self.past.push((now, std::mem::replace(&mut self.version, version)));
        Some(after)
    }

    /// Whether there is a change to undo.
    pub fn can_undo(&self) -> bool {
        !self.past.is_empty()
    }

    /// Whether there is a change to repeat.
    pub fn can_redo(&self) -> bool {
        !self.future.is_empty()
    }

    /// The present state is saved. What changes continuously now changes it again.
    pub fn mark_saved(&mut self) {
        self.saved = self.version;
        self.gliding = None;
    }

    /// Which numbers of the state differ from those of the saved one.
    pub fn differs(&self) -> [bool; 2] {
        std::array::from_fn(|part| self.version[part] != self.saved[part])
    }
}
