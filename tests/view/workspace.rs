//! Workspaces of effectors: shells from link lengths, and sampled surfaces inside limits.

use fabrik3d_ik::Isometry;
use fabrik3d_ik::display::WorkspaceSurface;
use fabrik3d_ik::random::Random;
use fabrik3d_scene::Scene;
use glam::{DVec3, Vec3};

/// Whether a point lies inside a closed surface, by the parity of a ray's hits.
fn is_inside(corners: &[(Vec3, Vec3)], point: Vec3) -> bool {
    let way = Vec3::new(0.577, 0.211, 0.789);
    let cuts = corners.chunks(3).filter(|triangle| {
        let [a, b, c] = [triangle[0].0, triangle[1].0, triangle[2].0];
        let (ab, ac) = (b - a, c - a);
        let across = way.cross(ac);
        let area = ab.dot(across);
        let from = point - a;
        let u = from.dot(across) / area;
        let side = from.cross(ab);
        let v = way.dot(side) / area;
        area.abs() > 1e-12 && u >= 0.0 && v >= 0.0 && u + v <= 1.0 && ac.dot(side) / area > 0.0
    });
    cuts.count() % 2 == 1
}

#[test]
fn the_surface_contains_what_poses_reach_and_excludes_what_they_do_not_approach() {
    for name in ["human-arm", "robot-arm"] {
        let file = format!("{}/assets/scenes/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        let scene = Scene::open(file).expect("reads");
        let effector = scene.effectors[0].effector;
        let workspace = WorkspaceSurface::sample(&scene.skeleton, effector).expect("it has limits");
        assert_eq!(workspace.parent, None);
        let mut random = Random::new(99);
        let mut tip = || {
            let pose = scene.skeleton.random_pose(&mut random);
            scene.skeleton.frame_of(Isometry::IDENTITY, &pose, effector.joint).point(effector.tip)
        };
        let tips: Vec<DVec3> = (0..20_000).map(|_| tip()).collect();
        let inside = tips[..400].iter().filter(|tip| is_inside(&workspace.corners, tip.as_vec3())).count();
        assert!(inside >= 396, "{name}: {inside} of 400 reached points are inside");
        let reach = scene.effector_size(&scene.effectors[0]);
        let center = scene.skeleton.frames(&scene.start)[0].position;
        let mut random = Random::new(7);
        let far: Vec<DVec3> = (0..400)
            .map(|_| center + random.ball() * (1.3 * reach))
            .filter(|place| tips.iter().all(|tip| tip.distance(*place) > 0.2 * reach))
            .collect();
        assert!(far.len() > 50, "{name}: {} points are far from all that is reached", far.len());
        let inside = far.iter().filter(|place| is_inside(&workspace.corners, place.as_vec3())).count();
        assert_eq!(inside, 0, "{name}: of {} points that are not reached", far.len());
    }
}

#[test]
fn chains_without_limits_have_no_surface() {
    for name in ["seed-arm", "rope", "tentacle"] {
        let file = format!("{}/assets/scenes/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        let scene = Scene::open(file).expect("reads");
        assert!(WorkspaceSurface::sample(&scene.skeleton, scene.effectors[0].effector).is_none(), "{name}");
    }
}
