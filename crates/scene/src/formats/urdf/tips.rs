//! The effectors of a robot: which links are tips, which tip comes first, and which have a target at first.

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
/// Words in the names of links that are no tools although they are on one.
const SENSOR_WORDS: [&str; 9] =
    ["camera", "sensor", "imu", "accelerometer", "range", "optical", "laser", "lidar", "display"];
/// Fewest joints of its own that a tip needs to hold its position while others move.
const MIN_OWN_JOINTS: usize = 3;

/// A link, or another frame that a file names.
pub(crate) struct Link<'a> {
    pub name: &'a str,
    /// The joint whose frame is that of the link.
    pub joint: usize,
    /// Whether it carries no other link.
    pub is_tip: bool,
    /// Whether it is a mere frame on a link, without mass and shape, that nothing else in the file uses: there for tools.
    pub is_frame: bool,
}

/// The frame that a file names on the link of a joint: the farthest one, if there are several.
fn frame_on<'l, 'a>(links: &'l [Link<'a>], joint: usize, skeleton: &Skeleton) -> Option<&'l Link<'a>> {
    let is_on = |link: &&Link| link.is_frame && skeleton.joints()[link.joint].parent == Some(joint);
    let frames = links.iter().filter(is_on).filter(|link| Purpose::of(link.name) != Purpose::Sensor);
    let distance = |link: &Link| skeleton.joints()[link.joint].offset.length_squared();
    // Of those that are equally far, the first one.
    frames.rev().max_by(|a, b| distance(a).total_cmp(&distance(b)))
}

/// The effectors of a robot whose limbs part at the joint `trunk`: one for each link without children that can move, and one for the palm of each hand that has
/// fingers but no other tip. Where a file names a mere frame at such a place, that is the effector. The kinematics decide which comes first: fingers come last and feet before them; among the others,
/// the longest chain of moving joints. Words break ties: tools, hands, others, sensors; then the order of the file.
pub(crate) fn effectors<'a>(links: &[Link<'a>], trunk: usize, skeleton: &Skeleton) -> Vec<SceneEffector> {
    let tips = links.iter().filter(|link| link.is_tip);
    let frame =
        |link: &Link<'a>| frame_on(links, link.joint, skeleton).map(|frame| (frame.name, frame.joint, Purpose::Tool));
    let tip = |link: &Link<'a>| frame(link).unwrap_or((link.name, link.joint, Purpose::of(link.name)));
    let mut tips: Vec<Tip> = tips.map(tip).collect();
    // An effector needs a link above it.
    tips.retain(|&(_, joint, _)| {
        Effector::new(joint, DVec3::ZERO).reach(skeleton) > 0.0 && !is_immovable(skeleton, joint, DVec3::ZERO)
    });
    let palms = palms(skeleton, &tips);
    let fingers: Vec<usize> = palms.iter().flat_map(|palm| palm.fingers.iter().copied()).collect();
    for palm in bare(skeleton, &palms, &tips, &fingers) {
        let link = frame_on(links, palm, skeleton).or_else(|| links.iter().find(|link| link.joint == palm));
        tips.extend(link.map(|link| (link.name, link.joint, Purpose::Hand)));
    }
    let length = |joint: usize| moving_joints(skeleton, joint).count();
    let feet = feet(skeleton, trunk, &tips);
    tips.sort_by_key(|&(_, joint, purpose)| {
        (fingers.contains(&joint), feet.contains(&joint), Reverse(length(joint)), purpose)
    });
    let longest = tips.iter().map(|&(_, joint, _)| length(joint)).max().unwrap_or(0);
    let frames = skeleton.frames(&skeleton.rest_pose());
    let mut is_shared = vec![false; skeleton.len()];
    let enough = MIN_OWN_JOINTS.min(longest);
    let effector = |(name, joint, _): Tip| {
        let is_carried = fingers.contains(&joint) || moves_with_others(skeleton, joint, &is_shared, enough);
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

/// A tip: its link, the joint that carries it, and what it is for by its name.
type Tip<'a> = (&'a str, usize, Purpose);

/// The joints of the palms that carry neither a tool nor a frame of the hand.
fn bare(skeleton: &Skeleton, palms: &[Palm], tips: &[Tip], fingers: &[usize]) -> Vec<usize> {
    let named = |&&(_, joint, purpose): &&Tip| purpose < Purpose::Part && !fingers.contains(&joint);
    let carries = |palm: usize, tip: usize| skeleton.ancestors(tip).any(|joint| joint == palm);
    let is_bare = |palm: &usize| !tips.iter().filter(named).any(|&(_, tip, _)| carries(*palm, tip));
    palms.iter().map(|palm| palm.joint).filter(is_bare).collect()
}

/// The joints at the tips of legs: those that are nearer to the lowest tip than to the trunk, of robots with other limbs too.
fn feet(skeleton: &Skeleton, trunk: usize, tips: &[Tip]) -> Vec<usize> {
    let frames = skeleton.frames(&skeleton.rest_pose());
    let height = |joint: usize| frames[joint].position.z;
    let lowest = tips.iter().map(|&(_, joint, _)| height(joint)).fold(f64::INFINITY, f64::min);
    let is_low = |joint: usize| height(joint) < 0.5 * (lowest + height(trunk));
    let (low, high): (Vec<usize>, Vec<usize>) =
        tips.iter().map(|&(_, joint, _)| joint).partition(|&joint| is_low(joint));
    let leg = |at: usize| low.iter().any(|&foot| skeleton.ancestors(foot).any(|above| above == at));
    let is_limb = |&tip: &usize| moving_joints(skeleton, tip).filter(|&at| !leg(at)).count() >= MIN_OWN_JOINTS;
    if high.iter().any(is_limb) { low } else { Vec::new() }
}

/// Whether a tip should move with the robot: it has less than `enough` joints of its own, like tool flanges, cameras and wheels.
/// As a goal it would hold another effector in place.
fn moves_with_others(skeleton: &Skeleton, tip: usize, is_shared: &[bool], enough: usize) -> bool {
    moving_joints(skeleton, tip).filter(|&joint| !is_shared[joint]).count() < enough
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
    /// Anything else: `wrist_3`, `FL_foot`.
    Part,
    /// `hand_camera`.
    Sensor,
}

impl Purpose {
    fn of(name: &str) -> Self {
        let has = |known: &[&str]| has_word(name, known);
        match () {
            () if has(&SENSOR_WORDS) => Purpose::Sensor,
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

/// A palm and its fingers.
#[derive(Debug, PartialEq)]
pub(crate) struct Palm {
    /// The joint whose frame is that of the palm.
    pub joint: usize,
    /// The joints at the tips of the fingers.
    pub fingers: Vec<usize>,
}

/// The palms among the joints above these tips: what carries two fingers or more, or one beside a frame that is a tool or a hand
/// by its name. A finger has fewer moving joints than the arm that all of them share.
fn palms(skeleton: &Skeleton, tips: &[Tip]) -> Vec<Palm> {
    let carries = |joint: usize, tip: usize| skeleton.ancestors(tip).any(|above| above == joint);
    let [(_, first, _), others @ ..] = tips else { return Vec::new() };
    let common = skeleton.ancestors(*first).find(|&joint| others.iter().all(|&(_, tip, _)| carries(joint, tip)));
    let Some(joint) = common else { return Vec::new() };
    let own =
        |tip: usize| skeleton.ancestors(tip).take_while(|&at| at != joint).filter(|&at| skeleton.kind(at).can_move());
    let (moved, on_palm): (Vec<Tip>, Vec<Tip>) = tips.iter().partition(|&&(_, tip, _)| own(tip).count() > 0);
    let is_named = on_palm.iter().any(|&(_, _, purpose)| purpose < Purpose::Part);
    let is_gripper = is_named && moved.len() == 1;
    if !(on_palm.is_empty() || is_gripper) {
        return palms(skeleton, &moved);
    }
    let arm = moving_joints(skeleton, joint).count();
    if moved.iter().all(|&(_, tip, _)| own(tip).count() < arm) {
        return vec![Palm { joint, fingers: moved.iter().map(|&(_, tip, _)| tip).collect() }];
    }
    // A trunk or a pair of arms: each branch may be an arm with a hand.
    split(skeleton, &moved, skeleton.children(joint))
}

/// The palms of each of these branches.
fn split(skeleton: &Skeleton, tips: &[Tip], branches: &[usize]) -> Vec<Palm> {
    let carries = |branch: usize, tip: usize| skeleton.ancestors(tip).any(|above| above == branch);
    let own = |&branch: &usize| tips.iter().copied().filter(|&(_, tip, _)| carries(branch, tip)).collect::<Vec<_>>();
    branches.iter().flat_map(|branch| palms(skeleton, &own(branch))).collect()
}

/// The joints that move a joint's frame, from its own up, without those that follow others.
pub(crate) fn moving_joints(skeleton: &Skeleton, joint: usize) -> impl Iterator<Item = usize> + '_ {
    skeleton.ancestors(joint).filter(|&at| skeleton.kind(at).can_move() && skeleton.joints()[at].mimic.is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use fabrik3d_ik::random::Random;
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
            (Purpose::Part, &["wrist_3", "FL_FOOT", "steering", "handle", "leftfinger"]),
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
        let tip = |joint: usize| ("", joint, Purpose::Part);
        let fingers: Vec<Tip> = expected.iter().flat_map(|palm| palm.fingers.iter().copied().map(tip)).collect();
        assert_eq!(palms(&robot, &fingers), expected);
        assert_eq!(palms(&robot, &fingers[..1]), [], "one finger is no hand");
        let hand = skeleton(&[(None, false), (Some(0), true), (Some(1), true), (Some(0), true), (Some(3), true)]);
        assert_eq!(palms(&hand, &[2, 4].map(tip)), [], "no arm carries it");
    }

    #[test]
    fn effectors_are_where_the_frames_of_their_names_are() {
        for seed in 0..200 {
            let mut random = Random::new(seed);
            // An arm, a palm with frames on it, and fingers with or without frames.
            let arm = 3 + random.index(4);
            let mut joints: Vec<(Option<usize>, bool)> = vec![(None, false)];
            joints.extend((0..arm).map(|parent| (Some(parent), true)));
            let mut frames = Vec::new();
            for _ in 0..random.index(3) {
                frames.push(joints.len());
                joints.push((Some(arm), false));
            }
            for _ in 0..2 + random.index(3) {
                let finger = joints.len();
                joints.push((Some(arm), true));
                if random.index(2) == 0 {
                    frames.push(finger + 1);
                    joints.push((Some(finger), false));
                }
            }
            let robot = skeleton(&joints);
            let carries_no_link = |at: usize| robot.children(at).iter().all(|child| frames.contains(child));
            let link = |at: usize| Link {
                name: &robot.joints()[at].name,
                joint: at,
                is_tip: carries_no_link(at) && !frames.contains(&at),
                is_frame: frames.contains(&at),
            };
            let links: Vec<Link> = (0..robot.len()).map(link).collect();
            for found in effectors(&links, 0, &robot) {
                assert_eq!(Some(found.effector.joint), robot.find(&found.name), "seed {seed}");
            }
        }
    }

    #[test]
    fn what_has_few_joints_holds_nothing() {
        // A hinge as the torso; on it an arm of four hinges, and a head of two.
        let arm = (1..5).map(|parent| (Some(parent), true));
        let robot: Vec<_> = [(None, false), (Some(0), true)].into_iter().chain(arm).collect();
        let robot = skeleton(&[robot, vec![(Some(1), true), (Some(6), true)]].concat());
        let is_shared: Vec<bool> = (0..robot.len()).map(|joint| robot.ancestors(5).any(|at| at == joint)).collect();
        let moves = |enough| moves_with_others(&robot, 7, &is_shared, enough);
        assert!(moves(3));
        assert!(!moves(2), "no tip has more joints");
    }
}
