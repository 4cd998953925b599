//! Feet have an effector on the ankle, and may have one on the toes.
//!
//! A foot that stands keeps the orientation that it has. While one end is moved, the target of the other one moves with it, as
//! if the foot were rigid: otherwise a foot that stands could not be lifted. Where that would hinder it, because a target is
//! missed or the ankle is at a limit, the other end is let go. Else the whole body would lean to keep the sole level. Once the
//! ankle could turn the foot as it was again, the other end comes along again.

use super::effector_state::Stance;
use super::session::Session;
use fabrik3d_ik::Isometry;
use fabrik3d_ik::goals::{GoalRank, Orientation};
use fabrik3d_ik::queries::at_limits;
use fabrik3d_scene::Foot;
use glam::DQuat;

/// An ankle nearer to a limit than this is at it, radians.
const AT_LIMIT: f64 = 1e-3;
/// A foot comes along again once its ankle could turn farther than it must by this ratio. Without a margin, it would be let go
/// and come along in turns.
const MARGIN: f64 = 0.05;

impl Session {
    /// Lets the feet that stand keep the orientation that they have.
    pub(super) fn plant_feet(&mut self) {
        for foot @ Foot { ankle, toes } in self.islands.feet.clone() {
            let holds = |at: usize| {
                let state = &self.effectors[at];
                self.scene.effectors[at].rank() == GoalRank::Firm && !state.yields && !state.free
            };
            let stands = holds(ankle) && toes.is_none_or(holds) && !self.follows_recording();
            let place = |at: usize| self.effectors[at].target.position;
            let places = [place(ankle), toes.and_then(place)];
            let before = self.effectors[ankle].stance;
            let now = match before.filter(|stance| stance.places == places) {
                _ if !stands => None,
                None => Some(Stance { rotation: self.ankle_frame(foot).rotation, places }),
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

    /// After a solve: the end of a foot whose other end is moved is let go where it hinders it, and comes along again where the
    /// foot can be turned as it was.
    pub(super) fn update_feet(&mut self) {
        let mut changes = false;
        for foot in self.islands.feet.clone() {
            let Some(toes) = foot.toes else { continue };
            let ends = [foot.ankle, toes];
            for at in ends {
                let is_hindered = || ends.iter().any(|&end| self.misses(end)) || self.is_at_limit(foot.ankle);
                let let_go = match self.effectors[at].let_go.filter(|_| self.other_end_is_moved(at)) {
                    Some(rotation) => (!self.takes_again(at, foot, rotation)).then_some(rotation),
                    None if self.moves_with_foot(at) && is_hindered() => Some(self.ankle_frame(foot).rotation),
                    None => None,
                };
                changes |= let_go.is_some() != self.effectors[at].let_go.is_some();
                self.effectors[at].let_go = let_go;
            }
        }
        if changes {
            self.update_free_effectors();
        }
    }

    /// Takes an end of a foot along again if the ankle can turn to this rotation by a margin. Returns whether it does.
    fn takes_again(&mut self, at: usize, foot: Foot, rotation: DQuat) -> bool {
        let skeleton = &self.scene.skeleton;
        let joint = self.scene.effectors[foot.ankle].effector.joint;
        let Some(parent) = skeleton.joints()[joint].parent else { return false };
        let rest =
            skeleton.rest_frame(joint, skeleton.frame_of(Isometry::IDENTITY, &self.poses.solved, parent)).rotation;
        let turn = (rest.conjugate() * rotation).normalize().to_scaled_axis();
        let farther = DQuat::from_scaled_axis(turn * (1.0 + MARGIN));
        let kind = skeleton.kind(joint);
        let allowed = kind.rotation(&kind.coordinates_of(farther));
        let (Some(sole), Some(moved)) = (self.scene.sole(foot), self.other_end(at)) else { return false };
        if allowed.angle_between(farther) > AT_LIMIT {
            return false;
        }
        let sole = if moved == foot.ankle { sole } else { -sole };
        let place = self.target_position(moved) + rotation * sole;
        self.effectors[at].move_to(place);
        self.start_ease(self.islands.index_of(at));
        true
    }

    fn other_end_is_moved(&self, at: usize) -> bool {
        self.other_end(at).is_some_and(|other| self.effectors[other].is_moved())
    }

    /// Whether this is an end of a foot that is let go.
    pub(super) fn is_let_go(&self, at: usize) -> bool {
        self.effectors[at].let_go.is_some() && self.other_end_is_moved(at)
    }

    fn ankle_frame(&self, foot: Foot) -> Isometry {
        let joint = self.scene.effectors[foot.ankle].effector.joint;
        self.scene.skeleton.frame_of(Isometry::IDENTITY, &self.poses.solved, joint)
    }

    fn is_at_limit(&self, effector: usize) -> bool {
        let joint = self.scene.effectors[effector].effector.joint;
        at_limits(&self.scene.skeleton, &self.poses.solved, AT_LIMIT).iter().any(|limit| limit.joint == joint)
    }

    /// Whether this is an end of a foot whose other end is moved, and nothing else moves it.
    pub(super) fn moves_with_foot(&self, at: usize) -> bool {
        let state = &self.effectors[at];
        self.other_end_is_moved(at) && !(state.is_moved() || self.is_driven(at) || state.let_go.is_some())
    }

    /// The toes of an ankle, or the ankle of toes.
    fn other_end(&self, at: usize) -> Option<usize> {
        self.islands.feet.iter().find_map(|foot| match foot.toes? {
            toes if foot.ankle == at => Some(toes),
            toes if toes == at => Some(foot.ankle),
            _ => None,
        })
    }

    /// Moves the target of the other end of a foot as that of this one has moved since it was at a place.
    pub(super) fn take_foot_along(&mut self, moved: usize, before: Isometry) {
        let Some(other) = self.other_end(moved).filter(|&other| self.moves_with_foot(other)) else { return };
        if self.effectors[moved].target.position.is_none() {
            return;
        }
        let now = self.target_frame(moved);
        let target = &mut self.effectors[other].target;
        target.position = target.position.map(|place| now.point(before.local(place)));
        if let Some(Orientation::Rotation(rotation)) = &mut target.orientation {
            *rotation = (now.rotation * before.rotation.conjugate() * *rotation).normalize();
        }
    }
}
