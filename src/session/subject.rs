//! What lessons and races solve, and the pose in which they start.

use super::command_error::CommandError;
use super::island_state::IslandState;
use super::lesson::{LessonStart, PlainChain, Subject};
use super::mode::Mode;
use super::session::Session;
use fabrik3d_ik::{Method, Pose};

impl Session {
    /// The selected effector's island, in the given start pose or else in one that leaves something to solve.
    pub(super) fn subject(&self, start: Option<(Pose, LessonStart)>) -> Result<Subject, CommandError> {
        let at = self.islands.index_of(self.selected_effector()?);
        let island = &self.islands.states[at];
        let (start, origin) = start.unwrap_or_else(|| self.start_pose(island));
        let names = island.figure.goals().iter().map(|&effector| self.scene.effectors[effector].name.clone()).collect();
        let problem = self.islands.problem_of(at, &self.poses.home);
        let chain = PlainChain::of(&island.figure, self.islands.problem(), &problem, &start);
        Ok(Subject { figure: island.figure.clone(), start, origin, problem, names, chain })
    }

    /// The start pose for a lesson on an island: the pose before its target jumped; or the displayed pose, if it is not
    /// solved yet; or else the opening pose of the scene.
    fn start_pose(&self, island: &IslandState) -> (Pose, LessonStart) {
        let same = |a: &Pose, b: &Pose| island.figure.joints().iter().all(|&joint| a[joint] == b[joint]);
        let (before, shown, opening) = (&self.poses.before_jump, &self.poses.displayed, &self.scene.start);
        let leaves_work = |pose: &Pose| !same(pose, opening) && !self.is_reached(island, pose);
        if !island.follows_targets() && leaves_work(before) {
            let origin = if same(before, shown) { LessonStart::Shown } else { LessonStart::BeforeJump };
            return (before.clone(), origin);
        }
        if !island.settled && leaves_work(shown) {
            return (shown.clone(), LessonStart::Shown);
        }
        let origin = if same(shown, opening) { LessonStart::Shown } else { LessonStart::SceneStart };
        (opening.clone(), origin)
    }

    /// Whether all effectors of an island are on their targets in a pose.
    fn is_reached(&self, island: &IslandState, pose: &Pose) -> bool {
        let problem = self.islands.problem();
        island.figure.goals().iter().all(|&effector| {
            let goal = &problem.goals[effector];
            let frame = self.scene.skeleton.frame_of(problem.base, pose, goal.effector.joint);
            let gap = goal.requested_position().map_or(0.0, |target| frame.point(goal.effector.tip).distance(target));
            gap <= self.scene.settings.tolerance * self.scene.effector_size(&self.scene.effectors[effector])
        })
    }

    /// The joints that an open lesson or race draws itself, in ascending order.
    pub fn covered(&self) -> &[usize] {
        match self.mode {
            Mode::Free => &[],
            Mode::Lesson(_) | Mode::Race(_) => {
                self.islands.states[self.islands.index_of(self.selection.effector)].figure.joints()
            }
        }
    }

    /// The method that is chosen: that of lessons while one is open, otherwise that of the scene.
    pub fn chosen_method(&self) -> Method {
        if self.lesson().is_some() { self.lesson_method() } else { self.scene.settings.method }
    }

    /// The method that solves the selected effector's figure. The default method replaces a method for chains that does
    /// not apply.
    pub fn method(&self) -> Method {
        let method = self.chosen_method();
        let is_chain = || self.subject(None).is_ok_and(|subject| subject.chain.is_some());
        if method.is_for_chains_only() && !is_chain() { Method::Accelerated } else { method }
    }

    /// Errors of the selected effector's figure after each iteration, as fractions of the reach: of the open lesson, or of
    /// the solve that a lesson would show; with the start of that solve. None if there is nothing to solve.
    pub fn convergence(&self) -> Option<(LessonStart, Vec<f64>)> {
        let fresh;
        let recording = match self.lesson() {
            Some(lesson) => lesson.recording(),
            None => {
                fresh = self.subject(None).ok()?.record(&self.scene.skeleton, &self.scene.settings)?;
                &fresh
            }
        };
        let mut errors = Vec::new();
        for phase in &recording.phases {
            // The last phase of an iteration counts. A refinement belongs to the last iteration.
            errors.resize((phase.iteration as usize + 1).max(errors.len()), phase.error);
            if let Some(last) = errors.last_mut() {
                *last = phase.error;
            }
        }
        Some((recording.start, errors))
    }
}
