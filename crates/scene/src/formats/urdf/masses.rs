//! The masses of links.

use super::joints::read_origin;
use super::tree::{Link, Tree};
use crate::formats::xml::{child, fault, number, title};
use crate::syntax_tree::fault::Read;
use fabrik3d_ik::goals::PointMass;

/// The masses of all links that have one, each where its `<inertial>` says, and warnings about those that do not count.
pub(crate) fn read(tree: &Tree<'_, '_>, link_joints: &[usize], text: &str) -> (Vec<PointMass>, Vec<String>) {
    let (mut masses, mut warnings) = (Vec::new(), Vec::new());
    for (link, &joint) in tree.links.iter().zip(link_joints) {
        match mass_of(link, joint) {
            Ok(mass) => masses.extend(mass),
            Err(wrong) => warnings.push(wrong.warning(text)),
        }
    }
    (masses, warnings)
}

fn mass_of(link: &Link<'_, '_>, joint: usize) -> Read<Option<PointMass>> {
    let Some((inertial, own)) = child(link.node, "inertial").and_then(|all| Some((all, child(all, "mass")?))) else {
        return Ok(None);
    };
    let mass = number(own, "value")?.unwrap_or_default();
    if mass < 0.0 {
        return Err(fault(own, format!("{}: its mass is negative and does not count", title(link.node))));
    }
    let (point, _) = read_origin(inertial)?;
    Ok((mass > 0.0).then_some(PointMass { joint, point, mass }))
}
