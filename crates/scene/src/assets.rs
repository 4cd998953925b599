//! The contents of a file besides joints and goals.

use crate::mesh::Mesh;
use crate::motion::Motion;
use fabrik3d_ik::Isometry;
use glam::{DMat4, DVec3};
use std::fmt;
use std::path::PathBuf;

/// Surfaces, recorded motion and warnings of the reader. Large and never changed, so scenes share them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Assets {
    /// Meshes that surfaces and skins refer to.
    pub meshes: Vec<Mesh>,
    /// Rigid surfaces, attached to joints or to the world.
    pub surfaces: Vec<Surface>,
    /// Skinned surfaces, deformed by joints.
    pub skins: Vec<Skin>,
    /// The weights of the morphs of all surfaces and skins that the file opens with, see [`Scene::weights`](crate::Scene::weights).
    pub morph_weights: Vec<f32>,
    /// The collision shapes of robot links that have no readable visual: joint, and triangles in its frame.
    pub collision_triangles: Vec<(usize, Vec<[DVec3; 3]>)>,
    /// The joints of robot links whose shapes cannot be read, neither those to look at nor those for collisions.
    pub unread_shapes: Vec<usize>,
    /// Recorded motions, in file order.
    pub motions: Vec<Motion>,
    /// The links of a robot description: their names, and for each the joint whose frame is that of the link.
    pub links: Vec<(String, usize)>,
    /// The ends of links that are no joints: the End Sites of recorded motion, ascending by joint.
    pub end_sites: Vec<EndSite>,
    /// Whether lengths are in metres: those of robots and glTF files are.
    pub in_metres: bool,
    /// Whether the file holds no targets and pins, as those of robots, characters and recorded motions: the targets are where the
    /// opening pose has the effectors.
    pub without_targets: bool,
    /// The joints in the order of a robot description, if that is not the order of the skeleton, whose parents come first.
    pub file_order: Vec<usize>,
    /// The glTF file that the assets were read from; motion can be added to it. None for other formats.
    pub source: Option<PathBuf>,
    /// What the limits file beside a character or a recorded motion said when it was read, see
    /// [`limits_path`](crate::limits_path); empty without one. None for files that hold limits themselves.
    pub limits_text: Option<String>,
    /// The joints of a character whose limits come from their names.
    pub human_limits: HumanLimits,
    /// The joints of a figure that a limits file gives a body part, with that part.
    pub named_parts: Vec<(usize, &'static str)>,
    /// Why no body is recognised in a character or a recorded figure; none for a figure that cannot be a person, because it has
    /// fewer than five ends.
    pub unknown_body: Option<UnknownBody>,
    /// One sentence for each part that could not be read, such as a missing mesh or an unsupported feature.
    pub warnings: Vec<String>,
}

impl Assets {
    /// The motions that last. One of a single moment is a pose.
    pub fn clips(&self) -> impl Iterator<Item = &Motion> {
        self.motions.iter().filter(|motion| motion.lasts())
    }

    /// The triangles of a surface, in the frame of its joint.
    pub(crate) fn triangles(&self, surface: &Surface) -> impl Iterator<Item = [DVec3; 3]> + '_ {
        let (mesh, transform) = (&self.meshes[surface.mesh], surface.transform);
        let place = move |corner: u32| transform.transform_point3(mesh.positions[corner as usize].as_dvec3());
        mesh.triangles.iter().map(move |corners| corners.map(place))
    }
}

/// The joints that have human limits because of their names, and those that have others from a file instead.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HumanLimits {
    /// Joints with human limits, ascending.
    pub joints: Vec<usize>,
    /// Known joints whose limits a limits file gives, ascending.
    pub overruled: Vec<usize>,
}

/// Why no body of a person is recognised in a figure. It has then neither the limits nor the stiffness of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownBody {
    /// The parts that no joint is known as, of head, hands and feet. Empty: the joints of these parts are not those of one body.
    pub missing: Vec<&'static str>,
}

impl UnknownBody {
    /// What to do if the figure is a person, as in `if it is one, ..`. `file` is the name of the limits file beside it.
    pub fn remedy(&self, file: &str) -> String {
        if self.missing.is_empty() {
            return format!("name other joints in {file}: head, hands and feet need a joint in common above them");
        }
        let keys = self.lines().join(", ");
        format!("write the names of its joints to a text file {file} beside it: names = {{ {keys} }}")
    }

    /// The lines that name the parts, in `[names]` of the limits file, with words in the place of the joints' names.
    pub fn lines(&self) -> Vec<String> {
        let joint = |key: &str| key.replace("hand", "wrist").replace("foot", "ankle").to_uppercase();
        self.missing.iter().map(|key| format!("{key} = \"{}\"", joint(key))).collect()
    }

    /// What follows, and what to do, in two short sentences.
    pub fn note(&self) -> String {
        let what = match self.missing.len() {
            0 => "name other joints",
            1 => "name this joint in a text file beside it",
            _ => "name these joints in a text file beside it",
        };
        let why = self.why();
        let (first, rest) = why.split_at(1);
        let why = first.to_uppercase() + rest;
        format!("{why}, so knees, elbows and back bend any way. If it is a person, {what}.")
    }

    fn why(&self) -> String {
        if self.missing.is_empty() {
            return "its head, hands and feet have no joint in common".to_owned();
        }
        let is_missing = |part: &str| self.missing.contains(&part);
        // Both hands are `hand`, named once.
        let word = |part: &&'static str| match part.split_once('_') {
            Some((side, end)) if is_missing(&format!("left_{end}")) && is_missing(&format!("right_{end}")) => {
                (side == "left").then(|| end.to_owned())
            }
            _ => Some(part.replace('_', " ")),
        };
        let words: Vec<String> = self.missing.iter().filter_map(word).collect();
        match words.split_last() {
            Some((last, before)) if !before.is_empty() => {
                format!("no joint's name says {} or {last}", before.join(", "))
            }
            _ => format!("no joint's name says {}", words.concat()),
        }
    }
}

impl fmt::Display for UnknownBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not recognised as a person, since {}: knees, elbows and back bend any way", self.why())
    }
}

/// The end of a link without a joint, such as the tip of a toe.
#[derive(Clone, Debug, PartialEq)]
pub struct EndSite {
    /// Name, unique among joints and End Sites: that of the file, or that of the joint with `_End`.
    pub name: String,
    /// Joint that moves it.
    pub joint: usize,
    /// Position in the frame of the joint.
    pub tip: DVec3,
}

/// A mesh that moves rigidly with one joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surface {
    /// Index of the mesh.
    pub mesh: usize,
    /// Joint that it is attached to; none: fixed in the world.
    pub joint: Option<usize>,
    /// From the mesh's space to the joint's frame, or to the world.
    pub transform: DMat4,
    /// Colour that replaces the mesh's colour, sRGB with straight alpha, 0 to 1.
    pub color: Option<[f32; 4]>,
    /// Where the weights of its morphs begin among those of the scene.
    pub first_weight: usize,
}

impl Surface {
    /// Transform from mesh space to world space, given the frames of all joints.
    pub fn model(&self, frames: &[Isometry]) -> DMat4 {
        self.joint.map_or(DMat4::IDENTITY, |joint| matrix(frames[joint])) * self.transform
    }
}

/// A mesh whose vertices follow several joints.
#[derive(Clone, Debug, PartialEq)]
pub struct Skin {
    /// Index of the mesh, which has influences.
    pub mesh: usize,
    /// The joints that the influences refer to.
    pub joints: Vec<usize>,
    /// For each of these joints, the transform from mesh space to the joint's rest frame.
    pub inverse_bind: Vec<DMat4>,
    /// Where the weights of its morphs begin among those of the scene.
    pub first_weight: usize,
}

impl Skin {
    /// Transform from mesh space to world space for each joint of the skin, given the frames of all joints.
    pub fn bones(&self, frames: &[Isometry]) -> Vec<DMat4> {
        self.joints.iter().zip(&self.inverse_bind).map(|(&joint, bind)| matrix(frames[joint]) * *bind).collect()
    }
}

fn matrix(frame: Isometry) -> DMat4 {
    DMat4::from_rotation_translation(frame.rotation, frame.position)
}
