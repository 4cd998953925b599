//! The channels that are written for a joint, and their order.

use super::hierarchy::ChannelKind;
use crate::motion::channels::Layout;
use glam::{DQuat, DVec3, EulerRot};

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
