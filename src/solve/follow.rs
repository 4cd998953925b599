//! A motion that follows targets.

use super::cases::CaseSolver;
use fabrik3d_ik::Pose;
use fabrik3d_scene::{Case, Motion, Outcome, Scene};

/// Solves cases of a scene one after another, each from the pose before, so that the poses are a motion. What the cases
/// start from does not count.
#[derive(Debug)]
pub struct Follower<'a> {
    solver: CaseSolver<'a>,
    pose: Pose,
    poses: Vec<Pose>,
}

impl<'a> Follower<'a> {
    /// Begins in the pose that the scene opens in.
    pub fn new(scene: &'a Scene) -> Self {
        Follower { solver: CaseSolver::new(scene), pose: scene.start.clone(), poses: Vec::new() }
    }

    /// Solves the next case; its pose is the next frame, whether it was reached or not.
    pub fn follow(&mut self, mut case: Case) -> Option<Outcome> {
        case.start.clone_from(&self.pose);
        let outcome = self.solver.solve(vec![case]).pop()?;
        self.pose.clone_from(&outcome.pose);
        self.poses.push(outcome.pose.clone());
        Some(outcome)
    }

    /// The motion so far.
    pub fn motion(self, name: impl Into<String>, frame_time: f64) -> Motion {
        Motion::new(name, frame_time, self.poses)
    }
}
