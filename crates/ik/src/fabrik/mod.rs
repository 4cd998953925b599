//! FABRIK on a chain of points without limits. In reading order: the two reaching [`passes`]; the same passes arranged
//! for a processor's pipeline; the [`overshoot`] that cancels the error; poses in closed form; closures that place a tip
//! which is nearly there; the [`observer`] that records what a solve does.

pub(crate) mod closed_form;
pub(crate) mod closure;
pub mod observer;
pub mod overshoot;
pub mod passes;
pub(crate) mod pipelined_passes;
pub(crate) mod unlock;
