//! 3D mice, as spacenavd reports them, the free driver for those of 3Dconnexion: through a socket, 32 bytes an event.

use super::wake::Wake;
use fabrik3d_viewer::view::{Control, DeviceReport};
use std::io::Read;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::thread;
use winit::event_loop::EventLoopProxy;

/// The number of the mouse among the gamepads. spacenavd makes one of all mice.
const NUMBER: usize = usize::MAX;
/// Where spacenavd listens unless the variable `SPNAV_SOCKET` says where.
const SOCKET: &str = "/var/run/spnav.sock";
/// What a puck reports that is pushed or turned as far as it goes.
const FULL: f64 = 350.0;

/// Reads the mouse from now on, if spacenavd runs.
pub(super) fn listen(wake: EventLoopProxy<Wake>) {
    let path = std::env::var_os("SPNAV_SOCKET").map_or_else(|| PathBuf::from(SOCKET), PathBuf::from);
    let Ok(mut socket) = UnixStream::connect(path) else { return };
    // Without the thread there is no mouse.
    let _ = thread::Builder::new().name("3D mouse".to_owned()).spawn(move || {
        let tell = |report| wake.send_event(Wake::Gamepad(report)).is_ok();
        let mut event = [0; 32];
        while socket.read_exact(&mut event).is_ok() {
            let pushed = |(control, value)| tell(DeviceReport::Pushed(NUMBER, control, value));
            if !controls(event).into_iter().all(pushed) {
                return;
            }
        }
        tell(DeviceReport::Unplugged(NUMBER, "3D mouse".to_owned()));
    });
}

/// What an event says: how far the puck is pushed and turned, or that a button was pressed or released. The puck is pushed to the
/// right, up and away, and turned about these axes.
fn controls(event: [u8; 32]) -> Vec<(Control, f64)> {
    let (words, _) = event.as_chunks::<4>();
    let mut words = words.iter().map(|word| i32::from_ne_bytes(*word));
    let kind = words.next();
    let ways =
        [Control::PuckX, Control::PuckY, Control::PuckZ, Control::PuckPitch, Control::PuckYaw, Control::PuckRoll];
    match (kind, words.next()) {
        (Some(0), Some(first)) => {
            let values = std::iter::once(first).chain(words).map(|value| f64::from(value) / FULL);
            ways.into_iter().zip(values).collect()
        }
        (Some(kind @ (1 | 2)), Some(button @ (0 | 1))) => {
            let bumpers = [Control::LeftBumper, Control::RightBumper];
            vec![(bumpers[usize::from(button == 1)], f64::from(u8::from(kind == 1)))]
        }
        _ => Vec::new(),
    }
}
