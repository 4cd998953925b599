//! A recording and the figure that follows it: `check --motion` and `convert --follow` do what the window does.
#![allow(clippy::unwrap_used)]

use crate::support;

use fabrik3d::host::host;
use fabrik3d_ik::display::mix_poses;
use fabrik3d_ik::queries::worst_violation;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Isometry, Pose, Skeleton};
use fabrik3d_scene::{Change, FileFormat, Motion, OpenOptions, Scene, Up, read_pose_table, write_file};
use fabrik3d_viewer::session::{MotionCommand, MotionMode, Playback, Session, SessionCommand};
use std::path::Path;
use support::run;

const FIGURES: [&str; 4] = [
    "assets/models/mannequin.glb",
    "assets/models/puppet.gltf",
    "assets/models/walk.bvh",
    "assets/scenes/humanoid.toml",
];
const RECORDINGS: [&str; 4] =
    ["assets/models/walk.bvh", "assets/models/puppet.gltf", "assets/models/two-joints.bvh", "missing.bvh"];

/// A session with a scene and a recording, as the window opens them; the error if the recording is refused.
fn opened(scene: &str, recording: &str, up: Option<Up>) -> Result<Session, String> {
    let axis = |up| Change::text("up", if up == Up::Z { "z" } else { "y" });
    let options = OpenOptions { changes: up.map(axis).into_iter().collect(), ..OpenOptions::default() };
    let mut session = Session::new(Scene::open_with(scene, &options).unwrap());
    session.set_host(host());
    let open = MotionCommand::Open(recording.into(), Vec::new(), up);
    session.apply(&SessionCommand::Motion(open)).map(|()| session).map_err(|error| error.to_string())
}

#[test]
fn check_opens_a_recording_as_the_window_does() {
    let mut noted = 0;
    for scene in FIGURES {
        for recording in RECORDINGS {
            for up in [None, Some(Up::Y), Some(Up::Z)] {
                let mut line = vec!["check", scene, "--motion", recording];
                if let Some(up) = up {
                    line.extend(["--up", if up == Up::Z { "z" } else { "y" }]);
                }
                let ran = run(&line);
                match opened(scene, recording, up) {
                    Ok(session) => {
                        let playback = session.motion().unwrap();
                        let remark = playback.remark().map_or(String::new(), |remark| remark.to_string());
                        let followers = playback.followers(&session.scene().skeleton);
                        assert_eq!(ran.code, Some(0), "{line:?}: {}", ran.out);
                        assert!(ran.err.contains(&remark), "{line:?}: {}\n{remark}", ran.err);
                        let count = if followers == 0 { "no joint".to_owned() } else { format!(", {followers} of ") };
                        assert!(ran.out.contains(&count), "{line:?}: {}\n{count}", ran.out);
                        noted += usize::from(!remark.is_empty());
                    }
                    Err(error) => {
                        assert_eq!(ran.code, Some(1), "{line:?}: {}", ran.out);
                        let first = error.lines().next().unwrap();
                        assert!(ran.out.contains(first), "{line:?}: {}\n{first}", ran.out);
                    }
                }
            }
        }
    }
    assert!(noted > 5, "{noted}");
}

/// The displayed poses of a window with 60 frames per second, at the times of the frames of a clip, and the frames of the joints.
fn shown(mut session: Session, fps: Option<f64>) -> Vec<(Pose, Vec<Isometry>)> {
    for command in
        [MotionCommand::Mode(Some(MotionMode::Follow)), MotionCommand::Loop(false), MotionCommand::Play(true)]
    {
        session.apply(&SessionCommand::Motion(command)).unwrap();
    }
    let frame_time = |playback: &Playback| fps.map_or(playback.source.frame_time(playback.clip), |fps| 1.0 / fps);
    let (frame_time, end) = (frame_time(session.motion().unwrap()), session.motion().unwrap().duration());
    let steps = (60.0 * frame_time - 1e-6).ceil();
    let displayed =
        |session: &Session| (session.displayed().clone(), session.scene().skeleton.frames(session.displayed()));
    let mut poses = vec![displayed(&session)];
    while (poses.len() as f64 - 1.0) * frame_time < end - 1e-6 * frame_time {
        (0..steps as usize).for_each(|_| session.tick(frame_time / steps));
        poses.push(displayed(&session));
    }
    poses
}

/// The largest distance of a joint in one pose from that in another one, and the largest angle between both, radians.
fn difference(skeleton: &Skeleton, a: &Pose, b: &Pose) -> [f64; 2] {
    let [a, b] = [a, b].map(|pose| skeleton.frames(pose));
    let off = a.iter().zip(&b).map(|(a, b)| [a.position.distance(b.position), a.rotation.angle_between(b.rotation)]);
    off.fold([0.0; 2], |most, own| [0, 1].map(|at| f64::max(most[at], own[at])))
}

/// Converts a figure that follows a recording, and compares the file with what the window shows, frame by frame.
fn assert_written_as_shown(scene: &str, recording: &str, fps: Option<f64>, folder: &Path) {
    let out = folder.join("out.csv");
    let rate = fps.map_or(String::new(), |fps| fps.to_string());
    let mut line = vec!["convert", scene, "--motion", recording, "--follow", "-o", out.to_str().unwrap()];
    if fps.is_some() {
        line.extend(["--fps", &rate]);
    }
    let ran = run(&line);
    assert_eq!(ran.code, Some(0), "{scene}: {}", ran.err);
    let read = Scene::open(scene).unwrap();
    let written = read_pose_table(&out, &read).unwrap().unwrap();
    let poses = shown(opened(scene, recording, None).unwrap(), fps);
    assert_eq!((written.motion.len(), written.beyond_limits), (poses.len(), None), "{scene}");
    for (frame, (pose, _)) in poses.iter().enumerate() {
        let own = written.motion.pose(&read.skeleton, frame);
        assert!(worst_violation(&read.skeleton, &own) < 1e-6, "{scene}, frame {frame}");
        let off = difference(&read.skeleton, &own, pose);
        assert!(off.iter().all(|off| *off < 1e-5), "{scene}, frame {frame}: {off:?}");
    }
}

#[test]
fn a_figure_that_follows_is_written_as_the_window_shows_it() {
    let folder = tempfile::tempdir().unwrap();
    for (scene, fps) in [(FIGURES[0], None), (FIGURES[1], Some(24.0)), (FIGURES[3], Some(50.0))] {
        assert_written_as_shown(scene, "assets/models/walk.bvh", fps, folder.path());
    }
}

/// Joints that a clip moves on their parents are written where the window shows them.
#[test]
fn links_that_a_clip_lengthens_are_written_as_shown() {
    let folder = tempfile::tempdir().unwrap();
    let scene = Scene::open(FIGURES[1]).unwrap();
    let clip = &scene.assets.motions[1];
    assert!(clip.moved_joints().len() > 3);
    let mut session = Session::new(scene.clone());
    session.apply(&SessionCommand::Motion(MotionCommand::Clip(clip.name.clone()))).unwrap();
    let shown = shown(session, None);
    let mut lengthened = 0.0_f64;
    for extension in ["glb", "bvh"] {
        let out = folder.path().join(format!("out.{extension}"));
        let ran = run(&["convert", FIGURES[1], "--clip", &clip.name, "--follow", "-o", out.to_str().unwrap()]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let written = Scene::open(&out).unwrap();
        let motion = &written.assets.motions[0];
        assert_eq!(motion.len(), shown.len(), "{extension}");
        for (frame, (pose, expected)) in shown.iter().enumerate() {
            let found = motion.frames(&written.skeleton, frame);
            let at_rest = scene.skeleton.frames(pose);
            for (joint, described) in scene.skeleton.joints().iter().enumerate() {
                let own = written.skeleton.find(&described.name).unwrap();
                let off = found[own].position.distance(expected[joint].position);
                assert!(off < 1e-4, "{extension}, frame {frame}: {} is off by {off}", described.name);
                lengthened = lengthened.max(at_rest[joint].position.distance(expected[joint].position));
            }
        }
    }
    assert!(lengthened > 0.01, "{lengthened}");
}

/// A motion of a scene at random, within its limits.
fn random_motion(scene: &Scene, random: &mut Random) -> Motion {
    let joints: Vec<usize> = (0..scene.skeleton.len()).collect();
    let [from, to] = [0, 1].map(|_| scene.skeleton.random_pose(random));
    let pose = |frame: i32| {
        let mut pose = from.clone();
        mix_poses(&scene.skeleton, &joints, &from, &to, 0.3 * f64::from(frame) / 60.0, &mut pose);
        pose
    };
    Motion::new("random", 1.0 / 60.0, (0..=60).map(pose).collect())
}

/// The same for motions at random, and files of every format.
#[test]
fn a_figure_that_follows_any_motion_is_written_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("motion.csv");
    let csv = FileFormat::with_extension("csv").unwrap().write_motion.unwrap();
    for (seed, name) in ["demo", "tree", "crane", "human-arm", "robot-arm"].into_iter().enumerate() {
        let file = format!("assets/scenes/{name}.toml");
        let scene = Scene::open(&file).unwrap();
        let mut random = Random::new(seed as u64);
        let motion = random_motion(&scene, &mut random);
        write_file(&table, |out| csv(&scene, &motion, out)).unwrap();
        assert_written_as_shown(&file, table.to_str().unwrap(), Some(random.range(10.0, 120.0)), folder.path());
        for format in ["npy", "bvh", "glb"] {
            let out = folder.path().join(format!("{name}.{format}"));
            let [table, written] = [&table, &out].map(|path| path.to_str().unwrap());
            let ran = run(&["convert", &file, "--motion", table, "--follow", "-o", written]);
            assert!(ran.code == Some(0) && out.is_file(), "{name}, {format}: {}", ran.err);
        }
    }
}

#[test]
fn what_has_no_motion_is_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.csv");
    let out = out.to_str().unwrap();
    let ran = run(&["convert", "assets/scenes/robot-arm.toml", "--follow", "-o", out]);
    assert!(ran.code == Some(2) && ran.err.contains("no recorded motion"), "{}", ran.err);
    let ran = run(&["convert", FIGURES[0], "--motion", "assets/models/two-joints.bvh", "--follow", "-o", out]);
    assert!(ran.code == Some(2) && ran.err.contains("--match RECORDED=JOINT"), "{}", ran.err);
    let ran = run(&["convert", "assets/models/walk.bvh", "--follow", "--max-frames", "3", "-o", out]);
    assert!(ran.code == Some(2) && ran.err.contains("more than 3"), "{}", ran.err);
}
