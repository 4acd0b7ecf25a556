//! The mass of elements as points that move with their nodes: one mass model for all terms of the motion.
//!
//! A rigid mass or a slice of a beam has the mass m at x and the inertia J about x. For any motion, its kinetic energy
//! is the energy of the point m at x plus the energy of distributed matter. That matter has the second moments S = ½
//! tr(J) 1 − J, no mass and no first moment. S = Σ s_k e_k e_kᵀ corresponds to three offsets r = e_k of the weights
//! s_k. If the node or section moves by u and turns by θ,
//!
//! ```text
//!     the point moves by u,      an offset moves by θ × r + ½ θ × (θ × r) + …
//! ```
//!
//! Every integral over the mass, ∫ f(x, u) dm, is a sum over points and offsets. The part of first order in θ gives θᵀ
//! J θ of the mass matrix, ω × J ω of a turning body, and all couplings between them. The part of second order
//! distinguishes a disc from a rod: about its axis, ½ ω² (J_t − J_p) θ². A weight is negative if no real matter has the
//! inertia, for example a section with inertia about the beam's axis alone. The energy still equals the energy of J.

use super::{Element, GAUSS, Line, PointMass};
use ballesta::math::{Mat3, Vec3};
use nalgebra::{SMatrix, Vector4};

/// Translation or rotation over the 12 directions of two nodes.
pub type Motion = SMatrix<f64, 3, 12>;

/// A point mass, or an offset from a point mass.
#[derive(Clone, Debug, PartialEq)]
pub struct MassPoint {
    /// Nodes that move it.
    pub nodes: [usize; 2],
    /// Mass in kg; for an offset, second moment in kg m².
    pub weight: f64,
    /// x, y, z in m and 1; for an offset, its direction and 0.
    pub place: Vector4<f64>,
    /// Displacement to the first order; of an offset, per metre.
    pub motion: Motion,
    /// Rotation of an offset; 0 for a point.
    pub turn: Motion,
}

impl MassPoint {
    /// Whether this is an offset, which rotates.
    pub fn is_offset(&self) -> bool {
        self.place[3] == 0.0
    }

    /// Direction of an offset.
    pub fn direction(&self) -> Vec3 {
        self.place.xyz()
    }
}

/// Offsets of the second moments of an inertia about a node or of a section that turns by `turn`, axes of C. In the
/// plane only the inertia about z is known.
pub fn offsets(nodes: [usize; 2], inertia: &Mat3, turn: &Motion, plane: bool) -> Vec<MassPoint> {
    let known = if plane { Mat3::from_diagonal(&Vec3::new(0.0, 0.0, inertia[(2, 2)])) } else { *inertia };
    let second = Mat3::identity() * (0.5 * known.trace()) - known;
    let is_diagonal = (0..3).all(|a| (0..3).all(|b| a == b || second[(a, b)] == 0.0));
    let (weights, axes) = if is_diagonal {
        (second.diagonal(), Mat3::identity())
    } else {
        let eigen = second.symmetric_eigen();
        (eigen.eigenvalues, eigen.eigenvectors)
    };
    // Out of its plane a structure has no extent.
    let used = (0..if plane { 2 } else { 3 }).filter(|k| weights[*k] != 0.0);
    used.map(|k| {
        let direction: Vec3 = axes.column(k).into();
        MassPoint {
            nodes,
            weight: weights[k],
            place: direction.push(0.0),
            motion: -direction.cross_matrix() * turn,
            turn: *turn,
        }
    })
    .collect()
}

impl Element {
    /// Mass of an element as points and offsets; `position` returns the node positions in C, m.
    pub fn mass_points(&self, position: impl Fn(usize) -> Vec3, plane: bool) -> Vec<MassPoint> {
        match self {
            Element::Line(line) => line.mass_points(position, plane),
            Element::Spring(_) => Vec::new(),
            Element::Mass(mass) => mass.mass_points(position, plane),
        }
    }
}

impl PointMass {
    fn mass_points(&self, position: impl Fn(usize) -> Vec3, plane: bool) -> Vec<MassPoint> {
        let (mut motion, mut turn) = (Motion::zeros(), Motion::zeros());
        motion.fixed_view_mut::<3, 3>(0, 0).fill_with_identity();
        turn.fixed_view_mut::<3, 3>(0, 3).fill_with_identity();
        let nodes = [self.node; 2];
        let place = position(self.node).push(1.0);
        let mut points = vec![MassPoint { nodes, weight: self.mass, place, motion, turn: Motion::zeros() }];
        points.extend(offsets(nodes, &self.inertia, &turn, plane));
        points
    }
}

impl Line {
    /// Consistent mass at the points of Gauss, which are exact for all integrals of second order; lumped mass at the
    /// ends.
    fn mass_points(&self, position: impl Fn(usize) -> Vec3, plane: bool) -> Vec<MassPoint> {
        let ends = [(0.0, 0.5), (1.0, 0.5)];
        let places = if self.lumped { &ends[..] } else { &GAUSS[..] };
        let start = position(self.nodes[0]);
        let along: Vec3 = self.axes.column(0).into();
        let [mass, about @ ..] = self.inertia;
        let inertia = self.axes * Mat3::from_diagonal(&about.into()) * self.axes.transpose();
        let point = |&(xi, weight): &(f64, f64)| {
            let shape = self.shape(xi) * self.rotation();
            let motion: Motion = self.axes * shape.fixed_rows::<3>(0);
            let turn: Motion = self.axes * shape.fixed_rows::<3>(3);
            let place = (start + along * (xi * self.length)).push(1.0);
            let length = weight * self.length;
            let own = MassPoint { nodes: self.nodes, weight: mass * length, place, motion, turn: Motion::zeros() };
            let offsets = offsets(self.nodes, &(inertia * length), &turn, plane);
            std::iter::once(own).chain(offsets)
        };
        places.iter().flat_map(point).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::Matrix12;

    fn mass_of(points: &[MassPoint]) -> Matrix12 {
        points.iter().map(|point| point.motion.transpose() * point.motion * point.weight).sum()
    }

    #[test]
    fn the_points_of_an_element_have_its_mass_matrix() {
        let line = |lumped: bool, rotary: f64| Line {
            name: "b".into(),
            nodes: [0, 1],
            axes: Mat3::from_columns(&[Vec3::new(0.0, 0.6, 0.8), Vec3::new(0.0, -0.8, 0.6), Vec3::x()]),
            length: 1.5,
            axial: 1e7,
            kind: super::super::LineKind::Beam(super::super::BeamStiffness {
                torsion: 2e3,
                bending: [3e3, 5e3],
                shear: [0.1, 0.3],
            }),
            inertia: [2.0, 0.03, 0.02 * rotary, 0.01 * rotary],
            polar_radius_squared: 0.0,
            lumped,
            released: Box::new(Matrix12::identity()),
        };
        let position = |node: usize| Vec3::new(0.1, 0.2, 0.3) + Vec3::new(0.0, 0.9, 1.2) * node as f64;
        let mut elements = vec![Element::Mass(PointMass {
            node: 1,
            mass: 3.0,
            inertia: Mat3::new(0.2, 0.04, -0.01, 0.04, 0.3, 0.02, -0.01, 0.02, 0.1),
        })];
        for (lumped, rotary) in [(false, 0.0), (false, 1.0), (true, 0.0), (true, 1.0)] {
            let mut line = line(lumped, rotary);
            elements.push(Element::Line(line.clone()));
            let mut released = [false; 12];
            released[5] = true;
            line.release(&released).expect("it holds");
            elements.push(Element::Line(line));
        }
        for element in &elements {
            let (found, wanted) = (mass_of(&element.mass_points(position, false)), element.mass());
            assert!((found - wanted).amax() < 1e-13 * wanted.amax(), "{element:?}: {found} {wanted}");
        }
    }
}
