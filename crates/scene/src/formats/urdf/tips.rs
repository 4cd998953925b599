//! The effectors of a robot: which links are tips, which tip comes first, and which have a target at first.

use super::tree::Tree;
use crate::SceneEffector;
use crate::effectors::is_immovable;
use fabrik3d_ik::{Effector, Skeleton, Target};
use glam::DVec3;
use std::cmp::Reverse;

/// Words in the names of links that tools are attached to.
const TOOL_WORDS: [&str; 12] =
    ["tool", "tcp", "ee", "eef", "effector", "endeffector", "grasp", "grasping", "gripper", "hand", "flange", "tip"];
/// Words in the names of links that are no tools although they are on one.
const SENSOR_WORDS: [&str; 9] =
    ["camera", "sensor", "imu", "accelerometer", "range", "optical", "laser", "lidar", "display"];
/// Fewest joints of its own that a tip needs to hold its position while others move.
const MIN_OWN_JOINTS: usize = 3;

/// The effectors of a robot: one for each link without children that can move. Tools at the end of a long chain of moving
/// joints come first, then the tips of the longest chains, otherwise in file order.
pub(crate) fn effectors(tree: &Tree<'_, '_>, link_joints: &[usize], skeleton: &Skeleton) -> Vec<SceneEffector> {
    let tips = tree.links.iter().zip(link_joints).filter(|(link, _)| link.is_tip);
    let mut tips: Vec<(&str, usize)> = tips.map(|(link, &joint)| (link.name, joint)).collect();
    // An effector needs a link above it.
    tips.retain(|&(_, joint)| {
        Effector::new(joint, DVec3::ZERO).reach(skeleton) > 0.0 && !is_immovable(skeleton, joint, DVec3::ZERO)
    });
    let length = |joint: usize| moving_joints(skeleton, joint).count();
    let longest = tips.iter().map(|&(_, joint)| length(joint)).max().unwrap_or(0);
    tips.sort_by_key(|&(name, joint)| {
        let is_tool = is_tool(name) && 2 * length(joint) > longest;
        (!is_tool, Reverse(length(joint)))
    });
    let frames = skeleton.frames(&skeleton.rest_pose());
    let mut is_shared = vec![false; skeleton.len()];
    let effector = |(name, joint): (&str, usize)| {
        let position = (!moves_with_others(skeleton, joint, &is_shared)).then_some(frames[joint].position);
        if position.is_some() {
            skeleton.ancestors(joint).for_each(|at| is_shared[at] = true);
        }
        SceneEffector::new(name, Effector::new(joint, DVec3::ZERO), Target { position, rotation: None })
    };
    tips.into_iter().map(effector).collect()
}

/// The joints that move a joint's frame, from its own up, without those that follow others.
fn moving_joints(skeleton: &Skeleton, joint: usize) -> impl Iterator<Item = usize> + '_ {
    skeleton.ancestors(joint).filter(|&at| skeleton.kind(at).can_move() && skeleton.joints()[at].mimic.is_none())
}

/// Whether a tip moves with another effector because it has too few joints of its own, like fingers, tool flanges and
/// cameras. As a goal it would hold the other effector in place.
fn moves_with_others(skeleton: &Skeleton, tip: usize, is_shared: &[bool]) -> bool {
    let (shared, own): (Vec<usize>, Vec<usize>) = moving_joints(skeleton, tip).partition(|&joint| is_shared[joint]);
    own.len() < MIN_OWN_JOINTS && own.len() < shared.len()
}

/// Whether the name of a link means a tool: `tool0`, `panda_hand_tcp`, `l_gripper_tool_frame`, but not `hand_camera`.
fn is_tool(name: &str) -> bool {
    let words = words(name);
    let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    has(&TOOL_WORDS) && !has(&SENSOR_WORDS)
}

/// The words of a name in lower case: parts between underscores and other signs, at capitals, and without numbers.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_lower = false;
    for letter in name.chars() {
        if !letter.is_alphabetic() || (letter.is_uppercase() && after_lower) {
            words.push(String::new());
        }
        after_lower = letter.is_lowercase();
        let word = words.last_mut();
        word.into_iter().for_each(|word| word.extend(letter.to_lowercase().filter(|letter| letter.is_alphabetic())));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_tools_are_known() {
        for tool in
            ["tool0", "panda_hand_tcp", "l_gripper_tool_frame", "EndEffector", "link_ee", "left_hand", "ee_link"]
        {
            assert!(is_tool(tool), "{tool}");
        }
        for other in ["wrist_3", "left_hand_camera", "FL_FOOT", "steering", "base", "handle", "tooltip"] {
            assert!(!is_tool(other), "{other}");
        }
    }
}
