//! Scenes for inverse kinematics as plain data, and the files that they are read from and written to: our own TOML and
//! JSON, URDF, glTF and BVH, meshes, textures, tables of targets. Uses the data types of `fabrik3d-ik`; solves nothing.
//!
//! Start with [`Scene::open`].
//! The keys of scene files are documented in the project's `docs/scene-files.md`.

mod assets;
mod builder;
mod cases;
mod effectors;
mod error;
mod export;
mod file_draft;
pub mod formats;
mod joint_jumps;
mod joint_values;
mod lines;
mod motion;
mod open;
mod outcome;
mod retarget;
mod save;
mod scene;
mod source;
mod syntax_tree;
mod texture;

pub use assets::{Assets, Skin, Surface};
pub use builder::{ChainSpec, SceneBuilder};
pub use cases::Case;
pub use effectors::EffectorError;
pub use error::{Position, SceneError};
pub use export::{MotionFormat, pose_numbers};
pub use file_draft::{FileDraft, write_file};
pub use formats::csv::{csv_error, csv_header, csv_row};
pub use formats::targets::{TargetColumns, TargetRow, TargetRows, read_targets};
pub use joint_jumps::Jump;
pub use joint_values::{Dial, Unit, dial_names, dials, from_dials};
pub use lines::{Lines, Numbered};
pub use motion::{Motion, Recording};
pub use open::{Format, OpenOptions, Surfaces};
pub use outcome::{EffectorOutcome, JointNames, Outcome, error_json};
pub use retarget::body::{leads_body, part as body_part};
pub use retarget::{Retarget, upright};
pub use scene::{CameraSpec, Hold, Scene, SceneEffector, Up};
pub use source::extension;
pub use syntax_tree::{Change, did_you_mean, rotation_of};
pub use texture::{Cover, Grain, Image, Paint, Sides, Texture, Wrap};
