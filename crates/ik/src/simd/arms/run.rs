//! The loop over lanes: every lane holds one problem, takes steps until it is solved, starts again from a random pose if
//! it does not converge, and takes the next problem as soon as it is done. The last steps of an answer and its judgement
//! are in double precision.

use super::arm::ArmLanes;
use super::step::{Aim, Scratch, evaluate, step};
use crate::maths;
use crate::model::{Interrupt, Report};
use crate::random::Random;
use crate::simd::vector::Lanes;
use fearless_simd::{Simd, SimdBase, SimdMask, f64x2};

/// Groups of lanes that take turns. While one waits for the results of its last instructions, the processor works on
/// the next one.
const GROUPS: usize = 2;
/// Steps after which an attempt is given up.
const STEPS_PER_ATTEMPT: f32 = 16.0;
/// Steps after which an attempt is given up if its squared residual is at least the second number.
const CHECKPOINT: [f32; 2] = [10.0, 0.01];
/// Squared residual at the end of an attempt that is left to double precision: near singular poses, steps converge slowly,
/// and single precision not at all.
const ALMOST: f32 = 1e-5;

/// Most steps in double precision. Each one about squares the error, so that two or three suffice for any tolerance. Near
/// singular poses it only halves the error.
const MOST_LAST_STEPS: u32 = 32;
/// Share of the squared error that such a step may leave.
const LEAST_PROGRESS: f64 = 0.5;

/// What counts as solved, and when to give up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// Largest distance, in units of the arm.
    pub distance: f64,
    /// Largest angle, radians.
    pub angle: f64,
    /// Squared distance and angle from which one more step reaches the tolerances.
    pub near: [f32; 2],
    /// Attempts per problem.
    pub attempts: u32,
    /// Ends all attempts.
    pub interrupt: Interrupt,
}

/// A problem for a lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task {
    /// Index of the problem.
    pub row: usize,
    pub aim: Aim<f64>,
    /// Seed of the restarts.
    pub seed: u64,
    /// Attempts that decide whether the target is unreachable.
    pub patience: u32,
}

/// A problem that the lanes did not solve.
pub(crate) struct Unsolved<'a> {
    pub row: usize,
    /// The work of all attempts.
    pub effort: Report,
    /// The pose with the smallest residual, if that is so large, after so many attempts, that the target is unreachable.
    pub hopeless: Option<&'a [f64]>,
}

/// Where the problems come from and where their answers go. Variables are those of the arm, in its units.
pub(crate) trait Problems {
    /// The next problem; writes its start pose.
    fn begin(&mut self, variables: &mut [f64]) -> Option<Task>;
    /// Whether variables that meet the target are an answer. If not, the lane goes on as if they missed it.
    fn accepts(&mut self, row: usize, variables: &[f64]) -> bool;
    /// Takes an answer; the error of its report is in units of the arm. Then as [`Problems::begin`]: a problem that starts
    /// from this answer comes first.
    fn solved(&mut self, row: usize, variables: &mut [f64], report: Report) -> Option<Task>;
    /// The same for a problem that was not solved, with its start pose.
    fn unsolved(&mut self, unsolved: Unsolved<'_>, variables: &mut [f64]) -> Option<Task>;
}

/// `W` lanes.
struct Group<const W: usize> {
    aim: Aim<[f32; W]>,
    /// One row per variable.
    variables: Vec<[f32; W]>,
    /// Steps of the present attempt.
    age: [f32; W],
    slots: [Slot; W],
    /// Lanes with a problem; bit `i` is lane `i`.
    busy: u64,
}

/// The problem of a lane.
#[derive(Clone, Debug)]
struct Slot {
    task: Task,
    random: Random,
    /// The work before the present attempt: steps of the lane, and those in double precision. The number of attempts includes it.
    effort: Report,
    start: Vec<f64>,
    /// The squared residual of the best attempt, and its variables.
    least: f32,
    best: Vec<f64>,
}

impl<const W: usize> Group<W> {
    fn new(variables: usize) -> Self {
        let aim = Aim { position: [0.0; 3], rotation: [[0.0; 3]; 3] };
        let (task, random, start) = (Task { row: 0, aim, seed: 0, patience: 0 }, Random::new(0), vec![0.0; variables]);
        let (least, best) = (f32::INFINITY, start.clone());
        let slot = Slot { task, random, effort: Report::AT_REST, start, least, best };
        Group {
            aim: Aim { position: [[0.0; W]; 3], rotation: [[[0.0; W]; 3]; 3] },
            variables: vec![[0.0; W]; variables],
            age: [0.0; W],
            slots: std::array::from_fn(|_| slot.clone()),
            busy: 0,
        }
    }

    /// Gives a lane its next problem, or none.
    fn load(&mut self, lane: usize, task: Option<Task>, variables: &[f64]) {
        let Some(task) = task else {
            self.busy &= !(1 << lane);
            return;
        };
        self.busy |= 1 << lane;
        for (row, part) in self.aim.position.iter_mut().zip(task.aim.position) {
            row[lane] = part as f32;
        }
        for (row, part) in self.aim.rotation.as_flattened_mut().iter_mut().zip(task.aim.rotation.as_flattened()) {
            row[lane] = *part as f32;
        }
        self.write(lane, variables);
        let slot = &mut self.slots[lane];
        (slot.random, slot.task) = (Random::new(task.seed), task);
        (slot.effort, slot.least) = (Report::AT_REST, f32::INFINITY);
        slot.start.copy_from_slice(variables);
    }

    /// Starts an attempt from these variables.
    fn write(&mut self, lane: usize, variables: &[f64]) {
        self.age[lane] = 0.0;
        for (row, variable) in self.variables.iter_mut().zip(variables) {
            row[lane] = *variable as f32;
        }
    }
}

/// Everything that the lanes share.
struct Run<'a, S: Simd> {
    simd: S,
    lanes: &'a ArmLanes,
    bounds: Bounds,
    problems: &'a mut dyn Problems,
    /// The variables of one lane.
    own: Vec<f64>,
    /// The same for the last steps. Every processor with lanes has two of double precision; both hold the same problem.
    twice: Vec<[f64; 2]>,
    scratch: Scratch<f64x2<S>>,
}

/// Solves all problems for an arm.
#[inline(always)]
pub(super) fn run<L: Lanes<W>, const W: usize, const P: u8, const O: u8>(
    simd: L::Token,
    lanes: &ArmLanes,
    bounds: Bounds,
    problems: &mut dyn Problems,
) {
    let arm = &lanes.narrow;
    let (own, twice) = (vec![0.0; arm.ranges.len()], vec![[0.0; 2]; arm.ranges.len()]);
    let last_scratch = Scratch::new(&lanes.wide, f64x2::splat(simd, 0.0));
    let mut run = Run { simd, lanes, bounds, problems, own, twice, scratch: last_scratch };
    let mut scratch = Scratch::new(arm, L::splat(simd, 0.0));
    let mut groups: [Group<W>; GROUPS] = std::array::from_fn(|_| Group::new(arm.ranges.len()));
    for group in &mut groups {
        for lane in 0..W {
            let task = run.problems.begin(&mut run.own);
            group.load(lane, task, &run.own);
        }
    }
    let [near_distance, near_angle] = bounds.near;
    let [halfway, hopeless] = CHECKPOINT.map(|bound| L::splat(simd, bound));
    let most = L::splat(simd, STEPS_PER_ATTEMPT);
    while groups.iter().any(|group| group.busy != 0) {
        for group in &mut groups {
            let errors = evaluate::<L, W, P, O>(simd, arm, &group.aim, &group.variables, &mut scratch);
            step::<L, W, P, O>(simd, arm, &errors, &mut group.variables, &mut scratch);
            let age = L::load_array_ref(simd, &group.age) + 1.0;
            age.store_array(&mut group.age);
            let squared = errors.distance + errors.angle;
            let near = errors.distance.simd_le(near_distance) & errors.angle.simd_le(near_angle);
            let old = most.simd_le(age);
            let slow = old & squared.simd_le(ALMOST);
            let astray = halfway.simd_le(age) & hopeless.simd_le(squared);
            let near = (near | slow).to_bitmask() & group.busy;
            let mut ended = near | ((old | astray).to_bitmask() & group.busy);
            if ended == 0 {
                continue;
            }
            let mut residuals = [0.0; W];
            squared.store_array(&mut residuals);
            while ended != 0 {
                let lane = ended.trailing_zeros() as usize;
                ended &= ended - 1;
                run.end_attempt::<W, P, O>(group, lane, near & (1 << lane) != 0, residuals[lane]);
            }
        }
    }
}

impl<S: Simd> Run<'_, S> {
    /// Ends the attempt of a lane: takes its answer if it is one, otherwise starts again or gives up.
    #[inline(always)]
    fn end_attempt<const W: usize, const P: u8, const O: u8>(
        &mut self,
        group: &mut Group<W>,
        lane: usize,
        near: bool,
        residual: f32,
    ) {
        let slot = &mut group.slots[lane];
        let row = slot.task.row;
        slot.effort.iterations += group.age[lane] as u32;
        if near {
            let variables = group.variables.iter().map(|row| f64::from(row[lane]));
            self.own.iter_mut().zip(variables).for_each(|(own, variable)| *own = variable);
            let (reached, distance, steps) = self.finish::<P, O>(&slot.task.aim);
            slot.effort.refine_steps += steps;
            if reached && self.problems.accepts(row, &self.own) {
                let report = Report { error: distance, ..slot.effort };
                let next = self.problems.solved(row, &mut self.own, report);
                return group.load(lane, next, &self.own);
            }
        }
        if residual < slot.least {
            slot.least = residual;
            let variables = group.variables.iter().map(|row| f64::from(row[lane]));
            slot.best.iter_mut().zip(variables).for_each(|(best, variable)| *best = variable);
        }
        let is_hopeless = slot.effort.attempts >= slot.task.patience;
        let is_last = slot.effort.attempts >= self.bounds.attempts || self.bounds.interrupt.is_requested();
        if !is_last && !is_hopeless {
            slot.effort.attempts += 1;
            self.lanes.random_pose(&slot.task.aim, &mut slot.random, &mut self.own);
            return group.write(lane, &self.own);
        }
        self.own.copy_from_slice(&slot.start);
        let hopeless = is_hopeless.then_some(slot.best.as_slice());
        let next = self.problems.unsolved(Unsolved { row, effort: slot.effort, hopeless }, &mut self.own);
        group.load(lane, next, &self.own);
    }

    /// The last steps: clamps the variables to their ranges and moves them until the effector is within the tolerances.
    /// Returns whether it is, its distance from the aim in units of the arm, and the number of steps.
    #[inline(always)]
    fn finish<const P: u8, const O: u8>(&mut self, aim: &Aim<f64>) -> (bool, f64, u32) {
        let Run { simd, lanes, bounds, own, twice, scratch, .. } = self;
        let (arm, aim) = (&lanes.wide, aim.splat());
        for ((twice, variable), [low, high]) in twice.iter_mut().zip(&*own).zip(&arm.ranges) {
            *twice = [variable.clamp(*low, *high); 2];
        }
        let (mut steps, mut before) = (0, f64::INFINITY);
        let (reached, distance) = loop {
            let errors = evaluate::<f64x2<S>, 2, P, O>(*simd, arm, &aim, twice, scratch);
            let [[distance, _], [angle, _]] = [errors.distance.to_array(), errors.angle.to_array()];
            let squared = distance + angle;
            let distance = distance.sqrt();
            let angle = 2.0 * maths::asin((0.5 * angle.sqrt()).min(1.0));
            let reached = distance <= bounds.distance && angle <= bounds.angle;
            // NaN counts as no progress.
            let progress = squared < LEAST_PROGRESS * before;
            if reached || steps == MOST_LAST_STEPS || !progress {
                break (reached, distance);
            }
            before = squared;
            step::<f64x2<S>, 2, P, O>(*simd, arm, &errors, twice, scratch);
            steps += 1;
        };
        own.iter_mut().zip(twice).for_each(|(own, twice)| *own = twice[0]);
        (reached, distance, steps)
    }
}
