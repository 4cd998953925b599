//! What can be read of a recording: the recorded figure beside the solved one, and how far they are apart.

use super::{MotionMode, Playback};
use crate::session::Session;
use fabrik3d_ik::Isometry;
use glam::DVec3;

/// The recorded figure, laid into the driven scene.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedFigure {
    /// Where its joints are; world of the driven scene.
    pub places: Vec<DVec3>,
    /// For each joint, its parent.
    pub parents: Vec<Option<usize>>,
}

/// How well the solved pose meets the recorded one, over the joints known in both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reconstruction {
    /// Number of joints compared.
    pub joints: usize,
    /// Mean distance of a joint from where it was recorded.
    pub mean: f64,
    /// Largest distance.
    pub worst: f64,
    /// The joint that is farthest off.
    pub worst_joint: usize,
}

/// Moments of a clip that are looked at to frame it.
const MOMENTS: u32 = 32;

impl Session {
    /// The recorded figure as it is now, while targets follow it; none of a table, and none where nothing follows it.
    pub fn recorded_figure(&self) -> Option<RecordedFigure> {
        let playback = self.playback.as_ref().filter(|playback| playback.mode == MotionMode::Follow)?;
        self.placed(playback, playback.time)
    }

    fn placed(&self, playback: &Playback, time: f64) -> Option<RecordedFigure> {
        let (fit, recorded) = (playback.fit.as_ref()?, playback.source.pose(playback.clip, time)?);
        let moved = fit.frames(&recorded);
        let stance = self.scene.skeleton.frames(&self.scene.start);
        let mut driven = self.scene.effectors.iter().zip(&playback.drives);
        let (effector, drive) = driven.find_map(|(effector, drive)| Some((effector, (*drive)?)))?;
        let end = (effector.effector.joint, self.scene.reach(effector));
        let placing = fit.placing(&self.scene.skeleton, end, drive, &moved, &stance);
        Some(RecordedFigure {
            places: moved.iter().map(|frame| placing.point(frame.position)).collect(),
            parents: fit.recorded.joints().iter().map(|joint| joint.parent).collect(),
        })
    }

    /// How far the solved joints are from the recorded ones, while targets follow them.
    pub fn reconstruction(&self) -> Option<Reconstruction> {
        let figure = self.recorded_figure()?;
        let fit = self.playback.as_ref()?.fit.as_ref()?;
        let now: Vec<Isometry> = self.scene.skeleton.frames(&self.solved);
        let pairs = (0..now.len()).filter_map(|joint| Some((joint, fit.partner(joint)?)));
        let gaps: Vec<(usize, f64)> =
            pairs.map(|(joint, partner)| (joint, now[joint].position.distance(figure.places[partner]))).collect();
        let &(worst_joint, worst) = gaps.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
        let mean = gaps.iter().map(|(_, gap)| gap).sum::<f64>() / gaps.len() as f64;
        Some(Reconstruction { joints: gaps.len(), mean, worst, worst_joint })
    }

    /// How far an effector's tip is from its target, in the solved pose; none where its position does not matter.
    pub fn residual(&self, effector: usize) -> Option<f64> {
        Some(self.targets.get(effector)?.position?.distance(self.tip(effector)))
    }

    /// Places that the clip comes by, to be held by the picture: of joints that are shown, or of what is followed.
    pub fn motion_landmarks(&self) -> Vec<DVec3> {
        let Some(playback) = self.playback.as_ref().filter(|playback| playback.is_engaged()) else { return Vec::new() };
        let times = (0..=MOMENTS).map(|at| playback.duration() * f64::from(at) / f64::from(MOMENTS));
        times.flat_map(|time| self.landmarks_at(playback, time)).collect()
    }

    fn landmarks_at(&self, playback: &Playback, time: f64) -> Vec<DVec3> {
        if playback.mode == MotionMode::Show {
            let skeleton = &self.scene.skeleton;
            let frames = playback.recorded(skeleton, time).map_or(Vec::new(), |pose| skeleton.frames(&pose));
            return frames.iter().map(|frame| frame.position).collect();
        }
        if playback.fit.is_some() {
            return self.placed(playback, time).map_or(Vec::new(), |figure| figure.places);
        }
        let drives = playback.drives.iter().flatten();
        drives.filter_map(|drive| playback.source.table_place(drive.track, time)).collect()
    }
}
