//! One chain at a time: the accelerated solve against textbook FABRIK, timed in turns on the same problems.

use crate::sample::Sample;
use crate::table::{Row, Table};
use crate::timing::{Clock, paired_by};
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Chain, Method, Report, Settings};
use glam::DVec3;
use std::hint::black_box;
use std::num::NonZeroU32;
use std::time::Duration;

/// From where a solve starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// The same gently bent chain each time, the target anywhere within reach.
    Cold,
    /// A solved pose, the target 1 % of the reach away from the last one.
    Warm,
}

impl Start {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Start::Cold => "cold",
            Start::Warm => "warm",
        }
    }
}

/// Chains in their starting poses, each with its target.
pub type Problems = Vec<(Chain, DVec3)>;

/// Links of the chains in [`table`].
const LINKS: [usize; 7] = [2, 3, 4, 10, 30, 100, 1000];
/// Links of the chains in [`hard`], and how far out their targets are, of the reach.
const HARD_LINKS: usize = 10;
const HARD: [(f64, &str); 4] = [(0.9, "0.9"), (0.99, "0.99"), (0.999, "0.999"), (1.0 - 1e-6, "1 - 1e-6")];
/// Most iterations that the textbook may take.
const TEXTBOOK_CAP: NonZeroU32 = NonZeroU32::new(1000).unwrap();
/// Rounds in which the methods take turns.
const ROUNDS: usize = 9;
/// Problems that are timed together.
const HANDFUL: usize = 100;

/// Chains of 2 to 1,000 links, cold and warm: both methods.
pub fn table(seed: u64) -> Table {
    let mut table = Table::new("one chain")
        .note(
            "Tolerance 1e-4 of the reach; cold: from a gentle arc to anywhere within reach; warm: 1 % of the reach on.",
        )
        .note(RACE);
    for start in [Start::Cold, Start::Warm] {
        for links in LINKS {
            let count = (20_000 / links).clamp(20, 2000);
            race(&mut table, &format!("{links} links, {}", start.name()), &problems(links, start, count, seed));
        }
    }
    table
}

/// Chains of ten links whose targets are near the edge of what they reach.
pub fn hard(seed: u64) -> Table {
    let mut table = Table::new("near full reach")
        .note("10 links, tolerance 1e-4 of the reach; from a gentle arc to targets in uniform directions, at so much of the reach.")
        .note(RACE);
    for (fraction, name) in HARD {
        race(&mut table, name, &problems_at(HARD_LINKS, fraction, 500, seed));
    }
    table
}

const RACE: &str = "(x): to textbook FABRIK, at most 1000 iterations. closures: exact moves after the iterations.";

/// Times both methods on the same problems.
fn race(table: &mut Table, subject: &str, problems: &Problems) {
    let textbook = format!("{subject}, textbook");
    let methods = [(Method::Textbook, textbook.as_str()), (Method::Accelerated, subject)];
    let settings =
        methods.map(|(method, name)| (name, Settings { method, max_iterations: TEXTBOOK_CAP, ..Settings::default() }));
    let timings = paired_by(
        ROUNDS,
        settings.iter().map(|(name, settings)| ((*name).to_owned(), move || time(problems, settings))),
    );
    for ((name, settings), timing) in settings.iter().zip(&timings) {
        let solve = |(chain, target): &(Chain, DVec3)| chain.clone().solve(*target, settings);
        let reports: Vec<Report> = problems.iter().map(solve).collect();
        let count = reports.len() as f64;
        let part = |number: usize| 100.0 * number as f64 / count;
        let iterations = Sample::new(reports.iter().map(|report| f64::from(report.iterations)));
        let closures = reports.iter().map(|report| f64::from(report.refine_steps)).sum::<f64>() / count;
        let mut push = |row: Row, quantity: &str| table.push(row.quantity(quantity));
        let time = Row::new(*name, timing.median() * 1e6 / count, "us");
        push(time.ratio_to(textbook.as_str(), timing.ratio_to(&timings[0])), "time");
        push(Row::new(*name, iterations.mean(), ""), "iterations");
        push(Row::new(*name, iterations.percentile(99.0), ""), "p99");
        push(Row::new(*name, closures, ""), "closures");
        push(Row::new(*name, part(reports.iter().filter(|report| report.stop.is_reached()).count()), "%"), "reached");
    }
}

/// Solves every problem once; the copies are made while the clock rests.
pub(super) fn time(problems: &Problems, settings: &Settings) -> Duration {
    let handful = |handful: &[(Chain, DVec3)]| {
        let mut chains = handful.to_vec();
        let time = Clock::Thread.time(|| {
            for (chain, target) in &mut chains {
                let _ = black_box(chain.solve(*target, settings));
            }
        });
        black_box(&chains);
        time
    };
    problems.chunks(HANDFUL).map(handful).sum()
}

/// Chains of equal links in a gentle arc, or solved, with targets.
pub fn problems(links: usize, start: Start, count: usize, seed: u64) -> Problems {
    let mut random = Random::new(seed);
    let mut problems = Vec::with_capacity(count);
    while problems.len() < count {
        let Some(mut chain) = arc(links, &mut random) else { continue };
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

/// Chains of equal links in a gentle arc, with targets in uniform directions at a distance of `fraction` of the reach.
pub fn problems_at(links: usize, fraction: f64, count: usize, seed: u64) -> Problems {
    let mut random = Random::new(seed);
    let mut problems = Vec::with_capacity(count);
    while problems.len() < count {
        let Some(chain) = arc(links, &mut random) else { continue };
        let target = random.direction() * (fraction * chain.reach());
        problems.push((chain, target));
    }
    problems
}

/// A chain of equal links, its reach 1, along an arc of 1 rad that starts along +x and bends to a random side.
fn arc(links: usize, random: &mut Random) -> Option<Chain> {
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
