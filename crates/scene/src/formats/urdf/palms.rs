//! The palms of hands: where fingers branch off an arm.
//!
//! Many descriptions of grippers end in fingers and have no frame for the tool. Targets are meant for what carries the
//! fingers; a target for one finger would close the hand on the way.

use fabrik3d_ik::Skeleton;

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
}
