//! Writing motion as glTF: added to the file of the character, or with a bare skeleton.

use super::bind_pose::Rest;
use super::clips;
use super::container;
use super::data::Data;
use super::lists::Lists;
use super::morphs;
use super::nodes::{self, Nodes};
use super::rig::{self, Rig};
use super::store::{Form, PLACE, ROTATION, Store, Track, check_places, gather};
use crate::coordinates::zero_frames;
use crate::error::SceneError;
use crate::files::Files;
use crate::formats::character::{Limited, Recognition, RestJoint};
use crate::motion::Motion;
use crate::motion::keys::{self, Property};
use crate::motion::transform::{Transform, local_rotation};
use crate::options::{Up, upright};
use crate::source::LARGEST_FILE;
use crate::syntax_tree::fault::Fault;
use crate::syntax_tree::parse::parse_json;
use crate::{Scene, SceneEffector};
use fabrik3d_ik::{Isometry, Kind, Skeleton};
use glam::{DMat4, DQuat, DVec3};
use serde_json::{Value, json};
use std::io;
use std::path::Path;

/// Largest relative difference of two offsets that is rounding.
const SAME_PLACE: f64 = 1e-9;

/// The contents of the glTF file `original` with a motion of the scene that was read from it. The motion becomes the first
/// animation, which programs play by default, and replaces what the animation of the same name says of the joints. Unless it replaces a clip, the
/// nodes are in its first frame, and the other animations get keys that preserve the old transforms. The skins still tell the rest
/// pose. The result needs no other files.
pub(crate) fn extended(scene: &Scene, motion: &Motion, original: &Path, form: Form) -> Result<Vec<u8>, SceneError> {
    let bytes = Files::System.read(original, LARGEST_FILE)?;
    let origin = &original.display().to_string();
    let folder = original.parent().unwrap_or(Path::new("."));
    let container = container::open(&bytes, origin)?;
    let json = container.json;
    let fault = |fault: Fault| container.placed(fault).in_text(origin, json);
    let document = parse_json(json).map_err(fault)?;
    let lists = Lists::new(&document).map_err(fault)?;
    let data = Data::new(&lists, container, (folder, &Files::System)).map_err(fault)?;
    let nodes = nodes::read_nodes(&lists).map_err(fault)?;
    // The rest frames are those of the scene only if the same joints have human limits.
    let limited = Limited::These(&scene.assets.human_limits.joints);
    let named = scene.assets.named_parts.clone();
    let recognise = |joints: &[RestJoint]| Recognition::with(joints, named.clone());
    let weights = morphs::read_weights(&data, &nodes).map_err(fault)?;
    let (clips, _) = clips::read_clips(&data, &weights);
    let rest = Rest::of(&data, &nodes, |rest| rig::build(&lists, rest, limited, recognise, &clips));
    let Rest { rig, nodes: rest } = rest.map_err(fault)?;
    let rest = rest.as_ref().unwrap_or(&nodes);
    let names = |joints: &[fabrik3d_ik::Joint]| joints.iter().map(|joint| joint.name.clone()).collect::<Vec<_>>();
    if names(&rig.joints) != names(scene.skeleton.joints()) {
        return Err(SceneError::new(origin, "the joints of this file differ from those of the scene")
            .with_hint("give the file that the scene was read from"));
    }
    let clip = clips.iter().find(|clip| clip.name == motion.name).map_or(&[][..], |clip| &clip.tracks);
    let tracks = node_tracks(&scene.skeleton, motion, (&nodes, clip), &rig);
    let tracks = tracks.map_err(|node| {
        let message = format!("the motion cannot be written: {}", uneven(&lists.nodes[node].path));
        SceneError::new(origin, message).with_hint("apply the scale in the program that the file comes from")
    })?;
    check_places(&tracks).map_err(|message| SceneError::new(origin, message))?;
    let mut value: Value =
        serde_json::from_str(json).map_err(|error| SceneError::new(origin, format!("this is not JSON: {error}")))?;
    if !motion.is_empty() {
        split_matrices(&mut value, &nodes, &tracks);
    }
    let bytes = gather(&mut value, &data);
    let mut store = Store { value, bytes };
    // Replacing one of the file's clips does not change where the nodes are, but another pose does.
    let is_new = !motion.is_empty() && scene.assets.motions.iter().all(|own| own.name != motion.name);
    // Without a skin, the nodes alone tell the rest pose. The joints of a skin need a common root.
    let is_one = rig.joints.iter().filter(|joint| joint.parent.is_none()).count() == 1;
    if motion.len() == 1 || (is_new && (is_one || !lists.skins.is_empty())) {
        store.keep_clips(&nodes, &tracks);
        store.pose_nodes(&tracks);
        if lists.skins.is_empty() && is_one {
            let binds: Vec<DMat4> = rig.nodes.iter().map(|&node| rest.world[node].inverse()).collect();
            store.value["skins"] = json!([{"joints": rig.nodes}]);
            store.bind_skin(&binds);
        }
    }
    store.add_animation(motion, &tracks);
    Ok(store.packed(form))
}

/// Replaces the matrices of animated nodes, which the specification forbids, by their parts.
fn split_matrices(value: &mut Value, nodes: &Nodes, tracks: &[Track]) {
    for node in tracks.iter().map(|track| track.node) {
        let Some(matrix) = nodes.nodes[node].local.matrix else { continue };
        let (scale, rotation, place) = matrix.to_scale_rotation_translation();
        if let Some(entry) = value["nodes"][node].as_object_mut() {
            entry.remove("matrix");
            entry.insert("scale".to_owned(), json!(scale.to_array()));
            entry.insert("rotation".to_owned(), json!(rotation.to_array()));
            entry.insert("translation".to_owned(), json!(place.to_array()));
        }
    }
}

/// Why a pose of a node has no rotation that gives it.
fn uneven(node: &str) -> String {
    format!("`{node}` is below a node whose scale differs along its axes, which shears what turns there")
}

/// Largest distance of a written joint from its pose, relative to the size of the figure.
const MISPLACED: f64 = 1e-4;

/// The motion of the joints' nodes: the rotations of all, then the places of those that move. What `clip` says of other properties and
/// other nodes stays. The error is a node that cannot be where the motion has it.
fn node_tracks(
    skeleton: &Skeleton,
    motion: &Motion,
    (nodes, clip): (&Nodes, &[keys::Track]),
    rig: &Rig,
) -> Result<Vec<Track>, usize> {
    let track = |node: usize, path| Track { node, path, values: Vec::with_capacity(motion.len()) };
    let leaves_its_place = |&joint: &usize| {
        let offset = skeleton.joints()[joint].offset;
        skeleton.joints()[joint].kind == Kind::Free
            || motion.moved_joints().contains(&joint)
            || offset.distance(rig.joints[joint].offset) > SAME_PLACE * offset.length()
    };
    let moving: Vec<usize> = (0..skeleton.len()).filter(leaves_its_place).collect();
    let mut rotations: Vec<Track> = rig.nodes.iter().map(|&node| track(node, ROTATION)).collect();
    let mut places: Vec<Track> = moving.iter().map(|&joint| track(rig.nodes[joint], PLACE)).collect();
    let is_kept = |track: &&keys::Track| match (rig.joint[track.node], track.property) {
        (None, _) | (_, Property::Scale) => true,
        (Some(_), Property::Rotation) => false,
        (Some(joint), Property::Place) => !moving.contains(&joint),
    };
    let kept: Vec<&keys::Track> = clip.iter().filter(is_kept).collect();
    let nearest = MISPLACED * nodes.size();
    for frame in 0..motion.len() {
        let frames = motion.frames(skeleton, frame);
        let mut locals: Vec<Transform> = nodes.nodes.iter().map(|node| node.local).collect();
        kept.iter().for_each(|track| track.apply(frame as f64 * motion.frame_time, &mut locals[track.node]));
        let mut world = vec![DMat4::IDENTITY; nodes.nodes.len()];
        for &at in &nodes.order {
            let above = nodes.nodes[at].parent.map_or(DMat4::IDENTITY, |parent| world[parent]);
            let Some(joint) = rig.joint[at] else {
                world[at] = above * locals[at].matrix();
                continue;
            };
            let (scale, _, rest_place) = locals[at].matrix().to_scale_rotation_translation();
            let rotation_in_world = frames[joint].rotation * rig.turn[joint].conjugate();
            let rotation = local_rotation(&above, rotation_in_world, scale);
            let place = match moving.iter().position(|&other| other == joint) {
                Some(slot) => {
                    let place = above.inverse().transform_point3(frames[joint].position);
                    places[slot].values.push(place.extend(0.0));
                    place
                }
                None => rest_place,
            };
            rotations[joint].values.push(rotation.into());
            world[at] = above * DMat4::from_scale_rotation_translation(scale, rotation, place);
            if world[at].w_axis.truncate().distance(frames[joint].position) > nearest {
                return Err(at);
            }
        }
    }
    rotations.extend(places);
    Ok(rotations)
}

/// The bare skeleton with a motion: one node per joint, and one at each other end of a link. An error if a joint is too far
/// away for glTF.
pub(crate) fn skeleton_only(scene: &Scene, motion: &Motion, form: Form) -> io::Result<Vec<u8>> {
    let skeleton = &scene.skeleton;
    let rest = zero_frames(skeleton, Isometry::IDENTITY);
    // Who reads a skin whose links have other lengths than the nodes has to take the nodes for the rest pose.
    let slides = skeleton.joints().iter().any(|joint| matches!(joint.kind, Kind::Slide { .. }));
    let start = match motion.is_empty() {
        false if slides => rest.clone(),
        false => motion.frames(skeleton, 0),
        true => skeleton.frames(&scene.start),
    };
    let mut nodes = joint_nodes(scene, &start);
    let joints = 0..skeleton.len();
    let roots: Vec<usize> = joints.clone().filter(|&joint| skeleton.joints()[joint].parent.is_none()).collect();
    // A node above all others: skins need a common root, and glTF has +Y up.
    let turn = upright(scene.up, Up::Y);
    nodes.push(json!({"name": scene.name, "children": roots, "rotation": turn.to_array()}));
    let top = nodes.len() - 1;
    let value = json!({
        "asset": {"version": "2.0", "generator": "fabrik3d"},
        "scene": 0,
        "scenes": [{"nodes": [top]}],
        "nodes": nodes,
        "skins": [{"joints": joints.collect::<Vec<_>>(), "skeleton": top}],
        "buffers": [{"byteLength": 0}],
    });
    let tracks = joint_tracks(skeleton, motion, &start);
    check_places(&tracks).map_err(|message| io::Error::new(io::ErrorKind::InvalidData, message))?;
    let mut store = Store { value, bytes: Vec::new() };
    let in_world = |frame: &Isometry| DMat4::from_rotation_translation(turn * frame.rotation, turn * frame.position);
    store.bind_skin(&rest.iter().map(|frame| in_world(frame).inverse()).collect::<Vec<_>>());
    store.add_animation(motion, &tracks);
    Ok(store.packed(form))
}

/// The nodes of all joints in a pose with these frames, then those of their tips.
fn joint_nodes(scene: &Scene, frames: &[Isometry]) -> Vec<Value> {
    let skeleton = &scene.skeleton;
    let joints = skeleton.joints();
    let mut children: Vec<Vec<usize>> = (0..joints.len()).map(|joint| skeleton.children(joint).to_vec()).collect();
    let mut tips = Vec::new();
    let end_sites = scene.assets.end_sites.iter().map(|end| (end.joint, end.name.clone(), end.tip));
    let named =
        |effector: &SceneEffector| (effector.effector.joint, format!("{}.tip", effector.name), effector.effector.tip);
    for (joint, name, tip) in end_sites.chain(scene.effectors_at_tips().map(named)) {
        children[joint].push(joints.len() + tips.len());
        tips.push(json!({"name": name, "translation": tip.to_array()}));
    }
    let node = |(joint, children): (usize, &Vec<usize>)| {
        let (place, rotation) = in_parent(skeleton, frames, joint);
        let mut node =
            json!({"name": joints[joint].name, "translation": place.to_array(), "rotation": rotation.to_array()});
        if !children.is_empty() {
            node["children"] = json!(children);
        }
        node
    };
    children.iter().enumerate().map(node).chain(tips).collect()
}

/// Place and rotation of a joint in the frame of its parent.
fn in_parent(skeleton: &Skeleton, frames: &[Isometry], joint: usize) -> (DVec3, DQuat) {
    let parent = skeleton.joints()[joint].parent.map_or(Isometry::IDENTITY, |parent| frames[parent]);
    let rotation = (parent.rotation.conjugate() * frames[joint].rotation).normalize();
    (parent.local(frames[joint].position), rotation)
}

/// The motion of all joints: their rotations, and the places of those that do not stay where they are at the start.
fn joint_tracks(skeleton: &Skeleton, motion: &Motion, start: &[Isometry]) -> Vec<Track> {
    let tracks = |path| (0..skeleton.len()).map(move |joint| Track { node: joint, path, values: Vec::new() });
    let (mut rotations, mut places): (Vec<Track>, Vec<Track>) = (tracks(ROTATION).collect(), tracks(PLACE).collect());
    for frame in 0..motion.len() {
        let frames = motion.frames(skeleton, frame);
        for joint in 0..skeleton.len() {
            let (place, rotation) = in_parent(skeleton, &frames, joint);
            rotations[joint].values.push(rotation.into());
            places[joint].values.push(place.extend(0.0));
        }
    }
    let moves = |track: &Track| {
        let rest = in_parent(skeleton, start, track.node).0.extend(0.0);
        track.values.iter().any(|place| place.distance(rest) > 1e-12 * (1.0 + rest.length()))
    };
    rotations.extend(places.into_iter().filter(moves));
    rotations
}
