//! The loop over lanes: every lane holds one problem, takes steps until it is solved, starts again from a random pose if
//! it does not converge, and takes the next problem as soon as it is done.

use super::arm::ArmLanes;
use super::finish::{Bounds, Finisher};
use super::step::{Aim, Scratch, evaluate, step};
use crate::model::Report;
use crate::random::Random;
use crate::simd::vector::Lanes;
use fearless_simd::{Simd, SimdMask};

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

/// Squared residual of the best attempt above which a target counts as unreachable, after [`Task::patience`] attempts.
const HOPELESS: f32 = 0.01;

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
    /// Takes an answer; the error of its report is in units of the arm. Returns the problem that starts from it, if there is one.
    fn solved(&mut self, row: usize, variables: &mut [f64], report: Report) -> Option<Task>;
    /// Takes a problem that was not solved, with its start pose. Returns the problem that starts from its answer, if
    /// there is one, and writes that answer.
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
    lanes: &'a ArmLanes,
    finisher: Finisher<'a, S>,
    attempts: u32,
    problems: &'a mut dyn Problems,
    /// The variables of one lane.
    own: Vec<f64>,
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
    let finisher = Finisher::new(simd, &lanes.wide, bounds);
    let mut run = Run { lanes, finisher, attempts: bounds.attempts, problems, own: vec![0.0; arm.ranges.len()] };
    let mut scratch = Scratch::new(arm, L::splat(simd, 0.0));
    let mut groups: [Group<W>; GROUPS] = std::array::from_fn(|_| Group::new(arm.ranges.len()));
    for group in &mut groups {
        (0..W).for_each(|lane| run.begin(group, lane));
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
    /// Gives a lane the next problem.
    fn begin<const W: usize>(&mut self, group: &mut Group<W>, lane: usize) {
        let task = self.problems.begin(&mut self.own);
        group.load(lane, task, &self.own);
    }

    /// Gives a lane the problem that follows on its last answer, or else the next problem.
    fn follow<const W: usize>(&mut self, group: &mut Group<W>, lane: usize, task: Option<Task>) {
        match task {
            Some(_) => group.load(lane, task, &self.own),
            None => self.begin(group, lane),
        }
    }

    /// Ends the attempt of a lane: takes its answer if it is one, otherwise starts again or gives up.
    #[inline(always)]
    fn end_attempt<const W: usize, const P: u8, const O: u8>(
        &mut self,
        group: &mut Group<W>,
        lane: usize,
        near: bool,
        residual: f32,
    ) {
        let Run { lanes, finisher, problems, own, .. } = self;
        let slot = &mut group.slots[lane];
        let row = slot.task.row;
        slot.effort.iterations += group.age[lane] as u32;
        if near {
            let variables = group.variables.iter().map(|row| f64::from(row[lane]));
            own.iter_mut().zip(variables).for_each(|(own, variable)| *own = variable);
            let finished = finisher.finish::<P, O>(&slot.task.aim, own);
            slot.effort.refine_steps += finished.steps;
            if finished.reached && problems.accepts(row, own) {
                let report = Report { error: finished.distance, ..slot.effort };
                let next = problems.solved(row, own, report);
                return self.follow(group, lane, next);
            }
        }
        if residual < slot.least {
            slot.least = residual;
            let variables = group.variables.iter().map(|row| f64::from(row[lane]));
            slot.best.iter_mut().zip(variables).for_each(|(best, variable)| *best = variable);
        }
        let is_hopeless = slot.effort.attempts >= slot.task.patience && slot.least > HOPELESS;
        if slot.effort.attempts < self.attempts && !is_hopeless {
            slot.effort.attempts += 1;
            lanes.random_pose(&mut slot.random, own);
            return group.write(lane, own);
        }
        own.copy_from_slice(&slot.start);
        let hopeless = is_hopeless.then_some(slot.best.as_slice());
        let next = problems.unsolved(Unsolved { row, effort: slot.effort, hopeless }, own);
        self.follow(group, lane, next);
    }
}
