//! What to make of the end of a solve: a sentence, and facts beside it.

use super::names::{listed, listed_names};
use super::toast::sentence;
use crate::session::Session;
use fabrik3d_ik::Stop;
use fabrik3d_scene::{Meaning, meaning};

const LIMITS: &str = "Joints that would have to go on beyond a limit to bring the effector nearer";
const HELD: &str = "Other effectors of this figure, which are on their targets";

/// A line of the status: name, value and explanation.
pub(super) type Fact = (String, String, &'static str);

/// Why the selected effector's solve stopped and what to do about it; empty if there is nothing to say. All numbers and names are
/// facts.
pub(super) fn advice(stop: Stop, session: &Session, selected: usize) -> String {
    // Nothing more can be done where the target is reached, and a session goes on with a solve that a frame has cut short.
    let goes_on = matches!(stop, Stop::Reached | Stop::IterationLimit | Stop::Interrupted);
    if goes_on || !(session.is_off_target(selected) || stop == Stop::Refused) {
        return String::new();
    }
    let Meaning { why, remedy, .. } = meaning(stop);
    // Nobody can move a target that a file moves.
    let remedy = if session.is_driven(selected) { String::new() } else { format!(": {remedy}") };
    let unit = if session.is_very_far(selected) { " Is it in another unit, such as millimetres?" } else { "" };
    sentence(format!("{why}{remedy}.")) + unit
}

/// What keeps the selected effector from its target: joints at limits, and effectors that are on theirs.
pub(super) fn bounds(stop: Stop, session: &Session, selected: usize) -> Vec<Fact> {
    if stop == Stop::Reached || !session.is_off_target(selected) {
        return Vec::new();
    }
    let scene = session.scene();
    let blocking = if stop == Stop::Limited { session.blocking_joints(selected) } else { Vec::new() };
    let joints = listed_names(scene, blocking.iter().map(|&joint| &scene.skeleton.joints()[joint].name[..]));
    let (_, held) = others(session, selected);
    let facts = [("At a limit:", joints, LIMITS), ("In place:", listed(scene, &held), HELD)];
    facts
        .into_iter()
        .filter(|(_, names, _)| !names.is_empty())
        .map(|(name, text, hint)| (name.to_owned(), text, hint))
        .collect()
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
