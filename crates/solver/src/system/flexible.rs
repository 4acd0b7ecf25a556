//! Constant data of a flexible body: a reduced-order model in the subspace of its floating frame.
//!
//! Frames. C: common frame of the reduced-order model. B: frame of the body in the mechanism, origin at the undeformed
//! centre of mass, axes of W in the design position; R_BC = `axes` is constant. All blocks are in the axes of C,
//! positions from the origin of B. The elastic coordinates η (n of them) are amplitudes of mass-normalised modes φ: K φ
//! = ω² M φ in the subspace of displacements that the floating frame allows: displacements that do not move its
//! interface (tangent frame), or displacements without momentum (mean-axis frame of Buckens). Units: η in m·√kg,
//! columns of translations in 1/√kg.

use alloc::{string::String, vec::Vec};
use core::ops::Range;

use super::stress::StressLaw;
use crate::math::scalar::Scalar;
use crate::math::{Mat3, Vec3};

/// Model of the stiffening of a flexible body by internal forces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub enum StiffeningModel {
    /// No stiffening: linear elasticity.
    None,
    /// By the axial force of the linear axial mode (Gutiérrez et al., model 1).
    AxialMode,
    /// By the axial forces of all axial modes of the reduced-order model (their model 2).
    AxialModes,
    /// By the foreshortening of the deflection line (their model 3).
    Foreshortening,
    /// By the internal forces of unit accelerations, angular velocities and interface loads.
    General,
}

impl StiffeningModel {
    /// Name in the model file.
    pub fn word(self) -> &'static str {
        match self {
            StiffeningModel::None => "none",
            StiffeningModel::AxialMode => "axial_mode",
            StiffeningModel::AxialModes => "axial_modes",
            StiffeningModel::Foreshortening => "foreshortening",
            StiffeningModel::General => "general",
        }
    }
}

/// A flexible body in the compiled system.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Flexible {
    /// Name in the file.
    pub name: String,
    /// Index of its floating frame among the bodies.
    pub body: usize,
    /// Range of its elastic coordinates in the positions.
    pub q: Range<usize>,
    /// Range of its elastic coordinates in the velocities.
    pub v: Range<usize>,
    /// Number of quasi-static modes, which are the fastest.
    pub residual: usize,
    /// The interface to which its floating frame is tangent; `None` with mean axes.
    pub tangent: Option<String>,
    /// Whether it starts in equilibrium with the initial loads instead of undeformed.
    pub starts_static: bool,
    /// Whether rotations of the interfaces are linear in η too, so that all motion of the body is linear.
    pub linear: bool,
    /// The stiffening model in use.
    pub model: StiffeningModel,
    /// R_BC.
    pub axes: Mat3,
    /// Origin of B from the origin of C, in C, m.
    pub centre: Vec3,
    /// Mass in kg.
    pub mass: f64,
    /// Inertia about the origin of B, undeformed, kg m².
    pub inertia: Mat3,
    /// ∫ Φ dm: momentum per unit of η̇, 3 rows of n.
    pub translation: [Vec<f64>; 3],
    /// ∫ x̃ Φ dm with the rotary inertia of the sections: angular momentum per unit of η̇, undeformed, 3 rows of n.
    pub rotation: [Vec<f64>; 3],
    /// ∫ x_a Φ_b dm, (a, b) = xx, xy, xz, yx, …, zz: 9 rows of n.
    pub position: [Vec<f64>; 9],
    /// ∫ Φ_a,l Φ_b,k dm at row k, column l, in the same order: 9 matrices n × n; empty where zero.
    pub product: [Vec<f64>; 9],
    /// ω² of the modes, rad²/s².
    pub stiffness: Vec<f64>,
    /// Lowest ω² of the body, free or with one of the interfaces in use held, rad²/s², the reference for its speed of
    /// rotation; ∞ for a body with stiffening.
    pub lowest: f64,
    /// Axes of C about which rotation does not stiffen the body.
    pub unstiffened: [bool; 3],
    /// Modal damping matrix, n × n, 1/s.
    pub damping: Vec<f64>,
    /// Stiffening by the motion of the frame.
    pub stiffening: Stiffening,
    /// Stiffening by axial modes: force form (n) and matrix (n × n).
    pub axial: Vec<(Vec<f64>, Vec<f64>)>,
    /// Interfaces in use, other than the one the frame is tangent to.
    pub links: Vec<LinkShape>,
    /// Output nodes.
    pub nodes: Vec<NodeShape>,
    /// Sections for internal forces.
    pub sections: Vec<SectionShape>,
    /// All interfaces and output nodes: they are compared with straight lines to measure the bending of the body.
    pub places: Vec<NodeShape>,
}

/// Geometric stiffness per unit of the motion of C, n × n each; empty where zero.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Stiffening {
    /// Per m/s² along x, y, z.
    pub translation: [Vec<f64>; 3],
    /// Per rad/s² about x, y, z through the origin of B.
    pub rotation: [Vec<f64>; 3],
    /// Per rad²/s² of ωₓ², ω_y², ω_z², ωₓω_y, ω_yω_z, ωₓω_z, about the origin of B.
    pub products: [Vec<f64>; 6],
}

/// Displacement of an interface: Φ η − ½ ηᵀ K_j η for its six directions j (small translation, rotation vector).
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct LinkShape {
    /// Name of the interface.
    pub name: String,
    /// Its body.
    pub body: usize,
    /// Its position from the origin of B, m.
    pub position: Vec3,
    /// Φ: 6 rows of n.
    pub shape: [Vec<f64>; 6],
    /// Geometric stiffness per unit load in each direction, n × n; by virtual work it also gives the second-order
    /// displacement.
    pub second: [Vec<f64>; 6],
}

/// Φ at an output node.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct NodeShape {
    /// Name.
    pub name: String,
    /// Position from the origin of B, m.
    pub position: Vec3,
    /// 6 rows of n.
    pub shape: [Vec<f64>; 6],
}

/// Internal forces at a section: displacement·η + N geometric·η + acceleration·η̈ + rigid·(a, α) +
/// centrifugal·(products of ω) + the static response of the omitted modes to the forces at the interfaces. N is the
/// first row of displacement·η.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct SectionShape {
    /// Name.
    pub name: String,
    /// 6 rows of n.
    pub displacement: [Vec<f64>; 6],
    /// Per newton of the axial force of the displacement, by the geometric stiffness of the element: 6 rows of n;
    /// `None` without a contribution.
    pub geometric: Option<[Vec<f64>; 6]>,
    /// 6 rows of n.
    pub acceleration: [Vec<f64>; 6],
    /// Per acceleration of the origin of C less gravity (m/s²), and angular acceleration (rad/s²).
    pub rigid: [[f64; 6]; 6],
    /// Per rad²/s² of the products of ω.
    pub centrifugal: [[f64; 6]; 6],
    /// Per force (N) and moment (N m) on the body at each of its links, axes of C, by the omitted modes; empty if all
    /// modes are kept.
    pub loads: Vec<[[f64; 6]; 6]>,
    /// Stresses of the section by name: normal and shear stresses in points, invariants of tensors.
    pub points: Vec<(String, StressLaw)>,
}

impl SectionShape {
    /// Response of the omitted modes to the force and moment `load` (axes of C) at link `link`.
    pub(crate) fn answer<S: Scalar>(&self, link: usize, load: &[S; 6]) -> [S; 6] {
        let Some(rows) = self.loads.get(link) else { return [S::zero(); 6] };
        rows.map(|row| row.iter().zip(load).map(|(row, load)| *load * *row).sum())
    }
}

impl Flexible {
    /// Number of elastic coordinates n.
    pub fn modes(&self) -> usize {
        self.v.len()
    }
}

/// Product of row `k` of a square matrix of size `n` with `x`; zero for an empty matrix.
pub(crate) fn row_product<S: Scalar>(matrix: &[f64], k: usize, x: &[S]) -> S {
    let n = x.len();
    match matrix.get(k * n..(k + 1) * n) {
        Some(row) => row.iter().zip(x).map(|(a, b)| *b * *a).sum(),
        None => S::zero(),
    }
}

/// Adds `factor` · matrix · `x` to `out`, with a square matrix of the size of both; nothing for an empty one. Four rows
/// at a time, because their sums are independent.
pub(crate) fn add_product<S: Scalar>(matrix: &[f64], x: &[S], factor: S, out: &mut [S]) {
    let n = x.len();
    if matrix.is_empty() || n == 0 {
        return;
    }
    for (rows, out) in matrix.chunks(4 * n).zip(out.chunks_mut(4)) {
        if let [a, b, c, d] = out {
            let (first, second) = rows.split_at(2 * n);
            let ((ra, rb), (rc, rd)) = (first.split_at(n), second.split_at(n));
            let mut sums = [S::zero(); 4];
            for ((((&x, &ra), &rb), &rc), &rd) in x.iter().zip(ra).zip(rb).zip(rc).zip(rd) {
                sums = [sums[0] + x * ra, sums[1] + x * rb, sums[2] + x * rc, sums[3] + x * rd];
            }
            *a += factor * sums[0];
            *b += factor * sums[1];
            *c += factor * sums[2];
            *d += factor * sums[3];
        } else {
            for (row, out) in rows.chunks(n).zip(out) {
                *out += factor * row.iter().zip(x).map(|(a, x)| *x * *a).sum::<S>();
            }
        }
    }
}

/// xᵀ · matrix · x; zero for an empty matrix.
pub fn quadratic<S: Scalar>(matrix: &[f64], x: &[S]) -> S {
    if matrix.is_empty() {
        return S::zero();
    }
    (0..x.len()).map(|k| x[k] * row_product(matrix, k, x)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_of_any_size_are_those_of_the_rows() {
        for n in 0..10 {
            let matrix: Vec<f64> = (0..n * n).map(|i| ((7 * i) % 11) as f64 - 4.5).collect();
            let x: Vec<f64> = (0..n).map(|i| 0.5 * i as f64 - 1.25).collect();
            let mut out = vec![3.0; n];
            add_product(&matrix, &x, -2.0, &mut out);
            let rows: Vec<f64> = (0..n).map(|k| row_product(&matrix, k, &x)).collect();
            assert!(out.iter().zip(&rows).all(|(out, row)| *out == 3.0 - 2.0 * row), "{n}");
            assert_eq!(quadratic(&matrix, &x), rows.iter().zip(&x).map(|(row, x)| x * row).sum::<f64>());
            add_product(&[], &x, 1.0, &mut out);
            assert!(out.iter().zip(&rows).all(|(out, row)| *out == 3.0 - 2.0 * row), "{n}");
        }
    }
}
