//! Lines of scripts: commands in any order leave a session with finite poses, and the picture can be made.
#![no_main]

use fabrik3d_fuzz::CASES;
use fabrik3d_viewer::session::Command;
use fabrik3d_viewer::view::{Display, HeldKeys, Modifiers, Viewer};
use libfuzzer_sys::fuzz_target;

/// Most lines of a script: a session that runs for long finds nothing that a short one does not.
const LINES: usize = 100;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let mut viewer = Viewer::new(CASES.clone(), Display::default(), 1.6);
    for command in text.lines().take(LINES).filter_map(|line| line.parse::<Command>().ok()) {
        // Files are none of its business, and refusals are allowed.
        let _ = viewer.apply(command);
        viewer.tick(1.0 / 60.0, &mut HeldKeys::default(), Modifiers::default());
        let frames = viewer.session().scene().skeleton.frames(viewer.session().displayed());
        assert!(frames.iter().all(|frame| frame.position.is_finite() && frame.rotation.is_finite()));
    }
    let _ = viewer.picture();
});
