//! How the time of a solve grows with the number of links. The time per link should be constant.

use crate::single_chain::{ChainStart, problems, time};
use crate::table::{Row, Table};
use crate::throughput::ChainSet;
use crate::timing::{Clock, paired_by};
use fabrik3d_ik::Settings;
use fabrik3d_ik::simd::{Batch, BatchError, Threads};

/// Numbers of links.
const LINKS: [usize; 8] = [3, 4, 7, 10, 30, 100, 300, 1000];
/// Number of links that the others are compared with.
const YARDSTICK: usize = 10;
/// Links per round: chains solved one after another, and the batch.
const SINGLE_LINKS: usize = 40_000;
const BATCH_LINKS: usize = 320_000;
/// Timed rounds.
const ROUNDS: usize = 9;

/// Nanoseconds per link for cold solves: single chains, and the batch on one thread.
///
/// # Errors
/// Never in practice: every chain has links.
pub fn table(seed: u64) -> Result<Table, BatchError> {
    let mut table = Table::new("growth, time per link")
        .note("Cold solves as in `one chain` and `batch`, tolerance 1e-4 of the reach. (x): ratio to 10 links.");
    let settings = Settings::default();
    let counts = LINKS.map(|links| (SINGLE_LINKS / links).max(40));
    let chains: Vec<_> =
        LINKS.iter().zip(counts).map(|(&links, count)| problems(links, ChainStart::Cold, count, seed)).collect();
    let single = paired_by(ROUNDS, chains.iter().map(|chains| (String::new(), || time(chains, &settings))));
    push(&mut table, "one chain", &single, &counts);

    let counts = LINKS.map(|links| BATCH_LINKS / links);
    let mut sets = Vec::new();
    for (&links, count) in LINKS.iter().zip(counts) {
        sets.push((
            ChainSet::new(links, ChainStart::Cold, count, seed)?,
            Batch::new(links)?.with_threads(Threads::One),
        ));
    }
    let batch =
        paired_by(ROUNDS, sets.iter_mut().map(|(set, batch)| (String::new(), || set.time(batch, Clock::Thread))));
    push(&mut table, "batch", &batch, &counts);
    Ok(table)
}

fn push(table: &mut Table, quantity: &str, timings: &[crate::timing::Timing], counts: &[usize]) {
    let subject = |links: usize| format!("{links} links");
    let solved = |at: usize| (counts[at] * LINKS[at]) as f64;
    let Some(yardstick) = LINKS.iter().position(|&links| links == YARDSTICK) else { return };
    for (at, &links) in LINKS.iter().enumerate() {
        let row = Row::new(subject(links), timings[at].median() * 1e9 / solved(at), "ns").quantity(quantity);
        let ratio = timings[at].ratio_to(&timings[yardstick]) * solved(yardstick) / solved(at);
        table.push(row.ratio_to(subject(YARDSTICK), ratio));
    }
}
