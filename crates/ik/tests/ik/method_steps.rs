//! The steps of the methods against slower, independent computations of the same.

use fabrik3d_ik::methods;
use fabrik3d_ik::methods::jacobian;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::settings::Method;
use glam::DMat3;
use glam::{DQuat, DVec3};

fn chain(random: &mut Random) -> (Vec<DVec3>, Vec<f64>) {
    let lengths: Vec<f64> = (0..=random.index(12)).map(|_| random.range(0.3, 2.0)).collect();
    let mut points = vec![random.ball() * 5.0];
    for &length in &lengths {
        points.push(points[points.len() - 1] + random.direction() * length);
    }
    (points, lengths)
}

/// Rotates all points beyond `joint` about it.
fn rotate_rest(points: &mut [DVec3], joint: usize, rotation: DQuat) {
    let pivot = points[joint];
    points[joint + 1..].iter_mut().for_each(|point| *point = pivot + rotation * (*point - pivot));
}

fn assert_close(a: &[DVec3], b: &[DVec3], tolerance: f64, context: &str) {
    assert_eq!(a.len(), b.len());
    let worst = a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    assert!(worst <= tolerance, "{context}: {worst} apart");
}

#[test]
fn rotating_all_joints_agrees_with_rotating_one_after_the_other() {
    for seed in 0..200 {
        let random = &mut Random::new(seed);
        let (mut points, lengths) = chain(random);
        let rotations: Vec<DQuat> = lengths.iter().map(|_| random.rotation()).collect();
        let mut slow = points.clone();
        // The rotations are about world axes of the old pose, so the joint next to the tip comes first.
        for joint in (0..lengths.len()).rev() {
            rotate_rest(&mut slow, joint, rotations[joint]);
        }
        jacobian::rotate_joints(&mut points, &lengths, |joint, _| rotations[joint]);
        assert_close(&points, &slow, 1e-12, &format!("seed {seed}"));
    }
}

#[test]
fn jacobian_columns_agree_with_finite_differences() {
    let step = 1e-5;
    for seed in 0..200 {
        let random = &mut Random::new(seed);
        let (points, lengths) = chain(random);
        let joint = random.index(lengths.len());
        let columns = jacobian::columns(&points, joint);
        for (column, axis) in DVec3::AXES.into_iter().enumerate() {
            let tip_after = |angle: f64| {
                let mut rotated = points.clone();
                rotate_rest(&mut rotated, joint, DQuat::from_axis_angle(axis, angle));
                rotated[lengths.len()]
            };
            let slope = (tip_after(step) - tip_after(-step)) / (2.0 * step);
            assert!(slope.distance(columns.col(column)) < 1e-8, "seed {seed}, joint {joint}, column {column}");
        }
    }
}

#[test]
fn gram_is_the_product_of_the_columns() {
    for seed in 0..200 {
        let (points, lengths) = chain(&mut Random::new(seed));
        let product = (0..lengths.len()).fold(DMat3::ZERO, |sum, joint| {
            let columns = jacobian::columns(&points, joint);
            sum + columns * columns.transpose()
        });
        assert!(jacobian::gram(&points).abs_diff_eq(product, 1e-10), "seed {seed}");
    }
}

/// The joint rotations of the step with this force, one vector per joint.
fn step_of(points: &[DVec3], force: DVec3) -> Vec<DVec3> {
    (0..points.len() - 1).map(|joint| jacobian::columns(points, joint).transpose() * force).collect()
}

#[test]
fn dls_step_solves_the_normal_equations() {
    for seed in 0..200 {
        let random = &mut Random::new(seed);
        let (points, lengths) = chain(random);
        let error = random.ball();
        let damping = jacobian::DAMPING * lengths.iter().sum::<f64>();
        let step = step_of(&points, jacobian::force_at_tip(&points, &lengths, error, methods::dls::force));
        let expected = damped_step(&points, error, damping);
        assert_close(&step, &expected, 1e-10, &format!("seed {seed}"));
    }
}

/// Solves `(J^T J + l^2 I) w = J^T e` for all 3 n unknowns by elimination.
fn damped_step(points: &[DVec3], error: DVec3, damping: f64) -> Vec<DVec3> {
    let joints = points.len() - 1;
    let columns: Vec<DVec3> = (0..joints)
        .flat_map(|joint| {
            let block = jacobian::columns(points, joint);
            [block.x_axis, block.y_axis, block.z_axis]
        })
        .collect();
    let size = columns.len();
    let mut rows: Vec<Vec<f64>> = (0..size)
        .map(|i| {
            let mut row: Vec<f64> = columns.iter().map(|column| columns[i].dot(*column)).collect();
            row[i] += damping * damping;
            row.push(columns[i].dot(error));
            row
        })
        .collect();
    // The matrix is positive definite, so elimination needs no pivoting.
    for pivot in 0..size {
        let pivot_row = rows[pivot].clone();
        for row in rows.iter_mut().skip(pivot + 1) {
            let factor = row[pivot] / pivot_row[pivot];
            row.iter_mut().zip(&pivot_row).for_each(|(entry, above)| *entry -= factor * above);
        }
    }
    let mut unknown = vec![0.0; size];
    for i in (0..size).rev() {
        let known: f64 = (i + 1..size).map(|j| rows[i][j] * unknown[j]).sum();
        unknown[i] = (rows[i][size] - known) / rows[i][i];
    }
    unknown.chunks(3).map(DVec3::from_slice).collect()
}

/// Whether all eigenvalues of a symmetric matrix are above a number: Sylvester's criterion for the difference.
fn is_above(matrix: DMat3, number: f64) -> bool {
    let m = matrix - DMat3::from_diagonal(DVec3::splat(number));
    m.x_axis.x > 0.0 && m.x_axis.x * m.y_axis.y > m.x_axis.y * m.x_axis.y && m.determinant() > 0.0
}

/// If every direction is strong, the selectively damped step is that of the pseudo-inverse: J w = e, with the smallest w,
/// because w is in the row space by construction. If some are weak, the step lies between that and the damped step.
#[test]
fn svd_dls_damps_weak_directions_only() {
    let (mut strong, mut weak) = (0, 0);
    for seed in 0..500 {
        let random = &mut Random::new(seed);
        let (points, lengths) = chain(random);
        let error = random.direction();
        let force = jacobian::force_at_tip(&points, &lengths, error, methods::svd_dls::force);
        let moved = jacobian::gram(&points) * force;
        let threshold = (jacobian::DAMPING * lengths.iter().sum::<f64>()).powi(2);
        if is_above(jacobian::gram(&points), threshold) {
            strong += 1;
            assert!(moved.distance(error) < 1e-10, "seed {seed}: {moved} for {error}");
        } else {
            weak += 1;
            assert!(moved.dot(error) > -1e-12 && moved.length() <= 1.0 + 1e-12, "seed {seed}");
        }
        let damped = jacobian::gram(&points) * jacobian::force_at_tip(&points, &lengths, error, methods::dls::force);
        assert!(moved.distance(error) <= damped.distance(error) + 1e-12, "seed {seed}: damped more than dls");
    }
    assert!(strong > 50 && weak > 50, "{strong} strong, {weak} weak");
}

#[test]
fn ccd_sweep_agrees_with_rotating_the_rest_at_every_joint() {
    for seed in 0..200 {
        let random = &mut Random::new(seed);
        let (mut points, lengths) = chain(random);
        let target = points[0] + random.ball() * lengths.iter().sum::<f64>();
        let mut slow = points.clone();
        for joint in (0..lengths.len()).rev() {
            let from = (slow[lengths.len()] - slow[joint]).normalize();
            let to = (target - slow[joint]).normalize();
            rotate_rest(&mut slow, joint, DQuat::from_axis_angle(from.cross(to).normalize(), from.angle_between(to)));
        }
        methods::iterate(Method::Ccd, &mut points, &lengths, target);
        assert_close(&points, &slow, 1e-9, &format!("seed {seed}"));
    }
}

/// A small step of the Jacobian transpose decreases the error, because it follows the gradient.
#[test]
fn transpose_step_goes_downhill() {
    for seed in 0..200 {
        let random = &mut Random::new(seed);
        let (points, lengths) = chain(random);
        let tip = points[lengths.len()];
        let target = tip + random.direction() * 1e-3;
        let mut moved = points.clone();
        methods::iterate(Method::JacobianTranspose, &mut moved, &lengths, target);
        let error = moved[lengths.len()].distance(target);
        assert!(error <= 1e-3 * (1.0 + 1e-9), "seed {seed}: {error}");
    }
}

/// In FTL each point ends on the line from its leader's new position to its own old position.
#[test]
fn ftl_followers_stay_on_the_line_to_their_leader() {
    for seed in 0..200 {
        let random = &mut Random::new(seed);
        let (before, lengths) = chain(random);
        let target = random.ball() * 5.0;
        let mut after = before.clone();
        methods::iterate(Method::Ftl, &mut after, &lengths, target);
        // Undo the translation that put the base back; the tip was on the target before.
        let shift = target - after[lengths.len()];
        for i in 0..lengths.len() {
            let (leader, follower) = (after[i + 1] + shift, after[i] + shift);
            let aside = (follower - leader).normalize().cross((before[i] - leader).normalize()).length();
            assert!(aside < 1e-9, "seed {seed}, point {i}: {aside}");
        }
    }
}
