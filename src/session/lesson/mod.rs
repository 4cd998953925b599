//! Lessons: one solve, step by step, as it was recorded from the solver itself.

mod command;
mod figure;
mod methods;
mod moves;
mod prose;
mod reasons;
mod recording;
mod skeleton;
mod step;
mod words;

pub use command::StepCommand;
pub use figure::{Figure, Freedom};
pub use prose::{Prose, Run};
pub use recording::{Act, ActKind, Beginning, Recording, Stop};
pub use step::{Gap, GapPlace, Hold, Place, Slide, Step};

use super::teach::Subject;
use fabrik3d_ik::{Isometry, SolveEvent as Move, ease};
use glam::DVec3;

/// How much one step is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unit {
    /// One joint.
    #[default]
    Joint,
    /// One reaching pass.
    Pass,
}

impl Unit {
    /// Both with their names.
    pub const NAMES: [(&'static str, Unit); 2] = [("joint", Unit::Joint), ("pass", Unit::Pass)];

    /// The one that it is not.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Unit::Joint => Unit::Pass,
            Unit::Pass => Unit::Joint,
        }
    }

    /// Seconds that a played step is looked at.
    fn pace(self) -> f64 {
        match self {
            Unit::Joint => 1.3,
            Unit::Pass => 2.2,
        }
    }
}

/// More steps than this are taken by pass, unless somebody wants them joint by joint.
pub const LONG: usize = 200;

/// Seconds that a joint takes to its new place in the picture.
const GLIDE: f64 = 0.45;
/// Seconds that the figure takes from what was shown before the lesson to the pose in which that begins.
const ENTRY: f64 = 0.9;

/// A recorded solve with a place in it.
#[derive(Clone, Debug)]
pub struct Lesson {
    recording: Recording,
    subject: Subject,
    /// Number of the first step of each act, and at the end the number of all steps.
    first: Vec<usize>,
    cursor: usize,
    unit: Unit,
    /// Where the picture comes from, the seconds since it left and those that it takes.
    from: Vec<DVec3>,
    since: f64,
    takes: f64,
    playing: bool,
}

impl Lesson {
    /// A lesson at its first step.
    pub fn new(recording: Recording, subject: Subject, unit: Unit) -> Self {
        let mut first = vec![0];
        for act in &recording.acts {
            first.push(first[first.len() - 1] + act.stops.len());
        }
        let from = recording.acts[0].points.clone();
        Lesson { recording, subject, first, cursor: 0, unit, from, since: GLIDE, takes: GLIDE, playing: false }
    }

    /// Comes from the pose with these frames, which was shown before the lesson opened.
    pub(super) fn enter_from(&mut self, frames: &[Isometry]) {
        let from = self.recording.figure.places(frames);
        let far = 1e-3 * self.recording.figure.reach;
        // What has not moved visibly need not be waited for.
        if from.iter().zip(self.step().points()).any(|(from, to)| from.distance(to) > far) {
            (self.from, self.since, self.takes) = (from, 0.0, ENTRY);
        }
    }

    /// The recorded solve.
    pub fn recording(&self) -> &Recording {
        &self.recording
    }

    /// The part of the scene that it is about.
    pub fn subject(&self) -> &Subject {
        &self.subject
    }

    /// Whether its solve has reaching passes, which can be taken joint by joint or whole; the iterations of methods that
    /// are not FABRIK have no parts.
    pub fn has_passes(&self) -> bool {
        self.recording.acts.iter().any(|act| !act.order.is_empty())
    }

    /// Number of steps, the start included: at least 1.
    pub fn len(&self) -> usize {
        self.first[self.first.len() - 1]
    }

    /// Never true: a lesson has at least its start.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where the lesson is and where it ends, counted in units from 0: steps, or by pass the acts of the recording.
    pub fn place(&self) -> [usize; 2] {
        match self.unit {
            Unit::Joint => [self.cursor, self.len() - 1],
            Unit::Pass => [self.act_of(self.cursor), self.recording.acts.len() - 1],
        }
    }

    /// Number of the step that shows this many units.
    pub fn step_of(&self, place: usize) -> usize {
        match self.unit {
            Unit::Joint => place,
            Unit::Pass => self.first[(place + 1).min(self.first.len() - 1)] - 1,
        }
    }

    /// Number of the act that a step belongs to.
    fn act_of(&self, step: usize) -> usize {
        self.first.partition_point(|&first| first <= step) - 1
    }

    /// Number of the present step, from 0.
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// Whether it goes on by itself.
    pub fn is_playing(&self) -> bool {
        self.playing
    }

    /// How much one step is.
    pub fn unit(&self) -> Unit {
        self.unit
    }

    /// From now on a step is this much. The place in the lesson stays.
    pub fn set_unit(&mut self, unit: Unit) {
        self.unit = unit;
    }

    /// Whether the picture changes without further input.
    pub fn is_moving(&self) -> bool {
        self.playing || self.since < self.takes
    }

    /// The present step.
    pub fn step(&self) -> Step<'_> {
        self.step_at(self.cursor)
    }

    /// Any step; numbers too large are the last one.
    pub fn step_at(&self, number: usize) -> Step<'_> {
        let number = number.min(self.len() - 1);
        let act = self.act_of(number);
        Step::new(&self.recording, act, number - self.first[act], self.unit)
    }

    /// Number of the step at this place; none where the solve has no such step.
    pub fn step_at_place(&self, place: Place) -> Option<usize> {
        (0..self.len()).find(|&number| self.step_at(number).place() == place)
    }

    /// The nodes as the picture shows them, on their way to the present step.
    pub fn shown(&self) -> Vec<DVec3> {
        let share = ease((self.since / self.takes).min(1.0));
        let mut points = self.step().points();
        if share < 1.0 {
            points.iter_mut().zip(&self.from).for_each(|(to, from)| *to = from.lerp(*to, share));
        }
        points
    }

    /// The name that the lesson gives a joint of the skeleton, where that is another than its own: `P3`.
    pub fn name_of(&self, joint: usize) -> Option<&str> {
        let figure = &self.recording.figure;
        let (_, node) = figure.joints.iter().find(|(other, _)| *other == joint)?;
        (!figure.has_own_names()).then(|| figure.names[*node].as_str())
    }

    /// Where the joints of the skeleton are shown: those of the figure only; none for a chain of its own.
    pub fn shown_joints(&self) -> impl Iterator<Item = (usize, DVec3)> + '_ {
        let shown = self.shown();
        self.recording.figure.joints.iter().map(move |&(joint, node)| (joint, shown[node]))
    }

    /// Time goes on by `dt` seconds: joints glide, and a playing lesson moves on.
    pub fn tick(&mut self, dt: f64) {
        self.since += dt;
        if self.playing && self.since >= self.unit.pace() {
            self.glide_to(self.after());
            self.playing = self.cursor + 1 < self.len();
        }
    }

    /// Number of the step one unit on.
    pub fn after(&self) -> usize {
        match self.unit {
            Unit::Joint => (self.cursor + 1).min(self.len() - 1),
            Unit::Pass => {
                let ends = self.first[1..].iter().map(|first| first - 1);
                ends.into_iter().find(|&end| end > self.cursor).unwrap_or(self.len() - 1)
            }
        }
    }

    /// Number of the step one unit back.
    pub fn before(&self) -> usize {
        match self.unit {
            Unit::Joint => self.cursor.saturating_sub(1),
            Unit::Pass => self.first[1..].iter().map(|first| first - 1).rfind(|&end| end < self.cursor).unwrap_or(0),
        }
    }

    /// Number of the step that completes the next backward (or forward) pass; the last one when there is none.
    fn end_of_next(&self, wanted: impl Fn(Move) -> bool) -> usize {
        let acts = self.recording.acts.iter().zip(&self.first[1..]);
        let found = acts.filter(|(act, _)| matches!(act.kind, ActKind::Move(step) if wanted(step)));
        found.map(|(_, next)| next - 1).find(|&end| end > self.cursor).unwrap_or(self.len() - 1)
    }

    /// Carries a command out, where it concerns the place in the lesson.
    pub fn apply(&mut self, command: StepCommand) {
        match command {
            StepCommand::Next => self.go(self.after()),
            StepCommand::Back => self.go(self.before()),
            StepCommand::Backward => self.go(self.end_of_next(|step| matches!(step, Move::Backward { .. }))),
            StepCommand::Forward => self.go(self.end_of_next(|step| step == Move::Forward)),
            StepCommand::To(number) => self.jump_to(number),
            StepCommand::Play => {
                if self.playing {
                    self.playing = false;
                } else {
                    // At the end there is nothing left to play but the whole again.
                    if self.cursor + 1 == self.len() {
                        self.jump_to(0);
                    }
                    self.playing = true;
                }
            }
            StepCommand::Unit(unit) => self.set_unit(unit.unwrap_or(self.unit.other())),
            StepCommand::Close => {}
        }
    }

    fn go(&mut self, number: usize) {
        self.playing = false;
        self.glide_to(number);
    }

    fn glide_to(&mut self, number: usize) {
        if number != self.cursor {
            self.from = self.shown();
            (self.since, self.takes) = (0.0, GLIDE);
            self.cursor = number;
        }
    }

    /// Moves to a step at once.
    pub fn jump_to(&mut self, number: usize) {
        self.playing = false;
        self.cursor = number.min(self.len() - 1);
        self.since = self.takes;
    }
}
