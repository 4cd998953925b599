//! Descriptions of robots in XML. Their root element tells the format, whatever the name of the file.

use super::{SourceFile, mjcf, urdf, xml};
use crate::Scene;
use crate::error::SceneError;
use crate::printable::short;

pub(crate) fn read(mut file: SourceFile<'_>) -> Result<Scene, SceneError> {
    let bytes = std::mem::take(&mut file.bytes);
    let (text, undeclared) = xml::with_declared_prefixes(xml::text(bytes, file.origin)?);
    let in_text = |fault: crate::syntax_tree::fault::Fault| fault.in_text(file.origin, &text);
    let document = xml::parse(&text).map_err(in_text)?;
    let root = document.root_element();
    let (message, hint) = match root.tag_name().name() {
        "robot" => return urdf::read::read(root, &text, &file, &undeclared).map_err(in_text),
        "mujoco" => return mjcf::read::read(&text, &file),
        "mujocoinclude" => ("this is a part of an MJCF model".to_owned(), "open the model that includes it"),
        other => (
            format!("expected <robot> (URDF) or <mujoco> (MJCF), found <{}>", short(other)),
            "other formats that are XML cannot be read as robots: convert the file to one of these",
        ),
    };
    Err(in_text(xml::fault(root, message).hint(hint)))
}
