//! The reaching passes of a frame: the figure after each of them, thin and faint, so that they cover nothing.

use super::primitives::{FAINT, line, on_top};
use crate::session::ShownPasses;
use crate::session::numbers::INVISIBLE;
use crate::view::frame::{Capsule, Frame, Sphere};
use crate::view::sizes::{radii, trees};
use crate::view::theme::{Palette, SATIN, faded};
use crate::view::{LinkStyle, Viewer};

/// Opacity and share of the figure's thickness of a backward and of a forward pass: where both are in one place, the backward one
/// is seen inside of the other one.
const BACKWARD: (f32, f64) = (220.0, 0.22);
const FORWARD: (f32, f64) = (150.0, 0.45);

pub(super) fn draw(viewer: &Viewer, shown: &ShownPasses, palette: &Palette, out: &mut Frame) {
    let figure = shown.figure();
    let Some(&(first, _)) = figure.joints.first() else { return };
    let tree = trees(viewer)[first];
    let radii = radii(&figure.parents, &figure.lengths, |_| tree);
    let (space, is_line) = (viewer.space(), viewer.display().links == LinkStyle::Line);
    for pass in shown.passes() {
        let (alpha, thin) = if pass.is_backward { BACKWARD } else { FORWARD };
        let alpha = alpha * FAINT.powi(pass.iteration as i32 - 1) * shown.strength() as f32;
        let color = faded(palette.pass(pass.is_backward), alpha as u8);
        let has_moved = |node: usize| pass.points[node].distance(shown.start()[node]) > INVISIBLE * figure.reach;
        let radius = |node: usize| (thin * radii[node]) as f32;
        for (node, parent) in figure.parents.iter().enumerate() {
            let place = space.drawn(pass.points[node]);
            if has_moved(node) && !is_line && !tree.dense {
                let radius = 1.3 * radius(node);
                out.spheres.push(Sphere { center: place, radius, color, material: SATIN, shadow: false });
            }
            let Some(parent) = parent.filter(|&parent| has_moved(node) || has_moved(parent)) else { continue };
            let start = space.drawn(pass.points[parent]);
            match is_line {
                true => out.lines.push(on_top(line([start, place], color, 2.0))),
                false => out.capsules.push(Capsule {
                    a: (start, radius(parent)),
                    b: (place, radius(node)),
                    color,
                    material: SATIN,
                    shadow: false,
                }),
            }
        }
    }
}
