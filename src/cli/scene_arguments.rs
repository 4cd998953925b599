//! Arguments of all subcommands that read a scene.

use super::context::Failure;
use super::target_arguments::TargetArguments;
use crate::examples;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use fabrik3d_scene::{
    BodyLimits, Change, DaeUp, OpenOptions, RobotBase, RobotLimits, RowBlocks, Scene, Surfaces, Syntax, TargetColumns,
    Up, bounded_number, read_targets, ros_package_folders,
};
use fabrik3d_viewer::forward::{self, JointError};
use std::borrow::Cow;
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Largest scene that is read from standard input, bytes.
const LARGEST_INPUT: u64 = 64 << 20;
/// What messages call standard input.
const STANDARD_INPUT: &str = "<stdin>";
/// The extension determines the format.
const STANDARD_INPUT_AS_URDF: &str = "<stdin>.urdf";

/// Flags that change the scene after reading.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Scene")]
pub(super) struct SceneArguments {
    #[command(flatten)]
    targets: TargetArguments,
    /// Initial value of a joint: degrees, the distance of a slide, or three numbers for a ball; the others stay as they open
    #[arg(long, value_name = "NAME=VALUE[,VALUE..]", value_parser = parse_joint, allow_hyphen_values = true)]
    joint: Vec<(String, Vec<f64>)>,
    /// Initial values of all joints that can be set, in the order of the file
    #[arg(long, value_name = "VALUE,VALUE,..", value_parser = parse_numbers, allow_hyphen_values = true)]
    joints: Option<Arc<[f64]>>,
    /// Add an effector to a joint or a link; it is free until it has a target
    #[arg(long, value_name = "[NAME=]JOINT", value_parser = parse_effector)]
    effector: Vec<(Option<String>, String)>,
    /// Ignore the effectors of the file
    #[arg(long, requires = "effector")]
    only_effectors: bool,
    /// Joint or link at which the chains of the effectors start; everything between the root and it stays fixed
    #[arg(long, value_name = "NAME")]
    base: Option<String>,
    /// Largest distance from a target that counts as reached: in the unit of the scene (1e-5m), or as a fraction of the
    /// reach (1e-4)
    #[arg(long, value_name = "VALUE[m]", value_parser = parse_tolerance)]
    tolerance: Option<Tolerance>,
    /// Largest angle from a target orientation that counts as reached, in degrees, or in radians (0.01rad) [default: that of
    /// the scene, else 0.1]
    #[arg(long, value_name = "ANGLE", value_parser = parse_rotation_tolerance)]
    rotation_tolerance: Option<f64>,
    /// Keep links clear of each other and of obstacles, by MARGIN where the targets allow it [default MARGIN: a hundredth of
    /// the figure]
    #[arg(long, value_name = "MARGIN", num_args = 0..=1, require_equals = true, value_parser = parse_margin)]
    keep_clear: Option<Option<f64>>,
    /// Override a value of the scene: solver.tolerance=1e-6, `joint.elbow.range=[0,90]`
    #[arg(long, value_name = "KEY=VALUE", value_parser = clap::value_parser!(Change))]
    set: Vec<Change>,
    /// Axis that points up, also in the recording of --motion
    #[arg(long, value_name = "y|z", hide_possible_values = true, value_parser = up_axes())]
    pub up: Option<Up>,
    #[command(flatten)]
    reading: ReadingArguments,
    /// Up axis of a robot's COLLADA meshes: `ignore` the axis that the file names, as ROS does, or turn the meshes as the
    /// `file` says
    #[arg(long, value_name = "file|ignore", hide_possible_values = true, default_value = "ignore")]
    #[arg(value_parser = one_of([("ignore", DaeUp::Ignore), ("file", DaeUp::File)]))]
    dae_up: DaeUp,
    /// How the root link of a robot moves: it stands, floats (`free`), or drives in the plane of x and y (`planar`)
    #[arg(
        long,
        value_name = "free|planar",
        hide_possible_values = true,
        default_value = "fixed",
        hide_default_value = true
    )]
    #[arg(value_parser = one_of([("fixed", RobotBase::Fixed), ("free", RobotBase::Free), ("planar", RobotBase::Planar)]))]
    base_kind: RobotBase,
    /// Ignore the soft limits of robots (`safety_controller` in URDF)
    #[arg(long)]
    hard_limits: bool,
}

/// Flags of all subcommands that read files.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct ReadingArguments {
    /// Folder of the package in package://NAME/ paths
    #[arg(long, value_name = "NAME=DIR", value_parser = parse_package)]
    package_path: Vec<(String, PathBuf)>,
    /// Do not apply human joint limits to recognised bodies in glTF and BVH files
    #[arg(long)]
    no_body_limits: bool,
}

impl ReadingArguments {
    pub fn options(&self) -> OpenOptions {
        OpenOptions {
            packages: self.package_path.clone(),
            package_folders: ros_package_folders(),
            body_limits: if self.no_body_limits { BodyLimits::Off } else { BodyLimits::Human },
            ..OpenOptions::default()
        }
    }
}

/// A distance that counts as none, at least 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Tolerance {
    /// A distance in the unit of the scene.
    Distance(f64),
    /// A fraction of the effector's size.
    Fraction(f64),
}

/// As flags take it.
impl std::fmt::Display for Tolerance {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Tolerance::Distance(distance) => write!(f, "{distance}m"),
            Tolerance::Fraction(fraction) => write!(f, "{fraction}"),
        }
    }
}

impl Tolerance {
    /// The distance, in the unit of the scene.
    pub fn distance(self, scene: &Scene) -> f64 {
        match self {
            Tolerance::Distance(distance) => distance,
            Tolerance::Fraction(fraction) => fraction * scene.largest_effector_size(),
        }
    }
}

impl SceneArguments {
    /// Reads the scene from a file, from standard input (`-`), or the demo if there is no file.
    pub fn load(&self, file: Option<&Path>, surfaces: Surfaces) -> Result<Scene, Failure> {
        let surfaces = if self.keep_clear.is_some() { Surfaces::Load } else { surfaces };
        self.load_with(file, &OpenOptions { surfaces, ..self.options() })
    }

    /// The same with other options for reading.
    pub fn load_with(&self, file: Option<&Path>, options: &OpenOptions) -> Result<Scene, Failure> {
        let mut scene = open(file, options)?;
        if let Some(margin) = self.keep_clear {
            scene.margin = margin.or(scene.margin);
            scene.set_keep_clear(true);
        }
        if self.only_effectors {
            scene.effectors.clear();
        }
        for (name, joint) in &self.effector {
            let added = scene.add_effector(joint, name.as_deref());
            added.map_err(|error| Failure::Message(format!("--effector: {error}")))?;
        }
        self.set_joints(&mut scene)?;
        if self.has_targets() {
            scene.free_robot_effectors();
        }
        self.targets.apply(&mut scene)?;
        if let Some(base) = &self.base {
            scene.set_base(base).map_err(|error| Failure::Message(format!("--base: {error}")))?;
        }
        match self.tolerance {
            Some(Tolerance::Distance(distance)) => scene.set_distance_tolerance(distance),
            Some(Tolerance::Fraction(fraction)) => scene.settings.tolerance = fraction,
            None => {}
        }
        scene.settings.rotation_tolerance = self.rotation_tolerance.unwrap_or(scene.settings.rotation_tolerance);
        Ok(scene)
    }

    pub(super) fn has_targets(&self) -> bool {
        self.targets.is_any()
    }

    /// Whether flags set joint values but no targets, so that there is nothing to solve.
    pub(super) fn is_forward(&self) -> bool {
        !self.has_targets() && (self.joints.is_some() || !self.joint.is_empty())
    }

    /// Sets the initial joint values. Values beyond the limits are clamped, with a warning in the scene.
    fn set_joints(&self, scene: &mut Scene) -> Result<(), Failure> {
        let mut given: Vec<(&str, usize, &[f64])> = Vec::new();
        let fail = |flag: &str, error: JointError| Failure::Message(format!("{flag}: {error}"));
        if let Some(values) = &self.joints {
            let by_joint = forward::values_by_joint(scene, values).map_err(|error| fail("--joints", error))?;
            given.extend(by_joint.into_iter().map(|(joint, values)| ("--joints", joint, values)));
        }
        for (name, values) in &self.joint {
            let joint = forward::find_joint(scene, name).map_err(|error| fail("--joint", error))?;
            given.push(("--joint", joint, values));
        }
        for (flag, joint, values) in given {
            let clamped = forward::set_joint(scene, joint, values).map_err(|error| fail(flag, error))?;
            if let Some(clamped) = clamped {
                Arc::make_mut(&mut scene.assets).warnings.push(format!("{flag}: {clamped}"));
            }
        }
        Ok(())
    }

    /// How files are read, for scenes that the changes are not meant for: the package folders, and the axes and limits of files.
    pub fn reading_only(&self) -> Self {
        let (reading, up, dae_up, hard_limits) = (self.reading.clone(), self.up, self.dae_up, self.hard_limits);
        SceneArguments { reading, up, dae_up, hard_limits, ..SceneArguments::default() }
    }

    /// How the file is read, with the changes of `--set`.
    pub fn options(&self) -> OpenOptions {
        let mut changes = self.set.clone();
        changes.extend(self.up.map(up_change));
        OpenOptions {
            changes,
            dae_up: self.dae_up,
            robot_limits: if self.hard_limits { RobotLimits::Hard } else { RobotLimits::Soft },
            robot_base: self.base_kind,
            ..self.reading.options()
        }
    }
}

/// Reads the scene with these options.
fn open(file: Option<&Path>, options: &OpenOptions) -> Result<Scene, Failure> {
    Ok(match file {
        None => examples::demo().with_changes(options)?,
        Some(path) if is_standard(path) => from_standard_input(options)?,
        Some(path) => examples::open(path, options)?,
    })
}

/// Reads a scene from standard input. Text that starts with a brace is JSON, with an angle bracket URDF or MJCF, all other text is TOML.
fn from_standard_input(options: &OpenOptions) -> Result<Scene, Failure> {
    let mut text = String::new();
    let read = std::io::stdin().lock().take(LARGEST_INPUT + 1).read_to_string(&mut text);
    read.map_err(|error| Failure::Message(format!("standard input cannot be read: {error}")))?;
    if text.len() as u64 > LARGEST_INPUT {
        let most = LARGEST_INPUT >> 20;
        return Err(Failure::Message(format!(
            "{STANDARD_INPUT}: a scene may have at most {most} MB; pass it as a file"
        )));
    }
    let content = text.trim_start_matches('\u{feff}').trim_start();
    if content.starts_with('<') {
        return Ok(Scene::from_bytes(text.into_bytes(), STANDARD_INPUT_AS_URDF, options)?);
    }
    let format = if content.starts_with('{') { Syntax::Json } else { Syntax::Toml };
    Ok(Scene::parse_with(&text, format, STANDARD_INPUT, options)?)
}

/// The change of a scene by `--up`.
pub(super) fn up_change(up: Up) -> Change {
    Change::text("up", if up == Up::Z { "z" } else { "y" })
}

/// The parser of `--up`.
pub(super) fn up_axes() -> impl TypedValueParser<Value = Up> {
    one_of([("y", Up::Y), ("z", Up::Z)])
}

/// Whether a path stands for standard input or output.
pub(super) fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}

/// The name of an input in messages.
pub(super) fn input_name(path: &Path) -> Cow<'_, str> {
    if is_standard(path) { STANDARD_INPUT.into() } else { path.to_string_lossy() }
}

/// Opens a file for sequential reading; `-` is standard input.
pub(super) fn open_input(path: &Path) -> Result<Box<dyn BufRead + Send>, Failure> {
    if is_standard(path) {
        return Ok(Box::new(BufReader::new(std::io::stdin())));
    }
    match File::open(path) {
        Ok(file) => Ok(Box::new(BufReader::new(file))),
        Err(error) => Err(unreadable(&input_name(path))(error)),
    }
}

/// Opens a table of targets, or standard input for `-`.
pub(super) fn open_table(
    path: &Path,
    scene: &Scene,
) -> Result<(TargetColumns, RowBlocks<Box<dyn BufRead + Send>>), Failure> {
    read_targets(open_input(path)?, path, scene)
        .map_err(|error| Failure::Message(format!("{}: {error}", input_name(path))))
}

/// Makes the failure for an input that cannot be read.
pub(super) fn unreadable(origin: &str) -> impl Fn(std::io::Error) -> Failure + '_ {
    move |error| match error.kind() {
        // The message says what is wrong with the content.
        ErrorKind::InvalidData | ErrorKind::UnexpectedEof => Failure::Message(format!("{origin}: {error}")),
        _ => Failure::Message(format!("{origin}: cannot be read: {error}")),
    }
}

/// Makes the failure for a file that cannot be written.
pub(super) fn unwritable(path: &Path) -> impl Fn(std::io::Error) -> Failure + '_ {
    move |error| match error.kind() {
        ErrorKind::BrokenPipe => Failure::Closed,
        _ => Failure::Message(format!("{}: cannot be written: {error}", path.display())),
    }
}

fn parse_effector(text: &str) -> Result<(Option<String>, String), String> {
    let (name, joint) = match text.split_once('=') {
        Some((name, joint)) => (Some(name.to_owned()), joint),
        None => (None, text),
    };
    match joint.is_empty() || name.as_ref().is_some_and(String::is_empty) {
        true => Err("expected a joint, for example wrist or hand=wrist".to_owned()),
        false => Ok((name, joint.to_owned())),
    }
}

fn parse_joint(text: &str) -> Result<(String, Vec<f64>), String> {
    let (name, numbers) = text.rsplit_once('=').ok_or("expected NAME=VALUE, for example elbow=30")?;
    Ok((name.to_owned(), parse_numbers(numbers)?.to_vec()))
}

fn parse_numbers(text: &str) -> Result<Arc<[f64]>, &'static str> {
    let numbers = text.split(',').map(|part| bounded_number(part.trim()));
    numbers.collect::<Option<_>>().ok_or("expected numbers up to 1e100, for example 30 or 10,-20,5")
}

/// A recorded joint, or `none`, and the joint of the figure that follows it.
pub(super) fn parse_match(text: &str) -> Result<(String, String), &'static str> {
    let (recorded, joint) = text.split_once('=').ok_or("expected RECORDED=JOINT, for example Hips=pelvis")?;
    Ok((recorded.to_owned(), joint.to_owned()))
}

fn parse_package(text: &str) -> Result<(String, PathBuf), &'static str> {
    let (name, folder) = text.split_once('=').ok_or("expected NAME=DIR")?;
    Ok((name.to_owned(), PathBuf::from(folder)))
}

/// A finite number that is allowed; `expected` describes it.
pub(super) fn number(text: &str, is_allowed: impl Fn(f64) -> bool, expected: &str) -> Result<f64, String> {
    let value = text.trim().parse().ok().filter(|value: &f64| value.is_finite() && is_allowed(*value));
    value.ok_or_else(|| expected.to_owned())
}

fn not_negative(value: f64) -> bool {
    value >= 0.0
}

fn parse_margin(text: &str) -> Result<f64, String> {
    number(text, |margin| (0.0..=1e100).contains(&margin), "expected a distance that is not negative, for example 0.02")
}

fn parse_tolerance(text: &str) -> Result<Tolerance, String> {
    let expected = "expected a distance such as 1e-5m, in the unit of the scene, or a fraction such as 1e-4";
    tolerance(text, not_negative, expected)
}

/// A tolerance of paths: no way keeps to a line exactly.
pub(super) fn parse_path_tolerance(text: &str) -> Result<Tolerance, String> {
    let expected = "expected a distance above 0 such as 0.002m, in the unit of the scene, or a fraction such as 0.001";
    tolerance(text, |value| value > 0.0, expected)
}

fn tolerance(text: &str, is_allowed: fn(f64) -> bool, expected: &str) -> Result<Tolerance, String> {
    let (value, make): (_, fn(f64) -> _) = match text.strip_suffix('m') {
        Some(value) => (value, Tolerance::Distance),
        None => (text, Tolerance::Fraction),
    };
    number(value, is_allowed, expected).map(make)
}

/// An angle in radians.
fn parse_rotation_tolerance(text: &str) -> Result<f64, String> {
    let (value, unit) = match text.strip_suffix("rad") {
        Some(value) => (value, 1.0),
        None => (text.strip_suffix("deg").unwrap_or(text), 1_f64.to_radians()),
    };
    let expected = "expected an angle that is not negative: 0.5 (degrees) or 0.01rad";
    number(value, not_negative, expected).map(|value| value * unit)
}

/// The parser of one of several words, each with its value.
pub(super) fn one_of<T, const N: usize>(words: [(&'static str, T); N]) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    let value = move |word: String| words.iter().find(|(known, _)| *known == word).map_or(words[0].1, |known| known.1);
    PossibleValuesParser::new(words.map(|(word, _)| word)).map(value)
}
