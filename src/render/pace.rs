//! How finely a moving picture is drawn, so that it keeps up with the screen.

/// Seconds in which a picture should be drawn and presented: a frame at 60 Hz less what panels and solver need.
const BUDGET: f64 = 0.013;
/// Seconds without large changes after which the picture is drawn with all its pixels again.
const CALM: f64 = 0.15;
/// Pixels per pixel of the window, in each direction, from fine to coarse.
const SCALES: [f32; 3] = [1.0, 0.8, 0.6];

/// Chooses the resolution of each picture from the times of the pictures before it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pace {
    /// Seconds that a whole picture with all its pixels takes, once known.
    whole: Option<f64>,
    /// Index into [`SCALES`].
    step: usize,
    /// When the last change that called for a coarse picture happened.
    hurried: f64,
}

impl Pace {
    /// The scale for the next picture, of which this share changes, at a time in seconds.
    pub(crate) fn scale(&mut self, share: f64, now: f64) -> f32 {
        let seconds = |scale: f32| self.whole.unwrap_or(0.0) * share * f64::from(scale * scale);
        let wanted = SCALES.iter().position(|&scale| seconds(scale) <= BUDGET).unwrap_or(SCALES.len() - 1);
        if wanted >= self.step {
            (self.step, self.hurried) = (wanted, if wanted > 0 { now } else { self.hurried });
        } else if now - self.hurried >= CALM {
            self.step = wanted;
        }
        SCALES[self.step]
    }

    /// Learns from a picture that took `seconds`, with this share of its pixels drawn. Small shares say little.
    pub(crate) fn learn(&mut self, share: f64, scale: f32, seconds: f64) {
        if share < 0.1 {
            return;
        }
        let whole = seconds / (share * f64::from(scale * scale));
        // Slow pictures that were slow for another reason should not count for long.
        self.whole = Some(self.whole.map_or(whole, |known| known + 0.2 * (whole - known)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows pictures of which this share changes, each of which takes `whole` seconds if it is drawn whole. Returns the
    /// scales.
    fn run(pace: &mut Pace, whole: f64, share: f64, from: f64, frames: u32) -> Vec<f32> {
        let frame = |k: u32| {
            let scale = pace.scale(share, from + f64::from(k) / 60.0);
            pace.learn(share, scale, whole * share * f64::from(scale * scale));
            scale
        };
        (0..frames).map(frame).collect()
    }

    #[test]
    fn pictures_that_fit_the_budget_are_never_coarse() {
        assert!(run(&mut Pace::default(), 0.05, 0.25, 0.0, 200).iter().all(|&scale| scale == 1.0));
        assert!(run(&mut Pace::default(), 0.012, 1.0, 0.0, 200).iter().all(|&scale| scale == 1.0));
    }

    #[test]
    fn slow_pictures_become_coarse_at_once_but_never_coarser_than_the_least() {
        for (whole, least) in [(0.02, 0.8), (0.035, 0.6), (1.0, 0.6)] {
            let scales = run(&mut Pace::default(), whole, 1.0, 0.0, 100);
            assert_eq!(scales[1..], [least; 99], "{whole}");
        }
    }

    #[test]
    fn after_a_calm_moment_the_picture_has_all_its_pixels_and_not_before() {
        let mut pace = Pace::default();
        assert_eq!(run(&mut pace, 0.05, 1.0, 0.0, 30).last(), Some(&0.6));
        let after = run(&mut pace, 0.05, 0.0, 0.5, 60);
        let sharp = after.iter().position(|&scale| scale == 1.0).expect("it becomes sharp");
        assert!((8..=10).contains(&sharp), "after {sharp} frames");
        assert!(after[sharp..].iter().all(|&scale| scale == 1.0));
    }

    #[test]
    fn a_machine_that_becomes_faster_gets_all_pixels_back() {
        let mut pace = Pace::default();
        run(&mut pace, 0.1, 1.0, 0.0, 30);
        let scales = run(&mut pace, 0.008, 1.0, 0.5, 120);
        assert_eq!(scales.last(), Some(&1.0));
    }
}
