//! The figures of a scene: parts that are solved independently.

use super::effector_state::EffectorState;
use super::frame_budget::{FrameBudget, Leader, Tick};
use super::island_state::IslandState;
use super::poses::Poses;
use fabrik3d_ik::figures::{Figure, split};
use fabrik3d_ik::{Pose, Problem, Report, Skeleton, Solver};
use fabrik3d_scene::{EffectorMode, Foot, Scene};
use glam::DVec3;
use std::sync::Arc;

/// The ankle of a foot that is down is at most this far above one that stands, as a fraction of the figure's extent.
/// No test. Recorded people stand with one ankle higher than the other one.
const STEP: f64 = 0.03;

#[derive(Clone, Debug)]
pub(super) struct Islands {
    pub states: Vec<IslandState>,
    /// Has the problem of the scene, with one goal per effector and their present targets.
    solver: Solver,
    /// The figure of each effector.
    of_effector: Vec<usize>,
    /// For each center of mass, how far it is beside its support when the scene opens.
    leans: Vec<DVec3>,
    pub feet: Vec<Foot>,
    /// The figure that is solved first in the next frame: one for which the last frame had no time.
    next: usize,
}

impl Islands {
    pub fn new(scene: &Scene) -> Self {
        let mut solver = Solver::new(Arc::clone(&scene.skeleton)).problem(scene.problem());
        let figures = figures_of(&mut solver, &scene.skeleton);
        let state = |figure| IslandState::new(&scene.skeleton, &solver.problem, figure);
        let states: Vec<IslandState> = figures.into_iter().map(state).collect();
        let mut of_effector = vec![0; scene.effectors.len()];
        for (at, state) in states.iter().enumerate() {
            state.figure.goals().iter().for_each(|&effector| of_effector[effector] = at);
        }
        let leans = solver.problem.centers_of_mass.iter().map(|body| scene.opening_lean(body)).collect();
        Islands { states, solver, of_effector, leans, feet: scene.feet(), next: 0 }
    }

    /// Index of the figure of an effector; 0 for an unknown effector.
    pub fn index_of(&self, effector: usize) -> usize {
        self.of_effector.get(effector).copied().unwrap_or(0)
    }

    /// The figure of an effector; none if the scene has none.
    pub fn of(&self, effector: usize) -> Option<&IslandState> {
        self.states.get(self.index_of(effector))
    }

    pub fn problem(&self) -> &Problem {
        &self.solver.problem
    }

    /// The problem of a figure in the numbers of its joints, with the pose that it returns to.
    pub fn problem_of(&self, at: usize, home: &Pose) -> Problem {
        let figure = &self.states[at].figure;
        Problem { home: figure.pose(home), ..figure.problem(&self.solver.problem) }
    }

    /// Sets the goals of a figure from the weights and targets of its effectors.
    pub fn set_goals(&mut self, at: usize, scene: &Scene, effectors: &[EffectorState]) {
        for &effector in self.states[at].figure.goals() {
            let (goal, described) = (&mut self.solver.problem.goals[effector], &scene.effectors[effector]);
            (goal.target, goal.freedom) = (effectors[effector].required(), described.freedom);
            (goal.weight, goal.rotation_weight) = (described.weight, described.rotation_weight);
            goal.rank = effectors[effector].rank(described);
        }
        self.set_support(at, scene, effectors);
    }

    /// A figure with masses stands on its pinned effectors and on feet that are moved along the ground, but not if it moves as
    /// recorded: a runner is not above its feet.
    fn set_support(&mut self, at: usize, scene: &Scene, effectors: &[EffectorState]) {
        let Islands { states, solver, of_effector, leans, feet, .. } = self;
        let IslandState { figure, leader, .. } = &states[at];
        let is_led = *leader == Leader::Recording;
        let held = |effector: usize| {
            let state = &effectors[effector];
            let is_pinned = scene.effectors[effector].hold == EffectorMode::Pinned && !state.free;
            let carries = || is_pinned && (!state.yields || is_down(effector, feet, scene, effectors));
            state.target.position.filter(|_| !is_led && of_effector[effector] == at && carries())
        };
        let bodies = solver.problem.centers_of_mass.iter_mut().zip(leans);
        for (body, lean) in bodies.filter(|(body, _)| figure.has(body.masses[0].joint)) {
            scene.set_support(body, *lean, held);
        }
    }

    /// Sets the goals of all figures, as after continuous moves of all targets.
    pub fn refresh(&mut self, scene: &Scene, effectors: &[EffectorState], poses: &Poses) {
        for at in 0..self.states.len() {
            self.set_goals(at, scene, effectors);
            self.states[at].glide(Leader::Smooth, &scene.skeleton, poses);
        }
    }

    /// Takes over a skeleton with the same joints, but other offsets or another stiffness.
    pub fn set_skeleton(&mut self, skeleton: &Arc<Skeleton>) {
        if !std::ptr::eq(self.solver.skeleton(), &**skeleton) {
            self.solver.set_skeleton(Arc::clone(skeleton));
            let figures = figures_of(&mut self.solver, skeleton);
            self.states.iter_mut().zip(figures).for_each(|(state, figure)| state.figure = figure);
        }
    }

    /// Solves all figures again in the next frame.
    pub fn wake(&mut self) {
        self.states.iter_mut().for_each(IslandState::wake);
    }

    /// Advances the eases of all figures by `dt` seconds and sets the displayed pose.
    pub fn display(&mut self, scene: &Scene, effectors: &[EffectorState], dt: f64, poses: &mut Poses) {
        self.set_skeleton(&scene.skeleton);
        let is_corrected = self.states.iter().any(|island| island.is_corrected());
        let mut figures = if is_corrected { self.solver.figures() } else { None };
        for (at, island) in self.states.iter_mut().enumerate() {
            island.display(at, scene, effectors, dt, poses, figures.as_mut());
        }
    }

    /// Runs the iterations of a frame on all figures that are not settled. After the interrupt, the others have to wait, and
    /// come first in the next frame; the first one takes a step, however late it is. Returns whether there was one.
    pub fn solve(&mut self, scene: &Scene, effectors: &[EffectorState], tick: Tick, poses: &mut Poses) -> bool {
        if self.states.iter().all(|island| island.settled) {
            return false;
        }
        self.set_skeleton(&scene.skeleton);
        if scene.skeleton.joints().iter().any(|joint| joint.stiffness > 0.0) {
            self.solver.problem.home.clone_from(&poses.grabbed);
        }
        let Islands { states, solver, next, .. } = self;
        let Some(mut figures) = solver.figures() else {
            states.iter_mut().for_each(|island| island.finish_frame(Report::REFUSED));
            return true;
        };
        let settled: Vec<bool> = states.iter().map(|island| island.settled).collect();
        let settings = FrameBudget::LANES.settings(scene, tick.interrupt, 0);
        let finish = |at: usize, report| states[at].finish_frame(report);
        figures.solve_chains(&settings, &mut poses.solved, |at| !settled[at], finish);
        let first = std::mem::take(next);
        let mut is_first = true;
        for at in (first..states.len()).chain(0..first) {
            if states[at].settled {
                continue;
            }
            if !is_first && tick.interrupt.is_requested() {
                *next = at;
                break;
            }
            let interrupt = if is_first { tick.interrupt.after_a_step() } else { tick.interrupt };
            states[at].solve(at, scene, effectors, Tick { interrupt, ..tick }, poses, &mut figures);
            is_first = false;
        }
        true
    }
}

/// Whether an effector belongs to a foot that is moved, and that is as low as one that stands.
fn is_down(effector: usize, feet: &[Foot], scene: &Scene, effectors: &[EffectorState]) -> bool {
    let height = |foot: &Foot| Some(effectors[foot.ankle].target.position?.dot(scene.up.axis()));
    let stands = |foot: &&Foot| !effectors[foot.ankle].yields && !effectors[foot.ankle].free;
    let own = feet.iter().find(|foot| foot.has(effector)).and_then(height);
    let ground = feet.iter().filter(stands).filter_map(height).reduce(f64::min);
    own.zip(ground).is_some_and(|(own, ground)| own <= ground + STEP * scene.skeleton.extent())
}

/// The figures of a solver, also of one whose problem is refused.
fn figures_of(solver: &mut Solver, skeleton: &Arc<Skeleton>) -> Vec<Figure> {
    match solver.figures() {
        Some(figures) => (0..figures.len()).map(|at| figures.get(at).clone()).collect(),
        None => split(skeleton, &solver.problem).collect(),
    }
}
