//! The columns of a table whose columns have types.

use super::columns::{Column, TargetColumns};
use crate::Scene;
use crate::cell::Content;
use crate::formats::carried::{CarriedColumns, Ids};
use crate::formats::parquet::ColumnType;

impl TargetColumns {
    /// The columns of a table, given the name, content and type of each. Also returns which of them are read, in order.
    pub(crate) fn of_table(
        scene: &Scene,
        described: Vec<(String, Content, ColumnType)>,
    ) -> Result<(Self, Vec<usize>), String> {
        let names = described.iter().map(|(name, ..)| name.clone()).collect();
        let (mut kept, mut types, mut used, mut left_out) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (at, ((name, column), (_, content, kind))) in
            Self::by_name(scene, names)?.columns.into_iter().zip(described).enumerate()
        {
            match (column, content) {
                (Column::Time, _) => continue,
                (Column::Carried, Content::Other) => {
                    left_out.push(name);
                    continue;
                }
                (Column::Carried, _)
                | (
                    Column::Target { .. } | Column::Start { .. },
                    Content::Number | Content::Integer | Content::Unsigned,
                )
                | (Column::Id | Column::Path, Content::Text | Content::Integer | Content::Unsigned) => {}
                (column, _) => {
                    let expected = if column.is_number() { "numbers" } else { "text or integers" };
                    return Err(format!(
                        "the column `{name}` holds {}, expected {expected}\n  \
                         convert it before writing the file, or give it another name",
                        content.word()
                    ));
                }
            }
            kept.push((name, column));
            types.push(kind);
            used.push(at);
        }
        let mut columns = Self::new(scene, kept, true);
        (columns.types, columns.left_out) = (types, left_out);
        Ok((columns, used))
    }

    /// What the table hands on to its answers.
    pub fn carried_columns(&self) -> CarriedColumns {
        let id = self.columns.iter().position(|(_, column)| *column == Column::Id);
        let ids = match id.map(|at| self.types.get(at)) {
            None => Ids::Numbers,
            Some(None) => Ids::Texts,
            Some(Some(kind)) => Ids::Like(kind.clone()),
        };
        let carried = self.columns.iter().enumerate().filter(|(_, (_, column))| *column == Column::Carried);
        let columns = carried.map(|(at, (name, _))| (name.clone(), self.types.get(at).cloned())).collect();
        CarriedColumns { ids, columns }
    }
}
