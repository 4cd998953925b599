//! Laws of superposed eases, over all families of skeletons.

use fabrik3d_ik::display::{EaseStart, Eases, ease, mix_poses, pose_distance};
use fabrik3d_ik::queries::worst_violation;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Coordinates, Kind, Pose, Skeleton};
use fabrik3d_measure::families::FAMILIES;

const FPS: f64 = 60.0;

fn jump<'a>(pose: &'a [Coordinates]) -> EaseStart<'a> {
    EaseStart { pose, before: None, step: 0.0, run_out: 0.0, is_moving: false }
}

/// Calls `check` with the skeleton of a case of each family, its joints and a source of random numbers.
fn each_skeleton(check: impl Fn(&str, &Skeleton, &[usize], &mut Random)) {
    for family in FAMILIES.iter() {
        for seed in 0..3 {
            let mut random = Random::new(seed);
            let case = family.case(&mut random);
            let joints: Vec<usize> = (0..case.skeleton.len()).collect();
            check(family.name, &case.skeleton, &joints, &mut random);
        }
    }
}

#[test]
fn one_jump_is_a_cosine_ease() {
    each_skeleton(|name, skeleton, joints, random| {
        let [from, to] = [(); 2].map(|()| skeleton.random_pose(random));
        let mut eases = Eases::default();
        eases.begin(skeleton, joints, 1.0, jump(&from));
        let (mut shown, mut expected) = (from.clone(), from.clone());
        for frame in 1..=60 {
            eases.advance(1.0 / FPS);
            eases.display(skeleton, joints, &to, &mut shown);
            mix_poses(skeleton, joints, &from, &to, ease(f64::from(frame) / FPS), &mut expected);
            let off = pose_distance(skeleton, joints, &shown, &expected, 1.0);
            assert!(off < 1e-6, "{name}: {off:e} in frame {frame}");
        }
        assert!(eases.is_empty());
        assert_eq!(shown, to, "{name}: the end is exact");
    });
}

#[test]
fn jumps_in_the_middle_of_eases_keep_limits_and_speed() {
    each_skeleton(|name, skeleton, joints, random| {
        let mut solved = skeleton.random_pose(random);
        let (mut eases, mut shown) = (Eases::default(), solved.clone());
        let (mut last, mut speed): (Pose, Option<f64>) = (shown.clone(), None);
        // More jumps than are kept apart.
        for frame in 0..300 {
            if frame < 200 && random.unit() < 0.4 {
                let from = std::mem::replace(&mut solved, skeleton.random_pose(random));
                eases.begin(skeleton, joints, 0.2 + random.unit(), jump(&from));
            }
            eases.advance(1.0 / FPS);
            eases.display(skeleton, joints, &solved, &mut shown);
            assert!(worst_violation(skeleton, &shown) <= 1e-12, "{name}");
            // Sums of rotations have no simple bound on their speed; those of all other coordinates have one.
            let simple: Vec<usize> = joints
                .iter()
                .copied()
                .filter(|&joint| {
                    matches!(
                        skeleton.kind(joint),
                        Kind::Slide { range: Some(_), .. } | Kind::Hinge { range: Some(_), .. }
                    )
                })
                .collect();
            let now = pose_distance(skeleton, &simple, &last, &shown, 1.0) * FPS;
            let change = speed.map_or(0.0, |before: f64| (now - before).abs());
            let widest = simple.iter().map(|&joint| range_of(skeleton.kind(joint))).fold(0.0, f64::max);
            // The velocity of an ease of 0.2 seconds over the whole range changes by pi^2 / 2 / 0.04 / 60 in a frame.
            assert!(change <= 2.1 * widest + 1e-9, "{name}: {change} of {widest}");
            speed = Some(now);
            last.clone_from(&shown);
        }
        assert!(eases.is_empty());
        assert_eq!(shown, solved, "{name}: the end is exact");
    });
}

fn range_of(kind: &Kind) -> f64 {
    match kind {
        Kind::Hinge { range: Some(range), .. } | Kind::Slide { range: Some(range), .. } => range.high() - range.low(),
        _ => 0.0,
    }
}

#[test]
fn a_motion_that_is_replaced_runs_out() {
    each_skeleton(|name, skeleton, joints, random| {
        // A small step between two poses far from the limits.
        let [a, b] = [(); 2].map(|()| skeleton.random_pose(random));
        let mix = |share: f64| {
            let mut mixed = a.clone();
            mix_poses(skeleton, joints, &a, &b, share, &mut mixed);
            mixed
        };
        let (before, now, next) = (mix(0.5), mix(0.5005), mix(0.501));
        let start = EaseStart { pose: &now, before: Some(&before), step: 1.0 / FPS, run_out: 0.3, is_moving: true };
        let mut eases = Eases::default();
        eases.begin(skeleton, joints, 1.0, start);
        eases.advance(1.0 / FPS);
        let mut shown = now.clone();
        eases.display(skeleton, joints, &now, &mut shown);
        let (off, step) =
            (pose_distance(skeleton, joints, &shown, &next, 1.0), pose_distance(skeleton, joints, &before, &now, 1.0));
        // The speed falls by 0.01 in the first frame.
        assert!(off < 0.02 * step, "{name}: {off:e} after steps of {step:e}");
    });
}

/// Only what leaps is eased: the other joints are shown as they are solved, while the solved pose moves on.
#[test]
fn a_leap_is_eased_while_the_pose_moves_on() {
    each_skeleton(|name, skeleton, joints, random| {
        let [from, other, goal] = [(); 3].map(|()| skeleton.random_pose(random));
        let mut to = from.clone();
        joints.iter().filter(|_| random.unit() < 0.5).for_each(|&joint| to[joint] = other[joint]);
        skeleton.follow(&mut to);
        let stays: Vec<usize> = joints.iter().copied().filter(|&joint| to[joint] == from[joint]).collect();
        let mut eases = Eases::default();
        eases.begin_leap(joints, 1.0, [&from, &to]);
        let (mut shown, mut solved) = (from.clone(), to.clone());
        eases.display(skeleton, joints, &solved, &mut shown);
        let off = pose_distance(skeleton, joints, &shown, &from, 1.0);
        assert!(off < 1e-6, "{name}: {off:e} at the start");
        for frame in 1..=60 {
            mix_poses(skeleton, joints, &to, &goal, f64::from(frame) / 120.0, &mut solved);
            eases.advance(1.0 / FPS);
            eases.display(skeleton, joints, &solved, &mut shown);
            assert!(worst_violation(skeleton, &shown) <= 1e-12, "{name}");
            // The links of a chain of free balls are mixed by their directions in the world.
            let off = pose_distance(skeleton, &stays, &shown, &solved, 1.0);
            assert!(off < 1e-6 || skeleton.is_simple_chain(joints), "{name}: {off:e} in frame {frame}");
        }
        assert!(eases.is_empty());
        assert_eq!(shown, solved, "{name}: the end is exact");
    });
}
