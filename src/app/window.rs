//! The window and its OpenGL objects.

use super::environment::{AppError, WindowError, catch_panic};
use super::wake::Wake;
use crate::record::{Darkroom, Shot, unmultiplied};
use crate::render::{
    DrawError, GuiPainter, Panels, Picture, Renderer, Resolution, Samples, Screen, Targets, is_software,
};
use egui::ViewportId;
use fabrik3d_scene::Scene;
use fabrik3d_viewer::hud::{self, PICTURE};
use fabrik3d_viewer::session::command::{DisplayCommand, Show};
use fabrik3d_viewer::session::numbers::FRAME;
use fabrik3d_viewer::view::frame::Quality;
use fabrik3d_viewer::view::{Display, Frame, HeldKeys, LoadedMeshes, Modifiers, Theme, Viewer};
use glium::backend::{Context, Facade};
use glutin::config::{Config, ConfigTemplateBuilder, GlConfig};
use glutin::context::{
    ContextApi, ContextAttributesBuilder, GlProfile, NotCurrentContext, NotCurrentGlContext, Version,
};
use glutin::display::{GetGlDisplay, GlDisplay};
use glutin::surface::{GlSurface, Surface, SurfaceAttributesBuilder, SwapInterval, WindowSurface};
use glutin_winit::{ApiPreference, DisplayBuilder};
use image::RgbaImage;
use raw_window_handle::HasWindowHandle;
use std::num::NonZeroU32;
use std::rc::Rc;
use winit::dpi::LogicalSize;
use winit::event_loop::{ActiveEventLoop, EventLoopProxy};
use winit::window::{Icon, Window};

/// An open window with its OpenGL objects. The order of the fields is the drop order: users of the context before the
/// context, the window last.
pub(super) struct OpenWindow {
    pub painter: GuiPainter,
    pub screen: Screen,
    pub gui: egui_winit::State,
    renderer: Renderer,
    meshes: LoadedMeshes,
    /// What draws pictures without panels, from the first one on.
    darkroom: Option<Darkroom>,
    display: glium::Display<WindowSurface>,
    pub window: Window,
    /// The size in physical pixels after the last resize. Querying the size of a destroyed X window panics.
    pub size: (u32, u32),
    pub title: String,
    pub renderer_name: String,
    quality: Quality,
}

/// Most frames until a scene in a small picture rests, and pixels of the picture per point.
const MOST_FRAMES: usize = 120;
const DETAIL: f32 = 2.0;
/// Fraction of the screen height reserved for the title bar and the bars of the desktop.
const BARS: f64 = 0.07;

/// A window size in logical pixels, limited to the screen.
pub(super) fn within_screen(event_loop: &ActiveEventLoop, (width, height): (u32, u32)) -> (u32, u32) {
    let screen = event_loop.primary_monitor().or_else(|| event_loop.available_monitors().next());
    let Some(screen) = screen.filter(|screen| screen.size().width > 0) else { return (width, height) };
    let room = screen.size().to_logical::<f64>(screen.scale_factor());
    (width.min(room.width as u32), height.min(((1.0 - BARS) * room.height) as u32))
}

impl OpenWindow {
    pub fn new(event_loop: &ActiveEventLoop, size: (u32, u32), wake: EventLoopProxy<Wake>) -> Result<Self, AppError> {
        let attributes = Window::default_attributes()
            .with_title("fabrik3d")
            .with_inner_size(LogicalSize::new(f64::from(size.0), f64::from(size.1)))
            .with_min_inner_size(LogicalSize::new(hud::SMALLEST.x, hud::SMALLEST.y))
            // Assistive technology must know of it before it is shown.
            .with_visible(false)
            .with_window_icon(icon());
        // The window surface is plain: the renderer's targets have multisampling, depth and HDR.
        let template = ConfigTemplateBuilder::new().with_alpha_size(0).with_depth_size(0).with_stencil_size(0);
        let builder =
            DisplayBuilder::new().with_preference(ApiPreference::FallbackEgl).with_window_attributes(Some(attributes));
        // The callback must return a configuration: if there is none, it can only panic.
        let built = catch_panic(|| {
            builder.build(event_loop, template, |configs| {
                let key =
                    |config: &Config| (config.num_samples(), config.srgb_capable(), !config.hardware_accelerated());
                configs.min_by_key(key).expect("the display offers no configuration")
            })
        });
        let (window, config) =
            built.map_err(WindowError::at("choose a display"))?.map_err(WindowError::at("choose a display"))?;
        let window = window.ok_or("none was created").map_err(WindowError::at("create the window"))?;
        let inner: (u32, u32) = window.inner_size().into();
        let (context, surface) = create_context(&window, &config, inner)?;
        let context = context.make_current(&surface).map_err(WindowError::at("use the context"))?;
        // Without vertical synchronisation, pictures may tear.
        let _ = surface.set_swap_interval(&context, SwapInterval::Wait(NonZeroU32::MIN));
        let display = glium::Display::new(context, surface).map_err(WindowError::at("start glium"))?;
        let shared = display.get_context().clone();
        let renderer_name = shared.get_opengl_renderer_string().to_owned();
        let (quality, samples) =
            if is_software(&shared) { (Quality::Fast, Samples::One) } else { (Quality::Fine, Samples::Four) };
        let renderer = Renderer::new(shared.clone())?;
        let painter = GuiPainter::new(&shared)?;
        let screen = Screen::new(&shared, inner, samples)?;
        let (scale, side) = (Some(window.scale_factor() as f32), Some(painter.max_texture_side()));
        let context = egui::Context::default();
        let mut gui = egui_winit::State::new(context, ViewportId::ROOT, &window, scale, window.theme(), side);
        gui.init_accesskit(event_loop, &window, wake);
        window.set_visible(true);
        Ok(OpenWindow {
            meshes: LoadedMeshes::default(),
            darkroom: None,
            painter,
            screen,
            gui,
            renderer,
            display,
            window,
            size: inner,
            title: String::new(),
            renderer_name,
            quality,
        })
    }

    /// Whether OpenGL runs on the processor.
    pub fn is_software(&self) -> bool {
        self.quality == Quality::Fast
    }

    pub fn resize(&mut self, size: (u32, u32)) {
        self.size = size;
        self.display.resize(size);
    }

    /// Uploads the meshes of a new scene to the renderer.
    pub fn upload_meshes(&mut self, scene: &Scene) -> Result<(), AppError> {
        if let Some(meshes) = self.meshes.fresh(scene) {
            self.renderer.set_meshes(meshes)?;
        }
        Ok(())
    }

    pub fn draw(&mut self, frame: Frame, panels: Panels<'_>, resolution: Resolution) -> Result<(), DrawError> {
        self.screen.resize(self.size)?;
        // Larger text comes with wider lines.
        let line_scale = panels.pixels_per_point.max(self.window.scale_factor() as f32);
        let picture = Picture { frame, quality: self.quality, line_scale };
        // Graphics cards keep up.
        let resolution = if self.is_software() { resolution } else { Resolution::Full };
        self.screen.draw((&mut self.renderer, &mut self.painter), picture, panels, resolution)
    }

    /// A picture of the scene without panels, in the size and with the background that the display asks for.
    pub fn bare_picture(&mut self, viewer: &Viewer) -> Result<RgbaImage, AppError> {
        let context = self.display.get_context().clone();
        let factor = viewer.display().picture_size.factor(self.size);
        let side = |pixels: u32| (f64::from(pixels) * factor).round() as u32;
        let targets = Targets::new(&context, (side(self.size.0), side(self.size.1)), Samples::Four)?;
        let pixels_per_point = self.window.scale_factor();
        let point = |pixels: u32| (f64::from(pixels) / pixels_per_point).round() as u32;
        let shot = Shot {
            size: (point(self.size.0), point(self.size.1)),
            scale: (pixels_per_point * factor) as f32,
            quality: Quality::Fine,
            transparent: viewer.display().transparent,
            time: 0.0,
        };
        let picture = self.darkroom(&context)?.develop(&viewer.without_panels(), &targets, shot)?;
        Ok(if shot.transparent { unmultiplied(picture) } else { picture })
    }

    /// A small picture of a scene at rest, for the dialog that opens scenes.
    pub fn thumbnail(&mut self, scene: Scene, theme: Theme) -> Result<RgbaImage, AppError> {
        let context = self.display.get_context().clone();
        let display = Display::default().with(Show::Hud, false).after(&DisplayCommand::Theme(theme));
        let mut viewer = Viewer::new(scene, display, f64::from(PICTURE.x / PICTURE.y));
        for _ in 0..MOST_FRAMES {
            viewer.tick(FRAME, &mut HeldKeys::default(), Modifiers::default());
            if !viewer.is_moving() {
                break;
            }
        }
        viewer.take_whole_picture();
        let size = [PICTURE.x, PICTURE.y].map(|side| (side * DETAIL) as u32);
        let targets = Targets::new(&context, size.into(), Samples::Four)?;
        let shot = Shot {
            size: (PICTURE.x as u32, PICTURE.y as u32),
            scale: DETAIL,
            quality: Quality::Fine,
            transparent: false,
            time: 0.0,
        };
        Ok(self.darkroom(&context)?.develop(&viewer, &targets, shot)?)
    }

    /// What draws pictures beside that of the window.
    fn darkroom(&mut self, context: &Rc<Context>) -> Result<&mut Darkroom, AppError> {
        let darkroom = match self.darkroom.take() {
            Some(darkroom) => darkroom,
            None => {
                let (renderer, painter) = (Renderer::new(context.clone())?, GuiPainter::new(context)?);
                Darkroom::new(renderer, painter, self.renderer_name.clone())
            }
        };
        Ok(self.darkroom.insert(darkroom))
    }

    /// Presents the last picture in the window.
    pub fn show(&mut self) -> Result<(), AppError> {
        let screen = self.display.draw();
        let shown = self.screen.show(&screen);
        self.window.pre_present_notify();
        // Finish the frame even after an error: glium panics if a frame is dropped.
        screen.finish().map_err(WindowError::at("show the picture"))?;
        Ok(shown?)
    }
}

fn icon() -> Option<Icon> {
    let image = image::load_from_memory(include_bytes!("../../assets/icon.png")).ok()?.into_rgba8();
    let (width, height) = image.dimensions();
    Icon::from_rgba(image.into_raw(), width, height).ok()
}

/// Creates an OpenGL 3.3 core context and a surface for `window`, not yet current. The window must outlive both.
#[allow(unsafe_code, reason = "glutin's constructors require a valid window handle")]
fn create_context(
    window: &Window,
    config: &Config,
    (width, height): (u32, u32),
) -> Result<(NotCurrentContext, Surface<WindowSurface>), WindowError> {
    let handle = window.window_handle().map_err(WindowError::at("get the window handle"))?.as_raw();
    let at_least_one = |pixels: u32| NonZeroU32::new(pixels).unwrap_or(NonZeroU32::MIN);
    let surface = SurfaceAttributesBuilder::<WindowSurface>::new().with_srgb(Some(false)).build(
        handle,
        at_least_one(width),
        at_least_one(height),
    );
    let context = ContextAttributesBuilder::new()
        .with_context_api(ContextApi::OpenGl(Some(Version::new(3, 3))))
        .with_profile(GlProfile::Core)
        .build(Some(handle));
    let display = config.display();
    // SAFETY: the handle comes from a window that is alive; `OpenWindow` drops the surface before it.
    let surface =
        unsafe { display.create_window_surface(config, &surface) }.map_err(WindowError::at("create a surface"))?;
    // SAFETY: as above.
    let context =
        unsafe { display.create_context(config, &context) }.map_err(WindowError::at("create an OpenGL 3.3 context"))?;
    Ok((context, surface))
}
