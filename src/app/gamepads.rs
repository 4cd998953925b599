//! Gamepads, read by a thread of their own, which sleeps until one of them reports something.

use super::application::App;
use super::wake::Wake;
use fabrik3d_viewer::view::{Control, DeviceReport, Heard};
use gilrs::{Axis, Button, EventType, GilrsBuilder};
use std::thread;
use std::time::Duration;
use winit::event_loop::EventLoopProxy;

/// Time until a device that had nothing to say is asked again: one that was unplugged may say nothing without end until the system
/// takes it away.
const PAUSE: Duration = Duration::from_millis(4);

/// Reads gamepads from now on. Without a way to do so there are none.
pub(super) fn listen(wake: EventLoopProxy<Wake>) {
    // Without the thread there are no gamepads.
    let _ = thread::Builder::new().name("gamepads".to_owned()).spawn(move || read(&wake));
}

fn read(wake: &EventLoopProxy<Wake>) {
    let Ok(mut gamepads) = GilrsBuilder::new().with_force_feedback(false).build() else { return };
    let there: Vec<_> = gamepads.gamepads().map(|(id, _)| DeviceReport::There(id.into())).collect();
    let tell = |report| wake.send_event(Wake::Gamepad(report)).is_ok();
    if !there.into_iter().all(tell) {
        return;
    }
    loop {
        let Some(event) = gamepads.next_event_blocking(None) else {
            thread::sleep(PAUSE);
            continue;
        };
        let number = usize::from(event.id);
        let name = || gamepads.gamepad(event.id).name().to_owned();
        let report = match event.event {
            EventType::Connected => Some(DeviceReport::Plugged(number, name())),
            EventType::Disconnected => Some(DeviceReport::Unplugged(number, name())),
            EventType::AxisChanged(axis, value, _) => axis_of(axis).map(|control| (control, value)).map(pushed(number)),
            EventType::ButtonChanged(button, value, _) => {
                control_of(button).map(|control| (control, value)).map(pushed(number))
            }
            _ => None,
        };
        if !report.is_none_or(tell) {
            return;
        }
    }
}

fn pushed(number: usize) -> impl Fn((Control, f32)) -> DeviceReport {
    move |(control, value)| DeviceReport::Pushed(number, control, value.into())
}

fn axis_of(axis: Axis) -> Option<Control> {
    Some(match axis {
        Axis::LeftStickX => Control::LeftX,
        Axis::LeftStickY => Control::LeftY,
        Axis::RightStickX => Control::RightX,
        Axis::RightStickY => Control::RightY,
        // Triggers of devices that are not known.
        Axis::LeftZ => Control::LeftTrigger,
        Axis::RightZ => Control::RightTrigger,
        _ => return None,
    })
}

fn control_of(button: Button) -> Option<Control> {
    Some(match button {
        Button::South => Control::A,
        Button::East => Control::B,
        Button::West => Control::X,
        Button::North => Control::Y,
        Button::LeftTrigger => Control::LeftBumper,
        Button::RightTrigger => Control::RightBumper,
        Button::LeftTrigger2 => Control::LeftTrigger,
        Button::RightTrigger2 => Control::RightTrigger,
        Button::Select => Control::Back,
        Button::Start => Control::Start,
        Button::LeftThumb => Control::LeftStick,
        Button::RightThumb => Control::RightStick,
        Button::DPadUp => Control::Up,
        Button::DPadDown => Control::Down,
        Button::DPadLeft => Control::Left,
        Button::DPadRight => Control::Right,
        _ => return None,
    })
}

impl App {
    /// Does what a gamepad reports. Like keys, it does nothing while another window has the keyboard or a dialog asks.
    pub(super) fn hear_gamepad(&mut self, report: DeviceReport) {
        let listens = self.input.has_focus && !self.dialog.is_open();
        let input = &mut self.input;
        match input.gamepads.hear(report, listens.then_some(&*input.bindings), &mut input.held) {
            Heard::Commands(commands) => commands.into_iter().for_each(|command| self.apply(command)),
            Heard::News(text) => self.toasts.done(text),
            Heard::Warning(text) => self.toasts.warned(text),
        }
        self.request_redraw();
    }
}
