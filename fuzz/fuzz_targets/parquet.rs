//! Parquet tables of targets, which only a file can hold.
#![no_main]

use fabrik3d_fuzz::{CASES, check_targets, scratch_file};
use fabrik3d_scene::open_targets;
use libfuzzer_sys::fuzz_target;
use std::path::PathBuf;
use std::sync::LazyLock;

static FILE: LazyLock<PathBuf> = LazyLock::new(|| {
    // On some damaged files the library panics, and the reader makes an error of it.
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let is_expected = info.location().is_some_and(|at| at.file().contains("/parquet-"));
        if !is_expected {
            report(info);
        }
    }));
    scratch_file("targets.parquet")
});

fuzz_target!(|data: &[u8]| {
    std::fs::write(&*FILE, data).expect("the folder for temporary files can be written");
    if let Ok((columns, rows)) = open_targets(&FILE, &CASES) {
        check_targets(&columns, rows);
    }
});
