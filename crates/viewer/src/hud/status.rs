//! The status panel in the corner: effector, target and state of the solver; and the profiler.

use super::advice::{Fact, advice, bounds, others};
use super::curve::REFINEMENT;
use super::help::{key_hints, ways_to_move};
use super::info::{Info, KeyName};
use super::names::{listed, name_label};
use super::panel::SceneKind;
use super::spoken::read_changes;
use super::style::{
    AROUND, BESIDE_PANEL, GOOD, MARGIN, NO_BREAK, SMALL, WARNING, color32, dot, fixed_window, legible, panel_area,
    panel_frame, quiet,
};
use crate::session::Command;
use crate::session::command::{Pace, Show};
use crate::session::numbers::{INVISIBLE, VISIBLE, digits, duration, percent};
use crate::session::{MotionMode, Session};
use crate::view::Viewer;
use egui::accesskit::Live;
use egui::text::{LayoutJob, TextFormat};
use egui::{Align2, Color32, Grid, Label, RichText, TextStyle, Ui, Vec2};
use fabrik3d_ik::goals::GoalRank;
use fabrik3d_ik::settings::Method;
use fabrik3d_ik::{Isometry, Report, Stop};
use fabrik3d_scene::meaning;

/// The command that compares methods, as the table of keys has it.
pub(super) const COMPARE: &str = "race accelerated textbook ccd dls";

const NO_EFFECTOR: &str = "This scene has no effector: select a joint in the side panel and add one.";
/// What the lines mean.
const PREFERRED: &str = "These targets take what freedom the others leave, and that is not enough to meet them";
const BALANCE: &str = "How far the center of mass is beside what the body stands on, seen from above. The targets leave no freedom \
                       to keep it above";
const DISTANCE: &str = "How far the effector is from its target. All links from the base to the effector, added up, are 100 %. \
                        Below the tolerance it is close enough.";
const ANGLE: &str = "How far it is turned away from the target's orientation. Below the tolerance it is close enough.";
const FREE: &str = "A free effector asks for nothing, so the solver does not move it to a target.";
const OTHERS: &str = "The farthest of the other targets of this figure that are missed. All links from the base to its effector, added \
                      up, are 100 %";
const LOOPS: &str = "An orientation or a loop of this figure is off by this much, as a part of the length of all links up to the \
                     effector";
const EFFORT: &str = "All the work since the last change. It includes attempts from other starting poses: robots make them to turn \
                      their joints least, other figures only where the target is not reached. The chart, lessons and comparisons count a single solve, from a pose that \
                      they name. An iteration is one backward and one forward pass.";

/// Width of the content of the panels on the left, points; the second one for small pictures.
const WIDTH: f32 = 238.0;
const NARROW_WIDTH: f32 = 132.0;
/// Height of the panel in such a picture with frame and margins, points.
const BRIEF_HEIGHT: f32 = 128.0;

/// Minimum height of a picture, points, with space for the panel above a lesson: wide, and so narrow that the lesson
/// wraps.
const LOWEST_LESSON: [f32; 2] = [400.0, 440.0];

/// Whether a picture of this size shows the panel: a lesson or the side panel may need its space.
pub(super) fn is_shown(viewer: &Viewer, size: Vec2) -> bool {
    let lowest = LOWEST_LESSON[usize::from(size.x < SMALL.x)];
    let has_room = viewer.session().lesson().is_none() || size.y >= lowest;
    has_room && !super::panel::is_alone(viewer, size.x)
}

/// The width at the left or the height at the top that the panel takes from a picture of this size: what costs less.
pub(super) fn span(viewer: &Viewer, size: Vec2) -> [f32; 2] {
    let left = width(viewer, size) + AROUND;
    match size {
        _ if !is_shown(viewer, size) => [0.0; 2],
        // Only the brief panel is low enough to lie above a figure.
        Vec2 { x, y } if x < SMALL.x && BRIEF_HEIGHT * x < left * y => [0.0, BRIEF_HEIGHT],
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
    size.x < SMALL.x || beside < BESIDE_PANEL
}

pub(super) fn status(
    context: &egui::Context,
    viewer: &Viewer,
    info: &Info,
    key: KeyName<'_>,
    commands: &mut Vec<Command>,
) {
    let (session, size) = (viewer.session(), context.content_rect().size());
    let scene = session.scene();
    if !is_shown(viewer, size) {
        return;
    }
    fixed_window("status", Align2::LEFT_TOP, [MARGIN; 2], panel_frame(context)).show(context, |ui| {
        ui.set_width(width(viewer, size));
        ui.add(Label::new(RichText::new(scene.title()).heading()).truncate());
        if is_brief(viewer, size) {
            return brief(ui, viewer, info, key, commands);
        }
        let Some(selected) = session.selected() else {
            let can_move = scene.skeleton.joints().iter().any(|joint| joint.kind.can_move());
            ui.label(if can_move { NO_EFFECTOR } else { "No joint of this scene can move." });
            key_hints(ui, key, KEYS, commands);
            return;
        };
        let count = scene.effectors.len();
        if count > 1 {
            let place = format!("{} of {count}", selected + 1);
            let name = scene.shown_name(&scene.effectors[selected].name);
            ui.horizontal(|ui| named(ui, name, &place, width(viewer, size)));
        }
        solution(ui, viewer, selected, key);
        if info.interactive {
            // A lesson has a panel of its own for its keys.
            if session.lesson().is_none() {
                learn_hints(ui, viewer, key, size.y < SMALL.y, commands);
            }
            key_hints(ui, key, KEYS, commands);
        }
    });
}

/// How far the solver has come, one fact a line.
fn solution(ui: &mut Ui, viewer: &Viewer, selected: usize, key: KeyName<'_>) {
    let session = viewer.session();
    if session.lesson().is_some() {
        // The lesson shows its own numbers; those of the session do not change.
        ui.colored_label(quiet(ui), "paused for the lesson");
        return;
    }
    // A recorded pose is not solved.
    let Some(report) = session.report(selected) else {
        recording(ui, session);
        return passes(ui, viewer);
    };
    state(ui, report, session, selected, key);
    // While a motion is followed it would change from picture to picture.
    let follows = session.motion().is_some_and(|playback| playback.is_engaged() && playback.playing);
    let advice = if follows { String::new() } else { advice(report.stop, session, selected) };
    if !advice.is_empty() {
        read_changes(&ui.add(Label::new(advice).wrap()), Live::Polite);
    }
    let bounds = if follows { Vec::new() } else { bounds(report.stop, session, selected) };
    for (name, text, hint) in distances(session, selected, report.error).into_iter().chain(bounds) {
        let mut job = LayoutJob::default();
        let font = TextStyle::Body.resolve(ui.style());
        job.append(&name, 0.0, TextFormat::simple(font.clone(), quiet(ui)));
        job.append(&format!(" {text}"), 0.0, TextFormat::simple(font, ui.visuals().text_color()));
        ui.add(Label::new(job).wrap()).on_hover_text(hint);
    }
    let effort = session.effort(selected);
    // Who poses a character does not ask for steps.
    if SceneKind::of(session) != SceneKind::Character {
        // The chart beside it shows a solve that takes more steps, from another pose.
        let is_charted = viewer.convergence.rounds.last().is_none_or(|round| round.effort == effort);
        let start = if is_charted { "" } else { "Since the last change: " };
        ui.label(format!("{start}{}", effort.in_words())).on_hover_text(format!("{EFFORT} {REFINEMENT}"));
    }
    if session.method() != Method::default() {
        ui.label(session.method().name()).on_hover_text("The method");
    }
    recording(ui, session);
    passes(ui, viewer);
    solutions(ui, viewer);
}

/// How many poses meet the target, while they are shown.
fn solutions(ui: &mut Ui, viewer: &Viewer) {
    if let Some(text) = viewer.session().solutions_in_words() {
        ui.add(Label::new(RichText::new(text).small().color(quiet(ui))).wrap());
    }
}

/// What the colours of passes mean, or why there are none, while they are shown.
fn passes(ui: &mut Ui, viewer: &Viewer) {
    if !viewer.display().shows(Show::Passes) {
        return;
    }
    let (session, palette) = (viewer.session(), viewer.display().theme.palette());
    if let Some(reason) = session.without_passes() {
        ui.add(Label::new(RichText::new(reason).small().color(quiet(ui))).wrap());
        return;
    }
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        for (is_backward, name) in [(true, "backward"), (false, "forward")] {
            dot(ui, color32(palette.pass(is_backward)));
            ui.label(RichText::new(name).small().color(quiet(ui)));
        }
        let pace = match session.pace() {
            Pace::Full => "pass of each frame".to_owned(),
            Pace::Pass => "pass, one a second".to_owned(),
            pace => format!("pass, at {} of the pace", pace.name()),
        };
        ui.label(RichText::new(pace).small().color(quiet(ui)));
    })
    .response
    .on_hover_text(
        "Where the passes of this frame, from the pose on the screen, bring the joints. They are those of a lesson",
    );
}

/// What a recording does, and where it is.
fn recording(ui: &mut Ui, session: &Session) {
    let Some(playback) = session.motion().filter(|playback| playback.is_engaged()) else { return };
    let doing = match playback.mode {
        _ if playback.is_idle_follower() => "nothing follows",
        _ if session.is_edited() => "changed from",
        _ if !playback.playing || session.paused() => "paused",
        MotionMode::Show => "playing",
        MotionMode::Follow => "following",
    };
    let text = format!("{doing}: {}, {}", playback.clip_name(), super::panel::place_in(playback));
    ui.add(Label::new(text).truncate());
    if session.recorded_figure().is_some() {
        let legend = RichText::new("Thin grey lines: the recorded figure").small().color(quiet(ui));
        ui.label(legend).on_hover_text("The solver poses this one after it: only its targets are the same");
    }
}

/// Whether the picture still eases toward what the solver has found for an effector.
fn is_behind(session: &Session, at: usize) -> bool {
    let scene = session.scene();
    let effector = &scene.effectors[at];
    let joint = scene.skeleton.frame_of(Isometry::IDENTITY, session.solved(), effector.effector.joint);
    let gap = joint.point(effector.effector.tip).distance(session.displayed_tip(at));
    gap > VISIBLE * scene.effector_size(effector)
}

/// How far the effector is from its target, and the rest of its figure from what is asked of it.
fn distances(session: &Session, at: usize, error: f64) -> Vec<Fact> {
    let scene = session.scene();
    let effector = &scene.effectors[at];
    let size = scene.effector_size(effector).max(f64::MIN_POSITIVE);
    let near = |share: f64| share <= scene.settings.tolerance;
    let unit = scene.length_unit().unwrap_or("units");
    let turn_tolerance = scene.settings.rotation_tolerance;
    let free = session.is_free(at).then(|| ("Free:".to_owned(), "moves with the body".to_owned(), FREE));
    let distance = session.residual(at).map(|gap| match near(gap / size) {
        true => format!("below {}", percent(scene.settings.tolerance)),
        false => away(session, at),
    });
    // A foot that stands keeps its orientation, which nobody has asked for.
    let is_asked_to_turn = session.target(at).orientation.is_some();
    let turn = session.turn_residual(at).filter(|_| is_asked_to_turn).map(|angle| match angle <= turn_tolerance {
        true => format!("below {}°", digits(turn_tolerance.to_degrees())),
        false => format!("{}°", digits(angle.to_degrees())),
    });
    let name = match effector.rank {
        Some(GoalRank::Preferred) => "Distance (preferred):",
        _ if is_behind(session, at) => "Distance on arrival:",
        _ => "Distance to target:",
    };
    let preferred = session.missed_preferences(at);
    let preferred =
        (!preferred.is_empty()).then(|| ("Preferred, and off:".to_owned(), listed(scene, &preferred), PREFERRED));
    let balance = session
        .imbalance()
        .map(|gap| ("Balance:".to_owned(), format!("off by {}{NO_BREAK}{unit}", digits(gap)), BALANCE));
    let lines = [
        free,
        distance.map(|text| (name.to_owned(), text, DISTANCE)),
        turn.map(|text| ("Angle to target:".to_owned(), text, ANGLE)),
        others_off(session, at, error),
        preferred,
        balance,
    ];
    lines.into_iter().flatten().collect()
}

/// How far an effector is from its target, in parts of its own reach and as a length.
fn away(session: &Session, at: usize) -> String {
    let scene = session.scene();
    let gap = session.residual(at).unwrap_or(0.0);
    let share = gap / scene.effector_size(&scene.effectors[at]).max(f64::MIN_POSITIVE);
    let (gap, unit) = match scene.length_unit().unwrap_or("units") {
        "m" if gap < 0.01 => (1000.0 * gap, "mm"),
        unit => (gap, unit),
    };
    format!("{} of the reach ({}{NO_BREAK}{unit})", percent(share), digits(gap))
}

/// What else of the effector's figure is off: the farthest of the other effectors, or what belongs to none.
fn others_off(session: &Session, at: usize, error: f64) -> Option<Fact> {
    let scene = session.scene();
    let (off, _) = others(session, at);
    let Some(&farthest) = off.first() else {
        let is_off = error > scene.settings.tolerance && !session.is_off_target(at);
        return is_off.then(|| ("Orientation or loop:".to_owned(), format!("off by {}", percent(error)), LOOPS));
    };
    let is_at = session
        .residual(farthest)
        .is_none_or(|gap| gap <= scene.settings.tolerance * scene.effector_size(&scene.effectors[farthest]));
    let turn = session.turn_residual(farthest).filter(|_| is_at);
    let most = turn.map_or_else(|| away(session, farthest), |angle| format!("{}°", digits(angle.to_degrees())));
    let more = off.len() - 1;
    let more = if more > 0 { format!(", and {more} more") } else { String::new() };
    Some(("Also off:".to_owned(), format!("{} by {most}{more}", listed(scene, &[farthest])), OTHERS))
}

/// The keys of the panels.
const KEYS: &[(&str, &str)] = &[("toggle help", "keys"), ("toggle panel", "side panel"), ("toggle hud", "hide all")];

/// How to move the target, if there is space, and what to try.
fn learn_hints(ui: &mut Ui, viewer: &Viewer, key: KeyName<'_>, is_low: bool, commands: &mut Vec<Command>) {
    if !is_low {
        ui.add(Label::new(RichText::new(ways_to_move(viewer)).color(quiet(ui))).wrap());
    }
    let learn = [
        ("step.next", "lesson"),
        (COMPARE, "compare"),
        ("target.random", "random target"),
        ("toggle passes", "passes live"),
    ];
    key_hints(ui, key, if is_low { &learn[..2] } else { &learn }, commands);
}

/// A name and, beside it, its place in a list. A name that is too long is shortened; its place stays.
fn named(ui: &mut Ui, name: &str, place: &str, width: f32) {
    let font = TextStyle::Body.resolve(ui.style());
    let beside = ui.fonts_mut(|fonts| fonts.layout_no_wrap(place.to_owned(), font, Color32::WHITE).size().x);
    ui.scope(|ui| {
        ui.set_max_width(width - beside - ui.spacing().item_spacing.x);
        name_label(ui, name);
    });
    ui.colored_label(quiet(ui), place);
}

/// A coloured dot and a word for the stop reason. A miss that nobody sees does not alarm, and a free effector has no target to
/// reach.
fn state(ui: &mut Ui, report: Report, session: &Session, at: usize, key: KeyName<'_>) {
    let paused = key("pause.toggle").map_or("paused".to_owned(), |key| format!("paused; {key} continues"));
    let (word, color) = match report {
        _ if session.paused() => (&paused[..], WARNING),
        Report { stop: Stop::Reached, .. } if session.is_free(at) => return,
        Report { stop: Stop::Limited | Stop::Stalled, error, .. } if error < INVISIBLE => ("almost reached", quiet(ui)),
        Report { stop: Stop::IterationLimit | Stop::Interrupted, .. } => ("still solving", WARNING),
        Report { stop: Stop::Reached, .. } if is_behind(session, at) => ("solved; moving there", quiet(ui)),
        Report { stop: Stop::Reached, .. } => (meaning(Stop::Reached).what, GOOD),
        // Another target of the figure is missed.
        Report { stop, .. } if stop != Stop::Refused && !session.is_off_target(at) => ("not all reached", WARNING),
        Report { stop, .. } => (meaning(stop).what, WARNING),
    };
    ui.horizontal(|ui| {
        dot(ui, color);
        let word = ui.colored_label(legible(ui.visuals(), color), RichText::new(word).strong());
        read_changes(&word, Live::Polite);
    });
}

/// The content in a narrow picture: the state of the solver, and how to find all keys.
fn brief(ui: &mut Ui, viewer: &Viewer, info: &Info, key: KeyName<'_>, commands: &mut Vec<Command>) {
    essentials(ui, viewer.session(), key);
    if info.interactive {
        key_hints(ui, key, &[("toggle help", "keys"), ("toggle panel", "panel")], commands);
    }
}

/// The state of the solver and the distance to the target.
pub(super) fn essentials(ui: &mut Ui, session: &Session, key: KeyName<'_>) {
    let report = |at| Some((at, session.report(at).filter(|_| session.lesson().is_none())?));
    match session.selected().and_then(report) {
        Some((selected, report)) => {
            state(ui, report, session, selected, key);
            // Its name would leave no room for the number.
            if let Some((_, text, hint)) = distances(session, selected, report.error).into_iter().next() {
                let line = Label::new(text).truncate().show_tooltip_when_elided(false);
                ui.add(line).on_hover_text(hint);
            }
        }
        None if session.targets().len() == 0 => drop(ui.label("no effector")),
        None => {}
    }
}

/// Lays out the profiler with the times of a frame, in the lower left corner above the bottom panels.
pub(super) fn profiler(context: &egui::Context, viewer: &Viewer, info: &Info) {
    let frame = panel_frame(context).inner_margin(egui::Margin::symmetric(12, 6));
    let window = context.content_rect();
    let right = window.left() + MARGIN + width(viewer, window.size()) + frame.total_margin().sum().x;
    let below = ["lesson", "race"].into_iter().filter_map(|name| panel_area(context, name));
    let below = below.filter(|panel| panel.left() < right && panel.bottom() > window.bottom() - 20.0);
    let floor = below.map(|panel| panel.top()).fold(window.bottom(), f32::min);
    fixed_window("profiler", Align2::LEFT_BOTTOM, [MARGIN, floor - window.bottom() - MARGIN], frame).show(
        context,
        |ui| {
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
                Grid::new("times").num_columns(4).min_col_width(0.0).spacing([MARGIN, 2.0]).show(ui, |ui| {
                    for line in numbers.chunks(2) {
                        line.iter().for_each(|number| entry(ui, number));
                        ui.end_row();
                    }
                });
            }
            let name = RichText::new(&info.renderer).small().color(quiet(ui));
            ui.add(Label::new(name).truncate());
        },
    );
}
