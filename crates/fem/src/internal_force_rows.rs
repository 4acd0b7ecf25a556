//! Internal forces of beams and trusses from the motion of the structure.
//!
//! The forces that act on the ends of an element are f = K_e u_e + M_e ü_e. The part between the first end and the
//! section at x is in equilibrium under the end forces, its own inertia −∫ρ ü ds (by the shape functions of the
//! element; four Gauss points are exact) and the internal forces at the section: F(x) = −f₁ + ∫ρ ü ds, M(x) = −m₁ + x
//! eₓ × f₁ + ∫((s − x) eₓ × ρ ü + ρI θ̈) ds.
//!
//! Sign: N, Vy, Vz, T, My, Mz act on the part before the section, in element axes. They are exerted by the part beyond
//! it (the positive face, with normal +x). N is positive in tension. Elements with lumped mass have their inertia at
//! the nodes; inside them only elastic forces act.

use super::element::{Element, GAUSS, Line, Matrix12};
use super::model::{Dimension, FiniteElementModel, directions};
use super::sparse::SparseRows;
use super::stiffening::own_per_force;
use ballesta::math::{Mat3, Vec3};
use ballesta::rom::rom_schema::StressPoint;
use nalgebra::{SMatrix, SVector};

/// A section of an element whose internal forces are recovered.
#[derive(Clone, Debug, PartialEq)]
pub struct RecoverySection {
    /// Name of the output.
    pub name: String,
    /// Name of the beam or truss.
    pub member: String,
    /// Index of the element, a line.
    pub element: usize,
    /// Position in the element: 0 at its first node, 1 at its second.
    pub at: f64,
    /// Position in C, m.
    pub position: Vec3,
    /// Columns: element axes x, y, z in C.
    pub axes: Mat3,
    /// Points whose normal stress is an output.
    pub points: Vec<StressPoint>,
}

/// Internal forces N, Vy, Vz (N), T, My, Mz (N·m) as `first`·u + `second`·ü, both 6 × n; u and ü over the degrees of
/// freedom in C, ü relative to free fall. Empty rows for elements that are not lines.
pub fn section_rows(model: &FiniteElementModel, section: &RecoverySection) -> (SparseRows, SparseRows) {
    let empty = || SparseRows::new(model.size(), (0..6).map(|_| Vec::new()));
    let Some(Element::Line(line)) = model.elements.get(section.element) else { return (empty(), empty()) };
    let x = section.at * line.length;
    let elastic = from_end(x) * line.own_stiffness();
    let rows = |matrix: &SMatrix<f64, 6, 12>| over_dofs(model, line, &(matrix * line.rotation()));
    if line.lumped {
        return (rows(&elastic), empty());
    }
    (rows(&elastic), rows(&(from_end(x) * line.own_mass() + inertia_before(line, section.at))))
}

/// Contribution of the geometric stiffness of the element to the internal forces per newton of its axial force, as rows
/// · u (6 × n). With K_L + N K_GL instead of K_L, the end forces are equations 22 and 23 of R. Gutiérrez, U. Lugrís, J.
/// Cuadrado, L. E. Romera. Vy and Vz are then across the undeformed line: they include the part of N across it. The
/// moments include the moment of N about the first end for the transverse displacement of the section.
pub fn geometric_rows(model: &FiniteElementModel, section: &RecoverySection) -> SparseRows {
    let Some(Element::Line(line)) = model.elements.get(section.element) else {
        return SparseRows::new(model.size(), (0..6).map(|_| Vec::new()));
    };
    let mut rows = from_end(section.at * line.length) * own_per_force(line);
    let aside = line.shape(section.at) - line.shape(0.0);
    for j in 0..12 {
        rows[(4, j)] -= aside[(2, j)];
        rows[(5, j)] += aside[(1, j)];
    }
    over_dofs(model, line, &(rows * line.rotation()))
}

/// Forces at the section in terms of the forces on the ends: equilibrium without inertia.
fn from_end(x: f64) -> SMatrix<f64, 6, 12> {
    let mut matrix = SMatrix::zeros();
    (0..6).for_each(|i| matrix[(i, i)] = -1.0);
    matrix[(4, 2)] = -x;
    matrix[(5, 1)] = x;
    matrix
}

/// Force and moment at ξ reduced to the section at `at`.
fn to_section(line: &Line, xi: f64, at: f64) -> SMatrix<f64, 6, 6> {
    let arm = (xi - at) * line.length;
    let mut matrix = SMatrix::<f64, 6, 6>::from_diagonal(&SVector::from([1.0; 6]));
    matrix[(4, 2)] = -arm;
    matrix[(5, 1)] = arm;
    matrix
}

/// Inertia forces of the part before the section, reduced to the section.
fn inertia_before(line: &Line, at: f64) -> SMatrix<f64, 6, 12> {
    let density = SMatrix::<f64, 6, 6>::from_diagonal(&line.density());
    let mut sum = SMatrix::zeros();
    for (node, weight) in GAUSS {
        let xi = node * at;
        sum += to_section(line, xi, at) * density * line.shape(xi) * (weight * at * line.length);
    }
    sum
}

/// Inertia forces of the element's own mass per product ω_a ω_b of angular velocities, under ω × (ω × x). They are
/// exact for its shape functions, with the moment ω × J ω of its sections. Zero in elements with lumped mass.
pub fn spin_column(model: &FiniteElementModel, section: &RecoverySection, pair: (usize, usize)) -> [f64; 6] {
    let Some(Element::Line(line)) = model.elements.get(section.element) else { return [0.0; 6] };
    if line.lumped {
        return [0.0; 6];
    }
    let w = line.axes.transpose() * turning(pair, model.dimension == Dimension::Plane) * line.axes;
    let start = line.axes.transpose() * model.nodes[line.nodes[0]].position;
    let [mass, about @ ..] = line.inertia;
    let about = if model.dimension == Dimension::Plane { Vec3::zeros() } else { about.into() };
    // ∫ r × (W r) dm with the second moments S of the section: the antisymmetric part of W S.
    let flow = w * (Mat3::identity() * (0.5 * about.sum()) - Mat3::from_diagonal(&about));
    let moment = Vec3::new(flow[(2, 1)] - flow[(1, 2)], flow[(0, 2)] - flow[(2, 0)], flow[(1, 0)] - flow[(0, 1)]);
    let density = |xi: f64| {
        let force = w * (start + Vec3::new(xi * line.length, 0.0, 0.0)) * mass;
        SVector::from([force.x, force.y, force.z, moment.x, moment.y, moment.z])
    };
    let ends: SVector<f64, 12> =
        GAUSS.iter().map(|(xi, weight)| line.shape(*xi).transpose() * density(*xi) * (weight * line.length)).sum();
    let before = GAUSS.iter().map(|(node, weight)| {
        let xi = node * section.at;
        to_section(line, xi, section.at) * density(xi) * (weight * section.at * line.length)
    });
    let forces: SVector<f64, 6> = from_end(section.at * line.length) * ends + before.sum::<SVector<f64, 6>>();
    forces.into()
}

/// W of ω × (ω × x) = W x per product ω_a ω_b; in the plane only the components in it.
pub(crate) fn turning((a, b): (usize, usize), plane: bool) -> Mat3 {
    let mut w = Mat3::zeros();
    if !plane || (a, b) == (2, 2) {
        w[(a, b)] = 1.0;
        w[(b, a)] = 1.0;
        if a == b {
            w -= Mat3::identity();
        }
    }
    w
}

fn over_dofs(model: &FiniteElementModel, line: &Line, matrix: &SMatrix<f64, 6, 12>) -> SparseRows {
    let directions = directions(line.nodes);
    let row = |i: usize| {
        let terms = (0..12).filter(move |j| matrix[(i, *j)] != 0.0);
        terms
            .flat_map(|j| model.motion.row(directions[j]).map(move |(dof, value)| (dof, matrix[(i, j)] * value)))
            .collect()
    };
    SparseRows::new(model.size(), (0..6).map(row))
}

/// Displacements of the nodes of a line in element axes, from the displacements of the structure (n).
pub(crate) fn own_displacement(model: &FiniteElementModel, line: &Line, u: faer::ColRef<'_, f64>) -> SVector<f64, 12> {
    let directions = directions(line.nodes);
    let common = SVector::<f64, 12>::from_fn(|i, _| model.motion.row(directions[i]).map(|(dof, v)| v * u[dof]).sum());
    let rotation: Matrix12 = line.rotation();
    rotation * common
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dense_reference::{displacement, dof, model};
    use faer::Mat;

    fn beam(section_at: f64) -> FiniteElementModel {
        model(&format!(
            r#"
            structure = {{ name = "beam" }}
            nodes = {{ A = [0, 0, 0], B = [2, 0, 0] }}
            material = [{{ name = "m", youngs_modulus = 70e9, density = 2700 }}]
            section = [{{ name = "s", shape = "rectangle", width = 0.03, height = 0.01 }}]
            beam = [{{ name = "b", nodes = ["A", "B"], material = "m", section = "s", divisions = 3 }}]
            output = [{{ name = "o", beam = "b", at = {section_at} }}]
            "#
        ))
    }

    fn forces(model: &FiniteElementModel, u: &Mat<f64>, acceleration: &Mat<f64>) -> [f64; 6] {
        let (first, second) = section_rows(model, &model.sections[0]);
        let total = first.multiply(u.as_ref()) + second.multiply(acceleration.as_ref());
        std::array::from_fn(|i| total[(i, 0)])
    }

    fn assert_close(found: [f64; 6], wanted: [f64; 6], scale: f64) {
        let close = found.iter().zip(&wanted).all(|(a, b)| (a - b).abs() < 1e-8 * scale);
        assert!(close, "{found:?} instead of {wanted:?}");
    }

    #[test]
    fn a_loaded_cantilever_has_the_internal_forces_of_statics() {
        let at = 0.4;
        let model = beam(at);
        let held: Vec<usize> = (0..6).map(|direction| dof(&model, "A", direction)).collect();
        let load = [100.0, -20.0, 30.0, 4.0, 5.0, 6.0];
        let forces_at: Vec<(usize, f64)> = (0..6).map(|d| (dof(&model, "B", d), load[d])).collect();
        let u = displacement(&model, &held, &forces_at);
        let arm = 2.0 * (1.0 - at);
        // Forces and moments at the section are exerted by the remaining part with its load.
        let wanted = [100.0, -20.0, 30.0, 4.0, 5.0 - arm * 30.0, 6.0 - arm * 20.0];
        assert_close(forces(&model, &u, &Mat::zeros(model.size(), 1)), wanted, 100.0);
    }

    #[test]
    fn a_free_bar_pulled_at_its_end_has_a_linear_normal_force() {
        let pull = 50.0;
        for at in [0.1, 0.5, 0.95] {
            let model = beam(at);
            let mass = 2700.0 * 3e-4 * 2.0;
            // Rigid acceleration under the pull; the elastic displacement equals the displacement of the bar fixed at
            // A, under pull and inertia.
            let rigid = model.rigid_motions(Vec3::zeros());
            let acceleration = Mat::from_fn(model.size(), 1, |i, _| rigid[(i, 0)] * pull / mass);
            let inertia = model.mass.multiply(acceleration.as_ref());
            let mut load: Vec<(usize, f64)> = (0..model.size()).map(|i| (i, -inertia[(i, 0)])).collect();
            load.push((dof(&model, "B", 0), pull));
            let held: Vec<usize> = (0..6).map(|direction| dof(&model, "A", direction)).collect();
            let u = displacement(&model, &held, &load);
            let wanted = [pull * at, 0.0, 0.0, 0.0, 0.0, 0.0];
            assert_close(forces(&model, &u, &acceleration), wanted, pull);
        }
    }

    #[test]
    fn a_beam_that_starts_to_turn_carries_the_moment_of_its_inertia() {
        // A force F across the tip of a free beam: a = F/m at the centre, α = 6F/(mL); V and M from the distributed
        // inertia.
        let (force, at, length) = (10.0, 0.35, 2.0);
        let model = beam(at);
        let mass = 2700.0 * 3e-4 * length;
        let rigid = model.rigid_motions(Vec3::new(length / 2.0, 0.0, 0.0));
        let (a, alpha) = (force / mass, 6.0 * force / (mass * length));
        let acceleration = Mat::from_fn(model.size(), 1, |i, _| rigid[(i, 1)] * a + rigid[(i, 5)] * alpha);
        let inertia = model.mass.multiply(acceleration.as_ref());
        let mut load: Vec<(usize, f64)> = (0..model.size()).map(|i| (i, -inertia[(i, 0)])).collect();
        load.push((dof(&model, "B", 1), force));
        let held: Vec<usize> = (0..6).map(|direction| dof(&model, "A", direction)).collect();
        let u = displacement(&model, &held, &load);
        let (x, rho) = (at * length, mass / length);
        // ÿ(s) = a + α (s − L/2); V = ∫ρÿ, M = −∫∫ρÿ over the part before the section.
        let start = a - alpha * length / 2.0;
        let shear = rho * (start * x + alpha * x * x / 2.0);
        let moment = -rho * (start * x * x / 2.0 + alpha * x * x * x / 6.0);
        assert_close(forces(&model, &u, &acceleration), [0.0, shear, 0.0, 0.0, 0.0, moment], force);
    }
}
