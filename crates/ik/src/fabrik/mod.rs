//! FABRIK on one chain of points without limits. In reading order: the two reaching [`passes`]; the same passes
//! rearranged for a processor's pipeline; the [`overshoot`] that cancels the error; poses in closed form; closures that
//! move a nearly converged tip onto its target; the [`observer`] that reports what a solve does.

pub(crate) mod closed_form;
pub(crate) mod closure;
pub mod observer;
pub mod overshoot;
pub mod passes;
pub(crate) mod pipelined_passes;

/// Points of a chain with these lengths from the origin, for tests. Each link turns a little from the `direction` of the one
/// before: the more, the larger `bend` is.
#[cfg(test)]
fn bent_chain(
    random: &mut crate::random::Random,
    lengths: &[f64],
    mut direction: glam::DVec3,
    bend: f64,
) -> Vec<glam::DVec3> {
    let mut points = vec![glam::DVec3::ZERO];
    for (i, length) in lengths.iter().enumerate() {
        direction = (direction + random.direction() * bend).normalize_or(direction);
        points.push(points[i] + direction * *length);
    }
    points
}
