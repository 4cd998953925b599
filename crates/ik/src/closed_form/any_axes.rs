//! Six axes in any position: up to sixteen solutions, as the eigenvalues of a matrix.
//!
//! The arm and its target are a loop of six hinges. It is cut into three and three: `E1 E2 E3 = M E6^-1 E5^-1 E4^-1`. As dual
//! quaternions, both sides are linear in the cosine and the sine of half of each angle. So the eight products of those
//! of the first three joints are linear in those of the others: `u = A^-1 M B m(4, 5, 6)`. They are products if and only if all
//! 2 x 2 minors of their 2 x 2 x 2 table vanish. This gives eight independent equations of degree two in each of the last three
//! joints. With the multiples of degree (3, 2, 3), they leave 16 of 48 monomials open, as many as there are solutions;
//! the others are linear in these. Multiplication by the tangents of the fourth and the fifth joint is then a matrix whose
//! eigenvectors are the monomials at the solutions.
//!
//! Sources: M. L. Husty, M. Pfurner, H.-P. Schröcker, *A new and efficient algorithm for the inverse kinematics of a
//! general serial 6R manipulator*, 2007 (a loop as the intersection of two products of lines in the space of dual quaternions);
//! W. Auzinger, H. J. Stetter, *An elimination algorithm for the computation of all zeros of a system of multivariate
//! polynomial equations*, 1988 (zeros as eigenvectors).

use super::dual_quaternion::DualQuaternion;
use super::eigenvalues::{eigenvalues, eliminate};
use super::lines::Lines;
use crate::maths;
use crate::model::Isometry;
use crate::random::Random;
use std::array::from_fn;
use std::f64::consts::TAU;

/// Products of one of two coordinates for each of three joints: bit 2 of the index belongs to the first joint.
type Products = [f64; 8];

/// A place where the loop is cut.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cut {
    /// The first of the three joints that the equations do not contain.
    pub first: usize,
    /// From dual quaternions to the products of these joints.
    inverse: [[f64; 8]; 8],
}

/// Smallest pivot relative to the largest one: what is smaller is zero but for rounding.
const LEAST_PIVOT: f64 = 1e-11;
/// The pairs of products whose products are equal: those of opposite corners of each face of a cube, and of the cube.
const MINORS: [[usize; 4]; 9] = [
    [0, 3, 1, 2],
    [4, 7, 5, 6],
    [0, 5, 1, 4],
    [2, 7, 3, 6],
    [0, 6, 2, 4],
    [1, 7, 3, 5],
    [0, 7, 1, 6],
    [0, 7, 2, 5],
    [0, 7, 3, 4],
];
/// Monomials of degree (3, 2, 3).
const MONOMIALS: usize = 48;
/// Those of degree (2, 1, 3), the last ones: the product with the first or the second variable is a monomial.
const LOW: usize = 24;
/// Solutions, with complex ones.
const SOLUTIONS: usize = 16;
/// Largest powers of the three variables.
const DEGREES: [usize; 3] = [3, 2, 3];
/// Imaginary part of an eigenvalue, relative to its size, that may be due to rounding where solutions meet.
const NEARLY_REAL: f64 = 1e-4;
/// Part of the products of the first three joints, squared, that may be due to the same.
const DISAGREEMENT: f64 = 1e-6;
/// How far away close targets are, in radians and relative to the size of the arm: so little that a few steps correct their
/// solutions, and so much that these do not meet.
const CLOSE: f64 = 1e-4;
/// How many of them are tried.
const CLOSE_TARGETS: usize = 4;
/// How many random poses are then tried, too.
const RANDOM_STARTS: usize = 200;

/// The powers of each monomial, in the order of the columns.
const POWERS: [[usize; 3]; MONOMIALS] = powers();

/// The column of a monomial; those of low degree come last.
const fn index([a, b, c]: [usize; 3]) -> usize {
    match (a, b) {
        (0..=2, 0..=1) => MONOMIALS - LOW + 8 * a + 4 * b + c,
        (3, 0..=1) => 4 * b + c,
        _ => 8 + 4 * a + c,
    }
}

const fn powers() -> [[usize; 3]; MONOMIALS] {
    let (mut powers, mut at) = ([[0; 3]; MONOMIALS], 0);
    while at < MONOMIALS {
        let own = [at / 12, at / 4 % 3, at % 4];
        powers[index(own)] = own;
        at += 1;
    }
    powers
}

/// The products of cosines and sines of half of three angles.
fn products(angles: [f64; 3]) -> Products {
    let parts = angles.map(|angle| {
        let (sin, cos) = maths::sincos(0.5 * angle);
        [cos, sin]
    });
    from_fn(|index| parts[0][index >> 2 & 1] * parts[1][index >> 1 & 1] * parts[2][index & 1])
}

/// The angle for which all pairs are nearly multiples of the cosine and the sine of its half.
fn angle(pairs: impl Iterator<Item = [f64; 2]>) -> f64 {
    let (sin, cos) = pairs.fold((0.0, 0.0), |(sin, cos), [x, y]| (sin + 2.0 * x * y, cos + (x - y) * (x + y)));
    maths::atan2(sin, cos)
}

/// The cuts that the axes allow for, the best one first. Three axes that meet in a point or are parallel allow for no cut
/// around them.
pub(super) fn cuts(lines: &Lines) -> Vec<Cut> {
    let halves: Vec<DualQuaternion> = (0..6).map(|at| half_turn(lines, at)).collect();
    let cut = |first: usize| {
        let mut matrix = [[0.0; 16]; 8];
        for column in 0..8 {
            let factors = (0..3).filter(|at| column >> (2 - at) & 1 == 1).map(|at| halves[first + at]);
            let product = factors.fold(DualQuaternion::IDENTITY, |so_far, half| so_far * half).to_array();
            (0..8).for_each(|row| matrix[row][column] = product[row]);
            matrix[column][8 + column] = 1.0;
        }
        let mut pivots = Vec::new();
        let least = eliminate(&mut matrix, &mut pivots, 0..8, 8, LEAST_PIVOT);
        let mut inverse = [[0.0; 8]; 8];
        pivots.iter().zip(&matrix).for_each(|(&at, row)| inverse[at].copy_from_slice(&row[8..]));
        (pivots.len() == 8).then_some((least, Cut { first, inverse }))
    };
    let mut cuts: Vec<(f64, Cut)> = (0..4).filter_map(cut).collect();
    cuts.sort_by(|a, b| b.0.total_cmp(&a.0));
    cuts.into_iter().map(|(_, cut)| cut).collect()
}

/// Positions are relative to a point of the arm and to its size.
fn half_turn(lines: &Lines, at: usize) -> DualQuaternion {
    DualQuaternion::half_turn((lines.points[at] - lines.origin) / lines.size, lines.directions[at])
}

/// The angles of the joints that bring about `motion`, nearly.
///
/// If joints turn freely against each other, the equations have infinitely many solutions. Those of targets close by are then
/// close to all that do not move, and to some of the others; random angles lead to these.
pub(super) fn solve(lines: &Lines, cuts: &[Cut], motion: Isometry) -> Vec<[f64; 6]> {
    let mut found = Vec::new();
    if !add_solutions(lines, cuts, motion, &mut found) {
        let random = &mut Random::new(0);
        for _ in 0..CLOSE_TARGETS {
            let turn = maths::turn_by(random.direction() * CLOSE);
            let shift = random.direction() * (CLOSE * lines.size);
            let about = lines.origin - turn * lines.origin + shift;
            add_solutions(lines, cuts, Isometry::new(about, turn).frame(motion), &mut found);
        }
        found.extend((0..RANDOM_STARTS).map(|_| from_fn(|_| random.range(0.0, TAU))));
    }
    found
}

/// Adds solutions; returns whether these are all.
fn add_solutions(lines: &Lines, cuts: &[Cut], motion: Isometry, found: &mut Vec<[f64; 6]>) -> bool {
    cuts.iter().enumerate().any(|(at, cut)| {
        let lines = lines.cut(cut.first, motion);
        let (own, are_all) = cut.open(&lines, motion, &mut Random::new(at as u64)).solutions();
        found.extend(own.iter().map(|angles| lines.joint_angles(angles)));
        are_all
    })
}

/// The products of the first three joints behind a cut from those of the last three.
struct OpenLoop {
    /// `table[i][j]`: how the product `i` depends on the product `j`.
    table: [Products; 8],
    /// Zero of the angle of each of the last three joints. Half a turn away, where the tangent of half the angle is infinite,
    /// no solution is likely to be.
    zeros: [f64; 3],
}

impl Cut {
    fn open(&self, lines: &Lines, motion: Isometry, random: &mut Random) -> OpenLoop {
        let zeros = from_fn(|_| random.range(0.0, TAU));
        let shift = motion.point(lines.origin) - lines.origin;
        let motion = DualQuaternion::motion(Isometry::new(shift / lines.size, motion.rotation));
        // Backward, and with the angle counted from its zero: cos(a / 2) at index 0, sin(a / 2) at index 1.
        let parts = |at: usize| {
            let half = half_turn(lines, 3 + at);
            let (sin, cos) = maths::sincos(0.5 * zeros[at]);
            [DualQuaternion::IDENTITY * cos + half * -sin, DualQuaternion::IDENTITY * -sin + half * -cos]
        };
        let parts: [[DualQuaternion; 2]; 3] = from_fn(parts);
        let mut table = [[0.0; 8]; 8];
        for column in 0..8 {
            let [first, second, third] = [2, 1, 0].map(|bit| column >> bit & 1);
            let product = motion * parts[2][third] * parts[1][second] * parts[0][first];
            let product = product.to_array();
            for (row, weights) in table.iter_mut().zip(&self.inverse) {
                row[column] = weights.iter().zip(product).map(|(weight, value)| weight * value).sum();
            }
        }
        OpenLoop { table, zeros }
    }
}

impl OpenLoop {
    /// Solutions, as angles behind the cut, and whether these are all.
    fn solutions(&self) -> (Vec<[f64; 6]>, bool) {
        let mut matrix = self.equations();
        let mut pivots = Vec::with_capacity(MONOMIALS - SOLUTIONS);
        let (high, low) = (0..MONOMIALS - LOW, MONOMIALS - LOW..MONOMIALS);
        eliminate(&mut matrix, &mut pivots, high, MONOMIALS - LOW, LEAST_PIVOT);
        eliminate(&mut matrix, &mut pivots, low, LOW - SOLUTIONS, LEAST_PIVOT);
        if pivots.len() < MONOMIALS - SOLUTIONS {
            return (Vec::new(), false);
        }
        let monomials = Monomials::new(&matrix, &pivots);
        let multiplication = monomials.multiplication();
        let values = eigenvalues(multiplication);
        let mut are_all = values.len() == SOLUTIONS;
        let mut found = Vec::new();
        for [real, imaginary] in values {
            if imaginary < 0.0 || imaginary > NEARLY_REAL * (1.0 + real.abs()) {
                continue;
            }
            let Some(values) = monomials.at_solution(multiplication, real) else {
                are_all = false;
                continue;
            };
            let (angles, is_product) = self.angles(&values);
            // An eigenvalue without a solution has several eigenvectors: solutions that differ in the last joint alone.
            are_all &= is_product;
            if is_product {
                found.push(angles);
            }
        }
        (found, are_all)
    }

    /// The minors, times 1, the first variable, the third one, and both.
    fn equations(&self) -> [[f64; MONOMIALS]; 36] {
        let mut matrix = [[0.0; MONOMIALS]; 36];
        for (minor, rows) in MINORS.iter().zip(matrix.chunks_exact_mut(4)) {
            let mut add = |one: usize, other: usize, sign: f64| {
                for (i, x) in self.table[one].iter().enumerate() {
                    for (j, y) in self.table[other].iter().enumerate() {
                        let [a, b, c] = [2, 1, 0].map(|bit| (i >> bit & 1) + (j >> bit & 1));
                        for (times, row) in rows.iter_mut().enumerate() {
                            row[index([a + (times >> 1), b, c + (times & 1)])] += sign * x * y;
                        }
                    }
                }
            };
            let [a, b, c, d] = *minor;
            add(a, b, 1.0);
            add(c, d, -1.0);
        }
        matrix
    }

    /// All angles from the values of the monomials, and whether the products of the first three joints are products.
    fn angles(&self, values: &[f64; MONOMIALS]) -> ([f64; 6], bool) {
        let last: [f64; 3] = from_fn(|at| {
            let pairs = POWERS.iter().filter_map(|powers| {
                let mut next = *powers;
                next[at] += 1;
                (next[at] <= DEGREES[at]).then(|| [values[index(*powers)], values[index(next)]])
            });
            angle(pairs)
        });
        let own = products(last);
        let first_products: Products =
            self.table.map(|row| row.iter().zip(own).map(|(weight, value)| weight * value).sum());
        let first: [f64; 3] = from_fn(|at| {
            let bit = 4 >> at;
            angle(
                (0..8)
                    .filter(|index| index & bit == 0)
                    .map(|index| [first_products[index], first_products[index | bit]]),
            )
        });
        let along: f64 = products(first).iter().zip(first_products).map(|(one, other)| one * other).sum();
        let squared: f64 = first_products.iter().map(|value| value * value).sum();
        let [a, b, c] = first;
        let [d, e, f] = from_fn(|at| last[at] + self.zeros[at]);
        ([a, b, c, d, e, f], along * along > (1.0 - DISAGREEMENT) * squared)
    }
}

/// All monomials as linear functions of some of them.
struct Monomials<'a> {
    matrix: &'a [[f64; MONOMIALS]; 36],
    /// The monomials that are functions of others: minus the entries of the row with the same index.
    pivots: &'a [usize],
    /// The others.
    open: [usize; SOLUTIONS],
}

impl<'a> Monomials<'a> {
    fn new(matrix: &'a [[f64; MONOMIALS]; 36], pivots: &'a [usize]) -> Self {
        let mut open = (MONOMIALS - LOW..MONOMIALS).filter(|column| !pivots.contains(column));
        Monomials { matrix, pivots, open: from_fn(|_| open.next().unwrap_or_default()) }
    }

    /// A monomial as a function of those that are open.
    fn add(&self, monomial: usize, sum: &mut [f64; SOLUTIONS]) {
        match self.open.iter().position(|&open| open == monomial) {
            Some(at) => sum[at] += 1.0,
            None => {
                let row = self.pivots.iter().position(|&pivot| pivot == monomial).map(|at| &self.matrix[at]);
                row.into_iter().for_each(|row| (0..SOLUTIONS).for_each(|at| sum[at] -= row[self.open[at]]));
            }
        }
    }

    /// The open monomials times the sum of the first two variables.
    fn multiplication(&self) -> [[f64; SOLUTIONS]; SOLUTIONS] {
        self.open.map(|open| {
            let ([a, b, c], mut row) = (POWERS[open], [0.0; SOLUTIONS]);
            self.add(index([a + 1, b, c]), &mut row);
            self.add(index([a, b + 1, c]), &mut row);
            row
        })
    }

    /// The values of all monomials at the solution with an eigenvalue, up to a factor.
    fn at_solution(
        &self,
        mut multiplication: [[f64; SOLUTIONS]; SOLUTIONS],
        eigenvalue: f64,
    ) -> Option<[f64; MONOMIALS]> {
        (0..SOLUTIONS).for_each(|at| multiplication[at][at] -= eigenvalue);
        let mut pivots = Vec::with_capacity(SOLUTIONS);
        eliminate(&mut multiplication, &mut pivots, 0..SOLUTIONS, SOLUTIONS - 1, 0.0);
        let free = (0..SOLUTIONS).find(|at| !pivots.contains(at))?;
        let mut values = [0.0; MONOMIALS];
        values[self.open[free]] = 1.0;
        pivots.iter().zip(&multiplication).for_each(|(&at, row)| values[self.open[at]] = -row[free]);
        for (&pivot, row) in self.pivots.iter().zip(self.matrix) {
            values[pivot] = -self.open.iter().map(|&open| row[open] * values[open]).sum::<f64>();
        }
        Some(values)
    }
}
