//! What a lesson or a race solves, and the pose in which it starts.

use fabrik3d_ik::figures::Figure;
use fabrik3d_ik::{Effector, Goal, Pose, Problem};
use glam::DVec3;

/// What a lesson or a race solves: the figure of the selected effector.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    /// The figure.
    pub figure: Figure,
    /// The pose in which the solve starts, one entry per joint of the skeleton.
    pub start: Pose,
    /// Where that pose comes from.
    pub origin: LessonStart,
    /// Its problem, in the numbers of its own joints.
    pub problem: Problem,
    /// Names of the effectors of the goals.
    pub names: Vec<String>,
    /// Whether the figure is a plain chain: a line of unlimited joints with one position goal.
    pub is_chain: bool,
}

impl Subject {
    /// The start pose, and where it comes from.
    pub(in crate::session) fn start(&self) -> (Pose, LessonStart) {
        (self.start.clone(), self.origin)
    }

    /// The same with another target position of an effector of the scene.
    #[must_use]
    pub(in crate::session) fn with_target(&self, effector: Effector, place: DVec3) -> Self {
        let mut subject = self.clone();
        let own = |goal: &&mut Goal| {
            self.figure.number(goal.effector.joint) == effector.joint && goal.effector.tip == effector.tip
        };
        if let Some(goal) = subject.problem.goals.iter_mut().find(own) {
            goal.target.position = Some(place);
        }
        subject
    }
}

/// Where the start pose of a lesson comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LessonStart {
    /// It was on the screen.
    #[default]
    Shown,
    /// It was on the screen before the target jumped.
    BeforeJump,
    /// It is the opening pose of the scene: the pose on the screen is on its targets, or comes no nearer to them.
    SceneStart,
}

impl LessonStart {
    /// The pose for a sentence: `from the opening pose`.
    pub fn in_words(self) -> &'static str {
        match self {
            LessonStart::Shown => "from the pose on the screen",
            LessonStart::BeforeJump => "from the pose before the target moved",
            LessonStart::SceneStart => "from the opening pose",
        }
    }
}
