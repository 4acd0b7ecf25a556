//! Opening a structure: from what was typed to its matrices, the settings of its reduction, and what stands in the way.

use super::failure::Failure;
use super::kind::{self, Kind};
use ballesta::document::{Diagnostics, Source};
use ballesta::rom::schema;
use ballesta_fem::factor::FactorError;
use ballesta_fem::model::{Dimension, FiniteElementModel};
use ballesta_fem::reduction::{Damping, ModeChoice, Refusal, ResidualLoads, Settings};
use ballesta_fem::structure::schema::{Reduction, Residual};
use ballesta_fem::structure::{self, Structure};
use std::path::{Path, PathBuf};

/// The structure file that a folder or a file stands for.
pub fn file(typed: &Path) -> PathBuf {
    if typed.is_dir() { typed.join(structure::FILE_NAME) } else { typed.to_path_buf() }
}

/// Reads and assembles a structure. A missing or unreadable file is a matter of the file system, not of the structure.
pub fn open(typed: &Path) -> Result<(Structure, FiniteElementModel), Failure> {
    let file = file(typed);
    let unread = |error| match typed.is_dir() {
        true => kind::other(typed, Kind::Structure).unwrap_or(Failure::file("read", &file, error)),
        false => Failure::file("read", &file, error),
    };
    ballesta::document::file::open(&file).map_err(unread)?;
    let structure = structure::load(&file).map_err(|wrong| kind::refused(&file, Kind::Structure, wrong))?;
    let model = structure::build(&structure)?;
    Ok((structure, model))
}

/// The settings of `[reduction]` and `[damping]`, and the step for which the report is made.
pub fn settings(structure: &Structure) -> Result<(Settings, f64), Failure> {
    let file = &structure.file;
    let Some(reduction) = &file.reduction else {
        let expected = "add the table [reduction] with `modes`, `mode_numbers`, `frequency_hz` or `effective_mass`";
        let missing = structure.source.at("reduction", "the structure does not say how it is reduced", expected);
        return Err(Failure::Input(Diagnostics(vec![missing])));
    };
    let Reduction { modes, mode_numbers, frequency_hz, effective_mass, .. } = reduction;
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

/// Number of modes to reckon with before they are known.
pub fn expected_modes(settings: &Settings) -> usize {
    match &settings.modes {
        ModeChoice::Count(count) => *count,
        ModeChoice::Numbers(numbers) => numbers.last().copied().unwrap_or(0),
        ModeChoice::Frequency(_) | ModeChoice::EffectiveMass(_) => 40,
    }
}

/// Where the model comes from, for its file.
pub fn provenance(structure: &Structure, model: &FiniteElementModel) -> Result<schema::Source, Failure> {
    let file = Path::new(&structure.source.file);
    Ok(schema::Source {
        program: concat!("ballesta ", env!("CARGO_PKG_VERSION")).into(),
        file: file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
        sha256: structure.sha256().map_err(|error| Failure::file("read the matrices of", file, error))?,
        dimension: if model.dimension == Dimension::Plane { 2 } else { 3 },
        nodes: model.nodes.len(),
        elements: model.element_count,
        dofs: model.size(),
    })
}

/// A refusal of the reduction as a diagnostic of the structure's file.
pub fn refused(source: &Source, refusal: Refusal) -> Failure {
    Failure::Input(Diagnostics(vec![source.at(refusal.key, refusal.found, refusal.expected)]))
}

/// A matrix of the whole structure that cannot be factorised.
pub fn unfactorised(source: &Source, model: &FiniteElementModel, error: FactorError) -> Failure {
    let (found, expected) = match error {
        FactorError::Singular(dof) => (
            format!("{} moves without stiffness although the structure is held", model.dof_name(dof)),
            "the structure is a mechanism or has loose parts: add members, or remove releases",
        ),
        FactorError::TooLarge => {
            (format!("{} degrees of freedom are too many for this machine", model.size()), "use a coarser mesh")
        }
    };
    Failure::Input(Diagnostics(vec![source.at("", found, expected)]))
}

/// Bytes of memory that are free for a program, where the system tells.
pub fn available_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kilobytes| 1024 * kilobytes)
}
