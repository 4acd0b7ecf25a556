//! Height maps of roads: a table of heights in a CSV file.
//!
//! ```text
//!     x\y,  -2.0, -1.0, 0.0, 1.0, 2.0
//!     0.0,  0, 0, 0, 0, 0
//!     0.5,  0, 0.01, 0.02, 0.01, 0
//! ```
//!
//! The first line gives the places y, the first column the places x, in m, each evenly spaced and ascending; what
//! stands in the corner is not read. Values are separated by commas or semicolons; lines that are empty or begin with
//! `#` are skipped.

use super::files::{Files, errors_inside};
use super::schema::Model;
use super::validate::SMALLEST_RADIUS;
use crate::document::{Diagnostic, Diagnostics, Source};
use std::sync::Arc;

const HINT: &str = "height maps are CSV files";

/// Heights on an even grid.
#[derive(Clone, Debug, PartialEq)]
pub struct HeightMap {
    /// First x and first y, m.
    pub origin: [f64; 2],
    /// Distance of grid points along x and along y, m.
    pub spacing: [f64; 2],
    /// Grid points along x and along y, each 2 or more.
    pub points: [usize; 2],
    /// Heights in m, row by row of constant x.
    pub heights: Vec<f64>,
}

/// How far places may be off an even grid, relative to its spacing.
const UNEVEN: f64 = 1e-3;
/// Values of a map, at most.
const MOST_VALUES: usize = 1 << 24;
/// Least distance of two places, m: it bounds how many of them the way of a wheel looks at.
const NARROWEST: f64 = 1e-4;
/// Largest height, m, up or down: slopes and the way of a wheel stay finite.
const HIGHEST: f64 = 1e5;
/// Largest x or y, m.
const FARTHEST: f64 = 1e12;
/// How deep below the way of a wheel a road may lie, m.
pub(crate) const REACHED: f64 = 0.005;
/// Distance of the places at which that is looked at, m, where the grid is coarser.
const FINEST: f64 = 0.05;

/// The height map of every road that names one; what cannot be read is reported.
pub(super) fn load(
    model: &Model,
    source: &Source,
    replaced: &[String],
    files: &mut Files,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Option<Arc<HeightMap>>> {
    let mut load = |index: usize, path: &str| {
        let key = format!("road[{index}].height_map");
        if replaced.contains(&key) {
            return None;
        }
        let shown = files.shown(path);
        match files.read(source, &key, path, HINT).map(|file| parse(&file.text(), &shown)) {
            Ok(Ok(map)) => return Some(Arc::new(map)),
            Ok(Err(mut inside)) => {
                diagnostics.push(errors_inside(source, &key, path, &inside, HINT));
                diagnostics.append(&mut inside.0);
            }
            Err(complaint) => diagnostics.push(complaint),
        }
        None
    };
    model.roads.iter().enumerate().map(|(index, road)| load(index, road.height_map.as_ref()?)).collect()
}

/// Reads the text of a file; `file` is the name that diagnostics show.
///
/// # Errors
/// The first line that cannot be read, or uneven places.
pub fn parse(text: &str, file: &str) -> Result<HeightMap, Diagnostics> {
    read(text).map_err(|fault| {
        let (file, key) = (file.to_string(), String::new());
        let Fault { line, column, found, expected } = fault;
        Diagnostics(vec![Diagnostic { file, line, column, key, found, expected: expected.to_string() }])
    })
}

/// What is wrong, and where.
struct Fault {
    line: usize,
    column: usize,
    found: String,
    expected: &'static str,
}

/// A number and the column where it stands, from 1.
struct Cell {
    value: f64,
    column: usize,
}

fn read(text: &str) -> Result<HeightMap, Fault> {
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line));
    let mut lines = lines.filter(|(_, line)| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
    let Some((line, head)) = lines.next() else {
        let expected = "write places y in the first line, then lines with a place x and heights";
        return Err(Fault { line: 1, column: 1, found: "the file holds no numbers".into(), expected });
    };
    let head = cells(line, head, 1)?;
    within(line, &head, FARTHEST, "write places within 1e12 m")?;
    let across = even(head.iter().map(|cell| (line, cell.column, cell.value)), "y")?;
    let (mut along, mut heights) = (Vec::new(), Vec::new());
    for (line, text) in lines {
        let row = cells(line, text, 0)?;
        if row.len() != across.count + 1 {
            let found = format!("found {} numbers, the first line wants {}", row.len(), across.count + 1);
            return Err(Fault { line, column: 1, found, expected: "write x and one height for every y" });
        }
        within(line, &row[..1], FARTHEST, "write places within 1e12 m")?;
        within(line, &row[1..], HIGHEST, "write heights within 1e5 m")?;
        along.push((line, row[0].column, row[0].value));
        heights.extend(row[1..].iter().map(|cell| cell.value));
        if heights.len() > MOST_VALUES {
            let found = format!("there are more than {MOST_VALUES} heights");
            return Err(Fault { line, column: 1, found, expected: "use a coarser or smaller grid" });
        }
    }
    if along.len() < 2 {
        let found = format!("found {} line(s) of heights", along.len());
        return Err(Fault { line, column: 1, found, expected: "write at least two" });
    }
    let lines: Vec<usize> = along.iter().map(|(line, ..)| *line).collect();
    let along = even(along.into_iter(), "x")?;
    let map = HeightMap {
        origin: [along.first, across.first],
        spacing: [along.spacing, across.spacing],
        points: [along.count, across.count],
        heights,
    };
    if let Some(hollow) = deepest_hollow(&map) {
        let [x, y] = [0, 1].map(|axis| map.origin[axis] + hollow.point[axis] as f64 * map.spacing[axis]);
        let found = format!(
            "near x = {x:.3}, y = {y:.3} a wheel of radius {SMALLEST_RADIUS} m that rolls along {} stays {:.3} m \
             above the road",
            ["x", "y"][hollow.axis],
            hollow.depth
        );
        let expected = "smooth the map, by the way of such a wheel for instance: a tyre has one point of contact, and \
            would jump \
                        from one wall of a narrow hollow or cliff to the other";
        return Err(Fault { line: lines[hollow.point[0]], column: 1, found, expected });
    }
    Ok(map)
}

/// Refuses a number beyond ±`most`.
fn within(line: usize, row: &[Cell], most: f64, expected: &'static str) -> Result<(), Fault> {
    let Some(cell) = row.iter().find(|cell| cell.value.abs() > most) else { return Ok(()) };
    Err(Fault { line, column: cell.column, found: format!("found {:e} m", cell.value), expected })
}

/// The deepest place below the way of a wheel.
struct Hollow {
    /// Grid point.
    point: [usize; 2],
    /// Direction of rolling: 0 along x, 1 along y.
    axis: usize,
    /// m.
    depth: f64,
}

/// The deepest place that a wheel of [`SMALLEST_RADIUS`] does not reach within [`REACHED`], rolling along the lines of
/// the grid.
fn deepest_hollow(map: &HeightMap) -> Option<Hollow> {
    let mut deepest: Option<Hollow> = None;
    for axis in [0, 1] {
        let (spacing, count) = (map.spacing[axis], map.points[axis]);
        let stride = [map.points[1], 1];
        // As many places between two grid points as it takes to see the curve between them.
        let parts = (spacing / FINEST).ceil().clamp(1.0, 100.0) as usize;
        let step = spacing / parts as f64;
        let reach = (SMALLEST_RADIUS / step) as usize;
        let disc: Vec<f64> = (0..=reach)
            .map(|k| (SMALLEST_RADIUS * SMALLEST_RADIUS - (k as f64 * step).powi(2)).max(0.0).sqrt())
            .collect();
        for other in 0..map.points[1 - axis] {
            let first = other * stride[1 - axis];
            let at = |k: isize| map.heights[first + k.clamp(0, count as isize - 1) as usize * stride[axis]];
            let line: Vec<f64> = (0..(count - 1) * parts + 1)
                .map(|k| {
                    let (cell, t) = ((k / parts) as isize, (k % parts) as f64 / parts as f64);
                    let [before, start, end, after] = [-1, 0, 1, 2].map(|offset| at(cell + offset));
                    let [b, c] = [end - before, 2.0 * before - 5.0 * start + 4.0 * end - after];
                    start + 0.5 * t * (b + t * (c + t * (3.0 * (start - end) + after - before)))
                })
                .collect();
            // Beyond the map the line goes on straight.
            let (head, tail) = (line[0] - line[1], line[line.len() - 1] - line[line.len() - 2]);
            let before = (1..=reach).rev().map(|k| line[0] + k as f64 * head);
            let behind = (1..=reach).map(|k| line[line.len() - 1] + k as f64 * tail);
            let padded: Vec<f64> = before.chain(line.iter().copied()).chain(behind).collect();
            // Heights of the wheel's centre, then of the lowest way of its rim.
            let spread = |values: &[f64], sign: f64| -> Vec<f64> {
                (0..values.len())
                    .map(|k| {
                        let near = k.saturating_sub(reach)..(k + reach + 1).min(values.len());
                        near.map(|i| sign * values[i] + disc[i.abs_diff(k)]).fold(f64::NEG_INFINITY, f64::max) * sign
                    })
                    .collect()
            };
            let way = spread(&spread(&padded, 1.0), -1.0);
            for (k, (way, height)) in way.iter().skip(reach).zip(&line).enumerate() {
                let depth = way - height;
                if depth > deepest.as_ref().map_or(REACHED, |hollow| hollow.depth) {
                    let along = ((k + parts / 2) / parts).min(count - 1);
                    let point = if axis == 0 { [along, other] } else { [other, along] };
                    deepest = Some(Hollow { point, axis, depth });
                }
            }
        }
    }
    deepest
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

/// Evenly spaced places.
struct Even {
    first: f64,
    spacing: f64,
    count: usize,
}

/// Checks that places (line, column, value) rise evenly.
fn even(places: impl Iterator<Item = (usize, usize, f64)>, name: &str) -> Result<Even, Fault> {
    let places: Vec<_> = places.collect();
    let [(line, column, first), .., (_, _, last)] = places[..] else {
        let (line, column) = places.first().map_or((1, 1), |(line, column, _)| (*line, *column));
        let found = format!("there are fewer than two places {name}");
        return Err(Fault { line, column, found, expected: "write at least two" });
    };
    let count = places.len();
    let spacing = (last - first) / (count - 1) as f64;
    if !(spacing > 0.0) {
        let found = format!("{name} goes from {first} to {last}");
        return Err(Fault { line, column, found, expected: "let it rise" });
    }
    if spacing < NARROWEST {
        let found = format!("places {name} are {spacing:e} m apart");
        let expected = "give heights at least 0.1 mm apart: the contact of a tyre is a thousand times as long";
        return Err(Fault { line, column, found, expected });
    }
    for (index, (line, column, value)) in places.into_iter().enumerate() {
        let wanted = first + index as f64 * spacing;
        if !((value - wanted).abs() <= UNEVEN * spacing) {
            let found = format!("{name} = {value} where an even grid has {wanted}");
            return Err(Fault { line, column, found, expected: "give heights on an even grid" });
        }
    }
    Ok(Even { first, spacing, count })
}
