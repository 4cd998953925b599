//! The islands of a scene: parts that are solved independently.

use super::effector_state::EffectorState;
use super::frame_budget::{FRAME_ATTEMPTS, frame_settings};
use super::island_state::{IslandState, Leader};
use super::poses::Poses;
use super::shared::Shared;
use fabrik3d_ik::ChainGroup;
use fabrik3d_scene::Scene;
use std::time::Instant;

/// The islands of a scene.
#[derive(Debug)]
pub(super) struct Islands {
    pub states: Vec<IslandState>,
    pub shared: Shared,
    /// The island of each effector.
    of_effector: Vec<usize>,
    /// Equal chains, which are solved together.
    lane_groups: Vec<ChainGroup>,
}

impl Islands {
    /// The islands of a scene, not solved yet.
    pub fn new(scene: &Scene) -> Self {
        let (states, shared) = IslandState::all(scene);
        let mut of_effector = vec![0; scene.effectors.len()];
        for (at, state) in states.iter().enumerate() {
            state.effectors.iter().for_each(|&effector| of_effector[effector] = at);
        }
        // The lanes keep clear of nothing.
        let islands = states.iter().filter(|_| shared.is_open_space()).map(|state| (&state.island, &state.problem));
        let lane_groups = ChainGroup::gather(&scene.skeleton, islands);
        Islands { states, shared, of_effector, lane_groups }
    }

    /// Index of the island of an effector; 0 for an unknown effector.
    pub fn index_of(&self, effector: usize) -> usize {
        self.of_effector.get(effector).copied().unwrap_or(0)
    }

    /// The island of an effector; none if the scene has none.
    pub fn of(&self, effector: usize) -> Option<&IslandState> {
        self.states.get(self.index_of(effector))
    }

    /// Sets the goals of all islands, as after continuous moves of all targets.
    pub fn refresh(&mut self, scene: &Scene, effectors: &[EffectorState], poses: &Poses) {
        for island in &mut self.states {
            island.set_goals(scene, effectors);
            island.glide(Leader::Smooth, &scene.skeleton, poses);
        }
    }

    /// Solves all islands again in the next frame.
    pub fn wake(&mut self) {
        self.states.iter_mut().for_each(IslandState::wake);
    }

    /// Leaves all islands as they are until they are woken.
    pub fn rest(&mut self) {
        self.states.iter_mut().for_each(|island| island.settled = true);
    }

    /// Advances the eases of all islands by `dt` seconds and sets the displayed pose.
    pub fn display(&mut self, scene: &Scene, effectors: &[EffectorState], dt: f64, poses: &mut Poses) {
        for island in &mut self.states {
            island.display(scene, effectors, dt, poses, &mut self.shared);
        }
    }

    /// Runs the iterations of one frame on every island that is not settled. Returns the seconds that this took; none if
    /// all are settled.
    pub fn solve(&mut self, scene: &Scene, poses: &mut Poses) -> Option<f64> {
        if self.states.iter().all(|island| island.settled) {
            return None;
        }
        let start = Instant::now();
        let Islands { states, shared, lane_groups, .. } = self;
        if ChainGroup::supports(&scene.settings) {
            for group in lane_groups {
                if group.islands().any(|at| !states[at].settled) {
                    solve_group(group, scene, states, poses);
                }
            }
        }
        let interrupt = scene.settings.interrupt;
        for island in states.iter_mut().filter(|island| !island.settled).take_while(|_| !interrupt.is_requested()) {
            island.solve(scene, poses, shared);
        }
        Some(start.elapsed().as_secs_f64())
    }
}

/// Runs the iterations of one frame on a group of equal chains.
fn solve_group(group: &mut ChainGroup, scene: &Scene, islands: &mut [IslandState], poses: &mut Poses) {
    let targets: Vec<_> = islands.iter().map(IslandState::end_target).collect();
    group.solve(
        &scene.skeleton,
        &frame_settings(scene, 0, FRAME_ATTEMPTS),
        &mut poses.solved,
        |at| targets[at],
        |at, report| islands[at].finish_frame(report),
    );
}
