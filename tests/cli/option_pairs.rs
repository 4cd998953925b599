//! What the definition of the command line lets stand together works together: every option alone, and every pair.

use crate::support;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};
use fabrik3d_scene::{OpenOptions, RobotBase, Scene, joint_value_names};
use std::path::Path;
use std::process::Stdio;
use support::{ProgramResult, program};

/// Where nothing else is said, a value by the name of the value.
const BY_NAME: [(&str, &str); 9] = [
    ("N", "2"),
    ("SECONDS", "0.5"),
    ("WxH", "16x16"),
    ("FACTOR", "1.5"),
    ("MARGIN", "0.001"),
    ("VALUE[m]", "1e-3m"),
    ("ANGLE", "1"),
    ("NAME=DIR", "arm=assets/models"),
    ("KEY=VALUE", "solver.max_attempts=3"),
];

/// A subcommand, what it reads and writes, and values of options that depend on it.
struct Case {
    subcommand: &'static str,
    arguments: &'static [&'static str],
    values: &'static [(&'static str, &'static str)],
}

/// The inputs.
const FILES: [(&str, &str); 5] = [
    ("robot.urdf", ROBOT_FILE),
    ("cases.jsonl", "{\"targets\": {\"hand\": {\"position\": [0.3, 0.2, 0.5]}}}\n"),
    ("targets.csv", "x,y,z\n0.3,0.2,0.5\n"),
    ("hands.csv", "x,y,z\n0.4,1.2,0.3\n0.4,1.2,0.32\n"),
    ("script.txt", "0.1 theme light\n"),
];

/// An arm with as many joints as a position has coordinates, so that the poses that reach it can be listed.
const ROBOT_FILE: &str = r#"<robot name="arm">
<link name="foot"/><link name="column"/><link name="upper"/><link name="fore"/><link name="hand"/><link name="left"/>
<joint name="turn" type="continuous"><parent link="foot"/><child link="column"/><axis xyz="0 0 1"/></joint>
<joint name="shoulder" type="revolute"><parent link="column"/><child link="upper"/><origin xyz="0 0 0.3"/>
<axis xyz="0 1 0"/><limit lower="-2" upper="2"/></joint>
<joint name="elbow" type="revolute"><parent link="upper"/><child link="fore"/><origin xyz="0.4 0 0"/>
<axis xyz="0 1 0"/><limit lower="-2" upper="2"/></joint>
<joint name="wrist" type="fixed"><parent link="fore"/><child link="hand"/><origin xyz="0.3 0 0"/></joint>
<joint name="side" type="fixed"><parent link="fore"/><child link="left"/><origin xyz="0.3 0.1 0"/></joint>
</robot>"#;

const ROBOT: &[(&str, &str)] = &[
    ("cases", "IN/cases.jsonl"),
    ("targets", "IN/targets.csv"),
    ("output", "OUT/answers.csv"),
    ("target", "hand=0.3,0.3,0.4"),
    ("rotation", "hand=0,0,0,1"),
    ("direction", "left=0,0,1"),
    ("look-at", "fore=1,1,1"),
    ("spin-axis", "hand=x"),
    ("slack", "hand=0,0,0"),
    ("joint", "elbow=30"),
    ("effector", "own=fore"),
    ("base", "shoulder"),
];

const FIGURE: &[(&str, &str)] = &[
    ("targets", "IN/hands.csv"),
    ("motion", "assets/models/walk.bvh"),
    ("match", "none=puppet:Hair3"),
    ("clip", "1"),
    ("play", "IN/script.txt"),
    ("trace", "OUT/trace.jsonl"),
    ("fps", "20"),
    ("max-velocity", "720"),
    ("max-frames", "100000"),
    ("to", "csv"),
    ("target", "puppet:LeftHand=0.4,1.2,0.3"),
    ("rotation", "puppet:LeftHand=0,0,0,1"),
    ("direction", "puppet:RightHand=0,0,1"),
    ("look-at", "puppet:Head=1,1,1"),
    ("spin-axis", "puppet:LeftHand=x"),
    ("slack", "puppet:LeftHand=0,0,inf"),
    ("joint", "puppet:LeftForeArm=0,0,30"),
    ("effector", "own=puppet:LeftForeArm"),
    ("base", "puppet:Spine"),
    ("base-kind", "fixed"),
];

const CASES: [Case; 4] = [
    Case { subcommand: "solve", arguments: &["IN/robot.urdf"], values: ROBOT },
    Case { subcommand: "convert", arguments: &["assets/models/walk.bvh", "--output=OUT/motion.csv"], values: FIGURE },
    Case { subcommand: "view", arguments: &["assets/models/puppet.gltf"], values: FIGURE },
    Case {
        subcommand: "render",
        arguments: &["assets/models/puppet.gltf", "--output=OUT/picture.png"],
        values: FIGURE,
    },
];

impl Case {
    /// The option as it is written, with a value if it takes one.
    fn word(&self, option: &Arg, joints: &str) -> String {
        let name = option.get_long().expect("options have long names");
        if !option.get_action().takes_values() {
            return format!("--{name}");
        }
        let value_name = option.get_value_names().and_then(|names| names.first()).map_or("", |name| name.as_str());
        let find = |values: &[(&str, &str)], name: &str| {
            values.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        let listed = || option.get_possible_values().last().map(|value| value.get_name().to_owned());
        let value = (name == "joints").then(|| joints.to_owned()).or_else(|| find(self.values, name));
        let value = value.or_else(listed).or_else(|| find(&BY_NAME, value_name));
        format!(
            "--{name}={}",
            value.unwrap_or_else(|| panic!("{}: a value for --{name} {value_name}", self.subcommand))
        )
    }

    /// A value for each joint that can be set in the scene as these options read it.
    fn joints(&self, options: &[&Arg], inputs: &Path) -> String {
        let is_mobile = options.iter().any(|option| option.get_long() == Some("base-kind"));
        let robot_base = if is_mobile && self.subcommand == "solve" { RobotBase::Planar } else { RobotBase::Fixed };
        let file = self.arguments[0].replace("IN", &inputs.display().to_string());
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
        let scene = Scene::open_with(file, &OpenOptions { robot_base, ..OpenOptions::default() }).expect("opens");
        let count = |joint| joint_value_names(scene.skeleton.kind(joint)).len();
        vec!["0.1"; scene.settable_joints().map(count).sum()].join(",")
    }

    /// The command line with these options and those that they require; none where the definition refuses them together.
    fn line(&self, command: &Command, options: &[&Arg], inputs: &Path) -> Option<Vec<String>> {
        let known = |name: &str| {
            let subcommand = command.find_subcommand(self.subcommand)?;
            subcommand.get_arguments().find(|option| option.get_long() == Some(name))
        };
        let mut words: Vec<String> = [self.subcommand].iter().chain(self.arguments).map(|&word| word.into()).collect();
        let joints = self.joints(options, inputs);
        words.extend(options.iter().map(|option| self.word(option, &joints)));
        loop {
            let all = std::iter::once("fabrik3d").chain(words.iter().map(String::as_str));
            let Err(error) = command.clone().try_get_matches_from(all) else { return Some(words) };
            match (error.kind(), error.get(ContextKind::InvalidArg)) {
                (ErrorKind::ArgumentConflict, _) => return None,
                (ErrorKind::MissingRequiredArgument, Some(ContextValue::Strings(missing))) => {
                    let names = missing.iter().filter_map(|word| word.split([' ', '=']).next()?.strip_prefix("--"));
                    words.extend(names.map(|name| self.word(known(name).expect("an option"), &joints)));
                }
                _ => panic!("{words:?}: {error}"),
            }
        }
    }

    /// The command lines of every option alone and of all pairs.
    fn lines(&self, inputs: &Path) -> Vec<Vec<String>> {
        let mut command = fabrik3d::cli::command();
        command.build();
        let options = command.find_subcommand(self.subcommand).expect("a subcommand").get_arguments();
        let is_given =
            |name: &str| self.arguments.iter().any(|word| word.split('=').next() == Some(&format!("--{name}")));
        let is_choice = |option: &&Arg| option.get_long().is_some_and(|name| name != "help" && !is_given(name));
        let options: Vec<&Arg> = options.filter(is_choice).collect();
        let alone = options.iter().map(|&option| vec![option]);
        let pairs = options.iter().enumerate().flat_map(|(at, one)| options[..at].iter().map(|two| vec![*one, *two]));
        alone.chain(pairs).filter_map(|chosen| self.line(&command, &chosen, inputs)).collect()
    }

    /// Whether the program went as far as it can without a display and a renderer.
    fn is_fine(&self, ran: &ProgramResult) -> bool {
        let errors: Vec<&str> = ran.err.lines().filter(|line| line.starts_with("error:")).collect();
        match (self.subcommand, &errors[..]) {
            ("view", [error]) => error.contains("there is no display"),
            ("render", [error]) => error.contains("EGL"),
            // That is the answer, of a robot that drives for example.
            ("solve", [error]) => error.contains("--all: ") && error.ends_with("in infinitely many ways"),
            (_, errors) => matches!(ran.code, Some(0 | 1)) && errors.is_empty(),
        }
    }
}

/// Runs the lines, whose files are in `inputs`. Returns those that fail, with their message.
fn failures(case: &Case, lines: &[Vec<String>], inputs: &Path) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let failure = |line: &Vec<String>| {
        let path = |word: &String| {
            let [out, inputs] = [folder.path(), inputs].map(|folder| format!("{}/", folder.display()));
            // A name of a temporary folder may end with either word.
            if word.contains("OUT/") { word.replace("OUT/", &out) } else { word.replace("IN/", &inputs) }
        };
        let words: Vec<String> = line.iter().map(path).collect();
        let mut command = program(&words.iter().map(String::as_str).collect::<Vec<_>>());
        // No renderer: to draw would take minutes.
        command.env("__EGL_VENDOR_LIBRARY_DIRS", inputs).env("FABRIK3D_CONFIG", inputs.join("settings.toml"));
        let ran: ProgramResult = command.stdin(Stdio::null()).output().expect("the program starts").into();
        (!case.is_fine(&ran)).then(|| format!("{}\n{:?} {}", line.join(" "), ran.code, ran.err))
    };
    lines.iter().filter_map(failure).collect()
}

fn run(subcommand: &str) {
    let case = CASES.iter().find(|case| case.subcommand == subcommand).expect("a case");
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in FILES {
        std::fs::write(folder.path().join(name), text).expect("can be written");
    }
    let lines = case.lines(folder.path());
    assert!(lines.len() > 300, "{}", lines.len());
    let half = lines.len() / 2;
    let failed = std::thread::scope(|scope| {
        let other = scope.spawn(|| failures(case, &lines[half..], folder.path()));
        let mut failed = failures(case, &lines[..half], folder.path());
        failed.extend(other.join().expect("no panic"));
        failed
    });
    assert!(failed.is_empty(), "{} of {}:\n{}", failed.len(), lines.len(), failed.join("\n"));
}

#[test]
fn options_of_solve_that_may_stand_together_do() {
    run("solve");
}

#[test]
fn options_of_convert_that_may_stand_together_do() {
    run("convert");
}

#[test]
fn options_of_view_that_may_stand_together_do() {
    run("view");
}

#[test]
fn options_of_render_that_may_stand_together_do() {
    run("render");
}
