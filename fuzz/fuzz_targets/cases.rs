//! Lines of `solve --cases`: every case that can be read is solved, to a pose that is somewhere.
#![no_main]

use fabrik3d_scene::{Case, Syntax, Scene, error_json, solve_cases};
use libfuzzer_sys::fuzz_target;
use std::num::NonZeroU32;
use std::sync::LazyLock;

static SCENE: LazyLock<Scene> = LazyLock::new(|| {
    let text = include_str!("../scenes/cases.toml");
    let mut scene = Scene::parse(text, Syntax::Toml, "cases.toml").expect("our own");
    // Cases that are not to be had would take most of the time.
    scene.settings.max_attempts = NonZeroU32::MIN;
    scene
});

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    for line in text.lines() {
        let (id, case) = Case::parse(&SCENE, line);
        match case {
            Err(error) => assert!(!error_json(id, &error).contains('\n')),
            Ok(case) => {
                for outcome in solve_cases(&SCENE, vec![case]) {
                    assert!(outcome.joints.iter().all(|joint| joint.is_finite()));
                    let mut line = Vec::new();
                    outcome.write_json(&SCENE, Some(id), &mut line).expect("memory");
                }
            }
        }
    }
});
