//! Targets on the move: what glides, what jumps, and what that means for the display.

use super::{CommandError, PathShape, Session, TargetPath};
use fabrik3d_ik::{IslandSolver, Isometry, Method, Pose, Problem, Settings};
use fabrik3d_scene::Scene;
use glam::DVec3;
use std::num::NonZeroU32;
use std::sync::Arc;

/// Random places that are drawn, at most, for one that can be reached.
const DRAWS: usize = 40;
/// Attempts that show whether a place can be reached.
const FEW: NonZeroU32 = NonZeroU32::new(4).unwrap();

impl Session {
    /// The effectors that a change of the target is for: the selected one, or all.
    pub(super) fn chosen(&self) -> Result<Vec<usize>, CommandError> {
        let selected = self.selected_effector()?;
        Ok(if self.all { (0..self.targets.len()).collect() } else { vec![selected] })
    }

    /// Whether all effectors are moved with the selected one.
    pub fn all_selected(&self) -> bool {
        self.all
    }

    pub(super) fn glide_to(&mut self, effector: usize, place: DVec3) {
        self.targets[effector].position = Some(place);
        self.wake(effector);
    }

    /// Glides the chosen targets.
    pub(super) fn move_targets(&mut self, shift: DVec3) -> Result<(), CommandError> {
        let place = |at: usize| (at, self.targets[at].position.unwrap_or(self.tip(at)) + shift);
        let places: Vec<_> = self.chosen()?.into_iter().map(place).collect();
        check(&places)?;
        if self.history.begins_glide(self.selected) {
            self.history.glide(self.selected, self.snapshot());
        }
        self.take(&places);
        places.into_iter().for_each(|(at, place)| self.glide_to(at, place));
        Ok(())
    }

    /// Targets jump: the display eases from where it is now to the new solution.
    pub(super) fn jump_to(&mut self, places: &[(usize, DVec3)]) -> Result<(), CommandError> {
        check(places)?;
        self.history.push(self.snapshot());
        self.take(places);
        for &(at, place) in places {
            self.targets[at].position = Some(place);
            let island = self.wake(at);
            self.start_blend(island);
        }
        Ok(())
    }

    /// What is moved by hand is moved by nothing else.
    fn take(&mut self, places: &[(usize, DVec3)]) {
        let chosen: Vec<usize> = places.iter().map(|(at, _)| *at).collect();
        for &at in &chosen {
            self.paths[at] = None;
            self.take_over(at);
        }
        self.take_hold(&chosen);
    }

    /// The chosen targets jump to their presets of this number, from 1; of several, those that have so many.
    pub(super) fn jump_to_presets(&mut self, number: usize) -> Result<(), CommandError> {
        let preset = |at: usize| {
            let presets = &self.scene.effectors[at].presets;
            Some((at, *number.checked_sub(1).and_then(|index| presets.get(index))?))
        };
        let places: Vec<_> = self.chosen()?.into_iter().filter_map(preset).collect();
        if places.is_empty() {
            let effector = &self.scene.effectors[self.selected];
            let (effector, count) = (effector.name.clone(), effector.presets.len());
            return Err(CommandError::NoPreset { effector, number, count });
        }
        self.jump_to(&places)
    }

    /// The chosen targets run along a curve from where they are, or no longer do.
    pub(super) fn run_along(&mut self, path: Option<PathShape>) -> Result<(), CommandError> {
        let chosen = self.chosen()?;
        self.history.push(self.snapshot());
        if path.is_some() {
            chosen.iter().for_each(|&at| self.take_over(at));
        }
        self.take_hold(&chosen);
        for at in chosen {
            let start = self.targets[at].position.unwrap_or(self.tip(at));
            let reach = self.scene.reach(&self.scene.effectors[at]);
            let (up, base) = (self.scene.up.axis(), self.base_of(at));
            self.paths[at] = path.map(|shape| TargetPath::new(shape, up, base, start, reach));
        }
        Ok(())
    }

    /// A place above the ground that an effector gets to while the others keep what they hold. When far ones fail, nearer
    /// ones are tried.
    pub(super) fn random_place(&mut self, effector: usize) -> DVec3 {
        let ground = self.ground();
        let mut trial = Trial::of(self, effector);
        let (up, here) = (self.scene.up.axis(), self.tip(effector));
        let mut place = here;
        for draw in 0..DRAWS {
            let nearer = (2.0 - 2.0 * draw as f64 / DRAWS as f64).min(1.0);
            let drawn = if draw % 2 == 0 { self.place_in_reach(effector) } else { None };
            place = here.lerp(drawn.unwrap_or_else(|| self.place_in_some_pose(effector)), nearer);
            if place.dot(up) >= ground && trial.reaches(place) {
                break;
            }
        }
        place
    }

    /// Anywhere in the ball of the reach of a chain without limits.
    fn place_in_reach(&mut self, effector: usize) -> Option<DVec3> {
        let joints = &self.islands[self.island_of(effector)].island.joints;
        let reach = self.scene.reach(&self.scene.effectors[effector]);
        let is_chain = self.scene.skeleton.is_simple_chain(joints);
        is_chain.then(|| self.base_of(effector) + self.random.ball() * (0.95 * reach))
    }

    /// Where the effector is in some pose of its limb.
    fn place_in_some_pose(&mut self, effector: usize) -> DVec3 {
        let skeleton = &self.scene.skeleton;
        let (random, mut pose) = (skeleton.random_pose(&mut self.random), self.solved.clone());
        let own = self.scene.effectors[effector].effector;
        own.chain_joints(skeleton).for_each(|joint| pose[joint] = random[joint]);
        skeleton.follow(&mut pose);
        skeleton.frame_of(Isometry::IDENTITY, &pose, own.joint).point(own.tip)
    }

    /// Height of the lowest of the scene's joints, targets and presets.
    fn ground(&self) -> f64 {
        let up = self.scene.up.axis();
        let frames = self.scene.skeleton.frames(&self.scene.start);
        let effectors = self.scene.effectors.iter();
        let marks = effectors.flat_map(|effector| effector.presets.iter().copied().chain(effector.target.position));
        let heights = frames.iter().map(|frame| frame.position).chain(marks).map(|place| place.dot(up));
        heights.fold(f64::INFINITY, f64::min)
    }

    pub(super) fn wake(&mut self, effector: usize) -> usize {
        let at = self.island_of(effector);
        self.ask(effector);
        self.islands[at].glide();
        at
    }

    pub(super) fn start_blend(&mut self, island: usize) {
        self.islands[island].jump(self.scene.smoothing, &mut self.from, &self.displayed);
    }

    pub(super) fn selected_effector(&self) -> Result<usize, CommandError> {
        if self.scene.effectors.is_empty() { Err(CommandError::NoEffector) } else { Ok(self.selected) }
    }

    pub(super) fn find_effector(&self, name: &str) -> Result<usize, CommandError> {
        let effectors = &self.scene.effectors;
        effectors.iter().position(|effector| effector.name == name).ok_or_else(|| CommandError::UnknownEffector {
            name: name.to_owned(),
            known: effectors.iter().map(|effector| effector.name.as_str()).collect::<Vec<_>>().join(", "),
        })
    }

    pub(super) fn island_of(&self, effector: usize) -> usize {
        self.homes.get(effector).copied().unwrap_or(0)
    }

    pub(super) fn base_of(&self, effector: usize) -> DVec3 {
        let root = self.scene.skeleton.root(self.scene.effectors[effector].effector.joint);
        self.scene.skeleton.joints()[root].offset
    }
}

pub(super) fn check(places: &[(usize, DVec3)]) -> Result<(), CommandError> {
    if places.iter().all(|(_, place)| place.is_finite()) { Ok(()) } else { Err(CommandError::NotFinite) }
}

/// The solve of one figure, to try places with.
struct Trial {
    scene: Arc<Scene>,
    workspace: IslandSolver,
    problem: Problem,
    settings: Settings,
    start: Pose,
    pose: Pose,
    /// The goal of the effector that goes there.
    goal: Option<usize>,
}

impl Trial {
    fn of(session: &Session, effector: usize) -> Self {
        let (scene, state) = (Arc::clone(&session.scene), &session.islands[session.island_of(effector)]);
        Trial {
            workspace: IslandSolver::new(&scene.skeleton, &state.problem, &state.island),
            problem: state.problem.clone(),
            settings: Settings { method: Method::Accelerated, max_attempts: FEW, ..scene.settings },
            start: session.solved.clone(),
            pose: session.solved.clone(),
            goal: state.effectors.iter().position(|&at| at == effector),
            scene,
        }
    }

    /// Whether a few attempts take the effector there and leave the others of its figure where they should be.
    fn reaches(&mut self, place: DVec3) -> bool {
        if let Some(goal) = self.goal {
            self.problem.goals[goal].target.position = Some(place);
        }
        self.pose.clone_from(&self.start);
        let skeleton = &self.scene.skeleton;
        self.workspace.solve(skeleton, &self.problem, &self.settings, &mut self.pose).stop.is_reached()
    }
}
