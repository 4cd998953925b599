//! Motion must not start or stop dead: jumps in the middle of eases, held keys, taps, reversals and figures that change
//! to another branch of solutions.
//!
//! `FABRIK3D_SMOOTH_SEEDS=10 cargo test --test view smooth -- --nocapture` runs more scripts and prints a table;
//! `FABRIK3D_SMOOTH_SCENE=demo,tree` runs some scenes only.

use crate::example_scenes::example_scenes;

use fabrik3d_ik::Joint;
use fabrik3d_ik::queries::{loop_gaps, worst_violation};
use fabrik3d_ik::random::Random;
use fabrik3d_scene::Scene;
use fabrik3d_viewer::session::SessionCommand;
use fabrik3d_viewer::session::command::Command;
use fabrik3d_viewer::view::{Direction, Display, HeldKeys, Modifiers, Viewer};
use glam::DVec3;

const FPS: f64 = 60.0;
/// Duration of a script, seconds.
const SECONDS: f64 = 6.0;
/// Speeds below this count as rest, in units of the reach per second.
const REST: f64 = 1e-3;
/// Motions that never reach this speed are not judged, in units of the reach per second.
const SLOW: f64 = 0.05;

/// What a script does.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// Jumps, many of them in the middle of an ease.
    Jumps,
    /// Held keys, taps and reversals.
    Keys,
    /// Both.
    Mixed,
}

/// The displayed positions of all joints and effectors.
fn places(viewer: &Viewer) -> Vec<DVec3> {
    let session = viewer.session();
    let frames = session.scene().skeleton.frames(session.displayed());
    let tips = session.scene().effectors.iter().map(|it| frames[it.effector.joint].point(it.effector.tip));
    frames.iter().map(|frame| frame.position).chain(tips).collect()
}

/// What one script showed.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// Largest change of a velocity from frame to frame, as a fraction of the peak speed of the same motion.
    jerk: f64,
    /// When that was, seconds, and the index of the joint or tip.
    at: (f64, usize),
    violation: f64,
    gap: f64,
}

/// Keys that are pressed and released at random.
struct Fingers {
    random: Random,
    key: Option<(&'static str, f64)>,
    wait: f64,
}

impl Fingers {
    fn act(&mut self, dt: f64, held: &mut HeldKeys) {
        const WAYS: [&str; 6] = ["left", "right", "forward", "back", "up", "down"];
        self.wait -= dt;
        if self.wait > 0.0 {
            return;
        }
        if let Some((way, _)) = self.key.take() {
            held.release(way);
            // Half of the releases are reversals.
            self.wait = if self.random.unit() < 0.5 { 0.0 } else { 0.6 * self.random.unit() };
            return;
        }
        let way = WAYS[self.random.index(WAYS.len())];
        held.press(way, Direction::named(way).expect("a direction"));
        let seconds = if self.random.unit() < 0.3 { 0.08 } else { 0.2 + self.random.unit() };
        (self.key, self.wait) = (Some((way, seconds)), seconds);
    }
}

fn run(scene: &Scene, kind: Kind, seed: u64) -> Seen {
    let mut viewer = Viewer::new(scene.clone(), Display::default(), 16.0 / 9.0);
    let mut held = HeldKeys::default();
    let mut random = Random::new(seed);
    let mut fingers = Fingers { random: Random::new(seed + 1000), key: None, wait: 0.3 };
    let problem = scene.problem();
    let reach = scene.effectors.iter().map(|effector| scene.effector_size(effector)).fold(1e-9, f64::max);
    for _ in 0..random.index(scene.effectors.len().min(8)) {
        viewer.apply(Command::Session(SessionCommand::EffectorNext(1))).expect("has effectors");
    }
    let mut seen = Seen::default();
    let mut history = vec![places(&viewer)];
    let mut next_jump = 0.3 + random.unit();
    // Let all motion run out in the end.
    for frame in 0..((SECONDS + 2.0) * FPS) as usize {
        let time = frame as f64 / FPS;
        if kind != Kind::Jumps && time < SECONDS {
            fingers.act(1.0 / FPS, &mut held);
        } else {
            held.clear();
        }
        if kind != Kind::Keys && time < SECONDS && time > next_jump {
            // Some effectors have no place to jump to.
            let _ = viewer.apply(Command::Session(SessionCommand::TargetRandom));
            next_jump = time + if random.unit() < 0.3 { 1.5 } else { 0.9 * random.unit() };
        }
        viewer.tick(1.0 / FPS, &mut held, Modifiers::default());
        history.push(places(&viewer));
        let shown = viewer.session().displayed();
        seen.violation = seen.violation.max(worst_violation(&scene.skeleton, shown));
        let gaps = loop_gaps(&scene.skeleton, &problem, shown);
        seen.gap = gaps.into_iter().map(|gap| gap / reach).fold(seen.gap, f64::max);
    }
    (seen.jerk, seen.at) = jerk(&history, reach);
    seen
}

/// Largest change of a velocity, as a fraction of the peak speed of its motion, and when and where it was.
fn jerk(history: &[Vec<DVec3>], reach: f64) -> (f64, (f64, usize)) {
    let count = history[0].len();
    let velocity = |frame: usize, at: usize| (history[frame + 1][at] - history[frame][at]) * (FPS / reach);
    let speeds: Vec<f64> =
        (0..history.len() - 1).map(|f| (0..count).map(|at| velocity(f, at).length()).fold(0.0, f64::max)).collect();
    let mut worst = (0.0, (0.0, 0));
    let mut start = 0;
    while start < speeds.len() {
        if speeds[start] < REST {
            start += 1;
            continue;
        }
        let end = (start..speeds.len()).find(|&f| speeds[f] < REST).unwrap_or(speeds.len());
        let peak = speeds[start..end].iter().copied().fold(0.0, f64::max);
        if peak > SLOW {
            for frame in start..end.min(speeds.len() - 1) {
                for at in 0..count {
                    let before = if frame == 0 { DVec3::ZERO } else { velocity(frame - 1, at) };
                    let change = before.distance(velocity(frame, at)) / peak;
                    if change > worst.0 {
                        worst = (change, (frame as f64 / FPS, at));
                    }
                }
            }
        }
        start = end;
    }
    worst
}

/// Largest change of a velocity that a scene may show.
fn bound(scene: &Scene, kind: Kind) -> f64 {
    let is_unlimited = |joint: &Joint| joint.kind.is_unlimited_ball() || joint.kind == fabrik3d_ik::Kind::Fixed;
    if kind != Kind::Keys && scene.loops.len() == 1 {
        // Two poses of a four-bar may belong to different assembly modes: no motion leads from one to the other.
        f64::INFINITY
    } else if scene.skeleton.joints().iter().all(is_unlimited) {
        // A key changes the speed of its target by 0.175 in a frame, and joints may move faster than the target.
        if kind == Kind::Keys { 0.3 } else { 0.2 }
    } else {
        // A joint that arrives at its limit stops there, however it brakes before.
        0.6
    }
}

#[test]
fn no_motion_starts_or_stops_dead() {
    let only = std::env::var("FABRIK3D_SMOOTH_SCENE").ok();
    let seeds = std::env::var("FABRIK3D_SMOOTH_SEEDS").map_or(1, |text| text.parse().expect("a number"));
    let first = std::env::var("FABRIK3D_SMOOTH_FIRST").map_or(1, |text| text.parse().expect("a number"));
    let mut faults = Vec::new();
    for file in example_scenes() {
        let name = file.file_stem().expect("has a name").to_string_lossy().into_owned();
        if only.as_ref().is_some_and(|only| !only.split(',').any(|one| one == name)) {
            continue;
        }
        let scene = Scene::open(&file).expect("reads");
        for kind in [Kind::Jumps, Kind::Keys, Kind::Mixed] {
            let mut worst = Seen::default();
            for seed in first..first + seeds {
                let seen = run(&scene, kind, seed);
                assert!(seen.violation <= 1e-12, "{name}: a limit is exceeded by {:e}", seen.violation);
                assert!(seen.gap <= 1e-5, "{name}: a loop has a gap of {:e} of the reach", seen.gap);
                if std::env::var_os("FABRIK3D_SMOOTH_ALL").is_some() {
                    println!("   {name} {kind:?} seed {seed}: {:.3} at {:.3} s of {}", seen.jerk, seen.at.0, seen.at.1);
                }
                if seen.jerk > worst.jerk {
                    worst = seen;
                }
            }
            println!("{name:<12} {kind:?}: {:.3} at {:.3} s, point {}", worst.jerk, worst.at.0, worst.at.1);
            let bound = bound(&scene, kind);
            if worst.jerk > bound {
                faults.push(format!("{name} {kind:?}: {:.3} at {:.3} s, at most {bound}", worst.jerk, worst.at.0));
            }
        }
    }
    assert!(faults.is_empty(), "velocities change abruptly: {faults:?}");
}
