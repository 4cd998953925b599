//! The syntax of commands.

use fabrik3d_ik::goals::GoalRank;
use fabrik3d_ik::settings::Method;
use fabrik3d_scene::EffectorMode;
use fabrik3d_viewer::session::command::{
    AppCommand, CameraCommand, Command, Content, DisplayCommand, Pace, PassesCommand, PictureSize, Section,
    SessionCommand, Show, Theme, ViewPreset, rows,
};
use fabrik3d_viewer::session::script::Script;
use fabrik3d_viewer::session::{
    EffectorCommand, FileCommand, JointCommand, MotionCommand, MotionMode, PathShape, PoseCommand, RotationCommand,
};
use glam::{DQuat, DVec3};
use proptest::prelude::*;

fn vector() -> impl Strategy<Value = DVec3> {
    let number = || prop_oneof![-1e6..1e6_f64, Just(0.0), Just(-0.1), Just(1e-300), Just(1e100)];
    [number(), number(), number()].prop_map(DVec3::from_array)
}

/// Names, some with blanks, quotation marks, backslashes and comment signs.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![r#"[a-z_.]{1,8}"#, r#"[ a-z"\\#äß-]{0,10}"#]
}

fn written(values: &[f64]) -> String {
    values.iter().map(f64::to_string).collect::<Vec<_>>().join(" ")
}

/// Lines with the commands that they are, for a vector, two names, and a number from 0 to 1.
fn session_lines(v: DVec3, [a, b]: [&str; 2], number: f64) -> Vec<(String, SessionCommand)> {
    use {
        EffectorCommand as E, JointCommand as J, MotionCommand as M, PoseCommand as P, RotationCommand as R,
        SessionCommand as S,
    };
    let quoted = |name: &str| format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""));
    let (q, r, xyz) = (quoted(a), quoted(b), written(&v.to_array()));
    let turn = DQuat::from_scaled_axis(v / v.abs().max_element().max(1.0)).normalize();
    let xyzw = written(&turn.to_array());
    let (a, b) = (a.to_owned(), b.to_owned());
    let axis = v.try_normalize().map(|_| v);
    let mut lines = vec![
        (format!("target.move {xyz}"), S::TargetMove(v)),
        (format!("target.set {xyz}"), S::TargetSet(None, v)),
        (format!("target.set {q} {xyz}"), S::TargetSet(Some(a.clone()), v)),
        (format!("target.glide {q} {xyz}"), S::TargetGlide(a.clone(), v, None)),
        (format!("target.glide {q} {xyz} {xyzw}"), S::TargetGlide(a.clone(), v, Some(turn))),
        ("target.preset 7".to_owned(), S::TargetPreset(7)),
        ("target.path none".to_owned(), S::TargetPath(None)),
        ("target.path figure8".to_owned(), S::TargetPath(Some(PathShape::Figure8))),
        (format!("target.turn {xyz}"), S::Rotation(R::Turn(v))),
        (format!("target.rotation {xyzw}"), S::Rotation(R::Set(turn))),
        ("target.rotation none".to_owned(), S::Rotation(R::Clear)),
        ("target.rotation toggle".to_owned(), S::Rotation(R::Toggle)),
        (format!("target.look_at {xyz}"), S::Rotation(R::LookAt(Some(v)))),
        ("target.look_at none".to_owned(), S::Rotation(R::LookAt(None))),
        (format!("effector.select {q}"), S::EffectorSelect(a.clone())),
        ("effector.add".to_owned(), S::Effector(E::Add(None, None))),
        (format!("effector.add {q}"), S::Effector(E::Add(Some(a.clone()), None))),
        (format!("effector.add {q} {r}"), S::Effector(E::Add(Some(a.clone()), Some(b.clone())))),
        ("effector.remove".to_owned(), S::Effector(E::Remove(None))),
        (format!("effector.remove {q}"), S::Effector(E::Remove(Some(a.clone())))),
        ("effector.pin".to_owned(), S::Effector(E::Pin(None))),
        (format!("effector.pin {q} on"), S::Effector(E::Pin(Some((a.clone(), EffectorMode::Pinned))))),
        (format!("effector.pin {q} off"), S::Effector(E::Pin(Some((a.clone(), EffectorMode::Free))))),
        (format!("effector.weight {q} {number}"), S::Effector(E::Weight(a.clone(), number))),
        (format!("effector.rank {q} preferred"), S::Effector(E::Rank(a.clone(), Some(GoalRank::Preferred)))),
        (format!("effector.rank {q} none"), S::Effector(E::Rank(a.clone(), None))),
        (format!("effector.spin {q} none"), S::Effector(E::Spin(a.clone(), None))),
        (format!("effector.spin {q} y"), S::Effector(E::Spin(a.clone(), Some(DVec3::Y)))),
        (format!("effector.slack {q} {}", written(&v.abs().to_array())), S::Effector(E::Slack(a.clone(), v.abs()))),
        ("joint.previous".to_owned(), S::Joint(J::Step(-1))),
        (format!("joint.select {q}"), S::Joint(J::Select(a.clone()))),
        (format!("joint.set {q} {number}"), S::Joint(J::Set(a.clone(), vec![number]))),
        (format!("joint.glide {q} {xyz}"), S::Joint(J::Glide(a.clone(), v.to_array().to_vec()))),
        (format!("joint.stiffness {q} {number}"), S::Joint(J::Stiffness(a.clone(), number))),
        (format!("pose.glide {xyz} {number}"), S::Pose(P::Glide(vec![v.x, v.y, v.z, number]))),
        (format!("speed {}", number + 0.1), S::Speed(number + 0.1)),
        (format!("set {q} {r}"), S::Set(a.clone(), b.clone())),
        ("passes.pace".to_owned(), S::Passes(PassesCommand::Pace(None))),
        ("passes.pace pass".to_owned(), S::Passes(PassesCommand::Pace(Some(Pace::Pass)))),
        ("passes.iterations 4".to_owned(), S::Passes(PassesCommand::Iterations(4))),
        ("keep-clear".to_owned(), S::KeepClear(None)),
        ("keep-clear off".to_owned(), S::KeepClear(Some(false))),
        (format!("motion.open {q}"), S::Motion(M::Open(a.clone().into(), Vec::new(), None))),
        (
            format!("motion.open {q} {r} c"),
            S::Motion(M::Open(a.clone().into(), vec![(b.clone(), "c".to_owned())], None)),
        ),
        (format!("motion.seek {number}"), S::Motion(M::Seek(number))),
        (format!("motion.scrub {number}"), S::Motion(M::Scrub(number))),
        ("motion.step -12".to_owned(), S::Motion(M::Step(-12))),
        (format!("motion.speed {}", number + 0.1), S::Motion(M::Speed(number + 0.1))),
        ("motion.loop off".to_owned(), S::Motion(M::Loop(false))),
        ("motion.turns on".to_owned(), S::Motion(M::Turns(true))),
        ("motion.mode".to_owned(), S::Motion(M::Mode(None))),
        ("motion.mode follow".to_owned(), S::Motion(M::Mode(Some(MotionMode::Follow)))),
        (format!("motion.clip {q}"), S::Motion(M::Clip(a.clone()))),
        (format!("motion.drive {q} {r}"), S::Motion(M::Drive(a.clone(), b.clone()))),
        (format!("motion.match {q} {r}"), S::Motion(M::Match(a.clone(), b))),
    ];
    lines.extend(axis.map(|axis| (format!("effector.spin {q} {xyz}"), S::Effector(E::Spin(a, Some(axis))))));
    lines.extend(Method::ALL.iter().map(|method| (format!("method {}", method.key()), S::Method(*method))));
    lines
}

/// The same for the camera, the display and the program.
fn other_lines(v: DVec3, file: &str, number: f64) -> Vec<(String, Command)> {
    use {AppCommand as A, CameraCommand as C, DisplayCommand as D, FileCommand as F};
    let quoted = format!("\"{}\"", file.replace('\\', "\\\\").replace('"', "\\\""));
    let (DVec3 { x, y, z }, path) = (v, || Some(file.into()));
    let (scale, width) = (number as f32 + 0.5, 200.0 * number as f32 + 240.0);
    let camera = [
        (format!("camera.orbit {x} {y}"), C::Orbit(x, y)),
        (format!("camera.pan {x} {y}"), C::Pan(x, y)),
        (format!("camera.zoom {}", number + 0.1), C::Zoom(number + 0.1, None)),
        (format!("camera.zoom {} {x} {y}", number + 0.1), C::Zoom(number + 0.1, Some([x, y]))),
        (format!("camera.focus {x} {y} {z}"), C::Focus(v)),
        ("camera.frame".to_owned(), C::Frame),
        ("camera.frame selected".to_owned(), C::FrameSelected),
        ("camera.follow".to_owned(), C::Follow(None)),
        ("camera.follow on".to_owned(), C::Follow(Some(true))),
    ];
    let views = ViewPreset::NAMES.map(|(name, side)| (format!("camera.view {name}"), C::View(side)));
    let display = [
        ("show meshes xray".to_owned(), D::XRay),
        (format!("font.scale {scale}"), D::FontScale(scale)),
        (format!("panel.width {width}"), D::PanelWidth(width)),
        ("picture.transparent on".to_owned(), D::PictureTransparent(true)),
    ];
    let shown = Show::NAMES.map(|(name, what)| (format!("show {name} off"), D::Show(what, false)));
    let toggled = Show::NAMES.map(|(name, what)| (format!("toggle {name}"), D::Toggle(what)));
    let sections = Section::NAMES.map(|(name, what)| (format!("panel.section {name} on"), D::Section(what, true)));
    let sizes = PictureSize::NAMES.map(|(name, size)| (format!("picture.size {name}"), D::PictureSize(size)));
    let themes = Theme::NAMES.map(|(name, theme)| (format!("theme {name}"), D::Theme(theme)));
    let app = [
        ("screenshot".to_owned(), A::Screenshot(Content::Scene, None)),
        (format!("screenshot {quoted}"), A::Screenshot(Content::Scene, path())),
        (format!("screenshot.window {quoted}"), A::Screenshot(Content::Window, path())),
        (format!("open {quoted}"), A::File(F::Open(path()))),
        (format!("save {quoted}"), A::File(F::Save(path()))),
        (format!("record {quoted}"), A::File(F::Record(Content::Scene, path()))),
        (format!("record.window {quoted}"), A::File(F::Record(Content::Window, path()))),
        ("motion.open".to_owned(), A::File(F::AskForMotion)),
        ("dismiss".to_owned(), A::Dismiss(None)),
        ("dismiss 3".to_owned(), A::Dismiss(Some(3))),
        ("messages".to_owned(), A::Messages),
    ];
    let camera = camera.into_iter().chain(views).map(|(line, it)| (line, Command::Camera(it)));
    let display = display.into_iter().chain(shown).chain(toggled).chain(sections).chain(themes).chain(sizes);
    let display = display.map(|(line, it)| (line, Command::Display(it)));
    camera.chain(display).chain(app.map(|(line, it)| (line, Command::App(it)))).collect()
}

/// An example of each command with arguments, in the order of the table.
const EXAMPLES: [&str; 63] = [
    "target.move 0.1 0 0",
    "target.set 1 1.5 0.5",
    "target.glide hand 1 1.5 0.5",
    "target.preset 2",
    "target.path circle",
    "target.turn 0 15 0",
    "target.rotation none",
    "target.look_at 1 1.5 0.5",
    "effector.select hand",
    "effector.add elbow",
    "effector.remove hand",
    "effector.pin hand off",
    "effector.weight hand 0.2",
    "effector.spin hand z",
    "effector.rank hand preferred",
    "effector.slack hand 0 0 1e9",
    "joint.select elbow",
    "joint.set elbow 30",
    "joint.glide elbow 31",
    "joint.stiffness spine 0.9",
    "pose.glide 30 -20 15",
    "speed 0.5",
    "method textbook",
    "set solver.tolerance 1e-6",
    "keep-clear on",
    "step.to 3",
    "step.unit pass",
    "passes.pace 1/4",
    "passes.iterations 2",
    "race accelerated textbook ccd",
    "motion.open walk.bvh",
    "motion.seek 1.5",
    "motion.scrub 1.5",
    "motion.step -1",
    "motion.speed 0.5",
    "motion.loop off",
    "motion.mode follow",
    "motion.clip 2",
    "motion.drive LeftHand hand",
    "motion.match Hips pelvis",
    "motion.turns on",
    "camera.orbit 30 10",
    "camera.pan 0.1 0",
    "camera.zoom 1.5",
    "camera.view front",
    "camera.frame",
    "camera.focus 0 1 0",
    "camera.follow on",
    "show limits on",
    "toggle grid",
    "theme light",
    "font.scale 1.5",
    "panel.width 320",
    "picture.size 2x",
    "picture.transparent on",
    "panel.section solver on",
    "screenshot arm.png",
    "screenshot.window arm.png",
    "open arm.toml",
    "save arm.toml",
    "record arm.gif",
    "record.window arm.gif",
    "dismiss 2",
];

/// An example of each command.
pub fn examples() -> impl Iterator<Item = &'static str> {
    let example = |name: &str| EXAMPLES.into_iter().find(|line| line.split(' ').next() == Some(name));
    rows().map(move |row| if row.form.contains(' ') { example(row.name()).expect(row.form) } else { row.form })
}

#[test]
fn every_example_of_the_table_can_be_run() {
    let mut names = std::collections::HashSet::new();
    for (row, example) in rows().zip(examples()) {
        let command: Result<Command, _> = example.parse();
        assert!(command.is_ok(), "{example}: {command:?}");
        assert!(names.insert(row.name()), "{} occurs twice", row.name());
    }
    let error = "target.mvoe 1 0 0".parse::<Command>().unwrap_err().to_string();
    assert_eq!(error, "unknown command `target.mvoe`: did you mean `target.move`?");
}

proptest! {
    #[test]
    fn a_line_reads_as_its_command(v in vector(), a in name(), b in name(), number in 0.0..=1.0_f64) {
        let session = session_lines(v, [&a, &b], number).into_iter();
        let session = session.map(|(line, command)| (line, Command::Session(command)));
        for (line, command) in session.chain(other_lines(v, &a, number)) {
            prop_assert_eq!(line.parse::<Command>(), Ok(command.clone()), "{}", line);
            let mut script: Script = format!("1.5 {line} # a comment").parse().expect("a line of a script");
            prop_assert_eq!(script.due(2.0), vec![command]);
        }
    }
}

#[test]
fn every_row_with_arguments_is_among_the_lines() {
    let session = session_lines(DVec3::X, ["a", "b"], 0.5).into_iter().map(|(line, _)| line);
    let lines: Vec<String> = session.chain(other_lines(DVec3::X, "a", 0.5).into_iter().map(|(line, _)| line)).collect();
    let is_there = |name: &str| lines.iter().any(|line| line.split(' ').next() == Some(name));
    // Those of lessons and races are in the tests of lessons.
    let own = |name: &str| !["step.", "race"].iter().any(|start| name.starts_with(start));
    let rows = rows().filter(|row| row.form.contains(' ') && own(row.name()));
    let missing: Vec<&str> = rows.map(|row| row.name()).filter(|name| !is_there(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn names_with_blanks_without_quotation_marks_are_recognized() {
    for (line, hint) in [
        ("joint.select left elbow", Some("joint.select \"left elbow\"")),
        ("target.set left hand 1 2 3", Some("target.set \"left hand\" 1 2 3")),
        ("save my arm.toml", Some("save \"my arm.toml\"")),
        ("target.set hand 1 2", None),
        ("camera.orbit 1 2 3", None),
        ("theme very dark", None),
    ] {
        let message = line.parse::<Command>().expect_err("no command").to_string();
        assert_eq!(message.contains("quotation marks"), hint.is_some(), "{message}");
        if let Some(hint) = hint {
            assert!(message.ends_with(hint), "{message}");
            hint.parse::<Command>().expect("the hint is a command");
        }
    }
}
