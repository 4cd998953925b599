//! MJCF (the format of MuJoCo): bodies, joints and what ties them together.
//!
//! Each hinge, slide, ball and free joint becomes a joint whose coordinates are those of MuJoCo (`qpos`), also with `ref`; several
//! joints of a body become joints in series. The frame of a body is that of its last joint, or of a fixed joint with its name
//! where no joint has it. The world is a fixed joint, and named sites are fixed joints on their bodies. +Z is up.

pub(crate) mod bodies;
pub(crate) mod classes;
pub(crate) mod constraints;
pub(crate) mod frames;
pub(crate) mod parts;
pub(crate) mod read;
pub(crate) mod settings;
pub(crate) mod shapes;
pub(crate) mod sources;
