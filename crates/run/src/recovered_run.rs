//! Displacements and stresses of a flexible body in runs with a recovery file ([`ballesta_files::recovery`]).
//!
//! The solver uses the rows of the file as nodes and sections of the body. They are evaluated on request and do not
//! change the motion. FMUs do not contain them.
//!
//! Stress of a section: the largest |σ| of its fibres, σ = N/A + M_y z/I_y − M_z y/I_z. Of a node: von Mises' of the
//! tensor. Outputs of a fibre with shear stresses are σ, the magnitude of the shear stress and von Mises' of both;
//! outputs of a tensor are its components and its invariants. [`ballesta::dynamics::section_forces`] computes the
//! internal forces, in equilibrium with the loads for any number of modes. A tensor lacks the contribution of the modes
//! that the reduction removed.

use ballesta::document::nearest::did_you_mean;
use ballesta::document::{self, Diagnostics, Source};
use ballesta::dynamics::{node_displacement, section_forces};
use ballesta::model::Document;
use ballesta::model::schema::Output;
use ballesta::rom::Rom;
use ballesta::rom::rom_schema::{DerivedStress, Node, Section, StressPoint};
use ballesta::system::stress::{StressLaw, von_mises};
use ballesta::system::{System, Workspace};
use ballesta_files::Failure;
use ballesta_files::recovery::{Recovery, Stress, read};
use serde::Serialize;
use serde_json::json;
use std::path::PathBuf;

/// Largest relative difference of matrices from one reduction on different machines.
const MATRIX_TOLERANCE: f64 = 1e-6;
/// Components of a stress tensor.
const COMPONENTS: [&str; 6] = ["xx", "yy", "zz", "xy", "yz", "xz"];
/// Invariants of a stress tensor.
const INVARIANTS: [(&str, DerivedStress); 5] = [
    ("von_mises", DerivedStress::TensorVonMises),
    ("max_shear", DerivedStress::TensorMaxShear),
    ("principal_1", DerivedStress::TensorPrincipal(0)),
    ("principal_2", DerivedStress::TensorPrincipal(1)),
    ("principal_3", DerivedStress::TensorPrincipal(2)),
];

/// Nodes and sections that a recovery file added to a flexible body of a document.
#[derive(Clone, Debug, PartialEq)]
pub struct RecoveredBody {
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
pub fn take(document: &mut Document, files: &[PathBuf]) -> Result<Vec<RecoveredBody>, Failure> {
    let mut taken: Vec<RecoveredBody> = Vec::new();
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
pub fn give(document: &mut Document, recovery: &Recovery, source: &Source) -> Result<Vec<RecoveredBody>, Diagnostics> {
    // One recovery file can belong to several bodies with equal models.
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
        // New nodes and sections follow the existing ones of the model.
        merge(rom, recovery, source)?;
        taken.push(RecoveredBody {
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
    // A file that fits no body is an error, with the reason for each body.
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
        if let Some((i, j)) = entries.into_iter().find(|(i, j)| !(off(*i, *j) <= MATRIX_TOLERANCE)) {
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
    let sections = alone.sections.into_iter().map(with_derived);
    rom.sections.extend(sections.chain(tensors));
    Ok(())
}

/// The section with the magnitude of the shear stress and the von Mises stress of every point that has shear rows.
fn with_derived(mut section: Section) -> Section {
    let derived = |point: &StressPoint| {
        let of = |word: &str, derived| StressPoint { name: format!("{}.{word}", point.name), derived, ..point.clone() };
        point.shear.map(|_| [of("shear", DerivedStress::Shear), of("von_mises", DerivedStress::VonMises)])
    };
    let added: Vec<StressPoint> = section.points.iter().filter_map(derived).flatten().collect();
    section.points.extend(added);
    section
}

/// A stress tensor in the place of the six internal forces of a section.
fn tensor(stress: &Stress, node: &Node) -> Section {
    let point =
        |(k, name): (usize, &&str)| StressPoint::normal(*name, std::array::from_fn(|i| f64::from(u8::from(i == k))));
    let invariant = |(name, derived): &(&str, DerivedStress)| StressPoint {
        derived: *derived,
        ..StressPoint::normal(*name, [0.0; 6])
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
        points: COMPONENTS.iter().enumerate().map(point).chain(INVARIANTS.iter().map(invariant)).collect(),
    }
}

/// Adds outputs of recovery files: displacement and rotation of nodes; forces, moments and stresses of sections.
/// `values`: the values of the parameters.
///
/// # Errors
/// Names that are in no recovery file; outputs whose names the model already has.
pub fn add_outputs(
    document: &mut Document,
    taken: &[RecoveredBody],
    names: &[String],
    values: &[f64],
) -> Result<(), Failure> {
    for name in names {
        // A name can occur in several recovery files: each flexible body with that name gets outputs.
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
            // Nodes without rotational shapes, for example of solid elements, have no rotation.
            if let Some(node) = rom.nodes[recovered.first_node..].iter().find(|node| node.name == *name) {
                add("displacement", "displacement", json!({ "node": name }));
                if node.displacement[3..].iter().flatten().any(|entry| *entry != 0.0) {
                    add("rotation", "rotation_angles", json!({ "node": name }));
                }
            }
            // Stress tensors are stored after the sections and have no section force.
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

fn unknown(document: &Document, taken: &[RecoveredBody], name: &str) -> String {
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
pub struct Maximum {
    /// m or Pa.
    pub value: f64,
    /// Number of the node, or of the section or tensor.
    pub place: usize,
    /// Number of the fibre.
    pub fibre: usize,
    /// Time, s.
    pub time: f64,
}

impl Maximum {
    fn take(&mut self, value: f64, place: usize, fibre: usize, time: f64) {
        if value > self.value {
            *self = Maximum { value, place, fibre, time };
        }
    }
}

/// A body whose displacements and stresses are monitored over a run.
pub struct MonitoredBody {
    /// The evaluated quantities.
    pub recovered: RecoveredBody,
    /// Stress of every section, then of every tensor, in the last recorded state, Pa.
    pub stresses: Vec<f64>,
    /// Largest displacement so far, relative to the floating frame.
    pub displacement: Maximum,
    /// Largest stress so far.
    pub stress: Maximum,
}

/// Results of a run, as printed by `--json`.
#[derive(Serialize)]
pub struct RecoveryReport {
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

impl MonitoredBody {
    /// Monitor for the nodes and sections added to a document.
    pub fn new(recovered: &RecoveredBody) -> MonitoredBody {
        let (displacement, stress) = (Maximum::default(), Maximum::default());
        MonitoredBody { recovered: recovered.clone(), stresses: Vec::new(), displacement, stress }
    }

    /// Records an evaluation that contains the reactions ([`ballesta::dynamics::calc_reactions`]).
    pub fn look(&mut self, system: &System, ws: &Workspace, time: f64) {
        let RecoveredBody { body, first_node, nodes, first_section, sections, tensors, .. } = &self.recovered;
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
                let of = |(fibre, (_, law)): (usize, &(String, StressLaw))| match law {
                    StressLaw::Normal(_) => Some((law.value(&forces).abs(), fibre)),
                    _ => None,
                };
                let fibres = section.points.iter().enumerate().filter_map(of);
                fibres.fold((0.0, 0), |most, one| if one.0 > most.0 { one } else { most })
            } else {
                (von_mises(&forces), 0)
            };
            self.stresses.push(value);
            self.stress.take(value, k, fibre, time);
        }
    }

    /// Largest values with the names of their nodes or sections.
    pub fn findings(&self, system: &System) -> RecoveryReport {
        let RecoveredBody { body, name, first_node, first_section, sections, tensors, .. } = &self.recovered;
        let flexible = &system.flexible[*body];
        let (displacement, stress) = (&self.displacement, &self.stress);
        let known = sections + tensors.len() > 0;
        let node = flexible.nodes.get(first_node + displacement.place);
        let section = flexible.sections.get(first_section + stress.place).filter(|_| known);
        let at = section.map(|section| match section.points.get(stress.fibre) {
            Some((fibre, _)) if stress.place < *sections => format!("{}, fibre {fibre}", section.name),
            _ => section.name.clone(),
        });
        RecoveryReport {
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

impl RecoveryReport {
    /// Two lines of text: quantity, value, location and time.
    pub fn rows(&self) -> Vec<[String; 4]> {
        let short = |value: f64| ballesta_files::words::short(value, 6);
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
    use ballesta::document::MAX_NUMBER;

    #[test]
    fn the_stress_of_the_largest_numbers_is_finite() {
        assert!(von_mises(&[MAX_NUMBER, -MAX_NUMBER, MAX_NUMBER, MAX_NUMBER, MAX_NUMBER, MAX_NUMBER]).is_finite());
    }
}
