//! `fabrik3d bench`: the measurements, as tables.

use super::{Context, Ending, Failure};
use crate::Method;
use crate::measure::single::{self, Column, Start};
use crate::measure::{Machine, Measurements, Row, Table, adversarial, paper};
use clap::{Args, ValueEnum};
use std::io::{self, IsTerminal, Write};
use std::num::NonZeroU32;

/// Arguments of `bench`.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct BenchArguments {
    /// What to measure: paper, single, batch, adversarial, skeletons or all
    #[arg(default_value = "all", value_name = "WHAT", hide_possible_values = true)]
    what: What,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Cases of each kind; more take longer and say more
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
    /// One chain, against the textbook
    Single,
    /// Many chains at once
    Batch,
    /// Hard cases of unlimited chains
    Adversarial,
    /// Skeletons with limits, loops and obstacles
    Skeletons,
    /// Everything
    All,
}

impl What {
    /// What is measured; the rest is not part of this build.
    const BUILT: [What; 3] = [What::Paper, What::Single, What::Adversarial];

    fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

/// Links of the chains that are timed one by one.
const LINKS: [usize; 7] = [2, 3, 4, 10, 30, 100, 1000];
/// Most iterations that the textbook may take there.
const TEXTBOOK_CAP: NonZeroU32 = NonZeroU32::new(1000).unwrap();

/// Measures and prints.
pub(super) fn run(arguments: &BenchArguments, _context: &Context) -> Result<Ending, Failure> {
    let wanted = match arguments.what {
        What::All => What::BUILT.to_vec(),
        one if What::BUILT.contains(&one) => vec![one],
        other => return Err(Failure::Message(format!("the measurement `{}` is not built yet", other.name()))),
    };
    let mut tables = Vec::new();
    for what in wanted {
        if io::stderr().is_terminal() {
            eprintln!("measuring: {}", what.name());
        }
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

fn measure(what: What, arguments: &BenchArguments) -> Result<Vec<Table>, Failure> {
    let count = |default: u32| arguments.count.map_or(default, NonZeroU32::get);
    let seed = arguments.seed;
    Ok(match what {
        What::Paper => paper::tables(count(200) as usize, seed).map_err(|error| Failure::Message(error.to_string()))?,
        What::Single => vec![single_chain(seed)],
        What::Adversarial => vec![adversarial_cases(count(100_000), seed)],
        What::Batch | What::Skeletons | What::All => Vec::new(),
    })
}

fn single_chain(seed: u64) -> Table {
    let mut table = Table::new("one chain")
        .note("Tolerance 1e-4 of the reach; cold: from one bent pose to anywhere within reach; warm: 1 % of the reach on.")
        .note("(x): how the accelerated solve's time compares with that of textbook FABRIK, at most 1000 iterations.");
    for start in [Start::Cold, Start::Warm] {
        let word = if start == Start::Cold { "cold" } else { "warm" };
        for links in LINKS {
            let row = single::compare(links, start, TEXTBOOK_CAP, seed);
            let textbook = format!("{links} links, {word}, textbook");
            push_column(&mut table, &textbook, &row.textbook, None);
            let ratio = (textbook, 1.0 / row.ratio());
            push_column(&mut table, &format!("{links} links, {word}"), &row.accelerated, Some(ratio));
        }
    }
    table
}

fn push_column(table: &mut Table, subject: &str, column: &Column, ratio: Option<(String, f64)>) {
    let time = Row::new(subject, column.nanoseconds / 1e3, "us").quantity("time");
    table.push(match ratio {
        Some((name, value)) => time.ratio_to(name, value),
        None => time,
    });
    table.push(Row::new(subject, column.mean_iterations, "").quantity("iterations"));
    table.push(Row::new(subject, f64::from(column.p99_iterations), "").quantity("p99"));
    table.push(Row::new(subject, 100.0 * column.reached, "%").quantity("reached"));
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
    }
    table
}
