//! Drags the targets of every scene in `assets/scenes` as the keys do. The displayed pose must keep lengths, limits and
//! loops in every frame and must not jump, whether the targets are within reach or not.
//!
//! `FABRIK3D_DRAG_SECONDS=60 cargo test --test session dragging -- --nocapture` drags longer and prints a table.

use crate::example_scenes::example_scenes;

use fabrik3d_ik::queries::{loop_gaps, worst_violation};
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Coordinates, Isometry, Kind};
use fabrik3d_scene::Scene;
use fabrik3d_viewer::session::{RotationCommand, Session, SessionCommand};
use glam::{DQuat, DVec3};
use std::path::Path;

/// Duration of each drag unless the variable is set, seconds.
const SECONDS: f64 = 8.0;
const FPS: f64 = 60.0;
/// Speed of a held key per second: a fraction of the reach, and degrees.
const MOVE: f64 = 0.5;
const TURN: f64 = 45.0;
/// How far beyond the reach a target is dragged, as a fraction of the reach.
const BEYOND: f64 = 1.3;

/// A key that is held for some frames.
enum Stroke {
    Move(DVec3),
    Turn(DVec3),
}

/// Measurements of one scene.
#[derive(Debug, Default)]
struct Seen {
    frames: usize,
    /// Frames in which a displayed joint turned by more than half a radian.
    pops: usize,
    /// The same for the solved pose.
    switches: usize,
    largest_turn: f64,
    /// Largest step of a joint or a tip, as a fraction of the reach.
    largest_step: f64,
    stretch: f64,
    violation: f64,
    gap: f64,
    reached: usize,
    easing: usize,
    slowest: f64,
    mean: f64,
}

/// Frames of all joints and positions of all effectors.
fn frames_and_tips(session: &Session, pose: &[Coordinates]) -> (Vec<Isometry>, Vec<DVec3>) {
    let frames = session.scene().skeleton.frames(pose);
    let tip = |effector: &fabrik3d_ik::Effector| frames[effector.joint].point(effector.tip);
    let tips = session.scene().effectors.iter().map(|effector| tip(&effector.effector)).collect();
    (frames, tips)
}

/// Angle between two rotations, exact for small angles.
fn angle(a: DQuat, b: DQuat) -> f64 {
    let between = a.conjugate() * b;
    2.0 * between.xyz().length().atan2(between.w.abs())
}

/// Largest turn of a joint. Joints that turn by at most four times the angle that the `shift` of the targets requires are
/// left out, since a joint with a short link has to turn far.
fn largest_turn(session: &Session, a: &[Coordinates], b: &[Coordinates], shift: f64) -> f64 {
    let skeleton = &session.scene().skeleton;
    let turns = skeleton.joints().iter().enumerate().map(|(i, joint)| {
        let links = skeleton.children(i).iter().map(|&child| skeleton.joints()[child].offset.length());
        let tips = session.scene().effectors.iter().filter(|effector| effector.effector.joint == i);
        let link = links.chain(tips.map(|effector| effector.effector.tip.length())).fold(0.0, f64::max);
        let turn = angle(joint.kind.rotation(&a[i]), joint.kind.rotation(&b[i]));
        if turn * link > 4.0 * shift { turn } else { 0.0 }
    });
    turns.fold(0.0, f64::max)
}

/// Largest relative error in the length of a link. Slides and free joints have no fixed length.
fn stretch(session: &Session, frames: &[Isometry]) -> f64 {
    let joints = session.scene().skeleton.joints().iter().enumerate();
    let links = joints.filter_map(|(i, joint)| {
        let parent = joint.parent.filter(|_| !matches!(joint.kind, Kind::Slide { .. } | Kind::Free))?;
        let (now, length) = (frames[i].position.distance(frames[parent].position), joint.offset.length());
        Some((now - length).abs() / length.max(1e-3))
    });
    links.fold(0.0, f64::max)
}

/// Destination of a drag: a preset, a position within the limits, or any position up to somewhat beyond the reach.
fn waypoint(session: &Session, random: &mut Random) -> DVec3 {
    let scene = session.scene();
    let effector = &scene.effectors[session.selected().expect("has effectors")];
    let places: Vec<DVec3> = effector.presets.iter().copied().chain(effector.target.position).collect();
    match random.index(3) {
        0 if !places.is_empty() => places[random.index(places.len())],
        1 => {
            let pose = scene.skeleton.random_pose(random);
            let frame = scene.skeleton.frame_of(Isometry::IDENTITY, &pose, effector.effector.joint);
            frame.point(effector.effector.tip)
        }
        _ => {
            let base = scene.skeleton.joints()[scene.skeleton.root(effector.effector.joint)].offset;
            base + random.ball() * (BEYOND * session.step_size())
        }
    }
}

/// The keys that move the selected target to a waypoint, one after the other along the world axes, with their numbers of
/// frames. Some of them turn it.
fn strokes(session: &Session, random: &mut Random) -> Vec<(Stroke, usize)> {
    let target = session.target(session.selected().expect("has effectors"));
    let Some(from) = target.position else { return Vec::new() };
    let (way, reach) = (waypoint(session, random) - from, session.step_size());
    let mut strokes = Vec::new();
    for axis in 0..3 {
        let frames = (way[axis].abs() / (MOVE / FPS * reach)).round() as usize;
        strokes.push((Stroke::Move(DVec3::AXES[axis] * way[axis].signum()), frames));
    }
    if target.rotation().is_some() && random.unit() < 0.7 {
        let axis = DVec3::AXES[random.index(3)] * if random.unit() < 0.5 { 1.0 } else { -1.0 };
        strokes.push((Stroke::Turn(axis), random.index(120)));
    }
    strokes
}

fn drag(file: &Path, seed: u64, seconds: f64) -> Seen {
    let mut session = Session::new(Scene::open(file).expect("reads"));
    for _ in 0..120 {
        session.tick(1.0 / FPS);
    }
    let scene = session.scene().clone();
    let problem = scene.problem();
    let mut random = Random::new(seed);
    let mut seen = Seen::default();
    let mut before = (session.displayed().clone(), session.solved().clone());
    let mut places = frames_and_tips(&session, &before.0);
    let mut keys: Vec<(Stroke, usize)> = Vec::new();
    let reach = scene.effectors.iter().map(|effector| scene.effector_size(effector)).fold(0.0, f64::max);
    while seen.frames < (seconds * FPS) as usize {
        let Some((key, left)) = keys.last_mut() else {
            for _ in 0..random.index(scene.effectors.len().min(8)) {
                session.apply(&SessionCommand::EffectorNext(1)).expect("has effectors");
            }
            keys = strokes(&session, &mut random);
            continue;
        };
        if *left == 0 {
            keys.pop();
            continue;
        }
        *left -= 1;
        let step_of_target = MOVE / FPS * session.step_size();
        let command = match *key {
            Stroke::Move(way) => SessionCommand::TargetMove(way * step_of_target),
            Stroke::Turn(axis) => SessionCommand::Rotation(RotationCommand::Turn(axis * (TURN / FPS))),
        };
        session.apply(&command).expect("has an effector");
        session.tick(1.0 / FPS);
        let now = (session.displayed().clone(), session.solved().clone());
        let shown = frames_and_tips(&session, &now.0);
        assert!(now.0.iter().all(Coordinates::is_finite), "{}", file.display());
        let turn = largest_turn(&session, &before.0, &now.0, step_of_target);
        let moved = shown.0.iter().zip(&places.0).map(|(a, b)| a.position.distance(b.position));
        let steps = moved.chain(shown.1.iter().zip(&places.1).map(|(a, b)| a.distance(*b)));
        let step = steps.fold(0.0, f64::max) / reach;
        seen.pops += usize::from(turn > 0.5);
        seen.switches += usize::from(largest_turn(&session, &before.1, &now.1, step_of_target) > 0.5);
        seen.largest_turn = seen.largest_turn.max(turn);
        seen.largest_step = seen.largest_step.max(step);
        seen.stretch = seen.stretch.max(stretch(&session, &shown.0));
        seen.violation = seen.violation.max(worst_violation(&scene.skeleton, &now.0));
        seen.gap =
            loop_gaps(&scene.skeleton, &problem, &now.0).into_iter().map(|gap| gap / reach).fold(seen.gap, f64::max);
        seen.reached += usize::from(crate::session_support::is_reached(&session));
        seen.easing += usize::from(session.blend().is_some());
        seen.slowest = seen.slowest.max(session.solve_seconds() * 1e3);
        seen.mean += session.solve_seconds() * 1e3;
        seen.frames += 1;
        (before, places) = (now, shown);
    }
    seen.mean /= seen.frames as f64;
    seen
}

#[test]
fn the_displayed_pose_is_valid_in_every_frame() {
    let duration = std::env::var("FABRIK3D_DRAG_SECONDS").ok();
    let seconds = duration.as_ref().map_or(SECONDS, |text| text.parse().expect("seconds"));
    let only = std::env::var("FABRIK3D_DRAG_SCENE").ok();
    println!(
        "{:<12} {:>6} {:>5} {:>8} {:>6} {:>6} {:>8} {:>9} {:>8} {:>8} {:>7} {:>7} {:>7}",
        "scene",
        "frames",
        "pops",
        "switches",
        "turn",
        "step",
        "stretch",
        "violation",
        "gap",
        "reached",
        "easing",
        "mean ms",
        "max ms"
    );
    for file in example_scenes() {
        let name = file.file_stem().expect("has a name").to_string_lossy().into_owned();
        if only.as_ref().is_some_and(|only| !only.split(',').any(|one| one == name)) {
            continue;
        }
        let seed = std::env::var("FABRIK3D_DRAG_SEED").map_or(1, |text| text.parse().expect("a seed"));
        let seen = drag(&file, seed, seconds);
        println!(
            "{name:<12} {:>6} {:>5} {:>8} {:>6.2} {:>6.3} {:>8.0e} {:>9.0e} {:>8.0e} {:>7.1}% {:>6.1}% {:>7.3} {:>7.2}",
            seen.frames,
            seen.pops,
            seen.switches,
            seen.largest_turn,
            seen.largest_step,
            seen.stretch,
            seen.violation,
            seen.gap,
            100.0 * seen.reached as f64 / seen.frames as f64,
            100.0 * seen.easing as f64 / seen.frames as f64,
            seen.mean,
            seen.slowest
        );
        assert!(seen.stretch <= 1e-9, "{name}: a link is stretched by {:e}", seen.stretch);
        assert!(seen.violation <= 1e-12, "{name}: a limit is exceeded by {:e}", seen.violation);
        assert!(seen.gap <= 1e-5, "{name}: a loop has a gap of {:e} of the reach", seen.gap);
        // A chain that returns from full stretch bends by half a radian in a frame; all other turns are smaller.
        assert!(seen.largest_turn <= 0.6, "{name}: a joint turned by {} in a frame", seen.largest_turn);
        assert!(seen.largest_step <= 0.25, "{name}: a point moved by {} of the reach in a frame", seen.largest_step);
    }
}

/// A pointer is irregular: its events come in some frames only, and it may stop at once.
#[test]
fn the_figure_does_not_fly_past_a_pointer_that_stops() {
    let mut switches = 0;
    for file in example_scenes() {
        let scene = Scene::open(&file).expect("opens");
        let name = file.display();
        for seed in 0..24 {
            let mut random = Random::new(seed);
            let mut session = Session::new(scene.clone());
            (0..200).for_each(|_| session.tick(1.0 / FPS));
            let size = session.step_size();
            let way = random.direction() * (0.06 * size);
            let (mut overshoot, mut before): (f64, _) = (0.0, session.solved().clone());
            for frame in 0..120 {
                if frame < 12 && random.index(3) > 0 {
                    session.apply(&SessionCommand::TargetMove(way)).expect("finite");
                }
                session.tick(1.0 / FPS);
                // On its way to another configuration of an arm, the tip may be anywhere.
                if largest_turn(&session, &before, session.solved(), way.length()) > 1.0 {
                    switches += 1;
                    break;
                }
                before.clone_from(session.solved());
                let tip = |pose: &[Coordinates]| {
                    frames_and_tips(&session, pose).1[session.selected().expect("has effectors")]
                };
                let apart = tip(session.displayed()) - tip(session.solved());
                overshoot = overshoot.max(apart.dot(way.normalize()) / size);
            }
            // Links that meet something on the way turn back, and what is shown runs on for a moment.
            let most = if scene.keep_clear.is_some() { 0.1 } else { 0.05 };
            assert!(overshoot < most, "{name}, seed {seed}: overshoots by {overshoot}");
        }
    }
    assert!(switches <= 12, "{switches} of 480 pointers made an arm change its configuration");
}
