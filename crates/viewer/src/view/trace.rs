//! The trace: one JSON line per frame, for tests, plots and other programs.

use super::Viewer;
use super::camera::FIELD_OF_VIEW;
use crate::session::Session;
use crate::session::lesson::Lesson;
use fabrik3d_ik::{Coordinates, Stop, Target};
use glam::DVec3;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// One line of the trace; positions in the scene's world.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct TraceLine {
    /// Number of the frame, starting at 1.
    pub frame: u64,
    /// Session time, seconds.
    pub time: f64,
    /// Present target of each effector that has one.
    pub targets: BTreeMap<String, [f64; 3]>,
    /// Present orientation of each target that has one, quaternions.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rotations: BTreeMap<String, [f64; 4]>,
    /// Present point that each effector looks at that does.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub look_at: BTreeMap<String, [f64; 3]>,
    /// The displayed pose: the coordinates of each joint, as in the answers of `solve`.
    #[serde(default)]
    pub pose: Vec<Vec<f64>>,
    /// Joint positions of the solved pose.
    pub solved: Vec<[f64; 3]>,
    /// Displayed joint positions: of the displayed pose, or of an open lesson's step.
    pub displayed: Vec<[f64; 3]>,
    /// Why the last solve of the selected island stopped; none before the first solve.
    pub stop: Option<Stop>,
    /// Its iterations.
    pub iterations: u32,
    /// Its error, in units of the reach.
    pub error: f64,
    /// Progress of the selected island's blend, 0..1; none without a blend.
    pub blend: Option<f64>,
    /// Whether the session is paused.
    pub paused: bool,
    /// The open lesson, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lesson: Option<TraceLesson>,
    /// The recording in use, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<TraceMotion>,
    /// The camera.
    pub camera: TraceCamera,
    /// Time of this frame's solve, microseconds.
    pub solve_micros: f64,
    /// Time of the whole frame, microseconds; 0 if unknown.
    pub frame_micros: f64,
}

/// The lesson of a trace line.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct TraceLesson {
    /// Number of the step, starting at 0.
    pub step: usize,
    /// Number of steps.
    pub steps: usize,
    /// Letter of the stage in the paper's figure, if it has one.
    pub stage: Option<String>,
    /// Number of the iteration, starting at 1; 0 before the first.
    pub iteration: u32,
    /// Error after the last complete iteration, in units of the reach.
    pub error: f64,
}

/// The recording of a trace line.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct TraceMotion {
    /// Name of the clip.
    pub clip: String,
    /// Playing position, seconds.
    pub time: f64,
    /// `show` or `follow`.
    pub mode: String,
    /// Whether it is playing.
    pub playing: bool,
}

/// The camera of a trace line; positions in the scene's world.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct TraceCamera {
    /// Eye.
    pub position: [f64; 3],
    /// Point that it looks at.
    pub look_at: [f64; 3],
    /// Up in the picture.
    pub up: [f64; 3],
    /// Vertical field of view, degrees.
    pub fov: f64,
    /// Where `look_at` appears (x right, y up, -1..1). Off-centre while panels cover a side of the picture.
    #[serde(default)]
    pub middle: [f64; 2],
}

impl TraceLine {
    /// Whether pose, targets and pause are the same.
    fn shows_the_same(&self, other: &TraceLine) -> bool {
        self.pose == other.pose
            && self.targets == other.targets
            && self.rotations == other.rotations
            && self.paused == other.paused
    }

    /// The state of the viewer after a tick; `frame_seconds` is the time of the whole frame.
    pub fn of(viewer: &Viewer, frame_seconds: f64) -> Self {
        let session = viewer.session();
        let skeleton = &session.scene().skeleton;
        let positions = |pose: &[Coordinates]| -> Vec<[f64; 3]> {
            skeleton.frames(pose).iter().map(|frame| frame.position.to_array()).collect()
        };
        let coordinates = skeleton.joints().iter().zip(session.displayed());
        let coordinates = coordinates.map(|(joint, at)| at.values(&joint.kind).to_vec());
        let mut displayed = positions(session.displayed());
        let stepped = session.lesson().map(Lesson::shown_joints);
        stepped.into_iter().flatten().for_each(|(joint, place)| displayed[joint] = place.to_array());
        let report = session.selected().and_then(|at| session.report(at));
        let camera = viewer.camera();
        let world = |shown: DVec3| viewer.space().world(shown).to_array();
        let lesson = session.lesson().map(|lesson| TraceLesson {
            step: lesson.cursor(),
            steps: lesson.len(),
            stage: lesson.step().letter().map(String::from),
            iteration: lesson.step().phase().iteration,
            error: lesson.step().error(),
        });
        let motion = session.motion().filter(|playback| playback.is_engaged()).map(|playback| TraceMotion {
            clip: playback.clip_name().to_owned(),
            time: playback.time,
            mode: playback.mode.name().to_owned(),
            playing: playback.playing,
        });
        TraceLine {
            frame: viewer.frame,
            time: session.time(),
            targets: by_name(session, |target| Some(target.position?.to_array())),
            rotations: by_name(session, |target| Some(target.rotation()?.to_array())),
            look_at: by_name(session, |target| Some(target.look_at()?.to_array())),
            pose: coordinates.collect(),
            solved: positions(session.solved()),
            displayed,
            stop: report.map(|report| report.stop),
            iterations: report.map_or(0, |report| report.iterations),
            error: report.map_or(0.0, |report| report.error),
            blend: session.blend().map(|blend| blend.fraction()),
            paused: session.paused(),
            lesson,
            motion,
            camera: TraceCamera {
                position: world(camera.eye()),
                look_at: world(camera.look_at),
                up: world(camera.up()),
                fov: FIELD_OF_VIEW.0,
                middle: viewer.lens().middle(),
            },
            solve_micros: session.solve_seconds() * 1e6,
            frame_micros: frame_seconds * 1e6,
        }
    }
}

/// A value of each target that has it, by the name of its effector.
fn by_name<T>(session: &Session, value: impl Fn(&Target) -> Option<T>) -> BTreeMap<String, T> {
    let goals = session.scene().effectors.iter().zip(session.targets());
    goals.filter_map(|(effector, target)| Some((effector.name.clone(), value(target)?))).collect()
}

/// When a trace gets a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TraceOn {
    /// With every frame.
    #[default]
    Frame,
    /// With frames in which the pose, a target or the pause differs from the last line.
    Change,
}

impl TraceOn {
    /// Both with their names.
    pub const NAMES: [(&'static str, TraceOn); 2] = [("frame", TraceOn::Frame), ("change", TraceOn::Change)];
}

/// A trace that is being written.
pub struct Trace {
    out: Box<dyn Write>,
    on: TraceOn,
    last: Option<TraceLine>,
}

impl Trace {
    /// A trace that is written to `out`.
    pub fn new(out: Box<dyn Write>, on: TraceOn) -> Self {
        Trace { out, on, last: None }
    }

    /// Writes the line of a frame; `frame_seconds` is the time of the whole frame, 0 if it is unknown.
    ///
    /// # Errors
    /// It cannot be written, or its reader has gone ([`io::ErrorKind::BrokenPipe`]).
    pub fn record(&mut self, viewer: &Viewer, frame_seconds: f64) -> io::Result<()> {
        let line = TraceLine::of(viewer, frame_seconds);
        let is_known = self.last.as_ref().is_some_and(|last| last.shows_the_same(&line));
        if self.on == TraceOn::Change && is_known {
            return Ok(());
        }
        serde_json::to_writer(&mut self.out, &line)?;
        writeln!(self.out)?;
        self.last = Some(line);
        Ok(())
    }

    /// Writes what is left.
    ///
    /// # Errors
    /// As [`Trace::record`].
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
