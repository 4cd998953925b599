//! Pictures of a viewer in any size, with the labels and, where they are shown, the panels: of windows and without one.

use crate::render::{DrawError, GuiPainter, Renderer, Targets};
use fabrik3d_viewer::hud::{self, Info, apply_theme};
use fabrik3d_viewer::view::frame::Quality;
use fabrik3d_viewer::view::{LoadedMeshes, Viewer};
use image::RgbaImage;

/// Draws pictures of viewers. Owns everything that stays on the graphics card between them.
pub struct Darkroom {
    renderer: Renderer,
    meshes: LoadedMeshes,
    gui: GuiPainter,
    egui: egui::Context,
    renderer_name: String,
}

/// How a picture is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Shot {
    /// Size in logical pixels: panels and labels are laid out for it.
    pub size: (u32, u32),
    /// Drawn pixels per logical pixel in each direction.
    pub scale: f32,
    /// Rendering effort.
    pub quality: Quality,
    /// Whether there is no background.
    pub transparent: bool,
    /// The time for the animations of panels, seconds.
    pub time: f64,
}

impl Darkroom {
    /// A darkroom with a renderer and a painter of the same context, and the name of what draws.
    #[must_use]
    pub fn new(renderer: Renderer, gui: GuiPainter, renderer_name: String) -> Self {
        Darkroom { renderer, meshes: LoadedMeshes::default(), gui, egui: egui::Context::default(), renderer_name }
    }

    /// Draws the present picture of a viewer, whose free area is set, into targets of the size of the shot. Returns it, top row
    /// first; if it is transparent, its colours are multiplied by their opacity.
    ///
    /// # Errors
    /// If the driver cannot draw.
    pub fn develop(&mut self, viewer: &Viewer, targets: &Targets, shot: Shot) -> Result<RgbaImage, DrawError> {
        if let Some(meshes) = self.meshes.fresh(viewer.session().scene()) {
            self.renderer.set_meshes(meshes)?;
        }
        // Larger text comes with wider lines.
        let lines = shot.scale * viewer.display().font_scale.max(1.0);
        let frame = viewer.picture();
        let frame = if shot.transparent { frame.without_background() } else { frame };
        self.renderer.draw(targets, &frame, shot.quality, lines)?;
        self.draw_panels(viewer, targets, shot)?;
        targets.read()
    }

    fn draw_panels(&mut self, viewer: &Viewer, targets: &Targets, shot: Shot) -> Result<(), DrawError> {
        let info = Info { renderer: self.renderer_name.clone(), ..Info::default() };
        let zoom = viewer.display().font_scale;
        let size = egui::vec2(shot.size.0 as f32, shot.size.1 as f32) / zoom;
        let mut viewports = egui::ViewportIdMap::default();
        let viewport =
            egui::ViewportInfo { native_pixels_per_point: Some(shot.scale), ..egui::ViewportInfo::default() };
        viewports.insert(egui::ViewportId::ROOT, viewport);
        let mut output = egui::FullOutput::default();
        // The first pass measures the panels, the second their rows, and the third lays them out. A new text size needs one
        // more pass.
        let passes = if self.egui.zoom_factor() == zoom { 3 } else { 4 };
        self.egui.set_zoom_factor(zoom);
        apply_theme(&self.egui, viewer.display().theme);
        for pass in 0..passes {
            let input = egui::RawInput {
                screen_rect: Some(hud::screen(size)),
                time: Some(shot.time + f64::from(pass) * 1e-3),
                max_texture_side: Some(self.gui.max_texture_side()),
                viewports: viewports.clone(),
                ..egui::RawInput::default()
            };
            let run = self.egui.run(input, |context| {
                // Without input, the panels return no commands.
                let _ = hud::hud(context, viewer, &info, |_| None);
            });
            output.append(run);
        }
        let shapes = self.egui.tessellate(output.shapes, output.pixels_per_point);
        self.gui.paint(targets, output.pixels_per_point, &shapes, &output.textures_delta)
    }
}

/// A picture with colours that are multiplied by their opacity, as files have them: not multiplied.
#[must_use]
pub fn unmultiplied(mut picture: RgbaImage) -> RgbaImage {
    for pixel in picture.pixels_mut() {
        let [.., alpha] = pixel.0;
        if alpha > 0 && alpha < 255 {
            let whole = |color: u8| ((u32::from(color) * 255 + u32::from(alpha) / 2) / u32::from(alpha)).min(255) as u8;
            pixel.0 = [whole(pixel.0[0]), whole(pixel.0[1]), whole(pixel.0[2]), alpha];
        }
    }
    picture
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_that_were_multiplied_by_their_opacity_come_back_to_within_its_precision() {
        for alpha in 1..=255_u8 {
            for color in [0_u8, 1, 90, 200, 255] {
                let multiplied = (f64::from(color) * f64::from(alpha) / 255.0).round() as u8;
                let picture = RgbaImage::from_pixel(1, 1, image::Rgba([multiplied, 0, multiplied, alpha]));
                let [red, green, ..] = unmultiplied(picture).get_pixel(0, 0).0;
                let most = 127.5 / f64::from(alpha) + 1.0;
                assert!((f64::from(red) - f64::from(color)).abs() <= most && green == 0, "{color} at {alpha}: {red}");
            }
        }
    }
}
