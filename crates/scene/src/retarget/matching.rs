//! Matching joints, sizes and orientation of two figures, and whether they are alike enough for the motion of one on the other.

use super::body::{Facing, RankedPart, TRUNK, joints_of, plain};
use super::course::{Carrier, Course, Share};
use super::ground::{Ground, Matched};
use super::known_body::KnownBody;
use crate::Scene;
use crate::coordinates::{nearest_coordinates, zero_frames};
use crate::motion::Motion;
use crate::options::upright;
use fabrik3d_ik::maths;
use fabrik3d_ik::{Coordinates, Isometry, Joint, Kind, Pose, Skeleton};
use glam::{DQuat, DVec3};
use std::collections::HashMap;
use std::f64::consts::TAU;
use std::fmt;

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
    /// For each joint of the driven skeleton that follows several others instead, those.
    shares: Vec<Option<Share>>,
    /// The joints of the driven skeleton that are feet and toes by their own names.
    feet: Vec<usize>,
    /// Those that are hands.
    hands: Vec<usize>,
    /// Those that are collar bones.
    collar_bones: Vec<usize>,
    ground: Ground,
}

/// Largest angle between the links of a foot at rest in both figures, radians, at which both rest on the ground: an ankle may be
/// high above the ball of the foot, but a foot that points down does not stand. Test: `feet_of_another_slope_stand_flat` if
/// smaller.
const SAME_FOOT: f64 = 1.15;

/// Directions that differ less are the same, radians. Test: `robots_get_their_values_back_from_files_without_axes`.
const SAME_DIRECTION: f64 = 1e-4;

impl Retarget {
    /// Matches the figures of two scenes: their joints by name, except for the `pairs` of recorded (or no) joint and driven
    /// joint, and their sizes by the common leg links, or by all common links without legs. Case, separators, prefixes such
    /// as `mixamorig:` or `Bip01_`, side notations (`LeftHand`, `hand.L`, `lHand`) and common synonyms (`thigh`, `upleg`) are
    /// equivalent. The recorded figure is rotated to the driven scene's up axis, and about it to face the same way. The path
    /// rotates with it, so a character that faces another way walks forward, not sideways. The positions of left and right
    /// joints determine the facing direction; without them there is no rotation. Trunks, necks and fingers of bodies are matched by where
    /// their joints are, whatever their names and numbers. None if no joint matches.
    pub fn between(recorded: &Scene, driven: &Scene, pairs: &[(Option<usize>, usize)]) -> Option<Self> {
        let [theirs, own] = [recorded, driven].map(Scene::ranked_parts);
        let mut partners = partners((&recorded.skeleton, &theirs), (&driven.skeleton, &own));
        let mut shares = shares(recorded, driven);
        let of_shares = shares.iter().map(|share| share.as_ref().and_then(Share::main));
        of_shares.zip(&mut partners).for_each(|(main, partner)| *partner = main.or(*partner));
        for &(partner, joint) in pairs {
            (partners[joint], shares[joint]) = (partner, None);
        }
        partners.iter().flatten().next()?;
        let of_parts = |words: &[&str]| {
            (0..own.len()).filter(|&at| words.iter().any(|word| own[at].0.ends_with(word))).collect::<Vec<_>>()
        };
        let [feet, hands, collar_bones] = [&FEET[..], &[" hand"], &[" clavicle"]].map(of_parts);
        let parts = parts(&partners, &theirs, own);
        let is_same = has_same_links([&recorded.skeleton, &driven.skeleton], &partners);
        // The up axis of some files is a guess.
        let turn = if is_same { DQuat::IDENTITY } else { upright(recorded.up, driven.up) };
        let tilt = DQuat::IDENTITY;
        let ground = Ground::default();
        let mut retarget = Retarget { partners, shares, scale: 1.0, turn, tilt, feet, hands, collar_bones, ground };
        retarget.scale = retarget.scale_of(&recorded.skeleton, &driven.skeleton, &parts);
        let facing = |retarget: &Retarget| {
            let there = zero_frames(&recorded.skeleton, retarget.base());
            Facing::new(&parts, |joint| Some(there[retarget.partners[joint]?].position))
        };
        let rest = zero_frames(&driven.skeleton, Isometry::IDENTITY);
        let own = Facing::new(&parts, |joint| retarget.partners[joint].map(|_| rest[joint].position));
        let up = driven.up.axis();
        if let Some(heading) = facing(&retarget).heading_to(own, up) {
            retarget.turn = (maths::turn(up, heading) * retarget.turn).normalize();
        }
        retarget.tilt = facing(&retarget).tilt_to(own).unwrap_or(DQuat::IDENTITY);
        let Retarget { partners, scale, tilt, .. } = &retarget;
        let matched = Matched { partners, scale: *scale, base: retarget.base(), tilt: *tilt };
        retarget.ground = Ground::between(matched, recorded, driven, &parts);
        Some(retarget)
    }

    /// The names of the recorded joints that no joint of the driven figure follows.
    pub fn unmatched(&self, recorded: &Skeleton) -> Vec<String> {
        let mut follows = vec![false; recorded.len()];
        let of_shares = self.shares.iter().flatten().flat_map(Share::joints);
        self.partners.iter().flatten().copied().chain(of_shares).for_each(|partner| follows[partner] = true);
        let joints = recorded.joints().iter().zip(follows).filter(|(_, follows)| !follows);
        joints.map(|(joint, _)| joint.name.clone()).collect()
    }

    /// Base frame of the turned recorded figure.
    fn base(&self) -> Isometry {
        Isometry::new(DVec3::ZERO, self.turn)
    }

    /// Displacement of the recorded path of a driven joint that is followed, to scale: feet come to the ground of the driven
    /// figure, and everything else goes along with its base.
    pub fn displacement(&self, joint: usize) -> DVec3 {
        if self.feet.contains(&joint) { self.ground.all } else { self.ground.followed }
    }

    /// The driven skeleton's pose for a recorded pose. Each joint rotates from rest as its partner does, and its link then gets
    /// the direction of the partner's link, so the rest poses may differ. Collar bones only rotate, and so do feet if both
    /// rest on the ground: the line from ankle to toes is steeper in one figure than in another. Joints without a partner stay
    /// at rest, and slides are as far along as their partners. Feet stand on the ground of the driven figure. The pose is
    /// inside the limits of the driven skeleton. `offsets`: where recorded joints are on their parents then, unless at rest.
    pub fn pose(&self, recorded: &Skeleton, (pose, offsets): (&Pose, &[(usize, DVec3)]), driven: &Skeleton) -> Pose {
        let stance = Stance {
            recorded,
            driven,
            moved: recorded.frames_at(self.base(), pose),
            recorded_rest: zero_frames(recorded, self.base()),
            driven_rest: zero_frames(driven, Isometry::IDENTITY),
        };
        let mut frames: Vec<Isometry> = Vec::with_capacity(driven.len());
        let mut out = Pose::with_capacity(driven.len());
        for (at, joint) in driven.joints().iter().enumerate() {
            let parent = joint.parent.map_or(Isometry::IDENTITY, |parent| frames[parent]);
            let rest = driven.rest_frame(at, parent);
            let (turn, place) = match self.partners[at] {
                None => (DQuat::IDENTITY, DVec3::ZERO),
                Some(partner) => {
                    let rotation = match &self.shares[at] {
                        Some(share) => self.shared(&stance, at, share, &frames),
                        None => self.followed(&stance, at, partner),
                    };
                    let place = match joint.kind {
                        Kind::Free => rest.local(stance.moved[partner].position * self.scale + self.ground.base),
                        Kind::Slide { .. } => {
                            let place = self.slid(recorded, (&stance.moved, offsets), partner);
                            place.map_or(DVec3::ZERO, |place| rest.local(parent.position + place * self.scale))
                        }
                        Kind::Ball { .. } | Kind::Hinge { .. } | Kind::Fixed => DVec3::ZERO,
                    };
                    ((rest.rotation.conjugate() * rotation).normalize(), place)
                }
            };
            out.push(nearest_coordinates(&joint.kind, place, turn));
            frames.push(joint.kind.frame(rest, &out[at]));
        }
        driven.follow(&mut out);
        out
    }

    /// The rotation of a driven joint that follows its partner.
    fn followed(&self, stance: &Stance<'_>, at: usize, partner: usize) -> DQuat {
        let Stance { recorded, driven, moved, recorded_rest, driven_rest } = stance;
        let rotation = stance.turned(partner) * self.tilt.conjugate() * driven_rest[at].rotation;
        let links = match at {
            // It has many links or none. Its z axis goes on where the forearm ends, whatever the arms do at rest.
            at if self.hands.contains(&at) => Some((DVec3::Z, DVec3::Z)),
            // Where it begins, between spine and shoulder, differs from rig to rig.
            at if self.collar_bones.contains(&at) => None,
            at => link(driven, at).zip(link(recorded, partner)),
        };
        let rest_on_ground = |&(own, other): &(DVec3, DVec3)| {
            let there = self.tilt * (recorded_rest[partner].rotation * other);
            self.feet.contains(&at) && maths::angle(driven_rest[at].rotation * own, there) < SAME_FOOT
        };
        let Some((own, other)) = links.filter(|links| !rest_on_ground(links)) else { return rotation };
        let (own, other) = (rotation * own, moved[partner].rotation * other);
        DQuat::from_rotation_arc(own.normalize(), other.normalize()) * rotation
    }

    /// The rotation of a driven joint that follows a stretch of the recorded figure; `frames` are those of the joints above it.
    fn shared(&self, stance: &Stance<'_>, at: usize, share: &Share, frames: &[Isometry]) -> DQuat {
        let Stance { moved, recorded_rest, driven_rest, .. } = stance;
        // The rotation from the world of the recorded figure to that of what carries the stretch, now and at rest.
        let [now, at_rest] = match share.carrier {
            None => [DQuat::IDENTITY, self.tilt],
            Some((own, other, turn)) => [(frames, moved), (&driven_rest[..], recorded_rest)]
                .map(|(here, there)| here[own].rotation * turn * there[other].rotation.conjugate()),
        };
        let turned = now * share.mean(|joint| stance.turned(joint)) * at_rest.conjugate();
        let rotation = turned * driven_rest[at].rotation;
        let Some((own, other)) = share.link(moved) else { return rotation };
        DQuat::from_rotation_arc((rotation * own).normalize(), (now * other).normalize()) * rotation
    }

    /// Where a recorded joint that its own coordinates or the recording move along is seen from its parent, in the turned
    /// recorded world; none of other joints.
    fn slid(
        &self,
        recorded: &Skeleton,
        (moved, offsets): (&[Isometry], &[(usize, DVec3)]),
        joint: usize,
    ) -> Option<DVec3> {
        let described = &recorded.joints()[joint];
        let parent = described.parent.map_or(self.base(), |parent| moved[parent]);
        let offset = offsets.iter().rfind(|(at, _)| *at == joint).map(|(_, offset)| *offset);
        match (offset, described.kind) {
            (Some(offset), _) => Some(parent.rotation * offset),
            (None, Kind::Slide { .. } | Kind::Free) => Some(moved[joint].position - parent.position),
            _ => None,
        }
    }

    /// Retargets a whole motion.
    pub fn motion(&self, recorded: &Skeleton, motion: &Motion, driven: &Skeleton) -> Motion {
        let pose = |frame| {
            let offsets = motion.offsets_at(recorded, frame as f64 * motion.frame_time);
            self.pose(recorded, (&motion.pose(recorded, frame), &offsets), driven)
        };
        let mut poses: Vec<Pose> = (0..motion.len()).map(pose).collect();
        unwrap_turns(driven, &mut poses);
        Motion::new(motion.name.clone(), motion.frame_time, poses)
    }

    /// Relative size of the driven figure, from the distances between matched joints.
    fn scale_of(&self, recorded: &Skeleton, driven: &Skeleton, parts: &[RankedPart]) -> f64 {
        let partners = &self.partners;
        let (recorded_rest, driven_rest) =
            (zero_frames(recorded, Isometry::IDENTITY), zero_frames(driven, Isometry::IDENTITY));
        let (mut all, mut legs) = ([0.0; 2], [0.0; 2]);
        for (joint, partner) in partners.iter().enumerate() {
            let Some(partner) = *partner else { continue };
            // The offset of a free joint is its start position, not a link.
            if driven.joints()[joint].kind == Kind::Free || recorded.joints()[partner].kind == Kind::Free {
                continue;
            }
            let above = driven.ancestors(joint).skip(1).find_map(|at| Some((at, partners[at]?)));
            let Some((above, other)) = above.filter(|(_, other)| hangs_on(recorded, partner, *other)) else { continue };
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

/// Two figures at rest, and the recorded one in a pose.
struct Stance<'a> {
    recorded: &'a Skeleton,
    driven: &'a Skeleton,
    moved: Vec<Isometry>,
    recorded_rest: Vec<Isometry>,
    driven_rest: Vec<Isometry>,
}

impl Stance<'_> {
    /// How a recorded joint has turned from rest.
    fn turned(&self, joint: usize) -> DQuat {
        self.moved[joint].rotation * self.recorded_rest[joint].rotation.conjugate()
    }
}

/// What the joints of trunk, neck and fingers follow, in bodies that are known: as many as there are, by where they are.
fn shares(recorded: &Scene, driven: &Scene) -> Vec<Option<Share>> {
    let mut shares = vec![None; driven.skeleton.len()];
    let Some((theirs, own)) = recorded.known_body().zip(driven.known_body()) else { return shares };
    let rest = zero_frames(&driven.skeleton, Isometry::IDENTITY);
    let [(joints, neck), (others, other_neck)] = [own.trunk(), theirs.trunk()];
    let has_neck = neck.is_some() && other_neck.is_some();
    // The same skeleton in other proportions has the same joints.
    let names = |scene: &Scene, joints: &[usize]| -> Vec<String> {
        joints.iter().map(|&joint| plain(&scene.skeleton.joints()[joint].name)).collect()
    };
    let is_same = names(driven, &joints) == names(recorded, &others);
    let trunk = |scene: &Scene, joints: Vec<usize>, neck: Option<usize>| {
        let (last, neck) = (joints.len() - 1, neck.filter(|_| has_neck));
        let ends = [Some(0), neck, Some(last)].into_iter().flatten();
        let common: Vec<usize> = if is_same { (0..=last).collect() } else { ends.collect() };
        Course::new(&scene.skeleton, joints.into_iter().map(|joint| (joint, DVec3::ZERO)).collect(), &common)
    };
    let (here, there) = (trunk(driven, joints, neck), trunk(recorded, others, other_neck));
    here.shares(&there, &rest, None).for_each(|(joint, share)| shares[joint] = Some(share));
    shares[own.head] = None;
    for side in 0..2 {
        for (course, other, carrier) in fingers([(driven, &own), (recorded, &theirs)], side).unwrap_or_default() {
            course.shares(&other, &rest, Some(carrier)).for_each(|(joint, share)| shares[joint] = Some(share));
        }
    }
    shares
}

/// The fingers of a hand of the first figure, each with the finger of the second one that it follows, and what carries them. None
/// unless both have fingers.
fn fingers(figures: [(&Scene, &KnownBody); 2], side: usize) -> Option<Vec<(Course, Course, Carrier)>> {
    let rest = figures.map(|(scene, _)| zero_frames(&scene.skeleton, Isometry::IDENTITY));
    let tip = |figure: usize, joint: usize| figures[figure].0.assets.end_sites.iter().find(|end| end.joint == joint);
    let of = |figure: usize| {
        let places: Vec<DVec3> = rest[figure].iter().map(|frame| frame.position).collect();
        let tip = |joint: usize| tip(figure, joint).map(|end| rest[figure][joint].point(end.tip));
        figures[figure].1.fingers(side, &places, tip)
    };
    let (own, theirs) = (of(0)?, of(1)?);
    let hands = figures.map(|(_, body)| body.hands[side]);
    let turn = theirs.turn_to(&own, [rest[1][hands[1]].rotation, rest[0][hands[0]].rotation])?;
    let courses = own.all.iter().enumerate().map(|(number, finger)| {
        let chains = [&finger.joints, &theirs.all[own.like(number, theirs.all.len())].joints];
        let tips = [0, 1].map(|figure| chains[figure].last().and_then(|&last| Some((last, tip(figure, last)?.tip))));
        // Where only one figure tells the tip, nothing tells where it is on the other.
        let has_tips = tips.iter().all(Option::is_some);
        let is_alike = chains[0].len() == chains[1].len();
        let course = |figure: usize| {
            let joints = [hands[figure]].into_iter().chain(chains[figure].iter().copied());
            let points: Vec<(usize, DVec3)> =
                joints.map(|joint| (joint, DVec3::ZERO)).chain(tips[figure].filter(|_| has_tips)).collect();
            let last = points.len() - 1;
            // Fingers of as many joints have the same joints.
            let common = if is_alike { (0..=last).collect() } else { vec![0, last] };
            Course::new(&figures[figure].0.skeleton, points, &common)
        };
        (course(0), course(1), (hands[0], hands[1], turn))
    });
    Some(courses.collect())
}

/// Adds whole turns to hinges, so that each goes the shorter way from frame to frame, as far as its limits allow.
fn unwrap_turns(skeleton: &Skeleton, poses: &mut [Pose]) {
    for frame in 1..poses.len() {
        let (former, rest) = poses.split_at_mut(frame);
        for (joint, (before, now)) in former[frame - 1].iter().zip(&mut rest[0]).enumerate() {
            let Kind::Hinge { range, .. } = *skeleton.kind(joint) else { continue };
            let turns = ((before.value() - now.value()) / TAU).round();
            let nearest = now.value() + turns * TAU;
            if turns != 0.0 && range.is_none_or(|range| (range.low()..=range.high()).contains(&nearest)) {
                *now = Coordinates::scalar(nearest);
            }
        }
    }
}

/// Whether all links between joints that are matched have the same directions at rest, in the axes of the files.
fn has_same_links([recorded, driven]: [&Skeleton; 2], partners: &[Option<usize>]) -> bool {
    let rest = [recorded, driven].map(|skeleton| zero_frames(skeleton, Isometry::IDENTITY));
    let links = driven.joints().iter().zip(partners).enumerate().filter_map(|(at, (joint, &partner))| {
        let (parent, partner) = (joint.parent?, partner?);
        let ends = [[partners[parent]?, partner], [parent, at]];
        let [there, here] = [0, 1].map(|side| rest[side][ends[side][1]].position - rest[side][ends[side][0]].position);
        Some((there.try_normalize()?, here.try_normalize()?))
    });
    let mut links = links.peekable();
    links.peek().is_some() && links.all(|(there, here)| there.distance(here) < SAME_DIRECTION)
}

/// The body part of each driven joint: its own, or else that of its partner.
fn parts(partners: &[Option<usize>], theirs: &[RankedPart], own: Vec<RankedPart>) -> Vec<RankedPart> {
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
    let mut exact: HashMap<String, (usize, usize)> = HashMap::new();
    let mut parts: HashMap<&str, (usize, usize)> = HashMap::new();
    for (at, (joint, (part, rank))) in recorded.joints().iter().zip(recorded_parts).enumerate() {
        // The first one in the order of a part's joints wins.
        let best = parts.entry(part).or_insert((*rank, at));
        *best = (*best).min((*rank, at));
        let best = exact.entry(plain(&joint.name)).or_insert((*rank, at));
        *best = (*best).min((*rank, at));
    }
    let find = |(joint, (part, _)): (&Joint, &RankedPart)| {
        let named = exact.get(&plain(&joint.name)).map(|(_, at)| *at);
        // The same word may mean different parts: the shoulder of one figure is the clavicle of the other.
        let same_part = named.filter(|&at| recorded_parts[at].0 == *part);
        same_part.or_else(|| Some(parts.get(part.as_str())?.1)).or(named)
    };
    driven.joints().iter().zip(driven_parts).map(find).collect()
}

/// Direction of the only link of a joint in its frame: to its only child, or z if the child has the same position. None to a child
/// that slides: its direction changes.
fn link(skeleton: &Skeleton, joint: usize) -> Option<DVec3> {
    let [child] = *skeleton.children(joint) else { return None };
    if matches!(skeleton.kind(child), Kind::Slide { .. }) {
        return None;
    }
    Some(skeleton.joints()[child].offset.try_normalize().unwrap_or(DVec3::Z))
}

/// Parts on the ground.
const FEET: [&str; 2] = [" foot", " toe"];
/// Parts at the lower ends of leg links.
const LEG: [&str; 2] = [" shin", " foot"];

/// The links of a limb, each by the parts at its upper and its lower end.
const LINKS: [[&str; 2]; 4] = [["thigh", "shin"], ["shin", "foot"], ["arm", "forearm"], ["forearm", "hand"]];
/// Largest ratio of the lengths of the same link, to scale. That of a toy with short legs and long arms is below 2.
const MAX_RATIO: f64 = 4.0;
/// Largest angle between the directions of the same link at rest, degrees. An arm that hangs and one that is raised to the side
/// differ by 90, and so do the legs of figures that stand and sit.
const MAX_ANGLE: f64 = 120.0;
/// Angle from which a link is told to rest in another direction, degrees. Arms that are raised to the side in one figure and
/// half lowered in the other one differ by less.
const TURNED_ANGLE: f64 = 45.0;
/// Most links that are named.
const MAX_NAMED: usize = 4;

/// Why the motion of one figure would deform another: what is wrong with which parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// A phrase for each part that does not fit; at least one.
    pub parts: Vec<String>,
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let more = self.parts.len().saturating_sub(MAX_NAMED);
        write!(f, "the recorded figure does not fit: {}", self.parts[..self.parts.len() - more].join("; "))?;
        if more > 0 { write!(f, "; and {more} more") } else { Ok(()) }
    }
}

/// A link of a limb that rests in another direction than the recorded one: its joints turn by as much as soon as the
/// recording plays.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnedLimb {
    /// Name of the driven joint at its upper end.
    pub joint: String,
    /// The angle between both directions, after both figures stand and face alike, degrees.
    pub degrees: f64,
}

/// A link of a limb in both figures, to scale and aligned.
struct LimbLink {
    /// The driven joints at its ends.
    upper: usize,
    lower: usize,
    /// The part at its lower end.
    part: String,
    /// From end to end in the recorded and in the driven figure at rest; none if it does not hang together in the driven one.
    ways: Option<[DVec3; 2]>,
}

impl LimbLink {
    /// The angle between both directions, degrees.
    fn degrees(&self) -> Option<f64> {
        self.ways.map(|[there, here]| maths::angle(here, there).to_degrees())
    }
}

impl Retarget {
    /// What does not fit of a recorded and a driven figure that are matched like this. Only the limbs of people are judged: their
    /// links must hang together, be about as long to scale, and rest in about the same direction.
    pub fn misfit(&self, recorded: &Scene, driven: &Scene) -> Option<Misfit> {
        let shown = |joint: usize| driven.shown_name(&driven.skeleton.joints()[joint].name);
        let misfit = |link: &LimbLink| {
            let (upper, lower, part) = (shown(link.upper), shown(link.lower), &link.part);
            let Some([there, here]) = link.ways else {
                return Some(format!("`{lower}` ({part}) does not hang on `{upper}`"));
            };
            let ratio = here.length() / there.length();
            if !(1.0 / MAX_RATIO..=MAX_RATIO).contains(&ratio) {
                return Some(format!(
                    "the link of `{upper}` to the {part} is {ratio:.2} times as long as the recorded one, to scale"
                ));
            }
            let degrees = link.degrees().filter(|degrees| *degrees > MAX_ANGLE)?;
            Some(format!("the link of `{upper}` to the {part} rests in another direction, by {degrees:.0} degrees"))
        };
        let parts: Vec<String> = self.limb_links(recorded, driven).iter().filter_map(misfit).collect();
        (!parts.is_empty()).then_some(Misfit { parts })
    }

    /// The links of limbs that fit, but that rest in clearly another direction than the recorded ones.
    pub fn turned_limbs(&self, recorded: &Scene, driven: &Scene) -> Vec<TurnedLimb> {
        let joints = driven.skeleton.joints();
        let turned = |link: LimbLink| {
            let degrees = link.degrees().filter(|degrees| *degrees > TURNED_ANGLE)?;
            Some(TurnedLimb { joint: driven.shown_name(&joints[link.upper].name).to_owned(), degrees })
        };
        self.limb_links(recorded, driven).into_iter().filter_map(turned).collect()
    }

    /// The links of people's limbs that are matched and that hang together in the recorded figure.
    fn limb_links(&self, recorded: &Scene, driven: &Scene) -> Vec<LimbLink> {
        let parts = parts(&self.partners, &recorded.ranked_parts(), driven.ranked_parts());
        let matched = |at: usize| Some((at, self.partners[at]?));
        let find = |sought: &str| joints_of(&parts, sought).into_iter().find_map(matched);
        let frames = [zero_frames(&recorded.skeleton, self.base()), zero_frames(&driven.skeleton, Isometry::IDENTITY)];
        let way = |frames: &[Isometry], from: usize, to: usize| frames[to].position - frames[from].position;
        let links = ["left", "right"].into_iter().flat_map(|side| LINKS.map(|link| (side, link)));
        let links = links.filter_map(|(side, [upper, lower])| {
            let (upper, from) = find(&format!("{side} {upper}"))?;
            let part = format!("{side} {lower}");
            let (lower, to) = find(&part)?;
            if !hangs_on(&recorded.skeleton, to, from) {
                return None;
            }
            let there = self.tilt * way(&frames[0], from, to) * self.scale;
            let hangs = hangs_on(&driven.skeleton, lower, upper);
            let ways = hangs.then(|| [there, way(&frames[1], upper, lower)]);
            Some(LimbLink { upper, lower, part, ways })
        });
        links.collect()
    }
}

/// Whether a joint is below another one.
fn hangs_on(skeleton: &Skeleton, lower: usize, upper: usize) -> bool {
    skeleton.ancestors(lower).skip(1).any(|at| at == upper)
}
