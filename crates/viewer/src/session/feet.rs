//! Feet have an effector on the ankle, and may have one on the toes.
//!
//! A foot that stands keeps the orientation that it has. While one end is moved, the other one comes along, as if the foot were
//! rigid: otherwise a foot that stands could not be lifted. It is let go where a target is missed or the ankle is at a limit:
//! to keep the sole level, the whole body would lean. It comes along again where the ankle can turn back.
//!
//! A knee that is moved draws the foot after it where its shin is too short.

use super::effector_state::{Along, Stance};
use super::session::Session;
use fabrik3d_ik::Isometry;
use fabrik3d_ik::goals::{GoalRank, Orientation};
use fabrik3d_ik::queries::angle_between;
use fabrik3d_scene::{EffectorMode, Foot};
use glam::{DQuat, DVec3};

/// An ankle nearer to a limit than this is at it, radians.
const AT_LIMIT: f64 = 1e-3;
/// An end comes along again once the ankle could turn farther than it must by this ratio.
const MARGIN: f64 = 0.05;
/// An end comes along again only farther from where it was let go than this, as a fraction of the length of the sole.
const ELSEWHERE: f64 = 0.05;

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

    /// After a solve: lets go of the end of a foot whose other end is moved, where a target is missed or the ankle is at a limit,
    /// and takes it along again where the ankle can turn back.
    pub(super) fn update_feet(&mut self) {
        let mut changes = false;
        for foot in self.islands.feet.clone() {
            let Some(toes) = foot.toes else { continue };
            for [at, moved] in [[foot.ankle, toes], [toes, foot.ankle]] {
                let place = self.target_position(moved);
                let Along { rotation, let_go } = self.effectors[at].along;
                if let Some(before) = let_go {
                    let Some(again) = self.place_along([at, moved], foot, before) else { continue };
                    self.effectors[at].along.let_go = None;
                    self.effectors[at].target.position = Some(again);
                    self.start_ease(self.islands.index_of(at));
                } else if !self.comes_along(at) {
                    continue;
                } else if self.misses(at) || self.misses(moved) || self.is_at_limit(foot.ankle) {
                    let rotation = rotation.or(Some(self.ankle_frame(foot).rotation));
                    self.effectors[at].along = Along { rotation, let_go: Some(place) };
                } else {
                    self.effectors[at].along.rotation = Some(self.ankle_frame(foot).rotation);
                    continue;
                }
                // Other goals count from now on, so the drag begins anew in the present pose.
                let island = self.islands.index_of(at);
                self.poses.grab(self.islands.states[island].figure.joints());
                changes = true;
            }
        }
        if changes {
            self.update_free_effectors();
        }
    }

    /// Where an end comes along again that was let go with the target of the moved end at `before`; none where it does not. At
    /// the same place it does not, or it would be let go and come along in turns.
    fn place_along(&self, [at, moved]: [usize; 2], foot: Foot, before: DVec3) -> Option<DVec3> {
        let (rotation, sole) = (self.effectors[at].along.rotation?, self.scene.sole(foot)?);
        let place = self.effectors[moved].target.position?;
        let is_elsewhere = place.distance(before) > ELSEWHERE * sole.length();
        if !is_elsewhere || self.effectors[at].target.orientation.is_some() || self.misses(moved) {
            return None;
        }
        let skeleton = &self.scene.skeleton;
        let joint = self.scene.effectors[foot.ankle].effector.joint;
        let above = skeleton.frame_of(Isometry::IDENTITY, &self.poses.solved, skeleton.joints()[joint].parent?);
        let turn = (skeleton.rest_frame(joint, above).rotation.conjugate() * rotation).normalize();
        let turn = if turn.w < 0.0 { -turn } else { turn };
        let farther = DQuat::from_scaled_axis(turn.to_scaled_axis() * (1.0 + MARGIN));
        let kind = skeleton.kind(joint);
        let allowed = kind.rotation(&kind.coordinates_of(farther));
        let sole = if moved == foot.ankle { sole } else { -sole };
        (angle_between(allowed, farther) <= AT_LIMIT).then_some(place + rotation * sole)
    }

    /// Whether this end of a foot comes along: the other end is moved, and nothing else moves or frees it.
    pub(super) fn comes_along(&self, at: usize) -> bool {
        let is_held = self.scene.effectors[at].hold == EffectorMode::Pinned && !self.is_driven(at);
        is_held && self.is_beside_moved(at) && self.effectors[at].along.let_go.is_none()
    }

    /// Whether this is an end of a foot of which only the other end is moved.
    pub(super) fn is_beside_moved(&self, at: usize) -> bool {
        let is_moved = |at: usize| self.effectors[at].is_moved();
        !is_moved(at) && self.other_end(at).is_some_and(is_moved)
    }

    pub(super) fn is_ankle(&self, at: usize) -> bool {
        self.islands.feet.iter().any(|foot| foot.ankle == at)
    }

    fn ankle_frame(&self, foot: Foot) -> Isometry {
        let joint = self.scene.effectors[foot.ankle].effector.joint;
        self.scene.skeleton.frame_of(Isometry::IDENTITY, &self.poses.solved, joint)
    }

    fn is_at_limit(&self, effector: usize) -> bool {
        let joint = self.scene.effectors[effector].effector.joint;
        self.joints_at_limits(&self.poses.solved).contains(&joint)
    }

    /// The toes of an ankle, or the ankle of toes.
    fn other_end(&self, at: usize) -> Option<usize> {
        self.islands.feet.iter().find_map(|foot| foot.other_end(at))
    }

    /// After the target of an effector on a knee has moved: a foot that stands farther away than the shin is long is drawn after
    /// it. It stands again where the knee comes back.
    pub(super) fn draw_foot(&mut self, moved: usize) {
        let Some(Foot { ankle, toes }) = self.foot_below(moved) else { return };
        let state = &self.effectors[ankle];
        let may_be_drawn =
            self.scene.effectors[ankle].hold == EffectorMode::Pinned && !state.is_moved() && !self.is_driven(ankle);
        let places = || Some((state.target.position?, toes.map(|toes| self.target_position(toes))));
        let Some(stood) = state.drawn_from.or_else(|| places().filter(|_| may_be_drawn)) else { return };
        let (ankle_stood, toes_stood) = stood;
        let (knee, shin) = (self.target_position(moved), self.tip(moved).distance(self.tip(ankle)));
        let (away, before) = (ankle_stood - knee, self.target_frame(ankle));
        let is_drawn = away.length() > shin;
        let state = &mut self.effectors[ankle];
        (state.drawn_from, state.dragged) = (Some(stood), is_drawn);
        state.move_to(if is_drawn { knee + away.clamp_length_max(shin) } else { ankle_stood });
        if is_drawn {
            self.take_foot_along(ankle, before);
        } else if let Some((toes, place)) = toes.zip(toes_stood)
            && self.effectors[toes].target.position != Some(place)
        {
            self.effectors[toes].move_to(place);
            self.start_ease(self.islands.index_of(ankle));
        }
    }

    /// The foot below an effector on a knee.
    fn foot_below(&self, effector: usize) -> Option<Foot> {
        let (effectors, skeleton) = (&self.scene.effectors, &self.scene.skeleton);
        let joint = effectors[effector].effector.joint;
        let is_below = |foot: &&Foot| {
            let ankle = effectors[foot.ankle].effector.joint;
            ankle != joint && skeleton.ancestors(ankle).any(|above| above == joint)
        };
        let below = self.islands.feet.iter().find(is_below);
        below.copied().filter(|_| self.scene.body_part(joint).ends_with(" shin"))
    }

    /// Whether the knee above an ankle is moved.
    pub(super) fn is_below_moved_knee(&self, ankle: usize) -> bool {
        let is_own = |knee: usize| self.foot_below(knee).is_some_and(|foot| foot.ankle == ankle);
        (0..self.effectors.len()).any(|at| self.effectors[at].is_moved() && is_own(at))
    }

    /// Moves the target of the other end of a foot as that of this one has moved since it was at a place.
    pub(super) fn take_foot_along(&mut self, moved: usize, before: Isometry) {
        let Some(other) = self.other_end(moved).filter(|&other| self.comes_along(other)) else { return };
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
