//! Pictures of the examples, for the dialog that opens scenes: drawn by the program itself, one in a frame, when the dialog is
//! first open.

use super::dialog::{Card, Shelf};
use super::environment::AppError;
use super::window::OpenWindow;
use crate::examples::{self, EXAMPLES, PREFIX};
use egui::{ColorImage, Context, TextureHandle, TextureOptions};
use fabrik3d_scene::OpenOptions;
use fabrik3d_viewer::view::Theme;
use std::path::PathBuf;

/// The pictures that are drawn so far, in the order of the examples.
#[derive(Default)]
pub(super) struct Gallery {
    theme: Theme,
    pictures: Vec<Option<TextureHandle>>,
}

impl Gallery {
    /// What the dialog that opens scenes offers: the recent files and the examples.
    pub fn shelf(&self, recent: Vec<PathBuf>) -> Shelf {
        let lines = examples::titles().iter().zip(examples::summaries()).enumerate();
        let cards = lines.map(|(at, ((path, title), line))| Card {
            path: path.into(),
            title: title.clone(),
            line: line.clone(),
            picture: self.pictures.get(at).and_then(Option::as_ref).map(TextureHandle::id),
        });
        Shelf { cards: cards.collect(), recent }
    }

    /// Draws the picture of the next example that has none in this theme.
    pub fn draw_next(&mut self, live: &mut OpenWindow, context: &Context, theme: Theme) -> Result<(), AppError> {
        if self.theme != theme {
            *self = Gallery { theme, pictures: Vec::new() };
        }
        let Some((name, _)) = EXAMPLES.get(self.pictures.len()) else { return Ok(()) };
        // All examples can be read: tests do so.
        let scene = examples::open(format!("{PREFIX}{name}"), &OpenOptions::default());
        let picture = scene.ok().map(|scene| live.thumbnail(scene, theme)).transpose()?;
        let texture = picture.map(|picture| {
            let size = [picture.width() as usize, picture.height() as usize];
            let image = ColorImage::from_rgba_unmultiplied(size, picture.as_raw());
            context.load_texture(*name, image, TextureOptions::LINEAR)
        });
        self.pictures.push(texture);
        live.window.request_redraw();
        Ok(())
    }
}
