//! Splitting a line into cells. The crate `csv` knows no tables in columns of blanks, and a quote that is not closed takes
//! all following rows into its cell; here it spoils its own row.

use std::borrow::Cow;

/// What separates the cells of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Separator {
    /// This character; blanks around a cell are ignored.
    Mark(char),
    /// Any number of blanks.
    Blanks,
}

impl Separator {
    /// The separator of a table, determined by its first line: semicolon, tab, comma, otherwise blanks.
    pub fn of(line: &str) -> Self {
        let outside = |mark: char| {
            let mut in_quotes = false;
            line.chars().any(|c| {
                in_quotes ^= c == '"';
                c == mark && !in_quotes
            })
        };
        match [';', '\t', ','].into_iter().find(|&mark| outside(mark)) {
            Some(mark) => Separator::Mark(mark),
            None => Separator::Blanks,
        }
    }

    /// The text of a number. Where semicolons separate the cells, its decimals may follow a comma.
    pub fn number(self, cell: &str) -> Cow<'_, str> {
        match self {
            Separator::Mark(';') if cell.contains(',') && !cell.contains('.') => Cow::Owned(cell.replacen(',', ".", 1)),
            _ => Cow::Borrowed(cell),
        }
    }

    /// The cells of a line. Quoted cells may contain separators and doubled quotes, but no line ends.
    pub fn split(self, line: &str) -> Result<Vec<Cow<'_, str>>, String> {
        if memchr::memchr(b'"', line.as_bytes()).is_some() {
            return Ok(self.split_quoted(line)?.into_iter().map(Cow::Owned).collect());
        }
        Ok(match self {
            Separator::Mark(mark) => line.split(mark).map(Cow::Borrowed).collect(),
            Separator::Blanks if line.trim().is_empty() => vec![Cow::Borrowed("")],
            Separator::Blanks => line.split_whitespace().map(Cow::Borrowed).collect(),
        })
    }

    fn split_quoted(self, line: &str) -> Result<Vec<String>, String> {
        let line = match self {
            Separator::Mark(_) => line,
            Separator::Blanks => line.trim(),
        };
        let is_end = |c: char| match self {
            Separator::Mark(mark) => c == mark,
            Separator::Blanks => c.is_whitespace(),
        };
        let mut cells = vec![String::new()];
        let mut in_quotes = false;
        let mut characters = line.chars().peekable();
        while let Some(c) = characters.next() {
            let last = cells.len() - 1;
            match c {
                '"' if in_quotes && characters.peek() == Some(&'"') => {
                    characters.next();
                    cells[last].push('"');
                }
                '"' if in_quotes || cells[last].trim().is_empty() => in_quotes = !in_quotes,
                c if is_end(c) && !in_quotes => {
                    if self == Separator::Blanks && cells[last].is_empty() {
                        continue;
                    }
                    cells.push(String::new());
                }
                c => cells[last].push(c),
            }
        }
        if in_quotes { Err("a quote is not closed".into()) } else { Ok(cells) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_split_at_separators_outside_of_quotes() {
        let cells = |line| Separator::of(line).split(line).map_err(|_| ());
        let owned = |cells: &[&str]| Ok(cells.iter().map(|&cell| Cow::Owned(cell.to_owned())).collect::<Vec<_>>());
        assert_eq!(cells("1,2,,3"), owned(&["1", "2", "", "3"]));
        assert_eq!(cells("\"a,b\",\"say \"\"x\"\"\""), owned(&["a,b", "say \"x\""]));
        assert_eq!(cells("\"a,b\";1,5"), owned(&["a,b", "1,5"]));
        assert_eq!(cells("1\t\t3"), owned(&["1", "", "3"]));
        assert_eq!(cells("  1   2  3 "), owned(&["1", "2", "3"]));
        assert_eq!(cells("\"open,"), Err(()));
    }

    /// Lines without quotes are split in another way, with the same result.
    #[test]
    fn both_ways_of_splitting_agree() {
        for line in ["", " ", "1", "1,2,,3", ",", "a\t b\tc", "  1   2  3 ", "1; 2 ;3", "x\u{a0}y z", "\u{2003}1 2"] {
            let separator = Separator::of(line);
            let plain = separator.split(line).map(|cells| cells.into_iter().map(Cow::into_owned).collect::<Vec<_>>());
            assert_eq!(plain, separator.split_quoted(line), "{line:?}");
        }
    }
}
