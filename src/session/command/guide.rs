//! What can be said in a script, for people: printed by `--help`, and the source of suggestions where a word is not known.

/// One command: how it is written, a line that can be run, and what it does.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name and what follows it.
    pub form: &'static str,
    /// A line as it may stand in a script.
    pub example: &'static str,
    /// What it does.
    pub what: &'static str,
}

impl Entry {
    /// The first word.
    pub fn name(&self) -> &'static str {
        self.form.split(' ').next().unwrap_or_default()
    }
}

const fn entry(form: &'static str, example: &'static str, what: &'static str) -> Entry {
    Entry { form, example, what }
}

/// All commands.
pub const GUIDE: &[Entry] = &[
    entry("target.move DX DY DZ", "target.move 0.1 0 0", "glide the selected target, world axes"),
    entry("target.set [NAME] X Y Z", "target.set 1 1.5 0.5", "jump with a target to a place"),
    entry("target.preset N", "target.preset 2", "jump to a preset"),
    entry("target.random", "target.random", "jump to a random place within reach"),
    entry("target.path circle|figure8|line|none", "target.path circle", "run along a path"),
    entry("target.grab", "target.grab", "begin a glide that is undone by itself"),
    entry("target.turn X Y Z", "target.turn 0 15 0", "turn the wanted orientation, degrees"),
    entry("target.rotation X Y Z W|none|toggle", "target.rotation none", "the wanted orientation, a quaternion"),
    entry("effector.next", "effector.next", "select the next effector"),
    entry("effector.previous", "effector.previous", "select the one before"),
    entry("effector.select NAME", "effector.select hand", "select an effector"),
    entry("effector.all", "effector.all", "move all targets with the selected one, until one is selected"),
    entry("effector.add [JOINT [NAME]]", "effector.add elbow", "an effector on a joint, or on the selected one"),
    entry("effector.remove [NAME]", "effector.remove hand", "take an effector off, or the selected one"),
    entry("effector.pin [NAME on|off]", "effector.pin hand off", "its target stays, or it asks for nothing"),
    entry("effector.weight NAME W", "effector.weight hand 0.2", "how much it counts against the others"),
    entry("joint.next", "joint.next", "select the next joint"),
    entry("joint.previous", "joint.previous", "select the one before"),
    entry("joint.select NAME", "joint.select elbow", "select a joint"),
    entry("joint.none", "joint.none", "select no joint"),
    entry(
        "joint.set NAME VALUE..",
        "joint.set elbow 30",
        "forward kinematics: degrees, or a slide's way; a ball: tilt x, tilt y, twist, or without limits an axis times angle",
    ),
    entry(
        "joint.glide NAME VALUE..",
        "joint.glide elbow 31",
        "the same while it is turned: shown at once, undone as one",
    ),
    entry("pause", "pause", "stop the clock"),
    entry("resume", "resume", "let it go on"),
    entry("pause.toggle", "pause.toggle", "the one or the other"),
    entry("speed FACTOR", "speed 0.5", "so many times as fast as now"),
    entry("step.next", "step.next", "open the lesson, one step on"),
    entry("step.back", "step.back", "one step back"),
    entry("step.backward", "step.backward", "to the end of the next backward pass"),
    entry("step.forward", "step.forward", "to the end of the next forward pass"),
    entry("step.to N", "step.to 3", "to a step of the lesson"),
    entry("step.unit [joint|pass]", "step.unit pass", "what a step is"),
    entry("step.play", "step.play", "play the lesson, or stop it"),
    entry("lesson.close", "lesson.close", "close the lesson"),
    entry("race METHOD METHOD..|off", "race accelerated textbook ccd", "two to four methods, the same target"),
    entry("race.layout beside|overlaid", "race.layout overlaid", "how the race is laid out"),
    entry("method NAME", "method textbook", "solve by this method; in a lesson, teach it"),
    entry("method.next", "method.next", "by the next one"),
    entry("set KEY VALUE", "set solver.tolerance 1e-6", "change a number of solver or smoothing"),
    entry("base.toggle", "base.toggle", "fix the base, or let it float"),
    entry("reset", "reset", "the start pose and its targets"),
    entry("undo", "undo", "take back the last change"),
    entry("redo", "redo", "make it again"),
    entry("motion.open FILE", "motion.open walk.bvh", "open a recording"),
    entry("motion.close", "motion.close", "close it"),
    entry("motion.play", "motion.play", "play it"),
    entry("motion.pause", "motion.pause", "stop it"),
    entry("motion.toggle", "motion.toggle", "the one or the other"),
    entry("motion.seek TIME", "motion.seek 1.5", "jump to a time, seconds"),
    entry("motion.scrub TIME", "motion.scrub 1.5", "glide to a time, seconds"),
    entry("motion.step N", "motion.step -1", "so many frames on, or back"),
    entry("motion.speed FACTOR", "motion.speed 0.5", "as fast as this"),
    entry("motion.loop on|off", "motion.loop off", "begin again at its end"),
    entry("motion.mode [show|follow]", "motion.mode follow", "show the recorded pose, or let targets follow it"),
    entry("motion.clip NAME|N|next|previous", "motion.clip 2", "choose a clip"),
    entry("motion.drive JOINT|none EFFECTOR", "motion.drive LeftHand hand", "which recorded joint an effector follows"),
    entry(
        "motion.match RECORDED|none JOINT",
        "motion.match Hips pelvis",
        "which recorded joint one of the figure follows",
    ),
    entry("motion.turns on|off", "motion.turns on", "targets take the recorded orientations too"),
    entry("motion.effectors", "motion.effectors", "effectors on matched hips, head, hands and feet that lack one"),
    entry("camera.orbit DYAW DPITCH", "camera.orbit 30 10", "turn around the scene, degrees"),
    entry("camera.pan DX DY", "camera.pan 0.1 0", "shift, fractions of the height"),
    entry("camera.zoom F [X Y]", "camera.zoom 1.5", "F times nearer, to a point of the picture (-1..1)"),
    entry("camera.view SIDE", "camera.view front", "front, back, left, right, top, bottom or iso"),
    entry("camera.frame [selected]", "camera.frame", "everything, or the selected figure, into the picture"),
    entry("camera.focus X Y Z", "camera.focus 0 1 0", "turn around this point"),
    entry("camera.reset", "camera.reset", "as the scene opened"),
    entry("camera.projection", "camera.projection", "perspective or orthographic"),
    entry(
        "show WHAT on|off|xray",
        "show limits on",
        "grid, axes, names, meshes (xray: as glass, with the bones in them), limits, shadows, trails, reach, hud, panel, help, profiler",
    ),
    entry("toggle WHAT", "toggle grid", "on or off, whichever it is not"),
    entry("theme dark|light", "theme light", "colours"),
    entry("links.next", "links.next", "the next style of links"),
    entry("axes.next", "axes.next", "the next axes for moving by keys"),
    entry("font.scale FACTOR", "font.scale 1.5", "size of the text"),
    entry("screenshot [FILE]", "screenshot arm.png", "save a picture"),
    entry("open [FILE]", "open arm.toml", "open a scene; without a name: ask"),
    entry("save [FILE]", "save arm.toml", "save the scene"),
    entry("record [FILE]", "record arm.gif", "film the window, or end the film"),
    entry("reload", "reload", "read the file again, keep the pose"),
    entry("dismiss [NUMBER]", "dismiss 2", "take a message off the window, or all of them"),
    entry("fullscreen", "fullscreen", "all of the screen, or not"),
    entry("cancel", "cancel", "what Esc does"),
    entry("quit", "quit", "leave"),
];

/// The guide as text, a line each.
pub fn text() -> String {
    let width = GUIDE.iter().map(|entry| entry.form.len()).max().unwrap_or(0);
    let lines = GUIDE.iter().map(|entry| format!("  {:width$}  {}\n", entry.form, entry.what));
    lines.collect()
}
