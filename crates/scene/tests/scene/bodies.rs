//! Bodies with other numbers of joints: trunks follow by height, and fingers by their place on the hand, whatever their names.
#![allow(clippy::unwrap_used)]

use crate::document::Document;
use crate::gathered::gathered;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Coordinates, Isometry, Kind, Pose};
use fabrik3d_scene::{BodyLimits, OpenOptions, Retarget, Scene, nearest_coordinates};
use glam::{DQuat, DVec3};
use serde_json::json;
use std::path::Path;

/// A body in T-pose that faces +z, as the test made it.
#[derive(Default)]
struct Body {
    names: Vec<String>,
    parents: Vec<Option<usize>>,
    places: Vec<DVec3>,
    /// From the hips to the head.
    trunk: Vec<usize>,
    /// The lowest joint of the neck in that list.
    neck: usize,
    hands: Vec<Hand>,
}

/// A hand with its fingers, the thumb first and the little one last.
struct Hand {
    joint: usize,
    /// Toward the fingers, and where the palm looks.
    along: DVec3,
    palm: DVec3,
    fingers: Vec<Finger>,
}

struct Finger {
    joints: Vec<usize>,
    /// How many of them are in the palm.
    inside: usize,
}

impl Body {
    fn new(random: &mut Random) -> Self {
        let mut body = Body::default();
        let hips = body.add("Hips", None, DVec3::new(0.0, 1.0, 0.0));
        let count = 1 + random.index(8);
        let mut heights: Vec<f64> = (0..count).map(|_| random.range(0.03, 0.47)).collect();
        heights.sort_by(f64::total_cmp);
        body.trunk = vec![hips];
        for height in heights {
            let place = DVec3::new(0.0, 1.0 + height, 0.02 * random.normal());
            body.grow(random, place);
        }
        let chest = body.trunk.len() - 1;
        body.neck = body.trunk.len();
        for step in 0..1 + random.index(2) {
            body.grow(random, DVec3::new(0.0, 1.5 + 0.06 * step as f64, 0.0));
        }
        let head = body.add("Head", body.trunk.last().copied(), DVec3::new(0.0, 1.63, 0.0));
        body.trunk.push(head);
        let chest = body.trunk[chest];
        for (side, sign) in [("Left", 1.0), ("Right", -1.0)] {
            let mut at = hips;
            for (part, x, y, z) in [
                ("UpLeg", 0.1, 0.95, 0.0),
                ("Leg", 0.1, 0.5, 0.0),
                ("Foot", 0.1, 0.08, 0.0),
                ("ToeBase", 0.1, 0.02, 0.12),
            ] {
                at = body.add(&format!("{side}{part}"), Some(at), DVec3::new(sign * x, y, z));
            }
            let mut at = chest;
            for (part, x) in [("Arm", 0.18), ("ForeArm", 0.45), ("Hand", 0.7)] {
                at = body.add(&format!("{side}{part}"), Some(at), DVec3::new(sign * x, 1.45, 0.0));
            }
            body.hand(random, at, sign);
        }
        body
    }

    fn add(&mut self, name: &str, parent: Option<usize>, place: DVec3) -> usize {
        self.names.push(name.to_owned());
        self.parents.push(parent);
        self.places.push(place);
        self.names.len() - 1
    }

    /// A joint with a name that says nothing.
    fn nameless(&mut self, random: &mut Random, parent: usize, place: DVec3) -> usize {
        let name = format!("{}{}", ["bone", "j", "x_", "part."][random.index(4)], self.names.len());
        self.add(&name, Some(parent), place)
    }

    fn grow(&mut self, random: &mut Random, place: DVec3) {
        let at = self.nameless(random, *self.trunk.last().unwrap(), place);
        self.trunk.push(at);
    }

    fn hand(&mut self, random: &mut Random, joint: usize, sign: f64) {
        let along = DVec3::X * sign;
        // The palm looks down, or forward, or between.
        let turn = DQuat::from_axis_angle(DVec3::X, -random.range(0.0, 1.5));
        let (across, palm) = (turn * DVec3::Z, turn * DVec3::NEG_Y);
        let others = 2 + random.index(3);
        let (size, place) = (random.range(0.7, 1.3), self.places[joint]);
        let mut fingers = Vec::new();
        // The joints below the hand come in any order.
        let mut order: Vec<usize> = (0..=others).collect();
        (1..order.len()).rev().for_each(|at| order.swap(at, random.index(at + 1)));
        for number in order {
            let finger = if number == 0 {
                let from = 0.03 * along + 0.03 * across + 0.01 * palm;
                let way = (0.7 * along + 0.6 * across + 0.3 * palm).normalize();
                self.finger(random, joint, (from, way, 0.035), 0)
            } else {
                let beside = 0.035 - 0.07 * (number - 1) as f64 / (others - 1) as f64;
                let inside = random.index(2);
                let way = (along + beside * 2.0 * across + 0.05 * random.ball()).normalize();
                self.finger(random, joint, ((0.09 - beside.abs() * 0.2) * along + beside * across, way, 0.035), inside)
            };
            fingers.push((number, finger));
        }
        fingers.sort_by_key(|(number, _)| *number);
        let fingers: Vec<Finger> = fingers.into_iter().map(|(_, finger)| finger).collect();
        for at in fingers.iter().flat_map(|finger| finger.joints.clone()) {
            self.places[at] = place + (self.places[at] - place) * size;
        }
        self.hands.push(Hand { joint, along, palm, fingers });
    }

    fn finger(
        &mut self,
        random: &mut Random,
        hand: usize,
        (from, way, step): (DVec3, DVec3, f64),
        inside: usize,
    ) -> Finger {
        let (mut at, start, mut joints) = (hand, self.places[hand], Vec::new());
        let phalanges = if inside > 0 { 3 } else { 2 + random.index(3) };
        if inside > 0 {
            at = self.nameless(random, at, start + 0.25 * from);
            joints.push(at);
        }
        for number in 0..phalanges {
            at = self.nameless(random, at, start + from + way * step * f64::from(number as u32));
            joints.push(at);
        }
        Finger { joints, inside }
    }

    /// The body with axes of its own on every joint.
    fn scene(&self, random: &mut Random, path: &Path, limits: BodyLimits) -> Scene {
        let mut document = Document::new();
        let mut turns: Vec<DQuat> = Vec::new();
        for (at, name) in self.names.iter().enumerate() {
            let turn = random.rotation();
            let (above, from) =
                self.parents[at].map_or((DQuat::IDENTITY, DVec3::ZERO), |up| (turns[up], self.places[up]));
            let (offset, own) = (above.conjugate() * (self.places[at] - from), above.conjugate() * turn);
            let node = json!({"name": name, "translation": offset.to_array(), "rotation": own.to_array()});
            document.node(self.parents[at], node);
            turns.push(turn);
        }
        document.value["skins"] = json!([{"joints": (0..self.names.len()).collect::<Vec<_>>()}]);
        document.value["animations"] = json!([]);
        document.write(path);
        Scene::open_with(path, &OpenOptions { body_limits: limits, ..OpenOptions::default() }).unwrap()
    }
}

/// Two bodies as scenes without limits. Joints have the numbers of the bodies.
fn pair(seed: u64) -> ([Body; 2], [Scene; 2]) {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random::new(seed);
    let bodies = [(); 2].map(|()| Body::new(&mut random));
    let path = folder.path().join("body.gltf");
    let scenes = [0, 1].map(|which| bodies[which].scene(&mut random, &path, BodyLimits::Off));
    for (body, scene) in bodies.iter().zip(&scenes) {
        let names: Vec<&str> = scene.skeleton.joints().iter().map(|joint| joint.name.as_str()).collect();
        assert_eq!(names, depth_first(body).iter().map(|&at| body.names[at].as_str()).collect::<Vec<_>>());
    }
    (bodies, scenes)
}

/// The joints of a body in the order of the file's tree.
fn depth_first(body: &Body) -> Vec<usize> {
    let (mut order, mut waiting) = (Vec::new(), vec![0]);
    while let Some(at) = waiting.pop() {
        order.push(at);
        waiting.extend((0..body.parents.len()).rev().filter(|&child| body.parents[child] == Some(at)));
    }
    order
}

/// The joint of a scene for one of its body.
fn joint(body: &Body, scene: &Scene, at: usize) -> usize {
    scene.skeleton.find(&body.names[at]).unwrap()
}

/// A pose of the scene in which joints of the body have turned in the world, in addition to what is above them.
fn posed(body: &Body, scene: &Scene, turns: &[(usize, DQuat)]) -> Pose {
    let skeleton = &scene.skeleton;
    let mut pose = skeleton.rest_pose();
    let rest = skeleton.frames(&pose);
    let mut world: Vec<DQuat> = Vec::new();
    for at in 0..skeleton.len() {
        let own = turns.iter().find(|(joint, _)| skeleton.joints()[at].name == body.names[*joint]);
        let above = skeleton.joints()[at].parent.map_or(DQuat::IDENTITY, |parent| world[parent]);
        let turned = above * own.map_or(DQuat::IDENTITY, |(_, turn)| *turn);
        let local = rest[at].rotation.conjugate() * above.conjugate() * turned * rest[at].rotation;
        pose[at] = nearest_coordinates(skeleton.kind(at), DVec3::ZERO, local);
        world.push(turned);
    }
    pose
}

fn retargeted(bodies: &[Body; 2], scenes: &[Scene; 2], turns: &[(usize, DQuat)]) -> [Vec<Isometry>; 2] {
    let [recorded, driven] = scenes;
    let retarget = Retarget::between(recorded, driven, &[]).unwrap();
    let pose = posed(&bodies[0], recorded, turns);
    let own = retarget.pose(&recorded.skeleton, (&pose, &[]), &driven.skeleton);
    [recorded.skeleton.frames(&pose), driven.skeleton.frames(&own)]
}

/// Where the points of a trunk are along it: 0 to 1 from the hips to the neck, 1 to 2 from there to the head.
fn heights(body: &Body) -> Vec<f64> {
    let way = |from: usize, to: usize| -> f64 {
        (from..to).map(|at| body.places[body.trunk[at + 1]].distance(body.places[body.trunk[at]])).sum()
    };
    let (neck, last) = (body.neck, body.trunk.len() - 1);
    let height = |at: usize| match at <= neck {
        true => way(0, at) / way(0, neck),
        false => 1.0 + way(neck, at) / way(neck, last),
    };
    (0..=last).map(height).collect()
}

#[test]
fn a_trunk_leans_like_the_other_at_each_height() {
    let mut checked = 0;
    for seed in 0..150 {
        let (bodies, scenes) = pair(seed);
        let mut random = Random::new(1000 + seed);
        let axis = random.direction();
        let count = bodies[0].trunk.len() as f64;
        let turns: Vec<(usize, DQuat)> = bodies[0]
            .trunk
            .iter()
            .map(|&at| {
                let wobble = 0.3 * random.ball();
                (at, DQuat::from_scaled_axis((axis + wobble) * random.range(0.2, 1.5) / count))
            })
            .collect();
        let frames = retargeted(&bodies, &scenes, &turns);
        let marks = bodies.each_ref().map(heights);
        let place = |which: usize, at: usize| {
            frames[which][joint(&bodies[which], &scenes[which], bodies[which].trunk[at])].position
        };
        let there = |mark: f64| {
            let at = (1..marks[0].len() - 1).find(|&at| marks[0][at] > mark).unwrap_or(marks[0].len() - 1);
            let part = (mark - marks[0][at - 1]) / (marks[0][at] - marks[0][at - 1]);
            place(0, at - 1).lerp(place(0, at), part)
        };
        for at in 1..marks[1].len() - 1 {
            let own = place(1, at + 1) - place(1, at);
            let other = there(marks[1][at + 1]) - there(marks[1][at]);
            let apart = own.angle_between(other).to_degrees();
            assert!(apart < 2.0, "seed {seed}: joint {at} of {} leans {apart} degrees off", marks[1].len());
            checked += 1;
        }
        // Rotations add up to the same: the head looks the same way.
        let [from, to] = [0, 1].map(|which| {
            let head = joint(&bodies[which], &scenes[which], *bodies[which].trunk.last().unwrap());
            let rest = scenes[which].skeleton.frames(&scenes[which].skeleton.rest_pose());
            frames[which][head].rotation * rest[head].rotation.conjugate()
        });
        assert!(from.angle_between(to).to_degrees() < 3.0, "seed {seed}");
    }
    assert!(checked > 500, "{checked}");
}

/// How the end of each finger turns in the frame of its hand, as the part of the rotation that bends toward the palm; degrees.
fn curls(body: &Body, scene: &Scene, frames: &[Isometry], hand: &Hand) -> Vec<f64> {
    let rest = scene.skeleton.frames(&scene.skeleton.rest_pose());
    let turned = |at: usize| {
        let at = joint(body, scene, at);
        frames[at].rotation * rest[at].rotation.conjugate()
    };
    let back = turned(hand.joint).conjugate();
    let curl = |finger: &Finger| {
        let turn = (back * turned(*finger.joints.last().unwrap())).to_scaled_axis();
        turn.dot(hand.along.cross(hand.palm)).to_degrees()
    };
    hand.fingers.iter().map(curl).collect()
}

#[test]
fn each_finger_curls_as_the_one_in_its_place() {
    for seed in 0..150 {
        let (bodies, scenes) = pair(seed);
        let mut random = Random::new(2000 + seed);
        let mut turns = Vec::new();
        // The hands are turned, and each finger bends by another angle, from the thumb on more and more.
        for hand in &bodies[0].hands {
            turns.push((hand.joint, DQuat::from_scaled_axis(random.ball())));
            let bend = hand.along.cross(hand.palm);
            for (number, finger) in hand.fingers.iter().enumerate() {
                let phalanges = &finger.joints[finger.inside..];
                let all = 0.3 + 1.2 * number as f64 / (hand.fingers.len() - 1) as f64;
                turns.extend(
                    phalanges.iter().map(|&at| (at, DQuat::from_axis_angle(bend, all / phalanges.len() as f64))),
                );
            }
        }
        let frames = retargeted(&bodies, &scenes, &turns);
        for side in 0..2 {
            let curls =
                [0, 1].map(|which| curls(&bodies[which], &scenes[which], &frames[which], &bodies[which].hands[side]));
            let what = format!("seed {seed}, side {side}: {curls:?}");
            assert!(curls[1].iter().all(|&curl| curl > 5.0), "{what}");
            assert!(curls[1][1..].windows(2).all(|pair| pair[0] < pair[1] + 1.0), "{what}");
            let ends = curls.each_ref().map(|all| [all[1], all[all.len() - 1]]);
            assert!([0, 1].iter().all(|&end| (ends[0][end] - ends[1][end]).abs() < 12.0), "{what}");
        }
    }
}

/// Fingers bend toward the palm and no other way, whatever they are called and however many there are.
#[test]
fn limits_of_fingers_bend_toward_the_palm() {
    let folder = tempfile::tempdir().unwrap();
    for seed in 0..100 {
        let mut random = Random::new(seed);
        let body = Body::new(&mut random);
        let scene = body.scene(&mut random, &folder.path().join("body.gltf"), BodyLimits::Human);
        let skeleton = &scene.skeleton;
        let rest = skeleton.frames(&skeleton.rest_pose());
        for hand in &body.hands {
            for finger in &hand.fingers[1..] {
                for (at, pair) in finger.joints.windows(2).enumerate() {
                    let [at_joint, next] = [pair[0], pair[1]].map(|at| joint(&body, &scene, at));
                    let Kind::Ball { swing: Some(swing), .. } = *skeleton.kind(at_joint) else {
                        panic!("seed {seed}: {} has no limits", body.names[pair[0]])
                    };
                    let [east, north, west, south] = swing.tilts();
                    let tilts = [[east, 0.0], [0.0, north], [-west, 0.0], [0.0, -south]];
                    let toward = tilts.map(|tilt| {
                        let mut pose = skeleton.rest_pose();
                        pose[at_joint] = Coordinates::ball(tilt, 0.0);
                        let moved = skeleton.frames(&pose)[next].position - rest[next].position;
                        moved.dot(hand.palm) / rest[next].position.distance(rest[at_joint].position)
                    });
                    let (most, least) =
                        toward.iter().fold((f64::MIN, f64::MAX), |(a, b), &one| (a.max(one), b.min(one)));
                    let what = format!("seed {seed}, joint {at} of {}: {toward:?}", finger.joints.len());
                    if at < finger.inside {
                        assert!(most < 0.3 && least > -0.3, "{what}");
                    } else {
                        // A knuckle also bends back a little.
                        assert!(most > 0.8 && least > if at == finger.inside { -0.8 } else { -0.2 }, "{what}");
                    }
                }
            }
        }
    }
}

/// In recordings whose joints have names of fingers, limits are on all fingers but the thumbs.
#[test]
fn gathered_hands_have_their_thumbs_where_their_names_say() {
    let mut hands = 0;
    for name in [
        "bvh/pymo/AV_8Walk_Meredith_HVHA_Rep1.bvh",
        "trials/characters/untouched/dance1.bvh",
        "trials/characters/thigh-by-name/walk1.bvh",
    ] {
        let Some(path) = gathered(name) else { return };
        let scene = Scene::open(&path).unwrap();
        let joints = scene.skeleton.joints().iter().enumerate();
        let named = |word: &'static str| {
            let has = move |name: &str| name.to_lowercase().contains(word);
            joints.clone().filter(move |(_, joint)| has(&joint.name)).map(|(at, _)| at)
        };
        let is_limited = |at: &usize| !scene.skeleton.kind(*at).is_unlimited_ball();
        let (thumbs, others) =
            (named("thumb").filter(is_limited), named("index").chain(named("pinky")).chain(named("middle")));
        let others: Vec<bool> = others.map(|at| is_limited(&at)).collect();
        assert_eq!(thumbs.count(), 0, "{name}");
        assert!(others.iter().all(|&limited| limited), "{name}: {others:?}");
        hands += others.len();
    }
    assert!(hands > 20, "{hands}");
}
