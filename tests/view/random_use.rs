//! Whatever a person or a script does, in any order: nothing panics, and what is displayed stays a pose of the figure.

use crate::example_scenes::example_scenes;
use egui::{Pos2, Rect, vec2};
use fabrik3d_ik::queries::worst_violation;
use fabrik3d_scene::Scene;
use fabrik3d_viewer::hud::{Info, free_area, hud};
use fabrik3d_viewer::session::Command;
use fabrik3d_viewer::session::command::{ParseError, Row, rows};
use fabrik3d_viewer::view::{Action, Bindings, Button, Display, HeldKeys, Modifiers, Pointer, Viewer};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Acts of a run over all scenes.
const ACTS: u32 = 10_000;
/// Acts one after another, from the same opened scene.
const MOST: usize = 60;
/// Acts between two pictures.
const LOOKS: usize = 6;
const SIZE: [f64; 2] = [640.0, 400.0];

/// What somebody does next. Numbers choose among what the scene has, so that shrinking keeps every act possible.
#[derive(Clone, Debug)]
enum Act {
    /// A command of the table, with numbers that choose its arguments.
    Command(usize, Vec<u32>),
    /// A key is held down for some frames.
    Key(usize, Modifiers, u8),
    /// The pointer is pressed at a place, moved and released.
    Drag(Button, Modifiers, [[u16; 2]; 2]),
    /// Some frames pass.
    Wait(u8),
}

fn act() -> impl Strategy<Value = Act> {
    let modifiers = || any::<[bool; 3]>().prop_map(|[shift, ctrl, alt]| Modifiers { shift, ctrl, alt });
    let button = prop_oneof![Just(Button::Left), Just(Button::Middle), Just(Button::Right)];
    prop_oneof![
        4 => (0..rows().count(), prop::collection::vec(any::<u32>(), 12)).prop_map(|(row, choices)| Act::Command(row, choices)),
        2 => (any::<u16>(), modifiers(), 0..6_u8).prop_map(|(key, with, frames)| Act::Key(key.into(), with, frames)),
        2 => (button, modifiers(), any::<[[u16; 2]; 2]>()).prop_map(|(button, with, way)| Act::Drag(button, with, way)),
        1 => (0..10_u8).prop_map(Act::Wait),
    ]
}

/// An argument where the form of a command has this word: a word of its own or of what it expects, a name of the scene or a
/// number.
fn argument(word: &str, choice: u32, expected: &str, scene: &Scene) -> String {
    let pick = choice as usize;
    if word.chars().any(char::is_lowercase) {
        let words: Vec<&str> = word.split('|').collect();
        return words[pick % words.len()].to_owned();
    }
    let numbers = [0.0, 1.0, -1.0, 0.3, 2.0, -0.7, 45.0, 1e-6, -1e4, 1e300];
    let names = scene.effectors.iter().map(|effector| &effector.name);
    let names: Vec<&String> = names.chain(scene.skeleton.joints().iter().map(|joint| &joint.name)).collect();
    let words: Vec<&str> = expected.split(|sign: char| !(sign.is_alphanumeric() || "-_".contains(sign))).collect();
    let at = pick / 5;
    // X, W, DX and the like are numbers.
    match if word.len() < 3 { 3 } else { pick % 5 } {
        0 if !names.is_empty() => format!("\"{}\"", names[at % names.len()]),
        1 | 2 => words[at % words.len()].to_owned(),
        _ => numbers[at % numbers.len()].to_string(),
    }
}

/// A command of a row with arguments after its form; none if they do not fit.
fn command(row: &Row, choices: &[u32], scene: &Scene) -> Option<Command> {
    let expected = match row.name().parse::<Command>() {
        Err(ParseError::Arguments { expected, .. }) => expected,
        _ => String::new(),
    };
    let form = row.form.replace(['[', ']'], "");
    let words = form.split(' ').skip(1).zip(choices).map(|(word, choice)| argument(word, *choice, &expected, scene));
    let words: Vec<String> = words.collect();
    // Arguments may be left out, and the form lists alternatives one after the other.
    let line = |from: usize, to: usize| [&[row.name().to_owned()], &words[from..to]].concat().join(" ");
    let ranges = (0..=words.len()).flat_map(|to| (0..=to).map(move |from| (from, to)));
    let commands: Vec<Command> = ranges.filter_map(|(from, to)| line(from, to).parse().ok()).collect();
    let choice = *choices.last()? as usize % commands.len().max(1);
    commands.into_iter().nth(choice)
}

struct Desk {
    viewer: Viewer,
    context: egui::Context,
    pointer: Pointer,
    held: HeldKeys,
    bindings: Bindings,
}

impl Desk {
    fn new(scene: Scene) -> Self {
        Desk {
            viewer: Viewer::new(scene, Display::default(), SIZE[0] / SIZE[1]),
            context: egui::Context::default(),
            pointer: Pointer::default(),
            held: HeldKeys::default(),
            bindings: Bindings::default(),
        }
    }

    /// Refusals are part of the play.
    fn apply(&mut self, commands: impl IntoIterator<Item = Command>) {
        for command in commands {
            let _ = self.viewer.apply_by_hand(command);
        }
    }

    fn pass(&mut self, frames: u8, with: Modifiers) {
        for _ in 0..frames {
            self.viewer.set_free_area(free_area(&self.viewer, SIZE));
            self.viewer.tick(1.0 / 60.0, &mut self.held, with);
        }
    }

    fn act(&mut self, act: &Act, used: &mut BTreeSet<&'static str>) {
        match act {
            Act::Command(row, choices) => {
                let row = rows().nth(*row).expect("a row");
                let command = command(row, choices, self.viewer.session().scene());
                used.extend(command.as_ref().map(|_| row.name()));
                self.apply(command);
            }
            Act::Key(key, with, frames) => {
                let code = self.bindings.codes().nth(key % self.bindings.codes().count()).expect("a key").to_owned();
                match self.bindings.action(&code, *with).cloned() {
                    Some(Action::Move(direction)) => self.held.press(&code, direction),
                    Some(Action::Do(command)) => self.apply([command]),
                    None => {}
                }
                self.pass(*frames, *with);
                self.held.release(&code);
            }
            Act::Drag(button, with, way) => {
                let [from, to] = way.map(|at| [0, 1].map(|axis| f64::from(at[axis]) / 65535.0 * SIZE[axis]));
                self.pointer.moved(from, *with, SIZE, &self.viewer);
                let commands = self.pointer.press(*button, 0.0, *with, SIZE, &self.viewer);
                self.apply(commands);
                for share in [0.3, 0.7, 1.0] {
                    let at = [0, 1].map(|axis| from[axis] + share * (to[axis] - from[axis]));
                    let moved = self.pointer.moved(at, *with, SIZE, &self.viewer);
                    self.apply(moved);
                    let dragged = self.pointer.drag_target(*with, SIZE, &self.viewer);
                    self.apply(dragged);
                    self.pass(1, *with);
                }
                let released = self.pointer.release(*button, SIZE, &self.viewer);
                self.apply(released);
            }
            Act::Wait(frames) => self.pass(*frames, Modifiers::default()),
        }
        self.pass(1, Modifiers::default());
    }

    /// Lays out all panels and draws the picture.
    fn look(&self) {
        let screen_rect = Some(Rect::from_min_size(Pos2::ZERO, vec2(SIZE[0] as f32, SIZE[1] as f32)));
        let input = egui::RawInput { screen_rect, ..egui::RawInput::default() };
        let info = Info { interactive: true, ..Info::default() };
        let _ = self.context.run(input, |context| drop(hud(context, &self.viewer, &info, |_| None)));
        let _ = self.viewer.picture();
    }

    fn is_sound(&self) -> Result<(), TestCaseError> {
        let session = self.viewer.session();
        let skeleton = &session.scene().skeleton;
        prop_assert_eq!(session.selected().is_none(), session.scene().effectors.is_empty());
        for pose in [session.solved(), session.displayed()] {
            prop_assert!(skeleton.frames(pose).iter().all(|frame| frame.is_finite()), "a frame is not finite");
            prop_assert!(worst_violation(skeleton, pose) < 1e-6, "a limit is exceeded");
        }
        prop_assert!(self.viewer.camera().eye().is_finite(), "the camera is nowhere");
        Ok(())
    }
}

#[test]
fn nothing_that_is_done_in_any_order_panics_or_breaks_the_figure() {
    let mut files: Vec<PathBuf> = example_scenes();
    files.extend(
        ["mannequin.glb", "two-joints.bvh", "gripper.urdf"]
            .map(|name| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/models")).join(name)),
    );
    let scenes: Vec<Scene> = files.iter().map(|file| Scene::open(file).expect("opens")).collect();
    let cases = ACTS / (MOST as u32 / 2);
    let seed = std::env::var("FABRIK3D_SEED").map_or(7, |seed| seed.parse().expect("a number"));
    let config = Config { cases, rng_seed: RngSeed::Fixed(seed), failure_persistence: None, ..Config::default() };
    let used = std::cell::RefCell::new(BTreeSet::new());
    let plays = (0..scenes.len(), prop::collection::vec(act(), 1..MOST));
    let outcome = TestRunner::new(config).run(&plays, |(scene, acts)| {
        let mut desk = Desk::new(scenes[scene].clone());
        for (at, act) in acts.iter().enumerate() {
            desk.act(act, &mut used.borrow_mut());
            desk.is_sound()?;
            if at % LOOKS == 0 {
                desk.look();
            }
        }
        Ok(())
    });
    if let Err(fault) = outcome {
        panic!("{fault}\n{:?}", files);
    }
    let missing: Vec<&str> = rows().map(Row::name).filter(|name| !used.borrow().contains(name)).collect();
    assert!(missing.is_empty(), "never drawn: {missing:?}");
}
