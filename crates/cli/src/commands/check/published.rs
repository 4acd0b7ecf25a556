//! Counts of a publication next to the counts of the model.

use super::text;
use ballesta_run::check::published::{Comparison, Counts};

/// Section of the report.
pub fn page(comparison: &Comparison) -> String {
    let mut rows = vec![["", "published", "this model", ""].map(str::to_string).to_vec()];
    let mut row = |name: &str, cell: &dyn Fn(&Counts) -> Option<String>, remark: &str| {
        let cells = [&comparison.published, &comparison.model].map(|counts| cell(counts).unwrap_or_else(|| "–".into()));
        let [published, model] = cells;
        rows.push(vec![name.into(), published, model, remark.into()]);
    };
    let number = |value: Option<usize>| value.map(|value| value.to_string());
    row("degrees of freedom", &|counts| number(counts.dof), "");
    row(
        "bodies",
        &|counts| number(counts.bodies),
        "a tree joint with n coordinates counts as n joints with n − 1 massless bodies",
    );
    row("without mass", &|counts| number(counts.massless_bodies), "");
    row("joints", &|counts| number(counts.joints), "includes cut joints, excludes driven joints");
    row("rods", &|counts| number(counts.rods), "");
    row("driven coordinates", &|counts| number(counts.guided), "");
    row("relative coordinates", &|counts| number(counts.coordinates), "");
    let size = |counts: &Counts| Some(format!("{} × {}", counts.jacobian.rows?, counts.jacobian.columns?));
    row("Jacobian", &size, "closure equations × dependent coordinates");
    row("its rank", &|counts| number(counts.jacobian.rank), "");
    let redundant =
        |counts: &Counts| number(counts.jacobian.rows.zip(counts.jacobian.columns).map(|(r, c)| r.saturating_sub(c)));
    row("redundant equations", &redundant, "");
    let percent = |share: f64| format!("{} %", text::short(100.0 * share, 3));
    row("its density", &|counts| counts.jacobian.density.map(percent), "at the start");
    let by_structure = |counts: &Counts| counts.jacobian.density_by_structure.map(percent);
    row("by structure", &by_structure, "nonzero for every coordinate in the loop of an equation");
    format!("\nCompared with {}\n{}", comparison.source, text::table(&rows))
}
