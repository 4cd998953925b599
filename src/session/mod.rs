//! A scene in time: every frame runs the reaching passes toward the targets and eases the displayed pose after the
//! solved one. No window and no OpenGL in it; every change is a [`SessionCommand`].

mod base;
pub mod command;
mod effector;
mod error;
mod file;
mod forward;
mod history;
mod hold;
mod island;
mod joint;
pub mod lesson;
pub mod motion;
pub mod numbers;
mod path;
pub mod race;
mod reading;
mod rotation;
pub mod script;
mod setting;
mod target;
mod teach;
mod words;

pub use command::{Command, SessionCommand};
pub use effector::EffectorCommand;
pub use error::CommandError;
pub use file::FileCommand;
pub use forward::Remark;
pub use joint::JointCommand;
pub use motion::{MotionCommand, MotionMode, Playback};
pub use path::{PathShape, TargetPath};
pub use rotation::RotationCommand;
pub use teach::{PlainChain, Subject};

use crate::solve::suits;
use base::Freed;
use fabrik3d_ik::{Crowd, Method, Pose, Target};
use fabrik3d_scene::Scene;
use history::History;
use island::IslandState;
use lesson::{Lesson, StepCommand, Unit};
use race::Race;
use std::sync::Arc;

/// A scene being solved and shown.
#[derive(Debug)]
pub struct Session {
    /// Shared with the states that undo holds; copied only when a command changes it.
    scene: Arc<Scene>,
    /// Bases of it that are free by command.
    freed: Vec<Freed>,
    targets: Vec<Target>,
    paths: Vec<Option<TargetPath>>,
    /// For each effector, whether it was taken in hand last.
    held: Vec<bool>,
    /// For each effector, whether its target goes along with it.
    rides: Vec<bool>,
    islands: Vec<IslandState>,
    /// For each effector, its island.
    homes: Vec<usize>,
    /// Equal chains among the islands, solved together.
    crowds: Vec<Crowd>,
    solved: Pose,
    displayed: Pose,
    /// The pose from which the running blends started.
    from: Pose,
    /// Room for the pose that an island stood in before it is solved or displayed anew.
    last: Pose,
    selected: usize,
    /// Whether all effectors are moved with the selected one.
    all: bool,
    joint: Option<usize>,
    paused: bool,
    speed: f64,
    time: f64,
    solve_seconds: f64,
    history: History,
    random: fabrik3d_ik::random::Random,
    /// What the last command had to say.
    remark: Option<Remark>,
    lesson: Option<Lesson>,
    race: Option<Race>,
    /// How much one step of a lesson is; none: nobody has said.
    step_unit: Option<Unit>,
    /// The method that was chosen last, which lessons are on; none: nobody has chosen.
    lesson_method: Option<Method>,
    playback: Option<Playback>,
}

impl Session {
    /// Opens a scene in its start pose; the first tick begins to solve.
    pub fn new(scene: Scene) -> Self {
        let targets: Vec<Target> = scene.effectors.iter().map(|effector| effector.target).collect();
        let mut session = Session {
            paths: vec![None; targets.len()],
            held: vec![false; targets.len()],
            rides: Vec::new(),
            freed: Vec::new(),
            solved: scene.start.clone(),
            displayed: scene.start.clone(),
            from: scene.start.clone(),
            last: scene.start.clone(),
            islands: Vec::new(),
            homes: Vec::new(),
            crowds: Vec::new(),
            targets,
            selected: 0,
            all: false,
            joint: None,
            paused: false,
            speed: 1.0,
            time: 0.0,
            solve_seconds: 0.0,
            history: History::default(),
            random: fabrik3d_ik::random::Random::new(scene.settings.seed),
            remark: None,
            lesson: None,
            race: None,
            step_unit: None,
            lesson_method: None,
            playback: None,
            scene: Arc::new(scene),
        };
        session.playback = session.own_motion();
        session.divide();
        for island in 0..session.islands.len() {
            session.start_blend(island);
        }
        session
    }

    /// Exchanges the scene for a newly read version of the same file: targets, selection and pose stay where the joints
    /// and effectors still exist.
    pub fn reload(&mut self, scene: Scene) {
        let old = std::mem::replace(self, Session::new(scene));
        for (i, effector) in self.scene.effectors.iter().enumerate() {
            if let Some(was) = old.scene.effectors.iter().position(|other| other.name == effector.name) {
                let edited = old.scene.effectors[was].target != effector.target;
                if !edited {
                    self.targets[i] = old.targets[was];
                }
                if was == old.selected {
                    self.selected = i;
                }
            }
        }
        for (i, joint) in self.scene.skeleton.joints().iter().enumerate() {
            let Some(was) = old.scene.skeleton.find(&joint.name) else { continue };
            if old.scene.skeleton.joints()[was].kind.coordinate_count() == joint.kind.coordinate_count() {
                let kind = self.scene.skeleton.kind(i);
                self.solved[i] = kind.project(old.solved[was]);
                self.displayed[i] = kind.project(old.displayed[was]);
            }
        }
        let selected = old.joint.map(|joint| &old.scene.skeleton.joints()[joint].name);
        self.joint = selected.and_then(|name| self.scene.skeleton.find(name));
        self.from.clone_from(&self.displayed);
        (self.paused, self.speed, self.time) = (old.paused, old.speed, old.time);
        (self.step_unit, self.lesson_method) = (old.step_unit, old.lesson_method);
        let carried = old.playback.as_ref().and_then(|playback| playback.carried_over(&old.scene, &self.scene));
        self.playback = carried.or(self.playback.take());
        self.settle_grips();
        self.refresh_all();
    }

    /// Moves time on by `dt` seconds (real time; the session's own speed is applied here): targets on paths, then the
    /// backward and forward passes, then the blend. An open lesson takes all time for itself; beside a race the scene's
    /// own figure goes on to its targets, which stay where they are.
    pub fn tick(&mut self, dt: f64) {
        let dt = dt.max(0.0) * self.speed;
        if let Some(lesson) = &mut self.lesson {
            return lesson.tick(dt);
        }
        if self.paused {
            return;
        }
        self.time += dt;
        match &mut self.race {
            Some(race) => race.tick(dt),
            None => self.move_on(dt),
        }
        if self.solve() {
            self.carry_along();
        }
        for island in &mut self.islands {
            island.display(&self.scene, dt, &mut self.from, &self.solved, &mut self.displayed, &mut self.last);
        }
    }

    /// Recording and targets on paths go on.
    fn move_on(&mut self, dt: f64) {
        self.play(dt);
        for i in 0..self.paths.len() {
            if let Some(place) = self.paths[i].as_mut().map(|path| path.advance(dt)) {
                self.glide_to(i, place);
            }
        }
    }

    /// Runs this frame's passes on every island whose targets moved or that is not done yet; whether there was one.
    fn solve(&mut self) -> bool {
        if self.islands.iter().all(|island| island.settled) {
            return false;
        }
        let start = std::time::Instant::now();
        if Crowd::suits(&self.scene.settings) {
            for crowd in &mut self.crowds {
                if crowd.islands().any(|at| !self.islands[at].settled) {
                    island::solve_crowd(crowd, &self.scene, &mut self.islands, &mut self.solved);
                }
            }
        }
        for island in self.islands.iter_mut().filter(|island| !island.settled) {
            island.solve(&self.scene, &mut self.solved, &mut self.last);
        }
        self.solve_seconds = start.elapsed().as_secs_f64();
        true
    }

    /// Cuts the scene into islands anew, as after a change of its joints.
    fn divide(&mut self) {
        self.islands = IslandState::all(&self.scene);
        self.homes = vec![0; self.targets.len()];
        for (at, state) in self.islands.iter().enumerate() {
            state.effectors.iter().for_each(|&effector| self.homes[effector] = at);
        }
        self.crowds = island::crowds(&self.scene, &self.islands);
        self.settle_grips();
        self.refresh_all();
    }

    /// The same as after a change of its effectors, on which no pose depends: blends go on.
    fn redivide(&mut self) {
        let blends: Vec<_> = self.islands.iter().map(|island| island.blend).collect();
        self.divide();
        self.islands.iter_mut().zip(blends).for_each(|(island, blend)| island.blend = blend);
    }

    /// All targets have glided, perhaps.
    fn refresh_all(&mut self) {
        for island in &mut self.islands {
            island.ask(&self.scene, &self.targets, &self.rides);
            island.glide();
        }
    }

    /// Whether the picture will change without further input.
    pub fn is_moving(&self) -> bool {
        if let Some(lesson) = &self.lesson {
            return lesson.is_moving();
        }
        let running = |island: &IslandState| island.blend.is_some() || !island.settled;
        let moves_on = || match &self.race {
            Some(race) => race.is_moving(),
            None => self.playback.as_ref().is_some_and(Playback::is_playing) || self.paths.iter().any(Option::is_some),
        };
        !self.paused && (moves_on() || self.islands.iter().any(running))
    }

    /// Carries out one command. On an error nothing has changed.
    pub fn apply(&mut self, command: &SessionCommand) -> Result<(), CommandError> {
        self.remark = None;
        self.carry_out(command)?;
        self.settle_grips();
        self.keep_lesson(command);
        self.keep_race(command);
        Ok(())
    }

    fn carry_out(&mut self, command: &SessionCommand) -> Result<(), CommandError> {
        match command {
            SessionCommand::Step(command) => self.step(*command)?,
            SessionCommand::Race(command) => self.run(command)?,
            SessionCommand::Motion(command) => self.direct(command)?,
            SessionCommand::TargetMove(shift) => self.move_targets(*shift)?,
            SessionCommand::TargetSet(name, place) => {
                let at = match name {
                    Some(name) => self.find_effector(name)?,
                    None => self.selected_effector()?,
                };
                self.jump_to(&[(at, *place)])?;
            }
            SessionCommand::TargetPreset(number) => self.jump_to_presets(*number)?,
            SessionCommand::TargetRandom => {
                let places: Vec<_> = self.chosen()?.into_iter().map(|at| (at, self.random_place(at))).collect();
                self.jump_to(&places)?;
            }
            SessionCommand::TargetPath(path) => self.run_along(*path)?,
            SessionCommand::Effector(command) => self.rig(command)?,
            SessionCommand::TargetGrab => self.history.end_glide(),
            SessionCommand::Rotation(command) => self.rotate_target(*command)?,
            SessionCommand::EffectorNext(step) => {
                self.selected_effector()?;
                let count = self.scene.effectors.len() as i64;
                self.selected = (self.selected as i64 + i64::from(*step)).rem_euclid(count) as usize;
                self.all = false;
            }
            SessionCommand::EffectorSelect(name) => (self.selected, self.all) = (self.find_effector(name)?, false),
            SessionCommand::Joint(command) => self.handle_joint(command)?,
            SessionCommand::Pause(paused) => self.paused = *paused,
            SessionCommand::TogglePause if self.lesson.is_some() => self.step(StepCommand::Play)?,
            SessionCommand::TogglePause => self.paused = !self.paused,
            SessionCommand::Speed(factor) => self.speed = (self.speed * factor).clamp(1.0 / 64.0, 64.0),
            SessionCommand::Reset => {
                self.history.push(self.snapshot());
                let targets = self.scene.effectors.iter().map(|effector| effector.target).collect();
                let start = self.scene.start.clone();
                if let Some(playback) = &mut self.playback {
                    playback.rewind();
                }
                self.release();
                self.restore(targets, start);
            }
            SessionCommand::Method(method) => {
                if !suits(&self.scene, *method) {
                    return Err(CommandError::ForChainsOnly { method: method.key() });
                }
                // Which method a lesson is on says nothing about how the scene should be solved.
                if self.lesson.is_none() {
                    self.history.push(self.snapshot());
                    Arc::make_mut(&mut self.scene).settings.method = *method;
                    self.islands.iter_mut().for_each(IslandState::wake);
                }
                self.lesson_method = Some(*method);
            }
            SessionCommand::NextMethod => {
                let now = Method::ALL.iter().position(|method| *method == self.chosen_method()).unwrap_or(0);
                let others = Method::ALL.iter().cycle().skip(now + 1).take(Method::ALL.len());
                if let Some(next) = others.copied().find(|method| suits(&self.scene, *method)) {
                    self.apply(&SessionCommand::Method(next))?;
                }
            }
            SessionCommand::Set(key, value) => {
                let before = self.snapshot();
                self.set(key, value)?;
                self.history.push(before);
            }
            SessionCommand::ToggleBase => self.toggle_base()?,
            SessionCommand::Undo => {
                if let Some(state) = self.history.undo(self.snapshot()) {
                    self.recall(state);
                }
            }
            SessionCommand::Redo => {
                if let Some(state) = self.history.redo(self.snapshot()) {
                    self.recall(state);
                }
            }
        }
        Ok(())
    }
}
