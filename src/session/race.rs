//! Races: the same figure and target for several methods, one iteration after the other.

use super::Subject;
use super::lesson::{ActKind, Figure};
use fabrik3d_ik::{
    Isometry, Method, Pose, Report, Settings, Skeleton, SolveEvent as Move, Target, ease, mix_directions,
};
use glam::DVec3;
use std::fmt;

/// How the figures of a race stand in the picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// Beside each other.
    #[default]
    Beside,
    /// All in one place.
    Overlaid,
}

impl Layout {
    /// Both with their names.
    pub const NAMES: [(&'static str, Layout); 2] = [("beside", Layout::Beside), ("overlaid", Layout::Overlaid)];
}

/// What can be done with races.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RaceCommand {
    /// `race METHOD METHOD [METHOD [METHOD]]`: from the start, two to four methods.
    Start(Vec<Method>),
    /// `race.layout beside|overlaid`.
    Layout(Layout),
    /// `race off`.
    Off,
}

/// What `race` takes.
const METHODS: &str = "two to four methods (accelerated, textbook, ccd, jacobian-transpose, dls, svd-dls, \
                       triangulation, ftl), or off";

impl RaceCommand {
    /// The command of these words; an error says what should follow the first, none that it is not one of these.
    pub fn parse(name: &str, rest: &[&str]) -> Option<Result<Self, &'static str>> {
        Some(match (name, rest) {
            ("race", ["off"]) => Ok(RaceCommand::Off),
            ("race", words) if (2..=4).contains(&words.len()) => {
                let method = |word: &&str| Method::from_key(word);
                let methods: Option<Vec<Method>> = words.iter().map(method).collect();
                methods.map(RaceCommand::Start).ok_or(METHODS)
            }
            ("race", _) => Err(METHODS),
            ("race.layout", [word]) => {
                let layout = Layout::NAMES.iter().find(|(name, _)| name == word);
                layout.map(|&(_, layout)| RaceCommand::Layout(layout)).ok_or("beside or overlaid")
            }
            ("race.layout", _) => Err("beside or overlaid"),
            _ => return None,
        })
    }
}

/// The words of the command.
impl fmt::Display for RaceCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RaceCommand::Start(methods) => {
                write!(f, "race")?;
                methods.iter().try_for_each(|method| write!(f, " {}", method.key()))
            }
            RaceCommand::Layout(Layout::Beside) => write!(f, "race.layout beside"),
            RaceCommand::Layout(Layout::Overlaid) => write!(f, "race.layout overlaid"),
            RaceCommand::Off => write!(f, "race off"),
        }
    }
}

/// One method's way.
#[derive(Clone, Debug)]
pub struct Lane {
    /// The method.
    pub method: Method,
    /// What it told at the end.
    pub report: Report,
    /// The places of the figure's nodes after each round; the first are the start.
    rounds: Vec<Vec<DVec3>>,
    /// The frames of the figure's joints after each round, in the order of the figure's; empty for a chain of its own.
    frames: Vec<Vec<Isometry>>,
    /// The error after each round, of the reach.
    pub errors: Vec<f64>,
    parents: Vec<Option<usize>>,
}

impl Lane {
    fn run(subject: &Subject, skeleton: &Skeleton, method: Method, settings: &Settings) -> Option<(Lane, Figure)> {
        let recording = subject.record(skeleton, &Settings { method, ..*settings })?;
        // An iteration is over with its forward pass; between the two the base is off.
        let is_round = |kind: ActKind| !matches!(kind, ActKind::Move(Move::Backward { .. }));
        let rounds: Vec<_> = recording.acts.into_iter().filter(|act| is_round(act.kind)).collect();
        let lane = Lane {
            method,
            report: recording.report,
            errors: rounds.iter().map(|act| act.error).collect(),
            parents: recording.figure.parents.clone(),
            frames: rounds.iter().map(|act| act.frames.clone()).collect(),
            rounds: rounds.into_iter().map(|act| act.points).collect(),
        };
        Some((lane, recording.figure))
    }

    /// Number of rounds to the end: iterations and closures.
    pub fn last(&self) -> usize {
        self.rounds.len() - 1
    }

    /// The joints of the `figure` that this is the way of, with their frames after so many rounds: where the nodes are, and
    /// turned from one pose to the other. Empty for a chain of its own.
    pub fn frames(&self, figure: &Figure, rounds: f64) -> Vec<(usize, Isometry)> {
        let whole = (rounds.max(0.0) as usize).min(self.last());
        let from = &self.frames[whole];
        let to = self.frames.get(whole + 1).unwrap_or(from);
        let (points, share) = (self.points(rounds), ease(rounds - whole as f64));
        let turned = from.iter().zip(to).map(|(from, to)| from.rotation.slerp(to.rotation, share));
        let joints = figure.joints.iter().zip(turned);
        joints.map(|(&(joint, node), rotation)| (joint, Isometry::new(points[node], rotation))).collect()
    }

    /// The places of the nodes after so many rounds; between two the links turn from one pose to the other, so that their
    /// lengths are kept.
    pub fn points(&self, rounds: f64) -> Vec<DVec3> {
        let whole = (rounds.max(0.0) as usize).min(self.last());
        let from = &self.rounds[whole];
        let share = ease(rounds - whole as f64);
        let Some(to) = self.rounds.get(whole + 1).filter(|_| share > 0.0) else { return from.clone() };
        let mut points: Vec<DVec3> = Vec::with_capacity(from.len());
        for (node, parent) in self.parents.iter().enumerate() {
            let link = |points: &[DVec3]| parent.map(|parent| points[node] - points[parent]);
            let turned = link(from).zip(link(to)).and_then(|(before, after)| {
                let (long, longer) = (before.length(), after.length());
                let mixed = mix_directions(before.try_normalize()?, after.try_normalize()?, share);
                Some(mixed * (long + (longer - long) * share))
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

/// Rounds a second at first, and for how many seconds; after that they come ever faster, for the slow ones.
const RATE: f64 = 2.5;
const STEADY: f64 = 4.0;
/// Growth of the rate after that, a second.
const GROWTH: f64 = 0.45;

/// Several methods on the same way.
#[derive(Clone, Debug)]
pub struct Race {
    lanes: Vec<Lane>,
    figure: Figure,
    /// The pose from which all set out, one entry a joint of the skeleton.
    start: Pose,
    /// What all its effectors are asked for, in the order of the problem's goals.
    asked: Vec<Target>,
    time: f64,
    /// Whether a target is being moved by hand since it was taken hold of.
    pub(super) is_led: bool,
    /// The error that counts as reached, of the reach.
    pub tolerance: f64,
    /// How the figures stand.
    pub layout: Layout,
}

impl Race {
    /// The methods that race where none are named.
    pub const USUAL: [Method; 4] = [Method::Accelerated, Method::Textbook, Method::Ccd, Method::Dls];

    /// A race at its start; none where nothing asks the figure for a place, or nobody races.
    pub fn new(
        subject: &Subject,
        skeleton: &Skeleton,
        methods: &[Method],
        settings: &Settings,
        layout: Layout,
    ) -> Option<Race> {
        let runs = methods.iter().map(|&method| Lane::run(subject, skeleton, method, settings));
        let (lanes, mut figures): (Vec<_>, Vec<_>) = runs.collect::<Option<Vec<_>>>()?.into_iter().unzip();
        Some(Race {
            lanes,
            figure: figures.pop()?,
            start: subject.start.clone(),
            asked: subject.problem.goals.iter().map(|goal| goal.target).collect(),
            time: 0.0,
            is_led: false,
            tolerance: settings.tolerance,
            layout,
        })
    }

    /// The pose from which all set out.
    pub(super) fn start(&self) -> &Pose {
        &self.start
    }

    /// What all its effectors are asked for.
    pub(super) fn asked(&self) -> &[Target] {
        &self.asked
    }

    /// Whether no method has anything to do: all targets are met in the pose from which it sets out.
    pub fn is_idle(&self) -> bool {
        self.lanes.iter().all(|lane| lane.last() == 0 && lane.report.stop.is_reached())
    }

    /// The methods' ways.
    pub fn lanes(&self) -> &[Lane] {
        &self.lanes
    }

    /// What they all move.
    pub fn figure(&self) -> &Figure {
        &self.figure
    }

    /// Where they all should take it.
    pub fn targets(&self) -> impl Iterator<Item = DVec3> + '_ {
        self.figure.goals.iter().map(|&(_, target)| target)
    }

    /// The methods.
    pub fn methods(&self) -> Vec<Method> {
        self.lanes.iter().map(|lane| lane.method).collect()
    }

    /// Rounds that have passed, the same for all.
    pub fn rounds(&self) -> f64 {
        let steady = self.time.min(STEADY) * RATE;
        let faster = RATE / GROWTH * ((GROWTH * (self.time - STEADY).max(0.0)).exp() - 1.0);
        (steady + faster).min(self.longest() as f64)
    }

    fn longest(&self) -> usize {
        self.lanes.iter().map(Lane::last).max().unwrap_or(0)
    }

    /// Whether some method is still on its way.
    pub fn is_moving(&self) -> bool {
        self.rounds() < self.longest() as f64
    }

    /// Time goes on by `dt` seconds.
    pub fn tick(&mut self, dt: f64) {
        self.time += dt;
    }
}
