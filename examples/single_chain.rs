//! Times the accelerated solve against textbook FABRIK: `cargo run --release --features measure --example single_chain
//! -- [CAP]`, the most iterations that textbook may take (1000).

use fabrik3d::measure::single::{Start, compare};
use std::num::NonZeroU32;

fn main() {
    let cap = std::env::args().nth(1).and_then(|text| text.parse().ok());
    let cap = cap.and_then(NonZeroU32::new).unwrap_or(NonZeroU32::MIN.saturating_add(999));
    println!("ns a solve; iterations mean and p99; closures; part reached");
    for start in [Start::Cold, Start::Warm] {
        for links in [2, 3, 4, 6, 10, 20, 30, 100, 300, 1000] {
            let row = compare(links, start, cap, 17);
            let (fast, plain) = (row.accelerated, row.textbook);
            println!(
                "{start:?} {links:5}: {:9.0} ({:6.1} a link) {:5.2} {:2} {:5.2} {:.4} \
                 | textbook {:10.0} {:6.1} {:4} {:.4} | {:6.1} x",
                fast.nanoseconds,
                fast.nanoseconds / links as f64,
                fast.mean_iterations,
                fast.p99_iterations,
                fast.polish_steps,
                fast.reached,
                plain.nanoseconds,
                plain.mean_iterations,
                plain.p99_iterations,
                plain.reached,
                row.ratio(),
            );
        }
    }
}
