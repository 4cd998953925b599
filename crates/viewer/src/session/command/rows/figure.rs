//! Rows of the commands to targets, effectors and joints.

use crate::session::command::command::{
    Command::{self, Session},
    EffectorCommand as E, JointCommand as J, PathShape, PoseCommand as P, RotationCommand as R, SessionCommand as S,
};
use crate::session::command::row::*;
use fabrik3d_ik::goals::GoalRank;
use fabrik3d_scene::{EffectorMode, RANKS};
use glam::DVec3;

const fn rotation(command: R) -> Command {
    Session(S::Rotation(command))
}

pub(in crate::session::command) const TARGETS: &[Row] = &[
    row("target.move DX DY DZ", "move the selected target continuously, world axes", "three numbers: DX DY DZ", |a| {
        vector(a).map(|shift| Session(S::TargetMove(shift)))
    }),
    row(
        "target.set [NAME] X Y Z",
        "jump to a position",
        "an optional effector name and three numbers: [NAME] X Y Z",
        |a| match a {
            [name, _, _, _] => vector(&a[1..]).map(|place| Session(S::TargetSet(Some((*name).to_owned()), place))),
            _ => vector(a).map(|place| Session(S::TargetSet(None, place))),
        },
    ),
    row(
        "target.glide NAME X Y Z [QX QY QZ QW]",
        "set a target that moves continuously, with a quaternion if it has an orientation",
        "an effector's name, three numbers and perhaps a quaternion: NAME X Y Z [QX QY QZ QW]",
        |a| {
            let [name, rest @ ..] = a else { return None };
            let (place, rotation) = match rest.len() {
                3 => (vector(rest)?, None),
                7 => (vector(&rest[..3])?, Some(quaternion(&rest[3..])?)),
                _ => return None,
            };
            Some(Session(S::TargetGlide((*name).to_owned(), place, rotation)))
        },
    ),
    row("target.preset N", "jump to a preset", "a number from 1", |a| {
        one(a)?.parse().ok().filter(|number| *number > 0).map(|number| Session(S::TargetPreset(number)))
    }),
    plain("target.random", "jump to a random position within reach", Session(S::TargetRandom)),
    row("target.path circle|figure8|line|none", "follow a path", "circle, figure8, line or none", |a| {
        or_none(a, |a| named(&PathShape::NAMES, a)).map(|shape| Session(S::TargetPath(shape)))
    }),
    plain("target.grab", "start a new drag, which is undone separately", Session(S::TargetGrab)),
    row("target.turn X Y Z", "turn the target orientation, degrees", "three angles in degrees: X Y Z", |a| {
        vector(a).map(|turn| rotation(R::Turn(turn)))
    }),
    row(
        "target.rotation X Y Z W|none|toggle",
        "the target orientation, a quaternion",
        "a quaternion X Y Z W of length 1, `none` or `toggle`",
        |a| match a {
            ["none"] => Some(rotation(R::Clear)),
            ["toggle"] => Some(rotation(R::Toggle)),
            _ => quaternion(a).map(|turned| rotation(R::Set(turned))),
        },
    ),
    row(
        "target.look_at X Y Z|none",
        "point the effector's spin axis, or z, at a point, from anywhere",
        "three numbers X Y Z, or `none`",
        |a| or_none(a, vector).map(|point| rotation(R::LookAt(point))),
    ),
];

const fn effector(command: E) -> Command {
    Session(S::Effector(command))
}

/// The name of an axis, or three numbers that are not all zero.
fn direction(arguments: &[&str]) -> Option<DVec3> {
    let axes = [("x", DVec3::X), ("y", DVec3::Y), ("z", DVec3::Z)];
    named(&axes, arguments).or_else(|| vector(arguments).filter(|axis| axis.try_normalize().is_some()))
}

/// An effector's name, and whether it is pinned.
fn pin(arguments: &[&str]) -> Option<(String, EffectorMode)> {
    let [name, state] = arguments else { return None };
    Some(((*name).to_owned(), if switch(&[state])? { EffectorMode::Pinned } else { EffectorMode::Free }))
}

fn a_rank(arguments: &[&str]) -> Option<GoalRank> {
    RANKS.iter().find(|(word, _)| arguments == [*word]).map(|(_, rank)| *rank)
}

pub(in crate::session::command) const EFFECTORS: &[Row] = &[
    plain("effector.next", "select the next effector", Session(S::EffectorNext(1))),
    plain("effector.previous", "select the previous effector", Session(S::EffectorNext(-1))),
    row("effector.select NAME", "select an effector", "an effector's name", |a| {
        text(a).map(|name| Session(S::EffectorSelect(name)))
    }),
    plain("effector.all", "move all targets together until an effector is selected", effector(E::All)),
    row(
        "effector.add [JOINT [NAME]]",
        "add an effector to a joint, or to the selected joint",
        "a joint and a name, both optional: [JOINT [NAME]]",
        |a| {
            let argument = |at: usize| a.get(at).map(|word| (*word).to_owned());
            (a.len() <= 2).then(|| effector(E::Add(argument(0), argument(1))))
        },
    ),
    row(
        "effector.remove [NAME]",
        "remove an effector, or the selected one",
        "an effector's name, or no argument",
        |a| optional(a, text).map(|name| effector(E::Remove(name))),
    ),
    row(
        "effector.pin [NAME on|off]",
        "pin an effector to its target, or free it",
        "an effector's name and on or off, or no argument",
        |a| optional(a, pin).map(|pin| effector(E::Pin(pin))),
    ),
    row(
        "effector.weight NAME W",
        "weight of an effector relative to the others",
        "an effector's name and a number of at least 0: NAME W",
        |a| {
            let [name, weight] = a else { return None };
            let weight = number(weight).filter(|weight| *weight >= 0.0)?;
            Some(effector(E::Weight((*name).to_owned(), weight)))
        },
    ),
    row(
        "effector.rank NAME firm|wanted|preferred|none",
        "what an effector gives way to; a preferred one takes what freedom the others leave",
        "an effector's name and firm, wanted, preferred or none",
        |a| {
            let [name, rank] = a else { return None };
            Some(effector(E::Rank((*name).to_owned(), or_none(&[rank], a_rank)?)))
        },
    ),
    row(
        "effector.spin NAME x|y|z|X Y Z|none",
        "let an effector turn about an axis of its joint, or fix the turn",
        "an effector's name and x, y, z, three numbers or none",
        |a| {
            let [name, axis @ ..] = a else { return None };
            Some(effector(E::Spin((*name).to_owned(), or_none(axis, direction)?)))
        },
    ),
    row(
        "effector.slack NAME X Y Z",
        "how far an effector may be from its target along each axis; a large number leaves the axis open",
        "an effector's name and three numbers of at least 0: NAME X Y Z",
        |a| {
            let [name, slack @ ..] = a else { return None };
            let slack = vector(slack).filter(|slack| slack.min_element() >= 0.0)?;
            Some(effector(E::Slack((*name).to_owned(), slack)))
        },
    ),
];

const fn joint(command: J) -> Command {
    Session(S::Joint(command))
}

const VALUES: &str = "a joint's name and its angles in degrees, or its length: NAME VALUE..";

/// A joint's name and at least one value.
fn values(arguments: &[&str]) -> Option<(String, Vec<f64>)> {
    let [name, values @ ..] = arguments else { return None };
    let values = values.iter().map(|value| number(value)).collect::<Option<Vec<f64>>>()?;
    (!values.is_empty()).then(|| ((*name).to_owned(), values))
}

pub(in crate::session::command) const JOINTS: &[Row] = &[
    plain("joint.next", "select the next joint", joint(J::Step(1))),
    plain("joint.previous", "select the previous joint", joint(J::Step(-1))),
    row("joint.select NAME", "select a joint", "a joint's name", |a| text(a).map(|name| joint(J::Select(name)))),
    plain("joint.none", "select no joint", joint(J::Clear)),
    row(
        "joint.set NAME VALUE..",
        "set the values of a joint: degrees, or the distance of a slide; for a ball tilt x, tilt y and twist, or, without limits, a rotation vector",
        VALUES,
        |a| values(a).map(|(name, values)| joint(J::Set(name, values))),
    ),
    row("joint.glide NAME VALUE..", "the same for continuous changes: no ease, undone in one step", VALUES, |a| {
        values(a).map(|(name, values)| joint(J::Glide(name, values)))
    }),
    row(
        "joint.stiffness NAME S",
        "how much a joint resists: at 0 not at all, at 1 it moves only if no other can",
        "a joint's name and a number from 0 to 1: NAME S",
        |a| {
            let [name, stiffness] = a else { return None };
            let stiffness = number(stiffness).filter(|stiffness| (0.0..=1.0).contains(stiffness))?;
            Some(joint(J::Stiffness((*name).to_owned(), stiffness)))
        },
    ),
    row(
        "pose.glide VALUE..",
        "show a pose that another program sets: the values of all joints that can be set, in the order of the file; the solver is suspended",
        "the values of all joints that can be set, as with joint.set: VALUE..",
        |a| {
            let values = a.iter().map(|value| number(value)).collect::<Option<Vec<f64>>>()?;
            (!values.is_empty()).then_some(Session(S::Pose(P::Glide(values))))
        },
    ),
    plain("pose.release", "let the solver find the pose again", Session(S::Pose(P::Release))),
    plain("pose.next", "the next of all poses that meet the target", Session(S::Pose(P::Next))),
];
