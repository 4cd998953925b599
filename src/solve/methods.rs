//! Which methods apply to a scene.

use fabrik3d_ik::{Island, IslandSolver, Method};
use fabrik3d_scene::Scene;

/// Whether a method can solve some part of a scene: some are made for single chains without limits only, see
/// [`Method::is_for_chains_only`]. The default method solves everything else.
pub fn suits(scene: &Scene, method: Method) -> bool {
    let is_chain = |island: &Island| IslandSolver::new(&scene.skeleton, &scene.problem(), island).is_chain();
    let ties = scene.loops.iter().map(|(a, b)| (a.joint, b.joint));
    !method.is_for_chains_only() || scene.skeleton.islands(ties).iter().any(is_chain)
}
