//! Texts for moves of the solver that are not part of the figure in the 2011 paper, and for iterations of methods.

use fabrik3d_ik::fabrik::observer::SolveEvent;
use fabrik3d_ik::settings::Method;

/// The title of a move, what it does, and why. Reaching passes have texts of their own, and refinements for the last two.
pub(super) fn texts(step: SolveEvent, method: Method) -> [&'static str; 3] {
    match step {
        SolveEvent::Backward { .. } | SolveEvent::Forward => [""; 3],
        SolveEvent::Refine => ["Refinement finishes the solve", "", ""],
        SolveEvent::Iteration => {
            let [action, reason] = iteration(method);
            ["One iteration", action, reason]
        }
        SolveEvent::Bend => [
            "The straight chain bends",
            "The straight chain is bent into an arc.",
            "Chain and target lie on one line, and the two passes alone never leave that line.",
        ],
        SolveEvent::Stretch => [
            "The chain stretches toward the target",
            "All links are laid on one line toward the target.",
            "The target is out of reach.",
        ],
        SolveEvent::Fold => [
            "The chain folds toward the target",
            "All links are folded back along the longest one.",
            "The target is too close to the base for the longest link.",
        ],
        SolveEvent::Triangle => [
            "Two links form a triangle",
            "The two links and the line to the target form a triangle.",
            "All three sides are known, so there is nothing to iterate.",
        ],
        SolveEvent::LeastTurn => LEAST_TURN,
        SolveEvent::ScaledChord => SCALED_CHORD,
        SolveEvent::OneHinge => ONE_HINGE,
        SolveEvent::Curl => [
            "New start from an arc",
            "The chain is laid along an arc for a new start.",
            "The passes made no progress from the previous pose.",
        ],
        SolveEvent::Restart => [
            "A new start",
            "The solver starts again from another pose.",
            "Limits blocked the way from the pose before.",
        ],
        SolveEvent::ThreeSegments => [
            "Three straight segments",
            "The chain is laid out as three straight pieces that end on the target.",
            "Three such pieces can end on any target within reach.",
        ],
        SolveEvent::TurnToPole => [
            "The chain turns toward its pole",
            "The chain turns as a whole about the line from base to tip.",
            "Base and tip stay, and the joint of the pole comes to its side of that line.",
        ],
    }
}

// The refinements of chains.
const LEAST_TURN: [&str; 3] = [
    "Refinement: the smallest turn of all joints",
    "All joints turn at once, by the smallest angles that close the gap.",
    "This close to the target, the effects of the joints simply add up.",
];
const SCALED_CHORD: [&str; 3] = [
    "Refinement: the chord is scaled",
    "The whole chain opens or closes until its ends have the right distance.",
    "This keeps the shape of the chain and takes a single number.",
];
const ONE_HINGE: [&str; 3] = [
    "Refinement: one joint bends",
    "One joint bends, and the chain on either side of it keeps its shape.",
    "The two rigid sides and the line to the target form a triangle with known sides.",
];

/// What an iteration of a method does, and why.
fn iteration(method: Method) -> [&'static str; 2] {
    match method {
        Method::Accelerated | Method::Textbook => ["One backward and one forward pass.", ""],
        Method::Ccd => [
            "Each joint in turn, from the last down to the base, turned until the line from the joint to the tip pointed \
             at the target.",
            "Each joint does the best that it can alone, so the joints near the tip turn most.",
        ],
        Method::JacobianTranspose => [
            "All joints turned a little at once. A joint turns more if its turn brings the tip closer to the target.",
            "This is gradient descent on the squared error: simple, but it takes many steps.",
        ],
        Method::Dls => [
            "All joints turned at once, by the small turns that together close most of the gap.",
            "Damping keeps the turns small, so that a stretched figure does not oscillate.",
        ],
        Method::SvdDls => [
            "All joints turned at once, by the turns that together close most of the gap. Damping kept the turns small only \
             in directions in which the figure can hardly move.",
            "The singular values of the Jacobian show which directions these are.",
        ],
        Method::Triangulation => [
            "From the base up, each joint turned so that its link, the straight rest of the chain and the line to the \
             target form a triangle.",
            "The law of cosines gives the angle, so one iteration is enough.",
        ],
        Method::Ftl => [
            "The tip was put on the target and every joint followed the one before it. Then the whole chain was \
             shifted back to its base without a change of shape.",
            "There is no forward pass, so the shift takes the tip off the target again.",
        ],
    }
}
