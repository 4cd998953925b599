//! All poses that meet the target, faint beside the figure.

use super::primitives::{line, on_top};
use crate::session::ShownSolutions;
use crate::view::frame::{Capsule, Frame, Sphere};
use crate::view::sizes::{radii, trees};
use crate::view::theme::{Palette, SATIN, faded};
use crate::view::{LinkStyle, Viewer};

/// Opacity, and share of the figure's thickness: where the figure itself is, nothing is seen of them.
const GHOST: (u8, f64) = (110, 0.6);

pub(super) fn draw(viewer: &Viewer, shown: ShownSolutions<'_>, palette: &Palette, out: &mut Frame) {
    let ShownSolutions { figure, problem, solutions } = shown;
    let Some(&first) = figure.joints().first() else { return };
    let (skeleton, (alpha, thin)) = (figure.skeleton(), GHOST);
    let tree = trees(viewer)[first];
    let parents: Vec<Option<usize>> = skeleton.joints().iter().map(|joint| joint.parent).collect();
    let lengths: Vec<f64> = skeleton.joints().iter().map(|joint| joint.offset.length()).collect();
    let radii = radii(&parents, &lengths, |_| tree);
    let color = faded(palette.ghost, alpha);
    let is_line = viewer.display().links == LinkStyle::Line;
    for pose in &solutions.poses {
        let frames = skeleton.frames_at(problem.base, pose);
        let place = |at: usize| viewer.space().drawn(frames[at].position);
        let radius = |at: usize| (thin * radii[at]) as f32;
        for (joint, parent) in parents.iter().enumerate() {
            let ends = parent.map(|parent| [(place(parent), radius(parent)), (place(joint), radius(joint))]);
            match ends {
                Some([(a, _), (b, _)]) if is_line => out.lines.push(on_top(line([a, b], color, 2.0))),
                Some([a, b]) => out.capsules.push(Capsule { a, b, color, material: SATIN, shadow: false }),
                None => {}
            }
            if !is_line && skeleton.kind(joint).can_move() {
                let radius = 1.3 * radius(joint);
                out.spheres.push(Sphere { center: place(joint), radius, color, material: SATIN, shadow: false });
            }
        }
        // From the last joint to the tip.
        for goal in problem.goals.iter().filter(|goal| goal.effector.tip != glam::DVec3::ZERO) {
            let (joint, end) = (goal.effector.joint, frames[goal.effector.joint].point(goal.effector.tip));
            let [a, b] = [(place(joint), radius(joint)), (viewer.space().drawn(end), radius(joint))];
            match is_line {
                true => out.lines.push(on_top(line([a.0, b.0], color, 2.0))),
                false => out.capsules.push(Capsule { a, b, color, material: SATIN, shadow: false }),
            }
        }
    }
}
