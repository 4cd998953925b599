//! Where the camera stands: on camera commands, and while a lesson or a race is open.

use super::draw::bodies;
use super::draw::limits::carried;
use super::input::gizmo::Gizmo;
use super::landmarks::{lesson_landmarks, race_landmarks};
use super::race_layout::RaceLayout;
use super::sizes::target_radius;
use super::stage::home;
use super::viewer::{Following, Stage, Subject, SubjectView};
use super::{Area, Camera, Lens, Viewer};
use crate::session::command::{CameraCommand, Show};
use fabrik3d_scene::{CameraSpec, Scene};
use glam::DVec3;

/// Duration of a camera move, seconds.
pub(super) const TRANSITION_SECONDS: f64 = 0.35;
/// Duration of one step of the zoom, seconds.
const ZOOM_SECONDS: f64 = 0.15;
/// Steps to the picture that holds the handles of a target.
const HANDLE_STEPS: usize = 3;

/// Radius of what the picture shows around the figure, relative to the farthest joint: arms and legs move, and a head reaches
/// beyond its joint.
pub(super) const FIGURE_ROOM: f64 = 1.2;

impl Viewer {
    /// The present scene for saving, with the camera if the user has moved it.
    pub fn scene_now(&self) -> Scene {
        let mut scene = self.session.scene_now();
        let camera = self.subject.map_or(self.camera, |subject| subject.before);
        if camera != self.stage.home && !self.follows_recording() {
            let [position, look_at] = [camera.eye(), camera.look_at].map(|place| self.space().world(place));
            scene.camera = Some(CameraSpec { position, look_at });
        }
        scene
    }

    /// Extends the framed region by everywhere that a recording goes. A camera that the user has not moved shows it, or if
    /// the way is long, goes along.
    pub(super) fn frame_motion(&mut self) {
        let recorded = self.session.motion_landmarks();
        // Only a recording moves the camera, not an effector that is added or removed.
        if recorded.len() == self.stage.recorded {
            return;
        }
        let is_home = self.is_home();
        self.stage = Stage::of(self.session.scene(), &recorded, self.lens);
        if recorded.is_empty() {
            // The figure stays where the recording has left it.
            self.stage.landmarks = self.present_landmarks();
            self.stage.home = home(self.session.scene(), &self.stage.landmarks, self.lens);
        }
        if is_home {
            self.ease_to(self.stage.home, TRANSITION_SECONDS);
        }
        let may_begin = self.following == Following::Unset && is_home;
        // Another recording may go elsewhere.
        if !recorded.is_empty() && (self.follows_recording() || (may_begin && self.goes_far())) {
            self.following = Following::Begins;
        }
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
        self.begin_transition(TRANSITION_SECONDS);
        self.set_lens(Lens { area, ..self.lens });
    }

    /// Changes the lens. A camera that the user has not moved frames again, and one that shows all figures goes on to do so.
    fn set_lens(&mut self, lens: Lens) {
        let is_home = self.is_home();
        let subject = self.subject.filter(|subject| self.camera == subject.shown);
        let is_whole = self.camera.holding(&self.present_landmarks(), self.lens) == self.camera;
        self.lens = lens;
        self.stage.home = home(self.session.scene(), &self.stage.landmarks, lens);
        if is_home {
            self.camera = self.stage.home;
        } else if let Some(view) = subject {
            self.turn_to(view.subject, view.before);
        } else if is_whole {
            self.camera = self.camera.holding(&self.present_landmarks(), lens);
        }
    }

    /// Whether the picture holds everything but targets that are out of reach.
    pub(super) fn shows_near(&self) -> bool {
        self.camera.holding(&self.near_landmarks(), self.lens) == self.camera
    }

    /// Holds a figure that goes to a typed target or another row of a table in the picture, until it is there, if everything
    /// was in it before.
    pub(super) fn follow_row(&mut self) {
        if self.keeps_all {
            self.hold(&self.near_landmarks());
            self.keeps_all = self.session.is_moving();
        }
        // Where the figure ends is known once it is solved.
        if self.keeps_figure {
            self.keep_in_picture();
            self.keeps_figure = self.session.is_moving();
        }
    }

    /// Moves the camera to show a lesson or race that has opened. When it closes the camera returns; if the user has
    /// moved it meanwhile, it stays, as long as it still sees the scene.
    pub(super) fn show_subject(&mut self) {
        let subject = match (self.session.lesson(), self.session.race()) {
            (Some(_), _) => Some(Subject::Lesson),
            (_, Some(race)) => Some(Subject::Race {
                methods: race.lanes().len(),
                root: self.session.covered().first().copied(),
                shows_reach: self.display.shows(Show::Reach),
            }),
            _ => None,
        };
        let is_moved = self.subject.is_some_and(|subject| self.camera != subject.shown);
        if subject == self.subject.map(|view| view.subject) {
            self.widen_race();
            if !is_moved {
                self.hold_subject();
            }
            return;
        }
        let before = self.subject.filter(|_| !is_moved).map_or(self.camera, |view| view.before);
        self.begin_transition(TRANSITION_SECONDS);
        match subject {
            Some(subject) => self.turn_to(subject, before),
            None => {
                self.subject = None;
                self.camera = if is_moved { before.holding(&self.present_landmarks(), self.lens) } else { before };
            }
        }
    }

    /// Holds an open lesson or race in the picture. A camera that the user has not moved goes on to show it.
    fn hold_subject(&mut self) {
        let Some(points) = self.subject_landmarks() else { return };
        let is_moved = self.subject.is_some_and(|subject| self.camera != subject.shown);
        self.hold(&points);
        self.subject =
            self.subject.map(|view| SubjectView { shown: if is_moved { view.shown } else { self.camera }, ..view });
    }

    /// Moves the camera to show the whole lesson or race, from a direction close to that of `before`.
    fn turn_to(&mut self, subject: Subject, before: Camera) {
        let race_layout = self.session.race().map(|race| {
            let (points, count) = (race_landmarks(self, race), race.lanes().len());
            RaceLayout::of(count, &points, before, self.lens)
        });
        let lesson = self.session.lesson();
        let lesson = lesson.map(|lesson| before.framed(&lesson_landmarks(self, lesson), self.lens));
        let shown = lesson.or(race_layout.map(|layout| layout.camera)).unwrap_or(before);
        self.subject = Some(SubjectView { subject, before, shown, race_layout });
        self.camera = shown;
    }

    /// Moves the figures of a race apart where they have come to need more room.
    pub(super) fn widen_race(&mut self) {
        let Some(race) = self.session.race() else { return };
        let layout = self.subject.and_then(|view| view.race_layout);
        let race_layout = layout.map(|layout| layout.widened(&race_landmarks(self, race)));
        self.subject = self.subject.map(|view| SubjectView { race_layout, ..view });
    }

    /// What a picture of the open lesson or race must hold.
    fn subject_landmarks(&self) -> Option<Vec<DVec3>> {
        if let Some(lesson) = self.session.lesson() {
            return Some(lesson_landmarks(self, lesson));
        }
        let points = race_landmarks(self, self.session.race()?);
        Some(match self.subject.and_then(|view| view.race_layout) {
            Some(layout) => layout.all(&points).collect(),
            None => points,
        })
    }

    /// Eases away from the present camera and lens. To be called before they change. The first picture changes at once.
    fn begin_transition(&mut self, seconds: f64) {
        if self.frame > 1 {
            self.transitions.begin(self.camera, self.lens, seconds);
        }
    }

    pub(super) fn ease_to(&mut self, camera: Camera, seconds: f64) {
        self.begin_transition(seconds);
        self.camera = camera;
    }

    /// Moves the camera back where points have left the part of the picture that panels leave free.
    pub(super) fn hold(&mut self, points: &[DVec3]) {
        let held = self.camera.holding(points, self.lens);
        if held != self.camera {
            self.ease_to(held, TRANSITION_SECONDS);
        }
    }

    pub(super) fn move_camera(&mut self, command: CameraCommand) {
        (self.keeps_all, self.keeps_figure) = (false, false);
        let (now, lens) = (self.camera, self.lens);
        let (camera, seconds) = match command {
            CameraCommand::Orbit(yaw, pitch) => return self.move_by_hand(|camera| camera.orbited(yaw, pitch)),
            CameraCommand::Pan(x, y) => return self.move_by_hand(|camera| camera.panned(x, y)),
            CameraCommand::ToggleProjection => return self.move_by_hand(Camera::with_other_projection),
            CameraCommand::Follow(on) => {
                let on = on.unwrap_or(!self.follows_recording());
                self.following = if on { Following::Begins } else { Following::Off };
                return;
            }
            CameraCommand::Zoom(factor, None) => (now.zoomed(factor), ZOOM_SECONDS),
            CameraCommand::Zoom(factor, Some(at)) => (now.zoomed_to(factor, at, lens), ZOOM_SECONDS),
            CameraCommand::View(side) => (now.facing(side), TRANSITION_SECONDS),
            CameraCommand::Frame => (now.framed(&self.present_landmarks(), lens), TRANSITION_SECONDS),
            CameraCommand::FrameSelected => (now.framed(&self.selected_landmarks(), lens), TRANSITION_SECONDS),
            CameraCommand::Focus(point) => (now.focused(self.space().shown(point)), TRANSITION_SECONDS),
            CameraCommand::Reset => match self.subject {
                Some(view) => {
                    self.begin_transition(TRANSITION_SECONDS);
                    return self.turn_to(view.subject, view.before);
                }
                None => (self.stage.home, TRANSITION_SECONDS),
            },
        };
        self.ease_to(camera, seconds);
    }

    /// Moves the camera by keys: to the right and up around what it looks at, and closer, all in degrees. As many degrees as are a
    /// radian bring it closer by a factor of e.
    pub(super) fn orbit(&mut self, way: DVec3) {
        (self.keeps_all, self.keeps_figure) = (false, false);
        let factor = way.z.to_radians().exp();
        self.move_by_hand(|camera| camera.orbited(way.x, way.y).zoomed(factor));
    }

    /// Changes the camera at once. Moves in progress go on.
    pub(super) fn move_by_hand(&mut self, by_hand: impl Fn(Camera) -> Camera) {
        self.camera = by_hand(self.camera);
        self.transitions.carry(by_hand);
    }

    /// Holds the figure and the target of the selected effector in the picture after keys or a jump have moved them.
    pub(super) fn keep_in_picture(&mut self) {
        if self.is_teaching() {
            return self.hold_subject();
        }
        let figure = self.figure_landmarks();
        let target = self.session.selected().and_then(|at| Some((at, self.session.target(at).place()?)));
        let Some((at, place)) = target else { return self.hold(&figure) };
        let (place, radius) = (self.space().shown(place), target_radius(self, at));
        // Handles are as large in a picture that shows more: with each step, what is left outside is a tenth of it.
        let mut held = self.camera;
        for _ in 0..HANDLE_STEPS {
            let handles = around(place, Gizmo::reach(held.pixel_at(place, 1.0), radius));
            let points: Vec<DVec3> = figure.iter().copied().chain(handles).collect();
            held = held.holding(&points, self.lens);
        }
        if held != self.camera {
            self.ease_to(held, TRANSITION_SECONDS);
        }
    }

    /// What a picture of everything must hold now: the scene as it opened, and everything that has moved since. During an
    /// ease this is the pose in which it ends.
    pub(super) fn present_landmarks(&self) -> Vec<DVec3> {
        self.landmarks_without(|at| self.session.is_driven(at) && self.is_far(at))
    }

    /// The same without targets that are out of reach.
    fn near_landmarks(&self) -> Vec<DVec3> {
        self.landmarks_without(|at| self.is_far(at))
    }

    /// Whether an effector is far from its target. An arrow at the edge of the picture points to it. To see it too, the figure
    /// would become small.
    fn is_far(&self, effector: usize) -> bool {
        let scene = self.session.scene();
        let size = scene.effector_size(&scene.effectors[effector]);
        self.session.residual(effector).is_some_and(|gap| gap > size)
    }

    /// What a picture must hold without the targets of some effectors.
    fn landmarks_without(&self, is_left_out: impl Fn(usize) -> bool) -> Vec<DVec3> {
        if let Some(points) = self.subject_landmarks() {
            return points;
        }
        let scene = self.session.scene();
        let frames = scene.skeleton.frames(self.session.solved());
        let joints = frames.iter().map(|frame| frame.position);
        let shown = (0..scene.effectors.len()).filter(|&at| !is_left_out(at));
        let targets = shown.filter_map(|at| self.session.target(at).place());
        let present = joints.chain(targets).chain(bodies::corners(scene, &frames));
        let present = present.map(|point| self.space().shown(point));
        self.stage.landmarks.iter().copied().chain(present).collect()
    }

    /// The selected joint with its neighbours; without one, the selected figure.
    fn selected_landmarks(&self) -> Vec<DVec3> {
        let scene = self.session.scene();
        let Some(joint) = self.session.selected_joint() else {
            let points = self.figure_landmarks();
            let middle = points.iter().sum::<DVec3>() / points.len().max(1) as f64;
            return points.iter().map(|point| middle + (*point - middle) * FIGURE_ROOM).collect();
        };
        let frames = scene.skeleton.frames(self.session.solved());
        let near = scene.skeleton.joints()[joint].parent.into_iter().chain([joint]).map(|i| frames[i].position);
        near.chain(carried(scene, &frames, joint)).map(|point| self.space().shown(point)).collect()
    }

    /// Joints and target of the selected effector's tree.
    fn figure_landmarks(&self) -> Vec<DVec3> {
        let scene = self.session.scene();
        let skeleton = &scene.skeleton;
        let frames = skeleton.frames(self.session.solved());
        let Some(selected) = self.session.selected() else { return self.stage.landmarks.clone() };
        let roots = skeleton.roots();
        let root = roots[scene.effectors[selected].effector.joint];
        let parts = (0..skeleton.len()).filter(|&i| roots[i] == root && !self.session.is_anchor(i));
        let joints = parts.map(|i| frames[i].position);
        joints.chain(self.session.target(selected).place()).map(|point| self.space().shown(point)).collect()
    }
}

/// The points at this distance from a point along the axes.
pub(super) fn around(center: DVec3, radius: f64) -> impl Iterator<Item = DVec3> {
    DVec3::AXES.into_iter().flat_map(move |axis| [-radius, radius].map(|way| center + axis * way))
}
