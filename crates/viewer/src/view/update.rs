//! How commands and time change a [`Viewer`].

use super::draw::reach;
use super::input::held_keys::Kind;
use super::records::{Convergence, Residuals, Trails};
use super::transitions::Transitions;
use super::viewer::{Following, KeyState, Stage};
use super::{Display, HeldKeys, Lens, Modifiers, MotionAxes, Viewer};
use crate::session::command::{AppCommand, Command, Show};
use crate::session::lesson::LessonCommand;
use crate::session::race::RaceCommand;
use crate::session::{CommandError, Host, JointCommand, Playback, RotationCommand, Session, SessionCommand};
use fabrik3d_ik::Target;
use fabrik3d_ik::display::WorkspaceSurface;
use fabrik3d_scene::{Scene, Unit};
use glam::{DMat3, DVec3};
use std::time::Instant;

/// Largest motion of a joint that is due to rounding, as a fraction of the figures' extent.
const MOVED: f64 = 1e-5;

/// What has changed when a scene was read again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reloaded {
    /// Neither pose nor targets.
    Unchanged,
    /// The targets, to which the figure moves now.
    OtherTargets,
    /// The pose, which the file no longer allows.
    OtherPose,
}

impl Viewer {
    /// Opens a scene for pictures of this aspect ratio (width over height).
    pub fn new(scene: Scene, display: Display, aspect: f64) -> Self {
        let lens = Lens::new(aspect);
        let stage = Stage::of(&scene, &[], lens);
        Viewer {
            camera: stage.home,
            transitions: Transitions::default(),
            display,
            lens,
            stage,
            trails: Trails::default(),
            residuals: Residuals::default(),
            convergence: Convergence::default(),
            workspace: None,
            hover: None,
            frame: 0,
            keys: KeyState::default(),
            remark: None,
            subject: None,
            following: Following::default(),
            keeps_all: false,
            keeps_figure: false,
            session: Session::new(scene),
        }
    }

    /// The viewer as part of a program.
    #[must_use]
    pub fn with_host(mut self, host: Host) -> Self {
        self.session.set_host(host);
        self
    }

    /// Replaces the scene by a new version of its file. The camera stays, and as far as possible the pose. Returns what has
    /// changed.
    pub fn reload(&mut self, scene: Scene) -> Reloaded {
        let places = |session: &Session| -> Vec<DVec3> {
            let frames = session.scene().skeleton.frames(session.displayed());
            frames.into_iter().map(|frame| frame.position).collect()
        };
        let targets = |session: &Session| -> Vec<Target> { session.targets().copied().collect() };
        let (before, targets_before) = (places(&self.session), targets(&self.session));
        let has_targets = !scene.assets.without_targets;
        // Other limits may let what misses its target come nearer.
        let misses = (0..self.session.scene().effectors.len()).any(|at| self.session.is_off_target(at));
        let goes_on = misses && self.session.scene().skeleton != scene.skeleton;
        self.stage = Stage::of(&scene, &[], self.lens);
        self.trails.clear();
        self.convergence.invalidate();
        self.session.reload(scene);
        self.frame_motion();
        let (now, most) = (places(&self.session), MOVED * self.session.scene().skeleton.extent());
        let has_moved =
            now.len() != before.len() || now.iter().zip(before).any(|(now, before)| now.distance(before) > most);
        match !goes_on && !has_moved {
            false => Reloaded::OtherPose,
            true if has_targets && targets(&self.session) != targets_before => Reloaded::OtherTargets,
            true => Reloaded::Unchanged,
        }
    }

    /// The scene goes on as that of another file, see [`Session::go_on_as`].
    pub fn go_on_as(&mut self, name: Option<&str>) {
        self.session.go_on_as(name);
    }

    /// The present state of the scene is saved.
    pub fn mark_saved(&mut self) {
        self.session.mark_saved();
    }

    /// Carries out one command of somebody who watches: the camera goes along with a figure to a typed target, and shows a
    /// recording that is played.
    pub fn apply_by_hand(&mut self, command: Command) -> Result<Option<AppCommand>, CommandError> {
        let is_typed = matches!(command, Command::Session(SessionCommand::TargetSet(..)));
        let plays = matches!(&command, Command::Session(SessionCommand::Motion(motion)) if motion.plays());
        self.keeps_all |= is_typed && self.shows_near();
        let done = self.apply(command)?;
        if plays {
            self.show_recording();
        }
        Ok(done)
    }

    /// Carries out one command. Returns it where it concerns the program around the viewer.
    pub fn apply(&mut self, command: Command) -> Result<Option<AppCommand>, CommandError> {
        self.remark = None;
        // While a target is dragged, the camera must not move.
        let is_drag = matches!(command, Command::Session(SessionCommand::TargetMove(_)));
        self.keeps_figure &= !is_drag;
        match command {
            Command::Session(command) => {
                if begins_trail(&command) {
                    self.trails.clear();
                }
                self.convergence.invalidate();
                self.keys.interrupted = true;
                let showed_all = matches!(command, SessionCommand::Motion(_)) && self.shows_near();
                // Who sets how passes are shown wants to see them.
                if matches!(command, SessionCommand::Passes(_)) {
                    self.display = self.display.with(Show::Passes, true);
                }
                self.session.apply(&command)?;
                self.frame_motion();
                self.keeps_all |= showed_all && self.session.motion().is_some_and(Playback::has_rows);
                let is_far = command == SessionCommand::Lesson(LessonCommand::Far);
                if is_far || matches!(command, SessionCommand::TargetPreset(_) | SessionCommand::TargetRandom) {
                    self.keep_in_picture();
                    self.keeps_figure = true;
                }
            }
            Command::Camera(command) => self.move_camera(command),
            Command::Display(command) => {
                let after = self.display.after(&command);
                if after.shows(Show::Reach) && !self.display.shows(Show::Reach) {
                    self.remark = reach::remark(&self.session)?;
                }
                self.display = after;
            }
            Command::App(AppCommand::Cancel) if self.is_teaching() && !self.display.shows(Show::Help) => {
                self.convergence.invalidate();
                self.session.apply(&SessionCommand::Lesson(LessonCommand::Close))?;
                self.session.apply(&SessionCommand::Race(RaceCommand::Off))?;
            }
            Command::App(command) => return Ok(Some(command)),
        }
        if is_drag {
            self.widen_race();
        } else {
            self.show_subject();
        }
        Ok(None)
    }

    /// Advances time by `dt` seconds, after moving the selected target by the `held` keys.
    pub fn tick(&mut self, dt: f64, held: &mut HeldKeys, modifiers: Modifiers) {
        self.frame += 1;
        self.move_by_keys(dt, held, modifiers);
        self.transitions.advance(dt);
        let moved = self.session.is_moving() && !self.is_teaching();
        self.session.watch_passes(self.display.shows(Show::Passes));
        self.session.watch_solutions(self.display.shows(Show::Solutions));
        self.session.tick(dt);
        // A lesson or a race hides the effectors, whose targets may jump meanwhile.
        if self.is_teaching() {
            self.trails.clear();
        } else if !self.session.paused() {
            self.trails.record(&self.session);
        }
        self.follow_figure(dt);
        self.follow_row();
        self.residuals.record(dt, moved, &self.session);
        self.convergence.update(&self.session);
        self.update_workspace();
    }

    /// As [`Viewer::tick`], with solves that end at this time.
    pub fn tick_until(&mut self, end: Instant, dt: f64, held: &mut HeldKeys, modifiers: Modifiers) {
        self.session.solve_until(Some(end));
        self.tick(dt, held, modifiers);
        self.session.solve_until(None);
    }

    /// Moves the selected target or the camera, or turns the selected joint, by keys.
    fn move_by_keys(&mut self, dt: f64, held: &mut HeldKeys, modifiers: Modifiers) {
        if std::mem::take(&mut self.keys.interrupted) {
            held.stop();
        }
        let begins = held.changes_scene() && !self.keys.pressed;
        let (ramp, basis) = (self.session.scene().smoothing.keys, self.motion_basis());
        if let Some(way) = held.advance(Kind::Orbits, dt, ramp, modifiers) {
            self.orbit(way);
        }
        let [shift, turn, joint] =
            [Kind::Moves, Kind::Turns, Kind::Joints].map(|kind| held.advance(kind, dt, ramp, modifiers));
        let shift = shift.map(|way| basis * way * self.session.step_size());
        let turn = turn.map(|turn| basis * turn);
        let moves = shift.map(|shift| SessionCommand::TargetMove(self.session.way_by_keys(shift)));
        let moves = moves.into_iter().chain(turn.map(|turn| SessionCommand::Rotation(RotationCommand::Turn(turn))));
        let moves = moves.chain(joint.and_then(|turn| turned_joint(&self.session, turn)).map(SessionCommand::Joint));
        // Everything from the first key until all keys are released is one undo step.
        let grab = begins.then_some(SessionCommand::TargetGrab);
        for command in grab.into_iter().chain(moves) {
            // A scene without effectors has nothing to move; its keys do nothing.
            let _ = self.session.apply_smoothly(&command);
            self.convergence.invalidate();
            self.widen_race();
        }
        if shift.is_some() {
            self.keep_in_picture();
        }
        let moved = !held.is_empty();
        if self.keys.moved && !moved {
            self.show_subject();
        }
        self.keys = KeyState { pressed: held.changes_scene(), moved, interrupted: false };
    }

    /// Samples the workspace of the selected effector where it is shown and not yet known.
    fn update_workspace(&mut self) {
        let scene = self.session.scene();
        let effector = self.session.selected().map(|at| scene.effectors[at].effector);
        // Random poses do not keep loops closed, so they say nothing about scenes with loops.
        let shown = effector.filter(|_| self.display.shows(Show::Reach) && scene.loops.is_empty());
        let known = self.workspace.take();
        self.workspace = shown.and_then(|effector| {
            let known = known.filter(|known| known.is_of(&scene.skeleton, effector));
            known.or_else(|| WorkspaceSurface::sample(&scene.skeleton, effector))
        });
    }

    /// The axes along which keys move the target, in the scene's world: right, up, forward.
    fn motion_basis(&self) -> DMat3 {
        let (space, camera) = (self.space(), self.camera());
        let world_up = self.session.scene().up.axis();
        let forward = match self.display.motion_axes {
            MotionAxes::View => {
                let forward = camera.forward();
                // Seen from straight above or below, "forward" is up in the picture.
                let level = if forward.y.abs() < 0.95 { forward } else { camera.up() };
                snap_to_axis(space.world(level), world_up)
            }
            MotionAxes::World => space.world(DVec3::NEG_Z),
            MotionAxes::Local => {
                let rotation = self.session.selected_rotation();
                return DMat3::from_cols(rotation * DVec3::X, rotation * DVec3::Y, rotation * DVec3::NEG_Z);
            }
        };
        DMat3::from_cols(forward.cross(world_up), world_up, forward)
    }
}

/// Whether a trail goes no further: what comes is no motion of the same target.
fn begins_trail(command: &SessionCommand) -> bool {
    use SessionCommand as Command;
    matches!(command, Command::Reset | Command::Undo | Command::Redo | Command::Effector(_))
        || matches!(command, Command::TargetSet(..) | Command::TargetPreset(_) | Command::TargetRandom)
}

/// Travel of a slide per degree that a rotating joint would turn, in units of the reach.
const SLIDE_PER_DEGREE: f64 = 0.01;

/// The command that changes the first three values of the selected joint by these degrees, within its limits.
fn turned_joint(session: &Session, turn: DVec3) -> Option<JointCommand> {
    let joint = session.selected_joint()?;
    let mut values = session.scene().joint_values(joint, session.displayed());
    for (value, turn) in values.iter_mut().zip(turn.to_array()) {
        let change = match value.unit {
            Unit::Degrees => turn,
            Unit::Length => SLIDE_PER_DEGREE * turn * session.step_size(),
        };
        let (low, high) = value.range.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
        value.value = (value.value + change).clamp(low, high);
    }
    let values = values.iter().map(|value| value.value).collect();
    Some(JointCommand::Glide(session.scene().skeleton.joints()[joint].name.clone(), values))
}

/// The horizontal axis (of the two that are not `up`) nearest to `direction`, with its sign.
fn snap_to_axis(direction: DVec3, up: DVec3) -> DVec3 {
    let axes = [DVec3::X, DVec3::Y, DVec3::Z];
    let horizontal = axes.into_iter().filter(|axis| axis.dot(up).abs() < 0.5);
    let nearest = horizontal.max_by(|a, b| a.dot(direction).abs().total_cmp(&b.dot(direction).abs()));
    nearest.map_or(DVec3::X, |axis| axis * axis.dot(direction).signum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snapping_picks_the_nearest_horizontal_axis() {
        assert_eq!(snap_to_axis(DVec3::new(0.3, 5.0, -0.9), DVec3::Y), DVec3::NEG_Z);
        assert_eq!(snap_to_axis(DVec3::new(0.9, 0.1, 0.3), DVec3::Z), DVec3::X);
    }
}
