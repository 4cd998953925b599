//! CSV tables of poses over time.
#![no_main]

use fabrik3d_fuzz::{CASES, scratch_file};
use fabrik3d_scene::{PoseTable, read_pose_table};
use libfuzzer_sys::fuzz_target;
use std::path::PathBuf;
use std::sync::LazyLock;

static FILE: LazyLock<PathBuf> = LazyLock::new(|| scratch_file("poses.csv"));

fuzz_target!(|data: &[u8]| {
    std::fs::write(&*FILE, data).expect("the folder for temporary files can be written");
    let Ok(Some(PoseTable { motion, .. })) = read_pose_table(&FILE, &CASES) else { return };
    assert!(!motion.is_empty());
    for frame in [0, motion.len() - 1] {
        let frames = CASES.skeleton.frames(&motion.pose(&CASES.skeleton, frame));
        assert!(frames.iter().all(|frame| frame.position.is_finite() && frame.rotation.is_finite()));
    }
});
