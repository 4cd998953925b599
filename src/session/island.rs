//! One island of a session: what is asked of it, how it stands, and its blend.

use fabrik3d_ik::{
    Blend, ChainGroup, Coordinates, Island, IslandSolver, Problem, Report, Settings, Skeleton, Stop, Target, mix_poses,
    pose_distance as leap_of,
};
use fabrik3d_scene::Scene;
use glam::DVec3;
use std::f64::consts::PI;
use std::num::NonZeroU32;

/// State of one island between frames.
#[derive(Clone, Debug)]
pub(super) struct IslandState {
    pub island: Island,
    /// Effectors on it, indices into the scene's.
    pub effectors: Vec<usize>,
    /// Goals of those effectors only, with their present targets.
    pub problem: Problem,
    /// Made when it is first needed: what a crowd solves never needs one.
    workspace: Option<IslandSolver>,
    pub report: Option<Report>,
    /// Error that the last frame's passes left, if they worked for the same targets.
    left: Option<f64>,
    pub blend: Option<Blend>,
    /// Whether solving again would change nothing.
    pub settled: bool,
    motion: Motion,
    /// Largest of its reaches.
    reach: f64,
    /// How far the solved pose went when it was last solved, and that is not displayed yet.
    leap: f64,
    /// How far a target has gone since the last solve, as a share of the reach.
    travel: f64,
}

/// What its targets have done since it was solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Motion {
    /// They were put elsewhere: whatever pose is best will do.
    Jump,
    /// They went on a little: the pose follows.
    Glide,
    /// They have come to rest after a glide.
    Rest,
}

impl IslandState {
    /// The islands of a scene, nothing solved yet.
    pub fn all(scene: &Scene) -> Vec<IslandState> {
        let ties = scene.loops.iter().map(|(a, b)| (a.joint, b.joint));
        let islands = scene.skeleton.islands(ties);
        let mut place = vec![0; scene.skeleton.len()];
        for (at, island) in islands.iter().enumerate() {
            island.joints.iter().for_each(|&joint| place[joint] = at);
        }
        let whole = scene.problem();
        let mut states: Vec<IslandState> = islands
            .into_iter()
            .map(|island| IslandState {
                workspace: None,
                island,
                effectors: Vec::new(),
                problem: Problem { goals: Vec::new(), loops: Vec::new(), poles: Vec::new(), ..whole.clone() },
                report: None,
                left: None,
                blend: None,
                settled: false,
                motion: Motion::Jump,
                reach: 1.0,
                leap: 0.0,
                travel: 0.0,
            })
            .collect();
        for (at, goal) in whole.goals.iter().enumerate() {
            let state = &mut states[place[goal.effector.joint]];
            state.effectors.push(at);
            state.problem.goals.push(*goal);
            state.reach =
                if state.effectors.len() == 1 { 0.0 } else { state.reach }.max(goal.effector.reach(&scene.skeleton));
        }
        for pair in &whole.loops {
            states[place[pair.0.joint]].problem.loops.push(*pair);
        }
        for hint in &whole.poles {
            states[place[hint.joint]].problem.poles.push(*hint);
        }
        states
    }

    /// Takes over weights and targets (of all effectors of the scene) of those that do not ride along.
    pub fn ask(&mut self, scene: &Scene, targets: &[Target], rides: &[bool]) {
        for (goal, &effector) in self.problem.goals.iter_mut().zip(&self.effectors) {
            let asked = if rides[effector] { Target::default() } else { targets[effector] };
            if let (Some(now), Some(was)) = (asked.position, goal.target.position) {
                self.travel = self.travel.max(now.distance(was) / self.reach);
            }
            let weights = &scene.effectors[effector];
            (goal.target, goal.weight, goal.rotation_weight) = (asked, weights.weight, weights.rotation_weight);
        }
    }

    /// The targets have glided: it is to be solved again, from where it is.
    pub fn glide(&mut self) {
        self.motion = Motion::Glide;
        self.wake();
    }

    /// The pose already has its effectors on their targets: there is nothing to solve.
    pub fn rest(&mut self) {
        self.glide();
        // What the recording did is no reason for the pose to leap once it is followed.
        (self.settled, self.report, self.travel) = (true, None, 0.0);
    }

    /// The same, and it is known that all targets are met.
    pub fn stand(&mut self) {
        self.rest();
        let met = Report { stop: Stop::Reached, error: 0.0, iterations: 0, refine_steps: 0, attempts: 0 };
        (self.report, self.blend) = (Some(met), None);
    }

    /// Is shown as it was solved: nothing is eased.
    pub fn appear(&mut self) {
        (self.blend, self.leap, self.travel) = (None, 0.0, 0.0);
    }

    /// Asks to be solved again, whatever came of it before.
    pub fn wake(&mut self) {
        self.settled = false;
        self.left = None;
    }

    /// The targets have jumped: the display eases for `seconds` from where it is to the new solution.
    pub fn jump(&mut self, seconds: f64, from: &mut [Coordinates], displayed: &[Coordinates]) {
        self.motion = Motion::Jump;
        self.ease(seconds, from, displayed);
    }

    /// Whether a target has glided since the last jump, and the pose with it.
    pub fn has_followed(&self) -> bool {
        self.motion != Motion::Jump
    }

    fn ease(&mut self, seconds: f64, from: &mut [Coordinates], displayed: &[Coordinates]) {
        self.blend = (seconds > 0.0).then(|| Blend::new(seconds));
        self.island.joints.iter().for_each(|&i| from[i] = displayed[i]);
    }

    /// The display eases after what would be a leap of this size from where it is.
    fn ease_leap(&mut self, leap: f64, scene: &Scene, from: &mut [Coordinates], displayed: &[Coordinates]) {
        let share = (leap / PI).clamp(LEAST_EASE, MOST_EASE);
        self.ease(scene.smoothing * share, from, displayed);
    }

    /// One frame's passes; `last` is room for a pose.
    pub fn solve(&mut self, scene: &Scene, pose: &mut [Coordinates], last: &mut [Coordinates]) {
        let (skeleton, problem, joints) = (&scene.skeleton, &self.problem, &self.island.joints);
        let workspace = self.workspace.get_or_insert_with(|| IslandSolver::new(skeleton, problem, &self.island));
        joints.iter().for_each(|&i| last[i] = pose[i]);
        let report = match self.motion {
            Motion::Jump => workspace.solve(skeleton, problem, &frame_settings(scene, None), pose),
            Motion::Glide => workspace.track(skeleton, problem, &frame_settings(scene, Some(GLIDE_ATTEMPTS)), pose),
            Motion::Rest => workspace.solve(skeleton, problem, &frame_settings(scene, Some(REST_ATTEMPTS)), pose),
        };
        let leap = leap_of(skeleton, joints, last, pose, self.reach);
        // A chain that the passes carry from frame to frame never leaves its branch; and who follows a target that dashes
        // does not leap.
        let travel = std::mem::take(&mut self.travel);
        let follows = workspace.is_chain()
            || leap <= PACE * travel
            || leap <= SWIFT && sweep(skeleton, joints, last, pose) <= ALONG * travel * self.reach;
        self.leap = if follows { 0.0 } else { leap };
        self.take(report);
        if self.motion == Motion::Glide {
            // Poles pull on from frame to frame; what does not reach its targets looks around once they rest.
            let reached = report.stop.is_reached();
            self.settled = reached && leap < STILL;
            self.motion = if reached { Motion::Glide } else { Motion::Rest };
        }
    }

    /// Where a chain's end should go, if that is all that is asked of it.
    fn end_target(&self) -> Option<DVec3> {
        let mut goals = self.problem.goals.iter().filter(|goal| goal.is_active());
        let (goal, None) = (goals.next()?, goals.next()) else { return None };
        let is_end = Some(&goal.effector.joint) == self.island.joints.last()
            && goal.effector.tip == self.problem.goals[0].effector.tip;
        goal.target.position.filter(|_| is_end && goal.requested_rotation().is_none())
    }

    /// Takes the outcome of one frame's passes.
    fn take(&mut self, report: Report) {
        let unfinished = report.stop == Stop::IterationLimit;
        let stuck = unfinished && self.left.is_some_and(|left| left <= report.error);
        self.settled = !unfinished || stuck;
        self.left = Some(report.error);
        // More passes would not help: that is no longer work in progress.
        self.report = Some(if stuck { Report { stop: Stop::Stalled, ..report } } else { report });
    }

    /// Moves its blend on by `dt` seconds and writes the displayed coordinates of its joints. Where the solved pose has
    /// leapt while its targets glided, the display eases after it. `last` is room for a pose.
    pub fn display(
        &mut self,
        scene: &Scene,
        dt: f64,
        from: &mut [Coordinates],
        solved: &[Coordinates],
        displayed: &mut [Coordinates],
        last: &mut [Coordinates],
    ) {
        let before = self.blend.map_or(0.0, Blend::weight);
        self.blend = self.blend.and_then(|blend| blend.after(dt));
        let leap = std::mem::take(&mut self.leap);
        if leap * self.blend.map_or(1.0, Blend::weight) > LEAP {
            self.ease_leap(leap, scene, from, displayed);
            self.blend = self.blend.and_then(|blend| blend.after(dt));
        }
        let skeleton = &scene.skeleton;
        match self.blend {
            Some(blend) => {
                // A joint whose way comes to half a turn has its shorter way on the other side from one frame to the next.
                let whole = leap_of(skeleton, &self.island.joints, from, solved, self.reach).max(PI);
                self.island.joints.iter().for_each(|&i| last[i] = displayed[i]);
                mix_poses(skeleton, &self.island.joints, from, solved, blend.weight(), displayed);
                let step = leap_of(skeleton, &self.island.joints, last, displayed, self.reach);
                if step > LEAP + whole * (blend.weight() - before).max(0.0) {
                    self.ease_leap(step, scene, from, last);
                    self.island.joints.iter().for_each(|&i| displayed[i] = last[i]);
                }
                // Between two closed poses the mixed one gapes a little.
                if let Some(workspace) = self.workspace.as_mut().filter(|_| !self.problem.loops.is_empty()) {
                    workspace.close_loops(skeleton, &self.problem, displayed);
                }
            }
            None => self.island.joints.iter().for_each(|&i| displayed[i] = solved[i]),
        }
    }
}

/// Most starting poses tried in a frame for a target that glides: the next frame brings other ones.
const GLIDE_ATTEMPTS: NonZeroU32 = NonZeroU32::new(3).unwrap();
/// The same where it has come to rest: a target left beyond the limits must not make the picture stutter.
const REST_ATTEMPTS: NonZeroU32 = NonZeroU32::new(8).unwrap();
/// The farthest that a joint may be seen to go in one frame, radians; what goes farther is eased.
const LEAP: f64 = 0.28;
/// How long that takes as a share of a jump's time: as much as it is of half a turn, within these bounds.
const LEAST_EASE: f64 = 0.3;
const MOST_EASE: f64 = 2.0;
/// Radians that a joint turns for a target that goes as far as the reach, and still follows it.
const PACE: f64 = 8.0;
/// What turns farther in a frame than may be seen, but no more than this, radians, follows as well where no joint's place
/// goes farther than so many times the way of the target: a foot that lands.
const SWIFT: f64 = 0.6;
const ALONG: f64 = 2.0;
/// A pose that moves less in a frame has come to rest.
const STILL: f64 = 1e-5;

/// The farthest that one of the joints' places is from where it was.
fn sweep(skeleton: &Skeleton, joints: &[usize], from: &[Coordinates], to: &[Coordinates]) -> f64 {
    let (before, now) = (skeleton.frames(from), skeleton.frames(to));
    joints.iter().map(|&i| before[i].position.distance(now[i].position)).fold(0.0, f64::max)
}

/// The scene's settings, with as many passes as one frame runs, and no more attempts than `attempts`.
fn frame_settings(scene: &Scene, attempts: Option<NonZeroU32>) -> Settings {
    let most = scene.settings.max_attempts;
    Settings {
        max_iterations: scene.iterations_per_frame,
        max_attempts: attempts.map_or(most, |attempts| attempts.min(most)),
        ..scene.settings
    }
}

/// The crowds among the islands of a scene.
pub(super) fn crowds(scene: &Scene, islands: &[IslandState]) -> Vec<ChainGroup> {
    ChainGroup::gather(&scene.skeleton, islands.iter().map(|state| (&state.island, &state.problem)))
}

/// One frame's passes on all islands of a crowd.
pub(super) fn solve_crowd(
    crowd: &mut ChainGroup,
    scene: &Scene,
    islands: &mut [IslandState],
    pose: &mut [Coordinates],
) {
    let targets: Vec<_> = islands.iter().map(IslandState::end_target).collect();
    crowd.solve(
        &scene.skeleton,
        &frame_settings(scene, Some(GLIDE_ATTEMPTS)),
        pose,
        |at| targets[at],
        |at, report| islands[at].take(report),
    );
}
