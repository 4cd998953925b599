//! How much the solver does in one frame, after its targets have moved.

use fabrik3d_ik::Settings;
use fabrik3d_ik::settings::Interrupt;
use fabrik3d_scene::Scene;
use std::num::NonZeroU32;

/// Systems of equations in each part of the search of one frame while targets glide. The next frame goes on.
///
/// Test: `pinned_effectors_stay_however_far_another_one_is_dragged` if larger,
/// `a_hand_follows_from_above_the_head_to_the_ground` if smaller.
const STEPS_PER_FRAME: Option<NonZeroU32> = NonZeroU32::new(150);

/// A frame of a session.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tick {
    /// How long it is, seconds.
    pub dt: f64,
    /// What ends the solves in it.
    pub interrupt: Interrupt,
}

/// Time in each frame for something that is computed only to be shown, seconds.
const SHOWN_TIME: f64 = 1e-3;

/// The share of a frame that something has which is computed only to be shown. What takes longer waits for so many frames.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FrameShare {
    /// Seconds that it took last and for which no frame has waited yet.
    debt: f64,
}

impl FrameShare {
    /// Begins a frame. Returns whether it may be computed again in it.
    pub fn is_due(&mut self) -> bool {
        self.debt = (self.debt - SHOWN_TIME).max(0.0);
        self.debt <= 0.0
    }

    /// It was computed, in so many seconds.
    pub fn took(&mut self, seconds: f64) {
        self.debt = seconds;
    }
}

/// What moves the targets of an island while they glide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Leader {
    /// Something smooth: a held key, a path.
    #[default]
    Smooth,
    /// The pointer or a script. What it does is as wanted, also if it stops at once.
    Pointer,
    /// A table of targets.
    Table,
    /// The recording of a figure, toward whose pose the joints are drawn.
    Recording,
}

/// How the targets of an island have moved since the last solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TargetMotion {
    /// They jumped: the best pose wins, wherever it is.
    Jump,
    /// They moved continuously: the pose follows.
    Glide,
    /// They rest after a continuous motion.
    Rest,
}

/// What the solver may do in one frame for one island.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrameBudget {
    /// Whether the pose is to stay near the last one.
    pub stays_near: bool,
    /// Starting poses in this frame: a target that limits put out of reach must not lower the frame rate.
    in_frame: u32,
    /// Starting poses in all since the targets moved.
    pub in_all: u32,
    /// Refinement steps in each part of the search. None: as many as they need.
    steps: Option<NonZeroU32>,
    /// Whether the search for poses elsewhere waits until the targets have rested longer. Meanwhile the pose comes as near to them as
    /// it gets without a leap.
    pub waits: bool,
}

impl FrameBudget {
    /// For chains that are solved together, in lanes, however their targets have moved.
    pub const LANES: FrameBudget = FrameBudget { stays_near: false, in_frame: 3, in_all: 0, steps: None, waits: false };

    /// The budget of a figure, with stiff joints or not, whose targets have moved like this. `long`: they rest for long.
    pub fn new(motion: TargetMotion, leader: Leader, long: bool, is_stiff: bool, scene: &Scene) -> Self {
        let waits = is_stiff && motion == TargetMotion::Rest && !long;
        let (stays_near, in_frame, in_all) = match motion {
            TargetMotion::Jump => (false, 3, scene.settings.max_attempts.get()),
            // The recorded pose leads to the pose that is sought. A better one from elsewhere would be a leap.
            TargetMotion::Glide if leader == Leader::Recording => (true, 1, 0),
            TargetMotion::Glide => (true, if is_stiff { 2 } else { 3 }, 0),
            TargetMotion::Rest if waits => (true, 1, 0),
            TargetMotion::Rest if is_stiff => (false, 3, scene.settings.max_attempts.get()),
            TargetMotion::Rest => (false, 3, 8),
        };
        let is_led = matches!(leader, Leader::Recording | Leader::Table);
        let steps = STEPS_PER_FRAME.filter(|_| is_stiff && stays_near && !is_led);
        Self { stays_near, in_frame, in_all, steps, waits }
    }

    /// The settings of the scene for this frame, after `attempts` in earlier frames.
    pub fn settings(&self, scene: &Scene, interrupt: Interrupt, attempts: u32) -> Settings {
        let most = scene.settings.max_attempts;
        Settings {
            max_iterations: scene.iterations_per_frame,
            may_jump: !self.waits,
            steps_per_call: self.steps,
            max_attempts: NonZeroU32::new(self.in_frame).map_or(most, |own| most.min(own)),
            seed: scene.settings.seed.wrapping_add(u64::from(attempts)),
            interrupt,
            ..scene.settings
        }
    }
}
