//! A figure that starts in a coordinate plane, with its targets and poles there, stays in it: that is how 2D is done.
#![allow(clippy::unwrap_used)]

use fabrik3d_ik::goals::Pole;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::settings::Method;
use fabrik3d_ik::{Chain, Effector, Goal, Joint, Kind, Settings, Skeleton, Solver};
use glam::DVec3;
use std::f64::consts::TAU;

/// How far rounding may leave the plane, as a share of the reach.
const FLAT: f64 = 1e-12;

/// A plane: a point of two numbers as a point of the world, with 0 on the axis that is left out.
fn place(axis: usize, [a, b]: [f64; 2]) -> DVec3 {
    let mut numbers = [0.0; 3];
    (numbers[(axis + 1) % 3], numbers[(axis + 2) % 3]) = (a, b);
    DVec3::from_array(numbers)
}

/// How a chain begins.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Start {
    Straight,
    Bent,
}

/// A chain of 2 to 9 links in a plane, a path of five targets there, of which some lie on the line of a straight chain, and
/// perhaps a pole.
fn case(axis: usize, start: Start, random: &mut Random) -> (Vec<DVec3>, Vec<DVec3>, Option<DVec3>) {
    let heading = random.range(0.0, TAU);
    let mut at = [random.range(-1.0, 1.0), random.range(-1.0, 1.0)];
    let base = at;
    let mut points = vec![place(axis, at)];
    let mut reach = 0.0;
    for _ in 0..2 + random.index(8) {
        let turn = if start == Start::Straight { 0.0 } else { random.range(-1.5, 1.5) };
        let (length, (sin, cos)) = (random.range(0.2, 1.0), (heading + turn).sin_cos());
        at = [at[0] + length * cos, at[1] + length * sin];
        reach += length;
        points.push(place(axis, at));
    }
    let target = |random: &mut Random| {
        let angle = if random.index(3) == 0 { heading } else { random.range(0.0, TAU) };
        let distance = random.range(-1.2, 1.2) * reach;
        place(axis, [base[0] + distance * angle.cos(), base[1] + distance * angle.sin()])
    };
    let targets = (0..5).map(|_| target(random)).collect();
    let pole = (random.index(3) == 0).then(|| target(random));
    (points, targets, pole)
}

#[test]
fn chains_stay_in_their_plane() {
    let (mut random, mut left) = (Random::new(71), 0);
    for method in [Method::Accelerated, Method::Textbook] {
        for at in 0..6000 {
            let (axis, start) = (at % 3, if at % 2 == 0 { Start::Straight } else { Start::Bent });
            let (points, targets, pole) = case(axis, start, &mut random);
            let mut chain = Chain::new(&points).unwrap();
            chain.set_pole(pole.map(|toward| Pole { joint: 1, toward }));
            let settings = Settings { method, ..Settings::default() };
            for target in &targets {
                let _ = chain.solve(*target, &settings);
                let off = chain.points().iter().map(|point| point[axis].abs()).fold(0.0, f64::max);
                left += usize::from(off > FLAT * chain.reach());
            }
        }
    }
    assert_eq!(left, 0, "poses out of their plane");
}

#[test]
fn skeletons_of_balls_stay_in_their_plane() {
    let (mut random, mut left) = (Random::new(72), 0);
    for at in 0..3000 {
        let (axis, start) = (at % 3, if at % 2 == 0 { Start::Straight } else { Start::Bent });
        let (points, targets, pole) = case(axis, start, &mut random);
        let joints = points[..points.len() - 1].iter().enumerate().map(|(at, point)| {
            let offset = if at == 0 { *point } else { *point - points[at - 1] };
            Joint::new(format!("{at}"), at.checked_sub(1), offset, Kind::UNLIMITED_BALL)
        });
        let skeleton = Skeleton::new(joints.collect()).unwrap();
        let last = points.len() - 2;
        let hand = Effector::new(last, points[last + 1] - points[last]);
        let (mut pose, reach) = (skeleton.rest_pose(), skeleton.extent());
        let mut solver = Solver::new(skeleton);
        let goal = solver.add_goal(Goal::new(hand, targets[0]));
        solver.problem.poles = pole.filter(|_| last > 0).map(|toward| Pole { joint: 1, toward }).into_iter().collect();
        for (row, target) in targets.iter().enumerate() {
            solver.set_target(goal, *target);
            let _ = if row % 2 == 0 { solver.solve(&mut pose) } else { solver.track(&mut pose) };
            let tip = solver.frames()[last].point(hand.tip);
            let places = solver.frames().iter().map(|frame| frame.position).chain([tip]);
            left += usize::from(places.map(|place| place[axis].abs()).fold(0.0, f64::max) > FLAT * reach);
        }
    }
    assert_eq!(left, 0, "poses out of their plane");
}
