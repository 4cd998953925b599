//! One island of a session: what is asked of it, how it stands, and its blend.

use crate::ik::{Blend, Coordinates, Island, Problem, Report, Settings, Skeleton, Solver, Stop, Target, mix_poses};
use crate::scene::Scene;

/// State of one island between frames.
#[derive(Clone, Debug)]
pub(super) struct IslandState {
    pub island: Island,
    /// Effectors on it, indices into the scene's.
    pub effectors: Vec<usize>,
    /// Goals of those effectors only, with their present targets.
    problem: Problem,
    pub report: Option<Report>,
    pub blend: Option<Blend>,
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
                island,
                effectors: Vec::new(),
                problem: Problem { goals: Vec::new(), loops: Vec::new(), hints: Vec::new(), ..whole.clone() },
                report: None,
                blend: None,
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
        self.settled = false;
    }

    /// One frame's passes.
    pub fn solve(&mut self, scene: &Scene, pose: &mut [Coordinates]) {
        let settings = Settings { max_iterations: scene.iterations_per_frame, ..scene.settings };
        let solver = Solver::new(&scene.skeleton).problem(self.problem.clone()).settings(settings);
        let report = solver.solve_island(&self.island, pose);
        let stuck = self.report.is_some_and(|before| before.error <= report.error);
        self.settled = report.stop != Stop::IterationLimit || stuck;
        self.report = Some(report);
    }

    /// Writes the displayed coordinates of the island's joints.
    pub fn display(
        &self,
        skeleton: &Skeleton,
        from: &[Coordinates],
        solved: &[Coordinates],
        displayed: &mut [Coordinates],
    ) {
        match self.blend {
            Some(blend) => mix_poses(skeleton, &self.island.joints, from, solved, blend.weight(), displayed),
            None => self.island.joints.iter().for_each(|&i| displayed[i] = solved[i]),
        }
    }
}
