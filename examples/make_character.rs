//! Creates the mannequin of the program: body, skeleton, skin weights and a walk cycle, all from the numbers below.
//!
//! `cargo run --release --example make_character [-- FILE]` writes `assets/models/mannequin.glb`.
//!
//! The body is a signed distance field: tubes with elliptical sections, joined by smooth unions. Surface nets turn it
//! into a fine mesh, which is then simplified with quadric error metrics (Garland and Heckbert, 1997). Units are metres.
//! The figure stands on y = 0 and faces +z; its left side is at +x.

use glam::{DMat3, DMat4, DQuat, DVec3, dvec3};
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap};
use std::error::Error;
use std::f64::consts::TAU;

/// Triangles of the finished body.
const TRIANGLES: usize = 5800;
/// Cell size of the sampling grid.
const CELL: f64 = 0.005;
/// Cells per block edge. Blocks far from the surface are not sampled.
const BLOCK: usize = 8;
/// Linear base colours: the body, and the bands at its joints.
const COLORS: [[f64; 4]; 2] = [[0.62, 0.60, 0.56, 1.0], [0.035, 0.045, 0.06, 1.0]];

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "assets/models/mannequin.glb".to_owned());
    let (skeleton, body) = (Skeleton::new(), Body::new());
    let mut mesh = surface(&body);
    paint(&mut mesh, &body);
    simplify(&mut mesh, TRIANGLES);
    mesh.positions.iter_mut().for_each(|at| *at = body.nearest(*at));
    let normals: Vec<DVec3> = mesh.positions.iter().map(|&at| body.normal(at)).collect();
    let weights = weights(&mesh, &body, &skeleton);
    let file = glb(&skeleton, &mesh, &normals, &weights, &walk(&skeleton));
    std::fs::write(&path, &file)?;
    println!("{path}: {} triangles, {} vertices, {} bytes", mesh.triangles.len(), mesh.positions.len(), file.len());
    Ok(())
}

// ---- Skeleton ----

/// Joints in the order of the file: name, parent, position. The right side mirrors the left.
const JOINTS: [(&str, usize, [f64; 3]); 21] = [
    ("Hips", 0, [0.0, 0.955, -0.004]),
    ("Spine", 0, [0.0, 1.06, -0.004]),
    ("Chest", 1, [0.0, 1.2, -0.004]),
    ("Neck", 2, [0.0, 1.485, -0.012]),
    ("Head", 3, [0.0, 1.575, 0.0]),
    ("LeftShoulder", 2, [0.035, 1.43, -0.012]),
    ("LeftArm", 5, [0.18, 1.408, -0.014]),
    ("LeftForeArm", 6, [0.3665, 1.193, -0.022]),
    ("LeftHand", 7, [0.519, 1.0, 0.026]),
    ("LeftUpLeg", 0, [0.084, 0.915, -0.004]),
    ("LeftLeg", 9, [0.09, 0.492, 0.008]),
    ("LeftFoot", 10, [0.094, 0.082, -0.02]),
    ("LeftToeBase", 11, [0.102, 0.022, 0.1]),
    ("RightShoulder", 2, [-0.035, 1.43, -0.012]),
    ("RightArm", 13, [-0.18, 1.408, -0.014]),
    ("RightForeArm", 14, [-0.3665, 1.193, -0.022]),
    ("RightHand", 15, [-0.519, 1.0, 0.026]),
    ("RightUpLeg", 0, [-0.084, 0.915, -0.004]),
    ("RightLeg", 17, [-0.09, 0.492, 0.008]),
    ("RightFoot", 18, [-0.094, 0.082, -0.02]),
    ("RightToeBase", 19, [-0.102, 0.022, 0.1]),
];
const HIPS: usize = 0;
const SPINE: usize = 1;
const CHEST: usize = 2;
const NECK: usize = 3;
const HEAD: usize = 4;
/// First joints of the left and right limbs; the others follow in the order of the table.
const CLAVICLES: [usize; 2] = [5, 13];
const THIGHS: [usize; 2] = [9, 17];

struct Skeleton {
    /// Rest positions of the joints.
    at: Vec<DVec3>,
    /// Rest orientations: z along the link, x along the elbow or knee axis or, for other joints, to the left.
    axes: Vec<DQuat>,
}

impl Skeleton {
    fn new() -> Self {
        let at: Vec<DVec3> = JOINTS.iter().map(|joint| DVec3::from_array(joint.2)).collect();
        let links = |joint: usize| -> DVec3 {
            let children = (1..JOINTS.len()).filter(|&child| JOINTS[child].1 == joint);
            children.map(|child| at[child] - at[joint]).sum()
        };
        let mut axes = Vec::new();
        for (joint, &(_, parent, _)) in JOINTS.iter().enumerate() {
            let link = links(joint).try_normalize().unwrap_or_else(|| links(parent).normalize());
            // Thigh and shin share the normal of their plane as hinge axis; so do upper arm and forearm.
            let side = usize::from(joint >= CLAVICLES[1]);
            let (arm, thigh) = (CLAVICLES[side] + 1, THIGHS[side]);
            let normal = |first: usize, order: f64| order * links(first).cross(links(first + 1)).normalize();
            let x = match joint {
                _ if (arm..arm + 3).contains(&joint) => normal(arm, -1.0),
                _ if (thigh..thigh + 4).contains(&joint) => normal(thigh, 1.0),
                _ if CLAVICLES.contains(&joint) => DVec3::Z.cross(link),
                _ => DVec3::X,
            };
            let x = x.reject_from_normalized(link).normalize();
            axes.push(DQuat::from_mat3(&DMat3::from_cols(x, link.cross(x), link)));
        }
        Skeleton { at, axes }
    }

    /// The local rotation of a joint for a `turn` relative to rest, given in world axes.
    fn local(&self, joint: usize, turn: DQuat) -> DQuat {
        let parent = if joint == HIPS { DQuat::IDENTITY } else { self.axes[JOINTS[joint].1] };
        parent.conjugate() * turn * self.axes[joint]
    }
}

// ---- Shape ----

/// A segment of a tube between two ellipses.
struct Piece {
    from: DVec3,
    along: DVec3,
    /// Semi-axes u and v at both ends.
    half: [[f64; 2]; 2],
    axes: [DVec3; 3],
}

/// A smooth tube with elliptical sections and rounded ends.
struct Tube {
    pieces: Vec<Piece>,
    middle: DVec3,
    radius: f64,
}

/// Beyond this distance from its bounding sphere, a tube returns only a lower bound of the distance.
const FAR: f64 = 0.12;

impl Tube {
    /// Each station is a position and the two semi-axes there; `across` is the direction of the first semi-axis.
    fn new(across: DVec3, stations: &[(DVec3, f64, f64)]) -> Self {
        const STEPS: usize = 8;
        let get = |at: isize| stations[at.clamp(0, stations.len() as isize - 1) as usize];
        let spline = |[a, b, c, d]: [f64; 4], t: f64| {
            b + 0.5 * t * (c - a + t * (2.0 * a - 5.0 * b + 4.0 * c - d + t * (3.0 * (b - c) + d - a)))
        };
        let point = |span: usize, t: f64| {
            let [a, b, c, d] = [-1, 0, 1, 2].map(|step| get(span as isize + step));
            let each = |pick: &dyn Fn(&(DVec3, f64, f64)) -> f64| spline([pick(&a), pick(&b), pick(&c), pick(&d)], t);
            (dvec3(each(&|s| s.0.x), each(&|s| s.0.y), each(&|s| s.0.z)), each(&|s| s.1), each(&|s| s.2))
        };
        let mut points = vec![stations[0]];
        for span in 0..stations.len() - 1 {
            points.extend((1..=STEPS).map(|step| point(span, step as f64 / STEPS as f64)));
        }
        let piece = |ends: &[(DVec3, f64, f64)]| {
            let along = ends[1].0 - ends[0].0;
            let w = along.normalize();
            let u = across.reject_from_normalized(w).normalize();
            Piece {
                from: ends[0].0,
                along,
                half: [[ends[0].1, ends[0].2], [ends[1].1, ends[1].2]],
                axes: [u, w.cross(u), w],
            }
        };
        let middle = points.iter().map(|point| point.0).sum::<DVec3>() / points.len() as f64;
        let radius = points.iter().map(|(at, u, v)| at.distance(middle) + u.max(*v)).fold(0.0, f64::max);
        Tube { pieces: points.windows(2).map(piece).collect(), middle, radius }
    }

    fn distance(&self, at: DVec3) -> f64 {
        let bound = at.distance(self.middle) - self.radius;
        if bound > FAR {
            return bound;
        }
        self.pieces.iter().map(|piece| piece.distance(at)).fold(f64::MAX, f64::min)
    }
}

impl Piece {
    /// First-order distance to the ellipsoid around the nearest point of the axis.
    fn distance(&self, at: DVec3) -> f64 {
        let t = ((at - self.from).dot(self.along) / self.along.length_squared()).clamp(0.0, 1.0);
        let offset = at - self.from - self.along * t;
        let half = |k: usize| self.half[0][k] + (self.half[1][k] - self.half[0][k]) * t;
        let half = dvec3(half(0), half(1), half(0).min(half(1)));
        let scaled = dvec3(offset.dot(self.axes[0]), offset.dot(self.axes[1]), offset.dot(self.axes[2])) / half;
        let (near, slope) = (scaled.length(), (scaled / half).length());
        if slope < 1e-9 { -half.min_element() } else { near * (near - 1.0) / slope }
    }
}

/// Smooth union of two distances: the edge between the shapes is rounded over about `width`.
fn join(a: f64, b: f64, width: f64) -> f64 {
    let overlap = (width - (a - b).abs()).max(0.0) / width;
    a.min(b) - overlap * overlap * overlap * width / 6.0
}

struct Arm {
    shoulder: Tube,
    limb: Tube,
    palm: Tube,
    fingers: Vec<Tube>,
    thumb: Tube,
}

struct Leg {
    limb: Tube,
    seat: Tube,
    foot: Tube,
}

/// The parts of the body, which get separate skin weights. Arms and legs: left, right.
struct Body {
    trunk: Tube,
    neck: Tube,
    head: Tube,
    /// Left and right half of the chest.
    chest: [Tube; 2],
    arms: [Arm; 2],
    legs: [Leg; 2],
}

impl Body {
    fn new() -> Self {
        let level = |stations: &[[f64; 4]]| {
            let stations: Vec<_> = stations.iter().map(|[y, z, u, v]| (dvec3(0.0, *y, *z), *u, *v)).collect();
            // The tube points up, with x as its first semi-axis.
            Tube::new(DVec3::X, &stations)
        };
        Body {
            trunk: level(&[
                [0.885, -0.012, 0.1, 0.08],
                [0.925, -0.012, 0.137, 0.092],
                [0.975, -0.01, 0.144, 0.096],
                [1.035, -0.004, 0.129, 0.088],
                [1.095, 0.004, 0.114, 0.08],
                [1.165, 0.006, 0.122, 0.086],
                [1.24, 0.004, 0.141, 0.099],
                [1.31, -0.002, 0.154, 0.105],
                [1.365, -0.01, 0.15, 0.096],
                [1.41, -0.016, 0.12, 0.078],
            ]),
            neck: level(&[
                [1.4, -0.024, 0.07, 0.062],
                [1.45, -0.02, 0.055, 0.055],
                [1.5, -0.01, 0.047, 0.049],
                [1.59, 0.004, 0.047, 0.05],
            ]),
            head: level(&[
                [1.575, 0.044, 0.036, 0.04],
                [1.6, 0.034, 0.054, 0.06],
                [1.635, 0.02, 0.0675, 0.079],
                [1.665, 0.012, 0.073, 0.09],
                [1.682, 0.008, 0.072, 0.09],
            ]),
            chest: [1.0, -1.0].map(|side| {
                let stations = [
                    (dvec3(side * 0.04, 1.318, 0.056), 0.042, 0.044),
                    (dvec3(side * 0.08, 1.322, 0.05), 0.046, 0.046),
                    (dvec3(side * 0.125, 1.345, 0.026), 0.042, 0.042),
                ];
                Tube::new(DVec3::Y, &stations)
            }),
            arms: [Arm::new(1.0), Arm::new(-1.0)],
            legs: [Leg::new(1.0), Leg::new(-1.0)],
        }
    }

    fn trunk(&self, at: DVec3) -> f64 {
        let neck = join(self.neck.distance(at), self.head.distance(at), 0.03);
        let trunk = self.chest.iter().fold(self.trunk.distance(at), |sum, half| join(sum, half.distance(at), 0.07));
        join(trunk, neck, 0.06)
    }

    fn distance(&self, at: DVec3) -> f64 {
        let shoulders = self.arms.iter().map(|arm| arm.shoulder.distance(at));
        let trunk = shoulders.fold(self.trunk(at), |sum, shoulder| join(sum, shoulder, 0.08));
        let arms = self.arms.iter().map(|arm| arm.distance(at)).fold(f64::MAX, f64::min);
        let legs = self.legs.iter().map(|leg| leg.distance(at)).fold(f64::MAX, f64::min);
        join(join(trunk, arms, 0.05), legs, 0.045)
    }

    fn normal(&self, at: DVec3) -> DVec3 {
        const STEP: f64 = 0.004;
        let slope = |axis: DVec3| self.distance(at + STEP * axis) - self.distance(at - STEP * axis);
        dvec3(slope(DVec3::X), slope(DVec3::Y), slope(DVec3::Z)).normalize_or(DVec3::Y)
    }

    /// Projects a point near the surface onto it.
    fn nearest(&self, mut at: DVec3) -> DVec3 {
        for _ in 0..3 {
            at -= self.normal(at) * self.distance(at).clamp(-CELL, CELL);
        }
        at
    }
}

/// Positions of the four joints of a limb that starts at joint `first`.
fn places(first: usize) -> [DVec3; 4] {
    std::array::from_fn(|step| DVec3::from_array(JOINTS[first + step].2))
}

impl Arm {
    /// The left arm for side 1, the right arm for side -1.
    fn new(side: f64) -> Self {
        let mirror = |at: DVec3| dvec3(side * at.x, at.y, at.z);
        let [collar, shoulder, elbow, wrist] = places(CLAVICLES[0]);
        let across = DVec3::Z;
        let tube = |across: DVec3, stations: Vec<(DVec3, f64, f64)>| {
            let stations: Vec<_> = stations.iter().map(|(at, u, v)| (mirror(*at), *u, *v)).collect();
            Tube::new(mirror(across), &stations)
        };
        let [upper, lower] = [(shoulder, elbow), (elbow, wrist)].map(|(a, b)| move |share: f64| a.lerp(b, share));
        let link = (wrist - elbow).normalize();
        // Directions toward the thumb and out of the back of the hand.
        let thumb = across.reject_from_normalized(link).normalize();
        let back = link.cross(thumb) * -1.0;
        let hand = |along: f64, sideways: f64, out: f64| wrist + link * along + thumb * sideways + back * out;
        let finger = |sideways: f64, length: f64, radius: f64| {
            let along = |share: f64| share * length;
            // The fingers are spread and slightly bent.
            let bent = |share: f64, drop: f64| hand(0.08 + along(share), sideways * (1.0 + 4.5 * along(share)), -drop);
            tube(
                thumb,
                vec![
                    (bent(0.0, 0.0), radius, radius),
                    (bent(0.4, 0.003), radius, radius * 0.95),
                    (bent(0.75, 0.012), 0.9 * radius, 0.85 * radius),
                    (bent(1.0, 0.024), 0.75 * radius, 0.7 * radius),
                ],
            )
        };
        let fingers =
            [(0.0315, 0.066, 0.0084), (0.0107, 0.075, 0.0087), (-0.0103, 0.07, 0.0084), (-0.0305, 0.054, 0.0076)];
        Arm {
            shoulder: tube(
                across,
                vec![
                    (collar + dvec3(-0.01, 0.0, -0.008), 0.04, 0.04),
                    (collar.lerp(shoulder, 0.45) + dvec3(0.0, 0.014, -0.004), 0.045, 0.042),
                    (shoulder + dvec3(-0.012, 0.0, 0.0), 0.048, 0.046),
                ],
            ),
            limb: tube(
                across,
                vec![
                    (upper(0.0), 0.053, 0.052),
                    (upper(0.2), 0.0515, 0.05),
                    (upper(0.45), 0.0455, 0.044),
                    (upper(0.75), 0.0385, 0.039),
                    (upper(1.0), 0.036, 0.036),
                    (lower(0.2), 0.039, 0.038),
                    (lower(0.4), 0.037, 0.036),
                    (lower(0.7), 0.0295, 0.0285),
                    (lower(1.0), 0.0265, 0.0215),
                ],
            ),
            palm: tube(
                thumb,
                vec![
                    (hand(-0.01, 0.0, 0.0), 0.025, 0.02),
                    (hand(0.03, 0.003, 0.001), 0.035, 0.0175),
                    (hand(0.062, 0.001, 0.001), 0.0395, 0.0145),
                    (hand(0.074, 0.0, 0.0), 0.0385, 0.0115),
                ],
            ),
            fingers: fingers.map(|(sideways, length, radius)| finger(sideways, length, radius)).into(),
            thumb: tube(
                back,
                vec![
                    (hand(0.018, 0.014, -0.003), 0.014, 0.016),
                    (hand(0.045, 0.036, -0.008), 0.0115, 0.012),
                    (hand(0.068, 0.049, -0.012), 0.0095, 0.0102),
                    (hand(0.09, 0.056, -0.016), 0.0072, 0.008),
                ],
            ),
        }
    }

    fn distance(&self, at: DVec3) -> f64 {
        let fingers = self.fingers.iter().fold(f64::MAX, |sum, finger| join(sum, finger.distance(at), 0.01));
        let hand = join(join(self.palm.distance(at), fingers, 0.024), self.thumb.distance(at), 0.028);
        join(self.limb.distance(at), hand, 0.03)
    }
}

impl Leg {
    fn new(side: f64) -> Self {
        let [hip, knee, ankle, toe] = places(THIGHS[0]);
        let at = |place: DVec3| dvec3(side * place.x, place.y, place.z);
        let tube = |stations: Vec<(DVec3, f64, f64)>| {
            Tube::new(DVec3::X, &stations.iter().map(|(place, u, v)| (at(*place), *u, *v)).collect::<Vec<_>>())
        };
        let upper = |share: f64, z: f64| hip.lerp(knee, share) + DVec3::Z * z;
        let lower = |share: f64, z: f64| knee.lerp(ankle, share) + DVec3::Z * z;
        Leg {
            limb: tube(vec![
                (upper(0.0, -0.006) - DVec3::X * 0.008, 0.064, 0.074),
                (upper(0.22, 0.0), 0.0715, 0.082),
                (upper(0.5, 0.006), 0.064, 0.075),
                (upper(0.75, 0.004), 0.0535, 0.061),
                (upper(0.93, 0.001), 0.0465, 0.0515),
                (lower(0.05, -0.004), 0.044, 0.0485),
                (lower(0.22, -0.013), 0.0475, 0.052),
                (lower(0.36, -0.016), 0.0465, 0.0515),
                (lower(0.62, -0.008), 0.0355, 0.0395),
                (lower(0.88, 0.0), 0.0285, 0.034),
                (lower(1.0, 0.002), 0.029, 0.036),
            ]),
            seat: tube(vec![
                (hip + dvec3(-0.008, 0.025, -0.05), 0.055, 0.05),
                (hip + dvec3(-0.004, -0.045, -0.042), 0.058, 0.052),
            ]),
            foot: tube(vec![
                (dvec3(ankle.x - 0.001, 0.034, ankle.z - 0.03), 0.0305, 0.034),
                (dvec3(ankle.x, 0.04, ankle.z + 0.02), 0.031, 0.04),
                (dvec3(ankle.x + 0.003, 0.034, ankle.z + 0.07), 0.036, 0.033),
                (toe + dvec3(0.0, 0.002, 0.005), 0.0405, 0.0235),
                (toe + dvec3(-0.002, -0.004, 0.06), 0.034, 0.0165),
            ]),
        }
    }

    fn distance(&self, at: DVec3) -> f64 {
        let limb = join(self.limb.distance(at), self.seat.distance(at), 0.07);
        let joined = join(limb, self.foot.distance(at), 0.05);
        // The sole is flat, with a rounded edge.
        -join(-joined, at.y, 0.012)
    }
}

// ---- Mesh ----

#[derive(Default)]
struct Mesh {
    positions: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    /// The material of each triangle.
    materials: Vec<u8>,
}

/// The zero level set of the distance field by naive surface nets: one vertex per cell that it crosses.
fn surface(body: &Body) -> Mesh {
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
fn band(at: DVec3) -> f64 {
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
fn paint(mesh: &mut Mesh, body: &Body) {
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
struct Quadric {
    a: DMat3,
    b: DVec3,
    c: f64,
}

impl Quadric {
    const ZERO: Self = Quadric { a: DMat3::ZERO, b: DVec3::ZERO, c: 0.0 };

    fn plane(normal: DVec3, at: DVec3, weight: f64) -> Self {
        let d = -normal.dot(at);
        let a = DMat3::from_cols(normal * normal.x, normal * normal.y, normal * normal.z);
        Quadric { a: a * weight, b: normal * (d * weight), c: d * d * weight }
    }

    fn plus(self, other: Self) -> Self {
        Quadric { a: self.a + other.a, b: self.b + other.b, c: self.c + other.c }
    }

    fn at(&self, p: DVec3) -> f64 {
        p.dot(self.a * p) + 2.0 * self.b.dot(p) + self.c
    }
}

/// A mesh whose edges are being collapsed.
struct Collapse<'a> {
    mesh: &'a mut Mesh,
    faces: Vec<BTreeSet<u32>>,
    quadrics: Vec<Quadric>,
    /// Number of changes of each vertex. Queue entries with older numbers are stale.
    changes: Vec<u32>,
}

/// Weight of the error: higher at the hands.
fn detail(at: DVec3) -> f64 {
    if at.x.abs() > 0.51 { 5.0 } else { 1.0 }
}

/// Collapses edges until `count` triangles are left. Borders between materials stay in place.
fn simplify(mesh: &mut Mesh, count: usize) {
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
    fn neighbours(&self, vertex: u32) -> BTreeSet<u32> {
        let corners = self.faces[vertex as usize].iter().flat_map(|&face| self.mesh.triangles[face as usize]);
        corners.filter(|&corner| corner != vertex).collect()
    }

    fn is_border(&self, vertex: u32) -> bool {
        let mut materials = self.faces[vertex as usize].iter().map(|&face| self.mesh.materials[face as usize]);
        let first = materials.next();
        materials.any(|material| Some(material) != first)
    }

    /// Position of the vertex after collapsing an edge, and its error. None if the edge must stay.
    fn merged(&self, a: u32, b: u32) -> Option<(DVec3, f64)> {
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
    fn collapse(&mut self, a: u32, b: u32, place: DVec3) -> Option<usize> {
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
    fn compact(&mut self) {
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

// ---- Skin weights ----

/// Smoothstep: 0 below `low`, 1 above `high`.
fn ramp(low: f64, high: f64, value: f64) -> f64 {
    let t = ((value - low) / (high - low)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// The weight of each joint for each vertex.
fn weights(mesh: &Mesh, body: &Body, skeleton: &Skeleton) -> Vec<[f64; JOINTS.len()]> {
    let mut weights: Vec<_> = mesh.positions.iter().map(|&at| weights_at(at, body, skeleton)).collect();
    let mut around = vec![BTreeSet::new(); weights.len()];
    for triangle in &mesh.triangles {
        for &a in triangle {
            around[a as usize].extend(triangle.iter().copied().filter(|&b| b != a));
        }
    }
    for _ in 0..2 {
        let before = weights.clone();
        for (at, neighbours) in around.iter().enumerate() {
            for joint in 0..JOINTS.len() {
                let sum: f64 = neighbours.iter().map(|&other| before[other as usize][joint]).sum();
                weights[at][joint] = 0.6 * before[at][joint] + 0.4 * sum / neighbours.len() as f64;
            }
        }
    }
    weights
}

/// Distributes the weight of a point over the parts of the body by distance, then over the joints along each part.
fn weights_at(at: DVec3, body: &Body, skeleton: &Skeleton) -> [f64; JOINTS.len()] {
    const SOFTNESS: f64 = 0.014;
    let mut weights = [0.0; JOINTS.len()];
    let nearness = |distance: f64| (-distance.max(-0.03) / SOFTNESS).exp();
    let trunk = nearness(body.trunk(at).min(0.3));
    let arms = body.arms.each_ref().map(|arm| nearness(arm.distance(at)));
    let legs = body.legs.each_ref().map(|leg| nearness(leg.distance(at)));
    let total = trunk + arms[0] + arms[1] + legs[0] + legs[1];
    // Along a part, each joint takes the given fraction of the weight of the previous joint.
    let mut distribute = |amount: f64, chain: &[(usize, f64)]| {
        let mut rest = amount / total;
        for (step, &(joint, taken)) in chain.iter().enumerate() {
            rest *= taken;
            let next = chain.get(step + 1).map_or(0.0, |next| next.1);
            weights[joint] += rest * (1.0 - next);
        }
    };
    let collar = 0.85 * ramp(0.03, 0.15, at.x.abs()) * ramp(1.3, 1.41, at.y);
    let clavicle = CLAVICLES[usize::from(at.x < 0.0)];
    let neck = ramp(1.465, 1.515, at.y);
    let chest = ramp(1.12, 1.26, at.y);
    let spine = ramp(0.985, 1.115, at.y);
    distribute(
        trunk * (1.0 - collar),
        &[(HIPS, 1.0), (SPINE, spine), (CHEST, chest), (NECK, neck), (HEAD, ramp(1.535, 1.58, at.y + 0.35 * at.z))],
    );
    distribute(trunk * collar, &[(clavicle, 1.0)]);
    let place = |joint: usize| skeleton.at[joint];
    let along = |joint: usize| skeleton.axes[joint] * DVec3::Z;
    let bend = |joint: usize, half: f64| {
        let axis = (along(joint - 1) + along(joint)).normalize();
        ramp(-half, half, (at - place(joint)).dot(axis))
    };
    for side in 0..2 {
        let arm = CLAVICLES[side] + 1;
        let root = ramp(-0.045, 0.05, (at - place(arm)).dot((along(arm) + along(arm - 1)).normalize()));
        distribute(
            arms[side],
            &[(arm - 1, 1.0), (arm, root), (arm + 1, bend(arm + 1, 0.036)), (arm + 2, bend(arm + 2, 0.026))],
        );
        let leg = THIGHS[side];
        // The hip crease runs from the groin upward and outward.
        let outward = if side == 0 { 1.0 } else { -1.0 };
        let crease = dvec3(0.35 * outward, -1.0, 0.1).normalize();
        let root = ramp(-0.06, 0.055, (at - place(leg)).dot(crease));
        let sole = dvec3(0.0, -0.8, 0.6);
        distribute(
            legs[side],
            &[
                (HIPS, 1.0),
                (leg, root),
                (leg + 1, bend(leg + 1, 0.05)),
                (leg + 2, ramp(-0.035, 0.02, (at - place(leg + 2)).dot(sole))),
                (leg + 3, ramp(-0.025, 0.02, at.z - place(leg + 3).z)),
            ],
        );
    }
    weights
}

// ---- Walk ----

/// Duration of one cycle in seconds, its number of frames, and its length in metres.
const CYCLE: f64 = 1.12;
const FRAMES: usize = 28;
const STRIDE: f64 = 1.1;
/// Fraction of the cycle in which a foot is on the ground.
const STANCE: f64 = 0.6;

/// A frame of the walk: position of the hips, and rotations of all joints relative to their parents, in world axes.
struct Frame {
    hips: DVec3,
    turns: Vec<DQuat>,
}

/// Position of an ankle, and pitch of its foot and toes; positive pitch points down.
#[derive(Clone, Copy)]
struct Step {
    ankle: DVec3,
    foot: f64,
    toes: f64,
}

/// One walk cycle in place; the ground moves backward at constant speed. The first and the last frame are equal.
fn walk(skeleton: &Skeleton) -> Vec<Frame> {
    (0..=FRAMES).map(|frame| walk_at(skeleton, frame as f64 / FRAMES as f64)).collect()
}

/// A smooth curve through keys (time, value), at a time between the first and the last key.
fn keyed(keys: &[(f64, f64)], time: f64) -> f64 {
    let next = keys.iter().position(|key| key.0 > time).unwrap_or(keys.len() - 1).max(1);
    let key = |at: usize| keys[at.min(keys.len() - 1)];
    let (before, from, to, after) = (key(next.saturating_sub(2)), key(next - 1), key(next), key(next + 1));
    let span = to.0 - from.0;
    let slope = |a: (f64, f64), b: (f64, f64)| span * (b.1 - a.1) / (b.0 - a.0);
    hermite([from.1, slope(before, to), to.1, slope(from, after)], (time - from.0) / span)
}

/// The cubic with given values and slopes at 0 and 1.
fn hermite([from, out, to, into]: [f64; 4], t: f64) -> f64 {
    let (t2, t3) = (t * t, t * t * t);
    from * (2.0 * t3 - 3.0 * t2 + 1.0) + out * (t3 - 2.0 * t2 + t) + to * (3.0 * t2 - 2.0 * t3) + into * (t3 - t2)
}

/// The foot of a leg whose heel strikes the ground at phase 0.
fn step(ankle: DVec3, toe: DVec3, phase: f64) -> Step {
    const STRIKE: f64 = -0.33;
    const PUSH: f64 = 0.95;
    let x = 0.86 * ankle.x;
    // Position of the ankle while the foot is flat on the ground.
    let flat = |phase: f64| dvec3(x, ankle.y, ankle.z + 0.02 + STRIDE * (STANCE / 2.0 - phase));
    let on_ground = |phase: f64| {
        let pitch =
            STRIKE * (1.0 - ramp(0.0, 0.11, phase)) + PUSH * ((phase - 0.33).max(0.0) / (STANCE - 0.33)).powf(1.7);
        // The foot rolls over the heel first, later over the toe joint.
        let pivot =
            if pitch < 0.0 { dvec3(0.0, -ankle.y, -0.035) } else { dvec3(0.0, toe.y - ankle.y, toe.z - ankle.z) };
        let at = flat(phase) + pivot + DQuat::from_rotation_x(pitch) * -pivot;
        Step { ankle: at, foot: pitch, toes: -pitch.max(0.0) }
    };
    if phase < STANCE {
        return on_ground(phase);
    }
    let t = (phase - STANCE) / (1.0 - STANCE);
    let (leave, strike) = (on_ground(STANCE), on_ground(0.0));
    // Velocities of the ankle at the start and the end of the swing, in metres per swing.
    let (out, into) = (dvec3(0.0, 0.256, 0.4), dvec3(0.0, -0.096, -0.24));
    let swing = |axis: usize| hermite([leave.ankle[axis], out[axis], strike.ankle[axis], into[axis]], t);
    let ankle = dvec3(x, swing(1), swing(2));
    let foot = keyed(&[(0.0, PUSH), (0.2, 0.7), (0.5, 0.05), (0.82, STRIKE), (1.0, STRIKE)], t);
    let toes = -PUSH * (1.0 - ramp(0.0, 0.35, t));
    Step { ankle, foot, toes }
}

fn walk_at(skeleton: &Skeleton, phase: f64) -> Frame {
    let wave = |amount: f64, shift: f64, cycles: f64| amount * (TAU * (cycles * phase - shift)).cos();
    let rest = &skeleton.at;
    // The left heel strikes at phase 0: the left hip is forward, and the body is lowest soon after.
    let hips = rest[HIPS] + dvec3(wave(0.016, 0.3, 1.0), -0.025 - wave(0.014, 0.1, 2.0), wave(0.006, 0.2, 2.0));
    let mut turns = vec![DQuat::IDENTITY; JOINTS.len()];
    let turn = |yaw: f64, pitch: f64, roll: f64| {
        DQuat::from_rotation_y(yaw) * DQuat::from_rotation_x(pitch) * DQuat::from_rotation_z(roll)
    };
    turns[HIPS] = turn(-wave(0.09, 0.0, 1.0), 0.03, wave(0.045, 0.3, 1.0));
    turns[SPINE] = turn(wave(0.07, 0.0, 1.0), 0.01, -wave(0.04, 0.3, 1.0));
    turns[CHEST] = turn(wave(0.12, 0.02, 1.0), 0.02, -wave(0.015, 0.3, 1.0));
    turns[NECK] = turn(-wave(0.05, 0.02, 1.0), -0.02, 0.0);
    turns[HEAD] = turn(-wave(0.05, 0.02, 1.0), -0.035 + wave(0.012, 0.2, 2.0), wave(0.01, 0.3, 1.0));
    for side in 0..2 {
        let sign = if side == 0 { 1.0 } else { -1.0 };
        // Each arm swings opposite to the leg on its side.
        let swing = -sign * wave(1.0, 0.03, 1.0);
        let arm = CLAVICLES[side] + 1;
        turns[arm - 1] = turn(-sign * 0.03 * swing, 0.0, -sign * 0.03);
        let lower = DQuat::from_rotation_z(-sign * 0.66);
        turns[arm] = DQuat::from_rotation_x(-0.38 * swing + 0.05) * DQuat::from_rotation_y(-sign * 0.2) * lower;
        let hinge = skeleton.axes[arm] * DVec3::NEG_X;
        turns[arm + 1] = DQuat::from_axis_angle(hinge, 0.22 + 0.2 * (swing + 0.5).max(-0.2));
        turns[arm + 2] = DQuat::from_axis_angle(skeleton.axes[arm + 2] * DVec3::NEG_X, 0.08 + 0.06 * swing);

        let leg = THIGHS[side];
        let foot_phase = (phase + 0.5 * side as f64).fract();
        let step = step(rest[leg + 2], rest[leg + 3], foot_phase);
        let hip = hips + turns[HIPS] * (rest[leg] - rest[HIPS]);
        let (upper, lower) = (rest[leg].distance(rest[leg + 1]), rest[leg + 1].distance(rest[leg + 2]));
        let ahead = (turns[HIPS] * DVec3::Z + DVec3::Z * 2.0 + DVec3::X * sign * 0.16).normalize();
        let reach = step.ankle - hip;
        let length = reach.length().min(0.9995 * (upper + lower));
        let link = reach.normalize();
        let bend = ((upper * upper + length * length - lower * lower) / (2.0 * upper * length)).acos();
        let normal = link.cross(ahead).normalize() * -1.0;
        let thigh = DQuat::from_axis_angle(normal, -bend) * link;
        let shin = (hip + link * length - (hip + thigh * upper)).normalize();
        let pose = |z: DVec3| DQuat::from_mat3(&DMat3::from_cols(normal, z.cross(normal), z));
        let world = [
            turns[HIPS],
            pose(thigh) * skeleton.axes[leg].conjugate(),
            pose(shin) * skeleton.axes[leg + 1].conjugate(),
        ];
        let foot = DQuat::from_rotation_y(sign * 0.05) * DQuat::from_rotation_x(step.foot);
        turns[leg] = world[0].conjugate() * world[1];
        turns[leg + 1] = world[1].conjugate() * world[2];
        turns[leg + 2] = world[2].conjugate() * foot;
        turns[leg + 3] = DQuat::from_rotation_x(step.toes);
    }
    Frame { hips, turns }
}

// ---- File ----

/// The binary part of the file, with a view and an accessor for each array.
#[derive(Default)]
struct Binary {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Binary {
    /// Appends an array and returns the index of its accessor.
    fn add(&mut self, bytes: &[u8], mut accessor: Value, target: Option<u32>) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let mut view = json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len() });
        if let Some(target) = target {
            view["target"] = target.into();
        }
        accessor["bufferView"] = self.views.len().into();
        self.bytes.extend_from_slice(bytes);
        self.views.push(view);
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    /// Rows of floats, with their bounds.
    fn floats<const N: usize>(&mut self, kind: &str, rows: &[[f64; N]], target: Option<u32>) -> usize {
        let bytes: Vec<u8> = rows.iter().flatten().flat_map(|&value| (value as f32).to_le_bytes()).collect();
        let fold = |pick: fn(f32, f32) -> f32| -> Vec<f32> {
            (0..N).map(|k| rows.iter().map(|row| row[k] as f32).reduce(pick).unwrap_or_default()).collect()
        };
        let (min, max) = (fold(f32::min), fold(f32::max));
        let accessor = json!({ "componentType": 5126, "count": rows.len(), "type": kind, "min": min, "max": max });
        self.add(&bytes, accessor, target)
    }
}

/// The four largest weights of a vertex in units of 1/255, and their joints.
fn influences(weights: &[f64; JOINTS.len()]) -> ([u8; 4], [u8; 4]) {
    let mut order: Vec<usize> = (0..JOINTS.len()).collect();
    order.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]).then(a.cmp(&b)));
    let joints: [usize; 4] = std::array::from_fn(|k| order[k]);
    let sum: f64 = joints.iter().map(|&joint| weights[joint]).sum();
    let mut shares = joints.map(|joint| (255.0 * weights[joint] / sum).round() as i32);
    shares[0] += 255 - shares.iter().sum::<i32>();
    // A joint without weight is written as joint 0.
    let named: [u8; 4] = std::array::from_fn(|k| if shares[k] > 0 { joints[k] as u8 } else { 0 });
    (named, shares.map(|share| share as u8))
}

fn glb(
    skeleton: &Skeleton,
    mesh: &Mesh,
    normals: &[DVec3],
    weights: &[[f64; JOINTS.len()]],
    frames: &[Frame],
) -> Vec<u8> {
    const VERTICES: Option<u32> = Some(34962);
    const INDICES: Option<u32> = Some(34963);
    let mut binary = Binary::default();
    let rows = |list: &[DVec3]| -> Vec<[f64; 3]> { list.iter().map(DVec3::to_array).collect() };
    let (joints, shares): (Vec<_>, Vec<_>) = weights.iter().map(influences).unzip();
    let count = mesh.positions.len();
    let joint_rows = json!({ "componentType": 5121, "count": count, "type": "VEC4" });
    let weight_rows = json!({ "componentType": 5121, "count": count, "type": "VEC4", "normalized": true });
    let attributes = json!({
        "POSITION": binary.floats("VEC3", &rows(&mesh.positions), VERTICES),
        "NORMAL": binary.floats("VEC3", &rows(normals), VERTICES),
        "JOINTS_0": binary.add(joints.as_flattened(), joint_rows, VERTICES),
        "WEIGHTS_0": binary.add(shares.as_flattened(), weight_rows, VERTICES),
    });
    let primitives: Vec<Value> = (0..COLORS.len())
        .map(|material| {
            let corners = mesh.triangles.iter().zip(&mesh.materials).filter(|(_, of)| usize::from(**of) == material);
            let corners: Vec<u16> = corners.flat_map(|(triangle, _)| triangle.map(|corner| corner as u16)).collect();
            let bytes: Vec<u8> = corners.iter().flat_map(|corner| corner.to_le_bytes()).collect();
            let accessor = json!({ "componentType": 5123, "count": corners.len(), "type": "SCALAR" });
            json!({ "attributes": attributes, "indices": binary.add(&bytes, accessor, INDICES), "material": material })
        })
        .collect();
    let binds: Vec<[f64; 16]> = (0..JOINTS.len())
        .map(|joint| {
            let frame = DMat4::from_rotation_translation(skeleton.axes[joint], skeleton.at[joint]);
            frame.inverse().to_cols_array()
        })
        .collect();
    let binds = binary.floats("MAT4", &binds, None);

    let times: Vec<[f64; 1]> = (0..frames.len()).map(|frame| [CYCLE * frame as f64 / FRAMES as f64]).collect();
    let input = binary.floats("SCALAR", &times, None);
    let (mut samplers, mut channels) = (Vec::new(), Vec::new());
    let mut channel = |node: usize, path: &str, output: usize| {
        channels.push(json!({ "sampler": samplers.len(), "target": { "node": node, "path": path } }));
        samplers.push(json!({ "input": input, "output": output, "interpolation": "LINEAR" }));
    };
    let places: Vec<[f64; 3]> = frames.iter().map(|frame| frame.hips.to_array()).collect();
    channel(HIPS, "translation", binary.floats("VEC3", &places, None));
    for joint in 0..JOINTS.len() {
        let mut turns: Vec<DQuat> = frames.iter().map(|frame| skeleton.local(joint, frame.turns[joint])).collect();
        // Of the two quaternions of each rotation, choose the one closer to the previous frame.
        for frame in 1..turns.len() {
            if turns[frame].dot(turns[frame - 1]) < 0.0 {
                turns[frame] = -turns[frame];
            }
        }
        let turns: Vec<[f64; 4]> = turns.iter().map(|turn| turn.normalize().to_array()).collect();
        channel(joint, "rotation", binary.floats("VEC4", &turns, None));
    }

    let mut nodes: Vec<Value> = (0..JOINTS.len())
        .map(|joint| {
            let parent = JOINTS[joint].1;
            let place = match joint {
                HIPS => skeleton.at[HIPS],
                _ => skeleton.axes[parent].conjugate() * (skeleton.at[joint] - skeleton.at[parent]),
            };
            let single = |values: &[f64]| -> Vec<f32> { values.iter().map(|&value| value as f32).collect() };
            let turn = skeleton.local(joint, DQuat::IDENTITY).normalize();
            let children: Vec<usize> = (1..JOINTS.len()).filter(|&child| JOINTS[child].1 == joint).collect();
            let mut node = json!({
                "name": JOINTS[joint].0,
                "translation": single(&place.to_array()),
                "rotation": single(&turn.to_array()),
            });
            if !children.is_empty() {
                node["children"] = children.into();
            }
            node
        })
        .collect();
    nodes.push(json!({ "name": "Mannequin", "mesh": 0, "skin": 0 }));
    let materials: Vec<Value> = ["Body", "Joints"]
        .iter()
        .zip(COLORS)
        .map(|(name, color)| {
            let pbr = json!({ "baseColorFactor": color, "metallicFactor": 0, "roughnessFactor": 0.55 });
            json!({ "name": name, "pbrMetallicRoughness": pbr })
        })
        .collect();
    binary.bytes.resize(binary.bytes.len().next_multiple_of(4), 0);
    let document = json!({
        "asset": { "version": "2.0", "generator": "fabrik3d, examples/make_character.rs" },
        "scene": 0,
        "scenes": [{ "name": "Mannequin", "nodes": [HIPS, JOINTS.len()] }],
        "nodes": nodes,
        "meshes": [{ "name": "Mannequin", "primitives": primitives }],
        "materials": materials,
        "skins": [{
            "joints": (0..JOINTS.len()).collect::<Vec<_>>(), "inverseBindMatrices": binds, "skeleton": HIPS
        }],
        "animations": [{ "name": "Walk", "channels": channels, "samplers": samplers }],
        "accessors": binary.accessors,
        "bufferViews": binary.views,
        "buffers": [{ "byteLength": binary.bytes.len() }],
    });
    let mut text = document.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut file = b"glTF\x02\0\0\0".to_vec();
    file.extend(((12 + 8 + text.len() + 8 + binary.bytes.len()) as u32).to_le_bytes());
    for (kind, chunk) in [(b"JSON", &text), (b"BIN\0", &binary.bytes)] {
        file.extend((chunk.len() as u32).to_le_bytes());
        file.extend(kind);
        file.extend(chunk);
    }
    file
}
