//! Arms with six hinges: recognizes those with a closed form, and lists their solutions.

use super::hinges::{Hinges, NoClosedForm};
use super::lines::Lines;
use super::{parallel_axes, spherical_wrist};
use crate::model::{Coordinates, Effector, Isometry, Pose, Skeleton, nearest_rounded_turn, wrap};
use crate::step::Step;
use glam::{DQuat, DVec3};

/// The position of the axes that allows for a closed form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ArmFamily {
    /// The last three axes meet in a point: the wrist of most industrial arms.
    SphericalWrist,
    /// The first three axes meet in a point.
    SphericalShoulder,
    /// Three consecutive axes are parallel, the second to the fourth or the third to the fifth: the arms of Universal
    /// Robots.
    ParallelAxes,
}

/// An arm with six hinges whose solutions follow from a closed form. The project's `docs/library.md` has an
/// example.
#[derive(Clone, Debug, PartialEq)]
pub struct SixAxisArm {
    arm: Hinges,
    /// The axes in the form that the family needs.
    lines: Lines,
    family: ArmFamily,
}

/// How exactly the axes have to lie as their family requires: as in a precise model, or as in one with rounded numbers,
/// such as 1.57 for a right angle. Newton steps then correct the solutions.
const TOLERANCES: [f64; 2] = [1e-7, 1e-3];
/// Branches whose joints differ by less are the same, radians.
const SAME: f64 = 1e-6;

impl SixAxisArm {
    /// The arm of an effector with the roots in the world. Joints that do not move the effector do not matter, and fixed
    /// ones may lie between the hinges.
    ///
    /// # Errors
    /// [`NoClosedForm`] says why there is none.
    pub fn new(skeleton: &Skeleton, effector: &Effector) -> Result<Self, NoClosedForm> {
        SixAxisArm::at(skeleton, effector, Isometry::IDENTITY, &skeleton.rest_pose())
    }

    /// As [`SixAxisArm::new`]. What carries the first of the six joints is where it is in `pose`, which is inside the limits;
    /// `base` is the parent frame of the roots.
    pub(crate) fn at(
        skeleton: &Skeleton,
        effector: &Effector,
        base: Isometry,
        pose: &[Coordinates],
    ) -> Result<Self, NoClosedForm> {
        let arm = Hinges::new(skeleton, effector, base, pose)?;
        let closed_form = |&tolerance: &f64| recognized(&Lines::new(&arm.axes, arm.size, tolerance));
        let (lines, family) = TOLERANCES.iter().find_map(closed_form).ok_or(NoClosedForm::Geometry)?;
        Ok(SixAxisArm { arm, lines, family })
    }

    /// What allows for the closed form.
    pub fn family(&self) -> ArmFamily {
        self.family
    }

    /// The skeleton's joints that angles belong to, base first.
    pub fn joints(&self) -> &[usize] {
        &self.arm.joints
    }

    /// Position of the tip and orientation of the effector.
    pub fn forward(&self, angles: &[f64; 6]) -> (DVec3, DQuat) {
        let Isometry { position, rotation } = self.arm.forward(angles).0;
        (position, rotation)
    }

    /// All solutions: the angles within the limits that bring the tip to `position` and the effector to the orientation
    /// `rotation`, in the world, to rounding. Those with the smallest [`SixAxisArm::largest_move`] from `near` come first.
    /// The list is empty if there is none.
    ///
    /// Of angles that differ by whole turns, those next to `near` are returned. In singular poses, where some joints can
    /// turn against each other, one of infinitely many poses stands for all: the one in which such a joint stays as in
    /// `near`. If the axes lie only nearly as a closed form needs them, because the model holds rounded numbers, a solution
    /// that nearly meets another one can be missed.
    pub fn solutions(&self, position: DVec3, rotation: DQuat, near: &[f64; 6]) -> Vec<[f64; 6]> {
        let rotation = rotation.normalize();
        let target = Isometry::new(position, rotation);
        if !(target.is_finite() && near.iter().all(|angle| angle.is_finite())) {
            return Vec::new();
        }
        let mut step = Step::default();
        let mut found: Vec<[f64; 6]> = Vec::new();
        for angles in self.uncorrected(target, near) {
            let Some(exact) = self.arm.corrected(angles, target, &mut step) else { continue };
            let Some(inside) = self.inside_limits(exact, near) else { continue };
            if found.iter().all(|other| self.largest_move(other, &inside) > SAME) {
                found.push(inside);
            }
        }
        found.sort_by(|a, b| self.largest_move(near, a).total_cmp(&self.largest_move(near, b)));
        found
    }

    /// Angles of the joints that bring the effector to `target`, up to rounding and whatever the limits.
    fn uncorrected(&self, target: Isometry, near: &[f64; 6]) -> Vec<[f64; 6]> {
        let motion = self.lines.displacement(target, self.arm.home);
        let near = self.lines.angles_of_joints(near);
        let found = match self.family {
            ArmFamily::ParallelAxes => parallel_axes::solve(&self.lines, motion, &near),
            ArmFamily::SphericalWrist | ArmFamily::SphericalShoulder => {
                spherical_wrist::solve(&self.lines, motion, &near)
            }
        };
        found.iter().map(|angles| self.lines.joint_angles(angles)).collect()
    }

    /// The largest angle by which a joint moves, radians. A joint without limits takes the shorter way around.
    pub fn largest_move(&self, from: &[f64; 6], to: &[f64; 6]) -> f64 {
        let moves = (0..6).map(|at| match self.arm.ranges[at] {
            None => wrap(to[at] - from[at]).abs(),
            Some(_) => (to[at] - from[at]).abs(),
        });
        moves.fold(0.0, f64::max)
    }

    /// The solutions as poses; `start` is inside the limits.
    pub(crate) fn poses(
        &self,
        skeleton: &Skeleton,
        start: &[Coordinates],
        position: DVec3,
        rotation: DQuat,
    ) -> Vec<Pose> {
        let near = self.arm.joints.map(|joint| start[joint].value());
        let pose = |angles: [f64; 6]| {
            let mut pose = start.to_vec();
            for (joint, angle) in self.arm.joints.into_iter().zip(angles) {
                pose[joint] = Coordinates::scalar(angle);
            }
            skeleton.follow(&mut pose);
            pose
        };
        self.solutions(position, rotation, &near).into_iter().map(pose).collect()
    }

    fn inside_limits(&self, angles: [f64; 6], near: &[f64; 6]) -> Option<[f64; 6]> {
        let mut inside = angles;
        for (at, angle) in inside.iter_mut().enumerate() {
            *angle = nearest_rounded_turn(self.arm.ranges[at], *angle, near[at])?;
        }
        Some(inside)
    }
}

/// The family of an arm, and its axes in the form that this family needs.
fn recognized(lines: &Lines) -> Option<(Lines, ArmFamily)> {
    let wrist = |lines, family| Some((spherical_wrist::prepared(lines)?, family));
    let parallel = |lines| Some((parallel_axes::prepared(lines)?, ArmFamily::ParallelAxes));
    let reversed = || lines.clone().reversed();
    wrist(lines.clone(), ArmFamily::SphericalWrist)
        .or_else(|| parallel(lines.clone()))
        .or_else(|| wrist(reversed(), ArmFamily::SphericalShoulder))
        .or_else(|| parallel(reversed()))
}
