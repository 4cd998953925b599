//! Pictures compared with those in `tests/golden`; `UPDATE_GOLDEN=1` rewrites them.

use image::RgbaImage;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use std::path::Path;

/// Mean difference of a channel that drivers may disagree by.
const MEAN: f64 = 1.0;
/// Share of channels that may differ by more than [`FAR`].
const SHARE: f64 = 0.005;
const FAR: u8 = 24;

/// What is wrong with a picture, if it differs from the golden one of this name.
pub fn compare(picture: &RgbaImage, name: &str) -> Option<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::create_dir_all(path.parent().expect("is in a folder")).expect("the folder is there");
        write(picture, &path);
        return None;
    }
    difference(picture, &path, name)
}

/// How a picture differs from the one in a file, if it does.
pub fn difference(picture: &RgbaImage, path: &Path, name: &str) -> Option<String> {
    let Ok(golden) = image::open(path) else { return Some(format!("{name}: missing; UPDATE_GOLDEN=1 writes it")) };
    let golden = golden.to_rgba8();
    if golden.dimensions() != picture.dimensions() {
        return Some(format!("{name}: the sizes differ"));
    }
    let differences: Vec<u8> = golden.as_raw().iter().zip(picture.as_raw()).map(|(a, b)| a.abs_diff(*b)).collect();
    let mean = differences.iter().map(|&d| f64::from(d)).sum::<f64>() / differences.len() as f64;
    let share = differences.iter().filter(|&&d| d > FAR).count() as f64 / differences.len() as f64;
    if mean <= MEAN && share <= SHARE {
        return None;
    }
    let seen = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name.replace('/', "-"));
    picture.save(&seen).expect("the picture is written");
    Some(format!("{name}: mean difference {mean:.2}, {:.2} % far off; see {}", 100.0 * share, seen.display()))
}

/// Writes a picture as small as can be.
fn write(picture: &RgbaImage, path: &Path) {
    let file = std::fs::File::create(path).expect("the golden picture is written");
    let encoder = PngEncoder::new_with_quality(file, CompressionType::Best, FilterType::Adaptive);
    let opaque = image::DynamicImage::ImageRgba8(picture.clone()).into_rgb8();
    opaque.write_with_encoder(encoder).expect("the golden picture is written");
}
