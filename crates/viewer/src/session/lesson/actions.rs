//! The title of a step, and what the step did.

use super::moves;
use super::step::{Gap, GapPlace, LessonStep, NodeSlide};
use super::subject::LessonStart;
use crate::session::numbers::NEGLIGIBLE;
use crate::session::numbers::ROUNDING;
use fabrik3d_ik::fabrik::observer::SolveEvent;
use glam::DVec3;
use std::fmt;

/// Sentences about a step, in which the names of joints and effectors are marked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prose(String);

/// Marks before and after a name: the isolate characters of Unicode.
const MARKS: [char; 2] = ['\u{2068}', '\u{2069}'];

/// A pass without overshoot aims no farther than this from the target, as a fraction of the reach.
const NO_OVERSHOOT: f64 = 1e-12;

impl LessonStep<'_> {
    /// Name of the stage: `(b) The tip is put on its target`.
    pub fn title(&self) -> String {
        let name = match self.phase().event {
            _ if self.since().is_some() => "The remaining iterations",
            None => "The start",
            Some(SolveEvent::Backward { .. }) if self.is_pass() => {
                return "(b) to (d) Backward reaching".to_owned();
            }
            Some(SolveEvent::Forward) if self.is_pass() => return "(e) and (f) Forward reaching".to_owned(),
            Some(SolveEvent::Backward { .. }) => &self.backward_title(),
            Some(SolveEvent::Forward) => match self.letter() {
                Some('e') if self.node().is_some_and(|node| self.figure().floating.contains(&node)) => {
                    "The base floats and stays"
                }
                Some('e') => "The base returns to its place",
                _ if self.is_complete() => "Forward reaching is complete",
                _ => "Joint by joint, up to the tip",
            },
            Some(step) => moves::texts(step, self.recording().method)[0],
        };
        self.letter().map_or_else(|| name.to_owned(), |letter| format!("({letter}) {name}"))
    }

    fn backward_title(&self) -> String {
        // Of several tips, each has its own step.
        let tip = |node: usize| match self.figure().goals.len() {
            1 => "The tip".to_owned(),
            _ => format!("“{}”", self.figure().names[node]),
        };
        let starts_branch = self.slide().is_none() && self.branch_positions().is_empty();
        match self.letter() {
            _ if self.is_complete() => "Backward reaching is complete".to_owned(),
            _ if self.branch_positions().len() > 1 => "A sub-base moves between its limbs".to_owned(),
            Some('b') if self.overshoot().is_some() => "The tip is put past the target".to_owned(),
            Some('b') if starts_branch => match self.node().map(|node| (node, self.figure().target_of(node))) {
                Some((node, Some(target))) if self.is_at(node, target) => format!("{} is put on its target", tip(node)),
                Some((node, Some(_))) => format!("{} is moved toward its target", tip(node)),
                _ => "A tied point moves toward its partner".to_owned(),
            },
            Some('c') => "The next joint follows".to_owned(),
            _ => "Joint by joint, down to the base".to_owned(),
        }
    }

    /// How far past the target the backward pass aims; none if it aims at the target itself.
    pub fn overshoot(&self) -> Option<f64> {
        let Some(SolveEvent::Backward { target: overshoot }) = self.phase().event else { return None };
        let gaps = self.figure().goals.iter().map(|(_, target)| target.distance(overshoot));
        let gap = gaps.fold(f64::INFINITY, f64::min);
        (gap > NO_OVERSHOOT * self.figure().reach).then_some(gap)
    }

    /// What the step did and why.
    pub fn sentence(&self) -> String {
        let [action, reason] = [self.action(), self.reason()];
        format!("{action} {reason}").trim_end().to_owned()
    }

    /// What the step did.
    pub fn action(&self) -> Prose {
        Prose::new(match (self.phase().event, self.node()) {
            (None, _) => self.start(),
            _ if self.since().is_some() => self.remaining(),
            (Some(SolveEvent::Backward { .. }), None) => self.backward_pass(),
            (Some(SolveEvent::Forward), None) => self.forward_pass(),
            (Some(SolveEvent::Backward { .. }), Some(node)) => self.backward(node),
            (Some(SolveEvent::Forward), Some(node)) => self.forward(node),
            (Some(SolveEvent::Refine), _) => {
                let steps = self.recording().report.refine_steps.max(1);
                let noun = if steps == 1 { "step" } else { "steps" };
                format!("All joints move at once, in {steps} least-squares {noun} that respect all limits.")
            }
            (Some(step), _) => moves::texts(step, self.recording().method)[1].to_owned(),
        })
    }

    /// A distance for a text: `0.4 arm lengths`.
    pub(super) fn lengths(&self, distance: f64) -> String {
        let figure = self.figure();
        figure.share(distance / figure.reach)
    }

    /// A node's name for a text, as it is after the step. Primes would be hard to see after names in quotation marks.
    pub(super) fn named(&self, node: usize) -> String {
        match self.figure().is_chain {
            true => Prose::name(&self.label(node), false),
            false => Prose::name(&self.figure().names[node], true),
        }
    }

    /// A node's name for a text, as it was before the phase.
    fn named_before(&self, node: usize) -> String {
        match self.figure().is_chain {
            true => Prose::name(&self.label_before(node), false),
            false => self.named(node),
        }
    }

    /// Several names, as in `P1, P2 and P3`.
    pub(super) fn all_named(&self, nodes: &[usize]) -> String {
        let names: Vec<String> = nodes.iter().map(|&node| self.named(node)).collect();
        match &names[..] {
            [] => String::new(),
            [only] => only.clone(),
            [first @ .., last] => format!("{} and {last}", first.join(", ")),
        }
    }

    /// `In the limb of “left hand”, ` if there are several branches.
    fn in_branch(&self, node: usize) -> String {
        match self.figure().branch_effector(node).filter(|&effector| effector != node) {
            Some(effector) => format!("In the limb of {}, ", Prose::name(&self.figure().names[effector], true)),
            None => String::new(),
        }
    }

    fn start(&self) -> String {
        let figure = self.figure();
        let Some((effector, gap)) = figure.worst_goal(self.before()) else { return String::new() };
        let (name, gap, count) = (self.named(effector), figure.share(gap), figure.goals.len());
        if self.is_last() {
            return match count {
                1 => format!("The tip {name} is already on its target: there is nothing to do."),
                _ => "All effectors that have a target are already on it: there is nothing to do.".to_owned(),
            };
        }
        let distance = match count {
            1 => format!("The tip {name} is {gap} from its target."),
            _ => format!("{name} is the effector that is farthest from its target: {gap}."),
        };
        let unit = match figure.is_chain {
            true => "One arm length, the reach, is the length of all links together.",
            false => "The reach is the length of all links from the base to the farthest tip.",
        };
        let origin = match self.recording().start {
            LessonStart::Shown => "",
            LessonStart::BeforeJump => " The lesson starts from the pose before the target moved.",
            LessonStart::SceneStart => {
                " The lesson starts from the opening pose, since the pose on the screen was already solved."
            }
        };
        format!("{distance} {unit}{origin}")
    }

    /// What the iterations do that the step skips.
    fn remaining(&self) -> String {
        let (Some(since), now) = (self.since(), self.phase()) else { return String::new() };
        let count = now.iteration - since.iteration;
        let closer = 1.0 - (now.error / since.error.max(f64::MIN_POSITIVE)).powf(1.0 / f64::from(count));
        let farthest = self.figure().worst_goal(&self.points()).filter(|_| self.figure().goals.len() > 1);
        let tip = farthest.map_or_else(|| "the tip".to_owned(), |(node, _)| self.named(node));
        let speed = match (100.0 * closer).round() {
            // Not the distance is what keeps the solver from its goal.
            _ if self.recording().unmet().is_some() => String::new(),
            _ if now.error > since.error => format!("They do not bring {tip} closer."),
            ..1.0 => format!("They bring {tip} hardly any closer."),
            percent => format!("On average, each closes {percent} % of the gap between {tip} and its target."),
        };
        let text = match self.skips_visible_moves() {
            true => format!("It goes on like this for {count} more iterations. {speed}"),
            false => {
                format!(
                    "These are the last {count} iterations together: each moves the joints too little to see. {speed}"
                )
            }
        };
        text.trim_end().to_owned()
    }

    fn backward(&self, node: usize) -> String {
        let (figure, name) = (self.figure(), self.named_before(node));
        let branches: Vec<usize> = self.branch_positions().into_iter().map(|(branch, _)| branch).collect();
        if branches.len() > 1 {
            let branches = self.all_named(&branches);
            return format!(
                "{name} carries {branches}. Each of them asks for a different position, so {name} moves between them."
            );
        }
        if let Some(slide) = self.slide() {
            return self.slide_text(&slide);
        }
        if let Some(target) = figure.target_of(node) {
            let short = self.lengths(self.phase().points[node].distance(target));
            return match self.overshoot() {
                Some(gap) => format!("{name} is put {} past the target.", self.lengths(gap)),
                None if self.is_at(node, target) => format!("{name} is put straight onto its target."),
                None => format!("{name} moves toward its target and stops {short} away from it."),
            };
        }
        match figure.tied_to(node) {
            Some(other) => {
                format!("A loop ties {name} to {}: it moves to the midpoint between the two.", self.named(other))
            }
            None => format!("{name} is already in its place."),
        }
    }

    fn forward(&self, node: usize) -> String {
        if let Some(slide) = self.slide() {
            return self.slide_text(&slide);
        }
        if self.figure().floating.contains(&node) {
            return format!(
                "{} floats: nothing fixes it, so it stays where the backward pass has put it.",
                self.named(node)
            );
        }
        let distance = self.phase().points[node].distance(self.before()[node]);
        let name = self.named_before(node);
        if distance / self.figure().reach < NEGLIGIBLE {
            return format!("{name} is already in its fixed place.");
        }
        format!("{name} returns to its fixed place, {} away.", self.lengths(distance))
    }

    /// Whether the node is at this position after the phase.
    pub(super) fn is_at(&self, node: usize, place: DVec3) -> bool {
        self.phase().points[node].distance(place) <= ROUNDING * self.figure().reach
    }

    /// The motion of a joint along the arrow of the picture.
    fn slide_text(&self, slide: &NodeSlide) -> String {
        let (before, after) = (self.named_before(slide.node), self.named(slide.node));
        let (branch, anchor) = (self.in_branch(slide.node), self.named(slide.anchor));
        let way = if slide.from.distance(slide.anchor_place) < slide.length { "away from" } else { "toward" };
        let straight = format!("straight {way} {anchor} until the link between them is as long as before");
        if self.is_off_line(slide) {
            let off = self.lengths(slide.to.distance(slide.ideal));
            return format!("{branch}{before} should move {straight}. It ends up {off} from that place.");
        }
        let link = format!("{branch}{before} moves {straight}");
        match before == after {
            true => format!("{link}."),
            // The letter of the length in the picture.
            false => format!("{link} (d{}). Its new place is {after}.", slide.node.max(slide.anchor)),
        }
    }

    fn backward_pass(&self) -> String {
        let figure = self.figure();
        let ends = match (figure.goals.len(), self.overshoot()) {
            (1, Some(gap)) => {
                let (effector, past) = (self.named(figure.goals[0].0), self.lengths(gap));
                format!("{effector} was put {past} past the target (an addition to the paper)")
            }
            (1, None) => format!("{} was put on the target", self.named(figure.goals[0].0)),
            _ => "First, all effectors that have a target were moved to it".to_owned(),
        };
        let forks = if figure.goals.len() > 1 {
            " Where limbs meet, each asks for a different place, so some links have a wrong length until the next pass."
        } else {
            ""
        };
        format!(
            "{ends}. Then every joint, down to the base, moved along the line to its neighbour until {}.{forks}",
            self.links_are_long()
        )
    }

    fn forward_pass(&self) -> String {
        let figure = self.figure();
        let base = match figure.fixed_bases().next() {
            None => "The base floats: it stayed where the backward pass had put it",
            Some(_) => "The base returned to its place",
        };
        let tips = if figure.goals.len() > 1 { "the tips" } else { "the tip" };
        format!(
            "{base}. Then every joint, up to {tips}, moved along the line to its neighbour until {}.",
            self.links_are_long()
        )
    }

    /// Where the joints of a whole pass stop.
    fn links_are_long(&self) -> &'static str {
        match self.figure().is_chain {
            true => "the link between them was as long as before",
            false => {
                "the link between them was as long as before, or as near to that place as joints and obstacles allow"
            }
        }
    }
}

impl Gap {
    /// What the gap is: `The tip is 0.4 arm lengths from the target`.
    pub fn describe(self, step: &LessonStep<'_>) -> String {
        let (figure, size) = (step.figure(), step.figure().share(self.size));
        let negligible = NEGLIGIBLE.min(step.recording().tolerance);
        match self.place {
            GapPlace::Effector(_) if self.size < negligible && figure.goals.len() > 1 => {
                "All effectors are on their targets".to_owned()
            }
            GapPlace::Effector(_) if self.size < negligible => "The tip is on its target".to_owned(),
            GapPlace::Effector(node) if figure.goals.len() > 1 => {
                format!("“{}” is {size} from its target", figure.names[node])
            }
            GapPlace::Effector(_) => format!("The tip is {size} from the target"),
            GapPlace::Base(node) if figure.is_chain => {
                format!("The base {} is {size} from its place", step.label(node))
            }
            GapPlace::Base(node) => format!("The base “{}” is {size} from its place", figure.names[node]),
            GapPlace::Tie(..) => format!("The ends of the loop are {size} apart"),
            GapPlace::Link(_) if self.size < NEGLIGIBLE => "Every link is as long as it should be".to_owned(),
            GapPlace::Link(node) => {
                let parent = figure.parents[node].filter(|_| figure.is_chain);
                let link = match parent {
                    Some(parent) => format!("{}–{}", step.label(parent), step.label(node)),
                    None => format!("to “{}”", figure.names[node]),
                };
                let points = step.points();
                let length = figure.parents[node].map_or(0.0, |parent| points[node].distance(points[parent]));
                let wrong = if length > figure.lengths[node] { "long" } else { "short" };
                format!("The link {link} is {size} too {wrong}")
            }
        }
    }
}

/// A part of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProsePart<'a> {
    /// Ordinary text.
    Plain(&'a str),
    /// A name, in quotation marks unless it is one of P1, P2, ...
    Name(&'a str),
}

impl Prose {
    pub(super) fn new(text: String) -> Self {
        Prose(text.trim_end().to_owned())
    }

    /// A name with its marks, for the text of a prose.
    pub(super) fn name(name: &str, quoted: bool) -> String {
        let [open, close] = MARKS;
        if quoted { format!("{open}“{name}”{close}") } else { format!("{open}{name}{close}") }
    }

    /// The names and the text between them.
    pub fn parts(&self) -> impl Iterator<Item = ProsePart<'_>> {
        let parts = self.0.split(MARKS).enumerate();
        let runs = parts.map(|(at, part)| if at % 2 == 0 { ProsePart::Plain(part) } else { ProsePart::Name(part) });
        runs.filter(|run| *run != ProsePart::Plain(""))
    }

    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The text without the marks.
impl fmt::Display for Prose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parts().try_for_each(|part| match part {
            ProsePart::Plain(part) | ProsePart::Name(part) => f.write_str(part),
        })
    }
}
