//! Lines of `solve --cases`: every case that can be read gets a finite pose, which can be written as JSON.
#![no_main]

use fabrik3d_ik::Solver;
use fabrik3d_scene::{Case, Syntax, JointNames, Outcome, Scene, error_json};
use libfuzzer_sys::fuzz_target;
use std::num::NonZeroU32;
use std::sync::LazyLock;

static SCENE: LazyLock<Scene> = LazyLock::new(|| {
    let text = include_str!("../scenes/cases.toml");
    let mut scene = Scene::parse(text, Syntax::Toml, "cases.toml").expect("a valid scene");
    // Restarts on cases without a solution would take most of the time.
    scene.settings.max_attempts = NonZeroU32::MIN;
    scene
});

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    for line in text.lines() {
        let (id, case) = Case::parse(&SCENE, line);
        match case {
            Err(error) => assert!(!error_json(id, &error).contains('\n')),
            Ok(Case { problem, start: mut pose, .. }) => {
                let mut solver = Solver::new(SCENE.skeleton.clone()).problem(problem.clone()).settings(SCENE.settings);
                let report = solver.solve(&mut pose);
                let outcome = Outcome::new(&SCENE, &problem, pose, report, 0.0);
                assert!(outcome.joints.iter().all(|joint| joint.is_finite()));
                let mut line = Vec::new();
                outcome.write_json(&SCENE, Some(id), JointNames::default(), &mut line).expect("memory does not fail");
            }
        }
    }
});
