//! Joints and links of a scene's trees.

use super::Stage;
use super::frame::{Capsule, Color, Frame, Line};
use super::look::{POLISHED, Palette, SATIN, faded, mixed};
use super::picture::{link, sphere};
use super::sizes::{self, BASE, Tree, trees};
use crate::session::command::Show;
use fabrik3d_ik::{Isometry, Kind, Skeleton};
use glam::Vec3;

/// How much of the colour of joints at a limit such a joint takes.
const STOPPED: f32 = 0.55;
/// Longest way along a tube that one piece of it bridges, of its radius: what lies between strays from the piece by no more
/// than half of that, and is inside of it.
const PIECE: f64 = 1.5;

/// Joint spheres and links of all trees, without the `hidden` joints; `stopped` ones stand at a limit (both in ascending
/// order).
pub(super) fn draw(
    stage: &Stage,
    palette: &Palette,
    frames: &[Isometry],
    (hidden, stopped): (&[usize], &[usize]),
    out: &mut Frame,
) {
    let marks_limits = stage.display().shows(Show::Limits);
    let shade = |joint: usize, plain: Color| {
        let is_stopped = marks_limits && stopped.binary_search(&joint).is_ok();
        // A tint, no signal: in many poses half of the joints stand at a limit, and that is no fault.
        if is_stopped { mixed(plain, palette.joint_at_limit, STOPPED) } else { plain }
    };
    let is_hidden = |joint: usize| hidden.binary_search(&joint).is_ok();
    let skeleton = &stage.session().scene().skeleton;
    let (space, style) = (stage.space(), stage.display().links);
    let sizes = trees(stage);
    let radii = sizes::joints(stage, &sizes);
    // Where the piece of tube at each joint begins, and the way from there.
    let mut begins: Vec<usize> = (0..skeleton.len()).collect();
    let mut way = vec![0.0; skeleton.len()];
    let mut tree = vec![0; skeleton.len()];
    let mut numbers = 0..;
    for (i, joint) in skeleton.joints().iter().enumerate() {
        let place = space.drawn(frames[i].position);
        tree[i] = joint.parent.map_or_else(|| numbers.next().unwrap_or_default(), |parent| tree[parent]);
        let Tree { reach, dense, .. } = sizes[tree[i]];
        let Some(parent) = joint.parent.filter(|_| !goes_freely(skeleton, i)) else {
            if !is_hidden(i) {
                root(stage, palette, i, frames, (radii[i], shade(i, palette.base)), out);
            }
            continue;
        };
        let length = frames[i].position.distance(frames[parent].position);
        if length < 1e-9 * reach {
            (begins[i], way[i]) = (begins[parent], way[parent]);
            continue;
        }
        if is_hidden(i) {
            continue;
        }
        let color = palette.chain(tree[i]);
        if dense {
            let plain = shade(i, color);
            let is_plain = plain == color && skeleton.children(i).len() == 1;
            if is_plain && way[parent] + length < PIECE * radii[i] {
                (begins[i], way[i]) = (begins[parent], way[parent] + length);
                continue;
            }
            let [a, b] = [begins[parent], i].map(|end| (space.drawn(frames[end].position), radii[end] as f32));
            // The base keeps its ball; of the others only those tell themselves apart that have something to say.
            out.capsules.push(Capsule { a, b, color, material: SATIN, shadow: true });
            if plain != color {
                out.spheres.push(sphere(place, 1.25 * b.1, plain, SATIN));
            }
            continue;
        }
        let (near, far) = (radii[parent], radii[i]);
        let is_tip = skeleton.children(i).is_empty();
        let radius = if is_tip { 0.8 } else { 1.0 } * far;
        out.spheres.push(sphere(place, radius as f32, shade(i, palette.joint), POLISHED));
        link(style, (space.drawn(frames[parent].position), near), (place, far), color, out);
    }
    for effector in &stage.session().scene().effectors {
        let joint = effector.effector.joint;
        let tip = frames[joint].point(effector.effector.tip);
        if is_hidden(joint) || tip.distance(frames[joint].position) <= 1e-9 * sizes[tree[joint]].reach {
            continue;
        }
        let near = radii[joint];
        let far = 0.75 * near;
        out.spheres.push(sphere(space.drawn(tip), far as f32, palette.joint, POLISHED));
        let ends = ((space.drawn(frames[joint].position), near), (space.drawn(tip), far));
        link(style, ends.0, ends.1, palette.chain(tree[joint]), out);
    }
}

/// The joint that a tree begins with, or a body that goes freely.
fn root(
    stage: &Stage,
    palette: &Palette,
    joint: usize,
    frames: &[Isometry],
    (radius, color): (f64, Color),
    out: &mut Frame,
) {
    let (space, skeleton) = (stage.space(), &stage.session().scene().skeleton);
    let place = space.drawn(frames[joint].position);
    let radius = (BASE * radius) as f32;
    if only_places(skeleton, joint) {
        out.spheres.push(sphere(place, 0.4 * radius, color, POLISHED));
        return;
    }
    out.spheres.push(sphere(place, radius, color, POLISHED));
    let ground = stage.ground();
    if let Some(parent) = skeleton.joints()[joint].parent {
        // A body that goes where it likes hangs on nothing: only where it is measured from is shown.
        let color = faded(palette.ghost, 255);
        let points = vec![(space.drawn(frames[parent].position), color), (place, color)];
        out.lines.push(Line { points, width: 1.5, dash: Some((6.0, 5.0)), on_top: false });
    } else if ground.posts {
        let foot = Vec3 { y: ground.height, ..place };
        let (a, b) = ((place, 0.4 * radius), (foot, 0.65 * radius));
        out.capsules.push(Capsule { a, b, color: palette.base, material: SATIN, shadow: true });
    }
}

/// Whether a joint has a parent, and no link to it: it moves about in the parent's frame.
pub(super) fn goes_freely(skeleton: &Skeleton, joint: usize) -> bool {
    skeleton.joints()[joint].parent.is_some() && matches!(skeleton.kind(joint), Kind::Free)
}

/// Whether nothing hangs on a root but bodies that go freely: it says where they are measured from.
fn only_places(skeleton: &Skeleton, joint: usize) -> bool {
    let mut below = skeleton.children(joint);
    // What lies at the same place is the same placement.
    while let &[only] = below {
        if goes_freely(skeleton, only) {
            return true;
        }
        if skeleton.joints()[only].offset.length() > 0.0 {
            return false;
        }
        below = skeleton.children(only);
    }
    !below.is_empty() && below.iter().all(|&child| goes_freely(skeleton, child))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::Display;
    use fabrik3d_ik::random::Random;
    use fabrik3d_scene::{Scene, Syntax};
    use glam::DVec3;
    use std::fmt::Write;

    /// A rope of many short links that wanders about.
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
    fn a_long_rope_is_drawn_in_few_pieces_and_all_of_it_lies_inside_them() {
        let mut random = Random::new(5);
        for links in [700, 2_000, 6_000] {
            let stage = Stage::new(rope(&mut random, links), Display::default(), 1.6);
            let sizes = trees(&stage);
            assert!(sizes[0].dense);
            let skeleton = &stage.session().scene().skeleton;
            let frames = skeleton.frames(&stage.session().scene().start);
            let frame = stage.picture();
            let thinnest = sizes::joints(&stage, &sizes).into_iter().fold(f64::INFINITY, f64::min);
            let most = (0.01 * links as f64 / (PIECE * thinnest - 0.01)).ceil() as usize + 1;
            assert!(frame.capsules.len() <= most, "{links}: {} of {most}", frame.capsules.len());
            for at in &frames {
                let at = stage.space().drawn(at.position);
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
