//! Watching a chain's solve: what it did, move by move, as it did it. For teaching and for comparisons; a solve that
//! nobody watches pays nothing for it.

use glam::DVec3;

/// One move of a solve: the whole chain was moved once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Move {
    /// A straight chain that had to leave its line was bent along an arc.
    Bend,
    /// Backward reaching put the end effector here: on the target or, accelerated, a little beyond it. The first point
    /// need not have followed: an accelerated solve leaves it on the base, where the forward pass puts it anyway.
    Backward {
        /// Where the end effector was put, world.
        aim: DVec3,
    },
    /// Forward reaching put the base back. With the backward one before it this is an iteration.
    Forward,
    /// One iteration of a method that has no reaching passes.
    Iteration,
    /// Stretched toward a target out of reach.
    Stretch,
    /// Folded about the longest link toward a target that is too close.
    Fold,
    /// Two links and the way to the target make a triangle.
    Triangle,
    /// The least turn of all joints that closes the gap.
    LeastTurn,
    /// The chain made wider or narrower until its chord has the length of the way to the target.
    ScaledChord,
    /// One joint bent, until its two rigid sides make a triangle with the way to the target.
    OneHinge,
    /// Laid along an arc, to start over.
    Curl,
    /// Laid out as three straight segments that end on the target.
    ThreeSegments,
    /// On a skeleton: refinement by damped least squares, and other start poses where that got stuck.
    Refine,
}

impl Move {
    /// The same in the world, for a solve that runs in coordinates of its own: `base` plus `unit` times its own.
    pub(crate) fn in_world(self, base: DVec3, unit: f64) -> Self {
        match self {
            Move::Backward { aim } => Move::Backward { aim: base + aim * unit },
            other => other,
        }
    }
}

/// The points of a chain after a move.
#[derive(Clone, Copy, Debug)]
pub struct Snapshot<'a> {
    points: &'a [DVec3],
    base: DVec3,
    unit: f64,
}

impl<'a> Snapshot<'a> {
    /// Points in world units.
    pub(crate) fn world(points: &'a [DVec3]) -> Self {
        Snapshot { points, base: DVec3::ZERO, unit: 1.0 }
    }

    /// Points in coordinates of their own: the world's are `base` plus `unit` times these.
    pub(crate) fn scaled(points: &'a [DVec3], base: DVec3, unit: f64) -> Self {
        Snapshot { points, base, unit }
    }

    /// Points in world units, the base first.
    pub fn points(self) -> impl Iterator<Item = DVec3> + use<'a> {
        let Snapshot { points, base, unit } = self;
        points.iter().map(move |point| base + *point * unit)
    }
}
