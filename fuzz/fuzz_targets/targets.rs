//! Tables of targets, CSV and NPY; the reader detects which.
#![no_main]

use fabrik3d_scene::{Syntax, Scene, read_targets};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static SCENE: LazyLock<Scene> = LazyLock::new(|| {
    Scene::parse(include_str!("../scenes/cases.toml"), Syntax::Toml, "cases.toml").expect("a valid scene")
});

fuzz_target!(|data: &[u8]| {
    let Ok((columns, rows)) = read_targets(data, &SCENE) else { return };
    let mut before = 0;
    for row in rows {
        let (number, row) = row.expect("memory does not fail");
        assert!(number > before);
        before = number;
        let Ok(row) = row else { continue };
        if let Some(id) = columns.id(&row) {
            assert!(!id.contains('\n'));
        }
        if let Ok(case) = columns.case(&SCENE, &row) {
            let finite = |goal: &fabrik3d_ik::Goal| goal.target.position.is_none_or(|position| position.is_finite());
            assert!(case.problem.goals.iter().all(finite));
        }
    }
});
