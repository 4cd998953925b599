//! A session seen through a camera: the one place where commands arrive, and from which pictures are taken.

use super::frame::{Bounds, Frame};
use super::gizmo::Handle;
use super::motion::{HeldKeys, MotionBasis, snap_to_axis};
use super::residuals::Residuals;
use super::{Camera, Display, Modifiers, MotionAxes, Ray, Space};
use crate::ik::ease;
use crate::scene::Scene;
use crate::session::command::{AppCommand, CameraCommand, Command, Show, ViewPreset};
use crate::session::lesson::{Lesson, StepCommand};
use crate::session::race::{Layout, RaceCommand};
use crate::session::{CommandError, RotationCommand, Session, SessionCommand};
use glam::DVec3;
use std::collections::VecDeque;

/// Everything that a picture depends on.
#[derive(Debug)]
pub struct Stage {
    session: Session,
    camera: Camera,
    /// A smooth turn under way: where it started, and its share of time done.
    turn: Option<(Camera, f64)>,
    /// Where the camera stood when the scene opened.
    home: Camera,
    display: Display,
    /// Width over height of the picture.
    aspect: f64,
    extent: Bounds,
    /// What the camera frames, in the picture's space.
    landmarks: Vec<DVec3>,
    trails: Vec<VecDeque<DVec3>>,
    residuals: Residuals,
    /// The handle of the gizmo under the pointer.
    hover: Option<Handle>,
    /// Seconds since the stage was set, whether the session is paused or not.
    clock: f64,
    frame: u64,
    /// What is open, and where the camera stood before; none while neither lesson nor race is open.
    aside: Option<(Exhibit, Camera)>,
}

/// What the camera has made room for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Exhibit {
    Lesson,
    Race(Layout, usize),
}

/// Seconds of a turn to another side.
const TURN: f64 = 0.35;
/// Share of the picture's height that is left for the figure beside a lesson's panel.
const ROOM_FOR_PANEL: f64 = 0.72;
/// Share of the picture's width that is left for the figures beside a race's panel.
const ROOM_FOR_RACE: f64 = 0.74;
/// How far from straight ahead a race is seen, degrees aside and up.
const RACE_VIEW: [f64; 2] = [12.0, 14.0];
/// Points that a trail keeps.
const TRAIL: usize = 240;

impl Stage {
    /// Sets a scene up to be seen in a picture of this width over height.
    pub fn new(scene: Scene, display: Display, aspect: f64) -> Self {
        let landmarks = landmarks(&scene);
        let home = home(&scene, &landmarks, aspect);
        Stage {
            camera: home,
            turn: None,
            home,
            display,
            aspect,
            extent: ball(&landmarks),
            landmarks,
            trails: vec![VecDeque::new(); scene.effectors.len()],
            residuals: Residuals::default(),
            hover: None,
            clock: 0.0,
            frame: 0,
            aside: None,
            session: Session::new(scene),
        }
    }

    /// Exchanges the scene for a new version of its file; the camera, and as far as possible the pose, stay.
    pub fn reload(&mut self, scene: Scene) {
        self.landmarks = landmarks(&scene);
        self.extent = ball(&self.landmarks);
        self.home = home(&scene, &self.landmarks, self.aspect);
        self.trails = vec![VecDeque::new(); scene.effectors.len()];
        self.session.reload(scene);
    }

    /// The picture's shape has changed. A camera that nobody has moved keeps the scene framed.
    pub fn resize(&mut self, aspect: f64) {
        let untouched = self.camera == self.home && self.turn.is_none();
        self.aspect = aspect;
        self.home = home(self.session.scene(), &self.landmarks, aspect);
        if untouched {
            self.camera = self.home;
        }
    }

    /// Carries out one command; what concerns the program around the scene is handed back.
    pub fn apply(&mut self, command: Command) -> Result<Option<AppCommand>, CommandError> {
        match command {
            Command::Session(command) => {
                if matches!(command, SessionCommand::Reset | SessionCommand::Undo | SessionCommand::Redo) {
                    self.trails.iter_mut().for_each(VecDeque::clear);
                }
                self.session.apply(&command)?;
            }
            Command::Camera(command) => self.steer(command),
            Command::Display(command) => self.display = self.display.after(&command),
            Command::App(AppCommand::Cancel) if self.is_teaching() && !self.display.shows(Show::Help) => {
                self.session.apply(&SessionCommand::Step(StepCommand::Close))?;
                self.session.apply(&SessionCommand::Race(RaceCommand::Off))?;
            }
            Command::App(command) => return Ok(Some(command)),
        }
        self.make_room();
        Ok(None)
    }

    /// Whether a lesson or a race is open.
    fn is_teaching(&self) -> bool {
        self.session.lesson().is_some() || self.session.race().is_some()
    }

    /// While a lesson or a race is open the camera stands so that its figures are clear of its panel.
    fn make_room(&mut self) {
        let (session, space) = (&self.session, self.space());
        let shown = match (session.lesson(), session.race()) {
            (Some(_), _) => Some(Exhibit::Lesson),
            (_, Some(race)) => Some(Exhibit::Race(race.layout, race.lanes().len())),
            _ => None,
        };
        let was = self.aside.map(|(exhibit, _)| exhibit);
        if shown == was {
            return;
        }
        let before = self.aside.map_or(self.camera, |(_, camera)| camera);
        let goal = if let Some(lesson) = session.lesson() {
            let radius = super::picture::widest_joint(self, lesson.subject().island.joints[0]);
            let framed = self.framed(&lesson_landmarks(lesson, space, radius));
            framed.zoomed(ROOM_FOR_PANEL).panned(0.0, 0.5 * (1.0 - ROOM_FOR_PANEL))
        } else if let Some(race) = session.race() {
            // From the front, so that the row of figures stands level.
            let front = self.camera.facing(ViewPreset::Front).orbited(RACE_VIEW[0], RACE_VIEW[1]);
            let framed = front.framed(&arrays(&super::race::landmarks(race, space)), self.aspect);
            framed.zoomed(ROOM_FOR_RACE).panned(-0.5 * (1.0 - ROOM_FOR_RACE) * self.aspect, 0.0)
        } else {
            before
        };
        self.turn = Some((self.camera(), 0.0));
        self.camera = goal;
        self.aside = shown.map(|exhibit| (exhibit, before));
    }

    fn steer(&mut self, command: CameraCommand) {
        let goal = match command {
            CameraCommand::Orbit(yaw, pitch) => return self.put(self.camera.orbited(yaw, pitch)),
            CameraCommand::Pan(x, y) => return self.put(self.camera.panned(x, y)),
            CameraCommand::Zoom(factor, None) => return self.put(self.camera.zoomed(factor)),
            CameraCommand::Zoom(factor, Some(at)) => return self.put(self.camera.zoomed_to(factor, at, self.aspect)),
            CameraCommand::View(side) => self.camera.facing(side),
            CameraCommand::Frame => self.framed(&self.landmarks),
            CameraCommand::FrameSelected => self.framed(&self.selected_landmarks()),
            CameraCommand::Focus(point) => self.camera.focused(self.space().shown(point).to_array()),
            CameraCommand::Reset => self.home,
            CameraCommand::ToggleProjection => return self.put(self.camera.with_other_projection()),
        };
        self.turn = Some((self.camera, 0.0));
        self.camera = goal;
    }

    fn put(&mut self, camera: Camera) {
        self.turn = None;
        self.camera = camera;
    }

    fn framed(&self, points: &[DVec3]) -> Camera {
        self.camera.framed(&arrays(points), self.aspect)
    }

    /// Moves time on by `dt` seconds; `held` keys move the selected target first.
    pub fn tick(&mut self, dt: f64, held: &mut HeldKeys, modifiers: Modifiers) {
        self.clock += dt;
        self.frame += 1;
        if let Some(shift) = held.glide(dt, self.motion_basis(), self.session.reach_of_selected(), modifiers) {
            // A scene without effectors has nothing to move; the keys then do nothing.
            let _ = self.session.apply(&SessionCommand::TargetMove(shift));
        }
        if let Some(turn) = held.turn(dt, self.motion_basis(), modifiers) {
            let _ = self.session.apply(&SessionCommand::Rotation(RotationCommand::Turn(turn)));
        }
        self.turn = self.turn.map(|(from, done)| (from, done + dt / TURN)).filter(|(_, done)| *done < 1.0);
        self.session.tick(dt);
        if !self.session.paused() {
            self.leave_trails();
        }
        self.residuals.record(self.clock, &self.session);
    }

    fn leave_trails(&mut self) {
        let session = &self.session;
        for (effector, trail) in self.trails.iter_mut().enumerate().take(MAX_TRAILS) {
            let tip = session.displayed_tip(effector);
            let reach = session.scene().reach(&session.scene().effectors[effector]);
            if trail.back().is_none_or(|last| last.distance(tip) > 2e-3 * reach) {
                trail.push_back(tip);
                if trail.len() > TRAIL {
                    trail.pop_front();
                }
            }
        }
    }

    /// Whether the next picture differs from this one without further input.
    pub fn is_moving(&self) -> bool {
        self.turn.is_some() || self.session.is_moving()
    }

    /// The camera as it is seen through now, also amid a turn.
    pub fn camera(&self) -> Camera {
        match self.turn {
            Some((from, done)) => from.toward(self.camera, ease(done)),
            None => self.camera,
        }
    }

    /// The picture as data.
    pub fn picture(&self) -> Frame {
        super::picture::picture(self)
    }

    /// The ray under a point of the picture (x right, y up, -1..1), in the picture's space.
    pub fn ray(&self, at: [f64; 2]) -> Ray {
        self.camera().ray(at, self.aspect)
    }

    /// Axes in which keys move the target, in the scene's world.
    fn motion_basis(&self) -> MotionBasis {
        let (space, camera) = (self.space(), self.camera());
        let world_up = self.session.scene().up.axis();
        match self.display.motion_axes {
            MotionAxes::View => {
                let up_in_picture = DVec3::from(camera.up());
                let forward = DVec3::from(camera.forward());
                // Seen from straight above or below, "forward" is up in the picture.
                let level = if forward.y.abs() < 0.95 { forward } else { up_in_picture };
                let forward = snap_to_axis(space.world(level), world_up);
                MotionBasis { right: forward.cross(world_up), up: world_up, forward }
            }
            MotionAxes::World => {
                let forward = space.world(DVec3::NEG_Z);
                MotionBasis { right: forward.cross(world_up), up: world_up, forward }
            }
            MotionAxes::Local => {
                let rotation = self.session.selected_rotation();
                MotionBasis { right: rotation * DVec3::X, up: rotation * DVec3::Y, forward: rotation * DVec3::NEG_Z }
            }
        }
    }

    /// The selected joint with its neighbours, or else the joints and the target of the selected effector's tree.
    fn selected_landmarks(&self) -> Vec<DVec3> {
        let (scene, selected) = (self.session.scene(), self.session.selected());
        if let Some(joint) = self.session.selected_joint() {
            let frames = scene.skeleton.frames(self.session.displayed());
            let around = scene.skeleton.joints()[joint].parent.into_iter().chain([joint]);
            let tips = scene.effectors.iter().filter(|effector| effector.effector.joint == joint);
            let tips = tips.map(|effector| frames[joint].point(effector.effector.tip));
            let points = around.chain(scene.skeleton.children(joint).iter().copied()).map(|i| frames[i].position);
            return points.chain(tips).map(|point| self.space().shown(point)).collect();
        }
        let Some(effector) = scene.effectors.get(selected) else { return self.landmarks.clone() };
        let skeleton = &scene.skeleton;
        let root = skeleton.root(effector.effector.joint);
        let frames = skeleton.frames(self.session.displayed());
        let joints = (0..skeleton.len()).filter(|&i| skeleton.root(i) == root).map(|i| frames[i].position);
        joints.chain(self.session.targets()[selected].position).map(|point| self.space().shown(point)).collect()
    }

    /// The session.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// What is shown and how.
    pub fn display(&self) -> &Display {
        &self.display
    }

    /// Axes of the picture against the scene's.
    pub fn space(&self) -> Space {
        Space { up: self.session.scene().up }
    }

    /// Ball around everything when the scene opened, in the picture's space.
    pub fn extent(&self) -> Bounds {
        self.extent
    }

    /// Height of the lowest landmark, in the picture's space.
    pub fn lowest(&self) -> f32 {
        self.landmarks.iter().map(|point| point.y as f32).fold(f32::INFINITY, f32::min)
    }

    /// Width over height.
    pub fn aspect(&self) -> f64 {
        self.aspect
    }

    /// Where the effectors have been, newest last.
    pub fn trails(&self) -> &[VecDeque<DVec3>] {
        &self.trails
    }

    /// How the error of the selected effector went lately.
    pub fn residuals(&self) -> &Residuals {
        &self.residuals
    }

    /// Tells which handle of the gizmo the pointer is on; whether that is news.
    pub fn hover_over(&mut self, handle: Option<Handle>) -> bool {
        std::mem::replace(&mut self.hover, handle) != handle
    }

    /// The handle of the gizmo that the pointer is on.
    pub fn hover(&self) -> Option<Handle> {
        self.hover
    }

    /// Seconds since the stage was set.
    pub fn clock(&self) -> f64 {
        self.clock
    }

    /// Number of ticks so far.
    pub fn frame_number(&self) -> u64 {
        self.frame
    }
}

/// Trails are kept for the first effectors only: of a crowd's hundreds nobody could tell them apart.
const MAX_TRAILS: usize = 16;

/// What a picture of the scene should hold: joints, targets, presets, obstacles; in the picture's space.
fn landmarks(scene: &Scene) -> Vec<DVec3> {
    let frames = scene.skeleton.frames(&scene.start);
    let mut points: Vec<DVec3> = frames.iter().map(|frame| frame.position).collect();
    for effector in &scene.effectors {
        points.push(frames[effector.effector.joint].point(effector.effector.tip));
        points.extend(effector.target.position);
        points.extend(&effector.presets);
    }
    for obstacle in &scene.obstacles {
        if let crate::ik::Obstacle::Sphere { center, radius } = *obstacle {
            let axes = [DVec3::X, DVec3::Y, DVec3::Z];
            points.extend(axes.into_iter().flat_map(|axis| [center + axis * radius, center - axis * radius]));
        }
    }
    points.extend(super::surfaces::corners(scene, &frames));
    let space = Space { up: scene.up };
    points.into_iter().map(|point| space.shown(point)).collect()
}

/// What a lesson's picture should hold: the figure as it starts and as it ends, and what lies between in the first passes.
/// Around each point there is a joint of this radius.
fn lesson_landmarks(lesson: &Lesson, space: Space, radius: f64) -> Vec<DVec3> {
    let recording = lesson.recording();
    let acts = recording.acts.iter().take(3).chain(recording.acts.last());
    let targets = recording.figure.goals.iter().map(|(_, target)| *target);
    let points = acts.flat_map(|act| act.points.iter().copied()).chain(targets).map(|point| space.shown(point));
    let sides = DVec3::AXES.map(|axis| axis * radius);
    points.flat_map(|point| sides.into_iter().flat_map(move |side| [point - side, point + side])).collect()
}

fn arrays(points: &[DVec3]) -> Vec<[f64; 3]> {
    points.iter().map(DVec3::to_array).collect()
}

/// A ball around points: the centre of their box, the farthest point as radius.
fn ball(points: &[DVec3]) -> Bounds {
    let low = points.iter().copied().reduce(DVec3::min).unwrap_or_default();
    let high = points.iter().copied().reduce(DVec3::max).unwrap_or_default();
    let center = 0.5 * (low + high);
    let radius = points.iter().map(|point| point.distance(center)).fold(0.0, f64::max);
    Bounds { center: center.as_vec3(), radius: if radius > 0.0 { radius as f32 } else { 1.0 } }
}

fn home(scene: &Scene, landmarks: &[DVec3], aspect: f64) -> Camera {
    let space = Space { up: scene.up };
    match scene.camera {
        Some(camera) => {
            Camera::looking(space.shown(camera.position).to_array(), space.shown(camera.look_at).to_array())
        }
        None => Camera::framing(&arrays(landmarks), aspect),
    }
}
