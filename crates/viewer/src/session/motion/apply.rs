//! Carries out commands to recordings, and moves pose and targets with them.

use super::playback::{Playback, Transition};
use super::source::MotionSource;
use crate::forward::find_joint;
use crate::session::command::{MotionCommand, MotionMode};
use crate::session::command_error::CommandError;
use crate::session::effector_state::EffectorState;
use crate::session::frame_budget::Leader;
use crate::session::island_state::IslandState;
use crate::session::numbers::FRAME;
use crate::session::remark::Remark;
use crate::session::session::{Gliding, Session};
use fabrik3d_ik::display::mix_poses;
use fabrik3d_ik::figures::Figure;
use fabrik3d_ik::goals::Orientation;
use fabrik3d_ik::{Coordinates, Isometry, Kind, Pose};
use glam::DQuat;
use std::sync::Arc;

/// Most frames that are solved before a scene with a recording is shown for the first time.
const MAX_FRAMES: usize = 30;
/// Time in which a correction of the solver decays to 1/e of its size, seconds of the recording.
const CORRECTION_DECAY: f64 = 0.3;

impl Session {
    /// The recording: the clips of the scene, or what was opened.
    pub fn motion(&self) -> Option<&Playback> {
        self.playback.as_ref()
    }

    pub(in crate::session) fn apply_motion(&mut self, command: &MotionCommand) -> Result<(), CommandError> {
        if *command == MotionCommand::Effectors {
            return self.add_driven_effectors();
        }
        let mut next = self.playback.clone();
        let since = next.as_ref().map_or(0.0, |playback| playback.time);
        let transition = self.change_playback(&mut next, command)?;
        let begins_to_follow = self.begins_to_follow(next.as_ref());
        let was_idle = self.follows_nothing();
        if let Some(next) = &mut next {
            next.plant_feet(&self.scene);
        }
        if let Some(next) = next.as_ref().filter(|next| next.mode == MotionMode::Follow) {
            let places = self.recorded_places(next);
            if !places.iter().flatten().all(|place| place.is_finite()) {
                return Err(CommandError::NotFinite);
            }
        }
        let is_pause = next.as_ref().is_some_and(|next| !next.playing)
            && matches!(command, MotionCommand::Play(_) | MotionCommand::TogglePlay);
        match command {
            // What has been played is undone with the command that started it.
            _ if is_pause => {}
            MotionCommand::Scrub(_) | MotionCommand::Step(_) | MotionCommand::Play(_) | MotionCommand::TogglePlay => {
                self.save_before(Gliding::Motion);
            }
            _ => self.save(),
        }
        if matches!(command, MotionCommand::Open(..) | MotionCommand::Close) {
            self.scene = self.scene_at_rest();
        }
        if *command == MotionCommand::Close {
            self.forget_recorded_turns();
        }
        self.playback = next;
        if begins_to_follow {
            self.insert_leaders()?;
        }
        self.release_for(command);
        if let Some(transition) = transition {
            self.stop_paths();
            self.update_free_effectors();
            self.take_recorded(transition, since);
        }
        self.remark = match command {
            MotionCommand::Open(..) => self.motion().and_then(Playback::remark),
            _ => (self.follows_nothing() && !was_idle).then_some(Remark::NothingFollows),
        };
        Ok(())
    }

    /// Releases dragged effectors when the recording takes over, so that everything that it does not drive is free.
    fn release_for(&mut self, command: &MotionCommand) {
        match command {
            MotionCommand::Open(..) | MotionCommand::Mode(_) | MotionCommand::Close => {
                self.release_dragged();
                for (state, described) in self.effectors.iter_mut().zip(&self.scene.effectors) {
                    state.target.orientation = state.target.orientation.or(described.target.orientation);
                }
                // Orientations of the table before are not those of this one.
                if self.motion().is_some_and(Playback::has_rows) {
                    self.forget_recorded_turns();
                }
            }
            MotionCommand::Drive(_, name) if self.follows_recording() => {
                if let Ok(at) = self.find_effector(name) {
                    self.effectors[at].dragged = false;
                    self.selection.effector = at;
                }
            }
            MotionCommand::Turns(false) => self.forget_recorded_turns(),
            _ => {}
        }
    }

    /// Restores the target orientations of the scene where targets follow the recording.
    fn forget_recorded_turns(&mut self) {
        for at in (0..self.effectors.len()).filter(|&at| self.is_driven(at)).collect::<Vec<_>>() {
            self.effectors[at].target.orientation = self.scene.effectors[at].target.orientation;
            self.update_goal(at);
        }
    }

    /// Whether targets follow the recording.
    pub(in crate::session) fn follows_recording(&self) -> bool {
        self.playback.as_ref().is_some_and(|playback| playback.mode == MotionMode::Follow)
    }

    /// Whether the target of an effector follows the recording.
    pub fn is_driven(&self, effector: usize) -> bool {
        self.follows_recording() && self.playback.as_ref().is_some_and(|playback| playback.drives[effector].is_some())
    }

    /// Changes the playback. Returns how the figure gets to its new pose; none if it stays as it is.
    fn change_playback(
        &self,
        next: &mut Option<Playback>,
        command: &MotionCommand,
    ) -> Result<Option<Transition>, CommandError> {
        match command {
            MotionCommand::Open(file, pairs, up) => {
                let scene = self.scene_at_rest();
                let mut opened = Playback::new(Arc::new(MotionSource::read(file, &scene, *up, self.host)?), &scene);
                for (recorded, joint) in pairs {
                    let joint = find_joint(&scene, joint)?;
                    opened.match_joint(recorded, joint, &scene)?;
                }
                if let Some(misfit) = opened.misfit(&scene) {
                    return Err(CommandError::Misfit(file.display().to_string(), misfit));
                }
                // The rows of a list are to be looked at one by one.
                opened.playing = !opened.has_rows();
                *next = Some(opened);
                return Ok(Some(Transition::Restart));
            }
            MotionCommand::Close => {
                let scene = self.scene_at_rest();
                *next = MotionSource::of_scene(&scene).map(|source| Playback::new(Arc::new(source), &scene));
                return Ok(None);
            }
            _ => {}
        }
        let playback = next.as_mut().ok_or(CommandError::NoMotion)?;
        let jump_if_followed = |mode| (mode == MotionMode::Follow).then_some(Transition::Jump);
        match command {
            MotionCommand::Mode(mode) => {
                playback.mode = mode.unwrap_or(playback.mode.other());
                match playback.mode == MotionMode::Show && !playback.can_show() {
                    true => Err(CommandError::NothingToShow),
                    false => Ok(Some(Transition::Restart)),
                }
            }
            MotionCommand::Clip(name) => playback.choose_clip(name).map(|()| Some(Transition::Restart)),
            MotionCommand::Match(recorded, joint) => {
                let joint = find_joint(&self.scene, joint)?;
                playback.match_joint(recorded, joint, &self.scene).map(|_| Some(Transition::Restart))
            }
            MotionCommand::Turns(on) => {
                playback.turns = *on;
                Ok(jump_if_followed(playback.mode))
            }
            MotionCommand::Drive(joint, effector) => {
                let at = self.find_effector(effector)?;
                playback.drive(joint, at, self.scene.effectors[at].effector.tip)?;
                Ok(jump_if_followed(playback.mode))
            }
            command => Ok(playback.change_time(command)),
        }
    }

    /// The recording no longer moves the target of an effector: it is dragged or moves along a path.
    pub(in crate::session) fn detach_from_recording(&mut self, effector: usize) {
        if let Some(playback) = &mut self.playback {
            match playback.mode {
                MotionMode::Show => playback.playing = false,
                MotionMode::Follow => {
                    let name = || self.scene.shown_name(&self.scene.effectors[effector].name).to_owned();
                    if playback.drives[effector].take().is_some() {
                        self.remark = Some(Remark::FollowsNoMore(name()));
                    }
                }
            }
        }
    }

    /// Pauses a recording in `show` mode: the pose is no longer the recorded one.
    pub(in crate::session) fn pause_shown_recording(&mut self) {
        if let Some(playback) = self.playback.as_mut().filter(|playback| playback.mode == MotionMode::Show) {
            playback.playing = false;
        }
    }

    /// Stops the paths of targets that the recording moves.
    fn stop_paths(&mut self) {
        let Some(playback) = &self.playback else { return };
        for (effector, drive) in self.effectors.iter_mut().zip(&playback.drives) {
            if playback.mode == MotionMode::Show || drive.is_some() {
                effector.path = None;
            }
        }
    }

    /// Advances the recording by `dt` seconds.
    pub(in crate::session) fn advance_motion(&mut self, dt: f64) {
        let Some(playback) = self.playback.as_mut().filter(|playback| playback.playing) else { return };
        let since = playback.time;
        let transition = playback.advance(dt);
        self.take_recorded(transition, since);
    }

    /// Sets pose and targets from the recording. `since` is the time in the recording to which they belong now.
    pub(super) fn take_recorded(&mut self, transition: Transition, since: f64) {
        let Some(playback) = self.playback.clone() else { return };
        let before = (self.poses.solved.clone(), self.effectors.clone());
        self.take_shape(&playback);
        match playback.mode {
            MotionMode::Show => self.show_recorded(&playback),
            MotionMode::Follow => {
                match transition {
                    Transition::Restart => self.start_from_recorded(&playback),
                    Transition::Jump | Transition::Glide => self.move_with_recording(&playback, since),
                }
                self.follow_recorded(&playback);
            }
        }
        if transition != Transition::Glide {
            self.ease_from(&before.0, &before.1);
        }
    }

    /// Sets the recorded pose and the targets that belong to it. Nothing is left to solve.
    fn show_recorded(&mut self, playback: &Playback) {
        let skeleton = &self.scene.skeleton;
        let Some(matched) = &playback.figure_match else { return };
        let Some(pose) = playback.pose_at(skeleton, playback.time) else { return };
        let has_match = |figure: &Figure| figure.joints().iter().any(|&joint| matched.partner(joint).is_some());
        for island in self.islands.states.iter().filter(|island| has_match(&island.figure)) {
            island.figure.joints().iter().for_each(|&joint| self.poses.solved[joint] = pose[joint]);
        }
        let frames = self.scene.skeleton.frames(&self.poses.solved);
        for (state, described) in self.effectors.iter_mut().zip(&self.scene.effectors) {
            state.target = described.at_tip(state.target, frames[described.effector.joint]);
        }
        // What was dragged on a paused frame must not move the body of another one.
        self.release_dragged();
        // What is free depends on which targets are missed, so these must be the new ones.
        (0..self.islands.states.len()).for_each(|at| self.islands.set_goals(at, &self.scene, &self.effectors));
        self.update_free_effectors();
        for at in 0..self.islands.states.len() {
            if has_match(&self.islands.states[at].figure) {
                self.poses.settle_home(self.islands.states[at].figure.joints());
                self.islands.states[at].settle(&self.scene.skeleton, &self.poses);
            }
        }
        self.clock.solve_seconds = 0.0;
    }

    /// Sets the recorded pose on matched joints, so that the solver starts with limbs that bend as in the recording. For a table,
    /// it starts from the home.
    fn start_from_recorded(&mut self, playback: &Playback) {
        if playback.has_rows() {
            // The first row of a table has the same pose in each round.
            let joints: Vec<usize> = self.driven_joints(playback).collect();
            joints.into_iter().for_each(|joint| self.poses.solved[joint] = self.poses.home[joint]);
        }
        let Some(matched) = &playback.figure_match else { return };
        let Some(pose) = playback.pose_at(&self.scene.skeleton, playback.time) else { return };
        let joints = self.driven_joints(playback).filter(|&joint| matched.partner(joint).is_some());
        for joint in joints.collect::<Vec<_>>() {
            self.poses.solved[joint] = pose[joint];
        }
        self.scene.skeleton.follow(&mut self.poses.solved);
        self.settle_driven(playback);
    }

    /// Where a recorded figure puts a body is its home.
    fn settle_driven(&mut self, playback: &Playback) {
        let joints: Vec<usize> = self.driven_joints(playback).collect();
        self.poses.settle_home(&joints);
    }

    /// The joints of all islands on which an effector follows the recording.
    fn driven_joints<'a>(&'a self, playback: &'a Playback) -> impl Iterator<Item = usize> + 'a {
        let driven = self.islands.states.iter().filter(|island| has_drive(playback, island));
        driven.flat_map(|island| island.figure.joints().iter().copied())
    }

    /// Moves bases by as much as the recorded ones have moved `since` then, and pulls matched joints toward the recorded
    /// pose.
    ///
    /// The difference between solved and recorded pose decays slowly. If it were removed at once, the solver would have
    /// to find it again in every frame, each time from a distant pose.
    fn move_with_recording(&mut self, playback: &Playback, since: f64) {
        let Some(matched) = &playback.figure_match else { return };
        let skeleton = &self.scene.skeleton;
        let recorded = |time| playback.pose_at(skeleton, time);
        let (Some(before), Some(now)) = (recorded(since), recorded(playback.time)) else { return };
        let kept = (-playback.elapsed(since) / CORRECTION_DECAY).exp();
        let is_limb = |at: &usize| matched.partner(*at).is_some() && !matched.moved_bases.contains(at);
        let limbs: Vec<usize> = self.driven_joints(playback).filter(is_limb).collect();
        let from = self.poses.solved.clone();
        mix_poses(skeleton, &limbs, &from, &now, 1.0 - kept, &mut self.poses.solved);
        for &joint in &matched.moved_bases {
            let [before, now, solved] =
                [&before, &now, &from].map(|pose| Kind::Free.frame(Isometry::IDENTITY, &pose[joint]));
            let turn = (before.rotation.conjugate() * solved.rotation).normalize();
            let correction = Isometry::new(before.local(solved.position) * kept, DQuat::IDENTITY.slerp(turn, kept));
            let moved = now.frame(correction);
            self.poses.solved[joint] = Coordinates::free(moved.position, moved.rotation);
        }
        skeleton.follow(&mut self.poses.solved);
        self.settle_driven(playback);
    }

    /// Moves the targets to the recorded joints.
    fn follow_recorded(&mut self, playback: &Playback) {
        let places = self.recorded_places(playback);
        let Session { scene, effectors, .. } = self;
        let skeleton = &scene.skeleton;
        let before: Vec<_> = effectors.iter().map(|effector| effector.target).collect();
        let turned = playback.pose_at(skeleton, playback.time).filter(|_| playback.turns);
        let turned = turned.map(|pose| skeleton.frames(&pose));
        for (at, effector) in scene.effectors.iter().enumerate() {
            let (joint, target) = (effector.effector.joint, &mut effectors[at].target);
            let Some(drive) = playback.drives[at] else { continue };
            // A position that overflows leaves the target where it is.
            target.position = places[at].filter(|place| place.is_finite()).or(target.position);
            let partner = playback.figure_match.as_ref().and_then(|matched| matched.partner(joint));
            let turned = turned.as_ref().filter(|_| partner == Some(drive.track)).map(|frames| frames[joint].rotation);
            let of_table = || playback.source.table_target(drive.track, playback.time)?.1;
            let turned = turned.map(Orientation::Rotation).or_else(of_table);
            if turned.is_some() || playback.source.has_turns(drive.track) {
                target.orientation = turned;
            } else if partner == Some(drive.track) && *skeleton.kind(joint) == Kind::Free {
                // The recorded trunk turns, and hips that kept their orientation would hold it back.
                target.orientation = None;
            }
        }
        let matched = playback.figure_match.as_ref();
        let is_moved_base = |joint: &usize| matched.is_some_and(|matched| matched.moved_bases.contains(joint));
        for at in 0..self.islands.states.len() {
            let island = &self.islands.states[at];
            let moved =
                island.figure.goals().iter().any(|&effector| self.effectors[effector].target != before[effector]);
            if moved || has_drive(playback, island) || island.figure.joints().iter().any(is_moved_base) {
                let leader = if matched.is_some() { Leader::Recording } else { Leader::Table };
                self.islands.states[at].glide(leader, &self.scene.skeleton, &self.poses);
                self.islands.set_goals(at, &self.scene, &self.effectors);
            }
        }
    }

    /// Eases the display of islands whose pose or targets have changed. Before the first tick there is nothing to ease
    /// from: the scene opens with the recording.
    fn ease_from(&mut self, solved: &Pose, effectors: &[EffectorState]) {
        let mut opens = false;
        for at in 0..self.islands.states.len() {
            let island = &self.islands.states[at];
            let has_other_target = |&effector: &usize| self.effectors[effector].target != effectors[effector].target;
            let moved = island.figure.joints().iter().any(|&joint| self.poses.solved[joint] != solved[joint])
                || island.figure.goals().iter().any(has_other_target);
            if self.clock.time == 0.0 {
                self.islands.states[at].eases.clear();
                opens |= moved;
            } else if moved {
                self.start_ease(at);
            }
        }
        if opens {
            // The first picture shows the solved pose, not the way to it.
            for _ in 0..MAX_FRAMES {
                if !self.solve_frame(FRAME) {
                    break;
                }
            }
            self.islands.states.iter_mut().for_each(IslandState::show_at_once);
            self.poses.displayed.clone_from(&self.poses.solved);
        }
    }
}

/// Whether an effector of an island follows the recording.
fn has_drive(playback: &Playback, island: &IslandState) -> bool {
    island.figure.goals().iter().any(|&effector| playback.drives[effector].is_some())
}
