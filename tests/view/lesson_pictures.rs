//! The content of a lesson's and a race's pictures, as data.

use fabrik3d_scene::Scene;
use fabrik3d_viewer::session::command::AppCommand;
use fabrik3d_viewer::view::frame::{Frame, Line};
use fabrik3d_viewer::view::labels::lesson_labels;
use fabrik3d_viewer::view::trace::TraceLine;
use fabrik3d_viewer::view::{Display, HeldKeys, Modifiers, Theme, Viewer};
use glam::DVec3;

fn viewer(name: &str, commands: &[&str]) -> Viewer {
    let path = format!("{}/assets/scenes/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let mut viewer = Viewer::new(Scene::open(path).expect("the scene reads"), Display::default(), 16.0 / 9.0);
    give(&mut viewer, commands);
    viewer
}

fn give(viewer: &mut Viewer, commands: &[&str]) {
    for words in commands {
        let left = viewer.apply(words.parse().expect("a command")).expect("carried out");
        assert_eq!(left, None, "`{words}` is for the program around");
    }
}

fn rest(viewer: &mut Viewer) {
    for _ in 0..2000 {
        viewer.tick(1.0 / 60.0, &mut HeldKeys::default(), Modifiers::default());
        if !viewer.is_moving() {
            return;
        }
    }
    panic!("it never comes to rest");
}

fn construction(frame: &Frame) -> (usize, usize) {
    let color = Theme::Dark.palette().construction;
    let of_color = frame.lines.iter().filter(|line| line.points[0].1[..3] == color[..3]);
    let (dashed, solid): (Vec<_>, Vec<_>) = of_color.partition(|line| line.dash.is_some());
    (dashed.len(), solid.len())
}

fn is_finite(frame: &Frame) -> bool {
    frame.spheres.iter().all(|sphere| sphere.center.is_finite() && sphere.radius.is_finite())
        && frame.capsules.iter().all(|capsule| capsule.a.0.is_finite() && capsule.b.0.is_finite())
        && frame.lines.iter().flat_map(|line| &line.points).all(|(point, _)| point.is_finite())
}

#[test]
fn a_sliding_joint_shows_its_line_its_arc_and_the_ghost() {
    let ghost = Theme::Dark.palette().ghost;
    let mut viewer = viewer("demo", &["method textbook", "step.to 0"]);
    rest(&mut viewer);
    let frame = viewer.picture();
    assert_eq!(construction(&frame), (0, 0), "the start has nothing to construct");
    assert!(frame.capsules.iter().all(|capsule| capsule.color != ghost));
    give(&mut viewer, &["step.to 3"]);
    let frame = viewer.picture();
    let (dashed, solid) = construction(&frame);
    assert!(dashed >= 2, "the line of the slide and the stretched link, not {dashed}");
    assert!(solid >= 1, "the arc of the kept length, not {solid}");
    assert!(frame.capsules.iter().any(|capsule| capsule.color == ghost));
    let texts: Vec<String> =
        lesson_labels(&viewer, viewer.session().lesson().expect("open")).into_iter().map(|label| label.text).collect();
    for text in ["P8'", "P7'", "P6'", "P6", "P1", "d6"] {
        assert!(texts.iter().any(|other| other == text), "no {text} in {texts:?}");
    }
}

#[test]
fn the_figure_and_the_trace_follow_the_step() {
    let mut viewer = viewer("demo", &["method textbook", "step.to 9"]);
    rest(&mut viewer);
    let line = TraceLine::of(&viewer, 0.0);
    let lesson = line.lesson.expect("open");
    assert_eq!((lesson.step, lesson.stage.as_deref(), lesson.iteration), (9, Some("e"), 1));
    assert!(line.paused);
    let points = viewer.session().lesson().expect("open").step().points();
    for point in points {
        let place = viewer.space().drawn(point);
        assert!(viewer.picture().spheres.iter().any(|sphere| sphere.center == place), "nothing stands at {point}");
    }
    give(&mut viewer, &["lesson.close"]);
    assert!(TraceLine::of(&viewer, 0.0).lesson.is_none());
}

#[test]
fn the_trace_contains_what_is_displayed() {
    for (scene, step) in [("demo", 5), ("tree", 11), ("two-arms", 12), ("rope", 3)] {
        let mut viewer = viewer(scene, &["method textbook"]);
        rest(&mut viewer);
        let before = TraceLine::of(&viewer, 0.0);
        give(&mut viewer, &["step.next", &format!("step.to {step}")]);
        rest(&mut viewer);
        let line = TraceLine::of(&viewer, 0.0);
        assert_eq!(line.solved, before.solved, "{scene}: the session waits");
        let session = viewer.session();
        let lesson = session.lesson().expect("open");
        let points = lesson.step().points();
        for &(joint, node) in &lesson.recording().figure.joints {
            let displayed = DVec3::from(line.displayed[joint]);
            assert!(displayed.distance(points[node]) < 1e-12, "{scene}: joint {joint}");
            let place = viewer.space().drawn(displayed);
            assert!(viewer.picture().spheres.iter().any(|sphere| sphere.center == place), "{scene}: joint {joint}");
        }
    }
}

#[test]
fn a_joint_that_a_limit_holds_back_shows_the_limit_and_the_position_without_limits() {
    let mut viewer = viewer("human-arm", &[]);
    rest(&mut viewer);
    give(&mut viewer, &["target.preset 4", "step.next"]);
    let count = viewer.session().lesson().expect("open").len();
    let red = Theme::Dark.palette().joint_at_limit;
    let mut held = 0;
    for number in 0..count {
        give(&mut viewer, &[&format!("step.to {number}")]);
        let step = viewer.session().lesson().expect("open").step();
        let slide = step.slide().filter(|slide| slide.to.distance(slide.ideal) > 1e-3 * step.figure().reach);
        let frame = viewer.picture();
        assert!(is_finite(&frame));
        let Some(slide) = slide.filter(|_| step.blocking_joints().is_some()) else {
            assert!(frame.patches.is_empty(), "step {number}");
            continue;
        };
        held += 1;
        let wanted = viewer.space().drawn(slide.ideal);
        let phantoms = frame.spheres.iter().filter(|sphere| sphere.color[..3] == red[..3] && sphere.color[3] < 255);
        assert!(phantoms.into_iter().any(|sphere| sphere.center == wanted), "step {number}");
        assert!(!frame.patches.is_empty(), "step {number} shows no limit");
        give(&mut viewer, &["show limits off"]);
        assert!(viewer.picture().patches.is_empty());
        give(&mut viewer, &["show limits on"]);
    }
    assert!(held > 2, "{held}");
}

#[test]
fn the_ghost_has_the_link_style_and_is_thinner_than_the_figure() {
    let ghost = Theme::Dark.palette().ghost;
    let mut viewer = viewer("demo", &["method textbook", "step.to 4"]);
    for style in ["bone", "capsule", "line"] {
        let frame = viewer.picture();
        let thickest = |of_ghost: bool| {
            let capsules = frame.capsules.iter().filter(|capsule| (capsule.color == ghost) == of_ghost);
            capsules.map(|capsule| capsule.a.1.max(capsule.b.1)).fold(0.0, f32::max)
        };
        if viewer.display().links == fabrik3d_viewer::view::LinkStyle::Line {
            assert!(frame.capsules.iter().all(|capsule| capsule.color != ghost), "{style}");
            assert!(frame.lines.iter().any(|line| line.points[0].1 == ghost), "{style}");
        } else {
            assert!(thickest(true) < 0.8 * thickest(false), "{style}");
        }
        give(&mut viewer, &["links.next"]);
    }
}

#[test]
fn a_step_by_pass_shows_the_path_of_every_joint() {
    let mut viewer = viewer("demo", &["method textbook", "step.unit pass", "step.to 8"]);
    let (_, arrows) = construction(&viewer.picture());
    assert!(arrows > 2, "{arrows}: the longer ways at least");
    give(&mut viewer, &["step.unit joint"]);
    let (_, arrows) = construction(&viewer.picture());
    assert!(arrows <= 2, "the arc and one way, not {arrows}");
}

#[test]
fn lessons_hide_the_gizmo() {
    let mut viewer = viewer("demo", &[]);
    let colors = Theme::Dark.palette().axes;
    let arrows = |viewer: &Viewer| viewer.picture().capsules.iter().filter(|cone| colors.contains(&cone.color)).count();
    assert!(arrows(&viewer) >= 2);
    give(&mut viewer, &["step.next"]);
    assert_eq!(arrows(&viewer), 0);
    give(&mut viewer, &["lesson.close"]);
    assert!(arrows(&viewer) >= 2);
}

#[test]
fn every_scene_can_be_drawn_at_every_fifth_step() {
    for scene in ["demo", "hand", "hexapod", "humanoid", "robot-arm", "crane", "rope", "tree", "stewart", "spider"] {
        let mut viewer = viewer(scene, &["step.next"]);
        let count = viewer.session().lesson().expect("open").len();
        for number in (0..count).step_by(5) {
            give(&mut viewer, &[&format!("step.to {number}")]);
            assert!(is_finite(&viewer.picture()), "{scene} step {number}");
        }
    }
}

#[test]
fn cancel_closes_the_help_first_and_then_the_lesson_and_the_camera_returns() {
    let mut viewer = viewer("demo", &[]);
    rest(&mut viewer);
    let before = viewer.camera();
    give(&mut viewer, &["step.next"]);
    rest(&mut viewer);
    assert_ne!(viewer.camera(), before, "room is made for the panel");
    give(&mut viewer, &["show help on"]);
    let left = viewer.apply("cancel".parse().expect("a command")).expect("carried out");
    assert_eq!(left, Some(AppCommand::Cancel), "the help is the program's to close");
    give(&mut viewer, &["show help off", "cancel"]);
    assert!(viewer.session().lesson().is_none());
    rest(&mut viewer);
    assert_eq!(viewer.camera(), before);
    let left = viewer.apply("cancel".parse().expect("a command")).expect("carried out");
    assert_eq!(left, Some(AppCommand::Cancel), "nothing is left to close");
}

#[test]
fn a_race_draws_one_figure_per_method() {
    let mut viewer = viewer("demo", &["race accelerated textbook ccd dls"]);
    rest(&mut viewer);
    let palette = Theme::Dark.palette();
    let frame = viewer.picture();
    assert!(is_finite(&frame));
    for lane in 0..4 {
        let links = frame.capsules.iter().filter(|capsule| capsule.color == palette.chain(lane)).count();
        assert_eq!(links, 7, "lane {lane}");
    }
    for sphere in &frame.spheres {
        assert!(sphere.center.distance(frame.bounds.center) <= frame.bounds.radius, "{sphere:?} casts no shadow");
    }
    let ends = frame.spheres.iter().filter(|sphere| sphere.color == palette.target(0)).count();
    assert_eq!(ends, 4, "a target each");
}

/// Centres of the rings around the selected joint.
fn rings(viewer: &Viewer) -> Vec<DVec3> {
    let is_ring = |line: &&Line| line.on_top && line.points.len() == 41 && line.width == 2.6;
    let center = |line: &Line| line.points[1..].iter().map(|(point, _)| point.as_dvec3()).sum::<DVec3>() / 40.0;
    viewer.picture().lines.iter().filter(is_ring).map(center).collect()
}

#[test]
fn the_ring_of_the_selected_joint_is_at_the_joint_of_the_step() {
    for name in ["demo", "human-arm"] {
        let mut viewer = viewer(name, &[]);
        rest(&mut viewer);
        give(&mut viewer, &["joint.next", "joint.next", "joint.next", "target.preset 2", "step.unit joint"]);
        let joint = viewer.session().selected_joint().expect("it was selected");
        for number in [0, 2, 3, 5] {
            give(&mut viewer, &[&format!("step.to {number}")]);
            rest(&mut viewer);
            let shown = viewer.session().lesson().expect("is open").shown_joints().find(|(other, _)| *other == joint);
            let place = viewer.space().shown(shown.expect("in the figure").1);
            let [ring] = rings(&viewer)[..] else { panic!("{name}: one ring") };
            assert!(ring.distance(place) < 1e-4, "{name}, step {number}: {ring} {place}");
        }
        give(&mut viewer, &["race accelerated ccd dls"]);
        rest(&mut viewer);
        assert_eq!(rings(&viewer).len(), 3, "{name}");
    }
}
