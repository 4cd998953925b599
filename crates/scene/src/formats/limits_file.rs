//! Joint limits for a file that cannot hold them: `NAME.limits.toml` beside `NAME.glb`, `NAME.gltf` or `NAME.bvh`.
//!
//! Each `[[joint]]` has its `name` and the scene keys `kind`, `swing`, `twist`, `axis` and `range`, in the joint's rest
//! frame, whose z axis is the link axis, and `stiffness`. `body_limits = false` turns the limits of a person off. `[names]` says
//! which joints are the parts of a body; a line of it that cannot be used is a warning, and the figure opens all the same.

use super::scene_file::joints::read_stiffness;
use super::scene_file::kinds::read_kind;
use crate::Scene;
use crate::error::SceneError;
use crate::motion::Recording;
use crate::retarget::NAMED_PARTS;
use crate::source::{LARGEST_FILE, decode, may_never_end, read_bytes};
use crate::syntax_tree::Node;
use crate::syntax_tree::fault::{Fault, Read, did_you_mean};
use crate::syntax_tree::fields::Item;
use crate::syntax_tree::parse::parse_toml;
use fabrik3d_ik::{Joint, Kind, Skeleton, Target};
use std::path::Path;
use std::sync::Arc;

/// A limits file.
pub(crate) struct LimitsFile {
    origin: String,
    text: String,
}

impl LimitsFile {
    /// Whether a path has the name of a limits file: `man.limits.toml`.
    pub fn has_name_of(path: &Path) -> bool {
        path.file_name().is_some_and(|name| name.to_string_lossy().to_lowercase().ends_with(".limits.toml"))
    }

    /// The file beside `path`, if there is one.
    pub fn beside(path: &Path) -> Result<Option<Self>, SceneError> {
        let limits = path.with_extension("limits.toml");
        // A link that leads nowhere is a file that cannot be read, rather than none.
        if limits.symlink_metadata().is_err() {
            return Ok(None);
        }
        let origin = limits.display().to_string();
        if may_never_end(&limits) {
            return Err(SceneError::new(origin, "this is not a regular file"));
        }
        let text = decode(read_bytes(&limits, LARGEST_FILE)?, &origin)?;
        Ok(Some(LimitsFile { origin, text }))
    }

    /// The names of the joints whose kind the file gives.
    pub fn listed(&self) -> Result<Vec<String>, SceneError> {
        let names = |document: &Node| {
            let limits = read_limits(document)?;
            let with_kind = limits.iter().filter(|limit| limit.kind.is_some());
            Ok(with_kind.map(|limit| limit.name.to_owned()).collect())
        };
        self.read(names)
    }

    /// The parts of a body that the file names, each with the name of its joint.
    pub fn named_parts(&self) -> Result<Vec<(&'static str, String)>, SceneError> {
        let named = |document: &Node| {
            let (names, _) = read_names(document)?;
            Ok(names.into_iter().map(|name| (name.part, name.joint.to_owned())).collect())
        };
        self.read(named)
    }

    /// What is wrong with the lines of `[names]`, for a figure with these joints.
    fn wrong_names(&self, joints: &[Joint]) -> Result<Vec<String>, SceneError> {
        let wrong = |document: &Node| {
            let (names, mut faults) = read_names(document)?;
            let known = || joints.iter().map(|joint| joint.name.as_str());
            for Name { joint, item, .. } in names.iter().filter(|name| !known().any(|joint| joint == name.joint)) {
                let hint =
                    did_you_mean(joint, known()).unwrap_or_else(|| "`fabrik3d check -v` lists the joints".to_owned());
                faults.push(item.fault(format!("there is no joint `{joint}`")).hint(hint));
            }
            faults.sort_by_key(|fault| fault.place);
            Ok(faults)
        };
        let line = |fault: Fault| fault.in_text(&self.origin, &self.text).to_string().replace("\n  ", "; ");
        Ok(self.read(wrong)?.into_iter().map(line).collect())
    }

    /// Whether the file turns the limits of a person off.
    pub fn turns_body_limits_off(&self) -> Result<bool, SceneError> {
        let is_off = |document: &Node| {
            let fields = Item::root(document).table(&KEYS)?;
            Ok(!fields.get_or("body_limits", true, |item| item.truth())?)
        };
        self.read(is_off)
    }

    fn read<T>(&self, read: impl FnOnce(&Node) -> Read<T>) -> Result<T, SceneError> {
        let document = parse_toml(&self.text);
        document.and_then(|document| read(&document)).map_err(|fault| fault.in_text(&self.origin, &self.text))
    }

    /// The scene with the limits of the file.
    pub fn apply(&self, scene: Scene) -> Result<Scene, SceneError> {
        let mut scene = limited(scene, &self.text).map_err(|fault| fault.in_text(&self.origin, &self.text))?;
        let wrong = self.wrong_names(scene.skeleton.joints())?;
        if !wrong.is_empty() {
            Arc::make_mut(&mut scene.assets).warnings.extend(wrong);
        }
        Ok(scene)
    }
}

/// The keys of a limits file.
const KEYS: [&str; 3] = ["joint", "body_limits", "names"];

/// A line of `[names]`.
struct Name<'a> {
    part: &'static str,
    joint: &'a str,
    item: Item<'a>,
}

/// Reads `[names]`: the lines that can be used, and what is wrong with the others.
fn read_names(document: &Node) -> Read<(Vec<Name<'_>>, Vec<Fault>)> {
    let (mut names, mut faults): (Vec<Name<'_>>, Vec<Fault>) = Default::default();
    let Some(table) = Item::root(document).table(&KEYS)?.get("names") else { return Ok((names, faults)) };
    let mut lines = table.entries()?;
    lines.sort_by_key(|(_, item)| item.place());
    for (key, item) in lines {
        let keys = || NAMED_PARTS.iter().map(|(key, _)| *key);
        let Some((_, part)) = NAMED_PARTS.iter().find(|(known, _)| *known == key) else {
            faults.push(item.fault("this is no part of a body").hint_some(did_you_mean(key, keys())));
            continue;
        };
        match item.text() {
            Err(fault) => faults.push(fault.hint("write the name of a joint")),
            Ok(joint) => match names.iter().find(|name| name.joint == joint) {
                Some(first) => {
                    let message = format!("the joint `{joint}` is already `{}`", first.item.path);
                    faults.push(item.fault(message).hint("each part is a joint of its own"));
                }
                None => names.push(Name { part, joint, item }),
            },
        }
    }
    Ok((names, faults))
}

/// What a limits file says about a joint.
struct Limit<'a> {
    name: &'a str,
    item: Item<'a>,
    /// None: the joint keeps its kind.
    kind: Option<Kind>,
    /// None: the joint keeps its stiffness.
    stiffness: Option<f64>,
}

/// Reads a limits file: `[[joint]]` with `name`, the keys of its kind, and `stiffness`.
fn read_limits<'a>(document: &'a Node) -> Read<Vec<Limit<'a>>> {
    let limit = |item: Item<'a>| {
        let keys = ["kind", "swing", "twist", "axis", "range"];
        let fields = item.table(&[
            "name",
            "kind",
            "swing",
            "twist",
            "axis",
            "range",
            "stiffness",
            "max_velocity",
            "mimic",
            "start",
        ])?;
        if let Some(other) = ["max_velocity", "mimic", "start"].iter().find_map(|key| fields.get(key)) {
            return Err(other.fault("a limits file can only hold kinds, ranges and stiffness"));
        }
        let name = fields.require("name", "\"elbow\"")?.text()?;
        let stiffness = fields.get("stiffness").map(|item| read_stiffness(&item)).transpose()?;
        let has_kind = stiffness.is_none() || keys.iter().any(|key| fields.get(key).is_some());
        let kind = has_kind.then(|| read_kind(&fields)).transpose()?;
        Ok(Limit { name, item, kind, stiffness })
    };
    Item::root(document).table(&KEYS)?.list("joint")?.into_iter().map(limit).collect()
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
    scene.skeleton = Skeleton::new(joints).map_err(|error| Fault::new(None, error.to_string()))?.into();
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
