//! A camera that goes along with a figure while a recording takes it through the world.

use super::viewer::{Following, Viewer};
use fabrik3d_ik::{Isometry, Kind};
use glam::DVec3;

/// Time in which the camera has followed a change of height to 1/e, seconds: it does not bob with each step.
const HEIGHT_SECONDS: f64 = 0.4;
/// Radius of what the picture shows around the figure, relative to the farthest joint: arms and legs move.
const ROOM: f64 = 1.2;

impl Viewer {
    /// Whether the camera follows recordings.
    pub fn follows_recording(&self) -> bool {
        self.following != Following::Off
    }

    pub(super) fn set_following(&mut self, on: Option<bool>) {
        let on = on.unwrap_or(!self.follows_recording());
        self.following = if on { Following::Begins } else { Following::Off };
    }

    /// Another recording may go elsewhere.
    pub(super) fn follow_again(&mut self) {
        if self.follows_recording() {
            self.following = Following::Begins;
        }
    }

    /// Moves the camera along with the figure for `dt` seconds, if it follows a recording.
    pub(super) fn follow_figure(&mut self, dt: f64) {
        let playback = self.session.motion().filter(|playback| playback.is_engaged() && !self.is_teaching());
        let Some((time, plays)) = playback.map(|playback| (playback.time(), playback.is_playing())) else { return };
        match self.following {
            Following::Off | Following::InPlace => {}
            Following::Begins => {
                let (place, radius) = (self.followed_place(), self.followed_radius());
                self.following = Following::InPlace;
                if self.session.motion_travel() > radius {
                    self.frame_around(place, radius);
                    self.following = Following::Along(place, time);
                }
            }
            Following::Along(before, then) => {
                let mut place = self.followed_place();
                place.y = before.y + (place.y - before.y) * (1.0 - (-dt / HEIGHT_SECONDS).exp());
                // What is dragged does not take the camera along.
                if plays || time != then {
                    let shift = place - before;
                    self.move_by_hand(|camera| camera.focused((DVec3::from(camera.look_at()) + shift).to_array()));
                }
                self.following = Following::Along(place, time);
            }
        }
    }

    /// The hips of the selected figure, or what else carries it.
    fn followed_joint(&self) -> usize {
        let scene = self.session.scene();
        let end = scene.effectors.get(self.session.selected()).map_or(0, |effector| effector.effector.joint);
        let is_free = |joint: &usize| scene.skeleton.joints()[*joint].kind == Kind::Free;
        scene.skeleton.ancestors(end).find(is_free).unwrap_or(scene.skeleton.root(end))
    }

    /// Where that joint is, in the picture's space.
    fn followed_place(&self) -> DVec3 {
        let (skeleton, joint) = (&self.session.scene().skeleton, self.followed_joint());
        self.space().shown(skeleton.frame_of(Isometry::IDENTITY, self.session.displayed(), joint).position)
    }

    /// How far the joints below it are from there.
    fn followed_radius(&self) -> f64 {
        let (skeleton, hips) = (&self.session.scene().skeleton, self.followed_joint());
        let frames = skeleton.frames(self.session.displayed());
        let below = (0..skeleton.len()).filter(|&joint| skeleton.ancestors(joint).any(|at| at == hips));
        ROOM * below.map(|joint| frames[joint].position.distance(frames[hips].position)).fold(0.0, f64::max)
    }
}
