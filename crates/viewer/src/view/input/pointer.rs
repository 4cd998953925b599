//! The mouse: drags and clicks as commands.

use super::gizmo::{Gizmo, pixel};
use super::pick;
use crate::session::command::{CameraCommand, Command, SessionCommand};
use crate::session::{EffectorCommand, JointCommand, RotationCommand};
use crate::view::draw::bodies::enclosed_joints;
use crate::view::sizes::target_radius;
use crate::view::stage::grid_cell;
use crate::view::{Grip, Handle, Hover, MeshStyle, Modifiers, Viewer};
use glam::{DQuat, DVec3};

/// Mouse buttons with a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Button {
    /// Drags a target or a part of a figure; elsewhere orbits.
    Left,
    /// Orbits.
    Middle,
    /// Pans.
    Right,
}

/// What the drag in progress does.
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
    /// The gizmo when it was grabbed.
    gizmo: Gizmo,
    /// The target orientation at that time.
    rotation: DQuat,
    /// The pointer at that time: x right, y up, -1..1.
    from: [f64; 2],
    /// Whether it has moved anything yet.
    moved: bool,
    /// The joint that moves the grabbed part of a figure; none if the target or a handle was grabbed.
    part: Option<usize>,
    /// The joint that gets an effector as soon as the drag moves something.
    bare_base: Option<usize>,
}

/// The pointer over the picture. Positions are logical pixels from the top left.
#[derive(Clone, Debug, Default)]
pub struct Pointer {
    at: [f64; 2],
    drag: Option<(Button, Drag)>,
    /// Start of the drag.
    pressed_at: [f64; 2],
    last_click: Option<(f64, [f64; 2])>,
}

/// Degrees that the camera turns in a drag across the height of the picture.
const ORBIT_DEGREES: f64 = 220.0;
/// Distance within which the pointer is on a target or joint, logical pixels.
const GRAB_PIXELS: f64 = 12.0;
/// Longest time between the clicks of a double click, seconds.
const DOUBLE_CLICK_SECONDS: f64 = 0.35;
/// Longest movement of a click, logical pixels; longer ones are drags.
const CLICK_PIXELS: f64 = 4.0;
/// Step to which Ctrl snaps rotations, degrees.
const SNAP_DEGREES: f64 = 15.0;

impl Pointer {
    /// Its position, logical pixels from the top left.
    pub fn position(&self) -> [f64; 2] {
        self.at
    }

    /// The pointer in the picture: x right, y up, -1..1.
    fn ndc(&self, size: [f64; 2]) -> [f64; 2] {
        [2.0 * self.at[0] / size[0].max(1.0) - 1.0, 1.0 - 2.0 * self.at[1] / size[1].max(1.0)]
    }

    /// A button went down. `now` is the time of a monotonic clock, seconds.
    pub fn press(
        &mut self,
        button: Button,
        now: f64,
        modifiers: Modifiers,
        size: [f64; 2],
        viewer: &Viewer,
    ) -> Vec<Command> {
        let mut commands = Vec::new();
        self.pressed_at = self.at;
        let drag = match (button, modifiers.shift) {
            (Button::Left, false) => {
                let under = self.under(size, viewer);
                if matches!(under, None | Some(Hover::Part(..))) {
                    commands.extend(self.double_click(now, size, viewer));
                }
                let drag = under.and_then(|hover| self.grab(hover, size, viewer, &mut commands));
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

    /// A button went up. A click selects the joint under the pointer.
    pub fn release(&mut self, button: Button, size: [f64; 2], viewer: &Viewer) -> Option<Command> {
        let (_, drag) = self.drag.take_if(|(held, _)| *held == button)?;
        let [x, y] = self.pressed_at;
        let clicked = button == Button::Left && (x - self.at[0]).hypot(y - self.at[1]) < CLICK_PIXELS;
        let on_target = matches!(drag, Drag::Target(TargetDrag { part: None, .. }));
        if drag == Drag::Pan || on_target || !clicked {
            return None;
        }
        let select = match self.joint_under(size, viewer) {
            Some(joint) => JointCommand::Select(viewer.session().scene().skeleton.joints()[joint].name.clone()),
            None => viewer.session().selected_joint().map(|_| JointCommand::Clear)?,
        };
        Some(Command::Session(SessionCommand::Joint(select)))
    }

    /// The window lost the pointer: all buttons are up.
    pub fn let_go(&mut self) {
        self.drag = None;
    }

    /// Whether a target is being dragged.
    pub fn drags_target(&self) -> bool {
        matches!(self.drag, Some((_, Drag::Target(_))))
    }

    /// Ends a drag of the target and undoes it; none if no target is being dragged.
    pub fn cancel(&mut self) -> Option<Vec<Command>> {
        let (_, Drag::Target(drag)) = self.drag? else { return None };
        self.drag = None;
        Some(if drag.moved { vec![Command::Session(SessionCommand::Undo)] } else { Vec::new() })
    }

    /// Locks the drag of the target to an axis, or unlocks it. Returns whether a target is being dragged.
    pub fn lock(&mut self, axis: usize) -> bool {
        let Some((_, Drag::Target(drag))) = &mut self.drag else { return false };
        drag.handle = match drag.handle {
            Handle::Ring(_) => Handle::Ring(axis),
            Handle::Arrow(locked) if locked == axis => Handle::Center,
            _ => Handle::Arrow(axis),
        };
        true
    }

    /// The pointer moved.
    pub fn moved(&mut self, to: [f64; 2], modifiers: Modifiers, size: [f64; 2], viewer: &Viewer) -> Option<Command> {
        let [dx, dy] = [to[0] - self.at[0], to[1] - self.at[1]];
        self.at = to;
        let height = size[1].max(1.0);
        match self.drag?.1 {
            Drag::Target(_) => self.drag_target(modifiers, size, viewer),
            _ if dx == 0.0 && dy == 0.0 => None,
            Drag::Orbit => {
                Some(Command::Camera(CameraCommand::Orbit(-dx / height * ORBIT_DEGREES, dy / height * ORBIT_DEGREES)))
            }
            Drag::Pan => Some(Command::Camera(CameraCommand::Pan(dx / height, -dy / height))),
        }
    }

    /// Moves the dragged target to where pointer and modifiers put it.
    pub fn drag_target(&mut self, modifiers: Modifiers, size: [f64; 2], viewer: &Viewer) -> Option<Command> {
        let at = self.ndc(size);
        let [x, y] = self.pressed_at;
        let distance = (x - self.at[0]).hypot(y - self.at[1]);
        let (_, Drag::Target(drag)) = self.drag.as_mut()? else { return None };
        // A click on a figure selects a joint and must not move anything.
        if drag.part.is_some() && !drag.moved && distance < CLICK_PIXELS {
            return None;
        }
        if let Some(base) = drag.bare_base.take() {
            let name = viewer.session().scene().skeleton.joints()[base].name.clone();
            return Some(Command::Session(SessionCommand::Effector(EffectorCommand::Add(Some(name), None))));
        }
        let command = drag.command(at, modifiers, viewer)?;
        drag.moved = true;
        Some(Command::Session(command))
    }

    /// The wheel turned by `lines` (positive: away from the user).
    pub fn wheel(&self, lines: f64, modifiers: Modifiers, size: [f64; 2]) -> Command {
        let at = modifiers.ctrl.then(|| self.ndc(size));
        Command::Camera(CameraCommand::Zoom(1.12_f64.powf(lines), at))
    }

    /// Whether a drag is in progress.
    pub fn is_dragging(&self) -> bool {
        self.drag.is_some()
    }

    /// What is being dragged, or else what is under the pointer.
    pub fn hover(&self, size: [f64; 2], viewer: &Viewer) -> Option<Hover> {
        let selected = || viewer.session().selected();
        match self.drag {
            Some((_, Drag::Target(TargetDrag { part: Some(joint), .. }))) => {
                Some(Hover::Part(joint, selected().map(Grip::Effector)))
            }
            Some((_, Drag::Target(TargetDrag { handle: Handle::Center, .. }))) => selected().map(Hover::Target),
            Some((_, Drag::Target(drag))) => Some(Hover::Handle(drag.handle)),
            Some(_) => None,
            None => self.under(size, viewer),
        }
    }

    /// The target, handle or part of a figure under the pointer.
    fn under(&self, size: [f64; 2], viewer: &Viewer) -> Option<Hover> {
        let handle = || Gizmo::of(viewer)?.pick(viewer, self.at, size).map(Hover::Handle);
        let part = || {
            let hit = pick::figure_under(viewer, self.ndc(size))?;
            Some(Hover::Part(hit.joint?, pick::grip(viewer, &hit)))
        };
        self.target_under(size, viewer).map(Hover::Target).or_else(handle).or_else(part)
    }

    /// Grabs what is under the pointer and selects its effector, or prepares one for a floating base. The drag of a part starts
    /// at the tip of its effector.
    fn grab(&self, hover: Hover, size: [f64; 2], viewer: &Viewer, commands: &mut Vec<Command>) -> Option<TargetDrag> {
        let (session, space) = (viewer.session(), viewer.space());
        let rotation = |effector: usize| session.target(effector).rotation();
        Some(match hover {
            Hover::Handle(handle) => self.drag(rotation(session.selected()?), handle, Gizmo::of(viewer)?, size),
            Hover::Target(effector) => {
                select(effector, viewer, commands);
                let center = space.shown(session.shown_target(effector)?);
                let gizmo = Gizmo { center, ..Gizmo::of(viewer).unwrap_or(Gizmo::plain(center)) };
                self.drag(rotation(effector), Handle::Center, gizmo, size)
            }
            Hover::Part(joint, grip) => {
                let (rotation, tip, bare_base) = match grip? {
                    Grip::Effector(effector) => {
                        select(effector, viewer, commands);
                        (rotation(effector), session.displayed_tip(effector), None)
                    }
                    Grip::Base(base) => {
                        let frames = session.scene().skeleton.frames(session.displayed());
                        (None, frames[base].position, Some(base))
                    }
                };
                let drag = self.drag(rotation, Handle::Center, Gizmo::plain(space.shown(tip)), size);
                TargetDrag { part: Some(joint), bare_base, ..drag }
            }
        })
    }

    /// A drag of a target with this orientation that starts here.
    fn drag(&self, rotation: Option<DQuat>, handle: Handle, gizmo: Gizmo, size: [f64; 2]) -> TargetDrag {
        let rotation = rotation.unwrap_or_default();
        TargetDrag { handle, gizmo, rotation, from: self.ndc(size), moved: false, part: None, bare_base: None }
    }

    /// The effector whose target lies under the pointer.
    fn target_under(&self, size: [f64; 2], viewer: &Viewer) -> Option<usize> {
        let (space, camera) = (viewer.space(), viewer.camera());
        let session = viewer.session();
        let away = (0..session.targets().len()).filter_map(|effector| {
            let shown = space.shown(session.shown_target(effector)?);
            let [x, y] = pixel(viewer, shown, size)?;
            let away = (x - self.at[0]).hypot(y - self.at[1]);
            let unit = camera.pixel_at(shown, size[1]).max(1e-12);
            let radius = target_radius(viewer, effector) / unit;
            (away < GRAB_PIXELS.max(1.2 * radius)).then_some((away, effector))
        });
        away.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, effector)| effector)
    }

    /// The joint under the pointer; of several, the nearest to the eye. Where bodies hide the joints or no joint is near, the
    /// joint that moves the link or the body there.
    fn joint_under(&self, size: [f64; 2], viewer: &Viewer) -> Option<usize> {
        let part = || pick::figure_under(viewer, self.ndc(size)).and_then(|hit| hit.joint);
        let body = || pick::body_under(viewer, self.ndc(size)).and_then(|hit| hit.joint);
        let solid = (viewer.display().meshes == MeshStyle::Solid).then(body).flatten();
        solid.or_else(|| self.drawn_joint_under(size, viewer)).or_else(part)
    }

    fn drawn_joint_under(&self, size: [f64; 2], viewer: &Viewer) -> Option<usize> {
        let enclosed = enclosed_joints(viewer);
        let eye = viewer.camera().eye();
        let (space, scene) = (viewer.space(), viewer.session().scene());
        let frames = scene.skeleton.frames(viewer.session().displayed());
        let drawn = frames.iter().enumerate().filter(|(joint, _)| enclosed.binary_search(joint).is_err());
        let near = drawn.filter_map(|(joint, frame)| {
            let shown = space.shown(frame.position);
            let [x, y] = pixel(viewer, shown, size)?;
            ((x - self.at[0]).hypot(y - self.at[1]) < GRAB_PIXELS).then(|| (shown.distance(eye), joint))
        });
        near.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, joint)| joint)
    }

    /// A second click soon after and near the first focuses the body or joint under it, or else the point on the floor.
    fn double_click(&mut self, now: f64, size: [f64; 2], viewer: &Viewer) -> Option<Command> {
        let near = |(time, [x, y]): (f64, [f64; 2])| {
            now - time < DOUBLE_CLICK_SECONDS && (x - self.at[0]).hypot(y - self.at[1]) < 6.0
        };
        if !self.last_click.is_some_and(near) {
            self.last_click = Some((now, self.at));
            return None;
        }
        self.last_click = None;
        let (space, session) = (viewer.space(), viewer.session());
        if viewer.display().meshes == MeshStyle::Solid
            && let Some(hit) = pick::body_under(viewer, self.ndc(size))
        {
            return Some(Command::Camera(CameraCommand::Focus(hit.point)));
        }
        if let Some(joint) = self.joint_under(size, viewer) {
            let place = session.scene().skeleton.frames(session.displayed())[joint].position;
            return Some(Command::Camera(CameraCommand::Focus(place)));
        }
        let ray = viewer.ray(self.ndc(size));
        let floor = f64::from(viewer.stage.ground.height);
        let along = (floor - ray.origin.y) / ray.direction.y;
        let before = along.is_finite() && along > 0.0 && along < 100.0 * f64::from(viewer.extent().radius);
        before.then(|| Command::Camera(CameraCommand::Focus(space.world(ray.origin + ray.direction * along))))
    }
}

/// Adds the command that selects this effector, if it is not selected.
fn select(effector: usize, viewer: &Viewer, commands: &mut Vec<Command>) {
    let session = viewer.session();
    if Some(effector) != session.selected() {
        let name = session.scene().effectors[effector].name.clone();
        commands.push(Command::Session(SessionCommand::EffectorSelect(name)));
    }
}

impl TargetDrag {
    /// The command that moves the target to the pointer; none if it is there already.
    fn command(&self, at: [f64; 2], modifiers: Modifiers, viewer: &Viewer) -> Option<SessionCommand> {
        let (gizmo, space, session) = (&self.gizmo, viewer.space(), viewer.session());
        let selected = session.selected()?;
        let target = session.target(selected);
        let from = gizmo.point_under(viewer, self.handle, self.from)?;
        let to = gizmo.point_under(viewer, self.handle, at)?;
        if let Handle::Ring(axis) = self.handle {
            let mut angle = gizmo.angle(axis, from, to).to_degrees();
            if modifiers.ctrl {
                angle = (angle / SNAP_DEGREES).round() * SNAP_DEGREES;
            }
            let turn = DQuat::from_axis_angle(space.world(gizmo.axes[axis]), angle.to_radians());
            let rest = turn * self.rotation * target.rotation()?.inverse();
            let rest = if rest.w < 0.0 { -rest } else { rest };
            let degrees = rest.to_scaled_axis().map(f64::to_degrees);
            return (degrees.length() > 1e-9).then_some(SessionCommand::Rotation(RotationCommand::Turn(degrees)));
        }
        let mut goal = gizmo.center + to - from;
        if modifiers.ctrl {
            goal = self.snapped(goal, f64::from(grid_cell(viewer.extent().radius)) / 4.0);
        }
        let place = target.place().or(self.part.map(|_| session.tip(selected)))?;
        let shift = space.world(goal) - place;
        (shift.length() > 1e-12 * gizmo.length).then_some(SessionCommand::TargetMove(shift))
    }

    /// The nearest grid point, along the axes that the handle can move.
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
