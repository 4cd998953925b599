//! FABRIK on one chain of points without limits. In reading order: the two reaching [`passes`]; the same passes
//! rearranged for a processor's pipeline; the [`overshoot`] that cancels the error; poses in closed form; closures that
//! move a nearly converged tip onto its target; the [`observer`] that reports what a solve does.

pub(crate) mod closed_form;
pub(crate) mod closure;
pub mod observer;
pub mod overshoot;
pub mod passes;
pub(crate) mod pipelined_passes;
