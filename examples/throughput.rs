//! Solves per second of the batch at every level beside textbook FABRIK: `cargo run --release --features
//! measure,parallel --example throughput -- [LINKS]`.

use fabrik3d::ik::batch::Threads;
use fabrik3d::measure::single::Start;
use fabrik3d::measure::throughput::throughput;
use std::error::Error;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let links: usize = std::env::args().nth(1).map_or(Ok(10), |text| text.parse())?;
    let zero = Instant::now();
    let all = [
        Threads::One,
        #[cfg(feature = "parallel")]
        Threads::All,
    ];
    for start in [Start::Cold, Start::Warm] {
        for threads in all {
            for row in throughput(links, start, 160_000 / links, 9, threads, || zero.elapsed())? {
                println!(
                    "{links} links, {start:?}, {} threads, {:26} {:8.3} M solves/s, {:6.1} x textbook, reached {:.4}",
                    row.threads,
                    row.contender.name(),
                    row.solves_per_second / 1e6,
                    row.times_textbook,
                    row.reached
                );
            }
        }
    }
    Ok(())
}
