//! The tree of nodes.

use super::lists::{Lists, index, index_of, list, word};
use crate::formats::depth_first;
use crate::motion::transform::Transform;
use crate::syntax_tree::fault::Read;
use crate::syntax_tree::fields::Item;
use glam::{DMat4, DQuat, DVec3, DVec4};

/// Largest deviation of the last row of a matrix from 0, 0, 0, 1. Other matrices project, and no pose means the same.
const ROW_TOLERANCE: f64 = 1e-3;

#[derive(Clone)]
pub(crate) struct Node {
    pub name: Option<String>,
    pub parent: Option<usize>,
    pub local: Transform,
    pub mesh: Option<usize>,
    pub skin: Option<usize>,
}

#[derive(Clone)]
pub(crate) struct Nodes {
    pub nodes: Vec<Node>,
    /// Their indices, parents first.
    pub order: Vec<usize>,
    /// Transform of each node from its space to world space.
    pub world: Vec<DMat4>,
}

impl Nodes {
    /// The nodes above a node, from its parent upward.
    pub fn ancestors(&self, node: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(self.nodes[node].parent, |&at| self.nodes[at].parent)
    }

    /// Largest distance of a node from the origin of the world.
    pub fn size(&self) -> f64 {
        self.world.iter().map(|matrix| matrix.w_axis.truncate().length()).fold(0.0, f64::max)
    }
}

/// Reads the nodes and checks that they are trees.
pub(crate) fn read_nodes(lists: &Lists<'_>) -> Read<Nodes> {
    let mut nodes = lists.nodes.iter().map(|item| read_node(lists, item)).collect::<Read<Vec<Node>>>()?;
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    for (at, item) in lists.nodes.iter().enumerate() {
        for reference in list(item, "children")? {
            let child = index(&reference, &lists.nodes, "node")?;
            if let Some(parent) = nodes[child].parent.replace(at) {
                let message = format!("node {child} is already the child of node {parent}");
                return Err(reference.fault(message).hint("a node has one parent"));
            }
            below[at].push(child);
        }
    }
    let order = depth_first((0..nodes.len()).filter(|&at| nodes[at].parent.is_none()), |at| &below[at]);
    if order.len() < nodes.len() {
        let mut reached = vec![false; nodes.len()];
        order.iter().for_each(|&at| reached[at] = true);
        let lost = reached.iter().position(|reached| !reached).unwrap_or(0);
        return Err(lists.nodes[lost].fault("the children form a cycle").hint("a node cannot be its own descendant"));
    }
    let mut world = vec![DMat4::IDENTITY; nodes.len()];
    for &at in &order {
        let above = nodes[at].parent.map_or(DMat4::IDENTITY, |parent| world[parent]);
        world[at] = above * nodes[at].local.matrix();
    }
    if let Some(at) = world.iter().position(|matrix| !matrix.is_finite()) {
        return Err(lists.nodes[at].fault("its position in the world is not finite"));
    }
    Ok(Nodes { nodes, order, world })
}

fn read_node(lists: &Lists<'_>, item: &Item<'_>) -> Read<Node> {
    let matrix = match item.get("matrix") {
        None => None,
        Some(numbers) => {
            let matrix = DMat4::from_cols_array(&numbers.numbers("sixteen numbers, column by column")?);
            if matrix.row(3).distance(DVec4::W) > ROW_TOLERANCE {
                let row = matrix.row(3);
                let message = format!("the last row of the matrix is {}, {}, {}, {}", row.x, row.y, row.z, row.w);
                return Err(numbers.fault(message).hint("it must be 0, 0, 0, 1, the last of every four numbers"));
            }
            Some(matrix)
        }
    };
    let vector = |key: &str, default: DVec3| item.get(key).map_or(Ok(default), |value| value.vector());
    let local = Transform {
        place: vector("translation", DVec3::ZERO)?,
        rotation: item.get("rotation").map_or(Ok(DQuat::IDENTITY), |value| value.any_rotation())?,
        scale: vector("scale", DVec3::ONE)?,
        matrix: matrix.filter(|matrix| *matrix != DMat4::IDENTITY),
    };
    Ok(Node {
        name: word(item, "name")?.map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned),
        parent: None,
        local,
        mesh: index_of(item, "mesh", &lists.meshes, "mesh")?,
        skin: index_of(item, "skin", &lists.skins, "skin")?,
    })
}
