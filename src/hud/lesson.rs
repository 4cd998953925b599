//! The panel of an open lesson: which stage it is at, what the step did and why, and the way through the steps.

use super::style::quiet;
use super::{Info, KeyName};
use crate::session::lesson::{LONG, Lesson, Prose, Run, StepCommand, Unit};
use crate::session::numbers::digits;
use crate::session::{Command, SessionCommand};
use crate::view::Stage;
use egui::text::{LayoutJob, TextFormat};
use egui::{Align2, Button, Color32, RichText, ScrollArea, Slider, TextStyle, Ui};
use fabrik3d_ik::Method;

/// Width of the panel where there is room for it, points.
const WIDTH: f32 = 620.0;
/// Distance from the edges of the picture and from other panels, points.
const MARGIN: f32 = 12.0;
/// Height of all but the sentences, points: in a wide panel and in one where it wraps.
const CONTROLS: [f32; 2] = [115.0, 190.0];
/// Narrowest panel in which the controls stand in one row, points.
pub(super) const NARROW: f32 = 600.0;
/// Between two groups of buttons, points.
const SPACE: f32 = 8.0;
/// Width that the slider's row must have for more than numbers beside it, points.
const WORDY: f32 = 260.0;
/// Least height of the sentences, points; what does not fit is scrolled to.
const LEAST: f32 = 40.0;
/// What the panel takes from the picture's height, with its frame and distances: ordinarily, where it wraps, and in
/// pictures lower than [`LOW`].
const SPAN: f32 = 196.0;
const WRAPPED_SPAN: f32 = 216.0;
const LOW_SPAN: f32 = 148.0;
/// In lower pictures, points, the panel holds what the step did and the way on; all else is done with keys.
const LOW: f32 = 400.0;
/// In lower pictures, points, long sentences are scrolled to rather than shown over the figure; their height there.
const SMALL: f32 = 600.0;
const MOST: [f32; 2] = [76.0, 62.0];

/// What the panel takes from the height of a picture of this size.
pub(super) fn span(size: egui::Vec2) -> f32 {
    match size {
        size if size.y < LOW => LOW_SPAN,
        size if size.x < NARROW => WRAPPED_SPAN,
        _ => SPAN,
    }
}

/// The lesson's panel, in the middle below, beside the side panel where that is open.
pub(super) fn lesson(
    context: &egui::Context,
    stage: &Stage,
    info: &Info,
    key: KeyName<'_>,
    commands: &mut Vec<Command>,
) {
    let Some(lesson) = stage.session().lesson() else { return };
    let frame = egui::Frame::window(&context.style());
    let (window, edges) = (context.content_rect(), frame.total_margin().sum());
    let right = super::shown(context, "panel").map_or(window.right(), |panel| panel.left()) - MARGIN;
    let width = (WIDTH + edges.x).min(right - window.left() - MARGIN);
    let center = window.center().x.min(right - 0.5 * width);
    let status = super::shown(context, "status").filter(|status| status.right() > center - 0.5 * width);
    let top = status.map_or(window.top(), |status| status.bottom()) + MARGIN;
    let is_low = window.height() < LOW;
    let wraps = usize::from(width < NARROW);
    let most = if window.height() < SMALL { MOST[wraps] } else { f32::INFINITY };
    let room = (window.bottom() - MARGIN - top - edges.y - CONTROLS[wraps]).min(most).max(LEAST);
    let room = if is_low { LEAST } else { room };
    let before = super::shown(context, "lesson");
    let shown = egui::Window::new("lesson")
        .title_bar(false)
        .resizable(false)
        .movable(false)
        .anchor(Align2::CENTER_BOTTOM, [center - window.center().x, -MARGIN])
        .frame(frame)
        .show(context, |ui| {
            ui.set_width(width - edges.x);
            let step = lesson.step();
            if is_low {
                ui.add(egui::Label::new(RichText::new(step.title()).strong()).truncate());
            } else {
                ui.heading(step.title());
                ui.add(egui::Label::new(RichText::new(place(lesson)).small().color(quiet(ui))).wrap());
            }
            ScrollArea::vertical().max_height(room).auto_shrink([false, true]).show(ui, |ui| {
                text(ui, stage, &step.deed(), ui.visuals().text_color());
                text(ui, stage, &step.reason(), ui.visuals().text_color().gamma_multiply(0.8));
            });
            if is_low {
                ui.horizontal(|ui| {
                    if info.interactive {
                        ways(ui, lesson, &|_| None, commands);
                    }
                    scrub(ui, lesson, commands);
                });
                return;
            }
            ui.add_space(2.0);
            ui.horizontal(|ui| scrub(ui, lesson, commands));
            if info.interactive {
                ui.horizontal_wrapped(|ui| {
                    ways(ui, lesson, key, commands);
                    choices(ui, lesson, key, commands);
                });
            }
        });
    // It is placed by the size that it had: with other words it is laid out once more before anybody sees it.
    let has_size_of =
        |before: egui::Rect| shown.is_some_and(|now| (now.response.rect.size() - before.size()).length() < 0.5);
    if before.is_some_and(|before| !has_size_of(before)) {
        context.request_discard("the lesson has other words");
    }
}

/// Sentences with their names standing out.
fn text(ui: &mut Ui, stage: &Stage, prose: &Prose, color: Color32) {
    if prose.is_empty() {
        return;
    }
    let [r, g, b, _] = stage.display().theme.palette().construction;
    let font = TextStyle::Body.resolve(ui.style());
    let mut job = LayoutJob::default();
    for run in prose.runs() {
        let (part, color) = match run {
            Run::Plain(part) => (part, color),
            Run::Name(part) => (part, Color32::from_rgb(r, g, b)),
        };
        job.append(part, 0.0, TextFormat::simple(font.clone(), color));
    }
    job.wrap.max_width = ui.available_width();
    ui.label(job);
}

/// `FABRIK, 2011 paper · iteration 2 · gap 0.031 of the reach, at the base`
fn place(lesson: &Lesson) -> String {
    let step = lesson.step();
    let method = lesson.recording().method.name();
    let iteration = match step.act().iteration {
        0 => String::new(),
        iteration => format!(" · iteration {iteration}"),
    };
    let gap = step.gap();
    format!("{method}{iteration} · gap {} of the reach, {}", digits(gap.size), gap.place.describe(&step))
}

/// The slider over all steps.
fn scrub(ui: &mut Ui, lesson: &Lesson, commands: &mut Vec<Command>) {
    let [mut number, last] = lesson.place();
    let steps = lesson.len() - 1;
    let count = match lesson.unit() {
        _ if !lesson.has_passes() => format!("{number} / {last}"),
        Unit::Joint => format!("{number} / {last}"),
        // It was not asked for: there would be too many steps.
        Unit::Pass if steps > LONG && ui.available_width() > 0.8 * NARROW => {
            format!("{number} / {last} passes of {steps} steps")
        }
        Unit::Pass if ui.available_width() > WORDY => format!("{number} / {last} passes"),
        Unit::Pass => format!("{number} / {last}"),
    };
    let letters = count.len() as f32 * ui.text_style_height(&TextStyle::Monospace) * 0.56;
    ui.spacing_mut().slider_width = (ui.available_width() - letters.max(64.0) - 14.0).max(30.0);
    if ui.add(Slider::new(&mut number, 0..=last.max(1)).show_value(false)).changed() {
        commands.push(command(StepCommand::To(lesson.step_of(number))));
    }
    ui.monospace(count);
}

fn command(step: StepCommand) -> Command {
    Command::Session(SessionCommand::Step(step))
}

/// The ways through the lesson, each with its key where there is room for that.
fn ways(ui: &mut Ui, lesson: &Lesson, key: KeyName<'_>, commands: &mut Vec<Command>) {
    let at_start = lesson.cursor() == 0;
    let at_end = lesson.cursor() + 1 == lesson.len();
    let mut button = |enabled: bool, text: &str, bound: &str, step: StepCommand| {
        let button = Button::new(text);
        let button = if let Some(key) = key(bound) { button.shortcut_text(key) } else { button };
        if ui.add_enabled(enabled, button).clicked() {
            commands.push(command(step));
        }
    };
    button(!at_start, "Back", "step.back", StepCommand::Back);
    button(!at_end, "On", "step.next", StepCommand::Next);
    let play = if lesson.is_playing() { "Stop" } else { "Play" };
    button(lesson.len() > 1, play, "pause.toggle", StepCommand::Play);
    button(true, "Close", "cancel", StepCommand::Close);
}

/// How the steps are cut, where they can be, and which method they show: the two of FABRIK, and the one that the lesson is
/// on where that is another.
fn choices(ui: &mut Ui, lesson: &Lesson, key: KeyName<'_>, commands: &mut Vec<Command>) {
    let mut choice = |ui: &mut Ui, chosen: bool, text: &str, hint: &str, command: Command| {
        let text = RichText::new(text);
        let text = if chosen { text.color(Color32::WHITE) } else { text };
        if ui.selectable_label(chosen, text).on_hover_text(hint).clicked() {
            commands.push(command);
        }
    };
    if lesson.has_passes() {
        ui.add_space(SPACE);
        for (unit, text) in [(Unit::Joint, "by joint"), (Unit::Pass, "by pass")] {
            choice(ui, lesson.unit() == unit, text, "How far a step goes", command(StepCommand::Unit(Some(unit))));
        }
        ui.colored_label(quiet(ui), key("step.unit").unwrap_or_default());
    }
    ui.add_space(SPACE);
    let told = lesson.recording().method;
    let fabrik = [Method::Textbook, Method::Accelerated];
    for method in fabrik.into_iter().chain(Some(told).filter(|method| !fabrik.contains(method))) {
        let hint = match method {
            Method::Textbook => "FABRIK as it was published in 2011; lessons open with the method that was chosen last",
            Method::Accelerated => "The same passes, aiming past the target so that far fewer are needed",
            other => other.name(),
        };
        choice(ui, method == told, method.key(), hint, Command::Session(SessionCommand::Method(method)));
    }
    ui.colored_label(quiet(ui), key("method.next").unwrap_or_default());
}
