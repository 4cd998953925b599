//! `[[chain]]`: a serial chain of unlimited joints, given by its points.

use super::joints::{Draft, Parent};
use crate::scene::document::{Fields, Item, Read};
use crate::scene::{ChainSpec, SceneBuilder, SceneEffector};

const CHAIN: &[&str] = &["name", "points", "base", "target", "presets"];

/// An effector that a chain brings along; its joint counts among the drafts.
pub(super) struct ChainEffector<'a> {
    pub effector: SceneEffector,
    /// Name of the joint that bears it.
    pub joint: String,
    pub item: Item<'a>,
}

/// Reads all chains; their joints are added to `drafts`.
pub(super) fn read_chains<'a>(fields: &Fields<'a>, drafts: &mut Vec<Draft<'a>>) -> Read<Vec<ChainEffector<'a>>> {
    let mut effectors = Vec::new();
    for (at, item) in fields.list("chain")?.into_iter().enumerate() {
        let mut builder = SceneBuilder::default();
        builder.chain(read_chain(&item, at)?);
        let first = drafts.len();
        for mut joint in builder.joints {
            let parent = joint.parent.take().map_or(Parent::None, |parent| Parent::Draft(first + parent));
            drafts.push(Draft { joint, item: item.clone(), parent, mimic: None, start: None });
        }
        let joint = drafts[drafts.len() - 1].joint.name.clone();
        let made = builder.effectors.into_iter();
        effectors.extend(made.map(|effector| ChainEffector { effector, joint: joint.clone(), item: item.clone() }));
    }
    Ok(effectors)
}

fn read_chain(item: &Item<'_>, at: usize) -> Read<ChainSpec> {
    let fields = item.table(CHAIN)?;
    let points_item = fields.require("points", "[[0, 0, 0], [0, 1, 0], [0, 2, 0]]")?;
    let items = points_item.list()?;
    if items.len() < 2 {
        return Err(points_item.fault(format!("a chain needs at least two points, not {}", items.len())));
    }
    let points = items.iter().map(Item::vector).collect::<Read<Vec<_>>>()?;
    if let Some(link) = points.windows(2).position(|pair| pair[0].distance(pair[1]) == 0.0) {
        let message = format!("the link from point {link} to point {} has no length", link + 1);
        return Err(items[link + 1].fault(message).hint("move or remove one of the two points"));
    }
    let unnamed = || if at == 0 { "chain".to_owned() } else { format!("chain{}", at + 1) };
    let presets = fields.list("presets")?;
    Ok(ChainSpec {
        name: fields.get("name").map_or_else(|| Ok(unnamed()), |item| item.text().map(str::to_owned))?,
        points,
        free_base: fields.get_or("base", false, |item| item.word(&[("fixed", false), ("free", true)]))?,
        target: fields.get("target").map(|item| item.vector()).transpose()?,
        presets: presets.iter().map(Item::vector).collect::<Read<_>>()?,
    })
}
