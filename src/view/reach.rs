//! The workspace of the selected effector as the viewer knows it: a sampled surface, or else a shell.

use super::Viewer;
use crate::session::{CommandError, Remark, Session};
use fabrik3d_ik::Isometry;
use fabrik3d_ik::display::{WorkspaceShell, WorkspaceSurface, unbounded_joint};
use glam::DVec3;
use std::f64::consts::PI;

/// The shell of the selected effector in the displayed pose.
pub(super) fn shell(session: &Session) -> Option<WorkspaceShell> {
    let scene = session.scene();
    let effector = scene.effectors.get(session.selected())?;
    WorkspaceShell::of(&scene.skeleton, &effector.effector, session.displayed())
}

/// The remark for showing the reach of the selected effector, if it needs one.
///
/// # Errors
/// If there is no effector.
pub(super) fn remark(session: &Session) -> Result<Option<Remark>, CommandError> {
    let scene = session.scene();
    let Some(effector) = scene.effectors.get(session.selected()) else { return Err(CommandError::NoReach) };
    let Some(joint) = unbounded_joint(&scene.skeleton, &effector.effector) else { return Ok(None) };
    let (effector, joint) = (effector.name.clone(), scene.skeleton.joints()[joint].name.clone());
    Ok(Some(if shell(session).is_some() {
        Remark::ReachFrom { effector, joint }
    } else {
        Remark::Anywhere { effector, joint }
    }))
}

/// The remark for showing a reach that the camera is inside of: its surface then only tints the picture.
pub(super) fn inside_remark(viewer: &Viewer) -> Option<Remark> {
    let session = viewer.session();
    let eye = viewer.space().world(DVec3::from(viewer.camera().eye()));
    let scene = session.scene();
    let effector = scene.effectors.get(session.selected())?;
    // As in the picture, see `Viewer::update_workspace`.
    let sample = || WorkspaceSurface::sample(&scene.skeleton, effector.effector);
    let is_inside = match scene.loops.is_empty().then(sample).flatten() {
        Some(surface) => {
            let triangles = surface.corners.chunks_exact(3).map(|corners| [0, 1, 2].map(|k| corners[k].0.as_dvec3()));
            let frame = frame_of(session, surface.parent);
            contains(triangles, frame.rotation.inverse() * (eye - frame.position))
        }
        None => shell(session).is_some_and(|shell| eye.distance(shell.center) < shell.outer),
    };
    is_inside.then(|| Remark::InsideReach(effector.name.clone()))
}

/// Whether a point is inside a closed surface, whose triangles then surround it: their solid angles add up to 4π (van
/// Oosterom and Strackee, "The solid angle of a plane triangle", 1983).
fn contains(triangles: impl Iterator<Item = [DVec3; 3]>, point: DVec3) -> bool {
    let angle = |corners: [DVec3; 3]| {
        let [a, b, c] = corners.map(|corner| (corner - point).normalize_or_zero());
        2.0 * a.dot(b.cross(c)).atan2(1.0 + a.dot(b) + b.dot(c) + c.dot(a))
    };
    triangles.map(angle).sum::<f64>().abs() > 2.0 * PI
}

/// Points around the workspace of the selected effector, in the picture's space; around a shell, in these directions.
pub(super) fn outline(viewer: &Viewer, directions: impl Iterator<Item = DVec3>) -> Vec<DVec3> {
    let (session, space) = (viewer.session(), viewer.space());
    if let Some(workspace) = &viewer.workspace {
        let frame = frame_of(session, workspace.parent);
        let corners = workspace.corners.iter();
        return corners.map(|(position, _)| space.shown(frame.point(position.as_dvec3()))).collect();
    }
    let Some(shell) = shell(session) else { return Vec::new() };
    directions.map(|way| space.shown(shell.center) + way * shell.outer).collect()
}

/// The displayed frame of a joint; without a joint, the world's.
pub(super) fn frame_of(session: &Session, joint: Option<usize>) -> Isometry {
    joint.map_or(Isometry::IDENTITY, |joint| {
        session.scene().skeleton.frame_of(Isometry::IDENTITY, session.displayed(), joint)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solve::examples;
    use crate::view::Display;
    use fabrik3d_ik::random::Random;
    use fabrik3d_scene::OpenOptions;

    #[test]
    fn a_tetrahedron_contains_the_points_on_the_inner_side_of_all_its_faces() {
        let mut random = Random::new(4);
        let (mut inside, faces) = (0, [[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]]);
        for _ in 0..2000 {
            let [a, b, c, d] = [(); 4].map(|()| random.ball());
            let (corners, point) = ([a, b, c, d], 0.5 * random.ball());
            let volume = |[a, b, c, d]: [DVec3; 4]| (b - a).dot((c - a).cross(d - a));
            let parts = [[point, b, c, d], [a, point, c, d], [a, b, point, d], [a, b, c, point]].map(volume);
            let expected = parts.iter().all(|part| part * volume(corners) > 0.0);
            let triangles = faces.map(|face| face.map(|corner: usize| corners[corner]));
            assert_eq!(contains(triangles.into_iter(), point), expected, "{corners:?} {point}");
            inside += usize::from(expected);
        }
        assert!(inside > 50, "{inside}");
    }

    #[test]
    fn showing_a_reach_around_the_camera_says_so_and_from_outside_it_says_nothing() {
        for name in ["seed-arm", "robot-arm"] {
            let scene = examples::open(format!("example:{name}"), &OpenOptions::default()).expect("an example");
            let mut viewer = Viewer::new(scene, Display::default(), 1.6);
            let mut remark_at = |zoom: &str| {
                for command in ["show reach off", zoom] {
                    viewer.apply(command.parse().expect("a command")).expect("can be done");
                }
                for _ in 0..60 {
                    viewer.tick(1.0 / 60.0, &mut crate::view::HeldKeys::default(), crate::view::Modifiers::default());
                }
                viewer.apply("show reach on".parse().expect("a command")).expect("can be done");
                viewer.remark().cloned()
            };
            assert!(matches!(remark_at("camera.zoom 6"), Some(Remark::InsideReach(_))), "{name}");
            assert_eq!(remark_at("camera.zoom 0.04"), None, "{name}");
        }
    }
}
