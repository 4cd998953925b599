//! What is pinned stays: no drag, however far out of reach, moves a pinned effector.

use crate::gathered::gathered;
use fabrik3d::session::{Session, SessionCommand};
use fabrik3d_ik::goals::GoalRank;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Settings, Solver, Target};
use fabrik3d_scene::{EffectorMode, Scene};
use glam::DVec3;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

const FPS: f64 = 60.0;
/// Largest distance of a pinned effector from its target, as a fraction of the body's height.
const PINNED: f64 = 1e-3;

/// The project's own bodies, and some of others.
pub fn bodies() -> Vec<(String, Scene)> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/models");
    let own = ["mannequin.glb", "puppet.gltf"].map(|name| own.join(name));
    let others = ["gltf/CesiumMan/CesiumMan.glb", "gltf/Fox/Fox.glb"].into_iter().filter_map(gathered);
    let paths = own.into_iter().chain(others).chain(recorded());
    paths.map(|path| (path.display().to_string(), Scene::open(&path).expect("opens"))).collect()
}

fn recorded() -> Option<PathBuf> {
    let folder = gathered("bvh/cmu")?;
    let files = std::fs::read_dir(folder).expect("a folder").filter_map(|entry| Some(entry.ok()?.path()));
    files.filter(|path| path.extension().is_some_and(|kind| kind == "bvh")).min()
}

/// The height of the body as it stands.
pub fn height(scene: &Scene) -> f64 {
    let frames = scene.skeleton.frames(&scene.start);
    let heights = frames.iter().map(|frame| frame.position.dot(scene.up.axis()));
    let (low, high) = heights.fold((f64::MAX, f64::MIN), |(low, high), at| (low.min(at), high.max(at)));
    high - low
}

/// A place beyond the reach of an effector, about one and a half heights away from it.
fn out_of_reach(random: &mut Random, tip: DVec3, height: f64) -> DVec3 {
    tip + random.direction() * (height * random.range(1.0, 2.0))
}

/// The largest distance of an effector that is pinned and not moved from its place.
fn slip(session: &Session, places: &[DVec3], dragged: usize, pose: &[fabrik3d_ik::Coordinates]) -> (f64, usize) {
    let scene = session.scene();
    let frames = scene.skeleton.frames(pose);
    let held = scene.effectors.iter().enumerate().filter(|&(at, effector)| {
        let side = |name: &str| name.to_lowercase().contains("left");
        let is_foot = |name: &str| name.to_lowercase().contains("foot") || name.to_lowercase().contains("toe");
        let names = [&scene.effectors[dragged].name, &effector.name];
        let same_foot = names.iter().all(|name| is_foot(name)) && side(names[0]) == side(names[1]);
        at != dragged && effector.hold == EffectorMode::Pinned && effector.weight >= 1.0 && !same_foot
    });
    let distance = |(at, effector): (usize, &fabrik3d_scene::SceneEffector)| {
        (frames[effector.effector.joint].point(effector.effector.tip).distance(places[at]), at)
    };
    held.map(distance).fold((0.0, 0), |worst, own| if own.0 > worst.0 { own } else { worst })
}

/// The least distance of an effector from a place that a search from many starts finds with all other goals firm.
fn nearest(scene: &Scene, problem: &fabrik3d_ik::Problem, dragged: usize, seeds: u64) -> f64 {
    let mut least = f64::INFINITY;
    for seed in 0..seeds {
        let settings = Settings { seed, max_attempts: NonZeroU32::new(60).expect("not 0"), ..scene.settings };
        let mut solver = Solver::new(scene.skeleton.clone()).problem(problem.clone()).settings(settings);
        let mut pose = scene.start.clone();
        if seed > 0 {
            let mut random = Random::new(seed);
            pose = scene.skeleton.random_pose(&mut random);
        }
        let _ = solver.solve(&mut pose);
        let frames = scene.skeleton.frames(&pose);
        let tip = |at: usize| {
            let effector = &scene.effectors[at].effector;
            frames[effector.joint].point(effector.tip)
        };
        let place = |at: usize| problem.goals[at].target.position;
        let firm = (0..problem.goals.len()).filter(|&at| problem.goals[at].rank == GoalRank::Firm);
        let slips = firm.filter_map(|at| Some(tip(at).distance(place(at)?))).fold(0.0, f64::max);
        if slips < PINNED * height(scene) {
            least = least.min(tip(dragged).distance(place(dragged).expect("a position")));
        }
    }
    least
}

#[test]
fn pinned_effectors_stay_however_far_another_one_is_dragged() {
    let only = std::env::var("FABRIK3D_PINS_BODY").ok();
    for (name, scene) in bodies() {
        if only.as_ref().is_some_and(|only| !name.contains(only.as_str())) {
            continue;
        }
        let tall = height(&scene);
        for dragged in 0..scene.effectors.len() {
            let mut random = Random::new(dragged as u64);
            for drag in 0..10 {
                let mut session = Session::new(scene.clone());
                (0..2).for_each(|_| session.tick(1.0 / FPS));
                let places: Vec<DVec3> = (0..scene.effectors.len()).map(|at| session.tip(at)).collect();
                let to = out_of_reach(&mut random, places[dragged], tall);
                session.apply(&SessionCommand::EffectorSelect(scene.effectors[dragged].name.clone())).expect("known");
                let mut worst: (f64, usize) = (0.0, 0);
                let mut slowest: f64 = 0.0;
                for frame in 0..90 {
                    if frame < 30 {
                        let way = (to - places[dragged]) / 30.0;
                        session.apply(&SessionCommand::TargetMove(way)).expect("moves");
                    }
                    session.tick(1.0 / FPS);
                    slowest = slowest.max(session.solve_seconds() * 1e3);
                    let own = slip(&session, &places, dragged, session.solved());
                    worst = if own.0 > worst.0 { own } else { worst };
                }
                let reached = session.tip(dragged).distance(to);
                if std::env::var("FABRIK3D_PINS_TABLE").is_ok() {
                    let mut problem = scene.problem();
                    for (goal, target) in problem.goals.iter_mut().zip(session.targets()) {
                        if goal.target != Target::default() {
                            goal.target = *target;
                        }
                    }
                    problem.goals[dragged].target = Target::from(to);
                    for (at, goal) in problem.goals.iter_mut().enumerate() {
                        let is_moved = goal.target.position.is_some_and(|place| place.distance(places[at]) > 1e-6);
                        if at == dragged || is_moved {
                            goal.rank = GoalRank::Wanted;
                        }
                    }
                    let best = nearest(&scene, &problem, dragged, 3);
                    println!(
                        "{name} {} {drag}: slip {:.5} of {}, distance {:.4}, best {:.4}, ratio {:.3}, {slowest:.1} ms",
                        scene.effectors[dragged].name,
                        worst.0 / tall,
                        scene.effectors[worst.1].name,
                        reached / tall,
                        best / tall,
                        reached / best
                    );
                } else {
                    assert!(worst.0 < PINNED * tall, "{name}, {dragged}, {drag}: {} slips by {}", worst.1, worst.0);
                }
            }
        }
    }
}
