//! Feet with effectors on ankle and toes. While the ankle is moved, the target of the toes moves with it, as if the foot were
//! rigid. While the toes are moved, the ankle is free. Otherwise a foot that stands could not be lifted.

use super::session::Session;
use fabrik3d_ik::{Isometry, Orientation};
use glam::DQuat;

impl Session {
    /// Whether these are toes whose ankle is moved, and nothing else moves them.
    pub(super) fn moves_with_ankle(&self, at: usize) -> bool {
        let is_free = || self.effectors[at].is_moved() || self.is_driven(at);
        self.islands.feet.iter().any(|foot| foot.toes == at && self.effectors[foot.ankle].is_moved()) && !is_free()
    }

    /// Whether this is an ankle whose toes are moved.
    pub(super) fn is_above_moved_toes(&self, at: usize) -> bool {
        self.islands.feet.iter().any(|foot| foot.ankle == at && self.effectors[foot.toes].is_moved())
    }

    /// Moves the targets of the toes as that of their ankle has moved since it was at a place.
    pub(super) fn take_toes_along(&mut self, ankle: usize, before: Isometry) {
        let Some(toes) = self.islands.feet.iter().find(|foot| foot.ankle == ankle).map(|foot| foot.toes) else {
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
