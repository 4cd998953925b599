//! The HIERARCHY section of a BVH file: joints, offsets, channels.

use super::numbers::Numbers;
use crate::builder::MAX_JOINTS;
use crate::syntax_tree::fault::{Fault, Read, did_you_mean};
use glam::DVec3;

/// A joint of the file.
pub(crate) struct Draft<'a> {
    pub name: &'a str,
    pub parent: Option<usize>,
    pub offset: DVec3,
    /// Indices in [`CHANNELS`].
    pub channels: Vec<usize>,
    pub ends: Vec<End<'a>>,
}

/// An End Site.
pub(crate) struct End<'a> {
    /// Present in few files.
    pub name: Option<&'a str>,
    pub offset: DVec3,
}

/// The channels of the format: positions along the three axes, then rotations about them.
pub(crate) const CHANNELS: [&str; 6] = ["Xposition", "Yposition", "Zposition", "Xrotation", "Yrotation", "Zrotation"];
/// Index of the first rotation.
pub(crate) const ROTATIONS: usize = 3;

/// A part of a line: a brace, or the trimmed text between braces.
#[derive(Clone, Copy)]
struct Piece<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Piece<'a> {
    /// The rest of the piece if it starts with `word`, ignoring case.
    fn after(self, word: &str) -> Option<Piece<'a>> {
        let head = self.text.get(..word.len())?;
        let tail = &self.text[word.len()..];
        let whole = tail.is_empty() || tail.starts_with(|c: char| c.is_whitespace() || c == ':');
        (head.eq_ignore_ascii_case(word) && whole).then(|| {
            let trimmed = tail.trim_start();
            Piece { text: trimmed, at: self.at + word.len() + (tail.len() - trimmed.len()) }
        })
    }

    fn fault(self, message: impl Into<String>) -> Fault {
        Fault::new(Some(self.at), message)
    }

    fn shown(self) -> String {
        let short: String = self.text.chars().take(40).collect();
        format!("`{short}`")
    }
}

fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let first = rest.chars().next()?;
        let length =
            if matches!(first, '{' | '}') { 1 } else { rest.find(['{', '}', '\n', '\r']).unwrap_or(rest.len()) };
        let at = text.len() - rest.len();
        let (piece, after) = rest.split_at(length);
        rest = after;
        Some(Piece { text: piece.trim_end(), at })
    })
}

/// What a pair of braces encloses.
#[derive(Clone, Copy)]
enum Node {
    Joint(usize),
    End(usize),
}

/// Reads up to the word MOTION. Returns the joints, parents first, and the offset after that word.
pub(crate) fn read_hierarchy(text: &str) -> Read<(Vec<Draft<'_>>, usize)> {
    let mut joints: Vec<Draft<'_>> = Vec::new();
    let mut open: Vec<Node> = Vec::new();
    let mut declared: Option<(Node, Piece<'_>)> = None;
    for piece in after_keyword(text)? {
        if let Some((node, at)) = declared.take() {
            if piece.text != "{" {
                return Err(piece.fault(format!("expected {{ after {}, found {}", at.shown(), piece.shown())));
            }
            open.push(node);
        } else if piece.text == "}" {
            open.pop().ok_or_else(|| piece.fault("this } closes nothing"))?;
        } else if let Some(name) = piece.after("ROOT") {
            if !open.is_empty() {
                return Err(piece.fault("a ROOT cannot stand inside another joint").hint("write JOINT"));
            }
            joints.push(Draft::new(name.text, None));
            declared = Some((Node::Joint(joints.len() - 1), piece));
        } else if let Some(name) = piece.after("JOINT") {
            let parent = inside(&open, piece)?;
            joints.push(Draft::new(name.text, Some(parent)));
            declared = Some((Node::Joint(joints.len() - 1), piece));
        } else if let Some(site) = piece.after("End").and_then(|end| end.after("Site")) {
            let parent = inside(&open, piece)?;
            let name = Some(site.text).filter(|name| !name.is_empty());
            joints[parent].ends.push(End { name, offset: DVec3::ZERO });
            declared = Some((Node::End(parent), piece));
        } else if let Some(numbers) = piece.after("OFFSET") {
            let offset = read_offset(text, numbers)?;
            match open.last() {
                Some(&Node::Joint(joint)) => joints[joint].offset = offset,
                // The open End Site is the last one of its joint.
                Some(&Node::End(joint)) => {
                    joints[joint].ends.last_mut().into_iter().for_each(|end| end.offset = offset)
                }
                None => return Err(piece.fault("this OFFSET belongs to no joint")),
            }
        } else if let Some(list) = piece.after("CHANNELS") {
            let joint = inside(&open, piece)?;
            joints[joint].channels = read_channels(list)?;
        } else if let Some(motion) = piece.after("MOTION") {
            return match joints.len() {
                _ if !open.is_empty() => Err(piece.fault(format!("{} }} are missing before MOTION", open.len()))),
                0 => Err(piece.fault("there is no ROOT before MOTION")),
                count if count > MAX_JOINTS => {
                    Err(Fault::new(None, format!("{count} joints are more than the {MAX_JOINTS} supported")))
                }
                _ => Ok((joints, motion.at)),
            };
        } else {
            let known = ["ROOT", "JOINT", "End Site", "OFFSET", "CHANNELS", "MOTION"];
            let word = piece.text.split_whitespace().next().unwrap_or_default();
            return Err(piece
                .fault(format!("{} is not known here", piece.shown()))
                .hint_some(did_you_mean(word, known)));
        }
    }
    Err(Fault::new(Some(text.len()), "the file ends before MOTION")
        .hint("the file is cut off; fetch or export it again"))
}

/// The pieces after the word that a file starts with.
fn after_keyword(text: &str) -> Read<impl Iterator<Item = Piece<'_>>> {
    let mut pieces = pieces(text);
    let first = pieces.next().ok_or_else(|| Fault::new(None, "the file is empty"))?;
    match first.after("HIERARCHY") {
        Some(_) => Ok(pieces),
        None => {
            let message = format!("expected HIERARCHY, found {}", first.shown());
            Err(first.fault(message).hint("a BVH file starts with the word HIERARCHY"))
        }
    }
}

impl<'a> Draft<'a> {
    fn new(name: &'a str, parent: Option<usize>) -> Self {
        let name = if name.is_empty() { "joint" } else { name };
        Draft { name, parent, offset: DVec3::ZERO, channels: Vec::new(), ends: Vec::new() }
    }
}

/// The joint whose braces enclose a piece.
fn inside(open: &[Node], piece: Piece<'_>) -> Read<usize> {
    match open.last() {
        Some(&Node::Joint(joint)) => Ok(joint),
        Some(Node::End(_)) => Err(piece.fault("an End Site can only hold an OFFSET")),
        None => Err(piece.fault(format!("{} belongs to no joint", piece.shown()))),
    }
}

fn read_offset(text: &str, piece: Piece<'_>) -> Read<DVec3> {
    let end = piece.at + piece.text.len();
    let numbers = Numbers::new(&text[..end], piece.at).collect::<Read<Vec<f64>>>()?;
    match numbers[..] {
        [x, y, z] => Ok(DVec3::new(x, y, z)),
        _ => Err(piece.fault(format!("an OFFSET is three numbers, found {}", numbers.len()))),
    }
}

fn read_channels(piece: Piece<'_>) -> Read<Vec<usize>> {
    let mut words = piece.text.split_whitespace();
    let count: usize = words.next().and_then(|word| word.parse().ok()).ok_or_else(|| {
        piece.fault("expected the number of channels").hint("CHANNELS 3 Zrotation Xrotation Yrotation")
    })?;
    let channel = |word: &str| {
        let known = CHANNELS.iter().position(|name| name.eq_ignore_ascii_case(word));
        known.ok_or_else(|| piece.fault(format!("`{word}` is not a channel")).hint_some(did_you_mean(word, CHANNELS)))
    };
    let channels = words.map(channel).collect::<Read<Vec<_>>>()?;
    if channels.len() != count {
        let message = format!("CHANNELS says {count}, but {} follow", channels.len());
        return Err(piece.fault(message).hint("correct the number, or add the missing channels"));
    }
    Ok(channels)
}
