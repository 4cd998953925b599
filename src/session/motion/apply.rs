//! What a recording does to pose and targets.

use super::{Drive, MotionCommand, MotionMode, MotionSource, Playback, Way};
use crate::session::island::IslandState;
use crate::session::{CommandError, Session};
use crate::solve::forward;
use crate::solve::forward::carry;
use fabrik3d_ik::{Coordinates, Island, Isometry, Kind, Pose, Target, mix_poses};
use fabrik3d_scene::{SceneEffector, leads_body};
use glam::{DQuat, DVec3};
use std::sync::Arc;

/// Most frames' passes that are run before the first frame of a scene that opens with targets on the move.
const OPENING: usize = 30;
/// Seconds of recorded motion in which what the solver has moved besides wears off to a third.
const WEARS_OFF: f64 = 0.3;

impl Session {
    /// The recording, if there is one: the scene's own clips, or what was opened.
    pub fn motion(&self) -> Option<&Playback> {
        self.playback.as_ref()
    }

    /// Carries a command out that is about recorded motion.
    pub(in crate::session) fn direct(&mut self, command: &MotionCommand) -> Result<(), CommandError> {
        if *command == MotionCommand::Effectors {
            return self.add_driven_effectors();
        }
        let mut next = self.playback.clone();
        let since = next.as_ref().map_or(0.0, Playback::time);
        let way = self.changed(&mut next, command)?;
        if let Some(next) = next.as_ref().filter(|next| next.mode == MotionMode::Follow) {
            let places = self.recorded_places(next);
            if !places.iter().flatten().all(|place| place.is_finite()) {
                return Err(CommandError::NotFinite);
            }
        }
        let glides = matches!(command, MotionCommand::Scrub(_) | MotionCommand::Step(_));
        if !glides {
            self.history.push(self.snapshot());
        } else if self.history.begins_scrub() {
            self.history.scrub(self.snapshot());
        }
        self.playback = next;
        self.choose_targets(command);
        if let Some(way) = way {
            self.release_paths();
            self.settle_grips();
            self.perform(way, since);
        }
        Ok(())
    }

    /// Chosen joints alone are targets: what begins to follow lets go of what was held by hand, so that everything that the
    /// recording does not tell is free. Other targets can then be taken in hand.
    fn choose_targets(&mut self, command: &MotionCommand) {
        match command {
            MotionCommand::Open(_) | MotionCommand::Mode(_) | MotionCommand::Close => self.release(),
            MotionCommand::Drive(_, name) if self.follows_recording() => {
                if let Ok(at) = self.find_effector(name) {
                    self.held[at] = false;
                    self.selected = at;
                }
            }
            // What the recording had them want is forgotten.
            MotionCommand::Turns(false) => {
                for at in (0..self.targets.len()).filter(|&at| self.is_driven(at)).collect::<Vec<_>>() {
                    self.targets[at].rotation = self.scene.effectors[at].target.rotation;
                    self.ask(at);
                }
            }
            _ => {}
        }
    }

    /// Whether targets follow the recording.
    pub(in crate::session) fn follows_recording(&self) -> bool {
        self.playback.as_ref().is_some_and(|playback| playback.mode == MotionMode::Follow)
    }

    /// Whether the recording moves the target of an effector.
    pub(in crate::session) fn is_driven(&self, effector: usize) -> bool {
        self.playback
            .as_ref()
            .is_some_and(|playback| playback.mode == MotionMode::Follow && playback.drives[effector].is_some())
    }

    /// Whether the recording carries the figure of an island through the world.
    pub(in crate::session) fn is_carried(&self, island: &Island) -> bool {
        let fit = self.playback.as_ref().and_then(|playback| playback.fit.as_ref());
        fit.is_some_and(|fit| fit.riders.iter().any(|rider| island.joints.contains(rider)))
    }

    /// Puts effectors on matched joints that lead the rest of a body and have none.
    fn add_driven_effectors(&mut self) -> Result<(), CommandError> {
        let playback = self.playback.as_ref().ok_or(CommandError::NoMotion)?;
        let scene = &self.scene;
        let partner = |joint: usize| playback.fit.as_ref().and_then(|fit| fit.partner(joint));
        let leads = |joint: &usize| {
            let has_one = scene.effectors.iter().any(|effector| effector.effector.joint == *joint);
            !has_one && partner(*joint).is_some() && leads_body(&scene.skeleton.joints()[*joint].name)
        };
        let joints: Vec<usize> = (0..scene.skeleton.len()).filter(leads).collect();
        self.add_effectors(&joints)?;
        self.settle_grips();
        if self.follows_recording() {
            self.perform(Way::Jump, 0.0);
        }
        Ok(())
    }

    /// The playback after a command, and how the figure gets to where it then is; none where it stays as it is.
    fn changed(&self, next: &mut Option<Playback>, command: &MotionCommand) -> Result<Option<Way>, CommandError> {
        match command {
            MotionCommand::Open(file) => {
                let source = MotionSource::read(file, &self.scene)?;
                let mut opened = Playback::new(Arc::new(source), &self.scene);
                opened.playing = true;
                *next = Some(opened);
                return Ok(Some(Way::Begin));
            }
            MotionCommand::Close => {
                *next = self.own_motion();
                return Ok(None);
            }
            _ => {}
        }
        let playback = next.as_mut().ok_or(CommandError::NoMotion)?;
        let limited = |time: f64| time.clamp(0.0, playback.duration());
        match command {
            MotionCommand::Play(false) => playback.playing = false,
            MotionCommand::TogglePlay if playback.playing => playback.playing = false,
            MotionCommand::Play(true) | MotionCommand::TogglePlay => {
                let is_over = !playback.playing && !playback.looping && playback.time >= playback.duration();
                if is_over {
                    playback.time = 0.0;
                }
                playback.playing = true;
                return Ok(Some(if is_over { Way::Begin } else { Way::Jump }));
            }
            MotionCommand::Seek(time) => {
                playback.time = limited(*time);
                return Ok(Some(Way::Begin));
            }
            MotionCommand::Scrub(time) => {
                playback.time = limited(*time);
                return Ok(Some(Way::Glide));
            }
            MotionCommand::Step(frames) => {
                let frame_time = playback.source.frame_time(playback.clip);
                // To a whole frame: the one reached, and from between two the next in that direction.
                let at = playback.time / frame_time;
                let from = if (at - at.round()).abs() < 1e-6 { at.round() } else { at - at.fract() };
                let past = f64::from(u8::from(from < at && *frames < 0));
                (playback.time, playback.playing) = (limited((from + past + *frames as f64) * frame_time), false);
                return Ok(Some(Way::Glide));
            }
            MotionCommand::Speed(factor) => playback.speed = *factor,
            MotionCommand::Loop(on) => playback.looping = *on,
            MotionCommand::Mode(mode) => {
                playback.mode = mode.unwrap_or(playback.mode.other());
                if playback.mode == MotionMode::Show && !playback.can_show() {
                    return Err(CommandError::NothingToShow);
                }
                return Ok(Some(Way::Begin));
            }
            MotionCommand::Clip(name) => {
                playback.choose(name)?;
                return Ok(Some(Way::Begin));
            }
            MotionCommand::Match(recorded, joint) => {
                let joint = forward::find_joint(&self.scene, joint)?;
                playback.pair(recorded, joint, &self.scene)?;
                return Ok(Some(Way::Begin));
            }
            MotionCommand::Turns(on) => {
                playback.turns = *on;
                return Ok((playback.mode == MotionMode::Follow).then_some(Way::Jump));
            }
            MotionCommand::Drive(joint, effector) => {
                let at = self.find_effector(effector)?;
                playback.drive(joint, at, self.scene.effectors[at].effector.tip)?;
                return Ok((playback.mode == MotionMode::Follow).then_some(Way::Jump));
            }
            MotionCommand::Open(_) | MotionCommand::Close | MotionCommand::Effectors => {}
        }
        Ok(None)
    }

    /// The scene's own clips, at their beginning.
    pub(in crate::session) fn own_motion(&self) -> Option<Playback> {
        MotionSource::of_scene(&self.scene).map(|source| Playback::new(Arc::new(source), &self.scene))
    }

    /// A target that is moved by hand, or along a path, is no longer moved by the recording.
    pub(in crate::session) fn take_over(&mut self, effector: usize) {
        if let Some(playback) = &mut self.playback {
            match playback.mode {
                MotionMode::Show => playback.playing = false,
                MotionMode::Follow => playback.drives[effector] = None,
            }
        }
    }

    /// A pose that is changed by hand is no longer the recorded one.
    pub(in crate::session) fn hold_motion(&mut self) {
        if let Some(playback) = self.playback.as_mut().filter(|playback| playback.mode == MotionMode::Show) {
            playback.playing = false;
        }
    }

    /// And one that the recording moves is no longer moved along a path.
    fn release_paths(&mut self) {
        let Some(playback) = &self.playback else { return };
        for (path, drive) in self.paths.iter_mut().zip(&playback.drives) {
            if playback.mode == MotionMode::Show || drive.is_some() {
                *path = None;
            }
        }
    }

    /// `dt` seconds later.
    pub(in crate::session) fn play(&mut self, dt: f64) {
        let Some(playback) = self.playback.as_mut().filter(|playback| playback.playing) else { return };
        let since = playback.time;
        let way = playback.advance(dt);
        self.perform(way, since);
    }

    /// Brings pose and targets to where the recording has them at its time; `since` is the time at which it had them where
    /// they are.
    fn perform(&mut self, way: Way, since: f64) {
        let Some(playback) = self.playback.clone() else { return };
        let before = (self.solved.clone(), self.targets.clone());
        match playback.mode {
            MotionMode::Show => self.show(&playback),
            MotionMode::Follow => {
                match way {
                    Way::Begin => self.stand_as_recorded(&playback),
                    Way::Jump | Way::Glide => self.carry_body(&playback, since),
                }
                self.follow(&playback);
            }
        }
        if way != Way::Glide {
            self.ease_from(&before.0, &before.1);
        }
    }

    /// Takes the recorded pose over. The targets go along, and nothing is left to be solved.
    fn show(&mut self, playback: &Playback) {
        let skeleton = &self.scene.skeleton;
        let Some(fit) = &playback.fit else { return };
        let Some(pose) = playback.recorded(skeleton, playback.time) else { return };
        let knows = |island: &Island| island.joints.iter().any(|&joint| fit.partner(joint).is_some());
        for state in self.islands.iter().filter(|state| knows(&state.island)) {
            state.island.joints.iter().for_each(|&joint| self.solved[joint] = pose[joint]);
        }
        let frames = self.scene.skeleton.frames(&self.solved);
        for (target, effector) in self.targets.iter_mut().zip(&self.scene.effectors) {
            carry(target, frames[effector.effector.joint], effector.effector.tip);
        }
        for state in self.islands.iter_mut().filter(|state| knows(&state.island)) {
            state.ask(&self.scene, &self.targets, &self.rides);
            state.rest();
        }
        self.solve_seconds = 0.0;
    }

    /// Begins to follow in the recorded pose, as far as joints are known, so that limbs bend as they were recorded to.
    fn stand_as_recorded(&mut self, playback: &Playback) {
        let Some(fit) = &playback.fit else { return };
        let Some(pose) = playback.recorded(&self.scene.skeleton, playback.time) else { return };
        for joint in self.led_joints(playback).filter(|&joint| fit.partner(joint).is_some()).collect::<Vec<_>>() {
            self.solved[joint] = pose[joint];
        }
        self.scene.skeleton.follow(&mut self.solved);
    }

    /// The joints of islands of which some effector follows the recording.
    fn led_joints<'a>(&'a self, playback: &'a Playback) -> impl Iterator<Item = usize> + 'a {
        let led = self.islands.iter().filter(|state| is_led_by(playback, state));
        led.flat_map(|state| state.island.joints.iter().copied())
    }

    /// Carries the joints that go along as far as the recorded ones have gone `since` then, and lets all that are known lean
    /// toward how they were recorded. What the solver has moved them besides, so that targets were reached, wears off
    /// slowly: put back at once it would have to be found anew in every frame, each time from a pose that is not near.
    fn carry_body(&mut self, playback: &Playback, since: f64) {
        let Some(fit) = &playback.fit else { return };
        let skeleton = &self.scene.skeleton;
        let recorded = |time| playback.recorded(skeleton, time);
        let (Some(before), Some(now)) = (recorded(since), recorded(playback.time)) else { return };
        let kept = (-playback.gone(since) / WEARS_OFF).exp();
        let limbs: Vec<usize> =
            self.led_joints(playback).filter(|at| fit.partner(*at).is_some() && !fit.riders.contains(at)).collect();
        let from = self.solved.clone();
        mix_poses(skeleton, &limbs, &from, &now, 1.0 - kept, &mut self.solved);
        for &joint in &fit.riders {
            let [before, now, solved] =
                [&before, &now, &from].map(|pose| Kind::Free.frame(Isometry::IDENTITY, &pose[joint]));
            let turn = (before.rotation.conjugate() * solved.rotation).normalize();
            let moved = Isometry::new(before.local(solved.position) * kept, DQuat::IDENTITY.slerp(turn, kept));
            let carried = now.frame(moved);
            self.solved[joint] = Coordinates::free(carried.position, carried.rotation);
        }
        skeleton.follow(&mut self.solved);
    }

    /// For each effector where its target belongs by the recording, if it follows that; world.
    fn recorded_places(&self, playback: &Playback) -> Vec<Option<DVec3>> {
        let scene = &self.scene;
        let recorded = playback.source.pose(playback.clip, playback.time);
        let moved = playback.fit.as_ref().zip(recorded).map_or(Vec::new(), |(fit, recorded)| fit.frames(&recorded));
        let stance = scene.skeleton.frames(&scene.start);
        let place = |(effector, drive): (&SceneEffector, &Option<Drive>)| {
            let drive = (*drive)?;
            let Some(fit) = &playback.fit else { return playback.source.table_place(drive.track, playback.time) };
            let end = (effector.effector.joint, scene.reach(effector));
            let placing = fit.placing(&scene.skeleton, end, drive, &moved, &stance);
            Some(placing.point(moved[drive.track].point(drive.point)))
        };
        scene.effectors.iter().zip(&playback.drives).map(place).collect()
    }

    /// Sends the targets to where the recorded joints are.
    fn follow(&mut self, playback: &Playback) {
        let places = self.recorded_places(playback);
        let Session { scene, targets, .. } = self;
        let skeleton = &scene.skeleton;
        let before = targets.clone();
        let turned = playback.recorded(skeleton, playback.time).filter(|_| playback.turns);
        let turned = turned.map(|pose| skeleton.frames(&pose));
        for (at, effector) in scene.effectors.iter().enumerate() {
            let joint = effector.effector.joint;
            let Some(drive) = playback.drives[at] else { continue };
            // What overflows on its way leaves the target where it is.
            targets[at].position = places[at].filter(|place| place.is_finite()).or(targets[at].position);
            let partner = playback.fit.as_ref().and_then(|fit| fit.partner(joint));
            let told = turned.as_ref().filter(|_| partner == Some(drive.track)).map(|frames| frames[joint].rotation);
            targets[at].rotation = told.or(targets[at].rotation);
        }
        let rides = |joint: &usize| playback.fit.as_ref().is_some_and(|fit| fit.riders.contains(joint));
        for state in &mut self.islands {
            let moved = state.effectors.iter().any(|&effector| self.targets[effector] != before[effector]);
            if moved || is_led_by(playback, state) || state.island.joints.iter().any(rides) {
                state.ask(&self.scene, &self.targets, &self.rides);
                state.glide();
            }
        }
    }

    /// Eases the display where pose or targets are not what they were. Before the first tick there is nothing to ease
    /// from: that is how the scene opens.
    fn ease_from(&mut self, solved: &Pose, targets: &[Target]) {
        let mut opens = false;
        for at in 0..self.islands.len() {
            let state = &self.islands[at];
            let moved = state.island.joints.iter().any(|&joint| self.solved[joint] != solved[joint])
                || state.effectors.iter().any(|&effector| self.targets[effector] != targets[effector]);
            if self.time == 0.0 {
                self.islands[at].blend = None;
                opens |= moved;
            } else if moved {
                self.start_blend(at);
            }
        }
        if opens {
            // Nobody should see the solver on its way there.
            for _ in 0..OPENING {
                if !self.solve() {
                    break;
                }
            }
            self.islands.iter_mut().for_each(IslandState::appear);
            self.displayed.clone_from(&self.solved);
        }
    }
}

/// Whether some effector of an island follows the recording.
fn is_led_by(playback: &Playback, state: &IslandState) -> bool {
    state.effectors.iter().any(|&effector| playback.drives[effector].is_some())
}
