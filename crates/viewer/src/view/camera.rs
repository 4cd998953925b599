//! The camera: a value that orbits a point with a level horizon.
//!
//! Angles and matrices are `cgmath`'s, whose types, `perspective` and `look_at_rh` prevent unit mistakes. Points are `glam`'s,
//! as everywhere else. +Y is up.

use super::Lens;
use crate::session::command::ViewPreset;
use cgmath::{Angle, Deg, Matrix4, Rad, SquareMatrix, Vector3, Vector4, ortho, perspective};
use glam::DVec3;

/// The point of view of a picture.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The point that it looks at, in the middle of the free area.
    pub look_at: DVec3,
    /// Angle about the vertical; 0 looks from +z, 90 degrees from +x.
    yaw: Rad<f64>,
    /// Height above the horizon.
    pitch: Rad<f64>,
    distance: f64,
    /// How depth is shown.
    pub projection: Projection,
}

/// How depth is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Projection {
    /// Distant things appear smaller.
    Perspective,
    /// Parallel lines stay parallel.
    Orthographic,
}

/// A ray from the eye through a point of the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Start.
    pub origin: DVec3,
    /// Direction, unit length.
    pub direction: DVec3,
}

/// Vertical field of view.
pub(super) const FIELD_OF_VIEW: Deg<f64> = Deg(36.0);
/// Share of the picture's height and width that framed points fill.
const FILL: f64 = 0.8;
/// Rounds of fitting; each at least halves the remaining error.
const FIT_ROUNDS: usize = 12;
/// Largest pitch: just short of vertical, so that the horizon stays defined.
const MAX_PITCH: Rad<f64> = Rad(1.553_343);

impl Camera {
    /// A camera at `eye` that looks at a point, which must differ from `eye`.
    pub fn looking(eye: DVec3, look_at: DVec3) -> Self {
        let back = eye - look_at;
        let distance = back.length().max(1e-9);
        Camera {
            look_at,
            yaw: Rad::atan2(back.x, back.z),
            pitch: Rad::asin((back.y / distance).clamp(-1.0, 1.0)),
            distance,
            projection: Projection::Perspective,
        }
        .level()
    }

    /// A view from the front right with all `points` in the lens's free area.
    pub fn framing(points: &[DVec3], lens: Lens) -> Self {
        let start = Camera {
            look_at: DVec3::ZERO,
            yaw: Deg(32.0).into(),
            pitch: Deg(16.0).into(),
            distance: 1.0,
            projection: Projection::Perspective,
        };
        start.framed(points, lens)
    }

    /// The same view of something that faces `front` rather than +z; a vertical `front` counts as +z.
    pub fn seen_from_front(self, front: DVec3) -> Self {
        let is_vertical = front.x.hypot(front.z) < 1e-3;
        if is_vertical { self } else { Camera { yaw: self.yaw + Rad(front.x.atan2(front.z)), ..self } }
    }

    /// The same direction, moved so that `points` fill the lens's free area up to a margin. Unchanged without points.
    pub fn framed(self, points: &[DVec3], lens: Lens) -> Self {
        let (right, up, back) = self.basis();
        let (half_field, share) = (Rad::from(FIELD_OF_VIEW * 0.5).tan() * FILL, lens.half());
        let (across, half) = (half_field * (lens.aspect * share[0]).max(1e-3), half_field * share[1].max(1e-3));
        let mut camera = self;
        let Some(low) = box_middle(points.iter().copied()) else { return self };
        camera.look_at = low;
        for _ in 0..FIT_ROUNDS {
            // Move back far enough for every point, then sideways until the points are centred.
            let seen = |point: &DVec3| {
                let v = point - camera.look_at;
                (v.dot(right), v.dot(up), v.dot(back))
            };
            let distance = points.iter().map(seen).map(|(x, y, z)| (x.abs() / across).max(y.abs() / half) + z);
            camera.distance = distance.fold(0.0, f64::max).max(1e-9);
            let flat = points.iter().map(seen).map(|(x, y, z)| {
                let depth = (camera.distance - z).max(1e-9 * camera.distance);
                DVec3::new(x / depth, y / depth, 0.0)
            });
            let Some(middle) = box_middle(flat) else { break };
            camera.look_at += (right * middle.x + up * middle.y) * camera.distance;
        }
        if points.iter().all(|point| point.distance(points[0]) < 1e-12) {
            camera.distance = self.distance;
        }
        camera
    }

    /// Orbited by these angles in degrees: to the right, and upward.
    pub fn orbited(self, yaw: f64, pitch: f64) -> Self {
        Camera { yaw: self.yaw + Rad::from(Deg(yaw)), pitch: self.pitch + Rad::from(Deg(pitch)), ..self }.level()
    }

    /// Shifted by these fractions of the picture's height, so that the scene follows the pointer.
    pub fn panned(self, x: f64, y: f64) -> Self {
        let (right, up, _) = self.basis();
        Camera { look_at: self.look_at - (right * x + up * y) * self.height(), ..self }
    }

    /// `factor` times closer.
    pub fn zoomed(self, factor: f64) -> Self {
        Camera { distance: (self.distance / factor).clamp(1e-6, 1e9), ..self }
    }

    /// `factor` times closer, while the scene under the point `at` of the picture stays there.
    pub fn zoomed_to(self, factor: f64, at: [f64; 2], lens: Lens) -> Self {
        let near = self.zoomed(factor);
        let (right, up, _) = self.basis();
        let shift = 0.5 * (self.height() - near.height());
        let [x, y] = from_middle(at, lens);
        Camera { look_at: self.look_at + right * (x * lens.aspect * shift) + up * (y * shift), ..near }
    }

    /// Orbiting this point instead.
    pub fn focused(self, look_at: DVec3) -> Self {
        Camera { look_at, ..self }
    }

    /// Looking from this side.
    pub fn facing(self, side: ViewPreset) -> Self {
        let (yaw, pitch) = match side {
            ViewPreset::Front => (0.0, 0.0),
            ViewPreset::Back => (180.0, 0.0),
            ViewPreset::Right => (90.0, 0.0),
            ViewPreset::Left => (-90.0, 0.0),
            ViewPreset::Top => (0.0, 90.0),
            ViewPreset::Bottom => (0.0, -90.0),
            ViewPreset::Iso => (45.0, 35.264_389_7),
        };
        Camera { yaw: Deg(yaw).into(), pitch: Deg(pitch).into(), ..self }.level()
    }

    /// With the other projection.
    pub fn with_other_projection(self) -> Self {
        let projection = match self.projection {
            Projection::Perspective => Projection::Orthographic,
            Projection::Orthographic => Projection::Perspective,
        };
        Camera { projection, ..self }
    }

    /// Unchanged if all `points` are in the lens's free area, and otherwise framing them.
    pub fn holding(self, points: &[DVec3], lens: Lens) -> Self {
        let is_within = |at: [f64; 2]| (0..2).all(|i| lens.area.low[i] <= at[i] && at[i] <= lens.area.high[i]);
        if points.iter().all(|point| self.project(*point, lens).is_some_and(is_within)) {
            self
        } else {
            self.framed(points, lens)
        }
    }

    /// With a share of the change from `from` to `to`. Turns the shorter way.
    pub fn plus(self, from: Camera, to: Camera, share: f64) -> Self {
        Camera {
            look_at: self.look_at + (to.look_at - from.look_at) * share,
            yaw: self.yaw + (to.yaw - from.yaw).normalize_signed() * share,
            pitch: self.pitch + (to.pitch - from.pitch) * share,
            distance: self.distance * (to.distance / from.distance).powf(share),
            projection: self.projection,
        }
    }

    fn level(self) -> Self {
        let pitch = Rad(self.pitch.0.clamp(-MAX_PITCH.0, MAX_PITCH.0));
        Camera { yaw: self.yaw.normalize_signed(), pitch, ..self }
    }

    /// Right, up and back, unit length.
    fn basis(self) -> (DVec3, DVec3, DVec3) {
        let back = DVec3::new(self.pitch.cos() * self.yaw.sin(), self.pitch.sin(), self.pitch.cos() * self.yaw.cos());
        let right = DVec3::new(self.yaw.cos(), 0.0, -self.yaw.sin());
        (right, back.cross(right), back)
    }

    /// Height of the picture at the look-at point, world units.
    fn height(self) -> f64 {
        2.0 * self.distance * Rad::from(FIELD_OF_VIEW * 0.5).tan()
    }

    fn matrix(self, lens: Lens) -> Matrix4<f64> {
        let [eye, look_at, up] = [self.eye(), self.look_at, self.up()].map(|point| point.to_array());
        let view = Matrix4::look_at_rh(eye.into(), look_at.into(), up.into());
        let (near, far) = (self.distance * 0.01, self.distance * 100.0);
        let projection = match self.projection {
            Projection::Perspective => perspective(FIELD_OF_VIEW, lens.aspect, near, far),
            Projection::Orthographic => {
                let half = 0.5 * self.height();
                ortho(-half * lens.aspect, half * lens.aspect, -half, half, -far * 0.2, far * 0.2)
            }
        };
        let [x, y] = lens.middle();
        Matrix4::from_translation(Vector3::new(x, y, 0.0)) * projection * view
    }

    /// World to clip space with OpenGL conventions, column-major.
    pub fn view_projection(self, lens: Lens) -> [[f32; 4]; 4] {
        self.matrix(lens).cast::<f32>().unwrap_or(Matrix4::identity()).into()
    }

    /// Position of the eye.
    pub fn eye(self) -> DVec3 {
        self.look_at + self.basis().2 * self.distance
    }

    /// Viewing direction, unit length.
    pub fn forward(self) -> DVec3 {
        -self.basis().2
    }

    /// Right in the picture, unit length.
    pub fn right(self) -> DVec3 {
        self.basis().0
    }

    /// Up in the picture, unit length.
    pub fn up(self) -> DVec3 {
        self.basis().1
    }

    /// World units that one pixel covers at `point`, in a picture `height` pixels high.
    pub fn pixel_at(self, point: DVec3, height: f64) -> f64 {
        let depth = match self.projection {
            Projection::Orthographic => self.distance,
            Projection::Perspective => (point - self.eye()).dot(self.forward()),
        };
        2.0 * depth.max(0.0) * Rad::from(FIELD_OF_VIEW * 0.5).tan() / height.max(1.0)
    }

    /// The ray through a point of the picture (x right, y up, -1..1).
    pub fn ray(self, at: [f64; 2], lens: Lens) -> Ray {
        let (right, up, back) = self.basis();
        let half = 0.5 * self.height();
        let [x, y] = from_middle(at, lens);
        let across = right * (x * half * lens.aspect) + up * (y * half);
        let eye = self.eye();
        let (origin, direction) = match self.projection {
            Projection::Perspective => (eye, across - back * self.distance),
            Projection::Orthographic => (eye + across, -back),
        };
        Ray { origin, direction: direction.normalize() }
    }

    /// Where a point appears (x right, y up, -1..1); none behind the eye.
    pub fn project(self, point: DVec3, lens: Lens) -> Option<[f64; 2]> {
        let clip: Vector4<f64> = self.matrix(lens) * Vector4::from(point.extend(1.0).to_array());
        (clip.w > 1e-9).then(|| [clip.x / clip.w, clip.y / clip.w])
    }
}

/// A point of the picture relative to the middle of the free area.
fn from_middle(at: [f64; 2], lens: Lens) -> [f64; 2] {
    let middle = lens.middle();
    [at[0] - middle[0], at[1] - middle[1]]
}

/// Middle of the bounding box of points.
fn box_middle(points: impl Iterator<Item = DVec3> + Clone) -> Option<DVec3> {
    let low = points.clone().reduce(DVec3::min)?;
    let high = points.reduce(DVec3::max)?;
    Some(low + (high - low) / 2.0)
}
