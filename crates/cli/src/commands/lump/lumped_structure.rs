//! `ballesta lump` for a whole structure.

use super::arguments::{Lump, LumpJoint};
use super::{Comparison, answer, joint_of, name_of};
use crate::commands::export::notice;
use crate::text::{self, short};
use ballesta::document::Diagnostics;
use ballesta_fem::factor::FactorError;
use ballesta_fem::lumped::beam_structure::MAX_BODIES;
use ballesta_fem::lumped::small_motions::{highest_frequency_hz, static_work};
use ballesta_fem::lumped::{ElementJoint, LumpedStructure, StructureModelOptions};
use ballesta_fem::model::{FiniteElementModel, LoadCase};
use ballesta_fem::natural::natural_modes;
use ballesta_fem::structure::structure_schema::{Load, Theory};
use ballesta_fem::structure::{self, Structure};
use ballesta_files::Failure;
use ballesta_files::output_file::keep_apart;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Frequencies in a row of the comparison.
const FREQUENCIES: usize = 3;

/// Largest number of bodies in the additional rows of the comparison.
const MAX_COMPARED_BODIES: usize = MAX_BODIES / 5;

/// Resolved command.
pub struct Plan {
    structure: Structure,
    joint: ElementJoint,
    elements: usize,
    name: String,
    damping_ratio: f64,
    gravity: f64,
    load: Option<String>,
    output: Option<PathBuf>,
    compare: bool,
    json: bool,
}

impl Plan {
    /// Resolves names and defaults.
    pub fn resolve(typed: Lump, structure: Structure) -> Result<Plan, Failure> {
        // A structure file defines loads, springs and masses itself; the options are only for a single beam.
        let of_beams = [
            ("--force", typed.force != 0.0, "[[load]]"),
            ("--base-spring", typed.base_spring.is_some(), "[[spring]]"),
            ("--tip-mass", typed.tip_mass > 0.0, "[[mass]]"),
            ("--tip-inertia", typed.tip_inertia > 0.0, "[[mass]]"),
        ];
        if let Some((option, _, table)) = of_beams.into_iter().find(|(_, given, _)| *given) {
            let message = format!("{option} needs a single beam (--beam NAME); a structure defines it as {table}");
            return Err(Failure::Usage(message));
        }
        // A planar structure bends about one axis, a spatial one about both, so the default joint differs.
        let plane = structure.file.general.dimension == 2;
        let joint = match (typed.joint, plane) {
            _ if typed.both_planes => ElementJoint::Universal,
            (Some(joint), _) => joint_of(joint),
            (None, true) => joint_of(LumpJoint::Revolute),
            (None, false) => joint_of(LumpJoint::Spherical),
        };
        // The load case must exist in the structure.
        if let Some(wanted) = &typed.load {
            let known: Vec<&str> = structure.file.loads.iter().map(|load| load.name.as_str()).collect();
            if !known.contains(&wanted.as_str()) {
                let near = text::nearest(wanted, known.iter().copied());
                let hint = match (near, known.is_empty()) {
                    (Some(near), _) => format!("did you mean `{near}`?"),
                    (None, true) => "the structure has none".to_string(),
                    (None, false) => format!("expected one of {}", known.join(", ")),
                };
                return Err(Failure::Usage(format!("--load {wanted}: unknown load; {hint}")));
            }
        }
        // The output must not overwrite a file of the structure.
        keep_apart(&[("--output", typed.output.as_deref())], &structure.files())?;
        let name = name_of(typed.output.as_deref(), Some(structure.file.general.name.clone()));
        Ok(Plan {
            joint,
            elements: typed.elements as usize,
            name,
            damping_ratio: typed.damping_ratio,
            gravity: typed.gravity,
            load: typed.load,
            output: typed.output,
            compare: typed.compare,
            json: typed.json,
            structure,
        })
    }

    /// Writes the model or prints the comparison.
    pub fn execute(self) -> Result<(), Failure> {
        let sheared = self.structure.file.beams.iter().any(|beam| beam.theory == Theory::Timoshenko);
        if sheared && !matches!(self.joint, ElementJoint::Bushing | ElementJoint::Planar) {
            notice("the joints have no shear deformation: the theory `timoshenko` of beams is ignored");
        }
        let lumped = LumpedStructure::new(&self.structure, self.joint, self.elements)?;
        let small = self.small_motions(&lumped)?;
        let Some(first) = self.frequencies(&small)?.first().copied() else {
            let message = "no body of the structure can move: remove supports or increase --elements";
            return Err(Failure::Usage(message.into()));
        };
        let comparison = if self.compare { Some(self.comparison(&lumped, &small)?) } else { None };
        if let Some(comparison) = comparison.as_ref().filter(|_| !self.json) {
            text::say(&comparison.text())?;
        }
        let plane = self.structure.file.general.dimension == 2;
        let model = lumped.model(&StructureModelOptions {
            name: self.name.clone(),
            damping_ratio: self.damping_ratio,
            gravity: if plane { [0.0, self.gravity, 0.0] } else { [0.0, 0.0, self.gravity] },
            load: self.load.clone(),
            first_hz: first,
            highest_hz: highest_frequency_hz(&small).map_err(|error| self.unfactorised(&small, error))?,
        });
        let facts = comparison.map_or(Value::Null, |comparison| json!({"comparison": comparison.json()}));
        answer(&model, self.output.as_deref(), facts, self.compare, self.json)
    }

    fn small_motions(&self, lumped: &LumpedStructure) -> Result<FiniteElementModel, Failure> {
        lumped.small_motions().map_err(|joint| {
            let other = if self.structure.file.general.dimension == 2 { "planar" } else { "bushing" };
            let found = format!("joint {} duplicates constraints of other joints and supports", joint.name);
            let expected =
                format!("expected axially flexible joints: --joint {other} (for straight beams between supports)");
            Failure::Input(Diagnostics(vec![self.structure.source.at(&joint.key, found, expected)]))
        })
    }

    fn unfactorised(&self, model: &FiniteElementModel, error: FactorError) -> Failure {
        structure::unfactorised(&self.structure.source, model, error)
    }

    /// First frequencies in Hz; empty if no body can move.
    fn frequencies(&self, model: &FiniteElementModel) -> Result<Vec<f64>, Failure> {
        if model.size() == model.supports.len() {
            return Ok(Vec::new());
        }
        let modes = natural_modes(model, true, FREQUENCIES).map_err(|error| self.unfactorised(model, error))?;
        Ok(modes.frequencies_hz)
    }

    /// Static responses and first frequencies over the number of elements, and the results of finite elements.
    fn comparison(&self, lumped: &LumpedStructure, small: &FiniteElementModel) -> Result<Comparison, Failure> {
        let held = !small.supports.is_empty();
        let cases: Vec<&LoadCase> = if held { small.loads.iter().collect() } else { Vec::new() };
        let measures: Vec<Measure> = cases.iter().map(|case| Measure::new(case, &self.structure.file.loads)).collect();
        let mut rows = vec![vec!["elements".to_string(), "bodies".to_string()]];
        rows[0].extend(measures.iter().map(|measure| measure.heading.clone()));
        rows[0].extend((1..=FREQUENCIES).map(|i| format!("f{i} Hz")));
        let row = |name: String, bodies: String, model: &FiniteElementModel| {
            let mut row = vec![name, bodies];
            for measure in &measures {
                let case = model.loads.iter().find(|case| case.name == measure.case);
                let work = case.map(|case| static_work(model, case)).transpose();
                let work = work.map_err(|error| self.unfactorised(model, error))?;
                row.push(work.map_or(String::new(), |work| short(measure.factor * work, 7)));
            }
            let frequencies = self.frequencies(model)?;
            row.extend((0..FREQUENCIES).map(|i| frequencies.get(i).map_or(String::new(), |hertz| short(*hertz, 7))));
            Ok::<_, Failure>(row)
        };
        let beams = self.structure.file.beams.len();
        let mut counts: Vec<usize> = [1, 2, 4, 8].into_iter().filter(|n| n * beams <= MAX_COMPARED_BODIES).collect();
        counts.push(self.elements);
        counts.sort_unstable();
        counts.dedup();
        let mut finest = None;
        for n in counts {
            let other = match n == self.elements {
                true => lumped.clone(),
                false => LumpedStructure::new(&self.structure, self.joint, n)?,
            };
            // With few elements, no body may be able to move.
            if let Some(model) = other.small_motions().ok().filter(|model| model.size() > model.supports.len()) {
                rows.push(row(n.to_string(), other.bodies.len().to_string(), &model)?);
            }
            finest = Some(other);
        }
        let finest = finest.as_ref().unwrap_or(lumped);
        rows.push(row(format!("finite, {}", finest.elements), String::new(), &finest.finite_elements)?);
        let how = if held { "held by its supports" } else { "free: no static response without supports" };
        let title = format!("{} as rigid bodies, elements per beam; {how}", self.structure.file.general.name);
        Ok(Comparison { title, rows, note: "The last row: finite elements with the rotary inertia of the sections.\n" })
    }
}

/// Measure of the response to a load case.
struct Measure {
    case: String,
    heading: String,
    /// From Σ f u to the unit of the heading.
    factor: f64,
}

impl Measure {
    /// One force: the displacement along it. One moment: the rotation about it. More: the strain energy.
    fn new(case: &LoadCase, loads: &[Load]) -> Measure {
        let of_case: Vec<&Load> = loads.iter().filter(|load| load.name == case.name).collect();
        let size = |vector: Option<[f64; 3]>| vector.unwrap_or_default().iter().map(|v| v * v).sum::<f64>().sqrt();
        let (unit, factor) = match of_case.as_slice() {
            [load] if size(load.moment) == 0.0 && size(load.force) > 0.0 => ("mm", 1e3 / size(load.force)),
            [load] if size(load.force) == 0.0 && size(load.moment) > 0.0 => ("mrad", 1e3 / size(load.moment)),
            _ => ("mJ", 0.5e3),
        };
        Measure { case: case.name.clone(), heading: format!("{} {unit}", case.name), factor }
    }
}
