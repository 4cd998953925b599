//! The nodes that are joints, and the frames of the skeleton relative to them.

use super::clips::{Clip, Moved, REST_TOLERANCE, ROUNDING};
use super::lists::{Lists, index, require};
use super::nodes::Nodes;
use crate::assets::HumanLimits;
use crate::builder::{MAX_JOINTS, UniqueNames};
use crate::formats::character::{Anatomy, Limited, Recognition, RestJoint, joints_of, standing};
use crate::motion::keys::NodeTree;
use crate::motion::transform::polar_rotation;
use crate::retarget::known_body::KnownBody;
use crate::syntax_tree::fault::Read;
use fabrik3d_ik::{Joint, Kind};
use glam::{DMat4, DQuat, DVec3};

/// The joints of a skeleton among the nodes of a document.
pub(crate) struct Rig {
    /// Node of each joint, parents first.
    pub nodes: Vec<usize>,
    /// For each node, the joint that it moves with: its own or the nearest one above.
    pub carrier: Vec<Option<usize>>,
    /// Joint of each node.
    pub joint: Vec<Option<usize>>,
    /// Rest frame of each joint.
    pub rest: Vec<DMat4>,
    /// For each joint, the rotation from its node's axes to its frame.
    pub turn: Vec<DQuat>,
    pub joints: Vec<Joint>,
    pub recognition: Recognition,
    pub human_limits: HumanLimits,
}

/// Builds the skeleton of nodes at rest. A joint that clips translate is free if it is on the trunk: they move the whole figure there.
/// The trunk ends at the hips of a known body, otherwise where the first joints branch off.
pub(crate) fn build(
    lists: &Lists<'_>,
    nodes: &Nodes,
    limited: Limited<'_>,
    recognise: impl FnOnce(&[RestJoint]) -> Recognition,
    clips: &[Clip],
) -> Read<Rig> {
    let is_joint = nodes_of_joints(lists, nodes, clips)?;
    let mut drafts: Vec<RestJoint> = Vec::new();
    let mut joint = vec![None; nodes.nodes.len()];
    let mut carrier: Vec<Option<usize>> = vec![None; nodes.nodes.len()];
    let mut names = UniqueNames::default();
    let mut joint_nodes = Vec::new();
    for &at in &nodes.order {
        let node = &nodes.nodes[at];
        carrier[at] = node.parent.and_then(|parent| carrier[parent]);
        if !is_joint[at] {
            continue;
        }
        drafts.push(RestJoint {
            name: names.claim(node.name.as_deref().unwrap_or(&format!("node{at}"))),
            parent: carrier[at],
            position: nodes.world[at].w_axis.truncate(),
            rotation: polar_rotation(&nodes.world[at]),
            tips: Vec::new(),
            kind: Kind::UNLIMITED_BALL,
        });
        joint_nodes.push(at);
        (joint[at], carrier[at]) = (Some(drafts.len() - 1), Some(drafts.len() - 1));
    }
    match drafts.len() {
        0 => return Err(lists.root.fault("there is neither a skin nor a node in this file")),
        count if count > MAX_JOINTS => {
            return Err(lists.root.fault(format!("{count} joints are more than the {MAX_JOINTS} supported")));
        }
        _ => {}
    }
    let recognition = recognise(&drafts);
    let body = recognition.body.as_ref();
    let moved = Moved::by(nodes, clips.iter().flat_map(|clip| &clip.tracks), REST_TOLERANCE);
    free_trunk(&mut drafts, body, |at| moved.placed[joint_nodes[at]]);
    let Anatomy { joints, frames, human_limits } = joints_of(&drafts, body, limited, |_, _| DVec3::ZERO);
    let rest = drafts.iter().zip(&frames).map(|(draft, &turn)| DMat4::from_rotation_translation(turn, draft.position));
    let turn = drafts.iter().zip(&frames).map(|(draft, &frame)| (draft.rotation.conjugate() * frame).normalize());
    Ok(Rig {
        rest: rest.collect(),
        turn: turn.collect(),
        nodes: joint_nodes,
        carrier,
        joint,
        joints,
        recognition,
        human_limits,
    })
}

/// Whether each node is a joint. The skeleton is what skins name, or all nodes without a skin; what clips move; and what lies on
/// the way between any two of them.
fn nodes_of_joints(lists: &Lists<'_>, nodes: &Nodes, clips: &[Clip]) -> Read<Vec<bool>> {
    let mut is_joint = vec![lists.skins.is_empty(); lists.nodes.len()];
    for skin in &lists.skins {
        let joints = require(skin, "joints")?;
        let items = joints.list()?;
        if items.is_empty() {
            return Err(joints.fault("a skin needs at least one joint"));
        }
        for item in items {
            is_joint[index(&item, &lists.nodes, "node")?] = true;
        }
    }
    let moved = Moved::by(nodes, clips.iter().flat_map(|clip| &clip.tracks), ROUNDING);
    (0..is_joint.len()).for_each(|at| is_joint[at] |= moved.has(at));
    add_ways(nodes, &mut is_joint);
    Ok(is_joint)
}

/// Adds the nodes on the way between any two of a set: those with one below them and another one above, or in another branch.
fn add_ways(nodes: &Nodes, set: &mut [bool]) {
    // How many branches at a node hold some of the set, its own place being one.
    let mut branches: Vec<usize> = set.iter().map(|&own| usize::from(own)).collect();
    for &at in nodes.order.iter().rev() {
        if let Some(parent) = nodes.nodes[at].parent.filter(|_| branches[at] > 0) {
            branches[parent] += 1;
        }
    }
    for &at in &nodes.order {
        let is_below = nodes.nodes[at].parent.is_some_and(|parent| set[parent]);
        set[at] |= branches[at] > 1 || (branches[at] == 1 && is_below);
    }
}

/// Frees the joints of the trunk that clips move, and the hips of a standing figure, which can move even if no clip moves
/// them.
fn free_trunk(drafts: &mut [RestJoint], body: Option<&KnownBody>, moves: impl Fn(usize) -> bool) {
    let mut branches = vec![0; drafts.len()];
    drafts.iter().filter_map(|draft| draft.parent).for_each(|parent| branches[parent] += 1);
    let mut is_trunk = vec![true; drafts.len()];
    let hips = body.map_or(0, |body| body.hips);
    for at in 0..drafts.len() {
        let parent = drafts[at].parent;
        is_trunk[at] = match body {
            Some(body) => body.above(hips).any(|above| above == at),
            None => parent.is_none_or(|parent| is_trunk[parent] && branches[parent] == 1),
        };
        if is_trunk[at] && moves(at) {
            drafts[at].kind = Kind::Free;
        }
    }
    let is_free = |draft: &RestJoint| draft.kind == Kind::Free;
    if stands(drafts, &branches, hips) && (body.is_some() || !drafts.iter().any(is_free)) {
        drafts[hips].kind = Kind::Free;
    }
}

/// Whether the joints form one figure that stands on several of its leaves, but not on its hips.
fn stands(joints: &[RestJoint], branches: &[usize], hips: usize) -> bool {
    let heights: Vec<f64> = joints.iter().map(|joint| joint.position.y).collect();
    let (low, high) = heights.iter().fold((f64::MAX, f64::MIN), |(low, high), &at| (low.min(at), high.max(at)));
    let ends: Vec<f64> = (0..joints.len()).filter(|&at| branches[at] == 0).map(|at| heights[at]).collect();
    let one = joints.iter().filter(|joint| joint.parent.is_none()).count() == 1;
    one && standing(&ends, (low, high)).is_some() && standing(&[heights[hips]; 2], (low, high)).is_none()
}

impl Rig {
    /// Transform from the space of a node to the frame of the joint that it moves with, or to world space without one.
    pub fn attached(&self, nodes: &Nodes, node: usize) -> DMat4 {
        let to_world = nodes.world[node];
        self.carrier[node].map_or(to_world, |joint| self.rest[joint].inverse() * to_world)
    }

    /// Rest position of a joint, world space.
    pub fn position(&self, joint: usize) -> DVec3 {
        self.rest[joint].w_axis.truncate()
    }

    /// The joints that a clip moves on their parents, except for the free ones: it translates them, or scales a node above them. What
    /// else it moves above them is a joint itself.
    pub fn moved_by(&self, nodes: &Nodes, clip: &Clip) -> Vec<usize> {
        let Moved { placed, mut scaled, .. } = Moved::by(nodes, clip.tracks.iter(), ROUNDING);
        let mut moved = Vec::new();
        for &at in &nodes.order {
            let is_carried = nodes.nodes[at].parent.is_some_and(|parent| scaled[parent]);
            scaled[at] |= is_carried;
            let joint = self.joint[at].filter(|_| placed[at] || is_carried);
            moved.extend(joint.filter(|&joint| self.joints[joint].kind != Kind::Free));
        }
        moved.sort_unstable();
        moved
    }

    /// The nodes of the document, parents first, and the index of each in that list.
    pub fn node_tree(&self, nodes: &Nodes) -> (NodeTree, Vec<usize>) {
        let mut place = vec![0; nodes.nodes.len()];
        nodes.order.iter().enumerate().for_each(|(at, &node)| place[node] = at);
        let entry = |&node: &usize| (nodes.nodes[node].parent.map(|parent| place[parent]), nodes.nodes[node].local);
        let joints = self.nodes.iter().zip(&self.turn).map(|(&node, &turn)| (place[node], turn)).collect();
        (NodeTree { nodes: nodes.order.iter().map(entry).collect(), joints }, place)
    }
}
