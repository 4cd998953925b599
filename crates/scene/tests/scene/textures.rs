//! Textures: texture coordinates do not depend on how they are stored. A mesh with an invalid image opens without it, and
//! a warning names the cause.
#![allow(clippy::unwrap_used)]

use crate::tube;

use fabrik3d_ik::random::Random;
use fabrik3d_scene::{Cover, Grain, Mesh, OpenOptions, Scene, Sides, Wrap, read_mesh_file};
use glam::Vec2;
use image::{ImageFormat, Rgba, RgbaImage};
use serde_json::json;
use std::io::Cursor;
use std::path::Path;
use tube::{Model, picture, png};

fn read(model: &Model) -> Scene {
    Scene::from_bytes(model.glb(), "tube.glb", &OpenOptions::default()).unwrap()
}

fn only(scene: &Scene) -> &Mesh {
    assert_eq!(scene.assets.meshes.len(), 1);
    &scene.assets.meshes[0]
}

/// The file in `assets/models` equals the tube of these tests.
#[test]
fn the_tube_model_file_is_up_to_date() {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("assets/models/tube.glb");
    let model = Model::tube(&picture());
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, model.glb()).unwrap();
    }
    let (kept, made) = (Scene::open(&path).unwrap(), read(&model));
    assert_eq!(kept.assets.meshes, made.assets.meshes);
    assert_eq!(kept.skeleton, made.skeleton);
    let bytes = std::fs::read(&path).unwrap();
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let json: serde_json::Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
    assert_eq!(json["accessors"], model.json["accessors"], "bounds of the positions among them");
}

#[test]
fn every_vertex_has_the_right_texture_coordinates() {
    let scene = read(&Model::tube(&picture()));
    assert_eq!(scene.assets.warnings, Vec::<String>::new());
    let mesh = only(&scene);
    assert_eq!(mesh.uvs.len(), mesh.positions.len());
    for (uv, place) in mesh.uvs.iter().zip(&mesh.positions) {
        assert!((0.0..=1.0).contains(&uv.x) && (0.0..=1.0).contains(&uv.y), "{uv}");
        assert!(
            (uv.y - (1.0 - place.y / tube::top())).abs() < 1e-6,
            "the image and the tube have the same down direction"
        );
    }
    let texture = mesh.paint.texture.as_ref().unwrap();
    assert_eq!((texture.image.size, texture.wrap), ([64, 64], [Wrap::Repeat, Wrap::Clamp]));
    assert_eq!(texture.image.name, "scales");
    assert_eq!((texture.grain, mesh.paint.cover, mesh.paint.sides), (Grain::Smooth, Cover::Whole, Sides::Front));
    // The first row is the top one, in vermilion.
    assert_eq!(texture.image.texels[..4], [0xd5, 0x5e, 0x00, 255]);
    assert_eq!(texture.image.texels.len(), 4 * 64 * 64);
}

#[test]
fn coordinates_are_equal_as_floats_shorts_and_bytes() {
    let floats = read(&Model::tube(&picture()));
    let expected = &only(&floats).uvs;
    for (most, short) in [(65535.0, true), (255.0, false)] {
        let mut model = Model::tube(&picture());
        let stored = expected.iter().flat_map(|uv| uv.to_array()).map(|value| (value * most).round());
        let accessor = match short {
            true => model.shorts("VEC2", 2, &stored.map(|value| value as u16).collect::<Vec<_>>(), true),
            false => model.bytes("VEC2", 2, &stored.map(|value| value as u8).collect::<Vec<_>>()),
        };
        model.primitive()["attributes"]["TEXCOORD_0"] = json!(accessor);
        let scene = read(&model);
        for (uv, expected) in only(&scene).uvs.iter().zip(expected) {
            assert!((*uv - *expected).abs().max_element() <= 0.5 / most + 1e-6, "{uv} {expected}");
        }
    }
}

#[test]
fn texture_transforms_are_applied() {
    let plain = read(&Model::tube(&picture()));
    let mut model = Model::tube(&picture());
    let transform = json!({"offset": [0.25, -0.5], "rotation": std::f32::consts::FRAC_PI_2, "scale": [2.0, 3.0]});
    model.json["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"]["extensions"] =
        json!({"KHR_texture_transform": transform});
    let moved = read(&model);
    for (uv, from) in only(&moved).uvs.iter().zip(&only(&plain).uvs) {
        // A quarter turn from x toward -y, on an image whose y axis points down.
        let expected = Vec2::new(3.0 * from.y + 0.25, -2.0 * from.x - 0.5);
        assert!(uv.distance(expected) < 1e-5, "{uv} {expected}");
    }
}

#[test]
fn material_settings_are_read() {
    let mut model = Model::tube(&picture());
    model.json["materials"][0]["alphaMode"] = json!("MASK");
    model.json["materials"][0]["alphaCutoff"] = json!(0.25);
    model.json["materials"][0]["doubleSided"] = json!(true);
    model.json["samplers"][0] = json!({"wrapS": 33648, "magFilter": 9728});
    model.json["materials"][0]["pbrMetallicRoughness"]["baseColorFactor"] = json!([0.5, 1.0, 0.0, 0.5]);
    let colors = vec![[0.0_f32, 0.5, 1.0]; only(&read(&model)).positions.len()].concat();
    let accessor = model.floats("VEC3", 3, &colors);
    model.primitive()["attributes"]["COLOR_0"] = json!(accessor);
    let scene = read(&model);
    let mesh = only(&scene);
    let texture = mesh.paint.texture.as_ref().unwrap();
    assert_eq!((mesh.paint.cover, mesh.paint.sides), (Cover::Mask(0.25), Sides::Both));
    assert_eq!((texture.wrap, texture.grain), ([Wrap::Mirror, Wrap::Repeat], Grain::Squares));
    // Half of linear light is 188 of 255.
    let near = |a: f32, b: f32| (255.0 * a - b).abs() < 0.6;
    let [r, g, b, a] = mesh.color.unwrap();
    assert!(near(r, 187.5) && near(g, 255.0) && b == 0.0 && a == 0.5, "{:?}", mesh.color);
    assert!(mesh.colors.iter().all(|&[r, g, b, a]| r == 0.0 && near(g, 187.5) && near(b, 255.0) && a == 1.0));
    model.json["materials"][0]["alphaMode"] = json!("OPAQUE");
    assert_eq!(only(&read(&model)).color.unwrap()[3], 1.0, "an opaque material ignores the alpha of its factor");
}

/// Checks that the mesh opens without its image and that a warning names the cause.
fn without_picture(model: &Model, folder: &Path, name: &str) -> String {
    let scene = Scene::from_bytes(model.glb(), folder.join("tube.glb"), &OpenOptions::default()).unwrap();
    let mesh = only(&scene);
    assert!(mesh.paint.texture.is_none() && mesh.uvs.is_empty() && !mesh.triangles.is_empty());
    let warnings = scene.assets.warnings.join("\n");
    assert!(warnings.contains(name), "{name}: {warnings}");
    warnings
}

#[test]
fn images_are_read_from_buffer_views_data_uris_and_files() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("my scales.png"), picture()).unwrap();
    let inside = read(&Model::tube(&picture()));
    let expected = &only(&inside).paint.texture.as_ref().unwrap().image.texels;
    let base64 = format!("data:image/png;base64,{}", base64(&picture()));
    for uri in [base64.as_str(), "my%20scales.png", "my scales.png"] {
        let mut model = Model::tube(&[]);
        model.json["images"] = json!([{"uri": uri}]);
        let path = folder.path().join("tube.glb");
        let scene = Scene::from_bytes(model.glb(), path, &OpenOptions::default()).unwrap();
        assert_eq!(&only(&scene).paint.texture.as_ref().unwrap().image.texels, expected, "{uri}");
    }
    for (uri, reason) in [
        ("absent.png", "no such file"),
        ("https://example.org/a.png", "not downloaded"),
        ("data:image/png;base64,*", "base64"),
    ] {
        let mut model = Model::tube(&[]);
        model.json["images"] = json!([{"uri": uri, "name": "scales"}]);
        let name = if uri == "absent.png" { uri } else { "scales" };
        assert!(without_picture(&model, folder.path(), name).contains(reason), "{uri}");
    }
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let group = |group: &[u8]| {
        let bits = (0..3).fold(0_u32, |bits, at| bits << 8 | u32::from(*group.get(at).unwrap_or(&0)));
        let digit = |at: usize| char::from(DIGITS[(bits >> (18 - 6 * at)) as usize & 63]);
        (0..4).map(|at| if at <= group.len() { digit(at) } else { '=' }).collect::<String>()
    };
    bytes.chunks(3).map(group).collect()
}

/// An image with many colours, as PNG and as JPEG.
fn samples() -> [Vec<u8>; 2] {
    let picture = RgbaImage::from_fn(48, 40, |x, y| Rgba([(x * 5) as u8, (y * 6) as u8, (x * y) as u8, 255]));
    let mut jpeg = Vec::new();
    let rgb = image::DynamicImage::from(picture.clone()).into_rgb8();
    rgb.write_to(&mut Cursor::new(&mut jpeg), ImageFormat::Jpeg).unwrap();
    [png(&picture), jpeg]
}

/// Checks that the mesh has an image of the right size, or none and a warning that names it.
fn survives(bytes: &[u8], what: &str) {
    let scene = read(&Model::tube(bytes));
    let mesh = only(&scene);
    match &mesh.paint.texture {
        Some(texture) => {
            let [width, height] = texture.image.size;
            assert_eq!(texture.image.texels.len(), 4 * width as usize * height as usize, "{what}");
        }
        None => assert!(scene.assets.warnings.iter().any(|warning| warning.contains("scales")), "{what}"),
    }
    assert!(!mesh.triangles.is_empty());
}

#[test]
fn truncated_images_do_not_affect_the_mesh() {
    for sample in samples() {
        survives(&sample, "whole");
        for end in (0..sample.len()).step_by(7) {
            survives(&sample[..end], &format!("cut at {end}"));
        }
    }
}

#[test]
fn corrupt_images_do_not_affect_the_mesh() {
    let mut random = Random::new(7);
    for sample in samples() {
        for round in 0..400 {
            let mut bytes = sample.clone();
            for _ in 0..1 + random.index(4) {
                let at = random.index(if round % 2 == 0 { bytes.len() } else { 300 });
                bytes[at] = random.index(256) as u8;
            }
            survives(&bytes, &format!("round {round}"));
        }
    }
}

#[test]
fn oversized_images_are_refused_before_allocation() {
    let [png, jpeg] = samples();
    let mut wide = png;
    wide[16..20].copy_from_slice(&70_000_u32.to_be_bytes());
    wide[20..24].copy_from_slice(&60_000_u32.to_be_bytes());
    let sum = crc32(&wide[12..29]);
    wide[29..33].copy_from_slice(&sum.to_be_bytes());
    let mut high = jpeg;
    let frame = high.windows(2).position(|pair| pair == [0xff, 0xc0]).unwrap();
    high[frame + 5..frame + 9].copy_from_slice(&[0xff, 0xff, 0xff, 0xff]);
    for (bytes, size) in [(wide, "70000 x 60000"), (high, "65535 x 65535")] {
        let warning = without_picture(&Model::tube(&bytes), Path::new("."), "scales");
        assert!(warning.contains(size), "{warning}");
    }
    let warning = without_picture(&Model::tube(b"GIF89a\x01\0\x01\0\0\0\0"), Path::new("."), "scales");
    assert!(warning.contains("PNG and JPEG"), "{warning}");
}

/// Checksum of a PNG chunk.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0_u32, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 })
    })
}

#[test]
fn large_images_are_downscaled() {
    let large =
        RgbaImage::from_fn(4096, 64, |x, _| if x < 2048 { Rgba([255, 0, 0, 255]) } else { Rgba([0, 0, 255, 255]) });
    let scene = read(&Model::tube(&png(&large)));
    let image = &only(&scene).paint.texture.as_ref().unwrap().image;
    assert_eq!(image.size, [2048, 32]);
    assert_eq!(image.texels[..4], [255, 0, 0, 255]);
    assert_eq!(image.texels[image.texels.len() - 4..], [0, 0, 255, 255]);
}

#[test]
fn obj_and_collada_textures_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    write("scales.png", &picture());
    write(
        "square.mtl",
        b"newmtl skin\nKd 0 0 0\nmap_Kd -s 1 1 1 textures\\scales.png\nnewmtl plain\nKd 1 0 0\nd 0.5\n",
    );
    let vertices = "mtllib square.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n";
    let faces = "usemtl skin\nf 1/1 2/2 3/3 4/4\nusemtl plain\nf 1 2 3\n";
    write("square.obj", format!("{vertices}{faces}").as_bytes());
    let square = read_mesh_file(folder.path().join("square.obj")).unwrap();
    assert_eq!(square.warnings, Vec::<String>::new());
    let [skin, plain] = &square.parts[..] else { panic!("{} parts", square.parts.len()) };
    assert_eq!(skin.color, Some([1.0; 4]));
    assert!(skin.paint.texture.is_some() && plain.paint.texture.is_none());
    assert_eq!(plain.color, Some([1.0, 0.0, 0.0, 0.5]));
    for (uv, place) in skin.uvs.iter().zip(&skin.positions) {
        assert_eq!(*uv, Vec2::new(place.x, 1.0 - place.y), "the image and the square have the same up direction");
    }

    let numbers = |id: &str, list: &str, count: usize, stride: usize| {
        format!(
            "<source id='{id}'><float_array id='{id}a' count='{}'>{list}</float_array><technique_common>\
             <accessor source='#{id}a' count='{count}' stride='{stride}'/></technique_common></source>",
            count * stride
        )
    };
    let dae = format!(
        "<COLLADA><library_images><image id='i'><init_from>scales.png</init_from></image></library_images>\
         <library_effects><effect id='e'><profile_COMMON><newparam sid='s'><surface type='2D'><init_from>i</init_from>\
         </surface></newparam><newparam sid='t'><sampler2D><source>s</source></sampler2D></newparam><technique><phong>\
         <diffuse><texture texture='t' texcoord='u'/></diffuse></phong></technique></profile_COMMON></effect>\
         </library_effects><library_materials><material id='m'><instance_effect url='#e'/></material></library_materials>\
         <library_geometries><geometry id='g'><mesh>{}{}<vertices id='v'><input semantic='POSITION' source='#p'/></vertices>\
         <triangles material='x' count='1'><input semantic='VERTEX' source='#v' offset='0'/>\
         <input semantic='TEXCOORD' source='#u' offset='1'/><p>0 0 1 1 2 2</p></triangles></mesh></geometry>\
         </library_geometries><library_visual_scenes><visual_scene id='w'><node><instance_geometry url='#g'>\
         <bind_material><technique_common><instance_material symbol='x' target='#m'/></technique_common></bind_material>\
         </instance_geometry></node></visual_scene></library_visual_scenes><scene><instance_visual_scene url='#w'/></scene>\
         </COLLADA>",
        numbers("p", "0 0 0 1 0 0 1 1 0", 3, 3),
        numbers("u", "0 0 1 0 1 1", 3, 2),
    );
    write("square.dae", dae.as_bytes());
    let square = read_mesh_file(folder.path().join("square.dae")).unwrap();
    let part = &square.parts[0];
    assert!(part.paint.texture.is_some() && square.warnings.is_empty(), "{:?}", square.warnings);
    for (uv, place) in part.uvs.iter().zip(&part.positions) {
        assert_eq!(*uv, Vec2::new(place.x, 1.0 - place.y));
    }
    std::fs::remove_file(folder.path().join("scales.png")).unwrap();
    let square = read_mesh_file(folder.path().join("square.dae")).unwrap();
    assert!(square.parts[0].paint.texture.is_none() && square.warnings[0].contains("scales.png"));
}

#[test]
fn compressed_meshes_are_refused_by_the_name_of_their_extension() {
    for extension in ["KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression"] {
        let mut model = Model::tube(&picture());
        model.json["extensionsRequired"] = json!(["KHR_texture_transform", extension]);
        // The buffer that a decoder would fill has neither a URI nor a binary chunk.
        model.json["buffers"] = json!([{"byteLength": 64}]);
        let text = model.json.to_string().into_bytes();
        let error = Scene::from_bytes(text, "man.gltf", &OpenOptions::default()).unwrap_err().to_string();
        let expected = format!("the file needs the extension {extension}, which is not supported");
        assert!(error.contains(&expected) && error.contains("export it without mesh compression"), "{error}");
    }
}
