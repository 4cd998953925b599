//! The parts of the gizmo that the pointer can grab.

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
