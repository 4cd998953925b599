//! The functions that the page calls.

#![allow(unsafe_code, reason = "the page finds these functions by their names")]

use crate::app::App;
use crate::files;
use crate::input::{Event, texts};
use crate::messages::{Ask, Message};
use std::cell::RefCell;

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
    std::panic::set_hook(Box::new(|panic| Message::Fault(&panic.to_string()).tell()));
    match App::new(&passed_text(), [width, height], pixels_per_point, now) {
        Ok(app) => {
            APP.set(Some(app));
            true
        }
        Err(reason) => {
            Message::Fault(&reason).tell();
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
    with_app((), |app| Message::Answer(&app.answer(Ask::from(question))).tell());
}

fn with_app<R>(otherwise: R, act: impl FnOnce(&mut App) -> R) -> R {
    // A call inside a call, such as an event while a picture is drawn, has nobody to talk to.
    APP.with(|app| match app.try_borrow_mut() {
        Ok(mut app) => app.as_mut().map_or(otherwise, act),
        Err(_) => otherwise,
    })
}
