//! The recovery file: displacements and stresses of the structure behind a flexible body. `ballesta reduce` writes it
//! in addition to a reduced-order model.
//!
//! For all nodes and elements, the file contains the data that a reduced-order model contains only for the outputs of
//! its structure. These are Φ at a node, and rows of the internal forces at a section with the stress fibres. For a
//! structure given by matrices they include the stress tensor at a node. The file belongs to the reduced-order model
//! whose stiffness and mass it repeats.

use ballesta_model::document::nearest::did_you_mean;
use ballesta_model::document::{self, Diagnostic, Diagnostics, FileSchema, MAX_NUMBER, Source, text_of};
use ballesta_model::rom::rom_schema::{Node, Packed, Section};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Value of the key `format`.
pub const FORMAT: &str = "ballesta-recovery";
/// The version that this program writes and reads.
pub const VERSION: u32 = 1;

/// A whole file.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Recovery {
    /// `ballesta-recovery`.
    pub format: String,
    /// Version of the format: 1.
    pub version: u32,
    /// Name of the structure.
    pub name: String,
    /// Stiffness of the corresponding reduced-order model, packed.
    pub stiffness: Packed,
    /// Mass of the corresponding reduced-order model, packed.
    pub mass: Packed,
    /// Pairs of nodes connected by a line, as numbers from 0 in the order of the file. Line k has section 2k at its
    /// start and section 2k + 1 at its end.
    #[serde(default)]
    pub lines: Vec<[usize; 2]>,
    /// Displacements, as in the file of the reduced-order model.
    #[serde(rename = "node")]
    pub nodes: Vec<Node>,
    /// Internal forces at both ends of every beam and bar, with the fibres of its section.
    #[serde(default, rename = "section")]
    pub sections: Vec<Section>,
    /// Stresses at nodes.
    #[serde(default, rename = "stress")]
    pub stresses: Vec<Stress>,
}

/// `[[stress]]`: the stress tensor at a node.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Stress {
    /// Name of a node of the file.
    pub node: String,
    /// Stress in Pa per coordinate, axes of C: rows xx, yy, zz, xy, yz, xz of N.
    pub components: Vec<Vec<f64>>,
}

impl FileSchema for Recovery {
    fn reading_schema() -> serde_json::Value {
        document::embedded(include_str!("recovery.json"))
    }
}

/// Reads the text of a file; `file` is the name that diagnostics show. Agreement with its reduced-order model is
/// checked later.
///
/// # Errors
/// All faults of the file by itself.
pub fn parse(text: &str, file: &str) -> Result<(Recovery, Source), Diagnostics> {
    let reading = document::read_long::<Recovery>(text, file)?;
    let (recovery, source, mut diagnostics) = (reading.value, reading.source, reading.diagnostics);
    if diagnostics.0.is_empty() {
        diagnostics.0.extend(alone(&recovery, &source));
    }
    diagnostics.into_result((recovery, source))
}

/// Reads a file; see [`parse`].
///
/// # Errors
/// A file that cannot be read, or all faults of the file by itself.
pub fn read(path: &Path) -> Result<(Recovery, Source), Diagnostics> {
    parse(&text_of(path, "a recovery file")?, &path.display().to_string())
}

/// Faults of a well-formed file by itself.
fn alone(recovery: &Recovery, source: &Source) -> Vec<Diagnostic> {
    if recovery.format != FORMAT {
        let found = format!("found \"{}\"", recovery.format.escape_debug());
        return vec![source.at(
            "format",
            found,
            format!("give a file with format \"{FORMAT}\", written by `ballesta reduce --recovery`"),
        )];
    }
    if recovery.version != VERSION {
        let expected = format!("this program reads version {VERSION}; reduce the structure again");
        return vec![source.at("version", format!("found version {}", recovery.version), expected)];
    }
    let (nodes, lines) = (recovery.nodes.len(), recovery.lines.len());
    let mut found = Vec::new();
    if let Some((k, line)) = recovery.lines.iter().enumerate().find(|(_, line)| line.iter().any(|end| *end >= nodes)) {
        let expected = format!("use node numbers from 0, below {nodes}");
        found.push(source.at(format!("lines[{k}]"), format!("line {k} is [{}, {}]", line[0], line[1]), expected));
    }
    let sections = recovery.sections.len();
    if sections % 2 == 1 || sections / 2 > lines {
        let expected = "give two sections, start and end, for each of the first lines";
        found.push(source.at("section", format!("{sections} sections for {lines} lines"), expected));
    }
    for (k, stress) in recovery.stresses.iter().enumerate() {
        let names: Vec<&str> = recovery.nodes.iter().map(|node| node.name.as_str()).collect();
        if !names.contains(&stress.node.as_str()) {
            let what = format!("there is no node \"{}\"", stress.node);
            found.push(source.at(format!("stress[{k}].node"), what, did_you_mean(&stress.node, &names)));
        }
    }
    found.extend(too_large(recovery).into_iter().map(|(key, number)| {
        let expected = format!("write numbers of at most {MAX_NUMBER:e} in SI units");
        source.at(key, format!("found {number:e}"), expected)
    }));
    found
}

/// Key of each list with a number beyond [`MAX_NUMBER`], and that number.
fn too_large(recovery: &Recovery) -> Vec<(String, f64)> {
    let mut found = Vec::new();
    let mut check = |key: String, numbers: &mut dyn Iterator<Item = &f64>| {
        for number in numbers {
            // Written so that NaN is too large.
            if !(number.abs() <= MAX_NUMBER) {
                return found.push((key, *number));
            }
        }
    };
    for (k, node) in recovery.nodes.iter().enumerate() {
        check(format!("node[{k}].position"), &mut node.position.iter());
        check(format!("node[{k}].displacement"), &mut node.displacement.iter().flatten());
    }
    for (k, section) in recovery.sections.iter().enumerate() {
        check(format!("section[{k}].position"), &mut section.position.iter());
        check(format!("section[{k}].displacement"), &mut section.displacement.iter().flatten());
        check(format!("section[{k}].acceleration"), &mut section.acceleration.iter().flatten());
        check(format!("section[{k}].centrifugal"), &mut section.centrifugal.iter().flatten());
        for (i, point) in section.points.iter().enumerate() {
            check(format!("section[{k}].point[{i}].normal"), &mut point.normal.iter());
            check(format!("section[{k}].point[{i}].shear"), &mut point.shear.iter().flatten().flatten());
        }
    }
    for (k, stress) in recovery.stresses.iter().enumerate() {
        check(format!("stress[{k}].components"), &mut stress.components.iter().flatten());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file with one entry in each list.
    fn file(numbers: [&str; 8]) -> String {
        let [position, shape, place, displacement, acceleration, centrifugal, normal, stress] = numbers;
        let rows = |number: &str| format!("[[{number}], [0], [0], [0], [0], [0]]");
        format!(
            "format = \"ballesta-recovery\"\nversion = 1\nname = \"s\"\nstiffness = [1]\nmass = [1]\n\
             [[node]]\nname = \"1\"\nposition = [{position}, 0, 0]\ndisplacement = {}\n\
             [[section]]\nname = \"a\"\nelement = \"b\"\nposition = [{place}, 0, 0]\n\
             axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]\ndisplacement = {}\nacceleration = {}\n\
             centrifugal = [[{centrifugal}, 0, 0, 0, 0, 0]]\n\
             [[section.point]]\nname = \"f\"\nnormal = [{normal}, 0, 0, 0, 0, 0]\n\
             [[stress]]\nnode = \"1\"\ncomponents = {}\n",
            rows(shape),
            rows(displacement),
            rows(acceleration),
            rows(stress),
        )
    }

    #[test]
    fn numbers_that_would_overflow_are_refused_in_every_list() {
        let keys = [
            "node[0].position",
            "node[0].displacement",
            "section[0].position",
            "section[0].displacement",
            "section[0].acceleration",
            "section[0].centrifugal",
            "section[0].point[0].normal",
            "stress[0].components",
        ];
        for (k, key) in keys.iter().enumerate() {
            for (number, sound) in [("1e60", true), ("-1.1e60", false), ("1.7e308", false), ("1e200", false)] {
                let mut numbers = ["0"; 8];
                numbers[k] = number;
                let read = document::read_long::<Recovery>(&file(numbers), "r").expect("TOML");
                let found = too_large(&read.value);
                assert_eq!(read.diagnostics.0.len(), 0, "{}", read.diagnostics);
                assert_eq!(found.is_empty(), sound, "{key} {number}: {found:?}");
                assert!(found.iter().all(|(at, _)| at == key), "{found:?}");
            }
        }
    }
}
