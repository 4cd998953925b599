//! Output settings of all subcommands, and their warnings.

use super::color::Painter;
use fabrik3d_scene::{Scene, printable};
use std::io::{self, Write};
use std::path::Path;

/// Output settings of all subcommands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context {
    /// Colours on standard output.
    pub out: Painter,
    /// Colours on standard error.
    pub err: Painter,
    /// Level of detail: the number of `-v` flags.
    pub verbose: u8,
}

/// Number of warnings shown per file without `-v`.
const SHOWN_WARNINGS: usize = 5;

impl Context {
    /// Prints the warnings of a scene.
    pub fn warn(&self, file: &Path, scene: &Scene) {
        let warnings = scene.warnings();
        let shown = if self.verbose > 0 { warnings.len() } else { warnings.len().min(SHOWN_WARNINGS) };
        warnings[..shown].iter().for_each(|warning| self.note(&format!("{}: {warning}", file.display())));
        let method = scene.settings.method;
        if !crate::solve::method_applies(scene, method) {
            let name = method.key();
            self.note(&format!(
                "{}: {name} solves only single chains without limits; accelerated is used instead",
                file.display()
            ));
        }
        if shown < warnings.len() {
            let more = warnings.len() - shown;
            self.note(&format!("{}: {more} more warnings; -v shows all", file.display()));
        }
    }

    /// Prints a line to standard error with `-v`.
    pub fn detail(&self, text: &str) {
        if self.verbose > 0 {
            let _ = writeln!(io::stderr(), "{}", printable(text));
        }
    }

    /// Prints a warning to standard error.
    pub fn note(&self, text: &str) {
        let _ = writeln!(io::stderr(), "{} {}", self.err.strong("warning:"), printable(text));
    }
}
