//! Which methods apply to a scene.

use fabrik3d_ik::{Island, IslandSolver, Method};
use fabrik3d_scene::Scene;

/// Whether a method can solve at least one island of a scene. Some methods need a single chain without limits, see
/// [`Method::is_for_chains_only`]; the default method solves the other islands.
pub fn method_applies(scene: &Scene, method: Method) -> bool {
    let problem = scene.problem();
    let skeleton = &scene.skeleton;
    // A solver looks at the whole problem, which would take long for thousands of other islands.
    let is_chain = |island: &Island| {
        skeleton.is_simple_chain(&island.joints) && IslandSolver::new(skeleton, &problem, island).is_chain()
    };
    !method.is_for_chains_only() || skeleton.islands(problem.ties()).iter().any(is_chain)
}
