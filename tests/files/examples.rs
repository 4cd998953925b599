//! The example scenes: all open and start within their limits, and chains reach every preset.
#![allow(clippy::unwrap_used)]

use fabrik3d::examples;
use fabrik3d::solve::solve_cases;
use fabrik3d_ik::{Solver, Stop};
use fabrik3d_scene::{Case, OpenOptions, Scene, Syntax};
use glam::DVec3;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/scenes")
}

fn scenes() -> Vec<(String, Scene)> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let open = |path: &PathBuf| {
        let scene = Scene::open(path).unwrap_or_else(|error| panic!("{error}"));
        (path.file_stem().unwrap().to_str().unwrap().to_owned(), scene)
    };
    paths.iter().map(open).collect()
}

#[test]
fn every_scene_in_the_folder_is_built_in() {
    use fabrik3d::examples::{EXAMPLES, PREFIX};
    let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/scenes")).expect("is there");
    let mut files: Vec<String> = folder
        .map(|entry| entry.expect("reads").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .map(|path| path.file_stem().expect("has a name").to_string_lossy().into_owned())
        .collect();
    let mut names: Vec<String> = EXAMPLES.iter().map(|(name, _)| (*name).to_owned()).collect();
    for name in &names {
        let example = examples::open(format!("{PREFIX}{name}"), &OpenOptions::default()).expect("opens");
        let file = Scene::open(format!("{}/assets/scenes/{name}.toml", env!("CARGO_MANIFEST_DIR"))).expect("opens");
        assert_eq!(example.to_toml(), file.to_toml(), "{name}");
    }
    files.sort();
    names.sort();
    assert_eq!(names, files);
    let error = examples::open("example:nothing", &OpenOptions::default()).expect_err("there is none").to_string();
    assert!(error.contains("demo, seed-arm"), "{error}");
}

#[test]
fn every_example_says_what_it_is_in_one_sentence() {
    let (titles, summaries) = (examples::titles(), examples::summaries());
    assert_eq!(titles.len(), summaries.len());
    for ((path, title), summary) in titles.iter().zip(summaries) {
        assert!(!title.is_empty() && summary.ends_with('.') && summary.len() > 20, "{path}: {summary}");
        assert!(summary.len() < 140 && !summary[..summary.len() - 1].contains(". "), "{path}: {summary}");
    }
}

#[test]
fn examples_cover_every_feature() {
    let names: Vec<String> = scenes().into_iter().map(|(name, _)| name).collect();
    for name in [
        "crane",
        "crowd",
        "demo",
        "four-bar",
        "hand",
        "hexapod",
        "human-arm",
        "humanoid",
        "keep-clear",
        "obstacles",
        "robot-arm",
        "rope",
        "seed-arm",
        "spider",
        "stewart",
        "tentacle",
        "tree",
        "two-arms",
    ] {
        assert!(names.iter().any(|other| other == name), "{name} is missing among {names:?}");
    }
}

#[test]
fn all_start_within_their_limits() {
    for (name, scene) in scenes() {
        let mut inside = scene.start.clone();
        scene.skeleton.project(&mut inside);
        let far = |(a, b): (&[f64; 7], &[f64; 7])| a.iter().zip(b).any(|(a, b)| (a - b).abs() > 1e-12);
        let values = |pose: &fabrik3d_ik::Pose| -> Vec<[f64; 7]> {
            let kinds = scene.skeleton.joints().iter().map(|joint| joint.kind);
            pose.iter()
                .zip(kinds)
                .map(|(c, kind)| {
                    let mut padded = [0.0; 7];
                    let values = c.values(&kind);
                    padded[..values.len()].copy_from_slice(values);
                    padded
                })
                .collect()
        };
        let (start, inside) = (values(&scene.start), values(&inside));
        assert!(!start.iter().zip(&inside).any(far), "{name}: {start:?} is outside, {inside:?} is inside");
    }
}

#[test]
fn all_targets_are_within_reach() {
    for (name, scene) in scenes() {
        let frames = scene.skeleton.frames(&scene.skeleton.rest_pose());
        for effector in &scene.effectors {
            let base = frames[scene.skeleton.root(effector.effector.joint)].position;
            let reach = scene.effector_size(effector);
            let free =
                scene.skeleton.joints()[scene.skeleton.root(effector.effector.joint)].kind == fabrik3d_ik::Kind::Free;
            for target in effector.target.position.iter().chain(&effector.presets) {
                let distance = target.distance(base);
                let within = reach * (1.0 + scene.settings.tolerance);
                assert!(
                    free || distance <= within,
                    "{name}, {}: {target} is {distance} away, reach {reach}",
                    effector.name
                );
            }
        }
    }
}

#[test]
fn chains_reach_every_target_and_preset() {
    for (name, mut scene) in scenes() {
        let chains = scene.skeleton.islands([]).iter().all(|island| scene.skeleton.is_simple_chain(&island.joints));
        if !chains || !scene.obstacles.is_empty() {
            continue;
        }
        // Textbook FABRIK converges slowly near full reach.
        scene.settings.max_iterations = std::num::NonZeroU32::new(2000).unwrap();
        let most = scene.effectors.iter().map(|effector| effector.presets.len()).max().unwrap();
        for preset in std::iter::once(None).chain((0..most).map(Some)) {
            let mut problem = scene.problem();
            for (goal, effector) in problem.goals.iter_mut().zip(&scene.effectors) {
                let place = preset.map_or(effector.target.position, |at| effector.presets.get(at).copied());
                goal.target.position = place.or(goal.target.position);
            }
            let targets: Vec<DVec3> = problem.goals.iter().map(|goal| goal.target.position.unwrap()).collect();
            let mut pose = scene.start.clone();
            let report = Solver::new(scene.skeleton.clone()).problem(problem).settings(scene.settings).solve(&mut pose);
            assert_eq!(report.stop, Stop::Reached, "{name}, preset {preset:?}: {report:?}");
            let frames = scene.skeleton.frames(&pose);
            for (effector, target) in scene.effectors.iter().zip(targets) {
                let error = frames[effector.effector.joint].point(effector.effector.tip).distance(target);
                assert!(error <= 1.001e-4 * scene.effector_size(effector), "{name}, {}: {error}", effector.name);
            }
        }
    }
}

#[test]
fn the_demo_equals_its_file() {
    assert_eq!(examples::demo(), Scene::open(folder().join("demo.toml")).unwrap());
}

#[test]
fn written_scenes_round_trip_exactly() {
    for (name, scene) in scenes() {
        let again = Scene::parse(&scene.to_toml(), Syntax::Toml, &name).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(again, scene, "{name} as TOML");
        let again =
            Scene::parse(&scene.to_text(Syntax::Json), Syntax::Json, &name).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(again, scene, "{name} as JSON");
    }
}

#[test]
fn chains_are_written_as_chains() {
    for (name, scene) in
        scenes().into_iter().filter(|(name, _)| ["demo", "crowd", "rope", "tentacle"].contains(&name.as_str()))
    {
        let text = scene.to_toml();
        assert!(!text.contains("[[joint]]"), "{name}: {text}");
        assert_eq!(text.matches("[[chain]]").count(), scene.effectors.len(), "{name}");
    }
    let mut posed = examples::demo();
    let turn = glam::DQuat::from_rotation_x(0.3);
    posed.start[2] = fabrik3d_ik::Coordinates::rotation(turn);
    assert!(posed.to_toml().contains("[[joint]]"));
    assert_eq!(Scene::parse(&posed.to_toml(), Syntax::Toml, "posed").unwrap(), posed);
}

#[test]
fn the_report_and_the_effectors_have_the_same_error() {
    let cut_short = Scene::parse(
        r#"
        joint = [
            { name = "a", kind = "ball" },
            { name = "b", kind = "ball", parent = "a", offset = [0, 1, 0] },
            { name = "c", kind = "ball", parent = "b", offset = [0, 1, 0] },
            { name = "d", kind = "ball", parent = "c", offset = [0, 1, 0] },
        ]
        effector = [{ name = "tip", joint = "d", tip = [0, 1, 0], chain_length = 2, target = [9, 2, 0] }]
        "#,
        Syntax::Toml,
        "cut-short.toml",
    );
    let scenes = scenes().into_iter().map(|(_, scene)| scene).chain([cut_short.expect("reads")]);
    for mut scene in scenes.filter(|scene| scene.loops.is_empty()) {
        for effector in &mut scene.effectors {
            effector.target.position = effector.target.position.map(|target| target * 1.7);
        }
        for outcome in solve_cases(&scene, vec![Case::of(&scene)]) {
            let errors = outcome.effectors.iter().filter_map(|effector| effector.error);
            let worst = errors.fold(0.0, f64::max);
            let off = (worst - outcome.report.error).abs();
            assert!(off <= 1e-9 * (1.0 + worst), "{}: {worst} and {}", scene.name, outcome.report.error);
        }
    }
}
