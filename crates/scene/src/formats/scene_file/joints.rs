//! `[[joint]]`: joints in any order, sorted so that parents come first.

use super::chains::read_chains;
use super::kinds::read_kind;
use crate::SceneEffector;
use crate::builder::{SceneBuilder, parents_first};
use crate::syntax_tree::Node;
use crate::syntax_tree::fault::{Fault, Read, did_you_mean};
use crate::syntax_tree::fields::{Fields, Item};
use fabrik3d_ik::errors::SkeletonError;
use fabrik3d_ik::joints::{Axes, Mimic};
use fabrik3d_ik::{Coordinates, Joint, Kind, Pose, Skeleton};
use glam::{DQuat, DVec3};
use std::collections::{BTreeMap, HashSet};

const JOINT: &str = "name parent offset rest kind swing twist axis range axes max_velocity posture_weight stiffness twist_stiffness mimic \
    start link";

/// What a `[[joint]]` says besides the joint.
struct Remarks {
    /// Largest speed, radians or lengths per second.
    max_velocity: Option<f64>,
    /// With which weight it keeps to its start coordinates.
    posture_weight: f64,
    /// Start coordinates; none, as for most joints: at rest.
    start: Option<Box<Coordinates>>,
}

/// The skeleton with its velocity limits, its start pose, and its joints by name.
pub(crate) struct Assembly {
    pub skeleton: Skeleton,
    /// One per joint, or empty if no joint has one.
    pub velocity_limits: Vec<Option<f64>>,
    /// One per joint, or empty if no joint has one.
    pub posture_weights: Vec<f64>,
    pub start: Pose,
    /// The names of links, each with the joint that carries it.
    pub links: Vec<(String, usize)>,
    names: BTreeMap<String, usize>,
    /// For each joint in the order of the file, its index in the skeleton.
    index: Vec<usize>,
}

impl Assembly {
    /// The joint with the name in an item.
    pub fn joint(&self, item: &Item<'_>) -> Read<usize> {
        let name = item.text()?;
        let names = || self.skeleton.joints().iter().map(|joint| joint.name.as_str());
        self.names.get(name).copied().ok_or_else(|| unknown_joint(item, name, names()))
    }
}

/// The fault for an unknown joint name.
fn unknown_joint<'n>(item: &Item<'_>, name: &str, names: impl IntoIterator<Item = &'n str>) -> Fault {
    let hint = did_you_mean(name, names);
    item.fault(format!("there is no joint `{name}`")).hint_some(hint)
}

/// Reads all joints, those of chains last, and the effectors of chains, each with its chain.
pub(crate) fn read_figure<'a>(
    fields: &Fields<'a>,
    document: &Node,
) -> Read<(Assembly, Vec<(SceneEffector, Item<'a>)>)> {
    let mut items = fields.list("joint")?;
    let first = items.len();
    let mut chains = SceneBuilder::default();
    for (item, chain) in read_chains(fields)? {
        items.extend(std::iter::repeat_n(item, chain.points.len()));
        chains.chain(chain);
    }
    let by_name = numbers_by_name(&items, &chains.joints)?;
    let find = |item: &Item<'_>| {
        let name = item.text()?;
        by_name.get(name).copied().ok_or_else(|| unknown_joint(item, name, by_name.keys().copied()))
    };
    let read = items[..first].iter().map(|item| read_joint(item, find)).collect::<Read<Vec<(Joint, Remarks)>>>()?;
    let (mut joints, remarks): (Vec<Joint>, Vec<Remarks>) = read.into_iter().unzip();
    chains.joints.iter_mut().for_each(|joint| joint.parent = joint.parent.map(|parent| first + parent));
    match first {
        // Large scenes have chains or joints. There is no second copy of them.
        0 => joints = chains.joints,
        _ => joints.append(&mut chains.joints),
    }
    let figure = assemble(joints, remarks, &items, document)?;
    let placed = |mut one: SceneEffector| {
        let at = first + one.effector.joint;
        one.effector.joint = figure.index[at];
        (one, items[at].clone())
    };
    let effectors = chains.effectors.into_iter().map(placed).collect();
    Ok((figure, effectors))
}

/// The numbers of joints by their names, which differ. The last ones are those `of_chains`, whose nodes are the chains.
fn numbers_by_name<'a>(items: &[Item<'a>], of_chains: &'a [Joint]) -> Read<BTreeMap<&'a str, usize>> {
    let mut by_name = BTreeMap::new();
    for (at, item) in items.iter().enumerate() {
        let name = match (at + of_chains.len()).checked_sub(items.len()) {
            Some(at) => of_chains[at].name.as_str(),
            None => item.table(JOINT)?.require("name", "\"elbow\"")?.text()?,
        };
        if let Some(before) = by_name.insert(name, at) {
            let message = format!("a joint named `{name}` exists already, `{}`", items[before].path);
            return Err(item.fault(message).hint("every joint needs a name of its own"));
        }
    }
    Ok(by_name)
}

/// Reads a joint; `find` returns the number of the joint with the name in an item. The parent of the joint, and the one that
/// it follows, are such numbers.
fn read_joint(item: &Item<'_>, find: impl Fn(&Item<'_>) -> Read<usize>) -> Read<(Joint, Remarks)> {
    let fields = item.table(JOINT)?;
    let name = fields.require("name", "\"elbow\"")?.text()?;
    let kind = read_kind(&fields)?;
    let parent = fields.get("parent").map(|item| find(&item)).transpose()?;
    let offset = match parent {
        None => fields.get_or("offset", DVec3::ZERO, |item| item.vector())?,
        Some(_) => fields.require("offset", "[0, 1, 0], its place in the parent's frame")?.vector()?,
    };
    let axes =
        fields.get_or("axes", Axes::Parent, |item| item.word(&[("parent", Axes::Parent), ("world", Axes::World)]))?;
    let rest = fields.get_or("rest", DQuat::IDENTITY, |item| item.rotation())?;
    let start = fields.get("start").map(|item| read_start(&item, &kind).map(Box::new)).transpose()?;
    let mimic = fields.get("mimic").map(|item| read_mimic(&item, &kind, find)).transpose()?;
    let max_velocity = fields.get("max_velocity").map(|item| read_velocity(&item, &kind)).transpose()?;
    let stiffness = fields.get_or("stiffness", 0.0, |item| read_stiffness(&item))?;
    let twist_stiffness = fields.get_or("twist_stiffness", 0.0, |item| read_stiffness(&item))?;
    let joint = Joint { rest, axes, stiffness, twist_stiffness, mimic, ..Joint::new(name, parent, offset, kind) };
    let posture_weight = fields.get_or("posture_weight", 0.0, |item| item.not_negative())?;
    Ok((joint, Remarks { max_velocity, posture_weight, start }))
}

/// An angle per second for a hinge, a length per second for a slide.
fn read_velocity(item: &Item<'_>, kind: &Kind) -> Read<f64> {
    let is_hinge = matches!(kind, Kind::Hinge { .. });
    let velocity = if is_hinge { item.angle()? } else { item.number()? };
    let what = if is_hinge { "an angle per second" } else { "a length per second" };
    if velocity >= 0.0 { Ok(velocity) } else { Err(item.expected(&format!("{what}, at least 0"))) }
}

pub(crate) fn read_stiffness(item: &Item<'_>) -> Read<f64> {
    let stiffness = item.number()?;
    if (0.0..=1.0).contains(&stiffness) { Ok(stiffness) } else { Err(item.expected("a number from 0 to 1")) }
}

fn read_start(item: &Item<'_>, kind: &Kind) -> Read<Coordinates> {
    Ok(match kind {
        Kind::Ball { swing: None, twist: None } => Coordinates::rotation(item.rotation()?),
        Kind::Ball { .. } => {
            let angles = item.list()?.iter().map(Item::angle).collect::<Read<Vec<f64>>>()?;
            let [a, b, twist] = angles[..] else {
                return Err(item.fault("expected three angles: tilt toward x, tilt toward y, twist"));
            };
            Coordinates::ball([a, b], twist)
        }
        Kind::Hinge { .. } => Coordinates::scalar(item.angle()?),
        Kind::Slide { .. } => Coordinates::scalar(item.number()?),
        Kind::Fixed => Coordinates::default(),
        Kind::Free => {
            let [px, py, pz, x, y, z, w] = item.numbers("seven numbers: position and quaternion")?;
            Coordinates::free(DVec3::new(px, py, pz), DQuat::from_xyzw(x, y, z, w))
        }
    })
}

fn read_mimic(item: &Item<'_>, kind: &Kind, find: impl Fn(&Item<'_>) -> Read<usize>) -> Read<Mimic> {
    let fields = item.table("joint scale offset")?;
    let offset = |item: Item<'_>| if matches!(kind, Kind::Hinge { .. }) { item.angle() } else { item.number() };
    Ok(Mimic {
        joint: find(&fields.require("joint", "\"finger1\"")?)?,
        scale: fields.get_or("scale", 1.0, |item| item.number())?,
        offset: fields.get_or("offset", 0.0, offset)?,
    })
}

/// Sorts the joints parents first and builds the skeleton. `items` are their nodes, and the first ones have `remarks`.
fn assemble(joints: Vec<Joint>, remarks: Vec<Remarks>, items: &[Item<'_>], document: &Node) -> Read<Assembly> {
    if joints.is_empty() {
        return Err(Fault::new(document.place, "the scene has no joints").hint("add a [[joint]] or a [[chain]]"));
    }
    let parents: Vec<Option<usize>> = joints.iter().map(|joint| joint.parent).collect();
    let order = parents_first(&parents).map_err(|cycle| cycle_fault(&joints, items, &cycle))?;
    let mut index = vec![0; joints.len()];
    order.iter().enumerate().for_each(|(at, &number)| index[number] = at);
    (0..joints.len()).try_for_each(|at| check_mimic(&joints, at, &items[at]))?;
    let velocity = |number: &usize| remarks.get(*number).and_then(|remarks| remarks.max_velocity);
    let mut velocity_limits: Vec<Option<f64>> = order.iter().map(velocity).collect();
    if velocity_limits.iter().all(Option::is_none) {
        velocity_limits.clear();
    }
    let weight = |number: &usize| remarks.get(*number).map_or(0.0, |remarks| remarks.posture_weight);
    let mut posture_weights: Vec<f64> = order.iter().map(weight).collect();
    if posture_weights.iter().all(|weight| *weight == 0.0) {
        posture_weights.clear();
    }
    let links = read_links(&order, items)?;
    let starts = remarks.into_iter().zip(&index).filter_map(|(remarks, &at)| Some((at, *remarks.start?))).collect();
    let mut unsorted: Vec<Option<Joint>> = joints.into_iter().map(Some).collect();
    let sorted = order.iter().filter_map(|&number| unsorted[number].take()).map(|joint| {
        let mimic = joint.mimic.map(|mimic| Mimic { joint: index[mimic.joint], ..mimic });
        Joint { parent: joint.parent.map(|parent| index[parent]), mimic, ..joint }
    });
    let joints: Vec<Joint> = sorted.collect();
    drop(unsorted);
    let names: BTreeMap<String, usize> =
        joints.iter().enumerate().map(|(at, joint)| (joint.name.clone(), at)).collect();
    let skeleton = Skeleton::new(joints).map_err(|error| match &error {
        SkeletonError::NoCommonRange { follower, .. } => {
            mimic_item(&items[order[names[follower]]]).fault(error.to_string())
        }
        _ => Fault::new(document.place, error.to_string()),
    })?;
    let start = start_pose(&skeleton, starts);
    Ok(Assembly { skeleton, velocity_limits, posture_weights, start, links, names, index })
}

/// The names of links, each with the index of its joint in the skeleton, whose joints have these numbers in the file.
fn read_links(order: &[usize], items: &[Item<'_>]) -> Read<Vec<(String, usize)>> {
    let mut known = HashSet::new();
    let mut links = Vec::new();
    for (joint, &at) in order.iter().enumerate() {
        let Some(item) = items[at].get("link") else { continue };
        let name = item.text()?;
        if !known.insert(name) {
            return Err(item.fault(format!("another joint carries the link `{name}`, too")));
        }
        links.push((name.to_owned(), joint));
    }
    Ok(links)
}

/// The start pose. Coordinates that are outside the limits by more than rounding are clamped.
fn start_pose(skeleton: &Skeleton, starts: Vec<(usize, Coordinates)>) -> Pose {
    let mut pose = skeleton.rest_pose();
    for (at, start) in starts {
        let kind = skeleton.kind(at);
        let inside = kind.project(start);
        let kept =
            inside.values(kind).iter().zip(start.values(kind)).all(|(inside, start)| (inside - start).abs() < 1e-12);
        pose[at] = if kept { start } else { inside };
    }
    skeleton.follow(&mut pose);
    pose
}

/// The node that says which joint a joint follows.
fn mimic_item<'a>(joint: &Item<'a>) -> Item<'a> {
    joint.get("mimic").unwrap_or_else(|| joint.clone())
}

/// Checks that a joint follows one that can lead, if it follows any.
fn check_mimic(joints: &[Joint], follower: usize, item: &Item<'_>) -> Read<()> {
    let Some(mimic) = joints[follower].mimic else { return Ok(()) };
    let (leader, item) = (&joints[mimic.joint], mimic_item(item));
    let name = &leader.name;
    if mimic.joint == follower {
        return Err(item.fault("a joint cannot follow itself"));
    }
    if leader.mimic.is_some() {
        let hint = "follow the joint that leads both";
        return Err(item.fault(format!("`{name}` itself follows another joint")).hint(hint));
    }
    match leader.kind {
        Kind::Hinge { .. } | Kind::Slide { .. } => Ok(()),
        _ => Err(item.fault(format!("only a hinge or a slide can be followed; `{name}` is neither"))),
    }
}

fn cycle_fault(joints: &[Joint], items: &[Item<'_>], cycle: &[usize]) -> Fault {
    let mut names: Vec<&str> = cycle.iter().take(8).map(|&at| joints[at].name.as_str()).collect();
    names.push(if cycle.len() > 8 { "..." } else { names[0] });
    let item = &items[cycle[0]];
    item.get("parent")
        .as_ref()
        .unwrap_or(item)
        .fault(format!("the parents form a cycle: {}", names.join(" -> ")))
        .hint("one of these joints must be a root: remove its `parent`")
}
