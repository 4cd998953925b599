//! The columns of `q`: the coordinates of the joints that can be set, in the order of the file.

use fabrik3d_ik::{Coordinates, Kind, Pose, Skeleton};
use fabrik3d_scene::Scene;

/// The coordinates of one joint in `q`.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    pub joint: usize,
    /// Index of its first coordinate.
    pub first: usize,
    /// Number of its coordinates.
    pub count: usize,
}

/// All columns of `q`.
#[derive(Clone, Debug)]
pub struct Columns {
    columns: Vec<Column>,
    width: usize,
}

impl Columns {
    pub fn of(scene: &Scene) -> Self {
        let mut width = 0;
        let column = |joint: usize| {
            let (first, count) = (width, scene.skeleton.kind(joint).coordinate_count());
            width += count;
            Column { joint, first, count }
        };
        Columns { columns: scene.settable_joints().map(column).collect(), width }
    }

    /// Number of coordinates.
    pub fn width(&self) -> usize {
        self.width
    }

    pub fn iter(&self) -> impl Iterator<Item = &Column> {
        self.columns.iter()
    }

    /// Sets the joints of a pose to the coordinates of `q`. Quaternions are normalized; nothing is limited.
    pub fn read(&self, skeleton: &Skeleton, q: &[f64], pose: &mut Pose) {
        for column in &self.columns {
            let kind = skeleton.kind(column.joint);
            let values = &q[column.first..column.first + column.count];
            // The widths agree by construction.
            let now = Coordinates::from_values(kind, values).unwrap_or_default();
            let has_quaternion = kind.is_unlimited_ball() || *kind == Kind::Free;
            // What is not finite stays as it is, so that the solver refuses it.
            let is_finite = values.iter().all(|value| value.is_finite());
            pose[column.joint] = if has_quaternion && is_finite { kind.project(now) } else { now };
        }
        skeleton.follow(pose);
    }

    /// Writes the coordinates of a pose to `q`.
    pub fn write(&self, skeleton: &Skeleton, pose: &[Coordinates], q: &mut [f64]) {
        for column in &self.columns {
            let values = pose[column.joint].values(skeleton.kind(column.joint));
            q[column.first..column.first + column.count].copy_from_slice(values);
        }
    }
}
