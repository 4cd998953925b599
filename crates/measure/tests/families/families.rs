//! A part of the measurements: success rates over all families, tracking, targets out of reach.
#![allow(clippy::unwrap_used)]

use fabrik3d_ik::Settings;
use fabrik3d_measure::families::FAMILIES;
use fabrik3d_measure::motion::{out_of_reach, track};
use fabrik3d_measure::skeletons::{StartPose, run};
use fabrik3d_measure::value_of;

fn settings(tolerance: f64) -> Settings {
    Settings { tolerance, rotation_tolerance: 10.0 * tolerance, ..Settings::default() }
}

#[test]
fn solvable_problems_are_solved_within_limits() {
    const COUNT: usize = 60;
    let (mut problems, mut failures, mut one_attempt) = (0, 0.0, 0.0);
    for (start, tolerance) in [(StartPose::Rest, 1e-3), (StartPose::Random, 1e-6)] {
        for family in FAMILIES {
            let row = run(family, COUNT, 77, start, &settings(tolerance));
            assert!(value_of(&row, "violation") <= 1e-12, "{}: {row:?}", family.name);
            // A success rate of 99.8 % allows one failure in sixty.
            let solved = value_of(&row, "solved");
            assert!(solved >= 98.0, "{}: {row:?}", family.name);
            problems += COUNT;
            failures += (100.0 - solved) / 100.0 * COUNT as f64;
            one_attempt += if start == StartPose::Rest { value_of(&row, "one attempt") } else { 0.0 };
        }
    }
    assert!(failures <= 0.0005 * problems as f64, "{failures} of {problems} not solved");
    let one_attempt = one_attempt / FAMILIES.len() as f64;
    assert!(one_attempt >= 97.0, "one attempt from rest solves {one_attempt} %");
}

#[test]
fn smoothly_moving_targets_are_reached_in_every_frame() {
    let (mut frames, mut pops) = (0.0, 0.0);
    for family in FAMILIES {
        let may_jump = Settings { may_jump: true, ..settings(1e-3) };
        let Some(row) = track(family, 3, 5, &may_jump) else { continue };
        assert!(value_of(&row, "reached") == 100.0, "{}: {row:?}", family.name);
        frames += value_of(&row, "frames");
        pops += value_of(&row, "pops");
    }
    assert!(pops * 1000.0 <= frames, "{pops} pops in {frames} frames");
}

#[test]
fn unreachable_targets_end_near_the_best_known_residual() {
    let (mut near, mut families) = (0.0, 0.0);
    for family in FAMILIES {
        if let Some(row) = out_of_reach(family, 6, 6, &settings(1e-3)) {
            near += value_of(&row, "near best");
            families += 1.0;
        }
    }
    assert!(near / families >= 95.0, "{} %", near / families);
}
