//! How a session shows the passes of a frame, and how its solver takes them slowly.

use super::command::{Pace, PassesCommand, SessionCommand};
use super::lesson::{LessonRecording, LessonStart, Subject};
use super::passes::{Forward, NextPass, ShownPasses};
use super::session::{Mode, Session};
use fabrik3d_ik::settings::Method;
use fabrik3d_ik::{Pose, Settings, Stop};
use std::num::NonZeroU32;

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
        if self.passes().is_some() {
            return None;
        }
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
        self.passes.shown.take_if(|shown| shown.fade(dt));
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
                // They stay while they wait.
                if !self.passes.share.is_due() {
                    return None;
                }
                let start = (self.host.now)();
                let recording = self.record_passes(self.poses.displayed.clone(), self.passes.more);
                self.passes.share.took((self.host.now)() - start);
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
        self.passes.shown = Some(ShownPasses::new(recording, phases, duration));
    }

    /// The passes from a pose toward the present targets, as a lesson records them; `more`: iterations after the first one.
    fn record_passes(&self, start: Pose, more: u8) -> Option<LessonRecording> {
        let (subject, settings) = self.pass_subject(start, more)?;
        subject.record(&self.scene.skeleton, &settings)
    }

    /// What a solve of these passes alone is given.
    fn pass_subject(&self, start: Pose, more: u8) -> Option<(Subject, Settings)> {
        let subject = self.subject(Some((start, LessonStart::Shown))).ok()?;
        let settings = Settings {
            method: self.lesson_method(),
            max_iterations: NonZeroU32::MIN.saturating_add(u32::from(more)),
            max_attempts: NonZeroU32::MIN,
            // What follows the passes is not shown.
            steps_per_call: Some(NonZeroU32::MIN),
            interrupt: self.interrupt().after_a_step(),
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
            shown.keep();
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
            shown.show(forward.phases, seconds);
        }
    }
}
