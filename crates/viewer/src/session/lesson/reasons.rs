//! Why a step was made, and what it leaves to do.

use super::actions::Prose;
use super::figure::Freedom;
use super::moves;
use super::recording::LessonRecording;
use super::step::{LessonStep, NodeSlide};
use crate::session::numbers::{Effort, NEGLIGIBLE, digits};
use fabrik3d_ik::Stop;
use fabrik3d_ik::fabrik::observer::SolveEvent;
use fabrik3d_ik::settings::Method;
use fabrik3d_scene::meaning;

impl LessonStep<'_> {
    /// Why the step was made, and what it leaves to do.
    pub fn reason(&self) -> Prose {
        Prose::new(match (self.phase().event, self.node()) {
            (None, _) => self.preview(),
            _ if self.since().is_some() => self.verdict(),
            (Some(SolveEvent::Backward { .. }), None) => self.after_backward(),
            (Some(SolveEvent::Backward { .. }), Some(node)) => self.why_backward(node),
            (Some(SolveEvent::Forward), Some(node)) if !self.is_complete() => self.why_forward(node),
            (Some(SolveEvent::Forward), _) => format!("{}{}", self.why_off_line(), self.verdict()),
            (Some(SolveEvent::Refine), _) => self.why_refine(),
            (Some(step), _) => format!("{} {}", moves::texts(step, self.recording().method)[2], self.verdict()),
        })
    }

    /// What follows the start.
    fn preview(&self) -> String {
        let figure = self.figure();
        if self.is_last() {
            let balls = if figure.is_chain { "the ball" } else { "a ball or a ring" };
            // Figures that float come along with any target.
            let far = if figure.floating.is_empty() { ", or choose “Move target far out”" } else { "" };
            return format!("Drag {balls} while the lesson is open{far}.");
        }
        let is_fabrik = self.recording().phases.iter().all(|phase| phase.event != Some(SolveEvent::Iteration));
        let passes = match is_fabrik {
            true => {
                "Each iteration has two passes: backward from the tip to the base, then forward again. The paper, Aristidou \
                 and Lasenby (2011), names them the other way round; (a) to (f) are the parts of its figure. The pose before a pass \
                 is drawn faint."
            }
            false => "This method is not FABRIK and has no reaching passes. Each step shows one whole iteration.",
        };
        let [(effector, target)] = figure.goals[..] else { return passes.to_owned() };
        let distance = self.lengths(self.before()[figure.base_of(effector)].distance(target));
        match self.recording().report.stop {
            Stop::TooFar | Stop::TooClose => {
                format!("The target is {distance} from the base. The tip cannot get there.")
            }
            _ => passes.to_owned(),
        }
    }

    fn why_backward(&self, node: usize) -> String {
        let figure = self.figure();
        if self.is_complete() {
            let off_line = if self.branch_positions().is_empty() { self.why_off_line() } else { String::new() };
            return format!("{off_line}{}", self.after_backward());
        }
        if self.branch_positions().len() > 1 {
            return "The paper takes the centroid of these positions. Here the piece is rigid, so it also turns until \
                    everything that it carries fits best."
                .to_owned();
        }
        if self.slide().is_some() {
            return self.why_slide();
        }
        if self.overshoot().is_some() {
            let textbook = Method::Textbook.name();
            return format!(
                "The passes of the paper usually stop a little short, so this program aims slightly past the target. That goes \
                 beyond the paper: “{textbook}” shows the original."
            );
        }
        let reason = match figure.target_of(node) {
            Some(target) if self.is_at(node, target) && figure.oriented.contains(&figure.piece_of(node)) => {
                "Pretend that the tip has arrived, turned as its target asks. The other joints must now follow it, one after the \
                 other."
            }
            Some(target) if self.is_at(node, target) => {
                "Pretend that the tip has arrived. The other joints must now follow it, one after the other."
            }
            Some(_) if self.is_pushed(figure.piece_of(node)) => "An obstacle pushes it away from there.",
            Some(_) => "It belongs to a rigid piece that another goal pulls on as well.",
            None => "In this way the loop closes again, from both sides.",
        };
        reason.to_owned()
    }

    fn why_forward(&self, node: usize) -> String {
        match self.slide() {
            Some(_) => self.why_slide(),
            None if self.figure().floating.contains(&node) => "Its limbs follow it.".to_owned(),
            None => "The base must not move.".to_owned(),
        }
    }

    /// Why a joint moves along its line, or what keeps it off.
    fn why_slide(&self) -> String {
        Some(self.why_off_line())
            .filter(|off_line| !off_line.is_empty())
            .unwrap_or_else(|| "That is the nearest place at this distance from its neighbour.".to_owned())
    }

    /// What keeps a joint off its line; empty if nothing does.
    fn why_off_line(&self) -> String {
        let Some(slide) = self.slide().filter(|slide| self.is_off_line(slide)) else { return String::new() };
        let name = self.named(slide.node);
        if self.is_only_pushed(&slide) {
            return format!("An obstacle pushes {name} from that point. ");
        }
        let also = if self.is_pushed(slide.node) {
            format!("An obstacle pushes {name} away as well. ")
        } else {
            String::new()
        };
        format!("{} {also}", self.what_holds(&slide))
    }

    /// What keeps a joint off its line, apart from obstacles.
    fn what_holds(&self, slide: &NodeSlide) -> String {
        let figure = self.figure();
        let name = Prose::name(&figure.names[slide.anchor], true);
        let has_limits = match figure.freedoms[slide.anchor] {
            Freedom::Several => true,
            Freedom::Limited if self.is_backward() => true,
            _ => self.is_limited(slide.anchor),
        };
        match figure.freedoms[slide.anchor] {
            _ if !self.is_backward() && figure.stiff.contains(&slide.anchor) => {
                format!("The joint {name} is stiff and goes only a part of the way.")
            }
            _ if has_limits => format!("The joint {name} can turn only within its limits."),
            Freedom::Hinge => format!("The joint {name} is a hinge and turns about one axis only."),
            _ => format!(
                "{} belongs to a rigid piece, which moves as a whole so that all that it carries fits best.",
                self.named(slide.node)
            ),
        }
    }

    /// What a complete backward pass leaves to do.
    fn after_backward(&self) -> String {
        let figure = self.figure();
        let start = &self.recording().phases[0].points;
        let off = figure.fixed_bases().map(|base| self.phase().points[base].distance(start[base])).reduce(f64::max);
        let Some(off) = off else {
            return match self.is_last() {
                true => format!("The base is free and has followed. {}", self.verdict()),
                false => "The base floats and has followed.".to_owned(),
            };
        };
        match off > NEGLIGIBLE * figure.reach {
            false => "The base is in its place.".to_owned(),
            true => {
                format!("The base is {} from its place. The forward pass puts it back.", self.lengths(off))
            }
        }
    }

    /// How the error has changed.
    fn verdict(&self) -> String {
        let before = self.recording().error_before(self.phase_number());
        let (before, now) = (self.since().map_or(before, |phase| phase.error), self.phase().error);
        let has_several = self.figure().goals.len() > 1;
        if self.is_last() {
            return ending(self.recording(), has_several);
        }
        let change = if now < before { "fell" } else { "rose" };
        let unit = self.figure().unit();
        let [before, now] = [before, now].map(digits);
        let distance = if has_several { "largest distance from a target" } else { "tip's distance from its target" };
        if before == now {
            return format!("The {distance} stays {now} {unit}.");
        }
        format!("The {distance} {change} from {before} to {now} {unit}.")
    }

    fn why_refine(&self) -> String {
        let tries = match self.recording().report.attempts {
            0 | 1 => String::new(),
            attempts => {
                format!(" Limits blocked the way from the first pose, so the solver tried {attempts} starting poses.")
            }
        };
        format!(
            "This goes beyond the paper: with limits, obstacles or several targets the passes slow down, \
             and these steps do not.{tries} {}",
            self.verdict()
        )
    }
}

/// What helps where the iterations have run out, perhaps although the effectors `are_there`.
fn way_on(method: Method, are_there: bool) -> String {
    if method == Method::Accelerated {
        return "More iterations may help.".to_owned();
    }
    let what = if are_there { "meets this as well" } else { "needs fewer iterations" };
    format!("The method “{}” usually {what}.", Method::Accelerated.name())
}

/// Why the solve ended.
fn ending(recording: &LessonRecording, has_several: bool) -> String {
    let left = recording.figure.share(recording.phases.last().map_or(0.0, |phase| phase.error));
    let count = Effort::from(recording.report).in_words().replace(", ", " and ");
    let [there, away] = match has_several {
        true => ["all effectors are on their targets", "from the farthest target"],
        false => ["the tip is on its target", "from the target"],
    };
    let why = match recording.report.stop {
        Stop::Reached => {
            return format!("After {count} {there}, within the tolerance of {}.", digits(recording.tolerance));
        }
        stop => meaning(stop).why,
    };
    let rest = recording.unmet().map(|unmet| format!("{there}, but {}", unmet.clause));
    let rest = rest.unwrap_or_else(|| format!("it ends {left} {away}"));
    let is_cut_short = recording.report.stop == Stop::IterationLimit;
    let way_on = if is_cut_short { way_on(recording.method, recording.unmet().is_some()) } else { String::new() };
    format!("After {count} {why}: {rest}. {}{way_on}", lost_ground(recording)).trim_end().to_owned()
}

/// That the solve was nearer before, and what can carry it away again.
fn lost_ground(recording: &LessonRecording) -> String {
    let Some((iteration, error)) = recording.nearer() else { return String::new() };
    let when = if iteration == 0 { "At the start".to_owned() } else { format!("After iteration {iteration}") };
    let can_turn_freely = |freedom: &Freedom| matches!(freedom, Freedom::Ball | Freedom::Rigid);
    let why = match recording.figure.freedoms.iter().all(can_turn_freely) {
        true => "",
        false => ": passes correct each joint for itself (limits, hinges), which can carry the tip away again",
    };
    format!("{when} it was {}{why}. ", digits(error))
}
