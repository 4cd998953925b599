//! Keyboard, gamepads and mouse: what keys, sticks, drags and clicks mean, as commands.

pub mod bindings;
pub mod gamepad;
pub mod gizmo;
pub mod held_keys;
mod key_motion;
pub mod key_names;
mod keys;
pub mod pick;
pub mod pointer;
