//! Feet with effectors on ankle and toes, or on the ankle of a known body alone. While all of them are pinned, the foot stands,
//! and keeps its orientation: one or two points alone would let it roll.

use crate::Scene;
use fabrik3d_ik::goals::{GoalRank, Orientation};
use fabrik3d_ik::{Goal, Kind, Problem};
use glam::{DQuat, DVec3};

/// The effectors of a foot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Foot {
    /// Index of the effector on the ankle.
    pub ankle: usize,
    /// Index of the effector on the toes, if there is one.
    pub toes: Option<usize>,
}

impl Foot {
    /// Whether an effector is on it.
    pub fn has(self, effector: usize) -> bool {
        self.ankle == effector || self.toes == Some(effector)
    }

    /// The toes of its ankle, or the ankle of its toes.
    pub fn other_end(self, effector: usize) -> Option<usize> {
        match self.toes? {
            toes if effector == self.ankle => Some(toes),
            toes if effector == toes => Some(self.ankle),
            _ => None,
        }
    }
}

impl Scene {
    /// The feet of all figures, whose joints tell by their names.
    pub fn feet(&self) -> Vec<Foot> {
        self.feet_of(&(0..self.effectors.len()).collect::<Vec<_>>())
    }

    /// Those of them that have all of their effectors among these. Names are read only of known bodies, and where one effector
    /// is above another one: tables are solved with a problem for each row.
    fn feet_of(&self, effectors: &[usize]) -> Vec<Foot> {
        if effectors.len() < 2 {
            return Vec::new();
        }
        let joint = |at: usize| self.effectors[at].effector.joint;
        let is_stiff = self.is_stiff();
        let mut has_effector = vec![false; self.skeleton.len()];
        effectors.iter().for_each(|&at| has_effector[joint(at)] = true);
        let is_below_none = |&at: &usize| !self.skeleton.ancestors(joint(at)).skip(1).any(|above| has_effector[above]);
        if !is_stiff && effectors.iter().all(is_below_none) {
            return Vec::new();
        }
        let parts: Vec<String> = effectors.iter().map(|&at| self.body_part(joint(at))).collect();
        let foot = |(&ankle, part): (&usize, &String)| {
            let side = part.strip_suffix(" foot")?;
            let is_toes = |part: &String| part.strip_suffix(" toe") == Some(side);
            let is_below = |toes: usize| self.skeleton.ancestors(joint(toes)).any(|above| above == joint(ankle));
            let below = |(&toes, part): (&usize, &String)| (is_toes(part) && is_below(toes)).then_some(toes);
            let toes = effectors.iter().zip(&parts).find_map(below);
            (toes.is_some() || is_stiff).then_some(Foot { ankle, toes })
        };
        effectors.iter().zip(&parts).filter_map(foot).collect()
    }

    /// The vector from the effector on an ankle to that on its toes, in the frame of the ankle; none if joints change it.
    pub fn sole(&self, Foot { ankle, toes }: Foot) -> Option<DVec3> {
        let [ankle, toes] = [ankle, toes?].map(|at| self.effectors[at].effector);
        let joint = &self.skeleton.joints()[toes.joint];
        let is_rigid = joint.parent == Some(ankle.joint) && toes.tip == DVec3::ZERO;
        (is_rigid && !matches!(joint.kind, Kind::Free | Kind::Slide { .. })).then_some(joint.offset - ankle.tip)
    }

    /// How the feet stand in the start pose.
    pub fn soles(&self) -> Soles {
        let feet = self.feet();
        let frames = if feet.is_empty() { Vec::new() } else { self.skeleton.frames(&self.start) };
        let sole = |foot: Foot| Sole {
            foot,
            rotation: frames[self.effectors[foot.ankle].effector.joint].rotation,
            along: self.sole(foot),
            is_given: [Some(foot.ankle), foot.toes].map(|at| at.is_some_and(|at| self.effectors[at].rank.is_some())),
        };
        Soles { soles: feet.into_iter().map(sole).collect(), is_stiff: self.is_stiff() }
    }
}

/// The feet of a scene, which complete what is asked of their effectors.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Soles {
    soles: Vec<Sole>,
    is_stiff: bool,
}

/// A foot as it stands in the start pose.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Sole {
    foot: Foot,
    /// Orientation of the ankle.
    rotation: DQuat,
    /// From the ankle to the toes, in the frame of the ankle; none if joints change it.
    along: Option<DVec3>,
    /// Whether the scene gives the ranks of ankle and toes.
    is_given: [bool; 2],
}

impl Soles {
    /// Completes the goals of a problem, in which the effectors that `is_asked` are asked for something by the caller. A foot that
    /// stands keeps its orientation. Where one end of a foot is to move, the other one, which was only pinned, prefers to come
    /// along as if the foot were rigid.
    pub fn complete(&self, problem: &mut Problem, is_asked: impl Fn(usize) -> bool) {
        for &Sole { foot: Foot { ankle, toes }, rotation, along, is_given } in &self.soles {
            let goal = |at: usize| Some(&problem.goals[at]).filter(|goal| goal.is_active());
            let rank = |at: usize| goal(at).map(|goal| goal.rank);
            let stays = |at: usize, end: usize| rank(at) == Some(GoalRank::Firm) && !is_given[end] && !is_asked(at);
            let place = |at: usize| goal(at).and_then(|goal| goal.target.position);
            let toes = toes.filter(|&toes| rank(toes).is_some());
            match (toes, rank(ankle), toes.and_then(rank)) {
                // A preferred ankle lets the heel rise.
                (Some(_), Some(GoalRank::Firm | GoalRank::Preferred), Some(GoalRank::Firm)) => {}
                (None, Some(GoalRank::Firm), _) if self.is_stiff => {}
                (Some(toes), Some(GoalRank::Wanted), _) if stays(toes, 1) => {
                    let turn = match problem.goals[ankle].target.orientation {
                        Some(Orientation::Rotation(turn)) => turn,
                        _ => rotation,
                    };
                    let along = place(ankle).zip(along).map(|(place, along)| place + turn * along);
                    prefer(&mut problem.goals[toes], along);
                    continue;
                }
                (Some(toes), _, Some(GoalRank::Wanted)) if stays(ankle, 0) => {
                    let along = place(toes).zip(along).map(|(place, along)| place - rotation * along);
                    prefer(&mut problem.goals[ankle], along);
                    continue;
                }
                _ => continue,
            }
            problem.goals[ankle].target.orientation.get_or_insert(Orientation::Rotation(rotation));
        }
    }
}

/// Lets the effector of a goal prefer this place; without one, the place that it has.
fn prefer(goal: &mut Goal, place: Option<DVec3>) {
    goal.rank = GoalRank::Preferred;
    goal.target.position = place.or(goal.target.position);
}
