//! Links and joints of a robot, checked to form one tree.

use crate::builder::{MAX_JOINTS, parents_first};
use crate::formats::depth_first;
use crate::formats::xml::{attribute, child, children, fault, title};
use crate::syntax_tree::fault::{Read, did_you_mean};
use roxmltree::Node;
use std::collections::{BTreeMap, HashSet};

pub(crate) struct Link<'a, 'i> {
    pub name: &'a str,
    pub node: Node<'a, 'i>,
    /// Whether it has no child links.
    pub is_tip: bool,
}

pub(crate) struct Joint<'a, 'i> {
    pub name: &'a str,
    pub node: Node<'a, 'i>,
    /// Index of the parent link.
    pub parent: usize,
    /// Index of the child link.
    pub child: usize,
}

/// A robot whose links form one tree.
pub(crate) struct Tree<'a, 'i> {
    pub links: Vec<Link<'a, 'i>>,
    pub joints: Vec<Joint<'a, 'i>>,
    /// Index of the root link.
    pub root: usize,
    /// Indices of the joints, parents first, otherwise in file order.
    pub order: Vec<usize>,
}

/// Reads links and joints and checks that they form one tree.
pub(crate) fn read_tree<'a, 'i>(robot: Node<'a, 'i>) -> Read<Tree<'a, 'i>> {
    let mut links: Vec<Link<'a, 'i>> = Vec::new();
    let mut by_name = BTreeMap::new();
    for node in children(robot, "link") {
        let name = attribute(node, "name")?;
        if by_name.insert(name, links.len()).is_some() {
            return Err(fault(node, format!("two links are named `{name}`")).hint("every link needs a name of its own"));
        }
        links.push(Link { name, node, is_tip: true });
    }
    if links.is_empty() {
        return Err(fault(robot, "the robot has no <link>"));
    }
    let joints = read_joints(robot, &by_name)?;
    if joints.len().max(links.len()) > MAX_JOINTS {
        return Err(fault(robot, format!("more than {MAX_JOINTS} joints or links are not supported")));
    }
    let mut carrier: Vec<Option<usize>> = vec![None; links.len()];
    for (at, joint) in joints.iter().enumerate() {
        if let Some(first) = carrier[joint.child].replace(at) {
            let (link, other) = (links[joint.child].name, joints[first].name);
            let message = format!("link `{link}` is the child of two joints, `{other}` and `{}`", joint.name);
            return Err(
                fault(joint.node, message).hint("a link has one parent; a closed loop must be cut open in URDF")
            );
        }
        links[joint.parent].is_tip = false;
    }
    let parents: Vec<Option<usize>> = carrier.iter().map(|joint| joint.map(|joint| joints[joint].parent)).collect();
    parents_first(&parents).map_err(|cycle| {
        let mut names: Vec<&str> = cycle.iter().take(8).map(|&link| links[link].name).collect();
        names.push(if cycle.len() > 8 { "..." } else { names[0] });
        let joint = carrier[cycle[0]].map_or(links[cycle[0]].node, |joint| joints[joint].node);
        fault(joint, format!("the joints form a cycle: {}", names.join(" <- ")))
            .hint("a robot is a tree: a closed loop must be cut open in URDF")
    })?;
    let mut roots = (0..links.len()).filter(|&link| carrier[link].is_none());
    // Without a cycle, something has no parent.
    let root = roots.next().unwrap_or(0);
    if let Some(second) = roots.next() {
        let message = format!("two links have no parent, `{}` and `{}`", links[root].name, links[second].name);
        return Err(fault(links[second].node, message).hint("a robot is one tree: join them by a joint of type fixed"));
    }
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); links.len()];
    joints.iter().enumerate().for_each(|(at, joint)| below[joint.parent].push(at));
    let order = depth_first(below[root].iter().copied(), |at| &below[joints[at].child]);
    Ok(Tree { links, joints, root, order })
}

fn read_joints<'a, 'i>(robot: Node<'a, 'i>, links: &BTreeMap<&str, usize>) -> Read<Vec<Joint<'a, 'i>>> {
    let mut joints: Vec<Joint<'a, 'i>> = Vec::new();
    let mut names = HashSet::new();
    for node in children(robot, "joint") {
        let name = attribute(node, "name")?;
        if !names.insert(name) {
            let message = format!("two joints are named `{name}`");
            return Err(fault(node, message).hint("every joint needs a name of its own"));
        }
        let link = |tag: &'static str| {
            let end =
                child(node, tag).ok_or_else(|| fault(node, format!("{} lacks <{tag} link=\"...\"/>", title(node))))?;
            let link = attribute(end, "link")?;
            links.get(link).copied().ok_or_else(|| {
                let message = format!("{}: there is no link `{link}`", title(node));
                fault(end, message).hint_some(did_you_mean(link, links.keys().copied()))
            })
        };
        let (parent, child) = (link("parent")?, link("child")?);
        if parent == child {
            return Err(fault(node, format!("{} has the same parent and child link", title(node))));
        }
        joints.push(Joint { name, node, parent, child });
    }
    Ok(joints)
}
