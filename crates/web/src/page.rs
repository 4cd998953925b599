//! What the page does for the viewer, and the functions that it calls. The only place that is unsafe: here numbers become
//! memory.

#![allow(unsafe_code, reason = "functions of the page and of this module meet here")]

use crate::app::{App, Ask};
use crate::files;
use crate::gl::Argument;
use crate::input::{Event, texts};
use std::cell::RefCell;

#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// Calls a function of WebGL.
    fn gl(name: *const u8, len: usize, arguments: *const Argument, count: usize) -> f64;
    /// Passes a message on: what it is about, a text, and bytes.
    fn tell(kind: *const u8, kind_len: usize, text: *const u8, text_len: usize, bytes: *const u8, bytes_len: usize);
}

/// Calls a function of WebGL by its name.
pub fn call_gl(name: &'static str, arguments: &[Argument]) -> f64 {
    // SAFETY: the page reads what the arguments point to, all of which outlives the call, and keeps none of it.
    unsafe { gl(name.as_ptr(), name.len(), arguments.as_ptr(), arguments.len()) }
}

/// Tells the page something; it knows what to do by `kind`.
pub fn tell_page(kind: &'static str, text: &str, bytes: &[u8]) {
    // SAFETY: as above.
    unsafe { tell(kind.as_ptr(), kind.len(), text.as_ptr(), text.len(), bytes.as_ptr(), bytes.len()) }
}

thread_local! {
    /// The page has one viewer and one thread.
    static APP: RefCell<Option<App>> = const { RefCell::new(None) };
    /// What the page passes: a text in UTF-8, or the bytes of a file.
    static PASSED: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Room for what the page passes with its next call.
#[unsafe(no_mangle)]
extern "C" fn room(len: usize) -> *mut u8 {
    PASSED.with_borrow_mut(|passed| {
        passed.clear();
        passed.resize(len, 0);
        passed.as_mut_ptr()
    })
}

fn passed() -> Vec<u8> {
    PASSED.take()
}

fn passed_text() -> String {
    String::from_utf8_lossy(&passed()).into_owned()
}

/// Starts the viewer with the scene of the page, which was passed as JSON. Returns whether it runs.
#[unsafe(no_mangle)]
extern "C" fn start(width: f64, height: f64, pixels_per_point: f64, now: f64) -> bool {
    std::panic::set_hook(Box::new(|panic| tell_page("fault", &panic.to_string(), &[])));
    match App::new(&passed_text(), [width, height], pixels_per_point, now) {
        Ok(app) => {
            APP.set(Some(app));
            true
        }
        Err(reason) => {
            tell_page("fault", &reason, &[]);
            false
        }
    }
}

/// Draws the next picture at this time in seconds. Returns in how many seconds the one after it is wanted; negative: with the
/// next event.
#[unsafe(no_mangle)]
extern "C" fn frame(now: f64) -> f64 {
    with_app(-1.0, |app| app.frame(now))
}

/// Something happened; `kind` and the numbers as in [`Event::read`]. The text was passed. Returns whether the browser must not
/// do anything else with it.
#[unsafe(no_mangle)]
extern "C" fn event(kind: u32, a: f64, b: f64, c: f64, modifiers: u32) -> bool {
    let text = passed_text();
    let Some(event) = Event::read(kind, [a, b, c], text) else { return false };
    with_app(false, |app| app.event(event, modifiers))
}

/// The page has a file; its bytes were passed after its name, of this length.
#[unsafe(no_mangle)]
extern "C" fn hold(name_len: usize) {
    let mut name = passed();
    let bytes = name.split_off(name_len.min(name.len()));
    files::hold(String::from_utf8_lossy(&name).as_ref().into(), bytes);
}

/// Files were dropped, and the page has them: their names were passed.
#[unsafe(no_mangle)]
extern "C" fn dropped() {
    let names = texts(&passed_text()).map(Into::into).collect();
    with_app((), |app| app.open_dropped(names));
}

/// Answers a question about the viewer for programs and tests: its number, as in [`Ask`].
#[unsafe(no_mangle)]
extern "C" fn ask(question: u32) {
    with_app((), |app| tell_page("answer", &app.answer(Ask::from(question)), &[]));
}

fn with_app<R>(otherwise: R, act: impl FnOnce(&mut App) -> R) -> R {
    // A call inside a call, such as an event while a picture is drawn, has nobody to talk to.
    APP.with(|app| match app.try_borrow_mut() {
        Ok(mut app) => app.as_mut().map_or(otherwise, act),
        Err(_) => otherwise,
    })
}
