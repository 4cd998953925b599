//! Rigid and skinned meshes.

use super::data::Data;
use super::lists::{count_of, index, index_of, list, require, word};
use super::material::{Coordinates, Materials, encoded};
use super::morphs::{Displacements, MAX_REPEATED, Weights};
use super::nodes::Nodes;
use super::rig::Rig;
use crate::assets::{Assets, Skin, Surface};
use crate::formats::mesh::corners::{fan, smooth_normals, strip, triples};
use crate::formats::mesh::materials::Material;
use crate::mesh::{Influence, Mesh};
use crate::syntax_tree::fault::Read;
use crate::syntax_tree::fields::Item;
use glam::{DMat4, Vec2, Vec3};
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

pub(crate) fn read_surfaces(
    data: &Data<'_>,
    (nodes, rig): (&Nodes, &Rig),
    weights: &Weights,
    assets: &mut Assets,
) -> Read<()> {
    // Meshes read so far, by index and number of joints of the skin.
    let mut known: HashMap<(usize, Option<usize>), Vec<usize>> = HashMap::new();
    let mut materials = Materials::new(data);
    let mut bones = 0;
    for (at, node) in nodes.nodes.iter().enumerate() {
        let Some(mesh) = node.mesh else { continue };
        let skin = node.skin.map(|skin| read_skin(data, &data.lists.skins[skin], nodes, rig)).transpose()?;
        let limit = skin.as_ref().map(|(joints, _)| joints.len());
        let key = (mesh, limit);
        let meshes = match known.entry(key) {
            Entry::Occupied(read) => read.into_mut(),
            Entry::Vacant(unread) => {
                let parts = read_mesh(data, &data.lists.meshes[mesh], limit, (&mut materials, &mut assets.warnings))?;
                let first = assets.meshes.len();
                assets.meshes.extend(parts);
                unread.insert((first..assets.meshes.len()).collect())
            }
        };
        let first_weight = weights.of[at].start;
        for &mut mesh in meshes {
            match &skin {
                Some((joints, inverse_bind)) if !assets.meshes[mesh].influences.is_empty() => {
                    bones += joints.len();
                    if bones > MAX_REPEATED {
                        return Err(data.lists.nodes[at].fault(format!("more than {MAX_REPEATED} bones in all skins")));
                    }
                    let (joints, inverse_bind) = (joints.clone(), inverse_bind.clone());
                    assets.skins.push(Skin { mesh, joints, inverse_bind, first_weight });
                }
                _ => {
                    let transform = rig.attached(nodes, at);
                    let joint = rig.carrier[at];
                    assets.surfaces.push(Surface { mesh, joint, transform, color: None, first_weight });
                }
            }
        }
    }
    assets.warnings.append(&mut materials.pictures.warnings);
    Ok(())
}

/// Which joints of the rig move a surface: those with weights in a skin, and those that carry a mesh.
pub(crate) fn joints_with_surface(data: &Data<'_>, nodes: &Nodes, rig: &Rig) -> Read<Vec<bool>> {
    let mut carries = vec![false; rig.joints.len()];
    let mut known = HashSet::new();
    for (at, node) in nodes.nodes.iter().enumerate() {
        let Some(mesh) = node.mesh else { continue };
        let Some(skin) = node.skin else {
            rig.carrier[at].into_iter().for_each(|joint| carries[joint] = true);
            continue;
        };
        // Many nodes can show the same mesh.
        if !known.insert((mesh, skin)) {
            continue;
        }
        let (joints, _) = read_skin(data, &data.lists.skins[skin], nodes, rig)?;
        for primitive in list(&data.lists.meshes[mesh], "primitives")? {
            let attributes = require(&primitive, "attributes")?;
            let Some(names) = data.accessor(&attributes, "JOINTS_0")? else { continue };
            let vertices = data.integers::<4>(&names)?.len();
            let influences = read_influences(data, &attributes, vertices, joints.len())?;
            let shares = influences.iter().flat_map(|one| one.joints.into_iter().zip(one.weights));
            shares.filter(|(_, share)| *share > 0.0).for_each(|(at, _)| carries[joints[usize::from(at)]] = true);
        }
    }
    Ok(carries)
}

/// The joints of a skin, and for each the matrix from mesh space to its rest frame, which includes the scale of the nodes.
fn read_skin(data: &Data<'_>, item: &Item<'_>, nodes: &Nodes, rig: &Rig) -> Read<(Vec<usize>, Vec<DMat4>)> {
    let bind = |(node, bind): (usize, DMat4)| {
        // Every joint of a skin is a joint of the rig.
        let joint = rig.joint[node]?;
        Some((joint, rig.rest[joint].inverse() * nodes.world[node] * bind))
    };
    let binds = match inverse_binds(data, item)? {
        Some(binds) => binds,
        None => bound_nodes(data, item)?.into_iter().map(|node| (node, DMat4::IDENTITY)).collect(),
    };
    Ok(binds.into_iter().filter_map(bind).unzip())
}

/// The nodes of the joints of a skin.
pub(crate) fn bound_nodes(data: &Data<'_>, skin: &Item<'_>) -> Read<Vec<usize>> {
    list(skin, "joints")?.iter().map(|item| index(item, &data.lists.nodes, "node")).collect()
}

/// The nodes of the joints of a skin, each with the matrix from mesh space to its own in the bind pose, if the file has them.
pub(crate) fn inverse_binds(data: &Data<'_>, skin: &Item<'_>) -> Read<Option<Vec<(usize, DMat4)>>> {
    let nodes = bound_nodes(data, skin)?;
    let Some(reference) = data.accessor(skin, "inverseBindMatrices")? else { return Ok(None) };
    let matrices = data.floats::<16>(&reference)?;
    if matrices.len() < nodes.len() {
        let message = format!("{} joints need as many matrices, found {}", nodes.len(), matrices.len());
        return Err(reference.fault(message));
    }
    Ok(Some(nodes.into_iter().zip(matrices.iter().map(inverse_bind)).collect()))
}

/// An inverse bind matrix. Its last row is 0, 0, 0, 1 whatever the file says.
fn inverse_bind(numbers: &[f32; 16]) -> DMat4 {
    let mut matrix = DMat4::from_cols_array(&numbers.map(f64::from));
    (matrix.x_axis.w, matrix.y_axis.w, matrix.z_axis.w, matrix.w_axis.w) = (0.0, 0.0, 0.0, 1.0);
    matrix
}

/// The primitives of a mesh. `joints` is the number of joints of its skin.
pub(crate) fn read_mesh(
    data: &Data<'_>,
    item: &Item<'_>,
    joints: Option<usize>,
    (materials, warnings): (&mut Materials<'_>, &mut Vec<String>),
) -> Read<Vec<Mesh>> {
    let name = word(item, "name")?.unwrap_or_default();
    let (mut parts, mut displacements) = (Vec::new(), Displacements::default());
    for primitive in require(item, "primitives")?.list()? {
        let mode = count_of(&primitive, "mode")?.unwrap_or(4);
        if !(4..=6).contains(&mode) {
            warn(warnings, "points and lines are not shown");
            continue;
        }
        let attributes = require(&primitive, "attributes")?;
        let Some(positions) = data.accessor(&attributes, "POSITION")? else { continue };
        let positions: Vec<Vec3> = data.floats::<3>(&positions)?.into_iter().map(Vec3::from_array).collect();
        let triangles = triangles(&read_corners(data, &primitive, positions.len())?, mode);
        let normals = match data.accessor(&attributes, "NORMAL")? {
            Some(normals) => data.floats::<3>(&normals)?.into_iter().map(Vec3::from_array).collect(),
            None => smooth_normals(&positions, &triangles),
        };
        let normals = of_vertices(normals, positions.len(), &attributes, "normals")?;
        let influences = match joints {
            Some(joints) => read_influences(data, &attributes, positions.len(), joints)?,
            None => Vec::new(),
        };
        if attributes.get("JOINTS_1").is_some() {
            warn(warnings, "vertices with more than four joints use only the first four");
        }
        let (Material { color, mut paint }, coordinates) = materials.of(&primitive)?;
        let mut uvs = Vec::new();
        if paint.texture.is_some() {
            match read_uvs(data, &attributes, positions.len(), coordinates) {
                Ok(read) => uvs = read,
                Err(fault) => {
                    warn(warnings, &format!("a texture is not shown: {}", fault.message));
                    paint.texture = None;
                }
            }
        }
        let colors = read_colors(data, &attributes, positions.len()).unwrap_or_else(|fault| {
            warn(warnings, &format!("the colours of vertices are not shown: {}", fault.message));
            Vec::new()
        });
        let morphs = displacements.morphs(data, &primitive, (&positions, &normals, &triangles))?;
        let name = name.to_owned();
        parts.push(Mesh { name, positions, normals, triangles, color, colors, uvs, paint, influences, morphs });
    }
    Ok(parts)
}

/// The vertices that a primitive lists, of `count`.
fn read_corners(data: &Data<'_>, primitive: &Item<'_>, count: usize) -> Read<Vec<u32>> {
    let Some(indices) = data.accessor(primitive, "indices")? else { return Ok((0..count as u32).collect()) };
    let corners: Vec<u32> = data.integers::<1>(&indices)?.into_iter().flatten().collect();
    match corners.iter().find(|&&corner| corner as usize >= count) {
        Some(corner) => Err(indices.fault(format!("refers to vertex {corner}, but there are {count}"))),
        None => Ok(corners),
    }
}

fn warn(warnings: &mut Vec<String>, what: &str) {
    if !warnings.iter().any(|warning| warning == what) {
        warnings.push(what.to_owned());
    }
}

/// Triangles (mode 4), a strip (5) or a fan (6).
fn triangles(corners: &[u32], mode: usize) -> Vec<[u32; 3]> {
    let triangles = match mode {
        5 => strip(corners.len()),
        6 => fan(corners.len()),
        _ => triples(corners.len()),
    };
    triangles.into_iter().map(|triangle| triangle.map(|at| corners[at])).collect()
}

/// The joints and weights of all vertices; empty if the mesh has none.
fn read_influences(data: &Data<'_>, attributes: &Item<'_>, vertices: usize, joints: usize) -> Read<Vec<Influence>> {
    let (Some(names), Some(shares)) = (data.accessor(attributes, "JOINTS_0")?, data.accessor(attributes, "WEIGHTS_0")?)
    else {
        return Ok(Vec::new());
    };
    let (indices, weights) = (data.integers::<4>(&names)?, data.floats::<4>(&shares)?);
    if indices.len() != vertices || weights.len() != vertices {
        return Err(attributes.fault(format!(
            "{vertices} positions, {} JOINTS_0 and {} WEIGHTS_0",
            indices.len(),
            weights.len()
        )));
    }
    let influence = |(indices, weights): ([u32; 4], [f32; 4])| {
        let weights = weights.map(|weight| weight.max(0.0));
        let sum: f32 = weights.iter().sum();
        let weights = if sum > 0.0 { weights.map(|weight| weight / sum) } else { [1.0, 0.0, 0.0, 0.0] };
        let mut named = [0; 4];
        for ((name, index), weight) in named.iter_mut().zip(indices).zip(weights) {
            match u16::try_from(index) {
                Ok(index) if usize::from(index) < joints => *name = index,
                // A joint without weight is irrelevant.
                _ if weight == 0.0 => {}
                _ => return Err(names.fault(format!("refers to joint {index}, but the skin has {joints}"))),
            }
        }
        Ok(Influence { joints: named, weights })
    };
    indices.into_iter().zip(weights).map(influence).collect()
}

fn read_uvs(data: &Data<'_>, attributes: &Item<'_>, vertices: usize, coordinates: Coordinates) -> Read<Vec<Vec2>> {
    let key = format!("TEXCOORD_{}", coordinates.set);
    let places = data.accessor(attributes, &key)?.ok_or_else(|| attributes.fault(format!("lacks the key `{key}`")))?;
    let uvs: Vec<Vec2> =
        data.floats::<2>(&places)?.into_iter().map(|uv| coordinates.apply(Vec2::from_array(uv))).collect();
    of_vertices(uvs, vertices, &places, "texture coordinates")
}

/// The colours of all vertices, sRGB; empty if the mesh has none.
fn read_colors(data: &Data<'_>, attributes: &Item<'_>, vertices: usize) -> Read<Vec<[f32; 4]>> {
    let Some(reference) = data.accessor(attributes, "COLOR_0")? else { return Ok(Vec::new()) };
    let with_alpha = index_of(attributes, "COLOR_0", &data.lists.accessors, "accessor")?
        .is_some_and(|at| word(&data.lists.accessors[at], "type").is_ok_and(|kind| kind == Some("VEC4")));
    let colors = match with_alpha {
        true => data.floats::<4>(&reference)?,
        false => data.floats::<3>(&reference)?.into_iter().map(|[r, g, b]| [r, g, b, 1.0]).collect(),
    };
    let colors = colors.into_iter().map(|color| encoded(color.map(f64::from))).collect();
    of_vertices(colors, vertices, &reference, "colours")
}

/// A list with an element for each vertex; `what` names them.
fn of_vertices<T>(list: Vec<T>, vertices: usize, item: &Item<'_>, what: &str) -> Read<Vec<T>> {
    match list.len() == vertices {
        true => Ok(list),
        false => Err(item.fault(format!("{vertices} positions, but {} {what}", list.len()))),
    }
}
