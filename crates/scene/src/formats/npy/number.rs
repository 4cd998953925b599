//! The types of numbers that arrays are read from.

/// Storage type of a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    Little4,
    Little8,
    Big4,
    Big8,
    LittleInteger4,
    LittleInteger8,
    BigInteger4,
    BigInteger8,
}

impl Number {
    pub fn of(code: &str) -> Option<Self> {
        Some(match code {
            "<f4" | "=f4" => Number::Little4,
            "<f8" | "=f8" => Number::Little8,
            ">f4" => Number::Big4,
            ">f8" => Number::Big8,
            "<i4" | "=i4" => Number::LittleInteger4,
            "<i8" | "=i8" => Number::LittleInteger8,
            ">i4" => Number::BigInteger4,
            ">i8" => Number::BigInteger8,
            _ => return None,
        })
    }

    pub fn size(self) -> usize {
        use Number::{Big4, BigInteger4, Little4, LittleInteger4};
        if matches!(self, Little4 | Big4 | LittleInteger4 | BigInteger4) { 4 } else { 8 }
    }

    /// Reads a number; `bytes` has exactly its size.
    #[inline]
    pub fn read(self, bytes: &[u8]) -> f64 {
        let mut ordered = [0; 8];
        let size = self.size();
        ordered[..size].copy_from_slice(bytes);
        if matches!(self, Number::Big4 | Number::Big8 | Number::BigInteger4 | Number::BigInteger8) {
            ordered[..size].reverse();
        }
        let four = [ordered[0], ordered[1], ordered[2], ordered[3]];
        match self {
            Number::Little4 | Number::Big4 => f64::from(f32::from_le_bytes(four)),
            Number::Little8 | Number::Big8 => f64::from_le_bytes(ordered),
            Number::LittleInteger4 | Number::BigInteger4 => f64::from(i32::from_le_bytes(four)),
            Number::LittleInteger8 | Number::BigInteger8 => i64::from_le_bytes(ordered) as f64,
        }
    }
}
