//! Laws of the displayed pose: the curve of the ease, mixed poses, and superposed eases, each compared with a formula that is
//! computed here in another way.
#![allow(clippy::unwrap_used)]

use fabrik3d_ik::display::{
    Blend, EaseStart, Eases, ease, mix_directions, mix_poses, pose_distance, speed_toward_limits,
};
use fabrik3d_ik::queries::angle_between;
use fabrik3d_ik::queries::worst_violation;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Coordinates, Interval, Joint, Kind, Pose, Skeleton, Swing};
use glam::{DQuat, DVec3};
use std::f64::consts::PI;

/// One time step, seconds.
const STEP: f64 = 1.0 / 60.0;

/// A limb with one joint of each limited kind.
fn limited_limb() -> Skeleton {
    let hinge = Kind::Hinge { axis: DVec3::Y, range: Interval::new(-0.4, 2.0).ok() };
    let slide = Kind::Slide { axis: DVec3::Z, range: Interval::new(-0.1, 0.6).ok() };
    let ball = Kind::Ball { swing: Swing::new([0.9, 0.5, 0.3, 1.2]).ok(), twist: Interval::new(-0.5, 0.7).ok() };
    let joints = [hinge, slide, ball, hinge].into_iter().enumerate();
    let joint = |(at, kind): (usize, Kind)| Joint::new(at.to_string(), at.checked_sub(1), DVec3::Z, kind);
    Skeleton::new(joints.map(joint).collect::<Vec<_>>()).unwrap()
}

/// A line of unlimited balls.
fn rope(links: usize) -> Skeleton {
    let joint = |at: usize| Joint::new(at.to_string(), at.checked_sub(1), DVec3::Z, Kind::UNLIMITED_BALL);
    Skeleton::new((0..links).map(joint).collect::<Vec<_>>()).unwrap()
}

fn all_joints(skeleton: &Skeleton) -> Vec<usize> {
    (0..skeleton.len()).collect()
}

/// The start of an ease from a pose at rest.
fn from_rest(pose: &[Coordinates]) -> EaseStart<'_> {
    EaseStart { pose, before: None, step: STEP, run_out: 0.0, is_moving: false }
}

fn displayed(eases: &mut Eases, skeleton: &Skeleton, solved: &[Coordinates]) -> Pose {
    let mut out = skeleton.rest_pose();
    eases.display(skeleton, &all_joints(skeleton), solved, &mut out);
    out
}

/// Each number of a pose of [`limited_limb`], in order.
fn numbers(pose: &[Coordinates]) -> impl Iterator<Item = f64> + use<> {
    let [a, b] = pose[2].tilt();
    [pose[0].value(), pose[1].value(), a, b, pose[2].twist(), pose[3].value()].into_iter()
}

#[test]
fn the_ease_is_a_cosine_from_rest_to_rest() {
    assert_eq!([-1.0, 0.0, 1.0, 2.0].map(ease), [0.0, 0.0, 1.0, 1.0]);
    for (t, value) in [(0.5, 0.5), (1.0 / 3.0, 0.25), (2.0 / 3.0, 0.75), (0.25, 0.5 - 0.125_f64.sqrt())] {
        assert!((ease(t) - value).abs() < 1e-15, "{t}: {}", ease(t));
    }
    for at in 1..1000 {
        let t = f64::from(at) / 1000.0;
        assert!((ease(t) + ease(1.0 - t) - 1.0).abs() < 1e-15);
        let slope = (ease(t + 1e-5) - ease(t - 1e-5)) / 2e-5;
        assert!((slope - 0.5 * PI * (PI * t).sin()).abs() < 1e-4 * PI, "{t}: {slope}");
    }
}

#[test]
fn a_blend_runs_for_its_duration() {
    let mut blend = Blend::new(0.5);
    assert_eq!((blend.fraction(), blend.weight(), blend.remaining()), (0.0, 0.0, 0.5));
    for quarter in 1..4 {
        blend = blend.after(0.125).unwrap();
        assert_eq!(
            (blend.fraction(), blend.remaining()),
            (0.25 * f64::from(quarter), 0.5 - 0.125 * f64::from(quarter))
        );
        assert_eq!(blend.weight(), ease(blend.fraction()));
    }
    assert!(blend.after(0.125).is_none(), "over");
    assert_eq!((Blend::new(0.0).fraction(), Blend::new(0.0).weight()), (1.0, 1.0));
}

#[test]
fn mixed_poses_lie_between_their_ends_within_the_limits() {
    let (skeleton, mut random) = (limited_limb(), Random::new(1));
    let (joints, mut out) = (all_joints(&skeleton), skeleton.rest_pose());
    for _ in 0..500 {
        let [from, to] = [(); 2].map(|()| skeleton.random_pose(&mut random));
        let weight = random.unit();
        mix_poses(&skeleton, &joints, &from, &to, weight, &mut out);
        for ((from, to), mixed) in numbers(&from).zip(numbers(&to)).zip(numbers(&out)) {
            assert!((mixed - (from * (1.0 - weight) + to * weight)).abs() < 1e-14);
        }
        assert_eq!(worst_violation(&skeleton, &out), 0.0);
        for (weight, end) in [(0.0, &from), (1.0, &to)] {
            mix_poses(&skeleton, &joints, &from, &to, weight, &mut out);
            assert!(numbers(&out).zip(numbers(end)).all(|(a, b)| (a - b).abs() < 1e-15));
        }
    }
}

#[test]
fn links_of_ropes_move_along_great_circles() {
    let (skeleton, mut random) = (rope(6), Random::new(2));
    let (joints, mut out) = (all_joints(&skeleton), skeleton.rest_pose());
    for _ in 0..200 {
        let [from, to] = [(); 2].map(|()| skeleton.random_pose(&mut random));
        let weight = random.unit();
        mix_poses(&skeleton, &joints, &from, &to, weight, &mut out);
        let [a, b, mixed] = [&from, &to, &out].map(|pose| skeleton.frames(pose));
        for joint in 0..5 {
            let link = |frames: &[fabrik3d_ik::Isometry]| frames[joint + 1].position - frames[joint].position;
            let (a, b, mixed) = (link(&a), link(&b), link(&mixed));
            assert!((mixed.length() - 1.0).abs() < 1e-12, "a link keeps its length");
            let angle = a.angle_between(b);
            let on_circle = (a * ((1.0 - weight) * angle).sin() + b * (weight * angle).sin()) / angle.sin();
            assert!(mixed.distance(on_circle) < 1e-9 / angle.sin(), "{mixed} {on_circle}");
            assert!(mix_directions(a, b, weight).distance(on_circle) < 1e-9 / angle.sin());
        }
    }
}

#[test]
fn the_distance_of_poses_is_that_of_the_joint_that_moves_most() {
    let (skeleton, mut random) = (limited_limb(), Random::new(3));
    for _ in 0..200 {
        let [from, to] = [(); 2].map(|()| skeleton.random_pose(&mut random));
        let length = random.range(0.1, 3.0);
        let turn = |joint: usize| {
            let kind = skeleton.kind(joint);
            angle_between(kind.rotation(&from[joint]), kind.rotation(&to[joint]))
        };
        let slid = (from[1].value() - to[1].value()).abs() / length;
        let most = [turn(0), slid, turn(2), turn(3)].into_iter().fold(0.0, f64::max);
        assert!((pose_distance(&skeleton, &[0, 1, 2, 3], &from, &to, length) - most).abs() < 1e-12);
        assert!((pose_distance(&skeleton, &[1], &from, &to, length) - slid).abs() < 1e-12);
    }
}

#[test]
fn the_distance_of_a_hinge_is_the_way_that_it_turns() {
    let mut random = Random::new(5);
    let mut beyond_half_a_turn = 0;
    for range in [None, Interval::new(-3.1, 3.1).ok(), Interval::new(-6.2, 6.2).ok()] {
        let hinge = Joint::new("hinge", None, DVec3::ZERO, Kind::Hinge { axis: DVec3::Z, range });
        let skeleton = Skeleton::new(vec![hinge]).unwrap();
        for _ in 0..100 {
            let [from, to] = [(); 2].map(|()| skeleton.random_pose(&mut random));
            let (mut last, mut now, mut way) = (from.clone(), from.clone(), 0.0);
            for step in 1..=100 {
                mix_poses(&skeleton, &[0], &from, &to, f64::from(step) / 100.0, &mut now);
                way += angle_between(skeleton.kind(0).rotation(&last[0]), skeleton.kind(0).rotation(&now[0]));
                last.clone_from(&now);
            }
            let distance = pose_distance(&skeleton, &[0], &from, &to, 1.0);
            assert!((distance - way).abs() < 1e-9, "{range:?}: {distance} {way}");
            beyond_half_a_turn += u32::from(distance > PI);
        }
    }
    assert!(beyond_half_a_turn > 50, "{beyond_half_a_turn}");
}

/// The poses that a displayed pose goes through: each is solved at its time, seconds.
struct Jumps {
    times: Vec<f64>,
    poses: Vec<Pose>,
}

impl Jumps {
    fn random(skeleton: &Skeleton, count: usize, random: &mut Random) -> Self {
        let mut time = 0.0;
        let mut step = || {
            time += STEP * (1 + random.index(25)) as f64;
            time
        };
        let times = (0..count).map(|_| step()).collect();
        Jumps { times, poses: (0..=count).map(|_| skeleton.random_pose(random)).collect() }
    }

    /// The displayed poses in steps of [`STEP`], with eases of one second.
    fn shown(&self, skeleton: &Skeleton) -> Vec<Pose> {
        let (mut eases, mut shown, mut jumps) = (Eases::default(), Vec::new(), 0);
        let end = self.times.last().unwrap() + 1.2;
        for at in 0..(end / STEP) as usize {
            while self.times.get(jumps).is_some_and(|&time| time < (at as f64 + 0.5) * STEP) {
                eases.begin(skeleton, &all_joints(skeleton), 1.0, from_rest(&self.poses[jumps]));
                jumps += 1;
            }
            shown.push(displayed(&mut eases, skeleton, &self.poses[jumps]));
            eases.advance(STEP);
        }
        assert!(eases.is_empty(), "all eases are over");
        shown
    }

    /// The sum that defines the displayed pose.
    fn sum(&self, time: f64) -> Vec<f64> {
        let started = self.times.iter().filter(|&&start| start < time + 0.5 * STEP).count();
        let eased = |k: usize| if k == 0 { 1.0 } else { ease(time - self.times[k - 1]) };
        let mut sum = vec![0.0; numbers(&self.poses[0]).count()];
        for k in 0..=started {
            let weight = eased(k) - if k < started { eased(k + 1) } else { 0.0 };
            assert!(weight >= 0.0);
            sum.iter_mut().zip(numbers(&self.poses[k])).for_each(|(sum, number)| *sum += weight * number);
        }
        sum
    }
}

#[test]
fn superposed_eases_are_the_weighted_sum_of_their_poses() {
    let (skeleton, mut random) = (limited_limb(), Random::new(4));
    for _ in 0..40 {
        let count = 1 + random.index(8);
        let jumps = Jumps::random(&skeleton, count, &mut random);
        for (at, pose) in jumps.shown(&skeleton).iter().enumerate() {
            let sum = jumps.sum(at as f64 * STEP);
            let gap = numbers(pose).zip(sum).map(|(shown, sum)| (shown - sum).abs()).fold(0.0, f64::max);
            assert!(gap < 1e-12, "{count} jumps, frame {at}: {gap}");
            assert_eq!(worst_violation(&skeleton, pose), 0.0);
        }
    }
}

#[test]
fn ropes_ease_as_they_mix_and_their_free_ends_are_weighted_sums() {
    let mut random = Random::new(9);
    let mut joints = rope(5).joints().to_vec();
    joints[0].kind = Kind::Free;
    let skeleton = Skeleton::new(joints).unwrap();
    let joints = all_joints(&skeleton);
    let pose = |random: &mut Random| {
        let mut pose = skeleton.random_pose(random);
        pose[0] = Coordinates::free(random.direction() * random.range(0.0, 3.0), random.rotation());
        pose
    };
    for _ in 0..40 {
        let poses = [(); 3].map(|()| pose(&mut random));
        let (mut eases, mut mixed) = (Eases::default(), skeleton.rest_pose());
        eases.begin(&skeleton, &joints, 1.0, from_rest(&poses[0]));
        eases.advance(0.375);
        let shown = displayed(&mut eases, &skeleton, &poses[1]);
        mix_poses(&skeleton, &joints, &poses[0], &poses[1], ease(0.375), &mut mixed);
        let gap = pose_distance(&skeleton, &joints, &shown, &mixed, 1.0);
        assert!(gap < 1e-7, "one ease is a mix: {gap}");
        eases.begin(&skeleton, &joints, 1.0, from_rest(&poses[1]));
        let again = displayed(&mut eases, &skeleton, &poses[2]);
        let gap = pose_distance(&skeleton, &joints, &shown, &again, 1.0);
        assert!(gap < 1e-7, "another ease begins where the pose is: {gap}");
        eases.advance(0.25);
        let shown = displayed(&mut eases, &skeleton, &poses[2]);
        let [first, second] = [ease(0.625), ease(0.25)];
        let places = poses.each_ref().map(|pose| pose[0].free_position());
        let sum = places[0] * (1.0 - first) + places[1] * (first - second) + places[2] * second;
        assert!(shown[0].free_position().distance(sum) < 1e-12);
        let points: Vec<DVec3> = skeleton.frames(&shown).iter().map(|frame| frame.position).collect();
        assert!(
            points.windows(2).all(|link| (link[0].distance(link[1]) - 1.0).abs() < 1e-12),
            "links keep their lengths"
        );
    }
}

#[test]
fn a_jump_in_the_middle_of_an_ease_changes_no_velocity() {
    let mut random = Random::new(5);
    for skeleton in [limited_limb(), rope(5)] {
        for _ in 0..20 {
            let jumps = Jumps::random(&skeleton, 4, &mut random);
            let shown = jumps.shown(&skeleton);
            let joints = all_joints(&skeleton);
            let moved = |pair: &[Pose]| pose_distance(&skeleton, &joints, &pair[0], &pair[1], 1.0) / STEP;
            let peak = shown.windows(2).map(moved).fold(0.0, f64::max);
            let tips: Vec<DVec3> = shown.iter().map(|pose| skeleton.frames(pose).last().unwrap().position).collect();
            let velocity = |pair: &[DVec3]| (pair[1] - pair[0]) / STEP;
            for three in tips.windows(3) {
                let change = velocity(&three[1..]).distance(velocity(&three[..2]));
                // Of the peak of the joints' speeds, at the end of an arm of four links or fewer.
                assert!(change < 0.2 * 4.0 * peak, "{change} of {peak}");
            }
            let last = shown.last().unwrap();
            let gap = pose_distance(&skeleton, &joints, last, jumps.poses.last().unwrap(), 1.0);
            assert!(gap < 1e-7, "it arrives: {gap}");
        }
    }
}

#[test]
fn eases_run_until_their_time_is_over() {
    let (skeleton, mut random) = (limited_limb(), Random::new(16));
    let (joints, mut eases) = (all_joints(&skeleton), Eases::default());
    for count in 1..=3 {
        let solved = skeleton.random_pose(&mut random);
        eases.begin(&skeleton, &joints, f64::from(count), from_rest(&solved));
        assert_eq!((eases.len(), eases.is_empty()), (count as usize, false));
    }
    for left in [3, 2, 1, 0] {
        assert_eq!(eases.len(), left);
        eases.advance(1.0 + 1e-9);
    }
}

#[test]
fn more_eases_than_fit_are_merged_without_a_step() {
    let (skeleton, mut random) = (limited_limb(), Random::new(6));
    let (joints, mut eases) = (all_joints(&skeleton), Eases::default());
    let mut solved = skeleton.random_pose(&mut random);
    let mut last = solved.clone();
    for _ in 0..200 {
        eases.begin(&skeleton, &joints, 1.0, from_rest(&solved));
        solved = skeleton.random_pose(&mut random);
        let shown = displayed(&mut eases, &skeleton, &solved);
        let step = pose_distance(&skeleton, &joints, &last, &shown, 1.0);
        assert!(step < 1e-9, "an ease begins where the pose is: {step}");
        eases.advance(0.01);
        last = displayed(&mut eases, &skeleton, &solved);
        assert_eq!(worst_violation(&skeleton, &last), 0.0);
    }
}

#[test]
fn a_moving_pose_runs_out_at_its_own_speed_and_inside_its_limits() {
    let (skeleton, mut random) = (limited_limb(), Random::new(7));
    let joints = all_joints(&skeleton);
    for _ in 0..200 {
        let now = skeleton.random_pose(&mut random);
        let mut before = now.clone();
        let speed = random.range(-1.0, 1.0);
        before[0] = Coordinates::scalar((now[0].value() - speed * STEP).clamp(-0.4, 2.0));
        let start = EaseStart { pose: &now, before: Some(&before), step: STEP, run_out: 0.3, is_moving: false };
        let mut eases = Eases::default();
        eases.begin(&skeleton, &joints, 1.0, start);
        let dt = 1e-5;
        let first = displayed(&mut eases, &skeleton, &now);
        eases.advance(dt);
        let second = displayed(&mut eases, &skeleton, &now);
        let (had, has) = ((now[0].value() - before[0].value()) / STEP, (second[0].value() - first[0].value()) / dt);
        // A joint that is almost at its limit stops there.
        let room = if had > 0.0 { 2.0 - now[0].value() } else { now[0].value() + 0.4 };
        assert!((had - has).abs() < 1e-3 * had.abs() || room < 0.1 * 0.15 * had.abs(), "{had} {has}");
        while !eases.is_empty() {
            eases.advance(STEP);
            let shown = displayed(&mut eases, &skeleton, &now);
            assert_eq!(worst_violation(&skeleton, &shown), 0.0);
        }
    }
}

#[test]
fn the_speed_toward_limits_counts_joints_that_will_arrive() {
    let skeleton = limited_limb();
    let rest = skeleton.rest_pose();
    let with = |angle: f64| {
        let mut pose = rest.clone();
        pose[0] = Coordinates::scalar(angle);
        pose
    };
    let speed = |before: f64, now: f64, horizon: f64| {
        speed_toward_limits(&skeleton, &[0, 1, 2, 3], [&with(before), &with(now)], STEP, horizon, 1.0)
    };
    // At 0.6 radians a second, the limit at 2 is 0.5 s away.
    assert!((speed(1.7 - 0.6 * STEP, 1.7, 0.51) - 0.6).abs() < 1e-9);
    assert_eq!(speed(1.7 - 0.6 * STEP, 1.7, 0.49), 0.0, "it does not arrive");
    assert_eq!(speed(1.7 + 0.6 * STEP, 1.7, 0.51), 0.0, "it moves away");
}

#[test]
fn an_unlimited_hinge_takes_the_shorter_way() {
    let hinge = Kind::Hinge { axis: DVec3::Y, range: None };
    let joints = [hinge, Kind::Free].into_iter().enumerate();
    let joint = |(at, kind): (usize, Kind)| Joint::new(at.to_string(), None, DVec3::ZERO, kind);
    let skeleton = Skeleton::new(joints.map(joint).collect::<Vec<_>>()).unwrap();
    let mut random = Random::new(8);
    let mut out = skeleton.rest_pose();
    for _ in 0..200 {
        let pose = |random: &mut Random| {
            vec![Coordinates::scalar(random.range(-9.0, 9.0)), Coordinates::free(random.direction(), random.rotation())]
        };
        let (from, to, weight) = (pose(&mut random), pose(&mut random), random.unit());
        mix_poses(&skeleton, &[0, 1], &from, &to, weight, &mut out);
        let turn = |a: &Coordinates, b: &Coordinates| angle_between(hinge.rotation(a), hinge.rotation(b));
        let whole = turn(&from[0], &to[0]);
        assert!((turn(&from[0], &out[0]) - weight * whole).abs() < 1e-7);
        assert!((turn(&to[0], &out[0]) - (1.0 - weight) * whole).abs() < 1e-7);
        let [a, b, mixed] = [&from, &to, &out].map(|pose| pose[1]);
        let place = a.free_position() * (1.0 - weight) + b.free_position() * weight;
        assert!(mixed.free_position().distance(place) < 1e-14);
        let whole: f64 = angle_between(a.free_rotation(), b.free_rotation());
        let parts: [DQuat; 2] = [a.free_rotation(), b.free_rotation()];
        assert!((angle_between(parts[0], mixed.free_rotation()) - weight * whole).abs() < 1e-7);
        assert!((angle_between(parts[1], mixed.free_rotation()) - (1.0 - weight) * whole).abs() < 1e-7);
    }
}

#[test]
fn the_angle_of_a_hinge_without_limits_eases_by_its_whole_turns() {
    let joint = Joint::new("wheel", None, DVec3::ZERO, Kind::Hinge { axis: DVec3::Z, range: None });
    let skeleton = Skeleton::new(vec![joint]).unwrap();
    let mut random = Random::new(8);
    for _ in 0..100 {
        let [from, turn] = [random.range(-20.0, 20.0), random.range(-3.0, 3.0)];
        let (start, solved) = ([Coordinates::scalar(from)], [Coordinates::scalar(from + turn)]);
        let mut eases = Eases::default();
        eases.begin(&skeleton, &[0], 0.5, from_rest(&start));
        for frame in 0..30 {
            let shown = displayed(&mut eases, &skeleton, &solved)[0].value();
            let expected = from + turn * ease(f64::from(frame) * STEP / 0.5);
            assert!((shown - expected).abs() < 1e-9, "{from} by {turn}, frame {frame}: {shown}, not {expected}");
            eases.advance(STEP);
        }
    }
}

#[test]
fn a_correction_starts_from_what_is_left_of_the_last_one() {
    let joint =
        Joint::new("arm", None, DVec3::ZERO, Kind::Hinge { axis: DVec3::Z, range: Interval::new(-9.0, 9.0).ok() });
    let skeleton = Skeleton::new(vec![joint]).unwrap();
    let (start, solved) = ([Coordinates::scalar(0.0)], [Coordinates::scalar(2.0)]);
    let mut eases = Eases::default();
    eases.begin(&skeleton, &[0], 1.0, from_rest(&start));
    eases.advance(0.4);
    let (mut out, before) = (skeleton.rest_pose(), 1.0 - eases.weight());
    eases.display_corrected(&skeleton, &[0], &solved, &mut out, |pose| {
        pose[0] = Coordinates::scalar(pose[0].value() + 0.3);
    });
    eases.advance(0.3);
    let mixed = displayed(&mut eases, &skeleton, &solved)[0].value();
    let expected = mixed + 0.3 * (1.0 - eases.weight()) / before;
    let mut begun_with = 0.0;
    eases.display_corrected(&skeleton, &[0], &solved, &mut out, |pose| begun_with = pose[0].value());
    assert!((begun_with - expected).abs() < 1e-12, "{begun_with}, not {expected}");
}
