//! The MOTION section of a BVH file: number of frames, frame time, one line of numbers per frame.

use crate::printable::{LARGEST, short};
use crate::syntax_tree::fault::{Fault, Read};
use crate::syntax_tree::fields::expected_number;

/// Frame time of a file with a single frame and frame time 0, seconds.
const SINGLE_FRAME_TIME: f64 = 1.0 / 30.0;

/// The contents of the MOTION section.
pub(crate) struct Record {
    /// Frame time in seconds, above 0.
    pub frame_time: f64,
    /// Values of all frames, frame by frame.
    pub values: Vec<f64>,
    /// What is wrong with the file, though all of it can be read.
    pub warning: Option<String>,
}

/// The numbers of a text. A sign inside a word starts a new number, unless it follows an `e`.
pub(crate) struct Numbers<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Numbers<'a> {
    /// The numbers of `text` after byte `at`.
    pub fn new(text: &'a str, at: usize) -> Self {
        Numbers { text, at }
    }

    fn read(word: &str, at: usize) -> Read<f64> {
        match word.parse::<f64>() {
            Ok(value) if value.abs() <= LARGEST => Ok(value),
            Ok(value) => Err(Fault::new(Some(at), format!("`{}` is not {}", short(word), expected_number(value)))
                .hint("the recording is damaged here; remove the frame or export it again")),
            Err(_) => {
                let fault = Fault::new(Some(at), format!("`{}` is not a number", short(word)));
                let comma = word.contains(',');
                Err(fault.hint_some(comma.then(|| "decimals need a point: 0.5, not 0,5".to_owned())))
            }
        }
    }
}

impl Iterator for Numbers<'_> {
    type Item = Read<f64>;

    fn next(&mut self) -> Option<Self::Item> {
        let bytes = self.text.as_bytes();
        while self.at < bytes.len() && bytes[self.at].is_ascii_whitespace() {
            self.at += 1;
        }
        let start = self.at;
        while self.at < bytes.len() && !bytes[self.at].is_ascii_whitespace() {
            let sign = matches!(bytes[self.at], b'+' | b'-');
            if self.at > start && sign && !matches!(bytes[self.at - 1], b'e' | b'E') {
                break;
            }
            self.at += 1;
        }
        (start < self.at).then(|| Self::read(&self.text[start..self.at], start))
    }
}

/// Reads the text after the word MOTION, which ends at byte `at`. Each frame has `width` numbers.
pub(crate) fn read_motion(text: &str, at: usize, width: usize) -> Read<Record> {
    let mut cursor = at;
    let (count, count_at) = labelled(text, &mut cursor, "Frames:")?;
    if count < 0.0 || count.fract() != 0.0 {
        return Err(Fault::new(Some(count_at), "the number of frames must be a whole number"));
    }
    let (time, time_at) = labelled(text, &mut cursor, "Frame Time:")?;
    let values = Numbers::new(text, cursor).collect::<Read<Vec<f64>>>()?;
    let mut warning = None;
    if values.len() as f64 != count * width as f64 {
        let frames = lines_of(text, cursor, width)?;
        let plural = if frames == 1 { "" } else { "s" };
        let message = format!("the file says {count} frames, but {frames} line{plural} of numbers follow");
        if (frames as f64) < count {
            let hint = format!("write Frames: {frames}, or fetch the whole file again");
            return Err(Fault::new(Some(count_at), message).hint(hint));
        }
        warning = Some(format!("{message}; all are read"));
    }
    let frame_time = match time {
        time if time > 0.0 => time,
        time if time == 0.0 && count <= 1.0 => SINGLE_FRAME_TIME,
        _ => {
            let fault = Fault::new(Some(time_at), format!("the time of a frame must be above 0, found {time}"));
            return Err(fault.hint("for example Frame Time: 0.0333333, thirty frames a second"));
        }
    };
    Ok(Record { frame_time, values, warning })
}

/// The number after a label such as `Frame Time:`, and its offset. The cursor moves to the next line. Blanks and case of
/// the label are ignored.
fn labelled(text: &str, cursor: &mut usize, label: &str) -> Read<(f64, usize)> {
    let rest = &text[*cursor..];
    let start = *cursor + (rest.len() - rest.trim_start().len());
    let end = text[start..].find(['\n', '\r']).map_or(text.len(), |length| start + length);
    let missing = || {
        let found: String = text[start..end].trim_end().chars().take(40).collect();
        Fault::new(Some(start), format!("expected `{label}` and a number, found `{found}`"))
    };
    let colon = text[start..end].find(':').ok_or_else(missing)?;
    let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_lowercase();
    if letters(&text[start..=start + colon]) != letters(label) {
        return Err(missing());
    }
    *cursor = end;
    let after = &text[start + colon + 1..end];
    let at = end - after.trim_ascii_start().len();
    let mut numbers = Numbers::new(&text[..end], at);
    let number = numbers.next().ok_or_else(missing)??;
    match numbers.next() {
        None => Ok((number, at)),
        Some(_) => Err(missing()),
    }
}

/// The number of lines with numbers. Fails at a line that is too long or too short.
fn lines_of(text: &str, from: usize, width: usize) -> Read<usize> {
    let mut frames = 0_usize;
    let mut at = from;
    for line in text[from..].split_inclusive(['\n', '\r']) {
        let numbers = Numbers::new(&text[..at + line.len()], at).count();
        if numbers != 0 && numbers != width {
            let indent = line.len() - line.trim_start().len();
            let message = format!("this frame has {numbers} numbers, but the joints have {width} channels");
            return Err(
                Fault::new(Some(at + indent), message).hint("the file is cut off here, or a channel is missing")
            );
        }
        frames += usize::from(numbers != 0);
        at += line.len();
    }
    Ok(frames)
}
