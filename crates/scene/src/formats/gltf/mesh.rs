//! glTF as a mesh file: what its nodes show at rest.

use super::data::Data;
use super::material::Materials;
use super::morphs::read_weights;
use super::nodes::{self, Nodes};
use super::read;
use super::skin::{bound_nodes, inverse_binds, read_mesh};
use crate::error::SceneError;
use crate::formats::mesh::MAX_INSTANCES;
use crate::formats::mesh::corners::smooth_normals;
use crate::formats::mesh::materials::Companions;
use crate::mesh::{Mesh, MeshFile};
use crate::options::Up;
use crate::syntax_tree::fault::Read;
use glam::DMat4;
use std::path::Path;

/// Reads the meshes of all nodes, in the space of the file.
pub(crate) fn read(bytes: Vec<u8>, origin: &str, companions: &mut Companions<'_>) -> Result<MeshFile, SceneError> {
    let folder = companions.folder().unwrap_or(Path::new("."));
    read::open(&bytes, origin, (folder, &companions.files()), |data| {
        let nodes = nodes::read_nodes(data.lists)?;
        let weights = read_weights(data, &nodes)?;
        let mut materials = Materials::new(data);
        let mut file = MeshFile { up: Some(Up::Y), ..MeshFile::default() };
        let shown = nodes.nodes.iter().enumerate().filter_map(|(at, node)| Some((at, node.mesh?)));
        for (count, (at, mesh)) in shown.enumerate() {
            if count == MAX_INSTANCES {
                return Err(data.lists.nodes[at].fault(format!("more than {MAX_INSTANCES} nodes show a mesh")));
            }
            let bones = bones(data, &nodes, at)?;
            let joints = bones.as_ref().map(Vec::len);
            let parts = read_mesh(data, &data.lists.meshes[mesh], joints, (&mut materials, &mut file.warnings))?;
            let own = &weights.all[weights.of[at].clone()];
            let parts = parts.into_iter().map(|part| at_rest(part, own, nodes.world[at], bones.as_deref()));
            let parts: Vec<Mesh> = parts.collect();
            if parts.iter().flat_map(|part| &part.positions).any(|place| !place.is_finite()) {
                return Err(data.lists.nodes[at].fault("its mesh is not finite where the node has it"));
            }
            file.parts.extend(parts);
        }
        file.warnings.append(&mut materials.pictures.warnings);
        Ok(file)
    })
}

/// The transforms from mesh space to that of the file of the joints of a node's skin; none without a skin.
fn bones(data: &Data<'_>, nodes: &Nodes, node: usize) -> Read<Option<Vec<DMat4>>> {
    let Some(skin) = nodes.nodes[node].skin.map(|skin| &data.lists.skins[skin]) else { return Ok(None) };
    let binds = match inverse_binds(data, skin)? {
        Some(binds) => binds,
        None => bound_nodes(data, skin)?.into_iter().map(|node| (node, DMat4::IDENTITY)).collect(),
    };
    Ok(Some(binds.into_iter().map(|(node, bind)| nodes.world[node] * bind).collect()))
}

fn at_rest(mut part: Mesh, weights: &[f32], world: DMat4, bones: Option<&[DMat4]>) -> Mesh {
    (part.positions, part.normals) = (part.places(weights).into_owned(), part.facings(weights).into_owned());
    part.morphs = Vec::new();
    let Some(bones) = bones.filter(|_| !part.influences.is_empty()) else { return part.transformed(world) };
    part.positions = part.bent(&part.positions, bones).map(|place| place.as_vec3()).collect();
    part.normals = smooth_normals(&part.positions, &part.triangles);
    part.influences = Vec::new();
    part
}
