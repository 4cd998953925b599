//! Small pictures of the sample frame, compared with those in `tests/golden`. `UPDATE_GOLDEN=1` rewrites them.

use crate::golden_support;
use crate::render_support;

use fabrik3d::render::{Renderer, Samples, Targets};
use fabrik3d_viewer::view::Theme;
use fabrik3d_viewer::view::frame::Quality;
use glam::Vec3;
use golden_support::compare;
use render_support::{arm, headless, pedestal, view};

#[test]
fn the_sample_frame_matches_its_golden_pictures() {
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
