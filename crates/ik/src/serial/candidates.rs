//! Candidates for every row of a path of a redundant arm: poses that follow the path forward and backward from several
//! starts.

use super::arm::SerialArm;
use super::correct::{Corrector, Request};
use super::nearest::NearestSearch;
use crate::random::Random;

/// Largest move of a joint from row to row that is no jump: the sixth of a turn, or the arm's size.
pub(crate) const LARGEST_MOVE: f64 = std::f64::consts::FRAC_PI_3;
/// How far each pose that follows the path moves toward the middle of its ranges per row, where the target leaves it free, as a
/// fraction of the distance.
const CENTERING: [f64; 4] = [0.0, 0.02, 0.1, 0.4];
/// Most places at which a follower that lost the path starts again in both directions.
const MOST_RESTARTS: usize = 32;
/// Candidates of one row that differ less are the same, radians or fractions of the arm's size.
const SAME: f64 = 1e-3;
/// Random poses of a row that look for a way past a jump.
const THROUGH: usize = 12;
/// A pose that follows the path is close to another one that does at this move, radians or fractions of the arm's size.
const CLOSE: f64 = 0.15;
/// Attempts of a search for another pose.
const ATTEMPTS: u32 = 30;

/// A path of targets for an arm, and the poses found so far.
pub(crate) struct Candidates<'a> {
    pub arm: &'a SerialArm,
    pub requests: &'a [Request],
    /// For each row, the coordinates that meet its target.
    pub rows: Vec<Vec<Vec<f64>>>,
    corrector: Corrector,
    random: Random,
}

#[derive(Clone, Copy, PartialEq)]
enum Direction {
    Forward,
    Backward,
}

impl<'a> Candidates<'a> {
    /// No candidates yet.
    pub fn new(arm: &'a SerialArm, requests: &'a [Request], seed: u64) -> Self {
        let rows = vec![Vec::new(); requests.len()];
        Candidates { arm, requests, rows, corrector: Corrector::default(), random: Random::new(seed) }
    }

    /// Adds poses that follow the whole path, the first of them from `start`.
    pub fn follow_from(&mut self, start: &[f64]) {
        let Some(last) = self.requests.len().checked_sub(1) else { return };
        let mut restarts = 0;
        for (follower, centering) in CENTERING.into_iter().enumerate() {
            let first = if follower == 0 { self.pose_near(0, start) } else { self.any_pose(0, start) };
            if let Some(first) = first {
                self.follow(0, first, Direction::Forward, centering, &mut restarts);
            }
        }
        for centering in CENTERING {
            if let Some(end) = self.any_pose(last, start) {
                self.follow(last, end, Direction::Backward, centering, &mut restarts);
            }
        }
    }

    /// Adds poses that follow the path in both directions from random poses of a row, until they come close to others.
    pub fn follow_through(&mut self, row: usize, start: &[f64]) {
        for through in 0..THROUGH {
            let centering = CENTERING[through % CENTERING.len()];
            let Some(here) = self.any_pose(row, start) else { continue };
            self.add(row, &here);
            self.follow_while_kept(row, here.clone(), Direction::Forward, centering, CLOSE);
            self.follow_while_kept(row, here, Direction::Backward, centering, CLOSE);
        }
    }

    /// For rows without candidates: those of the neighboring rows, moved onto the target.
    pub fn fill_gaps(&mut self) {
        let forward: Vec<usize> = (1..self.rows.len()).collect();
        for (row, from) in
            forward.iter().map(|&row| (row, row - 1)).chain(forward.iter().rev().map(|&row| (row - 1, row)))
        {
            if self.rows[row].is_empty() {
                for mut coordinates in self.rows[from].clone() {
                    if self.reach(row, &mut coordinates) {
                        self.add(row, &coordinates);
                    }
                }
            }
        }
    }

    fn reach(&mut self, row: usize, coordinates: &mut [f64]) -> bool {
        let request = &self.requests[row];
        self.corrector.reach(self.arm, request, coordinates).meets(request)
    }

    /// The pose of a row next to `start`, if one is found.
    fn pose_near(&mut self, row: usize, start: &[f64]) -> Option<Vec<f64>> {
        let seed = self.random.bits();
        let search = NearestSearch { arm: self.arm, request: &self.requests[row], start, attempts: ATTEMPTS, seed };
        Some(search.run(&mut self.corrector)?.coordinates)
    }

    /// A pose of a row from a random start around `middle`, if one is found.
    fn any_pose(&mut self, row: usize, middle: &[f64]) -> Option<Vec<f64>> {
        for _ in 0..ATTEMPTS {
            let mut coordinates = self.arm.random(&mut self.random, middle);
            if self.reach(row, &mut coordinates) {
                return Some(coordinates);
            }
        }
        None
    }

    /// Follows the path from a row on. Where the target gets out of reach of the pose, it goes on with the nearest other
    /// pose, which also follows the path back as far as it gets.
    fn follow(&mut self, mut row: usize, first: Vec<f64>, direction: Direction, centering: f64, restarts: &mut usize) {
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
                let opposite = if direction == Direction::Forward { Direction::Backward } else { Direction::Forward };
                self.follow_while_kept(next, other.clone(), opposite, centering, SAME);
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
    fn follow_while_kept(
        &mut self,
        mut row: usize,
        mut now: Vec<f64>,
        direction: Direction,
        centering: f64,
        close: f64,
    ) {
        while let Some(next) = self.neighbor(row, direction) {
            let kept = self.advance(next, centering, &mut now);
            let is_close = self.rows[next].iter().any(|other| self.arm.largest_move(other, &now) < close);
            if !kept || !self.add(next, &now) || is_close {
                return;
            }
            row = next;
        }
    }

    /// Moves a pose onto the target of the next row. Returns whether that is possible without a jump.
    fn advance(&mut self, next: usize, centering: f64, now: &mut [f64]) -> bool {
        let before = now.to_vec();
        self.corrector.track(self.arm, &self.requests[next], centering, now)
            && self.arm.largest_move(&before, now) < LARGEST_MOVE
    }

    fn neighbor(&self, row: usize, direction: Direction) -> Option<usize> {
        match direction {
            Direction::Forward => Some(row + 1).filter(|&next| next < self.rows.len()),
            Direction::Backward => row.checked_sub(1),
        }
    }

    /// Adds a candidate unless the row has it already. Returns whether it is new.
    pub fn add(&mut self, row: usize, coordinates: &[f64]) -> bool {
        let is_new = self.rows[row].iter().all(|other| self.arm.largest_move(other, coordinates) > SAME);
        if is_new {
            self.rows[row].push(coordinates.to_vec());
        }
        is_new
    }
}
