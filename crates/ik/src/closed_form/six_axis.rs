//! Arms with six hinges: recognizes those with a closed form, and lists their solutions.

use super::any_axes::{self, Cut};
use super::hinges::{Forward, Hinges, NoClosedForm};
use super::lines::Lines;
use super::{parallel_axes, spherical_wrist};
use crate::model::{Coordinates, Effector, Isometry, Pose, Skeleton, nearest_rounded_turn, wrap};
use crate::random::Random;
use crate::step::Step;
use glam::{DQuat, DVec3};

/// The position of the axes, which says how solutions are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ArmFamily {
    /// The last three axes meet in a point: the wrist of most industrial arms.
    SphericalWrist,
    /// The first three axes meet in a point.
    SphericalShoulder,
    /// The second to the fourth, or the third to the fifth axes meet in a point.
    SphericalElbow,
    /// Three consecutive axes are parallel, for example the second to the fourth: the arms of Universal Robots.
    ParallelAxes,
    /// Any other position.
    General,
}

/// An arm with six hinges whose solutions can be listed.
///
/// ```
/// # use glam::DVec3;
/// # use fabrik3d_ik::{Kind, SixAxisArm, Skeleton};
/// let skeleton = Skeleton::builder()
///     .root("base", Kind::hinge(DVec3::Z))
///     .child("shoulder", "base", DVec3::Z * 0.3, Kind::hinge(DVec3::Y))
///     .child("elbow", "shoulder", DVec3::Z * 0.4, Kind::hinge(DVec3::Y))
///     .child("forearm", "elbow", DVec3::X * 0.35, Kind::hinge(DVec3::X))
///     .child("wrist", "forearm", DVec3::ZERO, Kind::hinge(DVec3::Y))
///     .child("flange", "wrist", DVec3::ZERO, Kind::hinge(DVec3::X))
///     .build()?;
/// let arm = SixAxisArm::new(&skeleton, &skeleton.effector("flange")?.at(DVec3::X * 0.1))?;
/// let (position, rotation) = arm.forward(&[0.3, 0.4, 0.2, 0.5, 0.9, 0.1]);
/// assert_eq!(arm.solutions(position, rotation, &[0.0; 6]).len(), 8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SixAxisArm {
    arm: Hinges,
    lines: Lines,
    form: Form,
}

/// How solutions are found.
#[derive(Clone, Debug, PartialEq)]
enum Form {
    /// In closed form, by the loop of the axes that is cut before the axis `first`. If that is the first one, the axes are
    /// prepared.
    Closed { family: Family, first: usize },
    /// As eigenvalues.
    General(Vec<Cut>),
}

/// The families with a closed form.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Family {
    /// The last three axes meet.
    Wrist,
    /// The second to fourth axes are parallel.
    Parallel,
}

/// How exactly the axes have to lie as a family requires: as in a model with ten digits. In models with fewer digits,
/// closed forms would lose solutions that nearly meet.
const TOLERANCE: f64 = 5e-9;
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
        let lines = Lines::new(&arm.axes, arm.size, TOLERANCE);
        if let Some((lines, form)) = recognized(&lines) {
            return Ok(SixAxisArm { arm, lines, form });
        }
        let cuts = any_axes::cuts(&lines);
        if cuts.is_empty() {
            return Err(NoClosedForm::Geometry);
        }
        Ok(SixAxisArm { arm, lines, form: Form::General(cuts) })
    }

    /// How the axes lie.
    pub fn family(&self) -> ArmFamily {
        match self.form {
            Form::Closed { family: Family::Parallel, .. } => ArmFamily::ParallelAxes,
            Form::Closed { family: Family::Wrist, first: 0 } => ArmFamily::SphericalWrist,
            Form::Closed { family: Family::Wrist, first: 3 } => ArmFamily::SphericalShoulder,
            Form::Closed { family: Family::Wrist, .. } => ArmFamily::SphericalElbow,
            Form::General(_) => ArmFamily::General,
        }
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
    /// turn against each other ([`SixAxisArm::free_joints`]), one of infinitely many poses stands for all: the one in which the
    /// first of these joints stays as in `near`, or the next one inside the limits. If the axes lie as a closed form needs them
    /// up to the ninth digit, a solution that nearly meets another one can be missed.
    pub fn solutions(&self, position: DVec3, rotation: DQuat, near: &[f64; 6]) -> Vec<[f64; 6]> {
        let rotation = rotation.normalize();
        let target = Isometry::new(position, rotation);
        if !(target.is_finite() && near.iter().all(|angle| angle.is_finite())) {
            return Vec::new();
        }
        let (mut step, mut known) = (Step::default(), Forward::default());
        let mut found: Vec<[f64; 6]> = Vec::new();
        let turn = rotation * self.arm.home.rotation.conjugate();
        let motion = Isometry::new(position - turn * self.arm.home.position, turn);
        let closed = self.in_closed_form(motion, near);
        let are_near = closed.is_some();
        for angles in closed.unwrap_or_else(|| self.as_eigenvalues(motion)) {
            let Some(mut exact) = self.arm.corrected_next(angles, target, &mut step, &mut known) else { continue };
            if !are_near {
                exact = self.arm.freely_near(exact, near, target, &mut step);
            }
            let inside = self
                .inside_limits(exact, near)
                .or_else(|| self.arm.next_free(exact, target, &mut step, |angles| self.inside_limits(angles, near)));
            if let Some(inside) = inside
                && found.iter().all(|other| self.moves(other, &inside).any(|moved| moved > SAME))
            {
                found.push(inside);
            }
        }
        let mut by_move: Vec<(f64, [f64; 6])> =
            found.into_iter().map(|angles| (self.largest_move(near, &angles), angles)).collect();
        by_move.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        by_move.into_iter().map(|(_, angles)| angles).collect()
    }

    /// The angles of the joints that bring about a motion, up to rounding and whatever the limits; joints that are free as in
    /// `near`. `None` if the axes have no closed form, or none together with this target.
    fn in_closed_form(&self, motion: Isometry, near: &[f64; 6]) -> Option<Vec<[f64; 6]>> {
        match self.form {
            Form::Closed { family, first: 0 } => Some(family.solve(&self.lines, motion, near)),
            Form::Closed { family, first } => {
                let lines = family.prepared(self.lines.cut(first, motion))?;
                Some(family.solve(&lines, motion, near))
            }
            Form::General(_) => None,
        }
    }

    /// The same for any axes, except that free joints are anywhere.
    fn as_eigenvalues(&self, motion: Isometry) -> Vec<[f64; 6]> {
        match &self.form {
            Form::General(cuts) => any_axes::solve(&self.lines, cuts, motion),
            Form::Closed { .. } => any_axes::solve(&self.lines, &any_axes::cuts(&self.lines), motion),
        }
    }

    /// The largest angle by which a joint moves, radians. A joint without limits takes the shorter way around.
    pub fn largest_move(&self, from: &[f64; 6], to: &[f64; 6]) -> f64 {
        self.moves(from, to).fold(0.0, f64::max)
    }

    /// The angles by which the joints move, radians.
    fn moves(&self, from: &[f64; 6], to: &[f64; 6]) -> impl Iterator<Item = f64> {
        (0..6).map(|at| match self.arm.ranges[at] {
            None => wrap(to[at] - from[at]).abs(),
            Some(_) => (to[at] - from[at]).abs(),
        })
    }

    /// Which joints turn freely against each other in a pose: each of them can turn on if others turn along, and the effector
    /// stays where it is. Limits do not count.
    pub fn free_joints(&self, angles: &[f64; 6]) -> [bool; 6] {
        self.arm.free_joints(angles, self.arm.forward(angles).0, &mut Step::default())
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

impl Family {
    /// The axes in the form that the family needs, if they belong to it.
    fn prepared(self, lines: Lines) -> Option<Lines> {
        match self {
            Family::Wrist => spherical_wrist::prepared(lines),
            Family::Parallel => parallel_axes::prepared(lines),
        }
    }

    /// The angles of the joints that bring about `motion`.
    fn solve(self, lines: &Lines, motion: Isometry, near: &[f64; 6]) -> Vec<[f64; 6]> {
        let near = lines.angles_of_joints(near);
        let found = match self {
            Family::Wrist => spherical_wrist::solve(lines, motion, &near),
            Family::Parallel => parallel_axes::solve(lines, motion, &near),
        };
        found.iter().map(|angles| lines.joint_angles(angles)).collect()
    }
}

/// The closed form of an arm, and its axes. Cuts at which the three special axes are next to each other come first.
fn recognized(lines: &Lines) -> Option<(Lines, Form)> {
    // Where the target is part of the loop, it must not make axes parallel by chance.
    let random = &mut Random::new(0);
    let anywhere = Isometry::new(random.direction() * lines.size, random.rotation());
    [0, 3, 1, 5, 4, 2].into_iter().find_map(|first| {
        [Family::Wrist, Family::Parallel].into_iter().find_map(|family| {
            let prepared = family.prepared(lines.cut(first, anywhere))?;
            Some((if first == 0 { prepared } else { lines.clone() }, Form::Closed { family, first }))
        })
    })
}
