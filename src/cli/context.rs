//! What every subcommand knows about its output.

use super::paint::Paint;
use fabrik3d_scene::Scene;
use std::io::{self, Write};
use std::path::Path;

/// What every subcommand knows about its output.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context {
    /// Colours on standard output.
    pub out: Paint,
    /// Colours on standard error.
    pub err: Paint,
    /// How much to say.
    pub verbose: u8,
}

/// Warnings of one file that are shown, unless all are asked for.
const MOST_WARNINGS: usize = 5;

impl Context {
    /// Shows what the reader of a file had to leave out, on standard error.
    pub fn warn(&self, file: &Path, scene: &Scene) {
        let warnings = &scene.assets.warnings;
        let shown = if self.verbose > 0 { warnings.len() } else { warnings.len().min(MOST_WARNINGS) };
        warnings[..shown].iter().for_each(|warning| self.note(&format!("{}: {warning}", file.display())));
        let method = scene.settings.method;
        if !crate::solve::suits(scene, method) {
            let name = method.name();
            self.note(&format!(
                "{}: {name} is for single chains without limits: solved by accelerated",
                file.display()
            ));
        }
        if shown < warnings.len() {
            let more = warnings.len() - shown;
            self.note(&format!("{}: {more} more like these; -v shows them all", file.display()));
        }
    }

    /// Says something on standard error that does not stop the work.
    pub fn note(&self, text: &str) {
        let _ = writeln!(io::stderr(), "{} {text}", self.err.strong("warning:"));
    }
}
