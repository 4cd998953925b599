//! The skeleton of a glTF file is what skins name, what clips move, and what lies between; and all of it is where the clip has it.
#![allow(clippy::unwrap_used)]

use crate::document::Document;
use fabrik3d_ik::random::Random;
use fabrik3d_scene::{Motion, Scene};
use glam::{DMat4, DQuat, DVec3, Quat};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// Times of all keys.
const TIMES: [f32; 4] = [0.0, 0.4, 0.8, 1.2];

/// Place, rotation and scale.
type Local = (DVec3, DQuat, f64);

/// A random tree of nodes with skins and a clip, as the test wrote it.
struct Tree {
    document: Document,
    parents: Vec<Option<usize>>,
    rest: Vec<Local>,
    /// The nodes that skins name.
    skinned: BTreeSet<usize>,
    /// The keys of each node that the clip moves.
    keys: BTreeMap<usize, Vec<Local>>,
}

impl Tree {
    fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut document = Document::new();
        let (mut parents, mut rest): (Vec<Option<usize>>, Vec<Local>) = (Vec::new(), Vec::new());
        for at in 0..4 + random.index(12) {
            // Long branches, short ones, and sometimes another tree.
            let parent = match random.unit() {
                share if at == 0 || share < 0.05 => None,
                share if share < 0.6 => Some(at - 1),
                _ => Some(random.index(at)),
            };
            let local = local(&mut random);
            document.node(parent, written(at, local));
            parents.push(parent);
            rest.push(local);
        }
        let mut skinned = BTreeSet::new();
        for _ in 0..random.index(3) {
            // A skin needs a common root. Most files name a branch, or parts of it.
            let top = random.index(parents.len());
            let below = |at: usize| std::iter::successors(Some(at), |&at| parents[at]).any(|at| at == top);
            let named: Vec<usize> = (0..parents.len()).filter(|&at| below(at) && random.unit() < 0.6).collect();
            if !named.is_empty() {
                if !document.value["skins"].is_array() {
                    document.value["skins"] = json!([]);
                }
                document.value["skins"].as_array_mut().unwrap().push(json!({"joints": named}));
                skinned.extend(named);
            }
        }
        let mut tree = Tree { document, parents, rest, skinned, keys: BTreeMap::new() };
        for node in 0..tree.parents.len() {
            if random.unit() < 0.35 {
                tree.animate(&mut random, node);
            }
        }
        tree
    }

    /// Adds keys for some properties of a node.
    fn animate(&mut self, random: &mut Random, node: usize) {
        // What is animated must not have a matrix.
        let item = self.document.value["nodes"][node].as_object_mut().unwrap();
        item.remove("matrix");
        let (place, rotation, scale) = self.rest[node];
        item.extend(parts(place, rotation, scale));
        let mut keys = vec![self.rest[node]; TIMES.len()];
        let which = 1 + random.index(7);
        keys.iter_mut().for_each(|key| {
            let (place, rotation, scale) = local(random);
            key.0 = if which & 1 > 0 { place } else { key.0 };
            key.1 = if which & 2 > 0 { rotation } else { key.1 };
            key.2 = if which & 4 > 0 { scale } else { key.2 };
        });
        for (bit, path) in [(1, "translation"), (2, "rotation"), (4, "scale")] {
            if which & bit == 0 {
                continue;
            }
            let mut keys = keys.iter();
            let mut value = || {
                let (place, rotation, scale) = keys.next().unwrap();
                match path {
                    "translation" => place.as_vec3().to_array().to_vec(),
                    "rotation" => rotation.as_quat().to_array().to_vec(),
                    _ => vec![*scale as f32; 3],
                }
            };
            self.document.channel(node, path, &TIMES, &mut value);
        }
        self.keys.insert(node, keys);
    }

    /// The nodes that are joints, by the definition: those on the way between each pair.
    fn joints(&self) -> BTreeSet<usize> {
        let above = |at: usize| -> Vec<usize> { std::iter::successors(Some(at), |&at| self.parents[at]).collect() };
        let all = 0..self.parents.len();
        let has_skin = !self.skinned.is_empty();
        let own: Vec<usize> =
            all.filter(|at| !has_skin || self.skinned.contains(at) || self.keys.contains_key(at)).collect();
        let mut joints: BTreeSet<usize> = own.iter().copied().collect();
        for (&a, &b) in own.iter().flat_map(|a| own.iter().map(move |b| (a, b))) {
            let (from, to) = (above(a), above(b));
            let Some(meet) = from.iter().find(|at| to.contains(at)) else { continue };
            let way = from.iter().take_while(|at| *at != meet).chain(to.iter().take_while(|at| *at != meet));
            joints.extend(way.chain([meet]));
        }
        joints
    }

    /// The world transforms of all nodes at a time, at rest without one.
    fn world(&self, seconds: Option<f64>) -> Vec<(DMat4, DQuat)> {
        let mut world: Vec<(DMat4, DQuat)> = Vec::new();
        for (at, parent) in self.parents.iter().enumerate() {
            let mut own = self.rest[at];
            if let (Some(seconds), Some(keys)) = (seconds, self.keys.get(&at)) {
                let after = TIMES.iter().position(|&time| f64::from(time) > seconds).unwrap_or(TIMES.len() - 1).max(1);
                let [from, to] = [after - 1, after].map(|key| f64::from(TIMES[key]));
                let part = ((seconds - from) / (to - from)).clamp(0.0, 1.0);
                let (a, b) = (keys[after - 1], keys[after]);
                own = (a.0.lerp(b.0, part), a.1.slerp(b.1, part), a.2 + (b.2 - a.2) * part);
            }
            let local = DMat4::from_scale_rotation_translation(DVec3::splat(own.2), own.1, own.0);
            let above = parent.map_or((DMat4::IDENTITY, DQuat::IDENTITY), |parent| world[parent]);
            world.push((above.0 * local, above.1 * own.1));
        }
        world
    }
}

fn local(random: &mut Random) -> Local {
    // As the file has it, in single precision.
    let place = random.ball().as_vec3().as_dvec3();
    let rotation = Quat::from_array(random.rotation().to_array().map(|part| part as f32)).as_dquat().normalize();
    (place, rotation, f64::from(random.range(0.7, 1.4) as f32))
}

fn written(at: usize, (place, rotation, scale): Local) -> serde_json::Value {
    let name = format!("n{at}");
    match at % 5 {
        4 => {
            let matrix = DMat4::from_scale_rotation_translation(DVec3::splat(scale), rotation, place);
            json!({"name": name, "matrix": matrix.to_cols_array()})
        }
        _ => {
            let mut node = json!({"name": name});
            node.as_object_mut().unwrap().extend(parts(place, rotation, scale));
            node
        }
    }
}

fn parts(place: DVec3, rotation: DQuat, scale: f64) -> [(String, serde_json::Value); 3] {
    [
        ("translation".to_owned(), json!(place.to_array())),
        ("rotation".to_owned(), json!(rotation.to_array())),
        ("scale".to_owned(), json!([scale, scale, scale])),
    ]
}

fn node_of(scene: &Scene, joint: usize) -> usize {
    scene.skeleton.joints()[joint].name[1..].parse().unwrap()
}

/// Compares the joints of a scene with the nodes at times of its clip.
fn check(tree: &Tree, scene: &Scene, motion: &Motion, what: &str) {
    let skeleton = &scene.skeleton;
    let (rest, at_rest) = (tree.world(None), skeleton.frames(&skeleton.rest_pose()));
    for step in 0..=12 {
        let seconds = 0.1 * f64::from(step);
        let world = tree.world(Some(seconds));
        let frames = motion.skeleton_at(skeleton, seconds).frames(&motion.pose_at(skeleton, seconds));
        for (joint, frame) in frames.iter().enumerate() {
            let (matrix, rotation) = world[node_of(scene, joint)];
            let place = matrix.w_axis.truncate();
            assert!(
                frame.position.distance(place) < 2e-5,
                "{what} at {seconds}: {} is at {}, not {place}",
                skeleton.joints()[joint].name,
                frame.position
            );
            let turned = frame.rotation * at_rest[joint].rotation.conjugate();
            let expected = rotation * rest[node_of(scene, joint)].1.conjugate();
            let apart = turned.angle_between(expected);
            assert!(apart < 1e-5, "{what} at {seconds}: {} is off by {apart}", skeleton.joints()[joint].name);
        }
    }
}

#[test]
fn all_that_a_clip_moves_follows_it_and_is_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let [from, to] = ["from.gltf", "to.gltf"].map(|name| folder.path().join(name));
    let (mut beyond, mut written) = (0, 0);
    for seed in 0..300 {
        let mut tree = Tree::new(seed);
        if tree.keys.is_empty() {
            tree.document.value["animations"] = json!([]);
        }
        tree.document.write(&from);
        let scene = Scene::open(&from).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let joints: BTreeSet<usize> = (0..scene.skeleton.len()).map(|joint| node_of(&scene, joint)).collect();
        assert_eq!(joints, tree.joints(), "seed {seed}");
        beyond += usize::from(!tree.skinned.is_empty() && joints != tree.skinned);
        let Some(motion) = scene.assets.motions.first() else { continue };
        check(&tree, &scene, motion, &format!("seed {seed}"));
        // The clip that is written is sampled. At its keys it is the same.
        let sampled = motion.at_rate(&scene.skeleton, 10.0);
        scene.export(&sampled, &to, Some(&from)).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let again = Scene::open(&to).unwrap();
        check(&tree, &again, &again.assets.motions[0], &format!("seed {seed}, written"));
        written += 1;
    }
    assert!(beyond > 100 && written > 200, "{beyond}, {written}");
}
