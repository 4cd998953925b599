//! The joints that can move, each with its values and sliders between its limits; more about the selected one.

use super::joint_limits::{is_tilt, limits_lines, limits_text, range_text};
use super::section::{hint, which_pose};
use super::selected_row;
use super::{LENGTH_SPEED, LIST, MANY};
use crate::hud::help::keyed;
use crate::hud::labels::point_at;
use crate::hud::names::{common_end, common_start, fitted_beside, full_name};
use crate::hud::number::{as_shown, changed_in_steps, drags, length_suffix, number};
use crate::hud::spoken;
use crate::hud::style::{MARGIN, TIGHT, add_slider, color32, frame_focus, limit_mark, quiet};
use crate::session::numbers::INVISIBLE;
use crate::session::{Command, EffectorCommand, JointCommand, SessionCommand};
use crate::view::Viewer;
use egui::{
    Align, Button, Color32, Label, Layout, Response, RichText, Slider, SliderClamping, TextEdit, TextStyle, Ui, vec2,
};
use fabrik3d_ik::joints::Mimic;
use fabrik3d_ik::{Coordinates, Isometry, Joint, Kind};
use fabrik3d_scene::{JointValue, Unit, joint_values};

/// Share of an indented row for its name.
const NAME: f32 = 0.38;
/// Width of a number, and of a slider at least, points. A name gets what is left of its row.
const NUMBER: f32 = 58.0;
const SLIDER: f32 = 90.0;
/// Change of an angle per point of dragging, degrees.
const ANGLE_SPEED: f64 = 0.5;
/// What the field for part of a name is called.
const FILTER: &str = "Filter by name";

/// Lays out the joints whose names contain what the filter says.
pub(super) fn joints(ui: &mut Ui, viewer: &Viewer, commands: &mut Vec<Command>) {
    let (scene, selected) = (viewer.session().scene(), viewer.session().selected_joint());
    let movable = (0..scene.skeleton.len()).filter(|&joint| scene.skeleton.kind(joint).can_move());
    let count = movable.clone().count();
    if let Some(note) = which_pose(viewer.session()) {
        ui.colored_label(quiet(ui), RichText::new(note).small());
    }
    // What all names begin with tells no joint from another.
    let names: Vec<&str> = movable.clone().map(|joint| scene.skeleton.joints()[joint].name.as_str()).collect();
    let cut = [common_start(&names), common_end(&names)];
    let wanted = if count > MANY { filter(ui) } else { String::new() };
    let is_wanted =
        |joint: &usize| wanted.is_empty() || joint_name(viewer, *joint, [0; 2]).to_lowercase().contains(&wanted);
    let found: Vec<usize> = movable.filter(is_wanted).collect();
    // The selected joint is always there, also if a key or a click in the picture has selected it.
    let mut listed = found[..found.len().min(LIST)].to_vec();
    let missing = selected.filter(|joint| !listed.contains(joint));
    listed.extend(missing);
    let is_new = selected_row::is_new(ui, selected);
    ui.spacing_mut().item_spacing = vec2(TIGHT, 3.0);
    let column = name_column(ui, viewer, &listed, cut);
    for &joint in &listed {
        let row = joint_row(ui, viewer, joint, (column, cut), commands);
        if selected == Some(joint) {
            let asked = commands.len();
            details(ui, viewer, joint, commands);
            if is_new {
                // Rows may have moved. The second click of a double click is not meant for what is under the pointer now.
                commands.truncate(asked);
                selected_row::show(ui, &row, joint);
            }
        }
    }
    let note = match found.len() {
        0 if count == 0 => "No joint can move.".to_owned(),
        0 => "No joint has that name.".to_owned(),
        found if found > LIST => format!("and {} more: type part of the name", found - LIST),
        _ => return,
    };
    ui.colored_label(quiet(ui), RichText::new(note).small());
}

/// The field that filters joints or effectors by their names. Returns its text in lower case.
pub(super) fn filter(ui: &mut Ui) -> String {
    let id = ui.id().with("filter");
    let mut text: String = ui.data(|data| data.get_temp(id)).unwrap_or_default();
    let field = ui.add(TextEdit::singleline(&mut text).hint_text(FILTER).desired_width(f32::INFINITY));
    frame_focus(ui, &field);
    spoken::name_control(ui.ctx(), field.id, FILTER);
    let lower = text.to_lowercase();
    ui.data_mut(|data| data.insert_temp(id, text));
    lower
}

/// A joint's name for people, without the first and the last bytes of its name in the file, preceded by its name in an open
/// lesson: `P3 · arm.2`.
fn joint_name(viewer: &Viewer, joint: usize, [start, end]: [usize; 2]) -> String {
    let session = viewer.session();
    let whole = &session.scene().skeleton.joints()[joint].name;
    let shown = session.scene().shown_name(whole);
    let name = whole.strip_suffix(shown).map_or(shown, |before| &whole[before.len().max(start)..whole.len() - end]);
    match session.lesson().and_then(|lesson| lesson.name_of(joint)) {
        Some(label) => format!("{label} · {name}"),
        None => name.to_owned(),
    }
}

/// The width of the names of these joints: what they need, if sliders keep their width.
fn name_column(ui: &Ui, viewer: &Viewer, joints: &[usize], cut: [usize; 2]) -> f32 {
    let font = TextStyle::Body.resolve(ui.style());
    let width = |name: String| ui.fonts_mut(|fonts| fonts.layout_no_wrap(name, font.clone(), Color32::WHITE).size().x);
    let widest = joints.iter().map(|&joint| width(joint_name(viewer, joint, cut))).fold(0.0, f32::max);
    let room = widest + 2.0 * ui.spacing().button_padding.x + 1.0;
    room.min(ui.available_width() - SLIDER - NUMBER - 2.0 * TIGHT)
}

/// One joint: its name, which selects it, and its value if it has only one.
fn joint_row(
    ui: &mut Ui,
    viewer: &Viewer,
    joint: usize,
    (column, cut): (f32, [usize; 2]),
    commands: &mut Vec<Command>,
) -> Response {
    let session = viewer.session();
    let description = &session.scene().skeleton.joints()[joint];
    let values = session.scene().joint_values(joint, session.displayed());
    let row = ui.horizontal(|ui| {
        let is_selected = session.selected_joint() == Some(joint);
        let name = joint_name(viewer, joint, cut);
        spoken::name_part(ui, &name);
        let width = if values.len() == 1 { column } else { 0.7 * ui.available_width() };
        let label = ui.allocate_ui_with_layout(vec2(width, 18.0), Layout::left_to_right(Align::Center), |ui| {
            ui.set_min_width(width);
            let fitted = fitted_beside(ui, &name, 2.0 * ui.spacing().button_padding.x);
            ui.add(Button::selectable(is_selected, fitted))
        });
        let full = full_name(session.scene().shown_name(&description.name), &description.name);
        hint(ui, &label.inner, &format!("{full}: click to show more, again to hide it"));
        if label.inner.hovered() {
            let frame = session.scene().skeleton.frame_of(Isometry::IDENTITY, session.displayed(), joint);
            point_at(ui.ctx(), &name, frame.position);
        }
        let clicked = label.inner.clicked();
        if clicked {
            let select = JointCommand::Select(description.name.clone());
            give(commands, if is_selected { JointCommand::Clear } else { select });
        }
        if values.len() == 1 {
            ui.add_enabled_ui(description.mimic.is_none(), |ui| value_row(ui, viewer, (joint, 0), commands));
            return clicked;
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.colored_label(quiet(ui), RichText::new(kind(&description.kind)).small());
            if viewer.joints_at_limits().binary_search(&joint).is_ok() {
                limit_mark(ui, color32(viewer.display().theme.palette().joint_at_limit));
            }
        });
        clicked
    });
    if row.inner {
        selected_row::remember(ui, &row.response, joint);
    }
    row.response
}

/// What the selected joint has beside a single value: several values, what it follows, stiffness, and a new effector.
fn details(ui: &mut Ui, viewer: &Viewer, joint: usize, commands: &mut Vec<Command>) {
    let session = viewer.session();
    let description = &session.scene().skeleton.joints()[joint];
    let values = session.scene().joint_values(joint, session.displayed());
    let limits = joint_values(session.scene().skeleton.kind(joint), &Coordinates::default());
    // Knees and elbows of characters are balls that tilt in one direction.
    let is_locked = |at: usize| limits[at].range.is_some_and(|(low, high)| low == high);
    let bends = (0..limits.len()).any(|at| is_tilt(&limits[at]) && is_locked(at));
    let shown_name = |value: &JointValue| if bends && is_tilt(value) { "bend" } else { value.name };
    for (at, value) in values.iter().enumerate().filter(|(at, _)| values.len() > 1 && !is_locked(*at)) {
        field_row(ui, shown_name(value), |ui| value_row(ui, viewer, (joint, at), commands));
    }
    // The limits of each direction alone: a ball that tilts in one leaves less for the other.
    for (_, value) in limits.iter().enumerate().filter(|(at, limit)| limit.range.is_some() && !is_locked(*at)) {
        let name = if values.len() > 1 { format!("{} limits", shown_name(value)) } else { "limits".to_owned() };
        field_row(ui, &name, |ui| limits_text(ui, session.scene(), joint, value, is_tilt(value) && !bends));
    }
    limits_lines(ui, session.scene(), joint);
    match (description.mimic, values.first()) {
        (Some(mimic), Some(value)) => follows(ui, viewer, mimic, value.unit, commands),
        _ if description.kind != Kind::Fixed => stiffness(ui, description, commands),
        _ => drop(ui.colored_label(quiet(ui), "fixed: does not move")),
    }
    ui.horizontal(|ui| {
        ui.add_space(MARGIN);
        let own = session.scene().effectors.iter().find(|own| own.effector.joint == joint);
        let (text, hint, command) = match own {
            None => {
                let hint = "Adds an effector to this joint; it is free until it is moved or pinned ({effector.add})";
                ("Add an effector", hint, EffectorCommand::Add(Some(description.name.clone()), None))
            }
            Some(own) => {
                let hint = "Removes the effector of this joint";
                ("Remove the effector", hint, EffectorCommand::Remove(Some(own.name.clone())))
            }
        };
        if ui.button(text).on_hover_text(keyed(ui, hint)).clicked() {
            commands.push(Command::Session(SessionCommand::Effector(command)));
        }
    });
}

/// An indented row of the selected joint: a name and fields.
fn field_row(ui: &mut Ui, name: &str, fields: impl FnOnce(&mut Ui)) {
    ui.horizontal(|ui| {
        let width = NAME * ui.available_width();
        ui.allocate_ui_with_layout(vec2(width, 18.0), Layout::left_to_right(Align::Center), |ui| {
            ui.set_min_width(width);
            ui.add_space(MARGIN);
            ui.add(Label::new(RichText::new(name).color(quiet(ui))).truncate());
        });
        spoken::name_part(ui, name);
        fields(ui);
    });
}

/// Which joint moves this one, and how.
fn follows(ui: &mut Ui, viewer: &Viewer, mimic: Mimic, unit: Unit, commands: &mut Vec<Command>) {
    let scene = viewer.session().scene();
    ui.horizontal_wrapped(|ui| {
        ui.add_space(MARGIN);
        ui.colored_label(quiet(ui), "follows");
        let leader = &scene.skeleton.joints()[mimic.joint].name;
        if ui.link(scene.shown_name(leader)).on_hover_text("Select the joint that moves this one").clicked() {
            give(commands, JointCommand::Select(leader.clone()));
        }
        ui.colored_label(quiet(ui), format!("with {}", law(mimic, unit)));
    });
}

/// A slider for how much the joint resists.
fn stiffness(ui: &mut Ui, joint: &Joint, commands: &mut Vec<Command>) {
    let meaning = "How much the joint resists: of two joints that can do the same, the less stiff one turns more";
    field_row(ui, "stiffness", |ui| {
        ui.spacing_mut().slider_width = ui.available_width() - NUMBER - TIGHT;
        ui.spacing_mut().interact_size.x = NUMBER;
        let stiffness = changed_in_steps(as_shown(joint.stiffness, 2, 0.0..=1.0), commands, |stiffness| {
            let slider = ui.add(Slider::new(stiffness, 0.0..=1.0).fixed_decimals(2).update_while_editing(false));
            hint(ui, &slider, meaning);
            slider
        });
        if let Some(stiffness) = stiffness {
            give(commands, JointCommand::Stiffness(joint.name.clone(), stiffness));
        }
    });
}

fn give(commands: &mut Vec<Command>, command: JointCommand) {
    commands.push(Command::Session(SessionCommand::Joint(command)));
}

/// How a joint follows another one: `1.06 times that value + 41.5°`.
fn law(mimic: Mimic, unit: Unit) -> String {
    let scale = as_shown(mimic.scale, 3, f64::NEG_INFINITY..=f64::INFINITY);
    let offset = if unit == Unit::Degrees { mimic.offset.to_degrees() } else { mimic.offset };
    let sign = if offset < 0.0 { '-' } else { '+' };
    let offset = unit.text(offset.abs());
    match (mimic.scale == 1.0, mimic.offset == 0.0) {
        (true, true) => "the same value".to_owned(),
        (true, false) => format!("that value {sign} {offset}"),
        (false, true) => format!("{scale} times that value"),
        (false, false) => format!("{scale} times that value {sign} {offset}"),
    }
}

/// Lets the user change one value of a joint.
fn value_row(ui: &mut Ui, viewer: &Viewer, (joint, at): (usize, usize), commands: &mut Vec<Command>) {
    let scene = viewer.session().scene();
    let values = scene.joint_values(joint, viewer.session().displayed());
    let Some((value, is_dragged)) = value_fields(ui, viewer, &values[at], commands) else { return };
    let mut after: Vec<f64> = values.iter().map(|before| before.value).collect();
    after[at] = value;
    let give_values = if is_dragged { JointCommand::Glide } else { JointCommand::Set };
    give(commands, give_values(scene.skeleton.joints()[joint].name.clone(), after));
}

/// The unit of a length, as it follows a range.
fn unit_words(value: &JointValue, viewer: &Viewer) -> &'static str {
    match (value.unit, viewer.session().scene().length_unit()) {
        (Unit::Length, Some("m")) => ", in metres",
        (Unit::Length, _) => ", in the unit of the scene",
        _ => "",
    }
}

fn field_hint(value: &JointValue, is_at_limit: bool, unit: &str) -> String {
    let is_fixed = value.range.is_some_and(|(low, high)| low == high);
    let how = if is_fixed { "" } else { "; drag, or click and type" };
    let at_limit = if is_at_limit && !is_fixed { " Red: at the limit." } else { "" };
    format!("{}{unit}{how}.{at_limit}", range_text(value))
}

/// A slider between the limits, and the number. Returns the value after a change, and whether the pointer drags it. A drag is
/// one step to undo.
fn value_fields(
    ui: &mut Ui,
    viewer: &Viewer,
    joint_value: &JointValue,
    commands: &mut Vec<Command>,
) -> Option<(f64, bool)> {
    // As many decimals as the field shows.
    let decimals = if joint_value.unit == Unit::Degrees { 1 } else { 4 };
    let (low, high) = joint_value.range.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
    let shown = as_shown(joint_value.value, decimals, low..=high);
    let mut value = shown;
    let is_at_limit = joint_value.range.is_some() && (value - low).min(high - value) <= INVISIBLE * (high - low);
    let red = color32(viewer.display().theme.palette().joint_at_limit);
    let ends = joint_value.range.or((joint_value.unit == Unit::Degrees).then_some((-180.0, 180.0)));
    let width = (ui.available_width() - NUMBER - TIGHT).max(20.0);
    let slider = ends.filter(|(low, high)| low < high).map(|(low, high)| {
        ui.spacing_mut().slider_width = width;
        // A joint without limits may have turned several times: its slider shows the angle within one turn.
        let turns = if joint_value.range.is_none() { 360.0 * (value / 360.0).round() } else { 0.0 };
        let mut knob = value - turns;
        let slider = Slider::new(&mut knob, low..=high).clamping(SliderClamping::Edits).show_value(false);
        let right_end = is_at_limit.then_some(joint_value.value - low > high - joint_value.value);
        let slider = add_slider(ui, slider.smart_aim(false), right_end, red);
        if slider.changed() {
            value = knob + turns;
        }
        slider
    });
    match &slider {
        Some(slider) => hint(ui, slider, &format!("{}{}", range_text(joint_value), unit_words(joint_value, viewer))),
        None => ui.add_space(width + TIGHT),
    }
    let suffix = length_suffix(viewer.session().scene());
    let field = ui.scope(|ui| {
        if is_at_limit {
            ui.visuals_mut().override_text_color = Some(red);
        }
        let field = match joint_value.unit {
            Unit::Degrees => number(ui.ctx(), &mut value).speed(ANGLE_SPEED).suffix("°").fixed_decimals(1),
            Unit::Length => {
                let speed = LENGTH_SPEED * viewer.session().step_size();
                number(ui.ctx(), &mut value).speed(speed).suffix(suffix).max_decimals(4).min_decimals(3)
            }
        };
        ui.add_sized([NUMBER, 18.0], field)
    });
    let field = field.inner;
    hint(ui, &field, &field_hint(joint_value, is_at_limit, unit_words(joint_value, viewer)));
    // A press on a slider sets the value before it is known to be a drag.
    let presses =
        |slider: &Response| slider.is_pointer_button_down_on() && ui.input(|input| input.pointer.primary_pressed());
    let begins = field.drag_started() || slider.as_ref().is_some_and(presses);
    if begins {
        commands.push(Command::Session(SessionCommand::TargetGrab));
    }
    let is_dragged = begins || drags(&field) || slider.as_ref().is_some_and(drags);
    // A typed value beyond the limits stays as it is: the command stops the joint at its limit and says so.
    let value = if is_dragged { value.max(low).min(high) } else { value };
    (begins || value != shown).then_some((value, is_dragged))
}

fn kind(kind: &Kind) -> &'static str {
    match kind {
        Kind::Ball { .. } => "ball",
        Kind::Hinge { .. } => "hinge",
        Kind::Slide { .. } => "slide",
        Kind::Fixed => "fixed",
        Kind::Free => "floating",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn followers_say_their_law() {
        let of = |scale, offset, unit| law(Mimic { joint: 0, scale, offset }, unit);
        assert_eq!(of(1.0, 0.0, Unit::Length), "the same value");
        assert_eq!(of(-1.0, 0.0, Unit::Degrees), "-1 times that value");
        assert_eq!(of(1.0, -0.02, Unit::Length), "that value - 0.020");
        assert_eq!(of(1.05851, 0.72349796, Unit::Degrees), "1.059 times that value + 41.5°");
    }
}
