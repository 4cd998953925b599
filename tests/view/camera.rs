//! The camera: rays, projections and movements agree.

use crate::gathered::gathered;
use fabrik3d_ik::random::Random;
use fabrik3d_scene::{OpenOptions, Scene};
use fabrik3d_viewer::hud::free_area;
use fabrik3d_viewer::session::Command;
use fabrik3d_viewer::session::command::Show;
use fabrik3d_viewer::view::{Area, Camera, Display, HeldKeys, Lens, Modifiers, Viewer};
use glam::DVec3;
use std::path::Path;
use std::str::FromStr;

/// Lenses without panels, and with panels at the sides and below.
fn lenses(aspect: f64) -> [Lens; 2] {
    let area = Area { low: [-0.6, -0.5], high: [0.4, 1.0] };
    [Lens::new(aspect), Lens { aspect, area }]
}

fn sample() -> Camera {
    Camera::looking(DVec3::new(3.0, 2.0, 5.0), DVec3::new(0.5, 1.0, -0.5))
}

#[test]
fn looking_returns_eye_and_point() {
    let camera = sample();
    assert!(camera.eye().abs_diff_eq(DVec3::new(3.0, 2.0, 5.0), 1e-12));
    assert_eq!(camera.look_at, DVec3::new(0.5, 1.0, -0.5));
}

#[test]
fn rays_go_through_what_they_show() {
    for (camera, lens) in [sample(), sample().with_other_projection()]
        .into_iter()
        .flat_map(|camera| lenses(1.6).map(|lens| (camera, lens)))
    {
        for at in [[0.0, 0.0], [0.7, -0.4], [-0.9, 0.9]] {
            let ray = camera.ray(at, lens);
            let point = ray.origin + 4.0 * ray.direction;
            let back = camera.project(point, lens).expect("in front of the eye");
            assert!((back[0] - at[0]).abs() < 1e-9 && (back[1] - at[1]).abs() < 1e-9, "{at:?} {back:?}");
        }
        let middle = camera.project(camera.look_at, lens).expect("in front of the eye");
        assert!((0..2).all(|i| (middle[i] - lens.middle()[i]).abs() < 1e-9), "{middle:?}");
    }
}

/// Beside the side panel, not behind it, although it reaches another way than in the pose in which it opened.
#[test]
fn a_robot_on_its_way_through_a_table_or_to_a_typed_target_stays_in_the_free_area() {
    let root = env!("CARGO_MANIFEST_DIR");
    let table = Path::new(env!("CARGO_TARGET_TMPDIR")).join("free-area.csv");
    std::fs::write(&table, "x,y,z\n0.4,0.2,0.5\n0.3,-0.3,0.6\n0.5,0,0.3\n0.4,0.3,0.4\n").expect("written");
    let robot = Scene::open(Path::new(root).join("assets/models/robot-arm.urdf")).expect("reads");
    let mut viewer = Viewer::new(robot, Display::default().with(Show::Panel, true), 16.0 / 9.0);
    let open = format!("motion.open \"{}\"", table.display());
    let by_rows = ["resume", &open[..], "motion.step 1", "motion.step 1", "motion.step 1"];
    // Also to targets that are typed, of which the last one is far out of reach.
    let typed = ["undo", "target.set -0.5 -0.3 0.3", "target.set 0.3 0.5 0.2", "target.set 0.2 3 0.3"];
    for command in by_rows.into_iter().chain(typed) {
        viewer.apply_by_hand(command.parse().expect("a command")).expect("can be done");
        pass(&mut viewer, 150);
        assert!(checked_vertices(&viewer, command) > 100);
    }
}

/// Shows frames in a window with panels.
fn pass(viewer: &mut Viewer, frames: usize) {
    for _ in 0..frames {
        viewer.set_free_area(free_area(viewer, [1280.0, 720.0]));
        viewer.tick(1.0 / 60.0, &mut HeldKeys::default(), Modifiers::default());
    }
}

/// The number of vertices of all bodies, after a check that they are in the part of the picture that panels leave free.
fn checked_vertices(viewer: &Viewer, what: &str) -> usize {
    let (scene, area) = (viewer.session().scene(), viewer.lens().area);
    let (assets, frames) = (&scene.assets, scene.skeleton.frames(viewer.session().displayed()));
    let places = |mesh: usize, first: usize| assets.meshes[mesh].places(scene.weights(mesh, first));
    let skins = assets.skins.iter().map(|skin| {
        let places = places(skin.mesh, skin.first_weight);
        assets.meshes[skin.mesh].bent(&places, &skin.bones(&frames)).collect()
    });
    let rigid = assets.surfaces.iter().map(|surface| -> Vec<DVec3> {
        let model = surface.model(&frames);
        let places = places(surface.mesh, surface.first_weight);
        places.iter().map(|corner| model.transform_point3(corner.as_dvec3())).collect()
    });
    let vertices: Vec<DVec3> = skins.chain(rigid).flatten().collect();
    for vertex in &vertices {
        let at = viewer.camera().project(viewer.space().shown(*vertex), viewer.lens()).expect("in front of the camera");
        let is_free = (0..2).all(|axis| area.low[axis] <= at[axis] && at[axis] <= area.high[axis]);
        assert!(is_free, "{what}: {at:?} is not in {area:?}");
    }
    vertices.len()
}

/// Heads and hands extend beyond the joints that carry them.
#[test]
fn a_lesson_shows_the_whole_body_in_the_free_area() {
    let others = ["gltf/CesiumMan/CesiumMan.glb", "gltf/Fox/Fox.glb"].into_iter().filter_map(gathered);
    let models = ["assets/models/mannequin.glb", "assets/models/tube.glb", "assets/models/robot-arm.urdf"];
    for path in models.map(|model| Path::new(env!("CARGO_MANIFEST_DIR")).join(model)).into_iter().chain(others) {
        let (scene, model) = (Scene::open(&path).expect("reads"), path.display().to_string());
        let mut viewer = Viewer::new(scene, Display::default().with(Show::Panel, true), 16.0 / 9.0);
        for command in ["target.random", "step.to 0", "step.to 5", "step.to 1000"] {
            viewer.apply(command.parse().expect("a command")).expect("can be done");
            pass(&mut viewer, 60);
        }
        assert!(checked_vertices(&viewer, &model) >= 8, "{model}");
    }
}

#[test]
fn framed_points_exactly_fill_the_free_area_up_to_a_margin() {
    let mut random = Random::new(3);
    for lens in [0.5, 1.0, 1.8].into_iter().flat_map(lenses) {
        for _ in 0..50 {
            let points: Vec<DVec3> = (0..12).map(|_| random.ball() * 3.0 + 5.0).collect();
            let camera = Camera::framing(&points, lens);
            let (middle, half) = (lens.middle(), lens.half());
            let seen = points.iter().map(|point| camera.project(*point, lens).expect("in front of the eye"));
            let shares = seen.flat_map(|at| [0, 1].map(|i| (at[i] - middle[i]).abs() / half[i]));
            let most = shares.fold(0.0, f64::max);
            assert!((most - 0.8).abs() < 0.02, "{most}");
            assert_eq!(camera.holding(&points, lens), camera, "all is in the picture already");
            let near = camera.zoomed(2.0).holding(&points, lens);
            let [near, far] = [near, camera].map(|camera| camera.eye().distance(camera.look_at));
            assert!((near / far - 1.0).abs() < 0.02);
        }
    }
}

#[test]
fn the_horizon_stays_level() {
    let mut camera = sample();
    for step in 0..200 {
        camera = camera.orbited(f64::from(step) * 7.3, f64::from(step) * 3.1 - 200.0);
        assert!(camera.right().y.abs() < 1e-12, "right is horizontal");
        assert!(camera.up().y > 0.0, "up is up");
    }
}

#[test]
fn panning_moves_the_scene_with_the_pointer() {
    let (camera, lens) = (sample(), Lens::new(1.5));
    let before = camera.project(camera.look_at, lens).expect("visible");
    let after = camera.panned(0.25, 0.1).project(camera.look_at, lens).expect("visible");
    assert!((after[0] - before[0] - 2.0 * 0.25 / 1.5).abs() < 1e-9);
    assert!((after[1] - before[1] - 2.0 * 0.1).abs() < 1e-9);
}

#[test]
fn zooming_to_the_pointer_keeps_what_is_under_it() {
    let camera = sample().with_other_projection();
    for lens in lenses(1.5) {
        let at = [0.6, -0.3];
        let under = camera.ray(at, lens).origin;
        let seen = camera.zoomed_to(1.7, at, lens).project(under, lens).expect("visible");
        assert!((seen[0] - at[0]).abs() < 1e-9 && (seen[1] - at[1]).abs() < 1e-9, "{seen:?}");
    }
}

/// A clip that takes a figure through the world and around, and one that moves it in its place.
fn walking(way: f64) -> Viewer {
    let mut viewer = standing(way);
    viewer.apply(Command::from_str("motion.play").expect("a command")).expect("plays");
    viewer
}

/// The same before the clip is played.
fn standing(way: f64) -> Viewer {
    let mut text = String::from(
        "HIERARCHY\nROOT Hips\n{\nOFFSET 0 1 0\nCHANNELS 4 Xposition Yposition Zposition Xrotation\n\
         JOINT Chest\n{\nOFFSET 0 0.5 0\nCHANNELS 1 Xrotation\nEnd Site\n{\nOFFSET 0 0.5 0\n}\n}\n}\n\
         MOTION\nFrames: 121\nFrame Time: 0.05\n",
    );
    for frame in 0..=120 {
        let turn = f64::from(frame) / 120.0 * std::f64::consts::TAU;
        let [x, z] = [way * turn.sin(), way * (1.0 - turn.cos())];
        text += &format!("{x} {} {z} 0 {}\n", 1.0 + 0.02 * (9.0 * turn).sin(), 20.0 * turn.sin());
    }
    let scene = Scene::from_bytes(text.into_bytes(), "walk.bvh", &OpenOptions::default()).expect("reads");
    Viewer::new(scene, Display::default(), 1.6)
}

/// Where the hips are in the picture while the clip plays, and their height there.
fn places_in_picture(viewer: &mut Viewer) -> Vec<[f64; 2]> {
    let place = |viewer: &mut Viewer| {
        viewer.tick(0.05, &mut HeldKeys::default(), Modifiers::default());
        let frames = viewer.session().scene().skeleton.frames(viewer.session().displayed());
        viewer.camera().project(frames[0].position, viewer.lens()).expect("in front of the camera")
    };
    (0..100).map(|_| place(viewer)).collect()
}

fn spread(places: &[[f64; 2]]) -> f64 {
    let range = |axis: usize| {
        let values = || places.iter().map(move |place| place[axis]);
        values().fold(f64::MIN, f64::max) - values().fold(f64::MAX, f64::min)
    };
    range(0).max(range(1))
}

#[test]
fn a_camera_that_follows_keeps_a_walking_figure_in_the_middle_and_stands_for_one_in_its_place() {
    let follow = |viewer: &mut Viewer, on: &str| {
        let command = Command::from_str(&format!("camera.follow {on}")).expect("a command");
        viewer.apply(command).expect("can be done");
    };
    let mut viewer = walking(6.0);
    let _ = places_in_picture(&mut viewer);
    assert!(spread(&places_in_picture(&mut viewer)) < 0.05, "a figure that goes far is followed");
    let mut viewer = walking(6.0);
    follow(&mut viewer, "off");
    let places = places_in_picture(&mut viewer);
    assert!(spread(&places) > 0.5, "who wants the camera to stand sees the whole way");
    assert!(places[10..].iter().flatten().all(|part| part.abs() < 1.0), "{places:?}");
    let mut viewer = walking(1.0);
    assert!(spread(&places_in_picture(&mut viewer)) > 0.5, "the picture shows the whole way");
    follow(&mut viewer, "on");
    let _ = places_in_picture(&mut viewer);
    assert!(spread(&places_in_picture(&mut viewer)) < 0.05, "but for steps");
    // What is not played does not move the camera, and what is scrubbed does.
    viewer.apply(Command::from_str("motion.pause").expect("a command")).expect("can be done");
    let _ = places_in_picture(&mut viewer);
    let before = viewer.camera();
    viewer.apply(Command::from_str("target.move 0.3 0.2 0").expect("a command")).expect("can be done");
    let _ = places_in_picture(&mut viewer);
    assert_eq!(viewer.camera(), before);
    viewer.apply(Command::from_str("motion.scrub 1").expect("a command")).expect("can be done");
    let places = places_in_picture(&mut viewer);
    assert!(places[99].iter().all(|part| part.abs() < 0.3), "{:?}", places[99]);
    for command in ["motion.seek 0.2", "undo", "redo"] {
        viewer.apply(Command::from_str(command).expect("a command")).expect("can be done");
        let places = places_in_picture(&mut viewer);
        assert!(places[99].iter().all(|part| part.abs() < 0.3), "{command}: {:?}", places[99]);
    }
    // What was played is undone: the figure is back where it was, and the camera too.
    let mut viewer = walking(6.0);
    let _ = places_in_picture(&mut viewer);
    viewer.apply(Command::from_str("undo").expect("a command")).expect("can be done");
    assert!(!viewer.session().motion().expect("the clip").is_engaged());
    let places = places_in_picture(&mut viewer);
    assert!(places[99].iter().all(|part| part.abs() < 0.3), "{:?}", places[99]);
    let mut viewer = walking(0.05);
    let _ = places_in_picture(&mut viewer);
    let before = viewer.camera();
    follow(&mut viewer, "on");
    let _ = places_in_picture(&mut viewer);
    assert_eq!(viewer.camera(), before, "the clip stays in its place");
}

#[test]
fn who_plays_a_recording_sees_it_although_the_camera_was_moved_before() {
    for way in [6.0, 1.0] {
        let mut viewer = standing(way);
        for command in ["camera.zoom 4", "motion.play"] {
            viewer.apply_by_hand(Command::from_str(command).expect("a command")).expect("can be done");
        }
        let places = places_in_picture(&mut viewer);
        assert!(places[20..].iter().flatten().all(|part| part.abs() < 1.0), "{way}: {places:?}");
        assert_eq!(spread(&places_in_picture(&mut viewer)) < 0.05, way > 5.0, "only one that goes far is followed");
    }
}
