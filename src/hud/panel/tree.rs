//! The list of all joints and effectors. A click selects one.

use crate::hud::style::quiet;
use crate::session::{Command, JointCommand, SessionCommand};
use crate::view::Viewer;
use egui::{Align, Button, Color32, Layout, RichText, ScrollArea, Sense, Shape, Stroke, TextStyle, TextWrapMode, Ui};
use egui::{Rangef, WidgetText, vec2};
use fabrik3d_ik::{Kind, Skeleton};
use std::ops::Range;

/// Maximum height of the list, as a fraction of the picture's, so that the sliders of the selected joint fit below it; and
/// bounds of it, points.
const SHARE: f32 = 0.2;
const HEIGHTS: Rangef = Rangef { min: 96.0, max: 400.0 };
/// Maximum indentation level, so that deep trees stay readable.
const MAX_DEPTH: usize = 8;

/// Width of the scroll bar, points.
const SCROLL_BAR: f32 = 8.0;
/// Width of the mark of a joint at a limit, points.
const LIMIT_MARK: f32 = 9.0;
/// Key under which egui stores the range of fully visible lines.
const VISIBLE: &str = "visible lines of the tree";

/// One line of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Row {
    Joint(usize),
    Effector(usize),
}

/// Lays out the visible lines of the list.
pub(super) fn tree(ui: &mut Ui, viewer: &Viewer, commands: &mut Vec<Command>) {
    let session = viewer.session();
    let scene = session.scene();
    let mut effectors = vec![Vec::new(); scene.skeleton.len()];
    for (at, effector) in scene.effectors.iter().enumerate() {
        effectors[effector.effector.joint].push(at);
    }
    let rows = rows(&scene.skeleton, &effectors);
    let height = ui.text_style_height(&TextStyle::Body) + 2.0 * ui.spacing().button_padding.y;
    let most = HEIGHTS.clamp(SHARE * ui.ctx().content_rect().height());
    let mut area = ScrollArea::vertical().id_salt("tree").max_height(most).auto_shrink([false, true]);
    let selected = (session.selected_joint(), session.selected());
    if let Some(offset) = scroll_offset(ui, selected, &rows, [height, most]) {
        area = area.vertical_scroll_offset(offset);
    }
    let palette = viewer.display().theme.palette();
    let at_limits = viewer.joints_at_limits();
    area.show_rows(ui, height, rows.len(), |ui, range| {
        // The first line may be cut off, and of the last two one is cut off and one is below the list.
        let visible = range.start + 1..range.end.saturating_sub(2);
        ui.data_mut(|data| data.insert_temp(egui::Id::new(VISIBLE), visible));
        for &(depth, row) in &rows[range] {
            ui.horizontal(|ui| {
                ui.set_height(height);
                ui.add_space(9.0 * depth.min(MAX_DEPTH) as f32);
                match row {
                    Row::Joint(joint) => {
                        let is_selected = session.selected_joint() == Some(joint);
                        let name = &scene.skeleton.joints()[joint].name;
                        let hint = "Select this joint to see and change its values; again: clear the selection";
                        let state = RichText::new(state(viewer, joint)).small();
                        let is_at_limit = at_limits.binary_search(&joint).is_ok();
                        let name_width = ui.available_width() - state_width(ui, &state, is_at_limit);
                        let label = Button::selectable(is_selected, joint_name(viewer, joint)).truncate();
                        let label = ui.scope(|ui| {
                            ui.set_max_width(name_width);
                            ui.add(label).on_hover_text(hint)
                        });
                        if label.inner.clicked() {
                            let select = JointCommand::Select(name.clone());
                            let select = if is_selected { JointCommand::Clear } else { select };
                            commands.push(Command::Session(SessionCommand::Joint(select)));
                        }
                        if is_at_limit {
                            let [r, g, b, _] = palette.joint_at_limit;
                            limit_mark(ui, Color32::from_rgb(r, g, b));
                        }
                        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                            ui.add_space(SCROLL_BAR);
                            ui.colored_label(quiet(ui), state);
                        });
                    }
                    Row::Effector(effector) => {
                        let [r, g, b, _] = palette.target(effector);
                        let (dot, _) = ui.allocate_exact_size(vec2(9.0, 9.0), Sense::hover());
                        let color = Color32::from_rgb(r, g, b);
                        match session.is_free(effector) {
                            true => ui.painter().circle_stroke(dot.center(), 3.0, Stroke::new(1.5, color)),
                            false => ui.painter().circle_filled(dot.center(), 4.0, color),
                        };
                        let name = &scene.effectors[effector].name;
                        let label = ui.selectable_label(session.selected() == effector, scene.shown_name(name));
                        if label.on_hover_text("Select this effector; the keys and Target then act on it").clicked() {
                            commands.push(Command::Session(SessionCommand::EffectorSelect(name.clone())));
                        }
                    }
                }
            });
        }
    });
}

/// A joint's name, preceded by its name in an open lesson: `P3 · arm.2`.
pub(super) fn joint_name(viewer: &Viewer, joint: usize) -> String {
    let session = viewer.session();
    let name = session.scene().shown_name(&session.scene().skeleton.joints()[joint].name);
    match session.lesson().and_then(|lesson| lesson.name_of(joint)) {
        Some(label) => format!("{label} · {name}"),
        None => name.to_owned(),
    }
}

/// The value of a hinge or slide, or the kind of another joint.
fn state(viewer: &Viewer, joint: usize) -> String {
    let session = viewer.session();
    let values = session.scene().joint_values(joint, session.displayed());
    match (&session.scene().skeleton.joints()[joint].kind, values.as_slice()) {
        (Kind::Hinge { .. } | Kind::Slide { .. }, [value]) => value.unit.text(value.value),
        (kind, _) => self::kind(kind).to_owned(),
    }
}

/// The width that a joint's state takes with what stands beside it: the mark of a joint at a limit, and the scroll bar.
fn state_width(ui: &Ui, state: &RichText, is_at_limit: bool) -> f32 {
    let text = WidgetText::from(state.clone());
    let galley = text.into_galley(ui, Some(TextWrapMode::Extend), f32::INFINITY, TextStyle::Small);
    let gap = ui.spacing().item_spacing.x;
    galley.size().x + SCROLL_BAR + 2.0 * gap + if is_at_limit { LIMIT_MARK + gap } else { 0.0 }
}

/// A diamond, which also marks the joint in the picture.
fn limit_mark(ui: &mut Ui, color: Color32) {
    let (place, diamond) = ui.allocate_exact_size(vec2(LIMIT_MARK, LIMIT_MARK), Sense::hover());
    let corners = [vec2(0.0, -4.5), vec2(4.0, 0.0), vec2(0.0, 4.5), vec2(-4.0, 0.0)];
    let corners = corners.map(|corner| place.center() + corner).to_vec();
    ui.painter().add(Shape::closed_line(corners, Stroke::new(1.3, color)));
    diamond.on_hover_text("at a limit");
}

/// The scroll offset that shows a newly selected joint or effector, with the height of a line and of the list; `None` if it
/// is already visible.
fn scroll_offset(
    ui: &Ui,
    selected: (Option<usize>, usize),
    rows: &[(usize, Row)],
    [height, most]: [f32; 2],
) -> Option<f32> {
    let id = ui.id().with("selected");
    let (joint, effector) = selected;
    let (joint_before, effector_before) =
        ui.data_mut(|data| std::mem::replace(data.get_temp_mut_or_insert_with(id, || (None, effector)), selected));
    let selected = match joint.filter(|_| joint != joint_before) {
        Some(joint) => Row::Joint(joint),
        None if effector != effector_before => Row::Effector(effector),
        None => return None,
    };
    let at = rows.iter().position(|(_, row)| *row == selected)?;
    let is_visible =
        ui.data(|data| data.get_temp::<Range<usize>>(egui::Id::new(VISIBLE))).is_some_and(|it| it.contains(&at));
    (!is_visible).then(|| (at as f32 * (height + ui.spacing().item_spacing.y) - 0.4 * most).max(0.0))
}

/// All lines with their depths: each joint is followed by its effectors and its children.
fn rows(skeleton: &Skeleton, effectors: &[Vec<usize>]) -> Vec<(usize, Row)> {
    let mut rows = Vec::with_capacity(skeleton.len());
    let roots = (0..skeleton.len()).rev().filter(|&joint| skeleton.joints()[joint].parent.is_none());
    let mut open: Vec<(usize, usize)> = roots.map(|root| (0, root)).collect();
    while let Some((depth, joint)) = open.pop() {
        rows.push((depth, Row::Joint(joint)));
        rows.extend(effectors[joint].iter().map(|&effector| (depth + 1, Row::Effector(effector))));
        // Only branches increase the depth.
        let children = skeleton.children(joint);
        let deeper = depth + usize::from(children.len() > 1);
        open.extend(children.iter().rev().map(|&child| (deeper, child)));
    }
    rows
}

fn kind(kind: &Kind) -> &'static str {
    match kind {
        Kind::Ball { .. } => "ball",
        Kind::Hinge { .. } => "hinge",
        Kind::Slide { .. } => "slide",
        Kind::Fixed => "fixed",
        Kind::Free => "free",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fabrik3d_ik::Joint;
    use glam::DVec3;

    #[test]
    fn every_joint_and_effector_is_listed_once_children_after_their_parents() {
        let parents = [None, Some(0), Some(1), Some(1), Some(3), None, Some(5)];
        let joints = parents.iter().enumerate();
        let joints = joints.map(|(i, &parent)| Joint::new(format!("j{i}"), parent, DVec3::Y, Kind::Fixed)).collect();
        let skeleton = Skeleton::new(joints).expect("valid");
        let mut effectors = vec![Vec::new(); 7];
        effectors[4] = vec![0];
        effectors[2] = vec![1];
        let joint = |depth, i| (depth, Row::Joint(i));
        let expected = [
            joint(0, 0),
            joint(0, 1),
            joint(1, 2),
            (2, Row::Effector(1)),
            joint(1, 3),
            joint(1, 4),
            (2, Row::Effector(0)),
            joint(0, 5),
            joint(0, 6),
        ];
        assert_eq!(rows(&skeleton, &effectors), expected);
    }
}
