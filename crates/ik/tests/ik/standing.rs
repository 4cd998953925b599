//! Targets that stand still: an answer is given again at once, also where it misses its goals. A pose that stays next to the last
//! one first comes as near as it gets.
#![allow(clippy::unwrap_used)]

use crate::arm_cases::{Wanted, random_arm};
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Effector, Goal, Problem, Settings, Solver};
use glam::DVec3;

#[test]
fn a_missed_target_that_stands_still_costs_nothing() {
    let mut random = Random::new(91);
    let mut missed = 0;
    for may_jump in [false, true].into_iter().cycle().take(40) {
        let (skeleton, effector) = random_arm(6, &mut random);
        let away = random.direction() * effector.size(&skeleton) * random.range(0.6, 1.5);
        let target = |skeleton: &fabrik3d_ik::Skeleton, effector: &Effector| {
            let mut target = Wanted::Both.target(skeleton, effector, &skeleton.rest_pose());
            target.position = target.position.map(|position| position + away);
            target
        };
        let goal = Goal::new(effector, target(&skeleton, &effector));
        let mut solver = Solver::new(&skeleton)
            .problem(Problem { goals: vec![goal], ..Problem::default() })
            .settings(Settings { may_jump, ..Settings::default() });
        let mut pose = skeleton.rest_pose();
        let mut first = solver.track(&mut pose);
        let mut calls = 1;
        while !may_jump && !first.stop.is_reached() && first.refine_steps > 0 {
            first = solver.track(&mut pose);
            calls += 1;
            assert!(calls < 100, "{first}");
        }
        if first.stop.is_reached() {
            continue;
        }
        missed += 1;
        let before = pose.clone();
        let again = solver.track(&mut pose);
        assert_eq!((again.stop, again.error), (first.stop, first.error));
        assert_eq!((again.iterations, again.refine_steps), (0, 0), "{again}");
        assert_eq!(pose, before);
        // It goes on once the target moves.
        solver.problem.goals[0].target.position = Some(DVec3::splat(0.01) + goal.target.position.unwrap());
        let moved = solver.track(&mut pose);
        assert!(moved.refine_steps > 0);
    }
    assert!(missed > 10, "{missed}");
}
