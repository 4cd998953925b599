//! Forward kinematics, Jacobians, errors and limits.

use crate::errors::{type_error, value_error};
use crate::goals::Asked;
use crate::interruptible::{all_cores, each_piece};
use crate::model::Model;
use crate::numbers::{Rows, Shaped};
use crate::request::Request;
use crate::solve::misses;
use fabrik3d_ik::{Effector, Isometry, Kind};
use glam::{DMat4, DVec3};
use pyo3::prelude::*;

/// Rows that are worth a second thread.
const PART: usize = 1024;

/// Calls `work` for each row of `q`, which writes `width` numbers.
fn each_row(
    py: Python<'_>,
    model: &Model,
    q: &Rows<'_>,
    width: usize,
    work: impl Fn(usize, &[f64], &mut [f64]) + Sync + Send,
) -> PyResult<Vec<f64>> {
    let (rows, dof, slice) = (q.count.unwrap_or(1), model.columns.width, q.slice());
    let mut out = vec![0.0; rows * width];
    let some = |(first, out): (usize, &mut [f64])| {
        let mut q = vec![0.0; dof];
        for (at, out) in out.chunks_mut(width).enumerate() {
            slice.copy((first + at) * dof, &mut q);
            work(first + at, &q, out);
        }
        out.len() / width
    };
    let parts = out.chunks_mut(PART * width.max(1)).enumerate().map(|(part, out)| (part * PART, out));
    match rows {
        ..=PART => py.detach(|| parts.for_each(|part| _ = some(part))),
        _ => each_piece(py, all_cores().min(rows / PART), parts, |part, _| some(part), |_| Ok(()))?,
    }
    Ok(out)
}

fn shape(count: Option<usize>, rest: &[usize]) -> Vec<usize> {
    count.into_iter().chain(rest.iter().copied()).collect()
}

/// The names of all frames: the joints, then the effectors and links that have a name of their own.
pub fn frame_names(model: &Model) -> Vec<String> {
    let joints = model.scene.joints_in_file_order().map(|joint| model.skeleton.joints()[joint].name.clone());
    let mut names: Vec<String> = joints.collect();
    let effectors = model.scene.effectors.iter().map(|effector| &effector.name);
    for name in effectors.chain(model.scene.assets.links.iter().map(|(link, _)| link)) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

/// The frames of poses as 4x4 matrices.
pub fn forward(py: Python<'_>, model: &Model, q: &Rows<'_>, frames: Option<&Bound<'_, PyAny>>) -> PyResult<Shaped> {
    let (names, is_single) = match frames {
        None => (frame_names(model), false),
        Some(frames) => match (frames.extract::<String>(), frames.extract::<Vec<String>>()) {
            (Ok(name), _) => (vec![name], true),
            (_, Ok(names)) => (names, false),
            _ => return Err(type_error("frames must be a name or a list of names; `frame_names` lists them")),
        },
    };
    let find = |name: &String| model.scene.find_place(name).ok_or_else(|| model.unknown("frames", name));
    let wanted = names.iter().map(find).collect::<PyResult<Vec<_>>>()?;
    let out = each_row(py, model, q, 16 * wanted.len(), |_, q, out| {
        let frames = model.skeleton.frames(&model.pose(Some(q)));
        for (&(joint, tip), out) in wanted.iter().zip(out.chunks_exact_mut(16)) {
            let Isometry { position, rotation } = frames[joint];
            let matrix = DMat4::from_rotation_translation(rotation, position + rotation * tip);
            out.copy_from_slice(&matrix.transpose().to_cols_array());
        }
    })?;
    Ok((out, if is_single { shape(q.count, &[4, 4]) } else { shape(q.count, &[names.len(), 4, 4]) }))
}

/// The geometric Jacobians of an effector in poses, columns in the order of `q`.
pub fn jacobian(py: Python<'_>, model: &Model, q: &Rows<'_>, effector: Option<&str>) -> PyResult<Shaped> {
    let effector = Effector { chain_length: None, ..model.find_effector("effector", effector)?.1 };
    let order = column_order(model);
    let width = order.len();
    let out = each_row(py, model, q, 6 * width, |_, q, out| {
        let Some(jacobian) = model.skeleton.jacobian(&model.pose(Some(q)), &effector) else { return };
        for (at, &column) in order.iter().enumerate() {
            for (row, value) in jacobian.columns[column].values().into_iter().enumerate() {
                out[row * width + at] = value;
            }
        }
    })?;
    Ok((out, shape(q.count, &[6, width])))
}

/// For each column of a Jacobian in the order of `q`, its index in the skeleton's order.
fn column_order(model: &Model) -> Vec<usize> {
    let any = Effector::new(0, DVec3::ZERO);
    let jacobian = model.skeleton.jacobian(&model.skeleton.rest_pose(), &any);
    let columns = &jacobian.map(|jacobian| jacobian.columns).unwrap_or_default();
    let of_joint = |joint: usize| (0..columns.len()).filter(move |&at| columns[at].joint == joint);
    model.columns.iter().flat_map(|column| of_joint(column.joint)).collect()
}

/// Poses after one unit of time at rates of the Jacobian's columns.
pub fn integrate(py: Python<'_>, model: &Model, q: &Rows<'_>, dq: &Bound<'_, PyAny>) -> PyResult<Shaped> {
    let order = column_order(model);
    let rates = Rows::read("dq", dq, &[&[order.len()]])?;
    check_rows(q.count, rates.count, "dq has")?;
    let (rates, width) = (rates.slice(), model.columns.width);
    let out = each_row(py, model, q, width, |row, q, out| {
        let mut own = vec![0.0; order.len()];
        rates.copy(row * order.len(), &mut own);
        let mut ordered = vec![0.0; order.len()];
        order.iter().zip(own).for_each(|(&at, rate)| ordered[at] = rate);
        if let Some(moved) = model.skeleton.integrate(&model.pose(Some(q)), &ordered) {
            model.columns.write(&model.skeleton, &moved, out);
        }
    })?;
    Ok((out, shape(q.count, &[width])))
}

/// Checks that there are as many rows of something else as of `q`.
fn check_rows(q: Option<usize>, others: Option<usize>, have: &str) -> PyResult<()> {
    if q == others {
        return Ok(());
    }
    let [q, others] = [q, others].map(|count| count.map_or("a single row".to_owned(), |count| format!("{count} rows")));
    Err(value_error(format!("q has {q} and {have} {others}; both need as many")))
}

/// Distance and angle between the targets and the frames of poses, row by row: the largest of all targets.
pub fn errors<'py>(py: Python<'py>, model: &Model, q: &Rows<'py>, asked: &Asked<'_, 'py>) -> PyResult<[Shaped; 2]> {
    let request = Request::read(model, asked)?;
    check_rows(q.count, request.count, "the targets have")?;
    let problems = request.problems(model);
    let both = each_row(py, model, q, 2, |row, q, out| {
        let frames = model.skeleton.frames(&model.pose(Some(q)));
        out.copy_from_slice(&misses(&problems.at(row), &problems.indices, &frames));
    })?;
    Ok([0, 1].map(|part| (both.iter().skip(part).step_by(2).copied().collect(), shape(request.count, &[]))))
}

/// Lower and upper bound of each coordinate, (dof, 2). Infinite where there is none, as for quaternions and positions.
pub fn limits(model: &Model) -> Shaped {
    let mut out = Vec::with_capacity(2 * model.columns.width);
    for column in model.columns.iter() {
        let bounds: Vec<[f64; 2]> = match model.skeleton.kind(column.joint) {
            Kind::Hinge { range: Some(range), .. } | Kind::Slide { range: Some(range), .. } => {
                vec![(*range).into()]
            }
            Kind::Ball { swing, twist } if column.count == 3 => {
                let swing = swing.map(|swing| swing.tilts());
                let tilt = |side: usize| swing.map(|tilts| [-tilts[side + 2], tilts[side]]).unwrap_or(UNLIMITED);
                vec![tilt(0), tilt(1), twist.map_or(UNLIMITED, Into::into)]
            }
            _ => vec![UNLIMITED; column.count],
        };
        out.extend(bounds.into_iter().flatten());
    }
    (out, vec![model.columns.width, 2])
}

const UNLIMITED: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];
