//! OBJ: vertices, normals and polygons. Materials, lines, points and curves are passed over.

use super::corners::{self, Corner};
use super::{MeshFile, point, polygon};
use crate::scene::document::{Fault, Read};
use glam::Vec3;

/// Reads the faces of all groups as one mesh.
pub(super) fn read(text: &str, name: &str) -> Read<MeshFile> {
    let mut positions: Vec<Vec3> = Vec::new();
    let mut normals: Vec<Vec3> = Vec::new();
    let mut list: Vec<Corner> = Vec::new();
    for line in logical_lines(text) {
        let mut words = line.text.split(|c: char| c.is_whitespace() || c == '\\').filter(|word| !word.is_empty());
        match words.next() {
            Some("v") => positions.push(line.vector(words)?),
            Some("vn") => normals.push(line.vector(words)?),
            Some("f") => {
                let corners = words.map(|word| line.corner(word, &positions, &normals)).collect::<Read<Vec<_>>>()?;
                if corners.len() < 3 {
                    return Err(line.fault(format!("a face has three corners or more, this has {}", corners.len())));
                }
                let outline: Vec<Vec3> = corners.iter().map(|corner| corner.position).collect();
                list.extend(polygon::triangulate(&outline).into_iter().flatten().map(|at| corners[at]));
            }
            _ => {}
        }
    }
    Ok(MeshFile { parts: vec![corners::mesh(name, &list, None)], up: None })
}

/// A line, together with those that it continues on after a backslash.
struct Line<'a> {
    text: &'a str,
    at: usize,
}

fn logical_lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let at = text.len() - rest.len();
        let mut length = 0;
        loop {
            let part = &rest[length..];
            length += part.find('\n').map_or(part.len(), |end| end + 1);
            let continued = rest[..length].trim_end_matches(['\n', '\r']).ends_with('\\');
            if !continued || length == rest.len() {
                break;
            }
        }
        let (line, after) = rest.split_at(length);
        rest = after;
        Some(Line { text: line.split('#').next().unwrap_or_default(), at })
    })
}

impl Line<'_> {
    fn fault(&self, message: impl Into<String>) -> Fault {
        let indent = self.text.len() - self.text.trim_start().len();
        Fault::new(Some(self.at + indent), message)
    }

    /// The first three numbers; what may follow (a weight, a colour) does not matter.
    fn vector<'w>(&self, mut words: impl Iterator<Item = &'w str>) -> Read<Vec3> {
        let mut values = [0.0; 3];
        for value in &mut values {
            let word = words.next().ok_or_else(|| self.fault("expected three numbers"))?;
            *value = word
                .parse()
                .map_err(|_| self.fault(format!("`{}` is not a number", crate::scene::xml::short(word))))?;
        }
        point(values).ok_or_else(|| self.fault("expected finite numbers"))
    }

    /// A corner `position/texture/normal`, the last two optional; negative numbers count from the end.
    fn corner(&self, word: &str, positions: &[Vec3], normals: &[Vec3]) -> Read<Corner> {
        let mut parts = word.split('/');
        let position = self.element(parts.next().unwrap_or_default(), positions, "vertex")?;
        let normal = match parts.nth(1).filter(|part| !part.is_empty()) {
            Some(part) => Some(self.element(part, normals, "normal")?),
            None => None,
        };
        Ok(Corner { position, normal })
    }

    fn element(&self, word: &str, list: &[Vec3], what: &str) -> Read<Vec3> {
        let count = list.len() as i64;
        let number: Option<i64> = word.parse().ok();
        let index = number.map(|number| if number < 0 { count + number } else { number - 1 });
        let found = index.and_then(|index| usize::try_from(index).ok()).and_then(|index| list.get(index));
        found.copied().ok_or_else(|| {
            self.fault(format!(
                "there is no {what} `{}`; {count} come before this face",
                crate::scene::xml::short(word)
            ))
        })
    }
}
