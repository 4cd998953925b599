//! What can be read of a session.

use super::command::{MotionMode, PathShape};
use super::island_state::IslandState;
use super::motion::Playback;
use super::numbers::Effort;
use super::path::{TargetPath, ramp};
use super::remark::Remark;
use super::session::{Mode, Session};
use crate::session::numbers::INVISIBLE;
use fabrik3d_ik::display::Blend;
use fabrik3d_ik::queries::{angle_between, at_limits, blocking_joints};
use fabrik3d_ik::{Coordinates, Goal, Isometry, Kind, Pose, Report, Target};
use fabrik3d_scene::VERY_FAR;
use fabrik3d_scene::{EffectorMode, Scene};
use glam::{DQuat, DVec3};

/// Distances from the base at which a target that keys move away slows down and stops, as multiples of the effector's size. A
/// held key would otherwise send it out of sight.
const SLOW: f64 = 1.2;
const FARTHEST: f64 = 1.5;
/// Share of the part that leads farther away in such a way: from the first on, the rest of the way slows down too, and with the
/// second as much. Test: `a_held_key_slows_down_beyond_the_reach_and_stops_in_sight`.
const MOSTLY_OUTWARD: [f64; 2] = [0.3, 0.8];

impl Session {
    /// The scene with all changes by commands except for targets and pose, see [`scene_now`](Self::scene_now).
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The scene for saving: with its present targets and the present pose as its opening pose.
    pub fn scene_now(&self) -> Scene {
        let is_recorded = self.motion().is_some_and(Playback::shows_poses);
        let mut scene = self.scene.starting_at(if is_recorded { &self.poses.displayed } else { &self.poses.solved });
        for (at, effector) in scene.effectors.iter_mut().enumerate() {
            effector.target = self.effectors[at].target;
            // What is held would let the body go where soft pins pull it when the scene opens.
            if !self.is_free(at) && !self.is_driven(at) {
                effector.hold = EffectorMode::Pinned;
            }
        }
        scene
    }

    /// The solver's result.
    pub fn solved(&self) -> &Pose {
        &self.poses.solved
    }

    /// What is drawn: the solved pose, or a pose on the way to it.
    pub fn displayed(&self) -> &Pose {
        &self.poses.displayed
    }

    pub(super) fn effector_frame(&self, pose: &[Coordinates], effector: usize) -> Option<Isometry> {
        let effector = self.scene.effectors.get(effector)?.effector;
        let frame = self.scene.skeleton.frame_of(Isometry::IDENTITY, pose, effector.joint);
        Some(Isometry::new(frame.point(effector.tip), frame.rotation))
    }

    /// Position of an effector in the solved pose; the origin for an unknown effector.
    pub fn tip(&self, effector: usize) -> DVec3 {
        self.effector_frame(&self.poses.solved, effector).unwrap_or(Isometry::IDENTITY).position
    }

    /// Position of an effector in the displayed pose; the origin for an unknown effector.
    pub fn displayed_tip(&self, effector: usize) -> DVec3 {
        self.tool_frame(effector).unwrap_or(Isometry::IDENTITY).position
    }

    /// Frame of an effector in the displayed pose: its position and the rotation of its joint.
    pub fn tool_frame(&self, effector: usize) -> Option<Isometry> {
        self.effector_frame(&self.poses.displayed, effector)
    }

    /// Rotation of the selected effector's joint in the solved pose; identity if there is no effector.
    pub fn selected_rotation(&self) -> DQuat {
        self.selected()
            .and_then(|at| self.effector_frame(&self.poses.solved, at))
            .unwrap_or(Isometry::IDENTITY)
            .rotation
    }

    /// The length that keys and fields measure their steps by: the size of the selected effector; 1 if there is none.
    pub fn step_size(&self) -> f64 {
        self.selected().map_or(1.0, |at| self.scene.effector_size(&self.scene.effectors[at]))
    }

    /// A way of the selected target as keys go it: beyond 1.2 sizes of the effector from its base the part that leads farther
    /// away slows down, and at 1.5 sizes it ends. A way that leads mostly there ends as a whole: nobody asked for the rest.
    pub fn way_by_keys(&self, shift: DVec3) -> DVec3 {
        let Some(at) = self.selected() else { return shift };
        let Some(place) = self.target(at).place() else { return shift };
        let from_base = place - self.base_position(at);
        let size = self.step_size();
        let distance = from_base.length() / size;
        let outward = from_base.normalize_or_zero() * shift.dot(from_base.normalize_or_zero()).max(0.0);
        let brake = ramp((distance - SLOW).max(0.0), FARTHEST - SLOW);
        let [low, high] = MOSTLY_OUTWARD;
        let is_outward = ramp((outward.length() / shift.length().max(f64::MIN_POSITIVE) - low).max(0.0), high - low);
        let after = from_base + shift - (outward + (shift - outward) * is_outward) * brake;
        let most = size * distance.max(FARTHEST);
        after.clamp_length_max(most) - from_base
    }

    /// Whether the target of an effector is farther than the links can stretch, in any orientation: from its base, or from
    /// another effector that is on its target.
    pub fn is_too_far(&self, effector: usize) -> bool {
        let own = &self.scene.effectors[effector].effector;
        let Some(place) = self.effectors[effector].target.position else { return false };
        let is_beyond = |other: usize| {
            let most = self.scene.largest_distance([own, &self.scene.effectors[other].effector]);
            !self.is_off_target(other) && most.is_some_and(|most| place.distance(self.tip(other)) > most)
        };
        self.scene.is_out_of_reach(own, place, &self.poses.solved)
            || self.other_goals(effector).into_iter().any(is_beyond)
    }

    /// Whether an effector misses its target by so much that this is probably in another unit.
    pub fn is_very_far(&self, effector: usize) -> bool {
        let size = self.scene.effector_size(&self.scene.effectors[effector]);
        self.residual(effector).is_some_and(|gap| gap > VERY_FAR * size)
    }

    /// Whether the pose is another one than a recording shows at its present time, because somebody has changed it.
    pub fn is_edited(&self) -> bool {
        let paused = self.motion().filter(|motion| motion.mode == MotionMode::Show && !motion.playing);
        let recorded = paused.and_then(|motion| motion.pose_at(&self.scene.skeleton, motion.time));
        recorded.is_some_and(|recorded| recorded != self.poses.solved)
    }

    /// The joints whose limits keep the figure of an effector from its targets, in ascending order.
    pub fn blocking_joints(&self, effector: usize) -> Vec<usize> {
        let at = self.islands.index_of(effector);
        let figure = &self.islands.states[at].figure;
        let (problem, pose) = (self.islands.problem_of(at, &self.poses.home), figure.pose(&self.poses.solved));
        let blocking = blocking_joints(figure.skeleton(), &problem, &pose).into_iter();
        blocking.map(|joint| figure.number(joint)).collect()
    }

    /// The joints that are at a limit in a pose, in ascending order.
    pub fn joints_at_limits(&self, pose: &Pose) -> Vec<usize> {
        let mut joints: Vec<usize> =
            at_limits(&self.scene.skeleton, pose, INVISIBLE).into_iter().map(|limit| limit.joint).collect();
        joints.dedup();
        joints
    }

    /// The target of an effector.
    pub fn target(&self, effector: usize) -> Target {
        self.effectors[effector].target
    }

    /// What the solver should reach with an effector: nothing if it is free, and the orientation of a foot that stands too.
    pub fn required_target(&self, effector: usize) -> Target {
        self.effectors[effector].required()
    }

    /// Where the target of an effector is shown. That of a free effector moves with the displayed pose.
    pub fn shown_target(&self, effector: usize) -> Option<DVec3> {
        let place = self.target(effector).place()?;
        Some(if self.is_free(effector) { self.displayed_tip(effector) } else { place })
    }

    /// The targets of all effectors, in the order of the scene.
    pub fn targets(&self) -> impl ExactSizeIterator<Item = &Target> + Clone {
        self.effectors.iter().map(|effector| &effector.target)
    }

    /// Distance of an effector from the nearest position that its goal accepts, if it asks for one, in the solved pose.
    pub fn residual(&self, effector: usize) -> Option<f64> {
        let (goal, frame) = self.goal(effector)?;
        Some(goal.nearest_position(frame)?.distance(frame.point(goal.effector.tip)))
    }

    /// Angle of an effector to the nearest orientation that its goal accepts, if it asks for one, in the solved pose, radians.
    pub fn turn_residual(&self, effector: usize) -> Option<f64> {
        let (goal, frame) = self.goal(effector)?;
        Some(angle_between(goal.nearest_rotation(frame)?, frame.rotation))
    }

    /// Whether an effector is farther from its target, or turned farther away from it, than the tolerances allow.
    pub fn is_off_target(&self, effector: usize) -> bool {
        self.is_off_target_in(&self.poses.solved, effector)
    }

    /// The same in another pose.
    pub(super) fn is_off_target_in(&self, pose: &[Coordinates], effector: usize) -> bool {
        let Some((goal, frame)) = self.goal_in(pose, effector) else { return false };
        let size = self.scene.effectors.get(effector).map_or(1.0, |effector| self.scene.effector_size(effector));
        let settings = &self.scene.settings;
        let gap = goal.nearest_position(frame).map(|place| place.distance(frame.point(goal.effector.tip)));
        let angle = goal.nearest_rotation(frame).map(|rotation| angle_between(rotation, frame.rotation));
        gap.is_some_and(|gap| gap > settings.tolerance * size)
            || angle.is_some_and(|angle| angle > settings.rotation_tolerance)
    }

    /// What the solver is asked for at an effector, and the frame of its joint in the solved pose.
    fn goal(&self, effector: usize) -> Option<(&Goal, Isometry)> {
        self.goal_in(&self.poses.solved, effector)
    }

    fn goal_in(&self, pose: &[Coordinates], effector: usize) -> Option<(&Goal, Isometry)> {
        let problem = self.islands.problem();
        let goal = problem.goals.get(effector)?;
        Some((goal, self.scene.skeleton.frame_of(problem.base, pose, goal.effector.joint)))
    }

    /// Shape of the path along which the selected target moves.
    pub fn target_path(&self) -> Option<PathShape> {
        self.effectors[self.selected()?].path.as_ref().and_then(TargetPath::shape)
    }

    /// Index of the selected effector, which exists; none only in a scene without effectors.
    pub fn selected(&self) -> Option<usize> {
        Some(self.selection.effector).filter(|&at| at < self.effectors.len())
    }

    /// The figure of the selected effector.
    pub(super) fn selected_island(&self) -> Option<&IslandState> {
        self.islands.of(self.selected()?)
    }

    /// Whether all targets move together.
    pub fn all_selected(&self) -> bool {
        self.selection.all
    }

    /// Index of the selected joint.
    pub fn selected_joint(&self) -> Option<usize> {
        self.selection.joint
    }

    /// Whether time stands still, because of the clock or of an open lesson.
    pub fn paused(&self) -> bool {
        self.clock.paused || matches!(self.mode, Mode::Lesson(_))
    }

    /// Session seconds per real second.
    pub fn speed(&self) -> f64 {
        self.clock.speed
    }

    /// Session time, seconds.
    pub fn time(&self) -> f64 {
        self.clock.time
    }

    /// Seconds that the solver took in its last frame.
    pub fn solve_seconds(&self) -> f64 {
        self.clock.solve_seconds
    }

    /// The last report on the island of this effector; none before the first tick.
    pub fn report(&self, effector: usize) -> Option<Report> {
        self.islands.of(effector)?.report
    }

    /// What the solver has done on the island of this effector since its targets last moved.
    pub fn effort(&self, effector: usize) -> Effort {
        self.islands.of(effector).map(|island| island.effort).unwrap_or_default()
    }

    /// The other effectors that ask for something on the island of this one, without an end of a foot that comes along with it.
    pub fn other_goals(&self, effector: usize) -> Vec<usize> {
        let goals = self.islands.of(effector).map_or(&[][..], |island| island.figure.goals());
        let is_active = |at: usize| self.islands.problem().goals[at].is_active();
        let others = goals.iter().copied().filter(|&at| at != effector && is_active(at));
        others.filter(|&at| !self.comes_along(at)).collect()
    }

    /// The other effectors on the island of this one whose targets are only preferred, and not met.
    pub fn missed_preferences(&self, effector: usize) -> Vec<usize> {
        let goals = self.islands.of(effector).map_or(&[][..], |island| island.figure.goals());
        let is_preferred = |at: usize| self.islands.problem().goals[at].is_preferred();
        let others = goals.iter().copied().filter(|&at| at != effector && is_preferred(at));
        others.filter(|&at| !self.comes_along(at) && self.is_off_target(at)).collect()
    }

    /// How far the center of mass of a person is beside what it stands on, in the solved pose; none if nobody sees it.
    pub fn imbalance(&self) -> Option<f64> {
        let (skeleton, problem) = (&self.scene.skeleton, self.islands.problem());
        // The panel asks in each frame, and most scenes have no body.
        if problem.centers_of_mass.is_empty() {
            return None;
        }
        let imbalance = problem.imbalance(&skeleton.frames_at(problem.base, &self.poses.solved))?;
        Some(imbalance).filter(|imbalance| *imbalance > INVISIBLE * skeleton.extent())
    }

    /// Whether a joint carries nothing but what floats. A figure may be far away from such a root, which is no part of it.
    pub fn is_anchor(&self, joint: usize) -> bool {
        let (skeleton, carried) = (&self.scene.skeleton, self.scene.skeleton.children(joint));
        !carried.is_empty() && carried.iter().all(|&below| *skeleton.kind(below) == Kind::Free)
    }

    /// The newest ease of the selected effector's island; none if the displayed pose is the solved one.
    pub fn blend(&self) -> Option<Blend> {
        self.selected_island()?.eases.newest()
    }

    /// What the last command reports.
    pub fn remark(&self) -> Option<&Remark> {
        self.remark.as_ref()
    }
}
