//! A 3D mouse in a real window: a socket stands in for its driver.
#![cfg(unix)]

use crate::desktop;

use desktop::{Desktop, reach, target};
use std::io::Write;
use std::os::unix::net::UnixListener;
use std::time::Duration;

/// What spacenavd writes: a kind, and seven numbers.
fn event(numbers: [i32; 8]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_ne_bytes()).collect()
}

#[test]
fn a_mouse_moves_the_target_until_it_is_released_or_unplugged() {
    let Some(desktop) = Desktop::start() else { return };
    let path = desktop.folder.path().join("spnav.sock");
    let listener = UnixListener::bind(&path).expect("a socket");
    let socket = path.to_str().expect("a name");
    let viewer = desktop.view_with("seed-arm.toml", &["--size", "640x480"], &[("SPNAV_SOCKET", socket)]);
    let (mut mouse, _) = listener.accept().expect("the viewer");
    let mut tell = |numbers| mouse.write_all(&event(numbers)).expect("is read");
    let start = viewer.rest();
    let [up, released] = [[0, 0, 350, 0, 0, 0, 0, 16], [0; 8]];
    tell(up);
    let far = |line: &fabrik3d_viewer::view::trace::TraceLine| (target(line) - target(&start)).y > 0.1 * reach(&start);
    viewer.wait("a glide", far);
    tell(released);
    let moved = target(&viewer.rest()) - target(&start);
    assert!(moved.x == 0.0 && moved.z == 0.0 && moved.y < 0.6 * reach(&start), "up, and no further: {moved}");
    viewer.keys(&["ctrl+z"]);
    viewer.wait("the undo", |line| line.targets == start.targets);
    // With its first button held, it turns the camera alone.
    let before = viewer.rest();
    tell([1, 0, 0, 0, 0, 0, 0, 0]);
    tell([0, 0, 0, 0, 0, 350, 0, 16]);
    viewer.wait("an orbit", |line| line.camera.position != before.camera.position);
    tell(released);
    tell([2, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(viewer.rest().targets, start.targets);
    // Unplugged in the middle of a motion.
    tell(up);
    viewer.wait("a glide", far);
    drop(mouse);
    let end = viewer.rest();
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(viewer.rest().targets, end.targets);
}
