//! A camera that goes along with a figure while a recording takes it through the world.

use super::Viewer;
use super::framing::{FIGURE_ROOM, TRANSITION_SECONDS, around};
use super::viewer::Following;
use fabrik3d_ik::{Isometry, Kind};
use glam::DVec3;

/// Time in which the camera has followed a change of height to 1/e, seconds: it does not bob with each step.
const HEIGHT_SECONDS: f64 = 0.4;
/// A recording that goes farther than this, in radii of the figure, is followed: a picture of the whole way would show a small
/// figure. Test: `a_camera_that_follows_keeps_a_walking_figure_in_the_middle_and_stands_for_one_in_its_place`.
const LONG_WAY: f64 = 4.0;
/// The time of a recording that is not engaged.
const BEFORE_RECORDING: f64 = -1.0;

impl Viewer {
    pub(super) fn goes_far(&self) -> bool {
        self.session.motion_travel() > LONG_WAY * self.followed_radius()
    }

    /// Shows a recording that somebody plays although the camera was moved before: the whole way, or if it is long, along it.
    pub(super) fn show_recording(&mut self) {
        match self.following {
            Following::Unset if self.goes_far() => self.following = Following::Begins,
            Following::Unset => self.hold(&self.present_landmarks()),
            _ => {}
        }
    }

    /// Whether the camera follows recordings.
    pub fn follows_recording(&self) -> bool {
        !matches!(self.following, Following::Unset | Following::Off)
    }

    /// Moves the camera along with the figure for `dt` seconds, if it follows a recording.
    pub(super) fn follow_figure(&mut self, dt: f64) {
        if self.is_teaching() {
            return;
        }
        let playback = self.session.motion().filter(|playback| playback.is_engaged());
        // Undoing a recording takes the figure back to where it was before.
        let (time, plays) = playback.map_or((BEFORE_RECORDING, false), |playback| (playback.time, playback.playing));
        match self.following {
            Following::Begins if playback.is_none() => {}
            Following::Unset | Following::Off | Following::InPlace => {}
            Following::Begins => {
                let (place, radius) = (self.followed_place(), self.followed_radius());
                self.following = Following::InPlace;
                if self.session.motion_travel() > radius {
                    let figure: Vec<DVec3> = around(place, radius).collect();
                    self.ease_to(self.camera.framed(&figure, self.lens), TRANSITION_SECONDS);
                    self.following = Following::Along(place, time);
                }
            }
            Following::Along(before, then) => {
                let mut place = self.followed_place();
                place.y = before.y + (place.y - before.y) * (1.0 - (-dt / HEIGHT_SECONDS).exp());
                // What is dragged does not take the camera along.
                if plays || time != then {
                    let shift = place - before;
                    self.move_by_hand(|camera| camera.focused(camera.look_at + shift));
                }
                // After a jump in time the figure is on its way there until its ease ends.
                let eases = self.session.displayed() != self.session.solved();
                self.following = Following::Along(place, if eases { then } else { time });
            }
        }
    }

    /// The hips of the selected figure, or what else carries it.
    fn followed_joint(&self) -> usize {
        let scene = self.session.scene();
        let end = self.session.selected().map_or(0, |at| scene.effectors[at].effector.joint);
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
        FIGURE_ROOM * below.map(|joint| frames[joint].position.distance(frames[hips].position)).fold(0.0, f64::max)
    }
}
