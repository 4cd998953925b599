//! Meshes of simple solids, centred at the origin.

use crate::mesh::Mesh;
use fabrik3d_ik::maths;
use glam::{DVec3, Vec3};
use std::f64::consts::PI;

/// Number of segments around a round solid.
const SIDES: u32 = 32;

pub(crate) fn cuboid(sides: DVec3) -> Mesh {
    let mut mesh = Mesh { name: "box".to_owned(), ..Mesh::default() };
    for (axis, sign) in [0, 1, 2].into_iter().flat_map(|axis| [(axis, 1.0), (axis, -1.0)]) {
        let normal = DVec3::AXES[axis] * sign;
        let (u, v) = (DVec3::AXES[(axis + 1) % 3] * sign, DVec3::AXES[(axis + 2) % 3]);
        let first = mesh.positions.len() as u32;
        for (a, b) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
            mesh.positions.push(((normal + u * a + v * b) * sides * 0.5).as_vec3());
            mesh.normals.push(normal.as_vec3());
        }
        mesh.triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
    }
    mesh
}

/// A cylinder along z.
pub(crate) fn cylinder(radius: f64, length: f64) -> Mesh {
    let mut mesh = Mesh { name: "cylinder".to_owned(), ..Mesh::default() };
    let rim = |side: u32| {
        let (sin, cos) = maths::sincos(2.0 * PI * f64::from(side) / f64::from(SIDES));
        DVec3::new(cos, sin, 0.0)
    };
    for side in 0..=SIDES {
        for end in [-0.5, 0.5] {
            mesh.positions.push((rim(side) * radius + DVec3::Z * end * length).as_vec3());
            mesh.normals.push(rim(side).as_vec3());
        }
        if side < SIDES {
            let at = 2 * side;
            mesh.triangles.extend([[at, at + 2, at + 3], [at, at + 3, at + 1]]);
        }
    }
    for end in [-0.5, 0.5] {
        let center = mesh.positions.len() as u32;
        mesh.positions.push((DVec3::Z * end * length).as_vec3());
        mesh.positions.extend((0..SIDES).map(|side| (rim(side) * radius + DVec3::Z * end * length).as_vec3()));
        mesh.normals.extend((0..=SIDES).map(|_| Vec3::Z * end.signum() as f32));
        for side in 0..SIDES {
            let (a, b) = (center + 1 + side, center + 1 + (side + 1) % SIDES);
            mesh.triangles.push(if end > 0.0 { [center, a, b] } else { [center, b, a] });
        }
    }
    mesh
}

pub(crate) fn sphere(radius: f64) -> Mesh {
    Mesh { name: "sphere".to_owned(), ..capsule(radius, 0.0) }
}

/// A cylinder along z between two half spheres. `length` is that of the cylinder.
pub(crate) fn capsule(radius: f64, length: f64) -> Mesh {
    let mut mesh = Mesh { name: "capsule".to_owned(), ..Mesh::default() };
    let rings = SIDES / 2;
    // The half spheres share no ring, so that the sides between them are straight.
    let latitudes = (0..=rings / 2).map(|ring| (ring, 0.5)).chain((rings / 2..=rings).map(|ring| (ring, -0.5)));
    let latitudes: Vec<(u32, f64)> =
        latitudes.filter(|&(ring, end)| length > 0.0 || 2 * ring != rings || end > 0.0).collect();
    for &(ring, end) in &latitudes {
        let (ring_sin, ring_cos) = maths::sincos(PI * f64::from(ring) / f64::from(rings));
        for side in 0..=SIDES {
            let (sin, cos) = maths::sincos(2.0 * PI * f64::from(side) / f64::from(SIDES));
            let normal = DVec3::new(ring_sin * cos, ring_sin * sin, ring_cos);
            mesh.positions.push((normal * radius + DVec3::Z * end * length).as_vec3());
            mesh.normals.push(normal.as_vec3());
        }
    }
    let (row, last) = (SIDES + 1, latitudes.len() as u32 - 1);
    for ring in 0..last {
        for side in 0..SIDES {
            let (a, b) = (ring * row + side, (ring + 1) * row + side);
            if ring > 0 {
                mesh.triangles.push([a, b, a + 1]);
            }
            if ring + 1 < last {
                mesh.triangles.push([a + 1, b, b + 1]);
            }
        }
    }
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Volume inside a closed mesh whose triangles face outward.
    fn volume(mesh: &Mesh) -> f64 {
        let part = |corners: &[u32; 3]| {
            let [a, b, c] = corners.map(|corner| mesh.positions[corner as usize].as_dvec3());
            a.dot(b.cross(c)) / 6.0
        };
        mesh.triangles.iter().map(part).sum()
    }

    #[test]
    fn solids_are_closed_and_face_outward() {
        assert!((volume(&cuboid(DVec3::new(1.0, 2.0, 3.0))) - 6.0).abs() < 1e-5);
        let round = f64::from(SIDES) / (2.0 * PI) * (2.0 * PI / f64::from(SIDES)).sin();
        assert!((volume(&cylinder(0.5, 2.0)) - PI * 0.25 * 2.0 * round).abs() < 1e-5);
        let ball = volume(&sphere(1.0));
        assert!((0.97..1.0).contains(&(ball / (4.0 / 3.0 * PI))), "{ball}");
        let between = volume(&capsule(1.0, 3.0)) - ball;
        assert!((between - 3.0 * PI * round).abs() < 1e-5, "{between}");
    }

    #[test]
    fn normals_point_where_the_triangles_face() {
        for mesh in [cuboid(DVec3::ONE), cylinder(0.5, 2.0), sphere(1.0), capsule(0.5, 2.0)] {
            for corners in &mesh.triangles {
                let [a, b, c] = corners.map(|corner| mesh.positions[corner as usize]);
                let facing = (b - a).cross(c - a);
                for &corner in corners {
                    assert!(facing.dot(mesh.normals[corner as usize]) > 0.0, "{}: {corners:?}", mesh.name);
                }
            }
        }
    }
}
