//! The mouse: what a drag or a click means, as commands.

use super::{Modifiers, Stage};
use crate::session::command::{CameraCommand, Command, SessionCommand};
use glam::DVec3;

/// Mouse buttons that mean something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Button {
    /// Orbits, or drags the target.
    Left,
    /// Orbits.
    Middle,
    /// Pans.
    Right,
}

/// What the present drag does.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Drag {
    Orbit,
    Pan,
    /// The target, in the plane through it that faces the eye; where it was grabbed, relative to the target.
    Target(DVec3),
}

/// The pointer over the picture. Positions are logical pixels from the top left.
#[derive(Clone, Debug, Default)]
pub struct Pointer {
    at: [f64; 2],
    drag: Option<(Button, Drag)>,
    last_click: Option<(f64, [f64; 2])>,
}

/// Degrees that a drag across the whole height of the picture turns the camera.
const TURN: f64 = 220.0;
/// How near to the target, in pixels, counts as on it.
const GRAB: f64 = 14.0;
/// Seconds within which two clicks are a double click.
const DOUBLE: f64 = 0.35;

impl Pointer {
    /// Where the pointer is, as x right, y up, -1..1.
    fn ndc(&self, size: [f64; 2]) -> [f64; 2] {
        [2.0 * self.at[0] / size[0].max(1.0) - 1.0, 1.0 - 2.0 * self.at[1] / size[1].max(1.0)]
    }

    /// A button went down at the pointer's place.
    pub fn press(&mut self, button: Button, modifiers: Modifiers, size: [f64; 2], stage: &Stage) -> Option<Command> {
        let mut command = None;
        let drag = match (button, modifiers.shift) {
            (Button::Left, false) => match self.grab(size, stage) {
                Some((effector, grip)) => {
                    if effector != stage.session().selected() {
                        let name = stage.session().scene().effectors[effector].name.clone();
                        command = Some(Command::Session(SessionCommand::EffectorSelect(name)));
                    }
                    Drag::Target(grip)
                }
                None => {
                    command = self.double_click(size, stage);
                    Drag::Orbit
                }
            },
            (Button::Middle, false) => Drag::Orbit,
            _ => Drag::Pan,
        };
        self.drag = Some((button, drag));
        command
    }

    /// A button went up, or the window lost the pointer (`None`: all buttons).
    pub fn release(&mut self, button: Option<Button>) {
        if self.drag.is_some_and(|(held, _)| button.is_none_or(|button| button == held)) {
            self.drag = None;
        }
    }

    /// The pointer moved to a new place.
    pub fn moved(&mut self, to: [f64; 2], size: [f64; 2], stage: &Stage) -> Option<Command> {
        let [dx, dy] = [to[0] - self.at[0], to[1] - self.at[1]];
        self.at = to;
        let height = size[1].max(1.0);
        match self.drag?.1 {
            _ if dx == 0.0 && dy == 0.0 => None,
            Drag::Orbit => Some(Command::Camera(CameraCommand::Orbit(-dx / height * TURN, dy / height * TURN))),
            Drag::Pan => Some(Command::Camera(CameraCommand::Pan(dx / height, -dy / height))),
            Drag::Target(grip) => {
                let target = stage.session().targets().get(stage.session().selected())?.position?;
                let point = in_plane(stage, stage.space().shown(target), self.ndc(size))? - grip;
                let shift = stage.space().world(point) - target;
                Some(Command::Session(SessionCommand::TargetMove(shift)))
            }
        }
    }

    /// The wheel turned by `lines` (positive: away from the user).
    pub fn wheel(&self, lines: f64, modifiers: Modifiers, size: [f64; 2]) -> Command {
        let at = modifiers.ctrl.then(|| self.ndc(size));
        Command::Camera(CameraCommand::Zoom(1.12_f64.powf(lines), at))
    }

    /// Whether a drag is under way.
    pub fn is_dragging(&self) -> bool {
        self.drag.is_some()
    }

    /// The effector whose target lies under the pointer, and where on it.
    fn grab(&self, size: [f64; 2], stage: &Stage) -> Option<(usize, DVec3)> {
        let (space, camera) = (stage.space(), stage.camera());
        let nearest = stage.session().targets().iter().enumerate().filter_map(|(at, target)| {
            let shown = space.shown(target.position?);
            let [x, y] = camera.project(shown.to_array(), stage.aspect())?;
            let [px, py] = [(x + 1.0) * 0.5 * size[0], (1.0 - y) * 0.5 * size[1]];
            let away = (px - self.at[0]).hypot(py - self.at[1]);
            let radius =
                super::picture::target_radius(stage, at) / camera.pixel_at(shown.to_array(), size[1]).max(1e-12);
            (away < GRAB.max(1.3 * radius)).then_some((at, shown, away))
        });
        let (at, shown, _) = nearest.min_by(|a, b| a.2.total_cmp(&b.2))?;
        Some((at, in_plane(stage, shown, self.ndc(size))? - shown))
    }

    /// A second click soon after and near the first focuses the joint under it, or else the point on the floor.
    fn double_click(&mut self, size: [f64; 2], stage: &Stage) -> Option<Command> {
        let now = stage.clock();
        let near =
            |(time, [x, y]): (f64, [f64; 2])| now - time < DOUBLE && (x - self.at[0]).hypot(y - self.at[1]) < 6.0;
        if !self.last_click.is_some_and(near) {
            self.last_click = Some((now, self.at));
            return None;
        }
        self.last_click = None;
        let ray = stage.ray(self.ndc(size));
        let (origin, direction) = (DVec3::from(ray.origin), DVec3::from(ray.direction));
        let (space, scene) = (stage.space(), stage.session().scene());
        let frames = scene.skeleton.frames(stage.session().displayed());
        let near_ray = frames.iter().filter_map(|frame| {
            let point = space.shown(frame.position);
            let along = (point - origin).dot(direction);
            let away = (origin + direction * along).distance(point);
            let grab = 12.0 * stage.camera().pixel_at(point.to_array(), size[1]);
            (along > 0.0 && away < grab).then_some((along, point))
        });
        let point = near_ray.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, point)| point).or_else(|| {
            let floor = f64::from(super::picture::floor_height(stage));
            let along = (floor - origin.y) / direction.y;
            (along.is_finite() && along > 0.0 && along < 100.0 * f64::from(stage.extent().radius))
                .then(|| origin + direction * along)
        })?;
        Some(Command::Camera(CameraCommand::Focus(space.world(point))))
    }
}

/// Where the ray through a point of the picture meets the plane through `through` that faces the eye.
fn in_plane(stage: &Stage, through: DVec3, at: [f64; 2]) -> Option<DVec3> {
    let ray = stage.ray(at);
    let (origin, direction) = (DVec3::from(ray.origin), DVec3::from(ray.direction));
    let normal = DVec3::from(stage.camera().forward());
    let along = (through - origin).dot(normal) / direction.dot(normal);
    (along.is_finite() && along > 0.0).then(|| origin + direction * along)
}
