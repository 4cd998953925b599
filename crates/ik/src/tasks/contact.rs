//! Links out of obstacles: segments between joints, for skeletons without capsules.
//!
//! - **Residual**, one row for each link in an obstacle: `h / l`, with the depth `h` of its deepest point, clearance included,
//!   and the length `l` of the layout. Of a link whose first end cannot move, only the depth beyond that end counts.
//! - **Derivative**: `-n . v / l`, with the velocity `v` of that point per unit of a column and the direction `n` out of the
//!   obstacle.
//! - **Rank**: must hold. Where goals of one rank cannot be met, it weighs as much as they do; of two, as much as firm ones.
//! - **Met** if the depth is within the tolerance.

use crate::model::{Contact, Isometry, Kind, LinkEnd, Settings, excess, link_ends};
use crate::tasks::{Objective, Rank, Ranks, Residuals, Rows, Score, Task};
use glam::DVec3;

/// A link to move out of an obstacle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContactTask {
    /// Index of the link in the layout.
    segment: usize,
    /// The deepest point of the link.
    point: DVec3,
    /// The depth includes the clearance, and is a fraction of the layout's length.
    contact: Contact,
}

/// Finds all links in obstacles.
#[inline]
pub(super) fn find(objective: &Objective, frames: &[Isometry], contacts: &mut Vec<ContactTask>) {
    let Objective { problem, layout, .. } = *objective;
    contacts.clear();
    for (segment, link) in layout.segments.iter().enumerate() {
        let (a, b) = link_ends(problem, link.joint, link.end, frames);
        for obstacle in problem.obstacles.iter() {
            let contact = obstacle.contact(a, b);
            let depth = excess(&contact, || obstacle.depth(a), link.anchored, problem.link_radius);
            if depth > 0.0 {
                let (point, depth) = (a.lerp(b, contact.along), depth / layout.length);
                contacts.push(ContactTask { segment, point, contact: Contact { depth, ..contact } });
            }
        }
    }
}

impl Task for ContactTask {
    const ROWS: usize = 1;

    fn residual(&self, objective: &Objective, _: &[Isometry], out: &mut Residuals) {
        out.score.depth = out.score.depth.max(self.contact.depth);
        out.rows.push(self.contact.depth * scale(objective));
    }

    fn derivative(&self, objective: &Objective, _: &[Isometry], out: &mut Rows) {
        let Objective { skeleton, layout, .. } = *objective;
        let ContactTask { segment, point, contact: Contact { normal, along, .. } } = *self;
        let segment = &layout.segments[segment];
        let outward = normal / -layout.length * scale(objective);
        out.add_distance(&segment.path.joints, point, outward);
        // A child on a slide moves its end of the link by its own coordinate.
        if let LinkEnd::Joint(child) = segment.end
            && matches!(skeleton.kind(child), Kind::Slide { .. })
        {
            out.add_slide(child, along, outward);
        }
    }

    fn is_met(score: &Score, settings: &Settings) -> bool {
        score.depth <= settings.tolerance
    }
}

fn scale(objective: &Objective) -> f64 {
    Rank::MustHold.scale(objective.is_firm && objective.ranks != Ranks::Same)
}
