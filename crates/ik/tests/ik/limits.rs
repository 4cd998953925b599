//! Limits: nearest points, convexity, ranges without zero, whole turns.
#![allow(clippy::unwrap_used)]

use fabrik3d_ik::joints::Mimic;
use fabrik3d_ik::queries::worst_violation;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Coordinates, Interval, Swing, Target};
use fabrik3d_ik::{Effector, Goal, Joint, Kind, Problem, Settings, Skeleton, Solver, Stop};
use glam::{DQuat, DVec3};
use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::num::NonZeroU32;

fn random_swing(random: &mut Random) -> Swing {
    Swing::new([0; 4].map(|_| random.range(0.05, 3.1))).unwrap()
}

/// The point of the rim at the parameter `angle`.
fn rim(swing: Swing, angle: f64) -> [f64; 2] {
    let [ex, ey] = swing.extents([angle.cos(), angle.sin()]);
    [ex * angle.cos(), ey * angle.sin()]
}

#[test]
fn clamping_a_tilt_finds_the_nearest_point_of_the_ellipse() {
    let mut random = Random::new(1);
    for _ in 0..200 {
        let swing = random_swing(&mut random);
        for _ in 0..5 {
            let tilt = [random.range(-4.0, 4.0), random.range(-4.0, 4.0)];
            let inside = swing.clamp(tilt);
            let distance = |[a, b]: [f64; 2]| (a - tilt[0]).hypot(b - tilt[1]);
            assert!(swing.fraction(inside) <= 1.0 + 1e-12);
            if swing.fraction(tilt) <= 1.0 {
                assert_eq!(inside, tilt);
                continue;
            }
            // Brute force: 2,000 points of the rim, then 2,000 more around the best of them.
            let best = |center: f64, width: f64| {
                let angles = (0..=2000).map(|k| center + width * (f64::from(k) / 2000.0 - 0.5));
                angles.min_by(|&a, &b| distance(rim(swing, a)).total_cmp(&distance(rim(swing, b)))).unwrap()
            };
            let angle = best(best(0.0, TAU), TAU / 500.0);
            assert!(distance(inside) <= distance(rim(swing, angle)) + 1e-9, "{swing:?} {tilt:?}");
        }
    }
}

#[test]
fn sets_are_convex_and_clamping_twice_is_clamping_once() {
    let mut random = Random::new(2);
    for _ in 0..2000 {
        let swing = random_swing(&mut random);
        let mut inside = || swing.clamp([random.range(-4.0, 4.0), random.range(-4.0, 4.0)]);
        let (a, b) = (inside(), inside());
        let again = swing.clamp(a);
        assert!((again[0] - a[0]).hypot(again[1] - a[1]) < 1e-14);
        let share = random.unit();
        let mixed = [0, 1].map(|k| a[k] + (b[k] - a[k]) * share);
        assert!(swing.fraction(mixed) <= 1.0 + 1e-12);
    }
}

#[test]
fn a_locked_side_stays_locked() {
    let one_way = Swing::new([0.0, 0.0, 1.0, 0.0]).unwrap();
    assert_eq!(one_way.clamp([0.5, 0.5]), [0.0, 0.0]);
    assert_eq!(one_way.clamp([-0.5, 0.5]), [-0.5, 0.0]);
    assert_eq!(one_way.clamp([-3.0, -0.5]), [-1.0, 0.0]);
    assert!(one_way.contains([-1.0, 0.0]) && !one_way.contains([0.1, 0.0]));
    assert_eq!([[0.0, 0.0], [-0.5, 0.0], [-1.5, 0.0]].map(|tilt| one_way.fraction(tilt)), [0.0, 0.5, 1.5]);
    assert_eq!([[0.1, 0.0], [-0.5, 0.1]].map(|tilt| one_way.fraction(tilt)), [f64::INFINITY; 2]);
}

#[test]
fn rest_poses_respect_ranges_without_zero() {
    let range = Interval::new(-3.07, -0.07).ok();
    let skeleton = Skeleton::new(vec![
        Joint::new("elbow", None, DVec3::ZERO, Kind::Hinge { axis: DVec3::Z, range }),
        Joint::new("slide", Some(0), DVec3::X, Kind::Slide { axis: DVec3::X, range: Interval::new(0.2, 0.4).ok() }),
    ])
    .unwrap();
    let rest = skeleton.rest_pose();
    assert_eq!([rest[0].value(), rest[1].value()], [-0.07, 0.2]);
    assert!(worst_violation(&skeleton, &rest) == 0.0);
}

#[test]
fn an_angle_outside_lands_on_the_nearer_end_of_the_circle() {
    let range = Interval::new(-2.0, 1.0).unwrap();
    assert_eq!(range.clamp_angle(1.2), 1.0);
    assert_eq!(range.clamp_angle(PI), -2.0 + 0.0_f64.max(0.0), "PI is 1.14 from -2 and 2.14 from 1");
    let wide = Interval::new(-4.0, 4.0).unwrap();
    assert_eq!(wide.clamp_angle(3.5), 3.5, "more than a turn: angles inside are kept");
}

/// Joint values go to the limit that they are beyond, also where the other one is nearer on the circle, so that the pose
/// inside the limits is the nearest one in joint coordinates. Angles of rotations go to the nearer end of the circle.
#[test]
fn values_go_to_the_nearest_limit_and_rotations_to_the_nearest_rotation() {
    let mut random = Random::new(11);
    for _ in 0..2000 {
        let low = random.range(-7.0, 6.0);
        let range = Interval::new(low, low + random.range(0.0, 7.0)).unwrap();
        let value = random.range(-9.0, 9.0);
        let hinge = Kind::Hinge { axis: DVec3::Z, range: Some(range) };
        let ball = Kind::Ball { swing: None, twist: Some(range) };
        let inside = hinge.project(Coordinates::scalar(value)).value();
        assert!(range.contains(inside));
        for other in [range.low(), range.high(), range.middle()] {
            assert!((inside - value).abs() <= (other - value).abs(), "{value} in {range:?}: {inside}, not {other}");
        }
        assert_eq!(ball.project(Coordinates::ball([0.1, 0.2], value)).twist(), inside);

        let angle = random.range(-PI, PI);
        let turned = hinge.project_rotation(Coordinates::scalar(angle)).value();
        assert!(range.contains(turned));
        assert_eq!(ball.project_rotation(Coordinates::ball([0.1, 0.2], angle)).twist(), turned);
        let away = |end: f64| (1.0 - (end - angle).cos()).abs();
        for end in [range.low(), range.high()] {
            assert!(away(turned) <= away(end) + 1e-12, "{angle} in {range:?}: {turned}, not {end}");
        }
    }
    // A wrist just beyond its limit stays at that limit.
    let wrist = Kind::Hinge { axis: DVec3::Z, range: Interval::new(-3.12, 3.12).ok() };
    assert_eq!(wrist.project(Coordinates::scalar(3.16)).value(), 3.12);
    assert_eq!(wrist.project_rotation(Coordinates::scalar(3.16)).value(), -3.12);
}

#[test]
fn random_poses_are_uniform_within_the_limits() {
    let swing = Swing::new([1.0, 0.5, 0.2, 2.0]).unwrap();
    let kind = Kind::Ball { swing: Some(swing), twist: Interval::new(-1.0, 3.0).ok() };
    let skeleton = Skeleton::new(vec![Joint::new("ball", None, DVec3::ZERO, kind)]).unwrap();
    let mut random = Random::new(3);
    let mut quadrants = [0.0; 4];
    let (mut inner, count) = (0.0, 20_000);
    for _ in 0..count {
        let pose = skeleton.random_pose(&mut random);
        assert!(worst_violation(&skeleton, &pose) <= 1e-15);
        let [a, b] = pose[0].tilt();
        quadrants[usize::from(a < 0.0) + 2 * usize::from(b < 0.0)] += 1.0 / f64::from(count);
        inner += f64::from(u8::from(swing.fraction([a, b]) < 0.5_f64.sqrt())) / f64::from(count);
    }
    // Uniform by area: 0.5 : 0.1 : 2 : 0.4, and half of all within 0.707 of the rim.
    for (share, area) in quadrants.into_iter().zip([0.5, 0.1, 2.0, 0.4]) {
        assert!((share - area / 3.0).abs() < 0.02, "{quadrants:?}");
    }
    assert!((inner - 0.5).abs() < 0.02);
}

/// Bodies that float, and slides without limits, stay within a skeleton's size of where they rest, in any unit of length.
#[test]
fn random_poses_without_limits_stay_near() {
    let mut random = Random::new(4);
    for size in [1e-3, 1.0, 1e3] {
        let body = Joint::new("body", None, DVec3::ZERO, Kind::Free);
        let slide = Joint::new("slide", Some(0), DVec3::X * size, Kind::Slide { axis: DVec3::Y, range: None });
        let skeleton = Skeleton::new(vec![body, slide]).unwrap();
        let (mut farthest, mut slid) = (0.0_f64, 0.0_f64);
        for _ in 0..300 {
            let pose = skeleton.random_pose(&mut random);
            farthest = farthest.max(pose[0].free_position().length() / skeleton.extent());
            slid = slid.max(pose[1].value().abs() / skeleton.extent());
        }
        assert!((0.2..=1.0).contains(&farthest) && (0.5..=1.0).contains(&slid), "{size}: {farthest} {slid}");
    }
}

#[test]
fn a_joint_keeps_its_mimic_joint_within_its_limits() {
    let hinge = |low, high| Kind::Hinge { axis: DVec3::Z, range: Interval::new(low, high).ok() };
    let mut mimic = Joint::new("mimic", Some(0), DVec3::X, hinge(-0.5, 0.25));
    mimic.mimic = Some(Mimic { joint: 0, scale: -2.0, offset: 0.1 });
    let skeleton = Skeleton::new(vec![Joint::new("leader", None, DVec3::ZERO, hinge(-1.0, 1.0)), mimic]).unwrap();
    let mut pose = skeleton.rest_pose();
    for value in [-3.0, -0.3, 0.0, 0.2, 2.0] {
        pose[0] = Coordinates::scalar(value);
        skeleton.project(&mut pose);
        assert!((pose[1].value() - (0.1 - 2.0 * pose[0].value())).abs() < 1e-15);
        assert!(worst_violation(&skeleton, &pose) <= 1e-15, "{value}");
    }
}

/// An arm of six hinges with about the dimensions of a UR5, each limited to one full turn.
fn arm_of_full_turns() -> Skeleton {
    let turn = DQuat::from_rotation_y(FRAC_PI_2);
    let parts = [
        (DVec3::Z * 0.089, DQuat::IDENTITY, DVec3::Z),
        (DVec3::Y * 0.136, turn, DVec3::Y),
        (DVec3::new(0.0, -0.12, 0.425), DQuat::IDENTITY, DVec3::Y),
        (DVec3::Z * 0.392, turn, DVec3::Y),
        (DVec3::Y * 0.093, DQuat::IDENTITY, DVec3::Z),
        (DVec3::Z * 0.095, DQuat::IDENTITY, DVec3::Y),
    ];
    let joint = |(at, (offset, rest, axis)): (usize, (DVec3, DQuat, DVec3))| {
        let kind = Kind::Hinge { axis, range: Interval::new(-PI, PI).ok() };
        Joint { rest, ..Joint::new(format!("joint {at}"), at.checked_sub(1), offset, kind) }
    };
    Skeleton::new(parts.into_iter().enumerate().map(joint).collect()).unwrap()
}

#[test]
fn the_limit_of_a_full_turn_is_no_obstacle() {
    let skeleton = arm_of_full_turns();
    let effector = Effector::new(5, DVec3::Y * 0.082);
    // A nearly straight arm leaves little room: one of the cases needs many starts.
    let max_attempts = NonZeroU32::new(1000).unwrap();
    let settings = Settings { tolerance: 1e-6, rotation_tolerance: 1e-6, max_attempts, ..Settings::default() };
    let mut random = Random::new(11);
    let mut at_once = 0;
    for case in 0..500 {
        let there = skeleton.frames(&skeleton.random_pose(&mut random))[5];
        let target = Target::from((there.point(effector.tip), there.rotation));
        let mut pose = skeleton.rest_pose();
        let report = Solver::new(&skeleton).goal(effector, target).settings(settings).solve(&mut pose);
        assert_eq!((report.stop, worst_violation(&skeleton, &pose)), (Stop::Reached, 0.0), "case {case}");
        at_once += u32::from(report.attempts == 1);
    }
    assert!(at_once > 440, "{at_once} of 500 at once");
}

/// A ball without a swing limit swings through the antipode of its rest direction, where a tilt has no direction. Its twist
/// keeps its range there, too.
#[test]
fn balls_keep_their_twist_next_to_the_antipode() {
    let twist = Interval::new(-0.3, 0.4).ok();
    let ball = Kind::Ball { swing: None, twist };
    let joint = |at: usize| Joint::new(at.to_string(), at.checked_sub(1), DVec3::Z, ball);
    let skeleton = Skeleton::new((0..3).map(joint).collect()).expect("a skeleton");
    let mut random = Random::new(3);
    for seed in 0..300 {
        // Links that point back.
        let back = |random: &mut Random| {
            let angle = random.range(-3.1, 3.1);
            Coordinates::ball([angle.cos() * 3.13, angle.sin() * 3.13], random.range(-0.3, 0.4))
        };
        let mut pose: Vec<Coordinates> = (0..3).map(|_| back(&mut random)).collect();
        skeleton.project(&mut pose);
        let goal = Goal::new(Effector::new(2, DVec3::Z), (2.0 * random.ball(), random.rotation()));
        let mut solver = Solver::new(&skeleton).problem(Problem { goals: vec![goal], ..Problem::default() });
        for target in 0..20 {
            solver.set_target(0, (2.0 * random.ball(), random.rotation()));
            let _ = solver.track(&mut pose);
            let worst = worst_violation(&skeleton, &pose);
            assert!(worst <= 1e-12, "seed {seed}, target {target}: {worst}");
        }
    }
}
