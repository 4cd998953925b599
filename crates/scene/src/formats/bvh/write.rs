//! Writing a skeleton and its motion as BVH.

use super::hierarchy::{CHANNELS, ROTATIONS};
use crate::Scene;
use crate::coordinates::zero_frames;
use crate::formats::depth_first;
use crate::motion::channels::{Channels, Layout, Turn};
use crate::motion::{Motion, Recording};
use fabrik3d_ik::{Isometry, Kind, Skeleton};
use glam::{DQuat, DVec3, EulerRot};
use std::fmt::Write;

/// The scene's skeleton with a motion. Joints that were read from BVH keep their channels in the order of the file, others
/// have `Zrotation Xrotation Yrotation`. Roots and joints that move on their parents have position channels with the whole position and an
/// OFFSET of 0, since programs disagree on whether the two are added.
pub(crate) fn write(scene: &Scene, motion: &Motion) -> String {
    let skeleton = &scene.skeleton;
    let rest = rest_frames(scene);
    let roots = (0..skeleton.len()).filter(|&joint| skeleton.joints()[joint].parent.is_none());
    let order = depth_first(roots, |joint| skeleton.children(joint));
    let entries: Vec<Entry> = order.into_iter().map(|joint| Entry::of(scene, motion, joint)).collect();
    let mut ends = vec![Vec::new(); skeleton.len()];
    scene.link_ends().for_each(|(joint, tip)| ends[joint].push(rest[joint].rotation * tip));
    let mut out = String::from("HIERARCHY\n");
    let mut open: Vec<usize> = Vec::new();
    for entry in &entries {
        while open.last().copied() != entry.parent {
            let Some(done) = open.pop() else { break };
            close(&mut out, skeleton, (done, &ends[done]), open.len());
        }
        entry.begin(&mut out, skeleton, &rest, open.len());
        open.push(entry.joint);
    }
    while let Some(done) = open.pop() {
        close(&mut out, skeleton, (done, &ends[done]), open.len());
    }
    let _ = writeln!(out, "MOTION\nFrames: {}\nFrame Time: {}", motion.len(), number(motion.frame_time));
    for frame in 0..motion.len() {
        let placed = motion.frames(skeleton, frame);
        let mut line = Vec::new();
        entries.iter().for_each(|entry| entry.push(&mut line, &rest, &placed));
        let line: Vec<String> = line.into_iter().map(number).collect();
        let _ = writeln!(out, "{}", line.join(" "));
    }
    out
}

/// The channels of a recording in BVH that the scene was read from.
fn recorded(scene: &Scene) -> Option<&Channels> {
    scene.assets.motions.iter().find_map(|motion| match &motion.recording {
        Recording::Channels(channels) => Some(channels),
        _ => None,
    })
}

/// The frames at rest: of a recording in BVH, those of its file.
fn rest_frames(scene: &Scene) -> Vec<Isometry> {
    let mut rest = zero_frames(&scene.skeleton, Isometry::IDENTITY);
    let layouts = recorded(scene).map_or(&[][..], |channels| &channels.layouts);
    for (at, layout) in layouts.iter().enumerate() {
        let joint = &scene.skeleton.joints()[at];
        let position = joint.parent.map_or(joint.offset, |parent| rest[parent].point(joint.offset));
        rest[at] = Isometry { position, rotation: layout.frame };
    }
    rest
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

/// How a joint is written.
struct Entry {
    joint: usize,
    parent: Option<usize>,
    /// Whether it can leave its offset, or does so in the motion.
    moves: bool,
    /// Indices in [`CHANNELS`].
    channels: Vec<usize>,
    /// Order of multiplication of the rotations.
    euler: EulerRot,
    /// Value of the position channels of a joint that does not move.
    still: DVec3,
}

impl Entry {
    fn of(scene: &Scene, motion: &Motion, at: usize) -> Self {
        let joint = &scene.skeleton.joints()[at];
        let moves = joint.parent.is_none()
            || matches!(joint.kind, Kind::Free | Kind::Slide { .. })
            || motion.moved_joints().contains(&at);
        let recorded = recorded(scene).and_then(|channels| channels.layouts.get(at));
        let (channels, euler, still) =
            recorded.and_then(|layout| recorded_channels(layout, moves)).unwrap_or_else(|| {
                let channels = if moves { vec![0, 1, 2, 5, 3, 4] } else { vec![5, 3, 4] };
                (channels, EulerRot::ZXY, DVec3::ZERO)
            });
        Entry { joint: at, parent: joint.parent, moves, channels, euler, still }
    }

    /// Writes all lines of the joint up to those of its children. If its channels say where it is, its OFFSET is zero.
    fn begin(&self, out: &mut String, skeleton: &Skeleton, rest: &[Isometry], depth: usize) {
        let indent = "\t".repeat(depth);
        let word = if self.parent.is_some() { "JOINT" } else { "ROOT" };
        let name = plain(&skeleton.joints()[self.joint].name);
        let offset = vector(match self.parent {
            Some(parent) if !self.moves => rest[self.joint].position - rest[parent].position,
            _ => DVec3::ZERO,
        });
        let _ = writeln!(out, "{indent}{word} {name}\n{indent}{{\n{indent}\tOFFSET {offset}");
        let names: Vec<&str> = self.channels.iter().map(|&channel| CHANNELS[channel]).collect();
        let _ = writeln!(out, "{indent}\tCHANNELS {} {}", names.len(), names.join(" "));
    }

    /// Appends the values of one frame.
    #[expect(clippy::disallowed_methods, reason = "the angles of a recording answer nothing")]
    fn push(&self, line: &mut Vec<f64>, rest: &[Isometry], placed: &[Isometry]) {
        let turned = |i: usize| placed[i].rotation * rest[i].rotation.conjugate();
        let back = self.parent.map_or(DQuat::IDENTITY, |parent| turned(parent).conjugate());
        let from = self.parent.map_or(DVec3::ZERO, |parent| placed[parent].position);
        let place = if self.moves { back * (placed[self.joint].position - from) } else { self.still };
        let (first, second, third) = (back * turned(self.joint)).normalize().to_euler(self.euler);
        let mut angles = [first, second, third].map(f64::to_degrees).into_iter();
        let value = |&channel: &usize| if channel < ROTATIONS { Some(place[channel]) } else { angles.next() };
        line.extend(self.channels.iter().filter_map(value));
    }
}

/// The channels of a recording, the order of multiplication of the rotations, and the value of the position channels of a
/// joint that does not move; none if the channels cannot represent all rotations and positions of the joint.
fn recorded_channels(layout: &Layout, moves: bool) -> Option<(Vec<usize>, EulerRot, DVec3)> {
    let of = |first: usize, turns: &[Turn]| -> Vec<(usize, usize)> {
        turns.iter().map(|turn| (turn.column, first + turn.axis.max_position())).collect()
    };
    let mut channels = [of(0, &layout.moves), of(ROTATIONS, &layout.rotations)].concat();
    channels.sort_unstable();
    let channels: Vec<usize> = channels.into_iter().map(|(_, channel)| channel).collect();
    let (mut places, turns): (Vec<usize>, Vec<usize>) = channels.iter().partition(|&&channel| channel < ROTATIONS);
    places.sort_unstable();
    if moves && places != [0, 1, 2] {
        return None;
    }
    let euler = match turns[..] {
        [3, 4, 5] => EulerRot::XYZ,
        [3, 5, 4] => EulerRot::XZY,
        [4, 3, 5] => EulerRot::YXZ,
        [4, 5, 3] => EulerRot::YZX,
        [5, 3, 4] => EulerRot::ZXY,
        [5, 4, 3] => EulerRot::ZYX,
        _ => return None,
    };
    Some((channels, euler, layout.shift))
}
