//! Figures, targets and handles are in the part of the picture that panels leave free, whatever is opened or moved.

use crate::example_scenes::example_scenes;
use fabrik3d_scene::Scene;
use fabrik3d_viewer::hud::free_area;
use fabrik3d_viewer::session::command::Show;
use fabrik3d_viewer::view::input::gizmo::Gizmo;
use fabrik3d_viewer::view::{Display, HeldKeys, Modifiers, Viewer};
use glam::DVec3;

const SIZE: [f64; 2] = [1280.0, 720.0];
/// Rounding, and what is left of the size of handles that grow with the picture.
const SLACK: f64 = 0.02;

fn pass(viewer: &mut Viewer, frames: usize, held: &mut HeldKeys) {
    for _ in 0..frames {
        viewer.set_free_area(free_area(viewer, SIZE));
        viewer.tick(1.0 / 60.0, held, Modifiers::default());
    }
}

/// How far the figure of the selected effector, its target and its handles are outside of the free part, in units of half the
/// picture.
fn outside(viewer: &Viewer) -> f64 {
    let (session, area) = (viewer.session(), viewer.lens().area);
    let selected = session.selected().expect("an effector");
    let skeleton = &session.scene().skeleton;
    let (frames, roots) = (skeleton.frames(session.displayed()), skeleton.roots());
    let root = roots[session.scene().effectors[selected].effector.joint];
    let joints = (0..skeleton.len()).filter(|&at| roots[at] == root && !session.is_anchor(at));
    let mut points: Vec<DVec3> = joints.map(|at| viewer.space().shown(frames[at].position)).collect();
    if let Some(gizmo) = Gizmo::of(viewer) {
        points.extend((0..3).map(|axis| gizmo.arrow(axis)[2]).chain([gizmo.center]));
    }
    let gap = |point: DVec3| {
        let at = viewer.camera().project(point, viewer.lens()).expect("in front of the camera");
        (0..2).map(|axis| (area.low[axis] - at[axis]).max(at[axis] - area.high[axis])).fold(0.0, f64::max)
    };
    points.into_iter().map(gap).fold(0.0, f64::max)
}

#[test]
fn figures_targets_and_handles_are_beside_the_panels_after_opening_presets_random_and_far_targets() {
    let mut faults = Vec::new();
    for file in example_scenes() {
        let scene = Scene::open(&file).expect("reads");
        let (name, many) = (scene.name.clone(), scene.effectors.len() > 30);
        let presets = scene.effectors.first().map_or(0, |effector| effector.presets.len());
        let mut viewer = Viewer::new(scene, Display::default().with(Show::Panel, true), SIZE[0] / SIZE[1]);
        let mut held = HeldKeys::default();
        // Of hundreds of figures, the camera of the file shows a part.
        if viewer.session().selected().is_none() || many {
            continue;
        }
        let mut check = |viewer: &Viewer, what: &str| {
            let gap = outside(viewer);
            if gap > SLACK {
                faults.push(format!("{name}, {what}: {gap:.3}"));
            }
        };
        pass(&mut viewer, 180, &mut held);
        check(&viewer, "opened");
        let numbered = (1..=presets).map(|number| format!("target.preset {number}"));
        for command in numbered.chain(std::iter::repeat_n("target.random".to_owned(), 4)) {
            if viewer.apply(command.parse().expect("a command")).is_ok() {
                pass(&mut viewer, 120, &mut held);
                check(&viewer, &command);
            }
        }
        for way in ["left", "right", "up"] {
            held.press("key", fabrik3d_viewer::view::Direction::named(way).expect("a direction"));
            pass(&mut viewer, 240, &mut held);
            held.release("key");
            pass(&mut viewer, 90, &mut held);
            check(&viewer, way);
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}
