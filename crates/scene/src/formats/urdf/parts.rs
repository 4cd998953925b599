//! What of a robot description is read, or says nothing about where links are. Anything else is told.

use crate::formats::xml::{Part, children};
use crate::syntax_tree::fault::Fault;
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
    let mut faults: Vec<(Fault, usize)> = Vec::new();
    for node in placed.filter(Node::is_element) {
        let part = PARTS.iter().find(|part| part.tag == node.tag_name().name());
        for fault in part.into_iter().flat_map(|part| part.unread(node)) {
            match faults.iter_mut().find(|(known, _)| known.message == fault.message) {
                Some((_, count)) => *count += 1,
                None => faults.push((fault, 1)),
            }
        }
    }
    faults.sort_by_key(|(fault, _)| fault.place);
    let warning = |(mut fault, count): (Fault, usize)| {
        if count > 1 {
            fault.message = format!("{} ({count} times)", fault.message);
        }
        fault.warning(text)
    };
    faults.into_iter().map(warning).collect()
}
