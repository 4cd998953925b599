//! Feet have an effector on the ankle, and may have one on the toes.
//!
//! A foot that stands keeps the orientation that it has. While one end is moved, the other one comes along, as if the foot were
//! rigid: otherwise a foot that stands could not be lifted. Where a target is missed or the ankle is at a limit, it only prefers
//! to be there: to keep the sole level, the whole body would lean. A foot that stands and whose heel may rise, since the target of
//! its ankle is only preferred, stands on its toes in the same cases.
//!
//! A knee that is moved draws the foot after it where its shin is too short.

use super::effector_state::{Sole, Stance};
use super::session::Session;
use fabrik3d_ik::Isometry;
use fabrik3d_ik::goals::{GoalRank, Orientation};
use fabrik3d_scene::{EffectorMode, Foot};

impl Session {
    /// Lets the feet that stand keep the orientation that they have.
    pub(super) fn plant_feet(&mut self) {
        for foot @ Foot { ankle, toes } in self.islands.feet.clone() {
            let stays = |at: usize| !self.effectors[at].yields && !self.effectors[at].free;
            let holds = |at: usize| self.scene.effectors[at].rank() == GoalRank::Firm && stays(at);
            let stands = if self.heel_may_rise(foot) { stays(ankle) } else { holds(ankle) };
            let stands = stands && toes.is_none_or(holds) && !self.follows_recording();
            let place = |at: usize| self.effectors[at].target.position;
            let places = [place(ankle), toes.and_then(place)];
            let before = self.effectors[ankle].stance();
            let now = before.filter(|stance| stance.places == places);
            let now = now.unwrap_or_else(|| Stance { rotation: self.ankle_frame(foot).rotation, places, rises: false });
            let now = Some(now).filter(|_| stands);
            let follows = now.is_some_and(|stance| !stance.rises && self.fits(stance, foot));
            let mut changes = self.set_sole(ankle, now.map(Sole::Stands), before.is_some());
            if let Some(toes) = toes {
                let before = self.effectors[toes].sole == Sole::Follows;
                changes |= self.set_sole(toes, follows.then_some(Sole::Follows), before);
            }
            if changes {
                self.update_goal(ankle);
            }
        }
    }

    /// At the targets of the scene: an end of a foot that comes along with the other one is where that takes it.
    pub(super) fn open_feet(&mut self) {
        // Large scenes have no feet, and ask for no problem of their own.
        if self.islands.feet.is_empty() {
            return;
        }
        let goals = self.scene.problem().goals;
        let comes_along = |at: usize| goals[at].rank != self.scene.effectors[at].rank() && goals[at].is_preferred();
        for foot in self.islands.feet.clone() {
            let Some(toes) = foot.toes else { continue };
            for [at, moved] in [[foot.ankle, toes], [toes, foot.ankle]].into_iter().filter(|ends| comes_along(ends[0]))
            {
                self.effectors[moved].dragged = true;
                let state = &mut self.effectors[at];
                (state.sole, state.target.position) = (Sole::Along, goals[at].target.position);
            }
        }
    }

    /// Takes over how an effector goes with its foot; none: as nothing but its target says, if it was otherwise `before`. Returns
    /// whether that is a change.
    pub(super) fn set_sole(&mut self, at: usize, now: Option<Sole>, before: bool) -> bool {
        let sole = &mut self.effectors[at].sole;
        let now = now.unwrap_or(if before { Sole::Apart } else { *sole });
        std::mem::replace(sole, now) != now
    }

    /// Whether an effector is on an ankle above toes that have an effector too: if its target is only preferred, the heel may rise.
    pub fn has_heel(&self, effector: usize) -> bool {
        self.islands.feet.iter().any(|foot| foot.ankle == effector && foot.toes.is_some())
    }

    /// Whether the heel of a foot that stands on its toes may rise: the target of the ankle is only preferred.
    fn heel_may_rise(&self, Foot { ankle, toes }: Foot) -> bool {
        let effector = &self.scene.effectors[ankle];
        toes.is_some() && effector.hold == EffectorMode::Pinned && effector.rank() == GoalRank::Preferred
    }

    /// After a solve: what a rigid foot is in the way of needs it no longer. Ends that come along are let loose, and heels that may
    /// rise do.
    pub(super) fn loosen_feet(&mut self) {
        for foot in self.islands.feet.clone() {
            let Some(toes) = foot.toes else { continue };
            for at in [foot.ankle, toes] {
                let loose = match self.effectors[at].sole {
                    Sole::Along => Sole::Loose(self.effectors[at].target),
                    Sole::Stands(stance) if self.heel_may_rise(foot) && !stance.rises => {
                        Sole::Stands(Stance { rises: true, ..stance })
                    }
                    _ => continue,
                };
                if self.is_in_the_way(foot) {
                    self.effectors[at].sole = loose;
                    // A lifted foot goes on from where the level one has come: its knee is bent there.
                    if matches!(loose, Sole::Stands(_)) {
                        let island = self.islands.index_of(at);
                        self.islands.states[island].solve_jump_again();
                    }
                    self.update_free_effectors();
                    self.update_goal(at);
                }
            }
        }
    }

    /// Before a target of a figure moves: feet are rigid again that are in the way of nothing.
    pub(super) fn stiffen_feet(&mut self, island: usize) {
        for foot in self.islands.feet.clone() {
            let Some(toes) = foot.toes.filter(|&toes| self.islands.index_of(toes) == island) else { continue };
            for at in [foot.ankle, toes] {
                let (sole, target) = match self.effectors[at].sole {
                    Sole::Loose(place) => (Sole::Along, place),
                    Sole::Stands(stance @ Stance { rises: true, .. }) => {
                        (Sole::Stands(Stance { rises: false, ..stance }), self.effectors[at].target)
                    }
                    _ => continue,
                };
                if !self.is_off_target(at) && !self.is_in_the_way(foot) {
                    (self.effectors[at].sole, self.effectors[at].target) = (sole, target);
                    self.update_free_effectors();
                }
            }
        }
    }

    /// Whether a foot that is rigid would keep others from their targets: its ankle is at a limit, or a target is missed. To keep the
    /// sole level, the whole body would lean.
    fn is_in_the_way(&self, foot: Foot) -> bool {
        let stands = self.effectors[foot.ankle].stance().is_some();
        let island = &self.islands.states[self.islands.index_of(foot.ankle)];
        let concerns = |at: &usize| stands || foot.has(*at);
        self.is_at_limit(foot.ankle) || island.figure.goals().iter().any(|at| concerns(at) && self.misses(*at))
    }

    /// Whether the toes are on their target, without an orientation of their own, where a stance puts them.
    fn fits(&self, stance: Stance, foot: Foot) -> bool {
        let ([Some(ankle), Some(target)], Some(sole)) = (stance.places, self.scene.sole(foot)) else { return false };
        let Some(toes) = foot.toes else { return false };
        let most = self.scene.settings.tolerance * self.scene.effector_size(&self.scene.effectors[toes]);
        self.effectors[toes].target.orientation.is_none() && (ankle + stance.rotation * sole).distance(target) <= most
    }

    /// Whether this end of a foot comes along: the other end is moved, and nothing else moves or frees it.
    pub(super) fn comes_along(&self, at: usize) -> bool {
        self.effectors[at].sole == Sole::Along
    }

    /// How an effector goes with the other end of its foot while one of them is moved.
    pub(super) fn sole_while_moved(&self, at: usize) -> Option<Sole> {
        let foot = self.islands.feet.iter().find(|foot| foot.has(at))?;
        let is_moved = |at: usize| self.effectors[at].is_moved();
        let sole = self.effectors[at].sole;
        if is_moved(at) {
            let is_drawn = matches!(sole, Sole::Drawn(..));
            let is_lifted = foot.ankle == at && self.heel_may_rise(*foot);
            return is_drawn.then_some(sole).or(is_lifted.then_some(Sole::Lifted));
        }
        let is_held = self.scene.effectors[at].hold == EffectorMode::Pinned && !self.is_driven(at);
        let is_beside = is_held && foot.other_end(at).is_some_and(is_moved);
        is_beside.then_some(if matches!(sole, Sole::Loose(_)) { sole } else { Sole::Along })
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
        let is_held = self.scene.effectors[ankle].hold == EffectorMode::Pinned && !self.is_driven(ankle);
        let (ankle_stood, toes_stood) = match (state.sole, state.target.position) {
            (Sole::Drawn(ankle, toes), _) => (ankle, toes),
            (_, Some(place)) if is_held && !state.is_moved() => (place, toes.map(|toes| self.target_position(toes))),
            _ => return,
        };
        let (knee, shin) = (self.target_position(moved), self.tip(moved).distance(self.tip(ankle)));
        let (away, before) = (ankle_stood - knee, self.target_frame(ankle));
        let is_drawn = away.length() > shin;
        let state = &mut self.effectors[ankle];
        match state.sole {
            _ if is_drawn => state.sole = Sole::Drawn(ankle_stood, toes_stood),
            Sole::Drawn(..) => state.sole = Sole::Apart,
            _ => return,
        }
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

    /// Feet whose knees are no longer moved stay where these have drawn them.
    pub(super) fn leave_drawn_feet(&mut self) {
        for foot in self.islands.feet.clone() {
            if matches!(self.effectors[foot.ankle].sole, Sole::Drawn(..)) && !self.is_below_moved_knee(foot.ankle) {
                self.effectors[foot.ankle].sole = Sole::Apart;
            }
        }
    }

    /// Whether the knee above an ankle is moved.
    fn is_below_moved_knee(&self, ankle: usize) -> bool {
        let is_own = |knee: usize| self.foot_below(knee).is_some_and(|foot| foot.ankle == ankle);
        (0..self.effectors.len()).any(|at| self.effectors[at].is_moved() && is_own(at))
    }

    /// Moves the target of the other end of a foot as that of this one has moved since it was at a place.
    pub(super) fn take_foot_along(&mut self, moved: usize, before: Isometry) {
        let Some(other) = self.other_end(moved) else { return };
        let Some(sole) = self.sole_while_moved(other).filter(|_| self.effectors[moved].target.position.is_some())
        else {
            return;
        };
        let (now, state) = (self.target_frame(moved), &mut self.effectors[other]);
        state.sole = sole;
        let target = if let Sole::Loose(place) = &mut state.sole { place } else { &mut state.target };
        target.position = target.position.map(|place| now.point(before.local(place)));
        if let Some(Orientation::Rotation(rotation)) = &mut target.orientation {
            *rotation = (now.rotation * before.rotation.conjugate() * *rotation).normalize();
        }
    }
}
