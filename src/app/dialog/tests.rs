//! What is typed into a dialog, frame by frame.

#[path = "../../../crates/viewer/src/hud/test_input.rs"]
#[allow(dead_code, reason = "the viewer's own tests need more of it")]
mod test_input;

use super::folder::name_to_save;
use super::*;
use egui::{Event, Key};
use fabrik3d_viewer::hud::Card;
use tempfile::TempDir;
use test_input::{click, key, letters};

#[test]
fn scenes_are_saved_as_toml_under_their_names_and_characters_beside_their_files() {
    for (current, name) in [
        (None, "scene.toml"),
        (Some("arms/left.urdf"), "left.toml"),
        (Some("man.glb"), "man-posed.glb"),
        (Some("a/man-posed.glb"), "man-posed.glb"),
        (Some("example:demo"), "demo.toml"),
        (Some("example:two-arms"), "two-arms.toml"),
    ] {
        assert_eq!(name_to_save(current.map(Path::new)), name);
    }
}

/// Shows a dialog once per list of events, and once more. Returns its answer.
fn answered(dialog: &mut Dialog, frames: Vec<Vec<Event>>) -> Option<Reply> {
    let (context, mut answer) = (Context::default(), None);
    for events in frames.into_iter().chain([Vec::new()]) {
        let input = egui::RawInput { events, ..egui::RawInput::default() };
        let _ =
            context.run(input, |context| answer = dialog.show(context, &Shelf::default(), |_| None).or(answer.take()));
    }
    answer
}

/// The answer of a dialog for a file, in a folder whose scene is `leg.toml`, and whether the dialog is still open.
fn typed(kind: FileDialogKind, folder: &TempDir, frames: Vec<Vec<Event>>) -> (Option<Reply>, bool) {
    let mut dialog = Dialog::default();
    dialog.choose(kind, Some(&folder.path().join("leg.toml")), None);
    (answered(&mut dialog, frames), dialog.is_open())
}

/// The answer with a file of the folder.
fn taken(kind: FileDialogKind, folder: &TempDir, name: &str) -> Option<Reply> {
    Some(Reply::Do(kind.command(folder.path().join(name))))
}

fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["arm.toml", "armadillo.urdf", "leg.toml", "notes.txt"] {
        std::fs::write(folder.path().join(name), "").expect("can be written");
    }
    std::fs::create_dir(folder.path().join("robots")).expect("can be made");
    std::fs::write(folder.path().join("robots/crane.toml"), "").expect("can be written");
    folder
}

#[test]
fn no_letter_is_lost_however_the_frames_divide_them() {
    let folder = folder();
    let all: Vec<Event> = letters("robots/crane.toml").into_iter().chain([key(Key::Enter)]).collect();
    let whole = all.len();
    for first in 0..whole {
        for second in first..whole {
            let frames = [&all[..first], &all[first..second], &all[second..]].map(<[Event]>::to_vec).to_vec();
            let wanted = taken(FileDialogKind::Open, &folder, "robots/crane.toml");
            assert_eq!(typed(FileDialogKind::Open, &folder, frames), (wanted, false), "{first} {second}");
        }
    }
}

#[test]
fn part_of_a_name_an_arrow_key_and_an_absolute_path_all_choose_a_file() {
    let folder = folder();
    let absolute = folder.path().join("arm.toml").display().to_string();
    let keys = |text: &str, keys: &[Key]| vec![letters(text), keys.iter().copied().map(key).collect()];
    for (frames, file) in [
        (keys("dill", &[Key::Enter]), Some("armadillo.urdf")),
        (keys("arm.toml", &[Key::Enter]), Some("arm.toml")),
        (keys("ar", &[Key::Enter]), None),
        (keys(&absolute, &[Key::Enter]), Some("arm.toml")),
        (keys("", &[Key::ArrowDown, Key::ArrowDown, Key::Enter]), Some("arm.toml")),
        (keys("notes.txt", &[Key::Enter]), None),
        (keys("none.toml", &[Key::Enter]), None),
        (keys("arm", &[Key::Enter]), None),
        (keys("arm.toml", &[Key::Escape]), None),
    ] {
        let what = format!("{frames:?}");
        let wanted = file.and_then(|name| taken(FileDialogKind::Open, &folder, name));
        assert_eq!(typed(FileDialogKind::Open, &folder, frames).0, wanted, "{what}");
    }
    let (answer, is_open) = typed(FileDialogKind::Motion, &folder, keys("notes.txt", &[Key::Enter]));
    assert_eq!(
        (answer, is_open),
        (taken(FileDialogKind::Motion, &folder, "notes.txt"), false),
        "a table may be plain text"
    );
    let (answer, is_open) = typed(FileDialogKind::Open, &folder, keys("notes.txt", &[Key::Enter]));
    assert_eq!((answer, is_open), (None, true), "what cannot be opened leaves the dialog open");
}

#[test]
fn an_extension_typed_before_the_suggested_one_counts() {
    let folder = folder();
    let enter = || vec![key(Key::Enter)];
    for (text, enters, file) in [
        ("hum.toml", 1, Some("hum.toml")),
        ("hum.json", 1, Some("hum.json")),
        ("hum.glb", 1, Some("hum.glb")),
        ("hum", 1, Some("hum.toml")),
        ("hum.2", 1, Some("hum.2.toml")),
        // Cannot be written.
        ("hum.urdf", 2, None),
        ("hum.xyz", 1, Some("hum.xyz.toml")),
    ] {
        let frames = [vec![Vec::new(), letters(text)], vec![enter(); enters]].concat();
        let wanted = (file.and_then(|name| taken(FileDialogKind::Save, &folder, name)), file.is_none());
        assert_eq!(typed(FileDialogKind::Save, &folder, frames), wanted, "{text}, {enters} times Enter");
    }
}

#[test]
fn saving_suggests_a_name_and_asks_before_it_replaces_a_file() {
    let folder = folder();
    let save = |keys: Vec<Vec<Event>>| typed(FileDialogKind::Save, &folder, keys);
    let saved = |name: &str| (taken(FileDialogKind::Save, &folder, name), false);
    let enter = || vec![key(Key::Enter)];
    assert_eq!(save(vec![enter()]), (None, true), "it asks");
    assert_eq!(save(vec![Vec::new(), enter(), enter()]), saved("leg.toml"));
    // The suggested name is selected up to its extension.
    assert_eq!(save(vec![Vec::new(), letters("knee"), enter()]), saved("knee.toml"));
    let frames = vec![Vec::new(), Vec::new(), vec![key(Key::End)], letters("x"), enter()];
    assert_eq!(save(frames), (None, true), ".tomlx");
}

/// What the field says is saved, not what was chosen in the list before.
#[test]
fn a_format_that_is_clicked_counts_more_than_a_file_that_was_chosen_before() {
    let folder = folder();
    let (down, enter) = (|| vec![key(Key::ArrowDown)], || vec![key(Key::Enter)]);
    // By a click, and by the arrow keys, beyond the folder in front of the files.
    for by_keys in [false, true] {
        let (context, mut answer, mut dialog) = (Context::default(), None, Dialog::default());
        dialog.choose(FileDialogKind::Save, Some(&folder.path().join("leg.toml")), None);
        let mut show = |events: Vec<Event>| {
            let input = egui::RawInput { events, ..egui::RawInput::default() };
            context
                .run(input, |context| answer = dialog.show(context, &Shelf::default(), |_| None).or(answer.take()))
                .shapes
        };
        let click_on = |text: &str, show: &mut dyn FnMut(Vec<Event>) -> Vec<egui::epaint::ClippedShape>| {
            show(Vec::new());
            let place = show(Vec::new()).iter().find_map(|shape| match &shape.shape {
                egui::Shape::Text(shown) if shown.galley.text() == text => Some(shown.visual_bounding_rect().center()),
                _ => None,
            });
            show(click(place.expect("is shown")).to_vec());
        };
        match by_keys {
            true => [Vec::new(), down(), down()].map(&mut show).iter().for_each(drop),
            false => click_on("🗋 arm.toml", &mut show),
        }
        click_on(".json", &mut show);
        show(enter());
        assert_eq!(answer, taken(FileDialogKind::Save, &folder, "arm.json"), "by keys: {by_keys}");
    }
}

#[test]
fn the_question_about_unsaved_changes_has_three_answers_and_the_scene_stays_without_one() {
    let leaving = Leaving::Open { scene: "other.toml".into(), motion: None };
    for (events, expected) in [
        (vec![key(Key::Enter)], Some(Some(Reply::AskAndLeave(leaving.clone())))),
        (vec![key(Key::D)], Some(Some(Reply::Discard(leaving.clone())))),
        (vec![key(Key::Escape)], Some(None)),
        (vec![key(Key::Q)], None),
    ] {
        let mut dialog = Dialog::Unsaved("arm".to_owned(), leaving.clone());
        let reply = answered(&mut dialog, vec![Vec::new(), events]);
        assert_eq!((reply, dialog.is_open()), (expected.clone().flatten(), expected.is_none()));
    }
}

#[test]
fn a_recording_is_played_or_opened_or_neither() {
    let recording = PathBuf::from("walk.bvh");
    for (pressed, expected) in [
        (Key::Enter, Some(Reply::Do("motion.open walk.bvh".parse().unwrap()))),
        (Key::O, Some(Reply::Do("open walk.bvh".parse().unwrap()))),
        (Key::Escape, None),
    ] {
        let mut dialog = Dialog::Recording("man".to_owned(), recording.clone());
        let reply = answered(&mut dialog, vec![Vec::new(), vec![key(pressed)]]);
        assert_eq!((reply, dialog.is_open()), (expected, false));
    }
}

#[test]
fn a_scene_is_left_once_a_file_for_it_is_chosen_and_not_if_that_is_cancelled() {
    let folder = folder();
    for (last, expected) in
        [(Key::Enter, Some(Reply::SaveAndLeave(folder.path().join("new.toml"), Leaving::Quit))), (Key::Escape, None)]
    {
        let mut dialog = Dialog::default();
        dialog.choose(FileDialogKind::Save, Some(&folder.path().join("new.toml")), Some(Leaving::Quit));
        let reply = answered(&mut dialog, vec![Vec::new(), vec![key(last)]]);
        assert_eq!((reply, dialog.is_open()), (expected, false));
    }
}

#[test]
fn a_tooltip_of_a_panel_does_not_stay_above_a_dialog() {
    let (context, mut dialog) = (Context::default(), Dialog::default());
    let screen = egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(640.0, 400.0));
    let is_shown = |dialog: &mut Dialog, frame: u32| {
        let events = if frame == 0 { vec![Event::PointerMoved(egui::pos2(12.0, 12.0))] } else { Vec::new() };
        let time = Some(f64::from(frame));
        let input = egui::RawInput { events, time, screen_rect: Some(screen), ..egui::RawInput::default() };
        let mut tooltip = false;
        let _ = context.run(input, |context| {
            dialog.behind(context, || {
                egui::Area::new(egui::Id::new("panel")).fixed_pos(egui::Pos2::ZERO).show(context, |ui| {
                    ui.label("a note that is long enough").on_hover_ui(|_| tooltip = true);
                });
            });
            dialog.show(context, &Shelf::default(), |_| None);
        });
        tooltip
    };
    let shown: Vec<bool> = (0..5).map(|frame| is_shown(&mut dialog, frame)).collect();
    assert!(shown[4], "{shown:?}");
    dialog = Dialog::Unsaved("arm".to_owned(), Leaving::Quit);
    assert_eq!([5, 6, 7].map(|frame| is_shown(&mut dialog, frame)), [false; 3]);
}

#[test]
fn what_is_no_scene_is_refused_with_the_reason_beside_the_examples() {
    let folder = folder();
    let (text, picture) = (folder.path().join("readme.md"), folder.path().join("photo.jpeg"));
    std::fs::write(&text, "hello").expect("can be written");
    std::fs::write(&picture, "").expect("can be written");
    for (path, reason) in [
        (text, "readme.md is in no format"),
        (picture, "photo.jpeg is in no format"),
        (folder.path().join("gone.jpeg"), "There is no file"),
        (folder.path().to_owned(), "leg.toml"),
    ] {
        let (context, mut dialog) = (Context::default(), Dialog::default());
        dialog.refuse(path.clone());
        assert!(dialog.shows_examples());
        let card = Card { path: "example:tree".into(), title: "Tree".into(), line: "A tree.".into(), picture: None };
        let shelf = Shelf { cards: vec![card], recent: Vec::new() };
        let mut texts = Vec::new();
        for _ in 0..3 {
            let screen_rect = Some(egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(1280.0, 720.0)));
            let input = egui::RawInput { screen_rect, ..egui::RawInput::default() };
            let output = context.run(input, |context| drop(dialog.show(context, &shelf, |_| None)));
            texts = output
                .shapes
                .into_iter()
                .filter_map(|shape| match shape.shape {
                    egui::Shape::Text(text) => Some(text.galley.text().to_owned()),
                    _ => None,
                })
                .collect::<Vec<_>>();
        }
        for wanted in [reason, "Tree"] {
            assert!(texts.iter().any(|text| text.contains(wanted)), "{path:?}: no {wanted} in {texts:?}");
        }
    }
}

/// The answer of the list of all commands to what is typed in it, and whether it is still open.
fn found(frames: Vec<Vec<Event>>) -> (Option<Reply>, bool) {
    let mut dialog = Dialog::default();
    let examples = [("example:tree".to_owned(), "Tree".to_owned())];
    dialog.find_command(|_| None, &examples);
    (answered(&mut dialog, frames), dialog.is_open())
}

fn done(line: &str) -> (Option<Reply>, bool) {
    (Some(Reply::Do(line.parse().expect("a command"))), false)
}

#[test]
fn commands_are_found_by_words_and_ask_for_their_arguments() {
    let enter = || vec![key(Key::Enter)];
    // The field has the focus from its second frame on.
    let typed = |text: &str, rest: Vec<Vec<Event>>| {
        let letters = text.chars().map(|letter| letters(&letter.to_string()));
        [vec![Vec::new(), Vec::new()], letters.collect(), rest].concat()
    };
    assert_eq!(found(typed("Light theme", vec![enter()])), done("theme light"));
    assert_eq!(found(typed("tree", vec![enter()])), done("open example:tree"));
    assert_eq!(found(typed("theme", vec![vec![key(Key::ArrowDown)], enter()])), done("theme light"));
    // What takes arguments that nobody can list asks for them.
    let tolerance = typed("tolerance", vec![enter()]);
    assert_eq!(found(tolerance.clone()), (None, true));
    let rest = typed("solver.tolerance 1e-5", vec![enter()]);
    assert_eq!(found([tolerance.clone(), rest].concat()), done("set solver.tolerance 1e-5"));
    assert_eq!(found([tolerance, typed("x", vec![enter()])].concat()), (None, true), "one argument is missing");
    // A whole line is a command too.
    assert_eq!(found(typed("camera.orbit 30 10", vec![enter()])), done("camera.orbit 30 10"));
    assert_eq!(found(typed("quit", vec![vec![key(Key::Escape)]])), (None, false));
    assert_eq!(found(typed("xyzzy", vec![enter()])), (None, true));
}

#[test]
fn every_control_of_a_dialog_has_a_name() {
    let folder = folder();
    let file = folder.path().join("leg.toml");
    let mut dialogs = [FileDialogKind::Open, FileDialogKind::Save, FileDialogKind::Motion].map(|kind| {
        let mut dialog = Dialog::default();
        dialog.choose(kind, Some(&file), None);
        dialog
    });
    let mut palette = Dialog::default();
    palette.find_command(|_| None, &[]);
    let unsaved = Dialog::Unsaved("leg".to_owned(), Leaving::Quit);
    let recording = Dialog::Recording("leg".to_owned(), file.clone());
    for dialog in dialogs.iter_mut().chain([&mut palette, &mut { unsaved }, &mut { recording }]) {
        let context = Context::default();
        context.enable_accesskit();
        let mut update = None;
        for _ in 0..3 {
            let input = egui::RawInput::default();
            let output = context.run(input, |context| drop(dialog.show(context, &Shelf::default(), |_| None)));
            update = output.platform_output.accesskit_update;
        }
        let mut update = update.expect("is asked for");
        fabrik3d_viewer::hud::name_controls(&mut update);
        let controls = update.nodes.iter().filter(|(_, node)| node.supports_action(egui::accesskit::Action::Focus));
        let names: Vec<&str> = controls.map(|(_, node)| node.label().or(node.value()).unwrap_or_default()).collect();
        assert!(names.len() > 2 && names.iter().all(|name| !name.trim().is_empty()), "{names:?}");
    }
}
