//! A stage at rest: pictures that are drawn for other reasons change nothing, and two slow clicks are no double click.
#![cfg(feature = "viewer")]

use fabrik3d::scene::Scene;
use fabrik3d::session::Command;
use fabrik3d::session::command::CameraCommand;
use fabrik3d::view::{Button, Display, HeldKeys, Modifiers, Pointer, Residuals, Stage};

fn tick(stage: &mut Stage, dt: f64) {
    stage.tick(dt, &mut HeldKeys::default(), Modifiers::default());
}

fn at_rest() -> Stage {
    let mut stage = Stage::new(Scene::demo(), Display::default(), 1.6);
    for _ in 0..600 {
        tick(&mut stage, 1.0 / 60.0);
        if !stage.is_moving() {
            return stage;
        }
    }
    panic!("the demo does not come to rest");
}

fn points(stage: &Stage) -> Vec<[f64; 2]> {
    stage.residuals().points().collect()
}

#[test]
fn the_error_over_time_stands_while_nothing_moves_and_goes_on_without_a_gap() {
    let mut stage = at_rest();
    let before = points(&stage);
    assert!(before.len() > 10 && before.windows(2).all(|pair| pair[0][0] < pair[1][0]), "{before:?}");
    (0..500).for_each(|_| tick(&mut stage, 1.0 / 60.0));
    assert_eq!(points(&stage), before, "pictures of a scene at rest moved the curve");
    stage.apply("target.random".parse::<Command>().expect("a command")).expect("has a target");
    (0..30).for_each(|_| tick(&mut stage, 1.0 / 60.0));
    let after = points(&stage);
    let gaps = after.windows(2).map(|pair| pair[1][0] - pair[0][0]);
    assert!(gaps.fold(0.0, f64::max) < 0.05, "a gap in {after:?}");
    assert!((after.last().expect("points")[0]).abs() < 0.05, "the newest point is that of now");
    (0..1200).for_each(|step| {
        if step % 50 == 0 {
            stage.apply("target.random".parse::<Command>().expect("a command")).expect("has a target");
        }
        tick(&mut stage, 1.0 / 60.0);
    });
    let last = points(&stage);
    assert!(last.iter().skip(1).all(|[time, _]| (-Residuals::SPAN..=0.0).contains(time)), "{last:?}");
}

#[test]
fn only_two_quick_clicks_are_a_double_click() {
    let stage = at_rest();
    let (size, plain) = ([800.0, 500.0], Modifiers::default());
    for (pause, doubled) in [(0.1, true), (0.3, true), (0.6, false), (5.0, false)] {
        let mut pointer = Pointer::default();
        let _ = pointer.moved([400.0, 460.0], plain, size, &stage);
        let mut click = |now| {
            let commands = pointer.press(Button::Left, now, plain, size, &stage);
            let _ = pointer.release(Button::Left, size, &stage);
            commands.iter().any(|command| matches!(command, Command::Camera(CameraCommand::Focus(_))))
        };
        assert!(!click(1.0));
        assert_eq!(click(1.0 + pause), doubled, "after {pause} s");
    }
}
