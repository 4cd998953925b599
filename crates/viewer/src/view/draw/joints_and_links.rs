//! The joints and links of a scene.

use super::primitives::{TINT, dashed, line, link, sphere};
use crate::session::command::Show;
use crate::view::frame::{Capsule, Color, Frame};
use crate::view::sizes::{self, BASE, Tree, floats_freely, trees};
use crate::view::theme::{POLISHED, Palette, SATIN, faded, highlighted, mixed};
use crate::view::{Hover, Viewer};
use fabrik3d_ik::{Isometry, Skeleton};
use glam::{DVec3, Vec3};

/// Longest stretch of a tube that is drawn as one piece, in units of its radius. Joints in between stray from the piece by at
/// most half of that, so they lie inside it.
const PIECE_LENGTH: f64 = 1.5;

/// The joints and links that are drawn, and how.
pub(super) struct Bones<'a> {
    pub viewer: &'a Viewer,
    pub palette: &'a Palette,
    /// Frames of all joints.
    pub frames: &'a [Isometry],
    /// Joints that are not drawn, and joints at limits; both in ascending order.
    pub hidden: &'a [usize],
    pub at_limits: &'a [usize],
    /// Where the figure stands in the picture, as an offset from its own place, and its colour, unless each tree has its own.
    pub offset: DVec3,
    pub color: Option<Color>,
}

impl Bones<'_> {
    /// Where a point of the scene is drawn.
    fn drawn(&self, point: DVec3) -> Vec3 {
        (self.viewer.space().shown(point) + self.offset).as_vec3()
    }

    /// The colour of the links of a tree.
    fn link_color(&self, tree: usize) -> Color {
        self.color.unwrap_or_else(|| self.palette.chain(tree))
    }

    /// A colour, brighter under the pointer.
    fn lit(&self, joint: usize, plain: Color) -> Color {
        match self.viewer.hover() {
            Some(Hover::Part(part, _)) if part == joint => highlighted(plain, self.viewer.display().theme),
            _ => plain,
        }
    }

    /// The same for a joint, which is tinted at a limit: a tint rather than a signal, because in many poses half of the joints
    /// stand at a limit, and nothing is wrong.
    fn shade(&self, joint: usize, plain: Color) -> Color {
        let is_tinted = self.viewer.display().shows(Show::Limits) && self.at_limits.binary_search(&joint).is_ok();
        self.lit(joint, if is_tinted { mixed(plain, self.palette.joint_at_limit, TINT) } else { plain })
    }

    /// Draws the root of a tree, or a body that floats freely.
    fn root(&self, joint: usize, radius: f32, out: &mut Frame) {
        let (frames, skeleton) = (self.frames, &self.viewer.session().scene().skeleton);
        let place = self.drawn(frames[joint].position);
        let color = self.shade(joint, self.palette.base);
        if is_reference_only(skeleton, joint) {
            out.spheres.push(sphere(place, 0.4 * radius, color, POLISHED));
            return;
        }
        out.spheres.push(sphere(place, radius, color, POLISHED));
        let ground = self.viewer.stage.ground;
        if let Some(parent) = skeleton.joints()[joint].parent {
            // A floating body has no link, only a reference point.
            let ends = [self.drawn(frames[parent].position), place];
            out.lines.push(dashed(line(ends, faded(self.palette.ghost, 255), 1.5), (6.0, 5.0)));
        } else if ground.posts {
            let foot = Vec3 { y: ground.height, ..place };
            let (a, b) = ((place, 0.4 * radius), (foot, 0.65 * radius));
            out.capsules.push(Capsule { a, b, color: self.palette.base, material: SATIN, shadow: true });
        }
    }
}

/// Draws all trees without the hidden joints.
pub(super) fn draw(bones: &Bones<'_>, out: &mut Frame) {
    let Bones { viewer, palette, frames, hidden, .. } = *bones;
    let is_hidden = |joint: usize| hidden.binary_search(&joint).is_ok();
    let skeleton = &viewer.session().scene().skeleton;
    let (style, trees) = (viewer.display().links, trees(viewer));
    let radii = sizes::joints(viewer, &trees);
    // The straight piece of a tube that ends at each joint so far: where it starts, and the length of its links.
    let mut pieces: Vec<(usize, f64)> = (0..skeleton.len()).map(|joint| (joint, 0.0)).collect();
    for (i, joint) in skeleton.joints().iter().enumerate() {
        let Tree { number, reach, dense, .. } = trees[i];
        let Some(parent) = joint.parent.filter(|_| !floats_freely(skeleton, i)) else {
            if !is_hidden(i) {
                bones.root(i, (BASE * radii[i]) as f32, out);
            }
            continue;
        };
        let length = frames[i].position.distance(frames[parent].position);
        if length < 1e-9 * reach {
            pieces[i] = pieces[parent];
            continue;
        }
        if is_hidden(i) {
            continue;
        }
        // A link moves with the joint at its start.
        let color = bones.lit(parent, bones.link_color(number));
        if dense {
            let (start, length) = (pieces[parent].0, pieces[parent].1 + length);
            let is_plain = bones.shade(i, color) == bones.link_color(number);
            if is_plain && length < PIECE_LENGTH * radii[i] && skeleton.children(i).len() == 1 {
                pieces[i] = (start, length);
                continue;
            }
            let [a, b] = [start, i].map(|end| (bones.drawn(frames[end].position), radii[end] as f32));
            tube([a, b], [color, bones.shade(i, color)], out);
            continue;
        }
        let [from, to] = [parent, i].map(|end| (bones.drawn(frames[end].position), radii[end]));
        let radius = if skeleton.children(i).is_empty() { 0.8 } else { 1.0 } * radii[i];
        out.spheres.push(sphere(to.0, radius as f32, bones.shade(i, palette.joint), POLISHED));
        link(style, from, to, color, out);
    }
    for (joint, tip) in viewer.session().scene().link_ends().filter(|(joint, _)| !is_hidden(*joint)) {
        let (place, tip) = (frames[joint].position, frames[joint].point(tip));
        if tip.distance(place) > 1e-9 * trees[joint].reach {
            let [place, tip] = [place, tip].map(|end| bones.drawn(end));
            let (near, far) = (radii[joint], 0.75 * radii[joint]);
            out.spheres.push(sphere(tip, far as f32, bones.lit(joint, palette.joint), POLISHED));
            link(style, (place, near), (tip, far), bones.lit(joint, bones.link_color(trees[joint].number)), out);
        }
    }
}

/// A piece of a tube. Only joints at limits have spheres: those whose colour is not that of the piece.
fn tube([a, b]: [(Vec3, f32); 2], [color, joint]: [Color; 2], out: &mut Frame) {
    out.capsules.push(Capsule { a, b, color, material: SATIN, shadow: true });
    if joint != color {
        out.spheres.push(sphere(b.0, 1.25 * b.1, joint, SATIN));
    }
}

/// Whether a root has only freely floating children, so that it is a mere reference point.
fn is_reference_only(skeleton: &Skeleton, joint: usize) -> bool {
    let mut below = skeleton.children(joint);
    // Joints at the same position count as one.
    while let &[only] = below {
        if floats_freely(skeleton, only) {
            return true;
        }
        if skeleton.joints()[only].offset.length() > 0.0 {
            return false;
        }
        below = skeleton.children(only);
    }
    !below.is_empty() && below.iter().all(|&child| floats_freely(skeleton, child))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::Display;
    use fabrik3d_ik::random::Random;
    use fabrik3d_scene::{Scene, Syntax};
    use std::fmt::Write;

    /// A rope of many short links along a random curve.
    fn rope(random: &mut Random, links: usize) -> Scene {
        let (mut at, mut ahead) = (DVec3::ZERO, random.direction());
        let mut text = "[[chain]]\npoints = [".to_owned();
        for _ in 0..=links {
            let _ = write!(text, "[{}, {}, {}], ", at.x, at.y, at.z);
            ahead = (ahead + 0.06 * random.direction() - 0.02 * at).normalize();
            at += 0.01 * ahead;
        }
        text.push_str("]\ntarget = [0, 0, 0]\n");
        Scene::parse(&text, Syntax::Toml, "rope").expect("a rope")
    }

    #[test]
    fn a_long_rope_is_drawn_in_few_pieces_that_contain_all_of_it() {
        let mut random = Random::new(5);
        for links in [700, 2_000, 6_000] {
            let viewer = Viewer::new(rope(&mut random, links), Display::default(), 1.6);
            let sizes = trees(&viewer);
            assert!(sizes[0].dense);
            let skeleton = &viewer.session().scene().skeleton;
            let frames = skeleton.frames(&viewer.session().scene().start);
            let frame = viewer.picture();
            let thinnest = sizes::joints(&viewer, &sizes).into_iter().fold(f64::INFINITY, f64::min);
            let most = (0.01 * links as f64 / (PIECE_LENGTH * thinnest - 0.01)).ceil() as usize + 1;
            assert!(frame.capsules.len() <= most, "{links}: {} of {most}", frame.capsules.len());
            for at in &frames {
                let at = viewer.space().drawn(at.position);
                let inside = frame.capsules.iter().any(|capsule| {
                    let ((a, near), (b, far)) = (capsule.a, capsule.b);
                    let along = ((at - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
                    at.distance(a.lerp(b, along)) < near + (far - near) * along
                });
                assert!(inside, "{links}: {at}");
            }
        }
    }
}
