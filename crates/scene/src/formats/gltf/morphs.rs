//! Morph targets of meshes, and their weights.

use super::data::{Data, LARGEST};
use super::lists::{list, require};
use super::nodes::Nodes;
use crate::formats::mesh::corners::smooth_normals;
use crate::mesh::Morph;
use crate::syntax_tree::fault::Read;
use crate::syntax_tree::fields::Item;
use glam::Vec3;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// What the list of bones and the list of weights of a file hold at most: many nodes can use the same skin or mesh.
pub(crate) const MAX_REPEATED: usize = 500_000;

/// The weights of all meshes that nodes show.
pub(crate) struct Weights {
    /// Which of the weights are those of each node.
    pub of: Vec<Range<usize>>,
    /// The weights of the file.
    pub all: Vec<f32>,
}

/// Reads the weights that the file opens with: those of the node, or else of its mesh, or else 0.
pub(crate) fn read_weights(data: &Data<'_>, nodes: &Nodes) -> Read<Weights> {
    let lists = data.lists;
    let counts = lists.meshes.iter().map(count_of_targets).collect::<Read<Vec<usize>>>()?;
    let mut weights = Weights { of: Vec::with_capacity(nodes.nodes.len()), all: Vec::new() };
    for (item, node) in lists.nodes.iter().zip(&nodes.nodes) {
        let first = weights.all.len();
        let count = node.mesh.map_or(0, |mesh| counts[mesh]);
        if first + count > MAX_REPEATED {
            let message = format!("more than {MAX_REPEATED} weights of morph targets in all nodes");
            return Err(item.fault(message).hint("show a mesh with many targets by fewer nodes"));
        }
        let mesh = node.mesh.map(|mesh| &lists.meshes[mesh]).filter(|_| count > 0);
        let given = mesh.and_then(|mesh| item.get("weights").or_else(|| mesh.get("weights")));
        match given {
            Some(given) => weights.all.extend(read_numbers(&given, count)?),
            None => weights.all.resize(first + count, 0.0),
        }
        weights.of.push(first..first + count);
    }
    Ok(weights)
}

/// The number of targets of a mesh, the same for all its primitives.
fn count_of_targets(mesh: &Item<'_>) -> Read<usize> {
    let mut count = None;
    for primitive in list(mesh, "primitives")? {
        let own = list(&primitive, "targets")?.len();
        let first = *count.get_or_insert(own);
        if own != first {
            let message = format!("has {own} morph targets, but the first primitive of its mesh has {first}");
            return Err(primitive.fault(message).hint("give all primitives of a mesh the same targets"));
        }
    }
    Ok(count.unwrap_or(0))
}

fn read_numbers(given: &Item<'_>, count: usize) -> Read<Vec<f32>> {
    let items = given.list()?;
    if items.len() != count {
        let message = format!("{} weights, but its mesh has {count} morph targets", items.len());
        return Err(given.fault(message).hint("give one weight for each target"));
    }
    let number = |item: &Item<'_>| match item.number()? {
        number if number.abs() <= LARGEST => Ok(number as f32),
        _ => Err(item.fault(format!("a weight is at most {LARGEST:e}"))),
    };
    items.iter().map(number).collect()
}

/// The lists of vectors that targets refer to, by their accessors: the empty targets of many primitives are often the same.
#[derive(Default)]
pub(crate) struct Displacements(HashMap<usize, Arc<[Vec3]>>);

impl Displacements {
    /// Those of an attribute of a target, for so many vertices; empty if it has none.
    fn read(&mut self, data: &Data<'_>, target: &Item<'_>, key: &str, vertices: usize) -> Read<Arc<[Vec3]>> {
        let Some(reference) = data.accessor(target, key)? else { return Ok(Arc::default()) };
        let accessor = super::lists::count(&reference)?;
        let read = match self.0.get(&accessor) {
            Some(known) => known.clone(),
            None => {
                let read = data.floats::<3>(&reference)?.into_iter().map(Vec3::from_array).collect();
                self.0.entry(accessor).or_insert(read).clone()
            }
        };
        if read.len() != vertices {
            let message = format!("{vertices} positions, but {} displacements in a morph target", read.len());
            return Err(reference.fault(message).hint("a target has as many as its primitive has vertices"));
        }
        Ok(read)
    }

    /// The targets of a primitive at these positions. Where the file has no normals and they come from `triangles`, those of a
    /// target come from its shape.
    pub fn morphs(
        &mut self,
        data: &Data<'_>,
        primitive: &Item<'_>,
        (positions, normals, triangles): (&[Vec3], &[Vec3], &[[u32; 3]]),
    ) -> Read<Vec<Morph>> {
        let has_normals = require(primitive, "attributes")?.get("NORMAL").is_some();
        let mut morphs = Vec::new();
        for target in list(primitive, "targets")? {
            let moved = self.read(data, &target, "POSITION", positions.len())?;
            let turned = match has_normals {
                true => self.read(data, &target, "NORMAL", positions.len())?,
                false if moved.is_empty() => Arc::default(),
                false => {
                    let shape: Vec<Vec3> = positions.iter().zip(&*moved).map(|(place, by)| place + by).collect();
                    smooth_normals(&shape, triangles).iter().zip(normals).map(|(there, here)| there - here).collect()
                }
            };
            morphs.push(Morph { positions: moved, normals: turned });
        }
        Ok(morphs)
    }
}
