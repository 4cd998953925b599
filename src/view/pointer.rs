//! The mouse: what a drag or a click means, as commands.

use super::gizmo::{Gizmo, Handle, pixel};
use super::{MeshStyle, Modifiers, Stage, pick};
use crate::session::command::{CameraCommand, Command, SessionCommand};
use crate::session::{JointCommand, RotationCommand};
use glam::{DQuat, DVec3};

/// Mouse buttons that mean something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Button {
    /// Drags the target, or the body that is there, or orbits.
    Left,
    /// Orbits.
    Middle,
    /// Pans.
    Right,
}

/// What the present drag does.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "there is one pointer, and it has one drag")]
enum Drag {
    Orbit,
    Pan,
    Target(TargetDrag),
}

/// A drag of the target.
#[derive(Clone, Copy, Debug, PartialEq)]
struct TargetDrag {
    handle: Handle,
    /// The gizmo as it was grabbed.
    gizmo: Gizmo,
    /// The orientation wanted then.
    rotation: DQuat,
    /// Where the pointer was then: x right, y up, -1..1.
    from: [f64; 2],
    /// Whether it has moved anything yet.
    moved: bool,
    /// The joint of the body that it was grabbed by, if it was.
    body: Option<usize>,
}

/// The pointer over the picture. Positions are logical pixels from the top left.
#[derive(Clone, Debug, Default)]
pub struct Pointer {
    at: [f64; 2],
    drag: Option<(Button, Drag)>,
    /// Where the drag began.
    pressed_at: [f64; 2],
    last_click: Option<(f64, [f64; 2])>,
}

/// Degrees that a drag across the whole height of the picture turns the camera.
const TURN: f64 = 220.0;
/// How near to a target or joint, in pixels, counts as on it.
const GRAB: f64 = 12.0;
/// Seconds within which two clicks are a double click.
const DOUBLE: f64 = 0.35;
/// A press and release within so many pixels are a click, not a drag.
const STILL: f64 = 4.0;
/// Angles to which Ctrl snaps a turn, degrees.
const TURN_STEP: f64 = 15.0;

impl Pointer {
    /// Where the pointer is, as x right, y up, -1..1.
    fn ndc(&self, size: [f64; 2]) -> [f64; 2] {
        [2.0 * self.at[0] / size[0].max(1.0) - 1.0, 1.0 - 2.0 * self.at[1] / size[1].max(1.0)]
    }

    /// A button went down at the pointer's place, at this time of a clock that never stops (seconds).
    pub fn press(
        &mut self,
        button: Button,
        now: f64,
        modifiers: Modifiers,
        size: [f64; 2],
        stage: &Stage,
    ) -> Vec<Command> {
        let mut commands = Vec::new();
        self.pressed_at = self.at;
        let drag = match (button, modifiers.shift) {
            (Button::Left, false) => {
                let drag = self.grab(size, stage, &mut commands).or_else(|| {
                    commands.extend(self.double_click(now, size, stage));
                    self.grab_body(size, stage, &mut commands)
                });
                if drag.is_some() {
                    commands.push(Command::Session(SessionCommand::TargetGrab));
                }
                drag.map_or(Drag::Orbit, Drag::Target)
            }
            (Button::Middle, false) => Drag::Orbit,
            _ => Drag::Pan,
        };
        self.drag = Some((button, drag));
        commands
    }

    /// A button went up. A click that was no drag selects the joint under it.
    pub fn release(&mut self, button: Button, size: [f64; 2], stage: &Stage) -> Option<Command> {
        let (_, drag) = self.drag.take_if(|(held, _)| *held == button)?;
        let [x, y] = self.pressed_at;
        let clicked = button == Button::Left && (x - self.at[0]).hypot(y - self.at[1]) < STILL;
        let on_target = matches!(drag, Drag::Target(TargetDrag { body: None, .. }));
        if drag == Drag::Pan || on_target || !clicked {
            return None;
        }
        let select = match self.joint_under(size, stage) {
            Some(joint) => JointCommand::Select(stage.session().scene().skeleton.joints()[joint].name.clone()),
            None => stage.session().selected_joint().map(|_| JointCommand::Clear)?,
        };
        Some(Command::Session(SessionCommand::Joint(select)))
    }

    /// The window lost the pointer: all buttons count as up.
    pub fn let_go(&mut self) {
        self.drag = None;
    }

    /// Whether a target is being dragged.
    pub fn drags_target(&self) -> bool {
        matches!(self.drag, Some((_, Drag::Target(_))))
    }

    /// Ends a drag of the target and takes back what it did; none when no target is being dragged.
    pub fn cancel(&mut self) -> Option<Vec<Command>> {
        let (_, Drag::Target(drag)) = self.drag? else { return None };
        self.drag = None;
        Some(if drag.moved { vec![Command::Session(SessionCommand::Undo)] } else { Vec::new() })
    }

    /// Locks the drag of the target to an axis, or frees it again; whether there is such a drag.
    pub fn lock(&mut self, axis: usize) -> bool {
        let Some((_, Drag::Target(drag))) = &mut self.drag else { return false };
        drag.handle = match drag.handle {
            Handle::Ring(_) => Handle::Ring(axis),
            Handle::Arrow(locked) if locked == axis => Handle::Center,
            _ => Handle::Arrow(axis),
        };
        true
    }

    /// The pointer moved to a new place.
    pub fn moved(&mut self, to: [f64; 2], modifiers: Modifiers, size: [f64; 2], stage: &Stage) -> Option<Command> {
        let [dx, dy] = [to[0] - self.at[0], to[1] - self.at[1]];
        self.at = to;
        let height = size[1].max(1.0);
        match self.drag?.1 {
            Drag::Target(_) => self.drag_target(modifiers, size, stage),
            _ if dx == 0.0 && dy == 0.0 => None,
            Drag::Orbit => Some(Command::Camera(CameraCommand::Orbit(-dx / height * TURN, dy / height * TURN))),
            Drag::Pan => Some(Command::Camera(CameraCommand::Pan(dx / height, -dy / height))),
        }
    }

    /// Brings the dragged target to where the pointer and the modifiers want it now.
    pub fn drag_target(&mut self, modifiers: Modifiers, size: [f64; 2], stage: &Stage) -> Option<Command> {
        let at = self.ndc(size);
        let [x, y] = self.pressed_at;
        let way = (x - self.at[0]).hypot(y - self.at[1]);
        let (_, Drag::Target(drag)) = self.drag.as_mut()? else { return None };
        // A click on a body selects, and must not move anything.
        if drag.body.is_some() && !drag.moved && way < STILL {
            return None;
        }
        let command = drag.command(at, modifiers, stage)?;
        drag.moved = true;
        Some(Command::Session(command))
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

    /// The handle of the gizmo that is dragged, or else lies under the pointer.
    pub fn handle(&self, size: [f64; 2], stage: &Stage) -> Option<Handle> {
        match self.drag {
            Some((_, Drag::Target(drag))) => Some(drag.handle),
            Some(_) => None,
            None => match self.target_under(size, stage) {
                Some(effector) => (effector == stage.session().selected()).then_some(Handle::Center),
                None => Gizmo::of(stage)?.pick(stage, self.at, size),
            },
        }
    }

    /// Grabs the target under the pointer (which selects its effector), or a handle of the selected one.
    fn grab(&self, size: [f64; 2], stage: &Stage, commands: &mut Vec<Command>) -> Option<TargetDrag> {
        let session = stage.session();
        let from = self.ndc(size);
        let Some(effector) = self.target_under(size, stage) else {
            let gizmo = Gizmo::of(stage)?;
            let handle = gizmo.pick(stage, self.at, size)?;
            let rotation = session.target(session.selected()).rotation.unwrap_or_default();
            return Some(TargetDrag { handle, gizmo, rotation, from, moved: false, body: None });
        };
        if effector != session.selected() {
            let name = session.scene().effectors[effector].name.clone();
            commands.push(Command::Session(SessionCommand::EffectorSelect(name)));
        }
        let target = session.target(effector);
        let center = stage.space().shown(target.position?);
        let gizmo = Gizmo::of(stage).unwrap_or(Gizmo::plain(center)).moved_to(center);
        Some(TargetDrag {
            handle: Handle::Center,
            gizmo,
            rotation: target.rotation.unwrap_or_default(),
            from,
            moved: false,
            body: None,
        })
    }

    /// Grabs the limb under the pointer (which selects its effector): its target goes on from where the tip is.
    fn grab_body(&self, size: [f64; 2], stage: &Stage, commands: &mut Vec<Command>) -> Option<TargetDrag> {
        let session = stage.session();
        let from = self.ndc(size);
        let hit = pick::body_under(stage, from)?;
        let effector = pick::effector_for(stage, &hit)?;
        if effector != session.selected() {
            let name = session.scene().effectors[effector].name.clone();
            commands.push(Command::Session(SessionCommand::EffectorSelect(name)));
        }
        Some(TargetDrag {
            handle: Handle::Center,
            gizmo: Gizmo::plain(stage.space().shown(session.displayed_tip(effector))),
            rotation: session.target(effector).rotation.unwrap_or_default(),
            from,
            moved: false,
            body: hit.joint,
        })
    }

    /// The effector whose target lies under the pointer.
    fn target_under(&self, size: [f64; 2], stage: &Stage) -> Option<usize> {
        let (space, camera) = (stage.space(), stage.camera());
        let away = stage.session().targets().enumerate().filter_map(|(effector, target)| {
            let shown = space.shown(target.position?);
            let [x, y] = pixel(stage, shown, size)?;
            let away = (x - self.at[0]).hypot(y - self.at[1]);
            let unit = camera.pixel_at(shown.to_array(), size[1]).max(1e-12);
            let radius = super::sizes::target_radius(stage, effector) / unit;
            (away < GRAB.max(1.2 * radius)).then_some((away, effector))
        });
        away.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, effector)| effector)
    }

    /// The joint under the pointer, the nearest to the eye where there are several; where bodies hide the joints, or
    /// none is near, that of the body.
    fn joint_under(&self, size: [f64; 2], stage: &Stage) -> Option<usize> {
        let body = || pick::body_under(stage, self.ndc(size)).and_then(|hit| hit.joint);
        match stage.display().meshes {
            MeshStyle::Solid => body().or_else(|| self.drawn_joint_under(size, stage)),
            _ => self.drawn_joint_under(size, stage).or_else(body),
        }
    }

    fn drawn_joint_under(&self, size: [f64; 2], stage: &Stage) -> Option<usize> {
        let inside = super::surfaces::inside(stage);
        let eye = DVec3::from(stage.camera().eye());
        let (space, scene) = (stage.space(), stage.session().scene());
        let frames = scene.skeleton.frames(stage.session().displayed());
        let drawn = frames.iter().enumerate().filter(|(joint, _)| inside.binary_search(joint).is_err());
        let near = drawn.filter_map(|(joint, frame)| {
            let shown = space.shown(frame.position);
            let [x, y] = pixel(stage, shown, size)?;
            ((x - self.at[0]).hypot(y - self.at[1]) < GRAB).then(|| (shown.distance(eye), joint))
        });
        near.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, joint)| joint)
    }

    /// A second click soon after and near the first focuses the joint under it, or else the point on the floor.
    fn double_click(&mut self, now: f64, size: [f64; 2], stage: &Stage) -> Option<Command> {
        let near =
            |(time, [x, y]): (f64, [f64; 2])| now - time < DOUBLE && (x - self.at[0]).hypot(y - self.at[1]) < 6.0;
        if !self.last_click.is_some_and(near) {
            self.last_click = Some((now, self.at));
            return None;
        }
        self.last_click = None;
        let (space, session) = (stage.space(), stage.session());
        if stage.display().meshes == MeshStyle::Solid
            && let Some(hit) = pick::body_under(stage, self.ndc(size))
        {
            return Some(Command::Camera(CameraCommand::Focus(hit.point)));
        }
        if let Some(joint) = self.joint_under(size, stage) {
            let place = session.scene().skeleton.frames(session.displayed())[joint].position;
            return Some(Command::Camera(CameraCommand::Focus(place)));
        }
        let ray = stage.ray(self.ndc(size));
        let (origin, direction) = (DVec3::from(ray.origin), DVec3::from(ray.direction));
        let floor = f64::from(stage.ground().height);
        let along = (floor - origin.y) / direction.y;
        let before = along.is_finite() && along > 0.0 && along < 100.0 * f64::from(stage.extent().radius);
        before.then(|| Command::Camera(CameraCommand::Focus(space.world(origin + direction * along))))
    }
}

impl TargetDrag {
    /// What brings the target to where the pointer wants it; none when it is there.
    fn command(&self, at: [f64; 2], modifiers: Modifiers, stage: &Stage) -> Option<SessionCommand> {
        let (gizmo, space, session) = (&self.gizmo, stage.space(), stage.session());
        let target = session.targets().nth(session.selected())?;
        let from = gizmo.point_under(stage, self.handle, self.from)?;
        let to = gizmo.point_under(stage, self.handle, at)?;
        if let Handle::Ring(axis) = self.handle {
            let mut angle = gizmo.angle(axis, from, to).to_degrees();
            if modifiers.ctrl {
                angle = (angle / TURN_STEP).round() * TURN_STEP;
            }
            let turn = DQuat::from_axis_angle(space.world(gizmo.axes[axis]), angle.to_radians());
            let rest = turn * self.rotation * target.rotation?.inverse();
            let rest = if rest.w < 0.0 { -rest } else { rest };
            let degrees = rest.to_scaled_axis().map(f64::to_degrees);
            return (degrees.length() > 1e-9).then_some(SessionCommand::Rotation(RotationCommand::Turn(degrees)));
        }
        let mut wanted = gizmo.center + to - from;
        if modifiers.ctrl {
            wanted = self.snapped(wanted, super::picture::snap_step(stage));
        }
        let place = target.position.or(self.body.map(|_| session.tip(session.selected())))?;
        let shift = space.world(wanted) - place;
        (shift.length() > 1e-12 * gizmo.length).then_some(SessionCommand::TargetMove(shift))
    }

    /// The nearest point of the grid, along the axes that the handle leaves free.
    fn snapped(&self, point: DVec3, step: f64) -> DVec3 {
        let free = |axis: &usize| match self.handle {
            Handle::Arrow(along) => *axis == along,
            Handle::Plane(across) => *axis != across,
            Handle::Center | Handle::Ring(_) => true,
        };
        (0..3).filter(free).fold(point, |point, axis| {
            let axis = self.gizmo.axes[axis];
            let along = point.dot(axis);
            point + axis * ((along / step).round() * step - along)
        })
    }
}
