//! Words on the moves that the paper's figure does not know.

use super::methods;
use fabrik3d_ik::{Method, SolveEvent as Move};

/// Title of a move that has no letter in the figure.
pub(super) fn name(step: Move) -> &'static str {
    match step {
        Move::Backward { .. } => "Backward reaching",
        Move::Forward => "Forward reaching",
        Move::Iteration => "One iteration",
        Move::Bend => "The straight chain is bent",
        Move::Stretch => "Stretched toward the target",
        Move::Fold => "Folded toward the target",
        Move::Triangle => "Two links make a triangle",
        Move::LeastTurn => "Closing: the least turn of all joints",
        Move::ScaledChord => "Closing: the chord is scaled",
        Move::OneHinge => "Closing: one joint bends",
        Move::Curl => "Starting over from an arc",
        Move::ThreeSegments => "Three straight segments",
    }
}

/// What such a move does.
pub(super) fn deed(step: Move, method: Method) -> &'static str {
    match step {
        Move::Backward { .. } => "All joints were drawn after the effector.",
        Move::Forward => "All joints were drawn after the base.",
        Move::Iteration => methods::deed(method),
        Move::Bend => "The straight chain is bent along an arc.",
        Move::Stretch => "All links are laid in one line toward the target.",
        Move::Fold => "All links are folded back along the longest one.",
        Move::Triangle => "Two links and the way to the target are laid out as a triangle.",
        Move::LeastTurn => "All joints turn at once, by as little as closes the gap.",
        Move::ScaledChord => {
            "The whole chain is made wider or narrower until its ends are as far apart as they should be."
        }
        Move::OneHinge => "One joint bends, and the chain on each side of it stays as it is.",
        Move::Curl => "The chain is laid along an arc to start afresh.",
        Move::ThreeSegments => "The chain is laid out as three straight pieces that end on the target.",
    }
}

/// Why it makes it.
pub(super) fn reason(step: Move, method: Method) -> &'static str {
    match step {
        Move::Backward { .. } | Move::Forward => "",
        Move::Iteration => methods::reason(method),
        Move::Bend => "Chain and target lie on one line, which the two passes alone would never leave.",
        Move::Stretch => "The target is out of reach.",
        Move::Fold => "The target is too close to the base for the longest link.",
        Move::Triangle => "Its three sides are known: nothing is left to iterate.",
        Move::LeastTurn => "So near to the target the effects of the joints simply add up.",
        Move::ScaledChord => "That keeps its shape and needs one number only.",
        Move::OneHinge => "The two stiff sides and the way to the target make a triangle with known sides.",
        Move::Curl => "The passes made no way from the pose before.",
        Move::ThreeSegments => "Such pieces can always end on a target within reach.",
    }
}
