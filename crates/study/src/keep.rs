//! The columns of `[[keep]]`.

use super::diagnostics::Check;
use super::study_schema::{Direction, Keep, What};
use ballesta::document::nearest::did_you_mean;
use ballesta::system::Interface;
use ballesta_run::grid::Grid;

/// Maximum number of values that a run keeps in memory and in its row: 80 MB.
pub const MAX_NUMBERS: usize = 10_000_000;

/// A column with one number per run.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptColumn {
    /// Name of the column.
    pub name: String,
    /// Unit symbol.
    pub unit: String,
    /// Index of the output.
    pub output: usize,
    /// Kept quantities.
    pub quantity: Quantity,
    /// First and last communication point of the window.
    pub window: (usize, usize),
}

/// Kept quantities of an output.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Quantity {
    /// A figure of the values at the communication points of the window.
    What(What),
    /// The percentile, 0 to 100.
    Percentile(f64),
    /// The time of the first crossing of this value.
    Event(f64, Direction),
}

/// A column with a list of numbers per run.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// Name of the column.
    pub name: String,
    /// Unit symbol.
    pub unit: String,
    /// Index of the output.
    pub output: usize,
    /// Number of communication points between values.
    pub every: usize,
    /// First and last communication point of the window.
    pub window: (usize, usize),
}

impl Trace {
    /// Number of values of a run.
    pub fn points(&self) -> usize {
        (self.window.1 - self.window.0) / self.every + 1
    }
}

/// The columns of all `[[keep]]`, or the final values of all outputs without `[[keep]]`. `check` receives the faults.
pub fn columns(keeps: &[Keep], interface: &Interface, grid: &Grid, check: &mut Check) -> (Vec<KeptColumn>, Vec<Trace>) {
    let mut columns = Columns { interface, grid, kept: Vec::new(), traces: Vec::new() };
    if keeps.is_empty() {
        for output in &interface.outputs {
            let final_values = Keep { output: Some(output.name.clone()), ..Keep::default() };
            columns.add("", &final_values, check);
        }
    }
    for (index, keep) in keeps.iter().enumerate() {
        columns.add(&format!("keep[{index}]"), keep, check);
    }
    (columns.kept, columns.traces)
}

struct Columns<'a> {
    interface: &'a Interface,
    grid: &'a Grid,
    kept: Vec<KeptColumn>,
    traces: Vec<Trace>,
}

impl Columns<'_> {
    fn add(&mut self, key: &str, keep: &Keep, check: &mut Check) {
        let at = |name: &str| format!("{key}.{name}");
        // Which kind of table it is. A key that a parameter replaces counts as given.
        let event = keep.event.is_some() || check.replaced(&at("event"));
        let trace = keep.trace.is_some() || check.replaced(&at("trace"));
        let output = keep.output.is_some() || check.replaced(&at("output"));
        if trace && (event || output) {
            check.complain(key, "more than one of output, event and trace", "write a separate [[keep]] for each");
            return;
        }
        if !event && !trace && !output {
            check.complain(
                key,
                "the table does not name a value to keep",
                "write `output`, `event` with an `output`, or `trace`",
            );
            return;
        }
        // Keys that this kind does not have.
        let set = [
            ("what", keep.what.is_some(), !event && !trace),
            ("percentiles", keep.percentiles.is_some(), !event && !trace),
            ("crosses", keep.crosses.is_some(), event),
            ("direction", keep.direction.is_some(), event),
            ("every", keep.every.is_some(), trace),
            ("name", keep.name.is_some(), !event && !trace),
        ];
        for (name, given, taken) in set {
            if given && !taken {
                let kind = if event {
                    "an event"
                } else if trace {
                    "a trace"
                } else {
                    "an output"
                };
                check.complain(&at(name), format!("{kind} has no `{name}`"), "remove it");
            }
        }
        let Some(window) = self.window(key, keep, if event { 2 } else { 1 }, check) else { return };
        // A trace: every n-th value of each output in the window.
        if let Some(names) = &keep.trace {
            let every = keep.every.unwrap_or(1);
            if every == 0 {
                check.complain(&at("every"), "found 0", "write 1 or more");
                return;
            }
            if names.is_empty() {
                check.complain(&at("trace"), "the list is empty", "name at least one output");
            }
            for (index, name) in names.iter().enumerate() {
                for output in self.outputs(&format!("{key}.trace[{index}]"), name, check) {
                    let info = &self.interface.outputs[output];
                    let (name, unit) = (info.name.clone(), info.unit.clone());
                    self.traces.push(Trace { name, unit, output, every: every as usize, window });
                }
            }
            return;
        }
        // Events and quantities need an output.
        let Some(name) = &keep.output else {
            if !check.replaced(&at("output")) {
                check.complain(key, "the event has no output", "add `output`, the output that crosses the value");
            }
            return;
        };
        let outputs = self.outputs(&at("output"), name, check);
        // An event: the time at which a scalar output crosses a value.
        if let Some(event) = &keep.event {
            let Some(level) = keep.crosses else {
                if !check.replaced(&at("crosses")) {
                    check.complain(key, "the event has no value", "add `crosses`, the value that the output crosses");
                }
                return;
            };
            if outputs.len() > 1 {
                let first = &self.interface.outputs[outputs[0]].name;
                check.complain(
                    &at("output"),
                    format!("`{name}` is a vector"),
                    format!("write a component, as `{first}`"),
                );
            } else if let Some(output) = outputs.first() {
                let quantity = Quantity::Event(level, keep.direction.unwrap_or_default());
                self.kept.push(KeptColumn { name: event.clone(), unit: "s".into(), output: *output, quantity, window });
            }
            return;
        }
        // Quantities of an output: the final value by default.
        let default = if keep.percentiles.is_none() { vec![What::Final] } else { Vec::new() };
        let what = keep.what.clone().unwrap_or(default);
        let percentiles = keep.percentiles.clone().unwrap_or_default();
        if what.is_empty() && percentiles.is_empty() {
            check.complain(key, "no quantity of the output is kept", "name a quantity in `what` or `percentiles`");
        }
        for (index, percent) in percentiles.iter().enumerate() {
            if !(0.0..=100.0).contains(percent) {
                check.complain(
                    &format!("{key}.percentiles[{index}]"),
                    format!("found {percent}"),
                    "write a number from 0 to 100",
                );
            }
        }
        // One column per component and quantity.
        for output in outputs {
            let info = &self.interface.outputs[output];
            let first = match &keep.name {
                None => info.name.clone(),
                Some(first) => format!("{first}{}", info.name.strip_prefix(name.as_str()).unwrap_or_default()),
            };
            let named = what.iter().map(|what| (what.word().to_string(), Quantity::What(*what)));
            let percentiles = percentiles.iter().map(|percent| (format!("p{percent}"), Quantity::Percentile(*percent)));
            for (last, quantity) in named.chain(percentiles) {
                let (name, unit) = (format!("{first}.{last}"), info.unit.clone());
                self.kept.push(KeptColumn { name, unit, output, quantity, window });
            }
        }
    }

    /// Outputs with a name: one output, or the components of a vector.
    fn outputs(&self, key: &str, name: &str, check: &mut Check) -> Vec<usize> {
        let all = &self.interface.outputs;
        let vector = |index: usize| all[index].element.as_ref().map(|element| element.vector.as_str());
        let found: Vec<usize> = (0..all.len()).filter(|&i| all[i].name == name || vector(i) == Some(name)).collect();
        if found.is_empty() {
            let mut known: Vec<&str> = all.iter().map(|output| output.name.as_str()).collect();
            known.extend((0..all.len()).filter_map(vector));
            check.complain(key, format!("the model has no output `{name}`"), did_you_mean(name, &known));
        }
        found
    }

    /// First and last point of the window.
    fn window(&self, key: &str, keep: &Keep, least: usize, check: &mut Check) -> Option<(usize, usize)> {
        let grid = self.grid;
        let points = grid.intervals() + 1;
        // Both the times of a file and the points are rounded.
        let slack = 1e-9 * grid.step;
        let before = |time: f64| partition(points, |i| grid.point(i) < time);
        let first = keep.from.map_or(0, |from| before(from - slack));
        let end = keep.to.map_or(points, |to| before(to + slack));
        if end < first + least {
            let at = if keep.from.is_some() { "from" } else { "to" };
            let place =
                if key.is_empty() || keep.from.or(keep.to).is_none() { key.into() } else { format!("{key}.{at}") };
            let found = match end.saturating_sub(first) {
                0 => "the window contains no communication point".to_string(),
                _ => "the window contains one communication point; an event needs two".to_string(),
            };
            check.complain(&place, found, format!("choose times between {} s and {} s", grid.start, grid.stop));
            return None;
        }
        Some((first, end - 1))
    }
}

/// Number of indices below `count` that satisfy a monotonic condition: true up to some index, false beyond.
fn partition(count: usize, holds: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) { low = middle + 1 } else { high = middle }
    }
    low
}
