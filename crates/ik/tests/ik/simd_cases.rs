//! Problems for the batch, and the answers of the scalar path.
#![allow(clippy::unwrap_used, dead_code)] // Not every test uses every function.

use fabrik3d_ik::fabrik::passes;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Chain, Report, Settings};
use glam::DVec3;
use glam::Vec3;

/// Chains with the same number of links, one after the other.
#[derive(Clone, Debug)]
pub struct Cases {
    pub links: usize,
    pub points: Vec<Vec3>,
    pub lengths: Vec<f32>,
    pub targets: Vec<Vec3>,
}

/// The answer of the scalar path for one chain.
pub struct Reference {
    pub points: Vec<DVec3>,
    pub reach: f64,
    pub report: Report,
}

/// The distribution of targets; distances are in units of the reach.
#[derive(Clone, Copy)]
enum Targets {
    Ball,
    Shell(f64, f64),
    Tip(f64),
}

impl Cases {
    fn empty(links: usize) -> Self {
        Cases { links, points: Vec::new(), lengths: Vec::new(), targets: Vec::new() }
    }

    /// Adds a chain: an arc of `arc` radians, slightly out of plane, with link lengths that differ by up to a factor `ratio`.
    fn push(&mut self, random: &mut Random, base: DVec3, arc: f64, ratio: f64, targets: Targets) {
        let size = random.range(0.3, 3.0);
        let along = random.direction();
        let side = along.any_orthonormal_vector();
        let mut point = base;
        self.points.push(point.as_vec3());
        let mut reach = 0.0;
        for i in 0..self.links {
            let length = (size / self.links as f64 * random.range(1.0 / ratio, 1.0)) as f32;
            let angle = arc * (i as f64 + 0.5) / self.links as f64;
            let noise = random.direction() * 0.05;
            let direction = (along * angle.cos() + side * angle.sin() + noise).normalize();
            point += direction * f64::from(length);
            self.points.push(point.as_vec3());
            self.lengths.push(length);
            reach += f64::from(length);
        }
        let base = base.as_vec3().as_dvec3();
        let target = match targets {
            Targets::Ball => base + random.ball() * reach,
            Targets::Shell(low, high) => base + random.direction() * random.range(low, high) * reach,
            Targets::Tip(step) => point + random.direction() * step * reach,
        };
        self.targets.push(target.as_vec3());
    }

    fn family(links: usize, count: usize, seed: u64, (spread, arc, ratio): (f64, f64, f64), targets: Targets) -> Self {
        let mut random = Random::new(seed);
        let mut cases = Cases::empty(links);
        for _ in 0..count {
            let base = random.ball() * spread;
            cases.push(&mut random, base, arc, ratio, targets);
        }
        cases
    }

    /// Uniformly distributed targets within reach, bases near the origin.
    pub fn in_ball(links: usize, count: usize, seed: u64) -> Self {
        Cases::family(links, count, seed, (1.0, 1.0, 1.0), Targets::Ball)
    }

    /// A mixture: targets within reach, out of reach and already reached; bent and straight chains.
    pub fn mixed(links: usize, count: usize) -> Self {
        let mut random = Random::new(77);
        let mut cases = Cases::empty(links);
        for i in 0..count {
            let base = random.ball() * 5.0;
            let targets = [
                Targets::Ball,
                Targets::Shell(0.99, 1.01),
                Targets::Shell(1.1, 9.0),
                Targets::Tip(0.0),
                Targets::Tip(0.02),
            ];
            let arc = [1.0, 1e-7, 4.0][i % 3];
            cases.push(&mut random, base, arc, 3.0, targets[i % 5]);
        }
        cases
    }

    /// All families, with their names.
    pub fn families() -> Vec<(&'static str, Cases)> {
        let mut families = Vec::new();
        for (links, count) in [(1, 100), (2, 200), (3, 1000), (4, 1000), (7, 1000), (10, 2000), (30, 500), (100, 200)] {
            let mut add = |name, seed, shape, targets| {
                families.push((name, Cases::family(links, count, seed, shape, targets)));
            };
            add("ball", 1, (1.0, 1.0, 1.0), Targets::Ball);
            add("ball, unequal links", 2, (1.0, 1.0, 4.0), Targets::Ball);
            add("ball, curled", 3, (1.0, 5.0, 2.0), Targets::Ball);
            add("near full reach", 4, (1.0, 1.0, 1.0), Targets::Shell(0.95, 0.9999));
            add("around the edge", 5, (1.0, 1.0, 1.5), Targets::Shell(0.9999, 1.0003));
            add("out of reach", 6, (1.0, 1.0, 3.0), Targets::Shell(1.001, 100.0));
            add("near the base", 7, (1.0, 1.0, 1.0), Targets::Shell(0.0, 0.2));
            add("dead zones", 8, (0.0, 1.0, 40.0), Targets::Shell(0.0, 0.6));
            add("small steps", 9, (1.0, 1.0, 2.0), Targets::Tip(0.02));
            add("already reached", 10, (1.0, 1.0, 1.0), Targets::Tip(0.0));
            add("far from the origin", 11, (50.0, 1.0, 1.0), Targets::Ball);
        }
        families
    }

    /// The same chains in the opposite order, and the old index of each.
    pub fn reversed(&self) -> (Cases, Vec<usize>) {
        self.reordered((0..self.targets.len()).rev().collect())
    }

    /// The same chains with the first `by` of them moved to the end, and the old index of each.
    pub fn rotated(&self, by: usize) -> (Cases, Vec<usize>) {
        let count = self.targets.len();
        self.reordered((0..count).map(|i| (i + by) % count).collect())
    }

    fn reordered(&self, order: Vec<usize>) -> (Cases, Vec<usize>) {
        let mut cases = Cases::empty(self.links);
        for &i in &order {
            let one = self.only(i);
            cases.points.extend(one.points);
            cases.lengths.extend(one.lengths);
            cases.targets.extend(one.targets);
        }
        (cases, order)
    }

    /// The same with three bad chains, [`Cases::BAD`]: one has a bad point, one a bad target, one a bad length.
    pub fn with_bad_chains(&self) -> Cases {
        let mut bad = self.clone();
        let [a, b, c] = Cases::BAD;
        bad.points[a * (self.links + 1) + 1].x = f32::NAN;
        bad.targets[b] = Vec3::splat(f32::INFINITY);
        bad.lengths[c * self.links] = -1.0;
        bad
    }

    /// Indices of the bad chains.
    pub const BAD: [usize; 3] = [3, 20, 21];

    /// One of the chains.
    pub fn only(&self, i: usize) -> Cases {
        let (links, stride) = (self.links, self.links + 1);
        Cases {
            links,
            points: self.points[i * stride..(i + 1) * stride].to_vec(),
            lengths: self.lengths[i * links..(i + 1) * links].to_vec(),
            targets: vec![self.targets[i]],
        }
    }

    /// Solves every chain by the scalar path, after correcting the link lengths of its start pose.
    pub fn solve_one_by_one(&self, settings: &Settings) -> Vec<Reference> {
        (0..self.targets.len())
            .map(|i| {
                let one = self.only(i);
                let mut points: Vec<DVec3> = one.points.iter().map(|point| point.as_dvec3()).collect();
                let lengths: Vec<f64> = one.lengths.iter().map(|&length| f64::from(length)).collect();
                let base = points[0];
                passes::forward(&mut points, &lengths, base);
                let mut chain = Chain::new(&points).unwrap();
                let report = chain.solve(one.targets[0].as_dvec3(), settings);
                Reference { points: chain.points().to_vec(), reach: chain.reach(), report }
            })
            .collect()
    }
}
