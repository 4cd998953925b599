//! The dials of the selected joint, turned by keys.

use crate::session::{JointCommand, Session};
use fabrik3d_scene::Unit;
use glam::DVec3;

/// Share of the reach that a slide goes for a degree of a joint that turns.
const PER_DEGREE: f64 = 0.01;

/// What turns the first three dials of the selected joint on by so many degrees, up to their ends.
pub(super) fn turned_joint(session: &Session, turn: DVec3) -> Option<JointCommand> {
    let joint = session.selected_joint()?;
    let mut dials = session.scene().joint_values(joint, session.displayed());
    for (dial, turn) in dials.iter_mut().zip(turn.to_array()) {
        let on = match dial.unit {
            Unit::Degrees => turn,
            Unit::Length => PER_DEGREE * turn * session.reach_of_selected(),
        };
        let (low, high) = dial.range.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
        dial.value = (dial.value + on).clamp(low, high);
    }
    let values = dials.iter().map(|dial| dial.value).collect();
    Some(JointCommand::Glide(session.scene().skeleton.joints()[joint].name.clone(), values))
}
