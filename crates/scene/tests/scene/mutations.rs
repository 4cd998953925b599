//! Damaged files: readers return for any changed, removed or duplicated bytes, and scenes that open are valid.
#![allow(clippy::unwrap_used)]

use crate::gathered;

use fabrik3d_ik::random::Random;
use fabrik3d_scene::{FileFormat, Mesh, OpenOptions, Scene, Surfaces, read_mesh, read_mesh_file};
use gathered::gathered;
use std::path::{Path, PathBuf};

/// Meshes of a triangle or two, with what their formats have beside corners.
const MESHES: [(&str, &str); 3] = [
    (
        "triangle.stl",
        "solid one\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid one\n",
    ),
    ("quad.obj", "o quad\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0.5\nvt 0 0\nvt 1 1\nvn 0 0 1\nf 1/1/1 2/2/1 3/1/1 -1//1\n"),
    (
        "triangle.dae",
        "<COLLADA><asset><unit meter=\"0.01\"/><up_axis>Z_UP</up_axis></asset><library_geometries><geometry id=\"g\"><mesh>\
         <source id=\"p\"><float_array id=\"a\" count=\"9\">0 0 0 1 0 0 0 1 0</float_array><technique_common>\
         <accessor source=\"#a\" count=\"3\" stride=\"3\"/></technique_common></source>\
         <vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/></vertices>\
         <triangles count=\"1\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><p>0 1 2</p></triangles>\
         </mesh></geometry></library_geometries><library_visual_scenes><visual_scene id=\"s\"><node>\
         <translate>1 2 3</translate><instance_geometry url=\"#g\"/></node></visual_scene></library_visual_scenes>\
         <scene><instance_visual_scene url=\"#s\"/></scene></COLLADA>",
    ),
];

/// Files to damage, by name: the project's own, and small sample files.
fn seeds() -> Vec<(PathBuf, Vec<u8>)> {
    let own = ["two-joints.bvh", "arm.urdf", "puppet.gltf", "tube.glb"];
    let own = own.map(|name| Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/models")).join(name));
    let corpus = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus/mjcf/arm.xml")).to_owned();
    let others = [
        "bvh/bvh_anim/test_simple.bvh",
        "gltf/SimpleSkin/SimpleSkin.gltf",
        "gltf/RiggedSimple/RiggedSimple.glb",
        "edge/gltf/assimp/simple_skin/simple_skin.gltf",
        "edge/gltf/validator/animation/valid.gltf",
        "edge/mesh/stl/triangle.stl",
        "edge/mesh/obj/testmixed.obj",
        "edge/mesh/dae/cube_tristrips.dae",
        "edge/urdf/two_links_one_joint.urdf",
    ];
    let files = own.into_iter().chain([corpus]).chain(others.iter().filter_map(|name| gathered(name)));
    let meshes = MESHES.map(|(name, text)| (PathBuf::from(name), text.as_bytes().to_vec()));
    files.map(|path| (path.clone(), std::fs::read(path).unwrap())).chain(meshes).collect()
}

/// A number below `limit`.
fn below(random: &mut Random, limit: usize) -> usize {
    ((random.ball().x * 0.5 + 0.5) * limit as f64) as usize % limit.max(1)
}

/// The bytes with a few random changes: flipped bits, truncation, duplicated and removed pieces, large numbers.
fn damaged(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..1 + below(random, 4) {
        if bytes.is_empty() {
            break;
        }
        let at = below(random, bytes.len());
        let end = (at + 1 + below(random, 40)).min(bytes.len());
        match below(random, 7) {
            0 => bytes[at] ^= 1 << below(random, 8),
            1 => bytes.truncate(at),
            2 => drop(bytes.drain(at..end)),
            3 => {
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
            4 => {
                // Replace a digit by a large number.
                if let Some(digit) = bytes[at..].iter().position(u8::is_ascii_digit) {
                    let large: &[u8] =
                        [&b"999999999999"[..], b"-1", b"4294967295", b"1e308", b"65535"][below(random, 5)];
                    bytes.splice(at + digit..at + digit + 1, large.iter().copied());
                }
            }
            5 => bytes[at..end].fill(if below(random, 2) == 0 { 0xff } else { 0 }),
            _ => {
                let from = below(random, bytes.len());
                let piece: Vec<u8> = bytes[from..(from + 16).min(bytes.len())].to_vec();
                let to = below(random, bytes.len());
                bytes.splice(to..to, piece);
            }
        }
    }
    bytes
}

/// Checks that a scene is consistent.
fn assert_sound(scene: &Scene, what: &str) {
    let frames = scene.skeleton.frames(&scene.start);
    assert!(frames.iter().all(|frame| frame.position.is_finite() && frame.rotation.is_finite()), "{what}");
    for motion in &scene.assets.motions {
        for frame in [0, motion.len() / 2, motion.len().saturating_sub(1)] {
            let frames = scene.skeleton.frames(&motion.pose(&scene.skeleton, frame));
            assert!(frames.iter().all(|frame| frame.rotation.is_finite()), "{what}: frame {frame} of {}", motion.name);
        }
    }
    for surface in &scene.assets.surfaces {
        assert!(surface.mesh < scene.assets.meshes.len(), "{what}");
    }
    for skin in &scene.assets.skins {
        assert_eq!(skin.joints.len(), skin.inverse_bind.len(), "{what}");
        let joints = skin.joints.len();
        let named = scene.assets.meshes[skin.mesh].influences.iter().flat_map(|influence| influence.joints);
        assert!(joints == 0 || named.into_iter().all(|joint| usize::from(joint) < joints), "{what}");
    }
    scene.assets.meshes.iter().for_each(|mesh| assert_mesh(mesh, what));
}

fn assert_mesh(mesh: &Mesh, what: &str) {
    let count = mesh.positions.len();
    assert_eq!(mesh.normals.len(), count, "{what}");
    assert!(mesh.influences.is_empty() || mesh.influences.len() == count, "{what}");
    assert!(mesh.triangles.iter().flatten().all(|&corner| (corner as usize) < count), "{what}");
    assert!(mesh.positions.iter().all(|position| position.is_finite()), "{what}");
}

#[test]
fn damaged_files_cause_no_panic() {
    let folder = tempfile::tempdir().unwrap();
    let (mut opened, mut refused) = (0, 0);
    for (seed, (path, bytes)) in seeds().into_iter().enumerate() {
        let extension = path.extension().unwrap().to_str().unwrap();
        let out = folder.path().join(format!("damaged.{extension}"));
        let mut random = Random::new(seed as u64 + 1);
        for round in 0..300 {
            let what = format!("{}, round {round}", path.display());
            let bytes = damaged(&bytes, &mut random);
            let fine = if ["stl", "obj", "dae"].contains(&extension) {
                let file = read_mesh(bytes, extension, "damaged");
                file.iter().flat_map(|file| &file.parts).for_each(|part| assert_mesh(part, &what));
                file.is_ok()
            } else {
                std::fs::write(&out, bytes).unwrap();
                let surfaces = if extension == "urdf" { Surfaces::Skip } else { Surfaces::Load };
                let scene = Scene::open_with(&out, &OpenOptions { surfaces, ..OpenOptions::default() });
                scene.iter().for_each(|scene| assert_sound(scene, &what));
                // A character is a mesh too.
                let file = if extension.starts_with("gl") { read_mesh_file(&out).ok() } else { None };
                file.iter().flat_map(|file| &file.parts).for_each(|part| assert_mesh(part, &what));
                scene.is_ok()
            };
            if fine { opened += 1 } else { refused += 1 }
        }
    }
    assert!(opened > 100 && refused > 100, "{opened} opened, {refused} refused: the damage is too small or too large");
}

/// Deeply nested text: no reader may run out of stack or time.
#[test]
fn deep_nesting_causes_no_overflow() {
    let folder = tempfile::tempdir().unwrap();
    let deep = 200_000;
    let joints = |count: usize| {
        let open = "JOINT j\n{\nOFFSET 0 1 0\nCHANNELS 0\n".repeat(count);
        format!(
            "HIERARCHY\nROOT r\n{{\nOFFSET 0 0 0\nCHANNELS 0\n{open}{}}}\nMOTION\nFrames: 0\nFrame Time: 1\n",
            "}\n".repeat(count)
        )
    };
    let nodes: Vec<String> = (0..9_000).map(|at| format!("{{\"children\":[{}]}}", at + 1)).collect();
    let chain = format!("{{\"asset\":{{\"version\":\"2.0\"}},\"nodes\":[{},{{}}]}}", nodes.join(","));
    let files = [
        ("deep.bvh", joints(deep), false),
        ("chain.bvh", joints(9_000), true),
        ("deep.urdf", format!("{}{}", "<robot>".repeat(deep), "</robot>".repeat(deep)), false),
        ("deep.gltf", format!("{}{}", "{\"a\":[".repeat(deep), "]}".repeat(deep)), false),
        ("chain.gltf", chain, true),
    ];
    for (name, text, opens) in files {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        let outcome = Scene::open(&path);
        assert_eq!(outcome.is_ok(), opens, "{name}: {:?}", outcome.err().map(|error| error.to_string()));
    }
    let nodes = format!("<COLLADA><asset/>{}{}</COLLADA>", "<node>".repeat(deep), "</node>".repeat(deep));
    assert!(read_mesh(nodes.into_bytes(), "dae", "deep.dae").is_err());
}

/// Small files with large sizes in their headers must not allocate that much.
#[test]
fn sizes_in_headers_do_not_control_allocation() {
    let accessor = "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"mesh\":0}],
        \"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],
        \"accessors\":[{\"componentType\":5126,\"type\":\"VEC3\",\"count\":4000000000}]}";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.gltf");
    std::fs::write(&path, accessor).unwrap();
    let error = Scene::open(&path).unwrap_err().to_string();
    assert!(error.contains("says 4000000000 elements"), "{error}");
    let mut stl = vec![0; 84];
    stl[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(read_mesh(stl, "stl", "large.stl").is_err());
}

/// A file that is too large is refused by its size. These hold nothing: only their length is large.
#[test]
fn files_above_the_limit_are_refused_by_their_size() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |name: &str, bytes: u64| {
        let path = folder.path().join(name);
        std::fs::File::create(&path).and_then(|file| file.set_len(bytes)).unwrap();
        let opens = FileFormat::of(&path).is_some_and(FileFormat::opens_as_scene);
        let message = match opens {
            true => Scene::open(&path).map(drop).unwrap_err().to_string(),
            false => read_mesh_file(&path).map(drop).unwrap_err().to_string(),
        };
        std::fs::remove_file(&path).unwrap();
        let (_, limit) = message.split_once(": the file is larger than ").unwrap_or_else(|| panic!("{message}"));
        limit.strip_suffix(" MiB").and_then(|limit| limit.parse::<u64>().ok()).unwrap_or_else(|| panic!("{message}"))
    };
    let opened = FileFormat::all().iter().filter(|format| format.opens_as_scene());
    let extensions = opened.flat_map(|format| format.extensions.iter().copied()).chain(["stl", "obj", "dae"]);
    for extension in extensions {
        let name = format!("large.{extension}");
        let limit = refused(&name, 1 << 40);
        assert_eq!(refused(&name, (limit << 20) + 1), limit, "{name}");
    }
}
