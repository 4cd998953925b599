//! What of a robot description is read, or says nothing about where links are. Anything else is told.

use crate::formats::xml::{Part, children, told_once};
use roxmltree::Node;

/// The elements that say where links and their shapes are.
static PARTS: [Part; 6] = [
    Part {
        tag: "joint",
        attributes: "name type",
        children: "parent child origin axis limit mimic safety_controller calibration dynamics joint_properties hardwareInterface",
    },
    Part { tag: "origin", attributes: "xyz rpy quat_xyzw", children: "" },
    Part { tag: "axis", attributes: "xyz", children: "" },
    Part {
        tag: "limit",
        attributes: "lower upper velocity effort acceleration deceleration jerk k_velocity",
        children: "",
    },
    Part { tag: "mimic", attributes: "joint multiplier offset", children: "" },
    Part {
        tag: "safety_controller",
        attributes: "soft_lower_limit soft_upper_limit k_position k_velocity",
        children: "",
    },
];

/// Warnings about the attributes and elements that are not read, in the order of the text. What is the same in many places is
/// told for the first of them.
pub(crate) fn unread(robot: Node<'_, '_>, text: &str) -> Vec<String> {
    let joints = children(robot, "joint");
    let shapes =
        children(robot, "link").flat_map(|link| ["visual", "collision"].map(|tag| children(link, tag))).flatten();
    let placed = joints.chain(shapes).flat_map(|node| std::iter::once(node).chain(node.children()));
    let part = |node: Node<'_, '_>| PARTS.iter().find(|part| part.tag == node.tag_name().name());
    let unread = placed.filter(Node::is_element).filter_map(|node| Some(part(node)?.unread(node))).flatten();
    told_once(unread, |fault| fault.warning(text))
}
