//! Lessons and races of a session: how one opens, and how it follows what is changed meanwhile.

use super::island::IslandState;
use super::lesson::{self, Beginning, Lesson, Recording, StepCommand, Unit};
use super::race::{Layout, Race, RaceCommand};
use super::{CommandError, JointCommand, Session, SessionCommand};
use fabrik3d_ik::{Attachment, Coordinates, Island, Isometry, Kind, Method, Pose, Problem, Settings, Skeleton};
use glam::DVec3;

/// What a lesson or a race is about: the island of the selected effector.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    /// Its joints, in ascending order.
    pub island: Island,
    /// The pose it starts in, one entry a joint of the skeleton.
    pub start: Pose,
    /// Which one that is.
    pub beginning: Beginning,
    /// What is asked of it.
    pub problem: Problem,
    /// Names of the effectors that the problem's goals are about.
    pub names: Vec<String>,
    /// The island as a plain chain, where it is one.
    pub chain: Option<PlainChain>,
}

/// A single chain of unlimited joints with one target.
#[derive(Clone, Debug, PartialEq)]
pub struct PlainChain {
    /// Base to end effector, as it starts.
    pub points: Vec<DVec3>,
    /// Where the end effector should go.
    pub target: DVec3,
    /// What the chain leans toward.
    pub pole: Option<DVec3>,
    /// Whether it is a rope, whose base follows.
    pub free_base: bool,
}

impl Subject {
    /// The solve, from the subject's start.
    pub fn record(&self, skeleton: &Skeleton, settings: &Settings) -> Option<Recording> {
        let Subject { island, problem, names, start, beginning, .. } = self;
        let mut recording = match &self.chain {
            Some(chain) => Recording::of_chain(chain, settings)?,
            None => {
                return Recording::of_skeleton(skeleton, island, problem, names, settings, start)
                    .map(|recording| Recording { beginning: *beginning, ..recording });
            }
        };
        recording.beginning = *beginning;
        let figure = &mut recording.figure;
        let (last, tip) = (figure.len() - 1, problem.goals[0].effector);
        // The chain's nodes are the joints that turn, and the tip; what is fixed before the tip goes with it.
        figure.joints = island.joints.iter().enumerate().map(|(k, &joint)| (joint, k.min(last))).collect();
        figure.points =
            figure.joints.iter().take(last).map(|&(joint, _)| Attachment { joint, point: DVec3::ZERO }).collect();
        figure.points.push(Attachment { joint: tip.joint, point: tip.tip });
        Some(recording)
    }
}

impl PlainChain {
    /// The island's chain, if it is such a one: the same that the solver takes its fast path for.
    fn of(skeleton: &Skeleton, island: &Island, problem: &Problem, pose: &[Coordinates]) -> Option<Self> {
        let mut goals = problem.goals.iter().filter(|goal| goal.asks());
        let (Some(goal), None) = (goals.next(), goals.next()) else { return None };
        let joints = &island.joints;
        let target = goal.asked_position().filter(|_| goal.asked_rotation().is_none())?;
        let is_plain = skeleton.is_simple_chain(joints)
            && joints.last() == Some(&goal.effector.joint)
            && goal.effector.chain_length.is_none()
            && problem.obstacles.is_empty()
            && problem.loops.is_empty();
        if !is_plain {
            return None;
        }
        let frames = skeleton.frames_at(problem.base, pose);
        let turning = joints.iter().take_while(|&&joint| skeleton.joints()[joint].kind != Kind::Fixed);
        let tip = frames[goal.effector.joint].point(goal.effector.tip);
        Some(PlainChain {
            points: turning.map(|&joint| frames[joint].position).chain([tip]).collect(),
            target,
            pole: problem.hints.iter().find(|hint| joints.contains(&hint.joint)).map(|hint| hint.toward),
            free_base: skeleton.joints()[joints[0]].kind == Kind::Free,
        })
    }
}

impl Session {
    /// The lesson that is open.
    pub fn lesson(&self) -> Option<&Lesson> {
        self.lesson.as_ref()
    }

    /// How much one step of a lesson is.
    pub fn step_unit(&self) -> Unit {
        self.lesson.as_ref().map_or(self.step_unit.unwrap_or_default(), Lesson::unit)
    }

    /// Carries a lesson's command out, opening a lesson where that is meant.
    pub(super) fn step(&mut self, command: StepCommand) -> Result<(), CommandError> {
        match command {
            StepCommand::Close => self.lesson = None,
            StepCommand::Unit(unit) => {
                let unit = unit.unwrap_or(self.step_unit().other());
                self.step_unit = Some(unit);
                self.lesson.iter_mut().for_each(|lesson| lesson.set_unit(unit));
            }
            _ => match &mut self.lesson {
                Some(lesson) => lesson.apply(command),
                None => self.open_lesson(command)?,
            },
        }
        Ok(())
    }

    /// The first step forward only shows the start, the first step back the end; any other command is carried out.
    fn open_lesson(&mut self, command: StepCommand) -> Result<(), CommandError> {
        let mut lesson = self.record(self.subject(None)?)?;
        lesson.enter_from(&self.frames_shown(&lesson));
        match command {
            StepCommand::Next => {}
            StepCommand::Back => lesson.jump_to(usize::MAX),
            other => lesson.apply(other),
        }
        self.race = None;
        self.lesson = Some(lesson);
        Ok(())
    }

    /// The joints that an open lesson or race shows in its own way, in ascending order.
    pub fn covered(&self) -> &[usize] {
        match self.lesson.is_some() || self.race.is_some() {
            true => &self.islands[self.island_of(self.selected)].island.joints,
            false => &[],
        }
    }

    /// The race that is on.
    pub fn race(&self) -> Option<&Race> {
        self.race.as_ref()
    }

    /// Carries a command out that is about races.
    pub(super) fn run(&mut self, command: &RaceCommand) -> Result<(), CommandError> {
        match command {
            RaceCommand::Off => self.race = None,
            RaceCommand::Layout(layout) => {
                if let Some(race) = &mut self.race {
                    race.layout = *layout;
                }
            }
            RaceCommand::Start(methods) => {
                // Again, and with other methods, it goes from where it went.
                self.start_race(methods, self.race.as_ref().map(|race| race.start().clone()))?;
                self.lesson = None;
            }
        }
        Ok(())
    }

    /// Sets the methods off from a pose, or else from one in which there is something to do.
    fn start_race(&mut self, methods: &[Method], start: Option<Pose>) -> Result<(), CommandError> {
        let layout = self.race.as_ref().map_or(Layout::default(), |race| race.layout);
        let subject = self.subject(start.map(|pose| (pose, Beginning::Shown)))?;
        if subject.chain.as_ref().is_some_and(|chain| chain.free_base) {
            return Err(CommandError::NoRace);
        }
        let is_chain = subject.chain.is_some();
        if let Some(method) = methods.iter().find(|method| method.is_for_chains_only() && !is_chain) {
            return Err(CommandError::ForChainsOnly { method: method.key() });
        }
        let race = Race::new(&subject, &self.scene.skeleton, methods, &self.scene.settings, layout);
        self.race = Some(race.ok_or(CommandError::NoSteps)?);
        Ok(())
    }

    /// After a command that was none of the race's: runs it again where target, tolerance or figure may be others. When
    /// targets have moved, it goes from the pose that the scene has then; while one is led by hand, from the pose in which
    /// it was taken hold of.
    pub(super) fn keep_race(&mut self, command: &SessionCommand) {
        use SessionCommand as Command;
        if let (Command::TargetGrab, Some(race)) = (command, &mut self.race) {
            race.is_led = false;
        }
        let Some(race) = &self.race else { return };
        let start = match command {
            Command::Race(_)
            | Command::Step(_)
            | Command::Pause(_)
            | Command::TogglePause
            | Command::Speed(_)
            | Command::TargetPath(_)
            | Command::TargetGrab
            | Command::Method(_)
            | Command::NextMethod
            | Command::Joint(JointCommand::Step(_) | JointCommand::Select(_) | JointCommand::Clear) => return,
            Command::EffectorNext(_) | Command::EffectorSelect(_) if self.is_about_selected(race) => return,
            Command::TargetMove(_) if race.is_led => Some(race.start()),
            Command::TargetMove(_)
            | Command::TargetSet(..)
            | Command::TargetPreset(_)
            | Command::TargetRandom
            | Command::Rotation(_) => Some(if self.has_moved(race) { &self.displayed } else { race.start() }),
            Command::Set(..) => Some(race.start()),
            _ => None,
        };
        let (methods, start) = (race.methods(), start.cloned());
        match self.start_race(&methods, start) {
            Ok(()) => self.race.iter_mut().for_each(|race| race.is_led = matches!(command, Command::TargetMove(_))),
            Err(_) => self.race = None,
        }
    }

    /// Whether a race is about the figure of the selected effector.
    fn is_about_selected(&self, race: &Race) -> bool {
        let mut joints = race.figure().points.iter().map(|at| at.joint);
        joints.next().is_some_and(|joint| self.islands[self.island_of(self.selected)].island.joints.contains(&joint))
    }

    /// Whether a race's targets are elsewhere by now.
    fn has_moved(&self, race: &Race) -> bool {
        let goals = &self.islands[self.island_of(self.selected)].problem.goals;
        !goals.iter().map(|goal| goal.target).eq(race.asked().iter().copied())
    }

    /// The scene's method, or that of the open lesson.
    pub fn chosen_method(&self) -> Method {
        if self.lesson.is_some() { self.lesson_method() } else { self.scene.settings.method }
    }

    /// The method that lessons are on: the one that was chosen last, by hand or by a script; where nobody has chosen, the
    /// scene's own; and where that is the default, FABRIK as it was published, which is what is taught first.
    fn lesson_method(&self) -> Method {
        let own = Some(self.scene.settings.method).filter(|method| *method != Method::default());
        self.lesson_method.or(own).unwrap_or(Method::Textbook)
    }

    /// The method that solves the selected effector's figure: the chosen one, unless that is made for chains without limits
    /// and the figure is none.
    pub fn method(&self) -> Method {
        let method = self.chosen_method();
        let is_chain = || self.subject(None).is_ok_and(|subject| subject.chain.is_some());
        if method.is_for_chains_only() && !is_chain() { Method::Accelerated } else { method }
    }

    fn record(&self, subject: Subject) -> Result<Lesson, CommandError> {
        let settings = Settings { method: self.lesson_method(), ..self.scene.settings };
        let recording = subject.record(&self.scene.skeleton, &settings).ok_or(CommandError::NoSteps)?;
        let unit = self.step_unit.unwrap_or(if recording.steps() > lesson::LONG { Unit::Pass } else { Unit::Joint });
        Ok(Lesson::new(recording, subject, unit))
    }

    /// How the error (of the reach) of the selected effector's figure falls from iteration to iteration, from the pose in
    /// which a lesson on it begins; the open lesson's, if there is one. None where there is nothing to solve.
    pub fn convergence(&self) -> Option<Vec<f64>> {
        let fresh;
        let recording = match &self.lesson {
            Some(lesson) => lesson.recording(),
            None => {
                fresh = self.subject(None).ok()?.record(&self.scene.skeleton, &self.scene.settings)?;
                &fresh
            }
        };
        let mut errors = Vec::new();
        for act in &recording.acts {
            // The last act of an iteration leaves its error; what polishes afterwards belongs to the last one.
            errors.resize((act.iteration as usize + 1).max(errors.len()), act.error);
            if let Some(last) = errors.last_mut() {
                *last = act.error;
            }
        }
        Some(errors)
    }

    /// After a command that was none of the lesson's: records the solve anew where it is another one now. The pose it
    /// starts from stays where only target or method have changed, and so does the place in the lesson. Another method's
    /// lesson stands at the same step of the same pass of the same iteration, or at its start where it has no such step.
    pub(super) fn keep_lesson(&mut self, command: &SessionCommand) {
        use SessionCommand as Command;
        let Some(lesson) = &self.lesson else { return };
        let kept = match command {
            Command::Step(_)
            | Command::Pause(_)
            | Command::TogglePause
            | Command::Speed(_)
            | Command::TargetPath(_)
            | Command::TargetGrab
            | Command::Joint(JointCommand::Step(_) | JointCommand::Select(_) | JointCommand::Clear) => return,
            // Another effector of the same figure is a part of the same solve.
            Command::EffectorNext(_) | Command::EffectorSelect(_)
                if lesson.subject().island == self.islands[self.island_of(self.selected)].island =>
            {
                return;
            }
            Command::EffectorNext(_) | Command::EffectorSelect(_) | Command::Reset | Command::ToggleBase => None,
            _ => Some(lesson).filter(|lesson| self.has_bases_of(lesson)),
        };
        let (place, cursor) = (kept.map(|lesson| lesson.step().place()), kept.map(Lesson::cursor));
        let start = kept.map(|lesson| (lesson.subject().start.clone(), lesson.subject().beginning));
        // A figure that cannot be stepped through (any more) ends the lesson.
        let Ok(mut lesson) = self.subject(start).and_then(|subject| self.record(subject)) else {
            self.lesson = None;
            return;
        };
        match (command, cursor) {
            (_, None) => lesson.enter_from(&self.frames_shown(&lesson)),
            (Command::Method(_) | Command::NextMethod, _) => {
                lesson.jump_to(place.and_then(|place| lesson.step_at_place(place)).unwrap_or(0));
            }
            (_, Some(cursor)) => lesson.jump_to(cursor),
        }
        self.lesson = Some(lesson);
    }

    /// Whether what a lesson found fixed is fixed, and what it found floating floats: undo may have brought others back.
    fn has_bases_of(&self, lesson: &Lesson) -> bool {
        let figure = &lesson.recording().figure;
        let joints = self.scene.skeleton.joints();
        let mut bases = figure.joints.iter().filter(|(joint, _)| joints[*joint].parent.is_none());
        bases.all(|(joint, node)| (joints[*joint].kind == Kind::Free) == figure.floating.contains(node))
    }

    fn frames_shown(&self, lesson: &Lesson) -> Vec<Isometry> {
        self.scene.skeleton.frames_at(lesson.subject().problem.base, &self.displayed)
    }

    /// The selected effector's island, in the pose given or else in one from which its targets are worth solving for.
    pub(super) fn subject(&self, start: Option<(Pose, Beginning)>) -> Result<Subject, CommandError> {
        let at = self.selected_effector()?;
        let state = &self.islands[self.island_of(at)];
        let (skeleton, problem) = (&self.scene.skeleton, state.problem.clone());
        let (start, beginning) = start.unwrap_or_else(|| self.beginning(state));
        let names = state.effectors.iter().map(|&effector| self.scene.effectors[effector].name.clone()).collect();
        let chain = PlainChain::of(skeleton, &state.island, &problem, &start);
        Ok(Subject { island: state.island.clone(), start, beginning, problem, names, chain })
    }

    /// The pose that a lesson on an island begins in: the one shown before its target jumped; the one on the screen,
    /// while it is still to be solved; or else, since the solved pose has followed its targets all the way, the scene's.
    fn beginning(&self, state: &IslandState) -> (Pose, Beginning) {
        let same = |a: &Pose, b: &Pose| state.island.joints.iter().all(|&joint| a[joint] == b[joint]);
        let (poses, jumped) = ([&self.from, &self.displayed, &self.scene.start], !state.has_followed());
        if jumped && !same(poses[0], poses[2]) && !self.has_reached(state, poses[0]) {
            let is_shown = same(poses[0], poses[1]);
            return (poses[0].clone(), if is_shown { Beginning::Shown } else { Beginning::BeforeJump });
        }
        if !state.settled && !same(poses[1], poses[2]) && !self.has_reached(state, poses[1]) {
            return (poses[1].clone(), Beginning::Shown);
        }
        let is_shown = same(poses[1], poses[2]);
        (poses[2].clone(), if is_shown { Beginning::Shown } else { Beginning::SceneStart })
    }

    /// Whether all effectors of an island are on their targets in a pose.
    fn has_reached(&self, state: &IslandState, pose: &Pose) -> bool {
        state.effectors.iter().zip(&state.problem.goals).all(|(&effector, goal)| {
            let frame = self.scene.skeleton.frame_of(state.problem.base, pose, goal.effector.joint);
            let gap = goal.asked_position().map_or(0.0, |target| frame.point(goal.effector.tip).distance(target));
            gap <= self.scene.settings.tolerance * self.scene.reach(&self.scene.effectors[effector])
        })
    }
}
