//! A robot as a scene.

use super::{joints, link_shapes, masses, opening_pose, parts, srdf, tips, tree};
use crate::assets::Assets;
use crate::builder::SceneBuilder;
use crate::formats::SourceFile;
use crate::formats::xml;
use crate::printable::listed;
use crate::syntax_tree::fault::Read;
use crate::{Scene, Up};
use roxmltree::Node;
use std::sync::Arc;

/// Reads the element <robot> of a text with these namespace prefixes that are not declared.
pub(crate) fn read(robot: Node<'_, '_>, text: &str, file: &SourceFile<'_>, undeclared: &[String]) -> Read<Scene> {
    let (tree, mut warnings) = without_macros(robot, text)?;
    warnings.extend(parts::unread(robot, text));
    if !undeclared.is_empty() {
        let names = listed(undeclared);
        warnings.push(format!("elements with undeclared namespace prefixes are ignored: {names}"));
    }
    let built = joints::build(&tree, file.options)?;
    let name = robot.attribute("name").filter(|name| !name.trim().is_empty()).unwrap_or(file.name());
    warnings.extend(built.warnings);
    let (masses, without_mass) = masses::read(&tree, &built.link_joints, text);
    warnings.extend(without_mass);
    let mut assets = Assets { warnings, in_metres: true, without_targets: true, ..Assets::default() };
    link_shapes::read(robot, &tree, &built.link_joints, file, &mut assets);
    let builder = SceneBuilder { joints: built.joints, effectors: Vec::new() };
    let mut scene = builder.build(name).map_err(|error| xml::fault(robot, error.to_string()))?;
    let links = tree.links.iter().zip(&built.link_joints);
    let links: Vec<_> = links
        .map(|(link, &joint)| tips::Link { name: link.name, joint, is_tip: link.is_tip, is_frame: false })
        .collect();
    scene.effectors = tips::effectors(&links, 0, &scene.skeleton);
    scene.up = Up::Z;
    scene.velocity_limits = built.velocity_limits;
    scene.masses = masses;
    opening_pose::bend_arms(&mut scene);
    opening_pose::place_targets(&mut scene);
    assets.links = tree.links.iter().map(|link| link.name.to_owned()).zip(built.link_joints).collect();
    assets.file_order = built.file_order;
    scene.disabled_collisions =
        srdf::disabled_collisions((file.path, &file.options.files), &assets.links, &mut assets.warnings);
    scene.assets = Arc::new(assets);
    Ok(scene)
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
