//! `[[chain]]`: a serial chain of unlimited joints, defined by its points.

use crate::builder::{ChainSpec, SceneBuilder};
use crate::syntax_tree::fault::Read;
use crate::syntax_tree::fields::{Fields, Item};
use crate::syntax_tree::{Node, Table};
use crate::{Scene, SceneEffector};
use fabrik3d_ik::Kind;
use glam::DVec3;

const CHAIN: &str = "name points base target presets";

/// Reads all chains, each with its node.
pub(crate) fn read_chains<'a>(fields: &Fields<'a>) -> Read<Vec<(Item<'a>, ChainSpec)>> {
    let chain = |(at, item): (usize, Item<'a>)| read_chain(&item, at).map(|chain| (item, chain));
    fields.list("chain")?.into_iter().enumerate().map(chain).collect()
}

/// Length of the shortest link of a chain; its square is above zero.
const SHORTEST: f64 = 1e-100;

fn read_chain(item: &Item<'_>, at: usize) -> Read<ChainSpec> {
    let fields = item.table(CHAIN)?;
    let points_item = fields.require("points", "[[0, 0, 0], [0, 1, 0], [0, 2, 0]]")?;
    let items = points_item.list()?;
    if items.len() < 2 {
        return Err(points_item.fault(format!("a chain needs at least two points, not {}", items.len())));
    }
    let points = items.iter().map(Item::vector).collect::<Read<Vec<_>>>()?;
    if let Some(link) = points.windows(2).position(|pair| pair[0].distance(pair[1]) < SHORTEST) {
        let is_zero = points[link] == points[link + 1];
        let what = if is_zero { "has no length" } else { "is too short: a link has at least the length 1e-100" };
        let message = format!("the link from point {link} to point {} {what}", link + 1);
        return Err(items[link + 1].fault(message).hint("move or remove one of the two points"));
    }
    let unnamed = || if at == 0 { "chain".to_owned() } else { format!("chain{}", at + 1) };
    let presets = fields.list("presets")?;
    Ok(ChainSpec {
        name: fields.get("name").map_or_else(|| Ok(unnamed()), |item| item.text().map(str::to_owned))?,
        points,
        free_base: fields.get_or("base", false, |item| item.word(&[("fixed", false), ("free", true)]))?,
        target: fields.get("target").map(|item| item.vector()).transpose()?,
        presets: presets.iter().map(Item::vector).collect::<Read<_>>()?,
    })
}

/// The joints and effectors at the end of a scene that can be written as `[[chain]]`, in order.
pub(crate) fn trailing_chains(scene: &Scene) -> Vec<ChainSpec> {
    let (mut joints, mut chains) = (scene.skeleton.len(), Vec::new());
    for effector in scene.effectors.iter().rev() {
        let Some(chain) = as_chain(scene, effector, joints) else { break };
        joints -= chain.points.len();
        chains.push(chain);
    }
    chains.reverse();
    chains
}

/// The chain that ends with an effector and before joint `end`, if reading it gives exactly these joints.
fn as_chain(scene: &Scene, effector: &SceneEffector, end: usize) -> Option<ChainSpec> {
    let joints = scene.skeleton.joints();
    let first = scene.skeleton.root(effector.effector.joint);
    if effector.effector.joint + 1 != end {
        return None;
    }
    let mut points: Vec<DVec3> = Vec::with_capacity(end - first);
    for joint in &joints[first..end] {
        let before = points.last().copied().unwrap_or_default();
        points.push(tidied(before + joint.offset));
    }
    let chain = ChainSpec {
        name: effector.name.clone(),
        points,
        free_base: joints[first].kind == Kind::Free,
        target: effector.target.position,
        presets: effector.presets.clone(),
    };
    let mut builder = SceneBuilder::default();
    if chain.points.len() < 2 {
        return None;
    }
    builder.chain(chain.clone());
    let made = builder.joints.into_iter().map(|mut joint| {
        joint.parent = joint.parent.map(|parent| first + parent);
        joint
    });
    let same_joints = made.eq(joints[first..end].iter().cloned());
    let same_effector = builder.effectors.into_iter().all(|mut made| {
        made.effector.joint = end - 1;
        made == *effector
    });
    let at_rest = (first..end).all(|at| scene.start[at] == joints[at].kind.rest());
    (same_joints && same_effector && at_rest).then_some(chain)
}

/// A point without the rounding errors of summed offsets.
pub(crate) fn tidied(point: DVec3) -> DVec3 {
    DVec3::from_array(
        point.to_array().map(|value| if value.abs() < 1e3 { (value * 1e12).round() / 1e12 } else { value }),
    )
}

pub(crate) fn write_chain(chain: &ChainSpec) -> Node {
    let mut table = Table::default();
    table.put("name", chain.name.as_str());
    table.put_some("base", chain.free_base.then_some("free"));
    table.put("points", Node::list(chain.points.iter().copied()));
    table.put_some("target", chain.target);
    table.put_list("presets", chain.presets.iter().copied());
    table.into()
}
