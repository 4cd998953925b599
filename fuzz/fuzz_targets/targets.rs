//! Tables of targets, CSV and NPY; the reader detects which.
#![no_main]

use fabrik3d_fuzz::{CASES, check_targets};
use fabrik3d_scene::read_targets;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Ok((columns, rows)) = read_targets(data, &CASES) {
        check_targets(&columns, rows);
    }
});
