//! Series of numbers as short text: whole multiples of a resolution, second differences, variable length, base64.
//!
//! A series v₀ … v_{n−1} with the resolution r becomes kᵢ = round(vᵢ / r), then k₀, k₁ − k₀ and kᵢ − 2 kᵢ₋₁ + kᵢ₋₂,
//! which are small numbers for smooth motion. Each is mapped to a natural number (0, −1, 1, −2, … to 0, 1, 2, 3, …) and
//! written with seven bits per byte, the lowest first, with the eighth bit set if another byte follows. The bytes are
//! base64 (RFC 4648). Rounding errors do not accumulate, so every number is accurate to r / 2.

use serde::Serialize;

/// A series.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Series {
    /// A constant series with this value.
    Constant(f64),
    /// Several values.
    Varying {
        /// Resolution.
        r: f64,
        /// The values, see the module.
        d: String,
    },
}

/// Largest multiple of the resolution, so that second differences of such numbers are exact in a double of a browser.
const MAX_MULTIPLE: f64 = 1e15;

/// Encodes `values` with an error of at most half of `resolution`; coarser if they exceed 1e15 times the resolution.
pub fn series(values: &[f64], resolution: f64) -> Series {
    let size = values.iter().fold(0.0_f64, |size, value| size.max(value.abs()));
    let first = values.first().copied().unwrap_or(0.0);
    if size == 0.0 || !(resolution > 0.0) || values.iter().all(|value| (value - first).abs() < 0.5 * resolution) {
        return Series::Constant(first);
    }
    let r = resolution.max(size / MAX_MULTIPLE);
    let mut bytes = Vec::with_capacity(values.len());
    let (mut last, mut change) = (0, 0);
    for (i, value) in values.iter().enumerate() {
        let k = (value / r).round() as i64;
        // The first number and the first difference are stored directly.
        let step = if i == 0 { 0 } else { k - last };
        push(&mut bytes, if i == 0 { k } else { step - change });
        (last, change) = (k, step);
    }
    Series::Varying { r, d: base64(&bytes) }
}

/// Encodes `values` with a resolution of 1 / `steps` of their range.
pub fn ranged(values: &[f64], steps: f64) -> Series {
    let (low, high) = values
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(*value), high.max(*value)));
    series(values, (high - low) / steps)
}

fn push(bytes: &mut Vec<u8>, number: i64) {
    let mut rest = ((number << 1) ^ (number >> 63)) as u64;
    while rest >= 128 {
        bytes.push(rest as u8 | 128);
        rest >>= 7;
    }
    bytes.push(rest as u8);
}

/// Encodes ascending natural numbers as differences.
pub fn ascending(numbers: &[usize]) -> String {
    differences(numbers.iter().map(|number| *number as i64))
}

/// Encodes integers as differences.
pub fn differences(numbers: impl Iterator<Item = i64>) -> String {
    let (mut bytes, mut last) = (Vec::new(), 0);
    for number in numbers {
        push(&mut bytes, number - last);
        last = number;
    }
    base64(&bytes)
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes as base64 (RFC 4648).
pub fn base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().fold(0_u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let digit = char::from(DIGITS[(word >> (18 - 6 * place) & 63) as usize]);
            text.push(if place > chunk.len() { '=' } else { digit });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The decoder of the page, implemented independently.
    fn decoded(text: &str) -> Vec<i64> {
        let digits = text.bytes().filter(|byte| *byte != b'=');
        let mut bits = digits.flat_map(|byte| {
            let digit = DIGITS.iter().position(|other| *other == byte).unwrap();
            (0..6).rev().map(move |bit| digit >> bit & 1)
        });
        let mut numbers = Vec::new();
        let (mut number, mut shift) = (0_u64, 0);
        while let Some(byte) = (0..8).try_fold(0_u64, |byte, _| Some(byte << 1 | bits.next()? as u64)) {
            number |= (byte & 127) << shift;
            shift += 7;
            if byte < 128 {
                numbers.push(if number % 2 == 0 { (number / 2) as i64 } else { -(number.div_ceil(2) as i64) });
                (number, shift) = (0, 0);
            }
        }
        numbers
    }

    #[test]
    fn base64_is_that_of_the_standard() {
        let texts =
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("foobar", "Zm9vYmFy")];
        for (plain, coded) in texts {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
    }

    #[test]
    fn every_value_comes_back_to_half_of_the_resolution() {
        let values: Vec<f64> = (0..500).map(|i| 3.0 + 200.0 * (0.05 * f64::from(i)).sin() - f64::from(i * i)).collect();
        let Series::Varying { r, d } = series(&values, 1e-4) else { panic!("it varies") };
        let (mut k, mut change) = (0, 0);
        for (i, (value, number)) in values.iter().zip(decoded(&d)).enumerate() {
            change = if i == 0 { 0 } else { change + number };
            k += if i == 0 { number } else { change };
            assert!((k as f64 * r - value).abs() <= 0.5 * r * (1.0 + 1e-6), "{i}: {} {value}", k as f64 * r);
        }
        assert_eq!(decoded(&d).len(), values.len());
    }

    #[test]
    fn what_does_not_move_is_one_number() {
        assert_eq!(series(&[2.0, 2.0, 2.0 + 1e-9], 1e-6), Series::Constant(2.0));
        assert_eq!(ranged(&[0.0, 0.0], 1e4), Series::Constant(0.0));
        assert_eq!(decoded(&ascending(&[0, 3, 1000])), [0, 3, 997]);
    }

    #[test]
    fn huge_values_and_tiny_resolutions_stay_exact_integers() {
        let Series::Varying { r, d } = series(&[1e300, -1e300], 1e-300) else { panic!("it varies") };
        assert!(r >= 1e285 && decoded(&d) == [1_000_000_000_000_000, -2_000_000_000_000_000], "{r}");
    }
}
