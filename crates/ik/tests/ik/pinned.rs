//! The same input gives the same bits: hashes of ten thousand answers, and equality on any number of threads.
//!
//! The hashes are those of every system. Lanes have two: levels that round products and sums together give other bits than those
//! that do not.
#![allow(clippy::unwrap_used)]

use crate::arm_cases::{Lanes, Wanted, random_case, solve};
use crate::simd_cases::Cases;
use crate::six_axis_cases::{LAYOUTS, Ranges};

use fabrik3d_ik::random::Random;
use fabrik3d_ik::simd::{Batch, Lengths, Level, Outcome, Threads};
use fabrik3d_ik::{
    Effector, Goal, Interval, Isometry, Joint, Kind, Pose, Problem, Report, Settings, Skeleton, Solver, Swing, Target,
};

/// 64-bit FNV-1a.
#[derive(Clone, Copy, PartialEq)]
struct Hash(u64);

impl Hash {
    fn new() -> Self {
        Hash(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, bits: u64) {
        for byte in bits.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn add_numbers(&mut self, numbers: impl IntoIterator<Item = f64>) {
        numbers.into_iter().for_each(|number| self.add(number.to_bits()));
    }

    fn add_report(&mut self, report: &Report) {
        self.add_numbers([report.error, f64::from(report.iterations)]);
        format!("{:?}", report.stop).bytes().for_each(|byte| self.add(byte.into()));
    }
}

/// 5,000 chains of balls.
fn chains(level: Level, threads: Threads) -> Hash {
    let mut hash = Hash::new();
    for cases in [Cases::in_ball(7, 2500, 1), Cases::in_ball(10, 1500, 2), Cases::mixed(5, 1000)] {
        let mut batch = Batch::new(cases.links).unwrap().with_level(level).unwrap().with_threads(threads);
        let (mut points, mut outcomes) = (cases.points.clone(), vec![Outcome::default(); cases.targets.len()]);
        let lengths = Lengths::Each(&cases.lengths);
        batch.solve(lengths, &mut points, &cases.targets, &Settings::default(), &mut outcomes).unwrap();
        hash.add_numbers(points.iter().flat_map(|point| point.to_array()).map(f64::from));
        hash.add_numbers(outcomes.iter().flat_map(|outcome| [f64::from(outcome.error), outcome.iterations.into()]));
    }
    hash
}

/// 4,000 poses of forty robot arms. `threads` solvers share the work.
fn arms(level: Level, threads: usize) -> Hash {
    let mut hash = Hash::new();
    for seed in 0..40 {
        let case = random_case(2 + seed % 7, Wanted::ALL[seed % 3], 100, seed as u64);
        let of_part = |targets: &[Target]| solve(&mut Lanes::new(&case, level), targets, &Settings::default());
        let mut answers = Vec::new();
        std::thread::scope(|scope| {
            let parts = case.targets.chunks(case.targets.len().div_ceil(threads));
            let parts: Vec<_> = parts.map(|part| scope.spawn(move || of_part(part))).collect();
            answers.extend(parts.into_iter().map(|part| part.join().unwrap()));
        });
        hash.add_numbers(answers.iter().flat_map(|(angles, _)| angles).copied());
        answers.iter().flat_map(|(_, reports)| reports).for_each(|report| hash.add_report(report));
    }
    hash
}

/// A tree with limits and two effectors.
fn tree(random: &mut Random) -> (Skeleton, [Effector; 2]) {
    let mut joints = vec![Joint::new("0", None, random.direction(), Kind::UNLIMITED_BALL)];
    let mut ends = [0, 0];
    for at in 1..9 {
        let kind = match random.index(3) {
            0 => Kind::UNLIMITED_BALL,
            1 => Kind::Hinge { axis: random.direction(), range: Interval::new(-1.5, random.range(0.2, 2.5)).ok() },
            _ => Kind::Ball { swing: Some(Swing::cone(random.range(0.3, 1.5)).unwrap()), twist: None },
        };
        // A trunk of three joints with two branches.
        let parent = if at <= 2 { at - 1 } else { ends[at % 2].max(2) };
        ends[at % 2] = at;
        joints.push(Joint::new(at.to_string(), Some(parent), random.direction() * random.range(0.3, 1.2), kind));
    }
    (Skeleton::new(joints).unwrap(), ends.map(|end| Effector::new(end, random.direction() * 0.5)))
}

/// 1,000 poses of a hundred trees, one after the other. `threads` solvers share the work.
fn trees(threads: usize) -> Hash {
    let of_tree = |seed: u64| {
        let mut random = Random::new(seed);
        let (skeleton, effectors) = tree(&mut random);
        let problem = |random: &mut Random| {
            let frames = skeleton.frames(&skeleton.random_pose(random));
            let goal = |effector: Effector| Goal::new(effector, frames[effector.joint].point(effector.tip));
            Problem { goals: effectors.map(goal).to_vec(), ..Problem::default() }
        };
        let problems: Vec<Problem> = (0..10).map(|_| problem(&mut random)).collect();
        let mut poses: Vec<Pose> = vec![skeleton.rest_pose(); problems.len()];
        let reports = Solver::new(&skeleton).solve_many(&problems, &mut poses);
        let frames: Vec<Isometry> = poses.iter().flat_map(|pose| skeleton.frames(pose)).collect();
        (frames, reports)
    };
    let seeds: Vec<u64> = (0..100).collect();
    let mut answers: Vec<(Vec<Isometry>, Vec<Report>)> = Vec::new();
    std::thread::scope(|scope| {
        let of_part = |part: &[u64]| part.iter().map(|&seed| of_tree(seed)).collect::<Vec<_>>();
        let parts: Vec<_> =
            seeds.chunks(seeds.len().div_ceil(threads)).map(|part| scope.spawn(move || of_part(part))).collect();
        answers.extend(parts.into_iter().flat_map(|part| part.join().unwrap()));
    });
    let mut hash = Hash::new();
    for (frames, reports) in &answers {
        frames.iter().for_each(|frame| {
            hash.add_numbers(frame.position.to_array());
            hash.add_numbers(frame.rotation.to_array());
        });
        reports.iter().for_each(|report| hash.add_report(report));
    }
    hash
}

/// All solutions of arms with six hinges, for five poses of each kind of arm.
fn solutions() -> Hash {
    let mut hash = Hash::new();
    for (seed, layout) in LAYOUTS.iter().enumerate() {
        let mut random = Random::new(seed as u64);
        let (skeleton, effector) = layout.arm(Ranges::Mixed, &mut random);
        for _ in 0..5 {
            let target = Wanted::Both.target(&skeleton, &effector, &skeleton.random_pose(&mut random));
            let mut solver = Solver::new(&skeleton);
            solver.add_goal(Goal::new(effector, target));
            let all = solver.all_solutions(&skeleton.rest_pose());
            hash.add_numbers(all.poses.iter().flatten().map(|joint| joint.value()));
        }
    }
    hash
}

#[test]
fn answers_are_the_same_bits_on_every_number_of_threads_and_as_ever() {
    let mut found = vec![("trees", trees(1)), ("solutions", solutions())];
    assert!(trees(3) == found[0].1, "three threads change the answers of trees");
    for level in Level::available() {
        // Those with fused products round alike.
        let is_fused = level != Level::Portable || cfg!(target_arch = "aarch64");
        let names = if is_fused { ["chains, fused", "arms, fused"] } else { ["chains, separate", "arms, separate"] };
        let one = [chains(level, Threads::One), arms(level, 1)];
        assert!(arms(level, 3) == one[1], "three threads change the answers of arms at {level:?}");
        #[cfg(feature = "parallel")]
        {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
            let many = pool.install(|| chains(level, Threads::All));
            assert!(many == one[0], "three threads change the answers of chains at {level:?}");
        }
        for (name, hash) in names.into_iter().zip(one) {
            match found.iter().find(|(known, _)| *known == name) {
                Some((_, known)) => assert!(*known == hash, "{name}: {level:?} gives other answers"),
                None => found.push((name, hash)),
            }
        }
    }
    let is_new = |(name, hash): &&(&str, Hash)| !PINNED.contains(&(*name, hash.0));
    let new: Vec<String> =
        found.iter().filter(is_new).map(|(name, hash)| format!("({name:?}, {:#x})", hash.0)).collect();
    assert!(
        new.is_empty(),
        "the answers have other bits than before. If that is intended, note it in the changelog and put these hashes into \
         PINNED: {}",
        new.join(", ")
    );
}

const PINNED: [(&str, u64); 6] = [
    ("solutions", 0x7269_ae0d_1a32_13eb),
    ("trees", 0xfa49_fbc8_be30_0737),
    ("chains, separate", 0xdb19_fb01_d8c2_9aee),
    ("chains, fused", 0x4f52_e48f_96d2_7ab6),
    ("arms, separate", 0x974d_7f4e_2e81_1f2c),
    ("arms, fused", 0x30cf_aef2_cfbd_7def),
];
