//! Results as data: rows and tables, printed as text or as JSON.

use crate::machine::Machine;

/// One measured number.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The measured subject: `textbook`, `10 links, cold`, ...
    pub subject: String,
    /// The measured quantity, which becomes a column: `iterations`, `time`, ... Empty if there is only one.
    pub quantity: String,
    /// The number; NaN if there is none.
    pub value: f64,
    /// The unit: `us`, `ns`, `%`; empty for plain numbers.
    pub unit: String,
    /// Comparison with another row of the same table.
    pub ratio_to: Option<Ratio>,
}

/// A number divided by the same quantity of another subject.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Ratio {
    /// The other subject.
    pub name: String,
    /// The quotient. If both were timed in turn, the median of the quotients of all rounds.
    pub value: f64,
}

impl Row {
    /// A row without a quantity.
    pub fn new(subject: impl Into<String>, value: f64, unit: impl Into<String>) -> Self {
        Row { subject: subject.into(), quantity: String::new(), value, unit: unit.into(), ratio_to: None }
    }

    /// Sets the quantity, which names the column.
    #[must_use]
    pub fn quantity(mut self, quantity: impl Into<String>) -> Self {
        self.quantity = quantity.into();
        self
    }

    /// Sets the comparison with another subject.
    #[must_use]
    pub fn ratio_to(mut self, name: impl Into<String>, value: f64) -> Self {
        self.ratio_to = Some(Ratio { name: name.into(), value });
        self
    }
}

/// A quantity with its value and its unit.
pub type Cell<'a> = (&'a str, f64, &'a str);

/// The value of a quantity in a line; NaN if it is not there.
pub fn value_of(line: &[Cell<'_>], quantity: &str) -> f64 {
    line.iter().find(|(name, ..)| *name == quantity).map_or(f64::NAN, |(_, value, _)| *value)
}

/// A table of rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// The title; may be empty.
    pub title: String,
    /// What a reader needs to interpret the numbers: distributions, tolerances, sources. One paragraph each.
    pub notes: Vec<String>,
    /// The rows.
    pub rows: Vec<Row>,
}

impl Table {
    /// A table without rows.
    pub fn new(title: impl Into<String>) -> Self {
        Table { title: title.into(), ..Table::default() }
    }

    /// Adds a note.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Adds a row.
    pub fn push(&mut self, row: Row) {
        self.rows.push(row);
    }

    /// Adds a line: quantities of a subject.
    pub fn push_line(&mut self, subject: &str, cells: &[Cell<'_>]) {
        let row = |&(quantity, value, unit): &Cell<'_>| Row::new(subject, value, unit).quantity(quantity);
        self.rows.extend(cells.iter().map(row));
    }

    /// The table as text: a line per subject, an aligned column per quantity, ratios in parentheses.
    pub fn text(&self) -> String {
        let mut subjects: Vec<&str> = Vec::new();
        let mut columns: Vec<(&str, &str)> = Vec::new();
        for row in &self.rows {
            if !subjects.contains(&row.subject.as_str()) {
                subjects.push(&row.subject);
            }
            if !columns.contains(&(&row.quantity, &row.unit)) {
                columns.push((&row.quantity, &row.unit));
            }
        }
        let (quantities, units): (Vec<&str>, Vec<&str>) = columns.iter().copied().unzip();
        let mut grid: Vec<Vec<String>> = Vec::new();
        for line in [quantities, units] {
            if line.iter().any(|text| !text.is_empty()) {
                grid.push([""].into_iter().chain(line).map(str::to_owned).collect());
            }
        }
        for subject in subjects {
            let mut line = vec![subject.to_owned()];
            line.extend(columns.iter().map(|&(quantity, unit)| {
                let of_cell = |row: &&Row| row.subject == subject && row.quantity == quantity && row.unit == unit;
                self.rows.iter().find(of_cell).map(cell).unwrap_or_default()
            }));
            grid.push(line);
        }
        let mut text = String::new();
        if !self.title.is_empty() {
            text += &format!("{}\n", self.title);
        }
        text += &aligned(&grid);
        for note in &self.notes {
            text += &format!("  {note}\n");
        }
        text
    }
}

/// A number and its ratio as text.
fn cell(row: &Row) -> String {
    match &row.ratio_to {
        Some(ratio) => format!("{} ({}x)", number(row.value), number(ratio.value)),
        None => number(row.value),
    }
}

/// Four significant digits; integers up to 1e9 in full.
fn number(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() {
        "-".to_owned()
    } else if size != 0.0 && !(1e-3..1e9).contains(&size) {
        format!("{value:.2e}")
    } else {
        let digits = if size < 1e-3 { 0.0 } else { size.log10().floor() };
        let decimals = (3.0 - digits).clamp(0.0, 5.0) as usize;
        let text = format!("{value:.decimals$}");
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
    }
}

/// Aligns the first column left and the others right, separated by two spaces.
fn aligned(grid: &[Vec<String>]) -> String {
    let columns = grid.first().map_or(0, Vec::len);
    let widths: Vec<usize> =
        (0..columns).map(|i| grid.iter().map(|line| line[i].chars().count()).max().unwrap_or(0)).collect();
    let mut text = String::new();
    for line in grid {
        let cells = line
            .iter()
            .zip(&widths)
            .enumerate()
            .map(|(i, (cell, &width))| if i == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") });
        text += cells.collect::<Vec<_>>().join("  ").trim_end();
        text.push('\n');
    }
    text
}

fn join(parts: &[&str]) -> String {
    let parts: Vec<&str> = parts.iter().copied().filter(|part| !part.is_empty()).collect();
    parts.join(" / ")
}

/// All tables of one run, and the machine.
///
/// As JSON: `{"machine": {..}, "rows": [{"name", "value", "unit", "ratio_to"?}, ..]}`, where a name
/// is `title / subject / quantity` without empty parts, a value that is not finite is null, and `ratio_to` is
/// `{"name", "value"}`.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurements {
    /// The machine that took the measurements.
    pub machine: Machine,
    /// The tables.
    pub tables: Vec<Table>,
}

impl Measurements {
    /// All tables and the machine as text.
    pub fn text(&self) -> String {
        let tables = self.tables.iter().map(Table::text);
        tables.chain([format!("{}\n", self.machine.line())]).collect::<Vec<_>>().join("\n")
    }
}

impl serde::Serialize for Measurements {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(serde::Serialize)]
        struct Line<'a> {
            name: String,
            value: f64,
            unit: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            ratio_to: Option<Ratio>,
        }
        #[derive(serde::Serialize)]
        struct Document<'a> {
            machine: &'a Machine,
            rows: Vec<Line<'a>>,
        }
        let rows = self.tables.iter().flat_map(|table| {
            table.rows.iter().map(|row| Line {
                name: join(&[&table.title, &row.subject, &row.quantity]),
                value: row.value,
                unit: &row.unit,
                ratio_to: row
                    .ratio_to
                    .as_ref()
                    .map(|ratio| Ratio { name: join(&[&table.title, &ratio.name, &row.quantity]), value: ratio.value }),
            })
        });
        Document { machine: &self.machine, rows: rows.collect() }.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new("chains").note("made up");
        table.push(Row::new("textbook", 37.25, "us").quantity("time"));
        table.push(Row::new("textbook", 12.0, "").quantity("iterations"));
        table.push(Row::new("accelerated", 3.0, "us").quantity("time").ratio_to("textbook", 0.080_537));
        table
    }

    #[test]
    fn text_has_a_line_for_each_subject_and_aligned_columns() {
        let expected = "chains\n                     time  iterations\n                       us\n\
                        textbook            37.25          12\naccelerated  3 (0.08054x)\n  made up\n";
        let got = table().text();
        assert_eq!(got, expected, "\n{got}");
    }

    #[test]
    fn numbers_have_four_significant_digits() {
        let cases = [
            (0.0, "0"),
            (1311.19, "1311"),
            (15.461, "15.46"),
            (0.01328, "0.01328"),
            (9.99996, "10"),
            (100.0, "100"),
            (1_234_567.8, "1234568"),
            (-0.5, "-0.5"),
            (1.5e-7, "1.50e-7"),
            (f64::NAN, "-"),
        ];
        for (value, text) in cases {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn json_has_the_documented_shape() -> Result<(), serde_json::Error> {
        let mut table = table();
        table.push(Row::new("broken", f64::NAN, "us"));
        let measurements = Measurements { machine: Machine::here(), tables: vec![table] };
        let json = serde_json::to_value(&measurements)?;
        assert!(json["machine"]["cores"].as_u64() >= Some(1));
        assert_eq!(
            json["rows"][0],
            serde_json::json!({"name": "chains / textbook / time", "value": 37.25, "unit": "us"})
        );
        let ratio = serde_json::json!({"name": "chains / textbook / time", "value": 0.080_537});
        assert_eq!(json["rows"][2]["ratio_to"], ratio);
        assert!(json["rows"][3]["value"].is_null());
        Ok(())
    }
}
