//! What wakes the window besides its own events.

use egui_winit::accesskit_winit;
use fabrik3d_viewer::view::DeviceReport;
use winit::event_loop::EventLoopProxy;

/// What another thread tells the window.
#[derive(Debug)]
pub(super) enum Wake {
    /// Commands of another program have arrived, or a signal asks the program to end.
    Look,
    /// What assistive technology asks for.
    Assistance(accesskit_winit::WindowEvent),
    /// What a gamepad reports.
    Gamepad(DeviceReport),
}

impl From<accesskit_winit::Event> for Wake {
    fn from(event: accesskit_winit::Event) -> Self {
        Wake::Assistance(event.window_event)
    }
}

/// What makes the window look for news from another thread. Returns whether there still is a window.
pub(super) fn look(wake: &EventLoopProxy<Wake>) -> impl Fn() -> bool + Send + 'static {
    let wake = wake.clone();
    move || wake.send_event(Wake::Look).is_ok()
}
