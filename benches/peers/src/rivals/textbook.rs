//! FABRIK as everybody writes it first: glam, single precision, no more than the two passes.

use super::{Rival, straight};
use crate::{MAX_ITERATIONS, TOLERANCE};
use fabrik3d::DVec3;
use glam::Vec3;

pub struct Textbook {
    start: Vec<Vec3>,
    points: Vec<Vec3>,
    lengths: Vec<f32>,
}

impl Textbook {
    pub fn new(links: usize) -> Self {
        let start: Vec<Vec3> = straight(links).iter().map(DVec3::as_vec3).collect();
        Textbook { points: start.clone(), start, lengths: vec![1.0; links] }
    }
}

impl Rival for Textbook {
    fn reset(&mut self) {
        self.points.copy_from_slice(&self.start);
    }

    fn solve(&mut self, target: DVec3) -> Option<u32> {
        Some(solve(&mut self.points, &self.lengths, target.as_vec3()))
    }

    fn points(&mut self) -> Vec<DVec3> {
        self.points.iter().map(Vec3::as_dvec3).collect()
    }
}

fn solve(points: &mut [Vec3], lengths: &[f32], target: Vec3) -> u32 {
    let last = lengths.len();
    let base = points[0];
    for iteration in 0..MAX_ITERATIONS {
        if points[last].distance(target) <= TOLERANCE as f32 {
            return iteration;
        }
        points[last] = target;
        for i in (0..last).rev() {
            points[i] = points[i + 1] + (points[i] - points[i + 1]).normalize() * lengths[i];
        }
        points[0] = base;
        for i in 0..last {
            points[i + 1] = points[i] + (points[i + 1] - points[i]).normalize() * lengths[i];
        }
    }
    MAX_ITERATIONS
}
