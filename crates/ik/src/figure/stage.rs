//! One stage of a figure's solve: the chosen method on one layout, then poles, margins and loops, then the reason for
//! stopping.

use crate::fabrik::observer::SolveEvent;
use crate::layout::shell::Shell;
use crate::layout::{GoalLayout, Layout, Layouts};
use crate::methods::Iteration;
use crate::model::{Coordinates, Report, Settings, Stop};
use crate::search::Verb;
use crate::search::workspace::{Effort, Given, Observed, Workspace};
use crate::tasks::closure::MAX_GAP;
use crate::tasks::{Objective, Score};
use crate::tree::coordinate_descent;
use crate::tree::refine::{MAX_MOTION_PER_FRAME, RefineLimits, shorten};
use glam::DVec3;

/// Smallest difference of lengths that is no rounding, as a fraction of the effector's size.
const ROUNDING: f64 = 1e-10;
/// Number of rounds of [`Workspace::spread`]: each moves links apart, then goes back to the goals.
const SPREAD_ROUNDS: u32 = 6;
/// A round that widens the smallest distance by less than this fraction of the margin is the last one.
const SMALLEST_GAIN: f64 = 0.01;

/// The settings, with the tolerance to which loops are closed.
fn exactly(settings: &Settings) -> Settings {
    Settings { tolerance: MAX_GAP, rotation_tolerance: MAX_GAP, ..*settings }
}

impl Workspace {
    /// Moves `pose`, which is that of a figure, as near to its goals as possible.
    pub(crate) fn solve(&mut self, own: &Given, layouts: &Layouts, verb: Verb, pose: &mut [Coordinates]) -> Report {
        let mut report = Report { attempts: 0, ..Report::AT_REST };
        let loops = layouts.loops.as_ref();
        pose.clone_into(&mut self.poses.origin);
        if verb == Verb::Track && own.bounds_moves() {
            let largest = own.settings.max_step.unwrap_or(f64::INFINITY);
            self.refiner.limits.largest_step.begin(own.skeleton, pose, (largest, &own.problem.max_steps));
        }
        let preferences = layouts.preferences.as_ref().filter(|_| !own.settings.method.iterates_skeletons());
        let preferences = preferences.map(|layout| own.objective(layout));
        if let Some(objective) = preferences.filter(|_| verb == Verb::Track) {
            self.refiner.begin(&objective, pose);
            self.refiner.prefer_a_little(&objective, pose);
            report.refine_steps = 1;
        }
        for (stage, layout) in layouts.stages.iter().enumerate() {
            self.stage = stage;
            let stage = self.solve_stage(&own.objective(layout), loops, verb, pose);
            report = Report { attempts: report.attempts.max(stage.attempts), ..stage.after(report) };
        }
        // Preferences would lead away from the nearest pose.
        if let Some(objective) = preferences.filter(|_| verb != Verb::Nearest) {
            report = self.prefer(verb, &objective, report, pose);
        }
        self.refiner.limits.largest_step.end();
        own.skeleton.turn_near(&self.poses.origin, pose);
        report
    }

    /// Solves one layout: moves `pose` as near to its goals as possible. `loops` is a layout without goals.
    pub(crate) fn solve_stage(
        &mut self,
        objective: &Objective,
        loops: Option<&Layout>,
        verb: Verb,
        pose: &mut [Coordinates],
    ) -> Report {
        (self.effort, self.refiner.steps) = (Effort::default(), 0);
        self.refiner.begin(objective, pose);
        let iterates = objective.settings.method.iterates_skeletons();
        let score = if iterates {
            self.iterate_only(objective, pose)
        } else {
            let score = self.search(verb, objective, pose);
            self.finish(verb, objective, loops, score, pose)
        };
        let score = self.refiner.shorten(objective, pose).map_or(score, |shortened| shortened.score);
        let stop = if score.reached(objective.settings) { Stop::Reached } else { self.stop_reason(objective, pose) };
        Report {
            stop,
            error: score.position.max(score.gap),
            iterations: self.effort.iterations,
            refine_steps: self.refiner.steps,
            attempts: self.effort.attempts,
        }
    }

    /// Moves `pose`, which a search has found, toward its poles and to its margins, and closes loops that gave way. The answer
    /// to the next frame goes no farther than one frame may show.
    pub(crate) fn finish(
        &mut self,
        verb: Verb,
        objective: &Objective,
        loops: Option<&Layout>,
        mut score: Score,
        pose: &mut [Coordinates],
    ) -> Score {
        let slowly = verb == Verb::Track && self.effort.attempts == 1;
        if !objective.layout.poles.is_empty() {
            score = self.pull_to_poles(objective, slowly, pose, score);
        }
        // A margin would lead away from the nearest pose.
        let widens = verb != Verb::Nearest && objective.problem.keep_clear.margin > 0.0;
        if widens && score.reached(objective.settings) {
            score = self.spread(objective, slowly, pose, score);
        }
        let is_interrupted = objective.settings.interrupt.is_requested();
        if objective.has_ranks() && !is_interrupted && !score.reached(objective.settings) {
            let _ = self.hold(&objective.without_wanted_goals(), RefineLimits::ATTEMPT, pose);
            score = self.refiner.evaluation.evaluate(objective, pose);
        }
        if let Some(loops) = loops.filter(|_| score.gap > MAX_GAP && !is_interrupted) {
            self.close_loops(&Objective { layout: loops, ..*objective }, pose);
            score = self.refiner.evaluation.evaluate(objective, pose);
        }
        score
    }

    /// Moves `pose`, which a solve with this report has found, to where what is preferred is met best. Goals that are missed stay as
    /// near as they are.
    fn prefer(&mut self, verb: Verb, objective: &Objective, report: Report, pose: &mut [Coordinates]) -> Report {
        self.refiner.steps = 0;
        if verb != Verb::Track {
            self.turn_to_posture(objective, pose);
        }
        self.refiner.begin(objective, pose);
        let score = match (report.stop.is_reached(), verb) {
            // The step before has preferred.
            (true, Verb::Track) => return report,
            (true, _) => self.refiner.prefer(objective, pose),
            (false, _) => self.with_missed_goals_held(objective, pose, |search, held, pose| match verb {
                Verb::Track => {
                    search.refiner.prefer_a_little(held, pose);
                    search.refiner.run(held, RefineLimits::FOLLOW, pose);
                }
                _ => {
                    search.refiner.prefer(held, pose);
                }
            }),
        };
        let error = score.position.max(score.gap);
        Report { error, refine_steps: report.refine_steps + self.refiner.steps, ..report }
    }

    /// Joints that keep to a posture are to be at the turn next to it instead of that next to the start.
    fn turn_to_posture(&mut self, objective: &Objective, pose: &mut [Coordinates]) {
        let posture = &objective.problem.posture;
        posture.joints().for_each(|joint| self.poses.origin[joint] = posture.pose[joint]);
        objective.skeleton.turn_near(&self.poses.origin, pose);
    }

    /// Moves `pose` onto its goals with as little motion as possible, as exactly as loops are closed.
    fn hold(&mut self, objective: &Objective, limits: RefineLimits, pose: &mut [Coordinates]) -> Score {
        self.refiner.run(&Objective { settings: &exactly(objective.settings), ..*objective }, limits, pose).score
    }

    /// Moves `pose` onto its goals in a few steps. What these cannot do, wanted goals do without. For firm ones, joints move that
    /// resist: those that do not may be at their limits.
    pub(crate) fn hold_all(&mut self, objective: &Objective, pose: &mut [Coordinates]) {
        pose.clone_into(&mut self.poses.start);
        if self.hold(objective, RefineLimits::HOLD, pose).reached(objective.settings) {
            return;
        }
        let firm = objective.without_wanted_goals();
        if objective.has_ranks() {
            if self.hold(&firm, RefineLimits::HOLD, pose).reached(objective.settings) {
                return;
            }
            pose.copy_from_slice(&self.poses.start);
            let _ = self.hold(&firm, RefineLimits::HOLD, pose);
            let _ = self.hold(&objective.with_firm_constraints(), RefineLimits::HOLD, pose);
            if self.hold(&firm, RefineLimits::HOLD, pose).reached(objective.settings) {
                return;
            }
        }
        let firm = Objective { settings: &exactly(objective.settings), ..firm };
        let _ = self.refiner.run_without_stiffness(&firm, RefineLimits::HOLD, pose);
    }

    /// Closes the loops of `pose` with as little motion as possible. `objective` has a layout without goals. Returns the
    /// largest remaining gap.
    pub(crate) fn close_loops(&mut self, objective: &Objective, pose: &mut [Coordinates]) -> f64 {
        self.refiner.begin(objective, pose);
        self.refiner.run(objective, RefineLimits::ATTEMPT, pose).score.gap
    }

    /// Moves joints toward their poles as far as that costs no goal. With `slowly`, no farther than one frame may show.
    fn pull_to_poles(&mut self, objective: &Objective, slowly: bool, pose: &mut [Coordinates], before: Score) -> Score {
        pose.clone_into(&mut self.poses.attempt);
        let firm = objective.with_firm_constraints();
        let (objective, before) = match before.reached(objective.settings) {
            true => (objective, before),
            false => (&firm, self.refiner.evaluation.evaluate(&firm, pose)),
        };
        let pulled = self.poles.run(objective, &mut self.refiner, slowly, pose);
        if pulled.score.reached(objective.settings) || pulled.score.cost <= before.cost * (1.0 + 1e-9) {
            return pulled.score;
        }
        pose.copy_from_slice(&self.poses.attempt);
        self.refiner.evaluation.evaluate(objective, pose)
    }

    /// Moves links of `pose`, which meets the goals, apart that are nearer to each other, or to obstacles, than the margin, as far
    /// as the goals leave freedom. With `slowly`, no farther than one frame may show. The goals stay met.
    fn spread(&mut self, objective: &Objective, slowly: bool, pose: &mut [Coordinates], mut best: Score) -> Score {
        let margin = objective.problem.keep_clear.margin;
        let soft = &objective.with_margin();
        let mut closest = self.refiner.evaluation.evaluate(soft, pose).clearance;
        pose.clone_into(&mut self.poses.attempt);
        for _ in 0..if slowly { 1 } else { SPREAD_ROUNDS } {
            if closest >= margin {
                break;
            }
            self.refiner.run(soft, RefineLimits::ROUND, pose);
            if slowly {
                shorten(objective, &self.poses.attempt, MAX_MOTION_PER_FRAME, pose);
            }
            let refined = self.refiner.run(objective, RefineLimits::ATTEMPT, pose);
            let clearance = self.refiner.evaluation.evaluate(soft, pose).clearance;
            if !refined.score.reached(objective.settings) || clearance <= closest {
                break;
            }
            let is_last = clearance < closest + SMALLEST_GAIN * margin;
            (best, closest) = (refined.score, clearance);
            self.poses.attempt.copy_from_slice(pose);
            if is_last {
                break;
            }
        }
        pose.copy_from_slice(&self.poses.attempt);
        self.refiner.evaluation.evaluate(objective, pose);
        best
    }

    /// Iterates the method as published, without refinement and restarts.
    fn iterate_only(&mut self, objective: &Objective, pose: &mut [Coordinates]) -> Score {
        self.effort.attempts = 1;
        let mut best = self.refiner.evaluation.evaluate(objective, pose);
        pose.clone_into(&mut self.poses.best);
        let settings = objective.settings;
        let may_go_on = |done: u32| done < settings.max_iterations.get() && !settings.interrupt.ends_after(done);
        while !best.reached(settings) && may_go_on(self.effort.iterations) {
            let score = self.iterate(objective, pose);
            self.effort.iterations += 1;
            if score.cost < best.cost {
                best = score;
                self.poses.best.copy_from_slice(pose);
            }
        }
        self.effort.cut_short = true;
        pose.copy_from_slice(&self.poses.best);
        self.refiner.evaluation.evaluate(objective, pose)
    }

    /// One iteration of the method, or of FABRIK. The evaluation must hold the frames and residuals of `pose`.
    fn iterate(&mut self, objective: &Objective, pose: &mut [Coordinates]) -> Score {
        let score = match objective.settings.method.iteration() {
            Iteration::CoordinateDescent => {
                coordinate_descent::sweep(objective, pose, &mut self.refiner.evaluation.frames);
                self.refiner.evaluation.score(objective)
            }
            Iteration::Gradient(force) => self.refiner.iterate(objective, force, pose),
            Iteration::Search | Iteration::Passes | Iteration::OnChains(_) => return self.cycle(objective, pose),
        };
        self.observe(objective, SolveEvent::Iteration, pose);
        score
    }

    /// One backward and one forward pass. The evaluation must hold the frames of `pose`.
    pub(crate) fn cycle(&mut self, objective: &Objective, pose: &mut [Coordinates]) -> Score {
        let Objective { problem, layout, .. } = *objective;
        self.passes.backward(objective, pose, &self.refiner.evaluation.frames);
        let aim = layout.goals.first().and_then(|goal| problem.goals[goal.index].target.position);
        self.observe(objective, SolveEvent::Backward { target: aim.unwrap_or_default() }, pose);
        self.passes.forward(objective, pose, &mut self.refiner.evaluation.frames);
        self.observe(objective, SolveEvent::Forward, pose);
        self.refiner.evaluation.score(objective)
    }

    /// Records a step for the observer, if there is one.
    pub(crate) fn observe(&mut self, objective: &Objective, step: SolveEvent, pose: &[Coordinates]) {
        let Some(trace) = &mut self.trace else { return };
        // The evaluation updates only the frames that the solve needs.
        let mut frames = objective.skeleton.frames_at(objective.problem.base, pose);
        if matches!(step, SolveEvent::Backward { .. }) {
            objective.layout.order.iter().for_each(|&joint| frames[joint] = self.passes.desired[joint]);
        }
        trace.push(Observed { step, frames, pose: pose.to_vec() });
    }

    /// The reason if some target is too far or too close for its effector, whatever the limits.
    pub(crate) fn out_of_reach(&self, objective: &Objective) -> Option<Stop> {
        let Objective { skeleton, problem, settings, layout, .. } = *objective;
        let frames = &self.refiner.evaluation.frames;
        let check = |goal: &GoalLayout, shell: &Shell| {
            let request = &problem.goals[goal.index];
            // The nearest accepted position may be within reach even if the target is not.
            let target = request.requested_position().filter(|_| request.freedom.slack == DVec3::ZERO)?;
            // Where the target puts the point of the shell.
            let from_tip = shell.point - request.effector.tip;
            let place = match request.requested_rotation().filter(|_| request.is_exact()) {
                _ if from_tip == DVec3::ZERO => target,
                rotation => target + rotation?.normalize() * from_tip,
            };
            let (joint, center) = shell.center;
            let distance = skeleton.rest_frame_in(joint, problem.base, frames).point(center).distance(place);
            let slack = settings.tolerance.max(ROUNDING) * goal.size + settings.rotation_tolerance * from_tip.length();
            if distance > shell.outer + slack {
                Some(Stop::TooFar)
            } else if distance < shell.inner - slack {
                Some(Stop::TooClose)
            } else {
                None
            }
        };
        let stops = layout.goals.iter().flat_map(|goal| goal.shells.iter().filter_map(move |shell| check(goal, shell)));
        stops.min_by_key(|stop| *stop != Stop::TooFar)
    }

    /// The reason why the goals are not met.
    fn stop_reason(&mut self, objective: &Objective, pose: &[Coordinates]) -> Stop {
        if objective.settings.interrupt.is_requested() {
            return Stop::Interrupted;
        }
        if let Some(stop) = self.out_of_reach(objective) {
            return stop;
        }
        // Only a search that ends at a local minimum can blame the limits. The other methods may get stuck at limits
        // although a solution exists.
        let firm = if objective.has_ranks() { objective.with_firm_constraints() } else { *objective };
        let can_blame_limits = matches!(objective.settings.method.iteration(), Iteration::Search);
        match self.effort.cut_short {
            _ if can_blame_limits && self.refiner.is_blocked(&firm, pose) => Stop::Limited,
            true => Stop::IterationLimit,
            false => Stop::Stalled,
        }
    }
}
