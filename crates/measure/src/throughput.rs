//! Solves per second of the batch, at every level, beside textbook FABRIK as it is commonly written.

use crate::single::Start;
use crate::table::{Row, Table};
use crate::timing::{Clock, paired_by};
use crate::yardstick::textbook;
use fabrik3d_ik::Settings;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::simd::{Batch, BatchError, Lengths, Level, Outcome, Roots, Threads};
use glam::Vec3;
use std::hint::black_box;
use std::time::Duration;

/// Iterations that textbook may take.
const TEXTBOOK_CAP: u32 = 1000;
/// Step of the target between two frames of a warm start, as a fraction of the reach.
const STEP: f32 = 0.02;
/// Links that are solved in one round.
const LINKS_A_ROUND: usize = 160_000;
/// Rounds in which the contenders take turns.
const ROUNDS: usize = 9;
/// The same where several threads share the work, and how many times as much work a round is.
const SHARED_ROUNDS: usize = 3;
const SHARED_WORK: usize = 8;
/// Name of the textbook in the tables.
const TEXTBOOK: &str = "textbook, glam f32";

/// Chains of so many links: a line for textbook FABRIK and for the batch at every level that this processor has, cold,
/// warm, and cold on all threads.
///
/// # Errors
/// No links.
pub fn table(links: usize, seed: u64) -> Result<Table, BatchError> {
    let mut table = Table::new(format!("batch, {links} links"))
        .note("Tolerance 1e-4 of the reach; cold: from a gentle arc to anywhere within reach; warm: 2 % of the reach on.")
        .note("On one thread by its own clock, on several by the wall's. (x): to the textbook on one thread, at most 1000 iterations.");
    let runs = [
        (Start::Cold, Threads::One, Start::Cold.name().to_owned()),
        (Start::Warm, Threads::One, Start::Warm.name().to_owned()),
        (Start::Cold, Threads::All, format!("cold, {} threads", rayon::current_num_threads())),
    ];
    for (start, threads, quantity) in runs {
        run(&mut table, links, start, threads, &quantity, seed)?;
    }
    Ok(table)
}

fn run(
    table: &mut Table,
    links: usize,
    start: Start,
    threads: Threads,
    quantity: &str,
    seed: u64,
) -> Result<(), BatchError> {
    let (rounds, share, clock) = match threads {
        Threads::One => (ROUNDS, 1, Clock::Thread),
        // Threads that slept while the others had their turn take their time to wake: more work in fewer rounds.
        Threads::All => (SHARED_ROUNDS, SHARED_WORK, Clock::Wall),
    };
    let chains = share * (LINKS_A_ROUND / links.max(1)).max(64);
    let mut contenders = vec![(TEXTBOOK.to_owned(), Contender::Textbook)];
    for level in Level::available() {
        for (roots, suffix) in [(Roots::Exact, ""), (Roots::Estimated, ", estimated roots")] {
            if (level, roots) != (Level::Portable, Roots::Estimated) {
                let batch = Batch::new(links)?.with_level(level)?.with_roots(roots).with_threads(threads);
                contenders.push((format!("{}{suffix}", level.name()), Contender::Slices(batch)));
            }
        }
    }
    let best = Batch::new(links)?.with_threads(threads);
    contenders.push((format!("{}, kept in blocks", best.level().name()), Contender::Blocks(best)));
    let crowd = Crowd::new(links, start, chains, seed)?;
    let mut crowds = vec![crowd; contenders.len()];
    let works = contenders.iter_mut().zip(&mut crowds).map(|((name, contender), crowd)| {
        let work = move || match contender {
            Contender::Textbook => crowd.time_textbook(clock),
            Contender::Slices(batch) => crowd.time(batch, clock),
            Contender::Blocks(batch) => crowd.time_in_blocks(batch, clock),
        };
        (name.clone(), work)
    });
    let timings = paired_by(rounds, works);
    for (timing, crowd) in timings.iter().zip(&crowds) {
        let rate = Row::new(timing.name.as_str(), chains as f64 / timing.median() / 1e6, "M/s").quantity(quantity);
        table.push(rate.ratio_to(TEXTBOOK, 1.0 / timing.ratio_to(&timings[0])));
        if threads != Threads::One {
            // The answers are those of one thread.
            continue;
        }
        let reached = 100.0 * crowd.reached as f64 / chains as f64;
        table.push(Row::new(timing.name.as_str(), reached, "%").quantity(format!("reached, {quantity}")));
    }
    Ok(())
}

/// Who solves, and how it is handed its chains.
enum Contender {
    Textbook,
    Slices(Batch),
    Blocks(Batch),
}

/// Chains that are solved together, again and again from the same poses.
#[derive(Clone)]
pub(super) struct Crowd {
    links: usize,
    lengths: Vec<f32>,
    start: Vec<Vec3>,
    points: Vec<Vec3>,
    targets: Vec<Vec3>,
    outcomes: Vec<Outcome>,
    /// How many got there the last time.
    reached: usize,
}

impl Crowd {
    /// Chains of equal links in a gentle arc with targets uniform in the ball of the reach; or solved, with targets a
    /// small step on.
    pub fn new(links: usize, start: Start, chains: usize, seed: u64) -> Result<Self, BatchError> {
        let mut random = Random::new(seed);
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
        let outcomes = vec![Outcome::default(); chains];
        let lengths = vec![length; links];
        let mut crowd = Crowd { links, lengths, start: points.clone(), points, targets, outcomes, reached: 0 };
        if start == Start::Warm {
            crowd.time(&mut Batch::new(links)?, Clock::Wall);
            crowd.start.clone_from(&crowd.points);
            for target in &mut crowd.targets {
                *target = (*target + random.direction().as_vec3() * STEP).clamp_length_max(0.9995);
            }
        }
        Ok(crowd)
    }

    /// Solves all by the batch, whose links are as many.
    pub fn time(&mut self, batch: &mut Batch, clock: Clock) -> Duration {
        self.points.copy_from_slice(&self.start);
        self.outcomes.fill(Outcome::default());
        let Crowd { lengths, points, targets, outcomes, .. } = self;
        let settings = Settings::default();
        let time = clock.time(|| {
            // Refused is not reached: the table would show it.
            let _ = batch.solve(Lengths::Shared(lengths), points, targets, &settings, outcomes);
        });
        black_box(&self.points);
        self.reached = self.outcomes.iter().filter(|outcome| outcome.stop.is_reached()).count();
        time
    }

    /// The same with the chains in the lanes already: they are given their targets and solved.
    fn time_in_blocks(&mut self, batch: &mut Batch, clock: Clock) -> Duration {
        self.outcomes.fill(Outcome::default());
        let Ok(mut blocks) = batch.blocks(Lengths::Shared(&self.lengths), &self.start, &self.targets) else {
            return Duration::MAX;
        };
        let Crowd { targets, outcomes, .. } = self;
        let settings = Settings::default();
        let time = clock.time(|| {
            // Refused is not reached: the table would show it.
            let _ = blocks.set_targets(targets);
            let _ = batch.solve_blocks(&mut blocks, &settings, outcomes);
        });
        black_box(&blocks);
        self.reached = self.outcomes.iter().filter(|outcome| outcome.stop.is_reached()).count();
        time
    }

    /// Solves all by the textbook, one after the other.
    fn time_textbook(&mut self, clock: Clock) -> Duration {
        self.points.copy_from_slice(&self.start);
        let tolerance = Settings::default().tolerance as f32;
        let chains = self.points.chunks_exact_mut(self.links + 1).zip(&self.targets);
        let lengths = &self.lengths;
        let time = clock.time(|| {
            for (points, target) in chains {
                textbook(points, lengths, *target, tolerance, TEXTBOOK_CAP);
            }
        });
        let tips = self.points.chunks_exact(self.links + 1).map(|points| points[self.links]).zip(&self.targets);
        self.reached = tips.filter(|(tip, target)| tip.distance(**target) <= tolerance).count();
        time
    }
}
