//! Recorded motion in a session: shown poses are the recorded ones, followed paths are reached, nothing jumps, and undo
//! restores everything.

use crate::gathered;
use crate::session_support;

use fabrik3d::examples;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Isometry, Skeleton};
use fabrik3d_scene::Scene;
use fabrik3d_viewer::session::{CommandError, MotionMode, Remark, Session};
use gathered::gathered;
use glam::{DQuat, DVec3, EulerRot};
use session_support::try_apply;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

const DT: f64 = 1.0 / 60.0;
const MAN: &str = "gltf/CesiumMan/CesiumMan.glb";
const HOPS: &str = "bvh/cmu/01_01_playground_hops.bvh";
const WALK: &str = "bvh/pymo/AV_8Walk_Meredith_HVHA_Rep1.bvh";

fn own() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/models/two-joints.bvh")
}

/// A character whose second clip lengthens its arms.
fn puppet() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/models/puppet.gltf")
}

/// Figures with clips: the project's own, and samples.
fn figures() -> Vec<Scene> {
    let names = [HOPS, WALK, MAN, "gltf/Fox/Fox.glb", "gltf/RiggedSimple/RiggedSimple.glb"];
    let paths = names.iter().filter_map(|name| gathered(name)).chain([own(), puppet()]);
    paths.map(|path| Scene::open(path).expect("reads")).collect()
}

fn two_joints() -> Session {
    Session::new(Scene::open(own()).expect("reads"))
}

fn demo() -> Session {
    Session::new(examples::demo())
}

fn apply_all(session: &mut Session, commands: &[&str]) {
    for command in commands {
        try_apply(session, command).unwrap_or_else(|error| panic!("{command}: {error}"));
    }
}

/// Applies one of many commands. No random target may be within reach.
fn apply_any(session: &mut Session, command: &str) {
    match try_apply(session, command) {
        Ok(()) | Err(CommandError::NothingInReach(_)) => {}
        Err(error) => panic!("{command}: {error}"),
    }
}

fn ticks(session: &mut Session, count: usize) {
    (0..count).for_each(|_| session.tick(DT));
}

fn displayed(session: &Session) -> Vec<DVec3> {
    session.scene().skeleton.frames(session.displayed()).iter().map(|frame| frame.position).collect()
}

/// Joint positions of a clip at a time.
fn recorded(scene: &Scene, clip: usize, time: f64) -> Vec<DVec3> {
    let motion = &scene.assets.motions[clip];
    let (skeleton, pose) = (motion.skeleton_at(&scene.skeleton, time), motion.pose_at(&scene.skeleton, time));
    skeleton.frames(&pose).iter().map(|frame| frame.position).collect()
}

fn farthest(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

/// Largest reach of any effector.
fn size(scene: &Scene) -> f64 {
    scene.effectors.iter().map(|effector| scene.effector_size(effector)).fold(0.0, f64::max)
}

/// Largest step of a joint between two frames of a clip.
fn recorded_step(scene: &Scene, clip: usize) -> f64 {
    let frames = (scene.assets.motions[clip].duration() / DT) as usize;
    let places: Vec<_> = (0..=frames).map(|frame| recorded(scene, clip, frame as f64 * DT)).collect();
    places.windows(2).map(|pair| farthest(&pair[0], &pair[1])).fold(0.0, f64::max)
}

/// Largest distance between positions of the figure in its clips.
fn travel(scene: &Scene) -> f64 {
    let clips = 0..scene.assets.motions.len();
    let places: Vec<DVec3> = clips
        .flat_map(|clip| {
            let duration = scene.assets.motions[clip].duration();
            (0..=20).map(move |at| recorded(scene, clip, duration * f64::from(at) / 20.0)[0])
        })
        .collect();
    places.iter().flat_map(|a| places.iter().map(move |b| a.distance(*b))).fold(0.0, f64::max)
}

#[test]
fn a_shown_clip_is_the_recorded_one() {
    for scene in figures() {
        for (clip, motion) in scene.assets.motions.iter().enumerate() {
            let mut session = Session::new(scene.clone());
            apply_all(&mut session, &[&format!("motion.clip {}", clip + 1), "motion.play"]);
            for frame in 1..120 {
                session.tick(DT);
                let time = (f64::from(frame) * DT) % motion.duration();
                let playback = session.motion().expect("plays");
                assert!((playback.time - time).abs() < 1e-9, "{}: {} not {time}", scene.name, playback.time);
                let pose = motion.pose_at(&scene.skeleton, playback.time);
                assert_eq!(session.solved(), &pose, "{} {} at {time}", scene.name, motion.name);
                if session.blend().is_none() {
                    assert_eq!(session.displayed(), &pose, "{} {} at {time}", scene.name, motion.name);
                }
                for (at, target) in session.targets().enumerate() {
                    let place = target.position.expect("these targets are places");
                    assert!(place.distance(session.tip(at)) <= 1e-9 * size(&scene), "a target was left behind");
                }
            }
        }
    }
}

#[test]
fn joints_that_a_clip_moves_are_shown_there_and_the_links_keep_that_length() {
    let scene = Scene::open(puppet()).expect("reads");
    for mode in ["show", "follow"] {
        let mut session = Session::new(scene.clone());
        apply_all(&mut session, &["motion.clip Stretch", &format!("motion.mode {mode}"), "motion.play"]);
        for _ in 0..40 {
            session.tick(DT);
            let time = session.motion().expect("plays").time;
            let expected = recorded(&scene, 1, time);
            let found = session.scene().skeleton.frames(session.solved());
            for (joint, frame) in found.iter().enumerate().filter(|_| mode == "show") {
                assert!(frame.position.distance(expected[joint]) < 1e-5, "joint {joint} at {time}");
            }
        }
        let time = session.motion().expect("plays").time;
        let longer = scene.assets.motions[1].skeleton_at(&scene.skeleton, time).into_owned();
        assert_ne!(longer, *scene.skeleton);
        assert_eq!(*session.scene().skeleton, longer, "{mode}: the solver has the lengths of the frame");
        // A drag goes on from the shown frame, and reaches farther than the arm at rest could.
        let arm = longer.find("puppet:LeftForeArm").expect("a joint");
        let reach = longer.joints()[arm].offset.length() - scene.skeleton.joints()[arm].offset.length();
        assert!(reach > 0.1, "{reach}");
        apply_all(&mut session, &["motion.pause", "effector.select puppet:LeftHand"]);
        let shoulder = session.scene().skeleton.find("puppet:LeftArm").expect("a joint");
        let from = session.scene().skeleton.frames(session.solved())[shoulder].position;
        let length = 0.25 + scene.skeleton.joints()[arm].offset.length() + reach * 0.95;
        let to = from + DVec3::new(0.3, 0.1, 1.0).normalize() * length;
        apply_all(&mut session, &[&format!("target.set puppet:LeftHand {} {} {}", to.x, to.y, to.z)]);
        ticks(&mut session, 90);
        assert!(session.tip(0).distance(to) < 1e-3 * length, "{mode}: {}", session.tip(0).distance(to));
        // Another clip, and undo, give the lengths back.
        apply_all(&mut session, &["motion.mode show", "motion.clip Walk"]);
        assert_eq!(session.scene().skeleton, scene.skeleton, "{mode}");
        apply_all(&mut session, &["undo"]);
        assert_eq!(*session.scene().skeleton, longer, "{mode}");
    }
}

/// Who presses pause sees what is paused, and who presses play sees it move.
#[test]
fn pause_stops_a_recording_and_play_runs_a_paused_clock() {
    let time = |session: &Session| session.motion().expect("a recording").time;
    let mut session = two_joints();
    apply_all(&mut session, &["motion.play"]);
    ticks(&mut session, 10);
    apply_all(&mut session, &["pause.toggle"]);
    assert!(!session.paused() && !session.motion().expect("a recording").playing);
    let stopped = time(&session);
    ticks(&mut session, 10);
    assert_eq!(time(&session), stopped);
    apply_all(&mut session, &["pause.toggle"]);
    ticks(&mut session, 10);
    assert!(time(&session) > stopped, "it plays on");
    let mut session = two_joints();
    apply_all(&mut session, &["pause.toggle"]);
    assert!(session.paused(), "nothing plays, so it is the figure that stops");
    apply_all(&mut session, &["motion.toggle"]);
    ticks(&mut session, 10);
    assert!(!session.paused() && time(&session) > 0.0, "{}", time(&session));
}

#[test]
fn a_clip_opens_in_its_pose_and_eases_back_to_it() {
    let mut session = two_joints();
    apply_all(&mut session, &["motion.seek 0.5"]);
    session.tick(DT);
    assert!(session.blend().is_none(), "that is how the scene opens");
    apply_all(&mut session, &["motion.play"]);
    session.tick(DT);
    assert!(session.blend().is_none(), "it goes on from where it is");
    apply_all(&mut session, &["target.random", "motion.play"]);
    session.tick(DT);
    assert!(session.blend().is_some(), "the figure was elsewhere");
}

/// Whatever command comes while a clip plays, nothing moves much faster than the recording, or than an ease between two
/// poses.
#[test]
fn nothing_jumps() {
    for scene in figures() {
        let (size, travel) = (size(&scene), travel(&scene));
        let fastest = (0..scene.assets.motions.len()).map(|clip| recorded_step(&scene, clip)).fold(0.0, f64::max);
        for seed in 0..3 {
            let mut random = Random::new(seed);
            let mut session = Session::new(scene.clone());
            session.tick(DT);
            let mut last = displayed(&session);
            for frame in 0..600 {
                let seek = format!("motion.seek {}", random.range(0.0, 3.0));
                let commands =
                    ["motion.play", "motion.pause", &seek, "motion.clip next", "motion.mode", "undo", "target.random"];
                if let Some(command) = commands.get(random.index(45)) {
                    apply_any(&mut session, command);
                }
                session.tick(DT);
                let now = displayed(&session);
                assert!(now.iter().all(|place| place.is_finite()), "{}", scene.name);
                // An ease is steepest in its middle: PI / 2 of the way per second. The way is at most the travel of
                // the clips plus half a turn of the whole figure.
                let eased = (travel + 4.0 * size) * std::f64::consts::FRAC_PI_2 * DT;
                let step = farthest(&now, &last);
                assert!(step <= eased + 2.0 * fastest, "{}, seed {seed}: {step} in frame {frame}", scene.name);
                last = now;
            }
        }
    }
}

/// What is dragged on a paused frame ends with it: every frame shows the recorded pose, whatever was dragged before.
#[test]
fn frames_show_their_poses_whatever_was_dragged_on_others() {
    for scene in figures().into_iter().filter(|scene| scene.effectors.len() > 2) {
        let show = |session: &mut Session, time: f64| {
            apply_all(session, &["motion.pause", &format!("motion.seek {time}")]);
            ticks(session, 90);
            (session.solved().clone(), displayed(session))
        };
        let mut session = Session::new(scene.clone());
        let recorded = show(&mut session, 0.2);
        for effector in &scene.effectors {
            let shift = 0.1 * scene.effector_size(effector);
            let select = format!("effector.select \"{}\"", effector.name);
            apply_all(&mut session, &[&select, &format!("target.move {shift} {shift} {shift}")]);
            ticks(&mut session, 30);
            show(&mut session, 0.4);
            assert!(show(&mut session, 0.2) == recorded, "{}, {}", scene.name, effector.name);
        }
    }
}

/// Figures with their own clips, and the mannequin with the command that opens a recording of another figure.
fn recorded_figures() -> Vec<(Scene, Option<String>)> {
    let mannequin = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/models/mannequin.glb");
    let walking = gathered(WALK).map(|walk| format!("motion.open \"{}\"", walk.display()));
    let walker = walking.map(|open| (Scene::open(mannequin).expect("reads"), Some(open)));
    let scenes = figures().into_iter().filter(|scene| scene.effectors.len() > 2).map(|scene| (scene, None));
    scenes.chain(walker).collect()
}

/// Undo and redo return to frames as they were recorded: nothing is solved there.
#[test]
fn undo_and_redo_show_frames_as_they_were_recorded() {
    for (scene, open) in recorded_figures() {
        let mut session = Session::new(scene.clone());
        open.iter().for_each(|open| apply_all(&mut session, &[open]));
        apply_all(&mut session, &["motion.play"]);
        ticks(&mut session, 30);
        apply_all(&mut session, &["motion.pause"]);
        ticks(&mut session, 30);
        let frame = session.solved().clone();
        let shift = 0.2 * scene.effector_size(&scene.effectors[0]);
        apply_all(&mut session, &[&format!("target.move 0 {shift} {shift}")]);
        ticks(&mut session, 30);
        for commands in [&["undo"][..], &["undo", "redo"], &["redo", "undo"]] {
            apply_all(&mut session, commands);
            ticks(&mut session, 60);
            assert!(*session.solved() == frame && !session.is_edited(), "{}, {commands:?}", scene.name);
        }
    }
}

/// A step shows the next frame at once, whatever was dragged on the one before, also on another figure than the recorded one.
#[test]
fn a_step_shows_its_frame_at_once_whatever_was_dragged() {
    for (scene, open) in recorded_figures() {
        let stepped = |dragged: Option<(&str, f64)>| {
            let mut session = Session::new(scene.clone());
            open.iter().for_each(|open| apply_all(&mut session, &[open]));
            apply_all(&mut session, &["motion.pause", "motion.seek 0.5"]);
            ticks(&mut session, 90);
            if let Some((name, shift)) = dragged {
                let select = format!("effector.select \"{name}\"");
                apply_all(&mut session, &[&select, &format!("target.move 0 {shift} {shift}")]);
                ticks(&mut session, 30);
            }
            apply_all(&mut session, &["motion.step 1"]);
            ticks(&mut session, 1);
            let solved = session.solved().clone();
            ticks(&mut session, 30);
            assert!(*session.solved() == solved && !session.is_edited(), "{}, {dragged:?}: it stays", scene.name);
            solved
        };
        let recorded = stepped(None);
        for effector in &scene.effectors {
            let shift = 0.2 * scene.effector_size(effector);
            assert!(stepped(Some((&effector.name, shift))) == recorded, "{}, {}", scene.name, effector.name);
        }
    }
}

/// A figure that follows the recorded ends of its limbs reaches them, is close everywhere else, and moves as smoothly.
#[test]
fn a_figure_that_follows_itself_meets_its_targets() {
    for scene in figures() {
        for (clip, motion) in scene.assets.motions.iter().enumerate() {
            let mut session = Session::new(scene.clone());
            apply_all(&mut session, &[&format!("motion.clip {}", clip + 1), "motion.mode follow", "motion.play"]);
            let fastest = recorded_step(&scene, clip);
            let mut last: Option<Vec<DVec3>> = None;
            for _ in 0..((motion.duration() / DT) as usize).min(600) {
                session.tick(DT);
                assert!(session.blend().is_none(), "{} {}: what follows glides", scene.name, motion.name);
                for (at, effector) in scene.effectors.iter().enumerate() {
                    // The clip may lengthen the links.
                    let residual = session.residual(at).expect("has a place") / session.scene().effector_size(effector);
                    assert!(residual <= scene.settings.tolerance, "{} {}: {residual}", scene.name, effector.name);
                }
                let apart = session.reconstruction().expect("joints are known").mean / size(&scene);
                assert!(apart < 0.15, "{} {}: {apart}", scene.name, motion.name);
                let now = displayed(&session);
                let step = last.map_or(0.0, |last| farthest(&now, &last));
                assert!(step <= 2.0 * fastest + 1e-9, "{} {}: {step}, recorded {fastest}", scene.name, motion.name);
                last = Some(now);
            }
        }
    }
}

/// A hand that follows the hand of another figure without common joint names.
#[test]
fn a_characters_hand_follows_recorded_hops() {
    let (Some(man), Some(hops)) = (gathered(MAN), gathered(HOPS)) else { return };
    let scene = Scene::open(man).expect("reads");
    let mut session = Session::new(scene.clone());
    let (open, drive) = (format!("motion.open \"{}\"", hops.display()), "motion.drive LeftHand node15");
    assert_eq!(session.motion().expect("has a clip").mode, MotionMode::Show);
    apply_all(&mut session, &[&open, drive]);
    assert_eq!(session.motion().expect("opened").mode, MotionMode::Follow);
    assert_eq!(try_apply(&mut session, "motion.mode show"), Err(CommandError::NothingToShow));
    let hand = scene.effectors.iter().position(|effector| effector.name == "node15").expect("there");
    let (mut last, mut path) = (Vec::new(), Vec::new());
    for frame in 0..1370 {
        session.tick(DT);
        let now = displayed(&session);
        assert!(now.iter().all(|place| place.is_finite()), "frame {frame}");
        // 3.6 metres per second; the recorded hand moves at 3.3 in the same size.
        let step = farthest(&now, &last);
        assert!(step < 0.07 * size(&scene), "a step of {step} in frame {frame}");
        assert!(session.residual(hand).expect("has a place") <= 1e-4 * size(&scene), "frame {frame}");
        path.push(session.target(hand).position.expect("a place"));
        last = now;
    }
    let spread = path.iter().map(|place| place.distance(path[0])).fold(0.0, f64::max);
    assert!(spread > 0.5 * size(&scene) && spread < 2.0 * size(&scene), "{spread}");
}

#[test]
fn a_dragged_target_no_longer_follows_the_recording() {
    let mut session = two_joints();
    apply_all(&mut session, &["motion.play"]);
    ticks(&mut session, 30);
    let before = (session.motion().cloned(), session.targets().copied().collect::<Vec<_>>());
    apply_all(&mut session, &["target.move 0.01 0 0"]);
    let expected = session.target(0).position;
    ticks(&mut session, 60);
    assert!(!session.motion().expect("still there").playing);
    assert_eq!(session.target(0).position, expected);
    assert!(session.report(0).is_some(), "the solver has taken over");
    apply_all(&mut session, &["undo"]);
    assert_eq!((session.motion().cloned(), session.targets().copied().collect::<Vec<_>>()), before);

    let mut session = two_joints();
    apply_all(&mut session, &["motion.mode follow", "motion.play", "target.path circle"]);
    ticks(&mut session, 30);
    assert_eq!(session.motion().expect("there").drives, [None]);
    apply_all(&mut session, &["motion.drive elbow elbow"]);
    assert_eq!(session.target_path(), None, "and what the recording moves runs along no path");
}

#[test]
fn playback_follows_its_commands() {
    let time = |session: &Session| session.motion().expect("there").time;
    let mut session = two_joints();
    let duration = session.motion().expect("there").duration();
    assert_eq!(duration, 1.0);
    apply_all(&mut session, &["motion.speed 0.5", "motion.play"]);
    ticks(&mut session, 60);
    assert!((time(&session) - 0.5).abs() < 1e-9);
    apply_all(&mut session, &["motion.loop off", "motion.speed 2"]);
    ticks(&mut session, 60);
    assert_eq!(time(&session), duration);
    assert!(!session.motion().expect("there").playing && !session.is_moving());
    apply_all(&mut session, &["motion.play"]);
    ticks(&mut session, 3);
    assert!((time(&session) - 0.1).abs() < 1e-9, "played again from the beginning");
    for (command, expected) in [
        ("motion.step 1", 0.125),
        ("motion.step 2", 0.375),
        ("motion.scrub 0.3", 0.3),
        ("motion.step -1", 0.25),
        ("motion.step -9", 0.0),
        ("motion.seek 99", 1.0),
    ] {
        apply_all(&mut session, &[command]);
        assert!((time(&session) - expected).abs() < 1e-12, "{command}: {}", time(&session));
    }
    apply_all(&mut session, &["reset"]);
    assert_eq!(time(&session), 0.0);
}

#[test]
fn undoing_everything_restores_the_start() {
    for scene in figures().into_iter().filter(|scene| scene.skeleton.len() < 30) {
        for seed in 0..6 {
            let mut random = Random::new(seed);
            let mut session = Session::new(scene.clone());
            ticks(&mut session, 90);
            let state = |session: &Session| {
                (
                    session.targets().copied().collect::<Vec<_>>(),
                    session.solved().clone(),
                    session.scene().clone(),
                    session.motion().cloned(),
                )
            };
            let start = state(&session);
            let file = format!("motion.open \"{}\"", own().display());
            for _ in 0..40 {
                let seek = format!("motion.seek {}", random.range(0.0, 1.0));
                let scrub = format!("motion.scrub {}", random.range(0.0, 1.0));
                let commands = [
                    "motion.play",
                    "motion.pause",
                    "motion.toggle",
                    "motion.mode follow",
                    "motion.clip next",
                    &seek,
                    &scrub,
                    "motion.step 1",
                    "motion.loop off",
                    "motion.speed 2",
                    "motion.close",
                    &file,
                    "target.random",
                    "reset",
                    "base.toggle",
                    "target.path circle",
                ];
                apply_any(&mut session, commands[random.index(commands.len())]);
                ticks(&mut session, random.index(20));
            }
            (0..60).for_each(|_| apply_all(&mut session, &["undo"]));
            assert_eq!(state(&session), start, "{} seed {seed}", scene.name);
        }
    }
}

#[test]
fn playing_and_stopping_is_undone_in_one_step() {
    for stop in ["motion.toggle", "motion.pause"] {
        let mut session = two_joints();
        session.tick(DT);
        let start = session.solved().clone();
        apply_all(&mut session, &["target.move 0.1 0.05 0"]);
        ticks(&mut session, 60);
        let dragged = session.solved().clone();
        apply_all(&mut session, &["motion.toggle"]);
        ticks(&mut session, 30);
        apply_all(&mut session, &[stop]);
        ticks(&mut session, 30);
        let is_playing = |session: &Session| session.motion().expect("there").playing;
        // The pose that playing replaced comes back first: it would be lost otherwise.
        for expected in [&dragged, &start] {
            apply_all(&mut session, &["undo"]);
            assert_eq!(session.solved(), expected, "{stop}");
            assert!(!is_playing(&session), "{stop}");
        }
    }
}

#[test]
fn a_file_with_a_saved_pose_plays_its_first_clip_that_lasts() {
    for mut scene in figures() {
        let motions = &mut std::sync::Arc::make_mut(&mut scene.assets).motions;
        let pose = fabrik3d_scene::Motion::new("pose", 1.0 / 30.0, vec![scene.start.clone()]);
        assert_eq!(pose.duration(), 0.0);
        motions.insert(0, pose);
        let mut session = Session::new(scene);
        assert_eq!(session.motion().expect("there").clip, 1);
        session.tick(DT);
        apply_all(&mut session, &["motion.play"]);
        ticks(&mut session, 10);
        assert!(session.motion().expect("there").time > 0.1);
        // The pose can still be chosen.
        apply_all(&mut session, &["motion.clip POSE"]);
        assert_eq!(session.motion().expect("there").clip, 0);
    }
}

#[test]
fn a_scrub_is_undone_in_one_step() {
    let mut session = two_joints();
    session.tick(DT);
    apply_all(&mut session, &["motion.seek 0.25"]);
    let before = session.motion().cloned();
    (1..50).for_each(|k| apply_all(&mut session, &[&format!("motion.scrub {}", 0.01 * f64::from(k))]));
    apply_all(&mut session, &["undo"]);
    assert_eq!(session.motion().cloned(), before);
}

#[test]
fn tables_of_targets_are_followed() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let rows: Vec<DVec3> = (0..40)
        .map(|row| {
            let (sin, cos) = (0.1 * f64::from(row)).sin_cos();
            DVec3::new(0.8 * cos, 1.5, 0.8 * sin)
        })
        .collect();
    let text: String = rows.iter().map(|row| format!("{},{},{}\n", row.x, row.y, row.z)).collect();
    let csv = folder.join("a circle.csv");
    std::fs::write(&csv, format!("x,y,z\n{text}")).expect("written");
    let npy = folder.join("circle.npy");
    let mut bytes = Vec::new();
    fabrik3d_scene::write_npy(&mut bytes, rows.len(), 3, rows.iter().flat_map(|row| row.to_array())).expect("written");
    std::fs::write(&npy, bytes).expect("written");
    for file in [csv, npy] {
        let mut session = demo();
        apply_all(&mut session, &[&format!("motion.open \"{}\"", file.display()), "motion.loop off"]);
        assert!((session.motion().expect("opened").duration() - 39.0 / 30.0).abs() < 1e-12);
        for row in rows.iter().skip(1) {
            ticks(&mut session, 2);
            let target = session.target(0).position.expect("a place");
            assert!(target.distance(*row) < 1e-9, "{target} {row}");
            assert!(session.residual(0).expect("a place") < 1e-3);
        }
        assert_eq!(try_apply(&mut session, "motion.mode show"), Err(CommandError::NothingToShow));
    }
    let wrong = folder.join("wrong.csv");
    std::fs::write(&wrong, "x,y,z\n1,2,3\n1,nan,3\n").expect("written");
    let before = demo().targets().copied().collect::<Vec<_>>();
    let mut session = demo();
    assert!(matches!(
        try_apply(&mut session, &format!("motion.open \"{}\"", wrong.display())),
        Err(CommandError::MotionFile(_))
    ));
    assert_eq!((session.targets().copied().collect::<Vec<_>>(), session.motion()), (before, None));
}

/// Orientations, angles and directions of a table are followed, and forgotten with it.
#[test]
fn tables_turn_their_targets() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let open = || {
        Session::new(Scene::open(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/models/seven-axes.urdf")).expect("reads"))
    };
    let scene = open().scene().clone();
    let (joint, tip) = (scene.effectors[0].effector.joint, scene.effectors[0].effector.tip);
    let mut random = Random::new(4);
    let frames: Vec<Isometry> =
        (0..12).map(|_| scene.skeleton.frames(&scene.skeleton.random_pose(&mut random))[joint]).collect();
    /// The columns of a rotation, and its numbers.
    type Columns = (&'static str, fn(DQuat) -> Vec<f64>);
    let turns: [Columns; 3] = [
        ("qx,qy,qz,qw", |turn| turn.to_array().to_vec()),
        ("yaw,pitch,roll", |turn| <[f64; 3]>::from(turn.to_euler(EulerRot::ZYX)).to_vec()),
        ("dx,dy,dz", |turn| (turn * DVec3::Z).to_array().to_vec()),
    ];
    for (columns, numbers) in turns {
        let row = |frame: &Isometry| {
            let values = frame.point(tip).to_array().into_iter().chain(numbers(frame.rotation));
            values.map(|value| value.to_string()).collect::<Vec<_>>().join(",")
        };
        let rows: Vec<String> = frames.iter().map(row).collect();
        let file = folder.join("turns.csv");
        std::fs::write(&file, format!("x,y,z,{columns}\n{}\n", rows.join("\n"))).expect("written");
        let mut session = open();
        apply_all(&mut session, &[&format!("motion.open \"{}\"", file.display())]);
        for (at, frame) in frames.iter().enumerate() {
            ticks(&mut session, 180);
            let now = session.scene().skeleton.frame_of(Isometry::IDENTITY, session.solved(), joint);
            let is_direction = columns == "dx,dy,dz";
            let apart = if is_direction {
                DQuat::from_rotation_arc(frame.rotation * DVec3::Z, now.rotation * DVec3::Z)
            } else {
                frame.rotation.conjugate() * now.rotation
            };
            let angle = 2.0 * apart.w.abs().min(1.0).acos();
            assert!(now.point(tip).distance(frame.point(tip)) < 1e-3, "{columns}, row {at}");
            assert!(angle < 5e-3, "{columns}, row {at}: {angle}");
            apply_all(&mut session, &["motion.step 1"]);
        }
        // The panel shows the first row again.
        apply_all(&mut session, &["reset"]);
        assert!(session.target(0).position.expect("a place").distance(frames[0].point(tip)) < 1e-9, "{columns}");
        apply_all(&mut session, &["motion.close"]);
        assert_eq!(session.target(0).orientation, None, "{columns}");
    }
}

/// What the table before asked for does not last, and start coordinates, which rows that follow one another do not need, are named.
#[test]
fn a_table_of_positions_leaves_orientations_open() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let robot = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/models/seven-axes.urdf");
    let mut session = Session::new(Scene::open(robot).expect("reads"));
    let place = session.tip(0) + DVec3::new(0.02, 0.0, 0.02);
    let joint =
        session.scene().skeleton.joints()[session.scene().settable_joints().next().expect("a joint")].name.clone();
    let mut open = |name: &str, columns: &str, values: &str| {
        let file = folder.join(name);
        std::fs::write(&file, format!("x,y,z{columns}\n{},{},{}{values}\n", place.x, place.y, place.z))
            .expect("written");
        apply_all(&mut session, &[&format!("motion.open \"{}\"", file.display())]);
        (session.target(0).orientation, session.remark().map(ToString::to_string))
    };
    assert!(open("turned.csv", ",qx,qy,qz,qw", ",0,0,0,1").0.is_some());
    let (orientation, remark) = open("plain.csv", "", "");
    assert_eq!((orientation, remark), (None, None));
    let remark = open("starts.csv", &format!(",q.{joint}"), ",0.3").1.expect("a remark");
    assert!(remark.contains("q.JOINT are not used"), "{remark}");
    let remark = open("times.csv", ",time", ",0").1.expect("a remark");
    assert!(remark.contains("times of the rows are not used: each row takes one second"), "{remark}");
    // Rows may leave out what others have.
    let [x, y, z] = place.to_array();
    let file = folder.join("some-turned.csv");
    std::fs::write(&file, format!("x,y,z,roll,pitch,yaw\n{x},{y},{z},0,0,1\n{x},{y},{z},,,\n{x},{y},{z},0,1,0\n"))
        .expect("written");
    apply_all(&mut session, &[&format!("motion.open \"{}\"", file.display())]);
    for (step, is_turned) in [(0, true), (1, false), (1, true), (-1, false), (-1, true)] {
        apply_all(&mut session, &[&format!("motion.step {step}")]);
        assert_eq!(session.target(0).orientation.is_some(), is_turned, "after a step of {step}");
    }
}

#[test]
fn a_short_table_opens_at_its_first_row_and_goes_on_row_by_row() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("grasps.csv");
    std::fs::write(&file, "x,y,z\n0.8,1.5,0\n0,1.5,0.8\n-0.8,1.5,0\n0,1.5,-0.8\n").expect("written");
    let mut session = demo();
    apply_all(&mut session, &[&format!("motion.open \"{}\"", file.display())]);
    ticks(&mut session, 120);
    let row = |session: &Session| {
        session.motion().filter(|motion| motion.has_rows()).map(fabrik3d_viewer::session::Playback::frame)
    };
    assert_eq!((row(&session), session.target(0).position), (Some([1, 4]), Some(DVec3::new(0.8, 1.5, 0.0))));
    apply_all(&mut session, &["motion.step 1"]);
    assert_eq!((row(&session), session.target(0).position), (Some([2, 4]), Some(DVec3::new(0.0, 1.5, 0.8))));
    apply_all(&mut session, &["motion.play"]);
    ticks(&mut session, 60);
    assert_eq!(row(&session), Some([3, 4]));
    // In a loop, the first row comes after the last one.
    for (command, at) in [("motion.step 2", 1), ("motion.step -1", 4), ("motion.step 1", 1), ("motion.step -5", 4)] {
        apply_all(&mut session, &[command]);
        assert_eq!(row(&session), Some([at, 4]), "{command}");
    }
    apply_all(&mut session, &["motion.loop off", "motion.step 1"]);
    assert_eq!(row(&session), Some([4, 4]), "without a loop it ends there");
    assert_eq!(row(&two_joints()), None, "a recording has a time");
}

#[test]
fn a_reload_keeps_the_recording_and_its_time() {
    let mut session = two_joints();
    apply_all(&mut session, &["motion.mode follow", "motion.speed 0.5", "motion.play"]);
    ticks(&mut session, 30);
    let before = session.motion().cloned();
    session.reload(Scene::open(own()).expect("reads"));
    assert_eq!(session.motion().cloned(), before);
}

#[test]
fn impossible_commands_return_errors_and_change_nothing() {
    let mut session = demo();
    assert_eq!(try_apply(&mut session, "motion.play"), Err(CommandError::NoMotion));
    let mut session = two_joints();
    let before = session.motion().cloned();
    for command in
        ["motion.clip run", "motion.clip 0", "motion.clip 2", "motion.drive knee elbow", "motion.drive elbow x"]
    {
        assert!(try_apply(&mut session, command).is_err(), "{command}");
    }
    for file in ["missing.bvh", "Cargo.toml", "assets/models/arm.urdf"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
        let error = try_apply(&mut session, &format!("motion.open \"{}\"", path.display())).expect_err("is no motion");
        assert!(error.to_string().contains(file), "{error}");
    }
    assert_eq!(session.motion().cloned(), before);
}

/// A figure with an effector on its head alone gets effectors on the other joints that lead a body and follows them.
/// Everything else is free.
#[test]
fn effectors_and_orientations_come_with_a_recording() {
    let (Some(walk), Some(hops)) = (gathered(WALK), gathered(HOPS)) else {
        return;
    };
    let mut scene = Scene::open(walk).expect("reads");
    scene.effectors.retain(|effector| effector.name == "Head");
    let mut session = Session::new(scene.clone());
    apply_all(&mut session, &[&format!("motion.open \"{}\"", hops.display())]);
    let before = session.targets().len();
    apply_all(&mut session, &["motion.mode follow"]);
    let after = session.targets().len();
    assert!(after > before, "hands, feet and hips have none");
    let drives = session.motion().expect("opened").drives.to_vec();
    assert!(drives[before..].iter().all(Option::is_some));
    ticks(&mut session, 30);
    for (at, drive) in drives.iter().enumerate() {
        assert_eq!(session.is_free(at), drive.is_none(), "{}", session.scene().effectors[at].name);
    }
    apply_all(&mut session, &["motion.turns on"]);
    ticks(&mut session, 60);
    let time = session.motion().expect("opened").time;
    let expected: Vec<_> = session.targets().map(|target| target.rotation()).collect();
    let mut shown = Session::new(session.scene().clone());
    let seek = format!("motion.seek {time}");
    apply_all(&mut shown, &[&format!("motion.open \"{}\"", hops.display()), "motion.pause", &seek, "motion.mode show"]);
    let frames = shown.scene().skeleton.frames(shown.solved());
    for (at, effector) in session.scene().effectors.iter().enumerate().filter(|(at, _)| drives[*at].is_some()) {
        let expected = expected[at].expect("an orientation");
        let there = frames[effector.effector.joint].rotation;
        assert!(expected.angle_between(there) < 1e-6, "{}: {expected} {there}", effector.name);
    }
    apply_all(&mut session, &["motion.turns off"]);
    assert!(session.targets().all(|target| target.rotation().is_none()));
    apply_all(&mut session, &["undo", "undo", "undo"]);
    assert_eq!((session.targets().len(), session.scene().effectors.len()), (before, before));
}

/// Opening a recording tells what of it does not reach the figure.
#[test]
fn a_recording_says_what_it_leaves_out() {
    let mannequin = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/models/mannequin.glb");
    let mut session = Session::new(Scene::open(mannequin).expect("reads"));
    apply_all(&mut session, &[&format!("motion.open \"{}\"", puppet().display())]);
    let Some(Remark::OfMatch { recording, unmatched: joints, turned: _ }) = session.remark() else {
        panic!("a remark")
    };
    assert_eq!((recording.as_str(), joints.len()), ("puppet.gltf", 10));
    assert!(joints.iter().all(|joint| ["Root", "Hair", "Hand"].iter().any(|part| joint.contains(part))), "{joints:?}");
    apply_all(&mut session, &["motion.play"]);
    assert_eq!(session.remark(), None, "once");
    apply_all(&mut session, &[&format!("motion.open \"{}\"", own().display())]);
    assert_eq!(session.remark(), Some(&Remark::NothingFollows));
    apply_all(&mut session, &["motion.match elbow Head"]);
    assert_eq!(session.remark(), None);
    let mut same = Session::new(Scene::open(puppet()).expect("reads"));
    apply_all(&mut same, &[&format!("motion.open \"{}\"", puppet().display())]);
    assert_eq!(same.remark(), None, "a figure leaves nothing of its own recording out");
}

/// A foot that stands in a recording does not slide on a figure of another build: in the frames in which the recorded foot is
/// low and hardly moves, the foot of the figure moves by less than 0.15 m/s, for a person of 1.7 m.
#[test]
fn planted_feet_stay_planted() {
    let pairs = [(HOPS, "puppet.gltf"), (HOPS, "mannequin.glb"), (WALK, "puppet.gltf"), (WALK, "mannequin.glb")];
    for (file, name) in pairs {
        let Some(file) = gathered(file) else { return };
        let figure = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/models").join(name);
        let recording = Scene::open(&file).expect("reads");
        let mut session = Session::new(Scene::open(&figure).expect("reads"));
        apply_all(&mut session, &[&format!("motion.open \"{}\"", file.display()), "motion.mode follow"]);
        let named = |scene: &Scene, name: &str| {
            let joints = scene.skeleton.joints();
            joints.iter().position(|joint| joint.name.rsplit(':').next() == Some(name)).expect("a joint")
        };
        let height = |scene: &Scene| {
            let frames = scene.skeleton.frames(&scene.skeleton.rest_pose());
            let heights = frames.iter().map(|frame| frame.position.y);
            heights.clone().fold(f64::MIN, f64::max) - heights.fold(f64::MAX, f64::min)
        };
        let motion = &recording.assets.motions[0];
        let ends = ["LeftToeBase", "RightToeBase"].map(|name| (named(&recording, name), named(session.scene(), name)));
        let place = |seconds: f64, joint: usize| {
            let skeleton = motion.skeleton_at(&recording.skeleton, seconds);
            skeleton.frames(&motion.pose_at(&skeleton, seconds))[joint].position / height(&recording)
        };
        let frames = ((motion.duration() / DT) as usize).min(300);
        let lowest = ends.map(|(end, _)| (0..frames).map(|at| place(at as f64 * DT, end).y).fold(f64::MAX, f64::min));
        let tall = height(session.scene());
        let mut last: Option<(f64, Vec<DVec3>)> = None;
        let mut slides = Vec::new();
        for _ in 0..frames {
            session.tick(DT);
            let time = session.motion().expect("plays").time;
            let now = displayed(&session);
            if let Some((before, then)) = &last
                && time > *before
            {
                for ((recorded, own), lowest) in ends.iter().zip(lowest) {
                    let [from, to] = [*before, time].map(|time| place(time, *recorded));
                    let speed = from.distance(to) / (time - before);
                    if to.y - lowest < 0.02 && speed < 0.15 {
                        let way = (now[*own] - then[*own]) / tall;
                        slides.push(1.7 * DVec3::new(way.x, 0.0, way.z).length() / (time - before));
                    }
                }
            }
            last = Some((time, now));
        }
        let mean = slides.iter().sum::<f64>() / slides.len().max(1) as f64;
        println!("{} on {}: {mean:.3} m/s in {} frames", file.display(), figure.display(), slides.len());
        assert!(slides.len() > 20, "{} stands in {} frames", file.display(), slides.len());
        assert!(mean < 0.15, "{} on {}: {mean} m/s", file.display(), figure.display());
    }
}

/// A figure like the recorded one, with links of 0.75 to 1.3 times the length, those of the left side as long as those of the
/// right one.
fn of_other_proportions(scene: &Scene, seed: u64) -> Scene {
    let mut random = Random::new(seed);
    let mut other = scene.clone();
    let mut stretch = HashMap::new();
    let joints = scene.skeleton.joints().iter().map(|joint| {
        let mut joint = joint.clone();
        let part = joint.name.replace("Left", "").replace("Right", "");
        let part = part.trim_start_matches(['L', 'R']).to_owned();
        joint.offset *= *stretch.entry(part).or_insert_with(|| random.range(0.75, 1.3));
        joint
    });
    other.skeleton = Skeleton::new(joints.collect()).expect("as sound as it was").into();
    other.start = other.skeleton.rest_pose();
    other.assets = std::sync::Arc::default();
    other
}

/// Number of frames in which a joint reverses its motion by more than a fraction of the figure's height.
fn reversals(path: &[Vec<DVec3>], height: f64) -> usize {
    let turns_back = |at: usize, frames: &[Vec<DVec3>]| {
        let (before, after) = (frames[1][at] - frames[0][at], frames[2][at] - frames[1][at]);
        let far = 0.01 * height;
        let is_back = before.dot(after) < -0.5 * before.length() * after.length();
        is_back && before.length() > far && after.length() > far
    };
    path.windows(3).filter(|frames| (0..frames[0].len()).any(|at| turns_back(at, frames))).count()
}

/// When a figure follows a smooth recording of a figure with other proportions, no joint moves back and forth, neither in
/// the solved nor in the displayed pose.
#[test]
fn following_another_figure_causes_no_oscillation() {
    let (Some(hops), Some(man)) = (gathered(HOPS), gathered(MAN)) else { return };
    let scene = Scene::open(&hops).expect("reads");
    let open = format!("motion.open \"{}\"", hops.display());
    let mut sessions: Vec<Session> = (0..12).map(|seed| Session::new(of_other_proportions(&scene, seed))).collect();
    sessions.iter_mut().for_each(|session| apply_all(session, &[&open]));
    let mut character = Session::new(Scene::open(man).expect("reads"));
    apply_all(&mut character, &[&open]);
    for (recorded, node) in OF_MAN {
        apply_all(&mut character, &[&format!("motion.match {recorded} node{node}")]);
    }
    for (at, mut session) in sessions.into_iter().chain([character]).enumerate() {
        apply_all(&mut session, &["motion.seek 0", "motion.mode follow"]);
        let (mut solved, mut shown) = (Vec::new(), Vec::new());
        for _ in 0..480 {
            session.tick(DT);
            shown.push(displayed(&session));
            solved.push(session.scene().skeleton.frames(session.solved()).iter().map(|frame| frame.position).collect());
        }
        let heights = shown[0].iter().map(|place| place.y);
        let height = heights.clone().fold(f64::MIN, f64::max) - heights.fold(f64::MAX, f64::min);
        let found = [reversals(&solved, height), reversals(&shown, height)];
        assert!(found.iter().all(|count| *count <= 2), "figure {at}: {found:?} of 480 frames");
    }
}

/// Recorded joints for the joints of the character, whose nodes have no names.
const OF_MAN: [(&str, usize); 19] = [
    ("Hips", 2),
    ("Spine", 11),
    ("Spine1", 12),
    ("Neck", 19),
    ("Head", 20),
    ("LeftArm", 16),
    ("LeftForeArm", 17),
    ("LeftHand", 18),
    ("RightArm", 13),
    ("RightForeArm", 14),
    ("RightHand", 15),
    ("LeftUpLeg", 7),
    ("LeftLeg", 8),
    ("LeftFoot", 9),
    ("LeftToeBase", 10),
    ("RightUpLeg", 3),
    ("RightLeg", 4),
    ("RightFoot", 5),
    ("RightToeBase", 6),
];

/// Any joint can drive any effector, even one without reach, and the target stays finite.
#[test]
fn driven_targets_are_finite() {
    let (Some(man), Some(hops)) = (gathered(MAN), gathered(HOPS)) else { return };
    let scenes = [Scene::open(man).expect("reads"), session_support::open("humanoid").scene().clone()];
    for scene in scenes {
        let mut session = Session::new(scene.clone());
        apply_all(&mut session, &[&format!("motion.open \"{}\"", hops.display())]);
        let tracks = session.motion().expect("opened").source.tracks().into_iter().map(str::to_owned);
        for track in tracks.collect::<Vec<_>>() {
            for effector in &scene.effectors {
                apply_all(&mut session, &[&format!("motion.drive \"{track}\" \"{}\"", effector.name)]);
                session.tick(DT);
                for target in session.targets() {
                    assert!(target.position.is_none_or(DVec3::is_finite), "{track} drives {}", effector.name);
                }
                assert!(displayed(&session).iter().all(|place| place.is_finite()), "{track} drives {}", effector.name);
            }
        }
    }
}

/// Joints can be matched by hand. The result is the same as with equal names.
#[test]
fn joints_can_be_matched_by_hand() {
    let Some(hops) = gathered(HOPS) else { return };
    let named = Scene::open(&hops).expect("reads");
    let mut nameless = named.clone();
    let joints = named.skeleton.joints().iter().enumerate().map(|(at, joint)| {
        let mut joint = joint.clone();
        joint.name = format!("bone{at}");
        joint
    });
    nameless.skeleton = Skeleton::new(joints.collect()).expect("as sound as it was").into();
    nameless.assets = std::sync::Arc::default();
    let mut session = Session::new(nameless);
    apply_all(&mut session, &[&format!("motion.open \"{}\"", hops.display())]);
    assert_eq!(session.motion().expect("opened").mode, MotionMode::Follow, "no name is known");
    let unknown = CommandError::UnknownTrack("tail".to_owned());
    assert_eq!(try_apply(&mut session, "motion.match tail bone0"), Err(unknown));
    assert!(try_apply(&mut session, "motion.match Hips bone").is_err());
    let before = session.motion().cloned();
    for (at, joint) in named.skeleton.joints().iter().enumerate() {
        apply_all(&mut session, &[&format!("motion.match {} bone{at}", joint.name)]);
    }
    assert_eq!(session.motion().expect("opened").mode, MotionMode::Show);
    ticks(&mut session, 90);
    let time = session.motion().expect("plays").time;
    let places: Vec<_> = session.scene().skeleton.frames(session.solved()).iter().map(|frame| frame.position).collect();
    assert!(farthest(&places, &recorded(&named, 0, time)) < 1e-9 * size(&named));
    apply_all(&mut session, &["motion.mode follow"]);
    ticks(&mut session, 10);
    assert!(session.motion().expect("plays").drives.iter().all(Option::is_some), "effectors follow their joints");
    apply_all(&mut session, &["motion.match none bone0"]);
    assert_eq!(session.motion().expect("plays").drives.iter().filter(|drive| drive.is_none()).count(), 1);
    for _ in 0..named.skeleton.len() + 2 {
        apply_all(&mut session, &["undo"]);
    }
    let after = session.motion().expect("opened");
    assert_eq!((after.mode, &after.drives), (MotionMode::Follow, &before.expect("opened").drives));
}
