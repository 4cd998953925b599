//! Turning the selected joint by keys.

use crate::session::{JointCommand, Session};
use fabrik3d_scene::Unit;
use glam::DVec3;

/// Travel of a slide per degree that a rotating joint would turn, in units of the reach.
const SLIDE_PER_DEGREE: f64 = 0.01;

/// The command that changes the first three values of the selected joint by these degrees, within its limits.
pub(crate) fn turned_joint(session: &Session, turn: DVec3) -> Option<JointCommand> {
    let joint = session.selected_joint()?;
    let mut values = session.scene().joint_values(joint, session.displayed());
    for (value, turn) in values.iter_mut().zip(turn.to_array()) {
        let change = match value.unit {
            Unit::Degrees => turn,
            Unit::Length => SLIDE_PER_DEGREE * turn * session.size_of_selected(),
        };
        let (low, high) = value.range.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
        value.value = (value.value + change).clamp(low, high);
    }
    let values = values.iter().map(|value| value.value).collect();
    Some(JointCommand::Glide(session.scene().skeleton.joints()[joint].name.clone(), values))
}
