//! Which effectors are free.
//!
//! The target of a pinned effector always counts. A free effector requires nothing: its target moves with it. It counts
//! while it is dragged, and until another effector is dragged. While a figure follows a recording, effectors that the
//! recording does not drive go free; but if it does not move the body through the world either, pinned effectors keep
//! holding it.
//!
//! The two ends of a foot have rules of their own: see `feet.rs`.

use super::effector_state::Sole;
use super::island_state::IslandState;
use super::session::Session;
use fabrik3d_ik::{Isometry, Kind};
use fabrik3d_scene::EffectorMode;
use glam::DQuat;

impl Session {
    /// Whether an effector is free at present: it requires nothing, and its target moves with it.
    pub fn is_free(&self, effector: usize) -> bool {
        self.effectors.get(effector).is_some_and(|effector| effector.free)
    }

    /// Whether a pinned effector goes along at present: with the moved end of its foot, with a recording that is played
    /// as recorded, or because it is free for as long.
    pub fn goes_along(&self, effector: usize) -> bool {
        let is_shown = || self.motion().is_some_and(|motion| motion.playing && motion.shows_poses());
        let goes = self.is_free(effector) || self.comes_along(effector) || is_shown();
        goes && self.scene.effectors[effector].hold == EffectorMode::Pinned
    }

    /// Marks effectors as dragged and releases the others. If they were not all dragged before, a drag begins.
    pub(super) fn drag(&mut self, chosen: &[usize]) {
        let goes_on = chosen.iter().all(|&at| self.effectors[at].dragged);
        if !self.follows_recording() {
            self.release_dragged();
        }
        if !goes_on {
            let is_chosen = |island: &&IslandState| island.figure.goals().iter().any(|goal| chosen.contains(goal));
            self.islands.states.iter().filter(is_chosen).for_each(|island| self.poses.grab(island.figure.joints()));
        }
        for &at in chosen {
            let state = &mut self.effectors[at];
            state.dragged = true;
            if let Sole::Drawn(..) = state.sole {
                state.sole = Sole::Apart;
            }
        }
    }

    pub(super) fn release_dragged(&mut self) {
        self.effectors.iter_mut().for_each(|effector| effector.dragged = false);
    }

    /// Determines which effectors are free, and updates their goals. Every change ends with this.
    pub(super) fn update_free_effectors(&mut self) {
        self.leave_drawn_feet();
        let recorded: Vec<bool> =
            self.islands.states.iter().map(|island| self.is_placed_by_recording(island)).collect();
        for at in 0..self.effectors.len() {
            let effector = &self.effectors[at];
            let beside = self.sole_while_moved(at);
            let moves = effector.is_moved() || self.is_driven(at);
            let may_be_free = recorded[self.islands.index_of(at)]
                || self.scene.effectors[at].hold == EffectorMode::Free
                || matches!(beside, Some(Sole::Loose(_)));
            let free = !moves && may_be_free;
            let yields = moves || beside == Some(Sole::Along) || (effector.yields && self.misses(at));
            let changes = self.set_sole(at, beside, effector.is_beside_moved());
            let effector = &mut self.effectors[at];
            if changes || (effector.yields, effector.free) != (yields, free) {
                (effector.yields, effector.free) = (yields, free);
                self.update_goal(at);
            }
        }
        self.plant_feet();
        self.move_free_targets();
    }

    /// Whether an effector is away from its target, in a figure that has other goals.
    pub(super) fn misses(&self, at: usize) -> bool {
        let shared = self.islands.of(at).is_some_and(|island| island.figure.goals().len() > 1);
        let most = || self.scene.settings.tolerance * self.scene.effector_size(&self.scene.effectors[at]);
        shared && self.residual(at).is_some_and(|distance| distance > most())
    }

    /// Whether the recording alone determines where the figure of an island is.
    fn is_placed_by_recording(&self, island: &IslandState) -> bool {
        let joints = self.scene.skeleton.joints();
        let floats = || island.figure.joints().iter().any(|&joint| joints[joint].kind == Kind::Free);
        island.figure.goals().iter().any(|&at| self.is_driven(at))
            && (!floats() || self.is_moved_by_recording(&island.figure))
    }

    /// Updates the goal of an effector on its island. Whether its target has jumped or moved continuously stays as it is.
    pub(super) fn update_goal(&mut self, effector: usize) {
        let at = self.islands.index_of(effector);
        self.islands.set_goals(at, &self.scene, &self.effectors);
        self.islands.states[at].wake();
    }

    pub(super) fn move_free_targets(&mut self) {
        if !self.effectors.iter().any(|effector| effector.free) {
            return;
        }
        let frames = self.scene.skeleton.frames(&self.poses.solved);
        for (state, described) in self.effectors.iter_mut().zip(&self.scene.effectors).filter(|(state, _)| state.free) {
            state.target = described.at_tip(state.target, frames[described.effector.joint]);
        }
    }

    /// The place of a target and its rotation, if it has one.
    pub(super) fn target_frame(&self, at: usize) -> Isometry {
        Isometry::new(self.target_position(at), self.effectors[at].target.rotation().unwrap_or(DQuat::IDENTITY))
    }
}
