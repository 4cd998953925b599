//! Joints that jump amid a motion.

use crate::motion::Motion;
use fabrik3d_ik::{Coordinates, Kind, Skeleton};

/// Turn of a hinge from one frame to the next, radians, that no motion should ask for.
const JUMP: f64 = std::f64::consts::FRAC_PI_3;

/// A hinge that turns farther from one frame to the next than a motion should ask for: by more than 60 degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointJump {
    /// The frame that it arrives in, counted from 0.
    pub frame: usize,
    /// The joint.
    pub joint: usize,
    /// How far it turns, radians.
    pub angle: f64,
}

impl Motion {
    /// For each frame in which hinges jump, the one that jumps farthest. Machines that are told to follow such a motion
    /// swing round, as fast as they can.
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
            let farthest = turns.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, angle)| *angle > JUMP);
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
    fn each_frame_in_which_hinges_jump_is_told_with_the_one_that_jumps_farthest() {
        let hinge = Kind::Hinge { axis: DVec3::Z, range: None };
        let joint = |at: usize| Joint::new(format!("{at}"), at.checked_sub(1), DVec3::X, hinge);
        let skeleton = Skeleton::new((0..3).map(joint).collect()).expect("a skeleton");
        let pose = |angles: [f64; 3]| -> Pose { angles.map(Coordinates::scalar).to_vec() };
        let frames = [[0.0, 0.0, 0.0], [0.5, -0.5, 1.0], [0.6, 1.5, -0.5], [0.6, 1.5, -0.5], [0.6, 0.4, -0.5]];
        let motion = Motion::new("", 0.1, frames.map(pose).to_vec());
        let jumps = motion.jumps(&skeleton);
        let told: Vec<(usize, usize)> = jumps.iter().map(|jump| (jump.frame, jump.joint)).collect();
        assert_eq!(told, [(2, 1), (4, 1)], "{jumps:?}");
        assert!((jumps[0].angle - 2.0).abs() < 1e-12 && (jumps[1].angle - 1.1).abs() < 1e-12, "{jumps:?}");
        assert_eq!(Motion::new("", 0.1, Vec::new()).jumps(&skeleton), []);
    }
}
