//! Obstacles, and how deep a link penetrates them.

use glam::DVec3;

/// A region that links must stay out of.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Obstacle {
    /// A ball.
    Sphere {
        /// Center, world.
        center: DVec3,
        /// Radius.
        radius: f64,
    },
    /// The half-space below a plane: points with `normal . x >= offset` are free.
    HalfSpace {
        /// Normal of the plane, unit length, toward the free side.
        normal: DVec3,
        /// Distance of the plane from the origin along the normal.
        offset: f64,
    },
}

/// The deepest point of a link inside an obstacle, or the nearest one outside.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Contact {
    /// Depth below the surface of the obstacle; negative outside.
    pub depth: f64,
    /// Unit vector that points out of the obstacle.
    pub normal: DVec3,
    /// Position on the link: 0 at its first end, 1 at its second.
    pub along: f64,
}

impl Obstacle {
    /// The contact of the segment from `a` to `b`.
    pub fn contact(&self, a: DVec3, b: DVec3) -> Contact {
        match *self {
            Obstacle::Sphere { center, radius } => {
                let link = b - a;
                let squared = link.length_squared();
                let along = if squared > 0.0 { ((center - a).dot(link) / squared).clamp(0.0, 1.0) } else { 0.0 };
                let from_center = a + link * along - center;
                let distance = from_center.length();
                let normal = if distance > 0.0 { from_center / distance } else { DVec3::Z };
                Contact { depth: radius - distance, normal, along }
            }
            Obstacle::HalfSpace { normal, offset } => {
                let heights = [normal.dot(a) - offset, normal.dot(b) - offset];
                let along = if heights[0] <= heights[1] { 0.0 } else { 1.0 };
                Contact { depth: -heights[0].min(heights[1]), normal, along }
            }
        }
    }

    /// Depth of a point; negative outside.
    pub fn depth(&self, point: DVec3) -> f64 {
        self.contact(point, point).depth
    }

    /// Whether all numbers are finite, the radius is not negative and the normal has unit length.
    pub fn is_valid(&self) -> bool {
        match *self {
            Obstacle::Sphere { center, radius } => center.is_finite() && radius.is_finite() && radius >= 0.0,
            Obstacle::HalfSpace { normal, offset } => {
                offset.is_finite() && normal.is_finite() && (normal.length_squared() - 1.0).abs() < 1e-6
            }
        }
    }
}
