//! From bodies and their joints to the joints of a skeleton.

use super::classes::{Classes, Element, MAIN};
use super::frames::{direction, read_frame, read_span};
use super::settings::{Settings, choice};
use crate::builder::{MAX_JOINTS, UniqueNames};
use crate::formats::urdf::tips::is_tool_or_hand;
use crate::formats::xml::{children, fault, own_children, title};
use crate::syntax_tree::fault::{Fault, Read};
use fabrik3d_ik::errors::LimitError;
use fabrik3d_ik::maths;
use fabrik3d_ik::{Coordinates, Interval, Isometry, Joint, Kind};
use glam::{DQuat, DVec3};
use roxmltree::Node;
use std::collections::HashMap;
use std::f64::consts::PI;

/// The name of the world among the bodies.
const WORLD: &str = "world";
/// The names of kinds of joints.
const TYPES: [&str; 4] = ["hinge", "slide", "ball", "free"];

/// What the parts of a model share.
pub(crate) struct Model<'a, 'i> {
    pub root: Node<'a, 'i>,
    pub settings: Settings<'a>,
    pub classes: Classes<'a, 'i>,
}

/// An element in a body, with what is around it there.
pub(crate) struct Placed<'a, 'i> {
    pub node: Node<'a, 'i>,
    /// The `<frame>`s around it, in the frame of the body.
    pub frame: Isometry,
    /// Its default class.
    pub class: usize,
}

pub(crate) struct Body<'a, 'i> {
    pub name: String,
    /// The joint with its frame.
    pub joint: usize,
    pub contents: Vec<Placed<'a, 'i>>,
    /// Whether it carries neither a body nor the frame of a tool.
    pub is_tip: bool,
    /// Whether the user of the model moves it.
    pub is_mocap: bool,
}

/// The bodies and joints of a model. The world is the first of both.
pub(crate) struct Robot<'a, 'i> {
    pub joints: Vec<Joint>,
    /// For each joint, the coordinates that MuJoCo begins with (`qpos0`).
    pub start: Vec<Coordinates>,
    pub bodies: Vec<Body<'a, 'i>>,
    /// The named sites, with the joints that have their frames.
    pub sites: Vec<(&'a str, usize)>,
    /// The joints, bodies and sites by the names in the file.
    pub joint_of: HashMap<&'a str, usize>,
    pub body_of: HashMap<&'a str, usize>,
    pub warnings: Vec<Fault>,
    joint_names: UniqueNames,
    body_names: UniqueNames,
}

impl<'a, 'i> Model<'a, 'i> {
    /// The elements of a body, those in `<frame>`s too, in the order of the file.
    fn contents(&self, body: Node<'a, 'i>, class: usize) -> Read<Vec<Placed<'a, 'i>>> {
        let within = |node: Node<'a, 'i>, frame: Isometry, class: usize| {
            own_children(node).rev().map(move |node| Placed { node, frame, class })
        };
        let mut found = Vec::new();
        let mut waiting: Vec<_> = within(body, Isometry::IDENTITY, class).collect();
        while let Some(placed) = waiting.pop() {
            if placed.node.has_tag_name("frame") {
                let frame = placed.frame.frame(read_frame(&Element::plain(placed.node), &self.settings)?);
                let class = self.classes.named(placed.node, "childclass")?.unwrap_or(placed.class);
                waiting.extend(within(placed.node, frame, class));
            } else {
                found.push(placed);
            }
        }
        Ok(found)
    }

    /// An element with its defaults.
    pub fn element(&self, placed: &Placed<'a, 'i>, tag: &'static str) -> Read<Element<'a, 'i>> {
        self.classes.element(placed.node, tag, placed.class)
    }
}

/// The name of an element, if it has one.
pub(crate) fn name_of<'a>(node: Node<'a, '_>) -> Option<&'a str> {
    node.attribute("name").filter(|name| !name.is_empty())
}

/// The names of all elements in the world with one of these tags; equal names are a fault.
fn names<'a>(model: Node<'a, '_>, tags: &[&str], taken: &[&'a str]) -> Read<Vec<&'a str>> {
    let mut known: HashMap<&str, ()> = taken.iter().map(|name| (*name, ())).collect();
    let mut all = Vec::new();
    for node in children(model, "worldbody").flat_map(|world| world.descendants()) {
        if tags.iter().any(|tag| node.has_tag_name(*tag))
            && let Some(name) = name_of(node)
        {
            if known.insert(name, ()).is_some() {
                let what = if tags[0] == "body" { "bodies" } else { &format!("{}s", tags[0]) };
                return Err(fault(node, format!("two {what} are named `{name}`"))
                    .hint(format!("every {} needs a name of its own", tags[0])));
            }
            all.push(name);
        }
    }
    Ok(all)
}

pub(crate) fn build<'a, 'i>(model: &Model<'a, 'i>) -> Read<Robot<'a, 'i>> {
    let joint_names = names(model.root, &["joint", "freejoint"], &[])?;
    let body_names = names(model.root, &["body"], &[WORLD])?;
    names(model.root, &["site"], &[])?;
    let mut contents = Vec::new();
    for world in children(model.root, "worldbody") {
        contents.extend(model.contents(world, MAIN)?);
    }
    let mut robot = Robot {
        joints: Vec::new(),
        start: Vec::new(),
        bodies: Vec::new(),
        sites: Vec::new(),
        joint_of: HashMap::new(),
        body_of: HashMap::from([(WORLD, 0)]),
        warnings: Vec::new(),
        joint_names: UniqueNames::of(joint_names),
        body_names: UniqueNames::of(body_names.into_iter().chain([WORLD])),
    };
    let name = robot.joint_names.claim(WORLD);
    robot.push(Joint::new(name, None, DVec3::ZERO, Kind::Fixed), Coordinates::default());
    let joints = |contents: &[Placed<'a, 'i>]| contents.iter().map(|placed| placed.node).find(is_joint);
    if let Some(joint) = joints(&contents) {
        return Err(fault(joint, "the world has no joints").hint("put the joint into the <body> that it moves"));
    }
    robot.bodies.push(Body { name: WORLD.to_owned(), joint: 0, contents, is_tip: false, is_mocap: false });
    robot.add_sites(model, 0)?;
    // A body with the one that carries it, both as numbers: of an element of that one, and of a body.
    let inner = |robot: &Robot<'_, '_>, at: usize| -> Vec<(usize, usize)> {
        let contents = robot.bodies[at].contents.iter().enumerate();
        let bodies = contents.filter(|(_, placed)| placed.node.has_tag_name("body"));
        bodies.map(|(element, _)| (at, element)).rev().collect()
    };
    let mut waiting = inner(&robot, 0);
    while let Some((carrier, element)) = waiting.pop() {
        let at = robot.add_body(model, carrier, element)?;
        waiting.extend(inner(&robot, at));
    }
    Ok(robot)
}

fn is_joint(node: &Node<'_, '_>) -> bool {
    node.has_tag_name("joint") || node.has_tag_name("freejoint")
}

impl<'a, 'i> Robot<'a, 'i> {
    fn push(&mut self, joint: Joint, start: Coordinates) -> usize {
        self.joints.push(joint);
        self.start.push(start);
        self.joints.len() - 1
    }

    /// Adds the body that is an element of another.
    fn add_body(&mut self, model: &Model<'a, 'i>, carrier: usize, element: usize) -> Read<usize> {
        let Placed { node, frame, class } = self.bodies[carrier].contents[element];
        self.bodies[carrier].is_tip = false;
        let class = model.classes.named(node, "childclass")?.unwrap_or(class);
        let frame = frame.frame(read_frame(&Element::plain(node), &model.settings)?);
        let contents = model.contents(node, class)?;
        let name = name_of(node).map_or_else(|| self.body_names.claim("body"), str::to_owned);
        let at = self.bodies.len();
        let is_mocap = choice(node, "mocap", ["false", "true"])? == Some(1);
        let joint = self.add_joints(model, (carrier, frame), &contents, &name)?;
        self.bodies.push(Body { name, joint, contents, is_tip: true, is_mocap });
        self.body_of.extend(name_of(node).map(|name| (name, at)));
        self.add_sites(model, at)?;
        match self.joints.len() > MAX_JOINTS {
            true => Err(fault(node, format!("more than {MAX_JOINTS} joints, bodies and sites are not supported"))),
            false => Ok(at),
        }
    }

    /// Adds the joints of a body, one after the other, and returns the one with its frame. `frame` is that of the body without
    /// them, in the frame of its carrier.
    fn add_joints(
        &mut self,
        model: &Model<'a, 'i>,
        (carrier, mut frame): (usize, Isometry),
        contents: &[Placed<'a, 'i>],
        body: &str,
    ) -> Read<usize> {
        let first = self.joints.len();
        let mut last = self.bodies[carrier].joint;
        for placed in contents.iter().filter(|placed| is_joint(&placed.node)) {
            let JointPart { kind, anchor, reference } = self.read_joint(model, placed)?;
            let name = name_of(placed.node).map_or_else(|| self.joint_names.claim(body), str::to_owned);
            if kind == Kind::Free && (carrier != 0 || self.joints.len() > first) {
                let message =
                    format!("{} moves freely, which only the one joint of a body in the world can", title(placed.node));
                return Err(
                    fault(placed.node, message).hint("move the <body> out of the others, or give it hinges and slides")
                );
            }
            if self.joints[first..].iter().any(|joint| joint.kind == Kind::Free) {
                return Err(fault(placed.node, format!("{} is beside a free joint", title(placed.node)))
                    .hint("a free joint is the only one of its body: remove one of them"));
            }
            let mut joint = Joint::new(name, Some(last), frame.point(anchor), kind);
            joint.rest = frame.rotation;
            let mut start = Coordinates::scalar(reference);
            match kind {
                Kind::Hinge { axis, .. } => joint.rest *= maths::turn(axis, -reference),
                Kind::Slide { axis, .. } => joint.offset -= joint.rest * axis * reference,
                Kind::Free => {
                    (joint.offset, joint.rest) = (DVec3::ZERO, DQuat::IDENTITY);
                    start = Coordinates::free(frame.position, frame.rotation);
                }
                _ => start = kind.rest(),
            }
            last = self.push(joint, start);
            self.joint_of.extend(name_of(placed.node).map(|name| (name, last)));
            frame = Isometry::new(-anchor, DQuat::IDENTITY);
        }
        if self.joints.len() == first || frame.position != DVec3::ZERO {
            let mut joint = Joint::new(self.joint_names.claim(body), Some(last), frame.position, Kind::Fixed);
            joint.rest = frame.rotation;
            last = self.push(joint, Coordinates::default());
        }
        Ok(last)
    }

    /// Adds a fixed joint for each named site of a body.
    fn add_sites(&mut self, model: &Model<'a, 'i>, body: usize) -> Read<()> {
        let mut sites = Vec::new();
        for placed in &self.bodies[body].contents {
            if let Some(name) = name_of(placed.node).filter(|_| placed.node.has_tag_name("site")) {
                let (frame, _) = read_span(&model.element(placed, "site")?, &model.settings)?;
                sites.push((name, placed.frame.frame(frame)));
            }
        }
        for (name, frame) in sites {
            let own = self.joint_names.claim(name);
            let mut joint = Joint::new(own, Some(self.bodies[body].joint), frame.position, Kind::Fixed);
            joint.rest = frame.rotation;
            let at = self.push(joint, Coordinates::default());
            self.sites.push((name, at));
            self.bodies[body].is_tip &= !is_tool_or_hand(name);
        }
        Ok(())
    }

    fn read_joint(&mut self, model: &Model<'a, 'i>, placed: &Placed<'a, 'i>) -> Read<JointPart> {
        let free = JointPart { kind: Kind::Free, anchor: DVec3::ZERO, reference: 0.0 };
        if placed.node.has_tag_name("freejoint") {
            return Ok(free);
        }
        let element = model.element(placed, "joint")?;
        let of_type = choice(element.holder("type"), "type", TYPES)?.unwrap_or(0);
        if of_type == 3 {
            return Ok(free);
        }
        // A slide moves the same wherever it is.
        let anchor = element.numbers::<3>("pos")?.filter(|_| of_type != 1).map_or(DVec3::ZERO, DVec3::from_array);
        let anchor = if of_type == 1 { DVec3::ZERO } else { placed.frame.point(anchor) };
        let angle = |value: f64| if of_type == 1 { value } else { model.settings.angle(value) };
        let range = read_range(&element, &model.settings)?.map(|range| range.map(angle));
        if of_type == 2 {
            return Ok(JointPart { kind: self.ball(&element, range)?, anchor, reference: 0.0 });
        }
        let axis = element.numbers::<3>("axis")?.map_or(DVec3::Z, DVec3::from_array);
        let axis = direction(axis).ok_or_else(|| {
            let message = format!("{}: the axis has no direction", title(element.node));
            fault(element.holder("axis"), message).hint("for example axis=\"0 0 1\"")
        })?;
        let axis = placed.frame.rotation * axis;
        let range = range.map(|[low, high]| Interval::new(low, high)).transpose();
        let range = range.map_err(|error| limit_fault(&element, &error))?;
        let reference = angle(element.number("ref")?.unwrap_or(0.0));
        let kind = if of_type == 1 { Kind::Slide { axis, range } } else { Kind::Hinge { axis, range } };
        Ok(JointPart { kind, anchor, reference })
    }

    /// A ball whose whole turn is limited. Swing and twist are limited here, to equal angles of which the two together make that turn
    /// at most.
    fn ball(&mut self, element: &Element<'_, '_>, range: Option<[f64; 2]>) -> Read<Kind> {
        let Some([low, high]) = range else { return Ok(Kind::UNLIMITED_BALL) };
        if low != 0.0 {
            let message = format!("{}: the range of a ball begins at 0", title(element.node));
            return Err(fault(element.holder("range"), message).hint("its second number is the largest turn"));
        }
        if high >= PI {
            return Ok(Kind::UNLIMITED_BALL);
        }
        let message = format!(
            "{}: its range limits the whole turn; tilt and twist get narrower limits that keep it",
            title(element.node)
        );
        self.warnings.push(fault(element.node, message));
        let each = 2.0 * maths::acos(maths::cos(0.5 * high).sqrt());
        Kind::limited_ball(each, each).map_err(|error| limit_fault(element, &error))
    }
}

struct JointPart {
    kind: Kind,
    /// The point of the body that the joint leaves where it is.
    anchor: DVec3,
    /// The coordinate in the pose of the file.
    reference: f64,
}

fn limit_fault(element: &Element<'_, '_>, error: &LimitError) -> Fault {
    fault(element.holder("range"), format!("{}: {error}", title(element.node)))
}

/// The range of a joint that is limited, as it is written.
fn read_range(element: &Element<'_, '_>, settings: &Settings<'_>) -> Read<Option<[f64; 2]>> {
    let range = element.numbers::<2>("range")?;
    let is_range = range.is_some_and(|[low, high]| low < high);
    let fault = |message: &str, hint: &str| {
        Err(fault(element.holder("range"), format!("{}: {message}", title(element.node))).hint(hint))
    };
    match choice(element.holder("limited"), "limited", ["false", "true", "auto"])? {
        Some(0) => Ok(None),
        Some(1) if !is_range => fault("it is limited, but its range is empty", "for example range=\"-90 90\""),
        Some(1) => Ok(range),
        _ if is_range && !settings.autolimits => fault(
            "its range does not say whether it counts",
            "add limited=\"true\", or autolimits=\"true\" to <compiler>",
        ),
        _ => Ok(range.filter(|_| is_range)),
    }
}
