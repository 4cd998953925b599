//! The syntax of commands: a written command reads back as the same command.

use fabrik3d::session::command::{
    AppCommand, CameraCommand, Command, DisplayCommand, Section, SessionCommand, Show, Theme, ViewPreset, rows,
};
use fabrik3d::session::script::Script;
use fabrik3d::session::{
    EffectorCommand, FileCommand, JointCommand, MotionCommand, MotionMode, PathShape, PoseCommand, RotationCommand,
};
use fabrik3d_ik::settings::Method;
use glam::{DQuat, DVec3};
use proptest::prelude::*;

fn vector() -> impl Strategy<Value = DVec3> {
    let number = || prop_oneof![-1e6..1e6_f64, Just(0.0), Just(-0.1), Just(1e-300), Just(1e100)];
    [number(), number(), number()].prop_map(DVec3::from_array)
}

fn quaternion() -> impl Strategy<Value = DQuat> {
    let number = || -1.0..1.0_f64;
    (number(), number(), number(), 1e-3..1.0_f64).prop_map(|(x, y, z, w)| DQuat::from_xyzw(x, y, z, w).normalize())
}

/// Names, some with blanks, quotation marks, backslashes and comment signs.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![r#"[a-z_.]{1,8}"#, r#"[ a-z"\\#äß-]{0,10}"#]
}

fn file() -> impl Strategy<Value = Option<std::path::PathBuf>> {
    proptest::option::of(name().prop_map(std::path::PathBuf::from))
}

fn session_command() -> impl Strategy<Value = SessionCommand> {
    use SessionCommand as S;
    let factor = || 1e-3..1e3_f64;
    let step = || prop_oneof![Just(1), Just(-1)];
    let shapes = PathShape::NAMES.map(|(_, shape)| shape);
    let rotation = prop_oneof![
        vector().prop_map(RotationCommand::Turn),
        quaternion().prop_map(RotationCommand::Set),
        Just(RotationCommand::Clear),
        Just(RotationCommand::Toggle),
        proptest::option::of(vector()).prop_map(RotationCommand::LookAt),
    ];
    let axis = vector().prop_filter("an axis", |axis| axis.try_normalize().is_some());
    let effector = prop_oneof![
        (name(), proptest::option::of(axis)).prop_map(|(name, axis)| EffectorCommand::Spin(name, axis)),
        (name(), vector()).prop_map(|(name, slack)| EffectorCommand::Slack(name, slack.abs())),
    ];
    let joint = prop_oneof![
        step().prop_map(JointCommand::Step),
        name().prop_map(JointCommand::Select),
        (name(), proptest::collection::vec(-1e3..1e3_f64, 1..7)).prop_map(|(name, to)| JointCommand::Set(name, to)),
        (name(), proptest::collection::vec(-1e3..1e3_f64, 1..7)).prop_map(|(name, to)| JointCommand::Glide(name, to)),
        (name(), 0.0..=1.0_f64).prop_map(|(name, stiffness)| JointCommand::Stiffness(name, stiffness)),
        Just(JointCommand::Clear)
    ];
    let pose = prop_oneof![
        proptest::collection::vec(-1e3..1e3_f64, 1..9).prop_map(PoseCommand::Glide),
        Just(PoseCommand::Release)
    ];
    let turn = quaternion();
    prop_oneof![
        vector().prop_map(S::TargetMove),
        (proptest::option::of(name()), vector()).prop_map(|(name, place)| S::TargetSet(name, place)),
        (1..100_usize).prop_map(S::TargetPreset),
        proptest::option::of(proptest::sample::select(shapes.to_vec())).prop_map(S::TargetPath),
        rotation.prop_map(S::Rotation),
        effector.prop_map(S::Effector),
        step().prop_map(S::EffectorNext),
        name().prop_map(S::EffectorSelect),
        joint.prop_map(S::Joint),
        pose.prop_map(S::Pose),
        (name(), vector(), proptest::option::of(turn))
            .prop_map(|(name, place, turn)| S::TargetGlide(name, place, turn)),
        any::<bool>().prop_map(S::Pause),
        proptest::option::of(any::<bool>()).prop_map(S::KeepClear),
        factor().prop_map(S::Speed),
        proptest::sample::select(Method::ALL.to_vec()).prop_map(S::Method),
        (name(), name()).prop_map(|(key, value)| S::Set(key, value)),
        motion_command().prop_map(S::Motion),
        proptest::sample::select(vec![
            S::TargetRandom,
            S::TargetGrab,
            S::TogglePause,
            S::Reset,
            S::NextMethod,
            S::ToggleBase,
            S::Undo,
            S::Redo
        ]),
    ]
}

fn motion_command() -> impl Strategy<Value = MotionCommand> {
    use MotionCommand as M;
    let time = || 0.0..1e6_f64;
    let modes = MotionMode::NAMES.map(|(_, mode)| mode).to_vec();
    prop_oneof![
        (name(), proptest::collection::vec((name(), name()), 0..3))
            .prop_map(|(file, pairs)| M::Open(file.into(), pairs)),
        any::<bool>().prop_map(M::Play),
        time().prop_map(M::Seek),
        time().prop_map(M::Scrub),
        any::<i64>().prop_map(M::Step),
        (1e-3..1e3_f64).prop_map(M::Speed),
        any::<bool>().prop_map(M::Loop),
        proptest::option::of(proptest::sample::select(modes)).prop_map(M::Mode),
        name().prop_map(M::Clip),
        (name(), name()).prop_map(|(joint, effector)| M::Drive(joint, effector)),
        proptest::sample::select(vec![M::Close, M::TogglePlay]),
    ]
}

fn camera_command() -> impl Strategy<Value = CameraCommand> {
    use CameraCommand as C;
    let number = || -1e3..1e3_f64;
    let views = ViewPreset::NAMES.map(|(_, side)| side);
    prop_oneof![
        (number(), number()).prop_map(|(yaw, pitch)| C::Orbit(yaw, pitch)),
        (number(), number()).prop_map(|(x, y)| C::Pan(x, y)),
        (1e-3..1e3_f64, proptest::option::of([number(), number()])).prop_map(|(factor, at)| C::Zoom(factor, at)),
        proptest::sample::select(views.to_vec()).prop_map(C::View),
        vector().prop_map(C::Focus),
        proptest::option::of(proptest::bool::ANY).prop_map(C::Follow),
        proptest::sample::select(vec![C::Frame, C::FrameSelected, C::Reset, C::ToggleProjection]),
    ]
}

fn display_command() -> impl Strategy<Value = DisplayCommand> {
    use DisplayCommand as D;
    let shows = || proptest::sample::select(Show::NAMES.map(|(_, what)| what).to_vec());
    prop_oneof![
        (shows(), any::<bool>()).prop_map(|(what, on)| D::Show(what, on)),
        shows().prop_map(D::Toggle),
        proptest::sample::select(Theme::NAMES.map(|(_, theme)| theme).to_vec()).prop_map(D::Theme),
        (0.25..8.0_f32).prop_map(D::FontScale),
        (230.0..520.0_f32).prop_map(D::PanelWidth),
        (proptest::sample::select(Section::NAMES.map(|(_, section)| section).to_vec()), any::<bool>())
            .prop_map(|(section, on)| D::Section(section, on)),
        proptest::sample::select(vec![D::NextLinkStyle, D::NextMotionAxes]),
    ]
}

fn app_command() -> impl Strategy<Value = AppCommand> {
    use AppCommand as A;
    prop_oneof![
        file().prop_map(A::Screenshot),
        file().prop_map(|file| A::File(FileCommand::Open(file))),
        file().prop_map(|file| A::File(FileCommand::Save(file))),
        file().prop_map(|file| A::File(FileCommand::Record(file))),
        Just(A::File(FileCommand::AskForMotion)),
        proptest::option::of(any::<u64>()).prop_map(A::Dismiss),
        proptest::sample::select(vec![A::Reload, A::Fullscreen, A::Cancel, A::Quit]),
    ]
}

#[test]
fn every_example_of_the_table_can_be_run() {
    let mut names = std::collections::HashSet::new();
    for row in rows() {
        let command: Result<Command, _> = row.example.parse();
        assert!(command.is_ok(), "{}: {command:?}", row.example);
        assert!(row.example.starts_with(row.name()), "{}", row.example);
        assert!(names.insert(row.name()), "{} occurs twice", row.name());
    }
    let error = "target.mvoe 1 0 0".parse::<Command>().unwrap_err().to_string();
    assert_eq!(error, "unknown command `target.mvoe`: did you mean `target.move`?");
}

proptest! {
    #[test]
    fn a_written_command_reads_back(
        command in prop_oneof![
            session_command().prop_map(Command::Session),
            camera_command().prop_map(Command::Camera),
            display_command().prop_map(Command::Display),
            app_command().prop_map(Command::App),
        ],
    ) {
        let text = command.to_string();
        let name = text.split(' ').next().unwrap_or_default();
        prop_assert!(rows().any(|row| row.name() == name), "the table lacks {}", name);
        prop_assert_eq!(text.parse::<Command>(), Ok(command.clone()), "{}", text);
        let mut script: Script = format!("1.5 {text} # a comment").parse().expect("a line of a script");
        prop_assert_eq!(script.due(2.0), vec![command]);
    }
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
