//! Many chains: cold and warm solves at every level, growth with the number of links, and moving targets.
//! `cargo bench -p fabrik3d-ik --features parallel --bench batch`

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use fabrik3d_ik::Settings;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::simd::{Batch, Lengths, Level, Outcome, Threads};
use glam::Vec3;

fn main() {
    divan::main();
}

/// Equal chains of unit length in flat arcs, with targets.
struct Chains {
    batch: Batch,
    lengths: Vec<f32>,
    points: Vec<Vec3>,
    targets: Vec<Vec3>,
    outcomes: Vec<Outcome>,
}

impl Chains {
    fn new(batch: Batch, chains: usize) -> Self {
        let links = batch.links();
        let mut random = Random::new(5);
        let length = 1.0 / links as f32;
        let mut points = Vec::new();
        for _ in 0..chains {
            let plane = random.direction().as_vec3();
            let mut point = Vec3::ZERO;
            points.push(point);
            for i in 0..links {
                let (sin, cos) = ((i as f32 + 0.5) * length).sin_cos();
                point += Vec3::new(cos, sin * plane.x, sin * plane.y).normalize() * length;
                points.push(point);
            }
        }
        let targets = (0..chains).map(|_| random.ball().as_vec3()).collect();
        Chains { batch, lengths: vec![length; links], points, targets, outcomes: vec![Outcome::default(); chains] }
    }

    fn solve(&mut self) {
        let lengths = Lengths::Shared(&self.lengths);
        let settings = Settings::default();
        let solved = self.batch.solve(lengths, &mut self.points, &self.targets, &settings, &mut self.outcomes);
        black_box((&self.points, solved.is_ok()));
    }
}

fn batch(links: usize, level: Level, threads: Threads) -> Option<Batch> {
    Some(Batch::new(links).ok()?.with_level(level).ok()?.with_threads(threads))
}

/// 1,920 chains of 10 links, each from the same pose to a random target within reach.
#[divan::bench(args = Level::ALL)]
fn cold(bencher: Bencher, level: Level) {
    let Some(batch) = batch(10, level, Threads::One) else { return };
    let mut chains = Chains::new(batch, 1920);
    let start = chains.points.clone();
    bencher.counter(ItemsCount::new(1920_usize)).bench_local(|| {
        chains.points.copy_from_slice(&start);
        chains.solve();
    });
}

/// 1,920 chains of 10 links that follow their targets around a circle.
#[divan::bench(args = Level::ALL)]
fn warm(bencher: Bencher, level: Level) {
    if let Some(batch) = batch(10, level, Threads::One) {
        follow(bencher, Chains::new(batch, 1920));
    }
}

/// The widest level, by number of links; items are links.
#[divan::bench(args = [1, 2, 3, 4, 7, 10, 30, 100, 300, 1000])]
fn growth(bencher: Bencher, links: usize) {
    let count = (19_200 / links).max(32);
    let Some(batch) = batch(links, Level::best(), Threads::One) else { return };
    let mut chains = Chains::new(batch, count);
    let start = chains.points.clone();
    bencher.counter(ItemsCount::new(links * count)).bench_local(|| {
        chains.points.copy_from_slice(&start);
        chains.solve();
    });
}

/// One frame of chains of 7 links that follow their targets, on all threads.
#[divan::bench(args = [400, 10_000])]
fn all_threads(bencher: Bencher, chains: usize) {
    if let Some(batch) = batch(7, Level::best(), Threads::default()) {
        follow(bencher, Chains::new(batch, chains));
    }
}

fn follow(bencher: Bencher, mut chains: Chains) {
    let rotation = glam::Quat::from_rotation_y(0.02);
    bencher.counter(ItemsCount::new(chains.targets.len())).bench_local(|| {
        chains.targets.iter_mut().for_each(|target| *target = rotation * *target);
        chains.solve();
    });
}
