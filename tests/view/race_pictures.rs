//! Laws of the picture of a race: its figures stand clear of each other between the panels, each with its own targets and
//! its reach, and the camera comes back.

use fabrik3d::hud::{Info, apply_theme, free_area, hud};
use fabrik3d::session::command::Command;
use fabrik3d::session::{CommandError, Remark};
use fabrik3d::solve::examples;
use fabrik3d::view::frame::{Color, Frame};
use fabrik3d::view::{Area, Display, HeldKeys, Modifiers, Stage};
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Isometry, Kind};
use fabrik3d_scene::{OpenOptions, Scene};
use std::path::Path;

const SIZE: [f64; 2] = [1280.0, 720.0];

fn stage(scene: &str) -> Option<Stage> {
    let shared = format!("{}/../shared/data/{scene}", env!("CARGO_MANIFEST_DIR"));
    let file = if scene.contains('.') { shared } else { format!("example:{scene}") };
    if scene.contains('.') && !Path::new(&file).exists() {
        eprintln!("skipped: there is no {file}");
        return None;
    }
    let mut stage = Stage::new(
        examples::open(file, &OpenOptions::default()).expect("reads"),
        Display::default(),
        SIZE[0] / SIZE[1],
    );
    stage.arrange(free_area(&stage, SIZE));
    Some(stage)
}

fn give(stage: &mut Stage, words: &str) -> Result<(), CommandError> {
    stage.apply(words.parse::<Command>().expect("a command")).map(|_| ())
}

fn pass(stage: &mut Stage, seconds: f64) {
    for _ in 0..(seconds * 30.0) as usize {
        stage.arrange(free_area(stage, SIZE));
        stage.tick(1.0 / 30.0, &mut HeldKeys::default(), Modifiers::default());
    }
}

/// Frame in the picture of all links of one colour.
fn links_seen(stage: &Stage, frame: &Frame, color: Color) -> Option<[[f64; 2]; 2]> {
    let ends =
        frame.capsules.iter().filter(|capsule| capsule.color == color).flat_map(|capsule| [capsule.a, capsule.b]);
    let seen = ends.filter_map(|(end, _)| stage.camera().project(end.as_dvec3().to_array(), stage.lens()));
    seen.fold(None, |frame, at| {
        let [low, high] = frame.unwrap_or([at, at]);
        Some([[0, 1].map(|i| f64::min(low[i], at[i])), [0, 1].map(|i| f64::max(high[i], at[i]))])
    })
}

const FIGURES: [&str; 14] = [
    "demo",
    "human-arm",
    "humanoid",
    "robot-arm",
    "spider",
    "crane",
    "gripper",
    "hand",
    "tree",
    "stewart",
    "tentacle",
    "robots/panda_description/urdf/panda.urdf",
    "gltf/Fox/Fox.glb",
    "gltf/CesiumMan/CesiumMan.glb",
];

#[test]
fn figures_stand_clear_of_each_other_in_the_free_area_when_a_race_opens_and_when_it_is_over() {
    for scene in FIGURES {
        for (view, methods) in
            [("iso", "accelerated ccd"), ("front", "accelerated ccd dls"), ("right", "accelerated textbook ccd dls")]
        {
            let Some(mut stage) = stage(scene) else { continue };
            give(&mut stage, &format!("camera.view {view}")).expect("a side");
            give(&mut stage, "target.random").expect("has a target");
            give(&mut stage, &format!("race {methods}")).expect("they can race");
            for seconds in [0.5, 25.0] {
                pass(&mut stage, seconds);
                let what = format!("{scene}, from {view}, {methods}, after {seconds} s");
                let (frame, palette) = (stage.picture(), stage.display().theme.palette());
                let Area { low: least, high: most } = free_area(&stage, SIZE);
                let lanes = stage.session().race().expect("is on").lanes().len();
                let figures: Vec<_> = (0..lanes)
                    .map(|lane| links_seen(&stage, &frame, palette.chain(lane)).expect("has links"))
                    .collect();
                for (lane, [low, high]) in figures.iter().enumerate() {
                    let inside = |axis: usize| least[axis] <= low[axis] && high[axis] <= most[axis];
                    assert!(inside(0) && inside(1), "{what}: lane {lane} at {low:?} {high:?} of {least:?} {most:?}");
                    for [other_low, other_high] in &figures[..lane] {
                        let apart = |axis: usize| low[axis] > other_high[axis] || other_low[axis] > high[axis];
                        assert!(apart(0) || apart(1), "{what}: lane {lane}, {figures:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn each_figure_has_all_targets_in_the_colours_of_their_effectors_and_only_the_first_has_them_large() {
    let mut stage = stage("humanoid").expect("an example");
    give(&mut stage, "target.preset 2").expect("has presets");
    give(&mut stage, "race accelerated textbook ccd dls").expect("they can race");
    for selected in 0..5 {
        pass(&mut stage, 0.5);
        let (frame, palette) = (stage.picture(), stage.display().theme.palette());
        for effector in 0..5 {
            let color = palette.target(effector);
            let radii: Vec<f32> =
                frame.spheres.iter().filter(|ball| ball.color == color).map(|ball| ball.radius).collect();
            assert_eq!(radii.len(), 4, "effector {effector}, selected {selected}");
            let largest = radii.iter().copied().fold(0.0, f32::max);
            assert_eq!(radii.iter().filter(|radius| **radius == largest).count(), 1);
        }
        let rounds = stage.session().race().expect("is on").rounds();
        give(&mut stage, "effector.next").expect("there are several");
        assert_eq!(stage.session().race().expect("is on").rounds(), rounds, "another effector of the same figure");
    }
}

#[test]
fn the_camera_comes_back_from_a_race_unless_somebody_has_moved_it() {
    let mut stage = stage("demo").expect("an example");
    pass(&mut stage, 1.0);
    give(&mut stage, "camera.orbit 20 5").expect("orbits");
    let before = stage.camera();
    for words in ["race.layout overlaid", "race.layout beside", "target.random", "pause", "show reach on"] {
        give(&mut stage, "race accelerated textbook ccd dls").expect("they can race");
        give(&mut stage, words).expect("can be done");
        pass(&mut stage, 1.0);
        assert_ne!(stage.camera(), before, "{words}");
        give(&mut stage, "race off").expect("ends");
        pass(&mut stage, 1.0);
        assert_eq!(stage.camera(), before, "{words}");
        give(&mut stage, "resume").expect("goes on");
    }
    give(&mut stage, "race accelerated textbook ccd dls").expect("they can race");
    pass(&mut stage, 1.0);
    let framed = stage.camera();
    give(&mut stage, "camera.orbit 30 0").expect("orbits");
    give(&mut stage, "camera.reset").expect("comes back");
    pass(&mut stage, 1.0);
    assert_eq!(stage.camera(), framed, "in a race the whole race is the view to come back to");
    give(&mut stage, "camera.orbit 30 0").expect("orbits");
    let own = stage.camera();
    give(&mut stage, "race off").expect("ends");
    pass(&mut stage, 1.0);
    let forward = |camera: fabrik3d::view::Camera| camera.forward();
    let same = (0..3).all(|axis| (forward(stage.camera())[axis] - forward(own)[axis]).abs() < 1e-9);
    assert!(same, "who has turned the camera keeps the side");
}

#[test]
fn reach_is_shown_for_every_effector_whatever_floats_and_around_each_figure_of_a_race() {
    for scene in ["humanoid", "rope", "hexapod", "gltf/Fox/Fox.glb", "gltf/CesiumMan/CesiumMan.glb"] {
        let Some(mut stage) = stage(scene) else { continue };
        give(&mut stage, "show reach on").expect("has an effector");
        let floats = !["humanoid"].contains(&scene);
        let told = matches!(stage.remark(), Some(Remark::ReachFrom { .. }));
        assert_eq!(told, floats, "{scene}: {:?}", stage.remark());
        for _ in 0..stage.session().targets().len() {
            let frame = stage.picture();
            let session = stage.session();
            let selected = &session.scene().effectors[session.selected()];
            let corners = || frame.patches.iter().flat_map(|patch| &patch.triangles).map(|(place, ..)| *place);
            let low = corners().reduce(glam::Vec3::min).unwrap_or_else(|| panic!("{scene}, {}", selected.name));
            let high = corners().reduce(glam::Vec3::max).expect("the same");
            // Everything that may go anywhere stays where it is, all else is anywhere that it may be.
            let skeleton = &session.scene().skeleton;
            for seed in 0..50 {
                let mut random = Random::new(seed);
                let mut pose = skeleton.random_pose(&mut random);
                let line: Vec<usize> = skeleton.ancestors(selected.effector.joint).collect();
                let free = line.iter().position(|&joint| skeleton.kind(joint) == &Kind::Free).unwrap_or(line.len());
                line[free..].iter().for_each(|&joint| pose[joint] = session.displayed()[joint]);
                let frame = skeleton.frame_of(Isometry::IDENTITY, &pose, selected.effector.joint);
                let tip = stage.space().shown(frame.point(selected.effector.tip)).as_vec3();
                let room = 0.03 * (high - low).max_element();
                let inside = (tip - low).min_element() > -room && (high - tip).min_element() > -room;
                assert!(inside, "{scene}, {}: {tip} of {low} {high}", selected.name);
            }
            give(&mut stage, "effector.next").expect("there is one");
        }
    }
    let mut stage = stage("robot-arm").expect("an example");
    give(&mut stage, "show reach on").expect("has an effector");
    assert_eq!(stage.remark(), None);
    let surfaces = |stage: &mut Stage| {
        give(stage, "show reach off").expect("is hidden");
        let others = stage.picture().patches.len();
        give(stage, "show reach on").expect("is shown");
        stage.picture().patches.len() - others
    };
    let alone = surfaces(&mut stage);
    give(&mut stage, "target.random").expect("has a target");
    give(&mut stage, "race accelerated ccd dls").expect("they can race");
    assert_eq!(surfaces(&mut stage), 3 * alone);
}

#[test]
fn what_has_no_reach_says_so() {
    let scene = Scene::open(format!("{}/assets/models/two-joints.bvh", env!("CARGO_MANIFEST_DIR"))).expect("reads");
    let mut stage = Stage::new(scene, Display::default(), 1.6);
    while !stage.session().targets().is_empty() {
        give(&mut stage, "effector.remove").expect("there is one");
    }
    assert_eq!(give(&mut stage, "show reach on"), Err(CommandError::NoReach));
    assert_eq!(give(&mut stage, "toggle reach"), Err(CommandError::NoReach));
}

/// All that is written in the panels.
fn written(stage: &Stage) -> String {
    let context = egui::Context::default();
    apply_theme(&context, stage.display().theme);
    let mut text = String::new();
    for _ in 0..2 {
        let screen = egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(SIZE[0] as f32, SIZE[1] as f32));
        let input = egui::RawInput { screen_rect: Some(screen), ..egui::RawInput::default() };
        let output = context.run(input, |context| drop(hud(context, stage, &Info::default(), |_| None)));
        text = output.shapes.iter().fold(String::new(), |mut text, shape| {
            if let egui::Shape::Text(words) = &shape.shape {
                text += words.galley.text();
                text.push('\n');
            }
            text
        });
    }
    text
}

#[test]
fn a_race_with_nothing_to_do_says_so_and_runs_when_the_target_moves() {
    let scene = Scene::open(format!("{}/assets/models/arm.urdf", env!("CARGO_MANIFEST_DIR"))).expect("reads");
    let mut stage = Stage::new(scene, Display::default(), SIZE[0] / SIZE[1]);
    pass(&mut stage, 0.1);
    give(&mut stage, "race accelerated ccd dls").expect("they can race");
    let idle = |stage: &Stage| stage.session().race().expect("is on").is_idle();
    assert!(idle(&stage) && written(&stage).contains("met already"), "{}", written(&stage));
    give(&mut stage, "target.random").expect("has a target");
    assert!(!idle(&stage) && !written(&stage).contains("met already"), "{}", written(&stage));
    assert!(stage.is_moving());
}
