//! What the page says and asks, and what it is told.

use crate::page::tell_page;
use egui::CursorIcon;
use fabrik3d_viewer::hud::Toasts;
use fabrik3d_viewer::page::Page;
use fabrik3d_viewer::view::Viewer;
use fabrik3d_viewer::view::trace::{Trace, TraceOn};
use serde::Deserialize;
use std::io;

/// What the page says at the start.
#[derive(Deserialize)]
pub struct Start {
    pub page: Page,
    /// Name of the graphics hardware or software.
    pub renderer: String,
    /// Whether to draw as on a graphics card, whatever draws; none: as the renderer allows.
    fine: Option<bool>,
    /// Whether the page is a part of another one, which may want to know its state.
    pub framed: bool,
}

impl Start {
    /// Reads it from JSON.
    ///
    /// # Errors
    /// It is damaged.
    pub fn read(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| format!("The scene in this page is damaged: {error}"))
    }

    /// Whether to draw as on a graphics card.
    pub fn is_fine(&self) -> bool {
        self.fine.unwrap_or(!is_software(&self.renderer))
    }
}

/// Whether no graphics card draws, by the names that browsers give their renderers.
fn is_software(renderer: &str) -> bool {
    ["SwiftShader", "llvmpipe", "Software", "Basic Render"].iter().any(|name| renderer.contains(name))
}

/// What a program or a test may ask; the answer is JSON.
#[derive(Clone, Copy, Debug)]
pub enum Ask {
    /// The targets and the displayed tips of all effectors, the step of the lesson, messages.
    State,
}

impl From<u32> for Ask {
    fn from(_: u32) -> Self {
        Ask::State
    }
}

impl Ask {
    /// The answer as JSON.
    pub fn answer(self, viewer: &Viewer, toasts: &Toasts) -> String {
        let Ask::State = self;
        let session = viewer.session();
        let targets: Vec<_> =
            (0..session.targets().len()).filter_map(|at| session.shown_target(at)).map(|at| at.to_array()).collect();
        let tips: Vec<_> = (0..session.targets().len()).map(|at| session.displayed_tip(at).to_array()).collect();
        let messages: Vec<&str> = toasts.list().iter().map(|toast| toast.text.as_str()).collect();
        let lesson = session.lesson().map(|lesson| lesson.cursor());
        serde_json::json!({
            "title": session.scene().title(), "targets": targets, "tips": tips, "lesson": lesson, "messages": messages,
            "moving": viewer.is_moving(), "meshes": session.scene().assets.meshes.len(),
            "eye": viewer.camera().eye().to_array(),
        })
        .to_string()
    }
}

/// What the page is told.
#[derive(Clone, Copy)]
pub enum Message<'a> {
    /// The viewer does not run, or no longer: why.
    Fault(&'a str),
    /// The answer to what was asked, as JSON.
    Answer(&'a str),
    /// A line with the state, as `--trace` writes it.
    Trace(&'a str),
    /// A text for the clipboard.
    Copy(&'a str),
    /// An address to open.
    Link(&'a str),
    /// The name of a cursor in CSS.
    Cursor(&'static str),
    /// The picture is to be saved by this name.
    Picture(&'a str),
    /// A file is to be saved: its name, and what is in it.
    Save(&'a str, &'a [u8]),
    /// The user chooses files to open.
    Choose,
    /// The canvas is to fill the screen, or no longer.
    Fullscreen,
}

impl Message<'_> {
    /// Tells it to the page, which knows what to do by the first word.
    pub fn tell(self) {
        let (kind, text, bytes): (_, _, &[u8]) = match self {
            Message::Fault(text) => ("fault", text, &[]),
            Message::Answer(text) => ("answer", text, &[]),
            Message::Trace(text) => ("trace", text, &[]),
            Message::Copy(text) => ("copy", text, &[]),
            Message::Link(text) => ("link", text, &[]),
            Message::Cursor(text) => ("cursor", text, &[]),
            Message::Picture(text) => ("picture", text, &[]),
            Message::Save(text, bytes) => ("save", text, bytes),
            Message::Choose => ("choose", "", &[]),
            Message::Fullscreen => ("fullscreen", "", &[]),
        };
        tell_page(kind, text, bytes);
    }
}

/// What the page has been told, and is told again when it changes.
pub struct Told {
    cursor: CursorIcon,
    /// What the page around this one learns.
    trace: Option<Trace>,
}

impl Told {
    /// `framed`: whether another page is around this one.
    pub fn new(framed: bool) -> Self {
        let trace = || Trace::new(Box::<TraceLines>::default(), TraceOn::Change);
        Told { cursor: CursorIcon::Default, trace: framed.then(trace) }
    }

    /// Tells the state of the viewer, after so many seconds.
    pub fn state(&mut self, viewer: &Viewer, passed: f64) {
        if let Some(trace) = &mut self.trace {
            // Passing a line to the page cannot fail.
            let _ = trace.record(viewer, passed);
        }
    }

    /// Tells what the panels want of the browser.
    pub fn of_panels(&mut self, output: egui::PlatformOutput) {
        for command in output.commands {
            match command {
                egui::OutputCommand::CopyText(text) => Message::Copy(&text).tell(),
                egui::OutputCommand::OpenUrl(url) => Message::Link(&url.url).tell(),
                egui::OutputCommand::CopyImage(_) => {}
            }
        }
        if output.cursor_icon != self.cursor {
            self.cursor = output.cursor_icon;
            Message::Cursor(cursor(self.cursor)).tell();
        }
    }
}

/// The name of a cursor in CSS.
fn cursor(icon: CursorIcon) -> &'static str {
    match icon {
        CursorIcon::Grab => "grab",
        CursorIcon::Grabbing => "grabbing",
        CursorIcon::PointingHand => "pointer",
        CursorIcon::Text => "text",
        CursorIcon::Help => "help",
        CursorIcon::NotAllowed => "not-allowed",
        CursorIcon::ResizeHorizontal | CursorIcon::ResizeColumn => "ew-resize",
        CursorIcon::ResizeVertical | CursorIcon::ResizeRow => "ns-resize",
        CursorIcon::None => "none",
        _ => "default",
    }
}

/// A writer whose lines the page gets as traces.
#[derive(Default)]
struct TraceLines(Vec<u8>);

impl io::Write for TraceLines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.extend_from_slice(bytes);
        if let Some(line) = self.0.strip_suffix(b"\n") {
            Message::Trace(&String::from_utf8_lossy(line)).tell();
            self.0.clear();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
