//! Targets on the move: what glides, what jumps, and what that means for the display.

use super::{CommandError, Session};
use glam::DVec3;

impl Session {
    pub(super) fn glide_to(&mut self, effector: usize, place: DVec3) {
        self.targets[effector].position = Some(place);
        self.wake(effector);
    }

    /// A jump eases the display from where it is now to the new solution.
    pub(super) fn jump_to(&mut self, effector: usize, place: DVec3) {
        self.history.push(self.snapshot());
        self.paths[effector] = None;
        self.take_over(effector);
        self.targets[effector].position = Some(place);
        let island = self.wake(effector);
        self.start_blend(island);
    }

    pub(super) fn wake(&mut self, effector: usize) -> usize {
        let at = self.island_of(effector);
        self.islands[at].refresh(&self.targets);
        at
    }

    pub(super) fn start_blend(&mut self, island: usize) {
        self.islands[island].jump(self.scene.smoothing, &mut self.from, &self.displayed);
    }

    pub(super) fn selected_effector(&self) -> Result<usize, CommandError> {
        if self.scene.effectors.is_empty() { Err(CommandError::NoEffector) } else { Ok(self.selected) }
    }

    pub(super) fn find_effector(&self, name: &str) -> Result<usize, CommandError> {
        let effectors = &self.scene.effectors;
        effectors.iter().position(|effector| effector.name == name).ok_or_else(|| CommandError::UnknownEffector {
            name: name.to_owned(),
            known: effectors.iter().map(|effector| effector.name.as_str()).collect::<Vec<_>>().join(", "),
        })
    }

    pub(super) fn island_of(&self, effector: usize) -> usize {
        self.islands.iter().position(|island| island.effectors.contains(&effector)).unwrap_or(0)
    }

    pub(super) fn base_of(&self, effector: usize) -> DVec3 {
        let root = self.scene.skeleton.root(self.scene.effectors[effector].effector.joint);
        self.scene.skeleton.joints()[root].offset
    }
}

pub(super) fn check(place: DVec3) -> Result<(), CommandError> {
    if place.is_finite() { Ok(()) } else { Err(CommandError::NotFinite) }
}
