//! A model as a scene.

use super::bodies::{self, Model, Robot};
use super::classes::Classes;
use super::settings::Settings;
use super::sources::Sources;
use super::{parts, shapes};
use crate::assets::Assets;
use crate::builder::SceneBuilder;
use crate::error::SceneError;
use crate::formats::SourceFile;
use crate::formats::urdf::{opening_pose, tips};
use crate::formats::xml::{self, fault};
use crate::options::RobotBase;
use crate::syntax_tree::fault::Read;
use crate::{Scene, Up};
use fabrik3d_ik::Skeleton;
use std::collections::HashSet;
use std::sync::Arc;

pub(crate) fn read(text: &str, file: &SourceFile<'_>) -> Result<Scene, SceneError> {
    let sources = Sources::read(text, file)?;
    let document = xml::parse(&sources.text).map_err(|fault| sources.error(fault))?;
    let root = document.root_element();
    read_model(root, &sources, file).map_err(|fault| sources.error(fault))
}

fn read_model(root: roxmltree::Node<'_, '_>, sources: &Sources, file: &SourceFile<'_>) -> Read<Scene> {
    if file.options.robot_base != RobotBase::Fixed {
        return Err(fault(root, "an MJCF model says itself how its base moves")
            .hint("add <freejoint/> to the body that floats, or slides and a hinge to one that drives"));
    }
    let model = Model { root, settings: Settings::read(root)?, classes: Classes::read(root)? };
    let mut robot = bodies::build(&model)?;
    if robot.bodies.len() == 1 {
        return Err(fault(root, "the model has no <body>").hint("bodies and their joints are inside <worldbody>"));
    }
    robot.follow(&model)?;
    let warnings = parts::unread(root, sources);
    let mut assets = Assets { warnings, in_metres: true, without_targets: true, ..Assets::default() };
    shapes::read(&model, &robot, file, &mut assets)?;
    let name = root.attribute("model").filter(|name| !name.trim().is_empty()).unwrap_or(file.name());
    let builder = SceneBuilder { joints: robot.joints.clone(), effectors: Vec::new() };
    let mut scene = builder.build(name).map_err(|error| fault(root, error.to_string()))?;
    scene.up = Up::Z;
    scene.loops = robot.loops(&model, &scene)?;
    scene.disabled_collisions = robot.excluded(&model)?;
    let keyframe = robot.keyframe(&model, parts::is_whole(root))?;
    let has_pose = keyframe.is_some();
    scene.start = keyframe.unwrap_or(robot.start.clone());
    scene.skeleton.project(&mut scene.start);
    scene.skeleton.follow(&mut scene.start);
    let links = links(root, &robot);
    scene.effectors = tips::effectors(&links, trunk(&links, &scene.skeleton), &scene.skeleton);
    if !has_pose {
        opening_pose::bend_arms(&mut scene);
    }
    opening_pose::place_targets(&mut scene);
    assets.links = links.iter().map(|link| (link.name.to_owned(), link.joint)).collect();
    assets.warnings.extend(robot.warnings.drain(..).map(|fault| sources.warning(fault)));
    scene.assets = Arc::new(assets);
    Ok(scene)
}

/// The frames that the file names: bodies, then sites. Sites are points of all kinds: those that something else names, such as sensors
/// and tendons, are there for that.
fn links<'r>(root: roxmltree::Node<'_, '_>, robot: &'r Robot<'_, '_>) -> Vec<tips::Link<'r>> {
    let attributes = root.descendants().flat_map(|node| node.attributes());
    let used: HashSet<&str> = attributes.filter(|own| own.name().contains("site")).map(|own| own.value()).collect();
    let bodies = robot.bodies.iter();
    let bodies =
        bodies.map(|body| tips::Link { name: &body.name, joint: body.joint, is_tip: body.is_tip, is_frame: false });
    let site = |&(name, joint): &(&'r str, usize)| {
        let is_tip = tips::is_tool_or_hand(name);
        tips::Link { name, joint, is_tip, is_frame: !used.contains(name) }
    };
    bodies.chain(robot.sites.iter().map(site)).collect()
}

/// The joint at which the ways to all tips part. The world is no part of a robot that hangs or floats in it.
fn trunk(links: &[tips::Link<'_>], skeleton: &Skeleton) -> usize {
    let mut tips = links.iter().filter(|link| link.is_tip).map(|link| link.joint);
    let way: Vec<usize> = tips.next().into_iter().flat_map(|first| skeleton.ancestors(first)).collect();
    let mut place = vec![None; skeleton.len()];
    way.iter().enumerate().for_each(|(at, &joint)| place[joint] = Some(at));
    let meets = |tip: usize| skeleton.ancestors(tip).find_map(|joint| place[joint]);
    tips.filter_map(meets).max().or(Some(0)).and_then(|at| way.get(at).copied()).unwrap_or(0)
}
