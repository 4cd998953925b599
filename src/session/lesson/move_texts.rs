//! Texts for moves of the solver that are not part of the figure in the 2011 paper.

use super::method_texts;
use fabrik3d_ik::{Method, Move};

/// Title of a move without a letter in the figure.
pub(super) fn title(step: Move) -> &'static str {
    match step {
        Move::Backward { .. } => "Backward reaching",
        Move::Forward => "Forward reaching",
        Move::Iteration => "One iteration",
        Move::Bend => "The straight chain bends",
        Move::Stretch => "The chain stretches toward the target",
        Move::Fold => "The chain folds toward the target",
        Move::Triangle => "Two links form a triangle",
        Move::LeastTurn => "Closing: the smallest turn of all joints",
        Move::ScaledChord => "Closing: the chord is scaled",
        Move::OneHinge => "Closing: one joint bends",
        Move::Curl => "New start from an arc",
        Move::ThreeSegments => "Three straight segments",
        Move::Refine => "Refinement",
    }
}

/// What such a move does.
pub(super) fn action(step: Move, method: Method) -> &'static str {
    match step {
        Move::Backward { .. } => "All joints followed the effector.",
        Move::Forward => "All joints followed the base.",
        Move::Iteration => method_texts::action(method),
        Move::Bend => "The straight chain is bent into an arc.",
        Move::Stretch => "All links are laid on one line toward the target.",
        Move::Fold => "All links are folded back along the longest one.",
        Move::Triangle => "The two links and the line to the target form a triangle.",
        Move::LeastTurn => "All joints turn at once, by the smallest angles that close the gap.",
        Move::ScaledChord => "The whole chain opens or closes until its ends have the right distance.",
        Move::OneHinge => "One joint bends, and the chain on either side of it keeps its shape.",
        Move::Curl => "The chain is laid along an arc for a new start.",
        Move::ThreeSegments => "The chain is laid out as three straight pieces that end on the target.",
        Move::Refine => "Damped least squares moves all joints at once, within their limits.",
    }
}

/// Why the solver makes it.
pub(super) fn reason(step: Move, method: Method) -> &'static str {
    match step {
        Move::Backward { .. } | Move::Forward => "",
        Move::Iteration => method_texts::reason(method),
        Move::Bend => "Chain and target lie on one line, and the two passes alone never leave that line.",
        Move::Stretch => "The target is out of reach.",
        Move::Fold => "The target is too close to the base for the longest link.",
        Move::Triangle => "All three sides are known, so there is nothing to iterate.",
        Move::LeastTurn => "This close to the target, the effects of the joints simply add up.",
        Move::ScaledChord => "This keeps the shape of the chain and takes a single number.",
        Move::OneHinge => "The two rigid sides and the line to the target form a triangle with known sides.",
        Move::Curl => "The passes made no progress from the previous pose.",
        Move::ThreeSegments => "Three such pieces can end on any target within reach.",
        Move::Refine => "The passes no longer come closer to the target.",
    }
}
