//! Why a step of a lesson was made, and what it leaves to be done.

use super::recording::{ActKind, Recording};
use super::step::Step;
use super::{Freedom, Prose};
use crate::session::numbers::digits;
use fabrik3d_ik::{SolveEvent as Move, Stop};

/// Shares of the reach below this are not worth a number.
pub(super) const UNSEEN: f64 = 1e-6;

impl Step<'_> {
    /// What lies ahead of the start.
    pub(super) fn outlook(&self) -> String {
        let figure = self.figure();
        if self.is_last() {
            return "Move the target, or press a number for another one.".to_owned();
        }
        let is_fabrik = self.recording().acts.iter().all(|act| act.kind != ActKind::Move(Move::Iteration));
        let passes = match is_fabrik {
            true => {
                "Each iteration is two passes: backward from the effector to the base, then forward again. The 2011 \
                 paper names them the other way round."
            }
            false => "This method is not FABRIK and has no reaching passes: each step shows one whole iteration.",
        };
        let [(effector, target)] = figure.goals[..] else { return passes.to_owned() };
        let distance = digits(self.before()[figure.base_of(effector)].distance(target));
        let reach = digits(figure.reach);
        match self.recording().report.stop {
            Stop::TooFar => {
                format!("The target is {distance} from the base and the links are only {reach} long together.")
            }
            Stop::TooClose => {
                format!(
                    "The target is only {distance} from the base, nearer than the longest link lets the others fold."
                )
            }
            _ => passes.to_owned(),
        }
    }

    pub(super) fn why_backward(&self, node: usize) -> String {
        let figure = self.figure();
        if self.is_complete() {
            let beside = if self.wishes().is_empty() { self.why_beside() } else { String::new() };
            return format!("{beside}{}", self.after_backward());
        }
        if self.wishes().len() > 1 {
            return "The paper takes the middle of those places, the centroid. Here the piece is rigid, so it is also \
                    turned until all that it carries fits best."
                .to_owned();
        }
        if self.slide().is_some() {
            let beside = self.why_beside();
            return if beside.is_empty() { self.gap_moves_on(node, figure.parents[node]) } else { beside };
        }
        let stretch = figure.parents[node].and_then(|parent| self.stretched(node, parent));
        let stretch = stretch.map_or_else(String::new, |text| format!(" {text}"));
        if self.aims_beyond().is_some() {
            return format!(
                "This goes beyond the paper: two passes end short of where they aim, the solver can tell by how much, and \
                 aims as much farther. “textbook” shows the paper's own way.{stretch}"
            );
        }
        match figure.target_of(node) {
            Some(target) if self.is_on(node, target) => {
                format!("Backward reaching takes the wish for granted and mends the links after it.{stretch}")
            }
            Some(_) => "It belongs to a rigid piece at which something else pulls as well.".to_owned(),
            None => format!("So the loop closes again, from both sides.{stretch}"),
        }
    }

    pub(super) fn why_forward(&self, node: usize) -> String {
        let next = self.figure().children(node).find(|&child| !self.has_moved(child));
        let stretch =
            next.and_then(|next| self.stretched(next, node)).map_or_else(String::new, |text| format!(" {text}"));
        if self.slide().is_none() {
            return match self.figure().floating.contains(&node) {
                true => format!("Its limbs follow it.{stretch}"),
                false => format!("The base may not move.{stretch}"),
            };
        }
        let beside = self.why_beside();
        if beside.is_empty() {
            next.map_or_else(|| "This limb is done.".to_owned(), |next| self.gap_moves_on(next, Some(node)))
        } else {
            beside
        }
    }

    /// What keeps a joint from its line; empty where nothing does.
    pub(super) fn why_beside(&self) -> String {
        let Some(slide) = self.slide().filter(|slide| self.is_beside(slide)) else { return String::new() };
        let name = Prose::name(&self.figure().names[slide.anchor], true);
        let nearest = "This is the nearest place that it allows.";
        match self.figure().freedoms[slide.anchor] {
            _ if self.is_limited(slide.anchor) => format!("The joint {name} is at its limit. {nearest} "),
            Freedom::Hinge => format!("The joint {name} is a hinge and turns about one axis only. {nearest} "),
            Freedom::Rigid => format!("Nothing can turn at {name}: with its neighbours it is one rigid piece. "),
            Freedom::Limited if self.is_backward() => format!("The joint {name} bends only so far. {nearest} "),
            Freedom::Several => format!("The joints at {name} turn only so far. {nearest} "),
            Freedom::Ball | Freedom::Limited => {
                let carried: Vec<usize> = self.figure().children(slide.anchor).collect();
                match carried.len() {
                    0 | 1 => format!("The piece at {name} is rigid, and how it is turned matters as well. "),
                    _ => format!(
                        "{name} carries {} as one rigid piece, in which nothing can turn: it suits all of them as well \
                         as it can. ",
                        self.all_named(&carried)
                    ),
                }
            }
        }
    }

    /// A link has its length again, the next one has not.
    fn gap_moves_on(&self, child: usize, parent: Option<usize>) -> String {
        match parent.and_then(|parent| self.stretched(child, parent)) {
            Some(stretch) => format!("This link is right again and the gap moves on. {stretch}"),
            None => "This link is right again, and so is the next.".to_owned(),
        }
    }

    /// What a moved end did to the link between `child` and `parent`; none when that has its length.
    fn stretched(&self, child: usize, parent: usize) -> Option<String> {
        let points = self.points();
        let (now, length) = (points[child].distance(points[parent]), self.figure().lengths[child]);
        let other = if self.has_moved(child) { parent } else { child };
        let [now, length] = [now, length].map(digits);
        let is_off = !self.figure().sliding.contains(&child) && now != length;
        is_off.then(|| format!("The link to {} is now {now} long instead of {length}.", self.named(other)))
    }

    /// How far a link is from its length at most.
    fn widest_link(&self) -> f64 {
        let (figure, points) = (self.figure(), self.points());
        let links = (0..figure.len()).filter(|&node| !figure.is_base(node) && !figure.sliding.contains(&node));
        let off = links.filter_map(|node| {
            let now = points[node].distance(points[figure.parents[node]?]);
            Some((now - figure.lengths[node]).abs())
        });
        off.fold(0.0, f64::max)
    }

    /// What a complete backward pass leaves to be done.
    pub(super) fn after_backward(&self) -> String {
        let figure = self.figure();
        let start = &self.recording().acts[0].points;
        let fixed = (0..figure.len()).filter(|&node| figure.is_base(node) && !figure.floating.contains(&node));
        let off = fixed
            .map(|base| self.act().points[base].distance(start[base]))
            .fold(None, |most: Option<f64>, off| Some(most.map_or(off, |most| most.max(off))));
        match off {
            None if self.is_last() => format!("The base is free and has followed. {}", self.verdict()),
            None => "The base floats and has followed.".to_owned(),
            Some(off) => {
                // What carries several limbs as one piece cannot suit all of them.
                let stretch = self.widest_link() / figure.reach;
                let off = off / figure.reach;
                match (stretch > UNSEEN, off > UNSEEN) {
                    (false, false) => "All links are right, and the base is in its place.".to_owned(),
                    (false, true) => format!(
                        "All links are right, but the base is {} of the reach off its place: the forward pass puts it \
                         back.",
                        digits(off)
                    ),
                    (true, _) => format!(
                        "The base is {} of the reach off its place, and links at sub-bases are off by up to {}: the \
                         forward pass mends both.",
                        digits(off),
                        digits(stretch)
                    ),
                }
            }
        }
    }

    /// How the error fares after the act.
    pub(super) fn verdict(&self) -> String {
        let (was, now) = (self.recording().error_before_iteration(self.act_number()), self.act().error);
        let effector = if self.figure().goals.len() > 1 { "worst effector" } else { "effector" };
        if self.is_last() {
            return ending(self.recording(), effector);
        }
        let course = if now < was { "fell" } else { "rose" };
        format!(
            "The {effector}'s distance from its target {course} from {} to {} of the reach.",
            digits(was),
            digits(now)
        )
    }

    pub(super) fn why_polish(&self) -> String {
        let tries = match self.recording().report.attempts {
            0 | 1 => String::new(),
            attempts => format!(" Limits blocked the way from the first pose: it took {attempts} starting poses."),
        };
        format!(
            "This goes beyond the paper: with limits or several targets the passes alone slow down, and this does \
             not.{tries} {}",
            self.verdict()
        )
    }
}

/// Why a solve ended where it did.
fn ending(recording: &Recording, effector: &str) -> String {
    let left = digits(recording.acts.last().map_or(0.0, |act| act.error));
    let count = match recording.report.iterations {
        1 => "1 iteration".to_owned(),
        iterations => format!("{iterations} iterations"),
    };
    let tolerance = digits(recording.tolerance);
    match recording.report.stop {
        Stop::Reached if left == "0" => format!("The {effector} is on its target: reached, after {count}."),
        Stop::Reached => format!(
            "The {effector} is {left} of the reach from its target, within the tolerance of {tolerance}: reached, after \
             {count}."
        ),
        Stop::TooFar | Stop::TooClose => format!("No pose comes nearer: {left} of the reach remain."),
        Stop::Limited => format!("The limits allow no more: {left} of the reach remain."),
        Stop::Stalled => format!("It gets no nearer, with {left} of the reach left: stalled after {count}."),
        Stop::IterationLimit => format!("The {count} that are allowed are used up, with {left} of the reach left."),
        Stop::Refused => "The target is not a finite number.".to_owned(),
    }
}
