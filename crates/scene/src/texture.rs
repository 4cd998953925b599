//! How meshes are painted: images, textures, opacity. Images, PNG and JPEG, are read within bounds: sizes are checked before
//! memory is allocated.

use crate::files::Files;
use image::imageops::FilterType;
use image::{ImageFormat, ImageReader, Limits};
use std::collections::HashMap;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An image in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// Name of the file, or name inside the file that contains it.
    pub name: String,
    /// Width and height in texels, both above 0.
    pub size: [u32; 2],
    /// Red, green, blue and straight alpha of each texel, sRGB, top row first.
    pub texels: Vec<u8>,
}

/// An image that is mapped to a mesh by the mesh's texture coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct Texture {
    /// The image.
    pub image: Arc<Image>,
    /// Behaviour beyond the edges, horizontally and vertically.
    pub wrap: [Wrap; 2],
    /// Magnification filter.
    pub grain: Grain,
}

/// How a texture continues beyond its edge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wrap {
    /// It repeats.
    #[default]
    Repeat,
    /// It repeats, mirrored.
    Mirror,
    /// The outermost texels continue.
    Clamp,
}

/// How a texture is magnified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Grain {
    /// Linear interpolation between texels.
    #[default]
    Smooth,
    /// Nearest texel, for pixel art.
    Squares,
}

/// How opacity is used.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Cover {
    /// Opaque up to the alpha of the mesh's colour. The alpha of texture and vertices is ignored.
    #[default]
    Whole,
    /// Texels with at least this alpha are opaque, others are not drawn.
    Mask(f32),
    /// Blended by the alpha of colour, texture and vertices.
    Blend,
}

/// The visible sides of triangles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sides {
    /// Both sides.
    #[default]
    Both,
    /// Only the side on which the corners run counter-clockwise.
    Front,
}

/// How a mesh is drawn, besides its colour.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Paint {
    /// Texture, multiplied with the colour.
    pub texture: Option<Texture>,
    /// Use of opacity.
    pub cover: Cover,
    /// Visible sides.
    pub sides: Sides,
    /// Roughness from 0 (mirror) to 1; none if the file does not state it.
    pub roughness: Option<f32>,
}

impl Image {
    /// Whether any texel is not opaque.
    pub fn is_translucent(&self) -> bool {
        self.texels.chunks_exact(4).any(|texel| texel[3] < 255)
    }
}

/// Largest image file, bytes.
const LARGEST_FILE: u64 = 128 << 20;
/// Most texels of an image in its file.
const MAX_TEXELS: u64 = 1 << 26;
/// Longest side of an image in memory, texels. Larger images are scaled down; no window shows more detail.
const MAX_SIDE: u32 = 2048;
/// Most texels of all images of a scene.
const MAX_SCENE_TEXELS: u64 = 1 << 27;

/// The images of a scene. Each is read once, and each failure is reported once.
#[derive(Debug, Default)]
pub(crate) struct Pictures {
    /// Where they are read from.
    pub files: Files,
    known: HashMap<PathBuf, Option<Arc<Image>>>,
    kept: u64,
    /// One sentence for each image that is not shown.
    pub warnings: Vec<String>,
}

impl Pictures {
    /// Those of a scene that is read from these files.
    pub fn of(files: &Files) -> Self {
        Pictures { files: files.clone(), ..Pictures::default() }
    }

    /// Reads an image file. None if it cannot be read; a warning says why.
    pub fn open(&mut self, path: &Path) -> Option<Arc<Image>> {
        if let Some(known) = self.known.get(path) {
            return known.clone();
        }
        let name = path.display().to_string();
        let image = match self.files.read_regular(path, LARGEST_FILE) {
            Ok(bytes) => self.decode(&bytes, &name),
            Err(error) => self.refuse(&name, &error.message),
        };
        self.known.insert(path.to_owned(), image.clone());
        image
    }

    /// Decodes an image. None if that fails; a warning says why.
    pub fn decode(&mut self, bytes: &[u8], name: &str) -> Option<Arc<Image>> {
        match decode(bytes, name, MAX_SCENE_TEXELS - self.kept) {
            Ok(image) => {
                self.kept += texels(image.size);
                Some(Arc::new(image))
            }
            Err(why) => self.refuse(name, &why),
        }
    }

    /// Adds the warning that an image is not shown.
    pub fn refuse(&mut self, name: &str, why: &str) -> Option<Arc<Image>> {
        let warning = format!("the image {name} is not shown: {why}");
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
        None
    }
}

/// Decodes an image that may have at most `room` texels in memory.
fn decode(bytes: &[u8], name: &str, room: u64) -> Result<Image, String> {
    let format = image::guess_format(bytes).map_err(|_| "it is neither PNG nor JPEG".to_owned())?;
    if !matches!(format, ImageFormat::Png | ImageFormat::Jpeg) {
        return Err(format!("it is {}; PNG and JPEG can be read", format.to_mime_type()));
    }
    let broken = |error: image::ImageError| format!("it cannot be decoded: {error}");
    let reader = || ImageReader::with_format(Cursor::new(bytes), format);
    let (width, height) = reader().into_dimensions().map_err(broken)?;
    if width == 0 || height == 0 {
        return Err("it is empty".to_owned());
    }
    if texels([width, height]) > MAX_TEXELS {
        return Err(format!("it has {width} x {height} texels, more than {} million", MAX_TEXELS / 1_000_000));
    }
    let kept = kept_size(width, height);
    if texels(kept) > room {
        return Err("the images of this file need too much memory together".to_owned());
    }
    let mut reader = reader();
    let mut limits = Limits::no_limits();
    // 16 bits per channel, and the same again while decoding.
    limits.max_alloc = Some(16 * MAX_TEXELS);
    reader.limits(limits);
    let picture = reader.decode().map_err(broken)?;
    let reduced = kept != [width, height];
    let picture = if reduced { picture.resize_exact(kept[0], kept[1], FilterType::Triangle) } else { picture };
    Ok(Image { name: name.to_owned(), size: kept, texels: picture.into_rgba8().into_raw() })
}

/// Size of an image in memory.
fn kept_size(width: u32, height: u32) -> [u32; 2] {
    let longest = width.max(height);
    let reduced = |side: u32| (u64::from(side) * u64::from(MAX_SIDE) / u64::from(longest)).max(1) as u32;
    if longest <= MAX_SIDE { [width, height] } else { [reduced(width), reduced(height)] }
}

fn texels([width, height]: [u32; 2]) -> u64 {
    u64::from(width) * u64::from(height)
}
