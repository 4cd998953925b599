//! Races: the same figure and target for several methods, one iteration after the other.

use super::PlainChain;
use super::lesson::{ActKind, Recording};
use crate::ik::{Method, Move, Report, Settings, ease, mix_directions};
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
                let method = |word: &&str| Method::ALL.into_iter().find(|method| method.name() == *word);
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
                methods.iter().try_for_each(|method| write!(f, " {}", method.name()))
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
    /// The points after each round; the first are the start.
    rounds: Vec<Vec<DVec3>>,
    /// The error after each round, of the reach.
    pub errors: Vec<f64>,
    lengths: Vec<f64>,
}

impl Lane {
    fn run(chain: &PlainChain, method: Method, settings: &Settings) -> Option<Lane> {
        let recording = Recording::of_chain(chain, &Settings { method, ..*settings })?;
        // An iteration is over with its forward pass; between the two the base is off.
        let is_round = |kind: ActKind| !matches!(kind, ActKind::Move(Move::Backward { .. }));
        let rounds: Vec<_> = recording.acts.into_iter().filter(|act| is_round(act.kind)).collect();
        Some(Lane {
            method,
            report: recording.report,
            errors: rounds.iter().map(|act| act.error).collect(),
            lengths: recording.figure.lengths[1..].to_vec(),
            rounds: rounds.into_iter().map(|act| act.points).collect(),
        })
    }

    /// Number of rounds to the end: iterations and closures.
    pub fn last(&self) -> usize {
        self.rounds.len() - 1
    }

    /// The points after so many rounds; between two the links turn from one pose to the other, so that their lengths
    /// are kept.
    pub fn points(&self, rounds: f64) -> Vec<DVec3> {
        let whole = (rounds.max(0.0) as usize).min(self.last());
        let from = &self.rounds[whole];
        let Some(to) = self.rounds.get(whole + 1) else { return from.clone() };
        let share = ease(rounds - whole as f64);
        let mut points = vec![from[0].lerp(to[0], share)];
        for (i, &length) in self.lengths.iter().enumerate() {
            let direction = |points: &[DVec3]| (points[i + 1] - points[i]) / length;
            let mixed = mix_directions(direction(from).normalize(), direction(to).normalize(), share);
            points.push(points[i] + mixed * length);
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
    chain: PlainChain,
    time: f64,
    /// The error that counts as reached, of the reach.
    pub tolerance: f64,
    /// How the figures stand.
    pub layout: Layout,
}

impl Race {
    /// The methods that race where none are named.
    pub const USUAL: [Method; 4] = [Method::Accelerated, Method::Textbook, Method::Ccd, Method::Dls];

    /// A race at its start; none when the points make no chain.
    pub fn new(chain: PlainChain, methods: &[Method], settings: &Settings, layout: Layout) -> Option<Race> {
        let lanes = methods.iter().map(|&method| Lane::run(&chain, method, settings));
        Some(Race { lanes: lanes.collect::<Option<_>>()?, chain, time: 0.0, tolerance: settings.tolerance, layout })
    }

    /// The methods' ways.
    pub fn lanes(&self) -> &[Lane] {
        &self.lanes
    }

    /// What they all started from.
    pub fn chain(&self) -> &PlainChain {
        &self.chain
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
