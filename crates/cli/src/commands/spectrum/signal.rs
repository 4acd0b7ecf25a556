//! Columns of a result file, as `ballesta run --csv` writes it: header `time,<names>`, rows at equal intervals.

use crate::text;
use ballesta::model::Diagnostics;
use ballesta_files::Failure;
use ballesta_files::numbers::Numbers;
use std::path::Path;

/// Times of a CSV are exact multiples of the interval; other programs write fewer digits.
const INTERVAL_TOLERANCE: f64 = 1e-3;
/// Smallest number of samples for a spectrum.
const MIN_SAMPLES: usize = 8;

/// Sampled signals.
#[derive(Debug, PartialEq)]
pub struct Signals {
    /// Time of the first sample, s.
    pub start: f64,
    /// Time from sample to sample, s.
    pub interval: f64,
    /// Names and values.
    pub columns: Vec<(String, Vec<f64>)>,
}

impl Signals {
    /// Reads `path` from time `after` on (default: all rows), with the columns `wanted` (default: all).
    pub fn read(path: &Path, wanted: &[String], after: Option<f64>) -> Result<Signals, Failure> {
        let text = ballesta_run::table::read_text(path)?;
        let file = path.display().to_string();
        let signals = Signals::parse(&text, &file, after)?;
        signals.choose(wanted, &file)
    }

    /// All columns of a text with the file name `file`.
    fn parse(text: &str, file: &str, after: Option<f64>) -> Result<Signals, Diagnostics> {
        // The header must name the time and at least one signal.
        let mut table = Numbers::new(text, file, "expected the header `time,<names>`")?;
        if !table.begins_with_time() || table.names.len() < 2 {
            let found = format!("found the header `{}`", table.header.trim());
            let expected = "expected `time` and at least one more column";
            table.complaints.add(table.line, table.names[0].column, "", found, expected);
            return Err(table.complaints.found);
        }
        // Positions in the file are kept for messages about the time column.
        let mut times: Vec<(f64, usize, usize)> = Vec::new();
        let mut values: Vec<Vec<f64>> = vec![Vec::new(); table.names.len() - 1];
        // Signals stay in the units of the file.
        let divisor = table.divisor(0, "s");
        while let Some(row) = table.row() {
            let time = row.values[0] / divisor;
            if after.is_some_and(|after| time < after) {
                continue;
            }
            times.push((time, row.line, row.column));
            values.iter_mut().zip(&row.values[1..]).for_each(|(column, number)| column.push(*number));
        }
        // Errors of single rows are reported together, before the checks of the whole table.
        let Numbers { line, names, mut complaints, .. } = table;
        if !complaints.found.0.is_empty() {
            return Err(complaints.found);
        }
        // A spectrum needs a minimum number of samples.
        if times.len() < MIN_SAMPLES {
            let found = match after {
                Some(after) => format!("{} from {after} s on", text::count(times.len(), "row")),
                None => text::count(times.len(), "row"),
            };
            complaints.add(line, 1, "", found, format!("expected {MIN_SAMPLES} or more"));
            return Err(complaints.found);
        }
        // The discrete Fourier transform requires equal intervals; the mean interval is the reference.
        let (start, end) = (times[0].0, times[times.len() - 1].0);
        let interval = (end - start) / (times.len() - 1) as f64;
        for (k, (time, line, column)) in times.iter().enumerate() {
            let even = start + k as f64 * interval;
            if !((time - even).abs() <= INTERVAL_TOLERANCE * interval) {
                let found = format!("found time {time} s; equal intervals give {} s", text::short(even, 9));
                let expected = "expected ascending times at equal intervals";
                complaints.add(*line, *column, "time", found, expected);
                return Err(complaints.found);
            }
        }
        let columns = names[1..].iter().map(|name| name.text.to_string()).zip(values).collect();
        Ok(Signals { start, interval, columns })
    }

    /// The requested columns in their order; without a request all columns that vary.
    fn choose(mut self, wanted: &[String], file: &str) -> Result<Signals, Failure> {
        if wanted.is_empty() {
            self.columns.retain(|(_, values)| values.iter().any(|value| *value != values[0]));
            if self.columns.is_empty() {
                return Err(Failure::Usage(format!("{file}: all columns are constant, so there is no spectrum")));
            }
            return Ok(self);
        }
        let mut chosen = Vec::new();
        for name in wanted {
            let Some(column) = self.columns.iter().find(|(column, _)| column == name) else {
                let names = || self.columns.iter().map(|(name, _)| name.as_str());
                let hint = match text::nearest(name, names()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("it has {}", names().collect::<Vec<_>>().join(", ")),
                };
                return Err(Failure::Usage(format!("{file} has no column `{name}`; {hint}")));
            };
            chosen.push(column.clone());
        }
        self.columns = chosen;
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaint(text: &str, after: Option<f64>) -> String {
        Signals::parse(text, "out.csv", after).unwrap_err().0[0].to_string()
    }

    fn rows(count: usize) -> String {
        (0..count).map(|k| format!("{},{k}\n", 0.1 * k as f64)).collect()
    }

    #[test]
    fn samples_from_a_time_on_are_read_with_their_interval() {
        let text = format!("time,\"a[1,2]\"\n{}", rows(20));
        let found = Signals::parse(&text, "out.csv", Some(0.45)).unwrap();
        assert_eq!((found.start, found.columns[0].0.as_str()), (0.5, "a[1,2]"));
        assert_eq!(found.columns[0].1, (5..20).map(f64::from).collect::<Vec<_>>());
        assert!((found.interval - 0.1).abs() < 1e-12);
    }

    #[test]
    fn wrong_files_are_refused_with_their_place() {
        assert_eq!(complaint("", None), "out.csv: error: the file is empty; expected the header `time,<names>`");
        for (text, place) in [
            ("when,a\n0,1\n".to_string(), "out.csv:1:1: error: found the header `when,a`; expected `time` and"),
            ("time\n0\n".to_string(), "out.csv:1:1: error: found the header `time`"),
            (format!("time,a\n{}1,x\n", rows(9)), "out.csv:11:3: error: a: found `x`; expected a finite number"),
            (format!("time,a\n{}1\n", rows(9)), "out.csv:11:1: error: 1 value in this row; expected 2"),
            (format!("time,a\n{}", rows(7)), "out.csv:1:1: error: 7 rows; expected 8 or more"),
            (format!("time,a\n{}1.05,1\n", rows(10)), "out.csv:3:1: error: time: found time 0.1 s; equal intervals"),
        ] {
            let found = complaint(&text, None);
            assert!(found.starts_with(place), "{found}");
        }
        assert!(complaint(&format!("time,a\n{}", rows(20)), Some(1.5)).contains("5 rows from 1.5 s on"));
    }
}
