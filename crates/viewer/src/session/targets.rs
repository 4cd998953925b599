//! Moves targets: continuously, in jumps, along paths, to random places within reach, and by turning them.

use super::command::{PathShape, RotationCommand};
use super::command_error::CommandError;
use super::frame_budget::Leader;
use super::path::{PathStart, TargetPath};
use super::session::{Gliding, Session};
use fabrik3d_ik::goals::{GoalRank, Orientation};
use fabrik3d_ik::settings::Method;
use fabrik3d_ik::{Isometry, Pose, Settings, Solver, Target};
use glam::{DQuat, DVec3};
use std::num::NonZeroU32;
use std::sync::Arc;

/// Most random positions that are tried.
const MAX_DRAWS: usize = 40;
/// Starting poses for testing whether a position can be reached: those of the first frame after a jump.
const TRIAL_ATTEMPTS: NonZeroU32 = NonZeroU32::new(3).unwrap();
/// Largest distance from the base of an unlimited chain, as a fraction of its reach.
const MAX_DISTANCE: f64 = 0.95;
/// Largest bend between two links of an unlimited chain at a random target, radians. Without limits, a chain would often fold
/// back through itself.
const MAX_BEND: f64 = 1.2;

impl Session {
    /// Moves a target continuously: the pose follows without a blend.
    pub(super) fn glide_to(&mut self, effector: usize, place: DVec3, leader: Leader) {
        self.stiffen_feet(self.islands.index_of(effector));
        let before = self.target_frame(effector);
        self.effectors[effector].move_to(place);
        self.take_foot_along(effector, before);
        self.draw_foot(effector);
        self.follow_target(effector, leader);
    }

    pub(super) fn move_targets(&mut self, shift: DVec3) -> Result<(), CommandError> {
        let place = |at: usize| (at, self.target_position(at) + shift);
        let places: Vec<_> = self.chosen_effectors()?.into_iter().map(place).collect();
        check_finite(&places)?;
        self.save_before(Gliding::Target(self.selected_effector()?));
        self.take_from_other_motions(&places);
        places.into_iter().for_each(|(at, place)| self.glide_to(at, place, Leader::Pointer));
        Ok(())
    }

    /// Sets a target that moves continuously; without an orientation it keeps its own.
    pub(super) fn glide_target(
        &mut self,
        at: usize,
        place: DVec3,
        rotation: Option<DQuat>,
    ) -> Result<(), CommandError> {
        let places = [(at, place)];
        check_finite(&places)?;
        let rotation = rotation.map(DQuat::normalize);
        if rotation.is_some_and(|rotation| !rotation.is_finite()) {
            return Err(CommandError::NotFinite);
        }
        self.save_before(Gliding::Target(at));
        self.take_from_other_motions(&places);
        let target = &mut self.effectors[at].target;
        if let Some(rotation) = rotation {
            target.orientation = Some(Orientation::Rotation(rotation));
        }
        self.glide_to(at, place, Leader::Pointer);
        Ok(())
    }

    /// Sets targets. The display eases from its present pose to the new solution.
    pub(super) fn jump_to(&mut self, places: &[(usize, DVec3)]) -> Result<(), CommandError> {
        check_finite(places)?;
        self.save();
        self.take_from_other_motions(places);
        for &(at, place) in places {
            self.stiffen_feet(self.islands.index_of(at));
            let before = self.target_frame(at);
            self.effectors[at].move_to(place);
            self.take_foot_along(at, before);
            self.draw_foot(at);
            let island = self.follow_target(at, Leader::Smooth);
            self.start_ease(island);
            self.islands.states[island].forget(&mut self.poses);
        }
        Ok(())
    }

    /// Marks the effectors as dragged: no path and no recording moves their targets from now on.
    fn take_from_other_motions(&mut self, places: &[(usize, DVec3)]) {
        let chosen: Vec<usize> = places.iter().map(|(at, _)| *at).collect();
        for &at in &chosen {
            self.effectors[at].path = None;
            self.detach_from_recording(at);
        }
        self.drag(&chosen);
    }

    /// Sets the chosen targets to their presets with this number, from 1. Targets with fewer presets stay.
    pub(super) fn jump_to_presets(&mut self, number: usize) -> Result<(), CommandError> {
        let preset = |at: usize| {
            let presets = &self.scene.effectors[at].presets;
            Some((at, *number.checked_sub(1).and_then(|index| presets.get(index))?))
        };
        let places: Vec<_> = self.chosen_effectors()?.into_iter().filter_map(preset).collect();
        if places.is_empty() {
            let effector = &self.scene.effectors[self.selected_effector()?];
            return Err(CommandError::NoPreset(effector.name.clone(), effector.presets.len(), number));
        }
        self.jump_to(&places)
    }

    /// Moves the chosen targets along a path that starts at their present positions, or stops them.
    pub(super) fn follow_path(&mut self, shape: Option<PathShape>) -> Result<(), CommandError> {
        let chosen = self.chosen_effectors()?;
        self.save();
        if shape.is_some() {
            chosen.iter().for_each(|&at| self.detach_from_recording(at));
        }
        self.drag(&chosen);
        let (up, ramp) = (self.scene.up.axis(), self.scene.smoothing.keys);
        for at in chosen {
            let size = self.scene.effector_size(&self.scene.effectors[at]);
            let place = PathStart { start: self.target_position(at), base: self.base_position(at), up, size, ramp };
            let former = self.effectors[at].path.take();
            if shape.is_some() || former.is_some() {
                self.effectors[at].path = Some(TargetPath::new(shape, former.as_ref(), place));
            }
        }
        Ok(())
    }

    /// Changes the target orientation of the selected effector, or what it looks at. Turns glide, other changes jump.
    pub(super) fn apply_rotation(&mut self, command: RotationCommand) -> Result<(), CommandError> {
        let at = self.selected_effector()?;
        let before = self.effectors[at].target;
        // An effector that no longer looks at a point keeps its place.
        let position = before.position.or(before.look_at().map(|_| self.tip(at)));
        let oriented = |rotation: Option<DQuat>| Target { position, orientation: rotation.map(Orientation::Rotation) };
        let target = match command {
            RotationCommand::Turn(degrees) => {
                let turn = DQuat::from_scaled_axis(degrees * 1.0_f64.to_radians());
                oriented(Some((turn * before.rotation().unwrap_or(self.selected_rotation())).normalize()))
            }
            RotationCommand::Set(rotation) => oriented(Some(rotation.normalize())),
            RotationCommand::Clear | RotationCommand::LookAt(None) => oriented(None),
            RotationCommand::LookAt(Some(point)) => Target::from(Orientation::LookAt(point)),
            RotationCommand::Toggle => oriented(before.rotation().is_none().then(|| self.selected_rotation())),
        };
        let is_finite = target.rotation().is_none_or(DQuat::is_finite) && target.look_at().is_none_or(DVec3::is_finite);
        if !is_finite {
            return Err(CommandError::NotFinite);
        }
        let glides = matches!(command, RotationCommand::Turn(_));
        match command {
            RotationCommand::Turn(_) => self.save_before(Gliding::Target(at)),
            RotationCommand::LookAt(_) => {
                self.save_before(Gliding::Axis(at));
                self.history.gliding = None;
            }
            _ => self.save(),
        }
        self.pause_shown_recording();
        if target.orientation.is_some() {
            self.drag(&[at]);
        }
        let frame = self.target_frame(at);
        self.effectors[at].target = target;
        // Toes turn in a joint of their own.
        if before.rotation().is_some() && target.rotation().is_some() && self.is_ankle(at) {
            self.take_foot_along(at, frame);
        }
        let island = self.follow_target(at, Leader::Pointer);
        if !glides {
            self.start_ease(island);
            self.islands.states[island].forget(&mut self.poses);
        }
        Ok(())
    }

    /// Solves the island of an effector again after its target has moved. Returns the island.
    fn follow_target(&mut self, effector: usize, leader: Leader) -> usize {
        let at = self.islands.index_of(effector);
        self.islands.states[at].glide(leader, &self.scene.skeleton, &self.poses);
        self.update_goal(effector);
        at
    }

    /// The place of a target; without one, that of the effector.
    pub(super) fn target_position(&self, effector: usize) -> DVec3 {
        self.effectors[effector].target.place().unwrap_or(self.tip(effector))
    }

    /// Positions above the ground that the chosen effectors can reach together while the others keep their targets.
    pub(super) fn random_places(&mut self) -> Result<Vec<(usize, DVec3)>, CommandError> {
        let mut places: Vec<(usize, DVec3)> = Vec::new();
        for at in self.chosen_effectors()? {
            let place = self.random_place(at, &places);
            let place = place.ok_or_else(|| CommandError::NothingInReach(self.scene.effectors[at].name.clone()))?;
            places.push((at, place));
        }
        Ok(places)
    }

    /// A position above the ground that an effector can reach while these others are at their places, and the rest keep their
    /// targets; a solve inside the limits has found it. If distant positions fail, nearer ones are tried. An unlimited chain
    /// should reach it without sharp bends and above the ground.
    pub(super) fn random_place(&mut self, effector: usize, others: &[(usize, DVec3)]) -> Option<DVec3> {
        let island = self.islands.index_of(effector);
        let figure = self.islands.states[island].figure.clone();
        let skeleton = Arc::clone(figure.skeleton());
        let is_chain = self.scene.skeleton.is_simple_chain(figure.joints());
        let settings = Settings { method: Method::Accelerated, max_attempts: TRIAL_ATTEMPTS, ..self.scene.settings };
        let problem = self.islands.problem_of(island, &self.poses.home);
        let base = problem.base;
        // Solves the figure alone, as after a jump: stiff joints from their home.
        let mut solver = Solver::new(Arc::clone(&skeleton)).problem(problem).settings(settings);
        let is_stiff = skeleton.joints().iter().any(|joint| joint.stiffness > 0.0);
        let start = figure.pose(if is_stiff { &self.poses.home } else { &self.poses.solved });
        let put = |solver: &mut Solver, at: usize, place: DVec3| {
            for (goal, _) in solver.problem.goals.iter_mut().zip(figure.goals()).filter(|(_, own)| **own == at) {
                // What is moved gives way to what is pinned.
                goal.target.position = Some(place);
                if goal.rank == GoalRank::Firm {
                    goal.rank = GoalRank::Wanted;
                }
            }
        };
        others.iter().for_each(|&(at, place)| put(&mut solver, at, place));
        let (ground, up, here) = (self.ground_height(), self.scene.up.axis(), self.tip(effector));
        // What is missed anyway, such as a target out of reach, may be missed on.
        let misses = figure.goals().iter().any(|&at| at != effector && self.is_off_target(at));
        let mut reached = None;
        for draw in 0..MAX_DRAWS {
            let share = (2.0 - 2.0 * draw as f64 / MAX_DRAWS as f64).min(1.0);
            let drawn = if is_chain && draw % 2 == 0 {
                self.place_in_ball(effector)
            } else {
                self.place_in_random_pose(effector)
            };
            let place = here.lerp(drawn, share);
            if place.dot(up) < ground {
                continue;
            }
            put(&mut solver, effector, place);
            let mut pose = start.clone();
            let report = solver.solve(&mut pose);
            let is_met = report.stop.is_reached() || misses && self.misses_no_more(island, (effector, place), &pose);
            if !is_met {
                continue;
            }
            // The limits of other figures are up to their authors.
            if !is_chain || is_graceful(&skeleton.frames_at(base, &pose), up, ground) {
                return Some(place);
            }
            reached.get_or_insert(place);
        }
        reached
    }

    /// Whether a pose of a figure has this effector at this place, and no other one misses its target that meets it now.
    fn misses_no_more(&self, island: usize, (effector, place): (usize, DVec3), pose: &Pose) -> bool {
        let figure = &self.islands.states[island].figure;
        let mut whole = self.poses.solved.clone();
        figure.write(pose, &mut whole);
        figure.goals().iter().all(|&at| match at == effector {
            true => {
                let size = self.scene.effector_size(&self.scene.effectors[at]);
                let tip = self.effector_frame(&whole, at).unwrap_or(Isometry::IDENTITY).position;
                tip.distance(place) <= self.scene.settings.tolerance * size
            }
            false => self.is_off_target(at) || !self.is_off_target_in(&whole, at),
        })
    }

    /// A random position in the ball that an unlimited chain reaches.
    fn place_in_ball(&mut self, effector: usize) -> DVec3 {
        let size = self.scene.effector_size(&self.scene.effectors[effector]);
        self.base_position(effector) + self.random.ball() * (MAX_DISTANCE * size)
    }

    /// The position of an effector in a random pose of its joints.
    fn place_in_random_pose(&mut self, effector: usize) -> DVec3 {
        let skeleton = &self.scene.skeleton;
        let (random, mut pose) = (skeleton.random_pose(&mut self.random), self.poses.solved.clone());
        let own = self.scene.effectors[effector].effector;
        own.chain_joints(skeleton).for_each(|joint| pose[joint] = random[joint]);
        skeleton.follow(&mut pose);
        skeleton.frame_of(Isometry::IDENTITY, &pose, own.joint).point(own.tip)
    }

    /// Height of the lowest joint, target or preset of the scene.
    fn ground_height(&self) -> f64 {
        let up = self.scene.up.axis();
        let frames = self.scene.skeleton.frames(&self.scene.start);
        let effectors = self.scene.effectors.iter();
        let places = effectors.flat_map(|effector| effector.presets.iter().copied().chain(effector.target.position));
        let heights = frames.iter().map(|frame| frame.position).chain(places).map(|place| place.dot(up));
        heights.fold(f64::INFINITY, f64::min)
    }
}

fn check_finite(places: &[(usize, DVec3)]) -> Result<(), CommandError> {
    if places.iter().all(|(_, place)| place.is_finite()) { Ok(()) } else { Err(CommandError::NotFinite) }
}

/// Whether an unlimited chain with these frames has no sharp bend and no joint below the ground.
fn is_graceful(frames: &[Isometry], up: DVec3, ground: f64) -> bool {
    let links: Vec<DVec3> = frames.windows(2).map(|pair| pair[1].position - pair[0].position).collect();
    let is_bent = |pair: &[DVec3]| pair[0].angle_between(pair[1]) > MAX_BEND;
    !links.windows(2).any(is_bent) && frames.iter().all(|frame| frame.position.dot(up) >= ground - 1e-9)
}
