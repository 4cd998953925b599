//! The reaching passes of the present frame, shown while the figure moves, and the clock that lets the solver take them slowly.
//!
//! They are those that a lesson would record now: from the displayed pose toward the present targets. The pose itself is
//! solved as always, unless the pace is slow: then the solver takes one pass after the other, and the display eases to the pose
//! after each forward pass.

use super::command::{Pace, PassesCommand, SessionCommand};
use super::lesson::{LessonFigure, LessonRecording, LessonStart, Subject};
use super::session::{Mode, Session};
use fabrik3d_ik::display::ease;
use fabrik3d_ik::settings::Method;
use fabrik3d_ik::{Pose, Settings, Stop};
use glam::DVec3;
use std::num::NonZeroU32;
use std::time::{Duration, Instant};

/// Time for the passes of a frame, which are solved a second time to be shown.
const TIME: Duration = Duration::from_millis(1);
/// Time in which passes fade that no frame renews, seconds: a pointer that moves on rests for single frames.
const FADE: f64 = 0.4;

/// The passes that are shown, and how fast the solver takes them.
#[derive(Clone, Debug, Default)]
pub(super) struct Passes {
    /// Whether somebody sees them. Otherwise they cost nothing.
    pub is_watched: bool,
    pub pace: Pace,
    /// Number of iterations whose passes are shown, less one.
    more: u8,
    shown: Option<ShownPasses>,
    next: NextPass,
}

/// What the slow solver does next.
#[derive(Clone, Debug, Default)]
struct NextPass {
    /// Seconds since the last pass; none if the next one is due at once.
    waited: Option<f64>,
    /// The forward pass of the iteration whose backward pass is over.
    forward: Option<Forward>,
    /// Whether passes would show nothing more, so that the solver goes on as always until it has come to rest.
    ends: bool,
}

/// What a forward pass leads to.
#[derive(Clone, Debug)]
struct Forward {
    /// The joints of the figure, and a pose of the whole skeleton in which they are after the pass.
    joints: Vec<usize>,
    pose: Pose,
    /// How many phases of the recording are shown then.
    phases: usize,
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

impl Session {
    /// The passes of the present frame, while they are watched and the selected figure moves.
    pub fn passes(&self) -> Option<&ShownPasses> {
        self.passes.shown.as_ref().filter(|_| matches!(self.mode, Mode::Free))
    }

    /// Whether passes are on the way to disappear.
    pub fn passes_fade(&self) -> bool {
        !self.clock.paused && self.passes().is_some()
    }

    /// How fast the solver takes its passes while they are watched.
    pub fn pace(&self) -> Pace {
        self.passes.pace
    }

    /// Number of iterations whose passes are shown.
    pub fn pass_iterations(&self) -> u8 {
        self.passes.more + 1
    }

    /// Whether the passes are seen from now on.
    pub fn watch_passes(&mut self, on: bool) {
        if !on && self.passes.is_watched {
            (self.passes.shown, self.passes.next) = (None, NextPass::default());
        }
        self.passes.is_watched = on;
    }

    pub(super) fn apply_passes(&mut self, command: PassesCommand) {
        match command {
            PassesCommand::Pace(pace) => self.passes.pace = pace.unwrap_or(self.passes.pace.next()),
            PassesCommand::Iterations(count) => self.passes.more = count.saturating_sub(1),
        }
        self.passes.next = NextPass::default();
    }

    /// After commands that change more than targets, the pass that was to come next belongs to another solve.
    pub(super) fn forget_next_pass(&mut self, command: &SessionCommand) {
        use SessionCommand as S;
        let moves_targets = matches!(command, S::TargetMove(_) | S::TargetGlide(..) | S::TargetGrab);
        if !moves_targets {
            self.passes.next = NextPass::default();
        }
    }

    /// Why the selected figure has no passes to show, as a sentence; none if it has some.
    pub fn without_passes(&self) -> Option<String> {
        let method = self.scene.settings.method;
        if !matches!(method, Method::Accelerated | Method::Textbook) {
            return Some(format!("{} makes no reaching passes.", method.name()));
        }
        let at = self.selected()?;
        let stop = self.report(at).map(|report| report.stop);
        match stop {
            _ if self.target(at).position.is_none() => {
                Some("Without a target position there are no passes.".to_owned())
            }
            Some(Stop::TooFar) => Some("A target out of reach takes no passes: the figure stretches to it.".to_owned()),
            _ => None,
        }
    }

    /// Records the passes of this frame, before it is solved. Returns the figure whose solve waits for its next pass, if one
    /// does.
    pub(super) fn take_passes(&mut self, dt: f64) -> Option<usize> {
        if !self.passes.is_watched || !matches!(self.mode, Mode::Free) {
            return None;
        }
        if let Some(shown) = &mut self.passes.shown {
            (shown.elapsed, shown.age) = (shown.elapsed + dt, shown.age + dt);
        }
        self.passes.shown.take_if(|shown| shown.age >= FADE);
        let at = self.islands.index_of(self.selected()?);
        let island = self.islands.states.get(at)?;
        if island.settled {
            self.passes.next = NextPass::default();
        }
        if self.pose_is_given || (island.settled && island.eases.is_empty()) {
            return None;
        }
        match self.passes.pace.seconds() {
            None => {
                let recording = self.record_passes(self.poses.displayed.clone(), self.passes.more);
                if let Some(recording) = recording.filter(LessonRecording::has_reaching) {
                    self.show_passes(recording, usize::MAX, 0.0);
                }
                None
            }
            Some(_) if island.settled || self.passes.next.ends => None,
            Some(seconds) => self.take_slow_pass(at, seconds, dt),
        }
    }

    fn show_passes(&mut self, recording: LessonRecording, phases: usize, duration: f64) {
        self.passes.shown = Some(ShownPasses { recording, phases, elapsed: 0.0, duration, age: 0.0 });
    }

    /// The passes from a pose toward the present targets, as a lesson records them; `more`: iterations after the first one.
    fn record_passes(&self, start: Pose, more: u8) -> Option<LessonRecording> {
        let (subject, settings) = self.pass_subject(start, more)?;
        subject.record(&self.scene.skeleton, &settings)
    }

    /// What a solve of these passes alone is given.
    fn pass_subject(&self, start: Pose, more: u8) -> Option<(Subject, Settings)> {
        let subject = self.subject(Some((start, LessonStart::Shown))).ok()?;
        // Without the end of a frame's time nothing depends on the clock, and there may be none.
        let interrupt = self.interrupt();
        let interrupt = self.clock.deadline.map_or(interrupt, |_| interrupt.until(Instant::now() + TIME));
        let settings = Settings {
            method: self.lesson_method(),
            max_iterations: NonZeroU32::MIN.saturating_add(u32::from(more)),
            max_attempts: NonZeroU32::MIN,
            // What follows the passes is not shown.
            steps_per_call: Some(NonZeroU32::MIN),
            interrupt: interrupt.after_a_step(),
            ..self.scene.settings
        };
        Some((subject, settings))
    }

    /// Takes the next pass of a slow solve when it is due. Returns the figure if its solve has to wait.
    fn take_slow_pass(&mut self, at: usize, seconds: f64, dt: f64) -> Option<usize> {
        let next = &mut self.passes.next;
        let waited = next.waited.map_or(seconds, |waited| waited + dt);
        next.waited = Some(if waited < seconds { waited } else { (waited - seconds).min(seconds) });
        // The passes stay while the next one is awaited.
        if let Some(shown) = &mut self.passes.shown {
            shown.age = 0.0;
        }
        if waited < seconds {
            return Some(at);
        }
        match next.forward.take() {
            Some(forward) => self.complete_iteration(at, seconds, &forward),
            None => return self.begin_iteration(at, seconds),
        }
        Some(at)
    }

    /// Takes a backward pass. Where the passes of this iteration would show nothing, or do not come closer, the solver goes on as
    /// always.
    fn begin_iteration(&mut self, at: usize, seconds: f64) -> Option<usize> {
        let start = self.poses.solved.clone();
        let recording = self.record_passes(start.clone(), 0);
        let visible = recording.and_then(|recording| Some((recording.visible_iteration()?, recording)));
        let after = visible.as_ref().and_then(|_| {
            let (subject, settings) = self.pass_subject(start, 0)?;
            subject.after_iteration(&settings)
        });
        let (Some(([backward, end], recording)), Some(pose)) = (visible, after) else {
            self.passes.next.ends = true;
            return None;
        };
        self.show_passes(recording, backward + 1, seconds);
        let forward = Forward { joints: self.islands.states[at].figure.joints().to_vec(), pose, phases: end + 1 };
        // Of a free base, the backward pass is the whole iteration.
        match backward == end {
            true => self.complete_iteration(at, seconds, &forward),
            false => self.passes.next.forward = Some(forward),
        }
        Some(at)
    }

    /// Takes the pose after an iteration, to which the display eases.
    fn complete_iteration(&mut self, at: usize, seconds: f64, forward: &Forward) {
        let (island, joints) = (&mut self.islands.states[at], &forward.joints[..]);
        if island.figure.joints() != joints {
            return;
        }
        let before = self.poses.solved.clone();
        joints.iter().for_each(|&joint| self.poses.solved[joint] = forward.pose[joint]);
        island.eases.begin_leap(joints, seconds, [&before, &self.poses.solved]);
        if let Some(shown) = &mut self.passes.shown {
            (shown.phases, shown.elapsed, shown.duration) = (forward.phases, 0.0, seconds);
        }
    }
}
