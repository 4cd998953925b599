//! Feet with two effectors, on ankle and toes. While both are pinned, the foot stands, and keeps its orientation: the two
//! points alone would let it roll about the line between them.

use crate::{EffectorMode, Scene};
use fabrik3d_ik::Problem;
use fabrik3d_ik::goals::{GoalRank, Orientation};
use std::collections::BTreeMap;

/// The effectors of a foot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Foot {
    /// Index of the effector on the ankle.
    pub ankle: usize,
    /// Index of the effector on the toes.
    pub toes: usize,
}

impl Scene {
    /// The feet of all figures, whose joints tell by their names.
    pub fn feet(&self) -> Vec<Foot> {
        let mut figures: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (at, effector) in self.effectors.iter().enumerate() {
            figures.entry(self.skeleton.root(effector.effector.joint)).or_default().push(at);
        }
        // Crowds of figures with one effector each have no feet.
        figures.values().filter(|effectors| effectors.len() > 1).flat_map(|effectors| self.feet_of(effectors)).collect()
    }

    fn feet_of(&self, effectors: &[usize]) -> impl Iterator<Item = Foot> {
        let joint = |at: usize| self.effectors[at].effector.joint;
        let is_below = move |at: usize, above: usize| self.skeleton.ancestors(joint(at)).any(|up| up == joint(above));
        let parts: Vec<(usize, String)> = effectors.iter().map(|&at| (at, self.body_part(joint(at)))).collect();
        ["left", "right"].into_iter().filter_map(move |side| {
            let find = |end: &str| parts.iter().find(|(_, part)| *part == format!("{side} {end}"));
            let (ankle, toes) = (find("foot")?.0, find("toe")?.0);
            is_below(toes, ankle).then_some(Foot { ankle, toes })
        })
    }

    /// Feet that stand in the start pose keep their orientation.
    pub(crate) fn plant_feet(&self, problem: &mut Problem) {
        let stands = |at: usize, problem: &Problem| {
            self.effectors[at].hold == EffectorMode::Pinned && problem.goals[at].rank == GoalRank::Firm
        };
        let feet = self.feet().into_iter().filter(|foot| stands(foot.ankle, problem) && stands(foot.toes, problem));
        let feet: Vec<Foot> = feet.collect();
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
