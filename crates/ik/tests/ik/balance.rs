//! Bodies keep their balance, as far as that costs no goal.

use fabrik3d_ik::errors::{Part, Reason};
use fabrik3d_ik::goals::{CenterOfMass, GoalRank, PointMass};
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Effector, Goal, Interval, Isometry, Joint, Kind, Pose, Skeleton, Solver, Target};
use glam::DVec3;

pub const FEET: [usize; 2] = [4, 7];
pub const HAND: usize = 10;
/// Calls after a drag, until the pose rests.
const RESTS: u32 = 20;

/// A body of random proportions that stands on bent or straight legs: pelvis, trunk, two legs with feet, and an arm. Some have
/// stiff joints.
pub fn body(random: &mut Random) -> Skeleton {
    let stiff = f64::from(random.unit() < 0.7);
    let (thigh, shin) = (random.range(0.35, 0.5), random.range(0.35, 0.5));
    let (trunk, arm) = (random.range(0.4, 0.6), random.range(0.25, 0.35));
    let joint = |name: &str, parent, offset, kind, stiffness: f64| Joint {
        stiffness: stiff * stiffness,
        ..Joint::new(name, parent, offset, kind)
    };
    let knee = Kind::Hinge { axis: DVec3::X, range: Interval::new(0.0, 2.4).ok() };
    let elbow = Kind::Hinge { axis: DVec3::X, range: Interval::new(-2.4, 0.0).ok() };
    let ball = Kind::UNLIMITED_BALL;
    let mut joints = vec![
        joint("pelvis", None, DVec3::Y * (thigh + shin), Kind::Free, 0.95),
        joint("trunk", Some(0), DVec3::Y * 0.1, ball, 0.95),
    ];
    for x in [-0.1, 0.1] {
        let first = joints.len();
        joints.push(joint(&format!("thigh {x}"), Some(0), DVec3::X * x, ball, 0.3));
        joints.push(joint(&format!("shin {x}"), Some(first), DVec3::NEG_Y * thigh, knee, 0.0));
        joints.push(joint(&format!("foot {x}"), Some(first + 1), DVec3::NEG_Y * shin, ball, 0.3));
    }
    joints.push(joint("arm", Some(1), DVec3::new(0.2, trunk, 0.0), ball, 0.3));
    joints.push(joint("forearm", Some(8), DVec3::NEG_Y * arm, elbow, 0.0));
    joints.push(joint("hand", Some(9), DVec3::NEG_Y * arm, ball, 0.3));
    Skeleton::new(joints).expect("a skeleton")
}

/// Its masses, and what it stands on: its feet, a little wide.
pub fn masses(skeleton: &Skeleton, frames: &[Isometry]) -> CenterOfMass {
    let middle = |joint: usize, mass| {
        let end = skeleton.children(joint).first().map_or(DVec3::Y * 0.2, |&child| skeleton.joints()[child].offset);
        PointMass { joint, point: end * 0.5, mass }
    };
    let masses = [(0, 0.2), (1, 0.4), (2, 0.14), (3, 0.04), (5, 0.14), (6, 0.04), (8, 0.03), (9, 0.02)];
    let corners = |foot: usize| [-0.05, 0.15].map(|ahead| frames[foot].position + DVec3::Z * ahead);
    CenterOfMass {
        masses: masses.map(|(joint, mass)| middle(joint, mass)).into(),
        support: FEET.into_iter().flat_map(corners).collect(),
        up: DVec3::Y,
    }
}

/// The answer to a drag of the hand in steps, or to a jump in one: with its frames, how far the feet and the hand are from their targets, and the
/// center of mass from the support.
struct Dragged {
    frames: Vec<Isometry>,
    feet: f64,
    hand: f64,
    beside: f64,
}

fn drag(skeleton: &Skeleton, balance: Option<CenterOfMass>, to: DVec3, steps: u32) -> Dragged {
    let mut pose = skeleton.rest_pose();
    let rest = skeleton.frames(&pose);
    let mut solver = Solver::new(skeleton).goal(Effector::new(HAND, DVec3::ZERO), rest[HAND].position);
    for foot in FEET {
        let goal = Goal::new(Effector::new(foot, DVec3::ZERO), rest[foot].position);
        solver.problem.goals.push(Goal { rank: GoalRank::Firm, ..goal });
    }
    solver.problem.home = if skeleton.joints()[0].stiffness > 0.0 { pose.clone() } else { Pose::new() };
    solver.problem.centers_of_mass = balance.into_iter().collect();
    for step in 1..=steps {
        let place = rest[HAND].position.lerp(to, f64::from(step) / f64::from(steps));
        solver.set_target(0, Target::from(place));
        let _ = if steps == 1 { solver.solve(&mut pose) } else { solver.track(&mut pose) };
    }
    for _ in 0..if steps == 1 { 0 } else { RESTS } {
        let _ = solver.track(&mut pose);
    }
    let frames = skeleton.frames(&pose);
    let foot = |foot: usize| frames[foot].position.distance(rest[foot].position);
    let balance = masses(skeleton, &rest);
    let beside = balance.beside_support(balance.place(&frames)).length();
    Dragged { feet: foot(FEET[0]).max(foot(FEET[1])), hand: frames[HAND].position.distance(to), beside, frames }
}

/// Far drags need all of the body; every fourth one is far, and some of these are out of reach.
#[test]
fn balance_costs_no_goal_and_is_kept_where_hips_can_go_back() {
    let tolerance = 2e-3;
    let (mut missed, mut would_fall) = (0, 0);
    for seed in 0..120 {
        let mut random = Random::new(seed);
        let skeleton = body(&mut random);
        let rest = skeleton.frames(&skeleton.rest_pose());
        let (is_far, steps) = (seed % 4 == 0, if seed % 8 < 4 { 1 } else { 40 });
        let ahead = random.range(0.1, if is_far { 2.4 } else { 0.8 });
        let to = rest[HAND].position + DVec3::new(random.range(-0.2, 0.3), random.range(-0.2, 0.7), ahead);
        let [without, with] = [None, Some(masses(&skeleton, &rest))].map(|balance| drag(&skeleton, balance, to, steps));
        assert!(with.feet <= tolerance, "seed {seed}: {}", with.feet);
        if without.hand > tolerance {
            missed += 1;
            assert!(with.hand <= 1.01 * without.hand + tolerance, "seed {seed}: {} {}", with.hand, without.hand);
            continue;
        }
        would_fall += usize::from(without.beside > 0.02);
        assert!(with.hand <= tolerance, "seed {seed}: {}", with.hand);
        assert!(with.beside <= without.beside + 1e-3, "seed {seed}: {} {}", with.beside, without.beside);
        assert!(is_far || with.beside < 1e-3, "seed {seed}: {} {}", with.beside, without.beside);
    }
    println!("{missed} missed, {would_fall} would fall over without a balance");
    assert!(missed > 5 && would_fall > 20, "{missed} {would_fall}");
}

/// A center of mass that is always above its support changes no bit, and neither does one without a support.
#[test]
fn what_keeps_its_balance_anyway_moves_as_without() {
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let skeleton = body(&mut random);
        let rest = skeleton.frames(&skeleton.rest_pose());
        let to = rest[HAND].position + random.ball() * 0.5;
        let without = drag(&skeleton, None, to, 9).frames;
        let corners = [DVec3::X, DVec3::Z, DVec3::NEG_ONE];
        for support in [Vec::new(), corners.map(|corner| corner * 100.0).into()] {
            let balance = CenterOfMass { support, ..masses(&skeleton, &rest) };
            assert_eq!(drag(&skeleton, Some(balance), to, 9).frames, without, "seed {seed}");
        }
    }
}

/// The way to the nearest one of many points of the hull, found by weights drawn at random and then around the best ones.
#[test]
fn the_way_from_the_support_is_that_from_its_nearest_point() {
    let mut random = Random::new(6);
    let mut inside = 0;
    for seed in 0..300 {
        let up = random.direction();
        let support: Vec<DVec3> = (0..1 + random.index(6)).map(|_| random.direction()).collect();
        let balance = CenterOfMass { masses: Vec::new(), support, up };
        let point = random.ball() * 0.8;
        let flat = |point: DVec3| point.reject_from_normalized(up);
        let mut nearest = balance.support[0];
        // Frank and Wolfe: each step goes toward the point of the support that lies farthest that way.
        for step in 0..20_000 {
            let way = flat(point - nearest);
            let toward = |stands: &&DVec3| flat(**stands).dot(way);
            let farthest = balance.support.iter().max_by(|a, b| toward(a).total_cmp(&toward(b)));
            nearest = nearest.lerp(*farthest.expect("a support"), 2.0 / (f64::from(step) + 2.0));
        }
        let (found, due) = (balance.beside_support(point), flat(point - nearest));
        assert!(found.distance(due) < 3e-2, "seed {seed}: {found} is not {due}");
        assert!(found.length() <= due.length() + 1e-12, "seed {seed}: {found} is not {due}");
        inside += usize::from(found == DVec3::ZERO);
    }
    assert!((30..270).contains(&inside), "{inside}");
}

#[test]
fn a_center_of_mass_without_mass_or_direction_is_refused() {
    let mut random = Random::new(1);
    let skeleton = body(&mut random);
    let pose = skeleton.rest_pose();
    let valid = masses(&skeleton, &skeleton.frames(&pose));
    let refused = |change: fn(&mut CenterOfMass)| {
        let mut own = valid.clone();
        change(&mut own);
        let mut solver = Solver::new(&skeleton);
        solver.problem.centers_of_mass = vec![valid.clone(), own];
        let refusal = solver.check(&pose).expect_err("a refusal");
        assert_eq!(refusal.part, Part::CenterOfMass(1));
        refusal.reason
    };
    assert_eq!(refused(|own| own.masses[0].mass = -1.0), Reason::Negative);
    assert_eq!(refused(|own| own.masses[0].mass = f64::NAN), Reason::Number);
    assert_eq!(refused(|own| own.masses[0].joint = 99), Reason::NoJoint(99));
    assert_eq!(refused(|own| own.masses.iter_mut().for_each(|own| own.mass = 0.0)), Reason::NoMass);
    assert_eq!(refused(|own| own.support[0].x = f64::INFINITY), Reason::Number);
    assert_eq!(refused(|own| own.up = DVec3::Y * 2.0), Reason::NotUnit);
}
