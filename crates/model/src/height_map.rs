//! Height maps of roads: a table of heights in a CSV file.
//!
//! ```text
//!     x\y,  -2.0, -1.0, 0.0, 1.0, 2.0
//!     0.0,  0, 0, 0, 0, 0
//!     0.5,  0, 0.01, 0.02, 0.01, 0
//! ```
//!
//! The first line gives the positions y, the first column the positions x, in m, each evenly spaced and ascending; the
//! corner is ignored. Values are separated by commas or semicolons; lines that are empty or begin with `#` are skipped.
//! A friction map is a table of factors in the same form. A file whose name ends in `.crg` is an OpenCRG file
//! ([`crg`]).

mod crg;
mod hollow;

pub use hollow::MAX_HOLLOW_DEPTH;

use super::files::{Files, errors_inside, text_of};
use super::schema::Model;
use super::validate::MIN_HOLLOW_RADIUS;
use crate::document::{Diagnostic, Diagnostics, Source};
use ballesta_solver::force::road::HeightMap;
use std::sync::Arc;

const HINT: &str = "height maps are CSV or OpenCRG files";

/// Largest deviation of positions from an even grid, relative to its spacing.
const SPACING_TOLERANCE: f64 = 1e-3;
/// Largest number of values of a map.
const MAX_VALUES: usize = 1 << 24;
/// Smallest distance of two positions, m: it bounds the number of positions along the path of a wheel.
const MIN_SPACING: f64 = 1e-4;
/// Largest height, m, up or down: slopes and the path of a wheel remain finite.
const MAX_HEIGHT: f64 = 1e5;
/// Largest x or y, m.
const MAX_POSITION: f64 = 1e12;
/// Content of a map.
#[derive(Clone, Copy, PartialEq)]
enum Content {
    /// Heights. Hollows are filled, or rejected unless all tyres of the road envelop them.
    Heights { fill: bool, enveloped: bool },
    /// Factors on the friction.
    Friction,
}

/// The height maps and the friction maps of all roads that name one; unreadable files are reported.
pub(super) fn load(
    model: &Model,
    source: &Source,
    replaced: &[String],
    files: &mut Files,
    diagnostics: &mut Vec<Diagnostic>,
) -> [Vec<Option<Arc<HeightMap>>>; 2] {
    // Errors in a file are reported together with the key that names it.
    let mut load = |index: usize, name: &str, path: Option<&String>, content: Content| {
        let (key, path) = (format!("road[{index}].{name}"), path?);
        if replaced.contains(&key) {
            return None;
        }
        let shown = files.shown(path);
        match files.read(source, &key, path, HINT).map(|file| parse_as(&file.bytes, &shown, content)) {
            Ok(Ok(map)) => return Some(Arc::new(map)),
            Ok(Err(mut inside)) => {
                diagnostics.push(errors_inside(source, &key, path, &inside, HINT));
                diagnostics.append(&mut inside.0);
            }
            Err(complaint) => diagnostics.push(complaint),
        }
        None
    };
    // Heights and friction factors are independent grids.
    let (mut heights, mut frictions) = (Vec::new(), Vec::new());
    for (index, road) in model.roads.iter().enumerate() {
        let content = Content::Heights { fill: road.fill_hollows, enveloped: model.enveloped(road) };
        heights.push(load(index, "height_map", road.height_map.as_ref(), content));
        frictions.push(load(index, "friction_map", road.friction_map.as_ref(), Content::Friction));
    }
    [heights, frictions]
}

/// Reads a file; `file` is the name that diagnostics show. `fill`: whether hollows that a wheel of
/// [`MIN_HOLLOW_RADIUS`] does not reach are filled; otherwise they are rejected.
///
/// # Errors
/// The first line that cannot be read, uneven positions, or a hollow.
pub fn parse(bytes: &[u8], file: &str, fill: bool) -> Result<HeightMap, Diagnostics> {
    parse_as(bytes, file, Content::Heights { fill, enveloped: false })
}

fn parse_as(bytes: &[u8], file: &str, content: Content) -> Result<HeightMap, Diagnostics> {
    // The ending selects OpenCRG or text.
    let crg = file.get(file.len().saturating_sub(4)..).is_some_and(|end| end.eq_ignore_ascii_case(".crg"));
    let read = || {
        let (mut map, lines) = if crg { crg::read(bytes)? } else { read(&text_of(bytes))? };
        // A friction map has no hollows, only factors of 0 or more.
        let Content::Heights { fill, enveloped } = content else {
            let across = map.points[1];
            let Some(index) = map.heights.iter().position(|factor| *factor < 0.0) else { return Ok(map) };
            let found = format!("found {} in a friction map", map.heights[index]);
            let expected = "write factors of 0 or more: they multiply the road's friction";
            return Err(Fault { line: lines[index / across], column: 1, found, expected });
        };
        // A narrow hollow would make the contact point jump; filling or enveloping prevents it.
        if fill {
            hollow::fill(&mut map);
        }
        if enveloped {
            return Ok(map);
        }
        // Report the deepest hollow with its position.
        let Some(hollow) = hollow::deepest(&map) else { return Ok(map) };
        let [x, y] = [0, 1].map(|axis| map.origin[axis] + hollow.point[axis] as f64 * map.spacing[axis]);
        let names = if crg { ["u", "v"] } else { ["x", "y"] };
        let found = format!(
            "near {} = {x:.3}, {} = {y:.3} a wheel of radius {MIN_HOLLOW_RADIUS} m that rolls along {} cannot \
             touch the road: a gap of {:.3} m remains",
            names[0], names[1], names[hollow.axis], hollow.depth
        );
        let expected = "a tyre has one contact point and would jump in a narrow hollow or at a cliff; set \
                        `fill_hollows = true` or `enveloping = true` on the road, or smooth the map";
        Err(Fault { line: lines[hollow.point[0]], column: 1, found, expected })
    };
    read().map_err(|fault| {
        let (file, key) = (file.to_string(), String::new());
        let Fault { line, column, found, expected } = fault;
        Diagnostics(vec![Diagnostic { file, line, column, key, found, expected: expected.to_string() }])
    })
}

/// An error and its position.
struct Fault {
    line: usize,
    column: usize,
    found: String,
    expected: &'static str,
}

/// A number and its column, from 1.
struct Cell {
    value: f64,
    column: usize,
}

/// The map, and the line of the file of each of its rows.
fn read(text: &str) -> Result<(HeightMap, Vec<usize>), Fault> {
    // The first line has the y positions. Comments and empty lines are skipped.
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line));
    let mut lines = lines.filter(|(_, line)| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
    let Some((line, head)) = lines.next() else {
        let expected = "write the y positions in the first line, then lines with an x position and heights";
        return Err(Fault { line: 1, column: 1, found: "the file holds no numbers".into(), expected });
    };
    let head = cells(line, head, 1)?;
    within(line, &head, MAX_POSITION, "write positions within 1e12 m")?;
    let y = even(head.iter().map(|cell| (line, cell.column, cell.value)), "y")?;
    // Each further line has an x position and one height per y.
    let (mut x, mut heights) = (Vec::new(), Vec::new());
    for (line, text) in lines {
        let row = cells(line, text, 0)?;
        if row.len() != y.count + 1 {
            let found = format!("found {} numbers; the first line requires {}", row.len(), y.count + 1);
            return Err(Fault { line, column: 1, found, expected: "write x and one height for every y" });
        }
        within(line, &row[..1], MAX_POSITION, "write positions within 1e12 m")?;
        within(line, &row[1..], MAX_HEIGHT, "write heights within 1e5 m")?;
        x.push((line, row[0].column, row[0].value));
        heights.extend(row[1..].iter().map(|cell| cell.value));
        if heights.len() > MAX_VALUES {
            let found = format!("the map has more than {MAX_VALUES} heights");
            return Err(Fault { line, column: 1, found, expected: "use a coarser or smaller grid" });
        }
    }
    // The interpolation needs at least two lines at equal distances.
    if x.len() < 2 {
        let found = format!("found {} line(s) of heights", x.len());
        return Err(Fault { line, column: 1, found, expected: "write at least two" });
    }
    let lines = x.iter().map(|(line, ..)| *line).collect();
    let x = even(x.into_iter(), "x")?;
    let map = HeightMap {
        origin: [x.first, y.first],
        spacing: [x.spacing, y.spacing],
        points: [x.count, y.count],
        heights,
        line: None,
    };
    Ok((map, lines))
}

/// Rejects a number beyond ±`most`.
fn within(line: usize, row: &[Cell], most: f64, expected: &'static str) -> Result<(), Fault> {
    let Some(cell) = row.iter().find(|cell| cell.value.abs() > most) else { return Ok(()) };
    Err(Fault { line, column: cell.column, found: format!("found {:e} m", cell.value), expected })
}

/// The numbers of a line, without the first `skipped` fields.
fn cells(line: usize, text: &str, skipped: usize) -> Result<Vec<Cell>, Fault> {
    let mut column = 1;
    let mut cells = Vec::new();
    for (index, field) in text.split([',', ';']).enumerate() {
        let at = column + field.chars().take_while(|c| c.is_whitespace()).count();
        column += field.chars().count() + 1;
        if index < skipped {
            continue;
        }
        match field.trim().parse::<f64>() {
            Ok(value) if value.is_finite() => cells.push(Cell { value, column: at }),
            _ => {
                let found = format!("found \"{}\"", field.trim().escape_debug());
                return Err(Fault { line, column: at, found, expected: "write a finite number with a decimal point" });
            }
        }
    }
    Ok(cells)
}

/// Evenly spaced positions.
struct EvenGrid {
    first: f64,
    spacing: f64,
    count: usize,
}

/// Checks that positions (line, column, value) are ascending and evenly spaced.
fn even(places: impl Iterator<Item = (usize, usize, f64)>, name: &str) -> Result<EvenGrid, Fault> {
    let places: Vec<_> = places.collect();
    let [(line, column, first), .., (_, _, last)] = places[..] else {
        let (line, column) = places.first().map_or((1, 1), |(line, column, _)| (*line, *column));
        let found = format!("there are fewer than two positions {name}");
        return Err(Fault { line, column, found, expected: "write at least two" });
    };
    let count = places.len();
    let spacing = (last - first) / (count - 1) as f64;
    if !(spacing > 0.0) {
        let found = format!("{name} goes from {first} to {last}");
        return Err(Fault { line, column, found, expected: "give increasing values" });
    }
    if spacing < MIN_SPACING {
        let found = format!("positions {name} are {spacing:e} m apart");
        let expected = "give heights at least 0.1 mm apart; the contact patch of a tyre is a thousand times as long";
        return Err(Fault { line, column, found, expected });
    }
    for (index, (line, column, value)) in places.into_iter().enumerate() {
        let wanted = first + index as f64 * spacing;
        if !((value - wanted).abs() <= SPACING_TOLERANCE * spacing) {
            let found = format!("{name} is {value}, but an even grid has {wanted}");
            return Err(Fault { line, column, found, expected: "give heights on an even grid" });
        }
    }
    Ok(EvenGrid { first, spacing, count })
}
