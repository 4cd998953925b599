//! STL, text and binary.

use super::corners::{self, Corner, point};
use super::materials::Companions;
use crate::error::SceneError;
use crate::mesh::MeshFile;
use crate::source::{decode, stem};
use crate::syntax_tree::fault::{Fault, Read};
use crate::texture::Paint;

/// Bytes before the triangles of a binary file: a comment and the number of triangles.
const HEADER: usize = 84;
/// Bytes per triangle: a normal, three corners, two unused bytes.
const TRIANGLE: usize = 50;

pub(crate) fn read(bytes: Vec<u8>, origin: &str, _: &mut Companions<'_>) -> Result<MeshFile, SceneError> {
    let file = |corners: Vec<Corner>| {
        let part = corners::mesh(stem(origin), &corners, None, &Paint::default());
        corners::not_empty(MeshFile { parts: vec![part], ..MeshFile::default() })
    };
    if let Some(triangles) = binary_triangles(&bytes) {
        return read_binary(triangles).and_then(file).map_err(|fault| fault.in_text(origin, ""));
    }
    let text = decode(bytes, origin)?;
    read_text(&text).and_then(file).map_err(|fault| fault.in_text(origin, &text))
}

/// The triangles of a binary file; none if it is text. The length decides, since the comment of many binary files starts
/// with `solid` too.
fn binary_triangles(bytes: &[u8]) -> Option<&[u8]> {
    let (header, body) = bytes.split_first_chunk::<HEADER>()?;
    let count = u32::from_le_bytes(*header.last_chunk()?) as usize;
    let length = count.checked_mul(TRIANGLE)?;
    let text = bytes.trim_ascii_start().starts_with(b"solid");
    // Some programs append data to a binary file. A text file can be longer than the number in its place says.
    if body.len() == length || (body.len() > length && !text) { Some(&body[..length]) } else { None }
}

fn read_binary(triangles: &[u8]) -> Read<Vec<Corner>> {
    let mut list = Vec::with_capacity(triangles.len() / TRIANGLE * 3);
    for (at, triangle) in triangles.chunks_exact(TRIANGLE).enumerate() {
        for [x, y, z] in triangle[12..48].as_chunks::<4>().0.as_chunks::<3>().0 {
            let position = point([x, y, z].map(|bytes| f32::from_le_bytes(*bytes).into()))
                .ok_or_else(|| Fault::new(None, format!("triangle {at} has a corner that is not finite")))?;
            list.push(Corner { position, normal: None, uv: None });
        }
    }
    Ok(list)
}

/// Reads a text file. Several solids become one mesh.
fn read_text(text: &str) -> Read<Vec<Corner>> {
    let mut list: Vec<Corner> = Vec::new();
    let mut words = words(text);
    match words.next() {
        Some(("solid", _)) => {}
        Some((_, at)) => return Err(Fault::new(Some(at), "this is not STL: expected the word `solid`")),
        None => return Err(Fault::new(None, "the file is empty")),
    }
    let mut facet = 0;
    while let Some((word, at)) = words.next() {
        if word.eq_ignore_ascii_case("facet") {
            facet = list.len();
        } else if word.eq_ignore_ascii_case("endfacet") && list.len() != facet + 3 {
            return Err(Fault::new(Some(at), format!("a facet has three vertices, this has {}", list.len() - facet)));
        } else if word.eq_ignore_ascii_case("vertex") {
            let mut value = || {
                let (word, at) = words.next().unwrap_or(("", text.len()));
                word.parse::<f64>().map_err(|_| Fault::new(Some(at), format!("expected a number, found `{word}`")))
            };
            let values = [value()?, value()?, value()?];
            let position = point(values).ok_or_else(|| Fault::new(Some(at), "this vertex is not finite"))?;
            list.push(Corner { position, normal: None, uv: None });
        }
    }
    if !list.len().is_multiple_of(3) {
        return Err(Fault::new(Some(text.len()), "the file ends inside a facet"));
    }
    Ok(list)
}

/// The words of a text and their offsets.
fn words(text: &str) -> impl Iterator<Item = (&str, usize)> {
    text.split_ascii_whitespace().map(|word| (word, word.as_ptr() as usize - text.as_ptr() as usize))
}
