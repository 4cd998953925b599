//! What a step did and why: a plain sentence or two for each.

use super::recording::{ActKind, Beginning, Recording};
use super::step::{GapPlace, Slide, Step};
use super::{Freedom, Prose};
use crate::ik::{Move, Stop};
use crate::session::numbers::{digits, percent};
use glam::DVec3;

/// Shares of the reach below this are not worth a number.
const UNSEEN: f64 = 1e-6;

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
            ActKind::Move(step) => move_name(step),
            ActKind::Polish => "The polish finishes it",
        };
        letter.map_or_else(|| name.to_owned(), |letter| format!("({letter}) {name}"))
    }

    /// How far beyond the target the act's backward pass aims; none when it aims at the target itself.
    pub fn aims_beyond(&self) -> Option<f64> {
        let ActKind::Move(Move::Backward { aim }) = self.act().kind else { return None };
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
            (ActKind::Move(step), _) => move_deed(step).to_owned(),
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
            (ActKind::Move(step), _) => format!("{} {}", move_reason(step), self.verdict()),
            (ActKind::Polish, _) => self.why_polish(),
        })
    }

    /// A node's name in a text, as it stands after the step. Primes are for P1, P2, ... only: behind names of a scene
    /// they would be lost among the quotation marks.
    fn named(&self, node: usize) -> String {
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
    fn all_named(&self, nodes: &[usize]) -> String {
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
            1 => format!("The end effector {name} is {} of the reach away from its target.", percent(gap)),
            count => format!(
                "{count} end effectors have targets. {name} is farthest from its own, by {} of the reach.",
                percent(gap)
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

    /// What lies ahead of the start.
    fn outlook(&self) -> String {
        let figure = self.figure();
        if self.is_last() {
            return "Move the target, or press a number for another one.".to_owned();
        }
        let passes = "Each iteration is two passes: backward from the effector to the base, and forward again.";
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
            let short = percent(self.act().points[node].distance(target) / figure.reach);
            return match self.aims_beyond() {
                Some(gap) => format!("{name} is put {} of the reach past the target.", percent(gap / figure.reach)),
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

    fn why_backward(&self, node: usize) -> String {
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
                "This goes beyond the paper: the two passes to come will end short of where they aim, the solver can \
                 tell by how much, and so it aims farther. For the paper's own way choose “textbook” or press \
                 C.{stretch}"
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
        let (name, back) = (self.named_before(node), percent(back));
        format!("{name} goes back to the place where it is fixed, {back} of the reach away.")
    }

    fn why_forward(&self, node: usize) -> String {
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

    /// Whether the act has put a node onto a place.
    fn is_on(&self, node: usize, place: DVec3) -> bool {
        self.act().points[node].distance(place) <= 1e-9 * self.figure().reach
    }

    /// A joint's way along its line.
    fn slides(&self, slide: &Slide) -> String {
        let (before, after) = (self.named_before(slide.node), self.named(slide.node));
        let (limb, anchor) = (self.in_limb(slide.node), self.named(slide.anchor));
        if self.is_beside(slide) {
            let beside = percent(slide.to.distance(slide.ideal) / self.figure().reach);
            return format!(
                "{limb}{before} would slide onto its line to {anchor}, but has to stay {beside} of the reach beside it."
            );
        }
        let becomes = if before == after { String::new() } else { format!(": {after}") };
        let length = digits(slide.length);
        format!("{limb}{before} slides along its line to {anchor} until their link is {length} long again{becomes}.")
    }

    /// What keeps a joint from its line; empty where nothing does.
    fn why_beside(&self) -> String {
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

    fn backward_pass(&self) -> String {
        let figure = self.figure();
        let ends = match (figure.goals.len(), self.aims_beyond()) {
            (1, Some(gap)) => {
                let (effector, past) = (self.named(figure.goals[0].0), percent(gap / figure.reach));
                format!("{effector} was put {past} of the reach past the target (beyond the paper)")
            }
            (1, None) => format!("{} was put onto the target", self.named(figure.goals[0].0)),
            (count, _) => format!("All {count} end effectors were drawn onto their targets"),
        };
        format!(
            "{ends}; then every joint, down to the base, slid after the one before it until their link was right again."
        )
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
    fn after_backward(&self) -> String {
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
                        percent(off)
                    ),
                    (true, _) => format!(
                        "The base is {} of the reach off its place, and links at sub-bases are off by up to {}: the \
                         forward pass mends both.",
                        percent(off),
                        percent(stretch)
                    ),
                }
            }
        }
    }

    fn forward_pass(&self) -> String {
        "The base went back to its place; then every joint, up to the effector, slid after the one before it."
            .to_owned()
    }

    /// How the error fares after the act.
    fn verdict(&self) -> String {
        let (was, now) = (self.recording().error_before_iteration(self.act_number()), self.act().error);
        let effector = if self.figure().goals.len() > 1 { "worst effector" } else { "effector" };
        if self.is_last() {
            return ending(self.recording(), effector);
        }
        let course = if now < was { "fell" } else { "rose" };
        format!(
            "The {effector}'s distance from its target {course} from {} to {} of the reach.",
            percent(was),
            percent(now)
        )
    }

    fn why_polish(&self) -> String {
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

/// Why a solve ended where it did.
fn ending(recording: &Recording, effector: &str) -> String {
    let left = percent(recording.acts.last().map_or(0.0, |act| act.error));
    let count = match recording.report.iterations {
        1 => "1 iteration".to_owned(),
        iterations => format!("{iterations} iterations"),
    };
    let tolerance = percent(recording.tolerance);
    match recording.report.stop {
        Stop::Reached if left == "0 %" => format!("The {effector} is on its target: reached, after {count}."),
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

/// Title of a move that has no letter in the figure.
fn move_name(step: Move) -> &'static str {
    match step {
        Move::Backward { .. } => "Backward reaching",
        Move::Forward => "Forward reaching",
        Move::Iteration => "One iteration",
        Move::Bend => "The straight chain is bent",
        Move::Stretch => "Stretched toward the target",
        Move::Fold => "Folded toward the target",
        Move::Triangle => "Two links make a triangle",
        Move::LeastTurn => "Closing: the least turn of all joints",
        Move::ScaledChord => "Closing: the chord is scaled",
        Move::OneHinge => "Closing: one joint bends",
        Move::Curl => "Starting over from an arc",
        Move::ThreeSegments => "Three straight segments",
    }
}

/// What such a move does.
fn move_deed(step: Move) -> &'static str {
    match step {
        Move::Backward { .. } => "All joints were drawn after the effector.",
        Move::Forward => "All joints were drawn after the base.",
        Move::Iteration => "The method turned all joints once.",
        Move::Bend => "The straight chain is bent along an arc.",
        Move::Stretch => "All links are laid in one line toward the target.",
        Move::Fold => "All links are folded back along the longest one.",
        Move::Triangle => "Two links and the way to the target are laid out as a triangle.",
        Move::LeastTurn => "All joints turn at once, by as little as closes the gap.",
        Move::ScaledChord => {
            "The whole chain is made wider or narrower until its ends are as far apart as they should be."
        }
        Move::OneHinge => "One joint bends, and the chain on each side of it stays as it is.",
        Move::Curl => "The chain is laid along an arc to start afresh.",
        Move::ThreeSegments => "The chain is laid out as three straight pieces that end on the target.",
    }
}

/// Why it makes it.
fn move_reason(step: Move) -> &'static str {
    match step {
        Move::Backward { .. } | Move::Forward => "",
        Move::Iteration => "This is not FABRIK: it turns joints instead of moving them along lines.",
        Move::Bend => "Chain and target lie on one line, which the two passes alone would never leave.",
        Move::Stretch => "The target is out of reach.",
        Move::Fold => "The target is too close to the base for the longest link.",
        Move::Triangle => "Its three sides are known: nothing is left to iterate.",
        Move::LeastTurn => "So near to the target the effects of the joints simply add up.",
        Move::ScaledChord => "That keeps its shape and needs one number only.",
        Move::OneHinge => "The two stiff sides and the way to the target make a triangle with known sides.",
        Move::Curl => "The passes made no way from the pose before.",
        Move::ThreeSegments => "Such pieces can always end on a target within reach.",
    }
}
