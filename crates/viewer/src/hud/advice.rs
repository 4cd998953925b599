//! What to make of the end of a solve.

use super::names::{listed, listed_names};
use super::toast::sentence;
use crate::session::Session;
use fabrik3d_ik::Stop;
use fabrik3d_scene::{Meaning, meaning};

/// Why the selected effector's solve stopped, what to do about it, and the facts beside it; empty if there is nothing to say.
pub(super) fn advice(stop: Stop, session: &Session, selected: usize) -> String {
    // A session goes on with a solve that a frame has cut short.
    if matches!(stop, Stop::Reached | Stop::IterationLimit | Stop::Interrupted) {
        return String::new();
    }
    let scene = session.scene();
    let (missed, held) = others(session, selected);
    let misses = session.is_off_target(selected);
    let Meaning { why, remedy, .. } = meaning(stop);
    // Nobody can move a target that a file moves.
    let remedy = if session.is_driven(selected) { String::new() } else { format!(": {remedy}") };
    let reason = (misses || stop == Stop::Refused).then(|| sentence(format!("{why}{remedy}.")));
    let unit = session.is_very_far(selected).then(|| "Is it in another unit, such as millimetres?".to_owned());
    let blocking = if stop == Stop::Limited && misses { session.blocking_joints(selected) } else { Vec::new() };
    let joints = blocking.iter().map(|&joint| &scene.skeleton.joints()[joint].name[..]);
    let facts = [
        ("At a limit", listed_names(scene, joints)),
        ("In place", if misses { listed(scene, &held) } else { String::new() }),
        ("Also off", listed(scene, &missed)),
    ];
    let facts =
        facts.into_iter().filter(|(_, names)| !names.is_empty()).map(|(what, names)| format!("{what}: {names}."));
    reason.into_iter().chain(unit).chain(facts).collect::<Vec<_>>().join(" ")
}

/// The other effectors of the selected one's figure: those that miss their targets, and those that are on them. Of the former,
/// the farthest comes first, in parts of its own reach.
pub(super) fn others(session: &Session, selected: usize) -> (Vec<usize>, Vec<usize>) {
    let others = session.other_goals(selected);
    let (mut off, on): (Vec<usize>, Vec<usize>) = others.into_iter().partition(|&at| session.is_off_target(at));
    let share = |at: &usize| {
        let scene = session.scene();
        session.residual(*at).unwrap_or(0.0) / scene.effector_size(&scene.effectors[*at])
    };
    off.sort_by(|a, b| share(b).total_cmp(&share(a)));
    (off, on)
}
