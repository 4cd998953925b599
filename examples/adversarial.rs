//! Solves adversarial chains and prints what became of them: `cargo run --release --features measure --example
//! adversarial -- [COUNT] [SEED] [TOLERANCE]`.

use fabrik3d::{Settings, measure::adversarial};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let count = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(300_000);
    let seed = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(1);
    let tolerance = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(1e-4);
    let tally = adversarial::run_with(count, seed, &Settings { tolerance, ..Settings::default() });
    println!(
        "{:30} {:>7} {:>10} {:>9} {:>9} {:>6} {:>4} {:>8}",
        "", "cases", "unresolved", "link", "tip", "mean", "max", "closures"
    );
    let total = ("all", tally.total());
    for (name, row) in tally.regimes.iter().map(|(regime, row)| (regime.name(), *row)).chain([total]) {
        println!(
            "{name:30} {:7} {:10} {:9.1e} {:9.1e} {:6.2} {:4} {:8.3}",
            row.cases,
            row.unresolved,
            row.link_error,
            row.tip_error,
            row.mean_iterations(),
            row.most_iterations,
            row.polish_steps as f64 / f64::from(row.cases.max(1)),
        );
    }
    println!("99 of 100 cases take at most {} iterations", tally.p99_iterations);
    for failure in &tally.failures {
        println!("{failure:?}");
    }
}
