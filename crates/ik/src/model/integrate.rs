//! Motion at given rates: what the columns of the Jacobian mean, over a whole step.

use super::jacobian::left_jacobian;
use super::joint::Kind;
use super::pose::{Coordinates, Pose};
use super::skeleton::Skeleton;
use super::transform::Isometry;
use glam::{DQuat, DVec3};

impl Skeleton {
    /// The pose after one unit of time from `pose` at these rates, one for each column of [`Skeleton::jacobian`]; the roots are in
    /// the world. `None` if there are more or fewer rates, or the pose has another length than the skeleton.
    ///
    /// Angles and distances change by their rates. The axes of balls and free joints are the world's, as they are in `pose`. A
    /// free joint moves as a screw: its velocity and its angular velocity stay the same in its own frame (the exponential
    /// of SE(3)). Joints that follow others go with them. Limits are not applied.
    pub fn integrate(&self, pose: &[Coordinates], rates: &[f64]) -> Option<Pose> {
        let leads = |joint: &usize| self.joints()[*joint].mimic.is_none();
        let count: usize = (0..self.len()).filter(leads).map(|joint| self.kind(joint).degrees_of_freedom()).sum();
        if pose.len() != self.len() || rates.len() != count {
            return None;
        }
        let frames = self.frames(pose);
        let mut moved = pose.to_vec();
        let mut rest = rates;
        for joint in (0..self.len()).filter(leads) {
            let (own, later) = rest.split_at(self.kind(joint).degrees_of_freedom());
            rest = later;
            let turn = self.rest_frame_in(joint, Isometry::IDENTITY, &frames).rotation;
            moved[joint] = advance(self.kind(joint), turn.conjugate(), &pose[joint], own);
        }
        self.follow(&mut moved);
        Some(moved)
    }
}

/// The coordinates of a joint after one unit of time; `to_rest` takes the world's axes to those of its rest frame.
fn advance(kind: &Kind, to_rest: DQuat, now: &Coordinates, rates: &[f64]) -> Coordinates {
    let vector = |first: usize| to_rest * DVec3::from_slice(&rates[first..]);
    let turned = |by: DVec3, from: DQuat| (DQuat::from_scaled_axis(by) * from).normalize();
    match kind {
        Kind::Fixed => *now,
        Kind::Hinge { .. } | Kind::Slide { .. } => Coordinates::scalar(now.value() + rates[0]),
        Kind::Ball { swing: None, twist: None } => Coordinates::rotation(turned(vector(0), now.ball_rotation())),
        Kind::Ball { .. } => {
            let [a, b] = now.tilt();
            Coordinates::ball([a + rates[0], b + rates[1]], now.twist() + rates[2])
        }
        Kind::Free => {
            let (shift, turn) = (vector(0), vector(3));
            let position = now.free_position() + left_jacobian(turn, shift);
            Coordinates::free(position, turned(turn, now.free_rotation()))
        }
    }
}
