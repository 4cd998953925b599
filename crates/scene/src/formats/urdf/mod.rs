//! URDF, the unified robot description format of ROS: links, joints with limits, and what they look like.
//!
//! Each URDF joint becomes a joint of the same name whose frame is its child link's; the root link becomes a fixed joint.
//! A planar joint becomes two slides and a hinge. Every link without children becomes an effector; those that another one
//! carries along (fingers, flanges) are asked for nothing at first. +Z is up, as in ROS.

pub(crate) mod joints;
pub(crate) mod opening_pose;
pub(crate) mod package;
pub(crate) mod tree;
pub(crate) mod visual;

use super::xml;
use crate::assets::Assets;
use crate::builder::SceneBuilder;
use crate::open::OpenOptions;
use crate::syntax_tree::fault::Read;
use crate::{Hold, Scene, SceneEffector, Up};
use fabrik3d_ik::{Effector, Skeleton, Target};
use glam::DVec3;
use roxmltree::Node;
use std::path::Path;
use std::sync::Arc;

/// Reads a robot; `path` is where relative names of meshes start from, `name` its name if it has none itself.
pub(crate) fn read(text: &str, path: &Path, name: &str, options: &OpenOptions) -> Read<Scene> {
    let document = xml::parse(text)?;
    let robot = document.root_element();
    check_robot(robot)?;
    let tree = tree::read_tree(robot)?;
    let figure = joints::build(&tree)?;
    let mut builder = SceneBuilder { joints: figure.joints, effectors: Vec::new() };
    let skeleton = Skeleton::new(builder.joints.clone()).map_err(|error| xml::fault(robot, error.to_string()))?;
    let frames = skeleton.frames(&skeleton.rest_pose());
    let tips = tree.links.iter().zip(&figure.link_joints).filter(|(link, _)| link.is_tip);
    // An effector needs a link to pull at.
    let tips = tips.filter(|&(_, &joint)| Effector::new(joint, DVec3::ZERO).reach(&skeleton) > 0.0);
    let mut asked = vec![false; skeleton.len()];
    for (link, &joint) in tips {
        let position = (!goes_along(&skeleton, joint, &asked)).then_some(frames[joint].position);
        if position.is_some() {
            skeleton.ancestors(joint).for_each(|at| asked[at] = true);
        }
        builder.effectors.push(SceneEffector {
            name: link.name.to_owned(),
            effector: Effector::new(joint, DVec3::ZERO),
            target: Target { position, rotation: None },
            weight: 1.0,
            rotation_weight: 1.0,
            hold: Hold::default(),
            presets: Vec::new(),
        });
    }
    let name = robot.attribute("name").filter(|name| !name.trim().is_empty()).unwrap_or(name);
    let mut assets = Assets { warnings: figure.warnings, ..Assets::default() };
    visual::read_visuals(robot, &tree, &figure.link_joints, path, options, &mut assets)?;
    let mut scene = builder.build(name).map_err(|error| xml::fault(robot, error.to_string()))?;
    scene.up = Up::Z;
    // An arm with one hand; what has several stands as it was described.
    let mut asked = scene.effectors.iter().filter(|effector| effector.target.position.is_some());
    if let (Some(hand), None) = (asked.next(), asked.next()) {
        scene.start = opening_pose::opening_pose(&scene.skeleton, hand.effector);
        let frames = scene.skeleton.frames(&scene.start);
        for effector in &mut scene.effectors {
            let place = frames[effector.effector.joint].position;
            effector.target.position = effector.target.position.map(|_| place);
        }
    }
    scene.assets = Arc::new(assets);
    Ok(scene)
}

/// Joints that a point needs of its own to stay where it is while others are moved.
const FREEDOM: usize = 3;

/// Whether a tip hangs on joints that another effector moves, with too few of its own to stay behind: fingers, tool
/// flanges, cameras. Asked for together with that effector they would hold it fast.
fn goes_along(skeleton: &Skeleton, tip: usize, asked: &[bool]) -> bool {
    let moves =
        |&joint: &usize| skeleton.kind(joint).coordinate_count() > 0 && skeleton.joints()[joint].mimic.is_none();
    let (shared, own): (Vec<usize>, Vec<usize>) =
        skeleton.ancestors(tip).filter(moves).partition(|&joint| asked[joint]);
    own.len() < FREEDOM && own.len() < shared.len()
}

fn check_robot(robot: Node<'_, '_>) -> Read<()> {
    let is_xacro =
        |node: Node<'_, '_>| node.is_element() && node.tag_name().namespace().is_some_and(|uri| uri.contains("xacro"));
    if let Some(node) = robot.descendants().find(|&node| is_xacro(node)) {
        let message = format!("this is a xacro file, not URDF: <xacro:{}> is a macro", node.tag_name().name());
        return Err(xml::fault(node, message).hint("turn it into URDF first: xacro robot.xacro > robot.urdf"));
    }
    match robot.tag_name().name() {
        "robot" => Ok(()),
        "sdf" => Err(xml::fault(robot, "this is SDF, not URDF").hint("convert it first, for example with sdf2urdf")),
        other => Err(xml::fault(robot, format!("expected <robot>, found <{}>", xml::short(other)))),
    }
}
