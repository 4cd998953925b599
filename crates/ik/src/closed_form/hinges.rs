//! An arm of six hinges as lines in space: the axis of each hinge while all angles are zero.
//!
//! A hinge turns everything behind it about its axis. The frame of the effector is the product of these motions, applied
//! to its frame at zero. Fixed joints, and joints whose range is a single value, vanish.
//!
//! Source: R. W. Brockett, *Robotic manipulators and the product of exponentials formula*, 1984.

use crate::maths;
use crate::model::{Coordinates, Effector, Interval, Isometry, Kind, Skeleton, UnsupportedArm, serial_arm};
use crate::step::{Step, Terms};
use glam::DVec3;

/// Why the solutions of an arm cannot be listed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoClosedForm {
    /// The effector is not carried by a line of hinges, slides and fixed joints.
    #[error(transparent)]
    NotSerial(#[from] UnsupportedArm),
    /// All solutions are known for six joints. With more, a pose is reached in infinitely many ways.
    #[error("the arm has {0} moving joints, and all solutions are known for six")]
    JointCount(usize),
    /// A joint is a slide or follows another joint.
    #[error("joint `{0}` is a slide or leads another joint; all solutions are known for six independent hinges")]
    NotHinges(String),
    /// In every pose some joints turn freely against each other: more than three axes meet in a point or are parallel.
    #[error("in every pose some joints turn freely against each other")]
    Geometry,
}

/// The axis of a hinge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Axis {
    pub point: DVec3,
    /// Unit length.
    pub direction: DVec3,
}

/// Six hinges between a base and an effector. Positions are in the world.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Hinges {
    /// Base first.
    pub axes: [Axis; 6],
    /// The joints of the skeleton.
    pub joints: [usize; 6],
    pub ranges: [Option<Interval>; 6],
    /// The tip's position and the effector's orientation with all angles at zero.
    pub home: Isometry,
    /// The length that errors are divided by.
    pub size: f64,
}

/// Largest error of a solution, relative to the arm's size and in radians. Only next to singular poses an error of that order
/// remains.
const EXACT: f64 = 1e-9;
/// Error below which no further step is taken: rounding.
const ROUNDING: f64 = 4e-15;
/// Most Newton steps. One or two suffice unless the axes are only nearly in the position of their family.
const MOST_STEPS: usize = 12;
/// Damping of the normal equations: too small to slow a step down, large enough to keep singular ones solvable.
const DAMPING: f64 = 1e-12;
/// Damping added per squared error: far from the target it keeps steps short.
const DAMPING_PER_ERROR: f64 = 0.02;

impl Hinges {
    /// The arm of an effector. Joints that do not belong to its chain keep still as in `pose`, which is inside the limits;
    /// `base` is the parent frame of the roots.
    ///
    /// # Errors
    /// It is not a line of fixed joints and six hinges that move on their own.
    pub fn new(
        skeleton: &Skeleton,
        effector: &Effector,
        base: Isometry,
        pose: &[Coordinates],
    ) -> Result<Self, NoClosedForm> {
        let leader = |joint: usize| skeleton.joints()[joint].mimic.map_or(joint, |mimic| mimic.joint);
        let moves = |joint: usize| skeleton.kind(leader(joint)).can_move();
        let chain = serial_arm(skeleton, effector, moves)?;
        let parent = chain.first().and_then(|&top| skeleton.joints()[top].parent);
        let mut frame = parent.map_or(base, |joint| skeleton.frame_of(base, pose, joint));
        let mut axes = Vec::new();
        for &joint in &chain {
            let rest = skeleton.rest_frame(joint, frame);
            frame = match skeleton.kind(joint) {
                Kind::Hinge { axis, .. } | Kind::Slide { axis, .. } if moves(joint) => {
                    axes.push(Axis { point: rest.position, direction: rest.rotation * *axis });
                    rest
                }
                kind => kind.frame(rest, &pose[joint]),
            };
        }
        let leaders: Vec<usize> =
            chain.iter().copied().filter(|&joint| leader(joint) == joint && moves(joint)).collect();
        let joints = <[usize; 6]>::try_from(leaders).map_err(|leaders| NoClosedForm::JointCount(leaders.len()))?;
        let slides = |&joint: &usize| matches!(skeleton.kind(joint), Kind::Slide { .. });
        let is_followed = |&joint: &usize| chain.iter().any(|&other| other != joint && leader(other) == joint);
        let odd = joints.iter().find(|joint| slides(joint)).or_else(|| joints.iter().find(|joint| is_followed(joint)));
        let (None, Ok(axes)) = (odd, <[Axis; 6]>::try_from(axes)) else {
            let odd = odd.copied().unwrap_or(joints[0]);
            return Err(NoClosedForm::NotHinges(skeleton.joints()[odd].name.clone()));
        };
        Ok(Hinges {
            axes,
            joints,
            ranges: joints.map(|joint| skeleton.kind(joint).range()),
            home: Isometry::new(frame.point(effector.tip), frame.rotation),
            size: effector.error_scale(skeleton, []),
        })
    }

    /// Position of the tip and orientation of the effector, and the axes as they are then.
    pub fn forward(&self, angles: &[f64; 6]) -> (Isometry, [Axis; 6]) {
        let (mut moved, mut axes) = (Isometry::IDENTITY, self.axes);
        for (axis, &angle) in axes.iter_mut().zip(angles) {
            let Axis { point, direction } = *axis;
            *axis = Axis { point: moved.point(point), direction: moved.rotation * direction };
            moved = moved.frame(turn_about(point, direction, angle));
        }
        (moved.frame(self.home), axes)
    }

    /// As [`Hinges::corrected`], with what is known of the solution before: solutions of a closed form share their first joints, and
    /// most of them are exact.
    pub fn corrected_next(
        &self,
        angles: [f64; 6],
        target: Isometry,
        step: &mut Step,
        known: &mut Forward,
    ) -> Option<[f64; 6]> {
        let squared: f64 = self.residuals(target, known.tool(self, &angles)).iter().map(|entry| entry * entry).sum();
        if squared < ROUNDING * ROUNDING { Some(angles) } else { self.corrected(angles, target, step) }
    }

    /// The angles next to `angles` that meet the target to rounding, by [steps](crate::step) of least length.
    pub fn corrected(&self, mut angles: [f64; 6], target: Isometry, step: &mut Step) -> Option<[f64; 6]> {
        let (mut error, mut residuals) = self.evaluate(target, &angles, step);
        for _ in 0..MOST_STEPS {
            if error < ROUNDING {
                break;
            }
            let squared: f64 = residuals.iter().map(|entry| entry * entry).sum();
            let damping = DAMPING + DAMPING_PER_ERROR * squared;
            step.release(6);
            let terms =
                Terms { residuals: &residuals, compliance: &[1.0; 6], damping, longest: f64::INFINITY, slides: &[] };
            if !step.take(&terms, |_| false) {
                break;
            }
            let next = std::array::from_fn(|at| angles[at] + step.values[at]);
            let (next_error, next_residuals) = self.evaluate(target, &next, step);
            if next_error.is_nan() || next_error >= error {
                break;
            }
            (angles, error, residuals) = (next, next_error, next_residuals);
        }
        (error < EXACT).then_some(angles)
    }

    /// The error (distance, relative to the arm's size, and angle) and the residuals: three for the position, relative to
    /// the arm's size, and three for the orientation. Writes their Jacobian.
    fn evaluate(&self, target: Isometry, angles: &[f64; 6], step: &mut Step) -> (f64, [f64; 6]) {
        let (at, axes) = self.forward(angles);
        step.jacobian.reset(6, 6);
        for (column, Axis { point, direction }) in axes.into_iter().enumerate() {
            let velocity = direction.cross(at.position - point) / self.size;
            let (upper, lower) = step.jacobian.column_mut(column).split_at_mut(3);
            upper.copy_from_slice(&velocity.to_array());
            lower.copy_from_slice(&direction.to_array());
        }
        let residuals = self.residuals(target, at);
        let [shift, turn] = [0, 3].map(|first| DVec3::from_slice(&residuals[first..]).length());
        let angle = 2.0 * maths::asin((0.5 * turn).min(1.0));
        (maths::hypot(shift, angle), residuals)
    }

    /// The residuals where the effector is `at` a place.
    fn residuals(&self, target: Isometry, at: Isometry) -> [f64; 6] {
        let shift = (at.position - target.position) / self.size;
        let turn = at.rotation * target.rotation.conjugate();
        // Twice the sine of half the angle: nearly the angle, without an arc sine.
        let turn = turn.xyz() * (2.0 * 1_f64.copysign(turn.w));
        [shift.x, shift.y, shift.z, turn.x, turn.y, turn.z]
    }
}

/// The motions up to each hinge for the angles that were last asked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Forward {
    angles: [f64; 6],
    moved: [Isometry; 6],
}

impl Default for Forward {
    fn default() -> Self {
        Forward { angles: [f64::NAN; 6], moved: [Isometry::IDENTITY; 6] }
    }
}

impl Forward {
    /// Position of the tip and orientation of the effector.
    fn tool(&mut self, arm: &Hinges, angles: &[f64; 6]) -> Isometry {
        let kept = self.angles.iter().zip(angles).take_while(|(own, new)| own == new).count();
        let mut so_far = kept.checked_sub(1).map_or(Isometry::IDENTITY, |last| self.moved[last]);
        for ((moved, axis), &angle) in self.moved.iter_mut().zip(&arm.axes).zip(angles).skip(kept) {
            so_far = so_far.frame(turn_about(axis.point, axis.direction, angle));
            *moved = so_far;
        }
        self.angles = *angles;
        so_far.frame(arm.home)
    }
}

/// The rotation by `angle` about a line.
pub(super) fn turn_about(point: DVec3, direction: DVec3, angle: f64) -> Isometry {
    let rotation = maths::turn(direction, angle);
    Isometry::new(point - rotation * point, rotation)
}
