//! `[[effector]]`, `[[pole]]`, `[[loop]]`, `[[obstacle]]`, `[[capsule]]`, `[[mass]]`, `[[end_site]]`: goals, constraints, and
//! the bodies and ends of links.

use super::joints::Assembly;
use crate::effectors::is_at_base;
use crate::syntax_tree::fault::Read;
use crate::syntax_tree::fields::{Fields, Item};
use crate::target_spec::{TargetError, TargetSpec};
use crate::{EffectorMode, EndSite, RANKS, SceneEffector};
use fabrik3d_ik::collision::{Hull, LinkCapsule, Obstacle};
use fabrik3d_ik::goals::{Attachment, Freedom, PointMass, Pole, tie};
use fabrik3d_ik::{Effector, Isometry, Target};
use glam::{DQuat, DVec3};
use std::collections::{HashMap, HashSet};

const EFFECTOR: &str = "name joint tip target rotation look_at weight rotation_weight spin_axis slack hold rank \
    chain_length presets";
/// Share of its radius by which a point may be outside a capsule.
const ROUNDING: f64 = 1e-6;
pub(crate) const HOLDS: &[(&str, EffectorMode)] = &[("pinned", EffectorMode::Pinned), ("free", EffectorMode::Free)];

/// Reads all effectors. Those of chains come last.
pub(crate) fn read_effectors(
    fields: &Fields<'_>,
    figure: &Assembly,
    of_chains: Vec<(SceneEffector, Item<'_>)>,
) -> Read<Vec<SceneEffector>> {
    let frames = figure.skeleton.frames(&figure.start);
    let own = fields.list("effector")?.into_iter().map(|item| Ok((read_effector(&item, figure, &frames)?, item)));
    let mut names: HashMap<String, String> = HashMap::new();
    let claimed = |effector: Read<(SceneEffector, Item<'_>)>| {
        let (effector, item) = effector?;
        match names.insert(effector.name.clone(), item.path.clone()) {
            None => Ok(effector),
            Some(first) => Err(item
                .fault(format!("an effector named `{}` exists already, `{first}`", effector.name))
                .hint("every effector and chain needs a name of its own")),
        }
    };
    own.chain(of_chains.into_iter().map(Ok)).map(claimed).collect()
}

/// Reads an effector; `frames` are those of all joints at the start.
fn read_effector(item: &Item<'_>, figure: &Assembly, frames: &[Isometry]) -> Read<SceneEffector> {
    let fields = item.table(EFFECTOR)?;
    let joint_item = fields.require("joint", "\"wrist\"")?;
    let joint = figure.joint(&joint_item)?;
    let tip = fields.get_or("tip", DVec3::ZERO, |item| item.vector())?;
    let spec = TargetSpec {
        position: fields.part("target", Item::vector)?,
        rotation: fields.part("rotation", Item::rotation)?,
        look_at: fields.part("look_at", Item::vector)?,
        spin_axis: fields.part("spin_axis", Item::direction)?.value(),
        slack: fields.get("slack").map(read_slack).transpose()?,
        ..TargetSpec::default()
    };
    let chain_length = |item: Item<'_>| item.integer(1_usize, "a whole number of joints, at least 1").map(Some);
    let effector = Effector { joint, tip, chain_length: fields.get_or("chain_length", None, chain_length)? };
    // Without a target the effector stays where it is, or looks from anywhere.
    let here = spec.look_at.value().is_none().then(|| frames[joint].point(tip));
    let (mut target, mut freedom) = (Target { position: here, ..Target::default() }, Freedom::default());
    let wrong = |error: TargetError| fields.get("look_at").as_ref().unwrap_or(item).fault(error.to_string());
    spec.apply(effector, &mut target, &mut freedom).map_err(wrong)?;
    if target.position.is_some() && is_at_base(&figure.skeleton, joint, tip) {
        let message = format!("all links from the base to the effector on `{}` have no length", joint_item.text()?);
        return Err(item.fault(message).hint("give the effector a `tip`, or the joints above it an `offset`"));
    }
    let presets = fields.list("presets")?;
    Ok(SceneEffector {
        name: fields.get("name").unwrap_or(joint_item).text()?.to_owned(),
        effector,
        target,
        weight: fields.get_or("weight", 1.0, |item| item.not_negative())?,
        rotation_weight: fields.get_or("rotation_weight", 1.0, |item| item.not_negative())?,
        freedom,
        hold: fields.get_or("hold", EffectorMode::default(), |item| item.word(HOLDS))?,
        rank: fields.get("rank").map(|item| item.word(RANKS)).transpose()?,
        presets: presets.iter().map(Item::vector).collect::<Read<_>>()?,
    })
}

fn read_slack(item: Item<'_>) -> Read<DVec3> {
    let slack = item.vector()?;
    match slack.min_element() >= 0.0 {
        true => Ok(slack),
        false => {
            Err(item.fault("a slack is negative").hint("0 fixes an axis, and a number beyond the reach leaves it open"))
        }
    }
}

pub(crate) fn read_poles(fields: &Fields<'_>, figure: &Assembly) -> Read<Vec<Pole>> {
    let pole = |item: Item<'_>| {
        let fields = item.table("joint toward")?;
        let joint = figure.joint(&fields.require("joint", "\"elbow\"")?)?;
        Ok(Pole { joint, toward: fields.require("toward", "[0, 0, 1]")?.vector()? })
    };
    fields.list("pole")?.into_iter().map(pole).collect()
}

pub(crate) fn read_loops(fields: &Fields<'_>, figure: &Assembly) -> Read<Vec<(Attachment, Attachment)>> {
    let end = |fields: &Fields<'_>, key| {
        let end = fields.require(key, "{ joint = \"hand\", point = [0, 0, 0] }")?.table("joint point")?;
        let joint = figure.joint(&end.require("joint", "\"hand\"")?)?;
        Ok(Attachment { joint, point: end.get_or("point", DVec3::ZERO, |item| item.vector())? })
    };
    let loops = |item: Item<'_>| {
        let fields = item.table("a b rotation")?;
        let (a, b): (Attachment, Attachment) = (end(&fields, "a")?, end(&fields, "b")?);
        if a.joint == b.joint {
            return Err(item.fault("both ends of the loop are on the same joint"));
        }
        let rotation = fields.get("rotation").map(|item| item.rotation()).transpose()?;
        Ok(rotation.map_or_else(|| vec![(a, b)], |rotation| tie(&figure.skeleton, [a, b], rotation).to_vec()))
    };
    let loops = fields.list("loop")?.into_iter().map(loops).collect::<Read<Vec<_>>>()?;
    Ok(loops.into_iter().flatten().collect())
}

pub(crate) fn read_obstacles(fields: &Fields<'_>) -> Read<Vec<Obstacle>> {
    fields.list("obstacle")?.iter().map(read_obstacle).collect()
}

/// The shapes of obstacles, and an example of each.
const SHAPES: &str = "sphere capsule box plane";
const SHAPE_EXAMPLES: &str = "sphere = { center = [0, 1, 0], radius = 0.2 }, capsule = { from = [0, 0, 0], to = [0, 1, 0], \
    radius = 0.2 }, box = { center = [0, 1, 0], size = [1, 1, 1] }, or plane = { normal = [0, 1, 0], offset = 0 }";

/// Reads one obstacle: a sphere, a capsule, a box or a plane.
pub(crate) fn read_obstacle(item: &Item<'_>) -> Read<Obstacle> {
    let fields = item.table(SHAPES)?;
    match SHAPES.split(' ').filter_map(|shape| Some((shape, fields.get(shape)?))).collect::<Vec<_>>().as_slice() {
        [("sphere", sphere)] => {
            let fields = sphere.table("center radius")?;
            Ok(Obstacle::Sphere {
                center: fields.require("center", "[0, 1, 0]")?.vector()?,
                radius: fields.require("radius", "0.5")?.positive()?,
            })
        }
        [("capsule", capsule)] => {
            let (ends, radius) = read_capsule(&capsule.table("from to radius")?)?;
            Ok(Obstacle::Capsule { ends, radius })
        }
        [("box", solid)] => {
            let fields = solid.table("center size rotation")?;
            let size = fields.require("size", "[1, 0.5, 0.2]")?;
            let sides = size.vector()?;
            if sides.min_element() <= 0.0 {
                return Err(size.fault("the sides of a box are longer than 0").hint("for example [1, 0.5, 0.2]"));
            }
            Ok(Obstacle::Box {
                center: fields.require("center", "[0, 1, 0]")?.vector()?,
                rotation: fields.get_or("rotation", DQuat::IDENTITY, |item| item.rotation())?,
                half: sides * 0.5,
            })
        }
        [("plane", plane)] => {
            let fields = plane.table("normal offset")?;
            let normal = fields.require("normal", "[0, 1, 0]")?.direction()?;
            let unit = (normal.length_squared() - 1.0).abs() < 1e-14;
            Ok(Obstacle::HalfSpace {
                normal: if unit { normal } else { normal.normalize() },
                offset: fields.get_or("offset", 0.0, |item| item.number())?,
            })
        }
        _ => Err(item.fault("an obstacle is either a sphere, a capsule, a box or a plane").hint(SHAPE_EXAMPLES)),
    }
}

/// Reads the ends and the radius of a capsule.
fn read_capsule(fields: &Fields<'_>) -> Read<([DVec3; 2], f64)> {
    let from = fields.require("from", "[0, 0, 0]")?.vector()?;
    let to = fields.require("to", "[0, 0, 1]")?.vector()?;
    Ok(([from, to], fields.require("radius", "0.1")?.positive()?))
}

pub(crate) fn read_capsules(fields: &Fields<'_>, figure: &Assembly) -> Read<Vec<LinkCapsule>> {
    let capsule = |item: Item<'_>| {
        let fields = item.table("joint from to radius hull")?;
        let joint = figure.joint(&fields.require("joint", "\"elbow\"")?)?;
        let (ends, radius) = read_capsule(&fields)?;
        let hull = fields.get("hull").map(|item| read_hull(&item, ends, radius)).transpose()?;
        Ok(LinkCapsule { hull, ..LinkCapsule::new(joint, ends, radius) })
    };
    fields.list("capsule")?.into_iter().map(capsule).collect()
}

pub(crate) fn read_masses(fields: &Fields<'_>, figure: &Assembly) -> Read<Vec<PointMass>> {
    let mass = |item: Item<'_>| {
        let fields = item.table("joint point mass")?;
        let joint = figure.joint(&fields.require("joint", "\"hip\"")?)?;
        let point = fields.get_or("point", DVec3::ZERO, |item| item.vector())?;
        Ok(PointMass { joint, point, mass: fields.require("mass", "1.5")?.positive()? })
    };
    fields.list("mass")?.into_iter().map(mass).collect()
}

/// Reads the pairs of joints that may touch each other.
pub(crate) fn read_disabled_collisions(fields: &Fields<'_>, figure: &Assembly) -> Read<Vec<[usize; 2]>> {
    let Some(item) = fields.get("disable_collisions") else { return Ok(Vec::new()) };
    let pair = |item: Item<'_>| match item.list()?.as_slice() {
        [a, b] => Ok([figure.joint(a)?, figure.joint(b)?]),
        _ => Err(item.expected("the names of two joints")),
    };
    item.list()?.into_iter().map(pair).collect()
}

fn read_hull(item: &Item<'_>, [from, to]: [DVec3; 2], radius: f64) -> Read<Hull> {
    let fields = item.table("points radius")?;
    let capsule = Obstacle::Capsule { ends: [from, to], radius: radius * (1.0 + ROUNDING) };
    let point = |item: Item<'_>| match item.vector()? {
        point if capsule.depth(point) < 0.0 => Err(item
            .fault("the point is outside the capsule")
            .hint("the capsule must hold the hull: increase its radius")),
        point => Ok(point),
    };
    let all = fields.require("points", "[[0, 0, 0], [0, 0, 1], [0, 0.1, 0]]")?;
    let points: Vec<DVec3> = all.list()?.into_iter().map(point).collect::<Read<_>>()?;
    let beyond = fields.get_or("radius", 0.0, |item| item.not_negative())?;
    Hull::new(&points, beyond).map_err(|reason| all.fault(reason.to_string()))
}

pub(crate) fn read_end_sites(fields: &Fields<'_>, figure: &Assembly) -> Read<Vec<EndSite>> {
    let mut names: HashSet<String> = figure.skeleton.joints().iter().map(|joint| joint.name.clone()).collect();
    let mut end_sites = Vec::new();
    for item in fields.list("end_site")? {
        let fields = item.table("name joint tip")?;
        let joint = figure.joint(&fields.require("joint", "\"toes\"")?)?;
        let tip = fields.require("tip", "[0, 0, 0.1]")?.vector()?;
        let name = fields.get("name").map(|item| item.text()).transpose()?;
        let name = name.map_or_else(|| format!("{}_End", figure.skeleton.joints()[joint].name), str::to_owned);
        if !names.insert(name.clone()) {
            let message = format!("a joint or an End Site named `{name}` exists already");
            return Err(item.fault(message).hint("give it a `name` of its own"));
        }
        end_sites.push(EndSite { name, joint, tip });
    }
    end_sites.sort_by_key(|end| end.joint);
    Ok(end_sites)
}
