//! The rest pose of a character whose nodes are posed: the one that its surface was bound in.

use super::data::Data;
use super::nodes::Nodes;
use super::rig::Rig;
use super::skin::inverse_binds;
use crate::motion::transform::{Transform, local_rotation, polar_rotation};
use crate::syntax_tree::fault::Read;
use fabrik3d_ik::Kind;
use fabrik3d_ik::queries::angle_between;
use glam::{DMat4, DQuat, DVec3};

/// Largest rotation in radians, and largest difference of lengths relative to the figure, that is inexact export and no pose.
const SLACK: f64 = 1e-3;

/// The rest pose of a character, and its rig.
pub(crate) struct Rest {
    /// The nodes in the bind pose. None if that is where the file has them.
    pub nodes: Option<Nodes>,
    pub rig: Rig,
}

impl Rest {
    /// Of a character with these nodes. `build` makes the rig of nodes at rest. Limits and joint values count from the pose in
    /// which the skins were bound, wherever a file that holds a pose has its nodes.
    pub fn of(data: &Data<'_>, nodes: &Nodes, build: impl Fn(&Nodes) -> Read<Rig>) -> Read<Self> {
        let bound = bound(data, nodes).unwrap_or_default();
        let Some(turned) = bind_pose(nodes, &bound, |_| false) else {
            return Ok(Rest { nodes: None, rig: build(nodes)? });
        };
        // What moves the figure returns to its place. All other joints have the same place on their parents in each pose.
        let rig = build(&turned)?;
        let is_free = |node: usize| rig.joint[node].is_some_and(|joint| rig.joints[joint].kind == Kind::Free);
        let rest = bind_pose(nodes, &bound, is_free).unwrap_or(turned);
        Ok(Rest { rig: build(&rest)?, nodes: Some(rest) })
    }
}

/// The nodes turned to the pose in which the skins were bound; those that are free are there too. None if no joint turns on
/// another between both.
fn bind_pose(nodes: &Nodes, bound: &[Option<DMat4>], is_free: impl Fn(usize) -> bool) -> Option<Nodes> {
    let mut rest = nodes.clone();
    let mut turns: Vec<DQuat> = Vec::new();
    for &at in &nodes.order {
        let node = &mut rest.nodes[at];
        let above = node.parent.map_or(DMat4::IDENTITY, |parent| rest.world[parent]);
        if let Some(&Some(bound)) = bound.get(at) {
            let (scale, _, own) = node.local.matrix().to_scale_rotation_translation();
            let rotation = local_rotation(&above, polar_rotation(&bound), scale);
            let place = if is_free(at) { above.inverse().transform_point3(place(&bound)) } else { own };
            node.local = Transform { place, rotation, scale, matrix: None };
            turns.push(polar_rotation(&nodes.world[at]) * polar_rotation(&bound).conjugate());
        }
        rest.world[at] = above * node.local.matrix();
    }
    let is_posed = turns.iter().any(|turn| angle_between(*turn, turns[0]) > SLACK);
    (is_posed && rest.world.iter().all(DMat4::is_finite)).then_some(rest)
}

fn place(matrix: &DMat4) -> DVec3 {
    matrix.w_axis.truncate()
}

/// The world transform of each node that a skin binds, in the bind pose. None if a skin does not tell it, or if the links had
/// other lengths in it.
fn bound(data: &Data<'_>, nodes: &Nodes) -> Option<Vec<Option<DMat4>>> {
    let mut bound: Vec<Option<DMat4>> = vec![None; nodes.nodes.len()];
    for (at, item) in data.lists.skins.iter().enumerate() {
        // What is wrong with a skin is said where its surface is read.
        let binds = inverse_binds(data, item).ok().flatten()?;
        let binds: Vec<(usize, DMat4)> = binds.into_iter().map(|(node, inverse)| (node, inverse.inverse())).collect();
        // The file does not say where the skin was in the world: where its mesh is, or at the origin.
        let meshes = (0..nodes.nodes.len()).filter(|&node| nodes.nodes[node].skin == Some(at));
        let skins = meshes.map(|node| nodes.world[node]).chain([DMat4::IDENTITY]);
        let in_world =
            |skin: DMat4| -> Vec<(usize, DMat4)> { binds.iter().map(|&(node, bind)| (node, skin * bind)).collect() };
        let distance = |binds: &Vec<(usize, DMat4)>| -> f64 {
            binds.iter().map(|(node, bind)| place(bind).distance(place(&nodes.world[*node]))).sum()
        };
        let same = skins.map(in_world).filter(|binds| has_same_lengths(nodes, binds));
        for (node, bind) in same.min_by(|a, b| distance(a).total_cmp(&distance(b)))? {
            bound[node].get_or_insert(bind);
        }
    }
    Some(bound)
}

/// Whether most joints of a skin have the same distance from the joint above them as their nodes.
fn has_same_lengths(nodes: &Nodes, binds: &[(usize, DMat4)]) -> bool {
    let mut at_bind: Vec<Option<DVec3>> = vec![None; nodes.nodes.len()];
    binds.iter().for_each(|(node, bind)| at_bind[*node] = Some(place(bind)));
    let slack = SLACK * nodes.size();
    let same = binds.iter().filter_map(|&(node, ref bind)| {
        let above = nodes.ancestors(node).find(|&above| at_bind[above].is_some())?;
        let length = place(&nodes.world[node]).distance(place(&nodes.world[above]));
        let bound = place(bind).distance(at_bind[above]?);
        // Also false for matrices that are not finite.
        Some((bound - length).abs() <= slack)
    });
    let same: Vec<bool> = same.collect();
    2 * same.iter().filter(|&&same| same).count() > same.len()
}
