//! Ancestors of nodes.

use crate::formats::gltf::nodes::Nodes;

/// Ancestors in constant time, however deep the trees are.
pub(super) struct Trees {
    /// Root above each node.
    pub root: Vec<usize>,
    /// For each node, its index in the node order and the index after its last descendant.
    span: Vec<(usize, usize)>,
}

impl Trees {
    pub fn new(nodes: &Nodes) -> Self {
        let mut root: Vec<usize> = (0..nodes.nodes.len()).collect();
        let mut span = vec![(0, 0); nodes.nodes.len()];
        for (at, &node) in nodes.order.iter().enumerate() {
            root[node] = nodes.nodes[node].parent.map_or(node, |parent| root[parent]);
            span[node] = (at, at + 1);
        }
        // The descendants of a node follow it in that order.
        for &node in nodes.order.iter().rev() {
            if let Some(parent) = nodes.nodes[node].parent {
                span[parent].1 = span[parent].1.max(span[node].1);
            }
        }
        Trees { root, span }
    }

    /// Whether a node is `top` or below it.
    pub fn is_below(&self, node: usize, top: usize) -> bool {
        let (from, to) = self.span[top];
        (from..to).contains(&self.span[node].0)
    }
}
