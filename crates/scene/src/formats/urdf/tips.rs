//! The effectors of a robot: which links are tips, which tip comes first, and which have a target at first.

use super::tree::Tree;
use crate::effectors::is_immovable;
use crate::retarget::tokens;
use crate::{EffectorMode, SceneEffector};
use fabrik3d_ik::{Effector, Skeleton, Target};
use glam::DVec3;
use std::cmp::Reverse;

/// Words in the names of frames that targets are meant for.
const TOOL_WORDS: [&str; 9] =
    ["tool", "tcp", "ee", "eef", "effector", "endeffector", "grasp", "grasping", "grasptarget"];
/// Words in the names of what carries such frames.
const HAND_WORDS: [&str; 5] = ["gripper", "hand", "palm", "flange", "tip"];
/// Words in the names of the moving parts of a hand.
const PART_WORDS: [&str; 10] =
    ["finger", "fingertip", "thumb", "index", "middle", "ring", "little", "knuckle", "motor", "mover"];
/// Words in the names of links that are no tools although they are on one.
const SENSOR_WORDS: [&str; 9] =
    ["camera", "sensor", "imu", "accelerometer", "range", "optical", "laser", "lidar", "display"];
/// Fewest joints of its own that a tip needs to hold its position while others move.
const MIN_OWN_JOINTS: usize = 3;

/// The effectors of a robot: one for each link without children that can move, and one for the palm of each hand that has
/// fingers but no other frame. Tools and hands at the end of a long chain of moving joints come first, sensors last, and
/// among equals the tips of the longest chains; otherwise in file order.
pub(crate) fn effectors(tree: &Tree<'_, '_>, link_joints: &[usize], skeleton: &Skeleton) -> Vec<SceneEffector> {
    let tips = tree.links.iter().zip(link_joints).filter(|(link, _)| link.is_tip);
    let mut tips: Vec<(&str, usize, Purpose)> =
        tips.map(|(link, &joint)| (link.name, joint, Purpose::of(link.name))).collect();
    // An effector needs a link above it.
    tips.retain(|&(_, joint, _)| {
        Effector::new(joint, DVec3::ZERO).reach(skeleton) > 0.0 && !is_immovable(skeleton, joint, DVec3::ZERO)
    });
    let mut fingers = Vec::new();
    for palm in bare_palms(skeleton, &tips) {
        let link = tree.links.iter().zip(link_joints).find(|(_, joint)| **joint == palm.joint);
        tips.extend(link.map(|(link, _)| (link.name, palm.joint, Purpose::Hand)));
        fingers.extend(palm.fingers);
    }
    let length = |joint: usize| moving_joints(skeleton, joint).count();
    let longest = tips.iter().map(|&(_, joint, _)| length(joint)).max().unwrap_or(0);
    tips.sort_by_key(|&(_, joint, purpose)| {
        let is_short = 2 * length(joint) <= longest;
        (if is_short { purpose.max(Purpose::Part) } else { purpose }, Reverse(length(joint)))
    });
    let frames = skeleton.frames(&skeleton.rest_pose());
    let mut is_shared = vec![false; skeleton.len()];
    let enough = MIN_OWN_JOINTS.min(longest);
    let effector = |(name, joint, _): (&str, usize, Purpose)| {
        let is_carried = fingers.contains(&joint) || moves_with_others(skeleton, (name, joint), &is_shared, enough);
        let position = (!is_carried).then_some(frames[joint].position);
        if position.is_some() {
            skeleton.ancestors(joint).for_each(|at| is_shared[at] = true);
        }
        let hold = if position.is_some() { EffectorMode::Pinned } else { EffectorMode::Free };
        let target = Target { position, ..Target::default() };
        SceneEffector { hold, ..SceneEffector::new(name, Effector::new(joint, DVec3::ZERO), target) }
    };
    tips.into_iter().map(effector).collect()
}

/// The palms on which no tip is a tool or a hand.
fn bare_palms(skeleton: &Skeleton, tips: &[(&str, usize, Purpose)]) -> Vec<Palm> {
    let fingers = tips.iter().filter(|(name, _, purpose)| *purpose == Purpose::Part && has_word(name, &PART_WORDS));
    let fingers: Vec<usize> = fingers.map(|&(_, joint, _)| joint).collect();
    let tools = || tips.iter().filter(|(_, _, purpose)| matches!(purpose, Purpose::Tool | Purpose::Hand));
    let mut palms = palms(skeleton, &fingers);
    palms.retain(|palm| !tools().any(|&(_, tool, _)| skeleton.ancestors(tool).any(|joint| joint == palm.joint)));
    palms
}

/// Whether a tip should move with the robot: it has less than `enough` joints of its own, like tool flanges, cameras and
/// wheels, or it is a finger on a longer arm. As a goal it would hold another effector in place.
fn moves_with_others(skeleton: &Skeleton, (name, tip): (&str, usize), is_shared: &[bool], enough: usize) -> bool {
    let (shared, own): (Vec<usize>, Vec<usize>) = moving_joints(skeleton, tip).partition(|&joint| is_shared[joint]);
    own.len() < enough || own.len() < shared.len() && has_word(name, &PART_WORDS)
}

/// Whether the name is that of a tool or a hand.
pub(crate) fn is_tool_or_hand(name: &str) -> bool {
    matches!(Purpose::of(name), Purpose::Tool | Purpose::Hand)
}

/// What a link is for, as its name says; those that a target is most likely meant for first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Purpose {
    /// `tool0`, `panda_hand_tcp`, `l_gripper_tool_frame`.
    Tool,
    /// `left_hand`, `gripper`.
    Hand,
    /// Anything else: `wrist_3`, `FL_foot`, `gripper_finger`.
    Part,
    /// `hand_camera`.
    Sensor,
}

impl Purpose {
    fn of(name: &str) -> Self {
        let has = |known: &[&str]| has_word(name, known);
        match () {
            () if has(&SENSOR_WORDS) => Purpose::Sensor,
            () if has(&PART_WORDS) => Purpose::Part,
            () if has(&TOOL_WORDS) => Purpose::Tool,
            () if has(&HAND_WORDS) => Purpose::Hand,
            () => Purpose::Part,
        }
    }
}

/// Whether a word of a name, without its numbers, is one of these.
fn has_word(name: &str, known: &[&str]) -> bool {
    tokens(name)
        .iter()
        .flat_map(|word| word.split(|letter: char| !letter.is_alphabetic()))
        .any(|word| known.contains(&word))
}

/// Fewest joints of an arm with a hand, as for arms that open bent.
const MIN_ARM_JOINTS: usize = 5;

/// A palm and its fingers.
#[derive(Debug, PartialEq)]
pub(crate) struct Palm {
    /// The joint whose frame is that of the palm.
    pub joint: usize,
    /// The joints at the tips of the fingers.
    pub fingers: Vec<usize>,
}

/// The palms of fingers, given by the joints at their tips. A palm carries at least two fingers, and its arm has at least five
/// moving joints and more than each of them.
pub(crate) fn palms(skeleton: &Skeleton, fingers: &[usize]) -> Vec<Palm> {
    let carries = |joint: usize, finger: usize| skeleton.ancestors(finger).any(|above| above == joint);
    let [first, others @ ..] = fingers else { return Vec::new() };
    let common = skeleton.ancestors(*first).find(|&joint| others.iter().all(|&finger| carries(joint, finger)));
    let Some(joint) = common.filter(|_| !others.is_empty()) else { return Vec::new() };
    let arm = moving_joints(skeleton, joint).count();
    if arm >= MIN_ARM_JOINTS && fingers.iter().all(|&finger| moving_joints(skeleton, finger).count() < 2 * arm) {
        return vec![Palm { joint, fingers: fingers.to_vec() }];
    }
    // A trunk or a pair of arms: each branch may be an arm with a hand.
    let branches = skeleton.children(joint).iter().map(|&branch| {
        let own: Vec<usize> = fingers.iter().copied().filter(|&finger| carries(branch, finger)).collect();
        palms(skeleton, &own)
    });
    branches.flatten().collect()
}

/// The joints that move a joint's frame, from its own up, without those that follow others.
pub(crate) fn moving_joints(skeleton: &Skeleton, joint: usize) -> impl Iterator<Item = usize> + '_ {
    skeleton.ancestors(joint).filter(|&at| skeleton.kind(at).can_move() && skeleton.joints()[at].mimic.is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use fabrik3d_ik::{Joint, Kind};
    use glam::DVec3;

    #[test]
    fn names_tell_the_purpose() {
        let cases: [(Purpose, &[&str]); 4] = [
            (
                Purpose::Tool,
                &[
                    "tool0",
                    "panda_hand_tcp",
                    "l_gripper_tool_frame",
                    "EndEffector",
                    "link_eef",
                    "ee_link",
                    "grasptarget",
                ],
            ),
            (Purpose::Hand, &["left_hand", "l_gripper", "flange"]),
            (Purpose::Part, &["wrist_3", "FL_FOOT", "steering", "handle", "l_gripper_l_finger_tip", "gripperMover"]),
            (Purpose::Sensor, &["left_hand_camera", "tool_imu"]),
        ];
        for (purpose, names) in cases {
            for name in names {
                assert_eq!(Purpose::of(name), purpose, "{name}");
            }
        }
    }

    /// A skeleton of hinges and fixed joints: the parent of each, and whether it moves.
    fn skeleton(joints: &[(Option<usize>, bool)]) -> Skeleton {
        let joint = |(at, &(parent, moves)): (usize, &(Option<usize>, bool))| {
            let kind = if moves { Kind::Hinge { axis: DVec3::Z, range: None } } else { Kind::Fixed };
            Joint::new(format!("{at}"), parent, DVec3::X, kind)
        };
        Skeleton::new(joints.iter().enumerate().map(joint).collect()).expect("a tree")
    }

    #[test]
    fn two_arms_have_two_palms_and_a_hand_alone_has_none() {
        // A trunk with two arms of four hinges, a fixed palm, and two fingers of one hinge each.
        let mut joints = vec![(None, false), (Some(0), true)];
        let mut expected = Vec::new();
        for _ in 0..2 {
            let first = joints.len();
            joints.push((Some(1), true));
            joints.extend((first..first + 3).map(|parent| (Some(parent), true)));
            joints.extend([(Some(first + 3), false), (Some(first + 4), true), (Some(first + 4), true)]);
            expected.push(Palm { joint: first + 4, fingers: vec![first + 5, first + 6] });
        }
        let robot = skeleton(&joints);
        let fingers: Vec<usize> = expected.iter().flat_map(|palm| palm.fingers.clone()).collect();
        assert_eq!(palms(&robot, &fingers), expected);
        assert_eq!(palms(&robot, &fingers[..1]), [], "one finger is no hand");
        let hand = skeleton(&[(None, false), (Some(0), true), (Some(1), true), (Some(0), true), (Some(3), true)]);
        assert_eq!(palms(&hand, &[2, 4]), [], "no arm carries it");
    }

    #[test]
    fn what_has_few_joints_holds_nothing() {
        // A hinge as the torso; on it an arm of four hinges, and a head of two.
        let arm = (1..5).map(|parent| (Some(parent), true));
        let robot: Vec<_> = [(None, false), (Some(0), true)].into_iter().chain(arm).collect();
        let robot = skeleton(&[robot, vec![(Some(1), true), (Some(6), true)]].concat());
        let is_shared: Vec<bool> = (0..robot.len()).map(|joint| robot.ancestors(5).any(|at| at == joint)).collect();
        let moves = |name, enough| moves_with_others(&robot, (name, 7), &is_shared, enough);
        assert!(moves("head_camera", 3) && moves("head", 3));
        assert!(!moves("head", 2), "no tip has more joints");
        assert!(!moves("index_finger", 2), "a hand has few joints above its fingers");
    }
}
