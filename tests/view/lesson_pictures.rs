//! What a lesson's and a race's pictures hold, as data.

use fabrik3d::session::command::AppCommand;
use fabrik3d::view::frame::Frame;
use fabrik3d::view::lesson::labels;
use fabrik3d::view::trace::TraceLine;
use fabrik3d::view::{Display, HeldKeys, Modifiers, Stage, Theme};
use fabrik3d_scene::Scene;

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
        labels(&stage, stage.session().lesson().expect("open")).into_iter().map(|label| label.text).collect();
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
fn the_trace_holds_what_is_displayed() {
    for (scene, step) in [("demo", 5), ("tree", 11), ("two-arms", 12), ("rope", 3)] {
        let mut stage = stage(scene, &["method textbook"]);
        rest(&mut stage);
        let before = TraceLine::of(&stage, 0.0);
        give(&mut stage, &["step.next", &format!("step.to {step}")]);
        rest(&mut stage);
        let line = TraceLine::of(&stage, 0.0);
        assert_eq!(line.solved, before.solved, "{scene}: the session waits");
        let session = stage.session();
        let lesson = session.lesson().expect("open");
        let points = lesson.step().points();
        for &(joint, node) in &lesson.recording().figure.joints {
            let displayed = glam::DVec3::from(line.displayed[joint]);
            assert!(displayed.distance(points[node]) < 1e-12, "{scene}: joint {joint}");
            let place = stage.space().drawn(displayed);
            assert!(stage.picture().spheres.iter().any(|sphere| sphere.center == place), "{scene}: joint {joint}");
        }
    }
}

#[test]
fn a_joint_that_a_limit_holds_shows_the_limit_and_where_it_was_wanted() {
    let mut stage = stage("human-arm", &[]);
    rest(&mut stage);
    give(&mut stage, &["target.preset 2", "step.next"]);
    let count = stage.session().lesson().expect("open").len();
    let red = Theme::Dark.palette().joint_at_limit;
    let mut held = 0;
    for number in 0..count {
        give(&mut stage, &[&format!("step.to {number}")]);
        let step = stage.session().lesson().expect("open").step();
        let slide = step.slide().filter(|slide| slide.to.distance(slide.ideal) > 1e-3 * step.figure().reach);
        let frame = stage.picture();
        assert!(is_finite(&frame));
        let Some(slide) = slide.filter(|_| step.blocking_joints().is_some()) else {
            assert!(frame.patches.is_empty(), "step {number}");
            continue;
        };
        held += 1;
        let wanted = stage.space().drawn(slide.ideal);
        let phantoms = frame.spheres.iter().filter(|sphere| sphere.color[..3] == red[..3] && sphere.color[3] < 255);
        assert!(phantoms.into_iter().any(|sphere| sphere.center == wanted), "step {number}");
        assert!(!frame.patches.is_empty(), "step {number} shows no limit");
        give(&mut stage, &["show limits off"]);
        assert!(stage.picture().patches.is_empty());
        give(&mut stage, &["show limits on"]);
    }
    assert!(held > 2, "{held}");
}

#[test]
fn the_ghost_keeps_to_the_link_style_and_is_thinner_than_the_figure() {
    let ghost = Theme::Dark.palette().ghost;
    let mut stage = stage("demo", &["method textbook", "step.to 4"]);
    for style in ["bone", "capsule", "line"] {
        let frame = stage.picture();
        let thickest = |of_ghost: bool| {
            let capsules = frame.capsules.iter().filter(|capsule| (capsule.color == ghost) == of_ghost);
            capsules.map(|capsule| capsule.a.1.max(capsule.b.1)).fold(0.0, f32::max)
        };
        if stage.display().links == fabrik3d::view::LinkStyle::Line {
            assert!(frame.capsules.iter().all(|capsule| capsule.color != ghost), "{style}");
            assert!(frame.lines.iter().any(|line| line.points[0].1 == ghost), "{style}");
        } else {
            assert!(thickest(true) < 0.8 * thickest(false), "{style}");
        }
        give(&mut stage, &["links.next"]);
    }
}

#[test]
fn by_pass_every_joint_shows_its_way() {
    let mut stage = stage("demo", &["method textbook", "step.unit pass", "step.to 8"]);
    let (_, arrows) = construction(&stage.picture());
    assert!(arrows > 2, "{arrows}: the longer ways at least");
    give(&mut stage, &["step.unit joint"]);
    let (_, arrows) = construction(&stage.picture());
    assert!(arrows <= 2, "the arc and one way, not {arrows}");
}

#[test]
fn lessons_do_without_the_gizmo() {
    let mut stage = stage("demo", &[]);
    let colors = Theme::Dark.palette().axes;
    let arrows = |stage: &Stage| stage.picture().capsules.iter().filter(|cone| colors.contains(&cone.color)).count();
    assert!(arrows(&stage) >= 2);
    give(&mut stage, &["step.next"]);
    assert_eq!(arrows(&stage), 0);
    give(&mut stage, &["lesson.close"]);
    assert!(arrows(&stage) >= 2);
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
