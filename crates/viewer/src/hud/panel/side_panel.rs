//! The side panel and its sections.

use super::section::{SceneKind, section};
use super::{joints, motion, plot, solver, target, view};
use crate::hud::help::keyed;
use crate::hud::info::{Info, KeyName};
use crate::hud::spoken::name_by_hint;
use crate::hud::status::{essentials, is_shown};
use crate::hud::style::{
    AROUND, BESIDE_PANEL, CENTERED_WIDTH, MARGIN, SCROLL_BAR, fixed_window, panel_area, panel_frame, settle,
};
use crate::session::Command;
use crate::session::command::{DisplayCommand, PANEL_WIDTHS, Section, Show};
use crate::view::{Display, Viewer};
use egui::{Align2, Button, CursorIcon, Label, Order, Rect, RichText, ScrollArea, Sense, Sides, Stroke, Ui, vec2};

/// Width of the strip at the panel's edge that changes its width, points.
const EDGE: f32 = 9.0;

/// Whether a picture of this width shows the panel.
fn is_open(viewer: &Viewer, width: f32) -> bool {
    viewer.display().shows(Show::Panel) && has_room(viewer, width)
}

/// Whether a picture of this width has room for the panel.
fn has_room(viewer: &Viewer, width: f32) -> bool {
    width
        >= content_width(viewer, width)
            + if viewer.session().lesson().is_some() { CENTERED_WIDTH } else { 0.0 }
            + AROUND
}

/// Width of the panel's content in a picture of this width, points: as chosen, if there is room.
fn content_width(viewer: &Viewer, width: f32) -> f32 {
    viewer.display().panel_width.min((width - AROUND).max(*PANEL_WIDTHS.start()))
}

/// Whether the panel replaces the panels on the left, as it does in narrow pictures.
pub(in crate::hud) fn is_alone(viewer: &Viewer, width: f32) -> bool {
    let is_shown = viewer.display().shows(Show::Hud) && viewer.session().race().is_none();
    is_shown && is_open(viewer, width) && width < content_width(viewer, width) + BESIDE_PANEL
}

/// The width that the panel takes from the picture, including frame and margins.
pub(in crate::hud) fn span(viewer: &Viewer, width: f32) -> f32 {
    if is_open(viewer, width) { content_width(viewer, width) + AROUND } else { 0.0 }
}

/// Lays out the panel, or the button that opens it.
pub(in crate::hud) fn panel(
    context: &egui::Context,
    viewer: &Viewer,
    info: &Info,
    key: KeyName<'_>,
    commands: &mut Vec<Command>,
) {
    let room = context.content_rect().size();
    if !is_open(viewer, room.x) {
        if info.interactive && has_room(viewer, room.x) {
            let tab = egui::Area::new(egui::Id::new("panel-tab")).anchor(Align2::RIGHT_TOP, [-MARGIN, MARGIN]);
            let tab = tab.sense(Sense::CLICK);
            tab.show(context, |ui| {
                let button = Button::new("⏴ Panel").wrap_mode(egui::TextWrapMode::Extend);
                if ui.add(button).on_hover_text(keyed(ui, "Side panel ({toggle panel})")).clicked() {
                    commands.push(shows(true));
                }
            });
        }
        return;
    }
    let frame = panel_frame(context);
    let width = content_width(viewer, room.x);
    let height = room.y - 2.0 * MARGIN - frame.total_margin().sum().y;
    let before = panel_area(context, "panel");
    let shown = fixed_window("panel", Align2::RIGHT_TOP, [-MARGIN, MARGIN], frame).show(context, |ui| {
        ui.set_width(width);
        ui.set_max_height(height);
        // The status, if it is shown, tells the title and what the solver has found.
        let stands_in = !is_shown(viewer, room);
        heading(ui, viewer, stands_in, commands);
        if stands_in {
            ui.horizontal(|ui| essentials(ui, viewer.session(), key));
        }
        let height = ui.available_height();
        // Another scene begins at the top.
        let area = ScrollArea::vertical().id_salt(&viewer.session().scene().name);
        let scrolled = area.auto_shrink([false, true]).max_height(height).show(ui, |ui| {
            ui.set_max_width(width - SCROLL_BAR);
            sections(ui, viewer, info, commands);
        });
        if scrolled.state.offset.y > 0.0 {
            let (rect, visuals) = (scrolled.inner_rect, ui.visuals());
            let top = rect.top() - visuals.clip_rect_margin;
            ui.painter().hline(rect.x_range(), top, visuals.widgets.noninteractive.bg_stroke);
        }
    });
    settle(context, before, shown.as_ref().map(|shown| shown.response.rect));
    if let Some(shown) = shown.filter(|_| info.interactive) {
        edge(context, shown.response.rect, [width, frame.total_margin().sum().x], commands);
    }
}

fn shows(on: bool) -> Command {
    Command::Display(DisplayCommand::Show(Show::Panel, on))
}

/// The button that closes the panel, and the title of the scene where no other panel has it.
fn heading(ui: &mut Ui, viewer: &Viewer, is_titled: bool, commands: &mut Vec<Command>) {
    let title = |ui: &mut Ui| {
        if is_titled {
            let title = RichText::new(viewer.session().scene().title()).heading();
            ui.add(Label::new(title).truncate());
        }
    };
    let close = |ui: &mut Ui| {
        let (close, hint) = (ui.button("⏵"), "Close the panel ({toggle panel})");
        name_by_hint(&close, hint);
        close.on_hover_text(keyed(ui, hint)).clicked()
    };
    let (_, is_closed) = Sides::new().shrink_left().show(ui, title, close);
    if is_closed {
        commands.push(shows(false));
    }
}

/// The left edge of the panel: a drag changes the width, a double click restores it.
fn edge(context: &egui::Context, panel: Rect, [width, around]: [f32; 2], commands: &mut Vec<Command>) {
    let place =
        Rect::from_min_max(panel.left_top() - vec2(0.5 * EDGE, 0.0), panel.left_bottom() + vec2(0.5 * EDGE, 0.0));
    let area = egui::Area::new(egui::Id::new("panel-edge")).fixed_pos(place.min).order(Order::Foreground);
    area.sense(Sense::CLICK).show(context, |ui| {
        // For the pointer alone; the command `panel.width` does the same.
        let strip = ui.allocate_response(place.size(), Sense::CLICK | Sense::DRAG);
        if strip.hovered() || strip.dragged() {
            ui.ctx().set_cursor_icon(CursorIcon::ResizeHorizontal);
            let stroke = Stroke::new(2.0, ui.visuals().selection.bg_fill);
            ui.painter().vline(panel.left(), panel.shrink(8.0).y_range(), stroke);
        }
        let pointer = strip.interact_pointer_pos().filter(|_| strip.dragged());
        // The right edge of the panel stays, while its rectangle is known with a delay.
        let right = context.content_rect().right() - MARGIN - around;
        let dragged = pointer.map(|at| (right - at.x).clamp(*PANEL_WIDTHS.start(), *PANEL_WIDTHS.end()));
        let restored = strip.double_clicked().then(|| Display::default().panel_width);
        if let Some(chosen) = restored.or(dragged).filter(|chosen| *chosen != width) {
            commands.push(Command::Display(DisplayCommand::PanelWidth(chosen)));
        }
    });
}

/// The sections: first those that the scene was opened for, which are open, then all others.
fn sections(ui: &mut Ui, viewer: &Viewer, info: &Info, commands: &mut Vec<Command>) {
    let session = viewer.session();
    let kind = SceneKind::of(session);
    let first: &[Section] = match kind {
        SceneKind::Chain => &[Section::Target, Section::Error],
        SceneKind::Robot => &[Section::Target, Section::Joints],
        SceneKind::Character if session.motion().is_some() => &[Section::Target, Section::Motion],
        SceneKind::Character => &[Section::Target],
    };
    let all = [Section::Joints, Section::Motion, Section::Error, Section::Solver, Section::View, Section::File];
    let others = all.into_iter().filter(|section| !first.contains(section));
    let warnings = session.scene().warnings();
    let warned = (!warnings.is_empty()).then_some(Section::Warnings);
    for shown in first.iter().copied().chain(others).chain(warned) {
        let is_first = first.contains(&shown) || shown == Section::Warnings;
        let is_used = match shown {
            Section::Motion => session.motion().is_some(),
            Section::Joints => session.selected_joint().is_some(),
            _ => false,
        };
        let title = match shown {
            Section::Target if kind == SceneKind::Character => "Pose",
            Section::Target | Section::MoreTarget => "Target",
            Section::Motion => "Motion",
            Section::Joints => "Joints",
            Section::Error | Section::MoreError => "Error by iteration",
            Section::Solver => "Solver",
            Section::View => "View",
            Section::File => "File",
            Section::Warnings => "Warnings",
        };
        let title = RichText::new(title).strong();
        section(ui, viewer, (shown, title, is_first || is_used), commands, |ui, commands| match shown {
            Section::Target | Section::MoreTarget => target::target(ui, viewer, kind, commands),
            Section::Motion => motion::motion(ui, viewer, commands),
            Section::Joints => joints::joints(ui, viewer, commands),
            Section::Error | Section::MoreError => plot::errors(ui, viewer, commands),
            Section::Solver => solver::solver(ui, viewer, commands),
            Section::View => view::view(ui, viewer, commands),
            Section::File => view::file(ui, viewer, info, commands),
            Section::Warnings => view::warnings(ui, &warnings),
        });
    }
}
