//! Superposed eases: a displayed pose that follows a solved one without ever starting or stopping dead.
//!
//! Let the solved pose jump from `x[k-1]` to `x[k]` at the times `t[1] < t[2] < ..`, and let `e[k]` be the cosine ease that
//! starts at `t[k]`. The displayed pose is
//!
//! ```text
//! x[0] (1 - e[1]) + x[1] (e[1] - e[2]) + .. + x[n-1] (e[n-1] - e[n]) + x[n] e[n]
//! ```
//!
//! - Every term starts and ends level, so a new jump never changes the present velocity.
//! - No ease ends before an older one. The weights are then never negative, and they add up to 1. Sets of allowed
//!   coordinates are convex, so no limit is left.
//! - A pose that was moving when it was replaced runs out along a cosine. Its own motion does not stop dead either.
//! - `x[n]` may move at any time: it counts with its weight.
//!
//! Rotations have no weighted sum. Their changes `d[k] = x[k-1] x[k]^-1` are superposed as the product
//! `d[1]^(1-e[1]) .. d[n]^(1-e[n]) x[n]`, which is the same law.

mod curve;
mod run_out;

pub use curve::{ease, eased_way};
pub use run_out::speed_toward_limits;

use crate::model::{
    Coordinates, Kind, Skeleton, follow_leaders, superpose_chain, superpose_joint, swing_and_roll, turn_on,
};
use glam::{DQuat, DVec3};
use run_out::RunOut;

/// The clock of one blend from an old pose to a new one. It holds no pose.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Blend {
    elapsed: f64,
    duration: f64,
}

impl Blend {
    /// A blend of `duration` seconds; finite, not negative.
    pub fn new(duration: f64) -> Self {
        Blend { elapsed: 0.0, duration }
    }

    /// The blend `dt` seconds later; `None` when it is over.
    #[must_use]
    pub fn after(self, dt: f64) -> Option<Self> {
        let elapsed = self.elapsed + dt;
        (elapsed < self.duration).then_some(Blend { elapsed, ..self })
    }

    /// Seconds until it is over.
    pub fn remaining(self) -> f64 {
        (self.duration - self.elapsed).max(0.0)
    }

    /// Elapsed time as a fraction of the duration.
    pub fn fraction(self) -> f64 {
        if self.duration > 0.0 { (self.elapsed / self.duration).min(1.0) } else { 1.0 }
    }

    /// Weight of the new pose in the displayed one.
    pub fn weight(self) -> f64 {
        ease(self.fraction())
    }
}

/// The running eases of one island.
#[derive(Clone, Debug, Default)]
pub struct Eases {
    /// Oldest first.
    running: Vec<Ease>,
    correction: Option<Correction>,
}

/// How the displayed pose was corrected in the last frame; one entry per joint of the island.
#[derive(Clone, Debug)]
struct Correction {
    mixed: Vec<Coordinates>,
    corrected: Vec<Coordinates>,
    /// Share of the newest change that was still to come.
    left: f64,
}

/// What an ease starts from.
#[derive(Clone, Copy, Debug)]
pub struct EaseStart<'a> {
    /// The pose that is replaced; one entry per joint of the skeleton.
    pub pose: &'a [Coordinates],
    /// The pose one time step earlier, if its motion should run out; otherwise it stops at once.
    pub before: Option<&'a [Coordinates]>,
    /// Length of that time step, seconds.
    pub step: f64,
    /// Time in which the motion runs out, seconds.
    pub run_out: f64,
    /// Whether the solved pose will move on.
    pub is_moving: bool,
}

/// One ease, away from a pose that was replaced.
#[derive(Clone, Debug, Default)]
struct Ease {
    clock: Blend,
    /// The pose that was replaced; one entry per joint of the island.
    from: Vec<Coordinates>,
    /// What it leads to, if that is not the start of the next ease; one entry per joint of the island.
    to: Option<Vec<Coordinates>>,
    /// How the replaced pose moves on, if it was moving; one entry per joint of the island.
    run_out: Option<Vec<RunOut>>,
    /// Whether the solved pose moves on while the ease runs.
    is_moving: bool,
    /// The changes of rotation in the last frame; one entry per joint of the island.
    changes: Vec<DQuat>,
}

impl Ease {
    /// Share of the change that is still to come.
    fn left(&self) -> f64 {
        1.0 - self.clock.weight()
    }

    /// Coordinates of the joint at this place of the island in the replaced pose, which may still be running out.
    fn earlier(&self, kind: &Kind, at: usize) -> Coordinates {
        match &self.run_out {
            Some(run_out) => run_out[at].at(kind, &self.from[at], self.clock.elapsed),
            None => self.from[at],
        }
    }
}

impl Eases {
    /// Number of running eases.
    pub fn len(&self) -> usize {
        self.running.len()
    }

    /// Whether the displayed pose is the solved one.
    pub fn is_empty(&self) -> bool {
        self.running.is_empty()
    }

    /// The clock of the newest ease.
    pub fn newest(&self) -> Option<Blend> {
        Some(self.running.last()?.clock)
    }

    /// Weight of the solved pose in the displayed one.
    pub fn weight(&self) -> f64 {
        self.newest().map_or(1.0, Blend::weight)
    }

    /// Ends all eases.
    pub fn clear(&mut self) {
        self.running.clear();
    }

    /// Starts an ease of at least `seconds`: longer if an older one takes longer. Without seconds, the pose jumps.
    pub fn begin(&mut self, skeleton: &Skeleton, joints: &[usize], seconds: f64, start: EaseStart<'_>) {
        let EaseStart { pose, before, step, run_out: seconds_left, is_moving } = start;
        let run_out = before.filter(|_| step > 0.0 && seconds_left > 0.0).map(|before| {
            let joint = |&at: &usize| RunOut::new(skeleton.kind(at), &before[at], &pose[at], step, seconds_left);
            joints.iter().map(joint).collect()
        });
        let from = joints.iter().map(|&joint| pose[joint]).collect();
        self.add(joints, seconds, Ease { from, run_out, is_moving, ..Ease::default() });
    }

    /// Starts an ease of the leap between two poses alone, of at least `seconds`: the displayed pose moves with the solved
    /// one, and the leap is taken back from it less and less. Joints that do not leap are displayed as they are solved, so
    /// a figure that walks on does not slip. What would leave a limit stays there.
    pub fn begin_leap(&mut self, joints: &[usize], seconds: f64, [from, to]: [&[Coordinates]; 2]) {
        let [from, to] = [from, to].map(|pose| joints.iter().map(|&joint| pose[joint]).collect());
        self.add(joints, seconds, Ease { from, to: Some(to), is_moving: true, ..Ease::default() });
    }

    /// Adds an ease of at least `seconds`.
    fn add(&mut self, joints: &[usize], seconds: f64, ease: Ease) {
        if seconds <= 0.0 {
            return self.clear();
        }
        let remaining = self.running.iter().map(|ease| ease.clock.remaining()).fold(seconds, f64::max);
        let changes = vec![DQuat::IDENTITY; joints.len()];
        self.running.push(Ease { clock: Blend::new(remaining), changes, ..ease });
    }

    /// Fixes what the newest ease of a line of unlimited balls leads to, when `solved` starts to move continuously. From
    /// then on the solved pose moves the displayed one directly. Otherwise links that pass the opposite of their former
    /// direction would change the way around. Joints with limits need no such thing, and might leave the limits.
    pub fn fix(&mut self, skeleton: &Skeleton, joints: &[usize], solved: &[Coordinates]) {
        if let Some(newest) = self.running.last_mut().filter(|_| skeleton.is_simple_chain(joints)) {
            newest.to.get_or_insert_with(|| joints.iter().map(|&joint| solved[joint]).collect());
        }
    }

    /// Says that the solved pose moves on while the newest ease runs, before that ease is displayed.
    pub fn follow(&mut self) {
        if let Some(newest) = self.running.last_mut() {
            newest.is_moving = true;
        }
    }

    /// Lets `dt` seconds pass. Eases that are over are dropped.
    pub fn advance(&mut self, dt: f64) {
        self.running.retain_mut(|ease| ease.clock.after(dt).map(|clock| ease.clock = clock).is_some());
    }

    /// Lets `dt` seconds pass for the newest ease alone: for one that began in the middle of a frame.
    pub fn advance_newest(&mut self, dt: f64) {
        if let Some(newest) = self.running.pop() {
            self.running.extend(newest.clock.after(dt).map(|clock| Ease { clock, ..newest }));
        }
    }

    /// Sets the joints of the island in `out` to the displayed pose. Poses have one entry per joint of the skeleton.
    pub fn display(&mut self, skeleton: &Skeleton, joints: &[usize], solved: &[Coordinates], out: &mut [Coordinates]) {
        if self.running.is_empty() {
            return joints.iter().for_each(|&joint| out[joint] = solved[joint]);
        }
        if skeleton.is_simple_chain(joints) {
            return self.display_chain(skeleton, joints, solved, out);
        }
        for (at, &joint) in joints.iter().enumerate() {
            let kind = skeleton.kind(joint);
            let (mut sum, mut later) = (solved[joint], solved[joint]);
            for ease in self.running.iter_mut().rev() {
                let (earlier, left) = (ease.earlier(kind, at), ease.left());
                let later_here = ease.to.as_ref().map_or(later, |to| to[at]);
                sum = superpose_joint(kind, &sum, [&later_here, &earlier], left, &mut ease.changes[at]);
                later = earlier;
            }
            // Rounding must not leave a limit.
            out[joint] = kind.project(sum);
        }
        follow_leaders(skeleton, joints, out);
    }

    /// As [`display`](Self::display), for an island of which `correct` corrects the pose. A mix of poses with closed loops has
    /// small gaps, and a mix of poses that hold an effector in place moves it a little. It starts from the last correction.
    pub fn display_corrected(
        &mut self,
        skeleton: &Skeleton,
        joints: &[usize],
        solved: &[Coordinates],
        out: &mut [Coordinates],
        correct: impl FnOnce(&mut [Coordinates]),
    ) {
        self.display(skeleton, joints, solved, out);
        if self.running.is_empty() {
            self.correction = None;
            return;
        }
        let mixed: Vec<Coordinates> = joints.iter().map(|&joint| out[joint]).collect();
        let left = 1.0 - self.weight();
        if let Some(Correction { mixed, corrected, left: before }) = &self.correction {
            let share = (left / before).min(1.0);
            for (at, &joint) in joints.iter().enumerate() {
                let (kind, change) = (skeleton.kind(joint), [&mixed[at], &corrected[at]]);
                out[joint] = kind.project(superpose_joint(kind, &out[joint], change, share, &mut { DQuat::IDENTITY }));
            }
            follow_leaders(skeleton, joints, out);
        }
        correct(out);
        let corrected = joints.iter().map(|&joint| out[joint]).collect();
        self.correction = Some(Correction { mixed, corrected, left });
    }

    /// The same for a line of unlimited balls. A change that leads to a fixed pose moves links along great circles. One that
    /// leads to a moving pose turns them as a whole: a great circle would swing around at the opposite of a link's direction.
    fn display_chain(
        &mut self,
        skeleton: &Skeleton,
        joints: &[usize],
        solved: &[Coordinates],
        out: &mut [Coordinates],
    ) {
        let left: Vec<f64> = self.running.iter().rev().map(Ease::left).collect();
        let mut last: Vec<Vec<DQuat>> =
            self.running.iter_mut().rev().map(|it| std::mem::take(&mut it.changes)).collect();
        let running = &self.running;
        let newest = running.len() - 1;
        let change = |k: usize, at: usize, joint: usize| {
            let kind = skeleton.kind(joint);
            let next = running.get(newest - k + 1).map(|next| next.earlier(kind, at));
            let later = running[newest - k].to.as_ref().map(|to| to[at]).or(next).unwrap_or(solved[joint]);
            [later, running[newest - k].earlier(kind, at)]
        };
        let turn = |k: usize, at: usize, link: DVec3, change: [DQuat; 2]| {
            if running[newest - k].is_moving {
                turn_on(change, left[k], &mut last[k][at])
            } else {
                swing_and_roll(change, link, left[k])
            }
        };
        superpose_chain(skeleton, joints, solved, &left, change, turn, out);
        self.running.iter_mut().rev().zip(last).for_each(|(ease, last)| ease.changes = last);
    }
}
