//! What changes about an effector while a session runs.

use super::path::TargetPath;
use fabrik3d_ik::Target;
use fabrik3d_ik::goals::{GoalRank, Orientation};
use fabrik3d_scene::SceneEffector;
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
    /// How it goes with the other end of its foot.
    pub sole: Sole,
}

/// How an effector on a foot goes with the other end of the foot.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Sole {
    /// It requires what its own target says.
    #[default]
    Apart,
    /// An ankle that is moved and whose heel may rise while the foot stands: its target is wanted.
    Lifted,
    /// An ankle that is drawn after its knee: where ankle and toes stood before.
    Drawn(DVec3, Option<DVec3>),
    /// The other end is moved, and it comes along as if the foot were rigid.
    Along,
    /// The other end is moved, and a rigid foot would be in its way: it is free, and prefers this place, where it would come along.
    Loose(Target),
    /// An ankle whose foot stands.
    Stands(Stance),
    /// Toes that the stance of their ankle keeps on their target: they require nothing of their own.
    Follows,
}

/// How a foot stands: pinned ankles and toes alone would let the sole tip over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stance {
    /// The orientation of the ankle.
    pub rotation: DQuat,
    /// The targets of ankle and toes. Elsewhere the foot stands anew.
    pub places: [Option<DVec3>; 2],
    /// Whether the heel rises from there, since something would be missed otherwise.
    pub rises: bool,
}

impl EffectorState {
    pub fn new(target: Target) -> Self {
        EffectorState { target, yields: true, ..EffectorState::default() }
    }

    /// Whether it was moved by hand last, moves along a path, or is drawn after its knee.
    pub fn is_moved(&self) -> bool {
        self.dragged || self.path.is_some() || matches!(self.sole, Sole::Drawn(..))
    }

    /// Moves the target to a place: its position, or the point to look at if the position is open.
    pub fn move_to(&mut self, place: DVec3) {
        match &mut self.target {
            Target { position: None, orientation: Some(Orientation::LookAt(point)) } => *point = place,
            target => target.position = Some(place),
        }
    }

    /// It is put somewhere else: it no longer prefers a place beside the other end of its foot.
    pub fn leave_sole(&mut self) {
        if let Sole::Loose(_) = self.sole {
            self.sole = Sole::Apart;
        }
    }

    /// How its foot stands, if it is the ankle of one that does.
    pub fn stance(&self) -> Option<Stance> {
        if let Sole::Stands(stance) = self.sole { Some(stance) } else { None }
    }

    /// What the solver should reach.
    pub fn required(&self) -> Target {
        match self.sole {
            Sole::Loose(place) => place,
            _ if self.free => Target::default(),
            Sole::Follows => Target::default(),
            Sole::Stands(Stance { rotation, .. }) => {
                Target { orientation: self.target.orientation.or(Some(Orientation::Rotation(rotation))), ..self.target }
            }
            Sole::Apart | Sole::Lifted | Sole::Drawn(..) | Sole::Along => self.target,
        }
    }

    /// Whether that follows from what is moved.
    pub fn is_beside_moved(&self) -> bool {
        matches!(self.sole, Sole::Lifted | Sole::Drawn(..) | Sole::Along | Sole::Loose(_))
    }

    /// What its target gives way to at present.
    pub fn rank(&self, described: &SceneEffector) -> GoalRank {
        match (self.sole, described.rank()) {
            (Sole::Loose(_), _) => GoalRank::Preferred,
            (Sole::Lifted | Sole::Drawn(..), _) => GoalRank::Wanted,
            (Sole::Stands(Stance { rises: false, .. }), _) => GoalRank::Firm,
            (_, GoalRank::Firm) if self.yields => GoalRank::Wanted,
            (_, rank) => rank,
        }
    }
}
