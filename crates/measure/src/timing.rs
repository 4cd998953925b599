//! Timing on a shared machine: candidates run in turn, in many rounds, and are compared by ratios.

use std::time::{Duration, Instant};

/// The clock of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// CPU time of the calling thread on Unix, which other processes influence little. Elsewhere like [`Clock::Wall`].
    Thread,
    /// Wall-clock time, for work on several threads.
    Wall,
}

impl Clock {
    /// Runs `work` and returns its duration.
    pub fn time(self, work: impl FnOnce()) -> Duration {
        let start = Instant::now();
        let before = self.now(start);
        work();
        self.now(start).saturating_sub(before)
    }

    fn now(self, start: Instant) -> Duration {
        match self {
            #[cfg(unix)]
            Clock::Thread => {
                let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
                Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
            }
            #[cfg(not(unix))]
            Clock::Thread => start.elapsed(),
            Clock::Wall => start.elapsed(),
        }
    }
}

/// The times of one candidate in all rounds.
#[derive(Clone, Debug, PartialEq)]
pub struct Timing {
    /// Name of the candidate.
    pub name: String,
    /// Seconds per round.
    pub rounds: Vec<f64>,
}

impl Timing {
    /// Median over the rounds, in seconds.
    pub fn median(&self) -> f64 {
        Sample::new(self.rounds.iter().copied()).median()
    }

    /// Median over the rounds of this time divided by the other's. A disturbance that slows a whole round cancels out.
    pub fn ratio_to(&self, other: &Timing) -> f64 {
        Sample::new(self.rounds.iter().zip(&other.rounds).map(|(own, others)| own / others)).median()
    }
}

/// Times several candidates on the same work. Every round runs each candidate once; a first round is not counted.
///
/// Each candidate should work for at least a millisecond. The results keep the order of the candidates.
///
/// ```
/// use fabrik3d_measure::{Clock, paired};
/// use std::hint::black_box;
///
/// let mut few = || drop(black_box((0..1000_u64).map(black_box).sum::<u64>()));
/// let mut many = || drop(black_box((0..9000_u64).map(black_box).sum::<u64>()));
/// let timings = paired(Clock::Thread, 5, &mut [("few", &mut few), ("many", &mut many)]);
/// println!("{} times as long", timings[1].ratio_to(&timings[0]));
/// ```
pub fn paired(clock: Clock, rounds: usize, candidates: &mut [(&str, &mut dyn FnMut())]) -> Vec<Timing> {
    let timed = candidates.iter_mut().map(|(name, work)| ((*name).to_owned(), || clock.time(&mut *work)));
    paired_by(rounds, timed)
}

/// Like [`paired`], for candidates that measure their time themselves (with [`Clock::time`]), for example because their
/// preparation must not count.
pub fn paired_by<W: FnMut() -> Duration>(
    rounds: usize,
    candidates: impl IntoIterator<Item = (String, W)>,
) -> Vec<Timing> {
    let (names, mut works): (Vec<_>, Vec<_>) = candidates.into_iter().unzip();
    let mut timings: Vec<Timing> =
        names.into_iter().map(|name| Timing { name, rounds: Vec::with_capacity(rounds) }).collect();
    for work in &mut works {
        work();
    }
    for _ in 0..rounds {
        for (work, timing) in works.iter_mut().zip(&mut timings) {
            timing.rounds.push(work().as_secs_f64());
        }
    }
    timings
}

/// A sorted sample of numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample(Vec<f64>);

impl Sample {
    /// A sample of the given numbers, in any order.
    pub fn new(numbers: impl IntoIterator<Item = f64>) -> Self {
        let mut sorted: Vec<f64> = numbers.into_iter().collect();
        sorted.sort_by(f64::total_cmp);
        Sample(sorted)
    }

    /// The arithmetic mean. NaN for an empty sample, like all statistics here.
    pub fn mean(&self) -> f64 {
        self.0.iter().sum::<f64>() / self.0.len() as f64
    }

    /// The smallest number that at least `percent` percent of the sample do not exceed: 50 for the median, 0 for the
    /// minimum.
    pub fn percentile(&self, percent: f64) -> f64 {
        let rank = (percent / 100.0 * self.0.len() as f64).ceil() as usize;
        self.0.get(rank.clamp(1, self.0.len().max(1)) - 1).copied().unwrap_or(f64::NAN)
    }

    /// The median; for an even count, the lower of the two middle numbers.
    pub fn median(&self) -> f64 {
        self.percentile(50.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_take_turns_in_every_round() {
        let order = std::cell::RefCell::new(String::new());
        let mut a = || order.borrow_mut().push('a');
        let mut b = || order.borrow_mut().push('b');
        let timings = paired(Clock::Wall, 3, &mut [("a", &mut a), ("b", &mut b)]);
        assert_eq!(*order.borrow(), "abababab");
        assert_eq!(timings.iter().map(|timing| timing.rounds.len()).collect::<Vec<_>>(), [3, 3]);
        assert_eq!((timings[0].name.as_str(), timings[1].name.as_str()), ("a", "b"));
    }

    #[test]
    fn ratios_are_computed_per_round() {
        let slow = Timing { name: "slow".into(), rounds: vec![2.0, 40.0, 6.0] };
        let fast = Timing { name: "fast".into(), rounds: vec![1.0, 20.0, 2.0] };
        assert_eq!((slow.ratio_to(&fast), slow.median()), (2.0, 6.0));
    }

    #[test]
    fn clocks_do_not_run_backward() {
        for clock in [Clock::Thread, Clock::Wall] {
            let start = Instant::now();
            let before = clock.now(start);
            std::hint::black_box((0..10_000).map(f64::from).map(f64::sqrt).sum::<f64>());
            assert!(clock.now(start) >= before);
        }
    }

    #[test]
    fn percentiles_are_members_of_the_sample() {
        let sample = Sample::new((1..=10).rev().map(f64::from));
        let got = [0.0, 10.0, 50.0, 51.0, 90.0, 99.0, 100.0].map(|percent| sample.percentile(percent));
        assert_eq!(got, [1.0, 1.0, 5.0, 6.0, 9.0, 10.0, 10.0]);
        assert_eq!((sample.mean(), sample.median()), (5.5, 5.0));
    }

    #[test]
    fn an_empty_sample_has_no_numbers() {
        let sample = Sample::new([]);
        assert!(sample.mean().is_nan() && sample.median().is_nan());
    }
}
