//! Where the camera stands: on camera commands, while a lesson or a race is open, and while it follows a recording.

use super::landmarks::{lesson_landmarks, race_landmarks};
use super::race_layout::RaceLayout;
use super::sizes::{target_radius, widest_joint};
use super::stage::home;
use super::viewer::{Following, Stage, Subject, SubjectView};
use super::{Area, Camera, Lens, Viewer};
use crate::session::command::{CameraCommand, Show};
use crate::session::lesson::Lesson;
use crate::session::race::Race;
use fabrik3d_ik::{Isometry, Kind, Target};
use fabrik3d_scene::{CameraSpec, Scene};
use glam::DVec3;

/// Duration of a camera move, seconds.
const TRANSITION_SECONDS: f64 = 0.35;
/// Duration of one step of the zoom, seconds.
const ZOOM_SECONDS: f64 = 0.15;
/// Room around a target that is kept in the picture, in radii of its ball.
const ROOM: f64 = 3.0;

/// Time in which the camera has followed a change of height to 1/e, seconds: it does not bob with each step.
const HEIGHT_SECONDS: f64 = 0.4;
/// Radius of what the picture shows around the figure, relative to the farthest joint: arms and legs move.
const FIGURE_ROOM: f64 = 1.2;

impl Viewer {
    /// The present scene for saving, with the camera if the user has moved it.
    pub fn scene_now(&self) -> Scene {
        let mut scene = self.session.scene_now();
        let camera = self.subject.map_or(self.camera, |subject| subject.before);
        if camera != self.stage.home && !self.follows_recording() {
            let [position, look_at] = [camera.eye(), camera.look_at()].map(|place| self.space().world(place));
            scene.camera = Some(CameraSpec { position, look_at });
        }
        scene
    }

    /// Extends the framed region by everywhere that a recording goes. A camera that the user has not moved follows.
    pub(super) fn frame_motion(&mut self) {
        let recorded = self.session.motion_landmarks();
        // Only a recording moves the camera, not an effector that is added or removed.
        if recorded.len() == self.stage.recorded {
            return;
        }
        let is_home = self.is_home();
        self.stage = Stage::of(self.session.scene(), &recorded, self.lens);
        if is_home {
            self.begin_transition();
            self.camera = self.stage.home;
        }
        self.follow_again();
    }

    /// Whether the user has not moved the camera since the scene opened.
    fn is_home(&self) -> bool {
        self.camera == self.stage.home && self.subject.is_none()
    }

    /// Adapts to a new aspect ratio of the picture.
    pub fn resize(&mut self, aspect: f64) {
        self.set_lens(Lens { aspect, ..self.lens });
        self.transitions.clear();
    }

    /// Sets the part of the picture that no panel covers, where figures are shown. To be called before each picture.
    pub fn set_free_area(&mut self, area: Area) {
        if area == self.lens.area {
            return;
        }
        self.begin_transition();
        self.set_lens(Lens { area, ..self.lens });
    }

    /// Changes the lens. A camera that the user has not moved frames again, and one that shows all figures goes on to do so.
    fn set_lens(&mut self, lens: Lens) {
        let is_home = self.is_home();
        let subject = self.subject.filter(|subject| self.camera == subject.shown);
        let figures = self.present_landmarks();
        let is_whole = self.camera.holding(&figures, self.lens) == self.camera;
        self.lens = lens;
        self.stage.home = home(self.session.scene(), &self.stage.landmarks, lens);
        if is_home {
            self.camera = self.stage.home;
        } else if let Some(view) = subject {
            self.turn_to(view.subject, view.before);
        } else if is_whole {
            self.camera = self.camera.holding(&figures, lens);
        }
    }

    /// Moves the camera to show a lesson or race that has opened. When it closes the camera returns; if the user has
    /// moved it meanwhile, it stays, as long as it still sees the scene.
    pub(super) fn show_subject(&mut self) {
        let subject = match (self.session.lesson(), self.session.race()) {
            (Some(_), _) => Some(Subject::Lesson),
            (_, Some(race)) => Some(Subject::Race {
                layout: race.layout,
                methods: race.lanes().len(),
                root: self.session.covered().first().copied(),
                shows_reach: self.display.shows(Show::Reach),
            }),
            _ => None,
        };
        let is_moved = self.subject.is_some_and(|subject| self.camera != subject.shown);
        if subject == self.subject.map(|view| view.subject) {
            self.widen_race();
            let race = self.session.race().map(|race| self.points_of_race(race));
            let lesson = self.session.lesson().map(|lesson| self.points_of_lesson(lesson));
            if let Some(points) = lesson.or(race).filter(|_| !is_moved) {
                self.follow_subject(self.camera.holding(&points, self.lens));
            }
            return;
        }
        let before = self.subject.filter(|_| !is_moved).map_or(self.camera, |view| view.before);
        self.begin_transition();
        match subject {
            Some(subject) => self.turn_to(subject, before),
            None => {
                self.subject = None;
                self.camera = if is_moved { before.holding(&self.present_landmarks(), self.lens) } else { before };
            }
        }
    }

    /// Moves the camera to show the whole lesson or race, from a direction close to that of `before`.
    fn turn_to(&mut self, subject: Subject, before: Camera) {
        let race_layout = self.session.race().map(|race| {
            let (points, count) = (race_landmarks(self, race), race.lanes().len());
            RaceLayout::of(race.layout, count, &points, before, self.lens)
        });
        let lesson = self.session.lesson();
        let lesson = lesson.map(|lesson| before.framed(&self.points_of_lesson(lesson), self.lens));
        let shown = lesson.or(race_layout.map(RaceLayout::camera)).unwrap_or(before);
        self.subject = Some(SubjectView { subject, before, shown, race_layout });
        self.camera = shown;
    }

    /// Moves the figures of a race apart where they have come to need more room.
    pub(super) fn widen_race(&mut self) {
        let Some(race) = self.session.race() else { return };
        let layout = self.subject.and_then(|view| view.race_layout);
        let wider = layout.map(|layout| layout.widened(&race_landmarks(self, race)));
        if let Some(view) = &mut self.subject {
            view.race_layout = wider;
        }
    }

    /// Moves the camera along with the lesson or race that it shows.
    fn follow_subject(&mut self, camera: Camera) {
        if camera == self.camera {
            return;
        }
        self.begin_transition();
        self.camera = camera;
        if let Some(view) = &mut self.subject {
            view.shown = camera;
        }
    }

    /// What a picture of the lesson must hold.
    fn points_of_lesson(&self, lesson: &Lesson) -> Vec<DVec3> {
        let radius = widest_joint(self, lesson.subject().figure.joints()[0]);
        lesson_landmarks(lesson, self.space(), radius)
    }

    /// What a picture of the race must hold.
    fn points_of_race(&self, race: &Race) -> Vec<DVec3> {
        let points = race_landmarks(self, race);
        match self.subject.and_then(|view| view.race_layout) {
            Some(layout) => layout.all(&points).collect(),
            None => points,
        }
    }

    /// Eases away from the present camera and lens. To be called before they change.
    fn begin_transition(&mut self) {
        self.begin_transition_of(TRANSITION_SECONDS);
    }

    /// As [`begin_transition`](Self::begin_transition), in a time of its own. The first picture changes at once.
    fn begin_transition_of(&mut self, seconds: f64) {
        if self.frame > 1 {
            self.transitions.begin(self.camera, self.lens, seconds);
        }
    }

    pub(super) fn move_camera(&mut self, command: CameraCommand) {
        let (camera, seconds) = match command {
            CameraCommand::Orbit(yaw, pitch) => return self.move_by_hand(|camera| camera.orbited(yaw, pitch)),
            CameraCommand::Pan(x, y) => return self.move_by_hand(|camera| camera.panned(x, y)),
            CameraCommand::ToggleProjection => return self.move_by_hand(Camera::with_other_projection),
            CameraCommand::Follow(on) => return self.set_following(on),
            CameraCommand::Zoom(factor, None) => (self.camera.zoomed(factor), ZOOM_SECONDS),
            CameraCommand::Zoom(factor, Some(at)) => (self.camera.zoomed_to(factor, at, self.lens), ZOOM_SECONDS),
            CameraCommand::View(side) => (self.camera.facing(side), TRANSITION_SECONDS),
            CameraCommand::Frame => (self.framed(&self.present_landmarks()), TRANSITION_SECONDS),
            CameraCommand::FrameSelected => (self.framed(&self.selected_landmarks()), TRANSITION_SECONDS),
            CameraCommand::Focus(point) => (self.camera.focused(self.space().shown(point)), TRANSITION_SECONDS),
            CameraCommand::Reset => match self.subject {
                Some(view) => {
                    self.begin_transition();
                    return self.turn_to(view.subject, view.before);
                }
                None => (self.stage.home, TRANSITION_SECONDS),
            },
        };
        self.begin_transition_of(seconds);
        self.camera = camera;
    }

    /// Frames everything within a radius around a point.
    pub(super) fn frame_around(&mut self, center: DVec3, radius: f64) {
        let points: Vec<DVec3> = around(center, radius).collect();
        self.begin_transition();
        self.camera = self.framed(&points);
    }

    /// Changes the camera at once. Moves in progress go on.
    pub(super) fn move_by_hand(&mut self, by_hand: impl Fn(Camera) -> Camera) {
        self.camera = by_hand(self.camera);
        self.transitions.carry(by_hand);
    }

    /// Moves the camera back where keys or a jump have moved the target of the selected effector, and its figure, out of the part
    /// of the picture that panels leave free.
    pub(super) fn keep_in_picture(&mut self) {
        if self.is_teaching() {
            return;
        }
        let selected = self.session.selected();
        let target = self.session.target(selected).place().map(|place| self.space().shown(place));
        let ball = target.into_iter().flat_map(|place| around(place, ROOM * target_radius(self, selected)));
        let points: Vec<DVec3> = self.figure_landmarks().into_iter().chain(ball).collect();
        let held = self.camera.holding(&points, self.lens);
        if held != self.camera {
            self.begin_transition();
            self.camera = held;
        }
    }

    fn framed(&self, points: &[DVec3]) -> Camera {
        self.camera.framed(points, self.lens)
    }

    /// What a picture of everything must hold now: the scene as it opened, and everything that has moved since. During an
    /// ease this is the pose in which it ends.
    fn present_landmarks(&self) -> Vec<DVec3> {
        if let Some(race) = self.session.race() {
            return self.points_of_race(race);
        }
        if let Some(lesson) = self.session.lesson() {
            return self.points_of_lesson(lesson);
        }
        let frames = self.session.scene().skeleton.frames(self.session.solved());
        let joints = frames.iter().map(|frame| frame.position);
        let targets = self.session.targets().filter_map(Target::place);
        let present = joints.chain(targets).map(|point| self.space().shown(point));
        self.stage.landmarks.iter().copied().chain(present).collect()
    }

    /// The selected joint with its neighbours; without one, the selected figure.
    fn selected_landmarks(&self) -> Vec<DVec3> {
        let scene = self.session.scene();
        let Some(joint) = self.session.selected_joint() else { return self.figure_landmarks() };
        let frames = scene.skeleton.frames(self.session.solved());
        let around = scene.skeleton.joints()[joint].parent.into_iter().chain([joint]);
        let tips = scene.link_ends().filter(|end| end.0 == joint).map(|end| frames[joint].point(end.1));
        let points = around.chain(scene.skeleton.children(joint).iter().copied()).map(|i| frames[i].position);
        points.chain(tips).map(|point| self.space().shown(point)).collect()
    }

    /// Joints and target of the selected effector's tree.
    fn figure_landmarks(&self) -> Vec<DVec3> {
        let (scene, selected) = (self.session.scene(), self.session.selected());
        let skeleton = &scene.skeleton;
        let frames = skeleton.frames(self.session.solved());
        let Some(effector) = scene.effectors.get(selected) else { return self.stage.landmarks.clone() };
        let roots = skeleton.roots();
        let root = roots[effector.effector.joint];
        let joints = (0..skeleton.len()).filter(|&i| roots[i] == root).map(|i| frames[i].position);
        joints.chain(self.session.target(selected).place()).map(|point| self.space().shown(point)).collect()
    }
}

/// A camera that goes along with a figure while a recording takes it through the world.
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
        let Some((time, plays)) = playback.map(|playback| (playback.time, playback.playing)) else { return };
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
                    self.move_by_hand(|camera| camera.focused(camera.look_at() + shift));
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
        FIGURE_ROOM * below.map(|joint| frames[joint].position.distance(frames[hips].position)).fold(0.0, f64::max)
    }
}

/// The points at this distance from a point along the axes.
fn around(center: DVec3, radius: f64) -> impl Iterator<Item = DVec3> {
    DVec3::AXES.into_iter().flat_map(move |axis| [-radius, radius].map(|way| center + axis * way))
}
