//! The workspace of the selected effector as the viewer knows it: a sampled surface, or else a shell.

use super::Viewer;
use crate::session::{CommandError, Remark, Session};
use fabrik3d_ik::{Isometry, WorkspaceShell, unbounded_joint};
use glam::DVec3;

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
