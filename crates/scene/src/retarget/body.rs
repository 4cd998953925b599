//! Body parts from joint names.

use fabrik3d_ik::maths;
use glam::{DMat3, DQuat, DVec3};
use std::f64::consts::FRAC_PI_4;

/// A body part such as `left hand`, with the rank of the word that names it (0: most common).
pub(crate) type RankedPart = (String, usize);

/// A name in lower case without separators and without the prefix before a colon.
pub(crate) fn plain(name: &str) -> String {
    tokens(name).concat()
}

/// Words for each body part, the most common first.
const PARTS: [(&str, &[&str]); 13] = [
    ("pelvis", &["pelvis", "hips", "hip", "root"]),
    ("thigh", &["thigh", "upleg", "upperleg", "hip", "hipjoint"]),
    ("shin", &["shin", "leg", "lowerleg", "loleg", "calf", "knee"]),
    ("foot", &["foot", "ankle"]),
    ("toe", &["toe", "toebase", "toes", "ball"]),
    ("clavicle", &["clavicle", "collar", "shoulder", "shldr"]),
    ("arm", &["arm", "upperarm", "uparm"]),
    ("forearm", &["forearm", "lowerarm", "lowarm", "loarm", "elbow"]),
    ("hand", &["hand", "wrist"]),
    ("neck", &["neck"]),
    ("head", &["head"]),
    ("spine", &["spine", "lowerback", "abdomen", "torso"]),
    ("chest", &["chest", "thorax", "upperback"]),
];

/// A joint and the part that it is, whatever its name.
pub(crate) type NamedPart = (usize, &'static str);

/// The parts that a limits file can name: its keys, and the parts.
pub(crate) const NAMED_PARTS: [(&str, &str); 21] = [
    ("head", "head"),
    ("neck", "neck"),
    ("chest", "chest"),
    ("spine", "spine"),
    ("hips", "pelvis"),
    ("left_collar_bone", "left clavicle"),
    ("left_upper_arm", "left arm"),
    ("left_forearm", "left forearm"),
    ("left_hand", "left hand"),
    ("left_thigh", "left thigh"),
    ("left_shin", "left shin"),
    ("left_foot", "left foot"),
    ("left_toes", "left toe"),
    ("right_collar_bone", "right clavicle"),
    ("right_upper_arm", "right arm"),
    ("right_forearm", "right forearm"),
    ("right_hand", "right hand"),
    ("right_thigh", "right thigh"),
    ("right_shin", "right shin"),
    ("right_foot", "right foot"),
    ("right_toes", "right toe"),
];

/// Prefixes and suffixes that programs add to joint names.
const DECORATION: &str = "mixamorig bip valve biped armature def mch org cc base b j c jnt bone bind";

fn is_decoration(word: &str) -> bool {
    DECORATION.split(' ').any(|known| known == word)
}

/// Added to the rank of words that match only without their number.
const NUMBERED: usize = 100;

/// The body parts of a figure's joints. `named` parts win over the names of the joints.
pub(crate) fn body_parts(names: &[&str], named: &[NamedPart]) -> Vec<RankedPart> {
    let mut parts: Vec<RankedPart> = names.iter().map(|name| ranked_part(name)).collect();
    // If there is a collar, or no other upper arm, the shoulder is the upper arm.
    let has =
        |name: &str, sought: &[&str]| tokens(name).iter().any(|word| sought.iter().any(|one| word.ends_with(one)));
    let has_arm = parts.iter().any(|(part, _)| part == "arm" || part.ends_with(" arm"));
    if !has_arm || names.iter().any(|name| has(name, &["collar", "clavicle"])) {
        for ((part, _), name) in parts.iter_mut().zip(names) {
            if has(name, &["shoulder", "shldr"]) {
                *part = part.replace(" clavicle", " arm");
            }
        }
    }
    for &(joint, named) in named {
        for ((part, rank), name) in parts.iter_mut().zip(names).filter(|((part, _), _)| part == named) {
            (*part, *rank) = (plain(name), 0);
        }
        parts[joint] = (named.to_owned(), 0);
    }
    parts
}

/// The parts of limbs whose links lead to another part, which comes before them.
const LIMB_LINKS: [[&str; 2]; 5] =
    [["shin", "foot"], ["thigh", "shin"], ["forearm", "hand"], ["arm", "forearm"], ["clavicle", "arm"]];

/// Where several joints have the word of a part of a limb, the part is the one with the longest link: `UpLeg`, and not the joint above
/// it in the hips that has the same word. Other joints of the part come after it. A link leads down to the next joint of the part, or
/// to the next part.
pub(crate) fn rank_by_links(parts: &mut [RankedPart], parents: &[Option<usize>], positions: &[DVec3]) {
    let above = |joint: usize| std::iter::successors(Some(joint), |&at| parents[at]);
    for (side, [part, next]) in ["left", "right"].into_iter().flat_map(|side| LIMB_LINKS.map(|link| (side, link))) {
        let candidates = joints_of(parts, &format!("{side} {part}"));
        let [first, _, ..] = candidates[..] else { continue };
        let ends = joints_of(parts, &format!("{side} {next}"));
        let length = |joint: usize| {
            let end = ends.iter().copied().find(|&end| above(end).skip(1).any(|at| at == joint))?;
            let way = above(end).take_while(|&at| at != joint);
            let next = way.filter(|at| *at == end || candidates.contains(at)).last()?;
            Some(positions[next].distance(positions[joint]))
        };
        // The first one in the order of words, among equals.
        let lengths = candidates.iter().rev().filter_map(|&joint| Some((joint, length(joint)?)));
        let Some((longest, _)) = lengths.max_by(|a, b| a.1.total_cmp(&b.1)) else { continue };
        let best = parts[first].1;
        candidates.iter().filter(|&&at| at != longest).for_each(|&at| parts[at].1 = parts[at].1.max(best + 1));
        parts[longest].1 = best;
    }
}

/// The joints of a part, those with the most common word for it first.
pub(crate) fn joints_of(parts: &[RankedPart], sought: &str) -> Vec<usize> {
    let mut joints: Vec<usize> = (0..parts.len()).filter(|&at| parts[at].0 == sought).collect();
    joints.sort_by_key(|&at| parts[at].1);
    joints
}

/// The body part of a joint name with its side, such as `left hand`.
pub(crate) fn part(name: &str) -> String {
    ranked_part(name).0
}

fn ranked_part(name: &str) -> RankedPart {
    let mut words = tokens(name);
    let is_side = |word: &str| matches!(word, "left" | "l" | "right" | "r");
    let mut side = words.iter().position(|word| is_side(word)).map(|at| words.remove(at));
    if words.len() > 1 {
        let first = words.iter().position(|word| !is_decoration(word.trim_end_matches(|c: char| c.is_ascii_digit())));
        words.drain(..first.unwrap_or(0));
    }
    if words.len() > 1 && words.last().is_some_and(|word| is_decoration(word)) {
        words.pop();
    }
    let mut text = words.concat();
    // Without a separator, the side is a prefix or a suffix.
    if side.is_none() && find_word(&text, false).is_none() {
        let marks = ["left", "right", "l", "r"];
        let found = marks.iter().find_map(|mark| {
            let rest = text.strip_prefix(mark).or_else(|| text.strip_suffix(mark))?;
            find_word(rest, true).map(|_| ((*mark).to_owned(), rest.to_owned()))
        });
        if let Some((mark, rest)) = found {
            (side, text) = (Some(mark), rest);
        }
    }
    let Some((part, rank)) = find_word(&text, side.is_some()) else { return (plain(name), 0) };
    match side {
        Some(side) if side.starts_with('l') => (format!("left {part}"), rank),
        Some(_) => (format!("right {part}"), rank),
        None => (part.to_owned(), rank),
    }
}

/// The body part for a word, if necessary without its number. A hip with a side is a thigh.
fn find_word(text: &str, sided: bool) -> Option<(&'static str, usize)> {
    let look = |text: &str| {
        PARTS
            .iter()
            .filter(|(part, _)| !sided || *part != "pelvis")
            .find_map(|(part, words)| Some((*part, words.iter().position(|word| *word == text)?)))
    };
    look(text).or_else(|| {
        let bare = text.trim_end_matches(|c: char| c.is_ascii_digit());
        (bare != text).then(|| look(bare)).flatten().map(|(part, rank)| (part, rank + NUMBERED))
    })
}

/// Words in the names of joints that only steer the inverse kinematics of other programs.
const HELPERS: [&str; 3] = ["ik", "pole", "target"];

/// Whether a joint has the name of a helper for inverse kinematics, such as `PoleTarget.L`.
pub(crate) fn is_named_as_helper(name: &str) -> bool {
    let words = tokens(name);
    words.iter().any(|word| HELPERS.contains(&word.trim_end_matches(|c: char| c.is_ascii_digit())))
}

/// The words of a name in lower case: split at separators and capitals, without the prefix before a colon.
pub(crate) fn tokens(name: &str) -> Vec<String> {
    let name: Vec<char> = name.rsplit(':').next().unwrap_or(name).chars().collect();
    let mut words = vec![String::new()];
    for (at, &letter) in name.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| name[at]);
        let after = name.get(at + 1);
        let begins = letter.is_uppercase()
            && (before.is_some_and(char::is_lowercase) || after.is_some_and(|after| after.is_lowercase()));
        if !letter.is_alphanumeric() || begins {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphanumeric()) {
            word.extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Parts of the trunk, bottom to top.
pub(crate) const TRUNK: [&str; 5] = ["pelvis", "spine", "chest", "neck", "head"];
/// Upper parts of the limbs. They determine the direction more reliably than the lower parts.
const PROXIMAL: [&str; 3] = ["thigh", "clavicle", "arm"];
const DISTAL: [&str; 5] = ["shin", "foot", "toe", "forearm", "hand"];
/// Smallest horizontal fraction of the vector from right to left that determines the direction.
const MIN_HORIZONTAL: f64 = 0.5;

/// Orientation of a figure at rest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facing {
    /// From right to left; zero if unknown.
    left: DVec3,
    /// Up along the trunk; zero if unknown.
    trunk: DVec3,
}

impl Facing {
    /// Determined from the body parts of the joints. `place` returns the position of a joint, or none to ignore it.
    pub fn new(parts: &[RankedPart], place: impl Fn(usize) -> Option<DVec3>) -> Self {
        let find = |name: &str| joints_of(parts, name).into_iter().find_map(&place);
        let apart = |part: &&str| Some(find(&format!("left {part}"))? - find(&format!("right {part}"))?);
        let proximal: DVec3 = PROXIMAL.iter().filter_map(apart).sum();
        let left = if proximal == DVec3::ZERO { DISTAL.iter().filter_map(apart).sum() } else { proximal };
        let trunk: Vec<DVec3> = TRUNK.iter().filter_map(|part| find(part)).collect();
        let trunk = trunk.last().zip(trunk.first()).map_or(DVec3::ZERO, |(high, low)| *high - *low);
        Facing { left, trunk }
    }

    /// The angle about `up` from this figure's direction to the other's; none if one of them is unknown.
    pub fn heading_to(self, other: Facing, up: DVec3) -> Option<f64> {
        let level = |left: DVec3| {
            let across = left.reject_from_normalized(up);
            (across.length() > MIN_HORIZONTAL * left.length()).then_some(across)
        };
        let (from, to) = (level(self.left)?, level(other.left)?);
        Some(maths::atan2(up.dot(from.cross(to)), from.dot(to)))
    }

    /// The rotation from this figure to the other if one of them lies and the other stands; none if they differ little.
    pub fn tilt_to(self, other: Facing) -> Option<DQuat> {
        let turn = other.rotation()? * self.rotation()?.conjugate();
        (maths::rotation_vector(turn).length() > FRAC_PI_4).then(|| turn.normalize())
    }

    fn rotation(self) -> Option<DQuat> {
        let [left, trunk, forward] = self.directions()?;
        Some(DQuat::from_mat3(&DMat3::from_cols(left, trunk, forward)))
    }

    /// Axes of the figure: left, up along the trunk, forward.
    pub fn directions(self) -> Option<[DVec3; 3]> {
        let left = self.left.try_normalize()?;
        let trunk = self.trunk.reject_from_normalized(left).try_normalize()?;
        Some([left, trunk, left.cross(trunk)])
    }
}

#[cfg(test)]
mod tests {
    use super::{body_parts, is_named_as_helper, part};

    #[test]
    fn a_shoulder_is_what_the_other_joints_leave() {
        let part = |names: [&str; 3]| body_parts(&names, &[])[1].0.clone();
        assert_eq!(part(["LeftCollar", "LeftShoulder", "LeftElbow"]), "left arm");
        assert_eq!(part(["LeftArm", "LeftShoulder", "LeftForeArm"]), "left clavicle");
        assert_eq!(part(["Chest", "LeftShoulder", "LeftElbow"]), "left arm");
    }

    #[test]
    fn a_named_part_is_no_other_joint() {
        let names = ["LeftHand", "Bone.014", "Bone.003"];
        let parts: Vec<String> = body_parts(&names, &[(1, "left hand")]).into_iter().map(|(part, _)| part).collect();
        assert_eq!(parts, ["lefthand", "left hand", "bone003"]);
    }

    #[test]
    fn helpers_are_named_by_whole_words() {
        let helpers = ["PoleTarget.L", "foot_IK.R", "LegIKTarget", "ik_hand_l", "hand.ik.001", "Pole2"];
        assert!(helpers.into_iter().all(is_named_as_helper));
        let others = ["Spike", "tadpole", "Nikola", "LeftHand", "targeting"];
        assert!(!others.into_iter().any(is_named_as_helper));
    }

    #[test]
    fn names_identify_body_parts() {
        let cases = [
            ("LeftUpLeg", "left thigh"),
            ("mixamorig:RightForeArm", "right forearm"),
            ("l_hand", "left hand"),
            ("Foot.R", "right foot"),
            ("Hips", "pelvis"),
            ("Head", "head"),
            ("tail_03", "tail03"),
            ("LHand", "left hand"),
            ("lhand", "left hand"),
            ("mixamorig1:LeftHand", "left hand"),
            ("Bip01 L Hand", "left hand"),
            ("ValveBiped.Bip01_R_Calf", "right shin"),
            ("b_LeftHand_011", "left hand"),
            ("J_Bip_C_Hips", "pelvis"),
            ("upper_arm.L", "left arm"),
            ("DEF-forearm.R", "right forearm"),
            ("LHipJoint", "left thigh"),
            ("LeftHip", "left thigh"),
            ("spine_01", "spine"),
            ("LeftHandThumb1", "lefthandthumb1"),
        ];
        for (name, expected) in cases {
            assert_eq!(part(name), expected, "{name}");
        }
    }
}
