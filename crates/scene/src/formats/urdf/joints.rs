//! Joints of a robot as joints of a skeleton.

use super::tree::Tree;
use crate::formats::xml::{attribute, child, fault, number, numbers, title};
use crate::syntax_tree::fault::{Read, did_you_mean};
use crate::unique_names::UniqueNames;
use fabrik3d_ik::{Interval, Joint, Kind, LimitError, Mimic};
use glam::{DQuat, DVec3, EulerRot};
use roxmltree::Node;

/// What the tree became.
pub(crate) struct Figure {
    pub joints: Vec<Joint>,
    /// For each link, the joint whose frame is the link's.
    pub link_joints: Vec<usize>,
    pub warnings: Vec<String>,
}

/// The types that a joint can have.
#[derive(Clone, Copy, PartialEq)]
enum Type {
    Revolute,
    Continuous,
    Prismatic,
    Fixed,
    Floating,
    Planar,
}

const TYPES: [(&str, Type); 6] = [
    ("revolute", Type::Revolute),
    ("continuous", Type::Continuous),
    ("prismatic", Type::Prismatic),
    ("fixed", Type::Fixed),
    ("floating", Type::Floating),
    ("planar", Type::Planar),
];

/// Place and turn of an element's `<origin xyz rpy>`; roll, pitch and yaw turn about fixed axes, x first.
pub(crate) fn read_origin(node: Node<'_, '_>) -> Read<(DVec3, DQuat)> {
    let Some(origin) = child(node, "origin") else { return Ok((DVec3::ZERO, DQuat::IDENTITY)) };
    let place = numbers::<3>(origin, "xyz")?.unwrap_or_default();
    let [roll, pitch, yaw] = numbers::<3>(origin, "rpy")?.unwrap_or_default();
    Ok((DVec3::from_array(place), DQuat::from_euler(EulerRot::ZYX, yaw, pitch, roll)))
}

/// Makes the joints.
pub(crate) fn build(tree: &Tree<'_, '_>) -> Read<Figure> {
    let mut names = UniqueNames::default();
    tree.joints.iter().for_each(|joint| drop(names.claim(joint.name)));
    let root = Joint::new(names.claim(tree.links[tree.root].name), None, DVec3::ZERO, Kind::Fixed);
    let mut figure = Figure { joints: vec![root], link_joints: vec![0; tree.links.len()], warnings: Vec::new() };
    // Index in the skeleton of each joint of the tree.
    let mut index = vec![0; tree.joints.len()];
    for &at in &tree.order {
        let joint = &tree.joints[at];
        let (place, turn) = read_origin(joint.node)?;
        let mut parent = figure.link_joints[joint.parent];
        let mut push = |name: String, parent: usize, offset: DVec3, rest: DQuat, kind: Kind| {
            figure.joints.push(Joint { rest, ..Joint::new(name, Some(parent), offset, kind) });
            figure.joints.len() - 1
        };
        let (kind, locked) = read_kind(joint.node)?;
        if read_type(joint.node)? == Type::Planar {
            let Kind::Hinge { axis, .. } = kind else { continue };
            let (u, v) = axis.any_orthonormal_pair();
            for (suffix, axis, offset, rest) in [("x", u, place, turn), ("y", v, DVec3::ZERO, DQuat::IDENTITY)] {
                let name = names.claim(&format!("{}.{suffix}", joint.name));
                parent = push(name, parent, offset, rest, Kind::Slide { axis, range: None });
            }
            index[at] = push(joint.name.to_owned(), parent, DVec3::ZERO, DQuat::IDENTITY, kind);
        } else {
            index[at] = push(joint.name.to_owned(), parent, place, turn, kind);
        }
        figure.link_joints[joint.child] = index[at];
        if locked {
            figure.warnings.push(format!("joint `{}` cannot move: its lower and upper limits are equal", joint.name));
        }
    }
    for (at, joint) in tree.joints.iter().enumerate() {
        if let Some(mimic) = read_mimic(tree, at, &index)? {
            follow(&mut figure, index[at], mimic, joint.name);
        }
    }
    Ok(figure)
}

fn read_type(node: Node<'_, '_>) -> Read<Type> {
    let word = attribute(node, "type")?;
    TYPES.iter().find(|(name, _)| *name == word).map(|(_, kind)| *kind).ok_or_else(|| {
        let hint = did_you_mean(word, TYPES.iter().map(|(name, _)| *name));
        fault(node, format!("{}: the type `{word}` is not known", title(node))).hint_some(hint)
    })
}

/// The kind of joint (of a planar one, its hinge), and whether its limits lock it.
fn read_kind(node: Node<'_, '_>) -> Read<(Kind, bool)> {
    let kind = read_type(node)?;
    let free = match kind {
        Type::Fixed => Some(Kind::Fixed),
        Type::Floating => Some(Kind::Free),
        _ => None,
    };
    if let Some(kind) = free {
        return Ok((kind, false));
    }
    let range = match kind {
        Type::Revolute | Type::Prismatic => Some(read_limit(node)?),
        _ => None,
    };
    let axis = read_axis(node)?;
    let locked = range.is_some_and(|range| range.low() == range.high());
    Ok((if kind == Type::Prismatic { Kind::Slide { axis, range } } else { Kind::Hinge { axis, range } }, locked))
}

fn read_axis(node: Node<'_, '_>) -> Read<DVec3> {
    let Some(element) = child(node, "axis") else { return Ok(DVec3::X) };
    let axis = numbers::<3>(element, "xyz")?.map_or(DVec3::X, DVec3::from_array);
    axis.try_normalize().ok_or_else(|| {
        let message = format!("{}: the axis has no direction", title(node));
        fault(element, message).hint("for example <axis xyz=\"0 0 1\"/>")
    })
}

/// The range of a revolute or prismatic joint; a bound that is not given is 0, as in ROS.
fn read_limit(node: Node<'_, '_>) -> Read<Interval> {
    let limit = child(node, "limit").ok_or_else(|| {
        let hint =
            "add <limit lower=\"-1.57\" upper=\"1.57\" effort=\"0\" velocity=\"0\"/>, or use type=\"continuous\"";
        fault(node, format!("{} lacks its <limit>", title(node))).hint(hint)
    })?;
    let (low, high) = (number(limit, "lower")?.unwrap_or(0.0), number(limit, "upper")?.unwrap_or(0.0));
    Interval::new(low, high).map_err(|error| match error {
        LimitError::Reversed { .. } => {
            let message = format!("{}: the lower limit {low} is above the upper limit {high}", title(node));
            fault(limit, message).hint("swap the two")
        }
        other => fault(limit, format!("{}: {other}", title(node))),
    })
}

/// What a joint follows; a joint that follows a follower follows that one's leader.
fn read_mimic(tree: &Tree<'_, '_>, at: usize, index: &[usize]) -> Read<Option<Mimic>> {
    let Some(first) = child(tree.joints[at].node, "mimic") else { return Ok(None) };
    let (mut scale, mut offset) = (1.0, 0.0);
    let (mut leader, mut next) = (at, Some(first));
    let mut steps = 0;
    while let Some(mimic) = next {
        let name = attribute(mimic, "joint")?;
        let message = || format!("{} follows `{name}`, and there is no such joint", title(tree.joints[leader].node));
        leader = tree.find(name).ok_or_else(|| {
            fault(mimic, message()).hint_some(did_you_mean(name, tree.joints.iter().map(|joint| joint.name)))
        })?;
        steps += 1;
        if leader == at || steps > tree.joints.len() {
            return Err(fault(mimic, format!("{} follows itself", title(tree.joints[at].node))));
        }
        offset += scale * number(mimic, "offset")?.unwrap_or(0.0);
        scale *= number(mimic, "multiplier")?.unwrap_or(1.0);
        next = child(tree.joints[leader].node, "mimic");
    }
    for joint in [at, leader] {
        let node = tree.joints[joint].node;
        if matches!(read_type(node)?, Type::Fixed | Type::Floating | Type::Planar) {
            let message = format!("{} can neither follow a joint nor be followed", title(node));
            return Err(fault(first, message).hint("<mimic> is for revolute, continuous and prismatic joints"));
        }
    }
    Ok(Some(Mimic { joint: index[leader], scale, offset }))
}

/// Ties a joint to its leader, whose range shrinks to what keeps the follower in its own.
fn follow(figure: &mut Figure, follower: usize, mimic: Mimic, name: &str) {
    figure.joints[follower].mimic = Some(mimic);
    let range = |kind: &Kind| match kind {
        Kind::Hinge { range, .. } | Kind::Slide { range, .. } => *range,
        _ => None,
    };
    let Some(own) = range(&figure.joints[follower].kind).filter(|_| mimic.scale != 0.0) else { return };
    let ends = [own.low(), own.high()].map(|end| (end - mimic.offset) / mimic.scale);
    let (low, high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
    let both = match range(&figure.joints[mimic.joint].kind) {
        Some(leader) => Interval::new(low.max(leader.low()), high.min(leader.high())),
        None => Interval::new(low, high),
    };
    match (both, &mut figure.joints[mimic.joint].kind) {
        (Ok(both), Kind::Hinge { range, .. } | Kind::Slide { range, .. }) => *range = Some(both),
        _ => figure.warnings.push(format!("joint `{name}` cannot stay in its limits while it follows another joint")),
    }
}
