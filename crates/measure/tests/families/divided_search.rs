//! Tracking with `Settings::steps_per_call`: a call takes no more steps, and calls that follow each other find what one search
//! finds at once.
#![allow(clippy::unwrap_used)]

use fabrik3d_ik::glam::DVec3;
use fabrik3d_ik::queries::worst_violation;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Effector, Joint, Kind, Pose, Report, Settings, Skeleton, Solver};
use fabrik3d_measure::families::{FAMILIES, FamilyCase};
use std::num::NonZeroU32;

const STEPS: u32 = 8;
/// Enough for 50 attempts of 60 steps each, and for a pose that creeps toward its target.
const CALLS: usize = 1000;

fn divided(case: &FamilyCase) -> Solver {
    case.solver().settings(Settings { may_jump: true, steps_per_call: NonZeroU32::new(STEPS), ..Settings::default() })
}

/// Calls until the targets, which rest, are reached or given up.
fn track_to_the_end(case: &FamilyCase) -> (Vec<Report>, Pose) {
    let (mut solver, mut pose) = (divided(case), case.start.clone());
    let mut reports = Vec::new();
    while reports.len() < CALLS {
        let report = solver.track(&mut pose);
        assert!(worst_violation(&case.skeleton, &pose) <= 1e-12);
        reports.push(report);
        if report.stop.is_reached() || report.refine_steps == 0 {
            break;
        }
    }
    if reports.last().is_some_and(|last| !last.stop.is_reached()) && reports.len() < CALLS {
        // A search that has failed stays where it is.
        let ended = pose.clone();
        assert!(solver.track(&mut pose).refine_steps == 0 && pose == ended);
    }
    (reports, pose)
}

/// A call refines the last pose, once more if loops gave way, and looks for another one. Poles, homes and loops that are closed
/// in the end take steps of their own.
#[test]
fn a_call_takes_no_more_steps_than_it_may() {
    let mut random = Random::new(41);
    let mut missed = 0;
    for family in FAMILIES {
        for _ in 0..4 {
            let case = family.case(&mut random).with_random_start(&mut random);
            let in_one_stage = case.problem.goals.iter().all(|goal| goal.effector.chain_length.is_none());
            let is_plain = in_one_stage
                && case.problem.loops.is_empty()
                && case.problem.poles.is_empty()
                && case.skeleton.joints().iter().all(|joint| joint.stiffness == 0.0);
            let (mut solver, mut pose) = (divided(&case), case.start.clone());
            for _ in 0..20 {
                let shift = random.direction() * 0.01 * case.skeleton.extent();
                for goal in &mut solver.problem.goals {
                    goal.target.position = goal.target.position.map(|position| position + shift);
                }
                let report = solver.track(&mut pose);
                missed += usize::from(!report.stop.is_reached());
                assert!(!is_plain || report.refine_steps <= 2 * STEPS, "{}: {report:?}", family.name);
                assert!(report.attempts <= 2, "{}: {report:?}", family.name);
            }
        }
    }
    assert!(missed > 200, "{missed} missed calls");
}

#[test]
fn calls_that_follow_each_other_find_what_one_search_finds_at_once() {
    let mut random = Random::new(42);
    let (mut at_once, mut in_the_end, mut given_up, mut farther, mut total) = (0, 0, 0, 0, 0);
    for family in FAMILIES {
        for round in 0..6 {
            let mut case = family.case(&mut random).with_random_start(&mut random);
            // Every second one may be beyond the limits.
            let shift = random.ball() * 0.3 * case.skeleton.extent() * f64::from(round % 2);
            for goal in &mut case.problem.goals {
                goal.target.position = goal.target.position.map(|position| position + shift);
            }
            let may_jump = Settings { may_jump: true, ..Settings::default() };
            let whole = case.solver().settings(may_jump).track(&mut case.start.clone());
            let (reports, _) = track_to_the_end(&case);
            let last = reports.last().unwrap();
            // Stiff figures never give up.
            let is_stiff = case.skeleton.joints().iter().any(|joint| joint.stiffness > 0.0);
            total += 1;
            if !is_stiff && !last.stop.is_reached() && !whole.stop.is_reached() {
                farther += usize::from(last.error > 1.05 * whole.error);
            }
            at_once += usize::from(whole.stop.is_reached());
            in_the_end += usize::from(last.stop.is_reached());
            given_up += usize::from(!last.stop.is_reached() && (is_stiff || last.refine_steps == 0));
        }
    }
    println!("{at_once} at once, {in_the_end} in the end, {given_up} given up, {farther} farther, of {total}");
    assert_eq!(farther, 0, "the same best misses");
    assert!(in_the_end >= at_once, "{in_the_end} in the end, {at_once} at once, of {total}");
    assert_eq!(in_the_end + given_up, total, "the rest goes on for ever");
}

/// Legs whose targets glide, an eighth of them beyond their limits.
#[test]
fn no_leg_of_a_crowd_misses_for_more_than_ten_frames_what_whole_searches_meet() {
    let mut random = Random::new(44);
    let (mut missed, mut whole, mut longest) = (0, 0, 0);
    for at in 0..500 {
        let hip = Kind::limited_ball(random.range(0.8, 1.6), random.range(0.3, 0.9)).unwrap();
        let knee = Kind::limited_hinge(DVec3::X, 0.0, random.range(1.8, 2.6)).unwrap();
        let skeleton = Skeleton::new(vec![
            Joint::new("hip", None, DVec3::ZERO, hip).along(DVec3::NEG_Y),
            Joint::new("knee", Some(0), DVec3::Z * random.range(0.4, 0.6), knee),
        ])
        .unwrap();
        let foot = Effector::new(1, DVec3::Z * random.range(0.4, 0.6));
        let place = |random: &mut Random| skeleton.frames(&skeleton.random_pose(random))[1].point(foot.tip);
        let away = if at % 8 == 0 { random.direction() * random.range(0.2, 1.5) } else { DVec3::ZERO };
        let [begin, end] = [(); 2].map(|()| place(&mut random) + away);
        let start = skeleton.random_pose(&mut random);
        let solver = Solver::new(skeleton).goal(foot, begin);
        let misses = |settings: Settings| {
            let (mut solver, mut pose) = (solver.clone().settings(settings), start.clone());
            let _ = solver.solve(&mut pose);
            let frame = |frame: u32| {
                solver.set_target(0, begin + 0.01 * f64::from(frame) * (end - begin));
                !solver.track(&mut pose).stop.is_reached()
            };
            (1..30).map(frame).collect::<Vec<bool>>()
        };
        let divided = misses(Settings::realtime());
        let at_once = misses(Settings { may_jump: true, ..Settings::default() });
        missed += divided.iter().filter(|missed| **missed).count();
        whole += at_once.iter().filter(|missed| **missed).count();
        let mut row = 0;
        for (divided, at_once) in divided.into_iter().zip(at_once) {
            row = if divided && !at_once { row + 1 } else { 0 };
            longest = longest.max(row);
        }
    }
    println!("{missed} of 14,500 frames missed, {whole} by whole searches, at most {longest} in a row alone");
    assert!(whole > 1000, "{whole}");
    assert!(longest <= 10, "{longest} frames");
}

#[test]
fn a_divided_search_gives_the_same_bits_again() {
    let mut random = Random::new(43);
    for family in FAMILIES {
        let case = family.case(&mut random).with_random_start(&mut random);
        assert_eq!(track_to_the_end(&case), track_to_the_end(&case), "{}", family.name);
    }
}
