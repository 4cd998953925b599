//! Chains that leave the lanes: solved one by one, in `f64`.

use crate::ik::{Chain, Report, Settings, reach};
use glam::DVec3;

/// Room for one chain.
#[derive(Debug, Default)]
pub(super) struct Scalar {
    points: Vec<DVec3>,
    lengths: Vec<f64>,
}

impl Scalar {
    /// Solves one chain from its start; the pose lies in [`Scalar::points`] afterwards.
    pub fn solve(
        &mut self,
        points: impl Iterator<Item = [f32; 3]>,
        lengths: &[f32],
        target: [f32; 3],
        settings: &Settings,
    ) -> Report {
        self.points.clear();
        self.points.extend(points.map(|point| DVec3::from(point.map(f64::from))));
        self.lengths.clear();
        self.lengths.extend(lengths.iter().map(|&length| f64::from(length)));
        let base = self.points[0];
        reach::forward(&mut self.points, &self.lengths, base);
        match Chain::new(&self.points) {
            Ok(mut chain) => {
                let report = chain.solve(DVec3::from(target.map(f64::from)), settings);
                self.points.copy_from_slice(chain.points());
                report
            }
            Err(_) => Report::REFUSED,
        }
    }

    /// The last chain's joints.
    pub fn points(&self) -> impl Iterator<Item = [f32; 3]> {
        self.points.iter().map(|point| point.as_vec3().to_array())
    }
}
