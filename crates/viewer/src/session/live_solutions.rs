//! How a session shows all poses that meet the targets of the selected figure, and takes them in turn.

use super::command_error::CommandError;
use super::remark::Remark;
use super::session::{Mode, Session};
use super::solutions::{Found, ShownSolutions, Solutions};
use fabrik3d_ik::arms::{AllSolutions, Coverage};
use fabrik3d_ik::display::pose_distance;
use fabrik3d_ik::{Pose, Settings, Solver};

impl Session {
    /// Whether the solutions are seen from now on.
    pub fn watch_solutions(&mut self, on: bool) {
        if !on && self.solutions.is_watched {
            self.solutions = Solutions::default();
        }
        self.solutions.is_watched = on;
    }

    /// All poses of the selected figure that meet its targets, while they are watched.
    pub fn solutions(&self) -> Option<ShownSolutions<'_>> {
        let Found { problem, island, solutions } =
            self.solutions.found.as_ref().filter(|_| self.solutions.is_watched)?;
        let figure = &self.islands.states.get(*island)?.figure;
        matches!(self.mode, Mode::Free).then_some(ShownSolutions { figure, problem, solutions })
    }

    /// What the list holds while it is watched, as a sentence.
    pub fn solutions_in_words(&self) -> Option<String> {
        let is_seen = self.solutions.is_watched && matches!(self.mode, Mode::Free);
        let Found { island, solutions, .. } = self.solutions.found.as_ref().filter(|_| is_seen)?;
        let AllSolutions { poses, coverage } = solutions;
        let count = poses.len();
        let meet = if count == 1 { "One pose meets".to_owned() } else { format!("{count} poses meet") };
        Some(match coverage {
            _ if count == 0 => "No pose meets the target.".to_owned(),
            Coverage::All => format!("{meet} the target."),
            Coverage::Some(joint) => {
                let by = joint.and_then(|joint| {
                    let joint = self.islands.states.get(*island)?.figure.number(joint);
                    let name = self.scene.shown_name(&self.scene.skeleton.joints()[joint].name);
                    Some(format!(" for some values of “{name}”"))
                });
                format!("Infinitely many poses meet the target: here {count}{}.", by.unwrap_or_default())
            }
            _ => format!("{meet} the target; there may be others."),
        })
    }

    /// Lists them again where something has changed, if they are watched.
    pub(super) fn update_solutions(&mut self) {
        if !self.solutions.is_watched || !matches!(self.mode, Mode::Free) {
            return;
        }
        // A list that waits follows the target in steps.
        let is_due = self.solutions.share.is_due();
        match self.selected().map(|at| self.islands.index_of(at)) {
            Some(island) if is_due => self.list_solutions(island),
            Some(_) => {}
            None => self.solutions.found = None,
        }
    }

    /// Lists the poses of a figure, unless they are known, in an order that does not depend on the present pose.
    fn list_solutions(&mut self, island: usize) {
        let figure = &self.islands.states[island].figure;
        let problem = figure.problem(self.islands.problem());
        if self.solutions.found.as_ref().is_some_and(|found| found.island == island && found.problem == problem) {
            return;
        }
        let start = (self.host.now)();
        let settings = Settings { interrupt: self.interrupt(), ..self.scene.settings };
        let mut solver = Solver::new(figure.skeleton().clone()).problem(problem.clone()).settings(settings);
        let solutions = solver.all_solutions(&figure.pose(&self.scene.start));
        self.solutions.found = Some(Found { problem, island, solutions });
        self.solutions.share.took((self.host.now)() - start);
    }

    /// Takes the next of the poses that meet the targets. The display eases to it, and the targets stay.
    pub(super) fn take_next_solution(&mut self) -> Result<(), CommandError> {
        let island = self.islands.index_of(self.selected().ok_or(CommandError::NoEffector)?);
        self.list_solutions(island);
        let none = || CommandError::NoOtherPose("No other pose is known that meets the target".to_owned());
        let listed = &self.solutions.found.as_ref().ok_or_else(none)?.solutions;
        let figure = &self.islands.states[island].figure;
        let (skeleton, own) = (figure.skeleton(), figure.pose(&self.poses.solved));
        let near = |pose: &Pose| {
            let mut pose = pose.clone();
            skeleton.turn_near(&own, &mut pose);
            pose
        };
        let poses: Vec<Pose> = listed.poses.iter().map(near).collect();
        let joints: Vec<usize> = (0..skeleton.len()).collect();
        let length = skeleton.extent().max(f64::MIN_POSITIVE);
        let distance = |pose: &Pose| pose_distance(skeleton, &joints, &own, pose, length);
        let present = (0..poses.len()).min_by(|&a, &b| distance(&poses[a]).total_cmp(&distance(&poses[b])));
        let present = present.filter(|_| poses.len() > 1).ok_or_else(none)?;
        let (next, count) = ((present + 1) % poses.len(), poses.len());
        let mut whole = self.poses.solved.clone();
        figure.write(&poses[next], &mut whole);
        let targets: Vec<_> = figure.goals().iter().map(|&at| (at, self.effectors[at].target)).collect();
        self.save();
        self.take_pose(island, &whole);
        targets.into_iter().for_each(|(at, target)| self.effectors[at].target = target);
        self.islands.set_goals(island, &self.scene, &self.effectors);
        self.start_ease(island);
        self.remark = Some(Remark::TookPose { number: next + 1, count });
        Ok(())
    }
}
