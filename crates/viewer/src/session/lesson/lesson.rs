//! A position in a recorded solve, and the animation toward it.

use super::recording::LessonRecording;
use super::step::{LessonPosition, LessonStep};
use super::subject::Subject;
use crate::session::command::{LessonCommand, StepUnit};
use fabrik3d_ik::Isometry;
use fabrik3d_ik::display::ease;
use fabrik3d_ik::fabrik::observer::SolveEvent;
use fabrik3d_ik::settings::Method;
use glam::DVec3;

/// Longer lessons go pass by pass unless the user chooses otherwise, steps.
pub const MAX_JOINT_STEPS: usize = 200;

/// Time in which the picture moves to the next step, seconds.
const STEP_TIME: f64 = 0.45;
/// Time in which the picture moves to the start pose when a lesson opens, seconds.
const ENTRY_TIME: f64 = 0.9;
/// Smallest motion to the start pose that is animated, as a fraction of the reach.
const MIN_ENTRY_MOTION: f64 = 1e-3;

/// Time for which playback shows a step, seconds.
fn play_time(unit: StepUnit) -> f64 {
    match unit {
        StepUnit::Joint => 1.3,
        StepUnit::Pass => 2.2,
    }
}

/// A recorded solve and a position in it.
#[derive(Clone, Debug)]
pub struct Lesson {
    recording: LessonRecording,
    subject: Subject,
    /// The phases that it shows, at least the start.
    shown: Vec<ShownPhase>,
    cursor: usize,
    pub(in crate::session) unit: StepUnit,
    /// Positions of the nodes from which the animation started.
    from: Vec<DVec3>,
    /// Time since then, seconds.
    elapsed: f64,
    /// Time that the animation takes, seconds.
    duration: f64,
    playing: bool,
}

/// A phase that a lesson shows.
#[derive(Clone, Copy, Debug)]
struct ShownPhase {
    /// Its index in the recording.
    phase: usize,
    /// If it stands for the rest of the iterations: the phase before them. It then is their last one.
    since: Option<usize>,
    /// Number of its last step.
    end: usize,
}

impl Lesson {
    /// A lesson at its first step. Without a unit, long lessons go pass by pass.
    pub fn new(recording: LessonRecording, subject: Subject, unit: Option<StepUnit>) -> Self {
        let rest = recording.rest();
        let (mut shown, mut count) = (Vec::new(), 0);
        for (phase, recorded) in recording.phases.iter().enumerate() {
            if rest.is_none_or(|(from, to)| phase <= from || phase >= to) {
                let since = rest.filter(|(_, to)| *to == phase).map(|(from, _)| from);
                count += if since.is_some() { 1 } else { recorded.stops.len() };
                shown.push(ShownPhase { phase, since, end: count - 1 });
            }
        }
        let is_long = count > MAX_JOINT_STEPS;
        let unit = unit.unwrap_or(if is_long { StepUnit::Pass } else { StepUnit::Joint });
        let from = recording.phases[0].points.clone();
        let (elapsed, duration) = (STEP_TIME, STEP_TIME);
        Lesson { recording, subject, shown, cursor: 0, unit, from, elapsed, duration, playing: false }
    }

    /// Animates from the pose with these frames, which was shown before the lesson opened.
    pub(in crate::session) fn enter_from(&mut self, frames: &[Isometry]) {
        let from = self.recording.figure.places(frames);
        let visible = MIN_ENTRY_MOTION * self.recording.figure.reach;
        if from.iter().zip(self.step().points()).any(|(from, to)| from.distance(to) > visible) {
            (self.from, self.elapsed, self.duration) = (from, 0.0, ENTRY_TIME);
        }
    }

    /// The recorded solve.
    pub fn recording(&self) -> &LessonRecording {
        &self.recording
    }

    /// The part of the scene that is solved.
    pub fn subject(&self) -> &Subject {
        &self.subject
    }

    /// Whether the solve has reaching passes. The iterations of other methods cannot be shown joint by joint.
    pub fn has_passes(&self) -> bool {
        self.recording.phases.iter().any(|phase| !phase.order.is_empty())
    }

    /// The other of the two kinds of FABRIK that a lesson offers.
    pub fn other_method(method: Method) -> Method {
        if method == Method::Accelerated { Method::Textbook } else { Method::Accelerated }
    }

    /// Number of steps including the start: at least 1.
    pub fn len(&self) -> usize {
        self.shown[self.shown.len() - 1].end + 1
    }

    /// Always false: a lesson has at least its start.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Present and last position in units, from 0: steps, or phases that are over if the unit is a pass.
    pub fn progress(&self) -> [usize; 2] {
        match self.unit {
            StepUnit::Joint => [self.cursor, self.len() - 1],
            StepUnit::Pass => [self.phase_ends().filter(|&end| end <= self.cursor).count() - 1, self.shown.len() - 1],
        }
    }

    /// Whether the present step is between two units.
    pub fn is_between(&self) -> bool {
        self.step_of(self.progress()[0]) != self.cursor
    }

    /// Number of the step after this many units.
    pub fn step_of(&self, units: usize) -> usize {
        match self.unit {
            StepUnit::Joint => units,
            StepUnit::Pass => self.shown[units.min(self.shown.len() - 1)].end,
        }
    }

    /// Number of the shown phase of a step.
    fn phase_of(&self, step: usize) -> usize {
        self.shown.partition_point(|shown| shown.end < step)
    }

    /// Number of the present step, from 0.
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// Whether the lesson is playing.
    pub fn is_playing(&self) -> bool {
        self.playing
    }

    /// How far one step goes.
    pub fn unit(&self) -> StepUnit {
        self.unit
    }

    /// Whether the picture changes without further input.
    pub fn is_moving(&self) -> bool {
        self.playing || self.elapsed < self.duration
    }

    /// The present step.
    pub fn step(&self) -> LessonStep<'_> {
        self.step_at(self.cursor)
    }

    /// A step by its number; the last step for larger numbers.
    pub fn step_at(&self, number: usize) -> LessonStep<'_> {
        let number = number.min(self.len() - 1);
        let ShownPhase { phase, since, end } = self.shown[self.phase_of(number)];
        let stop = self.recording.phases[phase].stops.len() - 1 - (end - number);
        LessonStep { recording: &self.recording, phase, since, stop, unit: self.unit }
    }

    /// Number of the step at this position, if the solve has such a step.
    pub fn step_at_position(&self, position: LessonPosition) -> Option<usize> {
        (0..self.len()).find(|&number| self.step_at(number).position() == position)
    }

    /// Number of the step that is nearest to a position without a step: the end of the same pass, or the first step of the same
    /// iteration or a later one. The last step if the solve ends before.
    pub(in crate::session) fn step_near(&self, LessonPosition { iteration, event, .. }: LessonPosition) -> usize {
        let last_of_pass = (0..self.len()).rfind(|&number| {
            let own = self.step_at(number).position();
            (own.iteration, own.event) == (iteration, event)
        });
        let is_there = |&number: &usize| self.step_at(number).position().iteration >= iteration;
        last_of_pass.or_else(|| (0..self.len()).find(is_there)).unwrap_or(self.len() - 1)
    }

    /// Positions of the nodes in the picture, on their way to the present step.
    pub fn shown(&self) -> Vec<DVec3> {
        let share = ease((self.elapsed / self.duration).min(1.0));
        let mut points = self.step().points();
        if share < 1.0 {
            points.iter_mut().zip(&self.from).for_each(|(to, from)| *to = from.lerp(*to, share));
        }
        points
    }

    /// The name of a joint in the lesson if it differs from its own: `P3`.
    pub fn name_of(&self, joint: usize) -> Option<&str> {
        let figure = &self.recording.figure;
        let (_, node) = figure.joints.iter().find(|(other, _)| *other == joint)?;
        figure.is_chain.then(|| figure.names[*node].as_str())
    }

    /// The joints of the figure and their positions in the picture.
    pub fn shown_joints(&self) -> impl Iterator<Item = (usize, DVec3)> + '_ {
        let shown = self.shown();
        self.recording.figure.joints.iter().map(move |&(joint, node)| (joint, shown[node]))
    }

    /// Advances the animation and the playback by `dt` seconds.
    pub fn tick(&mut self, dt: f64) {
        self.elapsed += dt;
        if self.playing && self.elapsed >= play_time(self.unit) {
            self.glide_to(self.after());
            self.playing = self.cursor + 1 < self.len();
        }
    }

    /// Numbers of the last steps of all shown phases.
    fn phase_ends(&self) -> impl DoubleEndedIterator<Item = usize> {
        self.shown.iter().map(|shown| shown.end)
    }

    /// Number of the step one unit forward.
    pub fn after(&self) -> usize {
        let last = self.len() - 1;
        match self.unit {
            StepUnit::Joint => (self.cursor + 1).min(last),
            StepUnit::Pass => self.phase_ends().find(|&end| end > self.cursor).unwrap_or(last),
        }
    }

    /// Number of the step one unit back.
    pub fn before(&self) -> usize {
        match self.unit {
            StepUnit::Joint => self.cursor.saturating_sub(1),
            StepUnit::Pass => self.phase_ends().rfind(|&end| end < self.cursor).unwrap_or(0),
        }
    }

    /// Number of the step that completes the next move of a kind; the last step if there is none.
    fn end_of_next(&self, is_kind: impl Fn(SolveEvent) -> bool) -> usize {
        let is_next = |shown: &&ShownPhase| {
            shown.end > self.cursor && self.recording.phases[shown.phase].event.is_some_and(&is_kind)
        };
        self.shown.iter().find(is_next).map_or(self.len() - 1, |shown| shown.end)
    }

    /// Carries out a command. Those that do more than move in the lesson are left to the session.
    pub fn apply(&mut self, command: LessonCommand) {
        match command {
            LessonCommand::Next => self.go(self.after()),
            LessonCommand::Back => self.go(self.before()),
            LessonCommand::Backward => self.go(self.end_of_next(|step| matches!(step, SolveEvent::Backward { .. }))),
            LessonCommand::Forward => self.go(self.end_of_next(|step| step == SolveEvent::Forward)),
            LessonCommand::To(number) => self.jump_to(number),
            LessonCommand::Play if self.playing => self.playing = false,
            LessonCommand::Play => {
                // At the end, the lesson starts again.
                if self.cursor + 1 == self.len() {
                    self.jump_to(0);
                }
                self.playing = true;
            }
            LessonCommand::Unit(_) | LessonCommand::Far | LessonCommand::Close => {}
        }
    }

    fn go(&mut self, number: usize) {
        self.playing = false;
        self.glide_to(number);
    }

    fn glide_to(&mut self, number: usize) {
        if number != self.cursor {
            self.from = self.shown();
            (self.elapsed, self.duration) = (0.0, STEP_TIME);
            self.cursor = number;
        }
    }

    /// Goes to a step without animation.
    pub fn jump_to(&mut self, number: usize) {
        self.playing = false;
        self.cursor = number.min(self.len() - 1);
        self.elapsed = self.duration;
    }
}
