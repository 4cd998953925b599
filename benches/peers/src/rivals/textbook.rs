//! The reference: textbook FABRIK in single precision.

use super::{Rival, straight};
use crate::{MAX_ITERATIONS, TOLERANCE};
use fabrik3d_measure::throughput;
use glam::{DVec3, Vec3};

pub struct Textbook {
    start: Vec<Vec3>,
    points: Vec<Vec3>,
    lengths: Vec<f32>,
}

impl Textbook {
    pub fn new(links: usize) -> Self {
        let start: Vec<Vec3> = straight(links).iter().map(|point| point.as_vec3()).collect();
        Textbook { points: start.clone(), start, lengths: vec![1.0; links] }
    }
}

impl Rival for Textbook {
    fn reset(&mut self) {
        self.points.copy_from_slice(&self.start);
    }

    fn solve(&mut self, target: DVec3) -> Option<u32> {
        Some(throughput::textbook(&mut self.points, &self.lengths, target.as_vec3(), TOLERANCE as f32, MAX_ITERATIONS))
    }

    fn points(&mut self) -> Vec<DVec3> {
        self.points.iter().map(|point| point.as_dvec3()).collect()
    }
}
