//! Bytes and text of files, with errors that name them.

use crate::error::SceneError;
use std::io::ErrorKind;
use std::path::Path;
use std::str::Utf8Error;

/// Largest file that is read, bytes. No scene needs more, and the contents stay in memory.
pub(crate) const LARGEST_FILE: u64 = 512 << 20;

/// Bytes at the start of a file that tell its format.
pub(crate) const HEAD: usize = 4096;

/// What Git has in the place of a large file that was not fetched starts with these bytes.
pub(crate) const LFS_POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";
/// Checks that these are the bytes of a file of its own.
pub(crate) fn check_content(bytes: &[u8], origin: &str) -> Result<(), SceneError> {
    match bytes.starts_with(LFS_POINTER) {
        true => Err(SceneError::new(origin, "this is a Git LFS pointer, not the file that it stands for")
            .with_hint("fetch the file: git lfs pull")),
        false => Ok(()),
    }
}

/// The error for a file that cannot be read.
pub(crate) fn unreadable(path: &Path, error: &std::io::Error) -> SceneError {
    let fault = |message: &str| SceneError::new(path.display().to_string(), message);
    match error.kind() {
        ErrorKind::NotFound => fault("there is no such file"),
        ErrorKind::IsADirectory => fault("this is a folder, not a file").with_hint("name the files in it"),
        _ => fault(&format!("cannot be read: {error}")),
    }
}

/// Decodes UTF-8, or UTF-16 with a byte order mark. The result has no byte order mark, and in UTF-8 a carriage return that ends a
/// line alone is a line feed.
pub(crate) fn decode(mut bytes: Vec<u8>, origin: &str) -> Result<String, SceneError> {
    let wide = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
        let text: Result<String, _> = char::decode_utf16(units).collect();
        text.map_err(|_| SceneError::new(origin, "this is not valid UTF-16 text"))
    };
    match bytes.as_slice() {
        [0xff, 0xfe, rest @ ..] => return wide(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => return wide(rest, u16::from_be_bytes),
        _ => {}
    }
    let mut from = 0;
    while let Some(at) = memchr::memchr(b'\r', &bytes[from..]).map(|at| from + at) {
        from = at + 1;
        if bytes.get(from) != Some(&b'\n') {
            bytes[at] = b'\n';
        }
    }
    let text = String::from_utf8(bytes).map_err(|error| not_utf8(error.as_bytes(), error.utf8_error(), origin))?;
    let inner = trimmed(&text);
    Ok(if inner.len() == text.len() { text } else { inner.to_owned() })
}

/// The error about bytes that are not UTF-8, at the first of them that are not.
pub(crate) fn not_utf8(bytes: &[u8], error: Utf8Error, origin: &str) -> SceneError {
    SceneError::new(origin, "this is not UTF-8 text")
        .with_hint("save it as UTF-8, or fetch it again if it is damaged")
        .at(&String::from_utf8_lossy(bytes), error.valid_up_to())
}

/// The text without a byte order mark, and without the zero bytes that programs in C and the chunks of GLB write after it.
pub(crate) fn trimmed(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text).trim_end_matches('\0')
}

/// The extension of a file in lower case; empty if it has none.
pub fn extension(path: &Path) -> String {
    path.extension().and_then(|extension| extension.to_str()).unwrap_or_default().to_ascii_lowercase()
}

/// File name without folder and extension: the default name of a scene.
pub(crate) fn stem(origin: &str) -> &str {
    Path::new(origin).file_stem().and_then(|stem| stem.to_str()).unwrap_or("scene")
}
