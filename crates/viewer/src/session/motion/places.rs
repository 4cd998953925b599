//! Where a recording is in the scene, and what a figure takes from it: the targets of its effectors, the lengths of its links,
//! and effectors on the joints that lead a body (hips, head, hands and feet).

use super::figure_match::Drive;
use super::planted_feet::LedFoot;
use super::playback::{Playback, Transition};
use crate::session::command::MotionMode;
use crate::session::command_error::CommandError;
use crate::session::session::Session;
use fabrik3d_ik::figures::Figure;
use fabrik3d_ik::{Effector, Isometry, Kind, Skeleton};
use fabrik3d_scene::{Foot, Scene, SceneEffector};
use glam::{DQuat, DVec3};
use std::borrow::Cow;
use std::sync::Arc;

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

/// Fewest matched joints that lead a whole body.
const LEADERS: usize = 6;

/// Distance from hips to head of a figure of other proportions, relative to that at rest. At full stretch, the least motion of
/// the head would jerk the hips.
const TRUNK_SHARE: f64 = 0.98;

impl Session {
    /// Target position of each effector that follows the recording, in the world.
    pub(super) fn recorded_places(&self, playback: &Playback) -> Vec<Option<DVec3>> {
        let scene = &self.scene;
        let matched = playback.figure_match.as_ref();
        let moved = playback.recorded_frames(playback.time).unwrap_or_default();
        let stance = scene.skeleton.frames(&scene.start);
        let place = |(effector, drive): (&SceneEffector, &Option<Drive>)| {
            let drive = (*drive)?;
            let Some(matched) = matched else {
                return Some(playback.source.table_target(drive.track, playback.time)?.0);
            };
            let joint = effector.effector.joint;
            let end = (joint, scene.effector_size(effector));
            let transform = matched.path_transform(&scene.skeleton, end, drive, &moved, &stance);
            let Some(base) = matched.moved_base_above(&scene.skeleton, joint) else {
                return Some(transform.point(moved[drive.track].point(drive.point)));
            };
            let place = transform.point(playback.planted(drive, &moved));
            let is_head =
                scene.body_part(joint) == "head" && matched.partner(joint) == Some(drive.track) && !matched.same;
            let Some(hips) = matched.partner(base).filter(|_| is_head) else { return Some(place) };
            // A trunk that is too long for its place between hips and head would have to bow, in any direction, and one that
            // is too short would pull the hips away.
            let hips = transform.point(moved[hips].position);
            let ratio = matched.trunk_ratio(&scene.skeleton, (base, effector.effector), drive, transform);
            Some(hips + (place - hips) * ratio * TRUNK_SHARE)
        };
        let mut places: Vec<_> = scene.effectors.iter().zip(&playback.drives).map(place).collect();
        playback.feet().into_iter().for_each(|foot| self.keep_foot_shape(foot, &mut places));
        places
    }

    /// Moves the targets of ankle and toes until they are as far apart as on the figure, and the line through them has the
    /// figure's own slope. The solver could not meet both of them on a foot of another length, and a foot of another slope
    /// would stand on its heel.
    fn keep_foot_shape(
        &self,
        LedFoot { effectors: [ankle, toes], on_toes, slope }: LedFoot,
        places: &mut [Option<DVec3>],
    ) {
        let [Some(ankle_place), Some(toe_place)] = [ankle, toes].map(|at| places[at]) else { return };
        let (sole, direction) =
            (self.scene.sole(Foot { ankle, toes: Some(toes) }), (toe_place - ankle_place).try_normalize());
        let (Some(sole), Some(direction)) = (sole, direction) else { return };
        let across = direction.cross(self.scene.up.axis()).try_normalize();
        let direction = across.map_or(direction, |axis| DQuat::from_axis_angle(axis, slope) * direction);
        let own = direction * sole.length();
        let moved_ankle = ankle_place.lerp(toe_place - own, on_toes);
        (places[ankle], places[toes]) = (Some(moved_ankle), Some(moved_ankle + own));
    }

    /// Gives the links the lengths and the morphs the weights that they have at the present time of a recording.
    pub(super) fn take_shape(&mut self, playback: &Playback) {
        let weights = playback.morph_weights(&self.scene);
        if weights != self.scene.morph_weights {
            Arc::make_mut(&mut self.scene).morph_weights = weights;
        }
        if let Cow::Owned(skeleton) = playback.skeleton_at(&self.scene.skeleton, Some(playback.time)) {
            Arc::make_mut(&mut self.scene).skeleton = skeleton.into();
            self.islands.set_skeleton(&self.scene.skeleton);
        }
    }

    /// The scene with the links as long as at rest, and the weights of morphs of the file.
    pub(in crate::session) fn scene_at_rest(&self) -> Arc<Scene> {
        let mut scene = self.scene.clone();
        if let Some(Cow::Owned(skeleton)) = self.playback.as_ref().map(|own| own.skeleton_at(&scene.skeleton, None)) {
            let skeleton = skeleton.into();
            Arc::make_mut(&mut scene).skeleton = skeleton;
        }
        if !scene.morph_weights.is_empty() {
            Arc::make_mut(&mut scene).morph_weights = Vec::new();
        }
        scene
    }

    /// Adds effectors to matched joints that lead the body and have none.
    pub(super) fn add_driven_effectors(&mut self) -> Result<(), CommandError> {
        if self.playback.is_none() {
            return Err(CommandError::NoMotion);
        }
        self.save();
        self.insert_effectors(&self.undriven_leaders(0))?;
        self.update_free_effectors();
        if self.follows_recording() {
            self.take_recorded(Transition::Jump, 0.0);
        }
        Ok(())
    }

    /// Moves the targets of a table to its first row, as when it was opened.
    pub(in crate::session) fn take_first_row(&mut self) {
        if self.playback.as_ref().is_some_and(Playback::has_rows) {
            self.take_recorded(Transition::Restart, 0.0);
        }
    }

    /// Whether targets start to follow the recording of a figure.
    pub(super) fn begins_to_follow(&self, next: Option<&Playback>) -> bool {
        let follows = |playback: &Playback| playback.mode == MotionMode::Follow && playback.can_show();
        next.is_some_and(follows) && !self.playback.as_ref().is_some_and(follows)
    }

    /// The matched joints that lead the body and have no effector; none if fewer than `least` joints lead it.
    fn undriven_leaders(&self, least: usize) -> Vec<usize> {
        let Some(matched) = self.playback.as_ref().and_then(|playback| playback.figure_match.as_ref()) else {
            return Vec::new();
        };
        let joints = self.scene.skeleton.joints();
        let moves = |joint: usize| Effector::new(joint, DVec3::ZERO).reach(&self.scene.skeleton) > 0.0;
        let leads = |joint: &usize| {
            let is_matched = matched.partner(*joint).is_some() && self.scene.leads_body(*joint);
            is_matched && (joints[*joint].kind == Kind::Free || moves(*joint))
        };
        let leaders: Vec<usize> = (0..joints.len()).filter(leads).collect();
        let has_effector = |joint: usize| self.scene.effectors.iter().any(|end| end.effector.joint == joint);
        let is_body = leaders.len() >= least;
        leaders.into_iter().filter(|&joint| is_body && !has_effector(joint)).collect()
    }

    /// Gives a body that follows a recording effectors on hips, head, hands and feet, where neither they nor what is below
    /// them follow it: on a body of other proportions, an ankle and its toes cannot both be where they were recorded.
    pub(super) fn insert_leaders(&mut self) -> Result<(), CommandError> {
        let Some(playback) = &self.playback else { return Ok(()) };
        let skeleton = &self.scene.skeleton;
        let ends = self.scene.effectors.iter().zip(&playback.drives).filter(|(_, drive)| drive.is_some());
        let driven: Vec<usize> = ends.map(|(end, _)| end.effector.joint).collect();
        let is_led = |joint: usize| {
            let below = |&end: &usize| skeleton.ancestors(end).any(|at| at == joint);
            skeleton.joints()[joint].kind != Kind::Free && driven.iter().any(below)
        };
        let joints = self.undriven_leaders(LEADERS);
        self.insert_effectors(&joints.into_iter().filter(|&joint| !is_led(joint)).collect::<Vec<_>>())
    }

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
        let parts = (0..now.len()).filter(|&joint| !self.is_anchor(joint));
        let pairs = parts.filter_map(|joint| Some((joint, matched.partner(joint)?)));
        let gaps: Vec<(usize, f64)> =
            pairs.map(|(joint, partner)| (joint, now[joint].position.distance(figure.places[partner]))).collect();
        let &(worst_joint, worst) = gaps.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
        let mean = gaps.iter().map(|(_, gap)| gap).sum::<f64>() / gaps.len() as f64;
        Some(Reconstruction { joints: gaps.len(), mean, worst, worst_joint })
    }

    /// Positions that the clip visits, for framing it: those of the shown joints, or of what the targets follow.
    pub fn motion_landmarks(&self) -> Vec<DVec3> {
        let Some(playback) = self.playback.as_ref().filter(|playback| playback.is_engaged()) else { return Vec::new() };
        framing_times(playback).flat_map(|time| self.landmarks_at(playback, time)).collect()
    }

    /// How far the clip takes its figure through the world.
    pub fn motion_travel(&self) -> f64 {
        let Some(playback) = self.playback.as_ref() else { return 0.0 };
        let middle =
            |points: Vec<DVec3>| (!points.is_empty()).then(|| points.iter().sum::<DVec3>() / points.len() as f64);
        let mut middles = framing_times(playback).filter_map(|time| middle(self.landmarks_at(playback, time)));
        let Some(first) = middles.next() else { return 0.0 };
        middles.map(|middle| middle.distance(first)).fold(0.0, f64::max)
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
        // A row far out of reach would shrink the figure on all others. The camera goes to it when its turn comes.
        let place = |(effector, drive): (&SceneEffector, &Option<Drive>)| {
            let (place, _) = playback.source.table_target(drive.as_ref()?.track, time)?;
            let is_far = self.scene.is_out_of_reach(&effector.effector, place, &self.scene.start);
            (!is_far).then_some(place)
        };
        self.scene.effectors.iter().zip(&playback.drives).filter_map(place).collect()
    }
}

impl Playback {
    /// The weights of the morphs of a scene now; none if the clip changes none of them. Those of another figure say nothing of it.
    fn morph_weights(&self, scene: &Scene) -> Vec<f32> {
        let is_same = self.figure_match.as_ref().is_some_and(|matched| matched.same);
        let figure = self.source.figure().filter(|_| is_same);
        let rest = &scene.assets.morph_weights;
        let figure = figure.filter(|figure| figure.assets.morph_weights.len() == rest.len());
        let motion = figure.and_then(|figure| figure.assets.motions.get(self.clip));
        motion.and_then(|motion| motion.morph_weights_at(rest, self.time)).unwrap_or_default()
    }

    /// The skeleton with links as long as at a time of the clip, or at rest. A figure unlike the recorded one keeps its own.
    pub(super) fn skeleton_at<'a>(&self, driven: &'a Skeleton, time: Option<f64>) -> Cow<'a, Skeleton> {
        let mut skeleton = Cow::Borrowed(driven);
        if !self.figure_match.as_ref().is_some_and(|matched| matched.same) {
            return skeleton;
        }
        let mut offsets = self.source.offsets(self.clip, time);
        // The last offset of a joint counts.
        offsets.reverse();
        offsets.sort_by_key(|(joint, _)| *joint);
        offsets.dedup_by_key(|(joint, _)| *joint);
        for (joint, offset) in offsets {
            if driven.joints()[joint].offset != offset {
                // Offsets of recordings are finite.
                let _ = skeleton.to_mut().set_offset(joint, offset);
            }
        }
        skeleton
    }
}

/// The times at which a clip is sampled to frame it.
fn framing_times(playback: &Playback) -> impl Iterator<Item = f64> {
    let duration = playback.duration();
    (0..=FRAMING_SAMPLES).map(move |at| duration * f64::from(at) / f64::from(FRAMING_SAMPLES))
}
