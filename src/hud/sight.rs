//! What is out of sight has a sign at the edge of the free area that tells where it is; a click on it frames it.

use super::Info;
use crate::session::command::CameraCommand;
use crate::session::{Command, JointCommand, SessionCommand};
use crate::view::Stage;
use crate::view::sight::{sight, watched};
use egui::{Align2, Area, Color32, FontId, Id, Order, Pos2, Rect, Sense, Shape, Stroke, Vec2, pos2, vec2};

/// Distance of a sign from the edges of the free area, points.
const MARGIN: f32 = 10.0;
/// Room for the arrowhead beside the name, and around both.
const HEAD: f32 = 16.0;
const ROOM: Vec2 = vec2(7.0, 4.0);
/// Widest name, points; longer ones end in an ellipsis.
const WIDEST: f32 = 150.0;
/// Places around the edge that are tried.
const TURNS: usize = 160;
/// Nearer to the edge of the window than this nothing is seen well.
const EDGE: f32 = 4.0;
/// About how far a target reaches around its place, points.
const BALL: f32 = 8.0;

/// One sign for each target, and for the selected effector, that is outside of the window or under one of `panels`.
pub(super) fn signs(context: &egui::Context, stage: &Stage, info: &Info, panels: &[Rect], commands: &mut Vec<Command>) {
    let window = context.content_rect();
    let free = free_rect(stage, window);
    let mut taken = panels.to_vec();
    let mut named = Vec::new();
    for (effector, place) in watched(stage) {
        let seen = sight(stage, place);
        let at = seen.at.map(|at| on_screen(window, at));
        let in_sight =
            at.is_some_and(|at| window.shrink(EDGE).contains(at) && !panels.iter().any(|panel| covers(*panel, at)));
        // An effector beside its target needs no sign of its own.
        if in_sight || named.contains(&effector) {
            continue;
        }
        named.push(effector);
        let way = vec2(seen.way[0] as f32, -seen.way[1] as f32);
        let name = &stage.session().scene().effectors[effector].name;
        let size = sign_size(context, name);
        let Some(frame) = free_spot(free, way, size, &taken) else { continue };
        taken.push(frame);
        if sign(context, stage, info, effector, (frame, way)) {
            if stage.session().selected_joint().is_some() {
                commands.push(Command::Session(SessionCommand::Joint(JointCommand::Clear)));
            }
            commands.push(Command::Session(SessionCommand::EffectorSelect(name.clone())));
            commands.push(Command::Camera(CameraCommand::FrameSelected));
        }
    }
}

/// Whether so much of what is there lies under a panel that it is not seen well.
fn covers(panel: Rect, at: Pos2) -> bool {
    panel.expand(EDGE + BALL).contains(at)
}

fn on_screen(window: Rect, [x, y]: [f64; 2]) -> Pos2 {
    window.min + vec2(x as f32 + 1.0, 1.0 - y as f32) * 0.5 * window.size()
}

/// The part of the window that the camera looks through.
fn free_rect(stage: &Stage, window: Rect) -> Rect {
    let area = stage.lens().area;
    let corners = [[area.low[0], area.high[1]], [area.high[0], area.low[1]]].map(|corner| on_screen(window, corner));
    Rect::from_min_max(corners[0], corners[1])
}

fn font() -> FontId {
    FontId::proportional(12.5)
}

fn sign_size(context: &egui::Context, name: &str) -> Vec2 {
    let text = context.fonts_mut(|fonts| fonts.layout_no_wrap(name.to_owned(), font(), Color32::WHITE).size());
    vec2(text.x.min(WIDEST) + HEAD, text.y.max(HEAD)) + 2.0 * ROOM
}

/// Where a sign of this size stands: where the way from the middle of the free area meets its edge, or as near to that
/// along the edge as it covers nothing; none where there is no such place.
fn free_spot(free: Rect, way: Vec2, size: Vec2, taken: &[Rect]) -> Option<Rect> {
    let room = free.shrink(MARGIN).shrink2(0.5 * size);
    if room.is_negative() {
        return None;
    }
    let at = |turn: f32| {
        let way = egui::emath::Rot2::from_angle(turn) * way;
        let reach = |half: f32, step: f32| if step.abs() < 1e-6 { f32::INFINITY } else { half / step.abs() };
        let length = reach(0.5 * room.width(), way.x).min(reach(0.5 * room.height(), way.y));
        Rect::from_center_size(room.center() + way * length, size)
    };
    let turns = (0..TURNS).map(|k| {
        let angle = std::f32::consts::TAU * k.div_ceil(2) as f32 / TURNS as f32;
        if k % 2 == 0 { angle } else { -angle }
    });
    let is_free = |frame: &Rect| !taken.iter().any(|other| frame.intersect(*other).is_positive());
    turns.map(at).find(is_free)
}

/// Draws a sign; whether it was clicked.
fn sign(context: &egui::Context, stage: &Stage, info: &Info, effector: usize, (frame, way): (Rect, Vec2)) -> bool {
    let [r, g, b, _] = stage.display().theme.palette().target(effector);
    let color = Color32::from_rgb(r, g, b);
    let scene = stage.session().scene();
    let name = &scene.effectors[effector].name;
    let area = Area::new(Id::new(("sight", effector))).fixed_pos(frame.min).order(Order::Middle).constrain(false);
    let clicked = area.interactable(info.interactive).show(context, |ui| {
        let sense = if info.interactive { Sense::click() } else { Sense::hover() };
        let (rect, response) = ui.allocate_exact_size(frame.size(), sense);
        let visuals = ui.visuals();
        let fill = if response.hovered() { visuals.widgets.hovered.bg_fill } else { visuals.window_fill };
        let painter = ui.painter();
        painter.rect(rect, 0.5 * rect.height(), fill, Stroke::new(1.5, color), egui::StrokeKind::Inside);
        // The head stands on the side that the way leads to.
        let leftward = way.x < 0.0;
        let inside = rect.shrink2(ROOM);
        let x = if leftward { inside.left() + 0.5 * HEAD - 2.0 } else { inside.right() - 0.5 * HEAD + 2.0 };
        painter.add(arrowhead(pos2(x, inside.center().y), way, color));
        let mut job = egui::text::LayoutJob::simple_singleline(name.clone(), font(), visuals.text_color());
        job.wrap = egui::text::TextWrapping::truncate_at_width(WIDEST);
        let galley = painter.layout_job(job);
        let (anchor, align) = if leftward {
            (inside.right_center(), Align2::RIGHT_CENTER)
        } else {
            (inside.left_center(), Align2::LEFT_CENTER)
        };
        let corner = align.anchor_size(anchor, galley.size()).min;
        painter.galley(corner, galley, visuals.text_color());
        response.on_hover_text(format!("{name} is out of sight: a click brings it into the picture (F)")).clicked()
    });
    clicked.inner
}

/// A chevron around a point, pointing this way.
fn arrowhead(center: Pos2, way: Vec2, color: Color32) -> Shape {
    let across = vec2(-way.y, way.x);
    let points = [way * 6.0, across * 5.5 - way * 5.0, -way * 2.0, -across * 5.5 - way * 5.0];
    let [tip, left, notch, right] = points.map(|offset| center + offset);
    // Two triangles: the shape is not convex.
    let half = |a, b, c| Shape::convex_polygon(vec![a, b, c], color, Stroke::NONE);
    Shape::Vec(vec![half(tip, left, notch), half(tip, notch, right)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_stands_at_the_edge_on_its_way_inside_the_free_area_and_off_what_is_there() {
        let free = Rect::from_min_max(pos2(290.0, 0.0), pos2(980.0, 720.0));
        let panel = Rect::from_min_max(pos2(300.0, 500.0), pos2(900.0, 715.0));
        let size = vec2(80.0, 24.0);
        for step in 0..72 {
            let (sin, cos) = (std::f32::consts::TAU * step as f32 / 72.0).sin_cos();
            let spot = |taken: &[Rect]| free_spot(free, vec2(cos, sin), size, taken).expect("there is room");
            let frame = spot(&[]);
            assert!(free.contains_rect(frame), "{frame:?}");
            let [dx, dy] = [frame.center().x - free.center().x, frame.center().y - free.center().y];
            assert!((dx * sin - dy * cos).abs() < 0.1 && dx * cos + dy * sin > 0.0, "{frame:?} is not that way");
            let edge = [frame.left() - free.left(), free.right() - frame.right()];
            let edge = edge.into_iter().chain([frame.top() - free.top(), free.bottom() - frame.bottom()]);
            assert!((edge.fold(f32::INFINITY, f32::min) - MARGIN).abs() < 0.1, "{frame:?} is not at the edge");
            let second = spot(&[frame]);
            assert!(!second.intersect(frame).is_positive() && free.contains_rect(second), "{frame:?} {second:?}");
            let beside = spot(&[panel, frame, second]);
            let taken = [panel, frame, second];
            assert!(free.contains_rect(beside) && taken.iter().all(|other| !other.intersect(beside).is_positive()));
        }
    }

    #[test]
    fn without_room_there_is_no_sign() {
        let free = Rect::from_min_max(pos2(10.0, 10.0), pos2(60.0, 30.0));
        assert_eq!(free_spot(free, vec2(1.0, 0.0), vec2(80.0, 24.0), &[]), None);
        let free = Rect::from_min_max(pos2(0.0, 0.0), pos2(300.0, 200.0));
        assert_eq!(free_spot(free, vec2(1.0, 0.0), vec2(80.0, 24.0), &[free]), None);
    }
}
