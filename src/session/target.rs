//! Targets on the move: what glides, what jumps, and what that means for the display.

use super::{CommandError, Session};
use crate::ik::Isometry;
use glam::DVec3;

/// Random places that are drawn, at most, for one above the ground.
const DRAWS: usize = 64;

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

    /// A place within reach of an effector: anywhere in reach of a chain without limits, or else its place in some pose
    /// inside all limits. Above the ground, where there are such.
    pub(super) fn random_place(&mut self, effector: usize) -> DVec3 {
        let up = self.scene.up.axis();
        let frames = self.scene.skeleton.frames(&self.scene.start);
        let effectors = self.scene.effectors.iter();
        let marks = effectors.flat_map(|effector| effector.presets.iter().copied().chain(effector.target.position));
        let heights = frames.iter().map(|frame| frame.position).chain(marks).map(|place| place.dot(up));
        let ground = heights.fold(f64::INFINITY, f64::min);
        let is_chain = self.scene.skeleton.is_strand(&self.islands[self.island_of(effector)].island.joints);
        let tip = self.scene.effectors[effector].effector;
        let draw = |session: &mut Session| {
            if is_chain {
                return session.base_of(effector) + session.random.ball() * (0.95 * session.reach_of_selected());
            }
            let pose = session.scene.skeleton.random_pose(&mut session.random);
            session.scene.skeleton.frame_of(Isometry::IDENTITY, &pose, tip.joint).point(tip.tip)
        };
        let mut place = draw(self);
        for _ in 0..DRAWS {
            if place.dot(up) >= ground {
                break;
            }
            place = draw(self);
        }
        place
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
