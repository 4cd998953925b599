//! Which methods can solve a scene.

use fabrik3d_ik::figures::split;
use fabrik3d_ik::settings::Method;
use fabrik3d_scene::Scene;

/// Whether a method can solve at least one figure of a scene. Some methods need a single chain without limits, see
/// [`Method::is_for_chains_only`]; the default method solves the other figures.
pub fn method_applies(scene: &Scene, method: Method) -> bool {
    let problem = scene.problem();
    let mut figures = split(&scene.skeleton, &problem);
    !method.is_for_chains_only() || figures.any(|figure| figure.chain_points(&problem, &scene.start).is_some())
}
