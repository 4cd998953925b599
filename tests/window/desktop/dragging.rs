//! Another program that drags files: the source's side of X's drag and drop (XDND, version 5).
//!
//! winit keeps one list of files for all drags. One that comes after its drag has ended is taken for the next drag's, so a
//! drag here ends only when its list has been asked for and sent: what one connection sends arrives in order.

use std::time::{Duration, Instant};
use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    Atom, ClientMessageEvent, ConnectionExt, CreateWindowAux, EventMask, PropMode, SELECTION_NOTIFY_EVENT,
    SelectionNotifyEvent, SelectionRequestEvent, Window, WindowClass,
};
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

/// How a drag ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Drop,
    Leave,
}

/// Drags a list of addresses (`file:///...`) onto a window. Whether the window took it.
pub fn drag(display: &str, window: Window, addresses: &[String], end: End) -> bool {
    let (connection, screen) = x11rb::connect(Some(display)).expect("the X server answers");
    let root = connection.setup().roots[screen].root;
    let source = connection.generate_id().expect("a number");
    let none = CreateWindowAux::new();
    let (kind, visual) = (WindowClass::INPUT_ONLY, x11rb::COPY_FROM_PARENT);
    connection.create_window(0, source, root, 0, 0, 1, 1, 0, kind, visual, &none).expect("sent");
    let data = addresses.iter().map(|line| format!("{line}\r\n")).collect();
    let mut drag = Drag { data, connection, source, window, is_handed_over: false };
    let [selection, list, copy] = ["XdndSelection", "text/uri-list", "XdndActionCopy"].map(|name| drag.atom(name));
    drag.connection.set_selection_owner(source, selection, x11rb::CURRENT_TIME).expect("sent");
    drag.send("XdndEnter", [5 << 24, list, 0, 0]);
    drag.send("XdndPosition", [0, (300 << 16) | 300, x11rb::CURRENT_TIME, copy]);
    let status = drag.answer("XdndStatus");
    let accepted = status.is_some_and(|data| data[1] & 1 == 1);
    if accepted {
        drag.hand_over();
    }
    match end {
        End::Leave => drag.send("XdndLeave", [0; 4]),
        End::Drop => {
            drag.send("XdndDrop", [0, x11rb::CURRENT_TIME, 0, 0]);
            return accepted && drag.answer("XdndFinished").is_some_and(|data| data[1] & 1 == 1);
        }
    }
    // The server has it before the next drag, on another connection, begins.
    drag.connection.sync().expect("the X server answers");
    accepted
}

struct Drag {
    connection: RustConnection,
    source: Window,
    window: Window,
    /// The addresses, a line each.
    data: String,
    /// Whether the window has been sent them.
    is_handed_over: bool,
}

impl Drag {
    fn atom(&self, name: &str) -> Atom {
        self.connection.intern_atom(false, name.as_bytes()).expect("sent").reply().expect("an atom").atom
    }

    fn send(&self, kind: &str, [a, b, c, d]: [u32; 4]) {
        let message = ClientMessageEvent::new(32, self.window, self.atom(kind), [self.source, a, b, c, d]);
        self.connection.send_event(false, self.window, EventMask::NO_EVENT, message).expect("sent");
        self.connection.flush().expect("sent");
    }

    /// Waits for a message of this kind, serving the selection meanwhile.
    fn answer(&mut self, kind: &str) -> Option<[u32; 5]> {
        let kind = self.atom(kind);
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(20) {
            match self.connection.poll_for_event().expect("the X server answers") {
                Some(Event::ClientMessage(message)) if message.type_ == kind => return Some(message.data.as_data32()),
                Some(event) => self.react(event),
                None => std::thread::sleep(Duration::from_millis(5)),
            }
        }
        None
    }

    /// Waits until the window has asked for the list, and hands it over.
    fn hand_over(&mut self) {
        let start = Instant::now();
        while !self.is_handed_over {
            assert!(start.elapsed() < Duration::from_secs(60), "the window does not ask for the list of files");
            match self.connection.poll_for_event().expect("the X server answers") {
                Some(event) => self.react(event),
                None => std::thread::sleep(Duration::from_millis(5)),
            }
        }
    }

    /// Hands the list to whom asks for it.
    fn react(&mut self, event: Event) {
        let Event::SelectionRequest(SelectionRequestEvent { time, requestor, selection, target, property, .. }) = event
        else {
            return;
        };
        self.connection
            .change_property8(PropMode::REPLACE, requestor, property, target, self.data.as_bytes())
            .expect("sent");
        let done = SelectionNotifyEvent {
            response_type: SELECTION_NOTIFY_EVENT,
            sequence: 0,
            time,
            requestor,
            selection,
            target,
            property,
        };
        self.connection.send_event(false, requestor, EventMask::NO_EVENT, done).expect("sent");
        self.connection.flush().expect("sent");
        self.is_handed_over = true;
    }
}
