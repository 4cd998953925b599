//! A clip that cannot be read is told and left out: the figure and its other clips are those of the file without it.
#![allow(clippy::unwrap_used)]

use crate::gltf_warnings::{open, valid, write};
use fabrik3d_ik::random::Random;
use fabrik3d_scene::{OpenOptions, Scene};
use serde_json::{Value, json};

/// What makes a clip unreadable.
const FAULTS: &[fn(&mut Value)] = &[
    |clip| *clip = json!(5),
    |clip| *clip = json!(null),
    |clip| clip["channels"] = json!(7),
    |clip| clip["channels"] = json!([null]),
    |clip| clip["name"] = json!(["walk"]),
    |clip| clip["samplers"] = json!([]),
    |clip| clip["samplers"][0] = json!("fast"),
    |clip| clip["samplers"][0]["output"] = json!(4),
    |clip| clip["samplers"][0]["input"] = json!(99),
    |clip| clip["samplers"][0]["input"] = json!(6),
    |clip| clip["samplers"][0]["output"] = json!(7),
    |clip| clip["samplers"][0]["interpolation"] = json!("WILD"),
    |clip| clip["channels"][0]["target"]["node"] = json!(40),
    |clip| clip["channels"][0]["target"]["path"] = json!(1),
];

/// The valid document, with times that descend (accessor 6) and rotations that are not finite (accessor 7).
fn document() -> Value {
    let mut document = valid();
    for accessor in [4, 5] {
        let copy = document["accessors"][accessor].clone();
        document["accessors"].as_array_mut().unwrap().push(copy);
    }
    let bytes = [1.0_f32, 0.0, f32::NAN, 0.0, 0.0, 1.0, 0.0, 0.0, 0.6, 0.8].into_iter().flat_map(f32::to_le_bytes);
    let escapes: String = bytes.map(|byte| format!("%{byte:02x}")).collect();
    let buffer = json!({"byteLength": 40, "uri": format!("data:application/octet-stream,{escapes}")});
    document["buffers"].as_array_mut().unwrap().push(buffer);
    let views = document["bufferViews"].as_array_mut().unwrap();
    let first = views.len();
    views.push(json!({"buffer": 1, "byteLength": 8}));
    views.push(json!({"buffer": 1, "byteOffset": 8, "byteLength": 32}));
    document["accessors"][6]["bufferView"] = json!(first);
    document["accessors"][7]["bufferView"] = json!(first + 1);
    document
}

#[test]
fn the_rest_of_the_file_does_not_depend_on_clips_that_cannot_be_read() {
    let mut random = Random::new(26);
    let folder = tempfile::tempdir().unwrap();
    for round in 0..200 {
        let (mut broken, mut sound) = (document(), document());
        let clip = broken["animations"][0].clone();
        let (mut all, mut readable) = (Vec::new(), Vec::new());
        for at in 0..1 + random.index(5) {
            let mut clip = clip.clone();
            clip["name"] = json!(format!("clip {at}"));
            if random.index(2) == 0 {
                FAULTS[random.index(FAULTS.len())](&mut clip);
            } else {
                readable.push(clip.clone());
            }
            all.push(clip);
        }
        let unread = all.len() - readable.len();
        (broken["animations"], sound["animations"]) = (json!(all), json!(readable));
        let (found, expected) = (open(&broken).unwrap(), open(&sound).unwrap());
        assert_eq!(found.skeleton, expected.skeleton);
        assert_eq!(found.start, expected.start);
        assert_eq!(found.assets.motions, expected.assets.motions);
        let told = |warning: &&String| warning.starts_with("line 1: a clip is left out: `");
        assert_eq!(found.assets.warnings.iter().filter(told).count(), unread, "{:?}", found.assets.warnings);

        // What is written has the same clips, and a new one that is first.
        let (path, out) = (folder.path().join(format!("{round}.gltf")), folder.path().join("out.gltf"));
        std::fs::write(&path, broken.to_string()).unwrap();
        let scene = Scene::open(&path).unwrap();
        let Some(motion) = scene.assets.motions.first() else { continue };
        let mut new = motion.clone();
        new.name = "new".to_owned();
        scene.export(&new, &out, Some(&path)).unwrap();
        let again = Scene::open(&out).unwrap();
        let names = |scene: &Scene| scene.assets.motions.iter().map(|motion| motion.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&again), [vec!["new".to_owned()], names(&scene)].concat());
    }
}

/// Keys before the start of a clip, which other programs write, tell the way to the first one that is shown.
#[test]
fn a_clip_with_earlier_keys_is_the_later_part_of_one() {
    let mut random = Random::new(27);
    for _ in 0..100 {
        let (early, late) = (random.unit() as f32 * 0.9, 1.0 + random.unit() as f32);
        let (mut whole, mut part) = (valid(), valid());
        write(&mut whole, 4, 0, &[0.0, late + early]);
        write(&mut part, 4, 0, &[-early, late]);
        let (whole, part) = (open(&whole).unwrap(), open(&part).unwrap());
        assert_eq!(part.assets.warnings, [""; 0]);
        for _ in 0..10 {
            let time = random.unit() * f64::from(late);
            let of =
                |scene: &Scene, time| scene.skeleton.frames(&scene.assets.motions[0].pose_at(&scene.skeleton, time));
            let (a, b) = (of(&whole, time + f64::from(early)), of(&part, time));
            for (a, b) in a.iter().zip(&b) {
                assert!(a.rotation.dot(b.rotation).abs() > 1.0 - 1e-9, "{early} {late} {time}");
                assert!((a.position - b.position).length() < 1e-6);
            }
        }
    }
}

/// Programs in C may end a text with the zero bytes of its buffer. Bytes that are no text are told with their place.
#[test]
fn texts_end_before_their_zero_bytes_and_are_utf8() {
    let mut random = Random::new(28);
    let urdf = "<robot name=\"r\"><link name=\"a\"/>\n<link name=\"b\"/>\n<joint name=\"j\" type=\"continuous\">\
                <parent link=\"a\"/><child link=\"b\"/></joint></robot>\n";
    let bvh = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 0\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\nMOTION\nFrames: 0\nFrame Time: 1\n";
    let toml = "[[chain]]\nname = \"arm\"\npoints = [[0, 0, 0], [0, 1, 0], [0, 2, 0]]\n";
    let texts = [
        ("a.urdf", urdf.to_owned()),
        ("a.bvh", bvh.to_owned()),
        ("a.toml", toml.to_owned()),
        ("a.gltf", valid().to_string()),
    ];
    for (name, text) in texts {
        let open = |bytes: Vec<u8>| Scene::from_bytes(bytes, name, &OpenOptions::default());
        let expected = open(text.clone().into_bytes()).unwrap_or_else(|error| panic!("{error}"));
        for _ in 0..20 {
            let zeros = vec![0; random.index(9)];
            let found = open([text.as_bytes(), &zeros].concat()).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(found.skeleton, expected.skeleton, "{name}");
            let at = random.index(text.len());
            let mut bytes = text.clone().into_bytes();
            bytes.insert(at, 0xff);
            let error = open(bytes).unwrap_err();
            let line = text[..at].matches('\n').count() + 1;
            assert_eq!(error.position.map(|position| position.line), Some(line), "{name}: {error}");
            assert!(error.message.contains("UTF-8") && error.hint.is_some(), "{name}: {error}");
        }
    }
}
