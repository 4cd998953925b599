//! Rows of the commands to recorded motion.

use crate::session::command::command::{
    Command::{self, App, Session},
    MotionCommand as M, MotionMode, SessionCommand as S,
};
use crate::session::command::row::*;
use crate::session::command::view::{AppCommand, FileCommand};
use std::path::PathBuf;

const fn motion(command: M) -> Command {
    Session(S::Motion(command))
}

/// A time of at least 0, seconds.
fn time(arguments: &[&str]) -> Option<f64> {
    number(one(arguments)?).filter(|time| *time >= 0.0)
}

pub(in crate::session::command) const MOTION: &[Row] = &[
    row(
        "motion.open [FILE [RECORDED JOINT ..]]",
        "open a recording and match joints, as motion.match does; without a name: ask for one",
        "a file name, in quotation marks if it contains blanks, and pairs of joints; or no argument",
        |a| match a {
            [] => Some(App(AppCommand::File(FileCommand::AskForMotion))),
            [file, pairs @ ..] => {
                let (pairs, rest) = pairs.as_chunks::<2>();
                let pairs = pairs.iter().map(|pair| pair.map(str::to_owned).into()).collect();
                rest.is_empty().then(|| motion(M::Open(PathBuf::from(file), pairs, None)))
            }
        },
    ),
    plain("motion.close", "close the recording", motion(M::Close)),
    plain("motion.play", "play the recording", motion(M::Play(true))),
    plain("motion.pause", "pause the recording", motion(M::Play(false))),
    plain("motion.toggle", "play or pause the recording", motion(M::TogglePlay)),
    row("motion.seek TIME", "jump to a time, seconds", "a time in seconds", |a| {
        time(a).map(|time| motion(M::Seek(time)))
    }),
    row("motion.scrub TIME", "move continuously to a time, seconds", "a time in seconds", |a| {
        time(a).map(|time| motion(M::Scrub(time)))
    }),
    row("motion.step N", "move by N recorded frames", "a number of frames, negative to go back", |a| {
        one(a)?.parse().ok().map(|frames| motion(M::Step(frames)))
    }),
    row("motion.speed FACTOR", "speed relative to the recording", "a positive factor", |a| {
        factor(a).map(|factor| motion(M::Speed(factor)))
    }),
    row("motion.loop on|off", "start again at the end", "on or off", |a| switch(a).map(|on| motion(M::Loop(on)))),
    row(
        "motion.mode [show|follow]",
        "show the recorded pose, or let targets follow it",
        "show, follow or no argument",
        |a| optional(a, |a| named(&MotionMode::NAMES, a)).map(|mode| motion(M::Mode(mode))),
    ),
    row("motion.clip NAME|N|next|previous", "choose a clip", "a clip's name or number, next or previous", |a| {
        text(a).map(|clip| motion(M::Clip(clip)))
    }),
    row(
        "motion.drive JOINT|none EFFECTOR",
        "which recorded joint an effector follows",
        "a recorded joint (or none) and an effector: JOINT EFFECTOR",
        |a| pair(a).map(|(joint, effector)| motion(M::Drive(joint, effector))),
    ),
    row(
        "motion.match RECORDED|none JOINT",
        "which recorded joint a joint of the figure follows",
        "a recorded joint (or none) and a joint of the figure: RECORDED JOINT",
        |a| pair(a).map(|(recorded, joint)| motion(M::Match(recorded, joint))),
    ),
    row("motion.turns on|off", "targets take the recorded orientations too", "on or off", |a| {
        switch(a).map(|on| motion(M::Turns(on)))
    }),
    plain(
        "motion.effectors",
        "add effectors to matched hips, head, hands and feet that have none",
        motion(M::Effectors),
    ),
];
