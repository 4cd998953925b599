//! A scene in time: every frame runs the reaching passes toward the targets and eases the displayed pose after the
//! solved one. No window and no OpenGL in it; every change is a [`SessionCommand`].

pub mod command;
mod file;
mod history;
mod island;
mod joint;
pub mod lesson;
pub mod numbers;
mod path;
pub mod race;
mod rotation;
pub mod script;
mod teach;
mod words;

pub use command::{Command, SessionCommand};
pub use file::FileCommand;
pub use joint::JointCommand;
pub use path::{PathShape, TargetPath};
pub use rotation::RotationCommand;
pub use teach::{PlainChain, Subject};

use crate::ik::{Blend, Coordinates, Crowd, Isometry, Kind, Method, Pose, Report, Stop, Target};
use crate::scene::Scene;
use glam::{DQuat, DVec3};
use history::{History, Snapshot};
use island::IslandState;
use lesson::{Lesson, StepCommand, Unit};
use race::Race;
use std::sync::Arc;

/// A scene being solved and shown.
#[derive(Debug)]
pub struct Session {
    /// Shared with the states that undo holds; copied only when a command changes it.
    scene: Arc<Scene>,
    targets: Vec<Target>,
    paths: Vec<Option<TargetPath>>,
    islands: Vec<IslandState>,
    /// Equal chains among the islands, solved together.
    crowds: Vec<Crowd>,
    solved: Pose,
    displayed: Pose,
    /// The pose from which the running blends started.
    from: Pose,
    selected: usize,
    joint: Option<usize>,
    paused: bool,
    speed: f64,
    time: f64,
    solve_seconds: f64,
    history: History,
    random: crate::ik::random::Random,
    lesson: Option<Lesson>,
    race: Option<Race>,
    step_unit: Unit,
}

/// Why a command was not carried out. Nothing has changed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CommandError {
    /// No effector bears this name.
    #[error("no effector is named `{name}`; there are: {known}")]
    UnknownEffector {
        /// Name as given.
        name: String,
        /// Names that exist.
        known: String,
    },
    /// No joint bears this name.
    #[error("no joint is named `{name}`")]
    UnknownJoint {
        /// Name as given.
        name: String,
    },
    /// The scene has no effector at all.
    #[error("the scene has no effector to move")]
    NoEffector,
    /// The effector has fewer presets.
    #[error("`{effector}` has {count} presets; there is no number {number}")]
    NoPreset {
        /// Effector that is selected.
        effector: String,
        /// Number asked for, from 1.
        number: usize,
        /// How many there are.
        count: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("a target must be finite numbers")]
    NotFinite,
    /// The figure is none that can be stepped through.
    #[error("the selected effector has no target to step toward")]
    NoSteps,
    /// The figure is none that all methods can solve.
    #[error("only a single chain of unlimited joints with a fixed base can race: the other methods know no limits")]
    NoRace,
    /// A setting that does not exist, or a value that it does not take.
    #[error("cannot set `{key}` to `{value}`: {reason}")]
    Setting {
        /// Dotted key.
        key: String,
        /// Value as given.
        value: String,
        /// What is wrong.
        reason: String,
    },
}

impl Session {
    /// Opens a scene in its start pose; the first tick begins to solve.
    pub fn new(scene: Scene) -> Self {
        let targets: Vec<Target> = scene.effectors.iter().map(|effector| effector.target).collect();
        let mut session = Session {
            paths: vec![None; targets.len()],
            solved: scene.start.clone(),
            displayed: scene.start.clone(),
            from: scene.start.clone(),
            islands: Vec::new(),
            crowds: Vec::new(),
            targets,
            selected: 0,
            joint: None,
            paused: false,
            speed: 1.0,
            time: 0.0,
            solve_seconds: 0.0,
            history: History::default(),
            random: crate::ik::random::Random::new(scene.settings.seed),
            lesson: None,
            race: None,
            step_unit: Unit::default(),
            scene: Arc::new(scene),
        };
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
                self.solved[i] = joint.kind.project(old.solved[was]);
                self.displayed[i] = joint.kind.project(old.displayed[was]);
            }
        }
        let selected = old.joint.map(|joint| &old.scene.skeleton.joints()[joint].name);
        self.joint = selected.and_then(|name| self.scene.skeleton.find(name));
        self.from.clone_from(&self.displayed);
        (self.paused, self.speed, self.time) = (old.paused, old.speed, old.time);
        for island in &mut self.islands {
            island.refresh(&self.targets);
        }
    }

    /// Moves time on by `dt` seconds (real time; the session's own speed is applied here): targets on paths, then the
    /// backward and forward passes, then the blend. An open lesson takes all time for itself,
    /// and so does a race.
    pub fn tick(&mut self, dt: f64) {
        let dt = dt.max(0.0) * self.speed;
        if let Some(lesson) = &mut self.lesson {
            return lesson.tick(dt);
        }
        if self.paused {
            return;
        }
        self.time += dt;
        if let Some(race) = &mut self.race {
            return race.tick(dt);
        }
        for i in 0..self.paths.len() {
            if let Some(place) = self.paths[i].as_mut().map(|path| path.advance(dt)) {
                self.glide_to(i, place);
            }
        }
        self.solve();
        for island in &mut self.islands {
            island.blend = island.blend.and_then(|blend| blend.after(dt));
            island.display(&self.scene.skeleton, &self.from, &self.solved, &mut self.displayed);
        }
    }

    /// Runs this frame's passes on every island whose targets moved or that is not done yet.
    fn solve(&mut self) {
        if self.islands.iter().all(|island| island.settled) {
            return;
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
            island.solve(&self.scene, &mut self.solved);
        }
        self.solve_seconds = start.elapsed().as_secs_f64();
    }

    /// Cuts the scene into islands anew, as after a change of its joints.
    fn divide(&mut self) {
        self.islands = IslandState::all(&self.scene);
        self.islands.iter_mut().for_each(|island| island.refresh(&self.targets));
        self.crowds = island::crowds(&self.scene, &self.islands);
    }

    /// Whether the picture will change without further input.
    pub fn is_moving(&self) -> bool {
        if let Some(lesson) = &self.lesson {
            return lesson.is_moving();
        }
        if let Some(race) = &self.race {
            return !self.paused && race.is_moving();
        }
        let running = |island: &IslandState| island.blend.is_some() || !island.settled;
        !self.paused && (self.paths.iter().any(Option::is_some) || self.islands.iter().any(running))
    }

    /// Carries out one command. On an error nothing has changed.
    pub fn apply(&mut self, command: &SessionCommand) -> Result<(), CommandError> {
        self.carry_out(command)?;
        self.keep_lesson(command);
        self.keep_race(command);
        Ok(())
    }

    fn carry_out(&mut self, command: &SessionCommand) -> Result<(), CommandError> {
        match command {
            SessionCommand::Step(command) => self.step(*command)?,
            SessionCommand::Race(command) => self.run(command)?,
            SessionCommand::TargetMove(shift) => {
                let at = self.selected_effector()?;
                let place = self.targets[at].position.unwrap_or(self.tip(at)) + *shift;
                check(place)?;
                if self.history.begins_glide(at) {
                    self.history.glide(at, self.snapshot());
                }
                self.paths[at] = None;
                self.glide_to(at, place);
            }
            SessionCommand::TargetSet(name, place) => {
                let at = match name {
                    Some(name) => self.find_effector(name)?,
                    None => self.selected_effector()?,
                };
                check(*place)?;
                self.jump_to(at, *place);
            }
            SessionCommand::TargetPreset(number) => {
                let at = self.selected_effector()?;
                let effector = &self.scene.effectors[at];
                let place = *number.checked_sub(1).and_then(|index| effector.presets.get(index)).ok_or_else(|| {
                    CommandError::NoPreset {
                        effector: effector.name.clone(),
                        number: *number,
                        count: effector.presets.len(),
                    }
                })?;
                self.jump_to(at, place);
            }
            SessionCommand::TargetRandom => {
                let at = self.selected_effector()?;
                let place = self.base_of(at) + self.random.ball() * (0.95 * self.reach_of_selected());
                self.jump_to(at, place);
            }
            SessionCommand::TargetPath(path) => {
                let at = self.selected_effector()?;
                self.history.push(self.snapshot());
                let reach = self.scene.reach(&self.scene.effectors[at]);
                let start = self.targets[at].position.unwrap_or(self.tip(at));
                let up = self.scene.up.axis();
                self.paths[at] = path.map(|shape| TargetPath::new(shape, up, self.base_of(at), start, reach));
            }
            SessionCommand::TargetGrab => self.history.end_glide(),
            SessionCommand::Rotation(command) => self.rotate_target(*command)?,
            SessionCommand::EffectorNext(step) => {
                self.selected_effector()?;
                let count = self.scene.effectors.len() as i64;
                self.selected = (self.selected as i64 + i64::from(*step)).rem_euclid(count) as usize;
            }
            SessionCommand::EffectorSelect(name) => self.selected = self.find_effector(name)?,
            SessionCommand::Joint(command) => self.select_joint(command)?,
            SessionCommand::Pause(paused) => self.paused = *paused,
            SessionCommand::TogglePause if self.lesson.is_some() => self.step(StepCommand::Play)?,
            SessionCommand::TogglePause => self.paused = !self.paused,
            SessionCommand::Speed(factor) => self.speed = (self.speed * factor).clamp(1.0 / 64.0, 64.0),
            SessionCommand::Reset => {
                self.history.push(self.snapshot());
                let targets = self.scene.effectors.iter().map(|effector| effector.target).collect();
                let start = self.scene.start.clone();
                self.restore(targets, start);
            }
            SessionCommand::Method(method) => {
                self.history.push(self.snapshot());
                Arc::make_mut(&mut self.scene).settings.method = *method;
                self.islands.iter_mut().for_each(IslandState::wake);
            }
            SessionCommand::NextMethod => {
                let at = Method::ALL.iter().position(|method| *method == self.scene.settings.method).unwrap_or(0);
                self.apply(&SessionCommand::Method(Method::ALL[(at + 1) % Method::ALL.len()]))?;
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

    /// Changes one number of the solver or of the smoothing.
    fn set(&mut self, key: &str, value: &str) -> Result<(), CommandError> {
        let fail = |reason: &str| CommandError::Setting {
            key: key.to_owned(),
            value: value.to_owned(),
            reason: reason.to_owned(),
        };
        let positive = || match value.parse::<f64>() {
            Ok(number) if number > 0.0 && number.is_finite() => Ok(number),
            _ => Err(fail("it takes a positive number")),
        };
        let count = || value.parse().map_err(|_| fail("it takes a whole number of at least 1"));
        let mut scene = Scene::clone(&self.scene);
        match key {
            "solver.tolerance" => scene.settings.tolerance = positive()?,
            "solver.rotation_tolerance" => scene.settings.rotation_tolerance = positive()?.to_radians(),
            "solver.max_iterations" => scene.settings.max_iterations = count()?,
            "solver.max_attempts" => scene.settings.max_attempts = count()?,
            "solver.iterations_per_frame" => scene.iterations_per_frame = count()?,
            "solver.seed" => scene.settings.seed = value.parse().map_err(|_| fail("it takes a whole number"))?,
            "smoothing.duration" => match value.parse::<f64>() {
                Ok(seconds) if (0.0..=3600.0).contains(&seconds) => scene.smoothing = seconds,
                _ => return Err(fail("it takes seconds, 0 to 3600")),
            },
            _ => {
                return Err(fail(
                    "the keys are solver.tolerance, .rotation_tolerance, .max_iterations, .max_attempts, \
                     .iterations_per_frame, .seed and smoothing.duration",
                ));
            }
        }
        self.scene = Arc::new(scene);
        self.islands.iter_mut().for_each(IslandState::wake);
        Ok(())
    }

    /// Fixes or frees the base of the selected effector's tree: an arm becomes a rope and back.
    fn toggle_base(&mut self) -> Result<(), CommandError> {
        let at = self.selected_effector()?;
        let root = self.scene.skeleton.root(self.scene.effectors[at].effector.joint);
        let mut joints = self.scene.skeleton.joints().to_vec();
        let (kind, pose): (Kind, fn(&Coordinates) -> Coordinates) = match joints[root].kind {
            Kind::Free => (Kind::UNLIMITED_BALL, |c| Coordinates::rotation(c.free_rotation())),
            Kind::Ball { swing: None, twist: None } => {
                (Kind::Free, |c| Coordinates::free(DVec3::ZERO, c.ball_rotation()))
            }
            _ => return Ok(()),
        };
        self.history.push(self.snapshot());
        if joints[root].kind == Kind::Free {
            joints[root].offset = self.scene.skeleton.frames(&self.solved)[root].position;
        }
        joints[root].kind = kind;
        if let Ok(skeleton) = crate::ik::Skeleton::new(joints) {
            let scene = Arc::make_mut(&mut self.scene);
            scene.skeleton = skeleton;
            for pose_of in [&mut self.solved, &mut self.displayed, &mut self.from, &mut scene.start] {
                pose_of[root] = pose(&pose_of[root]);
            }
            self.divide();
        }
        Ok(())
    }

    fn glide_to(&mut self, effector: usize, place: DVec3) {
        self.targets[effector].position = Some(place);
        let island = self.wake(effector);
        self.islands[island].followed = true;
    }

    /// A jump eases the display from where it is now to the new solution.
    fn jump_to(&mut self, effector: usize, place: DVec3) {
        self.history.push(self.snapshot());
        self.paths[effector] = None;
        self.targets[effector].position = Some(place);
        let island = self.wake(effector);
        self.start_blend(island);
    }

    fn wake(&mut self, effector: usize) -> usize {
        let at = self.island_of(effector);
        self.islands[at].refresh(&self.targets);
        at
    }

    fn start_blend(&mut self, island: usize) {
        let state = &mut self.islands[island];
        state.blend = (self.scene.smoothing > 0.0).then(|| Blend::new(self.scene.smoothing));
        state.followed = false;
        for &i in &state.island.joints {
            self.from[i] = self.displayed[i];
        }
    }

    fn restore(&mut self, targets: Vec<Target>, solved: Pose) {
        self.targets = targets;
        self.solved = solved;
        self.paths.iter_mut().for_each(|path| *path = None);
        for at in 0..self.islands.len() {
            self.islands[at].refresh(&self.targets);
            self.start_blend(at);
        }
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot {
            targets: self.targets.clone(),
            solved: self.solved.clone(),
            scene: self.scene.clone(),
            paths: self.paths.clone(),
        }
    }

    fn recall(&mut self, state: Snapshot) {
        let rebuilt = !Arc::ptr_eq(&state.scene, &self.scene) && state.scene.skeleton != self.scene.skeleton;
        self.scene = state.scene;
        if rebuilt {
            self.divide();
            self.displayed.clone_from(&state.solved);
        }
        self.restore(state.targets, state.solved);
        self.paths = state.paths;
    }

    fn selected_effector(&self) -> Result<usize, CommandError> {
        if self.scene.effectors.is_empty() { Err(CommandError::NoEffector) } else { Ok(self.selected) }
    }

    fn find_effector(&self, name: &str) -> Result<usize, CommandError> {
        let effectors = &self.scene.effectors;
        effectors.iter().position(|effector| effector.name == name).ok_or_else(|| CommandError::UnknownEffector {
            name: name.to_owned(),
            known: effectors.iter().map(|effector| effector.name.as_str()).collect::<Vec<_>>().join(", "),
        })
    }

    fn island_of(&self, effector: usize) -> usize {
        self.islands.iter().position(|island| island.effectors.contains(&effector)).unwrap_or(0)
    }

    fn base_of(&self, effector: usize) -> DVec3 {
        let root = self.scene.skeleton.root(self.scene.effectors[effector].effector.joint);
        self.scene.skeleton.joints()[root].offset
    }

    /// Where the tip of an effector is in the solved pose.
    pub fn tip(&self, effector: usize) -> DVec3 {
        let effector = self.scene.effectors[effector].effector;
        self.scene.skeleton.frame_of(Isometry::IDENTITY, &self.solved, effector.joint).point(effector.tip)
    }

    /// Where the tip of an effector is in the displayed pose.
    pub fn displayed_tip(&self, effector: usize) -> DVec3 {
        let effector = self.scene.effectors[effector].effector;
        self.scene.skeleton.frame_of(Isometry::IDENTITY, &self.displayed, effector.joint).point(effector.tip)
    }

    /// Orientation of the selected effector's joint in the solved pose; identity when there is none.
    pub fn selected_rotation(&self) -> DQuat {
        self.scene.effectors.get(self.selected).map_or(DQuat::IDENTITY, |effector| {
            self.scene.skeleton.frame_of(Isometry::IDENTITY, &self.solved, effector.effector.joint).rotation
        })
    }

    /// Reach of the selected effector; 1 when there is none.
    pub fn reach_of_selected(&self) -> f64 {
        self.scene.effectors.get(self.selected).map_or(1.0, |effector| self.scene.reach(effector))
    }

    /// The scene as it stands, settings changed by commands included.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The scene with its present targets, to be saved.
    pub fn scene_now(&self) -> Scene {
        let mut scene = Scene::clone(&self.scene);
        for (effector, target) in scene.effectors.iter_mut().zip(&self.targets) {
            effector.target = *target;
        }
        scene
    }

    /// Present targets, in the order of the scene's effectors.
    pub fn targets(&self) -> &[Target] {
        &self.targets
    }

    /// The solver's answer of the last tick.
    pub fn solved(&self) -> &Pose {
        &self.solved
    }

    /// What is shown: on its way from an earlier pose to the solved one.
    pub fn displayed(&self) -> &Pose {
        &self.displayed
    }

    /// Shape of the path that the selected target runs along, if it does.
    pub fn target_path(&self) -> Option<PathShape> {
        self.paths.get(self.selected)?.as_ref().map(TargetPath::shape)
    }

    /// Index of the selected effector (0 when there is none).
    pub fn selected(&self) -> usize {
        self.selected
    }

    /// Whether time stands still: by itself, or because a lesson is open.
    pub fn paused(&self) -> bool {
        self.paused || self.lesson.is_some()
    }

    /// Session seconds per real second.
    pub fn speed(&self) -> f64 {
        self.speed
    }

    /// Session time, seconds.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Seconds that the passes of the last working tick took.
    pub fn solve_seconds(&self) -> f64 {
        self.solve_seconds
    }

    /// What the solver last said about the island of this effector; none before the first tick.
    pub fn report(&self, effector: usize) -> Option<Report> {
        self.islands.get(self.island_of(effector)).and_then(|island| island.report)
    }

    /// The report of the island that is worst off.
    pub fn worst_report(&self) -> Option<Report> {
        let key = |report: &Report| (report.stop != Stop::Reached, report.error);
        let reports = self.islands.iter().filter_map(|island| island.report);
        reports.max_by(|a, b| key(a).partial_cmp(&key(b)).unwrap_or(std::cmp::Ordering::Equal))
    }

    /// The blend of the selected effector's island: `None` when displayed and solved pose are the same.
    pub fn blend(&self) -> Option<Blend> {
        self.islands.get(self.island_of(self.selected)).and_then(|island| island.blend)
    }
}

fn check(place: DVec3) -> Result<(), CommandError> {
    if place.is_finite() { Ok(()) } else { Err(CommandError::NotFinite) }
}
