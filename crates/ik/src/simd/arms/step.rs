//! One step of damped least squares for one arm per lane: forward kinematics, errors, Jacobian, normal matrix, step.
//!
//! With the residual `e` and the Jacobian `J`, the step is `J^T (J J^T + d I)^-1 e`: one symmetric system of six rows,
//! or of three if only the position or only the orientation counts. A joint at a limit that the gradient pushes outward
//! is left out, so that the others make up for it. Nothing here branches on the content of a lane.
#![allow(clippy::needless_range_loop)] // Matrices read better by their indices.

use super::arm::{Arm, ArmJoint};
use crate::simd::real::{Number, Real, sine_and_cosine};

/// Damping: this share of the squared residual. Near the target it vanishes, and the steps converge quadratically.
const DAMPING: f64 = 0.05;
/// Least value of `1 + trace`, four times the squared cosine of half the angle: beyond, the residual shrinks instead of
/// growing without bound where the axis of rotation is undefined.
const LEAST_COSINE: f64 = 0.02;

/// Three numbers per lane.
type Vector<R> = [R; 3];

/// Where the effector should be, in the frame of the arm's base and in its units.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Aim<N> {
    pub position: [N; 3],
    /// The columns of the rotation matrix.
    pub rotation: [[N; 3]; 3],
}

/// The rotations and positions that a step works with.
pub(super) struct Scratch<R> {
    /// Axis and origin of every joint.
    placed: Vec<[Vector<R>; 2]>,
    /// The columns of the Jacobian, one per variable.
    columns: Vec<[R; 6]>,
}

impl<R: Copy> Scratch<R> {
    /// The buffers for an arm.
    pub fn new<N>(arm: &Arm<N>, zero: R) -> Self {
        Scratch { placed: vec![[[zero; 3]; 2]; arm.joints.len()], columns: vec![[zero; 6]; arm.ranges.len()] }
    }
}

/// The tip of an arm and how far it is from its aim.
#[derive(Clone, Copy)]
pub(super) struct Errors<R> {
    tip: Vector<R>,
    /// Position, then rotation vector.
    residual: [R; 6],
    /// Squared distance, in units of the arm.
    pub distance: R,
    /// Square of twice the sine of half the angle.
    pub angle: R,
}

/// `a - b`.
#[inline(always)]
fn sub<R: Real<W>, const W: usize>(a: Vector<R>, b: Vector<R>) -> Vector<R> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// Dot product plus a term.
#[inline(always)]
fn dot_add<R: Real<W>, const W: usize>(a: Vector<R>, b: Vector<R>, c: R) -> R {
    a[2].mul_add(b[2], a[1].mul_add(b[1], a[0].mul_add(b[0], c)))
}

/// Cross product.
#[inline(always)]
fn cross<R: Real<W>, const W: usize>(a: Vector<R>, b: Vector<R>) -> Vector<R> {
    [a[2].neg_mul_add(b[1], a[1] * b[2]), a[0].neg_mul_add(b[2], a[2] * b[0]), a[1].neg_mul_add(b[0], a[0] * b[1])]
}

/// The point `local` in the frame with these axes and origin.
#[inline(always)]
fn point<R: Real<W>, const W: usize>(
    proof: R::Proof,
    axes: &[Vector<R>; 3],
    origin: Vector<R>,
    local: &[R::Number; 3],
) -> Vector<R> {
    let local = local.map(|part| R::splat(proof, part));
    std::array::from_fn(|k| dot_add([axes[0][k], axes[1][k], axes[2][k]], local, origin[k]))
}

/// Turns two axes toward each other: the columns `x` and `y` of a rotation after a turn in their plane.
#[inline(always)]
fn turn<R: Real<W>, const W: usize>(x: &mut Vector<R>, y: &mut Vector<R>, cosine: R, sine: R) {
    for k in 0..3 {
        (x[k], y[k]) = (y[k].mul_add(sine, x[k] * cosine), x[k].neg_mul_add(sine, y[k] * cosine));
    }
}

/// The first and the last residual that count.
const fn rows(position: bool, orientation: bool) -> (usize, usize) {
    (if position { 0 } else { 3 }, if orientation { 6 } else { 3 })
}

/// Forward kinematics, and the errors with respect to `aim`. Positions count if `P`, orientations if `O`.
#[inline(always)]
pub(super) fn evaluate<R: Real<W>, const W: usize, const P: bool, const O: bool>(
    proof: R::Proof,
    arm: &Arm<R::Number>,
    aim: &Aim<[R::Number; W]>,
    variables: &[[R::Number; W]],
    scratch: &mut Scratch<R>,
) -> Errors<R> {
    let (zero, one) = (R::constant(proof, 0.0), R::constant(proof, 1.0));
    let mut axes = [[one, zero, zero], [zero, one, zero], [zero, zero, one]];
    let mut origin = [zero; 3];
    for (joint, placed) in arm.joints.iter().zip(&mut scratch.placed) {
        let ArmJoint { offset, twist, turned, .. } = joint;
        origin = point(proof, &axes, origin, offset);
        let [x, y, z] = &mut axes;
        turn(y, z, R::splat(proof, twist[0]), R::splat(proof, twist[1]));
        *placed = [*z, origin];
        let variable = R::load(proof, &variables[joint.variable]);
        let coordinate = variable.mul_add(R::splat(proof, joint.scale), R::splat(proof, joint.shift));
        let (sine, cosine) = if joint.slides {
            origin = std::array::from_fn(|k| z[k].mul_add(coordinate, origin[k]));
            (R::splat(proof, turned[1]), R::splat(proof, turned[0]))
        } else {
            sine_and_cosine(proof, coordinate + R::splat(proof, joint.turn))
        };
        turn(x, y, cosine, sine);
    }
    let tip = point(proof, &axes, origin, &arm.tip);
    let mut errors = Errors { tip, residual: [zero; 6], distance: zero, angle: zero };
    if P {
        let gap = sub(std::array::from_fn(|k| R::load(proof, &aim.position[k])), tip);
        errors.residual[..3].copy_from_slice(&gap);
        errors.distance = dot_add(gap, gap, zero);
    }
    if O {
        // The sum of the cross products of corresponding axes is `2 sin(angle)` times the axis of rotation, the sum of
        // their dot products `1 + 2 cos(angle)`. The residual is `2 sin(angle / 2)` times the axis.
        let mut twice_sine = [zero; 3];
        let mut above = one;
        for (axis, wanted) in axes.iter().zip(&aim.rotation) {
            let wanted = std::array::from_fn(|k| R::load(proof, &wanted[k]));
            above = dot_add(*axis, wanted, above);
            for k in 0..3 {
                let (i, j) = ((k + 1) % 3, (k + 2) % 3);
                twice_sine[k] = axis[j].neg_mul_add(wanted[i], axis[i].mul_add(wanted[j], twice_sine[k]));
            }
        }
        let scale = above.max(R::constant(proof, LEAST_COSINE)).inverse_sqrt();
        let turn = twice_sine.map(|part| part * scale);
        errors.residual[3..].copy_from_slice(&turn);
        // Half a turn off, the residual vanishes too.
        errors.angle = dot_add(turn, turn, zero).max(R::constant(proof, 3.0) - above);
    }
    errors
}

/// Moves the variables by one step, and clamps them to their ranges.
#[inline(always)]
pub(super) fn step<R: Real<W>, const W: usize, const P: bool, const O: bool>(
    proof: R::Proof,
    arm: &Arm<R::Number>,
    errors: &Errors<R>,
    variables: &mut [[R::Number; W]],
    scratch: &mut Scratch<R>,
) {
    let (first, last) = rows(P, O);
    let zero = R::constant(proof, 0.0);
    let e = &errors.residual;
    fill_columns::<R, W, P, O>(proof, arm, errors.tip, scratch);
    let mut normal = [[zero; 6]; 6];
    for ((column, variable), range) in scratch.columns.iter_mut().zip(variables.iter()).zip(&arm.ranges) {
        let mut slope = zero;
        for k in first..last {
            slope = column[k].mul_add(e[k], slope);
        }
        let variable = R::load(proof, variable);
        let [low, high] = range.map(|end| R::splat(proof, end));
        let too_low = R::both(variable.at_most(low), slope.at_most(zero));
        let too_high = R::both(high.at_most(variable), zero.at_most(slope));
        for k in first..last {
            column[k] = R::select(too_low, zero, R::select(too_high, zero, column[k]));
        }
        for i in first..last {
            for j in first..=i {
                normal[i][j] = column[i].mul_add(column[j], normal[i][j]);
            }
        }
    }
    let squared = errors.distance + errors.angle;
    let damping = squared.mul_add(R::constant(proof, DAMPING), R::splat(proof, R::Number::LEAST_DAMPING));
    for k in first..last {
        normal[k][k] = normal[k][k] + damping;
    }
    let dual = solve::<R, W, P, O>(proof, &mut normal, e);
    for ((column, row), range) in scratch.columns.iter().zip(variables).zip(&arm.ranges) {
        let mut moved = R::load(proof, row);
        for k in first..last {
            moved = column[k].mul_add(dual[k], moved);
        }
        let [low, high] = range.map(|end| R::splat(proof, end));
        moved.max(low).min(high).store(row);
    }
}

/// The columns of the Jacobian at the joints that were placed last.
#[inline(always)]
fn fill_columns<R: Real<W>, const W: usize, const P: bool, const O: bool>(
    proof: R::Proof,
    arm: &Arm<R::Number>,
    tip: Vector<R>,
    scratch: &mut Scratch<R>,
) {
    let zero = R::constant(proof, 0.0);
    let has_followers = arm.joints.len() > arm.ranges.len();
    if has_followers {
        scratch.columns.fill([zero; 6]);
    }
    for (joint, [axis, origin]) in arm.joints.iter().zip(&scratch.placed) {
        let mut column = [zero; 6];
        if joint.slides {
            column[..3].copy_from_slice(axis);
        } else {
            if P {
                column[..3].copy_from_slice(&cross(*axis, sub(tip, *origin)));
            }
            if O {
                column[3..].copy_from_slice(axis);
            }
        }
        let sum = &mut scratch.columns[joint.variable];
        if has_followers {
            let scale = R::splat(proof, joint.scale);
            *sum = std::array::from_fn(|k| column[k].mul_add(scale, sum[k]));
        } else {
            *sum = column;
        }
    }
}

/// Solves the symmetric system whose lower half is `matrix` by the Cholesky decomposition.
#[inline(always)]
fn solve<R: Real<W>, const W: usize, const P: bool, const O: bool>(
    proof: R::Proof,
    matrix: &mut [[R; 6]; 6],
    right: &[R; 6],
) -> [R; 6] {
    let (first, last) = rows(P, O);
    let least = R::splat(proof, R::Number::LEAST_PIVOT);
    let mut inverse = [least; 6];
    let mut solution = *right;
    for i in first..last {
        for j in first..i {
            let mut sum = matrix[i][j];
            for k in first..j {
                sum = matrix[i][k].neg_mul_add(matrix[j][k], sum);
            }
            matrix[i][j] = sum * inverse[j];
        }
        let (mut pivot, mut sum) = (matrix[i][i], solution[i]);
        for k in first..i {
            pivot = matrix[i][k].neg_mul_add(matrix[i][k], pivot);
            sum = matrix[i][k].neg_mul_add(solution[k], sum);
        }
        inverse[i] = pivot.max(least).inverse_sqrt();
        solution[i] = sum * inverse[i];
    }
    for i in (first..last).rev() {
        let mut sum = solution[i];
        for k in i + 1..last {
            sum = matrix[k][i].neg_mul_add(solution[k], sum);
        }
        solution[i] = sum * inverse[i];
    }
    solution
}

impl Aim<f64> {
    /// The aim as that of a single lane.
    pub fn single(&self) -> Aim<[f64; 1]> {
        Aim { position: self.position.map(|part| [part]), rotation: self.rotation.map(|axis| axis.map(|part| [part])) }
    }
}
