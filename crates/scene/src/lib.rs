//! Scenes for inverse kinematics as plain data, and the files that hold them: TOML and JSON scene files, URDF, MJCF, glTF, BVH,
//! meshes, textures, tables of targets. The crate uses the data types of `fabrik3d-ik` and solves nothing.
//!
//! Start with [`Scene::open`]. [`FileFormat`] lists the formats.
//! The keys of scene files are documented in the project's `docs/scene-files.md`.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod assets;
mod blocks;
mod builder;
mod capsule_fit;
mod convex_parts;
mod coordinates;
mod effectors;
mod error;
mod feet;
mod file_draft;
mod files;
mod formats;
mod joint_values;
mod keep_clear;
mod mesh;
mod motion;
mod open;
mod options;
mod outcome;
mod printable;
mod references;
mod retarget;
mod save;
mod scene;
mod shapes;
mod source;
mod syntax_tree;
mod target_spec;
mod texture;
mod velocities;

pub use assets::{Assets, EndSite, HumanLimits, Skin, Surface, UnknownBody};
pub use blocks::{Numbered, read_lines};
pub use builder::{ChainSpec, SceneBuilder};
pub use coordinates::{nearest_coordinates, zero_frames};
pub use effectors::EffectorError;
pub use error::{Position, SceneError};
pub use feet::{Foot, Soles};
pub use file_draft::{FileDraft, remove_drafts, write_file};
pub use files::{Files, HeldFiles};
pub use formats::case_line::parse_obstacles;
pub use formats::csv::{Cell, coordinate_names, coordinate_parts, csv_header, push_csv_error, push_csv_row};
pub use formats::limits_file::limits_path;
pub use formats::npy::{NpyWriter, write_npy};
pub use formats::npz::{AnswerArrays, NpzWriter};
pub use formats::pose_table::{PoseTable, read_pose_table, read_pose_table_of, row_time};
pub use formats::table::{Content, FileFormat, Writer};
pub use formats::targets::{RowBlock, RowBlocks, TargetColumns, TargetRow, open_targets, read_cases, read_targets};
pub use joint_values::{JointValue, Unit, coordinates_from_values, fixed, joint_value_names, joint_values};
pub use mesh::{Influence, Mesh, MeshFile, Morph};
pub use motion::{MAX_FRAMES, Motion, MovedPoses, Recording, Values, find_clip};
pub use open::{read_mesh, read_mesh_file};
pub use options::{
    BodyLimits, DaeUp, OpenOptions, OptionNames, RobotBase, RobotLimits, Surfaces, Up, ros_package_folders, upright,
};
pub use outcome::{Case, EffectorOutcome, JointNames, Meaning, Outcome, OutcomeMeter, VERY_FAR, error_json, meaning};
pub use printable::{bounded_number, printable, shown_number};
pub use retarget::{Misfit, Retarget, TurnedLimb};
pub use scene::{CameraSpec, EffectorMode, RANKS, Scene, SceneEffector, Smoothing};
pub use source::extension;
pub use syntax_tree::{Change, Syntax, any_rotation, did_you_mean, rotation_of};
pub use target_spec::{OPEN_SLACK, Part, TargetError, TargetSpec};
pub use texture::{Cover, Grain, Image, Paint, Sides, Texture, Wrap};
pub use velocities::{VelocityError, VelocityReason};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
