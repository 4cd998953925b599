//! Chains that leave the lanes: solved one by one, in `f64`.

use crate::ik::{Chain, Report, Settings, reach};
use glam::{DVec3, Vec3};

/// Room for one chain.
#[derive(Debug, Default)]
pub(super) struct Scalar {
    points: Vec<DVec3>,
    lengths: Vec<f64>,
}

impl Scalar {
    /// Solves one chain, given as finite numbers and positive lengths, from its start.
    pub fn solve(&mut self, points: &[f32], lengths: &[f32], target: &[f32], settings: &Settings) -> Report {
        let (points, _) = points.as_chunks::<3>();
        self.points.clear();
        self.points.extend(points.iter().map(|&point| Vec3::from(point).as_dvec3()));
        self.lengths.clear();
        self.lengths.extend(lengths.iter().map(|&length| f64::from(length)));
        let base = self.points[0];
        reach::forward(&mut self.points, &self.lengths, base);
        match Chain::new(&self.points) {
            Ok(mut chain) => {
                let report = chain.solve(Vec3::from_slice(target).as_dvec3(), settings);
                self.points.copy_from_slice(chain.points());
                report
            }
            Err(_) => Report::REFUSED,
        }
    }

    /// Writes the joints of the last chain.
    pub fn write(&self, points: &mut [f32]) {
        for (numbers, point) in points.chunks_exact_mut(3).zip(&self.points) {
            numbers.copy_from_slice(&point.as_vec3().to_array());
        }
    }
}
