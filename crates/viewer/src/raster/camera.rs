//! Cameras for the shaders: a matrix, and the ray through each pixel.

use crate::view::frame::{Bounds, View};
use glam::{DMat4, DVec3, Mat4, Vec2, Vec3, Vec4};

/// Rays through pixels, affine in the pixel for every projection: perspective rays share their origin, orthographic rays
/// their direction.
#[derive(Clone, Copy, Debug)]
pub struct RayField {
    /// Start of the ray through the lower left corner.
    pub origin: Vec3,
    /// Change of the start with each pixel to the right.
    pub origin_x: Vec3,
    /// Change of the start with each pixel up.
    pub origin_y: Vec3,
    /// Direction of the ray through the lower left corner.
    pub direction: Vec3,
    /// Change of the direction with each pixel to the right.
    pub direction_x: Vec3,
    /// Change of the direction with each pixel up.
    pub direction_y: Vec3,
}

/// A camera for a raster of `size` pixels.
#[derive(Clone, Copy, Debug)]
pub struct Camera {
    /// World to clip space.
    pub view_projection: Mat4,
    /// Position of the eye.
    pub eye: Vec3,
    /// Whether the projection is orthographic.
    pub orthographic: bool,
    /// Width and height in pixels.
    pub size: (f32, f32),
    /// The rays through its pixels.
    pub rays: RayField,
}

impl Camera {
    /// The camera of a picture of this size in pixels.
    pub fn new(view: &View, size: (u32, u32)) -> Self {
        let size = (size.0 as f32, size.1 as f32);
        let rays = if view.orthographic {
            parallel_rays(view.view_projection, size)
        } else {
            central_rays(view.view_projection, view.eye, size)
        };
        let View { view_projection, eye, orthographic, .. } = *view;
        Camera { view_projection, eye, orthographic, size, rays }
    }

    /// Depth of a point in clip space: -1 near, 1 far.
    pub fn depth(&self, point: Vec3) -> f32 {
        self.view_projection.project_point3(point).z
    }

    /// Size in the world of a pixel at the nearest point of a ball; 0 if it reaches behind the eye.
    pub fn pixel_size(&self, center: Vec3, radius: f32) -> f32 {
        let row = |k| self.view_projection.row(k).truncate().length();
        let nearest = (self.view_projection * center.extend(1.0)).w - radius * row(3);
        2.0 * nearest.max(0.0) / (self.size.1 * row(1))
    }

    /// Where a point appears, in pixels from the lower left corner; none behind the eye.
    pub fn pixel(&self, point: Vec3) -> Option<Vec2> {
        let clip = self.view_projection * point.extend(1.0);
        let (width, height) = self.size;
        (clip.w > 1e-6).then(|| (Vec2::new(clip.x, clip.y) / clip.w * 0.5 + 0.5) * Vec2::new(width, height))
    }
}

/// The world point at normalized device coordinates.
fn unproject(inverse: &DMat4, x: f64, y: f64, z: f64) -> DVec3 {
    inverse.project_point3(DVec3::new(x, y, z))
}

fn parallel_rays(view_projection: Mat4, (width, height): (f32, f32)) -> RayField {
    let inverse = view_projection.as_dmat4().inverse();
    let corner = unproject(&inverse, -1.0, -1.0, -1.0);
    let step = |x, y, pixels: f32| ((unproject(&inverse, x, y, -1.0) - corner) / f64::from(pixels)).as_vec3();
    RayField {
        origin: corner.as_vec3(),
        origin_x: step(1.0, -1.0, width),
        origin_y: step(-1.0, 1.0, height),
        direction: (unproject(&inverse, -1.0, -1.0, 1.0) - corner).normalize_or(DVec3::NEG_Z).as_vec3(),
        direction_x: Vec3::ZERO,
        direction_y: Vec3::ZERO,
    }
}

fn central_rays(view_projection: Mat4, eye: Vec3, (width, height): (f32, f32)) -> RayField {
    // Any plane of constant depth works; the one at 0 also exists for infinite projections.
    let inverse = view_projection.as_dmat4().inverse();
    let corner = unproject(&inverse, -1.0, -1.0, 0.0);
    let away = corner - eye.as_dvec3();
    let scale = 1.0 / away.length().max(f64::MIN_POSITIVE);
    let step = |x, y, pixels: f32| ((unproject(&inverse, x, y, 0.0) - corner) * scale / f64::from(pixels)).as_vec3();
    RayField {
        origin: eye,
        origin_x: Vec3::ZERO,
        origin_y: Vec3::ZERO,
        direction: (away * scale).as_vec3(),
        direction_x: step(1.0, -1.0, width),
        direction_y: step(-1.0, 1.0, height),
    }
}

/// The lamp's view: an orthographic projection along its rays onto a square of the floor.
#[derive(Clone, Copy, Debug)]
pub struct LampView {
    /// The projection.
    pub camera: Camera,
    /// Height of the floor.
    pub height: f32,
    /// Size of a texel in the world.
    pub texel: f32,
    /// Middle (x, z) of the square.
    pub middle: Vec2,
    /// Half of its side.
    pub half: f32,
}

impl LampView {
    /// Covers every shadow of casters within `bounds` on a floor at `height`, with `side` texels along each side. A point p
    /// casts its shadow at p - l (p.y - height) / l.y, where l points toward the lamp; this is linear in p.
    pub fn new(bounds: &Bounds, height: f32, light: Vec3, side: u32) -> Self {
        let light = light.normalize_or(Vec3::Y);
        let slope = Vec2::new(light.x, light.z) / light.y.max(0.2);
        let radius = bounds.radius.max(1e-6);
        let above = bounds.center.y - height;
        let foot = Vec2::new(bounds.center.x, bounds.center.z);
        let shadow = foot - slope * above;
        let wide = radius * (1.0 + slope.length_squared()).sqrt() * 1.1;
        // The shadow, and the ground under the casters themselves.
        let low = (shadow - wide).min(foot - 1.3 * radius);
        let high = (shadow + wide).max(foot + 1.3 * radius);
        let middle = 0.5 * (low + high);
        let half = 0.5 * (high - low).max_element();
        let deep = (above.abs() + radius) * 1.05;
        let row_x = Vec4::new(1.0, -slope.x, 0.0, slope.x * height - middle.x) / half;
        let row_y = Vec4::new(0.0, -slope.y, 1.0, slope.y * height - middle.y) / half;
        let row_z = Vec4::new(0.0, -1.0, 0.0, height) / deep; // the highest point is nearest
        let view_projection = Mat4::from_cols(row_x, row_y, row_z, Vec4::W).transpose();
        let size = (side as f32, side as f32);
        let rays = parallel_rays(view_projection, size);
        let camera = Camera { view_projection, eye: rays.origin, orthographic: true, size, rays };
        LampView { camera, height, texel: 2.0 * half / side as f32, middle, half }
    }

    /// Lowest and highest clip coordinates of balls; none without balls.
    pub fn extent(&self, balls: impl IntoIterator<Item = Ball>) -> Option<(Vec2, Vec2)> {
        let matrix = &self.camera.view_projection;
        let reach = Vec2::new(matrix.row(0).truncate().length(), matrix.row(1).truncate().length());
        let extents = balls.into_iter().map(|(center, radius)| {
            let middle = matrix.project_point3(center).truncate();
            (middle - radius * reach, middle + radius * reach)
        });
        extents.reduce(|(l, h), (low, high)| (l.min(low), h.max(high)))
    }
}

/// A sphere: centre and radius.
pub type Ball = (Vec3, f32);

/// Where points appear.
#[derive(Clone, Copy, Debug)]
pub enum Extent {
    /// All are behind the eye.
    Nowhere,
    /// Pixels from the lower left corner.
    Within(Vec2, Vec2),
    /// Some are in front of the eye and some behind.
    Unbounded,
}

/// Where the convex hull of points appears.
pub fn extent(camera: &Camera, points: impl Iterator<Item = Vec3>) -> Extent {
    let (mut low, mut high) = (Vec2::INFINITY, Vec2::NEG_INFINITY);
    let mut is_behind = false;
    for point in points {
        match camera.pixel(point) {
            Some(pixel) => (low, high) = (low.min(pixel), high.max(pixel)),
            None => is_behind = true,
        }
    }
    match (low.x <= high.x, is_behind) {
        (false, _) => Extent::Nowhere,
        (true, false) => Extent::Within(low, high),
        (true, true) => Extent::Unbounded,
    }
}

/// Corners of the cubes around balls.
pub fn corners(balls: &[Ball]) -> impl Iterator<Item = Vec3> + '_ {
    let side = |negative: bool, radius: f32| if negative { -radius } else { radius };
    balls.iter().flat_map(move |&(center, radius)| {
        let corner =
            move |k: u32| Vec3::new(side(k & 1 == 0, radius), side(k & 2 == 0, radius), side(k & 4 == 0, radius));
        (0..8).map(move |k| center + corner(k))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::camera::rh::proj::{directx, opengl};
    use glam::camera::rh::view::look_at_mat4;

    fn close(a: Vec2, b: Vec2) -> bool {
        a.distance(b) < 1e-2
    }

    fn check_rays(camera: &Camera) {
        for pixel in [Vec2::new(0.5, 0.5), Vec2::new(100.25, 40.5), Vec2::new(319.5, 179.5)] {
            let rays = &camera.rays;
            let origin = rays.origin + pixel.x * rays.origin_x + pixel.y * rays.origin_y;
            let direction = rays.direction + pixel.x * rays.direction_x + pixel.y * rays.direction_y;
            for t in [0.5, 3.0, 20.0] {
                let seen = camera.pixel(origin + t * direction.normalize()).expect("in front of the eye");
                assert!(close(seen, pixel), "{pixel} appears at {seen} for {t}");
            }
        }
    }

    #[test]
    fn points_on_a_pixels_ray_appear_at_that_pixel() {
        let (eye, at) = (Vec3::new(3.0, 2.0, -4.0), Vec3::new(0.1, 0.7, 0.2));
        let look = look_at_mat4(eye, at, Vec3::Y);
        let forward = (at - eye).normalize();
        let perspective = opengl::perspective(0.7, 16.0 / 9.0, 0.01, 1000.0);
        let infinite = directx::perspective_infinite(0.7, 16.0 / 9.0, 0.01);
        let parallel = opengl::orthographic(-1.6, 1.6, -0.9, 0.9, -50.0, 100.0);
        for (projection, orthographic) in [(perspective, false), (infinite, false), (parallel, true)] {
            let view_projection = projection * look;
            check_rays(&Camera::new(&View { view_projection, eye, forward, orthographic }, (320, 180)));
        }
    }

    #[test]
    fn the_lamp_sees_all_casters_and_their_shadows() {
        let light = Vec3::new(0.6, 1.0, -0.4);
        for (center, radius, height) in [(Vec3::new(3.0, 1.0, -2.0), 1.0, 0.0), (Vec3::ZERO, 0.2, -1.5)] {
            let lamp = LampView::new(&Bounds { center, radius }, height, light, 256);
            check_lamp(&lamp, center, radius, height, light);
        }
    }

    fn check_lamp(lamp: &LampView, center: Vec3, radius: f32, height: f32, light: Vec3) {
        for axis in [Vec3::X, Vec3::Y, Vec3::Z, -Vec3::X, -Vec3::Y, -Vec3::Z] {
            let caster = center + radius * axis;
            let shadow = caster - light * ((caster.y - height) / light.y);
            let place = |p: Vec3| lamp.camera.view_projection.project_point3(p);
            assert!(place(caster).abs().max_element() <= 1.0, "{caster} is outside: {}", place(caster));
            assert!(place(caster).truncate().distance(place(shadow).truncate()) < 1e-5, "not along the lamp's ray");
            if caster.y > height {
                assert!(place(caster).z < place(shadow).z, "not nearer to the lamp");
            }
        }
    }
}
