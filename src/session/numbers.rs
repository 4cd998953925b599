//! Numbers as people read them; one rule for all panels and sentences.

/// A number with three digits, whole ones in full: `0.45`, `12.3`, `18441`; very small and very large ones as `2.1·10⁻⁷`.
pub fn digits(number: f64) -> String {
    shown(number, 1e-3)
}

/// A share as a percentage of three digits at most; below 0.01 % as a power of ten.
pub fn percent(share: f64) -> String {
    format!("{} %", shown(100.0 * share, 1e-2))
}

/// A power of ten of a share, as a percentage: `100 %`, `0.01 %`, `10⁻⁴ %`.
pub fn percent_power(exponent: i32) -> String {
    // Whatever rounding leaves of it, it is no less than the power.
    let text = percent(10_f64.powi(exponent) * (1.0 + 1e-9));
    text.strip_prefix("1·").map_or(text.clone(), str::to_owned)
}

/// Up to three digits without zeros at the end; sizes under `least` as a power of ten.
fn shown(number: f64, least: f64) -> String {
    let size = number.abs();
    if !size.is_finite() {
        return number.to_string();
    }
    if size < 1e-16 {
        return "0".to_owned();
    }
    if !(least..1e6).contains(&size) {
        let text = format!("{number:.1e}");
        let (factor, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let factor = factor.strip_suffix(".0").unwrap_or(factor);
        return format!("{factor}·10{}", exponent.chars().map(raised).collect::<String>());
    }
    // The third digit, after rounding: 9.996 is 10.0.
    let magnitude = (size * (1.0 + 5e-4)).log10().floor() as i32;
    let text = format!("{number:.*}", (2 - magnitude).clamp(0, 5) as usize);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A character of an exponent as a superscript.
fn raised(letter: char) -> char {
    match letter {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        _ => letter.to_digit(10).and_then(|digit| char::from_u32(0x2070 + digit)).unwrap_or(letter),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_have_three_digits_at_most_and_small_ones_are_powers_of_ten() {
        for (share, text) in [
            (0.0, "0 %"),
            (1.0795, "108 %"),
            (0.7781, "77.8 %"),
            (0.2757, "27.6 %"),
            (0.035, "3.5 %"),
            (0.099_96, "10 %"),
            (0.0001, "0.01 %"),
            (0.000_123_4, "0.0123 %"),
            (0.000_099_9, "1·10⁻² %"),
            (6.9e-8, "6.9·10⁻⁶ %"),
            (1e-12, "1·10⁻¹⁰ %"),
            (-0.5, "-50 %"),
        ] {
            assert_eq!(percent(share), text);
        }
    }

    #[test]
    fn powers_of_ten_are_the_same_percentages() {
        for (exponent, text) in
            [(1, "1000 %"), (0, "100 %"), (-2, "1 %"), (-3, "0.1 %"), (-4, "0.01 %"), (-5, "10⁻³ %"), (-9, "10⁻⁷ %")]
        {
            assert_eq!(percent_power(exponent), text);
        }
    }

    #[test]
    fn lengths_have_three_digits_at_most() {
        for (length, text) in [
            (0.45, "0.45"),
            (0.5733, "0.573"),
            (2.95, "2.95"),
            (1.0, "1"),
            (184.4, "184"),
            (18_441.0, "18441"),
            (0.001_234, "0.00123"),
            (3.3e-7, "3.3·10⁻⁷"),
            (2.5e8, "2.5·10⁸"),
        ] {
            assert_eq!(digits(length), text);
        }
    }
}
