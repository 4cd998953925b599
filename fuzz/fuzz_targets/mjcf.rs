//! Robots in MJCF: reading never panics.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| drop(fabrik3d_fuzz::read(data, "robot.xml")));
