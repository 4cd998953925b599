//! Candidates for every row of a path of a redundant figure: solutions that follow the path forward and backward from several
//! starts.

use crate::layout::Layout;
use crate::model::{Coordinates, Pose, Problem, Settings, Skeleton};
use crate::random::Random;
use crate::search::moves::Moves;
use crate::search::policy::LARGEST_MOVE;
use crate::search::sequence::{choose, jumps};
use crate::search::workspace::Workspace;
use crate::tasks::Objective;
use std::num::NonZeroU32;

/// How far each pose that follows the path moves toward the middle of its ranges per row, where the goals leave it free, as a
/// fraction of the distance.
const CENTERING: [f64; 4] = [0.0, 0.02, 0.1, 0.4];
/// Most places at which a follower that lost the path starts again in both directions.
const MOST_RESTARTS: usize = 32;
/// Candidates of one row that differ less are the same, radians or fractions of the length.
const SAME: f64 = 1e-3;
/// Random poses of a row that look for a way past a jump.
const THROUGH: usize = 12;
/// A pose that follows the path is close to another one that does at this move, radians or fractions of the length.
const CLOSE: f64 = 0.15;
/// Attempts of a search for another pose.
const ATTEMPTS: NonZeroU32 = NonZeroU32::new(30).unwrap();
/// Rounds of looking for other ways past jumps.
const MOST_ROUNDS: usize = 6;
/// Jumps per round that are looked at.
const MOST_JUMPS: usize = 4;

/// A path of a figure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Path<'a> {
    pub skeleton: &'a Skeleton,
    pub layout: &'a Layout,
    /// The problems of the figure, one per row.
    pub problems: &'a [Problem],
    pub settings: &'a Settings,
    /// Whether the pose of the first row is the start.
    pub begins_at_start: bool,
}

/// A path and the poses found so far.
struct Candidates<'a> {
    path: Path<'a>,
    moves: Moves<'a>,
    workspace: &'a mut Workspace,
    start: &'a [Coordinates],
    /// For each row, poses that meet its goals.
    rows: Vec<Vec<Pose>>,
    random: Random,
}

/// Steps from row to row.
const FORWARD: isize = 1;
const BACKWARD: isize = -1;

impl Path<'_> {
    /// A pose for each row whose goals can be met, such that joints jump as rarely and move as little as possible.
    pub fn plan(self, workspace: &mut Workspace, start: &[Coordinates]) -> Vec<Option<Pose>> {
        let Path { skeleton, layout, problems, settings, .. } = self;
        let (rows, random) = (vec![Vec::new(); problems.len()], Random::new(settings.seed));
        let mut found = Candidates { path: self, moves: Moves::new(skeleton, layout), workspace, start, rows, random };
        let has_all = found.add_closed_form();
        if !has_all {
            found.follow_from_everywhere();
        }
        let (mut reached, mut path) = found.chosen();
        // A redundant figure may get past a jump from other poses than those that followed the path so far.
        for _ in 0..if has_all { 0 } else { MOST_ROUNDS } {
            let jumps = jumps(&found.moves, &path);
            if jumps.is_empty() {
                break;
            }
            jumps.iter().take(MOST_JUMPS).for_each(|&jump| found.follow_through(reached[jump]));
            (reached, path) = found.chosen();
        }
        let mut planned = vec![None; problems.len()];
        reached.into_iter().zip(path).for_each(|(row, pose)| planned[row] = Some(pose));
        planned
    }
}

impl Candidates<'_> {
    /// Adds all solutions of every row if the figure is an arm with six hinges. Returns whether that is so.
    fn add_closed_form(&mut self) -> bool {
        self.workspace.poses.reset(self.start);
        for row in 0..self.rows.len() {
            let Path { skeleton, layout, problems, settings, .. } = self.path;
            let objective = Objective::new(skeleton, &problems[row], layout, settings);
            self.workspace.refiner.begin(&objective, self.start);
            // All rows ask the same of the same arm.
            if row == 0 && self.workspace.six_axis_arm(&objective).is_none() {
                return false;
            }
            let solutions = self.workspace.closed_form(&objective).unwrap_or_default();
            self.rows[row] = solutions.into_iter().map(|(_, pose)| pose).collect();
        }
        true
    }

    /// Adds poses that follow the whole path, the first of them from the start.
    fn follow_from_everywhere(&mut self) {
        let Some(last) = self.rows.len().checked_sub(1) else { return };
        let mut restarts = 0;
        for (follower, centering) in CENTERING.into_iter().enumerate() {
            let first = if follower == 0 { self.pose_near(0, self.start) } else { self.any_pose(0) };
            if let Some(first) = first {
                self.follow(0, first, FORWARD, centering, &mut restarts);
            }
        }
        for centering in CENTERING {
            if let Some(end) = self.any_pose(last) {
                self.follow(last, end, BACKWARD, centering, &mut restarts);
            }
        }
    }

    /// Adds poses that follow the path in both directions from random poses of a row, until they come close to others.
    fn follow_through(&mut self, row: usize) {
        for through in 0..THROUGH {
            let centering = CENTERING[through % CENTERING.len()];
            let Some(here) = self.any_pose(row) else { continue };
            self.add(row, &here);
            self.follow_while_kept(row, here.clone(), FORWARD, centering, CLOSE);
            self.follow_while_kept(row, here, BACKWARD, centering, CLOSE);
        }
    }

    /// Moves a pose onto the targets of a row. What they leave free moves toward the middle of the ranges. Returns whether the
    /// goals are met.
    fn reach(&mut self, row: usize, centering: f64, pose: &mut [Coordinates]) -> bool {
        let Path { skeleton, layout, problems, settings, .. } = self.path;
        let exact = settings.stricter();
        let objective = Objective::new(skeleton, &problems[row], layout, &exact);
        self.workspace.refiner.begin(&objective, pose);
        self.workspace.refiner.follow(&objective, centering, pose).reached(settings)
    }

    /// The solution of a row next to `start`, if one is found.
    fn pose_near(&mut self, row: usize, start: &[Coordinates]) -> Option<Pose> {
        self.find(row, start, Workspace::seek_nearest)
    }

    /// A solution of a row from anywhere, if one is found.
    fn any_pose(&mut self, row: usize) -> Option<Pose> {
        let start = self.start;
        self.find(row, start, Workspace::seek_anywhere)
    }

    fn find(
        &mut self,
        row: usize,
        start: &[Coordinates],
        find: impl FnOnce(&mut Workspace, &Objective, &mut [Coordinates]) -> bool,
    ) -> Option<Pose> {
        let Path { skeleton, layout, problems, settings, .. } = self.path;
        let own = Settings { seed: self.random.bits(), max_attempts: ATTEMPTS, ..*settings };
        let objective = Objective::new(skeleton, &problems[row], layout, &own);
        let mut pose = start.to_vec();
        self.workspace.refiner.begin(&objective, &pose);
        let found = find(self.workspace, &objective, &mut pose);
        (found && self.reach(row, 0.0, &mut pose)).then_some(pose)
    }

    /// Follows the path from a row on. Where the targets get out of reach of the pose, it goes on with the nearest other
    /// pose, which also follows the path back as far as it gets.
    fn follow(&mut self, mut row: usize, first: Pose, direction: isize, centering: f64, restarts: &mut usize) {
        let mut now = first;
        self.add(row, &now);
        while let Some(next) = self.neighbor(row, direction) {
            let before = now.clone();
            if !self.advance(next, centering, &mut now) {
                if *restarts == MOST_RESTARTS {
                    return;
                }
                *restarts += 1;
                row = next;
                let Some(other) = self.pose_near(next, &before) else {
                    now = before;
                    continue;
                };
                self.follow_while_kept(next, other.clone(), -direction, centering, SAME);
                now = other;
            }
            row = next;
            // A pose that does not move by itself goes the way of the one that has been here before.
            if !self.add(row, &now) && centering == 0.0 {
                return;
            }
        }
    }

    /// Follows the path as far as the pose gets, or until another candidate is as close as `close`.
    fn follow_while_kept(&mut self, mut row: usize, mut now: Pose, direction: isize, centering: f64, close: f64) {
        while let Some(next) = self.neighbor(row, direction) {
            let kept = self.advance(next, centering, &mut now);
            let is_close = self.rows[next].iter().any(|other| self.moves.largest(other, &now) < close);
            if !kept || !self.add(next, &now) || is_close {
                return;
            }
            row = next;
        }
    }

    /// Moves a pose onto the targets of the next row. Returns whether that is possible without a jump.
    fn advance(&mut self, next: usize, centering: f64, now: &mut [Coordinates]) -> bool {
        let before = now.to_vec();
        self.reach(next, centering, now) && self.moves.largest(&before, now) < LARGEST_MOVE
    }

    fn neighbor(&self, row: usize, direction: isize) -> Option<usize> {
        row.checked_add_signed(direction).filter(|&next| next < self.rows.len())
    }

    /// Adds a candidate unless the row has it already. Returns whether it is new.
    fn add(&mut self, row: usize, pose: &[Coordinates]) -> bool {
        let is_new = self.rows[row].iter().all(|other| self.moves.largest(other, pose) > SAME);
        if is_new {
            self.rows[row].push(pose.to_vec());
        }
        is_new
    }

    /// The rows that have candidates, and the chosen pose of each.
    fn chosen(&self) -> (Vec<usize>, Vec<Pose>) {
        let start = [self.start.to_vec()];
        let candidates = |row: usize| match row {
            0 if self.path.begins_at_start => &start,
            row => self.rows[row].as_slice(),
        };
        let reached: Vec<usize> = (0..self.rows.len()).filter(|&row| !candidates(row).is_empty()).collect();
        let rows: Vec<&[Pose]> = reached.iter().map(|&row| candidates(row)).collect();
        let path = choose(&self.moves, &rows, self.start);
        (reached, path)
    }
}
