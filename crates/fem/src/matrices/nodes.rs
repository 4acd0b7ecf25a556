//! Nodes with their positions, and named sets of them: CSV, Abaqus and CalculiX decks, Nastran bulk data.

use super::data_lines::{Field, Line, Lines};
use super::nastran;
use ballesta::document::Diagnostic;
use ballesta::math::Vec3;
use std::collections::BTreeMap;

/// Nodes of a file, in its units.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeTable {
    /// Numbers, ascending.
    pub numbers: Vec<usize>,
    /// Positions, one for each number.
    pub positions: Vec<Vec3>,
    /// Indices of the nodes of each set, ascending.
    pub sets: BTreeMap<String, Vec<usize>>,
}

impl NodeTable {
    /// Index of a node number.
    pub fn index(&self, number: usize) -> Option<usize> {
        self.numbers.binary_search(&number).ok()
    }
}

/// Data collected by the readers, with numbers instead of indices, because sets may precede their nodes.
#[derive(Default)]
struct CollectedNodes {
    nodes: BTreeMap<usize, (Vec3, usize)>,
    /// (set, node or name of another set, line, column).
    members: Vec<(String, Member, usize, usize)>,
}

enum Member {
    Node(usize),
    Set(String),
}

/// Reads the nodes of a file in the format of its extension.
///
/// # Errors
/// Unknown extension; invalid nodes; duplicate nodes; undefined node sets.
pub fn read(lines: Lines) -> Result<NodeTable, Diagnostic> {
    let file = lines.file().to_string();
    let extension = file.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase()).unwrap_or_default();
    let mut collected = CollectedNodes::default();
    let lines = match extension.as_str() {
        "csv" => csv(lines, &mut collected)?,
        "inp" => deck(lines, &mut collected)?,
        "bdf" | "dat" | "nas" | "fem" => bulk(lines, &mut collected)?,
        _ => {
            let expected = "name a .csv, an .inp (Abaqus, CalculiX) or a .bdf, .dat, .nas or .fem (Nastran) file";
            return Err(super::data_lines::complaint(
                &file,
                (0, 0),
                format!("unknown kind of file `.{extension}`"),
                expected,
            ));
        }
    };
    if collected.nodes.is_empty() {
        return Err(lines.at_end("the file has no nodes", "give the file with the node coordinates"));
    }
    collected.finish(&file)
}

impl CollectedNodes {
    fn add(&mut self, number: Field<'_>, position: [Field<'_>; 3]) -> Result<usize, Diagnostic> {
        let [x, y, z] = [position[0].number()?, position[1].number()?, position[2].number()?];
        let node = number.node()?;
        if let Some((_, line)) = self.nodes.insert(node, (Vec3::new(x, y, z), number.line.number)) {
            let found = format!("duplicate node {node}, first in line {line}");
            return Err(number.complain(found, "define each node once"));
        }
        Ok(node)
    }

    fn finish(self, file: &str) -> Result<NodeTable, Diagnostic> {
        // Nodes sorted by number, so that an index can be found by bisection.
        let mut table = NodeTable {
            numbers: self.nodes.keys().copied().collect(),
            positions: self.nodes.values().map(|(position, _)| *position).collect(),
            sets: BTreeMap::new(),
        };
        // Sets can contain nodes and earlier sets.
        for (set, member, line, column) in self.members {
            let unknown = |what: String| {
                let found = format!("set {set} has {what}");
                Err(super::data_lines::complaint(
                    file,
                    (line, column),
                    found,
                    "correct the set, or add the missing definition",
                ))
            };
            let added = match member {
                Member::Node(number) => match table.index(number) {
                    Some(index) => vec![index],
                    None => return unknown(format!("the undefined node {number}")),
                },
                Member::Set(name) => match table.sets.get(&name) {
                    Some(indices) => indices.clone(),
                    None => return unknown(format!("the set {name}, which is not defined before")),
                },
            };
            table.sets.entry(set).or_default().extend(added);
        }
        // Overlapping sets must not contain a node twice.
        for indices in table.sets.values_mut() {
            indices.sort_unstable();
            indices.dedup();
        }
        Ok(table)
    }
}

/// `node, x, y, z` and optional names of sets; the first line may be a heading.
fn csv(mut lines: Lines, collected: &mut CollectedNodes) -> Result<Lines, Diagnostic> {
    while let Some(line) = lines.next()? {
        let cells: Vec<Field<'_>> = line.cells().collect();
        let heading = cells[0].text.starts_with(|c: char| c.is_alphabetic()) && collected.nodes.is_empty();
        if line.text.trim().is_empty() || line.text.starts_with('#') || heading {
            continue;
        }
        let [number, x, y, z, sets @ ..] = cells.as_slice() else {
            return Err(line.complain(0, format!("found {} columns", cells.len()), "write `node, x, y, z`"));
        };
        let node = collected.add(*number, [*x, *y, *z])?;
        for set in sets.iter().flat_map(|cell| cell.text.split_whitespace()) {
            collected.members.push((set.to_string(), Member::Node(node), line.number, 1));
        }
    }
    Ok(lines)
}

/// Meaning of the data lines after a keyword of a deck.
enum Block {
    Nodes { set: Option<String> },
    Set { name: String, generate: bool },
    Part,
    Instance,
    Other,
}

/// `*NODE` and `*NSET` of an Abaqus or CalculiX deck; other keywords are skipped. Node numbers are unique within a
/// part, so a deck may have only one part, with one instance at the position of the part.
fn deck(mut lines: Lines, collected: &mut CollectedNodes) -> Result<Lines, Diagnostic> {
    let mut block = Block::Other;
    let (mut parts, mut instances) = (0, 0);
    while let Some(line) = lines.next()? {
        let text = line.text.trim();
        if text.is_empty() || text.starts_with("**") {
            continue;
        }
        if text.starts_with('*') {
            block = keyword(line)?;
            let (what, count) = match block {
                Block::Part => ("part", &mut parts),
                Block::Instance => ("instance", &mut instances),
                _ => continue,
            };
            *count += 1;
            if *count > 1 {
                let found = format!("found a second {what}: node numbers of parts may coincide");
                return Err(line.complain(0, found, "export one part with one instance, or a flat deck"));
            }
            continue;
        }
        let cells: Vec<Field<'_>> = line.cells().filter(|cell| !cell.text.is_empty()).collect();
        match &block {
            Block::Nodes { set } => {
                // Missing coordinates are zero.
                let zero = Field { line, offset: 0, text: "0" };
                let at = |i: usize| cells.get(i).copied().unwrap_or(zero);
                let node = collected.add(at(0), [at(1), at(2), at(3)])?;
                if let Some(set) = set {
                    collected.members.push((set.clone(), Member::Node(node), line.number, 1));
                }
            }
            Block::Set { name, generate } => set_members(name, *generate, &cells, collected)?,
            Block::Instance => {
                for cell in &cells {
                    if cell.number()? != 0.0 {
                        let found = "the instance is translated or rotated relative to its part";
                        return Err(cell.complain(
                            found,
                            "export the part at its final position, without translation and rotation",
                        ));
                    }
                }
            }
            Block::Part | Block::Other => {}
        }
    }
    Ok(lines)
}

fn keyword(line: Line<'_>) -> Result<Block, Diagnostic> {
    let cells: Vec<Field<'_>> = line.cells().collect();
    let parameter = |name: &str| {
        cells[1..].iter().find_map(|cell| {
            let (key, value) = cell.text.split_once('=').unwrap_or((cell.text, ""));
            key.trim().eq_ignore_ascii_case(name).then(|| set_name(value))
        })
    };
    let name = cells[0].text.to_ascii_uppercase();
    match name.split_whitespace().collect::<Vec<_>>().concat().as_str() {
        "*NODE" if parameter("SYSTEM").is_some_and(|system| system != "R") => {
            Err(line.complain(0, "found nodes in cylindrical or spherical coordinates", "export them in x, y, z"))
        }
        "*NODE" => Ok(Block::Nodes { set: parameter("NSET") }),
        "*NSET" => match parameter("NSET") {
            Some(name) => Ok(Block::Set { name, generate: parameter("GENERATE").is_some() }),
            None => Err(line.complain(0, "found a set without a name", "write `*NSET, NSET=name`")),
        },
        "*PART" => Ok(Block::Part),
        "*INSTANCE" => Ok(Block::Instance),
        "*SYSTEM" => {
            let expected = "export all nodes in the global system";
            Err(line.complain(0, format!("found {name}: the following nodes are not in the global system"), expected))
        }
        _ => Ok(Block::Other),
    }
}

/// Names of sets are case-insensitive.
fn set_name(text: &str) -> String {
    text.trim().trim_matches('"').to_ascii_uppercase()
}

fn set_members(
    name: &str,
    generate: bool,
    cells: &[Field<'_>],
    collected: &mut CollectedNodes,
) -> Result<(), Diagnostic> {
    // Positions are kept for messages about members that do not exist.
    let mut add = |member: Member, cell: &Field<'_>| {
        collected.members.push((name.to_string(), member, cell.line.number, cell.offset + 1));
    };
    // GENERATE: first, last and increment.
    if generate {
        let [first, last, step @ ..] = cells else {
            return cells
                .first()
                .map_or(Ok(()), |cell| Err(cell.complain("found one number", "write first, last, step")));
        };
        let step_size = step.first().map_or(Ok(1), |step| step.positive("the step"))?;
        let (from, to) = (first.node()?, last.node()?);
        if to < from || to - from > 100_000_000 {
            return Err(last.complain(format!("found {from} to {to}"), "write first, last, step with first ≤ last"));
        }
        (from..=to).step_by(step_size).for_each(|node| add(Member::Node(node), first));
        return Ok(());
    }
    // Otherwise each cell is a node number or the name of a set.
    for cell in cells {
        if cell.text.starts_with(|c: char| c.is_alphabetic() || c == '"') {
            add(Member::Set(set_name(cell.text)), cell);
        } else {
            add(Member::Node(cell.node()?), cell);
        }
    }
    Ok(())
}

/// Coordinate systems of nodes that name none: the GRDSET card may be anywhere in the file.
#[derive(Default)]
struct GridDefaults {
    /// Systems of position and displacement of a GRDSET card, if not the basic one, and its line and column.
    card: Option<([Option<String>; 2], usize, usize)>,
    /// The first node without its own coordinate system, for position and for displacement.
    without: [Option<String>; 2],
}

impl GridDefaults {
    /// Reads the fields of a GRDSET card: the fields of GRID without number and position.
    fn take(&mut self, fields: &[Field<'_>], line: Line<'_>) -> Result<(), Diagnostic> {
        if let Some((_, first, _)) = self.card {
            let found = format!("duplicate GRDSET card, first in line {first}");
            return Err(line.complain(0, found, "write one GRDSET card"));
        }
        let system = |k: usize| fields.get(k).map(|field| field.text).filter(|text| !is_basic(text));
        let systems = [1, 5].map(|k| system(k).map(str::to_string));
        self.card = Some((systems, line.number, fields.first().map_or(1, |field| field.offset + 1)));
        Ok(())
    }

    /// Rejects nodes with a coordinate system other than the basic system.
    fn check(&self, file: &str) -> Result<(), Diagnostic> {
        let Some((systems, line, column)) = &self.card else { return Ok(()) };
        for (system, node) in systems.iter().zip(&self.without) {
            if let (Some(system), Some(node)) = (system, node) {
                let found = format!("GRDSET puts node {node} in the coordinate system {system}");
                let expected = "export nodes and matrices in the basic system (0)";
                return Err(super::data_lines::complaint(file, (*line, *column), found, expected));
            }
        }
        Ok(())
    }
}

/// Whether a field of a card is empty or names the basic coordinate system.
fn is_basic(system: &str) -> bool {
    matches!(system, "" | "0")
}

/// GRID and GRDSET cards of Nastran bulk data; other cards are skipped.
fn bulk(mut lines: Lines, collected: &mut CollectedNodes) -> Result<Lines, Diagnostic> {
    // Name and fields of a card in long form that continues in the next line, and its first line.
    let mut begun: Option<(usize, String)> = None;
    let mut defaults = GridDefaults::default();
    while let Some(line) = lines.next()? {
        // Both halves of a long card are joined as text, so positions are still relative to the start of the line.
        let joined = match begun.take() {
            Some((_, first)) if line.text.starts_with(['*', '+', ' ', ',']) => {
                let cells = nastran::card(line).map(|(_, fields)| fields).unwrap_or_default();
                let rest = cells.iter().map(|field| field.text).collect::<Vec<_>>().join(",");
                format!("{first},{rest}")
            }
            Some((number, _)) => {
                let found = format!("the card in line {number} has no z coordinate: the continuation is missing");
                return Err(line.complain(0, found, "add the second half of the GRID* card"));
            }
            None => match nastran::card(line) {
                Some((name, fields)) if GRID_CARDS.iter().any(|card| name.eq_ignore_ascii_case(card)) => {
                    if line.text.contains('*') {
                        let first = fields.iter().take(4).map(|field| field.text);
                        let all = std::iter::once(name).chain(first).collect::<Vec<_>>();
                        begun = Some((line.number, all.join(",")));
                        continue;
                    }
                    grid(name, &fields, line, collected, &mut defaults)?;
                    continue;
                }
                _ => continue,
            },
        };
        let line = Line { text: &joined, ..line };
        let cells: Vec<Field<'_>> = line.cells().collect();
        grid(cells[0].text, &cells[1..], line, collected, &mut defaults)?;
    }
    if let Some((number, _)) = begun {
        let found = format!("the file ends within the card in line {number}");
        return Err(lines.at_end(found, "add the second half of the GRID* card"));
    }
    defaults.check(lines.file())?;
    Ok(lines)
}

/// Cards about nodes.
const GRID_CARDS: [&str; 2] = ["GRID", "GRDSET"];

/// `GRID, number, system of position, x, y, z, system of displacement`; GRDSET has the same fields, three of them
/// empty.
fn grid(
    card: &str,
    fields: &[Field<'_>],
    line: Line<'_>,
    collected: &mut CollectedNodes,
    defaults: &mut GridDefaults,
) -> Result<(), Diagnostic> {
    if card.eq_ignore_ascii_case("GRDSET") {
        return defaults.take(fields, line);
    }
    let [number, place, x, y, z, rest @ ..] = fields else {
        return Err(line.complain(0, format!("found {} fields", fields.len()), "write GRID, number, system, x, y, z"));
    };
    let systems = [Some(place), rest.first()];
    for (system, first) in systems.iter().zip(&mut defaults.without) {
        if system.is_none_or(|system| system.text.is_empty()) {
            first.get_or_insert_with(|| number.text.to_string());
        }
    }
    for system in systems.into_iter().flatten() {
        if !is_basic(system.text) {
            let found = format!("node {} is in the coordinate system {}", number.text, system.text);
            return Err(system.complain(found, "export nodes and matrices in the basic system (0)"));
        }
    }
    let zero_when_empty =
        [x, y, z].map(|field| Field { text: if field.text.is_empty() { "0" } else { field.text }, ..*field });
    collected.add(*number, zero_when_empty).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bulk(text: &str) -> Result<NodeTable, Diagnostic> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("n.bdf");
        std::fs::write(&path, text).expect("writable");
        read(Lines::open(&path).expect("readable"))
    }

    #[test]
    fn nodes_without_a_coordinate_system_get_that_of_grdset() {
        let card = |form: usize, place: &str, displacement: &str| match form {
            0 => format!("GRDSET  {:>16}{:>32}{:>8}\n", place, displacement, "456"),
            1 => format!("GRDSET,,{place},,,,{displacement},456\n"),
            _ => format!("GRDSET* {:>32}{:>32}\n*       {:>32}{:>16}\n", place, "", displacement, "456"),
        };
        let node = |place: &str, displacement: &str| format!("GRID,7,{place},1.,2.,3.,{displacement}\n");
        let mut rejected = 0;
        for form in 0..3 {
            for (place, displacement) in [("", ""), ("0", "0"), ("5", ""), ("", "6"), ("5", "6")] {
                for (own_place, own_displacement) in [("", ""), ("0", ""), ("", "0"), ("0", "0")] {
                    let (card, node) = (card(form, place, displacement), node(own_place, own_displacement));
                    let given = |own: &str, of_card: &str| own.is_empty() && !matches!(of_card, "" | "0");
                    let wrong = given(own_place, place) || given(own_displacement, displacement);
                    // The order of the cards has no meaning.
                    for text in [format!("{card}{node}"), format!("{node}{card}")] {
                        match bulk(&text) {
                            Ok(table) => assert!(!wrong && table.positions[0] == Vec3::new(1.0, 2.0, 3.0), "{text}"),
                            Err(error) => {
                                assert!(wrong && error.found.contains("GRDSET puts node 7 in"), "{text}{error}");
                                rejected += 1;
                            }
                        }
                    }
                }
            }
        }
        assert_eq!(rejected, 3 * 2 * (2 + 2 + 3));
        let twice = bulk("GRDSET,,0\nGRDSET,,0\nGRID,1,,0.,0.,0.\n").expect_err("two cards");
        assert!(twice.found.contains("duplicate GRDSET"), "{twice}");
    }
}
