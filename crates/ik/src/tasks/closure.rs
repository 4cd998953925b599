//! Two points that coincide: they close a loop.
//!
//! - **Residual**, three rows: `c (a - b) / l`, with the points `a` and `b`, the length `l` of the layout, and `c` = 2 if goals
//!   and loops can both be met.
//! - **Derivative**: `c / l (v_a - v_b)`, with the velocities of the points per unit of a column.
//! - **Rank**: must hold.
//! - **Met** if the gap is closed to within a millionth of the length, whatever the tolerance.

use crate::layout::LoopLayout;
use crate::model::{Isometry, Settings};
use crate::tasks::{Objective, Rank, Residuals, Rows, Score, Task};

/// Residual of a loop that is open by one length, if goals and loops can both be met.
const SCALE: f64 = 2.0;
/// Largest gap of a closed loop, as a fraction of the layout's length.
pub(crate) const MAX_GAP: f64 = 1e-6;

impl Task for LoopLayout {
    const ROWS: usize = 3;

    #[inline]
    fn residual(&self, objective: &Objective, frames: &[Isometry], out: &mut Residuals) {
        let [a, b] = self.ends.each_ref().map(|path| frames[path.end.joint].point(path.end.point));
        let error = (a - b) / objective.layout.length;
        out.score.gap = out.score.gap.max(error.length());
        out.push(error * scale(objective));
    }

    #[inline]
    fn derivative(&self, objective: &Objective, frames: &[Isometry], out: &mut Rows) {
        for (path, sign) in self.ends.iter().zip([1.0, -1.0]) {
            let point = frames[path.end.joint].point(path.end.point);
            out.add_point((path, point), scale(objective) * sign / objective.layout.length, None);
        }
    }

    fn is_met(score: &Score, _: &Settings) -> bool {
        score.gap <= MAX_GAP
    }
}

/// Residual of a loop that is open by one length.
pub(crate) fn scale(objective: &Objective) -> f64 {
    if objective.is_firm { Rank::MustHold.scale(true) } else { SCALE }
}
