//! The reference that times are compared with: a straightforward scalar implementation of textbook FABRIK.

use glam::Vec3;

/// FABRIK as published, in single precision, with the two passes only: no special case for unreachable targets,
/// coincident points or straight chains. Returns the number of iterations.
///
/// `points` starts with the base and has one element more than `lengths`; `tolerance` is a distance.
pub fn textbook(points: &mut [Vec3], lengths: &[f32], target: Vec3, tolerance: f32, max_iterations: u32) -> u32 {
    let last = lengths.len();
    let base = points[0];
    for iteration in 0..max_iterations {
        if points[last].distance(target) <= tolerance {
            return iteration;
        }
        points[last] = target;
        for i in (0..last).rev() {
            points[i] = points[i + 1] + (points[i] - points[i + 1]).normalize() * lengths[i];
        }
        points[0] = base;
        for i in 0..last {
            points[i + 1] = points[i] + (points[i + 1] - points[i]).normalize() * lengths[i];
        }
    }
    max_iterations
}

#[cfg(test)]
mod tests {
    use super::*;
    use fabrik3d_ik::random::Random;
    use fabrik3d_ik::{Method, methods};

    /// The poses equal those of the two passes in double precision.
    #[test]
    fn agrees_with_the_passes_in_double_precision() {
        for seed in 0..100 {
            let mut random = Random::new(seed);
            let mut points = vec![glam::DVec3::ZERO];
            for i in 0..10 {
                points.push(points[i] + (random.direction() + glam::DVec3::Y).normalize());
            }
            let target = random.ball() * 7.0;
            let mut single: Vec<Vec3> = points.iter().map(|point| point.as_vec3()).collect();
            let iterations = textbook(&mut single, &[1.0; 10], target.as_vec3(), 1e-3, 50);
            for _ in 0..iterations {
                methods::iterate(Method::Textbook, &mut points, &[1.0; 10], target);
            }
            let apart = single.iter().zip(&points).map(|(one, two)| one.as_dvec3().distance(*two)).fold(0.0, f64::max);
            assert!(apart < 1e-4, "seed {seed}: {apart} apart after {iterations} iterations");
        }
    }
}
