//! SRDF (semantic robot description format of ROS) beside a URDF: the pairs of links that may touch each other.

use crate::error::SceneError;
use crate::files::Files;
use crate::formats::xml::{self, attribute, children, fault};
use crate::printable::short;
use crate::source::LARGEST_FILE;
use crate::syntax_tree::fault::{Read, did_you_mean};
use roxmltree::Node;
use std::path::{Path, PathBuf};

/// The joints of all pairs of links whose collisions `NAME.srdf` disables, beside `NAME.urdf` or in the folder `srdf` beside
/// its folder. `links` are the names of the links with their joints. What cannot be read is a warning: more links keep clear
/// then than need to.
pub(crate) fn disabled_collisions(
    (urdf, files): (&Path, &Files),
    links: &[(String, usize)],
    warnings: &mut Vec<String>,
) -> Vec<[usize; 2]> {
    let Some(path) = beside(urdf, files) else { return Vec::new() };
    read(&path, files, links, warnings).unwrap_or_else(|error| {
        warnings.push(format!("{error}; its disable_collisions are ignored"));
        Vec::new()
    })
}

fn beside(urdf: &Path, files: &Files) -> Option<PathBuf> {
    let name = Path::new(urdf.file_stem()?).with_extension("srdf");
    let folder = urdf.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let places = [folder.join(&name), folder.join("../srdf").join(&name)];
    places.into_iter().find(|path| files.is_file(path))
}

fn read(
    path: &Path,
    files: &Files,
    links: &[(String, usize)],
    warnings: &mut Vec<String>,
) -> Result<Vec<[usize; 2]>, SceneError> {
    let origin = path.display().to_string();
    let text = xml::text(files.read(path, LARGEST_FILE)?, &origin)?;
    let document = xml::parse(&text).map_err(|fault| fault.in_text(&origin, &text))?;
    let mut pairs = Vec::new();
    for node in children(document.root_element(), "disable_collisions") {
        match pair(node, links) {
            Ok(pair) => pairs.push(pair),
            Err(fault) => warnings.push(fault.in_text(&origin, &text).to_string()),
        }
    }
    Ok(pairs)
}

fn pair(node: Node<'_, '_>, links: &[(String, usize)]) -> Read<[usize; 2]> {
    let joint = |key: &str| {
        let name = attribute(node, key)?;
        let found = links.iter().find(|(link, _)| link == name).map(|(_, joint)| *joint);
        found.ok_or_else(|| {
            let known = links.iter().map(|(link, _)| link.as_str());
            fault(node, format!("{key} names no link of the robot: {}", short(name)))
                .hint_some(did_you_mean(name, known))
        })
    };
    Ok([joint("link1")?, joint("link2")?])
}
