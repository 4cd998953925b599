//! Feet with effectors on ankle and toes, or on the ankle of a known body alone. While all of them are pinned, the foot stands,
//! and keeps its orientation: one or two points alone would let it roll.

use crate::Scene;
use fabrik3d_ik::goals::{GoalRank, Orientation};
use fabrik3d_ik::{Kind, Problem};
use glam::DVec3;

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

    /// Feet that stand in the start pose keep their orientation.
    pub(crate) fn plant_feet(&self, problem: &mut Problem) {
        let is_firm = |at: usize| problem.goals[at].rank == GoalRank::Firm;
        let asks = |&at: &usize| is_firm(at) || problem.goals[at].rank == GoalRank::Preferred;
        // An ankle above firm toes may be preferred: the heel may rise.
        let stands = |foot: &Foot| match foot.toes.filter(|&toes| is_firm(toes)) {
            Some(_) => true,
            None => is_firm(foot.ankle) && self.is_stiff(),
        };
        let mut feet = self.feet_of(&(0..self.effectors.len()).filter(asks).collect::<Vec<_>>());
        feet.retain(stands);
        if feet.is_empty() {
            return;
        }
        let frames = self.skeleton.frames(&self.start);
        for Foot { ankle, .. } in feet {
            let goal = &mut problem.goals[ankle];
            goal.target.orientation.get_or_insert(Orientation::Rotation(frames[goal.effector.joint].rotation));
        }
    }
}
