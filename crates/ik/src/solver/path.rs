//! The poses for a whole path of targets at once.

use super::Solver;
use crate::branches::SixAxisArm;
use crate::model::pose::{Coordinates, Pose};
use crate::model::problem::{Effector, Goal, Problem};
use crate::model::report::{Report, Stop};
use crate::model::settings::Settings;
use crate::model::skeleton::Skeleton;
use crate::model::transform::Isometry;
use crate::serial::{Candidates, Corrector, Request, SerialArm, choose, jumps};

/// Rounds of looking for other ways past jumps.
const MOST_ROUNDS: usize = 6;
/// Jumps per round that are looked at.
const MOST_JUMPS: usize = 4;

impl Solver {
    /// Poses for a path of targets, one per problem and in their order, together with their reports. The field
    /// [`Solver::problem`] is ignored.
    ///
    /// If every problem has one goal, the same effector on a serial arm, several candidates are found for each row: all
    /// branches of an arm with a closed form ([`SixAxisArm`]), otherwise poses that follow the path forward and backward from
    /// several starts. Of all sequences of candidates, the one with the fewest jumps (moves of a joint by more than a sixth
    /// of a turn) and the smallest moves is the answer. A redundant arm has more poses than candidates, so that a jump can
    /// remain. The first pose may be far from `start`. Hinges without limits go on beyond half a turn instead of starting
    /// over.
    ///
    /// Rows that cannot be reached get the pose next to that of the row before. So do the rows of all other problems: there
    /// this is [`Solver::track`], row by row. Problems that do not fit are refused
    /// ([`Stop::Refused`](crate::Stop::Refused)) and keep the pose of the row before.
    pub fn solve_path(&mut self, problems: &[Problem], start: &[Coordinates]) -> Vec<(Pose, Report)> {
        if !problems.first().is_some_and(|problem| problem.fits_pose(&self.skeleton, start)) {
            return problems.iter().map(|_| (start.to_vec(), Report::REFUSED)).collect();
        }
        let mut start = start.to_vec();
        self.skeleton.project(&mut start);
        let planned = plan(&self.skeleton, problems, &self.settings, &start);
        let planned = planned.unwrap_or_else(|| vec![None; problems.len()]);
        let own = self.problem.clone();
        let mut pose = start;
        let mut is_first = true;
        let solved = problems.iter().zip(planned).map(|(problem, planned)| {
            let report = match planned {
                Some((next, report)) => {
                    pose = next;
                    report
                }
                None => {
                    self.problem.clone_from(problem);
                    if is_first { self.solve(&mut pose) } else { self.track(&mut pose) }
                }
            };
            is_first = false;
            (pose.clone(), report)
        });
        let solved = solved.collect();
        self.problem = own;
        solved
    }
}

/// The goal of each problem if they ask for one effector and nothing else, all with the same base.
fn goals<'a>(skeleton: &Skeleton, problems: &'a [Problem]) -> Option<Vec<&'a Goal>> {
    let base = problems.first()?.base;
    let fits = |problem: &&Problem| problem.base == base && problem.fits(skeleton);
    let goals: Option<Vec<&Goal>> = problems.iter().map(|problem| Some(problem).filter(fits)?.only_goal()).collect();
    goals.filter(|goals| goals.iter().all(|goal| goal.effector == goals[0].effector))
}

/// The pose and the report of each row that is reached. `None` if the problems do not allow for a plan.
fn plan(
    skeleton: &Skeleton,
    problems: &[Problem],
    settings: &Settings,
    start: &[Coordinates],
) -> Option<Vec<Option<(Pose, Report)>>> {
    let goals = goals(skeleton, problems)?;
    let (effector, base) = (goals[0].effector, problems[0].base);
    let arm = SerialArm::new(skeleton, &effector, base, start).ok()?;
    let request = |goal: &&Goal| Request {
        target: goal.requested_frame(),
        distance: settings.tolerance,
        angle: settings.rotation_tolerance,
    };
    let requests: Vec<Request> = goals.iter().map(request).collect();
    let own_start = arm.coordinates(start);
    let mut candidates = Candidates::new(&arm, &requests, settings.seed);
    let has_all_branches = add_branches(&mut candidates, skeleton, &effector, base, start);
    if !has_all_branches {
        candidates.follow_from(&own_start);
    }
    candidates.fill_gaps();
    let (mut reached, mut path) = chosen(&candidates, &own_start);
    // A redundant arm may get past a jump from other poses than those that followed the path so far.
    for _ in 0..if has_all_branches { 0 } else { MOST_ROUNDS } {
        let jumps = jumps(&arm, &path);
        if jumps.is_empty() {
            break;
        }
        jumps.iter().take(MOST_JUMPS).for_each(|&jump| candidates.follow_through(reached[jump], &own_start));
        (reached, path) = chosen(&candidates, &own_start);
    }
    let mut corrector = Corrector::default();
    let mut planned = vec![None; requests.len()];
    for (row, coordinates) in reached.into_iter().zip(&path) {
        let error = corrector.evaluate(&arm, &requests[row].target, coordinates).distance;
        let report = Report { stop: Stop::Reached, error, iterations: 0, refine_steps: 0, attempts: 1 };
        planned[row] = Some((arm.pose(skeleton, start, coordinates), report));
    }
    Some(planned)
}

/// Adds all branches of every row if the arm has a closed form and every row asks for a position and an orientation. Returns
/// whether that is so.
fn add_branches(
    candidates: &mut Candidates<'_>,
    skeleton: &Skeleton,
    effector: &Effector,
    base: Isometry,
    start: &[Coordinates],
) -> bool {
    let requests = candidates.requests;
    let targets: Option<Vec<_>> =
        requests.iter().map(|Request { target, .. }| target.position.zip(target.rotation())).collect();
    let (Some(targets), Ok(arm)) = (targets, SixAxisArm::at(skeleton, effector, base, start)) else { return false };
    let near = std::array::from_fn(|at| start[arm.joints()[at]].value());
    for (row, (position, rotation)) in targets.into_iter().enumerate() {
        for branch in arm.branches(position, rotation, &near) {
            candidates.add(row, &branch);
        }
    }
    true
}

/// The rows that have candidates, and the chosen coordinates of each.
fn chosen(candidates: &Candidates<'_>, start: &[f64]) -> (Vec<usize>, Vec<Vec<f64>>) {
    let reached: Vec<usize> = (0..candidates.rows.len()).filter(|&row| !candidates.rows[row].is_empty()).collect();
    let rows: Vec<&[Vec<f64>]> = reached.iter().map(|&row| candidates.rows[row].as_slice()).collect();
    let path = choose(candidates.arm, &rows, start);
    (reached, path)
}
