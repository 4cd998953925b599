//! The trace: one JSON line a frame, for tests, plots and other programs.

use super::Stage;
use crate::session::Playback;
use crate::session::lesson::Lesson;
use fabrik3d_ik::Stop;
use glam::DVec3;
use std::collections::BTreeMap;

/// One line of the trace; positions in the scene's world.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct TraceLine {
    /// Number of the frame, from 1.
    pub frame: u64,
    /// Session time, seconds.
    pub time: f64,
    /// Present target of each effector that has one.
    pub targets: BTreeMap<String, [f64; 3]>,
    /// Joint positions of the solved pose.
    pub solved: Vec<[f64; 3]>,
    /// Joint positions as they are displayed: of the displayed pose, or of an open lesson's step.
    pub displayed: Vec<[f64; 3]>,
    /// Why the selected island's last solve stopped; none before the first.
    pub stop: Option<Stop>,
    /// Its iterations.
    pub iterations: u32,
    /// Its error, of the reach.
    pub error: f64,
    /// Time passed of the selected island's blend, 0..1; none when no blend runs.
    pub blend: Option<f64>,
    /// Whether the session is paused.
    pub paused: bool,
    /// The place in the lesson; none while none is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lesson: Option<TraceLesson>,
    /// The recording that is played; none while none is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<TraceMotion>,
    /// The camera.
    pub camera: TraceCamera,
    /// Microseconds that this frame's solve took.
    pub solve_micros: f64,
    /// Microseconds that the whole frame took; 0 where it is not known.
    pub frame_micros: f64,
}

/// The lesson of a trace line.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct TraceLesson {
    /// Number of the step, from 0.
    pub step: usize,
    /// Number of steps.
    pub steps: usize,
    /// Letter of the stage in the paper's figure, where it has one.
    pub stage: Option<String>,
    /// Number of the iteration, from 1; 0 before the first.
    pub iteration: u32,
    /// Error after the last complete iteration, of the reach.
    pub error: f64,
}

impl TraceLesson {
    fn of(lesson: &Lesson) -> Self {
        let step = lesson.step();
        TraceLesson {
            step: lesson.cursor(),
            steps: lesson.len(),
            stage: step.letter().map(String::from),
            iteration: step.phase().iteration,
            error: step.error(),
        }
    }
}

/// The recording of a trace line.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct TraceMotion {
    /// Name of the clip.
    pub clip: String,
    /// How far it is, seconds.
    pub time: f64,
    /// `show` or `follow`.
    pub mode: String,
    /// Whether it goes on by itself.
    pub playing: bool,
}

impl TraceMotion {
    fn of(playback: &Playback) -> Self {
        TraceMotion {
            clip: playback.clip_name().to_owned(),
            time: playback.time(),
            mode: playback.mode().name().to_owned(),
            playing: playback.is_playing(),
        }
    }
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
    /// Where `look_at` appears: x to the right, y up, the picture is -1..1. Not in its middle while panels lie beside it.
    #[serde(default)]
    pub middle: [f64; 2],
}

impl TraceLine {
    /// The stage as it stands after a tick.
    pub fn of(stage: &Stage, frame_seconds: f64) -> Self {
        let session = stage.session();
        let skeleton = &session.scene().skeleton;
        let positions = |pose: &[fabrik3d_ik::Coordinates]| -> Vec<[f64; 3]> {
            skeleton.frames(pose).iter().map(|frame| frame.position.to_array()).collect()
        };
        let mut displayed = positions(session.displayed());
        let stepped = session.lesson().map(Lesson::shown_joints);
        stepped.into_iter().flatten().for_each(|(joint, place)| displayed[joint] = place.to_array());
        let report = session.report(session.selected());
        let camera = stage.camera();
        let world = |shown: [f64; 3]| stage.space().world(DVec3::from(shown)).to_array();
        let effectors = session.scene().effectors.iter().zip(session.targets());
        TraceLine {
            frame: stage.frame_number(),
            time: session.time(),
            targets: effectors
                .filter_map(|(effector, target)| Some((effector.name.clone(), target.position?.to_array())))
                .collect(),
            solved: positions(session.solved()),
            displayed,
            stop: report.map(|report| report.stop),
            iterations: report.map_or(0, |report| report.iterations),
            error: report.map_or(0.0, |report| report.error),
            blend: session.blend().map(|blend| blend.fraction()),
            paused: session.paused(),
            lesson: session.lesson().map(TraceLesson::of),
            motion: session.motion().filter(|playback| playback.is_engaged()).map(TraceMotion::of),
            camera: TraceCamera {
                position: world(camera.eye()),
                look_at: world(camera.look_at()),
                up: world(camera.up()),
                fov: camera.field_of_view(),
                middle: stage.lens().middle(),
            },
            solve_micros: session.solve_seconds() * 1e6,
            frame_micros: frame_seconds * 1e6,
        }
    }
}
