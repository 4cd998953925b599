//! Colours on a terminal.

use clap::ColorChoice;
use std::io::IsTerminal;

/// Puts words into colours, or leaves them as they are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paint(bool);

impl Paint {
    /// Colours for a stream: `auto` means on a terminal, unless `NO_COLOR` is set.
    pub fn new(choice: ColorChoice, stream: &impl IsTerminal) -> Self {
        Paint(match choice {
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

    /// What went well.
    pub fn good(self, text: &str) -> String {
        self.with("32", text)
    }

    /// What did not.
    pub fn bad(self, text: &str) -> String {
        self.with("1;31", text)
    }

    /// Headings.
    pub fn strong(self, text: &str) -> String {
        self.with("1", text)
    }
}
