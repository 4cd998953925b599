//! Morph targets of glTF: what is shown are the linear mixes of the specification, before bones, with the weights of each node.
#![allow(clippy::unwrap_used)]

use crate::document::Document;
use crate::gathered::gathered;
use fabrik3d_ik::random::Random;
use fabrik3d_scene::{Motion, Scene};
use glam::{DVec3, Vec3};
use serde_json::{Value, json};
use std::path::Path;

/// A primitive as the test wrote it.
struct Primitive {
    positions: Vec<Vec3>,
    /// For each target, the displacements of positions and normals; zero where the file has none.
    targets: Vec<[Vec<Vec3>; 2]>,
    normals: Vec<Vec3>,
}

/// The keys of a channel of weights.
struct Keys {
    times: Vec<f32>,
    interpolation: &'static str,
    /// For each key in-tangent, value and out-tangent.
    values: Vec<[Vec<f32>; 3]>,
}

/// A node that shows the mesh.
struct Shown {
    /// The weights that it opens with.
    weights: Vec<f32>,
    keys: Option<Keys>,
}

/// A random file: one mesh with morph targets, shown by several nodes.
struct Sample {
    document: Document,
    primitives: Vec<Primitive>,
    shown: Vec<Shown>,
}

const INTERPOLATIONS: [&str; 3] = ["STEP", "LINEAR", "CUBICSPLINE"];

fn vectors(random: &mut Random, count: usize) -> Vec<Vec3> {
    (0..count).map(|_| (random.ball() * 2.0).as_vec3()).collect()
}

fn flat(vectors: &[Vec3]) -> Vec<f32> {
    vectors.iter().flat_map(Vec3::to_array).collect()
}

fn numbers(random: &mut Random, count: usize) -> Vec<f32> {
    (0..count).map(|_| random.range(-0.5, 1.5) as f32).collect()
}

impl Sample {
    fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut document = Document::new();
        document.value["meshes"] = json!([{"primitives": []}]);
        let (targets, is_skinned) = (1 + random.index(4), seed.is_multiple_of(2));
        let mut primitives = Vec::new();
        for _ in 0..1 + random.index(3) {
            let (primitive, item) = Sample::primitive(&mut random, &mut document, targets, is_skinned);
            document.value["meshes"][0]["primitives"].as_array_mut().unwrap().push(item);
            primitives.push(primitive);
        }
        let of_mesh = (random.unit() < 0.5).then(|| numbers(&mut random, targets));
        if let Some(weights) = &of_mesh {
            document.value["meshes"][0]["weights"] = json!(weights);
        }
        let mut shown = Vec::new();
        let joint = document.node(None, json!({"name": "joint"}));
        if is_skinned {
            document.value["skins"] = json!([{"joints": [joint]}]);
        }
        for _ in 0..1 + random.index(3) {
            let of_node = (random.unit() < 0.5).then(|| numbers(&mut random, targets));
            let mut item = json!({"mesh": 0});
            if is_skinned {
                item["skin"] = json!(0);
            }
            if let Some(weights) = &of_node {
                item["weights"] = json!(weights);
            }
            let node = document.node(None, item);
            let keys = (random.unit() < 0.7).then(|| Sample::keys(&mut random, &mut document, node, targets));
            let weights = of_node.or(of_mesh.clone()).unwrap_or(vec![0.0; targets]);
            shown.push(Shown { weights, keys });
        }
        Sample { document, primitives, shown }
    }

    fn primitive(random: &mut Random, document: &mut Document, targets: usize, is_skinned: bool) -> (Primitive, Value) {
        let count = 3 * (1 + random.index(4));
        let positions = vectors(random, count);
        let normals: Vec<Vec3> = (0..count).map(|_| random.direction().as_vec3()).collect();
        let mut item = json!({"attributes": {
            "POSITION": document.accessor("VEC3", 3, &flat(&positions)), "NORMAL": document.accessor("VEC3", 3, &flat(&normals)),
        }, "targets": []});
        if is_skinned {
            let ones = [1.0, 0.0, 0.0, 0.0].repeat(count);
            item["attributes"]["WEIGHTS_0"] = json!(document.accessor("VEC4", 4, &ones));
            // The zeros of floats are zeros of bytes.
            let joints = document.accessor("VEC4", 4, &[0.0].repeat(4 * count));
            document.value["accessors"][joints]["componentType"] = json!(5121);
            item["attributes"]["JOINTS_0"] = json!(joints);
        }
        let mut all = Vec::new();
        for _ in 0..targets {
            let mut target = json!({});
            let moved = ["POSITION", "NORMAL"].map(|key| {
                let (mut moved, kind) = (vec![Vec3::ZERO; count], random.index(3));
                if kind == 0 {
                    moved = vectors(random, count);
                    target[key] = json!(document.accessor("VEC3", 3, &flat(&moved)));
                } else if kind == 1 {
                    let (at, by) = (random.index(count), random.ball().as_vec3());
                    moved[at] = by;
                    target[key] = json!(document.sparse(count, &[(at as u32, by.to_array())]));
                }
                moved
            });
            item["targets"].as_array_mut().unwrap().push(target);
            all.push(moved);
        }
        (Primitive { positions, targets: all, normals }, item)
    }

    fn keys(random: &mut Random, document: &mut Document, node: usize, targets: usize) -> Keys {
        let interpolation = INTERPOLATIONS[random.index(3)];
        let times: Vec<f32> = (0..1 + random.index(5)).map(|at| 0.3 + at as f32 * 0.4).collect();
        let values: Vec<[Vec<f32>; 3]> = times.iter().map(|_| [(); 3].map(|()| numbers(random, targets))).collect();
        let stored = match interpolation {
            "CUBICSPLINE" => values.iter().flatten().flatten().copied().collect::<Vec<f32>>(),
            _ => values.iter().flat_map(|[_, value, _]| value.clone()).collect(),
        };
        let output = document.accessor("SCALAR", 1, &stored);
        document.sampled(node, "weights", &times, (output, interpolation));
        Keys { times, interpolation, values }
    }
}

impl Keys {
    /// The value of one weight at a time, as appendix C of the glTF specification has it.
    fn value(&self, at: usize, seconds: f64) -> f64 {
        let key = |key: usize, part: usize| f64::from(self.values[key][part][at]);
        let last = self.times.len() - 1;
        let time = |key: usize| f64::from(self.times[key]);
        if seconds <= time(0) {
            return key(0, 1);
        }
        if seconds >= time(last) {
            return key(last, 1);
        }
        let from = (0..last).rfind(|&key| time(key) <= seconds).unwrap();
        let span = time(from + 1) - time(from);
        let t = (seconds - time(from)) / span;
        match self.interpolation {
            "STEP" => key(from, 1),
            "LINEAR" => (1.0 - t) * key(from, 1) + t * key(from + 1, 1),
            _ => {
                (2.0 * t.powi(3) - 3.0 * t.powi(2) + 1.0) * key(from, 1)
                    + span * (t.powi(3) - 2.0 * t.powi(2) + t) * key(from, 2)
                    + (-2.0 * t.powi(3) + 3.0 * t.powi(2)) * key(from + 1, 1)
                    + span * (t.powi(3) - t.powi(2)) * key(from + 1, 0)
            }
        }
    }
}

/// The meshes that are shown, with the weights that each has in a scene, in the order of nodes and primitives.
fn shown(scene: &Scene) -> Vec<(usize, usize)> {
    let assets = &scene.assets;
    let surfaces = assets.surfaces.iter().map(|surface| (surface.mesh, surface.first_weight));
    surfaces.chain(assets.skins.iter().map(|skin| (skin.mesh, skin.first_weight))).collect()
}

/// Compares what a scene shows with the mix of these weights of each node.
fn check(sample: &Sample, scene: &Scene, weights: impl Fn(&Shown, usize) -> f64, what: &str) {
    let parts = sample.shown.iter().flat_map(|shown| sample.primitives.iter().map(move |part| (shown, part)));
    let meshes = shown(scene);
    assert_eq!(meshes.len(), sample.shown.len() * sample.primitives.len(), "{what}");
    for ((node, part), (mesh, first)) in parts.zip(meshes) {
        let own = scene.weights(mesh, first);
        let (places, facings) = (scene.assets.meshes[mesh].places(own), scene.assets.meshes[mesh].facings(own));
        for at in 0..part.positions.len() {
            let mixed = |base: Vec3, which: usize| -> DVec3 {
                let moved = part.targets.iter().enumerate();
                base.as_dvec3()
                    + moved.map(|(t, target)| target[which][at].as_dvec3() * weights(node, t)).sum::<DVec3>()
            };
            let (place, normal) = (mixed(part.positions[at], 0), mixed(part.normals[at], 1));
            assert!(places[at].as_dvec3().distance(place) < 1e-5, "{what}: {} is not {place}", places[at]);
            if normal.length() > 0.1 {
                let facing = facings[at].as_dvec3();
                assert!(facing.distance(normal.normalize()) < 1e-4, "{what}: {facing} is not along {normal}");
            }
        }
    }
}

#[test]
fn what_is_shown_is_the_mix_of_the_targets_at_each_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("morphs.gltf");
    for seed in 0..60 {
        let sample = Sample::new(seed);
        let is_animated = sample.shown.iter().any(|shown| shown.keys.is_some());
        let mut document = sample.document.value.clone();
        if !is_animated {
            document["animations"] = json!([]);
        }
        sample.document.write(&path);
        let mut scene = Scene::open(&path).unwrap();
        check(&sample, &scene, |node, at| node.weights[at].into(), &format!("seed {seed} as opened"));
        let motion: Motion = scene.assets.motions[0].clone();
        let last =
            sample.shown.iter().filter_map(|shown| shown.keys.as_ref()?.times.last()).fold(0.0, |a, &b| b.max(a));
        assert_eq!(motion.duration(), f64::from(last), "seed {seed}");
        for step in 0..25 {
            let seconds = f64::from(step) * 0.1 - 0.05;
            scene.morph_weights = motion.morph_weights_at(&scene.assets.morph_weights, seconds).unwrap_or_default();
            assert_eq!(scene.morph_weights.is_empty(), !is_animated, "seed {seed}");
            let weight = |node: &Shown, at: usize| match &node.keys {
                Some(keys) => keys.value(at, seconds),
                None => node.weights[at].into(),
            };
            check(&sample, &scene, weight, &format!("seed {seed} at {seconds}"));
        }
    }
}

/// A mesh without normals gets those of its shape, also with a target.
#[test]
fn normals_that_are_missing_follow_the_shape() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("leaf.gltf");
    let mut document = Document::new();
    let flat = document.accessor("VEC3", 3, &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    // The corner on the y axis goes to the z axis.
    let lifted = document.sparse(3, &[(2, [0.0, -1.0, 1.0])]);
    document.value["meshes"] = json!([{"primitives": [{"attributes": {"POSITION": flat}, "targets": [{"POSITION": lifted}]}], "weights": [1]}]);
    document.node(None, json!({"mesh": 0}));
    document.value["animations"] = json!([]);
    document.write(&path);
    let scene = Scene::open(&path).unwrap();
    let mesh = &scene.assets.meshes[0];
    assert!(mesh.facings(&[0.0]).iter().all(|normal| normal.distance(Vec3::Z) < 1e-6));
    assert!(mesh.facings(scene.weights(0, 0)).iter().all(|normal| normal.distance(Vec3::NEG_Y) < 1e-6));
}

/// Each fault of morph targets is told with its place and a remedy.
#[test]
fn faulty_targets_and_weights_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("faulty.gltf");
    // A file with two targets in each primitive and a channel of weights.
    let sample = || {
        let fits = |sample: &Sample| {
            let key = |shown: &Shown| shown.keys.as_ref().is_some_and(|keys| keys.times.len() > 1);
            sample.primitives.len() > 1 && sample.primitives[0].targets.len() == 2 && key(&sample.shown[0])
        };
        (0..).map(Sample::new).find(fits).unwrap().document
    };
    type Fault = fn(&mut Document);
    let faults: [(Fault, &str, &str); 8] = [
        (
            |file| file.value["meshes"][0]["weights"] = json!([1]),
            "`meshes[0].weights`: 1 weights",
            "one weight for each",
        ),
        (
            |file| file.value["nodes"][1]["weights"] = json!([1, 2, 3]),
            "`nodes[1].weights`: 3 weights",
            "one weight for",
        ),
        (|file| file.value["nodes"][1]["weights"] = json!([1, "x"]), "`nodes[1].weights[1]`: expected a number", ""),
        (|file| file.value["nodes"][1]["weights"] = json!([1, 1e40]), "`nodes[1].weights[1]`: a weight is at most", ""),
        (
            |file| file.value["meshes"][0]["primitives"][1]["targets"] = json!([{}]),
            "`meshes[0].primitives[1]`: has 1 morph targets",
            "the same targets",
        ),
        (
            |file| {
                let short = file.accessor("VEC3", 3, &[0.0, 1.0, 0.0]);
                file.value["meshes"][0]["primitives"][0]["targets"][1]["POSITION"] = json!(short);
            },
            "`meshes[0].primitives[0].targets[1].POSITION`: ",
            "as many as its primitive",
        ),
        (
            |file| {
                let few = file.accessor("SCALAR", 1, &[0.0, 1.0, 0.0]);
                file.value["animations"][0]["samplers"][0]["output"] = json!(few);
            },
            "`animations[0].samplers[0]`: ",
            "each key has a value for each",
        ),
        (
            |file| {
                let nan = file.accessor("SCALAR", 1, &[f32::NAN; 4]);
                file.value["animations"][0]["samplers"][0]["output"] = json!(nan);
            },
            "`animations[0].samplers[0].output`: its accessor holds NaN",
            "",
        ),
    ];
    for (fault, message, remedy) in faults {
        let mut document = sample();
        let node = document.value["nodes"][1].as_object_mut().unwrap();
        node.remove("weights");
        fault(&mut document);
        document.write(&path);
        // What a clip lacks is told in the same words; the figure opens without it.
        if message.starts_with("`animations") {
            let scene = Scene::open(&path).unwrap();
            let [told] = &scene.assets.warnings[..] else { panic!("{message:?}: {:?}", scene.assets.warnings) };
            assert!(
                told.starts_with("line ") && told.contains(message) && told.contains(remedy),
                "{message:?}: {told}"
            );
            assert!(scene.assets.motions.is_empty());
            continue;
        }
        let error = Scene::open(&path).unwrap_err();
        assert!(error.message.contains(message), "{message:?}: {error}");
        assert!(error.position.is_some(), "{error}");
        assert!(remedy.is_empty() || error.hint.as_ref().is_some_and(|hint| hint.contains(remedy)), "{error}");
    }
}

/// The vertices of a gathered file at keys of its clip, from its bytes by the reference reader.
#[test]
fn gathered_morphs_are_as_their_bytes_say() {
    let Some(path) = gathered("trials/characters/morphs/AnimatedMorphSphere.glb") else { return };
    check_gathered(&path);
}

fn check_gathered(path: &Path) {
    let bytes = std::fs::read(path).unwrap();
    let gltf::Gltf { document, blob } = gltf::Gltf::from_slice(&bytes).unwrap();
    let blob = blob.unwrap();
    let reader = |accessor: gltf::Accessor<'_>, width: usize| -> Vec<f32> {
        let start = accessor.view().unwrap().offset() + accessor.offset();
        let part = &blob[start..start + 4 * width * accessor.count()];
        part.chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect()
    };
    let primitive = document.meshes().next().unwrap().primitives().next().unwrap();
    let base = reader(primitive.get(&gltf::Semantic::Positions).unwrap(), 3);
    let targets: Vec<Vec<f32>> =
        primitive.morph_targets().map(|target| reader(target.positions().unwrap(), 3)).collect();
    let sampler = document.animations().next().unwrap().samplers().next().unwrap();
    let (times, values) = (reader(sampler.input(), 1), reader(sampler.output(), 1));
    let mut scene = Scene::open(path).unwrap();
    let motion = scene.assets.motions[0].clone();
    let mut most = 0.0_f64;
    for (key, &time) in times.iter().enumerate() {
        scene.morph_weights = motion.morph_weights_at(&scene.assets.morph_weights, time.into()).unwrap();
        let weights = scene.weights(0, 0);
        let places = scene.assets.meshes[0].places(weights);
        for (at, place) in places.iter().enumerate() {
            let expected = [0, 1, 2].map(|axis| {
                let moved = targets.iter().enumerate();
                let sum: f64 = moved
                    .map(|(t, target)| f64::from(target[3 * at + axis]) * f64::from(values[targets.len() * key + t]))
                    .sum();
                f64::from(base[3 * at + axis]) + sum
            });
            let expected = DVec3::from_array(expected);
            assert!(place.as_dvec3().distance(expected) < 1e-8, "key {key}, vertex {at}: {place} is not {expected}");
            most = most.max(expected.distance(DVec3::new(
                base[3 * at].into(),
                base[3 * at + 1].into(),
                base[3 * at + 2].into(),
            )));
        }
    }
    assert!(most > 0.01, "{most}");
}
