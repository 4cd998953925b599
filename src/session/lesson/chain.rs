//! Plain chains, and the recording of their solve.

use super::figure::LessonFigure;
use super::recorder::Recorder;
use super::recording::LessonRecording;
use fabrik3d_ik::fabrik::passes;
use fabrik3d_ik::{Chain, Coordinates, Island, Kind, Move, Problem, Report, Settings, Skeleton, Stop};
use glam::DVec3;

/// Most points in all phases of a recording together.
const MAX_POINTS: usize = 500_000;

/// A single chain of unlimited joints with one target position.
#[derive(Clone, Debug, PartialEq)]
pub struct PlainChain {
    /// Base to end effector, in the start pose.
    pub points: Vec<DVec3>,
    /// Where the end effector should go.
    pub target: DVec3,
    /// Point toward which the chain bends.
    pub pole: Option<DVec3>,
    /// Whether it is a rope, whose base follows.
    pub free_base: bool,
}

impl PlainChain {
    /// The chain of an island, if the solver uses its fast path for chains there.
    pub(in crate::session) fn of(
        skeleton: &Skeleton,
        island: &Island,
        problem: &Problem,
        pose: &[Coordinates],
    ) -> Option<Self> {
        let mut goals = problem.goals.iter().filter(|goal| goal.asks());
        let (Some(goal), None) = (goals.next(), goals.next()) else { return None };
        let joints = &island.joints;
        let target = goal.asked_position().filter(|_| goal.asked_rotation().is_none())?;
        let is_plain = skeleton.is_strand(joints)
            && joints.last() == Some(&goal.effector.joint)
            && goal.effector.chain_length.is_none()
            && problem.obstacles.is_empty()
            && problem.loops.is_empty();
        if !is_plain {
            return None;
        }
        let frames = skeleton.frames_at(problem.base, pose);
        let turning = joints.iter().take_while(|&&joint| skeleton.joints()[joint].kind != Kind::Fixed);
        let tip = frames[goal.effector.joint].point(goal.effector.tip);
        Some(PlainChain {
            points: turning.map(|&joint| frames[joint].position).chain([tip]).collect(),
            target,
            pole: problem.hints.iter().find(|hint| joints.contains(&hint.joint)).map(|hint| hint.toward),
            free_base: skeleton.joints()[joints[0]].kind == Kind::Free,
        })
    }
}

impl LessonRecording {
    /// Solves a chain and records it; none if its points do not form a chain. The base of a rope follows its tip in one
    /// backward pass.
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
            recorder.add_move(Move::Backward { aim: target }, chain.points().to_vec());
            Report { stop: Stop::Reached, error: 0.0, iterations: 1, polish_steps: 0, attempts: 1 }
        } else {
            chain.solve_watched(target, &bounded, |step, snapshot| {
                let mut points: Vec<DVec3> = snapshot.points().collect();
                if matches!(step, Move::Backward { .. }) {
                    // The pipelined solver skips the base in this pass; the lesson shows where it would go.
                    let before = recorder.last_points();
                    points[0] = passes::place(points[1], before[0], lengths[0], before[0] - before[1]);
                }
                recorder.add_move(step, points);
            })
        };
        Some(recorder.finish(report, settings))
    }
}
