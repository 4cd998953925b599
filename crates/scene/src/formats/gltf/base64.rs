//! Base64.

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Decodes base64 of either alphabet, the one for URLs too. White space is ignored, and padding may be absent.
pub(crate) fn decode_base64(text: &[u8]) -> Option<Vec<u8>> {
    let mut values = [None; 256];
    DIGITS.iter().zip(0_u32..).for_each(|(&digit, value)| values[usize::from(digit)] = Some(value));
    (values[usize::from(b'-')], values[usize::from(b'_')]) = (Some(62), Some(63));
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0_u32, 0);
    let is_filler = |byte: &u8| *byte == b'=' || byte.is_ascii_whitespace();
    let length = text.iter().rposition(|byte| !is_filler(byte)).map_or(0, |last| last + 1);
    for &digit in text[..length].iter().filter(|digit| !digit.is_ascii_whitespace()) {
        bits = (bits << 6 | values[usize::from(digit)]?) & 0xff_ffff;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xff) as u8);
        }
    }
    Some(bytes)
}

/// Encodes bytes as base64.
pub(crate) fn encode_base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits = (0..3).fold(0_u32, |bits, at| bits << 8 | u32::from(group.get(at).copied().unwrap_or(0)));
        for at in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * at) & 63) as usize];
            text.push(if at <= group.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_goes_both_ways() {
        for (bytes, text) in [(&b""[..], ""), (b"f", "Zg=="), (b"fo", "Zm8="), (b"foobar", "Zm9vYmFy")] {
            assert_eq!(encode_base64(bytes), text);
            assert_eq!(decode_base64(text.as_bytes()).as_deref(), Some(bytes));
        }
        assert_eq!(decode_base64(b"Z*=="), None);
        assert_eq!(decode_base64(b"+/+/"), decode_base64(b"-_-_"));
        assert_eq!(decode_base64(b"Zg").as_deref(), Some(&b"f"[..]));
    }
}
