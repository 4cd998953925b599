//! A viewer at rest: pictures drawn for other reasons change nothing, and two slow clicks are not a double click.

use fabrik3d::examples;
use fabrik3d_scene::Scene;
use fabrik3d_viewer::session::Command;
use fabrik3d_viewer::session::command::CameraCommand;
use fabrik3d_viewer::view::{Button, Display, HeldKeys, Modifiers, Pointer, Residuals, Viewer};

fn tick(viewer: &mut Viewer, dt: f64) {
    viewer.tick(dt, &mut HeldKeys::default(), Modifiers::default());
}

fn at_rest() -> Viewer {
    let mut viewer = Viewer::new(examples::demo(), Display::default(), 1.6);
    for _ in 0..600 {
        tick(&mut viewer, 1.0 / 60.0);
        if !viewer.is_moving() {
            return viewer;
        }
    }
    panic!("the demo does not come to rest");
}

fn points(viewer: &Viewer) -> Vec<[f64; 2]> {
    viewer.residuals.points().collect()
}

#[test]
fn the_error_curve_stops_while_nothing_moves_and_continues_without_a_gap() {
    let mut viewer = at_rest();
    let before = points(&viewer);
    assert!(before.len() > 10 && before.windows(2).all(|pair| pair[0][0] < pair[1][0]), "{before:?}");
    (0..500).for_each(|_| tick(&mut viewer, 1.0 / 60.0));
    assert_eq!(points(&viewer), before, "pictures of a scene at rest moved the curve");
    viewer.apply("target.random".parse::<Command>().expect("a command")).expect("has a target");
    (0..30).for_each(|_| tick(&mut viewer, 1.0 / 60.0));
    let after = points(&viewer);
    let gaps = after.windows(2).map(|pair| pair[1][0] - pair[0][0]);
    assert!(gaps.fold(0.0, f64::max) < 0.05, "a gap in {after:?}");
    assert!((after.last().expect("points")[0]).abs() < 0.05, "the newest point is that of now");
    (0..1200).for_each(|step| {
        if step % 50 == 0 {
            viewer.apply("target.random".parse::<Command>().expect("a command")).expect("has a target");
        }
        tick(&mut viewer, 1.0 / 60.0);
    });
    let last = points(&viewer);
    assert!(last.iter().skip(1).all(|[time, _]| (-Residuals::SPAN..=0.0).contains(time)), "{last:?}");
}

#[test]
fn only_two_quick_clicks_are_a_double_click() {
    let viewer = at_rest();
    let (size, plain) = ([800.0, 500.0], Modifiers::default());
    for (pause, doubled) in [(0.1, true), (0.3, true), (0.6, false), (5.0, false)] {
        let mut pointer = Pointer::default();
        let _ = pointer.moved([400.0, 460.0], plain, size, &viewer);
        let mut click = |now| {
            let commands = pointer.press(Button::Left, now, plain, size, &viewer);
            let _ = pointer.release(Button::Left, size, &viewer);
            commands.iter().any(|command| matches!(command, Command::Camera(CameraCommand::Focus(_))))
        };
        assert!(!click(1.0));
        assert_eq!(click(1.0 + pause), doubled, "after {pause} s");
    }
}

#[test]
fn of_many_effectors_and_while_a_recording_plays_only_the_selected_one_has_a_trail() {
    let scene = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/scenes/humanoid.toml");
    let mut viewer = Viewer::new(Scene::open(scene).expect("reads"), Display::default(), 1.6);
    let lengths = |viewer: &Viewer| viewer.trails().map(|trail| trail.len()).collect::<Vec<usize>>();
    let give = |viewer: &mut Viewer, words: &str| {
        viewer.apply(words.parse::<Command>().expect("a command")).expect("carried out");
    };
    give(&mut viewer, "target.random");
    (0..60).for_each(|_| tick(&mut viewer, 1.0 / 60.0));
    assert!(lengths(&viewer).iter().filter(|&&length| length > 1).count() > 1, "all of them leave trails otherwise");
    let spider = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/scenes/spider.toml");
    let mut viewer = Viewer::new(Scene::open(spider).expect("reads"), Display::default(), 1.6);
    give(&mut viewer, "effector.all");
    give(&mut viewer, "target.move 0.05 0.1 0");
    (0..60).for_each(|_| tick(&mut viewer, 1.0 / 60.0));
    let lengths_of_many = lengths(&viewer);
    assert!(lengths_of_many.len() > 6, "{lengths_of_many:?}");
    for (effector, &length) in lengths_of_many.iter().enumerate() {
        assert_eq!(length > 0, Some(effector) == viewer.session().selected(), "{lengths_of_many:?}");
    }
    let recording = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/models/two-joints.bvh");
    let mut viewer = Viewer::new(Scene::open(recording).expect("reads"), Display::default(), 1.6);
    give(&mut viewer, "motion.loop on");
    give(&mut viewer, "motion.play");
    let (mut most, mut frames) = (0, 0);
    for _ in 0..600 {
        tick(&mut viewer, 1.0 / 60.0);
        let selected = viewer.session().selected();
        for (effector, length) in lengths(&viewer).into_iter().enumerate() {
            assert!(Some(effector) == selected || length == 0, "effector {effector} leaves a trail");
            most = most.max(length);
        }
        frames += 1;
    }
    // One point per frame for a second and a half.
    assert!(frames == 600 && (2..=92).contains(&most), "{most}");
}

#[test]
fn without_marks_a_picture_holds_the_figure_alone() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/models/mannequin.glb");
    let mut viewer = Viewer::new(Scene::open(path).expect("reads"), Display::default(), 1.6);
    let apply = |viewer: &mut Viewer, command: &str| {
        viewer.apply(command.parse::<Command>().expect("a command")).expect("can be done");
    };
    for command in ["joint.select LeftForeArm", "target.rotation toggle", "show reach on", "target.path circle"] {
        apply(&mut viewer, command);
    }
    (0..60).for_each(|_| tick(&mut viewer, 1.0 / 60.0));
    let with = viewer.picture();
    assert!(with.lines.len() > 10 && !with.spheres.is_empty() && !with.patches.is_empty());
    apply(&mut viewer, "toggle marks");
    let without = viewer.picture();
    assert_eq!(without.meshes.len(), with.meshes.len());
    assert!(without.lines.is_empty() && without.patches.is_empty() && without.halos.is_empty());
    assert!(without.spheres.is_empty() && without.capsules.is_empty(), "the body hides the bones");
}
