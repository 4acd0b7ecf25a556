//! Nodes with their positions, and named sets of them: CSV, Abaqus and CalculiX decks, Nastran bulk data.

use super::coordinate_systems::{CoordinateSystems, EXPORT, GridPlace, SystemError};
use super::data_lines::{Field, Line, Lines};
use super::nastran;
use ballesta::document::Diagnostic;
use ballesta::math::{Mat3, Vec3};
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
    /// Axes of the displacements of a node (index), one per column, if they are not the axes of the file; or the reason
    /// why they are unknown.
    pub axes: BTreeMap<usize, Result<Mat3, Diagnostic>>,
    /// Numbers of nodes without a position, which `numbers` lacks, with the reason.
    pub unplaced: BTreeMap<usize, Diagnostic>,
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
    /// Coordinate systems of nodes of bulk data, for position and displacement, if the GRID card names one.
    own_systems: BTreeMap<usize, [SystemName; 2]>,
    /// Systems of nodes whose fields are empty, from the GRDSET card, and its line.
    default_systems: Option<([SystemName; 2], usize)>,
    systems: CoordinateSystems,
}

/// A field with the number of a coordinate system, and its line and column.
#[derive(Clone, Default)]
struct SystemName {
    text: String,
    place: (usize, usize),
}

impl SystemName {
    fn of(field: Option<&Field<'_>>) -> SystemName {
        field.map_or_else(SystemName::default, |field| {
            let column = field.line.text[..field.offset].chars().count() + 1;
            SystemName { text: field.text.to_string(), place: (field.line.number, column) }
        })
    }
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

    fn finish(mut self, file: &str) -> Result<NodeTable, Diagnostic> {
        // Nodes sorted by number, so that an index can be found by bisection.
        let mut table = NodeTable::default();
        if self.own_systems.is_empty() && self.default_systems.is_none() {
            table.numbers = self.nodes.keys().copied().collect();
            table.positions = self.nodes.values().map(|(position, _)| *position).collect();
        } else {
            self.resolve(file, &mut table);
        }
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

impl CollectedNodes {
    /// Converts positions to the basic system and adds the axes of the displacements.
    fn resolve(&mut self, file: &str, table: &mut NodeTable) {
        let none = [SystemName::default(), SystemName::default()];
        let (defaults, _) = self.default_systems.clone().unwrap_or((none, 0));
        // The system of a node for position (0) or displacement (1), with the field that names it.
        let name = |node: usize, k: usize| -> &SystemName {
            let own = self.own_systems.get(&node).map(|own| &own[k]).filter(|name| !name.text.is_empty());
            own.unwrap_or(&defaults[k])
        };
        let system = |name: &SystemName| if name.text.is_empty() { Some(0) } else { name.text.parse::<usize>().ok() };
        let fault = |node: usize, name: &SystemName, error: SystemError| {
            let SystemName { text, place } = name;
            let what = match defaults.iter().any(|default| default.place == *place) {
                true => format!("GRDSET puts node {node} in the coordinate system {text}"),
                false => format!("node {node} is in the coordinate system {text}"),
            };
            super::data_lines::complaint(file, *place, format!("{what}: {}", error.found), error.expected)
        };
        let unknown = |name: &SystemName| {
            let found = format!("`{}` is not the number of a coordinate system", name.text);
            SystemError { found, expected: EXPORT }
        };
        // Systems can be defined by grid points.
        let grids: BTreeMap<usize, GridPlace> = (self.nodes.iter())
            .filter_map(|(node, (at, _))| Some((*node, (system(name(*node, 0))?, (*at).into()))))
            .collect();
        for node in self.nodes.keys().copied() {
            let (own, of_displacement) = (name(node, 0), name(node, 1));
            let place = grids.get(&node).ok_or_else(|| unknown(own));
            let position = match place.and_then(|place| self.systems.position(*place, &grids)) {
                Ok(position) => position,
                Err(error) => {
                    table.unplaced.insert(node, fault(node, own, error));
                    continue;
                }
            };
            let axes = match system(of_displacement) {
                Some(0) => None,
                Some(system) => Some(self.systems.axes(system, position, &grids)),
                None => Some(Err(unknown(of_displacement))),
            };
            if let Some(axes) = axes {
                let axes = axes.map_err(|error| fault(node, of_displacement, error));
                table.axes.insert(table.numbers.len(), axes);
            }
            table.numbers.push(node);
            table.positions.push(position);
        }
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

/// Lines of a card about nodes or coordinate systems, with their numbers.
type CardLines = Vec<(usize, String)>;

/// GRID, GRDSET and CORD cards of Nastran bulk data; other cards are skipped.
fn bulk(mut lines: Lines, collected: &mut CollectedNodes) -> Result<Lines, Diagnostic> {
    let file = lines.file().to_string();
    let mut begun: CardLines = Vec::new();
    while let Some(line) = lines.next()? {
        let Some((name, _)) = nastran::card(line) else { continue };
        let is_continuation = name.is_empty();
        if !is_continuation {
            if is_half(&begun) {
                let found = format!("the card in line {} has no z coordinate: the continuation is missing", begun[0].0);
                return Err(line.complain(0, found, "add the second half of the GRID* card"));
            }
            whole_card(&file, std::mem::take(&mut begun), collected)?;
        }
        let is_of_nodes = GRID_CARDS.iter().any(|card| name.eq_ignore_ascii_case(card));
        let needed = is_of_nodes || CoordinateSystems::is_card(name) || is_continuation && !begun.is_empty();
        if needed && begun.len() < MAX_CARD_LINES {
            begun.push((line.number, line.text.to_string()));
        }
    }
    if is_half(&begun) {
        let found = format!("the file ends within the card in line {}", begun[0].0);
        return Err(lines.at_end(found, "add the second half of the GRID* card"));
    }
    whole_card(&file, begun, collected)?;
    Ok(lines)
}

/// Cards about nodes.
const GRID_CARDS: [&str; 2] = ["GRID", "GRDSET"];

/// Largest number of lines of a card: CORD2R in long form.
const MAX_CARD_LINES: usize = 3;

/// Whether a line has four fields of 16 columns.
fn is_long(text: &str) -> bool {
    text.split([',', '\t', '$']).next().is_some_and(|name| name.chars().take(8).any(|c| c == '*'))
}

/// Whether the card is the first half of a GRID or GRDSET card in long form.
fn is_half(card: &CardLines) -> bool {
    matches!(card.as_slice(), [(_, text)] if is_long(text) && text.trim_start().to_ascii_uppercase().starts_with('G'))
}

/// Reads a card with its continuations.
fn whole_card(file: &str, card: CardLines, collected: &mut CollectedNodes) -> Result<(), Diagnostic> {
    let (mut name, mut fields): (&str, Vec<Field<'_>>) = ("", Vec::new());
    for (k, (number, text)) in card.iter().enumerate() {
        let line = Line { file, number: *number, text };
        let Some((word, mut own)) = nastran::card(line) else { continue };
        // The last field of a line is the mark of its continuation.
        let width = if is_long(text) { 4 } else { 8 };
        own.truncate(width);
        if k + 1 < card.len() {
            own.resize(width, line.field(&text[text.len()..]));
        }
        if k == 0 {
            name = word;
        }
        fields.extend(own);
    }
    let Some(line) = fields.first().map(|field| field.line) else { return Ok(()) };
    if CoordinateSystems::is_card(name) {
        return collected.systems.add(name, &fields);
    }
    // GRDSET has the fields of GRID; number and position are empty.
    let systems = [1, 5].map(|k| SystemName::of(fields.get(k)));
    if name.eq_ignore_ascii_case("GRDSET") {
        if let Some((_, first)) = collected.default_systems {
            let found = format!("duplicate GRDSET card, first in line {first}");
            return Err(line.complain(0, found, "write one GRDSET card"));
        }
        collected.default_systems = Some((systems, line.number));
        return Ok(());
    }
    let [number, _, x, y, z, ..] = fields.as_slice() else {
        return Err(line.complain(0, format!("found {} fields", fields.len()), "write GRID, number, system, x, y, z"));
    };
    let zero_when_empty =
        [x, y, z].map(|field| Field { text: if field.text.is_empty() { "0" } else { field.text }, ..*field });
    let node = collected.add(*number, zero_when_empty)?;
    if systems.iter().any(|system| !system.text.is_empty()) {
        collected.own_systems.insert(node, systems);
    }
    Ok(())
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
                        let table = bulk(&text).unwrap_or_else(|wrong| panic!("{text}{wrong}"));
                        let faults: Vec<&Diagnostic> = table
                            .unplaced
                            .values()
                            .chain(table.axes.values().filter_map(|axes| axes.as_ref().err()))
                            .collect();
                        assert_eq!(faults.is_empty(), !wrong, "{text}");
                        assert!(faults.iter().all(|fault| fault.found.contains("GRDSET puts node 7 in")), "{faults:?}");
                        rejected += usize::from(wrong);
                        assert!(wrong || table.positions[0] == Vec3::new(1.0, 2.0, 3.0), "{text}");
                    }
                }
            }
        }
        assert_eq!(rejected, 3 * 2 * (2 + 2 + 3));
        let twice = bulk("GRDSET,,0\nGRDSET,,0\nGRID,1,,0.,0.,0.\n").expect_err("two cards");
        assert!(twice.found.contains("duplicate GRDSET"), "{twice}");
    }
    /// System 5 has the origin (1, 0, 0), its z axis along x and its x axis along y.
    fn system(kind: char) -> String {
        format!("CORD2{kind},5,,1.,0.,0.,2.,0.,0.\n,1.,1.,0.\n")
    }

    #[test]
    fn positions_and_axes_of_local_systems_are_converted() {
        // x, y, z of the system are y, z, x of the file.
        let close = |a: Vec3, b: [f64; 3]| assert!((a - Vec3::from(b)).norm() < 1e-14, "{a} {b:?}");
        let of = |kind: char, at: &str| {
            let table = bulk(&format!("{}GRID,7,5,{at},5\n", system(kind))).unwrap_or_else(|wrong| panic!("{wrong}"));
            (table.positions[0], table.axes[&0].clone().unwrap_or_else(|wrong| panic!("{wrong}")))
        };
        let (place, axes) = of('R', "2.,3.,4.");
        close(place, [5.0, 2.0, 3.0]);
        close(axes.column(0).into(), [0.0, 1.0, 0.0]);
        // r = 2 at 90 degrees from local x: along local y, the z of the file.
        let (place, axes) = of('C', "2.,90.,4.");
        close(place, [5.0, 0.0, 2.0]);
        close(axes.column(0).into(), [0.0, 0.0, 1.0]);
        close(axes.column(1).into(), [0.0, -1.0, 0.0]);
        close(axes.column(2).into(), [1.0, 0.0, 0.0]);
        // 30 degrees from the local z axis, in the plane of local z and y.
        let (place, axes) = of('S', "2.,30.,90.");
        let (sine, cosine) = (0.5, 0.75_f64.sqrt());
        close(place, [1.0 + 2.0 * cosine, 0.0, 2.0 * sine]);
        close(axes.column(0).into(), [cosine, 0.0, sine]);
        close(axes.column(1).into(), [-sine, 0.0, cosine]);
        close(axes.column(2).into(), [0.0, -1.0, 0.0]);
        assert!((axes.determinant() - 1.0).abs() < 1e-14);
    }

    #[test]
    fn every_form_of_a_system_is_the_same_system() {
        let long = "CORD2R*                5               0              1.              0.\n\
                    *                     0.              2.              0.              0.\n\
                    *                     1.              1.              0.\n";
        let short = "CORD2R         5       0      1.      0.      0.      2.      0.      0.+A\n\
                     +A            1.      1.      0.\n";
        let tabs = "CORD2R\t5\t\t1.\t0.\t0.\t2.\t0.\t0.\n\t1.\t1.\t0.\n";
        let grids = "CORD1R,5,1,2,3,6,1,2,3\nGRID,1,,1.,0.,0.\nGRID,2,,2.,0.,0.\nGRID,3,,1.,1.,0.\n";
        // Through another system, whose axes are x, z, −y of the file.
        let chain = "CORD2R,5,9,1.,0.,0.,2.,0.,0.\n,1.,0.,-1.\nCORD2R,9,0,0.,0.,0.,0.,-1.,0.\n,1.,0.,0.\n";
        for cards in [&system('R'), long, short, tabs, grids, chain] {
            for text in [format!("{cards}GRID,7,5,2.,3.,4.\n"), format!("GRID,7,5,2.,3.,4.\n{cards}")] {
                let table = bulk(&text).unwrap_or_else(|wrong| panic!("{text}{wrong}"));
                let at = table.index(7).unwrap_or_else(|| panic!("{text}{:?}", table.unplaced));
                assert!((table.positions[at] - Vec3::new(5.0, 2.0, 3.0)).norm() < 1e-14, "{text}{:?}", table.positions);
            }
        }
    }

    #[test]
    fn a_system_that_is_missing_or_circular_is_a_fault_of_its_nodes_only() {
        for (cards, node, part) in [
            ("", "GRID,7,5,2.,3.,4.", "does not define the coordinate system 5"),
            ("", "GRID,7,-1,2.,3.,4.", "`-1` is not the number"),
            ("CORD2R,5,5,0.,0.,0.,0.,0.,1.\n,1.,0.,0.\n", "GRID,7,5,2.,3.,4.", "refers to itself"),
            ("CORD1R,5,7,8,9\nGRID,8,,1.,,\nGRID,9,,,1.,\n", "GRID,7,5,0.,0.,0.", "refers to itself"),
            ("CORD1R,5,8,8,9\nGRID,8,,1.,,\nGRID,9,,,1.,\n", "GRID,7,5,0.,0.,0.", "are collinear"),
            ("CORD1R,5,8,77,9\nGRID,8,,1.,,\nGRID,9,,,1.,\n", "GRID,7,5,0.,0.,0.", "uses node 77"),
        ] {
            let table = bulk(&format!("{cards}GRID,1,,1.,2.,3.\n{node}\n")).unwrap_or_else(|wrong| panic!("{wrong}"));
            assert!(table.index(1).is_some() && table.index(7).is_none());
            let fault = &table.unplaced[&7];
            assert!(fault.found.contains(part) && fault.found.contains("node 7") && fault.column == 8, "{fault}");
        }
        // The axis of a cylinder has no radial direction.
        let table = bulk(&format!("{}GRID,7,5,0.,30.,4.,5\n", system('C'))).unwrap_or_else(|wrong| panic!("{wrong}"));
        let fault = table.axes[&0].as_ref().expect_err("on the axis");
        assert!(fault.found.contains("on the axis") && fault.expected.contains("rectangular"), "{fault}");
        for (text, part) in [
            ("CORD2R,5,,0.,0.,0.,0.,0.,1.\nGRID,1,,0.,0.,0.\n", "6 of 9 coordinates"),
            ("CORD2R,0,,0.,0.,0.,0.,0.,1.\n,1.,0.,0.\n", "found `0`"),
            ("CORD1R,5,1,2,3,5,1,2,3\n", "duplicate coordinate system 5"),
        ] {
            assert!(bulk(text).expect_err(text).found.contains(part), "{text}");
        }
    }
}
