//! What a call of `track` costs that misses its target, beside one that meets it: the table of `docs/library.md`.
//!
//! `cargo run --release -p fabrik3d-measure --example missed [WORD...]`: of the rows, those that have all words.

use fabrik3d_ik::goals::GoalRank;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Effector, Goal, Problem, Settings, Solver, Target};
use fabrik3d_scene::Scene;
use glam::{DQuat, DVec3};
use std::error::Error;
use std::f64::consts::TAU;
use std::time::Instant;

/// Calls that meet their targets, then as many that miss theirs, for each of so many paths.
const CALLS: usize = 120;
const PATHS: usize = 40;
/// Calls after a target has left the reach that are not measured: the pose is on its way.
const ON_THE_WAY: usize = 20;
/// How far the targets swing, as a share of the reach.
const SWING: f64 = 0.05;

/// How the targets are missed.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Miss {
    /// They move on, out of reach.
    Far,
    /// They move on at the edge of the reach, in an orientation that is out of the way.
    Turned,
    /// They rest, out of reach.
    Resting,
}

fn main() -> Result<(), Box<dyn Error>> {
    let assets = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets");
    let figures = [
        ("models/robot-arm.urdf", GoalRank::Wanted),
        ("models/parallel-axes.urdf", GoalRank::Wanted),
        ("models/seven-axes.urdf", GoalRank::Wanted),
        ("scenes/humanoid.toml", GoalRank::Wanted),
        ("scenes/humanoid.toml", GoalRank::Firm),
    ];
    let words: Vec<String> = std::env::args().skip(1).collect();
    for (file, feet) in figures {
        let scene = Scene::open(format!("{assets}/{file}"))?;
        let default = Settings::default();
        let all = [
            ("track", default),
            ("realtime", Settings::realtime()),
            ("may_jump", Settings { may_jump: true, ..default }),
        ];
        for (name, settings) in all {
            for miss in [Miss::Far, Miss::Turned, Miss::Resting] {
                let row = format!("{file:26} {feet:6?} {name:9} {miss:8?}");
                if !words.iter().all(|word| row.contains(word.as_str())) {
                    continue;
                }
                let mut calls = [Vec::new(), Vec::new()];
                let mut random = Random::new(5);
                (0..PATHS).for_each(|_| follow((&scene, feet), settings, miss, &mut random, &mut calls));
                let steps = calls.each_ref().map(|calls| median(calls.iter().map(|call| call.1).collect()));
                let [met, missed] = calls.map(|calls| median(calls.iter().map(|call| call.0).collect()));
                println!(
                    "{row} met {met:6.1} us ({} steps), missed {missed:8.1} us ({}): {:6.1} times",
                    steps[0],
                    steps[1],
                    missed / met
                );
            }
        }
    }
    Ok(())
}

/// Microseconds, and refinement steps.
type Call = (f64, f64);

/// Adds the calls of one path: those that meet their targets, and those that miss them.
fn follow(
    (scene, feet): (&Scene, GoalRank),
    settings: Settings,
    miss: Miss,
    random: &mut Random,
    [met, missed]: &mut [Vec<Call>; 2],
) {
    let is_arm = scene.effectors.iter().filter(|own| own.target.position.is_some()).count() == 1;
    let named = scene.effectors.iter().find(|own| own.name.contains("hand"));
    let hand: Effector = named.unwrap_or(&scene.effectors[0]).effector;
    let mut solver = Solver::new(scene.skeleton.clone()).settings(settings);
    solver.problem = if is_arm { Problem::default() } else { scene.problem() };
    let known = solver.problem.goals.iter().position(|goal| goal.effector == hand);
    let goal = known.unwrap_or_else(|| solver.add_goal(Goal::new(hand, Target::default())));
    solver.problem.goals.iter_mut().filter(|goal| goal.effector != hand).for_each(|goal| goal.rank = feet);
    let mut pose = if is_arm { scene.skeleton.random_pose(random) } else { scene.start.clone() };
    let frames = scene.skeleton.frames(&pose);
    let (frame, base, reach) = (frames[hand.joint], frames[0].position, hand.reach(&scene.skeleton));
    let (tip, way) = (frame.point(hand.tip), random.direction());
    let out = (tip - base).normalize_or(DVec3::X);
    for call in 0..2 * CALLS {
        let swung = tip + SWING * reach * (TAU * call as f64 / CALLS as f64).sin() * way;
        let (place, turn) = match miss {
            _ if call < CALLS => (swung, DQuat::IDENTITY),
            Miss::Far => (swung + 1.2 * reach * out, DQuat::IDENTITY),
            Miss::Turned => (base + 0.98 * reach * (swung - base).normalize(), DQuat::from_axis_angle(way, 2.5)),
            Miss::Resting => (tip + 1.2 * reach * out, DQuat::IDENTITY),
        };
        let target = if is_arm { Target::from((place, turn * frame.rotation)) } else { Target::from(place) };
        solver.set_target(goal, target);
        if call == 0 {
            let _ = solver.solve(&mut pose);
            continue;
        }
        let begin = Instant::now();
        let report = solver.track(&mut pose);
        let cost = (begin.elapsed().as_secs_f64() * 1e6, f64::from(report.refine_steps));
        match report.stop.is_reached() {
            true => met.push(cost),
            false if call >= CALLS + ON_THE_WAY => missed.push(cost),
            false => {}
        }
    }
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}
