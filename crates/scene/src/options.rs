//! Options for opening a scene file, and the up axis.

use crate::files::Files;
use crate::syntax_tree::Change;
use fabrik3d_ik::maths;
use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};
use std::f64::consts::FRAC_PI_2;
use std::path::PathBuf;

/// How a scene file is opened. As JSON, without the changes, the files, and what messages call these options.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct OpenOptions {
    /// Where its file and those that it names are read from.
    #[serde(skip)]
    pub files: Files,
    /// Changes that are applied to the values of the file, in order.
    #[serde(skip)]
    pub changes: Vec<Change>,
    /// Names and folders of packages, for `package://NAME/...` references in robot descriptions.
    pub packages: Vec<(String, PathBuf)>,
    /// Folders that hold packages by their names, for packages that are not listed: see [`ros_package_folders`].
    pub package_folders: Vec<PathBuf>,
    /// Whether the up axis of COLLADA meshes of robots counts.
    pub dae_up: DaeUp,
    /// The limits of the joints of robots.
    pub robot_limits: RobotLimits,
    /// How the root link of a robot moves.
    pub robot_base: RobotBase,
    /// Whether to read meshes.
    pub surfaces: Surfaces,
    /// Whether body parts that are known by their names get human limits.
    pub body_limits: BodyLimits,
    /// What messages call these options.
    #[serde(skip)]
    pub names: OptionNames,
}

/// What messages call the options with which a file is opened: as the one who reads them writes them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OptionNames {
    /// Flags of the program.
    #[default]
    Flags,
    /// Arguments of the Python package.
    Arguments,
}

impl OptionNames {
    fn either(self, flag: &'static str, argument: &'static str) -> &'static str {
        match self {
            OptionNames::Flags => flag,
            OptionNames::Arguments => argument,
        }
    }

    /// [`OpenOptions::changes`].
    pub(crate) fn changes(self) -> &'static str {
        self.either("--set", "set")
    }

    /// [`RobotLimits::Hard`].
    pub(crate) fn hard_limits(self) -> &'static str {
        self.either("--hard-limits", "hard_limits=True")
    }

    /// A package in [`OpenOptions::packages`].
    pub(crate) fn package(self, name: &str) -> String {
        self.either("--package-path NAME=FOLDER", "packages={'NAME': FOLDER}").replace("NAME", name)
    }

    /// [`DaeUp::File`], which only the program has.
    pub(crate) fn dae_up(self) -> &'static str {
        self.either("--dae-up file", "the program's --dae-up file")
    }
}

/// The folders in which ROS has its packages, by its environment variables: those of `ROS_PACKAGE_PATH`, and the folder
/// `share` of those of `AMENT_PREFIX_PATH`.
pub fn ros_package_folders() -> Vec<PathBuf> {
    let folders = |name: &str| -> Vec<PathBuf> {
        let value = std::env::var_os(name).unwrap_or_default();
        std::env::split_paths(&value).filter(|folder| !folder.as_os_str().is_empty()).collect()
    };
    let shared = folders("AMENT_PREFIX_PATH").into_iter().map(|prefix| prefix.join("share"));
    folders("ROS_PACKAGE_PATH").into_iter().chain(shared).collect()
}

/// Whether the joints of a character (glTF) or a recorded figure (BVH) move as far as those of a person, if their names tell
/// the parts of a body. A limits file beside the figure wins over these limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BodyLimits {
    /// They do. The limits of a recorded figure are as wide as its recording needs.
    #[default]
    Human,
    /// They move without limits.
    Off,
}

/// Whether the meshes of a robot or a character are read. A solver does not need them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Surfaces {
    /// Read the meshes.
    #[default]
    Load,
    /// Leave the meshes out. Where the changes turn keep clear on, they are read all the same, for the capsules of the links.
    Skip,
}

/// What the `<up_axis>` of a COLLADA mesh means in a robot description.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DaeUp {
    /// Nothing, as in ROS: the coordinates of the mesh are those of the link.
    #[default]
    Ignore,
    /// Meshes with another up axis are turned until z is up.
    File,
}

/// Which limits of a robot description count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RobotLimits {
    /// Those of `<limit>`, and inside them the soft limits of `<safety_controller>`, where a controller of ROS stops the joint.
    #[default]
    Soft,
    /// Those of `<limit>` alone.
    Hard,
}

/// How the root link of a robot moves. URDF files do not say it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RobotBase {
    /// It stands.
    #[default]
    Fixed,
    /// It floats: humanoids, quadrupeds, drones.
    Free,
    /// It drives in the plane of x and y: two slides and a hinge.
    Planar,
}

/// The world axis that points up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Up {
    /// +Y, the default.
    #[default]
    Y,
    /// +Z, as in robotics.
    Z,
}

impl Up {
    /// The axis, unit length.
    pub fn axis(self) -> DVec3 {
        match self {
            Up::Y => DVec3::Y,
            Up::Z => DVec3::Z,
        }
    }
}

/// The rotation that takes the up axis `from` to the up axis `to`.
pub fn upright(from: Up, to: Up) -> DQuat {
    match (from, to) {
        (Up::Y, Up::Z) => maths::turn(DVec3::X, FRAC_PI_2),
        (Up::Z, Up::Y) => maths::turn(DVec3::X, -FRAC_PI_2),
        _ => DQuat::IDENTITY,
    }
}
