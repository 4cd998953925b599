//! Where a recording puts the targets of the effectors that follow it.

use super::figure_match::Drive;
use super::planted_feet::Foot;
use super::playback::Playback;
use crate::session::session::Session;
use fabrik3d_scene::{SceneEffector, body_part};
use glam::DVec3;

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
            let Some(matched) = matched else { return playback.source.table_place(drive.track, playback.time) };
            let joint = effector.effector.joint;
            let end = (joint, scene.effector_size(effector));
            let transform = matched.path_transform(&scene.skeleton, end, drive, &moved, &stance);
            let Some(base) = matched.moved_base_above(&scene.skeleton, joint) else {
                return Some(transform.point(moved[drive.track].point(drive.point)));
            };
            let place = transform.point(playback.planted(drive, &moved));
            let is_head = body_part(&scene.skeleton.joints()[joint].name) == "head"
                && matched.partner(joint) == Some(drive.track)
                && !matched.is_same();
            let Some(hips) = matched.partner(base).filter(|_| is_head) else { return Some(place) };
            // A trunk that is too long for its place between hips and head would have to bow, in any direction, and one that
            // is too short would pull the hips away.
            let hips = transform.point(moved[hips].position);
            let ratio = matched.trunk_ratio(&scene.skeleton, (base, effector.effector), drive, transform);
            Some(hips + (place - hips) * ratio * TRUNK_SHARE)
        };
        let mut places: Vec<_> = scene.effectors.iter().zip(&playback.drives).map(place).collect();
        playback.feet().into_iter().for_each(|foot| self.keep_foot_length(foot, &mut places));
        places
    }

    /// Moves the targets of ankle and toes along the line through them until they are as far apart as on the figure. The
    /// solver could not meet both of them on a foot of another length.
    fn keep_foot_length(&self, Foot { effectors: [ankle, toes], on_toes }: Foot, places: &mut [Option<DVec3>]) {
        let skeleton = &self.scene.skeleton;
        let [Some(ankle_place), Some(toe_place)] = [ankle, toes].map(|at| places[at]) else { return };
        let [ankle_end, toe_end] = [ankle, toes].map(|at| self.scene.effectors[at].effector);
        let joint = &skeleton.joints()[toe_end.joint];
        let is_rigid = joint.parent == Some(ankle_end.joint) && toe_end.tip == DVec3::ZERO;
        let Some(direction) = (toe_place - ankle_place).try_normalize().filter(|_| is_rigid) else { return };
        let own = direction * joint.offset.distance(ankle_end.tip);
        let moved_ankle = ankle_place.lerp(toe_place - own, on_toes);
        (places[ankle], places[toes]) = (Some(moved_ankle), Some(moved_ankle + own));
    }
}
