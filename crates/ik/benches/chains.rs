//! One chain: the passes, and solves from a fixed pose and from the last pose, by number of links.
//! `cargo bench -p fabrik3d-ik --bench chains`

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use fabrik3d_ik::fabrik::passes;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::settings::Method;
use fabrik3d_ik::{Chain, Settings};
use glam::DVec3;

const LINKS: [usize; 9] = [2, 3, 4, 6, 10, 30, 100, 300, 1000];

fn main() {
    divan::main();
}

/// A flat arc of unit length.
fn arc(links: usize) -> Vec<DVec3> {
    let length = 1.0 / links as f64;
    let mut point = DVec3::ZERO;
    let mut points = vec![point];
    for i in 0..links {
        let (sin, cos) = ((i as f64 + 0.5) * length).sin_cos();
        point += DVec3::new(cos, sin, 0.0) * length;
        points.push(point);
    }
    points
}

fn targets(step: f64) -> Vec<DVec3> {
    let mut random = Random::new(5);
    let mut target = DVec3::X * 0.5;
    let next = |_| {
        let moved = if step > 0.0 { target + random.direction() * step } else { random.ball() };
        target = moved.clamp_length_max(0.9995);
        target
    };
    (0..1024).map(next).collect()
}

/// One backward and one forward pass; items are joints.
#[divan::bench(args = LINKS)]
fn passes(bencher: Bencher, links: usize) {
    let mut points = arc(links);
    let lengths = vec![1.0 / links as f64; links];
    let mut targets = targets(0.0).into_iter().cycle();
    bencher.counter(ItemsCount::new(2 * links)).bench_local(|| {
        passes::backward(&mut points, &lengths, targets.next().unwrap_or_default());
        passes::forward(&mut points, &lengths, DVec3::ZERO);
        black_box(&points);
    });
}

/// From a fixed pose to a random target within reach; items are links.
#[divan::bench(args = LINKS, consts = [false, true])]
fn cold<const TEXTBOOK: bool>(bencher: Bencher, links: usize) {
    solve(bencher, links, 0.0, TEXTBOOK);
}

/// From the last pose to a target that moved by 1 % of the reach; items are links.
#[divan::bench(args = LINKS, consts = [false, true])]
fn warm<const TEXTBOOK: bool>(bencher: Bencher, links: usize) {
    solve(bencher, links, 0.01, TEXTBOOK);
}

fn solve(bencher: Bencher, links: usize, step: f64, textbook: bool) {
    let Ok(start) = Chain::new(&arc(links)) else { return };
    let method = if textbook { Method::Textbook } else { Method::Accelerated };
    let settings = Settings { method, ..Settings::default() };
    let mut targets = targets(step).into_iter().cycle();
    let mut chain = start.clone();
    bencher.counter(ItemsCount::new(links)).bench_local(|| {
        if step == 0.0 {
            chain.clone_from(&start);
        }
        black_box(chain.solve(targets.next().unwrap_or_default(), &settings))
    });
}
