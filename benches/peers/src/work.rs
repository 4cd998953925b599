//! The targets that all solvers are given.

use crate::rivals::Rival;
use fabrik3d_ik::random::Random;
use glam::DVec3;

/// The pose that a solve starts from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// The straight chain along +y, for every target. Resetting to it is part of the measured time.
    Cold,
    /// The answer to the previous target, which is near.
    Warm,
}

/// Targets for a chain of links of length 1 whose base is at the origin.
pub struct Work {
    pub links: usize,
    pub start: Start,
    pub targets: Vec<DVec3>,
}

/// Largest distance of a target from the base, as a fraction of the reach.
const SHARE: f64 = 0.9;

/// Step of a warm target along its path, as a fraction of the reach: at 60 frames per second, about half the reach per
/// second.
const STEP: f64 = 0.01;

impl Work {
    pub fn new(links: usize, start: Start, count: usize) -> Self {
        let mut random = Random::new(2011);
        let radius = SHARE * links as f64;
        let target = |i: usize| match start {
            Start::Cold => random.ball() * radius,
            Start::Warm => path(STEP * i as f64) * radius,
        };
        Work { links, start, targets: (0..count).map(target).collect() }
    }

    pub fn title(&self) -> String {
        let start = if self.start == Start::Cold { "cold" } else { "warm" };
        format!("peers, {} links, {start}", self.links)
    }

    pub fn placed(&self) -> &'static str {
        match self.start {
            Start::Cold => "uniform in the ball of 0.9 of the reach",
            Start::Warm => "along a smooth closed path within 0.9 of the reach",
        }
    }

    pub fn posed(&self) -> &'static str {
        match self.start {
            Start::Cold => "straight each time",
            Start::Warm => "the previous answer",
        }
    }

    /// Solves for every target. Calls `outcome` after each with the solver, the target and the reported iterations.
    pub fn run(&self, rival: &mut dyn Rival, mut outcome: impl FnMut(&mut dyn Rival, DVec3, Option<u32>)) {
        rival.reset();
        for &target in &self.targets {
            if self.start == Start::Cold {
                rival.reset();
            }
            let iterations = rival.solve(target);
            outcome(rival, target, iterations);
        }
    }
}

/// A smooth curve in the unit ball that passes near its center and its surface. `t` is approximately the arc length.
fn path(t: f64) -> DVec3 {
    let size = 0.65 + 0.35 * (0.7 * t).sin();
    let (height, turn) = (0.8 * (0.9 * t).sin(), t);
    let width = (1.0 - height * height).sqrt();
    DVec3::new(width * turn.cos(), height, width * turn.sin()) * size
}
