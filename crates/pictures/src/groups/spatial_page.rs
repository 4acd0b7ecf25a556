//! Groups of a model: the page, the diagram.

use super::diagram::{Determinacy, Diagram, Node, wrapped};
use super::plane::{after, coordinates};
use ballesta::analysis::groups::SpatialGroups;
use ballesta::system::System;
use ballesta_files::words as text;
use ballesta_run::groups::{Driven, Entry, entries};

/// The groups as text, one line each.
pub fn table(entries: &[Entry]) -> String {
    let list = |names: &[String]| if names.is_empty() { "–".to_string() } else { names.join(", ") };
    let mut rows = vec![["", "bodies", "given", "unknown", "equations", "after"].map(str::to_string).to_vec()];
    for entry in entries {
        let mut given: Vec<String> = entry.driven.iter().map(Driven::words).collect();
        if entry.elastic > 0 {
            given.push(text::count(entry.elastic, "elastic coordinate"));
        }
        let unknown = match &entry.systems[..] {
            [] => "–".to_string(),
            [only] => only.to_string(),
            several => several.iter().map(usize::to_string).collect::<Vec<_>>().join(" + "),
        };
        let equations = match entry.equations - entry.rank {
            _ if entry.equations == 0 => "–".to_string(),
            0 => entry.equations.to_string(),
            surplus => format!("{}, {surplus} redundant", entry.equations),
        };
        let number = entry.number.to_string();
        rows.push(vec![number, list(&entry.bodies), list(&given), unknown, equations, after(&entry.predecessors)]);
    }
    format!("\nStructural groups\n{}", text::table(&rows))
}

/// The groups as text, and a note if counting is misleading.
pub fn page(entries: &[Entry], idle: &[(String, usize)]) -> String {
    let mut page = table(entries);
    page += &coordinates(entries.iter().map(|entry| (entry.number, entry.coordinates)));
    for entry in entries {
        if !entry.redundant.is_empty() {
            let names: Vec<&str> = entry.redundant.iter().map(|redundant| redundant.constraint.as_str()).collect();
            page += &format!(
                "  group {}: mobility {} by counting, {} by the rank of the Jacobian; redundant equations in {}\n",
                entry.number,
                entry.counted_mobility,
                entry.mobility,
                names.join(", ")
            );
        }
        if entry.singular_at_start {
            page += &format!("  group {}: the assembled position is singular\n", entry.number);
        }
    }
    for (constraint, equations) in idle {
        page += &format!("  {constraint}: {}, between bodies that cannot move\n", text::count(*equations, "equation"));
    }
    page
}

/// The structural diagram.
pub fn diagram(system: &System, groups: &SpatialGroups) -> Diagram {
    let mut diagram =
        Diagram::new(system.name(), "number (bodies, given coordinates); preceding groups are positioned first", true);
    for entry in entries(groups) {
        let mut lines = wrapped(&entry.bodies, 28);
        let given: Vec<String> = entry.driven.iter().map(Driven::words).collect();
        if !given.is_empty() {
            lines.extend(wrapped(&[vec![format!("given: {}", given[0])], given[1..].to_vec()].concat(), 32));
        }
        if entry.elastic > 0 {
            lines.push(text::count(entry.elastic, "elastic coordinate"));
        }
        if entry.rank > 0 {
            lines.push(format!(
                "unknown: {}",
                entry.systems.iter().map(usize::to_string).collect::<Vec<_>>().join(" + ")
            ));
        }
        let surplus = entry.equations - entry.rank;
        if surplus > 0 {
            lines.push(text::count(surplus, "redundant equation"));
        }
        let kind = if surplus > 0 { Determinacy::Surplus } else { Determinacy::Determined };
        let title = format!("{} ({}, {})", entry.number, entry.bodies.len(), entry.mobility);
        diagram.nodes.push(Node { title, lines, kind, predecessors: entry.predecessors });
    }
    diagram
}
