//! What a task is: something that a pose should meet, with its residuals and their derivatives.

use crate::layout::{Path, PathJoint};
use crate::model::{Isometry, Kind, Rate, Settings, lever};
use crate::step::Columns;
use crate::tasks::{Objective, Rank, Score};
use glam::{DMat3, DQuat, DVec3};

/// Something that a pose should meet: a goal of one kind.
pub(crate) trait Task {
    /// Number of residuals.
    const ROWS: usize;

    /// Adds its residuals in a pose with these frames, and its error.
    fn residual(&self, objective: &Objective, frames: &[Isometry], out: &mut Residuals);

    /// Adds the derivatives of its residuals.
    fn derivative(&self, objective: &Objective, frames: &[Isometry], out: &mut Rows);

    /// Whether the errors of all tasks of this kind are small enough. What is nice to meet always is.
    fn is_met(_: &Score, _: &Settings) -> bool {
        true
    }
}

/// Calls one function for tasks of all kinds.
pub(crate) trait Visitor {
    fn visit<T: Task>(&mut self, task: &T);
}

/// The residuals of a pose under construction, and its errors.
pub(crate) struct Residuals<'a> {
    pub(super) objective: &'a Objective<'a>,
    pub(super) frames: &'a [Isometry],
    pub rows: &'a mut Vec<f64>,
    pub score: Score,
}

impl Visitor for Residuals<'_> {
    #[inline]
    fn visit<T: Task>(&mut self, task: &T) {
        task.residual(self.objective, self.frames, self);
    }
}

impl Residuals<'_> {
    /// Takes note of the error of a goal.
    pub fn note(&mut self, rank: Rank, error: f64) {
        if rank == Rank::Firm {
            self.score.firm = self.score.firm.max(error);
        }
    }

    /// Adds three rows.
    pub fn push(&mut self, residual: DVec3) {
        self.rows.extend_from_slice(&residual.to_array());
    }
}

/// A column of a joint whose derivative is that of a limb that has already turned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ahead {
    pub joint: usize,
    /// The column among those of the joint.
    pub axis: usize,
    pub turn: DQuat,
}

/// The rows of one task in a Jacobian under construction.
pub(crate) struct Rows<'a> {
    pub(super) objective: &'a Objective<'a>,
    pub(super) frames: &'a [Isometry],
    pub(super) rates: &'a [[Rate; 6]],
    pub(super) ahead: &'a [Ahead],
    pub(super) matrix: &'a mut Columns,
    /// The first row.
    pub(super) row: usize,
}

impl Visitor for Rows<'_> {
    #[inline]
    fn visit<T: Task>(&mut self, task: &T) {
        task.derivative(self.objective, self.frames, self);
        self.row += T::ROWS;
    }
}

impl Rows<'_> {
    /// Adds a multiple of the velocity of the point at the end of a path to three rows. `map` is applied to the velocity, such
    /// as a projection if parts of its position are open.
    pub fn add_point(&mut self, (path, point): (&Path, DVec3), scale: f64, map: Option<DMat3>) {
        self.for_each_column(&path.joints, point, |rows, velocity| {
            let velocity = map.map_or(velocity, |map| map * velocity) * scale;
            rows[..3].iter_mut().zip(velocity.to_array()).for_each(|(value, part)| *value += part);
        });
    }

    /// Adds the part along `direction` of the velocity of a point below these joints to one row.
    pub fn add_distance(&mut self, above: &[PathJoint], point: DVec3, direction: DVec3) {
        self.for_each_column(above, point, |rows, velocity| rows[0] += direction.dot(velocity));
    }

    /// Adds the part along `direction` of what a joint on a slide does to a point by its own coordinate, for a point that
    /// moves by the fraction `along` as far as the joint.
    pub fn add_slide(&mut self, joint: usize, along: f64, direction: DVec3) {
        let Some(columns) = self.objective.layout.joint_columns[joint] else { return };
        let velocity = self.rates[joint][0].linear * (columns.scale * along);
        self.matrix.column_mut(columns.first)[self.row] += direction.dot(velocity);
    }

    /// Adds a multiple of the angular velocity at the end of a path to three rows. `fixed` projects it, if a turn is open.
    pub fn add_turn(&mut self, path: &Path, scale: f64, fixed: Option<DMat3>) {
        let Objective { skeleton, layout, .. } = *self.objective;
        // Joints above one that keeps the world's axes do not turn the end.
        for path_joint in path.joints.iter().take_while(|path_joint| path_joint.lever.is_none()) {
            let Some(columns) = layout.joint_columns[path_joint.joint] else { continue };
            let kind = skeleton.kind(path_joint.joint);
            for (at, rate) in self.rates[path_joint.joint][..kind.degrees_of_freedom()].iter().enumerate() {
                let factor = if matches!(kind, Kind::Free) { 1.0 } else { columns.scale };
                let turn = fixed.map_or(rate.angular, |fixed| fixed * rate.angular) * factor * scale;
                let rows = &mut self.matrix.column_mut(columns.first + at)[self.row..self.row + 3];
                rows.iter_mut().zip(turn.to_array()).for_each(|(value, part)| *value += part);
            }
        }
    }

    /// Calls `each` for every column of the joints `above` a point: with its rows from that of the task on, and the velocity of
    /// `point` per unit of the column.
    fn for_each_column(&mut self, above: &[PathJoint], point: DVec3, mut each: impl FnMut(&mut [f64], DVec3)) {
        let Objective { skeleton, layout, .. } = *self.objective;
        for path_joint in above {
            let Some(columns) = layout.joint_columns[path_joint.joint] else { continue };
            let point = path_joint.lever.map_or(point, |joint| lever(skeleton, joint, self.frames));
            let arm = point - self.frames[path_joint.joint].position;
            let kind = skeleton.kind(path_joint.joint);
            for (at, rate) in self.rates[path_joint.joint][..kind.degrees_of_freedom()].iter().enumerate() {
                let scale = if matches!(kind, Kind::Free) && at < 3 { layout.length } else { columns.scale };
                let rows = &mut self.matrix.column_mut(columns.first + at)[self.row..];
                let turned = self.ahead.iter().find(|ahead| (ahead.joint, ahead.axis) == (path_joint.joint, at));
                let arm = turned.map_or(arm, |ahead| ahead.turn * arm);
                each(rows, (rate.linear + rate.angular.cross(arm)) * scale);
            }
        }
    }
}
