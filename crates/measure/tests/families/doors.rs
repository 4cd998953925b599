//! Every way to ask a solver gives the same answer, whatever the scale of the slides: what one reaches, all reach.
#![allow(clippy::unwrap_used)]

use crate::gathered::gathered;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::settings::Prefer;
use fabrik3d_ik::{Coordinates, Effector, Interval, Isometry, Joint, Kind, Pose, Settings, Skeleton, Solver, Target};
use fabrik3d_measure::robots::mid_range;
use fabrik3d_scene::Scene;
use glam::{DQuat, DVec3};
use std::num::NonZeroU32;

const AXES: [DVec3; 3] = [DVec3::X, DVec3::Y, DVec3::Z];

fn hinge(axis: DVec3, most: f64) -> Kind {
    Kind::limited_hinge(axis, -most, most).unwrap()
}

fn slide(axis: DVec3, low: f64, width: f64) -> Kind {
    Kind::Slide { axis, range: Some(Interval::new(low, low + width).unwrap()) }
}

fn arm(joints: Vec<(DVec3, Kind)>) -> Skeleton {
    let joint = |(at, (offset, kind)): (usize, (DVec3, Kind))| {
        Joint::new(format!("joint {at}"), at.checked_sub(1), offset, kind)
    };
    Skeleton::new(joints.into_iter().enumerate().map(joint).collect()).unwrap()
}

/// Hinges of an arm with links between 0.05 and 0.5.
fn hinges(random: &mut Random, count: usize) -> Vec<(DVec3, Kind)> {
    let link = |random: &mut Random| random.direction() * random.range(0.05, 0.5);
    (0..count).map(|_| (link(random), hinge(AXES[random.index(3)], random.range(1.0, 3.1)))).collect()
}

/// A member of each family of robots that slide: `travel` is how far, in units of about one link.
fn sliding(random: &mut Random, travel: f64) -> Vec<(&'static str, Skeleton)> {
    let along = |axis: DVec3| (DVec3::ZERO, slide(axis, -0.5 * travel, travel));
    let wrist = || [DVec3::Z, DVec3::Y, DVec3::X].map(|axis| (0.1 * axis, hinge(axis, 3.1))).to_vec();
    let gantry = AXES.map(along).to_vec();
    let plane = vec![along(DVec3::X), along(DVec3::Y), (DVec3::ZERO, hinge(DVec3::Z, 3.1))];
    let endless = |axis| (DVec3::ZERO, Kind::Slide { axis, range: None });
    let rail = vec![along(random.direction())];
    let instrument = vec![
        (DVec3::ZERO, hinge(DVec3::Y, 1.5)),
        (DVec3::ZERO, hinge(DVec3::X, 0.9)),
        (DVec3::ZERO, slide(-DVec3::Z, 0.0, travel)),
        (DVec3::ZERO, hinge(-DVec3::Z, 3.1)),
        (DVec3::ZERO, hinge(DVec3::X, 1.4)),
        (-0.01 * DVec3::Z, hinge(DVec3::Y, 1.4)),
    ];
    vec![
        ("floating hand", arm([gantry, wrist()].concat())),
        ("rail", arm([rail, hinges(random, 7)].concat())),
        ("planar base", arm([plane, hinges(random, 6)].concat())),
        ("endless plane", arm([vec![endless(DVec3::X), endless(DVec3::Y)], hinges(random, 7)].concat())),
        ("instrument", arm(instrument)),
    ]
}

/// Full poses that random poses inside the limits reach.
fn targets(skeleton: &Skeleton, random: &mut Random, travel: f64, count: usize) -> Vec<Target> {
    let end = skeleton.len() - 1;
    let mut target = |_| {
        let mut pose = skeleton.random_pose(random);
        for (joint, coordinates) in pose.iter_mut().enumerate() {
            if matches!(skeleton.kind(joint), Kind::Slide { range: None, .. }) {
                *coordinates = Coordinates::scalar(random.range(-travel, travel));
            }
        }
        let frame = skeleton.frame_of(Isometry::IDENTITY, &pose, end);
        Target::from((frame.point(TIP), frame.rotation))
    };
    (0..count).map(&mut target).collect()
}

const TIP: DVec3 = DVec3::new(0.0, 0.0, 0.1);

/// Whether each target is reached from the middle of the ranges: one by one, and all at once.
fn reached(skeleton: &Skeleton, settings: Settings, targets: &[Target]) -> [Vec<bool>; 2] {
    reached_by(skeleton, Effector::new(skeleton.len() - 1, TIP), settings, targets)
}

fn reached_by(skeleton: &Skeleton, effector: Effector, settings: Settings, targets: &[Target]) -> [Vec<bool>; 2] {
    let start: Pose = mid_range(skeleton);
    let mut solver = Solver::new(skeleton).goal(effector, targets[0]).settings(settings);
    let joints: Vec<usize> = (0..skeleton.len()).collect();
    let mut table: Vec<f64> = targets.iter().flat_map(|_| start.iter().map(Coordinates::value)).collect();
    let reports = solver.solve_rows(targets, &start, &joints, &mut table);
    let alone = |target: &Target| {
        solver.set_target(0, *target);
        solver.solve(&mut start.clone()).stop.is_reached()
    };
    [targets.iter().map(alone).collect(), reports.iter().map(|report| report.stop.is_reached()).collect()]
}

fn missed(reached: &[bool]) -> usize {
    reached.iter().filter(|reached| !**reached).count()
}

#[test]
fn slides_of_any_length_reach_what_they_can() {
    let mut random = Random::new(11);
    for travel in [0.2, 2.0, 20.0, 200.0, 2000.0] {
        for (name, skeleton) in sliding(&mut random, travel) {
            let targets = targets(&skeleton, &mut random, travel, 200);
            let [alone, together] = reached(&skeleton, Settings::default(), &targets);
            assert_eq!([missed(&alone), missed(&together)], [0; 2], "{name}, {travel}");
        }
    }
}

/// What few attempts reach, more reach.
#[test]
fn more_attempts_reach_no_less() {
    let mut random = Random::new(12);
    let mut robots = sliding(&mut random, 30.0);
    robots.extend((5..8).map(|count| ("arm", arm(hinges(&mut random, count)))));
    for (name, skeleton) in robots {
        let targets = targets(&skeleton, &mut random, 30.0, 200);
        let mut before = [(); 2].map(|()| vec![false; targets.len()]);
        for attempts in [1, 2, 5, 20, 70, 200] {
            let max_attempts = NonZeroU32::new(attempts).unwrap();
            let now = reached(&skeleton, Settings { max_attempts, ..Settings::default() }, &targets);
            let is_lost = |(before, now): (&bool, &bool)| *before && !*now;
            let lost = before.iter().flatten().zip(now.iter().flatten()).filter(|&both| is_lost(both)).count();
            assert_eq!(lost, 0, "{name}: {attempts} attempts reach less than fewer");
            before = now;
        }
    }
}

/// Random arms, by the table, one by one, and nearest: the table misses nothing that another one reaches.
#[test]
fn tables_reach_what_any_other_solve_reaches() {
    let mut random = Random::new(13);
    let mut all = [0; 2];
    for count in [5, 6, 6, 7, 7, 8] {
        let skeleton = arm(hinges(&mut random, count));
        let targets = targets(&skeleton, &mut random, 0.0, 2000);
        let [alone, together] = reached(&skeleton, Settings::default(), &targets);
        let nearest = Settings { prefer: Prefer::Nearest, ..Settings::default() };
        let [nearest, _] = reached(&skeleton, nearest, &targets[..50]);
        let is_worse = |(other, table): (&bool, &bool)| *other && !*table;
        let worse = alone.iter().zip(&together).chain(nearest.iter().zip(&together)).filter(|&b| is_worse(b)).count();
        assert_eq!(worse, 0, "{count} hinges");
        all = [all[0] + missed(&alone), all[1] + missed(&together)];
    }
    assert!(all[0] <= 3 && all[1] <= 1, "missed of 12000, alone and together: {all:?}");
}

/// The samples with long slides: every row, with any number of attempts.
#[test]
fn gathered_rows_are_reached_with_any_number_of_attempts() {
    for (robot, table) in [("long-slides/ppprrr.urdf", "long-slides/t.csv"), ("psm/psm.urdf", "psm/psm.csv")] {
        let gathered = |name: &str| gathered(&format!("trials/robots/{name}"));
        let (Some(robot), Some(table)) = (gathered(robot), gathered(table)) else { return };
        let scene = Scene::open(&robot).unwrap();
        let effector = scene.effectors[0].effector;
        let text = std::fs::read_to_string(table).unwrap();
        let row = |line: &str| -> Vec<f64> { line.split(',').map(|cell| cell.parse().unwrap()).collect() };
        let target = |row: Vec<f64>| {
            let [x, y, z, qx, qy, qz, qw] = row[..] else { panic!("a row of {} columns", row.len()) };
            Target::from((DVec3::new(x, y, z), DQuat::from_xyzw(qx, qy, qz, qw)))
        };
        let targets: Vec<Target> = text.lines().skip(1).map(row).map(target).collect();
        for attempts in [1, 2, 10, 50, 300] {
            let max_attempts = NonZeroU32::new(attempts).unwrap();
            let settings = Settings { max_attempts, ..Settings::default() };
            let [alone, together] = reached_by(&scene.skeleton, effector, settings, &targets);
            assert_eq!([missed(&alone), missed(&together)], [0; 2], "{}: {attempts}", robot.display());
        }
    }
}
