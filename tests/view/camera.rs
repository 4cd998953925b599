//! The camera: rays, projections and movements agree.

use fabrik3d::view::{Area, Camera, Lens};

/// Lenses without panels, and with panels at the sides and below.
fn lenses(aspect: f64) -> [Lens; 2] {
    let area = Area { low: [-0.6, -0.5], high: [0.4, 1.0] };
    [Lens::new(aspect), Lens { aspect, area }]
}

fn sample() -> Camera {
    Camera::looking([3.0, 2.0, 5.0], [0.5, 1.0, -0.5])
}

#[test]
fn looking_returns_eye_and_point() {
    let camera = sample();
    for (a, b) in camera.eye().into_iter().zip([3.0, 2.0, 5.0]) {
        assert!((a - b).abs() < 1e-12);
    }
    assert_eq!(camera.look_at(), [0.5, 1.0, -0.5]);
}

#[test]
fn rays_go_through_what_they_show() {
    for (camera, lens) in [sample(), sample().with_other_projection()]
        .into_iter()
        .flat_map(|camera| lenses(1.6).map(|lens| (camera, lens)))
    {
        for at in [[0.0, 0.0], [0.7, -0.4], [-0.9, 0.9]] {
            let ray = camera.ray(at, lens);
            let point = [0, 1, 2].map(|k| ray.origin[k] + 4.0 * ray.direction[k]);
            let back = camera.project(point, lens).expect("in front of the eye");
            assert!((back[0] - at[0]).abs() < 1e-9 && (back[1] - at[1]).abs() < 1e-9, "{at:?} {back:?}");
        }
        let middle = camera.project(camera.look_at(), lens).expect("in front of the eye");
        assert!((0..2).all(|i| (middle[i] - lens.middle()[i]).abs() < 1e-9), "{middle:?}");
    }
}

#[test]
fn the_horizon_stays_level() {
    let mut camera = sample();
    for step in 0..200 {
        camera = camera.orbited(f64::from(step) * 7.3, f64::from(step) * 3.1 - 200.0);
        assert!(camera.right()[1].abs() < 1e-12, "right is horizontal");
        assert!(camera.up()[1] > 0.0, "up is up");
    }
}

#[test]
fn panning_moves_the_scene_with_the_pointer() {
    let (camera, lens) = (sample(), Lens::new(1.5));
    let before = camera.project(camera.look_at(), lens).expect("visible");
    let after = camera.panned(0.25, 0.1).project(camera.look_at(), lens).expect("visible");
    assert!((after[0] - before[0] - 2.0 * 0.25 / 1.5).abs() < 1e-9);
    assert!((after[1] - before[1] - 2.0 * 0.1).abs() < 1e-9);
}

#[test]
fn zooming_to_the_pointer_keeps_what_is_under_it() {
    let camera = sample().with_other_projection();
    for lens in lenses(1.5) {
        let at = [0.6, -0.3];
        let under = camera.ray(at, lens).origin;
        let seen = camera.zoomed_to(1.7, at, lens).project(under, lens).expect("visible");
        assert!((seen[0] - at[0]).abs() < 1e-9 && (seen[1] - at[1]).abs() < 1e-9, "{seen:?}");
    }
}
