//! Joint limits for a file that cannot hold them: `NAME.limits.toml` beside `NAME.glb`, `NAME.gltf` or `NAME.bvh`.
//!
//! Each `[[joint]]` has its `name` and the scene keys `kind`, `swing`, `twist`, `axis` and `range`, in the joint's rest
//! frame, whose z axis is the link axis, and `stiffness`. `body_limits = false` turns the limits of a person off. `[names]` says
//! which joints are the parts of a body; a line of it that cannot be used is a warning, and the figure opens all the same.

use super::scene_file::joints::read_stiffness;
use super::scene_file::kinds::read_kind;
use super::scene_file::read::{Name, read_names};
use crate::Scene;
use crate::coordinates::nearest_pose;
use crate::error::SceneError;
use crate::files::Files;
use crate::source::{LARGEST_FILE, decode};
use crate::syntax_tree::Node;
use crate::syntax_tree::fault::{Fault, Read, did_you_mean};
use crate::syntax_tree::fields::{Fields, Item};
use crate::syntax_tree::parse::parse_toml;
use fabrik3d_ik::queries::angle_between;
use fabrik3d_ik::{Isometry, Joint, Kind, Skeleton};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(crate) struct LimitsFile {
    origin: String,
    text: String,
    document: Node,
    /// The names of the joints whose kind it gives.
    pub listed: Vec<String>,
    /// The parts of a body that it names, each with the name of its joint.
    pub named: Vec<(&'static str, String)>,
    /// Whether it turns the limits of a person off.
    pub turns_body_limits_off: bool,
}

/// The limits file of a character: `man.limits.toml` beside `man.glb`.
pub fn limits_path(character: &Path) -> PathBuf {
    character.with_extension("limits.toml")
}

impl LimitsFile {
    /// Whether a path has the name of a limits file: `man.limits.toml`.
    pub fn has_name_of(path: &Path) -> bool {
        path.file_name().is_some_and(|name| name.to_string_lossy().to_lowercase().ends_with(".limits.toml"))
    }

    /// The file beside `path`, if there is one.
    pub fn beside(path: &Path, files: &Files) -> Result<Option<Self>, SceneError> {
        let limits = limits_path(path);
        // A link that leads nowhere is a file that cannot be read, rather than none.
        if !files.has_entry(&limits) {
            return Ok(None);
        }
        let origin = limits.display().to_string();
        let text = decode(files.read_regular(&limits, LARGEST_FILE)?, &origin)?;
        let place = |fault: Fault| fault.in_text(&origin, &text);
        let document = parse_toml(&text).map_err(place)?;
        let fields = Item::root(&document).table(KEYS).map_err(place)?;
        let with_kind = read_limits(&fields).map_err(place)?.into_iter().filter(|limit| limit.kind.is_some());
        let listed = with_kind.map(|limit| limit.name.to_owned()).collect();
        let (names, _) = read_names(&fields).map_err(place)?;
        let named = names.into_iter().map(|name| (name.part, name.joint.to_owned())).collect();
        let has_body_limits = fields.get_or("body_limits", true, |item| item.truth()).map_err(place)?;
        let turns_body_limits_off = !has_body_limits;
        Ok(Some(LimitsFile { origin, text, document, listed, named, turns_body_limits_off }))
    }

    /// The scene with the limits of the file.
    pub fn apply(&self, scene: Scene) -> Result<Scene, SceneError> {
        self.limited(scene).map_err(|fault| fault.in_text(&self.origin, &self.text))
    }

    fn limited(&self, mut scene: Scene) -> Read<Scene> {
        let fields = Item::root(&self.document).table(KEYS)?;
        let start = scene.skeleton.frames(&scene.start);
        let mut joints: Vec<Joint> = scene.skeleton.joints().to_vec();
        let (mut seen, mut twice) = (HashSet::new(), Vec::new());
        for Limit { name, item, kind, stiffness: [stiffness, twist_stiffness] } in read_limits(&fields)? {
            let Some(joint) = joints.iter_mut().find(|joint| joint.name == name) else {
                let is_shown = |own: &&Joint| scene.shown_name(&own.name).eq_ignore_ascii_case(name);
                let own = scene.skeleton.joints().iter().find(is_shown);
                let hint = own.map(|own| format!("the figure's file calls it `{}`", own.name));
                let names = scene.skeleton.joints().iter().map(|joint| joint.name.as_str());
                let hint = hint.or_else(|| did_you_mean(name, names));
                return Err(item.fault(format!("there is no joint `{name}`")).hint_some(hint));
            };
            if !seen.insert(name) {
                twice.push(format!("{}: `{name}` is listed twice; the last lines count", self.origin));
            }
            joint.kind = kind.unwrap_or(joint.kind);
            joint.stiffness = stiffness.unwrap_or(joint.stiffness);
            joint.twist_stiffness = twist_stiffness.unwrap_or(joint.twist_stiffness);
        }
        let mut warnings = self.wrong_names(&fields, &joints)?;
        if !self.named.is_empty() && scene.has_wrong_sides() {
            let origin = &self.origin;
            warnings.push(format!(
                "{origin}: the feet point backward, or hands and feet are on different sides: are left and right swapped in [names]?"
            ));
        }
        scene.skeleton = Skeleton::new(joints).map_err(|error| Fault::new(None, error.to_string()))?.into();
        scene.start = nearest_pose(&scene.skeleton, &start);
        scene.skeleton.project(&mut scene.start);
        scene.reset_targets();
        warnings.extend(twice.into_iter().chain(self.changed_pose(&scene, &start)));
        let assets = Arc::make_mut(&mut scene.assets);
        assets.warnings.extend(warnings);
        assets.limits_text = Some(self.text.clone());
        Ok(scene)
    }

    /// Which joints do not stand as in the character's file, where they had these frames, because of their limits here.
    fn changed_pose(&self, scene: &Scene, before: &[Isometry]) -> Option<String> {
        let (joints, now) = (scene.skeleton.joints(), scene.skeleton.frames(&scene.start));
        let turn = |frames: &[Isometry], at: usize| match joints[at].parent {
            Some(parent) => frames[parent].rotation.conjugate() * frames[at].rotation,
            None => frames[at].rotation,
        };
        let is_changed = |at: &usize| angle_between(turn(before, *at), turn(&now, *at)) > VISIBLE_TURN;
        let is_listed = |at: &usize| self.listed.contains(&joints[*at].name);
        let changed: Vec<&str> =
            (0..joints.len()).filter(is_listed).filter(is_changed).map(|at| joints[at].name.as_str()).collect();
        let [first, others @ ..] = changed.as_slice() else { return None };
        let (name, what) = match others.len() {
            0 => (format!("`{first}`"), "it stands at its limit"),
            1 => (format!("`{first}` and another joint"), "they stand at their limits"),
            count => (format!("`{first}` and {count} other joints"), "they stand at their limits"),
        };
        Some(format!("{}: the pose of the figure's file is beyond the limits of {name}, so {what}", self.origin))
    }

    /// What is wrong with the lines of `[names]`, for a figure with these joints.
    fn wrong_names(&self, fields: &Fields<'_>, joints: &[Joint]) -> Read<Vec<String>> {
        let (names, mut faults) = read_names(fields)?;
        let known = || joints.iter().map(|joint| joint.name.as_str());
        for Name { joint, item, .. } in names.iter().filter(|name| !known().any(|joint| joint == name.joint)) {
            let hint =
                did_you_mean(joint, known()).unwrap_or_else(|| "`fabrik3d check -v` lists the joints".to_owned());
            faults.push(item.fault(format!("there is no joint `{joint}`")).hint(hint));
        }
        faults.sort_by_key(|fault| fault.place);
        let line = |fault: Fault| fault.in_text(&self.origin, &self.text).to_string().replace("\n  ", "; ");
        Ok(faults.into_iter().map(line).collect())
    }
}

/// Smallest turn that anybody can see, radians. Test: `a_pose_beyond_the_limits_of_the_limits_file_is_told`.
const VISIBLE_TURN: f64 = 0.01;

const KEYS: &str = "joint body_limits names";

/// What a limits file says about a joint.
struct Limit<'a> {
    name: &'a str,
    item: Item<'a>,
    /// None: the joint keeps its kind.
    kind: Option<Kind>,
    /// `stiffness` and `twist_stiffness`. None: the joint keeps its own.
    stiffness: [Option<f64>; 2],
}

/// Reads a limits file: `[[joint]]` with `name`, the keys of its kind, and its stiffness.
fn read_limits<'a>(fields: &Fields<'a>) -> Read<Vec<Limit<'a>>> {
    let limit = |item: Item<'a>| {
        let keys = ["kind", "swing", "twist", "axis", "range"];
        let fields =
            item.table("name kind swing twist axis range stiffness twist_stiffness max_velocity mimic start")?;
        if let Some(other) = ["max_velocity", "mimic", "start"].iter().find_map(|key| fields.get(key)) {
            return Err(other.fault("a limits file can only hold kinds, ranges and stiffness"));
        }
        let name = fields.require("name", "\"elbow\"")?.text()?;
        let stiffness = |key| fields.get(key).map(|item| read_stiffness(&item)).transpose();
        let stiffness = [stiffness("stiffness")?, stiffness("twist_stiffness")?];
        let has_kind = stiffness == [None; 2] || keys.iter().any(|key| fields.get(key).is_some());
        let kind = has_kind.then(|| read_kind(&fields)).transpose()?;
        Ok(Limit { name, item, kind, stiffness })
    };
    let list = fields.list("joint");
    let list =
        list.map_err(|fault| fault.hint("each joint begins with a line [[joint]] and has a line name = \"..\""))?;
    list.into_iter().map(limit).collect()
}
