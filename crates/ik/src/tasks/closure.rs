//! Two points that coincide: they close a loop.
//!
//! - **Residual**, three rows: `c (a - b) / l`, with the points `a` and `b`, the length `l` of the layout, and `c` = 2 if goals
//!   and loops can both be met.
//! - **Derivative**: `c / l (v_a - v_b)`, with the velocities of the points per unit of a column.
//! - **Rank**: must hold.
//! - **Met** if the gap is closed to within a millionth of the length, whatever the tolerance.

use crate::layout::LoopLayout;
use crate::model::{Attachment, Effector, Isometry, Settings, Skeleton};
use crate::tasks::orientation::REACHES_PER_RADIAN;
use crate::tasks::{Objective, Rank, Residuals, Rows, Score, Task};
use glam::{DQuat, DVec3};

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

/// The loops that tie two parts rigidly, as two hands that hold one bar: the point of `b` lies at that of `a`, and the joint of `b` is
/// turned by `rotation` from that of `a`. They are points at the two attachments and beside them, at 0.3 of the larger distance
/// of the two from their roots: an angle counts as in a goal.
///
/// ```
/// # use glam::{DQuat, DVec3};
/// # use fabrik3d_ik::{Kind, Skeleton, Solver, goals::{Attachment, tie}, queries::angle_between};
/// let mut arms = Skeleton::builder().root("torso", Kind::Fixed);
/// for (side, at) in [("left", -0.5), ("right", 0.5)] {
///     let [shoulder, elbow, wrist] = ["shoulder", "elbow", "wrist"].map(|joint| format!("{side} {joint}"));
///     arms = arms.child(&shoulder, "torso", DVec3::X * at, Kind::ball());
///     arms = arms.child(&elbow, &shoulder, DVec3::Y, Kind::ball()).child(&wrist, &elbow, DVec3::Y, Kind::ball());
/// }
/// let arms = arms.build()?;
/// let [left, right] = [arms.effector("left wrist")?, arms.effector("right wrist")?];
/// let mut solver = Solver::new(arms).goal(left.at(DVec3::ZERO), DVec3::new(-0.2, 1.5, 0.5));
/// // A bar of 0.4 from the left hand to the right one.
/// let bar = [Attachment { joint: left.joint, point: DVec3::X * 0.4 }, Attachment { joint: right.joint, point: DVec3::ZERO }];
/// solver.problem.loops.extend(tie(solver.skeleton(), bar, DQuat::IDENTITY));
/// let mut pose = solver.skeleton().rest_pose();
/// assert!(solver.solve(&mut pose).stop.is_reached());
/// let [left, right] = [solver.frames()[left.joint], solver.frames()[right.joint]];
/// assert!(left.point(DVec3::X * 0.4).distance(right.position) < 1e-5);
/// assert!(angle_between(left.rotation, right.rotation) < 1e-5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
/// The skeleton has no such joint.
pub fn tie(skeleton: &Skeleton, [a, b]: [Attachment; 2], rotation: DQuat) -> [(Attachment, Attachment); 3] {
    let size = |end: Attachment| Effector::new(end.joint, end.point).error_scale(skeleton, []);
    let lever = REACHES_PER_RADIAN * size(a).max(size(b));
    [DVec3::ZERO, DVec3::X * lever, DVec3::Y * lever].map(|beside| {
        let on_a = Attachment { point: a.point + rotation * beside, ..a };
        (on_a, Attachment { point: b.point + beside, ..b })
    })
}
