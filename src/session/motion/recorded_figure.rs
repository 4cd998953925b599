//! The recorded figure beside the solved one, and the distance between them.

use super::playback::Playback;
use crate::session::command::MotionMode;
use crate::session::session::Session;
use fabrik3d_ik::Isometry;
use fabrik3d_ik::figures::Figure;
use glam::DVec3;

/// The recorded figure in the driven scene.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedFigure {
    /// Positions of its joints, in the world of the driven scene.
    pub places: Vec<DVec3>,
    /// Parents of its joints.
    pub parents: Vec<Option<usize>>,
}

/// Distance of the solved pose from the recorded one, over all matched joints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reconstruction {
    /// Number of joints compared.
    pub joints: usize,
    /// Mean distance of a joint from its recorded position.
    pub mean: f64,
    /// Largest distance.
    pub worst: f64,
    /// The joint with the largest distance.
    pub worst_joint: usize,
}

/// Number of intervals at which a clip is sampled to frame it.
const FRAMING_SAMPLES: u32 = 32;

impl Session {
    /// The recorded figure at the present time, in `follow` mode; none for a table, and none if nothing follows it.
    pub fn recorded_figure(&self) -> Option<RecordedFigure> {
        let playback = self.playback.as_ref().filter(|playback| playback.mode == MotionMode::Follow)?;
        self.recorded_figure_at(playback, playback.time)
    }

    /// Whether the recording is to be followed but no effector follows it.
    pub(super) fn follows_nothing(&self) -> bool {
        self.motion().is_some_and(Playback::is_idle_follower)
    }

    /// Whether the recording moves a figure through the world.
    pub(in crate::session) fn is_moved_by_recording(&self, figure: &Figure) -> bool {
        let matched = self.playback.as_ref().and_then(|playback| playback.figure_match.as_ref());
        matched.is_some_and(|matched| matched.moved_bases.iter().any(|base| figure.has(*base)))
    }

    fn recorded_figure_at(&self, playback: &Playback, time: f64) -> Option<RecordedFigure> {
        let (matched, moved) = (playback.figure_match.as_ref()?, playback.recorded_frames(time)?);
        let stance = self.scene.skeleton.frames(&self.scene.start);
        let mut driven = self.scene.effectors.iter().zip(&playback.drives);
        let (effector, drive) = driven.find_map(|(effector, drive)| Some((effector, (*drive)?)))?;
        let end = (effector.effector.joint, self.scene.effector_size(effector));
        let transform = matched.path_transform(&self.scene.skeleton, end, drive, &moved, &stance);
        Some(RecordedFigure {
            places: moved.iter().map(|frame| transform.point(frame.position)).collect(),
            parents: matched.recorded.joints().iter().map(|joint| joint.parent).collect(),
        })
    }

    /// Distance of the solved joints from the recorded ones, in `follow` mode.
    pub fn reconstruction(&self) -> Option<Reconstruction> {
        let figure = self.recorded_figure()?;
        let matched = self.playback.as_ref()?.figure_match.as_ref()?;
        let now: Vec<Isometry> = self.scene.skeleton.frames(&self.poses.solved);
        let pairs = (0..now.len()).filter_map(|joint| Some((joint, matched.partner(joint)?)));
        let gaps: Vec<(usize, f64)> =
            pairs.map(|(joint, partner)| (joint, now[joint].position.distance(figure.places[partner]))).collect();
        let &(worst_joint, worst) = gaps.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
        let mean = gaps.iter().map(|(_, gap)| gap).sum::<f64>() / gaps.len() as f64;
        Some(Reconstruction { joints: gaps.len(), mean, worst, worst_joint })
    }

    /// Positions that the clip visits, for framing it: those of the shown joints, or of what the targets follow.
    pub fn motion_landmarks(&self) -> Vec<DVec3> {
        let Some(playback) = self.playback.as_ref().filter(|playback| playback.is_engaged()) else { return Vec::new() };
        let times = (0..=FRAMING_SAMPLES).map(|at| playback.duration() * f64::from(at) / f64::from(FRAMING_SAMPLES));
        times.flat_map(|time| self.landmarks_at(playback, time)).collect()
    }

    /// How far the clip takes its figure through the world.
    pub fn motion_travel(&self) -> f64 {
        let Some(playback) = self.playback.as_ref() else { return 0.0 };
        let times = (0..=FRAMING_SAMPLES).map(|at| playback.duration() * f64::from(at) / f64::from(FRAMING_SAMPLES));
        let middle = |points: Vec<DVec3>| points.iter().sum::<DVec3>() / points.len().max(1) as f64;
        let middles: Vec<DVec3> = times.map(|time| middle(self.landmarks_at(playback, time))).collect();
        let first = middles[0];
        middles.iter().map(|middle| middle.distance(first)).fold(0.0, f64::max)
    }

    fn landmarks_at(&self, playback: &Playback, time: f64) -> Vec<DVec3> {
        if playback.mode == MotionMode::Show {
            let skeleton = playback.skeleton_at(&self.scene.skeleton, Some(time));
            let frames = playback.pose_at(&skeleton, time).map_or(Vec::new(), |pose| skeleton.frames(&pose));
            return frames.iter().map(|frame| frame.position).collect();
        }
        if playback.figure_match.is_some() {
            return self.recorded_figure_at(playback, time).map_or(Vec::new(), |figure| figure.places);
        }
        let drives = playback.drives.iter().flatten();
        drives.filter_map(|drive| playback.source.table_place(drive.track, time)).collect()
    }
}
