//! The frame time of key frames, if their times are multiples of one step, as in clips made from recordings.

/// Frames per second of recordings. Keys that are further apart are set by hand: a frame for each would lose the motion
/// between them.
const RATES: std::ops::RangeInclusive<f64> = 10.0..=1000.0;
/// Gaps at the start of a track in which the step is looked for. Later times are less precise.
const FIRST_GAPS: usize = 32;
/// A step may be this part of the smallest gap: writers leave out keys that change nothing.
const MOST_PARTS: u32 = 6;
/// Largest distance of a time from a multiple of the step, in steps, next to the rounding of single precision.
const OFF: f64 = 1e-3;
/// Deviation from a whole number of frames per second, relative, that counts as rounding.
const WHOLE: f64 = 1e-5;

/// The step in seconds that all times of all tracks are multiples of; `None` if there is none.
pub(crate) fn common_step(tracks: &[&[f32]]) -> Option<f64> {
    let gaps = |times: &&[f32]| -> Vec<f64> {
        times.windows(2).take(FIRST_GAPS).map(|pair| f64::from(pair[1]) - f64::from(pair[0])).collect()
    };
    let gap = tracks.iter().flat_map(gaps).filter(|&gap| gap > 0.0).min_by(f64::total_cmp)?;
    let found = (1..=MOST_PARTS).find_map(|parts| refined(gap / f64::from(parts), tracks))?;
    let (rate, whole) = (1.0 / found, (1.0 / found).round());
    let rate = if (rate / whole - 1.0).abs() < WHOLE { whole } else { rate };
    RATES.contains(&rate).then_some(1.0 / rate)
}

/// The step after all tracks, starting from this one; `None` if a time is no multiple of it. Every later time makes it more
/// precise.
fn refined(mut step: f64, tracks: &[&[f32]]) -> Option<f64> {
    // The number of steps that the precision comes from.
    let mut known = 1.0;
    let mut before: &[f32] = &[];
    for &times in tracks {
        // Most tracks share their times.
        if times == before {
            continue;
        }
        before = times;
        for seconds in times.iter().copied().map(f64::from) {
            let count = (seconds / step).round();
            let rounding = f64::from(f32::EPSILON) * seconds.abs();
            let meets = (seconds - count * step).abs() <= OFF * step + rounding;
            if !meets {
                return None;
            }
            if count > known {
                (step, known) = (seconds / count, count);
            }
        }
    }
    Some(step)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn track(times: impl Iterator<Item = f64>) -> Vec<f32> {
        times.map(|time| time as f32).collect()
    }

    #[test]
    fn the_rate_of_a_recording_is_found() {
        for rate in [12.0, 24.0, 25.0, 30.0, 30.0 / 1.001, 60.0, 100.0, 120.0, 240.0] {
            for frames in [2, 31, 1000, 100_000] {
                let all = track((0..frames).map(|at| f64::from(at) / rate));
                let step = common_step(&[&all]).expect("a step");
                assert!((step * rate - 1.0).abs() < 1e-5, "{rate}, {frames}: {step}");
                let some = track((0..frames).filter(|at| at % 5 == 0 || at % 7 == 3).map(|at| f64::from(at) / rate));
                let both = common_step(&[&some, &all]).expect("a step");
                assert!((both * rate - 1.0).abs() < 1e-5, "{rate}, {frames}: {both}");
                if frames > 31 {
                    let alone = common_step(&[&some]).expect("a step");
                    assert!((alone * rate - 1.0).abs() < 1e-5, "{rate}, {frames}: {alone}");
                }
            }
        }
    }

    #[test]
    fn keys_set_by_hand_have_no_step() {
        let irregular = track([0.0, 0.11, 0.347, 0.5, 0.777].into_iter());
        assert_eq!(common_step(&[&irregular]), None);
        assert_eq!(common_step(&[&track([0.0, 0.5, 1.0].into_iter())]), None, "two keys per second are no recording");
        assert_eq!(common_step(&[&track([0.0].into_iter())]), None);
        assert_eq!(common_step(&[]), None);
        // Two recordings at different rates.
        let [slow, fast] = [30.0, 77.7].map(|rate| track((0..60).map(|at| f64::from(at) / rate)));
        assert_eq!(common_step(&[&slow, &fast]), None);
    }
}
