//! Targets that move by less than the tolerance from call to call.

use fabrik3d_ik::Skeleton;
use fabrik3d_ik::glam::DVec3;
use fabrik3d_ik::random::Random;
use fabrik3d_measure::families::{FAMILIES, FamilyCase};

const CALLS: usize = 20;

/// The shares of the calls in which all effectors move as their targets do, to a tenth; of `CALLS` that follow each other.
fn followed(case: &FamilyCase, shift: DVec3) -> f64 {
    let mut solver = case.solver();
    let mut pose = case.witness.clone();
    let tips = |skeleton: &Skeleton, pose: &[_]| -> Vec<DVec3> {
        let frames = skeleton.frames(pose);
        let goals = case.problem.goals.iter().filter(|goal| goal.target.position.is_some());
        goals.map(|goal| frames[goal.effector.joint].point(goal.effector.tip)).collect()
    };
    let mut followed = 0;
    let mut before = tips(&case.skeleton, &pose);
    for call in 0..CALLS + 2 {
        for goal in &mut solver.problem.goals {
            goal.target.position = goal.target.position.map(|position| position + shift);
        }
        let report = solver.track(&mut pose);
        let after = tips(&case.skeleton, &pose);
        let moves = before.iter().zip(&after).map(|(before, after)| *after - *before);
        let is_followed = moves.into_iter().all(|way| way.distance(shift) < 0.1 * shift.length());
        followed += usize::from(call >= 2 && report.stop.is_reached() && is_followed);
        before = after;
    }
    followed as f64 / CALLS as f64
}

#[test]
fn a_slow_target_is_followed_without_steps() {
    let mut random = Random::new(41);
    for family in FAMILIES {
        // A four-bar linkage follows its target only along a curve.
        if family.name == "loop: four-bar" {
            continue;
        }
        let mut shares: Vec<f64> = (0..12)
            .map(|_| {
                let case = family.case(&mut random);
                let shift = random.direction() * 1e-5 * case.skeleton.extent();
                followed(&case, shift)
            })
            .collect();
        // In a few poses, limits or singularities are in the way.
        shares.sort_by(f64::total_cmp);
        assert!(shares[4] == 1.0, "{}: {shares:?}", family.name);
    }
}
