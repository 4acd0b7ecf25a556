//! The chain in space for small motions, with any joint in its elements.
//!
//! Coordinates are the free motions of all joints relative to the preceding body, joint by joint. A motion of joint j
//! moves the centre of every body beyond it by [`jacobian`] with the arm between them. With the masses m_b and inertias
//! I_b of the bodies
//!
//! ```text
//!     M = Σ_b J_bᵀ diag(m_b, m_b, m_b, I_b) J_b,   K = diag(Jᵀ K J of the elements),   tip compliance = T K⁻¹ Tᵀ
//! ```
//!
//! Stiffnesses of joints in the middle are diagonal, and bodies are symmetric: extension, torsion and the two planes of
//! bending do not couple, and each is solved separately. With bending in xy only, the result is [`super::Chain`].

use super::Beam;
use super::element::{ElementJoint, jacobian};
use ballesta::rom::elastic_modes::{ModesError, elastic_modes};
use nalgebra::{DMatrix, DVector, Matrix6};

/// Groups of coupled motions: extension, torsion, bending with shear in xy, in xz.
const FAMILIES: [&[usize]; 4] = [&[0], &[3], &[1, 5], &[2, 4]];

/// Extension, torsion, bending in xy or in xz: one of the separate problems.
#[derive(Clone, Debug, PartialEq)]
struct Family {
    /// Joint and motion of each coordinate.
    coordinates: Vec<(usize, usize)>,
    mass: DMatrix<f64>,
    stiffness: DVector<f64>,
}

/// The chain.
#[derive(Clone, Debug, PartialEq)]
pub struct SpaceChain {
    /// Positions x of the joints, m, ascending.
    pub joints: Vec<f64>,
    /// Length of the beam, m.
    pub length: f64,
    families: Vec<Family>,
}

impl SpaceChain {
    /// A cantilever of `elements` ≥ 1 elements with this joint in each, and a mass at its tip (kg) with its moment of
    /// inertia about every axis (kg·m²).
    pub fn new(beam: &Beam, elements: usize, joint: ElementJoint, tip_mass: f64, tip_inertia: f64) -> SpaceChain {
        let element = beam.length / elements as f64;
        let joints: Vec<f64> = (0..elements).map(|i| (i as f64 + 0.5) * element).collect();
        let springs = beam.joint_stiffness(joint, element, 0.5 * element);
        let families = FAMILIES.iter().filter_map(|family| {
            let free: Vec<usize> =
                (0..joint.motions().len()).filter(|i| family.contains(&joint.motions()[*i])).collect();
            let coordinates: Vec<(usize, usize)> =
                (0..elements).flat_map(|i| free.iter().map(move |m| (i, joint.motions()[*m]))).collect();
            let stiffness = (0..elements).flat_map(|_| free.iter().map(|m| springs[(*m, *m)]));
            let stiffness = DVector::from_iterator(coordinates.len(), stiffness);
            let mass = DMatrix::zeros(coordinates.len(), coordinates.len());
            (!free.is_empty()).then_some(Family { coordinates, mass, stiffness })
        });
        let mut chain = SpaceChain { families: families.collect(), length: beam.length, joints };
        for body in 0..elements {
            let (start, end) = chain.ends(body);
            let diagonal = beam.piece(end - start);
            chain.add_mass(body, 0.5 * (start + end), &diagonal);
        }
        let point = [tip_mass, tip_mass, tip_mass, tip_inertia, tip_inertia, tip_inertia];
        chain.add_mass(elements - 1, beam.length, &point);
        chain
    }

    /// Start and end of the body after a joint, m.
    pub fn ends(&self, body: usize) -> (f64, f64) {
        (self.joints[body], self.joints.get(body + 1).copied().unwrap_or(self.length))
    }

    /// Adds a mass and its inertia to a body, at the position x.
    fn add_mass(&mut self, body: usize, x: f64, diagonal: &[f64; 6]) {
        let joints = &self.joints;
        for family in &mut self.families {
            let columns: Vec<_> = (family.coordinates.iter())
                .take_while(|(joint, _)| *joint <= body)
                .map(|&(joint, motion)| jacobian(x - joints[joint]).column(motion).into_owned())
                .collect();
            for (i, j) in (0..columns.len()).flat_map(|i| (0..columns.len()).map(move |j| (i, j))) {
                family.mass[(i, j)] += (0..6).map(|k| columns[i][k] * diagonal[k] * columns[j][k]).sum::<f64>();
            }
        }
    }

    /// Compliance of the tip, m/N and so on.
    pub fn tip_compliance(&self) -> Matrix6<f64> {
        let mut compliance = Matrix6::zeros();
        for family in &self.families {
            for (&(joint, motion), stiffness) in family.coordinates.iter().zip(family.stiffness.iter()) {
                let column = jacobian(self.length - self.joints[joint]).column(motion).into_owned();
                compliance += column * column.transpose() / *stiffness;
            }
        }
        compliance
    }

    /// Natural frequencies in Hz of each separate problem, ascending: a motion that identifies it (0 extension, 3
    /// torsion, 5 bending in xy, 4 bending in xz) and its frequencies.
    ///
    /// # Errors
    /// See [`ModesError`]; a very large number of elements makes the mass matrix ill-conditioned.
    pub fn frequencies_hz(&self) -> Result<Vec<(usize, Vec<f64>)>, ModesError> {
        let solve = |family: &Family| {
            let stiffness = DMatrix::from_diagonal(&family.stiffness);
            let modes = elastic_modes(&stiffness, &family.mass, &DMatrix::zeros(stiffness.nrows(), 0))?;
            let hertz = modes.omega.iter().map(|omega| omega / (2.0 * std::f64::consts::PI)).collect();
            Ok((family.coordinates.iter().map(|(_, motion)| *motion).max().unwrap_or(0), hertz))
        };
        self.families.iter().map(solve).collect()
    }
}

impl Beam {
    /// Mass (three times) and moments of inertia about x, y, z of a segment of this length (m) about its centre.
    pub fn piece(&self, length: f64) -> [f64; 6] {
        let section = |second_moment: f64| self.density * length * second_moment;
        let mass = self.line_density() * length;
        let rod = mass * length * length / 12.0;
        [
            mass,
            mass,
            mass,
            section(self.second_moment + self.side_second_moment),
            section(self.side_second_moment) + rod,
            section(self.second_moment) + rod,
        ]
    }
}
