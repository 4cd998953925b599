//! The body as a signed distance field.

use crate::skeleton::*;
use glam::{DVec3, dvec3};

/// Cell size of the sampling grid.
pub const CELL: f64 = 0.005;

/// A segment of a tube between two ellipses.
pub struct Piece {
    pub from: DVec3,
    pub along: DVec3,
    /// Semi-axes u and v at both ends.
    pub half: [[f64; 2]; 2],
    pub axes: [DVec3; 3],
}

/// A smooth tube with elliptical sections and rounded ends.
pub struct Tube {
    pub pieces: Vec<Piece>,
    pub middle: DVec3,
    pub radius: f64,
}

/// Beyond this distance from its bounding sphere, a tube returns only a lower bound of the distance.
pub const FAR: f64 = 0.12;

impl Tube {
    /// Each station is a position and the two semi-axes there; `across` is the direction of the first semi-axis.
    pub fn new(across: DVec3, stations: &[(DVec3, f64, f64)]) -> Self {
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

    pub fn distance(&self, at: DVec3) -> f64 {
        let bound = at.distance(self.middle) - self.radius;
        if bound > FAR {
            return bound;
        }
        self.pieces.iter().map(|piece| piece.distance(at)).fold(f64::MAX, f64::min)
    }
}

impl Piece {
    /// First-order distance to the ellipsoid around the nearest point of the axis.
    pub fn distance(&self, at: DVec3) -> f64 {
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
pub fn join(a: f64, b: f64, width: f64) -> f64 {
    let overlap = (width - (a - b).abs()).max(0.0) / width;
    a.min(b) - overlap * overlap * overlap * width / 6.0
}

pub struct Arm {
    pub shoulder: Tube,
    pub limb: Tube,
    pub palm: Tube,
    pub fingers: Vec<Tube>,
    pub thumb: Tube,
}

pub struct Leg {
    pub limb: Tube,
    pub seat: Tube,
    pub foot: Tube,
}

/// The parts of the body, which get separate skin weights. Arms and legs: left, right.
pub struct Body {
    pub trunk: Tube,
    pub neck: Tube,
    pub head: Tube,
    /// Left and right half of the chest.
    pub chest: [Tube; 2],
    pub arms: [Arm; 2],
    pub legs: [Leg; 2],
}

impl Body {
    pub fn new() -> Self {
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

    pub fn trunk(&self, at: DVec3) -> f64 {
        let neck = join(self.neck.distance(at), self.head.distance(at), 0.03);
        let trunk = self.chest.iter().fold(self.trunk.distance(at), |sum, half| join(sum, half.distance(at), 0.07));
        join(trunk, neck, 0.06)
    }

    pub fn distance(&self, at: DVec3) -> f64 {
        let shoulders = self.arms.iter().map(|arm| arm.shoulder.distance(at));
        let trunk = shoulders.fold(self.trunk(at), |sum, shoulder| join(sum, shoulder, 0.08));
        let arms = self.arms.iter().map(|arm| arm.distance(at)).fold(f64::MAX, f64::min);
        let legs = self.legs.iter().map(|leg| leg.distance(at)).fold(f64::MAX, f64::min);
        join(join(trunk, arms, 0.05), legs, 0.045)
    }

    pub fn normal(&self, at: DVec3) -> DVec3 {
        const STEP: f64 = 0.004;
        let slope = |axis: DVec3| self.distance(at + STEP * axis) - self.distance(at - STEP * axis);
        dvec3(slope(DVec3::X), slope(DVec3::Y), slope(DVec3::Z)).normalize_or(DVec3::Y)
    }

    /// Projects a point near the surface onto it.
    pub fn nearest(&self, mut at: DVec3) -> DVec3 {
        for _ in 0..3 {
            at -= self.normal(at) * self.distance(at).clamp(-CELL, CELL);
        }
        at
    }
}

/// Positions of the four joints of a limb that starts at joint `first`.
pub fn places(first: usize) -> [DVec3; 4] {
    std::array::from_fn(|step| DVec3::from_array(JOINTS[first + step].2))
}

impl Arm {
    /// The left arm for side 1, the right arm for side -1.
    pub fn new(side: f64) -> Self {
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

    pub fn distance(&self, at: DVec3) -> f64 {
        let fingers = self.fingers.iter().fold(f64::MAX, |sum, finger| join(sum, finger.distance(at), 0.01));
        let hand = join(join(self.palm.distance(at), fingers, 0.024), self.thumb.distance(at), 0.028);
        join(self.limb.distance(at), hand, 0.03)
    }
}

impl Leg {
    pub fn new(side: f64) -> Self {
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

    pub fn distance(&self, at: DVec3) -> f64 {
        let limb = join(self.limb.distance(at), self.seat.distance(at), 0.07);
        let joined = join(limb, self.foot.distance(at), 0.05);
        // The sole is flat, with a rounded edge.
        -join(-joined, at.y, 0.012)
    }
}

/// Smoothstep: 0 below `low`, 1 above `high`.
pub fn ramp(low: f64, high: f64, value: f64) -> f64 {
    let t = ((value - low) / (high - low)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}
