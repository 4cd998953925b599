//! Laws of recorded motion in a session: shown poses are the recorded ones, followed paths are met, nothing pops, and
//! undo brings everything back.
#![cfg(feature = "files")]

mod gathered;

use fabrik3d::DVec3;
use fabrik3d::ik::random::Random;
use fabrik3d::scene::Scene;
use fabrik3d::session::{Command, CommandError, MotionMode, Session};
use gathered::gathered;
use std::path::{Path, PathBuf};

const DT: f64 = 1.0 / 60.0;

fn own() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/models/two-joints.bvh")
}

/// Figures that bring clips along: our own, and gathered ones.
fn figures() -> Vec<Scene> {
    let names = [
        "bvh/cmu/01_01_playground_hops.bvh",
        "bvh/pymo/AV_8Walk_Meredith_HVHA_Rep1.bvh",
        "gltf/CesiumMan/CesiumMan.glb",
        "gltf/Fox/Fox.glb",
        "gltf/RiggedSimple/RiggedSimple.glb",
    ];
    let paths = names.iter().filter_map(|name| gathered(name)).chain([own()]);
    paths.map(|path| Scene::open(path).expect("reads")).collect()
}

fn run(session: &mut Session, command: &str) -> Result<(), CommandError> {
    match command.parse::<Command>() {
        Ok(Command::Session(command)) => session.apply(&command),
        other => panic!("`{command}` is {other:?}"),
    }
}

fn play(session: &mut Session, commands: &[&str]) {
    commands.iter().for_each(|command| run(session, command).unwrap_or_else(|error| panic!("{command}: {error}")));
}

fn displayed(session: &Session) -> Vec<DVec3> {
    session.scene().skeleton.frames(session.displayed()).iter().map(|frame| frame.position).collect()
}

fn farthest(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

/// Largest reach of any effector.
fn size(scene: &Scene) -> f64 {
    scene.effectors.iter().map(|effector| scene.reach(effector)).fold(0.0, f64::max)
}

/// Largest step that a recorded joint makes in a sixtieth of a second.
fn recorded_step(scene: &Scene, clip: usize) -> f64 {
    let motion = &scene.assets.motions[clip];
    let at = |time: f64| -> Vec<DVec3> {
        let pose = motion.pose_at(&scene.skeleton, time);
        scene.skeleton.frames(&pose).iter().map(|frame| frame.position).collect()
    };
    let frames = (motion.duration() / DT) as usize;
    let places: Vec<_> = (0..=frames).map(|frame| at(frame as f64 * DT)).collect();
    places.windows(2).map(|pair| farthest(&pair[0], &pair[1])).fold(0.0, f64::max)
}

#[test]
fn a_shown_clip_is_what_was_recorded() {
    for scene in figures() {
        for clip in 0..scene.assets.motions.len() {
            let motion = scene.assets.motions[clip].clone();
            let mut session = Session::new(scene.clone());
            play(&mut session, &[&format!("motion.clip \"{}\"", motion.name), "motion.play"]);
            for frame in 1..120 {
                session.tick(DT);
                let time = (f64::from(frame) * DT) % motion.duration();
                let playback = session.motion().expect("plays");
                assert!((playback.time() - time).abs() < 1e-9, "{}: {} not {time}", scene.name, playback.time());
                let recorded = motion.pose_at(&scene.skeleton, playback.time());
                assert_eq!(session.solved(), &recorded, "{} {} at {time}", scene.name, motion.name);
                for (at, target) in session.targets().iter().enumerate() {
                    let place = target.position.expect("these targets are places");
                    assert!(place.distance(session.tip(at)) < 1e-9, "a target was left behind");
                }
            }
        }
    }
}

/// Whatever is done while a clip plays, from one frame to the next nothing moves much faster than was recorded, or than
/// the ease from any pose to any other.
#[test]
fn nothing_pops() {
    for scene in figures() {
        let size = size(&scene);
        let fastest = (0..scene.assets.motions.len()).map(|clip| recorded_step(&scene, clip)).fold(0.0, f64::max);
        let travel = travel(&scene);
        let mut random = Random::new(3);
        let mut session = Session::new(scene.clone());
        session.tick(DT);
        let mut last = displayed(&session);
        for frame in 0..600 {
            let time = random.range(0.0, 3.0);
            match random.index(40) {
                0 => play(&mut session, &["motion.play"]),
                1 => play(&mut session, &["motion.pause"]),
                2 => play(&mut session, &[&format!("motion.seek {time}")]),
                3 => play(&mut session, &["motion.clip next"]),
                4 => play(&mut session, &["motion.mode"]),
                5 => play(&mut session, &["undo"]),
                _ => {}
            }
            session.tick(DT);
            let now = displayed(&session);
            assert!(now.iter().all(|place| place.is_finite()), "{}", scene.name);
            let step = farthest(&now, &last);
            // The ease is steepest amid the blend: PI / 2 of the way a second. That way is at most what lies between
            // two places of the clip and a half turn of the whole figure, whose links add up.
            let eased = (travel + 4.0 * size) * std::f64::consts::FRAC_PI_2 * DT;
            assert!(step <= eased + 2.0 * fastest, "{}: a step of {step} in frame {frame}, {eased} {fastest}", scene.name);
            last = now;
        }
    }
}

/// How far apart places of the clips are.
fn travel(scene: &Scene) -> f64 {
    let places = scene.assets.motions.iter().flat_map(|motion| {
        (0..=20).map(|at| {
            let pose = motion.pose_at(&scene.skeleton, motion.duration() * f64::from(at) / 20.0);
            scene.skeleton.frames(&pose)[0].position
        })
    });
    let places: Vec<DVec3> = places.collect();
    places.iter().flat_map(|a| places.iter().map(move |b| a.distance(*b))).fold(0.0, f64::max)
}

#[test]
fn a_figure_that_follows_itself_meets_its_targets() {
    for scene in figures() {
        for clip in 0..scene.assets.motions.len() {
            let mut session = Session::new(scene.clone());
            play(&mut session, &[&format!("motion.clip {}", clip + 1), "motion.mode follow", "motion.play"]);
            let (mut worst, mut mean) = (0.0_f64, 0.0_f64);
            let mut steps: f64 = 0.0;
            let mut last: Option<Vec<DVec3>> = None;
            for _ in 0..120 {
                session.tick(DT);
                if session.blend().is_some() {eprintln!("blend at {}", session.motion().unwrap().time());}
                for at in 0..session.targets().len() {
                    let reach = scene.reach(&scene.effectors[at]);
                    worst = worst.max(session.residual(at).expect("has a place") / reach);
                }
                mean = mean.max(session.reconstruction().expect("joints are known").mean / size(&scene));
                let now = displayed(&session);
                if let Some(last) = &last { steps = steps.max(farthest(&now, last)); }
                last = Some(now);
            }
            eprintln!("{} {clip}: residual {worst:.1e} mean {mean:.3} step {steps:.3} recorded {:.3} size {:.3}", scene.name, recorded_step(&scene, clip), size(&scene));
        }
    }
}

#[test]
fn cesium_man() {
    let (Some(man), Some(path)) = (gathered("gltf/CesiumMan/CesiumMan.glb"), gathered("bvh/cmu/01_01_playground_hops.bvh")) else { return };
    let scene = Scene::open(man).expect("reads");
    for effector in &scene.effectors { eprintln!("{} {:?} {}", effector.name, effector.target.position, scene.reach(effector)); }
    let mut session = Session::new(scene.clone());
    play(&mut session, &[&format!("motion.open {}", path.display()), "motion.drive LeftHand node15"]);
    assert_eq!(session.motion().unwrap().mode(), MotionMode::Follow);
    let mut last: Option<Vec<DVec3>> = None;
    let (mut worst, mut steps) = (0.0_f64, 0.0_f64);
    for frame in 0..1380 {
        session.tick(DT);
        worst = worst.max(session.residual(2).unwrap());
        let now = displayed(&session);
        if let Some(last) = &last { let s = farthest(&now, last); if s > 0.05 {eprintln!("{frame} step {s} res {}", session.residual(2).unwrap());} steps = steps.max(s); }
        last = Some(now);
    }
    eprintln!("worst {worst} steps {steps}");
}
