//! A target for one end of a foot moves the foot, whichever way it is given.

use fabrik3d_ik::goals::GoalRank;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Isometry, Solver};
use fabrik3d_scene::{Case, EffectorMode, Scene};
use glam::DVec3;
use std::path::Path;

fn body(file: &str) -> Scene {
    Scene::open(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/models").join(file)).expect("opens")
}

/// A case in which one effector gets a position.
fn case(scene: &Scene, effector: usize, place: DVec3) -> Case {
    let line = serde_json::json!({"targets": {(&*scene.effectors[effector].name): {"position": place.to_array()}}});
    Case::parse(scene, &line.to_string()).1.expect("a case")
}

#[test]
fn a_foot_is_lifted_by_either_end() {
    let mut random = Random::new(3);
    for scene in ["mannequin.glb", "puppet.gltf"].map(body) {
        let (feet, height) = (scene.feet(), scene.skeleton.extent());
        assert_eq!(feet.len(), 2);
        let rest = scene.skeleton.frames(&scene.start);
        let up = DVec3::Y;
        for _ in 0..40 {
            let foot = feet[usize::from(random.range(0.0, 1.0) < 0.5)];
            let toes = foot.toes.expect("toes");
            let ends = if random.range(0.0, 1.0) < 0.5 { [foot.ankle, toes] } else { [toes, foot.ankle] };
            let [moved, other] = ends.map(|at| scene.effectors[at].effector);
            let by = height * (random.range(0.03, 0.3) * up + random.range(0.0, 0.1) * random.direction());
            let place = rest[moved.joint].point(moved.tip) + by;
            let case = case(&scene, ends[0], place);
            assert_eq!(case.problem.goals[ends[1]].rank, GoalRank::Preferred);
            let mut solver = Solver::new(scene.skeleton.clone()).problem(case.problem).settings(scene.settings);
            let mut pose = case.start;
            let report = solver.solve(&mut pose);
            let name = &scene.effectors[ends[0]].name;
            assert!(report.stop.is_reached(), "{name} by {by}: {report:?}");
            let frames = scene.skeleton.frames(&pose);
            let at = |frames: &[Isometry], joint: usize, tip| frames[joint].point(tip);
            let gone = at(&frames, other.joint, other.tip) - at(&rest, other.joint, other.tip);
            assert!(gone.dot(up) > 0.2 * by.dot(up), "{name} by {by}: the other end has moved by {gone}");
            for &still in feet
                .iter()
                .filter(|other| **other != foot)
                .flat_map(|foot| [foot.ankle, toes_of(*foot)])
                .collect::<Vec<_>>()
                .iter()
            {
                let end = scene.effectors[still].effector;
                let slip = at(&frames, end.joint, end.tip).distance(at(&rest, end.joint, end.tip));
                assert!(slip < 2e-4 * height, "{name} by {by}: the other foot slips by {slip}");
            }
        }
    }
}

fn toes_of(foot: fabrik3d_scene::Foot) -> usize {
    foot.toes.expect("toes")
}

#[test]
fn targets_of_files_and_of_cases_move_feet_alike() {
    let mut random = Random::new(4);
    let scene = body("mannequin.glb");
    for _ in 0..20 {
        let foot = scene.feet()[usize::from(random.range(0.0, 1.0) < 0.5)];
        let at = if random.range(0.0, 1.0) < 0.5 { foot.ankle } else { toes_of(foot) };
        let place = scene.skeleton.extent() * random.direction();
        let case = case(&scene, at, place);
        let mut file = scene.clone();
        file.effectors[at].target.position = Some(place);
        file.effectors[at].hold = EffectorMode::Pinned;
        assert_eq!(format!("{:?}", file.problem().goals), format!("{:?}", case.problem.goals));
    }
}

#[test]
fn an_end_of_a_foot_that_is_asked_for_something_keeps_that() {
    let scene = body("mannequin.glb");
    let foot = scene.feet()[0];
    let line = serde_json::json!({"targets": {
        (&*scene.effectors[foot.ankle].name): {"position": [0.2, 0.5, 0.1]},
        (&*scene.effectors[toes_of(foot)].name): {"position": [0.25, 0.4, 0.2]},
    }});
    let case = Case::parse(&scene, &line.to_string()).1.expect("a case");
    let toes = &case.problem.goals[toes_of(foot)];
    assert_eq!((toes.rank, toes.target.position), (GoalRank::Wanted, Some(DVec3::new(0.25, 0.4, 0.2))));
    let mut firm = scene.clone();
    firm.effectors[toes_of(foot)].rank = Some(GoalRank::Firm);
    firm.effectors[foot.ankle].target.position = Some(DVec3::new(0.2, 0.5, 0.1));
    assert_eq!(firm.problem().goals[toes_of(foot)].rank, GoalRank::Firm);
}
