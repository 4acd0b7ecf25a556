//! Residual vectors: static shapes of loads that the internal modes do not represent.
//!
//! For loads F on the interior (interior × l): x = K_ii⁻¹ (F − M_ii Φ Φᵀ F) is the part of the static response that the
//! modes Φ miss. The x are orthonormalised in M_ii, and dependent ones are dropped. They are then rotated to be
//! orthogonal in K_ii as well and added to the basis as further modes.

use super::inertia::centrifugal_loads;
use super::internal_modes::orient;
use super::{InteriorFactor, Reducer, ResidualLoads};
use crate::model::{FiniteElementModel, PRODUCTS};
use ballesta::math::Vec3;
use faer::linalg::solvers::SelfAdjointEigen;
use faer::{Mat, Side};

/// A static shape is skipped if its part outside the basis is smaller than this fraction of the whole in the mass norm.
/// Load cases are also measured in the stiffness norm, because stretching moves little compared with bending but
/// carries the force. Section forces by inertia do not need it ([`super::internal_forces`]).
const DEPENDENCE_TOLERANCE: f64 = 1e-6;

/// Residual vectors.
pub(super) struct Residual {
    /// ω², ascending.
    pub squares: Vec<f64>,
    /// Interior × vectors, orthonormal in M_ii and to the modes.
    pub shapes: Mat<f64>,
    /// Names of the load cases.
    pub cases: Vec<String>,
}

/// Residual vectors for `loads` in addition to the modes `modes` (interior × m).
pub(super) fn vectors(
    reducer: &Reducer<'_>,
    factor: &InteriorFactor<'_>,
    modes: &Mat<f64>,
    loads: ResidualLoads,
) -> Residual {
    let (cases, forces) = load_cases(reducer.model, loads);
    let inertial = load_cases(reducer.model, ResidualLoads { cases: false, ..loads }).0.len();
    let interior = &reducer.interior;
    let mass = &reducer.mass;
    let inside = Mat::from_fn(interior.len(), cases.len(), |i, k| forces[k][interior[i]]);
    let weighted = mass.multiply(modes.as_ref());
    let mut statics = inside.clone();
    factor.solve_in_place(statics.as_mut());
    let mut missed = inside.clone() - &weighted * (modes.transpose() * &inside);
    factor.solve_in_place(missed.as_mut());

    let mut kept: Vec<(faer::Col<f64>, faer::Col<f64>)> = Vec::new();
    for k in 0..cases.len() {
        let whole = statics.col(k);
        let scale = (whole.transpose() * mass.multiply(whole.as_mat()).col(0)).max(0.0).sqrt();
        let mut vector = missed.col(k).to_owned();
        for _ in 0..2 {
            vector -= modes * (weighted.transpose() * &vector);
            for (shape, image) in &kept {
                let part = image.transpose() * &vector;
                vector -= faer::Scale(part) * shape;
            }
        }
        let image = mass.multiply(vector.as_mat()).col(0).to_owned();
        let length = (vector.transpose() * &image).max(0.0).sqrt();
        let energy = |vector: &faer::Col<f64>| {
            (vector.transpose() * reducer.stiffness.multiply(vector.as_mat()).col(0)).max(0.0).sqrt()
        };
        let carries = k >= inertial && energy(&vector) > DEPENDENCE_TOLERANCE * energy(&whole.to_owned());
        if length > DEPENDENCE_TOLERANCE * scale || carries {
            kept.push((faer::Scale(1.0 / length) * vector, faer::Scale(1.0 / length) * image));
        }
    }
    let shapes = Mat::from_fn(interior.len(), kept.len(), |i, k| kept[k].0[i]);
    if kept.is_empty() {
        // The library does not accept an empty eigenvalue problem.
        return Residual { squares: Vec::new(), shapes, cases };
    }
    let projected = shapes.transpose() * reducer.stiffness.multiply(shapes.as_ref());
    let eigen = SelfAdjointEigen::new(projected.as_ref(), Side::Lower)
        .expect("a symmetric matrix of finite numbers has eigenvalues");
    let mut turned = &shapes * eigen.U();
    (0..turned.ncols()).for_each(|q| orient(&mut turned, q));
    Residual { squares: (0..kept.len()).map(|i| eigen.S()[i]).collect(), shapes: turned, cases }
}

/// Names and forces (n each) of the load cases of `loads`; cases without effect are omitted.
fn load_cases(model: &FiniteElementModel, loads: ResidualLoads) -> (Vec<String>, Vec<Vec<f64>>) {
    let mut cases: Vec<(String, Vec<f64>)> = Vec::new();
    let motions = model.rigid_motions(Vec3::zeros());
    let mut inertial =
        |name: String, force: Mat<f64>| cases.push((name, force.col(0).iter().copied().collect::<Vec<f64>>()));
    let by_motion = |column: usize| model.mass.multiply(motions.subcols(column, 1));
    for (axis, name) in ["x", "y", "z"].iter().enumerate() {
        if loads.gravity {
            inertial(format!("gravity {name}"), by_motion(axis));
        }
        if loads.rotation {
            inertial(format!("angular acceleration {name}"), by_motion(3 + axis));
        }
    }
    if loads.rotation {
        for (product, force) in PRODUCTS.into_iter().zip(centrifugal_loads(model)) {
            let name = |axis: usize| ["x", "y", "z"][axis];
            let name = format!("angular velocity {}{}", name(product.0), name(product.1));
            inertial(name, force);
        }
    }
    if loads.cases {
        for case in &model.loads {
            let mut force = vec![0.0; model.size()];
            case.forces.iter().for_each(|(dof, value)| force[*dof] += value);
            cases.push((case.name.clone(), force));
        }
    }
    cases.into_iter().filter(|(_, force)| force.iter().any(|entry| *entry != 0.0)).unzip()
}

/// Acceleration ω×(ω×x) of the nodes per product ω_a ω_b of angular velocities through the origin of C: n × 1. Plane
/// structures have only the in-plane products.
pub(super) fn centrifugal(model: &FiniteElementModel, (a, b): (usize, usize)) -> Mat<f64> {
    let plane = !model.dimension.directions().contains(&3);
    let unit = |axis: usize| Vec3::ith(axis, 1.0);
    Mat::from_fn(model.size(), 1, |i, _| {
        let dof = model.dofs[i];
        if dof.direction >= 3 || (plane && (a, b) != (2, 2)) {
            return 0.0;
        }
        let x = model.nodes[dof.node].position;
        let field = match a == b {
            true => unit(a).cross(&unit(a).cross(&x)),
            false => unit(a).cross(&unit(b).cross(&x)) + unit(b).cross(&unit(a).cross(&x)),
        };
        field[dof.direction]
    })
}
