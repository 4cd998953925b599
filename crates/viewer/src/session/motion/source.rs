//! Recordings: figures with clips, and tables of targets.

use crate::session::command_error::CommandError;
use crate::session::host::Host;
use fabrik3d_ik::goals::Orientation;
use fabrik3d_ik::{Pose, Skeleton};
use fabrik3d_scene::MAX_FRAMES;
use fabrik3d_scene::{
    BodyLimits, Content, FileFormat, Files, HumanLimits, Motion, OpenOptions, Scene, Surfaces, TargetColumns, Up,
    open_targets, read_pose_table_of, row_time,
};
use glam::DVec3;
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A recording: a figure with clips, or a table of targets. It does not change after it is read.
#[derive(Clone, Debug, PartialEq)]
pub struct MotionSource {
    /// The file; none for the clips of the scene itself.
    pub file: Option<PathBuf>,
    content: MotionContent,
    /// A sentence about what of a table is not used as it stands.
    pub(super) note: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
enum MotionContent {
    /// A figure with clips.
    Figure(Box<Scene>),
    /// Targets of effectors, row by row.
    Table(TargetRows),
}

/// A table of targets in memory.
#[derive(Clone, Debug, PartialEq)]
struct TargetRows {
    name: String,
    effectors: Vec<String>,
    /// Whether the table says how each of them is turned. Then rows that leave it empty leave it open.
    has_turns: Vec<bool>,
    /// Position of each of these effectors in the world, and its orientation if the table has one, row after row.
    targets: Vec<(DVec3, Option<Orientation>)>,
}

impl TargetRows {
    /// Number of rows.
    fn len(&self) -> usize {
        self.targets.len() / self.effectors.len().max(1)
    }

    /// Position and orientation of an effector at a time, interpolated between rows. Directions and points to look at are those
    /// of the row before.
    fn target(&self, effector: usize, seconds: f64) -> (DVec3, Option<Orientation>) {
        let row = (seconds / row_time(self.len())).clamp(0.0, self.len().saturating_sub(1) as f64);
        let at = |row: usize| self.targets[row.min(self.len() - 1) * self.effectors.len() + effector];
        let ((from, turned), (to, next)) = (at(row as usize), at(row as usize + 1));
        let turned = match (turned, next) {
            (Some(Orientation::Rotation(from)), Some(Orientation::Rotation(to))) => {
                Some(Orientation::Rotation(from.slerp(to, row.fract())))
            }
            _ => turned,
        };
        (from.lerp(to, row.fract()), turned)
    }
}

impl MotionSource {
    /// The clips of a scene; none if it has no clip, or a single pose, in which it opens.
    pub fn of_scene(scene: &Scene) -> Option<Self> {
        let motions = &scene.assets.motions;
        let has_choice = motions.len() > 1 || motions.iter().any(|motion| motion.len() > 1);
        has_choice.then(|| MotionSource {
            file: None,
            content: MotionContent::Figure(Box::new(scene.clone())),
            note: None,
        })
    }

    /// Reads a recording for `scene`: a table of targets (`.csv`, `.npy`), a table of its poses (`.csv`), or a
    /// figure with clips.
    ///
    /// # Errors
    /// The file cannot be read, or contains no clip or row.
    pub fn read(path: &Path, scene: &Scene, up: Option<Up>, host: Host) -> Result<Self, CommandError> {
        let fail = |message: String| CommandError::MotionFile(message);
        let is_table = |format: &FileFormat| format.holds(Content::Targets);
        let (mut note, files) = (None, (host.files)());
        let content = match FileFormat::of_file(path, &files).is_some_and(is_table) {
            true => match read_poses(path, &files, scene)? {
                Some((figure, beyond_limits)) => {
                    note = beyond_limits;
                    MotionContent::Figure(Box::new(figure))
                }
                None => {
                    let (rows, unused) = read_table(path, &files, scene)?;
                    note = unused;
                    MotionContent::Table(rows)
                }
            },
            false => {
                // With the limits of the same person, the figure of the scene is recognized as the recorded one.
                let has_limits = scene.assets.human_limits != HumanLimits::default();
                let body_limits = if has_limits { BodyLimits::Human } else { BodyLimits::Off };
                let options = OpenOptions { surfaces: Surfaces::Skip, body_limits, ..OpenOptions::default() };
                let mut recorded = (host.open)(path, &options).map_err(|error| fail(error.to_string()))?;
                recorded.up = up.unwrap_or(recorded.up);
                if recorded.assets.motions.iter().all(Motion::is_empty) {
                    let motion = FileFormat::list(|format| format.holds(Content::Motion), "and");
                    let tables = FileFormat::list(is_table, "and");
                    let advice = format!("recorded motion is in {motion}, targets are in {tables}");
                    return Err(fail(format!("{}: there is no clip in it\n  help: {advice}", path.display())));
                }
                MotionContent::Figure(Box::new(recorded))
            }
        };
        Ok(MotionSource { file: Some(path.to_owned()), content, note })
    }

    /// Names of the clips, in the order of the file.
    pub fn clips(&self) -> Vec<&str> {
        match &self.content {
            MotionContent::Figure(scene) => scene.assets.motions.iter().map(|motion| motion.name.as_str()).collect(),
            MotionContent::Table(rows) => vec![&rows.name],
        }
    }

    /// Duration of a clip, seconds.
    pub fn duration(&self, clip: usize) -> f64 {
        match &self.content {
            MotionContent::Figure(scene) => scene.assets.motions[clip].duration(),
            MotionContent::Table(rows) => rows.len().saturating_sub(1) as f64 * row_time(rows.len()),
        }
    }

    /// Time between two frames of a clip, seconds.
    pub fn frame_time(&self, clip: usize) -> f64 {
        match &self.content {
            MotionContent::Figure(scene) => scene.assets.motions[clip].frame_time,
            MotionContent::Table(rows) => row_time(rows.len()),
        }
    }

    /// Names of what targets can follow: the joints of the figure, or the effectors of the table.
    pub fn tracks(&self) -> Vec<&str> {
        match &self.content {
            MotionContent::Figure(scene) => scene.skeleton.joints().iter().map(|joint| joint.name.as_str()).collect(),
            MotionContent::Table(rows) => rows.effectors.iter().map(String::as_str).collect(),
        }
    }

    /// The figure; none for a table.
    pub fn figure(&self) -> Option<&Scene> {
        match &self.content {
            MotionContent::Figure(scene) => Some(scene),
            MotionContent::Table(_) => None,
        }
    }

    /// Pose of the figure at a time, on its own skeleton; none for a table.
    pub(super) fn pose(&self, clip: usize, seconds: f64) -> Option<Pose> {
        let scene = self.figure()?;
        Some(scene.assets.motions[clip].pose_at(&scene.skeleton, seconds))
    }

    /// The skeleton of the figure with the link lengths of a time; none for a table.
    pub(super) fn skeleton(&self, clip: usize, seconds: f64) -> Option<Cow<'_, Skeleton>> {
        let scene = self.figure()?;
        Some(scene.assets.motions[clip].skeleton_at(&scene.skeleton, seconds))
    }

    /// Where the joints are on their parents at a time that any clip moves there; at rest without a time.
    pub(super) fn offsets(&self, clip: usize, seconds: Option<f64>) -> Vec<(usize, DVec3)> {
        let Some(scene) = self.figure() else { return Vec::new() };
        let (skeleton, motions) = (&scene.skeleton, &scene.assets.motions);
        let joints = motions.iter().flat_map(|motion| motion.moved_joints());
        let at_rest = joints.map(|&joint| (joint, skeleton.joints()[joint].offset));
        let recorded = seconds.map_or(Vec::new(), |seconds| motions[clip].offsets_at(skeleton, seconds));
        at_rest.chain(recorded).collect()
    }

    /// Whether it is a table that has orientations for an effector.
    pub(super) fn has_turns(&self, track: usize) -> bool {
        matches!(&self.content, MotionContent::Table(rows) if rows.has_turns[track])
    }

    /// Position in a table at a time, and the orientation if it has one; none for a figure.
    pub(super) fn table_target(&self, track: usize, seconds: f64) -> Option<(DVec3, Option<Orientation>)> {
        match &self.content {
            MotionContent::Figure(_) => None,
            MotionContent::Table(rows) => Some(rows.target(track, seconds)),
        }
    }

    /// Distance between the end and the start of a clip, relative to the size of what moves; 0 for a closed clip.
    pub(super) fn gap(&self, clip: usize) -> f64 {
        let end = self.duration(clip);
        let (first, last, size): (Vec<DVec3>, Vec<DVec3>, f64) = match &self.content {
            MotionContent::Figure(scene) => {
                let places = |seconds| places(&scene.skeleton, &scene.assets.motions[clip], seconds);
                let sizes = scene.effectors.iter().map(|effector| scene.effector_size(effector));
                (places(0.0), places(end), sizes.fold(f64::MIN_POSITIVE, f64::max))
            }
            MotionContent::Table(rows) => {
                let places = |seconds| (0..rows.effectors.len()).map(|at| rows.target(at, seconds).0).collect();
                (places(0.0), places(end), extent(rows.targets.iter().map(|target| target.0)))
            }
        };
        let farthest = first.iter().zip(&last).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        farthest / size
    }
}

fn places(skeleton: &Skeleton, motion: &Motion, seconds: f64) -> Vec<DVec3> {
    let moved = motion.skeleton_at(skeleton, seconds);
    moved.frames(&motion.pose_at(skeleton, seconds)).iter().map(|frame| frame.position).collect()
}

/// Diagonal of the box around points.
fn extent(points: impl Iterator<Item = DVec3> + Clone) -> f64 {
    let low = points.clone().fold(DVec3::INFINITY, DVec3::min);
    let high = points.fold(DVec3::NEG_INFINITY, DVec3::max);
    low.distance(high).max(f64::MIN_POSITIVE)
}

/// The scene with a table of its poses as its only clip, and what the table says of values beyond limits; `None` for other
/// tables.
fn read_poses(path: &Path, files: &Files, scene: &Scene) -> Result<Option<(Scene, Option<String>)>, CommandError> {
    let fail = |message: String| CommandError::MotionFile(format!("{}: {message}", path.display()));
    let table = read_pose_table_of(path, files, scene).map_err(fail)?;
    Ok(table.map(|table| {
        let mut figure = scene.clone();
        Arc::make_mut(&mut figure.assets).motions = vec![table.motion];
        (figure, table.beyond_limits)
    }))
}

/// A table of targets, and what of it is not used.
fn read_table(path: &Path, files: &Files, scene: &Scene) -> Result<(TargetRows, Option<String>), CommandError> {
    let fail = |message: String| CommandError::MotionFile(format!("{}: {message}", path.display()));
    let (columns, rows) = open_targets(path, files, scene).map_err(fail)?;
    let given: Vec<usize> = columns.effectors().collect();
    let mut targets = Vec::new();
    for row in rows.rows() {
        let (number, row) = row.map_err(|error| fail(format!("cannot be read: {error}")))?;
        let in_row = |error: String| fail(format!("{}: {error}", columns.place(number)));
        let case = columns.case(scene, &row.map_err(in_row)?).map_err(in_row)?;
        if targets.len() == MAX_FRAMES * given.len() {
            return Err(fail(format!("there are more than {MAX_FRAMES} rows")));
        }
        for &effector in &given {
            let (goal, described) = (&case.problem.goals[effector], &scene.effectors[effector]);
            let place = goal.target.position;
            let place = place.ok_or_else(|| in_row(format!("no position for {}", described.name)))?;
            let orientation = goal.target.orientation.filter(|_| columns.has_turns(effector));
            let orientation = orientation.map(|given| match (given, goal.freedom.spin_axis) {
                // A direction: the effector looks that way.
                (Orientation::Rotation(rotation), Some(axis)) if described.freedom.spin_axis.is_none() => {
                    Orientation::LookAt(place + rotation * axis * scene.effector_size(described))
                }
                _ => given,
            });
            targets.push((place, orientation));
        }
    }
    if targets.is_empty() {
        return Err(fail("the file contains no row".to_owned()));
    }
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let has_turns = given.iter().map(|&effector| columns.has_turns(effector)).collect();
    let effectors = given.into_iter().map(|effector| scene.effectors[effector].name.clone()).collect();
    let rows = TargetRows { name, effectors, has_turns, targets };
    let note = unused(&columns, rows.len());
    Ok((rows, note))
}

/// What of a table of targets with this many rows is not used; none if all of it is.
fn unused(columns: &TargetColumns, rows: usize) -> Option<String> {
    let each = if row_time(rows) < 1.0 {
        format!("{:.0} rows are one second", 1.0 / row_time(rows))
    } else {
        "each row takes one second".to_owned()
    };
    let times = columns.has_times().then(|| format!("The times of the rows are not used: {each}."));
    let starts = columns
        .has_starts()
        .then(|| "The columns q.JOINT are not used: each row starts from the pose of the one before.".to_owned());
    let sentences: Vec<String> = [times, starts].into_iter().flatten().collect();
    (!sentences.is_empty()).then(|| sentences.join(" "))
}
