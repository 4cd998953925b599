//! What a solve tells its observer: one event for every move of the whole chain, in order. For lessons and comparisons;
//! a solve without an observer pays nothing for it.

use glam::DVec3;

/// One step of a solve. Each step moves the whole chain once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SolveEvent {
    /// A straight chain was bent along an arc, because reaching alone cannot leave the line.
    Bend,
    /// Backward reaching. The base need not have followed: an accelerated solve leaves it in place, because the forward
    /// pass puts it there anyway.
    Backward {
        /// Where the pass put the end effector, in world space: the target, or the overshoot target of an accelerated
        /// iteration.
        target: DVec3,
    },
    /// Forward reaching put the base back. Together with the backward pass before it, this is one iteration.
    Forward,
    /// One iteration of a method without reaching passes.
    Iteration,
    /// The chain was stretched toward a target beyond its reach.
    Stretch,
    /// The chain was folded about its longest link toward a target in the dead zone.
    Fold,
    /// Two links were solved as a triangle.
    Triangle,
    /// The smallest rotations of all joints that close the gap.
    LeastTurn,
    /// The chain was widened or narrowed until its chord is as long as the distance to the target.
    ScaledChord,
    /// One joint was bent so that the rigid parts on both sides of it form a triangle that ends on the target.
    OneHinge,
    /// The chain was laid along an arc to start over.
    Curl,
    /// The chain was laid out as three straight segments that end on the target.
    ThreeSegments,
    /// The chain turned about the line from base to tip, toward its pole.
    TurnToPole,
    /// On a skeleton: the passes start again from another pose, because limits blocked the way from the one before.
    Restart,
    /// On a skeleton: refinement by damped least squares, and other start poses where that got stuck.
    Refine,
}

/// What gets the events of a solve.
pub(crate) trait Observer: FnMut(SolveEvent, ObservedPoints<'_>) {}

impl<F: FnMut(SolveEvent, ObservedPoints<'_>)> Observer for F {}

impl SolveEvent {
    /// Converts an event from a solve's own coordinates to world space, which is `base` plus `unit` times those.
    pub(crate) fn in_world(self, base: DVec3, unit: f64) -> Self {
        match self {
            SolveEvent::Backward { target } => SolveEvent::Backward { target: base + target * unit },
            other => other,
        }
    }
}

/// The points of the chain after a [`SolveEvent`].
#[derive(Clone, Copy, Debug)]
pub struct ObservedPoints<'a> {
    points: &'a [DVec3],
    base: DVec3,
    unit: f64,
}

impl<'a> ObservedPoints<'a> {
    /// Points in world space.
    pub(crate) fn world(points: &'a [DVec3]) -> Self {
        ObservedPoints { points, base: DVec3::ZERO, unit: 1.0 }
    }

    /// Points in a solve's own coordinates; world space is `base` plus `unit` times those.
    pub(crate) fn scaled(points: &'a [DVec3], base: DVec3, unit: f64) -> Self {
        ObservedPoints { points, base, unit }
    }

    /// The points in world space, base first.
    pub fn points(self) -> impl Iterator<Item = DVec3> + use<'a> {
        let ObservedPoints { points, base, unit } = self;
        points.iter().map(move |point| base + *point * unit)
    }
}
