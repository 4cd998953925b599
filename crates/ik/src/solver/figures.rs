//! The figures of a solver one at a time: for programs that give each figure its own share of a frame.

use super::lane_group::{LaneGroup, LaneGroups};
use crate::figure::Figure;
use crate::figure::plain_chain::PlainChain;
use crate::figure::solver::{Buffers, FigureSolver};
use crate::model::{Coordinates, Interrupt, Isometry, Report, Settings, Target};
use crate::search::Verb;
use crate::search::workspace::Given;
use crate::simd::Threads;
use std::collections::HashMap;

/// The figures of a solver with the problem that it has at present: see [`Solver::figures`](crate::Solver::figures).
///
/// Poses are those of the whole skeleton, and each call changes the joints of one figure. A pose that does not fit the
/// skeleton, or that is not finite in these joints, is refused.
#[derive(Debug)]
pub struct Figures<'a> {
    pub(super) given: Given<'a>,
    pub(super) figures: &'a mut [FigureSolver],
    pub(super) buffers: &'a mut Buffers,
    pub(super) lanes: &'a mut LaneGroups,
    /// The frames of the solver.
    pub(super) frames: &'a mut Vec<Isometry>,
}

/// Smallest number of chains with the same number of links that are solved together.
const MIN_GROUP_SIZE: usize = 16;

impl Figures<'_> {
    /// Number of figures.
    pub fn len(&self) -> usize {
        self.figures.len()
    }

    /// The figure with this number.
    ///
    /// # Panics
    /// There is no figure with this number.
    pub fn get(&self, figure: usize) -> &Figure {
        &self.figures[figure].figure
    }

    /// Always false: a skeleton has at least one joint.
    pub fn is_empty(&self) -> bool {
        self.figures.is_empty()
    }

    /// As [`Solver::solve`](crate::Solver::solve) with [`Prefer::First`](crate::settings::Prefer::First), for one figure.
    pub fn solve(&mut self, figure: usize, settings: &Settings, pose: &mut [Coordinates]) -> Report {
        self.solve_from(Verb::Solve, figure, settings, pose)
    }

    /// As [`Solver::track`](crate::Solver::track), for one figure. If the goals cannot be met, it tries other poses too. These
    /// differ for each position of the targets, so that a few attempts per frame are enough.
    pub fn track(&mut self, figure: usize, settings: &Settings, pose: &mut [Coordinates]) -> Report {
        self.solve_from(Verb::Track, figure, settings, pose)
    }

    fn solve_from(&mut self, verb: Verb, figure: usize, settings: &Settings, pose: &mut [Coordinates]) -> Report {
        match self.fits(figure, pose) && settings.check().is_ok() {
            true => {
                let given = Given { settings: &settings.begun(), ..self.given };
                self.figures[figure].answer(&given, verb, self.buffers, pose)
            }
            false => Report::REFUSED,
        }
    }

    /// As [`Solver::solve_nearest`](crate::Solver::solve_nearest), for one figure.
    pub fn solve_nearest(&mut self, figure: usize, settings: &Settings, pose: &mut [Coordinates]) -> Report {
        self.solve_from(Verb::Nearest, figure, settings, pose)
    }

    /// Solves one figure with stiff joints again from an earlier pose, `from`. If the goals are met from there with clearly less
    /// turning from `from` than `pose`, which meets them too, has gathered on its way, `pose` goes there: where a drag ends does
    /// not depend on its way. A body that has gone down with a hand and come up again thus stands as it stood.
    pub fn shed_turning(
        &mut self,
        figure: usize,
        settings: &Settings,
        from: &[Coordinates],
        pose: &mut [Coordinates],
    ) -> Option<Report> {
        if !self.fits(figure, pose) || !self.fits(figure, from) || settings.check().is_err() {
            return None;
        }
        let given = Given { settings: &settings.begun(), ..self.given };
        self.figures[figure].shed_turning(&given, self.buffers, from, pose)
    }

    /// As [`Solver::close_loops`](crate::Solver::close_loops), for one figure. An interrupt leaves the smallest gap found so far.
    pub fn close_loops(&mut self, figure: usize, interrupt: Interrupt, pose: &mut [Coordinates]) -> f64 {
        let settings = &Settings { interrupt, ..*self.given.settings };
        match self.fits(figure, pose) {
            true => self.figures[figure].close_loops(&Given { settings, ..self.given }, self.buffers, pose),
            false => f64::INFINITY,
        }
    }

    /// Takes a few steps from `pose` onto what is held, inside all limits: for each goal of the figure, in the order of
    /// [`Figure::goals`], where its effector should be; `None` for goals that do not count. Wanted goals give way to firm
    /// ones. For poses that were mixed from others: the joints of a mix are between those of two poses, but feet that both have
    /// at the same place are not at it.
    pub fn hold(&mut self, figure: usize, held: &[Option<Target>], interrupt: Interrupt, pose: &mut [Coordinates]) {
        let settings = &Settings { interrupt, ..*self.given.settings };
        if self.fits(figure, pose) && held.iter().flatten().all(|target| target.check().is_ok()) {
            self.figures[figure].hold(&Given { settings, ..self.given }, self.buffers, held, pose);
        }
    }

    /// Solves those chains together, in SIMD lanes, that are `wanted` and of which there are many with the same number of
    /// links, if the lanes support the settings: the accelerated method, and a tolerance within single precision. Chains have
    /// a fixed base, no pole, and a position as their only goal. `report` receives the outcome of each; all other figures stay
    /// to be solved one at a time.
    ///
    /// The lanes compute in `f32`, relative to each base. Lengths stay exact, because only rotations are stored. Chains whose
    /// targets the lanes do not reach are solved one by one.
    pub fn solve_chains(
        &mut self,
        settings: &Settings,
        pose: &mut [Coordinates],
        wanted: impl Fn(usize) -> bool,
        mut report: impl FnMut(usize, Report),
    ) {
        if !LaneGroup::supports(settings) || settings.check().is_err() {
            return;
        }
        let Figures { given, figures, buffers, lanes, .. } = self;
        let given = Given { settings, ..*given };
        let links =
            |figure: &FigureSolver| figure.chain.as_ref().filter(|chain| chain.fits_lanes()).map(PlainChain::len);
        let mut counts: HashMap<usize, usize> = HashMap::new();
        figures.iter().filter_map(links).for_each(|links| *counts.entry(links).or_default() += 1);
        for (at, figure) in figures.iter().enumerate().filter(|&(at, _)| wanted(at)) {
            if links(figure).is_some_and(|links| counts[&links] >= MIN_GROUP_SIZE) {
                lanes.push((0, at), figure, given.problem, pose);
            }
        }
        lanes.solve(settings, Threads::default(), |group, member, (_, at)| {
            report(at, group.finish(member, &mut figures[at], (&given, Verb::Solve), buffers, pose));
        });
    }

    /// Whether a pose fits the skeleton as far as a figure is concerned.
    fn fits(&self, figure: usize, pose: &[Coordinates]) -> bool {
        let (own, skeleton) = (self.figures[figure].figure.joints(), self.given.skeleton);
        pose.len() == skeleton.len() && own.iter().all(|&joint| skeleton.kind(joint).check(&pose[joint]).is_ok())
    }
}
