//! Many problems on one skeleton.

use super::lane_group::Rank;
use crate::model::pose::{Coordinates, Pose};
use crate::model::problem::Problem;
use crate::model::report::Report;
use crate::model::settings::Settings;
use crate::model::skeleton::Skeleton;
use crate::simd::Threads;
use crate::tree::island::Workspace;
use crate::tree::layout_key::Shape;
use crate::tree::search::Manner;

/// Solves many problems on one skeleton, each from a pose of its own: unlimited chains side by side in SIMD lanes, all
/// else one after the other in the same workspaces.
///
/// A problem's answer depends on that problem alone, bit by bit: not on those beside it, nor on those before. It computes
/// on the calling thread; for more, make one for each thread.
///
/// ```
/// # use glam::DVec3;
/// # use fabrik3d_ik::{Effector, Goal, ManySolver, Problem, Joint, Kind, Settings, Skeleton, Stop};
/// let skeleton = Skeleton::new(vec![
///     Joint::new("shoulder", None, DVec3::ZERO, Kind::UNLIMITED_BALL),
///     Joint::new("elbow", Some(0), DVec3::Y, Kind::UNLIMITED_BALL),
///     Joint::new("wrist", Some(1), DVec3::Y, Kind::UNLIMITED_BALL),
/// ])?;
/// let hand = Effector::new(2, DVec3::Y * 0.5);
/// let places = (0..100).map(|i| DVec3::new(1.0, 0.01 * f64::from(i), 0.5));
/// let problems: Vec<Problem> =
///     places.map(|place| Problem { goals: vec![Goal::new(hand, place)], ..Problem::default() }).collect();
/// let mut poses = vec![skeleton.rest_pose(); problems.len()];
/// let reports = ManySolver::new(&skeleton, Settings::default()).solve(&problems, &mut poses);
/// assert!(reports.iter().all(|report| report.stop == Stop::Reached));
/// # Ok::<(), crate::model::skeleton::SkeletonError>(())
/// ```
#[derive(Debug)]
pub struct ManySolver<'a> {
    skeleton: &'a Skeleton,
    settings: Settings,
    /// What the workspaces are made for.
    shape: Shape,
    /// One an island.
    islands: Vec<Workspace>,
    ranks: Vec<Rank>,
    /// For each rank, the problem and the island of its members.
    waiting: Vec<Vec<(usize, usize)>>,
}

impl<'a> ManySolver<'a> {
    /// A solver for `skeleton`.
    pub fn new(skeleton: &'a Skeleton, settings: Settings) -> Self {
        ManySolver {
            skeleton,
            settings,
            shape: Shape::default(),
            islands: Vec::new(),
            ranks: Vec::new(),
            waiting: Vec::new(),
        }
    }

    /// Whether problems of this kind are solved side by side, all of each: it is then worth giving many at once.
    pub fn is_side_by_side(&mut self, problem: &Problem) -> bool {
        if !Rank::suits(&self.settings) || !problem.fits(self.skeleton) {
            return false;
        }
        self.adapt(problem);
        self.islands.iter().all(|island| island.strand().is_some_and(|strand| strand.fits_lanes()))
    }

    /// Carries each of the `poses` (one entry a joint of the skeleton) as near to the goals of its problem as it gets. One
    /// report a problem, that of its worst island, in the same order.
    ///
    /// A problem without a pose, or one that [`super::solve::Solver::solve`] would refuse, is refused: [`crate::model::report::Stop::Refused`].
    pub fn solve(&mut self, problems: &[Problem], poses: &mut [Pose]) -> Vec<Report> {
        let mut reports = vec![None; problems.len()];
        for at in 0..problems.len().min(poses.len()) {
            let (problem, pose) = (&problems[at], &mut poses[at]);
            if !problem.fits_pose(self.skeleton, pose) {
                continue;
            }
            if !self.shape.fits(self.skeleton, problem) {
                self.solve_ranks(problems, poses, &mut reports);
                self.adapt(problem);
            }
            for island in 0..self.islands.len() {
                if !self.line_up(at, island, problem, &mut poses[at]) {
                    let workspace = &mut self.islands[island];
                    let report =
                        workspace.solve_sound(Manner::Anew, self.skeleton, problem, &self.settings, &mut poses[at]);
                    take(&mut reports[at], report);
                }
            }
        }
        self.solve_ranks(problems, poses, &mut reports);
        reports.into_iter().map(|report| report.unwrap_or(Report::REFUSED)).collect()
    }

    /// Puts an island into its rank, if it has one.
    fn line_up(&mut self, at: usize, island: usize, problem: &Problem, pose: &mut [Coordinates]) -> bool {
        let workspace = &self.islands[island];
        let strand = workspace.strand().filter(|strand| strand.fits_lanes() && Rank::suits(&self.settings));
        let Some((strand, target)) = strand.and_then(|strand| Some((strand, strand.target(problem)?))) else {
            return false;
        };
        let present = self.ranks.iter().position(|rank| rank.links() == strand.len());
        let rank = match present {
            Some(rank) => rank,
            None => {
                let Ok(rank) = Rank::new(strand.len(), Threads::One) else { return false };
                self.ranks.push(rank);
                self.waiting.push(Vec::new());
                self.ranks.len() - 1
            }
        };
        for &joint in &workspace.island().joints {
            pose[joint] = self.skeleton.kind(joint).project(pose[joint]);
        }
        self.ranks[rank].push(self.skeleton, strand, problem.base, pose, target);
        self.waiting[rank].push((at, island));
        true
    }

    /// Solves all that is lined up.
    fn solve_ranks(&mut self, problems: &[Problem], poses: &mut [Pose], reports: &mut [Option<Report>]) {
        for (rank, waiting) in self.ranks.iter_mut().zip(&mut self.waiting) {
            rank.solve(&self.settings);
            for (member, (at, island)) in waiting.drain(..).enumerate() {
                let (problem, pose, workspace) = (&problems[at], &mut poses[at], &mut self.islands[island]);
                let answer = workspace.strand().and_then(|strand| {
                    rank.answer(member, (self.skeleton, strand, problem.base), self.settings.tolerance, pose)
                });
                let answer = answer.unwrap_or_else(|| {
                    workspace.solve_sound(Manner::Anew, self.skeleton, problem, &self.settings, pose)
                });
                take(&mut reports[at], answer);
            }
            rank.clear();
        }
    }

    /// Makes the workspaces anew where a problem has another shape.
    fn adapt(&mut self, problem: &Problem) {
        if self.shape.fits(self.skeleton, problem) {
            return;
        }
        self.shape = Shape::of(self.skeleton, problem);
        self.islands = Workspace::each(self.skeleton, problem).collect();
    }
}

/// Adds an island's report to those of its problem.
fn take(report: &mut Option<Report>, other: Report) {
    *report = Some(report.map_or(other, |report| report.or_worse(other)));
}
