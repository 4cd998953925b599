//! OBJ: vertices, normals, polygons and materials. Lines, points and curves are ignored.

use super::corners::{self, Corner, point};
use super::materials::{self, Companions, Material};
use crate::error::SceneError;
use crate::mesh::MeshFile;
use crate::printable::short;
use crate::source::{decode, stem};
use crate::syntax_tree::fault::{Fault, Read};
use glam::{Vec2, Vec3};
use std::collections::HashMap;

/// The lists that faces refer to.
#[derive(Default)]
struct Lists {
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
    uvs: Vec<Vec2>,
}

pub(crate) fn read(bytes: Vec<u8>, origin: &str, companions: &mut Companions<'_>) -> Result<MeshFile, SceneError> {
    let text = decode(bytes, origin)?;
    let file = read_text(&text, stem(origin), companions).and_then(corners::not_empty);
    file.map_err(|fault| fault.in_text(origin, &text))
}

/// Reads the faces of all groups, one mesh for each known material.
fn read_text(text: &str, name: &str, companions: &mut Companions<'_>) -> Read<MeshFile> {
    let mut lists = Lists::default();
    let mut materials: HashMap<String, Material> = HashMap::new();
    // Faces without a known material are the first part.
    let mut parts: Vec<(Option<String>, Vec<Corner>)> = vec![(None, Vec::new())];
    let mut part = 0;
    for line in logical_lines(text) {
        let mut words = line.text.split(|c: char| c.is_whitespace() || c == '\\').filter(|word| !word.is_empty());
        match words.next() {
            Some("v") => lists.positions.push(line.vector(words)?),
            Some("vn") => lists.normals.push(line.vector(words)?),
            Some("vt") => lists.uvs.push(line.uv(words)?),
            Some("mtllib") => {
                if let Some(text) = companions.text(line.rest()) {
                    materials.extend(materials::read(&text, companions));
                }
            }
            Some("usemtl") => {
                let name = Some(line.rest()).filter(|name| materials.contains_key(*name));
                part = parts.iter().position(|(known, _)| known.as_deref() == name).unwrap_or_else(|| {
                    parts.push((name.map(str::to_owned), Vec::new()));
                    parts.len() - 1
                });
            }
            Some("f") => {
                let corners = words.map(|word| line.corner(word, &lists)).collect::<Read<Vec<_>>>()?;
                if corners.len() < 3 {
                    return Err(line.fault(format!("a face needs at least three corners, this has {}", corners.len())));
                }
                let outline: Vec<Vec3> = corners.iter().map(|corner| corner.position).collect();
                parts[part].1.extend(corners::triangulate(&outline).into_iter().flatten().map(|at| corners[at]));
            }
            _ => {}
        }
    }
    let mesh = |(material, corners): &(Option<String>, Vec<Corner>)| {
        let material = material.as_ref().and_then(|name| materials.get(name)).cloned().unwrap_or_default();
        corners::mesh(name, corners, material.color, &material.paint)
    };
    let parts = parts.iter().filter(|(_, corners)| !corners.is_empty()).map(mesh).collect();
    Ok(MeshFile { parts, ..MeshFile::default() })
}

/// A line, with its continuations after backslashes.
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

    /// The first three numbers; a weight or colour after them is ignored.
    fn vector<'w>(&self, mut words: impl Iterator<Item = &'w str>) -> Read<Vec3> {
        let mut values = [0.0; 3];
        for value in &mut values {
            let word = words.next().ok_or_else(|| self.fault("expected three numbers"))?;
            *value = word.parse().map_err(|_| self.fault(format!("`{}` is not a number", short(word))))?;
        }
        point(values).ok_or_else(|| self.fault("expected finite numbers"))
    }

    /// The first two numbers; missing ones are 0.
    fn uv<'w>(&self, words: impl Iterator<Item = &'w str>) -> Read<Vec2> {
        let values: Vec<f32> = words.map_while(|word| word.parse().ok()).take(2).collect();
        let uv = Vec2::new(values.first().copied().unwrap_or(0.0), values.get(1).copied().unwrap_or(0.0));
        if uv.is_finite() { Ok(uv) } else { Err(self.fault("expected finite numbers")) }
    }

    fn rest(&self) -> &str {
        self.text.trim().split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim())
    }

    /// A corner `position/texture/normal`, the last two optional. Negative indices count from the end.
    fn corner(&self, word: &str, lists: &Lists) -> Read<Corner> {
        let mut parts = word.split('/');
        let position = self.element(parts.next().unwrap_or_default(), &lists.positions, "vertex")?;
        let (uv, normal) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        // Missing texture coordinates are no error.
        let uv = self.element(uv, &lists.uvs, "texture point").ok();
        let normal = match normal {
            "" => None,
            part => Some(self.element(part, &lists.normals, "normal")?),
        };
        Ok(Corner { position, normal, uv })
    }

    fn element<T: Copy>(&self, word: &str, list: &[T], what: &str) -> Read<T> {
        let count = list.len() as i64;
        let number: Option<i64> = word.parse().ok();
        let index = number.map(|number| if number < 0 { count + number } else { number - 1 });
        let found = index.and_then(|index| usize::try_from(index).ok()).and_then(|index| list.get(index));
        found
            .copied()
            .ok_or_else(|| self.fault(format!("there is no {what} `{}`; {count} come before this face", short(word))))
    }
}
