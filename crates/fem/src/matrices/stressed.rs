//! Stiffness of a structure under loads: the change of stiffness by each load is its geometric stiffness K_G.
//!
//! Programs assemble the stiffness K_s of a prestressed step; K_G = K_s − K, which is linear in the load for small
//! loads. A rigid translation does not change the load and the stress, so K_G t = 0. Some programs subtract the change
//! of the centrifugal forces with the displacement, (ω·ω I − ω ωᵀ) M ("spin softening", "load stiffness"), from K_s.
//! This is not stress stiffness and is part of the equations of motion. Translations reveal this term, and it is added
//! again.

use super::data_lines::Lines;
use super::dof_map::DofMap;
use super::matrices_schema::{MatricesTable, StressedTable};
use super::nodes::NodeTable;
use super::{assemble, entries, triplets};
use crate::model::{FiniteElementModel, Stressed};
use crate::sparse::SparseSymmetric;
use ballesta::document::{Diagnostics, Source};
use ballesta::math::Vec3;
use ballesta::rom::rom_schema::MassModel;

/// Largest K_G t, relative to the largest entry of K_G: differences of matrices with 10 digits reach 1e-6.
const TRANSLATION: f64 = 1e-3;

/// Largest K_G, relative to the largest entry of K. Above this size of strains and angles, second-order effects of the
/// load are significant. Matrices of other structures also exceed it.
const MAX_STIFFENING: f64 = 0.01;

/// A file under load with its separate map.
pub type UnderLoad = (Lines, Option<Lines>);

/// The matrices without load, for comparison with the loaded matrices.
pub struct UnloadedMatrices<'a> {
    pub table: &'a MatricesTable,
    pub map: &'a mut DofMap,
    pub nodes: &'a NodeTable,
}

impl StressedTable {
    /// Key and name of the file of state `i`.
    ///
    /// # Errors
    /// No file, or two files.
    pub(super) fn named(&self, i: usize, source: &Source) -> Result<(String, &str), Diagnostics> {
        let (key, name) = match (&self.stiffness, &self.geometric) {
            (Some(name), None) => ("stiffness", name),
            (None, Some(name)) => ("geometric", name),
            _ => {
                let found = "a load state needs exactly one matrix";
                let expected = "give `stiffness` (total under the load) or `geometric` (contribution of the load)";
                return Err(Diagnostics(vec![source.at(format!("matrices.stressed[{i}]"), found, expected)]));
            }
        };
        Ok((format!("stressed[{i}].{key}"), name))
    }

    /// Accelerations, angular accelerations and products of angular velocities about the origin of C, see [`Stressed`].
    fn motion(&self) -> [f64; 12] {
        let [gravity, spin, turn, centre] =
            [self.gravity, self.angular_velocity, self.angular_acceleration, self.centre].map(Vec3::from);
        // ω×(ω×(x − c)) + α×(x − c) − g.
        let origin = -gravity - spin.cross(&spin.cross(&centre)) - turn.cross(&centre);
        let products = crate::model::PRODUCTS.map(|(a, b)| spin[a] * spin[b]);
        std::array::from_fn(|i| match i {
            0..3 => origin[i],
            3..6 => turn[i - 3],
            _ => products[i - 6],
        })
    }
}

/// Reads the states under load into `model`, whose interfaces are added later.
///
/// # Errors
/// Errors of a file, with line and column; matrices that are not the matrices of the loaded structure.
pub fn read(
    origin: UnloadedMatrices<'_>,
    under_load: Vec<UnderLoad>,
    model: &mut FiniteElementModel,
    source: &Source,
) -> Result<(), Diagnostics> {
    let UnloadedMatrices { table, map, nodes } = origin;
    let units = table.units.factors();
    // A state under load can have its own numbering of degrees of freedom.
    for (i, (state, (lines, own_map))) in table.stressed.iter().zip(under_load).enumerate() {
        let one = |diagnostic| Diagnostics(vec![diagnostic]);
        let refuse = |found: String, expected: &str| {
            Diagnostics(vec![source.at(format!("matrices.stressed[{i}]"), found, expected)])
        };
        let mut own_map = own_map.map(DofMap::read).transpose().map_err(one)?;
        let rows = map.rows.len();
        let map = own_map.as_mut().unwrap_or(map);
        // Rows of the loaded structure must be the same degrees of freedom.
        let is_there = |row: &&super::dof_map::MapRow| {
            let node = nodes.index(row.node);
            let known = |node| model.dofs.binary_search_by_key(&(node, row.direction), |dof| (dof.node, dof.direction));
            node.is_some_and(|node| known(node).is_ok())
        };
        let known = map.rows.iter().filter(is_there).count();
        if known != rows || map.rows.len() != rows {
            let found = format!("the map has only {known} of the {rows} degrees of freedom of the structure");
            return Err(refuse(found, RELEASE));
        }
        // The file has the whole stiffness under load or only the geometric stiffness.
        let whole = state.stiffness.is_some();
        let (matrix, _) = match whole {
            true => triplets(table.format, lines, 'K', map),
            false => entries(table.format, lines, 'K', map),
        }
        .map_err(|mut diagnostic| {
            diagnostic.expected += &format!("; {RELEASE}");
            one(diagnostic)
        })?;
        // K_G = K(load) − K(0), in SI units.
        let matrix = assemble::matrix(&matrix, map, nodes, &model.dofs, units, units.stiffness);
        let geometric = if whole { matrix.plus(-1.0, &model.stiffness) } else { matrix };
        let geometric = checked(geometric, state, i, model, &refuse)?;
        model.stressed.push(Stressed { geometric, difference: whole, motion: state.motion(), interface: None });
    }
    Ok(())
}

/// Correction for missing rows.
const RELEASE: &str =
    "export the matrix under load for all degrees of freedom; release the supports in the export step";

/// K_G without spin softening, after the checks of translations and size.
fn checked(
    geometric: SparseSymmetric,
    state: &StressedTable,
    i: usize,
    model: &mut FiniteElementModel,
    refuse: &dyn Fn(String, &str) -> Diagnostics,
) -> Result<SparseSymmetric, Diagnostics> {
    // A geometric stiffness that is not small is no linear effect of the load.
    let size = geometric.largest() / model.stiffness.largest();
    if !(size > 0.0) {
        return Err(refuse("the load does not change the stiffness".into(), "give the matrix of the loaded structure"));
    }
    if !(size <= MAX_STIFFENING) {
        let found =
            format!("the load changes the stiffness by {size:.1e} of its largest entry (limit {MAX_STIFFENING})");
        let expected = "use a smaller load with a linear effect, and a matrix of the same structure; give its own \
                        `dof_map` if its rows differ";
        return Err(refuse(found, expected));
    }
    // Some programs include spin softening; it is recognized because translations then have a stiffness.
    let spin = Vec3::from(state.angular_velocity);
    let resistance = resistance(&geometric, model);
    if spin != Vec3::zeros() && model.mass_model == MassModel::Consistent {
        let hard = geometric.plus(1.0, &softening(spin, model));
        if self::resistance(&hard, model) < 0.1 * resistance.min(TRANSLATION) {
            model.notes.push(format!(
                "`matrices.stressed[{i}]` contained the spin softening (ω·ω I − ω ωᵀ) M: removed, because the \
                 equations of motion include it"
            ));
            return Ok(hard);
        }
    }
    // Stress stiffness has no resistance against rigid translations.
    if !(resistance <= TRANSLATION) {
        let found = format!(
            "translations are resisted by {resistance:.1e} of the largest geometric stiffness (limit \
             {TRANSLATION:.0e}): not only stress stiffness"
        );
        let expected = "export both matrices with all digits, same materials, no springs to ground and no load \
                        stiffness (CalculiX: *DLOAD, OP=NEW)";
        return Err(refuse(found, expected));
    }
    Ok(geometric)
}

/// Largest K_G t over the translations t, relative to the largest entry of K_G.
fn resistance(geometric: &SparseSymmetric, model: &FiniteElementModel) -> f64 {
    let motions = model.rigid_motions(Vec3::zeros());
    geometric.multiply(motions.subcols(0, 3)).norm_max() / geometric.largest()
}

/// (ω·ω I − ω ωᵀ) M of an isotropic mass.
fn softening(spin: Vec3, model: &FiniteElementModel) -> SparseSymmetric {
    let mut entries = Vec::new();
    let dofs = |node: usize| {
        let first = model.dofs.partition_point(|dof| dof.node < node);
        (first..model.size()).take_while(move |dof| model.dofs[*dof].node == node)
    };
    for node in 0..model.nodes.len() {
        for (other, mass) in model.covariant_mass.column(node) {
            for (i, j) in dofs(node).flat_map(|i| dofs(other).map(move |j| (i, j))).filter(|(i, j)| i <= j) {
                let (a, b) = (model.dofs[i].direction, model.dofs[j].direction);
                if a < 3 && b < 3 {
                    let unit = if a == b { spin.norm_squared() } else { 0.0 };
                    entries.push((i, j, mass * (unit - spin[a] * spin[b])));
                }
            }
        }
    }
    SparseSymmetric::from_half(model.size(), &entries)
}
