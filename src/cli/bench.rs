//! `fabrik3d bench`: the measurements, as tables.

use super::{Context, Ending, Failure};
use clap::{Args, ValueEnum};

/// Arguments of `bench`.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct BenchArguments {
    /// What to measure
    #[arg(default_value = "all")]
    what: What,
    /// Print JSON
    #[arg(long)]
    json: bool,
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

/// Measures and prints.
pub(super) fn run(arguments: &BenchArguments, _context: &Context) -> Result<Ending, Failure> {
    let _ = arguments.json;
    let name = arguments.what.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned());
    Err(Failure::Message(format!("the measurement `{name}` is not built yet")))
}
