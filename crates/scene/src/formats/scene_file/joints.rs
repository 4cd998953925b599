//! `[[joint]]`: joints in any order, sorted so that parents come first.

use super::kinds::read_kind;
use crate::syntax_tree::Node;
use crate::syntax_tree::fault::{Fault, Read, did_you_mean};
use crate::syntax_tree::fields::{Fields, Item};
use fabrik3d_ik::errors::SkeletonError;
use fabrik3d_ik::joints::{Axes, Mimic};
use fabrik3d_ik::{Coordinates, Joint, Kind, Pose, Skeleton};
use glam::{DQuat, DVec3};
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

const JOINT: &[&str] = &[
    "name",
    "parent",
    "offset",
    "rest",
    "kind",
    "swing",
    "twist",
    "axis",
    "range",
    "axes",
    "max_velocity",
    "stiffness",
    "mimic",
    "start",
    "link",
];

/// A joint that refers to other joints by name.
pub(crate) struct Draft<'a> {
    /// The joint without parent and mimic.
    pub joint: Joint,
    /// Its node in the file.
    pub item: Item<'a>,
    pub parent: Parent<'a>,
    /// Few joints follow others.
    pub mimic: Option<Box<MimicDraft<'a>>>,
    /// Largest speed, radians or lengths per second.
    pub max_velocity: Option<f64>,
    /// Start coordinates; none, as for most joints: at rest.
    pub start: Option<Box<Coordinates>>,
    /// The name of the link that the joint carries.
    pub link: Option<Item<'a>>,
}

/// The parent of a draft.
pub(crate) enum Parent<'a> {
    /// None: a root.
    None,
    /// The parent's name.
    Named(Item<'a>),
    /// The parent's index among the drafts.
    Draft(usize),
}

pub(crate) struct MimicDraft<'a> {
    item: Item<'a>,
    leader: Item<'a>,
    scale: f64,
    offset: f64,
}

/// The skeleton with its velocity limits, its start pose, and its joints by name.
pub(crate) struct Assembly {
    pub skeleton: Skeleton,
    /// One per joint, or empty if no joint has one.
    pub velocity_limits: Vec<Option<f64>>,
    pub start: Pose,
    /// The names of links, each with the joint that carries it.
    pub links: Vec<(String, usize)>,
    names: HashMap<String, usize>,
}

impl Assembly {
    /// The joint with the name in an item.
    pub fn joint(&self, item: &Item<'_>) -> Read<usize> {
        let name = item.text()?;
        let names = || self.skeleton.joints().iter().map(|joint| joint.name.as_str());
        self.names.get(name).copied().ok_or_else(|| unknown_joint(item, name, names()))
    }

    /// The joint with a name that exists.
    pub fn named(&self, name: &str) -> usize {
        self.names[name]
    }
}

/// The fault for an unknown joint name.
fn unknown_joint<'n>(item: &Item<'_>, name: &str, names: impl IntoIterator<Item = &'n str>) -> Fault {
    let hint = did_you_mean(name, names);
    item.fault(format!("there is no joint `{name}`")).hint_some(hint)
}

/// Reads all joints, in file order.
pub(crate) fn read_joints<'a>(fields: &Fields<'a>) -> Read<Vec<Draft<'a>>> {
    let items = fields.list("joint")?;
    // Collected, the list could grow to twice the size.
    let mut drafts = Vec::with_capacity(items.len());
    for item in items {
        drafts.push(read_joint(item)?);
    }
    Ok(drafts)
}

fn read_joint(item: Item<'_>) -> Read<Draft<'_>> {
    let fields = item.table(JOINT)?;
    let name = fields.require("name", "\"elbow\"")?.text()?;
    let kind = read_kind(&fields)?;
    let parent = fields.get("parent");
    let offset = match &parent {
        None => fields.get_or("offset", DVec3::ZERO, |item| item.vector())?,
        Some(_) => fields.require("offset", "[0, 1, 0], its place in the parent's frame")?.vector()?,
    };
    let axes =
        fields.get_or("axes", Axes::Parent, |item| item.word(&[("parent", Axes::Parent), ("world", Axes::World)]))?;
    let rest = fields.get_or("rest", DQuat::IDENTITY, |item| item.rotation())?;
    let start = fields.get("start").map(|item| read_start(&item, &kind).map(Box::new)).transpose()?;
    let mimic = fields.get("mimic").map(|item| read_mimic(item, &kind).map(Box::new)).transpose()?;
    let max_velocity = fields.get("max_velocity").map(|item| read_velocity(&item, &kind)).transpose()?;
    let stiffness = fields.get_or("stiffness", 0.0, |item| read_stiffness(&item))?;
    let joint = Joint { rest, axes, stiffness, ..Joint::new(name, None, offset, kind) };
    let parent = parent.map_or(Parent::None, Parent::Named);
    let link = fields.get("link");
    Ok(Draft { joint, item, parent, mimic, max_velocity, start, link })
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

fn read_mimic<'a>(item: Item<'a>, kind: &Kind) -> Read<MimicDraft<'a>> {
    let fields = item.table(&["joint", "scale", "offset"])?;
    let offset = |item: Item<'_>| if matches!(kind, Kind::Hinge { .. }) { item.angle() } else { item.number() };
    Ok(MimicDraft {
        leader: fields.require("joint", "\"finger1\"")?,
        scale: fields.get_or("scale", 1.0, |item| item.number())?,
        offset: fields.get_or("offset", 0.0, offset)?,
        item,
    })
}

/// Resolves names, sorts parents first, and builds the skeleton.
pub(crate) fn assemble(mut drafts: Vec<Draft<'_>>, document: &Node) -> Read<Assembly> {
    if drafts.is_empty() {
        return Err(Fault::new(document.place, "the scene has no joints").hint("add a [[joint]] or a [[chain]]"));
    }
    let by_name = numbers_by_name(&drafts)?;
    let find = |item: &Item<'_>| {
        let name = item.text()?;
        by_name.get(name).copied().ok_or_else(|| unknown_joint(item, name, by_name.keys().copied()))
    };
    let parents = drafts.iter().map(|draft| match &draft.parent {
        Parent::None => Ok(None),
        Parent::Named(item) => find(item).map(Some),
        Parent::Draft(at) => Ok(Some(*at)),
    });
    let parents: Vec<Option<usize>> = parents.collect::<Read<_>>()?;
    let order = parents_first(&parents).map_err(|cycle| cycle_fault(&drafts, &cycle))?;
    let mut index = vec![0; drafts.len()];
    order.iter().enumerate().for_each(|(at, &draft)| index[draft] = at);

    let (mut mimics, mut places) = (Vec::new(), Vec::new());
    for &at in &order {
        if let Some(mimic) = &drafts[at].mimic {
            let leader = find(&mimic.leader)?;
            check_mimic(&drafts, at, leader, &mimic.item)?;
            places.push((drafts[at].joint.name.clone(), mimic.item.clone()));
            mimics.push((index[at], Mimic { joint: index[leader], scale: mimic.scale, offset: mimic.offset }));
        }
    }
    let mut velocity_limits: Vec<Option<f64>> = order.iter().map(|&at| drafts[at].max_velocity).collect();
    if velocity_limits.iter().all(Option::is_none) {
        velocity_limits.clear();
    }
    let links = read_links(&order, &drafts)?;
    let (mut joints, mut starts) = (Vec::with_capacity(drafts.len()), Vec::new());
    for &at in &order {
        let none = Joint::new("", None, DVec3::ZERO, Kind::Fixed);
        let joint = std::mem::replace(&mut drafts[at].joint, none);
        starts.extend(drafts[at].start.take().map(|start| (joints.len(), *start)));
        joints.push(Joint { parent: parents[at].map(|parent| index[parent]), ..joint });
    }
    // The drafts of a large scene take more memory than its joints.
    drop(drafts);
    mimics.into_iter().for_each(|(joint, mimic)| joints[joint].mimic = Some(mimic));
    let names = joints.iter().enumerate().map(|(at, joint)| (joint.name.clone(), at)).collect();
    let skeleton = Skeleton::new(joints).map_err(|error| match &error {
        SkeletonError::NoCommonRange { follower, .. } => match places.iter().find(|(name, _)| name == follower) {
            Some((_, item)) => item.fault(error.to_string()),
            None => Fault::new(document.place, error.to_string()),
        },
        _ => Fault::new(document.place, error.to_string()),
    })?;
    let start = start_pose(&skeleton, starts);
    Ok(Assembly { skeleton, velocity_limits, start, links, names })
}

/// The numbers of drafts by their names, which differ.
fn numbers_by_name<'a>(drafts: &'a [Draft<'_>]) -> Read<HashMap<&'a str, usize>> {
    let mut by_name = HashMap::new();
    for (at, draft) in drafts.iter().enumerate() {
        match by_name.entry(draft.joint.name.as_str()) {
            Entry::Vacant(free) => {
                free.insert(at);
            }
            Entry::Occupied(taken) => {
                let first = &drafts[*taken.get()].item.path;
                let message = format!("a joint named `{}` exists already, `{first}`", draft.joint.name);
                return Err(draft.item.fault(message).hint("every joint needs a name of its own"));
            }
        }
    }
    Ok(by_name)
}

/// The names of links, each with the index of its joint in the skeleton, whose joints are the drafts in this order.
fn read_links(order: &[usize], drafts: &[Draft<'_>]) -> Read<Vec<(String, usize)>> {
    let mut known = HashSet::new();
    let mut links = Vec::new();
    for (joint, &draft) in order.iter().enumerate() {
        let Some(item) = &drafts[draft].link else { continue };
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

fn check_mimic(drafts: &[Draft<'_>], follower: usize, leader: usize, item: &Item<'_>) -> Read<()> {
    let name = &drafts[leader].joint.name;
    if leader == follower {
        return Err(item.fault("a joint cannot follow itself"));
    }
    if drafts[leader].mimic.is_some() {
        let hint = "follow the joint that leads both";
        return Err(item.fault(format!("`{name}` itself follows another joint")).hint(hint));
    }
    match drafts[leader].joint.kind {
        Kind::Hinge { .. } | Kind::Slide { .. } => Ok(()),
        _ => Err(item.fault(format!("only a hinge or a slide can be followed; `{name}` is neither"))),
    }
}

/// Indices in an order with parents before children, otherwise unchanged. The error is a cycle.
fn parents_first(parents: &[Option<usize>]) -> Result<Vec<usize>, Vec<usize>> {
    let mut order = Vec::with_capacity(parents.len());
    let mut placed = vec![false; parents.len()];
    let mut waiting = vec![false; parents.len()];
    let mut ancestors = Vec::new();
    for start in 0..parents.len() {
        let mut at = Some(start).filter(|&at| !placed[at]);
        while let Some(joint) = at {
            if waiting[joint] {
                let first = ancestors.iter().position(|&other| other == joint).unwrap_or(0);
                return Err(ancestors.split_off(first));
            }
            waiting[joint] = true;
            ancestors.push(joint);
            at = parents[joint].filter(|&parent| !placed[parent]);
        }
        while let Some(joint) = ancestors.pop() {
            placed[joint] = true;
            order.push(joint);
        }
    }
    Ok(order)
}

fn cycle_fault(drafts: &[Draft<'_>], cycle: &[usize]) -> Fault {
    let mut names: Vec<&str> = cycle.iter().take(8).map(|&at| drafts[at].joint.name.as_str()).collect();
    names.push(if cycle.len() > 8 { "..." } else { names[0] });
    let item = match &drafts[cycle[0]].parent {
        Parent::Named(item) => item,
        _ => &drafts[cycle[0]].item,
    };
    item.fault(format!("the parents form a cycle: {}", names.join(" -> ")))
        .hint("one of these joints must be a root: remove its `parent`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorted_joints_keep_their_order() {
        assert_eq!(parents_first(&[None, Some(0), None, Some(1), Some(0)]), Ok(vec![0, 1, 2, 3, 4]));
    }

    #[test]
    fn parents_move_before_their_children() {
        assert_eq!(parents_first(&[Some(2), None, Some(1), Some(0)]), Ok(vec![1, 2, 0, 3]));
    }

    #[test]
    fn a_cycle_is_reported_without_the_joints_leading_to_it() {
        assert_eq!(parents_first(&[Some(1), Some(2), Some(1)]), Err(vec![1, 2]));
        assert_eq!(parents_first(&[Some(0)]), Err(vec![0]));
    }
}
