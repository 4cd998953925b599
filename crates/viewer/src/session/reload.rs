//! Reading the scene's file again.

use super::poses::convert_links;
use super::session::{Clock, History, Session, Snapshot};
use fabrik3d_scene::Scene;
use std::sync::Arc;

impl Session {
    /// Replaces the scene by a newly read version of it. What still exists keeps its target, selection, pin and pose; joints of
    /// other kinds stay where they are, as far as these allow. With joints of the same names, changes can still be undone, and so can
    /// other limits and effectors.
    pub fn reload(&mut self, read: Scene) {
        let scene = self.with_pins(&read);
        let before = self.snapshot();
        let mut old = std::mem::replace(self, Session::new(scene));
        self.host = old.host;
        // Pins that were kept are the only difference: to compare the meshes would take long.
        if self.scene.effectors != read.effectors {
            self.read = Arc::new(read);
        }
        for (i, effector) in self.scene.effectors.iter().enumerate() {
            if let Some(former) = old.scene.effectors.iter().position(|other| other.name == effector.name) {
                if self.scene.assets.without_targets || old.scene.effectors[former].target == effector.target {
                    self.effectors[i] = old.effectors[former].clone();
                }
                if Some(former) == old.selected() {
                    self.selection.effector = i;
                }
            }
        }
        self.place_new_effectors(&old);
        self.take_poses(&mut old);
        let selected = old.selection.joint.map(|joint| &old.scene.skeleton.joints()[joint].name);
        self.selection.joint = selected.and_then(|name| self.scene.skeleton.find(name));
        self.ease_from_displayed();
        self.clock = Clock { solve_seconds: 0.0, ..old.clock };
        self.lesson_options = old.lesson_options;
        let reloaded = old.playback.as_ref().and_then(|playback| playback.reloaded(&old.scene, &self.scene));
        self.playback = reloaded.or(self.playback.take());
        self.history = old.history;
        // Only targets and the pose are not as in the file.
        self.history.saved[0] = self.history.version[0];
        self.history.gliding = None;
        let is_same = self.scene.skeleton == old.scene.skeleton && self.scene.has_effectors_of(&old.scene);
        let [now, then] = [&self.scene, &old.scene].map(|scene| scene.skeleton.joints().iter());
        if now.map(|it| (&it.name, it.parent)).ne(then.map(|it| (&it.name, it.parent))) {
            self.history.past.clear();
            self.history.future.clear();
        } else if !is_same || self.has_other_targets(&before) {
            self.save_reload(before);
        }
        self.refresh_islands();
    }

    /// Saves the state before the targets of the file were taken.
    fn save_reload(&mut self, before: Snapshot) {
        self.push(before);
        let is_file = self.effectors.iter().zip(&self.scene.effectors).all(|(now, read)| now.target == read.target);
        let History { version, saved, .. } = &mut self.history;
        *saved = [version[0], if is_file { version[1] } else { saved[1] }];
    }

    fn has_other_targets(&self, before: &Snapshot) -> bool {
        self.effectors.iter().zip(&before.effectors).any(|(now, before)| now.target != before.target)
    }

    /// A new version of the scene with the pins of this one, but for those that the file has changed.
    fn with_pins(&self, read: &Scene) -> Scene {
        let mut scene = read.clone();
        for effector in &mut scene.effectors {
            let own = |scene: &Scene| scene.effectors.iter().find(|own| own.name == effector.name).map(|own| own.hold);
            if let (Some(before), Some(now)) = (own(&self.read), own(&self.scene))
                && (before == effector.hold || read.assets.without_targets)
            {
                effector.hold = now;
            }
        }
        scene
    }

    /// Effectors that a former version had not, such as those of a body that is known now, are where the figure is. The file
    /// has them where it opens.
    fn place_new_effectors(&mut self, old: &Session) {
        let opened = |session: &Session| session.scene.skeleton.frames(&session.scene.start);
        let (first, before, opening) = (opened(old), old.scene.skeleton.frames(&old.poses.solved), opened(self));
        for (state, effector) in self.effectors.iter_mut().zip(&self.scene.effectors) {
            let joint = effector.effector.joint;
            let former = old.scene.skeleton.find(&self.scene.skeleton.joints()[joint].name);
            let is_new = old.scene.effectors.iter().all(|other| other.name != effector.name);
            let former = former.filter(|_| is_new && self.scene.assets.without_targets);
            if let (Some(former), Some(place)) = (former, &mut state.target.position) {
                let turned = before[former].rotation * first[former].rotation.conjugate();
                *place = before[former].position + turned * (*place - opening[joint].position);
            }
        }
    }

    /// Takes over the poses of a former version of the scene.
    fn take_poses(&mut self, old: &mut Session) {
        let (before, now) = (&old.scene, &self.scene);
        let is_home: Vec<bool> = old.poses.home.iter().zip(&before.start).map(|(home, start)| home == start).collect();
        let has_same_names = now.has_joint_names_of(before);
        if has_same_names {
            old.poses.all().into_iter().for_each(|pose| convert_links(pose, &before.skeleton, &now.skeleton));
        }
        for (i, joint) in now.skeleton.joints().iter().enumerate() {
            let Some(former) = before.skeleton.find(&joint.name) else { continue };
            let kind = now.skeleton.kind(i);
            if !has_same_names && before.skeleton.kind(former).coordinate_count() != kind.coordinate_count() {
                continue;
            }
            for (pose, before) in self.poses.all().into_iter().zip(old.poses.all()) {
                pose[i] = kind.project(before[former]);
            }
            if is_home[former] {
                self.poses.home[i] = now.start[i];
            }
        }
        self.poses.grabbed.clone_from(&self.poses.solved);
    }
}
