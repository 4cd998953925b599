//! What a lesson or a race solves, and the recording of a plain chain.

use super::figure::LessonFigure;
use super::recorder::Recorder;
use super::recording::{LessonRecording, LessonStart};
use fabrik3d_ik::fabrik::observer::SolveEvent;
use fabrik3d_ik::fabrik::passes;
use fabrik3d_ik::figures::Figure;
use fabrik3d_ik::goals::{Attachment, Pole};
use fabrik3d_ik::{Chain, Coordinates, Effector, Goal, Kind, Pose, Problem, Report, Settings, Skeleton, Stop};
use glam::DVec3;

/// What a lesson or a race solves: the figure of the selected effector.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    /// The figure.
    pub figure: Figure,
    /// The pose in which the solve starts, one entry per joint of the skeleton.
    pub start: Pose,
    /// Where that pose comes from.
    pub origin: LessonStart,
    /// Its problem, in the numbers of its own joints.
    pub problem: Problem,
    /// Names of the effectors of the goals.
    pub names: Vec<String>,
    /// The figure as a plain chain, if it is one.
    pub chain: Option<PlainChain>,
}

impl Subject {
    /// The start pose, and where it comes from.
    pub(in crate::session) fn start(&self) -> (Pose, LessonStart) {
        (self.start.clone(), self.origin)
    }

    /// The same with another target position of an effector of the scene.
    #[must_use]
    pub(in crate::session) fn with_target(&self, effector: Effector, place: DVec3) -> Self {
        let mut subject = self.clone();
        let own = |goal: &&mut Goal| {
            self.figure.number(goal.effector.joint) == effector.joint && goal.effector.tip == effector.tip
        };
        if let Some(goal) = subject.problem.goals.iter_mut().find(own) {
            goal.target.position = Some(place);
        }
        if let Some(chain) = &mut subject.chain {
            chain.target = place;
        }
        subject
    }

    /// Records the solve; none if there is no target position.
    pub fn record(&self, skeleton: &Skeleton, settings: &Settings) -> Option<LessonRecording> {
        let Subject { figure: own, problem, names, start, origin, .. } = self;
        let Some(chain) = &self.chain else {
            let recording = LessonRecording::of_skeleton(skeleton, own, problem, names, settings, start)?;
            return Some(LessonRecording { start: *origin, ..recording });
        };
        let mut recording = LessonRecording::of_chain(chain, settings)?;
        recording.start = *origin;
        let figure = &mut recording.figure;
        let (last, tip) = (figure.len() - 1, problem.goals[0].effector);
        // The nodes of the chain are the joints that turn, and the tip. Fixed joints before the tip share its node.
        figure.joints = own.joints().iter().enumerate().map(|(k, &joint)| (joint, k.min(last))).collect();
        figure.points =
            figure.joints.iter().take(last).map(|&(joint, _)| Attachment { joint, point: DVec3::ZERO }).collect();
        figure.points.push(Attachment { joint: own.number(tip.joint), point: tip.tip });
        Some(recording)
    }
}

/// A plain chain in the world: the points of a figure of unlimited joints with one position goal.
#[derive(Clone, Debug, PartialEq)]
pub struct PlainChain {
    /// Points from the base to the end effector.
    pub points: Vec<DVec3>,
    /// Target of the end effector.
    pub target: DVec3,
    /// The point that one of the joints bends toward.
    pub pole: Option<Pole>,
    /// Whether the base is free, as in a rope.
    pub free_base: bool,
}

impl PlainChain {
    /// The chain that a figure with this `problem` is, if it is one, in a problem and a pose of the whole skeleton.
    pub fn of(figure: &Figure, whole: &Problem, problem: &Problem, pose: &[Coordinates]) -> Option<Self> {
        Some(PlainChain {
            points: figure.chain_points(whole, pose)?,
            target: problem.goals.iter().find_map(|goal| goal.requested_position())?,
            pole: problem.poles.iter().find(|pole| pole.joint > 0).copied(),
            free_base: *figure.skeleton().kind(0) == Kind::Free,
        })
    }
}

/// Most points in all phases of a recording together.
const MAX_POINTS: usize = 500_000;

impl LessonRecording {
    /// Solves a chain and records it; none if its points form none. The base of a rope follows its tip in one backward pass.
    pub fn of_chain(plain: &PlainChain, settings: &Settings) -> Option<LessonRecording> {
        let (start, target) = (&plain.points[..], plain.target);
        let mut chain = Chain::new(start).ok()?;
        chain.set_pole(plain.pole);
        let lengths = chain.lengths().to_vec();
        let mut figure = LessonFigure::chain(&chain, target);
        figure.floating.extend(plain.free_base.then_some(0));
        let mut recorder = Recorder::new(figure, start);
        let affordable =
            u32::try_from(MAX_POINTS / (2 * start.len())).ok().and_then(|most| most.max(1).try_into().ok());
        let bounded = Settings {
            max_iterations: affordable.map_or(settings.max_iterations, |most| settings.max_iterations.min(most)),
            ..*settings
        };
        let report = if plain.free_base {
            chain.reach_backward(target);
            recorder.add(Some(SolveEvent::Backward { target }), chain.points().to_vec());
            if chain.turn_to_pole() {
                recorder.add(Some(SolveEvent::TurnToPole), chain.points().to_vec());
            }
            Report { stop: Stop::Reached, error: 0.0, iterations: 1, refine_steps: 0, attempts: 1 }
        } else {
            chain.solve_observed(target, &bounded, |step, snapshot| {
                let mut points: Vec<DVec3> = snapshot.points().collect();
                if matches!(step, SolveEvent::Backward { .. }) {
                    // The pipelined solver skips the base in this pass; the lesson shows where it would go.
                    let before = &recorder.last().points;
                    points[0] = passes::place(points[1], before[0], lengths[0], before[0] - before[1]);
                }
                recorder.add(Some(step), points);
            })
        };
        Some(recorder.finish(report, settings))
    }
}
