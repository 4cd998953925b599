//! Held effectors: those that the solved pose has on their targets, and whose targets have not jumped. Mixing the joints of two
//! poses moves what hangs on several of them: feet that stand in both poses would leave the ground in between. So the displayed
//! pose is corrected: held effectors are on their targets too. How far from there they were when they became held eases out.

use super::effector_state::EffectorState;
use fabrik3d_ik::figures::Figure;
use fabrik3d_ik::goals::GoalRank;
use fabrik3d_ik::{Coordinates, Isometry, Target};
use fabrik3d_scene::Scene;
use glam::{DQuat, DVec3};

/// Largest distance from its target of an effector that is on it, as a fraction of the reach.
const ON_TARGET: f64 = 1e-3;
/// How far a dragged effector stays behind its target when an ease begins, as a fraction of the way of the target in this frame.
/// Test: `a_body_does_not_leap_behind_the_pointer` if smaller, `a_quickly_dragged_effector_stays_on_its_target_and_pinned_ones_on_theirs`
/// if larger.
const LAG: f64 = 0.4;

/// The held effectors of a figure. Lists have one entry per goal.
#[derive(Clone, Debug, Default)]
pub(super) struct Held {
    /// For each running ease, oldest first: whether the target had not jumped when it began.
    starts: Vec<Vec<bool>>,
    /// The targets of the last displayed frame.
    targets: Vec<Target>,
    states: Vec<State>,
}

/// One effector.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    is_held: bool,
    /// How far from its target and from its solved orientation it was displayed when it became held, and how much of the newest ease
    /// was left then.
    offset: DVec3,
    turn: DVec3,
    left: f64,
}

/// A frame to be displayed.
#[derive(Clone, Copy)]
pub(super) struct Frame<'a> {
    pub scene: &'a Scene,
    pub figure: &'a Figure,
    pub effectors: &'a [EffectorState],
    pub solved: &'a [Coordinates],
    /// The pose that was displayed in the last frame.
    pub displayed: &'a [Coordinates],
    /// How much of the newest ease is left.
    pub left: f64,
    pub reach: f64,
    /// Whether the pointer moves targets. What keys move eases as a whole.
    pub follows_pointer: bool,
}

impl Held {
    /// Takes over that `running` eases run. `jumps` says whether targets that have moved since the last frame have jumped.
    pub fn follow_eases(&mut self, running: usize, jumps: bool, frame: &Frame) {
        self.starts.drain(..self.starts.len().saturating_sub(running));
        while self.starts.len() < running {
            let stays = |(at, &goal): (usize, &usize)| {
                let now = frame.effectors[goal].target;
                now.position.is_some() && (!jumps || self.targets.get(at).is_none_or(|before| *before == now))
            };
            self.starts.push(frame.figure.goals().iter().enumerate().map(stays).collect());
            // What is displayed may not leap with the solved pose.
            self.states.iter_mut().for_each(|state| state.is_held = false);
        }
    }

    /// Where the held effectors should be in the displayed pose, for each goal; none if no effector is held.
    pub fn places(&mut self, frame: &Frame) -> Option<Vec<Option<Target>>> {
        let Held { starts, states, targets } = self;
        states.resize_with(frame.figure.goals().len(), State::default);
        let goals = frame.figure.goals().iter().zip(states).enumerate();
        let counts = |goal: usize| {
            let (described, now) = (&frame.scene.effectors[goal], &frame.effectors[goal]);
            if now.yields {
                frame.follows_pointer && (now.is_moved() || now.is_beside_moved())
            } else {
                described.weight >= 1.0 && now.rank(described) != GoalRank::Preferred
            }
        };
        let places = goals.map(|(at, (&goal, state))| {
            let target = frame.effectors[goal].required();
            let stays = !starts.is_empty() && starts.iter().all(|start| start[at]) && counts(goal);
            let solved = frame.frame(goal, frame.solved);
            let tip = solved.point(frame.scene.effectors[goal].effector.tip);
            let is_on = |place: &DVec3| place.distance(tip) <= ON_TARGET * frame.reach;
            let Some(place) = target.position.filter(|place| stays && is_on(place)) else {
                state.is_held = false;
                return None;
            };
            if !state.is_held {
                let before = targets.get(at).and_then(|target| target.position).unwrap_or(place);
                let displayed = frame.frame(goal, frame.displayed);
                let offset = displayed.point(frame.scene.effectors[goal].effector.tip) - before.lerp(place, LAG);
                let turn = (displayed.rotation * solved.rotation.conjugate()).to_scaled_axis();
                *state = State { is_held: true, offset, turn, left: frame.left };
            }
            let left = frame.left / state.left;
            let place = tip + state.offset * left;
            let rotation = DQuat::from_scaled_axis(state.turn * left) * solved.rotation;
            Some(target.orientation.map_or(Target::from(place), |_| Target::from((place, rotation))))
        });
        let places: Vec<Option<Target>> = places.collect();
        places.iter().any(Option::is_some).then_some(places)
    }

    /// Remembers the targets of a frame that is displayed.
    pub fn remember(&mut self, figure: &Figure, effectors: &[EffectorState]) {
        self.targets.clear();
        self.targets.extend(figure.goals().iter().map(|&goal| effectors[goal].target));
    }
}

impl Frame<'_> {
    fn frame(&self, effector: usize, pose: &[Coordinates]) -> Isometry {
        let joint = self.scene.effectors[effector].effector.joint;
        self.scene.skeleton.frame_of(Isometry::IDENTITY, pose, joint)
    }
}
