//! The isosurface of a density grid: naive surface nets (Gibson 1998), with one vertex per cell that the surface crosses.

use glam::Vec3;

/// A triangle corner: position in cells and outward unit normal.
pub(crate) type Corner = (Vec3, Vec3);

/// Triangles (three consecutive corners each) around the region where `density` is at least `level`. The grid holds `size`
/// values along x, y and z, with x varying fastest; the values on its boundary must be below `level`.
pub(crate) fn surface(density: &[f32], size: [usize; 3], level: f32) -> Vec<Corner> {
    let strides = [1, size[0], size[0] * size[1]];
    let index = |cell: [usize; 3]| cell[0] + cell[1] * strides[1] + cell[2] * strides[2];
    let mut corners = vec![None; density.len()];
    let mut triangles = Vec::new();
    for z in 0..size[2] - 1 {
        for y in 0..size[1] - 1 {
            for x in 0..size[0] - 1 {
                let cell = index([x, y, z]);
                let Some(corner) = corner(density, strides, cell, level) else { continue };
                corners[cell] = Some((corner.0 + Vec3::new(x as f32, y as f32, z as f32), corner.1));
                // Four cells share each edge at the cell's low corner; all of them have been visited.
                let is_inside = density[cell] >= level;
                for axis in 0..3 {
                    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                    if is_inside == (density[cell + strides[axis]] >= level) || [x, y, z][u] == 0 || [x, y, z][v] == 0 {
                        continue;
                    }
                    let around = [cell, cell - strides[u], cell - strides[u] - strides[v], cell - strides[v]];
                    if let [Some(a), Some(b), Some(c), Some(d)] = around.map(|cell| corners[cell]) {
                        triangles.extend(if is_inside { [a, b, c, a, c, d] } else { [a, c, b, a, d, c] });
                    }
                }
            }
        }
    }
    triangles
}

/// Vertex of a cell relative to its low corner, and the surface normal there; none where the surface does not cross it.
fn corner(density: &[f32], strides: [usize; 3], cell: usize, level: f32) -> Option<Corner> {
    let value =
        |bits: usize| density[cell + (0..3).map(|axis| (bits >> axis & 1) * strides[axis]).sum::<usize>()] - level;
    let place = |bits: usize| Vec3::from_array([0, 1, 2].map(|axis| (bits >> axis & 1) as f32));
    let (mut sum, mut count, mut slope) = (Vec3::ZERO, 0.0, Vec3::ZERO);
    for from in 0..8 {
        for axis in (0..3).filter(|axis| from >> axis & 1 == 0) {
            let to = from | 1 << axis;
            let (a, b) = (value(from), value(to));
            slope[axis] += b - a;
            if (a >= 0.0) != (b >= 0.0) {
                sum += place(from).lerp(place(to), a / (a - b));
                count += 1.0;
            }
        }
    }
    (count > 0.0).then(|| (sum / count, (-slope).normalize_or(Vec3::Y)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn a_sphere_has_a_closed_surface_at_its_radius() {
        let (size, radius) = ([26, 24, 28], 9.0);
        let center = Vec3::new(12.3, 11.6, 13.1);
        let at = |k: usize| Vec3::new((k % 26) as f32, (k / 26 % 24) as f32, (k / (26 * 24)) as f32);
        let density: Vec<f32> = (0..26 * 24 * 28).map(|k| radius - at(k).distance(center)).collect();
        let corners = surface(&density, size, 0.0);
        assert!(corners.len() > 3000);
        for (place, normal) in &corners {
            let out = *place - center;
            assert!((out.length() - radius).abs() < 0.1, "{place} is {} away", out.length());
            assert!(normal.dot(out.normalize()) > 0.98, "{normal} at {out}");
        }
        // Every edge is shared with a second triangle, in the opposite direction.
        let key = |corner: &Corner| corner.0.to_array().map(f32::to_bits);
        let mut sides: HashMap<_, i32> = HashMap::new();
        for triangle in corners.chunks(3) {
            for k in 0..3 {
                let (a, b) = (key(&triangle[k]), key(&triangle[(k + 1) % 3]));
                *sides.entry((a.min(b), a.max(b))).or_default() += if a < b { 1 } else { -1 };
            }
            let face = (triangle[1].0 - triangle[0].0).cross(triangle[2].0 - triangle[0].0);
            assert!(face.dot(triangle[0].0 - center) >= 0.0, "a triangle faces inward");
        }
        assert!(sides.values().all(|count| *count == 0), "the surface has holes");
    }
}
