//! Groups of a model: the page, the JSON objects, the diagram.

use super::diagram::{Determinacy, Diagram, Node, wrapped};
use super::plane::after;
use ballesta::analysis::groups::{SpatialGroup, SpatialGroups};
use ballesta::system::System;
use ballesta_experiment::words as text;
use serde::Serialize;

/// The object of `groups --json` for a model.
#[derive(Serialize)]
pub struct Findings {
    model: String,
    kind: &'static str,
    groups: Vec<Entry>,
    /// Constraints between bodies that cannot move.
    idle: Vec<Redundant>,
}

/// A group, in `groups --json` and `check --json`.
#[derive(Serialize)]
pub struct Entry {
    number: usize,
    bodies: Vec<String>,
    joints: Vec<String>,
    loops: Vec<String>,
    unknowns: Vec<String>,
    driven: Vec<Driven>,
    elastic: usize,
    equations: usize,
    rank: usize,
    redundant: Vec<Redundant>,
    /// Coordinates less equations.
    counted_mobility: isize,
    /// Coordinates less rank.
    mobility: usize,
    singular_at_start: bool,
    /// Unknowns of the systems that are solved one after the other.
    systems: Vec<usize>,
    /// 0 is the ground.
    predecessors: Vec<usize>,
}

#[derive(Serialize)]
struct Driven {
    joint: String,
    coordinates: usize,
    guided: bool,
}

#[derive(Serialize)]
struct Redundant {
    constraint: String,
    equations: usize,
}

fn redundant(list: &[(String, usize)]) -> Vec<Redundant> {
    list.iter()
        .map(|(constraint, equations)| Redundant { constraint: constraint.clone(), equations: *equations })
        .collect()
}

/// The groups for JSON.
pub fn entries(groups: &SpatialGroups) -> Vec<Entry> {
    let entry = |(index, group): (usize, &SpatialGroup)| Entry {
        number: index + 1,
        bodies: group.bodies.clone(),
        joints: group.joints.clone(),
        loops: group.loops.clone(),
        unknowns: group.unknowns.clone(),
        driven: group
            .driven
            .iter()
            .map(|driven| Driven {
                joint: driven.joint.clone(),
                coordinates: driven.coordinates,
                guided: driven.guided,
            })
            .collect(),
        elastic: group.elastic,
        equations: group.equations,
        rank: group.unknowns.len(),
        redundant: redundant(&group.redundant),
        counted_mobility: group.counted(),
        mobility: group.given(),
        singular_at_start: group.rank_at_start < group.unknowns.len(),
        systems: group.systems.clone(),
        predecessors: group.predecessors.clone(),
    };
    groups.groups.iter().enumerate().map(entry).collect()
}

/// Everything as JSON.
pub fn findings(system: &System, groups: &SpatialGroups) -> Findings {
    let model = system.name().to_string();
    Findings { model, kind: "spatial", groups: entries(groups), idle: redundant(&groups.idle) }
}

/// The groups as text, a line each.
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

/// The groups as text, and where counting misleads.
pub fn page(entries: &[Entry], idle: &[(String, usize)]) -> String {
    let mut page = table(entries);
    for entry in entries {
        if !entry.redundant.is_empty() {
            let names: Vec<&str> = entry.redundant.iter().map(|redundant| redundant.constraint.as_str()).collect();
            page += &format!(
                "  group {}: counting gives mobility {}, the rank of the Jacobian {}; redundant are equations of {}\n",
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

impl Driven {
    fn words(&self) -> String {
        let count = if self.coordinates > 1 { format!(" ({})", self.coordinates) } else { String::new() };
        format!("{}{count}{}", self.joint, if self.guided { " guided" } else { "" })
    }
}

/// The structural diagram.
pub fn diagram(system: &System, groups: &SpatialGroups) -> Diagram {
    let mut diagram =
        Diagram::new(system.name(), "number (bodies, given coordinates); what comes before is placed first", true);
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
