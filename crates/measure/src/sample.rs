//! Statistics of a sample.

/// A sorted sample of numbers.
#[derive(Clone, Debug, PartialEq)]
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

    /// The minimum.
    pub fn minimum(&self) -> f64 {
        self.percentile(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_members_of_the_sample() {
        let sample = Sample::new((1..=10).rev().map(f64::from));
        let got = [0.0, 10.0, 50.0, 51.0, 90.0, 99.0, 100.0].map(|percent| sample.percentile(percent));
        assert_eq!(got, [1.0, 1.0, 5.0, 6.0, 9.0, 10.0, 10.0]);
        assert_eq!((sample.mean(), sample.median(), sample.minimum()), (5.5, 5.0, 1.0));
    }

    #[test]
    fn an_empty_sample_has_no_numbers() {
        let sample = Sample::new([]);
        assert!(sample.mean().is_nan() && sample.median().is_nan() && sample.minimum().is_nan());
    }
}
