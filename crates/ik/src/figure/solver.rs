//! The solver of one figure: what stays the same from solve to solve. The buffers belong to the thread that solves.

use crate::fabrik::observer::SolveEvent;
use crate::figure::plain_chain::{PlacedChain, PlainChain, PlainChainBuffers};
use crate::figure::{Case, Figure};
use crate::layout::Layouts;
use crate::model::{Coordinates, Goal, Isometry, Pose, Problem, Report, Settings, Stop, Target, pose_distance};
use crate::search::policy::SHED_RATIO;
use crate::search::workspace::{Given, Observed, Scout, Workspace};
use crate::search::{Verb, candidates};
use crate::tasks::Objective;
use crate::tasks::closure::MAX_GAP;
use crate::tree::passes::Passes;

/// The buffers of a thread that solves. They hold nothing from one solve to the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct Buffers {
    pub case: Case,
    pub chain: PlainChainBuffers,
    pub workspace: Workspace,
}

/// Solves one figure. Poses are those of the whole skeleton; only the joints of the figure change.
#[derive(Clone, Debug)]
pub(crate) struct FigureSolver {
    pub figure: Figure,
    /// The figure as a chain, if it is one: it is solved on the fast path.
    pub chain: Option<PlainChain>,
    /// Whether nothing is asked of the figure, and nothing preferred.
    pub is_idle: bool,
    /// Whether it also has nothing to keep clear of, so that a solve leaves it where it is, inside its limits.
    pub rests: bool,
    /// Created on first use: chains, arms in SIMD lanes and idle figures need none.
    layouts: Option<Box<(Layouts, Missed)>>,
    /// The last backward pass that was made alone.
    passes: Option<Box<Passes>>,
}

/// The last goals that tracking missed, and the answer to them.
#[derive(Clone, Debug)]
struct Missed {
    problem: Problem,
    settings: Settings,
    /// Empty if there is no answer so far.
    pose: Pose,
    report: Report,
    /// The search for an answer elsewhere, per stage.
    scouts: Vec<Scout>,
}

impl Missed {
    /// No goals so far, with room for those of a figure.
    fn nothing(own: &Given, layouts: &Layouts) -> Self {
        let Given { skeleton, problem, settings } = *own;
        let empty = || Pose::with_capacity(skeleton.len());
        let scouts = layouts.stages.iter().map(|_| Scout::new(empty())).collect();
        Missed { problem: problem.clone(), settings: *settings, pose: empty(), report: Report::REFUSED, scouts }
    }

    fn is_answer(&self, own: &Given, pose: &[Coordinates]) -> bool {
        self.pose == pose && self.settings == *own.settings && self.problem == *own.problem
    }

    /// Keeps the goals, and the answer, unless the next call may find another one.
    fn keep(&mut self, own: &Given, pose: &[Coordinates], report: Report, is_final: bool) {
        self.pose.clear();
        if report.stop.is_reached() {
            return;
        }
        self.problem.clone_from(own.problem);
        let is_settled = matches!(report.stop, Stop::TooFar | Stop::TooClose | Stop::Limited | Stop::Stalled);
        if is_settled && is_final {
            self.pose.extend_from_slice(pose);
            (self.settings, self.report) = (*own.settings, report);
        }
    }
}

impl FigureSolver {
    /// A solver for a figure of this problem.
    pub fn new(figure: Figure, problem: &Problem) -> Self {
        let share = &figure.share;
        let prefers = share.has_preferences(problem, figure.joints());
        let is_idle = !share.is_asked(problem) && !prefers;
        let rests = is_idle && problem.obstacles.is_empty() && share.capsules.is_empty();
        FigureSolver { chain: PlainChain::of(&figure, problem), figure, is_idle, rests, layouts: None, passes: None }
    }

    /// The figure as a chain, if it is one, with the frame of its base.
    pub fn placed_chain(&self, base: Isometry) -> Option<PlacedChain<'_>> {
        self.chain.as_ref().map(|chain| PlacedChain { chain, figure: &self.figure, base })
    }

    /// Moves the figure in `pose` as near to its goals as possible.
    pub fn solve(&mut self, given: &Given, verb: Verb, buffers: &mut Buffers, pose: &mut [Coordinates]) -> Report {
        let Given { skeleton, problem, settings } = *given;
        self.figure.project(skeleton, pose);
        if settings.interrupt.forbids_start() {
            return Report::NOT_BEGUN;
        }
        let is_bounded = verb == Verb::Track && given.bounds_moves();
        let chain = self.placed_chain(problem.base).filter(|_| verb != Verb::Nearest && !is_bounded);
        if let Some(chain) = chain {
            return chain.solve(given, verb, &mut buffers.chain, pose, |_, _| {});
        }
        if self.rests {
            skeleton.follow(pose);
            return Report::AT_REST;
        }
        self.with_layouts(given, buffers, pose, |own, (layouts, _), workspace, pose| {
            own.skeleton.follow(pose);
            workspace.solve(own, layouts, verb, pose)
        })
    }

    /// As [`FigureSolver::solve`]. While it tracks and nothing has moved since it missed goals, the answer is the same again, at
    /// once.
    pub fn answer(&mut self, given: &Given, verb: Verb, buffers: &mut Buffers, pose: &mut [Coordinates]) -> Report {
        let is_chain = self.chain.is_some() && !given.bounds_moves();
        if verb != Verb::Track || is_chain || self.is_idle || given.settings.interrupt.forbids_start() {
            return self.solve(given, verb, buffers, pose);
        }
        self.figure.project(given.skeleton, pose);
        self.with_layouts(given, buffers, pose, |own, (layouts, missed), workspace, pose| {
            own.skeleton.follow(pose);
            if missed.is_answer(own, pose) {
                return Report { iterations: 0, refine_steps: 0, ..missed.report };
            }
            if missed.problem != *own.problem {
                missed.scouts.iter_mut().for_each(Scout::follow);
            }
            std::mem::swap(&mut workspace.scouts, &mut missed.scouts);
            let report = workspace.solve(own, layouts, Verb::Track, pose);
            std::mem::swap(&mut workspace.scouts, &mut missed.scouts);
            // Stiff figures, searches that are divided among calls, and poses that stay next to the last one go on in the next one.
            let may_come_nearer = !own.settings.may_jump || layouts.preferences.is_some();
            let is_nearer = may_come_nearer && *pose != *workspace.poses.origin;
            let goes_on = is_nearer || missed.scouts.iter().any(Scout::goes_on);
            let is_final = !goes_on && !layouts.last().has_stiffness && !own.bounds_moves();
            missed.keep(own, pose, report, is_final);
            report
        })
    }

    /// Solves again from an earlier pose. If the goals are met from there with clearly less turning from it than `pose` has, `pose`
    /// goes there.
    pub fn shed_turning(
        &mut self,
        given: &Given,
        buffers: &mut Buffers,
        from: &[Coordinates],
        pose: &mut [Coordinates],
    ) -> Option<Report> {
        let mut again = pose.to_vec();
        self.figure.joints().iter().for_each(|&joint| again[joint] = from[joint]);
        // A foot that is back on the ground carries again, although it counts as dragged.
        let report = match self.meets(given, buffers, &mut again) {
            true => Report::AT_REST,
            false => self.solve(given, Verb::Solve, buffers, &mut again),
        };
        let [from, shed] = [from, &again].map(|pose| self.figure.pose(pose));
        self.with_layouts(given, buffers, pose, |own, (layouts, _), workspace, pose| {
            let objective = own.objective(layouts.last());
            let mut turning = |pose: &[Coordinates]| workspace.refiner.turning_between(&objective, &from, pose);
            let is_shed = report.stop.is_reached() && turning(&shed) < SHED_RATIO * turning(pose);
            is_shed.then(|| {
                pose.copy_from_slice(&shed);
                report
            })
        })
    }

    /// Calls `work` with the skeleton and the problem of the figure, its layouts with the goals that were missed, and its pose, and
    /// takes over the pose that it leaves.
    fn with_layouts<R>(
        &mut self,
        given: &Given,
        buffers: &mut Buffers,
        pose: &mut [Coordinates],
        work: impl FnOnce(&Given, &mut (Layouts, Missed), &mut Workspace, &mut [Coordinates]) -> R,
    ) -> R {
        let FigureSolver { figure, layouts, .. } = self;
        let Buffers { case, workspace, .. } = buffers;
        figure.with_case(given.problem, pose, case, |problem, pose| {
            let skeleton = figure.skeleton();
            let own = &Given { skeleton, problem, settings: given.settings };
            let layouts = layouts.get_or_insert_with(|| {
                let layouts = Layouts::new(skeleton, problem);
                workspace.reserve(own, &layouts);
                let missed = Missed::nothing(own, &layouts);
                Box::new((layouts, missed))
            });
            work(own, layouts, workspace, pose)
        })
    }

    /// As [`FigureSolver::solve`], and calls `observer` for each step up to the first refinement and for the final pose. The
    /// steps of a plain chain are all its events.
    pub fn solve_observed(
        &mut self,
        given: &Given,
        buffers: &mut Buffers,
        pose: &mut [Coordinates],
        observer: &mut impl FnMut(SolveEvent, &[Isometry], &[Coordinates]),
    ) -> Report {
        let Given { skeleton, problem, settings } = *given;
        if let Some(chain) = self.placed_chain(problem.base).filter(|_| !settings.interrupt.forbids_start()) {
            self.figure.project(skeleton, pose);
            return chain.solve_observed(given, &mut buffers.chain, pose, observer);
        }
        buffers.workspace.trace = Some(Vec::new());
        let report = self.solve(given, Verb::Solve, buffers, pose);
        let mut shown = pose.to_vec();
        for Observed { step, frames, pose } in buffers.workspace.trace.take().unwrap_or_default() {
            self.figure.write(&pose, &mut shown);
            let mut all = skeleton.frames_at(problem.base, &shown);
            self.figure.write(&frames, &mut all);
            observer(step, &all, &shown);
        }
        if !settings.method.iterates_skeletons() {
            observer(SolveEvent::Refine, &skeleton.frames_at(problem.base, pose), pose);
        }
        report
    }

    /// Closes the loops of `pose` with as little motion as possible, regardless of the goals. Returns the largest remaining
    /// gap as a fraction of the reach.
    pub fn close_loops(&mut self, given: &Given, buffers: &mut Buffers, pose: &mut [Coordinates]) -> f64 {
        if self.figure.share.loops.is_empty() {
            return 0.0;
        }
        let settings = Settings { interrupt: given.settings.interrupt, ..Settings::default() };
        let given = &Given { settings: &settings, ..*given };
        self.with_layouts(given, buffers, pose, |own, (layouts, _), workspace, pose| {
            let Some(layout) = &layouts.loops else { return 0.0 };
            let objective = own.objective(layout);
            let gap = workspace.close_loops(&objective, pose);
            if gap <= MAX_GAP {
                return gap;
            }
            // No small step closes a loop whose links are in line: other poses do.
            let open = pose.to_vec();
            let score = workspace.search(Verb::Nearest, &objective, pose);
            if score.gap < gap {
                return score.gap;
            }
            pose.copy_from_slice(&open);
            gap
        })
    }

    /// Takes a few steps from `pose` onto what is held: for each goal of the figure, where its effector should be. Other goals do
    /// not count, and wanted goals give way to firm ones.
    pub fn hold(&mut self, given: &Given, buffers: &mut Buffers, held: &[Option<Target>], pose: &mut [Coordinates]) {
        self.with_layouts(given, buffers, pose, |own, (layouts, _), workspace, pose| {
            let mut problem = std::mem::take(&mut workspace.walk.problem);
            problem.clone_from(own.problem);
            for (goal, held) in problem.goals.iter_mut().zip(held) {
                *goal = Goal { rank: goal.rank, ..Goal::new(goal.effector, held.unwrap_or_default()) };
            }
            let objective = Objective::new(own.skeleton, &problem, layouts.last(), own.settings);
            workspace.refiner.begin(&objective, pose);
            workspace.hold_all(&objective, pose);
            workspace.walk.problem = problem;
        });
    }

    /// Whether `pose` meets everything that a problem asks of the figure: goals, and what has to keep clear.
    pub fn meets(&mut self, given: &Given, buffers: &mut Buffers, pose: &mut [Coordinates]) -> bool {
        self.with_layouts(given, buffers, pose, |own, (layouts, _), workspace, pose| {
            layouts.stages.iter().all(|layout| {
                let objective = own.objective(layout);
                workspace.refiner.begin(&objective, pose);
                workspace.refiner.evaluation.score(&objective).reached(own.settings)
            })
        })
    }

    /// Whether the effector of a goal would be in an obstacle at its target, so that nothing can meet the goal. `pose` is any
    /// pose.
    pub fn is_blocked_at_target(&mut self, given: &Given, buffers: &mut Buffers, pose: &mut [Coordinates]) -> bool {
        self.with_layouts(given, buffers, pose, |own, (layouts, _), _, pose| {
            let frames = own.skeleton.frames_at(own.problem.base, pose);
            layouts.stages.iter().any(|layout| own.objective(layout).is_blocked_at_target(&frames))
        })
    }

    /// Up to `most` solutions of the figure with their [`pose_distance`] from `start`, the nearest first. With several stages,
    /// only the last one differs. If nothing is asked of the figure, it stays.
    pub fn solutions(
        &mut self,
        given: &Given,
        most: usize,
        buffers: &mut Buffers,
        start: &[Coordinates],
    ) -> Vec<(f64, Pose)> {
        let mut own = self.figure.pose(start);
        if self.is_idle {
            return vec![(0.0, own)];
        }
        self.with_layouts(given, buffers, &mut start.to_vec(), |given, (layouts, _), workspace, pose| {
            given.skeleton.project(pose);
            own.copy_from_slice(pose);
            let (skeleton, loops) = (given.skeleton, layouts.loops.as_ref());
            for layout in &layouts.stages[..layouts.stages.len() - 1] {
                let _ = workspace.solve_stage(&given.objective(layout), loops, Verb::Solve, pose);
            }
            let length = layouts.last().length;
            let joints: Vec<usize> = (0..skeleton.len()).collect();
            let found = workspace.search_all(&given.objective(layouts.last()), loops, most, pose).into_iter();
            let distance = |pose: &Pose| pose_distance(skeleton, &joints, &own, pose, length);
            let mut found: Vec<(f64, Pose)> = found.map(|pose| (distance(&pose), pose)).collect();
            found.sort_by(|a, b| a.0.total_cmp(&b.0));
            found.truncate(most);
            found
        })
    }

    /// Poses of the figure for a path of problems that ask for the same, and their reports; `None` for rows whose goals no
    /// candidate meets, and if the figure only follows its targets: chains, and figures with stiff joints, poles, margins, preferences
    /// or several stages. The path may begin at the start: then the first problem is one that the start meets.
    pub fn plan(
        &mut self,
        given: &Given,
        problems: &[Problem],
        buffers: &mut Buffers,
        start: &[Coordinates],
        begins_at_start: bool,
    ) -> Vec<Option<(Pose, Report)>> {
        let nothing = vec![None; problems.len()];
        if self.chain.is_some() || self.is_idle {
            return nothing;
        }
        let problems: Vec<Problem> = problems.iter().map(|problem| self.figure.problem(problem)).collect();
        self.with_layouts(given, buffers, &mut start.to_vec(), |own, (layouts, _), workspace, pose| {
            let Given { skeleton, problem, settings } = *own;
            let layout = layouts.last();
            let follows = layout.has_stiffness || !(layout.poles.is_empty() && problem.centers_of_mass.is_empty());
            let follows = follows || problem.keep_clear.margin > 0.0;
            if follows || layouts.preferences.is_some() || layouts.stages.len() > 1 {
                return nothing;
            }
            let path = candidates::Path { skeleton, layout, problems: &problems, settings, begins_at_start };
            let planned = path.plan(workspace, pose).into_iter().zip(&problems).map(|(pose, problem)| {
                let pose = pose?;
                let objective = Objective::new(skeleton, problem, layout, settings);
                workspace.refiner.begin(&objective, &pose);
                let score = workspace.refiner.evaluation.score(&objective);
                Some((pose, Report { error: score.position.max(score.gap), ..Report::AT_REST }))
            });
            planned.collect()
        })
    }

    /// One backward reaching pass alone. Writes the desired frames of the figure to `frames`, which are those of `pose`.
    pub fn backward(&mut self, given: &Given, buffers: &mut Buffers, pose: &[Coordinates], frames: &mut [Isometry]) {
        let mut passes = self.passes.take().unwrap_or_default();
        self.with_layouts(given, buffers, &mut pose.to_vec(), |own, (layouts, _), _, pose| {
            let frames = own.skeleton.frames_at(own.problem.base, pose);
            passes.backward(&own.objective(layouts.last()), pose, &frames);
        });
        self.figure.write(&passes.desired, frames);
        self.passes = Some(passes);
    }

    /// One forward reaching pass toward the frames of the last backward pass. Without one, nothing moves.
    pub fn forward(&mut self, given: &Given, buffers: &mut Buffers, pose: &mut [Coordinates]) {
        let Some(mut passes) = self.passes.take() else { return };
        self.with_layouts(given, buffers, pose, |own, (layouts, _), _, pose| {
            let mut frames = own.skeleton.frames_at(own.problem.base, pose);
            passes.forward(&own.objective(layouts.last()), pose, &mut frames);
        });
        self.passes = Some(passes);
    }
}
