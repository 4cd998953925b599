//! Targets on the move: what glides, what jumps, and what that means for the display.

use super::{CommandError, PathShape, Session, TargetPath};
use crate::ik::Isometry;
use glam::DVec3;

/// Random places that are drawn, at most, for one above the ground.
const DRAWS: usize = 64;

impl Session {
    /// The effectors that a change of the target is for: the selected one, or all.
    pub(super) fn chosen(&self) -> Result<Vec<usize>, CommandError> {
        let selected = self.selected_effector()?;
        Ok(if self.all { (0..self.targets.len()).collect() } else { vec![selected] })
    }

    /// Whether all effectors are moved with the selected one.
    pub fn all_selected(&self) -> bool {
        self.all
    }

    pub(super) fn glide_to(&mut self, effector: usize, place: DVec3) {
        self.targets[effector].position = Some(place);
        self.wake(effector);
    }

    /// Glides the chosen targets.
    pub(super) fn move_targets(&mut self, shift: DVec3) -> Result<(), CommandError> {
        let place = |at: usize| (at, self.targets[at].position.unwrap_or(self.tip(at)) + shift);
        let places: Vec<_> = self.chosen()?.into_iter().map(place).collect();
        check(&places)?;
        if self.history.begins_glide(self.selected) {
            self.history.glide(self.selected, self.snapshot());
        }
        self.take(&places);
        places.into_iter().for_each(|(at, place)| self.glide_to(at, place));
        Ok(())
    }

    /// Targets jump: the display eases from where it is now to the new solution.
    pub(super) fn jump_to(&mut self, places: &[(usize, DVec3)]) -> Result<(), CommandError> {
        check(places)?;
        self.history.push(self.snapshot());
        self.take(places);
        for &(at, place) in places {
            self.targets[at].position = Some(place);
            let island = self.wake(at);
            self.start_blend(island);
        }
        Ok(())
    }

    /// What is moved by hand is moved by nothing else.
    fn take(&mut self, places: &[(usize, DVec3)]) {
        let chosen: Vec<usize> = places.iter().map(|(at, _)| *at).collect();
        for &at in &chosen {
            self.paths[at] = None;
            self.take_over(at);
        }
        self.take_hold(&chosen);
    }

    /// The chosen targets jump to their presets of this number, from 1; of several, those that have so many.
    pub(super) fn jump_to_presets(&mut self, number: usize) -> Result<(), CommandError> {
        let preset = |at: usize| {
            let presets = &self.scene.effectors[at].presets;
            Some((at, *number.checked_sub(1).and_then(|index| presets.get(index))?))
        };
        let places: Vec<_> = self.chosen()?.into_iter().filter_map(preset).collect();
        if places.is_empty() {
            let effector = &self.scene.effectors[self.selected];
            let (effector, count) = (effector.name.clone(), effector.presets.len());
            return Err(CommandError::NoPreset { effector, number, count });
        }
        self.jump_to(&places)
    }

    /// The chosen targets run along a curve from where they are, or no longer do.
    pub(super) fn run_along(&mut self, path: Option<PathShape>) -> Result<(), CommandError> {
        let chosen = self.chosen()?;
        self.history.push(self.snapshot());
        if path.is_some() {
            chosen.iter().for_each(|&at| self.take_over(at));
        }
        self.take_hold(&chosen);
        for at in chosen {
            let start = self.targets[at].position.unwrap_or(self.tip(at));
            let reach = self.scene.reach(&self.scene.effectors[at]);
            let (up, base) = (self.scene.up.axis(), self.base_of(at));
            self.paths[at] = path.map(|shape| TargetPath::new(shape, up, base, start, reach));
        }
        Ok(())
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
                return session.base_of(effector)
                    + session.random.ball() * (0.95 * session.scene.reach(&session.scene.effectors[effector]));
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
        self.ask(effector);
        self.islands[at].glide();
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
        self.homes.get(effector).copied().unwrap_or(0)
    }

    pub(super) fn base_of(&self, effector: usize) -> DVec3 {
        let root = self.scene.skeleton.root(self.scene.effectors[effector].effector.joint);
        self.scene.skeleton.joints()[root].offset
    }
}

pub(super) fn check(places: &[(usize, DVec3)]) -> Result<(), CommandError> {
    if places.iter().all(|(_, place)| place.is_finite()) { Ok(()) } else { Err(CommandError::NotFinite) }
}
