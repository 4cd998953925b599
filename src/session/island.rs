//! One island of a session: what is asked of it, how it stands, and its blend.

use crate::ik::{
    Blend, Coordinates, Crowd, Island, Problem, Report, Settings, Skeleton, Stop, Target, Workspace, mix_poses,
};
use crate::scene::Scene;
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
    workspace: Option<Workspace>,
    pub report: Option<Report>,
    /// Error that the last frame's passes left, if they worked for the same targets.
    left: Option<f64>,
    pub blend: Option<Blend>,
    /// Whether a target has glided since the last jump, and the pose with it.
    pub followed: bool,
    /// Whether solving again would change nothing.
    pub settled: bool,
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
                problem: Problem { goals: Vec::new(), loops: Vec::new(), hints: Vec::new(), ..whole.clone() },
                report: None,
                left: None,
                blend: None,
                followed: false,
                settled: false,
            })
            .collect();
        for (at, goal) in whole.goals.iter().enumerate() {
            let state = &mut states[place[goal.effector.joint]];
            state.effectors.push(at);
            state.problem.goals.push(*goal);
        }
        for pair in &whole.loops {
            states[place[pair.0.joint]].problem.loops.push(*pair);
        }
        for hint in &whole.hints {
            states[place[hint.joint]].problem.hints.push(*hint);
        }
        states
    }

    /// Takes over the targets (of all effectors of the scene) and asks to be solved again.
    pub fn refresh(&mut self, targets: &[Target]) {
        for (goal, &effector) in self.problem.goals.iter_mut().zip(&self.effectors) {
            goal.target = targets[effector];
        }
        self.wake();
    }

    /// Asks to be solved again, whatever came of it before.
    pub fn wake(&mut self) {
        self.settled = false;
        self.left = None;
    }

    /// One frame's passes.
    pub fn solve(&mut self, scene: &Scene, pose: &mut [Coordinates]) {
        let settings = frame_settings(scene, self.blend);
        let (skeleton, problem) = (&scene.skeleton, &self.problem);
        let workspace = self.workspace.get_or_insert_with(|| Workspace::new(skeleton, problem, &self.island));
        let report = workspace.solve(skeleton, problem, &settings, pose);
        self.take(report);
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

    /// Writes the displayed coordinates of the island's joints.
    pub fn display(
        &mut self,
        skeleton: &Skeleton,
        from: &[Coordinates],
        solved: &[Coordinates],
        displayed: &mut [Coordinates],
    ) {
        match self.blend {
            Some(blend) => {
                mix_poses(skeleton, &self.island.joints, from, solved, blend.weight(), displayed);
                // Between two closed poses the mixed one gapes a little.
                if let Some(workspace) = self.workspace.as_mut().filter(|_| !self.problem.loops.is_empty()) {
                    workspace.close_loops(skeleton, &self.problem, displayed);
                }
            }
            None => self.island.joints.iter().for_each(|&i| displayed[i] = solved[i]),
        }
    }
}

/// Most starting poses tried for a target that glides: the next frame brings another chance, and a target beyond the
/// limits must not make the picture stutter.
const GLIDE_ATTEMPTS: NonZeroU32 = NonZeroU32::new(8).unwrap();

/// The scene's settings, with as many passes as one frame runs. After a jump, while the display is on its way, all
/// attempts are worth their time.
fn frame_settings(scene: &Scene, blend: Option<Blend>) -> Settings {
    let attempts = scene.settings.max_attempts;
    Settings {
        max_iterations: scene.iterations_per_frame,
        max_attempts: if blend.is_some() { attempts } else { attempts.min(GLIDE_ATTEMPTS) },
        ..scene.settings
    }
}

/// The crowds among the islands of a scene.
pub(super) fn crowds(scene: &Scene, islands: &[IslandState]) -> Vec<Crowd> {
    Crowd::gather(&scene.skeleton, islands.iter().map(|state| (&state.island, &state.problem)))
}

/// One frame's passes on all islands of a crowd.
pub(super) fn solve_crowd(crowd: &mut Crowd, scene: &Scene, islands: &mut [IslandState], pose: &mut [Coordinates]) {
    let targets: Vec<_> =
        islands.iter().map(|state| state.problem.goals.first().and_then(|goal| goal.target.position)).collect();
    crowd.solve(
        &scene.skeleton,
        &frame_settings(scene, None),
        pose,
        |at| targets[at],
        |at, report| islands[at].take(report),
    );
}
