//! Matrices of a body that another program has already reduced: rows of its interfaces, and modal rows.
//!
//! The displacement of such a body is u = Ψ u_b + Φ η with shapes that its matrices do not contain. K, M, C, mass,
//! centre of mass, inertia, and the momentum and angular momentum of every coordinate are exact, because the interfaces
//! determine the rigid motions R. The matrices contain neither the mass distribution nor stress stiffening. Therefore
//! the higher-order integrals are approximated by the rigid motion contained in a deformation ([`crate::reduction`]).
//!
//! Modal coordinates that stretch with the interfaces (K_mb ≠ 0) are replaced by η' = η + K_mm⁻¹ K_mb u_b, which rigid
//! motions do not change.

use super::matrices_schema::MatricesTable;
use super::matrix_checks::{Finding, RIGID_STIFFNESS};
use crate::model::{Dimension, FiniteElementModel, MODAL};
use crate::sparse::SparseRows;
use ballesta::document::{Diagnostics, Source};
use ballesta::math::Vec3;
use ballesta::rom::elastic_modes::cholesky;
use ballesta::rom::rom_schema::MassModel;
use nalgebra::DMatrix;

/// Pivot, relative to the diagonal entry, below which it is round-off.
const PIVOT_TOLERANCE: f64 = 1e-12;

/// Rows of the modal coordinates.
fn modal(model: &FiniteElementModel) -> Vec<usize> {
    (0..model.size()).filter(|row| model.dofs[*row].direction == MODAL).collect()
}

/// Lower bound of the stiffness of each row (N/m, N m) for comparisons with rounding errors: mass times the lowest ω²
/// of a modal coordinate; 0 without modal coordinates.
pub fn floors(model: &FiniteElementModel) -> Vec<f64> {
    let (stiffness, mass) = (model.stiffness.diagonal(), model.mass.diagonal());
    let squares = modal(model).into_iter().map(|row| stiffness[row] / mass[row]).filter(|square| *square > 0.0);
    let softest = squares.fold(f64::INFINITY, f64::min);
    let floor = |row: usize| match softest.is_finite() && model.dofs[row].direction != MODAL {
        true => softest * mass[row].max(0.0),
        false => 0.0,
    };
    (0..model.size()).map(floor).collect()
}

/// Rejects settings that need more data than the matrices of a reduced body, and shapes for a body that is not reduced.
pub fn expect_a_body(model: &FiniteElementModel, table: &MatricesTable, source: &Source) -> Result<(), Diagnostics> {
    let mut found = Vec::new();
    if !model.is_reduced() {
        if table.shapes.is_some() {
            let expected = "remove `shapes`; without modal coordinates, nodes have their own rows";
            found.push(source.at("matrices.shapes", "`shapes` given for a body that is not reduced", expected));
        }
        return Diagnostics(found).into_result(());
    }
    if model.dofs.iter().all(|dof| dof.direction == MODAL) {
        let expected = "keep the interface directions as coordinates; they carry the rigid motions";
        found.push(source.at("matrices", "the body has modal coordinates but no interface", expected));
    } else if model.dimension == Dimension::Plane {
        let expected =
            "reduce it with all six directions; modal matrices of a planar body lack the inertia out of the plane";
        found.push(source.at("matrices", "the interfaces of the reduced body move only in the xy plane", expected));
    }
    if !table.stressed.is_empty() {
        let expected = "use the matrices of the unreduced structure with `stressed`";
        found.push(source.at("matrices.stressed", "`stressed` given for a body that is already reduced", expected));
    }
    Diagnostics(found).into_result(())
}

/// Replaces the modal coordinates by coordinates whose stiffness is decoupled from the interface displacements.
///
/// # Errors
/// Modal coordinates that move without stiffness.
pub fn uncouple(model: &mut FiniteElementModel) -> Result<(), Finding> {
    // Modal coordinates follow the physical ones.
    let modal = modal(model);
    let physical: Vec<usize> = (0..model.size() - modal.len()).collect();
    let dense = |rows: &[usize], columns: &[usize]| {
        let block = model.stiffness.block(rows, columns);
        DMatrix::from_fn(rows.len(), columns.len(), |i, j| block[(i, j)])
    };
    let loose = |row: usize| Finding {
        found: format!("{} has no stiffness with the interfaces fixed", model.dof_name(modal[row])),
        expected: "use fixed-interface modes as modal coordinates, without rigid motions".into(),
    };
    // Modal stiffness must be positive definite: a mode without stiffness is a rigid motion.
    let stiffness = dense(&modal, &modal);
    let factor = cholesky(&stiffness).map_err(loose)?;
    let pivot = |row: &usize| factor[(*row, *row)].powi(2) <= PIVOT_TOLERANCE * stiffness[(*row, *row)];
    if let Some(row) = (0..modal.len()).find(pivot) {
        return Err(loose(row));
    }
    // Fixed-interface modes of Craig and Bampton have no coupling, so nothing changes.
    let coupling = dense(&modal, &physical);
    if coupling.amax() == 0.0 {
        return Ok(());
    }
    // Static condensation: q = q' − K_mm⁻¹ K_mp u removes the coupling from the stiffness.
    let shift = factor.solve_lower_triangular(&coupling).and_then(|half| factor.tr_solve_lower_triangular(&half));
    let shift = shift.unwrap_or_else(|| DMatrix::zeros(modal.len(), physical.len()));
    let rows = (0..model.size()).map(|row| match row.checked_sub(physical.len()) {
        Some(mode) => physical.iter().map(|p| (*p, -shift[(mode, *p)])).chain([(row, 1.0)]).collect(),
        None => vec![(row, 1.0)],
    });
    let transformation = SparseRows::new(model.size(), rows);
    // Mass and damping are transformed in the same way.
    for matrix in [&mut model.stiffness, &mut model.mass].into_iter().chain(&mut model.damping) {
        *matrix = matrix.congruence(&transformation);
    }
    model.motion = model.motion.times(&transformation);
    Ok(())
}

/// Notes about a reduced body, and about damping that resists rigid motions.
pub fn notes(model: &FiniteElementModel) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(damping) = &model.damping {
        let motions = model.rigid_motions(Vec3::zeros());
        let resisted = damping.multiply(motions.as_ref()).norm_max() / motions.norm_max() / damping.largest();
        if resisted > RIGID_STIFFNESS {
            notes.push(format!(
                "the damping resists rigid motions by {resisted:.1e} of its largest entry; the reduced model uses \
                 only the elastic part"
            ));
        }
    }
    if !model.is_reduced() {
        return notes;
    }
    let note = match model.mass_model {
        MassModel::Rigid => {
            "reduced matrices without `matrices.shapes`: the change of inertia with deformation is approximated and \
             there is no stress stiffening; both matter if the body rotates fast relative to its lowest frequency"
        }
        _ => {
            "reduced matrices: no stress stiffening, which matters if the body rotates fast relative to its lowest \
             frequency"
        }
    };
    notes.push(note.to_string());
    notes
}
