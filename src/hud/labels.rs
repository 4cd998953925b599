//! Names of joints and effectors, beside them in the picture.

use super::areas;
use super::tags::{ROOM, Scenery, Tag, arranged};
use crate::session::numbers::digits;
use crate::view::Stage;
use crate::view::lesson::{Label, LabelWeight, labels as lesson_labels, links as lesson_links};
use crate::view::race::labels as race_labels;
use crate::view::wishes::OPEN;
use egui::text::{LayoutJob, TextWrapping};
use egui::{Color32, Context, FontId, Galley, LayerId, Order, Pos2, Rect, Stroke, vec2};
use glam::DVec3;
use std::sync::Arc;

/// Joints above this number go unnamed: the picture would be all text.
const MOST: usize = 120;

/// Names of all joints and targets. What a lesson or a race shows in its own way has its names from there.
pub(super) fn names(stage: &Stage) -> Vec<Label> {
    let session = stage.session();
    let skeleton = &session.scene().skeleton;
    let covered = session.covered();
    let mut labels = Vec::new();
    if session.targets().len() <= MOST {
        for (effector, target) in session.scene().effectors.iter().zip(session.targets()) {
            if let Some(place) = target.position {
                let text = effector.name.clone();
                labels.push(Label { place, radius: 0.0, text, weight: LabelWeight::Strong });
            }
        }
    }
    if skeleton.len() <= MOST {
        let frames = skeleton.frames(session.displayed());
        for (i, joint) in skeleton.joints().iter().enumerate().filter(|(i, _)| !covered.contains(i)) {
            let (place, text) = (frames[i].position, joint.name.clone());
            labels.push(Label { place, radius: 0.0, text, weight: LabelWeight::Plain });
        }
    }
    labels
}

/// How far apart the points of each loop are that gapes.
pub(super) fn gaps(stage: &Stage) -> Vec<Label> {
    let session = stage.session();
    let frames = session.scene().skeleton.frames(session.displayed());
    let ends = session.scene().loops.iter().map(|(a, b)| [a, b].map(|end| frames[end.joint].point(end.point)));
    let open = ends.filter(|[a, b]| a.distance(*b) > OPEN * f64::from(stage.extent().radius));
    let label = open.map(|[a, b]| Label {
        place: a.midpoint(b),
        radius: 0.0,
        text: format!("open by {}", digits(a.distance(b))),
        weight: LabelWeight::Strong,
    });
    label.collect()
}

/// The names that go with an open lesson or race.
pub(super) fn teaching(stage: &Stage) -> Vec<Label> {
    let lesson = stage.session().lesson().map(|lesson| lesson_labels(stage, lesson));
    let race = stage.session().race().map(|race| race_labels(stage, race));
    lesson.or(race).unwrap_or_default()
}

/// Distance of a name from the place that it names, points: at least, and at most where something large stands there.
const BESIDE: [f32; 2] = [9.0, 40.0];
/// From this distance on, beyond what stands there, a line leads from the name to its place.
const LED: f32 = 12.0;
/// Widest name, points; longer ones end in an ellipsis.
const WIDEST: f32 = 150.0;
/// Links of a figure with more joints than this are not kept clear of names: they would leave them no place.
const MOST_LINKS: usize = 200;

/// A name in its place.
pub(super) struct Placed {
    /// What it names.
    at: Pos2,
    near: f32,
    /// Where it is written.
    pub frame: Rect,
    galley: Arc<Galley>,
    color: Color32,
}

/// Writes names over the picture, under the panels.
pub(super) fn write(context: &Context, stage: &Stage, labels: Vec<Label>) {
    let painter = context.layer_painter(LayerId::new(Order::Background, egui::Id::new("labels")));
    let halo = match context.style().visuals.dark_mode {
        true => Color32::from_black_alpha(170),
        false => Color32::from_white_alpha(190),
    };
    for Placed { at, near, frame, galley, color } in placed(context, stage, labels) {
        let corner = frame.clamp(at);
        if corner.distance(at) > near * 1.5 + LED {
            painter.line_segment([at, corner], Stroke::new(1.0, color.gamma_multiply(0.6)));
        }
        painter.rect_filled(frame, 3.0, halo);
        painter.galley(frame.min + ROOM, galley, color);
    }
}

/// Names in their places, the first ones nearest to theirs: none over another, over a panel or, where it can be helped, over
/// the figure. Those that find no place are left out.
pub(super) fn placed(context: &Context, stage: &Stage, labels: Vec<Label>) -> Vec<Placed> {
    let window = context.content_rect();
    let text = if context.style().visuals.dark_mode { Color32::from_gray(235) } else { Color32::from_gray(30) };
    let project = |place: DVec3| {
        let shown = stage.space().shown(place).to_array();
        let [x, y] = stage.camera().project(shown, stage.lens())?;
        let at = window.min + vec2(x as f32 + 1.0, 1.0 - y as f32) * 0.5 * window.size();
        Some((at, stage.camera().pixel_at(shown, f64::from(window.height()))))
    };
    let mut names = Vec::new();
    for label in labels {
        let (points, color) = match label.weight {
            LabelWeight::Caption | LabelWeight::Strong => (13.0, text),
            LabelWeight::Plain => (11.5, text),
            LabelWeight::Faint => (11.5, text.gamma_multiply(0.7)),
        };
        let Some((at, pixel)) = project(label.place) else { continue };
        let near = ((0.75 * label.radius / pixel.max(1e-12)) as f32).clamp(BESIDE[0], BESIDE[1]);
        let mut job = LayoutJob::simple_singleline(label.text, FontId::proportional(points), color);
        job.wrap = TextWrapping::truncate_at_width(WIDEST);
        let galley = context.fonts_mut(|fonts| fonts.layout_job(job));
        let below = label.weight == LabelWeight::Caption;
        let must = below || label.weight == LabelWeight::Strong;
        names.push((color, Tag { at, near, size: galley.size() + 2.0 * ROOM, must, below }, galley));
    }
    let links = links(stage).into_iter().filter_map(|[a, b]| Some([project(a)?.0, project(b)?.0])).collect();
    let scenery = Scenery { window, panels: areas::panels(context), links };
    let tags: Vec<Tag> = names.iter().map(|(_, tag, _)| *tag).collect();
    let frames = arranged(&tags, &scenery).into_iter().zip(names);
    let placed = frames.filter_map(|(frame, (color, Tag { at, near, .. }, galley))| {
        Some(Placed { at, near, frame: frame?, galley, color })
    });
    placed.collect()
}

/// The links that are seen in the picture.
fn links(stage: &Stage) -> Vec<[DVec3; 2]> {
    let session = stage.session();
    let skeleton = &session.scene().skeleton;
    let mut links = session.lesson().map(lesson_links).unwrap_or_default();
    if skeleton.len() <= MOST_LINKS {
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
    use fabrik3d_scene::Scene;
    use std::path::Path;

    /// Where the names of an open lesson are, over panels as the window has them.
    fn names(stage: &mut Stage, size: egui::Vec2) -> (Context, Vec<Placed>) {
        let context = Context::default();
        apply_theme(&context, stage.display().theme);
        let info = Info { interactive: true, ..Info::default() };
        stage.arrange(free_area(stage, [size.x.into(), size.y.into()]));
        for _ in 0..120 {
            stage.tick(1.0 / 60.0, &mut HeldKeys::default(), Modifiers::default());
        }
        for pass in 0..3 {
            let screen_rect = Some(Rect::from_min_size(Pos2::ZERO, size));
            let input = egui::RawInput { screen_rect, time: Some(f64::from(pass)), ..egui::RawInput::default() };
            let _ = context.run(input, |context| drop(hud(context, stage, &info, |_| None)));
        }
        let placed = placed(&context, stage, teaching(stage));
        (context, placed)
    }

    #[test]
    fn names_of_a_lesson_lie_over_neither_each_other_nor_panels_and_the_step_has_its_own() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let folder = std::fs::read_dir(root.join("assets/scenes")).expect("scenes");
        let mut files: Vec<_> = folder.map(|entry| entry.expect("an entry").path()).collect();
        let robot = root.join("../shared/data/robots/ur_description/urdf/ur5_robot.urdf");
        match robot.exists() {
            true => files.push(robot),
            false => eprintln!("no {}: a robot with long names is not looked at", robot.display()),
        }
        let (mut pictures, mut words) = (0, 0);
        for file in files {
            let scene = Scene::open(&file).expect("reads");
            for size in [vec2(1280.0, 720.0), vec2(600.0, 400.0)] {
                let mut stage = Stage::new(scene.clone(), Display::default(), f64::from(size.x / size.y));
                let give = |stage: &mut Stage, words: &str| stage.apply(words.parse().expect("a command")).is_ok();
                give(&mut stage, "step.unit joint");
                if !give(&mut stage, "step.to 0") {
                    continue;
                }
                let steps = stage.session().lesson().expect("is open").len();
                for step in (0..steps.min(60)).step_by(3) {
                    give(&mut stage, &format!("step.to {step}"));
                    let (context, placed) = names(&mut stage, size);
                    let what = format!("{} step {step} at {size}", file.display());
                    let panels = areas::panels(&context);
                    for (at, name) in placed.iter().enumerate() {
                        let others = placed[..at].iter().map(|other| other.frame).chain(panels.iter().copied());
                        for other in others {
                            assert!(!name.frame.intersect(other).is_positive(), "{what}: {:?} {other:?}", name.frame);
                        }
                    }
                    let step = stage.session().lesson().expect("is open").step();
                    let is_named = |text: &str| placed.iter().any(|name| name.galley.text() == text);
                    let subject = step.node().map(|node| step.label(node));
                    // In a small window the panels may cover the joint itself.
                    let is_wide = size.x > 1000.0;
                    assert!(subject.is_none_or(|name| !is_wide || is_named(&name)), "{what}: its joint has no name");
                    (pictures, words) = (pictures + 1, words + placed.len());
                }
            }
        }
        assert!(pictures > 200 && words > 3 * pictures, "{words} names in {pictures} pictures");
    }
}
