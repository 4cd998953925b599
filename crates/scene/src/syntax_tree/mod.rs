//! The tree that TOML and JSON texts are parsed into: tables, lists and values, each with its position in the text.
//!
//! Readers, writers and `--set` all work on this tree, so both syntaxes have the same keys and the same error messages. With
//! `serde` only TOML would keep positions (`toml::Spanned`), and neither cases in JSON nor glTF could use them. A TOML file of
//! 44 MB took 1.5 GB to be read that way, with this tree and the scene made from it 1.1 GB; NaN passed, and messages lost
//! the path of the key and the remedy.

pub(crate) mod change;
pub(crate) mod fault;
pub(crate) mod fields;
pub(crate) mod known;
pub(crate) mod node;
pub(crate) mod parse;
pub(crate) mod print;

pub use change::Change;
pub use fault::did_you_mean;
pub use fields::{any_rotation, rotation_of};
pub(crate) use node::{Node, Table, Value};
pub use parse::Syntax;
