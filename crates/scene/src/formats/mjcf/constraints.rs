//! What ties bodies and joints together, and the pose that a model begins with.

use super::bodies::{Model, Robot, name_of};
use super::classes::{Element, MAIN};
use super::settings::flag;
use crate::Scene;
use crate::formats::urdf::joints::follow;
use crate::formats::xml::{attribute, children, fault, number_list, own_children, title};
use crate::printable::{listed, short};
use crate::syntax_tree::fault::{Fault, Read, did_you_mean};
use crate::syntax_tree::fields::any_rotation;
use fabrik3d_ik::goals::{Attachment, tie};
use fabrik3d_ik::joints::Mimic;
use fabrik3d_ik::{Coordinates, Interval, Isometry, Kind, Pose};
use glam::{DQuat, DVec3, dquat};
use roxmltree::Node;
use std::collections::HashMap;

/// A loop: two points that coincide.
type Loop = (Attachment, Attachment);

/// The number of what an attribute names.
fn named(known: &HashMap<&str, usize>, node: Node<'_, '_>, name: &str, what: &str) -> Read<usize> {
    let word = attribute(node, name)?;
    known.get(word).copied().ok_or_else(|| {
        let message = format!("{}: there is no {what} `{}`", title(node), short(word));
        fault(node, message).hint_some(did_you_mean(word, known.keys().copied()))
    })
}

/// The equalities that hold, with their defaults.
fn equalities<'a, 'i>(model: &Model<'a, 'i>) -> Read<Vec<Element<'a, 'i>>> {
    let mut found = Vec::new();
    for node in children(model.root, "equality").flat_map(own_children) {
        let element = model.classes.element(node, "equality", MAIN)?;
        if flag(element.holder("active"), "active")?.unwrap_or(true) {
            found.push(element);
        }
    }
    Ok(found)
}

impl Robot<'_, '_> {
    /// Lets joints follow others where equalities say so. One that follows a follower follows its leader.
    pub fn follow(&mut self, model: &Model<'_, '_>) -> Read<()> {
        let mut mimics: Vec<Option<Mimic>> = vec![None; self.joints.len()];
        for Element { node, .. } in equalities(model)? {
            if !node.has_tag_name("joint") {
                continue;
            }
            let Some((follower, mut mimic)) = self.read_equality(node)? else { continue };
            let Mimic { joint, scale, offset } = mimic;
            if let Some(first) = mimics[joint] {
                mimic = Mimic { joint: first.joint, scale: scale * first.scale, offset: scale * first.offset + offset };
            }
            if mimics[follower].is_some() || mimic.joint == follower {
                let why =
                    if mimic.joint == follower { "it would follow itself" } else { "it follows another joint already" };
                let message = format!("{} is not read: {why}", title(node));
                self.warnings.push(fault(node, message));
                continue;
            }
            mimics[follower] = Some(mimic);
            for own in mimics.iter_mut().flatten().filter(|own| own.joint == follower) {
                let (scale, offset) = (own.scale * mimic.scale, own.scale * mimic.offset + own.offset);
                *own = Mimic { joint: mimic.joint, scale, offset };
            }
        }
        let mut beyond = Vec::new();
        for (follower, mimic) in mimics.into_iter().enumerate() {
            if mimic.is_some_and(|mimic| follow(&mut self.joints, follower, mimic)) {
                beyond.push(self.joints[follower].name.clone());
            }
        }
        if !beyond.is_empty() {
            let message = format!("followers can leave their own limits, which do not count: {}", listed(&beyond));
            self.warnings.push(Fault::new(None, message));
        }
        Ok(())
    }

    /// The joint that an equality lets follow another. An equality with one joint alone holds it where it is.
    fn read_equality(&mut self, node: Node<'_, '_>) -> Read<Option<(usize, Mimic)>> {
        let follower = named(&self.joint_of, node, "joint1", "joint")?;
        let leader =
            node.has_attribute("joint2").then(|| named(&self.joint_of, node, "joint2", "joint")).transpose()?;
        let is_scalar = |joint: usize| matches!(self.joints[joint].kind, Kind::Hinge { .. } | Kind::Slide { .. });
        if ![Some(follower), leader].into_iter().flatten().all(is_scalar) {
            return Err(fault(node, format!("{}: only hinges and slides follow others", title(node))));
        }
        let given = number_list(node, "polycoef")?.unwrap_or_default();
        if given.len() > 5 {
            return Err(fault(node, format!("{}: polycoef has more than five numbers", title(node))));
        }
        let mut factors = [0.0, 1.0, 0.0, 0.0, 0.0];
        factors[..given.len()].copy_from_slice(&given);
        let [constant, scale, curved @ ..] = factors;
        let begins = |joint: usize| self.start[joint].value();
        let Some(leader) = leader else {
            let value = begins(follower) + constant;
            if let Kind::Hinge { range, .. } | Kind::Slide { range, .. } = &mut self.joints[follower].kind {
                *range = Interval::new(value, value).ok();
            }
            return Ok(None);
        };
        if leader == follower {
            return Err(fault(node, format!("{}: the joint follows itself", title(node))));
        }
        if curved.iter().any(|factor| *factor != 0.0) {
            let message = format!(
                "{} is not read: joints follow others in a straight line only, without the last three of polycoef",
                title(node)
            );
            self.warnings.push(fault(node, message));
            return Ok(None);
        }
        let offset = begins(follower) + constant - scale * begins(leader);
        Ok(Some((follower, Mimic { joint: leader, scale, offset })))
    }

    /// The loops that equalities close. Points that are not given are those that coincide in MuJoCo's first pose.
    pub fn loops(&mut self, model: &Model<'_, '_>, scene: &Scene) -> Read<Vec<Loop>> {
        let frames = scene.skeleton.frames(&Pose::from(self.start.clone()));
        let mut loops = Vec::new();
        for element in equalities(model)? {
            let node = element.node;
            let is_weld = node.has_tag_name("weld");
            if node.has_tag_name("joint") {
                continue;
            }
            if !is_weld && !node.has_tag_name("connect") {
                self.warnings.push(fault(
                    node,
                    format!("{} is not read: only ties of joints, bodies and sites are", title(node)),
                ));
                continue;
            }
            let sites = node.has_attribute("site1");
            let [a, b] = if sites { self.read_sites(node)? } else { self.read_bodies(node)? };
            if let Some(why) = self.is_no_loop([a, b]) {
                self.warnings.push(fault(node, format!("{} is not read: {why}", title(node))));
                continue;
            }
            let relative =
                Isometry::new(frames[a].local(frames[b].position), frames[a].rotation.conjugate() * frames[b].rotation);
            let at = |joint: usize, point: DVec3| Attachment { joint, point };
            let anchor = element.numbers::<3>("anchor")?.map_or(DVec3::ZERO, DVec3::from_array);
            match (is_weld, sites) {
                (false, true) => loops.push((at(a, DVec3::ZERO), at(b, DVec3::ZERO))),
                (false, false) => loops.push((at(a, anchor), at(b, frames[b].local(frames[a].point(anchor))))),
                (true, true) => {
                    loops.extend(tie(&scene.skeleton, [at(a, DVec3::ZERO), at(b, DVec3::ZERO)], DQuat::IDENTITY))
                }
                (true, false) => {
                    let given = element.numbers::<7>("relpose")?.and_then(|[x, y, z, w, i, j, k]| {
                        Some((DVec3::new(x, y, z), any_rotation(dquat(i, j, k, w))?))
                    });
                    let (point, turn) = given.unwrap_or((relative.point(anchor), relative.rotation));
                    loops.extend(tie(&scene.skeleton, [at(a, point), at(b, anchor)], turn));
                }
            }
        }
        Ok(loops)
    }

    /// The joints of the two bodies that an equality ties; the second is the world if it is not named.
    fn read_bodies(&self, node: Node<'_, '_>) -> Read<[usize; 2]> {
        let first = named(&self.body_of, node, "body1", "body")?;
        let second = if node.has_attribute("body2") { named(&self.body_of, node, "body2", "body")? } else { 0 };
        Ok([first, second].map(|body| self.bodies[body].joint))
    }

    fn read_sites(&self, node: Node<'_, '_>) -> Read<[usize; 2]> {
        let known = self.sites.iter().copied().collect();
        Ok([named(&known, node, "site1", "site")?, named(&known, node, "site2", "site")?])
    }

    /// Why two joints are not tied, if they are not.
    fn is_no_loop(&self, [a, b]: [usize; 2]) -> Option<&'static str> {
        let ancestors = |joint: usize| std::iter::successors(Some(joint), |at| self.joints[*at].parent);
        let moves = |joint: usize| ancestors(joint).take_while(|at| self.joints[*at].kind == Kind::Fixed).last();
        let is_mocap = |joint: usize| {
            self.bodies.iter().filter(|body| body.is_mocap).any(|body| ancestors(joint).any(|at| at == body.joint))
        };
        if is_mocap(a) || is_mocap(b) {
            return Some("a mocap body goes where the user of the model moves it; give its place as a target");
        }
        let carrier = |joint: usize| moves(joint).map_or(Some(joint), |top| self.joints[top].parent);
        (carrier(a) == carrier(b)).then_some("both ends are on the same body")
    }

    /// The pairs of joints whose bodies may touch each other.
    pub fn excluded(&self, model: &Model<'_, '_>) -> Read<Vec<[usize; 2]>> {
        let excluded = children(model.root, "contact").flat_map(|contact| children(contact, "exclude"));
        let joint = |node, name| Ok(self.bodies[named(&self.body_of, node, name, "body")?].joint);
        excluded.map(|node| Ok([joint(node, "body1")?, joint(node, "body2")?])).collect()
    }

    /// The pose of the keyframe `home`, or of the first that has one. `is_whole` says that no bodies of the file are left out.
    pub fn keyframe(&mut self, model: &Model<'_, '_>, is_whole: bool) -> Read<Option<Pose>> {
        let keys = || children(model.root, "keyframe").flat_map(|keys| children(keys, "key"));
        let with_pose = || keys().filter(|key| key.attribute("qpos").is_some_and(|qpos| !qpos.trim().is_empty()));
        let home = with_pose().find(|key| name_of(*key) == Some("home")).or_else(|| with_pose().next());
        let Some(key) = home else { return Ok(None) };
        let values = number_list(key, "qpos")?.unwrap_or_default();
        let count = |kind: &Kind| match kind {
            Kind::Ball { .. } => 4,
            kind => kind.coordinate_count(),
        };
        let expected: usize = self.joints.iter().map(|joint| count(&joint.kind)).sum();
        if values.len() != expected {
            let message = format!("{}: qpos must be {expected} numbers, not {}", title(key), values.len());
            let fault = fault(key, message).hint("one for a hinge or a slide, four for a ball, seven for a free joint");
            if is_whole {
                return Err(fault);
            }
            self.warnings.push(fault);
            return Ok(None);
        }
        let mut rest = values.as_slice();
        let mut pose = Pose::new();
        for joint in &self.joints {
            let (own, others) = rest.split_at(count(&joint.kind));
            rest = others;
            let turn = |q: &[f64]| dquat(q[1], q[2], q[3], q[0]);
            pose.push(match &joint.kind {
                Kind::Fixed => Coordinates::default(),
                Kind::Ball { .. } => joint.kind.coordinates_of(any_rotation(turn(own)).unwrap_or_default()),
                Kind::Free => Coordinates::free(DVec3::from_slice(&own[..3]), turn(&own[3..])),
                _ => Coordinates::scalar(own[0]),
            });
        }
        Ok(Some(pose))
    }
}
