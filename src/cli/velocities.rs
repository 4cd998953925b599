//! The value of `--max-velocity`.

use super::ending::Failure;
use fabrik3d_ik::Kind;
use fabrik3d_scene::{JointJump, Motion, Scene, VelocityError, VelocityReason};
use std::str::FromStr;

/// A velocity limit: degrees per second for hinges, lengths per second for slides.
#[derive(Clone, Debug, PartialEq)]
pub enum VelocityArgument {
    /// Those of the file.
    File,
    /// This one for all joints.
    All(f64),
    /// This one for the joint with this name.
    Joint(String, f64),
}

impl FromStr for VelocityArgument {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "file" {
            return Ok(VelocityArgument::File);
        }
        let (name, number) = match text.rsplit_once('=') {
            Some((name, number)) => (Some(name), number),
            None => (None, text),
        };
        let value = number.trim().parse().ok().filter(|value: &f64| value.is_finite() && *value > 0.0);
        let value =
            value.ok_or("expected `file`, or degrees (lengths for slides) per second above 0: 90 or elbow=90")?;
        Ok(name.map_or(VelocityArgument::All(value), |name| VelocityArgument::Joint(name.to_owned(), value)))
    }
}

/// The motion slowed down until no joint exceeds these limits, but at the `jumps`. Later limits replace earlier ones. It may
/// have up to `most` rows.
pub(super) fn slow_down(
    scene: &Scene,
    motion: &Motion,
    given: &[VelocityArgument],
    jumps: &[JointJump],
    most: usize,
) -> Result<Motion, Failure> {
    let fail = |message: String| Failure::Message(format!("--max-velocity: {message}"));
    let joints = scene.skeleton.joints();
    let unit = |joint: usize, value: f64| match joints[joint].kind {
        Kind::Slide { .. } => value,
        _ => value.to_radians(),
    };
    let mut limits = vec![None; joints.len()];
    for argument in given {
        match argument {
            VelocityArgument::File => {
                if scene.velocity_limits.is_empty() {
                    let remedy = "give one in degrees per second, for example --max-velocity 90";
                    return Err(fail(format!("the file has no velocity limits\n  {remedy}")));
                }
                limits.clone_from(&scene.velocity_limits);
            }
            VelocityArgument::All(value) => {
                limits.iter_mut().enumerate().for_each(|(joint, limit)| *limit = Some(unit(joint, *value)));
            }
            VelocityArgument::Joint(name, value) => {
                let hint = || scene.joint_hint(name).map_or(String::new(), |hint| format!(": {hint}"));
                let joint = scene.find_joint(name);
                let joint = joint.ok_or_else(|| fail(format!("there is no joint `{name}`{}", hint())))?;
                limits[joint] = Some(unit(joint, *value));
            }
        }
    }
    motion.within_velocities(&scene.skeleton, &limits, jumps, most).map_err(|VelocityError { joint, reason }| {
        let name = &joints[joint].name;
        let remedy = format!("give it another limit: --max-velocity file --max-velocity {name}=90");
        fail(match reason {
            VelocityReason::Zero => {
                format!("`{name}`: this joint has to move, but its velocity limit is 0\n  {remedy}")
            }
            VelocityReason::TooLow => format!(
                "`{name}`: this joint is so slow that the motion would have more than {most} rows\n  {remedy}; --max-frames \
                allows more rows"
            ),
        })
    })
}
