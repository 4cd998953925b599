//! Solves per second of the batch at every SIMD level, and of textbook FABRIK.

use crate::single_chain::{ChainStart, arc};
use crate::table::{Row, Table};
use crate::timing::{Clock, paired_by};
use fabrik3d_ik::Settings;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::simd::{Batch, Lengths, Level, Outcome, Threads};
use glam::Vec3;
use std::hint::black_box;
use std::time::Duration;

/// Numbers of links, one table for each.
const LINKS: [usize; 3] = [4, 10, 100];
const TEXTBOOK_MAX_ITERATIONS: u32 = 1000;
/// Distance that the target moves before a warm solve, as a fraction of the reach.
const WARM_STEP: f32 = 0.02;
const LINKS_PER_ROUND: usize = 160_000;
const ROUNDS: usize = 9;
/// Timed rounds with several threads, and the factor by which each round has more work.
const PARALLEL_ROUNDS: usize = 3;
const PARALLEL_WORK: usize = 8;
/// Name of textbook FABRIK in the tables.
const TEXTBOOK: &str = "textbook, glam f32";

/// Chains of 4 to 100 links: a line for textbook FABRIK and for the batch at every level that the processor supports.
/// Cold, warm, and cold on all threads.
pub fn tables(seed: u64) -> Vec<Table> {
    LINKS.into_iter().map(|links| table(links, seed)).collect()
}

fn table(links: usize, seed: u64) -> Table {
    let mut table = Table::new(format!("batch, {links} links"))
        .note("Tolerance 1e-4 of the reach; cold: gently bent chain, target anywhere within reach; warm: target moves by 2 % of the reach.")
        .note("One thread: thread time; several threads: wall time. (x): ratio to textbook on one thread, at most 1000 iterations.");
    let runs = [
        (ChainStart::Cold, Threads::One, ChainStart::Cold.name().to_owned()),
        (ChainStart::Warm, Threads::One, ChainStart::Warm.name().to_owned()),
        (ChainStart::Cold, Threads::All, format!("cold, {} threads", rayon::current_num_threads())),
    ];
    for (start, threads, quantity) in runs {
        run(&mut table, links, start, threads, &quantity, seed);
    }
    table
}

fn run(table: &mut Table, links: usize, start: ChainStart, threads: Threads, quantity: &str, seed: u64) {
    let (rounds, share, clock) = match threads {
        Threads::One => (ROUNDS, 1, Clock::Thread),
        // Waking idle threads takes time: more work in fewer rounds.
        Threads::All => (PARALLEL_ROUNDS, PARALLEL_WORK, Clock::Wall),
    };
    let chains = share * (LINKS_PER_ROUND / links).max(64);
    // Textbook FABRIK has no batch.
    let mut contenders = vec![(TEXTBOOK.to_owned(), None)];
    for level in Level::available() {
        let batch = batch(links).with_level(level).expect("the level is available");
        contenders.push((level.name().to_owned(), Some(batch.with_threads(threads))));
    }
    let mut sets = vec![ChainSet::new(links, start, chains, seed); contenders.len()];
    let works = contenders.iter_mut().zip(&mut sets).map(|((name, batch), set)| {
        let work = move || match batch {
            None => set.time_textbook(clock),
            Some(batch) => set.time(batch, clock),
        };
        (name.clone(), work)
    });
    let timings = paired_by(rounds, works);
    for (timing, set) in timings.iter().zip(&sets) {
        let rate = Row::new(timing.name.as_str(), chains as f64 / timing.median() / 1e6, "M/s").quantity(quantity);
        table.push(rate.ratio_to(TEXTBOOK, 1.0 / timing.ratio_to(&timings[0])));
        if threads != Threads::One {
            // The answers are the same as on one thread.
            continue;
        }
        let reached = 100.0 * set.reached as f64 / chains as f64;
        table.push(Row::new(timing.name.as_str(), reached, "%").quantity(format!("reached, {quantity}")));
    }
}

fn batch(links: usize) -> Batch {
    Batch::new(links).expect("every chain has links")
}

/// Chains that are solved repeatedly from the same poses.
#[derive(Clone)]
struct ChainSet {
    lengths: Vec<f32>,
    start: Vec<Vec3>,
    points: Vec<Vec3>,
    targets: Vec<Vec3>,
    outcomes: Vec<Outcome>,
    /// Number of chains that reached their targets in the last solve.
    reached: usize,
}

impl ChainSet {
    /// Cold: gently bent chains of equal links with targets uniform in the reachable ball. Warm: the solved chains,
    /// with targets moved by a small step.
    fn new(links: usize, start: ChainStart, chains: usize, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut points = Vec::with_capacity(chains * (links + 1));
        let mut targets = Vec::with_capacity(chains);
        while targets.len() < chains {
            let Some(chain) = arc(links, &mut random) else { continue };
            points.extend(chain.points().iter().map(|point| point.as_vec3()));
            targets.push(random.ball().as_vec3());
        }
        let outcomes = vec![Outcome::default(); chains];
        let lengths = vec![1.0 / links as f32; links];
        let mut set = ChainSet { lengths, start: points.clone(), points, targets, outcomes, reached: 0 };
        if start == ChainStart::Warm {
            set.time(&mut batch(links), Clock::Wall);
            set.start.clone_from(&set.points);
            for target in &mut set.targets {
                *target = (*target + random.direction().as_vec3() * WARM_STEP).clamp_length_max(0.9995);
            }
        }
        set
    }

    /// Time to solve all chains with the batch, which must have the same number of links.
    fn time(&mut self, batch: &mut Batch, clock: Clock) -> Duration {
        self.points.copy_from_slice(&self.start);
        self.outcomes.fill(Outcome::default());
        let ChainSet { lengths, points, targets, outcomes, .. } = self;
        let settings = Settings::default();
        let time = clock.time(|| {
            // A refused chain does not count as reached, so the table shows it.
            let _ = batch.solve(Lengths::Shared(lengths), points, targets, &settings, outcomes);
        });
        black_box(&self.points);
        self.reached = self.outcomes.iter().filter(|outcome| outcome.stop.is_reached()).count();
        time
    }

    /// Time to solve all chains with textbook FABRIK, one after another.
    fn time_textbook(&mut self, clock: Clock) -> Duration {
        self.points.copy_from_slice(&self.start);
        let tolerance = Settings::default().tolerance as f32;
        let (lengths, links) = (&self.lengths, self.lengths.len());
        let chains = self.points.chunks_exact_mut(links + 1).zip(&self.targets);
        let time = clock.time(|| {
            for (points, target) in chains {
                textbook(points, lengths, *target, tolerance, TEXTBOOK_MAX_ITERATIONS);
            }
        });
        let tips = self.points.chunks_exact(links + 1).map(|points| points[links]).zip(&self.targets);
        self.reached = tips.filter(|(tip, target)| tip.distance(**target) <= tolerance).count();
        time
    }
}

/// FABRIK as published, in single precision, with the two passes only: no special case for unreachable targets,
/// coincident points or straight chains. Returns the number of iterations.
///
/// `points` starts with the base and has one element more than `lengths`; `tolerance` is a distance.
pub fn textbook(points: &mut [Vec3], lengths: &[f32], target: Vec3, tolerance: f32, max_iterations: u32) -> u32 {
    let last = lengths.len();
    let base = points[0];
    for iteration in 0..max_iterations {
        if points[last].distance(target) <= tolerance {
            return iteration;
        }
        points[last] = target;
        for i in (0..last).rev() {
            points[i] = points[i + 1] + (points[i] - points[i + 1]).normalize() * lengths[i];
        }
        points[0] = base;
        for i in 0..last {
            points[i + 1] = points[i] + (points[i + 1] - points[i]).normalize() * lengths[i];
        }
    }
    max_iterations
}

#[cfg(test)]
mod tests {
    use super::*;
    use fabrik3d_ik::methods;
    use fabrik3d_ik::random::Random;
    use fabrik3d_ik::settings::Method;

    /// The poses equal those of the two passes in double precision.
    #[test]
    fn agrees_with_the_passes_in_double_precision() {
        for seed in 0..100 {
            let mut random = Random::new(seed);
            let mut points = vec![glam::DVec3::ZERO];
            for i in 0..10 {
                points.push(points[i] + (random.direction() + glam::DVec3::Y).normalize());
            }
            let target = random.ball() * 7.0;
            let mut single: Vec<Vec3> = points.iter().map(|point| point.as_vec3()).collect();
            let iterations = textbook(&mut single, &[1.0; 10], target.as_vec3(), 1e-3, 50);
            for _ in 0..iterations {
                methods::iterate(Method::Textbook, &mut points, &[1.0; 10], target);
            }
            let apart = single.iter().zip(&points).map(|(one, two)| one.as_dvec3().distance(*two)).fold(0.0, f64::max);
            assert!(apart < 1e-4, "seed {seed}: {apart} apart after {iterations} iterations");
        }
    }
}
