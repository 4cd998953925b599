//! Names of joints and effectors, beside them in the picture.

use crate::view::Stage;
use crate::view::lesson::{LabelWeight, labels as lesson_labels};
use crate::view::race::labels as race_labels;
use crate::view::wishes::OPEN;
use egui::{Align2, Color32, FontId, LayerId, Order};
use glam::DVec3;

/// Joints above this number go unnamed: the picture would be all text.
const MOST: usize = 120;

/// Writes the names over the picture, under the panels.
pub(super) fn labels(context: &egui::Context, stage: &Stage) {
    let session = stage.session();
    let skeleton = &session.scene().skeleton;
    let covered = session.covered();
    if skeleton.len() <= MOST {
        let frames = skeleton.frames(session.displayed());
        for (i, joint) in skeleton.joints().iter().enumerate().filter(|(i, _)| !covered.contains(i)) {
            write(context, stage, frames[i].position, &joint.name, LabelWeight::Plain);
        }
    }
    if session.targets().len() <= MOST {
        for (effector, target) in session.scene().effectors.iter().zip(session.targets()) {
            if let Some(place) = target.position {
                write(context, stage, place, &effector.name, LabelWeight::Strong);
            }
        }
    }
}

/// Writes how far apart the points of each loop are that gapes.
pub(super) fn gaps(context: &egui::Context, stage: &Stage) {
    let session = stage.session();
    let frames = session.scene().skeleton.frames(session.displayed());
    for (a, b) in &session.scene().loops {
        let [a, b] = [a, b].map(|end| frames[end.joint].point(end.point));
        if a.distance(b) > OPEN * f64::from(stage.extent().radius) {
            write(context, stage, a.midpoint(b), &format!("open by {:.3}", a.distance(b)), LabelWeight::Plain);
        }
    }
}

/// Writes the names that go with an open lesson or race.
pub(super) fn lesson(context: &egui::Context, stage: &Stage) {
    let lesson = stage.session().lesson().map(lesson_labels);
    let race = stage.session().race().map(|race| race_labels(race, stage.space()));
    for label in lesson.or(race).unwrap_or_default() {
        write(context, stage, label.place, &label.text, label.weight);
    }
}

/// Writes one name beside a place of the world.
fn write(context: &egui::Context, stage: &Stage, place: DVec3, name: &str, weight: LabelWeight) {
    let size = context.content_rect();
    let painter = context.layer_painter(LayerId::new(Order::Background, egui::Id::new("labels")));
    let (text, halo) = if context.style().visuals.dark_mode {
        (Color32::from_gray(235), Color32::from_black_alpha(170))
    } else {
        (Color32::from_gray(30), Color32::from_white_alpha(190))
    };
    let (points, text) = match weight {
        LabelWeight::Strong => (13.0, text),
        LabelWeight::Plain => (11.5, text),
        LabelWeight::Faint => (11.5, text.gamma_multiply(0.7)),
    };
    let shown = stage.space().shown(place).to_array();
    let Some([x, y]) = stage.camera().project(shown, stage.lens()) else { return };
    let at = egui::pos2(
        size.left() + (x as f32 + 1.0) * 0.5 * size.width() + 9.0,
        size.top() + (1.0 - y as f32) * 0.5 * size.height() - 9.0,
    );
    let galley = painter.layout_no_wrap(name.to_owned(), FontId::proportional(points), text);
    let frame = Align2::LEFT_BOTTOM.anchor_size(at, galley.size()).expand2(egui::vec2(3.0, 1.0));
    painter.rect_filled(frame, 3.0, halo);
    painter.galley(frame.min + egui::vec2(3.0, 1.0), galley, text);
}
