//! A million targets for one chain, solved side by side.
//!
//! `cargo run --release --features parallel --example batch`

use fabrik3d_ik::random::Random;
use fabrik3d_ik::simd::{Batch, Lengths, Outcome};
use fabrik3d_ik::{Settings, Stop};
use glam::Vec3;
use std::error::Error;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    run(1_000_000)
}

/// Solves for so many targets.
pub fn run(count: usize) -> Result<(), Box<dyn Error>> {
    const LINKS: usize = 5;
    let mut random = Random::new(1);
    // All over the reach, and a little beyond.
    let targets: Vec<Vec3> = (0..count).map(|_| (random.ball() * 1.2 * LINKS as f64).as_vec3()).collect();
    // Every chain starts in the same bent pose; joint after joint, chain after chain.
    let rest: Vec<Vec3> =
        (0..=LINKS).map(|joint| Vec3::new(0.6 * (joint % 2) as f32, 0.8 * joint as f32, 0.0)).collect();
    let mut points = rest.repeat(count);
    let mut outcomes = vec![Outcome::default(); count];

    let mut batch = Batch::new(LINKS)?;
    let begun = Instant::now();
    batch.solve(Lengths::Shared(&[1.0; LINKS]), &mut points, &targets, &Settings::default(), &mut outcomes)?;
    let seconds = begun.elapsed().as_secs_f64();

    let ended = |stop: Stop| outcomes.iter().filter(|outcome| outcome.stop == stop).count();
    println!("{count} targets in {seconds:.3} s: {:.1} million a second", count as f64 / seconds * 1e-6);
    println!("{} reached, {} too far", ended(Stop::Reached), ended(Stop::TooFar));
    // The joints of the first chain.
    println!("{:?} for {}", &points[..=LINKS], targets[0]);
    Ok(())
}
