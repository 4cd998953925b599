//! One figure's motion on another: joints matched by name, sizes by reach, both standing and facing alike.

pub mod body;
pub mod facing;

use crate::formats::character::nearest_coordinates;
use crate::motion::Motion;
use crate::{Scene, Up};
use body::{body_parts, plain};
use fabrik3d_ik::{Isometry, Joint, Kind, Pose, Skeleton};
use facing::{Facing, TRUNK};
use glam::{DQuat, DVec3};
use std::collections::HashMap;
use std::f64::consts::FRAC_PI_2;

/// How the joints of one skeleton stand for those of another.
#[derive(Clone, Debug, PartialEq)]
pub struct Retarget {
    /// For each joint of the driven skeleton, the joint of the recorded one that it follows.
    pub partners: Vec<Option<usize>>,
    /// How much larger the driven figure is.
    pub scale: f64,
    /// The turn of the recorded figure's whole world, its path with it, after which both stand and face alike at rest.
    pub turn: DQuat,
    /// How the driven figure lies at rest where the turned one stands.
    tilt: DQuat,
}

impl Retarget {
    /// Matches the figures of two scenes: their joints as [`Retarget::by_names`] does, and besides as is `told`: for the
    /// second of a pair, a driven joint, its recorded one, or none. The recorded figure is turned to stand along the driven
    /// scene's up axis and, about that, to face as the driven figure does at rest: that it turns the path too is what lets a
    /// character that faces elsewhere walk ahead, not sideways. Left and right of matched joints say where a figure faces;
    /// one of which that is not known stays as it is. None where no joint matches.
    pub fn between(recorded: &Scene, driven: &Scene, told: &[(Option<usize>, usize)]) -> Option<Self> {
        let mut partners = partners(&recorded.skeleton, &driven.skeleton);
        for &(partner, joint) in told {
            partners[joint] = partner;
        }
        let mut retarget = Retarget::matched(&recorded.skeleton, &driven.skeleton, partners)?;
        let parts = retarget.parts(&recorded.skeleton, &driven.skeleton);
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

    /// Matches the joints of two skeletons by name, and their sizes by the legs that both have, since those carry a figure
    /// over its ground; without such by all lengths that both have. Case, separators, prefixes such as `mixamorig:` or
    /// `Bip01_`, how sides are written (`LeftHand`, `hand.L`, `lHand`) and common synonyms (`thigh`, `upleg`) do not
    /// matter. How the two stand and face is left as it is. None where no joint matches.
    pub fn by_names(recorded: &Skeleton, driven: &Skeleton) -> Option<Self> {
        Retarget::matched(recorded, driven, partners(recorded, driven))
    }

    fn matched(recorded: &Skeleton, driven: &Skeleton, partners: Vec<Option<usize>>) -> Option<Self> {
        partners.iter().flatten().next()?;
        let mut retarget = Retarget { partners, scale: 1.0, turn: DQuat::IDENTITY, tilt: DQuat::IDENTITY };
        retarget.scale = retarget.scale_of(recorded, driven);
        Some(retarget)
    }

    /// Where the turned figure begins.
    fn base(&self) -> Isometry {
        Isometry::new(DVec3::ZERO, self.turn)
    }

    /// Where a point of the recorded figure's world is in the driven one's: for targets along a recorded path.
    pub fn point(&self, point: DVec3) -> DVec3 {
        self.turn * point * self.scale
    }

    /// The driven skeleton's pose for a recorded one. Each joint turns as its partner does from rest, and its link then
    /// takes the direction of the partner's link, so that the figures may rest in different poses. Joints without a
    /// partner stay as they rest. Limits of the driven skeleton hold.
    pub fn pose(&self, recorded: &Skeleton, pose: &Pose, driven: &Skeleton) -> Pose {
        let moved = recorded.frames_at(self.base(), pose);
        let (rest_there, rest_here) = (zero_frames(recorded, self.base()), zero_frames(driven, Isometry::IDENTITY));
        let raise = self.tilt.conjugate();
        let mut frames: Vec<Isometry> = Vec::with_capacity(driven.len());
        let mut out = Pose::with_capacity(driven.len());
        for (at, joint) in driven.joints().iter().enumerate() {
            let parent = joint.parent.map_or(Isometry::IDENTITY, |parent| frames[parent]);
            let rest = driven.rest_frame(at, parent);
            let (turn, place) = match self.partners[at] {
                None => (DQuat::IDENTITY, DVec3::ZERO),
                Some(partner) => {
                    let turned = moved[partner].rotation * rest_there[partner].rotation.conjugate();
                    let mut wanted = turned * raise * rest_here[at].rotation;
                    if let (Some(own), Some(other)) = (link(driven, at), link(recorded, partner)) {
                        let (own, other) = (wanted * own, moved[partner].rotation * other);
                        wanted = DQuat::from_rotation_arc(own.normalize(), other.normalize()) * wanted;
                    }
                    let place = rest.local(moved[partner].position * self.scale);
                    ((rest.rotation.conjugate() * wanted).normalize(), place)
                }
            };
            let moves = matches!(joint.kind, Kind::Free) && self.partners[at].is_some();
            out.push(nearest_coordinates(&joint.kind, if moves { place } else { DVec3::ZERO }, turn));
            frames.push(joint.kind.frame(rest, &out[at]));
        }
        driven.follow(&mut out);
        out
    }

    /// A whole motion.
    pub fn motion(&self, recorded: &Skeleton, motion: &Motion, driven: &Skeleton) -> Motion {
        let pose = |frame| self.pose(recorded, &motion.pose(recorded, frame), driven);
        Motion::new(motion.name.clone(), motion.frame_time, (0..motion.len()).map(pose).collect())
    }

    /// The part of a body that each driven joint stands for, by its own name or by its partner's, and how usual a word that
    /// is.
    fn parts(&self, recorded: &Skeleton, driven: &Skeleton) -> Vec<(String, usize)> {
        let (theirs, ours) = (body_parts(&names(recorded)), body_parts(&names(driven)));
        let is_known = |part: &String| part.contains(' ') || TRUNK.contains(&part.as_str());
        let part = |(at, own): (usize, (String, usize))| match self.partners[at] {
            Some(partner) if !is_known(&own.0) => theirs[partner].clone(),
            _ => own,
        };
        ours.into_iter().enumerate().map(part).collect()
    }

    /// How much larger the driven figure is: by what lies between joints that have partners, whatever there is between.
    fn scale_of(&self, recorded: &Skeleton, driven: &Skeleton) -> f64 {
        let partners = &self.partners;
        let (rest_there, rest_here) =
            (zero_frames(recorded, Isometry::IDENTITY), zero_frames(driven, Isometry::IDENTITY));
        let parts = self.parts(recorded, driven);
        let is_above =
            |skeleton: &Skeleton, upper: usize, lower: usize| skeleton.ancestors(lower).skip(1).any(|at| at == upper);
        let (mut all, mut legs) = ([0.0; 2], [0.0; 2]);
        for (joint, partner) in partners.iter().enumerate() {
            let Some(partner) = *partner else { continue };
            // A free joint is no link's end: its offset is where it happens to begin.
            if driven.joints()[joint].kind == Kind::Free || recorded.joints()[partner].kind == Kind::Free {
                continue;
            }
            let above = driven.ancestors(joint).skip(1).find_map(|at| Some((at, partners[at]?)));
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
}

/// For each driven joint the recorded one of its name.
fn partners(recorded: &Skeleton, driven: &Skeleton) -> Vec<Option<usize>> {
    let mut exact = HashMap::new();
    let mut parts: HashMap<String, (usize, usize)> = HashMap::new();
    for (at, (joint, (part, rank))) in recorded.joints().iter().zip(body_parts(&names(recorded))).enumerate() {
        exact.entry(plain(&joint.name)).or_insert(at);
        // Of several words for the same part the usual one counts.
        let best = parts.entry(part).or_insert((rank, at));
        *best = (*best).min((rank, at));
    }
    let find = |(joint, (part, _)): (&Joint, (String, usize))| {
        exact.get(&plain(&joint.name)).copied().or_else(|| Some(parts.get(&part)?.1))
    };
    driven.joints().iter().zip(body_parts(&names(driven))).map(find).collect()
}

fn names(skeleton: &Skeleton) -> Vec<String> {
    skeleton.joints().iter().map(|joint| joint.name.clone()).collect()
}

/// The direction of a joint's link in its frame, where it has but one: to its only child, and along z where that stands in
/// the joint itself.
fn link(skeleton: &Skeleton, joint: usize) -> Option<DVec3> {
    let [child] = *skeleton.children(joint) else { return None };
    Some(skeleton.joints()[child].offset.try_normalize().unwrap_or(DVec3::Z))
}

/// Frames with all coordinates 0.
fn zero_frames(skeleton: &Skeleton, base: Isometry) -> Vec<Isometry> {
    let mut frames: Vec<Isometry> = Vec::with_capacity(skeleton.len());
    for (at, joint) in skeleton.joints().iter().enumerate() {
        let parent = joint.parent.map_or(base, |parent| frames[parent]);
        frames.push(skeleton.rest_frame(at, parent));
    }
    frames
}

/// The turn that stands along `to` what stands along `from`.
pub fn upright(from: Up, to: Up) -> DQuat {
    match (from, to) {
        (Up::Y, Up::Z) => DQuat::from_rotation_x(FRAC_PI_2),
        (Up::Z, Up::Y) => DQuat::from_rotation_x(-FRAC_PI_2),
        _ => DQuat::IDENTITY,
    }
}

/// What a leg's lengths end at, as parts are called.
const LEG: [&str; 2] = [" shin", " foot"];
