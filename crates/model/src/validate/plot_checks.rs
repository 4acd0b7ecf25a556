//! Plots.

use super::check::Check;
use crate::document::nearest::{did_you_mean, list};
use crate::plots::PlotVariable;
use crate::schema::Plot;
use crate::units;

/// Largest number of curves that can be distinguished in one panel.
const MAX_CURVES: usize = 12;

pub(super) fn check(check: &mut Check) {
    // Names of variables and their units are known only for valid outputs.
    let outputs = &check.model.outputs;
    if check.is_broken("output") || outputs.iter().any(|output| output.rule().is_none()) {
        return;
    }
    let model = check.model;
    for (index, plot) in model.plots.iter().enumerate() {
        self::plot(check, &format!("plot[{index}]"), plot);
    }
}

fn plot(check: &mut Check, item: &str, plot: &Plot) {
    if plot.outputs.is_empty() {
        check.report(format!("{item}.outputs"), "the list is empty", "name at least one output");
    }
    // All curves of a panel have one unit.
    let mut curves: Vec<PlotVariable> = Vec::new();
    for (index, name) in plot.outputs.iter().enumerate() {
        let key = format!("{item}.outputs[{index}]");
        let variables = find(check, &key, name);
        if let (Some(first), Some(other)) = (curves.first(), variables.first())
            && first.unit != other.unit
        {
            let found = format!("\"{}\" is in {}, \"{}\" in {}", other.name, other.unit, first.name, first.unit);
            check.report(&key, found, "plot each unit in its own `[[plot]]`");
            return;
        }
        curves.extend(variables);
    }
    // More curves than the palette has colours cannot be distinguished.
    if curves.len() > MAX_CURVES {
        let found = format!("one panel has {} curves", curves.len());
        let expected = format!("draw at most {MAX_CURVES}; split the plot");
        check.report(format!("{item}.outputs"), found, expected);
    }
    if let Some(labels) = &plot.labels
        && labels.len() != curves.len()
        && !curves.is_empty()
    {
        let found = format!("found {}", labels.len());
        check.report(format!("{item}.labels"), found, format!("write {}, one per curve", curves.len()));
    }
    if let Some(first) = curves.first() {
        shown(check, &format!("{item}.unit"), &plot.unit, first);
    }
    // Without `against` the abscissa is the time, which has a fixed label and unit.
    let Some(name) = &plot.against else {
        for (key, given) in [
            ("against_label", plot.against_label.is_some()),
            ("against_unit", plot.against_unit.is_some()),
            ("equal_scales", plot.equal_scales.is_some()),
        ] {
            if given {
                let expected = "add `against`, the output for the horizontal axis";
                check.report(format!("{item}.{key}"), format!("`{key}` needs `against`"), expected);
            }
        }
        return;
    };
    // The abscissa is a scalar.
    let key = format!("{item}.against");
    match find(check, &key, name).as_slice() {
        [] => {}
        [against] => shown(check, &format!("{item}.against_unit"), &plot.against_unit, against),
        several => {
            let names: Vec<&str> = several.iter().map(|variable| variable.name.as_str()).collect();
            check.report(key, format!("\"{name}\" is a vector"), format!("write one of {}", list(&names)));
        }
    }
}

fn find(check: &mut Check, key: &str, name: &str) -> Vec<PlotVariable> {
    let found = check.model.plot_variables(name);
    if found.is_empty() {
        let known = check.model.plot_names();
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        check.report(key, format!("there is no output \"{name}\""), did_you_mean(name, &known));
    }
    found
}

/// A unit in which values of a variable can be shown.
fn shown(check: &mut Check, key: &str, unit: &Option<String>, variable: &PlotVariable) {
    if let Some(symbol) = unit.as_deref().filter(|symbol| units::shown_factor(symbol, variable.unit).is_none()) {
        let known = units::shown_units(variable.unit);
        let found = format!("\"{}\", in {}, cannot be converted to \"{symbol}\"", variable.name, variable.unit);
        check.report(key, found, format!("write one of {}", list(&known)));
    }
}
