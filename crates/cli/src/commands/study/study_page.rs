//! The page of a result. It shows rank correlations of all kept values with all factors. Every kept value has a
//! histogram, a tornado chart and scatter plots. Tables of numbers follow.

use super::correlation::spearman;
use crate::text;
use ballesta_pictures::chart::{self, Along, MAX_POINTS};
use ballesta_pictures::template;
use ballesta_study::{Status, Table};
use quick_xml::escape::escape;

const FRAME: &str = include_str!("report.html");
/// Largest number of scatter plots per kept value, for the factors with the largest rank correlations.
const MAX_SCATTER_PLOTS: usize = 12;
/// Largest number of kept values with charts; the table has all.
const MAX_CHARTED_VALUES: usize = 60;

/// Explanation of rank correlations.
const NOTE: &str = "Numbers and bars are Spearman's rank correlations of the value with each factor, over the \
    runs that have the value: 1 if the value always \
rises with the factor, −1 if it always falls, near 0 if it does neither. They detect monotonic dependence only: a \
value that falls and then rises again, or that depends on the combination of two factors, may show 0. They do not \
measure the size of a change, and they do not separate factors that were not varied independently. With n runs, about \
1 in 20 bars of a factor without influence is longer than 2/√n.";

/// The page.
pub fn page(table: &Table) -> String {
    // Heading with model, description and counts of the results.
    let facts = &table.facts;
    let title = format!("{}: {}", facts.model, text::count(facts.runs as usize, "run"));
    let title = escape(&title).into_owned();
    let mut body = format!("<h1>{title}</h1>\n");
    if !facts.description.is_empty() {
        body += &format!("<p class=\"note\">{}</p>\n", escape(&facts.description));
    }
    body += &format!("<p>{}</p>\n", escape(counts(table)));
    // The first columns of the table are factors, the others are kept values.
    let (factors, kept) = table.columns.split_at(facts.factors.len());
    body += &overview(factors, kept);
    body += "<div class=\"values\">\n";
    for (index, value) in kept.iter().enumerate().take(MAX_CHARTED_VALUES) {
        body += &of_value(table, index, value, factors);
    }
    body += "</div>\n";
    if kept.len() > MAX_CHARTED_VALUES {
        body += &format!(
            "<p>Charts of the first {MAX_CHARTED_VALUES} of {} values; the table lists all values.</p>\n",
            kept.len()
        );
    }
    // Statistics of factors and kept values.
    body += "<div class=\"tables\"><section>\n<h2>Factors</h2>\n";
    body += &numbers(table, factors);
    body += "</section><section>\n<h2>Kept values</h2>\n";
    body += &numbers(table, kept);
    body += "</section></div>\n";
    // The last line identifies the study, so that the result can be reproduced.
    let sampling = facts.sampling.map(|sampling| {
        let name =
            serde_json::to_value(sampling).ok().and_then(|value| value.as_str().map(|word| word.replace('_', " ")));
        format!("; sampling: {}, seed {}", name.unwrap_or_default(), facts.seed.unwrap_or_default())
    });
    let end = format!(
        "{} s to {} s in steps of {} s{}; ballesta {}; study {}",
        facts.start_s,
        facts.stop_s,
        facts.step_s,
        sampling.unwrap_or_default(),
        facts.ballesta,
        facts.hash
    );
    body += &format!("<p>{}</p>\n", escape(&end));
    template::fill(FRAME, |word, page| page.push_str(if word == "title" { &title } else { &body }))
}

/// Rank correlations, one linked row per value with charts; empty without factors.
fn overview(factors: &[(String, Vec<f64>)], kept: &[(String, Vec<f64>)]) -> String {
    if factors.is_empty() || kept.is_empty() {
        return String::new();
    }
    let mut html = String::from("<h2>Correlations</h2>\n<div class=\"wide\"><table class=\"heat\"><tr><th></th>");
    for (factor, _) in factors {
        html += &format!("<th class=\"n\">{}</th>", escape(factor));
    }
    html += "</tr>\n";
    for (index, (name, values)) in kept.iter().enumerate().take(MAX_CHARTED_VALUES) {
        html += &format!("<tr><td><a href=\"#v{index}\">{}</a></td>", escape(name));
        let there: Vec<usize> = (0..values.len()).filter(|run| !values[*run].is_nan()).collect();
        let pick = |column: &[f64]| there.iter().map(|run| column[*run]).collect::<Vec<f64>>();
        let ys = pick(values);
        for (_, column) in factors {
            html += &match spearman(&pick(column), &ys) {
                None => "<td class=\"n\">–</td>".to_string(),
                Some(correlation) => {
                    let sign = if correlation < 0.0 { "falling" } else { "rising" };
                    let shown = format!("{correlation:.2}").replace('-', "−");
                    let strength = (100.0 * correlation.abs()).round();
                    format!("<td class=\"n {sign}\" style=\"--strength: {strength}%\">{shown}</td>")
                }
            };
        }
        html += "</tr>\n";
    }
    html + &format!("</table></div>\n<p class=\"note\">{}</p>\n", escape(NOTE))
}

/// Number of runs by status.
fn counts(table: &Table) -> String {
    let count = |status: Status| table.statuses.iter().filter(|word| *word == status.word()).count();
    let all = Status::ALL.into_iter().map(|status| (count(status), status)).filter(|(count, _)| *count > 0);
    let text = all.map(|(count, status)| format!("{count} {}", status.word())).collect::<Vec<_>>().join(", ");
    format!("{text}. Runs that did not complete have no values and do not appear in charts.")
}

/// Table of columns: number of values, smallest, mean, largest.
fn numbers(table: &Table, columns: &[(String, Vec<f64>)]) -> String {
    let mut html = String::from(
        "<table><tr><th>column</th><th>unit</th><th class=\"n\">runs</th><th class=\"n\">smallest</th><th \
         class=\"n\">mean</th>\
         <th class=\"n\">median</th><th class=\"n\">largest</th></tr>\n",
    );
    for (name, values) in columns {
        let mut there: Vec<f64> = values.iter().copied().filter(|value| !value.is_nan()).collect();
        there.sort_by(f64::total_cmp);
        let unit = table.units.get(name).map_or("", String::as_str);
        html += &format!("<tr><td>{}</td><td>{}</td><td class=\"n\">{}</td>", escape(name), escape(unit), there.len());
        let middle = there.len() / 2;
        let cells = match there.is_empty() {
            true => [f64::NAN; 4],
            false => [
                there[0],
                there.iter().sum::<f64>() / there.len() as f64,
                if there.len() % 2 == 1 { there[middle] } else { 0.5 * (there[middle - 1] + there[middle]) },
                there[there.len() - 1],
            ],
        };
        for cell in cells {
            let shown = if cell.is_nan() { "–".to_string() } else { text::short(cell, 5).replace('-', "−") };
            html += &format!("<td class=\"n\">{shown}</td>");
        }
        html += "</tr>\n";
    }
    html + "</table>\n"
}

/// The charts of one kept value.
fn of_value(table: &Table, index: usize, value: &(String, Vec<f64>), factors: &[(String, Vec<f64>)]) -> String {
    let (name, values) = value;
    let there: Vec<usize> = (0..values.len()).filter(|run| !values[*run].is_nan()).collect();
    let pick = |column: &[f64]| there.iter().map(|run| column[*run]).collect::<Vec<f64>>();
    let ys = pick(values);
    let mut html = format!("<section>\n<h2 id=\"v{index}\">{}</h2>\n", escape(name));
    if ys.is_empty() {
        return html + "<p>No run has this value.</p>\n</section>\n";
    }
    let unit = |name: &str| table.units.get(name).map_or("", String::as_str);
    let along = |name: &'_ str| -> (String, String) { (name.to_string(), unit(name).to_string()) };
    let mut rated: Vec<(&str, Vec<f64>, Option<f64>)> = factors
        .iter()
        .map(|(factor, column)| {
            let xs = pick(column);
            let correlation = spearman(&xs, &ys);
            (factor.as_str(), xs, correlation)
        })
        .collect();
    // Strongest first; undefined values last.
    rated.sort_by(|a, b| b.2.map_or(-1.0, f64::abs).total_cmp(&a.2.map_or(-1.0, f64::abs)));
    let bars: Vec<(&str, Option<f64>)> = rated.iter().map(|(name, _, correlation)| (*name, *correlation)).collect();
    let (own_name, own_unit) = along(name);
    let own = Along { name: &own_name, unit: &own_unit };
    html += &format!("<p>{} of {} runs. ", ys.len(), values.len());
    if ys.len() > MAX_POINTS {
        html += &format!("Scatter plots show every {}th. ", ys.len().div_ceil(MAX_POINTS));
    }
    html += &format!(
        "A bar beyond ±{} is unlikely to be chance.</p>\n<div class=\"charts\">\n",
        text::short(2.0 / (ys.len() as f64).sqrt(), 2)
    );
    html += &chart::histogram(&own, &ys);
    html += &chart::tornado(&bars);
    for (factor, xs, _) in rated.iter().take(MAX_SCATTER_PLOTS) {
        html += &chart::scatter(&Along { name: factor, unit: unit(factor) }, &own, xs, &ys);
    }
    html += "</div>\n";
    if rated.len() > MAX_SCATTER_PLOTS {
        html += &format!("<p>Scatter plots of the {MAX_SCATTER_PLOTS} strongest of {} factors.</p>\n", rated.len());
    }
    html + "</section>\n"
}
