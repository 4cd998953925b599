//! Gathering all data of a glTF file in one buffer, so that the written file needs no other files.

use super::data::{Data, Stored};
use super::lists::Lists;
use super::store::push;
use crate::source::{LARGEST_FILE, read_bytes};
use serde_json::{Value, json};

/// Extension of buffer views that refers to buffers.
const COMPRESSED: &str = "EXT_meshopt_compression";

/// Moves the buffers of a document and its image files into one buffer, number 0, and returns the bytes. An image that
/// cannot be read stays in its file.
pub(crate) fn gather(value: &mut Value, lists: &Lists<'_>, data: &Data<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let starts: Vec<usize> = (0..lists.buffers.len()).map(|at| append(&mut bytes, data.buffer(at))).collect();
    for view in value["bufferViews"].as_array_mut().into_iter().flatten() {
        move_into(view, &starts);
        if view["extensions"].get(COMPRESSED).is_some() {
            move_into(&mut view["extensions"][COMPRESSED], &starts);
        }
    }
    value["buffers"] = json!([{"byteLength": 0}]);
    for (at, image) in lists.images.iter().enumerate() {
        let Ok(Stored::File(path)) = data.picture(image) else { continue };
        let Ok(picture) = read_bytes(&path, LARGEST_FILE) else { continue };
        let Ok(format) = image::guess_format(&picture) else { continue };
        let start = append(&mut bytes, &picture);
        let view = json!({"buffer": 0, "byteOffset": start, "byteLength": picture.len()});
        let view = push(value, "bufferViews", view);
        let Some(image) = value["images"][at].as_object_mut() else { continue };
        image.remove("uri");
        image.insert("bufferView".to_owned(), json!(view));
        image.insert("mimeType".to_owned(), json!(format.to_mime_type()));
    }
    bytes
}

/// Appends bytes, aligned for every component type, and returns their offset.
fn append(bytes: &mut Vec<u8>, more: &[u8]) -> usize {
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes.extend_from_slice(more);
    bytes.len() - more.len()
}

/// Redirects a reference to a part of a buffer to the common buffer.
fn move_into(reference: &mut Value, starts: &[usize]) {
    let buffer = reference["buffer"].as_u64().and_then(|at| starts.get(at as usize));
    let Some(start) = buffer else { return };
    let offset = reference["byteOffset"].as_u64().unwrap_or(0) as usize;
    reference["buffer"] = json!(0);
    reference["byteOffset"] = json!(start + offset);
}
