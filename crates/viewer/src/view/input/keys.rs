//! The table that binds keys to commands.
//!
//! Keys are named by their position, with the code values of the W3C's UI Events (`KeyW`, `ArrowUp`), so that WASD is in the
//! same place on every layout. Keys with Ctrl are bound by letter instead. Those of gamepads are named in
//! [`crate::view::input::gamepad`].

pub(super) const TARGET: &str = "Target";
pub(super) const CAMERA: &str = "Camera";
pub(super) const MOTION: &str = "Motion";
pub(super) const TIME: &str = "Time";
pub(super) const SHOW: &str = "Show";
pub(super) const FILE: &str = "Program";

/// How the names of the keys of gamepads begin, and those of 3D mice.
pub(super) const PAD: &str = "Pad";
pub(super) const PUCK: &str = "Puck";

/// Whether a key, by its code or its name, is that of a gamepad or of a 3D mouse.
pub(super) fn is_of_device(code: &str) -> bool {
    [PAD, PUCK].into_iter().any(|device| code.starts_with(device))
}

/// Keys with their actions: a command, `move DIRECTION` or `turn DIRECTION`.
type Keys = &'static [(&'static str, &'static str)];

/// The default bindings in the order of the help: group, description, and the keys that share them, whatever they are keys of:
/// what can be done has one row.
pub(super) const TABLE: &[(&str, &str, Keys)] = &[
    (
        TARGET,
        "move horizontally",
        &[
            ("ArrowUp", "move forward"),
            ("ArrowDown", "move back"),
            ("ArrowLeft", "move left"),
            ("ArrowRight", "move right"),
            ("KeyW", "move forward"),
            ("KeyS", "move back"),
            ("KeyA", "move left"),
            ("KeyD", "move right"),
            ("PadLeftStickUp", "move forward"),
            ("PadLeftStickDown", "move back"),
            ("PadLeftStickLeft", "move left"),
            ("PadLeftStickRight", "move right"),
            ("PuckForward", "move forward"),
            ("PuckBack", "move back"),
            ("PuckLeft", "move left"),
            ("PuckRight", "move right"),
        ],
    ),
    (
        TARGET,
        "move up, down",
        &[
            ("PageUp", "move up"),
            ("PageDown", "move down"),
            ("KeyE", "move up"),
            ("KeyQ", "move down"),
            ("PadRT", "move up"),
            ("PadLT", "move down"),
            ("PuckUp", "move up"),
            ("PuckDown", "move down"),
        ],
    ),
    (TARGET, "arrow keys: view or world", &[("KeyT", "axes.next"), ("PadLS", "axes.next")]),
    (
        TARGET,
        "turn left, right, up, down",
        &[
            ("Ctrl+ArrowLeft", "turn yaw-left"),
            ("Ctrl+ArrowRight", "turn yaw-right"),
            ("Ctrl+ArrowUp", "turn pitch-up"),
            ("Ctrl+ArrowDown", "turn pitch-down"),
            ("Ctrl+PadLeftStickLeft", "turn yaw-left"),
            ("Ctrl+PadLeftStickRight", "turn yaw-right"),
            ("Ctrl+PadLeftStickUp", "turn pitch-up"),
            ("Ctrl+PadLeftStickDown", "turn pitch-down"),
            ("PuckYawLeft", "turn yaw-left"),
            ("PuckYawRight", "turn yaw-right"),
            ("PuckPitchUp", "turn pitch-up"),
            ("PuckPitchDown", "turn pitch-down"),
        ],
    ),
    (
        TARGET,
        "roll left, right",
        &[
            ("Ctrl+PageUp", "turn roll-left"),
            ("Ctrl+PageDown", "turn roll-right"),
            ("Ctrl+PadLT", "turn roll-left"),
            ("Ctrl+PadRT", "turn roll-right"),
            ("PuckRollLeft", "turn roll-left"),
            ("PuckRollRight", "turn roll-right"),
        ],
    ),
    (
        TARGET,
        "match orientation; next pose",
        &[("KeyO", "target.rotation toggle"), ("PadX", "target.rotation toggle"), ("KeyY", "pose.next")],
    ),
    (
        TARGET,
        "jump to a preset",
        &[
            ("Digit1", "target.preset 1"),
            ("Digit2", "target.preset 2"),
            ("Digit3", "target.preset 3"),
            ("Digit4", "target.preset 4"),
            ("Digit5", "target.preset 5"),
            ("Digit6", "target.preset 6"),
            ("Digit7", "target.preset 7"),
            ("Digit8", "target.preset 8"),
            ("Digit9", "target.preset 9"),
        ],
    ),
    (TARGET, "jump to a random reachable point", &[("KeyR", "target.random"), ("PadA", "target.random")]),
    (
        TARGET,
        "next, previous effector",
        &[
            ("Tab", "effector.next"),
            ("Shift+Tab", "effector.previous"),
            ("PadDown", "effector.next"),
            ("PadUp", "effector.previous"),
        ],
    ),
    (TARGET, "move all effectors, or only one", &[("Ctrl+KeyA", "effector.all")]),
    (TARGET, "pin or free the effector", &[("KeyI", "effector.pin")]),
    (TARGET, "add, remove an effector at the joint", &[("Insert", "effector.add"), ("Delete", "effector.remove")]),
    (TARGET, "previous, next joint", &[("BracketLeft", "joint.previous"), ("BracketRight", "joint.next")]),
    (
        TARGET,
        "turn the joint; a ball: x, y, twist",
        &[
            ("Ctrl+BracketLeft", "turn joint-back"),
            ("Ctrl+BracketRight", "turn joint-on"),
            ("Ctrl+Semicolon", "turn joint-2-back"),
            ("Ctrl+Quote", "turn joint-2-on"),
            ("Ctrl+Comma", "turn joint-3-back"),
            ("Ctrl+Period", "turn joint-3-on"),
        ],
    ),
    (TARGET, "fixed or floating base", &[("KeyB", "base.toggle")]),
    (TARGET, "keep links clear of each other", &[("Shift+KeyM", "keep-clear")]),
    // As a drag with the mouse: what is in front goes where the stick is pushed. The scene goes where a puck goes.
    (
        CAMERA,
        "orbit",
        &[
            ("PadRightStickLeft", "move camera-right"),
            ("PadRightStickRight", "move camera-left"),
            ("PadRightStickUp", "move camera-down"),
            ("PadRightStickDown", "move camera-up"),
            ("Ctrl+PuckYawLeft", "move camera-left"),
            ("Ctrl+PuckYawRight", "move camera-right"),
            ("Ctrl+PuckPitchUp", "move camera-up"),
            ("Ctrl+PuckPitchDown", "move camera-down"),
        ],
    ),
    (
        CAMERA,
        "zoom; zoom to the pointer",
        &[
            ("Ctrl+PadRightStickUp", "move camera-closer"),
            ("Ctrl+PadRightStickDown", "move camera-back"),
            ("Ctrl+PuckBack", "move camera-closer"),
            ("Ctrl+PuckForward", "move camera-back"),
        ],
    ),
    (
        CAMERA,
        "frame selected, all",
        &[("KeyF", "camera.frame selected"), ("Home", "camera.frame"), ("PadRS", "camera.frame")],
    ),
    (CAMERA, "follow a clip on/off", &[("Shift+KeyF", "camera.follow")]),
    (CAMERA, "reset the view", &[("Enter", "camera.reset")]),
    (
        CAMERA,
        "front, right, top, isometric",
        &[
            ("Numpad1", "camera.view front"),
            ("Numpad3", "camera.view right"),
            ("Numpad7", "camera.view top"),
            ("Numpad9", "camera.view iso"),
        ],
    ),
    (
        CAMERA,
        "back, left, bottom",
        &[
            ("Ctrl+Numpad1", "camera.view back"),
            ("Ctrl+Numpad3", "camera.view left"),
            ("Ctrl+Numpad7", "camera.view bottom"),
        ],
    ),
    (CAMERA, "perspective, orthographic", &[("Numpad5", "camera.projection")]),
    (TIME, "pause", &[("Space", "pause.toggle"), ("PadStart", "pause.toggle")]),
    (
        TIME,
        "lesson: one step back, forward",
        &[("Comma", "step.back"), ("Period", "step.next"), ("PadLeft", "step.back"), ("PadRight", "step.next")],
    ),
    (TIME, "lesson: step by joint or by pass", &[("Semicolon", "step.unit")]),
    (TIME, "passes of each frame; slower", &[("Shift+KeyP", "toggle passes"), ("Shift+Minus", "passes.pace")]),
    (TIME, "compare four methods, or start again", &[("Shift+KeyC", "race accelerated textbook ccd dls")]),
    (TIME, "play faster", &[("Equal", "speed 2"), ("NumpadAdd", "speed 2"), ("Shift+Equal", "speed 2")]),
    (TIME, "play slower", &[("Minus", "speed 0.5"), ("NumpadSubtract", "speed 0.5")]),
    (TIME, "reset pose and targets", &[("Backspace", "reset")]),
    (TIME, "next method", &[("KeyC", "method.next")]),
    (MOTION, "play, pause", &[("KeyP", "motion.toggle")]),
    (MOTION, "next, previous clip", &[("KeyK", "motion.clip next"), ("Shift+KeyK", "motion.clip previous")]),
    (MOTION, "play it as recorded, or follow it", &[("KeyU", "motion.mode")]),
    (MOTION, "one frame or row back, forward", &[("Shift+Comma", "motion.step -1"), ("Shift+Period", "motion.step 1")]),
    (SHOW, "help", &[("F1", "toggle help"), ("Shift+Slash", "toggle help"), ("PadBack", "toggle help")]),
    (
        SHOW,
        "all panels, profiler, side panel",
        &[("F2", "toggle hud"), ("F3", "toggle profiler"), ("F4", "toggle panel")],
    ),
    (
        SHOW,
        "grid, axes, names, meshes or x-ray",
        &[("KeyG", "toggle grid"), ("KeyX", "toggle axes"), ("KeyN", "toggle names"), ("KeyM", "toggle meshes")],
    ),
    (SHOW, "limits, link style", &[("KeyL", "toggle limits"), ("KeyV", "links.next")]),
    (
        SHOW,
        "reach, trails, all poses, all marks",
        &[
            ("KeyH", "toggle reach"),
            ("KeyJ", "toggle trails"),
            ("Shift+KeyY", "toggle solutions"),
            ("Shift+KeyT", "toggle marks"),
        ],
    ),
    (FILE, "find and do anything", &[("Ctrl+KeyP", "palette"), ("Ctrl+KeyK", "palette")]),
    (FILE, "keys to the panels (Tab), and back", &[("F10", "panels.keys")]),
    (FILE, "open, save; open a motion", &[("Ctrl+KeyO", "open"), ("Ctrl+KeyS", "save"), ("Ctrl+KeyM", "motion.open")]),
    (
        FILE,
        "undo, redo",
        &[
            ("Ctrl+KeyZ", "undo"),
            ("Ctrl+Shift+KeyZ", "redo"),
            ("Ctrl+KeyY", "redo"),
            ("PadY", "undo"),
            ("Shift+PadY", "redo"),
        ],
    ),
    (FILE, "reload the file", &[("F5", "reload")]),
    (FILE, "save a picture; start or stop a film", &[("F12", "screenshot"), ("Ctrl+KeyR", "record")]),
    (FILE, "the same with panels", &[("Shift+F12", "screenshot.window"), ("Ctrl+Shift+KeyR", "record.window")]),
    (FILE, "show the last messages again", &[("F6", "messages")]),
    (FILE, "full screen", &[("F11", "fullscreen")]),
    (FILE, "cancel, close an overlay", &[("Escape", "cancel"), ("PadB", "cancel")]),
    (FILE, "quit", &[("Ctrl+KeyQ", "quit")]),
];

/// What the mouse does, handled in [`crate::view::input::pointer`], what is held, and what marks mean, for the help.
pub(super) const MOUSE: &[(&str, &str, &str)] = &[
    (TARGET, "drag", "left drag on it, its handles or its limb"),
    (TARGET, "while dragging: one axis; the grid", "X, Y or Z; hold Ctrl"),
    (TARGET, "select a joint", "click the joint or its link"),
    (TARGET, "larger, smaller steps", "Shift, Alt with the keys"),
    (TARGET, "larger, smaller steps", "Pad RB, Puck 2nd button"),
    (CAMERA, "orbit", "left drag elsewhere, middle drag"),
    (CAMERA, "pan", "right drag, Shift + left drag"),
    (CAMERA, "zoom; zoom to the pointer", "wheel; Ctrl + wheel"),
    (CAMERA, "focus a point", "double click"),
    (SHOW, "a joint at its limit", "red, with a diamond"),
    (FILE, "open a file", "drop it on the window"),
];
