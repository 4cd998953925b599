//! The poses for a whole path of targets at once.

use super::Solver;
use crate::model::{Coordinates, Pose, Problem, Report, Settings, merge};
use crate::search::Verb;
use crate::search::workspace::Given;

impl Solver {
    /// Poses for a path of targets, one per problem and in their order, together with their reports. The field
    /// [`Solver::problem`] is ignored.
    ///
    /// If all problems ask for the same of the same joints, several candidates are found for each row: all solutions of an arm
    /// with six hinges ([`SixAxisArm`](crate::SixAxisArm)), otherwise poses that follow the path forward and backward from
    /// several starts. Of all sequences of candidates, the one with the fewest jumps (moves of a joint by more than a sixth
    /// of a turn) and the smallest moves is the answer. A redundant figure has more poses than candidates, so that a jump can
    /// remain. The first pose may be far from `start`. Hinges without limits go on beyond half a turn instead of starting
    /// over.
    ///
    /// Rows that cannot be reached get the pose next to that of the row before. So do all rows of chains without limits, of
    /// figures with stiff joints, poles or margins, and of problems that ask for different things: there this is
    /// [`Solver::track`], row by row. Problems that do not fit are refused
    /// ([`Stop::Refused`](crate::Stop::Refused)) and keep the pose of the row before.
    pub fn solve_path(&mut self, problems: &[Problem], start: &[Coordinates]) -> Vec<(Pose, Report)> {
        self.plan(problems, start, false)
    }

    /// As [`Solver::solve_path`], for a path that begins at `start`, as a machine does that stands there: the move to the first
    /// row counts like those from row to row.
    pub fn solve_path_from(&mut self, problems: &[Problem], start: &[Coordinates]) -> Vec<(Pose, Report)> {
        let begins = problems.first().filter(|first| first.check_with(&self.skeleton, start).is_ok());
        let begin = begins.map(|first| first.met_by(&self.skeleton, start));
        let problems: Vec<Problem> = begin.iter().chain(problems).cloned().collect();
        let mut solved = self.plan(&problems, start, begin.is_some());
        solved.drain(..usize::from(begin.is_some()));
        solved
    }

    fn plan(&mut self, problems: &[Problem], start: &[Coordinates], begins_at_start: bool) -> Vec<(Pose, Report)> {
        let is_accepted =
            |problem: &Problem| problem.check_with(&self.skeleton, start).and_then(|()| self.settings.check()).is_ok();
        let Some(first) = problems.first().filter(|problem| is_accepted(problem)) else {
            return problems.iter().map(|_| (start.to_vec(), Report::REFUSED)).collect();
        };
        let mut start = start.to_vec();
        self.skeleton.project(&mut start);
        self.prepare_for(first);
        if !problems.iter().all(|problem| problem.check(&self.skeleton).is_ok() && self.is_prepared_for(problem)) {
            return self.track_rows(problems, start);
        }
        let Solver { skeleton, settings, figures, buffers, .. } = self;
        // Where only a pose elsewhere reaches a row, a path goes on there.
        let settings = &Settings { may_jump: true, ..*settings };
        let given = |problem| Given { skeleton, problem, settings };
        let mut solved: Vec<(Pose, Option<Report>)> = vec![(start.clone(), None); problems.len()];
        for figure in figures {
            let planned = figure.plan(&given(first), problems, buffers, &start, begins_at_start);
            for (row, planned) in planned.into_iter().enumerate() {
                let (before, now) = solved.split_at_mut(row);
                let (pose, report) = &mut now[0];
                if let Some((before, _)) = before.last() {
                    figure.figure.joints().iter().for_each(|&joint| pose[joint] = before[joint]);
                }
                let own = match planned {
                    Some((planned, report)) => {
                        figure.figure.write(&planned, pose);
                        report
                    }
                    None => {
                        let verb = if row == 0 { Verb::Solve } else { Verb::Track };
                        figure.solve(&given(&problems[row]), verb, buffers, pose)
                    }
                };
                merge(report, own);
            }
        }
        solved.into_iter().map(|(pose, report)| (pose, report.unwrap_or(Report::REFUSED))).collect()
    }

    /// Solves one problem after the other, each from the answer to the one before.
    fn track_rows(&mut self, problems: &[Problem], mut pose: Pose) -> Vec<(Pose, Report)> {
        let own = (self.problem.clone(), self.settings);
        (self.settings.time_limit, self.settings.may_jump) = (None, true);
        let track = |(row, problem): (usize, &Problem)| {
            self.problem.clone_from(problem);
            let report = if row == 0 { self.solve(&mut pose) } else { self.track(&mut pose) };
            (pose.clone(), report)
        };
        let solved = problems.iter().enumerate().map(track).collect();
        (self.problem, self.settings) = own;
        solved
    }
}
