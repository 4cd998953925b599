//! Labels of joints, effectors and loops in the picture.

use super::label_placement::{LabelBox, Obstacles, PADDING, on_screen, place_labels};
use super::names::fitted;
use super::style::{TIGHT, panel_areas};
use crate::session::numbers::digits;
use crate::view::labels::{Label, LabelWeight, lesson_labels, lesson_links, race_labels, race_links};
use crate::view::{OPEN_LOOP_GAP, Viewer};
use egui::{Color32, Context, FontId, Galley, LayerId, Order, Pos2, Rect, Stroke};
use fabrik3d_scene::SceneEffector;
use glam::DVec3;
use std::sync::Arc;

/// Largest number of joints or targets that get labels.
const MAX_LABELS: usize = 120;

/// Labels of all joints, targets and poles, except for joints that a lesson or race labels itself.
pub(super) fn names(viewer: &Viewer) -> Vec<Label> {
    let (session, scene) = (viewer.session(), viewer.session().scene());
    let label = |place: DVec3, name: &str, weight: LabelWeight| {
        let text = scene.shown_name(name).to_owned();
        Label { place, radius: 0.0, text, weight }
    };
    let mut labels = Vec::new();
    if session.targets().len() <= MAX_LABELS {
        let places = scene.effectors.iter().zip(session.targets().map(|target| target.place()));
        labels.extend(places.filter_map(|(effector, place)| Some(label(place?, &effector.name, LabelWeight::Strong))));
    }
    if scene.skeleton.len() <= MAX_LABELS {
        let (frames, covered) = (scene.skeleton.frames(session.displayed()), session.covered());
        // An effector with the name of its joint names both.
        let names_joint = |effector: &SceneEffector, i: usize, name: &str| {
            effector.effector.joint == i && effector.effector.tip == DVec3::ZERO && effector.name == name
        };
        let is_named = |i: usize, name: &str| scene.effectors.iter().any(|effector| names_joint(effector, i, name));
        let seen = scene.skeleton.joints().iter().enumerate();
        let seen = seen.filter(|(i, joint)| !covered.contains(i) && !is_named(*i, &joint.name));
        labels.extend(seen.map(|(i, joint)| label(frames[i].position, &joint.name, LabelWeight::Plain)));
    }
    labels.extend(scene.poles.iter().map(|pole| {
        let joint = scene.shown_name(&scene.skeleton.joints()[pole.joint].name);
        let text = format!("pole: {joint} bends toward it");
        Label { place: pole.toward, radius: 0.0, text, weight: LabelWeight::Plain }
    }));
    labels
}

/// Where the next picture's label of a row under the pointer waits.
fn pointed_id() -> egui::Id {
    egui::Id::new("pointed at in the panel")
}

/// Marks in the picture what a row of the side panel is about.
pub(super) fn point_at(context: &Context, name: &str, place: DVec3) {
    let label = Label { place, radius: 0.0, text: name.to_owned(), weight: LabelWeight::Pointed };
    context.data_mut(|data| data.insert_temp(pointed_id(), vec![label]));
}

/// The mark of the row that is under the pointer.
pub(super) fn take_pointed(context: &Context) -> Vec<Label> {
    context.data_mut(|data| data.remove_temp(pointed_id())).unwrap_or_default()
}

/// Labels of open loops with their gaps.
pub(super) fn gaps(viewer: &Viewer) -> Vec<Label> {
    let session = viewer.session();
    let frames = session.scene().skeleton.frames(session.displayed());
    let ends = session.scene().loops.iter().map(|(a, b)| [a, b].map(|end| frames[end.joint].point(end.point)));
    let open = ends.filter(|[a, b]| a.distance(*b) > OPEN_LOOP_GAP * f64::from(viewer.extent().radius));
    let gaps = open.map(|[a, b]| (a.midpoint(b), format!("gap {}", digits(a.distance(b)))));
    gaps.map(|(place, text)| Label { place, radius: 0.0, text, weight: LabelWeight::Strong }).collect()
}

/// The labels of the open lesson or race.
pub(super) fn teaching(viewer: &Viewer) -> Vec<Label> {
    let lesson = viewer.session().lesson().map(|lesson| lesson_labels(viewer, lesson));
    let race = viewer.session().race().map(|race| race_labels(viewer, race));
    lesson.or(race).unwrap_or_default()
}

/// Minimum and maximum distance of a label from the center of its object, points.
const OBJECT_RADIUS: [f32; 2] = [9.0, 40.0];
/// Distance from the object at which a line connects it with its label, points.
const LEADER_DISTANCE: f32 = 12.0;
/// Maximum width of a label, points. Longer lines are shortened.
const MAX_WIDTH: f32 = 176.0;
/// Least distance of two captions, points, and their least width: narrower ones would be towers of words, and the panel of the
/// comparison has the names, too.
const MIN_CAPTION: f32 = 80.0;
/// Least width of captions that count the steps, points.
const WIDE_CAPTION: f32 = 120.0;
/// Largest number of joints for which labels avoid the links. More links would leave no space for labels.
const MAX_AVOIDED: usize = 200;

/// A label as it is written.
pub(super) struct WrittenLabel {
    size: LabelBox,
    galley: Arc<Galley>,
    color: Color32,
    weight: LabelWeight,
}

/// Draws labels over the picture and under the panels.
pub(super) fn write(context: &Context, viewer: &Viewer, labels: Vec<Label>) {
    let painter = context.layer_painter(LayerId::new(Order::Background, egui::Id::new("labels")));
    let halo = match context.style().visuals.dark_mode {
        true => Color32::from_black_alpha(170),
        false => Color32::from_white_alpha(190),
    };
    for (frame, WrittenLabel { size: LabelBox { at, radius, .. }, galley, color, weight }) in
        placed(context, viewer, labels)
    {
        // A ring marks the object.
        if weight == LabelWeight::Pointed {
            painter.circle_stroke(at, radius, Stroke::new(5.0, halo));
            painter.circle_stroke(at, radius, Stroke::new(2.0, color));
        }
        let corner = frame.clamp(at);
        if corner.distance(at) > radius * 1.5 + LEADER_DISTANCE {
            painter.line_segment([at, corner], Stroke::new(1.0, color.gamma_multiply(0.6)));
        }
        painter.rect_filled(frame, 3.0, halo);
        painter.galley(frame.min + PADDING, galley, color);
    }
}

/// Labels with their rectangles next to their objects; earlier labels have priority. No label covers another or a panel, and labels
/// avoid the figure if possible. Labels without a free position are omitted.
pub(super) fn placed(context: &Context, viewer: &Viewer, labels: Vec<Label>) -> Vec<(Rect, WrittenLabel)> {
    let window = context.content_rect();
    let text = if context.style().visuals.dark_mode { Color32::from_gray(235) } else { Color32::from_gray(30) };
    let project = |place: DVec3| {
        let shown = viewer.space().shown(place);
        let at = on_screen(window, viewer.camera().project(shown, viewer.lens())?);
        Some((at, viewer.camera().pixel_at(shown, f64::from(window.height()))))
    };
    let mut names = Vec::new();
    let column = column(labels.iter().filter(|label| label.weight == LabelWeight::Caption), project);
    let has_room = |label: &Label| label.weight != LabelWeight::Caption || column >= MIN_CAPTION;
    for label in labels.into_iter().filter(has_room) {
        let (points, color) = match label.weight {
            LabelWeight::Caption | LabelWeight::Strong | LabelWeight::Pointed => (13.0, text),
            LabelWeight::Named | LabelWeight::Plain => (11.5, text),
            LabelWeight::Faint => (11.5, text.gamma_multiply(0.7)),
        };
        let Some((at, pixel)) = project(label.place) else { continue };
        let radius = ((0.75 * label.radius / pixel.max(1e-12)) as f32).clamp(OBJECT_RADIUS[0], OBJECT_RADIUS[1]);
        let font = FontId::proportional(points);
        let below = label.weight == LabelWeight::Caption;
        let width = if below { column } else { MAX_WIDTH };
        // Narrow ones would be too high for the room under the figures, and the table counts the steps, too.
        let most = if below && column < WIDE_CAPTION { 1 } else { usize::MAX };
        let lines = label.text.lines().take(most);
        let lines = lines.map(|line| if below { line.to_owned() } else { fitted(context, line, &font, width) });
        let text = lines.collect::<Vec<String>>().join("\n");
        let galley = context.fonts_mut(|fonts| fonts.layout(text, font, color, width));
        let required = !matches!(label.weight, LabelWeight::Plain | LabelWeight::Faint);
        let size = LabelBox { at, radius, size: galley.size() + 2.0 * PADDING, required, below };
        names.push(WrittenLabel { size, galley, color, weight: label.weight });
    }
    let links = links(viewer).into_iter().filter_map(|[a, b]| Some([project(a)?.0, project(b)?.0])).collect();
    let obstacles = Obstacles { window, panels: panel_areas(context), links };
    let boxes: Vec<LabelBox> = names.iter().map(|name| name.size).collect();
    let frames = place_labels(&boxes, &obstacles).into_iter().zip(names);
    frames.filter_map(|(frame, name)| Some((frame?, name))).collect()
}

/// The width of captions that stand in one row, points: none reaches into the column of its neighbour.
fn column<'a>(captions: impl Iterator<Item = &'a Label>, project: impl Fn(DVec3) -> Option<(Pos2, f64)>) -> f32 {
    let places: Vec<f32> = captions.filter_map(|label| Some(project(label.place)?.0.x)).collect();
    let gaps = places.windows(2).map(|pair| (pair[1] - pair[0]).abs() - 2.0 * PADDING.x - TIGHT);
    gaps.fold(MAX_WIDTH, f32::min)
}

fn links(viewer: &Viewer) -> Vec<[DVec3; 2]> {
    let session = viewer.session();
    let skeleton = &session.scene().skeleton;
    let mut links = session.lesson().map(lesson_links).unwrap_or_default();
    links.extend(session.race().into_iter().flat_map(|race| race_links(viewer, race)));
    if skeleton.len() <= MAX_AVOIDED {
        let (frames, covered) = (skeleton.frames(session.displayed()), session.covered());
        let seen = skeleton.joints().iter().enumerate().filter(|(i, _)| !covered.contains(i));
        let seen = seen.filter_map(|(i, joint)| Some([frames[joint.parent?].position, frames[i].position]));
        links.extend(seen);
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hud::{Info, apply_theme, free_area, hud};
    use crate::view::{Display, HeldKeys, Modifiers};
    use egui::vec2;
    use fabrik3d_scene::{OpenOptions, Scene};

    /// The labels of an open lesson, with the panels of the window.
    fn names(viewer: &mut Viewer, size: egui::Vec2) -> (Context, Vec<(Rect, WrittenLabel)>) {
        let context = Context::default();
        apply_theme(&context, viewer.display().theme);
        let info = Info { interactive: true, ..Info::default() };
        viewer.set_free_area(free_area(viewer, [size.x.into(), size.y.into()]));
        for _ in 0..120 {
            viewer.tick(1.0 / 60.0, &mut HeldKeys::default(), Modifiers::default());
        }
        for pass in 0..3 {
            let screen_rect = Some(Rect::from_min_size(Pos2::ZERO, size));
            let input = egui::RawInput { screen_rect, time: Some(f64::from(pass)), ..egui::RawInput::default() };
            let _ = context.run(input, |context| drop(hud(context, viewer, &info, |_| None)));
        }
        let placed = placed(&context, viewer, teaching(viewer));
        (context, placed)
    }

    #[test]
    fn lesson_labels_do_not_overlap_and_joints_of_the_step_have_one() {
        let root = crate::test_scenes::root();
        let folder = std::fs::read_dir(root.join("assets/scenes")).expect("scenes");
        let files: Vec<_> = folder.map(|entry| entry.expect("an entry").path()).collect();
        // A robot with names as long as those of drivers.
        let robot = root.join("assets/models/robot-arm.urdf");
        let text =
            std::fs::read_to_string(&robot).expect("reads").replace("\" type=", "_of_the_left_arm_joint\" type=");
        let named = Scene::from_bytes(text.into_bytes(), &robot, &OpenOptions::default()).expect("reads");
        let scenes = files.into_iter().map(|file| (Scene::open(&file).expect("reads"), file));
        let (mut pictures, mut words) = (0, 0);
        for (scene, file) in scenes.chain([(named, robot)]) {
            for size in [vec2(1280.0, 720.0), vec2(600.0, 400.0)] {
                let mut viewer = Viewer::new(scene.clone(), Display::default(), f64::from(size.x / size.y));
                let give = |viewer: &mut Viewer, words: &str| viewer.apply(words.parse().expect("a command")).is_ok();
                give(&mut viewer, "step.unit joint");
                if !give(&mut viewer, "step.to 0") {
                    continue;
                }
                let steps = viewer.session().lesson().expect("is open").len();
                for step in (0..steps.min(60)).step_by(3) {
                    give(&mut viewer, &format!("step.to {step}"));
                    let (context, placed) = names(&mut viewer, size);
                    let what = format!("{} step {step} at {size}", file.display());
                    let panels = panel_areas(&context);
                    for (at, (frame, _)) in placed.iter().enumerate() {
                        for other in placed[..at].iter().map(|(other, _)| other).chain(&panels) {
                            assert!(!frame.intersect(*other).is_positive(), "{what}: {frame:?} {other:?}");
                        }
                    }
                    let step = viewer.session().lesson().expect("is open").step();
                    let is_named = |text: &str| placed.iter().any(|(_, name)| name.galley.text() == text);
                    let slide = step.slide().filter(|_| step.branch_positions().len() < 2);
                    let told = step.node().into_iter().chain(slide.map(|slide| slide.anchor));
                    // In a small window, the panels may cover the joints.
                    let mut told = told.map(|node| step.label(node)).filter(|_| size.x > 1000.0);
                    assert!(told.all(|name| is_named(&name)), "{what}: a joint that its text names has no label");
                    (pictures, words) = (pictures + 1, words + placed.len());
                }
            }
        }
        assert!(pictures > 200 && words > 3 * pictures, "{words} names in {pictures} pictures");
    }
}
