//! Feet that stand in a recording: while a foot is low and slow, its target stays where the foot stands.
//!
//! A recorded foot that stands still moves a little on the ground, and on a figure of other proportions it slides. The path
//! of each foot is corrected by a displacement that keeps it at one place while it stands. The displacement depends on the
//! time alone, so that playing, stepping and jumping agree.

use super::figure_match::{Drive, FigureMatch};
use super::source::MotionSource;
use fabrik3d_ik::Isometry;
use fabrik3d_ik::display::ease;
use fabrik3d_scene::Scene;
use glam::DVec3;

/// Largest height of a standing foot above its lowest place, relative to half the height of the figure.
const LOW: f64 = 0.06;
/// Largest speed of a standing foot, half heights of the figure per second.
const SLOW: f64 = 0.45;
/// Shortest time that a foot stands, seconds.
const SHORTEST: f64 = 0.08;
/// Time in which a foot is taken to its place before it stands, and released after, seconds.
const RELEASE: f64 = 0.2;
/// Most frames of a clip that are searched.
const MAX_FRAMES: usize = 200_000;

/// A time in which a foot stands.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Stand {
    from: f64,
    to: f64,
    /// Times in which the foot is taken there before and released after; no longer than it swings.
    eases: [f64; 2],
    /// Where it stands, in the recorded figure's aligned world.
    place: DVec3,
}

/// A recorded foot: what drives follow on it.
#[derive(Clone, Debug, Default, PartialEq)]
struct Leg {
    /// Ankle and toes, those of them that are followed.
    ends: [Option<Drive>; 2],
    /// The times in which each of them stands.
    stands: [Vec<Stand>; 2],
    /// See [`LedFoot::slope`].
    slope: f64,
}

/// A foot of which both the ankle and the toes follow a recording.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LedFoot {
    /// The effectors on the ankle and on the toes.
    pub effectors: [usize; 2],
    /// Whether the foot stands on its toes, between 0 and 1.
    pub on_toes: f64,
    /// How much steeper the line from ankle to toes rises on the figure than on the recorded one, both at rest, radians.
    pub slope: f64,
}

/// The feet of one clip.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PlantedFeet {
    /// What they were found for.
    clip: usize,
    drives: Vec<Option<Drive>>,
    /// Left and right.
    legs: [Leg; 2],
    up: DVec3,
}

impl PlantedFeet {
    /// Whether these are the feet that the drives follow in a clip.
    pub fn fits(&self, clip: usize, drives: &[Option<Drive>]) -> bool {
        self.clip == clip && self.drives == drives
    }

    /// Finds the feet of a clip that stand, in the world of the driven scene.
    pub fn find(
        source: &MotionSource,
        matched: &FigureMatch,
        clip: usize,
        drives: &[Option<Drive>],
        driven: &Scene,
    ) -> Self {
        let up = driven.up.axis();
        let figure = source.figure();
        let followed = |part: &str| {
            let is_part = |drive: &&Drive| figure.is_some_and(|figure| figure.body_part(drive.track) == part);
            drives.iter().flatten().find(is_part).copied()
        };
        let mut legs = ["left", "right"]
            .map(|side| Leg { ends: ["foot", "toe"].map(|end| followed(&format!("{side} {end}"))), ..Leg::default() });
        let (frame_time, duration) = (source.frame_time(clip), source.duration(clip));
        let count = ((duration / frame_time).round() as usize).min(MAX_FRAMES);
        let frames = |frame: usize| {
            let time = frame as f64 * frame_time;
            Some(matched.frames(&*source.skeleton(clip, time)?, &source.pose(clip, time)?))
        };
        let mut paths: [[Vec<DVec3>; 2]; 2] = Default::default();
        if legs.iter().flat_map(|leg| leg.ends).any(|end| end.is_some()) {
            for frames in (0..=count).map_while(frames) {
                for (leg, path) in legs.iter().zip(&mut paths) {
                    for (end, path) in leg.ends.iter().zip(path) {
                        path.extend(end.map(|end| frames[end.track].point(end.point)));
                    }
                }
            }
        }
        let size = 0.5 * matched.height(up);
        for (leg, paths) in legs.iter_mut().zip(&paths) {
            leg.stands = [0, 1].map(|end| stands(&paths[end], frame_time, size, up));
            leg.slope = slope(leg.ends, matched, drives, driven);
        }
        PlantedFeet { clip, drives: drives.to_vec(), legs, up }
    }

    /// The feet of which effectors with these drives follow ankle and toes, at a time.
    pub fn feet(&self, drives: &[Option<Drive>], time: f64) -> Vec<LedFoot> {
        let effector = |end: Option<Drive>| drives.iter().position(|drive| drive.is_some() && *drive == end);
        let foot = |leg: &Leg| {
            let [ankle, toes] = leg.ends.map(effector);
            Some(LedFoot { effectors: [ankle?, toes?], on_toes: leg.held(1, time), slope: leg.slope })
        };
        self.legs.iter().filter_map(foot).collect()
    }

    /// The displacement along the ground of what a drive follows, at a time with these recorded frames. Ankle and toes of a
    /// foot are displaced alike; zero for everything else.
    pub fn displacement(&self, drive: Drive, time: f64, frames: &[Isometry]) -> DVec3 {
        let Some(leg) = self.legs.iter().find(|leg| leg.ends.contains(&Some(drive))) else { return DVec3::ZERO };
        let [ankle, toe] = [0, 1].map(|end| {
            let Some(drive) = leg.ends[end] else { return DVec3::ZERO };
            let place = frames[drive.track].point(drive.point);
            let to = |stand: &Stand| (stand.place - place).reject_from_normalized(self.up) * stand.weight(time);
            leg.stands[end].iter().map(to).sum()
        });
        // A foot that rolls stands on its toes.
        toe + ankle * (1.0 - leg.held(1, time))
    }
}

impl Leg {
    /// How firmly its ankle, or its toes, stand at a time: 0 to 1.
    fn held(&self, end: usize, time: f64) -> f64 {
        self.stands[end].iter().map(|stand| stand.weight(time)).sum()
    }
}

impl Stand {
    /// How firmly the foot stands at a time: 1 while it does.
    fn weight(&self, time: f64) -> f64 {
        let [before, after] = self.eases;
        let away = if time < self.from { (self.from - time) / before } else { (time - self.to).max(0.0) / after };
        1.0 - ease(away)
    }
}

/// Largest difference between the slopes of two feet at rest, radians: one with more does not rest on the ground.
const MAX_SLOPE: f64 = 1.15;

/// How much steeper the line from ankle to toes rises on the driven figure than on the recorded one, both at rest.
fn slope(ends: [Option<Drive>; 2], matched: &FigureMatch, drives: &[Option<Drive>], driven: &Scene) -> f64 {
    let [Some(ankle), Some(toes)] = ends else { return 0.0 };
    let (recorded, own) = (matched.rest_frames(), driven.skeleton.frames(&driven.skeleton.rest_pose()));
    let places = [ankle, toes].map(|drive| {
        let effector = driven.effectors[drives.iter().position(|other| *other == Some(drive))?].effector;
        Some([recorded[drive.track].point(drive.point), own[effector.joint].point(effector.tip)])
    });
    let [Some(ankle), Some(toes)] = places else { return 0.0 };
    let rise = |line: DVec3| line.normalize_or_zero().dot(driven.up.axis()).clamp(-1.0, 1.0).asin();
    let slope = rise(toes[1] - ankle[1]) - rise(toes[0] - ankle[0]);
    if slope.abs() < MAX_SLOPE { slope } else { 0.0 }
}

/// The times in which a foot with this path stands.
fn stands(path: &[DVec3], frame_time: f64, size: f64, up: DVec3) -> Vec<Stand> {
    let lowest = path.iter().map(|place| place.dot(up)).fold(f64::MAX, f64::min);
    // The speed over three frames, so that noise of single frames does not count.
    let speed = |at: usize| {
        let (before, after) = (at.saturating_sub(1), (at + 1).min(path.len() - 1));
        path[after].distance(path[before]) / ((after - before).max(1) as f64 * frame_time)
    };
    let is_standing = |at: &usize| path[*at].dot(up) - lowest < LOW * size && speed(*at) < SLOW * size;
    let frames: Vec<usize> = (0..path.len()).filter(is_standing).collect();
    let runs = frames.chunk_by(|a, b| a + 1 == *b).map(|run| {
        let [from, to] = [run[0], run[run.len() - 1]].map(|at| at as f64 * frame_time);
        let place = run.iter().map(|&at| path[at]).sum::<DVec3>() / run.len() as f64;
        Stand { from, to, eases: [RELEASE; 2], place }
    });
    let mut found: Vec<Stand> = runs.filter(|stand| stand.to - stand.from >= SHORTEST).collect();
    for at in 1..found.len() {
        let swing = found[at].from - found[at - 1].to;
        found[at - 1].eases[1] = swing.min(RELEASE);
        found[at].eases[0] = swing.min(RELEASE);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Toes that stand for a second, then swing forward for half a second, again and again, always sliding a little.
    fn steps() -> Vec<DVec3> {
        let place = |frame: usize| {
            let (step, phase) = (frame / 90, frame % 90);
            let swing = (phase as f64 - 60.0).max(0.0) / 30.0;
            let slide = 0.02 * phase.min(60) as f64 / 60.0;
            DVec3::new(0.0, 0.2 * (std::f64::consts::PI * swing).sin(), step as f64 + ease(swing) + slide)
        };
        (0..450).map(place).collect()
    }

    #[test]
    fn a_foot_that_stands_stays_and_is_released_smoothly() {
        let (path, frame_time) = (steps(), 1.0 / 60.0);
        let foot = |track| Drive { track, point: DVec3::ZERO };
        let stands = stands(&path, frame_time, 1.0, DVec3::Y);
        assert_eq!(stands.len(), 5);
        let leg = Leg { ends: [Some(foot(1)), Some(foot(0))], stands: [Vec::new(), stands.clone()], slope: 0.0 };
        let drives = vec![Some(foot(0)), Some(foot(1))];
        let planted = PlantedFeet { clip: 0, drives, legs: [leg, Leg::default()], up: DVec3::Y };
        let shown: Vec<DVec3> = path
            .iter()
            .enumerate()
            .map(|(frame, &place)| {
                let frames = [place, place + DVec3::Y].map(|place| Isometry::new(place, glam::DQuat::IDENTITY));
                let [toe, ankle] =
                    [0, 1].map(|track| planted.displacement(foot(track), frame as f64 * frame_time, &frames));
                assert_eq!(toe, ankle, "the foot stays as long as it is");
                place + toe
            })
            .collect();
        for (frame, pair) in shown.windows(2).enumerate() {
            let time = frame as f64 * frame_time;
            let step = pair[0].distance(pair[1]);
            if stands.iter().any(|stand| stand.from <= time && time + frame_time <= stand.to) {
                assert!((pair[0] - pair[1]).reject_from_normalized(DVec3::Y).length() < 1e-12, "frame {frame}: {step}");
            }
        }
        // Nothing jumps: the foot accelerates at most twice as much as in the recording.
        let largest_change = |path: &[DVec3]| {
            let changes = path.windows(3).map(|at| (at[2] - 2.0 * at[1] + at[0]).length());
            changes.fold(0.0, f64::max)
        };
        let (recorded, shown) = (largest_change(&path), largest_change(&shown));
        assert!(shown < 2.0 * recorded, "{shown} instead of {recorded}");
    }
}
