//! Characters of any size as glTF: a skin over two joints, with a texture or with recorded clips.

use std::fmt::Write;
use std::io::Cursor;

/// The file of the numbers that a glTF file refers to.
const NUMBERS: &str = "scene.bin";
/// The file of its texture.
const TEXTURE: &str = "texture.png";

/// What a character has.
pub(crate) struct Character {
    /// Vertices of its skin, at least 3.
    pub vertices: usize,
    /// Texels of its texture; none with 0.
    pub texels: usize,
    /// Recorded clips of two keys.
    pub clips: usize,
}

impl Character {
    /// Its files as names and contents. The first one is the glTF file.
    pub fn files(&self) -> Vec<(&'static str, Vec<u8>)> {
        let mut numbers = Numbers::default();
        let at = |vertex: usize| (vertex as f32 / self.vertices as f32, (vertex % 2) as f32);
        // A wavy strip around the upper joint.
        let position = |vertex: usize| {
            let (along, side) = at(vertex);
            [0.2 * (20.0 * along).sin() + 0.1 * side, 2.0 * along, 0.2 * side]
        };
        let corners = |triangle: usize| [0, 1, 2].map(|corner| ((triangle + corner) as u32).to_le_bytes());
        let triangles = self.vertices - 2;
        numbers.add((0..self.vertices).flat_map(position), (5126, "VEC3", self.vertices));
        // Both joints move each vertex.
        numbers.add_bytes((0..self.vertices).flat_map(|_| [0, 1, 0, 0]), (5121, "VEC4", self.vertices));
        let weights = |vertex: usize| [1.0 - at(vertex).0, at(vertex).0, 0.0, 0.0];
        numbers.add((0..self.vertices).flat_map(weights), (5126, "VEC4", self.vertices));
        numbers.add((0..self.vertices).flat_map(|vertex| <[f32; 2]>::from(at(vertex))), (5126, "VEC2", self.vertices));
        numbers.add_bytes((0..triangles).flat_map(corners).flatten(), (5125, "SCALAR", 3 * triangles));
        numbers.add([0.0, 1.0], (5126, "SCALAR", 2));
        numbers.add([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.6, 0.8], (5126, "VEC4", 2));
        let [low, high] = [f32::min as fn(f32, f32) -> f32, f32::max].map(|pick| {
            (0..self.vertices)
                .map(position)
                .reduce(|a, b| [0, 1, 2].map(|axis| pick(a[axis], b[axis])))
                .unwrap_or_default()
        });
        numbers.bound(0, (&low, &high));
        numbers.bound(5, (&[0.0], &[1.0]));
        let mut files = vec![("scene.gltf", self.text(&numbers).into_bytes()), (NUMBERS, numbers.bytes)];
        if self.texels > 0 {
            files.push((TEXTURE, texture(self.texels)));
        }
        files
    }

    fn text(&self, numbers: &Numbers) -> String {
        let list = |items: &[String]| items.join(",\n");
        let clip = |at: usize| {
            format!(
                r#"{{"name":"clip {at}","samplers":[{{"input":5,"output":6}}],"channels":[{{"sampler":0,"target":{{"node":1,"path":"rotation"}}}}]}}"#
            )
        };
        let clips: Vec<String> = (0..self.clips).map(clip).collect();
        let mut text = format!(
            r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0,2]}}],
"nodes":[{{"name":"lower","children":[1]}},{{"name":"upper","translation":[0,1,0]}},{{"mesh":0,"skin":0}}],
"skins":[{{"joints":[0,1]}}],
"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0,"JOINTS_0":1,"WEIGHTS_0":2,"TEXCOORD_0":3}},"indices":4{}}}]}}],
"buffers":[{{"uri":"{NUMBERS}","byteLength":{}}}],"bufferViews":[{}],"accessors":[{}]"#,
            if self.texels > 0 { r#","material":0"# } else { "" },
            numbers.bytes.len(),
            list(&numbers.views),
            list(&numbers.accessors),
        );
        // Writing to a string cannot fail.
        if self.texels > 0 {
            let _ = write!(
                text,
                r#","materials":[{{"pbrMetallicRoughness":{{"baseColorTexture":{{"index":0}}}}}}],"textures":[{{"source":0}}],"images":[{{"uri":"{TEXTURE}"}}]"#
            );
        }
        if self.clips > 0 {
            let _ = write!(text, r#","animations":[{}]"#, list(&clips));
        }
        text + "}\n"
    }
}

/// The numbers of a glTF file, and what describes them.
#[derive(Default)]
struct Numbers {
    bytes: Vec<u8>,
    views: Vec<String>,
    accessors: Vec<String>,
}

impl Numbers {
    fn add(&mut self, numbers: impl IntoIterator<Item = f32>, described: (u32, &str, usize)) {
        self.add_bytes(numbers.into_iter().flat_map(f32::to_le_bytes), described);
    }

    /// Adds bytes, a multiple of four, for a number of elements with these types of components and elements.
    fn add_bytes(&mut self, bytes: impl IntoIterator<Item = u8>, (component, element, count): (u32, &str, usize)) {
        let start = self.bytes.len();
        self.bytes.extend(bytes);
        let length = self.bytes.len() - start;
        let view = self.views.len();
        self.views.push(format!(r#"{{"buffer":0,"byteOffset":{start},"byteLength":{length}}}"#));
        self.accessors
            .push(format!(r#"{{"bufferView":{view},"componentType":{component},"type":"{element}","count":{count}}}"#));
    }

    /// Adds the smallest and the largest value of an accessor, which glTF requires of positions and times.
    fn bound(&mut self, accessor: usize, (low, high): (&[f32], &[f32])) {
        let text = &mut self.accessors[accessor];
        text.pop();
        let _ = write!(text, r#","min":{low:?},"max":{high:?}}}"#);
    }
}

/// A square picture with about this number of texels, as PNG.
fn texture(texels: usize) -> Vec<u8> {
    let side = (texels as f64).sqrt().ceil() as u32;
    let picture = image::RgbImage::from_fn(side, side, |x, y| {
        image::Rgb([(x ^ y) as u8, (255.0 * f64::from(x) / f64::from(side)) as u8, y as u8])
    });
    let mut out = Cursor::new(Vec::new());
    // Writing to memory cannot fail.
    let _ = picture.write_to(&mut out, image::ImageFormat::Png);
    out.into_inner()
}
