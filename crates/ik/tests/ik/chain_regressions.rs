//! Single cases on which solvers of this kind are known to fail.
#![allow(clippy::unwrap_used)]

use fabrik3d_ik::errors::ChainError;
use fabrik3d_ik::goals::Pole;
use fabrik3d_ik::settings::Method;
use fabrik3d_ik::{Chain, Settings, Stop};
use glam::DVec3;

const METHODS: [Method; 2] = [Method::Accelerated, Method::Textbook];

fn vectors(points: &[[f64; 3]]) -> Vec<DVec3> {
    points.iter().copied().map(DVec3::from_array).collect()
}

fn chain(points: &[[f64; 3]]) -> Chain {
    Chain::new(&vectors(points)).unwrap()
}

fn straight(links: usize, length: f64) -> Chain {
    let points: Vec<DVec3> = (0..=links).map(|i| DVec3::X * (length * i as f64)).collect();
    Chain::new(&points).unwrap()
}

fn with(method: Method) -> Settings {
    Settings { method, ..Settings::default() }
}

fn worst_link_error(chain: &Chain) -> f64 {
    let links = chain.points().windows(2).zip(chain.lengths());
    links.map(|(pair, length)| (pair[0].distance(pair[1]) / length - 1.0).abs()).fold(0.0, f64::max)
}

#[test]
fn a_straight_chain_folds_toward_a_target_on_its_own_line() {
    for method in METHODS {
        for target in [100.0, 60.0, 1.0, 0.0, -30.0, -100.0] {
            let mut chain = straight(3, 40.0);
            let report = chain.solve(DVec3::X * target, &with(method));
            assert_eq!(report.stop, Stop::Reached, "{method:?} {target}");
            assert!(chain.tip().distance(DVec3::X * target) <= 1e-4 * chain.reach());
            assert!(worst_link_error(&chain) <= 1e-12, "{method:?} {target}");
        }
    }
}

#[test]
fn a_target_on_a_joint_is_reached() {
    for method in METHODS {
        for joint in 0..=5 {
            let mut chain = straight(5, 1.0);
            let target = chain.points()[joint];
            assert_eq!(chain.solve(target, &with(method)).stop, Stop::Reached, "{method:?} joint {joint}");
            assert!(worst_link_error(&chain) <= 1e-12);
        }
    }
}

#[test]
fn a_target_beyond_the_reach_gives_a_straight_chain() {
    for method in METHODS {
        let mut chain = chain(&[[1.0, 2.0, 3.0], [2.0, 2.0, 3.0], [2.0, 3.5, 3.0], [2.0, 3.5, 3.2]]);
        let target = DVec3::new(-4.0, 2.0, -1.0);
        let report = chain.solve(target, &with(method));
        let direction = (target - chain.base()).normalize();
        let nearest = chain.base() + direction * chain.reach();
        assert_eq!(report.stop, Stop::TooFar);
        assert!(chain.tip().distance(nearest) < 1e-12);
        assert!((report.error * chain.reach() - target.distance(nearest)).abs() < 1e-12);
        assert!(chain.points().iter().all(|point| (*point - chain.base()).cross(direction).length() < 1e-12));
    }
}

#[test]
fn a_target_in_the_dead_zone_gives_the_nearest_fold() {
    for method in METHODS {
        for points in [
            [[0.0; 3], [5.0, 0.0, 0.0], [6.0, 0.0, 0.0], [6.0, 1.0, 0.0]],
            [[0.0; 3], [1.0, 0.0, 0.0], [6.0, 0.0, 0.0], [6.0, 1.0, 0.0]],
            [[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 5.0, 0.0]],
        ] {
            let mut chain = chain(&points);
            assert_eq!(chain.dead_zone(), 3.0);
            let target = DVec3::new(1.0, -2.0, 0.5);
            let report = chain.solve(target, &with(method));
            assert_eq!(report.stop, Stop::TooClose);
            assert!(chain.tip().distance(target.normalize() * 3.0) < 1e-12);
            assert!(worst_link_error(&chain) <= 1e-12);
            let report = chain.solve(DVec3::ZERO, &with(method));
            assert_eq!(report.stop, Stop::TooClose, "target on the base itself");
            assert!((chain.tip().length() - 3.0).abs() < 1e-12);
        }
    }
}

#[test]
fn a_target_on_the_base_leaves_the_tip_in_its_direction() {
    for method in METHODS {
        let mut chain = chain(&[[1.0, -2.0, 3.0], [6.0, -2.0, 3.0], [7.0, -2.0, 3.0], [7.0, -1.0, 3.0]]);
        let direction = (chain.tip() - chain.base()).normalize();
        assert_eq!(chain.solve(chain.base(), &with(method)).stop, Stop::TooClose);
        assert!((chain.tip() - chain.base()).distance(direction * 3.0) < 1e-12, "{method:?}: {}", chain.tip());
    }
}

#[test]
fn one_link_points_at_its_target() {
    for method in METHODS {
        let mut chain = chain(&[[0.0; 3], [0.0, 2.0, 0.0]]);
        assert_eq!(chain.solve(DVec3::X * 2.0, &with(method)).stop, Stop::Reached);
        assert_eq!(chain.solve(DVec3::X * 5.0, &with(method)).stop, Stop::TooFar);
        assert_eq!(chain.solve(DVec3::Z * 1.5, &with(method)).stop, Stop::TooClose);
        assert_eq!(chain.tip(), DVec3::Z * 2.0);
        assert_eq!(chain.solve(DVec3::ZERO, &with(method)).stop, Stop::TooClose);
        assert_eq!(chain.tip(), DVec3::Z * 2.0);
    }
}

#[test]
fn malformed_chains_give_typed_errors() {
    let error = |points: &[[f64; 3]]| Chain::new(&vectors(points)).unwrap_err();
    assert_eq!(error(&[]), ChainError::TooFewPoints(0));
    assert_eq!(error(&[[0.0; 3]]), ChainError::TooFewPoints(1));
    assert_eq!(error(&[[0.0; 3], [f64::NAN, 0.0, 0.0]]), ChainError::NotFinite(1));
    assert_eq!(error(&[[0.0; 3], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]), ChainError::ZeroLength(1));
    assert_eq!(error(&[[0.0; 3], [1e200, 0.0, 0.0]]), ChainError::TooLong(0));
}

#[test]
fn numbers_that_are_not_finite_change_nothing() {
    let before = chain(&[[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [2.0, 1.0, 0.0]]);
    for method in METHODS {
        let mut chain = before.clone();
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let bad = DVec3::new(0.5, bad, 0.0);
            assert_eq!(chain.solve(bad, &with(method)).stop, Stop::Refused);
            chain.reach_backward(bad);
            chain.reach_forward(bad);
            chain.drag_tip(bad);
            chain.set_base(bad);
            chain.set_pole(Some(Pole { joint: 1, toward: bad }));
        }
        assert_eq!(chain, before);
    }
}

#[test]
fn very_distant_targets_are_too_far() {
    for method in METHODS {
        let mut chain = straight(4, 1.0);
        let report = chain.solve(DVec3::new(-1e300, 1e300, 0.0), &with(method));
        assert_eq!(report.stop, Stop::TooFar);
        assert!(report.error.is_finite());
        assert!(chain.tip().distance(DVec3::new(-1.0, 1.0, 0.0).normalize() * 4.0) < 1e-12);
    }
}

#[test]
fn a_straight_chain_bends_toward_its_pole() {
    for method in METHODS {
        for links in [2, 3, 4, 10] {
            for target in [DVec3::X * 1.4, DVec3::new(1.2, 0.7, 0.0)] {
                let mut chain = straight(links, 2.0 / links as f64);
                let pole = DVec3::new(1.0, -0.5, 3.0);
                chain.set_pole(Some(Pole { joint: 1, toward: pole }));
                assert_eq!(chain.solve(target, &with(method)).stop, Stop::Reached, "{method:?} {links} links");
                let axis = target.normalize();
                let toward = pole.reject_from_normalized(axis).normalize();
                for point in &chain.points()[1..links] {
                    let off = point.reject_from_normalized(axis);
                    assert!(off.dot(toward) > 0.99 * off.length(), "{method:?} {links} links: {off} for {toward}");
                }
            }
        }
    }
}

#[test]
fn a_rope_follows_the_end_that_is_dragged() {
    let mut rope = straight(6, 0.5);
    for step in 0..200 {
        let angle = 0.05 * f64::from(step);
        let to = DVec3::new(angle.sin() * 4.0, angle.cos(), angle);
        if step % 3 == 0 {
            rope.drag_base(to);
            assert_eq!(rope.base(), to);
        } else {
            rope.drag_tip(to);
            assert_eq!(rope.tip(), to);
        }
        assert_eq!(rope.points()[0], rope.base());
        assert!(worst_link_error(&rope) <= 1e-12);
    }
}

#[test]
fn a_moved_base_moves_the_chain() {
    for method in METHODS {
        let mut chain = chain(&[[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [2.0, 1.0, 0.0]]);
        let shift = DVec3::new(10.0, -3.0, 7.0);
        let tip = chain.tip();
        chain.set_base(shift);
        assert!(chain.tip().distance(tip + shift) < 1e-12);
        let target = shift + DVec3::new(0.3, 0.4, 1.5);
        assert_eq!(chain.solve(target, &with(method)).stop, Stop::Reached);
        assert_eq!(chain.points()[0], shift);
        assert!(worst_link_error(&chain) <= 1e-12);
    }
}

#[test]
fn a_solve_puts_a_displaced_base_back() {
    for method in METHODS {
        let mut chain = chain(&[[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [2.0, 1.0, 0.0]]);
        chain.reach_backward(DVec3::new(0.0, 1.0, 1.0));
        assert_ne!(chain.points()[0], DVec3::ZERO);
        assert_eq!(chain.solve(DVec3::new(0.0, 1.0, 1.0), &with(method)).stop, Stop::Reached);
        assert_eq!(chain.points()[0], DVec3::ZERO);
    }
}

#[test]
fn a_chain_closes_on_its_own_base() {
    for method in METHODS {
        for links in [2, 3, 4, 7, 30] {
            for bend in [0.0, 0.1, 1.0] {
                let mut points = vec![DVec3::splat(2.0)];
                for i in 0..links {
                    let angle = bend * f64::from(i);
                    points.push(points[i as usize] + DVec3::new(angle.cos(), angle.sin(), 0.1 * angle).normalize());
                }
                let mut chain = Chain::new(&points).unwrap();
                let report = chain.solve(points[0], &with(method));
                assert!(worst_link_error(&chain) <= 1e-12);
                // Textbook FABRIK may need more than 100 iterations here; the accelerated solve may not.
                assert!(
                    report.stop == Stop::Reached || method == Method::Textbook,
                    "{links} links, bend {bend}: {report:?}"
                );
            }
        }
    }
}

#[test]
fn very_different_link_lengths_and_scales_are_solved() {
    for scale in [1e-100, 1e-6, 1.0, 1e6, 1e100] {
        for ratio in [1e2, 1e4, 1e6] {
            let lengths = [1.0, 1.0 / ratio, 0.7, 0.5 / ratio, 0.6];
            let mut points = vec![DVec3::ZERO];
            for (i, length) in lengths.iter().enumerate() {
                let angle = 0.3 * i as f64;
                points.push(points[i] + DVec3::new(angle.cos(), 0.0, angle.sin()) * (length * scale));
            }
            for target in [DVec3::new(1.0, 1.0, 0.5), DVec3::new(-2.29, 0.0, 0.0), DVec3::new(0.0, 0.01, 0.0)] {
                let mut chain = Chain::new(&points).unwrap();
                let report = chain.solve(target * scale, &Settings::default());
                assert_eq!(report.stop, Stop::Reached, "scale {scale}, ratio {ratio}, {target}");
                // The joint coordinates are rounded to 1e-16 of the reach.
                assert!(worst_link_error(&chain) <= 1e-15 * ratio + 1e-14, "{}", worst_link_error(&chain));
            }
        }
    }
}
