//! What of a model is read, or says nothing about where bodies are. Anything else is told.

use super::sources::Sources;
use crate::formats::xml::{Part, children, fault, own_children, told_once};
use crate::printable::listed;
use crate::syntax_tree::fault::Fault;
use roxmltree::Node;

/// Parts of a model that do not say how bodies move: they are told in one list.
const OTHER_SECTIONS: &str = "option size visual statistic extension deformable tendon actuator sensor custom";
const OTHER_ASSETS: &str = "texture hfield skin model";
const IN_BODIES: [&str; 4] = ["camera", "light", "plugin", "pair"];
/// Elements that stand for bodies which MuJoCo makes.
const MADE: [&str; 4] = ["replicate", "composite", "flexcomp", "attach"];

const BODY: &str =
    "body joint freejoint geom site frame inertial camera light plugin replicate composite flexcomp attach";

static SECTIONS: [Part; 6] = [
    Part {
        tag: "mujoco",
        attributes: "model",
        children: "compiler default asset worldbody equality keyframe contact option size visual statistic extension deformable tendon actuator sensor custom",
    },
    Part {
        tag: "compiler",
        attributes: "angle assetdir autolimits balanceinertia boundinertia boundmass conflict convexhull coordinate discardvisual eulerseq exactmeshinertia fitaabb fusestatic inertiafromgeom inertiagrouprange meshdir passthrough savecanonical savecompiled saveinertial settotalmass strippath texturedir usethread",
        children: "lengthrange",
    },
    Part { tag: "asset", attributes: "", children: "mesh material texture hfield skin model" },
    Part { tag: "keyframe", attributes: "", children: "key" },
    Part { tag: "equality", attributes: "", children: "connect weld joint tendon flex flexvert flexstrain distance" },
    Part { tag: "contact", attributes: "", children: "exclude pair" },
];

/// The elements of the world. Those of default classes have the same attributes.
static WORLD: [Part; 8] = [
    Part { tag: "worldbody", attributes: "", children: BODY },
    Part {
        tag: "body",
        attributes: "axisangle childclass euler fuse gravcomp mocap name pos quat simple sleep user xyaxes zaxis",
        children: BODY,
    },
    Part { tag: "frame", attributes: "axisangle childclass euler name pos quat xyaxes zaxis", children: BODY },
    Part {
        tag: "joint",
        attributes: "actuatorfrclimited actuatorfrcrange actuatorgravcomp armature axis class damping frictionloss group limited margin name pos range ref solimpfriction solimplimit solreffriction solreflimit springdamper springref springyield stiffness type user",
        children: "",
    },
    Part { tag: "freejoint", attributes: "group name", children: "" },
    Part {
        tag: "geom",
        attributes: "adhesion axisangle castshadow class conaffinity condim contype density euler fitscale fluidcoef fluidshape friction fromto gap group hfield margin mass material mesh name pos priority quat rgba shellinertia size solimp solmix solref surfacevel type user xyaxes zaxis",
        children: "plugin",
    },
    Part {
        tag: "site",
        attributes: "axisangle class euler fromto group material mesh name pos quat rgba size type user xyaxes zaxis",
        children: "",
    },
    Part {
        tag: "mesh",
        attributes: "builtin class content_type face file inertia material maxhullvert name normal params refpos refquat scale smoothnormal texcoord vertex",
        children: "plugin",
    },
];

static EQUALITIES: [Part; 3] = [
    Part { tag: "connect", attributes: "active anchor body1 body2 class name site1 site2 solimp solref", children: "" },
    Part {
        tag: "weld",
        attributes: "active anchor body1 body2 class name relpose site1 site2 solimp solref torquescale",
        children: "",
    },
    Part { tag: "joint", attributes: "active class joint1 joint2 name polycoef solimp solref", children: "" },
];

/// Whether all bodies of a model are read.
pub(crate) fn is_whole(model: Node<'_, '_>) -> bool {
    !model.descendants().any(|node| MADE.iter().any(|tag| node.has_tag_name(*tag)))
}

/// Warnings about what is not read.
pub(crate) fn unread(model: Node<'_, '_>, sources: &Sources) -> Vec<String> {
    let of = |parts: &'static [Part], nodes: Vec<Node<'_, '_>>| -> Vec<Fault> {
        let part = |node: Node<'_, '_>| parts.iter().find(|part| node.has_tag_name(part.tag));
        nodes.into_iter().filter_map(|node| Some(part(node)?.unread_of_many(node))).flatten().collect()
    };
    let inside = |tag: &'static str| children(model, tag).flat_map(|section| section.descendants());
    // What makes bodies has elements of its own.
    let is_made = |node: &Node<'_, '_>| node.ancestors().any(|above| MADE.iter().any(|tag| above.has_tag_name(*tag)));
    let world = inside("worldbody").filter(|node| !is_made(node));
    let world = world.chain(inside("asset")).chain(inside("default")).collect();
    let equalities = inside("equality").collect();
    let made = model.descendants().filter(|node| MADE.iter().any(|tag| node.has_tag_name(*tag)));
    let made = made.map(|node| {
        fault(node, format!("the bodies that <{}> makes are missing", node.tag_name().name()))
            .hint("save the model with MuJoCo, which writes them: mujoco.mj_saveLastXML")
    });
    let sections = std::iter::once(model).chain(own_children(model)).collect();
    let faults = of(&SECTIONS, sections).into_iter().chain(of(&WORLD, world));
    let told = told_once(faults.chain(of(&EQUALITIES, equalities)).chain(made), |fault| sources.warning(fault));
    others(model).into_iter().chain(told).collect()
}

/// The warning with the list of the parts that do not say how bodies move.
fn others(model: Node<'_, '_>) -> Option<String> {
    let mut names: Vec<&str> = Vec::new();
    let sections = own_children(model).filter(|node| OTHER_SECTIONS.split(' ').any(|tag| node.has_tag_name(tag)));
    let assets = children(model, "asset").flat_map(own_children);
    let assets = assets.filter(|node| OTHER_ASSETS.split(' ').any(|tag| node.has_tag_name(tag)));
    let inside = ["worldbody", "contact"].into_iter().flat_map(|tag| children(model, tag));
    let inside = inside.flat_map(|section| section.descendants());
    let inside = inside.filter(|node| IN_BODIES.iter().any(|tag| node.has_tag_name(*tag)));
    for node in sections.chain(assets).chain(inside) {
        let name = node.tag_name().name();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    (!names.is_empty()).then(|| format!("not read, since it does not say how bodies move: {}", listed(&names)))
}
