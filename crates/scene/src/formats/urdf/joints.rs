//! From the joints of a robot to the joints of a skeleton.

use super::tree::Tree;
use crate::builder::UniqueNames;
use crate::formats::xml::{attribute, child, fault, number, numbers, title};
use crate::options::{OpenOptions, RobotBase, RobotLimits};
use crate::printable::listed;
use crate::syntax_tree::fault::{Read, did_you_mean};
use crate::syntax_tree::fields::any_rotation;
use fabrik3d_ik::errors::LimitError;
use fabrik3d_ik::joints::Mimic;
use fabrik3d_ik::maths;
use fabrik3d_ik::{Interval, Joint, Kind};
use glam::{DQuat, DVec3};
use roxmltree::Node;

/// The joints of the skeleton.
pub(crate) struct RobotJoints {
    pub joints: Vec<Joint>,
    /// For each link, the joint that has its frame.
    pub link_joints: Vec<usize>,
    /// For each joint of the skeleton, the velocity limit in the file: radians or metres per second. Empty if there is none.
    pub velocity_limits: Vec<Option<f64>>,
    /// All joints, the root first, then in the order of the file.
    pub file_order: Vec<usize>,
    pub warnings: Vec<String>,
}

/// The types of joints: those of URDF, and `spherical`, which pybullet reads too.
const TYPES: [&str; 7] = ["revolute", "continuous", "prismatic", "fixed", "floating", "planar", "spherical"];

/// Position and rotation of an element's `<origin>`: `xyz`, and `rpy` or, since URDF 1.1, `quat_xyzw`. Roll, pitch and yaw are
/// about fixed axes, x first.
pub(crate) fn read_origin(node: Node<'_, '_>) -> Read<(DVec3, DQuat)> {
    let Some(origin) = child(node, "origin") else { return Ok((DVec3::ZERO, DQuat::IDENTITY)) };
    let place = numbers::<3>(origin, "xyz")?.unwrap_or_default();
    let turn = match (numbers::<3>(origin, "rpy")?, numbers::<4>(origin, "quat_xyzw")?) {
        (Some(_), Some(_)) => {
            let message = format!("{}: rpy and quat_xyzw both say how it is turned", title(node));
            return Err(fault(origin, message).hint("keep one of them"));
        }
        (None, Some(quaternion)) => any_rotation(DQuat::from_array(quaternion)).ok_or_else(|| {
            fault(origin, format!("{}: a rotation cannot be zero", title(node)))
                .hint("the identity is quat_xyzw=\"0 0 0 1\"")
        })?,
        (angles, None) => {
            let [roll, pitch, yaw] = angles.unwrap_or_default();
            maths::roll_pitch_yaw(roll, pitch, yaw)
        }
    };
    Ok((DVec3::from_array(place), turn))
}

pub(crate) fn build(tree: &Tree<'_, '_>, options: &OpenOptions) -> Read<RobotJoints> {
    let limits = options.robot_limits;
    let mut names = UniqueNames::of(tree.joints.iter().map(|joint| joint.name));
    let joints = root_joints(tree.links[tree.root].name, options.robot_base, &mut names);
    let mut robot = RobotJoints {
        link_joints: vec![joints.len() - 1; tree.links.len()],
        velocity_limits: Vec::new(),
        file_order: (0..joints.len()).collect(),
        joints,
        warnings: Vec::new(),
    };
    let mut softened = Vec::new();
    // For each joint of the tree, the first of its joints in the skeleton; the last one is in `index`.
    let mut first = vec![0; tree.joints.len()];
    // Index in the skeleton of each joint of the tree.
    let mut index = vec![0; tree.joints.len()];
    for &at in &tree.order {
        let joint = &tree.joints[at];
        let (place, turn) = read_origin(joint.node)?;
        let parent = Some(robot.link_joints[joint.parent]);
        first[at] = robot.joints.len();
        let mut kind = read_kind(joint.node, &mut robot.warnings)?;
        if limits == RobotLimits::Soft && apply_soft_limits(joint.node, &mut kind, &mut robot.warnings)? {
            softened.push(joint.name);
        }
        match kind {
            Kind::Hinge { axis, .. } if read_type(joint.node)? == "planar" => {
                let (u, v) = axis.any_orthonormal_pair();
                push_planar(&mut robot.joints, joint.name, parent, [u, v, axis], &mut names);
            }
            _ => robot.joints.push(Joint::new(joint.name, parent, DVec3::ZERO, kind)),
        }
        (robot.joints[first[at]].offset, robot.joints[first[at]].rest) = (place, turn);
        index[at] = robot.joints.len() - 1;
        robot.link_joints[joint.child] = index[at];
    }
    robot.velocity_limits = read_velocities(tree, &robot.joints, &index, &mut robot.warnings);
    robot.file_order.extend(first.iter().zip(&index).flat_map(|(&first, &last)| first..=last));
    if !softened.is_empty() {
        let (names, option) = (listed(&softened), options.names.hard_limits());
        robot.warnings.push(format!("soft limits count where they are tighter; {option} ignores them: {names}"));
    }
    add_mimics(tree, &index, &mut robot)?;
    Ok(robot)
}

/// The joints that carry the root link, which is `name`; the last one has its frame.
fn root_joints(name: &str, base: RobotBase, names: &mut UniqueNames) -> Vec<Joint> {
    let name = names.claim(name);
    let mut joints = Vec::new();
    match base {
        RobotBase::Fixed => joints.push(Joint::new(name, None, DVec3::ZERO, Kind::Fixed)),
        RobotBase::Free => joints.push(Joint::new(name, None, DVec3::ZERO, Kind::Free)),
        RobotBase::Planar => push_planar(&mut joints, &name, None, DVec3::AXES, names),
    }
    joints
}

/// Adds two slides along the first two axes, and a hinge of this name about the third one.
fn push_planar(
    joints: &mut Vec<Joint>,
    name: &str,
    mut parent: Option<usize>,
    [x, y, axis]: [DVec3; 3],
    names: &mut UniqueNames,
) {
    for (suffix, axis) in [("x", x), ("y", y)] {
        let name = names.claim(&format!("{name}.{suffix}"));
        joints.push(Joint::new(name, parent, DVec3::ZERO, Kind::Slide { axis, range: None }));
        parent = Some(joints.len() - 1);
    }
    joints.push(Joint::new(name, parent, DVec3::ZERO, Kind::Hinge { axis, range: None }));
}

/// Makes joints follow others. `index` is the number in the skeleton of each joint of the tree.
fn add_mimics(tree: &Tree<'_, '_>, index: &[usize], robot: &mut RobotJoints) -> Read<()> {
    let mut beyond = Vec::new();
    for (at, joint) in tree.joints.iter().enumerate() {
        if let Some(mimic) = read_mimic(tree, at, index, &mut robot.warnings)?
            && follow(&mut robot.joints, index[at], mimic)
        {
            beyond.push(joint.name);
        }
    }
    if !beyond.is_empty() {
        let names = listed(&beyond);
        robot.warnings.push(format!("followers can leave their own limits, which do not count: {names}"));
    }
    Ok(())
}

/// The type of a joint, one of [`TYPES`].
fn read_type<'a>(node: Node<'a, '_>) -> Read<&'a str> {
    let word = attribute(node, "type")?;
    Some(word).filter(|word| TYPES.contains(word)).ok_or_else(|| {
        fault(node, format!("{}: the type `{word}` is not known", title(node))).hint_some(did_you_mean(word, TYPES))
    })
}

/// The kind of a joint; for a planar joint, that of its hinge.
fn read_kind(node: Node<'_, '_>, warnings: &mut Vec<String>) -> Read<Kind> {
    let word = read_type(node)?;
    let range = match word {
        "fixed" => return Ok(Kind::Fixed),
        "floating" => return Ok(Kind::Free),
        "spherical" => {
            if child(node, "limit").is_some_and(|limit| limit.has_attribute("lower") || limit.has_attribute("upper")) {
                // No document says about which axes they are.
                warnings.push(format!("{} turns without limits: those of a spherical joint are not read", title(node)));
            }
            return Ok(Kind::UNLIMITED_BALL);
        }
        "revolute" | "prismatic" => read_limit(node, warnings)?,
        _ => None,
    };
    let axis = read_axis(node)?;
    if range.is_some_and(|range| range.low() == range.high()) && child(node, "mimic").is_none() {
        warnings.push(format!("{} cannot move: its lower and upper limits are equal", title(node)));
    }
    Ok(if word == "prismatic" { Kind::Slide { axis, range } } else { Kind::Hinge { axis, range } })
}

fn read_axis(node: Node<'_, '_>) -> Read<DVec3> {
    let Some(element) = child(node, "axis") else { return Ok(DVec3::X) };
    let axis = numbers::<3>(element, "xyz")?.map_or(DVec3::X, DVec3::from_array);
    axis.try_normalize().ok_or_else(|| {
        let message = format!("{}: the axis has no direction", title(node));
        fault(element, message).hint("for example <axis xyz=\"0 0 1\"/>")
    })
}

/// The range of a revolute or prismatic joint. One missing bound is 0, as in ROS. There is no range, with a warning, if both
/// bounds are missing, which would lock the joint, or if the lower bound is above the upper one.
fn read_limit(node: Node<'_, '_>, warnings: &mut Vec<String>) -> Read<Option<Interval>> {
    let limit = child(node, "limit").ok_or_else(|| {
        let hint =
            "add <limit lower=\"-1.57\" upper=\"1.57\" effort=\"0\" velocity=\"0\"/>, or use type=\"continuous\"";
        fault(node, format!("{} has no <limit>", title(node))).hint(hint)
    })?;
    let (low, high) = match (number(limit, "lower")?, number(limit, "upper")?) {
        (None, None) => {
            if child(node, "mimic").is_none() {
                warnings.push(format!("{} moves without limits: its <limit> has neither lower nor upper", title(node)));
            }
            return Ok(None);
        }
        (low, high) => (low.unwrap_or(0.0), high.unwrap_or(0.0)),
    };
    match Interval::new(low, high) {
        Ok(range) => Ok(Some(range)),
        Err(LimitError::Reversed { .. }) => {
            let what = format!("the lower limit {low} is above the upper limit {high}; swap them");
            warnings.push(format!("{} moves without limits: {what}", title(node)));
            Ok(None)
        }
        Err(other) => Err(fault(limit, format!("{}: {other}", title(node)))),
    }
}

/// Narrows the range of a joint to its soft limits. Returns whether they are tighter. Bounds that are missing or both 0 say
/// nothing: ROS reads a missing one as 0.
fn apply_soft_limits(node: Node<'_, '_>, kind: &mut Kind, warnings: &mut Vec<String>) -> Read<bool> {
    let (Kind::Hinge { range: Some(range), .. } | Kind::Slide { range: Some(range), .. }) = kind else {
        return Ok(false);
    };
    let Some(controller) = child(node, "safety_controller") else { return Ok(false) };
    let (low, high) = (number(controller, "soft_lower_limit")?, number(controller, "soft_upper_limit")?);
    let (low, high) = (low.unwrap_or(0.0), high.unwrap_or(0.0));
    if low == 0.0 && high == 0.0 {
        return Ok(false);
    }
    let Ok(soft) = Interval::new(low.max(range.low()), high.min(range.high())) else {
        let what = format!("its soft limits [{low}, {high}] leave nothing of its limits and do not count");
        warnings.push(format!("{}: {what}", title(node)));
        return Ok(false);
    };
    let is_tighter = soft != *range;
    *range = soft;
    Ok(is_tighter)
}

/// The velocity limits of hinges and slides. A value that is not a number counts as none, because most uses need no
/// velocities. So does a negative one, with a warning.
fn read_velocities(
    tree: &Tree<'_, '_>,
    joints: &[Joint],
    index: &[usize],
    warnings: &mut Vec<String>,
) -> Vec<Option<f64>> {
    let mut limits = vec![None; joints.len()];
    for (joint, &at) in tree.joints.iter().zip(index) {
        if matches!(joints[at].kind, Kind::Hinge { .. } | Kind::Slide { .. }) {
            let velocity = child(joint.node, "limit").and_then(|limit| number(limit, "velocity").ok()?);
            if velocity.is_some_and(|velocity| velocity < 0.0) {
                warnings.push(format!("{}: its velocity limit is negative and does not count", title(joint.node)));
            }
            limits[at] = velocity.filter(|velocity| *velocity >= 0.0);
        }
    }
    if limits.iter().all(Option::is_none) { Vec::new() } else { limits }
}

/// The mimic of a joint. Chains of mimics are resolved: a joint that follows a follower follows its leader. A joint whose
/// leader does not exist or cannot lead follows none, with a warning.
fn read_mimic(tree: &Tree<'_, '_>, at: usize, index: &[usize], warnings: &mut Vec<String>) -> Read<Option<Mimic>> {
    let own = tree.joints[at].node;
    let Some(first) = child(own, "mimic") else { return Ok(None) };
    let (mut scale, mut offset) = (1.0, 0.0);
    let (mut leader, mut next) = (at, Some(first));
    let mut steps = 0;
    while let Some(mimic) = next {
        let name = attribute(mimic, "joint")?;
        let Some(found) = tree.joints.iter().position(|joint| joint.name == name) else {
            let hint = did_you_mean(name, tree.joints.iter().map(|joint| joint.name));
            let hint = hint.map_or(String::new(), |hint| format!("; {hint}"));
            warnings.push(format!("the <mimic> of {} is ignored: there is no joint `{name}`{hint}", title(own)));
            return Ok(None);
        };
        leader = found;
        steps += 1;
        if leader == at || steps > tree.joints.len() {
            return Err(fault(mimic, format!("{} follows itself", title(own))));
        }
        offset += scale * number(mimic, "offset")?.unwrap_or(0.0);
        scale *= number(mimic, "multiplier")?.unwrap_or(1.0);
        next = child(tree.joints[leader].node, "mimic");
    }
    for joint in [at, leader] {
        let node = tree.joints[joint].node;
        let word = read_type(node)?;
        if !["revolute", "continuous", "prismatic"].contains(&word) {
            let who = if joint == at { "the joint".to_owned() } else { title(node) };
            warnings.push(format!("the <mimic> of {} is ignored: {who} is {word}", title(own)));
            return Ok(None);
        }
    }
    Ok(Some(Mimic { joint: index[leader], scale, offset }))
}

/// Lets a joint follow its leader. The follower gives up its own range, as in ROS: only the leader's range counts.
/// Returns whether the follower can leave the range that it had.
pub(crate) fn follow(joints: &mut [Joint], follower: usize, mimic: Mimic) -> bool {
    joints[follower].mimic = Some(mimic);
    let leader = range_of(&joints[mimic.joint].kind);
    let (Kind::Hinge { range, .. } | Kind::Slide { range, .. }) = &mut joints[follower].kind else { return false };
    let Some(own) = range.take().filter(|_| mimic.scale != 0.0) else { return false };
    let is_inside = |end: f64| (own.clamp(end) - end).abs() < ROUNDING;
    !leader
        .is_some_and(|range| [range.low(), range.high()].iter().all(|end| is_inside(mimic.scale * end + mimic.offset)))
}

/// Largest excess over a range that comes from rounded numbers in the file, radians or metres.
const ROUNDING: f64 = 1e-3;

fn range_of(kind: &Kind) -> Option<Interval> {
    match kind {
        Kind::Hinge { range, .. } | Kind::Slide { range, .. } => *range,
        _ => None,
    }
}
