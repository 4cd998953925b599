//! Chains that stay in the lanes: accessors, layout, and solves frame after frame.
#![allow(clippy::unwrap_used)]

use crate::simd_cases;

use fabrik3d_ik::simd::{BadChains, Batch, BatchError, Blocks, Lengths, Level, Outcome, Threads};
use fabrik3d_ik::{Settings, Stop};
use glam::Vec3;
use simd_cases::Cases;

fn at(level: Level, links: usize) -> Batch {
    Batch::new(links).unwrap().with_level(level).unwrap().with_threads(Threads::One)
}

fn blocks(batch: &Batch, cases: &Cases) -> Blocks {
    batch.blocks(Lengths::Each(&cases.lengths), &cases.points, &cases.targets).unwrap()
}

/// Whether two points agree up to the rounding of conversions to units of the reach and back.
fn same(a: Vec3, b: Vec3, scale: f32) -> bool {
    a.distance(b) <= 8.0 * f32::EPSILON * scale
}

#[test]
fn points_are_stored_as_the_documented_layout_says() {
    for level in Level::available() {
        for (links, chains) in [(1, 1), (3, 50), (10, 97), (40, 200)] {
            let cases = Cases::in_ball(links, chains, 5);
            let blocks = blocks(&at(level, links), &cases);
            assert_eq!((blocks.len(), blocks.links(), blocks.width()), (chains, links, level.width()));
            let mut points = vec![Vec3::NAN; cases.points.len()];
            blocks.write_points(&mut points).unwrap();
            let numbers = blocks.numbers();
            assert_eq!(numbers.as_ptr().align_offset(64), 0, "blocks start on a cache line");
            for (i, (&found, &given)) in points.iter().zip(&cases.points).enumerate() {
                let (chain, joint) = (i / (links + 1), i % (links + 1));
                let scale = given.abs().max_element() + links as f32;
                assert!(same(found, given, scale), "{level:?}: joint {joint} of chain {chain}: {found} not {given}");
                assert_eq!(blocks.point(chain, joint), Some(found));
                // The index formula of the documentation.
                let width = level.width();
                let row = |row: usize| numbers[(chain / width) * blocks.block_len() + row * width + chain % width];
                let vector = |first: usize| Vec3::new(row(first), row(first + 1), row(first + 2));
                let (base, reach) = (vector(4 * links + 6), row(4 * links + 9));
                assert_eq!(vector(3 * joint) * reach + base, found);
                let lengths: f32 = (0..links).map(|link| row(3 * (links + 1) + link)).sum();
                assert!((lengths - 1.0).abs() < 1e-5, "lengths are in units of the reach");
            }
            assert_eq!(blocks.point(chains, 0), None);
            assert_eq!(blocks.point(0, links + 1), None);
        }
    }
}

#[test]
fn blocks_follow_moving_targets_like_slices() {
    let settings = Settings::default();
    for level in Level::available() {
        let (links, chains) = (7, 300);
        let cases = Cases::in_ball(links, chains, 9);
        let mut batch = at(level, links);
        let mut blocks = blocks(&batch, &cases);
        let mut points = cases.points.clone();
        let (mut outcomes, mut expected) = (vec![Outcome::default(); chains], vec![Outcome::default(); chains]);
        for frame in 0..50 {
            let step = Vec3::new(0.02, -0.01, 0.015) * frame as f32;
            let targets: Vec<Vec3> = cases.targets.iter().map(|&target| target * 0.8 + step).collect();
            blocks.set_targets(&targets).unwrap();
            batch.solve_blocks(&mut blocks, &settings, &mut outcomes).unwrap();
            batch.solve(Lengths::Each(&cases.lengths), &mut points, &targets, &settings, &mut expected).unwrap();
            for chain in 0..chains {
                assert_eq!(outcomes[chain].stop, expected[chain].stop, "{level:?}: chain {chain}, frame {frame}");
                let tip = blocks.point(chain, links).unwrap();
                let reach: f32 = cases.lengths[chain * links..(chain + 1) * links].iter().sum();
                if outcomes[chain].stop == Stop::Reached {
                    assert!(tip.distance(targets[chain]) <= 1.1e-4 * reach, "{level:?}: chain {chain}, frame {frame}");
                }
                for link in 0..links {
                    let (a, b) = (blocks.point(chain, link).unwrap(), blocks.point(chain, link + 1).unwrap());
                    let length = cases.lengths[chain * links + link];
                    assert!((a.distance(b) - length).abs() <= 2e-5 * length + 1e-6 * reach, "{level:?}: link {link}");
                }
            }
        }
    }
}

#[test]
fn threads_change_no_bit() {
    let cases = Cases::mixed(5, 3000);
    let settings = Settings::default();
    let solved = |threads| {
        let mut batch = Batch::new(5).unwrap().with_threads(threads);
        let mut blocks = blocks(&batch, &cases);
        let mut outcomes = vec![Outcome::default(); 3000];
        batch.solve_blocks(&mut blocks, &settings, &mut outcomes).unwrap();
        (blocks.numbers().to_vec(), outcomes)
    };
    let (alone, outcomes) = solved(Threads::One);
    #[cfg(feature = "parallel")]
    assert!(solved(Threads::All) == (alone.clone(), outcomes.clone()));
    assert!(solved(Threads::One) == (alone, outcomes));
}

#[test]
fn a_moved_base_moves_its_chain_but_not_the_target() {
    let settings = Settings::default();
    for level in Level::available() {
        let links = 4;
        let cases = Cases::in_ball(links, 60, 3);
        let mut batch = at(level, links);
        let mut blocks = blocks(&batch, &cases);
        let shift = Vec3::new(0.3, -0.2, 0.1);
        let bases: Vec<Vec3> = cases.points.chunks(links + 1).map(|chain| chain[0] + shift).collect();
        blocks.set_bases(&bases).unwrap();
        for (i, &given) in cases.points.iter().enumerate() {
            let found = blocks.point(i / (links + 1), i % (links + 1)).unwrap();
            assert!(same(found, given + shift, given.abs().max_element() + links as f32 + 1.0));
        }
        let mut outcomes = vec![Outcome::default(); 60];
        batch.solve_blocks(&mut blocks, &settings, &mut outcomes).unwrap();
        for (chain, outcome) in outcomes.iter().enumerate() {
            assert_eq!(blocks.point(chain, 0), Some(bases[chain]));
            if outcome.stop == Stop::Reached {
                let reach: f32 = cases.lengths[chain * links..(chain + 1) * links].iter().sum();
                assert!(blocks.point(chain, links).unwrap().distance(cases.targets[chain]) <= 1.1e-4 * reach);
            }
        }
    }
}

#[test]
fn errors_name_the_bad_input_and_nothing_changes() {
    let cases = Cases::in_ball(5, 40, 4);
    let mut batch = Batch::new(5).unwrap();
    let mut blocks = blocks(&batch, &cases);
    let before = blocks.numbers().to_vec();
    let mut targets = cases.targets.clone();
    targets[31].z = f32::INFINITY;
    assert_eq!(blocks.set_targets(&targets), Err(BatchError::TargetNotFinite { chain: 31 }));
    assert_eq!(blocks.set_targets(&targets[1..]), Err(BatchError::Targets { expected: 40, found: 39 }));
    assert_eq!(blocks.set_bases(&targets), Err(BatchError::BaseNotFinite { chain: 31 }));
    assert_eq!(blocks.set_bases(&targets[1..]), Err(BatchError::Bases { expected: 40, found: 39 }));
    let mut outcomes = vec![Outcome::default(); 40];
    let few = batch.solve_blocks(&mut blocks, &Settings::default(), &mut outcomes[1..]);
    assert_eq!(few, Err(BatchError::Outcomes { expected: 40, found: 39 }));
    let other = Batch::new(6).unwrap().solve_blocks(&mut blocks, &Settings::default(), &mut outcomes);
    let width = batch.level().width();
    assert_eq!(other, Err(BatchError::OtherBlocks { links: 6, width, found_links: 5, found_width: width }));
    let mut short = vec![Vec3::ZERO; 239];
    assert_eq!(blocks.write_points(&mut short), Err(BatchError::Points { expected: 240, found: 239 }));
    assert_eq!(blocks.numbers(), before);
    targets[31] = Vec3::NAN;
    let refused = batch.blocks(Lengths::Each(&cases.lengths), &cases.points, &targets);
    assert_eq!(refused.map(|_| ()), Err(BatchError::TargetNotFinite { chain: 31 }));
}

#[test]
fn a_refused_chain_does_not_affect_its_neighbours() {
    let settings = Settings::default();
    for links in [2, 6] {
        let good = Cases::in_ball(links, 40, 6);
        let bad = good.with_bad_chains();
        for level in Level::available() {
            let mut batch = at(level, links).with_bad_chains(BadChains::Refuse);
            let mut solved = |cases: &Cases| {
                let mut blocks = blocks(&batch, cases);
                let mut outcomes = vec![Outcome::default(); 40];
                blocks.set_targets(&good.targets).unwrap();
                batch.solve_blocks(&mut blocks, &settings, &mut outcomes).unwrap();
                (blocks, outcomes)
            };
            let ((all, expected), (some, outcomes)) = (solved(&good), solved(&bad));
            for chain in 0..40 {
                if Cases::BAD.contains(&chain) {
                    assert_eq!(outcomes[chain].stop, Stop::Refused);
                    assert_eq!(some.point(chain, 0), None);
                } else {
                    assert_eq!(outcomes[chain], expected[chain], "{level:?}: chain {chain}");
                    assert!((0..=links).all(|joint| some.point(chain, joint) == all.point(chain, joint)));
                }
            }
        }
    }
}
