//! The scalar path: solves single chains in `f64` that are not suited for the lanes.

use super::block::Block;
use crate::chain::Chain;
use crate::fabrik::closure::scale_chord;
use crate::fabrik::passes;
use crate::model::{Report, Settings};
use glam::{DVec3, Vec3};

#[derive(Debug, Default)]
pub(super) struct ScalarSolver {
    points: Vec<DVec3>,
    lengths: Vec<f64>,
    trial: Vec<DVec3>,
    chain: Option<Chain>,
}

impl ScalarSolver {
    /// Solves one chain of finite coordinates and positive lengths from its start pose.
    pub fn solve(&mut self, points: &mut [f32], lengths: &[f32], target: &[f32], settings: &Settings) -> Report {
        let (points, _) = points.as_chunks_mut::<3>();
        self.points.clear();
        self.points.extend(points.iter().map(|point| Vec3::from(*point).as_dvec3()));
        self.lengths.clear();
        self.lengths.extend(lengths.iter().map(|&length| f64::from(length)));
        let base = self.points[0];
        passes::forward(&mut self.points, &self.lengths, base);
        let (report, solved) = match Chain::new_in(&mut self.chain, &self.points) {
            Ok(chain) => (chain.solve(Vec3::from_slice(target).as_dvec3(), settings), chain.points()),
            Err(_) => (Report::REFUSED, &*self.points),
        };
        points.iter_mut().zip(solved).for_each(|(point, solved)| *point = solved.as_vec3().to_array());
        report
    }

    /// Applies the closure [`scale_chord`] to one lane, for lanes that the steps of [`super::closing`] do not bring to the
    /// target. Returns whether the remaining error is within the tolerance; otherwise the lane is unchanged.
    pub fn scale_chord<const W: usize>(&mut self, block: &mut Block<'_, W>, lane: usize, tolerance: f64) -> bool {
        let point = |rows: &[[f32; W]; 3]| Vec3::new(rows[0][lane], rows[1][lane], rows[2][lane]).as_dvec3();
        self.points.clear();
        self.points.extend(block.joints.iter().map(point));
        self.lengths.clear();
        self.lengths.extend(block.lengths.iter().map(|row| f64::from(row[lane])));
        self.trial.clear();
        self.trial.resize(self.points.len(), DVec3::ZERO);
        let target = point(block.target);
        if !scale_chord(&self.points, &self.lengths, target, &mut self.trial) {
            return false;
        }
        passes::forward(&mut self.trial, &self.lengths, DVec3::ZERO);
        let error = self.trial[self.lengths.len()].distance(target);
        if error > tolerance {
            return false;
        }
        for (rows, solved) in block.joints.iter_mut().zip(&self.trial) {
            let solved = solved.as_vec3().to_array();
            rows.iter_mut().zip(solved).for_each(|(row, number)| row[lane] = number);
        }
        block.squared_error[lane] = (error * error) as f32;
        true
    }
}
