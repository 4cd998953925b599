//! Matching joints, sizes and orientation of two figures.

use super::body::{Facing, TRUNK, body_parts, plain};
use crate::Scene;
use crate::coordinates::{nearest_coordinates, zero_frames};
use crate::motion::Motion;
use crate::options::upright;
use fabrik3d_ik::{Isometry, Joint, Kind, Pose, Skeleton};
use glam::{DQuat, DVec3};
use std::collections::HashMap;

/// Maps the motion of a recorded figure to a driven figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Retarget {
    /// For each joint of the driven skeleton, the joint of the recorded skeleton that it follows.
    pub partners: Vec<Option<usize>>,
    /// Size of the driven figure relative to the recorded one.
    pub scale: f64,
    /// Rotation of the recorded world, including the path, that makes both figures stand and face alike at rest.
    pub turn: DQuat,
    /// Rotation from the turned recorded figure to the driven one at rest, if one lies and the other stands.
    tilt: DQuat,
}

impl Retarget {
    /// Matches the figures of two scenes. Joints are matched as by [`Retarget::by_names`], except for the `pairs` of recorded
    /// (or no) joint and driven joint. The recorded figure is rotated to the driven scene's up axis, and about it to face the
    /// same way. The path rotates with it, so a character that faces another way walks forward, not sideways. The positions of
    /// left and right joints determine the facing direction; without them there is no rotation. None if no joint matches.
    pub fn between(recorded: &Scene, driven: &Scene, pairs: &[(Option<usize>, usize)]) -> Option<Self> {
        let [theirs, own] = [recorded, driven].map(Scene::ranked_parts);
        let mut partners = partners((&recorded.skeleton, &theirs), (&driven.skeleton, &own));
        for &(partner, joint) in pairs {
            partners[joint] = partner;
        }
        let parts = parts(&partners, &theirs, own);
        let mut retarget = Retarget::matched(&recorded.skeleton, &driven.skeleton, partners, &parts)?;
        retarget.turn = upright(recorded.up, driven.up);
        let facing = |retarget: &Retarget| {
            let there = zero_frames(&recorded.skeleton, retarget.base());
            Facing::new(&parts, |joint| Some(there[retarget.partners[joint]?].position))
        };
        let rest = zero_frames(&driven.skeleton, Isometry::IDENTITY);
        let own = Facing::new(&parts, |joint| retarget.partners[joint].map(|_| rest[joint].position));
        let up = driven.up.axis();
        if let Some(heading) = facing(&retarget).heading_to(own, up) {
            retarget.turn = (DQuat::from_axis_angle(up, heading) * retarget.turn).normalize();
        }
        retarget.tilt = facing(&retarget).tilt_to(own).unwrap_or(DQuat::IDENTITY);
        Some(retarget)
    }

    /// Matches the joints of two skeletons by name, and their sizes by the common leg links, or by all common links without
    /// legs. Case, separators, prefixes such as `mixamorig:` or `Bip01_`, side notations (`LeftHand`, `hand.L`, `lHand`) and
    /// common synonyms (`thigh`, `upleg`) are equivalent. There is no rotation. None if no joint matches.
    pub fn by_names(recorded: &Skeleton, driven: &Skeleton) -> Option<Self> {
        let [theirs, own] = [recorded, driven].map(|skeleton| body_parts(&names(skeleton), &[]));
        let partners = partners((recorded, &theirs), (driven, &own));
        let parts = parts(&partners, &theirs, own);
        Retarget::matched(recorded, driven, partners, &parts)
    }

    /// The names of the recorded joints that no joint of the driven figure follows.
    pub fn unmatched(&self, recorded: &Skeleton) -> Vec<String> {
        let mut follows = vec![false; recorded.len()];
        self.partners.iter().flatten().for_each(|&partner| follows[partner] = true);
        let joints = recorded.joints().iter().zip(follows).filter(|(_, follows)| !follows);
        joints.map(|(joint, _)| joint.name.clone()).collect()
    }

    fn matched(
        recorded: &Skeleton,
        driven: &Skeleton,
        partners: Vec<Option<usize>>,
        parts: &[RankedPart],
    ) -> Option<Self> {
        partners.iter().flatten().next()?;
        let mut retarget = Retarget { partners, scale: 1.0, turn: DQuat::IDENTITY, tilt: DQuat::IDENTITY };
        retarget.scale = retarget.scale_of(recorded, driven, parts);
        Some(retarget)
    }

    /// Base frame of the turned recorded figure.
    pub(super) fn base(&self) -> Isometry {
        Isometry::new(DVec3::ZERO, self.turn)
    }

    /// A direction of the turned recorded figure at rest in the driven figure at rest.
    pub(super) fn upright(&self, direction: DVec3) -> DVec3 {
        self.tilt * direction
    }

    /// Maps a point of the recorded world to the driven one, for targets along a recorded path.
    pub fn point(&self, point: DVec3) -> DVec3 {
        self.turn * point * self.scale
    }

    /// The driven skeleton's pose for a recorded pose. Each joint rotates from rest as its partner does, and its link then gets
    /// the direction of the partner's link, so the rest poses may differ. Joints without a partner stay at rest. The pose is
    /// inside the limits of the driven skeleton.
    pub fn pose(&self, recorded: &Skeleton, pose: &Pose, driven: &Skeleton) -> Pose {
        let moved = recorded.frames_at(self.base(), pose);
        let (recorded_rest, driven_rest) =
            (zero_frames(recorded, self.base()), zero_frames(driven, Isometry::IDENTITY));
        let raise = self.tilt.conjugate();
        let mut frames: Vec<Isometry> = Vec::with_capacity(driven.len());
        let mut out = Pose::with_capacity(driven.len());
        for (at, joint) in driven.joints().iter().enumerate() {
            let parent = joint.parent.map_or(Isometry::IDENTITY, |parent| frames[parent]);
            let rest = driven.rest_frame(at, parent);
            let (turn, place) = match self.partners[at] {
                None => (DQuat::IDENTITY, DVec3::ZERO),
                Some(partner) => {
                    let turned = moved[partner].rotation * recorded_rest[partner].rotation.conjugate();
                    let mut rotation = turned * raise * driven_rest[at].rotation;
                    if let (Some(own), Some(other)) = (link(driven, at), link(recorded, partner)) {
                        let (own, other) = (rotation * own, moved[partner].rotation * other);
                        rotation = DQuat::from_rotation_arc(own.normalize(), other.normalize()) * rotation;
                    }
                    let place = rest.local(moved[partner].position * self.scale);
                    ((rest.rotation.conjugate() * rotation).normalize(), place)
                }
            };
            let moves = matches!(joint.kind, Kind::Free) && self.partners[at].is_some();
            out.push(nearest_coordinates(&joint.kind, if moves { place } else { DVec3::ZERO }, turn));
            frames.push(joint.kind.frame(rest, &out[at]));
        }
        driven.follow(&mut out);
        out
    }

    /// Retargets a whole motion.
    pub fn motion(&self, recorded: &Skeleton, motion: &Motion, driven: &Skeleton) -> Motion {
        let pose = |frame| self.pose(recorded, &motion.pose(recorded, frame), driven);
        Motion::new(motion.name.clone(), motion.frame_time, (0..motion.len()).map(pose).collect())
    }

    /// Relative size of the driven figure, from the distances between matched joints.
    fn scale_of(&self, recorded: &Skeleton, driven: &Skeleton, parts: &[RankedPart]) -> f64 {
        let partners = &self.partners;
        let (recorded_rest, driven_rest) =
            (zero_frames(recorded, Isometry::IDENTITY), zero_frames(driven, Isometry::IDENTITY));
        let is_above =
            |skeleton: &Skeleton, upper: usize, lower: usize| skeleton.ancestors(lower).skip(1).any(|at| at == upper);
        let (mut all, mut legs) = ([0.0; 2], [0.0; 2]);
        for (joint, partner) in partners.iter().enumerate() {
            let Some(partner) = *partner else { continue };
            // The offset of a free joint is its start position, not a link.
            if driven.joints()[joint].kind == Kind::Free || recorded.joints()[partner].kind == Kind::Free {
                continue;
            }
            let above = driven.ancestors(joint).skip(1).find_map(|at| Some((at, partners[at]?)));
            let Some((above, other)) = above.filter(|(_, other)| is_above(recorded, *other, partner)) else { continue };
            let lengths = [
                driven_rest[joint].position.distance(driven_rest[above].position),
                recorded_rest[partner].position.distance(recorded_rest[other].position),
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
}

/// A body part with the rank of the word that names it.
pub(super) type RankedPart = (String, usize);

/// The body part of each driven joint: its own, or else that of its partner.
pub(super) fn parts(partners: &[Option<usize>], theirs: &[RankedPart], own: Vec<RankedPart>) -> Vec<RankedPart> {
    let is_known = |part: &String| part.contains(' ') || TRUNK.contains(&part.as_str());
    let part = |(at, own): (usize, RankedPart)| match partners[at] {
        Some(partner) if !is_known(&own.0) => theirs[partner].clone(),
        _ => own,
    };
    own.into_iter().enumerate().map(part).collect()
}

/// For each driven joint, the recorded joint with a matching name or of the same part.
fn partners(
    (recorded, recorded_parts): (&Skeleton, &[RankedPart]),
    (driven, driven_parts): (&Skeleton, &[RankedPart]),
) -> Vec<Option<usize>> {
    let mut exact = HashMap::new();
    let mut parts: HashMap<&str, (usize, usize)> = HashMap::new();
    for (at, (joint, (part, rank))) in recorded.joints().iter().zip(recorded_parts).enumerate() {
        exact.entry(plain(&joint.name)).or_insert(at);
        // The most common word for a part wins.
        let best = parts.entry(part).or_insert((*rank, at));
        *best = (*best).min((*rank, at));
    }
    let find = |(joint, (part, _)): (&Joint, &RankedPart)| {
        let named = exact.get(&plain(&joint.name)).copied();
        // The same word may mean different parts: the shoulder of one figure is the clavicle of the other.
        let same_part = named.filter(|&at| recorded_parts[at].0 == *part);
        same_part.or_else(|| Some(parts.get(part.as_str())?.1)).or(named)
    };
    driven.joints().iter().zip(driven_parts).map(find).collect()
}

fn names(skeleton: &Skeleton) -> Vec<String> {
    skeleton.joints().iter().map(|joint| joint.name.clone()).collect()
}

/// Direction of the only link of a joint in its frame: to its only child, or z if the child has the same position.
fn link(skeleton: &Skeleton, joint: usize) -> Option<DVec3> {
    let [child] = *skeleton.children(joint) else { return None };
    Some(skeleton.joints()[child].offset.try_normalize().unwrap_or(DVec3::Z))
}

/// Parts at the lower ends of leg links.
const LEG: [&str; 2] = [" shin", " foot"];
