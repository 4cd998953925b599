//! Races: several methods solve the same figure with the same target, iteration by iteration.

use super::lesson::{LessonFigure, LessonRecording, LessonStart, Round, Subject, Unmet};
use fabrik3d_ik::display::{ease, mix_directions};
use fabrik3d_ik::settings::Method;
use fabrik3d_ik::{Isometry, Report, Settings, Skeleton};
use glam::DVec3;

pub use super::command::RaceCommand;

/// The solve of one method.
#[derive(Clone, Debug)]
pub struct Lane {
    /// The method.
    pub method: Method,
    /// Its report.
    pub report: Report,
    /// Its rounds, starting with the start pose.
    pub rounds: Vec<Round>,
    /// The solve, with one phase for each round.
    recording: LessonRecording,
}

impl Lane {
    fn run(subject: &Subject, skeleton: &Skeleton, method: Method, settings: &Settings) -> Option<Lane> {
        let mut recording = subject.record(skeleton, &Settings { method, ..*settings })?;
        let rounds = recording.rounds();
        recording.phases = recording.round_ends().cloned().collect();
        Some(Lane { method, report: recording.report, rounds, recording })
    }

    /// What the method has not met although all effectors are on their targets.
    pub fn unmet(&self) -> Option<Unmet> {
        self.recording.unmet()
    }

    /// Number of rounds after the start.
    pub fn last(&self) -> usize {
        self.rounds.len() - 1
    }

    /// The newest round after a number of rounds of the race.
    pub fn newest(&self, rounds: f64) -> usize {
        (rounds.max(0.0) as usize).min(self.last())
    }

    /// The joints of the figure with their frames, interpolated between two rounds.
    pub fn frames(&self, rounds: f64) -> Vec<(usize, Isometry)> {
        let whole = self.newest(rounds);
        let phases = &self.recording.phases;
        let from = &phases[whole].frames;
        let to = phases.get(whole + 1).map_or(from, |phase| &phase.frames);
        let (points, share) = (self.points(rounds), ease(rounds - whole as f64));
        let turned = from.iter().zip(to).map(|(from, to)| from.rotation.slerp(to.rotation, share));
        let joints = self.recording.figure.joints.iter().zip(turned);
        joints.map(|(&(joint, node), rotation)| (joint, Isometry::new(points[node], rotation))).collect()
    }

    /// Positions of the nodes after a number of rounds. Between two of them links turn, so that they keep their lengths.
    pub fn points(&self, rounds: f64) -> Vec<DVec3> {
        let whole = self.newest(rounds);
        let (figure, phases) = (&self.recording.figure, &self.recording.phases);
        let from = &phases[whole].points;
        let share = ease(rounds - whole as f64);
        let Some(next) = phases.get(whole + 1).filter(|_| share > 0.0) else { return from.clone() };
        let to = &next.points;
        let mut points: Vec<DVec3> = Vec::with_capacity(from.len());
        for (node, parent) in figure.parents.iter().enumerate() {
            let link = |points: &[DVec3]| parent.map(|parent| points[node] - points[parent]);
            let turned = link(from).zip(link(to)).and_then(|(before, after)| {
                let lengths = (before.length(), after.length());
                let mixed = mix_directions(before.try_normalize()?, after.try_normalize()?, share);
                Some(mixed * (lengths.0 + (lengths.1 - lengths.0) * share))
            });
            let place = match (parent, turned) {
                (Some(parent), Some(link)) => points[*parent] + link,
                _ => from[node].lerp(to[node], share),
            };
            points.push(place);
        }
        points
    }
}

/// Rounds per second at first.
const START_RATE: f64 = 2.5;
/// Time with this rate, seconds. After that the rate grows, so that slow methods come to an end.
const STEADY_TIME: f64 = 4.0;
/// Exponential growth of the rate, per second.
const RATE_GROWTH: f64 = 0.45;

/// Several methods on the same figure with the same target.
#[derive(Clone, Debug)]
pub struct Race {
    /// At least one.
    lanes: Vec<Lane>,
    pub(super) subject: Subject,
    time: f64,
    /// Whether the target is being dragged.
    pub(super) is_dragged: bool,
    /// The tolerance of the solver, as a fraction of the reach.
    pub tolerance: f64,
}

impl Race {
    /// The methods of a race that is started without a choice.
    pub const USUAL: [Method; 4] = [Method::Accelerated, Method::Textbook, Method::Ccd, Method::Dls];

    /// A race at its start; none without a target position or without methods.
    pub fn new(subject: Subject, skeleton: &Skeleton, methods: &[Method], settings: &Settings) -> Option<Race> {
        let runs = methods.iter().map(|&method| Lane::run(&subject, skeleton, method, settings));
        let lanes = runs.collect::<Option<Vec<_>>>().filter(|lanes| !lanes.is_empty())?;
        Some(Race { lanes, subject, time: 0.0, is_dragged: false, tolerance: settings.tolerance })
    }

    /// Whether the start pose already reaches all targets.
    pub fn is_idle(&self) -> bool {
        self.lanes.iter().all(|lane| lane.last() == 0 && lane.report.stop.is_reached())
    }

    /// The solves of the methods.
    pub fn lanes(&self) -> &[Lane] {
        &self.lanes
    }

    /// The figure that all methods solve.
    pub fn figure(&self) -> &LessonFigure {
        &self.lanes[0].recording.figure
    }

    /// Where the pose comes from in which all methods start.
    pub fn start(&self) -> LessonStart {
        self.subject.origin
    }

    /// The target positions.
    pub fn targets(&self) -> impl Iterator<Item = DVec3> + '_ {
        self.figure().goals.iter().map(|&(_, target)| target)
    }

    /// The methods.
    pub fn methods(&self) -> Vec<Method> {
        self.lanes.iter().map(|lane| lane.method).collect()
    }

    /// Number of rounds so far, the same for all methods.
    pub fn rounds(&self) -> f64 {
        let steady = self.time.min(STEADY_TIME) * START_RATE;
        let growing = START_RATE / RATE_GROWTH * ((RATE_GROWTH * (self.time - STEADY_TIME).max(0.0)).exp() - 1.0);
        (steady + growing).min(self.longest() as f64)
    }

    fn longest(&self) -> usize {
        self.lanes.iter().map(Lane::last).max().unwrap_or(0)
    }

    /// Whether a method has rounds left.
    pub fn is_moving(&self) -> bool {
        self.rounds() < self.longest() as f64
    }

    /// Advances the race by `dt` seconds.
    pub fn tick(&mut self, dt: f64) {
        self.time += dt;
    }
}
