//! The surface of the body as a mesh, painted and simplified.

use crate::shape::*;
use crate::skeleton::*;
use glam::{DMat3, DVec3, dvec3};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap};

/// Triangles of the finished body.
pub const TRIANGLES: usize = 5800;
/// Cells per block edge. Blocks far from the surface are not sampled.
pub const BLOCK: usize = 8;

#[derive(Default)]
pub struct Mesh {
    pub positions: Vec<DVec3>,
    pub triangles: Vec<[u32; 3]>,
    /// The material of each triangle.
    pub materials: Vec<u8>,
}

/// The zero level set of the distance field by naive surface nets: one vertex per cell that it crosses.
pub fn surface(body: &Body) -> Mesh {
    let (low, high) = (dvec3(-0.68, -0.04, -0.18), dvec3(0.68, 1.8, 0.24));
    let size = ((high - low) / CELL).ceil().to_array().map(|cells| (cells as usize).next_multiple_of(BLOCK) + 1);
    let index = |[x, y, z]: [usize; 3]| (z * size[1] + y) * size[0] + x;
    let place = |node: [usize; 3]| low + CELL * dvec3(node[0] as f64, node[1] as f64, node[2] as f64);
    let mut field = vec![f32::MAX; size.iter().product()];
    let span = BLOCK as f64 * CELL;
    for z in (0..size[2] - 1).step_by(BLOCK) {
        for y in (0..size[1] - 1).step_by(BLOCK) {
            for x in (0..size[0] - 1).step_by(BLOCK) {
                let middle = body.distance(place([x, y, z]) + DVec3::splat(span / 2.0));
                let is_near = middle.abs() < 1.6 * span;
                for node in (0..(BLOCK + 1).pow(3))
                    .map(|at| [x + at % (BLOCK + 1), y + at / (BLOCK + 1) % (BLOCK + 1), z + at / (BLOCK + 1).pow(2)])
                {
                    let value = &mut field[index(node)];
                    if is_near {
                        *value = body.distance(place(node)) as f32;
                    } else if *value == f32::MAX {
                        *value = middle as f32;
                    }
                }
            }
        }
    }
    let mut mesh = Mesh::default();
    let mut vertex_of: HashMap<usize, u32> = HashMap::new();
    let corners: [[usize; 3]; 8] = std::array::from_fn(|at| [at & 1, at >> 1 & 1, at >> 2]);
    for z in 0..size[2] - 1 {
        for y in 0..size[1] - 1 {
            for x in 0..size[0] - 1 {
                let values = corners.map(|[i, j, k]| field[index([x + i, y + j, z + k])]);
                let inside = values.iter().filter(|value| **value < 0.0).count();
                if inside == 0 || inside == 8 {
                    continue;
                }
                let (mut sum, mut count) = (DVec3::ZERO, 0.0);
                for (a, first) in corners.iter().enumerate() {
                    for axis in (0..3).filter(|&axis| first[axis] == 0) {
                        let b = a | 1 << axis;
                        if (values[a] < 0.0) != (values[b] < 0.0) {
                            let t = f64::from(values[a] / (values[a] - values[b]));
                            let [from, to] = [a, b].map(|corner| {
                                let [i, j, k] = corners[corner];
                                place([x + i, y + j, z + k])
                            });
                            sum += from.lerp(to, t);
                            count += 1.0;
                        }
                    }
                }
                vertex_of.insert(index([x, y, z]), mesh.positions.len() as u32);
                mesh.positions.push(body.nearest(sum / count));
            }
        }
    }
    let step = [1, size[0], size[0] * size[1]];
    for z in 1..size[2] - 1 {
        for y in 1..size[1] - 1 {
            for x in 1..size[0] - 1 {
                let at = index([x, y, z]);
                for axis in 0..3 {
                    let (from, to) = (field[at] < 0.0, field[at + step[axis]] < 0.0);
                    if from == to {
                        continue;
                    }
                    let (u, v) = (step[(axis + 1) % 3], step[(axis + 2) % 3]);
                    let quad = [at - u - v, at - v, at, at - u].map(|cell| vertex_of[&cell]);
                    let quad = if from { quad } else { [quad[3], quad[2], quad[1], quad[0]] };
                    let [a, b, c, d] = quad.map(|vertex| mesh.positions[vertex as usize]);
                    let halves = if a.distance_squared(c) < b.distance_squared(d) {
                        [[0, 1, 2], [0, 2, 3]]
                    } else {
                        [[0, 1, 3], [1, 2, 3]]
                    };
                    mesh.triangles.extend(halves.map(|half| half.map(|corner| quad[corner])));
                }
            }
        }
    }
    mesh
}

/// Negative inside the bands around neck, elbows, wrists, knees and ankles, which have the colour of the joints.
pub fn band(at: DVec3) -> f64 {
    let ring = |middle: DVec3, axis: DVec3, half: f64, around: f64| {
        ((at - middle).dot(axis).abs() - half).max(at.distance(middle) - around)
    };
    let limbs = [0, 1].into_iter().flat_map(|side| {
        let [_, shoulder, elbow, wrist] = places(CLAVICLES[side]);
        let [hip, knee, ankle, _] = places(THIGHS[side]);
        let across = |a: DVec3, b: DVec3, c: DVec3| ((b - a).normalize() + (c - b).normalize()).normalize();
        [
            ring(elbow, across(shoulder, elbow, wrist), 0.019, 0.08),
            ring(wrist, (wrist - elbow).normalize(), 0.011, 0.08),
            ring(knee + DVec3::Y * 0.002, across(hip, knee, ankle), 0.023, 0.085),
            ring(ankle + DVec3::Y * 0.012, dvec3(0.0, 1.0, -0.12).normalize(), 0.013, 0.075),
        ]
    });
    let neck = ring(dvec3(0.0, 1.515, -0.005), dvec3(0.0, 1.0, 0.12).normalize(), 0.014, 0.075);
    limbs.fold(neck, f64::min)
}

/// Sets the materials of the triangles and splits triangles at the borders of the bands.
pub fn paint(mesh: &mut Mesh, body: &Body) {
    let mut values: Vec<f64> = mesh.positions.iter().map(|&at| band(at)).collect();
    // Snap borders to nearby vertices, to avoid sliver triangles.
    values.iter_mut().filter(|value| value.abs() < 0.15 * CELL).for_each(|value| *value = 0.0);
    let mut cuts: HashMap<(u32, u32), u32> = HashMap::new();
    for [a, b, c] in std::mem::take(&mut mesh.triangles) {
        let mut outline = Vec::new();
        for (from, to) in [(a, b), (b, c), (c, a)] {
            outline.push(from);
            let (start, end) = (values[from as usize], values[to as usize]);
            if start * end < 0.0 {
                let cut = *cuts.entry((from.min(to), from.max(to))).or_insert_with(|| {
                    let place = mesh.positions[from as usize].lerp(mesh.positions[to as usize], start / (start - end));
                    mesh.positions.push(body.nearest(place));
                    values.push(0.0);
                    mesh.positions.len() as u32 - 1
                });
                outline.push(cut);
            }
        }
        for material in [0, 1] {
            let sign = if material == 0 { 1.0 } else { -1.0 };
            let kept: Vec<u32> = outline.iter().copied().filter(|&at| sign * values[at as usize] >= 0.0).collect();
            // A triangle whose corners are all on the border belongs to the body.
            if material == 1 && kept.iter().all(|&at| values[at as usize] == 0.0) {
                continue;
            }
            for last in 2..kept.len() {
                mesh.triangles.push([kept[0], kept[last - 1], kept[last]]);
                mesh.materials.push(material);
            }
        }
    }
}

/// A weighted sum of squared distances to planes: `p A p + 2 b p + c`.
#[derive(Clone, Copy)]
pub struct Quadric {
    pub a: DMat3,
    pub b: DVec3,
    pub c: f64,
}

impl Quadric {
    pub const ZERO: Self = Quadric { a: DMat3::ZERO, b: DVec3::ZERO, c: 0.0 };

    pub fn plane(normal: DVec3, at: DVec3, weight: f64) -> Self {
        let d = -normal.dot(at);
        let a = DMat3::from_cols(normal * normal.x, normal * normal.y, normal * normal.z);
        Quadric { a: a * weight, b: normal * (d * weight), c: d * d * weight }
    }

    pub fn plus(self, other: Self) -> Self {
        Quadric { a: self.a + other.a, b: self.b + other.b, c: self.c + other.c }
    }

    pub fn at(&self, p: DVec3) -> f64 {
        p.dot(self.a * p) + 2.0 * self.b.dot(p) + self.c
    }
}

/// A mesh whose edges are being collapsed.
pub struct Collapse<'a> {
    pub mesh: &'a mut Mesh,
    pub faces: Vec<BTreeSet<u32>>,
    pub quadrics: Vec<Quadric>,
    /// Number of changes of each vertex. Queue entries with older numbers are stale.
    pub changes: Vec<u32>,
}

/// Weight of the error: higher at the hands.
pub fn detail(at: DVec3) -> f64 {
    if at.x.abs() > 0.51 { 5.0 } else { 1.0 }
}

/// Collapses edges until `count` triangles are left. Borders between materials stay in place.
pub fn simplify(mesh: &mut Mesh, count: usize) {
    let vertices = mesh.positions.len();
    let mut faces = vec![BTreeSet::new(); vertices];
    let mut quadrics = vec![Quadric::ZERO; vertices];
    let mut sides: HashMap<(u32, u32), u8> = HashMap::new();
    for (face, triangle) in mesh.triangles.iter().enumerate() {
        let [a, b, c] = triangle.map(|vertex| mesh.positions[vertex as usize]);
        let normal = (b - a).cross(c - a);
        let quadric = Quadric::plane(normal.normalize_or_zero(), a, detail(a) * normal.length() / 6.0);
        for (step, &vertex) in triangle.iter().enumerate() {
            faces[vertex as usize].insert(face as u32);
            quadrics[vertex as usize] = quadrics[vertex as usize].plus(quadric);
            sides.insert((vertex, triangle[(step + 1) % 3]), mesh.materials[face]);
        }
    }
    for (face, triangle) in mesh.triangles.iter().enumerate() {
        let [a, b, c] = triangle.map(|vertex| mesh.positions[vertex as usize]);
        let normal = (b - a).cross(c - a).normalize_or_zero();
        for (step, &from) in triangle.iter().enumerate() {
            let to = triangle[(step + 1) % 3];
            if sides.get(&(to, from)).is_none_or(|&other| other == mesh.materials[face]) {
                continue;
            }
            let edge = mesh.positions[to as usize] - mesh.positions[from as usize];
            let wall = edge.cross(normal).normalize_or_zero();
            let quadric = Quadric::plane(wall, mesh.positions[from as usize], 8.0 * edge.length() * CELL);
            [from, to].into_iter().for_each(|at| quadrics[at as usize] = quadrics[at as usize].plus(quadric));
        }
    }
    let mut left = mesh.triangles.len();
    let mut work = Collapse { mesh, faces, quadrics, changes: vec![0; vertices] };
    let mut queue = BinaryHeap::new();
    let push = |work: &Collapse, queue: &mut BinaryHeap<_>, a: u32, b: u32| {
        let (a, b) = (a.min(b), a.max(b));
        if let Some((_, cost)) = work.merged(a, b) {
            // The bit patterns of non-negative floats have the same order as the numbers.
            queue.push(Reverse((cost.to_bits(), a, b, work.changes[a as usize], work.changes[b as usize])));
        }
    };
    for a in 0..vertices as u32 {
        work.neighbours(a).into_iter().filter(|&b| a < b).for_each(|b| push(&work, &mut queue, a, b));
    }
    while left > count {
        let Some(Reverse((_, a, b, change_a, change_b))) = queue.pop() else { break };
        if [change_a, change_b] != [a, b].map(|at| work.changes[at as usize]) {
            continue;
        }
        let Some((place, _)) = work.merged(a, b) else { continue };
        if let Some(removed) = work.collapse(a, b, place) {
            left -= removed;
            work.neighbours(a).into_iter().for_each(|b| push(&work, &mut queue, a, b));
        }
    }
    work.compact();
}

impl Collapse<'_> {
    pub fn neighbours(&self, vertex: u32) -> BTreeSet<u32> {
        let corners = self.faces[vertex as usize].iter().flat_map(|&face| self.mesh.triangles[face as usize]);
        corners.filter(|&corner| corner != vertex).collect()
    }

    pub fn is_border(&self, vertex: u32) -> bool {
        let mut materials = self.faces[vertex as usize].iter().map(|&face| self.mesh.materials[face as usize]);
        let first = materials.next();
        materials.any(|material| Some(material) != first)
    }

    /// Position of the vertex after collapsing an edge, and its error. None if the edge must stay.
    pub fn merged(&self, a: u32, b: u32) -> Option<(DVec3, f64)> {
        let [at_a, at_b] = [a, b].map(|vertex| self.mesh.positions[vertex as usize]);
        let quadric = self.quadrics[a as usize].plus(self.quadrics[b as usize]);
        let middle = at_a.midpoint(at_b);
        let mut places = match (self.is_border(a), self.is_border(b)) {
            (false, false) => vec![at_a, at_b, middle],
            (true, false) => vec![at_a],
            (false, true) => vec![at_b],
            (true, true) => {
                let shared = self.faces[a as usize].intersection(&self.faces[b as usize]);
                let materials: BTreeSet<u8> = shared.map(|&face| self.mesh.materials[face as usize]).collect();
                if materials.len() < 2 {
                    return None;
                }
                vec![at_a, at_b, middle]
            }
        };
        let determinant = quadric.a.determinant();
        if places.len() == 3 && determinant.abs() > 1e-9 * quadric.a.col(0).length().powi(3).max(1e-30) {
            let best = quadric.a.inverse() * -quadric.b;
            if best.distance(middle) < at_a.distance(at_b) {
                places.push(best);
            }
        }
        // Where errors are equal, collapse short edges first, which keeps the triangles well shaped.
        let regular = 3e-9 * at_a.distance_squared(at_b);
        let costed = places.into_iter().map(|place| (place, quadric.at(place).max(0.0) + regular));
        costed.min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Merges `b` into `a` at `place` and returns the number of removed triangles. None if the surface would fold or break.
    pub fn collapse(&mut self, a: u32, b: u32, place: DVec3) -> Option<usize> {
        let shared: Vec<u32> = self.faces[a as usize].intersection(&self.faces[b as usize]).copied().collect();
        let common = self.neighbours(a).intersection(&self.neighbours(b)).count();
        if shared.len() != 2 || common != 2 {
            return None;
        }
        let normal = |corners: [DVec3; 3]| (corners[1] - corners[0]).cross(corners[2] - corners[0]);
        for vertex in [a, b] {
            for face in self.faces[vertex as usize].iter().filter(|face| !shared.contains(face)) {
                let triangle = self.mesh.triangles[*face as usize];
                let before = triangle.map(|corner| self.mesh.positions[corner as usize]);
                let after: [DVec3; 3] = std::array::from_fn(|k| if triangle[k] == vertex { place } else { before[k] });
                let (old, new) = (normal(before).normalize_or_zero(), normal(after));
                let longest = (0..3).map(|k| after[k].distance_squared(after[(k + 1) % 3])).fold(0.0, f64::max);
                if new.normalize_or_zero().dot(old) < 0.3 || new.length() < 0.06 * longest {
                    return None;
                }
            }
        }
        for face in shared.iter() {
            for corner in self.mesh.triangles[*face as usize] {
                self.faces[corner as usize].remove(face);
            }
        }
        for face in std::mem::take(&mut self.faces[b as usize]) {
            let corners = &mut self.mesh.triangles[face as usize];
            corners.iter_mut().filter(|corner| **corner == b).for_each(|corner| *corner = a);
            self.faces[a as usize].insert(face);
        }
        self.mesh.positions[a as usize] = place;
        self.quadrics[a as usize] = self.quadrics[a as usize].plus(self.quadrics[b as usize]);
        self.changes[a as usize] += 1;
        self.changes[b as usize] += 1;
        Some(shared.len())
    }

    /// Removes unused vertices and triangles.
    pub fn compact(&mut self) {
        let mut number = HashMap::new();
        let old = std::mem::take(self.mesh);
        for (face, triangle) in old.triangles.iter().enumerate() {
            if !self.faces[triangle[0] as usize].contains(&(face as u32)) {
                continue;
            }
            let triangle = triangle.map(|vertex| {
                *number.entry(vertex).or_insert_with(|| {
                    self.mesh.positions.push(old.positions[vertex as usize]);
                    self.mesh.positions.len() as u32 - 1
                })
            });
            self.mesh.triangles.push(triangle);
            self.mesh.materials.push(old.materials[face]);
        }
    }
}
