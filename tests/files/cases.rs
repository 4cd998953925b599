//! Solvable problems for every scene in `assets/scenes`: the targets are the effector positions of a pose inside the
//! limits, with closed loops and clear of obstacles.

use fabrik3d_ik::Solver;
use fabrik3d_ik::goals::Orientation;
use fabrik3d_ik::queries::penetration;
use fabrik3d_ik::random::Random;
use fabrik3d_scene::Scene;
use std::path::Path;

const CASES: usize = 20;

#[test]
fn positions_reached_by_some_pose_are_reached() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/scenes");
    for entry in folder.read_dir().expect("the scenes exist") {
        let file = entry.expect("can be read").path();
        let scene = Scene::open(&file).expect("reads");
        if scene.effectors.len() > 100 {
            continue;
        }
        let mut random = Random::new(9);
        let (mut cases, mut missed, mut tries) = (0, Vec::new(), 0);
        while cases < CASES && tries < 50 * CASES {
            tries += 1;
            let mut witness = scene.skeleton.random_pose(&mut random);
            let mut problem = scene.problem();
            let open = !problem.loops.is_empty()
                && Solver::new(scene.skeleton.clone()).problem(problem.clone()).close_loops(&mut witness) > 1e-6;
            if open || penetration(&scene.skeleton, &problem, &witness) > 0.0 {
                continue;
            }
            let frames = scene.skeleton.frames(&witness);
            for goal in &mut problem.goals {
                let frame = frames[goal.effector.joint];
                goal.target.position = Some(frame.point(goal.effector.tip));
                if let Some(Orientation::Rotation(rotation)) = &mut goal.target.orientation {
                    *rotation = frame.rotation;
                }
            }
            cases += 1;
            let mut pose = scene.start.clone();
            let report = Solver::new(scene.skeleton.clone()).problem(problem).settings(scene.settings).solve(&mut pose);
            if !report.stop.is_reached() {
                missed.push(report);
            }
        }
        println!("{}: {cases} cases in {tries} tries, {} missed", file.display(), missed.len());
        assert!(cases > 0, "{}: no suitable pose", file.display());
        assert!(missed.is_empty(), "{}: {missed:?}", file.display());
    }
}
