//! Lessons and races: what they solve, the pose in which they start, and how they follow the scene while they are open.

use super::command::{JointCommand, LessonCommand, RaceCommand, SessionCommand, StepUnit};
use super::command_error::CommandError;
use super::frame_budget::TargetMotion;
use super::island_state::IslandState;
use super::lesson::{Lesson, LessonFigure, LessonStart, Round, Subject};
use super::race::Race;
use super::session::{Mode, Session};
use fabrik3d_ik::settings::Method;
use fabrik3d_ik::{Isometry, Kind, Pose, Settings};
use glam::DVec3;

/// Places that are tried for a target that takes several iterations, and the number of them that is enough.
const FAR_DRAWS: usize = 24;
const ENOUGH_ITERATIONS: usize = 6;
/// Distance of such a place from the base, as a fraction of the reach.
const NEAR_FULL_REACH: f64 = 0.97;

impl Session {
    /// The open lesson.
    pub fn lesson(&self) -> Option<&Lesson> {
        if let Mode::Lesson(lesson) = &self.mode { Some(lesson) } else { None }
    }

    /// How far one step of a lesson goes.
    pub fn step_unit(&self) -> StepUnit {
        self.lesson().map_or(self.lesson_options.unit.unwrap_or_default(), Lesson::unit)
    }

    /// The method of lessons: the one that was chosen last, or that of the scene; instead of the default FABRIK as published.
    pub(super) fn lesson_method(&self) -> Method {
        let own = Some(self.scene.settings.method).filter(|method| *method != Method::default());
        self.lesson_options.method.or(own).unwrap_or(Method::Textbook)
    }

    /// Carries out a command to lessons. Opens a lesson if the command needs one.
    pub(super) fn apply_lesson(&mut self, command: LessonCommand) -> Result<(), CommandError> {
        let unit = self.step_unit();
        match (command, &mut self.mode) {
            (LessonCommand::Close, Mode::Lesson(_)) => self.mode = Mode::Free,
            (LessonCommand::Close, _) => {}
            (LessonCommand::Unit(new), mode) => {
                let unit = new.unwrap_or(unit.other());
                self.lesson_options.unit = Some(unit);
                if let Mode::Lesson(lesson) = mode {
                    lesson.unit = unit;
                }
            }
            (LessonCommand::Far, _) => {
                if self.lesson().is_none() {
                    self.open_lesson(LessonCommand::Next)?;
                }
                let place = self.far_place()?;
                self.jump_to(&[(self.selected_effector()?, place)])?;
            }
            (_, Mode::Lesson(lesson)) => lesson.apply(command),
            _ => self.open_lesson(command)?,
        }
        Ok(())
    }

    /// A place for the selected target that takes the open lesson several iterations in which something moves: near full
    /// reach, where the passes come closer slowly.
    fn far_place(&mut self) -> Result<DVec3, CommandError> {
        let lesson = self.lesson().ok_or(CommandError::NoSteps)?;
        let start = lesson.subject().start();
        let settings = Settings { method: self.lesson_method(), ..self.scene.settings };
        let at = self.selected_effector()?;
        let reach = self.scene.effector_size(&self.scene.effectors[at]);
        let subject = self.subject(Some(start))?;
        let (mut best, mut most) = (self.random_place(at, &[]).unwrap_or(self.target_position(at)), 0);
        for draw in 0..FAR_DRAWS {
            // Limits keep a figure from most places near full reach.
            let Some(place) = self.random_place(at, &[]) else { continue };
            let base = self.base_position(at);
            let way = (place - base).normalize_or_zero();
            let place = if draw % 2 == 0 { base + way * (NEAR_FULL_REACH * reach) } else { place };
            if way.dot(self.scene.up.axis()) < 0.0 {
                continue;
            }
            let recording = subject.with_target(self.scene.effectors[at].effector, place);
            let recording = recording.record(&self.scene.skeleton, &settings).ok_or(CommandError::NoSteps)?;
            let count = recording.visible_iterations().min(ENOUGH_ITERATIONS);
            if recording.report.stop.is_reached() && count > most {
                (best, most) = (place, count);
            }
            if most == ENOUGH_ITERATIONS {
                break;
            }
        }
        Ok(best)
    }

    /// The effector of the limb that the open lesson is about now, as a node of its figure: that of the joint that moves. None if
    /// the step is about the whole figure, or about a joint that carries several limbs.
    pub fn lesson_limb(&self) -> Option<usize> {
        let step = self.lesson()?.step();
        step.node().and_then(|node| step.figure().branch_effector(node))
    }

    /// Opens a lesson. The first step forward only shows the start, the first step back the end.
    fn open_lesson(&mut self, command: LessonCommand) -> Result<(), CommandError> {
        let mut lesson = self.record_lesson(self.subject(None)?)?;
        lesson.enter_from(&self.displayed_frames(&lesson));
        match command {
            LessonCommand::Next => {}
            LessonCommand::Back => lesson.jump_to(usize::MAX),
            other => lesson.apply(other),
        }
        self.mode = Mode::Lesson(Box::new(lesson));
        Ok(())
    }

    fn record_lesson(&self, subject: Subject) -> Result<Lesson, CommandError> {
        let settings = Settings { method: self.lesson_method(), ..self.scene.settings };
        let mut recording = subject.record(&self.scene.skeleton, &settings).ok_or(CommandError::NoSteps)?;
        recording.figure.names.iter_mut().for_each(|name| *name = self.scene.shown_name(name).to_owned());
        Ok(Lesson::new(recording, subject, self.lesson_options.unit))
    }

    fn displayed_frames(&self, lesson: &Lesson) -> Vec<Isometry> {
        self.scene.skeleton.frames_at(lesson.subject().problem.base, &self.poses.displayed)
    }

    /// Records the open lesson again after a command that changes its solve.
    ///
    /// If only the target or the method has changed, the start pose and the position stay. The lesson of another method
    /// goes to the same step of the same pass and iteration, or if there is no such step, to the nearest; or stays at the end.
    pub(super) fn update_lesson(&mut self, command: &SessionCommand) {
        use SessionCommand as Command;
        let Some(lesson) = self.lesson().filter(|_| !leaves_solve(command)) else { return };
        let kept = match command {
            Command::EffectorNext(_) | Command::EffectorSelect(_) if self.is_selected(&lesson.recording().figure) => {
                return;
            }
            Command::EffectorNext(_) | Command::EffectorSelect(_) | Command::Reset | Command::ToggleBase => None,
            _ => Some(lesson).filter(|lesson| self.has_bases_of(lesson)),
        };
        let position = kept.map(|lesson| (lesson.step().position(), lesson.cursor()));
        let was_at_end = kept.is_some_and(|lesson| lesson.cursor() > 0 && lesson.cursor() + 1 == lesson.len());
        let start = kept.map(|lesson| lesson.subject().start());
        let Ok(mut lesson) = self.subject(start).and_then(|subject| self.record_lesson(subject)) else {
            self.mode = Mode::Free;
            return;
        };
        match (command, position) {
            (_, None) => lesson.enter_from(&self.displayed_frames(&lesson)),
            (Command::Lesson(_), _) => {}
            (Command::Method(_) | Command::NextMethod, Some((position, _))) => {
                let nearest = || if was_at_end { usize::MAX } else { lesson.step_near(position) };
                lesson.jump_to(lesson.step_at_position(position).unwrap_or_else(nearest));
            }
            (_, Some((_, cursor))) => lesson.jump_to(if was_at_end { usize::MAX } else { cursor }),
        }
        self.mode = Mode::Lesson(Box::new(lesson));
    }

    /// Whether the same bases are fixed and floating as in a lesson. Undo may have changed them.
    fn has_bases_of(&self, lesson: &Lesson) -> bool {
        let figure = &lesson.recording().figure;
        let joints = self.scene.skeleton.joints();
        let mut bases = figure.joints.iter().filter(|(joint, _)| joints[*joint].parent.is_none());
        bases.all(|(joint, node)| (joints[*joint].kind == Kind::Free) == figure.floating.contains(node))
    }

    /// The running race.
    pub fn race(&self) -> Option<&Race> {
        if let Mode::Race(race) = &self.mode { Some(race) } else { None }
    }

    pub(super) fn apply_race(&mut self, command: &RaceCommand) -> Result<(), CommandError> {
        match (command, &mut self.mode) {
            (RaceCommand::Off, Mode::Race(_)) => self.mode = Mode::Free,
            (RaceCommand::Off, _) => {}
            // A restart, or a start with other methods, keeps the start pose.
            (RaceCommand::Start(methods), _) => {
                self.start_race(methods, self.race().map(|race| race.subject.start()))?;
            }
        }
        Ok(())
    }

    /// Starts a race from a pose, or else from one that leaves something to solve.
    fn start_race(&mut self, methods: &[Method], start: Option<(Pose, LessonStart)>) -> Result<(), CommandError> {
        let subject = self.subject(start)?;
        if subject.is_chain && *subject.figure.skeleton().kind(0) == Kind::Free {
            return Err(CommandError::NoRace);
        }
        if let Some(method) = methods.iter().find(|method| method.is_for_chains_only() && !subject.is_chain) {
            return Err(CommandError::ForChainsOnly(method.name()));
        }
        let race = Race::new(subject, &self.scene.skeleton, methods, &self.scene.settings);
        self.mode = Mode::Race(Box::new(race.ok_or(CommandError::NoSteps)?));
        Ok(())
    }

    /// Runs the race again after a command that changes its solve. After a target has moved, it starts from the present
    /// pose; while the target is being dragged, from the pose in which the drag started.
    pub(super) fn update_race(&mut self, command: &SessionCommand) {
        use SessionCommand as Command;
        if let (Command::TargetGrab, Mode::Race(race)) = (command, &mut self.mode) {
            race.is_dragged = false;
        }
        let Some(race) = self.race().filter(|_| !leaves_solve(command)) else { return };
        let start = match command {
            Command::Method(_) | Command::NextMethod => return,
            Command::EffectorNext(_) | Command::EffectorSelect(_) if self.is_selected(race.figure()) => return,
            Command::TargetMove(_) if race.is_dragged => Some(race.subject.start()),
            Command::TargetMove(_)
            | Command::TargetSet(..)
            | Command::TargetPreset(_)
            | Command::TargetRandom
            | Command::Rotation(_) => {
                let shown = || (self.poses.displayed.clone(), LessonStart::Shown);
                Some(if self.has_other_goals(race) { shown() } else { race.subject.start() })
            }
            Command::Set(..) => Some(race.subject.start()),
            _ => None,
        };
        let methods = race.methods();
        if self.start_race(&methods, start).is_err() {
            self.mode = Mode::Free;
        }
        if let Mode::Race(race) = &mut self.mode {
            race.is_dragged = matches!(command, Command::TargetMove(_));
        }
    }

    /// Whether a lesson or a race about this figure shows that of the selected effector.
    fn is_selected(&self, figure: &LessonFigure) -> bool {
        let Some(state) = self.selected_island() else { return false };
        let is_on = |joint| state.figure.has(joint) || self.scene.skeleton.is_anchored(joint);
        figure.points.iter().all(|at| is_on(at.joint))
    }

    /// Whether the goals have changed since a race started.
    fn has_other_goals(&self, race: &Race) -> bool {
        let goals = self.selected_island().map_or(&[][..], |island| island.figure.goals());
        let now = goals.iter().map(|&goal| self.islands.problem().goals[goal].target);
        !now.eq(race.subject.problem.goals.iter().map(|goal| goal.target))
    }

    /// The selected effector's island, in the given start pose or else in one that leaves something to solve.
    pub(super) fn subject(&self, start: Option<(Pose, LessonStart)>) -> Result<Subject, CommandError> {
        let at = self.islands.index_of(self.selected_effector()?);
        let island = &self.islands.states[at];
        let (start, origin) = start.unwrap_or_else(|| self.start_pose(island));
        let names = island.figure.goals().iter().map(|&effector| self.scene.effectors[effector].name.clone()).collect();
        let problem = self.islands.problem_of(at, &self.poses.home);
        let is_chain = island.figure.chain_points(self.islands.problem(), &start).is_some();
        Ok(Subject { figure: island.figure.clone(), start, origin, problem, names, is_chain })
    }

    /// The start pose for a lesson on an island: the pose before its target jumped; or the displayed pose, if it is not
    /// solved yet; or else the opening pose of the scene.
    fn start_pose(&self, island: &IslandState) -> (Pose, LessonStart) {
        let same = |a: &Pose, b: &Pose| island.figure.joints().iter().all(|&joint| a[joint] == b[joint]);
        let (before, shown, opening) = (&self.poses.before_jump, &self.poses.displayed, &self.scene.start);
        let leaves_work = |pose: &Pose| !same(pose, opening) && !self.is_reached(island, pose);
        if island.target_motion == TargetMotion::Jump && leaves_work(before) {
            let origin = if same(before, shown) { LessonStart::Shown } else { LessonStart::BeforeJump };
            return (before.clone(), origin);
        }
        if !island.settled && leaves_work(shown) {
            return (shown.clone(), LessonStart::Shown);
        }
        let origin = match same(shown, opening) {
            true => LessonStart::Shown,
            false => LessonStart::SceneStart,
        };
        (opening.clone(), origin)
    }

    /// Whether all effectors of an island are on their targets in a pose.
    fn is_reached(&self, island: &IslandState, pose: &Pose) -> bool {
        let problem = self.islands.problem();
        island.figure.goals().iter().all(|&effector| {
            let goal = &problem.goals[effector];
            let frame = self.scene.skeleton.frame_of(problem.base, pose, goal.effector.joint);
            let gap = goal.requested_position().map_or(0.0, |target| frame.point(goal.effector.tip).distance(target));
            gap <= self.scene.settings.tolerance * self.scene.effector_size(&self.scene.effectors[effector])
        })
    }

    /// The joints that an open lesson or race draws itself, in ascending order.
    pub fn covered(&self) -> &[usize] {
        match self.mode {
            Mode::Free => &[],
            Mode::Lesson(_) | Mode::Race(_) => self.selected_island().map_or(&[][..], |island| island.figure.joints()),
        }
    }

    /// The method that is chosen: that of lessons while one is open, otherwise that of the scene.
    pub fn chosen_method(&self) -> Method {
        if self.lesson().is_some() { self.lesson_method() } else { self.scene.settings.method }
    }

    /// The method that solves the selected figure. The default method replaces a method for chains that does not apply.
    pub fn method(&self) -> Method {
        let method = self.chosen_method();
        let is_chain = || self.subject(None).is_ok_and(|subject| subject.is_chain);
        if method.is_for_chains_only() && !is_chain() { Method::Accelerated } else { method }
    }

    /// The rounds of the solve of the selected effector's figure: of the open lesson, or of the solve that a lesson would
    /// show; with the start of that solve. None if there is nothing to solve.
    pub fn convergence(&self) -> Option<(LessonStart, Vec<Round>)> {
        let fresh;
        let recording = match self.lesson() {
            Some(lesson) => lesson.recording(),
            None => {
                let settings = Settings { interrupt: self.interrupt(), ..self.scene.settings };
                fresh = self.subject(None).ok()?.record(&self.scene.skeleton, &settings)?;
                &fresh
            }
        };
        Some((recording.start, recording.rounds()))
    }
}

/// Whether a command changes nothing about what an open lesson or race solves.
fn leaves_solve(command: &SessionCommand) -> bool {
    use SessionCommand as Command;
    let is_in_lesson = matches!(command, Command::Lesson(command) if *command != LessonCommand::Far);
    is_in_lesson
        || matches!(
            command,
            Command::Race(_)
                | Command::Pause(_)
                | Command::TogglePause
                | Command::Speed(_)
                | Command::TargetPath(_)
                | Command::TargetGrab
                | Command::Passes(_)
                | Command::Joint(JointCommand::Step(_) | JointCommand::Select(_) | JointCommand::Clear)
        )
}
