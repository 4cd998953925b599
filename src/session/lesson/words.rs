//! What a step did and why: a plain sentence or two for each.

use super::reasons::UNSEEN;
use super::recording::{ActKind, Beginning};
use super::step::{GapPlace, Slide, Step};
use super::{Prose, moves};
use crate::session::numbers::digits;
use fabrik3d_ik::SolveEvent as Move;
use glam::DVec3;

impl Step<'_> {
    /// Name of the stage: `(b) The effector is put on the target`.
    pub fn title(&self) -> String {
        let letter = self.letter();
        let is_start_of_limb = self.slide().is_none() && self.wishes().is_empty();
        let name = match self.act().kind {
            ActKind::Start => "The start",
            ActKind::Move(Move::Backward { .. }) if self.is_pass() => return "(b) to (d) Backward reaching".to_owned(),
            ActKind::Move(Move::Forward) if self.is_pass() => return "(e) and (f) Forward reaching".to_owned(),
            ActKind::Move(Move::Backward { .. }) => match letter {
                _ if self.is_complete() => "Backward reaching is done",
                _ if self.wishes().len() > 1 => "A sub-base goes between its limbs",
                Some('b') if self.aims_beyond().is_some() => "The effector is put past the target",
                Some('b') if is_start_of_limb => match self.node().map(|node| (node, self.figure().target_of(node))) {
                    Some((node, Some(target))) if self.is_on(node, target) => "The effector is put on the target",
                    Some((_, Some(_))) => "The effector is drawn toward the target",
                    _ => "A tied point is drawn to its partner",
                },
                Some('c') => "The next joint slides after it",
                _ => "Joint by joint, down to the base",
            },
            ActKind::Move(Move::Forward) => match letter {
                Some('e') if self.node().is_some_and(|node| self.figure().floating.contains(&node)) => {
                    "The base floats and stays"
                }
                Some('e') => "The base goes back to its place",
                _ if self.is_complete() => "Forward reaching is done",
                _ => "Joint by joint, up to the effector",
            },
            ActKind::Move(step) => moves::name(step),
            ActKind::Polish => "The polish finishes it",
        };
        letter.map_or_else(|| name.to_owned(), |letter| format!("({letter}) {name}"))
    }

    /// How far beyond the target the act's backward pass aims; none when it aims at the target itself.
    pub fn aims_beyond(&self) -> Option<f64> {
        let ActKind::Move(Move::Backward { target: aim }) = self.act().kind else { return None };
        let gaps = self.figure().goals.iter().map(|(_, target)| target.distance(aim));
        let gap = gaps.fold(f64::INFINITY, f64::min);
        (gap > 1e-12 * self.figure().reach).then_some(gap)
    }

    /// What the step did and why, as one text.
    pub fn sentence(&self) -> String {
        let [deed, reason] = [self.deed(), self.reason()];
        format!("{deed} {reason}").trim_end().to_owned()
    }

    /// What the step did.
    pub fn deed(&self) -> Prose {
        Prose::new(match (self.act().kind, self.node()) {
            (ActKind::Start, _) => self.start(),
            (ActKind::Move(Move::Backward { .. }), None) => self.backward_pass(),
            (ActKind::Move(Move::Forward), None) => self.forward_pass(),
            (ActKind::Move(Move::Backward { .. }), Some(node)) => self.backward(node),
            (ActKind::Move(Move::Forward), Some(node)) => self.forward(node),
            (ActKind::Move(step), _) => moves::deed(step, self.recording().method).to_owned(),
            (ActKind::Polish, _) => {
                let steps = self.recording().report.polish_steps;
                format!("All joints move at once, in {} least-squares steps that keep all limits.", steps.max(1))
            }
        })
    }

    /// Why it did that, and what is to be done next.
    pub fn reason(&self) -> Prose {
        Prose::new(match (self.act().kind, self.node()) {
            (ActKind::Start, _) => self.outlook(),
            (ActKind::Move(Move::Backward { .. }), None) => self.after_backward(),
            (ActKind::Move(Move::Backward { .. }), Some(node)) => self.why_backward(node),
            (ActKind::Move(Move::Forward), Some(node)) if !self.is_complete() => self.why_forward(node),
            (ActKind::Move(Move::Forward), _) => format!("{}{}", self.why_beside(), self.verdict()),
            (ActKind::Move(step), _) => {
                format!("{} {}", moves::reason(step, self.recording().method), self.verdict())
            }
            (ActKind::Polish, _) => self.why_polish(),
        })
    }

    /// A node's name in a text, as it stands after the step. Primes are for P1, P2, ... only: behind names of a scene
    /// they would be lost among the quotation marks.
    pub(super) fn named(&self, node: usize) -> String {
        match self.figure().has_own_names() {
            true => Prose::name(&self.figure().names[node], true),
            false => Prose::name(&self.label(node), false),
        }
    }

    /// A node's name in a text, as it stood before the act.
    fn named_before(&self, node: usize) -> String {
        match self.figure().has_own_names() {
            true => self.named(node),
            false => Prose::name(&self.label_before(node), false),
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

    /// `In the limb of "left hand", `, where there are several.
    fn in_limb(&self, node: usize) -> String {
        match self.figure().limb(node).filter(|&limb| limb != node) {
            Some(limb) => format!("In the limb of {}, ", Prose::name(&self.figure().names[limb], true)),
            None => String::new(),
        }
    }

    fn start(&self) -> String {
        let (figure, points) = (self.figure(), self.before());
        let Some((effector, gap)) = figure.worst_goal(points) else { return String::new() };
        let name = self.named(effector);
        if self.is_last() {
            return match figure.goals.len() {
                1 => format!("The end effector {name} is on its target already: there is nothing to do."),
                count => format!("All {count} end effectors are on their targets already: there is nothing to do."),
            };
        }
        let distance = match figure.goals.len() {
            1 => format!("The end effector {name} is {} of the reach away from its target.", digits(gap)),
            count => format!(
                "{count} end effectors have targets. {name} is farthest from its own, by {} of the reach.",
                digits(gap)
            ),
        };
        let beginning = match self.recording().beginning {
            Beginning::Shown => "The lesson starts from the pose on the screen.",
            Beginning::BeforeJump => "The lesson starts from the pose before the target's last jump.",
            Beginning::SceneStart => {
                "The lesson starts from the scene's first pose, since the one on the screen leaves nothing to do."
            }
        };
        format!("{distance} {beginning}")
    }

    fn backward(&self, node: usize) -> String {
        let (figure, name) = (self.figure(), self.named_before(node));
        let limbs: Vec<usize> = self.wishes().into_iter().map(|(limb, _)| limb).collect();
        if limbs.len() > 1 {
            let limbs = self.all_named(&limbs);
            return format!(
                "{name} carries {limbs}, and each of them would have it elsewhere: it goes between those places."
            );
        }
        if let Some(slide) = self.slide() {
            return self.slides(&slide);
        }
        if let Some(target) = figure.target_of(node) {
            let short = digits(self.act().points[node].distance(target) / figure.reach);
            return match self.aims_beyond() {
                Some(gap) => format!("{name} is put {} of the reach past the target.", digits(gap / figure.reach)),
                None if self.is_on(node, target) => format!("{name} is put straight onto its target."),
                None => format!("{name} is drawn toward its target and stays {short} of the reach away from it."),
            };
        }
        match figure.tied_to(node) {
            Some(other) => {
                format!("A loop ties {name} to {}: it is drawn to the middle between the two.", self.named(other))
            }
            None => format!("{name} is where it should be already."),
        }
    }

    fn forward(&self, node: usize) -> String {
        if let Some(slide) = self.slide() {
            return self.slides(&slide);
        }
        let back = self.act().points[node].distance(self.before()[node]) / self.figure().reach;
        if self.figure().floating.contains(&node) {
            return format!(
                "{} floats: nothing fixes it, so it stays where the backward pass has put it.",
                self.named(node)
            );
        }
        if back < UNSEEN {
            return format!("{} is in the place where it is fixed already.", self.named_before(node));
        }
        let (name, back) = (self.named_before(node), digits(back));
        format!("{name} goes back to the place where it is fixed, {back} of the reach away.")
    }

    /// Whether the act has put a node onto a place.
    pub(super) fn is_on(&self, node: usize, place: DVec3) -> bool {
        self.act().points[node].distance(place) <= 1e-9 * self.figure().reach
    }

    /// A joint's way along its line.
    fn slides(&self, slide: &Slide) -> String {
        let (before, after) = (self.named_before(slide.node), self.named(slide.node));
        let (limb, anchor) = (self.in_limb(slide.node), self.named(slide.anchor));
        if self.is_beside(slide) {
            let beside = digits(slide.to.distance(slide.ideal) / self.figure().reach);
            return format!(
                "{limb}{before} would slide onto its line to {anchor}, but has to stay {beside} of the reach beside it."
            );
        }
        let becomes = if before == after { String::new() } else { format!(": {after}") };
        let length = digits(slide.length);
        format!("{limb}{before} slides along its line to {anchor} until their link is {length} long again{becomes}.")
    }

    fn backward_pass(&self) -> String {
        let figure = self.figure();
        let ends = match (figure.goals.len(), self.aims_beyond()) {
            (1, Some(gap)) => {
                let (effector, past) = (self.named(figure.goals[0].0), digits(gap / figure.reach));
                format!("{effector} was put {past} of the reach past the target (beyond the paper)")
            }
            (1, None) => format!("{} was put onto the target", self.named(figure.goals[0].0)),
            (count, _) => format!("All {count} end effectors were drawn onto their targets"),
        };
        format!(
            "{ends}; then every joint, down to the base, slid after the one before it until their link was right again."
        )
    }

    fn forward_pass(&self) -> String {
        "The base went back to its place; then every joint, up to the effector, slid after the one before it."
            .to_owned()
    }
}

impl GapPlace {
    /// Where that is: `at the effector`, `in the link P3-P4`.
    pub fn describe(self, step: &Step<'_>) -> String {
        let figure = step.figure();
        match self {
            GapPlace::Effector(node) if figure.goals.len() > 1 => format!("at “{}”", figure.names[node]),
            GapPlace::Effector(_) => "at the effector".to_owned(),
            GapPlace::Base(_) => "at the base".to_owned(),
            GapPlace::Tie(..) => "in the loop".to_owned(),
            GapPlace::Link(node) => match figure.parents[node] {
                Some(parent) if !figure.has_own_names() => {
                    format!("in the link {}–{}", step.label(parent), step.label(node))
                }
                _ => format!("in the link to “{}”", figure.names[node]),
            },
        }
    }
}
