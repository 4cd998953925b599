//! Carries out commands.

use super::command::{LessonCommand, MotionCommand, PoseCommand, SessionCommand};
use super::command_error::CommandError;
use super::frame_budget::Leader;
use super::lesson::Lesson;
use super::methods::method_applies;
use super::session::{Mode, Session};
use fabrik3d_ik::settings::Method;
use std::sync::Arc;

/// Bounds of the speed of the clock.
const SPEEDS: [f64; 2] = [1.0 / 64.0, 64.0];

/// What of a scene a command changes, so that it is worth saving.
enum Change {
    /// What the next key would bring back: presets, random targets, the time of a recording, the method.
    Nothing,
    Targets,
    Scene,
}

impl Change {
    fn by(command: &SessionCommand) -> Self {
        use SessionCommand as S;
        match command {
            S::Motion(MotionCommand::Effectors | MotionCommand::Drive(..) | MotionCommand::Match(..)) => Change::Scene,
            S::Motion(_) | S::TargetPreset(_) | S::TargetRandom | S::TargetPath(_) | S::Reset => Change::Nothing,
            S::Method(_) | S::NextMethod | S::Pose(_) | S::Lesson(_) | S::Passes(_) => Change::Nothing,
            S::TargetMove(_) | S::TargetSet(..) | S::TargetGlide(..) => Change::Targets,
            _ => Change::Scene,
        }
    }
}

impl Session {
    /// Carries out one command.
    ///
    /// # Errors
    /// The command cannot be carried out. The session is unchanged.
    pub fn apply(&mut self, command: &SessionCommand) -> Result<(), CommandError> {
        self.remark = None;
        let version = self.history.version;
        self.carry_out(command)?;
        match Change::by(command) {
            Change::Nothing => self.history.version = version,
            Change::Targets => self.history.version[0] = version[0],
            Change::Scene => {}
        }
        self.update_free_effectors();
        self.update_lesson(command);
        self.update_race(command);
        self.forget_next_pass(command);
        Ok(())
    }

    /// As [`apply`](Self::apply), for a command of a motion that is smooth from frame to frame, as that of held keys is. Where
    /// limits make the figure's motion abrupt, the display eases it.
    pub fn apply_smoothly(&mut self, command: &SessionCommand) -> Result<(), CommandError> {
        self.apply(command)?;
        let by_hand = self.islands.states.iter_mut().filter(|island| island.leader == Leader::Pointer);
        by_hand.for_each(|island| island.leader = Leader::Smooth);
        Ok(())
    }

    fn carry_out(&mut self, command: &SessionCommand) -> Result<(), CommandError> {
        match command {
            SessionCommand::Lesson(command) => self.apply_lesson(*command)?,
            SessionCommand::Race(command) => self.apply_race(command)?,
            SessionCommand::Passes(command) => self.apply_passes(*command),
            SessionCommand::Motion(command) => {
                self.apply_motion(command)?;
                // What plays must move.
                let plays = self.motion().is_some_and(|playback| playback.playing);
                self.clock.paused &= !(plays && *command == MotionCommand::TogglePlay);
            }
            SessionCommand::Effector(command) => self.apply_effector(command)?,
            SessionCommand::Rotation(command) => self.apply_rotation(*command)?,
            SessionCommand::Joint(command) => self.apply_joint(command)?,
            SessionCommand::Pose(PoseCommand::Glide(values)) => self.glide_pose(values)?,
            SessionCommand::Pose(PoseCommand::Release) => self.release_pose(),
            SessionCommand::Pose(PoseCommand::Next) => self.take_next_solution()?,
            SessionCommand::TargetMove(shift) => self.move_targets(*shift)?,
            SessionCommand::TargetSet(name, place) => {
                let at = self.effector_or_selected(name.as_deref())?;
                self.jump_to(&[(at, *place)])?;
            }
            SessionCommand::TargetGlide(name, place, rotation) => {
                let at = self.find_effector(name)?;
                self.glide_target(at, *place, *rotation)?;
            }
            SessionCommand::TargetPreset(number) => self.jump_to_presets(*number)?,
            SessionCommand::TargetRandom => {
                let places = self.random_places()?;
                self.jump_to(&places)?;
            }
            SessionCommand::TargetPath(shape) => self.follow_path(*shape)?,
            SessionCommand::TargetGrab => self.history.gliding = None,
            SessionCommand::EffectorNext(step) => {
                let count = self.effectors.len() as i64;
                let next = (self.selected_effector()? as i64 + i64::from(*step)).rem_euclid(count);
                self.select_effector(next as usize);
            }
            SessionCommand::EffectorSelect(name) => {
                let at = self.find_effector(name)?;
                self.select_effector(at);
            }
            SessionCommand::Pause(paused) => self.clock.paused = *paused,
            SessionCommand::TogglePause => self.toggle_pause()?,
            SessionCommand::Speed(factor) => {
                self.clock.speed = (self.clock.speed * factor).clamp(SPEEDS[0], SPEEDS[1]);
            }
            SessionCommand::Reset => self.reset(),
            SessionCommand::Method(method) => self.choose_method(*method)?,
            SessionCommand::NextMethod => self.choose_method(self.next_method())?,
            SessionCommand::Set(key, value) => self.apply_setting(key, value)?,
            SessionCommand::KeepClear(on) => self.set_keep_clear(*on),
            SessionCommand::ToggleBase => self.toggle_base()?,
            SessionCommand::Undo => self.undo(),
            SessionCommand::Redo => self.redo(),
        }
        Ok(())
    }

    /// Pauses a lesson, or a recording that lasts, so that the figure can be posed meanwhile; otherwise the clock.
    fn toggle_pause(&mut self) -> Result<(), CommandError> {
        let has_motion = self.motion().is_some_and(|playback| playback.is_engaged() && playback.duration() > 0.0);
        if self.lesson().is_some() {
            self.apply_lesson(LessonCommand::Play)?;
        } else if has_motion && !self.clock.paused {
            self.apply_motion(&MotionCommand::TogglePlay)?;
        } else {
            self.clock.paused = !self.clock.paused;
        }
        Ok(())
    }

    /// The method after the chosen one. A lesson offers the two kinds of FABRIK; the panel has the other methods.
    fn next_method(&self) -> Method {
        if self.lesson().is_some() {
            return Lesson::other_method(self.lesson_method());
        }
        let chosen = self.chosen_method();
        let now = Method::ALL.iter().position(|method| *method == chosen).unwrap_or(0);
        let others = Method::ALL.iter().cycle().skip(now + 1).take(Method::ALL.len());
        others.copied().find(|method| method_applies(&self.scene, *method)).unwrap_or(chosen)
    }

    /// Restores the targets and the pose of the scene.
    fn reset(&mut self) {
        self.save();
        self.release_pose();
        if let Some(playback) = &mut self.playback {
            (playback.time, playback.playing) = (0.0, false);
        }
        self.release_dragged();
        for (state, effector) in self.effectors.iter_mut().zip(&self.scene.effectors) {
            (state.target, state.path) = (effector.target, None);
        }
        self.open_feet();
        let start = self.scene.start.clone();
        self.poses.home.clone_from(&start);
        // As when the scene opened: what was solved since then does not count.
        self.islands.states.iter_mut().for_each(|island| island.report = None);
        self.restore_pose(start);
        self.take_first_row();
    }

    /// Chooses the solver's method, or in an open lesson only the method that it shows.
    fn choose_method(&mut self, method: Method) -> Result<(), CommandError> {
        if !method_applies(&self.scene, method) {
            return Err(CommandError::ForChainsOnly(method.name()));
        }
        if !matches!(self.mode, Mode::Lesson(_)) {
            self.save();
            Arc::make_mut(&mut self.scene).settings.method = method;
            self.islands.wake();
        }
        self.lesson_options.method = Some(method);
        Ok(())
    }
}
