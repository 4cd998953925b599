//! One figure's motion on another: joints matched by name, sizes by reach.

use super::Motion;
use super::figure::nearest_coordinates;
use crate::ik::{Isometry, Kind, Pose, Skeleton};
use glam::{DQuat, DVec3};
use std::collections::HashMap;

/// How the joints of one skeleton stand for those of another.
#[derive(Clone, Debug, PartialEq)]
pub struct Retarget {
    /// For each joint of the driven skeleton, the joint of the recorded one that it follows.
    pub partners: Vec<Option<usize>>,
    /// How much larger the driven figure is.
    pub scale: f64,
}

impl Retarget {
    /// Matches the joints of two skeletons by name, and their sizes by the legs that both have, since those carry a figure
    /// over its ground; without such by all lengths that both have. Case, separators, prefixes such as `mixamorig:` or
    /// `Bip01_`, how sides are written (`LeftHand`, `hand.L`, `lHand`) and common synonyms (`thigh`, `upleg`) do not
    /// matter. None where no joint matches.
    pub fn by_names(recorded: &Skeleton, driven: &Skeleton) -> Option<Self> {
        let mut exact = HashMap::new();
        let mut parts: HashMap<String, (usize, usize)> = HashMap::new();
        let named = |skeleton: &Skeleton| skeleton.joints().iter().map(|joint| joint.name.clone()).collect::<Vec<_>>();
        for (at, (joint, (part, rank))) in recorded.joints().iter().zip(body_parts(&named(recorded))).enumerate() {
            exact.entry(plain(&joint.name)).or_insert(at);
            // Of several words for the same part the usual one counts.
            let best = parts.entry(part).or_insert((rank, at));
            *best = (*best).min((rank, at));
        }
        let find = |(joint, (part, _)): (&crate::ik::Joint, (String, usize))| {
            exact.get(&plain(&joint.name)).copied().or_else(|| Some(parts.get(&part)?.1))
        };
        let partners: Vec<Option<usize>> = driven.joints().iter().zip(body_parts(&named(driven))).map(find).collect();
        partners.iter().flatten().next()?;
        let scale = scale(recorded, driven, &partners);
        Some(Retarget { partners, scale })
    }

    /// Where a point of the recorded figure's world is in the driven one's: for targets along a recorded path.
    pub fn point(&self, point: DVec3) -> DVec3 {
        point * self.scale
    }

    /// The driven skeleton's pose for a recorded one. Each joint turns as its partner does from rest, and its link then
    /// takes the direction of the partner's link, so that the figures may rest in different poses. Joints without a
    /// partner stay as they rest. Limits of the driven skeleton hold.
    pub fn pose(&self, recorded: &Skeleton, pose: &Pose, driven: &Skeleton) -> Pose {
        let moved = recorded.frames(pose);
        let (rest_there, rest_here) = (zero_frames(recorded), zero_frames(driven));
        let mut frames: Vec<Isometry> = Vec::with_capacity(driven.len());
        let mut out = Pose::with_capacity(driven.len());
        for (at, joint) in driven.joints().iter().enumerate() {
            let parent = joint.parent.map_or(Isometry::IDENTITY, |parent| frames[parent]);
            let rest = driven.rest_frame(at, parent);
            let (turn, place) = match self.partners[at] {
                None => (DQuat::IDENTITY, DVec3::ZERO),
                Some(partner) => {
                    let turned = moved[partner].rotation * rest_there[partner].rotation.conjugate();
                    let mut wanted = turned * rest_here[at].rotation;
                    if driven.children(at).len() == 1 && recorded.children(partner).len() == 1 {
                        let (own, other) = (wanted * DVec3::Z, moved[partner].rotation * DVec3::Z);
                        wanted = DQuat::from_rotation_arc(own.normalize(), other.normalize()) * wanted;
                    }
                    let place = rest.local(self.point(moved[partner].position));
                    ((rest.rotation.conjugate() * wanted).normalize(), place)
                }
            };
            let moves = matches!(joint.kind, Kind::Free) && self.partners[at].is_some();
            out.push(nearest_coordinates(&joint.kind, if moves { place } else { DVec3::ZERO }, turn));
            frames.push(joint.kind.place(rest, &out[at]));
        }
        driven.follow(&mut out);
        out
    }

    /// A whole motion.
    pub fn motion(&self, recorded: &Skeleton, motion: &Motion, driven: &Skeleton) -> Motion {
        let pose = |frame| self.pose(recorded, &motion.pose(recorded, frame), driven);
        Motion::new(motion.name.clone(), motion.frame_time, (0..motion.len()).map(pose).collect())
    }
}

/// Frames with all coordinates 0.
fn zero_frames(skeleton: &Skeleton) -> Vec<Isometry> {
    let mut frames: Vec<Isometry> = Vec::with_capacity(skeleton.len());
    for (at, joint) in skeleton.joints().iter().enumerate() {
        let parent = joint.parent.map_or(Isometry::IDENTITY, |parent| frames[parent]);
        frames.push(skeleton.rest_frame(at, parent));
    }
    frames
}

/// How much larger the driven figure is: by what lies between joints that have partners, whatever there is between.
fn scale(recorded: &Skeleton, driven: &Skeleton, partners: &[Option<usize>]) -> f64 {
    let (rest_there, rest_here) = (zero_frames(recorded), zero_frames(driven));
    let names: Vec<String> = driven.joints().iter().map(|joint| joint.name.clone()).collect();
    let parts = body_parts(&names);
    let is_above =
        |skeleton: &Skeleton, upper: usize, lower: usize| skeleton.lineage(lower).skip(1).any(|at| at == upper);
    let (mut all, mut legs) = ([0.0; 2], [0.0; 2]);
    for (joint, partner) in partners.iter().enumerate() {
        let Some(partner) = *partner else { continue };
        // A free joint is no link's end: its offset is where it happens to begin.
        if driven.joints()[joint].kind == Kind::Free || recorded.joints()[partner].kind == Kind::Free {
            continue;
        }
        let above = driven.lineage(joint).skip(1).find_map(|at| Some((at, partners[at]?)));
        let Some((above, other)) = above.filter(|(_, other)| is_above(recorded, *other, partner)) else { continue };
        let lengths = [
            rest_here[joint].position.distance(rest_here[above].position),
            rest_there[partner].position.distance(rest_there[other].position),
        ];
        let is_leg = LEG.iter().any(|word| parts[joint].0.ends_with(word));
        for side in 0..2 {
            all[side] += lengths[side];
            legs[side] += if is_leg { lengths[side] } else { 0.0 };
        }
    }
    let [here, there] = if legs.iter().all(|&length| length > 0.0) { legs } else { all };
    if here > 0.0 && there > 0.0 { here / there } else { 1.0 }
}

/// What a leg's lengths end at, as parts are called.
const LEG: [&str; 2] = [" shin", " foot"];

/// A name without case, separators and what stands before a colon.
fn plain(name: &str) -> String {
    let name = name.rsplit(':').next().unwrap_or(name);
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Words for the same part of a body, the usual ones first.
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
    ("chest", &["chest", "spine1", "spine2", "thorax", "upperback"]),
];

/// What programs put before or after the names of all their joints.
const DECORATION: [&str; 16] = [
    "mixamorig",
    "bip",
    "valve",
    "biped",
    "armature",
    "def",
    "mch",
    "org",
    "cc",
    "base",
    "b",
    "j",
    "c",
    "jnt",
    "bone",
    "bind",
];

/// A place after the usual ones, for words that are a number short of a name.
const NUMBERED: usize = 100;

/// The parts that joints of one figure stand for, each with how usual its word is (0: the most).
fn body_parts(names: &[String]) -> Vec<(String, usize)> {
    let mut parts: Vec<(String, usize)> = names.iter().map(|name| ranked_part(name)).collect();
    // Where there is a collar, the shoulder is where the arm begins.
    let words = |name: &String| -> Vec<String> { tokens(name) };
    let has =
        |name: &String, sought: &[&str]| words(name).iter().any(|word| sought.iter().any(|one| word.ends_with(one)));
    if names.iter().any(|name| has(name, &["collar", "clavicle"])) {
        for ((part, _), name) in parts.iter_mut().zip(names) {
            if has(name, &["shoulder", "shldr"]) {
                *part = part.replace("clavicle", "arm");
            }
        }
    }
    parts
}

/// Whether a joint of this name is one that leads the rest of a body: hips, head, hands, feet.
pub(crate) fn leads_body(name: &str) -> bool {
    let part = ranked_part(name).0;
    ["pelvis", "head", "left hand", "right hand", "left foot", "right foot"].contains(&part.as_str())
}

/// The part of a body that a name stands for, with its side: `left hand`.
#[cfg(any(test, feature = "measure"))]
pub(crate) fn part(name: &str) -> String {
    ranked_part(name).0
}

fn ranked_part(name: &str) -> (String, usize) {
    let mut words = tokens(name);
    let is_side = |word: &str| matches!(word, "left" | "l" | "right" | "r");
    let mut side = words.iter().position(|word| is_side(word)).map(|at| words.remove(at));
    if words.len() > 1 {
        let first =
            words.iter().position(|word| !DECORATION.contains(&word.trim_end_matches(|c: char| c.is_ascii_digit())));
        words.drain(..first.unwrap_or(0));
    }
    if words.len() > 1 && words.last().is_some_and(|word| DECORATION.contains(&word.as_str())) {
        words.pop();
    }
    let mut text = words.concat();
    // Written in one, a side is the beginning or the end.
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

/// The part that a word stands for, if need be without its number. A hip has a side where it is a thigh's beginning.
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

/// The words of a name: cut at separators and where a capital begins a word, in small letters, without what stands before
/// a colon.
fn tokens(name: &str) -> Vec<String> {
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

#[cfg(test)]
mod tests {
    use super::part;

    #[test]
    fn names_stand_for_parts() {
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
