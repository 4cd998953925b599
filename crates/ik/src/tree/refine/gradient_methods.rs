//! The Jacobian methods of the comparison on skeletons: transpose, damped least squares, and damped least squares by
//! singular values. Their steps are those of [`crate::methods`] on all residuals of the objective. Coordinates that
//! would leave their limits are only clamped.

use super::limits::StartPose;
use crate::methods::SkeletonForce;
use crate::model::pose::Coordinates;
use crate::step::Columns;
use crate::tasks::evaluation::Evaluation;
use crate::tasks::objective::{Objective, Score};
use crate::tree::refine::{MAX_STEP, Refiner};

/// Largest residual of a goal that one step takes into account, in links of its own chain, as in
/// [`clamped_error`](crate::methods::jacobian::clamped_error).
const MAX_LINKS_PER_STEP: f64 = 0.5;

impl Refiner {
    /// One iteration of a Jacobian method from `pose`, whose frames and residuals are in the evaluation. Clamps at
    /// limits.
    pub fn iterate(&mut self, objective: &Objective, force: SkeletonForce, pose: &mut [Coordinates]) -> Score {
        let Evaluation { frames, residuals, .. } = &self.evaluation;
        self.derivatives.fill(objective, pose, &self.evaluation, &mut self.step.jacobian);
        self.limits.begin(objective, &mut self.step);
        let errors = residuals.iter().map(|row| -row);
        let clamped_force = |jacobian: &Columns, normal: &mut [f64], errors: &mut [f64]| {
            clamp(objective, errors);
            force(jacobian, normal, errors);
        };
        self.step.take_force(errors, clamped_force, MAX_STEP);
        let start = StartPose { objective, pose, frames, residuals };
        self.limits.advance(&start, &mut self.step, &mut self.candidate);
        pose.copy_from_slice(&self.candidate);
        self.evaluation.evaluate(objective, pose)
    }
}

/// Clamps the errors to where the Jacobian is a good approximation.
fn clamp(objective: &Objective, errors: &mut [f64]) {
    let links = objective.layout.goals.iter().map(|goal| goal.path.joints.len()).max().unwrap_or(1).max(1);
    let most = MAX_LINKS_PER_STEP / links as f64;
    for error in errors.chunks_mut(3) {
        let length = error.iter().map(|part| part * part).sum::<f64>().sqrt();
        error.iter_mut().for_each(|part| *part *= most / length.max(most));
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::layout::Layout;
    use crate::linear;
    use crate::model::joint::{Joint, Kind};
    use crate::model::problem::{Effector, Goal, Problem};
    use crate::model::settings::Settings;
    use crate::model::skeleton::Skeleton;
    use crate::random::Random;
    use glam::DVec3;

    /// Largest turn of a joint in one step.
    const MOST: f64 = std::f64::consts::FRAC_PI_4;

    /// A method that needs the Jacobian itself: it turns along each singular vector by as much as keeps the tips from moving
    /// farther than the errors ask.
    ///
    /// Source: S. R. Buss, J.-S. Kim, "Selectively damped least squares for inverse kinematics", Journal of Graphics Tools 10
    /// (2005).
    fn selectively_damped(jacobian: &Columns, gram: &mut [f64], errors: &mut [f64]) {
        let m = errors.len();
        let columns = jacobian.values.len() / m;
        linear::mirror(gram, m);
        let mut vectors = vec![0.0; m * m];
        linear::eigen(gram, &mut vectors, m);
        let length = |part: &[f64]| part.iter().map(|x| x * x).sum::<f64>().sqrt();
        let mut force = vec![0.0; m];
        for i in (0..m).filter(|i| gram[i * m + i] > 1e-12) {
            let strength = gram[i * m + i].sqrt();
            let u: Vec<f64> = vectors[i..].iter().step_by(m).copied().collect();
            let along: f64 = u.iter().zip(&*errors).map(|(u, error)| u * error).sum();
            let v: Vec<f64> = (0..columns)
                .map(|k| jacobian.column(k).iter().zip(&u).map(|(x, u)| x * u).sum::<f64>() / strength)
                .collect();
            // How far the tips move by this vector, and by all joints on their own.
            let wanted: f64 = u.chunks(3).map(length).sum();
            let moved: f64 =
                (0..columns).map(|k| v[k].abs() * jacobian.column(k).chunks(3).map(length).sum::<f64>()).sum();
            let most = MOST * (wanted * strength / moved).min(1.0);
            let turn = v.iter().fold(0.0, |most: f64, v| most.max((v * along / strength).abs()));
            let share = along / (strength * strength) * (most / turn.max(most));
            force.iter_mut().zip(&u).for_each(|(force, u)| *force += share * u);
        }
        errors.copy_from_slice(&force);
    }

    #[test]
    fn a_method_that_needs_the_jacobian_moves_two_hands_of_a_tree() {
        let ball = |name: &str, parent, offset| Joint::new(name, parent, offset, Kind::UNLIMITED_BALL);
        let skeleton = Skeleton::new(vec![
            ball("waist", None, DVec3::ZERO),
            ball("chest", Some(0), DVec3::Y),
            ball("left elbow", Some(1), DVec3::new(1.0, 0.3, 0.0)),
            ball("right elbow", Some(1), DVec3::new(-1.0, 0.3, 0.0)),
        ])
        .unwrap();
        let hands = [Effector::new(2, DVec3::X), Effector::new(3, DVec3::NEG_X)];
        let (mut random, settings) = (Random::new(7), Settings::DEFAULT);
        for _ in 0..50 {
            let frames = skeleton.frames(&skeleton.random_pose(&mut random));
            let goals = hands.map(|hand| Goal::new(hand, frames[hand.joint].point(hand.tip)));
            let problem = Problem { goals: goals.to_vec(), ..Problem::default() };
            let layout = Layout::new(&skeleton, &problem, &[0, 1]);
            let objective = Objective::new(&skeleton, &problem, &layout, &settings);
            let mut pose = skeleton.rest_pose();
            let mut refiner = Refiner::default();
            refiner.begin(&objective, &pose);
            let mut score = refiner.evaluation.evaluate(&objective, &pose);
            for _ in 0..200 {
                score = refiner.iterate(&objective, selectively_damped, &mut pose);
            }
            assert!(score.reached(&settings), "{score:?}");
        }
    }
}
