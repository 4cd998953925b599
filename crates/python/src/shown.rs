//! Poses as the program shows and writes them.

use crate::errors::value_error;
use crate::model::Model;
use crate::numbers::Poses;
use fabrik3d_ik::{Coordinates, Joint};
use fabrik3d_scene::coordinate_parts;
use pyo3::PyResult;

/// The values of a single pose as `--joints` and `pose.glide` take them: degrees, lengths and rotation vectors.
pub fn shown_values(model: &Model, (numbers, count): &Poses<'_>) -> PyResult<Vec<f64>> {
    if let Some(rows) = count {
        return Err(value_error(format!("q has {rows} rows; a single pose is needed")));
    }
    let mut q = vec![0.0; model.columns.width()];
    numbers.slice().copy(0, &mut q);
    if let Some(at) = q.iter().position(|number| !number.is_finite()) {
        return Err(value_error(format!("q[{at}] is not finite; only finite poses can be shown")));
    }
    let pose = model.pose(Some(&q));
    let values = |joint: usize| model.scene.joint_values(joint, &pose);
    Ok(model.columns.iter().flat_map(|column| values(column.joint)).map(|value| value.value).collect())
}

/// The names of the coordinates in `q`, as tables have them.
pub fn coordinate_names(model: &Model) -> Vec<String> {
    let joints = model.columns.iter().map(|column| &model.skeleton.joints()[column.joint]);
    let names =
        joints.flat_map(|joint| coordinate_parts(&joint.kind).iter().map(|part| format!("{}.{part}", joint.name)));
    names.collect()
}

/// `q` of a pose that the program wrote: one list of coordinates per joint.
pub fn from_shown(model: &Model, pose: &[Vec<f64>]) -> PyResult<Vec<f64>> {
    let joints = model.skeleton.joints();
    let read = |(values, joint): (&Vec<f64>, &Joint)| Coordinates::from_values(&joint.kind, values);
    let pose: Option<Vec<Coordinates>> = pose.iter().zip(joints).map(read).collect();
    let pose = pose.filter(|pose| pose.len() == joints.len());
    let pose = pose.ok_or_else(|| value_error("the pose belongs to another robot"))?;
    Ok(model.q(&pose))
}
