//! Reduces a structure as specified in `[reduction]`: the reduced-order model and the data of the report.

use crate::comparison::{self, Pair};
use crate::export;
use crate::model::{Dimension, FiniteElementModel};
use crate::reduction::{Damping, ModeChoice, Prediction, Reducer, Reduction, Refusal, ResidualLoads, Settings};
use crate::structure::structure_schema::{Reduction as Table, Residual};
use crate::structure::{Structure, StructureOutputs, unfactorised};
use ballesta::document::{Diagnostics, Source};
use ballesta::rom::{Rom, rom_schema};
use ballesta_files::recovery::{self, Recovery};
use ballesta_files::words::size;
use ballesta_files::{Failure, output_file};
use serde::Serialize;
use std::f64::consts::TAU;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Largest number of modes in the comparison of full and reduced frequencies.
const MAX_COMPARED_MODES: usize = 20;

/// Options in addition to the settings in the structure file.
pub struct Options {
    /// Number of internal modes, the lowest, instead of the number in the structure file.
    pub modes: Option<usize>,
    /// Whether the reduced model is compared with the full structure.
    pub compare: bool,
    /// The recovery file to write, with the data of the structure for it.
    pub recovery: Option<(PathBuf, StructureOutputs)>,
}

/// Reduces a structure and writes the model to `output`. Calls `predicted` with the expected cost before it begins.
pub fn reduce(
    structure: &Structure,
    model: &FiniteElementModel,
    output: &Path,
    options: &Options,
    predicted: impl FnOnce(&Prediction),
) -> Result<(Reduction, ReductionReport), Failure> {
    let start = Instant::now();
    // Settings from the structure; command-line options replace the number of modes.
    let source = &structure.source;
    let refuse = |refusal| refused(source, refusal);
    let (mut settings, step_s) = settings(structure, model)?;
    if let Some(count) = options.modes {
        settings.modes = ModeChoice::Count(count);
    }
    // Predict time and memory, and stop before the memory is exhausted.
    let reducer = Reducer::new(model).map_err(refuse)?;
    let prediction = reducer.prediction(expected_modes(&settings), &settings);
    predicted(&prediction);
    available_memory().map_or(Ok(()), |available| fits(prediction.bytes as u64, available))?;
    // Reduce, then compare with the full model on request.
    let mut reduction = reducer.reduce(&settings, provenance(structure, model)?).map_err(refuse)?;
    // The comparison needs the memory.
    drop(reducer);
    let seconds = start.elapsed().as_secs_f64();
    let pairs = match options.compare {
        true => comparison::compare(model, &reduction, MAX_COMPARED_MODES)
            .map_err(|error| unfactorised(source, model, error))?,
        false => Vec::new(),
    };
    // Recovery data are separate from the model, because most runs do not need them.
    let recovery = options.recovery.as_ref().map(|(path, everything)| (path, split(&mut reduction.rom, everything)));
    // The text must be readable as a model before it replaces an existing file.
    let written = export::to_toml(&reduction.rom);
    readable(&written, &source.file)?;
    output_file::write(output, &written)?;
    let mut findings = ReductionReport::new(&reduction, output, pairs, step_s, seconds);
    if let Some((path, recovery)) = &recovery {
        output_file::write(path, export::recovery_to_toml(recovery))?;
        findings.recovery = Some(path.display().to_string());
    }
    findings.notes.extend_from_slice(&model.notes);
    Ok((reduction, findings))
}

/// Removes the data of the recovery file from a reduced-order model and returns them.
pub fn split(rom: &mut Rom, everything: &StructureOutputs) -> Recovery {
    Recovery {
        format: recovery::FORMAT.into(),
        version: recovery::VERSION,
        name: rom.name.clone(),
        stiffness: rom.matrices.stiffness.clone(),
        mass: rom.matrices.mass.clone(),
        lines: everything.lines.clone(),
        nodes: rom.nodes.split_off(everything.own_nodes),
        sections: rom.sections.split_off(everything.own_sections),
        stresses: Vec::new(),
    }
}

/// Results of the reduction, as printed by `--json`.
#[derive(Serialize)]
pub struct ReductionReport {
    pub structure: String,
    pub file: String,
    /// The recovery file, if requested.
    pub recovery: Option<String>,
    pub dofs: usize,
    pub coordinates: usize,
    pub interface_coordinates: usize,
    pub modes: Vec<Mode>,
    pub residual_vectors: usize,
    pub mass_kg: f64,
    pub centre_of_mass_m: [f64; 3],
    pub inertia_kgm2: [f64; 6],
    /// Free elastic modes of the reduced model.
    pub frequencies_hz: Vec<f64>,
    pub comparison: Vec<ModeComparison>,
    pub factor_entries: usize,
    pub predicted_bytes: usize,
    pub checks: Checks,
    pub step_s: f64,
    pub seconds: f64,
    /// Warnings.
    pub notes: Vec<String>,
    /// Number of modes beyond the requested number.
    #[serde(skip)]
    pub completed: usize,
    /// Source of the stress stiffening.
    #[serde(skip)]
    pub stiffening: Option<&'static str>,
    #[serde(skip)]
    pub sections: usize,
}

#[derive(Serialize)]
pub struct Mode {
    pub frequency_hz: f64,
    /// Effective mass as a fraction of the interior mass, in x, y, z, rx, ry, rz; `null` if there is none.
    pub effective_mass: [Option<f64>; 6],
    /// ω times the step.
    pub omega_h: f64,
    pub residual: bool,
}

#[derive(Serialize)]
pub struct ModeComparison {
    pub full_hz: f64,
    pub reduced_hz: f64,
    pub relative_error: f64,
    pub assurance: f64,
}

#[derive(Serialize)]
pub struct Checks {
    pub full_rigid_stiffness: f64,
    pub rigid_stiffness: f64,
    pub rigid_modes: usize,
    pub modes_counted: usize,
    pub modes_found: usize,
    pub mass_condition: f64,
    pub covariance: f64,
}

impl ReductionReport {
    fn new(reduction: &Reduction, file: &Path, pairs: Vec<Pair>, step_s: f64, seconds: f64) -> ReductionReport {
        let rom = &reduction.rom;
        let frequencies = &rom.modes.frequencies_hz;
        // Effective masses are fractions of the interior mass; directions without mass have none.
        let internal = frequencies.len() - rom.modes.residual;
        let part = |mass: f64, of: f64, largest: f64| (of > 1e-9 * largest).then(|| mass / of);
        let largest = |from: usize| reduction.interior_mass[from..from + 3].iter().fold(0.0_f64, |a, b| a.max(*b));
        let mode = |(i, frequency_hz): (usize, &f64)| Mode {
            frequency_hz: *frequency_hz,
            effective_mass: std::array::from_fn(|c| {
                part(rom.modes.effective_mass[i][c], reduction.interior_mass[c], largest(3 * (c / 3)))
            }),
            omega_h: TAU * frequency_hz * step_s,
            residual: i >= internal,
        };
        // Frequencies of the reduced and of the full model.
        let compared = |pair: Pair| ModeComparison {
            full_hz: pair.full_hz,
            reduced_hz: pair.reduced_hz,
            relative_error: pair.reduced_hz / pair.full_hz - 1.0,
            assurance: pair.assurance,
        };
        ReductionReport {
            structure: rom.name.clone(),
            file: file.display().to_string(),
            recovery: None,
            dofs: rom.source.dofs,
            coordinates: rom.matrices.size,
            interface_coordinates: rom.matrices.size - frequencies.len(),
            modes: frequencies.iter().enumerate().map(mode).collect(),
            residual_vectors: rom.modes.residual,
            mass_kg: rom.rigid.mass,
            centre_of_mass_m: rom.rigid.centre,
            inertia_kgm2: rom.rigid.inertia,
            frequencies_hz: rom.checks.free_frequencies_hz.clone(),
            comparison: pairs.into_iter().map(compared).collect(),
            factor_entries: reduction.prediction.fill,
            predicted_bytes: reduction.prediction.bytes,
            checks: Checks {
                full_rigid_stiffness: rom.checks.full_rigid_stiffness,
                rigid_stiffness: rom.checks.rigid_stiffness,
                rigid_modes: rom.checks.rigid_modes,
                modes_counted: rom.checks.modes_counted,
                modes_found: rom.checks.modes_found,
                mass_condition: rom.checks.mass_condition,
                covariance: rom.inertia.covariance,
            },
            step_s,
            seconds,
            notes: rom.stiffening.iter().filter_map(missing).collect(),
            completed: reduction.completed,
            stiffening: rom.stiffening.as_ref().map(|_| match rom.source.elements {
                0 => "from the load states",
                _ => "from the elements",
            }),
            sections: rom.sections.len(),
        }
    }
}

/// Motions without stress stiffening because no load state covers them.
fn missing(stiffening: &rom_schema::Stiffening) -> Option<String> {
    let list = stiffening.missing.join(", ");
    (!list.is_empty()).then(|| {
        format!(
            "no stress stiffening by these motions: {list} (translation: acceleration or gravity; rotation: angular \
             acceleration). `matrices.stressed` has no state for them, or the state bends the structure"
        )
    })
}

/// The settings of `[reduction]` and `[damping]`, and the step of the report. For an already reduced body, all modal
/// coordinates are kept unless `[reduction]` says otherwise.
pub fn settings(structure: &Structure, model: &FiniteElementModel) -> Result<(Settings, f64), Failure> {
    let file = &structure.file;
    let all = || model.is_reduced().then(|| Table::lowest(model.interior()));
    let reduction = file.reduction.clone().or_else(all);
    let Some(reduction) = &reduction else {
        let expected = "add the table [reduction] with `modes`, `mode_numbers`, `frequency_hz` or `effective_mass`";
        let missing = structure.source.at("reduction", "the structure has no [reduction] table", expected);
        return Err(Failure::Input(Diagnostics(vec![missing])));
    };
    let Table { modes, mode_numbers, frequency_hz, effective_mass, .. } = reduction;
    let modes = match (modes, mode_numbers, frequency_hz, effective_mass) {
        (Some(count), ..) => ModeChoice::Count(*count),
        (_, Some(numbers), ..) => ModeChoice::Numbers(numbers.clone()),
        (_, _, Some(limit), _) => ModeChoice::Frequency(*limit),
        (.., part) => ModeChoice::EffectiveMass(part.unwrap_or_default()),
    };
    let residual = ResidualLoads {
        gravity: reduction.residual.contains(&Residual::Gravity),
        rotation: reduction.residual.contains(&Residual::Rotation),
        cases: reduction.residual.contains(&Residual::Loads),
    };
    let damping = match (&file.damping.ratio, &file.damping.ratios, &file.damping.rayleigh) {
        (Some(ratio), _, _) => Damping::Ratio(*ratio),
        (_, Some(ratios), _) => Damping::Ratios(ratios.clone()),
        (_, _, Some([alpha, beta])) => Damping::Rayleigh(*alpha, *beta),
        _ => Damping::None,
    };
    Ok((Settings { modes, residual, damping, support: reduction.support.clone() }, reduction.step))
}

/// Expected number of modes before the search.
pub fn expected_modes(settings: &Settings) -> usize {
    match &settings.modes {
        ModeChoice::Count(count) => *count,
        ModeChoice::Numbers(numbers) => numbers.last().copied().unwrap_or(0),
        ModeChoice::Frequency(_) | ModeChoice::EffectiveMass(_) => 40,
    }
}

/// Source of the model, for its file.
pub fn provenance(structure: &Structure, model: &FiniteElementModel) -> Result<rom_schema::Source, Failure> {
    let file = Path::new(&structure.source.file);
    Ok(rom_schema::Source {
        program: concat!("ballesta ", env!("CARGO_PKG_VERSION")).into(),
        file: file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
        sha256: structure.sha256().map_err(|error| Failure::file("read the matrices of", file, error))?,
        dimension: if model.dimension == Dimension::Plane { 2 } else { 3 },
        nodes: model.nodes.len(),
        elements: model.element_count,
        dofs: model.size(),
    })
}

/// A rejected reduction as a diagnostic of the structure file.
fn refused(source: &Source, refusal: Refusal) -> Failure {
    Failure::Input(Diagnostics(vec![source.at(refusal.key, refusal.found, refusal.expected)]))
}

/// Free memory for a program in bytes, if the system reports it.
fn available_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kilobytes| 1024 * kilobytes)
}

/// Rejects a reduction that needs more memory than is free.
fn fits(needed: u64, available: u64) -> Result<(), Failure> {
    if needed <= available {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "the reduction needs {} of memory, {} are free; use a coarser mesh or a machine with more memory",
        size(needed),
        size(available)
    )))
}

/// Rejects a reduced model that could not be read again, with the reasons, as diagnostics of its structure.
fn readable(written: &str, structure: &str) -> Result<(), Failure> {
    let Err(Diagnostics(mut found)) = ballesta::rom::parse(written, structure) else { return Ok(()) };
    for diagnostic in &mut found {
        (diagnostic.line, diagnostic.column) = (0, 0);
        diagnostic.found = format!("error in the reduced model, not written: {}", diagnostic.found);
    }
    Err(Failure::Input(Diagnostics(found)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_fit_is_refused_with_both_numbers() {
        assert!(fits(8_000_000, 8_000_000).is_ok());
        let refusal = fits(31_000_000_000, 8_000_000_000).unwrap_err().to_string();
        assert!(refusal.contains("31000 MB") && refusal.contains("8000 MB are free"), "{refusal}");
    }
}
