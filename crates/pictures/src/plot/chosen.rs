//! The panels of `[[plot]]` in a model file.

use super::Curve;
use super::panels::{Along, Marks, Panel};
use ballesta::model::plots::PlotVariable;
use ballesta::model::schema::{Model, Plot};
use ballesta::units::shown_factor;

/// The panels of `model`, whose output variables are `curves`, in the order of the interface. None without `[[plot]]`.
pub fn chosen<'a>(model: &'a Model, curves: &[Curve<'a>]) -> Vec<Panel<'a>> {
    model.plots.iter().filter_map(|plot| panel(model, plot, curves)).collect()
}

fn panel<'a>(model: &'a Model, plot: &'a Plot, curves: &[Curve<'a>]) -> Option<Panel<'a>> {
    let variables = plot.curves(model);
    let (unit, factor) = shown(&plot.unit, variables.first()?);
    let label = |index: usize| plot.labels.as_ref().and_then(|labels| labels.get(index));
    let labelled = |(index, variable): (usize, &PlotVariable)| {
        let curve = *curves.get(variable.index)?;
        Some(Curve { name: label(index).map_or(curve.name, String::as_str), ..curve })
    };
    let along = plot.against.as_ref().and_then(|name| {
        let variable = model.plot_variables(name).pop()?;
        let curve = curves.get(variable.index)?;
        let (unit, factor) = shown(&plot.against_unit, &variable);
        Some(Along {
            name: plot.against_label.as_deref().unwrap_or(curve.name),
            unit,
            factor,
            values: curve.values,
            equal_scales: plot.equal_scales.unwrap_or(variable.unit == "m" && variables[0].unit == "m"),
            marks: Marks::Time,
        })
    });
    Some(Panel {
        title: plot.title.as_deref(),
        unit,
        factor,
        curves: variables.iter().enumerate().filter_map(labelled).collect(),
        low: false,
        along,
    })
}

/// Symbol and factor of the unit for displaying values of a variable.
fn shown<'a>(wanted: &'a Option<String>, variable: &PlotVariable) -> (&'a str, f64) {
    let wanted = wanted.as_deref().unwrap_or(variable.unit);
    // A validated model has only compatible units in plots.
    (wanted, shown_factor(wanted, variable.unit).unwrap_or(1.0))
}
