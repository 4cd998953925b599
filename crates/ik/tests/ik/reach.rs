//! Where an effector can get.
#![allow(clippy::unwrap_used)]

use fabrik3d_ik::display::WorkspaceShell;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Effector, Joint, Kind, Skeleton, Solver, Stop};

#[test]
fn exactly_the_targets_inside_the_shell_are_reached() {
    let mut random = Random::new(11);
    for _ in 0..200 {
        let links = 2 + random.index(4);
        let mut step = || random.direction() * (0.1 + random.unit() * random.unit() * 3.0);
        let joint = |at: usize| Joint::new(format!("{at}"), at.checked_sub(1), step(), Kind::UNLIMITED_BALL);
        let skeleton = Skeleton::new((0..links).map(joint).collect::<Vec<_>>()).unwrap();
        let effector = Effector::new(links - 1, step());
        let start = skeleton.rest_pose();
        let shell = WorkspaceShell::of(&skeleton, &effector, &start).unwrap();
        // A larger distance from the boundary than the solver's tolerance.
        let margin = 0.01 * shell.outer;
        for (radius, inside) in [
            (shell.outer - margin, shell.outer - margin > shell.inner),
            (shell.outer + margin, false),
            (shell.inner + margin, shell.inner + margin < shell.outer),
            (shell.inner - margin, false),
        ] {
            if radius > 0.0 {
                let target = shell.center + random.direction() * radius;
                let report = Solver::new(skeleton.clone()).goal(effector, target).solve(&mut start.clone());
                assert_eq!(report.stop == Stop::Reached, inside, "{shell:?} {radius} {report:?}");
            }
        }
    }
}
