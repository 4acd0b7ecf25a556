//! Matrices of a body that another program has reduced already: physical rows, those of its interfaces, and modal ones.
//!
//! The displacement of such a body is u = Ψ u_b + Φ η with shapes that its matrices do not hold. What follows from them
//! is exact: K, M, C, mass, centre of mass and inertia, momentum and angular momentum of every coordinate, since the
//! rigid motions R are those of the interfaces. Not in them is where the mass is, so that the integrals of higher order
//! are those of the rigid motion that a deformation contains ([`crate::reduction`]); nor what loads stiffen.
//!
//! Modal coordinates that stretch with the interfaces (K_mb ≠ 0) are replaced by η' = η + K_mm⁻¹ K_mb u_b, which rigid
//! motions leave alone.

use super::checks::{Finding, RIGID_STIFFNESS};
use super::schema::MatricesTable;
use crate::model::{Dimension, FiniteElementModel, MODAL};
use crate::sparse::SparseRows;
use ballesta::document::{Diagnostics, Source};
use ballesta::math::Vec3;
use ballesta::rom::modes::cholesky;
use ballesta::rom::schema::MassModel;
use nalgebra::DMatrix;

/// Pivot over the entry of the diagonal that is rounding.
const LOOSE: f64 = 1e-12;

/// Rows of the modal coordinates.
fn modal(model: &FiniteElementModel) -> Vec<usize> {
    (0..model.size()).filter(|row| model.dofs[*row].direction == MODAL).collect()
}

/// What the stiffness of each row (N/m, N m) is taken for at least, where it is compared with rounding: mass times the
/// lowest ω² of a modal coordinate; 0 without modal coordinates.
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

/// Refuses what the matrices of a reduced body do not tell, and shapes of one that is not.
pub fn expect_a_body(model: &FiniteElementModel, table: &MatricesTable, source: &Source) -> Result<(), Diagnostics> {
    let mut found = Vec::new();
    if !model.is_reduced() {
        if table.shapes.is_some() {
            let expected = "leave out `shapes`: without modal coordinates, nodes have their own rows";
            found.push(source.at("matrices.shapes", "shapes are given of a body that is not reduced", expected));
        }
        return Diagnostics(found).into_result(());
    }
    if model.dofs.iter().all(|dof| dof.direction == MODAL) {
        let expected = "keep the directions of its interfaces as coordinates: they carry the rigid motions";
        found.push(source.at("matrices", "the body has modal coordinates and no interface", expected));
    } else if model.dimension == Dimension::Plane {
        let expected = "reduce it with all six directions: matrices with modal coordinates do not tell the inertia out \
                        of the plane";
        found.push(source.at("matrices", "the interfaces of the reduced body move in the plane xy only", expected));
    }
    if !table.stressed.is_empty() {
        let expected = "take the matrices of the whole structure, with `stressed`, and reduce them here";
        found.push(source.at("matrices.stressed", "there are states under load of a body that is reduced", expected));
    }
    Diagnostics(found).into_result(())
}

/// Replaces the modal coordinates by those that no displacement of the interfaces strains.
///
/// # Errors
/// Modal coordinates that move without stiffness.
pub fn uncouple(model: &mut FiniteElementModel) -> Result<(), Finding> {
    let modal = modal(model);
    let physical: Vec<usize> = (0..model.size() - modal.len()).collect();
    let dense = |rows: &[usize], columns: &[usize]| {
        let block = model.stiffness.block(rows, columns);
        DMatrix::from_fn(rows.len(), columns.len(), |i, j| block[(i, j)])
    };
    let loose = |row: usize| Finding {
        found: format!("{} moves without stiffness while the interfaces rest", model.dof_name(modal[row])),
        expected: "keep shapes in which the interfaces rest, and no rigid motion, as modal coordinates".into(),
    };
    let stiffness = dense(&modal, &modal);
    let factor = cholesky(&stiffness).map_err(loose)?;
    let pivot = |row: &usize| factor[(*row, *row)].powi(2) <= LOOSE * stiffness[(*row, *row)];
    if let Some(row) = (0..modal.len()).find(pivot) {
        return Err(loose(row));
    }
    let coupling = dense(&modal, &physical);
    if coupling.amax() == 0.0 {
        return Ok(());
    }
    let shift = factor.solve_lower_triangular(&coupling).and_then(|half| factor.tr_solve_lower_triangular(&half));
    let shift = shift.unwrap_or_else(|| DMatrix::zeros(modal.len(), physical.len()));
    let rows = (0..model.size()).map(|row| match row.checked_sub(physical.len()) {
        Some(mode) => physical.iter().map(|p| (*p, -shift[(mode, *p)])).chain([(row, 1.0)]).collect(),
        None => vec![(row, 1.0)],
    });
    let transformation = SparseRows::new(model.size(), rows);
    for matrix in [&mut model.stiffness, &mut model.mass].into_iter().chain(&mut model.damping) {
        *matrix = matrix.congruence(&transformation);
    }
    model.motion = model.motion.times(&transformation);
    Ok(())
}

/// What is said of a reduced body, and of damping that resists rigid motions.
pub fn notes(model: &FiniteElementModel) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(damping) = &model.damping {
        let motions = model.rigid_motions(Vec3::zeros());
        let resisted = damping.multiply(motions.as_ref()).norm_max() / motions.norm_max() / damping.largest();
        if resisted > RIGID_STIFFNESS {
            notes.push(format!(
                "the damping resists rigid motions, by {resisted:.1e} of its largest entry; the reduced model takes \
                 the elastic motion's part of it"
            ));
        }
    }
    if !model.is_reduced() {
        return notes;
    }
    let note = match model.mass_model {
        MassModel::Rigid => {
            "the matrices are of a body that is reduced already. They do not say where its mass is: how its inertia \
             changes with the deformation is taken from the rigid motion that a deformation contains \
             (`matrices.shapes` would tell), and nothing stiffens it; both matter where the body turns fast beside its \
             lowest frequency"
        }
        _ => {
            "the matrices are of a body that is reduced already: nothing stiffens it, which matters where the body \
             turns fast beside its lowest frequency"
        }
    };
    notes.push(note.to_string());
    notes
}
