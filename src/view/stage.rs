//! A session seen through a camera: the one place where commands arrive, and from which pictures are taken.

use super::dials::turned_joint;
use super::frame::{Bounds, Frame};
use super::gizmo::Handle;
use super::landmarks::{arrays, ball, landmarks, lesson_landmarks};
use super::motion::{HeldKeys, MotionBasis, snap_to_axis};
use super::reachable::Reachable;
use super::residuals::{Convergence, Residuals};
use super::sight::is_crowd;
use super::{Area, Camera, Display, Ground, Lens, Modifiers, MotionAxes, Ray, Space};
use crate::ik::ease;
use crate::scene::Scene;
use crate::session::command::{AppCommand, CameraCommand, Command, Show, ViewPreset};
use crate::session::lesson::StepCommand;
use crate::session::race::{Layout, RaceCommand};
use crate::session::{CommandError, Playback, RotationCommand, Session, SessionCommand};
use glam::DVec3;
use std::collections::VecDeque;

/// Everything that a picture depends on.
#[derive(Debug)]
pub struct Stage {
    session: Session,
    camera: Camera,
    /// A smooth turn under way.
    turn: Option<Turn>,
    /// Where the camera stood when the scene opened.
    home: Camera,
    display: Display,
    lens: Lens,
    extent: Bounds,
    ground: Ground,
    /// What the camera frames, in the picture's space.
    landmarks: Vec<DVec3>,
    /// Where the effectors were, and at what time of the session.
    trails: Vec<VecDeque<(f64, DVec3)>>,
    residuals: Residuals,
    convergence: Convergence,
    /// What the selected effector reaches inside its limits, while that is shown.
    reachable: Option<Reachable>,
    /// The handle of the gizmo under the pointer.
    hover: Option<Handle>,
    frame: u64,
    /// Whether keys moved the target in the last frame.
    gliding: bool,
    /// What is open, and where the camera stood before; none while neither lesson nor race is open.
    aside: Option<(Exhibit, Camera)>,
}

/// A smooth turn: where it started, and its share of time done.
#[derive(Clone, Copy, Debug)]
struct Turn {
    camera: Camera,
    lens: Lens,
    done: f64,
}

/// What the camera has made room for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Exhibit {
    Lesson,
    Race(Layout, usize),
}

/// Seconds of a turn to another side.
const TURN: f64 = 0.35;
/// How far from straight ahead a race is seen, degrees aside and up.
const RACE_VIEW: [f64; 2] = [12.0, 24.0];
/// Points that a trail keeps.
const TRAIL: usize = 240;
/// Seconds of it that a trail keeps while a recording plays.
const RECENT: f64 = 1.5;

impl Stage {
    /// Sets a scene up to be seen in a picture of this width over height.
    pub fn new(scene: Scene, display: Display, aspect: f64) -> Self {
        let landmarks = landmarks(&scene);
        let lens = Lens::new(aspect);
        let home = home(&scene, &landmarks, lens);
        let extent = ball(&landmarks);
        Stage {
            camera: home,
            turn: None,
            home,
            display,
            lens,
            extent,
            ground: Ground::under(&scene, &landmarks, f64::from(extent.radius)),
            landmarks,
            trails: vec![VecDeque::new(); scene.effectors.len()],
            residuals: Residuals::default(),
            convergence: Convergence::default(),
            reachable: None,
            hover: None,
            frame: 0,
            gliding: false,
            aside: None,
            session: Session::new(scene),
        }
    }

    /// Exchanges the scene for a new version of its file; the camera, and as far as possible the pose, stay.
    pub fn reload(&mut self, scene: Scene) {
        self.landmarks = landmarks(&scene);
        self.extent = ball(&self.landmarks);
        self.ground = Ground::under(&scene, &self.landmarks, f64::from(self.extent.radius));
        self.home = home(&scene, &self.landmarks, self.lens);
        self.trails = vec![VecDeque::new(); scene.effectors.len()];
        self.convergence.forget();
        self.session.reload(scene);
        self.look_at_motion();
    }

    /// The picture should hold all places that a recording comes by. A camera that nobody has moved goes along.
    fn look_at_motion(&mut self) {
        let scene = self.session.scene();
        let mut wanted = landmarks(scene);
        wanted.extend(self.session.motion_landmarks().into_iter().map(|point| self.space().shown(point)));
        if wanted.len() == self.landmarks.len() {
            return;
        }
        let untouched = self.camera == self.home && self.aside.is_none();
        self.home = home(scene, &wanted, self.lens);
        self.extent = ball(&wanted);
        self.ground = Ground::under(scene, &wanted, f64::from(self.extent.radius));
        self.landmarks = wanted;
        if untouched {
            if self.frame > 0 {
                self.begin_turn();
            }
            self.camera = self.home;
        }
    }

    /// The picture's shape has changed. A camera that nobody has moved keeps the scene framed.
    pub fn resize(&mut self, aspect: f64) {
        self.fit(Lens { aspect, ..self.lens });
        self.turn = None;
    }

    /// Tells what part of the picture nothing lies over, before each picture: that is where figures are shown.
    pub fn arrange(&mut self, area: Area) {
        if area == self.lens.area {
            return;
        }
        let before = Turn { camera: self.camera(), lens: self.lens(), done: 0.0 };
        self.fit(Lens { area, ..self.lens });
        // The first picture is arranged at once, all others smoothly.
        self.turn = (self.frame > 1).then_some(before);
    }

    /// Takes another lens; a camera that nobody has moved, and one that shows a lesson or a race, frames anew.
    fn fit(&mut self, lens: Lens) {
        let untouched = self.camera == self.home && self.aside.is_none();
        self.lens = lens;
        self.home = home(self.session.scene(), &self.landmarks, lens);
        if untouched {
            self.camera = self.home;
        } else if self.aside.is_some() {
            self.camera = self.staged();
        }
    }

    /// Carries out one command; what concerns the program around the scene is handed back.
    pub fn apply(&mut self, command: Command) -> Result<Option<AppCommand>, CommandError> {
        match command {
            Command::Session(command) => {
                if matches!(
                    command,
                    SessionCommand::Reset | SessionCommand::Undo | SessionCommand::Redo | SessionCommand::Effector(_)
                ) {
                    self.trails.iter_mut().for_each(VecDeque::clear);
                }
                self.convergence.forget();
                self.session.apply(&command)?;
                self.trails.resize(self.session.targets().len(), VecDeque::new());
                self.look_at_motion();
            }
            Command::Camera(command) => self.steer(command),
            Command::Display(command) => self.display = self.display.after(&command),
            Command::App(AppCommand::Cancel) if self.is_teaching() && !self.display.shows(Show::Help) => {
                self.convergence.forget();
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

    /// When a lesson or a race opens, the camera goes to where it is all seen; when it closes, back.
    fn make_room(&mut self) {
        let shown = match (self.session.lesson(), self.session.race()) {
            (Some(_), _) => Some(Exhibit::Lesson),
            (_, Some(race)) => Some(Exhibit::Race(race.layout, race.lanes().len())),
            _ => None,
        };
        if shown == self.aside.map(|(exhibit, _)| exhibit) {
            return;
        }
        let before = self.aside.map_or(self.camera, |(_, camera)| camera);
        self.begin_turn();
        self.aside = shown.map(|exhibit| (exhibit, before));
        self.camera = if shown.is_some() { self.staged() } else { before };
    }

    /// The camera that shows the open lesson or race.
    fn staged(&self) -> Camera {
        let (session, space) = (&self.session, self.space());
        if let Some(lesson) = session.lesson() {
            let radius = super::sizes::widest_joint(self, lesson.subject().island.joints[0]);
            self.framed(&lesson_landmarks(lesson, space, radius))
        } else if let Some(race) = session.race() {
            // From the front and above, so that rows of figures stand level and clear of each other.
            let front = self.camera.facing(ViewPreset::Front).orbited(RACE_VIEW[0], RACE_VIEW[1]);
            front.framed(&arrays(&super::race::landmarks(race, space)), self.lens)
        } else {
            self.camera
        }
    }

    fn begin_turn(&mut self) {
        self.turn = Some(Turn { camera: self.camera(), lens: self.lens(), done: 0.0 });
    }

    fn steer(&mut self, command: CameraCommand) {
        let goal = match command {
            CameraCommand::Orbit(yaw, pitch) => return self.put(self.camera.orbited(yaw, pitch)),
            CameraCommand::Pan(x, y) => return self.put(self.camera.panned(x, y)),
            CameraCommand::Zoom(factor, None) => return self.put(self.camera.zoomed(factor)),
            CameraCommand::Zoom(factor, Some(at)) => return self.put(self.camera.zoomed_to(factor, at, self.lens)),
            CameraCommand::View(side) => self.camera.facing(side),
            CameraCommand::Frame => self.framed(&self.present_landmarks()),
            CameraCommand::FrameSelected => self.framed(&self.selected_landmarks()),
            CameraCommand::Focus(point) => self.camera.focused(self.space().shown(point).to_array()),
            CameraCommand::Reset => self.home,
            CameraCommand::ToggleProjection => return self.put(self.camera.with_other_projection()),
        };
        self.begin_turn();
        self.camera = goal;
    }

    fn put(&mut self, camera: Camera) {
        self.turn = None;
        self.camera = camera;
    }

    fn framed(&self, points: &[DVec3]) -> Camera {
        self.camera.framed(&arrays(points), self.lens)
    }

    /// Moves time on by `dt` seconds; `held` keys move the selected target first.
    pub fn tick(&mut self, dt: f64, held: &mut HeldKeys, modifiers: Modifiers) {
        self.frame += 1;
        let shift = held.glide(dt, self.motion_basis(), self.session.reach_of_selected(), modifiers);
        let turn = held.turn(dt, self.motion_basis(), modifiers);
        let joint = held.joint(dt, self.motion_basis(), modifiers);
        let moves = shift.map(SessionCommand::TargetMove);
        let moves = moves.into_iter().chain(turn.map(|turn| SessionCommand::Rotation(RotationCommand::Turn(turn))));
        let moves = moves.chain(joint.and_then(|turn| turned_joint(&self.session, turn)).map(SessionCommand::Joint));
        // What is done until all keys are let go is undone as one.
        let grab = (!self.gliding).then_some(SessionCommand::TargetGrab);
        let grab = grab.filter(|_| shift.or(turn).or(joint).is_some());
        for command in grab.into_iter().chain(moves) {
            // A scene without effectors has nothing to move; the keys then do nothing.
            let _ = self.session.apply(&command);
        }
        self.gliding = !held.is_empty();
        self.turn = self.turn.map(|turn| Turn { done: turn.done + dt / TURN, ..turn }).filter(|turn| turn.done < 1.0);
        let moved = self.session.is_moving() && !self.is_teaching();
        self.session.tick(dt);
        if !self.session.paused() {
            self.leave_trails();
        }
        self.residuals.record(dt, moved, &self.session);
        self.convergence.keep_up(&self.session);
        self.look_for_reach();
    }

    /// Finds out what the selected effector reaches, where that is shown and is not known yet.
    fn look_for_reach(&mut self) {
        let scene = self.session.scene();
        let effector = scene.effectors.get(self.session.selected()).map(|effector| effector.effector);
        // What loops allow, poses that are drawn at random do not tell.
        let shown = effector.filter(|_| self.display.shows(Show::Reach) && scene.loops.is_empty());
        let known = self.reachable.take();
        self.reachable = shown.and_then(|effector| {
            let known = known.filter(|known| known.fits(&scene.skeleton, effector));
            known.or_else(|| Reachable::of(&scene.skeleton, effector))
        });
    }

    /// What the selected effector reaches inside its limits, if that is shown and limits have a say in it.
    pub(super) fn reachable(&self) -> Option<&Reachable> {
        self.reachable.as_ref()
    }

    /// A recording goes on and on: amid it the trails of all effectors would drown the figure.
    fn leave_trails(&mut self) {
        let session = &self.session;
        let recorded = session.motion().is_some_and(Playback::is_engaged);
        for (effector, trail) in self.trails.iter_mut().enumerate().take(MAX_TRAILS) {
            let tip = session.displayed_tip(effector);
            let reach = session.scene().reach(&session.scene().effectors[effector]);
            if recorded && effector != session.selected() {
                trail.clear();
                continue;
            }
            let now = session.time();
            if trail.back().is_none_or(|(_, last)| last.distance(tip) > 2e-3 * reach) {
                trail.push_back((now, tip));
                if trail.len() > TRAIL {
                    trail.pop_front();
                }
            }
            while recorded && trail.front().is_some_and(|(then, _)| now - then > RECENT) {
                trail.pop_front();
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
            Some(turn) => turn.camera.toward(self.camera, ease(turn.done)),
            None => self.camera,
        }
    }

    /// What its picture falls on now, also amid a turn.
    pub fn lens(&self) -> Lens {
        match self.turn {
            Some(turn) => turn.lens.toward(self.lens, ease(turn.done)),
            None => self.lens,
        }
    }

    /// The picture as data.
    pub fn picture(&self) -> Frame {
        super::picture::picture(self)
    }

    /// The ray under a point of the picture (x right, y up, -1..1), in the picture's space.
    pub fn ray(&self, at: [f64; 2]) -> Ray {
        self.camera().ray(at, self.lens())
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

    /// What a picture of everything should hold now: what it held at first, and whatever has gone elsewhere since.
    fn present_landmarks(&self) -> Vec<DVec3> {
        let frames = self.session.scene().skeleton.frames(self.session.displayed());
        let joints = frames.iter().map(|frame| frame.position);
        let targets = self.session.targets().iter().filter_map(|target| target.position);
        let present = joints.chain(targets).map(|point| self.space().shown(point));
        self.landmarks.iter().copied().chain(present).collect()
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

    /// The floor.
    pub fn ground(&self) -> Ground {
        self.ground
    }

    /// Where the effectors have been, newest last; while a recording plays only the selected one, and only lately.
    pub fn trails(&self) -> impl Iterator<Item = impl ExactSizeIterator<Item = DVec3> + '_> {
        self.trails.iter().map(|trail| trail.iter().map(|&(_, place)| place))
    }

    /// How the error of the selected effector went lately.
    pub fn residuals(&self) -> &Residuals {
        &self.residuals
    }

    /// Tells which handle of the gizmo the pointer is on; whether that is news.
    pub fn hover_over(&mut self, handle: Option<Handle>) -> bool {
        std::mem::replace(&mut self.hover, handle) != handle
    }

    /// How its error falls from iteration to iteration.
    pub fn convergence(&self) -> &Convergence {
        &self.convergence
    }

    /// The handle of the gizmo that the pointer is on.
    pub fn hover(&self) -> Option<Handle> {
        self.hover
    }

    /// Number of ticks so far.
    pub fn frame_number(&self) -> u64 {
        self.frame
    }
}

/// Trails are kept for the first effectors only: of a crowd's hundreds nobody could tell them apart.
const MAX_TRAILS: usize = 16;

/// The camera as the scene has it, or else one that sees everything. Of a crowd, whose figures would be specks then, a
/// scene may show a part.
fn home(scene: &Scene, landmarks: &[DVec3], lens: Lens) -> Camera {
    let space = Space { up: scene.up };
    match scene.camera {
        Some(camera) => {
            let camera =
                Camera::looking(space.shown(camera.position).to_array(), space.shown(camera.look_at).to_array());
            if is_crowd(scene.effectors.len()) { camera } else { camera.holding(&arrays(landmarks), lens) }
        }
        None => Camera::framing(&arrays(landmarks), lens),
    }
}
