//! Chains and targets chosen to be difficult: nearly out of reach, in the dead zone, straight, folded, tiny, huge, far
//! from the origin.

use crate::table::Table;
use crate::timing::Sample;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Chain, Settings, Stop};
use glam::DVec3;

/// What makes a case difficult. Every case belongs to one regime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Regime {
    /// A bent chain and a target anywhere in the reachable shell.
    Anywhere,
    /// A target inside the reach by a fraction of 0.1 to 1e-6 of the shell.
    NearReach,
    /// A target outside the dead zone by a fraction of 0.1 to 1e-6 of the shell; near the base if there is no dead
    /// zone.
    NearDeadZone,
    /// A straight chain with the target on its line.
    OnLine,
    /// A target on one of the chain's joints.
    OnJoint,
    /// A straight chain and a target anywhere in the reachable shell.
    Straight,
    /// A chain folded flat onto itself, with the target on its line or elsewhere.
    Folded,
    /// A base 1,000 reaches from the origin.
    FarAway,
    /// A reach of about 1e-6.
    Tiny,
    /// A reach of about 1e6.
    Huge,
    /// 50 to 1,000 links.
    Long,
    /// A target beyond the reach.
    BeyondReach,
    /// A target in the dead zone.
    InDeadZone,
}

impl Regime {
    /// All regimes, with their names in tables.
    pub const ALL: [(Regime, &'static str); 13] = [
        (Regime::Anywhere, "anywhere"),
        (Regime::NearReach, "near full reach"),
        (Regime::NearDeadZone, "near the dead zone"),
        (Regime::OnLine, "straight, target on its line"),
        (Regime::OnJoint, "target on a joint"),
        (Regime::Straight, "straight"),
        (Regime::Folded, "folded flat"),
        (Regime::FarAway, "far from the origin"),
        (Regime::Tiny, "tiny"),
        (Regime::Huge, "huge"),
        (Regime::Long, "50 to 1,000 links"),
        (Regime::BeyondReach, "beyond the reach"),
        (Regime::InDeadZone, "in the dead zone"),
    ];
}

/// One problem and its expected result.
#[derive(Clone, Debug)]
pub struct AdversarialCase {
    /// Its regime.
    pub regime: Regime,
    /// Initial positions of the chain's joints, base first.
    pub points: Vec<DVec3>,
    /// The target of the tip.
    pub target: DVec3,
    /// [`Stop::Reached`], [`Stop::TooFar`] or [`Stop::TooClose`], by construction.
    pub expected: Stop,
}

/// The case with this number for this seed. Cases are independent of each other. The regimes alternate; long chains
/// come only once in 13 x 8 cases.
pub fn case(seed: u64, number: u64) -> AdversarialCase {
    let mut random = Random::new(seed ^ number.wrapping_mul(0xD134_2543_DE82_EF95));
    random.bits();
    let (mut regime, _) = Regime::ALL[(number % 13) as usize];
    if regime == Regime::Long && !(number / 13).is_multiple_of(8) {
        regime = Regime::NearReach;
    }
    let lengths = lengths(&mut random, regime);
    let reach: f64 = lengths.iter().sum();
    let dead = (2.0 * lengths.iter().copied().fold(0.0, f64::max) - reach).max(0.0);
    let points = joints(&mut random, regime, &lengths);
    let line = (points[1] - points[0]).normalize();
    let shell = reach - dead;
    let tenth_to_millionth = 10_f64.powf(random.range(-6.0, -1.0));
    let direction = random.direction();
    let anywhere = direction * radius_between(&mut random, dead, reach);
    let (target, expected) = match regime {
        Regime::NearReach => (direction * (reach - shell * tenth_to_millionth), Stop::Reached),
        Regime::NearDeadZone => (direction * (dead + shell * tenth_to_millionth), Stop::Reached),
        Regime::OnLine | Regime::Folded if random.bits().is_multiple_of(2) => {
            let side = if random.unit() < 0.7 { line } else { -line };
            (side * (dead + shell * random.range(0.001, 0.999)), Stop::Reached)
        }
        Regime::OnJoint => {
            let joint = points[random.index(points.len())];
            if joint.length() >= dead { (joint, Stop::Reached) } else { (anywhere, Stop::Reached) }
        }
        Regime::BeyondReach => (direction * (reach * (1.0 + 10_f64.powf(random.range(-2.5, 3.0)))), Stop::TooFar),
        Regime::InDeadZone => (direction * (dead - reach * 2e-3).max(0.0) * random.unit(), Stop::TooClose),
        _ => (anywhere, Stop::Reached),
    };
    let (base, scale) = match regime {
        Regime::FarAway => (random.direction() * (1000.0 * reach), 1.0),
        Regime::Tiny => (DVec3::ZERO, 1e-6),
        Regime::Huge => (DVec3::ZERO, 1e6),
        _ => (DVec3::ZERO, 1.0),
    };
    let points = points.into_iter().map(|point| base + point * scale).collect();
    AdversarialCase { regime, points, target: base + target * scale, expected }
}

/// A radius between two spheres, distributed so that points are uniform in the volume between them.
fn radius_between(random: &mut Random, low: f64, high: f64) -> f64 {
    (low.powi(3) + (high.powi(3) - low.powi(3)) * random.range(1e-6, 1.0 - 1e-6)).cbrt()
}

/// Link lengths: equal, similar, or in ratios up to 30. Their sum is 1. A dead zone needs one link longer than all
/// others together.
fn lengths(random: &mut Random, regime: Regime) -> Vec<f64> {
    let links = match regime {
        Regime::Long => 50 + random.index(951),
        Regime::InDeadZone => 1 + random.index(20),
        _ => 2 + random.index(20),
    };
    let spread = random.index(3);
    let mut lengths: Vec<f64> = (0..links)
        .map(|_| match spread {
            0 => 1.0,
            1 => random.range(0.5, 1.5),
            _ => 30_f64.powf(random.unit()),
        })
        .collect();
    if regime == Regime::InDeadZone || (regime == Regime::NearDeadZone && random.unit() < 0.5) {
        let longest = random.index(links);
        let others = lengths.iter().sum::<f64>() - lengths[longest];
        lengths[longest] = if links > 1 { others * random.range(1.1, 3.0) } else { 1.0 };
    }
    let reach: f64 = lengths.iter().sum();
    lengths.iter_mut().for_each(|length| *length /= reach);
    lengths
}

/// Joint positions of a chain: straight, folded, slightly bent or strongly bent.
fn joints(random: &mut Random, regime: Regime, lengths: &[f64]) -> Vec<DVec3> {
    let mut bend = [0.0, 0.05, 0.5, 3.0][random.index(4)];
    if matches!(regime, Regime::OnLine | Regime::Straight | Regime::Folded) {
        bend = 0.0;
    }
    let mut direction = random.direction();
    let mut points = vec![DVec3::ZERO];
    for (i, length) in lengths.iter().enumerate() {
        let perturbed = direction + random.direction() * (bend * random.unit());
        direction = perturbed.try_normalize().unwrap_or(direction);
        if regime == Regime::Folded && random.unit() < 0.4 {
            direction = -direction;
        }
        points.push(points[i] + direction * *length);
    }
    points
}

/// Totals over the cases of one regime.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RegimeTotals {
    /// Cases solved.
    pub cases: u32,
    /// Cases with an unexpected stop, or whose tip is not where the stop implies.
    pub unresolved: u32,
    /// Largest relative change of a link's length, beyond the rounding of the joint coordinates (half a unit in the
    /// last place each).
    pub link_error: f64,
    /// Largest distance between the tip and the reachable point nearest to the target, relative to the reach.
    pub tip_error: f64,
    /// Total iterations.
    pub iterations: u64,
    /// Largest number of iterations of one case.
    pub most_iterations: u32,
    /// Total steps of the closed-form closure.
    pub refine_steps: u64,
}

impl RegimeTotals {
    fn add(&mut self, other: &RegimeTotals) {
        self.cases += other.cases;
        self.unresolved += other.unresolved;
        self.link_error = self.link_error.max(other.link_error);
        self.tip_error = self.tip_error.max(other.tip_error);
        self.iterations += other.iterations;
        self.most_iterations = self.most_iterations.max(other.most_iterations);
        self.refine_steps += other.refine_steps;
    }
}

/// The result of a run, in the order of [`Regime::ALL`].
#[derive(Clone, Debug, PartialEq)]
pub struct AdversarialResult {
    /// The totals of each regime.
    pub regimes: [(Regime, RegimeTotals); 13],
    /// The 99th percentile of the iterations.
    pub p99_iterations: u32,
    /// The first 20 unresolved cases: number, regime, stop, error.
    pub failures: Vec<(u64, Regime, Stop, f64)>,
}

impl AdversarialResult {
    /// The totals over all regimes.
    pub fn total(&self) -> RegimeTotals {
        let mut total = RegimeTotals::default();
        self.regimes.iter().for_each(|(_, count)| total.add(count));
        total
    }
}

/// Solves `count` cases of `seed` and checks each answer.
pub fn run(count: u64, seed: u64, settings: &Settings) -> AdversarialResult {
    let mut regimes = Regime::ALL.map(|(regime, _)| (regime, RegimeTotals::default()));
    let (mut failures, mut iterations) = (Vec::new(), Vec::new());
    for number in 0..count {
        let case = case(seed, number);
        let Some((totals, stop)) = check(&case, settings) else { continue };
        regimes[case.regime as usize].1.add(&totals);
        iterations.push(f64::from(totals.most_iterations));
        if totals.unresolved > 0 && failures.len() < 20 {
            failures.push((number, case.regime, stop, totals.tip_error));
        }
    }
    let p99_iterations = Sample::new(iterations).percentile(99.0) as u32;
    AdversarialResult { regimes, p99_iterations, failures }
}

/// Results of `count` cases with the default settings: a line per regime and one for all of them.
pub fn table(count: u32, seed: u64) -> Table {
    let result = run(count.into(), seed, &Settings::default());
    let mut table = Table::new("adversarial chains")
        .note(format!("{count} cases, tolerance 1e-4 of the reach; link and tip errors are maxima."))
        .note(format!("99 of 100 cases take at most {} iterations.", result.p99_iterations));
    let names = Regime::ALL.into_iter().map(|(_, name)| name).chain(["all"]);
    let totals = result.regimes.iter().map(|(_, count)| *count).chain([result.total()]);
    for (name, count) in names.zip(totals) {
        let cells = [
            ("cases", f64::from(count.cases)),
            ("unresolved", f64::from(count.unresolved)),
            ("link error", count.link_error),
            ("tip error", count.tip_error),
            ("iterations", count.iterations as f64 / f64::from(count.cases.max(1))),
            ("most", f64::from(count.most_iterations)),
            ("closures", count.refine_steps as f64 / f64::from(count.cases.max(1))),
        ];
        table.push_line(name, &cells.map(|(quantity, value)| (quantity, value, "")));
    }
    table
}

/// Solves one case and checks the result by its joint positions alone; `None` if the points are not a valid chain.
fn check(case: &AdversarialCase, settings: &Settings) -> Option<(RegimeTotals, Stop)> {
    let mut chain = Chain::new(&case.points).ok()?;
    let report = chain.solve(case.target, settings);
    let base = case.points[0];
    let reach = chain.reach();
    let offset = case.target - base;
    let nearest = match case.expected {
        Stop::TooFar => base + offset.normalize() * reach,
        Stop::TooClose => base + offset.normalize() * chain.dead_zone(),
        _ => case.target,
    };
    let tip_error = chain.tip().distance(nearest) / reach;
    let link_error = link_error(&case.points, chain.points());
    let allowed = if case.expected == Stop::Reached { settings.tolerance } else { 1e-12 };
    let is_resolved = report.stop == case.expected
        && tip_error <= allowed * (1.0 + 1e-9) + 1e-12
        && chain.points()[0] == base
        && link_error <= 1e-12;
    let totals = RegimeTotals {
        cases: 1,
        unresolved: u32::from(!is_resolved),
        link_error,
        tip_error,
        iterations: u64::from(report.iterations),
        most_iterations: report.iterations,
        refine_steps: u64::from(report.refine_steps),
    };
    Some((totals, report.stop))
}

/// Largest relative change of a link's length between two poses, beyond the rounding of the coordinates.
pub fn link_error(before: &[DVec3], after: &[DVec3]) -> f64 {
    let links = before.windows(2).zip(after.windows(2));
    links
        .map(|(before, after)| {
            let length = before[0].distance(before[1]);
            let rounding: f64 = after.iter().map(|point| f64::EPSILON / 2.0 * point.length()).sum();
            ((after[0].distance(after[1]) - length).abs() - rounding).max(0.0) / length
        })
        .fold(0.0, f64::max)
}
