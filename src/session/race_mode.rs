//! Starts races, and keeps the running race up to date.

use super::command::{JointCommand, RaceArrangement, RaceCommand, SessionCommand};
use super::command_error::CommandError;
use super::lesson::LessonStart;
use super::mode::Mode;
use super::race::Race;
use super::session::Session;
use fabrik3d_ik::{Method, Pose};

impl Session {
    /// The running race.
    pub fn race(&self) -> Option<&Race> {
        if let Mode::Race(race) = &self.mode { Some(race) } else { None }
    }

    /// Carries out a command to races.
    pub(super) fn apply_race(&mut self, command: &RaceCommand) -> Result<(), CommandError> {
        match (command, &mut self.mode) {
            (RaceCommand::Off, Mode::Race(_)) => self.mode = Mode::Free,
            (RaceCommand::Layout(layout), Mode::Race(race)) => race.layout = *layout,
            (RaceCommand::Off | RaceCommand::Layout(_), _) => {}
            // A restart, or a start with other methods, keeps the start pose.
            (RaceCommand::Start(methods), _) => {
                self.start_race(methods, self.race().map(|race| race.start().clone()))?;
            }
        }
        Ok(())
    }

    /// Starts a race from a pose, or else from one that leaves something to solve.
    fn start_race(&mut self, methods: &[Method], start: Option<Pose>) -> Result<(), CommandError> {
        let layout = self.race().map_or(RaceArrangement::default(), |race| race.layout);
        let subject = self.subject(start.map(|pose| (pose, LessonStart::Shown)))?;
        if subject.chain.as_ref().is_some_and(|chain| chain.free_base) {
            return Err(CommandError::NoRace);
        }
        let is_chain = subject.chain.is_some();
        if let Some(method) = methods.iter().find(|method| method.is_for_chains_only() && !is_chain) {
            return Err(CommandError::ForChainsOnly { method: method.name() });
        }
        let race = Race::new(&subject, &self.scene.skeleton, methods, &self.scene.settings, layout);
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
        let Some(race) = self.race() else { return };
        let start = match command {
            Command::Race(_)
            | Command::Lesson(_)
            | Command::Pause(_)
            | Command::TogglePause
            | Command::Speed(_)
            | Command::TargetPath(_)
            | Command::TargetGrab
            | Command::Method(_)
            | Command::NextMethod
            | Command::Joint(JointCommand::Step(_) | JointCommand::Select(_) | JointCommand::Clear) => return,
            Command::EffectorNext(_) | Command::EffectorSelect(_) if self.is_about_selected(race) => return,
            Command::TargetMove(_) if race.is_dragged => Some(race.start()),
            Command::TargetMove(_)
            | Command::TargetSet(..)
            | Command::TargetPreset(_)
            | Command::TargetRandom
            | Command::Rotation(_) => {
                Some(if self.has_other_goals(race) { &self.poses.displayed } else { race.start() })
            }
            Command::Set(..) => Some(race.start()),
            _ => None,
        };
        let (methods, start) = (race.methods(), start.cloned());
        if self.start_race(&methods, start).is_err() {
            self.mode = Mode::Free;
        }
        if let Mode::Race(race) = &mut self.mode {
            race.is_dragged = matches!(command, Command::TargetMove(_));
        }
    }

    /// Whether a race shows the figure of the selected effector.
    fn is_about_selected(&self, race: &Race) -> bool {
        let Some(state) = self.islands.of(self.selection.effector) else { return false };
        let is_on = |joint| state.figure.has(joint) || self.scene.skeleton.is_anchored(joint);
        race.figure().points.iter().all(|at| is_on(at.joint))
    }

    /// Whether the goals have changed since a race started.
    fn has_other_goals(&self, race: &Race) -> bool {
        let goals = self.islands.goals(self.islands.index_of(self.selection.effector));
        !goals.map(|goal| goal.target).eq(race.goals().iter().copied())
    }
}
