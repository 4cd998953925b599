//! The status panel in the corner: effector, target and state of the solver; and the profiler.

use super::areas;
use super::info::{Info, KeyName};
use super::number::{as_shown, number};
use super::style::{panel_frame, quiet};
use crate::session::command::Show;
use crate::session::numbers::digits;
use crate::session::{Command, MotionMode, SessionCommand};
use crate::view::Viewer;
use egui::{Align2, Color32, Grid, Label, RichText, Ui, Vec2};
use fabrik3d_ik::Stop;

/// Word, colour and advice for a stop reason of a figure with this number of goals.
fn meaning(stop: Stop, goals: usize) -> (&'static str, Color32, &'static str) {
    let (good, warn, bad) =
        (Color32::from_rgb(0, 158, 115), Color32::from_rgb(230, 159, 0), Color32::from_rgb(213, 94, 0));
    match stop {
        Stop::Reached => ("reached", good, ""),
        Stop::TooFar => ("too far", warn, "The target is beyond the reach: move it closer."),
        Stop::TooClose => ("too close", warn, "The target is too close to the base: move it away."),
        Stop::Limited => ("limited", warn, "Joint limits or obstacles are in the way."),
        Stop::Stalled if goals > 1 => {
            ("compromise", warn, "No pose reaches all goals: this is the best compromise found.")
        }
        Stop::Stalled => ("stalled", bad, "No closer pose was found: the target may be out of reach."),
        Stop::IterationLimit | Stop::Interrupted => ("working", warn, "The solve continues in the next frames."),
        Stop::Refused => ("refused", bad, "The target is not a finite number."),
    }
}

/// What the numbers mean.
const ERROR: &str = "Largest distance between an effector of this figure and its target, as a fraction of the reach; \
                     orientations and loops count as well";
const ITERATIONS: &str = "Iterations of the solver since the target last moved; after the plus sign, steps of the \
                          refinement that follows them";
const SOLVE_TIME: &str = "Time that the solver took for all figures in the last frame";

/// Width of the content of the panels on the left, points; the second one for pictures narrower than [`NARROW`].
const WIDTH: f32 = 238.0;
const NARROW_WIDTH: f32 = 132.0;
/// Width of the labels, points. Fixed, so that the column keeps its width when rows appear.
const LABEL_WIDTH: f32 = 67.0;
/// Space between labels and values, points.
const GAP: f32 = 10.0;
/// Additional width of frame and margins, points.
const AROUND: f32 = 50.0;
/// In pictures narrower than this, points, the panel shows only the essentials.
const NARROW: f32 = 600.0;
/// The same for the part of a picture beside the side panel.
const BESIDE_PANEL: f32 = 500.0;
/// Height of the panel in such a picture with frame and margins, points.
const BRIEF_HEIGHT: f32 = 118.0;

/// Minimum height of a picture, points, with more than one hint.
const TALL: f32 = 420.0;

/// Minimum height of a picture, points, with space for the panel above a lesson: wide, and so narrow that the lesson
/// wraps.
const LOWEST_LESSON: [f32; 2] = [400.0, 440.0];

/// Whether a picture of this size shows the panel: a lesson or the side panel may need its space.
fn is_shown(viewer: &Viewer, size: Vec2) -> bool {
    let lowest = LOWEST_LESSON[usize::from(size.x < super::lesson::NARROW)];
    let has_room = viewer.session().lesson().is_none() || size.y >= lowest;
    has_room && !super::panel::is_alone(viewer, size.x)
}

/// The width at the left or the height at the top that the panel takes from a picture of this size: what costs less.
pub(super) fn span(viewer: &Viewer, size: Vec2) -> [f32; 2] {
    let left = width(viewer, size) + AROUND;
    match size {
        _ if !is_shown(viewer, size) => [0.0; 2],
        // Only the brief panel is low enough to lie above a figure.
        Vec2 { x, y } if x < NARROW && BRIEF_HEIGHT * x < left * y => [0.0, BRIEF_HEIGHT],
        _ => [left, 0.0],
    }
}

/// Width of the content in a picture of this size, points.
fn width(viewer: &Viewer, size: Vec2) -> f32 {
    if is_brief(viewer, size) { NARROW_WIDTH } else { WIDTH }
}

/// Whether the panel shows only the essentials: in a narrow picture, or where the side panel leaves little of it.
fn is_brief(viewer: &Viewer, size: Vec2) -> bool {
    let beside = size.x - super::panel::span(viewer, size.x);
    size.x < NARROW || beside < BESIDE_PANEL
}

/// Lays out the status panel.
pub(super) fn status(
    context: &egui::Context,
    viewer: &Viewer,
    info: &Info,
    key: KeyName<'_>,
    commands: &mut Vec<Command>,
) {
    let session = viewer.session();
    let scene = session.scene();
    if !is_shown(viewer, context.content_rect().size()) {
        return;
    }
    let size = context.content_rect().size();
    let frame = panel_frame(context);
    egui::Window::new("status")
        .title_bar(false)
        .resizable(false)
        .movable(false)
        .anchor(Align2::LEFT_TOP, [12.0, 12.0])
        .frame(frame)
        .show(context, |ui| {
            ui.set_width(width(viewer, size));
            let name = if scene.name.is_empty() { "Untitled scene" } else { &scene.name };
            ui.add(Label::new(RichText::new(name).heading()).truncate());
            if is_brief(viewer, size) {
                return brief(ui, viewer, info, key);
            }
            let Some(effector) = scene.effectors.get(session.selected()) else {
                ui.label("This scene has no effector.");
                return;
            };
            Grid::new("numbers").num_columns(2).min_col_width(LABEL_WIDTH).spacing([GAP, 5.0]).show(ui, |ui| {
                row(ui, "Effector", |ui| {
                    let count = scene.effectors.len();
                    let place =
                        if count > 1 { format!("{} of {count}", session.selected() + 1) } else { String::new() };
                    named(ui, scene.shown_name(&effector.name), &place, width(viewer, size) - LABEL_WIDTH - GAP);
                });
                row(ui, "Target", |ui| target(ui, viewer, commands));
                if session.lesson().is_some() {
                    // The lesson shows its own numbers; those of the session do not change.
                    row(ui, "State", |ui| {
                        ui.colored_label(quiet(ui), "paused for the lesson");
                    });
                    return;
                }
                if let Some(report) = session.report(session.selected()) {
                    let goals = session.goals_at(session.selected());
                    row(ui, "State", |ui| state(ui, report.stop, goals));
                    let (_, _, advice) = meaning(report.stop, goals);
                    if !advice.is_empty() {
                        ui.label("");
                        ui.add(Label::new(RichText::new(advice).small()).wrap());
                        ui.end_row();
                    }
                    explained_row(ui, "Error", ERROR, |ui| {
                        ui.monospace(digits(report.error));
                        ui.colored_label(quiet(ui), "relative to the reach");
                    });
                    explained_row(ui, "Iterations", ITERATIONS, |ui| {
                        ui.monospace(session.effort(session.selected()).to_string());
                        ui.colored_label(quiet(ui), "for this target");
                    });
                    row(ui, "Method", |ui| {
                        ui.label(session.method().name());
                    });
                }
                if let Some(playback) = session.motion().filter(|playback| playback.is_engaged()) {
                    row(ui, "Motion", |ui| {
                        ui.set_max_width(width(viewer, size) - LABEL_WIDTH - GAP);
                        ui.monospace(format!("{:.2} s", playback.time()));
                        let doing = match playback.mode() {
                            _ if !playback.is_playing() => "paused in",
                            MotionMode::Show => "showing",
                            MotionMode::Follow => "following",
                        };
                        ui.colored_label(quiet(ui), doing);
                        ui.add(Label::new(playback.clip_name()).truncate());
                    });
                }
                // A shown recording is not solved.
                let solves = session.motion().is_none_or(|it| !it.is_engaged() || it.mode() == MotionMode::Follow);
                if solves {
                    explained_row(ui, "Solve time", SOLVE_TIME, |ui| {
                        ui.monospace(duration(session.solve_seconds()));
                        ui.colored_label(quiet(ui), if session.paused() { "paused" } else { "" });
                    });
                }
                if let Some(seconds) = info.frame_seconds.filter(|_| !viewer.display().shows(Show::Profiler)) {
                    row(ui, "Frame time", |ui| {
                        ui.monospace(duration(seconds));
                    });
                }
            });
            if info.interactive {
                let axes = viewer.display().motion_axes.name();
                let next = key("axes.next").map(|key| format!(" ({key})")).unwrap_or_default();
                let hints = [
                    format!(
                        "Drag the target, or move it along the {axes} axes{next} with the arrow keys, PgUp and PgDn."
                    ),
                    hint(key, &[("target.random", "random target"), ("step.next", "step-by-step lesson")]),
                    hint(
                        key,
                        &[("toggle help", "all keys"), ("toggle hud", "hide panels"), ("toggle panel", "side panel")],
                    ),
                ];
                // With little space, show only how to find all keys. A lesson has a panel of its own for its keys.
                let is_brief = size.y < TALL || session.lesson().is_some();
                let shown = if is_brief { &hints[2..] } else { &hints };
                for hint in shown.iter().filter(|hint| !hint.is_empty()) {
                    ui.add(Label::new(RichText::new(hint).small().color(quiet(ui))).wrap());
                }
            }
        });
}

/// A name and, beside it, its place in a list. A name that is too long is cut off; its place stays.
fn named(ui: &mut Ui, name: &str, place: &str, width: f32) {
    let font = egui::TextStyle::Body.resolve(ui.style());
    let beside = ui.fonts_mut(|fonts| fonts.layout_no_wrap(place.to_owned(), font, Color32::WHITE).size().x);
    ui.scope(|ui| {
        ui.set_max_width(width - beside - ui.spacing().item_spacing.x);
        ui.add(Label::new(name).truncate());
    });
    ui.colored_label(quiet(ui), place);
}

/// A coloured dot and a word for the stop reason.
fn state(ui: &mut Ui, stop: Stop, goals: usize) {
    let (word, color, _) = meaning(stop, goals);
    let (dot, _) = ui.allocate_exact_size(egui::vec2(9.0, 9.0), egui::Sense::hover());
    ui.painter().circle_filled(dot.center(), 4.0, color);
    ui.colored_label(color, RichText::new(word).strong());
}

/// The content in a narrow picture: the state of the solver, and how to find all keys.
fn brief(ui: &mut Ui, viewer: &Viewer, info: &Info, key: KeyName<'_>) {
    let session = viewer.session();
    match session.report(session.selected()).filter(|_| session.lesson().is_none()) {
        Some(report) => {
            ui.horizontal(|ui| state(ui, report.stop, session.goals_at(session.selected())));
            ui.monospace(digits(report.error)).on_hover_text("Error, relative to the reach");
        }
        None if session.targets().len() == 0 => drop(ui.label("no effector")),
        None => {}
    }
    if info.interactive {
        let hint = hint(key, &[("toggle help", "keys"), ("toggle panel", "panel")]);
        ui.label(RichText::new(hint).small().color(quiet(ui)));
    }
}

/// The keys of some commands with descriptions, named as on the user's keyboard.
fn hint(key: KeyName<'_>, keys: &[(&str, &str)]) -> String {
    let known = keys.iter().filter_map(|(command, what)| Some(format!("{} {what}", key(command)?)));
    known.collect::<Vec<String>>().join("   ")
}

/// The target's coordinates. Dragging a number moves the target smoothly, typing one makes it jump.
fn target(ui: &mut Ui, viewer: &Viewer, commands: &mut Vec<Command>) {
    let session = viewer.session();
    let Some(place) = session.target(session.selected()).place() else {
        let has_rotation = session.target(session.selected()).rotation().is_some();
        ui.label(if has_rotation { "orientation only" } else { "none (free)" });
        return;
    };
    ui.spacing_mut().item_spacing.x = 3.0;
    let size = session.size_of_selected();
    // Coordinates in millimetres need fewer decimals, and have no room for more.
    let decimals = if size < 50.0 { 3 } else { 1 };
    for axis in 0..3 {
        let shown = as_shown(place[axis], decimals, f64::NEG_INFINITY..=f64::INFINITY);
        let mut value = shown;
        let field = number(&mut value).speed(0.005 * size).fixed_decimals(decimals);
        let hint = format!("{} of the target: drag, or click and type", ["x", "y", "z"][axis]);
        let response = ui.add_sized([54.0, 18.0], field).on_hover_text(hint);
        if value == shown {
            continue;
        }
        let mut moved = place;
        moved[axis] = value;
        commands.push(Command::Session(if response.dragged() {
            SessionCommand::TargetMove(moved - place)
        } else {
            SessionCommand::TargetSet(None, moved)
        }));
    }
}

/// Lays out the profiler with the times of a frame, in the lower left corner above the bottom panels.
pub(super) fn profiler(context: &egui::Context, viewer: &Viewer, info: &Info) {
    let frame = panel_frame(context).inner_margin(egui::Margin::symmetric(12, 6));
    let window = context.content_rect();
    let right = window.left() + 12.0 + width(viewer, window.size()) + frame.total_margin().sum().x;
    let below = ["lesson", "race"].into_iter().filter_map(|name| areas::shown(context, name));
    let below = below.filter(|panel| panel.left() < right && panel.bottom() > window.bottom() - 20.0);
    let floor = below.map(|panel| panel.top()).fold(window.bottom(), f32::min);
    egui::Window::new("profiler")
        .title_bar(false)
        .resizable(false)
        .movable(false)
        .anchor(Align2::LEFT_BOTTOM, [12.0, floor - window.bottom() - 12.0])
        .frame(frame)
        .show(context, |ui| {
            ui.set_width(width(viewer, window.size()));
            ui.spacing_mut().item_spacing.y = 2.0;
            let solve = viewer.session().solve_seconds();
            let times = [("solve", Some(solve)), ("draw", Some(info.draw_seconds)), ("frame", info.frame_seconds)];
            let joints = viewer.session().scene().skeleton.len();
            let times = times.into_iter().filter_map(|(name, seconds)| Some((name, duration(seconds?))));
            let numbers: Vec<_> = times.chain([("joints", joints.to_string())]).collect();
            let entry = |ui: &mut Ui, (name, number): &(&str, String)| {
                ui.colored_label(quiet(ui), *name);
                ui.monospace(number);
            };
            if is_brief(viewer, window.size()) {
                ui.horizontal_wrapped(|ui| numbers.iter().for_each(|number| entry(ui, number)));
            } else {
                Grid::new("times").num_columns(4).min_col_width(0.0).spacing([GAP, 2.0]).show(ui, |ui| {
                    for line in numbers.chunks(2) {
                        line.iter().for_each(|number| entry(ui, number));
                        ui.end_row();
                    }
                });
            }
            let name = RichText::new(&info.renderer).small().color(quiet(ui));
            ui.add(Label::new(name).truncate());
        });
}

/// A row of the grid: name and content.
fn row(ui: &mut Ui, name: &str, content: impl FnOnce(&mut Ui)) {
    ui.colored_label(quiet(ui), name);
    ui.horizontal(content);
    ui.end_row();
}

/// A row whose number a tooltip explains.
fn explained_row(ui: &mut Ui, name: &str, hint: &str, content: impl FnOnce(&mut Ui)) {
    ui.colored_label(quiet(ui), name).on_hover_text(hint);
    ui.horizontal(content).response.on_hover_text(hint);
    ui.end_row();
}

/// Seconds with a suitable unit.
fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.1} µs", s * 1e6),
        s if s < 1.0 => format!("{:.1} ms", s * 1e3),
        s => format!("{s:.2} s"),
    }
}
