//! The panel of an open lesson: the current step, its explanation, and the navigation.

use super::info::{Info, KeyName};
use super::number::quick_click;
use super::panel;
use super::spoken::name_control;
use super::style::{
    CENTERED_WIDTH, MARGIN, SMALL, TIGHT, color32, fixed_window, key_button, panel_area, panel_frame, quiet, settle,
    with_key,
};
use crate::session::lesson::{Lesson, LessonCommand, Prose, ProsePart, StepUnit};
use crate::session::{Command, SessionCommand};
use crate::view::Viewer;
use egui::text::{LayoutJob, TextFormat};
use egui::{Align, Align2, Button, Color32, Layout, RichText, ScrollArea, Slider, TextStyle, Ui};
use fabrik3d_ik::settings::Method;

/// Height of everything except the text, points: in a wide panel and in a narrow one, where the controls wrap.
const CONTROLS: [f32; 2] = [115.0, 140.0];
/// Fewer iterations in which something moves teach little: the panel offers a farther target.
const FEW_ITERATIONS: usize = 3;
/// Minimum width of the slider row for text beside the numbers, points.
const SLIDER_TEXT_WIDTH: f32 = 260.0;
/// Minimum height of the text, points. Longer text scrolls.
const MIN_TEXT: f32 = 66.0;
/// The same in pictures lower than this, points, which have no more room beside the figure.
const LEAST_TEXT: f32 = 40.0;
const LOWEST: f32 = 300.0;
/// Height that the panel takes from the picture, including frame and margins: normally, if it wraps, and in low pictures, where it
/// shows only the step and the navigation; keys do everything else.
const SPAN: f32 = 196.0;
const WRAPPED_SPAN: f32 = 226.0;
const LOW_SPAN: f32 = 174.0;
/// In low pictures that are wide and higher than this, points, it also shows the choices, in a row of this height.
const CHOICES_FROM: f32 = 320.0;
const CHOICES: f32 = 26.0;
/// In pictures lower than this, points, the text has a maximum height and scrolls.
const SCROLLS: f32 = 600.0;
const MAX_TEXT: f32 = 80.0;

/// The height that the panel takes from a picture of this size.
pub(super) fn span(size: egui::Vec2) -> f32 {
    match size {
        size if size.y < LOWEST => LOW_SPAN - (MIN_TEXT - LEAST_TEXT),
        size if size.y < SMALL.y => LOW_SPAN + if has_choices(size) { CHOICES } else { 0.0 },
        size if size.x < SMALL.x => WRAPPED_SPAN,
        _ => SPAN,
    }
}

/// Whether a panel in a picture of this size shows the choices of step size and method.
fn has_choices(size: egui::Vec2) -> bool {
    size.y >= SMALL.y || size.x >= SMALL.x && size.y >= CHOICES_FROM
}

/// Lays out the panel at the bottom center, beside the side panel if that is open.
pub(super) fn lesson(
    context: &egui::Context,
    viewer: &Viewer,
    info: &Info,
    key: KeyName<'_>,
    commands: &mut Vec<Command>,
) {
    let Some(lesson) = viewer.session().lesson() else { return };
    let frame = panel_frame(context);
    let (window, edges) = (context.content_rect(), frame.total_margin().sum());
    // By its width, since the side panel of the frame before may be gone.
    let beside = if viewer.session().race().is_some() { 0.0 } else { panel::span(viewer, window.width()) };
    let right = window.right() - beside.max(MARGIN);
    let width = (CENTERED_WIDTH + edges.x).min(right - window.left() - MARGIN);
    let center = window.center().x.min(right - 0.5 * width);
    let status = panel_area(context, "status").filter(|status| status.right() > center - 0.5 * width);
    let top = status.map_or(window.top(), |status| status.bottom()) + MARGIN;
    let is_low = window.height() < SMALL.y;
    let wraps = usize::from(width < SMALL.x);
    let most = if window.height() < SCROLLS { MAX_TEXT } else { f32::INFINITY };
    let room = match window.height() {
        height if height < LOWEST => LEAST_TEXT,
        height if height < SMALL.y => MIN_TEXT,
        _ => (window.bottom() - MARGIN - top - edges.y - CONTROLS[wraps]).min(most).max(MIN_TEXT),
    };
    let before = panel_area(context, "lesson");
    // Long names of keys would not fit into one row.
    let short = |command: &str| key(command).filter(|name| wraps == 0 || name.chars().count() == 1);
    let panel = fixed_window("lesson", Align2::CENTER_BOTTOM, [center - window.center().x, -MARGIN], frame);
    let shown = panel.show(context, |ui| {
        ui.set_width(width - edges.x);
        let has_steps = lesson.len() > 1;
        let offers_far = info.interactive && (!is_low || !has_steps || wraps == 0);
        ui.horizontal(|ui| heading(ui, lesson, is_low, offers_far, commands));
        step_text(ui, viewer, lesson, (is_low, room));
        if is_low {
            ui.horizontal(|ui| {
                if info.interactive && has_steps {
                    navigation(ui, lesson, &|_| None, commands);
                }
                slider(ui, lesson, commands);
            });
            if info.interactive && wraps == 0 && has_choices(window.size()) {
                ui.horizontal(|ui| choices(ui, lesson, &short, commands));
            }
            return;
        }
        ui.add_space(2.0);
        ui.horizontal(|ui| slider(ui, lesson, commands));
        if info.interactive {
            ui.horizontal_wrapped(|ui| {
                navigation(ui, lesson, &short, commands);
                choices(ui, lesson, &short, commands);
            });
        }
    });
    settle(context, before, shown.map(|shown| shown.response.rect));
}

/// What the step does and why, in a place of this height; shorter in a low picture.
fn step_text(ui: &mut Ui, viewer: &Viewer, lesson: &Lesson, (is_low, room): (bool, f32)) {
    let step = lesson.step();
    if !is_low {
        ui.add(egui::Label::new(RichText::new(summary(viewer, lesson)).small().color(quiet(ui))).wrap());
    }
    let color = ui.visuals().text_color();
    let parts = [(step.action(), color), (step.reason(), color.gamma_multiply(0.8))];
    ScrollArea::vertical().max_height(room).auto_shrink([false, true]).show(ui, |ui| {
        // In a small picture one paragraph saves lines.
        match room <= MAX_TEXT {
            true => text(ui, viewer, &parts),
            false => parts.iter().for_each(|part| text(ui, viewer, std::slice::from_ref(part))),
        }
    });
}

/// A paragraph with highlighted names.
fn text(ui: &mut Ui, viewer: &Viewer, parts: &[(Prose, Color32)]) {
    let font = TextStyle::Body.resolve(ui.style());
    let mut job = LayoutJob::default();
    for (prose, color) in parts.iter().filter(|(prose, _)| !prose.is_empty()) {
        let space = if job.is_empty() { 0.0 } else { 0.3 * font.size };
        for (at, run) in prose.parts().enumerate() {
            let (part, color) = match run {
                ProsePart::Plain(part) => (part, *color),
                ProsePart::Name(part) => (part, color32(viewer.display().theme.palette().construction)),
            };
            job.append(part, if at == 0 { space } else { 0.0 }, TextFormat::simple(font.clone(), color));
        }
    }
    job.wrap.max_width = ui.available_width();
    if !job.is_empty() {
        ui.label(job);
    }
}

/// `FABRIK (2011 paper) · iteration 2 · limb of “left hand” · The base P1 is 0.031 arm lengths from its place`
fn summary(viewer: &Viewer, lesson: &Lesson) -> String {
    let step = lesson.step();
    let method = lesson.recording().method.name();
    let limb = viewer.session().lesson_limb().map(|end| format!(" · limb of “{}”", step.figure().names[end]));
    let iteration = match step.phase().iteration {
        0 => String::new(),
        iteration => format!(" · iteration {iteration}"),
    };
    let gap = step.gap();
    // Texts about whole passes, and about the start, say it themselves.
    let is_said = step.sentence().contains(&format!(" {}", step.figure().share(gap.size)));
    let gap = if is_said { String::new() } else { format!(" · {}", gap.describe(&step)) };
    format!("{method}{iteration}{}{gap}", limb.unwrap_or_default())
}

/// The title of the step; in a low picture as small as the text.
fn heading(ui: &mut Ui, lesson: &Lesson, is_low: bool, offers_far: bool, commands: &mut Vec<Command>) {
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        if offers_far {
            far_target(ui, lesson, commands);
        }
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            let title = RichText::new(lesson.step().title());
            ui.add(egui::Label::new(if is_low { title.strong() } else { title.heading() }).truncate());
        });
    });
}

/// Where few iterations can be seen, a button offers a farther target. Beside the title it comes and goes without moving anything.
fn far_target(ui: &mut Ui, lesson: &Lesson, commands: &mut Vec<Command>) {
    let recording = lesson.recording();
    let is_short = recording.visible_iterations() < FEW_ITERATIONS && recording.report.stop.is_reached();
    // What floats goes along, however far its target is.
    if is_short && recording.figure.floating.is_empty() {
        let hint = "Near full reach there are more iterations to watch. Ctrl+Z moves the target back";
        if ui.button("Move target far out").on_hover_text(hint).clicked() {
            commands.push(command(LessonCommand::Far));
        }
    }
}

/// The slider over all steps.
fn slider(ui: &mut Ui, lesson: &Lesson, commands: &mut Vec<Command>) {
    let [mut number, last] = lesson.progress();
    let has_room = ui.available_width() > SLIDER_TEXT_WIDTH;
    let count = match (has_room, lesson.is_between()) {
        (true, false) => format!("step {number} of {last}"),
        (true, true) => format!("within step {} of {last}", number + 1),
        (false, _) => format!("{number} / {last}"),
    };
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        ui.monospace(count);
        ui.spacing_mut().slider_width = ui.available_width().max(30.0);
        let slider = ui.add(Slider::new(&mut number, 0..=last.max(1)).show_value(false));
        name_control(ui.ctx(), slider.id, "Step");
        let clicked = quick_click(&slider).map(|share| (share * last as f64).round() as usize);
        if let Some(number) = clicked.or(slider.changed().then_some(number)) {
            commands.push(command(LessonCommand::To(lesson.step_of(number))));
        }
    });
}

fn command(step: LessonCommand) -> Command {
    Command::Session(SessionCommand::Lesson(step))
}

/// The navigation buttons, with their keys if there is space.
fn navigation(ui: &mut Ui, lesson: &Lesson, key: KeyName<'_>, commands: &mut Vec<Command>) {
    let at_start = lesson.cursor() == 0;
    let at_end = lesson.cursor() + 1 == lesson.len();
    let mut button = |enabled: bool, text: &str, bound: &str, step: LessonCommand| {
        if ui.add_enabled(enabled, key_button(ui, text, key(bound).as_deref())).clicked() {
            commands.push(command(step));
        }
    };
    button(!at_start, "Back", "step.back", LessonCommand::Back);
    button(!at_end, "Next", "step.next", LessonCommand::Next);
    let play = if lesson.is_playing() { "Pause" } else { "Play" };
    button(lesson.len() > 1, play, "pause.toggle", LessonCommand::Play);
    button(true, "Close", "cancel", LessonCommand::Close);
}

/// The choice of step size, if there is one, and of the method: the two variants of FABRIK and the current method. What a key
/// chooses next has the key.
fn choices(ui: &mut Ui, lesson: &Lesson, key: KeyName<'_>, commands: &mut Vec<Command>) {
    let mut choice = |ui: &mut Ui, chosen: bool, text: &str, hint: &str, key: Option<String>, command: Command| {
        let text = RichText::new(text);
        let button = Button::selectable(chosen, if chosen { text.color(Color32::WHITE) } else { text });
        if ui.add(with_key(ui, button, key.as_deref())).on_hover_text(hint).clicked() {
            commands.push(command);
        }
    };
    if lesson.has_passes() {
        ui.add_space(TIGHT);
        for (unit, text, hint) in [
            (StepUnit::Joint, "by joint", "Each step moves one joint"),
            (StepUnit::Pass, "by pass", "Each step is one whole pass"),
        ] {
            let chosen = lesson.unit() == unit;
            let key = key("step.unit").filter(|_| !chosen);
            choice(ui, chosen, text, hint, key, command(LessonCommand::Unit(Some(unit))));
        }
    }
    ui.add_space(TIGHT);
    let current = lesson.recording().method;
    let published = "FABRIK as published in 2011";
    let own = "The same passes, aimed slightly past the target. Far targets need far fewer of them; near ones may need one more. \
               With limits, obstacles or several targets, least-squares steps follow.";
    let mut methods = vec![(Method::Textbook, "2011 paper", published), (Method::Accelerated, "this program", own)];
    if !methods.iter().any(|(method, ..)| *method == current) {
        methods.push((current, current.name(), "The current method"));
    }
    let next = Lesson::other_method(current);
    for (method, text, hint) in methods {
        let key = key("method.next").filter(|_| method == next);
        choice(ui, method == current, text, hint, key, Command::Session(SessionCommand::Method(method)));
    }
}
