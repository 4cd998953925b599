//! `fabrik3d check`: reads and validates files, one line each.

use super::{Context, Ending, Failure};
use crate::scene::{OpenOptions, Scene};
use clap::Args;
use std::io::{self, Write};
use std::path::PathBuf;

/// Arguments of `check`.
#[derive(Clone, Debug, Args)]
pub(super) struct CheckArguments {
    /// Files to read
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Folder of a package that package://NAME/ refers to
    #[arg(long, value_name = "NAME=DIR", value_parser = super::common::parse_package)]
    package_path: Vec<(String, PathBuf)>,
}

/// Checks all files, whatever is wrong with some of them.
pub(super) fn run(arguments: &CheckArguments, context: &Context) -> Result<Ending, Failure> {
    let options = OpenOptions { packages: arguments.package_path.clone(), ..OpenOptions::default() };
    let mut out = io::stdout().lock();
    let mut ending = Ending::Done;
    for file in &arguments.files {
        match Scene::open_with(file, &options) {
            Ok(scene) => writeln!(out, "{}: {} ({})", file.display(), context.out.good("ok"), contents(&scene))?,
            Err(error) => {
                ending = Ending::Unmet;
                writeln!(out, "{}", context.out.bad(&error.to_string().replace("\n  ", "; ")))?;
            }
        }
    }
    out.flush()?;
    Ok(ending)
}

fn contents(scene: &Scene) -> String {
    let counts = [
        (scene.skeleton.len(), "joint"),
        (scene.effectors.len(), "effector"),
        (scene.loops.len(), "loop"),
        (scene.obstacles.len(), "obstacle"),
    ];
    let mut parts = Vec::new();
    for (count, noun) in counts {
        match count {
            0 => {}
            1 => parts.push(format!("1 {noun}")),
            _ => parts.push(format!("{count} {noun}s")),
        }
    }
    parts.join(", ")
}
