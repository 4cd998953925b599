//! What to make of the end of a solve.

use super::names::{listed, listed_names};
use crate::session::Session;
use fabrik3d_ik::Stop;

/// What to make of the reason why the selected effector's solve stopped; empty if there is nothing to say.
pub(super) fn advice(stop: Stop, session: &Session, selected: usize) -> String {
    let scene = session.scene();
    let (gone, others) = others(session, selected);
    // Soft pins give way, but not all the way.
    let soft: Vec<usize> = gone.iter().copied().filter(|&at| scene.effectors[at].is_soft()).collect();
    let asks_for_turn = session.target(selected).orientation.is_some();
    let stay = if others.len() == 1 { "stays" } else { "stay" };
    let in_place = || format!("{} {stay} in place", listed(scene, &others));
    // Nobody can move a target that a file moves.
    let source = session.motion().filter(|_| session.is_driven(selected));
    let source = source.map(|playback| if playback.source.figure().is_some() { "recording" } else { "table" });
    match stop {
        Stop::Reached | Stop::IterationLimit | Stop::Interrupted => String::new(),
        Stop::TooFar | Stop::TooClose | Stop::Limited | Stop::Stalled if !session.is_off_target(selected) => {
            match gone.len() {
                0 => String::new(),
                1 => format!("{} does not reach its target.", listed(scene, &gone)),
                _ => format!("{} do not reach their targets.", listed(scene, &gone)),
            }
        }
        Stop::TooFar if !session.is_too_far(selected) && asks_for_turn => {
            let remedy = if source.is_some() { "" } else { ": move or turn the target" };
            format!("Out of reach with this orientation{remedy}.")
        }
        Stop::TooFar => match source {
            Some(source) if session.is_very_far(selected) => {
                format!("The {source} puts the target far out of reach. Is it in another unit, such as millimetres?")
            }
            Some(source) => format!("The {source} puts the target out of reach."),
            None => "The target is out of reach: move it closer.".to_owned(),
        },
        Stop::TooClose => match source {
            Some(source) => format!("The {source} puts the target too close to the base."),
            None => "The target is too close to the base: move it away.".to_owned(),
        },
        Stop::Limited if !others.is_empty() && session.is_too_far(selected) => {
            format!("Out of reach while {}.", in_place())
        }
        Stop::Limited => {
            let name = listed(scene, &[selected]);
            let pinned = if others.is_empty() { String::new() } else { format!(" while {}", in_place()) };
            format!("{name} can go no farther{pinned}: {}.", obstruction(session, selected))
        }
        Stop::Stalled if !others.is_empty() => format!("No pose was found that reaches it while {}.", in_place()),
        Stop::Stalled if !soft.is_empty() => {
            let (hold, them) = if soft.len() == 1 { ("holds", "that soft pin") } else { ("hold", "these soft pins") };
            format!("{} {hold} it back: free {them} to reach the target.", listed(scene, &soft))
        }
        Stop::Refused => "A number is not finite or too large.".to_owned(),
        _ => "No closer pose was found: the target may be out of reach.".to_owned(),
    }
}

/// What stops the selected effector: joints at limits that keep its figure from the targets, or what is in the way.
fn obstruction(session: &Session, selected: usize) -> String {
    let scene = session.scene();
    let joints = scene.skeleton.joints();
    let limited = session.blocking_joints(selected);
    // What touches something need not be what stops it.
    let in_the_way = match (scene.obstacles.is_empty(), scene.keep_clear.is_none()) {
        (true, true) => None,
        (false, true) => Some("an obstacle may be in the way"),
        (true, false) => Some("another link may be in the way"),
        (false, false) => Some("an obstacle or another link may be in the way"),
    };
    let names = listed_names(scene, limited.iter().map(|&joint| &joints[joint].name[..]));
    let limits = match limited.len() {
        0 => in_the_way.is_none().then(|| "the joint limits stop it".to_owned()),
        1 => Some(format!("{names} is at its limit")),
        _ => Some(format!("{names} are at their limits")),
    };
    let causes: Vec<String> = limits.into_iter().chain(in_the_way.map(str::to_owned)).collect();
    causes.join(", or ")
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
