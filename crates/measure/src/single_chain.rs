//! Single chains: the accelerated method and textbook FABRIK, timed in turn on the same problems.

use crate::table::{Row, Table};
use crate::timing::{Clock, Sample, paired_by};
use fabrik3d_ik::random::Random;
use fabrik3d_ik::settings::Method;
use fabrik3d_ik::{Chain, Report, Settings};
use glam::DVec3;
use std::hint::black_box;
use std::num::NonZeroU32;
use std::time::Duration;

/// The pose in which a solve of a chain starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChainStart {
    /// A gently bent chain; the target is anywhere within reach.
    Cold,
    /// A solved pose; the target moves by 1 % of the reach.
    Warm,
}

impl ChainStart {
    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            ChainStart::Cold => "cold",
            ChainStart::Warm => "warm",
        }
    }
}

/// Chains in their initial poses, each with its target.
pub type Problems = Vec<(Chain, DVec3)>;

/// Numbers of links in [`table`].
const LINKS: [usize; 7] = [2, 3, 4, 10, 30, 100, 1000];
/// Number of links in [`hard`], and distances of the targets as fractions of the reach.
const HARD_LINKS: usize = 10;
const HARD: [(f64, &str); 4] = [(0.9, "0.9"), (0.99, "0.99"), (0.999, "0.999"), (1.0 - 1e-6, "1 - 1e-6")];
const TEXTBOOK_MAX_ITERATIONS: NonZeroU32 = NonZeroU32::new(1000).unwrap();
const ROUNDS: usize = 9;
/// Problems per time measurement.
const CHUNK: usize = 100;

/// Both methods on chains of 2 to 1,000 links, cold and warm.
pub fn table(seed: u64) -> Table {
    let mut table = Table::new("one chain")
        .note(
            "Tolerance 1e-4 of the reach; cold: gently bent chain, target anywhere within reach; warm: target moves by 1 % of the reach.",
        )
        .note(COLUMNS);
    for start in [ChainStart::Cold, ChainStart::Warm] {
        for links in LINKS {
            let count = (20_000 / links).clamp(20, 2000);
            compare(&mut table, &format!("{links} links, {}", start.name()), &problems(links, start, count, seed));
        }
    }
    table
}

/// Both methods on chains of ten links with targets near full reach.
pub fn hard(seed: u64) -> Table {
    let mut table = Table::new("near full reach")
        .note("10 links, tolerance 1e-4 of the reach; gently bent chains, targets in uniform directions at the given fraction of the reach.")
        .note(COLUMNS);
    for (fraction, name) in HARD {
        compare(&mut table, name, &problems_at(HARD_LINKS, fraction, 500, seed));
    }
    table
}

const COLUMNS: &str =
    "(x): ratio to textbook FABRIK, at most 1000 iterations. closures: closed-form steps after the iterations.";

/// Times both methods on the same problems.
fn compare(table: &mut Table, subject: &str, problems: &Problems) {
    let textbook = format!("{subject}, textbook");
    let methods = [(Method::Textbook, textbook.as_str()), (Method::Accelerated, subject)];
    let settings = methods.map(|(method, name)| {
        (name, Settings { method, max_iterations: TEXTBOOK_MAX_ITERATIONS, ..Settings::default() })
    });
    let timings = paired_by(
        ROUNDS,
        settings.iter().map(|(name, settings)| ((*name).to_owned(), move || time(problems, settings))),
    );
    for ((name, settings), timing) in settings.iter().zip(&timings) {
        let solve = |(chain, target): &(Chain, DVec3)| chain.clone().solve(*target, settings);
        let reports: Vec<Report> = problems.iter().map(solve).collect();
        let count = reports.len() as f64;
        let reached = reports.iter().filter(|report| report.stop.is_reached()).count() as f64 / count;
        let iterations = Sample::new(reports.iter().map(|report| f64::from(report.iterations)));
        let closures = reports.iter().map(|report| f64::from(report.refine_steps)).sum::<f64>() / count;
        let time = Row::new(*name, timing.median() * 1e6 / count, "us").quantity("time");
        table.push(time.ratio_to(textbook.as_str(), timing.ratio_to(&timings[0])));
        let (mean, p99) = (iterations.mean(), iterations.percentile(99.0));
        let cells =
            [("iterations", mean, ""), ("p99", p99, ""), ("closures", closures, ""), ("reached", 100.0 * reached, "%")];
        table.push_line(name, &cells);
    }
}

/// The time to solve every problem once, without the time to copy the chains.
fn time(problems: &Problems, settings: &Settings) -> Duration {
    let time_chunk = |chunk: &[(Chain, DVec3)]| {
        let mut chains = chunk.to_vec();
        let time = Clock::Thread.time(|| {
            for (chain, target) in &mut chains {
                let _ = black_box(chain.solve(*target, settings));
            }
        });
        black_box(&chains);
        time
    };
    problems.chunks(CHUNK).map(time_chunk).sum()
}

/// Chains of equal links with targets, gently bent or in a solved pose.
pub fn problems(links: usize, start: ChainStart, count: usize, seed: u64) -> Problems {
    drawn(links, count, seed, |chain, random| {
        let target = random.ball();
        if start == ChainStart::Cold {
            return Some(target);
        }
        let settings = Settings { tolerance: 1e-6, ..Settings::default() };
        let is_solved = chain.solve(target, &settings).stop.is_reached();
        is_solved.then(|| (target + random.direction() * 0.01).clamp_length_max(0.9995))
    })
}

/// Gently bent chains of equal links with targets in uniform directions at a distance of `fraction` of the reach.
pub fn problems_at(links: usize, fraction: f64, count: usize, seed: u64) -> Problems {
    drawn(links, count, seed, |chain, random| Some(random.direction() * (fraction * chain.reach())))
}

/// Gently bent chains of equal links with the targets that `target` draws.
fn drawn(links: usize, count: usize, seed: u64, target: impl Fn(&mut Chain, &mut Random) -> Option<DVec3>) -> Problems {
    let mut random = Random::new(seed);
    let problem = || {
        let mut chain = arc(links, &mut random)?;
        let target = target(&mut chain, &mut random)?;
        Some((chain, target))
    };
    std::iter::repeat_with(problem).flatten().take(count).collect()
}

/// A chain of equal links with reach 1 along an arc of 1 rad, which starts along +x and bends in a random direction.
pub(crate) fn arc(links: usize, random: &mut Random) -> Option<Chain> {
    let length = 1.0 / links as f64;
    let plane = random.direction();
    let mut points = vec![DVec3::ZERO];
    for i in 0..links {
        let angle = (i as f64 + 0.5) * length;
        let direction = DVec3::new(angle.cos(), angle.sin() * plane.x, angle.sin() * plane.y);
        points.push(points[i] + direction.normalize() * length);
    }
    Chain::new(&points).ok()
}
