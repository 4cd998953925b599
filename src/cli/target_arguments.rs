//! Arguments that say where effectors should go, and what they may leave open.

use super::context::Failure;
use clap::Args;
use fabrik3d_scene::OPEN_SLACK;
use fabrik3d_scene::{EffectorMode, Part, Scene, SceneEffector, TargetError, TargetSpec, bounded_number, rotation_of};
use glam::{DQuat, DVec3, EulerRot};

/// Heading of these flags in the help. It belongs to each flag, so that the flags after them keep theirs.
const HEADING: &str = "Targets";

/// Flags that set targets. Each may be given once per effector.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct TargetArguments {
    /// Target position of an effector, a link or a joint; link:NAME and joint:NAME choose where a link has the name of
    /// another joint [default NAME, here and below: the first effector]
    #[arg(long, help_heading = HEADING, value_name = "[NAME=]X,Y,Z", value_parser = parse_target, allow_hyphen_values = true)]
    target: Vec<Named<DVec3>>,
    /// Target orientation: a quaternion, or roll, pitch and yaw in degrees about the fixed x, y and z axes. Without --target
    /// the effector stays at its initial position
    #[arg(long, help_heading = HEADING, value_name = "[NAME=]X,Y,Z,W|R,P,Y", value_parser = parse_rotation, allow_hyphen_values = true)]
    rotation: Vec<Named<DQuat>>,
    /// Instead of an orientation, the direction of the effector's z axis or --spin-axis; the effector may turn about it.
    /// Without --target it stays at its initial position
    #[arg(long, help_heading = HEADING, value_name = "[NAME=]X,Y,Z", value_parser = parse_direction, allow_hyphen_values = true)]
    direction: Vec<Named<DVec3>>,
    /// Instead of an orientation, a point in the world that this axis points at; the position is open without --target
    #[arg(long, help_heading = HEADING, value_name = "[NAME=]X,Y,Z", value_parser = parse_target, allow_hyphen_values = true)]
    look_at: Vec<Named<DVec3>>,
    /// Axis in the frame of the effector's joint about which the effector may turn
    #[arg(long, help_heading = HEADING, value_name = "[NAME=]x|y|z|X,Y,Z", value_parser = parse_axis, allow_hyphen_values = true)]
    spin_axis: Vec<Named<DVec3>>,
    /// Largest distance from the target along each axis of its orientation (without one, of the world); `inf` leaves an
    /// axis open: 0,0,inf makes the target a line, 0,inf,inf a plane
    #[arg(long, help_heading = HEADING, value_name = "[NAME=]X,Y,Z", value_parser = parse_slack)]
    slack: Vec<Named<DVec3>>,
}

/// A value for an effector.
#[derive(Clone, Debug, PartialEq)]
struct Named<T> {
    /// Name of the effector; `None`: the first one.
    effector: Option<String>,
    value: T,
}

impl TargetArguments {
    pub fn is_any(&self) -> bool {
        let points = [&self.target, &self.direction, &self.look_at];
        !(points.iter().all(|points| points.is_empty()) && self.rotation.is_empty())
    }

    /// Sets the targets. Joints, links and End Sites that the flags name get an effector. An effector that gets a target is
    /// pinned, so that it is a goal.
    pub fn apply(&self, scene: &mut Scene) -> Result<(), Failure> {
        let mut specs = Vec::new();
        read(scene, &mut specs, "--target", &self.target, |spec, target| spec.position = Part::Given(target))?;
        read(scene, &mut specs, "--direction", &self.direction, |spec, direction| spec.direction = Some(direction))?;
        read(scene, &mut specs, "--look-at", &self.look_at, |spec, point| {
            spec.look_at = Part::Given(point);
            spec.position = if spec.position.is_given() { spec.position } else { Part::Open };
        })?;
        read(scene, &mut specs, "--spin-axis", &self.spin_axis, |spec, axis| spec.spin_axis = Some(axis))?;
        read(scene, &mut specs, "--slack", &self.slack, |spec, slack| spec.slack = Some(slack))?;
        read(scene, &mut specs, "--rotation", &self.rotation, |spec, turn| spec.rotation = Part::Given(turn))?;
        for (spec, described) in specs.iter().zip(&mut scene.effectors) {
            let SceneEffector { effector, target, freedom, .. } = described;
            spec.apply(*effector, target, freedom).map_err(|error| wrong(&described.name, error))?;
            let is_open = TargetSpec { spin_axis: spec.spin_axis, slack: spec.slack, ..TargetSpec::default() };
            if *spec != is_open {
                described.hold = EffectorMode::Pinned;
            }
        }
        Ok(())
    }
}

/// The failure for flags that contradict each other.
fn wrong(effector: &str, error: TargetError) -> Failure {
    let flag = |part: &str| format!("--{}", part.replace('_', "-"));
    Failure::Message(match error {
        TargetError::TurnedTwice(one, other) => {
            format!("{} and {} both say how `{effector}` is turned: give one of them", flag(one), flag(other))
        }
        TargetError::NoDirection => format!("--direction: {error}"),
    })
}

/// Sets the values of a flag in the specs of their effectors, which are added where there are none.
fn read<T: Copy>(
    scene: &mut Scene,
    specs: &mut Vec<TargetSpec>,
    flag: &str,
    given: &[Named<T>],
    set: impl Fn(&mut TargetSpec, T),
) -> Result<(), Failure> {
    let mut seen = Vec::new();
    for Named { effector, value } in given {
        let found = find_effector(scene, effector.as_deref()).and_then(|at| match seen.contains(&at) {
            true => Err(format!("`{}` is given twice", scene.effectors[at].name)),
            false => Ok(at),
        });
        let at = found.map_err(|error| Failure::Message(format!("{flag}: {error}")))?;
        specs.resize(scene.effectors.len(), TargetSpec::default());
        set(&mut specs[at], *value);
        seen.push(at);
    }
    Ok(())
}

/// The effector with this name, which is added where a joint or a link has it; the first one without a name.
fn find_effector(scene: &mut Scene, name: Option<&str>) -> Result<usize, String> {
    let Some(name) = name else {
        return if scene.effectors.is_empty() { Err("the scene has no effector".to_owned()) } else { Ok(0) };
    };
    if scene.effector(name).is_none() && scene.find_place(name).is_some() {
        scene.add_effector(name, None).map_err(|error| error.to_string())?;
    }
    scene.effectors.iter().position(|effector| effector.name == *name).ok_or_else(|| {
        let hint = scene.place_hint(name).map_or(String::new(), |hint| format!("\n  help: {hint}"));
        format!("there is no effector, joint or link `{name}`{hint}")
    })
}

/// Splits `NAME=VALUE`, or takes all as the value.
fn named<T>(text: &str, value: impl Fn(&str) -> Result<T, String>) -> Result<Named<T>, String> {
    match text.rsplit_once('=') {
        Some((name, text)) => Ok(Named { effector: Some(name.to_owned()), value: value(text)? }),
        None => Ok(Named { effector: None, value: value(text)? }),
    }
}

/// Three numbers that `accepts` accepts; `expected` describes them.
fn triple(text: &str, expected: &str, number: impl Fn(&str) -> Option<f64>) -> Result<DVec3, String> {
    let values: Option<Vec<f64>> = text.split(',').map(|part| number(part.trim())).collect();
    match values.as_deref() {
        Some([x, y, z]) => Ok(DVec3::new(*x, *y, *z)),
        Some(values) => Err(format!("expected three numbers, found {}; for example {expected}", values.len())),
        None => Err(format!("expected three finite numbers up to 1e100, for example {expected}")),
    }
}

fn parse_target(text: &str) -> Result<Named<DVec3>, String> {
    named(text, |text| triple(text, "1,0.5,0 or hand=1,0.5,0", bounded_number))
}

fn parse_direction(text: &str) -> Result<Named<DVec3>, String> {
    named(text, |text| direction(text, "0,0,-1 or hand=0,0,-1"))
}

fn direction(text: &str, expected: &str) -> Result<DVec3, String> {
    let direction = triple(text, expected, bounded_number)?;
    direction.try_normalize().ok_or_else(|| format!("a direction cannot be zero; for example {expected}"))
}

fn parse_axis(text: &str) -> Result<Named<DVec3>, String> {
    let negative = |text: &str| text.strip_prefix('-').map(str::to_owned);
    named(text, |text| {
        let (name, sign) = negative(text).map_or((text.to_owned(), 1.0), |name| (name, -1.0));
        match name.as_str() {
            "x" => Ok(DVec3::X * sign),
            "y" => Ok(DVec3::Y * sign),
            "z" => Ok(DVec3::Z * sign),
            _ => direction(text, "z, -x or 0,1,0"),
        }
    })
}

fn parse_slack(text: &str) -> Result<Named<DVec3>, String> {
    let number = |text: &str| match text {
        "inf" => Some(OPEN_SLACK),
        text => bounded_number(text).filter(|slack| *slack >= 0.0),
    };
    let expected = "0,0,0.1, or 0,0,inf for a line";
    named(text, |text| {
        triple(text, expected, number).map_err(|wrong| wrong.replace("three finite", "three not negative"))
    })
}

fn parse_rotation(text: &str) -> Result<Named<DQuat>, String> {
    let wrong = || "expected a quaternion such as 0,0,0,1 or three angles such as 180,0,90".to_owned();
    named(text, |text| {
        let numbers: Option<Vec<f64>> = text.split(',').map(|part| bounded_number(part.trim())).collect();
        match numbers.ok_or_else(wrong)?[..] {
            [x, y, z, w] => rotation_of([x, y, z, w]),
            [roll, pitch, yaw] => {
                let [roll, pitch, yaw] = [roll, pitch, yaw].map(f64::to_radians);
                Ok(DQuat::from_euler(EulerRot::ZYX, yaw, pitch, roll))
            }
            _ => Err(wrong()),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_have_an_optional_name_and_three_numbers() {
        let target = parse_target("left hand=1,-2.5,3e-1");
        assert_eq!(target, Ok(Named { effector: Some("left hand".into()), value: DVec3::new(1.0, -2.5, 0.3) }));
        assert_eq!(parse_target("-1, 2, 3").map(|target| target.effector), Ok(None));
        for wrong in ["1,2", "1,2,3,4", "a,b,c", "1,2,nan", "1,2,inf", ""] {
            assert!(parse_target(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn axes_have_names_and_open_slacks_a_word() {
        assert_eq!(parse_axis("hand=-y").map(|axis| axis.value), Ok(DVec3::NEG_Y));
        assert_eq!(parse_axis("-1,0,0").map(|axis| axis.value), Ok(DVec3::NEG_X));
        assert_eq!(parse_slack("0, 0.5, inf").map(|slack| slack.value), Ok(DVec3::new(0.0, 0.5, OPEN_SLACK)));
        for wrong in ["0,0,0", "w", "z,z", "0,0,inf"] {
            assert!(parse_axis(wrong).is_err(), "{wrong}");
        }
        for wrong in ["-1,0,0", "0,0", "0,0,nan"] {
            assert!(parse_slack(wrong).is_err(), "{wrong}");
        }
    }
}
