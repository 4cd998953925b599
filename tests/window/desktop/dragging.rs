//! A program that drags files onto a window: the source side of XDND, version 5, the drag and drop protocol of X.
//!
//! winit keeps one file list for all drags and would use a late list for the next drag. A drag therefore ends only after
//! the window has requested and received its list; messages of one connection arrive in order.

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

/// Drags a list of URIs (`file:///...`) onto a window. Returns whether the window accepted it.
pub fn drag(display: &str, window: Window, uris: &[String], end: End) -> bool {
    let (connection, screen) = x11rb::connect(Some(display)).expect("the X server answers");
    let root = connection.setup().roots[screen].root;
    let source = connection.generate_id().expect("an id");
    let none = CreateWindowAux::new();
    let (kind, visual) = (WindowClass::INPUT_ONLY, x11rb::COPY_FROM_PARENT);
    connection.create_window(0, source, root, 0, 0, 1, 1, 0, kind, visual, &none).expect("sent");
    let data = uris.iter().map(|line| format!("{line}\r\n")).collect();
    let mut drag = Drag { data, connection, source, window, is_sent: false };
    let [selection, list, copy] = ["XdndSelection", "text/uri-list", "XdndActionCopy"].map(|name| drag.atom(name));
    drag.connection.set_selection_owner(source, selection, x11rb::CURRENT_TIME).expect("sent");
    drag.send("XdndEnter", [5 << 24, list, 0, 0]);
    drag.send("XdndPosition", [0, (300 << 16) | 300, x11rb::CURRENT_TIME, copy]);
    let status = drag.answer("XdndStatus");
    let accepted = status.is_some_and(|data| data[1] & 1 == 1);
    if accepted {
        drag.send_list();
    }
    match end {
        End::Leave => drag.send("XdndLeave", [0; 4]),
        End::Drop => {
            drag.send("XdndDrop", [0, x11rb::CURRENT_TIME, 0, 0]);
            return accepted && drag.answer("XdndFinished").is_some_and(|data| data[1] & 1 == 1);
        }
    }
    // Ensure that the server has the message before the next drag starts on another connection.
    drag.connection.sync().expect("the X server answers");
    accepted
}

struct Drag {
    connection: RustConnection,
    source: Window,
    window: Window,
    /// The URIs, one per line.
    data: String,
    /// Whether they have been sent to the window.
    is_sent: bool,
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

    /// Waits for a message of this kind and serves requests for the selection in the meantime.
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

    /// Waits until the window has requested the list and received it.
    fn send_list(&mut self) {
        let start = Instant::now();
        while !self.is_sent {
            assert!(start.elapsed() < Duration::from_secs(60), "the window does not request the list of files");
            match self.connection.poll_for_event().expect("the X server answers") {
                Some(event) => self.react(event),
                None => std::thread::sleep(Duration::from_millis(5)),
            }
        }
    }

    /// Answers a request for the list.
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
        self.is_sent = true;
    }
}
