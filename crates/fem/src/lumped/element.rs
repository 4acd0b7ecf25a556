//! Stiffness of one element of a chain in the coordinates of its joint: `[k]` = Jᵀ K J (Ghidella et al., equations 1 to
//! 2a).
//!
//! An element body–joint–body of length L represents a segment of the beam. Motions and loads have six components,
//! along and about x, y (in the plane of bending), z. X = (u; θ) is the motion of the far end with the near end held; x
//! is the motion of the joint between them, with only some components free. For small motions of a joint at the
//! distance a from the far end, with rigid halves,
//!
//! ```text
//!     X = J x,   u_end = u + θ × (a, 0, 0),   θ_end = θ
//! ```
//!
//! K (6 × 6) is the stiffness of a uniform beam at its free end: E A/L, G J/L, and in each plane with Φ = 12 E I/(G A_s
//! L²), zero without shear deformation, the upper sign for xy (u_y with θ_z), the lower for xz (u_z with θ_y)
//!
//! ```text
//!     E I/((1+Φ) L³) [ 12   ∓6 L; ∓6 L   (4+Φ) L² ]
//! ```
//!
//! In the middle, a = L/2, k is diagonal: E A/L, 12 E I/((1+Φ) L³) twice, G J/L, E I/L twice. So a joint needs one
//! separate spring for each of its freedoms, independent of the constrained motions. With all six, J is regular: the
//! element has the compliance of the beam, J k⁻¹ Jᵀ = K⁻¹, for any position of the joint. A chain of these elements has
//! the exact static deflection at the ends of its elements.

use super::Beam;
use nalgebra::{DMatrix, Matrix6};

/// Joint in the middle of an element, by its free motions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementJoint {
    /// Bending in xy.
    Revolute,
    /// Bending in xy and xz.
    Universal,
    /// Bending in both planes and torsion.
    Spherical,
    /// Extension.
    Prismatic,
    /// Extension and torsion.
    Cylindrical,
    /// Extension, shear and bending in xy.
    Planar,
    /// All six: extension, torsion, shear and bending in both planes.
    Bushing,
}

impl ElementJoint {
    /// All kinds.
    pub const ALL: [ElementJoint; 7] = [
        ElementJoint::Revolute,
        ElementJoint::Universal,
        ElementJoint::Spherical,
        ElementJoint::Prismatic,
        ElementJoint::Cylindrical,
        ElementJoint::Planar,
        ElementJoint::Bushing,
    ];

    /// The free motions: 0 to 2 translations along x, y, z, 3 to 5 rotations about them; ascending.
    pub fn motions(self) -> &'static [usize] {
        match self {
            ElementJoint::Revolute => &[5],
            ElementJoint::Universal => &[4, 5],
            ElementJoint::Spherical => &[3, 4, 5],
            ElementJoint::Prismatic => &[0],
            ElementJoint::Cylindrical => &[0, 3],
            ElementJoint::Planar => &[0, 1, 5],
            ElementJoint::Bushing => &[0, 1, 2, 3, 4, 5],
        }
    }

    /// Word in the model file.
    pub fn word(self) -> &'static str {
        match self {
            ElementJoint::Revolute => "revolute",
            ElementJoint::Universal => "universal",
            ElementJoint::Spherical => "spherical",
            ElementJoint::Prismatic => "prismatic",
            ElementJoint::Cylindrical => "cylindrical",
            ElementJoint::Planar => "planar",
            ElementJoint::Bushing => "bushing",
        }
    }
}

/// J: small motions of a joint with six freedoms → motions of a point at the distance `arm` (m) along x beyond it.
pub fn jacobian(arm: f64) -> Matrix6<f64> {
    let mut j = Matrix6::identity();
    j[(1, 5)] = arm;
    j[(2, 4)] = -arm;
    j
}

impl Beam {
    /// K: stiffness of the far end of a segment of this length (m) with the near end held; N/m, N, N m.
    pub fn end_stiffness(&self, length: f64) -> Matrix6<f64> {
        let mut k = Matrix6::zeros();
        k[(0, 0)] = self.youngs_modulus * self.area / length;
        k[(3, 3)] = self.shear_modulus * self.torsion_constant / length;
        let planes = [(1, 5, -1.0, self.second_moment), (2, 4, 1.0, self.side_second_moment)];
        for (plane, (u, theta, sign, second_moment)) in planes.into_iter().enumerate() {
            let bending = self.youngs_modulus * second_moment;
            let shear = self
                .shear_areas
                .map_or(0.0, |areas| 12.0 * bending / (self.shear_modulus * areas[plane] * length * length));
            let unit = bending / ((1.0 + shear) * length.powi(3));
            k[(u, u)] = 12.0 * unit;
            k[(u, theta)] = sign * 6.0 * unit * length;
            k[(theta, u)] = k[(u, theta)];
            k[(theta, theta)] = (4.0 + shear) * unit * length * length;
        }
        k
    }

    /// `[k]` = Jᵀ K J of the free motions of a joint at the distance `arm` (m) from the far end of a segment of this
    /// length (m).
    pub fn joint_stiffness(&self, joint: ElementJoint, length: f64, arm: f64) -> DMatrix<f64> {
        let j = jacobian(arm);
        let k = j.transpose() * self.end_stiffness(length) * j;
        let motions = joint.motions();
        DMatrix::from_fn(motions.len(), motions.len(), |row, column| k[(motions[row], motions[column])])
    }
}
