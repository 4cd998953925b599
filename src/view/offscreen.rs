//! Targets outside the picture, and which way they lie.

use super::Viewer;
use super::sizes::has_many_targets;
use glam::DVec3;

/// Where a point is, seen from the eye.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bearing {
    /// Its place in the picture (x right, y up, -1..1); none behind the eye.
    pub at: Option<[f64; 2]>,
    /// Unit vector in the picture (x right, y up, in pixels) from the middle of the free area toward the point. Behind the
    /// eye, the direction in which to turn.
    pub way: [f64; 2],
}

/// Where a point of the scene's world is, seen from the eye.
#[must_use]
pub fn bearing(viewer: &Viewer, point: DVec3) -> Bearing {
    let (camera, shown) = (viewer.camera(), viewer.space().shown(point));
    let from_eye = shown - DVec3::from(camera.eye());
    let across = [camera.right(), camera.up()].map(|axis| from_eye.dot(DVec3::from(axis)));
    let length = across[0].hypot(across[1]);
    // Straight behind the eye, any direction is as good.
    let way = if length > 1e-12 * from_eye.length() { across.map(|side| side / length) } else { [0.0, -1.0] };
    let at = camera.project(shown.to_array(), viewer.lens()).filter(|at| at.iter().all(|side| side.is_finite()));
    Bearing { at, way }
}

/// The points that the user should not lose, each with the number of its effector: the targets and the tip of the selected
/// effector. In scenes with many targets, and in lessons, only those of the selected effector; in races, none.
pub fn watched(viewer: &Viewer) -> impl Iterator<Item = (usize, DVec3)> + '_ {
    let session = viewer.session();
    let selected = session.selected();
    let only_selected = has_many_targets(session.targets().len()) || session.lesson().is_some();
    let targets = session.targets().enumerate().filter_map(|(at, target)| Some((at, target.place()?)));
    let targets = targets.filter(move |(at, _)| !only_selected || *at == selected);
    let tip = (selected < session.targets().len()).then(|| (selected, session.displayed_tip(selected)));
    targets.chain(tip).filter(move |_| session.race().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Command;
    use crate::view::{Area, Display};
    use fabrik3d_ik::random::Random;

    fn viewer(words: &[&str]) -> Viewer {
        let mut viewer = Viewer::new(crate::solve::examples::demo(), Display::default(), 1.6);
        for words in words {
            viewer.apply(words.parse::<Command>().expect("a command")).expect("carried out");
        }
        viewer
    }

    #[test]
    fn in_front_of_the_eye_the_direction_leads_from_the_middle_of_the_free_area_to_the_point() {
        let mut random = Random::new(5);
        for words in [&[][..], &["camera.projection"], &["camera.orbit 70 -20"]] {
            let mut viewer = viewer(words);
            let area = Area { low: [-0.5, -0.4], high: [0.9, 1.0] };
            viewer.set_free_area(area);
            let middle = viewer.lens().middle();
            for _ in 0..200 {
                let seen = bearing(&viewer, random.ball() * 30.0);
                let Some(at) = seen.at else { continue };
                // In pixels: the picture is wider than high.
                let from_middle = [(at[0] - middle[0]) * 1.6, at[1] - middle[1]];
                let length = from_middle[0].hypot(from_middle[1]);
                let off = (0..2).map(|axis| (from_middle[axis] / length - seen.way[axis]).abs()).fold(0.0, f64::max);
                assert!(off < 1e-6, "{words:?}: {seen:?} does not lead to {from_middle:?}");
            }
        }
    }

    #[test]
    fn behind_the_eye_the_direction_is_that_of_the_mirror_image_in_front_of_it() {
        let mut random = Random::new(6);
        let viewer = viewer(&["camera.zoom 3"]);
        let (eye, forward) = (DVec3::from(viewer.camera().eye()), DVec3::from(viewer.camera().forward()));
        let mut behind = 0;
        for _ in 0..300 {
            let point = random.ball() * 40.0;
            let seen = bearing(&viewer, point);
            let mirrored = point - 2.0 * (point - eye).dot(forward) * forward;
            let other = bearing(&viewer, mirrored);
            assert_ne!(seen.at.is_some(), other.at.is_some(), "{point:?}");
            assert!((0..2).all(|axis| (seen.way[axis] - other.way[axis]).abs() < 1e-9), "{seen:?} {other:?}");
            behind += usize::from(seen.at.is_none());
        }
        assert!(behind > 10, "{behind}");
        let straight = bearing(&viewer, eye - 3.0 * forward);
        assert_eq!(straight.at, None);
        assert!((straight.way[0].hypot(straight.way[1]) - 1.0).abs() < 1e-9);
    }
}
