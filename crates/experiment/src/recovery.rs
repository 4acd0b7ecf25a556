//! Displacements and stresses of the structure behind a flexible body: the recovery file, which `ballesta reduce`
//! writes in addition to a reduced-order model, and results of runs with it.
//!
//! For all nodes and elements, the file contains the data that a reduced-order model contains only for the outputs of
//! its structure. These are Φ at a node, and rows of the internal forces at a section with the stress fibres. For a
//! structure given by matrices they include the stress tensor at a node. The file belongs to the reduced-order model
//! whose stiffness and mass it repeats. The solver uses these rows as nodes and sections of the body. They are
//! evaluated on request and do not change the motion. FMUs do not contain them.
//!
//! Stress of a section: the largest |σ| of its fibres, σ = N/A + M_y z/I_y − M_z y/I_z. Of a node: von Mises' of the
//! tensor. [`ballesta::dynamics::section_forces`] computes the internal forces, in equilibrium with the loads for any
//! number of modes. A tensor lacks the contribution of the modes that the reduction removed.

use crate::Failure;
use ballesta::document::nearest::did_you_mean;
use ballesta::document::{self, Diagnostic, Diagnostics, FileSchema, MAX_NUMBER, Source, text_of};
use ballesta::dynamics::{node_displacement, section_forces};
use ballesta::model::Document;
use ballesta::model::schema::Output;
use ballesta::rom::Rom;
use ballesta::rom::schema::{Node, Packed, Section, StressPoint};
use ballesta::system::{System, Workspace};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Value of the key `format`.
pub const FORMAT: &str = "ballesta-recovery";
/// The version that this program writes and reads.
pub const VERSION: u32 = 1;
/// Largest relative difference of matrices from one reduction on different machines.
const SAME: f64 = 1e-6;
/// Components of a stress tensor.
const COMPONENTS: [&str; 6] = ["xx", "yy", "zz", "xy", "yz", "xz"];

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
        }
    }
    for (k, stress) in recovery.stresses.iter().enumerate() {
        check(format!("stress[{k}].components"), &mut stress.components.iter().flatten());
    }
    found
}

/// Nodes and sections that a recovery file added to a flexible body of a document.
#[derive(Clone, Debug, PartialEq)]
pub struct Recovered {
    /// Index of the flexible body.
    pub body: usize,
    /// Name of the flexible body.
    pub name: String,
    /// Number of the first of the nodes among the nodes of the body.
    pub first_node: usize,
    /// Number of nodes.
    pub nodes: usize,
    /// Number of the first of the sections among the sections of the body.
    pub first_section: usize,
    /// Number of sections; the stress tensors come after them.
    pub sections: usize,
    /// Node of each stress tensor, relative to the first node.
    pub tensors: Vec<usize>,
    /// Pairs of nodes connected by a line, relative to the first node.
    pub lines: Vec<[usize; 2]>,
}

/// Reads recovery files and adds their nodes and sections to the flexible bodies with the matching reduced-order
/// models.
///
/// # Errors
/// Files that cannot be read, are invalid, or match no body of the model.
pub fn take(document: &mut Document, files: &[PathBuf]) -> Result<Vec<Recovered>, Failure> {
    let mut taken: Vec<Recovered> = Vec::new();
    for path in files {
        document::file::open(path).map_err(|error| Failure::file("read", path, error))?;
        let (recovery, source) = read(path)?;
        taken.extend(give(document, &recovery, &source)?);
    }
    Ok(taken)
}

/// Adds nodes and sections of a recovery file to the flexible bodies with the matching reduced-order models.
///
/// # Errors
/// A file that is invalid, matches no body of the model, or matches a body that already has a recovery file.
pub fn give(document: &mut Document, recovery: &Recovery, source: &Source) -> Result<Vec<Recovered>, Diagnostics> {
    let (mut taken, mut others) = (Vec::new(), Vec::new());
    for (body, flexible) in document.model.flexible_bodies.iter().enumerate() {
        let rom = &mut document.roms[body];
        if let Some(why) = stranger(recovery, rom) {
            others.push(format!("{} {why}", flexible.name));
            continue;
        }
        if rom.nodes.iter().any(|node| node.recovered) {
            let found = format!("{} already has a recovery file", flexible.name);
            return Err(Diagnostics(vec![source.at("name", found, "give one file for each body")]));
        }
        merge(rom, recovery, source)?;
        taken.push(Recovered {
            body,
            name: flexible.name.clone(),
            first_node: rom.nodes.len() - recovery.nodes.len(),
            nodes: recovery.nodes.len(),
            first_section: rom.sections.len() - recovery.sections.len() - recovery.stresses.len(),
            sections: recovery.sections.len(),
            tensors: recovery.stresses.iter().map(|stress| place(recovery, &stress.node)).collect(),
            lines: recovery.lines.clone(),
        });
    }
    if taken.is_empty() {
        let found = match others.is_empty() {
            true => "the model has no flexible body".to_string(),
            false => format!("it does not belong to any flexible body of the model: {}", others.join("; ")),
        };
        let expected = "reduce the structure again with `-o` and `--recovery` in one command";
        return Err(Diagnostics(vec![source.at("mass", found, expected)]));
    }
    Ok(taken)
}

fn read(path: &Path) -> Result<(Recovery, Source), Diagnostics> {
    parse(&text_of(path, "a recovery file")?, &path.display().to_string())
}

/// Index of a node whose name was checked.
fn place(recovery: &Recovery, name: &str) -> usize {
    recovery.nodes.iter().position(|node| node.name == name).expect("names were checked")
}

/// Reason why a recovery file does not match a reduced-order model, if it does not.
fn stranger(recovery: &Recovery, rom: &Rom) -> Option<String> {
    let size = rom.matrices.size;
    let length = size * (size + 1) / 2;
    for (word, own, other) in
        [("stiffness", &recovery.stiffness, &rom.matrices.stiffness), ("mass", &recovery.mass, &rom.matrices.mass)]
    {
        if own.len() != length {
            let found = own.len();
            return Some(format!("has {size} coordinates and needs {length} numbers of {word}, not {found}"));
        }
        let diagonal: Vec<f64> = (0..size).map(|i| other[i * (i + 3) / 2].abs()).collect();
        let largest = diagonal.iter().copied().fold(0.0, f64::max);
        let off = |i: usize, j: usize| {
            let scale = (diagonal[i] * diagonal[j]).sqrt() + 1e-9 * largest;
            (own[i * (i + 1) / 2 + j] - other[i * (i + 1) / 2 + j]).abs() / scale
        };
        let entries = (0..size).flat_map(|i| (0..=i).map(move |j| (i, j)));
        // NaN counts as different.
        if let Some((i, j)) = entries.into_iter().find(|(i, j)| !(off(*i, *j) <= SAME)) {
            return Some(format!("has a different {word}: difference {:.0e} in row {i}, column {j}", off(i, j)));
        }
    }
    None
}

/// Adds the nodes and sections of a recovery file to its reduced-order model.
fn merge(rom: &mut Rom, recovery: &Recovery, source: &Source) -> Result<(), Diagnostics> {
    let size = rom.matrices.size;
    let nodes = recovery.nodes.iter().map(|node| Node { recovered: true, ..node.clone() });
    // The checks of a reduced-order model, at the keys of this file.
    let alone = Rom { nodes: nodes.collect(), sections: recovery.sections.clone(), ..rom.clone() };
    let mut found = ballesta::rom::validate(&alone, source);
    for (k, stress) in recovery.stresses.iter().enumerate() {
        let rows = &stress.components;
        let sound = |row: &Vec<f64>| row.len() == size && row.iter().all(|entry| entry.is_finite());
        if rows.len() != COMPONENTS.len() || !rows.iter().all(sound) {
            let expected = format!("write six rows (xx, yy, zz, xy, yz, xz) of {size} finite numbers");
            found.push(source.at(format!("stress[{k}].components"), "the rows have the wrong size", expected));
        }
    }
    let named = |name: &str, node: &Node| node.name == name;
    for (k, node) in alone.nodes.iter().enumerate() {
        let own = rom.nodes.iter().find(|own| named(&node.name, own));
        if own.is_some_and(|own| own.position != node.position) {
            let what = format!("the reduced-order model has another node named \"{}\"", node.name);
            found.push(source.at(format!("node[{k}].name"), what, "rename the output of the structure"));
        }
    }
    for (k, section) in recovery.sections.iter().enumerate() {
        if rom.sections.iter().any(|own| own.name == section.name) {
            let what = format!("the reduced-order model has a section named \"{}\"", section.name);
            found.push(source.at(format!("section[{k}].name"), what, "rename the output of the structure"));
        }
    }
    Diagnostics(source.merged(found)).into_result(())?;
    let tensors = recovery.stresses.iter().map(|stress| tensor(stress, &recovery.nodes[place(recovery, &stress.node)]));
    rom.nodes.extend(alone.nodes);
    rom.sections.extend(alone.sections.into_iter().chain(tensors));
    Ok(())
}

/// A stress tensor in the place of the six internal forces of a section.
fn tensor(stress: &Stress, node: &Node) -> Section {
    let point = |(k, name): (usize, &&str)| StressPoint {
        name: name.to_string(),
        normal: std::array::from_fn(|i| f64::from(u8::from(i == k))),
    };
    Section {
        name: stress.node.clone(),
        element: stress.node.clone(),
        position: node.position,
        axes: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        acceleration: vec![vec![0.0; stress.components[0].len()]; 6],
        displacement: stress.components.clone(),
        geometric: Vec::new(),
        centrifugal: Vec::new(),
        points: COMPONENTS.iter().enumerate().map(point).collect(),
    }
}

/// Adds outputs of recovery files: displacement and rotation of nodes; forces, moments and stresses of sections.
/// `values`: the values of the parameters.
///
/// # Errors
/// Names that are in no recovery file; outputs whose names the model already has.
pub fn add_outputs(
    document: &mut Document,
    taken: &[Recovered],
    names: &[String],
    values: &[f64],
) -> Result<(), Failure> {
    for name in names {
        let before = document.model.outputs.len();
        for recovered in taken {
            let rom = &document.roms[recovered.body];
            let mut add = |word: &str, quantity: &str, keys: serde_json::Value| {
                let mut output = json!({
                    "name": format!("{}.{}.{word}", recovered.name, structured(name)),
                    "flexible_body": recovered.name,
                    "quantity": quantity,
                });
                let table = output.as_object_mut().expect("a table");
                table.extend(keys.as_object().cloned().unwrap_or_default());
                let output: Output = serde_json::from_value(output).expect("an output of a flexible body");
                document.model.outputs.push(output);
            };
            if let Some(node) = rom.nodes[recovered.first_node..].iter().find(|node| node.name == *name) {
                add("displacement", "displacement", json!({ "node": name }));
                if node.displacement[3..].iter().flatten().any(|entry| *entry != 0.0) {
                    add("rotation", "rotation_angles", json!({ "node": name }));
                }
            }
            let sections = rom.sections[recovered.first_section..].iter().enumerate();
            for (k, section) in sections.filter(|(_, section)| section.name == *name) {
                if k < recovered.sections {
                    add("force", "section_force", json!({ "section": name }));
                    add("moment", "section_moment", json!({ "section": name }));
                }
                for point in &section.points {
                    let keys = json!({ "section": name, "stress_point": point.name });
                    add(&format!("stress.{}", point.name), "stress", keys);
                }
            }
        }
        if document.model.outputs.len() == before {
            return Err(Failure::Usage(format!("--recover {name}: {}", unknown(document, taken, name))));
        }
    }
    Ok(ballesta::model::validate_with(document, values)?)
}

/// Converts a name to a valid output name: `beam:3` becomes `beam[3]`, a node number becomes `node[7]`, other
/// characters become `_`.
fn structured(name: &str) -> String {
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if number(name) {
        return format!("node[{name}]");
    }
    let plain = |text: &str| -> String {
        let sign = |c: char| if c.is_ascii_alphanumeric() || "._[]".contains(c) { c } else { '_' };
        text.chars().map(sign).collect()
    };
    let name = match name.rsplit_once(':') {
        Some((stem, index)) if number(index) => format!("{}[{index}]", plain(stem)),
        _ => plain(name),
    };
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) { name } else { format!("node_{name}") }
}

fn unknown(document: &Document, taken: &[Recovered], name: &str) -> String {
    let mut known: Vec<&str> = Vec::new();
    for recovered in taken {
        let rom = &document.roms[recovered.body];
        known.extend(rom.nodes[recovered.first_node..].iter().map(|node| node.name.as_str()));
        known.extend(rom.sections[recovered.first_section..].iter().map(|section| section.name.as_str()));
    }
    match known.is_empty() {
        true => "pass the recovery file with --recovery".to_string(),
        false => {
            let hint = did_you_mean(name, &known);
            format!("no recovery file has a node or section with this name; {hint}")
        }
    }
}

/// Largest value of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Greatest {
    /// m or Pa.
    pub value: f64,
    /// Number of the node, or of the section or tensor.
    pub place: usize,
    /// Number of the fibre.
    pub fibre: usize,
    /// Time, s.
    pub time: f64,
}

impl Greatest {
    fn take(&mut self, value: f64, place: usize, fibre: usize, time: f64) {
        if value > self.value {
            *self = Greatest { value, place, fibre, time };
        }
    }
}

/// A body whose displacements and stresses are monitored over a run.
pub struct Watched {
    /// The evaluated quantities.
    pub recovered: Recovered,
    /// Stress of every section, then of every tensor, in the last recorded state, Pa.
    pub stresses: Vec<f64>,
    /// Largest displacement so far, relative to the floating frame.
    pub displacement: Greatest,
    /// Largest stress so far.
    pub stress: Greatest,
}

/// Results of a run, as printed by `--json`.
#[derive(Serialize)]
pub struct Findings {
    /// Name of the flexible body.
    pub body: String,
    /// Largest displacement relative to the floating frame.
    pub displacement_m: f64,
    /// Name of the node.
    pub displacement_at: String,
    /// Time.
    pub displacement_time_s: f64,
    /// Largest magnitude of a fibre stress, or von Mises stress; `None` without stresses.
    pub stress_pa: Option<f64>,
    /// Name of the section and its fibre, or of the node.
    pub stress_at: Option<String>,
    /// Time.
    pub stress_time_s: Option<f64>,
}

impl Watched {
    /// Monitor for the nodes and sections added to a document.
    pub fn new(recovered: &Recovered) -> Watched {
        let (displacement, stress) = (Greatest::default(), Greatest::default());
        Watched { recovered: recovered.clone(), stresses: Vec::new(), displacement, stress }
    }

    /// Records an evaluation that contains the reactions ([`ballesta::dynamics::calc_reactions`]).
    pub fn look(&mut self, system: &System, ws: &Workspace, time: f64) {
        let Recovered { body, first_node, nodes, first_section, sections, tensors, .. } = &self.recovered;
        let flexible = &system.flexible[*body];
        for (k, node) in flexible.nodes[*first_node..first_node + nodes].iter().enumerate() {
            let [x, y, z, ..] = node_displacement(ws, flexible, node);
            self.displacement.take((x * x + y * y + z * z).sqrt(), k, 0, time);
        }
        self.stresses.clear();
        for k in 0..sections + tensors.len() {
            let section = &flexible.sections[first_section + k];
            let forces = section_forces(system, ws, *body, section);
            let (value, fibre) = if k < *sections {
                let of = |normal: &[f64; 6]| normal.iter().zip(&forces).map(|(a, b)| a * b).sum::<f64>().abs();
                let fibres = section.points.iter().enumerate().map(|(fibre, (_, normal))| (of(normal), fibre));
                fibres.fold((0.0, 0), |most, one| if one.0 > most.0 { one } else { most })
            } else {
                (von_mises(&forces), 0)
            };
            self.stresses.push(value);
            self.stress.take(value, k, fibre, time);
        }
    }

    /// Largest values with the names of their nodes or sections.
    pub fn findings(&self, system: &System) -> Findings {
        let Recovered { body, name, first_node, first_section, sections, tensors, .. } = &self.recovered;
        let flexible = &system.flexible[*body];
        let (displacement, stress) = (&self.displacement, &self.stress);
        let known = sections + tensors.len() > 0;
        let node = flexible.nodes.get(first_node + displacement.place);
        let section = flexible.sections.get(first_section + stress.place).filter(|_| known);
        let at = section.map(|section| match section.points.get(stress.fibre) {
            Some((fibre, _)) if stress.place < *sections => format!("{}, fibre {fibre}", section.name),
            _ => section.name.clone(),
        });
        Findings {
            body: name.clone(),
            displacement_m: displacement.value,
            displacement_at: node.map(|node| node.name.clone()).unwrap_or_default(),
            displacement_time_s: displacement.time,
            stress_pa: known.then_some(stress.value),
            stress_at: at,
            stress_time_s: known.then_some(stress.time),
        }
    }
}

/// Von Mises stress of the tensor xx, yy, zz, xy, yz, xz.
fn von_mises([xx, yy, zz, xy, yz, xz]: &[f64; 6]) -> f64 {
    let square = |x: f64| x * x;
    let normal = square(xx - yy) + square(yy - zz) + square(zz - xx);
    (0.5 * normal + 3.0 * (square(*xy) + square(*yz) + square(*xz))).sqrt()
}

impl Findings {
    /// Two lines of text: quantity, value, location and time.
    pub fn rows(&self) -> Vec<[String; 4]> {
        let short = |value: f64| crate::words::short(value, 6);
        let row = |word: &str, value: f64, unit: &str, at: &str, time: f64| {
            let what = format!("{}: greatest {word}", self.body);
            [what, format!("{} {unit}", short(value)), at.to_string(), format!("at {} s", short(time))]
        };
        let mut rows =
            vec![row("displacement", self.displacement_m, "m", &self.displacement_at, self.displacement_time_s)];
        if let (Some(value), Some(at), Some(time)) = (self.stress_pa, &self.stress_at, self.stress_time_s) {
            rows.push(row("stress", 1e-6 * value, "MPa", at, time));
        }
        rows
    }
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

    #[test]
    fn the_stress_of_the_largest_numbers_is_finite() {
        assert!(von_mises(&[MAX_NUMBER, -MAX_NUMBER, MAX_NUMBER, MAX_NUMBER, MAX_NUMBER, MAX_NUMBER]).is_finite());
    }
}
