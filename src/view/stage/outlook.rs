//! Where a stage is looked at from: the camera that a scene opens with, turns to other sides, and room for what opens.

use super::Stage;
use crate::session::command::{CameraCommand, Show};
use crate::session::lesson::Lesson;
use crate::session::race::{Race, RaceLayout};
use crate::view::landmarks::{arrays, ball, landmarks, lesson_landmarks};
use crate::view::lineup::Lineup;
use crate::view::sight::is_crowd;
use crate::view::{Area, Camera, Ground, Lens, Space, race, sizes};
use fabrik3d_ik::ease;
use fabrik3d_scene::{CameraSpec, Scene};
use glam::DVec3;

/// A smooth turn: where it started, and its share of time done.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    pub camera: Camera,
    pub lens: Lens,
    pub done: f64,
}

/// What the camera has made room for; a race with its number of methods, the first joint of its figure, and whether there
/// is the figure's reach around each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Exhibit {
    Lesson,
    Race(RaceLayout, usize, Option<usize>, bool),
}

/// An open lesson or race.
#[derive(Clone, Copy, Debug)]
pub(super) struct Aside {
    exhibit: Exhibit,
    /// Where the camera stood when it opened.
    opened: Camera,
    /// Where it stood before it went to show all as it is now: somebody may have turned it since.
    before: Camera,
    /// Where it went to show all.
    shown: Camera,
    /// Where the figures of the race stand.
    lineup: Option<Lineup>,
}

/// Seconds of a turn to another side.
pub(super) const TURN: f64 = 0.35;
impl Stage {
    /// The scene as it stands, to be saved, with the camera if somebody has moved it.
    pub fn scene_now(&self) -> Scene {
        let mut scene = self.session.scene_now();
        let camera = self.aside.map_or(self.camera, |aside| aside.before);
        if camera != self.home {
            let [position, look_at] = [camera.eye(), camera.look_at()].map(|place| self.space().world(place.into()));
            scene.camera = Some(CameraSpec { position, look_at });
        }
        scene
    }

    /// The picture should hold all places that a recording comes by. A camera that nobody has moved goes along.
    pub(super) fn look_at_motion(&mut self) {
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

    /// Takes another lens; a camera that nobody has moved frames anew.
    fn fit(&mut self, lens: Lens) {
        let untouched = self.camera == self.home && self.aside.is_none();
        let staged = self.aside.filter(|aside| self.camera == aside.shown);
        self.lens = lens;
        self.home = home(self.session.scene(), &self.landmarks, lens);
        if untouched {
            self.camera = self.home;
        } else if let Some(aside) = staged {
            self.put_on_show(aside.exhibit, aside.before, aside.opened);
        }
    }

    /// When a lesson or a race opens, the camera goes to where it is all seen. When it closes, it goes back, or, where
    /// somebody has moved it meanwhile, stays, as long as it still sees the scene.
    pub(super) fn make_room(&mut self) {
        let exhibit = match (self.session.lesson(), self.session.race()) {
            (Some(_), _) => Some(Exhibit::Lesson),
            (_, Some(race)) => {
                let root = self.session.covered().first().copied();
                Some(Exhibit::Race(race.layout, race.lanes().len(), root, self.display.shows(Show::Reach)))
            }
            _ => None,
        };
        let is_moved = self.aside.is_some_and(|aside| self.camera != aside.shown);
        if exhibit == self.aside.map(|aside| aside.exhibit) {
            self.spread();
            let race = self.session.race().map(|race| self.race_landmarks(race));
            let lesson = self.session.lesson().map(|lesson| self.landmarks_of(lesson));
            if let Some(places) = lesson.or(race).filter(|_| !is_moved) {
                self.follow(self.camera.holding(&arrays(&places), self.lens));
            }
            return;
        }
        let before = self.aside.filter(|_| !is_moved).map_or(self.camera, |aside| aside.before);
        let opened = self.aside.map_or(self.camera, |aside| aside.opened);
        self.begin_turn();
        match exhibit {
            Some(exhibit) => self.put_on_show(exhibit, before, opened),
            None => {
                self.aside = None;
                self.camera =
                    if is_moved { before.holding(&arrays(&self.present_landmarks()), self.lens) } else { before };
            }
        }
    }

    /// The camera goes to where a lesson or race is all seen, from about where `before` stood.
    fn put_on_show(&mut self, exhibit: Exhibit, before: Camera, opened: Camera) {
        let lineup = self.session.race().map(|race| {
            let (places, count) = (race::places(self, race), race.lanes().len());
            Lineup::of(race.layout, count, &places, before, self.lens)
        });
        let lesson = self.session.lesson();
        let lesson = lesson.map(|lesson| before.framed(&arrays(&self.landmarks_of(lesson)), self.lens));
        let shown = lesson.or(lineup.map(Lineup::camera)).unwrap_or(before);
        self.aside = Some(Aside { exhibit, opened, before, shown, lineup });
        self.camera = shown;
    }

    /// Figures of a race that have come to want more room take it.
    pub(super) fn spread(&mut self) {
        let wider = self
            .session
            .race()
            .zip(self.aside)
            .and_then(|(race, aside)| Some(aside.lineup?.widened(&race::places(self, race))));
        if let Some(aside) = &mut self.aside {
            aside.lineup = wider.or(aside.lineup);
        }
    }

    /// The camera that shows a lesson or race goes elsewhere to show it.
    fn follow(&mut self, camera: Camera) {
        if camera == self.camera {
            return;
        }
        self.begin_turn();
        self.camera = camera;
        self.aside.iter_mut().for_each(|aside| aside.shown = camera);
    }

    /// Where each figure of the open race stands, against its own place; in the picture's space.
    pub(in crate::view) fn lane_offsets(&self) -> Vec<DVec3> {
        match (self.aside.and_then(|aside| aside.lineup), self.session.race()) {
            (Some(lineup), _) => lineup.offsets(),
            (None, race) => vec![DVec3::ZERO; race.map_or(0, |race| race.lanes().len())],
        }
    }

    /// What a picture of the lesson should hold.
    fn landmarks_of(&self, lesson: &Lesson) -> Vec<DVec3> {
        let radius = sizes::widest_joint(self, lesson.subject().island.joints[0]);
        lesson_landmarks(lesson, self.space(), radius)
    }

    /// What a picture of the race should hold.
    fn race_landmarks(&self, race: &Race) -> Vec<DVec3> {
        let places = race::places(self, race);
        match self.aside.and_then(|aside| aside.lineup) {
            Some(lineup) => lineup.all(&places).collect(),
            None => places,
        }
    }

    fn begin_turn(&mut self) {
        self.turn = Some(Turn { camera: self.camera(), lens: self.lens(), done: 0.0 });
    }

    pub(super) fn steer(&mut self, command: CameraCommand) {
        let goal = match command {
            CameraCommand::Orbit(yaw, pitch) => return self.put(self.camera.orbited(yaw, pitch)),
            CameraCommand::Pan(x, y) => return self.put(self.camera.panned(x, y)),
            CameraCommand::Zoom(factor, None) => return self.put(self.camera.zoomed(factor)),
            CameraCommand::Zoom(factor, Some(at)) => return self.put(self.camera.zoomed_to(factor, at, self.lens)),
            CameraCommand::View(side) => self.camera.facing(side),
            CameraCommand::Frame => self.framed(&self.present_landmarks()),
            CameraCommand::FrameSelected => self.framed(&self.selected_landmarks()),
            CameraCommand::Focus(point) => self.camera.focused(self.space().shown(point).to_array()),
            CameraCommand::Reset => match self.aside {
                Some(aside) => {
                    self.begin_turn();
                    return self.put_on_show(aside.exhibit, aside.opened, aside.opened);
                }
                None => self.home,
            },
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

    /// What a picture of everything should hold now: what it held at first, and whatever has gone elsewhere since.
    fn present_landmarks(&self) -> Vec<DVec3> {
        if let Some(race) = self.session.race() {
            return self.race_landmarks(race);
        }
        let frames = self.session.scene().skeleton.frames(self.session.displayed());
        let joints = frames.iter().map(|frame| frame.position);
        let targets = self.session.targets().filter_map(|target| target.position);
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
        joints.chain(self.session.target(selected).position).map(|point| self.space().shown(point)).collect()
    }
}

/// The camera as the scene has it, or else one that sees everything. Of a crowd, whose figures would be specks then, a
/// scene may show a part.
pub(super) fn home(scene: &Scene, landmarks: &[DVec3], lens: Lens) -> Camera {
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
