//! Texts for moves of the solver that are not part of the figure in the 2011 paper.

use super::method_texts;
use fabrik3d_ik::Method;
use fabrik3d_ik::fabrik::observer::SolveEvent;

/// Title of a move without a letter in the figure.
pub(super) fn title(step: SolveEvent) -> &'static str {
    match step {
        SolveEvent::Backward { .. } => "Backward reaching",
        SolveEvent::Forward => "Forward reaching",
        SolveEvent::Iteration => "One iteration",
        SolveEvent::Bend => "The straight chain bends",
        SolveEvent::Stretch => "The chain stretches toward the target",
        SolveEvent::Fold => "The chain folds toward the target",
        SolveEvent::Triangle => "Two links form a triangle",
        SolveEvent::LeastTurn => "Closing: the smallest turn of all joints",
        SolveEvent::ScaledChord => "Closing: the chord is scaled",
        SolveEvent::OneHinge => "Closing: one joint bends",
        SolveEvent::Curl => "New start from an arc",
        SolveEvent::ThreeSegments => "Three straight segments",
        SolveEvent::TurnToPole => "The chain turns toward its pole",
        SolveEvent::Refine => "Refinement",
    }
}

/// What such a move does.
pub(super) fn action(step: SolveEvent, method: Method) -> &'static str {
    match step {
        SolveEvent::Backward { .. } => "All joints followed the effector.",
        SolveEvent::Forward => "All joints followed the base.",
        SolveEvent::Iteration => method_texts::action(method),
        SolveEvent::Bend => "The straight chain is bent into an arc.",
        SolveEvent::Stretch => "All links are laid on one line toward the target.",
        SolveEvent::Fold => "All links are folded back along the longest one.",
        SolveEvent::Triangle => "The two links and the line to the target form a triangle.",
        SolveEvent::LeastTurn => "All joints turn at once, by the smallest angles that close the gap.",
        SolveEvent::ScaledChord => "The whole chain opens or closes until its ends have the right distance.",
        SolveEvent::OneHinge => "One joint bends, and the chain on either side of it keeps its shape.",
        SolveEvent::Curl => "The chain is laid along an arc for a new start.",
        SolveEvent::ThreeSegments => "The chain is laid out as three straight pieces that end on the target.",
        SolveEvent::TurnToPole => "The chain turns as a whole about the line from base to effector.",
        SolveEvent::Refine => "Damped least squares moves all joints at once, within their limits.",
    }
}

/// Why the solver makes it.
pub(super) fn reason(step: SolveEvent, method: Method) -> &'static str {
    match step {
        SolveEvent::Backward { .. } | SolveEvent::Forward => "",
        SolveEvent::Iteration => method_texts::reason(method),
        SolveEvent::Bend => "Chain and target lie on one line, and the two passes alone never leave that line.",
        SolveEvent::Stretch => "The target is out of reach.",
        SolveEvent::Fold => "The target is too close to the base for the longest link.",
        SolveEvent::Triangle => "All three sides are known, so there is nothing to iterate.",
        SolveEvent::LeastTurn => "This close to the target, the effects of the joints simply add up.",
        SolveEvent::ScaledChord => "This keeps the shape of the chain and takes a single number.",
        SolveEvent::OneHinge => "The two rigid sides and the line to the target form a triangle with known sides.",
        SolveEvent::Curl => "The passes made no progress from the previous pose.",
        SolveEvent::ThreeSegments => "Three such pieces can end on any target within reach.",
        SolveEvent::TurnToPole => "Base and effector stay, and the joint of the pole comes to its side of that line.",
        SolveEvent::Refine => "The passes no longer come closer to the target.",
    }
}
