//! A scene as a syntax tree. Defaults are left out.

use super::chains::{trailing_chains, write_chain};
use super::goals::HOLDS;
use super::read::{PREFER, UP};
use crate::builder::ITERATIONS_PER_FRAME;
use crate::retarget::NAMED_PARTS;
use crate::syntax_tree::{Node, Table, Value};
use crate::{CameraSpec, EffectorMode, EndSite, RANKS, Scene, SceneEffector, Smoothing};
use fabrik3d_ik::collision::{LinkCapsule, Obstacle};
use fabrik3d_ik::goals::{Attachment, PointMass, Pole};
use fabrik3d_ik::joints::Axes;
use fabrik3d_ik::{Coordinates, Interval, Joint, Kind, Settings};
use glam::{DQuat, DVec3};

/// The syntax tree that reads back as `scene`.
pub(crate) fn write(scene: &Scene) -> Node {
    let named = |joint: usize| Node::from(name(scene, joint));
    let mut table = Table::default();
    table.put("name", scene.name.as_str());
    table.put_unless("up", word(UP, scene.up), word(UP, crate::Up::default()));
    // That of a robot is known.
    let has_unit = scene.assets.in_metres && scene.assets.links.is_empty();
    table.put_some("unit", has_unit.then_some("m"));
    table.put_unless("link_radius", scene.link_radius, 0.0);
    table.put_unless("keep_clear", scene.keep_clear.is_some(), false);
    table.put_some("margin", scene.margin);
    table.put_unless("balance", scene.balance, true);
    table.put_list("disable_collisions", scene.disabled_collisions.iter().map(|pair| Node::list(pair.map(named))));
    let chains = trailing_chains(scene);
    let joints = scene.skeleton.len() - chains.iter().map(|chain| chain.points.len()).sum::<usize>();
    let effectors = scene.effectors.len() - chains.len();
    let order = &scene.assets.file_order;
    let names = || Node::list(order.iter().map(|&joint| named(joint)));
    table.put_some("joint_order", (order.len() == scene.skeleton.len() && !order.is_sorted()).then(names));
    table.put_list("joint", (0..joints).map(|at| joint(scene, at)));
    table.put_list("effector", scene.effectors[..effectors].iter().map(|one| effector(scene, one)));
    table.put_list("chain", chains.iter().map(write_chain));
    let pole = |pole: &Pole| Node::table([("joint", named(pole.joint)), ("toward", pole.toward.into())]);
    table.put_list("pole", scene.poles.iter().map(pole));
    let pair = |(a, b): &(Attachment, Attachment)| Node::table([("a", end(scene, a)), ("b", end(scene, b))]);
    table.put_list("loop", scene.loops.iter().map(pair));
    table.put_list("obstacle", scene.obstacles.iter().map(obstacle));
    table.put_list("capsule", scene.capsules.iter().map(|own| link_capsule(scene, own)));
    table.put_list("mass", scene.masses.iter().map(|own| mass(scene, own)));
    table.put_list("end_site", scene.assets.end_sites.iter().map(|end| end_site(scene, end)));
    let part = |(key, part)| {
        let joint = scene.assets.named_parts.iter().find(|(_, named)| *named == part);
        joint.map(|(joint, _)| (key, named(*joint)))
    };
    table.put_table("names", NAMED_PARTS.into_iter().filter_map(part).collect());
    put_settings(scene, &mut table);
    table.into()
}

fn put_settings(scene: &Scene, table: &mut Table) {
    let (settings, defaults) = (&scene.settings, Settings::default());
    let mut solver = Table::default();
    solver.put_unless("method", settings.method.key(), defaults.method.key());
    solver.put_unless("tolerance", settings.tolerance, defaults.tolerance);
    solver.put_unless("rotation_tolerance", angle(settings.rotation_tolerance), angle(defaults.rotation_tolerance));
    for (key, count, default) in [
        ("max_iterations", settings.max_iterations, defaults.max_iterations),
        ("max_attempts", settings.max_attempts, defaults.max_attempts),
        ("iterations_per_frame", scene.iterations_per_frame, ITERATIONS_PER_FRAME),
    ] {
        solver.put_unless(key, u64::from(count.get()), u64::from(default.get()));
    }
    solver.put_unless("seed", settings.seed, defaults.seed);
    solver.put_unless("prefer", word(PREFER, settings.prefer), word(PREFER, defaults.prefer));
    table.put_table("solver", solver);
    let (mut smoothing, defaults) = (Table::default(), Smoothing::default());
    smoothing.put_unless("duration", scene.smoothing.duration, defaults.duration);
    smoothing.put_unless("keys", scene.smoothing.keys, defaults.keys);
    table.put_table("smoothing", smoothing);
    let camera = |spec: CameraSpec| Node::table([("position", spec.position.into()), ("look_at", spec.look_at.into())]);
    table.put_some("camera", scene.camera.map(camera));
}

fn joint(scene: &Scene, at: usize) -> Node {
    let joint = &scene.skeleton.joints()[at];
    let mut table = Table::default();
    table.put("name", joint.name.as_str());
    let link = scene.assets.links.iter().find(|(_, joint)| *joint == at);
    table.put_some("link", link.map(|(link, _)| link.as_str()));
    table.put_some("parent", joint.parent.map(|parent| name(scene, parent)));
    table.put("offset", joint.offset);
    table.put_unless("rest", joint.rest, DQuat::IDENTITY);
    table.put_some("axes", (joint.axes == Axes::World).then_some("world"));
    put_kind(joint, &mut table);
    let velocity = scene.velocity_limits.get(at).copied().flatten();
    let is_hinge = matches!(joint.kind, Kind::Hinge { .. });
    table.put_some("max_velocity", velocity.map(|velocity| if is_hinge { angle(velocity) } else { velocity.into() }));
    table.put_unless("posture_weight", scene.posture_weights.get(at).copied().unwrap_or_default(), 0.0);
    table.put_unless("stiffness", joint.stiffness, 0.0);
    table.put_unless("twist_stiffness", joint.twist_stiffness, 0.0);
    if let Some(mimic) = joint.mimic {
        let mut follow = Table::default();
        follow.put("joint", name(scene, mimic.joint));
        follow.put_unless("scale", mimic.scale, 1.0);
        let offset = if is_hinge { angle(mimic.offset) } else { mimic.offset.into() };
        follow.put_some("offset", (mimic.offset != 0.0).then_some(offset));
        table.put("mimic", follow);
    } else if scene.start[at] != scene.skeleton.kind(at).rest() {
        table.put_some("start", start(&joint.kind, &scene.start[at]));
    }
    table.into()
}

/// What a limits file says to give a joint the limits that it has now.
pub(crate) fn limits(joint: &Joint) -> Node {
    let mut table = Table::default();
    table.put("name", joint.name.as_str());
    put_kind(joint, &mut table);
    Node::table([("joint", Node::list([table]))])
}

fn put_kind(joint: &Joint, table: &mut Table) {
    let word = match joint.kind {
        Kind::Ball { .. } => "ball",
        Kind::Hinge { .. } => "hinge",
        Kind::Slide { .. } => "slide",
        Kind::Fixed => "fixed",
        Kind::Free => "free",
    };
    table.put("kind", word);
    let ends = |range: Interval, unit: fn(f64) -> Node| Node::list([range.low(), range.high()].map(unit));
    match joint.kind {
        Kind::Ball { swing, twist } => {
            let swing = swing.map(|swing| match swing.tilts() {
                [x, rest @ ..] if rest == [x; 3] => angle(x),
                tilts => Node::list(tilts.map(angle)),
            });
            table.put_some("swing", swing);
            table.put_some("twist", twist.map(|range| ends(range, angle)));
        }
        Kind::Hinge { axis, range } => {
            table.put("axis", axis);
            table.put_some("range", range.map(|range| ends(range, angle)));
        }
        Kind::Slide { axis, range } => {
            table.put("axis", axis);
            table.put_some("range", range.map(|range| ends(range, Node::from)));
        }
        Kind::Fixed | Kind::Free => {}
    }
}

fn start(kind: &Kind, coordinates: &Coordinates) -> Option<Node> {
    match kind {
        Kind::Ball { swing: None, twist: None } => Some(coordinates.ball_rotation().into()),
        Kind::Ball { .. } => {
            let [a, b] = coordinates.tilt();
            Some(Node::list([a, b, coordinates.twist()].map(angle)))
        }
        Kind::Hinge { .. } => Some(angle(coordinates.value())),
        Kind::Slide { .. } => Some(coordinates.value().into()),
        Kind::Fixed => None,
        Kind::Free => Some(Node::list(coordinates.values(kind).iter().copied())),
    }
}

fn effector(scene: &Scene, effector: &SceneEffector) -> Node {
    let mut table = Table::default();
    table.put("name", effector.name.as_str());
    table.put("joint", name(scene, effector.effector.joint));
    table.put_unless("tip", effector.effector.tip, DVec3::ZERO);
    table.put("target", effector.target.position.map_or(Node::new(Value::Null), Node::from));
    table.put_some("rotation", effector.target.rotation());
    table.put_some("look_at", effector.target.look_at());
    table.put_unless("weight", effector.weight, 1.0);
    table.put_unless("rotation_weight", effector.rotation_weight, 1.0);
    table.put_some("spin_axis", effector.freedom.spin_axis);
    table.put_unless("slack", effector.freedom.slack, DVec3::ZERO);
    table.put_unless("hold", word(HOLDS, effector.hold), word(HOLDS, EffectorMode::default()));
    table.put_some("rank", effector.rank.map(|rank| word(RANKS, rank)));
    table.put_some("chain_length", effector.effector.chain_length.map(|length| length as u64));
    table.put_list("presets", effector.presets.iter().copied());
    table.into()
}

fn end(scene: &Scene, end: &Attachment) -> Node {
    let mut table = Table::default();
    table.put("joint", name(scene, end.joint));
    table.put_unless("point", end.point, DVec3::ZERO);
    table.into()
}

fn obstacle(obstacle: &Obstacle) -> Node {
    let (shape, parts) = match *obstacle {
        Obstacle::Sphere { center, radius } => {
            ("sphere", Node::table([("center", center.into()), ("radius", radius.into())]))
        }
        Obstacle::HalfSpace { normal, offset } => {
            ("plane", Node::table([("normal", normal.into()), ("offset", offset.into())]))
        }
        Obstacle::Capsule { ends, radius } => ("capsule", Node::table(capsule(ends, radius))),
        Obstacle::Box { center, rotation, half } => {
            let mut solid = Table::default();
            solid.put("center", center);
            solid.put("size", half * 2.0);
            solid.put_unless("rotation", rotation, DQuat::IDENTITY);
            ("box", solid.into())
        }
    };
    Node::table([(shape, parts)])
}

fn link_capsule(scene: &Scene, own: &LinkCapsule) -> Node {
    let joint = ("joint", name(scene, own.joint).into());
    let hull = own.hull.as_ref().map(|hull| {
        let mut shape = Table::default();
        shape.put("points", Node::list(hull.points().iter().copied()));
        shape.put_unless("radius", hull.radius(), 0.0);
        ("hull", shape.into())
    });
    Node::table([joint].into_iter().chain(capsule(own.ends, own.radius)).chain(hull))
}

fn capsule([from, to]: [DVec3; 2], radius: f64) -> [(&'static str, Node); 3] {
    [("from", from.into()), ("to", to.into()), ("radius", radius.into())]
}

fn mass(scene: &Scene, own: &PointMass) -> Node {
    let mut table = Table::default();
    table.put("joint", name(scene, own.joint));
    table.put_unless("point", own.point, DVec3::ZERO);
    table.put("mass", own.mass);
    table.into()
}

fn end_site(scene: &Scene, end: &EndSite) -> Node {
    let mut table = Table::default();
    let joint = name(scene, end.joint);
    table.put_unless("name", end.name.as_str(), &format!("{joint}_End"));
    table.put("joint", joint);
    table.put("tip", end.tip);
    table.into()
}

/// The word for a value.
fn word<T: PartialEq>(words: &[(&'static str, T)], value: T) -> &'static str {
    words.iter().find(|(_, known)| *known == value).map_or("", |(word, _)| word)
}

fn name(scene: &Scene, joint: usize) -> &str {
    &scene.skeleton.joints()[joint].name
}

/// An angle in degrees if a short number gives exactly the same angle, otherwise in radians, as `"1.5 rad"`. Writing and
/// reading changes nothing.
fn angle(radians: f64) -> Node {
    // Without the sign of a negative zero.
    let degrees = (radians.to_degrees() * 1e9).round() / 1e9 + 0.0;
    if degrees.to_radians() == radians { degrees.into() } else { format!("{radians:?} rad").as_str().into() }
}
