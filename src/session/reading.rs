//! What can be read of a session.

use super::{MotionMode, PathShape, Playback, Session, TargetPath};
use fabrik3d_ik::{Blend, Isometry, Pose, Report, Stop, Target};
use fabrik3d_scene::Scene;
use glam::{DQuat, DVec3};

impl Session {
    /// Where the tip of an effector is in the solved pose.
    pub fn tip(&self, effector: usize) -> DVec3 {
        let effector = self.scene.effectors[effector].effector;
        self.scene.skeleton.frame_of(Isometry::IDENTITY, &self.solved, effector.joint).point(effector.tip)
    }

    /// Where the tip of an effector is in the displayed pose.
    pub fn displayed_tip(&self, effector: usize) -> DVec3 {
        let effector = self.scene.effectors[effector].effector;
        self.scene.skeleton.frame_of(Isometry::IDENTITY, &self.displayed, effector.joint).point(effector.tip)
    }

    /// The frame of an effector in the displayed pose: its tip, turned as its joint is. None where there is no such one.
    pub fn tool_frame(&self, effector: usize) -> Option<Isometry> {
        let effector = self.scene.effectors.get(effector)?.effector;
        let frame = self.scene.skeleton.frame_of(Isometry::IDENTITY, &self.displayed, effector.joint);
        Some(Isometry::new(frame.point(effector.tip), frame.rotation))
    }

    /// Orientation of the selected effector's joint in the solved pose; identity when there is none.
    pub fn selected_rotation(&self) -> DQuat {
        self.scene.effectors.get(self.selected).map_or(DQuat::IDENTITY, |effector| {
            self.scene.skeleton.frame_of(Isometry::IDENTITY, &self.solved, effector.effector.joint).rotation
        })
    }

    /// Reach of the selected effector; 1 when there is none.
    pub fn reach_of_selected(&self) -> f64 {
        self.scene.effectors.get(self.selected).map_or(1.0, |effector| self.scene.reach(effector))
    }

    /// The scene as it stands, settings changed by commands included.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The scene as it stands, to be saved: with its present targets, opening in the pose that is solved or, while a
    /// recording is shown, in that one.
    pub fn scene_now(&self) -> Scene {
        let shows = |motion: &Playback| motion.mode() == MotionMode::Show && motion.is_engaged();
        let is_shown = self.motion().is_some_and(shows);
        let mut scene = self.scene.starting_at(if is_shown { &self.displayed } else { &self.solved });
        for (effector, target) in scene.effectors.iter_mut().zip(&self.targets) {
            effector.target = *target;
        }
        scene
    }

    /// Present targets, in the order of the scene's effectors.
    pub fn targets(&self) -> &[Target] {
        &self.targets
    }

    /// The solver's answer of the last tick.
    pub fn solved(&self) -> &Pose {
        &self.solved
    }

    /// What is shown: on its way from an earlier pose to the solved one.
    pub fn displayed(&self) -> &Pose {
        &self.displayed
    }

    /// Shape of the path that the selected target runs along, if it does.
    pub fn target_path(&self) -> Option<PathShape> {
        self.paths.get(self.selected)?.as_ref().map(TargetPath::shape)
    }

    /// Index of the selected effector (0 when there is none).
    pub fn selected(&self) -> usize {
        self.selected
    }

    /// Whether time stands still: by itself, or because a lesson is open.
    pub fn paused(&self) -> bool {
        self.paused || self.lesson.is_some()
    }

    /// Session seconds per real second.
    pub fn speed(&self) -> f64 {
        self.speed
    }

    /// Session time, seconds.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Seconds that the passes of the last working tick took.
    pub fn solve_seconds(&self) -> f64 {
        self.solve_seconds
    }

    /// What the solver last said about the island of this effector; none before the first tick.
    pub fn report(&self, effector: usize) -> Option<Report> {
        self.islands.get(self.island_of(effector)).and_then(|island| island.report)
    }

    /// How many goals pull at the figure of this effector now.
    pub fn goals_at(&self, effector: usize) -> usize {
        let goals = self.islands.get(self.island_of(effector)).map(|island| &island.problem.goals);
        goals.map_or(0, |goals| goals.iter().filter(|goal| goal.is_active()).count())
    }

    /// The report of the island that is worst off.
    pub fn worst_report(&self) -> Option<Report> {
        let key = |report: &Report| (report.stop != Stop::Reached, report.error);
        let reports = self.islands.iter().filter_map(|island| island.report);
        reports.max_by(|a, b| key(a).partial_cmp(&key(b)).unwrap_or(std::cmp::Ordering::Equal))
    }

    /// The blend of the selected effector's island: `None` when displayed and solved pose are the same.
    pub fn blend(&self) -> Option<Blend> {
        self.islands.get(self.island_of(self.selected)).and_then(|island| island.blend)
    }
}
