//! Prepares the solver of an island for a problem: builds its layouts, unless they fit.

use super::chain_island::ChainIsland;
use super::island::IslandSolver;
use super::layout::Layout;
use super::layout_key::LayoutKey;
use super::lazy::Lazy;
use super::part::Part;
use super::share::Share;
use crate::model::pose::Coordinates;
use crate::model::problem::Problem;
use crate::model::skeleton::Skeleton;

impl IslandSolver {
    /// Prepares for a problem. Whether it and the pose fit; if not, nothing is prepared.
    pub(super) fn accepts(&mut self, skeleton: &Skeleton, problem: &Problem, pose: &[Coordinates]) -> bool {
        problem.fits_joints(skeleton, pose, &self.island.joints) && {
            self.prepare(skeleton, problem);
            true
        }
    }

    /// Rebuilds the layouts if goals, loops, poles or obstacles have been added or removed.
    pub(crate) fn prepare(&mut self, skeleton: &Skeleton, problem: &Problem) {
        let is_built = self.chain.is_some() || !self.layouts.is_empty();
        let share = match &self.key {
            None if is_built => return,
            Some(_) if !self.share.fits(skeleton, problem, &self.island) => Share::of(skeleton, problem, &self.island),
            None => Share::of(skeleton, problem, &self.island),
            Some(key) if key.fits(skeleton, problem, Some((self.joints(), &self.share))) => return,
            Some(_) => std::mem::take(&mut self.share),
        };
        self.build(skeleton, problem, share);
        let key = LayoutKey::of(skeleton, problem, Some((self.joints(), &self.share)));
        self.key = Some(Box::new(key));
    }

    /// The joints that the layouts depend on.
    fn joints(&self) -> &[usize] {
        self.part.as_deref().map_or(&self.island.joints, Part::joints)
    }

    pub(super) fn build(&mut self, skeleton: &Skeleton, problem: &Problem, share: Share) {
        self.chain = ChainIsland::of(skeleton, problem, &self.island, &share).map(Box::new);
        (self.share, self.part, self.loop_layout) = (share, None, None);
        self.layouts.clear();
        // A plain chain needs layouts for single passes only.
        if self.chain.is_none() {
            self.build_layouts(skeleton, problem);
        }
    }

    pub(super) fn build_layouts(&mut self, skeleton: &Skeleton, problem: &Problem) {
        self.part = Part::new(skeleton, problem, &self.island, &self.share).map(Box::new);
        let (skeleton, problem) = match &self.part {
            Some(part) => {
                part.load_problem(problem, &self.share, &mut self.case);
                (&part.skeleton, &self.case.problem)
            }
            None => (skeleton, problem),
        };
        self.layouts = Layout::stages(skeleton, problem);
        self.loop_layout = (!problem.loops.is_empty()).then(|| Box::new(Layout::new(skeleton, problem, &[])));
        self.passes = Lazy::default();
    }
}
