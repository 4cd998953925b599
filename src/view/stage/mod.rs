//! A session seen through a camera: the one place where commands arrive, and from which pictures are taken.

mod outlook;

use super::dials::turned_joint;
use super::frame::{Bounds, Frame};
use super::gizmo::Handle;
use super::landmarks::{ball, landmarks};
use super::motion::{HeldKeys, MotionBasis, snap_to_axis};
use super::reachable::Reachable;
use super::residuals::{Convergence, Residuals};
use super::trails::Trails;
use super::{Camera, Display, Ground, Lens, Modifiers, MotionAxes, Ray, Space};
use crate::session::command::{AppCommand, Command, DisplayCommand, Show};
use crate::session::lesson::LessonCommand;
use crate::session::race::RaceCommand;
use crate::session::{CommandError, Remark, RotationCommand, Session, SessionCommand};
use fabrik3d_scene::Scene;
use glam::DVec3;
use outlook::{Aside, TURN, Turn, home};

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
    trails: Trails,
    residuals: Residuals,
    convergence: Convergence,
    /// What the selected effector reaches inside its limits, while that is shown.
    reachable: Option<Reachable>,
    /// The handle of the gizmo under the pointer.
    hover: Option<Handle>,
    frame: u64,
    /// Whether keys moved the target in the last frame.
    gliding: bool,
    /// What the last command had to say that was none of the session's.
    remark: Option<Remark>,
    /// What is open; none while neither lesson nor race is.
    aside: Option<Aside>,
}

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
            trails: Trails::new(scene.effectors.len()),
            residuals: Residuals::default(),
            convergence: Convergence::default(),
            reachable: None,
            hover: None,
            frame: 0,
            gliding: false,
            remark: None,
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
        self.trails = Trails::new(scene.effectors.len());
        self.convergence.forget();
        self.session.reload(scene);
        self.look_at_motion();
    }

    /// Carries out one command; what concerns the program around the scene is handed back.
    pub fn apply(&mut self, command: Command) -> Result<Option<AppCommand>, CommandError> {
        self.remark = None;
        // Under a target that is dragged nothing else should move.
        let is_led = matches!(command, Command::Session(SessionCommand::TargetMove(_)));
        match command {
            Command::Session(command) => {
                if matches!(
                    command,
                    SessionCommand::Reset | SessionCommand::Undo | SessionCommand::Redo | SessionCommand::Effector(_)
                ) {
                    self.trails.clear();
                }
                self.convergence.forget();
                self.session.apply(&command)?;
                self.trails.resize(self.session.targets().len());
                self.look_at_motion();
            }
            Command::Camera(command) => self.steer(command),
            Command::Display(command) => self.show(&command)?,
            Command::App(AppCommand::Cancel) if self.is_teaching() && !self.display.shows(Show::Help) => {
                self.convergence.forget();
                self.session.apply(&SessionCommand::Lesson(LessonCommand::Close))?;
                self.session.apply(&SessionCommand::Race(RaceCommand::Off))?;
            }
            Command::App(command) => return Ok(Some(command)),
        }
        if is_led {
            self.spread()
        } else {
            self.make_room()
        }
        Ok(None)
    }

    /// Shows something, or no longer does.
    fn show(&mut self, command: &DisplayCommand) -> Result<(), CommandError> {
        let after = self.display.after(command);
        if after.shows(Show::Reach) && !self.display.shows(Show::Reach) {
            self.remark = super::reach::told(&self.session)?;
        }
        self.display = after;
        Ok(())
    }

    /// What the last command had to say besides being carried out, if anything.
    pub fn remark(&self) -> Option<&Remark> {
        self.remark.as_ref().or(self.session.remark())
    }

    /// Whether a lesson or a race is open.
    fn is_teaching(&self) -> bool {
        self.session.lesson().is_some() || self.session.race().is_some()
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
            self.spread();
        }
        if std::mem::replace(&mut self.gliding, !held.is_empty()) && !self.gliding {
            self.make_room();
        }
        self.turn = self.turn.map(|turn| Turn { done: turn.done + dt / TURN, ..turn }).filter(|turn| turn.done < 1.0);
        let moved = self.session.is_moving() && !self.is_teaching();
        self.session.tick(dt);
        if !self.session.paused() {
            self.trails.record(&self.session);
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

    /// Whether the next picture differs from this one without further input.
    pub fn is_moving(&self) -> bool {
        self.turn.is_some() || self.session.is_moving()
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
        self.trails.places()
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
