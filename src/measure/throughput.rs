//! Solves per second of the batch, at every level, beside textbook FABRIK as it is commonly written.

use super::single::Start;
use crate::Settings;
use crate::ik::batch::{Batch, BatchError, Lengths, Level, Outcome, Roots, Threads};
use crate::ik::random::Random;
use glam::Vec3;
use std::hint::black_box;
use std::time::Duration;

/// Iterations that textbook may take.
const TEXTBOOK_CAP: u32 = 1000;

/// Step of the target between two frames of a warm start, as a fraction of the reach.
const STEP: f32 = 0.02;

/// Who solves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contender {
    /// The two passes in a loop on `glam::Vec3`, at most 1,000 iterations, one chain after the other on one thread.
    Textbook,
    /// The batch.
    Batch(Level, Roots),
}

impl Contender {
    /// Its name in tables.
    pub fn name(self) -> String {
        match self {
            Contender::Textbook => "textbook, glam f32".to_owned(),
            Contender::Batch(level, Roots::Exact) => level.name().to_owned(),
            Contender::Batch(level, Roots::Estimated) => format!("{}, estimated roots", level.name()),
        }
    }
}

/// One line of the table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// Who solved.
    pub contender: Contender,
    /// Links of each chain.
    pub links: usize,
    /// From where the solves started.
    pub start: Start,
    /// Threads that the batch ran on.
    pub threads: usize,
    /// Median over the rounds.
    pub solves_per_second: f64,
    /// Times as fast as textbook in the same rounds.
    pub times_textbook: f64,
    /// Part of the chains that got to their targets.
    pub reached: f64,
}

/// Times all contenders in turns on the same problems: chains of equal links in a gentle arc, a tolerance of 1e-4 of the
/// reach, targets uniform in the reachable ball (cold) or one small step away (warm).
///
/// `clock` tells the time: CPU time of the thread on a machine shared with others, wall time for [`Threads::All`].
///
/// # Errors
/// No links.
pub fn throughput(
    links: usize,
    start: Start,
    chains: usize,
    rounds: usize,
    threads: Threads,
    clock: impl Fn() -> Duration,
) -> Result<Vec<Row>, BatchError> {
    let problems = Problems::new(links, start, chains)?;
    let mut contenders = vec![(Contender::Textbook, None)];
    for level in Level::available() {
        for roots in [Roots::Exact, Roots::Estimated] {
            if (level, roots) != (Level::Portable, Roots::Estimated) {
                let batch = Batch::new(links)?.with_level(level)?.with_roots(roots).with_threads(threads);
                contenders.push((Contender::Batch(level, roots), Some(batch)));
            }
        }
    }
    let mut seconds = vec![Vec::with_capacity(rounds); contenders.len()];
    let mut reached = vec![0; contenders.len()];
    for _ in 0..rounds {
        for (i, (_, batch)) in contenders.iter_mut().enumerate() {
            let mut points = problems.points.clone();
            let before = clock();
            reached[i] = match batch {
                Some(batch) => problems.solve(batch, &mut points)?,
                None => problems.solve_by_textbook(&mut points),
            };
            seconds[i].push((clock() - before).as_secs_f64());
            black_box(&points);
        }
    }
    let medians: Vec<f64> = seconds.into_iter().map(median).collect();
    let row = |(i, (contender, _)): (usize, &(Contender, Option<Batch>))| Row {
        contender: *contender,
        links,
        start,
        threads: if *contender == Contender::Textbook { 1 } else { count(threads) },
        solves_per_second: chains as f64 / medians[i],
        times_textbook: medians[0] / medians[i],
        reached: reached[i] as f64 / chains as f64,
    };
    Ok(contenders.iter().enumerate().map(row).collect())
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(f64::NAN)
}

fn count(threads: Threads) -> usize {
    match threads {
        Threads::One => 1,
        #[cfg(feature = "parallel")]
        Threads::All => rayon::current_num_threads(),
    }
}

/// What all contenders solve.
struct Problems {
    links: usize,
    lengths: Vec<f32>,
    points: Vec<Vec3>,
    targets: Vec<Vec3>,
}

impl Problems {
    fn new(links: usize, start: Start, chains: usize) -> Result<Self, BatchError> {
        let mut random = Random::new(3);
        let length = 1.0 / links as f32;
        let mut points = Vec::with_capacity(chains * (links + 1));
        let mut targets = Vec::with_capacity(chains);
        for _ in 0..chains {
            let plane = random.direction().as_vec3();
            let mut point = Vec3::ZERO;
            points.push(point);
            for i in 0..links {
                let (sin, cos) = ((i as f32 + 0.5) * length).sin_cos();
                point += Vec3::new(cos, sin * plane.x, sin * plane.y).normalize() * length;
                points.push(point);
            }
            targets.push(random.ball().as_vec3());
        }
        let mut problems = Problems { links, lengths: vec![length; links], points, targets };
        if start == Start::Warm {
            let mut points = std::mem::take(&mut problems.points);
            problems.solve(&mut Batch::new(links)?, &mut points)?;
            problems.points = points;
            for target in &mut problems.targets {
                *target = (*target + random.direction().as_vec3() * STEP).clamp_length_max(0.9995);
            }
        }
        Ok(problems)
    }

    /// How many get there.
    fn solve(&self, batch: &mut Batch, points: &mut [Vec3]) -> Result<usize, BatchError> {
        let mut outcomes = vec![Outcome::default(); self.targets.len()];
        let lengths = Lengths::Shared(&self.lengths);
        batch.solve(lengths, points, &self.targets, &Settings::default(), &mut outcomes)?;
        Ok(outcomes.iter().filter(|outcome| outcome.stop.is_reached()).count())
    }

    fn solve_by_textbook(&self, points: &mut [Vec3]) -> usize {
        let tolerance = Settings::default().tolerance as f32;
        let chains = points.chunks_exact_mut(self.links + 1).zip(&self.targets);
        chains.filter_map(|(points, &target)| textbook(points, &self.lengths, target, tolerance).then_some(())).count()
    }
}

/// FABRIK as it is commonly written.
fn textbook(points: &mut [Vec3], lengths: &[f32], target: Vec3, tolerance: f32) -> bool {
    let tip = lengths.len();
    let base = points[0];
    for _ in 0..TEXTBOOK_CAP {
        if points[tip].distance_squared(target) <= tolerance * tolerance {
            return true;
        }
        points[tip] = target;
        for i in (0..tip).rev() {
            points[i] = points[i + 1] + (points[i] - points[i + 1]).normalize() * lengths[i];
        }
        points[0] = base;
        for i in 0..tip {
            points[i + 1] = points[i] + (points[i + 1] - points[i]).normalize() * lengths[i];
        }
    }
    points[tip].distance_squared(target) <= tolerance * tolerance
}
