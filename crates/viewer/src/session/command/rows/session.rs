//! Rows of the commands to the clock, the solver, lessons and races.

use crate::session::command::command::{
    Command::{self, Session},
    LessonCommand as L, Pace, PassesCommand as P, RaceCommand as R, SessionCommand as S, StepUnit,
};
use crate::session::command::row::*;
use fabrik3d_ik::settings::Method;

pub(in crate::session::command) const SESSION: &[Row] = &[
    plain("pause", "pause the clock", Session(S::Pause(true))),
    plain("resume", "let the clock run", Session(S::Pause(false))),
    plain(
        "pause.toggle",
        "pause the clock or let it run; a recording or a lesson: play or pause it",
        Session(S::TogglePause),
    ),
    row("speed FACTOR", "multiply the speed of the clock", "a positive factor", |a| {
        factor(a).map(|factor| Session(S::Speed(factor)))
    }),
    row("method NAME", "choose the solver's method; in a lesson: the method it shows", "{methods}", |a| {
        Method::from_key(one(a)?).map(|method| Session(S::Method(method)))
    }),
    plain("method.next", "choose the next method; in a lesson, the other kind of FABRIK", Session(S::NextMethod)),
    row(
        "set KEY VALUE",
        "change a number of the solver or the smoothing, such as solver.tolerance",
        "a key and a value: KEY VALUE",
        |a| pair(a).map(|(key, value)| Session(S::Set(key, value))),
    ),
    row(
        "keep-clear [on|off]",
        "keep links clear of each other and of obstacles, or stop doing so; without an argument, toggle",
        "on, off or no argument",
        |a| optional(a, switch).map(|on| Session(S::KeepClear(on))),
    ),
    plain("base.toggle", "fix the base, or let it float", Session(S::ToggleBase)),
    plain("reset", "restore the start pose and its targets", Session(S::Reset)),
    plain("undo", "undo the last change", Session(S::Undo)),
    plain("redo", "repeat the change that was undone last", Session(S::Redo)),
];

const fn lesson(command: L) -> Command {
    Session(S::Lesson(command))
}

pub(in crate::session::command) const LESSONS: &[Row] = &[
    plain("step.next", "open a lesson, or move forward by one step in an open one", lesson(L::Next)),
    plain("step.back", "one step back", lesson(L::Back)),
    plain("step.backward", "to the end of the next backward pass", lesson(L::Backward)),
    plain("step.forward", "to the end of the next forward pass", lesson(L::Forward)),
    row("step.to N", "to a step of the lesson", "the number of a step, from 0", |a| {
        one(a)?.parse().ok().map(|number| lesson(L::To(number)))
    }),
    row("step.unit [joint|pass]", "how far a step goes", "joint, pass or no argument", |a| {
        optional(a, |a| named(&StepUnit::NAMES, a)).map(|unit| lesson(L::Unit(unit)))
    }),
    plain("step.far", "a target that takes several iterations, near full reach", lesson(L::Far)),
    plain("step.play", "play the lesson, or pause it", lesson(L::Play)),
    plain("lesson.close", "close the lesson", lesson(L::Close)),
];

pub(in crate::session::command) const PASSES: &[Row] = &[
    row(
        "passes.pace [full|1/4|1/10|pass]",
        "how fast the solver takes the passes that `show passes on` shows: all in a frame, a quarter or a tenth of one in a frame, one a second; without an argument: the next slower pace",
        "full, 1/4, 1/10 or pass, or no argument",
        |a| optional(a, |a| named(&Pace::NAMES, a)).map(|pace| Session(S::Passes(P::Pace(pace)))),
    ),
    row("passes.iterations N", "show the passes of the first 1 to 4 iterations", "a number from 1 to 4", |a| {
        let count = one(a)?.parse().ok().filter(|count| (1..=4).contains(count))?;
        Some(Session(S::Passes(P::Iterations(count))))
    }),
];

const fn race(command: R) -> Command {
    Session(S::Race(command))
}

pub(in crate::session::command) const RACES: &[Row] = &[row(
    "race METHOD METHOD..|off",
    "compare two to four methods on the same target",
    "two to four methods ({methods}), or off",
    |a| match a {
        ["off"] => Some(race(R::Off)),
        _ if (2..=4).contains(&a.len()) => {
            let method = |name: &&str| Method::from_key(name);
            a.iter().map(method).collect::<Option<Vec<Method>>>().map(|methods| race(R::Start(methods)))
        }
        _ => None,
    },
)];
