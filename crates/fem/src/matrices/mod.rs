//! Stiffness and mass matrices of other finite-element programs.
//!
//! A reader for each dialect yields entries with their line numbers (`triplets`). A separate map or labels in the
//! matrices assign degrees of freedom to the rows (`dof_map`); a mesh file gives the node positions (`nodes`). A
//! congruence converts everything to SI (`assemble`). The checks of the whole ([`matrix_checks`]) use the rigid
//! motions, which reveal supports, a map of another mesh and other units.
//!
//! Files are read line by line and may have any number of entries; a fault is reported with file, line and column,
//! and ends the reading.

mod abaqus;
mod assemble;
mod calculix;
mod coordinate_systems;
pub mod covariance;
mod data_lines;
mod dof_map;
pub mod matrices_schema;
pub mod matrix_checks;
mod matrix_market;
mod nastran;
mod node_shapes;
mod nodes;
mod reduced;
mod stressed;
mod substructure;
mod triplets;

use crate::model::FiniteElementModel;
use ballesta::document::{Diagnostic, Diagnostics, Source};
use ballesta::rom::rom_schema::MassModel;
use data_lines::Lines;
use dof_map::DofMap;
use matrices_schema::{MatricesTable, MatrixFormat};
use matrix_checks::MatrixChecks;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use triplets::Triplets;

/// A structure from matrices, before interfaces are added.
#[derive(Clone, Debug)]
pub struct ForeignStructure {
    /// In SI; `motion` is the identity, `covariant_mass` is filled.
    pub model: FiniteElementModel,
    /// Indices of the nodes of each named set; names from decks are in capitals.
    pub node_sets: BTreeMap<String, Vec<usize>>,
    /// The files that were read.
    pub files: Vec<PathBuf>,
    /// Largest difference between the halves of stiffness and mass, relative to √(aᵢᵢ aⱼⱼ).
    pub asymmetry: f64,
    /// Results of the checks with rigid motions.
    pub checks: MatrixChecks,
}

/// Reads the matrices that the table `[matrices]` of a structure file names; `folder` is the folder of that file.
///
/// # Errors
/// The first fault of the data, at its position in the data file; or all faults of the matrices as a whole, at the
/// table.
pub fn read(table: &MatricesTable, source: &Source, folder: &Path) -> Result<ForeignStructure, Diagnostics> {
    // Open all files first: a wrong path is reported before a long file is read.
    let mut files = Vec::new();
    let mut open = |key: &str, name: &str| {
        let path = folder.join(name);
        files.push(path.clone());
        Lines::open(&path).map_err(|error| {
            let found = format!("`{}` cannot be read: {error}", path.display());
            Diagnostics(vec![source.at(format!("matrices.{key}"), found, "give a path relative to this file")])
        })
    };
    let stiffness = open("stiffness", &table.stiffness)?;
    let mass = open("mass", &table.mass)?;
    let nodes = open("nodes", &table.nodes)?;
    let damping = table.damping.as_ref().map(|name| open("damping", name)).transpose()?;
    let map = table.dof_map.as_ref().map(|name| open("dof_map", name)).transpose()?;
    let shapes = table.shapes.as_ref().map(|shapes| -> Result<node_shapes::Files, Diagnostics> {
        let file = open("shapes.file", &shapes.file)?;
        let map = open("shapes.dof_map", &shapes.dof_map)?;
        Ok(node_shapes::Files { shapes: file, map, masses: open("shapes.masses", &shapes.masses)? })
    });
    let shapes = shapes.transpose()?;
    let under_load = table.stressed.iter().enumerate().map(|(i, state)| {
        let (key, name) = state.named(i, source)?;
        let map = state.dof_map.as_ref().map(|name| open(&format!("stressed[{i}].dof_map"), name)).transpose()?;
        Ok((open(&key, name)?, map))
    });
    let under_load = under_load.collect::<Result<Vec<_>, Diagnostics>>()?;
    // The map of degrees of freedom: from its file, or from the labels of the stiffness.
    let one = |diagnostic| Diagnostics(vec![diagnostic]);
    let mut map = match map {
        Some(lines) => DofMap::read(lines).map_err(one)?,
        None => DofMap::of_labels(stiffness.file().to_string()),
    };
    let (stiffness, stiffness_asymmetry) = triplets(table.format, stiffness, 'K', &mut map).map_err(one)?;
    let (mass, mass_asymmetry) = triplets(table.format, mass, 'M', &mut map).map_err(one)?;
    let damping = damping.map(|lines| entries(table.format, lines, 'B', &mut map)).transpose().map_err(one)?;
    // Assemble the model in SI units.
    let nodes = nodes::read(nodes).map_err(one)?;
    let name = Path::new(&source.file).file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let units = table.units.factors();
    let mut model = assemble::assemble(name, (&stiffness, &mass), &map, &nodes, units).map_err(one)?;
    model.damping = damping.map(|(damping, _)| {
        assemble::matrix(&damping, &map, &nodes, &model.dofs, units, (units.stiffness * units.mass).sqrt())
    });
    // Node shapes describe the mass between the nodes. Reduced matrices must be uncoupled for them.
    reduced::expect_a_body(&model, table, source)?;
    let shapes =
        shapes.map(|files| node_shapes::read(files, &mut model, &map, &nodes, units)).transpose().map_err(one)?;
    if model.is_reduced() {
        reduced::uncouple(&mut model)
            .map_err(|finding| Diagnostics(vec![source.at("matrices.stiffness", finding.found, finding.expected)]))?;
    }
    // Reject matrices that no free body can have.
    let (checks, findings) = matrix_checks::check(&model);
    let at_table = |finding: matrix_checks::Finding| source.at("matrices", finding.found, finding.expected);
    let findings = Diagnostics(findings.into_iter().map(at_table).collect());
    findings.into_result(())?;
    shapes.map(|shapes| shapes.weigh(&mut model, &nodes, units)).transpose().map_err(one)?;
    // The form of the mass matrix, for the higher-order inertia.
    if !model.is_reduced() {
        (model.covariant_mass, model.mass_model) = covariance::covariant_mass(&model);
        if model.mass_model == MassModel::Lumped {
            model.mass_points = covariance::rotary_inertia(&model);
        }
    }
    // Results of the checks, and stiffness under load.
    model.covariance = checks.covariance;
    model.notes = checks.notes();
    model.notes.extend(reduced::notes(&model));
    let origin = stressed::UnloadedMatrices { table, map: &mut map, nodes: &nodes };
    stressed::read(origin, under_load, &mut model, source)?;
    let asymmetry = stiffness_asymmetry.max(mass_asymmetry);
    Ok(ForeignStructure { model, node_sets: nodes.sets, files, asymmetry, checks })
}

/// The entries of a stiffness (`initial` K) or mass matrix (M), and their asymmetry. The first matrix completes a map
/// from labels.
fn triplets(
    format: MatrixFormat,
    lines: Lines,
    initial: char,
    map: &mut DofMap,
) -> Result<(Triplets, f64), Diagnostic> {
    let (triplets, asymmetry) = entries(format, lines, initial, map)?;
    triplets.refuse_penalties(map)?;
    if initial == 'K' {
        triplets.expect_every_diagonal(map)?;
    }
    Ok((triplets, asymmetry))
}

/// Conversion of any symmetric matrix.
fn entries(format: MatrixFormat, lines: Lines, initial: char, map: &mut DofMap) -> Result<(Triplets, f64), Diagnostic> {
    let read = match format {
        MatrixFormat::MatrixMarket => matrix_market::read(lines, map),
        MatrixFormat::Abaqus => abaqus::read(lines, initial, map),
        MatrixFormat::Calculix => calculix::read(lines, map),
        MatrixFormat::Nastran => nastran::read(lines, initial, map),
    };
    map.complete();
    read?.symmetric(map)
}
