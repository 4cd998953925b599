//! The cosine ease, continuous moves and jumps, lengths in every displayed frame, and undo.

use crate::example_scenes::example_scenes;
use crate::gathered;
use crate::session_support;

use fabrik3d::examples;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Isometry, Target};
use fabrik3d_scene::{Scene, Syntax};
use fabrik3d_viewer::session::command::SessionCommand;
use fabrik3d_viewer::session::{CommandError, Session};
use glam::DVec3;
use session_support::{apply, open, try_apply};
use std::path::Path;
use std::time::Instant;

fn seed_arm() -> Session {
    Session::new(Scene::open(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/scenes/seed-arm.toml")).expect("reads"))
}

fn positions(session: &Session, pose: &[fabrik3d_ik::Coordinates]) -> Vec<DVec3> {
    session.scene().skeleton.frames(pose).iter().map(|frame| frame.position).collect()
}

fn displayed(session: &Session) -> Vec<DVec3> {
    positions(session, session.displayed())
}

fn rest(session: &mut Session) {
    for _ in 0..400 {
        session.tick(1.0 / 60.0);
        if !session.is_moving() {
            return;
        }
    }
    panic!("the session does not come to rest");
}

fn assert_lengths(session: &Session) {
    let skeleton = &session.scene().skeleton;
    for pose in [session.displayed(), session.solved()] {
        let places = positions(session, pose);
        for (joint, &place) in skeleton.joints().iter().zip(&places) {
            if let Some(parent) = joint.parent {
                let (now, length) = (place.distance(places[parent]), joint.offset.length());
                assert!((now - length).abs() <= 1e-9 * length, "a link of {length} is {now} long");
            }
        }
        assert_eq!(places[0], skeleton.joints()[0].offset, "the base has moved");
    }
}

/// Angle between two directions, exact for small angles.
fn angle(a: DVec3, b: DVec3) -> f64 {
    a.cross(b).length().atan2(a.dot(b))
}

#[test]
fn a_jump_follows_the_cosine_to_within_a_frame() {
    for fps in [30.0, 60.0, 144.0] {
        let mut session = seed_arm();
        rest(&mut session);
        let before = displayed(&session);
        session.apply(&SessionCommand::TargetPreset(2)).expect("has presets");
        let mut shares = Vec::new();
        let mut time = 0.0;
        while time < 1.2 {
            session.tick(1.0 / fps);
            time += 1.0 / fps;
            assert_lengths(&session);
            let (now, after) = (displayed(&session), positions(&session, session.solved()));
            for link in 0..before.len() - 1 {
                let direction = |places: &[DVec3]| (places[link + 1] - places[link]).normalize();
                let whole = angle(direction(&before), direction(&after));
                if whole > 0.05 {
                    shares.push((time, angle(direction(&before), direction(&now)) / whole));
                }
            }
        }
        assert!(shares.len() > 20, "the links hardly turned");
        for (time, share) in shares {
            let eased = |t: f64| 0.5 * (1.0 - (std::f64::consts::PI * t.clamp(0.0, 1.0)).cos());
            let (low, high) = (eased(time - 1.0 / fps), eased(time + 1.0 / fps));
            assert!((low - 1e-6..=high + 1e-6).contains(&share), "{share} at {time} s, {fps} Hz");
        }
    }
}

#[test]
fn the_arm_follows_a_continuous_move_in_every_frame() {
    let mut session = seed_arm();
    rest(&mut session);
    for step in 0..180 {
        // Along a circle within reach.
        let (sin, cos) = (f64::from(step) * 0.035).sin_cos();
        session.apply(&SessionCommand::TargetMove(DVec3::new(-0.05 * cos, -0.05 * sin, 0.02 * cos))).expect("moves");
        session.tick(1.0 / 60.0);
        assert_lengths(&session);
        assert!(session.blend().is_none(), "a continuous move started a blend");
        assert_eq!(session.displayed(), session.solved());
        let report = session.report(0).expect("was solved");
        assert!(report.stop.is_reached(), "{report:?}");
    }
}

#[test]
fn jumps_during_a_blend_cause_no_visible_step() {
    let mut random = Random::new(7);
    let mut session = seed_arm();
    let reach = session.step_size();
    let mut last = displayed(&session);
    for frame in 0..900 {
        match random.index(25) {
            0 => session.apply(&SessionCommand::TargetPreset(1 + random.index(3))).expect("has presets"),
            1 => session.apply(&SessionCommand::TargetRandom).expect("has an effector"),
            2 | 3 => {
                let shift = random.direction() * (0.005 * reach);
                session.apply(&SessionCommand::TargetMove(shift)).expect("finite");
            }
            _ => {}
        }
        session.tick(1.0 / 60.0);
        assert_lengths(&session);
        let now = displayed(&session);
        let step = now.iter().zip(&last).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        // An ease is steepest in its middle: PI / 2 of the way per second. The way is at most two reaches (half a turn),
        // and the motions of the links add up.
        assert!(step <= 4.0 * reach * std::f64::consts::FRAC_PI_2 / 60.0, "a step of {step} in frame {frame}");
        last = now;
    }
}

/// A frame without time takes a step, and such frames come to the target, but for poses from which only a search leads on: it
/// comes as soon as there is time.
#[test]
fn a_figure_comes_to_its_target_in_frames_without_time() {
    let names = [
        "crane",
        "demo",
        "four-bar",
        "gripper",
        "hexapod",
        "human-arm",
        "humanoid",
        "keep-clear",
        "robot-arm",
        "rope",
        "spider",
        "stewart",
        "tentacle",
        "tree",
        "two-arms",
    ];
    let is_met = |session: &Session| {
        session.report(session.selected().expect("has effectors")).expect("solved").stop.is_reached()
    };
    let (mut met, mut late) = (0, 0);
    for name in names {
        let [mut session, mut free] = [0, 1].map(|_| {
            let mut session = open(name);
            apply(&mut session, "target.preset 1");
            rest(&mut session);
            apply(&mut session, "target.preset 2");
            session
        });
        let before = session.solved().to_vec();
        session.solve_until(Some(Instant::now()));
        session.tick(1.0 / 60.0);
        assert_ne!(*session.solved(), before, "{name} stays");
        (0..30).for_each(|_| session.tick(1.0 / 60.0));
        late += usize::from(is_met(&session));
        session.solve_until(None);
        rest(&mut session);
        rest(&mut free);
        assert_eq!(is_met(&session), is_met(&free), "{name}");
        met += usize::from(is_met(&free));
    }
    assert!(met >= 13 && late >= 12, "of {met} figures, {late} come to their targets without time");
}

/// Arms of three hinges beside each other, each a figure of its own with a target.
fn row_of_arms(count: usize) -> Session {
    let joint = |name: &str, parent: &str, offset: &str, axis: &str| {
        format!(
            "[[joint]]\nname = \"{name}\"\n{parent}offset = {offset}\nkind = \"hinge\"\naxis = {axis}\nrange = [-170, 170]\n"
        )
    };
    let arm = |at: usize| {
        let parent = |name: &str| format!("parent = \"{name} {at}\"\n");
        let turntable = joint(&format!("turntable {at}"), "", &format!("[{}, 0, 0]", 3 * at), "[0, 1, 0]");
        let shoulder = joint(&format!("shoulder {at}"), &parent("turntable"), "[0, 0.3, 0]", "[0, 0, 1]");
        let elbow = joint(&format!("elbow {at}"), &parent("shoulder"), "[0.6, 0, 0]", "[0, 0, 1]");
        let x = 3.0 * at as f64 + 0.5;
        let hand = "[[effector]]\nname = \"hand\"\njoint = \"elbow\"\ntip = [0.6, 0, 0]\n";
        let hand = hand.replace("hand", &format!("hand {at}")).replace("\"elbow", &format!("\"elbow {at}"));
        format!("{turntable}{shoulder}{elbow}{hand}target = [{x}, 0.8, 0.3]\n")
    };
    let text: String = (0..count).map(arm).collect();
    Session::new(Scene::parse(&text, Syntax::Toml, "arms.toml").expect("a scene"))
}

/// While all targets move on and on, no figure waits longer than the others need for a step each.
#[test]
fn each_figure_has_its_turn_in_frames_without_time() {
    const ARMS: usize = 5;
    let mut session = row_of_arms(ARMS);
    rest(&mut session);
    let mut waited = [0; ARMS];
    for frame in 0..60 {
        let before = session.solved().to_vec();
        for arm in 0..ARMS {
            apply(&mut session, &format!("effector.select \"hand {arm}\""));
            let way = 0.02 * f64::from(frame % 20 - 10).signum();
            session.apply(&SessionCommand::TargetMove(DVec3::new(way, 0.0, way))).expect("moves");
        }
        session.solve_until(Some(Instant::now()));
        session.tick(1.0 / 60.0);
        for (arm, waited) in waited.iter_mut().enumerate() {
            let own = 3 * arm..3 * arm + 3;
            *waited = if session.solved()[own.clone()] == before[own] { *waited + 1 } else { 0 };
            assert!(*waited < ARMS, "arm {arm} waits since {waited} frames in frame {frame}");
        }
    }
}

#[test]
fn the_display_does_not_depend_on_the_frame_rate() {
    let place = |fps: usize| {
        let mut session = seed_arm();
        rest(&mut session);
        session.apply(&SessionCommand::TargetPreset(3)).expect("has presets");
        (0..fps / 2).for_each(|_| session.tick(1.0 / fps as f64));
        displayed(&session)
    };
    let slow = place(30);
    for fps in [60, 144, 1000] {
        for (a, b) in slow.iter().zip(place(fps)) {
            assert!(a.distance(b) < 1e-6, "{a} at 30 Hz, {b} at {fps} Hz");
        }
    }
}

#[test]
fn undoing_everything_restores_the_start() {
    for seed in 0..20 {
        let mut random = Random::new(seed);
        let mut session = seed_arm();
        rest(&mut session);
        let start = (session.targets().copied().collect::<Vec<_>>(), session.solved().clone(), session.scene().clone());
        for _ in 0..40 {
            let command = match random.index(7) {
                0 => SessionCommand::TargetPreset(1 + random.index(3)),
                1 => SessionCommand::TargetRandom,
                2 => SessionCommand::TargetMove(random.direction()),
                3 => SessionCommand::NextMethod,
                4 => SessionCommand::Set("solver.tolerance".into(), format!("{}", random.range(1e-6, 1e-2))),
                5 => SessionCommand::ToggleBase,
                _ => SessionCommand::Reset,
            };
            session.apply(&command).expect("carried out");
            (0..random.index(30)).for_each(|_| session.tick(1.0 / 60.0));
        }
        (0..60).for_each(|_| session.apply(&SessionCommand::Undo).expect("undone"));
        let back = (session.targets().copied().collect::<Vec<_>>(), session.solved().clone(), session.scene().clone());
        assert_eq!(start, back, "seed {seed}");
    }
}

#[test]
fn invalid_targets_are_refused_and_nothing_moves() {
    let mut session = seed_arm();
    rest(&mut session);
    let before = (session.targets().copied().collect::<Vec<_>>(), session.solved().clone());
    let bad = DVec3::new(f64::NAN, 0.0, 0.0);
    assert_eq!(session.apply(&SessionCommand::TargetMove(bad)), Err(CommandError::NotFinite));
    assert_eq!(session.apply(&SessionCommand::TargetSet(None, bad)), Err(CommandError::NotFinite));
    assert!(session.apply(&SessionCommand::TargetPreset(9)).is_err());
    assert!(session.apply(&SessionCommand::TargetSet(Some("foot".into()), DVec3::ZERO)).is_err());
    assert_eq!(before, (session.targets().copied().collect::<Vec<_>>(), session.solved().clone()));
}

#[test]
fn a_reload_keeps_the_pose() {
    let mut session = seed_arm();
    session.apply(&SessionCommand::TargetPreset(3)).expect("has presets");
    rest(&mut session);
    let before = (session.targets().copied().collect::<Vec<_>>(), displayed(&session));
    session.reload(seed_arm().scene().clone());
    session.tick(1.0 / 60.0);
    assert!(before.0.iter().eq(session.targets()));
    for (a, b) in before.1.iter().zip(displayed(&session)) {
        assert!(a.distance(b) < 1e-9);
    }
}

#[test]
fn a_reload_keeps_what_was_dragged_and_is_undone_like_any_change() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/models/mannequin.glb");
    let mut session = Session::new(Scene::open(path).expect("opens"));
    rest(&mut session);
    let opened = displayed(&session);
    let name = session.scene().effectors[0].name.clone();
    for _ in 0..30 {
        let up = session.scene().up.axis() * 0.02;
        session.apply(&SessionCommand::EffectorSelect(name.clone())).expect("known");
        session.apply(&SessionCommand::TargetMove(up)).expect("moves");
        session.tick(1.0 / 60.0);
    }
    rest(&mut session);
    let dragged = displayed(&session);
    let away = |session: &Session, pose: &[DVec3]| {
        let moves = pose.iter().zip(displayed(session)).map(|(then, now)| then.distance(now));
        moves.fold(0.0, f64::max)
    };
    assert!(away(&session, &opened) > 0.2);
    session.reload(Scene::open(path).expect("opens"));
    rest(&mut session);
    assert!(away(&session, &dragged) < 1e-3, "the pose moves by {}", away(&session, &dragged));
    assert!(session.has_changes(true) && !session.has_changes(false));
    session.apply(&SessionCommand::Undo).expect("has changes");
    rest(&mut session);
    assert!(away(&session, &opened) < 1e-3, "it is {} from where it was at first", away(&session, &opened));
}

/// What reading the file again would lose: neither the pose nor targets.
#[test]
fn only_what_is_not_pose_or_targets_edits_the_scene() {
    let mut session = open("humanoid");
    rest(&mut session);
    let hand = session.scene().effectors[0].name.clone();
    let joint =
        session.scene().skeleton.joints()[session.scene().settable_joints().nth(1).expect("a joint")].name.clone();
    for (words, edits) in [
        (format!("joint.set \"{joint}\" 5 5 5"), false),
        ("target.preset 2".to_owned(), false),
        (format!("effector.pin \"{hand}\" on"), false),
        (format!("effector.weight \"{hand}\" 0.3"), true),
        ("undo".to_owned(), false),
        ("set solver.tolerance 1e-6".to_owned(), true),
    ] {
        apply(&mut session, &words);
        assert_eq!(session.is_edited_scene(), edits, "{words}");
    }
    session.mark_saved();
    assert!(session.is_edited_scene(), "the file that is open may be another one");
    session.go_on_as(None);
    assert!(!session.is_edited_scene());
}

#[test]
fn targets_from_a_file_that_is_read_again_are_undone() {
    let mut session = open("seed-arm");
    rest(&mut session);
    let mut scene = session.scene().clone();
    let moved = Target::from(session.tip(0) + DVec3::new(0.1, 0.2, 0.0));
    session.apply(&SessionCommand::TargetSet(None, moved.position.expect("a place"))).expect("finite");
    rest(&mut session);
    let solved = session.solved().clone();
    scene.effectors[0].target = Target::from(session.tip(0) - DVec3::new(0.3, 0.1, 0.0));
    session.reload(scene.clone());
    rest(&mut session);
    assert_eq!(session.target(0), scene.effectors[0].target);
    assert!(!session.has_changes(true), "the targets are those of the file");
    apply(&mut session, "undo");
    rest(&mut session);
    assert_eq!((session.target(0), session.solved()), (moved, &solved));
    assert!(session.has_changes(true) && !session.is_edited_scene());
    apply(&mut session, "redo");
    assert_eq!(session.target(0), scene.effectors[0].target);
}

/// The file of a robot holds no targets. Other limits change its opening pose, and where this has the gripper.
#[test]
fn a_robot_that_is_read_again_keeps_its_target() {
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/models/seven-axes.urdf");
    let copy = Path::new(env!("CARGO_TARGET_TMPDIR")).join("reloaded.urdf");
    let text = std::fs::read_to_string(model).expect("reads");
    std::fs::write(&copy, &text).expect("written");
    let mut session = Session::new(Scene::open(&copy).expect("opens"));
    rest(&mut session);
    let place = session.tip(0) + DVec3::new(-0.1, 0.1, -0.1);
    session.apply(&SessionCommand::TargetSet(None, place)).expect("finite");
    rest(&mut session);
    let opening = session.scene().effectors[0].target;
    let (mut other_openings, limits) = (0, text.matches("lower=\"").count());
    for at in 0..limits {
        // One limit after the other becomes narrower.
        let from = text.match_indices("lower=\"").nth(at).expect("is there").0 + "lower=\"".len();
        let end = from + text[from..].find('"').expect("ends");
        std::fs::write(&copy, format!("{}-0.4{}", &text[..from], &text[end..])).expect("written");
        session.reload(Scene::open(&copy).expect("opens"));
        rest(&mut session);
        assert_eq!(session.target(0).position, Some(place), "limit {at}");
        assert!(!session.is_free(0), "limit {at}");
        other_openings += usize::from(session.scene().effectors[0].target != opening);
    }
    assert!(other_openings > 0, "the opening pose stays the same whatever the limits");
}

/// The ankles of a body without names have effectors as soon as the file says what they are.
#[test]
fn effectors_of_a_body_that_is_known_now_are_where_it_is() {
    let copy = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bones.gltf");
    let limits = copy.with_extension("limits.toml");
    let _ = std::fs::remove_file(&limits);
    let text =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/models/puppet.gltf")).expect("reads");
    let ends = ["Head", "LeftHand", "RightHand", "LeftFoot", "RightFoot"];
    let text =
        ends.iter().fold(text, |text, end| text.replace(&format!("\"puppet:{end}\""), &format!("\"Bone{end}X\"")));
    std::fs::write(&copy, text.replace("puppet:", "bone:Q")).expect("written");
    let mut session = Session::new(Scene::open(&copy).expect("opens"));
    assert!(session.scene().assets.unknown_body.is_some());
    rest(&mut session);
    let up = session.scene().up.axis();
    let names: Vec<String> = session.scene().effectors.iter().map(|effector| effector.name.clone()).collect();
    for (at, name) in names.iter().enumerate() {
        let place = session.tip(at) + up * 0.2;
        session.apply(&SessionCommand::TargetSet(Some(name.clone()), place)).expect("finite");
        rest(&mut session);
    }
    let keys = ["head", "left_hand", "right_hand", "left_foot", "right_foot"];
    let lines: String = keys.iter().zip(ends).map(|(key, end)| format!("{key} = \"Bone{end}X\"\n")).collect();
    std::fs::write(&limits, format!("[names]\n{lines}")).expect("written");
    let skeleton = session.scene().skeleton.clone();
    let [first, before] = [&session.scene().start, session.solved()].map(|pose| skeleton.frames(pose));
    session.reload(Scene::open(&copy).expect("opens"));
    let scene = session.scene();
    assert!(scene.assets.unknown_body.is_none(), "{:?}", scene.assets.unknown_body);
    let is_new = |at: &usize| !names.contains(&scene.effectors[*at].name);
    // What is free follows the body.
    let new: Vec<usize> = (0..scene.effectors.len()).filter(|at| is_new(at) && !session.is_free(*at)).collect();
    let mut moved = 0;
    for at in new {
        let (name, file) = (&scene.effectors[at].name, scene.effectors[at].target.position.expect("a place"));
        let target = session.target(at).position.expect("a place");
        // What is fixed to a joint keeps its place in the frame of that joint.
        let joint = scene.effectors[at].effector.joint;
        let local = |frames: &[Isometry], at: DVec3| frames[joint].rotation.conjugate() * (at - frames[joint].position);
        assert!(local(&before, target).distance(local(&first, file)) < 1e-9, "{name}");
        moved += usize::from(target.distance(file) > 0.05);
    }
    assert!(moved > 1, "the pose is the opening one");
}

#[test]
fn a_reload_with_joints_of_other_kinds_keeps_the_pose() {
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/models/mannequin.glb");
    let copy = Path::new(env!("CARGO_TARGET_TMPDIR")).join("reloaded.glb");
    std::fs::copy(model, &copy).expect("copied");
    let limits = copy.with_extension("limits.toml");
    let _ = std::fs::remove_file(&limits);
    let mut session = Session::new(Scene::open(&copy).expect("opens"));
    rest(&mut session);
    let place = session.tip(0) + session.scene().up.axis() * 0.5;
    session.apply(&SessionCommand::TargetSet(None, place)).expect("finite");
    rest(&mut session);
    let other = session.scene().effectors[1].name.clone();
    apply(&mut session, &format!("effector.pin \"{other}\" on"));
    rest(&mut session);
    let before = displayed(&session);
    for body_limits in [false, true] {
        std::fs::write(&limits, format!("body_limits = {body_limits}\n")).expect("written");
        session.reload(Scene::open(&copy).expect("opens"));
        assert_eq!(session.scene().effectors[1].hold, fabrik3d_scene::EffectorMode::Pinned, "limits {body_limits}");
        // As after saving: the file holds no pins.
        session.go_on_as(None);
        assert!(
            !session.is_free(0) && !session.is_edited_scene(),
            "limits {body_limits}: a hand that is held stays held"
        );
        assert_eq!(session.scene().skeleton.joints()[1].kind == fabrik3d_ik::Kind::UNLIMITED_BALL, !body_limits);
        let moved = before.iter().zip(displayed(&session)).map(|(then, now)| then.distance(now)).fold(0.0, f64::max);
        assert!(moved < 1e-6, "limits {body_limits}: a joint moves by {moved}");
    }
}

#[test]
fn every_method_comes_to_an_end() {
    for method in fabrik3d_ik::settings::Method::ALL {
        let mut session = Session::new(examples::demo());
        rest(&mut session);
        session.apply(&SessionCommand::Method(method)).expect("any method");
        for preset in [5, 1, 4, 2, 3, 5] {
            session.apply(&SessionCommand::TargetPreset(preset)).expect("has presets");
            let mut frames = 0;
            while session.is_moving() {
                session.tick(1.0 / 60.0);
                frames += 1;
                assert!(frames < 3000, "{method:?} never ends on preset {preset}");
            }
            let report = session.report(0).expect("solved");
            assert_ne!(
                report.stop,
                fabrik3d_ik::Stop::IterationLimit,
                "{method:?} stays in progress on preset {preset}"
            );
            if method == fabrik3d_ik::settings::Method::Textbook && report.stop != fabrik3d_ik::Stop::TooFar {
                assert_eq!(report.stop, fabrik3d_ik::Stop::Reached, "preset {preset}: {}", report.error);
            }
        }
    }
}

/// Random targets are positions that the figure can reach while its other effectors keep theirs.
#[test]
fn random_targets_can_be_reached() {
    let mut scenes: Vec<Scene> = ["demo", "human-arm", "humanoid", "hand", "spider", "robot-arm", "two-arms"]
        .into_iter()
        .map(|name| open(name).scene().clone())
        .collect();
    for file in ["gltf/CesiumMan/CesiumMan.glb", "gltf/Fox/Fox.glb", "gltf/RiggedSimple/RiggedSimple.glb"] {
        scenes.extend(gathered::gathered(file).map(|path| Scene::open(path).expect("opens")));
    }
    for scene in scenes {
        let name = scene.name.clone();
        let mut session = Session::new(scene);
        let mut reached = 0;
        for draw in 0..20 {
            if draw % 5 == 4 {
                try_apply(&mut session, "effector.next").expect("there is one");
            }
            try_apply(&mut session, "target.random").expect("jumps");
            (0..90).for_each(|_| session.tick(1.0 / 30.0));
            reached += usize::from(session_support::is_reached(&session));
        }
        assert!(reached >= 18, "{name}: {reached} of 20");
    }
}

#[test]
fn the_smoothing_can_be_set_before_the_scene_moves() {
    for (seconds, frames) in [("0", 1), ("0.2", 12), ("2", 120)] {
        let mut session = open("demo");
        apply(&mut session, &format!("set smoothing.duration {seconds}"));
        for frame in 1..=frames {
            let is_over = session.blend().is_none();
            assert_eq!(is_over, seconds == "0", "the opening ease of {seconds} s in frame {frame}");
            session.tick(1.0 / 60.0);
        }
        session.tick(1.0 / 60.0);
        assert!(session.blend().is_none(), "the opening ease takes {seconds} s");
        assert_eq!(session.displayed(), session.solved());
    }
}

#[test]
fn the_smoothing_takes_no_nonsense() {
    let mut session = open("demo");
    for value in ["-0.1", "nan", "inf", "soon", "4000"] {
        for key in ["smoothing.keys", "smoothing.duration"] {
            let error = try_apply(&mut session, &format!("set {key} {value}")).expect_err("a refusal").to_string();
            assert!(error.contains(key) && error.contains("0 to 3600"), "{error}");
        }
    }
    assert_eq!(session.scene().smoothing, fabrik3d_scene::Smoothing::default());
}

/// Links that keep clear of each other, and effectors of their own on joints, change which joints are solved together: figures
/// merge and part. What is displayed eases on, whatever it was doing.
#[test]
fn figures_that_merge_or_part_in_the_middle_of_an_ease_ease_on() {
    let robots = ["gripper.urdf", "robot-arm.urdf"].map(|name| format!("assets/models/{name}"));
    let scenes = robots.iter().map(|path| Path::new(env!("CARGO_MANIFEST_DIR")).join(path));
    for path in scenes.chain(example_scenes()) {
        let scene = Scene::open(&path).expect("reads");
        let size = scene.effectors.iter().map(|effector| scene.effector_size(effector)).fold(0.0, f64::max);
        let add = format!("effector.add \"{}\"", scene.skeleton.joints()[scene.skeleton.len() - 1].name);
        for change in ["keep-clear", &add, "effector.remove", "undo"] {
            let mut session = Session::new(scene.clone());
            (0..30).for_each(|_| session.tick(1.0 / 60.0));
            let mut before = displayed(&session);
            for frame in 0..90 {
                match frame {
                    0 | 40 => drop(try_apply(&mut session, "target.random")),
                    10 | 50 => drop(try_apply(&mut session, change)),
                    _ => {}
                }
                session.tick(1.0 / 60.0);
                let now = displayed(&session);
                let step = now.iter().zip(&before).map(|(now, before)| now.distance(*before)).fold(0.0, f64::max);
                assert!(step < 0.5 * size, "{}, {change}: {step} in frame {frame}", path.display());
                before = now;
            }
        }
    }
}
