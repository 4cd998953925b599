//! The kinds of joints: their keys, their axes and their limits.

use crate::syntax_tree::fault::Read;
use crate::syntax_tree::fields::{Fields, Item};
use fabrik3d_ik::errors::LimitError;
use fabrik3d_ik::{Kind, Swing};

/// The kinds in files, each with the keys that only some kinds have.
const KINDS: [(&str, &[&str]); 5] = [
    ("ball", &["swing", "twist", "start"]),
    ("hinge", DRIVEN),
    ("slide", DRIVEN),
    ("fixed", &[]),
    ("free", &["start"]),
];
const DRIVEN: &[&str] = &["axis", "range", "max_velocity", "mimic", "start"];

pub(crate) fn read_kind(fields: &Fields<'_>) -> Read<Kind> {
    let (name, keys) = fields.get_or("kind", KINDS[0], |item| item.word(&KINDS.map(|row| (row.0, row))))?;
    for key in ["swing", "twist", "axis", "range", "max_velocity", "mimic", "start"] {
        if let Some(item) = fields.get(key).filter(|_| !keys.contains(&key)) {
            let owners: Vec<&str> =
                KINDS.iter().filter(|(_, keys)| keys.contains(&key)).map(|(name, _)| *name).collect();
            let own = if keys.is_empty() { "no such key".to_owned() } else { keys.join(", ") };
            let hint = format!("`{key}` belongs to kind {}; kind {name} has {own}", owners.join(" or "));
            return Err(item.fault(format!("a joint of kind {name} has no `{key}`")).hint(hint));
        }
    }
    let axis = || fields.require("axis", "[0, 0, 1]").and_then(|item| item.direction());
    Ok(match name {
        "ball" => Kind::Ball {
            swing: fields.get("swing").map(|item| read_swing(&item)).transpose()?,
            twist: fields.get("twist").map(|item| item.interval(Item::angle)).transpose()?,
        },
        "hinge" => Kind::Hinge {
            axis: axis()?,
            range: fields.get("range").map(|item| item.interval(Item::angle)).transpose()?,
        },
        "slide" => Kind::Slide {
            axis: axis()?,
            range: fields.get("range").map(|item| item.interval(Item::number)).transpose()?,
        },
        "free" => Kind::Free,
        _ => Kind::Fixed,
    })
}

/// One angle for all sides, or `[+x, +y, -x, -y]`.
fn read_swing(item: &Item<'_>) -> Read<Swing> {
    let tilts = match item.angle() {
        Ok(tilt) => [tilt; 4],
        Err(_) => {
            let sides = item.list().map_err(|_| item.fault("expected an angle, or four: [+x, +y, -x, -y]"))?;
            let angles = sides.iter().map(Item::angle).collect::<Read<Vec<f64>>>()?;
            let angles = <[f64; 4]>::try_from(angles);
            angles.map_err(|_| item.fault("expected an angle, or four: [+x, +y, -x, -y]"))?
        }
    };
    Swing::new(tilts).map_err(|error| match error {
        LimitError::Swing(tilt) => {
            let degrees = tilt.to_degrees();
            item.fault(format!("a swing limit must be at least 0 and below 180 degrees, not {degrees}"))
                .hint("leave `swing` out to allow any direction")
        }
        other => item.fault(other.to_string()),
    })
}
