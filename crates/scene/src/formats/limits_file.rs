//! Joint limits for a file that cannot hold them: `NAME.limits.toml` beside `NAME.glb`, `NAME.gltf` or `NAME.bvh`.
//!
//! Each `[[joint]]` has its `name` and the scene keys `kind`, `swing`, `twist`, `axis` and `range`, in the joint's rest
//! frame, whose z axis is the link axis, and `stiffness`.

use super::scene_file::joints::{Limit, read_limits};
use crate::Scene;
use crate::error::SceneError;
use crate::motion::Recording;
use crate::source::{LARGEST_FILE, decode, read_bytes};
use crate::syntax_tree::fault::{Fault, Read, did_you_mean};
use crate::syntax_tree::parse::parse_toml;
use fabrik3d_ik::{Joint, Skeleton, Target};
use std::path::Path;

/// A limits file.
pub(crate) struct LimitsFile {
    origin: String,
    text: String,
}

impl LimitsFile {
    /// The file beside `path`, if there is one.
    pub fn beside(path: &Path) -> Result<Option<Self>, SceneError> {
        let limits = path.with_extension("limits.toml");
        if !limits.is_file() {
            return Ok(None);
        }
        let origin = limits.display().to_string();
        let text = decode(read_bytes(&limits, LARGEST_FILE)?, &origin)?;
        Ok(Some(LimitsFile { origin, text }))
    }

    /// The names of the joints whose kind the file gives.
    pub fn listed(&self) -> Result<Vec<String>, SceneError> {
        let names = |text: &str| {
            let document = parse_toml(text)?;
            let limits = read_limits(&document)?;
            let with_kind = limits.iter().filter(|limit| limit.kind.is_some());
            Ok(with_kind.map(|limit| limit.name.to_owned()).collect())
        };
        names(&self.text).map_err(|fault: Fault| fault.in_text(&self.origin, &self.text))
    }

    /// The scene with the limits of the file.
    pub fn apply(&self, scene: Scene) -> Result<Scene, SceneError> {
        limited(scene, &self.text).map_err(|fault| fault.in_text(&self.origin, &self.text))
    }
}

/// Applies the limits in a text.
fn limited(mut scene: Scene, text: &str) -> Read<Scene> {
    let document = parse_toml(text)?;
    let mut joints: Vec<Joint> = scene.skeleton.joints().to_vec();
    for Limit { name, item, kind, stiffness } in read_limits(&document)? {
        let Some(joint) = joints.iter_mut().find(|joint| joint.name == name) else {
            let names = scene.skeleton.joints().iter().map(|joint| joint.name.as_str());
            return Err(item.fault(format!("there is no joint `{name}`")).hint_some(did_you_mean(name, names)));
        };
        joint.kind = kind.unwrap_or(joint.kind);
        joint.stiffness = stiffness.unwrap_or(joint.stiffness);
    }
    scene.skeleton = Skeleton::new(joints).map_err(|error| Fault::new(None, error.to_string()))?;
    scene.start = match scene.assets.motions.first() {
        Some(motion) if matches!(motion.recording, Recording::Channels(_)) => motion.pose(&scene.skeleton, 0),
        _ => scene.skeleton.rest_pose(),
    };
    scene.skeleton.project(&mut scene.start);
    let frames = scene.skeleton.frames(&scene.start);
    for effector in &mut scene.effectors {
        effector.target = Target::from(frames[effector.effector.joint].point(effector.effector.tip));
    }
    Ok(scene)
}
