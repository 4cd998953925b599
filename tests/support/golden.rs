//! Pictures compared with those in `tests/golden`; `UPDATE_GOLDEN=1` rewrites them.

use image::RgbaImage;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use std::path::Path;

/// Largest accepted mean difference of the channels, for differences between drivers.
const MAX_MEAN: f64 = 1.0;
/// Largest accepted fraction of channels that differ by more than [`FAR`].
const MAX_FAR_SHARE: f64 = 0.005;
/// Difference of a channel value that counts as far off.
const FAR: u8 = 24;

/// Describes the difference between a picture and the golden picture with this name, if there is one.
pub fn compare(picture: &RgbaImage, name: &str) -> Option<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::create_dir_all(path.parent().expect("a file in a folder")).expect("the folder exists");
        write(picture, &path);
        return None;
    }
    difference(picture, &path, name)
}

/// Describes the difference between a picture and the one in a file, if there is one.
pub fn difference(picture: &RgbaImage, path: &Path, name: &str) -> Option<String> {
    let Ok(golden) = image::open(path) else { return Some(format!("{name}: missing; UPDATE_GOLDEN=1 writes it")) };
    let golden = golden.to_rgba8();
    if golden.dimensions() != picture.dimensions() {
        return Some(format!("{name}: the sizes differ"));
    }
    let differences: Vec<u8> = golden.as_raw().iter().zip(picture.as_raw()).map(|(a, b)| a.abs_diff(*b)).collect();
    let mean = differences.iter().map(|&d| f64::from(d)).sum::<f64>() / differences.len() as f64;
    let share = differences.iter().filter(|&&d| d > FAR).count() as f64 / differences.len() as f64;
    if mean <= MAX_MEAN && share <= MAX_FAR_SHARE {
        return None;
    }
    let seen = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name.replace('/', "-"));
    picture.save(&seen).expect("the picture is written");
    Some(format!("{name}: mean difference {mean:.2}, {:.2} % far off; see {}", 100.0 * share, seen.display()))
}

/// Writes a picture with the best compression.
fn write(picture: &RgbaImage, path: &Path) {
    let file = std::fs::File::create(path).expect("the golden picture is written");
    let encoder = PngEncoder::new_with_quality(file, CompressionType::Best, FilterType::Adaptive);
    let opaque = image::DynamicImage::ImageRgba8(picture.clone()).into_rgb8();
    opaque.write_with_encoder(encoder).expect("the golden picture is written");
}
