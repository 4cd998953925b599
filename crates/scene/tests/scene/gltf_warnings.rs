//! Files that break the glTF specification so that a picture looks wrong: each violation gives the warning with its code, or
//! an error, and nothing else.
//! The codes are those that the Khronos validator 2.0.0-dev.3.10 gives for the same documents, except for the sheared
//! matrix, which it accepts and the specification does not.
#![allow(clippy::unwrap_used)]

use fabrik3d_ik::random::Random;
use fabrik3d_scene::{OpenOptions, Scene, SceneError};
use serde_json::{Value, json};
use std::fmt::Write as _;

const FLOAT: u32 = 5126;
const BYTE: u32 = 5121;

/// A valid document: a triangle on two joints, the second of which turns.
pub(crate) fn valid() -> Value {
    let mut bytes: Vec<u8> = Vec::new();
    let (mut views, mut accessors) = (Vec::new(), Vec::new());
    let mut add = |kind: &str, component: u32, count: usize, data: Vec<u8>| {
        views.push(json!({"buffer": 0, "byteOffset": bytes.len(), "byteLength": data.len()}));
        accessors
            .push(json!({"bufferView": accessors.len(), "componentType": component, "count": count, "type": kind}));
        bytes.extend(data);
    };
    let identity = |at: usize| if at.is_multiple_of(5) { 1.0 } else { 0.0 };
    add("VEC3", FLOAT, 3, floats([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]));
    add("VEC4", BYTE, 3, vec![0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]);
    add("VEC4", FLOAT, 3, floats([1.0, 0.0, 0.0, 0.0].repeat(3)));
    add("MAT4", FLOAT, 2, floats((0..32).map(|at| identity(at % 16))));
    add("SCALAR", FLOAT, 2, floats([0.0, 1.0]));
    add("VEC4", FLOAT, 2, floats([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.6, 0.8]));
    accessors[0]["min"] = json!([0, 0, 0]);
    accessors[0]["max"] = json!([1, 1, 0]);
    accessors[4]["min"] = json!([0]);
    accessors[4]["max"] = json!([1]);
    views[0]["target"] = json!(34962);
    json!({
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0, 2]}],
        "nodes": [
            {"name": "hip", "children": [1], "translation": [0, 1, 0]},
            {"name": "knee", "translation": [0, 1, 0]},
            {"name": "body", "mesh": 0, "skin": 0}
        ],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2}, "material": 0}]}],
        "materials": [{"pbrMetallicRoughness": {"roughnessFactor": 0.5}}],
        "skins": [{"joints": [0, 1], "inverseBindMatrices": 3, "skeleton": 0}],
        "animations": [{
            "channels": [{"sampler": 0, "target": {"node": 1, "path": "rotation"}}],
            "samplers": [{"input": 4, "output": 5}]
        }],
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{"byteLength": bytes.len(), "uri": encoded(&bytes)}]
    })
}

fn floats(numbers: impl IntoIterator<Item = f32>) -> Vec<u8> {
    numbers.into_iter().flat_map(f32::to_le_bytes).collect()
}

/// A data URI with percent escapes.
fn encoded(bytes: &[u8]) -> String {
    bytes.iter().fold("data:application/octet-stream,".to_owned(), |mut uri, byte| {
        write!(uri, "%{byte:02x}").unwrap();
        uri
    })
}

/// Replaces the floats from one on in the data of an accessor.
pub(crate) fn write(document: &mut Value, accessor: usize, first: usize, numbers: &[f32]) {
    let start = document["bufferViews"][accessor]["byteOffset"].as_u64().unwrap() as usize + 4 * first;
    let uri = document["buffers"][0]["uri"].as_str().unwrap();
    let head = uri.find(',').unwrap() + 1;
    let escapes = encoded(&floats(numbers.iter().copied()));
    let escapes = &escapes[escapes.find(',').unwrap() + 1..];
    let at = head + 3 * start;
    let uri = format!("{}{escapes}{}", &uri[..at], &uri[at + escapes.len()..]);
    document["buffers"][0]["uri"] = json!(uri);
}

pub(crate) fn open(document: &Value) -> Result<Scene, SceneError> {
    Scene::from_bytes(document.to_string().into_bytes(), "figure.gltf", &OpenOptions::default())
}

/// The codes at the ends of the warnings, each once.
fn codes(scene: &Scene) -> Vec<&str> {
    let code = |warning: &'_ String| warning.rsplit_once('(').map(|(before, _)| before.len() + 1);
    let mut codes: Vec<&str> = Vec::new();
    for warning in scene.assets.warnings.iter() {
        let found = code(warning).map_or("", |at| &warning[at..warning.len() - 1]);
        if !codes.contains(&found) {
            codes.push(found);
        }
    }
    codes
}

/// A code or a message, and a change that causes it.
type Violation = (&'static str, fn(&mut Value));

const WARNINGS: &[Violation] = &[
    ("NODE_MATRIX_TRS", |file| {
        file["nodes"][0]["matrix"] = json!([2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 1, 0, 1]);
    }),
    ("NODE_MATRIX_NON_TRS", |file| {
        remove(&mut file["nodes"][0], "translation");
        file["nodes"][0]["matrix"] = json!([1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1]);
    }),
    ("NODE_MATRIX_NON_TRS", |file| {
        remove(&mut file["nodes"][0], "translation");
        file["nodes"][0]["matrix"] = json!([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1]);
    }),
    ("NODE_SKIN_WITH_NON_SKINNED_MESH", |file| {
        file["meshes"][0]["primitives"][0]["attributes"] = json!({"POSITION": 0});
    }),
    ("NODE_SKINNED_MESH_WITHOUT_SKIN", |file| {
        file["nodes"].as_array_mut().unwrap().push(json!({"mesh": 0}));
    }),
];

fn remove(value: &mut Value, key: &str) {
    value.as_object_mut().unwrap().remove(key).unwrap();
}

#[test]
fn a_valid_document_gives_no_warning() {
    assert_eq!(open(&valid()).unwrap().assets.warnings, [""; 0]);
}

#[test]
fn each_violation_gives_its_warning() {
    for (code, change) in WARNINGS {
        let mut document = valid();
        change(&mut document);
        let scene = open(&document).unwrap_or_else(|error| panic!("{code}: {error}"));
        assert_eq!(codes(&scene), [*code], "{:?}", scene.assets.warnings);
        assert!(scene.assets.warnings.iter().all(|warning| warning.starts_with('`')), "{:?}", scene.assets.warnings);
    }
}

#[test]
fn what_no_pose_means_is_an_error() {
    let cases: [Violation; 3] = [
        ("`nodes[0].matrix`: the last row of the matrix is 0, 0.5, 0, 1\n  it must be 0, 0, 0, 1", |file| {
            file["nodes"][0] = json!({"children": [1], "matrix": [1, 0, 0, 0, 0, 1, 0, 0.5, 0, 0, 1, 0, 0, 1, 0, 1]});
        }),
        ("`nodes[0].rotation`: a rotation cannot be zero", |file| file["nodes"][0]["rotation"] = json!([0, 0, 0, 0])),
        ("`skins[0].joints`: a skin needs at least one joint", |file| file["skins"][0]["joints"] = json!([])),
    ];
    for (message, change) in cases {
        let mut document = valid();
        change(&mut document);
        let error = open(&document).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}

/// The last row of an inverse bind matrix has no effect.
#[test]
fn projecting_inverse_bind_matrices_deform_like_valid_ones() {
    let mut document = valid();
    write(&mut document, 3, 3, &[0.5]);
    write(&mut document, 3, 15, &[0.25]);
    assert_eq!(open(&document).unwrap().assets.skins, open(&valid()).unwrap().assets.skins);
}

/// A file with many violations of one kind does not bury the others.
#[test]
fn many_violations_of_one_kind_are_counted() {
    let mut document = valid();
    let nodes = document["nodes"].as_array_mut().unwrap();
    nodes.extend((0..25).map(|_| json!({"mesh": 0})));
    let warnings = open(&document).unwrap().assets.warnings.clone();
    assert_eq!(warnings.len(), 11, "{warnings:?}");
    assert_eq!(warnings[10], "15 more warnings are like the 10 above (NODE_SKINNED_MESH_WITHOUT_SKIN)");
}

/// The bytes of an element, and from one element to the next, by the table of the specification for types and components.
fn element_bytes(kind: &str, component: u64) -> Option<(u64, u64)> {
    let size = match component {
        5120 | 5121 => 1,
        5122 | 5123 => 2,
        5125 | 5126 => 4,
        _ => return None,
    };
    Some(match (kind, size) {
        ("SCALAR", _) => (size, size),
        ("VEC2", _) => (2 * size, 2 * size),
        ("VEC3", _) => (3 * size, 3 * size),
        ("VEC4", _) => (4 * size, 4 * size),
        ("MAT2", 1) => (6, 8),
        ("MAT2", _) => (4 * size, 4 * size),
        ("MAT3", 1) => (11, 12),
        ("MAT3", 2) => (22, 24),
        ("MAT3", _) => (36, 36),
        ("MAT4", _) => (16 * size, 16 * size),
        _ => return None,
    })
}

/// An accessor with any members, and whether the file has its elements. The file is a buffer of 64 bytes and much text.
fn any_accessor(random: &mut Random) -> (Value, bool) {
    let pick = |random: &mut Random, from: &[u64]| from[random.index(from.len())];
    let kinds = ["SCALAR", "VEC2", "VEC3", "VEC4", "MAT2", "MAT3", "MAT4", "MAT5", ""];
    let kind = kinds[random.index(kinds.len())];
    let component = pick(random, &[5120, 5121, 5122, 5123, 5125, 5126, 5126, 5124]);
    let counts = [0, 1, 2, 3, 4, 8, 16, 64, 65, 1_000_000_000, u64::from(u32::MAX), u64::MAX >> 2];
    let count = pick(random, &counts);
    let mut accessor = json!({"componentType": component, "count": count, "type": kind});
    let element = element_bytes(kind, component).filter(|_| count > 0);
    if random.unit() < 0.15 {
        // All zeros, as many as a file of this size may have.
        return (accessor, element.is_some() && count < 1000);
    }
    let (view, length, stride) = [(6, 64_u64, None), (7, 24, None), (8, 40, Some(16)), (9, 0, None)][random.index(4)];
    let offset = pick(random, &[0, 0, 0, 4, 8, 20, 24, 64, 100, u64::MAX >> 1]);
    accessor["bufferView"] = json!(view);
    if offset > 0 || random.unit() < 0.5 {
        accessor["byteOffset"] = json!(offset);
    }
    let fits = element.is_some_and(|(size, step)| {
        let step = stride.unwrap_or(step);
        let end = u128::from(offset) + u128::from(count - 1) * u128::from(step) + u128::from(size);
        view != 9 && step >= size && end <= u128::from(length)
    });
    (accessor, fits)
}

/// Also where nothing reads it, an accessor whose elements are not in the file is told, with its index.
#[test]
fn accessors_without_their_elements_are_told() {
    let mut random = Random::new(5);
    let mut told = 0;
    for case in 0..2000 {
        let mut document = valid();
        document["buffers"].as_array_mut().unwrap().push(json!({"byteLength": 64, "uri": encoded(&[0; 64])}));
        let views = [
            json!({"buffer": 1, "byteLength": 64}),
            json!({"buffer": 1, "byteOffset": 40, "byteLength": 24}),
            json!({"buffer": 1, "byteLength": 40, "byteStride": 16}),
            json!({"buffer": 1, "byteOffset": 32, "byteLength": 33}),
        ];
        document["bufferViews"].as_array_mut().unwrap().extend(views);
        let accessors = document["accessors"].as_array_mut().unwrap();
        accessors.extend(vec![accessors[0].clone(); random.index(4)]);
        let at = accessors.len();
        let (accessor, fits) = any_accessor(&mut random);
        accessors.push(accessor.clone());
        accessors.extend(vec![accessors[0].clone(); random.index(4)]);
        let warnings = open(&document).unwrap().assets.warnings.clone();
        told += usize::from(!fits);
        match warnings.as_slice() {
            [] => assert!(fits, "case {case}: {accessor}"),
            [warning] => {
                let place = [format!("`accessors[{at}]"), "`bufferViews[9]`".to_owned()];
                assert!(
                    !fits && place.iter().any(|place| warning.starts_with(place)),
                    "case {case}: {accessor} {warning}"
                );
                assert!(warning.contains("; other programs may refuse the file: export it again"), "{warning}");
            }
            many => panic!("case {case}: {many:?}"),
        }
    }
    assert!((500..1800).contains(&told), "{told}");
}

/// Data URIs of all forms of RFC 2397, in files of both kinds.
#[test]
fn data_uris_are_base64_or_percent_escapes() {
    let forms = [
        "data:application/octet-stream;base64,AD/+",
        "data:application/gltf-buffer;base64,AD_-",
        "data:application/gltf-buffer;base64,AD%2F%2B",
        "DATA:application/octet-stream;charset=utf-8;BASE64,AD/+",
        "data:application/gltf-buffer,%00%3f%FE",
        "data:,abc",
        "data:;base64,AAA=%20",
    ];
    for form in forms {
        let length = if form.contains("AAA=") { 2 } else { 3 };
        let document =
            json!({"asset": {"version": "2.0"}, "nodes": [{}], "buffers": [{"byteLength": length, "uri": form}]});
        open(&document).unwrap_or_else(|error| panic!("{form}: {error}"));
        let mut glb = document.to_string().into_bytes();
        glb.resize(glb.len().next_multiple_of(4), b' ');
        let size = glb.len() as u32;
        let head = [0x4654_6c67, 2, size + 20, size, 0x4e4f_534a_u32].map(u32::to_le_bytes).concat();
        let opened = Scene::from_bytes([head, glb].concat(), "figure.glb", &OpenOptions::default());
        opened.unwrap_or_else(|error| panic!("{form}: {error}"));
    }
    for form in ["data:base64", "data:;base64,A*=="] {
        let document = json!({"asset": {"version": "2.0"}, "nodes": [{}], "buffers": [{"byteLength": 1, "uri": form}]});
        let error = open(&document).unwrap_err().to_string();
        assert!(error.contains("`buffers[0]`: its `uri` "), "{error}");
    }
}

/// A file from elsewhere may read any other file: a warning names those outside of its folder.
#[test]
fn files_outside_of_the_folder_are_told() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("figure/parts");
    std::fs::create_dir_all(&folder).unwrap();
    let document = valid();
    let uri = document["buffers"][0]["uri"].as_str().unwrap().split_once(',').unwrap().1.to_owned();
    let bytes: Vec<u8> = uri.split('%').skip(1).map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect();
    let uris = [
        "a.bin",
        "parts/a.bin",
        "./parts/../a.bin",
        "../a.bin",
        "parts/../../a.bin",
        "..%2fa.bin",
        "..\\figure\\a.bin",
    ];
    for (uri, is_told) in uris.into_iter().zip([false, false, false, true, true, true, true]) {
        let mut document = document.clone();
        document["buffers"][0]["uri"] = json!(uri);
        let home = place.path().join("figure");
        for beside in [home.as_path(), &folder, place.path()] {
            std::fs::write(beside.join("a.bin"), &bytes).unwrap();
        }
        let file = home.join("figure.gltf");
        std::fs::write(&file, document.to_string()).unwrap();
        let warnings = Scene::open(&file).unwrap().assets.warnings.clone();
        let told = warnings.iter().filter(|warning| warning.contains("outside of the folder of this file")).count();
        assert_eq!((told, warnings.len()), (usize::from(is_told), usize::from(is_told)), "{uri}: {warnings:?}");
    }
}
