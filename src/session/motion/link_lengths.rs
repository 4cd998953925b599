//! Links that a recording lengthens: its clips may translate any joint, or scale it.

use super::playback::Playback;
use crate::session::session::Session;
use fabrik3d_ik::Skeleton;
use fabrik3d_scene::Scene;
use std::borrow::Cow;
use std::sync::Arc;

impl Playback {
    /// The skeleton of the scene with the links as long as they are at a time of the clip, or at rest. A figure that differs
    /// from the recorded one keeps its lengths.
    pub(super) fn skeleton_at<'a>(&self, driven: &'a Skeleton, time: Option<f64>) -> Cow<'a, Skeleton> {
        let mut skeleton = Cow::Borrowed(driven);
        if !self.figure_match.as_ref().is_some_and(|matched| matched.is_same()) {
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

impl Session {
    /// Gives the links the lengths that they have at the present time of a recording.
    pub(super) fn take_link_lengths(&mut self, playback: &Playback) {
        if let Cow::Owned(skeleton) = playback.skeleton_at(&self.scene.skeleton, Some(playback.time)) {
            Arc::make_mut(&mut self.scene).skeleton = skeleton.into();
            self.islands.set_skeleton(&self.scene.skeleton);
        }
    }

    /// The scene with the links as long as at rest.
    pub(super) fn scene_at_rest(&self) -> Arc<Scene> {
        let resting = self.playback.as_ref().map(|playback| playback.skeleton_at(&self.scene.skeleton, None));
        match resting {
            Some(Cow::Owned(skeleton)) => Arc::new(Scene { skeleton: skeleton.into(), ..(*self.scene).clone() }),
            _ => self.scene.clone(),
        }
    }
}
