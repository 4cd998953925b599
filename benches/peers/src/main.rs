//! Compares fabrik3d with other inverse kinematics crates: the same targets, timed in turn.
//!
//! `cargo run --release --manifest-path benches/peers/Cargo.toml [-- --json]`

mod arms;
mod rivals;
mod two_bones;
mod work;

use fabrik3d_measure::{Clock, Machine, Measurements, Row, Sample, Table, paired};
use rivals::{NAMES, Rival, YARDSTICK};
use work::{Start, Work};

/// Iteration limit of every solve.
const MAX_ITERATIONS: u32 = 100;

/// Distance to the target that counts as reached; the links have length 1.
const TOLERANCE: f64 = 1e-3;

/// Timed rounds.
const ROUNDS: usize = 7;

fn main() {
    let json = match std::env::args().nth(1).as_deref() {
        None => false,
        Some("--json") => true,
        Some(other) => {
            eprintln!("peers: unknown argument {other:?}; the only one is --json");
            std::process::exit(2);
        }
    };
    let works = [(10, 1000), (100, 200)]
        .into_iter()
        .flat_map(|(links, count)| [Start::Cold, Start::Warm].map(|start| Work::new(links, start, count)));
    let measurements = Measurements {
        machine: Machine::here(),
        tables: works.map(|work| table(&work)).chain([two_bones::table()]).chain(arms::tables()).collect(),
    };
    if json {
        match serde_json::to_string_pretty(&measurements) {
            Ok(text) => println!("{text}"),
            Err(error) => eprintln!("peers: {error}"),
        }
    } else {
        print!("{}", measurements.text());
    }
}

fn table(work: &Work) -> Table {
    let mut table = Table::new(work.title())
        .note(format!(
            "{} targets, {}; tolerance 1e-3 of a link, at most {MAX_ITERATIONS} iterations; start: {}.",
            work.targets.len(),
            work.placed(),
            work.posed()
        ))
        .note("(x): to the textbook in glam, f32, median over rounds timed in turn. stretched: worst link, relative.");
    let mut rivals: Vec<Box<dyn Rival>> = NAMES.iter().map(|name| rivals::new(name, work.links)).collect();
    let judged: Vec<Judgement> = rivals.iter_mut().map(|rival| judge(rival.as_mut(), work)).collect();
    let mut runs: Vec<_> = rivals
        .iter_mut()
        .map(|rival| {
            move || {
                work.run(rival.as_mut(), |_, _, iterations| {
                    std::hint::black_box(iterations);
                });
            }
        })
        .collect();
    let mut turns: Vec<(&str, &mut dyn FnMut())> = Vec::new();
    for (name, run) in NAMES.iter().zip(&mut runs) {
        turns.push((name, run));
    }
    let timings = paired(Clock::Thread, ROUNDS, &mut turns);
    let yardstick = timings.iter().find(|timing| timing.name == YARDSTICK);
    for (timing, judgement) in timings.iter().zip(judged) {
        let name = &timing.name;
        let time = Row::new(name, timing.median() * 1e6 / work.targets.len() as f64, "us").quantity("time");
        table.push(match yardstick {
            Some(yardstick) => time.ratio_to(YARDSTICK, timing.ratio_to(yardstick)),
            None => time,
        });
        table.push(Row::new(name, judgement.reached, "%").quantity("reached"));
        table.push(Row::new(name, judgement.iterations.mean(), "").quantity("iterations"));
        table.push(Row::new(name, judgement.iterations.percentile(99.0), "").quantity("p99"));
        table.push(Row::new(name, judgement.stretched, "").quantity("stretched"));
    }
    table
}

/// The quality of a solver's answers, measured from its joint positions alone.
struct Judgement {
    /// Percent of the targets reached within the tolerance.
    reached: f64,
    /// Iterations that it reports; NaN if it reports none.
    iterations: Sample,
    /// Largest relative error of a link's length.
    stretched: f64,
}

fn judge(rival: &mut dyn Rival, work: &Work) -> Judgement {
    let mut reached = 0;
    let mut iterations = Vec::new();
    let mut stretched: f64 = 0.0;
    work.run(rival, |rival, target, count| {
        let points = rival.points();
        let error = points.last().map_or(f64::INFINITY, |tip| tip.distance(target));
        // Single precision rounds its own error differently: allow 1 %.
        reached += usize::from(error <= TOLERANCE * 1.01);
        iterations.push(count.map_or(f64::NAN, f64::from));
        stretched = points.windows(2).map(|pair| (pair[0].distance(pair[1]) - 1.0).abs()).fold(stretched, f64::max);
    });
    Judgement {
        reached: 100.0 * reached as f64 / work.targets.len() as f64,
        iterations: Sample::new(iterations),
        stretched,
    }
}
