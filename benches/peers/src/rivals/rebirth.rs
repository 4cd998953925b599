//! rebirth-ik: its solver for chains of points, its fastest one.

use super::{Rival, straight};
use crate::{MAX_ITERATIONS, TOLERANCE};
use glam::DVec3;
use rebirth_ik::{Vec3, solve_chain};

pub struct Rebirth {
    start: Vec<Vec3>,
    points: Vec<Vec3>,
    lengths: Vec<f32>,
}

impl Rebirth {
    pub fn new(links: usize) -> Self {
        let start: Vec<Vec3> = straight(links).into_iter().map(single).collect();
        Rebirth { points: start.clone(), start, lengths: vec![1.0; links] }
    }
}

impl Rival for Rebirth {
    fn reset(&mut self) {
        self.points.copy_from_slice(&self.start);
    }

    fn solve(&mut self, target: DVec3) -> Option<u32> {
        let result = solve_chain(&mut self.points, &self.lengths, single(target), MAX_ITERATIONS, TOLERANCE as f32);
        Some(result.iterations)
    }

    fn points(&mut self) -> Vec<DVec3> {
        self.points.iter().map(|point| DVec3::new(point.x.into(), point.y.into(), point.z.into())).collect()
    }
}

fn single(point: DVec3) -> Vec3 {
    Vec3::new(point.x as f32, point.y as f32, point.z as f32)
}
