//! Whether an MP4 file is complete.

use std::io::{self, Read, Seek, SeekFrom};

/// Whether the boxes of an MP4 file (ISO/IEC 14496-12, 4.2) fill it exactly, and its frames and their index are among them.
/// ffmpeg reports success even if the disk was full while it wrote the end of the file.
pub(super) fn is_complete(file: &mut (impl Read + Seek)) -> io::Result<bool> {
    let end = file.seek(SeekFrom::End(0))?;
    let (mut at, mut has_index, mut has_frames) = (0, false, false);
    while at + 8 <= end {
        file.seek(SeekFrom::Start(at))?;
        let mut head = Vec::with_capacity(16);
        file.take(16).read_to_end(&mut head)?;
        head.resize(16, 0);
        let word = |at: usize| u64::from(u32::from_be_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]));
        // A size of 1 announces one of 64 bits.
        let size = if word(0) == 1 { word(8) << 32 | word(12) } else { word(0) };
        // A size of 0 is the mark of a box whose size was to be filled in.
        if size < 8 || size > end - at {
            return Ok(false);
        }
        has_index |= &head[4..8] == b"moov";
        has_frames |= &head[4..8] == b"mdat";
        at += size;
    }
    Ok(has_index && has_frames && at == end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    /// A box of this type with so many bytes of content.
    fn part(kind: &[u8; 4], content: u32) -> Vec<u8> {
        [&(content + 8).to_be_bytes(), &kind[..], &vec![0; content as usize]].concat()
    }

    fn complete(bytes: &[u8]) -> bool {
        is_complete(&mut Cursor::new(bytes)).expect("memory can be read")
    }

    #[test]
    fn only_whole_files_with_an_index_are_complete() {
        let film = [part(b"ftyp", 24), part(b"moov", 700), part(b"free", 0), part(b"mdat", 5000)].concat();
        assert!(complete(&film));
        for length in 0..film.len() {
            assert!(!complete(&film[..length]), "{length} of {} bytes", film.len());
        }
        assert!(!complete(&[part(b"ftyp", 24), part(b"mdat", 5000)].concat()), "no index");
        let large = [&1_u32.to_be_bytes(), &b"mdat"[..], &16_u64.to_be_bytes()].concat();
        assert!(complete(&[part(b"moov", 8), large].concat()), "a size of 64 bits");
        let unfinished = [&0_u32.to_be_bytes(), &b"mdat"[..], &[0; 100]].concat();
        assert!(!complete(&[part(b"moov", 8), unfinished].concat()));
    }
}
