//! One island of a scene: its goals, its result and its blend.

use super::effector_state::EffectorState;
use super::poses::Poses;
use fabrik3d_ik::{
    Blend, Coordinates, Island, IslandSolver, Problem, Report, Settings, Skeleton, Stop, mix_poses, pose_distance,
};
use fabrik3d_scene::Scene;
use glam::DVec3;
use std::f64::consts::PI;
use std::num::NonZeroU32;

/// Starting poses per frame for a target that moves continuously. The next frame tries others.
pub(super) const GLIDE_ATTEMPTS: NonZeroU32 = NonZeroU32::new(3).unwrap();
/// Starting poses per frame for a target at rest. A target outside the limits must not lower the frame rate.
const REST_ATTEMPTS: NonZeroU32 = NonZeroU32::new(8).unwrap();
/// Largest motion of a joint between two frames that is shown without easing, radians.
const MAX_VISIBLE_STEP: f64 = 0.28;
/// Bounds of the time for easing a step of the pose, as a fraction of the smoothing time. A step of half a turn takes
/// the whole smoothing time.
const STEP_EASE_RANGE: [f64; 2] = [0.3, 2.0];
/// A joint follows its target if it turns by at most this angle for a target motion of one reach, radians.
const MAX_TURN_PER_REACH: f64 = 8.0;
/// A faster turn up to this angle also counts as following, radians, if the joints do not travel too far...
const MAX_FAST_TURN: f64 = 0.6;
/// ... which means at most this multiple of the target's way. This is the case for a foot that touches down.
const MAX_TRAVEL_RATIO: f64 = 2.0;
/// A pose whose joints move less than this in a frame is at rest, radians.
const AT_REST: f64 = 1e-5;

/// State of one island between frames.
#[derive(Clone, Debug)]
pub(super) struct IslandState {
    pub island: Island,
    /// Its effectors, as indices into those of the scene.
    pub effectors: Vec<usize>,
    /// The goals of these effectors with their present targets.
    pub problem: Problem,
    /// Created on first use. Chains of a lane group never need one.
    solver: Option<IslandSolver>,
    pub report: Option<Report>,
    /// Error after the last frame, if the targets are still the same.
    last_error: Option<f64>,
    pub blend: Option<Blend>,
    /// Whether solving again would change nothing.
    pub settled: bool,
    target_motion: TargetMotion,
    /// Largest reach of its effectors.
    reach: f64,
    /// Distance of the solved pose from the previous one, if the display has to ease it.
    pending_step: f64,
    /// How far a target has moved since the last solve, as a fraction of the reach.
    target_travel: f64,
}

/// How the targets of an island have moved since the last solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TargetMotion {
    /// They jumped: the best pose wins, wherever it is.
    Jump,
    /// They moved continuously: the pose follows.
    Glide,
    /// They rest after a continuous motion.
    Rest,
}

impl IslandState {
    /// The islands of a scene, not solved yet.
    pub fn all(scene: &Scene) -> Vec<IslandState> {
        let ties = scene.loops.iter().map(|(a, b)| (a.joint, b.joint));
        let islands = scene.skeleton.islands(ties);
        let mut island_of = vec![0; scene.skeleton.len()];
        for (at, island) in islands.iter().enumerate() {
            island.joints.iter().for_each(|&joint| island_of[joint] = at);
        }
        let whole = scene.problem();
        let empty = Problem { goals: Vec::new(), loops: Vec::new(), poles: Vec::new(), ..whole.clone() };
        let mut states: Vec<IslandState> =
            islands.into_iter().map(|island| IslandState::new(island, empty.clone())).collect();
        for (at, goal) in whole.goals.iter().enumerate() {
            let state = &mut states[island_of[goal.effector.joint]];
            let others = if state.effectors.is_empty() { 0.0 } else { state.reach };
            let effectors = whole.goals.iter().map(|goal| &goal.effector);
            state.reach = others.max(goal.effector.error_scale(&scene.skeleton, effectors));
            state.effectors.push(at);
            state.problem.goals.push(*goal);
        }
        for pair in &whole.loops {
            states[island_of[pair.0.joint]].problem.loops.push(*pair);
        }
        for pole in &whole.poles {
            states[island_of[pole.joint]].problem.poles.push(*pole);
        }
        states
    }

    fn new(island: Island, problem: Problem) -> Self {
        IslandState {
            island,
            effectors: Vec::new(),
            problem,
            solver: None,
            report: None,
            last_error: None,
            blend: None,
            settled: false,
            target_motion: TargetMotion::Jump,
            reach: 1.0,
            pending_step: 0.0,
            target_travel: 0.0,
        }
    }

    /// Sets the goals from the weights and targets of all effectors of the scene.
    pub fn set_goals(&mut self, scene: &Scene, effectors: &[EffectorState]) {
        for (goal, &effector) in self.problem.goals.iter_mut().zip(&self.effectors) {
            let target = effectors[effector].required();
            if let (Some(now), Some(before)) = (target.position, goal.target.position) {
                self.target_travel = self.target_travel.max(now.distance(before) / self.reach);
            }
            let described = &scene.effectors[effector];
            (goal.target, goal.weight, goal.rotation_weight) = (target, described.weight, described.rotation_weight);
        }
    }

    /// The targets have moved continuously: solves again from the present pose.
    pub fn glide(&mut self) {
        self.target_motion = TargetMotion::Glide;
        self.wake();
    }

    /// The pose already meets the targets: there is nothing to solve.
    pub fn settle(&mut self) {
        self.glide();
        // Motion of the recording must not count as target motion when the solver takes over.
        (self.settled, self.report, self.target_travel) = (true, None, 0.0);
    }

    /// As [`settle`](Self::settle), with a report that says that all targets are reached.
    pub fn settle_reached(&mut self) {
        self.settle();
        let reached = Report { stop: Stop::Reached, error: 0.0, iterations: 0, refine_steps: 0, attempts: 0 };
        (self.report, self.blend) = (Some(reached), None);
    }

    /// Shows the solved pose without easing.
    pub fn show_at_once(&mut self) {
        (self.blend, self.pending_step, self.target_travel) = (None, 0.0, 0.0);
    }

    /// Solves again in the next frame, whatever the last result was.
    pub fn wake(&mut self) {
        self.settled = false;
        self.last_error = None;
    }

    /// The targets have jumped: the display eases from its present pose to the new solution in `seconds`.
    pub fn jump(&mut self, seconds: f64, poses: &mut Poses) {
        self.target_motion = TargetMotion::Jump;
        let Poses { blend_start, displayed, .. } = poses;
        self.ease(seconds, blend_start, displayed);
    }

    /// Whether a target has moved continuously since its last jump, and the pose with it.
    pub fn follows_targets(&self) -> bool {
        self.target_motion != TargetMotion::Jump
    }

    fn ease(&mut self, seconds: f64, blend_start: &mut [Coordinates], displayed: &[Coordinates]) {
        self.blend = (seconds > 0.0).then(|| Blend::new(seconds));
        self.island.joints.iter().for_each(|&joint| blend_start[joint] = displayed[joint]);
    }

    /// Eases a step of the pose, starting at `from`.
    fn ease_step(&mut self, step: f64, scene: &Scene, blend_start: &mut [Coordinates], from: &[Coordinates]) {
        let [low, high] = STEP_EASE_RANGE;
        self.ease(scene.smoothing * (step / PI).clamp(low, high), blend_start, from);
    }

    /// Runs the iterations of one frame.
    pub fn solve(&mut self, scene: &Scene, poses: &mut Poses) {
        let (skeleton, problem, joints) = (&scene.skeleton, &self.problem, &self.island.joints);
        let Poses { solved, previous, .. } = poses;
        let solver = self.solver.get_or_insert_with(|| IslandSolver::new(skeleton, problem, &self.island));
        joints.iter().for_each(|&joint| previous[joint] = solved[joint]);
        let settings = |attempts| frame_settings(scene, attempts);
        let report = match self.target_motion {
            TargetMotion::Jump => solver.solve(skeleton, problem, &settings(None), solved),
            TargetMotion::Glide => solver.track(skeleton, problem, &settings(Some(GLIDE_ATTEMPTS)), solved),
            TargetMotion::Rest => solver.solve(skeleton, problem, &settings(Some(REST_ATTEMPTS)), solved),
        };
        let step = pose_distance(skeleton, joints, previous, solved, self.reach);
        // Reaching passes never take a chain to another branch of solutions, and a pose that follows a fast target does
        // not jump either.
        let travel = std::mem::take(&mut self.target_travel);
        let follows = solver.is_chain()
            || step <= MAX_TURN_PER_REACH * travel
            || step <= MAX_FAST_TURN
                && largest_travel(skeleton, joints, previous, solved) <= MAX_TRAVEL_RATIO * travel * self.reach;
        self.pending_step = if follows { 0.0 } else { step };
        self.finish_frame(report);
        if self.target_motion == TargetMotion::Glide {
            // Poles still change the pose after the targets are reached. A pose that misses its targets searches more
            // widely as soon as they rest.
            let reached = report.stop.is_reached();
            self.settled = reached && step < AT_REST;
            self.target_motion = if reached { TargetMotion::Glide } else { TargetMotion::Rest };
        }
    }

    /// The target of a chain's end effector, if that is the only goal.
    pub fn end_target(&self) -> Option<DVec3> {
        let mut goals = self.problem.goals.iter().filter(|goal| goal.is_active());
        let (goal, None) = (goals.next()?, goals.next()) else { return None };
        let is_end = Some(&goal.effector.joint) == self.island.joints.last()
            && goal.effector.tip == self.problem.goals[0].effector.tip;
        goal.target.position.filter(|_| is_end && goal.requested_rotation().is_none())
    }

    /// Takes the report of one frame.
    pub fn finish_frame(&mut self, report: Report) {
        let unfinished = report.stop == Stop::IterationLimit;
        let stalled = unfinished && self.last_error.is_some_and(|error| error <= report.error);
        self.settled = !unfinished || stalled;
        self.last_error = Some(report.error);
        // More iterations would not help, so the solve is no longer in progress.
        self.report = Some(if stalled { Report { stop: Stop::Stalled, ..report } } else { report });
    }

    /// Advances the blend by `dt` seconds and sets the displayed pose. A solved pose that has jumped although its targets
    /// moved continuously is eased.
    pub fn display(&mut self, scene: &Scene, dt: f64, poses: &mut Poses) {
        let weight_before = self.blend.map_or(0.0, Blend::weight);
        self.blend = self.blend.and_then(|blend| blend.after(dt));
        let step = std::mem::take(&mut self.pending_step);
        if step * self.blend.map_or(1.0, Blend::weight) > MAX_VISIBLE_STEP {
            self.ease_step(step, scene, &mut poses.blend_start, &poses.displayed);
            self.blend = self.blend.and_then(|blend| blend.after(dt));
        }
        let Some(blend) = self.blend else { return poses.display_solved(&self.island.joints) };
        let skeleton = &scene.skeleton;
        let Poses { solved, displayed, blend_start, previous } = poses;
        // Near half a turn, the shorter way of a joint may change sides from one frame to the next.
        let whole = pose_distance(skeleton, &self.island.joints, blend_start, solved, self.reach).max(PI);
        self.island.joints.iter().for_each(|&joint| previous[joint] = displayed[joint]);
        mix_poses(skeleton, &self.island.joints, blend_start, solved, blend.weight(), displayed);
        let step = pose_distance(skeleton, &self.island.joints, previous, displayed, self.reach);
        if step > MAX_VISIBLE_STEP + whole * (blend.weight() - weight_before).max(0.0) {
            self.ease_step(step, scene, blend_start, previous);
            self.island.joints.iter().for_each(|&joint| displayed[joint] = previous[joint]);
        }
        // A mix of two poses with closed loops has small gaps.
        if let Some(solver) = self.solver.as_mut().filter(|_| !self.problem.loops.is_empty()) {
            solver.close_loops(skeleton, &self.problem, displayed);
        }
    }
}

/// Largest distance that a joint of the island travels between two poses.
fn largest_travel(skeleton: &Skeleton, joints: &[usize], from: &[Coordinates], to: &[Coordinates]) -> f64 {
    let (before, after) = (skeleton.frames(from), skeleton.frames(to));
    joints.iter().map(|&joint| before[joint].position.distance(after[joint].position)).fold(0.0, f64::max)
}

/// The settings of the scene with the iterations of one frame and at most `attempts` starting poses.
pub(super) fn frame_settings(scene: &Scene, attempts: Option<NonZeroU32>) -> Settings {
    let most = scene.settings.max_attempts;
    Settings {
        max_iterations: scene.iterations_per_frame,
        max_attempts: attempts.map_or(most, |attempts| attempts.min(most)),
        ..scene.settings
    }
}
