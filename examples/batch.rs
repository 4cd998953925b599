//! Solves a chain for a million targets in parallel.
//!
//! `cargo run --release --example batch`

use fabrik3d_ik::random::Random;
use fabrik3d_ik::simd::{Batch, Lengths, Outcome};
use fabrik3d_ik::{Settings, Stop};
use glam::Vec3;
use std::error::Error;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    run(1_000_000)
}

/// Solves the chain for `count` targets.
pub fn run(count: usize) -> Result<(), Box<dyn Error>> {
    const LINKS: usize = 5;
    let mut random = Random::new(1);
    // Uniform within the reach and a little beyond.
    let targets: Vec<Vec3> = (0..count).map(|_| (random.ball() * 1.2 * LINKS as f64).as_vec3()).collect();
    // All chains start in the same bent pose. The points of each chain are consecutive.
    let rest: Vec<Vec3> =
        (0..=LINKS).map(|joint| Vec3::new(0.6 * (joint % 2) as f32, 0.8 * joint as f32, 0.0)).collect();
    let mut points = rest.repeat(count);
    let mut outcomes = vec![Outcome::default(); count];

    let mut batch = Batch::new(LINKS)?;
    let started = Instant::now();
    batch.solve(Lengths::Shared(&[1.0; LINKS]), &mut points, &targets, &Settings::default(), &mut outcomes)?;
    let seconds = started.elapsed().as_secs_f64();

    let ended = |stop: Stop| outcomes.iter().filter(|outcome| outcome.stop == stop).count();
    println!("{count} targets in {seconds:.3} s: {:.1} million per second", count as f64 / seconds * 1e-6);
    println!("{} reached, {} too far", ended(Stop::Reached), ended(Stop::TooFar));
    // The first chain.
    println!("{:?} for {}", &points[..=LINKS], targets[0]);
    Ok(())
}
