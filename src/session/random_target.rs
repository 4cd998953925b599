//! Random target positions within reach.

use super::session::Session;
use fabrik3d_ik::{Figure, Isometry, Method, Pose, Settings, Solver};
use fabrik3d_scene::Scene;
use glam::DVec3;
use std::num::NonZeroU32;
use std::sync::Arc;

/// Most random positions that are tried.
const MAX_DRAWS: usize = 40;
/// Starting poses for testing whether a position can be reached.
const TRIAL_ATTEMPTS: NonZeroU32 = NonZeroU32::new(4).unwrap();
/// Largest distance from the base of an unlimited chain, as a fraction of its reach.
const MAX_DISTANCE: f64 = 0.95;
/// Largest bend between two links of an unlimited chain at a random target, radians. Without limits, a chain would often fold
/// back through itself.
const MAX_BEND: f64 = 1.2;

impl Session {
    /// A position above the ground that an effector can reach while the others keep their targets. If distant positions
    /// fail, nearer ones are tried. An unlimited chain should reach it without sharp bends and above the ground.
    pub(super) fn random_place(&mut self, effector: usize) -> DVec3 {
        let ground = self.ground_height();
        let mut trial = Trial::new(self, effector);
        let (up, here) = (self.scene.up.axis(), self.tip(effector));
        let (mut place, mut reached) = (here, None);
        for draw in 0..MAX_DRAWS {
            let share = (2.0 - 2.0 * draw as f64 / MAX_DRAWS as f64).min(1.0);
            let drawn = if draw % 2 == 0 { self.place_within_reach(effector) } else { None };
            place = here.lerp(drawn.unwrap_or_else(|| self.place_in_random_pose(effector)), share);
            if place.dot(up) < ground || !trial.reaches(place) {
                continue;
            }
            if trial.is_graceful(up, ground) {
                return place;
            }
            reached.get_or_insert(place);
        }
        reached.unwrap_or(place)
    }

    /// A random position in the ball that an unlimited chain reaches; none for other figures.
    fn place_within_reach(&mut self, effector: usize) -> Option<DVec3> {
        let joints = self.islands.of(effector)?.figure.joints();
        let size = self.scene.effector_size(&self.scene.effectors[effector]);
        let is_chain = self.scene.skeleton.is_simple_chain(joints);
        is_chain.then(|| self.base_position(effector) + self.random.ball() * (MAX_DISTANCE * size))
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

/// A solver for testing positions.
struct Trial {
    scene: Arc<Scene>,
    figure: Figure,
    /// Solves the figure alone.
    solver: Solver,
    start: Pose,
    pose: Pose,
    /// Index of the goal of the tested effector.
    goal: Option<usize>,
    /// Whether the figure is an unlimited chain.
    is_chain: bool,
}

impl Trial {
    fn new(session: &Session, effector: usize) -> Self {
        let (scene, at) = (Arc::clone(&session.scene), session.islands.index_of(effector));
        let figure = session.islands.states[at].figure.clone();
        let problem = session.islands.problem_of(at, &session.poses.home);
        let settings = Settings { method: Method::Accelerated, max_attempts: TRIAL_ATTEMPTS, ..scene.settings };
        Trial {
            solver: Solver::new(Arc::clone(figure.skeleton())).problem(problem).settings(settings),
            start: session.poses.solved.clone(),
            pose: session.poses.solved.clone(),
            is_chain: scene.skeleton.is_simple_chain(figure.joints()),
            goal: figure.goals().iter().position(|&at| at == effector),
            figure,
            scene,
        }
    }

    /// Whether the pose of the last test has no sharp bend and no joint below the ground. Poses of other figures always pass:
    /// their limits are up to their authors.
    fn is_graceful(&self, up: DVec3, ground: f64) -> bool {
        if !self.is_chain {
            return true;
        }
        let frames = self.scene.skeleton.frames(&self.pose);
        let points: Vec<DVec3> = self.figure.joints().iter().map(|&joint| frames[joint].position).collect();
        let links: Vec<DVec3> = points.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let is_bent = |pair: &[DVec3]| pair[0].angle_between(pair[1]) > MAX_BEND;
        !links.windows(2).any(is_bent) && points.iter().all(|point| point.dot(up) >= ground - 1e-9)
    }

    /// Whether the effector reaches this position while the others keep their targets.
    fn reaches(&mut self, place: DVec3) -> bool {
        if let Some(goal) = self.goal {
            self.solver.problem.goals[goal].target.position = Some(place);
        }
        let mut own = self.figure.pose(&self.start);
        let report = self.solver.solve(&mut own);
        self.pose.clone_from(&self.start);
        self.figure.write(&own, &mut self.pose);
        report.stop.is_reached()
    }
}
