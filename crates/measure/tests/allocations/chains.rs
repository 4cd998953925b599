//! Solving a chain allocates no memory.
#![allow(clippy::unwrap_used)]

use crate::counting;

use counting::ALLOCATIONS;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::settings::Method;
use fabrik3d_ik::{Chain, Joint, Kind, Settings, Skeleton};
use fabrik3d_ik::{Effector, Solver};
use glam::DVec3;
use std::cell::Cell;

#[test]
fn solving_a_chain_does_not_allocate() {
    let mut random = Random::new(3);
    let points: Vec<DVec3> = (0..=12).map(|i| DVec3::Y * f64::from(i)).collect();
    let mut chain = Chain::new(&points).unwrap();
    let before = ALLOCATIONS.with(Cell::get);
    assert!(before > 0, "the chain itself is counted");
    for method in [Method::Accelerated, Method::Textbook] {
        let settings = Settings { method, ..Settings::default() };
        for _ in 0..500 {
            let _ = chain.solve(random.direction() * random.range(0.0, 13.0), &settings);
        }
        let _ = chain.solve(DVec3::ZERO, &settings);
    }
    assert_eq!(ALLOCATIONS.with(Cell::get), before);
}

#[test]
fn setting_fewer_points_does_not_allocate() {
    let mut random = Random::new(4);
    let points: Vec<DVec3> = (0..=12).map(|i| DVec3::Y * f64::from(i)).collect();
    let mut chain = Chain::new(&points).unwrap();
    let before = ALLOCATIONS.with(Cell::get);
    for links in (1..=12).rev() {
        chain.set_points(&points[..=links]).unwrap();
        let _ = chain.solve(random.ball() * 12.0, &Settings::default());
        assert_eq!(chain.points().len(), links + 1);
    }
    assert_eq!(ALLOCATIONS.with(Cell::get), before);
}

#[test]
fn solving_a_plain_chain_does_not_allocate() {
    let ball = |i: usize| Joint::new(format!("{i}"), i.checked_sub(1), DVec3::Y, Kind::UNLIMITED_BALL);
    let skeleton = Skeleton::new((0..12).map(ball).collect()).unwrap();
    let mut pose = skeleton.rest_pose();
    let mut solver = Solver::new(skeleton).goal(Effector::new(11, DVec3::Y), DVec3::X);
    // The first solve allocates the buffers.
    let _ = solver.solve(&mut pose);
    let mut random = Random::new(5);
    let before = ALLOCATIONS.with(Cell::get);
    for _ in 0..500 {
        solver.set_target(0, random.ball() * 13.0);
        let _ = solver.solve(&mut pose);
    }
    assert_eq!(ALLOCATIONS.with(Cell::get), before);
}
