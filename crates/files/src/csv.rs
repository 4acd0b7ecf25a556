//! Trajectories as CSV: header `time,<output names>`, one row per communication point.
//!
//! Numbers are written with the fewest digits that read back to the same bits ([`Shortest`]), so two files can be
//! compared with `cmp`. The command line and the reference trajectory inside an FMU use the same writer.

use std::fmt;
use std::io::{self, Write};

/// A number with the fewest digits that read back to the same bits, in the notation that XML, CSV readers, Python and
/// Rust share: `0`, `-0`, `0.1`, `1e-9`, `NaN`, `inf`.
#[derive(Clone, Copy, Debug)]
pub struct Shortest(pub f64);

impl fmt::Display for Shortest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let magnitude = self.0.abs();
        // `{}` never uses an exponent (1e300 would take 301 digits); `{:e}` always does.
        if magnitude != 0.0 && magnitude.is_finite() && !(1e-4..1e16).contains(&magnitude) {
            write!(f, "{:e}", self.0)
        } else {
            write!(f, "{}", self.0)
        }
    }
}

/// Writes a trajectory row by row.
pub struct CsvWriter<W: Write> {
    out: W,
    columns: usize,
}

impl<W: Write> CsvWriter<W> {
    /// Writes the header. Names with a comma or a quote (`inertia[1,2]`) are quoted according to RFC 4180.
    pub fn new<'a>(out: W, names: impl IntoIterator<Item = &'a str>) -> io::Result<Self> {
        CsvWriter::along("time", out, names)
    }

    /// A table whose first column is not the time.
    pub fn along<'a>(first: &str, out: W, names: impl IntoIterator<Item = &'a str>) -> io::Result<Self> {
        let mut csv = CsvWriter { out, columns: 0 };
        csv.columns = csv.head(first, names)?;
        Ok(csv)
    }

    /// Writes a second header line with units.
    pub fn units<'a>(&mut self, first: &str, units: impl IntoIterator<Item = &'a str>) -> io::Result<()> {
        self.head(first, units).map(drop)
    }

    /// Writes a line of texts and returns their number without the first.
    fn head<'a>(&mut self, first: &str, texts: impl IntoIterator<Item = &'a str>) -> io::Result<usize> {
        let mut columns = 0;
        write!(self.out, "{first}")?;
        for text in texts {
            columns += 1;
            if text.contains([',', '"']) {
                write!(self.out, ",\"{}\"", text.replace('"', "\"\""))?;
            } else {
                write!(self.out, ",{text}")?;
            }
        }
        writeln!(self.out)?;
        Ok(columns)
    }

    /// Writes one row: `time` in s and one value per name of the header.
    ///
    /// # Panics
    /// If the number of values differs from the number of names.
    pub fn row(&mut self, time: f64, values: &[f64]) -> io::Result<()> {
        assert_eq!(values.len(), self.columns, "one value per column");
        write!(self.out, "{}", Shortest(time))?;
        for &value in values {
            write!(self.out, ",{}", Shortest(value))?;
        }
        writeln!(self.out)
    }

    /// Flushes and returns the writer.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_back_to_the_same_bits() {
        let mut bits = 0x9e37_79b9_7f4a_7c15_u64;
        let random = std::iter::repeat_with(|| {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            f64::from_bits(bits)
        });
        let special = [0.0, -0.0, 1.0, 0.1, 1e-4, 9.99e-5, 1e16, 1e15, f64::MAX, f64::MIN_POSITIVE, 5e-324];
        for value in special.into_iter().chain(random.take(20_000)).filter(|value| !value.is_nan()) {
            let text = Shortest(value).to_string();
            assert!(text.len() <= 25, "{text}");
            assert_eq!(text.parse::<f64>().unwrap().to_bits(), value.to_bits(), "{text}");
        }
    }

    #[test]
    fn numbers_are_short() {
        for (value, text) in [(0.0, "0"), (-0.0, "-0"), (10.0, "10"), (1e-3, "0.001"), (1e-9, "1e-9"), (2e22, "2e22")] {
            assert_eq!(Shortest(value).to_string(), text);
        }
        assert_eq!(Shortest(f64::NAN).to_string(), "NaN");
        assert_eq!(Shortest(f64::NEG_INFINITY).to_string(), "-inf");
    }

    #[test]
    fn a_trajectory_has_one_row_per_point() {
        let mut csv = CsvWriter::new(Vec::new(), ["crank.angle", "c[1,2]"]).unwrap();
        csv.row(0.0, &[1.0, -0.25]).unwrap();
        csv.row(0.1, &[1.5, 1e-12]).unwrap();
        let text = String::from_utf8(csv.finish().unwrap()).unwrap();
        assert_eq!(text, "time,crank.angle,\"c[1,2]\"\n0,1,-0.25\n0.1,1.5,1e-12\n");
    }
}
