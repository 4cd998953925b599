//! The joints that lead a body whose parts are known by their names.

use super::body::{Facing, NAMED_PARTS, NamedPart, RankedPart, body_parts, joints_of, part, plain, rank_by_links};
use super::fingers::Fingers;
use crate::Scene;
use crate::coordinates::zero_frames;
use fabrik3d_ik::Isometry;
use glam::DVec3;

/// Stiffness of the hips and of the joints from there to where the arms branch off.
const TRUNK: f64 = 0.97;
/// Stiffness of other parts; elbows and knees have none. The order is that in which a body moves: elbow and knee before
/// shoulder and hip, and these before the trunk.
const PARTS: [(&str, f64); 8] = [
    ("neck", 0.5),
    ("head", 0.5),
    ("clavicle", 0.8),
    ("arm", 0.3),
    ("hand", 0.3),
    ("thigh", 0.3),
    ("foot", 0.3),
    ("toe", 0.5),
];

/// Stiffness of a thigh against turning about itself. Without it, the shin of a lifted foot swings out instead of the thigh.
/// Test: `a_lifted_foot_hangs_below_its_knee`.
pub(crate) const THIGH_TWIST: f64 = 0.8;

/// The parts above a foot and above a hand, from the end on: left, right.
const LIMBS: [[&[&str]; 2]; 2] = [
    [&["left shin", "left thigh"], &["left forearm", "left arm", "left clavicle"]],
    [&["right shin", "right thigh"], &["right forearm", "right arm", "right clavicle"]],
];

/// The joints that lead a body: those that an animator moves.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct KnownBody {
    /// The joint that carries legs and trunk: the last one above feet and head.
    pub hips: usize,
    pub head: usize,
    /// Left, right.
    pub hands: [usize; 2],
    /// The ankles: left, right.
    pub feet: [usize; 2],
    /// The joints of the toes, or of the paws: left, right.
    pub toes: [Option<usize>; 2],
    /// The joints of the back, from below the hips to where the arms branch off, the uppermost first.
    pub back: Vec<usize>,
    /// How much each joint resists.
    pub stiffness: Vec<f64>,
    /// The body part of each joint.
    pub parts: Vec<RankedPart>,
    parents: Vec<Option<usize>>,
}

impl KnownBody {
    /// The body with these joints, each with its name and parent, parents first, and with these positions at rest; `named` parts win
    /// over the names. Fails unless head, hands and feet are known and have a joint in common above them, and returns those that are
    /// not known.
    pub fn of(
        joints: &[(&str, Option<usize>)],
        positions: &[DVec3],
        named: &[NamedPart],
    ) -> Result<Self, Vec<&'static str>> {
        let (names, parents): (Vec<&str>, Vec<Option<usize>>) = joints.iter().copied().unzip();
        let mut parts = body_parts(&names, named);
        rank_by_links(&mut parts, &parents, positions);
        let needed =
            NAMED_PARTS.iter().filter(|(key, _)| ["head", "hand", "foot"].iter().any(|end| key.ends_with(end)));
        let missing = needed.filter(|(_, part)| joints_of(&parts, part).is_empty()).map(|(key, _)| *key);
        let missing: Vec<&str> = missing.collect();
        if missing.is_empty() { Self::with_parts(joints, parts).ok_or(missing) } else { Err(missing) }
    }

    fn with_parts(joints: &[(&str, Option<usize>)], parts: Vec<RankedPart>) -> Option<Self> {
        let find = |part: &str| joints_of(&parts, part).first().copied();
        let pair = |part: &str| ["left", "right"].map(|side| find(&format!("{side} {part}")));
        let both = |part: &str| match pair(part) {
            [Some(left), Some(right)] => Some([left, right]),
            _ => None,
        };
        let above = |at: usize| std::iter::successors(Some(at), |&at| joints[at].1);
        let (head, hands, feet) = (find("head")?, both("hand")?, both("foot")?);
        let hips = above(feet[0]).find(|joint| [feet[1], head].iter().all(|&at| above(at).any(|at| at == *joint)))?;
        let is_below_hips = |&at: &usize| at != hips && above(at).any(|at| at == hips);
        if ![head, hands[0], hands[1], feet[0], feet[1]].iter().all(is_below_hips) {
            return None;
        }
        let toes = pair("toe");
        // The paw of an animal often has the word of the foot above it: `LeftFoot01`, `LeftFoot02`.
        let toes = [0, 1].map(|side| {
            let is_below = |at: &usize| *at != feet[side] && above(*at).any(|at| at == feet[side]);
            let is_foot = |at: &usize| parts[*at].0 == parts[feet[side]].0;
            toes[side].filter(is_below).or_else(|| (0..parts.len()).rev().find(|at| is_foot(at) && is_below(at)))
        });
        let chest = above(head).find(|joint| hands.iter().all(|&hand| above(hand).any(|at| at == *joint)));
        let mut stiffness: Vec<f64> = parts.iter().map(|(part, _)| stiffness_of(part)).collect();
        let back = chest.map(|chest| above(chest).take_while(|&at| at != hips));
        let back: Vec<usize> = back.into_iter().flatten().collect();
        back.iter().for_each(|&at| stiffness[at] = TRUNK);
        stiffness[hips] = TRUNK;
        let parents = joints.iter().map(|(_, parent)| *parent).collect();
        Some(KnownBody { hips, head, hands, feet, toes, back, stiffness, parts, parents })
    }

    /// The parts that no joint is known as, but that follow from where the ends are: above a foot come the shin and the thigh,
    /// above a hand the forearm, the upper arm and the collar bone. The hips follow unless they are `named`: a joint called
    /// `root` often only carries them.
    pub fn implied_parts(&self, named: &[NamedPart]) -> Vec<NamedPart> {
        let chest = self.back.first().copied();
        let between = |end: usize, top: Option<usize>| -> Vec<usize> {
            self.above(end).skip(1).take_while(|&at| at != self.hips && Some(at) != top).collect()
        };
        let spine = self.back.last().filter(|_| self.back.len() > 1).copied();
        let neck = between(self.head, chest).first().copied();
        let trunk = [("pelvis", Some(self.hips)), ("chest", chest), ("spine", spine), ("neck", neck)];
        let trunk = trunk.into_iter().filter_map(|(part, joint)| Some((joint?, part)));
        let limbs = LIMBS.iter().enumerate().flat_map(|(side, limbs)| {
            let joints = [between(self.feet[side], None), between(self.hands[side], chest)];
            joints.into_iter().zip(limbs).flat_map(|(joints, parts)| joints.into_iter().zip(parts.iter().copied()))
        });
        let is_open = |&(joint, part): &NamedPart| {
            let is_known = match part {
                "pelvis" => named.iter().any(|(_, named)| *named == part),
                _ => self.joint_of(part).is_some(),
            };
            !is_known && NAMED_PARTS.iter().all(|(_, known)| self.parts[joint].0 != *known)
        };
        trunk.chain(limbs).filter(is_open).collect()
    }

    /// The joint of a body part such as `left arm`.
    pub fn joint_of(&self, part: &str) -> Option<usize> {
        joints_of(&self.parts, part).first().copied()
    }

    /// The thighs: left, right.
    pub fn thighs(&self) -> [Option<usize>; 2] {
        ["left thigh", "right thigh"].map(|part| self.joint_of(part))
    }

    /// A joint and the joints above it, up to the root.
    pub fn above(&self, joint: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(joint), |&at| self.parents[at])
    }

    /// The trunk: the joints from the hips up to the head, and which of them is the lowest of the neck, if there is one.
    pub fn trunk(&self) -> (Vec<usize>, Option<usize>) {
        let mut joints: Vec<usize> =
            self.above(self.head).take_while(|&at| at != self.hips).chain([self.hips]).collect();
        joints.reverse();
        // The arms branch off where the back ends.
        let neck = self.back.len() + 1;
        let has_neck = neck + 1 < joints.len();
        (joints, has_neck.then_some(neck))
    }

    /// The fingers of the left (0) or the right (1) hand of the body whose joints rest at these places, see [`Fingers::of`].
    pub fn fingers(&self, side: usize, places: &[DVec3], tip: impl Fn(usize) -> Option<DVec3>) -> Option<Fingers> {
        Fingers::of(self.hands[side], (&self.parents, places), tip)
    }

    /// The directions left, up and forward of the body whose joints rest at `positions`; none if they do not tell.
    pub fn directions(&self, positions: &[DVec3]) -> Option<[DVec3; 3]> {
        Facing::new(&self.parts, |joint| Some(positions[joint])).directions()
    }

    /// The joints that get effectors, without the hips: hands first, then the head and the feet. A paw stands for its foot.
    pub fn ends(&self) -> Vec<usize> {
        let is_paw = |foot: usize, toe: usize| self.parts[toe].0 == self.parts[foot].0;
        let foot = |foot: usize, toe: Option<usize>| Some(foot).filter(|_| !toe.is_some_and(|toe| is_paw(foot, toe)));
        let feet = self.feet.into_iter().zip(self.toes).flat_map(|(at, toe)| [foot(at, toe), toe]).flatten();
        self.hands.iter().copied().chain([self.head]).chain(feet).collect()
    }
}

/// Stiffness of a part, whatever its side.
fn stiffness_of(part: &str) -> f64 {
    let bare = part.trim_start_matches("left ").trim_start_matches("right ");
    PARTS.iter().find(|(name, _)| *name == bare).map_or(0.0, |(_, stiffness)| *stiffness)
}

impl Scene {
    /// A name of a joint or effector for people: the part that the limits file says the joint is, or the name without the
    /// prefix up to a colon, such as `mixamorig:`, that most joints share.
    pub fn shown_name<'a>(&self, name: &'a str) -> &'a str {
        let is_named = |(at, _): &&(usize, &str)| self.skeleton.joints()[*at].name == name;
        if let Some((_, part)) = self.assets.named_parts.iter().find(is_named) {
            return part;
        }
        let prefix = |name: &'a str| name.rfind(':').map(|end| &name[..=end]);
        let Some(own) = prefix(name).filter(|own| own.len() < name.len()) else { return name };
        let joints = self.skeleton.joints();
        let sharing = joints.iter().filter(|joint| joint.name.starts_with(own)).count();
        if 2 * sharing > joints.len() && sharing > 1 { &name[own.len()..] } else { name }
    }

    /// The body part of a joint, such as `left hand`: as the limits file says, or by its name. Other joints have their name in
    /// lower case without separators.
    pub fn body_part(&self, joint: usize) -> String {
        let named = &self.assets.named_parts;
        if let Some((_, part)) = named.iter().find(|(at, _)| *at == joint) {
            return (*part).to_owned();
        }
        let name = &self.skeleton.joints()[joint].name;
        let part = part(name);
        if named.iter().any(|(_, other)| *other == part) { plain(name) } else { part }
    }

    /// Whether a joint leads the body: hips, head, hands, feet.
    pub fn leads_body(&self, joint: usize) -> bool {
        ["pelvis", "head", "left hand", "right hand", "left foot", "right foot"].contains(&&*self.body_part(joint))
    }

    /// The body part of each joint.
    pub(crate) fn ranked_parts(&self) -> Vec<RankedPart> {
        let (names, parents): (Vec<&str>, Vec<Option<usize>>) = self.named_joints().into_iter().unzip();
        let mut parts = body_parts(&names, &self.assets.named_parts);
        rank_by_links(&mut parts, &parents, &self.rest_positions());
        parts
    }

    /// The body that the names of the joints tell, if they do.
    pub(crate) fn known_body(&self) -> Option<KnownBody> {
        KnownBody::of(&self.named_joints(), &self.rest_positions(), &self.assets.named_parts).ok()
    }

    fn named_joints(&self) -> Vec<(&str, Option<usize>)> {
        self.skeleton.joints().iter().map(|joint| (joint.name.as_str(), joint.parent)).collect()
    }

    pub(super) fn rest_positions(&self) -> Vec<DVec3> {
        zero_frames(&self.skeleton, Isometry::IDENTITY).iter().map(|frame| frame.position).collect()
    }

    /// Whether the sides of a person must be named wrongly: at rest its feet point backward, or its hands and feet are on different
    /// sides.
    pub(crate) fn has_wrong_sides(&self) -> bool {
        let Some((body, positions, [_, up, forward])) = self.body_at_rest() else { return false };
        let across = |pair: [usize; 2]| (positions[pair[0]] - positions[pair[1]]).reject_from(up);
        if across(body.hands).dot(across(body.feet)) < 0.0 {
            return true;
        }
        // Toes need not be known as such.
        let points_back = |&foot: &usize| {
            let below = (0..positions.len()).filter(|&at| body.above(at).any(|above| above == foot));
            let way = |at: usize| (positions[at] - positions[foot]).reject_from(up);
            let end = below.map(way).max_by(|a, b| a.length_squared().total_cmp(&b.length_squared()));
            end.is_some_and(|way| way.dot(forward) < -0.5 * way.length())
        };
        body.feet.iter().all(points_back)
    }

    /// The direction in which a character faces at rest, if the names of its joints tell.
    pub fn front(&self) -> Option<DVec3> {
        self.body_at_rest().map(|(_, _, [_, _, forward])| forward)
    }

    /// The body that the names of the joints tell, where its joints rest, and its directions left, up and forward.
    fn body_at_rest(&self) -> Option<(KnownBody, Vec<DVec3>, [DVec3; 3])> {
        let body = self.known_body()?;
        let positions = self.rest_positions();
        let directions = body.directions(&positions)?;
        Some((body, positions, directions))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SceneBuilder;
    use fabrik3d_ik::{Joint, Kind};
    use glam::DVec3;

    /// Joints as `name < parent`, parents first.
    fn joints<'a>(list: &[(&'a str, &str)]) -> Vec<(&'a str, Option<usize>)> {
        let parent = |name: &str| list.iter().position(|(other, _)| *other == name);
        list.iter().map(|(name, above)| (*name, parent(above))).collect()
    }

    #[test]
    fn the_hips_are_above_feet_and_head_whatever_is_above_them() {
        let unreal = joints(&[
            ("root", ""),
            ("pelvis", "root"),
            ("spine_01", "pelvis"),
            ("neck_01", "spine_01"),
            ("head", "neck_01"),
            ("upperarm_l", "spine_01"),
            ("hand_l", "upperarm_l"),
            ("index_01_l", "hand_l"),
            ("upperarm_r", "spine_01"),
            ("hand_r", "upperarm_r"),
            ("thigh_l", "pelvis"),
            ("foot_l", "thigh_l"),
            ("ball_l", "foot_l"),
            ("thigh_r", "pelvis"),
            ("foot_r", "thigh_r"),
            ("ik_foot_root", "root"),
            ("ik_foot_l", "ik_foot_root"),
        ]);
        let body = KnownBody::of(&unreal, &[DVec3::ZERO; 17], &[]).expect("a body");
        let names: Vec<&str> = body.ends().iter().map(|&at| unreal[at].0).collect();
        assert_eq!(unreal[body.hips].0, "pelvis");
        assert_eq!(names, ["hand_l", "hand_r", "head", "foot_l", "ball_l", "foot_r"]);
        let stiffness =
            |name: &str| body.stiffness[unreal.iter().position(|(other, _)| *other == name).expect("a joint")];
        assert_eq!(["pelvis", "spine_01", "upperarm_l", "root"].map(stiffness), [TRUNK, TRUNK, 0.3, 0.0]);
        let without_a_foot: Vec<_> = unreal.iter().filter(|(name, _)| *name != "foot_r").copied().collect();
        assert_eq!(KnownBody::of(&without_a_foot, &[DVec3::ZERO; 17], &[]), Err(vec!["right_foot"]));
        let thigh = without_a_foot.len() - 3;
        let named = KnownBody::of(&without_a_foot, &[DVec3::ZERO; 17], &[(thigh, "right foot")]).expect("a body");
        assert_eq!(without_a_foot[named.feet[1]].0, "thigh_r");
    }

    #[test]
    fn an_animal_stands_on_its_paws() {
        let legs = ["LeftHand", "RightHand", "LeftFoot01", "RightFoot01"].map(|name| (name, "Hip"));
        let paws = [("Head", "Hip"), ("LeftFoot02", "LeftFoot01"), ("RightFoot02", "RightFoot01")];
        let fox = joints(&[&[("Root", ""), ("Hip", "Root")][..], &legs, &paws].concat());
        let body = KnownBody::of(&fox, &[DVec3::ZERO; 17], &[]).expect("a body");
        let names: Vec<&str> = body.ends().iter().map(|&at| fox[at].0).collect();
        assert_eq!(names, ["LeftHand", "RightHand", "Head", "LeftFoot02", "RightFoot02"]);
    }

    #[test]
    fn names_lose_the_prefix_that_most_joints_share() {
        let names = ["Armature", "mixamorig:Hips", "mixamorig:Spine", "prop:Sword", "plain"];
        let joint = |(at, name): (usize, &&str)| Joint::new(*name, at.checked_sub(1), DVec3::Z, Kind::Fixed);
        let shown = |names: &[&str], name: &'static str| {
            let joints = names.iter().enumerate().map(joint).collect();
            SceneBuilder { joints, effectors: Vec::new() }.build("").expect("a scene").shown_name(name)
        };
        assert_eq!(shown(&names[..3], "mixamorig:Hips"), "Hips");
        assert_eq!(shown(&names[..4], "prop:Sword"), "prop:Sword");
        assert_eq!(shown(&names[..3], "mixamorig:"), "mixamorig:");
        assert_eq!(shown(&names[..3], "plain"), "plain");
        assert_eq!(shown(&names, "mixamorig:Hips"), "mixamorig:Hips", "two of five");
    }
}
