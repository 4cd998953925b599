//! Characters in files: which joints are those of a person, rest frames with z along the link, and the stance at first.

use crate::assets::{HumanLimits, UnknownBody};
use crate::formats::SourceFile;
use crate::options::BodyLimits;
use crate::retarget::NamedPart;
use crate::retarget::body_mass::GROUND_HEIGHT;
use crate::retarget::human_limits::{HumanLimit, human_limits, is_folded, stands_upright};
use crate::retarget::known_body::{KnownBody, THIGH_TWIST};
use crate::{EffectorMode, Scene, SceneEffector};
use fabrik3d_ik::maths;
use fabrik3d_ik::{Effector, Joint, Kind, Skeleton, Target};
use glam::{DMat3, DQuat, DVec3};

/// Which body a figure has.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recognition {
    /// The body that the limits file or the names of the joints tell, if they do.
    pub body: Option<KnownBody>,
    /// The joints that the limits file gives a part, and what follows from them.
    pub named: Vec<NamedPart>,
    /// Why there is no body, if the figure could have one.
    pub unknown: Option<UnknownBody>,
}

/// A person has five ends: head, hands and feet.
const ENDS: usize = 5;

impl Recognition {
    /// Of a figure with these joints, parents first.
    pub fn of(joints: &[RestJoint], file: &SourceFile<'_>) -> Self {
        let place = |name: &str| joints.iter().position(|joint| joint.name == name);
        let named = file.limits.into_iter().flat_map(|limits| &limits.named);
        let named = named.filter_map(|(part, name)| Some((place(name)?, *part))).collect();
        Self::with(joints, named)
    }

    /// Of a figure with these joints, some of which a limits file gives a part.
    pub fn with(joints: &[RestJoint], mut named: Vec<NamedPart>) -> Self {
        let mut is_end = vec![true; joints.len()];
        joints.iter().filter_map(|joint| joint.parent).for_each(|parent| is_end[parent] = false);
        let could_be = !named.is_empty() || is_end.iter().filter(|&&is_end| is_end).count() >= ENDS;
        let list: Vec<_> = joints.iter().map(|joint| (joint.name.as_str(), joint.parent)).collect();
        let places = positions(joints);
        let mut body = KnownBody::of(&list, &places, &named);
        if let (Ok(known), false) = (&body, named.is_empty()) {
            name_toes(joints, known, &mut named);
            body = KnownBody::of(&list, &places, &named);
        }
        if let (Ok(known), false) = (&body, named.is_empty()) {
            named.extend(known.implied_parts(&named));
            body = KnownBody::of(&list, &places, &named);
        }
        match body {
            Ok(body) => Recognition { body: Some(body), named, unknown: None },
            Err(missing) => {
                let unknown = could_be.then_some(UnknownBody { missing });
                Recognition { body: None, named, unknown }
            }
        }
    }
}

/// A sole is shorter than this part of the shin. Test: `the_parts_between_the_ends_follow_from_the_ends`.
const SOLE: f64 = 0.5;

/// Who names the feet may leave the toes without a name: the only joint below an ankle. Or call them feet, as the ends of the
/// legs: the leg then has an ankle too, and its last link is short.
fn name_toes(joints: &[RestJoint], body: &KnownBody, named: &mut Vec<NamedPart>) {
    let below =
        |above: usize| -> Vec<usize> { (0..joints.len()).filter(|&at| joints[at].parent == Some(above)).collect() };
    let length =
        |at: usize| joints[at].parent.map_or(0.0, |above| joints[at].position.distance(joints[above].position));
    for (side, [foot, toe]) in [["left foot", "left toe"], ["right foot", "right toe"]].into_iter().enumerate() {
        let leg: Vec<usize> = body.above(body.feet[side]).take_while(|&at| at != body.hips).collect();
        let Some(place) = named.iter().position(|own| leg.first().is_some_and(|&end| *own == (end, foot))) else {
            continue;
        };
        match (&leg[..], &below(leg[0])[..]) {
            (&[end, ankle, _, _], []) if length(end) < SOLE * length(ankle) => {
                named[place] = (ankle, foot);
                named.push((end, toe));
            }
            (_, &[only]) if body.joint_of(toe).is_none() && below(only).is_empty() => named.push((only, toe)),
            _ => {}
        }
    }
}

/// The joints of a skeleton.
pub(crate) struct Anatomy {
    pub joints: Vec<Joint>,
    /// World rotations of their rest frames.
    pub frames: Vec<DQuat>,
    pub human_limits: HumanLimits,
}

/// Angle from the vertical, radians, from which legs are spread. Recordings of motion capture that were converted from ASF have
/// legs at 20 degrees. Test: `knees_of_a_body_that_crouches_are_above_its_feet`.
const SPREAD: f64 = 0.17;

/// Lets the legs hang whose thighs are spread at rest. A ball counts its tilts and its twist from there, so the way from a spread
/// thigh to a squat would turn the knees in.
pub(crate) fn hang_legs(joints: &mut [RestJoint], body: &KnownBody) {
    hang(joints, body, body.thighs());
}

/// Lets these joints hang whose links are more than [`SPREAD`] from the vertical, with all that is below them.
fn hang(joints: &mut [RestJoint], body: &KnownBody, tops: [Option<usize>; 2]) {
    let positions = positions(joints);
    let Some([_, up, _]) = body.directions(&positions).filter(|_| stands_upright(body, &positions)) else { return };
    let links = links(joints);
    for top in tops.into_iter().flatten() {
        let Some(link) = links[top].filter(|link| maths::angle(*link, -up) > SPREAD) else { continue };
        let (turn, hip) = (DQuat::from_rotation_arc(link, -up), positions[top]);
        let turned = |place: DVec3| hip + turn * (place - hip);
        for at in (0..joints.len()).filter(|&at| body.above(at).any(|above| above == top)) {
            let joint = &mut joints[at];
            joint.position = turned(joint.position);
            joint.rotation = turn * joint.rotation;
            joint.tips.iter_mut().for_each(|tip| *tip = turned(*tip));
        }
    }
}

fn positions(joints: &[RestJoint]) -> Vec<DVec3> {
    joints.iter().map(|joint| joint.position).collect()
}

/// The body on straight legs, otherwise as in the one of `poses` in which it stands tallest. None unless its legs point along its
/// trunk at rest: recordings such as LaFAN1 give all links the same direction there, from which no limits can count.
pub(crate) fn stood_up(
    rest: &[RestJoint],
    body: &KnownBody,
    poses: impl Iterator<Item = Vec<RestJoint>>,
) -> Option<Vec<RestJoint>> {
    if !is_folded(body, &positions(rest)) {
        return None;
    }
    let poses: Vec<Vec<RestJoint>> = poses.filter(|pose| stands_upright(body, &positions(pose))).collect();
    let above_feet = |pose: &Vec<RestJoint>| body.feet.map(|foot| pose[body.head].position - pose[foot].position);
    // Files that do not have y upward have z.
    let mean: DVec3 = poses.iter().flat_map(above_feet).sum();
    let up = if mean.y >= mean.z { DVec3::Y } else { DVec3::Z };
    let tallness = |pose: &Vec<RestJoint>| above_feet(pose).map(|way| way.dot(up)).into_iter().fold(f64::MAX, f64::min);
    let mut tallest = poses.into_iter().max_by(|a, b| tallness(a).total_cmp(&tallness(b)))?;
    hang(&mut tallest, body, body.thighs());
    hang(&mut tallest, body, ["left shin", "right shin"].map(|part| body.joint_of(part)));
    Some(tallest)
}

/// Which joints get human limits.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Limited<'a> {
    /// Those of known parts, except for these names: a limits file says how they move.
    Except(&'a [String]),
    /// These and no others.
    These(&'a [usize]),
}

impl<'a> Limited<'a> {
    /// As the options of a file and its limits file say.
    pub fn of(file: &SourceFile<'a>) -> Self {
        match file.options.body_limits {
            BodyLimits::Human => Limited::Except(file.limits.map_or(&[], |limits| &limits.listed)),
            BodyLimits::Off => Limited::These(&[]),
        }
    }
}

/// The joints with the limits and the stiffness of the body, if there is one. `bend` says where recorded motion takes the link of a
/// joint with this direction, relative to rest; zero without motion.
pub(crate) fn joints_of(
    drafts: &[RestJoint],
    body: Option<&KnownBody>,
    limited: Limited<'_>,
    bend: impl Fn(usize, DVec3) -> DVec3,
) -> Anatomy {
    let links = links(drafts);
    let mut limits = match body {
        Some(body) => {
            let positions: Vec<DVec3> = drafts.iter().map(|draft| draft.position).collect();
            let tips: Vec<Option<DVec3>> = drafts.iter().map(|draft| draft.tips.first().copied()).collect();
            let bends = links.iter().enumerate().map(|(at, link)| link.map_or(DVec3::ZERO, |link| bend(at, link)));
            human_limits(body, (&positions, &tips), &links, &bends.collect::<Vec<_>>())
        }
        None => vec![None; drafts.len()],
    };
    let mut human = HumanLimits::default();
    for (at, draft) in drafts.iter().enumerate() {
        let limit = limits[at].take().filter(|_| draft.kind != Kind::Free);
        match limited {
            _ if limit.is_none() => {}
            Limited::Except(names) if names.contains(&draft.name) => human.overruled.push(at),
            Limited::These(joints) if !joints.contains(&at) => {}
            _ => {
                human.joints.push(at);
                limits[at] = limit;
            }
        }
    }
    let (mut joints, frames) = aligned(drafts, &links, &limits);
    if let Some(body) = body {
        joints.iter_mut().zip(&body.stiffness).for_each(|(joint, &stiffness)| joint.stiffness = stiffness);
        body.thighs().into_iter().flatten().for_each(|thigh| joints[thigh].twist_stiffness = THIGH_TWIST);
    }
    Anatomy { joints, frames, human_limits: human }
}

/// A joint of a file at rest.
#[derive(Clone, Debug)]
pub(crate) struct RestJoint {
    /// Name, unique.
    pub name: String,
    /// Index of its parent, below its own.
    pub parent: Option<usize>,
    /// Position, world space.
    pub position: DVec3,
    /// Rotation, world space.
    pub rotation: DQuat,
    /// Tips of effectors on it: ends of links besides its children, world space.
    pub tips: Vec<DVec3>,
    /// Kind of joint.
    pub kind: Kind,
}

/// The unit directions of the links at rest, world space: toward the mean of children and tips, or along the parent's link
/// without any. None if that has no direction either.
pub(crate) fn links(drafts: &[RestJoint]) -> Vec<Option<DVec3>> {
    let mut ends = vec![DVec3::ZERO; drafts.len()];
    for (at, draft) in drafts.iter().enumerate() {
        let own = draft.tips.iter().copied().map(|tip| (at, tip));
        for (owner, end) in own.chain(draft.parent.map(|parent| (parent, draft.position))) {
            ends[owner] += end - drafts[owner].position;
        }
    }
    let direction = |(at, draft): (usize, &RestJoint)| {
        let along_parent = || (draft.position - drafts[draft.parent?].position).try_normalize();
        ends[at].try_normalize().or_else(along_parent)
    };
    drafts.iter().enumerate().map(direction).collect()
}

/// The joints of a skeleton whose rest frames have z along the `links`. The axes of the file are rotated as little as
/// possible, except on joints with human limits, whose x axis is that of the limits. The second list holds the world
/// rotations of the rest frames.
pub(crate) fn aligned(
    drafts: &[RestJoint],
    links: &[Option<DVec3>],
    limits: &[Option<HumanLimit>],
) -> (Vec<Joint>, Vec<DQuat>) {
    let rotation = |(at, draft): (usize, &RestJoint)| match (links[at], limits[at]) {
        (Some(link), Some(limit)) => {
            DQuat::from_mat3(&DMat3::from_cols(limit.x, link.cross(limit.x), link)).normalize()
        }
        (Some(link), None) => (DQuat::from_rotation_arc(draft.rotation * DVec3::Z, link) * draft.rotation).normalize(),
        (None, _) => draft.rotation,
    };
    let rotations: Vec<DQuat> = drafts.iter().enumerate().map(rotation).collect();
    let joint = |(at, draft): (usize, &RestJoint)| {
        let (place, turn) = match draft.parent {
            Some(parent) => (drafts[parent].position, rotations[parent].conjugate()),
            None => (DVec3::ZERO, DQuat::IDENTITY),
        };
        let kind = limits[at].map_or(draft.kind, |limit| limit.kind);
        let mut joint = Joint::new(draft.name.clone(), draft.parent, turn * (draft.position - place), kind);
        joint.rest = (turn * rotations[at]).normalize();
        joint
    };
    (drafts.iter().enumerate().map(joint).collect(), rotations)
}

/// Fewest effectors on the ground of a standing figure.
const MIN_FEET: usize = 2;
/// Weight of the hips; that of a hand is 1.
const HIPS_WEIGHT: f64 = 0.1;
/// Weight of their direction where they are pinned: it turns for a hand, but not while they are dragged themselves. Tests:
/// `a_trunk_that_is_lowered_stays_upright`, `a_quickly_dragged_effector_stays_on_its_target_and_pinned_ones_on_theirs`.
const PELVIS_TURN: f64 = 0.01;

/// Which heights are on the ground, for a figure from `low` to `high`; none if the figure does not stand.
pub(crate) fn standing(heights: &[f64], (low, high): (f64, f64)) -> Option<Vec<bool>> {
    let stands: Vec<bool> = heights.iter().map(|height| height - low <= GROUND_HEIGHT * (high - low)).collect();
    let feet = stands.iter().filter(|&&stands| stands).count();
    (high > low && feet >= MIN_FEET).then_some(stands)
}

/// Pins the effectors on the ground, frees the others, and adds an effector to the hips. A figure that does not stand keeps
/// all its effectors pinned.
pub(crate) fn stand(scene: &mut Scene) {
    let skeleton = &scene.skeleton;
    let up = scene.up.axis();
    let rest = skeleton.frames(&skeleton.rest_pose());
    let tip = |effector: &Effector| rest[effector.joint].point(effector.tip).dot(up);
    let tips: Vec<f64> = scene.effectors.iter().map(|effector| tip(&effector.effector)).collect();
    let heights = rest.iter().map(|frame| frame.position.dot(up)).chain(tips.iter().copied());
    let (low, high) = heights.fold((f64::MAX, f64::MIN), |(low, high), at| (low.min(at), high.max(at)));
    let Some(stands) = standing(&tips, (low, high)) else { return };
    let hips = hips(scene).filter(|&hips| rest[hips].position.dot(up) - low > GROUND_HEIGHT * (high - low));
    for (effector, stands) in scene.effectors.iter_mut().zip(stands) {
        effector.hold = if stands { EffectorMode::Pinned } else { EffectorMode::Free };
    }
    let Some(hips) = hips else { return };
    let above = depth(skeleton, hips);
    for effector in &mut scene.effectors {
        let joints = depth(skeleton, effector.effector.joint) + 1 - above;
        effector.effector.chain_length = (above > 0).then_some(joints);
    }
    let frame = skeleton.frames(&scene.start)[hips];
    let name = scene.free_name(&skeleton.joints()[hips].name);
    let effector = Effector { joint: hips, tip: DVec3::ZERO, chain_length: (above > 0).then_some(1) };
    // Stiffness holds the hips of a body with human limits, and its legs know how to bend. Who moves hips expects the trunk to keep
    // its direction: to come a little nearer to a target out of reach, it would tip over. Stiff backs of animals keep it anyway.
    let is_person = scene.assets.human_limits != HumanLimits::default();
    let whole = Target::from((frame.position, frame.rotation));
    let (hold, target, rotation_weight) = match is_person {
        true => (EffectorMode::Free, whole, HIPS_WEIGHT),
        false if scene.is_stiff() => (EffectorMode::Pinned, Target::from(frame.position), HIPS_WEIGHT),
        false => (EffectorMode::Pinned, whole, PELVIS_TURN),
    };
    let effector = SceneEffector::new(name, effector, target);
    scene.effectors.push(SceneEffector { weight: HIPS_WEIGHT, rotation_weight, hold, ..effector });
}

/// The joint that moves the whole figure: the lowest free joint above all effectors.
fn hips(scene: &Scene) -> Option<usize> {
    let skeleton = &scene.skeleton;
    let mut joints = scene.effectors.iter().map(|effector| effector.effector.joint);
    let carries = |joint: usize, end: usize| skeleton.ancestors(end).any(|at| at == joint);
    skeleton
        .ancestors(joints.next()?)
        .find(|&joint| skeleton.joints()[joint].kind == Kind::Free && joints.clone().all(|end| carries(joint, end)))
}

fn depth(skeleton: &Skeleton, joint: usize) -> usize {
    skeleton.ancestors(joint).count() - 1
}
