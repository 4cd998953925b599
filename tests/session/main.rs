//! A scene over time, without a window.

mod balance;
mod base;
mod catalog;
mod dragging;
mod drags;
mod effectors;
mod forward;
mod given_pose;
mod grammar;
mod heels;
mod held;
mod laws;
mod lesson_laws;
mod lesson_reasons;
mod lesson_words;
mod morphs;
mod motion;
mod nature;
mod nearest;
mod open_goals;
mod passes;
mod pins;
mod race;
mod random_targets;
mod solutions;
mod undo;
mod untouched;

#[path = "../support/example_scenes.rs"]
mod example_scenes;
#[path = "../support/sample_files.rs"]
mod gathered;
#[path = "../support/session.rs"]
mod session_support;
