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
    /// Matches the joints of two skeletons by name, and their sizes by the lengths of the links that both have.
    /// Case, separators, prefixes such as `mixamorig:` and common synonyms (`thigh`, `upleg`) do not matter. None where
    /// no joint matches.
    pub fn by_names(recorded: &Skeleton, driven: &Skeleton) -> Option<Self> {
        let mut exact = HashMap::new();
        let mut parts = HashMap::new();
        for (at, joint) in recorded.joints().iter().enumerate() {
            exact.entry(plain(&joint.name)).or_insert(at);
            parts.entry(part(&joint.name)).or_insert(at);
        }
        let find = |name: &str| exact.get(&plain(name)).or_else(|| parts.get(&part(name))).copied();
        let partners: Vec<Option<usize>> = driven.joints().iter().map(|joint| find(&joint.name)).collect();
        partners.iter().flatten().next()?;
        let (mut here, mut there) = (0.0, 0.0);
        for (joint, partner) in driven.joints().iter().zip(&partners) {
            let Some(partner) = partner.map(|at| &recorded.joints()[at]) else { continue };
            // A free joint is no link's end: its offset is where it happens to begin.
            if [joint, partner].iter().all(|joint| joint.parent.is_some() && joint.kind != Kind::Free) {
                here += joint.offset.length();
                there += partner.offset.length();
            }
        }
        let scale = if here > 0.0 && there > 0.0 { here / there } else { 1.0 };
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

/// A name without case, separators and what stands before a colon.
fn plain(name: &str) -> String {
    let name = name.rsplit(':').next().unwrap_or(name);
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Words for the same part of a body.
const PARTS: [(&str, &[&str]); 13] = [
    ("pelvis", &["pelvis", "hips", "hip", "root"]),
    ("thigh", &["thigh", "upleg", "upperleg", "hipjoint"]),
    ("shin", &["shin", "leg", "lowerleg", "calf", "knee"]),
    ("foot", &["foot", "ankle"]),
    ("toe", &["toe", "toebase", "toes"]),
    ("clavicle", &["clavicle", "collar", "shoulder"]),
    ("arm", &["arm", "upperarm", "uparm"]),
    ("forearm", &["forearm", "lowerarm", "lowarm", "elbow"]),
    ("hand", &["hand", "wrist"]),
    ("neck", &["neck"]),
    ("head", &["head"]),
    ("spine", &["spine", "lowerback", "abdomen", "torso"]),
    ("chest", &["chest", "spine1", "spine2", "thorax", "upperback"]),
];

/// The part of a body that a name stands for, with its side: `left hand`.
pub(crate) fn part(name: &str) -> String {
    let name = plain(name);
    let sides = [("left", "left"), ("right", "right"), ("l", "left"), ("r", "right")];
    let word = |text: &str| PARTS.iter().find(|(_, words)| words.contains(&text)).map(|(part, _)| *part);
    let with_side = sides.iter().find_map(|(mark, side)| {
        let rest = name.strip_prefix(mark).or_else(|| name.strip_suffix(mark))?;
        word(rest).map(|part| format!("{side} {part}"))
    });
    with_side.or_else(|| word(&name).map(str::to_owned)).unwrap_or(name)
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
        ];
        for (name, expected) in cases {
            assert_eq!(part(name), expected, "{name}");
        }
    }
}
