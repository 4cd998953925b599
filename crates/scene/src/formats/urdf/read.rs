//! A robot as a scene.

use super::{joints, link_shapes, opening_pose, parts, srdf, tips, tree};
use crate::assets::Assets;
use crate::builder::SceneBuilder;
use crate::error::SceneError;
use crate::formats::SourceFile;
use crate::formats::xml;
use crate::printable::{listed, short};
use crate::syntax_tree::fault::Read;
use crate::{Scene, Up};
use fabrik3d_ik::Effector;
use roxmltree::Node;
use std::sync::Arc;

pub(crate) fn read(mut file: SourceFile<'_>) -> Result<Scene, SceneError> {
    let bytes = std::mem::take(&mut file.bytes);
    let (text, undeclared) = xml::with_declared_prefixes(xml::text(bytes, file.origin)?);
    read_robot(&text, &file, &undeclared).map_err(|fault| fault.in_text(file.origin, &text))
}

fn read_robot(text: &str, file: &SourceFile<'_>, undeclared: &[String]) -> Read<Scene> {
    let document = xml::parse(text)?;
    let robot = document.root_element();
    check_robot(robot)?;
    let (tree, mut warnings) = without_macros(robot, text)?;
    warnings.extend(parts::unread(robot, text));
    if !undeclared.is_empty() {
        let names = listed(undeclared);
        warnings.push(format!("elements with undeclared namespace prefixes are ignored: {names}"));
    }
    let built = joints::build(&tree, file.options)?;
    let name = robot.attribute("name").filter(|name| !name.trim().is_empty()).unwrap_or(file.name());
    warnings.extend(built.warnings);
    let mut assets = Assets { warnings, in_metres: true, without_targets: true, ..Assets::default() };
    link_shapes::read(robot, &tree, &built.link_joints, file, &mut assets);
    let builder = SceneBuilder { joints: built.joints, effectors: Vec::new() };
    let mut scene = builder.build(name).map_err(|error| xml::fault(robot, error.to_string()))?;
    scene.effectors = tips::effectors(&tree, &built.link_joints, &scene.skeleton);
    scene.up = Up::Z;
    scene.velocity_limits = built.velocity_limits;
    bend_arms(&mut scene);
    assets.links = tree.links.iter().map(|link| link.name.to_owned()).zip(built.link_joints).collect();
    assets.file_order = built.file_order;
    scene.disabled_collisions =
        srdf::disabled_collisions((file.path, &file.options.files), &assets.links, &mut assets.warnings);
    scene.assets = Arc::new(assets);
    Ok(scene)
}

/// Opens the robot with bent arms: that of its only effector with a target, or those of its tools and hands. The targets of
/// the effectors move with them.
fn bend_arms(scene: &mut Scene) {
    let ends: Vec<(Effector, bool)> = scene
        .effectors
        .iter()
        .filter(|effector| effector.target.position.is_some())
        .map(|effector| (effector.effector, tips::is_tool_or_hand(&effector.name)))
        .collect();
    let skeleton = &scene.skeleton;
    let mut users = vec![0; skeleton.len()];
    ends.iter().for_each(|(end, _)| skeleton.ancestors(end.joint).for_each(|joint| users[joint] += 1));
    for (end, is_hand) in &ends {
        if ends.len() == 1 || *is_hand {
            opening_pose::bend(skeleton, *end, &|joint| users[joint] == 1, &mut scene.start);
        }
    }
    let frames = skeleton.frames(&scene.start);
    for effector in &mut scene.effectors {
        let place = frames[effector.effector.joint].position;
        effector.target.position = effector.target.position.map(|_| place);
    }
}

fn check_robot(robot: Node<'_, '_>) -> Read<()> {
    match robot.tag_name().name() {
        "robot" => Ok(()),
        "mujoco" => Err(xml::fault(robot, "this is MJCF (MuJoCo), not URDF").hint("convert it to URDF first")),
        "sdf" => Err(xml::fault(robot, "this is SDF, not URDF").hint("convert it first, for example with sdf2urdf")),
        other => Err(xml::fault(robot, format!("expected <robot>, found <{}>", short(other)))),
    }
}

/// The tree of a robot, and a warning about macros that are left over. Such a macro is a fault if joints may be missing because of
/// it: if it is inside of one, if it holds links or joints, or if there is no tree with joints without it.
fn without_macros<'a, 'i>(robot: Node<'a, 'i>, text: &str) -> Read<(tree::Tree<'a, 'i>, Vec<String>)> {
    let is_macro =
        |node: &Node<'_, '_>| node.is_element() && node.tag_name().namespace().is_some_and(|uri| uri.contains("xacro"));
    let is_part = |node: Node<'_, '_>| ["link", "joint"].contains(&node.tag_name().name());
    let Some(first) = robot.descendants().find(is_macro) else { return Ok((tree::read_tree(robot)?, Vec::new())) };
    let macro_fault = |node: Node<'_, '_>| {
        let message = format!("this is a xacro file, not URDF: <xacro:{}> is a macro", node.tag_name().name());
        xml::fault(node, message).hint("turn it into URDF first: xacro robot.xacro > robot.urdf")
    };
    let says_where = |node: &Node<'_, '_>| {
        node.ancestors().any(|above| above.has_tag_name("joint")) || node.descendants().any(is_part)
    };
    if let Some(node) = robot.descendants().filter(is_macro).find(says_where) {
        return Err(macro_fault(node));
    }
    let tree = tree::read_tree(robot).ok().filter(|tree| !tree.joints.is_empty());
    let warning = xml::fault(first, format!("<xacro:{}> is a macro, which is ignored", first.tag_name().name()));
    Ok((tree.ok_or_else(|| macro_fault(first))?, vec![warning.warning(text)]))
}
