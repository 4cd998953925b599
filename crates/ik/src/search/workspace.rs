//! The buffers of a solve. They hold nothing from one solve to the next, so one thread needs one set for all that it solves.

use crate::search::bend::Bend;
use crate::search::walk::Walk;
use crate::tree::passes::Passes;
use crate::tree::poles::PoleRefiner;
use crate::tree::refine::Refiner;
use crate::tree::scratch::{Observed, Poses};

/// What a solve works with; its steps are methods of this type, in `stage`, `spread` and `search`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Workspace {
    pub passes: Passes,
    pub refiner: Refiner,
    pub poses: Poses,
    pub poles: PoleRefiner,
    pub walk: Walk,
    pub bend: Bend,
    /// The steps of the present solve, if it is observed.
    pub trace: Option<Vec<Observed>>,
}
