//! The pixels that may differ between two frames with the same camera, light and floor.
//!
//! Each thing that is not the same in both frames changes the pixels that it covers, before and after. If it casts a
//! shadow, it also changes the floor within its shade and the things that it shades. All bounds are larger than what the
//! shaders draw, so that a picture in which only these pixels are drawn again equals one that is drawn from scratch.

use super::meshes::Meshes;
use super::shadow::MAX_BLUR;
use super::tiles::Tiles;
use fabrik3d_viewer::raster::{Ball, Camera, Extent, LampView, Solid, casts, corners, extent};
use fabrik3d_viewer::view::frame::{Frame, Halo, Line, MeshInstance, Patch};
use glam::{Vec2, Vec3};

/// Pixels around each thing: the finishing pass smooths edges over two pixels.
const MARGIN: f32 = 3.0;
/// Length in pixels above which a link is bounded in pieces.
const PIECE: f32 = 48.0;
/// `SPREAD` of `softness.glsl`.
const SPREAD: f32 = 0.085;
/// Number of changes above which everything is drawn again: bounds of so many things would cost more than they save.
const MANY: usize = 4_000;
/// Side of the grid that divides the lamp's view, in units of [`Tiles`].
const LAMP_GRID: u32 = 64 * 32;

/// The tiles of the picture in which two frames may differ.
pub(crate) fn damage(
    (before, after): (&Frame, &Frame),
    (camera, lamp): (&Camera, &LampView),
    pixels_per_point: f32,
    meshes: &Meshes,
) -> Tiles {
    let (width, height) = camera.size;
    let mut damage = Damage {
        camera,
        lamp,
        pixels_per_point,
        light: Vec3::from(after.environment.light).normalize_or(Vec3::Y),
        has_floor: after.floor.is_some(),
        tiles: Tiles::new((width as u32, height as u32)),
        shaded: Tiles::new((LAMP_GRID, LAMP_GRID)),
    };
    let differing = differences(&before.spheres, &after.spheres) + differences(&before.capsules, &after.capsules);
    let same_stage = differing <= MANY
        && before.view == after.view
        && before.environment == after.environment
        && before.floor == after.floor
        && before.bounds == after.bounds;
    if !same_stage {
        damage.tiles.mark_all();
        return damage.tiles;
    }
    changed(&before.spheres, &after.spheres, |sphere| damage.solid(sphere));
    changed(&before.capsules, &after.capsules, |capsule| damage.solid(capsule));
    changed(&before.meshes, &after.meshes, |mesh| damage.mesh(mesh, meshes));
    changed(&before.lines, &after.lines, |line| damage.line(line));
    changed(&before.patches, &after.patches, |patch| damage.patch(patch));
    changed(&before.halos, &after.halos, |halo| damage.halo(halo));
    if !damage.shaded.is_empty() {
        after.spheres.iter().for_each(|sphere| damage.receiver(&sphere.caster().ends()));
        after.capsules.iter().for_each(|capsule| damage.receiver(&capsule.caster().ends()));
        after.meshes.iter().filter_map(|mesh| meshes.bounds(mesh)).for_each(|bounds| damage.receiver(&bounds));
    }
    damage.tiles
}

/// How many places of two lists differ.
fn differences<T: PartialEq>(before: &[T], after: &[T]) -> usize {
    before.iter().zip(after).filter(|(old, new)| old != new).count() + before.len().abs_diff(after.len())
}

/// Calls `mark` for everything that differs between two lists. What both lists start and end with stays the same when
/// something between is added or removed.
pub(crate) fn changed<T: PartialEq>(before: &[T], after: &[T], mut mark: impl FnMut(&T)) {
    let common = before.len().min(after.len());
    let first = before.iter().zip(after).take_while(|(old, new)| old == new).count();
    let last =
        before.iter().rev().zip(after.iter().rev()).take(common - first).take_while(|(old, new)| old == new).count();
    let (before, after) = (&before[first..before.len() - last], &after[first..after.len() - last]);
    let is_shifted = before.len() != after.len();
    for (old, new) in before.iter().zip(after).filter(|(old, new)| is_shifted || old != new) {
        mark(old);
        mark(new);
    }
    let common = before.len().min(after.len());
    before[common..].iter().chain(&after[common..]).for_each(mark);
}

struct Damage<'a> {
    camera: &'a Camera,
    lamp: &'a LampView,
    pixels_per_point: f32,
    light: Vec3,
    has_floor: bool,
    /// What must be drawn again.
    tiles: Tiles,
    /// The part of the lamp's view in which shadows change.
    shaded: Tiles,
}

impl Damage<'_> {
    fn solid(&mut self, solid: &impl Solid) {
        let ends = solid.caster().ends();
        let pieces = self.pieces(&ends);
        let at = |k: usize| {
            let t = k as f32 / pieces as f32;
            (ends[0].0.lerp(ends[1].0, t), ends[0].1 + t * (ends[1].1 - ends[0].1))
        };
        for piece in 0..pieces {
            let ends = [at(piece), at(piece + 1)];
            self.visible(&ends);
            if solid.casts() && solid.color()[3] == 255 {
                self.shadow(&ends);
                if self.has_floor {
                    self.footprint(&ends);
                }
            }
        }
    }

    /// In how many pieces a link is bounded, so that the bounds of a long diagonal one are not much larger than itself.
    fn pieces(&self, ends: &[Ball; 2]) -> usize {
        let run = self.camera.pixel(ends[0].0).zip(self.camera.pixel(ends[1].0)).map_or(0.0, |(a, b)| a.distance(b));
        (run / PIECE).ceil().clamp(1.0, 16.0) as usize
    }

    fn mesh(&mut self, instance: &MeshInstance, meshes: &Meshes) {
        let Some(bounds) = meshes.bounds(instance) else { return self.tiles.mark_all() };
        self.visible(&bounds);
        if casts(instance) {
            self.shadow(&bounds);
            let Some((low, high)) = self.lamp.extent(bounds).filter(|_| self.has_floor) else { return };
            let LampView { half, middle, .. } = *self.lamp;
            let blur = MAX_BLUR + 4.0 * self.lamp.texel / half;
            self.floor((low - blur) * half + middle, (high + blur) * half + middle);
        }
    }

    fn line(&mut self, line: &Line) {
        let camera = self.camera;
        // As far as `line.vert` moves the corner of a mitre.
        let reach = (0.5 * line.width * self.pixels_per_point + 1.0) / 0.35;
        for pair in line.points.windows(2) {
            match (camera.pixel(pair[0].0), camera.pixel(pair[1].0)) {
                (Some(a), Some(b)) => self.tiles.mark(a.min(b) - reach - MARGIN, a.max(b) + reach + MARGIN),
                (None, None) => {}
                _ => self.tiles.mark_all(),
            }
        }
    }

    fn patch(&mut self, patch: &Patch) {
        self.visible_points(patch.triangles.iter().map(|(position, ..)| *position));
    }

    fn halo(&mut self, halo: &Halo) {
        self.visible(&[(halo.center, halo.radius + 1.1 * halo.core)]);
    }

    /// Marks the pixels of a hull of balls.
    fn visible(&mut self, balls: &[Ball]) {
        self.visible_points(corners(balls));
    }

    /// Marks the pixels of a hull of points.
    fn visible_points(&mut self, points: impl Iterator<Item = Vec3>) {
        match extent(self.camera, points) {
            Extent::Nowhere => {}
            Extent::Within(low, high) => self.tiles.mark(low - MARGIN, high + MARGIN),
            Extent::Unbounded => self.tiles.mark_all(),
        }
    }

    /// Marks where the shadow of a hull of balls falls, in the lamp's view.
    fn shadow(&mut self, balls: &[Ball]) {
        if let Some((low, high)) = self.lamp.extent(balls.iter().copied()) {
            self.shaded.mark(on_grid(low), on_grid(high));
        }
    }

    /// Marks a hull of balls if the shadow on it may change.
    fn receiver(&mut self, balls: &[Ball]) {
        // The shaders look up the shadow beside the surface, and interpolate.
        let margin = 4.0 * self.lamp.texel / self.lamp.half;
        let within = self.lamp.extent(balls.iter().copied());
        if within.is_some_and(|(low, high)| self.shaded.touches(on_grid(low - margin), on_grid(high + margin))) {
            self.visible(balls);
        }
    }

    /// Marks the floor on which `footprint.frag` draws shade.
    fn footprint(&mut self, balls: &[Ball; 2]) {
        let (mut low, mut high) = (Vec2::INFINITY, Vec2::NEG_INFINITY);
        let texel = self.lamp.texel;
        let light = self.light;
        for &(center, radius) in balls {
            let height = (center.y - self.lamp.height).max(0.0);
            let under = Vec2::new(center.x, center.z);
            let shadow = under - Vec2::new(light.x, light.z) / light.y * height;
            // The edge is soft by up to `softness` at this distance from the caster, which is at most this wide.
            let soft = (radius + SPREAD * height / light.y + texel) / (light.y - SPREAD).max(0.05);
            let wide = soft.min((2.5 * radius + texel) / light.y);
            let around = if height < 4.0 * radius { 3.0 * radius } else { 0.0 };
            low = low.min(shadow - wide).min(under - around);
            high = high.max(shadow + wide).max(under + around);
        }
        self.floor(low - 4.0 * texel, high + 4.0 * texel);
    }

    fn floor(&mut self, low: Vec2, high: Vec2) {
        let corner = |x: f32, z: f32| Vec3::new(x, self.lamp.height, z);
        let corners = [corner(low.x, low.y), corner(high.x, low.y), corner(low.x, high.y), corner(high.x, high.y)];
        self.visible_points(corners.into_iter());
    }
}

/// A place in the lamp's clip space on the grid. Texture lookups outside return what is at the rim.
fn on_grid(clip: Vec2) -> Vec2 {
    (clip * 0.5 + 0.5).clamp(Vec2::ZERO, Vec2::splat(0.9999)) * LAMP_GRID as f32
}
