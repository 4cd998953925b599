//! Pictures of races: the figures stand apart between the panels, each with its own targets and workspace, and the camera
//! returns.

use crate::gathered::gathered;
use fabrik3d::examples;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Isometry, Kind};
use fabrik3d_scene::{OpenOptions, Scene};
use fabrik3d_viewer::hud::{Info, apply_theme, free_area, hud};
use fabrik3d_viewer::session::command::Command;
use fabrik3d_viewer::session::{CommandError, Remark};
use fabrik3d_viewer::view::frame::{Color, Frame};
use fabrik3d_viewer::view::{Area, Display, HeldKeys, Modifiers, Viewer};

const SIZE: [f64; 2] = [1280.0, 720.0];

fn viewer(scene: &str) -> Option<Viewer> {
    let is_sample = scene.contains('.');
    let file = if is_sample { gathered(scene)? } else { format!("example:{scene}").into() };
    let scene = examples::open(file, &OpenOptions::default()).expect("reads");
    let mut viewer = Viewer::new(scene, Display::default(), SIZE[0] / SIZE[1]);
    viewer.set_free_area(free_area(&viewer, SIZE));
    Some(viewer)
}

fn give(viewer: &mut Viewer, words: &str) -> Result<(), CommandError> {
    viewer.apply(words.parse::<Command>().expect("a command")).map(|_| ())
}

fn pass(viewer: &mut Viewer, seconds: f64) {
    for _ in 0..(seconds * 30.0) as usize {
        viewer.set_free_area(free_area(viewer, SIZE));
        viewer.tick(1.0 / 30.0, &mut HeldKeys::default(), Modifiers::default());
    }
}

/// Bounding box in the picture of all links of one colour.
fn links_seen(viewer: &Viewer, frame: &Frame, color: Color) -> Option<[[f64; 2]; 2]> {
    let ends =
        frame.capsules.iter().filter(|capsule| capsule.color == color).flat_map(|capsule| [capsule.a, capsule.b]);
    let seen = ends.filter_map(|(end, _)| viewer.camera().project(end.as_dvec3(), viewer.lens()));
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
fn figures_stand_apart_in_the_free_area_when_a_race_opens_and_when_it_ends() {
    for scene in FIGURES {
        for (view, methods) in
            [("iso", "accelerated ccd"), ("front", "accelerated ccd dls"), ("right", "accelerated textbook ccd dls")]
        {
            let Some(mut viewer) = viewer(scene) else { continue };
            give(&mut viewer, &format!("camera.view {view}")).expect("a side");
            give(&mut viewer, "target.random").expect("has a target");
            give(&mut viewer, &format!("race {methods}")).expect("they can race");
            for seconds in [0.5, 25.0] {
                pass(&mut viewer, seconds);
                let what = format!("{scene}, from {view}, {methods}, after {seconds} s");
                let (frame, palette) = (viewer.picture(), viewer.display().theme.palette());
                let Area { low: least, high: most } = free_area(&viewer, SIZE);
                let lanes = viewer.session().race().expect("is on").lanes().len();
                let figures: Vec<_> = (0..lanes)
                    .map(|lane| links_seen(&viewer, &frame, palette.chain(lane)).expect("has links"))
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
fn each_figure_has_all_targets_in_their_colours_and_only_the_first_has_them_large() {
    let mut viewer = viewer("humanoid").expect("an example");
    give(&mut viewer, "target.preset 2").expect("has presets");
    give(&mut viewer, "race accelerated textbook ccd dls").expect("they can race");
    for selected in 0..5 {
        pass(&mut viewer, 0.5);
        let (frame, palette) = (viewer.picture(), viewer.display().theme.palette());
        for effector in 0..5 {
            let color = palette.target(effector);
            let radii: Vec<f32> =
                frame.spheres.iter().filter(|ball| ball.color == color).map(|ball| ball.radius).collect();
            assert_eq!(radii.len(), 4, "effector {effector}, selected {selected}");
            let largest = radii.iter().copied().fold(0.0, f32::max);
            assert_eq!(radii.iter().filter(|radius| **radius == largest).count(), 1);
        }
        let rounds = viewer.session().race().expect("is on").rounds();
        give(&mut viewer, "effector.next").expect("there are several");
        assert_eq!(viewer.session().race().expect("is on").rounds(), rounds, "another effector of the same figure");
    }
}

#[test]
fn the_camera_returns_from_a_race_unless_the_user_has_moved_it() {
    let mut viewer = viewer("demo").expect("an example");
    pass(&mut viewer, 1.0);
    give(&mut viewer, "camera.orbit 20 5").expect("orbits");
    let before = viewer.camera();
    for words in ["target.random", "pause", "show reach on"] {
        give(&mut viewer, "race accelerated textbook ccd dls").expect("they can race");
        give(&mut viewer, words).expect("can be done");
        pass(&mut viewer, 1.0);
        assert_ne!(viewer.camera(), before, "{words}");
        give(&mut viewer, "race off").expect("ends");
        pass(&mut viewer, 1.0);
        assert_eq!(viewer.camera(), before, "{words}");
        give(&mut viewer, "resume").expect("goes on");
    }
    give(&mut viewer, "race accelerated textbook ccd dls").expect("they can race");
    pass(&mut viewer, 1.0);
    let framed = viewer.camera();
    give(&mut viewer, "camera.orbit 30 0").expect("orbits");
    give(&mut viewer, "camera.reset").expect("comes back");
    pass(&mut viewer, 1.0);
    assert_eq!(viewer.camera(), framed, "in a race the whole race is the view to come back to");
    give(&mut viewer, "camera.orbit 30 0").expect("orbits");
    let own = viewer.camera();
    give(&mut viewer, "race off").expect("ends");
    pass(&mut viewer, 1.0);
    let same = viewer.camera().forward().abs_diff_eq(own.forward(), 1e-9);
    assert!(same, "who has turned the camera keeps the side");
}

#[test]
fn reach_is_shown_for_every_effector_and_around_each_figure_of_a_race() {
    for scene in ["humanoid", "rope", "hexapod", "gltf/Fox/Fox.glb", "gltf/CesiumMan/CesiumMan.glb"] {
        let Some(mut viewer) = viewer(scene) else { continue };
        give(&mut viewer, "show reach on").expect("has an effector");
        let floats = !["humanoid"].contains(&scene);
        let told = matches!(viewer.remark(), Some(Remark::ReachFrom { .. }));
        assert_eq!(told, floats, "{scene}: {:?}", viewer.remark());
        let count = viewer.session().targets().len();
        for _ in 0..count {
            let frame = viewer.picture();
            let session = viewer.session();
            let selected = &session.scene().effectors[session.selected().expect("has effectors")];
            let corners = || frame.patches.iter().flat_map(|patch| &patch.triangles).map(|(place, ..)| *place);
            let low = corners().reduce(glam::Vec3::min).unwrap_or_else(|| panic!("{scene}, {}", selected.name));
            let high = corners().reduce(glam::Vec3::max).expect("the same");
            // Unbounded joints stay in place; the others move within their limits.
            let skeleton = &session.scene().skeleton;
            for seed in 0..50 {
                let mut random = Random::new(seed);
                let mut pose = skeleton.random_pose(&mut random);
                let line: Vec<usize> = skeleton.ancestors(selected.effector.joint).collect();
                let free = line.iter().position(|&joint| skeleton.kind(joint) == &Kind::Free).unwrap_or(line.len());
                line[free..].iter().for_each(|&joint| pose[joint] = session.displayed()[joint]);
                let frame = skeleton.frame_of(Isometry::IDENTITY, &pose, selected.effector.joint);
                let tip = viewer.space().shown(frame.point(selected.effector.tip)).as_vec3();
                let room = 0.03 * (high - low).max_element();
                let inside = (tip - low).min_element() > -room && (high - tip).min_element() > -room;
                assert!(inside, "{scene}, {}: {tip} of {low} {high}", selected.name);
            }
            give(&mut viewer, "effector.next").expect("there is one");
        }
    }
    let mut viewer = viewer("robot-arm").expect("an example");
    give(&mut viewer, "show reach on").expect("has an effector");
    assert_eq!(viewer.remark(), None);
    let surfaces = |viewer: &mut Viewer| {
        give(viewer, "show reach off").expect("is hidden");
        let others = viewer.picture().patches.len();
        give(viewer, "show reach on").expect("is shown");
        viewer.picture().patches.len() - others
    };
    let alone = surfaces(&mut viewer);
    give(&mut viewer, "target.random").expect("has a target");
    give(&mut viewer, "race accelerated ccd dls").expect("they can race");
    assert_eq!(surfaces(&mut viewer), 3 * alone);
}

#[test]
fn what_has_no_reach_says_so() {
    let scene = Scene::open(format!("{}/assets/models/two-joints.bvh", env!("CARGO_MANIFEST_DIR"))).expect("reads");
    let mut viewer = Viewer::new(scene, Display::default(), 1.6);
    while viewer.session().targets().len() > 0 {
        give(&mut viewer, "effector.remove").expect("there is one");
    }
    assert_eq!(give(&mut viewer, "show reach on"), Err(CommandError::NoReach));
    assert_eq!(give(&mut viewer, "toggle reach"), Err(CommandError::NoReach));
}

/// All text in the panels.
fn written(viewer: &Viewer) -> String {
    let context = egui::Context::default();
    apply_theme(&context, viewer.display().theme);
    let mut text = String::new();
    for _ in 0..2 {
        let screen = egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(SIZE[0] as f32, SIZE[1] as f32));
        let input = egui::RawInput { screen_rect: Some(screen), ..egui::RawInput::default() };
        let output = context.run(input, |context| drop(hud(context, viewer, &Info::default(), |_| None)));
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
    let mut viewer = Viewer::new(scene, Display::default(), SIZE[0] / SIZE[1]);
    pass(&mut viewer, 0.1);
    give(&mut viewer, "race accelerated ccd dls").expect("they can race");
    let idle = |viewer: &Viewer| viewer.session().race().expect("is on").is_idle();
    assert!(idle(&viewer) && written(&viewer).contains("All targets are reached"), "{}", written(&viewer));
    give(&mut viewer, "target.random").expect("has a target");
    assert!(!idle(&viewer) && !written(&viewer).contains("All targets are reached"), "{}", written(&viewer));
    assert!(viewer.is_moving());
}
