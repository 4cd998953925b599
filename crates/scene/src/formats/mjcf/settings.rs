//! What `<compiler>` says of numbers and files.

use crate::formats::xml::{children, fault, title};
use crate::printable::short;
use crate::syntax_tree::fault::{Read, did_you_mean};
use roxmltree::Node;

pub(crate) struct Settings<'a> {
    /// Whether angles are in radians, not degrees.
    pub radians: bool,
    /// Whether a range is a limit without `limited`.
    pub autolimits: bool,
    /// The axes of Euler angles: small letters turn with the frame, capitals do not.
    pub eulerseq: &'a str,
    /// The folder of meshes.
    pub meshdir: &'a str,
    /// Whether the folders in the names of meshes do not count.
    pub strippath: bool,
}

impl<'a> Settings<'a> {
    /// The settings of a model. All `<compiler>` elements count, and of two values the last.
    pub fn read(model: Node<'a, '_>) -> Read<Self> {
        let mut settings =
            Settings { radians: false, autolimits: true, eulerseq: "xyz", meshdir: "", strippath: false };
        let mut assetdir = "";
        let mut meshdir = None;
        for node in children(model, "compiler") {
            settings.radians = choice(node, "angle", ["degree", "radian"])?.map_or(settings.radians, |at| at == 1);
            settings.autolimits = flag(node, "autolimits")?.unwrap_or(settings.autolimits);
            settings.strippath = flag(node, "strippath")?.unwrap_or(settings.strippath);
            assetdir = node.attribute("assetdir").unwrap_or(assetdir);
            meshdir = node.attribute("meshdir").or(meshdir);
            if let Some(sequence) = node.attribute("eulerseq") {
                if sequence.len() != 3 || !sequence.chars().all(|axis| "xyzXYZ".contains(axis)) {
                    let message =
                        format!("eulerseq=\"{}\" must be three of the axes x, y, z, X, Y, Z", short(sequence));
                    return Err(fault(node, message).hint("the default is eulerseq=\"xyz\""));
                }
                settings.eulerseq = sequence;
            }
            if choice(node, "coordinate", ["local", "global"])? == Some(1) {
                return Err(fault(node, "global coordinates are not supported, as in MuJoCo since version 2.3.4")
                    .hint("open and save the model with MuJoCo 2.3.3, which makes them local"));
            }
        }
        settings.meshdir = meshdir.unwrap_or(assetdir);
        Ok(settings)
    }

    /// An angle of the file in radians.
    pub fn angle(&self, value: f64) -> f64 {
        if self.radians { value } else { value.to_radians() }
    }
}

/// The number of an attribute's word among these, if it is present.
pub(crate) fn choice<const N: usize>(node: Node<'_, '_>, name: &str, words: [&str; N]) -> Read<Option<usize>> {
    let Some(word) = node.attribute(name) else { return Ok(None) };
    let found = words.iter().position(|known| *known == word);
    found.map(Some).ok_or_else(|| {
        let message = format!("{}: {name}=\"{}\" is not known", title(node), short(word));
        fault(node, message).hint_some(did_you_mean(word, words))
    })
}

/// The truth of an attribute, if it is present.
pub(crate) fn flag(node: Node<'_, '_>, name: &str) -> Read<Option<bool>> {
    Ok(choice(node, name, ["false", "true"])?.map(|at| at == 1))
}
