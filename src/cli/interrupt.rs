//! Interrupts while a file is written.

use fabrik3d_scene::remove_drafts;

/// Lets an interrupt end the program at once and leave no temporary file behind. The file to be written stays as it was.
pub(super) fn remove_drafts_on_interrupt() {
    // Without a handler, the next run removes the temporary file.
    let _ = ctrlc::set_handler(|| {
        remove_drafts();
        std::process::exit(130);
    });
}
