//! One step of damped least squares for one arm per lane: forward kinematics, errors, Jacobian, normal matrix, step. It is
//! the first round of the scalar step ([`crate::step`]); `step_tests.rs` compares the two.
//!
//! With the residual `e` and the Jacobian `J`, the step is `J^T (J J^T + d I)^-1 e`: one symmetric system of six rows,
//! or of three if only the position or only the orientation counts. A joint at a limit that the gradient pushes outward
//! is left out, so that the others make up for it. Nothing here branches on the content of a lane.
//!
//! Directions that a goal leaves open ([`OPEN`]) are removed from the columns of the Jacobian, and get a 1 on the diagonal
//! of the system instead. The residual has no part in them, so neither has the solution.

use super::arm::{Arm, ArmJoint, IGNORED, OPEN};
use super::normal::{Normal, Parts, dot_parts};
use crate::simd::real::{Number, Real, sine_and_cosine};
use crate::simd::vector::{
    Vector, cross, cross_add, dot_add, load, point, scaled, scaled_add, splat, sub, times, turn,
};
use fearless_simd::Select;

/// Damping: this share of the squared residual. Near the target it vanishes, and the steps converge quadratically.
pub(super) const DAMPING: f64 = 0.05;
/// Least value of `1 + trace`, four times the squared cosine of half the angle: beyond, the residual shrinks instead of
/// growing without bound where the axis of rotation is undefined.
const LEAST_COSINE: f64 = 0.02;

/// Where the effector should be, in units of the arm.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Aim<N> {
    /// The position, from the base of the arm; along the axes of the base or, if something is open, of the target.
    pub position: [N; 3],
    /// The columns of a rotation matrix: the orientation of the last joint in the base or, if something is open, that of the
    /// base in the target.
    pub rotation: [[N; 3]; 3],
}

/// The rotations and positions that a step works with.
pub(super) struct Scratch<R> {
    /// Axis and origin of every joint.
    placed: Vec<[Vector<R>; 2]>,
    /// The columns of the Jacobian, one per variable.
    columns: Vec<Parts<R>>,
}

impl<R: Copy> Scratch<R> {
    /// The buffers for an arm.
    pub fn new<N>(arm: &Arm<N>, zero: R) -> Self {
        Scratch { placed: vec![[[zero; 3]; 2]; arm.joints.len()], columns: vec![[[zero; 3]; 2]; arm.ranges.len()] }
    }
}

/// The tip of an arm and how far it is from its aim.
#[derive(Clone, Copy)]
pub(super) struct Errors<R> {
    tip: Vector<R>,
    /// If the position is [`OPEN`]: 1 along axes in which it is fixed, 0 along those in which it may move.
    fixed: Vector<R>,
    /// If the orientation is [`OPEN`]: the direction of the axis about which the effector may turn.
    axis: Vector<R>,
    /// From the tip to the aim, and the rotation that is left.
    residual: Parts<R>,
    /// Squared distance, in units of the arm.
    pub distance: R,
    /// Square of twice the sine of half the angle.
    pub angle: R,
}

/// Forward kinematics, and the errors with respect to `aim`. `P` and `O` are what the target says about the position and the
/// orientation: [`IGNORED`], [`EXACT`](super::arm::EXACT) or [`OPEN`].
#[inline(always)]
pub(super) fn evaluate<R: Real<W>, const W: usize, const P: u8, const O: u8>(
    simd: R::Token,
    arm: &Arm<R::Number>,
    aim: &Aim<[R::Number; W]>,
    variables: &[[R::Number; W]],
    scratch: &mut Scratch<R>,
) -> Errors<R> {
    let (zero, one) = (R::constant(simd, 0.0), R::constant(simd, 1.0));
    let mut axes = [[one, zero, zero], [zero, one, zero], [zero, zero, one]];
    if P == OPEN || O == OPEN {
        axes = load_axes(simd, &aim.rotation);
    }
    let origin = place_joints(simd, arm, variables, &mut axes, scratch);
    let tip = point(simd, &axes, origin, &arm.tip);
    let nothing = [zero; 3];
    let mut errors = Errors { tip, fixed: nothing, axis: nothing, residual: [nothing; 2], distance: zero, angle: zero };
    if P != IGNORED {
        let mut gap = sub(load(simd, &aim.position), tip);
        if P == OPEN {
            for ((gap, fixed), slack) in gap.iter_mut().zip(&mut errors.fixed).zip(arm.slack) {
                let slack = R::splat(simd, slack);
                *fixed = slack.simd_le(gap.at_least(zero - *gap)).select(one, zero);
                *gap -= gap.at_least(zero - slack).at_most(slack);
            }
        }
        errors.residual[0] = gap;
        errors.distance = dot_add(gap, gap, zero);
    }
    if O != IGNORED {
        // The sum of the cross products of corresponding axes is `2 sin(angle)` times the axis of rotation, the sum of
        // their dot products `1 + 2 cos(angle)`. The residual is `2 sin(angle / 2)` times the axis.
        let (mut twice_sine, mut above) = (nothing, one);
        if O == OPEN {
            // The same for the smallest rotation between two directions.
            let direction = splat(simd, &arm.direction);
            errors.axis = point(simd, &axes, nothing, &arm.spin_axis);
            let half = cross(errors.axis, direction);
            twice_sine = [half[0] + half[0], half[1] + half[1], half[2] + half[2]];
            let cosine = dot_add(errors.axis, direction, one);
            above = cosine + cosine;
        } else {
            let wanted = if P == OPEN {
                let [x, y, z] = &arm.rotation;
                [splat(simd, x), splat(simd, y), splat(simd, z)]
            } else {
                load_axes(simd, &aim.rotation)
            };
            for (axis, wanted) in axes.iter().zip(&wanted) {
                above = dot_add(*axis, *wanted, above);
                twice_sine = cross_add(*axis, *wanted, twice_sine);
            }
        }
        let scale = one / above.at_least(R::Number::of(LEAST_COSINE)).sqrt();
        let turn = scaled(twice_sine, scale);
        errors.residual[1] = turn;
        // Half a turn off, the residual vanishes too.
        errors.angle = dot_add(turn, turn, zero).at_least(R::constant(simd, 3.0) - above);
    }
    errors
}

/// Writes the axes and origins of all joints. `axes` are those of the base, then those of the last joint; returns its origin.
#[inline(always)]
fn place_joints<R: Real<W>, const W: usize>(
    simd: R::Token,
    arm: &Arm<R::Number>,
    variables: &[[R::Number; W]],
    axes: &mut [Vector<R>; 3],
    scratch: &mut Scratch<R>,
) -> Vector<R> {
    let mut origin = [R::constant(simd, 0.0); 3];
    for (joint, placed) in arm.joints.iter().zip(&mut scratch.placed) {
        let ArmJoint { offset, twist, turned, .. } = joint;
        origin = point(simd, axes, origin, offset);
        let [x, y, z] = &mut *axes;
        turn(y, z, R::splat(simd, twist[0]), R::splat(simd, twist[1]));
        *placed = [*z, origin];
        let variable = R::load_array_ref(simd, &variables[joint.variable]);
        let coordinate = variable.mul_add(joint.scale, joint.shift);
        let (sine, cosine) = if joint.slides {
            origin = scaled_add(*z, coordinate, origin);
            (R::splat(simd, turned[1]), R::splat(simd, turned[0]))
        } else {
            sine_and_cosine(simd, coordinate + joint.turn)
        };
        turn(x, y, cosine, sine);
    }
    origin
}

/// Reads a frame per lane.
#[inline(always)]
fn load_axes<R: Real<W>, const W: usize>(simd: R::Token, [x, y, z]: &[[[R::Number; W]; 3]; 3]) -> [Vector<R>; 3] {
    [load(simd, x), load(simd, y), load(simd, z)]
}

/// Moves the variables by one step, and clamps them to their ranges.
#[inline(always)]
pub(super) fn step<R: Real<W>, const W: usize, const P: u8, const O: u8>(
    simd: R::Token,
    arm: &Arm<R::Number>,
    errors: &Errors<R>,
    variables: &mut [[R::Number; W]],
    scratch: &mut Scratch<R>,
) {
    let zero = R::constant(simd, 0.0);
    fill_columns::<R, W, P>(simd, arm, errors.tip, scratch);
    let squared = errors.distance + errors.angle;
    let damping = squared.mul_add(R::Number::of(DAMPING), R::Number::LEAST_DAMPING);
    let mut normal = Normal::diagonal(zero, damping);
    normal.add_open::<P, O>(R::constant(simd, 1.0), &errors.fixed, &errors.axis);
    for ((column, variable), range) in scratch.columns.iter_mut().zip(variables.iter()).zip(&arm.ranges) {
        if P == OPEN {
            column[0] = times(column[0], errors.fixed);
        }
        if O == OPEN {
            column[1] = scaled_add(errors.axis, zero - dot_add(errors.axis, column[1], zero), column[1]);
        }
        let slope = dot_parts::<R, W, P, O>(column, &errors.residual, zero);
        let variable = R::load_array_ref(simd, variable);
        let [low, high] = [R::splat(simd, range[0]), R::splat(simd, range[1])];
        let too_low = variable.simd_le(low) & slope.simd_le(zero);
        let too_high = high.simd_le(variable) & zero.simd_le(slope);
        let free = too_low.select(zero, too_high.select(zero, R::constant(simd, 1.0)));
        *column = [scaled(column[0], free), scaled(column[1], free)];
        normal.add::<P, O>(column);
    }
    let dual = normal.solve::<P, O>(simd, &errors.residual);
    for ((column, row), range) in scratch.columns.iter().zip(variables).zip(&arm.ranges) {
        let moved = dot_parts::<R, W, P, O>(column, &dual, R::load_array_ref(simd, row));
        moved.at_least(range[0]).at_most(range[1]).store_array(row);
    }
}

/// The columns of the Jacobian at the joints that were placed last.
#[inline(always)]
fn fill_columns<R: Real<W>, const W: usize, const P: u8>(
    simd: R::Token,
    arm: &Arm<R::Number>,
    tip: Vector<R>,
    scratch: &mut Scratch<R>,
) {
    let zero = R::constant(simd, 0.0);
    let has_followers = arm.joints.len() > arm.ranges.len();
    if has_followers {
        scratch.columns.fill([[zero; 3]; 2]);
    }
    for (joint, [axis, origin]) in arm.joints.iter().zip(&scratch.placed) {
        let column = match joint.slides {
            true => [*axis, [zero; 3]],
            false => [if P != IGNORED { cross(*axis, sub(tip, *origin)) } else { [zero; 3] }, *axis],
        };
        let sum = &mut scratch.columns[joint.variable];
        if has_followers {
            let scale = R::splat(simd, joint.scale);
            *sum = [scaled_add(column[0], scale, sum[0]), scaled_add(column[1], scale, sum[1])];
        } else {
            *sum = column;
        }
    }
}

impl Aim<f64> {
    /// The same aim in every lane.
    pub fn splat<const W: usize>(&self) -> Aim<[f64; W]> {
        Aim {
            position: self.position.map(|part| [part; W]),
            rotation: self.rotation.map(|axis| axis.map(|part| [part; W])),
        }
    }
}
