//! Geometric stiffness: axial forces stiffen (tension) or soften (compression) beams and trusses against lateral
//! motion.
//!
//! Each line element gets its mean axial force N from a displacement of the structure by its own stiffness. Truss: N/L
//! (I − e eᵀ). Beam of length h: N ∫v′² dx with the cubics of Hermite in both planes of bending, that is N/(30 h) [[36,
//! 3h, −36, 3h], [3h, 4h², −3h, −h²], …], and Wagner's term N (I_y + I_z)/(A h) [[1, −1], [−1, 1]] of torsion. Sources:
//! Przemieniecki, Theory of Matrix Structural Analysis (1968), ch. 15; McGuire, Gallagher & Ziemian, Matrix Structural
//! Analysis (2000), ch. 9.
//!
//! Limits: the axial force is uniform in an element, so distributed axial loads become steps, which converge with the
//! subdivision; bending moments and torques do not stiffen.

use super::element::{Element, Line, LineKind, Matrix12};
use super::internal_force_rows::own_displacement;
use super::model::FiniteElementModel;
use super::sparse::SparseSymmetric;
use super::structure::assemble;

/// Geometric stiffness (n × n, N/m, N, N·m) by the axial forces that the displacement `u` (n) causes. Linear in `u`.
pub fn geometric_stiffness(model: &FiniteElementModel, u: faer::ColRef<'_, f64>) -> SparseSymmetric {
    assemble(&model.elements, &model.motion, |element| match element {
        Element::Line(line) => line_stiffness(line, axial_force(model, line, u)),
        Element::Spring(_) | Element::Mass(_) => Matrix12::zeros(),
    })
}

/// Axial force in N, tension positive.
fn axial_force(model: &FiniteElementModel, line: &Line, u: faer::ColRef<'_, f64>) -> f64 {
    let forces = line.own_stiffness() * own_displacement(model, line, u);
    0.5 * (forces[6] - forces[0])
}

fn line_stiffness(line: &Line, force: f64) -> Matrix12 {
    in_common(line, &(own_slopes(line) * force + wagner(line, force)))
}

/// Geometric stiffness of a line per newton of its axial force, with its releases, in element axes.
pub(super) fn own_per_force(line: &Line) -> Matrix12 {
    line.released.transpose() * (own_slopes(line) + wagner(line, 1.0)) * *line.released
}

/// Wagner's term of torsion.
fn wagner(line: &Line, force: f64) -> Matrix12 {
    let mut torsion = Matrix12::zeros();
    if matches!(line.kind, LineKind::Beam(_)) {
        pair(&mut torsion, 3, force * line.polar_radius_squared / line.length);
    }
    torsion
}

/// ∫ v′ᵀv′ + w′ᵀw′ dx over the length of a line, m⁻¹ and smaller powers, in C.
pub(super) fn slope_products(line: &Line) -> Matrix12 {
    in_common(line, &own_slopes(line))
}

fn own_slopes(line: &Line) -> Matrix12 {
    let h = line.length;
    let mut k = Matrix12::zeros();
    match line.kind {
        LineKind::Truss => [1, 2].into_iter().for_each(|direction| pair(&mut k, direction, 1.0 / h)),
        LineKind::Beam(_) => {
            let unit = 1.0 / (30.0 * h);
            for (deflection, rotation, sign) in [(1, 5, 1.0), (2, 4, -1.0)] {
                pair(&mut k, deflection, 36.0 * unit);
                for (end, side) in [(0, 1.0), (6, -1.0)] {
                    couple(&mut k, deflection + end, rotation, sign * side * 3.0 * h * unit);
                    couple(&mut k, deflection + end, rotation + 6, sign * side * 3.0 * h * unit);
                    couple(&mut k, rotation + end, rotation + end, 4.0 * h * h * unit);
                }
                couple(&mut k, rotation, rotation + 6, -h * h * unit);
            }
        }
    }
    k
}

/// Releases applied, in the axes of C.
fn in_common(line: &Line, own: &Matrix12) -> Matrix12 {
    let kept = *line.released * line.rotation();
    kept.transpose() * own * kept
}

fn couple(k: &mut Matrix12, i: usize, j: usize, value: f64) {
    k[(i, j)] = value;
    k[(j, i)] = value;
}

/// A spring between the same direction of both nodes.
fn pair(k: &mut Matrix12, direction: usize, value: f64) {
    couple(k, direction, direction, value);
    couple(k, direction + 6, direction + 6, value);
    couple(k, direction, direction + 6, -value);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dense_reference::{difference, displacement, dof, eigenvalues, free, model};
    use std::f64::consts::PI;

    /// A column of length 2 m along x in the plane.
    fn column(divisions: usize) -> FiniteElementModel {
        model(&format!(
            r#"
            structure = {{ name = "column", dimension = 2 }}
            nodes = {{ A = [0, 0], B = [2, 0] }}
            material = [{{ name = "m", youngs_modulus = 70e9, density = 2700 }}]
            section = [{{ name = "s", shape = "rectangle", width = 0.03, height = 0.01 }}]
            beam = [{{ name = "b", nodes = ["A", "B"], material = "m", section = "s", divisions = {divisions} }}]
            "#
        ))
    }

    #[test]
    fn an_element_that_turns_without_bending_has_no_moments_at_its_ends() {
        let model = column(1);
        let Some(Element::Line(line)) = model.elements.first() else { panic!("a beam") };
        let (k, h) = (own_per_force(line), line.length);
        // ∫ N′ᵀ N′ dx of the cubics computed by hand; Gutiérrez et al. have +L/30 instead of −h/30 in equation 8.
        for (i, j, entry) in [
            (1, 1, 1.2 / h),
            (1, 5, 0.1),
            (1, 7, -1.2 / h),
            (1, 11, 0.1),
            (5, 5, 2.0 * h / 15.0),
            (5, 7, -0.1),
            (5, 11, -h / 30.0),
            (7, 11, -0.1),
            (11, 11, 2.0 * h / 15.0),
        ] {
            assert!((k[(i, j)] - entry).abs() < 1e-14 && k[(i, j)] == k[(j, i)], "{i} {j}: {}", k[(i, j)]);
        }
        let mut turned = nalgebra::SVector::<f64, 12>::zeros();
        (turned[5], turned[7], turned[11]) = (1.0, h, 1.0);
        let forces = k * turned;
        assert!((forces[1] + 1.0).abs() < 1e-14 && (forces[7] - 1.0).abs() < 1e-14, "{forces}");
        assert!(forces[5].abs() < 1e-14 && forces[11].abs() < 1e-14, "{forces}");
    }

    const BENDING: f64 = 70e9 * 0.03 * 1e-6 / 12.0;

    /// Smallest compressive force at which the held column buckles.
    fn buckling(model: &FiniteElementModel, held: &[usize]) -> f64 {
        let end = dof(model, "B", 0);
        let u = displacement(model, held, &[(end, -1.0)]);
        let free = free(model, held);
        let geometric = geometric_stiffness(model, u.col(0));
        let values = eigenvalues(&geometric.block(&free, &free), &model.stiffness.block(&free, &free));
        -1.0 / values[0]
    }

    #[test]
    fn eulers_columns_buckle_at_their_loads_with_order_4() {
        for (clamped, load) in [(true, PI * PI * BENDING / 16.0), (false, PI * PI * BENDING / 4.0)] {
            let error = |divisions: usize| {
                let model = column(divisions);
                let last = if clamped { dof(&model, "A", 5) } else { dof(&model, "B", 1) };
                buckling(&model, &[dof(&model, "A", 0), dof(&model, "A", 1), last]) / load - 1.0
            };
            let (coarse, fine) = (error(2), error(4));
            let order = (coarse / fine).log2();
            assert!(fine < 4e-3 && (3.7..4.2).contains(&order), "{clamped}: {coarse:e} {fine:e} {order}");
        }
    }

    #[test]
    fn a_string_swings_with_the_frequency_of_its_tension() {
        let count = 40;
        let nodes: Vec<String> = (0..=count).map(|i| format!("N{i} = [{}, 0]", i as f64 * 0.05)).collect();
        let bars: Vec<String> = (0..count)
            .map(|i| {
                format!("{{ name = \"t{i}\", nodes = [\"N{i}\", \"N{}\"], material = \"m\", area = 1e-6 }}", i + 1)
            })
            .collect();
        // A soft beam parallel to the bars prevents a mechanism.
        let text = format!(
            r#"
            structure = {{ name = "string", dimension = 2 }}
            nodes = {{ {} }}
            material = [{{ name = "m", youngs_modulus = 200e9, density = 8000 }}, {{ name = "soft", youngs_modulus = 1, density = 0 }}]
            section = [{{ name = "s", shape = "rectangle", width = 1e-3, height = 1e-3 }}]
            truss = [{}]
            beam = [{}]
            "#,
            nodes.join(", "),
            bars.join(", "),
            (0..count)
                .map(|i| {
                    format!(
                        "{{ name = \"b{i}\", nodes = [\"N{i}\", \"N{}\"], material = \"soft\", section = \"s\" }}",
                        i + 1
                    )
                })
                .collect::<Vec<_>>()
                .join(", ")
        );
        let model = model(&text);
        let node = |name: String, direction| dof(&model, &name, direction);
        let held: Vec<usize> = (0..=count).map(|i| node(format!("N{i}"), 1)).chain([node("N0".into(), 0)]).collect();
        let tension = 50.0;
        let u = displacement(&model, &held, &[(node(format!("N{count}"), 0), tension)]);
        let stiffness = model.stiffness.plus(1.0, &geometric_stiffness(&model, u.col(0)));
        let kept: Vec<usize> = (1..count).map(|i| node(format!("N{i}"), 1)).collect();
        let values = eigenvalues(&stiffness.block(&kept, &kept), &model.mass.block(&kept, &kept));
        let found: Vec<f64> = values.iter().take(2).map(|value| value.sqrt()).collect();
        let wave = (tension / (8000.0 * 1e-6f64)).sqrt();
        assert!(difference(&found, &[PI * wave / 2.0, PI * wave]) < 2e-3, "{found:?}");
    }
}
