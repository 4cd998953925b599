//! Jumps of hinges in a motion.

use crate::motion::Motion;
use fabrik3d_ik::{Coordinates, Kind, Skeleton};

/// Largest turn of a hinge from one frame to the next that is no jump, radians.
const MAX_TURN: f64 = std::f64::consts::FRAC_PI_3;

/// A hinge that turns by more than 60 degrees from one frame to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointJump {
    /// The frame after the jump, counted from 0.
    pub frame: usize,
    /// The joint.
    pub joint: usize,
    /// Angle of the turn, radians.
    pub angle: f64,
}

impl Motion {
    /// For each frame with jumps, the hinge with the largest one. A machine that follows such a motion swings round as fast as
    /// it can.
    pub fn jumps(&self, skeleton: &Skeleton) -> Vec<JointJump> {
        let hinges = |frame: usize| -> Vec<Option<f64>> {
            let angle = |(joint, coordinates): (usize, &Coordinates)| match skeleton.kind(joint) {
                kind @ Kind::Hinge { .. } => coordinates.values(kind).first().copied(),
                _ => None,
            };
            self.pose(skeleton, frame).iter().enumerate().map(angle).collect()
        };
        let mut jumps = Vec::new();
        let mut before = hinges(0);
        for frame in 1..self.len() {
            let now = hinges(frame);
            let turns = before.iter().zip(&now).enumerate();
            let turns = turns.filter_map(|(joint, (before, now))| Some((joint, ((*now)? - (*before)?).abs())));
            let farthest = turns.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, angle)| *angle > MAX_TURN);
            jumps.extend(farthest.map(|(joint, angle)| JointJump { frame, joint, angle }));
            before = now;
        }
        jumps
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fabrik3d_ik::{Coordinates, Joint, Pose};
    use glam::DVec3;

    #[test]
    fn the_largest_jump_of_each_frame_is_reported() {
        let hinge = Kind::Hinge { axis: DVec3::Z, range: None };
        let joint = |at: usize| Joint::new(format!("{at}"), at.checked_sub(1), DVec3::X, hinge);
        let skeleton = Skeleton::new((0..3).map(joint).collect()).expect("a skeleton");
        let pose = |angles: [f64; 3]| -> Pose { angles.map(Coordinates::scalar).to_vec() };
        let frames = [[0.0, 0.0, 0.0], [0.5, -0.5, 1.0], [0.6, 1.5, -0.5], [0.6, 1.5, -0.5], [0.6, 0.4, -0.5]];
        let motion = Motion::new("", 0.1, frames.map(pose).to_vec());
        let jumps = motion.jumps(&skeleton);
        let found: Vec<(usize, usize)> = jumps.iter().map(|jump| (jump.frame, jump.joint)).collect();
        assert_eq!(found, [(2, 1), (4, 1)], "{jumps:?}");
        assert!((jumps[0].angle - 2.0).abs() < 1e-12 && (jumps[1].angle - 1.1).abs() < 1e-12, "{jumps:?}");
        assert_eq!(Motion::new("", 0.1, Vec::new()).jumps(&skeleton), []);
    }
}
