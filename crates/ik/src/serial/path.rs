//! The choice of one candidate per row of a path, so that the joints jump as rarely and move as little as possible.
//!
//! Dynamic programming: the best way to a candidate costs as much as the best way to one of the candidates of the row before
//! plus the move from there. A hinge that can turn by more than a whole turn is at a candidate in several ways, which count
//! as different states.

use super::arm::SerialArm;
use super::candidates::LARGEST_MOVE;
use crate::model::limits::wrap;
use std::collections::HashMap;
use std::f64::consts::TAU;

/// Cost of a jump: more than any number of ordinary moves.
const JUMP: f64 = 1e6;
/// Most states per row; the cheapest ones stay.
const MOST_STATES: usize = 512;
/// Most candidates per row. Their numbers have 16 bits, because a long path has millions of states.
const MOST_CANDIDATES: usize = 1 << 16;
/// How far beyond a limit a hinge may be by rounding, radians.
const ROUNDING: f64 = 1e-9;

/// A way to a candidate of the present row.
#[derive(Clone, Debug)]
struct State {
    candidate: usize,
    /// Index of the state of the row before.
    parent: usize,
    /// The coordinates of the candidate after whole turns.
    coordinates: Vec<f64>,
    cost: f64,
}

/// What the end of a path needs to know of a state: its candidate and its parent.
#[derive(Clone, Copy, Debug)]
struct Step {
    candidate: u16,
    parent: u16,
}

impl Step {
    /// There are no more than [`MOST_STATES`] parents and [`MOST_CANDIDATES`] candidates.
    fn of(state: &State) -> Self {
        Step { candidate: state.candidate as u16, parent: state.parent as u16 }
    }
}

/// The coordinates of each row: one of its candidates, perhaps after whole turns; every row has candidates. `start` holds
/// the coordinates before the first row. The way from there is no part of the path and may be a jump.
pub(crate) fn choose(arm: &SerialArm, rows: &[&[Vec<f64>]], start: &[f64]) -> Vec<Vec<f64>> {
    let turning = Turning::of(arm);
    let Some(first) = rows.first() else { return Vec::new() };
    let mut states = turning.first_states(first, start);
    // For each row, where its states come from.
    let step = |states: &[State]| -> Vec<Step> { states.iter().map(Step::of).collect() };
    let mut steps = vec![step(&states)];
    let firsts: Vec<Vec<f64>> = states.iter().map(|state| state.coordinates.clone()).collect();
    for pair in rows.windows(2) {
        states = turning.next_states(&states, pair[0], pair[1]);
        steps.push(step(&states));
    }
    let mut at = states.iter().enumerate().min_by(|a, b| a.1.cost.total_cmp(&b.1.cost)).map_or(0, |(at, _)| at);
    let mut chosen = Vec::with_capacity(rows.len());
    for step in steps.iter().rev() {
        chosen.push(usize::from(step[at].candidate));
        if chosen.len() < rows.len() {
            at = usize::from(step[at].parent);
        }
    }
    chosen.reverse();
    let mut path = vec![firsts[at].clone()];
    for (row, &candidate) in rows.iter().zip(&chosen).skip(1) {
        let next = turning.next_to(&path[path.len() - 1], &row[candidate]);
        path.push(next);
    }
    path
}

/// The rows of a path that a jump leads to.
pub(crate) fn jumps(arm: &SerialArm, path: &[Vec<f64>]) -> Vec<usize> {
    (1..path.len()).filter(|&row| arm.largest_move(&path[row - 1], &path[row]) > LARGEST_MOVE).collect()
}

/// The hinges of an arm that reach a pose after whole turns too.
struct Turning<'a> {
    arm: &'a SerialArm,
    /// For each variable, whether whole turns do not matter to the pose and fit its range.
    circles: &'a [bool],
}

impl<'a> Turning<'a> {
    fn of(arm: &'a SerialArm) -> Self {
        Turning { arm, circles: &arm.circles }
    }

    /// The states of the first row: its candidates after all whole turns.
    fn first_states(&self, candidates: &[Vec<f64>], start: &[f64]) -> Vec<State> {
        let mut states = Vec::new();
        for (candidate, coordinates) in candidates.iter().enumerate().take(MOST_CANDIDATES) {
            let mut nearest = coordinates.clone();
            self.arm.turn_near(start, &mut nearest);
            let mut ways = vec![nearest.clone()];
            for at in (0..start.len()).filter(|&at| self.circles[at]) {
                let Some(range) = self.arm.ranges[at] else { continue };
                let turns = |to: f64| (to - nearest[at]) / TAU;
                let (fewest, most) = (turns(range.low()).ceil() as i32, turns(range.high()).floor() as i32);
                if (i64::from(most) - i64::from(fewest) + 1) * ways.len() as i64 > MOST_STATES as i64 {
                    continue;
                }
                let turned = |way: &Vec<f64>| {
                    let way = way.clone();
                    (fewest..=most).map(move |turns| {
                        let mut way = way.clone();
                        way[at] += f64::from(turns) * TAU;
                        way
                    })
                };
                let more: Vec<Vec<f64>> = ways.iter().flat_map(turned).collect();
                if !more.is_empty() {
                    ways = more;
                }
            }
            let cost = |way: &[f64]| self.arm.largest_move(start, way).powi(2);
            states.extend(ways.into_iter().map(|way| State {
                candidate,
                parent: 0,
                cost: cost(&way),
                coordinates: way,
            }));
        }
        cheapest(states)
    }

    /// The states of a row from those of the row before.
    fn next_states(&self, before: &[State], from: &[Vec<f64>], to: &[Vec<f64>]) -> Vec<State> {
        let mut found: HashMap<(usize, Vec<i8>), State> = HashMap::new();
        let cheapest_before =
            before.iter().enumerate().min_by(|a, b| a.1.cost.total_cmp(&b.1.cost)).map_or(0, |(at, _)| at);
        for (candidate, target) in to.iter().enumerate().take(MOST_CANDIDATES) {
            let smooth: Vec<bool> = from.iter().map(|own| self.move_on_circles(own, target) <= LARGEST_MOVE).collect();
            for (parent, state) in before.iter().enumerate() {
                // A jump is worth it only from the cheapest state.
                if !smooth[state.candidate] && parent != cheapest_before {
                    continue;
                }
                let coordinates = self.next_to(&state.coordinates, target);
                let moved = self.arm.largest_move(&state.coordinates, &coordinates);
                let cost = state.cost + moved * moved + if moved > LARGEST_MOVE { JUMP } else { 0.0 };
                let key = (candidate, self.turns(target, &coordinates));
                if found.get(&key).is_none_or(|other| cost < other.cost) {
                    found.insert(key, State { candidate, parent, coordinates, cost });
                }
            }
        }
        let mut states: Vec<State> = found.into_values().collect();
        // The order of a hash map is random.
        states.sort_by_key(|state| (state.candidate, state.parent));
        cheapest(states)
    }

    /// A candidate after the whole turns that bring it next to `before`, inside the ranges.
    fn next_to(&self, before: &[f64], candidate: &[f64]) -> Vec<f64> {
        let value = |at: usize| {
            if !self.circles[at] {
                return candidate[at];
            }
            let near = before[at] + wrap(candidate[at] - before[at]);
            match self.arm.ranges[at] {
                Some(range) if range.low() - ROUNDING <= near && near <= range.high() + ROUNDING => range.clamp(near),
                Some(_) => self.arm.unwound(at, candidate[at], before[at]).unwrap_or(candidate[at]),
                None => near,
            }
        };
        (0..candidate.len()).map(value).collect()
    }

    /// The whole turns of the hinges with a range. Without one, they do not matter.
    fn turns(&self, candidate: &[f64], coordinates: &[f64]) -> Vec<i8> {
        let limited = (0..candidate.len()).filter(|&at| self.circles[at] && self.arm.ranges[at].is_some());
        limited.map(|at| ((coordinates[at] - candidate[at]) / TAU).round() as i8).collect()
    }

    /// The largest move of a variable, where hinges with whole turns take the shorter way.
    fn move_on_circles(&self, from: &[f64], to: &[f64]) -> f64 {
        let own = |at: usize| match self.circles[at] {
            true => wrap(to[at] - from[at]).abs(),
            false => self.arm.difference(at, from[at], to[at]).abs(),
        };
        (0..from.len()).map(own).fold(0.0, f64::max)
    }
}

/// The cheapest states.
fn cheapest(mut states: Vec<State>) -> Vec<State> {
    states.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    states.truncate(MOST_STATES);
    states
}
