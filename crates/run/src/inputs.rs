//! Input files of `ballesta run`: columns of inputs over time.
//!
//! Header `time,<input names>` in any order, one row per time in s ([`Numbers`] describes separators, decimal signs and
//! units). Between two rows an input is linear in time; before
//! the first and after the last row it is constant. Two rows with equal times are a jump: the first row ends the
//! interval before it, the second row applies from that time. [`super::driven_inputs`] describes how the solver follows
//! the inputs.

use super::driven_inputs::DrivenInputs;
use ballesta::model::Diagnostics;
use ballesta::system::Interface;
use ballesta_files::failure::Failure;
use ballesta_files::numbers::Numbers;
use ballesta_files::words;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Tolerance, as a fraction of the internal step, for rows closer together than the step, because times are rounded.
const SPACING_TOLERANCE: f64 = 1e-6;

/// Inputs over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Inputs {
    /// Times in s, ascending; equal neighbours are a jump.
    times: Vec<f64>,
    /// One per column: index of the input, values at `times`.
    columns: Vec<(usize, Vec<f64>)>,
    /// First rows of all jumps, ascending.
    jumps: Vec<usize>,
}

/// Position of a time in the table.
#[derive(Clone, Copy)]
enum TablePosition {
    /// At a row.
    Row(usize),
    /// Between the previous row and this row; constant outside the table.
    Before(usize, f64),
}

impl Inputs {
    /// The rows must be validated.
    fn new(times: Vec<f64>, columns: Vec<(usize, Vec<f64>)>) -> Inputs {
        let jumps = |row: &usize| {
            times[*row] == times[row + 1] && columns.iter().any(|(_, values)| values[*row] != values[row + 1])
        };
        let jumps = (0..times.len().saturating_sub(1)).filter(jumps).collect();
        Inputs { times, columns, jumps }
    }

    /// Reads `path` and reports all faults at once.
    pub fn read(path: &Path, interface: &Interface) -> Result<Inputs, Failure> {
        let text = super::table::read_text(path)?;
        Ok(Inputs::parse(&text, &path.display().to_string(), interface)?)
    }

    /// Reads a text; `file` is the name for messages.
    pub fn parse(text: &str, file: &str, interface: &Interface) -> Result<Inputs, Diagnostics> {
        // The header names the inputs.
        let mut table = Numbers::new(text, file, "expected the header `time,<input names>`")?;
        let targets = targets(&mut table, interface);
        // Units of the file are converted to those of the model.
        let mut divisors = vec![if table.begins_with_time() { table.divisor(0, "s") } else { 1.0 }];
        for (column, target) in targets.iter().enumerate().skip(1) {
            divisors.push(target.map_or(1.0, |index| table.divisor(column, &interface.inputs[index].unit)));
        }
        let mut times: Vec<f64> = Vec::new();
        let mut values: Vec<Vec<f64>> = vec![Vec::new(); targets.len()];
        // Two rows at one time define a jump; a third would be ambiguous.
        while let Some(mut row) = table.row() {
            row.values.iter_mut().zip(&divisors).for_each(|(value, divisor)| *value /= divisor);
            let (time, key) = (row.values[0], table.names[0].text);
            let mut complain = |found, expected| table.complaints.add(row.line, row.column, key, found, expected);
            if let Some(before) = times.last().filter(|before| time < **before) {
                complain(format!("time decreases from {before} to {time}"), "expected ascending times");
            } else if times.len() > 1 && times[times.len() - 2] == time {
                complain(format!("three rows at time {time}"), "expected at most two (a jump)");
            }
            times.push(time);
            values.iter_mut().zip(row.values).for_each(|(column, value)| column.push(value));
        }
        // A table without rows is reported, unless it has other errors.
        if times.is_empty() && table.complaints.found.0.is_empty() {
            table.without_rows();
        }
        let columns = targets.into_iter().zip(values).filter_map(|(target, values)| Some((target?, values))).collect();
        table.complaints.finish(Inputs::new(times, columns))
    }

    /// Multiplies all values of the column of input `index`, if there is one.
    pub fn scale(&mut self, index: usize, factor: f64) {
        let column = self.columns.iter_mut().filter(|(column, _)| *column == index);
        column.flat_map(|(_, values)| values).for_each(|value| *value *= factor);
    }

    /// Adds `amount` to all values of the column of input `index`, if there is one.
    pub fn shift(&mut self, index: usize, amount: f64) {
        let column = self.columns.iter_mut().filter(|(column, _)| *column == index);
        column.flat_map(|(_, values)| values).for_each(|value| *value += amount);
    }

    /// Inputs over `times` in s: index of the input and values, one per time. The error names the fault and the
    /// correction.
    pub fn from_columns(times: Vec<f64>, columns: Vec<(usize, Vec<f64>)>) -> Result<Inputs, String> {
        // Times are finite and ascending; two equal times define a jump.
        if times.is_empty() {
            return Err("no times; expected at least one".into());
        }
        if let Some(row) = times.iter().position(|time| !time.is_finite()) {
            return Err(format!("time {row} is {}; expected finite numbers", times[row]));
        }
        for (row, pair) in times.windows(2).enumerate() {
            if pair[1] < pair[0] {
                let (before, after) = (pair[0], pair[1]);
                return Err(format!("time {} decreases from {before} to {after} s; expected ascending times", row + 1));
            }
        }
        if let Some(row) = times.windows(3).position(|three| three[0] == three[2]) {
            let time = times[row];
            return Err(format!("three rows at time {time} s; expected at most two (a jump)"));
        }
        // One finite value per time, and one column per input.
        let mut seen = BTreeSet::new();
        for (place, (index, values)) in columns.iter().enumerate() {
            if values.len() != times.len() {
                let (found, expected) = (values.len(), times.len());
                return Err(format!(
                    "column {place} has {}; expected {expected}, one per time",
                    words::count(found, "value")
                ));
            }
            if let Some(row) = values.iter().position(|value| !value.is_finite()) {
                return Err(format!("value {row} of column {place} is {}; expected finite numbers", values[row]));
            }
            if !seen.insert(*index) {
                return Err(format!("column {place} repeats an input; expected one column per input"));
            }
        }
        Ok(Inputs::new(times, columns))
    }

    /// Indices of the inputs that have a column.
    pub fn indices(&self) -> impl Iterator<Item = usize> {
        self.columns.iter().map(|(index, _)| *index)
    }

    /// A column over points of time and value, in ascending order.
    pub fn line(points: &[[f64; 2]]) -> Inputs {
        let part = |k: usize| points.iter().map(|point| point[k]).collect();
        Inputs::new(part(0), vec![(0, part(1))])
    }

    /// Value of the first column at `time`; `before` or after a jump that is at `time` or up to `tolerance` (s) away.
    pub fn first_value(&self, time: f64, before: bool, tolerance: f64) -> f64 {
        let place = if before { self.place_before(time, tolerance) } else { self.place_after(time, tolerance) };
        self.columns.first().map_or(0.0, |(_, values)| self.value(values, place))
    }

    /// Index and value of every column at `time`; the values after a jump that is at `time` or up to `tolerance` (s)
    /// later.
    pub fn values(&self, time: f64, tolerance: f64) -> impl Iterator<Item = (usize, f64)> {
        let place = self.place_after(time, tolerance);
        self.columns.iter().map(move |(index, values)| (*index, self.value(values, place)))
    }

    /// Times, s, of the two rows between `start` and `stop` that are closest together. `None` if they are at least
    /// `step`, s, apart, or if the table has only jumps and straight lines there.
    pub fn closest(&self, step: f64, [start, stop]: [f64; 2]) -> Option<[f64; 2]> {
        let jumps = |row: usize| {
            let first = self.jumps.partition_point(|jump| jump + 1 < row);
            self.jumps.get(first).is_some_and(|jump| *jump == row || jump + 1 == row)
        };
        let pairs = self.times.windows(2).enumerate().filter(|(_, pair)| pair[1] > start && pair[0] < stop);
        let dense = pairs.filter(|(row, pair)| pair[1] > pair[0] && !(jumps(*row) && jumps(row + 1)));
        let gap = |pair: &[f64]| pair[1] - pair[0];
        let closest = dense.map(|(_, pair)| pair).min_by(|a, b| gap(a).total_cmp(&gap(b)))?;
        (gap(closest) < step * (1.0 - SPACING_TOLERANCE)).then(|| [closest[0], closest[1]])
    }

    /// Position of `time` in the table, after a jump there or within `tolerance`.
    fn place_after(&self, time: f64, tolerance: f64) -> TablePosition {
        let passed = self.jumps.partition_point(|jump| self.times[*jump] <= time + tolerance);
        match self.jumps[..passed].last() {
            Some(jump) if self.times[*jump] > time => TablePosition::Row(jump + 1),
            _ => TablePosition::Before(self.times.partition_point(|t| *t <= time), time),
        }
    }

    /// Position of `time` in the table, before a jump there or within `tolerance`.
    fn place_before(&self, time: f64, tolerance: f64) -> TablePosition {
        let passed = self.jumps.partition_point(|jump| self.times[*jump] < time - tolerance);
        match self.jumps.get(passed) {
            Some(jump) if self.times[*jump] < time => TablePosition::Row(*jump),
            _ => TablePosition::Before(self.times.partition_point(|t| *t < time), time),
        }
    }

    /// Value of a column at a position.
    fn value(&self, values: &[f64], place: TablePosition) -> f64 {
        let (next, time) = match place {
            TablePosition::Row(row) => return values[row],
            TablePosition::Before(next, time) => (next, time),
        };
        if next == 0 || next == self.times.len() {
            return if next == 0 { values[0] } else { values[next - 1] };
        }
        let (t0, t1) = (self.times[next - 1], self.times[next]);
        let (v0, v1) = (values[next - 1], values[next]);
        if time == t0 { v0 } else { v0 + (v1 - v0) * ((time - t0) / (t1 - t0)) }
    }
}

impl DrivenInputs for Inputs {
    fn visit(&self, begin: f64, end: f64, tolerance: f64, visit: &mut dyn FnMut(usize, f64, f64)) {
        let (first, last) = (self.place_after(begin, tolerance), self.place_before(end, tolerance));
        for (index, values) in &self.columns {
            let value = self.value(values, first);
            visit(*index, value, (self.value(values, last) - value) / (end - begin));
        }
    }

    fn next_row(&self, begin: f64, end: f64) -> Option<f64> {
        self.times.get(self.times.partition_point(|t| *t <= begin)).copied().filter(|t| *t < end)
    }

    fn next_jump(&self, begin: f64, end: f64) -> Option<f64> {
        let next = self.jumps.partition_point(|jump| self.times[*jump] <= begin);
        self.jumps.get(next).map(|jump| self.times[*jump]).filter(|t| *t < end)
    }
}

/// For every column the index of its input; `None` for the time column and for invalid columns.
fn targets(table: &mut Numbers, interface: &Interface) -> Vec<Option<usize>> {
    // The first column is the time.
    let begins_with_time = table.begins_with_time();
    let Numbers { line, names, complaints, .. } = table;
    let known = || interface.inputs.iter().map(|input| input.name.as_str());
    let indices: BTreeMap<&str, usize> = known().zip(0..).collect();
    let mut targets = vec![None; names.len()];
    if !begins_with_time {
        let found = format!("found column `{}`", names[0].text);
        complaints.add(*line, names[0].column, "", found, "expected `time` as the first column");
        return targets;
    }
    // Each input occurs once; unknown names are reported with the nearest known name.
    let mut seen = BTreeSet::from([names[0].text]);
    for (i, name) in names.iter().enumerate().skip(1) {
        if complaints.full() {
            break;
        }
        if !seen.insert(name.text) {
            let found = format!("column `{}` appears twice", name.text);
            complaints.add(*line, name.column, name.text, found, "expected one column per input");
            continue;
        }
        targets[i] = indices.get(name.text).copied();
        if targets[i].is_none() {
            let expected = match words::nearest(name.text, known()) {
                Some(near) => format!("did you mean `{near}`?"),
                None if interface.inputs.is_empty() => "the model has no inputs".to_string(),
                None => format!("expected one of {}", known().collect::<Vec<_>>().join(", ")),
            };
            complaints.add(*line, name.column, name.text, "the model has no such input", expected);
        }
    }
    targets
}

#[cfg(test)]
mod tests {
    use super::*;
    use ballesta::system::InputInfo;

    fn interface() -> Interface {
        let input = |name: &str| InputInfo { name: name.into(), unit: "N".into(), ..InputInfo::default() };
        Interface { inputs: vec![input("crank.torque"), input("road[1,2].z")], ..Interface::default() }
    }

    fn parse(text: &str) -> Result<Inputs, Diagnostics> {
        Inputs::parse(text, "in.csv", &interface())
    }

    fn complaints(text: &str) -> Vec<String> {
        parse(text).unwrap_err().0.iter().map(|diagnostic| diagnostic.to_string()).collect()
    }

    /// Slope of the column of input `of`.
    fn slope(inputs: &Inputs, begin: f64, end: f64, of: usize) -> f64 {
        let mut found = f64::NAN;
        inputs.visit(begin, end, 0.0, &mut |index, _, slope| found = if index == of { slope } else { found });
        found
    }

    #[test]
    fn inputs_are_linear_between_rows_and_held_outside() {
        let inputs = parse("time,\"road[1,2].z\",crank.torque\n1,0,5\r\n2,10,5\n\n").unwrap();
        let at = |time| inputs.values(time, 0.0).collect::<Vec<_>>();
        assert_eq!(inputs.indices().collect::<Vec<_>>(), [1, 0]);
        assert_eq!(at(0.0), [(1, 0.0), (0, 5.0)]);
        assert_eq!(at(1.25), [(1, 2.5), (0, 5.0)]);
        assert_eq!(at(9.0), [(1, 10.0), (0, 5.0)]);
        let slopes = |begin, end| [slope(&inputs, begin, end, 1), slope(&inputs, begin, end, 0)];
        assert_eq!([slopes(1.0, 1.5), slopes(0.0, 0.5), slopes(2.0, 3.0)], [[10.0, 0.0], [0.0, 0.0], [0.0, 0.0]]);
        assert_eq!([inputs.next_row(0.5, 2.0), inputs.next_row(1.0, 2.0)], [Some(1.0), None]);
    }

    #[test]
    fn units_of_the_file_are_converted() {
        let written = parse("Time [ms];crank.torque [kN]\n0;1,5\n\n500;-2\n").unwrap();
        assert_eq!(written, parse("time,crank.torque\n0,1500\n0.5,-2000\n").unwrap());
    }

    #[test]
    fn a_jump_takes_effect_from_its_time_on() {
        let inputs = parse("time,crank.torque\n0,1\n1,1\n1,3\n2,5\n").unwrap();
        assert_eq!(inputs.values(1.0, 0.0).next(), Some((0, 3.0)));
        assert_eq!([slope(&inputs, 0.5, 1.0, 0), slope(&inputs, 1.0, 1.5, 0)], [0.0, 2.0]);
        assert_eq!([inputs.next_jump(0.5, 1.5), inputs.next_jump(1.0, 2.0)], [Some(1.0), None]);
    }

    #[test]
    fn a_jump_next_to_a_point_is_at_the_point() {
        let inputs = parse("time,crank.torque\n0,1\n1,1\n1,3\n2,5\n").unwrap();
        let at = |time| inputs.values(time, 1e-9).next().unwrap().1;
        assert_eq!([at(1.0 - 1e-8), at(1.0 - 1e-10), at(1.0 + 1e-10)], [1.0, 3.0, 3.0 + 2e-10]);
        let rise = |begin: f64, end: f64| {
            let mut rise = f64::NAN;
            inputs.visit(begin, end, 1e-9, &mut |_, _, slope| rise = slope * (end - begin));
            rise
        };
        assert_eq!([rise(0.5, 1.0 + 1e-10), rise(0.5, 1.0 - 1e-10)], [0.0, 0.0]);
        assert!((rise(1.0 - 1e-10, 1.5) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn rows_that_the_steps_pass_over_are_reported_and_jumps_are_not() {
        let closest = |text: &str| parse(&format!("time,crank.torque\n{text}")).unwrap().closest(1e-3, [0.0, 1.0]);
        assert_eq!(closest("0,0\n0.1,0\n0.1,1\n0.1002,1\n0.1002,0\n1,0\n"), None);
        assert_eq!(closest("0,0\n0.1,0\n0.1001,1\n0.1003,0\n1,0\n"), Some([0.1, 0.1001]));
        assert_eq!(closest("0,0\n0.1,0\n0.1,1\n0.1002,0\n1,0\n"), Some([0.1, 0.1002]));
        assert_eq!(closest("0,0\n0.001,1\n0.002,0\n0.003,2\n"), None);
        assert_eq!(closest("0,5\n"), None);
        assert_eq!(closest("0,0\n1,0\n1.0001,1\n1.0003,0\n"), None);
    }

    #[test]
    fn columns_give_the_inputs_that_the_same_file_gives() {
        let columns = |times: &[f64], values: &[f64]| Inputs::from_columns(times.to_vec(), vec![(1, values.to_vec())]);
        let written = parse("time,\"road[1,2].z\"\n1,0\n2,10\n2,20\n").unwrap();
        assert_eq!(columns(&[1.0, 2.0, 2.0], &[0.0, 10.0, 20.0]).unwrap(), written);
        let refused = |times: &[f64], values: &[f64]| columns(times, values).unwrap_err();
        assert!(refused(&[], &[]).contains("no times"));
        assert!(refused(&[0.0, f64::NAN], &[0.0, 0.0]).contains("time 1 is NaN"));
        assert!(refused(&[1.0, 0.5], &[0.0, 0.0]).contains("decreases from 1 to 0.5 s"));
        assert!(refused(&[1.0, 1.0, 1.0], &[0.0; 3]).contains("at most two"));
        assert!(refused(&[0.0, 1.0], &[0.0]).contains("1 value; expected 2"));
        assert!(refused(&[0.0, 1.0], &[0.0, f64::INFINITY]).contains("value 1 of column 0 is inf"));
        let twice = Inputs::from_columns(vec![0.0], vec![(1, vec![0.0]), (1, vec![0.0])]);
        assert!(twice.unwrap_err().contains("one column per input"));
    }

    #[test]
    fn every_wrong_place_is_reported_with_line_and_column() {
        assert_eq!(
            complaints("time, crank.torqe,crank.torque\n0,1,2\n1,x,inf\n0.5,1\n0.7,1,1\n"),
            [
                "in.csv:1:7: error: crank.torqe: the model has no such input; did you mean `crank.torque`?",
                "in.csv:3:3: error: crank.torqe: found `x`; expected a finite number",
                "in.csv:3:5: error: crank.torque: found `inf`; expected a finite number",
                "in.csv:4:5: error: 2 values in this row; expected 3, one per column of the header",
                "in.csv:5:1: error: time: time decreases from 1 to 0.7; expected ascending times",
            ]
        );
    }

    #[test]
    fn forty_thousand_columns_are_found_in_any_order_and_complaints_about_them_are_bounded() {
        let input = |k: usize| InputInfo { name: format!("in[{k}]"), unit: "N".into(), ..InputInfo::default() };
        let interface = Interface { inputs: (0..40_000).map(input).collect(), ..Interface::default() };
        let names: String = (0..40_000).rev().map(|k| format!(",in[{k}]")).collect();
        let inputs = Inputs::parse(&format!("time{names}\n0{}\n", ",1".repeat(40_000)), "in.csv", &interface).unwrap();
        assert_eq!(inputs.indices().next(), Some(39_999));
        let unknown = format!("time{}\n", names.replace("in[", "no["));
        let wrong = Inputs::parse(&unknown, "in.csv", &Interface::default()).unwrap_err().0.len();
        assert!((1..=1001).contains(&wrong), "{wrong}");
    }

    #[test]
    fn wrong_headers_are_explained() {
        assert_eq!(complaints(""), ["in.csv: error: the file is empty; expected the header `time,<input names>`"]);
        assert_eq!(
            complaints("when;crank.torque\n0;1\n")[0],
            "in.csv:1:1: error: found column `when`; expected `time` as the first column"
        );
        assert_eq!(
            complaints("time [m];crank.torque [mm]\n0;1\n"),
            [
                "in.csv:1:6: error: time: found the unit `m`; expected `s` or `ms`",
                "in.csv:1:23: error: crank.torque: found the unit `mm`; expected `N` or `kN`",
            ]
        );
        assert_eq!(
            complaints("time,crank.torque,crank.torque\n0,1,1\n"),
            ["in.csv:1:19: error: crank.torque: column `crank.torque` appears twice; expected one column per input"]
        );
        assert_eq!(
            complaints("time,crank.torque\n"),
            ["in.csv:1:1: error: no rows after the header; expected at least one row of values"]
        );
        assert_eq!(
            complaints("time\n0\n0\n0\n"),
            ["in.csv:4:1: error: time: three rows at time 0; expected at most two (a jump)"]
        );
    }
}
