//! What the goal of the selected effector leaves open: it looks at a point, it turns about an axis, it moves along axes.

use super::LENGTH_SPEED;
use crate::hud::number::{as_shown, brief, changed, changed_in_steps, number, parser};
use crate::hud::spoken::{self, name_part};
use crate::hud::style::{TIGHT, checkbox, quiet};
use crate::session::{Command, EffectorCommand, RotationCommand, Session, SessionCommand};
use egui::{Context, DragValue, Ui};
use fabrik3d_ik::Isometry;
use fabrik3d_scene::OPEN_SLACK;
use fabrik3d_scene::SceneEffector;
use glam::DVec3;

/// Most decimals of a slack.
const DECIMALS: usize = 4;
/// Width of a number, points.
const NUMBER: f32 = 45.0;

/// The rows about the freedom of an effector.
pub(super) fn freedom(ui: &mut Ui, session: &Session, at: usize, commands: &mut Vec<Command>) {
    let target = session.target(at);
    look_at(ui, session, at, commands);
    if target.orientation.is_some() {
        spin(ui, session, at, commands);
    }
    if target.position.is_some() {
        open_axes(ui, session, at, commands);
        slack(ui, session, at, commands);
    }
}

/// The axis of an effector that points to where its character faces: a head looks with its face.
fn facing_axis(session: &Session, frame: Isometry) -> Option<DVec3> {
    let front = frame.rotation.conjugate() * session.scene().front()?;
    DVec3::AXES.into_iter().find(|axis| axis.dot(front) > 0.8)
}

/// Whether the effector looks at a point.
fn look_at(ui: &mut Ui, session: &Session, at: usize, commands: &mut Vec<Command>) {
    let effector = &session.scene().effectors[at];
    let looks = session.target(at).look_at().is_some();
    let hint = "Turns the effector until an axis of it points at a point, wherever the effector is. The target is then that point";
    let looks = changed(looks, |looks| checkbox(ui, looks, "Look at a point").on_hover_text(hint));
    if let Some(looks) = looks {
        let frame = session.tool_frame(at).unwrap_or(Isometry::IDENTITY);
        let face = facing_axis(session, frame).filter(|_| looks && effector.freedom.spin_axis.is_none());
        // Who looks no more has no axis either.
        let axis = if looks { face.or(effector.freedom.spin_axis) } else { None };
        commands.push(Command::Session(SessionCommand::TargetGrab));
        if axis != effector.freedom.spin_axis {
            let spin = EffectorCommand::Spin(effector.name.clone(), axis);
            commands.push(Command::Session(SessionCommand::Effector(spin)));
        }
        let ahead = frame.rotation * face.unwrap_or(effector.pointing_axis()) * session.scene().effector_size(effector);
        let place = looks.then_some(frame.position + ahead);
        commands.push(Command::Session(SessionCommand::Rotation(RotationCommand::LookAt(place))));
    }
}

/// The axis that looks, or about which the effector may turn.
fn spin(ui: &mut Ui, session: &Session, at: usize, commands: &mut Vec<Command>) {
    let effector = &session.scene().effectors[at];
    let looks = session.target(at).look_at().is_some();
    ui.horizontal(|ui| {
        let part = if looks { "Axis" } else { "Turns about" };
        name_part(ui, part);
        ui.label(part);
        let fixed = (!looks).then_some(("none", None));
        let axes = [("x", DVec3::X), ("y", DVec3::Y), ("z", DVec3::Z)].map(|(name, axis)| (name, Some(axis)));
        for (name, axis) in fixed.into_iter().chain(axes) {
            let is_default = looks && effector.freedom.spin_axis.is_none();
            let chosen = effector.freedom.spin_axis.or(is_default.then_some(DVec3::Z)) == axis;
            let hint = match axis {
                None => "The whole orientation counts",
                Some(_) => "Only the direction of this axis of the effector counts; it may turn about it",
            };
            if ui.selectable_label(chosen, name).on_hover_text(hint).clicked() && !chosen {
                let spin = EffectorCommand::Spin(effector.name.clone(), axis);
                commands.push(Command::Session(SessionCommand::Effector(spin)));
            }
        }
    });
}

/// The axes along which the effector may be anywhere.
fn open_axes(ui: &mut Ui, session: &Session, at: usize, commands: &mut Vec<Command>) {
    let effector = &session.scene().effectors[at];
    let frame = frame_name(session, at);
    ui.horizontal(|ui| {
        name_part(ui, "Free along");
        ui.label("Free along");
        for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
            let is_open = effector.freedom.slack[axis] >= OPEN_SLACK;
            let what = if is_open { "The effector may" } else { "Let the effector" };
            let hint = format!("{what} be anywhere along the {name} axis of the {frame}");
            if ui.selectable_label(is_open, name).on_hover_text(hint).clicked() {
                give_slack(effector, axis, if is_open { 0.0 } else { OPEN_SLACK }, commands);
            }
        }
    });
}

/// How far the effector may be from its target along each axis.
fn slack(ui: &mut Ui, session: &Session, at: usize, commands: &mut Vec<Command>) {
    let effector = &session.scene().effectors[at];
    let size = session.scene().effector_size(effector);
    let frame = frame_name(session, at);
    ui.horizontal(|ui| {
        let unit = if session.scene().length_unit().is_some() { "in metres" } else { "in the unit of the scene" };
        let hint =
            format!("How far the effector may be from its target along the x, y and z axes of the {frame}, {unit}");
        ui.spacing_mut().item_spacing.x = TIGHT;
        let name = session
            .scene()
            .length_unit()
            .map_or("May miss by".to_owned(), |unit| ["May miss by (", unit, ")"].concat());
        ui.colored_label(quiet(ui), name).on_hover_text(hint);
        for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
            let shown = as_shown(effector.freedom.slack[axis], DECIMALS, 0.0..=OPEN_SLACK);
            let hint = format!("Along {name}, {unit}; drag, or click and type");
            let slack = changed_in_steps(shown, commands, |slack| {
                let field = ui.add_sized([NUMBER, 18.0], field(ui.ctx(), slack, size));
                spoken::name_control(ui.ctx(), field.id, &format!("May miss by along {name}"));
                field.on_hover_text(hint)
            });
            if let Some(slack) = slack {
                give_slack(effector, axis, slack, commands);
            }
        }
    });
}

fn field<'a>(context: &Context, value: &'a mut f64, size: f64) -> DragValue<'a> {
    let text = |value: f64, _| match value {
        OPEN_SLACK.. => "any".to_owned(),
        _ => brief(value, DECIMALS, 7),
    };
    let field = number(context, value).speed(LENGTH_SPEED * size).range(0.0..=OPEN_SLACK).max_decimals(DECIMALS);
    let read = parser(context);
    field
        .custom_formatter(text)
        .custom_parser(move |text| if text.trim() == "any" { Some(OPEN_SLACK) } else { read(text) })
}

fn give_slack(effector: &SceneEffector, axis: usize, slack: f64, commands: &mut Vec<Command>) {
    let mut slacks = effector.freedom.slack;
    slacks[axis] = slack;
    let command = EffectorCommand::Slack(effector.name.clone(), slacks);
    commands.push(Command::Session(SessionCommand::Effector(command)));
}

/// What the axes of the slack belong to.
fn frame_name(session: &Session, at: usize) -> &'static str {
    if session.target(at).rotation().is_some() { "target orientation" } else { "world" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hud::test_input::{click, frame, key};
    use crate::view::{Display, Viewer};
    use egui::{Event, Key, Pos2, Rect, Shape, vec2};

    /// Shows the rows for one frame. Returns the texts on the screen with their places, and the commands.
    fn show(context: &Context, viewer: &Viewer, events: Vec<Event>) -> (Vec<(String, Rect)>, Vec<Command>) {
        let mut commands = Vec::new();
        let output = frame(context, vec2(400.0, 300.0), events, |ui| {
            ui.set_width(300.0);
            freedom(ui, viewer.session(), 0, &mut commands);
        });
        let texts = output.shapes.into_iter().filter_map(|shape| match shape.shape {
            Shape::Text(text) => Some((text.galley.text().to_owned(), text.visual_bounding_rect())),
            _ => None,
        });
        (texts.collect(), commands)
    }

    /// Types a slack into the field of an axis, and carries out what comes of it. Returns the slacks.
    fn typed(viewer: &mut Viewer, axis: usize, text: &str) -> DVec3 {
        let context = Context::default();
        show(&context, viewer, Vec::new());
        let (texts, _) = show(&context, viewer, Vec::new());
        let row = texts.iter().find(|(text, _)| text == "May miss by").expect("the row").1.center().y;
        let fields = texts.iter().filter(|(text, at)| text != "May miss by" && (at.center().y - row).abs() < 4.0);
        let at = fields.map(|(_, at)| at.center()).nth(axis).expect("a field");
        let moves = [Event::PointerMoved(at), Event::PointerMoved(at)].into_iter().chain(click(at));
        let events = moves.chain([Event::Text(text.to_owned()), key(Key::Enter)]);
        for event in events.chain([Event::PointerMoved(Pos2::new(390.0, 290.0))]) {
            for command in show(&context, viewer, vec![event]).1 {
                viewer.apply(command).expect("can be done");
            }
        }
        viewer.session().scene().effectors[0].freedom.slack
    }

    /// Clicks on the text that begins like this, and carries out what comes of it.
    fn clicked(viewer: &mut Viewer, start: &str) {
        let context = Context::default();
        show(&context, viewer, Vec::new());
        let (texts, _) = show(&context, viewer, Vec::new());
        let at = texts.iter().find(|(text, _)| text.starts_with(start)).expect("the text").1.center();
        for event in [Event::PointerMoved(at), Event::PointerMoved(at)].into_iter().chain(click(at)) {
            for command in show(&context, viewer, vec![event]).1 {
                viewer.apply(command).expect("can be done");
            }
        }
    }

    #[test]
    fn looking_at_a_point_is_one_step_to_undo_with_its_axis_and_leaves_no_axis() {
        let scene = crate::test_scenes::example("seed-arm");
        let name = scene.effectors[0].name.clone();
        let mut viewer = Viewer::new(scene, Display::default(), 1.6);
        let state = |viewer: &Viewer| {
            let session = viewer.session();
            (session.scene().effectors[0].freedom.spin_axis, session.target(0).look_at().is_some())
        };
        let give = |viewer: &mut Viewer, words: &str| {
            viewer.apply(words.parse().expect("a command")).expect("can be done");
        };
        // As the panel does for a head, whose face is not its axis z.
        give(&mut viewer, &format!("effector.spin {name} 1 0 0"));
        give(&mut viewer, "target.look_at 1 2 1");
        let looking = (Some(DVec3::X), true);
        assert_eq!(state(&viewer), looking);
        clicked(&mut viewer, "Look at a point");
        assert_eq!(state(&viewer), (None, false));
        give(&mut viewer, "undo");
        assert_eq!(state(&viewer), looking);
        give(&mut viewer, "undo");
        assert!(state(&viewer) == (None, false) && !viewer.session().can_undo());
        clicked(&mut viewer, "Look at a point");
        assert_eq!(state(&viewer), (None, true));
        give(&mut viewer, "undo");
        assert!(state(&viewer) == (None, false) && !viewer.session().can_undo());
    }

    #[test]
    fn a_typed_slack_is_that_of_its_axis_alone_and_one_undo_step() {
        let scene = crate::test_scenes::example("seed-arm");
        let mut viewer = Viewer::new(scene, Display::default(), 1.6);
        assert_eq!(typed(&mut viewer, 1, "0.25"), DVec3::new(0.0, 0.25, 0.0));
        assert_eq!(typed(&mut viewer, 2, "1.5"), DVec3::new(0.0, 0.25, 1.5));
        assert_eq!(typed(&mut viewer, 0, "-3"), DVec3::new(0.0, 0.25, 1.5), "never below 0");
        assert_eq!(typed(&mut viewer, 0, "nonsense"), DVec3::new(0.0, 0.25, 1.5));
        assert_eq!(typed(&mut viewer, 1, "0"), DVec3::new(0.0, 0.0, 1.5));
        viewer.apply("undo".parse().expect("a command")).expect("can be done");
        assert_eq!(viewer.session().scene().effectors[0].freedom.slack, DVec3::new(0.0, 0.25, 1.5));
    }

    #[test]
    fn an_open_axis_is_shown_as_open_and_a_number_closes_it() {
        let scene = crate::test_scenes::example("seed-arm");
        let name = scene.effectors[0].name.clone();
        let mut viewer = Viewer::new(scene, Display::default(), 1.6);
        viewer.apply(format!("effector.slack {name} 0 0 1e12").parse().expect("a command")).expect("can be done");
        let context = Context::default();
        show(&context, &viewer, Vec::new());
        let (texts, commands) = show(&context, &viewer, Vec::new());
        assert!(texts.iter().any(|(text, _)| text == "any") && commands.is_empty(), "{texts:?}");
        assert_eq!(typed(&mut viewer, 2, "0.5"), DVec3::new(0.0, 0.0, 0.5));
    }
}
