//! Names of joints and effectors, beside them in the picture.

use crate::view::Stage;
use egui::{Align2, Color32, FontId, LayerId, Order};

/// Joints above this number go unnamed: the picture would be all text.
const MOST: usize = 120;

/// Writes the names over the picture, under the panels.
pub(super) fn labels(context: &egui::Context, stage: &Stage) {
    let session = stage.session();
    let skeleton = &session.scene().skeleton;
    let size = context.content_rect();
    let painter = context.layer_painter(LayerId::new(Order::Background, egui::Id::new("labels")));
    let (text, halo) = if context.style().visuals.dark_mode {
        (Color32::from_gray(235), Color32::from_black_alpha(170))
    } else {
        (Color32::from_gray(30), Color32::from_white_alpha(190))
    };
    let write = |place: glam::DVec3, name: &str, strong: bool| {
        let shown = stage.space().shown(place).to_array();
        let Some([x, y]) = stage.camera().project(shown, stage.aspect()) else { return };
        let at = egui::pos2(
            size.left() + (x as f32 + 1.0) * 0.5 * size.width() + 9.0,
            size.top() + (1.0 - y as f32) * 0.5 * size.height() - 9.0,
        );
        let font = FontId::proportional(if strong { 13.0 } else { 11.5 });
        let galley = painter.layout_no_wrap(name.to_owned(), font, text);
        let frame = Align2::LEFT_BOTTOM.anchor_size(at, galley.size()).expand2(egui::vec2(3.0, 1.0));
        painter.rect_filled(frame, 3.0, halo);
        painter.galley(frame.min + egui::vec2(3.0, 1.0), galley, text);
    };
    if skeleton.len() <= MOST {
        for (joint, frame) in skeleton.joints().iter().zip(skeleton.frames(session.displayed())) {
            write(frame.position, &joint.name, false);
        }
    }
    if session.targets().len() <= MOST {
        for (effector, target) in session.scene().effectors.iter().zip(session.targets()) {
            if let Some(place) = target.position {
                write(place, &effector.name, true);
            }
        }
    }
}
