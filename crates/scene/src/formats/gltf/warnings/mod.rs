//! Warnings for files that break the specification but can still be read.
//!
//! The rules are those of the glTF 2.0 specification about everything that moves a figure: nodes, skins, animations, and
//! the references between all objects. Each warning ends with the code by which the Khronos validator names the violation
//! (its file ISSUES.md lists them). Anything that would be misread is an error of the readers.

mod animations;
mod findings;
mod nodes;
mod schema;
mod skins;
mod trees;

use super::clips::Clip;
use super::data::Data;
use super::lists::{Lists, count, count_of, index_of, list, word};
use super::nodes::Nodes;
use crate::syntax_tree::fields::Item;
use findings::Findings;

/// Component type of 32-bit floats.
const FLOAT: usize = 5126;

/// One sentence for each violation. The readers of rig and clips run first, so the references that they follow are valid.
pub(crate) fn warnings(lists: &Lists<'_>, data: &Data<'_>, nodes: &Nodes, clips: &[Clip]) -> Vec<String> {
    let checked = Checked { lists, data, nodes };
    let mut findings = Findings::default();
    schema::check(lists, &mut findings);
    nodes::check(&checked, &mut findings);
    skins::check(&checked, &mut findings);
    animations::check(&checked, clips, &mut findings);
    findings.into_sentences()
}

/// The document that is checked.
struct Checked<'a> {
    lists: &'a Lists<'a>,
    data: &'a Data<'a>,
    nodes: &'a Nodes,
}

impl<'a> Checked<'a> {
    /// The accessor of a key, if it exists.
    fn accessor(&self, item: &Item<'_>, key: &str) -> Option<&'a Item<'a>> {
        let at = index_of(item, key, &self.lists.accessors, "accessor").ok().flatten()?;
        Some(&self.lists.accessors[at])
    }
}

fn has_format(accessor: &Item<'_>, kind: &str, components: &[usize]) -> bool {
    let component = count_of(accessor, "componentType").ok().flatten();
    word(accessor, "type") == Ok(Some(kind)) && component.is_some_and(|component| components.contains(&component))
}

/// Indices of nodes, already checked by the readers.
fn numbers(item: &Item<'_>, key: &str) -> Vec<usize> {
    list(item, key).unwrap_or_default().iter().filter_map(|item| count(item).ok()).collect()
}
