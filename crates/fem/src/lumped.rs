//! A beam as a chain of rigid bodies: the lumped-parameter alternative to a reduced model (Ghidella et al., section
//! II).
//!
//! A cantilever of length L along x is divided into n elements of length Lₑ = L/n. Each has a revolute joint at its
//! middle with the stiffness k = E I / Lₑ. The elements are welded to each other, so that the bodies between two joints
//! have the length Lₑ. The first half element is part of the support; the last body has the length Lₑ/2. Small relative
//! angles θ (rad, n of them):
//!
//! ```text
//!     M θ̈ + k θ = P (L − x),   M_ij = Σ_bodies ∫ ρA (s − xᵢ)(s − xⱼ) + ρI ds,   tip deflection = Σ (L − xᵢ) θᵢ
//! ```
//!
//! The deflection is (P L³/EI)(1/3 − 1/(12 n²)): second order in n, and so are the frequencies.
//!
//! The paper criticises that the moments of the plain chain depend on θₙ alone and proposes the mean of θₙ and θₙ₊₁
//! ([`Chain::corrected_stiffness`]). That matrix is not symmetric, so it has no potential energy. It has complex
//! frequencies (the chain would flutter) and converges at first order. It is included only for comparison of statics
//! and eigenvalues.
//!
//! Freedoms other than bending, by `[k]` = Jᵀ K J: elements in [`element`], chains in [`space`]. Structures of several
//! beams, with branches and closed rings: [`beam_structure`].

use super::structure::section;
use ballesta::rom::elastic_modes::{ModesError, elastic_modes};
use nalgebra::{Complex, DMatrix, DVector};

pub mod beam_structure;
pub mod element;
mod model;
pub mod small_motions;
pub mod space;
mod space_model;
mod structure_model;

pub use beam_structure::LumpedStructure;
pub use element::ElementJoint;
pub use model::{ModelOptions, Planes};
pub use space::SpaceChain;
pub use structure_model::StructureModelOptions;

/// A uniform beam along x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Beam {
    /// Length in m.
    pub length: f64,
    /// Area of the section in m².
    pub area: f64,
    /// Second moment ∫y² dA for bending in the plane xy, m⁴.
    pub second_moment: f64,
    /// Second moment ∫z² dA for bending in the plane xz, m⁴.
    pub side_second_moment: f64,
    /// Young's modulus E in Pa.
    pub youngs_modulus: f64,
    /// Density ρ in kg/m³.
    pub density: f64,
    /// Shear modulus G in Pa.
    pub shear_modulus: f64,
    /// Torsion constant J, m⁴.
    pub torsion_constant: f64,
    /// Shear areas for forces along y and z, m²; `None`: no shear deformation.
    pub shear_areas: Option<[f64; 2]>,
}

impl Beam {
    /// The aluminium cantilever of the paper: EI = 2300 N·m², 1.35 kg.
    pub fn of_the_paper() -> Beam {
        Beam::rectangular(0.5, 0.05, 0.02, 6.9e10, 2700.0)
    }

    /// A rectangular section: `width` along z, `height` along y, m; Poisson's ratio 0.3, without shear deformation.
    pub fn rectangular(length: f64, width: f64, height: f64, youngs_modulus: f64, density: f64) -> Beam {
        Beam {
            length,
            area: width * height,
            second_moment: width * height.powi(3) / 12.0,
            side_second_moment: height * width.powi(3) / 12.0,
            youngs_modulus,
            density,
            shear_modulus: youngs_modulus / 2.6,
            torsion_constant: section::rectangle(width, height).torsion,
            shear_areas: None,
        }
    }

    /// This beam rotated by 90° about its axis.
    pub fn turned(&self) -> Beam {
        let shear_areas = self.shear_areas.map(|[y, z]| [z, y]);
        Beam { second_moment: self.side_second_moment, side_second_moment: self.second_moment, shear_areas, ..*self }
    }

    /// Mass per length, kg/m.
    pub fn line_density(&self) -> f64 {
        self.density * self.area
    }

    /// Mass in kg.
    pub fn mass(&self) -> f64 {
        self.line_density() * self.length
    }

    /// Bending stiffness EI in the plane xy, N·m².
    pub fn bending_stiffness(&self) -> f64 {
        self.youngs_modulus * self.second_moment
    }
}

/// Tip mass and support of the chain.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Setup {
    /// Whether the bodies have the rotary inertia of their section.
    pub rotary_inertia: bool,
    /// Stiffness of a torsional spring at the support, N·m/rad; `None`: the support is rigid.
    pub base_stiffness: Option<f64>,
    /// Mass at the tip, kg.
    pub tip_mass: f64,
    /// Moment of inertia of the tip mass about every axis through the tip, kg·m²; 0: a point.
    pub tip_inertia: f64,
}

/// The chain for small motions in the plane xy.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// Positions x of the joints, m, ascending.
    pub joints: Vec<f64>,
    /// Stiffness of each joint, N·m/rad.
    pub stiffness: Vec<f64>,
    /// Mass matrix in the relative angles, kg·m².
    pub mass: DMatrix<f64>,
    /// Length of the beam, m.
    pub length: f64,
    /// Weight per length for 1 m/s², kg/m.
    pub line_density: f64,
}

impl Chain {
    /// A beam of `elements` ≥ 1 elements.
    pub fn new(beam: &Beam, elements: usize, setup: &Setup) -> Chain {
        let element = beam.length / elements as f64;
        let mut joints: Vec<f64> = (0..elements).map(|i| (i as f64 + 0.5) * element).collect();
        let mut stiffness = vec![beam.bending_stiffness() / element; elements];
        if let Some(base) = setup.base_stiffness {
            joints.insert(0, 0.0);
            stiffness.insert(0, base);
        }
        let line_density = beam.line_density();
        let section = if setup.rotary_inertia { beam.density * beam.second_moment } else { 0.0 };
        let mut mass = DMatrix::zeros(joints.len(), joints.len());
        for body in 0..joints.len() {
            let (start, end) = (joints[body], joints.get(body + 1).copied().unwrap_or(beam.length));
            let (half, middle) = (0.5 * (end - start), 0.5 * (start + end));
            for (i, j) in (0..=body).flat_map(|i| (0..=body).map(move |j| (i, j))) {
                let steiner = (middle - joints[i]) * (middle - joints[j]);
                mass[(i, j)] += 2.0 * half * (line_density * (steiner + half * half / 3.0) + section);
            }
        }
        for (i, j) in (0..joints.len()).flat_map(|i| (0..joints.len()).map(move |j| (i, j))) {
            mass[(i, j)] += setup.tip_mass * (beam.length - joints[i]) * (beam.length - joints[j]) + setup.tip_inertia;
        }
        Chain { joints, stiffness, mass, length: beam.length, line_density }
    }

    /// Tip deflection (m) under a force at the tip (N) and the weight of the beam for a gravity in m/s² (0: none),
    /// small angles.
    pub fn static_deflection(&self, force: f64, gravity: f64) -> f64 {
        let moments = self.moments(force, gravity);
        self.tip(&DVector::from_fn(self.joints.len(), |i, _| moments[i] / self.stiffness[i]))
    }

    /// Static deflection with finite joint angles under a force of constant direction, without the weight of the beam.
    pub fn finite_deflection(&self, force: f64) -> f64 {
        let n = self.joints.len();
        let mut angles = DVector::<f64>::zeros(n);
        // Fixed point: the lever arms shorten by the cosines; each iteration reduces the error by about the square of
        // the relative deflection.
        for _ in 0..60 {
            let mut lever = 0.0;
            let mut next = DVector::<f64>::zeros(n);
            for i in (0..n).rev() {
                lever += self.body_length(i) * angles.rows(0, i + 1).sum().cos();
                next[i] = force * lever / self.stiffness[i];
            }
            angles = next;
        }
        (0..n).map(|i| self.body_length(i) * angles.rows(0, i + 1).sum().sin()).sum()
    }

    /// Natural frequencies in Hz, ascending.
    ///
    /// # Errors
    /// See [`ModesError`]; a very large number of elements makes the mass matrix ill-conditioned.
    pub fn frequencies_hz(&self) -> Result<Vec<f64>, ModesError> {
        let k = DMatrix::from_diagonal(&DVector::from_column_slice(&self.stiffness));
        let modes = elastic_modes(&k, &self.mass, &DMatrix::zeros(k.nrows(), 0))?;
        Ok(modes.omega.iter().map(|omega| omega / (2.0 * std::f64::consts::PI)).collect())
    }

    /// The paper's correction, moments k (θₙ + θₙ₊₁)/2 (of the last joint k θₙ/2); the base spring, if any, is
    /// unchanged.
    pub fn corrected_stiffness(&self) -> DMatrix<f64> {
        let n = self.joints.len();
        let base = self.joints[0] == 0.0;
        DMatrix::from_fn(n, n, |i, j| match (i, j) {
            (0, 0) if base => self.stiffness[0],
            (0, _) if base => 0.0,
            _ if j == i || j == i + 1 => 0.5 * self.stiffness[i],
            _ => 0.0,
        })
    }

    /// Tip deflection with the paper's correction, m.
    pub fn corrected_deflection(&self, force: f64, gravity: f64) -> f64 {
        // The matrix is upper triangular with a positive diagonal.
        let moments = self.moments(force, gravity);
        let angles = self.corrected_stiffness().solve_upper_triangular(&moments);
        self.tip(&angles.unwrap_or_else(|| DVector::from_element(self.joints.len(), f64::NAN)))
    }

    /// Eigenvalues with the paper's correction as complex frequencies in Hz, by real part; an imaginary part means
    /// growth.
    pub fn corrected_frequencies_hz(&self) -> Vec<Complex<f64>> {
        let Some(mass) = self.mass.clone().cholesky() else { return Vec::new() };
        let squares = mass.solve(&self.corrected_stiffness()).complex_eigenvalues();
        let mut all: Vec<Complex<f64>> = squares.iter().map(|z| z.sqrt() / (2.0 * std::f64::consts::PI)).collect();
        all.sort_by(|a, b| a.re.total_cmp(&b.re).then(a.im.total_cmp(&b.im)));
        all
    }

    /// Moments at the joints caused by a force at the tip and the weight beyond each joint.
    fn moments(&self, force: f64, gravity: f64) -> DVector<f64> {
        let arm = |i: usize| self.length - self.joints[i];
        DVector::from_fn(self.joints.len(), |i, _| force * arm(i) + 0.5 * self.line_density * gravity * arm(i) * arm(i))
    }

    fn tip(&self, angles: &DVector<f64>) -> f64 {
        angles.iter().zip(&self.joints).map(|(angle, x)| angle * (self.length - x)).sum()
    }

    fn body_length(&self, i: usize) -> f64 {
        self.joints.get(i + 1).copied().unwrap_or(self.length) - self.joints[i]
    }
}
