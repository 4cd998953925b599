//! A scene that is solved and shown, frame by frame.

use super::command::StepUnit;
use super::effector_state::EffectorState;
use super::frame_budget::{Leader, Tick};
use super::host::Host;
use super::island_state::IslandState;
use super::islands::Islands;
use super::lesson::Lesson;
use super::motion::{MotionSource, Playback};
use super::passes::Passes;
use super::poses::{FreedBase, Poses};
use super::race::Race;
use super::remark::Remark;
use super::solutions::Solutions;
use fabrik3d_ik::Pose;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::settings::{Interrupt, Method};
use fabrik3d_scene::Scene;
use std::sync::Arc;
use std::time::Instant;

/// A scene that is solved and shown.
#[derive(Clone, Debug)]
pub struct Session {
    /// Shared with the history; copied only when a command changes it.
    pub(super) scene: Arc<Scene>,
    /// The scene as it was read or saved.
    pub(super) read: Arc<Scene>,
    /// One entry per effector of the scene.
    pub(super) effectors: Vec<EffectorState>,
    pub(super) host: Host,
    pub(super) selection: Selection,
    pub(super) islands: Islands,
    pub(super) poses: Poses,
    pub(super) clock: Clock,
    pub(super) mode: Mode,
    pub(super) lesson_options: LessonOptions,
    pub(super) passes: Passes,
    pub(super) solutions: Solutions,
    pub(super) playback: Option<Playback>,
    pub(super) history: History,
    pub(super) freed_bases: Vec<FreedBase>,
    /// Whether another program sets the pose, so that the solver is suspended.
    pub(super) pose_is_given: bool,
    pub(super) random: Random,
    /// What the last command reports.
    pub(super) remark: Option<Remark>,
}

/// What commands without a name apply to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Selection {
    /// Index of the selected effector; 0 if the scene has none.
    pub effector: usize,
    /// Whether all targets move together.
    pub all: bool,
    pub joint: Option<usize>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    /// Session time, seconds.
    pub time: f64,
    /// Session seconds per real second.
    pub speed: f64,
    pub paused: bool,
    /// Seconds that the solver took in its last frame.
    pub solve_seconds: f64,
    /// When the solves of the present frame end; none if they take as long as they take.
    pub deadline: Option<Instant>,
}

impl Session {
    /// Opens a scene in its start pose. The first tick starts to solve.
    pub fn new(scene: Scene) -> Self {
        let scene = Arc::new(scene);
        let mut session = Session {
            effectors: scene.effectors.iter().map(|effector| EffectorState::new(effector.target)).collect(),
            selection: Selection::default(),
            islands: Islands::new(&scene),
            poses: Poses::new(&scene.start),
            clock: Clock { time: 0.0, speed: 1.0, paused: false, solve_seconds: 0.0, deadline: None },
            mode: Mode::Free,
            lesson_options: LessonOptions::default(),
            passes: Passes::default(),
            solutions: Solutions::default(),
            playback: MotionSource::of_scene(&scene).map(|source| Playback::new(Arc::new(source), &scene)),
            history: History::default(),
            freed_bases: Vec::new(),
            pose_is_given: false,
            random: Random::new(scene.settings.seed),
            remark: None,
            read: Arc::clone(&scene),
            host: Host::default(),
            scene,
        };
        session.open_feet();
        session.refresh_islands();
        session.start_eases();
        session
    }

    /// Determines which effectors are free, and sets the goals of all islands.
    pub(super) fn refresh_islands(&mut self) {
        self.update_free_effectors();
        self.islands.refresh(&self.scene, &self.effectors, &self.poses);
    }

    /// Splits the scene into islands again, after a change of its joints.
    pub(super) fn rebuild_islands(&mut self) {
        self.islands = Islands::new(&self.scene);
        self.refresh_islands();
    }

    /// Splits the scene into islands again, after a change of its effectors or bodies. Islands of the same joints go on easing.
    /// Others ease from what is displayed, if something does.
    pub(super) fn rebuild_islands_keeping_eases(&mut self) {
        let take = |island: &mut IslandState| (island.figure.joints().to_vec(), std::mem::take(&mut island.eases));
        let mut before: Vec<_> = self.islands.states.iter_mut().map(take).collect();
        let is_easing = before.iter().any(|(_, eases)| !eases.is_empty());
        self.rebuild_islands();
        let (seconds, poses) = (self.scene.smoothing.duration, [&self.poses.displayed[..], &self.poses.solved[..]]);
        for island in &mut self.islands.states {
            let joints = island.figure.joints();
            match before.iter_mut().find(|(own, _)| own == joints) {
                Some((_, eases)) => island.eases = std::mem::take(eases),
                None if is_easing => island.eases.begin_leap(joints, seconds, poses),
                None => {}
            }
        }
    }

    /// Eases the display of an island to its next solution.
    pub(super) fn start_ease(&mut self, island: usize) {
        self.islands.states[island].jump(&self.scene, &mut self.poses);
    }

    /// Eases the display of all islands to their next solutions.
    pub(super) fn start_eases(&mut self) {
        (0..self.islands.states.len()).for_each(|island| self.start_ease(island));
    }

    /// Starts the opening eases again, which have not advanced yet: their duration has changed.
    pub(super) fn restart_eases(&mut self) {
        for island in 0..self.islands.states.len() {
            if !self.islands.states[island].eases.is_empty() {
                self.islands.states[island].eases.clear();
                self.start_ease(island);
            }
        }
    }

    /// Eases all islands to the solved pose, after their eases were lost. Unlike after a jump, the solver follows its pose.
    pub(super) fn finish_eases(&mut self) {
        let (scene, poses) = (&self.scene, [&self.poses.displayed[..], &self.poses.solved[..]]);
        for island in &mut self.islands.states {
            island.eases.begin_leap(island.figure.joints(), scene.smoothing.duration, poses);
        }
    }

    /// Eases all islands from the displayed pose, instead of from where their solutions were.
    pub(super) fn ease_from_displayed(&mut self) {
        self.poses.shown = std::array::from_fn(|_| self.poses.displayed.clone());
        self.islands.states.iter_mut().for_each(|island| island.eases.clear());
        self.start_eases();
    }

    /// Advances time by `dt` real seconds: first targets on paths and recordings, then the solver, then the eases.
    ///
    /// An open lesson stops everything else. In a race the scene keeps solving, but its targets stay where they are.
    pub fn tick(&mut self, dt: f64) {
        let seconds = dt.max(0.0);
        let dt = seconds * self.clock.speed;
        if let Mode::Lesson(lesson) = &mut self.mode {
            return lesson.tick(dt);
        }
        if self.clock.paused {
            return;
        }
        self.clock.time += dt;
        match &mut self.mode {
            Mode::Race(race) => race.tick(dt),
            _ => self.advance_targets(dt),
        }
        let waiting = self.take_passes(dt);
        let settled = waiting.map(|at| std::mem::replace(&mut self.islands.states[at].settled, true));
        let is_solved = self.solve_frame(seconds);
        if let Some((at, settled)) = waiting.zip(settled) {
            self.islands.states[at].settled = settled;
        }
        if is_solved {
            self.loosen_feet();
            self.move_free_targets();
        }
        self.islands.display(&self.scene, &self.effectors, dt, &mut self.poses);
        self.update_solutions();
    }

    /// The session as part of a program.
    pub fn set_host(&mut self, host: Host) {
        self.host = host;
    }

    /// From now on, solves end at this time. What is left is solved in the next frames; in each of them, one figure takes a step
    /// however late it is. Results depend on the clock then.
    pub fn solve_until(&mut self, deadline: Option<Instant>) {
        self.clock.deadline = deadline;
    }

    /// The interrupt of the scene's solves, also requested at the end of the present frame's time.
    pub(super) fn interrupt(&self) -> Interrupt {
        let own = self.scene.settings.interrupt;
        self.clock.deadline.map_or(own, |deadline| own.until(deadline))
    }

    fn advance_targets(&mut self, dt: f64) {
        self.advance_motion(dt);
        for at in 0..self.effectors.len() {
            let Some(path) = &mut self.effectors[at].path else { continue };
            let (place, is_over) = (path.advance(dt), path.is_over());
            self.glide_to(at, place, Leader::Smooth);
            if is_over {
                self.effectors[at].path = None;
            }
        }
    }

    /// Runs the solver for a frame of `dt` seconds. Returns whether there was anything to solve.
    pub(super) fn solve_frame(&mut self, dt: f64) -> bool {
        if self.pose_is_given {
            self.islands.states.iter_mut().for_each(|island| island.settled = true);
            return false;
        }
        let tick = Tick { dt, interrupt: self.interrupt() };
        let start = (self.host.now)();
        let solves = self.islands.solve(&self.scene, &self.effectors, tick, &mut self.poses);
        if solves {
            self.clock.solve_seconds = (self.host.now)() - start;
        }
        solves
    }

    /// Whether the picture changes without further input.
    pub fn is_moving(&self) -> bool {
        let is_busy = |island: &IslandState| !island.eases.is_empty() || !island.settled;
        let targets_move = match &self.mode {
            Mode::Lesson(lesson) => return lesson.is_moving(),
            Mode::Race(race) => race.is_moving(),
            Mode::Free => {
                self.playback.as_ref().is_some_and(|playback| playback.playing)
                    || self.effectors.iter().any(|effector| effector.path.is_some())
            }
        };
        !self.clock.paused && (targets_move || self.islands.states.iter().any(is_busy))
    }
}

/// What a session shows.
#[derive(Clone, Debug, Default)]
pub(super) enum Mode {
    /// The scene.
    #[default]
    Free,
    /// A solve, step by step.
    Lesson(Box<Lesson>),
    /// Several methods on the same target.
    Race(Box<Race>),
}

/// Choices for lessons, which outlive the lesson.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LessonOptions {
    /// How far a step goes, if it was chosen.
    pub unit: Option<StepUnit>,
    /// The method that was chosen last.
    pub method: Option<Method>,
}

/// The state that undo restores.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Snapshot {
    pub scene: Arc<Scene>,
    pub effectors: Vec<EffectorState>,
    pub solved: Pose,
    pub home: Pose,
    /// Whether that pose meets all targets and nothing was left to solve.
    pub is_reached: bool,
    /// Whether that pose is a recorded one, and nothing was to be solved.
    pub is_recorded: bool,
    pub playback: Option<Playback>,
    pub freed_bases: Vec<FreedBase>,
    pub selected: usize,
    pub lesson_method: Option<Method>,
    pub pose_is_given: bool,
}

/// What changes continuously and is undone in one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gliding {
    /// Of an effector.
    Target(usize),
    Weight(usize),
    Slack(usize),
    Axis(usize),
    /// The time of a recording.
    Motion,
    /// The values of a joint.
    Joint(usize),
    Stiffness(usize),
    /// The whole pose.
    Pose,
}

/// Numbers of a state of the scene: of everything but its targets, and of everything. Equal numbers mean equal states.
pub type Version = [u64; 2];

/// The states before each change, and the states that were undone.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    pub past: Vec<(Snapshot, Version)>,
    pub future: Vec<(Snapshot, Version)>,
    /// Of the present state, of the newest one, and of the saved one.
    pub version: Version,
    pub newest: u64,
    pub saved: Version,
    /// What changes continuously now: until something else changes, or this is none, its changes are undone in one step.
    pub gliding: Option<Gliding>,
}
