//! A viewer with a headless renderer.

use super::darkroom::{Darkroom, Shot, unmultiplied};
use super::error::{RecordError, SaveError};
use crate::render::{DrawError, GuiPainter, Headless, Renderer, Samples, Targets};
use fabrik3d_scene::{FileDraft, Scene, printable};
use fabrik3d_viewer::hud;
use fabrik3d_viewer::session::command::AppCommand;
use fabrik3d_viewer::session::script::Script;
use fabrik3d_viewer::session::{Command, Content, FileCommand, Playback, Remark};
use fabrik3d_viewer::view::frame::Quality;
use fabrik3d_viewer::view::trace::Trace;
use fabrik3d_viewer::view::{Display, HeldKeys, Modifiers, Viewer};
use image::imageops::FilterType;
use image::{DynamicImage, RgbaImage};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Options of a recording.
pub struct Options {
    /// The scene.
    pub scene: Scene,
    /// Theme, font scale and visible things.
    pub display: Display,
    /// Size of the picture in logical pixels.
    pub size: (u32, u32),
    /// Pixels per logical pixel in each direction.
    pub scale: f32,
    /// Whether the picture has no background.
    pub transparent: bool,
    /// Commands executed before the first picture.
    pub opening: Vec<Command>,
    /// The script to play.
    pub script: Script,
    /// The trace.
    pub trace: Option<Trace>,
    /// The output file; its extension selects the format: png, gif or mp4.
    pub out: PathBuf,
    /// Duration in seconds. `None`: until the script has ended and nothing moves.
    pub seconds: Option<f64>,
    /// Frames per second. `None`: 25 for GIF, 30 for MP4.
    pub fps: Option<f64>,
}

/// Rendered pixels per pixel of the picture in each direction.
const SUPERSAMPLING: u32 = 2;

/// Runs a session with a fixed clock and renders pictures of it.
pub(super) struct Studio {
    pub viewer: Viewer,
    script: Script,
    trace: Option<Trace>,
    size: (u32, u32),
    quality: Quality,
    scale: f32,
    transparent: bool,
    darkroom: Darkroom,
    targets: Targets,
    time: f64,
    held: HeldKeys,
}

impl Studio {
    pub fn new(options: Options, quality: Quality, samples: Samples) -> Result<Self, RecordError> {
        let (width, height) = options.size;
        let mut viewer = Viewer::new(options.scene, options.display, f64::from(width) / f64::from(height.max(1)))
            .with_host(crate::host::host());
        for command in options.opening {
            viewer.apply(command)?;
        }
        if let Some(remark) = viewer.session().motion().and_then(Playback::remark) {
            eprintln!("warning: {}", printable(&remark.to_string()));
        }
        let context = Headless::new()?.context().clone();
        let renderer_name = context.get_opengl_renderer_string().to_owned();
        let (width, height) = scaled(options.size, options.scale);
        Ok(Studio {
            viewer,
            script: options.script,
            trace: options.trace,
            size: options.size,
            quality,
            scale: options.scale,
            transparent: options.transparent,
            darkroom: Darkroom::new(Renderer::new(context.clone())?, GuiPainter::new(&context)?, renderer_name),
            targets: Targets::new(&context, (width * SUPERSAMPLING, height * SUPERSAMPLING), samples)?,
            time: 0.0,
            held: HeldKeys::default(),
        })
    }

    /// Executes due script commands, including screenshots, and advances the time by `dt` seconds. Returns whether the
    /// script ends the program.
    pub fn tick(&mut self, dt: f64) -> Result<bool, RecordError> {
        let mut quit = false;
        for command in self.script.due(self.time) {
            let has_remark = matches!(command, Command::Session(_) | Command::Display(_));
            match self.viewer.apply(command) {
                Ok(Some(AppCommand::Quit)) => quit = true,
                Ok(Some(AppCommand::Screenshot(content, path))) => {
                    let path = path.unwrap_or_else(|| PathBuf::from("fabrik3d.png"));
                    let picture = match content {
                        Content::Scene => self.bare_picture()?,
                        Content::Window => self.picture()?,
                    };
                    save_png(&path, &picture)?;
                }
                Ok(Some(AppCommand::File(FileCommand::Save(Some(path))))) => {
                    self.viewer.scene_now().save(&path)?;
                }
                Ok(Some(AppCommand::File(command))) => {
                    let name = match command {
                        FileCommand::Open(_) => "open",
                        FileCommand::Save(_) => "save",
                        FileCommand::AskForMotion => "motion.open",
                        FileCommand::Record(..) => "record",
                    };
                    self.warn(&format!("`{name}` works only in the window"));
                }
                Ok(None) if has_remark => {
                    let remark = self.viewer.remark();
                    if let Some(remark) = remark.filter(|it| !matches!(it, Remark::Freed(_) | Remark::Fixed(_))) {
                        eprintln!("note: script at {:.3} s: {}", self.time, printable(&remark.to_string()));
                    }
                }
                Ok(_) => {}
                Err(error) => self.warn(&error.to_string()),
            }
        }
        crate::host::panic_if_asked();
        self.arrange();
        self.time += dt;
        self.viewer.tick(dt, &mut self.held, Modifiers::default());
        if let Some(trace) = &mut self.trace {
            trace.record(&self.viewer, 0.0).map_err(RecordError::Trace)?;
        }
        Ok(quit)
    }

    fn warn(&self, text: &str) {
        eprintln!("warning: script at {:.3} s: {}", self.time, printable(text));
    }

    /// Duration of the playing motion at its speed in seconds; `None` if none is playing.
    pub fn motion_seconds(&self) -> Option<f64> {
        let session = self.viewer.session();
        let playback = session.motion().filter(|playback| playback.playing)?;
        Some(playback.duration() / (playback.speed * session.speed()))
    }

    /// Whether nothing moves and the script has ended.
    pub fn at_rest(&self) -> bool {
        self.script.is_over() && !self.viewer.is_moving()
    }

    /// Writes the rest of the trace.
    pub fn finish(mut self) -> Result<(), RecordError> {
        self.trace.as_mut().map_or(Ok(()), |trace| trace.flush()).map_err(RecordError::Trace)
    }

    /// Updates the free area of the viewer, as the window does before each frame.
    fn arrange(&mut self) {
        let zoom = f64::from(self.viewer.display().font_scale);
        let points = [f64::from(self.size.0) / zoom, f64::from(self.size.1) / zoom];
        self.viewer.set_free_area(hud::free_area(&self.viewer, points));
    }

    /// Renders the current picture, with panels unless they are hidden.
    pub fn picture(&mut self) -> Result<RgbaImage, DrawError> {
        self.arrange();
        let shot = self.shot();
        let image = self.darkroom.develop(&self.viewer, &self.targets, shot)?;
        Ok(self.finished(image))
    }

    /// Renders the current picture of the scene alone.
    fn bare_picture(&mut self) -> Result<RgbaImage, DrawError> {
        let shot = self.shot();
        let image = self.darkroom.develop(&self.viewer.without_panels(), &self.targets, shot)?;
        Ok(self.finished(image))
    }

    fn shot(&self) -> Shot {
        let scale = SUPERSAMPLING as f32 * self.scale;
        let Studio { size, quality, transparent, time, .. } = *self;
        Shot { size, scale, quality, transparent, time }
    }

    /// A rendered picture in the size of the file.
    fn finished(&self, image: RgbaImage) -> RgbaImage {
        let image = resized(image, scaled(self.size, self.scale));
        if self.transparent { unmultiplied(image) } else { image }
    }
}

/// The picture in another size. The function of `image` for pictures of any kind is compiled there, and so for speed in all profiles.
pub(super) fn resized(image: RgbaImage, (width, height): (u32, u32)) -> RgbaImage {
    DynamicImage::from(image).resize_exact(width, height, FilterType::Triangle).into_rgba8()
}

/// A size in pixels, times a factor.
pub(super) fn scaled((width, height): (u32, u32), factor: f32) -> (u32, u32) {
    let side = |pixels: u32| (f64::from(pixels) * f64::from(factor)).round() as u32;
    (side(width), side(height))
}

/// Saves a picture. The file appears only once it is complete.
pub fn save_png(path: &Path, image: &RgbaImage) -> Result<(), SaveError> {
    write_png(FileDraft::new(path).map_err(SaveError::at(path))?, path, image)
}

/// Writes a picture to a temporary file and gives it its name.
pub(super) fn write_png(mut file: FileDraft, path: &Path, image: &RgbaImage) -> Result<(), SaveError> {
    let mut writer = BufWriter::new(&mut file);
    let encoder = image::codecs::png::PngEncoder::new(&mut writer);
    let written = match image.pixels().all(|pixel| pixel.0[3] == 255) {
        // For opaque pictures three channels are enough, and more widely supported.
        true => DynamicImage::ImageRgba8(image.clone()).into_rgb8().write_with_encoder(encoder),
        false => image.write_with_encoder(encoder),
    };
    written.map_err(SaveError::at(path))?;
    writer.flush().map_err(SaveError::at(path))?;
    drop(writer);
    file.keep().map_err(SaveError::at(path))
}
