//! What changes about an effector while a session runs.

use super::path::TargetPath;
use fabrik3d_ik::Target;
use fabrik3d_ik::goals::Orientation;
use glam::{DQuat, DVec3};

/// State of one effector of the scene.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct EffectorState {
    pub target: Target,
    /// The path along which its target moves.
    pub path: Option<TargetPath>,
    /// Whether it was moved by hand last.
    pub dragged: bool,
    /// Whether it gives way to effectors that are pinned: something moves it, or it has not come to its target since.
    pub yields: bool,
    /// Whether it is free: it requires nothing, and its target moves with it.
    pub free: bool,
    /// For an end of a foot whose other end is moved: how it goes along.
    pub along: Along,
    /// For an ankle whose knee is moved: where ankle and toes stood before.
    pub drawn_from: Option<(DVec3, Option<DVec3>)>,
    /// For an ankle whose foot stands.
    pub stance: Option<Stance>,
    /// For toes that the stance of their ankle keeps on their target: they require nothing of their own.
    pub follows_stance: bool,
}

/// How an end of a foot goes along with the other one, which is moved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Along {
    /// The orientation of the ankle when the foot last came along as if it were rigid.
    pub rotation: Option<DQuat>,
    /// Where this end was let go: the target of the other end. None while it comes along.
    pub let_go: Option<DVec3>,
}

/// How a foot stands: pinned ankles and toes alone would let the sole tip over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stance {
    /// The orientation of the ankle.
    pub rotation: DQuat,
    /// The targets of ankle and toes. Elsewhere the foot stands anew.
    pub places: [Option<DVec3>; 2],
}

impl Along {
    /// Whether this end has come along as if the foot were rigid.
    pub fn is_rigid(&self) -> bool {
        self.rotation.is_some() && self.let_go.is_none()
    }
}

impl EffectorState {
    pub fn new(target: Target) -> Self {
        EffectorState { target, yields: true, ..EffectorState::default() }
    }

    /// Whether it was moved by hand last, or moves along a path.
    pub fn is_moved(&self) -> bool {
        self.dragged || self.path.is_some()
    }

    /// Moves the target to a place: its position, or the point to look at if the position is open.
    pub fn move_to(&mut self, place: DVec3) {
        match &mut self.target {
            Target { position: None, orientation: Some(Orientation::LookAt(point)) } => *point = place,
            target => target.position = Some(place),
        }
    }

    /// What the solver should reach.
    pub fn required(&self) -> Target {
        if self.free || self.follows_stance {
            return Target::default();
        }
        let stance = self.stance.map(|stance| Orientation::Rotation(stance.rotation));
        Target { orientation: self.target.orientation.or(stance), ..self.target }
    }
}
