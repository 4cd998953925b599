//! A smoothly moving target moves the chain smoothly, and no more than with textbook FABRIK.
#![allow(clippy::unwrap_used)]

use fabrik3d_ik::random::Random;
use fabrik3d_ik::settings::Method;
use fabrik3d_ik::{Chain, Settings};
use glam::DVec3;
use std::num::NonZeroU32;

/// The distance of a moving target from the base.
#[derive(Clone, Copy, Debug)]
enum Path {
    Middle,
    AcrossTheEdge,
    NearTheBase,
}

impl Path {
    const ALL: [Path; 3] = [Path::Middle, Path::AcrossTheEdge, Path::NearTheBase];

    /// Distance from the base as a fraction of the reach.
    fn radius(self, time: f64) -> f64 {
        match self {
            Path::Middle => 0.6 + 0.3 * (0.37 * time).sin(),
            Path::AcrossTheEdge => 0.96 + 0.08 * (0.61 * time).sin(),
            Path::NearTheBase => 0.18 + 0.12 * (0.61 * time).sin(),
        }
    }
}

fn target(path: Path, time: f64, phase: f64) -> DVec3 {
    let (azimuth, height) = (0.7 * time + phase, 1.1 * (0.53 * time + phase).sin());
    let direction = DVec3::new(azimuth.cos() * height.cos(), height.sin(), azimuth.sin() * height.cos());
    direction * path.radius(time)
}

fn bent_chain(links: usize, random: &mut Random) -> Chain {
    let side = random.direction();
    let mut points = vec![DVec3::ZERO];
    for i in 0..links {
        let angle = 0.9 * (i as f64 + 0.5) / links as f64;
        let direction = DVec3::new(angle.cos(), angle.sin() * side.x, angle.sin() * side.y + 0.02 * i as f64);
        points.push(points[i] + direction.normalize() / links as f64);
    }
    Chain::new(&points).unwrap()
}

/// Total travel of all joints, and the largest travel of one joint in one frame.
#[derive(Debug)]
struct Motion {
    travel: f64,
    largest_jump: f64,
}

fn follow(path: Path, links: usize, seed: u64, method: Method) -> Motion {
    let settings = Settings { method, max_iterations: NonZeroU32::new(1000).unwrap(), ..Settings::default() };
    let mut random = Random::new(seed);
    let phase = random.range(0.0, 6.0);
    let mut chain = bent_chain(links, &mut random);
    // The motion to the first point of the path is a jump, so both methods start from the pose at its end.
    let arrive = Settings { method: Method::Textbook, tolerance: 1e-8, ..settings };
    let _ = chain.solve(target(path, 0.0, phase), &arrive);
    let mut motion = Motion { travel: 0.0, largest_jump: 0.0 };
    for frame in 1..1500 {
        let before = chain.points().to_vec();
        let _ = chain.solve(target(path, f64::from(frame) * 0.01, phase), &settings);
        for (was, is) in before.iter().zip(chain.points()) {
            motion.travel += was.distance(*is);
            motion.largest_jump = motion.largest_jump.max(was.distance(*is));
        }
    }
    motion
}

#[test]
fn the_accelerated_solve_moves_no_more_than_textbook() {
    for path in Path::ALL {
        for links in [2, 3, 4, 10, 30] {
            for seed in 1..=6 {
                let plain = follow(path, links, seed, Method::Textbook);
                let fast = follow(path, links, seed, Method::Accelerated);
                assert!(fast.travel <= 1.01 * plain.travel, "{path:?}, {links} links: {fast:?} {plain:?}");
                assert!(fast.largest_jump <= 1.02 * plain.largest_jump, "{path:?}, {links} links: {fast:?} {plain:?}");
            }
        }
    }
}

/// If a chain is nearly straight, a change `h` of the target's distance moves its joints sideways by about `sqrt(h)`. Here
/// `h` is the sum of tolerance and step. Any larger motion is a jump.
#[test]
fn nothing_jumps_when_a_target_leaves_the_reach_and_comes_back() {
    for method in [Method::Accelerated, Method::Textbook] {
        for links in [2, 3, 5, 10] {
            let settings = Settings { method, max_iterations: NonZeroU32::new(2000).unwrap(), ..Settings::default() };
            let mut chain = bent_chain(links, &mut Random::new(5));
            let direction = DVec3::new(0.0, 0.01, 1.0).normalize();
            let _ = chain.solve(direction * 0.9, &settings);
            let step = 1e-4;
            for frame in 0..=4000 {
                let distance = 1.1 - (f64::from(frame) * step - 0.2).abs();
                let before = chain.points().to_vec();
                let _ = chain.solve(direction * distance, &settings);
                for (was, is) in before.iter().zip(chain.points()) {
                    let moved = was.distance(*is);
                    let bound = if (distance - 1.0).abs() < 3e-4 { (step + 1e-4_f64).sqrt() } else { 0.005 };
                    assert!(moved <= bound, "{method:?}, {links} links at {distance}: {moved}");
                }
            }
        }
    }
}
