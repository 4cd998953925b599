//! Options for opening a scene file.

use crate::syntax_tree::Change;
use std::path::PathBuf;

/// How a scene file is opened.
#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    /// Changes that are applied to the values of the file, in order.
    pub changes: Vec<Change>,
    /// Names and folders of packages, for `package://NAME/...` references in robot descriptions.
    pub packages: Vec<(String, PathBuf)>,
    /// Whether the up axis of COLLADA meshes of robots counts.
    pub dae_up: DaeUp,
    /// Whether to read meshes.
    pub surfaces: Surfaces,
    /// Whose body parts, known by their names, get human limits.
    pub body_limits: BodyLimits,
}

/// Whose joints move as far as those of a person, if the names of the joints tell the parts of a body. A limits file beside
/// the figure wins over these limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BodyLimits {
    /// Those of characters (glTF). Figures of recordings move freely: they follow all kinds of bodies.
    #[default]
    Characters,
    /// Those of recorded figures (BVH) too, as far as their recordings need. These figures get the stiffness of a person as
    /// well.
    Recordings,
    /// Those of no figure.
    Off,
}

/// Whether the meshes of a robot or a character are read. A solver does not need them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Surfaces {
    /// Read the meshes.
    #[default]
    Load,
    /// Leave the meshes out.
    Skip,
}

/// What the `<up_axis>` of a COLLADA mesh means in a robot description.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DaeUp {
    /// Nothing, as in ROS: the coordinates of the mesh are those of the link.
    #[default]
    Ignore,
    /// Meshes with another up axis are turned until z is up.
    File,
}
