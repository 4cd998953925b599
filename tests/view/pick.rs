//! What the pointer takes hold of on a body: the same place that a test of every triangle by other means finds and that
//! the picture shows; a limb follows the pointer, a click moves nothing, the rest orbits.
#![allow(clippy::unwrap_used)]

use crate::gathered;
use crate::render_support;

use fabrik3d::render::{Renderer, Samples, Targets};
use fabrik3d::session::Command;
use fabrik3d::session::command::{CameraCommand, Show};
use fabrik3d::view::frame::Quality;
use fabrik3d::view::pick::{body_under, effector_for, first_hit};
use fabrik3d::view::{Button, Display, HeldKeys, HeldMeshes, MeshStyle, Modifiers, Pointer, Stage};
use fabrik3d_ik::Isometry;
use fabrik3d_ik::random::Random;
use fabrik3d_scene::{Assets, Scene, Sides};
use glam::{DMat4, DVec3};
use std::path::Path;

const SIZE: [f64; 2] = [800.0, 500.0];

fn model(name: &str) -> Scene {
    Scene::open(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/models").join(name)).unwrap()
}

fn stage(scene: Scene) -> Stage {
    let display =
        [Show::Grid, Show::Axes, Show::Hud].into_iter().fold(Display::default(), |d, what| d.with(what, false));
    Stage::new(scene, display, SIZE[0] / SIZE[1])
}

fn pass(stage: &mut Stage, seconds: f64) {
    for _ in 0..(60.0 * seconds) as usize {
        stage.tick(1.0 / 60.0, &mut HeldKeys::default(), Modifiers::default());
    }
}

/// A triangle in the world, with the shares of joints at its corners, and whether it is seen from one side only.
struct Triangle {
    corners: [(DVec3, Vec<(usize, f64)>); 3],
    one_sided: bool,
}

/// All triangles: matrices applied one by one.
fn triangles(assets: &Assets, frames: &[Isometry]) -> Vec<Triangle> {
    let matrix = |frame: Isometry| DMat4::from_rotation_translation(frame.rotation, frame.position);
    let mut all = Vec::new();
    for surface in &assets.surfaces {
        let mesh = &assets.meshes[surface.mesh];
        let model = surface.joint.map_or(DMat4::IDENTITY, |joint| matrix(frames[joint])) * surface.transform;
        let corner = |corner: u32| {
            let place = model.transform_point3(mesh.positions[corner as usize].as_dvec3());
            (place, surface.joint.map(|joint| (joint, 1.0)).into_iter().collect())
        };
        let one_sided = mesh.paint.sides == Sides::Front;
        all.extend(mesh.triangles.iter().map(|corners| Triangle { corners: corners.map(corner), one_sided }));
    }
    for skin in &assets.skins {
        let mesh = &assets.meshes[skin.mesh];
        let corner = |corner: u32| {
            let (place, influence) = (mesh.positions[corner as usize], &mesh.influences[corner as usize]);
            let parts = influence.joints.iter().zip(influence.weights);
            let parts: Vec<_> = parts.map(|(&bone, weight)| (usize::from(bone), f64::from(weight))).collect();
            let mut sum = DVec3::ZERO;
            for &(bone, weight) in &parts {
                let carried = matrix(frames[skin.joints[bone]]) * skin.inverse_bind[bone];
                sum += carried.transform_point3(place.as_dvec3()) * weight;
            }
            (sum, parts.into_iter().map(|(bone, weight)| (skin.joints[bone], weight)).collect())
        };
        let one_sided = mesh.paint.sides == Sides::Front;
        all.extend(mesh.triangles.iter().map(|corners| Triangle { corners: corners.map(corner), one_sided }));
    }
    all
}

/// Where a line meets a triangle: its plane first, then the areas on either side of the point.
fn meets(corners: [DVec3; 3], origin: DVec3, direction: DVec3) -> Option<(f64, [f64; 3])> {
    let [a, b, c] = corners;
    let normal = (b - a).cross(c - a);
    let along = normal.dot(a - origin) / normal.dot(direction);
    let point = origin + direction * along;
    let area = |x: DVec3, y: DVec3| (x - point).cross(y - point).dot(normal) / normal.length_squared();
    let shares = [area(b, c), area(c, a), area(a, b)];
    (along.is_finite() && along > 0.0 && shares.iter().all(|&share| share >= 0.0)).then_some((along, shares))
}

#[test]
fn rays_meet_what_a_test_of_every_triangle_by_its_plane_meets() {
    let mut scenes = vec![model("tube.glb"), model("arm.urdf")];
    for name in ["gltf/CesiumMan/CesiumMan.glb", "gltf/Fox/Fox.glb", "robots/solo_description/robots/solo12.urdf"] {
        scenes.extend(gathered::gathered(name).map(|path| Scene::open(path).unwrap()));
    }
    let mut random = Random::new(3);
    for scene in scenes {
        let skeleton = &scene.skeleton;
        let (mut hits, mut close) = (0, 0);
        for _ in 0..3 {
            let frames = skeleton.frames(&skeleton.random_pose(&mut random));
            let all = triangles(&scene.assets, &frames);
            let middle = frames.iter().map(|frame| frame.position).sum::<DVec3>() / frames.len() as f64;
            let size = all
                .iter()
                .flat_map(|triangle| &triangle.corners)
                .map(|(place, _)| place.distance(middle))
                .fold(0.0, f64::max);
            for _ in 0..60 {
                let origin = middle + random.ball().normalize() * (3.0 * size);
                let at = &all[random.index(all.len())].corners[0].0;
                let direction = (*at + random.ball() * (0.1 * size) - origin).normalize();
                let wanted = all.iter().filter_map(|triangle| {
                    let [a, b, c] = [0, 1, 2].map(|k| triangle.corners[k].0);
                    let turned_away = (b - a).cross(c - a).dot(direction) > 0.0;
                    let (along, shares) =
                        meets([a, b, c], origin, direction).filter(|_| !(triangle.one_sided && turned_away))?;
                    let mut weights = vec![0.0; skeleton.len()];
                    for ((_, parts), share) in triangle.corners.iter().zip(shares) {
                        parts.iter().for_each(|&(joint, weight)| weights[joint] += share * weight);
                    }
                    Some((along, weights))
                });
                let wanted = wanted.min_by(|a, b| a.0.total_cmp(&b.0));
                let found = first_hit(&scene.assets, &frames, origin, direction, 0.0);
                let (Some((along, weights)), Some(hit)) = (&wanted, found) else {
                    assert_eq!(wanted.is_some(), found.is_some(), "{}: {wanted:?} {found:?}", scene.name);
                    continue;
                };
                hits += 1;
                assert!((along - hit.along).abs() < 1e-6 * size, "{}: {along} {}", scene.name, hit.along);
                assert!(hit.point.distance(origin + direction * *along) < 1e-6 * size);
                // Where two joints share a place evenly either will do.
                let most = weights.iter().copied().fold(0.0, f64::max);
                let share = hit.joint.map_or(0.0, |joint| weights[joint]);
                assert!(most - share < 1e-6, "{}: {share} of {most}", scene.name);
                close += usize::from(most > 0.0);
            }
        }
        assert!(hits > 50 && close > 50, "{}: only {hits} hits", scene.name);
    }
}

#[test]
fn a_place_is_on_the_body_where_the_picture_shows_it() {
    let Some(headless) = render_support::headless() else { return };
    let mut renderer = Renderer::new(headless.context().clone()).unwrap();
    let size = (112, 70);
    let targets = Targets::new(headless.context(), size, Samples::One).unwrap();
    for name in ["tube.glb", "arm.urdf"] {
        let mut stage = stage(model(name));
        stage.apply("target.random".parse::<Command>().unwrap()).unwrap();
        pass(&mut stage, 3.0);
        renderer.set_meshes(&HeldMeshes::default().fresh(stage.session().scene()).unwrap()).unwrap();
        for parallel in [false, true] {
            if parallel {
                stage.apply(Command::Camera(CameraCommand::ToggleProjection)).unwrap();
                pass(&mut stage, 1.0);
            }
            let picture = stage.picture();
            let flat = render_support::flat(picture.view);
            let mut frame = fabrik3d::view::Frame { meshes: picture.meshes, bounds: picture.bounds, ..flat };
            for mesh in &mut frame.meshes {
                (mesh.material, mesh.shadow) = (render_support::FLAT, false);
                mesh.color = [255; 4];
            }
            renderer.draw(&targets, &frame, Quality::Fast, 1.0).unwrap();
            let seen = targets.read().unwrap();
            let middle = |pixel: usize, count: u32| 2.0 * (pixel as f64 + 0.5) / f64::from(count) - 1.0;
            let (width, height) = (size.0 as usize, size.1 as usize);
            let hit = |x: usize, y: usize| body_under(&stage, [middle(x, size.0), -middle(y, size.1)]).is_some();
            let hits: Vec<bool> = (0..width * height).map(|at| hit(at % width, at / width)).collect();
            let mut counts = [0, 0];
            for (x, y) in (1..height - 1).flat_map(|y| (1..width - 1).map(move |x| (x, y))) {
                let hit = hits[y * width + x];
                // The outline is smoothed over its neighbours.
                if (y - 1..=y + 1).all(|y| hits[y * width + x - 1..=y * width + x + 1] == [hit; 3]) {
                    counts[usize::from(hit)] += 1;
                    let pixel = seen.get_pixel(x as u32, y as u32);
                    assert_eq!(pixel.0[..3].iter().any(|&channel| channel > 20), hit, "{name}: pixel {x}, {y}");
                }
            }
            assert!(counts.iter().all(|&count| count > 100), "{name}: {counts:?}");
        }
    }
}

/// The pixel at which a point of the world is seen.
fn pixel(stage: &Stage, point: DVec3) -> [f64; 2] {
    fabrik3d::view::gizmo::pixel(stage, stage.space().shown(point), SIZE).unwrap()
}

struct Hand<'a> {
    pointer: Pointer,
    stage: &'a mut Stage,
}

impl Hand<'_> {
    fn apply(&mut self, command: Option<Command>) {
        command.into_iter().for_each(|command| drop(self.stage.apply(command).unwrap()));
    }

    fn to(&mut self, at: [f64; 2]) {
        let command = self.pointer.moved(at, Modifiers::default(), SIZE, self.stage);
        self.apply(command);
    }

    fn press(&mut self) {
        let commands = self.pointer.press(Button::Left, 0.0, Modifiers::default(), SIZE, self.stage);
        commands.into_iter().for_each(|command| self.apply(Some(command)));
    }

    fn release(&mut self) {
        let command = self.pointer.release(Button::Left, SIZE, self.stage);
        self.apply(command);
    }
}

/// A place of the body near the middle of a link, in pixels.
fn on_link(stage: &Stage, joint: usize) -> [f64; 2] {
    let session = stage.session();
    let skeleton = &session.scene().skeleton;
    let frames = skeleton.frames(session.displayed());
    let child = skeleton.children(joint)[0];
    pixel(stage, 0.5 * (frames[joint].position + frames[child].position))
}

#[test]
fn a_limb_follows_the_pointer_by_its_effector() {
    for style in ["on", "xray"] {
        let mut stage = stage(model("tube.glb"));
        stage.apply(format!("show meshes {style}").parse::<Command>().unwrap()).unwrap();
        pass(&mut stage, 0.5);
        let (camera, tip) = (stage.camera(), stage.session().displayed_tip(0));
        let [x, y] = on_link(&stage, 2);
        let before = pixel(&stage, tip);
        let mut hand = Hand { pointer: Pointer::default(), stage: &mut stage };
        hand.to([x, y]);
        hand.press();
        (1..=10).for_each(|k| hand.to([x + 6.0 * f64::from(k), y + 4.0 * f64::from(k)]));
        hand.release();
        pass(&mut stage, 3.0);
        let after = pixel(&stage, stage.session().target(0).position.unwrap());
        assert!((after[0] - before[0] - 60.0).hypot(after[1] - before[1] - 40.0) < 1.0, "{before:?} {after:?}");
        assert_eq!(stage.camera(), camera, "the picture stays");
        stage.apply("undo".parse::<Command>().unwrap()).unwrap();
        assert!(stage.session().target(0).position.unwrap().distance(tip) < 1e-9, "one step of undo");
    }
}

#[test]
fn a_click_on_a_body_selects_its_joint_and_moves_nothing() {
    let mut stage = stage(model("tube.glb"));
    pass(&mut stage, 0.5);
    let targets = stage.session().targets().copied().collect::<Vec<_>>();
    let at = on_link(&stage, 2);
    let mut hand = Hand { pointer: Pointer::default(), stage: &mut stage };
    hand.to(at);
    hand.press();
    hand.to([at[0] + 2.0, at[1] + 1.0]);
    hand.release();
    assert_eq!(stage.session().targets().copied().collect::<Vec<_>>(), targets);
    assert_eq!(stage.session().selected_joint(), Some(2));
}

#[test]
fn what_no_effector_moves_and_the_background_orbit() {
    let mut stage = stage(model("arm.urdf"));
    pass(&mut stage, 0.5);
    let targets = stage.session().targets().copied().collect::<Vec<_>>();
    let frames = stage.session().scene().skeleton.frames(stage.session().displayed());
    // The foot of the column, and the upper left corner.
    for at in [pixel(&stage, frames[0].position + DVec3::new(0.0, 0.0, 0.02)), [5.0, 5.0]] {
        let camera = stage.camera();
        let mut hand = Hand { pointer: Pointer::default(), stage: &mut stage };
        hand.to(at);
        hand.press();
        hand.to([at[0] + 40.0, at[1]]);
        hand.release();
        assert_ne!(stage.camera(), camera, "{at:?}");
        assert_eq!(stage.session().targets().copied().collect::<Vec<_>>(), targets, "{at:?}");
    }
}

/// For a joint by name, the effector that its body is pulled by.
fn pulled(stage: &Stage, joint: &str) -> Option<String> {
    let session = stage.session();
    let scene = session.scene();
    let joint = scene.skeleton.find(joint).unwrap();
    let point = scene.skeleton.frames(session.displayed())[joint].position;
    let hit = fabrik3d::view::pick::Hit { along: 1.0, point, joint: Some(joint) };
    effector_for(stage, &hit).map(|effector| scene.effectors[effector].name.clone())
}

#[test]
fn limbs_are_pulled_by_their_ends_and_trunks_by_nothing() {
    let arm = stage(model("arm.urdf"));
    assert_eq!(pulled(&arm, &arm.session().scene().skeleton.joints()[0].name.clone()), None, "it is fixed");
    let first = arm.session().scene().effectors[0].name.clone();
    assert_eq!(pulled(&arm, "turn"), Some(first), "all fingers lie together");
    let body = stage(Scene::open(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/scenes/humanoid.toml")).unwrap());
    let scene = body.session().scene().clone();
    let (skeleton, trunk) = (&scene.skeleton, skeleton_trunk(&scene));
    for (joint, ends) in trunk.iter().enumerate() {
        let name = &skeleton.joints()[joint].name;
        match ends.as_slice() {
            [only] => assert_eq!(pulled(&body, name).as_ref(), Some(only), "{name}"),
            [_, _, ..] => assert_eq!(pulled(&body, name), None, "{name} carries {ends:?}"),
            [] => {}
        }
    }
}

/// For each joint the effectors at and below it.
fn skeleton_trunk(scene: &Scene) -> Vec<Vec<String>> {
    let mut below = vec![Vec::new(); scene.skeleton.len()];
    for effector in &scene.effectors {
        let mut at = Some(effector.effector.joint);
        while let Some(joint) = at {
            below[joint].push(effector.name.clone());
            at = scene.skeleton.joints()[joint].parent;
        }
    }
    below
}

#[test]
fn meshes_go_from_solid_to_glass_to_none_and_back() {
    let mut stage = stage(model("tube.glb"));
    let counts = |stage: &Stage| (stage.picture().meshes.len(), stage.picture().spheres.len() > 1);
    for (style, counted) in [
        (MeshStyle::Solid, (1, false)),
        (MeshStyle::XRay, (1, true)),
        (MeshStyle::Hidden, (0, true)),
        (MeshStyle::Solid, (1, false)),
    ] {
        assert_eq!(stage.display().meshes, style);
        assert_eq!((counts(&stage), stage.display().shows(Show::Meshes)), (counted, counted.0 > 0), "{style:?}");
        stage.apply("toggle meshes".parse::<Command>().unwrap()).unwrap();
    }
    for (words, style) in [("off", MeshStyle::Hidden), ("xray", MeshStyle::XRay), ("on", MeshStyle::Solid)] {
        stage.apply(format!("show meshes {words}").parse::<Command>().unwrap()).unwrap();
        assert_eq!(stage.display().meshes, style);
    }
}
