//! What is out of sight has a sign at the edge of what is free of panels that tells where it is; a click on it frames it.

use super::info::Info;
use crate::session::command::CameraCommand;
use crate::session::{Command, JointCommand, SessionCommand};
use crate::view::Stage;
use crate::view::sight::{sight, watched};
use egui::{Align2, Area, Color32, FontId, Id, Order, Pos2, Rect, Sense, Shape, Stroke, Vec2, pos2, vec2};

/// Distance of a sign from the edges of the window and from panels, points.
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
    let middle = free_middle(stage, window);
    let mut others = Vec::new();
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
        let Some(frame) = free_spot(window, middle, way, size, (panels, &others)) else { continue };
        others.push(frame);
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

/// The middle of the part of the window that the camera looks through.
fn free_middle(stage: &Stage, window: Rect) -> Pos2 {
    on_screen(window, stage.lens().middle())
}

fn font() -> FontId {
    FontId::proportional(12.5)
}

fn sign_size(context: &egui::Context, name: &str) -> Vec2 {
    let text = context.fonts_mut(|fonts| fonts.layout_no_wrap(name.to_owned(), font(), Color32::WHITE).size());
    vec2(text.x.min(WIDEST) + HEAD, text.y.max(HEAD)) + 2.0 * ROOM
}

/// Where a sign of this size stands: as far from the middle on its way as nothing stops it, which is an edge of the window
/// or a panel. Where another sign stands already, the next way beside it is taken; none where there is no place at all.
fn free_spot(window: Rect, middle: Pos2, way: Vec2, size: Vec2, (panels, others): (&[Rect], &[Rect])) -> Option<Rect> {
    let turns = (0..TURNS).map(|k| {
        let angle = std::f32::consts::TAU * k.div_ceil(2) as f32 / TURNS as f32;
        if k % 2 == 0 { angle } else { -angle }
    });
    let room = window.shrink(MARGIN).shrink2(0.5 * size);
    if room.is_negative() {
        return None;
    }
    let spot = |turn: f32| {
        let way = egui::emath::Rot2::from_angle(turn) * way;
        // The middle of the sign must stay inside of the room and outside of these.
        let stops = panels.iter().map(|panel| panel.expand(MARGIN).expand2(0.5 * size));
        let ways = stops.filter_map(|stop| crossing(middle, way, stop)).filter(|[_, leave]| *leave > 0.0);
        let [enter, leave] = crossing(middle, way, room)?;
        let length = ways.map(|[enter, _]| enter).fold(leave, f32::min);
        (enter <= 0.0 && length >= 0.0).then(|| Rect::from_center_size(middle + way * length, size))
    };
    let is_free = |frame: &Rect| !others.iter().any(|other| frame.intersect(*other).is_positive());
    turns.filter_map(spot).find(is_free)
}

/// How far along a way from a point a rectangle begins and ends; none where the line through the point passes it by.
fn crossing(from: Pos2, way: Vec2, rect: Rect) -> Option<[f32; 2]> {
    let (mut enter, mut leave) = (f32::NEG_INFINITY, f32::INFINITY);
    for (at, step, low, high) in
        [(from.x, way.x, rect.left(), rect.right()), (from.y, way.y, rect.top(), rect.bottom())]
    {
        if step.abs() < 1e-6 {
            if at < low || at > high {
                return None;
            }
            continue;
        }
        let (first, second) = ((low - at) / step, (high - at) / step);
        enter = enter.max(first.min(second));
        leave = leave.min(first.max(second));
    }
    (enter <= leave).then_some([enter, leave])
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
    use fabrik3d_ik::random::Random;

    /// A window with panels where the program has them: at the left above, at the right, at the foot.
    fn desk(random: &mut Random) -> (Rect, Pos2, Vec<Rect>) {
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
    fn a_sign_stands_on_its_way_at_the_edge_of_what_is_free() {
        let mut random = Random::new(4);
        let mut signs = 0;
        for case in 0..400 {
            let (window, middle, panels) = desk(&mut random);
            let size = vec2(random.range(40.0, 170.0) as f32, 24.0);
            let (sin, cos) = (random.range(0.0, std::f64::consts::TAU) as f32).sin_cos();
            let way = vec2(cos, sin);
            let Some(frame) = free_spot(window, middle, way, size, (&panels, &[])) else { continue };
            signs += 1;
            let what = format!("case {case}: {frame:?} on the way {way:?} from {middle:?} in {window:?}, {panels:?}");
            let is_clear = |frame: Rect, margin: f32| {
                window.shrink(margin).contains_rect(frame)
                    && !panels.iter().any(|panel| panel.expand(margin).intersect(frame).is_positive())
            };
            assert!(is_clear(frame, MARGIN - 0.1), "{what}");
            assert!(!is_clear(frame.translate(way * 0.5), MARGIN), "it floats: {what}");
            let off = frame.center() - middle;
            assert!((off.x * sin - off.y * cos).abs() < 0.1 && off.dot(way) > -0.1, "it is elsewhere: {what}");
        }
        assert!(signs > 300, "{signs}");
    }

    #[test]
    fn signs_on_the_same_way_stand_beside_each_other_at_the_edge() {
        let mut random = Random::new(5);
        for _ in 0..60 {
            let (window, middle, panels) = desk(&mut random);
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
    fn without_room_there_is_no_sign() {
        let spot = |window: Rect, panels: &[Rect]| {
            free_spot(window, window.center(), vec2(1.0, 0.0), vec2(80.0, 24.0), (panels, &[]))
        };
        assert_eq!(spot(Rect::from_min_max(pos2(10.0, 10.0), pos2(60.0, 30.0)), &[]), None);
        let window = Rect::from_min_max(pos2(0.0, 0.0), pos2(300.0, 200.0));
        assert_eq!(spot(window, &[window]), None);
    }
}
