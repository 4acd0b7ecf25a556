//! Groups of a plane chain, from its adjacency matrix: the page, the JSON object, the diagram.

use super::diagram::{Determinacy, Diagram, Node, wrapped};
use ballesta::topology::groups::plane_coordinates::Sizes;
use ballesta::topology::groups::{Adjacency, Group, Structure};
use ballesta_files::words as text;
use ballesta_run::adjacency::Chain;
use ballesta_run::groups::{Coordinates, Size};
use serde::Serialize;
use std::path::Path;

/// The object of `groups --json` for an adjacency matrix.
#[derive(Serialize)]
pub struct PlaneReport {
    model: String,
    kind: &'static str,
    links: Vec<String>,
    ground: String,
    pairs: usize,
    mobility: isize,
    inputs: usize,
    determined: bool,
    groups: Vec<Entry>,
    /// First row: the group of every link. Row j: links that receive freedom from link j. First column: links that
    /// receive freedom from the ground.
    results: Vec<Vec<usize>>,
    /// Giver and receiver, in order.
    handed: Vec<[String; 2]>,
}

#[derive(Serialize)]
struct Entry {
    number: usize,
    links: Vec<String>,
    pairs: Vec<[String; 2]>,
    outer: Vec<[String; 2]>,
    driven: Vec<[String; 2]>,
    freedom: usize,
    inputs: usize,
    mobility: isize,
    /// Number of equations minus number of unknowns. Positive: over-constrained; negative: at least this number of
    /// inputs is missing.
    excess: isize,
    /// Equations that follow from others, or contradict them.
    redundant: usize,
    predecessors: Vec<usize>,
    missing: Vec<[String; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    coordinates: Option<Coordinates>,
}

struct Names<'a>(&'a Chain, &'a Adjacency);

impl Names<'_> {
    fn links(&self, links: &[usize]) -> Vec<String> {
        links.iter().map(|&link| self.0.links[link].clone()).collect()
    }

    fn both(&self, pairs: &[usize]) -> Vec<[String; 2]> {
        pairs.iter().map(|&pair| self.1.pairs[pair].links.map(|link| self.0.links[link].clone())).collect()
    }

    fn pairs(&self, pairs: &[usize]) -> Vec<String> {
        self.both(pairs).into_iter().map(|names| names.join("–")).collect()
    }
}

/// The complete object as JSON; `sizes` of all groups on request.
pub fn findings(chain: &Chain, adjacency: &Adjacency, structure: &Structure, sizes: &[Sizes]) -> PlaneReport {
    let names = Names(chain, adjacency);
    // Each group with its pairs, its freedom and the groups that it depends on.
    let entry = |(index, group): (usize, &Group)| Entry {
        number: index + 1,
        links: names.links(&group.links),
        pairs: names.both(&group.pairs),
        outer: names.both(&group.outer),
        driven: names.both(&group.driven),
        freedom: group.freedom,
        inputs: group.inputs,
        mobility: group.mobility(),
        excess: group.excess(),
        redundant: group.redundant,
        predecessors: group.predecessors.clone(),
        missing: names.both(&group.missing),
        coordinates: sizes.get(index).map(|sizes| (*sizes).into()),
    };
    // Data of the whole chain.
    PlaneReport {
        model: chain.name.clone(),
        kind: "plane",
        links: chain.links.clone(),
        ground: chain.links[adjacency.ground].clone(),
        pairs: adjacency.pairs.len(),
        mobility: structure.mobility,
        inputs: structure.inputs,
        determined: structure.is_determined(),
        groups: structure.groups.iter().enumerate().map(entry).collect(),
        results: structure.results(adjacency.links, adjacency.ground),
        handed: structure.handed.iter().map(|&(a, b)| [a, b].map(|link| chain.links[link].clone())).collect(),
    }
}

/// The page as text; `sizes` of all groups on request.
pub fn page(file: &Path, chain: &Chain, adjacency: &Adjacency, structure: &Structure, sizes: &[Sizes]) -> String {
    // Name and description.
    let names = Names(chain, adjacency);
    let mut page = format!("{}  ({})\n", chain.name, file.display());
    if !chain.description.trim().is_empty() {
        page += &format!("{}\n", chain.description.trim());
    }
    // Links, lower and higher pairs, and mobility of the chain.
    let higher = adjacency.pairs.iter().filter(|pair| pair.freedom == 2).count();
    let row = |name: &str, number: String, remark: String| vec![name.to_string(), number, remark];
    page += "\nChain\n";
    page += &text::table(&[
        row("links", adjacency.links.to_string(), format!("{} is the ground", chain.links[adjacency.ground])),
        row(
            "pairs",
            adjacency.pairs.len().to_string(),
            format!("{} lower, {higher} higher", adjacency.pairs.len() - higher),
        ),
        row("mobility", structure.mobility.to_string(), text::count(structure.inputs, "input")),
    ]);
    // Groups in the order of their solution.
    page += "\nGroups (N_m links, mobility L_c)\n";
    let list = |names: Vec<String>| if names.is_empty() { "none".to_string() } else { names.join(", ") };
    let mut rows = vec![["", "links", "(N_m, L_c)", "inputs", "outer pairs", "after"].map(str::to_string).to_vec()];
    for (index, group) in structure.groups.iter().enumerate() {
        rows.push(vec![
            (index + 1).to_string(),
            list(names.links(&group.links)),
            format!("({}, {})", group.links.len(), group.mobility()),
            list(names.pairs(&group.driven)),
            list(names.pairs(&group.outer)),
            after(&group.predecessors),
        ]);
    }
    page += &text::table(&rows);
    page += &coordinates(sizes.iter().enumerate().map(|(index, sizes)| (index + 1, Some((*sizes).into()))));
    // Groups that the inputs do not determine.
    for (index, group) in structure.groups.iter().enumerate().filter(|(_, group)| !group.is_determined()) {
        page += &format!("\n{}\n", verdict(index + 1, group, &names));
    }
    // The results matrix of the paper: group of each link and transfer of freedom between links.
    page += "\nResults matrix\n";
    page += &matrix(chain, &structure.results(adjacency.links, adjacency.ground), adjacency.ground);
    page
}

/// Unknowns and equations of groups in three kinds of coordinates; empty if no group has any.
pub fn coordinates(groups: impl Iterator<Item = (usize, Option<Coordinates>)>) -> String {
    let mut rows = vec![["", "relative", "natural", "reference point"].map(str::to_string).to_vec()];
    for (number, Coordinates { relative, natural, reference_point }) in groups.filter_map(|(n, c)| Some((n, c?))) {
        let size = |size: Size| format!("{}, {}", size.unknowns, size.equations);
        rows.push(vec![number.to_string(), size(relative), size(natural), size(reference_point)]);
    }
    if rows.len() > 1 { format!("\nUnknowns, equations by coordinates\n{}", text::table(&rows)) } else { String::new() }
}

/// Groups from which a group receives freedom.
pub fn after(predecessors: &[usize]) -> String {
    let name = |number: &usize| if *number == 0 { "ground".to_string() } else { number.to_string() };
    predecessors.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// The fault of a group that is not determined, and the remedy.
fn verdict(number: usize, group: &Group, names: &Names) -> String {
    let links = names.links(&group.links).join(", ");
    // Excess equations without missing inputs.
    let lacking = group.lacking();
    let equations = text::count(group.redundant, "equation");
    if lacking == 0 {
        let inputs = match names.pairs(&group.driven) {
            none if none.is_empty() => "an input of a preceding group".to_string(),
            driven => format!("an input, of this group ({}) or of a preceding one", driven.join(", ")),
        };
        return format!(
            "Group {number} is over-constrained: {equations} too many for {links}; free a pair or remove {inputs}"
        );
    }
    // Missing inputs, and the pairs where they are possible.
    let enough = if group.missing.len() < lacking { "; its pairs do not have enough freedoms for them" } else { "" };
    let possible = match names.pairs(&group.missing) {
        none if none.is_empty() => String::new(),
        pairs => format!(", possible at {}", pairs.join(", ")),
    };
    let inputs = text::count(lacking, "input");
    let missing = format!("{inputs} missing for {links}{possible}{enough}");
    // Both faults at once: equations are redundant while motions remain free.
    if group.redundant == 0 {
        return format!("Group {number} is under-determined: {missing}");
    }
    let removal = match names.pairs(&group.driven) {
        none if none.is_empty() => String::new(),
        driven => format!("; remove as many of {}", driven.join(", ")),
    };
    format!(
        "Group {number} is under-determined and internally over-constrained: {missing}; {equations} too many among \
         links that can move as one body{removal}"
    )
}

/// The matrix with the names of the links; the ground comes first, as in the paper.
fn matrix(chain: &Chain, results: &[Vec<usize>], ground: usize) -> String {
    let mut order: Vec<usize> = (0..results.len()).collect();
    order.swap(0, ground);
    let header = std::iter::once(String::new()).chain(order.iter().map(|&link| chain.links[link].clone()));
    let mut rows = vec![header.collect::<Vec<_>>()];
    for (index, row) in results.iter().enumerate() {
        let name = if index == 0 { "group".to_string() } else { chain.links[order[index]].clone() };
        rows.push(std::iter::once(name).chain(row.iter().map(usize::to_string)).collect());
    }
    text::table(&rows)
}

/// The structural diagram.
pub fn diagram(chain: &Chain, adjacency: &Adjacency, structure: &Structure) -> Diagram {
    let names = Names(chain, adjacency);
    let mut diagram = Diagram::new(&chain.name, "number (links, mobility); arrows: transfer of freedom", false);
    for (index, group) in structure.groups.iter().enumerate() {
        let mut lines = wrapped(&names.links(&group.links), 26);
        if !group.driven.is_empty() {
            lines.extend(wrapped(&[format!("input {}", names.pairs(&group.driven).join(", "))], 26));
        }
        let (surplus, lacking) = (group.redundant, group.lacking());
        let kind = match (surplus, lacking) {
            (0, 0) => Determinacy::Determined,
            (0, _) => Determinacy::Lacking,
            _ => Determinacy::Surplus,
        };
        if surplus > 0 {
            lines.push(format!("{} too many", text::count(surplus, "equation")));
        }
        if lacking > 0 {
            lines.push(format!("{} missing", text::count(lacking, "input")));
        }
        let title = format!("{} ({}, {})", index + 1, group.links.len(), group.mobility());
        diagram.nodes.push(Node { title, lines, kind, predecessors: group.predecessors.clone() });
    }
    diagram
}
