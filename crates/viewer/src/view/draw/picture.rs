//! The whole picture of a viewer.

use super::{
    balance, bodies, constraints, joints_and_links, keep_clear, lesson, obstacles, open_goals, passes, race, reach,
    recorded, selection, solutions, targets, trails,
};
use crate::session::command::Show;
use crate::view::draw::bodies::enclosed_joints;
use crate::view::draw::joints_and_links::Bones;
use crate::view::frame::{Bounds, Floor, Frame, View};
use crate::view::stage::grid_cell;
use crate::view::theme::Palette;
use crate::view::{Projection, Viewer};
use fabrik3d_ik::Isometry;
use glam::{DVec3, Mat4, Vec3};

impl Viewer {
    /// The picture as data.
    pub fn picture(&self) -> Frame {
        let (session, display) = (self.session(), self.display());
        let palette = display.theme.palette();
        let frames = session.scene().skeleton.frames(session.displayed());
        let mut frame = self.empty_picture(&frames);
        // A lesson or race draws the selected effector's figure itself. Figures of a race may stand where other figures of the
        // scene are, so these are hidden.
        let covered = session.covered();
        let absent = if session.race().is_some() { (0..frames.len()).collect() } else { covered.to_vec() };
        let has_marks = display.shows(Show::Marks);
        let at_limits = if has_marks { self.joints_at_limits() } else { Vec::new() };
        bodies::draw(self, &frames, &mut frame);
        let enclosed = enclosed_joints(self);
        let unseen = if enclosed.is_empty() { absent } else { enclosed };
        let (viewer, palette) = (self, &palette);
        let bones = Bones {
            viewer,
            palette,
            frames: &frames,
            hidden: &unseen,
            at_limits: &at_limits,
            offset: DVec3::ZERO,
            color: None,
        };
        joints_and_links::draw(&bones, &mut frame);
        if let Some(lesson) = session.lesson() {
            lesson::draw(self, lesson, palette, &mut frame);
        }
        if let Some(race) = session.race() {
            race::draw(bones, race, &mut frame);
        }
        if let Some(shown) = session.passes() {
            passes::draw(self, shown, palette, &mut frame);
        }
        if let Some(shown) = session.solutions() {
            solutions::draw(self, shown, palette, &mut frame);
        }
        obstacles::draw(self, palette, &frames, &mut frame);
        if has_marks {
            self.draw_marks(palette, &frames, &at_limits, &mut frame);
        }
        if !display.shows(Show::Shadows) {
            frame.spheres.iter_mut().for_each(|sphere| sphere.shadow = false);
            frame.capsules.iter_mut().for_each(|capsule| capsule.shadow = false);
            frame.meshes.iter_mut().for_each(|mesh| mesh.shadow = false);
        }
        frame
    }

    /// What is drawn about the figures rather than of them.
    fn draw_marks(&self, palette: &Palette, frames: &[Isometry], at_limits: &[usize], frame: &mut Frame) {
        let is_covered = !self.session().covered().is_empty();
        if !is_covered {
            constraints::poles(self, palette, frames, frame);
            constraints::loops(self, palette, frames, frame);
            constraints::orientations(self, palette, frames, frame);
            open_goals::draw(self, frames, frame);
            constraints::limit_marks(self, palette, frames, at_limits, frame);
            keep_clear::draw(self, palette, frames, frame);
        }
        // Among the construction lines of a lesson a trail would confuse; in a race it belongs to no figure.
        if self.display().shows(Show::Trails) && !is_covered {
            trails::draw(self, palette, frame);
        }
        if self.display().shows(Show::Reach) {
            reach::draw(self, palette, frame);
            balance::draw(self, palette, frame);
        }
        recorded::draw(self, palette, frame);
        selection::hovered(self, palette, frames, frame);
        selection::joint(self, palette, frames, frame);
        targets::draw(self, palette, frame);
        selection::gizmo(self, palette, frame);
    }

    /// Camera, light and floor only.
    fn empty_picture(&self, frames: &[Isometry]) -> Frame {
        let (camera, extent) = (self.camera(), self.extent());
        Frame {
            view: View {
                view_projection: Mat4::from_cols_array_2d(&camera.view_projection(self.lens())),
                eye: camera.eye().as_vec3(),
                forward: camera.forward().as_vec3(),
                orthographic: camera.projection == Projection::Orthographic,
            },
            environment: self.display().theme.environment(self.space().up),
            floor: Some(floor(self, frames)),
            bounds: Bounds { radius: extent.radius * 1.5, ..extent },
            spheres: Vec::new(),
            capsules: Vec::new(),
            lines: Vec::new(),
            patches: Vec::new(),
            halos: Vec::new(),
            meshes: Vec::new(),
        }
    }
}

fn floor(viewer: &Viewer, frames: &[Isometry]) -> Floor {
    let (extent, display, height) = (viewer.extent(), viewer.display(), viewer.stage.ground.height);
    let heights = frames.iter().map(|joint| viewer.space().shown(joint.position).y);
    let depth = (height - heights.fold(f64::INFINITY, f64::min) as f32) / extent.radius;
    let [from, to] = SEEN_DEPTHS;
    Floor {
        height,
        center: Vec3::new(extent.center.x, height, extent.center.z),
        radius: extent.radius * 4.0,
        cell: grid_cell(extent.radius),
        grid: display.shows(Show::Grid),
        axes: display.shows(Show::Axes),
        opacity: 1.0 - (1.0 - SEEN_OPACITY) * ((depth - from) / (to - from)).clamp(0.0, 1.0),
    }
}

/// Depths below the floor, in radii of the scene, at which it begins to let a figure be seen, and from which it does so most;
/// and its opacity there. Test: `an_arm_below_the_plane_of_its_base_is_seen_through_the_floor`.
const SEEN_DEPTHS: [f32; 2] = [0.03, 0.12];
const SEEN_OPACITY: f32 = 0.4;
