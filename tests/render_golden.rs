//! Small pictures of the sample frame, compared with those in `tests/golden`. `UPDATE_GOLDEN=1` rewrites them.
#![cfg(feature = "viewer")]

mod render_support;

use fabrik3d::render::{Renderer, Samples, Targets};
use fabrik3d::view::Theme;
use fabrik3d::view::frame::Quality;
use glam::Vec3;
use image::RgbaImage;
use render_support::{arm, headless, pedestal, view};
use std::path::Path;

/// Mean and largest difference of a channel that drivers may disagree by.
const MEAN: f64 = 1.0;
/// Share of channels that may differ by more than [`FAR`].
const SHARE: f64 = 0.005;
const FAR: u8 = 24;

#[test]
fn the_sample_frame_looks_as_it_did() {
    let Some(headless) = headless() else { return };
    let mut renderer = Renderer::new(headless.context().clone()).expect("a renderer");
    renderer.set_meshes(&[pedestal()]).expect("meshes");
    let camera = view(Vec3::new(2.5, 2.2, 3.5), Vec3::new(-0.36, 0.9, 0.1), 320.0 / 180.0);
    let mut complaints = Vec::new();
    for (theme, theme_name) in [(Theme::Dark, "dark"), (Theme::Light, "light")] {
        for (quality, samples, name) in [(Quality::Fast, Samples::One, "fast"), (Quality::Fine, Samples::Four, "fine")]
        {
            let targets = Targets::new(headless.context(), (320, 180), samples).expect("targets");
            renderer.draw(&targets, &arm(theme, camera), quality, 1.0).expect("a picture");
            let picture = targets.read().expect("pixels");
            complaints.extend(compare(&picture, &format!("{theme_name}-{name}.png")));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

fn compare(picture: &RgbaImage, name: &str) -> Option<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        picture.save(&path).expect("the golden picture is written");
        return None;
    }
    let Ok(golden) = image::open(&path) else { return Some(format!("{name}: missing; UPDATE_GOLDEN=1 writes it")) };
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
    let seen = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    picture.save(&seen).expect("the picture is written");
    Some(format!("{name}: mean difference {mean:.2}, {:.2} % far off; see {}", 100.0 * share, seen.display()))
}
