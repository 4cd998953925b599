//! Positions and orientations of elements.

use super::classes::Element;
use super::settings::Settings;
use crate::formats::xml::{fault, title};
use crate::syntax_tree::fault::Read;
use crate::syntax_tree::fields::any_rotation;
use fabrik3d_ik::Isometry;
use fabrik3d_ik::maths;
use glam::{DMat3, DQuat, DVec3, dquat};
use roxmltree::Node;

/// The attributes that say how an element is turned.
const ORIENTATIONS: [&str; 5] = ["quat", "axisangle", "xyaxes", "zaxis", "euler"];
/// Least length of a vector that gives a direction, as in MuJoCo.
const LEAST_LENGTH: f64 = 1e-6;

/// The frame of an element in the frame around it.
pub(crate) fn read_frame(element: &Element<'_, '_>, settings: &Settings<'_>) -> Read<Isometry> {
    let place = element.numbers::<3>("pos")?.map_or(DVec3::ZERO, DVec3::from_array);
    for &layer in &element.layers {
        let mut given = ORIENTATIONS.into_iter().filter(|name| layer.has_attribute(*name));
        let Some(name) = given.next() else { continue };
        if let Some(second) = given.next() {
            let message = format!("{}: {name} and {second} both say how it is turned", title(layer));
            return Err(fault(layer, message).hint("keep one of them"));
        }
        return Ok(Isometry::new(place, read_turn(layer, name, settings)?));
    }
    Ok(Isometry::new(place, DQuat::IDENTITY))
}

fn read_turn(node: Node<'_, '_>, name: &str, settings: &Settings<'_>) -> Read<DQuat> {
    let element = Element::plain(node);
    let none =
        || fault(node, format!("{}: {name} gives no rotation", title(node))).hint("the identity is quat=\"1 0 0 0\"");
    let direction = |vector: DVec3| direction(vector).ok_or_else(none);
    match name {
        "quat" => {
            let [w, x, y, z] = element.numbers(name)?.unwrap_or_default();
            any_rotation(dquat(x, y, z, w)).ok_or_else(none)
        }
        "axisangle" => {
            let [x, y, z, angle] = element.numbers(name)?.unwrap_or_default();
            Ok(maths::turn(direction(DVec3::new(x, y, z))?, settings.angle(angle)))
        }
        "xyaxes" => {
            let [a, b, c, d, e, f] = element.numbers(name)?.unwrap_or_default();
            let x = direction(DVec3::new(a, b, c))?;
            let y = DVec3::new(d, e, f);
            let y = direction(y - x * x.dot(y))?;
            Ok(DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y))).normalize())
        }
        "zaxis" => Ok(turn_of_z(direction(DVec3::from_array(element.numbers(name)?.unwrap_or_default()))?)),
        _ => {
            let angles = element.numbers::<3>(name)?.unwrap_or_default();
            let turns = settings.eulerseq.chars().zip(angles).map(|(axis, angle)| {
                let about = DVec3::AXES["xyz".find(axis.to_ascii_lowercase()).unwrap_or_default()];
                (axis.is_ascii_uppercase(), maths::turn(about, settings.angle(angle)))
            });
            Ok(turns.fold(DQuat::IDENTITY, |all, (is_fixed, turn)| if is_fixed { turn * all } else { all * turn }))
        }
    }
}

/// A vector scaled to length 1, if it is long enough.
pub(crate) fn direction(vector: DVec3) -> Option<DVec3> {
    vector.try_normalize().filter(|_| vector.length() >= LEAST_LENGTH)
}

/// The smallest rotation that takes +z to a unit vector; about x where that is -z.
pub(crate) fn turn_of_z(axis: DVec3) -> DQuat {
    let across = DVec3::Z.cross(axis);
    let about = across.try_normalize().unwrap_or(DVec3::X);
    maths::turn(about, maths::atan2(across.length(), axis.z))
}

/// The frame of an element that may reach from one point to another, and half its length then.
pub(crate) fn read_span(element: &Element<'_, '_>, settings: &Settings<'_>) -> Read<(Isometry, Option<f64>)> {
    let Some([a, b, c, d, e, f]) = element.numbers("fromto")? else {
        return Ok((read_frame(element, settings)?, None));
    };
    let (from, to) = (DVec3::new(a, b, c), DVec3::new(d, e, f));
    let axis = direction(from - to).ok_or_else(|| {
        fault(element.holder("fromto"), format!("{}: fromto has two equal ends", title(element.node)))
    })?;
    Ok((Isometry::new(from.midpoint(to), turn_of_z(axis)), Some(0.5 * from.distance(to))))
}
