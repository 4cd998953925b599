//! What is asked of the pose at this moment: which targets pull at their effectors, and which ride along with them.
//!
//! A pinned effector's target always pulls. A free one's does while it is moved by hand, and on until another is moved:
//! then it rides again. While a figure follows a recording, all ride whose place that does not tell; but where it does not
//! tell how the body travels either, what is pinned goes on holding it.

use super::Session;
use super::island::IslandState;
use crate::solve::forward::carry;
use fabrik3d_ik::Kind;
use fabrik3d_scene::EffectorMode;

impl Session {
    /// Whether an effector asks for nothing now: it goes where the figure goes, and its target with it.
    pub fn rides(&self, effector: usize) -> bool {
        self.rides.get(effector).copied().unwrap_or(false)
    }

    /// Takes effectors in hand: their targets pull, and other free ones are let go.
    pub(super) fn take_hold(&mut self, chosen: &[usize]) {
        if !self.follows_recording() {
            self.held.fill(false);
        }
        chosen.iter().for_each(|&at| self.held[at] = true);
    }

    /// Lets go of all effectors that were taken in hand.
    pub(super) fn release(&mut self) {
        self.held.fill(false);
    }

    /// Finds out anew who rides, after any change, and tells the islands.
    pub(super) fn settle_grips(&mut self) {
        let before = std::mem::take(&mut self.rides);
        let led: Vec<bool> = self.islands.iter().map(|state| self.is_led(state)).collect();
        let rides = (0..self.targets.len()).map(|at| {
            let moves = self.held[at] || self.paths[at].is_some() || self.is_driven(at);
            !moves && (led[self.island_of(at)] || self.scene.effectors[at].hold == EffectorMode::Free)
        });
        self.rides = rides.collect();
        for at in 0..self.targets.len() {
            if before.get(at) != Some(&self.rides[at]) {
                self.ask(at);
            }
        }
        self.carry_along();
    }

    /// Whether a recording alone says where an island's figure is.
    fn is_led(&self, state: &IslandState) -> bool {
        let joints = self.scene.skeleton.joints();
        let travels = || state.island.joints.iter().any(|&joint| joints[joint].kind == Kind::Free);
        state.effectors.iter().any(|&at| self.is_driven(at)) && (!travels() || self.is_carried(&state.island))
    }

    /// Tells the island of an effector what is asked of it now. What glides goes on gliding, what has jumped has jumped.
    pub(super) fn ask(&mut self, effector: usize) {
        let at = self.island_of(effector);
        let Session { islands, scene, targets, rides, .. } = self;
        islands[at].ask(scene, targets, rides);
        islands[at].wake();
    }

    /// The targets that ride are where their effectors are.
    pub(super) fn carry_along(&mut self) {
        if !self.rides.contains(&true) {
            return;
        }
        let frames = self.scene.skeleton.frames(&self.solved);
        let effectors = self.scene.effectors.iter().map(|effector| effector.effector);
        for ((target, effector), _) in
            self.targets.iter_mut().zip(effectors).zip(&self.rides).filter(|(_, rides)| **rides)
        {
            carry(target, frames[effector.joint], effector.tip);
        }
    }
}
