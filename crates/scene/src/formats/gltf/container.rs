//! The two forms of a glTF file: JSON with its data in base64, or JSON and binary data in one file (GLB).

use crate::error::SceneError;
use crate::source::{not_utf8, trimmed};
use crate::syntax_tree::fault::Fault;

/// What the binary form begins with.
pub(crate) const MAGIC: &[u8; 4] = b"glTF";
const HEADER: usize = 12;
const CHUNK_HEADER: usize = 8;
const JSON: u32 = 0x4e4f_534a;
const BINARY: u32 = 0x004e_4942;

/// The parts of a file.
#[derive(Clone, Copy)]
pub(crate) struct Container<'a> {
    pub json: &'a str,
    /// The binary chunk of a GLB.
    pub binary: Option<&'a [u8]>,
    pub is_glb: bool,
}

impl Container<'_> {
    /// A fault with its place in the file. A place in the JSON inside a GLB does not help anyone.
    pub fn placed(&self, fault: Fault) -> Fault {
        Fault { place: fault.place.filter(|_| !self.is_glb), ..fault }
    }
}

/// Splits a file into its parts. All sizes are checked.
pub(crate) fn open<'a>(bytes: &'a [u8], origin: &str) -> Result<Container<'a>, SceneError> {
    if bytes.is_empty() {
        return Err(SceneError::new(origin, "the file is empty"));
    }
    if !bytes.starts_with(MAGIC) {
        if !matches!(bytes.trim_ascii_start().first(), Some(b'{' | 0xef)) {
            let message = "this is not glTF: it starts neither with `glTF` nor with `{`";
            return Err(SceneError::new(origin, message));
        }
        return Ok(Container { json: text(bytes, origin)?, binary: None, is_glb: false });
    }
    let cut = |what: &str| {
        SceneError::new(origin, format!("the file is cut off: {what}")).with_hint("download or export it again")
    };
    let header = |at: usize| word(bytes, at).ok_or_else(|| cut("its header is not complete"));
    let version = header(4)?;
    if version != 2 {
        return Err(wrong_version(origin, &format!("{version}.0")));
    }
    let length = header(8)? as usize;
    if length < HEADER {
        return Err(SceneError::new(origin, format!("the header says that the file has {length} bytes")));
    }
    let whole =
        bytes.get(..length).ok_or_else(|| cut(&format!("it should have {length} bytes, not {}", bytes.len())))?;
    let (mut json, mut binary) = (None, None);
    let mut at = HEADER;
    while at < whole.len() {
        let chunk_header = || cut(&format!("the chunk at byte {at} has no header"));
        let size = word(whole, at).ok_or_else(chunk_header)? as usize;
        let kind = word(whole, at + 4).ok_or_else(chunk_header)?;
        let start = at + CHUNK_HEADER;
        let end = start.checked_add(size).filter(|&end| end <= whole.len());
        let end = end.ok_or_else(|| cut(&format!("the chunk at byte {at} should have {size} bytes")))?;
        if at == HEADER && kind != JSON {
            return Err(SceneError::new(origin, "the first chunk of the file is not JSON"));
        }
        match kind {
            JSON if json.is_none() => json = Some(&whole[start..end]),
            BINARY if binary.is_none() => binary = Some(&whole[start..end]),
            JSON | BINARY => {
                return Err(SceneError::new(origin, format!("the chunk at byte {at} is a second one of its kind")));
            }
            // The specification says to ignore other chunks.
            _ => {}
        }
        at = end;
    }
    let json = json.ok_or_else(|| cut("it ends after its header"))?;
    let json = text(json, origin).map_err(|error| SceneError { position: None, ..error })?;
    Ok(Container { json, binary, is_glb: true })
}

/// The error about a version other than 2.
pub(crate) fn wrong_version(origin: &str, version: &str) -> SceneError {
    SceneError::new(origin, format!("this is glTF {version}; only glTF 2.0 can be read"))
        .with_hint("open it in Blender, or with gltf-pipeline, and export it as glTF 2.0")
}

fn text<'a>(bytes: &'a [u8], origin: &str) -> Result<&'a str, SceneError> {
    std::str::from_utf8(bytes).map(trimmed).map_err(|error| not_utf8(bytes, error, origin))
}

/// The little-endian number at an offset.
fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|four| u32::from_le_bytes(*four))
}

pub(crate) fn glb(json: &str, binary: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(HEADER + 2 * CHUNK_HEADER + json.len() + binary.len() + 8);
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&2_u32.to_le_bytes());
    out.extend_from_slice(&[0; 4]);
    for (kind, bytes, padding) in [(JSON, json.as_bytes(), b' '), (BINARY, binary, 0)] {
        let padded = bytes.len().next_multiple_of(4);
        out.extend_from_slice(&(padded as u32).to_le_bytes());
        out.extend_from_slice(&kind.to_le_bytes());
        out.extend_from_slice(bytes);
        out.resize(out.len() + padded - bytes.len(), padding);
    }
    let length = out.len() as u32;
    out[8..12].copy_from_slice(&length.to_le_bytes());
    out
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Decodes base64 of either alphabet, the one for URLs too. White space is ignored, and padding may be absent.
pub(crate) fn decode_base64(text: &[u8]) -> Option<Vec<u8>> {
    let mut values = [None; 256];
    DIGITS.iter().zip(0_u32..).for_each(|(&digit, value)| values[usize::from(digit)] = Some(value));
    (values[usize::from(b'-')], values[usize::from(b'_')]) = (Some(62), Some(63));
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0_u32, 0);
    let is_filler = |byte: &u8| *byte == b'=' || byte.is_ascii_whitespace();
    let length = text.iter().rposition(|byte| !is_filler(byte)).map_or(0, |last| last + 1);
    for &digit in text[..length].iter().filter(|digit| !digit.is_ascii_whitespace()) {
        bits = (bits << 6 | values[usize::from(digit)]?) & 0xff_ffff;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xff) as u8);
        }
    }
    Some(bytes)
}

pub(crate) fn encode_base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits = (0..3).fold(0_u32, |bits, at| bits << 8 | u32::from(group.get(at).copied().unwrap_or(0)));
        for at in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * at) & 63) as usize];
            text.push(if at <= group.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_goes_both_ways() {
        for (bytes, text) in [(&b""[..], ""), (b"f", "Zg=="), (b"fo", "Zm8="), (b"foobar", "Zm9vYmFy")] {
            assert_eq!(encode_base64(bytes), text);
            assert_eq!(decode_base64(text.as_bytes()).as_deref(), Some(bytes));
        }
        assert_eq!(decode_base64(b"Z*=="), None);
        assert_eq!(decode_base64(b"+/+/"), decode_base64(b"-_-_"));
        assert_eq!(decode_base64(b"Zg").as_deref(), Some(&b"f"[..]));
    }
}
