//! A minimal desktop settings daemon that announces the scale factor of the screen (the XSETTINGS protocol of
//! freedesktop.org).

use x11rb::connection::Connection;
use x11rb::protocol::xproto::{ConnectionExt as _, CreateWindowAux, PropMode, Window, WindowClass};
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

/// Dots per inch at scale factor 1.
const PLAIN: f64 = 96.0;

/// The daemon. Its settings disappear when it is dropped.
pub struct ScreenSettings {
    connection: RustConnection,
    window: Window,
}

impl ScreenSettings {
    /// Starts on this display with this scale factor.
    pub fn start(display: &str, scale: f64) -> Self {
        let (connection, screen) = x11rb::connect(Some(display)).expect("the X server answers");
        let root = connection.setup().roots[screen].root;
        let window = connection.generate_id().expect("an id");
        let (kind, visual) = (WindowClass::INPUT_ONLY, x11rb::COPY_FROM_PARENT);
        let plain = CreateWindowAux::new();
        connection.create_window(0, window, root, -1, -1, 1, 1, 0, kind, visual, &plain).expect("sent");
        let settings = ScreenSettings { connection, window };
        settings.set_scale(scale);
        let owned = settings.atom(&format!("_XSETTINGS_S{screen}"));
        settings.connection.set_selection_owner(window, owned, x11rb::CURRENT_TIME).expect("sent");
        settings.connection.sync().expect("answered");
        settings
    }

    /// Announces another scale factor to all programs.
    pub fn set_scale(&self, scale: f64) {
        let name = b"Xft/DPI";
        let mut bytes = vec![0, 0, 0, 0]; // Little-endian.
        bytes.extend([0_u32, 1].map(u32::to_le_bytes).concat());
        bytes.extend([0, 0]); // Type: integer.
        bytes.extend((name.len() as u16).to_le_bytes());
        bytes.extend(name);
        bytes.extend([0; 1]); // Padding to a multiple of four.
        bytes.extend([0, (1024.0 * PLAIN * scale) as u32].map(u32::to_le_bytes).concat());
        let property = self.atom("_XSETTINGS_SETTINGS");
        let (replace, length) = (PropMode::REPLACE, bytes.len() as u32);
        self.connection.change_property(replace, self.window, property, property, 8, length, &bytes).expect("sent");
        self.connection.sync().expect("answered");
    }

    fn atom(&self, name: &str) -> u32 {
        self.connection.intern_atom(false, name.as_bytes()).expect("sent").reply().expect("answered").atom
    }
}
