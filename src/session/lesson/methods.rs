//! Words on the methods: what an iteration of those does that are not FABRIK.

use fabrik3d_ik::Method;

/// What one iteration did.
pub(super) fn deed(method: Method) -> &'static str {
    match method {
        Method::Accelerated | Method::Textbook => "A backward and a forward pass were made.",
        Method::Ccd => {
            "One joint after the other, from the last down to the base, was turned so that the effector points at the target."
        }
        Method::JacobianTranspose => {
            "All joints turned a little at once, each the more, the more its turn brings the effector toward the target."
        }
        Method::Dls => "All joints turned at once, by the small turns that together come nearest to closing the gap.",
        Method::SvdDls => {
            "All joints turned at once, by the turns that together come nearest to closing the gap; only in directions in \
             which the figure can hardly move were they kept small."
        }
        Method::Triangulation => {
            "From the base up each joint was turned so that its link, the stretched rest of the chain and the way to the \
             target make a triangle."
        }
        Method::Ftl => {
            "The effector was put on the target and every joint followed the one before it; then the whole chain was \
             moved back to its base as it was."
        }
    }
}

/// Why it does that.
pub(super) fn reason(method: Method) -> &'static str {
    match method {
        Method::Accelerated | Method::Textbook => "",
        Method::Ccd => "Each joint does its own best, so those near the effector turn most.",
        Method::JacobianTranspose => "That goes straight down the slope of the squared error: simple, but many steps.",
        Method::Dls => "Damping keeps the turns small, so that a stretched figure does not thrash.",
        Method::SvdDls => "The singular values of the Jacobian tell which directions those are.",
        Method::Triangulation => "The law of cosines gives the angle, so one iteration is enough.",
        Method::Ftl => "There is no forward pass, so the effector leaves the target again by what the base was off.",
    }
}
