//! Whether two figures are alike enough for the motion of one on the other.

use super::matching::{Retarget, parts};
use crate::Scene;
use crate::coordinates::zero_frames;
use fabrik3d_ik::{Isometry, Skeleton};
use std::fmt;

/// The links of a limb, each by the parts at its upper and its lower end.
const LINKS: [[&str; 2]; 4] = [["thigh", "shin"], ["shin", "foot"], ["arm", "forearm"], ["forearm", "hand"]];
/// Largest ratio of the lengths of the same link, to scale. That of a toy with short legs and long arms is below 2.
const MAX_RATIO: f64 = 4.0;
/// Largest angle between the directions of the same link at rest, degrees. An arm that hangs and one that is raised to the side
/// differ by 90, and so do the legs of figures that stand and sit.
const MAX_ANGLE: f64 = 120.0;
/// Most links that are named.
const MAX_NAMED: usize = 4;

/// Why the motion of one figure would deform another: what is wrong with which parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// A phrase for each part that does not fit; at least one.
    pub parts: Vec<String>,
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let more = self.parts.len().saturating_sub(MAX_NAMED);
        write!(f, "the recorded figure does not fit: {}", self.parts[..self.parts.len() - more].join("; "))?;
        if more > 0 { write!(f, "; and {more} more") } else { Ok(()) }
    }
}

impl Retarget {
    /// What does not fit of a recorded and a driven figure that are matched like this. Only the limbs of people are judged: their
    /// links must hang together, be about as long to scale, and rest in about the same direction.
    pub fn misfit(&self, recorded: &Scene, driven: &Scene) -> Option<Misfit> {
        let parts = parts(&self.partners, &recorded.ranked_parts(), driven.ranked_parts());
        let find = |sought: &str| {
            let found = self.partners.iter().enumerate().filter_map(|(at, partner)| Some((at, (*partner)?)));
            found.filter(|&(at, _)| parts[at].0 == sought).min_by_key(|&(at, _)| (parts[at].1, at))
        };
        let frames = [zero_frames(&recorded.skeleton, self.base()), zero_frames(&driven.skeleton, Isometry::IDENTITY)];
        let links = ["left", "right"].into_iter().flat_map(|side| LINKS.map(|link| (side, link)));
        let misfits = links.filter_map(|(side, [upper, lower])| {
            let upper = find(&format!("{side} {upper}"))?;
            let (part, lower) = (format!("{side} {lower}"), find(&format!("{side} {lower}"))?);
            if !hangs_on(&recorded.skeleton, lower.1, upper.1) {
                return None;
            }
            let joints = driven.skeleton.joints();
            if !hangs_on(&driven.skeleton, lower.0, upper.0) {
                let [lower, upper] = [lower, upper].map(|(at, _)| driven.shown_name(&joints[at].name));
                return Some(format!("`{lower}` ({part}) does not hang on `{upper}`"));
            }
            let link = |frames: &[Isometry], from: usize, to: usize| frames[to].position - frames[from].position;
            let there = self.upright(link(&frames[0], upper.1, lower.1)) * self.scale;
            let here = link(&frames[1], upper.0, lower.0);
            let ratio = here.length() / there.length();
            let name = driven.shown_name(&joints[upper.0].name);
            if !(1.0 / MAX_RATIO..=MAX_RATIO).contains(&ratio) {
                return Some(format!(
                    "the link of `{name}` to the {part} is {ratio:.2} times as long as the recorded one, to scale"
                ));
            }
            let angle = here.angle_between(there).to_degrees();
            (angle > MAX_ANGLE).then(|| {
                format!("the link of `{name}` to the {part} rests in another direction, by {angle:.0} degrees")
            })
        });
        let parts: Vec<String> = misfits.collect();
        (!parts.is_empty()).then_some(Misfit { parts })
    }
}

/// Whether a joint is below another one.
fn hangs_on(skeleton: &Skeleton, lower: usize, upper: usize) -> bool {
    skeleton.ancestors(lower).skip(1).any(|at| at == upper)
}
