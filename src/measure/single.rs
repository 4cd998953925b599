//! One chain at a time: the accelerated solve against textbook FABRIK, timed in turns on the same problems.

use crate::ik::random::Random;
use crate::{Chain, DVec3, Method, Report, Settings};
use std::num::NonZeroU32;
use std::time::Instant;

/// From where a solve starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// The same gently bent chain each time, the target anywhere within reach.
    Cold,
    /// A solved pose, the target 1 % of the reach away from the last one.
    Warm,
}

/// One line of the comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// Links of the chain, all of the same length.
    pub links: usize,
    /// From where the solves start.
    pub start: Start,
    /// The accelerated solve.
    pub accelerated: Column,
    /// Textbook FABRIK.
    pub textbook: Column,
}

impl Row {
    /// How many times faster than textbook.
    pub fn ratio(&self) -> f64 {
        self.textbook.nanoseconds / self.accelerated.nanoseconds
    }
}

/// What one method needed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Column {
    /// Nanoseconds for one solve: each handful of problems at the fastest of its rounds, so that what else runs on
    /// the machine counts little.
    pub nanoseconds: f64,
    /// Iterations on average.
    pub mean_iterations: f64,
    /// Iterations that 99 of 100 solves do not exceed.
    pub p99_iterations: u32,
    /// Closures, per solve.
    pub polish_steps: f64,
    /// Part of the problems that were solved to the tolerance.
    pub reached: f64,
}

/// Times both methods on chains of `links` links at a tolerance of 1e-4; textbook may take `cap` iterations.
pub fn compare(links: usize, start: Start, cap: NonZeroU32, seed: u64) -> Row {
    let count = (20_000 / links).clamp(20, 2000);
    let problems = problems(links, start, count, seed);
    let settings = |method| Settings { method, max_iterations: cap, ..Settings::default() };
    let mut accelerated = Timing::new(settings(Method::Accelerated));
    let mut textbook = Timing::new(settings(Method::Textbook));
    for _ in 0..ROUNDS {
        accelerated.round(&problems);
        textbook.round(&problems);
    }
    Row { links, start, accelerated: accelerated.column(), textbook: textbook.column() }
}

/// Rounds in which the methods take turns.
const ROUNDS: usize = 15;

/// Problems that are timed together.
const HANDFUL: usize = 20;

/// Chains in their starting poses, with targets.
fn problems(links: usize, start: Start, count: usize, seed: u64) -> Vec<(Chain, DVec3)> {
    let mut random = Random::new(seed);
    let length = 1.0 / links as f64;
    let mut problems = Vec::with_capacity(count);
    while problems.len() < count {
        let plane = random.direction();
        let mut points = vec![DVec3::ZERO];
        for i in 0..links {
            let angle = (i as f64 + 0.5) * length;
            let direction = DVec3::new(angle.cos(), angle.sin() * plane.x, angle.sin() * plane.y);
            points.push(points[i] + direction.normalize() * length);
        }
        let Ok(mut chain) = Chain::new(&points) else { continue };
        let mut target = random.ball();
        if start == Start::Warm {
            let settings = Settings { tolerance: 1e-6, ..Settings::default() };
            if !chain.solve(target, &settings).stop.is_reached() {
                continue;
            }
            target = (target + random.direction() * 0.01).clamp_length_max(0.9995);
        }
        problems.push((chain, target));
    }
    problems
}

struct Timing {
    settings: Settings,
    /// Least seconds for each handful.
    fastest: Vec<f64>,
    reports: Vec<Report>,
}

impl Timing {
    fn new(settings: Settings) -> Self {
        Timing { settings, fastest: Vec::new(), reports: Vec::new() }
    }

    /// Solves every problem once; the copies are made before the clock starts.
    fn round(&mut self, problems: &[(Chain, DVec3)]) {
        self.reports.clear();
        for (at, handful) in problems.chunks(HANDFUL).enumerate() {
            let mut chains = handful.to_vec();
            let start = Instant::now();
            for (chain, target) in &mut chains {
                self.reports.push(chain.solve(*target, &self.settings));
            }
            let elapsed = start.elapsed().as_secs_f64();
            std::hint::black_box(&chains);
            match self.fastest.get_mut(at) {
                Some(fastest) => *fastest = fastest.min(elapsed),
                None => self.fastest.push(elapsed),
            }
        }
    }

    fn column(&self) -> Column {
        let count = self.reports.len() as f64;
        let mut iterations: Vec<u32> = self.reports.iter().map(|report| report.iterations).collect();
        iterations.sort_unstable();
        Column {
            nanoseconds: self.fastest.iter().sum::<f64>() * 1e9 / count,
            mean_iterations: iterations.iter().map(|&number| f64::from(number)).sum::<f64>() / count,
            p99_iterations: iterations[(iterations.len() - 1) * 99 / 100],
            polish_steps: self.reports.iter().map(|report| f64::from(report.polish_steps)).sum::<f64>() / count,
            reached: self.reports.iter().filter(|report| report.stop.is_reached()).count() as f64 / count,
        }
    }
}
