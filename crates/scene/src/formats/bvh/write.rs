//! Writing a skeleton and its motion as BVH.

use super::hierarchy::ChannelKind;
use crate::Scene;
use crate::coordinates::zero_frames;
use crate::motion::channels::Layout;
use crate::motion::{Motion, Recording};
use fabrik3d_ik::{Isometry, Kind, Skeleton};
use glam::{DQuat, DVec3, EulerRot};
use std::fmt::Write;

/// The scene's skeleton with a motion. Joints that were read from BVH keep their channels in the order of the file, others
/// have `Zrotation Xrotation Yrotation`. Roots and joints that move on their parents have position channels with the whole position and an
/// OFFSET of 0, since programs disagree on whether the two are added.
pub(crate) fn write(scene: &Scene, motion: &Motion) -> String {
    let skeleton = &scene.skeleton;
    let rest = zero_frames(skeleton, Isometry::IDENTITY);
    let mut out = String::from("HIERARCHY\n");
    let order = depth_first(skeleton);
    let moving: Vec<bool> = (0..skeleton.len()).map(|joint| moves(skeleton, motion, joint)).collect();
    let channels = channels(scene, &moving);
    let mut ends = vec![Vec::new(); skeleton.len()];
    scene.link_ends().for_each(|(joint, tip)| ends[joint].push(rest[joint].rotation * tip));
    let mut open: Vec<usize> = Vec::new();
    for &joint in &order {
        let parent = skeleton.joints()[joint].parent;
        while open.last().copied() != parent {
            let Some(done) = open.pop() else { break };
            close(&mut out, skeleton, (done, &ends[done]), open.len());
        }
        begin(&mut out, skeleton, (joint, &channels[joint]), offset(skeleton, &rest, &moving, joint), open.len());
        open.push(joint);
    }
    while let Some(done) = open.pop() {
        close(&mut out, skeleton, (done, &ends[done]), open.len());
    }
    let _ = writeln!(out, "MOTION\nFrames: {}\nFrame Time: {}", motion.len(), number(motion.frame_time));
    for frame in 0..motion.len() {
        let placed = motion.frames(skeleton, frame);
        let mut line = Vec::new();
        for &joint in &order {
            push_joint(&mut line, (skeleton, moving[joint]), &rest, &placed, (joint, &channels[joint]));
        }
        let line: Vec<String> = line.into_iter().map(number).collect();
        let _ = writeln!(out, "{}", line.join(" "));
    }
    out
}

/// All joints in depth-first order, as in the file.
fn depth_first(skeleton: &Skeleton) -> Vec<usize> {
    let mut order = Vec::with_capacity(skeleton.len());
    let roots = (0..skeleton.len()).rev().filter(|&i| skeleton.joints()[i].parent.is_none());
    let mut waiting: Vec<usize> = roots.collect();
    while let Some(joint) = waiting.pop() {
        order.push(joint);
        waiting.extend(skeleton.children(joint).iter().rev());
    }
    order
}

fn channels(scene: &Scene, moving: &[bool]) -> Vec<Order> {
    let recorded = scene.assets.motions.iter().find_map(|motion| match &motion.recording {
        Recording::Channels(channels) => Some(&channels.layouts),
        _ => None,
    });
    let order = |joint: usize| {
        let moves = moving[joint];
        let layout = recorded.and_then(|layouts| layouts.get(joint));
        layout.and_then(|layout| Order::recorded(layout, moves)).unwrap_or_else(|| Order::usual(moves))
    };
    (0..scene.skeleton.len()).map(order).collect()
}

/// Whether a joint can leave its offset, or does so in the motion.
fn moves(skeleton: &Skeleton, motion: &Motion, at: usize) -> bool {
    let joint = &skeleton.joints()[at];
    joint.parent.is_none()
        || matches!(joint.kind, Kind::Free | Kind::Slide { .. })
        || motion.moved_joints().contains(&at)
}

/// The OFFSET of a joint: zero if its channels say where it is.
fn offset(skeleton: &Skeleton, rest: &[Isometry], moving: &[bool], joint: usize) -> DVec3 {
    match (moving[joint], skeleton.joints()[joint].parent) {
        (false, Some(parent)) => rest[joint].position - rest[parent].position,
        _ => DVec3::ZERO,
    }
}

fn begin(out: &mut String, skeleton: &Skeleton, (joint, order): (usize, &Order), offset: DVec3, depth: usize) {
    let indent = "\t".repeat(depth);
    let word = if skeleton.joints()[joint].parent.is_some() { "JOINT" } else { "ROOT" };
    let name = plain(&skeleton.joints()[joint].name);
    let (offset, channels) = (vector(offset), order.line());
    let _ = writeln!(out, "{indent}{word} {name}\n{indent}{{\n{indent}\tOFFSET {offset}\n{indent}\t{channels}");
}

/// Closes a joint. Where links end on it, there is an End Site; a joint without children gets one in any case.
fn close(out: &mut String, skeleton: &Skeleton, (joint, ends): (usize, &[DVec3]), depth: usize) {
    let indent = "\t".repeat(depth);
    let alone = ends.is_empty() && skeleton.children(joint).is_empty();
    for &tip in if alone { &[DVec3::ZERO] } else { ends } {
        let _ = writeln!(out, "{indent}\tEnd Site\n{indent}\t{{\n{indent}\t\tOFFSET {}\n{indent}\t}}", vector(tip));
    }
    let _ = writeln!(out, "{indent}}}");
}

/// Appends the values of one joint in one frame.
fn push_joint(
    line: &mut Vec<f64>,
    (skeleton, moves): (&Skeleton, bool),
    rest: &[Isometry],
    placed: &[Isometry],
    (joint, order): (usize, &Order),
) {
    let turned = |i: usize| placed[i].rotation * rest[i].rotation.conjugate();
    let parent = skeleton.joints()[joint].parent;
    let back = parent.map_or(DQuat::IDENTITY, |parent| turned(parent).conjugate());
    let place = moves.then(|| {
        let from = parent.map_or(DVec3::ZERO, |parent| placed[parent].position);
        back * (placed[joint].position - from)
    });
    order.push(line, place, (back * turned(joint)).normalize());
}

/// A name without characters that would break the line.
fn plain(name: &str) -> String {
    name.chars().map(|c| if matches!(c, '{' | '}' | '\n' | '\r') { '_' } else { c }).collect()
}

fn vector(vector: DVec3) -> String {
    vector.to_array().map(number).join(" ")
}

/// At most nine decimals: finer than any recording, and readable by other programs.
fn number(value: f64) -> String {
    let text = format!("{value:.9}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// The channels of one joint.
pub(crate) struct Order {
    /// Kind and axis (0, 1, 2) of each channel.
    channels: Vec<(ChannelKind, usize)>,
    /// Order of multiplication of the rotations.
    euler: EulerRot,
    /// Value of the position channels of a joint that does not move.
    still: DVec3,
}

impl Order {
    /// The default for joints that were not read from BVH: `Zrotation Xrotation Yrotation`, after a position if the joint moves.
    pub fn usual(moves: bool) -> Self {
        let places = if moves { vec![0, 1, 2] } else { Vec::new() };
        let places = places.into_iter().map(|axis| (ChannelKind::Position, axis));
        let channels = places.chain([2, 0, 1].map(|axis| (ChannelKind::Rotation, axis))).collect();
        Order { channels, euler: EulerRot::ZXY, still: DVec3::ZERO }
    }

    /// The channels of the recording; none if they cannot represent all rotations and positions of the joint.
    pub fn recorded(layout: &Layout, moves: bool) -> Option<Self> {
        let of = |kind: ChannelKind| {
            let turns = if kind == ChannelKind::Rotation { &layout.rotations } else { &layout.moves };
            turns.iter().map(move |turn| (turn.column, kind, turn.axis.max_position()))
        };
        let mut channels: Vec<_> = of(ChannelKind::Position).chain(of(ChannelKind::Rotation)).collect();
        channels.sort_by_key(|&(column, ..)| column);
        let axes = |kind| {
            let axes = channels.iter().filter(|channel| channel.1 == kind).map(|&(.., axis)| axis);
            axes.collect::<Vec<usize>>()
        };
        let mut places = axes(ChannelKind::Position);
        places.sort_unstable();
        if moves && places != [0, 1, 2] {
            return None;
        }
        let euler = match axes(ChannelKind::Rotation)[..] {
            [0, 1, 2] => EulerRot::XYZ,
            [0, 2, 1] => EulerRot::XZY,
            [1, 0, 2] => EulerRot::YXZ,
            [1, 2, 0] => EulerRot::YZX,
            [2, 0, 1] => EulerRot::ZXY,
            [2, 1, 0] => EulerRot::ZYX,
            _ => return None,
        };
        let channels = channels.into_iter().map(|(_, kind, axis)| (kind, axis)).collect();
        Some(Order { channels, euler, still: layout.shift })
    }

    /// The line of the file, such as `CHANNELS 3 Zrotation Xrotation Yrotation`.
    pub fn line(&self) -> String {
        let name = |&(kind, axis): &(ChannelKind, usize)| {
            let what = if kind == ChannelKind::Position { "position" } else { "rotation" };
            format!(" {}{what}", ["X", "Y", "Z"][axis])
        };
        format!("CHANNELS {}{}", self.channels.len(), self.channels.iter().map(name).collect::<String>())
    }

    /// Appends the values of one frame; `place` is none for a joint that does not move.
    pub fn push(&self, line: &mut Vec<f64>, place: Option<DVec3>, rotation: DQuat) {
        let place = place.unwrap_or(self.still);
        let (first, second, third) = rotation.to_euler(self.euler);
        let mut angles = [first, second, third].map(f64::to_degrees).into_iter();
        line.extend(self.channels.iter().filter_map(|&(kind, axis)| match kind {
            ChannelKind::Position => Some(place[axis]),
            ChannelKind::Rotation => angles.next(),
        }));
    }
}
