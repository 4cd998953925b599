//! Panels stay inside the picture, do not overlap and leave room for the figure, at all sizes of picture and text, in both
//! themes and all modes.

use egui::{Pos2, Rect, vec2};
use fabrik3d::examples;
use fabrik3d_ik::random::Random;
use fabrik3d_scene::{OpenOptions, Scene};
use fabrik3d_viewer::hud::{Card, Info, Shelf, Toasts, apply_theme, free_area, has_room_for_panel, hud, screen};
use fabrik3d_viewer::session::Command;
use fabrik3d_viewer::session::command::{AppCommand, DisplayCommand, Section, Show, Theme};
use fabrik3d_viewer::view::{Area, Bindings, Display, HeldKeys, Modifiers, Viewer};

/// Names of everything that may be open.
const NAMES: [&str; 10] =
    ["status", "panel", "panel-tab", "profiler", "lesson", "race", "toasts", "help", "hover", "welcome"];

/// A viewer after some commands and some time.
pub fn viewer(scene: &Scene, commands: &[&str], size: egui::Vec2, display: Display) -> Viewer {
    let mut viewer = Viewer::new(scene.clone(), display, f64::from(size.x / size.y));
    viewer.set_free_area(free_area(&viewer, [size.x.into(), size.y.into()]));
    for command in commands {
        viewer.apply(command.parse::<Command>().expect("a command")).expect("can be done");
    }
    for _ in 0..90 {
        viewer.set_free_area(free_area(&viewer, [size.x.into(), size.y.into()]));
        viewer.tick(1.0 / 60.0, &mut HeldKeys::default(), Modifiers::default());
    }
    viewer
}

/// Everything that panels may have to show.
pub fn full_info() -> Info {
    let mut toasts = Toasts::default();
    toasts.failed("arm.toml: line 3: this sentence is about as long as an error of a scene file gets, with its advice");
    Info {
        toasts: toasts.list().to_vec(),
        renderer: "llvmpipe (LLVM 19.1.7, 256 bits)".into(),
        shelf: shelf(),
        frame_seconds: Some(0.016),
        introduces: true,
        interactive: true,
        ..Info::default()
    }
}

/// All examples without their pictures, and recent files.
fn shelf() -> Shelf {
    let lines = examples::titles().iter().zip(examples::summaries());
    let card = |((path, title), line): (&(String, String), &String)| Card {
        path: path.into(),
        title: title.clone(),
        line: line.clone(),
        picture: None,
    };
    let recent = (0..8).map(|k| format!("/home/somebody/scenes/a rather long name {k}.toml").into());
    Shelf { cards: lines.map(card).collect(), recent: recent.collect() }
}

/// The rectangles of everything open over a picture of this size in points.
fn places(viewer: &Viewer, size: egui::Vec2) -> (Rect, Vec<(String, Rect)>) {
    let info = full_info();
    let context = egui::Context::default();
    apply_theme(&context, viewer.display().theme);
    let whole = Rect::from_min_size(Pos2::ZERO, size);
    for pass in 0..5 {
        let input =
            egui::RawInput { screen_rect: Some(whole), time: Some(f64::from(pass) * 0.1), ..egui::RawInput::default() };
        let _ = context.run(input, |context| drop(hud(context, viewer, &info, |_| None)));
    }
    let visible = context.memory(|memory| memory.areas().visible_layer_ids());
    let shown = NAMES.map(|name| (name.to_owned(), egui::Id::new(name))).into_iter().filter_map(|(name, id)| {
        let rect = context.memory(|memory| memory.area_rect(id))?;
        visible.iter().any(|layer| layer.id == id).then_some((name, rect))
    });
    (whole, shown.collect())
}

/// Asserts that all rectangles are inside the window and none overlap.
fn are_clear(whole: Rect, shown: &[(String, Rect)], what: &str) {
    for (at, (name, rect)) in shown.iter().enumerate() {
        assert!(whole.expand(0.5).contains_rect(*rect), "{name} leaves the picture: {what}: {shown:?}");
        for (other, other_rect) in &shown[..at] {
            let covered = rect.intersect(*other_rect);
            // Messages may cover the foot of panels for seconds, and the help covers everything until it is closed.
            let head = |rect: &Rect| Rect::from_min_size(rect.min, vec2(rect.width(), 40.0));
            let titled = |name: &str| ["status", "panel", "lesson", "race"].contains(&name);
            let is_message_on_foot = |[(a, rect), (b, other)]: [(&str, &Rect); 2]| {
                a == "toasts" && !(titled(b) && rect.intersect(head(other)).shrink(0.5).is_positive())
            };
            let [one, two] = [(name.as_str(), rect), (other.as_str(), other_rect)];
            let passes = is_message_on_foot([one, two]) || is_message_on_foot([two, one]);
            assert!(
                !covered.shrink(0.5).is_positive() || passes || name == "help" || other == "help",
                "{name} covers {other}: {what}: {shown:?}"
            );
        }
    }
}

pub const MODES: &[(&str, &str, &[&str])] = &[
    ("plain", "scenes/demo.toml", &[]),
    ("a target out of sight", "scenes/demo.toml", &["target.set 100 0 0", "camera.zoom 3"]),
    ("targets out of sight", "scenes/hexapod.toml", &["camera.zoom 6"]),
    ("a joint selected", "scenes/humanoid.toml", &["joint.next", "joint.next", "target.rotation toggle"]),
    ("a lesson", "scenes/demo.toml", &["method textbook", "step.to 3"]),
    ("a lesson that aims ahead", "scenes/seed-arm.toml", &["method accelerated", "target.preset 2", "step.to 9"]),
    ("a lesson of a tree", "scenes/tree.toml", &["step.unit joint", "method textbook", "step.to 12"]),
    ("a lesson of a long chain", "scenes/demo.toml", &["method textbook", "step.to 16"]),
    ("a lesson of two arms", "scenes/two-arms.toml", &["step.unit joint", "step.to 9"]),
    ("a long lesson by pass", "scenes/tree.toml", &["target.random", "step.to 900"]),
    ("a lesson at its end", "scenes/tree.toml", &["step.to 1000"]),
    ("a race of two", "scenes/demo.toml", &["target.preset 2", "race accelerated ccd"]),
    ("a race of four", "scenes/demo.toml", &["target.preset 2", "race accelerated textbook ccd dls"]),
    ("a motion", "models/two-joints.bvh", &["joint.next", "motion.mode follow", "motion.play"]),
    ("the help", "scenes/demo.toml", &["show help on"]),
];

#[test]
fn panels_stay_inside_the_picture_and_do_not_overlap_in_any_mode() {
    for (mode, file, commands) in MODES {
        let scene = Scene::open(format!("{}/assets/{file}", env!("CARGO_MANIFEST_DIR"))).expect("reads");
        for size in [vec2(640.0, 480.0), vec2(800.0, 600.0), vec2(1280.0, 720.0), vec2(1920.0, 1080.0)] {
            for (at, zoom) in [1.0, 1.5, 2.0].into_iter().enumerate() {
                for (panel, profiler) in [(false, false), (true, true)] {
                    // Texts have the same length in both themes, so one theme per text size is enough.
                    let theme = [Theme::Dark, Theme::Light][(at + usize::from(panel)) % 2];
                    let mut display = Display::default().with(Show::Panel, panel).with(Show::Profiler, profiler);
                    (display.theme, display.font_scale) = (theme, zoom);
                    let points = size / zoom;
                    let viewer = viewer(&scene, commands, points, display);
                    let (whole, shown) = places(&viewer, points);
                    let what = format!("{mode}, {size:?}, text x{zoom}, panel and profiler {panel}");
                    are_clear(whole, &shown, &what);
                    let has = |name: &str| shown.iter().any(|(other, _)| other == name);
                    assert!(has("status") || has("lesson") || has("race") || has("panel"), "{what}: {shown:?}");
                    let wants = |word: &str| mode.contains(word);
                    assert!(!wants("lesson") || has("lesson"), "{what}: {shown:?}");
                    assert!(!wants("race") || has("race"), "{what}: {shown:?}");
                    assert!(!wants("help") || has("help"), "{what}: {shown:?}");
                    // The introduction stands where it covers nothing else.
                    let is_large = points.x >= 800.0 && points.y >= 600.0;
                    let hides = profiler || ["lesson", "race", "help"].into_iter().any(wants);
                    assert!(if hides { !has("welcome") } else { has("welcome") || !is_large }, "{what}: {shown:?}");
                    assert!(!panel || wants("lesson") || wants("race") || has("panel"), "{what}: {shown:?}");
                    if !panel {
                        leaves_room(&viewer, points, &shown, &what);
                    }
                }
            }
        }
    }
}

/// Without panels that open on demand, a part of the picture is free and the camera looks through its middle.
fn leaves_room(viewer: &Viewer, size: egui::Vec2, shown: &[(String, Rect)], what: &str) {
    let area = free_area(viewer, [size.x.into(), size.y.into()]);
    assert_ne!(area, Area::WHOLE, "{what}: nothing is left for the figure");
    let at = |[x, y]: [f64; 2]| Pos2::new((x as f32 + 1.0) * 0.5 * size.x, (1.0 - y as f32) * 0.5 * size.y);
    let free = Rect::from_two_pos(at(area.low), at(area.high));
    for (name, rect) in
        shown.iter().filter(|(name, _)| ["status", "lesson", "race", "welcome"].contains(&name.as_str()))
    {
        assert!(!free.shrink(1.0).intersect(*rect).is_positive(), "{what}: {name} at {rect:?} covers {free:?}");
    }
}

/// Panels are laid out beside those of the frame before, which was of another size and may have had others: whatever follows what,
/// no panel asks for a size that there is not, such as a negative width.
#[test]
fn every_size_and_mode_can_follow_every_other() {
    const COMMANDS: [&str; 14] = [
        "toggle panel",
        "toggle panel",
        "toggle profiler",
        "toggle help",
        "toggle hud",
        "step.to 3",
        "step.to 900",
        "lesson.close",
        "race off",
        "race accelerated textbook ccd dls",
        "panel.width 520",
        "panel.width 230",
        "joint.next",
        "target.random",
    ];
    let mut random = Random::new(47);
    for file in ["scenes/demo.toml", "scenes/crane.toml", "scenes/humanoid.toml"] {
        let scene = Scene::open(format!("{}/assets/{file}", env!("CARGO_MANIFEST_DIR"))).expect("reads");
        let mut viewer = Viewer::new(scene, with_sections(Display::default(), true), 1.5);
        let (context, info) = (egui::Context::default(), full_info());
        let (mut size, mut zoom) = (vec2(800.0, 600.0), 1.0);
        for frame in 0..600 {
            match random.index(3) {
                0 => size = vec2(random.range(1.0, 1400.0) as f32, random.range(1.0, 900.0) as f32),
                1 => zoom = [0.5, 1.0, 2.0][random.index(3)],
                // What makes no sense now is refused.
                _ => drop(viewer.apply(COMMANDS[random.index(COMMANDS.len())].parse::<Command>().expect("a command"))),
            }
            let points = screen(size / zoom);
            let [x, y] = [points.width(), points.height()].map(f64::from);
            viewer.set_free_area(free_area(&viewer, [x, y]));
            viewer.tick(1.0 / 60.0, &mut HeldKeys::default(), Modifiers::default());
            let time = Some(f64::from(frame) / 60.0);
            let input = egui::RawInput { screen_rect: Some(points), time, ..egui::RawInput::default() };
            let _ = context.run(input, |context| drop(hud(context, &viewer, &info, |_| None)));
        }
    }
}

/// Values beyond the ends of a slider are not brought back by showing them: a joint without limits that turned by more than
/// half a turn, and settings of a file that no slider reaches.
#[test]
fn panels_change_nothing_on_their_own() {
    let scene = "[[joint]]\nname = \"a\"\nkind = \"hinge\"\naxis = [0, 0, 1]\nstart = 200\n\
                 [[joint]]\nname = \"b\"\nparent = \"a\"\noffset = [1, 0, 0]\nkind = \"hinge\"\naxis = [0, 0, 1]\n\
                 [[effector]]\njoint = \"b\"\ntip = [1, 0, 0]\n\
                 [solver]\ntolerance = 0.5\n[smoothing]\nduration = 8\n";
    let scene = Scene::from_bytes(scene.as_bytes().to_vec(), "turned.toml", &OpenOptions::default()).expect("a scene");
    let size = vec2(1280.0, 720.0);
    let mut viewer = viewer(&scene, &["joint.select a"], size, with_sections(Display::default(), true));
    let context = egui::Context::default();
    let frame = |viewer: &Viewer, what: &str| {
        let screen_rect = Some(Rect::from_min_size(Pos2::ZERO, size));
        let input = egui::RawInput { screen_rect, ..egui::RawInput::default() };
        let mut commands = Vec::new();
        let _ = context.run(input, |context| commands = hud(context, viewer, &full_info(), |_| None));
        assert!(commands.is_empty(), "{what}: {commands:?}");
    };
    (0..5).for_each(|_| frame(&viewer, "at the start"));
    viewer.apply("joint.set a 350".parse::<Command>().expect("a command")).expect("can be done");
    for _ in 0..60 {
        viewer.tick(1.0 / 60.0, &mut HeldKeys::default(), Modifiers::default());
        frame(&viewer, "while it turns");
    }
}

#[test]
fn the_help_fits_with_its_close_button() {
    let display = Display::default().with(Show::Help, true);
    for (size, zoom) in [(vec2(1280.0, 720.0), 1.0), (vec2(1280.0, 720.0), 2.0), (vec2(640.0, 480.0), 2.0)] {
        let (whole, shown) = places(&viewer(&examples::demo(), &[], size / zoom, display), size / zoom);
        let help = shown.iter().find(|(name, _)| name == "help").expect("is shown").1;
        assert!(whole.contains_rect(help), "{size:?} x{zoom}: {help:?}");
    }
}

/// Every text that is visible in one frame, with its position; texts cut off by less than half count.
fn read(context: &egui::Context, viewer: &Viewer, size: egui::Vec2, keys: &[egui::Key]) -> Vec<(String, Rect)> {
    read_with(&Info { interactive: true, ..Info::default() }, context, viewer, size, keys)
}

/// The same with other things to show.
fn read_with(
    info: &Info,
    context: &egui::Context,
    viewer: &Viewer,
    size: egui::Vec2,
    keys: &[egui::Key],
) -> Vec<(String, Rect)> {
    let whole = Rect::from_min_size(Pos2::ZERO, size);
    let press = |key: &egui::Key| egui::Event::Key {
        key: *key,
        physical_key: None,
        pressed: true,
        repeat: false,
        modifiers: egui::Modifiers::NONE,
    };
    let mut texts = Vec::new();
    for pass in 0..3 {
        let events = if pass == 0 { keys.iter().map(press).collect() } else { Vec::new() };
        let input = egui::RawInput { screen_rect: Some(whole), events, ..egui::RawInput::default() };
        let output = context.run(input, |context| drop(hud(context, viewer, info, |_| None)));
        texts = output
            .shapes
            .into_iter()
            .filter_map(|shape| match shape.shape {
                egui::Shape::Text(text) => {
                    let rect = text.visual_bounding_rect();
                    let seen = shape.clip_rect.intersect(rect);
                    (seen.is_positive() && seen.height() > 0.5 * rect.height())
                        .then(|| (text.galley.text().to_owned(), seen))
                }
                _ => None,
            })
            .collect();
    }
    texts
}

#[test]
fn all_of_the_help_can_be_read_by_scrolling() {
    let display = Display::default().with(Show::Help, true).with(Show::Hud, false);
    for size in [vec2(1280.0, 720.0), vec2(1000.0, 700.0), vec2(900.0, 600.0), vec2(640.0, 480.0)] {
        for (zoom, has_gamepad) in [(1.0, false), (1.0, true), (1.5, false), (2.0, true)] {
            let lines = Bindings::default().help(|_| None, has_gamepad);
            let info = Info { interactive: true, has_gamepad, ..Info::default() };
            let points = size / zoom;
            let what = format!("{size:?} x{zoom}, gamepad {has_gamepad}");
            let viewer = viewer(&examples::demo(), &[], points, display);
            let context = egui::Context::default();
            apply_theme(&context, viewer.display().theme);
            let mut seen = std::collections::HashSet::new();
            let mut page = read_with(&info, &context, &viewer, points, &[]);
            let mut pages = 1;
            loop {
                let help = context.memory(|memory| memory.area_rect(egui::Id::new("help"))).expect("is shown");
                let inside: Vec<&(String, Rect)> = page.iter().filter(|(_, rect)| help.contains_rect(*rect)).collect();
                for (at, (text, rect)) in inside.iter().enumerate() {
                    for (other, other_rect) in &inside[..at] {
                        let over = rect.intersect(*other_rect);
                        let is_over = over.width() > 1.0 && over.height() > 0.4 * rect.height();
                        assert!(!is_over, "{what}: {text} over {other}");
                    }
                }
                // Blanks only separate keys.
                seen.extend(inside.into_iter().map(|(text, _)| without_blanks(text)));
                let has_more = page.iter().any(|(text, _)| text.starts_with("More below"));
                if !has_more {
                    break;
                }
                pages += 1;
                assert!(pages < 40, "{what}: it never ends");
                page = read_with(&info, &context, &viewer, points, &[egui::Key::PageDown]);
            }
            for line in &lines {
                let [does, keys] = [&line.what, &line.keys()].map(|text| without_blanks(text));
                assert!(seen.contains(&does) && seen.contains(&keys), "{what}: {line:?} is not to be read");
            }
        }
    }
}

#[test]
fn the_help_shows_everything_at_once_in_pictures_of_1280x720_or_more() {
    let display = Display::default().with(Show::Help, true);
    let mut random = Random::new(7);
    let mut sizes: Vec<egui::Vec2> =
        (0..20).map(|_| vec2(random.range(1280.0, 2600.0) as f32, random.range(720.0, 1500.0) as f32)).collect();
    sizes.push(vec2(1280.0, 720.0));
    for size in sizes {
        let viewer = viewer(&examples::demo(), &[], size, display);
        for has_gamepad in [false, true] {
            let info = Info { interactive: true, has_gamepad, ..Info::default() };
            let context = egui::Context::default();
            apply_theme(&context, viewer.display().theme);
            let page = read_with(&info, &context, &viewer, size, &[]);
            let scrolls = |text: &str| text.starts_with("More below") || text.starts_with("End; scroll");
            assert!(!page.iter().any(|(text, _)| scrolls(text)), "{size:?}, gamepad {has_gamepad}: it scrolls");
            let help = context.memory(|memory| memory.area_rect(egui::Id::new("help"))).expect("is shown");
            let inside = page.into_iter().filter(|(_, rect)| help.contains_rect(*rect));
            let seen: std::collections::HashSet<String> = inside.map(|(text, _)| without_blanks(&text)).collect();
            for line in Bindings::default().help(|_| None, has_gamepad) {
                let [does, keys] = [&line.what, &line.keys()].map(|text| without_blanks(text));
                assert!(seen.contains(&does) && seen.contains(&keys), "{size:?}, gamepad {has_gamepad}: {line:?}");
            }
        }
    }
}

#[test]
fn the_card_of_the_first_start_fills_with_whole_pictures_and_each_opens_its_example() {
    let mut random = Random::new(8);
    for _ in 0..20 {
        let size = vec2(random.range(800.0, 2000.0) as f32, random.range(600.0, 1300.0) as f32);
        let display = Display::default().with(Show::Panel, has_room_for_panel(size.x.into(), 1.0));
        let viewer = viewer(&examples::demo(), &[], size, display);
        let context = egui::Context::default();
        apply_theme(&context, viewer.display().theme);
        let info = Info { introduces: true, shelf: shelf(), interactive: true, ..Info::default() };
        let page = read_with(&info, &context, &viewer, size, &[]);
        let card = context.memory(|memory| memory.area_rect(egui::Id::new("welcome"))).expect("is shown");
        let inside: Vec<_> = page.into_iter().filter(|(_, rect)| card.contains_rect(*rect)).collect();
        let titles: Vec<_> = examples::titles()
            .iter()
            .filter_map(|(path, title)| inside.iter().find(|(text, _)| text == title).map(|(_, place)| (path, *place)))
            .collect();
        let is_full = titles.len() == examples::titles().len();
        assert!(titles.len() >= 2 && (is_full || size.y - card.bottom() < 110.0), "{size:?}: {card:?}, {titles:?}");
        for (path, title) in titles {
            let at = title.left_top() + vec2(10.0, -20.0);
            let button = |pressed| egui::Event::PointerButton {
                pos: at,
                button: egui::PointerButton::Primary,
                pressed,
                modifiers: egui::Modifiers::NONE,
            };
            let mut commands = Vec::new();
            for event in [egui::Event::PointerMoved(at), button(true), button(false)] {
                let screen_rect = Some(Rect::from_min_size(Pos2::ZERO, size));
                let input = egui::RawInput { screen_rect, events: vec![event], ..egui::RawInput::default() };
                let _ = context.run(input, |context| commands = hud(context, &viewer, &info, |_| None));
            }
            assert_eq!(commands, [format!("open {path}").parse::<Command>().expect("a command")], "{size:?}");
        }
    }
}

/// Opens every section of the side panel, or closes it.
pub fn with_sections(mut display: Display, on: bool) -> Display {
    for (_, section) in Section::NAMES {
        display = display.after(&DisplayCommand::Section(section, on));
    }
    display
}

#[test]
fn no_text_is_cut_off_at_twice_the_text_size() {
    // All lessons in small pictures, too: their texts must not need scrolling.
    let lessons = ["demo", "tree", "obstacles", "humanoid", "robot-arm", "spider"].into_iter().flat_map(|scene| {
        let steps = ["step.to 0", "step.to 1", "step.to 2", "step.to 5", "step.to 9", "step.to 14", "step.to 100000"];
        steps.map(|step| ("a lesson", format!("scenes/{scene}.toml"), vec!["step.unit joint", "target.preset 2", step]))
    });
    let modes = MODES.iter().map(|(mode, file, commands)| (*mode, (*file).to_owned(), commands.to_vec()));
    for (mode, file, commands) in modes.chain(lessons) {
        let commands = &commands[..];
        let scene = Scene::open(format!("{}/assets/{file}", env!("CARGO_MANIFEST_DIR"))).expect("reads");
        for (size, zoom) in [(vec2(1280.0, 720.0), 2.0), (vec2(1280.0, 720.0), 1.0), (vec2(600.0, 400.0), 1.0)] {
            for panel in [true, false] {
                let display = with_sections(Display::default().with(Show::Panel, panel), true);
                let viewer = viewer(&scene, commands, size / zoom, display);
                let context = egui::Context::default();
                apply_theme(&context, viewer.display().theme);
                let whole = Rect::from_min_size(Pos2::ZERO, size / zoom);
                let info = full_info();
                for pass in 0..4 {
                    let input = egui::RawInput { screen_rect: Some(whole), ..egui::RawInput::default() };
                    let output = context.run(input, |context| drop(hud(context, &viewer, &info, |_| None)));
                    // The side panel and the help scroll.
                    let fixed = ["status", "lesson", "race", "welcome", "toasts"];
                    let area = |name: &str| context.memory(|memory| memory.area_rect(egui::Id::new(name)));
                    let fixed: Vec<Rect> = fixed.into_iter().filter_map(area).collect();
                    for shape in output.shapes.iter().filter(|_| pass == 3) {
                        let egui::Shape::Text(text) = &shape.shape else { continue };
                        if text.galley.text().trim().is_empty() {
                            continue;
                        }
                        let (rect, room) = (text.visual_bounding_rect(), shape.clip_rect.intersect(whole));
                        let is_seen = room.intersect(rect).is_positive();
                        let fits =
                            room.x_range().contains(rect.left() + 1.0) && room.x_range().contains(rect.right() - 1.0);
                        let is_fixed = mode != "the help" && fixed.iter().any(|area| area.contains(rect.center()));
                        let rows = [rect.top() + 2.0, rect.bottom() - 2.0];
                        let is_whole = !is_fixed || rows.into_iter().all(|y| room.y_range().contains(y));
                        let text = text.galley.text();
                        assert!(
                            !is_seen || (fits && is_whole),
                            "{mode}, {size:?} x{zoom}: {text} at {rect:?} is cut off at {room:?}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn the_panel_opens_with_what_the_scene_is_for_and_everything_else_is_one_click_away() {
    let size = vec2(1280.0, 1500.0);
    let texts = |file: &str, display: Display| {
        let scene = Scene::open(format!("{}/assets/{file}", env!("CARGO_MANIFEST_DIR"))).expect("reads");
        let viewer = viewer(&scene, &[], size, display);
        let context = egui::Context::default();
        apply_theme(&context, viewer.display().theme);
        read(&context, &viewer, size, &[]).into_iter().map(|(text, _)| text).collect::<Vec<String>>()
    };
    let display = Display::default().with(Show::Panel, true);
    for (file, open, closed) in [
        (
            "scenes/demo.toml",
            &["Random", "Path", "iterations"][..],
            &["Match orientation", "May miss by", "Tolerance"][..],
        ),
        (
            "scenes/robot-arm.toml",
            &["Random", "Effector", "Match orientation"],
            &["May miss by", "weight 1.00", "Tolerance"],
        ),
        (
            "scenes/humanoid.toml",
            &["Pose", "pinned", "Opening pose"],
            &["Path", "May miss by", "Filter by name", "Tolerance"],
        ),
        ("models/two-joints.bvh", &["Pose", "loop", "follow"], &["May miss by", "Tolerance"]),
    ] {
        let has = |texts: &[String], what: &str| texts.iter().any(|text| text.contains(what));
        let first = texts(file, display);
        for text in open {
            assert!(has(&first, text) || *text == "iterations", "{file}: no {text} in {first:?}");
        }
        for text in closed {
            assert!(!has(&first, text), "{file}: {text} in {first:?}");
        }
        let all = texts(file, with_sections(display, true));
        for text in closed.iter().chain(open).filter(|text| **text != "Filter by name") {
            assert!(has(&all, text), "{file}: no {text} in {all:?}");
        }
        // Every title that hides something can be seen at once.
        let none = texts(file, with_sections(display, false));
        for title in ["Joints", "Motion", "Error by iteration", "Solver", "View", "File"] {
            assert!(has(&none, title), "{file}: no {title} in {none:?}");
        }
    }
}

#[test]
fn a_robot_shows_the_joints_that_move_and_only_those() {
    let scene = Scene::open(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/scenes/robot-arm.toml")).expect("reads");
    let size = vec2(1280.0, 1400.0);
    let viewer = viewer(&scene, &[], size, Display::default().with(Show::Panel, true));
    let context = egui::Context::default();
    apply_theme(&context, viewer.display().theme);
    let texts = read(&context, &viewer, size, &[]);
    for (joint, description) in scene.skeleton.joints().iter().enumerate() {
        let name = scene.shown_name(&description.name);
        let is_listed = texts.iter().any(|(text, _)| text == name);
        assert_eq!(is_listed, scene.skeleton.kind(joint).can_move(), "{name} in {texts:?}");
    }
}

fn without_blanks(text: &str) -> String {
    text.split_whitespace().collect()
}

#[test]
fn a_lesson_stays_off_the_edge_when_its_text_changes() {
    let size = vec2(1000.0, 700.0);
    let mut viewer =
        viewer(&examples::demo(), &["method ccd", "target.preset 2", "step.to 0"], size, Display::default());
    let context = egui::Context::default();
    apply_theme(&context, viewer.display().theme);
    read(&context, &viewer, size, &[]);
    let whole = Rect::from_min_size(Pos2::ZERO, size);
    for words in ["step.to 3", "step.to 0", "method textbook", "step.to 5", "step.to 900", "method dls", "step.to 2"] {
        viewer.apply(words.parse::<Command>().expect("a command")).expect("can be done");
        // The next picture.
        let info = Info { interactive: true, ..Info::default() };
        let input = egui::RawInput { screen_rect: Some(whole), ..egui::RawInput::default() };
        let _ = context.run(input, |context| drop(hud(context, &viewer, &info, |_| None)));
        let card = context.memory(|memory| memory.area_rect(egui::Id::new("lesson"))).expect("is shown");
        assert!((card.bottom() - (size.y - 12.0)).abs() < 1.0, "{words}: {card:?}");
    }
}

#[test]
fn a_click_on_a_message_closes_it() {
    let (size, mut toasts) = (vec2(1280.0, 720.0), Toasts::default());
    toasts.failed("a short one");
    toasts.failed("one that is longer than the others, with a word on what can be done about it, and so wraps perhaps");
    toasts.done("Saved");
    let info = Info { toasts: toasts.list().to_vec(), interactive: true, ..Info::default() };
    let viewer = viewer(&examples::demo(), &[], size, Display::default());
    let context = egui::Context::default();
    apply_theme(&context, viewer.display().theme);
    let run = |events: Vec<egui::Event>| {
        let screen_rect = Some(Rect::from_min_size(Pos2::ZERO, size));
        let input = egui::RawInput { screen_rect, events, ..egui::RawInput::default() };
        let mut commands = Vec::new();
        let output = context.run(input, |context| commands = hud(context, &viewer, &info, |_| None));
        (output, commands)
    };
    run(Vec::new());
    let (output, _) = run(Vec::new());
    for toast in toasts.list() {
        let found = output.shapes.iter().find_map(|shape| match &shape.shape {
            egui::Shape::Text(text) if text.galley.text().starts_with(&toast.text) => Some(text.visual_bounding_rect()),
            _ => None,
        });
        let place = found.expect("is written");
        let edge = |name: &str| context.memory(|memory| memory.area_rect(egui::Id::new(name))).expect("is shown");
        let middle = 0.5 * (edge("status").right() + edge("panel-tab").left());
        assert!((place.center().x - middle).abs() < 2.0, "{place:?} is not between the panels");
        let click = |pressed| egui::Event::PointerButton {
            pos: place.center(),
            button: egui::PointerButton::Primary,
            pressed,
            modifiers: egui::Modifiers::NONE,
        };
        run(vec![egui::Event::PointerMoved(place.center())]);
        run(vec![click(true)]);
        let (_, commands) = run(vec![click(false)]);
        assert_eq!(commands, [Command::App(AppCommand::Dismiss(Some(toast.number)))]);
    }
}
