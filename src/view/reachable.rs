//! Where an effector gets inside the limits of its joints, found by trying many poses, as a surface around those places.

use super::isosurface::{Corner, surface};
use super::reach::is_endless;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Axes, Coordinates, Effector, Isometry, Kind, Skeleton};
use glam::{DVec3, Vec3};

/// Joints that are placed, at most, for all poses together; the most poses, and the fewest.
const WORK: usize = 1_500_000;
const MOST: usize = 60_000;
const FEWEST: usize = 4_000;
/// Cells along the longest side of the grid into which the places are gathered.
const CELLS: f64 = 30.0;
/// Share of poses' joints that stand at an end of what they may do: that is where the border comes from.
const AT_END: f64 = 0.3;
/// Density of places, smoothed, that the surface follows.
const LEVEL: f32 = 0.3;

/// The places that an effector reaches, and what they were found for.
#[derive(Clone, Debug)]
pub(super) struct Reachable {
    effector: Effector,
    skeleton: Skeleton,
    /// The frame that it is measured in is that of this joint; none: the world's.
    pub parent: Option<usize>,
    /// Triangles, three corners each, in that frame.
    pub corners: Vec<Corner>,
}

impl Reachable {
    /// What an effector reaches while what may go anywhere stays where it is; none where limits have no say in it (link
    /// lengths alone tell then), or where an axis that stays the world's hangs on what moves.
    pub fn of(skeleton: &Skeleton, effector: Effector) -> Option<Self> {
        let joints = skeleton.joints();
        let bounded = effector.chain_joints(skeleton).take_while(|&joint| !is_endless(skeleton.kind(joint)));
        let mut line: Vec<usize> = bounded.collect();
        line.reverse();
        let parent = joints[*line.first()?].parent;
        let kinds = || line.iter().map(|&joint| skeleton.kind(joint));
        let is_limited = |kind: &Kind| !(kind.is_unlimited_ball() || *kind == Kind::Fixed);
        let floats = parent.is_some() && line.iter().any(|&joint| joints[joint].axes == Axes::World);
        if !kinds().any(is_limited) || floats {
            return None;
        }
        let mut random = Random::new(1);
        let count = (WORK / skeleton.len()).clamp(FEWEST, MOST);
        let places: Vec<DVec3> = (0..count).map(|_| place(skeleton, &line, effector, &mut random)).collect();
        Some(Reachable { effector, skeleton: skeleton.clone(), parent, corners: around(&places) })
    }

    /// Whether it still says what it says.
    pub fn fits(&self, skeleton: &Skeleton, effector: Effector) -> bool {
        self.effector == effector && self.skeleton == *skeleton
    }
}

/// Where a random pose has an effector, in the frame that its line of joints hangs on.
fn place(skeleton: &Skeleton, line: &[usize], effector: Effector, random: &mut Random) -> DVec3 {
    let mut pose = skeleton.random_pose(random);
    for &joint in line {
        if random.unit() < AT_END {
            pose[joint] = end_of(skeleton.kind(joint), pose[joint], random);
        }
    }
    skeleton.follow(&mut pose);
    let frame = line.iter().fold(Isometry::IDENTITY, |parent, &joint| {
        skeleton.joints()[joint].kind.frame(skeleton.rest_frame(joint, parent), &pose[joint])
    });
    frame.point(effector.tip)
}

/// A joint at an end of what it may do, from where it is.
fn end_of(kind: &Kind, at: Coordinates, random: &mut Random) -> Coordinates {
    match kind {
        Kind::Hinge { range: Some(range), .. } | Kind::Slide { range: Some(range), .. } => {
            Coordinates::scalar(if random.unit() < 0.5 { range.low() } else { range.high() })
        }
        Kind::Ball { swing: Some(swing), .. } => {
            let [a, b] = at.tilt();
            Coordinates::ball(swing.clamp([a * 1e3, b * 1e3]), at.twist())
        }
        _ => at,
    }
}

/// The surface around places.
fn around(places: &[DVec3]) -> Vec<Corner> {
    let low = places.iter().copied().reduce(DVec3::min).unwrap_or_default();
    let high = places.iter().copied().reduce(DVec3::max).unwrap_or_default();
    let cell = (high - low).max_element() / CELLS;
    if cell <= 0.0 || !cell.is_finite() {
        return Vec::new();
    }
    // Room for what smoothing spreads, and for a border of nothing.
    const MARGIN: f64 = 4.0;
    let origin = low - DVec3::splat(MARGIN * cell);
    let size = ((high - low) / cell + DVec3::splat(2.0 * MARGIN)).ceil().as_usizevec3().to_array().map(|side| side + 1);
    let at = |x: usize, y: usize, z: usize| (z * size[1] + y) * size[0] + x;
    let mut density = vec![0.0_f32; size.iter().product()];
    for place in places {
        let [x, y, z] = ((*place - origin) / cell).round().as_usizevec3().to_array();
        density[at(x, y, z)] = 1.0;
    }
    for _ in 0..2 {
        for (side, stride) in [(size[0], 1), (size[1], size[0]), (size[2], size[0] * size[1])] {
            smooth(&mut density, side, stride);
        }
    }
    let mut corners = surface(&density, size, LEVEL);
    for (place, ..) in &mut corners {
        *place = (origin + place.as_dvec3() * cell).as_vec3();
    }
    corners
}

/// Weighs each value with its neighbours along one direction, 1 : 2 : 1.
fn smooth(density: &mut [f32], side: usize, stride: usize) {
    let before = density.to_vec();
    for (at, value) in density.iter_mut().enumerate() {
        let along = at / stride % side;
        let near = |is_inside: bool, at: usize| if is_inside { before[at] } else { 0.0 };
        let [less, more] = [near(along > 0, at.wrapping_sub(stride)), near(along + 1 < side, at + stride)];
        *value = 0.25 * (less + more) + 0.5 * before[at];
    }
}

/// Corners seen from the frame that they are measured in.
pub(super) fn placed(corners: &[Corner], frame: Isometry, shown: impl Fn(DVec3) -> Vec3) -> Vec<(Vec3, Vec3, f32)> {
    let origin = shown(frame.position);
    let turned = |normal: Vec3| shown(frame.point(normal.as_dvec3())) - origin;
    corners.iter().map(|&(place, normal)| (shown(frame.point(place.as_dvec3())), turned(normal), 0.15)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fabrik3d_scene::Scene;

    /// Whether a point lies inside a closed surface: how often a ray from it comes through.
    fn is_inside(corners: &[Corner], point: Vec3) -> bool {
        let way = Vec3::new(0.577, 0.211, 0.789);
        let cuts = corners.chunks(3).filter(|triangle| {
            let [a, b, c] = [triangle[0].0, triangle[1].0, triangle[2].0];
            let (ab, ac) = (b - a, c - a);
            let across = way.cross(ac);
            let area = ab.dot(across);
            let from = point - a;
            let u = from.dot(across) / area;
            let side = from.cross(ab);
            let v = way.dot(side) / area;
            area.abs() > 1e-12 && u >= 0.0 && v >= 0.0 && u + v <= 1.0 && ac.dot(side) / area > 0.0
        });
        cuts.count() % 2 == 1
    }

    #[test]
    fn what_poses_inside_the_limits_reach_is_inside_and_what_they_do_not_come_near_is_outside() {
        for name in ["human-arm", "robot-arm"] {
            let file = format!("{}/assets/scenes/{name}.toml", env!("CARGO_MANIFEST_DIR"));
            let scene = Scene::open(file).expect("reads");
            let effector = scene.effectors[0].effector;
            let reachable = Reachable::of(&scene.skeleton, effector).expect("it has limits");
            assert_eq!(reachable.parent, None);
            let mut random = Random::new(99);
            let mut tip = || {
                let pose = scene.skeleton.random_pose(&mut random);
                scene.skeleton.frame_of(Isometry::IDENTITY, &pose, effector.joint).point(effector.tip)
            };
            let tips: Vec<DVec3> = (0..20_000).map(|_| tip()).collect();
            let inside = tips[..400].iter().filter(|tip| is_inside(&reachable.corners, tip.as_vec3())).count();
            assert!(inside >= 396, "{name}: {inside} of 400 places that are reached are inside");
            let reach = scene.reach(&scene.effectors[0]);
            let center = scene.skeleton.frames(&scene.start)[0].position;
            let mut random = Random::new(7);
            let far: Vec<DVec3> = (0..400)
                .map(|_| center + random.ball() * (1.3 * reach))
                .filter(|place| tips.iter().all(|tip| tip.distance(*place) > 0.2 * reach))
                .collect();
            assert!(far.len() > 50, "{name}: {} places are far from all that is reached", far.len());
            let inside = far.iter().filter(|place| is_inside(&reachable.corners, place.as_vec3())).count();
            assert_eq!(inside, 0, "{name}: of {} places that are not reached", far.len());
        }
    }

    #[test]
    fn chains_without_limits_and_ropes_are_left_to_link_lengths() {
        for name in ["seed-arm", "rope", "tentacle"] {
            let file = format!("{}/assets/scenes/{name}.toml", env!("CARGO_MANIFEST_DIR"));
            let scene = Scene::open(file).expect("reads");
            assert!(Reachable::of(&scene.skeleton, scene.effectors[0].effector).is_none(), "{name}");
        }
    }
}
