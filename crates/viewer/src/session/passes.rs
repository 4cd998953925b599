//! The reaching passes of the present frame, shown while the figure moves, and the clock that lets the solver take them slowly.
//!
//! They are those that a lesson would record now: from the displayed pose toward the present targets. The pose itself is
//! solved as always, unless the pace is slow: then the solver takes one pass after the other, and the display eases to the pose
//! after each forward pass.

use super::command::Pace;
use super::frame_budget::FrameShare;
use super::lesson::{LessonFigure, LessonRecording};
use fabrik3d_ik::Pose;
use fabrik3d_ik::display::ease;
use glam::DVec3;

/// Time in which passes fade that no frame renews, seconds: a pointer that moves on rests for single frames.
const FADE: f64 = 0.4;

/// The passes that are shown, and how fast the solver takes them.
#[derive(Clone, Debug, Default)]
pub(super) struct Passes {
    /// Whether somebody sees them. Otherwise they cost nothing.
    pub is_watched: bool,
    pub pace: Pace,
    /// Number of iterations whose passes are shown, less one.
    pub more: u8,
    pub shown: Option<ShownPasses>,
    pub next: NextPass,
    pub share: FrameShare,
}

/// What the slow solver does next.
#[derive(Clone, Debug, Default)]
pub(super) struct NextPass {
    /// Seconds since the last pass; none if the next one is due at once.
    pub waited: Option<f64>,
    /// The forward pass of the iteration whose backward pass is over.
    pub forward: Option<Forward>,
    /// Whether passes would show nothing more, so that the solver goes on as always until it has come to rest.
    pub ends: bool,
}

/// What a forward pass leads to.
#[derive(Clone, Debug)]
pub(super) struct Forward {
    /// The joints of the figure, and a pose of the whole skeleton in which they are after the pass.
    pub joints: Vec<usize>,
    pub pose: Pose,
    /// How many phases of the recording are shown then.
    pub phases: usize,
}

/// The passes of a frame.
#[derive(Clone, Debug)]
pub struct ShownPasses {
    recording: LessonRecording,
    /// How many phases of the recording are shown.
    phases: usize,
    /// Seconds since the newest one was added, and in which it comes to its place.
    elapsed: f64,
    duration: f64,
    /// Seconds since a frame renewed them.
    age: f64,
}

/// A pass as it is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownPass {
    /// Whether it is a backward pass.
    pub is_backward: bool,
    /// Its iteration, from 1.
    pub iteration: u32,
    /// Where the nodes of the figure are.
    pub points: Vec<DVec3>,
}

impl ShownPasses {
    /// The first phases of a recording, of which the newest one comes to its place in `duration` seconds.
    pub(super) fn new(recording: LessonRecording, phases: usize, duration: f64) -> Self {
        ShownPasses { recording, phases, elapsed: 0.0, duration, age: 0.0 }
    }

    /// Shows more phases of the recording.
    pub(super) fn show(&mut self, phases: usize, duration: f64) {
        (self.phases, self.elapsed, self.duration) = (phases, 0.0, duration);
    }

    /// Lets `dt` seconds pass. Returns whether the passes are gone.
    pub(super) fn fade(&mut self, dt: f64) -> bool {
        (self.elapsed, self.age) = (self.elapsed + dt, self.age + dt);
        self.age >= FADE
    }

    /// Keeps them from fading.
    pub(super) fn keep(&mut self) {
        self.age = 0.0;
    }

    /// The figure.
    pub fn figure(&self) -> &LessonFigure {
        &self.recording.figure
    }

    /// Where the nodes were before the first pass.
    pub fn start(&self) -> &[DVec3] {
        &self.recording.phases[0].points
    }

    /// The passes in their order. The newest one of a slow solver is on its way.
    pub fn passes(&self) -> impl Iterator<Item = ShownPass> + '_ {
        let phases = &self.recording.phases[..self.phases.min(self.recording.phases.len())];
        let share = if self.duration > 0.0 { ease((self.elapsed / self.duration).min(1.0)) } else { 1.0 };
        phases.iter().enumerate().skip(1).filter(|(_, phase)| phase.is_reaching()).map(move |(at, phase)| {
            let mut points = phase.points.clone();
            if at + 1 == phases.len() && share < 1.0 {
                let from = &phases[at - 1].points;
                points.iter_mut().zip(from).for_each(|(to, from)| *to = from.lerp(*to, share));
            }
            ShownPass { is_backward: phase.is_backward(), iteration: phase.iteration, points }
        })
    }

    /// How strongly they are drawn, from 0 to 1: they fade when no frame renews them.
    pub fn strength(&self) -> f64 {
        1.0 - ease((self.age / FADE).min(1.0))
    }
}
