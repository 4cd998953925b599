//! A character as a scene.

use super::bind_pose::Rest;
use super::clips;
use super::data::Data;
use super::lists::{self, Lists, list, word};
use super::nodes::{self, Nodes};
use super::rig::{self, Rig};
use super::{container, morphs, skin, warnings};
use crate::assets::Assets;
use crate::builder::SceneBuilder;
use crate::error::SceneError;
use crate::files::Files;
use crate::formats::SourceFile;
use crate::formats::character::{Limited, Recognition, stand};
use crate::motion::keys::Keys;
use crate::motion::steps::common_step;
use crate::motion::{Motion, Recording};
use crate::options::Surfaces;
use crate::retarget::is_named_as_helper;
use crate::syntax_tree::fault::{Fault, Read};
use crate::syntax_tree::parse::parse_json;
use crate::{Scene, SceneEffector};
use fabrik3d_ik::{Effector, Kind, Target};
use glam::DVec3;
use std::path::Path;
use std::sync::Arc;

/// Frame time in seconds of clips whose keys have no common step. Poses between frames are exact.
const FRAME_TIME: f64 = 1.0 / 60.0;

/// Required extensions that compress meshes; they are not supported.
const COMPRESSED: [&str; 3] = ["KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression"];

/// Reads a character.
pub(crate) fn read(file: SourceFile<'_>) -> Result<Scene, SceneError> {
    open(&file.bytes, file.origin, (file.folder(), &file.options.files), |data| build(data, &file))
}

/// Makes something of the data of a file. Buffers in files of their own are in `folder`.
pub(crate) fn open<T>(
    bytes: &[u8],
    origin: &str,
    (folder, files): (&Path, &Files),
    build: impl FnOnce(&Data<'_>) -> Read<T>,
) -> Result<T, SceneError> {
    let container = container::open(bytes, origin)?;
    let place = |fault: Fault| container.placed(fault).in_text(origin, container.json);
    let document = parse_json(container.json).map_err(place)?;
    let lists = Lists::new(&document).map_err(place)?;
    if let Some(version) = version(&lists).map_err(place)? {
        return Err(container::wrong_version(origin, &version));
    }
    // Compressed buffers may have no data of their own, so this comes before reading them.
    check_extensions(&lists).map_err(place)?;
    let data = Data::new(&lists, container, (folder, files)).map_err(place)?;
    build(&data).map_err(place)
}

/// The version of the document if it is not 2.
fn version(lists: &Lists<'_>) -> Read<Option<String>> {
    let asset = lists.root.get("asset");
    let version = asset.as_ref().map(|asset| word(asset, "version")).transpose()?.flatten();
    match version {
        Some(version) if version.split('.').next() == Some("2") => Ok(None),
        Some(version) => Ok(Some(version.chars().take(20).collect())),
        None => Err(lists.root.fault("this is not glTF: `asset.version` is missing")),
    }
}

fn build(data: &Data<'_>, file: &SourceFile<'_>) -> Read<Scene> {
    let lists = data.lists;
    let mut assets =
        Assets { source: Some(file.path.to_owned()), in_metres: true, without_targets: true, ..Assets::default() };
    let nodes = nodes::read_nodes(lists)?;
    check_scenes(lists)?;
    let weights = morphs::read_weights(data, &nodes)?;
    let (clips, unread) = clips::read_clips(data, &weights);
    let limited = Limited::of(file);
    let recognise = |joints: &[_]| Recognition::of(joints, file);
    let Rest { rig, nodes: bind_pose } =
        Rest::of(data, &nodes, |rest| rig::build(lists, rest, limited, recognise, &clips))?;
    let rest = bind_pose.as_ref().unwrap_or(&nodes);
    assets.human_limits = rig.human_limits.clone();
    assets.named_parts = rig.recognition.named.clone();
    assets.unknown_body = rig.recognition.unknown.clone();
    assets.warnings = warnings::warnings(data, &nodes);
    assets.warnings.extend(unread);
    if file.options.surfaces == Surfaces::Load {
        skin::read_surfaces(data, (rest, &rig), &weights, &mut assets)?;
    }
    assets.morph_weights = weights.all;
    let (tree, places) = rig.node_tree(&nodes);
    let tree = Arc::new(tree);
    let posed = bind_pose.is_some().then(|| Keys::new(tree.clone(), &places, Default::default(), Vec::new()));
    for clip in clips {
        let moved = rig.moved_by(&nodes, &clip);
        let own = clip.tracks.iter().map(|track| &track.times[..]);
        let times: Vec<&[f32]> = own.chain(clip.weights.iter().map(|track| &track.times[..])).collect();
        let frame_time = common_step(&times).unwrap_or(FRAME_TIME);
        let keys = Keys::new(tree.clone(), &places, (clip.tracks, clip.weights, clip.end), moved);
        assets.motions.push(Motion { name: clip.name, frame_time, recording: Recording::Keys(keys) });
    }
    let is_helper = helpers(data, rest, &rig);
    let effectors = effectors(&rig, &is_helper);
    let builder = SceneBuilder { joints: rig.joints, effectors };
    let mut scene = builder.build(file.name()).map_err(|error| lists.root.fault(error.to_string()))?;
    scene.assets = Arc::new(assets);
    if let Some(posed) = posed {
        scene.start = posed.pose(&scene.skeleton, 0.0);
        scene.skeleton.project(&mut scene.start);
        scene.reset_targets();
    }
    stand(&mut scene);
    Ok(scene)
}

fn check_extensions(lists: &Lists<'_>) -> Read<()> {
    for item in list(&lists.root, "extensionsRequired")? {
        if COMPRESSED.contains(&item.text()?) {
            let message = format!("the file needs the extension {}, which is not supported", item.text()?);
            return Err(item.fault(message).hint("export it without mesh compression"));
        }
    }
    Ok(())
}

/// Checks that the nodes of all scenes exist.
fn check_scenes(lists: &Lists<'_>) -> Read<()> {
    lists::index_of(&lists.root, "scene", &lists.scenes, "scene")?;
    for scene in &lists.scenes {
        for node in list(scene, "nodes")? {
            lists::index(&node, &lists.nodes, "node")?;
        }
    }
    Ok(())
}

/// Which joints are helpers for the inverse kinematics of other programs: they have such a name and move no surface. Effectors
/// are on ends of the body alone.
fn helpers(data: &Data<'_>, nodes: &Nodes, rig: &Rig) -> Vec<bool> {
    let named: Vec<bool> = rig.joints.iter().map(|joint| is_named_as_helper(&joint.name)).collect();
    if !named.contains(&true) {
        return named;
    }
    // Where the meshes cannot be read, nothing tells that a joint moves none.
    let carries = skin::joints_with_surface(data, nodes, rig).unwrap_or_else(|_| vec![true; named.len()]);
    named.into_iter().zip(carries).map(|(named, carries)| named && !carries).collect()
}

/// Effectors on hands, head, feet and toes of a known body; otherwise on every joint without children that is no helper. Their
/// chains end below the free joints, since moving the whole figure would reach every target.
fn effectors(rig: &Rig, is_helper: &[bool]) -> Vec<SceneEffector> {
    let mut is_leaf = vec![true; rig.joints.len()];
    rig.joints.iter().filter_map(|joint| joint.parent).for_each(|parent| is_leaf[parent] = false);
    let ends = match &rig.recognition.body {
        Some(body) => body.ends(),
        None => (0..is_leaf.len()).filter(|&at| is_leaf[at] && !is_helper[at]).collect(),
    };
    let effector = |at: usize| {
        let chain = || std::iter::successors(Some(at), |&at| rig.joints[at].parent);
        let movable = chain().take_while(|&at| rig.joints[at].kind != Kind::Free).count();
        let is_at_root = chain().last().is_some_and(|root| rig.position(root) == rig.position(at));
        let chain_length = (movable < chain().count()).then_some(movable);
        let effector = Effector { joint: at, tip: DVec3::ZERO, chain_length };
        let effector = SceneEffector::new(&rig.joints[at].name, effector, Target::from(rig.position(at)));
        (movable > 0 && !is_at_root).then_some(effector)
    };
    ends.into_iter().filter_map(effector).collect()
}
