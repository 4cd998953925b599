//! Random scenes round-trip unchanged, and no invalid text makes the reader panic.
#![allow(clippy::unwrap_used)]

use fabrik3d_ik::collision::{Hull, LinkCapsule, Obstacle};
use fabrik3d_ik::goals::{Freedom, GoalRank, Orientation};
use fabrik3d_ik::joints::{Axes, Mimic};
use fabrik3d_ik::random::Random;
use fabrik3d_ik::settings::{Method, Prefer};
use fabrik3d_ik::{Effector, Interval, Swing, Target};
use fabrik3d_ik::{Joint, Kind, Skeleton};
use fabrik3d_scene::{
    CameraSpec, Change, EffectorMode, OpenOptions, Scene, SceneBuilder, SceneEffector, Smoothing, Syntax, Up,
};
use glam::DVec3;
use proptest::prelude::*;
use std::f64::consts::PI;
use std::num::NonZeroU32;
use std::path::Path;
use std::sync::LazyLock;

fn point(random: &mut Random) -> DVec3 {
    random.ball() * 3.0
}

fn interval(random: &mut Random, size: f64) -> Option<Interval> {
    let (a, b) = (random.range(-size, size), random.range(-size, size));
    (random.unit() < 0.8).then(|| Interval::new(a.min(b), a.max(b)).unwrap())
}

fn kind(random: &mut Random) -> Kind {
    match random.index(6) {
        0 => Kind::UNLIMITED_BALL,
        1 => {
            let tilts = [0; 4].map(|_| random.range(0.0, 3.1));
            let swing = if random.unit() < 0.5 { Swing::new(tilts) } else { Swing::cone(tilts[0]) };
            Kind::Ball { swing: Some(swing.unwrap()), twist: interval(random, PI) }
        }
        2 => Kind::Hinge { axis: random.direction(), range: interval(random, PI) },
        3 => Kind::Slide { axis: random.direction(), range: interval(random, 2.0) },
        4 => Kind::Fixed,
        _ => Kind::Free,
    }
}

/// A random scene that uses every feature of the format.
fn scene(seed: u64) -> Scene {
    let mut random = Random::new(seed);
    let mut builder = SceneBuilder::default();
    let count = 2 + random.index(12);
    for at in 0..count {
        let parent = (at > 0 && random.unit() < 0.9).then(|| random.index(at));
        let (offset, kind) = (point(&mut random), kind(&mut random));
        let mut joint = Joint::new(format!("joint \"{at}\"\t\u{e9}"), parent, offset, kind);
        joint.rest = random.rotation();
        joint.axes = if random.unit() < 0.2 { Axes::World } else { Axes::Parent };
        let scalar =
            |joint: &Joint| matches!(joint.kind, Kind::Hinge { .. } | Kind::Slide { .. }) && joint.mimic.is_none();
        let leader = builder.joints.iter().position(scalar).filter(|_| scalar(&joint) && random.unit() < 0.3);
        joint.mimic = leader.map(|joint| Mimic { joint, scale: random.normal(), offset: random.normal() });
        builder.joints.push(joint);
        // Ranges that exclude each other are an error.
        if Skeleton::new(builder.joints.clone()).is_err() {
            builder.joints[at].mimic = None;
        }
    }
    for at in 0..random.index(4) {
        builder.effectors.push(SceneEffector {
            name: format!("effector {at}"),
            effector: Effector {
                joint: random.index(count),
                tip: point(&mut random),
                chain_length: (random.unit() < 0.3).then(|| 1 + random.index(5)),
            },
            target: Target {
                position: (random.unit() < 0.8).then(|| point(&mut random)),
                ..match random.index(4) {
                    0 => Target::from(random.rotation()),
                    1 => Target::from(Orientation::LookAt(point(&mut random))),
                    _ => Target::default(),
                }
            },
            weight: if random.unit() < 0.1 { 0.0 } else { random.range(0.1, 2.0) },
            rotation_weight: random.range(0.1, 2.0),
            freedom: Freedom {
                spin_axis: (random.unit() < 0.2).then(|| random.direction()),
                slack: if random.unit() < 0.2 { random.direction().abs() } else { DVec3::ZERO },
            },
            rank: match random.index(6) {
                0 => Some(GoalRank::Preferred),
                1 => Some(GoalRank::Wanted),
                _ => None,
            },
            hold: if random.unit() < 0.3 { EffectorMode::Free } else { EffectorMode::Pinned },
            presets: (0..random.index(3)).map(|_| point(&mut random)).collect(),
        });
    }
    let mut scene = builder.build(format!("Scene {seed}")).unwrap();
    for (joint, coordinates) in scene.skeleton.joints().iter().zip(&mut scene.start) {
        if random.unit() < 0.3 && joint.mimic.is_none() {
            let values: Vec<f64> = (0..joint.kind.coordinate_count()).map(|_| random.normal()).collect();
            *coordinates = fabrik3d_ik::Coordinates::from_values(&joint.kind, &values).unwrap();
        }
    }
    scene.skeleton.project(&mut scene.start);
    scene.up = if random.unit() < 0.5 { Up::Z } else { Up::Y };
    scene.link_radius = random.unit();
    scene.smoothing = Smoothing { duration: random.unit(), keys: random.unit() };
    scene.settings.method = Method::ALL[random.index(8)];
    scene.settings.tolerance = 10_f64.powf(random.range(-12.0, -1.0));
    scene.settings.rotation_tolerance = random.unit() + 1e-6;
    scene.settings.seed = random.bits();
    scene.settings.prefer = if random.unit() < 0.5 { Prefer::Nearest } else { Prefer::First };
    scene.settings.max_attempts = NonZeroU32::new(1 + random.index(1000) as u32).unwrap();
    scene.obstacles.push(Obstacle::Sphere { center: point(&mut random), radius: random.unit() + 1e-9 });
    scene.obstacles.push(Obstacle::HalfSpace { normal: random.direction(), offset: random.normal() });
    let (ends, radius) = ([point(&mut random), point(&mut random)], random.unit() + 1e-9);
    scene.obstacles.push(Obstacle::Capsule { ends, radius });
    let half = random.direction().abs() + 1e-9;
    scene.obstacles.push(Obstacle::Box { center: point(&mut random), rotation: random.rotation(), half });
    for _ in 0..random.index(4) {
        let ends = [point(&mut random), point(&mut random)];
        let capsule = LinkCapsule::new(random.index(count), ends, random.unit() + 1e-9);
        let points = [ends[0].lerp(ends[1], random.unit()), ends[1]];
        let hull = Hull::new(&points, random.unit()).ok().filter(|_| random.unit() < 0.5);
        scene.capsules.push(LinkCapsule { hull, ..capsule });
    }
    scene.balance = random.unit() < 0.5;
    scene.margin = (random.unit() < 0.5).then(|| random.unit());
    scene.set_keep_clear(random.unit() < 0.5);
    scene.poles.push(fabrik3d_ik::goals::Pole { joint: random.index(count), toward: point(&mut random) });
    let moves_along_one = |joint: &Joint| matches!(joint.kind, Kind::Hinge { .. } | Kind::Slide { .. });
    let limits = scene.skeleton.joints().iter().map(|joint| {
        let limit = if random.unit() < 0.2 { 0.0 } else { random.range(0.0, 9.0) };
        (moves_along_one(joint) && random.unit() < 0.7).then_some(limit)
    });
    scene.velocity_limits = limits.collect();
    if scene.velocity_limits.iter().all(Option::is_none) {
        scene.velocity_limits.clear();
    }
    if random.unit() < 0.5 {
        scene.camera = Some(CameraSpec { position: point(&mut random), look_at: point(&mut random) });
    }
    scene
}

#[test]
fn random_scenes_round_trip_exactly() {
    for seed in 0..500 {
        let scene = scene(seed);
        let (toml, json) = (scene.to_toml(), scene.to_text(Syntax::Json));
        let read =
            |text: &str, format| Scene::parse(text, format, "x").unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(read(&toml, Syntax::Toml), scene, "seed {seed}\n{toml}");
        assert_eq!(read(&json, Syntax::Json), scene, "seed {seed}\n{json}");
        assert!(serde_json::from_str::<serde_json::Value>(&json).is_ok(), "{json}");
    }
}

#[test]
fn angles_are_written_in_degrees_where_exact() {
    let text = "[[joint]]\nname = \"a\"\nkind = \"hinge\"\naxis = [0, 0, 1]\nrange = [-33.3, \"2.8973 rad\"]\n";
    let scene = Scene::parse(text, Syntax::Toml, "x").unwrap();
    let Kind::Hinge { range: Some(range), .. } = scene.skeleton.joints()[0].kind else { panic!("{scene:?}") };
    assert_eq!((range.low(), range.high()), (-33.3_f64.to_radians(), 2.8973));
    assert!(scene.to_toml().contains("range = [-33.3, \"2.8973 rad\"]"), "{}", scene.to_toml());
}

/// The texts of the small example scenes, as input for random edits.
static TEXTS: LazyLock<Vec<(String, Syntax)>> = LazyLock::new(|| {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("assets/scenes");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let small = paths.iter().map(|path| std::fs::read_to_string(path).unwrap()).filter(|text| text.len() < 8000);
    small
        .flat_map(|text| {
            let json = Scene::parse(&text, Syntax::Toml, "x").unwrap().to_text(Syntax::Json);
            [(text, Syntax::Toml), (json, Syntax::Json)]
        })
        .collect()
});

/// Pieces of text that are likely to confuse a reader.
const PIECES: [&str; 24] = [
    "nan",
    "inf",
    "-1",
    "0",
    "1e308",
    "-1e-308",
    "99999999999999999999999",
    "\"\"",
    "[]",
    "{}",
    "[[",
    "]]",
    "=",
    ",",
    "\"none\"",
    "null",
    "true",
    "\u{feff}",
    "\u{1F980}",
    "\0",
    "name",
    "parent = \"x\"",
    "\n[[joint]]\n",
    "1979-05-27",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn broken_scenes_are_refused_or_valid(which in any::<prop::sample::Index>(), edits in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0_usize..12), 1..6)) {
        let (text, format) = which.get(&TEXTS);
        let mut characters: Vec<char> = text.chars().collect();
        for (place, piece, removed) in edits {
            let at = place.index(characters.len() + 1).min(characters.len());
            let end = (at + removed).min(characters.len());
            characters.splice(at..end, piece.get(&PIECES).chars());
        }
        let text: String = characters.into_iter().collect();
        match Scene::parse(&text, *format, "broken") {
            Err(error) => {
                let shown = error.to_string();
                prop_assert!(shown.starts_with("broken:") && error.position.is_some(), "{shown}");
            }
            Ok(scene) => {
                prop_assert!(scene.skeleton.joints().iter().all(|joint| joint.offset.is_finite()));
                let again = Scene::parse(&scene.to_text(Syntax::Json), Syntax::Json, "again");
                prop_assert_eq!(again.as_ref(), Ok(&scene));
            }
        }
    }

    #[test]
    fn arbitrary_text_causes_no_panic(text in "\\PC{0,200}", json in any::<bool>()) {
        let format = if json { Syntax::Json } else { Syntax::Toml };
        let _ = Scene::parse(&text, format, "noise");
    }

    #[test]
    fn arbitrary_changes_cause_no_panic(key in "[a-z_.\\[\\]0-9]{1,30}", value in "\\PC{0,30}") {
        if let Ok(change) = format!("{key}={value}").parse::<Change>() {
            let options = OpenOptions { changes: vec![change], ..OpenOptions::default() };
            let _ = Scene::parse_with("[[chain]]\npoints = [[0, 0, 0], [0, 1, 0]]", Syntax::Toml, "x", &options);
        }
    }
}
