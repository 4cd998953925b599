//! Which effectors are free.
//!
//! The target of a pinned effector always counts. A free effector requires nothing: its target moves with it. It counts
//! while it is dragged, and until another effector is dragged. While a figure follows a recording, effectors that the
//! recording does not drive go free; but if it does not move the body through the world either, pinned effectors keep
//! holding it.
//!
//! Feet have an effector on the ankle, and may have one on the toes. While the ankle is moved, the target of the toes moves
//! with it, as if the foot were rigid. While the toes are moved, the ankle is free. Otherwise a foot that stands could not be
//! lifted.

use super::effector_state::Stance;
use super::island_state::IslandState;
use super::session::Session;
use fabrik3d_ik::goals::{GoalRank, Orientation};
use fabrik3d_ik::{Isometry, Kind};
use fabrik3d_scene::{EffectorMode, Foot};
use glam::DQuat;

impl Session {
    /// Whether an effector is free at present: it requires nothing, and its target moves with it.
    pub fn is_free(&self, effector: usize) -> bool {
        self.effectors.get(effector).is_some_and(|effector| effector.free)
    }

    /// Marks effectors as dragged and releases the others.
    pub(super) fn drag(&mut self, chosen: &[usize]) {
        if !self.follows_recording() {
            self.release_dragged();
        }
        chosen.iter().for_each(|&at| self.effectors[at].dragged = true);
    }

    pub(super) fn release_dragged(&mut self) {
        self.effectors.iter_mut().for_each(|effector| effector.dragged = false);
    }

    /// Determines which effectors are free, and updates their goals. Every change ends with this.
    pub(super) fn update_free_effectors(&mut self) {
        let recorded: Vec<bool> =
            self.islands.states.iter().map(|island| self.is_placed_by_recording(island)).collect();
        for at in 0..self.effectors.len() {
            let effector = &self.effectors[at];
            let moves = effector.is_moved() || self.is_driven(at);
            let may_be_free = recorded[self.islands.index_of(at)]
                || self.scene.effectors[at].hold == EffectorMode::Free
                || self.is_above_moved_toes(at);
            let free = !moves && may_be_free;
            let yields = moves || self.moves_with_ankle(at) || (effector.yields && self.misses(at));
            let effector = &mut self.effectors[at];
            if (effector.yields, effector.free) != (yields, free) {
                (effector.yields, effector.free) = (yields, free);
                self.update_goal(at);
            }
        }
        self.plant_feet();
        self.move_free_targets();
    }

    /// Lets the feet that stand keep the orientation that they have.
    fn plant_feet(&mut self) {
        for foot @ Foot { ankle, toes } in self.islands.feet.clone() {
            let holds = |at: usize| {
                let state = &self.effectors[at];
                self.scene.effectors[at].rank() == GoalRank::Firm && !state.yields && !state.free
            };
            let stands = holds(ankle) && toes.is_none_or(holds) && !self.follows_recording();
            let place = |at: usize| self.effectors[at].target.position;
            let places = [place(ankle), toes.and_then(place)];
            let before = self.effectors[ankle].stance;
            let joint = self.scene.effectors[ankle].effector.joint;
            let rotation = || self.scene.skeleton.frame_of(Isometry::IDENTITY, &self.poses.solved, joint).rotation;
            let now = match before.filter(|stance| stance.places == places) {
                _ if !stands => None,
                None => Some(Stance { rotation: rotation(), places }),
                same => same,
            };
            let follows = now.is_some_and(|stance| self.fits(stance, foot));
            if before != now || toes.is_some_and(|toes| self.effectors[toes].follows_stance != follows) {
                self.effectors[ankle].stance = now;
                if let Some(toes) = toes {
                    self.effectors[toes].follows_stance = follows;
                }
                self.update_goal(ankle);
            }
        }
    }

    /// Whether the toes are on their target, without an orientation of their own, where a stance puts them.
    fn fits(&self, stance: Stance, foot: Foot) -> bool {
        let ([Some(ankle), Some(target)], Some(sole)) = (stance.places, self.scene.sole(foot)) else { return false };
        let Some(toes) = foot.toes else { return false };
        let most = self.scene.settings.tolerance * self.scene.effector_size(&self.scene.effectors[toes]);
        self.effectors[toes].target.orientation.is_none() && (ankle + stance.rotation * sole).distance(target) <= most
    }

    /// Whether an effector is away from its target, in a figure that has other goals.
    fn misses(&self, at: usize) -> bool {
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

    /// Whether these are toes whose ankle is moved, and nothing else moves them.
    pub(super) fn moves_with_ankle(&self, at: usize) -> bool {
        let is_free = || self.effectors[at].is_moved() || self.is_driven(at);
        self.islands.feet.iter().any(|foot| foot.toes == Some(at) && self.effectors[foot.ankle].is_moved())
            && !is_free()
    }

    /// Whether this is an ankle whose toes are moved.
    pub(super) fn is_above_moved_toes(&self, at: usize) -> bool {
        self.islands
            .feet
            .iter()
            .any(|foot| foot.ankle == at && foot.toes.is_some_and(|toes| self.effectors[toes].is_moved()))
    }

    /// Moves the targets of the toes as that of their ankle has moved since it was at a place.
    pub(super) fn take_toes_along(&mut self, ankle: usize, before: Isometry) {
        let Some(toes) = self.islands.feet.iter().find(|foot| foot.ankle == ankle).and_then(|foot| foot.toes) else {
            return;
        };
        if !self.moves_with_ankle(toes) || self.effectors[ankle].target.position.is_none() {
            return;
        }
        let now = self.target_frame(ankle);
        let target = &mut self.effectors[toes].target;
        target.position = target.position.map(|place| now.point(before.local(place)));
        if let Some(Orientation::Rotation(rotation)) = &mut target.orientation {
            *rotation = (now.rotation * before.rotation.conjugate() * *rotation).normalize();
        }
    }

    /// The place of a target and its rotation, if it has one.
    pub(super) fn target_frame(&self, at: usize) -> Isometry {
        Isometry::new(self.target_position(at), self.effectors[at].target.rotation().unwrap_or(DQuat::IDENTITY))
    }
}
