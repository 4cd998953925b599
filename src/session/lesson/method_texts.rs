//! What an iteration of a method does, and why.

use fabrik3d_ik::Method;

/// What one iteration does.
pub(super) fn action(method: Method) -> &'static str {
    match method {
        Method::Accelerated | Method::Textbook => "One backward and one forward pass.",
        Method::Ccd => {
            "Each joint in turn, from the last down to the base, turned until the line from the joint to the effector pointed \
             at the target."
        }
        Method::JacobianTranspose => {
            "All joints turned a little at once. A joint turns more if its turn brings the effector closer to the target."
        }
        Method::Dls => "All joints turned at once, by the small turns that together close most of the gap.",
        Method::SvdDls => {
            "All joints turned at once, by the turns that together close most of the gap. Damping kept the turns small only \
             in directions in which the figure can hardly move."
        }
        Method::Triangulation => {
            "From the base up, each joint turned so that its link, the straight rest of the chain and the line to the \
             target form a triangle."
        }
        Method::Ftl => {
            "The effector was put on the target and every joint followed the one before it. Then the whole chain was \
             shifted back to its base without a change of shape."
        }
    }
}

/// Why it does that.
pub(super) fn reason(method: Method) -> &'static str {
    match method {
        Method::Accelerated | Method::Textbook => "",
        Method::Ccd => "Each joint does the best that it can alone, so the joints near the effector turn most.",
        Method::JacobianTranspose => "This is gradient descent on the squared error: simple, but it takes many steps.",
        Method::Dls => "Damping keeps the turns small, so that a stretched figure does not oscillate.",
        Method::SvdDls => "The singular values of the Jacobian show which directions these are.",
        Method::Triangulation => "The law of cosines gives the angle, so one iteration is enough.",
        Method::Ftl => "There is no forward pass, so the shift takes the effector off the target again.",
    }
}
