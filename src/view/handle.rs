//! What the pointer can be over.

/// A part of the gizmo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handle {
    /// The target itself: moves in the plane that faces the eye.
    Center,
    /// Moves along this axis.
    Arrow(usize),
    /// Moves in the plane perpendicular to this axis.
    Plane(usize),
    /// Turns about this axis.
    Ring(usize),
}

/// What the pointer is over, or what it drags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hover {
    /// A handle of the selected target.
    Handle(Handle),
    /// The target of this effector.
    Target(usize),
    /// The part of a figure that this joint moves, and what drags it; none if a drag there orbits.
    Part(usize, Option<Grip>),
}

/// What drags a part of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grip {
    /// This effector.
    Effector(usize),
    /// An effector that the drag adds to this joint: the base of a figure that floats.
    Base(usize),
}

impl Hover {
    /// Whether a left drag moves it.
    pub fn can_be_dragged(self) -> bool {
        !matches!(self, Hover::Part(_, None))
    }
}
