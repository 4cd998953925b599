//! A BVH file as a scene.

use super::hierarchy::{self, Draft, ROTATIONS};
use super::numbers;
use crate::assets::{Assets, EndSite};
use crate::builder::{SceneBuilder, UniqueNames};
use crate::error::SceneError;
use crate::formats::SourceFile;
use crate::formats::character::{Anatomy, Limited, Recognition, RestJoint, hang_legs, joints_of, stand, stood_up};
use crate::motion::channels::{Channels, Layout, Turn};
use crate::motion::{Motion, Recording};
use crate::retarget::human_limits::widened_ball;
use crate::retarget::known_body::KnownBody;
use crate::syntax_tree::fault::{Fault, Read};
use crate::{Scene, SceneEffector, Up};
use fabrik3d_ik::{Effector, Kind, Skeleton, Target};
use glam::{DQuat, DVec3};
use std::sync::Arc;

/// Largest distance of a recorded position from the joint's offset at which the joint counts as not moving, relative to the
/// longest offset.
const POSITION_TOLERANCE: f64 = 1e-3;

pub(crate) fn read(mut file: SourceFile<'_>) -> Result<Scene, SceneError> {
    let text = file.take_text()?;
    read_text(&text, &file).map_err(|fault| fault.in_text(file.origin, &text))
}

/// Reads a scene from the text of a file, whose name is that of the scene and of its motion.
fn read_text(text: &str, file: &SourceFile<'_>) -> Read<Scene> {
    let name = file.name();
    let (drafts, motion_at) = hierarchy::read_hierarchy(text)?;
    let width = drafts.iter().map(|draft| draft.channels.len()).sum();
    let record = numbers::read_motion(text, motion_at, width)?;
    let mut layouts = layouts(&drafts, width, &record.values);
    let mut rest = rest_joints(&drafts, &layouts, width, &record.values);
    let Recognition { body, named: named_parts, unknown: unknown_body } = Recognition::of(&rest, file);
    let up = up(&rest, &layouts, body.as_ref(), sampled(width, &record.values));
    if let Some(body) = &body {
        let poses = sampled(width, &record.values).map(|frame| posed(&rest, &layouts, frame));
        match stood_up(&rest, body, poses) {
            Some(standing) => rest = standing,
            None => hang_legs(&mut rest, body),
        }
    }
    let limited = Limited::of(file);
    let above = |at: usize| rest[at].parent.map_or(DQuat::IDENTITY, |parent| rest[parent].rotation);
    let bend = |at: usize, link: DVec3| {
        let own = rest[at].rotation.conjugate() * link;
        above(at) * mean_direction(&layouts[at], own, width, &record.values) - link
    };
    let Anatomy { joints, frames, human_limits } = joints_of(&rest, body.as_ref(), limited, bend);
    for (at, layout) in layouts.iter_mut().enumerate() {
        layout.frame = rest[at].rotation.conjugate() * frames[at];
        layout.frame_in_parent = above(at).conjugate() * frames[at];
    }
    let frames: Vec<DQuat> = layouts.iter().map(|layout| layout.frame).collect();
    let end_sites = end_sites(&drafts, &rest, &frames);
    let ends = match &body {
        Some(body) => body.ends().into_iter().map(|joint| (joint, rest[joint].name.clone(), DVec3::ZERO)).collect(),
        None => all_ends(&drafts, &frames),
    };
    let mut names = UniqueNames::default();
    let effector = |(joint, name, tip): End| {
        // The root is no part of the chain, since moving the whole figure would reach every target.
        let depth = std::iter::successors(rest[joint].parent, |&at| rest[at].parent).count();
        let effector = Effector { joint, tip, chain_length: (depth > 0).then_some(depth) };
        SceneEffector::new(names.claim(&name), effector, Target::default())
    };
    let builder = SceneBuilder { joints, effectors: ends.into_iter().map(effector).collect() };
    let mut scene = builder.build(name).map_err(|error| Fault::new(Some(0), error.to_string()))?;
    let warnings = record.warning.into_iter().collect();
    let mut assets = Assets { human_limits, named_parts, unknown_body, end_sites, warnings, ..Assets::default() };
    assets.without_targets = true;
    if !record.values.is_empty() {
        let channels = Channels { layouts, width, values: record.values };
        let motion =
            Motion { name: name.to_owned(), frame_time: record.frame_time, recording: Recording::Channels(channels) };
        scene = widened(scene, &motion, &assets.human_limits.joints).map_err(|error| Fault::new(Some(0), error))?;
        scene.start = motion.pose(&scene.skeleton, 0);
        scene.skeleton.project(&mut scene.start);
        assets.motions.push(motion);
    }
    scene.assets = Arc::new(assets);
    scene.up = up;
    scene.reset_targets();
    stand(&mut scene);
    Ok(scene)
}

/// Ratio of the extents along z and y above which a figure of unknown parts stands along z.
const UPRIGHT_RATIO: f64 = 3.0;

/// The up axis, which the format does not state: +Y, as is usual, or +Z. It is the one along which the hips of a known body are above
/// both feet, in most frames, or at rest without any. Where no parts are known, a figure that would lie on its back stands along +Z.
fn up<'v>(
    rest: &[RestJoint],
    layouts: &[Layout],
    body: Option<&KnownBody>,
    frames: impl ExactSizeIterator<Item = &'v [f64]>,
) -> Up {
    let at_rest = (frames.len() == 0).then(|| rest.to_vec());
    let poses: Vec<Vec<RestJoint>> = frames.map(|frame| posed(rest, layouts, frame)).chain(at_rest).collect();
    let along_z = match body {
        Some(body) => {
            let height = |pose: &[RestJoint]| {
                let above = body.feet.map(|foot| pose[body.hips].position - pose[foot].position);
                above[0].min(above[1])
            };
            let is_higher = |pose: &&Vec<RestJoint>| {
                let height = height(pose);
                height.z > height.y
            };
            2 * poses.iter().filter(is_higher).count() > poses.len()
        }
        None => {
            let extents: DVec3 = poses.iter().map(|pose| extent(pose)).sum();
            rest.len() > 4 && extents.z > UPRIGHT_RATIO * extents.y
        }
    };
    if along_z { Up::Z } else { Up::Y }
}

/// The extent of a figure. Where its roots are says nothing about it.
fn extent(joints: &[RestJoint]) -> DVec3 {
    let moving = joints.iter().filter(|joint| joint.parent.is_some());
    let places = moving.flat_map(|joint| joint.tips.iter().copied().chain([joint.position]));
    let (low, high) = places.fold((DVec3::MAX, DVec3::MIN), |(low, high), place| (low.min(place), high.max(place)));
    (high - low).max(DVec3::ZERO)
}

/// Index of a joint, name of an effector on it, position of the tip in the frame of the joint.
type End = (usize, String, DVec3);

/// Where links end in a figure whose parts are not known: at End Sites, and at joints that have neither these nor children.
fn all_ends(drafts: &[Draft<'_>], frames: &[DQuat]) -> Vec<End> {
    let mut is_parent = vec![false; drafts.len()];
    drafts.iter().filter_map(|draft| draft.parent).for_each(|parent| is_parent[parent] = true);
    let mut ends = Vec::new();
    for (at, draft) in drafts.iter().enumerate() {
        for end in &draft.ends {
            ends.push((at, end.name.unwrap_or(draft.name).to_owned(), frames[at].conjugate() * end.offset));
        }
        if draft.ends.is_empty() && !is_parent[at] {
            ends.push((at, draft.name.to_owned(), DVec3::ZERO));
        }
    }
    // An effector needs a link above it.
    ends.retain(|&(joint, _, tip)| drafts[joint].parent.is_some() || tip != DVec3::ZERO);
    ends
}

fn end_sites(drafts: &[Draft<'_>], joints: &[RestJoint], frames: &[DQuat]) -> Vec<EndSite> {
    let mut names = UniqueNames::of(joints.iter().map(|joint| joint.name.as_str()));
    let mut end_sites = Vec::new();
    for (at, draft) in drafts.iter().enumerate() {
        for end in draft.ends.iter().filter(|end| end.offset != DVec3::ZERO) {
            let name = end.name.map_or_else(|| format!("{}_End", joints[at].name), str::to_owned);
            end_sites.push(EndSite { name: names.claim(&name), joint: at, tip: frames[at].conjugate() * end.offset });
        }
    }
    end_sites
}

/// The joints at rest in the file's axes, which are the world axes.
fn rest_joints(drafts: &[Draft<'_>], layouts: &[Layout], width: usize, values: &[f64]) -> Vec<RestJoint> {
    let mut names = UniqueNames::default();
    let size = drafts.iter().map(|draft| draft.offset.length()).fold(0.0, f64::max);
    let mut joints: Vec<RestJoint> = Vec::with_capacity(drafts.len());
    for (draft, layout) in drafts.iter().zip(layouts) {
        let position = draft.parent.map_or(DVec3::ZERO, |parent| joints[parent].position) + draft.offset;
        let moves = |frame: &[f64]| (layout.place(frame) - layout.shift).length() > POSITION_TOLERANCE * size;
        let free = draft.parent.is_none() || (!layout.moves.is_empty() && values.chunks_exact(width.max(1)).any(moves));
        joints.push(RestJoint {
            name: names.claim(draft.name),
            parent: draft.parent,
            position,
            rotation: DQuat::IDENTITY,
            tips: draft.ends.iter().map(|end| position + end.offset).collect(),
            kind: if free { Kind::Free } else { Kind::UNLIMITED_BALL },
        });
    }
    joints
}

/// The scene with limits that its recording keeps: what a person has done, the person can do.
fn widened(mut scene: Scene, motion: &Motion, limited: &[usize]) -> Result<Scene, String> {
    if limited.is_empty() {
        return Ok(scene);
    }
    let mut joints = scene.skeleton.joints().to_vec();
    for frame in 0..motion.len() {
        let pose = motion.pose(&scene.skeleton, frame);
        limited.iter().for_each(|&at| joints[at].kind = widened_ball(joints[at].kind, &pose[at]));
    }
    scene.skeleton = Skeleton::new(joints).map_err(|error| error.to_string())?.into();
    Ok(scene)
}

/// Most frames that tell how a body stands and how its joints bend.
const SAMPLES: usize = 200;

/// Frames at equal distances, at most [`SAMPLES`].
fn sampled(width: usize, values: &[f64]) -> impl ExactSizeIterator<Item = &[f64]> {
    let frames = values.chunks_exact(width.max(1));
    let step = frames.len().div_ceil(SAMPLES).max(1);
    frames.step_by(step)
}

/// The joints as in a frame. The figure stays where it rests, in the direction of the frame.
fn posed(rest: &[RestJoint], layouts: &[Layout], frame: &[f64]) -> Vec<RestJoint> {
    let mut joints: Vec<RestJoint> = Vec::with_capacity(rest.len());
    for (joint, layout) in rest.iter().zip(layouts) {
        let turn = joint.parent.map_or(DQuat::IDENTITY, |parent| joints[parent].rotation);
        let placed = |parent: usize| joints[parent].position + turn * (joint.position - rest[parent].position);
        let position = joint.parent.map_or(joint.position, placed);
        let rotation = (turn * layout.rotation(frame)).normalize();
        let tips = joint.tips.iter().map(|tip| position + rotation * (*tip - joint.position)).collect();
        joints.push(RestJoint { position, rotation, tips, ..joint.clone() });
    }
    joints
}

/// The mean direction of a link in the file's axes of the parent; that at rest without motion. `link` is in the joint's axes.
fn mean_direction(layout: &Layout, link: DVec3, width: usize, values: &[f64]) -> DVec3 {
    let frames = sampled(width, values);
    let count = frames.len().max(1);
    frames.map(|frame| layout.rotation(frame) * link).sum::<DVec3>() / count as f64
}

/// The channels of each joint; the frames of the joints are not known yet.
fn layouts(drafts: &[Draft<'_>], width: usize, values: &[f64]) -> Vec<Layout> {
    let mut column = 0;
    let layout = |draft: &Draft<'_>| {
        let (mut rotations, mut moves) = (Vec::new(), Vec::new());
        for &channel in &draft.channels {
            let turns = if channel < ROTATIONS { &mut moves } else { &mut rotations };
            turns.push(Turn { axis: DVec3::AXES[channel % ROTATIONS], column });
            column += 1;
        }
        let shift = DVec3::ZERO;
        Layout { frame: DQuat::IDENTITY, frame_in_parent: DQuat::IDENTITY, rotations, moves, shift }
    };
    let mut layouts: Vec<Layout> = drafts.iter().map(layout).collect();
    let shifts: Vec<DVec3> = drafts.iter().zip(&layouts).map(|(draft, layout)| recorded_part(layout, draft)).collect();
    if has_whole_positions(drafts, &layouts, &shifts, width, values) {
        layouts.iter_mut().zip(shifts).for_each(|(layout, shift)| layout.shift = shift);
    }
    layouts
}

/// The part of a joint's offset along the axes of its position channels.
fn recorded_part(layout: &Layout, draft: &Draft<'_>) -> DVec3 {
    layout.moves.iter().map(|step| step.axis * draft.offset.dot(step.axis)).sum()
}

/// Whether position channels hold whole positions. The format defines them as displacements from the offset, but many programs write
/// positions that include it, in all joints of a file. Links are rigid, so that a joint below another one tells: it stays where
/// one of the two readings has its offset. Roots move about; they only tell where nothing else does.
fn has_whole_positions(
    drafts: &[Draft<'_>],
    layouts: &[Layout],
    shifts: &[DVec3],
    width: usize,
    values: &[f64],
) -> bool {
    let votes = |is_asked: fn(&Draft<'_>) -> bool| {
        let asked = (0..drafts.len()).filter(move |&at| shifts[at] != DVec3::ZERO && is_asked(&drafts[at]));
        asked.map(|at| {
            let places = sampled(width, values).map(|frame| layouts[at].place(frame));
            // Nearer to the offset than to zero, on the average of all frames.
            places.map(|place| place.length() - place.distance(shifts[at])).sum::<f64>()
        })
    };
    let most = |votes: &mut dyn Iterator<Item = f64>| {
        let (mut whole, mut all) = (0, 0);
        votes.for_each(|vote| (whole, all) = (whole + usize::from(vote > 0.0), all + 1));
        (all > 0).then_some(2 * whole > all)
    };
    let links = most(&mut votes(|draft| draft.parent.is_some()));
    links.or_else(|| most(&mut votes(|draft| draft.parent.is_none()))).unwrap_or(false)
}
