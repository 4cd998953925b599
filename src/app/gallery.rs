//! Pictures of the examples, for the dialog that opens scenes and the card of the first start: drawn by the program itself, one in a
//! frame, while they are wanted and nothing moves.

use super::environment::AppError;
use super::window::OpenWindow;
use crate::examples::{self, EXAMPLES, PREFIX};
use egui::{ColorImage, Context, TextureHandle, TextureOptions};
use fabrik3d_scene::OpenOptions;
use fabrik3d_viewer::hud::{Card, Shelf};
use fabrik3d_viewer::view::Theme;
use std::path::PathBuf;

/// The pictures that are drawn so far, in the order of the examples.
#[derive(Default)]
pub(super) struct Gallery {
    theme: Theme,
    pictures: Vec<Option<TextureHandle>>,
}

impl Gallery {
    /// The recent files and the examples.
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

    /// Draws the picture of the next example that has none in this theme. After one that cannot be drawn no other is tried.
    pub fn draw_next(&mut self, live: &mut OpenWindow, context: &Context, theme: Theme) -> Result<(), AppError> {
        if self.theme != theme {
            *self = Gallery { theme, pictures: Vec::new() };
        }
        let Some((name, _)) = EXAMPLES.get(self.pictures.len()) else { return Ok(()) };
        // All examples can be read: tests do so.
        let scene = examples::open(format!("{PREFIX}{name}"), &OpenOptions::default());
        let drawn = scene.ok().map(|scene| live.thumbnail(scene, theme)).transpose();
        let picture = drawn.inspect_err(|_| self.pictures.resize(EXAMPLES.len(), None))?;
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
