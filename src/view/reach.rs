//! Where an effector can be at all: of a chain without limits a shell around its base, hollow where one link outweighs all
//! others; inside limits what trying poses finds.

use super::Stage;
use super::frame::{Color, Frame, Line, Patch};
use super::look::{Palette, faded};
use super::reachable::placed;
use crate::session::{CommandError, Remark, Session};
use fabrik3d_ik::{Coordinates, Effector, Isometry, Kind, Skeleton};
use fabrik3d_scene::Scene;
use glam::{DVec3, Vec3};
use std::f32::consts::{PI, TAU};

/// Places that link lengths alone allow; joint limits may leave less.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shell {
    /// The first joint that moves; world.
    pub center: DVec3,
    /// Largest distance from it.
    pub outer: f64,
    /// Smallest distance from it; 0 where there is no dead zone.
    pub inner: f64,
}

/// The joint on the line of an effector that goes anywhere, if one does: a base that floats, a slide without ends. Its reach
/// is shown for as long as that one stays where it is.
pub(super) fn endless(skeleton: &Skeleton, effector: &Effector) -> Option<usize> {
    effector.chain_joints(skeleton).find(|&joint| is_endless(skeleton.kind(joint)))
}

pub(super) fn is_endless(kind: &Kind) -> bool {
    matches!(kind, Kind::Free | Kind::Slide { range: None, .. })
}

/// The shell of an effector in a pose; none where nothing moves it but what may take it anywhere. A base that floats is
/// one that turns where it is.
pub fn shell(scene: &Scene, effector: usize, pose: &[Coordinates]) -> Option<Shell> {
    let joints = scene.skeleton.joints();
    let effector = scene.effectors.get(effector)?.effector;
    // From the tip up: what is rigid together counts as one link, from pivot to pivot.
    let (mut lengths, mut slack) = (Vec::new(), 0.0);
    let (mut pivot, mut rigid) = (None, effector.tip);
    for i in effector.chain_joints(&scene.skeleton) {
        let joint = &joints[i];
        match joint.kind {
            Kind::Fixed => rigid = joint.offset + joint.rest * rigid,
            Kind::Slide { range: None, .. } => break,
            Kind::Slide { range: Some(range), .. } => {
                slack += range.low().abs().max(range.high().abs());
                lengths.push(rigid.length());
                (pivot, rigid) = (Some(i), joint.offset);
            }
            Kind::Ball { .. } | Kind::Hinge { .. } | Kind::Free => {
                lengths.push(rigid.length());
                (pivot, rigid) = (Some(i), joint.offset);
            }
        }
        if joint.kind == Kind::Free {
            break;
        }
    }
    let total: f64 = lengths.iter().sum();
    let longest = lengths.iter().copied().fold(0.0, f64::max);
    let center = scene.skeleton.frame_of(Isometry::IDENTITY, pose, pivot?).position;
    let shell = Shell { center, outer: total + slack, inner: (2.0 * longest - total - slack).max(0.0) };
    Some(shell).filter(|shell| shell.outer > 0.0)
}

/// What there is to say when the reach of the selected effector is to be shown, or why it cannot be.
pub(super) fn told(session: &Session) -> Result<Option<Remark>, CommandError> {
    let (scene, selected) = (session.scene(), session.selected());
    let Some(effector) = scene.effectors.get(selected) else { return Err(CommandError::NoReach) };
    let Some(joint) = endless(&scene.skeleton, &effector.effector) else { return Ok(None) };
    let (effector, joint) = (effector.name.clone(), scene.skeleton.joints()[joint].name.clone());
    Ok(Some(if shell(scene, selected, session.displayed()).is_some() {
        Remark::ReachFrom { effector, joint }
    } else {
        Remark::Anywhere { effector, joint }
    }))
}

/// Draws what the selected effector reaches: around each figure of a race.
pub(super) fn draw(stage: &Stage, palette: &Palette, out: &mut Frame) {
    for offset in stage.lane_offsets().into_iter().chain(stage.session().race().is_none().then_some(DVec3::ZERO)) {
        draw_at(stage, offset.as_vec3(), palette, out);
    }
}

/// Places around all that the selected effector reaches, in the picture's space.
pub(super) fn outline(stage: &Stage) -> Vec<DVec3> {
    let (session, space) = (stage.session(), stage.space());
    if let Some(reachable) = stage.reachable() {
        let frame = frame_of(session, reachable.parent);
        let corners = reachable.corners.iter();
        return corners.map(|(place, _)| space.shown(frame.point(place.as_dvec3()))).collect();
    }
    let Some(shell) = shell(session.scene(), session.selected(), session.displayed()) else { return Vec::new() };
    super::race::directions().map(|way| space.shown(shell.center) + way * shell.outer).collect()
}

/// The frame of a joint as it is shown, or the world's.
fn frame_of(session: &Session, joint: Option<usize>) -> Isometry {
    joint.map_or(Isometry::IDENTITY, |joint| {
        session.scene().skeleton.frame_of(Isometry::IDENTITY, session.displayed(), joint)
    })
}

fn draw_at(stage: &Stage, offset: Vec3, palette: &Palette, out: &mut Frame) {
    let session = stage.session();
    if let Some(reachable) = stage.reachable() {
        let frame = frame_of(session, reachable.parent);
        let triangles = placed(&reachable.corners, frame, |point| stage.space().drawn(point) + offset);
        out.patches.push(Patch { triangles, color: faded(palette.limit, 90) });
        return;
    }
    let Some(shell) = shell(session.scene(), session.selected(), session.displayed()) else { return };
    let center = stage.space().drawn(shell.center) + offset;
    ball(center, shell.outer as f32, faded(palette.limit, 70), out);
    if shell.inner > 1e-3 * shell.outer {
        ball(center, shell.inner as f32, faded(palette.unreached, 110), out);
    }
}

/// A translucent ball with its three great circles.
fn ball(center: Vec3, radius: f32, color: Color, out: &mut Frame) {
    const RINGS: usize = 24;
    const SIDES: usize = 48;
    let normal = |ring: usize, side: usize| {
        let (sin, cos) = (PI * ring as f32 / RINGS as f32).sin_cos();
        let (y, x) = (TAU * side as f32 / SIDES as f32).sin_cos();
        Vec3::new(sin * x, cos, sin * y)
    };
    let corner = |ring, side| (center + normal(ring, side) * radius, normal(ring, side), 0.0);
    let mut triangles = Vec::with_capacity(6 * RINGS * SIDES);
    for ring in 0..RINGS {
        for side in 0..SIDES {
            let [a, b] = [corner(ring, side), corner(ring, side + 1)];
            let [c, d] = [corner(ring + 1, side), corner(ring + 1, side + 1)];
            triangles.extend([a, c, b, b, c, d]);
        }
    }
    out.patches.push(Patch { triangles, color });
    let faint = faded(color, 120);
    for (u, v) in [(Vec3::X, Vec3::Y), (Vec3::Y, Vec3::Z), (Vec3::Z, Vec3::X)] {
        let at = |k: usize| {
            let (sin, cos) = (TAU * (k % SIDES) as f32 / SIDES as f32).sin_cos();
            (center + (u * cos + v * sin) * radius, faint)
        };
        out.lines.push(Line { points: (0..=SIDES).map(at).collect(), width: 1.2, dash: None, on_top: false });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fabrik3d_ik::random::Random;
    use fabrik3d_ik::{Solver, Stop};
    use fabrik3d_scene::{ChainSpec, SceneBuilder};

    #[test]
    fn what_lies_in_the_shell_is_reached_and_nothing_else() {
        let mut random = Random::new(11);
        for _ in 0..200 {
            let count = 2 + (random.unit() * 4.0) as usize;
            let mut points = vec![random.ball()];
            for _ in 0..count {
                let step = random.direction() * (0.1 + random.unit() * random.unit() * 3.0);
                points.push(points[points.len() - 1] + step);
            }
            let mut builder = SceneBuilder::default();
            let name = "arm".to_owned();
            builder.chain(ChainSpec { name, points, free_base: false, target: None, presets: Vec::new() });
            let scene = builder.build("arm").expect("a sound chain");
            let shell = shell(&scene, 0, &scene.start).expect("its base is fixed");
            // Farther from a border than the solver's tolerance.
            let margin = 0.01 * shell.outer;
            for (radius, inside) in [
                (shell.outer - margin, shell.outer - margin > shell.inner),
                (shell.outer + margin, false),
                (shell.inner + margin, shell.inner + margin < shell.outer),
                (shell.inner - margin, false),
            ] {
                if radius > 0.0 {
                    let target = shell.center + random.direction() * radius;
                    let mut pose = scene.start.clone();
                    let effector = scene.effectors[0].effector;
                    let report = Solver::new(&scene.skeleton).goal(effector, target).solve(&mut pose);
                    assert_eq!(report.stop == Stop::Reached, inside, "{shell:?} {radius} {report:?}");
                }
            }
        }
    }
}
