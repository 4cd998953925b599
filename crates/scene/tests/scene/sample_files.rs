//! Every sample file opens or gives the error listed here: one line with file, position and reason. No file takes long,
//! and none causes a panic.
#![allow(clippy::unwrap_used)]

use crate::gathered;

use fabrik3d_scene::{Scene, read_mesh_file};
use gathered::gathered;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Expected result of a file: it opens, with a warning that contains this text, or its one-line error contains this text.
type Outcome = Result<&'static str, &'static str>;

const OPENS: Outcome = Ok("");
const NOTHING: Outcome = Err("there is neither a skin nor a node in this file");
const POINTER: Outcome = Err("this is a Git LFS pointer");
const FIRST_CHUNK: Outcome = Err("the first chunk of the file is not JSON");

/// Expected results by folder; files that are not listed open.
const REFUSED: &[(&str, &[(&str, Outcome)])] = &[
    (
        "edge/bvh/made",
        &[
            ("comma_decimal.bvh", Err(":18:13: `0,033333333` is not a number")),
            ("empty.bvh", Err("the file is empty")),
            ("frames_mismatch.bvh", Err(":17:9: the file says 5 frames, but 2 lines of numbers follow")),
            ("huge_frames.bvh", Err(":17:9: the file says 999999999999 frames")),
            ("missing_frame_time.bvh", Err(":18:1: expected `Frame Time:`")),
            ("nan.bvh", Err(":20:1: `nan` is not a finite number")),
            ("truncated.bvh", Err(":9:18: `Xrotat` is not a channel")),
        ],
    ),
    (
        "edge/urdf",
        &[
            (
                "fail_pr2_desc_bracket.urdf",
                Err(":10:7: <joint name=\"fl_caster_rotation_joint\">: there is no link `base_link`"),
            ),
            ("fail_pr2_desc_double.urdf", Err(":31:5: two links are named `fl_caster_rotation_link`")),
            ("fail_pr2_desc_double_joint.urdf", Err(":10:7: ")),
            ("fail_pr2_desc_no_joint2.urdf", Err(":10:30: this is not XML")),
            (
                "fail_pr2_desc_parent_itself.urdf",
                Err(":4:5: <joint name=\"fl_caster_rotation_joint\"> has the same parent and child link"),
            ),
            (
                "fail_three_links_one_joint.urdf",
                Err("this is not XML: </link> comes before <joint name=\"joint12\"> of line 21 is closed"),
            ),
        ],
    ),
    (
        "edge/gltf/assimp",
        &[
            (
                "IndexOutOfRange/AllIndicesOutOfRange.gltf",
                Err(":50:32: `meshes[0].primitives[0].indices`: refers to vertex 65535"),
            ),
            (
                "IndexOutOfRange/IndexOutOfRange.gltf",
                Err(":50:32: `meshes[0].primitives[0].indices`: refers to vertex 255"),
            ),
            ("MissingBin/BoxTextured.gltf", Err("BoxTextured0.bin: there is no such file")),
            ("RecursiveNodes/RecursiveNodes.gltf", Err("`nodes[0]`: the children form a cycle")),
            ("SchemaFailures/sceneWrongType.gltf", Err("BoxTextured0.bin: there is no such file")),
            ("wrongTypes/badArray.gltf", Err(":44:27: `meshes[0].primitives`: expected a list, found a table")),
        ],
    ),
    ("edge/gltf", &[("gltf1_RiggedSimple.glb", Err("this is glTF 1.0; only glTF 2.0 can be read"))]),
    (
        "edge/gltf/validator/accessor_data",
        &[
            ("get_elements.gltf", NOTHING),
            ("get_elements_matrix.gltf", NOTHING),
            ("get_elements_sparse.gltf", NOTHING),
            ("invalid_elements_float.gltf", NOTHING),
            ("out_of_range_elements_float.gltf", NOTHING),
            ("out_of_range_elements_sint16.gltf", NOTHING),
            ("out_of_range_elements_sint8.gltf", NOTHING),
            ("out_of_range_elements_uint16.gltf", NOTHING),
            ("out_of_range_elements_uint32.gltf", NOTHING),
            ("out_of_range_elements_uint8.gltf", NOTHING),
        ],
    ),
    (
        "edge/gltf/validator/animation",
        &[
            ("empty_array.gltf", NOTHING),
            ("empty_objects.gltf", NOTHING),
            ("sampler_bufferview_bytestride.gltf", Err("`buffers[0]`: lacks the key `uri`")),
            ("sampler_output_count_invalid.gltf", Ok("`animations[0].samplers[0]`: 1 times need 1 values, found 2")),
            ("sampler_output_format_invalid.gltf", Ok("`accessors[1]`: expected `type` \"VEC3\", found \"VEC4\"")),
            ("unresolved_channel_sampler.gltf", Ok("`animations[0].channels[0].sampler`: there is no sampler 1")),
            ("unresolved_channel_target.gltf", NOTHING),
            ("unresolved_sampler_input.gltf", Ok("`animations[0].samplers[0].input`: there is no accessor 1")),
            ("unresolved_sampler_output.gltf", Ok("`animations[0].samplers[0].output`: there is no accessor 1")),
        ],
    ),
    (
        "edge/gltf/validator/glb",
        &[
            ("bom.glb", NOTHING),
            ("chunk_too_big.glb", Err("the file is cut off: the chunk at byte 12")),
            ("empty_file.glb", Err("the file is empty")),
            ("empty_json_chunk.glb", Err("this is not JSON: EOF while parsing a value")),
            ("empty_json_object.glb", Err("`asset.version` is missing")),
            ("extra_data.glb", NOTHING),
            ("invalid_json_chunk.glb", Err("this is not JSON: key must be a string")),
            ("invalid_magic.glb", Err("this is not glTF: it starts neither with")),
            ("invalid_version.glb", Err("this is glTF 0.0; only glTF 2.0 can be read")),
            ("json_and_two_buffers.glb", Err("the chunk at byte 88 is a second one of its kind")),
            ("length_mismatch.glb", Err("it should have 49 bytes, not 48")),
            ("misplaced_bin_chunk.glb", NOTHING),
            ("no_header.glb", Err("this is not glTF: it starts neither with")),
            ("only_bin_chunk.glb", FIRST_CHUNK),
            ("only_header.glb", Err("it ends after its header")),
            ("truncated_chunk_data.glb", Err("it should have 48 bytes, not 47")),
            ("truncated_chunk_header.glb", Err("the chunk at byte 12 has no header")),
            ("two_bin_chunks.glb", FIRST_CHUNK),
            ("two_empty_bin_chunks.glb", FIRST_CHUNK),
            ("two_empty_json_chunks.glb", Err("the chunk at byte 20 is a second one of its kind")),
            ("two_images.glb", NOTHING),
            ("two_valid_json_chunks.glb", Err("the chunk at byte 48 is a second one of its kind")),
            ("unaligned_chunk.glb", NOTHING),
            ("unknown_chunk.glb", FIRST_CHUNK),
            ("valid.glb", NOTHING),
            ("valid_buffer.glb", NOTHING),
            ("zero_chunk_header.glb", FIRST_CHUNK),
            ("zero_length.glb", Err("the header says that the file has 0 bytes")),
        ],
    ),
    (
        "edge/gltf/validator/skin",
        &[
            ("buffer_view_bytestride.gltf", Err("`buffers[0]`: lacks the key `uri`")),
            ("empty_array.gltf", NOTHING),
            ("empty_joints_array.gltf", Err(":7:23: `skins[0].joints`: a skin needs at least one joint")),
            ("empty_object.gltf", Err(":6:9: `skins[0]`: lacks the key `joints`")),
            ("unresolved_joint.gltf", Err(":7:24: `skins[0].joints[0]`: there is no node 0; there are none")),
        ],
    ),
    ("trials/robots/lfs", &[("lfs.glb", POINTER), ("lfs.stl", POINTER), ("lfs.urdf", POINTER)]),
    (
        "edge/mesh/obj",
        &[
            ("malformed.obj", Err(":23:1: there is no vertex `12`; 8 come before this face")),
            ("malformed2.obj", Err(":23:1: a face needs at least three corners, this has 0")),
            ("number_formats.obj", Err(":11:1: `3.1+e2` is not a number")),
        ],
    ),
];

/// The expected result of a file.
fn expected(root: &Path, path: &Path) -> Outcome {
    let found = REFUSED.iter().flat_map(|(folder, files)| files.iter().map(move |file| (folder, file)));
    let mut found = found.filter(|(folder, (name, _))| root.join(folder).join(name) == path);
    found.next().map_or(OPENS, |(_, (_, outcome))| *outcome)
}

fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files(&path, out) } else { out.push(path) }
    }
}

#[test]
fn every_file_opens_or_gives_its_expected_error() {
    let Some(root) = gathered("MANIFEST.md").map(|manifest| manifest.parent().unwrap().to_owned()) else { return };
    let mut paths = Vec::new();
    files(&root, &mut paths);
    paths.sort();
    let mut wrong = Vec::new();
    let mut seen = 0;
    for path in paths {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let begun = Instant::now();
        let outcome = match extension {
            "urdf" | "gltf" | "glb" | "bvh" => Scene::open(&path).map(|scene| scene.assets.warnings.clone()),
            "stl" | "obj" | "dae" => read_mesh_file(&path).map(|file| file.warnings),
            _ => continue,
        };
        seen += 1;
        let name = path.strip_prefix(&root).unwrap().display();
        // A generous bound: a file that hangs or allocates without bound exceeds it by far.
        assert!(begun.elapsed() < Duration::from_secs(20), "{name}: {:?}", begun.elapsed());
        match (&outcome, expected(&root, &path)) {
            (Ok(warnings), Ok(part)) if part.is_empty() || warnings.iter().any(|warning| warning.contains(part)) => {}
            (Err(error), Err(part)) => {
                let text = error.to_string();
                let first = text.lines().next().unwrap();
                if !first.contains(part) || !first.starts_with(&path.display().to_string()) || text.lines().count() > 2
                {
                    wrong.push(format!("{name}: expected `{part}`, found `{text}`"));
                }
            }
            (outcome, expected) => wrong.push(format!("{name}: expected {expected:?}, found {outcome:?}")),
        }
    }
    assert!(seen > 100, "only {seen} files");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_table_lists_existing_files() {
    for (folder, refused) in REFUSED {
        let Some(folder) = gathered(folder) else { return };
        for (name, _) in *refused {
            assert!(folder.join(name).is_file(), "{}", folder.join(name).display());
        }
    }
}
