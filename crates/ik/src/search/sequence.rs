//! The choice of one candidate per row of a path, so that the joints jump as rarely and move as little as possible.
//!
//! Dynamic programming: the best way to a candidate costs as much as the best way to one of the candidates of the row before
//! plus the move from there. A hinge that can turn by more than a whole turn is at a candidate in several ways, which count
//! as different states.

use crate::model::{Coordinates, Pose};
use crate::search::moves::Moves;
use crate::search::policy::LARGEST_MOVE;
use std::f64::consts::TAU;

/// Cost of a jump: more than any number of ordinary moves.
const JUMP: f64 = 1e6;
/// Most states per row; the cheapest ones stay.
const MOST_STATES: usize = 512;
/// The cheapest state of a row.
const CHEAPEST: usize = 0;

/// A way to a candidate of the present row.
#[derive(Clone, Debug)]
struct State {
    candidate: usize,
    /// Index of the state of the row before.
    parent: usize,
    /// The angles of the circles of the candidate, after whole turns.
    angles: Vec<f64>,
    cost: f64,
}

/// The pose of each row: one of its candidates, perhaps after whole turns; every row has candidates. `start` is the pose
/// before the first row. The way from there is no part of the path and may be a jump.
pub(super) fn choose(moves: &Moves, rows: &[&[Pose]], start: &[Coordinates]) -> Vec<Pose> {
    let Some(first) = rows.first() else { return Vec::new() };
    let mut states = first_states(moves, first, start);
    // For each row, the candidates of its states and where these come from. A long path has millions of states.
    let step = |states: &[State]| -> Vec<[u32; 2]> {
        states.iter().map(|state| [state.candidate as u32, state.parent as u32]).collect()
    };
    let mut steps = vec![step(&states)];
    let firsts: Vec<Vec<f64>> = states.iter().map(|state| state.angles.clone()).collect();
    for pair in rows.windows(2) {
        states = next_states(moves, &states, pair[0], pair[1]);
        steps.push(step(&states));
    }
    let mut at = CHEAPEST;
    let mut chosen = Vec::with_capacity(rows.len());
    for step in steps.iter().rev() {
        let [candidate, parent] = step[at].map(|number| number as usize);
        chosen.push(candidate);
        if chosen.len() < rows.len() {
            at = parent;
        }
    }
    chosen.reverse();
    let mut angles = firsts[at].clone();
    let turn = |(row, candidate): (&&[Pose], usize)| {
        let pose = &row[candidate];
        angles = moves.turned(&moves.angles(pose), &angles);
        moves.with_angles(pose, &angles)
    };
    rows.iter().zip(chosen).map(turn).collect()
}

/// The rows of a path that a jump leads to.
pub(super) fn jumps(moves: &Moves, path: &[Pose]) -> Vec<usize> {
    (1..path.len()).filter(|&row| moves.largest(&path[row - 1], &path[row]) > LARGEST_MOVE).collect()
}

/// The states of the first row: its candidates after all whole turns.
fn first_states(moves: &Moves, candidates: &[Pose], start: &[Coordinates]) -> Vec<State> {
    let near = moves.angles(start);
    let mut states = Vec::new();
    for (candidate, pose) in candidates.iter().enumerate() {
        let nearest = moves.turned(&moves.angles(pose), &near);
        let mut ways = vec![nearest.clone()];
        for (at, &(_, range)) in moves.circles.iter().enumerate() {
            let Some(range) = range else { continue };
            let turns = |to: f64| (to - nearest[at]) / TAU;
            let (fewest, most) = (turns(range.low()).ceil() as i32, turns(range.high()).floor() as i32);
            if most.saturating_sub(fewest) as usize >= MOST_STATES / ways.len() {
                continue;
            }
            let with = |way: &Vec<f64>, turns: i32| {
                let mut way = way.clone();
                way[at] += f64::from(turns) * TAU;
                way
            };
            ways = ways.iter().flat_map(|way| (fewest..=most).map(move |turns| with(way, turns))).collect();
        }
        let others = moves.largest_of_others(start, pose);
        states.extend(ways.into_iter().map(|angles| {
            let cost = largest(&near, &angles).max(others).powi(2);
            State { candidate, parent: 0, angles, cost }
        }));
    }
    cheapest(states)
}

/// The states of a row from those of the row before.
fn next_states(moves: &Moves, before: &[State], from: &[Pose], to: &[Pose]) -> Vec<State> {
    let mut states: Vec<State> = Vec::new();
    for (candidate, target) in to.iter().enumerate() {
        let target_angles = moves.angles(target);
        let others: Vec<f64> = from.iter().map(|own| moves.largest_of_others(own, target)).collect();
        let least: Vec<f64> = from.iter().zip(&others).map(|(own, most)| moves.least(own, target, *most)).collect();
        let first = states.len();
        for (parent, state) in before.iter().enumerate() {
            // A jump is worth it only from the cheapest state. Most pairs are recognized here.
            if least[state.candidate] > LARGEST_MOVE && parent != CHEAPEST {
                continue;
            }
            let angles = moves.turned(&target_angles, &state.angles);
            let moved = largest(&state.angles, &angles).max(others[state.candidate]);
            if moved > LARGEST_MOVE && parent != CHEAPEST {
                continue;
            }
            let cost = state.cost + moved * moved + if moved > LARGEST_MOVE { JUMP } else { 0.0 };
            let own = State { candidate, parent, angles, cost };
            match states[first..].iter_mut().find(|other| moves.are_same_turns(&other.angles, &own.angles)) {
                Some(other) if other.cost <= cost => {}
                Some(other) => *other = own,
                None => states.push(own),
            }
        }
    }
    cheapest(states)
}

/// The largest difference of two angles.
fn largest(from: &[f64], to: &[f64]) -> f64 {
    from.iter().zip(to).map(|(from, to)| (to - from).abs()).fold(0.0, f64::max)
}

/// The cheapest states, in the order of their costs.
fn cheapest(mut states: Vec<State>) -> Vec<State> {
    states.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    states.truncate(MOST_STATES);
    states
}
