//! `ballesta groups --solve`: the positions of a model group by group, as text.

use super::plane::after;
use ballesta_files::words as text;
use ballesta_run::groups::solution::{Solution, SolvedGroup, Value};

/// Digits of values.
const DIGITS: usize = 12;

/// The page as text, without its title.
pub fn page(solution: &Solution) -> String {
    let mut page = format!("Positions at t = {} s, group by group\n", text::short(solution.time, 9));
    for group in &solution.groups {
        page +=
            &format!("\nGroup {}: {}; after {}\n", group.number, group.bodies.join(", "), after(&group.predecessors));
        page += &text::table(&rows(group));
        if !group.unknowns.is_empty() {
            page += &format!(
                "  {}, condition {}, residual {} m\n",
                text::count(group.iterations, "iteration"),
                text::short(group.condition, 4),
                text::short(group.residual, 2)
            );
        }
    }
    page += &format!("\nLargest gap of all closure equations: {} m\n", text::short(solution.gap, 2));
    let difference = text::short(solution.difference, 2);
    page + &format!("Largest difference from the assembly of `ballesta run`: {difference} rad or m\n")
}

/// Coordinates with their values, then equations.
fn rows(group: &SolvedGroup) -> Vec<Vec<String>> {
    let first = |index: usize, word: &str| if index == 0 { word.to_string() } else { String::new() };
    let mut rows = Vec::new();
    for (word, values) in [("given", &group.given), ("unknown", &group.unknowns)] {
        for (index, Value { coordinate, value, unit }) in values.iter().enumerate() {
            let value = format!("{} {unit}", text::short(*value, DIGITS));
            rows.push(vec![first(index, word), coordinate.clone(), value.trim_end().to_string()]);
        }
    }
    for (index, equation) in group.equations.iter().enumerate() {
        rows.push(vec![first(index, "equation"), equation.constraint.clone(), equation.equation.clone()]);
    }
    for (index, redundant) in group.redundant.iter().enumerate() {
        let equations = text::count(redundant.equations, "equation");
        rows.push(vec![first(index, "redundant"), redundant.constraint.clone(), equations]);
    }
    rows
}
