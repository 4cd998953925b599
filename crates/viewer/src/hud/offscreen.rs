//! Markers for targets and effectors outside the picture. Each one points toward its object from the edge of the free
//! area; a click frames the object.

use super::info::Info;
use super::label_placement::{crossing, on_screen};
use super::names::fitted;
use super::style::color32;
use crate::session::command::CameraCommand;
use crate::session::{Command, JointCommand, SessionCommand};
use crate::view::Viewer;
use crate::view::sizes::has_many_targets;
use egui::{
    Align2, Area, Color32, FontId, Id, Order, Pos2, Rect, Sense, Shape, Stroke, Vec2, WidgetInfo, WidgetType, pos2,
    vec2,
};
use glam::DVec3;

/// Distance of a marker from the edges of the window and from panels, points.
const MARGIN: f32 = 10.0;
/// Width of the arrowhead, and padding around arrowhead and name, points.
const HEAD: f32 = 16.0;
const PADDING: Vec2 = vec2(7.0, 4.0);
/// Maximum width of a name, points. Longer names end in an ellipsis.
const MAX_WIDTH: f32 = 150.0;
/// Number of directions that are tried.
const DIRECTIONS: usize = 160;
/// Margin of the window in which objects count as outside, points.
const EDGE: f32 = 4.0;
/// Approximate radius of a drawn target, points.
const TARGET_RADIUS: f32 = 8.0;

/// Lays out a marker for each target, and for the selected effector, that is outside the window or under one of
/// `panels`.
pub(super) fn markers(
    context: &egui::Context,
    viewer: &Viewer,
    info: &Info,
    panels: &[Rect],
    commands: &mut Vec<Command>,
) {
    let window = context.content_rect();
    let middle = on_screen(window, viewer.lens().middle());
    let is_covered = |at: Pos2| panels.iter().any(|panel| panel.expand(EDGE + TARGET_RADIUS).contains(at));
    let (mut others, mut named) = (Vec::new(), Vec::new());
    for (effector, place) in watched(viewer) {
        let seen = bearing(viewer, place);
        let at = seen.at.map(|at| on_screen(window, at));
        let is_in_view = at.is_some_and(|at| window.shrink(EDGE).contains(at) && !is_covered(at));
        // An effector needs no marker in addition to its target's.
        if is_in_view || named.contains(&effector) {
            continue;
        }
        named.push(effector);
        let direction = vec2(seen.way[0] as f32, -seen.way[1] as f32);
        let scene = viewer.session().scene();
        let name = &scene.effectors[effector].name;
        let size = marker_size(context, scene.shown_name(name));
        let Some(frame) = free_spot(window, middle, direction, size, (panels, &others)) else { continue };
        others.push(frame);
        if marker(context, viewer, info, effector, (frame, direction)) {
            if viewer.session().selected_joint().is_some() {
                commands.push(Command::Session(SessionCommand::Joint(JointCommand::Clear)));
            }
            commands.push(Command::Session(SessionCommand::EffectorSelect(name.clone())));
            commands.push(Command::Camera(CameraCommand::FrameSelected));
        }
    }
}

/// Where a point is, seen from the eye.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Bearing {
    /// Its place in the picture (x right, y up, -1..1); none behind the eye.
    at: Option<[f64; 2]>,
    /// Unit vector in the picture (x right, y up, in pixels) from the middle of the free area toward the point. Behind the
    /// eye, the direction in which to turn.
    way: [f64; 2],
}

/// Where a point of the scene's world is, seen from the eye.
fn bearing(viewer: &Viewer, point: DVec3) -> Bearing {
    let (camera, shown) = (viewer.camera(), viewer.space().shown(point));
    let from_eye = shown - camera.eye();
    let across = [camera.right(), camera.up()].map(|axis| from_eye.dot(axis));
    let length = across[0].hypot(across[1]);
    // Straight behind the eye, any direction is as good.
    let way = if length > 1e-12 * from_eye.length() { across.map(|side| side / length) } else { [0.0, -1.0] };
    let at = camera.project(shown, viewer.lens()).filter(|at| at.iter().all(|side| side.is_finite()));
    Bearing { at, way }
}

/// The points that the user should not lose, each with the number of its effector: the targets and the tip of the selected
/// effector. In scenes with many targets, and in lessons, only those of the selected effector; in races, none.
fn watched(viewer: &Viewer) -> impl Iterator<Item = (usize, DVec3)> + '_ {
    let session = viewer.session();
    let selected = session.selected();
    let only_selected = has_many_targets(session.targets().len()) || session.lesson().is_some();
    let targets = session.targets().enumerate().filter_map(|(at, target)| Some((at, target.place()?)));
    let targets = targets.filter(move |(at, _)| !only_selected || Some(*at) == selected);
    let tip = selected.map(|selected| (selected, session.displayed_tip(selected)));
    targets.chain(tip).filter(move |_| session.race().is_none())
}

fn font() -> FontId {
    FontId::proportional(12.5)
}

fn marker_size(context: &egui::Context, name: &str) -> Vec2 {
    let text = context.fonts_mut(|fonts| fonts.layout_no_wrap(name.to_owned(), font(), Color32::WHITE).size());
    vec2(text.x.min(MAX_WIDTH) + HEAD, text.y.max(HEAD)) + 2.0 * PADDING
}

/// The rectangle of a marker of this size: as far from the center in its direction as window and panels allow. If
/// another marker is there, tries the nearest other directions. `None` if there is no free position.
fn free_spot(
    window: Rect,
    middle: Pos2,
    direction: Vec2,
    size: Vec2,
    (panels, others): (&[Rect], &[Rect]),
) -> Option<Rect> {
    let turns = (0..DIRECTIONS).map(|k| {
        let angle = std::f32::consts::TAU * k.div_ceil(2) as f32 / DIRECTIONS as f32;
        if k % 2 == 0 { angle } else { -angle }
    });
    let room = window.shrink(MARGIN).shrink2(0.5 * size);
    if room.is_negative() {
        return None;
    }
    let spot = |turn: f32| {
        let direction = egui::emath::Rot2::from_angle(turn) * direction;
        // The center of the marker must stay inside `room` and outside these rectangles.
        let stops = panels.iter().map(|panel| panel.expand(MARGIN).expand2(0.5 * size));
        let crossings = stops.filter_map(|stop| crossing(middle, direction, stop)).filter(|[_, leave]| *leave > 0.0);
        let [enter, leave] = crossing(middle, direction, room)?;
        let length = crossings.map(|[enter, _]| enter).fold(leave, f32::min);
        (enter <= 0.0 && length >= 0.0).then(|| Rect::from_center_size(middle + direction * length, size))
    };
    let is_free = |frame: &Rect| !others.iter().any(|other| frame.intersect(*other).is_positive());
    turns.filter_map(spot).find(is_free)
}

/// Draws a marker; returns whether it was clicked.
fn marker(
    context: &egui::Context,
    viewer: &Viewer,
    info: &Info,
    effector: usize,
    (frame, direction): (Rect, Vec2),
) -> bool {
    let color = color32(viewer.display().theme.palette().target(effector));
    let scene = viewer.session().scene();
    let name = scene.shown_name(&scene.effectors[effector].name);
    let area = Area::new(Id::new(("offscreen", effector))).fixed_pos(frame.min).order(Order::Middle).constrain(false);
    let area = area.sense(if info.interactive { Sense::CLICK } else { Sense::hover() });
    let clicked = area.interactable(info.interactive).show(context, |ui| {
        let sense = if info.interactive { Sense::click() } else { Sense::hover() };
        let (rect, response) = ui.allocate_exact_size(frame.size(), sense);
        let visuals = ui.visuals();
        let fill = if response.hovered() { visuals.widgets.hovered.bg_fill } else { visuals.panel_fill };
        let painter = ui.painter();
        painter.rect(rect, 0.5 * rect.height(), fill, Stroke::new(1.5, color), egui::StrokeKind::Inside);
        // The arrowhead is on the side that it points to.
        let leftward = direction.x < 0.0;
        let inside = rect.shrink2(PADDING);
        let x = if leftward { inside.left() + 0.5 * HEAD - 2.0 } else { inside.right() - 0.5 * HEAD + 2.0 };
        painter.add(arrowhead(pos2(x, inside.center().y), direction, color));
        let text = fitted(context, name, &font(), MAX_WIDTH);
        let galley = painter.layout_no_wrap(text, font(), visuals.text_color());
        let (anchor, align) = if leftward {
            (inside.right_center(), Align2::RIGHT_CENTER)
        } else {
            (inside.left_center(), Align2::LEFT_CENTER)
        };
        let corner = align.anchor_size(anchor, galley.size()).min;
        painter.galley(corner, galley, visuals.text_color());
        let hint = format!("{name} is outside the picture: click to frame it");
        response.widget_info(|| WidgetInfo::labeled(WidgetType::Button, true, &hint));
        response.on_hover_text(hint).clicked()
    });
    clicked.inner
}

fn arrowhead(center: Pos2, direction: Vec2, color: Color32) -> Shape {
    let across = vec2(-direction.y, direction.x);
    let points = [direction * 6.0, across * 5.5 - direction * 5.0, -direction * 2.0, -across * 5.5 - direction * 5.0];
    let [tip, left, notch, right] = points.map(|offset| center + offset);
    // Two triangles: the shape is not convex.
    let half = |a, b, c| Shape::convex_polygon(vec![a, b, c], color, Stroke::NONE);
    Shape::Vec(vec![half(tip, left, notch), half(tip, notch, right)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::{Area as FreeArea, Display};
    use fabrik3d_ik::random::Random;

    /// A window with panels like those of the program: top left, right, and bottom.
    fn layout(random: &mut Random) -> (Rect, Pos2, Vec<Rect>) {
        let mut number = |low: f64, high: f64| random.range(low, high) as f32;
        let window = Rect::from_min_size(Pos2::ZERO, vec2(number(700.0, 2000.0), number(450.0, 1200.0)));
        let status = Rect::from_min_size(pos2(12.0, 12.0), vec2(number(150.0, 260.0), number(80.0, 260.0)));
        let width = number(0.1, 0.25) * window.width();
        let panel = Rect::from_min_max(pos2(window.right() - width, 12.0), window.max - vec2(12.0, 12.0));
        let center = 0.5 * (12.0 + panel.left());
        let half = (0.5 * number(200.0, 620.0)).min(center - 12.0);
        let foot = Rect::from_min_max(
            pos2(center - half, window.bottom() - number(60.0, 0.3 * f64::from(window.height()))),
            pos2(center + half, window.bottom() - 12.0),
        );
        let area = Rect::from_min_max(pos2(status.right(), 0.0), pos2(panel.left(), foot.top()));
        (window, area.center(), vec![status, panel, foot])
    }

    #[test]
    fn a_marker_is_in_its_direction_at_the_edge_of_the_free_area() {
        let mut random = Random::new(4);
        let mut markers = 0;
        for case in 0..400 {
            let (window, middle, panels) = layout(&mut random);
            let size = vec2(random.range(40.0, 170.0) as f32, 24.0);
            let (sin, cos) = (random.range(0.0, std::f64::consts::TAU) as f32).sin_cos();
            let direction = vec2(cos, sin);
            let Some(frame) = free_spot(window, middle, direction, size, (&panels, &[])) else { continue };
            markers += 1;
            let what =
                format!("case {case}: {frame:?} in direction {direction:?} from {middle:?} in {window:?}, {panels:?}");
            let is_clear = |frame: Rect, margin: f32| {
                window.shrink(margin).contains_rect(frame)
                    && !panels.iter().any(|panel| panel.expand(margin).intersect(frame).is_positive())
            };
            assert!(is_clear(frame, MARGIN - 0.1), "{what}");
            assert!(!is_clear(frame.translate(direction * 0.5), MARGIN), "it floats: {what}");
            let off = frame.center() - middle;
            assert!((off.x * sin - off.y * cos).abs() < 0.1 && off.dot(direction) > -0.1, "it is elsewhere: {what}");
        }
        assert!(markers > 300, "{markers}");
    }

    #[test]
    fn markers_in_the_same_direction_are_side_by_side_at_the_edge() {
        let mut random = Random::new(5);
        for _ in 0..60 {
            let (window, middle, panels) = layout(&mut random);
            let (sin, cos) = (random.range(0.0, std::f64::consts::TAU) as f32).sin_cos();
            let mut others: Vec<Rect> = Vec::new();
            while let Some(frame) = free_spot(window, middle, vec2(cos, sin), vec2(80.0, 24.0), (&panels, &others)) {
                assert!(others.iter().all(|other| !other.intersect(frame).is_positive()), "{frame:?} {others:?}");
                let edges =
                    [frame.left(), frame.top(), window.right() - frame.right(), window.bottom() - frame.bottom()];
                let at_edge = edges.into_iter().any(|edge| (edge - MARGIN).abs() < 0.1);
                let touches = |panel: &Rect| panel.expand(MARGIN + 0.1).intersect(frame).is_positive();
                assert!(at_edge || panels.iter().any(touches), "{frame:?} floats");
                others.push(frame);
                if others.len() > 5 {
                    break;
                }
            }
            assert!(others.len() > 2, "{others:?}");
        }
    }

    #[test]
    fn without_space_there_is_no_marker() {
        let spot = |window: Rect, panels: &[Rect]| {
            free_spot(window, window.center(), vec2(1.0, 0.0), vec2(80.0, 24.0), (panels, &[]))
        };
        assert_eq!(spot(Rect::from_min_max(pos2(10.0, 10.0), pos2(60.0, 30.0)), &[]), None);
        let window = Rect::from_min_max(pos2(0.0, 0.0), pos2(300.0, 200.0));
        assert_eq!(spot(window, &[window]), None);
    }

    fn viewer(words: &[&str]) -> Viewer {
        let mut viewer = Viewer::new(crate::test_scenes::example("demo"), Display::default(), 1.6);
        for words in words {
            viewer.apply(words.parse::<Command>().expect("a command")).expect("carried out");
        }
        viewer
    }

    #[test]
    fn in_front_of_the_eye_the_direction_leads_from_the_middle_of_the_free_area_to_the_point() {
        let mut random = Random::new(5);
        for words in [&[][..], &["camera.projection"], &["camera.orbit 70 -20"]] {
            let mut viewer = viewer(words);
            let area = FreeArea { low: [-0.5, -0.4], high: [0.9, 1.0] };
            viewer.set_free_area(area);
            let middle = viewer.lens().middle();
            for _ in 0..200 {
                let seen = bearing(&viewer, random.ball() * 30.0);
                let Some(at) = seen.at else { continue };
                // In pixels: the picture is wider than high.
                let from_middle = [(at[0] - middle[0]) * 1.6, at[1] - middle[1]];
                let length = from_middle[0].hypot(from_middle[1]);
                let off = (0..2).map(|axis| (from_middle[axis] / length - seen.way[axis]).abs()).fold(0.0, f64::max);
                assert!(off < 1e-6, "{words:?}: {seen:?} does not lead to {from_middle:?}");
            }
        }
    }

    #[test]
    fn behind_the_eye_the_direction_is_that_of_the_mirror_image_in_front_of_it() {
        let mut random = Random::new(6);
        let viewer = viewer(&["camera.zoom 3"]);
        let (eye, forward) = (viewer.camera().eye(), viewer.camera().forward());
        let mut behind = 0;
        for _ in 0..300 {
            let point = random.ball() * 40.0;
            let seen = bearing(&viewer, point);
            let mirrored = point - 2.0 * (point - eye).dot(forward) * forward;
            let other = bearing(&viewer, mirrored);
            assert_ne!(seen.at.is_some(), other.at.is_some(), "{point:?}");
            assert!((0..2).all(|axis| (seen.way[axis] - other.way[axis]).abs() < 1e-9), "{seen:?} {other:?}");
            behind += usize::from(seen.at.is_none());
        }
        assert!(behind > 10, "{behind}");
        let straight = bearing(&viewer, eye - 3.0 * forward);
        assert_eq!(straight.at, None);
        assert!((straight.way[0].hypot(straight.way[1]) - 1.0).abs() < 1e-9);
    }
}
