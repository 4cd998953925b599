//! What the camera does not show, and which way it lies.

use super::Stage;
use glam::DVec3;

/// Where something is, seen from the eye.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sight {
    /// Its place in the picture (x right, y up, the whole is -1..1); none behind the eye.
    pub at: Option<[f64; 2]>,
    /// The way to it from the middle of the free area: x right, y up, of unit length in pixels; behind the eye the way to
    /// turn.
    pub way: [f64; 2],
}

/// Where a place of the scene's world is, seen from the eye.
#[must_use]
pub fn sight(stage: &Stage, place: DVec3) -> Sight {
    let (camera, shown) = (stage.camera(), stage.space().shown(place));
    let from_eye = shown - DVec3::from(camera.eye());
    let across = [camera.right(), camera.up()].map(|axis| from_eye.dot(DVec3::from(axis)));
    let length = across[0].hypot(across[1]);
    // Straight behind the eye every way is as good.
    let way = if length > 1e-12 * from_eye.length() { across.map(|side| side / length) } else { [0.0, -1.0] };
    let at = camera.project(shown.to_array(), stage.lens()).filter(|at| at.iter().all(|side| side.is_finite()));
    Sight { at, way }
}

/// What the picture should not lose: the targets, and the end of the selected effector. A crowd's other targets are not
/// missed, and while a lesson or a race is open only its own is. Each with the number of its effector.
pub fn watched(stage: &Stage) -> impl Iterator<Item = (usize, DVec3)> + '_ {
    let session = stage.session();
    let selected = session.selected();
    let only_selected = is_crowd(session.targets().len()) || session.lesson().is_some();
    let targets = session.targets().enumerate().filter_map(|(at, target)| Some((at, target.position?)));
    let targets = targets.filter(move |(at, _)| !only_selected || *at == selected);
    let tip = (selected < session.targets().len()).then(|| (selected, session.displayed_tip(selected)));
    targets.chain(tip).filter(move |_| session.race().is_none())
}

/// Whether so many targets are a crowd, of which none but the selected one is looked after.
pub fn is_crowd(targets: usize) -> bool {
    targets > 16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Command;
    use crate::view::{Area, Display};
    use fabrik3d_ik::random::Random;

    fn stage(words: &[&str]) -> Stage {
        let mut stage = Stage::new(crate::solve::examples::demo(), Display::default(), 1.6);
        for words in words {
            stage.apply(words.parse::<Command>().expect("a command")).expect("carried out");
        }
        stage
    }

    #[test]
    fn before_the_eye_the_way_leads_from_the_middle_of_the_free_area_to_the_place() {
        let mut random = Random::new(5);
        for words in [&[][..], &["camera.projection"], &["camera.orbit 70 -20"]] {
            let mut stage = stage(words);
            let area = Area { low: [-0.5, -0.4], high: [0.9, 1.0] };
            stage.arrange(area);
            let middle = stage.lens().middle();
            for _ in 0..200 {
                let seen = sight(&stage, random.ball() * 30.0);
                let Some(at) = seen.at else { continue };
                // Of pixels: the picture is wider than high.
                let from_middle = [(at[0] - middle[0]) * 1.6, at[1] - middle[1]];
                let length = from_middle[0].hypot(from_middle[1]);
                let off = (0..2).map(|axis| (from_middle[axis] / length - seen.way[axis]).abs()).fold(0.0, f64::max);
                assert!(off < 1e-6, "{words:?}: {seen:?} leads elsewhere than to {from_middle:?}");
            }
        }
    }

    #[test]
    fn behind_the_eye_the_way_is_that_of_the_mirror_image_before_it() {
        let mut random = Random::new(6);
        let stage = stage(&["camera.zoom 3"]);
        let (eye, forward) = (DVec3::from(stage.camera().eye()), DVec3::from(stage.camera().forward()));
        let mut behind = 0;
        for _ in 0..300 {
            let place = random.ball() * 40.0;
            let seen = sight(&stage, place);
            let mirrored = place - 2.0 * (place - eye).dot(forward) * forward;
            let other = sight(&stage, mirrored);
            assert_ne!(seen.at.is_some(), other.at.is_some(), "{place:?}");
            assert!((0..2).all(|axis| (seen.way[axis] - other.way[axis]).abs() < 1e-9), "{seen:?} {other:?}");
            behind += usize::from(seen.at.is_none());
        }
        assert!(behind > 10, "{behind}");
        let straight = sight(&stage, eye - 3.0 * forward);
        assert_eq!(straight.at, None);
        assert!((straight.way[0].hypot(straight.way[1]) - 1.0).abs() < 1e-9);
    }
}
