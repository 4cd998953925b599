//! One island of a scene: its goals, its result and its eases.

use super::effector_state::EffectorState;
use super::frame_budget::{FrameBudget, Leader, TargetMotion, Tick};
use super::held::{Frame, Held};
use super::kinks::{KinkDetector, figure_points, target_points};
use super::numbers::Effort;
use super::poses::Poses;
use super::shedding::Shedding;
use crate::session::numbers::VISIBLE;
use fabrik3d_ik::display::{EaseStart, Eases, mix_poses, pose_distance, speed_toward_limits};
use fabrik3d_ik::figures::{Figure, Figures};
use fabrik3d_ik::settings::Prefer;
use fabrik3d_ik::{Kind, Problem, Report, Settings, Skeleton, Stop, Target};
use fabrik3d_scene::Scene;
use std::f64::consts::PI;

/// Bounds of the time for easing a step of the pose, in smoothing times. A step of half a turn takes one.
const STEP_EASE_RANGE: [f64; 2] = [0.6, 2.0];
/// Longest time in which a motion runs out that has changed abruptly, seconds.
const MAX_RUN_OUT: f64 = 0.6;
/// Time in which a joint that moves toward a limit brakes before it, seconds.
const BRAKING: f64 = 0.1;
/// Change in one frame by which a figure that follows a recording is seen to leap, as a fraction of the reach.
const LEAP: f64 = 0.1;
/// The same for a figure that is dragged. Test: `a_body_does_not_leap_behind_the_pointer` if larger.
const DRAG_LEAP: f64 = 0.02;
/// Seconds for which the targets of a figure with stiff joints rest before it solves from home: a pointer pauses on its way.
const PAUSE: f64 = 0.2;
/// A pose whose joints move less than this in a frame is at rest, radians.
const AT_REST: f64 = 1e-5;

/// State of one island between frames.
#[derive(Clone, Debug)]
pub(super) struct IslandState {
    pub figure: Figure,
    pub report: Option<Report>,
    /// What the solver has done since the targets moved.
    pub effort: Effort,
    /// Starting poses that were tried since the targets moved.
    attempts: u32,
    /// Seconds since targets that moved continuously have come to rest.
    rested: f64,
    /// Error after the last frame, if the targets are still the same.
    last_error: Option<f64>,
    pub eases: Eases,
    held: Held,
    /// Whether solving again would change nothing.
    pub settled: bool,
    pub target_motion: TargetMotion,
    /// Largest reach of its effectors.
    reach: f64,
    /// Whether it floats, and has several effectors to stand on.
    stands: bool,
    /// Seconds of the last displayed frame, if the solved pose followed its targets in it.
    glided: Option<f64>,
    /// Whether an ease began since the last displayed frame.
    ease_began: bool,
    kinks: KinkDetector,
    pub leader: Leader,
    /// Whether it was solved since the last displayed frame.
    is_new: bool,
    /// Whether the next solve starts from the home, if joints are stiff: after a jump of its targets, where they end must not
    /// depend on where they were.
    forgets: bool,
    shedding: Shedding,
}

impl IslandState {
    /// A figure of a scene and its problem, not solved yet.
    pub fn new(skeleton: &Skeleton, problem: &Problem, figure: Figure) -> Self {
        let all = || problem.goals.iter().map(|goal| &goal.effector);
        let scale = |&at: &usize| problem.goals[at].effector.error_scale(skeleton, all());
        let reach = figure.goals().iter().map(scale).reduce(f64::max);
        let floats = figure.joints().iter().any(|&joint| *skeleton.kind(joint) == Kind::Free);
        let stands = floats && figure.goals().len() > 1;
        IslandState {
            figure,
            report: None,
            effort: Effort::default(),
            attempts: 0,
            rested: 0.0,
            last_error: None,
            eases: Eases::default(),
            held: Held::default(),
            settled: false,
            target_motion: TargetMotion::Jump,
            reach: reach.map_or(1.0, |reach| reach.max(0.0)),
            stands,
            glided: None,
            ease_began: false,
            kinks: KinkDetector::default(),
            leader: Leader::Smooth,
            is_new: false,
            forgets: false,
            shedding: Shedding::default(),
        }
    }

    /// The targets have moved continuously: solves again from the present pose.
    pub fn glide(&mut self, leader: Leader, skeleton: &Skeleton, poses: &Poses) {
        match self.target_motion {
            TargetMotion::Jump if self.ease_began => self.eases.follow(),
            TargetMotion::Jump => self.eases.fix(skeleton, self.figure.joints(), &poses.shown[0]),
            TargetMotion::Glide | TargetMotion::Rest => {}
        }
        self.target_motion = TargetMotion::Glide;
        self.leader = leader;
        self.shedding.glide(leader);
        self.wake();
    }

    /// The pose already meets the targets: there is nothing to solve.
    pub fn settle(&mut self, skeleton: &Skeleton, poses: &Poses) {
        self.glide(Leader::Smooth, skeleton, poses);
        (self.settled, self.report) = (true, None);
    }

    /// Whether the pose meets the targets and nothing is left to solve.
    pub fn is_reached(&self) -> bool {
        self.settled && self.is_on_target()
    }

    fn is_on_target(&self) -> bool {
        self.report.is_some_and(|report| report.stop.is_reached())
    }

    /// Whether the pose was given and nothing has been solved since then.
    pub fn is_given(&self) -> bool {
        self.settled && self.report.is_none()
    }

    /// The pose is known to meet the targets: it is kept, and an ease to it goes on.
    pub fn keep_reached(&mut self) {
        (self.settled, self.report) = (true, Some(Report::reached(0.0, 0)));
    }

    /// Shows the solved pose without easing.
    pub fn show_at_once(&mut self) {
        self.eases.clear();
        self.kinks.rest();
    }

    /// Solves again in the next frame, whatever the last result was.
    pub fn wake(&mut self) {
        self.settled = false;
        self.last_error = None;
        self.attempts = 0;
        self.effort = Effort::default();
    }

    /// The targets have jumped: the display eases to the new solution.
    pub fn jump(&mut self, scene: &Scene, poses: &mut Poses) {
        self.target_motion = TargetMotion::Jump;
        self.shedding.end();
        self.figure.joints().iter().for_each(|&joint| poses.before_jump[joint] = poses.displayed[joint]);
        self.ease(scene, scene.smoothing.duration, scene.smoothing.keys, poses);
    }

    /// After a jump of its targets, neither the answer nor the next drag depends on the pose before.
    pub fn forget(&mut self, poses: &mut Poses) {
        self.forgets = true;
        self.figure.joints().iter().for_each(|&joint| poses.grabbed[joint] = poses.home[joint]);
    }

    /// A standing foot is let loose while the figure looks for the answer to a jump: it begins again, since it would have moved otherwise
    /// from the first on.
    pub fn solve_jump_again(&mut self) {
        self.forgets = self.target_motion == TargetMotion::Jump;
    }

    /// Whether targets that moved continuously have rested for longer than a pause.
    fn has_rested_long(&self) -> bool {
        self.rested > PAUSE
    }

    /// Starts an ease from the solved pose of the last frame. One that followed its targets runs out in `run_out` seconds.
    fn ease(&mut self, scene: &Scene, seconds: f64, run_out: f64, poses: &Poses) {
        self.ease_began = true;
        let [pose, before] = &poses.shown;
        let start = EaseStart {
            pose,
            before: self.glided.is_some().then_some(before),
            step: self.glided.unwrap_or_default(),
            run_out,
            is_moving: self.target_motion != TargetMotion::Jump,
        };
        self.eases.begin(&scene.skeleton, self.figure.joints(), seconds, start);
    }

    /// Whether some joints are stiff: such an island returns to its home.
    fn is_stiff(&self, skeleton: &Skeleton) -> bool {
        self.figure.joints().iter().any(|&joint| skeleton.joints()[joint].stiffness > 0.0)
    }

    /// Whether it moves by hinges and slides alone.
    fn is_robot(&self) -> bool {
        let kinds = self.figure.skeleton().joints().iter().map(|joint| joint.kind);
        kinds.filter(Kind::can_move).all(|kind| matches!(kind, Kind::Hinge { .. } | Kind::Slide { .. }))
    }

    /// Eases the leap from the pose in which the motion of the last frame would go on for `dt` seconds.
    fn ease_leap(&mut self, scene: &Scene, seconds: f64, dt: f64, poses: &Poses) {
        let (skeleton, joints) = (&scene.skeleton, self.figure.joints());
        let [now, before] = &poses.shown;
        let mut expected = now.clone();
        if let Some(step) = self.glided {
            mix_poses(skeleton, joints, before, now, 1.0 + dt / step, &mut expected);
        }
        self.ease_began = true;
        self.eases.begin_leap(joints, seconds, [&expected, &poses.solved]);
    }

    /// Puts the solved pose where the solve of this frame begins. Once its targets rest, the pose of a body is a function of them: it
    /// solves again from where the drag began, as after a jump from home. While they move, it follows from frame to frame. Returns
    /// whether it solves again at rest.
    fn begin_frame(&mut self, is_stiff: bool, dt: f64, poses: &mut Poses) -> bool {
        let Poses { solved, previous, home, grabbed, .. } = poses;
        self.figure.joints().iter().for_each(|&joint| previous[joint] = solved[joint]);
        self.shedding.advance(dt);
        self.rested = if self.target_motion == TargetMotion::Rest { self.rested + dt } else { 0.0 };
        let forgets = std::mem::take(&mut self.forgets) && self.target_motion == TargetMotion::Jump;
        let comes_home = is_stiff && self.has_rested_long() && self.attempts == 0;
        if comes_home {
            self.shedding.end();
        }
        let start = if comes_home { grabbed } else { home };
        if comes_home || (forgets && is_stiff) {
            self.figure.joints().iter().for_each(|&joint| solved[joint] = start[joint]);
        }
        comes_home
    }

    /// Runs the iterations of a frame, as number `at` of the figures.
    pub fn solve(
        &mut self,
        at: usize,
        scene: &Scene,
        effectors: &[EffectorState],
        tick: Tick,
        poses: &mut Poses,
        figures: &mut Figures,
    ) {
        let is_stiff = self.is_stiff(&scene.skeleton);
        let comes_home = self.begin_frame(is_stiff, tick.dt, poses);
        let (skeleton, joints) = (&scene.skeleton, self.figure.joints());
        let Poses { solved, previous, .. } = poses;
        let budget = FrameBudget::new(self.target_motion, self.leader, self.has_rested_long(), is_stiff, scene);
        let settings = budget.settings(scene, tick.interrupt, self.attempts);
        // The search for the nearest pose takes all its attempts at once, after a jump. A robot that swings round for a target
        // beside the last one would surprise.
        let is_beside = || self.report.is_some() && self.is_robot();
        let has_time = !tick.interrupt.is_requested();
        let seeks_nearest = self.target_motion == TargetMotion::Jump
            && self.attempts == 0
            && (scene.settings.prefer == Prefer::Nearest || is_beside());
        let whole = Settings { interrupt: tick.interrupt, ..scene.settings };
        let report = match self.target_motion {
            _ if budget.stays_near => figures.track(at, &settings, solved),
            _ if seeks_nearest => figures.solve_nearest(at, &whole, solved),
            _ => figures.solve(at, &settings, solved),
        };
        // A search that the end of the frame cuts short starts no second time.
        let least = u32::from(seeks_nearest && has_time && report.stop == Stop::Interrupted);
        let follows = budget.stays_near && is_stiff;
        self.attempts += if follows { 0 } else { report.attempts.max(least) };
        if comes_home && !report.stop.is_reached() && self.is_on_target() {
            // A search that misses what the figure has followed costs no target.
            joints.iter().for_each(|&joint| solved[joint] = previous[joint]);
            self.settled = true;
            return;
        }
        let step = pose_distance(skeleton, joints, previous, solved, self.reach);
        self.finish_frame(report);
        // A search that the end of the frame cuts short has found nothing yet that could tell it to give up.
        let is_cut_short = report.stop == Stop::Interrupted || report.attempts >= settings.max_attempts.get();
        let goes_on = is_cut_short && self.attempts < budget.in_all;
        if budget.waits || (!report.stop.is_reached() && goes_on) {
            self.settled = false;
        }
        if self.target_motion == TargetMotion::Glide {
            self.finish_glide(is_stiff, report.stop.is_reached(), step);
            if is_stiff && report.stop.is_reached() {
                let found = self.shedding.look((at, &self.figure), (scene, &whole), effectors, poses, figures);
                self.report = found.or(self.report);
            }
        }
    }

    /// After a frame in which its targets moved continuously, and joints by `step`: whether there is more to do once they rest. Poles
    /// still change the pose after the targets are reached. A pose that misses its targets searches more widely, and a body comes
    /// home, but not while a recording that is paused leads to its pose.
    fn finish_glide(&mut self, is_stiff: bool, reached: bool, step: f64) {
        let is_led = self.leader == Leader::Recording;
        let may_rest = !is_led && (is_stiff || !reached);
        let is_still = if reached { step < AT_REST } else { self.settled };
        self.settled = !may_rest && is_still;
        self.target_motion = if may_rest { TargetMotion::Rest } else { TargetMotion::Glide };
    }

    /// Takes the report of one frame.
    pub fn finish_frame(&mut self, mut report: Report) {
        self.is_new = true;
        self.effort += Effort::from(report);
        let unfinished = matches!(report.stop, Stop::IterationLimit | Stop::Interrupted);
        // Without an attempt, the time of the frame was over before it began.
        let stalled = unfinished && report.attempts > 0 && self.last_error.is_some_and(|error| error <= report.error);
        self.settled = !unfinished || stalled;
        self.last_error = Some(report.error);
        if stalled {
            // More iterations would not help, so the solve is no longer in progress.
            report.stop = Stop::Stalled;
        }
        self.report = Some(report);
    }

    /// Whether its displayed pose is more than a mix of poses: loops are closed, and bodies hold what they stand on.
    pub fn is_corrected(&self) -> bool {
        let is_eased = self.is_new || !self.eases.is_empty();
        is_eased && (self.figure.has_loops() || self.stands)
    }

    /// Advances the eases by `dt` seconds and sets the displayed pose, as number `at` of the figures, which correct it.
    pub fn display(
        &mut self,
        at: usize,
        scene: &Scene,
        effectors: &[EffectorState],
        dt: f64,
        poses: &mut Poses,
        figures: Option<&mut Figures>,
    ) {
        self.eases.advance(dt);
        let is_new = std::mem::take(&mut self.is_new);
        let began = self.eases.len();
        if dt > 0.0 && is_new {
            self.ease_kink(scene, effectors, dt, poses);
        } else if self.eases.is_empty() {
            self.kinks.rest();
        }
        let held = self.held_places(began, scene, effectors, poses);
        let Poses { solved, displayed, shown: [now, before], .. } = poses;
        let joints = self.figure.joints();
        match figures.filter(|_| held.is_some() || self.figure.has_loops()) {
            Some(figures) => self.eases.display_corrected(&scene.skeleton, joints, solved, displayed, |pose| {
                if let Some(held) = &held {
                    figures.hold(at, held, scene.settings.interrupt, pose);
                }
                figures.close_loops(at, scene.settings.interrupt, pose);
            }),
            None => self.eases.display(&scene.skeleton, joints, solved, displayed),
        }
        for &joint in joints {
            (now[joint], before[joint]) = (solved[joint], now[joint]);
        }
        let jumped = std::mem::take(&mut self.ease_began) || self.target_motion == TargetMotion::Jump;
        self.glided = (dt > 0.0 && !jumped).then_some(dt);
    }

    /// Where held effectors should be in the displayed pose, if any are held. The first `began` eases began before this frame,
    /// when targets jumped; the others because of how the solver has moved.
    fn held_places(
        &mut self,
        began: usize,
        scene: &Scene,
        effectors: &[EffectorState],
        poses: &Poses,
    ) -> Option<Vec<Option<Target>>> {
        if !self.stands {
            return None;
        }
        let frame = Frame {
            scene,
            figure: &self.figure,
            effectors,
            solved: &poses.solved,
            displayed: &poses.displayed,
            left: 1.0 - self.eases.weight(),
            reach: self.reach,
            follows_pointer: self.leader == Leader::Pointer,
        };
        self.held.follow_eases(began, true, &frame);
        self.held.follow_eases(self.eases.len(), false, &frame);
        let places = if self.eases.is_empty() { None } else { self.held.places(&frame) };
        self.held.remember(&self.figure, effectors);
        places
    }

    /// Eases a change of the solved pose that its targets do not explain.
    fn ease_kink(&mut self, scene: &Scene, effectors: &[EffectorState], dt: f64, poses: &Poses) {
        let (skeleton, joints, solved) = (&scene.skeleton, self.figure.joints(), &poses.solved);
        let figure = figure_points(skeleton, joints, solved, self.reach);
        let targets = target_points(self.figure.goals(), effectors, self.reach);
        let weight = self.eases.weight();
        if self.target_motion == TargetMotion::Jump {
            let leap = pose_distance(skeleton, joints, &poses.shown[0], solved, self.reach);
            if !self.ease_began && weight * leap > VISIBLE {
                // A search that took several frames has found a better pose.
                self.ease(scene, scene.smoothing.duration, 0.0, poses);
                self.eases.advance_newest(dt);
            }
            return self.kinks.jump(figure, targets);
        }
        let change = weight * self.kinks.advance(figure, targets, dt);
        // Of other motions, only what looks like another branch of solutions is eased: the rest is as wanted.
        let is_smooth = self.leader == Leader::Smooth || self.has_rested_long();
        let least = match self.leader {
            _ if is_smooth => self.kinks.visible_change(self.reach),
            Leader::Pointer => DRAG_LEAP * self.reach / dt,
            _ => LEAP * self.reach / dt,
        };
        let mut is_eased = change > least;
        if let Some(step) = self.glided.filter(|_| !is_eased && is_smooth) {
            // A joint cannot ease what happens at its limit, so it brakes before.
            let recent = [&poses.shown[1][..], &poses.shown[0][..]];
            let speed = speed_toward_limits(skeleton, joints, recent, step, BRAKING, self.reach);
            is_eased = weight * speed * self.reach > least;
        }
        if self.shedding.take_shed() || is_eased {
            let [low, high] = STEP_EASE_RANGE;
            let step = pose_distance(skeleton, joints, &poses.shown[0], solved, self.reach);
            let seconds = scene.smoothing.duration * (step / PI).clamp(low, high);
            match self.leader {
                Leader::Smooth => self.ease(scene, seconds, seconds.min(MAX_RUN_OUT), poses),
                Leader::Table => self.ease(scene, seconds, scene.smoothing.keys, poses),
                Leader::Recording => self.ease_leap(scene, seconds, dt, poses),
                // The figure would fly past a target that stops.
                Leader::Pointer => self.ease(scene, seconds, 0.0, poses),
            }
            self.eases.advance_newest(dt);
        } else {
            self.kinks.raise_peak();
        }
    }
}
