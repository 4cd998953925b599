//! What a step did and why, in plain words with its numbers.

use super::recording::{ActKind, Recording};
use super::step::Step;
use crate::ik::{Move, Stop};

/// A number as a person would say it: three digits.
fn say(number: f64) -> String {
    let size = number.abs();
    if size == 0.0 || size < 1e-9 {
        "0".to_owned()
    } else if !(1e-3..1e5).contains(&size) {
        format!("{number:.1e}")
    } else {
        let digits = (2 - size.log10().floor() as i32).clamp(0, 5) as usize;
        format!("{number:.digits$}")
    }
}

/// A share as a percentage.
fn percent(share: f64) -> String {
    format!("{} %", say(100.0 * share))
}

impl Step<'_> {
    /// Name of the stage: `(b) The effector is put on the target`.
    pub fn title(&self) -> String {
        let aims_beyond = self.aims_beyond().is_some();
        let name = match (self.act().kind, self.letter()) {
            (ActKind::Start, _) => "The start",
            (ActKind::Move(Move::Backward { .. }), Some('b')) if aims_beyond => "The effector aims past the target",
            (ActKind::Move(Move::Backward { .. }), Some('b')) => "The effector is put on the target",
            (ActKind::Move(Move::Backward { .. }), Some('c')) => "The next joint slides after it",
            (ActKind::Move(Move::Backward { .. }), _) if self.is_complete() => "Backward reaching is done",
            (ActKind::Move(Move::Backward { .. }), _) => "Joint by joint, down to the base",
            (ActKind::Move(Move::Forward), Some('e')) => "The base goes back to its place",
            (ActKind::Move(Move::Forward), _) if self.is_complete() => "Forward reaching is done",
            (ActKind::Move(Move::Forward), _) => "Joint by joint, up to the effector",
            (ActKind::Move(step), _) => move_name(step),
            (ActKind::Polish, _) => "The polish finishes it",
        };
        self.letter().map_or_else(|| name.to_owned(), |letter| format!("({letter}) {name}"))
    }

    /// How far beyond the target the act's backward pass aims; none when it aims at the target itself.
    pub fn aims_beyond(&self) -> Option<f64> {
        let ActKind::Move(Move::Backward { aim }) = self.act().kind else { return None };
        let gaps = self.figure().goals.iter().map(|(_, target)| target.distance(aim));
        let gap = gaps.fold(f64::INFINITY, f64::min);
        (gap > 1e-12 * self.figure().reach).then_some(gap)
    }

    /// What the step did and why.
    pub fn sentence(&self) -> String {
        match (self.act().kind, self.node()) {
            (ActKind::Start, _) => self.start(),
            (ActKind::Move(Move::Backward { .. }), Some(node)) => self.backward(node),
            (ActKind::Move(Move::Forward), Some(node)) => self.forward(node),
            (ActKind::Move(step), _) => format!("{} {}", move_reason(step), self.verdict()),
            (ActKind::Polish, _) => self.polish(),
        }
    }

    fn start(&self) -> String {
        let figure = self.figure();
        let Some(&(effector, target)) = figure.goals.first() else { return String::new() };
        let points = self.before();
        let gap = points[effector].distance(target);
        let base = points[self.root(effector)].distance(target);
        let name = self.label(effector);
        let room = match self.recording().report.stop {
            Stop::TooFar => "farther than the links reach",
            Stop::TooClose => "nearer than the links can fold",
            _ => "within their reach",
        };
        if self.is_last() {
            return format!("The end effector {name} is on its target already: there is nothing to do.");
        }
        format!(
            "The end effector {name} is {} away from its target ({} of the reach). The links are {} long together and \
             the target is {} from the base: {room}.",
            say(gap),
            percent(gap / figure.reach),
            say(figure.reach),
            say(base),
        )
    }

    fn polish(&self) -> String {
        let report = self.recording().report;
        let tries = match report.attempts {
            0 | 1 => String::new(),
            attempts => format!(" and {attempts} starting poses, since limits block the way from the first"),
        };
        format!(
            "Where the passes gain little, least-squares steps on all joints at once take over, inside all limits: {} \
             of them{tries}. {}",
            report.polish_steps,
            self.verdict()
        )
    }

    fn backward(&self, node: usize) -> String {
        let wishes = self.wishes().len();
        if wishes > 1 {
            return format!(
                "{} is a sub-base: its {wishes} limbs want it in {wishes} places. It goes between them, near their \
                 centroid, turned as a rigid body to suit them all.",
                self.label_before(node)
            );
        }
        let Some(slide) = self.slide() else {
            let name = self.label_before(node);
            let stretch = self.stretched(node, self.figure().parents[node]);
            return match self.aims_beyond() {
                None => format!("{name} jumps straight onto the target; never mind the links for now. {stretch}"),
                Some(gap) => format!(
                    "{name} jumps {} past the target: the two passes would fall short by about as much, as the bends \
                     of the chain tell beforehand. {stretch}",
                    say(gap)
                ),
            };
        };
        let slides = self.slides(&slide);
        if self.is_complete() {
            let base = self.root(node);
            let off = say(self.act().points[base].distance(self.before()[base]));
            return format!("{slides} Every link has its length again, but the base is {off} off its place.");
        }
        format!("{slides} {}", self.stretched(node, self.figure().parents[node]))
    }

    fn forward(&self, node: usize) -> String {
        let Some(slide) = self.slide() else {
            let back = self.act().points[node].distance(self.before()[node]);
            let next = self.figure().children(node).next();
            return format!(
                "The base may not move, so {} goes back by {} to where it is fixed, as {}. {}",
                self.label_before(node),
                say(back),
                self.label(node),
                next.map_or_else(String::new, |next| self.stretched(next, Some(node)))
            );
        };
        let slides = self.slides(&slide);
        if self.is_complete() {
            return format!("{slides} {}", self.verdict());
        }
        let next = self.figure().children(node).next();
        format!("{slides} {}", next.map_or_else(String::new, |next| self.stretched(next, Some(node))))
    }

    fn slides(&self, slide: &super::Slide) -> String {
        let beside = slide.to.distance(slide.ideal);
        if beside > 1e-6 * self.figure().reach {
            let holder = self.label(slide.anchor);
            let bound = if self.act().limited.contains(&slide.anchor) {
                format!("{holder} is at its limit")
            } else if self.is_backward() {
                format!("it is one rigid body with {holder}")
            } else {
                format!("{holder} cannot turn that way")
            };
            return format!(
                "{} would slide along the line from {holder}, but {bound}: {} is put as near as it can be, {} beside.",
                self.label_before(slide.node),
                self.label(slide.node),
                say(beside),
            );
        }
        format!(
            "{} slides along the line from {} through its old place until their link is {} long again: {}.",
            self.label_before(slide.node),
            self.label(slide.anchor),
            say(slide.length),
            self.label(slide.node),
        )
    }

    /// What a moved end did to the link between `child` and `parent`.
    fn stretched(&self, child: usize, parent: Option<usize>) -> String {
        let Some(parent) = parent else { return String::new() };
        let points = self.points();
        let (now, length) = (points[child].distance(points[parent]), self.figure().lengths[child]);
        let other = if self.has_moved(child) { parent } else { child };
        format!(
            "The link to {} now measures {} instead of {}: {} is next.",
            self.label(other),
            say(now),
            say(length),
            self.label(other)
        )
    }

    /// How the error fares after the act.
    fn verdict(&self) -> String {
        let (was, now) = (self.recording().error_before_iteration(self.act_number()), self.act().error);
        let gap = say(now * self.figure().reach);
        if self.is_last() {
            return format!("The effector is {gap} from the target. {}", ending(self.recording()));
        }
        let course = if now < was { "fell" } else { "rose" };
        format!("The effector is {gap} from the target: the error {course} from {} to {}.", percent(was), percent(now))
    }

    fn root(&self, mut node: usize) -> usize {
        while let Some(parent) = self.figure().parents[node] {
            node = parent;
        }
        node
    }
}

/// Why a solve ended where it did.
fn ending(recording: &Recording) -> String {
    let iterations = recording.report.iterations;
    let count = if iterations == 1 { "1 iteration".to_owned() } else { format!("{iterations} iterations") };
    match recording.report.stop {
        Stop::Reached => {
            format!("That is within the tolerance of {}: reached, after {count}.", percent(recording.tolerance))
        }
        Stop::TooFar => "The target is out of reach; no pose comes nearer.".to_owned(),
        Stop::TooClose => "The target is too close to the base; no pose comes nearer.".to_owned(),
        Stop::Limited => "Joint limits allow no more.".to_owned(),
        Stop::Stalled => format!("It gets no nearer: stalled after {count}."),
        Stop::IterationLimit => format!("The {count} that are allowed are used up."),
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

/// Why such a move is made.
fn move_reason(step: Move) -> &'static str {
    match step {
        Move::Backward { .. } => "All joints were drawn after the effector.",
        Move::Forward => "All joints were drawn after the base.",
        Move::Iteration => "One iteration of the method turned all joints.",
        Move::Bend => {
            "Chain and target lie on one line, which the reaching passes would never leave, so the chain is bent first."
        }
        Move::Stretch => "The target is out of reach: stretched toward it the chain comes as near as it can.",
        Move::Fold => {
            "The longest link is too long to come so close: folded like this the chain comes as near as it can."
        }
        Move::Triangle => "Two links and the way to the target make a triangle with known sides: nothing to iterate.",
        Move::LeastTurn => "So near, the joints' turns add up: the smallest set of turns that closes the gap is taken.",
        Move::ScaledChord => "The chain is made wider or narrower until its ends are as far apart as they should be.",
        Move::OneHinge => "One joint bends until the two stiff sides beside it make a triangle with the target.",
        Move::Curl => "The passes made no way from that pose, so the chain is laid along an arc to start afresh.",
        Move::ThreeSegments => "Three straight pieces with the right lengths always end on a target within reach.",
    }
}
