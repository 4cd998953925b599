//! A skeleton that is driven frame after frame.

use crate::model::pose::{Coordinates, Pose};
use crate::model::problem::{Effector, Goal, Problem, Target};
use crate::model::report::Report;
use crate::model::settings::Settings;
use crate::model::skeleton::Skeleton;
use crate::model::transform::Isometry;
use crate::tree::island::Workspace;
use crate::tree::search::Manner;

/// A skeleton, its pose, what is asked of it and the buffers of its solver, in one value that owns them all: what a game
/// or a controller keeps for each character or robot. After the first frame it allocates nothing.
///
/// What is asked may change freely from frame to frame, also which effectors, loops and obstacles there are.
///
/// ```
/// # use glam::DVec3;
/// # use fabrik3d_ik::{Effector, Rig, Joint, Kind, Skeleton, Stop};
/// let mut arm = Rig::new(Skeleton::new(vec![
///     Joint::new("shoulder", None, DVec3::ZERO, Kind::UNLIMITED_BALL),
///     Joint::new("elbow", Some(0), DVec3::Y, Kind::UNLIMITED_BALL),
/// ])?);
/// let hand = arm.add_goal(Effector::new(1, DVec3::Y), DVec3::new(1.0, 1.0, 0.0));
/// for frame in 0..60 {
///     arm.aim(hand, DVec3::new(1.0, 1.0, 0.01 * f64::from(frame)));
///     assert_eq!(arm.track().stop, Stop::Reached);
///     for frame in arm.frames() {
///         // draw a joint at frame.position, turned by frame.rotation
///     }
/// }
/// # Ok::<(), crate::model::skeleton::SkeletonError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Rig {
    skeleton: Skeleton,
    /// What is asked; the goals stand in the order in which they were added.
    pub problem: Problem,
    /// How it is solved.
    pub settings: Settings,
    pose: Pose,
    frames: Vec<Isometry>,
    /// One an island.
    workspaces: Vec<Workspace>,
    /// The loops that the islands were found for.
    ties: Vec<(usize, usize)>,
}

impl Rig {
    /// `skeleton` in its rest pose; nothing is asked of it yet.
    pub fn new(skeleton: Skeleton) -> Self {
        let pose = skeleton.rest_pose();
        let frames = skeleton.frames(&pose);
        Rig {
            skeleton,
            problem: Problem::default(),
            settings: Settings::default(),
            pose,
            frames,
            workspaces: Vec::new(),
            ties: Vec::new(),
        }
    }

    /// The skeleton.
    pub fn skeleton(&self) -> &Skeleton {
        &self.skeleton
    }

    /// The pose, one entry a joint.
    pub fn pose(&self) -> &[Coordinates] {
        &self.pose
    }

    /// Where the joints are in the pose, one frame a joint; world.
    pub fn frames(&self) -> &[Isometry] {
        &self.frames
    }

    /// Takes another pose (one entry a joint), moved into the limits; false, and nothing changes, where it is of another
    /// length or not finite.
    pub fn set_pose(&mut self, pose: &[Coordinates]) -> bool {
        let fits = pose.len() == self.skeleton.len() && pose.iter().all(Coordinates::is_finite);
        if fits {
            self.pose.copy_from_slice(pose);
            self.skeleton.project(&mut self.pose);
            self.place();
        }
        fits
    }

    /// Asks an effector to go somewhere; the number of the goal, for [`Rig::aim`].
    pub fn add_goal(&mut self, effector: Effector, target: impl Into<Target>) -> usize {
        self.problem.goals.push(Goal::new(effector, target));
        self.problem.goals.len() - 1
    }

    /// Gives goal number `goal` another target; false, and nothing changes, where there is no such goal.
    pub fn aim(&mut self, goal: usize, target: impl Into<Target>) -> bool {
        let goal = self.problem.goals.get_mut(goal);
        goal.map(|goal| goal.target = target.into()).is_some()
    }

    /// Solves from the present pose; the worst island's report. What cannot be understood (numbers that are not finite,
    /// joints that do not exist) is refused: [`crate::model::report::Stop::Refused`], nothing moves.
    pub fn solve(&mut self) -> Report {
        self.solve_in(Manner::Anew)
    }

    /// As [`Rig::solve`], for targets that glide: the new pose lies next to the present one, see [`Workspace::track`].
    pub fn track(&mut self) -> Report {
        self.solve_in(Manner::Tracking)
    }

    fn solve_in(&mut self, manner: Manner) -> Report {
        if !self.problem.fits(&self.skeleton) {
            return Report::REFUSED;
        }
        self.find_islands();
        let Rig { skeleton, problem, settings, pose, workspaces, .. } = self;
        let solve = |island: &mut Workspace| {
            island.adapt(skeleton, problem);
            island.solve_sound(manner, skeleton, problem, settings, pose)
        };
        let report = workspaces.iter_mut().map(solve).reduce(Report::or_worse).unwrap_or(Report::REFUSED);
        self.place();
        report
    }

    fn find_islands(&mut self) {
        let ties = self.problem.loops.iter().map(|(a, b)| (a.joint, b.joint));
        if self.workspaces.is_empty() || !ties.clone().eq(self.ties.iter().copied()) {
            self.ties = ties.collect();
            self.workspaces = Workspace::each(&self.skeleton, &self.problem).collect();
        }
    }

    fn place(&mut self) {
        self.skeleton.forward_kinematics(self.problem.base, &self.pose, &mut self.frames);
    }
}
