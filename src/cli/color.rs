//! Terminal colours.

use clap::ColorChoice;
use std::io::IsTerminal;

/// Colours text, or leaves it unchanged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Painter(bool);

impl Painter {
    /// The choice for a stream. `auto` uses colours on terminals unless `NO_COLOR` is set.
    pub fn new(choice: ColorChoice, stream: &impl IsTerminal) -> Self {
        Painter(match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => {
                let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
                stream.is_terminal() && !refused
            }
        })
    }

    fn with(self, code: &str, text: &str) -> String {
        if self.0 { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// Success.
    pub fn good(self, text: &str) -> String {
        self.with("32", text)
    }

    /// Failure.
    pub fn bad(self, text: &str) -> String {
        self.with("1;31", text)
    }

    /// Emphasis, for headings.
    pub fn strong(self, text: &str) -> String {
        self.with("1", text)
    }
}
