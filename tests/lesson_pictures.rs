//! What a lesson's and a race's pictures hold, as data.
#![cfg(feature = "viewer")]

use fabrik3d::scene::Scene;
use fabrik3d::session::command::AppCommand;
use fabrik3d::view::frame::Frame;
use fabrik3d::view::lesson::labels;
use fabrik3d::view::trace::TraceLine;
use fabrik3d::view::{Display, HeldKeys, Modifiers, Stage, Theme};

fn stage(name: &str, commands: &[&str]) -> Stage {
    let path = format!("{}/assets/scenes/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let mut stage = Stage::new(Scene::open(path).expect("the scene reads"), Display::default(), 16.0 / 9.0);
    give(&mut stage, commands);
    stage
}

fn give(stage: &mut Stage, commands: &[&str]) {
    for words in commands {
        let left = stage.apply(words.parse().expect("a command")).expect("carried out");
        assert_eq!(left, None, "`{words}` is for the program around");
    }
}

fn rest(stage: &mut Stage) {
    for _ in 0..2000 {
        stage.tick(1.0 / 60.0, &mut HeldKeys::default(), Modifiers::default());
        if !stage.is_moving() {
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
    let mut stage = stage("demo", &["method textbook", "step.to 0"]);
    rest(&mut stage);
    let frame = stage.picture();
    assert_eq!(construction(&frame), (0, 0), "the start has nothing to construct");
    assert!(frame.capsules.iter().all(|capsule| capsule.color != ghost));
    give(&mut stage, &["step.to 3"]);
    let frame = stage.picture();
    let (dashed, solid) = construction(&frame);
    assert!(dashed >= 2, "the line of the slide and the stretched link, not {dashed}");
    assert!(solid >= 1, "the arc of the kept length, not {solid}");
    assert!(frame.capsules.iter().any(|capsule| capsule.color == ghost));
    let texts: Vec<String> =
        labels(stage.session().lesson().expect("open")).into_iter().map(|label| label.text).collect();
    for text in ["P8'", "P7'", "P6'", "P6", "P1", "d6"] {
        assert!(texts.iter().any(|other| other == text), "no {text} in {texts:?}");
    }
}

#[test]
fn the_figure_follows_the_step_and_the_trace_tells_it() {
    let mut stage = stage("demo", &["method textbook", "step.to 9"]);
    rest(&mut stage);
    let line = TraceLine::of(&stage, 0.0);
    let lesson = line.lesson.expect("open");
    assert_eq!((lesson.step, lesson.stage.as_deref(), lesson.iteration), (9, Some("e"), 1));
    assert!(line.paused);
    let points = stage.session().lesson().expect("open").step().points();
    for point in points {
        let place = stage.space().drawn(point);
        assert!(stage.picture().spheres.iter().any(|sphere| sphere.center == place), "nothing stands at {point}");
    }
    give(&mut stage, &["lesson.close"]);
    assert!(TraceLine::of(&stage, 0.0).lesson.is_none());
}

#[test]
fn every_scene_can_be_drawn_at_every_fifth_step() {
    for scene in ["demo", "hand", "hexapod", "humanoid", "robot-arm", "crane", "rope", "tree", "stewart", "spider"] {
        let mut stage = stage(scene, &["step.next"]);
        let count = stage.session().lesson().expect("open").len();
        for number in (0..count).step_by(5) {
            give(&mut stage, &[&format!("step.to {number}")]);
            assert!(is_finite(&stage.picture()), "{scene} step {number}");
        }
    }
}

#[test]
fn cancel_closes_the_help_first_and_then_the_lesson_and_the_camera_returns() {
    let mut stage = stage("demo", &[]);
    rest(&mut stage);
    let before = stage.camera();
    give(&mut stage, &["step.next"]);
    rest(&mut stage);
    assert_ne!(stage.camera(), before, "room is made for the panel");
    give(&mut stage, &["show help on"]);
    let left = stage.apply("cancel".parse().expect("a command")).expect("carried out");
    assert_eq!(left, Some(AppCommand::Cancel), "the help is the program's to close");
    give(&mut stage, &["show help off", "cancel"]);
    assert!(stage.session().lesson().is_none());
    rest(&mut stage);
    assert_eq!(stage.camera(), before);
    let left = stage.apply("cancel".parse().expect("a command")).expect("carried out");
    assert_eq!(left, Some(AppCommand::Cancel), "nothing is left to close");
}

#[test]
fn a_race_draws_one_figure_a_method() {
    let mut stage = stage("demo", &["race accelerated textbook ccd dls"]);
    rest(&mut stage);
    let palette = Theme::Dark.palette();
    let frame = stage.picture();
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
