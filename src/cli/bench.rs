//! `fabrik3d bench`: the measurements, as tables.

use super::{Context, Ending, Failure};
use crate::measure::families::FAMILIES;
use crate::measure::{Machine, Measurements, Row, Table};
use crate::measure::{adversarial, convergence, growth, paper, single, skeletons, throughput};
use crate::{Method, Settings};
use clap::{Args, ValueEnum};
use std::io::{self, IsTerminal, Write};
use std::num::NonZeroU32;

/// Arguments of `bench`.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct BenchArguments {
    /// What to measure
    #[arg(default_value = "all", value_name = "WHAT")]
    what: What,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Cases of each kind, where they can be chosen; more take longer and say more
    #[arg(long, value_name = "N")]
    count: Option<NonZeroU32>,
    /// Seed of the cases
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// The measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum What {
    /// The paper's table: ten joints, all methods
    Paper,
    /// One chain of 2 to 1,000 links, against the textbook
    Single,
    /// Targets near full reach
    Hard,
    /// How the time grows with the links
    Growth,
    /// Many chains at once: SIMD lanes and threads
    Batch,
    /// Error after each iteration
    Convergence,
    /// Chains built to be hard
    Adversarial,
    /// Skeletons with limits, loops and obstacles
    Skeletons,
    /// Everything
    All,
}

impl What {
    fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

/// Links of the chains of the batches.
const BATCH_LINKS: [usize; 3] = [4, 10, 100];

/// Measures and prints.
pub(super) fn run(arguments: &BenchArguments, _context: &Context) -> Result<Ending, Failure> {
    let wanted: Vec<What> = match arguments.what {
        What::All => What::value_variants().iter().copied().filter(|what| *what != What::All).collect(),
        one => vec![one],
    };
    let mut tables = Vec::new();
    for what in wanted {
        progress(format_args!("measuring: {}", what.name()));
        tables.extend(measure(what, arguments)?);
    }
    let measurements = Measurements { machine: Machine::here(), tables };
    let mut out = io::stdout().lock();
    if arguments.json {
        serde_json::to_writer_pretty(&mut out, &measurements).map_err(io::Error::from)?;
        writeln!(out)?;
    } else {
        write!(out, "{}", measurements.text())?;
    }
    out.flush()?;
    Ok(Ending::Done)
}

/// A line on standard error, where somebody sees it.
fn progress(line: std::fmt::Arguments<'_>) {
    if io::stderr().is_terminal() {
        eprintln!("{line}");
    }
}

fn measure(what: What, arguments: &BenchArguments) -> Result<Vec<Table>, Failure> {
    let count = |default: u32| arguments.count.map_or(default, NonZeroU32::get);
    let seed = arguments.seed;
    let tables = match what {
        What::Paper => paper::tables(count(300) as usize, seed).map_err(|error| error.to_string()),
        What::Single => Ok(vec![single::table(seed)]),
        What::Hard => Ok(vec![single::hard(seed)]),
        What::Growth => growth::table(seed).map(|table| vec![table]).map_err(|error| error.to_string()),
        What::Batch => {
            let tables = BATCH_LINKS.into_iter().map(|links| throughput::table(links, seed));
            tables.collect::<Result<_, _>>().map_err(|error| error.to_string())
        }
        What::Convergence => Ok(vec![convergence::table(count(300) as usize, seed)]),
        What::Adversarial => Ok(vec![adversarial_cases(count(300_000), seed)]),
        What::Skeletons => Ok(vec![families(count(200) as usize, seed)]),
        What::All => Ok(Vec::new()),
    };
    tables.map_err(Failure::Message)
}

fn adversarial_cases(count: u32, seed: u64) -> Table {
    let tally = adversarial::run(count.into(), seed, Method::Accelerated);
    let mut table = Table::new("adversarial chains")
        .note(format!("{count} cases, tolerance 1e-4 of the reach; errors of links and tips are the largest of all."))
        .note(format!("99 of 100 cases take at most {} iterations.", tally.p99_iterations));
    let total = ("all", tally.total());
    for (name, count) in tally.regimes.iter().map(|(regime, count)| (regime.name(), *count)).chain([total]) {
        let mut push = |quantity: &str, value: f64| table.push(Row::new(name, value, "").quantity(quantity));
        push("cases", f64::from(count.cases));
        push("unresolved", f64::from(count.unresolved));
        push("link error", count.link_error);
        push("tip error", count.tip_error);
        push("iterations", count.mean_iterations());
        push("most", f64::from(count.most_iterations));
        push("closures", count.polish_steps as f64 / f64::from(count.cases.max(1)));
    }
    table
}

fn families(count: usize, seed: u64) -> Table {
    let settings = Settings::default();
    let mut table = Table::new("skeletons")
        .note(format!(
            "{count} problems of each family, all with a solution; from rest; tolerance {:.0e} of the reach and 0.1 degrees.",
            settings.tolerance
        ))
        .note("Solved by 100 reaching passes alone, by one attempt, and with restarts; times with restarts, each the best of 3.")
        .note("violation: the worst of any limit in any pose returned, radians or length.");
    for (at, family) in FAMILIES.iter().enumerate() {
        progress(format_args!("  {} of {}: {}", at + 1, FAMILIES.len(), family.name));
        let row = skeletons::run(family, count, seed, skeletons::From::Rest, &settings);
        let mut push = |quantity: &str, value: f64, unit: &str| {
            table.push(Row::new(row.family, value, unit).quantity(quantity));
        };
        push("passes", row.passes_only, "%");
        push("one attempt", row.one_attempt, "%");
        push("solved", row.solved, "%");
        push("attempts", row.attempts, "");
        push("mean", row.mean_micros, "us");
        push("p99", row.p99_micros, "us");
        push("violation", row.violation, "");
    }
    table
}
